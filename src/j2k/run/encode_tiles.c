/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures whose tiles have nothing to do with each other: some are coded and written, then the next. */
#include "core/report.h"
#include "j2k/run/encode.h"

enum { SHARE = 8 /* of the memory limit, for the samples of tiles that go together */ };

/* A file while it is written, and where it began. */
struct file {
    struct j2k_encode_work *work;
    struct j2k_codestream *stream;
    uint64_t start, box;
};

static uint32_t round_down(uint32_t value, uint32_t unit)
{
    return unit > 0 && value > unit ? value - value % unit : value;
}

/* Tiles that go together, whole rows of them and as many as a GPU takes at once, if there are that many. */
static uint32_t tiles_together(const struct j2k_encode_work *work)
{
    uint32_t tiles = work->coded.plan.tile_count;
    double tile = kst_j2k_encode_sample_bits(work) / 8 / tiles, room = (double)work->e->context->limits.memory / SHARE;
    double count = room / tile;
    if (count >= tiles)
        return tiles;
    uint32_t whole = round_down(count < 1 ? 1 : (uint32_t)count, work->coded.headers.size.columns);
    return work->in_windows ? round_down(whole, work->cut.tiles) : whole;
}

bool kst_j2k_encode_goes_by_tiles(const struct j2k_encode_work *work)
{
    const kst_writer *writer = work->e->sink.writer;
    return writer && !writer->in_order && !work->on_gpu && !kst_j2k_encode_needs_rates(work) &&
           work->limits.bytes == UINT64_MAX && work->writing.packed != KST_J2K_HEADERS_PPM &&
           tiles_together(work) < work->coded.plan.tile_count;
}

static kst_status begin(struct file *file)
{
    const struct j2k_encode_work *work = file->work;
    struct encoding *e = work->e;
    const struct operation op = kst_encoding_operation(e);
    kst_status status = KST_OK;
    if (!work->options.codestream)
        status = kst_j2k_file_begin(&work->coded, &work->file, &e->sink, &file->box, &e->report);
    return status ? status : kst_j2k_codestream_begin(&op, &work->coded, &work->writing, &e->sink, &file->stream);
}

static kst_status end(struct file *file)
{
    const struct j2k_encode_work *work = file->work;
    kst_status status = kst_j2k_codestream_end(file->stream, &work->e->sink);
    return status || work->options.codestream
               ? status
               : kst_j2k_file_end(&work->file, &work->e->sink, file->box, &work->e->report);
}

/* Nothing, if coefficients have more bits than the main header says. */
static kst_status code(struct file *file, struct j2k_tiles tiles)
{
    struct j2k_encode_work *work = file->work;
    struct encoding *e = work->e;
    work->source.tiles = tiles;
    kst_status status = kst_j2k_encode_blocks(work);
    if (status || work->encoded.extra > 0)
        return status;
    double start = kst_seconds();
    struct j2k_span blocks = kst_j2k_coded_blocks(&work->coded, tiles);
    for (uint32_t b = blocks.first; b < blocks.first + blocks.count; b++)
        work->layer_passes[b] = work->coded.block[b].passes;
    status = kst_j2k_codestream_tiles(file->stream, tiles, &e->sink);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/* From the beginning; *again: that is what has to be done once more, with the guard bits that there are now. */
static kst_status write(struct file *file, bool *again)
{
    struct j2k_encode_work *work = file->work;
    uint32_t tiles = work->coded.plan.tile_count, together = tiles_together(work);
    kst_status status = begin(file);
    *again = false;
    for (uint32_t t = 0; t < tiles && !status && !*again; t += together) {
        status = code(file, (struct j2k_tiles){t, tiles - t < together ? tiles - t : together});
        *again = !status && work->encoded.extra > 0;
    }
    if (!status && !*again)
        status = end(file);
    kst_j2k_codestream_release(file->stream);
    file->stream = NULL;
    return status;
}

kst_status kst_j2k_encode_by_tiles(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    struct file file = {.work = work, .start = kst_sink_position(&e->sink)};
    kst_status status;
    bool again = true;
    work->layer_passes = kst_memory_zeroed(&e->memory, work->coded.plan.block_count, 1, &status);
    if (!work->layer_passes)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, NULL);
    work->coded.layer_passes = work->layer_passes;
    for (status = KST_OK; again && !status;) {
        kst_sink_rewind(&e->sink, file.start);
        status = write(&file, &again);
        if (again)
            kst_progress_again(&e->progress, work->coded.plan.block_count);
    }
    return status;
}
