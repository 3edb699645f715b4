/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the handles of OpenJPEG's interface, opj_codec_t, point to, and what its functions share. */
#ifndef KOSTKA_COMPAT_CODEC_H
#define KOSTKA_COMPAT_CODEC_H

#include <sys/types.h>

#include <openjpeg.h>

#include <kostka/kostka.h>

#include "boxes.h"
#include "headers.h"
#include "source.h"

struct openjp2_encoder;

struct openjp2_handler {
    opj_msg_callback call; /* null: messages of this kind are dropped, as in OpenJPEG */
    void *user;
};

struct openjp2_codec {
    bool decodes, is_jp2;
    struct openjp2_handler info, warning, error;
    int threads; /* the caller's number; 0: that of the environment, otherwise one */
    bool asked;  /* the caller has set a number, which may be 0 */
    kst_context *context;
    uint32_t work; /* the context's limit on work */
    pid_t process; /* which made the context */

    /* The following members are for decoding. */
    bool set_up;   /* opj_setup_decoder() was called */
    bool has_read; /* the headers have been read */
    bool lenient;  /* strict mode is off */
    bool raw;      /* palette and channel definitions are not applied */
    uint32_t reduce, layers;
    struct openjp2_file file;
    struct openjp2_headers headers;
    struct openjp2_source source;
    kst_decoder *decoder;
    uint32_t *selected; /* the components that are decoded, in the caller's order; null: all */
    uint32_t selected_count;
    uint32_t tile_x0, tile_y0, tile_x1, tile_y1; /* columns and rows of the area's tiles; the ends are exclusive */
    uint32_t tile;                               /* the tile whose header opj_read_tile_header() has read last */
    uint32_t next_tile;                          /* where that function continues, as an index of the area's tiles */
    bool tile_is_ready;

    struct openjp2_encoder *encoder;
};

/* Return the codec of a handle if it decodes, or if it encodes; otherwise null. */
struct openjp2_codec *openjp2_decoder_of(opj_codec_t *handle);
struct openjp2_codec *openjp2_encoder_of(opj_codec_t *handle);

/* Make the context, unless there is one with this limit on work. Complains on failure. */
bool openjp2_context(struct openjp2_codec *codec, uint32_t work);

/* Pass a line to the handler of information, warnings or errors. A newline is added. openjp2_fail() returns false. */
__attribute__((format(printf, 2, 3))) void openjp2_inform(const struct openjp2_codec *codec, const char *format, ...);
__attribute__((format(printf, 2, 3))) void openjp2_warn(const struct openjp2_codec *codec, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool openjp2_fail(const struct openjp2_codec *codec, const char *format, ...);

/* Return an image as the headers describe it, without memory for its components; null if out of memory. */
opj_image_t *openjp2_image_of(const struct openjp2_codec *codec);

/* Compute the area of a tile on the reference grid. */
void openjp2_tile_area(
    const struct openjp2_headers *headers, uint32_t tile, uint32_t *x0, uint32_t *y0, uint32_t *x1, uint32_t *y1);

/*
 * Set the offsets and sizes of components according to the image's area on the reference grid. Returns false if one is
 * invalid.
 */
bool openjp2_place_components(const struct openjp2_codec *codec, opj_image_t *image);

/* Decode the image's area, from all tiles or from one, to newly allocated memory of its components. */
bool openjp2_decode_image(
    struct openjp2_codec *codec, struct openjp2_stream *stream, opj_image_t *image, uint32_t tile);

/* Decode a tile to memory with one component after the other, in samples of 1, 2 or 4 bytes. */
bool openjp2_decode_packed(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t tile, uint8_t *to);

/* Return the bytes of a tile's component as openjp2_decode_packed() stores it, and in *width the samples of a row. */
uint64_t openjp2_packed_size(const struct openjp2_codec *codec, uint32_t component, uint32_t tile, uint32_t *width);

/* Apply the palette and the channel definitions of the file to the decoded image, and set its colour space. */
bool openjp2_apply_colour(struct openjp2_codec *codec, opj_image_t *image);

static inline uint32_t openjp2_ceil_div(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

static inline uint32_t openjp2_ceil_shift(uint32_t a, uint32_t bits)
{
    return bits >= 32 ? a != 0 : (uint32_t)(((uint64_t)a + ((uint64_t)1 << bits) - 1) >> bits);
}

#endif
