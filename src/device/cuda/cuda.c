/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the device interface on CUDA's driver API. It works in the device's primary context, which the runtime API
 * shares.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "device/cuda/driver.h"
#include "device/cuda/stream.h"
#include "device/device.h"
#include "device/library.h"

struct cuda {
    struct gpu base;
    struct cuda_driver driver;
    cu_device device;
    cu_context context;
    cu_stream own; /* nothing is ever queued in it; callers' streams are compared with it */
    bool sleeps;   /* threads that wait for the device sleep, as the program wants */
};

enum { LOOK_NANOSECONDS = 300000 /* how long a thread looks whether work is done before it waits in the driver */ };

#define CUDA_SYMBOL(member, symbol, parameters) symbol,

static bool load_driver(struct cuda_driver *driver)
{
    static const char *const symbols[] = {CUDA_SYMBOLS(CUDA_SYMBOL)};
    _Static_assert(sizeof *driver == sizeof(void *) * (sizeof symbols / sizeof symbols[0]), "a pointer a symbol");
    return kst_gpu_library("libcuda.so.1", symbols, sizeof symbols / sizeof symbols[0], driver) && driver->init(0) == 0;
}

static struct cuda *cuda_of(struct gpu *gpu)
{
    return (struct cuda *)gpu;
}

static bool fail(struct gpu_error *error, const struct cuda *cuda, const char *call, cu_result result)
{
    const char *name = NULL;
    char number[32];
    if (cuda->driver.error_name(result, &name) != 0 || !name) {
        snprintf(number, sizeof number, "error %d", result);
        name = number;
    }
    return kst_gpu_fail(error, &cuda->base, call, name);
}

/* Every call works in the device's context and leaves the caller's current context as it was. */
static bool enter(struct cuda *cuda, struct gpu_error *error)
{
    if (!kst_gpu_usable(&cuda->base, error))
        return false;
    cu_result result = cuda->driver.context_push(cuda->context);
    return result == 0 || fail(error, cuda, "cuCtxPushCurrent", result);
}

static bool leave(struct cuda *cuda, struct gpu_error *error, const char *call, cu_result result)
{
    cu_context context;
    cuda->driver.context_pop(&context);
    return result == 0 || fail(error, cuda, call, result);
}

/* Make calls whose failure cannot be handled. */
static bool enter_quietly(struct cuda *cuda)
{
    struct gpu_error ignored = {.status = KST_OK};
    return enter(cuda, &ignored);
}

static void leave_quietly(struct cuda *cuda)
{
    cu_context context;
    cuda->driver.context_pop(&context);
}

static uint32_t cuda_count(void)
{
    struct cuda_driver driver;
    int count = 0;
    if (!load_driver(&driver) || driver.device_count(&count) != 0 || count < 0)
        return 0;
    return (uint32_t)count;
}

static int32_t cuda_preferred(void)
{
    return cuda_count() > 0 ? 0 : -1;
}

static bool describe(const struct cuda_driver *driver, uint32_t index, cu_device *device, kst_device_info *info)
{
    int units = 0, version = 0;
    size_t memory = 0;
    if (driver->device_get(device, (int)index) != 0)
        return false;
    *info = (kst_device_info){.size = sizeof *info};
    kst_gpu_name(info, &kst_gpu_cuda, index);
    driver->device_name(info->model, (int)sizeof info->model - 1, *device);
    driver->device_attribute(&units, CU_MULTIPROCESSOR_COUNT, *device);
    driver->device_memory(&memory, *device);
    driver->driver_version(&version);
    info->units = (uint32_t)units;
    info->memory = memory;
    info->gpu = true;
    snprintf(info->tier, sizeof info->tier, "%d.%d", version / 1000, version % 1000 / 10);
    return true;
}

static bool cuda_describe(uint32_t index, kst_device_info *info)
{
    struct cuda_driver driver;
    cu_device device;
    return load_driver(&driver) && describe(&driver, index, &device, info);
}

/* If this fails, callers' streams are not checked. */
static void make_own_stream(struct cuda *cuda)
{
    if (!enter_quietly(cuda))
        return;
    if (cuda->driver.stream_create(&cuda->own, CU_STREAM_NON_BLOCKING, 0) != 0)
        cuda->own = NULL;
    leave_quietly(cuda);
}

static void find_habits(struct cuda *cuda)
{
    unsigned flags = 0;
    int active = 0;
    if (cuda->driver.context_state(cuda->device, &flags, &active) == 0)
        cuda->sleeps = (flags & CU_CONTEXT_SLEEPS) != 0;
}

static struct gpu *cuda_open(struct memory *memory, uint32_t index, struct gpu_error *error)
{
    struct cuda *cuda = kst_memory_zeroed(memory, 1, sizeof *cuda, &error->status);
    if (!cuda)
        return NULL;
    cuda->base.backend = &kst_gpu_cuda;
    cuda->base.memory = memory;
    cuda->base.largest = UINT64_MAX;
    cuda->base.process = (long)getpid();
    kst_gpu_name(&cuda->base.info, &kst_gpu_cuda, index);
    cu_result result = 0;
    if (!load_driver(&cuda->driver) || !describe(&cuda->driver, index, &cuda->device, &cuda->base.info))
        kst_gpu_fail(error, &cuda->base, "cuInit", "the driver is gone");
    else if ((result = cuda->driver.context_retain(&cuda->context, cuda->device)) != 0)
        fail(error, cuda, "cuDevicePrimaryCtxRetain", result);
    if (!error->status) {
        make_own_stream(cuda);
        find_habits(cuda);
        return &cuda->base;
    }
    kst_memory_release(memory, cuda);
    return NULL;
}

static void cuda_close(struct gpu *gpu)
{
    struct cuda *cuda = cuda_of(gpu);
    if (cuda->own && enter_quietly(cuda)) {
        cuda->driver.stream_destroy(cuda->own);
        leave_quietly(cuda);
    }
    struct gpu_error ignored = {.status = KST_OK};
    if (kst_gpu_usable(gpu, &ignored))
        cuda->driver.context_release(cuda->device);
    kst_memory_release(gpu->memory, cuda);
}

static bool cuda_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_module module = NULL;
    if (kernels->cuda == kernels->cuda_end)
        return kst_gpu_fail(error, gpu, kernels->name, "this library was built without a CUDA compiler");
    if (!enter(cuda, error))
        return false;
    cu_result result = cuda->driver.module_load(&module, kernels->cuda);
    program->handle = (uintptr_t)module;
    return leave(cuda, error, "cuModuleLoadData", result);
}

static void cuda_discard(struct gpu *gpu, struct gpu_program *program)
{
    struct cuda *cuda = cuda_of(gpu);
    if (!program->handle || !enter_quietly(cuda))
        return;
    cuda->driver.module_unload((cu_module)program->handle);
    leave_quietly(cuda);
    program->handle = 0;
}

static bool cuda_find(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
    struct gpu_kernel *kernel, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_function function = NULL;
    if (!enter(cuda, error))
        return false;
    cu_result result = cuda->driver.module_function(&function, (cu_module)program->handle, name);
    *kernel = (struct gpu_kernel){.name = name, .group = group, .handle = (uintptr_t)function};
    return leave(cuda, error, name, result);
}

static void cuda_forget(struct gpu *gpu, struct gpu_kernel *kernel)
{
    (void)gpu;
    kernel->handle = 0;
}

static void cuda_inspect(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits)
{
    struct cuda *cuda = cuda_of(gpu);
    const struct cuda_driver *driver = &cuda->driver;
    cu_function function = (cu_function)kernel->handle;
    int most = 0;
    if (!enter_quietly(cuda))
        return;
    driver->function_attribute(&traits->registers, CU_FUNCTION_REGISTERS, function);
    driver->function_attribute(&traits->local_bytes, CU_FUNCTION_SHARED, function);
    driver->function_attribute(&traits->private_bytes, CU_FUNCTION_LOCAL, function);
    if (driver->function_resident(&traits->resident, function, (int)kernel->group, 0) == 0 &&
        driver->device_attribute(&most, CU_MULTIPROCESSOR_THREADS, cuda->device) == 0 && most > 0)
        traits->occupancy = (double)traits->resident * kernel->group / most;
    leave_quietly(cuda);
}

static bool cuda_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_pointer pointer = 0;
    void *host = NULL;
    cu_result result;
    if (!enter(cuda, error))
        return false;
    if (place == GPU_PINNED)
        result = cuda->driver.host_allocate(&host, length, CU_HOST_ALLOC_PORTABLE);
    else
        result = cuda->driver.allocate(&pointer, length);
    uintptr_t handle = place == GPU_PINNED ? (uintptr_t)host : (uintptr_t)pointer; /* the device has the same address */
    *buffer = (struct gpu_buffer){.place = place, .length = length, .host = host, .handle = handle};
    return leave(cuda, error, place == GPU_PINNED ? "cuMemHostAlloc" : "cuMemAlloc", result);
}

static void cuda_release(struct gpu *gpu, struct gpu_buffer *buffer)
{
    struct cuda *cuda = cuda_of(gpu);
    if ((!buffer->host && !buffer->handle) || !enter_quietly(cuda))
        return;
    if (buffer->place == GPU_PINNED)
        cuda->driver.host_release(buffer->host);
    else
        cuda->driver.release(buffer->handle);
    leave_quietly(cuda);
    *buffer = (struct gpu_buffer){.place = buffer->place};
}

/* Return the end of the stretch of this device's memory that contains an address; 0 if there is none. */
static cu_pointer stretch_end(const struct cuda *cuda, cu_pointer at, struct gpu_error *error)
{
    unsigned kind = 0;
    int ordinal = -1;
    cu_context context = NULL;
    cu_pointer start = 0;
    size_t length = 0;
    int attributes[] = {CU_POINTER_MEMORY_TYPE, CU_POINTER_DEVICE_ORDINAL, CU_POINTER_CONTEXT, CU_POINTER_RANGE_START,
        CU_POINTER_RANGE_SIZE};
    void *values[] = {&kind, &ordinal, &context, &start, &length};
    if (cuda->driver.pointer_attributes(sizeof values / sizeof values[0], attributes, values, at) != 0 ||
        kind != CU_MEMORY_DEVICE)
        return 0;
    if (ordinal != cuda->device)
        kst_gpu_refuse(error, &cuda->base, KST_ERROR_IMAGE_MEMORY, "the address belongs to another device");
    else if (context && context != cuda->context) /* memory of pools belongs to no context */
        kst_gpu_refuse(error, &cuda->base, KST_ERROR_IMAGE_MEMORY, "the address belongs to another context");
    return error->status ? 0 : start + length;
}

/* Memory that was mapped in pieces consists of several adjacent stretches. */
static bool cuda_import(
    struct gpu *gpu, void *data, size_t offset, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_pointer first = (cu_pointer)(uintptr_t)data + offset, at = first;
    *buffer = (struct gpu_buffer){.place = GPU_DEVICE, .length = length, .handle = (uintptr_t)first};
    if (!enter(cuda, error))
        return false;
    while (at - first < length && !error->status) {
        cu_pointer end = stretch_end(cuda, at, error);
        if (end <= at && at == first)
            kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "not an address of device memory");
        else if (end <= at)
            kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_BUFFER, "the memory is too short");
        else
            at = end;
    }
    leave_quietly(cuda);
    return !error->status;
}

/*
 * If it is asked for a single attribute, the driver reports memory that it does not know as an error, and memory
 * checkers report that. Asking for a list of attributes avoids this.
 */
static bool is_pinned(const struct cuda_driver *driver, const uint8_t *at)
{
    unsigned kind = 0;
    int attribute = CU_POINTER_MEMORY_TYPE;
    void *values = &kind;
    return driver->pointer_attributes(1, &attribute, &values, (cu_pointer)(uintptr_t)at) == 0 && kind == CU_MEMORY_HOST;
}

static bool cuda_pinned(struct gpu *gpu, const void *memory, size_t length)
{
    struct cuda *cuda = cuda_of(gpu);
    const uint8_t *first = memory;
    if (length == 0 || !enter_quietly(cuda))
        return false;
    bool pinned = is_pinned(&cuda->driver, first) && is_pinned(&cuda->driver, first + length - 1);
    leave_quietly(cuda);
    return pinned;
}

static bool cuda_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_stream stream = NULL;
    int lowest = 0, highest = 0; /* the lower the number, the higher the priority */
    *queue = (struct gpu_queue){.gpu = gpu};
    if (!enter(cuda, error))
        return false;
    cu_result result = cuda->driver.stream_priorities(&lowest, &highest);
    if (result == 0)
        result = cuda->driver.stream_create(&stream, CU_STREAM_NON_BLOCKING, urgent ? highest : lowest);
    queue->handle = (uintptr_t)stream;
    return leave(cuda, error, "cuStreamCreateWithPriority", result);
}

static void cuda_queue_destroy(struct gpu_queue *queue)
{
    struct cuda *cuda = cuda_of(queue->gpu);
    if (!queue->handle || !enter_quietly(cuda))
        return;
    cuda->driver.stream_destroy((cu_stream)queue->handle);
    leave_quietly(cuda);
    queue->handle = 0;
}

static bool cuda_queue_import(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_context context = NULL;
    *queue = (struct gpu_queue){.gpu = gpu, .handle = (uintptr_t)handle};
    bool made = (uintptr_t)handle > CU_STREAM_PER_THREAD; /* not one of the default streams */
    if (!enter(cuda, error))
        return false;
    cu_result result = CU_INVALID_HANDLE;
    if (!made || kst_cuda_stream_lives(handle, cuda->own, cuda->context))
        result = cuda->driver.stream_context((cu_stream)handle, &context);
    leave_quietly(cuda);
    if (result == 0 && context == cuda->context)
        return true;
    return kst_gpu_refuse(error, gpu, KST_ERROR_DEVICE_STREAM, "a stream of the device's primary context is wanted");
}

static bool cuda_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    struct cuda *cuda = cuda_of(gpu);
    cu_event made = NULL;
    if (!enter(cuda, error))
        return false;
    cu_result result = cuda->driver.event_create(&made, 0);
    event->handle = (uintptr_t)made;
    return leave(cuda, error, "cuEventCreate", result);
}

static void cuda_event_destroy(struct gpu *gpu, struct gpu_event *event)
{
    struct cuda *cuda = cuda_of(gpu);
    if (!event->handle || !enter_quietly(cuda))
        return;
    cuda->driver.event_destroy((cu_event)event->handle);
    leave_quietly(cuda);
    event->handle = 0;
}

static void cuda_enter(struct gpu_queue *queue)
{
    queue->entered = enter(cuda_of(queue->gpu), &queue->error);
}

static void cuda_leave(struct gpu_queue *queue)
{
    if (queue->entered)
        leave_quietly(cuda_of(queue->gpu));
    queue->entered = false;
}

/* A queue that has failed takes no more work. */
static bool enter_queue(struct gpu_queue *queue)
{
    return !queue->error.status && (queue->entered || enter(cuda_of(queue->gpu), &queue->error));
}

static void leave_queue(struct gpu_queue *queue, const char *call, cu_result result)
{
    if (!queue->entered)
        leave(cuda_of(queue->gpu), &queue->error, call, result);
    else if (result != 0)
        fail(&queue->error, cuda_of(queue->gpu), call, result);
}

static void cuda_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    const struct cuda_driver *driver = &cuda_of(queue->gpu)->driver;
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

/* One side of a copy of rows: host memory or a device address. */
static int side_of(struct gpu_rows rows, const uint8_t **host, cu_pointer *address)
{
    *host = rows.buffer->host ? rows.buffer->host + rows.offset : NULL;
    *address = rows.buffer->host ? 0 : rows.buffer->handle + rows.offset;
    return rows.buffer->host ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

static void cuda_copy_rows(
    struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows)
{
    struct cu_copy copy = {.from_pitch = from.pitch, .to_pitch = to.pitch, .width = length, .height = rows};
    const uint8_t *host;
    if (length == 0 || rows == 0 || !enter_queue(queue))
        return;
    copy.from_kind = side_of(from, &host, &copy.from_device);
    copy.from_host = host;
    copy.to_kind = side_of(to, &host, &copy.to_device);
    copy.to_host = (void *)(uintptr_t)host;
    leave_queue(queue, "cuMemcpy2DAsync", cuda_of(queue->gpu)->driver.copy_rows(&copy, (cu_stream)queue->handle));
}

static void cuda_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    if (length == 0 || !enter_queue(queue))
        return;
    cu_result result =
        cuda_of(queue->gpu)->driver.fill(buffer->handle + offset, value, length / 4, (cu_stream)queue->handle);
    leave_queue(queue, "cuMemsetD32Async", result);
}

enum { MOST_ARGUMENTS = 24 };

static void cuda_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
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
    cu_result result = cuda_of(queue->gpu)
                           ->driver.launch((cu_function)kernel->handle, groups, 1, 1, kernel->group, 1, 1, 0,
                               (cu_stream)queue->handle, parameters, NULL);
    leave_queue(queue, kernel->name, result);
}

static void cuda_record(struct gpu_queue *queue, struct gpu_event *event)
{
    if (!enter_queue(queue))
        return;
    cu_result result = cuda_of(queue->gpu)->driver.event_record((cu_event)event->handle, (cu_stream)queue->handle);
    leave_queue(queue, "cuEventRecord", result);
}

static void cuda_wait(struct gpu_queue *queue, const struct gpu_event *event)
{
    if (!enter_queue(queue))
        return;
    cu_result result = cuda_of(queue->gpu)->driver.stream_wait((cu_stream)queue->handle, (cu_event)event->handle, 0);
    leave_queue(queue, "cuStreamWaitEvent", result);
}

/* The driver begins with queued work by itself. */
static void cuda_flush(struct gpu_queue *queue)
{
    (void)queue;
}

static bool cuda_passed(struct gpu *gpu, const struct gpu_event *event)
{
    struct cuda *cuda = cuda_of(gpu);
    if (!enter_quietly(cuda))
        return true;
    cu_result result = cuda->driver.event_query((cu_event)event->handle);
    leave_quietly(cuda);
    return result != CU_NOT_READY;
}

/* This waits after a failure too: nothing of the queue may still be running when its buffers are used again. */
static void cuda_finish(struct gpu_queue *queue)
{
    struct cuda *cuda = cuda_of(queue->gpu);
    if (!queue->entered && !enter(cuda, &queue->error))
        return;
    leave_queue(queue, "cuStreamSynchronize", cuda->driver.stream_finish((cu_stream)queue->handle));
}

/*
 * Waiting in the driver takes some microseconds from when the work is done to when the thread goes on. A program that
 * has asked the driver to let threads sleep has its way.
 */
static void cuda_finish_soon(struct gpu_queue *queue)
{
    struct cuda *cuda = cuda_of(queue->gpu);
    struct timespec start, now;
    cu_result result = CU_NOT_READY;
    if (queue->entered && !cuda->sleeps && clock_gettime(CLOCK_MONOTONIC, &start) == 0)
        do {
            result = cuda->driver.stream_query((cu_stream)queue->handle);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (result == CU_NOT_READY &&
                 (now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < LOOK_NANOSECONDS);
    if (result != 0)
        cuda_finish(queue);
}

static double cuda_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to)
{
    struct cuda *cuda = cuda_of(gpu);
    float milliseconds = 0;
    if (!enter_quietly(cuda))
        return 0;
    if (cuda->driver.event_elapsed(&milliseconds, (cu_event)from->handle, (cu_event)to->handle) != 0)
        milliseconds = 0;
    leave_quietly(cuda);
    return (double)milliseconds * 1e-3;
}

const struct gpu_backend kst_gpu_cuda = {
    .kind = KST_DEVICE_CUDA,
    .memory = KST_MEMORY_CUDA,
    .name = "cuda",
    .urges = true,
    .maps = true,
    .count = cuda_count,
    .preferred = cuda_preferred,
    .describe = cuda_describe,
    .open = cuda_open,
    .close = cuda_close,
    .build = cuda_build,
    .discard = cuda_discard,
    .find = cuda_find,
    .forget = cuda_forget,
    .inspect = cuda_inspect,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .import = cuda_import,
    .pinned = cuda_pinned,
    .queue_create = cuda_queue_create,
    .queue_destroy = cuda_queue_destroy,
    .queue_import = cuda_queue_import,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .copy = cuda_copy,
    .copy_rows = cuda_copy_rows,
    .fill = cuda_fill,
    .launch = cuda_launch,
    .record = cuda_record,
    .wait = cuda_wait,
    .flush = cuda_flush,
    .passed = cuda_passed,
    .finish = cuda_finish,
    .finish_soon = cuda_finish_soon,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .elapsed = cuda_elapsed,
};
