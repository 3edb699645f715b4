/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts pixels to components in plain C, by the equations of JFIF in 16-bit fixed point. Chroma is rounded half
 * down, so that the largest value is 255 and no clamping is needed.
 */
#include "jpeg/cpu/dsp/layouts.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/colour.h"

static inline uint8_t luma(int32_t r, int32_t g, int32_t b)
{
    return (uint8_t)((YCC_Y_RED * r + YCC_Y_GREEN * g + YCC_Y_BLUE * b + 32768) >> 16);
}

static inline uint8_t chroma_blue(int32_t r, int32_t g, int32_t b)
{
    return (uint8_t)((-YCC_CB_RED * r - YCC_CB_GREEN * g + 32768 * b + (128 << 16) + 32767) >> 16);
}

static inline uint8_t chroma_red(int32_t r, int32_t g, int32_t b)
{
    return (uint8_t)((32768 * r - YCC_CR_GREEN * g - YCC_CR_BLUE * b + (128 << 16) + 32767) >> 16);
}

#define DEFINE(name, NAME, size, red, blue)                                                                            \
    static void name##_to_ycc(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint32_t n)                     \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++, in += (size)) {                                                               \
            const int32_t r = in[red], g = in[1], b = in[blue];                                                        \
            y[i] = luma(r, g, b);                                                                                      \
            cb[i] = chroma_blue(r, g, b);                                                                              \
            cr[i] = chroma_red(r, g, b);                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_to_grey(const uint8_t *in, uint8_t *y, uint32_t n)                                              \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++, in += (size))                                                                 \
            y[i] = luma(in[red], in[1], in[blue]);                                                                     \
    }                                                                                                                  \
    static void name##_split(const uint8_t *in, uint8_t *r, uint8_t *g, uint8_t *b, uint32_t n)                        \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++, in += (size)) {                                                               \
            r[i] = in[red];                                                                                            \
            g[i] = in[1];                                                                                              \
            b[i] = in[blue];                                                                                           \
        }                                                                                                              \
    }

FOR_EACH_LAYOUT(DEFINE)

static void cmyk_to_ycck(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint8_t *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, in += 4) {
        const int32_t r = 255 - in[0], g = 255 - in[1], b = 255 - in[2];
        y[i] = luma(r, g, b);
        cb[i] = chroma_blue(r, g, b);
        cr[i] = chroma_red(r, g, b);
        k[i] = in[3];
    }
}

static void cmyk_split(const uint8_t *in, uint8_t *c, uint8_t *m, uint8_t *y, uint8_t *k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, in += 4) {
        c[i] = in[0];
        m[i] = in[1];
        y[i] = in[2];
        k[i] = in[3];
    }
}

#define SET(name, NAME, size, red, blue)                                                                               \
    dsp->rgb_to_ycc[JPEG_LAYOUT_##NAME] = name##_to_ycc;                                                               \
    dsp->rgb_to_grey[JPEG_LAYOUT_##NAME] = name##_to_grey;                                                             \
    dsp->rgb_split[JPEG_LAYOUT_##NAME] = name##_split;

void kst_jpeg_cpu_colour_encode_c(struct jpeg_dsp *dsp)
{
    FOR_EACH_LAYOUT(SET)
    dsp->cmyk_to_ycck = cmyk_to_ycck;
    dsp->cmyk_split = cmyk_split;
}
