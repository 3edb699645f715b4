/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the launches that filters of a chain make of some images, and how they get to a device. */
#ifndef KOSTKA_FILTERS_GPU_LAUNCHES_H
#define KOSTKA_FILTERS_GPU_LAUNCHES_H

#include "device/runtime.h"
#include "filters/gpu/modules.h"
#include "filters/kernels/work.h"
#include "filters/parse.h"

/* Holds pixels in device memory. Their buffer need not be allocated before they are written or read. */
struct filter_gpu_pixels {
    const struct gpu_buffer *buffer;
    uint64_t at; /* bytes before the first one */
    size_t pitch;
    struct filter_pixels pixels; /* without `data` and `pitch` */
};

/* Describes a kernel that works on one image. */
struct filter_gpu_launch {
    enum filter_gpu_kernel kernel;
    uint32_t order, number; /* launches run in this order, those of equal order at once */
    uint32_t groups;
    const struct gpu_buffer *from, *to, *extra;
    uint64_t from_at, to_at, extra_at;
    struct filter_record record; /* but for places */
};

struct filter_gpu_launches {
    struct memory *memory;
    struct filter_gpu_launch *launch;
    uint32_t count, room;
    uint32_t *table; /* words that records refer to, at the beginning of the work */
    uint32_t words, table_room;
};

/* Describes one application of a filter: what its function of plans.h fills in launches for. */
struct filter_gpu_step {
    struct filter_gpu_launches *launches;
    const struct filter_value *value;
    const void *data; /* of the filter's file */
    struct filter_gpu_pixels from, to;
    uint32_t order;          /* of the next launch */
    struct gpu_buffer *room; /* holds the memory that the filter needs between its kernels: */
    uint64_t extra_at, extra_length;
    size_t extra_pitch;
};

/* Ask for memory between the filter's kernels. */
void kst_filter_gpu_extra(struct filter_gpu_step *step, uint64_t length, size_t pitch);

/* Begin a record with what is the same for all kernels: sizes and samples. */
struct filter_record kst_filter_gpu_record(const struct filter_gpu_step *step);

/* Add a launch over the tiles of the result, and one of so many groups. KST_ERROR_MEMORY, KST_ERROR_LIMIT_PIXELS. */
kst_status kst_filter_gpu_add(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record);
kst_status kst_filter_gpu_add_groups(
    struct filter_gpu_step *step, enum filter_gpu_kernel kernel, const struct filter_record *record, uint64_t groups);

/* Add a table of words. *at receives its place, for the record. */
kst_status kst_filter_gpu_table(struct filter_gpu_step *step, uint32_t words, uint32_t **table, int32_t *at);

/* The bytes of the work, which is written once all buffers are allocated. */
size_t kst_filter_gpu_work_length(const struct filter_gpu_launches *launches);

/* Write the work, queue its copy, and queue all launches. */
void kst_filter_gpu_queue(struct filter_gpu_launches *launches, struct gpu_queue *queue, const struct gpu_built *built,
    const struct gpu_buffer *work, const struct gpu_buffer *host_work);

#endif
