/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the bits of stuffing to the streams of T.814 (7.1), several bytes at a time. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_STUFF_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_STUFF_H

#include "j2k/cpu/blocks/ht_encode_bits.h"

enum { HT_TOGETHER = 7 /* bytes that are looked at in one step */ };

#define HT_EACH_BYTE UINT64_C(0x0101010101010101)
#define HT_SEVEN_BYTES UINT64_C(0x00FFFFFFFFFFFFFF)

/* Return a word whose lowest bit that is set is the highest bit of the lowest byte that is 0; 0 if there is none. */
static inline uint64_t ht_zero_bytes(uint64_t bytes)
{
    return (bytes - HT_EACH_BYTE) & ~bytes & HT_EACH_BYTE << 7;
}

static inline void ht_put_bytes(uint8_t *to, uint64_t bytes)
{
    bytes = ht_in_order(bytes);
    memcpy(to, &bytes, sizeof bytes);
}

/*
 * Stuff bits as MagSgn and SigProp have it: a byte behind 0xFF has seven. Returns the end; up to eight bytes behind it
 * are written, too. The bits that fill the last byte are those behind `count`.
 */
static inline uint8_t *ht_stuff_forward(const uint8_t *from, uint64_t count, uint8_t *to)
{
    for (uint64_t place = 0; place < count;) {
        const uint64_t bits = ht_flat_bits(from, place) & HT_SEVEN_BYTES, full = ht_zero_bytes(~bits);
        const uint32_t bytes = full != 0 ? (uint32_t)__builtin_ctzll(full) / 8 + 1 : HT_TOGETHER;
        const uint64_t left = (count - place + 7) / 8;
        ht_put_bytes(to, bits);
        if (left <= bytes)
            return to + left;
        to += bytes;
        place += 8 * (uint64_t)bytes;
        if (full == 0)
            continue;
        *to++ = (uint8_t)(ht_flat_bits(from, place) & 0x7F);
        place += 7;
    }
    return to;
}

/*
 * Holds the end of a stream that is stuffed backward: its full bytes end at `end`, and `count` bits of another one
 * follow.
 */
struct j2k_ht_backward {
    uint8_t *end;
    uint32_t count, byte;
};

/*
 * Stuff bits as VLC and MagRef have it: behind a byte above 0x8F, and in the first byte, seven ones take a whole byte.
 * Bytes are written in the order of their bits, which is the reverse of their order in the segment.
 */
static inline struct j2k_ht_backward ht_stuff_backward(const uint8_t *from, uint64_t count, uint8_t *to)
{
    const uint64_t low = HT_EACH_BYTE * 0x7F;
    uint32_t before = 0xFF;
    uint64_t place = 0;
    while (count - place >= 8) {
        const uint64_t bits = ht_flat_bits(from, place) & HT_SEVEN_BYTES, ones = ht_zero_bytes(~bits & low);
        const uint64_t left = (count - place) / 8;
        uint32_t bytes = ones != 0 ? (uint32_t)__builtin_ctzll(ones) / 8 : HT_TOGETHER;
        bytes = bytes < left ? bytes : (uint32_t)left;
        ht_put_bytes(to, bits);
        if (bytes == 0 && before > 0x8F)
            *to = 0x7F;
        place += bytes > 0 ? 8 * (uint64_t)bytes : before > 0x8F ? 7 : 8;
        to += bytes > 0 ? bytes : 1;
        before = to[-1];
    }
    uint32_t rest = (uint32_t)(count - place), byte = (uint32_t)ht_flat_bits(from, place) & ((1u << rest) - 1);
    if (rest == 7 && byte == 0x7F && before > 0x8F) {
        *to++ = 0x7F;
        rest = byte = 0;
    }
    return (struct j2k_ht_backward){.end = to, .count = rest, .byte = byte};
}

#endif
