/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a sequential file with standard codes that is written while the picture's lines arrive, on one thread. */
#ifndef KOSTKA_JPEG_CPU_LINE_CODER_H
#define KOSTKA_JPEG_CPU_LINE_CODER_H

#include "jpeg/cpu/encode.h"
#include "jpeg/cpu/encode_source.h"
#include "jpeg/syntax/writer.h"

/* Holds a file that is being written. It must not be moved, because its members point to each other. */
struct jpeg_line_coder {
    const struct jpeg_encoding *encoding;
    const struct jpeg_sampler *sampler;
    struct sink *sink;
    struct jpeg_huffman_encode functions;
    struct jpeg_coder coder[2]; /* with the standard codes, by destination */
    struct jpeg_table_set tables;
    struct jpeg_scan_crew crew;
    struct jpeg_picture_source source;
    struct scan_coding *coding;
    uint32_t row;           /* the MCU row whose lines arrive */
    uint32_t lines, wanted; /* how many lines of that row have arrived, and how many it has */
};

/*
 * Write the headers. `sampler` is that of an image with one plane whose rows are not in memory. Encoding, sampler and
 * sink are borrowed. After an error nothing is left to release.
 */
kst_status kst_jpeg_cpu_line_coder_create(struct jpeg_line_coder *coder, const struct operation *op,
    const struct jpeg_encoding *encoding, const struct jpeg_sampler *sampler, struct sink *sink);
void kst_jpeg_cpu_line_coder_release(struct jpeg_line_coder *coder);

/* Take the next line, of which there must be one; after the last one the file is whole. */
kst_status kst_jpeg_cpu_line_coder_take(struct jpeg_line_coder *coder, const void *line, size_t length);

#endif
