/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the GPU of a context: the one that the caller names, or with "auto" one that is worth it. */
#include "run/device.h"

#include <string.h>

#include "run/codec.h"

/* Opening CUDA takes 0.2 s; the CPU's threads share in work of a whole second. */
static const double OPENING_SECONDS = 0.25;

static void take_gpu(kst_context *context, struct gpu_executor *gpu)
{
    gpu->threads = context->pool;
    context->gpu = gpu;
}

/* Build at once what codecs ask for, so that a device that cannot build their kernels is known now. */
static kst_status build_kernels(struct gpu_executor **gpu, struct gpu_error *error)
{
    for (size_t i = 0; i < CODECS && *gpu; i++)
        if (kst_codecs[i]->kernels && !kst_gpu_executor_build(*gpu, kst_codecs[i]->kernels, error))
            kst_gpu_executor_destroy(gpu);
    return error->status;
}

kst_status kst_context_open_gpu(kst_context *context, const kst_context_options *options, const char *name)
{
    struct gpu_error error;
    struct gpu_executor *gpu = NULL;
    kst_status status = options->opencl_context ? kst_gpu_executor_create_opencl(&context->memory,
                                                      options->opencl_context, options->opencl_device, &gpu, &error)
                                                : kst_gpu_executor_create(&context->memory, name, &gpu, &error);
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

/* One that cannot be opened is told in the log and passed over. */
static void open_preferred(kst_context *context)
{
    char name[16];
    for (uint32_t i = 0; !context->gpu && kst_gpu_preferred(i, name); i++) {
        struct gpu_error error;
        struct gpu_executor *gpu = NULL;
        if (kst_gpu_executor_create(&context->memory, name, &gpu, &error) == KST_OK &&
            build_kernels(&gpu, &error) == KST_OK)
            take_gpu(context, gpu);
        kst_context_log(context, gpu ? KST_LOG_INFO : KST_LOG_WARNING, "auto: %s%s%s", name, gpu ? "" : ": ",
            gpu ? "" : error.text);
    }
    context->opened = true;
}

struct gpu_executor *kst_context_gpu(struct kst_context *context)
{
    if (context->automatic && !context->gpu) {
        pthread_mutex_lock(&context->opening);
        if (!context->opened)
            open_preferred(context);
        pthread_mutex_unlock(&context->opening);
    }
    return context->gpu;
}

/* Opening costs as much as the CPU has worked by then, so that waiting for it never doubles more than that. */
static bool is_worth_opening(struct kst_context *context, double seconds)
{
    pthread_mutex_lock(&context->opening);
    context->done += seconds / kst_pool_threads(context->pool);
    bool worth = context->done >= OPENING_SECONDS;
    pthread_mutex_unlock(&context->opening);
    return worth;
}

struct gpu_executor *kst_context_gpu_for(struct kst_context *context, double seconds, double least)
{
    if (!context->automatic)
        return context->gpu;
    if (seconds < least || (!context->gpu && !is_worth_opening(context, seconds)))
        return NULL;
    return kst_context_gpu(context);
}

bool kst_context_is_cpu(struct kst_context *context)
{
    if (context->gpu || !context->automatic)
        return !context->gpu;
    pthread_mutex_lock(&context->opening);
    bool tried = context->opened;
    pthread_mutex_unlock(&context->opening);
    return tried && !context->gpu;
}
