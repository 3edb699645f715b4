/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the steps of encoding a volume. The CPU takes them for one volume after the other, a GPU for several at
 * once.
 */
#ifndef KOSTKA_J2K_RUN_ENCODE_VOLUME_H
#define KOSTKA_J2K_RUN_ENCODE_VOLUME_H

#include "j2k/cpu/z.h"
#include "j2k/gpu/slices.h"
#include "j2k/run/encode.h"
#include "run/volume_encoding.h"

/* Holds the state of encoding a volume. It must not be moved. */
struct j2k_volume_encoding {
    struct volume_encoding *asked;
    kst_volume integers; /* the integers to be coded: the caller's volume, or made from it in `memory` */
    kst_j2k_options jpeg2000;
    double *layer_value; /* the layers' values, scaled for the whole volume */
    struct j2k_multi_collection wavelet;
    struct j2k_z_layout layout;
    struct j2k_z_planes planes;
    kst_plane *plane;
    struct j2k_volume_coding coding;
    struct memory memory; /* accounts for all memory of this encoding */
    struct encoding e;    /* encodes the transformed slices, with the memory that is left */
    struct j2k_encoder encoder;
    bool begun; /* `e` has begun, and must be ended */
};

/*
 * kst_j2k_run_encode_volume_begin() checks the options and chooses what they leave open. The encoding must be ended
 * even after an error, which is in the report as always. kst_j2k_run_encode_volume_by_itself() does everything in
 * between, with a transform on the CPU.
 */
kst_status kst_j2k_run_encode_volume_begin(struct j2k_volume_encoding *v, struct volume_encoding *asked);
kst_status kst_j2k_run_encode_volume_by_itself(struct j2k_volume_encoding *v);
void kst_j2k_run_encode_volume_end(struct j2k_volume_encoding *v);

/* Begin `e`, for components of `bits` bits, which lie on a device from byte `at` of a buffer on; null: on the host. */
kst_status kst_j2k_run_encode_volume_start(
    struct j2k_volume_encoding *v, const struct gpu_buffer *components, size_t at, uint32_t bits);
/* End `e`, and take its report. */
void kst_j2k_run_encode_volume_stop(struct j2k_volume_encoding *v, kst_status status);

/*
 * encode_volume_samples.c: make integers in host memory from the volume, unless it has these already; and report a
 * sample that cannot be coded, where J2K_NO_SAMPLE means that there is none.
 */
kst_status kst_j2k_run_encode_volume_integers(struct j2k_volume_encoding *v);
kst_status kst_j2k_run_encode_volume_judge(struct j2k_volume_encoding *v, uint64_t infinite, uint64_t too_far);

#endif
