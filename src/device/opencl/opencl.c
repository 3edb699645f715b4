/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the device interface on OpenCL, version 1.2 or later. Devices are numbered across all platforms. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "device/library.h"
#include "device/opencl/opencl.h"

#define OPENCL_SYMBOL(member, symbol, type, parameters) symbol,

static bool load_driver(struct opencl_driver *driver)
{
    static const char *const symbols[] = {OPENCL_SYMBOLS(OPENCL_SYMBOL)};
    _Static_assert(sizeof *driver == sizeof(void *) * (sizeof symbols / sizeof symbols[0]), "a pointer a symbol");
    return kst_gpu_library("libOpenCL.so.1", symbols, sizeof symbols / sizeof symbols[0], driver);
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
        {-30, "CL_INVALID_VALUE"},
        {-34, "CL_INVALID_CONTEXT"},
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

bool kst_opencl_check(struct gpu_error *error, const struct opencl *opencl, const char *call, cl_int result)
{
    return result == 0 || fail(error, opencl, call, result);
}

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

static uint32_t list_unlocked(const struct opencl_driver *driver, cl_device devices[MOST_DEVICES])
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

/*
 * List the devices of all platforms in turn. Returns their number. Only one thread lists them at a time, because the
 * loader and the drivers initialise themselves at the first call: meanwhile ocl-icd reports no platform to other
 * threads, and PoCL 3.1 crashes in them.
 */
static uint32_t list_devices(const struct opencl_driver *driver, cl_device devices[MOST_DEVICES])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    uint32_t count = list_unlocked(driver, devices);
    pthread_mutex_unlock(&lock);
    return count;
}

static uint32_t opencl_count(void)
{
    struct opencl_driver driver;
    cl_device devices[MOST_DEVICES];
    return load_driver(&driver) ? list_devices(&driver, devices) : 0;
}

static bool is_gpu(const struct opencl_driver *driver, cl_device device)
{
    cl_bits type = 0;
    return driver->device_info(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == 0 && (type & CL_DEVICE_GPU);
}

static int32_t opencl_preferred(void)
{
    struct opencl_driver driver;
    cl_device devices[MOST_DEVICES];
    uint32_t count = load_driver(&driver) ? list_devices(&driver, devices) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_gpu(&driver, devices[i]))
            return (int32_t)i;
    return -1;
}

static void describe_device(const struct opencl_driver *driver, cl_device device, kst_device_info *info)
{
    cl_uint units = 0;
    cl_bits memory = 0;
    char version[256] = "";
    driver->device_info(device, CL_DEVICE_NAME, sizeof info->model - 1, info->model, NULL);
    driver->device_info(device, CL_DEVICE_UNITS, sizeof units, &units, NULL);
    driver->device_info(device, CL_DEVICE_MEMORY, sizeof memory, &memory, NULL);
    driver->device_info(device, CL_DRIVER_VERSION, sizeof version - 1, version, NULL);
    info->units = units;
    info->memory = memory;
    info->gpu = is_gpu(driver, device);
    snprintf(info->tier, sizeof info->tier, "%.15s", version);
}

static bool describe(const struct opencl_driver *driver, uint32_t index, cl_device *device, kst_device_info *info)
{
    cl_device devices[MOST_DEVICES];
    if (index >= list_devices(driver, devices))
        return false;
    *device = devices[index];
    *info = (kst_device_info){.size = sizeof *info};
    kst_gpu_name(info, &kst_gpu_opencl, index);
    describe_device(driver, *device, info);
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
    if (!kst_opencl_check(error, opencl, "clCreateContext", result))
        return;
    opencl->queue = opencl->driver.queue_create(opencl->context, opencl->device, 0, &result);
    if (!kst_opencl_check(error, opencl, "clCreateCommandQueue", result))
        opencl->driver.context_release(opencl->context);
}

static struct opencl *make(struct memory *memory, struct gpu_error *error)
{
    struct opencl *opencl = kst_memory_zeroed(memory, 1, sizeof *opencl, &error->status);
    if (!opencl)
        return NULL;
    opencl->base.backend = &kst_gpu_opencl;
    opencl->base.memory = memory;
    opencl->base.process = (long)getpid();
    opencl->base.info =
        (kst_device_info){.size = sizeof opencl->base.info, .kind = KST_DEVICE_OPENCL, .name = "opencl"};
    return opencl;
}

/* Return the most bytes that a buffer may have; no limit if the driver does not report one. */
static uint64_t largest_of(const struct opencl *opencl)
{
    cl_bits largest = 0;
    opencl->driver.device_info(opencl->device, CL_DEVICE_LARGEST, sizeof largest, &largest, NULL);
    return largest > 0 ? largest : UINT64_MAX;
}

static struct gpu *made(struct opencl *opencl, const struct gpu_error *error)
{
    if (!error->status && pthread_mutex_init(&opencl->launching, NULL) == 0) {
        opencl->base.largest = largest_of(opencl);
        opencl->in_turn = !is_gpu(&opencl->driver, opencl->device);
        opencl->count = kst_opencl_find_count(opencl);
        return &opencl->base;
    }
    kst_memory_release(opencl->base.memory, opencl);
    return NULL;
}

static struct gpu *opencl_open(struct memory *memory, uint32_t index, struct gpu_error *error)
{
    struct opencl *opencl = make(memory, error);
    if (!opencl)
        return NULL;
    kst_gpu_name(&opencl->base.info, &kst_gpu_opencl, index);
    if (!load_driver(&opencl->driver) || !describe(&opencl->driver, index, &opencl->device, &opencl->base.info))
        kst_gpu_fail(error, &opencl->base, "clGetDeviceIDs", "the driver is gone");
    else
        open_context(opencl, error);
    return made(opencl, error);
}

static bool context_holds(const struct opencl *opencl)
{
    cl_device devices[MOST_DEVICES];
    size_t length = 0;
    if (opencl->driver.context_info(opencl->context, CL_CONTEXT_DEVICES, sizeof devices, devices, &length) != 0)
        return false;
    for (size_t i = 0; i < length / sizeof devices[0]; i++)
        if (devices[i] == opencl->device)
            return true;
    return false;
}

/* Name the device by its number, if it has one: the parts of a partitioned device have none. */
static void name_device(struct opencl *opencl)
{
    cl_device devices[MOST_DEVICES];
    uint32_t count = list_devices(&opencl->driver, devices);
    for (uint32_t i = 0; i < count; i++)
        if (devices[i] == opencl->device)
            kst_gpu_name(&opencl->base.info, &kst_gpu_opencl, i);
    describe_device(&opencl->driver, opencl->device, &opencl->base.info);
}

static void open_foreign(struct opencl *opencl, struct gpu_error *error)
{
    cl_int result;
    if (!kst_opencl_lives(opencl, opencl->context) || !kst_opencl_lives(opencl, opencl->device) ||
        !context_holds(opencl)) {
        kst_gpu_fail(error, &opencl->base, "clGetContextInfo", "the context has no such device");
        return;
    }
    name_device(opencl);
    opencl->queue = opencl->driver.queue_create(opencl->context, opencl->device, 0, &result);
    if (kst_opencl_check(error, opencl, "clCreateCommandQueue", result))
        opencl->driver.context_retain(opencl->context);
}

static struct gpu *opencl_open_in(struct memory *memory, void *context, void *device, struct gpu_error *error)
{
    struct opencl *opencl = make(memory, error);
    if (!opencl)
        return NULL;
    opencl->context = context;
    opencl->device = device;
    if (load_driver(&opencl->driver))
        open_foreign(opencl, error);
    else
        error->status = KST_ERROR_DEVICE_MISSING;
    return made(opencl, error);
}

/* Return whether this process opened the device: a child of fork() must leave the driver alone. */
bool kst_opencl_usable(const struct opencl *opencl)
{
    struct gpu_error ignored = {.status = KST_OK};
    return kst_gpu_usable(&opencl->base, &ignored);
}

static void opencl_close(struct gpu *gpu)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (kst_opencl_usable(opencl)) {
        if (opencl->last)
            opencl->driver.event_release(opencl->last);
        opencl->driver.queue_release(opencl->queue);
        opencl->driver.context_release(opencl->context);
    }
    pthread_mutex_destroy(&opencl->launching);
    kst_memory_release(gpu->memory, opencl);
}

static bool opencl_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_int result;
    *buffer = (struct gpu_buffer){.place = place};
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_bits flags = place == GPU_PINNED ? CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST : CL_MEM_READ_WRITE;
    cl_mem made = driver->buffer_create(opencl->context, flags, length, NULL, &result);
    if (!kst_opencl_check(error, opencl, "clCreateBuffer", result))
        return false;
    *buffer = (struct gpu_buffer){.place = place, .length = length, .handle = (uintptr_t)made};
    if (place == GPU_DEVICE)
        return true;
    buffer->host = driver->map(opencl->queue, made, 1, CL_MAP_READ_WRITE, 0, length, 0, NULL, NULL, &result);
    if (kst_opencl_check(error, opencl, "clEnqueueMapBuffer", result))
        return true;
    driver->buffer_release(made);
    *buffer = (struct gpu_buffer){.place = place};
    return false;
}

static void opencl_release(struct gpu *gpu, struct gpu_buffer *buffer)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (buffer->handle && kst_opencl_usable(opencl)) {
        if (buffer->host) {
            opencl->driver.unmap(opencl->queue, (cl_mem)buffer->handle, buffer->host, 0, NULL, NULL);
            opencl->driver.finish(opencl->queue);
        }
        opencl->driver.buffer_release((cl_mem)buffer->handle);
    }
    *buffer = (struct gpu_buffer){.place = buffer->place};
}

static bool opencl_import(
    struct gpu *gpu, void *data, size_t offset, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    const struct opencl *opencl = kst_opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_mem memory = data;
    cl_uint type = 0;
    cl_context context = NULL;
    size_t whole = 0;
    *buffer = (struct gpu_buffer){.place = GPU_DEVICE, .length = length, .handle = (uintptr_t)data};
    if (!kst_gpu_usable(gpu, error))
        return false;
    if (!kst_opencl_lives(opencl, memory) || driver->buffer_info(memory, CL_MEM_TYPE, sizeof type, &type, NULL) != 0 ||
        type != CL_MEM_TYPE_BUFFER || driver->buffer_info(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) != 0)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "not a buffer");
    if (context != opencl->context)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_MEMORY, "the buffer belongs to another context");
    if (driver->buffer_info(memory, CL_MEM_LENGTH, sizeof whole, &whole, NULL) != 0 || offset > whole ||
        length > whole - offset)
        return kst_gpu_refuse(error, gpu, KST_ERROR_IMAGE_BUFFER, "the buffer is too short");
    return true;
}

static bool opencl_pinned(struct gpu *gpu, const void *memory, size_t length)
{
    (void)gpu;
    (void)memory;
    (void)length;
    return false;
}

/* OpenCL reports neither a kernel's registers nor how many work-groups are resident. */
static void opencl_inspect(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    const struct opencl_driver *driver = &opencl->driver;
    cl_kernel handle = (cl_kernel)kernel->handle;
    cl_bits bytes = 0;
    if (!kst_opencl_usable(opencl))
        return;
    if (driver->kernel_work_group(handle, opencl->device, CL_KERNEL_LOCAL_BYTES, sizeof bytes, &bytes, NULL) == 0)
        traits->local_bytes = (int32_t)bytes;
    if (driver->kernel_work_group(handle, opencl->device, CL_KERNEL_PRIVATE_BYTES, sizeof bytes, &bytes, NULL) == 0)
        traits->private_bytes = (int32_t)bytes;
}

const struct gpu_backend kst_gpu_opencl = {
    .kind = KST_DEVICE_OPENCL,
    .memory = KST_MEMORY_OPENCL,
    .name = "opencl",
    .count = opencl_count,
    .preferred = opencl_preferred,
    .describe = opencl_describe,
    .open = opencl_open,
    .open_in = opencl_open_in,
    .close = opencl_close,
    .build = kst_opencl_build,
    .discard = kst_opencl_discard,
    .find = kst_opencl_find,
    .forget = kst_opencl_forget,
    .inspect = opencl_inspect,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .import = opencl_import,
    .pinned = opencl_pinned,
    .queue_create = kst_opencl_queue_create,
    .queue_destroy = kst_opencl_queue_destroy,
    .queue_import = kst_opencl_queue_import,
    .event_create = kst_opencl_event_create,
    .event_destroy = kst_opencl_event_destroy,
    .copy = kst_opencl_copy,
    .copy_rows = kst_opencl_copy_rows,
    .picture_import = kst_opencl_picture_import,
    .picture_write = kst_opencl_picture_write,
    .picture_read = kst_opencl_picture_read,
    .fill = kst_opencl_fill,
    .launch = kst_opencl_launch,
    .record = kst_opencl_record,
    .wait = kst_opencl_wait,
    .flush = kst_opencl_flush,
    .passed = kst_opencl_passed,
    .finish = kst_opencl_finish,
    .elapsed = kst_opencl_elapsed,
};
