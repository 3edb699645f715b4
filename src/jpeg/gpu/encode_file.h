/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares Huffman tables of a picture, and the marker segments around the stream that the device codes. */
#ifndef KOSTKA_JPEG_GPU_ENCODE_FILE_H
#define KOSTKA_JPEG_GPU_ENCODE_FILE_H

#include "jpeg/gpu/encode_part.h"

/* Holds Huffman tables by class and destination. */
struct jpeg_gpu_encode_tables {
    struct jpeg_huffman table[2][2];
};

void kst_jpeg_gpu_standard_tables(struct jpeg_gpu_encode_tables *tables);
/* Make optimal tables for a picture's symbols; `histogram` has ENCODE_CODES counts. */
void kst_jpeg_gpu_optimal_tables(const uint32_t *histogram, struct jpeg_gpu_encode_tables *tables);

/* Write the part of the file in front of the stream, and the part behind it. */
void kst_jpeg_gpu_file_start(
    const struct jpeg_encoding *encoding, const struct jpeg_gpu_encode_tables *tables, struct sink *sink);
void kst_jpeg_gpu_file_end(struct sink *sink);

#endif
