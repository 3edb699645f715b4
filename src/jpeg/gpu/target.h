/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides where a picture's bytes come from and where its pixels go to. */
#ifndef KOSTKA_JPEG_GPU_TARGET_H
#define KOSTKA_JPEG_GPU_TARGET_H

#include "device/pinned.h"
#include "jpeg/gpu/batch.h"

/*
 * Examine an image to decode into, and fill in the item's sink and image. Its shape was checked, and in host memory its
 * buffers too. Errors as kst_gpu_image_import(), and KST_ERROR_IMAGE_MEMORY if memory that is said to be pinned is not.
 */
bool kst_gpu_jpeg_target(
    struct gpu_executor *executor, const kst_image *image, struct jpeg_gpu_item *item, struct gpu_error *error);

/* Settle how an item, whose plan and output are filled in, gets its bytes to the device and its pixels to the image. */
void kst_gpu_jpeg_route(struct gpu_executor *executor, struct jpeg_gpu_item *item);

#endif
