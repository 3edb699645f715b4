/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a picture's bytes come from and its pixels go to. */
#ifndef KOSTKA_JPEG_GPU_TARGET_H
#define KOSTKA_JPEG_GPU_TARGET_H

#include "device/pinned.h"
#include "jpeg/gpu/batch.h"

/*
 * Look at an image to decode to, whose shape was checked, and in host memory its buffers too; fills in sink and image.
 * Errors as kst_gpu_image_import(), and KST_ERROR_IMAGE_MEMORY where pinned memory is not.
 */
bool kst_gpu_jpeg_target(
    struct gpu_executor *executor, const kst_image *image, struct jpeg_gpu_item *item, struct gpu_error *error);

/* Settle how the item, with plan and output filled in, gets its bytes and gives its pixels. */
void kst_gpu_jpeg_route(struct gpu_executor *executor, struct jpeg_gpu_item *item);

#endif
