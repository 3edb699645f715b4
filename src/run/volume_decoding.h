/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the state and the steps of decoding a volume; the codec carries it out between them. */
#ifndef KOSTKA_RUN_VOLUME_DECODING_H
#define KOSTKA_RUN_VOLUME_DECODING_H

#include "core/progress.h"
#include "device/image.h"
#include "run/decoding.h"

struct volume_decoding {
    kst_decoder *decoder;              /* with the stream, its memory and its report */
    kst_volume_decode_options options; /* the caller's, or the defaults */
    kst_volume *volume;                /* the caller's, with buffer and pitches */
    kst_volume before;                 /* what the volume was before, to restore it after an error */
    bool made;                         /* the volume's buffer was allocated here */
    struct progress *progress;         /* null: no progress is reported */
    struct gpu_runtime *gpu;           /* the GPU that decodes or owns the volume's memory; null: none does */
    struct gpu_target target;          /* gpu: where the volume is */
    void *planned;                     /* the codec's plan for the GPU; null: the CPU decodes */
    uint64_t memory;                   /* planned: bytes of the GPU's memory that the decoding takes */
    uint64_t together;                 /* bytes of the streams that are decoded together; 0: of this one only */
    uint32_t beside;                   /* planned: number of other groups of volumes, which other threads begin */
    kst_status status;                 /* the outcome of a decoding on the GPU */
};

/* Check the arguments of decoding that can be checked without a stream. `detail` receives what is wrong, or null. */
kst_status kst_volume_decoding_check(
    const kst_volume_decode_options *options, const kst_volume *volume, const char **detail);

/*
 * Describe the volume that an open decoder's stream and the options make. `info` must have its size set. v->options
 * receives the options, or the defaults if they are null.
 */
kst_status kst_volume_decoding_describe(struct volume_decoding *v, kst_decoder *decoder,
    const kst_volume_decode_options *options, kst_volume *described, kst_volume_info *info);

/* Check or allocate the caller's volume, choose the device, and plan the decoding, which must be ended in any case. */
kst_status kst_volume_decoding_begin(struct volume_decoding *v, const kst_volume *described, kst_volume *volume);

/* Decode on the CPU a volume that was not planned for the GPU, whatever memory it lies in. */
kst_status kst_volume_decoding_on_cpu(struct volume_decoding *v);

/*
 * Release the plan, and keep the volume's buffer, or after an error release a buffer that was allocated here. Returns
 * the status.
 */
kst_status kst_volume_decoding_end(struct volume_decoding *v, kst_status status);

#endif
