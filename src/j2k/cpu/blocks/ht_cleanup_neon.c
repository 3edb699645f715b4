/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes cleanup passes with NEON: the samples of two quads are taken together. */
#include <arm_neon.h>

#include "j2k/cpu/blocks/block.h"

enum {
    AT_ONCE = 4,
    GROUP = 2,
    SHORT_BITS = 25 /* four numbers of this many bits fit into 16 bytes, and each into four of them */
};

struct row_vectors {
    uint32x4_t largest; /* largest magnitudes less 1 so far */
    int32x4_t shift;    /* from 2 µ + 1 to a sample; to the right if it is negative */
};

/* This header uses the definitions above. */
#include "j2k/cpu/blocks/ht_cleanup_rows.h"

/* Join the columns that each of four quads looks at: two above it, one on either side. */
ALWAYS_INLINE uint32x4_t look_above(const uint32_t *above)
{
    const uint32x4x2_t left = vld2q_u32(above - 1), right = vld2q_u32(above + 1);
    return vorrq_u32(vorrq_u32(left.val[0], left.val[1]), vorrq_u32(right.val[0], right.val[1]));
}

/* Return the number of bits of numbers, or 1 for 0. */
ALWAYS_INLINE uint32x4_t bit_lengths(uint32x4_t value)
{
    return vmaxq_u32(vsubq_u32(vdupq_n_u32(32), vclzq_u32(value)), vdupq_n_u32(1));
}

/* Return the number of bits of numbers below 256. */
ALWAYS_INLINE uint32x4_t bit_counts(uint32x4_t value)
{
    return vreinterpretq_u32_u8(vcntq_u8(vreinterpretq_u8_u32(value)));
}

/* Return running sums, each of which includes its own number. */
ALWAYS_INLINE uint32x4_t running_sums(uint32x4_t value)
{
    const uint32x4_t zero = vdupq_n_u32(0);
    value = vaddq_u32(value, vextq_u32(zero, value, 3));
    return vaddq_u32(value, vextq_u32(zero, value, 2));
}

ALWAYS_INLINE uint32x4_t load_bytes(const uint8_t *from)
{
    uint32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    return vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(bytes)))));
}

ALWAYS_INLINE void know_quads(struct j2k_ht_row_reading *reading, uint32_t row, struct j2k_ht_known_quads *known)
{
    static const uint32_t numbers[AT_ONCE] = {0, 1, 2, 3};
    const struct j2k_ht_decoder *decoder = reading->decoder;
    const uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    const uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    const uint32x4_t one = vdupq_n_u32(1), order = vld1q_u32(numbers);
    uint32x4_t at = vdupq_n_u32(reading->at), most = vdupq_n_u32(0);
    for (uint32_t q = 0; q < decoder->quad_columns; q += AT_ONCE) {
        const uint32x4_t inside = vcltq_u32(order, vdupq_n_u32(decoder->quad_columns - q));
        const uint32x4_t entry = vandq_u32(inside, vmovl_u16(vld1_u16(quad + q)));
        const uint32x4_t count = bit_counts(vandq_u32(vshrq_n_u32(entry, 4), vdupq_n_u32(15)));
        const uint32x4_t above = bit_lengths(look_above(decoder->above + (size_t)2 * q + 2));
        const uint32x4_t word = vaddq_u32(vbslq_u32(vcgtq_u32(count, one), above, one), load_bytes(u + q));
        const uint32x4_t bits = vsubq_u32(vmulq_u32(word, count), bit_counts(vshrq_n_u32(entry, 12)));
        const uint32x4_t sums = running_sums(bits);
        most = vmaxq_u32(most, vandq_u32(word, vcgtq_u32(count, vdupq_n_u32(0))));
        vst1q_u32(known->quad + q, vorrq_u32(entry, vshlq_n_u32(word, 16)));
        vst1q_u32(known->at + q, vaddq_u32(at, vsubq_u32(sums, bits)));
        at = vaddq_u32(at, vdupq_laneq_u32(sums, 3));
    }
    reading->end = vgetq_lane_u32(at, 0);
    reading->most = vmaxvq_u32(most);
}

/* Take numbers of at most 25 bits, each from four bytes, of the 16 in which the first of them begins. */
ALWAYS_INLINE uint32x4_t short_numbers(const uint8_t *data, uint32_t at, uint32x4_t before)
{
    const uint32x4_t place = vaddq_u32(before, vdupq_n_u32(at % 8));
    const uint32x4_t byte = vmulq_n_u32(vshrq_n_u32(place, 3), 0x01010101);
    const uint8x16_t bytes = vreinterpretq_u8_u32(vaddq_u32(byte, vdupq_n_u32(0x03020100)));
    const uint32x4_t words = vreinterpretq_u32_u8(vqtbl1q_u8(vld1q_u8(data + at / 8), bytes));
    return vshlq_u32(words, vnegq_s32(vreinterpretq_s32_u32(vandq_u32(place, vdupq_n_u32(7)))));
}

/* Take each number from a word of its own. */
ALWAYS_INLINE uint32x4_t long_numbers(const uint8_t *data, uint32_t at, uint32x4_t before)
{
    uint32_t place[4];
    vst1q_u32(place, vaddq_u32(before, vdupq_n_u32(at)));
    for (uint32_t i = 0; i < 4; i++)
        place[i] = (uint32_t)j2k_ht_peek(data, place[i]);
    return vld1q_u32(place);
}

/* Take the samples of a quad. `less` receives magnitudes less 1. */
ALWAYS_INLINE uint32x4_t take_quad(
    struct row_vectors *vectors, const uint8_t *data, uint32_t entry, uint32_t at, bool is_short, uint32x4_t *less)
{
    static const uint32_t places[4] = {16, 32, 64, 128};
    const uint32x4_t quad = vdupq_n_u32(entry), place = vld1q_u32(places), one = vdupq_n_u32(1);
    const uint32x4_t there = vtstq_u32(quad, place), is_one = vtstq_u32(quad, vshlq_n_u32(place, 4));
    const uint32x4_t is_known = vtstq_u32(quad, vshlq_n_u32(place, 8));
    const uint32x4_t bits = vandq_u32(there, vaddq_u32(vshrq_n_u32(quad, 16), is_known));
    const uint32x4_t before = vsubq_u32(running_sums(bits), bits);
    const uint32x4_t top = vshlq_u32(one, vreinterpretq_s32_u32(bits));
    uint32x4_t number = is_short ? short_numbers(data, at, before) : long_numbers(data, at, before);
    number = vandq_u32(number, vsubq_u32(top, one));
    number = vorrq_u32(number, vandq_u32(is_one, top));
    *less = vshrq_n_u32(number, 1);
    vectors->largest = vmaxq_u32(vectors->largest, *less);
    uint32x4_t sample = vaddq_u32(vorrq_u32(number, one), vdupq_n_u32(2));
    sample = vorrq_u32(vshlq_u32(sample, vectors->shift), vshlq_n_u32(number, 31));
    return vandq_u32(sample, there);
}

ALWAYS_INLINE void take_group(struct row_vectors *vectors, const uint8_t *data, const struct j2k_ht_known_quads *known,
    uint32_t q, bool is_short, uint32_t *upper, uint32_t *lower, uint32_t *above)
{
    uint32x4_t sample[2] = {vdupq_n_u32(0), vdupq_n_u32(0)}, less[2] = {vdupq_n_u32(0), vdupq_n_u32(0)};
    if (((known->quad[q] | known->quad[q + 1]) & SIGNIFICANT) != 0)
        for (uint32_t i = 0; i < 2; i++)
            sample[i] = take_quad(vectors, data, known->quad[q + i], known->at[q + i], is_short, &less[i]);
    vst1q_u32(upper, vuzp1q_u32(sample[0], sample[1]));
    vst1q_u32(lower, vuzp2q_u32(sample[0], sample[1]));
    vst1q_u32(above, vuzp2q_u32(less[0], less[1]));
}

ALWAYS_INLINE struct row_vectors open_vectors(int32_t shift)
{
    return (struct row_vectors){.largest = vdupq_n_u32(0), .shift = vdupq_n_s32(shift)};
}

ALWAYS_INLINE uint32_t largest_of(const struct row_vectors *vectors)
{
    return vmaxvq_u32(vectors->largest);
}

bool kst_j2k_cpu_ht_cleanup_neon(struct j2k_ht_decoder *decoder)
{
    return take_block(decoder);
}
