/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes MCU rows of a result from strips of its source, and hands out their blocks. */
#include "jpeg/cpu/result.h"

bool kst_jpeg_cpu_result_in_order(const struct jpeg_transform *transform)
{
    return !transform->transposed && transform->mirror_h == 0;
}

kst_status kst_jpeg_cpu_result_reader_open(
    const struct jpeg_result *result, const kst_scan *scan, struct jpeg_result_reader *reader)
{
    *reader = (struct jpeg_result_reader){.result = result};
    for (uint32_t i = 0; i < scan->component_count; i++)
        reader->components |= 1U << scan->component[i];
    if (result->decoder)
        return KST_OK;
    kst_status status = kst_jpeg_cpu_store_reader_open(result->store, reader->components, &reader->store);
    if (status)
        kst_jpeg_cpu_result_reader_close(reader);
    return status;
}

void kst_jpeg_cpu_result_reader_close(struct jpeg_result_reader *reader)
{
    if (reader->store.store)
        kst_jpeg_cpu_store_reader_close(&reader->store);
    reader->store.store = NULL;
}

/* Return the strip of the source with an MCU row, or column; null on failure. */
static const struct jpeg_strip *find_strip(struct jpeg_result_reader *reader, uint32_t index)
{
    struct jpeg_row_decoder *decoder = reader->result->decoder;
    if (!decoder) {
        reader->status = kst_jpeg_cpu_store_read(&reader->store, index);
        return reader->status ? NULL : &reader->store.strip;
    }
    while (decoder->rows <= index)
        kst_jpeg_cpu_row_decoder_next(decoder);
    return &decoder->row;
}

bool kst_jpeg_cpu_result_read(struct jpeg_result_reader *reader, uint32_t row, const struct jpeg_coefficients *to)
{
    const struct jpeg_result *result = reader->result;
    const struct jpeg_strip *strip =
        find_strip(reader, kst_jpeg_transform_origin(result->transform, result->source, row));
    if (strip)
        kst_jpeg_transform_row(result->transform, result->source, strip, row, reader->components, to);
    return strip != NULL;
}

kst_status kst_jpeg_cpu_result_source_create(struct memory *memory, const struct jpeg_dsp *dsp,
    const struct jpeg_result *result, const kst_scan *scan, uint32_t workers, struct jpeg_result_source *source)
{
    const struct jpeg_frame *frame = &result->transform->frame;
    *source = (struct jpeg_result_source){
        .blocks = {.dsp = dsp, .frame = frame, .scan = scan}, .memory = memory, .workers = workers};
    pthread_mutex_init(&source->order, NULL);
    kst_status status = kst_jpeg_cpu_result_reader_open(result, scan, &source->reader);
    if (!status)
        source->row = kst_memory_zeroed(memory, workers, sizeof *source->row, &status);
    for (uint32_t i = 0; !status && i < workers; i++)
        status = kst_jpeg_coefficients_create_part(memory, frame, frame->mcus_w, 1, &source->row[i]);
    return status;
}

void kst_jpeg_cpu_result_source_release(struct jpeg_result_source *source)
{
    for (uint32_t i = 0; source->row && i < source->workers; i++)
        kst_jpeg_coefficients_release(source->memory, &source->row[i]);
    kst_memory_release(source->memory, source->row);
    kst_jpeg_cpu_result_reader_close(&source->reader);
    pthread_mutex_destroy(&source->order);
}

/* Return the MCU row of the frame in which a row of the scan lies. */
static uint32_t frame_row(const struct jpeg_result_source *source, uint32_t row)
{
    const kst_scan *scan = source->blocks.scan;
    return scan->component_count > 1 ? row : row / source->blocks.frame->component[scan->component[0]].v;
}

static bool bring_row(void *arg, uint32_t worker, uint32_t row)
{
    struct jpeg_result_source *source = arg;
    return kst_jpeg_cpu_result_read(&source->reader, frame_row(source, row), &source->row[worker]);
}

static bool fill_row(
    void *arg, uint32_t worker, uint32_t row, uint32_t x, uint32_t count, int16_t *block, uint64_t *mask)
{
    const struct jpeg_result_source *source = arg;
    struct jpeg_coefficient_source blocks = source->blocks;
    blocks.coefficients = &source->row[worker];
    blocks.first_row = frame_row(source, row);
    return kst_jpeg_cpu_coefficient_fill(&blocks, row, x, count, block, mask);
}

struct jpeg_block_source kst_jpeg_cpu_result_source(struct jpeg_result_source *source)
{
    return (struct jpeg_block_source){.arg = source, .bring = bring_row, .order = &source->order, .fill = fill_row};
}
