/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the functions of OpenJPEG's interface that decode images. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"

enum { LEVELS_MAX = 32 };

void opj_set_default_decoder_parameters(opj_dparameters_t *parameters)
{
    if (!parameters)
        return;
    memset(parameters, 0, sizeof *parameters);
    parameters->decod_format = -1;
    parameters->cod_format = -1;
}

OPJ_BOOL opj_setup_decoder(opj_codec_t *handle, opj_dparameters_t *parameters)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !parameters)
        return OPJ_FALSE;
    codec->reduce = parameters->cp_reduce;
    codec->layers = parameters->cp_layer;
    codec->raw = (parameters->flags & OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG) != 0;
    codec->set_up = true;
    return OPJ_TRUE;
}

OPJ_BOOL opj_decoder_set_strict_mode(opj_codec_t *handle, OPJ_BOOL strict)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec)
        return OPJ_FALSE;
    codec->lenient = !strict;
    return OPJ_TRUE;
}

/* Return whether every component has more resolutions than the number to leave out. */
static bool check_reduction(const struct openjp2_codec *codec, uint32_t reduce)
{
    for (uint32_t i = 0; i < codec->headers.count; i++)
        if (reduce >= codec->headers.component[i].coding.numresolutions)
            return openjp2_fail(codec, "%u resolutions are to be left out, and component %u has %u", reduce, i,
                codec->headers.component[i].coding.numresolutions);
    return true;
}

/*
 * Let Kostka validate the main header, followed by an empty tile-part. Limits that depend on the length of the stream
 * are checked once the tile-parts have been read.
 */
static bool check_header(struct openjp2_codec *codec)
{
    static const uint8_t part[] = {0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xFF, 0x93};
    size_t header = codec->source.header;
    if (!openjp2_context(codec, 0))
        return false;
    uint8_t *data = malloc(header + sizeof part);
    if (!data)
        return openjp2_fail(codec, "there is no memory for the main header");
    memcpy(data, codec->source.data, header);
    memcpy(data + header, part, sizeof part);
    kst_status status = kst_decoder_create(codec->context, &codec->decoder);
    if (!status)
        status = kst_decoder_open(codec->decoder, data, header + sizeof part);
    bool fine = !status || status == KST_ERROR_LIMIT_WORK;
    if (!fine)
        openjp2_fail(
            codec, "%s", codec->decoder ? kst_decoder_report(codec->decoder)->message : kst_status_text(status));
    kst_decoder_destroy(&codec->decoder);
    free(data);
    return fine;
}

OPJ_BOOL opj_read_header(opj_stream_t *stream_handle, opj_codec_t *handle, opj_image_t **image)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    struct openjp2_stream *stream = openjp2_stream_of(stream_handle);
    if (!codec || !stream || !image)
        return OPJ_FALSE;
    *image = NULL;
    if (codec->has_read || codec->source.length > 0 || codec->file.has_header)
        return openjp2_fail(codec, "the header has been read already");
    if (codec->is_jp2 && !openjp2_file_read(codec, stream))
        return OPJ_FALSE;
    if (!openjp2_source_begin(codec, stream) || !check_header(codec) || !check_reduction(codec, codec->reduce))
        return OPJ_FALSE;
    codec->tile_x1 = codec->headers.columns;
    codec->tile_y1 = codec->headers.rows;
    *image = openjp2_image_of(codec);
    codec->has_read = *image != NULL;
    return codec->has_read || openjp2_fail(codec, "there is no memory for the image");
}

OPJ_BOOL opj_set_decoded_resolution_factor(opj_codec_t *handle, OPJ_UINT32 reduce)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec)
        return OPJ_FALSE;
    codec->reduce = reduce;
    return codec->has_read && check_reduction(codec, reduce);
}

OPJ_BOOL opj_set_decoded_components(
    opj_codec_t *handle, OPJ_UINT32 count, const OPJ_UINT32 *list, OPJ_BOOL apply_color_transforms)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || (count > 0 && !list))
        return OPJ_FALSE;
    if (!codec->has_read)
        return openjp2_fail(codec, "components can be chosen only when the header has been read");
    if (apply_color_transforms)
        return openjp2_fail(codec, "components can be chosen only without colour transforms");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (list[i] >= codec->headers.count || (k < i && list[k] == list[i]))
                return openjp2_fail(
                    codec, "component %u is chosen, which does not exist or was chosen before", list[i]);
    uint32_t *selected = count > 0 ? malloc(count * sizeof *selected) : NULL;
    if (count > 0 && !selected)
        return openjp2_fail(codec, "there is no memory for %u components", count);
    if (count > 0)
        memcpy(selected, list, count * sizeof *selected);
    free(codec->selected);
    codec->selected = selected;
    codec->selected_count = count;
    openjp2_source_transform(&codec->source, count == 0);
    return OPJ_TRUE;
}

/*
 * Place the components again if the program has changed the number of resolutions after reading the header, so that the
 * program need not do it.
 */
static bool adapt(const struct openjp2_codec *codec, opj_image_t *image)
{
    if (codec->reduce == 0 || image->numcomps == 0 || image->comps[0].factor != 0 || image->comps[0].data)
        return true;
    for (uint32_t i = 0; i < image->numcomps; i++)
        image->comps[i].factor = codec->reduce;
    return openjp2_place_components(codec, image);
}

static bool is_ready(const struct openjp2_codec *codec, const opj_image_t *image)
{
    if (!codec->has_read)
        return openjp2_fail(codec, "the header has not been read");
    if (image->numcomps < codec->headers.count)
        return openjp2_fail(
            codec, "the image has %u components, and the codestream %u", image->numcomps, codec->headers.count);
    return true;
}

/* Drop components that a palette added when the image was decoded before. */
static void drop_added(const struct openjp2_codec *codec, opj_image_t *image)
{
    for (uint32_t i = codec->headers.count; i < image->numcomps; i++) {
        opj_image_data_free(image->comps[i].data);
        image->comps[i].data = NULL;
    }
    image->numcomps = codec->headers.count;
}

OPJ_BOOL opj_decode(opj_codec_t *handle, opj_stream_t *stream, opj_image_t *image)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !stream || !image || !is_ready(codec, image) || !adapt(codec, image))
        return OPJ_FALSE;
    drop_added(codec, image);
    return openjp2_decode_image(codec, openjp2_stream_of(stream), image, KST_ALL_TILES) &&
           openjp2_apply_colour(codec, image);
}

OPJ_BOOL opj_get_decoded_tile(opj_codec_t *handle, opj_stream_t *stream, opj_image_t *image, OPJ_UINT32 tile)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !stream || !image || !is_ready(codec, image))
        return OPJ_FALSE;
    const struct openjp2_headers *h = &codec->headers;
    if (tile >= h->columns * h->rows)
        return openjp2_fail(codec, "tile %u does not exist; there are %u", tile, h->columns * h->rows);
    drop_added(codec, image);
    openjp2_tile_area(h, tile, &image->x0, &image->y0, &image->x1, &image->y1);
    for (uint32_t i = 0; i < image->numcomps; i++) {
        image->comps[i].factor = codec->reduce;
        image->comps[i].dx = h->component[i].dx;
        image->comps[i].dy = h->component[i].dy;
    }
    return openjp2_place_components(codec, image) &&
           openjp2_decode_image(codec, openjp2_stream_of(stream), image, tile) && openjp2_apply_colour(codec, image);
}

OPJ_BOOL opj_end_decompress(opj_codec_t *handle, opj_stream_t *stream)
{
    const struct openjp2_codec *codec = openjp2_decoder_of(handle);
    return codec && stream; /* nothing behind the codestream is needed */
}
