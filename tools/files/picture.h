/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture between two files: pixels and what goes with them. */
#ifndef KOSTKA_TOOL_PICTURE_H
#define KOSTKA_TOOL_PICTURE_H

#include "tool.h"

/* Components of one size. */
struct plane_shape {
    unsigned width, height, count, depth; /* 1–31 bits */
    bool is_signed;
};

struct blob {
    uint8_t *data; /* from malloc; null: none */
    size_t length;
};

/* How the JPEG file was coded that a picture came from, as the picture is turned. */
struct coded {
    bool known;
    kst_colour colour;
    uint32_t count; /* of components */
    uint32_t width, height;
    uint8_t h[4], v[4];
    uint16_t quant_table[4][64]; /* of each component, in raster order */
};

/*
 * Interleaved samples of up to 16 bits, or planes of up to 31. CMYK is as Adobe's JPEG files hold it, 255 being no ink.
 * The pixels belong to the library where `context` is not null, otherwise they are from malloc.
 */
struct picture {
    kst_image image;
    kst_context *context;
    void *pixels;
    kst_plane *more; /* what image.more is where the pixels are from malloc */
    struct blob icc;
    struct blob exif;
    kst_metadata *extra; /* XMP, comments and segments of JPEG, in their order, with data of their own */
    size_t extra_count;
    struct coded coded;
    kst_density_unit density_unit;
    uint16_t density_x; /* 0: not known */
    uint16_t density_y;
};

void picture_init(struct picture *picture);
void picture_release(struct picture *picture);

/* Make room for width × height pixels of an interleaved format, up to `limit` pixels; rows have no padding. */
bool picture_allocate(struct picture *picture, kst_format format, uint64_t width, uint64_t height, uint32_t depth,
    uint64_t limit, struct problem *problem);

/* Likewise of planes; but grey, and three of a colour, that are unsigned and of up to 16 bits are GREY and RGB. */
bool picture_allocate_planes(
    struct picture *picture, const struct plane_shape *shape, uint64_t limit, struct problem *problem);

/* 1, 2 or 4. */
size_t picture_sample_bytes(const kst_plane *plane);

uint32_t picture_depth(const struct picture *picture);

/* Where row `y` of an interleaved picture, or of plane `index`, begins. */
uint8_t *picture_row(const struct picture *picture, uint32_t index, uint32_t y);

/* `count` samples of 1–16 bits of another depth: one v of maximum m becomes v × M ÷ m, rounded. */
void samples_to_depth(const uint8_t *from, uint32_t from_depth, size_t count, uint8_t *to, uint32_t to_depth);

/* Each becomes what is left to the largest one. */
void samples_invert(uint8_t *samples, size_t count, uint32_t depth);

/* Whether the alpha of all of `count` pixels of red, green, blue and alpha is the largest sample. */
bool pixels_are_opaque(const uint8_t *pixels, size_t count, uint32_t depth);

/* Whether it has no alpha, or alpha that is the largest sample everywhere. */
bool picture_is_opaque(const struct picture *picture);

/* Change to 8 or 16 bits, as samples_to_depth() does. */
bool picture_to_depth(struct picture *picture, uint32_t depth, struct problem *problem);

/*
 * Change to GREY (of GREY only), RGB (of any interleaved format; CMYK as djpeg does, alpha is dropped), RGBA. False
 * where there is no such conversion.
 */
bool picture_to_format(struct picture *picture, kst_format format, struct problem *problem);

/*
 * Change planes of one size and depth, up to 16 bits, to samples without a sign: half the range is added to those that
 * have one. One plane becomes GREY and three become RGB.
 */
bool picture_without_sign(struct picture *picture, uint64_t limit, struct problem *problem);

/* Inks from 255 being none to 255 being all, and back. */
void picture_invert(struct picture *picture);

bool blob_set(struct blob *blob, const void *data, size_t length);
void blob_release(struct blob *blob);

/* Keep a copy of XMP, a comment or a segment. False: out of memory. */
bool picture_keep(struct picture *picture, kst_metadata_kind kind, uint8_t marker, const void *data, size_t length);

/* The first of a kind; null: none. */
const kst_metadata *picture_kept(const struct picture *picture, kst_metadata_kind kind);

#endif
