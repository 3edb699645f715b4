/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the pixels of TIFF files. */
#ifndef KOSTKA_TOOL_TIFF_PIXELS_H
#define KOSTKA_TOOL_TIFF_PIXELS_H

#include "files/tiff/bytes.h"

/* Holds the tags that describe how samples are stored. */
struct tiff_layout {
    uint32_t width;
    uint32_t height;
    uint32_t block_width; /* the width of tiles, or of the picture */
    uint32_t block_rows;  /* rows of tiles or strips, at most those of the picture */
    uint16_t bits;
    uint16_t channels; /* in the file, extra ones included */
    uint16_t photometric;
    uint16_t planar;
    uint16_t extra;
    uint16_t sample; /* SAMPLEFORMAT_… */
    uint16_t orientation;
    bool tiled;
    kst_format format; /* RAW: planes; AUTO: a format that is not read sample by sample */
};

/* Describes a file that is being read. */
struct tiff_reader {
    TIFF *tiff;
    struct tiff_layout layout;
    const struct file_settings *settings;
    struct picture *picture; /* receives the pixels, */
    uint32_t top;            /* from this row of the file on */
    struct problem *problem;
};

bool tiff_layout_get(TIFF *tiff, struct tiff_layout *layout, struct problem *problem);

/* Return the format that libtiff's own conversion gives to pixels that are not read sample by sample. */
kst_format tiff_converted_format(const struct tiff_layout *layout);

/* Return the depth of the picture's samples. */
uint32_t tiff_depth(const struct tiff_layout *layout);

/* Return whether samples that are read one by one must be inverted. */
bool tiff_is_inverted(const struct tiff_layout *layout);

/* Make the picture, and read all of its pixels. On failure the problem may have no text. */
bool tiff_read_pixels(struct tiff_reader *reader);

/*
 * Return the number of bytes of the buffer through which a band is read, if bands can be read one after the other from
 * the top. A band is a row, or the rows of a tile or strip. 0: bands cannot be read.
 */
uint64_t tiff_band_unit(const struct tiff_reader *reader);
uint32_t tiff_band_rows(const struct tiff_layout *layout);

/* Read the band that begins at row `top` into the picture. */
bool tiff_read_band(const struct tiff_reader *reader, uint8_t *unit);

#endif
