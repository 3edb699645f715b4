/* SPDX-License-Identifier: BSD-2-Clause */
/* Imports the caller's pictures in device memory, and copies between them and other memory. */
#ifndef KOSTKA_DEVICE_IMAGE_H
#define KOSTKA_DEVICE_IMAGE_H

#include "core/shared.h"
#include "device/device.h"
#include "image/validate.h"

struct gpu_runtime;

/* Holds the planes of an image in device memory; their pitches are the image's. */
struct gpu_image {
    struct gpu_buffer buffer[KST_IMAGE_PLANES_MAX];
    size_t offset[KST_IMAGE_PLANES_MAX]; /* offset of the first sample in its buffer */
    bool picture;                        /* the first buffer is an image object of the driver instead */
    uint32_t left, top;                  /* for an image object: where in it the image begins */
};

/* Says how kernels get the pixels of a picture to encode. */
enum gpu_source {
    GPU_SOURCE_STAGED, /* they are staged through pinned memory of the library */
    GPU_SOURCE_COPIED, /* they are copied straight from the caller's pinned or device memory */
    GPU_SOURCE_DIRECT  /* kernels read them where they lie */
};

/* Says how the pixels of a decoded picture get into the caller's image. */
enum gpu_delivery {
    GPU_DELIVERY_HOST,   /* they are staged through pinned memory of the job */
    GPU_DELIVERY_PINNED, /* they are copied from the device, because the image is pinned */
    GPU_DELIVERY_DEVICE  /* they are copied within the device, or kernels write them in place */
};

/* Says where the pixels of a decoded picture go. */
struct gpu_target {
    enum gpu_delivery delivery;
    struct gpu_image image; /* the caller's image, unless the pixels are staged */
};

/*
 * Import an image in device memory whose shape was checked. KST_ERROR_IMAGE_MEMORY, KST_ERROR_IMAGE_PITCH or
 * KST_ERROR_IMAGE_BUFFER if the device cannot work on it.
 */
KST_SHARED bool kst_gpu_image_import(
    struct gpu_runtime *runtime, const kst_image *image, struct gpu_image *imported, struct gpu_error *error);

/*
 * Take device memory for an image from the pool, and give it back. Such memory is imported without asking the driver,
 * which takes long if many threads ask at once.
 */
bool kst_gpu_image_take(struct gpu_runtime *runtime, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
void kst_gpu_image_give(struct gpu_runtime *runtime, struct gpu_buffer *buffer);

/*
 * Find out how kernels get the pixels of an image to encode and, unless they are staged, fill in its planes. The shape
 * of the image was checked, and in host memory its buffers too. Errors as kst_gpu_image_import().
 */
bool kst_gpu_image_source(struct gpu_runtime *runtime, const kst_image *image, enum gpu_source *source,
    struct gpu_image *planes, struct gpu_error *error);

/*
 * Examine an image to decode into. Its shape was checked, and in host memory its buffers too. Errors as
 * kst_gpu_image_import(), and KST_ERROR_IMAGE_MEMORY if memory that is said to be pinned is not.
 */
bool kst_gpu_image_target(
    struct gpu_runtime *runtime, const kst_image *image, struct gpu_target *target, struct gpu_error *error);

/*
 * Queue a copy of an imported image's samples to host memory, from host memory, or to another image in device memory.
 */
KST_SHARED void kst_gpu_image_download(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host);
KST_SHARED void kst_gpu_image_upload(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host);

void kst_gpu_image_move(struct gpu_queue *queue, const kst_image *to, const struct gpu_image *imported_to,
    const kst_image *from, const struct gpu_image *imported_from);

/* Queue a copy from rows elsewhere to a plane of an imported image, and back. */
void kst_gpu_plane_write(struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported,
    uint32_t index, struct gpu_rows from);
void kst_gpu_plane_read(struct gpu_queue *queue, struct gpu_rows to, const kst_image *image,
    const struct gpu_image *imported, uint32_t index);

/* Copy rows, in one piece if they have no padding. */
void kst_gpu_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);

#endif
