/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the state of decoding a volume, which run/ begins and ends and a codec carries out. */
#ifndef KOSTKA_RUN_VOLUME_DECODING_H
#define KOSTKA_RUN_VOLUME_DECODING_H

#include "core/progress.h"
#include "device/image.h"
#include "run/decoding.h"

struct volume_decoding {
    kst_decoder *decoder;              /* with the stream, its memory and its report */
    kst_volume_decode_options options; /* filled in */
    kst_volume *volume;                /* the caller's, with buffer and pitches */
    bool made;                         /* its buffer was made here */
    struct progress *progress;         /* null: nobody wants it */
    struct gpu_runtime *gpu;           /* the GPU that decodes or owns the volume's memory; null: none does */
    struct gpu_target target;          /* gpu: where the volume is */
    void *planned;                     /* what the codec will do on the GPU; null: the CPU decodes */
    kst_status status;                 /* of a decoding on the GPU */
};

#endif
