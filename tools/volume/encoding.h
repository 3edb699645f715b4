/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the work of encoding a volume as a Zarr store. */
#ifndef KOSTKA_TOOL_VOLUME_ENCODING_H
#define KOSTKA_TOOL_VOLUME_ENCODING_H

#include "volume/store.h"

/* Holds the state of encoding a volume, one band of bricks at a time, with edges repeated up to whole bricks. */
struct encoding {
    struct volume_settings *settings;
    const struct volume_file *file;
    struct store store;
    uint8_t *band;
    uint8_t *rows;         /* what was read, without edges */
    uint32_t bricks[AXES]; /* of the band: whole shards, if there are so many bricks; all along x */
    uint32_t sides[AXES];  /* in samples */
    uint8_t bits;          /* of the samples that are coded */
    uint32_t levels;       /* that all bricks so far can leave out */
    bool resumed;          /* files that are there have been made by an encoding like this one */
};

static inline uint32_t volume_ceil_divide(uint32_t a, uint32_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}

/* Return the bytes of a sample, and the number of bricks along an axis. */
static inline size_t encoding_bytes(const struct encoding *encoding)
{
    return encoding->store.bits / 8;
}

static inline uint32_t bricks_along(const struct encoding *encoding, size_t axis)
{
    return volume_ceil_divide(encoding->store.shape[axis], encoding->store.brick[axis]);
}

/* encode_store.c: read the samples of a band, the first brick of which is number `from` along z and y. */
bool band_read(struct encoding *encoding, const uint32_t from[2], struct problem *problem);

/* encode_bricks.c: see how many levels a reader can leave out of a coded brick. */
bool encoding_count_levels(struct encoding *encoding, const void *data, size_t length, struct problem *problem);

/*
 * resume.c: begin a store, and see whether it goes on where another call was broken off, which --resume asks for; end
 * one that is finished; return whether a file with bricks from `first` up to `end` is there and complete.
 */
bool resume_begin(struct encoding *encoding, const char *name, const char *input, struct problem *problem);
bool resume_end(const char *name, struct problem *problem);
bool resume_keeps(struct encoding *encoding, const uint32_t first[AXES], const uint32_t end[AXES]);

/*
 * shares.c: return whether a share has the file that begins with brick `first`; begin with a share; note that it is
 * done, and find out whether it is the last one, which finishes the store; remove all notes.
 */
bool share_has(const struct encoding *encoding, const uint32_t first[AXES]);
bool share_begin(const struct encoding *encoding, const char *name, struct problem *problem);
bool share_end(struct encoding *encoding, const char *name, bool *last, struct problem *problem);
bool share_forget(const char *name, struct problem *problem);

/* encode_bricks.c: return how many bricks the share has. */
size_t share_bricks(const struct encoding *encoding);

/* Encode the bricks of a band, the first of which is number `from` along z and y, and write them. */
bool band_encode(struct encoding *encoding, const uint32_t from[2], struct problem *problem);

#endif
