/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the events of a row's quads for MEL (T.814 7.3.3) with an instruction of BMI2. A tier includes this header
 * behind its own some_codes(), which returns a bit for each quad.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_EVENTS_BMI2_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_EVENTS_BMI2_H

#include <immintrin.h>

#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/cpu/blocks/ht_encode_quad.h"

/* Quads whose context is 0 have an event, which happens if there is anything in them. */
ALWAYS_INLINE struct j2k_ht_events row_events(const struct j2k_ht_row *row, uint32_t quad, uint32_t count)
{
    const uint32_t there = UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count);
    const uint32_t asks = ~some_codes(row, quad, count, 0xF00) & there;
    return (struct j2k_ht_events){
        _pext_u32(some_codes(row, quad, count, 0xF0), asks), (uint32_t)__builtin_popcount(asks)};
}

#endif
