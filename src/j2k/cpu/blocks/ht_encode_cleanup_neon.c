/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the cleanup pass of T.814 for NEON, with vector code that prepares a row, eight quads at a time. */
#include <arm_neon.h>

#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/cpu/blocks/ht_encode_quad.h"

/* Holds the values and the exponents of eight samples of a row. */
struct sample_vectors {
    uint32x4_t value[2];
    uint8x8_t exponent;
};

/* Load four samples; those from `count` on are 0. There is memory behind the samples of a block. */
ALWAYS_INLINE uint32x4_t load_samples(const uint32_t *from, uint32_t count)
{
    static const uint32_t order[4] = {0, 1, 2, 3};
    const uint32x4_t sample = vld1q_u32(from);
    return count >= 4 ? sample : vandq_u32(sample, vcltq_u32(vld1q_u32(order), vdupq_n_u32(count)));
}

/* Find the exponents of four samples, and their values. An exponent is 1 more than the number of bits of µ − 1. */
ALWAYS_INLINE uint32x4_t take_four(uint32x4_t sample, int32x4_t down, uint32x4_t *value)
{
    const uint32x4_t magnitude = vshlq_u32(vbicq_u32(sample, vdupq_n_u32(0x80000000)), down);
    const uint32x4_t some = vtstq_u32(magnitude, magnitude), less = vsubq_u32(magnitude, vdupq_n_u32(1));
    *value = vandq_u32(vsraq_n_u32(vaddq_u32(less, less), sample, 31), some);
    return vandq_u32(vsubq_u32(vdupq_n_u32(33), vclzq_u32(less)), some);
}

/* Take eight samples of a row; those from `count` on are 0. */
ALWAYS_INLINE struct sample_vectors take_samples(const uint32_t *from, uint32_t count, int32x4_t down)
{
    struct sample_vectors eight;
    const uint32x4_t low = take_four(load_samples(from, count), down, &eight.value[0]);
    const uint32x4_t high = take_four(load_samples(from + 4, count > 4 ? count - 4 : 0), down, &eight.value[1]);
    eight.exponent = vmovn_u16(vcombine_u16(vmovn_u32(low), vmovn_u32(high)));
    return eight;
}

/*
 * Make the values of all samples of a row of quads, and their exponents, which are bytes. Returns whether any sample is
 * not 0.
 */
ALWAYS_INLINE bool make_values(struct j2k_ht_encoder *encoder, uint32_t y)
{
    const uint32_t width = encoder->width, *from = encoder->sample + (size_t)y * width;
    const int32x4_t down = vdupq_n_s32(-(int32_t)encoder->plane);
    const bool below = y + 1 < encoder->height;
    const struct sample_vectors none = {{vdupq_n_u32(0), vdupq_n_u32(0)}, vdup_n_u8(0)};
    uint8x8_t any = vdup_n_u8(0);
    for (uint32_t x = 0; x < width; x += 8) {
        const struct sample_vectors upper = take_samples(from + x, width - x, down);
        const struct sample_vectors lower = below ? take_samples(from + width + x, width - x, down) : none;
        any = vorr_u8(any, vorr_u8(upper.exponent, lower.exponent));
        for (uint32_t i = 0; i < 2; i++)
            vst2q_u32(
                encoder->row.value + (size_t)2 * x + (size_t)8 * i, ((uint32x4x2_t){{upper.value[i], lower.value[i]}}));
        vst2_u8(encoder->row.exponent + (size_t)2 * x, ((uint8x8x2_t){{upper.exponent, lower.exponent}}));
    }
    return vmaxv_u8(any) != 0;
}

/* Return the bits of each of eight quads whose samples differ from 0 in a set of four vectors. */
ALWAYS_INLINE uint8x8_t gather_bits(uint8x8x4_t samples)
{
    uint8x8_t bits = vdup_n_u8(0);
    for (uint8_t i = 0; i < 4; i++)
        bits = vorr_u8(bits, vand_u8(vtst_u8(samples.val[i], samples.val[i]), vdup_n_u8((uint8_t)(1 << i))));
    return bits;
}

/* Keep what the next row of quads needs. */
ALWAYS_INLINE void keep_for_next(struct j2k_ht_encoder *encoder, struct j2k_ht_above *own)
{
    for (uint32_t quad = 0; 2 * quad < encoder->width; quad += 8) {
        const uint8x8x4_t exponent = vld4_u8(encoder->row.exponent + (size_t)4 * quad);
        vst1_u8(own->rho + 1 + quad, gather_bits(exponent));
        vst2_u8(own->exponent + 2 + (size_t)2 * quad, ((uint8x8x2_t){{exponent.val[1], exponent.val[3]}}));
    }
}

/* Return the largest of the four exponents above each of eight quads. */
ALWAYS_INLINE uint8x8_t largest_above(const uint8_t *exponent)
{
    const uint8x8x2_t left = vld2_u8(exponent), right = vld2_u8(exponent + 2);
    return vmax_u8(vmax_u8(left.val[0], left.val[1]), vmax_u8(right.val[0], right.val[1]));
}

ALWAYS_INLINE uint8x8_t make_contexts(const uint8_t *own, const uint8_t *above, bool first)
{
    const uint8x8_t left = vld1_u8(own), one = vdup_n_u8(1);
    if (first)
        return vorr_u8(vand_u8(vorr_u8(left, vshr_n_u8(left, 1)), one), vand_u8(vshr_n_u8(left, 1), vdup_n_u8(6)));
    const uint8x8_t west = vld1_u8(above), middle = vld1_u8(above + 1), east = vld1_u8(above + 2);
    const uint8x8_t bit0 = vand_u8(vtst_u8(vorr_u8(vshr_n_u8(west, 2), middle), vdup_n_u8(2)), one);
    const uint8x8_t bit1 = vand_u8(vtst_u8(left, vdup_n_u8(12)), vdup_n_u8(2));
    const uint8x8_t bit2 = vand_u8(vtst_u8(vorr_u8(vshr_n_u8(middle, 2), east), vdup_n_u8(2)), vdup_n_u8(4));
    return vorr_u8(bit0, vorr_u8(bit1, bit2));
}

/* Holds what follows from the exponents of eight quads and of those around them. */
struct eight_quads {
    uint8x8_t rho, bound, excess;
    uint16x8_t code;
};

/* Find U, u and the index of the codeword. `around` is the largest exponent above each quad, 0 in the first row. */
ALWAYS_INLINE struct eight_quads find_quads(uint8x8x4_t exponent, uint8x8_t around, uint8x8_t context)
{
    const uint8x8_t one = vdup_n_u8(1), rho = gather_bits(exponent);
    const uint8x8_t most =
        vmax_u8(vmax_u8(exponent.val[0], exponent.val[1]), vmax_u8(exponent.val[2], exponent.val[3]));
    const uint8x8_t several = vtst_u8(rho, vqsub_u8(rho, one));
    const uint8x8_t kappa = vmax_u8(vand_u8(vqsub_u8(around, one), several), one), bound = vmax_u8(most, kappa);
    const uint8x8_t excess = vsub_u8(bound, kappa);
    for (uint32_t i = 0; i < 4; i++)
        exponent.val[i] = vceq_u8(exponent.val[i], most);
    const uint8x8_t eps = vand_u8(gather_bits(exponent), vtst_u8(excess, excess));
    const uint8x8_t low = vorr_u8(vshl_n_u8(rho, 4), eps);
    return (struct eight_quads){.rho = rho,
        .bound = bound,
        .excess = excess,
        .code = vorrq_u16(vmovl_u8(low), vshlq_n_u16(vmovl_u8(context), 8))};
}

ALWAYS_INLINE void make_codes(struct j2k_ht_encoder *encoder, uint32_t quad, const struct j2k_ht_above *own,
    const struct j2k_ht_above *above, bool first)
{
    const uint8x8_t around = first ? vdup_n_u8(0) : largest_above(above->exponent + 1 + (size_t)2 * quad);
    const struct eight_quads q = find_quads(vld4_u8(encoder->row.exponent + (size_t)4 * quad), around,
        make_contexts(own->rho + quad, above->rho + quad, first));
    vst1q_u16(encoder->row.code + quad, q.code);
    vst1_u8(encoder->row.bound + quad, q.bound);
    vst1_u8(encoder->row.excess + quad, q.excess);
}

static uint32_t any_bits(const uint32_t *sample, uint32_t count)
{
    uint32x4_t sum = vdupq_n_u32(0);
    for (uint32_t i = 0; i < count; i += 4)
        sum = vorrq_u32(sum, load_samples(sample + i, count - i));
    const uint32x2_t half = vorr_u32(vget_low_u32(sum), vget_high_u32(sum));
    return vget_lane_u32(half, 0) | vget_lane_u32(half, 1);
}

/* Prepare a row of quads. */
ALWAYS_INLINE bool make_row(struct j2k_ht_encoder *encoder, uint32_t y)
{
    const struct j2k_ht_above *above = &encoder->above[(y / 2 + 1) % 2];
    struct j2k_ht_above *own = &encoder->above[y / 2 % 2];
    if (!ht_note_row(encoder, y, make_values(encoder, y)))
        return false;
    if ((encoder->width + 7) / 8 % 2 != 0) /* quads up to a multiple of eight are read */
        vst1q_u8(encoder->row.exponent + (size_t)2 * ((encoder->width + 7) / 8 * 8), vdupq_n_u8(0));
    keep_for_next(encoder, own);
    for (uint32_t quad = 0; 2 * quad < encoder->width; quad += 8)
        make_codes(encoder, quad, own, above, y == 0);
    return true;
}

ALWAYS_INLINE uint32_t some_codes(const struct j2k_ht_row *row, uint32_t quad, uint32_t count, uint32_t mask)
{
    static const uint8_t weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint16x8_t wanted = vdupq_n_u16((uint16_t)mask);
    const uint8x8_t weight = vld1_u8(weights);
    uint32_t some = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        const uint8x8_t there = vmovn_u16(vtstq_u16(vld1q_u16(row->code + quad + i), wanted));
        some |= (uint32_t)vaddv_u8(vand_u8(there, weight)) << i;
    }
    return some & UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count);
}

/* Append the events of up to 32 quads: those that ask for one, and of these the ones in which it happens. */
ALWAYS_INLINE void add_events(struct j2k_ht_events *events, uint32_t happen, uint32_t asks)
{
    for (; asks != 0; asks &= asks - 1)
        events->bits |= (happen >> __builtin_ctz(asks) & 1) << events->count++;
}

/* Quads whose context is 0 have an event, which happens if there is anything in them. */
ALWAYS_INLINE struct j2k_ht_events row_events(const struct j2k_ht_row *row, uint32_t quad, uint32_t count)
{
    const uint32_t there = UINT32_MAX >> (J2K_HT_QUADS_AT_ONCE - count);
    struct j2k_ht_events events = {0, 0};
    add_events(&events, some_codes(row, quad, count, 0xF0), ~some_codes(row, quad, count, 0xF00) & there);
    return events;
}

/* Append MagSgn of a quad whose U is at most 14: samples are joined to pairs, and these to the quad. */
ALWAYS_INLINE void put_short_signs(struct j2k_ht_flat *signs, const struct j2k_ht_row *row, uint32_t quad)
{
    static const uint32_t places[4] = {1, 2, 4, 8}, rhos[4] = {16, 32, 64, 128};
    const uint32x4_t value = vld1q_u32(row->value + (size_t)4 * quad);
    const uint32x4_t some = vtstq_u32(vdupq_n_u32(row->code[quad]), vld1q_u32(rhos));
    const uint32x4_t known = vtstq_u32(vdupq_n_u32(row->known[quad]), vld1q_u32(places));
    const uint32x4_t count = vandq_u32(vaddq_u32(vdupq_n_u32(row->bound[quad]), known), some);
    const uint32x4_t bits = vbicq_u32(value, vshlq_u32(vdupq_n_u32(UINT32_MAX), vreinterpretq_s32_u32(count)));
    const uint64x2_t low = vdupq_n_u64(0xFFFFFFFF), lengths = vreinterpretq_u64_u32(count);
    const uint64x2_t words = vreinterpretq_u64_u32(bits), first = vandq_u64(lengths, low);
    const uint64x2_t pairs =
        vorrq_u64(vandq_u64(words, low), vshlq_u64(vshrq_n_u64(words, 32), vreinterpretq_s64_u64(first)));
    const uint64x2_t sums = vaddq_u64(first, vshrq_n_u64(lengths, 32));
    const uint32_t left = (uint32_t)vgetq_lane_u64(sums, 0);
    ht_flat_put(
        signs, vgetq_lane_u64(pairs, 0) | vgetq_lane_u64(pairs, 1) << left, left + (uint32_t)vgetq_lane_u64(sums, 1));
}

ALWAYS_INLINE void put_row_signs(struct j2k_ht_encoder *encoder, uint32_t quads)
{
    const struct j2k_ht_row *row = &encoder->row;
    struct j2k_ht_flat signs = encoder->signs;
    for (uint32_t from = 0; from < quads; from += J2K_HT_QUADS_AT_ONCE) {
        const uint32_t left = quads - from, count = left < J2K_HT_QUADS_AT_ONCE ? left : J2K_HT_QUADS_AT_ONCE;
        for (uint32_t some = some_codes(row, from, count, 0xF0); some != 0; some &= some - 1) {
            const uint32_t quad = from + (uint32_t)__builtin_ctz(some);
            if (row->bound[quad] <= J2K_HT_SHORT_BOUND)
                put_short_signs(&signs, row, quad);
            else
                ht_put_signs(&signs, row->value + (size_t)4 * quad, row->code[quad] >> 4 & 15, row->known[quad],
                    row->bound[quad]);
        }
    }
    encoder->signs = signs;
}

#include "j2k/cpu/blocks/ht_encode_cleanup.h"

#include "j2k/cpu/blocks/ht_encode_count.h"

ALWAYS_INLINE void put_codes(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count)
{
    put_pairs(encoder, to, quad, count);
}

/* Return the bits of u of eight quads, which are the same for all u from 5 on. */
ALWAYS_INLINE uint8x8_t excess_lengths(uint8x8_t excess)
{
    static const uint8_t lengths[8] = {0, 1, 2, 4, 4, 8, 8, 8};
    return vtbl1_u8(vld1_u8(lengths), vmin_u8(excess, vdup_n_u8(7)));
}

/* Look up the codes of eight quads below the first row. */
ALWAYS_INLINE uint16x8_t look_up(uint16x8_t code)
{
    uint16_t index[8];
    vst1q_u16(index, code);
    for (uint32_t i = 0; i < 8; i++)
        index[i] = codes[1][index[i]];
    return vld1q_u16(index);
}

/* Return the bits of VLC and MagSgn of eight quads below the first row; only the first `count` are there. */
ALWAYS_INLINE uint32_t count_quads(const struct eight_quads *q, uint32_t count)
{
    static const uint16_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint16x8_t there = vcltq_u16(vld1q_u16(order), vdupq_n_u16((uint16_t)count));
    const uint16x8_t entry = look_up(vandq_u16(q->code, there));
    const uint16x8_t length = vandq_u16(vshrq_n_u16(entry, 8), vdupq_n_u16(7));
    const uint8x8_t known = vcnt_u8(vmovn_u16(vshrq_n_u16(entry, 12)));
    uint16x8_t bits = vmull_u8(vcnt_u8(q->rho), q->bound);
    bits = vaddw_u8(vsubw_u8(vaddq_u16(bits, length), known), excess_lengths(q->excess));
    return vaddlvq_u16(vandq_u16(bits, there));
}

static uint32_t row_bits(const struct j2k_ht_row *row, uint32_t quads)
{
    uint32_t sum = 0;
    for (uint32_t quad = 0; quad < quads; quad += 8) {
        const uint16x8_t code = vld1q_u16(row->code + quad);
        const struct eight_quads q = {.rho = vand_u8(vshrn_n_u16(code, 4), vdup_n_u8(15)),
            .bound = vld1_u8(row->bound + quad),
            .excess = vld1_u8(row->excess + quad),
            .code = code};
        if (vmaxvq_u16(code) != 0)
            sum += count_quads(&q, quads - quad < 8 ? quads - quad : 8);
    }
    return sum;
}

#include "j2k/cpu/blocks/ht_count_reals_neon.h"

static const struct j2k_ht_coding coding = {
    .any = any_bits, .cleanup = cleanup, .count = count, .count_reals = count_reals};

const struct j2k_ht_coding *kst_j2k_cpu_ht_coding_neon(void)
{
    return &coding;
}
