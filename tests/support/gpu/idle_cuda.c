/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for CUDA's driver, as libcuda.so.1: its devices have addresses but no memory, kernels do nothing, and
 * copies from a device are zeros. So it shows which calls a program makes on a machine without a GPU. The file
 * IDLE_CUDA_COUNTS has a line for each function: its name, the number of calls so far, and the bytes in their
 * arguments, of copies of rows only those that cross between the device and the host. The file is up to date at any
 * time, however the process ends; its last line counts exit(), in which a driver frees everything. IDLE_CUDA_DEVICES is
 * the number of devices, otherwise one. If IDLE_CUDA_GATE is set, the driver starts only when somebody writes to the
 * FIFO of that name. If IDLE_CUDA_FAILS is set, no kernel can be launched.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda/driver.h"

enum { UNKNOWN_ERROR = 999, VERSION = 12000, MULTIPROCESSORS = 132, THREADS_OF_ONE = 2048, LINE = 64 };

#define NUMBER(member, symbol, parameters) CALL_##member,
#define NAME(member, symbol, parameters) symbol,
#define DECLARE(member, symbol, parameters)                                                                            \
    __attribute__((visibility("default"))) cu_result idle_##member parameters __asm__(symbol);

enum call { CUDA_SYMBOLS(NUMBER) CALL_exit, CALLS };

static const char *const names[CALLS] = {CUDA_SYMBOLS(NAME) "exit"};
static unsigned long long calls[CALLS], bytes[CALLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counts = -1;

CUDA_SYMBOLS(DECLARE)

static void write_line(enum call call)
{
    char line[LINE + 1];
    snprintf(line, sizeof line, "%-31s %14llu %16llu\n", names[call], calls[call], bytes[call]);
    if (counts >= 0 && pwrite(counts, line, LINE, (off_t)call * LINE) != LINE)
        abort();
}

__attribute__((constructor)) static void open_counts(void)
{
    const char *path = getenv("IDLE_CUDA_COUNTS");
    counts = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    for (enum call call = 0; call < CALLS; call++)
        write_line(call);
}

static cu_result note(enum call call, size_t length)
{
    pthread_mutex_lock(&lock);
    calls[call]++;
    bytes[call] += length;
    write_line(call);
    pthread_mutex_unlock(&lock);
    return 0;
}

__attribute__((destructor)) static void note_exit(void)
{
    note(CALL_exit, 0);
}

/* Return a handle, an address that nobody reads. Those of devices' contexts begin at 1. */
static void *handle(uintptr_t number)
{
    return (void *)number;
}

static void wait_at_gate(void)
{
    const char *path = getenv("IDLE_CUDA_GATE");
    int gate = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (gate >= 0)
        close(gate);
}

cu_result idle_init(unsigned flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)flags;
    pthread_once(&once, wait_at_gate);
    return note(CALL_init, 0);
}

cu_result idle_driver_version(int *version)
{
    *version = VERSION;
    return note(CALL_driver_version, 0);
}

cu_result idle_error_name(cu_result result, const char **name)
{
    (void)result;
    *name = "of the idle driver";
    return note(CALL_error_name, 0);
}

cu_result idle_device_count(int *count)
{
    const char *devices = getenv("IDLE_CUDA_DEVICES");
    *count = devices ? (int)strtol(devices, NULL, 10) : 1;
    return note(CALL_device_count, 0);
}

cu_result idle_device_get(cu_device *device, int index)
{
    *device = index;
    return note(CALL_device_get, 0);
}

cu_result idle_device_name(char *name, int length, cu_device device)
{
    snprintf(name, (size_t)length, "Idle %d", device);
    return note(CALL_device_name, 0);
}

cu_result idle_device_memory(size_t *length, cu_device device)
{
    (void)device;
    *length = (size_t)64 << 30;
    return note(CALL_device_memory, 0);
}

cu_result idle_device_attribute(int *value, int attribute, cu_device device)
{
    (void)device;
    *value = attribute == CU_MULTIPROCESSOR_COUNT     ? MULTIPROCESSORS
             : attribute == CU_MULTIPROCESSOR_THREADS ? THREADS_OF_ONE
                                                      : attribute == CU_REGISTERED_ADDRESSES;
    return note(CALL_device_attribute, 0);
}

cu_result idle_context_retain(cu_context *context, cu_device device)
{
    *context = handle((uintptr_t)device + 1);
    return note(CALL_context_retain, 0);
}

cu_result idle_context_release(cu_device device)
{
    (void)device;
    return note(CALL_context_release, 0);
}

cu_result idle_context_state(cu_device device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 1;
    return note(CALL_context_state, 0);
}

cu_result idle_context_push(cu_context context)
{
    (void)context;
    return note(CALL_context_push, 0);
}

cu_result idle_context_pop(cu_context *context)
{
    if (context)
        *context = NULL;
    return note(CALL_context_pop, 0);
}

cu_result idle_module_load(cu_module *module, const void *image)
{
    (void)image;
    *module = handle(1);
    return note(CALL_module_load, 0);
}

cu_result idle_module_unload(cu_module module)
{
    (void)module;
    return note(CALL_module_unload, 0);
}

cu_result idle_module_function(cu_function *function, cu_module module, const char *name)
{
    (void)module;
    (void)name;
    *function = handle(1);
    return note(CALL_module_function, 0);
}

cu_result idle_allocate(cu_pointer *pointer, size_t length)
{
    static atomic_ullong next = 1 << 20;
    *pointer = atomic_fetch_add(&next, length);
    return note(CALL_allocate, length);
}

cu_result idle_release(cu_pointer pointer)
{
    (void)pointer;
    return note(CALL_release, 0);
}

cu_result idle_host_allocate(void **pointer, size_t length, unsigned flags)
{
    (void)flags;
    *pointer = calloc(1, length);
    note(CALL_host_allocate, length);
    return *pointer ? 0 : CU_OUT_OF_MEMORY;
}

cu_result idle_host_release(void *pointer)
{
    free(pointer);
    return note(CALL_host_release, 0);
}

cu_result idle_host_register(void *memory, size_t length, unsigned flags)
{
    (void)memory;
    (void)flags;
    return note(CALL_host_register, length);
}

cu_result idle_host_unregister(void *memory)
{
    (void)memory;
    return note(CALL_host_unregister, 0);
}

cu_result idle_copy_up(cu_pointer to, const void *from, size_t length, cu_stream stream)
{
    (void)stream;
    (void)to;
    (void)from;
    return note(CALL_copy_up, length);
}

cu_result idle_copy_down(void *to, cu_pointer from, size_t length, cu_stream stream)
{
    (void)from;
    (void)stream;
    memset(to, 0, length);
    return note(CALL_copy_down, length);
}

cu_result idle_copy_across(cu_pointer to, cu_pointer from, size_t length, cu_stream stream)
{
    (void)to;
    (void)from;
    (void)stream;
    return note(CALL_copy_across, length);
}

cu_result idle_copy_rows(const struct cu_copy *copy, cu_stream stream)
{
    (void)stream;
    for (size_t y = 0; copy->to_kind == CU_MEMORY_HOST && y < copy->height; y++)
        memset((char *)copy->to_host + y * copy->to_pitch, 0, copy->width);
    const int crosses = copy->to_kind == CU_MEMORY_HOST || copy->from_kind == CU_MEMORY_HOST;
    return note(CALL_copy_rows, crosses ? copy->width * copy->height : 0);
}

/* Describe memory of the first device's primary context, however much follows the address. */
static void describe_pointer(int attribute, void *value, cu_pointer pointer)
{
    switch (attribute) {
    case CU_POINTER_MEMORY_TYPE:
        *(unsigned *)value = CU_MEMORY_DEVICE;
        break;
    case CU_POINTER_DEVICE_ORDINAL:
        *(int *)value = 0;
        break;
    case CU_POINTER_CONTEXT:
        *(cu_context *)value = handle(1);
        break;
    case CU_POINTER_RANGE_START:
        *(cu_pointer *)value = pointer;
        break;
    default:
        *(size_t *)value = (size_t)1 << 30;
    }
}

/* This driver knows only the addresses that another library got from idle_gst_cuda.c. */
cu_result idle_pointer_attributes(unsigned number, int *attributes, void **values, cu_pointer pointer)
{
    note(CALL_pointer_attributes, 0);
    if (pointer < (cu_pointer)1 << 40)
        return UNKNOWN_ERROR;
    for (unsigned i = 0; i < number; i++)
        describe_pointer(attributes[i], values[i], pointer);
    return 0;
}

cu_result idle_fill(cu_pointer to, unsigned value, size_t number, cu_stream stream)
{
    (void)to;
    (void)value;
    (void)stream;
    return note(CALL_fill, number * sizeof value);
}

cu_result idle_stream_query(cu_stream stream)
{
    (void)stream;
    return note(CALL_stream_query, 0);
}

cu_result idle_stream_priorities(int *lowest, int *highest)
{
    *lowest = *highest = 0;
    return note(CALL_stream_priorities, 0);
}

cu_result idle_stream_create(cu_stream *stream, unsigned flags, int priority)
{
    (void)flags;
    (void)priority;
    *stream = handle(CU_STREAM_PER_THREAD + 1);
    return note(CALL_stream_create, 0);
}

cu_result idle_stream_destroy(cu_stream stream)
{
    (void)stream;
    return note(CALL_stream_destroy, 0);
}

cu_result idle_stream_context(cu_stream stream, cu_context *context)
{
    (void)stream;
    *context = handle(1);
    return note(CALL_stream_context, 0);
}

cu_result idle_stream_finish(cu_stream stream)
{
    (void)stream;
    return note(CALL_stream_finish, 0);
}

cu_result idle_stream_wait(cu_stream stream, cu_event event, unsigned flags)
{
    (void)stream;
    (void)event;
    (void)flags;
    return note(CALL_stream_wait, 0);
}

cu_result idle_event_create(cu_event *event, unsigned flags)
{
    (void)flags;
    *event = handle(1);
    return note(CALL_event_create, 0);
}

cu_result idle_event_destroy(cu_event event)
{
    (void)event;
    return note(CALL_event_destroy, 0);
}

cu_result idle_event_record(cu_event event, cu_stream stream)
{
    (void)event;
    (void)stream;
    return note(CALL_event_record, 0);
}

cu_result idle_event_query(cu_event event)
{
    (void)event;
    return note(CALL_event_query, 0);
}

cu_result idle_event_elapsed(float *milliseconds, cu_event from, cu_event to)
{
    (void)from;
    (void)to;
    *milliseconds = 0;
    return note(CALL_event_elapsed, 0);
}

cu_result idle_function_attribute(int *value, int attribute, cu_function function)
{
    (void)attribute;
    (void)function;
    *value = 0;
    return note(CALL_function_attribute, 0);
}

cu_result idle_function_resident(int *blocks, cu_function function, int threads, size_t shared)
{
    (void)function;
    (void)threads;
    (void)shared;
    *blocks = 1;
    return note(CALL_function_resident, 0);
}

cu_result idle_launch(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared, cu_stream stream, void **parameters, void **extra)
{
    (void)function;
    (void)grid_x;
    (void)grid_y;
    (void)grid_z;
    (void)block_x;
    (void)block_y;
    (void)block_z;
    (void)shared;
    (void)stream;
    (void)parameters;
    (void)extra;
    const cu_result result = note(CALL_launch, 0);
    return getenv("IDLE_CUDA_FAILS") ? UNKNOWN_ERROR : result;
}
