/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a codestream, or a JP2 file around it (T.800 Annex I), to the caller's stream. */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

enum {
    CHUNK = 1 << 20, /* bytes that the caller's function gets at once, the size of OpenJPEG's buffer */
    VARIED = 255,    /* BPC of components that differ */
    DEPTH_KNOWN = 7, /* C of ihdr */
    OPACITY = 1,
    UNASSOCIATED = 65535
};

/* Holds the bytes that precede the codestream. */
struct front {
    uint8_t *data;
    size_t length;
};

static void put(struct front *front, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        front->data[front->length++] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static void put_name(struct front *front, const char *name)
{
    memcpy(front->data + front->length, name, 4);
    front->length += 4;
}

static size_t begin_box(struct front *front, const char *name)
{
    size_t at = front->length;
    put(front, 0, 4);
    put_name(front, name);
    return at;
}

static void end_box(struct front *front, size_t at)
{
    struct front length = {front->data, at};
    put(&length, front->length - at, 4);
}

static uint32_t depth_of(const opj_image_comp_t *c)
{
    return (c->prec - 1) | (c->sgnd ? 0x80U : 0);
}

static void put_image_header(struct front *front, const opj_image_t *image)
{
    uint32_t depth = depth_of(&image->comps[0]);
    for (uint32_t i = 1; i < image->numcomps; i++)
        if (depth_of(&image->comps[i]) != depth_of(&image->comps[0]))
            depth = VARIED;
    size_t at = begin_box(front, "ihdr");
    put(front, image->y1 - image->y0, 4);
    put(front, image->x1 - image->x0, 4);
    put(front, image->numcomps, 2);
    put(front, depth, 1);
    put(front, DEPTH_KNOWN, 1);
    put(front, 0, 2);
    end_box(front, at);
    if (depth != VARIED)
        return;
    at = begin_box(front, "bpcc");
    for (uint32_t i = 0; i < image->numcomps; i++)
        put(front, depth_of(&image->comps[i]), 1);
    end_box(front, at);
}

static uint32_t number_of(OPJ_COLOR_SPACE space)
{
    switch (space) { /* EnumCS (Table I.10, T.801 Table M.25) */
    case OPJ_CLRSPC_SRGB:
        return 16;
    case OPJ_CLRSPC_GRAY:
        return 17;
    case OPJ_CLRSPC_SYCC:
        return 18;
    case OPJ_CLRSPC_EYCC:
        return 24;
    case OPJ_CLRSPC_CMYK:
        return 12;
    default:
        return 0;
    }
}

static void put_colour(struct front *front, const struct openjp2_colours *colours)
{
    size_t at = begin_box(front, "colr");
    put(front, colours->profile ? 2 : 1, 1);
    put(front, 0, 2);
    if (colours->profile) {
        memcpy(front->data + front->length, colours->profile, colours->profile_length);
        front->length += colours->profile_length;
    } else
        put(front, number_of(colours->space), 4);
    end_box(front, at);
}

/* Put the channel definitions: colours first, then one component that is their opacity, and unassociated ones. */
static void put_channels(struct front *front, const struct openjp2_colours *colours, uint32_t count)
{
    uint32_t shown = colours->space == OPJ_CLRSPC_GRAY ? 1 : 3;
    if (colours->opaque == 0)
        return;
    size_t at = begin_box(front, "cdef");
    put(front, count, 2);
    for (uint32_t i = 0; i < count; i++) {
        bool is_opacity = i + 1 == colours->opaque;
        put(front, i, 2);
        put(front, i < shown ? 0 : is_opacity ? OPACITY : UNASSOCIATED, 2);
        put(front, i < shown ? i + 1 : is_opacity ? 0 : UNASSOCIATED, 2);
    }
    end_box(front, at);
}

/* Make everything that precedes the codestream. The box of a long codestream has its length in 8 bytes. */
static bool make_front(struct front *front, const struct openjp2_encoder *e)
{
    const opj_image_t *image = e->image;
    front->data = malloc(256 + 8 * (size_t)image->numcomps + e->colours.profile_length);
    if (!front->data)
        return false;
    size_t at = begin_box(front, "jP  ");
    put(front, 0x0D0A870A, 4);
    end_box(front, at);
    at = begin_box(front, "ftyp");
    put_name(front, "jp2 ");
    put(front, 0, 4);
    put_name(front, "jp2 ");
    end_box(front, at);
    at = begin_box(front, "jp2h");
    put_image_header(front, image);
    put_colour(front, &e->colours);
    put_channels(front, &e->colours, image->numcomps);
    end_box(front, at);
    uint64_t length = (uint64_t)e->output.length + 8;
    put(front, length <= UINT32_MAX ? length : 1, 4);
    put_name(front, "jp2c");
    if (length > UINT32_MAX)
        put(front, length + 8, 8);
    return true;
}

static bool write_all(struct openjp2_stream *stream, const uint8_t *data, size_t length)
{
    for (size_t at = 0; at < length; at += CHUNK)
        if (!openjp2_stream_write(stream, data + at, length - at < CHUNK ? length - at : CHUNK))
            return false;
    return true;
}

bool openjp2_encoder_write(struct openjp2_codec *codec, struct openjp2_stream *stream)
{
    struct openjp2_encoder *e = codec->encoder;
    struct front front = {NULL, 0};
    free(e->front); /* left by a call that longjmp() ended */
    e->front = NULL;
    if (codec->is_jp2 && !make_front(&front, e))
        return openjp2_fail(codec, "there is no memory for the boxes of the file");
    e->front = front.data;
    bool fine = write_all(stream, front.data, front.length) && write_all(stream, e->output.data, e->output.length);
    free(front.data);
    e->front = NULL;
    return fine || openjp2_fail(codec, "the stream did not take the bytes of the file");
}
