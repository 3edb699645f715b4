/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the bytes of a PNG file with its chunks in a chosen order. */
#ifndef KOSTKA_TOOL_PNG_CHUNKS_H
#define KOSTKA_TOOL_PNG_CHUNKS_H

#include "files/window.h"

/* Says which chunks are being read. */
enum png_chunks_phase { CHUNKS_AS_THEY_ARE, CHUNKS_IN_FRONT, CHUNKS_LATE, CHUNKS_OTHER };

struct png_chunks {
    struct window window;
    enum png_chunks_phase phase;
    uint64_t at;     /* offset of the next byte */
    uint64_t end;    /* end of the chunk that contains that byte */
    uint64_t pixels; /* offset of the first IDAT */
    uint64_t late;   /* offset behind the consecutive IDAT chunks */
};

/*
 * Begin to read. With `texts_first`, Exif and texts that follow the pixels are read before them, so that the metadata
 * are known before the first row; this returns false if the IDAT chunks are not consecutive, which is an error of the
 * file. Without it, chunks come in the file's order.
 */
bool png_chunks_begin(struct png_chunks *chunks, const struct source *source, bool texts_first);

bool png_chunks_read(struct png_chunks *chunks, size_t length, void *to, struct problem *problem);

#endif
