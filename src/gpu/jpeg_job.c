/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_job.h"

bool kst_gpu_job_take(struct job *job, const uint64_t length[JOB_BUFFERS], struct gpu_error *error)
{
    for (int i = 0; i < JOB_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->executor->pool, i <= HOST_RESULT ? GPU_PINNED : GPU_DEVICE, (size_t)length[i],
                &job->buffer[i], error))
            return false;
    return true;
}

void kst_gpu_job_give(struct job *job)
{
    for (int i = 0; i < JOB_BUFFERS; i++)
        kst_gpu_pool_give(&job->executor->pool, &job->buffer[i]);
}

void kst_gpu_job_launch(struct job *job, enum jpeg_kernel kernel, uint64_t groups, const enum job_buffer *buffers,
    uint32_t count, uint32_t value)
{
    struct gpu_argument arguments[JOB_BUFFERS + 1];
    const struct gpu_backend *backend = job->executor->gpu->backend;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){.buffer = &job->buffer[buffers[i]]};
    if (value)
        arguments[count] = (struct gpu_argument){.value = value};
    backend->launch(
        &job->lane->queue, &job->executor->kernel[kernel], (uint32_t)groups, arguments, value ? count + 1 : count);
    if (job->detail || kernel == JPEG_WRITE_BLOCKS || kernel == JPEG_CONVERT_PIXELS)
        backend->record(&job->lane->queue, &job->lane->event[AFTER_KERNEL + kernel]);
}
