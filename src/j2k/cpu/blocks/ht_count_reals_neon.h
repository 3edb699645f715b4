/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines for NEON what ht_count_reals.h needs. */

enum { COUNTED_AT_ONCE = 8, COUNTED_AROUND = 8 };

/* Holds the exponents of a row of quads, four bytes a quad, and of eight quads on either side. */
struct j2k_ht_counted_row {
    uint8_t exponent[4 * (J2K_HT_ROW_QUADS + 2 * COUNTED_AROUND)];
};

/* These headers use the definitions above. */
#include "j2k/cpu/blocks/ht_count_reals.h"

#include "j2k/cpu/blocks/ht_count_quads.h"

/* Load the magnitudes of four coefficients; those from `count` on are 0. Nothing behind them is read. */
ALWAYS_INLINE int32x4_t load_magnitudes(const float *from, uint32_t count)
{
    float some[4] = {0, 0, 0, 0};
    if (count < 4) {
        memcpy(some, from, count * sizeof *from);
        from = some;
    }
    return vreinterpretq_s32_f32(vabsq_f32(vld1q_f32(from)));
}

/* Holds the magnitudes of sixteen coefficients of a row. */
struct j2k_ht_real_vectors {
    int32x4_t four[4];
};

ALWAYS_INLINE struct j2k_ht_real_vectors load_reals(const float *from, uint32_t count)
{
    struct j2k_ht_real_vectors reals;
    for (uint32_t i = 0; i < 4; i++)
        reals.four[i] = load_magnitudes(from + 4 * i, count > 4 * i ? count - 4 * i : 0);
    return reals;
}

ALWAYS_INLINE int32x4_t largest_reals(struct j2k_ht_real_vectors reals)
{
    return vmaxq_s32(vmaxq_s32(reals.four[0], reals.four[1]), vmaxq_s32(reals.four[2], reals.four[3]));
}

/*
 * Return the sign and the exponent of magnitudes ÷ step − 1: exact below 2^24, and less than 0 where that is negative.
 */
ALWAYS_INLINE int16x4_t tops_of(int32x4_t magnitudes, float factor)
{
    const float32x4_t less = vsubq_f32(vmulq_n_f32(vreinterpretq_f32_s32(magnitudes), factor), vdupq_n_f32(1));
    return vqmovn_s32(vshrq_n_s32(vreinterpretq_s32_f32(less), 23));
}

/* Make the exponents of sixteen columns of a row. */
ALWAYS_INLINE uint8x16_t row_exponents(struct j2k_ht_real_vectors reals, float factor)
{
    const int16x8_t bias = vdupq_n_s16(125);
    int8x8_t half[2];
    for (uint32_t i = 0; i < 2; i++)
        half[i] = vqmovn_s16(
            vsubq_s16(vcombine_s16(tops_of(reals.four[2 * i], factor), tops_of(reals.four[2 * i + 1], factor)), bias));
    const int8x16_t bytes = vcombine_s8(half[0], half[1]);
    const uint8x16_t some = vcgtq_s8(bytes, vdupq_n_s8(-126)); /* −125 stands for a quotient of 1 */
    return vandq_u8(vreinterpretq_u8_s8(vmaxq_s8(bytes, vdupq_n_s8(1))), some);
}

ALWAYS_INLINE bool make_group(const struct j2k_ht_reals *reals, uint32_t x, uint32_t y, struct j2k_ht_counted_row *row,
    uint16_t *bound, int32_t *largest)
{
    const float *from = reals->first + y * reals->pitch + x;
    const struct j2k_ht_real_vectors upper = load_reals(from, reals->width - x);
    struct j2k_ht_real_vectors lower = {{vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)}};
    if (y + 1 < reals->height)
        lower = load_reals(from + reals->pitch, reals->width - x);
    if (!reals->known) {
        const int32_t most = vmaxvq_s32(vmaxq_s32(largest_reals(upper), largest_reals(lower)));
        *largest = most > *largest ? most : *largest;
        if (bound)
            *bound = (uint16_t)((most >> 16) + 1);
    }
    const uint8x16x2_t rows = {{row_exponents(upper, reals->factor), row_exponents(lower, reals->factor)}};
    vst2q_u8(exponents_at(row, x / 2), rows);
    return vmaxvq_u8(vorrq_u8(rows.val[0], rows.val[1])) != 0;
}

ALWAYS_INLINE uint8x8_t bit_if_some(uint8x8_t a, uint8x8_t b, uint8_t bit)
{
    const uint8x8_t both = vorr_u8(a, b);
    return vand_u8(vtst_u8(both, both), vdup_n_u8(bit));
}

ALWAYS_INLINE uint32_t mask_of(uint8x8_t bytes)
{
    static const uint8_t weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddv_u8(vand_u8(bytes, vld1_u8(weights)));
}

ALWAYS_INLINE uint32_t count_some(const struct j2k_ht_counted_row *own, const struct j2k_ht_counted_row *above,
    uint32_t quad, uint32_t count, struct j2k_ht_events *events)
{
    const size_t at = (size_t)4 * (COUNTED_AROUND + quad);
    const uint8_t *middle = own->exponent + at, *north = above->exponent + at;
    const uint8x8x4_t here = vld4_u8(middle), left = vld4_u8(middle - 4);
    const uint8x8x4_t west = vld4_u8(north - 4), above_it = vld4_u8(north), east = vld4_u8(north + 4);
    const uint8x8_t around = vmax_u8(vmax_u8(west.val[3], above_it.val[1]), vmax_u8(above_it.val[3], east.val[1]));
    const uint8x8_t context = vorr_u8(bit_if_some(west.val[3], above_it.val[1], 1),
        vorr_u8(bit_if_some(left.val[2], left.val[3], 2), bit_if_some(above_it.val[3], east.val[1], 4)));
    const struct eight_quads q = find_quads(here, around, context);
    const uint32_t there = UINT32_MAX >> (32 - count);
    add_events(events, mask_of(vtst_u8(q.rho, q.rho)), mask_of(vceqz_u8(context)) & there);
    return vmaxvq_u16(q.code) != 0 ? count_quads(&q, count) : 0;
}
