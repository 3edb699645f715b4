/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the buffers of a job from the pool and launches its kernels. */
#include "jpeg/gpu/job.h"

void kst_jpeg_gpu_job_record(struct jpeg_gpu_job *job, uint32_t event)
{
    if (!job->brief)
        job->runtime->gpu->backend->record(&job->track->queue, &job->track->event[event]);
}

/* Return whether another of the job's buffers serves as this one. */
static bool is_borrowed(const struct jpeg_gpu_job *job, int buffer)
{
    return job->joined && (buffer == HOST_STREAM || buffer == STREAM);
}

/* Take the buffers that the job does not have yet. */
bool kst_jpeg_gpu_job_take(struct jpeg_gpu_job *job, const uint64_t length[JOB_BUFFERS], struct gpu_error *error)
{
    for (int i = 0; i < JOB_BUFFERS; i++)
        if (job->buffer[i].length == 0 && !is_borrowed(job, i) &&
            !kst_gpu_pool_take(&job->runtime->pool, i <= HOST_RESULT ? GPU_PINNED : GPU_DEVICE, (size_t)length[i],
                &job->buffer[i], error))
            return false;
    if (job->joined) {
        job->buffer[HOST_STREAM] = job->buffer[HOST_WORK];
        job->buffer[STREAM] = job->buffer[WORK];
    }
    return true;
}

void kst_jpeg_gpu_job_give(struct jpeg_gpu_job *job)
{
    for (int i = 0; i < JOB_BUFFERS; i++)
        if (!is_borrowed(job, i))
            kst_gpu_pool_give(&job->runtime->pool, &job->buffer[i]);
}

static void finish_kernel(struct jpeg_gpu_job *job, enum jpeg_gpu_kernel kernel)
{
    if (job->detail || kernel == JPEG_WRITE_DC || kernel == JPEG_TURN_PIXELS)
        kst_jpeg_gpu_job_record(job, AFTER_KERNEL + kernel);
}

void kst_jpeg_gpu_job_launch(
    struct jpeg_gpu_job *job, enum jpeg_gpu_kernel kernel, uint64_t groups, const uint32_t *buffers, uint32_t count)
{
    kst_gpu_launch_buffers(&job->track->queue, job->built, kernel, (uint32_t)groups, job->buffer, buffers, count);
    finish_kernel(job, kernel);
}

/*
 * Return the buffer to pass to a kernel for the pixels that it writes of a picture. If the picture is turned, only the
 * last kernel writes to the caller's buffer.
 */
static const struct gpu_buffer *output_buffer(const struct jpeg_gpu_job *job, enum jpeg_work_kind kind, uint32_t index)
{
    const struct jpeg_gpu_direct *direct = &job->items[index].direct;
    bool last = kst_jpeg_gpu_is_turned(&job->items[index]) == (kind == WORK_OF_TURNS);
    return last && direct->buffer && !direct->address ? direct->buffer : &job->buffer[PIXELS];
}

void kst_jpeg_gpu_job_launch_output(struct jpeg_gpu_job *job, enum jpeg_gpu_kernel kernel, enum jpeg_work_kind kind,
    const uint32_t *buffers, uint32_t count)
{
    struct gpu_argument arguments[JOB_BUFFERS + 2];
    const uint32_t *work = (const uint32_t *)(const void *)job->buffer[HOST_WORK].host;
    const uint32_t *first = work + ((const struct jpeg_work *)(const void *)work)->groups[kind];
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){.buffer = &job->buffer[buffers[i]]};
    for (uint32_t i = 0, end; i < job->count; i = end) {
        const struct gpu_buffer *output = output_buffer(job, kind, i);
        for (end = i + 1; end < job->count && output_buffer(job, kind, end)->handle == output->handle;)
            end++;
        arguments[count] = (struct gpu_argument){.buffer = output};
        arguments[count + 1] = (struct gpu_argument){.value = first[i]};
        kst_gpu_launch(&job->track->queue, job->built, kernel, first[end] - first[i], arguments, count + 2);
    }
    finish_kernel(job, kernel);
}
