/* SPDX-License-Identifier: BSD-2-Clause */
/* Entropy decoding on a GPU: from the streams to coefficients (jpeg/kernels/maps.h and those it leads to). */
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
    LAUNCH(JPEG_MAP_PARTS, groups * (WORK_PARTS / WORK_MAP_PARTS), 0, WORK, STREAM, BYTES, PARTS, MAPS, DC, DAMAGE);
    LAUNCH(JPEG_MAP_GROUPS, groups, 0, WORK, MAPS, GROUPS);
    LAUNCH(JPEG_FOLLOW_PICTURES, job->size.pictures, 0, WORK, BYTES, PARTS, MAPS, GROUPS, DAMAGE);
    LAUNCH(JPEG_PLACE_PARTS, groups, 0, WORK, MAPS, GROUPS, PARTS);
    LAUNCH(JPEG_WRITE_BLOCKS, write_groups, 0, WORK, BYTES, PARTS, GROUPS, COEFFICIENTS, DC, DAMAGE);
    LAUNCH(JPEG_WRITE_DC, write_groups, 0, WORK, PARTS, GROUPS, DC);
}
