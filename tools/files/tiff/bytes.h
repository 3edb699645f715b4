/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides libtiff with the bytes of a TIFF file, in memory or in an output. */
#ifndef KOSTKA_TOOL_TIFF_BYTES_H
#define KOSTKA_TOOL_TIFF_BYTES_H

#include "files/files.h"
#include "files/tiff/library.h"

/*
 * Describes a file in memory, with a `capacity` of 0 if it is only read; or a file that is written to an output that
 * accepts bytes at any offset.
 */
struct tiff_bytes {
    struct output *output; /* null: the file is in memory */
    struct problem problem;
    uint8_t *data;
    uint64_t length;
    uint64_t capacity;
    uint64_t at;
    uint64_t limit; /* the largest allocation of libtiff; 0: its default */
};

/* Write at the end of a file, at an even offset. Returns false if it cannot be written, or if out of memory. */
bool tiff_append(struct tiff_bytes *file, const void *data, size_t length);

/*
 * Open the file as TIFFOpen() does with this mode. Returns null, with the problem, on failure. Messages of later errors
 * go to `problem`, too.
 */
TIFF *tiff_open(struct tiff_bytes *file, const char *mode, struct problem *problem);

#endif
