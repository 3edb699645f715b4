/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that callers give. An object begins with the address of its driver's table of functions (cl_khr_icd). */
#include "gpu/handle.h"
#include "gpu/opencl.h"

static enum gpu_look read_table(const void *object, uintptr_t *table)
{
    uintptr_t first;
    enum gpu_look look = kst_gpu_look((uintptr_t)object, table, sizeof *table);
    return look == GPU_LOOK_READ ? kst_gpu_look(*table, &first, sizeof first) : look;
}

/* Only where the driver has one table for its objects of all kinds can others' tables be told. */
static bool is_other_table(const struct opencl *opencl, uintptr_t table)
{
    uintptr_t queues, contexts;
    return opencl->queue && read_table(opencl->queue, &queues) == GPU_LOOK_READ &&
           read_table(opencl->context, &contexts) == GPU_LOOK_READ && queues == contexts && table != queues;
}

bool kst_opencl_lives(const struct opencl *opencl, const void *object)
{
    uintptr_t table;
    enum gpu_look look = object ? read_table(object, &table) : GPU_LOOK_NOTHING;
    return look == GPU_LOOK_UNKNOWN || (look == GPU_LOOK_READ && !is_other_table(opencl, table));
}
