/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of PNG on their way into IDAT chunks: filtered and compressed in bands, on several threads. */
#ifndef KOSTKA_TOOL_PNG_BANDS_H
#define KOSTKA_TOOL_PNG_BANDS_H

#include "output.h"

struct png_bands;

struct png_bands_shape {
    size_t row_bytes;   /* without the filter's byte; at least 1 */
    uint32_t rows;      /* of the picture; at least 1 */
    size_t pixel_bytes; /* 1–8 */
    int level;          /* of compression, 0–9; −1: 4, and more where that pays */
    uint32_t threads;   /* the caller's among them; at least 1 */
};

/* Null after having said why not. */
struct png_bands *png_bands_create(const struct png_bands_shape *shape, struct output *output, struct problem *problem);

/* Where the next row is to be written, from the top; null after having said why not. */
uint8_t *png_bands_next(struct png_bands *bands, struct problem *problem);

/* After the last row. All chunks are written then; false where that fails. */
bool png_bands_finish(struct png_bands *bands, struct problem *problem);

/* Wait for the threads, and free all. Null is allowed. */
void png_bands_destroy(struct png_bands *bands);

/* Write a chunk with its length and CRC (ISO/IEC 15948, 5.3), whose data are in up to three parts. */
struct png_part {
    const void *data;
    size_t length;
};
bool png_write_parts(
    struct output *output, const char type[4], const struct png_part parts[3], struct problem *problem);

#endif
