/* SPDX-License-Identifier: BSD-2-Clause */
/* The device interface on OpenCL, version 1.2 or later. Devices are numbered through all platforms. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/device.h"
#include "gpu/library.h"
#include "gpu/opencl_driver.h"

struct opencl {
    struct gpu base;
    struct opencl_driver driver;
    cl_device device;
    cl_context context;
    cl_queue queue;            /* for mapping memory */
    pthread_mutex_t launching; /* a kernel's arguments are set one by one */
};

#define OPENCL_SYMBOL(member, symbol, type, parameters) symbol,

static bool load_driver(struct opencl_driver *driver)
{
    static const char *const symbols[] = {OPENCL_SYMBOLS(OPENCL_SYMBOL)};
    _Static_assert(sizeof *driver == sizeof(void *) * (sizeof symbols / sizeof symbols[0]), "a pointer a symbol");
    return kst_gpu_library("libOpenCL.so.1", symbols, sizeof symbols / sizeof symbols[0], driver);
}

static struct opencl *opencl_of(struct gpu *gpu)
{
    return (struct opencl *)gpu;
}

static const char *name_of(cl_int result)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {-5, "CL_OUT_OF_RESOURCES"},
        {-6, "CL_OUT_OF_HOST_MEMORY"},
        {-11, "CL_BUILD_PROGRAM_FAILURE"},
        {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-61, "CL_INVALID_BUFFER_SIZE"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == result)
            return names[i].name;
    return NULL;
}

static bool fail(struct gpu_error *error, const struct opencl *opencl, const char *call, cl_int result)
{
    char number[32];
    const char *name = name_of(result);
    snprintf(number, sizeof number, "error %d", (int)result);
    return kst_gpu_fail(error, &opencl->base, call, name ? name : number);
}

static bool check(struct gpu_error *error, const struct opencl *opencl, const char *call, cl_int result)
{
    return result == 0 || fail(error, opencl, call, result);
}

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

/* The devices of all platforms in turn. Returns how many. */
static uint32_t list_devices(const struct opencl_driver *driver, cl_device devices[MOST_DEVICES])
{
    cl_platform platforms[MOST_PLATFORMS];
    cl_uint platform_count = 0;
    uint32_t count = 0;
    if (driver->platforms(MOST_PLATFORMS, platforms, &platform_count) != 0)
        return 0;
    for (cl_uint i = 0; i < platform_count && i < MOST_PLATFORMS && count < MOST_DEVICES; i++) {
        cl_uint found = 0;
        cl_uint room = MOST_DEVICES - count;
        if (driver->devices(platforms[i], (uint32_t)CL_DEVICE_ALL, room, devices + count, &found) == 0)
            count += found < room ? found : room;
    }
    return count;
}

static uint32_t opencl_count(void)
{
    struct opencl_driver driver;
    cl_device devices[MOST_DEVICES];
    return load_driver(&driver) ? list_devices(&driver, devices) : 0;
}

static bool describe(const struct opencl_driver *driver, uint32_t index, cl_device *device, kst_device_info *info)
{
    cl_device devices[MOST_DEVICES];
    cl_uint units = 0;
    cl_bits memory = 0;
    char version[256] = "";
    if (index >= list_devices(driver, devices))
        return false;
    *device = devices[index];
    *info = (kst_device_info){.size = sizeof *info};
    kst_gpu_name(info, &kst_gpu_opencl, index);
    driver->device_info(*device, CL_DEVICE_NAME, sizeof info->model - 1, info->model, NULL);
    driver->device_info(*device, CL_DEVICE_UNITS, sizeof units, &units, NULL);
    driver->device_info(*device, CL_DEVICE_MEMORY, sizeof memory, &memory, NULL);
    driver->device_info(*device, CL_DRIVER_VERSION, sizeof version - 1, version, NULL);
    info->units = units;
    info->memory = memory;
    snprintf(info->tier, sizeof info->tier, "%.15s", version);
    return true;
}

static bool opencl_describe(uint32_t index, kst_device_info *info)
{
    struct opencl_driver driver;
    cl_device device;
    return load_driver(&driver) && describe(&driver, index, &device, info);
}

static void open_context(struct opencl *opencl, struct gpu_error *error)
{
    cl_int result;
    opencl->context = opencl->driver.context_create(NULL, 1, &opencl->device, NULL, NULL, &result);
    if (!check(error, opencl, "clCreateContext", result))
        return;
    opencl->queue = opencl->driver.queue_create(opencl->context, opencl->device, 0, &result);
    if (!check(error, opencl, "clCreateCommandQueue", result))
        opencl->driver.context_release(opencl->context);
}

static struct gpu *opencl_open(struct memory *memory, uint32_t index, struct gpu_error *error)
{
    struct opencl *opencl = kst_memory_zeroed(memory, 1, sizeof *opencl, &error->status);
    if (!opencl)
        return NULL;
    opencl->base.backend = &kst_gpu_opencl;
    opencl->base.memory = memory;
    opencl->base.process = (long)getpid();
    kst_gpu_name(&opencl->base.info, &kst_gpu_opencl, index);
    if (!load_driver(&opencl->driver) || !describe(&opencl->driver, index, &opencl->device, &opencl->base.info))
        kst_gpu_fail(error, &opencl->base, "clGetDeviceIDs", "the driver is gone");
    else
        open_context(opencl, error);
    if (error->status == KST_OK && pthread_mutex_init(&opencl->launching, NULL) == 0)
        return &opencl->base;
    kst_memory_release(memory, opencl);
    return NULL;
}

/* A child of fork() leaves the driver alone. */
static bool usable(const struct opencl *opencl)
{
    struct gpu_error ignored = {.status = KST_OK};
    return kst_gpu_usable(&opencl->base, &ignored);
}

static void opencl_close(struct gpu *gpu)
{
    struct opencl *opencl = opencl_of(gpu);
    if (usable(opencl)) {
        opencl->driver.queue_release(opencl->queue);
        opencl->driver.context_release(opencl->context);
    }
    pthread_mutex_destroy(&opencl->launching);
    kst_memory_release(gpu->memory, opencl);
}

/* The first line of the build log that says what is wrong. */
static void fail_build(const struct opencl *opencl, cl_program program, const char *name, struct gpu_error *error)
{
    size_t length = 0;
    opencl->driver.program_log(program, opencl->device, CL_BUILD_LOG, 0, NULL, &length);
    char *log = kst_memory_zeroed(opencl->base.memory, length + 1, 1, NULL);
    if (log)
        opencl->driver.program_log(program, opencl->device, CL_BUILD_LOG, length, log, NULL);
    char *line = log ? strstr(log, "error") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    if (line)
        line[strcspn(line, "\n")] = 0;
    kst_gpu_fail(error, &opencl->base, name, line ? line : "CL_BUILD_PROGRAM_FAILURE");
    kst_memory_release(opencl->base.memory, log);
}

static bool opencl_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *out, struct gpu_error *error)
{
    struct opencl *opencl = opencl_of(gpu);
    const char *text = (const char *)kernels->opencl;
    size_t length = (size_t)(kernels->opencl_end - kernels->opencl);
    cl_int result;
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_program program = opencl->driver.program_create(opencl->context, 1, &text, &length, &result);
    if (!check(error, opencl, "clCreateProgramWithSource", result))
        return false;
    result = opencl->driver.program_build(program, 1, &opencl->device, "-cl-std=CL1.2", NULL, NULL);
    if (result == 0) {
        out->handle = (uintptr_t)program;
        return true;
    }
    if (result == CL_BUILD_PROGRAM_FAILURE)
        fail_build(opencl, program, kernels->name, error);
    else
        fail(error, opencl, "clBuildProgram", result);
    opencl->driver.program_release(program);
    return false;
}

static void opencl_discard(struct gpu *gpu, struct gpu_program *program)
{
    struct opencl *opencl = opencl_of(gpu);
    if (program->handle && usable(opencl))
        opencl->driver.program_release((cl_program)program->handle);
    program->handle = 0;
}

static bool opencl_find(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
    struct gpu_kernel *kernel, struct gpu_error *error)
{
    struct opencl *opencl = opencl_of(gpu);
    cl_int result;
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_kernel made = opencl->driver.kernel_create((cl_program)program->handle, name, &result);
    *kernel = (struct gpu_kernel){.name = name, .group = group, .handle = (uintptr_t)made};
    return check(error, opencl, name, result);
}

static void opencl_forget(struct gpu *gpu, struct gpu_kernel *kernel)
{
    struct opencl *opencl = opencl_of(gpu);
    if (kernel->handle && usable(opencl))
        opencl->driver.kernel_release((cl_kernel)kernel->handle);
    kernel->handle = 0;
}

static bool opencl_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct opencl *opencl = opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_int result;
    *buffer = (struct gpu_buffer){.place = place};
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_bits flags = place == GPU_PINNED ? CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST : CL_MEM_READ_WRITE;
    cl_mem made = driver->buffer_create(opencl->context, flags, length, NULL, &result);
    if (!check(error, opencl, "clCreateBuffer", result))
        return false;
    *buffer = (struct gpu_buffer){.place = place, .length = length, .handle = (uintptr_t)made};
    if (place == GPU_DEVICE)
        return true;
    buffer->host = driver->map(opencl->queue, made, 1, CL_MAP_READ_WRITE, 0, length, 0, NULL, NULL, &result);
    if (check(error, opencl, "clEnqueueMapBuffer", result))
        return true;
    driver->buffer_release(made);
    *buffer = (struct gpu_buffer){.place = place};
    return false;
}

static void opencl_release(struct gpu *gpu, struct gpu_buffer *buffer)
{
    struct opencl *opencl = opencl_of(gpu);
    if (buffer->handle && usable(opencl)) {
        if (buffer->host) {
            opencl->driver.unmap(opencl->queue, (cl_mem)buffer->handle, buffer->host, 0, NULL, NULL);
            opencl->driver.finish(opencl->queue);
        }
        opencl->driver.buffer_release((cl_mem)buffer->handle);
    }
    *buffer = (struct gpu_buffer){.place = buffer->place};
}

static bool opencl_queue_create(struct gpu *gpu, struct gpu_queue *queue, struct gpu_error *error)
{
    struct opencl *opencl = opencl_of(gpu);
    cl_int result;
    *queue = (struct gpu_queue){.gpu = gpu};
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_queue made = opencl->driver.queue_create(opencl->context, opencl->device, CL_QUEUE_PROFILING, &result);
    queue->handle = (uintptr_t)made;
    return check(error, opencl, "clCreateCommandQueue", result);
}

static void opencl_queue_destroy(struct gpu_queue *queue)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    if (queue->handle && usable(opencl))
        opencl->driver.queue_release((cl_queue)queue->handle);
    queue->handle = 0;
}

/* The driver makes an event when it is recorded. */
static bool opencl_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error)
{
    event->handle = 0;
    return kst_gpu_usable(gpu, error);
}

static void opencl_event_destroy(struct gpu *gpu, struct gpu_event *event)
{
    struct opencl *opencl = opencl_of(gpu);
    if (event->handle && usable(opencl))
        opencl->driver.event_release((cl_event)event->handle);
    event->handle = 0;
}

/* A queue that has failed takes no more work. */
static bool takes_work(struct gpu_queue *queue)
{
    return queue->error.status == KST_OK && kst_gpu_usable(queue->gpu, &queue->error);
}

static void opencl_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_queue handle = (cl_queue)queue->handle;
    cl_mem source = (cl_mem)from->handle, target = (cl_mem)to->handle;
    if (length == 0 || !takes_work(queue))
        return;
    if (from->host)
        check(&queue->error, opencl, "clEnqueueWriteBuffer",
            driver->copy_up(handle, target, 0, to_offset, length, from->host + from_offset, 0, NULL, NULL));
    else if (to->host)
        check(&queue->error, opencl, "clEnqueueReadBuffer",
            driver->copy_down(handle, source, 0, from_offset, length, to->host + to_offset, 0, NULL, NULL));
    else
        check(&queue->error, opencl, "clEnqueueCopyBuffer",
            driver->copy_across(handle, source, target, from_offset, to_offset, length, 0, NULL, NULL));
}

static void opencl_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    if (length == 0 || !takes_work(queue))
        return;
    check(&queue->error, opencl, "clEnqueueFillBuffer",
        opencl->driver.fill(
            (cl_queue)queue->handle, (cl_mem)buffer->handle, &value, sizeof value, offset, length, 0, NULL, NULL));
}

static bool set_arguments(
    struct gpu_queue *queue, const struct gpu_kernel *kernel, const struct gpu_argument *arguments, uint32_t count)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    for (uint32_t i = 0; i < count; i++) {
        const struct gpu_argument *argument = &arguments[i];
        cl_mem buffer = argument->buffer ? (cl_mem)argument->buffer->handle : NULL;
        cl_int result = argument->buffer
                            ? opencl->driver.kernel_argument((cl_kernel)kernel->handle, i, sizeof buffer, &buffer)
                            : opencl->driver.kernel_argument(
                                  (cl_kernel)kernel->handle, i, sizeof argument->value, &argument->value);
        if (!check(&queue->error, opencl, kernel->name, result))
            return false;
    }
    return true;
}

static void opencl_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    size_t local = kernel->group, global = local * groups;
    if (groups == 0 || !takes_work(queue))
        return;
    pthread_mutex_lock(&opencl->launching);
    if (set_arguments(queue, kernel, arguments, count))
        check(&queue->error, opencl, kernel->name,
            opencl->driver.launch(
                (cl_queue)queue->handle, (cl_kernel)kernel->handle, 1, NULL, &global, &local, 0, NULL, NULL));
    pthread_mutex_unlock(&opencl->launching);
}

static void opencl_record(struct gpu_queue *queue, struct gpu_event *event)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    cl_event made = NULL;
    if (!takes_work(queue))
        return;
    if (!check(&queue->error, opencl, "clEnqueueMarkerWithWaitList",
            opencl->driver.marker((cl_queue)queue->handle, 0, NULL, &made)))
        return;
    opencl_event_destroy(queue->gpu, event);
    event->handle = (uintptr_t)made;
    opencl->driver.flush((cl_queue)queue->handle);
}

static void opencl_wait(struct gpu_queue *queue, const struct gpu_event *event)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    cl_event handle = (cl_event)event->handle;
    if (handle && takes_work(queue))
        check(&queue->error, opencl, "clEnqueueBarrierWithWaitList",
            opencl->driver.barrier((cl_queue)queue->handle, 1, &handle, NULL));
}

/* Also after a failure: nothing of the queue may still be running when its buffers are used again. */
static void opencl_finish(struct gpu_queue *queue)
{
    struct opencl *opencl = opencl_of(queue->gpu);
    if (kst_gpu_usable(queue->gpu, &queue->error))
        check(&queue->error, opencl, "clFinish", opencl->driver.finish((cl_queue)queue->handle));
}

static double opencl_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to)
{
    const struct opencl_driver *driver = &opencl_of(gpu)->driver;
    cl_bits start = 0, end = 0;
    if (!from->handle || !to->handle || !usable(opencl_of(gpu)) ||
        driver->event_time((cl_event)from->handle, CL_PROFILING_END, sizeof start, &start, NULL) != 0 ||
        driver->event_time((cl_event)to->handle, CL_PROFILING_END, sizeof end, &end, NULL) != 0 || end < start)
        return 0;
    return (double)(end - start) * 1e-9;
}

/* OpenCL has no words for registers and residence. */
static void opencl_inspect(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits)
{
    struct opencl *opencl = opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_kernel handle = (cl_kernel)kernel->handle;
    cl_bits bytes = 0;
    if (!usable(opencl))
        return;
    if (driver->kernel_work_group(handle, opencl->device, CL_KERNEL_LOCAL_BYTES, sizeof bytes, &bytes, NULL) == 0)
        traits->local_bytes = (int32_t)bytes;
    if (driver->kernel_work_group(handle, opencl->device, CL_KERNEL_PRIVATE_BYTES, sizeof bytes, &bytes, NULL) == 0)
        traits->private_bytes = (int32_t)bytes;
}

const struct gpu_backend kst_gpu_opencl = {
    .kind = KST_DEVICE_OPENCL,
    .name = "opencl",
    .count = opencl_count,
    .describe = opencl_describe,
    .open = opencl_open,
    .close = opencl_close,
    .build = opencl_build,
    .discard = opencl_discard,
    .find = opencl_find,
    .forget = opencl_forget,
    .inspect = opencl_inspect,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .queue_create = opencl_queue_create,
    .queue_destroy = opencl_queue_destroy,
    .event_create = opencl_event_create,
    .event_destroy = opencl_event_destroy,
    .copy = opencl_copy,
    .fill = opencl_fill,
    .launch = opencl_launch,
    .record = opencl_record,
    .wait = opencl_wait,
    .finish = opencl_finish,
    .elapsed = opencl_elapsed,
};
