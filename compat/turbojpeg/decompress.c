/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decompresses to pixels. If Kostka meets a warning or an error, or reads the header differently from the original, the
 * original decompresses from the start, so that the program gets its pixels and messages.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "header.h"
#include "instance.h"
#include "original.h"

enum { OLD_FLAGS = TJFLAG_FORCEMMX | TJFLAG_FORCESSE | TJFLAG_FORCESSE2, SCANS_MOST = 500 };
enum { LEAST_BYTES = 2048 }; /* for shorter streams the original is faster */

/*
 * Decompress, and then let the original read the header, which resets its handle's errors. This order matters: if the
 * original does not finish the header, the state that it keeps would disturb its own decompression.
 */
static bool take(struct turbojpeg_decoding *d, tjhandle handle, int width, int height)
{
    int own_width = -1, own_height = -1, subsampling, colour;
    if (!handle || !d->jpeg || d->length == 0 || !d->pixels || width < 0 || d->pitch < 0 || height < 0 ||
        d->format < 0 || d->format >= TJPF_COUNT)
        return false;
    d->most_width = width;
    d->most_height = height;
    return turbojpeg_decode(d) &&
           !tjDecompressHeader3(handle, d->jpeg, d->length, &own_width, &own_height, &subsampling, &colour) &&
           own_width == (int)d->width && own_height == (int)d->height && turbojpeg_colour(colour) == d->colour;
}

int tjDecompress2(tjhandle handle, const unsigned char *jpeg, unsigned long length, unsigned char *pixels, int width,
    int pitch, int height, int format, int flags)
{
    struct turbojpeg_decoding decoding = {.jpeg = jpeg,
        .length = length,
        .pixels = pixels,
        .pitch = pitch,
        .format = format,
        .most_scans = flags & TJFLAG_LIMITSCANS ? SCANS_MOST : 0,
        .bottom_up = (flags & TJFLAG_BOTTOMUP) != 0,
        .fast_dct = (flags & TJFLAG_FASTDCT) != 0,
        .fast_upsampling = (flags & TJFLAG_FASTUPSAMPLE) != 0};
    if (length >= LEAST_BYTES && !(flags & OLD_FLAGS) && take(&decoding, handle, width, height))
        return 0;
    return turbojpeg_original.tjDecompress2(handle, jpeg, length, pixels, width, pitch, height, format, flags);
}

static const char name[] = "tj3Decompress8";

/* Copy the region's rows from the whole picture. */
static void cut(const struct turbojpeg_instance *instance, const struct turbojpeg_decoding *d,
    const unsigned char *whole, int width)
{
    const tjregion *r = &instance->region;
    const int size = turbojpeg_pixels[d->format].size;
    const size_t row = (size_t)(r->w ? r->w : width - r->x) * (size_t)size, pitch = d->pitch ? (size_t)d->pitch : row;
    const int rows = (int)d->region.height;
    for (int y = 0; y < rows; y++) {
        const int to = d->bottom_up ? rows - 1 - y : y;
        memcpy(d->pixels + (size_t)to * pitch,
            whole + ((size_t)(r->y + y) * (size_t)width + (size_t)r->x) * (size_t)size, row);
    }
}

/*
 * Let the original decompress, with its warnings and errors. It does not support regions, so the whole picture is
 * decompressed.
 */
static int pass_on(struct turbojpeg_instance *instance, const struct turbojpeg_decoding *d)
{
    const int width = turbojpeg_scaled(instance->value[TJPARAM_JPEGWIDTH], instance->scale);
    const int height = turbojpeg_scaled(instance->value[TJPARAM_JPEGHEIGHT], instance->scale);
    const int size = turbojpeg_pixels[d->format].size;
    int flags = turbojpeg_flags(instance) & ~TJFLAG_PROGRESSIVE;
    if (d->region.width == 0)
        return turbojpeg_result(instance, turbojpeg_original.tjDecompress2(instance->handle, d->jpeg, d->length,
                                              d->pixels, width, d->pitch, height, d->format, flags));
    unsigned char *whole = calloc((size_t)width * (size_t)height, (size_t)size);
    if (!whole)
        return turbojpeg_fail(instance, name, "Memory allocation failure");
    flags &= ~TJFLAG_BOTTOMUP;
    int result = turbojpeg_result(instance, turbojpeg_original.tjDecompress2(instance->handle, d->jpeg, d->length,
                                                whole, width, 0, height, d->format, flags));
    if (result == 0 || instance->code == TJERR_WARNING)
        cut(instance, d, whole, width);
    free(whole);
    return result;
}

/* Compute the region for the picture that the stream now holds. */
static bool place_region(const struct turbojpeg_instance *instance, struct turbojpeg_decoding *d)
{
    const tjregion *r = &instance->region;
    const int width = turbojpeg_scaled(instance->value[TJPARAM_JPEGWIDTH], instance->scale);
    const int height = turbojpeg_scaled(instance->value[TJPARAM_JPEGHEIGHT], instance->scale);
    if (r->x == 0 && r->y == 0 && r->w == 0 && r->h == 0)
        return true;
    if (r->x >= width || r->y >= height || r->w > width - r->x || r->h > height - r->y)
        return false;
    d->region = (kst_region){(uint32_t)r->x, (uint32_t)r->y, (uint32_t)(r->w ? r->w : width - r->x),
        (uint32_t)(r->h ? r->h : height - r->y)};
    return true;
}

int tj3Decompress8(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char *pixels, int pitch, int format)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!jpeg || length == 0 || !pixels || pitch < 0 || format < 0 || format >= TJPF_COUNT)
        return turbojpeg_fail(instance, name, "Invalid argument");
    if (turbojpeg_read_header(instance, name, jpeg, length))
        return -1;
    struct turbojpeg_decoding decoding = {.jpeg = jpeg,
        .length = length,
        .pixels = pixels,
        .pitch = pitch,
        .format = format,
        .eighths = turbojpeg_eighths(instance->scale),
        .expected_width = (uint32_t)instance->value[TJPARAM_JPEGWIDTH],
        .expected_height = (uint32_t)instance->value[TJPARAM_JPEGHEIGHT],
        .bottom_up = instance->value[TJPARAM_BOTTOMUP],
        .fast_dct = instance->value[TJPARAM_FASTDCT],
        .fast_upsampling = instance->value[TJPARAM_FASTUPSAMPLE]};
    if (!place_region(instance, &decoding))
        return turbojpeg_fail(instance, name, "The cropping region exceeds the scaled image dimensions");
    const bool good =
        turbojpeg_decode(&decoding) && decoding.colour == turbojpeg_colour(instance->value[TJPARAM_COLORSPACE]);
    return good ? 0 : pass_on(instance, &decoding);
}

int tj3SetCroppingRegion(tjhandle handle, tjregion region)
{
    static const char function[] = "tj3SetCroppingRegion";
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (instance->kind == TJINIT_COMPRESS)
        return turbojpeg_fail(instance, function, "Instance has not been initialized for decompression");
    if (region.x == 0 && region.y == 0 && region.w == 0 && region.h == 0) {
        instance->region = region;
        return 0;
    }
    const int subsampling = instance->value[TJPARAM_SUBSAMP];
    if (region.x < 0 || region.y < 0 || region.w < 0 || region.h < 0)
        return turbojpeg_fail(instance, function, "Invalid cropping region");
    if (instance->value[TJPARAM_JPEGWIDTH] < 0)
        return turbojpeg_fail(instance, function, "JPEG header has not yet been read");
    if (subsampling < 0 || subsampling >= TJSAMP_COUNT)
        return turbojpeg_fail(instance, function, "Could not determine subsampling level of JPEG image");
    const int width = turbojpeg_scaled(instance->value[TJPARAM_JPEGWIDTH], instance->scale);
    const int height = turbojpeg_scaled(instance->value[TJPARAM_JPEGHEIGHT], instance->scale);
    if (region.x % turbojpeg_scaled(8 * turbojpeg_factors[subsampling].h, instance->scale) != 0)
        return turbojpeg_fail(
            instance, function, "The left boundary of the cropping region is not a multiple of the scaled iMCU width");
    if (region.x >= width || region.y >= height || region.w > width - region.x || region.h > height - region.y)
        return turbojpeg_fail(instance, function, "The cropping region exceeds the scaled image dimensions");
    instance->region = region;
    return 0;
}
