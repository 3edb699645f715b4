/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the code-block coder of T.814, both ways, one bit at a time: bytes become lists of bits, and each neighbour
 * is looked up when it is needed. It is slow, and meant for comparisons.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MODEL_HT_H
#define KOSTKA_TESTS_SUPPORT_J2K_MODEL_HT_H

#include "j2k/cpu/blocks/block_coder.h"

enum { MODEL_HT_SIDE = J2K_BLOCK_SIDE + 2, MODEL_HT_BYTES = 1 << 17, MODEL_HT_BITS = 1 << 19 };

/* Describes one sample. Some samples outside of the block complete its quads. */
struct model_ht_sample {
    uint64_t magnitude;
    uint8_t negative;
    uint8_t significant; /* after the cleanup pass */
    uint8_t fresh;       /* significant since the significance propagation pass */
    uint8_t plane;       /* the lowest plane that was decoded */
    uint8_t exponent;    /* number of bits of 2 µ − 1 */
};

struct model_ht_bits {
    uint32_t count, at;
    uint8_t bit[MODEL_HT_BITS];
};

struct model_ht {
    uint32_t width, height, missing, planes;
    bool causal;
    struct model_ht_sample
        sample[(J2K_BLOCK_SAMPLES + 2 * MODEL_HT_SIDE) * 2]; /* rows are at most MODEL_HT_SIDE samples apart */
    struct model_ht_bits magsgn, mel, vlc, forward, backward;
    uint32_t mel_state, mel_run;
    bool mel_one;
    uint32_t plane, bits; /* the plane of the cleanup pass; the most bits of a magnitude above it */
    bool damaged;
};

/* Return the sample in column x and row y. Outside of the block it is never significant. */
struct model_ht_sample *model_ht_at(struct model_ht *model, int32_t x, int32_t y);

/* Decode the last set of a block's segments. */
void model_ht_decode(struct model_ht *model, const struct j2k_codeword *codewords, uint32_t count);

/*
 * Encode magnitudes and signs down to a plane, in a set of up to three passes. Returns the bytes of the cleanup pass,
 * and those of the other passes. Magnitudes have at most 30 bits above the plane.
 */
uint32_t model_ht_encode(struct model_ht *model, uint32_t plane, uint8_t *cleanup);
uint32_t model_ht_encode_refinement(struct model_ht *model, uint32_t plane, uint32_t passes, uint8_t *refinement);

/* model_ht.c: The next functions serve decoding and encoding. */
uint32_t model_ht_context(struct model_ht *model, int32_t x, int32_t y);
uint32_t model_ht_rho(struct model_ht *model, int32_t x, int32_t y);
uint32_t model_ht_kappa(struct model_ht *model, int32_t x, int32_t y);
bool model_ht_is_near(struct model_ht *model, int32_t x, int32_t y);
uint32_t model_ht_length(uint64_t value);
extern const uint16_t model_ht_table[2][1024];
extern const uint8_t model_ht_exponent[13];

#endif
