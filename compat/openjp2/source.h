/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the codestream that Kostka decodes: the main header of the caller's stream, and its needed tile-parts, which
 * are read when they are needed.
 */
#ifndef KOSTKA_COMPAT_SOURCE_H
#define KOSTKA_COMPAT_SOURCE_H

#include "stream.h"

struct openjp2_codec;

struct openjp2_part {
    uint32_t tile;
    uint8_t index, count; /* TPsot, TNsot */
    uint64_t offset;      /* offset in the stream */
    uint64_t length;      /* from SOT on; UINT64_MAX: to the end of the stream */
    uint32_t head;        /* length of its header, with SOD; 0 until it has been read */
    size_t at;            /* offset in `data`; 0: it is not in memory */
    size_t transform;     /* offset, from `at` on, of the component transform in its COD; 0: it has no COD */
    uint8_t transform_was;
};

struct openjp2_source {
    uint8_t *data; /* the main header, then tile-parts */
    size_t length, capacity;
    uint8_t *main;  /* the main header as it was in the stream */
    size_t header;  /* its length */
    uint64_t start; /* its offset in the stream */
    uint64_t next;  /* offset of the first tile-part that has not been found yet */
    struct openjp2_part *part;
    size_t parts, part_capacity;
    uint8_t *seen, *expected; /* numbers of tile-parts of each tile; expected 0: not known */
    uint64_t missing;         /* number of needed tiles that may have further tile-parts */
    size_t transform;         /* offset of the component transform in the main header */
    uint8_t transform_was;
    bool ended;   /* there are no further tile-parts */
    bool cut;     /* the stream ended inside a tile-part, or where there should be one */
    bool no_end;  /* it ended without EOC */
    bool changed; /* changed since a decoder opened it */
};

/* Read the main header. Complains on failure. */
bool openjp2_source_begin(struct openjp2_codec *codec, struct openjp2_stream *stream);

/*
 * Read tile-parts until the codestream holds those of all tiles of the codec's area, or of one tile. Returns false,
 * with a complaint, if the stream fails.
 */
bool openjp2_source_gather(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t tile);

/* Put EOC behind the codestream, and set *length to the length with it. Returns false if out of memory. */
bool openjp2_source_finish(struct openjp2_source *source, size_t *length);

/* Switch the component transforms of the codestream on or off. */
void openjp2_source_transform(struct openjp2_source *source, bool transformed);

/* Return whether a tile is needed: it is `wanted`, or `wanted` stands for all tiles and it lies in the codec's area. */
bool openjp2_source_wants(const struct openjp2_codec *codec, uint32_t tile, uint32_t wanted);

void openjp2_source_release(struct openjp2_source *source);

#endif
