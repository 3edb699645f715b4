/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the boxes of a JP2 file say about the picture (T.800 Annex I). */
#ifndef KOSTKA_COMPAT_BOXES_H
#define KOSTKA_COMPAT_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"

struct openjp2_codec;

/* Describes a channel that comes from a component or the palette (cmap). */
struct openjp2_mapping {
    uint32_t component;
    uint8_t kind, column; /* kind 0: the component itself; 1: its samples through a column of the palette */
};

/* Describes what a channel means (cdef). */
struct openjp2_definition {
    uint16_t channel, kind, association;
};

struct openjp2_file {
    bool has_header, has_image, has_colour;
    uint32_t colour;  /* EnumCS; 0: another method */
    uint8_t *profile; /* an ICC profile; or, with a length of 0, the nine numbers of CIELab */
    uint32_t profile_length;
    uint32_t entries; /* entries of the palette; 0: there is none */
    uint32_t columns;
    uint8_t *column_depth;           /* bit 7: signed; the lower ones: depth − 1 */
    int32_t *palette;                /* entries × columns */
    struct openjp2_mapping *mapping; /* of each column; null: no cmap */
    struct openjp2_definition *definition;
    uint32_t definitions;
};

/* Read boxes up to the codestream, where the stream is positioned afterwards. Complains on failure. */
bool openjp2_file_read(struct openjp2_codec *codec, struct openjp2_stream *stream);

void openjp2_file_release(struct openjp2_file *file);

#endif
