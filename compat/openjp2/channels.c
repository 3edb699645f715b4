/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Applies the palette and the channel definitions of a JP2 file (T.800 I.5.3.4 to I.5.3.6), and sets the image's colour
 * space.
 */
#include <stdlib.h>
#include <string.h>

#include "codec.h"

enum { UNASSOCIATED = 65535 };

static OPJ_COLOR_SPACE colour_of(uint32_t number)
{
    switch (number) { /* EnumCS (Table I.10, T.801 Table M.25) */
    case 12:
        return OPJ_CLRSPC_CMYK;
    case 16:
        return OPJ_CLRSPC_SRGB;
    case 17:
        return OPJ_CLRSPC_GRAY;
    case 18:
        return OPJ_CLRSPC_SYCC;
    case 24:
        return OPJ_CLRSPC_EYCC;
    default:
        return OPJ_CLRSPC_UNKNOWN;
    }
}

static bool is_defined(const struct openjp2_file *file, uint32_t channel)
{
    for (uint32_t i = 0; i < file->definitions; i++)
        if (file->definition[i].channel == channel)
            return true;
    return false;
}

static bool check_definitions(const struct openjp2_codec *codec, uint32_t channels)
{
    const struct openjp2_file *file = &codec->file;
    for (uint32_t i = 0; i < file->definitions; i++) {
        const struct openjp2_definition *d = &file->definition[i];
        if (d->channel >= channels || (d->association != UNASSOCIATED && d->association > channels))
            return openjp2_fail(codec, "cdef names channel %u or colour %u, and there are %u channels", d->channel,
                d->association, channels);
    }
    for (uint32_t i = 0; file->definitions > 0 && i < channels; i++)
        if (!is_defined(file, i))
            return openjp2_fail(codec, "cdef does not define channel %u", i);
    return true;
}

/*
 * If the picture has one component, and no channel uses the palette although there is one for each column, let channel
 * k use column k.
 */
static void correct_mapping(struct openjp2_codec *codec, const opj_image_t *image)
{
    struct openjp2_file *file = &codec->file;
    if (image->numcomps != 1 || file->columns < 2)
        return;
    for (uint32_t i = 0; i < file->columns; i++)
        if (file->mapping[i].kind != 0)
            return;
    openjp2_warn(codec, "the component mapping leaves out the palette; its columns are used in turn");
    for (uint32_t k = 0; k < file->columns; k++)
        file->mapping[k] = (struct openjp2_mapping){.kind = 1, .column = (uint8_t)k};
}

static bool check_mapping(const struct openjp2_codec *codec, const opj_image_t *image)
{
    const struct openjp2_file *file = &codec->file;
    for (uint32_t i = 0; i < file->columns; i++) {
        const struct openjp2_mapping *m = &file->mapping[i];
        bool fits = m->kind == 0 ? m->column == 0 : m->kind == 1 && m->column < file->columns;
        if (!fits || m->component >= image->numcomps)
            return openjp2_fail(codec, "cmap maps channel %u to component %u and column %u, which do not fit", i,
                m->component, m->column);
        if (!image->comps[m->component].data)
            return openjp2_fail(codec, "cmap maps channel %u to component %u, which has no samples", i, m->component);
    }
    return true;
}

static void look_up(const struct openjp2_file *file, uint32_t column, const opj_image_comp_t *from, int32_t *to)
{
    size_t count = (size_t)from->w * from->h;
    int32_t last = (int32_t)file->entries - 1;
    for (size_t i = 0; i < count; i++) {
        int32_t index = from->data[i] < 0 ? 0 : from->data[i] > last ? last : from->data[i];
        to[i] = file->palette[(size_t)index * file->columns + column];
    }
}

/* Make a channel from a component, directly or through the palette. */
static bool make_channel(
    const struct openjp2_file *file, uint32_t channel, const opj_image_t *image, opj_image_comp_t *to)
{
    const struct openjp2_mapping *m = &file->mapping[channel];
    const opj_image_comp_t *from = &image->comps[m->component];
    /* A component that passes the palette by has the depth of the column in its place, as in OpenJPEG. */
    uint8_t depth = file->column_depth[m->kind == 0 ? channel : m->column];
    size_t bytes = (size_t)from->w * from->h * sizeof *to->data;
    *to = *from;
    to->data = opj_image_data_alloc(bytes);
    if (!to->data)
        return false;
    to->prec = (depth & 0x7FU) + 1;
    to->sgnd = depth >> 7;
    if (m->kind == 0)
        memcpy(to->data, from->data, bytes);
    else
        look_up(file, m->column, from, to->data);
    return true;
}

static bool apply_palette(const struct openjp2_codec *codec, opj_image_t *image)
{
    const struct openjp2_file *file = &codec->file;
    opj_image_comp_t *made = calloc(file->columns, sizeof *made);
    bool fine = made != NULL;
    for (uint32_t i = 0; i < file->columns && fine; i++)
        fine = make_channel(file, i, image, &made[i]);
    opj_image_comp_t *dropped = fine ? image->comps : made;
    uint32_t count = fine ? image->numcomps : made ? file->columns : 0;
    for (uint32_t i = 0; i < count; i++)
        opj_image_data_free(dropped[i].data);
    free(dropped);
    if (!fine)
        return openjp2_fail(codec, "there is no memory for the palette's channels");
    image->comps = made;
    image->numcomps = file->columns;
    return true;
}

static void swap(opj_image_t *image, uint16_t a, uint16_t b)
{
    opj_image_comp_t kept = image->comps[a];
    image->comps[a] = image->comps[b];
    image->comps[b] = kept;
}

/* Put the channels of colours in order, and mark opacity. The definitions do not change, for the next image. */
static bool apply_definitions(const struct openjp2_codec *codec, opj_image_t *image)
{
    uint32_t count = codec->file.definitions;
    struct openjp2_definition *d = malloc(count * sizeof *d);
    if (!d)
        return openjp2_fail(codec, "there is no memory for channel definitions");
    memcpy(d, codec->file.definition, count * sizeof *d);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t channel = d[i].channel, colour = (uint16_t)(d[i].association - 1);
        bool is_colour = d[i].association != 0 && d[i].association != UNASSOCIATED;
        if (is_colour && channel != colour && d[i].kind == 0) {
            swap(image, channel, colour);
            for (uint32_t k = i + 1; k < count; k++)
                d[k].channel = d[k].channel == channel ? colour : d[k].channel == colour ? channel : d[k].channel;
        }
        image->comps[channel].alpha = d[i].kind;
    }
    free(d);
    return true;
}

/* Move the profile to the image. */
static void pass_profile(struct openjp2_file *file, opj_image_t *image)
{
    if (!file->profile)
        return;
    free(image->icc_profile_buf);
    image->icc_profile_buf = file->profile;
    image->icc_profile_len = file->profile_length;
    file->profile = NULL;
}

static bool apply_mapping(struct openjp2_codec *codec, opj_image_t *image)
{
    if (!check_mapping(codec, image))
        return false;
    correct_mapping(codec, image);
    return apply_palette(codec, image);
}

bool openjp2_apply_colour(struct openjp2_codec *codec, opj_image_t *image)
{
    struct openjp2_file *file = &codec->file;
    bool has_palette = file->palette && file->mapping;
    if (!codec->is_jp2 || codec->selected || codec->raw)
        return true;
    if (!check_definitions(codec, has_palette ? file->columns : image->numcomps))
        return false;
    image->color_space = colour_of(file->colour);
    if (has_palette && !apply_mapping(codec, image))
        return false;
    if (file->definitions > 0 && !apply_definitions(codec, image))
        return false;
    pass_profile(file, image);
    return true;
}
