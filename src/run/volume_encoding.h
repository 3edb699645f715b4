/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the description of a volume that a codec encodes. */
#ifndef KOSTKA_RUN_VOLUME_ENCODING_H
#define KOSTKA_RUN_VOLUME_ENCODING_H

#include <kostka/kostka_volume.h>

#include "device/image.h"
#include "run/device.h"

struct volume_encoding {
    kst_context *context;
    kst_volume volume;          /* the caller's, checked, with its pitches filled in */
    kst_volume_options options; /* checked as far as they concern samples */
    kst_buffer *output;
    struct gpu_runtime *gpu; /* the GPU that encodes, or owns the volume's memory; null: none does */
    struct gpu_image image;  /* where the volume is in the memory of a device */
    kst_report report;       /* its status is an error from the start if the volume is not to be encoded */
};

#endif
