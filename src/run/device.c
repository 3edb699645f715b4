/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the GPU of a context: the one that the caller names, or with "auto" the preferred one, once there is enough
 * work for it.
 */
#include "run/device.h"

#include <pthread.h>
#include <string.h>

#include "core/device.h"
#include "device/timing.h"
#include "run/codec.h"

struct context_device {
    bool automatic;
    _Atomic(struct gpu_runtime *) gpu; /* null: the CPU is the device, for now or for good */
    pthread_mutex_t opening;           /* held while a GPU is opened if `automatic`; guards the members below */
    bool tried;                        /* whether opening a GPU was tried */
    double done;                       /* seconds that the CPU has spent on work that a GPU could have done */
};

/* Opening CUDA takes 0.2 s; the CPU's threads share in work of a whole second. */
static const double OPENING_SECONDS = 0.25;

uint32_t kst_device_count_of(kst_device_kind kind)
{
    return kst_gpu_count_of(kind);
}

static void take_gpu(kst_context *context, struct gpu_runtime *gpu)
{
    gpu->threads = context->pool;
    context->chosen->gpu = gpu;
}

/*
 * Build the kernels that codecs want built at once, so that a device that cannot build them is noticed now. Programs
 * that were compiled with the library are loaded only when they are needed.
 */
static kst_status build_kernels(struct gpu_runtime **gpu, struct gpu_error *error)
{
    for (size_t i = 0; i < CODECS && *gpu && !(*gpu)->gpu->backend->compiled; i++)
        if (kst_codecs[i]->kernels && !kst_gpu_runtime_build(*gpu, kst_codecs[i]->kernels, error))
            kst_gpu_runtime_destroy(gpu);
    return error->status;
}

static kst_status open_named(kst_context *context, const kst_context_options *options, const char *name)
{
    struct gpu_error error;
    struct gpu_runtime *gpu = NULL;
    kst_status status = options->opencl_context ? kst_gpu_runtime_create_opencl(&context->memory,
                                                      options->opencl_context, options->opencl_device, &gpu, &error)
                                                : kst_gpu_runtime_create(&context->memory, name, &gpu, &error);
    if (!status)
        status = build_kernels(&gpu, &error);
    if (status) {
        kst_context_log(context, KST_LOG_ERROR, "%s: %s", name, error.text[0] ? error.text : kst_status_text(status));
        return status;
    }
    memcpy(context->device, gpu->gpu->info.name, sizeof context->device);
    take_gpu(context, gpu);
    return KST_OK;
}

/* Open the preferred GPU. One that cannot be opened is logged and skipped. */
static void open_preferred(kst_context *context)
{
    char name[16];
    for (uint32_t i = 0; !context->chosen->gpu && kst_gpu_preferred(i, name); i++) {
        struct gpu_error error;
        struct gpu_runtime *gpu = NULL;
        if (!kst_gpu_runtime_create(&context->memory, name, &gpu, &error) && !build_kernels(&gpu, &error))
            take_gpu(context, gpu);
        kst_context_log(context, gpu ? KST_LOG_INFO : KST_LOG_WARNING, "auto: %s%s%s", name, gpu ? "" : ": ",
            gpu ? "" : error.text);
    }
    context->chosen->tried = true;
}

kst_status kst_context_choose(
    kst_context *context, const kst_context_options *options, const char *name, kst_device_kind kind)
{
    kst_status status = KST_OK;
    struct context_device *chosen = kst_memory_zeroed(&context->memory, 1, sizeof *chosen, &status);
    if (!chosen)
        return status;
    pthread_mutex_init(&chosen->opening, NULL);
    chosen->automatic = strcmp(name, "auto") == 0;
    context->chosen = chosen;
    return kind == KST_DEVICE_CPU ? KST_OK : open_named(context, options, name);
}

void kst_context_leave_device(kst_context *context)
{
    struct context_device *chosen = context->chosen;
    if (!chosen)
        return;
    struct gpu_runtime *gpu = chosen->gpu;
    kst_gpu_runtime_destroy(&gpu);
    pthread_mutex_destroy(&chosen->opening);
    kst_memory_release(&context->memory, chosen);
    context->chosen = NULL;
}

bool kst_context_is_automatic(const kst_context *context)
{
    return context->chosen->automatic;
}

void kst_context_describe_device(const kst_context *context, kst_device_info *info)
{
    const struct gpu_runtime *gpu = context->chosen->gpu;
    if (gpu)
        *info = gpu->gpu->info;
    else
        kst_device_describe_cpu(info, context->tier);
}

struct gpu_runtime *kst_context_gpu_if_open(const kst_context *context)
{
    return context->chosen->gpu;
}

struct gpu_runtime *kst_context_gpu(struct kst_context *context)
{
    struct context_device *chosen = context->chosen;
    if (chosen->automatic && !chosen->gpu) {
        pthread_mutex_lock(&chosen->opening);
        if (!chosen->tried)
            open_preferred(context);
        pthread_mutex_unlock(&chosen->opening);
    }
    return chosen->gpu;
}

/*
 * Return whether opening the GPU is worth its time: it takes no longer than the CPU has already worked on such work, so
 * that it at most doubles the time. `all` seconds of work that is known to follow at once count, too.
 */
static bool is_worth_opening(struct kst_context *context, double seconds, double all)
{
    struct context_device *chosen = context->chosen;
    const double threads = kst_pool_threads(context->pool);
    pthread_mutex_lock(&chosen->opening);
    const bool worth = chosen->done + all / threads >= OPENING_SECONDS;
    chosen->done += seconds / threads;
    pthread_mutex_unlock(&chosen->opening);
    return worth;
}

struct gpu_runtime *kst_context_gpu_for_part(struct kst_context *context, double seconds, double all, double least)
{
    const struct context_device *chosen = context->chosen;
    if (!chosen->automatic)
        return chosen->gpu;
    if (all < least || (!chosen->gpu && !is_worth_opening(context, seconds, all)))
        return NULL;
    return kst_context_gpu(context);
}

struct gpu_runtime *kst_context_gpu_for(struct kst_context *context, double seconds, double least)
{
    return kst_context_gpu_for_part(context, seconds, seconds, least);
}

bool kst_context_is_cpu(struct kst_context *context)
{
    struct context_device *chosen = context->chosen;
    if (chosen->gpu || !chosen->automatic)
        return !chosen->gpu;
    pthread_mutex_lock(&chosen->opening);
    bool tried = chosen->tried;
    pthread_mutex_unlock(&chosen->opening);
    return tried && !chosen->gpu;
}

void kst_context_record_at_once(const struct kst_context *context)
{
    kst_gpu_timing_at_once(kst_context_gpu_if_open(context)->gpu);
}
