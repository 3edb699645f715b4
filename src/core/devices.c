/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/device.h"

/* "" or ":N", N of one to four digits. */
static bool is_number_suffix(const char *suffix)
{
    if (suffix[0] == '\0')
        return true;
    size_t digits = strspn(suffix + 1, "0123456789");
    return suffix[0] == ':' && digits >= 1 && digits <= 4 && suffix[1 + digits] == '\0';
}

kst_status kst_device_by_name(const char *name, kst_device_kind *kind)
{
    *kind = KST_DEVICE_NONE;
    if (strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0) {
        *kind = KST_DEVICE_CPU;
        return KST_OK;
    }
    static const char *const gpus[] = {"cuda", "opencl"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        size_t length = strlen(gpus[i]);
        if (strncmp(name, gpus[i], length) == 0 && is_number_suffix(name + length))
            return KST_ERROR_DEVICE_MISSING;
    }
    return KST_ERROR_DEVICE_NAME;
}

static void describe_cpu(kst_device_info *info, enum cpu_tier tier)
{
    *info = (kst_device_info){
        .size = sizeof *info, .kind = KST_DEVICE_CPU, .name = "cpu", .units = kst_cpu_count(), .memory = 0};
    kst_cpu_model(info->model);
    snprintf(info->tier, sizeof info->tier, "%s", kst_cpu_tier_name(tier));
}

uint32_t kst_device_count(void)
{
    return 1;
}

kst_status kst_device_get(uint32_t index, kst_device_info *info)
{
    if (!info || info->size != sizeof *info)
        return KST_ERROR_ARGUMENT;
    if (index >= kst_device_count())
        return KST_ERROR_DEVICE_MISSING;
    describe_cpu(info, kst_cpu_best());
    return KST_OK;
}

kst_status kst_context_device(const kst_context *context, kst_device_info *info)
{
    if (!context || !info || info->size != sizeof *info)
        return KST_ERROR_ARGUMENT;
    describe_cpu(info, context->tier);
    return KST_OK;
}
