/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes a JPEG file while the picture's lines arrive. */
#include "jpeg/run/line_encoder.h"

#include "jpeg/cpu/line_coder.h"
#include "jpeg/run/encode.h"

/*
 * Open an encoder. Huffman tables that are made for the picture, and scans of a script, are refused: they need the
 * whole picture before the first byte is written.
 */
static kst_status open_lines(struct kst_line_encoder *encoder)
{
    struct encoding *e = &encoder->encoding;
    const struct operation op = {.memory = &e->memory, .tier = e->context->tier};
    if (e->options.coding != KST_CODING_BASELINE || e->options.script)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "lines are encoded with standard codes in one scan");
    return kst_jpeg_cpu_line_coder_create(
        encoder->state, &op, jpeg_encoding_of(e), &jpeg_encoder_of(e)->sampler, &e->sink);
}

static kst_status take_line(struct kst_line_encoder *encoder, const void *line)
{
    return kst_jpeg_cpu_line_coder_take(encoder->state, line, encoder->line);
}

static void close_lines(struct kst_line_encoder *encoder)
{
    kst_jpeg_cpu_line_coder_release(encoder->state);
}

const struct line_encoding kst_jpeg_run_encoded_lines = {
    .state_size = sizeof(struct jpeg_line_coder), .open = open_lines, .take = take_line, .close = close_lines};
