/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bits of entropy-coded data (T.81 F.2.2.5). Stuffed zero bytes are dropped, and zero bits follow the end. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_BITS_H
#define KOSTKA_JPEG_CPU_ENTROPY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The next bit to read is the highest one of `loaded`, of which `count` bits (0–64) are known to be loaded. The bits
 * below them are zero, or already those of the byte at `next`.
 */
struct jpeg_bits {
    uint64_t loaded;
    const uint8_t *next;
    const uint8_t *end;
    int32_t count;
    int32_t padding; /* number of zero bits appended after the end so far */
};

static inline void jpeg_bits_start(struct jpeg_bits *bits, const uint8_t *data, size_t length)
{
    bits->loaded = 0;
    bits->next = data;
    bits->end = data + length;
    bits->count = 0;
    bits->padding = 0;
}

/* Return whether bits were read that are not in the data. */
static inline bool jpeg_bits_overrun(const struct jpeg_bits *bits)
{
    return bits->padding > bits->count;
}

/* Return the number of whole bytes not read yet; stuffed bytes count among those that are not loaded. */
static inline size_t jpeg_bits_left(const struct jpeg_bits *bits)
{
    int32_t loaded = bits->count - bits->padding;
    return (size_t)(bits->end - bits->next) + (loaded > 0 ? (size_t)loaded / 8 : 0);
}

/*
 * Return the byte that holds the next bit; *bit receives which of its bits that is, 0 being the highest (after the end
 * it may exceed 7), unless `bit` is null. Unlike `next` the result does not depend on how much is loaded. `first` is
 * the first byte of the data. `bits` is passed by value for the reason given below.
 */
const uint8_t *kst_jpeg_cpu_bits_place(struct jpeg_bits bits, const uint8_t *first, uint32_t *bit);

/*
 * Return the number of wholly unread bytes, not counting stuffing, up to `most`. `first` is the first byte of the data.
 */
uint32_t kst_jpeg_cpu_bits_unread(const struct jpeg_bits *bits, const uint8_t *first, uint32_t most);

static inline uint64_t jpeg_load_big_endian(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/*
 * Load more bits byte by byte, across stuffing and the end. A run of 0xFF before a zero counts as one 0xFF (fill
 * bytes, B.1.1.2). `bits` is passed by value so that a decoder's copy can stay in registers.
 */
struct jpeg_bits kst_jpeg_cpu_bits_refill_slowly(struct jpeg_bits bits);

/* Load more bits; afterwards `count` is at least 56. */
static inline __attribute__((always_inline)) void jpeg_bits_refill(struct jpeg_bits *bits)
{
    if (__builtin_expect(bits->end - bits->next >= 8, 1)) {
        uint64_t load = jpeg_load_big_endian(bits->next);
        /* A byte of `load` is 0xFF exactly if its complement is 0. False alarms only cost time. */
        uint64_t flipped = ~load;
        if (__builtin_expect(((flipped - 0x0101010101010101) & load & 0x8080808080808080) == 0, 1)) {
            bits->loaded |= load >> bits->count;
            bits->next += (63 - bits->count) >> 3;
            bits->count |= 56;
            return;
        }
    }
    *bits = kst_jpeg_cpu_bits_refill_slowly(*bits);
}

#endif
