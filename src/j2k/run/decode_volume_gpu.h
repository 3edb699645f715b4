/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how volumes are decoded on a GPU: see place_volume() and what follows it in struct codec. */
#ifndef KOSTKA_J2K_RUN_DECODE_VOLUME_GPU_H
#define KOSTKA_J2K_RUN_DECODE_VOLUME_GPU_H

#include "run/volume_decoding.h"

kst_status kst_j2k_run_volume_place(struct volume_decoding *v);
void *kst_j2k_run_volumes_begin(struct volume_decoding **volumes, uint32_t count);
void kst_j2k_run_volumes_end(void *begun);
void kst_j2k_run_volume_release(struct volume_decoding *v);

#endif
