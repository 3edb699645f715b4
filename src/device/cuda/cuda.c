/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the device interface on CUDA's driver API: devices, programs and memory. It works in the device's primary
 * context, which the runtime API shares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/context.h"
#include "device/cuda/cuda.h"
#include "device/library.h"

extern const struct gpu_kernels kst_kernels_loads;

#define CUDA_SYMBOL(member, symbol, parameters) symbol,

static bool load_driver(struct cuda_driver *driver)
{
    static const char *const symbols[] = {CUDA_SYMBOLS(CUDA_SYMBOL)};
    _Static_assert(sizeof *driver == sizeof(void *) * (sizeof symbols / sizeof symbols[0]), "a pointer a symbol");
    return kst_gpu_library("libcuda.so.1", symbols, sizeof symbols / sizeof symbols[0], driver) && driver->init(0) == 0;
}

bool kst_cuda_fail(struct gpu_error *error, const struct cuda *cuda, const char *call, cu_result result)
{
    const char *name = NULL;
    char number[32];
    if (cuda->driver.error_name(result, &name) != 0 || !name) {
        snprintf(number, sizeof number, "error %d", result);
        name = number;
    }
    return kst_gpu_fail(error, &cuda->base, call, name);
}

bool kst_cuda_enter(struct cuda *cuda, struct gpu_error *error)
{
    if (!kst_gpu_usable(&cuda->base, error))
        return false;
    cu_result result = cuda->driver.context_push(cuda->context);
    return result == 0 || kst_cuda_fail(error, cuda, "cuCtxPushCurrent", result);
}

bool kst_cuda_leave(struct cuda *cuda, struct gpu_error *error, const char *call, cu_result result)
{
    cu_context context;
    cuda->driver.context_pop(&context);
    return result == 0 || kst_cuda_fail(error, cuda, call, result);
}

bool kst_cuda_enter_quietly(struct cuda *cuda)
{
    struct gpu_error ignored = {.status = KST_OK};
    return kst_cuda_enter(cuda, &ignored);
}

void kst_cuda_leave_quietly(struct cuda *cuda)
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

/* Make the stream that callers' streams are compared with. If this fails, callers' streams are not checked. */
static void make_own_stream(struct cuda *cuda)
{
    if (!kst_cuda_enter_quietly(cuda))
        return;
    if (cuda->driver.stream_create(&cuda->own, CU_STREAM_NON_BLOCKING, 0) != 0)
        cuda->own = NULL;
    kst_cuda_leave_quietly(cuda);
}

static void find_habits(struct cuda *cuda)
{
    unsigned flags = 0;
    int active = 0;
    if (cuda->driver.context_state(cuda->device, &flags, &active) == 0)
        cuda->sleeps = (flags & CU_CONTEXT_SLEEPS) != 0;
}

static void cuda_close(struct gpu *gpu)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    if (cuda->own && kst_cuda_enter_quietly(cuda)) {
        cuda->driver.stream_destroy(cuda->own);
        kst_cuda_leave_quietly(cuda);
    }
    struct gpu_error ignored = {.status = KST_OK};
    if (kst_gpu_usable(gpu, &ignored))
        cuda->driver.context_release(cuda->device);
    kst_memory_release(gpu->memory, cuda);
}

static bool cuda_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_module module = NULL;
    if (kernels->cuda == kernels->cuda_end)
        return kst_gpu_fail(error, gpu, kernels->name, "this library was built without a CUDA compiler");
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = cuda->driver.module_load(&module, kernels->cuda);
    program->handle = (uintptr_t)module;
    return kst_cuda_leave(cuda, error, "cuModuleLoadData", result);
}

static void cuda_discard(struct gpu *gpu, struct gpu_program *program)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    if (!program->handle || !kst_cuda_enter_quietly(cuda))
        return;
    cuda->driver.module_unload((cu_module)program->handle);
    kst_cuda_leave_quietly(cuda);
    program->handle = 0;
}

/*
 * Return whether the driver loads the library's programs: it is recent enough, and the programs were compiled for such
 * a device. Only an empty program is loaded for that; the others are loaded when they are first needed, since each
 * takes milliseconds.
 */
static bool loads_programs(struct cuda *cuda, struct gpu_error *error)
{
    struct gpu_program program = {.handle = 0};
    bool good = cuda_build(&cuda->base, &kst_kernels_loads, &program, error);
    cuda_discard(&cuda->base, &program);
    return good;
}

/* Return through how many channels the driver sends work: what it reads in the environment, or its default. */
static uint32_t count_channels(void)
{
    enum { USUAL = 8, MOST = 32 };
    const char *value = kst_environment("CUDA_DEVICE_MAX_CONNECTIONS");
    const unsigned long number = value ? strtoul(value, NULL, 10) : 0;
    return number == 0 ? USUAL : number < MOST ? (uint32_t)number : MOST;
}

static struct gpu *cuda_open(struct memory *memory, uint32_t index, struct gpu_error *error)
{
    struct cuda *cuda = kst_memory_zeroed(memory, 1, sizeof *cuda, &error->status);
    if (!cuda)
        return NULL;
    cuda->base.backend = &kst_gpu_cuda;
    cuda->base.memory = memory;
    cuda->base.largest = UINT64_MAX;
    cuda->base.channels = count_channels();
    cuda->base.process = (long)getpid();
    kst_gpu_name(&cuda->base.info, &kst_gpu_cuda, index);
    cu_result result = 0;
    if (!load_driver(&cuda->driver) || !describe(&cuda->driver, index, &cuda->device, &cuda->base.info))
        kst_gpu_fail(error, &cuda->base, "cuInit", "the driver is gone");
    else if ((result = cuda->driver.context_retain(&cuda->context, cuda->device)) != 0)
        kst_cuda_fail(error, cuda, "cuDevicePrimaryCtxRetain", result);
    if (error->status) {
        kst_memory_release(memory, cuda);
        return NULL;
    }
    make_own_stream(cuda);
    find_habits(cuda);
    if (loads_programs(cuda, error))
        return &cuda->base;
    cuda_close(&cuda->base);
    return NULL;
}

static bool cuda_find(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
    struct gpu_kernel *kernel, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_function function = NULL;
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = cuda->driver.module_function(&function, (cu_module)program->handle, name);
    *kernel = (struct gpu_kernel){.name = name, .group = group, .handle = (uintptr_t)function};
    return kst_cuda_leave(cuda, error, name, result);
}

static void cuda_forget(struct gpu *gpu, struct gpu_kernel *kernel)
{
    (void)gpu;
    kernel->handle = 0;
}

static void cuda_inspect(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    const struct cuda_driver *driver = &cuda->driver;
    cu_function function = (cu_function)kernel->handle;
    int most = 0;
    if (!kst_cuda_enter_quietly(cuda))
        return;
    driver->function_attribute(&traits->registers, CU_FUNCTION_REGISTERS, function);
    driver->function_attribute(&traits->local_bytes, CU_FUNCTION_SHARED, function);
    driver->function_attribute(&traits->private_bytes, CU_FUNCTION_LOCAL, function);
    if (driver->function_resident(&traits->resident, function, (int)kernel->group, 0) == 0 &&
        driver->device_attribute(&most, CU_MULTIPROCESSOR_THREADS, cuda->device) == 0 && most > 0)
        traits->occupancy = (double)traits->resident * kernel->group / most;
    kst_cuda_leave_quietly(cuda);
}

static bool cuda_allocate(
    struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_pointer pointer = 0;
    if (place == GPU_PINNED)
        return kst_cuda_host_take(cuda, length, buffer, error);
    if (!kst_cuda_enter(cuda, error))
        return false;
    cu_result result = cuda->driver.allocate(&pointer, length);
    *buffer = (struct gpu_buffer){.place = place}; /* without a length: a pool must not keep what failed */
    if (!kst_cuda_leave(cuda, error, "cuMemAlloc", result))
        return false;
    buffer->length = length;
    buffer->handle = (uintptr_t)pointer;
    return true;
}

static void cuda_release(struct gpu *gpu, struct gpu_buffer *buffer)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    if (buffer->host) {
        kst_cuda_host_give(cuda, buffer);
    } else if (buffer->handle && kst_cuda_enter_quietly(cuda)) {
        cuda->driver.release(buffer->handle);
        kst_cuda_leave_quietly(cuda);
    }
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

/* Import device memory. Memory that was mapped in pieces consists of several adjacent stretches. */
static bool cuda_import(
    struct gpu *gpu, void *data, size_t offset, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    struct cuda *cuda = kst_cuda_of(gpu);
    cu_pointer first = (cu_pointer)(uintptr_t)data + offset, at = first;
    *buffer = (struct gpu_buffer){.place = GPU_DEVICE, .length = length, .handle = (uintptr_t)first};
    if (!kst_cuda_enter(cuda, error))
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
    kst_cuda_leave_quietly(cuda);
    return !error->status;
}

/*
 * Return whether the driver knows an address as pinned memory. Asked for a single attribute, the driver reports memory
 * that it does not know as an error, which memory checkers report in turn; asking for a list of attributes avoids this.
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
    struct cuda *cuda = kst_cuda_of(gpu);
    const uint8_t *first = memory;
    if (length == 0 || !kst_cuda_enter_quietly(cuda))
        return false;
    bool pinned = is_pinned(&cuda->driver, first) && is_pinned(&cuda->driver, first + length - 1);
    kst_cuda_leave_quietly(cuda);
    return pinned;
}

const struct gpu_backend kst_gpu_cuda = {
    .kind = KST_DEVICE_CUDA,
    .memory = KST_MEMORY_CUDA,
    .name = "cuda",
    .urges = true,
    .maps = true,
    .compiled = true,
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
    .queue_create = kst_cuda_queue_create,
    .queue_destroy = kst_cuda_queue_destroy,
    .queue_import = kst_cuda_queue_import,
    .event_create = kst_cuda_event_create,
    .event_destroy = kst_cuda_event_destroy,
    .copy = kst_cuda_copy,
    .copy_rows = kst_cuda_copy_rows,
    .fill = kst_cuda_fill,
    .launch = kst_cuda_launch,
    .record = kst_cuda_record,
    .wait = kst_cuda_wait,
    .flush = kst_cuda_flush,
    .passed = kst_cuda_passed,
    .finish = kst_cuda_finish,
    .finish_soon = kst_cuda_finish_soon,
    .enter = kst_cuda_queue_enter,
    .leave = kst_cuda_queue_leave,
    .elapsed = kst_cuda_elapsed,
};
