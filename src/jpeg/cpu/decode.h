/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a parsed JPEG (struct jpeg_plan) on the CPU, from entropy-coded data to the caller's picture. */
#ifndef KOSTKA_JPEG_CPU_DECODE_H
#define KOSTKA_JPEG_CPU_DECODE_H

#include <kostka/kostka_writer.h>

#include "core/operation.h"
#include "jpeg/plan/output.h"
#include "jpeg/plan/plan.h"

/*
 * Decode to `image`, which matches kst_jpeg_output_describe() and has buffers. Damage is counted in the report; with
 * options->strict the first warning is an error. Otherwise returns KST_OK, KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY.
 */
kst_status kst_jpeg_cpu_decode(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image);

/*
 * Decode and hand the picture to a function, a band of rows at a time; `image` describes the rows, whose pixels are
 * interleaved. May also return KST_ERROR_WRITE.
 */
kst_status kst_jpeg_cpu_decode_rows(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image, const kst_row_writer *writer);

/*
 * Report the same damage as kst_jpeg_cpu_decode() would, without making pixels. The plan's scans must be sequential and
 * hold each component once.
 */
kst_status kst_jpeg_cpu_damage(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image);

/* Return how many of the pool's threads are worth using for a picture of this size: at least 1. */
uint32_t kst_jpeg_cpu_useful_threads(const struct operation *op, const struct jpeg_output *output);

#endif
