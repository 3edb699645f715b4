/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 on the context's GPU: what a decoding takes there. */
#ifndef KOSTKA_API_J2K_GPU_H
#define KOSTKA_API_J2K_GPU_H

#include "gpu/j2k_decode.h"
#include "j2k/stream.h"

struct decoding;

/* A picture that is planned: its plan is released when the decoding ends. */
struct j2k_planned {
    struct j2k_plan plan;
    struct j2k_gpu_item item;
};

/*
 * Read the packets and say how the picture comes to the decoding's image; decoding->j2k then has it. It stays null
 * where the GPU cannot: then the decoder's report is as before.
 */
kst_status kst_j2k_gpu_plan(struct decoding *decoding);
void kst_j2k_gpu_drop(struct decoding *decoding); /* nothing where there is no plan */

/* What the device did and found goes into the report. */
kst_status kst_j2k_gpu_report(
    struct decoding *decoding, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times);

#endif
