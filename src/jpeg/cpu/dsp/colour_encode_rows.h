/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the functions for a row of pixels from a tier's convert_pixels(), which converts PIXELS pixels. This file is
 * included at the end of the tier's file. Shorter rows go through a buffer; at the end of longer rows the last PIXELS
 * pixels overlap those before. INIT is the name of the function that fills the table.
 */
#include <string.h>

#include "jpeg/cpu/dsp/layouts.h"
#include "jpeg/cpu/dsp/tiers.h"

/*
 * Prefetch the pixels a page ahead, because processors do not prefetch across the end of a page on their own. The
 * address may lie beyond the picture, where a prefetch does nothing.
 */
INLINE void prefetch_pixels(const uint8_t *in, size_t length)
{
    enum { PAGE = 4096, LINE = 64 };
    for (size_t i = 0; i < length; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)in + PAGE + i));
}

INLINE void convert_row(struct jpeg_colour_encoding c, const uint8_t *in, uint32_t n)
{
    const size_t size = (size_t)c.size;
    if (n < PIXELS) {
        uint8_t buffer[PIXELS * 4] = {0};
        memcpy(buffer, in, n * size);
        convert_pixels(&c, buffer, 0);
        return;
    }
    for (size_t i = 0; i < n - PIXELS; i += PIXELS) {
        prefetch_pixels(in + i * size, PIXELS * size);
        convert_pixels(&c, in + i * size, i);
    }
    convert_pixels(&c, in + (n - PIXELS) * size, n - PIXELS);
}

#define DEFINE(name, NAME, size, red, blue)                                                                            \
    static void name##_to_ycc(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint32_t n)                     \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_encoding){TO_YCC, size, red, false, false, {y, cb, cr}}, in, n);               \
    }                                                                                                                  \
    static void name##_to_grey(const uint8_t *in, uint8_t *y, uint32_t n)                                              \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_encoding){TO_GREY, size, red, false, false, {y}}, in, n);                      \
    }                                                                                                                  \
    static void name##_split(const uint8_t *in, uint8_t *r, uint8_t *g, uint8_t *b, uint32_t n)                        \
    {                                                                                                                  \
        convert_row((struct jpeg_colour_encoding){SPLIT, size, red, false, false, {r, g, b}}, in, n);                  \
    }

FOR_EACH_LAYOUT(DEFINE)

static void cmyk_to_ycck(const uint8_t *in, uint8_t *y, uint8_t *cb, uint8_t *cr, uint8_t *k, uint32_t n)
{
    convert_row((struct jpeg_colour_encoding){TO_YCC, 4, 0, true, true, {y, cb, cr, k}}, in, n);
}

static void cmyk_split(const uint8_t *in, uint8_t *c, uint8_t *m, uint8_t *y, uint8_t *k, uint32_t n)
{
    convert_row((struct jpeg_colour_encoding){SPLIT, 4, 0, false, true, {c, m, y, k}}, in, n);
}

#define SET(name, NAME, size, red, blue)                                                                               \
    dsp->rgb_to_ycc[JPEG_LAYOUT_##NAME] = name##_to_ycc;                                                               \
    dsp->rgb_to_grey[JPEG_LAYOUT_##NAME] = name##_to_grey;                                                             \
    dsp->rgb_split[JPEG_LAYOUT_##NAME] = name##_split;

void INIT(struct jpeg_dsp *dsp)
{
    FOR_EACH_LAYOUT(SET)
    dsp->cmyk_to_ycck = cmyk_to_ycck;
    dsp->cmyk_split = cmyk_split;
}
