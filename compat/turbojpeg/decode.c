/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes streams that cause no warning, to the same pixels as TurboJPEG. */
#include "decode.h"

#include <string.h>

#include "context.h"

/*
 * Return whether TurboJPEG converts the colours: inks are converted only to inks, and nothing else is converted to
 * inks.
 */
static bool converts(kst_colour coded, kst_format format)
{
    const bool ink = coded == KST_COLOUR_CMYK || coded == KST_COLOUR_YCCK;
    return coded != KST_COLOUR_UNKNOWN && ink == (format == KST_FORMAT_CMYK);
}

/* Choose the largest size that fits, as version 2 does. Returns false if none fits. */
static bool choose_size(struct turbojpeg_decoding *d)
{
    const int width = (int)d->width, height = (int)d->height;
    int count;
    const tjscalingfactor *factors = tjGetScalingFactors(&count);
    for (int i = 0; i < count && d->eighths == 0; i++)
        if (turbojpeg_scaled(width, factors[i]) <= (d->most_width ? d->most_width : width) &&
            turbojpeg_scaled(height, factors[i]) <= (d->most_height ? d->most_height : height))
            d->eighths = turbojpeg_eighths(factors[i]);
    return d->eighths != 0;
}

/*
 * Return whether the picture has the size that the original has found. Otherwise it does not fit into the caller's
 * memory.
 */
static bool is_expected(const struct turbojpeg_decoding *d)
{
    return (d->expected_width == 0 || d->expected_width == d->width) &&
           (d->expected_height == 0 || d->expected_height == d->height);
}

static bool suits(struct turbojpeg_decoding *d, const kst_info *info)
{
    d->width = info->width;
    d->height = info->height;
    d->colour = info->colour;
    return info->codec == KST_CODEC_JPEG && info->process != KST_PROCESS_LOSSLESS && info->component[0].depth == 8 &&
           is_expected(d) && converts(info->colour, turbojpeg_pixels[d->format].format) &&
           (d->most_scans == 0 || info->scans <= d->most_scans) && choose_size(d);
}

static void set_options(const struct turbojpeg_decoding *d, kst_decode_options *options)
{
    kst_decode_options_init(options);
    options->format = turbojpeg_pixels[d->format].format;
    options->strict = true;
    options->region = d->region;
    options->dct = d->fast_dct ? KST_DCT_FAST : KST_DCT_ACCURATE;
    options->upsampling = d->fast_upsampling ? KST_UPSAMPLING_NEAREST : KST_UPSAMPLING_FANCY;
    if (d->eighths != 8)
        options->eighths = d->eighths;
}

/* Move the last byte of each pixel to its front. */
static void turn(const kst_image *image)
{
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *pixel = (uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        for (uint32_t x = 0; x < image->width; x++, pixel += 4) {
            const uint8_t alpha = pixel[3];
            memmove(pixel + 1, pixel, 3);
            pixel[0] = alpha;
        }
    }
}

static bool decode_open(kst_decoder *decoder, struct turbojpeg_decoding *d)
{
    kst_decode_options options;
    kst_image shape, image;
    if (!suits(d, kst_decoder_info(decoder)))
        return false;
    set_options(d, &options);
    if (kst_decoder_describe(decoder, &options, &shape))
        return false;
    turbojpeg_wrap(&image, d->pixels, (int)shape.width, d->pitch, (int)shape.height, d->format, d->bottom_up);
    image.colour = shape.colour;
    if (d->pitch != 0 && d->pitch < shape.plane[0].pitch) /* rows would overlap, which the original allows */
        return false;
    if (kst_decoder_decode(decoder, &options, &image) || kst_decoder_report(decoder)->warnings)
        return false;
    if (turbojpeg_pixels[d->format].turned)
        turn(&image);
    return true;
}

bool turbojpeg_decode(struct turbojpeg_decoding *decoding)
{
    kst_context *context = compat_context();
    kst_decoder *decoder;
    if (!context || kst_decoder_create(context, &decoder))
        return false;
    bool good = !kst_decoder_open(decoder, decoding->jpeg, decoding->length) && decode_open(decoder, decoding);
    kst_decoder_destroy(&decoder);
    return good;
}
