/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files that implement the device interface on OpenCL share. */
#ifndef KOSTKA_DEVICE_OPENCL_OPENCL_H
#define KOSTKA_DEVICE_OPENCL_OPENCL_H

#include <pthread.h>

#include "device/device.h"
#include "device/opencl/driver.h"

struct opencl {
    struct gpu base;
    struct opencl_driver driver;
    cl_device device;
    cl_context context;
    cl_queue queue;            /* used to map and unmap pinned memory */
    pthread_mutex_t launching; /* held during a launch, because a kernel's arguments are set one by one */
    uint32_t count;            /* index of the word of a queue that counts its references; 0: not known */
    bool in_turn; /* run one kernel at a time, over all queues, because PoCL 5 keeps wrong counts of what two concurrent
                     kernels share */
    cl_event last; /* if `in_turn`, the latest launch; null: none yet */
};

static inline struct opencl *kst_opencl_of(struct gpu *gpu)
{
    return (struct opencl *)gpu;
}

/* Note a failure unless the result is 0. Returns whether it is 0. */
bool kst_opencl_check(struct gpu_error *error, const struct opencl *opencl, const char *call, cl_int result);

/*
 * Return whether an object exists: false if it was released, never made, or belongs to another driver, whose own
 * functions would crash on it. Returns true if that cannot be determined. Null is allowed.
 */
bool kst_opencl_lives(const struct opencl *opencl, const void *object);

/*
 * Return the same for a queue, even if the memory of a released queue still looks unchanged: its reference count, in
 * one of its first words, must not be 0. kst_opencl_find_count() finds that word once the device is open.
 */
enum { OPENCL_QUEUE_WORDS = 48 };
uint32_t kst_opencl_find_count(const struct opencl *opencl);
bool kst_opencl_queue_lives(const struct opencl *opencl, const void *queue);

/* Return whether this process opened the device: a child of fork() must leave the driver alone. */
bool kst_opencl_usable(const struct opencl *opencl);

/* Return whether a queue takes work: one that has failed does not. */
bool kst_opencl_takes_work(struct gpu_queue *queue);

/* The following are members of the table of functions; see device/device.h. */
bool kst_opencl_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error);
void kst_opencl_discard(struct gpu *gpu, struct gpu_program *program);
bool kst_opencl_find(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
    struct gpu_kernel *kernel, struct gpu_error *error);
void kst_opencl_forget(struct gpu *gpu, struct gpu_kernel *kernel);
bool kst_opencl_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error);
void kst_opencl_queue_destroy(struct gpu_queue *queue);
bool kst_opencl_queue_import(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error);
bool kst_opencl_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error);
void kst_opencl_event_destroy(struct gpu *gpu, struct gpu_event *event);
void kst_opencl_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length);
void kst_opencl_copy_rows(
    struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);
bool kst_opencl_picture_import(
    struct gpu *gpu, const kst_image *image, struct gpu_buffer *buffer, struct gpu_error *error);
void kst_opencl_picture_write(struct gpu_queue *queue, const struct gpu_buffer *picture, struct gpu_rows from,
    size_t row, struct gpu_region region);
void kst_opencl_picture_read(struct gpu_queue *queue, struct gpu_rows to, const struct gpu_buffer *picture, size_t row,
    struct gpu_region region);
void kst_opencl_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value);
void kst_opencl_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count);
void kst_opencl_record(struct gpu_queue *queue, struct gpu_event *event);
void kst_opencl_wait(struct gpu_queue *queue, const struct gpu_event *event);
void kst_opencl_flush(struct gpu_queue *queue);
bool kst_opencl_passed(struct gpu *gpu, const struct gpu_event *event);
void kst_opencl_finish(struct gpu_queue *queue);
double kst_opencl_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to);

#endif
