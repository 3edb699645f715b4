/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts and the devices that they can be made on. */
#include "core/context.h"

#include <string.h>

#include "api/device.h"
#include "core/device.h"
#include "jpeg/gpu/modules.h"

void kst_context_options_init(kst_context_options *options)
{
    if (options)
        *options = (kst_context_options){.size = sizeof *options};
}

/* Looking at the processor and at what of it the process may use takes longer than all else: only to be told. */
static void log_creation(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    if (!context->log.write)
        return;
    kst_context_device(context, &info);
    kst_context_log(context, KST_LOG_INFO, "kostka %s on %s%s, %s, %s, %u threads", kst_version_string(), info.name,
        context->automatic ? " (auto)" : "", info.model, info.tier, kst_pool_threads(context->pool));
}

/* Opening CUDA takes 0.2 s; the CPU's threads share in work of a whole second. */
static const double OPENING_SECONDS = 0.25;

static void take_gpu(kst_context *context, struct gpu_executor *gpu)
{
    gpu->threads = context->pool;
    context->gpu = gpu;
}

/* Kernels that most contexts need are built at once, so that a device that cannot build them is known now. */
static kst_status build_kernels(struct gpu_executor **gpu, struct gpu_error *error)
{
    if (!kst_gpu_executor_build(*gpu, &kst_jpeg_gpu_decoding, error))
        kst_gpu_executor_destroy(gpu);
    return error->status;
}

static kst_status open_gpu(kst_context *context, const kst_context_options *options, const char *name)
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

/* The device's name: the caller's, the environment's, or what a foreign context means. */
static kst_status choose_device(const kst_context_options *options, const char **name, kst_device_kind *kind)
{
    *name = options->device;
    if (!*name && options->opencl_context)
        *name = "opencl";
    if (!*name)
        *name = kst_environment("KOSTKA_DEVICE");
    if (!*name)
        *name = "auto";
    kst_status status = kst_device_kind_by_name(*name, kind);
    if (!options->opencl_context != !options->opencl_device ||
        (options->opencl_context && strcmp(*name, "opencl") != 0))
        return KST_ERROR_OPTIONS;
    return status;
}

kst_status kst_context_create(const kst_context_options *options, kst_context **context)
{
    kst_context_options standard;
    kst_device_kind kind;
    if (!context)
        return KST_ERROR_ARGUMENT;
    *context = NULL;
    kst_context_options_init(&standard);
    if (!options)
        options = &standard;
    if (options->size != sizeof *options)
        return KST_ERROR_OPTIONS;
    const char *name;
    kst_status status = choose_device(options, &name, &kind);
    if (!status)
        status = kst_context_make(options, context);
    if (!status)
        (*context)->automatic = strcmp(name, "auto") == 0;
    if (!status && kind != KST_DEVICE_CPU)
        status = open_gpu(*context, options, name);
    if (status)
        kst_context_destroy(context);
    else
        log_creation(*context);
    return status;
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

void kst_context_destroy(kst_context **context)
{
    if (!context || !*context)
        return;
    struct gpu_executor *gpu = (*context)->gpu;
    kst_gpu_executor_destroy(&gpu);
    kst_context_drop(*context);
    *context = NULL;
}

uint32_t kst_device_count(void)
{
    return 1 + kst_gpu_count();
}

kst_status kst_device_get(uint32_t index, kst_device_info *info)
{
    if (!info || info->size != sizeof *info)
        return KST_ERROR_ARGUMENT;
    if (index > 0)
        return kst_gpu_describe(index - 1, info) ? KST_OK : KST_ERROR_DEVICE_MISSING;
    kst_device_describe_cpu(info, kst_cpu_best());
    return KST_OK;
}

kst_status kst_context_device(const kst_context *context, kst_device_info *info)
{
    if (!context || !info || info->size != sizeof *info)
        return KST_ERROR_ARGUMENT;
    const struct gpu_executor *gpu = context->gpu;
    if (gpu)
        *info = gpu->gpu->info;
    else
        kst_device_describe_cpu(info, context->tier);
    return KST_OK;
}
