/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how code-blocks are decoded and coded with the other coder, on any device: how far a block is coded, and
 * which passes its layers have then.
 */
#ifndef KOSTKA_J2K_RATE_RECODING_H
#define KOSTKA_J2K_RATE_RECODING_H

#include "j2k/write/recode.h"

/* Holds the outcome for a block. */
struct j2k_recode_result {
    const uint8_t *data;
    const uint32_t *length; /* one per pass; null if the block has no passes */
    uint8_t passes, missing;
    uint8_t known; /* passes of the source that could be decoded */
    int8_t fewer;  /* number of first passes that the block no longer has; negative: that it has in addition */
    bool changed;  /* otherwise the block stays as it was, and the other members are not used */
};

/* Describes a block that is coded again, and its source. */
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

/* Says how a block is coded; the members are as in struct j2k_block_settings. */
struct j2k_recode_choice {
    uint32_t plane, refinements; /* T.814: plane of the cleanup pass, number of passes behind it */
    uint32_t most;               /* T.800: number of passes */
};

/*
 * Choose how to code a block of which `known` passes are known, and whose largest index has `planes` bits; neither is
 * 0. In T.800 the first pass is in the plane of the largest index. In T.814 it is in the plane of the cleanup pass, or
 * above that plane if a layer ends there; the plane of the largest index does not matter. Adapts `missing` and `fewer`
 * of the result, whose members must be set.
 */
struct j2k_recode_choice kst_j2k_recode_choose(
    const struct j2k_recode_source *source, uint32_t known, uint32_t planes, struct j2k_recode_result *result);

/* Return how many passes without bytes are in front of the passes that were chosen to be coded. */
uint32_t kst_j2k_recode_idle(const struct j2k_recode_source *source, const struct j2k_recode_result *result);

/*
 * Replace all blocks by their outcomes, one for each block. Returns KST_ERROR_LIMIT_WORK if there are too many passes,
 * or the error of the memory.
 */
kst_status kst_j2k_recode_take(
    struct memory *memory, struct j2k_recoded *recoded, const struct j2k_recode_result *results);

#endif
