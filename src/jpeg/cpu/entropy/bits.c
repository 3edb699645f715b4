/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the slow paths of reading bits: at stuffed bytes and at the end of the data. */
#include "jpeg/cpu/entropy/bits.h"

struct jpeg_bits kst_jpeg_cpu_bits_refill_slowly(struct jpeg_bits bits)
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
        bits.loaded |= byte << (56 - bits.count);
        bits.count += 8;
    }
    return bits;
}

const uint8_t *kst_jpeg_cpu_bits_place(struct jpeg_bits bits, const uint8_t *first, uint32_t *bit)
{
    const uint8_t *at = bits.next;
    int32_t loaded = bits.count - bits.padding;
    for (; loaded > 0; loaded -= 8) {
        at--;
        if (*at != 0 || at == first || at[-1] != 0xFF)
            continue;
        while (at > first && at[-1] == 0xFF)
            at--;
    }
    if (bit)
        *bit = (uint32_t)-loaded;
    return at;
}

uint32_t kst_jpeg_cpu_bits_unread(const struct jpeg_bits *bits, const uint8_t *first, uint32_t most)
{
    uint32_t bit, count = 0;
    if (jpeg_bits_left(bits) == 0)
        return 0;
    const uint8_t *at = kst_jpeg_cpu_bits_place(*bits, first, &bit);
    for (at += bit > 0; at < bits->end && count < most; at++)
        count += at == first || at[-1] != 0xFF;
    return count;
}
