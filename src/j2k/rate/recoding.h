/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what becomes of code-blocks that are decoded and coded with the other coder, on whatever device: how far a
 * block is coded, and which passes its layers have then.
 */
#ifndef KOSTKA_J2K_RATE_RECODING_H
#define KOSTKA_J2K_RATE_RECODING_H

#include "j2k/write/recode.h"

/* Says what became of a block. */
struct j2k_recode_result {
    const uint8_t *data;
    const uint32_t *length; /* one per pass; null if there is none */
    uint8_t passes, missing;
    uint8_t known; /* passes of the source that count */
    int8_t fewer;  /* the number of first passes that are no longer there; negative: that are there now */
    bool changed;  /* otherwise it stays as it was, and the other members do not count */
};

/* Describes a block, and where it comes from. */
struct j2k_recode_source {
    const struct j2k_block *place;
    const struct j2k_block_code *code;
    const struct j2k_block_origin *origin;
    const struct j2k_band *band;
    const uint32_t *length; /* one per pass */
    const uint8_t *layer_passes;
    uint32_t layers, planes, style; /* style: that of the new block */
};

struct j2k_recode_source kst_j2k_recode_source(const struct j2k_recoded *recoded, uint32_t index);

/* Return whether the block has passes of the other coder. */
bool kst_j2k_recode_changes(const struct j2k_recode_source *source);

/* Says how a block is coded: as in struct j2k_block_settings. */
struct j2k_recode_choice {
    uint32_t plane, refinements; /* of T.814: plane of the cleanup pass, and passes behind it */
    uint32_t most;               /* of T.800: passes */
};

/*
 * Choose how to code a block of which `known` passes are known, and whose largest index has `planes` bits: none of them
 * is 0. In T.800 the first pass is in the plane of the largest index. In T.814 it is in the plane of the cleanup pass,
 * or in front of that if a layer ends there; the plane of the largest index does not matter. `missing` and `fewer` of
 * the result are set, in which the others must be.
 */
struct j2k_recode_choice kst_j2k_recode_choose(
    const struct j2k_recode_source *source, uint32_t known, uint32_t planes, struct j2k_recode_result *result);

/* Return how many passes without bytes are in front of those that are coded as was chosen. */
uint32_t kst_j2k_recode_idle(const struct j2k_recode_source *source, const struct j2k_recode_result *result);

/*
 * Let all blocks be what they became: one result for each. Returns KST_ERROR_LIMIT_WORK if they have too many passes,
 * or the error of the memory.
 */
kst_status kst_j2k_recode_take(
    struct memory *memory, struct j2k_recoded *recoded, const struct j2k_recode_result *results);

#endif
