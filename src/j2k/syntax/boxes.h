/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the boxes of a JP2 file (T.800 Annex I): where they are, and their information about size, colour, palette and
 * channels.
 */
#ifndef KOSTKA_J2K_SYNTAX_BOXES_H
#define KOSTKA_J2K_SYNTAX_BOXES_H

#include "core/operation.h"

#define J2K_BOX(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum j2k_colour_method {
    J2K_COLOUR_NONE = 0,
    J2K_COLOUR_ENUMERATED = 1,
    J2K_COLOUR_ICC = 2,
    J2K_COLOUR_FULL_ICC = 3,
    J2K_COLOUR_POINTS = 5 /* code points of H.273 (T.814 Annex D) */
};

enum { /* EnumCS (Table I.10, and T.801 Table M.25 for CMYK) */
    J2K_COLOUR_SPACE_CMYK = 12,
    J2K_COLOUR_SPACE_SRGB = 16,
    J2K_COLOUR_SPACE_GREY = 17,
    J2K_COLOUR_SPACE_SYCC = 18
};

/*
 * Describes one box, at top level or inside a superbox. Boxes are listed in the order of the file. Offset and length
 * are those of the contents.
 */
struct j2k_box {
    uint32_t type;
    uint8_t depth; /* 0: at top level */
    uint64_t offset, length;
};

struct j2k_resolution_box {
    bool present;
    uint16_t numerator[2], denominator[2]; /* vertical, horizontal: samples per metre */
    int8_t exponent[2];
};

/* Describes an entry of cdef (I.5.3.6); the next struct describes one of cmap (I.5.3.5). */
struct j2k_channel_definition {
    uint16_t channel;
    uint16_t type;        /* 0 colour, 1 opacity, 2 premultiplied opacity, 65,535 unspecified */
    uint16_t association; /* 0 the whole picture, n colour n, 65,535 none */
};

struct j2k_channel_mapping {
    uint16_t component;
    uint8_t type;   /* 0 direct, 1 through the palette */
    uint8_t column; /* column of the palette */
};

struct j2k_palette {
    uint16_t entries; /* 1–1,024; 0: there is no palette */
    uint8_t columns;  /* 1–255 */
    uint64_t depths;  /* offset of each column's depth byte: bits − 1, plus 0x80 if signed */
    /* Offset of the entries. Each entry is a row of big-endian numbers, each of as many bytes as its depth needs. */
    uint64_t values;
    uint32_t row; /* bytes of one entry */
};

struct j2k_file {
    bool present;    /* true: a JP2 file; false: a bare codestream */
    uint32_t brand;  /* brand in ftyp */
    bool has_header; /* ihdr was found */
    uint64_t header; /* offset of the contents of ihdr */
    uint32_t width, height;
    uint16_t components;
    uint8_t bits;    /* BPC of ihdr: bits − 1, plus 0x80 if signed; 255: bpcc contains the depths */
    uint64_t depths; /* offset of the contents of bpcc: bytes in the form of BPC */
    uint32_t depth_count;
    bool unknown_colour;
    enum j2k_colour_method colour_method; /* method of the first colr that can be used */
    uint32_t colour_space;                /* EnumCS, if the method is J2K_COLOUR_ENUMERATED */
    uint64_t icc_offset, icc_length;
    kst_code_points points; /* those of the first colr that has any, whether or not they are the method */
    struct j2k_palette palette;
    uint64_t mappings; /* offset of cmap's entries, four bytes each: use kst_j2k_mapping() */
    uint32_t mapping_count;
    uint64_t definitions; /* offset of cdef's entries, six bytes each: use kst_j2k_definition() */
    uint32_t definition_count;
    struct j2k_resolution_box capture, display;
    struct j2k_box *box;
    uint32_t box_count, box_capacity;
    uint64_t codestream, codestream_length; /* contents of the first jp2c */
};

/*
 * Read the boxes of `data`, which begin with a signature box. Damage to a box other than the codestream's is a warning.
 * Fails with KST_ERROR_J2K_NO_CODESTREAM if there is no codestream, or if a limit is reached.
 */
kst_status kst_j2k_boxes_parse(const struct operation *op, const uint8_t *data, size_t length, struct j2k_file *file);

/*
 * Return the colour that code points stand for, if samples of it can be decoded: RGB (its grey, too) or YCbCr of
 * BT.601, in the full range; otherwise KST_COLOUR_UNKNOWN.
 */
kst_colour kst_j2k_points_colour(const kst_code_points *points);

struct j2k_channel_mapping kst_j2k_mapping(const uint8_t *data, const struct j2k_file *file, uint32_t index);
struct j2k_channel_definition kst_j2k_definition(const uint8_t *data, const struct j2k_file *file, uint32_t index);

/*
 * Return the number of bits of a palette's column, 1–38; and with the next function a value of the column,
 * zero-extended, or sign-extended if the column is signed.
 */
uint8_t kst_j2k_palette_depth(const uint8_t *data, const struct j2k_palette *palette, uint32_t column, bool *is_signed);
int64_t kst_j2k_palette_value(const uint8_t *data, const struct j2k_palette *palette, uint32_t entry, uint32_t column);

#endif
