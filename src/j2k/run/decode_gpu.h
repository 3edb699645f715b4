/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the context's GPU decodes a JPEG 2000 picture: planning, decoding and reporting. */
#ifndef KOSTKA_J2K_RUN_DECODE_GPU_H
#define KOSTKA_J2K_RUN_DECODE_GPU_H

#include "j2k/gpu/decode.h"
#include "j2k/syntax/stream.h"

struct decoding;

/* Describes a picture that was planned for the GPU. Its plan is released when the decoding ends. */
struct j2k_planned {
    struct j2k_plan plan;
    struct j2k_gpu_item item;
    struct j2k_gpu_need need;
    uint16_t *palette; /* the item's table of palettes; null: none */
    kst_plane *more; /* the item's planes behind the first four, if the item is a region of the image; otherwise null */
};

enum j2k_fit {
    J2K_FITS,
    J2K_FITS_IN_SLABS, /* smaller regions may fit: memory is too small, or the kernels' counters are */
    J2K_FITS_NOT       /* the CPU must decode it */
};

/*
 * Read the packets of a region of the image, and find out whether the GPU can decode it. If it fits, `planned` of the
 * decoder's state receives the plan. Otherwise it stays null, and the decoder's report is unchanged.
 */
kst_status kst_j2k_run_decode_gpu_plan(struct decoding *decoding, kst_region region, enum j2k_fit *fit);
void kst_j2k_run_decode_gpu_drop(struct decoding *decoding); /* does nothing without a plan */
void kst_j2k_run_decode_gpu_release(struct decoding *decoding, struct j2k_planned *planned); /* likewise */

/* Return how the planned picture is scheduled on the device, and which blocks the CPU's threads decode. */
struct j2k_gpu_order kst_j2k_run_decode_gpu_order(const struct decoding *decoding);

/* Decode the planned picture, and wait until that is done. */
void kst_j2k_run_decode_gpu_run(
    struct decoding *decoding, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error);

/*
 * Decode slabs one after the other, each as high as fits into memory. Returns false if the device cannot decode all of
 * them, or if there is damage, which can only be reported when the whole picture is decoded. In that case the decoder's
 * report is unchanged, and the contents of the image are undefined.
 */
bool kst_j2k_run_decode_gpu_slabs(struct decoding *decoding, kst_status *status);

/* End a decoding that the GPU has completed, or has failed to complete. */
kst_status kst_j2k_run_decoding_settle(struct decoding *decoding, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, const struct gpu_error *error);

/* Add the device's work, and the damage that it found, to the report of a decoding. */
kst_status kst_j2k_run_decode_gpu_report(
    struct decoding *decoding, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times);

/* Do the same for any report. */
kst_status kst_j2k_run_decode_gpu_note(kst_report *report, const struct gpu *gpu, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, bool strict);

#endif
