/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading bits of entropy-coded data (T.81 F.2.2.5): stuffed zero bytes are dropped, zeros follow the end. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_BITS_H
#define KOSTKA_JPEG_CPU_ENTROPY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The next bit to read is the highest of `window`, of which `count` (0–64) are known to be loaded; the bits below them
 * are zero or already those of the byte at `next`.
 */
struct jpeg_bits {
    uint64_t window;
    const uint8_t *next;
    const uint8_t *end;
    int32_t count;
    int32_t padding; /* zero bits appended behind the end so far */
};

static inline void jpeg_bits_start(struct jpeg_bits *bits, const uint8_t *data, size_t length)
{
    bits->window = 0;
    bits->next = data;
    bits->end = data + length;
    bits->count = 0;
    bits->padding = 0;
}

/* Whether bits were read that the data do not hold. */
static inline bool jpeg_bits_overrun(const struct jpeg_bits *bits)
{
    return bits->padding > bits->count;
}

/* Whole bytes not read yet; the stuffing among those not loaded counts. */
static inline size_t jpeg_bits_left(const struct jpeg_bits *bits)
{
    int32_t loaded = bits->count - bits->padding;
    return (size_t)(bits->end - bits->next) + (loaded > 0 ? (size_t)loaded / 8 : 0);
}

/*
 * The byte that holds the next bit, and (null allowed) which of its bits that is, 0 being the highest; behind the end
 * it may exceed 7. Unlike `next` it does not depend on how much is loaded. `first`: of the data. By value, as below.
 */
const uint8_t *kst_jpeg_bits_place(struct jpeg_bits bits, const uint8_t *first, uint32_t *bit);

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
 * Byte by byte, past stuffing and the end. A run of 0xFF before a zero counts as one (fill bytes, B.1.1.2). By value,
 * so that a decoder's copy can stay in registers.
 */
struct jpeg_bits kst_jpeg_bits_refill_slowly(struct jpeg_bits bits);

/* Afterwards count is at least 56. */
static inline __attribute__((always_inline)) void jpeg_bits_refill(struct jpeg_bits *bits)
{
    if (__builtin_expect(bits->end - bits->next >= 8, 1)) {
        uint64_t load = jpeg_load_big_endian(bits->next);
        /* A byte of load is 0xFF iff its complement is 0; false alarms only cost time. */
        uint64_t flipped = ~load;
        if (__builtin_expect(((flipped - 0x0101010101010101) & load & 0x8080808080808080) == 0, 1)) {
            bits->window |= load >> bits->count;
            bits->next += (63 - bits->count) >> 3;
            bits->count |= 56;
            return;
        }
    }
    *bits = kst_jpeg_bits_refill_slowly(*bits);
}

#endif
