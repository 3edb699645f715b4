/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 on the context's GPU: what a decoding takes there. */
#ifndef KOSTKA_J2K_RUN_DECODE_GPU_H
#define KOSTKA_J2K_RUN_DECODE_GPU_H

#include "j2k/gpu/decode.h"
#include "j2k/syntax/stream.h"

struct decoding;

/* A picture that is planned: its plan is released when the decoding ends. */
struct j2k_planned {
    struct j2k_plan plan;
    struct j2k_gpu_item item;
    struct j2k_gpu_need need;
    uint16_t *palette; /* of the item's conversion, or null */
    kst_plane *more;   /* the item's planes behind the first four, where these are parts of them; or null */
};

enum j2k_fit {
    J2K_FITS,
    J2K_FITS_IN_STRIPS, /* less of it may: the memory is not enough, or more than what kernels can count */
    J2K_FITS_NOT        /* the CPU's */
};

/*
 * Read the packets and say how a part of the decoding's image comes there. If it fits, `planned` of the decoder's state
 * has it. Otherwise that stays null, and the decoder's report is as before.
 */
kst_status kst_j2k_gpu_plan(struct decoding *decoding, kst_region part, enum j2k_fit *fit);
void kst_j2k_gpu_drop(struct decoding *decoding);                                 /* nothing where there is no plan */
void kst_j2k_gpu_release(struct decoding *decoding, struct j2k_planned *planned); /* likewise */

/* How what is planned goes to the device, with blocks for the CPU's threads. */
struct j2k_gpu_order kst_j2k_gpu_order(const struct decoding *decoding);

/* Carry it out. */
void kst_j2k_gpu_run(
    struct decoding *decoding, struct j2k_gpu_damage *damage, struct j2k_gpu_times *times, struct gpu_error *error);

/*
 * Decode strips one after the other, as high as fit into memory. False where the device cannot do all of it, or where
 * there is damage, of which a whole decoding tells: the decoder's report then is as before, and the image holds
 * anything.
 */
bool kst_j2k_gpu_strips(struct decoding *decoding, kst_status *status);

/* End a decoding that the GPU carried out or failed to. */
kst_status kst_j2k_decoding_settle(struct decoding *decoding, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, const struct gpu_error *error);

/* What the device did and found goes into the report. */
kst_status kst_j2k_gpu_report(
    struct decoding *decoding, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times);

#endif
