/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts components to pixels in plain C, by the equations of JFIF in 16-bit fixed point, rounding half up. */
#include "jpeg/cpu/dsp/arithmetic.h"
#include "jpeg/cpu/dsp/layouts.h"
#include "jpeg/cpu/dsp/tiers.h"
#include "jpeg/tables/colour.h"

struct rgb {
    uint8_t r, g, b;
};

static inline struct rgb convert(int32_t y, int32_t cb, int32_t cr)
{
    cb -= 128;
    cr -= 128;
    return (struct rgb){
        .r = clamp8(y + ((YCC_RED_CR * cr + 32768) >> 16)),
        .g = clamp8(y + ((-YCC_GREEN_CB * cb - YCC_GREEN_CR * cr + 32768) >> 16)),
        .b = clamp8(y + ((YCC_BLUE_CB * cb + 32768) >> 16)),
    };
}

#define DEFINE(name, NAME, size, red, blue)                                                                            \
    static void ycc_to_##name(                                                                                         \
        const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out, uint32_t n, uint8_t alpha)               \
    {                                                                                                                  \
        (void)alpha;                                                                                                   \
        for (uint32_t i = 0; i < n; i++, out += (size)) {                                                              \
            const struct rgb pixel = convert(y[i], cb[i], cr[i]);                                                      \
            if ((size) == 4)                                                                                           \
                out[(size)-1] = alpha;                                                                                 \
            out[red] = pixel.r;                                                                                        \
            out[1] = pixel.g;                                                                                          \
            out[blue] = pixel.b;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void rgb_to_##name(                                                                                         \
        const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *out, uint32_t n, uint8_t alpha)                 \
    {                                                                                                                  \
        (void)alpha;                                                                                                   \
        for (uint32_t i = 0; i < n; i++, out += (size)) {                                                              \
            if ((size) == 4)                                                                                           \
                out[(size)-1] = alpha;                                                                                 \
            out[red] = r[i];                                                                                           \
            out[1] = g[i];                                                                                             \
            out[blue] = b[i];                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void grey_to_##name(const uint8_t *grey, uint8_t *out, uint32_t n, uint8_t alpha)                           \
    {                                                                                                                  \
        rgb_to_##name(grey, grey, grey, out, n, alpha);                                                                \
    }

FOR_EACH_LAYOUT(DEFINE)

static void ycck_to_cmyk(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, const uint8_t *k, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, out += 4) {
        const struct rgb pixel = convert(y[i], cb[i], cr[i]);
        out[0] = (uint8_t)(255 - pixel.r);
        out[1] = (uint8_t)(255 - pixel.g);
        out[2] = (uint8_t)(255 - pixel.b);
        out[3] = k[i];
    }
}

static void cmyk_to_cmyk(
    const uint8_t *c, const uint8_t *m, const uint8_t *y, const uint8_t *k, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, out += 4) {
        out[0] = c[i];
        out[1] = m[i];
        out[2] = y[i];
        out[3] = k[i];
    }
}

#define SET(name, NAME, size, red, blue)                                                                               \
    dsp->ycc_to_rgb[JPEG_LAYOUT_##NAME] = ycc_to_##name;                                                               \
    dsp->rgb_to_rgb[JPEG_LAYOUT_##NAME] = rgb_to_##name;                                                               \
    dsp->grey_to_rgb[JPEG_LAYOUT_##NAME] = grey_to_##name;

void kst_jpeg_cpu_colour_decode_c(struct jpeg_dsp *dsp)
{
    FOR_EACH_LAYOUT(SET)
    dsp->ycck_to_cmyk = ycck_to_cmyk;
    dsp->cmyk_to_cmyk = cmyk_to_cmyk;
}
