/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the work of the last job on the device. A job whose axes are those of the job before it, at the same places, as
 * for frames of a sequence, need not write and copy them again.
 */
#ifndef KOSTKA_RESIZE_GPU_KEPT_H
#define KOSTKA_RESIZE_GPU_KEPT_H

#include "device/pool.h"
#include "resize/gpu/axis.h"

/*
 * Describe the work of a job: its number of steps and its axes in their order, on which the places of the axes depend.
 * Work with more axes than are noted is not kept.
 */
void kst_resize_gpu_describe_work(
    const struct resize_gpu_axis *const *axis, uint32_t count, uint32_t steps, struct resize_gpu_work_key *key);

/*
 * Take the buffer that is kept, if it holds the axes of such work. Nobody else has it until it is given back.
 * Thread-safe.
 */
bool kst_resize_gpu_kept_take(
    struct resize_gpu_axes *axes, const struct resize_gpu_work_key *key, struct gpu_buffer *buffer);

/*
 * Keep a buffer that holds such work, which no queue works on any more, and give the former one to the pool. Work that
 * cannot be kept goes to the pool itself. The buffer is cleared. Thread-safe.
 */
void kst_resize_gpu_kept_give(struct resize_gpu_axes *axes, struct gpu_pool *pool,
    const struct resize_gpu_work_key *key, struct gpu_buffer *buffer);

#endif
