/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pixels in TurboJPEG's layouts. */
#include "encode.h"

#include <string.h>

#include "context.h"

static kst_colour choose_colour(int format, int subsampling, int colour)
{
    if (colour >= 0)
        return turbojpeg_colour(colour);
    if (subsampling == TJSAMP_GRAY)
        return KST_COLOUR_GREY;
    return format == TJPF_CMYK ? KST_COLOUR_YCCK : KST_COLOUR_YCBCR;
}

void turbojpeg_set_colour(kst_encode_options *options, int format, int subsampling, int colour)
{
    static const uint8_t single[4] = {1, 1, 1, 1};
    options->colour = choose_colour(format, subsampling, colour);
    memcpy(options->h, single, sizeof single);
    memcpy(options->v, single, sizeof single);
    if (options->colour == KST_COLOUR_YCBCR || options->colour == KST_COLOUR_YCCK) {
        options->h[0] = options->h[3] = turbojpeg_factors[subsampling].h;
        options->v[0] = options->v[3] = turbojpeg_factors[subsampling].v;
    }
}

/* Read pixels whose first byte is alpha, which is not coded. */
static bool read_turned(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const kst_plane *from = &((const kst_image *)user)->plane[0];
    const uint8_t *row = (const uint8_t *)from->data + (ptrdiff_t)y * from->pitch + 4 * (size_t)x;
    uint8_t *to = samples;
    (void)plane;
    memcpy(to, row + 1, 4 * (size_t)count - 1);
    to[4 * (size_t)count - 1] = 255;
    return true;
}

kst_status turbojpeg_encode(
    const struct turbojpeg_source *source, const kst_encode_options *options, kst_buffer *coded, kst_report *report)
{
    kst_context *context = compat_context();
    kst_image image;
    if (!context)
        return KST_ERROR_MEMORY;
    turbojpeg_wrap(
        &image, source->pixels, source->width, source->pitch, source->height, source->format, source->bottom_up);
    if (!turbojpeg_pixels[source->format].turned)
        return kst_encode(context, &image, options, coded, report);
    const kst_rows rows = {.size = sizeof rows, .read = read_turned, .user = &image};
    return kst_encode_rows(context, &image, &rows, options, coded, report);
}

void turbojpeg_coded_release(kst_buffer *coded)
{
    kst_buffer_release(compat_context(), coded);
}
