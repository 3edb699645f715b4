/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements queues and events of the device interface on CUDA's driver API: streams, copies and launches. */
#include <time.h>

#include "device/cuda/cuda.h"
#include "device/cuda/stream.h"

enum { LOOK_NANOSECONDS = 300000 /* how long a thread polls whether work is done before it waits in the driver */ };

bool kst_cuda_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_stream stream = NULL;
    int lowest = 0, highest = 0; /* the lower the number, the higher the priority */
    *queue = (struct gpu_queue){.gpu = gpu};
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = cuda->driver.stream_priorities(&lowest, &highest);
    if (result == 0)
        result = cuda->driver.stream_create(&stream, CU_STREAM_NON_BLOCKING, urgent ? highest : lowest);
    queue->handle = (uintptr_t)stream;
    return kst_cuda_leave(cuda, error, "cuStreamCreateWithPriority", result);
}

void kst_cuda_queue_destroy(struct gpu_queue *queue)
{
    struct cuda *cuda = kst_cuda_of(queue->gpu);
    if (!queue->handle || !kst_cuda_enter_quietly(cuda))
        return;
    cuda->driver.stream_destroy((cu_stream)queue->handle);
    kst_cuda_leave_quietly(cuda);
    queue->handle = 0;
}

bool kst_cuda_queue_import(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_context context = NULL;
    *queue = (struct gpu_queue){.gpu = gpu, .handle = (uintptr_t)handle};
    bool made = (uintptr_t)handle > CU_STREAM_PER_THREAD; /* not one of the default streams */
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = CU_INVALID_HANDLE;
    if (!made || kst_cuda_stream_lives(handle, cuda->own, cuda->context))
        result = cuda->driver.stream_context((cu_stream)handle, &context);
    kst_cuda_leave_quietly(cuda);
    if (result == 0 && context == cuda->context)
        return true;
    return kst_gpu_refuse(error, gpu, KST_ERROR_DEVICE_STREAM, "a stream of the device's primary context is wanted");
}

bool kst_cuda_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_event made = NULL;
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = cuda->driver.event_create(&made, 0);
    event->handle = (uintptr_t)made;
    return kst_cuda_leave(cuda, error, "cuEventCreate", result);
}

void kst_cuda_event_destroy(struct gpu *gpu, struct gpu_event *event)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    if (!event->handle || !kst_cuda_enter_quietly(cuda))
        return;
    cuda->driver.event_destroy((cu_event)event->handle);
    kst_cuda_leave_quietly(cuda);
    event->handle = 0;
}

void kst_cuda_queue_enter(struct gpu_queue *queue)
{
    queue->entered = kst_cuda_enter(kst_cuda_of(queue->gpu), &queue->error);
}

void kst_cuda_queue_leave(struct gpu_queue *queue)
{
    if (queue->entered)
        kst_cuda_leave_quietly(kst_cuda_of(queue->gpu));
    queue->entered = false;
}

/* Enter the queue's context. Returns false for a queue that has failed, which takes no more work. */
static bool enter_queue(struct gpu_queue *queue)
{
    return !queue->error.status && (queue->entered || kst_cuda_enter(kst_cuda_of(queue->gpu), &queue->error));
}

static void leave_queue(struct gpu_queue *queue, const char *call, cu_result result)
{
    if (!queue->entered)
        kst_cuda_leave(kst_cuda_of(queue->gpu), &queue->error, call, result);
    else if (result != 0)
        kst_cuda_fail(&queue->error, kst_cuda_of(queue->gpu), call, result);
}

void kst_cuda_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    const struct cuda_driver *driver = &kst_cuda_of(queue->gpu)->driver;
    cu_stream stream = (cu_stream)queue->handle;
    if (length == 0 || !enter_queue(queue))
        return;
    if (from->host)
        leave_queue(queue, "cuMemcpyHtoDAsync",
            driver->copy_up(to->handle + to_offset, from->host + from_offset, length, stream));
    else if (to->host)
        leave_queue(queue, "cuMemcpyDtoHAsync",
            driver->copy_down(to->host + to_offset, from->handle + from_offset, length, stream));
    else
        leave_queue(queue, "cuMemcpyDtoDAsync",
            driver->copy_across(to->handle + to_offset, from->handle + from_offset, length, stream));
}

/* Describe one side of a copy of rows: host memory or a device address. */
static int side_of(struct gpu_rows rows, const uint8_t **host, cu_pointer *address)
{
    *host = rows.buffer->host ? rows.buffer->host + rows.offset : NULL;
    *address = rows.buffer->host ? 0 : rows.buffer->handle + rows.offset;
    return rows.buffer->host ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

void kst_cuda_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    struct cu_copy copy = {.from_pitch = from.pitch, .to_pitch = to.pitch, .width = length, .height = rows};
    const uint8_t *host;
    if (length == 0 || rows == 0 || !enter_queue(queue))
        return;
    copy.from_kind = side_of(from, &host, &copy.from_device);
    copy.from_host = host;
    copy.to_kind = side_of(to, &host, &copy.to_device);
    copy.to_host = (void *)(uintptr_t)host;
    leave_queue(queue, "cuMemcpy2DAsync", kst_cuda_of(queue->gpu)->driver.copy_rows(&copy, (cu_stream)queue->handle));
}

void kst_cuda_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    if (length == 0 || !enter_queue(queue))
        return;
    cu_result result =
        kst_cuda_of(queue->gpu)->driver.fill(buffer->handle + offset, value, length / 4, (cu_stream)queue->handle);
    leave_queue(queue, "cuMemsetD32Async", result);
}

enum { MOST_ARGUMENTS = 24 };

void kst_cuda_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    cu_pointer pointer[MOST_ARGUMENTS];
    uint32_t value[MOST_ARGUMENTS];
    void *parameters[MOST_ARGUMENTS];
    if (groups == 0 || !enter_queue(queue))
        return;
    for (uint32_t i = 0; i < count; i++) {
        pointer[i] = arguments[i].buffer ? arguments[i].buffer->handle : 0;
        value[i] = arguments[i].value;
        parameters[i] = arguments[i].buffer ? (void *)&pointer[i] : (void *)&value[i];
    }
    cu_result result = kst_cuda_of(queue->gpu)
                           ->driver.launch((cu_function)kernel->handle, groups, 1, 1, kernel->group, 1, 1, 0,
                               (cu_stream)queue->handle, parameters, NULL);
    leave_queue(queue, kernel->name, result);
}

void kst_cuda_record(struct gpu_queue *queue, struct gpu_event *event)
{
    if (!enter_queue(queue))
        return;
    cu_result result = kst_cuda_of(queue->gpu)->driver.event_record((cu_event)event->handle, (cu_stream)queue->handle);
    leave_queue(queue, "cuEventRecord", result);
}

void kst_cuda_wait(struct gpu_queue *queue, const struct gpu_event *event)
{
    if (!enter_queue(queue))
        return;
    cu_result result =
        kst_cuda_of(queue->gpu)->driver.stream_wait((cu_stream)queue->handle, (cu_event)event->handle, 0);
    leave_queue(queue, "cuStreamWaitEvent", result);
}

/* The driver begins queued work without being asked. */
void kst_cuda_flush(struct gpu_queue *queue)
{
    (void)queue;
}

bool kst_cuda_passed(struct gpu *gpu, const struct gpu_event *event)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    if (!kst_cuda_enter_quietly(cuda))
        return true;
    cu_result result = cuda->driver.event_query((cu_event)event->handle);
    kst_cuda_leave_quietly(cuda);
    return result != CU_NOT_READY;
}

/* Wait, after a failure too: nothing of the queue may still be running when its buffers are used again. */
void kst_cuda_finish(struct gpu_queue *queue)
{
    struct cuda *cuda = kst_cuda_of(queue->gpu);
    if (!queue->entered && !kst_cuda_enter(cuda, &queue->error))
        return;
    leave_queue(queue, "cuStreamSynchronize", cuda->driver.stream_finish((cu_stream)queue->handle));
}

/*
 * Poll for a while before waiting in the driver, which wakes the thread only some microseconds after the work is done.
 * There is no polling if the program has asked the driver to let threads sleep.
 */
void kst_cuda_finish_soon(struct gpu_queue *queue)
{
    struct cuda *cuda = kst_cuda_of(queue->gpu);
    struct timespec start, now;
    cu_result result = CU_NOT_READY;
    if (queue->entered && !cuda->sleeps && clock_gettime(CLOCK_MONOTONIC, &start) == 0)
        do {
            result = cuda->driver.stream_query((cu_stream)queue->handle);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (result == CU_NOT_READY &&
                 (now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < LOOK_NANOSECONDS);
    if (result != 0)
        kst_cuda_finish(queue);
}

double kst_cuda_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    float milliseconds = 0;
    if (!kst_cuda_enter_quietly(cuda))
        return 0;
    if (cuda->driver.event_elapsed(&milliseconds, (cu_event)from->handle, (cu_event)to->handle) != 0)
        milliseconds = 0;
    kst_cuda_leave_quietly(cuda);
    return (double)milliseconds * 1e-3;
}
