/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a decoder that started from a guess found MCUs to start, for one that comes from before to fall into step with.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_BORDERS_H
#define KOSTKA_JPEG_CPU_ENTROPY_BORDERS_H

#include "jpeg/cpu/entropy/entropy.h"

/* Far more MCUs than photographs need to come into step. */
enum { JPEG_BORDERS = 1024 };

/* The first MCUs from the guess on. */
struct jpeg_borders {
    uint64_t position[JPEG_BORDERS];           /* of their first bits in the scan's data, stuffing included */
    int32_t dc[JPEG_BORDERS][JPEG_COMPONENTS]; /* predictions before them */
    uint32_t count;
};

/* How the count from the guess differs from the right one; unsigned arithmetic, modulo 2^32. */
struct jpeg_shift {
    uint32_t mcu;
    uint32_t dc[JPEG_COMPONENTS];
};

/* The data of a scan of one interval that has a segment. */
const uint8_t *kst_jpeg_scan_data(const struct jpeg_entropy *entropy, uint64_t *length);

/* The first place at or behind `at` that lies neither in a stuffed pair nor behind fill bytes. */
uint64_t kst_jpeg_guess_place(const struct jpeg_entropy *entropy, uint64_t at);

/* Note the MCU that the cursor stands before, as long as there is room. */
void kst_jpeg_borders_keep(
    struct jpeg_borders *borders, const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor);

/*
 * Carry a copy of the cursor on until it stands at one of the first `count` borders. True: *border is that one, and
 * *shift leads from the count of the borders to that of the cursor. False: it passed them all, or the data ended.
 */
bool kst_jpeg_borders_meet(const struct jpeg_borders *borders, uint32_t count, const struct jpeg_entropy *entropy,
    const struct jpeg_cursor *cursor, uint32_t *border, struct jpeg_shift *shift);

/* Turn a cursor that counts from the guess into one that counts as the shift says. */
void kst_jpeg_shift_cursor(const struct jpeg_shift *shift, struct jpeg_cursor *cursor);

#endif
