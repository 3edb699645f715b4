/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes deep pictures: all scans to coefficients, then each thread a share of the MCU rows to lines. A thread keeps
 * the samples of three MCU rows, because the lines at the borders of one need those of its neighbours.
 */
#include "jpeg/cpu/deep.h"

#include <string.h>

#include "core/report.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/decode.h"
#include "jpeg/cpu/dsp/deep.h"

enum { KEPT = 3 }; /* MCU rows */

/* Holds samples of a component from its first needed column on; row y is at y modulo `rows`. */
struct deep_samples {
    uint16_t *data;
    uint32_t pitch, rows;
};

/* Holds the buffers of one thread. */
struct deep_worker {
    struct deep_samples samples[JPEG_COMPONENTS];
    uint16_t *line[JPEG_COMPONENTS];  /* upsampled to the picture's width */
    uint16_t *spare[JPEG_COMPONENTS]; /* converted colours */
};

struct deep {
    const struct operation *op;
    struct jpeg_output output;
    const struct jpeg_blocks *blocks;
    uint32_t workers;
    struct deep_worker *worker;
};

static size_t round_up(size_t samples)
{
    return (samples + 31) / 32 * 32;
}

/* Upsampled lines start at the first MCU and may extend past the last one by the pixels of one sample. */
static size_t line_length(const struct jpeg_output *output)
{
    size_t longest = output->region.width;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        size_t length = 2 * (size_t)scaled->block_count * scaled->block;
        longest = length > longest ? length : longest;
    }
    return round_up(longest + 2 * JPEG_BLOCK_MAX);
}

/* Give a worker its buffers from `at` on; none if `at` is null. Returns their number of samples. */
static size_t place_buffers(const struct jpeg_output *output, struct deep_worker *worker, uint16_t *at)
{
    size_t used = 0, line = line_length(output);
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        struct deep_samples *samples = &worker->samples[i];
        samples->pitch = (uint32_t)round_up((size_t)scaled->block_count * scaled->block);
        samples->rows = KEPT * scaled->mcu_rows;
        samples->data = at ? at + used : NULL;
        used += (size_t)samples->pitch * samples->rows;
    }
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++, used += 2 * line) {
        worker->line[i] = at ? at + used : NULL;
        worker->spare[i] = at ? at + used + line : NULL;
    }
    return used;
}

/* Make the buffers of as many threads as the limit of memory has room for. */
static kst_status create_workers(struct deep *deep)
{
    struct deep_worker measured;
    size_t samples = place_buffers(&deep->output, &measured, NULL);
    size_t bytes = sizeof *deep->worker + samples * sizeof(uint16_t);
    kst_status status = KST_OK;
    deep->workers = kst_pool_fit(kst_jpeg_cpu_useful_threads(deep->op, &deep->output),
        kst_memory_left(deep->op->memory), bytes + KST_MEMORY_OVERHEAD);
    deep->worker = kst_memory_zeroed(deep->op->memory, deep->workers, bytes, &status);
    if (!deep->worker)
        return status;
    uint16_t *at = (uint16_t *)(void *)(deep->worker + deep->workers);
    for (uint32_t i = 0; i < deep->workers; i++)
        at += place_buffers(&deep->output, &deep->worker[i], at);
    return KST_OK;
}

static uint16_t *row_at(const struct deep_samples *samples, uint32_t y)
{
    return samples->data + (size_t)(y % samples->rows) * samples->pitch;
}

static void fill_block_row(const struct deep *deep, struct deep_worker *worker, uint32_t component, uint32_t y)
{
    const struct jpeg_scaled *scaled = &deep->output.scaled[component];
    const uint16_t *quant = deep->output.frame.component[component].quant;
    const struct deep_samples *samples = &worker->samples[component];
    uint16_t *out = row_at(samples, y * scaled->block);
    for (uint32_t i = 0; i < scaled->block_count; i++) {
        int16_t block[64];
        kst_jpeg_cpu_blocks_copy(deep->blocks, component, scaled->first_block + i, y, 1, block);
        kst_jpeg_cpu_deep_idct(scaled->block, block, quant, out + (size_t)i * scaled->block, samples->pitch);
    }
}

/* Make the samples of an MCU row. */
static void fill(const struct deep *deep, struct deep_worker *worker, uint32_t row)
{
    for (uint32_t i = 0; i < deep->output.frame.component_count; i++) {
        uint32_t v = deep->output.frame.component[i].v;
        for (uint32_t y = 0; deep->output.scaled[i].needed && y < v; y++)
            fill_block_row(deep, worker, i, row * v + y);
    }
}

/* Upsample a component's part of line y to the picture's width; the result starts with the region's first pixel. */
static const uint16_t *upsample(const struct deep *deep, struct deep_worker *worker, uint32_t component, uint32_t y)
{
    const struct jpeg_output *output = &deep->output;
    const struct jpeg_scaled *scaled = &output->scaled[component];
    uint16_t *line = worker->line[component];
    uint32_t x = output->region.x, near_row, far_row;
    kst_jpeg_line_rows(scaled, y, &near_row, &far_row);
    const uint16_t *near = row_at(&worker->samples[component], near_row);
    const uint16_t *far = row_at(&worker->samples[component], far_row);
    switch (scaled->upsampling) {
    case JPEG_UPSAMPLE_NONE:
        return near + (x - scaled->first);
    case JPEG_UPSAMPLE_H1V2:
        kst_jpeg_cpu_deep_upsample_h1v2(near, far, line, scaled->count, y & 1);
        return line + (x - scaled->first);
    case JPEG_UPSAMPLE_H2V1:
        kst_jpeg_cpu_deep_upsample_h2v1(near, line, scaled->count);
        return line + (x - 2 * scaled->first);
    case JPEG_UPSAMPLE_H2V2:
        kst_jpeg_cpu_deep_upsample_h2v2(near, far, line, scaled->count);
        return line + (x - 2 * scaled->first);
    default:
        kst_jpeg_cpu_deep_replicate(scaled, (uint64_t)x * scaled->h_in - (uint64_t)scaled->first * scaled->h_out, near,
            line, output->region.width);
        return line;
    }
}

/* Write the lines of an MCU row that the region has. */
static void emit_lines(const struct deep *deep, struct deep_worker *worker, uint32_t row)
{
    const struct jpeg_output *output = &deep->output;
    uint32_t from = row * output->mcu_lines, to = from + output->mcu_lines;
    uint32_t top = output->region.y, end = top + output->region.height;
    for (uint32_t y = from > top ? from : top; y < to && y < end; y++) {
        const uint16_t *line[JPEG_COMPONENTS] = {NULL};
        for (uint32_t i = 0; i < output->frame.component_count; i++)
            line[i] = output->scaled[i].needed ? upsample(deep, worker, i, y) : NULL;
        kst_jpeg_cpu_deep_convert(output, y - top, line, worker->spare);
    }
}

/* Copy the components' rows of an MCU row unchanged, as raw output wants them. */
static void emit_raw(const struct deep *deep, const struct deep_worker *worker, uint32_t row)
{
    const struct jpeg_output *output = &deep->output;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        const kst_plane *plane = &output->image.plane[i];
        uint32_t from = row * scaled->mcu_rows, to = from + scaled->mcu_rows;
        kst_region range;
        kst_jpeg_raw_range(&output->frame, i, scaled->block, &output->region, &range);
        for (uint32_t y = from > range.y ? from : range.y; y < to && y - range.y < plane->height; y++) {
            const uint16_t *samples = row_at(&worker->samples[i], y) + (range.x - scaled->first);
            memcpy((uint8_t *)plane->data + (ptrdiff_t)(y - range.y) * plane->pitch, samples,
                plane->width * sizeof *samples);
        }
    }
}

/*
 * Decode a thread's share of the MCU rows. It also makes the samples of the neighbouring MCU rows, as far as its own
 * lines need them.
 */
static void run_worker(void *arg, uint32_t index)
{
    const struct deep *deep = arg;
    struct deep_worker *worker = &deep->worker[index];
    const struct jpeg_output *output = &deep->output;
    uint32_t first = output->first_row, last = first + output->row_count, lag = output->lag;
    uint32_t from = first + (uint32_t)((uint64_t)output->row_count * index / deep->workers);
    uint32_t to = first + (uint32_t)((uint64_t)output->row_count * (index + 1) / deep->workers);
    uint32_t filled = lag && from > first ? from - 1 : from;
    for (uint32_t row = from; row < to; row++) {
        for (; filled <= row + lag && filled < last; filled++)
            fill(deep, worker, filled);
        if (output->conversion == JPEG_CONVERT_RAW)
            emit_raw(deep, worker, row);
        else
            emit_lines(deep, worker, row);
        if (!kst_progress_step(deep->op->progress, 1))
            return;
    }
}

static kst_status make_pixels(struct deep *deep)
{
    double start = kst_seconds();
    kst_report *report = deep->op->report;
    kst_status status = create_workers(deep);
    if (!status) {
        kst_progress_enter(deep->op->progress, deep->output.row_count, 1);
        kst_pool_run(deep->op->pool, deep->workers, run_worker, deep);
        if (!kst_progress_step(deep->op->progress, 0))
            status = KST_ERROR_CANCELLED;
        if (deep->workers > report->threads)
            report->threads = deep->workers;
        kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
        kst_memory_release(deep->op->memory, deep->worker);
    }
    return status ? kst_report_error(report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

kst_status kst_jpeg_cpu_deep_decode(
    const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image)
{
    struct jpeg_blocks blocks;
    struct deep deep = {.op = op, .blocks = &blocks};
    double start = kst_seconds();
    kst_status status = kst_jpeg_cpu_blocks_decode(op, plan, options->strict, &blocks);
    if (status)
        return status;
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    kst_jpeg_output_plan(&deep.output, &plan->frame, options, image);
    status = make_pixels(&deep);
    kst_jpeg_cpu_blocks_release(op->memory, &blocks);
    return status;
}
