/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches one kernel on buffers full of poison, and checks what it wrote. */
#include "support/gpu/stage.h"

#include <stdlib.h>
#include <string.h>

#include "support/gpu/gpus.h"
#include "support/test.h"

enum { GUARD = 256 };

void *stage_poisoned(size_t length)
{
    void *memory = malloc(length + 4);
    assert_non_null(memory);
    return memset(memory, STAGE_POISON, length + 4);
}

void *stage_copy(const void *from, size_t length)
{
    return memcpy(stage_poisoned(length), from, length);
}

uint32_t stage_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void upload(struct gpu_queue *queue, const struct stage_argument *argument, struct gpu_buffer *buffer)
{
    const struct gpu_backend *backend = queue->gpu->backend;
    struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)argument->before, argument->length);
    backend->allocate(queue->gpu, GPU_DEVICE, argument->length + GUARD, buffer, &queue->error);
    expect_no_error(&queue->error);
    backend->fill(queue, buffer, 0, argument->length + GUARD, STAGE_POISON * 0x01010101U);
    if (argument->length > 0)
        backend->copy(queue, buffer, 0, &memory, 0, argument->length);
}

static void compare(const char *kernel, const struct stage_argument *argument, const uint8_t *found)
{
    const uint8_t *wanted = argument->after ? argument->after : argument->before;
    for (size_t i = 0; i < argument->length && !argument->found; i++)
        if (found[i] != wanted[i])
            fail_msg("%s: byte %zu of %zu in %s is %u, not %u", kernel, i, argument->length, argument->name, found[i],
                wanted[i]);
    for (size_t i = argument->length; i < argument->length + GUARD; i++)
        if (found[i] != STAGE_POISON)
            fail_msg("%s wrote %zu bytes behind %s", kernel, i - argument->length, argument->name);
}

static void check(
    struct gpu_queue *queue, const char *kernel, const struct stage_argument *argument, const struct gpu_buffer *buffer)
{
    uint8_t *found = stage_poisoned(argument->length + GUARD);
    struct gpu_buffer memory = kst_gpu_host(found, argument->length + GUARD);
    queue->gpu->backend->copy(queue, &memory, 0, buffer, 0, argument->length + GUARD);
    queue->gpu->backend->finish(queue);
    expect_no_error(&queue->error);
    compare(kernel, argument, found);
    if (argument->found)
        memcpy(argument->found, found, argument->length);
    free(found);
}

void stage_run(struct gpu_runtime *runtime, const struct gpu_module *module, uint32_t kernel, uint32_t groups,
    const struct stage_argument *arguments, uint32_t count)
{
    const struct gpu_backend *backend = runtime->gpu->backend;
    struct gpu_error error = {.status = KST_OK};
    const struct gpu_built *built = kst_gpu_runtime_build(runtime, module, &error);
    struct gpu_track *track = kst_gpu_track_take(runtime, &error);
    struct gpu_buffer buffer[STAGE_ARGUMENTS];
    struct gpu_argument passed[STAGE_ARGUMENTS];
    expect_no_error(&error);
    for (uint32_t i = 0; i < count; i++) {
        passed[i] = (struct gpu_argument){.value = arguments[i].value};
        if (!arguments[i].before)
            continue;
        upload(&track->queue, &arguments[i], &buffer[i]);
        passed[i].buffer = &buffer[i];
    }
    kst_gpu_launch(&track->queue, built, kernel, groups, passed, count);
    backend->finish(&track->queue);
    expect_no_error(&track->queue.error);
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].before) {
            check(&track->queue, module->kernel[kernel].name, &arguments[i], &buffer[i]);
            backend->release(runtime->gpu, &buffer[i]);
        }
    kst_gpu_track_give(runtime, track);
}
