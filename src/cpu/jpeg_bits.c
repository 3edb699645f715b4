/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/jpeg_bits.h"

struct jpeg_bits kst_jpeg_bits_refill_slowly(struct jpeg_bits bits)
{
    while (bits.count <= 56) {
        uint64_t byte = 0;
        if (bits.next == bits.end) {
            bits.padding += 8;
        } else {
            byte = *bits.next++;
            if (byte == 0xFF) {
                while (bits.next < bits.end && *bits.next == 0xFF)
                    bits.next++;
                if (bits.next < bits.end)
                    bits.next++;
            }
        }
        bits.window |= byte << (56 - bits.count);
        bits.count += 8;
    }
    return bits;
}
