/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the devices of all drivers, opens them by name, and fills in errors. */
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gpu_backend *const backends[] = {&kst_gpu_cuda, &kst_gpu_opencl};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

uint32_t kst_gpu_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BACKENDS; i++)
        count += backends[i]->count();
    return count;
}

uint32_t kst_gpu_count_of(kst_device_kind kind)
{
    for (uint32_t i = 0; i < BACKENDS; i++)
        if (backends[i]->kind == kind)
            return backends[i]->count();
    return 0;
}

bool kst_gpu_describe(uint32_t index, kst_device_info *info)
{
    for (uint32_t i = 0; i < BACKENDS; i++) {
        uint32_t count = backends[i]->count();
        if (index < count)
            return backends[i]->describe(index, info);
        index -= count;
    }
    return false;
}

bool kst_gpu_preferred(uint32_t next, char name[16])
{
    for (uint32_t i = 0; i < BACKENDS; i++) {
        int32_t index = backends[i]->preferred();
        if (index < 0 || next-- > 0)
            continue;
        snprintf(name, 16, "%s:%u", backends[i]->name, (unsigned)index);
        return true;
    }
    return false;
}

void kst_gpu_name(kst_device_info *info, const struct gpu_backend *backend, uint32_t index)
{
    info->kind = backend->kind;
    snprintf(info->name, sizeof info->name, "%s:%u", backend->name, (unsigned)index);
}

/* Open a device. The form of its name was checked before: a driver's name, followed by ":N" or by nothing. */
kst_status kst_gpu_open(struct memory *memory, const char *name, struct gpu **gpu, struct gpu_error *error)
{
    *gpu = NULL;
    *error = (struct gpu_error){.status = KST_OK};
    for (uint32_t i = 0; i < BACKENDS; i++) {
        size_t length = strlen(backends[i]->name);
        if (strncmp(name, backends[i]->name, length) != 0)
            continue;
        int32_t best = name[length] == ':' ? 0 : backends[i]->preferred();
        uint32_t index = name[length] == ':' ? (uint32_t)strtoul(name + length + 1, NULL, 10)
                         : best > 0          ? (uint32_t)best
                                             : 0;
        if (index >= backends[i]->count())
            return KST_ERROR_DEVICE_MISSING;
        *gpu = backends[i]->open(memory, index, error);
        return *gpu ? KST_OK : error->status;
    }
    return KST_ERROR_DEVICE_MISSING;
}

kst_status kst_gpu_open_opencl(
    struct memory *memory, void *context, void *device, struct gpu **gpu, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    *gpu = kst_gpu_opencl.open_in(memory, context, device, error);
    return *gpu ? KST_OK : error->status;
}

void kst_gpu_close(struct gpu **gpu)
{
    if (!*gpu)
        return;
    (*gpu)->backend->close(*gpu);
    *gpu = NULL;
}

bool kst_gpu_usable(const struct gpu *gpu, struct gpu_error *error)
{
    if (gpu->process == (long)getpid())
        return true;
    return kst_gpu_fail(error, gpu, "fork", "the device was opened by the parent process");
}

bool kst_gpu_fail(struct gpu_error *error, const struct gpu *gpu, const char *call, const char *reason)
{
    if (error->status)
        return false;
    error->status = KST_ERROR_DEVICE_FAILED;
    snprintf(error->text, sizeof error->text, "%s on %s: %s", call, gpu->info.name, reason);
    return false;
}

bool kst_gpu_refuse(struct gpu_error *error, const struct gpu *gpu, kst_status status, const char *reason)
{
    if (error->status)
        return false;
    error->status = status;
    snprintf(error->text, sizeof error->text, "%s: %s", gpu->info.name, reason);
    return false;
}
