/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entropy decoding on a GPU, from the streams to coefficients: buffer lengths and launches of the kernels of
 * jpeg/kernels/maps.h, chain.h and entropy.h.
 */
#include "jpeg/gpu/job.h"

void kst_gpu_entropy_lengths(const struct job *job, uint64_t length[JOB_BUFFERS])
{
    const struct jpeg_gpu_size *size = &job->size;
    uint64_t parts = size->groups[WORK_OF_PARTS] * WORK_PARTS;
    length[BYTES] = (parts * PART_WORDS + PART_READ_AHEAD) * 4;
    length[PARTS] = parts * PART_LISTS * 4;
    length[MAPS] = parts * MAP_LISTS * (1 + kst_gpu_jpeg_halves(size)) * 4;
    length[GROUPS] = size->groups[WORK_OF_PARTS] * GROUP_LISTS * 4;
    length[COEFFICIENTS] = size->blocks * 128;
    length[DC] = size->blocks * 4;
}

void kst_gpu_entropy_run(struct job *job)
{
    uint64_t groups = job->size.groups[WORK_OF_PARTS];
    uint64_t write_groups = groups * WRITE_RATIO << kst_gpu_jpeg_halves(&job->size);
    kst_gpu_job_launch(job, JPEG_MAP_PARTS, groups * (WORK_PARTS / WORK_MAP_PARTS),
        GPU_BUFFERS(WORK, STREAM, BYTES, PARTS, MAPS, DC, DAMAGE));
    kst_gpu_job_launch(job, JPEG_MAP_GROUPS, groups, GPU_BUFFERS(WORK, MAPS, GROUPS));
    kst_gpu_job_launch(
        job, JPEG_FOLLOW_PICTURES, job->size.pictures, GPU_BUFFERS(WORK, BYTES, PARTS, MAPS, GROUPS, DAMAGE));
    kst_gpu_job_launch(job, JPEG_PLACE_PARTS, groups, GPU_BUFFERS(WORK, MAPS, GROUPS, PARTS));
    kst_gpu_job_launch(
        job, JPEG_WRITE_BLOCKS, write_groups, GPU_BUFFERS(WORK, BYTES, PARTS, GROUPS, COEFFICIENTS, DC, DAMAGE));
    kst_gpu_job_launch(job, JPEG_WRITE_DC, write_groups, GPU_BUFFERS(WORK, PARTS, GROUPS, DC));
}
