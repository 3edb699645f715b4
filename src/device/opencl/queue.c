/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements queues, events, copies and launches on OpenCL. */
#include "device/opencl/opencl.h"

/* Create a queue. OpenCL 1.2 has no priorities, so `urgent` is ignored. */
bool kst_opencl_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    cl_int result;
    (void)urgent;
    *queue = (struct gpu_queue){.gpu = gpu};
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_queue made = opencl->driver.queue_create(opencl->context, opencl->device, CL_QUEUE_PROFILING, &result);
    queue->handle = (uintptr_t)made;
    return kst_opencl_check(error, opencl, "clCreateCommandQueue", result);
}

void kst_opencl_queue_destroy(struct gpu_queue *queue)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    if (queue->handle && kst_opencl_usable(opencl))
        opencl->driver.queue_release((cl_queue)queue->handle);
    queue->handle = 0;
}

bool kst_opencl_queue_import(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error)
{
    const struct opencl *opencl = kst_opencl_of(gpu);
    cl_context context = NULL;
    cl_device device = NULL;
    *queue = (struct gpu_queue){.gpu = gpu, .handle = (uintptr_t)handle};
    if (!kst_gpu_usable(gpu, error))
        return false;
    if (kst_opencl_queue_lives(opencl, handle) &&
        opencl->driver.queue_info(handle, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) == 0 &&
        opencl->driver.queue_info(handle, CL_QUEUE_DEVICE, sizeof device, &device, NULL) == 0 &&
        context == opencl->context && device == opencl->device)
        return true;
    return kst_gpu_refuse(error, gpu, KST_ERROR_DEVICE_STREAM, "a queue of the context and its device is wanted");
}

/* There is nothing to make: the driver makes an event when it is recorded. */
bool kst_opencl_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    event->handle = 0;
    return kst_gpu_usable(gpu, error);
}

void kst_opencl_event_destroy(struct gpu *gpu, struct gpu_event *event)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (event->handle && kst_opencl_usable(opencl))
        opencl->driver.event_release((cl_event)event->handle);
    event->handle = 0;
}

bool kst_opencl_takes_work(struct gpu_queue *queue)
{
    return !queue->error.status && kst_gpu_usable(queue->gpu, &queue->error);
}

void kst_opencl_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_queue handle = (cl_queue)queue->handle;
    cl_mem source = (cl_mem)from->handle, target = (cl_mem)to->handle;
    if (length == 0 || !kst_opencl_takes_work(queue))
        return;
    if (from->host)
        kst_opencl_check(&queue->error, opencl, "clEnqueueWriteBuffer",
            driver->copy_up(handle, target, 0, to_offset, length, from->host + from_offset, 0, NULL, NULL));
    else if (to->host)
        kst_opencl_check(&queue->error, opencl, "clEnqueueReadBuffer",
            driver->copy_down(handle, source, 0, from_offset, length, to->host + to_offset, 0, NULL, NULL));
    else
        kst_opencl_check(&queue->error, opencl, "clEnqueueCopyBuffer",
            driver->copy_across(handle, source, target, from_offset, to_offset, length, 0, NULL, NULL));
}

/* Copy rows, as one slice. The driver demands pitches of at least a row. */
void kst_opencl_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_queue handle = (cl_queue)queue->handle;
    const size_t region[3] = {length, rows, 1}, start[3] = {0, 0, 0};
    const size_t from_at[3] = {from.offset, 0, 0}, to_at[3] = {to.offset, 0, 0};
    cl_mem source = (cl_mem)from.buffer->handle, target = (cl_mem)to.buffer->handle;
    if (length == 0 || rows == 0 || !kst_opencl_takes_work(queue))
        return;
    if (from.buffer->host)
        kst_opencl_check(&queue->error, opencl, "clEnqueueWriteBufferRect",
            driver->rows_up(handle, target, 0, to_at, start, region, to.pitch, 0, from.pitch, 0,
                from.buffer->host + from.offset, 0, NULL, NULL));
    else if (to.buffer->host)
        kst_opencl_check(&queue->error, opencl, "clEnqueueReadBufferRect",
            driver->rows_down(handle, source, 0, from_at, start, region, from.pitch, 0, to.pitch, 0,
                to.buffer->host + to.offset, 0, NULL, NULL));
    else
        kst_opencl_check(&queue->error, opencl, "clEnqueueCopyBufferRect",
            driver->rows_across(
                handle, source, target, from_at, to_at, region, from.pitch, 0, to.pitch, 0, 0, NULL, NULL));
}

void kst_opencl_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    if (length == 0 || !kst_opencl_takes_work(queue))
        return;
    kst_opencl_check(&queue->error, opencl, "clEnqueueFillBuffer",
        opencl->driver.fill(
            (cl_queue)queue->handle, (cl_mem)buffer->handle, &value, sizeof value, offset, length, 0, NULL, NULL));
}

static bool set_arguments(
    struct gpu_queue *queue, const struct gpu_kernel *kernel, const struct gpu_argument *arguments, uint32_t count)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    for (uint32_t i = 0; i < count; i++) {
        const struct gpu_argument *argument = &arguments[i];
        cl_mem buffer = argument->buffer ? (cl_mem)argument->buffer->handle : NULL;
        cl_int result = argument->buffer
                            ? opencl->driver.kernel_argument((cl_kernel)kernel->handle, i, sizeof buffer, &buffer)
                            : opencl->driver.kernel_argument(
                                  (cl_kernel)kernel->handle, i, sizeof argument->value, &argument->value);
        if (!kst_opencl_check(&queue->error, opencl, kernel->name, result))
            return false;
    }
    return true;
}

void kst_opencl_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    size_t local = kernel->group, global = local * groups;
    if (groups == 0 || !kst_opencl_takes_work(queue))
        return;
    pthread_mutex_lock(&opencl->launching);
    if (set_arguments(queue, kernel, arguments, count)) {
        cl_event before = opencl->last, after = NULL;
        kst_opencl_check(&queue->error, opencl, kernel->name,
            opencl->driver.launch((cl_queue)queue->handle, (cl_kernel)kernel->handle, 1, NULL, &global, &local,
                before ? 1 : 0, before ? &before : NULL, opencl->in_turn ? &after : NULL));
        if (after)
            opencl->last = after;
        if (after && before)
            opencl->driver.event_release(before);
    }
    pthread_mutex_unlock(&opencl->launching);
}

void kst_opencl_record(struct gpu_queue *queue, struct gpu_event *event)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    cl_event made = NULL;
    if (!kst_opencl_takes_work(queue))
        return;
    if (!kst_opencl_check(&queue->error, opencl, "clEnqueueMarkerWithWaitList",
            opencl->driver.marker((cl_queue)queue->handle, 0, NULL, &made)))
        return;
    kst_opencl_event_destroy(queue->gpu, event);
    event->handle = (uintptr_t)made;
    opencl->driver.flush((cl_queue)queue->handle);
}

void kst_opencl_wait(struct gpu_queue *queue, const struct gpu_event *event)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    cl_event handle = (cl_event)event->handle;
    if (handle && kst_opencl_takes_work(queue))
        kst_opencl_check(&queue->error, opencl, "clEnqueueBarrierWithWaitList",
            opencl->driver.barrier((cl_queue)queue->handle, 1, &handle, NULL));
}

void kst_opencl_flush(struct gpu_queue *queue)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    if (kst_opencl_takes_work(queue))
        kst_opencl_check(&queue->error, opencl, "clFlush", opencl->driver.flush((cl_queue)queue->handle));
}

bool kst_opencl_passed(struct gpu *gpu, const struct gpu_event *event)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    cl_int status = 0;
    if (!event->handle || !kst_opencl_usable(opencl) ||
        opencl->driver.event_info((cl_event)event->handle, CL_EVENT_STATUS, sizeof status, &status, NULL) != 0)
        return true;
    return status <= 0;
}

/* Wait, after a failure too: nothing of the queue may still be running when its buffers are used again. */
void kst_opencl_finish(struct gpu_queue *queue)
{
    struct opencl *opencl = kst_opencl_of(queue->gpu);
    if (kst_gpu_usable(queue->gpu, &queue->error))
        kst_opencl_check(&queue->error, opencl, "clFinish", opencl->driver.finish((cl_queue)queue->handle));
}

double kst_opencl_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to)
{
    const struct opencl_driver *driver = &kst_opencl_of(gpu)->driver;
    cl_bits start = 0, end = 0;
    if (!from->handle || !to->handle || !kst_opencl_usable(kst_opencl_of(gpu)) ||
        driver->event_time((cl_event)from->handle, CL_PROFILING_END, sizeof start, &start, NULL) != 0 ||
        driver->event_time((cl_event)to->handle, CL_PROFILING_END, sizeof end, &end, NULL) != 0 || end < start)
        return 0;
    return (double)(end - start) * 1e-9;
}
