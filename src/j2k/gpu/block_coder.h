/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the executor of a device asks of a block coder: which kernels decode and encode its code-blocks, how
 * blocks are best bundled for them, and how much room they need. Everything between bands and blocks' samples, and
 * all that is done with coded bytes, is the same for all coders.
 */
#ifndef KOSTKA_J2K_GPU_BLOCK_CODER_H
#define KOSTKA_J2K_GPU_BLOCK_CODER_H

#include "j2k/gpu/modules.h"
#include "j2k/plan/block_coder.h"
#include "j2k/plan/plan.h"

struct j2k_gpu_job;

struct j2k_gpu_block_coder {
    /* Return whether the kernels can decode a block. */
    bool (*can_decode)(const struct j2k_plan *plan, const struct j2k_block *block);
    /* Return the words that decoding a block by itself takes in the buffer of states. */
    uint64_t (*state_words)(const struct j2k_plan *plan, const struct j2k_block *block);
    /*
     * Queue the kernels that decode the coder's blocks of a job: from gathered codeword segments to the states of
     * bundles, from which store_blocks makes coefficients, or from streams to coefficients.
     */
    void (*decode)(struct j2k_gpu_job *job);
    /*
     * Return the flights for blocks of a tile-component, a power of two, if the device has this many coded bytes for
     * each of its compute units; 0: passes follow each other. And return the number of blocks of a bundle with flights.
     */
    uint32_t (*flights)(const struct j2k_tile_component *tc, uint64_t bytes);
    uint32_t (*lanes)(uint32_t flights, uint64_t bytes);

    /*
     * The kernels that measure blocks, find their decisions, order them by how many these are, and code them. If
     * `at_once`, there is only `code`, which codes samples.
     */
    enum j2k_gpu_encode_kernel measure, model, order, code;
    bool at_once;
    uint32_t most_passes; /* of a block that is encoded */
    /*
     * Return the number of bytes that a coded block gets room for, and the units of decisions that it gets room for.
     * `ample`: whatever the block may hold, and not only what most blocks do.
     */
    uint32_t (*block_room)(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);
    uint32_t (*decision_room)(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);
};

/* Return the description for code-blocks of a style that has a coder, or of a block of a plan. */
const struct j2k_gpu_block_coder *kst_j2k_gpu_block_coder(uint32_t style);
const struct j2k_gpu_block_coder *kst_j2k_gpu_coder_of(const struct j2k_block *block);

/* Return whether devices can decode all blocks of a plan. */
bool kst_j2k_gpu_can_decode(const struct j2k_plan *plan);

/* Queue the decoding of all blocks, whichever coders they have. */
void kst_j2k_gpu_decode_all(struct j2k_gpu_job *job);

/* Return which of the kernels' tables has the zero-coding contexts of a band's blocks (T.800 Table D.1). */
static inline uint8_t j2k_gpu_contexts_of(enum j2k_orientation orientation)
{
    return orientation == J2K_HH ? 2 : orientation == J2K_HL ? 1 : 0;
}

/* The coders, each in a file of its own. */
extern const struct j2k_gpu_block_coder kst_j2k_gpu_ebcot;
extern const struct j2k_gpu_block_coder kst_j2k_gpu_ht;

#endif
