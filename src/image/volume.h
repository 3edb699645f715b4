/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks descriptions of volumes, and allocates their buffers, charged to an operation. */
#ifndef KOSTKA_IMAGE_VOLUME_H
#define KOSTKA_IMAGE_VOLUME_H

#include <kostka/kostka_volume.h>

#include "core/memory.h"

/* Return the bytes of a sample of a volume. */
static inline uint32_t kst_volume_sample_bytes(const kst_volume *volume)
{
    return volume->sample == KST_SAMPLE_FLOAT32 || volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

/*
 * Check size and sample type, and fill in pitches that are 0. `bytes` receives the bytes from the first sample to the
 * end of the last row. KST_ERROR_ARGUMENT, KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_DEPTH, KST_ERROR_IMAGE_SAMPLE,
 * KST_ERROR_IMAGE_MEMORY or KST_ERROR_IMAGE_PITCH (rows or slices that overlap, or are not aligned).
 */
kst_status kst_volume_check(kst_volume *volume, uint64_t *bytes);

/* Allocate host memory as kst_volume_allocate() does; kst_memory_hand_over() lets `owned` outlive the operation. */
kst_status kst_volume_make(struct memory *memory, kst_volume *volume);

#endif
