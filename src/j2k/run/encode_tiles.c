/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures whose tiles do not depend on each other: codes and writes some tiles, then the next. */
#include "core/report.h"
#include "j2k/run/encode.h"

enum { SHARE = 8 /* the samples of tiles that are coded together get 1/SHARE of the memory limit */ };

/* Describes a file that is being written, and the place where it begins. */
struct tiled_file {
    struct j2k_encoder *encoder;
    struct j2k_codestream *stream;
    uint64_t start, box;
};

static uint32_t round_down(uint32_t value, uint32_t unit)
{
    return unit > 0 && value > unit ? value - value % unit : value;
}

/*
 * Return the number of tiles that are coded together: whole rows of tiles, and a multiple of what a GPU takes at once,
 * if there are as many.
 */
static uint32_t tiles_together(const struct j2k_encoder *encoder)
{
    uint32_t tiles = encoder->coded.plan.tile_count;
    double tile = kst_j2k_run_encode_sample_bits(encoder) / 8 / tiles,
           room = (double)encoder->e->context->limits.memory / SHARE;
    double count = room / tile;
    if (count >= tiles)
        return tiles;
    uint32_t whole = round_down(count < 1 ? 1 : (uint32_t)count, encoder->coded.headers.size.columns);
    return encoder->in_excerpts ? round_down(whole, encoder->cut.tiles) : whole;
}

bool kst_j2k_run_encode_goes_by_tiles(const struct j2k_encoder *encoder)
{
    const kst_writer *writer = encoder->e->sink.writer;
    return writer && !writer->in_order && !encoder->on_gpu && !kst_j2k_run_encode_needs_rates(encoder) &&
           encoder->limits.bytes == UINT64_MAX && encoder->writing.packed != KST_J2K_HEADERS_PPM &&
           tiles_together(encoder) < encoder->coded.plan.tile_count;
}

static kst_status begin(struct tiled_file *file)
{
    const struct j2k_encoder *encoder = file->encoder;
    struct encoding *e = encoder->e;
    const struct operation op = kst_encoding_operation(e);
    kst_status status = KST_OK;
    if (!encoder->options.codestream)
        status = kst_j2k_file_begin(&encoder->coded, &encoder->file, &e->sink, &file->box, &e->report);
    return status ? status : kst_j2k_codestream_begin(&op, &encoder->coded, &encoder->writing, &e->sink, &file->stream);
}

static kst_status end(struct tiled_file *file)
{
    const struct j2k_encoder *encoder = file->encoder;
    kst_status status = kst_j2k_codestream_end(file->stream, &encoder->e->sink);
    return status || encoder->options.codestream
               ? status
               : kst_j2k_file_end(&encoder->file, &encoder->e->sink, file->box, &encoder->e->report);
}

/* Code some tiles. They are not written if coefficients have more bits than the main header says. */
static kst_status code(struct tiled_file *file, struct j2k_tiles tiles)
{
    struct j2k_encoder *encoder = file->encoder;
    struct encoding *e = encoder->e;
    encoder->request.tiles = tiles;
    kst_status status = kst_j2k_run_encode_blocks(encoder);
    if (status || encoder->encoded.extra > 0)
        return status;
    double start = kst_seconds();
    struct j2k_span blocks = kst_j2k_coded_blocks(&encoder->coded, tiles);
    for (uint32_t b = blocks.first; b < blocks.first + blocks.count; b++)
        encoder->layer_passes[b] = encoder->coded.block[b].passes;
    status = kst_j2k_codestream_tiles(file->stream, tiles, &e->sink);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/*
 * Write the file from the beginning. Sets *again if it must be written once more, because more guard bits are needed.
 */
static kst_status write(struct tiled_file *file, bool *again)
{
    struct j2k_encoder *encoder = file->encoder;
    uint32_t tiles = encoder->coded.plan.tile_count, together = tiles_together(encoder);
    kst_status status = begin(file);
    *again = false;
    for (uint32_t t = 0; t < tiles && !status && !*again; t += together) {
        status = code(file, (struct j2k_tiles){t, tiles - t < together ? tiles - t : together});
        *again = !status && encoder->encoded.extra > 0;
    }
    if (!status && !*again)
        status = end(file);
    kst_j2k_codestream_release(file->stream);
    file->stream = NULL;
    return status;
}

kst_status kst_j2k_run_encode_by_tiles(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    struct tiled_file file = {.encoder = encoder, .start = kst_sink_position(&e->sink)};
    kst_status status;
    bool again = true;
    encoder->layer_passes = kst_memory_zeroed(&e->memory, encoder->coded.plan.block_count, 1, &status);
    if (!encoder->layer_passes)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, NULL);
    encoder->coded.layer_passes = encoder->layer_passes;
    for (status = KST_OK; again && !status;) {
        kst_sink_rewind(&e->sink, file.start);
        status = write(&file, &again);
        if (again)
            kst_progress_again(&e->progress, encoder->coded.plan.block_count);
    }
    return status;
}
