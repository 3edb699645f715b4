/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_PROFILE_H
#define KOSTKA_PROFILE_H

/**
 * @file
 * Records what a context's GPU does, with the time of each step, and measures how fast it copies, to compare those
 * times with.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kst_step_kind {
    KST_STEP_KERNEL = 0,
    KST_STEP_UPLOAD = 1,   /**< a copy from the host */
    KST_STEP_DOWNLOAD = 2, /**< to the host */
    KST_STEP_COPY = 3,     /**< on the device */
    KST_STEP_FILL = 4
} kst_step_kind;

/** Holds what the driver reports about a kernel as compiled for the device; −1 for what it does not report. */
typedef struct kst_kernel_traits {
    int32_t registers;     /**< of a work-item */
    int32_t local_bytes;   /**< memory that a work-group shares */
    int32_t private_bytes; /**< memory of a work-item: what did not fit its registers */
    int32_t resident;      /**< work-groups that a multiprocessor can hold at once */
    double
        occupancy; /**< theoretical occupancy: the work-items that it then holds, divided by those it could hold; 0–1 */
} kst_kernel_traits;

/** A step of a device's work. */
typedef struct kst_step {
    size_t size;
    kst_step_kind kind;
    const char *name; /**< of the kernel, else of the kind; a static string */
    double start;     /**< seconds from the start of the first step */
    double seconds;   /**< device time */
    /**
     * For copies, the bytes copied. For kernels, the sum of the sizes of the buffers they work on, which is the least
     * that a kernel must read or write if it needs all of each; of JPEG 2000's samples, only those that it needs count.
     */
    uint64_t bytes;
    uint32_t groups;     /**< kernels: work-groups */
    uint32_t group_size; /**< kernels: work-items in each */
    kst_kernel_traits kernel;
} kst_step;

/**
 * Begin to record what the context's device does. Work takes longer while recording, and so do the times in reports:
 * the device is kept busy for half a millisecond before the first step, so that the following steps are already queued
 * and their times include no waiting for the host. No operation may be in flight on the context.
 *
 * @return KST_OK; KST_ERROR_STATE on the CPU, or if recording has already begun; KST_ERROR_ARGUMENT, KST_ERROR_MEMORY
 *         or KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_profile_begin(kst_context *context);

/**
 * End the recording and report the steps, in the order in which they were queued. No operation may be in flight.
 *
 * @param tell called with each step; may be null. `step` and what it points to are valid during that call only
 * @return KST_OK, KST_ERROR_STATE (recording has not begun), KST_ERROR_ARGUMENT, or KST_ERROR_MEMORY (the record is
 *         incomplete; no step is reported)
 */
KST_API kst_status kst_profile_end(kst_context *context, void (*tell)(void *user, const kst_step *step), void *user);

/**
 * Times to copy a number of bytes, in seconds. All but `across` are host time, from the call to the end of the copy.
 */
typedef struct kst_copy_times {
    size_t size;
    double up;            /**< from pinned memory to the device */
    double down;          /**< from the device to pinned memory */
    double up_pageable;   /**< from plain memory */
    double down_pageable; /**< to plain memory */
    double across;        /**< on the device, which reads and writes each byte; device time */
} kst_copy_times;

/**
 * Measure how long the context's device takes to copy. Each time is the median of `count` copies, after one that is not
 * counted.
 *
 * @param length bytes, a multiple of 4, at least 4
 * @return KST_OK; KST_ERROR_STATE on the CPU; KST_ERROR_ARGUMENT, KST_ERROR_MEMORY, KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_measure_copies(kst_context *context, size_t length, uint32_t count, kst_copy_times *times);

#ifdef __cplusplus
}
#endif

#endif
