/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the decoding of the lower part of a scan from a guess, ahead of the thread that decodes from the top, when
 * it is not yet known which MCUs it holds. Its coefficients are kept as tokens until the decoder that comes from above
 * meets an MCU border that the guessing decoder found, too.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_AHEAD_H
#define KOSTKA_JPEG_CPU_ENTROPY_AHEAD_H

#include "jpeg/cpu/entropy/borders.h"

struct jpeg_ahead {
    const struct jpeg_entropy *entropy;
    const uint8_t *start; /* the guess: the place in the scan's data where decoding started */
    uint32_t step;        /* number of MCUs decoded per call */
    struct jpeg_borders borders;
    uint16_t *token;
    size_t token_count, token_capacity;
    uint32_t *first;                /* index of each MCU's first token */
    struct jpeg_cursor *checkpoint; /* cursors before each `step` MCUs */
    uint32_t count;                 /* MCUs decoded so far, counted from the guess: a multiple of `step` */
};

/*
 * Prepare to decode ahead from a share (0–1) of the scan's data. On failure returns KST_ERROR_MEMORY or
 * KST_ERROR_LIMIT_MEMORY, and nothing is held.
 */
kst_status kst_jpeg_cpu_ahead_create(
    struct memory *memory, struct jpeg_ahead *ahead, const struct jpeg_entropy *entropy, double share, uint32_t step);
void kst_jpeg_cpu_ahead_release(struct memory *memory, struct jpeg_ahead *ahead);

/*
 * Decode another `step` MCUs. Returns false if the data end before them, a bit pattern is no code, or the tokens would
 * take more than their memory. After that nothing more can be decoded; what was decoded before stays.
 */
bool kst_jpeg_cpu_ahead_read(struct jpeg_ahead *ahead);

/*
 * Write an MCU's coefficients, like kst_jpeg_cpu_decode_mcu(). `mcu` is its index in the scan, which the shift relates
 * to the count from the guess.
 */
void kst_jpeg_cpu_ahead_blocks(
    const struct jpeg_ahead *ahead, const struct jpeg_shift *shift, uint32_t mcu, int16_t *blocks, uint8_t *last);

#endif
