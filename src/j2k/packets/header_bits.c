/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the bytes of a packet header one by one, around bytes 0xFF and at the end. */
#include "j2k/packets/header_bits.h"

/*
 * The bits are returned member by member: whole copies of what was just written in parts would wait for these writes.
 */
struct j2k_header_bits kst_j2k_bits_filled(struct j2k_header_bits bits)
{
    const uint8_t *next = bits.next;
    uint64_t ahead = bits.ahead;
    uint32_t left = bits.left, made_up = bits.made_up;
    bool after_ones = bits.after_ones;
    while (left < 64 - 8 && next < bits.end) {
        const uint32_t byte = *next++, count = after_ones ? 7 : 8;
        after_ones = byte == 0xFF;
        left += count;
        ahead |= (uint64_t)(byte & ((1U << count) - 1)) << (64 - left);
    }
    if (left < J2K_BITS_AT_ONCE) {
        left += J2K_BITS_AT_ONCE;
        made_up += J2K_BITS_AT_ONCE;
    }
    return (struct j2k_header_bits){.start = bits.start,
        .next = next,
        .end = bits.end,
        .ahead = ahead,
        .left = left,
        .made_up = made_up,
        .after_ones = after_ones};
}
