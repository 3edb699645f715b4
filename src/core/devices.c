/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses device names and describes the CPU. */
#include <stdio.h>
#include <string.h>

#include "core/device.h"

/* Return whether a suffix is empty or ":N", where N has one to four digits. */
static bool is_number_suffix(const char *suffix)
{
    if (suffix[0] == '\0')
        return true;
    size_t digits = strspn(suffix + 1, "0123456789");
    return suffix[0] == ':' && digits >= 1 && digits <= 4 && suffix[1 + digits] == '\0';
}

kst_status kst_device_kind_by_name(const char *name, kst_device_kind *kind)
{
    static const struct {
        const char *name;
        kst_device_kind kind;
    } gpus[] = {{"cuda", KST_DEVICE_CUDA}, {"opencl", KST_DEVICE_OPENCL}};
    *kind = KST_DEVICE_NONE;
    if (strcmp(name, "auto") == 0 || strcmp(name, "cpu") == 0)
        *kind = KST_DEVICE_CPU;
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        size_t length = strlen(gpus[i].name);
        if (strncmp(name, gpus[i].name, length) == 0 && is_number_suffix(name + length))
            *kind = gpus[i].kind;
    }
    return *kind == KST_DEVICE_NONE ? KST_ERROR_DEVICE_NAME : KST_OK;
}

void kst_device_describe_cpu(kst_device_info *info, enum cpu_tier tier)
{
    *info = (kst_device_info){
        .size = sizeof *info, .kind = KST_DEVICE_CPU, .name = "cpu", .units = kst_cpu_count(), .memory = 0};
    kst_cpu_model(info->model);
    snprintf(info->tier, sizeof info->tier, "%s", kst_cpu_tier_name(tier));
}
