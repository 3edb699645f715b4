/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans filters that make pictures look as if painted. */
#include "filters/cpu/cartoon.h"
#include "filters/cpu/oil.h"
#include "filters/cpu/painterly.h"
#include "filters/gpu/plans.h"

/* The values of a record, as kernels/oil.h names them. */
enum { OIL_RADIUS = 3, OIL_RATIO };
_Static_assert((int)FILTER_OIL_MOST == (int)FILTER_OIL_RADIUS, "the kernel's memory holds any border");

kst_status kst_filter_gpu_oil(struct filter_gpu_step *step)
{
    struct filter_record record = kst_filter_gpu_luminance(step);
    record.value[OIL_RADIUS] = step->value[0].number;
    record.value[OIL_RATIO] = step->value[1].number;
    return kst_filter_gpu_add(step, FILTER_OIL, &record);
}

/* The values of a record, as kernels/cartoon.h names them. */
enum { CARTOON_LEVELS = 3, CARTOON_LINE };
enum { ALIGNMENT = 256 };

struct filter_gpu_pixels kst_filter_gpu_sheet(const struct filter_gpu_step *step, uint32_t channels, uint64_t *length)
{
    struct filter_gpu_pixels sheet = {.buffer = step->room, .at = step->extra_at + *length, .pixels = step->to.pixels};
    sheet.pitch = ((size_t)sheet.pixels.width * channels + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    sheet.pixels.channels = channels;
    sheet.pixels.colours = channels < sheet.pixels.colours ? channels : sheet.pixels.colours;
    *length += (uint64_t)sheet.pitch * sheet.pixels.height;
    return sheet;
}

kst_status kst_filter_gpu_apply(struct filter_gpu_step *step, filter_gpu_plan plan, const struct filter_value *value,
    const struct filter_gpu_pixels *from, const struct filter_gpu_pixels *to)
{
    struct filter_gpu_step inner = *step;
    inner.value = value;
    inner.from = *from;
    inner.to = *to;
    kst_status status = plan(&inner);
    step->order = inner.order;
    step->extra_length = inner.extra_length;
    return status;
}

/*
 * Plan the smoothing of the picture; the last pass writes to the result. *smooth receives the place of the smooth
 * picture.
 */
static kst_status smooth(struct filter_gpu_step *step, const struct filter_cartoon *cartoon, uint64_t *length,
    struct filter_gpu_pixels *smooth)
{
    struct filter_gpu_pixels sheet = step->to;
    kst_status status = KST_OK;
    *smooth = step->from;
    if (cartoon->passes > 1)
        sheet = kst_filter_gpu_sheet(step, step->to.pixels.channels, length);
    for (uint32_t left = cartoon->passes; left > 0 && !status; left--) {
        const struct filter_gpu_pixels *to = left % 2 == 1 ? &step->to : &sheet;
        status = kst_filter_gpu_apply(step, kst_filter_gpu_bilateral, cartoon->bilateral, smooth, to);
        *smooth = *to;
    }
    return status;
}

/*
 * Plan the drawing of tones and lines. The edges lie in intermediate memory, behind the words of canny at its
 * beginning.
 */
static kst_status draw(struct filter_gpu_step *step, const struct filter_cartoon *cartoon,
    const struct filter_gpu_pixels *smooth, const struct filter_gpu_pixels *edges)
{
    struct filter_gpu_step inner = *step;
    inner.from = *smooth;
    inner.extra_at = edges->at;
    inner.extra_pitch = edges->pitch;
    struct filter_record record = kst_filter_gpu_luminance(&inner);
    record.value[CARTOON_LEVELS] = (int32_t)cartoon->levels;
    record.value[CARTOON_LINE] = (int32_t)cartoon->line;
    kst_status status = kst_filter_gpu_add(&inner, FILTER_CARTOON, &record);
    step->order = inner.order;
    return status;
}

static kst_status cartoon(struct filter_gpu_step *step)
{
    const struct filter_pixels *to = &step->to.pixels;
    uint64_t length = (uint64_t)to->width * to->height * sizeof(uint32_t);
    struct filter_cartoon cartoon;
    struct filter_gpu_pixels at;
    kst_filter_cartoon_settle(step->value, &cartoon);
    length = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    kst_status status = smooth(step, &cartoon, &length, &at);
    const struct filter_gpu_pixels edges = kst_filter_gpu_sheet(step, 1, &length);
    if (!status && cartoon.line > 0)
        status = kst_filter_gpu_apply(step, kst_filter_gpu_canny_of_grey, cartoon.canny, &at, &edges);
    kst_filter_gpu_extra(step, length, 0);
    return status ? status : draw(step, &cartoon, &at, &edges);
}

/* The values of a record, as kernels/painterly.h names them. */
enum { STROKE_RADIUS = 3, STROKE_LENGTH, STROKE_THRESHOLD, STROKE_FIRST, STROKE_CELLS };
enum { BRUSH = 0, LAYERS, LENGTH, THRESHOLD };
_Static_assert((int)FILTER_PAINTERLY_LENGTH == (int)FILTER_STROKE_LENGTH, "the kernel's memory holds any stroke");

/* Describes a layer: its brush, and the place of its reference. */
struct filter_gpu_layer {
    uint32_t radius;
    bool is_first;
    struct filter_gpu_pixels reference;
    uint64_t words_at; /* offset in the intermediate memory */
};

static kst_status strokes(struct filter_gpu_step *step, const struct filter_gpu_layer *layer)
{
    struct filter_gpu_step inner = *step;
    uint32_t radius = layer->radius;
    uint64_t cells = (step->to.pixels.width + (uint64_t)radius - 1) / radius;
    uint64_t rows = (step->to.pixels.height + (uint64_t)radius - 1) / radius;
    inner.from = layer->reference;
    inner.extra_at += layer->words_at;
    struct filter_record record = kst_filter_gpu_luminance(&inner);
    record.value[STROKE_RADIUS] = (int32_t)radius;
    record.value[STROKE_LENGTH] = step->value[LENGTH].number;
    record.value[STROKE_THRESHOLD] = step->value[THRESHOLD].number * (int32_t)record.colours;
    record.value[STROKE_FIRST] = layer->is_first;
    record.value[STROKE_CELLS] = (int32_t)cells;
    kst_status status = kst_filter_gpu_add_groups(
        &inner, FILTER_STROKES, &record, (cells * rows + FILTER_GROUP_ITEMS - 1) / FILTER_GROUP_ITEMS);
    inner.from = step->from;
    record = kst_filter_gpu_record(&inner);
    if (!status)
        status = kst_filter_gpu_add(&inner, FILTER_DRY, &record);
    step->order = inner.order;
    return status;
}

static kst_status clear_words(struct filter_gpu_step *step, uint64_t at, uint64_t groups)
{
    struct filter_gpu_step inner = *step;
    inner.extra_at += at;
    const struct filter_record record = kst_filter_gpu_record(&inner);
    kst_status status = kst_filter_gpu_add_groups(&inner, FILTER_CLEAR, &record, groups);
    step->order = inner.order;
    return status;
}

/* Plan the layers. The intermediate memory holds the sums of gaussian, a word for each pixel, and a reference. */
static kst_status painterly(struct filter_gpu_step *step)
{
    const struct filter_pixels *to = &step->to.pixels;
    uint64_t groups = ((uint64_t)to->width * to->height + FILTER_GROUP_ITEMS - 1) / FILTER_GROUP_ITEMS;
    uint64_t sums = ((uint64_t)to->width * to->channels * 2 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint64_t length = sums * to->height;
    struct filter_gpu_layer layer = {.words_at = length, .is_first = true};
    length += groups * FILTER_GROUP_ITEMS * sizeof(uint32_t);
    const struct filter_gpu_pixels sheet = kst_filter_gpu_sheet(step, to->channels, &length);
    kst_status status = clear_words(step, layer.words_at, groups);
    for (int32_t i = 0; i < step->value[LAYERS].number && step->value[BRUSH].number >> i > 0 && !status; i++) {
        layer.radius = (uint32_t)step->value[BRUSH].number >> i;
        layer.reference = layer.is_first ? step->to : sheet;
        const struct filter_value sigma[] = {{.number = (int32_t)layer.radius * FILTER_PAINTERLY_SIGMA}, {.number = 0}};
        status = kst_filter_gpu_apply(step, kst_filter_gpu_gaussian, sigma, &step->from, &layer.reference);
        if (!status)
            status = strokes(step, &layer);
        layer.is_first = false;
    }
    kst_filter_gpu_extra(step, length, 0);
    return status;
}

kst_status kst_filter_gpu_cartoon(struct filter_gpu_step *step)
{
    return kst_filter_gpu_in_bytes(step, cartoon);
}

kst_status kst_filter_gpu_painterly(struct filter_gpu_step *step)
{
    return kst_filter_gpu_in_bytes(step, painterly);
}
