/* SPDX-License-Identifier: BSD-2-Clause */
/* From coefficients to pixels on a GPU (kernels/jpeg_pixels.h). */
#include "gpu/jpeg_job.h"

void kst_gpu_pixels_lengths(const struct job *job, uint64_t length[JOB_BUFFERS])
{
    length[PLANES] = job->size.planes * 8;
    length[PIXELS] = job->size.pixels * 16;
}

void kst_gpu_pixels_run(struct job *job)
{
    LAUNCH(JPEG_TRANSFORM_BLOCKS, job->size.groups[WORK_OF_BLOCKS], 0, WORK, COEFFICIENTS, PLANES);
    const enum job_buffer buffers[] = {WORK, PLANES};
    kst_gpu_job_launch_output(job, JPEG_CONVERT_PIXELS, buffers, 2);
}
