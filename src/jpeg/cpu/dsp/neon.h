/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the NEON stages share. */
#ifndef KOSTKA_JPEG_CPU_DSP_NEON_H
#define KOSTKA_JPEG_CPU_DSP_NEON_H

#include <arm_neon.h>

#define INLINE static inline __attribute__((always_inline))

/* Holds 8×8 16-bit elements. */
struct jpeg_rows_8x8 {
    int16x8_t r0, r1, r2, r3, r4, r5, r6, r7;
};

INLINE int16x8_t join_low(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s16_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

INLINE int16x8_t join_high(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s16_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

INLINE int32x4x2_t interleave(int16x8_t a, int16x8_t b, int16x8_t c, int16x8_t d, int half)
{
    const int32x4_t ab = vreinterpretq_s32_s16(half == 0 ? vzip1q_s16(a, b) : vzip2q_s16(a, b));
    const int32x4_t cd = vreinterpretq_s32_s16(half == 0 ? vzip1q_s16(c, d) : vzip2q_s16(c, d));
    return (int32x4x2_t){{vzip1q_s32(ab, cd), vzip2q_s32(ab, cd)}};
}

INLINE struct jpeg_rows_8x8 transpose(struct jpeg_rows_8x8 m)
{
    const int32x4x2_t a = interleave(m.r0, m.r1, m.r2, m.r3, 0), b = interleave(m.r0, m.r1, m.r2, m.r3, 1);
    const int32x4x2_t c = interleave(m.r4, m.r5, m.r6, m.r7, 0), d = interleave(m.r4, m.r5, m.r6, m.r7, 1);
    return (struct jpeg_rows_8x8){
        join_low(a.val[0], c.val[0]),
        join_high(a.val[0], c.val[0]),
        join_low(a.val[1], c.val[1]),
        join_high(a.val[1], c.val[1]),
        join_low(b.val[0], d.val[0]),
        join_high(b.val[0], d.val[0]),
        join_low(b.val[1], d.val[1]),
        join_high(b.val[1], d.val[1]),
    };
}

#endif
