/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes contexts and lists the devices that they can be made on. */
#include "core/context.h"

#include <string.h>

#include "core/device.h"
#include "run/device.h"

void kst_context_options_init(kst_context_options *options)
{
    if (options)
        *options = (kst_context_options){.size = sizeof *options};
}

/*
 * Log the new context. Examining the processor, and the share of it that the process may use, takes longer than the
 * rest of creating a context, so this happens only if the line is logged.
 */
static void log_creation(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    if (!context->log.write)
        return;
    kst_context_device(context, &info);
    kst_context_log(context, KST_LOG_INFO, "kostka %s on %s%s, %s, %s, %u threads", kst_version_string(), info.name,
        kst_context_is_automatic(context) ? " (auto)" : "", info.model, info.tier, kst_pool_threads(context->pool));
}

/* Choose the device's name: the caller's, the environment's, or that of the caller's cl_context. */
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
        status = kst_context_choose(*context, options, name, kind);
    if (status)
        kst_context_destroy(context);
    else
        log_creation(*context);
    return status;
}

void kst_context_destroy(kst_context **context)
{
    if (!context || !*context)
        return;
    kst_context_leave_device(*context);
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
    kst_context_describe_device(context, info);
    return KST_OK;
}

kst_memory kst_context_memory(const kst_context *context)
{
    struct gpu_runtime *gpu = context ? kst_context_gpu_if_open(context) : NULL;
    return gpu ? gpu->gpu->backend->memory : KST_MEMORY_HOST;
}
