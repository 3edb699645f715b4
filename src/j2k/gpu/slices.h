/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms the slices of a volume along z on a GPU, to the components that the encoder of pictures takes there. */
#ifndef KOSTKA_J2K_GPU_SLICES_H
#define KOSTKA_J2K_GPU_SLICES_H

#include "device/runtime.h"
#include "image/volume.h"
#include "j2k/plan/multi.h"

/* Describes slices in host memory and their wavelet, whose origin is 0. */
struct j2k_gpu_slices {
    const kst_volume *volume;
    const struct j2k_multi_collection *wavelet;
    const struct j2k_z_layout *layout;
};

/* Return whether a device has room for the slices and for encoding them afterwards, and offsets reach all of it. */
bool kst_j2k_gpu_slices_fit(const struct gpu_runtime *runtime, const struct j2k_gpu_slices *slices, uint64_t limit);

/*
 * Take a buffer for the components, where they lie as in an encoder's buffer of pixels, and transform the slices to it.
 * `most` becomes the largest magnitude of all coefficients, in whole numbers. Returns false on failure, and then there
 * is no buffer.
 */
bool kst_j2k_gpu_slices_analyse(struct gpu_runtime *runtime, const struct j2k_gpu_slices *slices,
    struct gpu_buffer *components, uint32_t *most, struct gpu_error *error);

#endif
