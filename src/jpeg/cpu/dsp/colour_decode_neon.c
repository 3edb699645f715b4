/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts components to pixels with NEON, 16 at a time, with the arithmetic of colour_decode_avx2.c. */
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 16 };

struct rgb {
    uint8x16_t r, g, b;
};

struct half {
    uint8x8_t r, g, b;
};

INLINE int16x4_t green_of(int16x4_t cb, int16x4_t cr)
{
    return vrshrn_n_s32(vmlal_n_s16(vmull_n_s16(cb, -YCC_GREEN_CB / 2), cr, -YCC_GREEN_CR / 2), 16);
}

INLINE struct half convert_half(uint8x8_t y8, uint8x8_t cb8, uint8x8_t cr8)
{
    const uint8x8_t centre = vdup_n_u8(128);
    const int16x8_t y = vreinterpretq_s16_u16(vmovl_u8(y8));
    /* Chroma is used as 2·(c − 128). */
    const int16x8_t cb = vshlq_n_s16(vreinterpretq_s16_u16(vsubl_u8(cb8, centre)), 1);
    const int16x8_t cr = vshlq_n_s16(vreinterpretq_s16_u16(vsubl_u8(cr8, centre)), 1);
    const int16x8_t green =
        vcombine_s16(green_of(vget_low_s16(cb), vget_low_s16(cr)), green_of(vget_high_s16(cb), vget_high_s16(cr)));
    return (struct half){vqmovun_s16(vaddq_s16(y, vqrdmulhq_n_s16(cr, 22970))), vqmovun_s16(vaddq_s16(y, green)),
        vqmovun_s16(vaddq_s16(y, vqrdmulhq_n_s16(cb, 29033)))};
}

INLINE struct rgb convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr)
{
    const uint8x16_t a = vld1q_u8(y), b = vld1q_u8(cb), c = vld1q_u8(cr);
    const struct half low = convert_half(vget_low_u8(a), vget_low_u8(b), vget_low_u8(c));
    const struct half high = convert_half(vget_high_u8(a), vget_high_u8(b), vget_high_u8(c));
    return (struct rgb){vcombine_u8(low.r, high.r), vcombine_u8(low.g, high.g), vcombine_u8(low.b, high.b)};
}

INLINE void convert_pixels(const struct jpeg_colour_decoding *c, size_t i, uint8_t *out)
{
    struct rgb pixels;
    if (c->from == FROM_YCC) {
        pixels = convert(c->in[0] + i, c->in[1] + i, c->in[2] + i);
    } else if (c->from == FROM_YCCK) {
        pixels = convert(c->in[0] + i, c->in[1] + i, c->in[2] + i);
        pixels = (struct rgb){vmvnq_u8(pixels.r), vmvnq_u8(pixels.g), vmvnq_u8(pixels.b)};
    } else if (c->from == FROM_GREY) {
        pixels.r = pixels.g = pixels.b = vld1q_u8(c->in[0] + i);
    } else {
        pixels = (struct rgb){vld1q_u8(c->in[0] + i), vld1q_u8(c->in[1] + i), vld1q_u8(c->in[2] + i)};
    }
    const uint8x16_t first = c->red == 0 ? pixels.r : pixels.b, third = c->red == 0 ? pixels.b : pixels.r;
    if (c->size == 3) {
        vst3q_u8(out, ((uint8x16x3_t){{first, pixels.g, third}}));
    } else {
        const bool cmyk = c->from == FROM_YCCK || c->from == FROM_CMYK;
        const uint8x16_t fourth = cmyk ? vld1q_u8(c->in[3] + i) : vdupq_n_u8(c->alpha);
        vst4q_u8(out, ((uint8x16x4_t){{first, pixels.g, third, fourth}}));
    }
}

#define INIT kst_jpeg_cpu_colour_decode_neon
#include "jpeg/cpu/dsp/colour_decode_rows.h"
