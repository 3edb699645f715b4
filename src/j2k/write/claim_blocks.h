/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files share that check the claims of a codestream. */
#ifndef KOSTKA_J2K_WRITE_CLAIM_BLOCKS_H
#define KOSTKA_J2K_WRITE_CLAIM_BLOCKS_H

#include "j2k/packets/builder.h"
#include "j2k/syntax/ccap.h"
#include "j2k/write/claims.h"

/* Holds the claims of CAP, and whom to tell what does not hold. */
struct j2k_claims {
    const struct j2k_stream *stream;
    j2k_claim_teller tell;
    void *argument;
    uint64_t cap; /* offset of CAP; 0: there is none */
    bool has_ht;  /* CAP has a word of T.814, which is: */
    uint16_t ht;  /* Ccap15; otherwise 0 */
};

/* claims.c: tell that a claim does not hold. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void kst_j2k_claim_broken(const struct j2k_claims *claims, uint64_t offset, const char *format, ...);

/* claims.c: return the offset of the COD or COC that says how a tile's component is coded. The tile has tile-parts. */
uint64_t kst_j2k_claim_coding(const struct j2k_claims *claims, uint32_t tile, uint32_t component);

/* Says which code-block of a tile is meant: column x and row y in a precinct's part of a band. */
struct j2k_claimed_block {
    const struct j2k_grid *grid;
    uint32_t precinct, band, x, y;
};

/*
 * claim_place.c: return the offset of the first bytes of a block of the builder's tile from pass `pass` on, counted
 * from 1. Reads the tile's packets again. If that takes too much memory or work, returns the offset of the tile's first
 * tile-part.
 */
uint64_t kst_j2k_claim_place(const struct j2k_builder *builder, const struct j2k_claimed_block *block, uint32_t pass);

/* claim_blocks.c: compare the claims with the tile-components and the code-blocks of all tiles. */
kst_status kst_j2k_claim_blocks(const struct operation *op, const struct j2k_claims *claims);

#endif
