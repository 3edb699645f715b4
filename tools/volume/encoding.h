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
    uint8_t *rows;         /* samples that were read, without repeated edges */
    uint32_t bricks[AXES]; /* of the band: whole shards, unless the volume has fewer bricks; all along x */
    uint32_t sides[AXES];  /* sides of the band in samples */
    uint8_t bits;          /* bits of the encoded samples */
    uint32_t levels;       /* levels that can be left out of all bricks so far */
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

/* Encode the bricks of a band, which begins at brick `from` along z and y, and write them. */
bool band_encode(struct encoding *encoding, const uint32_t from[2], struct problem *problem);

#endif
