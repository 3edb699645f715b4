/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how a picture's bytes get to the device and how its pixels get from there to the image. */
#ifndef KOSTKA_JPEG_GPU_TARGET_H
#define KOSTKA_JPEG_GPU_TARGET_H

#include "device/pinned.h"
#include "jpeg/gpu/part.h"

/* Settle how an item, whose plan and output are filled in, gets its bytes to the device and its pixels to the image. */
void kst_jpeg_gpu_route(struct gpu_runtime *runtime, struct jpeg_gpu_item *item);

#endif
