/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transforms the slices of volumes along z on a GPU, to the components that the encoder of pictures then reads there.
 */
#ifndef KOSTKA_J2K_GPU_SLICES_H
#define KOSTKA_J2K_GPU_SLICES_H

#include "device/image.h"
#include "device/runtime.h"
#include "image/volume.h"
#include "j2k/plan/multi.h"

#define J2K_NO_SAMPLE UINT64_MAX

/* Describes slices and their wavelet, whose origin is 0, and receives what the kernels find out about the slices. */
struct j2k_gpu_slices {
    const kst_volume *volume; /* describes the volume with its pitches, in host or device memory */
    const struct j2k_multi_collection *wavelet;
    const struct j2k_z_layout *layout;
    struct gpu_image image;     /* for device memory: the volume as it is imported there */
    float scale, add, error;    /* for floating-point samples, as in struct j2k_work_slices */
    size_t at;                  /* where the components begin in their buffer, in bytes */
    uint32_t most;              /* the largest magnitude of all coefficients, in whole numbers */
    uint64_t infinite, too_far; /* index in the volume of the first sample that cannot be coded; J2K_NO_SAMPLE: none */
};

/* Return the bytes of a device that a volume takes while it is encoded. */
uint64_t kst_j2k_gpu_slices_memory(const kst_volume *volume);

/*
 * Return whether a device has room for volumes that take `bytes` together, and for encoding them afterwards, and
 * offsets reach all of it.
 */
bool kst_j2k_gpu_slices_fit(const struct gpu_runtime *runtime, uint64_t bytes, uint64_t limit);

/*
 * Take a buffer for the components of volumes, which lie in it one after the other, as in an encoder's buffer of
 * pixels, and transform the slices to it. Either all wavelets are reversible, or none is. Returns false on failure, and
 * then takes no buffer.
 */
bool kst_j2k_gpu_slices_analyse(struct gpu_runtime *runtime, struct j2k_gpu_slices *slices, uint32_t count,
    struct gpu_buffer *components, struct gpu_error *error);

#endif
