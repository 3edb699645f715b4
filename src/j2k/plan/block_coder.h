/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes block coders to code that codes no samples: which code-block styles a coder has, and how it groups coding
 * passes into codeword segments. What an executor knows of a coder stands in the executor's own table
 * (j2k/cpu/blocks/block_coder.h, j2k/gpu/block_coder.h), which has an entry for each coder.
 */
#ifndef KOSTKA_J2K_PLAN_BLOCK_CODER_H
#define KOSTKA_J2K_PLAN_BLOCK_CODER_H

#include <stdbool.h>
#include <stdint.h>

#include "j2k/tables/blocks.h"

enum j2k_block_coder_kind {
    J2K_EBCOT, /* T.800 Annex D */
    J2K_HT,    /* T.814 */
    J2K_BLOCK_CODERS
};

struct j2k_block_coder {
    enum j2k_block_coder_kind kind; /* its index in an executor's table */
    /*
     * Passes of a block are counted from 0. `room` returns how many passes, from `pass` on, the segment that pass is in
     * has room for, and `starts` whether the segment starts with it.
     */
    uint32_t (*room)(uint32_t style, uint32_t pass);
    bool (*starts)(uint32_t style, uint32_t pass);
    bool (*is_raw)(uint32_t style, uint32_t pass); /* whether the segment holds raw bits */
    /*
     * Estimate what the passes of a plane cost on average, in quarters of a bit: those in which samples become
     * significant, and those that refine. The block has `samples`, of which `significant` become significant in the
     * plane and `refined` are refined.
     */
    void (*estimate)(
        uint32_t samples, uint32_t significant, uint32_t refined, uint32_t *significance, uint32_t *refinement);
};

/*
 * Return whether code-blocks of a style, which is that of SPcod or SPcoc (Table A.20), can be decoded, and whether they
 * can be coded and written.
 */
bool kst_j2k_has_style(uint32_t style);
bool kst_j2k_writes_style(uint32_t style);

/*
 * Return the coder of a kind, and that of code-blocks of a style; where the style mixes code-blocks of both coders,
 * this is T.814's, and packet headers tell for each block which it is.
 */
const struct j2k_block_coder *kst_j2k_block_coder_of(enum j2k_block_coder_kind kind);
const struct j2k_block_coder *kst_j2k_block_coder(uint32_t style);

/* Ask the coder of a style. */
uint32_t kst_j2k_segment_room(uint32_t style, uint32_t pass);
bool kst_j2k_segment_starts(uint32_t style, uint32_t pass);

#endif
