/* SPDX-License-Identifier: BSD-2-Clause */
/* Entropy decoding on a GPU: from the streams to coefficients (kernels/jpeg_stream.h, kernels/jpeg_entropy.h). */
#include "gpu/jpeg_job.h"

/* Words of a part and of a group of parts, see kernels/jpeg_entropy.h. */
enum { PART_LISTS = 2 + WORK_COMPONENTS, GROUP_LISTS = 4 + WORK_COMPONENTS, PLACE_LISTS = 1 + WORK_COMPONENTS };

/* Lists of groups' states that a round of joining reads. */
enum { FIRST_LIST = 1, SECOND_LIST = 2 };

void kst_gpu_entropy_lengths(const struct job *job, uint64_t length[JOB_BUFFERS])
{
    const struct jpeg_gpu_size *size = &job->size;
    uint64_t part_words = size->groups[WORK_OF_PARTS] * WORK_PARTS;
    length[BYTES] = size->stream * 16;
    length[RANKS] = size->stream * 4;
    length[CHUNKS] = size->groups[WORK_OF_CHUNKS] * 4;
    length[PARTS] = part_words * PART_LISTS * 4;
    length[GROUPS] = size->groups[WORK_OF_PARTS] * GROUP_LISTS * 4;
    length[PLACES] = part_words * PLACE_LISTS * 4;
    length[COEFFICIENTS] = size->blocks * 128;
}

void kst_gpu_entropy_run(struct job *job)
{
    uint64_t chunks = job->size.groups[WORK_OF_CHUNKS], parts = job->size.groups[WORK_OF_PARTS];
    LAUNCH(JPEG_COUNT_KEPT, chunks, 0, WORK, STREAM, CHUNKS, DAMAGE);
    LAUNCH(JPEG_REMOVE_STUFFING, chunks, 0, WORK, STREAM, CHUNKS, RANKS, BYTES);
    LAUNCH(JPEG_DECODE_GUESSES, parts, 0, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_JOIN_GROUPS, parts, FIRST_LIST, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_SETTLE_PICTURES, job->count, SECOND_LIST, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_PLACE_PARTS, parts, 0, WORK, PARTS, GROUPS, PLACES);
    LAUNCH(JPEG_CLEAR_BLOCKS, (job->size.blocks * 128 + WORK_CLEAR - 1) / WORK_CLEAR, (uint32_t)(job->size.blocks * 8),
        COEFFICIENTS);
    LAUNCH(JPEG_WRITE_BLOCKS, parts, 0, WORK, STREAM, RANKS, BYTES, PARTS, PLACES, COEFFICIENTS, DAMAGE);
}
