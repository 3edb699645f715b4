/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files that implement the device interface on CUDA share. */
#ifndef KOSTKA_DEVICE_CUDA_CUDA_H
#define KOSTKA_DEVICE_CUDA_CUDA_H

#include "device/cuda/driver.h"
#include "device/device.h"

struct cuda {
    struct gpu base;
    struct cuda_driver driver;
    cu_device device;
    cu_context context;
    cu_stream own; /* a stream in which nothing is ever queued; callers' streams are compared with it */
    bool sleeps;   /* the program has asked the driver to let threads that wait for the device sleep */
};

static inline struct cuda *kst_cuda_of(struct gpu *gpu)
{
    return (struct cuda *)gpu;
}

/* Note that a call of the driver failed. Returns false. */
bool kst_cuda_fail(struct gpu_error *error, const struct cuda *cuda, const char *call, cu_result result);

/*
 * Make the device's context current, and restore the caller's. Every call of the driver stands between kst_cuda_enter()
 * and kst_cuda_leave(), which notes a failure of the call unless its result is 0.
 */
bool kst_cuda_enter(struct cuda *cuda, struct gpu_error *error);
bool kst_cuda_leave(struct cuda *cuda, struct gpu_error *error, const char *call, cu_result result);

/* Do the same around calls of the driver whose failure cannot be handled. */
bool kst_cuda_enter_quietly(struct cuda *cuda);
void kst_cuda_leave_quietly(struct cuda *cuda);

/* Make host memory that the device copies from and to at full speed, and release it. */
bool kst_cuda_host_take(struct cuda *cuda, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
void kst_cuda_host_give(struct cuda *cuda, struct gpu_buffer *buffer);

/* The following are members of the table of functions; see device/device.h. */
bool kst_cuda_queue_create(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error);
void kst_cuda_queue_destroy(struct gpu_queue *queue);
bool kst_cuda_queue_import(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error);
bool kst_cuda_event_create(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error);
void kst_cuda_event_destroy(struct gpu *gpu, struct gpu_event *event);
void kst_cuda_queue_enter(struct gpu_queue *queue);
void kst_cuda_queue_leave(struct gpu_queue *queue);
void kst_cuda_copy(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset,
    const struct gpu_buffer *from, size_t from_offset, size_t length);
void kst_cuda_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);
void kst_cuda_fill(
    struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value);
void kst_cuda_launch(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count);
void kst_cuda_record(struct gpu_queue *queue, struct gpu_event *event);
void kst_cuda_wait(struct gpu_queue *queue, const struct gpu_event *event);
void kst_cuda_flush(struct gpu_queue *queue);
bool kst_cuda_passed(struct gpu *gpu, const struct gpu_event *event);
void kst_cuda_finish(struct gpu_queue *queue);
void kst_cuda_finish_soon(struct gpu_queue *queue);
double kst_cuda_elapsed(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to);

#endif
