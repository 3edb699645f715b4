/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the main header of a codestream says (T.800 Annex A). */
#ifndef KOSTKA_COMPAT_HEADERS_H
#define KOSTKA_COMPAT_HEADERS_H

#include <openjpeg.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct openjp2_codec;

/* Holds the parameters of a component: those of COD and QCD, or of its COC, QCC and RGN. */
struct openjp2_component {
    uint32_t dx, dy, depth;
    bool is_signed;
    opj_tccp_info_t coding;
};

struct openjp2_headers {
    uint32_t x0, y0, x1, y1; /* the picture on the reference grid */
    uint32_t tile_x, tile_y, tile_width, tile_height;
    uint32_t columns, rows;
    uint32_t count; /* of components */
    struct openjp2_component *component;
    uint32_t style; /* Scod */
    OPJ_PROG_ORDER progression;
    uint32_t layers, transform;
    bool has_packed; /* PPM: packet headers are in the main header */
};

/* Describes a marker segment of a header. */
struct openjp2_segment {
    uint32_t marker;
    size_t at, length; /* offset in the header's bytes; length including the marker */
};

/* Find the segment at `at`. Returns false behind the last one. */
bool openjp2_segment_next(const uint8_t *data, size_t length, size_t at, struct openjp2_segment *segment);

/* Read a main header, from SOC on. Complains about what Kostka cannot decode or the interface cannot express. */
bool openjp2_headers_read(
    const struct openjp2_codec *codec, const uint8_t *data, size_t length, struct openjp2_headers *headers);

void openjp2_headers_release(struct openjp2_headers *headers);

#endif
