/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the bits of a packet header. After a byte 0xFF the next byte holds seven bits (T.800 B.10.1). Up to eight bytes
 * are taken at a time where none is 0xFF, so that most reads are a shift.
 */
#ifndef KOSTKA_J2K_PACKETS_HEADER_BITS_H
#define KOSTKA_J2K_PACKETS_HEADER_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/syntax/bytes.h"

enum { J2K_BITS_AT_ONCE = 32 };

struct j2k_header_bits {
    const uint8_t *start, *next, *end;
    /*
     * The bits that were taken from bytes but not read yet, from the highest down. Behind them are zeros, or the first
     * bits of the byte at `next`.
     */
    uint64_t ahead;
    uint32_t left; /* the number of bits that were taken but not read */
    /*
     * How many of these bits, the last ones, stand for bits behind the end, which are 0. If `left` is smaller, some of
     * them were read.
     */
    uint32_t made_up;
    bool after_ones; /* the byte before `next` is 0xFF */
};

static inline void j2k_bits_start(struct j2k_header_bits *bits, const uint8_t *data, const uint8_t *end)
{
    *bits = (struct j2k_header_bits){.start = data, .next = data, .end = end};
}

/* Return whether more bits were read than there are. The missing ones were 0. */
static inline bool j2k_bits_overrun(const struct j2k_header_bits *bits)
{
    return bits->left < bits->made_up;
}

static inline bool j2k_has_ones_byte(uint64_t eight)
{
    return ((~eight - 0x0101010101010101U) & eight & 0x8080808080808080U) != 0;
}

/*
 * header_bits.c: take bytes one by one, so that at least 32 bits are ahead. By value, so that a caller's bits can stay
 * in registers.
 */
struct j2k_header_bits kst_j2k_bits_filled(struct j2k_header_bits bits);

/*
 * Take bytes, so that at least 32 bits are ahead, and mostly 56 or more. What is taken of eight bytes begins behind the
 * bits that are ahead, and where it ends in a byte, the same bits are taken again with the rest of that byte.
 */
static inline void j2k_bits_fill(struct j2k_header_bits *bits)
{
    const uint64_t eight = bits->end - bits->next >= 8 ? j2k_get64(bits->next) : UINT64_MAX;
    if (bits->after_ones || j2k_has_ones_byte(eight)) {
        if (bits->left < J2K_BITS_AT_ONCE)
            *bits = kst_j2k_bits_filled(*bits);
        return;
    }
    const uint32_t count = (63 - bits->left) / 8;
    bits->ahead |= eight >> bits->left;
    bits->left += 8 * count;
    bits->next += count;
}

/* Make sure that `count` bits, 1 to 32, are ahead. */
static inline void j2k_bits_need(struct j2k_header_bits *bits, uint32_t count)
{
    if (bits->left < count)
        j2k_bits_fill(bits);
}

/* Pass over 0 to 32 bits that are ahead. */
static inline void j2k_bits_skip(struct j2k_header_bits *bits, uint32_t count)
{
    bits->ahead <<= count;
    bits->left -= count;
}

static inline uint32_t j2k_bit(struct j2k_header_bits *bits)
{
    j2k_bits_need(bits, 1);
    const uint32_t bit = (uint32_t)(bits->ahead >> 63);
    j2k_bits_skip(bits, 1);
    return bit;
}

/* Read 0 to 32 bits. */
static inline uint32_t j2k_bits_take(struct j2k_header_bits *bits, uint32_t count)
{
    j2k_bits_need(bits, count);
    const uint32_t value = (uint32_t)(bits->ahead >> 1 >> (63 - count));
    j2k_bits_skip(bits, count);
    return value;
}

/* Read zeros, at most `most`, and the 1 behind them if they are fewer. Returns the number of zeros. */
static inline uint32_t j2k_bits_zeros(struct j2k_header_bits *bits, uint32_t most)
{
    j2k_bits_need(bits, J2K_BITS_AT_ONCE);
    uint32_t zeros = (uint32_t)__builtin_clzll(bits->ahead | 1);
    if (zeros < most && zeros < J2K_BITS_AT_ONCE) {
        j2k_bits_skip(bits, zeros + 1);
        return zeros;
    }
    for (zeros = 0; zeros < most && !j2k_bit(bits);)
        zeros++;
    return zeros;
}

/* Read ones and the 0 behind them. Returns their number, or 32 if there are at least 32. */
static inline uint32_t j2k_bits_ones(struct j2k_header_bits *bits)
{
    j2k_bits_need(bits, J2K_BITS_AT_ONCE);
    uint32_t ones = (uint32_t)__builtin_clzll(~bits->ahead | 1);
    ones = ones < J2K_BITS_AT_ONCE ? ones : J2K_BITS_AT_ONCE;
    j2k_bits_skip(bits, ones < J2K_BITS_AT_ONCE ? ones + 1 : ones);
    return ones;
}

/* Return where the byte behind the last byte lies of which a bit was read; no byte behind the end counts as read. */
static inline const uint8_t *j2k_bits_position(const struct j2k_header_bits *bits)
{
    const uint8_t *next = bits->next;
    uint32_t unread = bits->left - bits->made_up;
    while (next > bits->start) {
        const uint32_t held = next - bits->start >= 2 && next[-2] == 0xFF ? 7 : 8;
        if (unread < held)
            break;
        unread -= held;
        next--;
    }
    return next;
}

/*
 * Return the end of the header, which has whole bytes, and one more where the last is 0xFF; null if it lies behind the
 * end of the data.
 */
static inline const uint8_t *j2k_bits_end(const struct j2k_header_bits *bits)
{
    if (j2k_bits_overrun(bits))
        return NULL;
    const uint8_t *next = j2k_bits_position(bits);
    if (next == bits->start || next[-1] != 0xFF)
        return next;
    return next < bits->end ? next + 1 : NULL;
}

#endif
