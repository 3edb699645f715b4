/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds kernel modules for a device and launches their kernels. */
#include "device/module.h"

#include "device/runtime.h"

enum { ARGUMENTS_MAX = 16 };

static void release(struct gpu *gpu, struct gpu_built *built)
{
    for (uint32_t i = 0; built->kernel && i < built->module->count; i++)
        gpu->backend->forget(gpu, &built->kernel[i]);
    gpu->backend->discard(gpu, &built->program);
    kst_memory_release(gpu->memory, built->kernel);
    kst_memory_release(gpu->memory, built->state);
    kst_memory_release(gpu->memory, built);
}

static bool compile(struct gpu *gpu, struct gpu_built *built, struct gpu_error *error)
{
    const struct gpu_module *module = built->module;
    if (!gpu->backend->build(gpu, module->code, &built->program, error))
        return false;
    for (uint32_t i = 0; i < module->count; i++)
        if (!gpu->backend->find(
                gpu, &built->program, module->kernel[i].name, module->kernel[i].group, &built->kernel[i], error))
            return false;
    return true;
}

static struct gpu_built *build(struct gpu *gpu, const struct gpu_module *module, struct gpu_error *error)
{
    struct gpu_built *built = kst_memory_zeroed(gpu->memory, 1, sizeof *built, &error->status);
    if (!built)
        return NULL;
    built->module = module;
    built->kernel = kst_memory_zeroed(gpu->memory, module->count, sizeof *built->kernel, &error->status);
    if (built->kernel && module->state > 0)
        built->state = kst_memory_zeroed(gpu->memory, 1, module->state, &error->status);
    if (!built->kernel || (module->state > 0 && !built->state) || !compile(gpu, built, error)) {
        release(gpu, built);
        return NULL;
    }
    if (module->begin)
        module->begin(built->state);
    return built;
}

/*
 * Find or build a module. Compiling may take seconds, during which tracks must still be taken and returned; it
 * therefore happens under a separate lock.
 */
const struct gpu_built *kst_gpu_runtime_build(
    struct gpu_runtime *runtime, const struct gpu_module *module, struct gpu_error *error)
{
    pthread_mutex_lock(&runtime->build_lock);
    struct gpu_built *built = runtime->built;
    while (built && built->module != module)
        built = built->next;
    if (!built && (built = build(runtime->gpu, module, error)) != NULL) {
        pthread_mutex_lock(&runtime->lock);
        built->next = runtime->built;
        runtime->built = built;
        pthread_mutex_unlock(&runtime->lock);
    }
    pthread_mutex_unlock(&runtime->build_lock);
    return built;
}

void kst_gpu_modules_release(struct gpu *gpu, struct gpu_built **list)
{
    while (*list) {
        struct gpu_built *built = *list;
        *list = built->next;
        if (built->module->end)
            built->module->end(built->state, gpu->memory);
        release(gpu, built);
    }
}

void kst_gpu_launch(struct gpu_queue *queue, const struct gpu_built *built, uint32_t kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    queue->gpu->backend->launch(queue, &built->kernel[kernel], groups, arguments, count);
}

void kst_gpu_launch_buffers(struct gpu_queue *queue, const struct gpu_built *built, uint32_t kernel, uint32_t groups,
    const struct gpu_buffer *buffer, const uint32_t *which, uint32_t count)
{
    struct gpu_argument arguments[ARGUMENTS_MAX];
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){.buffer = &buffer[which[i]]};
    kst_gpu_launch(queue, built, kernel, groups, arguments, count);
}
