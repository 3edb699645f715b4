/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes the picture of a codec with Kostka, from components with 32-bit samples. */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

enum { PLANES = 4 };

/* Store the low bytes of samples, as many as the depth needs. */
static void pack(const OPJ_INT32 *from, uint32_t count, uint32_t depth, void *to)
{
    uint8_t *bytes = to;
    uint16_t *words = to;
    if (depth > 16)
        memcpy(to, from, count * sizeof *from);
    else if (depth > 8)
        for (uint32_t i = 0; i < count; i++)
            words[i] = (uint16_t)from[i];
    else
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)from[i];
}

static bool read_row(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const opj_image_t *image = user;
    const opj_image_comp_t *c = &image->comps[plane];
    pack(c->data + (size_t)y * c->w + x, count, c->prec, samples);
    return true;
}

/*
 * Return whether a component's separation is the smallest one that gives its size, so that Kostka finds it by the size.
 */
static bool shows_separation(uint32_t first, uint32_t end, uint32_t size, uint32_t separation)
{
    for (uint32_t d = 1; d < separation; d++)
        if (openjp2_ceil_div(end, d) - openjp2_ceil_div(first, d) == size)
            return false;
    return openjp2_ceil_div(end, separation) - openjp2_ceil_div(first, separation) == size;
}

static bool describe_component(
    const struct openjp2_codec *codec, const opj_image_t *image, uint32_t i, kst_plane *plane)
{
    const opj_image_comp_t *c = &image->comps[i];
    if (!c->data)
        return openjp2_fail(codec, "component %u has no samples", i);
    if (c->dx < 1 || c->dx > 255 || c->dy < 1 || c->dy > 255 || c->prec < 1 || c->prec > 31)
        return openjp2_fail(codec, "component %u has a separation of %u, %u and %u bits", i, c->dx, c->dy, c->prec);
    if (!shows_separation(image->x0, image->x1, c->w, c->dx) || !shows_separation(image->y0, image->y1, c->h, c->dy))
        return openjp2_fail(codec, "component %u has %u x %u samples, which do not fit its separation of %u, %u", i,
            c->w, c->h, c->dx, c->dy);
    *plane = (kst_plane){.width = c->w, .height = c->h, .depth = (uint8_t)c->prec, .is_signed = c->sgnd != 0};
    plane->pitch = (ptrdiff_t)c->w * (c->prec > 16 ? 4 : c->prec > 8 ? 2 : 1);
    return true;
}

/*
 * Set the colour such that Kostka applies a component transform to the first three components, if these have the same
 * properties and it is wanted.
 */
static void describe_colour(const struct openjp2_codec *codec, const opj_image_t *image, kst_image *described)
{
    bool transformed = !codec->encoder->j2k.keep_components && image->numcomps >= 3;
    described->colour = transformed ? KST_COLOUR_RGB : KST_COLOUR_UNKNOWN;
    for (uint32_t i = 1; transformed && i < 3; i++)
        if (image->comps[i].dx != image->comps[0].dx || image->comps[i].dy != image->comps[0].dy ||
            image->comps[i].prec != image->comps[0].prec || image->comps[i].sgnd != image->comps[0].sgnd) {
            openjp2_warn(codec, "the first three components differ, so that none are transformed");
            described->colour = KST_COLOUR_UNKNOWN;
            return;
        }
}

static bool encode(struct openjp2_codec *codec, kst_plane *more)
{
    struct openjp2_encoder *e = codec->encoder;
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    image.format = KST_FORMAT_RAW;
    image.width = e->image->x1 - e->image->x0;
    image.height = e->image->y1 - e->image->y0;
    image.plane_count = e->image->numcomps;
    image.more = more;
    for (uint32_t i = 0; i < image.plane_count; i++)
        if (!describe_component(codec, e->image, i, i < PLANES ? &image.plane[i] : &more[i - PLANES]))
            return false;
    describe_colour(codec, e->image, &image);
    const kst_rows rows = {.size = sizeof rows, .read = read_row, .user = e->image};
    if (!openjp2_context(codec, 0))
        return false;
    kst_status status = kst_encode_rows(codec->context, &image, &rows, &e->options, &e->output, &report);
    return !status || openjp2_fail(codec, "%s", report.message);
}

bool openjp2_encoder_run(struct openjp2_codec *codec)
{
    uint32_t count = codec->encoder->image->numcomps;
    kst_plane *more = calloc(count, sizeof *more);
    bool fine = more ? encode(codec, count > PLANES ? more : NULL)
                     : openjp2_fail(codec, "there is no memory for %u components", count);
    free(more);
    return fine;
}
