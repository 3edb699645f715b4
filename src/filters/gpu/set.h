/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an operation on several images in a device's memory: its buffers and launches. */
#ifndef KOSTKA_FILTERS_GPU_SET_H
#define KOSTKA_FILTERS_GPU_SET_H

#include "device/image.h"
#include "filters/gpu/launches.h"

enum filter_gpu_set_buffer { FILTER_VOLUME, FILTER_ROOM, FILTER_WORK, FILTER_HOST_WORK, FILTER_SET_BUFFERS };
enum { FILTER_GPU_SET_IMAGES = 34 };

struct filter_gpu_set {
    struct gpu_runtime *runtime;
    const struct operation *operation;
    const kst_image *const *image; /* in device memory; some may be null */
    uint32_t count;
    const struct gpu_built *built;
    struct gpu_image at[FILTER_GPU_SET_IMAGES];
    struct gpu_buffer buffer[FILTER_SET_BUFFERS];
    struct filter_gpu_launches launches;
    uint32_t order; /* order of the next launch */
    struct gpu_error *error;
};

/* Build the kernels and import all images. End the set in any case. */
kst_status kst_filter_gpu_set_begin(struct filter_gpu_set *set, struct gpu_runtime *runtime,
    const struct operation *operation, const kst_image *const *image, uint32_t count, struct gpu_error *error);
void kst_filter_gpu_set_end(struct filter_gpu_set *set);

/* Take memory for a volume and for other arrays; launches refer to both. */
kst_status kst_filter_gpu_set_take(struct filter_gpu_set *set, uint64_t volume, uint64_t room);

/*
 * Describe an image, and a place in a buffer, for kernels. `bytes` is the number of bytes of each pixel that a kernel
 * moves.
 */
struct filter_gpu_pixels kst_filter_gpu_set_image(const struct filter_gpu_set *set, uint32_t index);
struct filter_gpu_pixels kst_filter_gpu_set_buffer(const struct filter_gpu_set *set, enum filter_gpu_set_buffer buffer,
    uint32_t width, uint32_t height, uint32_t bytes);

/* Begin a step, whose launches follow those of the step before. */
struct filter_gpu_step kst_filter_gpu_set_step(
    struct filter_gpu_set *set, struct filter_gpu_pixels from, struct filter_gpu_pixels to);

/* Run all that was planned, and wait for its end. *seconds receives the device's time. */
kst_status kst_filter_gpu_set_run(struct filter_gpu_set *set, double *seconds);

#endif
