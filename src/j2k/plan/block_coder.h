/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes block coders for code that does not itself code samples: the code-block styles that a coder supports, and
 * how it groups coding passes into codeword segments. What an executor knows of a coder is in the executor's own table
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
     * Passes of a block are counted from 0. `room` returns how many passes, counting from `pass`, still fit into the
     * segment that contains `pass`; `starts` returns whether a segment starts with `pass`.
     */
    uint32_t (*room)(uint32_t style, uint32_t pass);
    bool (*starts)(uint32_t style, uint32_t pass);
    bool (*is_raw)(uint32_t style, uint32_t pass); /* whether the segment holds raw bits */
    /*
     * Estimate what a plane's passes cost on average, in quarters of a bit: *significance for those in which samples
     * become significant, *refinement for those that refine samples. The block has `samples` samples; `significant` of
     * them become significant in the plane, and `refined` are refined. Null: the coder has no estimate.
     */
    void (*estimate)(
        uint32_t samples, uint32_t significant, uint32_t refined, uint32_t *significance, uint32_t *refinement);
};

/*
 * Return whether code-blocks of a style, as in SPcod or SPcoc (Table A.19), can be decoded, and whether they can be
 * coded and written.
 */
bool kst_j2k_has_style(uint32_t style);
bool kst_j2k_writes_style(uint32_t style);

/*
 * Return the coder of a kind, and the coder of a code-block style. For a style that mixes code-blocks of both coders
 * this is T.814's, and packet headers say for each block which coder it has.
 */
const struct j2k_block_coder *kst_j2k_block_coder_of(enum j2k_block_coder_kind kind);
const struct j2k_block_coder *kst_j2k_block_coder(uint32_t style);

/* Call `room` and `starts` of the coder of a style. */
uint32_t kst_j2k_segment_room(uint32_t style, uint32_t pass);
bool kst_j2k_segment_starts(uint32_t style, uint32_t pass);

#endif
