/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the lossless process scan by scan. The lines of a picture in one scan go out as soon as they are made; those
 * of several scans are kept until all are there.
 */
#include "jpeg/cpu/lossless.h"

#include "core/report.h"
#include "image/format.h"
#include "jpeg/cpu/entropy/differences.h"
#include "jpeg/cpu/rows.h"
#include "jpeg/plan/lossless.h"

/* Holds samples of a component before the point transform; line y is at y modulo `lines`. */
struct lossless_lines {
    uint16_t *data;
    uint32_t pitch, lines;
    uint8_t shift; /* the point transform, Pt */
};

struct lossless {
    const struct operation *op;
    const struct jpeg_plan *plan;
    struct jpeg_output output;
    struct jpeg_dsp dsp;
    struct lossless_lines samples[JPEG_COMPONENTS];
    uint8_t *line[JPEG_COMPONENTS]; /* samples of up to 8 bits in bytes, from the region's first pixel on */
    void *memory;
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Return the lines of a component that are kept: all of them, or those of two MCU rows, of which one is above. */
static uint32_t lines_kept(const struct jpeg_plan *plan, const struct jpeg_component *c)
{
    return plan->single_scan ? 2U * c->v : c->padded_h;
}

/* Allocate all lines. Samples that no scan holds have the middle of their range. */
static kst_status allocate(struct lossless *l)
{
    const struct jpeg_frame *frame = &l->output.frame;
    size_t bytes = round_up((size_t)frame->width + JPEG_ROW_PADDING), total = frame->component_count * bytes;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < frame->component_count; i++) {
        const struct jpeg_component *c = &frame->component[i];
        struct lossless_lines *s = &l->samples[i];
        s->pitch = (uint32_t)(round_up(c->padded_w * sizeof *s->data) / sizeof *s->data);
        s->lines = lines_kept(l->plan, c);
        total += (size_t)s->pitch * s->lines * sizeof *s->data;
    }
    l->memory = kst_memory_array(l->op->memory, total, 1, &status);
    if (!l->memory)
        return status;
    uint8_t *at = l->memory;
    for (uint32_t i = 0; i < frame->component_count; i++, at += bytes)
        l->line[i] = at;
    for (uint32_t i = 0; i < frame->component_count; i++) {
        struct lossless_lines *s = &l->samples[i];
        size_t count = (size_t)s->pitch * s->lines;
        s->data = (uint16_t *)(void *)at;
        at += count * sizeof *s->data;
        for (size_t k = 0; k < count && !l->plan->single_scan; k++)
            s->data[k] = (uint16_t)(1U << (frame->precision - 1));
    }
    return KST_OK;
}

static uint16_t *line_at(const struct lossless_lines *s, uint32_t y)
{
    return s->data + (size_t)(y % s->lines) * s->pitch;
}

/* Apply the point transform. Damaged data may exceed the precision: higher bits are dropped. */
static uint32_t sample_of(const struct lossless *l, uint32_t component, uint16_t value)
{
    return (uint32_t)value << l->samples[component].shift & ((1U << l->output.frame.precision) - 1);
}

static uint8_t *row_of(const struct lossless *l, uint32_t plane, uint32_t row)
{
    const kst_plane *p = &l->output.image.plane[plane];
    return (uint8_t *)p->data + (ptrdiff_t)row * p->pitch;
}

/* Write `count` samples of a line to every `step`th place, which has one or two bytes. */
static void put(const struct lossless *l, uint32_t component, uint32_t y, uint8_t *out, uint32_t count, uint32_t step)
{
    const uint16_t *in = line_at(&l->samples[component], y) + l->output.scaled[component].first;
    uint16_t *wide = (uint16_t *)(void *)out;
    if (l->output.frame.precision > 8)
        for (uint32_t x = 0; x < count; x++)
            wide[(size_t)x * step] = (uint16_t)sample_of(l, component, in[x]);
    else
        for (uint32_t x = 0; x < count; x++)
            out[(size_t)x * step] = (uint8_t)sample_of(l, component, in[x]);
}

static void put_raw(const struct lossless *l, uint32_t component, uint32_t y)
{
    const kst_region *region = &l->output.region;
    const struct jpeg_component *c = &l->output.frame.component[component];
    const kst_plane *plane = &l->output.image.plane[component];
    uint32_t top = region->y * c->v / l->output.frame.vmax;
    top = top < c->height ? top : c->height - 1;
    if (y >= top && y - top < plane->height)
        put(l, component, y, row_of(l, component, y - top), plane->width, 1);
}

/* Write a line of more than 8 bits, of which all conversions only move samples. */
static void put_wide(const struct lossless *l, uint32_t y)
{
    const struct jpeg_output *output = &l->output;
    const struct pixel_layout *layout = kst_pixel_layout(output->image.format);
    uint32_t row = y - output->region.y, width = output->region.width, step = layout->channels;
    uint16_t *out = (uint16_t *)(void *)row_of(l, 0, row);
    for (uint32_t i = 0; step && i < step - layout->alpha; i++) {
        uint32_t component = output->conversion == JPEG_CONVERT_GREY ? 0 : i;
        put(l, component, y, (uint8_t *)(void *)(out + kst_pixel_place(layout, i)), width, step);
    }
    for (uint32_t x = 0; layout->alpha && x < width; x++)
        out[(size_t)x * step + step - 1] = (uint16_t)(l->output.alpha * ((1U << l->output.frame.precision) - 1) / 255);
    for (uint32_t i = 0; !step && i < output->image.plane_count; i++)
        put(l, i, y, row_of(l, i, row), width, 1);
}

/* Write a line of the picture, if the region has it. */
static void put_line(const struct lossless *l, uint32_t y)
{
    const struct jpeg_output *output = &l->output;
    const struct jpeg_making making = {.output = output, .dsp = &l->dsp};
    const uint8_t *line[JPEG_COMPONENTS] = {0};
    if (y < output->region.y || y - output->region.y >= output->region.height)
        return;
    if (l->output.frame.precision > 8) {
        put_wide(l, y);
        return;
    }
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        put(l, i, y, l->line[i], output->region.width, 1);
        line[i] = l->line[i];
    }
    kst_jpeg_cpu_rows_convert(&making, y - output->region.y, row_of(l, 0, y - output->region.y), line);
}

/* Write all lines of an MCU row of the frame. */
static void put_row(const struct lossless *l, uint32_t row)
{
    const struct jpeg_frame *frame = &l->output.frame;
    if (l->output.conversion != JPEG_CONVERT_RAW) {
        for (uint32_t y = row * frame->vmax; y < (row + 1) * frame->vmax && y < frame->height; y++)
            put_line(l, y);
        return;
    }
    for (uint32_t i = 0; i < frame->component_count; i++) {
        const struct jpeg_component *c = &frame->component[i];
        for (uint32_t y = row * c->v; y < (row + 1) * c->v && y < c->height; y++)
            put_raw(l, i, y);
    }
}

/* Decode MCU row `row` of a scan. A scan of one component has rows of one line each. */
static void decode_row(struct lossless *l, struct jpeg_differences *differences, uint32_t row)
{
    const struct jpeg_scan *scan = differences->scan;
    const struct jpeg_frame *frame = &l->output.frame;
    struct jpeg_difference_lines lines[JPEG_COMPONENTS];
    bool alone = scan->component_count == 1;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint32_t height = alone ? 1 : frame->component[scan->component[i]].v;
        for (uint32_t k = 0; k < height; k++)
            lines[i].line[k] = line_at(&l->samples[scan->component[i]], row * height + k);
    }
    bool first = kst_jpeg_cpu_differences_read(differences, lines);
    for (uint32_t i = 0; i < scan->component_count; i++) {
        const struct jpeg_component *c = &frame->component[scan->component[i]];
        const struct lossless_lines *samples = &l->samples[scan->component[i]];
        uint32_t height = alone ? 1 : c->v, width = alone ? c->width : c->padded_w;
        for (uint32_t k = 0; k < height; k++) {
            const uint16_t *above = first && k == 0 ? NULL : line_at(samples, row * height + k - 1);
            kst_jpeg_cpu_lossless_predict(
                lines[i].line[k], above, width, scan->ss, (uint16_t)(1U << (frame->precision - scan->al - 1)));
        }
    }
}

static kst_status decode_scan(struct lossless *l, const struct jpeg_scan *scan, struct jpeg_damage *sum)
{
    struct jpeg_differences differences;
    kst_status status = kst_jpeg_cpu_differences_init(l->op->memory, &differences, l->plan, scan);
    for (uint32_t i = 0; i < scan->component_count; i++)
        l->samples[scan->component[i]].shift = scan->al;
    uint32_t rows = scan->geometry.mcus_h, end = l->output.region.y + l->output.region.height;
    if (l->plan->single_scan) /* what is below the region is not read */
        rows = (end + l->output.frame.vmax - 1) / l->output.frame.vmax;
    for (uint32_t row = 0; !status && row < rows; row++) {
        decode_row(l, &differences, row);
        if (l->plan->single_scan)
            put_row(l, row);
        if (!kst_progress_step(l->op->progress, 1))
            status = KST_ERROR_CANCELLED;
    }
    kst_jpeg_cpu_damage_add(sum, &differences.damage);
    kst_jpeg_cpu_differences_release(l->op->memory, &differences);
    return status;
}

static kst_status decode_scans(struct lossless *l, struct jpeg_damage *damage)
{
    const struct jpeg_plan *plan = l->plan;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < plan->scan_count; i++)
        rows += plan->scan[i].geometry.mcus_h;
    kst_progress_enter(l->op->progress, rows, 1);
    kst_status status = allocate(l);
    for (uint32_t i = 0; !status && i < plan->scan_count; i++)
        status = decode_scan(l, &plan->scan[i], damage);
    for (uint32_t row = 0; !status && !plan->single_scan && row < l->output.frame.mcus_h; row++)
        put_row(l, row);
    kst_memory_release(l->op->memory, l->memory);
    return status;
}

kst_status kst_jpeg_cpu_lossless_decode(
    const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image)
{
    double start = kst_seconds();
    struct lossless l = {.op = op, .plan = plan};
    struct jpeg_damage damage;
    kst_jpeg_lossless_plan(&l.output, &plan->frame, options, image);
    kst_jpeg_cpu_dsp_init(&l.dsp, op->tier);
    kst_jpeg_cpu_damage_init(&damage);
    kst_status status = decode_scans(&l, &damage);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return kst_jpeg_cpu_damage_report(&damage, options->strict, op->report);
}
