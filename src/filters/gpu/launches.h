/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the launches by which the filters of a chain process some images, and how they are queued on a device. */
#ifndef KOSTKA_FILTERS_GPU_LAUNCHES_H
#define KOSTKA_FILTERS_GPU_LAUNCHES_H

#include "device/runtime.h"
#include "filters/gpu/modules.h"
#include "filters/kernels/work.h"
#include "filters/parse.h"

/* Describes pixels in device memory. The buffer need not be allocated before kst_filter_gpu_queue(). */
struct filter_gpu_pixels {
    const struct gpu_buffer *buffer;
    uint64_t at; /* bytes of the buffer before the first pixel */
    size_t pitch;
    struct filter_pixels pixels; /* without `data` and `pitch` */
};

/* Describes the launch of a kernel for one image. */
struct filter_gpu_launch {
    enum filter_gpu_kernel kernel;
    uint32_t order, number; /* launches run in this order; those of equal order run at once */
    uint32_t groups;
    const struct gpu_buffer *from, *to, *extra;
    uint64_t from_at, to_at, extra_at;
    struct filter_record record; /* all but the places */
};

struct filter_gpu_launches {
    struct memory *memory;
    struct filter_gpu_launch *launch;
    uint32_t count, room;
    uint32_t *table; /* words at the beginning of the work, to which records refer */
    uint32_t words, table_room;
};

/* Describes one application of a filter, for which the filter's function of plans.h adds launches. */
struct filter_gpu_step {
    struct filter_gpu_launches *launches;
    const struct filter_value *value;
    const void *data; /* data of the filter's file */
    struct filter_gpu_pixels from, to;
    uint32_t order;          /* order of the next launch */
    struct gpu_buffer *room; /* buffer of the intermediate memory that the filter's kernels share; the next members
                                describe this memory */
    uint64_t extra_at, extra_length;
    size_t extra_pitch;
};

/* Request intermediate memory that the filter's kernels share. */
void kst_filter_gpu_extra(struct filter_gpu_step *step, uint64_t length, size_t pitch);

/* Begin a record with the members that are the same for all kernels: sizes and samples. */
struct filter_record kst_filter_gpu_record(const struct filter_gpu_step *step);

/*
 * Add a launch with a work-group for each tile of the result, or one of `groups` work-groups. KST_ERROR_MEMORY,
 * KST_ERROR_LIMIT_PIXELS.
 */
kst_status kst_filter_gpu_add(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record);
kst_status kst_filter_gpu_add_groups(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record, uint64_t groups);

/* Add a table of words. *at receives its place, for the record. */
kst_status kst_filter_gpu_table(struct filter_gpu_step *step, uint32_t words, uint32_t **table, int32_t *at);

/* Return the bytes of the work, which is written once all buffers are allocated. */
size_t kst_filter_gpu_work_length(const struct filter_gpu_launches *launches);

/* Write the work, queue its copy, and queue all launches. */
void kst_filter_gpu_queue(struct filter_gpu_launches *launches, struct gpu_queue *queue, const struct gpu_built *built,
    const struct gpu_buffer *work, const struct gpu_buffer *host_work);

#endif
