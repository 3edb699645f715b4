/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes deep pictures: threads make the coefficients of all MCU rows, as samples.c and encode_source.c do with 8
 * bits, and the coders take them from memory.
 */
#include "jpeg/cpu/deep_encode.h"

#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "jpeg/cpu/dsp/deep.h"

enum { WORTH_ROWS = 4 }; /* least number of MCU rows for each thread */

/* Holds the samples of one MCU row. */
struct deep_rows {
    uint16_t *row[JPEG_COMPONENTS];  /* 8 v rows of 8 blocks_w samples each */
    uint16_t *full[JPEG_COMPONENTS]; /* vmax rows at full size, if the component is downsampled */
    uint16_t *line[JPEG_COMPONENTS]; /* a line of the picture, channel by channel */
};

struct deep_encoding {
    const struct operation *op;
    const struct jpeg_sampler *sampler;
    struct jpeg_coefficients coefficients;
    size_t pitch; /* of all rows, in samples */
    uint32_t workers;
    struct deep_rows *rows; /* one per worker */
};

static uint32_t channels_of(const kst_image *image)
{
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    return layout->channels ? layout->channels - layout->alpha : image->plane_count;
}

/* Read a line of the picture. */
static void load_line(const kst_image *image, uint32_t y, uint16_t *const *line)
{
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    const uint32_t step = layout->channels ? layout->channels : 1;
    for (uint32_t i = 0; i < channels_of(image); i++) {
        const kst_plane *plane = &image->plane[layout->channels ? 0 : i];
        const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
        const uint16_t *in = (const uint16_t *)(const void *)row + (layout->channels ? kst_pixel_place(layout, i) : 0);
        for (uint32_t x = 0; x < plane->width; x++)
            line[i][x] = in[(size_t)x * step] < DEEP_MAX ? in[(size_t)x * step] : DEEP_MAX;
    }
}

/* Convert the line that was read to a line of each component. kst_jpeg_cpu_sampler_init() allows these conversions. */
static void convert_line(
    const struct jpeg_sampler *s, uint16_t *const line[JPEG_COMPONENTS], uint16_t *const out[JPEG_COMPONENTS])
{
    const uint32_t n = s->frame->width;
    const kst_colour from = s->image->colour, to = s->frame->colour;
    const uint16_t *const in[3] = {line[0], line[1], line[2]};
    const bool converts = from != to && from != KST_COLOUR_YCBCR;
    if (converts && to == KST_COLOUR_GREY)
        kst_jpeg_cpu_deep_rgb_to_grey(in, out[0], n);
    else if (converts)
        kst_jpeg_cpu_deep_rgb_to_ycc(in, out, n, to == KST_COLOUR_YCCK);
    for (uint32_t c = converts ? 3 : 0; c < s->frame->component_count; c++)
        memcpy(out[c], line[c], n * sizeof *line[c]);
}

/* Repeat the last of the first `from` samples up to sample `to`. */
static void pad_right(uint16_t *row, size_t from, size_t to)
{
    for (size_t x = from; x < to; x++)
        row[x] = row[from - 1];
}

/* Repeat the last row of a component in all its rows from `from` on. */
static void pad_bottom(const struct deep_encoding *d, const struct deep_rows *rows, uint32_t c, uint32_t from)
{
    uint16_t *row = rows->row[c] + from * d->pitch;
    for (uint32_t j = from; j < 8 * d->sampler->v[c]; j++, row += d->pitch)
        memcpy(row, row - d->pitch, d->pitch * sizeof *row);
}

/* Convert the vmax lines from `first` on and downsample them to row group `group` (v rows of each component). */
static void fill_group(const struct deep_encoding *d, const struct deep_rows *rows, uint32_t first, uint32_t group)
{
    const struct jpeg_sampler *s = d->sampler;
    const struct jpeg_frame *frame = s->frame;
    for (uint32_t j = 0; j < s->vmax; j++) {
        uint16_t *out[JPEG_COMPONENTS] = {NULL};
        for (uint32_t c = 0; c < frame->component_count; c++)
            out[c] = rows->full[c] ? rows->full[c] + j * d->pitch : rows->row[c] + (group * s->v[c] + j) * d->pitch;
        load_line(s->image, first + j < frame->height ? first + j : frame->height - 1, rows->line);
        convert_line(s, rows->line, out);
        for (uint32_t c = 0; c < frame->component_count; c++)
            pad_right(out[c], frame->width, 8 * (size_t)frame->component[c].blocks_w * s->hmax / s->h[c]);
    }
    for (uint32_t c = 0; c < frame->component_count; c++) {
        const uint32_t box_w = s->hmax / s->h[c], box_h = s->vmax / s->v[c];
        for (uint32_t j = 0; rows->full[c] && j < s->v[c]; j++)
            kst_jpeg_cpu_deep_downsample(rows->full[c] + j * box_h * d->pitch, d->pitch, box_w, box_h,
                rows->row[c] + (group * s->v[c] + j) * d->pitch, 8 * frame->component[c].blocks_w);
    }
}

/* Make the samples of MCU row `index` from raw components. */
static void fill_raw(const struct deep_encoding *d, const struct deep_rows *rows, uint32_t index)
{
    for (uint32_t c = 0; c < d->sampler->frame->component_count; c++) {
        const struct jpeg_component *component = &d->sampler->frame->component[c];
        const kst_image one = {.format = KST_FORMAT_RAW, .plane_count = 1, .plane = {d->sampler->image->plane[c]}};
        const uint32_t height = 8 * d->sampler->v[c], first = index * height;
        const uint32_t count = component->height - first < height ? component->height - first : height;
        for (uint32_t j = 0; j < count; j++) {
            uint16_t *row = rows->row[c] + j * d->pitch;
            load_line(&one, first + j, &row);
            pad_right(row, component->width, 8 * (size_t)component->blocks_w);
        }
        pad_bottom(d, rows, c, count);
    }
}

/* Make the samples of MCU row `index`. Below the last row group libjpeg repeats rows that were downsampled. */
static void fill(const struct deep_encoding *d, const struct deep_rows *rows, uint32_t index)
{
    const struct jpeg_sampler *s = d->sampler;
    if (s->image->format == KST_FORMAT_RAW) {
        fill_raw(d, rows, index);
        return;
    }
    uint32_t group = 0;
    for (; group < 8 && (8 * index + group) * s->vmax < s->frame->height; group++)
        fill_group(d, rows, (8 * index + group) * s->vmax, group);
    for (uint32_t c = 0; c < s->frame->component_count; c++)
        pad_bottom(d, rows, c, group * s->v[c]);
}

static void transform(const struct deep_encoding *d, const struct deep_rows *rows, uint32_t index)
{
    for (uint32_t c = 0; c < d->sampler->frame->component_count; c++) {
        const struct jpeg_component *component = &d->sampler->frame->component[c];
        for (uint32_t j = 0; j < d->sampler->v[c]; j++) {
            uint32_t y = index * d->sampler->v[c] + j;
            for (uint32_t x = 0; x < component->blocks_w && y < component->blocks_h; x++)
                kst_jpeg_cpu_deep_fdct(rows->row[c] + 8 * j * d->pitch + 8 * (size_t)x, d->pitch, component->quant,
                    kst_jpeg_block(&d->coefficients, c, x, y));
        }
    }
}

/* Transform the MCU rows of this worker: row `worker`, and then every n-th row, where n is the number of workers. */
static void run_worker(void *arg, uint32_t worker)
{
    const struct deep_encoding *d = arg;
    for (uint32_t row = worker; row < kst_jpeg_cpu_sampler_rows(d->sampler); row += d->workers) {
        fill(d, &d->rows[worker], row);
        transform(d, &d->rows[worker], row);
        if (!kst_progress_step(d->op->progress, 1))
            return;
    }
}

/* Give a worker its buffers from `at` on. Returns their number of samples. */
static size_t place_buffers(const struct deep_encoding *d, struct deep_rows *rows, uint16_t *at)
{
    const struct jpeg_sampler *s = d->sampler;
    size_t used = 0;
    for (uint32_t c = 0; c < s->frame->component_count; c++) {
        bool reduced = s->image->format != KST_FORMAT_RAW && (s->h[c] != s->hmax || s->v[c] != s->vmax);
        rows->row[c] = at ? at + used : NULL;
        used += 8 * s->v[c] * d->pitch;
        rows->full[c] = at && reduced ? at + used : NULL;
        used += reduced ? s->vmax * d->pitch : 0;
    }
    for (uint32_t c = 0; c < JPEG_COMPONENTS; c++, used += d->pitch)
        rows->line[c] = at ? at + used : NULL;
    return used;
}

static kst_status create_workers(struct deep_encoding *d)
{
    struct deep_rows measured;
    kst_status status = KST_OK;
    uint32_t worth = kst_jpeg_cpu_sampler_rows(d->sampler) / WORTH_ROWS, threads = kst_pool_threads(d->op->pool);
    d->pitch = (kst_jpeg_cpu_sampler_width(d->sampler) + 31) / 32 * 32;
    d->workers = worth < 1 ? 1 : worth < threads ? worth : threads;
    size_t samples = place_buffers(d, &measured, NULL);
    d->rows = kst_memory_zeroed(d->op->memory, d->workers, sizeof *d->rows + samples * sizeof(uint16_t), &status);
    if (!d->rows)
        return status;
    uint16_t *at = (uint16_t *)(void *)(d->rows + d->workers);
    for (uint32_t i = 0; i < d->workers; i++)
        at += place_buffers(d, &d->rows[i], at);
    return KST_OK;
}

/* Make the coefficients of the whole picture. */
static kst_status make_coefficients(struct deep_encoding *d)
{
    static const double share = 0.5; /* of the time of the operation */
    double start = kst_seconds();
    kst_status status = create_workers(d);
    if (status)
        return status;
    kst_progress_enter(d->op->progress, kst_jpeg_cpu_sampler_rows(d->sampler), share);
    kst_pool_run(d->op->pool, d->workers, run_worker, d);
    if (!kst_progress_step(d->op->progress, 0))
        status = KST_ERROR_CANCELLED;
    kst_memory_release(d->op->memory, d->rows);
    kst_report_stage(d->op->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

kst_status kst_jpeg_cpu_deep_write_picture(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink)
{
    struct deep_encoding d = {.op = op, .sampler = sampler};
    kst_status status = kst_jpeg_coefficients_create(op->memory, &encoding->frame, &d.coefficients);
    if (status)
        return status;
    status = make_coefficients(&d);
    double start = kst_seconds();
    if (!status)
        status = kst_jpeg_cpu_write_coefficients(op, encoding, &d.coefficients, sink);
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    kst_jpeg_coefficients_release(op->memory, &d.coefficients);
    return status;
}
