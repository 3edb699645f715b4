/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a picture on its way from one file to another: pixels and metadata. */
#ifndef KOSTKA_TOOL_PICTURE_H
#define KOSTKA_TOOL_PICTURE_H

#include "tool.h"

/* Describes components of one size. */
struct plane_shape {
    unsigned width, height, count, depth; /* 1–31 bits */
    bool is_signed;
};

struct blob {
    uint8_t *data; /* from malloc; null: none */
    size_t length;
};

/* Says how the JPEG file was coded that the picture was read from. If the picture was turned, so is this. */
struct coded {
    bool known;
    kst_colour colour;
    uint32_t count; /* of components */
    uint32_t width, height;
    uint8_t h[4], v[4];
    uint16_t quant_table[4][64]; /* of each component, in raster order */
};

struct pending;  /* files/relayed.h */
struct segments; /* files/segments.h */

struct extent {
    uint32_t width, height;
};

/*
 * Describes a picture: interleaved samples of up to 16 bits, or planes of up to 31 bits. CMYK is as in Adobe's JPEG
 * files, where the largest sample is no ink. The pixels belong to the library if `context` is not null; otherwise they
 * are from malloc.
 */
struct picture {
    kst_image image;
    kst_context *context;
    void *pixels;
    kst_plane *more; /* the memory of image.more if the pixels are from malloc */
    struct blob icc;
    struct blob exif;
    kst_metadata *extra; /* XMP, comments and segments of JPEG, in their order, with data of their own */
    size_t extra_count;
    struct coded coded;
    struct segments *segments; /* from malloc: lines that the filter `lines` has found; null: it was not in the chain */
    bool sized;                /* the picture has the size that was asked for */
    bool filtered;             /* the wanted filters have been applied, or will be before the picture is encoded */
    struct pending *pending;   /* from malloc: how to decode it; `image` has no pixels yet. Null: it is decoded */
    struct extent
        draft_of; /* full size of a picture that was decoded at a reduced size for --draft; width 0: it was not */
    kst_density_unit density_unit;
    uint16_t density_x; /* 0: not known */
    uint16_t density_y;
};

void picture_init(struct picture *picture);
void picture_release(struct picture *picture);
void picture_release_pixels(struct picture *picture); /* the metadata stay */

/* Make room for width × height pixels of an interleaved format, up to `limit` pixels; rows have no padding. */
bool picture_allocate(struct picture *picture, kst_format format, uint64_t width, uint64_t height, uint32_t depth,
    uint64_t limit, struct problem *problem);

/* Make room for planes. One unsigned plane of up to 16 bits becomes GREY instead, and three become RGB. */
bool picture_allocate_planes(
    struct picture *picture, const struct plane_shape *shape, uint64_t limit, struct problem *problem);

/* Return the bytes of a sample: 1, 2 or 4. */
size_t picture_sample_bytes(const kst_plane *plane);

uint32_t picture_depth(const struct picture *picture);

/* Return where row `y` of an interleaved picture, or of plane `index`, begins. */
uint8_t *picture_row(const struct picture *picture, uint32_t index, uint32_t y);

/* Convert `count` samples of 1–16 bits to another depth: v of maximum m becomes v × M ÷ m, rounded. */
void samples_to_depth(const uint8_t *from, uint32_t from_depth, size_t count, uint8_t *to, uint32_t to_depth);

/* Invert samples: each becomes its difference from the largest value. */
void samples_invert(uint8_t *samples, size_t count, uint32_t depth);

/* Return whether the alpha of `count` RGBA pixels is always the largest value. */
bool pixels_are_opaque(const uint8_t *pixels, size_t count, uint32_t depth);

/* Return whether the picture has no alpha, or alpha that is the largest sample everywhere. */
bool picture_is_opaque(const struct picture *picture);

/* Change to 8 or 16 bits, as samples_to_depth() does. */
bool picture_to_depth(struct picture *picture, uint32_t depth, struct problem *problem);

/*
 * Convert to GREY (from GREY only), RGB (from any interleaved format; CMYK as djpeg does it, alpha is dropped) or RGBA.
 * Returns false if there is no such conversion.
 */
bool picture_to_format(struct picture *picture, kst_format format, struct problem *problem);

/*
 * Convert planes of one size and depth, up to 16 bits, to unsigned samples: half the range is added to signed ones. One
 * plane becomes GREY, and three become RGB.
 */
bool picture_without_sign(struct picture *picture, uint64_t limit, struct problem *problem);

/* Invert inks, so that the largest sample means full ink instead of no ink, or the reverse. */
void picture_invert(struct picture *picture);

bool blob_set(struct blob *blob, const void *data, size_t length);
void blob_release(struct blob *blob);

/* Keep a copy of XMP, a comment or a segment. Returns false if out of memory. */
bool picture_keep(struct picture *picture, kst_metadata_kind kind, uint8_t marker, const void *data, size_t length);

/* Return the first metadata of a kind; null if there is none. */
const kst_metadata *picture_kept(const struct picture *picture, kst_metadata_kind kind);

#endif
