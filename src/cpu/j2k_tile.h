/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of decoding a tile share. */
#ifndef KOSTKA_CPU_J2K_TILE_H
#define KOSTKA_CPU_J2K_TILE_H

#include <stdatomic.h>

#include "cpu/j2k_decode.h"

/* One decoding, used by all threads. */
struct j2k_decoding {
    struct memory *memory;
    struct pool *pool;
    const struct j2k_plan *plan;
    const struct j2k_target *target;
    atomic_int status;                  /* of the first thing that failed; then nothing more is begun */
    atomic_uint_fast64_t damaged;       /* code-blocks */
    atomic_uint_fast64_t damage_offset; /* the least in the stream */
};

/* Samples of 32 bits: integers where the transform is reversible, else single precision. */
struct j2k_samples {
    uint32_t *data;
    struct j2k_rect rect; /* what they are, rows as long as it is wide */
};

struct j2k_tile_work {
    struct j2k_decoding *decoding;
    const struct j2k_tile *tile;
    uint32_t *coefficients; /* of all bands' windows */
    size_t *band_offset;    /* into them, of each band from first_band on */
    uint32_t first_band, band_count, first_block, block_count;
    atomic_uint next_block;
    struct j2k_samples *component; /* of each: the outcome of its transform */
};

/* Memory that is missing ends the decoding. Zeroed or not. */
void *kst_j2k_take(struct j2k_decoding *decoding, size_t count, size_t size, bool zeroed);
bool kst_j2k_goes_on(struct j2k_decoding *decoding);

/* j2k_tile_blocks.c: code-blocks to coefficients. */
void kst_j2k_decode_blocks(struct j2k_tile_work *work);

/* j2k_tile_levels.c: coefficients to the components' samples before the component transform. */
void kst_j2k_synthesise(struct j2k_tile_work *work, uint32_t component);

/* j2k_tile_output.c: component transform, level shift, and into the targets. */
void kst_j2k_put_out(struct j2k_tile_work *work);

static inline size_t j2k_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

static inline size_t j2k_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

static inline size_t j2k_area(struct j2k_rect rect)
{
    return j2k_width(rect) * j2k_height(rect);
}

#endif
