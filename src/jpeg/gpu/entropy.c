/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes entropy-coded data on a GPU, from the streams to coefficients: computes the lengths of the buffers for the
 * kernels of jpeg/kernels/maps.h, chain.h and entropy.h, and launches these kernels.
 */
#include "jpeg/gpu/job.h"

void kst_jpeg_gpu_entropy_lengths(const struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS])
{
    const struct jpeg_gpu_size *size = &job->size;
    uint64_t chunks = size->groups[WORK_OF_CHUNKS] * WORK_CHUNKS;
    uint32_t sums = (uint32_t)(WORK_COMPONENTS * WRITE_RATIO)
                    << (kst_jpeg_gpu_halves(size) + kst_jpeg_gpu_spread(size));
    length[BYTES] = (chunks * CHUNK_WORDS + CHUNK_READ_AHEAD) * 4;
    length[CHUNKS] = chunks * CHUNK_LISTS * 4;
    length[MAPS] = chunks * MAP_LISTS * (1 + kst_jpeg_gpu_halves(size)) * 4;
    length[GROUPS] = size->groups[WORK_OF_CHUNKS] * (GROUP_DC + sums) * 4;
    length[COEFFICIENTS] = size->blocks * 128;
    length[DC] = size->blocks * 4;
}

/*
 * Follow the maps: in one launch if the pictures have few groups, otherwise in three, so that the groups of a picture
 * do not wait for each other.
 */
static void follow(struct jpeg_gpu_job *job)
{
    enum { FEW_GROUPS = 6 };
    bool few = job->size.most_groups <= FEW_GROUPS;
    uint64_t groups = few ? 0 : job->size.groups[WORK_OF_CHUNKS], pictures = job->size.pictures;
    kst_jpeg_gpu_job_launch(job, JPEG_MAP_GROUPS, groups, GPU_BUFFERS(WORK, MAPS, GROUPS));
    kst_jpeg_gpu_job_launch(
        job, JPEG_FOLLOW_PICTURES, few ? 0 : pictures, GPU_BUFFERS(WORK, BYTES, CHUNKS, MAPS, GROUPS, DAMAGE));
    kst_jpeg_gpu_job_launch(job, JPEG_PLACE_CHUNKS, groups, GPU_BUFFERS(WORK, MAPS, GROUPS, CHUNKS));
    kst_jpeg_gpu_job_launch(
        job, JPEG_CHAIN_PICTURES, few ? pictures : 0, GPU_BUFFERS(WORK, BYTES, CHUNKS, MAPS, GROUPS, DAMAGE));
}

void kst_jpeg_gpu_entropy_run(struct jpeg_gpu_job *job)
{
    uint64_t groups = job->size.groups[WORK_OF_CHUNKS];
    uint64_t write_groups = kst_jpeg_gpu_write_groups(&job->size);
    kst_jpeg_gpu_job_launch(job, JPEG_MAP_CHUNKS, groups * (WORK_CHUNKS / WORK_MAP_CHUNKS),
        GPU_BUFFERS(WORK, STREAM, BYTES, CHUNKS, MAPS, DC, DAMAGE));
    follow(job);
    kst_jpeg_gpu_job_launch(
        job, JPEG_WRITE_BLOCKS, write_groups, GPU_BUFFERS(WORK, BYTES, CHUNKS, GROUPS, COEFFICIENTS, DC, DAMAGE));
    kst_jpeg_gpu_job_launch(job, JPEG_WRITE_DC, write_groups,
        GPU_BUFFERS(WORK, CHUNKS, GROUPS, DC, DAMAGE, job->mapped ? HOST_RESULT : DAMAGE));
}
