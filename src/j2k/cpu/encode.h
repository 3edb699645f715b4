/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms an image and codes its blocks on the CPU's threads, once its layout is planned (j2k/write/coded.h). */
#ifndef KOSTKA_J2K_CPU_ENCODE_H
#define KOSTKA_J2K_CPU_ENCODE_H

#include "j2k/cpu/dwt/forward.h"
#include "j2k/rate/encoding.h"

/*
 * Fill in coded->block for the tiles, and coded->pass_length. If a coefficient needs more bits than its band has, guard
 * bits are added to the parameters in force and to the bands; if that is impossible, the result is
 * KST_ERROR_IMAGE_DEPTH.
 */
kst_status kst_j2k_cpu_encode(const struct operation *op, struct j2k_coded *coded,
    const struct j2k_encode_request *request, struct j2k_encoded *encoded);

/*
 * Keep the coefficients of a layout's tiles in memory, for encodings that follow one another with other quantiser
 * steps: the samples are then read and transformed only once. Returns null if that would take more than a quarter of
 * the memory that is left, or memory is missing. The second function accepts null.
 */
struct j2k_kept_coefficients *kst_j2k_cpu_keep_coefficients(struct memory *memory, const struct j2k_plan *plan);
void kst_j2k_cpu_drop_coefficients(struct memory *memory, struct j2k_kept_coefficients *kept);

/* Return how many consecutive rows of a picture of one tile the threads work on at the same time. */
uint32_t kst_j2k_cpu_encode_rows_at_once(const struct j2k_plan *plan, uint32_t threads);

#endif
