/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks objects that callers pass before a driver dereferences them. Every object begins with the address of its
 * driver's table of functions (cl_khr_icd).
 */
#include "device/handle.h"
#include "device/opencl/opencl.h"

static enum gpu_look read_table(const void *object, uintptr_t *table)
{
    uintptr_t first;
    enum gpu_look look = kst_gpu_look((uintptr_t)object, table, sizeof *table);
    return look == GPU_LOOK_READ ? kst_gpu_look(*table, &first, sizeof first) : look;
}

/*
 * Return whether a table belongs to another driver. It can be recognised only if this driver has one table for all
 * kinds of its objects.
 */
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

/*
 * Find the word of a queue that counts its references: it is the one that is greater by one while the queue is retained
 * once more.
 */
uint32_t kst_opencl_find_count(const struct opencl *opencl)
{
    uint32_t before[OPENCL_QUEUE_WORDS], after[OPENCL_QUEUE_WORDS], found = 0, place = 0;
    enum gpu_look look = kst_gpu_look((uintptr_t)opencl->queue, before, sizeof before);
    if (look != GPU_LOOK_READ || opencl->driver.queue_retain(opencl->queue) != 0)
        return 0;
    look = kst_gpu_look((uintptr_t)opencl->queue, after, sizeof after);
    opencl->driver.queue_release(opencl->queue);
    for (uint32_t i = sizeof(void *) / sizeof before[0]; i < OPENCL_QUEUE_WORDS && look == GPU_LOOK_READ; i++)
        if (before[i] > 0 && before[i] < UINT16_MAX && after[i] == before[i] + 1) {
            place = i;
            found++;
        }
    return found == 1 ? place : 0;
}

bool kst_opencl_queue_lives(const struct opencl *opencl, const void *queue)
{
    uint32_t word[OPENCL_QUEUE_WORDS];
    if (!kst_opencl_lives(opencl, queue) || opencl->count == 0)
        return kst_opencl_lives(opencl, queue);
    enum gpu_look look = kst_gpu_look((uintptr_t)queue, word, sizeof word);
    return look == GPU_LOOK_UNKNOWN || (look == GPU_LOOK_READ && word[opencl->count] > 0);
}
