/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pixels to components with NEON, 16 at a time. */
#include "jpeg/cpu/dsp/colour_rows.h"
#include "jpeg/cpu/dsp/neon.h"
#include "jpeg/tables/colour.h"

enum { PIXELS = 16 };

INLINE uint16x4_t luma(uint16x4_t r, uint16x4_t g, uint16x4_t b)
{
    return vrshrn_n_u32(vmlal_n_u16(vmlal_n_u16(vmull_n_u16(r, YCC_Y_RED), g, YCC_Y_GREEN), b, YCC_Y_BLUE), 16);
}

/* Compute ((a << 15) − k·b − l·c + (128 << 16) + 32767) >> 16. */
INLINE uint16x4_t chroma(uint16x4_t a, uint16x4_t b, uint16_t k, uint16x4_t c, uint16_t l)
{
    const uint32x4_t sum = vmlal_n_u16(vdupq_n_u32((128 << 16) + 32767), a, 32768);
    return vshrn_n_u32(vmlsl_n_u16(vmlsl_n_u16(sum, b, k), c, l), 16);
}

struct eight_pixels {
    uint16x8_t r, g, b;
};

INLINE uint8x8_t luma_8(struct eight_pixels p)
{
    return vmovn_u16(vcombine_u16(luma(vget_low_u16(p.r), vget_low_u16(p.g), vget_low_u16(p.b)),
        luma(vget_high_u16(p.r), vget_high_u16(p.g), vget_high_u16(p.b))));
}

INLINE uint8x8_t chroma_8(uint16x8_t a, uint16x8_t b, uint16_t k, uint16x8_t c, uint16_t l)
{
    return vmovn_u16(vcombine_u16(chroma(vget_low_u16(a), vget_low_u16(b), k, vget_low_u16(c), l),
        chroma(vget_high_u16(a), vget_high_u16(b), k, vget_high_u16(c), l)));
}

INLINE void weigh_8(const struct jpeg_colour_encoding *e, struct eight_pixels p, size_t i)
{
    vst1_u8(e->out[0] + i, luma_8(p));
    if (e->to == TO_YCC) {
        vst1_u8(e->out[1] + i, chroma_8(p.b, p.r, YCC_CB_RED, p.g, YCC_CB_GREEN));
        vst1_u8(e->out[2] + i, chroma_8(p.r, p.g, YCC_CR_GREEN, p.b, YCC_CR_BLUE));
    }
}

INLINE void convert_pixels(const struct jpeg_colour_encoding *e, const uint8_t *in, size_t i)
{
    uint8x16x4_t p;
    if (e->size == 4) {
        p = vld4q_u8(in);
    } else {
        const uint8x16x3_t three = vld3q_u8(in);
        p = (uint8x16x4_t){{three.val[0], three.val[1], three.val[2], vdupq_n_u8(0)}};
    }
    uint8x16_t r = p.val[e->red], g = p.val[1], b = p.val[2 - e->red];
    if (e->invert) {
        r = vmvnq_u8(r);
        g = vmvnq_u8(g);
        b = vmvnq_u8(b);
    }
    if (e->to == SPLIT) {
        vst1q_u8(e->out[0] + i, r);
        vst1q_u8(e->out[1] + i, g);
        vst1q_u8(e->out[2] + i, b);
    } else {
        weigh_8(
            e, (struct eight_pixels){vmovl_u8(vget_low_u8(r)), vmovl_u8(vget_low_u8(g)), vmovl_u8(vget_low_u8(b))}, i);
        weigh_8(e,
            (struct eight_pixels){vmovl_u8(vget_high_u8(r)), vmovl_u8(vget_high_u8(g)), vmovl_u8(vget_high_u8(b))},
            i + 8);
    }
    if (e->fourth)
        vst1q_u8(e->out[3] + i, p.val[3]);
}

#define INIT kst_jpeg_cpu_colour_encode_neon
#include "jpeg/cpu/dsp/colour_encode_rows.h"
