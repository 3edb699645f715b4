/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that use gradients. */
#include "filters/cpu/canny.h"
#include "filters/cpu/kinds.h"
#include "filters/gpu/plans.h"

kst_status kst_filter_gpu_sobel(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_record(step);
    record.value[0] = step->value[0].number + 1;
    record.value[1] = step->value[1].number;
    return kst_filter_gpu_add(step, record.bytes == 1 ? FILTER_SOBEL : FILTER_WIDE_SOBEL, &record);
}

/* Plan the kernels of canny. Each pixel has a word that names the set of joined pixels to which it belongs. */
static kst_status find_edges(struct filter_gpu_step *step, enum filter_gpu_kernel first, struct filter_record record)
{
    uint64_t pixels = (uint64_t)record.width * record.height;
    uint64_t tiles = ((uint64_t)record.height + FILTER_TILE - 1) / FILTER_TILE * record.groups_of_row;
    struct filter_canny canny;
    kst_filter_canny_settle(step->value, &canny);
    record.value[0] = (int32_t)canny.radius;
    record.value[1] = canny.squared;
    record.value[2] = canny.low;
    record.value[3] = canny.high;
    if (pixels >= UINT32_MAX - 1)
        return KST_ERROR_LIMIT_PIXELS;
    kst_filter_gpu_extra(step, pixels * sizeof(uint32_t), 0);
    kst_status status = kst_filter_gpu_add(step, canny.radius == 1 ? first : FILTER_CANNY_WIDE, &record);
    if (!status)
        status = kst_filter_gpu_add_groups(
            step, FILTER_CANNY_JOIN, &record, (tiles + FILTER_CANNY_TILES - 1) / FILTER_CANNY_TILES);
    return status ? status : kst_filter_gpu_add(step, FILTER_CANNY_END, &record);
}

kst_status kst_filter_gpu_canny(struct filter_gpu_step *step)
{
    const struct filter_record record = kst_filter_gpu_record(step);
    return find_edges(step, record.colours == 1 ? FILTER_CANNY_GREY : FILTER_CANNY_MARK, record);
}

bool kst_filter_gpu_is_canny_of_grey(
    const struct filter_gpu_pixels *from, const struct filter_step *first, const struct filter_step *second)
{
    struct filter_canny canny;
    if (first->kind != &kst_filter_grey || second->kind != &kst_filter_canny || from->pixels.bytes > 1)
        return false;
    kst_filter_canny_settle(second->value, &canny);
    return canny.radius == 1;
}

kst_status kst_filter_gpu_canny_of_grey(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_luminance(step);
    record.value[4] = (int32_t)((uint32_t)record.value[0] | (uint32_t)record.value[1] << 16);
    record.value[5] = record.value[2];
    return find_edges(step, FILTER_CANNY_GREY, record);
}
