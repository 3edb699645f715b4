/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the functions for a row of pixels from a tier's convert_pixels(), which converts PIXELS pixels. This file is
 * included at the end of the tier's file. Shorter rows go through a buffer; at the end of longer rows the last PIXELS
 * pixels overlap those before. INIT is the name of the function that fills the table.
 */
#include <string.h>

#include "jpeg/cpu/dsp/layouts.h"
#include "jpeg/cpu/dsp/tiers.h"

INLINE void convert_row(struct jpeg_colour_decoding c, uint8_t *out, uint32_t n)
{
    const size_t size = (size_t)c.size;
    if (n < PIXELS) {
        uint8_t buffer[PIXELS * 4];
        convert_pixels(&c, 0, buffer);
        memcpy(out, buffer, n * size);
        return;
    }
    for (size_t i = 0; i < n - PIXELS; i += PIXELS)
        convert_pixels(&c, i, out + i * size);
    convert_pixels(&c, n - PIXELS, out + (n - PIXELS) * size);
}

#define DEFINE(name, NAME, size, red, blue)                                                                            \
    static void ycc_to_##name(                                                                                         \
        const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out, uint32_t n, uint8_t alpha)               \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_decoding){FROM_YCC, size, red, alpha, {y, cb, cr}}, out, n);                   \
    }                                                                                                                  \
    static void rgb_to_##name(                                                                                         \
        const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *out, uint32_t n, uint8_t alpha)                 \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_decoding){FROM_RGB, size, red, alpha, {r, g, b}}, out, n);                     \
    }                                                                                                                  \
    static void grey_to_##name(const uint8_t *grey, uint8_t *out, uint32_t n, uint8_t alpha)                           \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_decoding){FROM_GREY, size, red, alpha, {grey}}, out, n);                       \
    }

FOR_EACH_LAYOUT(DEFINE)

static void ycck_to_cmyk(
    const uint8_t *y, const uint8_t *cb, const uint8_t *cr, const uint8_t *k, uint8_t *out, uint32_t n)
{
    convert_row((struct jpeg_colour_decoding){FROM_YCCK, 4, 0, 0, {y, cb, cr, k}}, out, n);
}

static void cmyk_to_cmyk(
    const uint8_t *c, const uint8_t *m, const uint8_t *y, const uint8_t *k, uint8_t *out, uint32_t n)
{
    convert_row((struct jpeg_colour_decoding){FROM_CMYK, 4, 0, 0, {c, m, y, k}}, out, n);
}

#define SET(name, NAME, size, red, blue)                                                                               \
    dsp->ycc_to_rgb[JPEG_LAYOUT_##NAME] = ycc_to_##name;                                                               \
    dsp->rgb_to_rgb[JPEG_LAYOUT_##NAME] = rgb_to_##name;                                                               \
    dsp->grey_to_rgb[JPEG_LAYOUT_##NAME] = grey_to_##name;

void INIT(struct jpeg_dsp *dsp)
{
    FOR_EACH_LAYOUT(SET)
    dsp->ycck_to_cmyk = ycck_to_cmyk;
    dsp->cmyk_to_cmyk = cmyk_to_cmyk;
}
