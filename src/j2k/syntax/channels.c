/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a picture's colours and alpha channel among the components, according to the boxes cdef, cmap, pclr and colr.
 */
#include "j2k/syntax/channels.h"

#include "j2k/syntax/geometry.h"

/* Types and associations of cdef (I.5.3.6). Without cdef, channel i is colour i. */
enum { TYPE_COLOUR = 0, TYPE_ALPHA = 1, WHOLE_PICTURE = 0, NONE = UINT32_MAX };

/* Return the number of channels, which are those of cmap if a palette is used, and otherwise the components. */
static uint32_t channel_total(const struct j2k_stream *stream)
{
    const struct j2k_file *file = &stream->file;
    return file->palette.entries && file->mapping_count ? file->mapping_count : kst_j2k_made_count(stream);
}

/* Describe channel `index`. Returns false if cmap names a component or column that does not exist. */
static bool channel_at(const struct j2k_stream *stream, uint32_t index, struct j2k_channel *channel)
{
    const struct j2k_file *file = &stream->file;
    *channel = (struct j2k_channel){.component = index};
    if (file->palette.entries && file->mapping_count) {
        struct j2k_channel_mapping mapping = kst_j2k_mapping(stream->data, file, index);
        channel->component = mapping.component;
        channel->palette = mapping.type == 1;
        channel->column = mapping.column;
    }
    if (channel->component >= kst_j2k_made_count(stream) ||
        (channel->palette && channel->column >= file->palette.columns))
        return false;
    const struct j2k_component_size size = kst_j2k_made_component(stream, channel->component);
    channel->depth = size.depth;
    channel->is_signed = size.is_signed;
    if (channel->palette)
        channel->depth = kst_j2k_palette_depth(stream->data, &file->palette, channel->column, &channel->is_signed);
    return true;
}

/*
 * Return the index of the channel for colour `number`, counted from 1, or for alpha if `number` is 0; NONE if there is
 * no such channel.
 */
static uint32_t find_channel(const struct j2k_stream *stream, uint32_t number)
{
    const struct j2k_file *file = &stream->file;
    if (file->definition_count == 0)
        return number > 0 && number <= channel_total(stream) ? number - 1 : NONE;
    for (uint32_t i = 0; i < file->definition_count; i++) {
        struct j2k_channel_definition definition = kst_j2k_definition(stream->data, file, i);
        bool alpha = definition.type == TYPE_ALPHA && definition.association == WHOLE_PICTURE;
        bool colour = definition.type == TYPE_COLOUR && definition.association == number && number > 0;
        if ((number == 0 ? alpha : colour) && definition.channel < channel_total(stream))
            return definition.channel;
    }
    return NONE;
}

/*
 * Return the colour space that the file specifies, or a guess from `total`, the number of channels other than alpha: a
 * bare codestream with three is taken as RGB.
 */
static kst_colour name_colour(const struct j2k_file *file, uint32_t total)
{
    if (file->colour_method == J2K_COLOUR_ENUMERATED) {
        switch (file->colour_space) {
        case J2K_COLOUR_SPACE_SRGB:
            return KST_COLOUR_RGB;
        case J2K_COLOUR_SPACE_GREY:
            return KST_COLOUR_GREY;
        case J2K_COLOUR_SPACE_SYCC:
            return KST_COLOUR_YCBCR;
        case J2K_COLOUR_SPACE_CMYK:
            return KST_COLOUR_CMYK;
        default:
            return KST_COLOUR_UNKNOWN;
        }
    }
    if (file->colour_method == J2K_COLOUR_POINTS) /* the matrix of grey does not matter */
        return total == 1 && file->points.full_range ? KST_COLOUR_GREY : kst_j2k_points_colour(&file->points);
    bool profile = file->colour_method != J2K_COLOUR_NONE;
    if (total == 1)
        return KST_COLOUR_GREY;
    if (total == 3)
        return KST_COLOUR_RGB;
    return profile && total == 4 ? KST_COLOUR_CMYK : KST_COLOUR_UNKNOWN;
}

static uint32_t colours_of(kst_colour colour)
{
    return colour == KST_COLOUR_GREY ? 1 : colour == KST_COLOUR_CMYK ? 4 : 3;
}

/* Return whether a bare codestream looks like sYCC: its second and third components are subsampled alike. */
static bool looks_like_ycc(const struct j2k_stream *stream)
{
    const struct j2k_component_size *c = stream->component;
    return stream->component_count == 3 && c[0].dx == 1 && c[0].dy == 1 && (c[1].dx > 1 || c[1].dy > 1) &&
           c[1].dx == c[2].dx && c[1].dy == c[2].dy;
}

/*
 * Return the colour space of the picture. One that the file itself calls a guess (UnkC of ihdr) counts only if it
 * accounts for all channels.
 */
static kst_colour find_colour(const struct j2k_stream *stream, uint32_t total)
{
    const struct j2k_file *file = &stream->file;
    kst_colour colour = name_colour(file, total);
    if (!file->present && looks_like_ycc(stream))
        return KST_COLOUR_YCBCR;
    bool guess = file->has_header && file->unknown_colour;
    return guess && colour != KST_COLOUR_UNKNOWN && colours_of(colour) != total ? KST_COLOUR_UNKNOWN : colour;
}

static bool fit_together(const struct j2k_stream *stream, const struct j2k_channels *channels)
{
    for (uint32_t i = 0; i < channels->count; i++) {
        const struct j2k_channel *channel = &channels->channel[i];
        const struct j2k_component_size size = kst_j2k_made_component(stream, channel->component);
        bool whole = size.dx == 1 && size.dy == 1;
        if (channel->is_signed || channel->depth > 16 || channel->depth != channels->channel[0].depth ||
            (i == 0 && !whole) || (channel->palette && (size.is_signed || size.depth > 16)))
            return false;
    }
    return true;
}

static void find_channels(const struct j2k_stream *stream, struct j2k_channels *channels)
{
    uint32_t total = channel_total(stream), alpha = find_channel(stream, 0);
    *channels = (struct j2k_channels){.colour = find_colour(stream, total - (alpha != NONE))};
    if (channels->colour == KST_COLOUR_UNKNOWN)
        return;
    uint32_t colours = colours_of(channels->colour);
    bool fine = true;
    for (uint32_t i = 0; i < colours && fine; i++) {
        uint32_t index = find_channel(stream, i + 1);
        fine = index != NONE && channel_at(stream, index, &channels->channel[i]);
    }
    if (!fine) {
        channels->colour = KST_COLOUR_UNKNOWN;
        return;
    }
    channels->count = colours;
    channels->together = fit_together(stream, channels);
    if (alpha == NONE || !channel_at(stream, alpha, &channels->channel[colours]))
        return;
    channels->count++; /* an alpha channel that does not fit the colours is left out */
    channels->has_alpha = channels->together && fit_together(stream, channels);
    channels->count = colours + channels->has_alpha;
}

void kst_j2k_channels(const struct j2k_stream *stream, struct j2k_channels *channels)
{
    find_channels(stream, channels);
    for (uint32_t i = 0; i < channels->count && channels->together; i++) {
        const struct j2k_component_size size = kst_j2k_made_component(stream, channels->channel[i].component);
        channels->enlarged = channels->enlarged || size.dx > 1 || size.dy > 1;
    }
}
