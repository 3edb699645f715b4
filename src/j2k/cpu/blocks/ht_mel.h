/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the MEL decoder of T.814 (7.3.3), which gives the number of zeros before the next 1. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_MEL_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_MEL_H

#include <stdbool.h>
#include <stdint.h>

struct j2k_ht_mel {
    const uint8_t *next, *end;
    uint64_t word; /* the next bits, from bit 63 down */
    uint32_t bits; /* number of bits in `word` */
    uint32_t state;
    bool stuffed; /* the byte before `next` is FF */
};

/* Return the number of zeros before the next 1, or a number that is larger than that of all quads. */
uint32_t kst_j2k_cpu_ht_zeros(struct j2k_ht_mel *mel);

#endif
