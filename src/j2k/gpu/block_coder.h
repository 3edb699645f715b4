/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the executor of a device must know about a block coder: which kernels decode and encode its
 * code-blocks, how blocks are best bundled for them, and how much room they need. Everything between bands and blocks'
 * samples, and all processing of coded bytes, is the same for all coders.
 */
#ifndef KOSTKA_J2K_GPU_BLOCK_CODER_H
#define KOSTKA_J2K_GPU_BLOCK_CODER_H

#include "j2k/gpu/modules.h"
#include "j2k/plan/block_coder.h"
#include "j2k/plan/plan.h"

struct j2k_gpu_job;
struct j2k_gpu_block_words;

struct j2k_gpu_block_coder {
    /*
     * Return whether the kernels can decode `count` blocks that follow each other in the plan, and add the words that
     * this takes, if none of them is in a bundle with others.
     */
    bool (*add_words)(
        const struct j2k_plan *plan, const struct j2k_block *block, uint32_t count, struct j2k_gpu_block_words *words);
    /*
     * Queue the kernels that decode the coder's blocks of a job: from gathered codeword segments to the states of
     * bundles, from which store_blocks makes coefficients, or from streams to coefficients.
     */
    void (*decode)(struct j2k_gpu_job *job);
    /*
     * `flights` returns the flights for blocks of a tile-component, a power of two, if the device has `bytes` coded
     * bytes for each of its compute units; 0: passes follow each other. `lanes` returns the number of blocks of a
     * bundle with flights.
     */
    uint32_t (*flights)(const struct j2k_tile_component *tc, uint64_t bytes);
    uint32_t (*lanes)(uint32_t flights, uint64_t bytes);

    /*
     * The kernels that measure blocks, find their decisions, sort them by the number of decisions, and code them. If
     * `at_once` is set, there is only `code`, which codes samples directly.
     */
    enum j2k_gpu_encode_kernel measure, model, order, code;
    bool at_once;
    uint32_t most_passes; /* the most passes of a block that is encoded */
    /*
     * Return the number of bytes, and the number of units of decisions, that a block gets room for. `ample`: enough for
     * any contents, not only for what most blocks need.
     */
    uint32_t (*block_room)(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);
    uint32_t (*decision_room)(const struct j2k_plan *plan, const struct j2k_block *block, bool ample);
};

/*
 * Return the description of the coder for code-blocks of a style, which must have one, or of the coder of a plan's
 * block.
 */
const struct j2k_gpu_block_coder *kst_j2k_gpu_block_coder(uint32_t style);
const struct j2k_gpu_block_coder *kst_j2k_gpu_coder_of(const struct j2k_block *block);

/* Return whether devices can decode all blocks of a plan. If so, *words receives the words that this takes. */
bool kst_j2k_gpu_can_decode(const struct j2k_plan *plan, struct j2k_gpu_block_words *words);

/* Queue the decoding of all blocks, whichever coders they have. */
void kst_j2k_gpu_decode_all(struct j2k_gpu_job *job);

/* Return which of the kernels' tables holds the zero-coding contexts of a band's blocks (T.800 Table D.1). */
static inline uint8_t j2k_gpu_contexts_of(enum j2k_orientation orientation)
{
    return orientation == J2K_HH ? 2 : orientation == J2K_HL ? 1 : 0;
}

/* The coders, each in a file of its own. */
extern const struct j2k_gpu_block_coder kst_j2k_gpu_ebcot;
extern const struct j2k_gpu_block_coder kst_j2k_gpu_ht;

#endif
