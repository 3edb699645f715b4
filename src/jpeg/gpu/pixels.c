/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes pixels of coefficients on a GPU: computes the lengths of the buffers for the kernels of
 * jpeg/kernels/transform.h, tiles.h, pixels.h and turn.h, and launches these kernels.
 */
#include "jpeg/gpu/job.h"

void kst_jpeg_gpu_pixels_lengths(const struct jpeg_gpu_job *job, uint64_t length[JOB_BUFFERS])
{
    length[COEFFICIENTS] = (job->size.blocks + job->size.copied) * 128;
    length[PLANES] = job->size.planes * 16;
    length[PIXELS] = job->size.pixels * 16;
}

void kst_jpeg_gpu_pixels_run(struct jpeg_gpu_job *job)
{
    const enum jpeg_gpu_buffer buffers[] = {WORK, PLANES}, stored[] = {WORK, PIXELS};
    kst_jpeg_gpu_job_launch(
        job, JPEG_TRANSFORM_BLOCKS, job->size.groups[WORK_OF_BLOCKS], GPU_BUFFERS(WORK, COEFFICIENTS, DC, PLANES));
    kst_jpeg_gpu_job_launch_output(job, JPEG_CONVERT_TILES, WORK_OF_TILES, buffers, 2);
    kst_jpeg_gpu_job_launch_output(job, JPEG_CONVERT_PIXELS, WORK_OF_PIXELS, buffers, 2);
    kst_jpeg_gpu_job_launch_output(job, JPEG_TURN_PIXELS, WORK_OF_TURNS, stored, 2);
}
