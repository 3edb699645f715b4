/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a PNG file in the order that they are wanted in. */
#ifndef KOSTKA_TOOL_PNG_CHUNKS_H
#define KOSTKA_TOOL_PNG_CHUNKS_H

#include "files/window.h"

/* Which chunks come next. */
enum png_chunks_phase { CHUNKS_AS_THEY_ARE, CHUNKS_IN_FRONT, CHUNKS_LATE, CHUNKS_OTHER };

struct png_chunks {
    struct window window;
    enum png_chunks_phase phase;
    uint64_t at;     /* the next byte */
    uint64_t end;    /* of the chunk that it is in */
    uint64_t pixels; /* where the first IDAT is */
    uint64_t late;   /* what is behind the last one of those that follow each other */
};

/*
 * With `texts_first`, Exif and texts that stand behind the pixels are read in front of them: what goes with the picture
 * is known then before its first row is; that is false where the pixels are in parts, which is an error of the file.
 * Otherwise chunks come as they are.
 */
bool png_chunks_begin(struct png_chunks *chunks, const struct source *source, bool texts_first);

bool png_chunks_read(struct png_chunks *chunks, size_t length, void *to, struct problem *problem);

#endif
