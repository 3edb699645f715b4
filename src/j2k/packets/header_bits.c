/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the bytes of a packet header one by one, around bytes 0xFF and at the end. */
#include "j2k/packets/header_bits.h"

struct j2k_header_bits kst_j2k_bits_filled(struct j2k_header_bits bits)
{
    while (bits.left < 64 - 8 && bits.next < bits.end) {
        const uint32_t count = bits.after_ones ? 7 : 8;
        bits.after_ones = *bits.next == 0xFF;
        bits.left += count;
        bits.ahead |= (uint64_t)(*bits.next++ & ((1U << count) - 1)) << (64 - bits.left);
    }
    if (bits.left < J2K_BITS_AT_ONCE) {
        bits.left += J2K_BITS_AT_ONCE;
        bits.made_up += J2K_BITS_AT_ONCE;
    }
    return bits;
}
