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
#include "third.h"

enum { OLD_FLAGS = TJFLAG_FORCEMMX | TJFLAG_FORCESSE | TJFLAG_FORCESSE2, SCANS_MOST = 500 };
enum { LEAST_BYTES = 2048 }; /* for shorter streams the original is faster */

static bool is_valid(const struct turbojpeg_decoding *d)
{
    return d->jpeg && d->length > 0 && d->pixels && d->pitch >= 0 && d->format >= 0 && d->format < TJPF_COUNT;
}

/*
 * Decompress, and then let the original read the header, which resets its handle's errors. This order matters: if the
 * original does not finish the header, the state that it keeps would disturb its own decompression.
 */
static bool take(struct turbojpeg_decoding *d, tjhandle handle, int width, int height)
{
    int own_width = -1, own_height = -1, subsampling, colour;
    if (!handle || !is_valid(d) || width < 0 || height < 0)
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
        .depth = 8,
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
        memcpy((unsigned char *)d->pixels + (size_t)to * pitch,
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

/* Describe what is to be decoded, as the parameters say. */
static void set_parameters(const struct turbojpeg_instance *instance, struct turbojpeg_decoding *d)
{
    d->eighths = turbojpeg_eighths(instance->scale);
    d->expected_width = (uint32_t)instance->value[TJPARAM_JPEGWIDTH];
    d->expected_height = (uint32_t)instance->value[TJPARAM_JPEGHEIGHT];
    d->bottom_up = instance->value[TJPARAM_BOTTOMUP];
    d->fast_dct = instance->value[TJPARAM_FASTDCT];
    d->fast_upsampling = instance->value[TJPARAM_FASTUPSAMPLE];
}

/* Read the header, and describe what is to be decoded. Returns −1 after an error. */
static int prepare(struct turbojpeg_instance *instance, const char *function, struct turbojpeg_decoding *d)
{
    if (!is_valid(d))
        return turbojpeg_fail(instance, function, "Invalid argument");
    if (turbojpeg_read_header(instance, function, d->jpeg, d->length))
        return -1;
    set_parameters(instance, d);
    if (!place_region(instance, d))
        return turbojpeg_fail(instance, function, "The cropping region exceeds the scaled image dimensions");
    return 0;
}

static bool decode(const struct turbojpeg_instance *instance, struct turbojpeg_decoding *d)
{
    return turbojpeg_decode(d) && d->colour == turbojpeg_colour(instance->value[TJPARAM_COLORSPACE]);
}

/*
 * Return whether Kostka decodes as the original of version 3 does. It does not at the edges of regions, and knows no
 * limit of memory.
 */
static bool suits_third(const struct turbojpeg_instance *instance, const struct turbojpeg_decoding *d)
{
    const int *value = instance->value;
    const tjregion *r = &instance->region;
    const bool whole = r->x == 0 && r->y == 0 && r->w == 0 && r->h == 0;
    return whole && !value[TJPARAM_MAXMEMORY] && !value[TJPARAM_LOSSLESS] && !value[TJPARAM_ARITHMETIC] &&
           value[TJPARAM_PRECISION] == d->depth && value[TJPARAM_JPEGWIDTH] > 0 &&
           (!value[TJPARAM_MAXPIXELS] ||
               (int64_t)value[TJPARAM_JPEGWIDTH] * value[TJPARAM_JPEGHEIGHT] <= value[TJPARAM_MAXPIXELS]);
}

/*
 * Decompress where the original is of version 3. Returns false if that is left to the original, which forgets a header
 * that it has not finished when it is called without arguments.
 */
static bool take_third(tjhandle handle, struct turbojpeg_decoding *d)
{
    if (!handle || !is_valid(d) || d->length < LEAST_BYTES)
        return false;
    if (tj3DecompressHeader(handle, d->jpeg, d->length)) {
        turbojpeg_third.tj3Decompress8(handle, NULL, 0, NULL, 0, 0);
        return false;
    }
    const struct turbojpeg_instance *instance = turbojpeg_load(handle);
    if (!instance || !suits_third(instance, d))
        return false;
    set_parameters(instance, d);
    d->most_scans = instance->value[TJPARAM_PROGRESSIVE] ? (uint32_t)instance->value[TJPARAM_SCANLIMIT] : 0;
    return decode(instance, d);
}

int tj3Decompress8(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char *pixels, int pitch, int format)
{
    struct turbojpeg_decoding decoding = {
        .jpeg = jpeg, .length = length, .pixels = pixels, .depth = 8, .pitch = pitch, .format = format};
    if (turbojpeg_third.tj3Decompress8)
        return take_third(handle, &decoding)
                   ? 0
                   : turbojpeg_third.tj3Decompress8(handle, jpeg, length, pixels, pitch, format);
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || prepare(instance, name, &decoding))
        return -1;
    return decode(instance, &decoding) ? 0 : pass_on(instance, &decoding);
}

/* An original of version 2 has no samples of 12 bits, and can say nothing about a stream that is damaged. */
int tj3Decompress12(tjhandle handle, const unsigned char *jpeg, size_t length, short *pixels, int pitch, int format)
{
    static const char function[] = "tj3Decompress12";
    struct turbojpeg_decoding decoding = {
        .jpeg = jpeg, .length = length, .pixels = pixels, .depth = 12, .pitch = pitch, .format = format};
    if (turbojpeg_third.tj3Decompress12)
        return take_third(handle, &decoding)
                   ? 0
                   : turbojpeg_third.tj3Decompress12(handle, jpeg, length, pixels, pitch, format);
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || prepare(instance, function, &decoding))
        return -1;
    if (instance->value[TJPARAM_PRECISION] != 12)
        return turbojpeg_fail(instance, function, "The samples of the stream do not have 12 bits");
    if (decode(instance, &decoding))
        return 0;
    return turbojpeg_fail(instance, function, "The stream is damaged, or has other colours than the pixels");
}

/* Set a region by the rules of version 3. */
static int set_region(struct turbojpeg_instance *instance, tjregion region)
{
    static const char function[] = "tj3SetCroppingRegion";
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

int tj3SetCroppingRegion(tjhandle handle, tjregion region)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!turbojpeg_third.tj3SetCroppingRegion)
        return set_region(instance, region);
    int result = turbojpeg_third.tj3SetCroppingRegion(handle, region);
    if (!result)
        instance->region = region;
    return result;
}
