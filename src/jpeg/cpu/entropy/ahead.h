/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lower part of a scan, decoded from a guess before it is known which MCUs it holds. Its coefficients are kept as
 * tokens until a decoder that comes from above falls into step with it.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_AHEAD_H
#define KOSTKA_JPEG_CPU_ENTROPY_AHEAD_H

#include "jpeg/cpu/entropy/borders.h"

struct jpeg_ahead {
    const struct jpeg_entropy *entropy;
    const uint8_t *start; /* the guess */
    uint32_t step;        /* MCUs that are decoded at a time */
    struct jpeg_borders borders;
    uint16_t *token;
    size_t token_count, token_capacity;
    uint32_t *first;                /* of each MCU: its first token */
    struct jpeg_cursor *checkpoint; /* before each `step` MCUs */
    uint32_t count;                 /* MCUs decoded, a multiple of `step`, from the guess */
};

/* Start at a share of the scan's data, 0–1. On failure nothing is held. KST_ERROR_MEMORY or KST_ERROR_LIMIT_MEMORY. */
kst_status kst_jpeg_ahead_create(
    struct memory *memory, struct jpeg_ahead *ahead, const struct jpeg_entropy *entropy, double share, uint32_t step);
void kst_jpeg_ahead_release(struct memory *memory, struct jpeg_ahead *ahead);

/*
 * Decode another `step` MCUs. False where they are not all there, a bit pattern is no code, or the tokens take all the
 * room they may: then nothing more will come, and what is there stays.
 */
bool kst_jpeg_ahead_read(struct jpeg_ahead *ahead);

/* An MCU's coefficients, as kst_jpeg_decode_mcu() gives them. `mcu` counts as the shift says. */
void kst_jpeg_ahead_blocks(
    const struct jpeg_ahead *ahead, const struct jpeg_shift *shift, uint32_t mcu, int16_t *blocks, uint8_t *last);

#endif
