/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in device memory. */
#ifndef KOSTKA_DEVICE_IMAGE_H
#define KOSTKA_DEVICE_IMAGE_H

#include "device/device.h"
#include "image/validate.h"

struct gpu_executor;

/* Where the planes of an image lie; at the image's pitches. */
struct gpu_image {
    struct gpu_buffer buffer[KST_IMAGE_PLANES_MAX];
    size_t offset[KST_IMAGE_PLANES_MAX]; /* of the first sample in it */
    bool picture;                        /* the first one is an object of the driver's instead */
    uint32_t left, top;                  /* of an object: where in it the image begins */
};

/* How kernels come to the pixels of a picture to encode. */
enum gpu_source {
    GPU_SOURCE_STAGED, /* through pinned memory of the library's */
    GPU_SOURCE_COPIED, /* by a copy straight from the caller's memory, pinned or the device's */
    GPU_SOURCE_DIRECT  /* they read them where they lie */
};

/* How the pixels of a decoded picture come to the caller's image. */
enum gpu_sink {
    GPU_SINK_HOST,   /* through pinned memory of the job's */
    GPU_SINK_PINNED, /* by a copy from the device: the image is pinned */
    GPU_SINK_DEVICE  /* likewise, within the device, or written by the kernels in place */
};

/*
 * Look at an image in device memory, of a shape that was checked. KST_ERROR_IMAGE_MEMORY, KST_ERROR_IMAGE_PITCH or
 * KST_ERROR_IMAGE_BUFFER where the device cannot work on it.
 */
bool kst_gpu_image_import(struct gpu *gpu, const kst_image *image, struct gpu_image *imported, struct gpu_error *error);

/*
 * Look at an image to encode, of a shape that was checked, and in host memory at its buffers too: where its pixels are,
 * and, unless they are staged, the planes. Errors as kst_gpu_image_import().
 */
bool kst_gpu_image_source(struct gpu_executor *executor, const kst_image *image, enum gpu_source *source,
    struct gpu_image *planes, struct gpu_error *error);

/* Queue a copy of an imported image's samples to host memory, and back; and one to another in device memory. */
void kst_gpu_image_download(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host);
void kst_gpu_image_upload(
    struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported, const kst_image *host);

void kst_gpu_image_move(struct gpu_queue *queue, const kst_image *to, const struct gpu_image *imported_to,
    const kst_image *from, const struct gpu_image *imported_from);

/* Queue copies between a plane of an imported image and rows elsewhere. */
void kst_gpu_plane_write(struct gpu_queue *queue, const kst_image *image, const struct gpu_image *imported,
    uint32_t index, struct gpu_rows from);
void kst_gpu_plane_read(struct gpu_queue *queue, struct gpu_rows to, const kst_image *image,
    const struct gpu_image *imported, uint32_t index);

/* A copy of rows, in one piece where they have no padding. */
void kst_gpu_copy_rows(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);

#endif
