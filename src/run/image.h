/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the buffers of images in all kinds of memory are made, copied and released. */
#ifndef KOSTKA_RUN_IMAGE_H
#define KOSTKA_RUN_IMAGE_H

#include "core/context.h"
#include "core/shared.h"
#include "image/location.h"

struct gpu_error;

/*
 * Allocate an image as kst_image_allocate() does, charged to `memory`. `message`, which may be null, receives the
 * device's message about a failure.
 */
KST_SHARED kst_status kst_image_make_in(
    struct kst_context *context, struct memory *memory, kst_image *image, char message[128]);

/* Do the work of kst_image_copy(). `error` receives the device's message about a failure. */
kst_status kst_image_copy_in(
    struct kst_context *context, const kst_image *from, const kst_image *to, struct gpu_error *error);

/* Copy an image in device memory to one in pinned memory, which kst_image_release() releases. Errors are reported. */
kst_status kst_image_bring(struct kst_context *context, const kst_image *image, kst_image *host, kst_report *report);

/* Let an image outlive the operation that it was charged to. */
KST_SHARED void kst_image_keep(struct kst_context *context, struct memory *memory, const kst_image *image);

/* Release an image of kst_image_make_in(); `memory` is the memory that the image is charged to by now. */
KST_SHARED void kst_image_drop_in(struct kst_context *context, struct memory *memory, kst_image *image);

#endif
