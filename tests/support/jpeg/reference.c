/* SPDX-License-Identifier: BSD-2-Clause */
/* Resamples and converts the planes of libjpeg's decoder pixel by pixel. */
#include "support/jpeg/reference.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = -1, RIGHT = 1 };

struct component {
    const uint8_t *sample;
    uint32_t pitch, width, height;
    uint32_t h_in, h_out, v_in, v_out;
    bool h2, v2; /* whether that direction is filtered */
};

static struct component component_of(const struct libjpeg_planes *p, uint32_t i)
{
    uint32_t least = 8;
    for (uint32_t j = 0; j < p->components; j++)
        least = p->block[j] < least ? p->block[j] : least;
    struct component c = {.sample = p->plane[i], .pitch = p->pitch[i], .width = p->width[i], .height = p->height[i]};
    c.h_in = p->h[i] * p->block[i];
    c.v_in = p->v[i] * p->block[i];
    c.h_out = p->hmax * least;
    c.v_out = p->vmax * least;
    c.h2 = c.h_in * 2 == c.h_out;
    c.v2 = c.v_in * 2 == c.v_out;
    bool h1 = c.h_in == c.h_out, v1 = c.v_in == c.v_out;
    bool fancy = least > 1 && ((h1 && c.v2) || (c.h2 && (v1 || c.v2) && c.width > 2));
    c.h2 = c.h2 && fancy;
    c.v2 = c.v2 && fancy;
    return c;
}

static int32_t at(const struct component *c, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x >= c->width ? (int64_t)c->width - 1 : x;
    y = y < 0 ? 0 : y >= c->height ? (int64_t)c->height - 1 : y;
    return c->sample[(size_t)y * c->pitch + (size_t)x];
}

/* Return a component's value at a pixel, with filters that round as libjpeg's do. */
static uint8_t value(const struct component *c, uint32_t x, uint32_t y)
{
    int64_t sx = (int64_t)x * c->h_in / c->h_out, sy = (int64_t)y * c->v_in / c->v_out;
    int64_t nx = sx + (x & 1 ? RIGHT : LEFT), ny = sy + (y & 1 ? RIGHT : LEFT);
    if (c->h2 && c->v2) {
        int32_t here = 3 * at(c, sx, sy) + at(c, sx, ny);
        int32_t beside = 3 * at(c, nx, sy) + at(c, nx, ny);
        return (uint8_t)((3 * here + beside + (x & 1 ? 7 : 8)) >> 4);
    }
    if (c->h2)
        return (uint8_t)((3 * at(c, sx, sy) + at(c, nx, sy) + (x & 1 ? 2 : 1)) >> 2);
    if (c->v2)
        return (uint8_t)((3 * at(c, sx, sy) + at(c, sx, ny) + (y & 1 ? 2 : 1)) >> 2);
    return (uint8_t)at(c, sx, sy);
}

static uint8_t clamp(int32_t v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void ycc_to_rgb(uint8_t p[3])
{
    int32_t y = p[0], cb = p[1] - 128, cr = p[2] - 128;
    p[0] = clamp(y + ((91881 * cr + 32768) >> 16));
    p[1] = clamp(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    p[2] = clamp(y + ((116130 * cb + 32768) >> 16));
}

void reference_cmyk_to_rgb(const uint8_t cmyk[4], uint8_t rgb[3])
{
    for (uint32_t i = 0; i < 3; i++)
        rgb[i] = (uint8_t)((2U * cmyk[i] * cmyk[3] + 255) / 510);
}

/* Convert the components of a pixel to the format. */
static void convert(const uint8_t in[4], kst_colour coded, kst_format format, uint8_t *out)
{
    uint8_t p[4];
    memcpy(p, in, 4);
    if (format == KST_FORMAT_GREY && coded != KST_COLOUR_RGB) {
        out[0] = p[0];
        return;
    }
    if (coded == KST_COLOUR_GREY)
        p[1] = p[2] = p[0];
    if (coded == KST_COLOUR_YCBCR || coded == KST_COLOUR_YCCK)
        ycc_to_rgb(p);
    for (uint32_t i = 0; coded == KST_COLOUR_YCCK && i < 3; i++)
        p[i] = (uint8_t)(255 - p[i]);
    if (format == KST_FORMAT_GREY)
        out[0] = (uint8_t)((19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
    else if (format == KST_FORMAT_RGB && (coded == KST_COLOUR_CMYK || coded == KST_COLOUR_YCCK))
        reference_cmyk_to_rgb(p, out);
    else
        memcpy(out, p, format == KST_FORMAT_RGB ? 3 : 4);
}

void reference_picture(
    const struct libjpeg_planes *planes, kst_colour coded, kst_format format, struct libjpeg_picture *picture)
{
    struct component c[4];
    picture->width = planes->picture_width;
    picture->height = planes->picture_height;
    picture->channels = kst_format_channels(format);
    picture->warnings = planes->warnings;
    picture->pixels = malloc((size_t)picture->width * picture->height * picture->channels);
    if (!picture->pixels)
        abort();
    for (uint32_t i = 0; i < planes->components; i++)
        c[i] = component_of(planes, i);
    uint8_t *out = picture->pixels;
    for (uint32_t y = 0; y < picture->height; y++) {
        for (uint32_t x = 0; x < picture->width; x++, out += picture->channels) {
            uint8_t p[4] = {0};
            for (uint32_t i = 0; i < planes->components; i++)
                p[i] = value(&c[i], x, y);
            convert(p, coded, format, out);
        }
    }
}
