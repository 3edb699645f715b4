/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a TIFF file under libtiff: in memory, or on their way to an output. */
#ifndef KOSTKA_TOOL_TIFF_BYTES_H
#define KOSTKA_TOOL_TIFF_BYTES_H

#include "files/files.h"
#include "files/tiff_library.h"

/* A file in memory; `capacity` is 0 for one that is only read. Or one on its way to an output that may be written at
 * any place. */
struct tiff_bytes {
    struct output *output; /* null: in memory */
    struct problem problem;
    uint8_t *data;
    uint64_t length;
    uint64_t capacity;
    uint64_t at;
    uint64_t limit; /* of a piece of memory that libtiff takes; 0: its default */
};

/* Write at the end of a file, at an even offset. False: it cannot be written, or memory is exhausted. */
bool tiff_append(struct tiff_bytes *file, const void *data, size_t length);

/* As TIFFOpen() with this mode; null after having said why not. What is said of errors later goes to `problem`, too. */
TIFF *tiff_open(struct tiff_bytes *file, const char *mode, struct problem *problem);

#endif
