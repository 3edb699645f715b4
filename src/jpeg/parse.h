/* SPDX-License-Identifier: BSD-2-Clause */
/* From the bytes of a JPEG stream to a plan: every check of its markers happens behind this. */
#ifndef KOSTKA_JPEG_PARSE_H
#define KOSTKA_JPEG_PARSE_H

#include "core/memory.h"
#include "jpeg/plan.h"

/* An APPn or COM segment as it stands in the stream. */
struct jpeg_application {
    uint8_t marker;
    uint64_t offset; /* of the contents, behind the length */
    uint32_t length; /* of the contents */
};

/* The headers that say how to read the samples. */
struct jpeg_headers {
    bool jfif;
    uint16_t jfif_version; /* major × 256 + minor */
    uint8_t density_unit;
    uint16_t density_x, density_y;
    bool adobe;
    uint8_t adobe_transform;
};

struct jpeg_stream {
    struct jpeg_plan plan;
    struct jpeg_headers headers;
    struct jpeg_application *application;
    uint32_t application_count;
    uint64_t start; /* offset of SOI */
};

/*
 * Parse a stream, all markers to EOI. Borrows `data`. Warnings are counted in `report`. On failure nothing is left allocated
 * and the report holds the error.
 */
kst_status kst_jpeg_parse(struct memory *memory, const kst_limits *limits, const uint8_t *data, size_t length,
    struct jpeg_stream *stream, kst_report *report);

void kst_jpeg_stream_release(struct memory *memory, struct jpeg_stream *stream);

#endif
