/* SPDX-License-Identifier: BSD-2-Clause */
/* Says which kernels decode and encode the code-blocks of T.800 Annex D, and how much room these need. */
#include "j2k/gpu/block_coder.h"
#include "j2k/gpu/job.h"
#include "j2k/gpu/part.h"
#include "j2k/kernels/encode_work.h"

/*
 * Kernels can decode all blocks. Bundles of unequal blocks take more states: usually less than one additional word for
 * each coefficient.
 */
static bool add_words(
    const struct j2k_plan *plan, const struct j2k_block *block, uint32_t count, struct j2k_gpu_block_words *words)
{
    struct j2k_gpu_block_words sum = *words;
    for (const struct j2k_block *end = block + count; block < end; block++) {
        const uint64_t words_of_plane = (uint64_t)J2K_PITCH(block->width) * ((block->height + 3U) / 4);
        sum.states += words_of_plane * (J2K_STATE_WORDS + j2k_gpu_planes(block->passes));
        sum.bits += j2k_gpu_bit_words(plan, block);
    }
    *words = sum;
    return true;
}

/*
 * Queue first the kernel for bundles with flights, whose passes are decoded in parallel; then the kernel for all other
 * bundles, and for damaged blocks.
 */
static void decode(struct j2k_gpu_job *job)
{
    const struct j2k_gpu_part *part = &job->part;
    const uint32_t bundles = J2K_DECODE_GROUP / J2K_BUNDLE; /* bundles of a work-group */
    if (part->bundles == 0)
        return;
    if (part->wave < part->bundles)
        kst_gpu_launch_buffers(&job->track->queue, job->built, J2K_KERNEL_WAVES, part->bundles - part->wave,
            job->buffer, GPU_BUFFERS(J2K_WORK, J2K_BITS, J2K_STATES, J2K_PASSES));
    kst_gpu_launch_buffers(&job->track->queue, job->built, J2K_KERNEL_BLOCKS, (part->bundles + bundles - 1) / bundles,
        job->buffer, GPU_BUFFERS(J2K_WORK, J2K_BITS, J2K_STATES, J2K_PASSES, J2K_DAMAGE));
}

/*
 * Thresholds in coded bytes for each compute unit of the device, for blocks of 4,096 coefficients: the most bytes for
 * which each choice pays.
 */
enum {
    BYTES_FOR_FOUR = 160 << 10, /* up to here four planes at once; then two, then one */
    BYTES_FOR_TWO = 600 << 10,
    BYTES_FOR_ONE = 2000 << 10,
    BYTES_FOR_RAW = 1400 << 10, /* one plane at once, if passes are raw */
    BYTES_FOR_FEW = 24 << 10,   /* use only half of the work-items of a bundle */
    MOST = 4,
    AHEAD = 2 /* words that a pass stays behind the previous one, in addition to a stripe */
};

/* Return the most flights for the size of a block: successive passes are a stripe and two words apart. */
static uint32_t most_flights(const struct j2k_tile_component *tc)
{
    uint32_t across = tc->block_width > 3 ? 1U << (tc->block_width - 3) : 1, down = 1U << (tc->block_height - 2);
    uint32_t passes = across * down / (across + AHEAD), flights = 1;
    if (passes < 2)
        return 0;
    while (flights < MOST && 3 * flights < passes)
        flights *= 2;
    return flights;
}

/*
 * Smaller blocks finish sooner when their passes follow each other, so that fewer bytes suffice to keep the device
 * busy; the bytes are scaled accordingly.
 */
static uint32_t choose_flights(const struct j2k_tile_component *tc, uint64_t bytes)
{
    uint64_t scaled = bytes << (12 - tc->block_width - tc->block_height);
    if ((tc->style & J2K_STYLE_RESET) == 0 || (tc->style & J2K_STYLE_TERMALL) == 0 ||
        scaled > ((tc->style & J2K_STYLE_BYPASS) != 0 ? BYTES_FOR_RAW : BYTES_FOR_ONE))
        return 0;
    uint32_t most = most_flights(tc), flights = scaled > BYTES_FOR_TWO ? 1 : scaled > BYTES_FOR_FOUR ? 2 : MOST;
    return most < flights ? most : flights;
}

static uint32_t choose_lanes(uint32_t flights, uint64_t bytes)
{
    return J2K_BUNDLE / flights / (bytes > BYTES_FOR_FEW ? 1 : 2);
}

enum {
    PASS_ENDS = 8, /* most bytes for the end of a pass's segment */
    PLANE_ENDS = 7 /* decisions of a plane in addition to those of its samples */
};

/*
 * By default there is room for one bit of each sample for each plane, and one for its sign, plus an eighth for the cost
 * of adaptation. Blocks that take more, in images that are constructed for that, are coded again with ample room: a
 * decision takes at most 15 bits, and a byte holds at least seven.
 */
static uint32_t block_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample)
{
    uint64_t samples = (uint64_t)block->width * block->height,
             columns = (uint64_t)block->width * ((block->height + 3U) / 4);
    uint32_t style = plan->tile_component[plan->band[block->band].tile_component].style,
             planes = plan->band[block->band].planes;
    uint64_t bytes = samples * (planes + 2U) * 9 / 64 + 64;
    if (style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS))
        bytes += (uint64_t)PASS_ENDS * 3 * planes;
    if (ample)
        bytes = (J2K_CODED_PLANES * (6 * columns + 4) + samples) * 15 / 7 + PASS_ENDS * J2K_CODED_PASSES;
    return (uint32_t)((bytes + 3) / 4 * 4);
}

/*
 * A plane has at most one decision for each sample. By default there is room for three quarters of the planes that the
 * band has bits for, which all blocks together rarely exceed; blocks that find no room are coded again.
 */
static uint32_t decision_room(const struct j2k_plan *plan, const struct j2k_block *block, bool ample)
{
    uint32_t samples = (uint32_t)block->width * block->height, columns = block->width * ((block->height + 3U) / 4);
    uint32_t planes = plan->band[block->band].planes, bytes = samples * (planes * 3 / 4 + 1) + 2 * columns;
    if (ample)
        bytes = J2K_CODED_PLANES * (samples + PLANE_ENDS) + samples + 2 * columns;
    return bytes / J2K_DECISION_UNIT + 1;
}

const struct j2k_gpu_block_coder kst_j2k_gpu_ebcot = {.add_words = add_words,
    .decode = decode,
    .flights = choose_flights,
    .lanes = choose_lanes,
    .measure = J2K_ENCODE_MEASURE,
    .model = J2K_ENCODE_MODEL,
    .order = J2K_ENCODE_ORDER,
    .code = J2K_ENCODE_CODE,
    .most_passes = J2K_CODED_PASSES,
    .block_room = block_room,
    .decision_room = decision_room};
