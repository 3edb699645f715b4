/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG behind a decoder, for batches: one launch may decode many pictures, each of which then ends by itself. */
#ifndef KOSTKA_API_JPEG_DECODE_H
#define KOSTKA_API_JPEG_DECODE_H

#include "api/decoding.h"

/* Whether the CPU has scans to read before the GPU makes pixels, so that the picture goes there alone. */
bool kst_jpeg_reads_scans(const struct decoding *decoding);

/* End a decoding that the GPU carried out or failed to. */
kst_status kst_jpeg_decoding_settle(struct decoding *decoding, const struct jpeg_gpu_damage *damage,
    const struct jpeg_gpu_times *times, const struct gpu_error *error);

#endif
