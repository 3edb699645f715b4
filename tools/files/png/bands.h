/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters rows of PNG and compresses them to IDAT chunks, in bands on several threads. */
#ifndef KOSTKA_TOOL_PNG_BANDS_H
#define KOSTKA_TOOL_PNG_BANDS_H

#include "files/output.h"

struct png_bands;

struct png_bands_shape {
    size_t row_bytes;   /* without the filter's byte; at least 1 */
    uint32_t rows;      /* rows of the picture; at least 1 */
    size_t pixel_bytes; /* 1–8 */
    int level;          /* compression level, 0–9; −1: 4, or a higher one for bands that gain from it */
    uint32_t threads;   /* number of threads, including the caller's; at least 1 */
};

/* Begin the pixels of a PNG. Returns null, with the problem, on failure. */
struct png_bands *png_bands_create(const struct png_bands_shape *shape, struct output *output, struct problem *problem);

/* Return the memory for the next row, from the top; null, with the problem, on failure. */
uint8_t *png_bands_next(struct png_bands *bands, struct problem *problem);

/* End after the last row, and write the remaining chunks. Returns false if that fails. */
bool png_bands_finish(struct png_bands *bands, struct problem *problem);

/* Wait for the threads, and free all. Null is allowed. */
void png_bands_destroy(struct png_bands *bands);

/* Write a chunk, whose data are in up to three parts, with its length and CRC (ISO/IEC 15948, 5.3). */
struct png_part {
    const void *data;
    size_t length;
};
bool png_write_parts(
    struct output *output, const char type[4], const struct png_part parts[3], struct problem *problem);

#endif
