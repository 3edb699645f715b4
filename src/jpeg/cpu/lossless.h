/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a parsed stream of the lossless process (T.81 H) on the CPU, from entropy-coded data to the caller's picture.
 */
#ifndef KOSTKA_JPEG_CPU_LOSSLESS_H
#define KOSTKA_JPEG_CPU_LOSSLESS_H

#include "core/operation.h"
#include "jpeg/plan/plan.h"

/*
 * Decode to `image`, which matches kst_jpeg_lossless_describe() and has buffers. Damage is counted in the report; with
 * options->strict the first warning is an error. Otherwise returns KST_OK, KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY or
 * KST_ERROR_CANCELLED. With one scan the memory is that of a few lines; with several it holds all samples.
 */
kst_status kst_jpeg_cpu_lossless_decode(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image);

/*
 * Turn a line's differences into samples by adding what is predicted for each (H.1.2.1, table H.1), modulo 2^16.
 * `above` is the line above; null: there is none, or prediction begins anew, so that the first sample is predicted to
 * be `origin` and the others to be like the one on their left. `predictor`: 1–7.
 */
void kst_jpeg_cpu_lossless_predict(
    uint16_t *line, const uint16_t *above, uint32_t width, uint32_t predictor, uint16_t origin);

#endif
