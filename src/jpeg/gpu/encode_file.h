/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman tables of a picture, and the marker segments around the stream that the device codes. */
#ifndef KOSTKA_JPEG_GPU_ENCODE_FILE_H
#define KOSTKA_JPEG_GPU_ENCODE_FILE_H

#include "jpeg/gpu/encode_batch.h"

/* Huffman tables by class and destination. */
struct encode_tables {
    struct jpeg_huffman table[2][2];
};

void kst_gpu_encode_standard_tables(struct encode_tables *tables);
/* Make optimal tables for a picture's symbols; `histogram` has ENCODE_CODES counts. */
void kst_gpu_encode_optimal_tables(const uint32_t *histogram, struct encode_tables *tables);

/* Write everything of the file in front of the stream, and everything behind it. */
void kst_gpu_encode_start(const struct jpeg_encoding *encoding, const struct encode_tables *tables, struct sink *sink);
void kst_gpu_encode_end(struct sink *sink);

#endif
