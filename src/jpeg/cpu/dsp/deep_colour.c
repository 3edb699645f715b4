/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts components of deep pictures to pixels, by the equations of 8 bits (dsp/colour_decode.c). */
#include <string.h>

#include "image/format.h"
#include "jpeg/cpu/dsp/deep.h"
#include "jpeg/tables/colour.h"

typedef uint16_t *const channels[JPEG_COMPONENTS];

/* Compute R, G and B; with `ink` compute C, M and Y, which are what R, G and B leave of the full range. */
static void convert_ycc(const uint16_t *const in[JPEG_COMPONENTS], channels out, uint32_t n, bool ink)
{
    const uint16_t flip = ink ? DEEP_MAX : 0; /* DEEP_MAX − x is x with all bits inverted */
    for (uint32_t i = 0; i < n; i++) {
        const int32_t y = in[0][i], cb = in[1][i] - DEEP_CENTRE, cr = in[2][i] - DEEP_CENTRE;
        const int32_t green = -YCC_GREEN_CB * cb - YCC_GREEN_CR * cr;
        out[0][i] = jpeg_deep_clamp(y + ((YCC_RED_CR * cr + 32768) >> 16)) ^ flip;
        out[1][i] = jpeg_deep_clamp(y + ((green + 32768) >> 16)) ^ flip;
        out[2][i] = jpeg_deep_clamp(y + ((YCC_BLUE_CB * cb + 32768) >> 16)) ^ flip;
    }
}

static void convert_grey(const uint16_t *const in[JPEG_COMPONENTS], uint16_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint16_t)((YCC_Y_RED * in[0][i] + YCC_Y_GREEN * in[1][i] + YCC_Y_BLUE * in[2][i] + 32768) >> 16);
}

/* Compute ink · k / DEEP_MAX, rounded: the ink is coded inverted. `ink` may be `out`. */
static void convert_ink(const uint16_t *ink, const uint16_t *k, uint16_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint16_t)((2U * ink[i] * k[i] + DEEP_MAX) / (2 * DEEP_MAX));
}

/* Compute the picture's channels in `spare`, or find them among the lines. */
static void find_channels(const struct jpeg_output *output, const uint16_t *const line[JPEG_COMPONENTS], channels spare,
    const uint16_t *channel[JPEG_COMPONENTS])
{
    const uint32_t n = output->region.width;
    const bool ycck = output->conversion == JPEG_CONVERT_YCCK_RGB;
    memcpy(channel, line, JPEG_COMPONENTS * sizeof *channel);
    switch (output->conversion) {
    case JPEG_CONVERT_GREY:
        channel[1] = channel[2] = line[0];
        break;
    case JPEG_CONVERT_RGB_GREY:
        convert_grey(line, spare[0], n);
        channel[0] = spare[0];
        break;
    case JPEG_CONVERT_YCC:
    case JPEG_CONVERT_YCC_PLANAR:
    case JPEG_CONVERT_YCCK:
    case JPEG_CONVERT_YCCK_PLANAR:
        convert_ycc(
            line, spare, n, output->conversion == JPEG_CONVERT_YCCK || output->conversion == JPEG_CONVERT_YCCK_PLANAR);
        memcpy(channel, spare, 3 * sizeof *channel);
        break;
    case JPEG_CONVERT_CMYK_RGB:
    case JPEG_CONVERT_YCCK_RGB:
        if (ycck)
            convert_ycc(line, spare, n, true);
        for (uint32_t i = 0; i < 3; i++)
            convert_ink(ycck ? spare[i] : line[i], line[3], spare[i], n);
        memcpy(channel, spare, 3 * sizeof *channel);
        break;
    default: /* the components as they are */
        break;
    }
}

void kst_jpeg_cpu_deep_convert(const struct jpeg_output *output, uint32_t row,
    const uint16_t *const line[JPEG_COMPONENTS], uint16_t *const spare[JPEG_COMPONENTS])
{
    const struct pixel_layout *layout = kst_pixel_layout(output->image.format);
    const uint32_t width = output->region.width, step = layout->channels;
    const uint16_t *channel[JPEG_COMPONENTS];
    find_channels(output, line, spare, channel);
    for (uint32_t i = 0; !step && i < output->image.plane_count; i++) {
        const kst_plane *plane = &output->image.plane[i];
        memcpy((uint8_t *)plane->data + (ptrdiff_t)row * plane->pitch, channel[i], width * sizeof *channel[i]);
    }
    const kst_plane *plane = &output->image.plane[0];
    uint16_t *out = (uint16_t *)(void *)((uint8_t *)plane->data + (ptrdiff_t)row * plane->pitch);
    for (uint32_t i = 0; step && i < step - layout->alpha; i++) {
        uint16_t *place = out + kst_pixel_place(layout, i);
        for (uint32_t x = 0; x < width; x++)
            place[(size_t)x * step] = channel[i][x];
    }
    for (uint32_t x = 0; layout->alpha && x < width; x++)
        out[(size_t)x * step + step - 1] = (uint16_t)(output->alpha * DEEP_MAX / 255);
}
