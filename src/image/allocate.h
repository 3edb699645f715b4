/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of images, charged to an operation. */
#ifndef KOSTKA_IMAGE_ALLOCATE_H
#define KOSTKA_IMAGE_ALLOCATE_H

#include "core/memory.h"

/* As kst_image_allocate(); kst_memory_hand_over() lets `owned` outlive the operation. */
kst_status kst_image_make(struct memory *memory, kst_image *image);

/* As kst_image_release(), with the memory that the image is charged to; it must have been made. */
void kst_image_drop(struct memory *memory, kst_image *image);

#endif
