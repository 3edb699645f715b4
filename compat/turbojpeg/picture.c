/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates TurboJPEG's pixel formats, colours and sampling to Kostka's. */
#include "picture.h"

const struct turbojpeg_factors turbojpeg_factors[TJSAMP_COUNT] = {
    [TJSAMP_444] = {1, 1},
    [TJSAMP_422] = {2, 1},
    [TJSAMP_420] = {2, 2},
    [TJSAMP_GRAY] = {1, 1},
    [TJSAMP_440] = {1, 2},
    [TJSAMP_411] = {4, 1},
    [TJSAMP_441] = {1, 4},
};

const struct turbojpeg_pixel turbojpeg_pixels[TJPF_COUNT] = {
    [TJPF_RGB] = {KST_FORMAT_RGB, 3, false},
    [TJPF_BGR] = {KST_FORMAT_BGR, 3, false},
    [TJPF_RGBX] = {KST_FORMAT_RGBA, 4, false},
    [TJPF_BGRX] = {KST_FORMAT_BGRA, 4, false},
    [TJPF_XBGR] = {KST_FORMAT_BGRA, 4, true},
    [TJPF_XRGB] = {KST_FORMAT_RGBA, 4, true},
    [TJPF_GRAY] = {KST_FORMAT_GREY, 1, false},
    [TJPF_RGBA] = {KST_FORMAT_RGBA, 4, false},
    [TJPF_BGRA] = {KST_FORMAT_BGRA, 4, false},
    [TJPF_ABGR] = {KST_FORMAT_BGRA, 4, true},
    [TJPF_ARGB] = {KST_FORMAT_RGBA, 4, true},
    [TJPF_CMYK] = {KST_FORMAT_CMYK, 4, false},
};

kst_colour turbojpeg_colour(int colour)
{
    static const kst_colour colours[TJCS_COUNT] = {[TJCS_RGB] = KST_COLOUR_RGB,
        [TJCS_YCbCr] = KST_COLOUR_YCBCR,
        [TJCS_GRAY] = KST_COLOUR_GREY,
        [TJCS_CMYK] = KST_COLOUR_CMYK,
        [TJCS_YCCK] = KST_COLOUR_YCCK};
    return colour >= 0 && colour < TJCS_COUNT ? colours[colour] : KST_COLOUR_UNKNOWN;
}

int turbojpeg_scaled(int side, tjscalingfactor factor)
{
    return (int)(((int64_t)side * factor.num + factor.denom - 1) / factor.denom);
}

uint32_t turbojpeg_eighths(tjscalingfactor factor)
{
    return (uint32_t)(factor.num * 8 / factor.denom);
}

void turbojpeg_wrap(
    kst_image *image, const unsigned char *pixels, int width, int pitch, int height, int format, bool bottom_up)
{
    const struct turbojpeg_pixel *pixel = &turbojpeg_pixels[format];
    const ptrdiff_t step = pitch == 0 ? (ptrdiff_t)width * pixel->size : pitch;
    unsigned char *first = (unsigned char *)(uintptr_t)pixels; /* the caller decides whether they are written */
    kst_image_init(image);
    image->format = pixel->format;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.data = bottom_up ? first + (height - 1) * step : first,
        .pitch = bottom_up ? -step : step,
        .width = (uint32_t)width,
        .height = (uint32_t)height,
        .depth = 8};
}
