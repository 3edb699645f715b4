/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates buffers of images, charged to an operation. */
#ifndef KOSTKA_IMAGE_ALLOCATE_H
#define KOSTKA_IMAGE_ALLOCATE_H

#include "core/memory.h"
#include "core/shared.h"

/*
 * Set the pitches of an image that is described as for kst_image_allocate(). *total receives the bytes of its planes,
 * one after the other.
 */
kst_status kst_image_lay_out(kst_image *image, uint64_t *total);

/* Place the planes of such an image one after the other from `data` on. */
void kst_image_place(kst_image *image, uint8_t *data);

/* Allocate as kst_image_allocate() does in host memory; kst_memory_hand_over() lets `owned` outlive the operation. */
KST_SHARED kst_status kst_image_make(struct memory *memory, kst_image *image);

/*
 * Release as kst_image_release() does, from the memory that the image is charged to. The image must have been
 * allocated.
 */
KST_SHARED void kst_image_drop(struct memory *memory, kst_image *image);

#endif
