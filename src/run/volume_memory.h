/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the buffers of volumes are made, released and reached, in any memory. */
#ifndef KOSTKA_RUN_VOLUME_MEMORY_H
#define KOSTKA_RUN_VOLUME_MEMORY_H

#include <kostka/kostka_volume.h>

#include "device/image.h"
#include "run/device.h"

enum { VOLUME_MESSAGE = 128 };

/*
 * Allocate as kst_volume_allocate() does. Host memory is charged to `memory` until kst_volume_keep() charges it to the
 * context; device memory belongs to the context from the start. `message` may be null, and receives the device's
 * message about a failure. kst_volume_drop_in() releases the buffer of kst_volume_make_in(); `memory` is the memory
 * that it is charged to by now.
 */
kst_status kst_volume_make_in(
    kst_context *context, struct memory *memory, kst_volume *volume, char message[VOLUME_MESSAGE]);
void kst_volume_keep(kst_context *context, struct memory *memory, const kst_volume *volume);
void kst_volume_drop_in(kst_context *context, struct memory *memory, kst_volume *volume);

/* Do the work of kst_volume_allocate() and kst_volume_release(). */
kst_status kst_volume_run_allocate(kst_context *context, kst_volume *volume);
void kst_volume_run_release(kst_context *context, kst_volume *volume);

/* Examine a volume, whose description was checked, as kst_gpu_image_target() examines an image. */
bool kst_volume_target(
    struct gpu_runtime *gpu, const kst_volume *volume, struct gpu_target *target, struct gpu_error *error);

/* Copy between an imported volume and one of the same size in host memory, to the device with `up`, otherwise from it,
 * and wait. */
kst_status kst_volume_transfer(struct gpu_runtime *gpu, const kst_volume *volume, const struct gpu_image *imported,
    const kst_volume *host, bool up, kst_report *report);

#endif
