/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the steps of encoding one volume, which a CPU takes one after the other and a GPU for several at once. */
#ifndef KOSTKA_J2K_RUN_ENCODE_VOLUME_H
#define KOSTKA_J2K_RUN_ENCODE_VOLUME_H

#include "j2k/cpu/z.h"
#include "j2k/gpu/slices.h"
#include "j2k/run/encode.h"
#include "run/volume_encoding.h"

/* Holds the state of one encoding. It must not be moved. */
struct j2k_volume_encoding {
    struct volume_encoding *asked;
    kst_volume integers; /* what is coded: the caller's volume, or integers made of it, which belong to `memory` */
    kst_j2k_options jpeg2000;
    double *layer_value; /* values of layers for the whole volume */
    struct j2k_multi_collection wavelet;
    struct j2k_z_layout layout;
    struct j2k_z_planes planes;
    kst_plane *plane;
    struct j2k_volume_coding coding;
    struct memory memory; /* of all this */
    struct encoding e;    /* of the transformed slices, with the memory that is left */
    struct j2k_encoder encoder;
    bool begun; /* `e` is to be ended */
};

/*
 * Check the options and choose what they leave open. After an error, which is in the report as always, the encoding is
 * to be ended, too. kst_j2k_run_encode_volume_by_itself() does everything between, with a transform on the CPU.
 */
kst_status kst_j2k_run_encode_volume_begin(struct j2k_volume_encoding *v, struct volume_encoding *asked);
kst_status kst_j2k_run_encode_volume_by_itself(struct j2k_volume_encoding *v);
void kst_j2k_run_encode_volume_end(struct j2k_volume_encoding *v);

/* Begin with `e`, for components of so many bits, which lie on a device from `at` on. */
kst_status kst_j2k_run_encode_volume_start(
    struct j2k_volume_encoding *v, const struct gpu_buffer *components, size_t at, uint32_t bits);
/* End what was started, and take its report. */
void kst_j2k_run_encode_volume_stop(struct j2k_volume_encoding *v, kst_status status);

/*
 * encode_volume_samples.c: make integers in host memory of the volume, unless it is that; and report a sample that
 * cannot be coded, of which J2K_NO_SAMPLE is none.
 */
kst_status kst_j2k_run_encode_volume_integers(struct j2k_volume_encoding *v);
kst_status kst_j2k_run_encode_volume_judge(struct j2k_volume_encoding *v, uint64_t infinite, uint64_t too_far);

#endif
