/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements decoding tile by tile, to samples of 1, 2 or 4 bytes. */
#include "codec.h"

/* Return the size of a tile's samples; UINT64_MAX if the interface cannot express it. */
static uint64_t size_of(const struct openjp2_codec *codec, uint32_t tile)
{
    uint64_t total = 0;
    uint32_t width;
    for (uint32_t i = 0; i < codec->headers.count; i++)
        total += openjp2_packed_size(codec, i, tile, &width);
    return total < UINT32_MAX ? total : UINT64_MAX;
}

/* Return the tile with index `place` among the tiles of the area. */
static uint32_t tile_at(const struct openjp2_codec *codec, uint32_t place)
{
    uint32_t columns = codec->tile_x1 - codec->tile_x0;
    return (codec->tile_y0 + place / columns) * codec->headers.columns + codec->tile_x0 + place % columns;
}

/* Find the next tile of the area that has data. Returns false if the stream fails; *found says whether there is one. */
static bool find_tile(struct openjp2_codec *codec, struct openjp2_stream *stream, bool *found)
{
    uint32_t count = (codec->tile_x1 - codec->tile_x0) * (codec->tile_y1 - codec->tile_y0);
    *found = false;
    while (!*found && codec->next_tile < count) {
        codec->tile = tile_at(codec, codec->next_tile++);
        if (!openjp2_source_gather(codec, stream, codec->tile))
            return false;
        *found = codec->source.seen[codec->tile] > 0;
    }
    return true;
}

OPJ_BOOL opj_read_tile_header(opj_codec_t *handle, opj_stream_t *stream, OPJ_UINT32 *tile, OPJ_UINT32 *size,
    OPJ_INT32 *x0, OPJ_INT32 *y0, OPJ_INT32 *x1, OPJ_INT32 *y1, OPJ_UINT32 *components, OPJ_BOOL *goes_on)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    uint32_t left, top, right, bottom;
    bool found;
    if (!codec || !stream || !tile || !size || !x0 || !y0 || !x1 || !y1 || !components || !goes_on)
        return OPJ_FALSE;
    if (!codec->has_read)
        return openjp2_fail(codec, "the header has not been read");
    codec->tile_is_ready = false;
    if (!find_tile(codec, openjp2_stream_of(stream), &found))
        return OPJ_FALSE;
    *goes_on = found;
    if (!found)
        return OPJ_TRUE;
    uint64_t bytes = size_of(codec, codec->tile);
    if (bytes > UINT32_MAX)
        return openjp2_fail(codec, "tile %u has more samples than the interface can say", codec->tile);
    openjp2_tile_area(&codec->headers, codec->tile, &left, &top, &right, &bottom);
    *tile = codec->tile;
    *size = (OPJ_UINT32)bytes;
    *x0 = (OPJ_INT32)left;
    *y0 = (OPJ_INT32)top;
    *x1 = (OPJ_INT32)right;
    *y1 = (OPJ_INT32)bottom;
    *components = codec->headers.count;
    codec->tile_is_ready = true;
    return OPJ_TRUE;
}

OPJ_BOOL opj_decode_tile_data(
    opj_codec_t *handle, OPJ_UINT32 tile, OPJ_BYTE *data, OPJ_UINT32 size, opj_stream_t *stream)
{
    struct openjp2_codec *codec = openjp2_decoder_of(handle);
    if (!codec || !stream || !data)
        return OPJ_FALSE;
    if (!codec->tile_is_ready || tile != codec->tile)
        return openjp2_fail(codec, "tile %u is not the one whose header was read last", tile);
    if (size < size_of(codec, tile))
        return openjp2_fail(codec, "tile %u does not fit in %u bytes", tile, size);
    codec->tile_is_ready = false;
    return openjp2_decode_packed(codec, openjp2_stream_of(stream), tile, data);
}
