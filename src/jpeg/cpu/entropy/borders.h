/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the places at which a decoder that started from a guess found MCUs to start. A decoder that comes from the
 * data before compares its own places with these: at the first one that both have, they have synchronised.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_BORDERS_H
#define KOSTKA_JPEG_CPU_ENTROPY_BORDERS_H

#include "jpeg/cpu/entropy/entropy.h"

/* Far more MCUs than photographs need to fall into step. */
enum { JPEG_BORDERS = 1024 };

/* Holds the starts of the first MCUs after the guess. */
struct jpeg_borders {
    uint64_t position[JPEG_BORDERS];           /* place of the first bit in the scan's data, stuffing included */
    int32_t dc[JPEG_BORDERS][JPEG_COMPONENTS]; /* DC predictions before the MCU */
    uint32_t count;
};

/*
 * Holds what to add to MCU numbers and DC predictions that count from the guess to get the right ones. The arithmetic
 * is unsigned, modulo 2^32.
 */
struct jpeg_shift {
    uint32_t mcu;
    uint32_t dc[JPEG_COMPONENTS];
};

/* Return the data of a scan that is one interval and has a segment. */
const uint8_t *kst_jpeg_cpu_scan_data(const struct jpeg_entropy *entropy, uint64_t *length);

/* Return the first place at or after `at` that is neither inside a stuffed pair nor after fill bytes. */
uint64_t kst_jpeg_cpu_guess_place(const struct jpeg_entropy *entropy, uint64_t at);

/* Record the MCU at whose start the cursor stands, if there is room. */
void kst_jpeg_cpu_borders_keep(
    struct jpeg_borders *borders, const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor);

/*
 * Advance a copy of the cursor until it stands at one of the first `count` borders. If it does, the result is true,
 * *border is that border, and *shift converts the borders' count to the cursor's. If it passed them all or the data
 * ended, the result is false.
 */
bool kst_jpeg_cpu_borders_meet(const struct jpeg_borders *borders, uint32_t count, const struct jpeg_entropy *entropy,
    const struct jpeg_cursor *cursor, uint32_t *border, struct jpeg_shift *shift);

/* Convert a cursor that counts from the guess into one that counts as the shift says. */
void kst_jpeg_cpu_shift_cursor(const struct jpeg_shift *shift, struct jpeg_cursor *cursor);

#endif
