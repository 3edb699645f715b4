/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that move pixels or change each sample independently, and lists the plans of all filters. */
#include "filters/gpu/plans.h"

#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"
#include "filters/cpu/tone.h"

/*
 * Holds the source pixel that becomes pixel (0, 0), and the steps to those that become the next pixel of the row and of
 * the column.
 */
struct filter_gpu_turn {
    int32_t x, y;
    int32_t across[2], down[2];
};

static kst_status move(struct filter_gpu_step *step, struct filter_gpu_turn turn)
{
    struct filter_record record = kst_filter_gpu_record(step);
    const int32_t value[] = {turn.x, turn.y, turn.across[0], turn.across[1], turn.down[0], turn.down[1]};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        record.value[i] = value[i];
    return kst_filter_gpu_add(step, FILTER_MOVE, &record);
}

kst_status kst_filter_gpu_copy(struct filter_gpu_step *step)
{
    return move(step, (struct filter_gpu_turn){0, 0, {1, 0}, {0, 1}});
}

static kst_status crop(struct filter_gpu_step *step)
{
    return move(step, (struct filter_gpu_turn){step->value[1].number, step->value[2].number, {1, 0}, {0, 1}});
}

static kst_status rotate(struct filter_gpu_step *step)
{
    const int32_t right = (int32_t)step->from.pixels.width - 1, bottom = (int32_t)step->from.pixels.height - 1;
    const struct filter_gpu_turn turns[] = {
        {0, bottom, {0, -1}, {1, 0}}, {right, bottom, {-1, 0}, {0, -1}}, {right, 0, {0, 1}, {-1, 0}}};
    return move(step, turns[step->value[0].number]);
}

static kst_status flip(struct filter_gpu_step *step)
{
    const int32_t right = (int32_t)step->from.pixels.width - 1, bottom = (int32_t)step->from.pixels.height - 1;
    const struct filter_gpu_turn turns[] = {{right, 0, {-1, 0}, {0, 1}}, {0, bottom, {1, 0}, {0, -1}}};
    return move(step, turns[step->value[0].number]);
}

struct filter_record kst_filter_gpu_luminance(const struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    bool reversed = step->from.pixels.reversed;
    record.value[0] = reversed ? FILTER_BLUE : FILTER_RED;
    record.value[1] = FILTER_GREEN;
    record.value[2] = reversed ? FILTER_RED : FILTER_BLUE;
    return record;
}

kst_status kst_filter_gpu_grey(struct filter_gpu_step *step)
{
    const struct filter_record record = kst_filter_gpu_luminance(step);
    const bool narrow = record.bytes == 1 && record.colours == 3;
    return kst_filter_gpu_add(step, narrow ? FILTER_GREY : FILTER_WIDE_GREY, &record);
}

kst_status kst_filter_gpu_depth(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = FILTER_RESCALED;
    return kst_filter_gpu_add(step, FILTER_CURVE, &record);
}

static kst_status invert(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = FILTER_INVERTED;
    return kst_filter_gpu_add(step, FILTER_CURVE, &record);
}

static kst_status threshold(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = FILTER_ABOVE;
    record.value[1] = step->value[0].number;
    return kst_filter_gpu_add(step, FILTER_CURVE, &record);
}

static kst_status levels(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    const struct filter_line line = kst_filter_levels_line(step->value, step->from.pixels.greatest);
    record.value[0] = FILTER_ON_LINE;
    record.value[1] = (int32_t)line.black;
    record.value[2] = (int32_t)line.white;
    record.value[3] = (int32_t)line.lowest;
    record.value[4] = (int32_t)line.highest;
    return kst_filter_gpu_add(step, FILTER_CURVE, &record);
}

/*
 * Plan a filter by a curve that a kernel makes of the counts of luminance. The counts lie in intermediate memory, and
 * the curve behind them.
 */
static kst_status by_counts(struct filter_gpu_step *step, enum filter_gpu_kernel kernel, struct filter_record record)
{
    if ((uint64_t)record.width * record.height > UINT32_MAX)
        return KST_ERROR_LIMIT_PIXELS;
    kst_filter_gpu_extra(step, 2 * FILTER_BINS * sizeof(uint32_t), 0);
    kst_status status =
        kst_filter_gpu_add_groups(step, FILTER_CLEAR, &record, record.greatest / FILTER_GROUP_ITEMS + 1);
    if (!status)
        status = kst_filter_gpu_add(step, FILTER_COUNT, &record);
    if (!status)
        status = kst_filter_gpu_add_groups(step, kernel, &record, 1);
    record.value[0] = FILTER_LOOKED_UP;
    return status ? status : kst_filter_gpu_add(step, FILTER_CURVE, &record);
}

static kst_status equalise(struct filter_gpu_step *step)
{
    return by_counts(step, FILTER_EQUALISE, kst_filter_gpu_luminance(step));
}

static kst_status normalise(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_luminance(step);
    record.value[3] = step->value[0].number;
    record.value[4] = step->value[1].number;
    return by_counts(step, FILTER_NORMALISE, record);
}

filter_gpu_plan kst_filter_gpu_plan_of(const struct filter_kind *kind)
{
    static const struct {
        const struct filter_kind *kind;
        filter_gpu_plan plan;
    } plans[] = {{&kst_filter_crop, crop}, {&kst_filter_rotate, rotate}, {&kst_filter_flip, flip},
        {&kst_filter_grey, kst_filter_gpu_grey}, {&kst_filter_depth, kst_filter_gpu_depth},
        {&kst_filter_invert, invert}, {&kst_filter_threshold, threshold}, {&kst_filter_levels, levels},
        {&kst_filter_sobel, kst_filter_gpu_sobel}, {&kst_filter_canny, kst_filter_gpu_canny},
        {&kst_filter_equalise, equalise}, {&kst_filter_gaussian, kst_filter_gpu_gaussian},
        {&kst_filter_sharpen, kst_filter_gpu_sharpen}, {&kst_filter_median, kst_filter_gpu_median},
        {&kst_filter_bilateral, kst_filter_gpu_bilateral}, {&kst_filter_warp, kst_filter_gpu_warp},
        {&kst_filter_rgb, kst_filter_gpu_rgb}, {&kst_filter_channel, kst_filter_gpu_channel},
        {&kst_filter_matrix, kst_filter_gpu_matrix}, {&kst_filter_lut, kst_filter_gpu_lut},
        {&kst_filter_xyz, kst_filter_gpu_xyz}, {&kst_filter_normalise, normalise},
        {&kst_filter_histogram_kind, kst_filter_gpu_histogram}, {&kst_filter_oil, kst_filter_gpu_oil},
        {&kst_filter_cartoon, kst_filter_gpu_cartoon}, {&kst_filter_painterly, kst_filter_gpu_painterly},
        {&kst_filter_lines, kst_filter_gpu_lines}, {&kst_filter_lines_list_kind, kst_filter_gpu_lines_list}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        if (plans[i].kind == kind)
            return plans[i].plan;
    return NULL;
}
