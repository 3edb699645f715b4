/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts and the devices that they can be made on. */
#include "core/context.h"

#include <string.h>

#include "api/device.h"
#include "core/device.h"

void kst_context_options_init(kst_context_options *options)
{
    if (options)
        *options = (kst_context_options){.size = sizeof *options};
}

static void log_creation(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    kst_context_device(context, &info);
    kst_context_log(context, KST_LOG_INFO, "kostka %s on %s, %s, %s, %u threads", kst_version_string(), info.name,
        info.model, info.tier, kst_pool_threads(context->pool));
}

static kst_status open_gpu(kst_context *context, const kst_context_options *options, const char *name)
{
    struct gpu_error error;
    kst_status status = options->opencl_context
                            ? kst_gpu_executor_create_opencl(&context->memory, options->opencl_context,
                                  options->opencl_device, &context->gpu, &error)
                            : kst_gpu_executor_create(&context->memory, name, &context->gpu, &error);
    if (status)
        kst_context_log(context, KST_LOG_ERROR, "%s: %s", name, error.text[0] ? error.text : kst_status_text(status));
    else
        memcpy(context->device, context->gpu->gpu->info.name, sizeof context->device);
    if (!status)
        context->gpu->threads = context->pool;
    return status;
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
    return context->gpu;
}

void kst_context_destroy(kst_context **context)
{
    if (!context || !*context)
        return;
    kst_gpu_executor_destroy(&(*context)->gpu);
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
    if (context->gpu)
        *info = context->gpu->gpu->info;
    else
        kst_device_describe_cpu(info, context->tier);
    return KST_OK;
}
