/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the plan of a JPEG stream: the result of parsing its markers, which any executor can carry out. It does not
 * change once it is parsed. Every index in it is valid and every offset lies inside the stream.
 */
#ifndef KOSTKA_JPEG_PLAN_PLAN_H
#define KOSTKA_JPEG_PLAN_PLAN_H

#include "jpeg/plan/frame.h"
#include "jpeg/plan/huffman.h"

/* Describes a piece of entropy-coded data without markers; the stuffed zero bytes are still in it. */
struct jpeg_segment {
    uint64_t offset; /* in the stream */
    uint64_t length;
    /* Number of the restart interval that it holds; ascending. Intervals without a segment are lost. */
    uint32_t interval;
    uint32_t reserved;
};

struct jpeg_scan {
    uint8_t component_count; /* 1–4 */
    uint8_t component[JPEG_COMPONENTS];
    uint8_t ss, se, ah, al;
    /* Holds, for each component, an index into plan.huffman, which is valid if the scan needs the table. */
    uint16_t dc_table[JPEG_COMPONENTS];
    uint16_t ac_table[JPEG_COMPONENTS];
    uint32_t restart_interval; /* in MCUs; 0: no restart markers */
    uint32_t interval_count;   /* number of restart intervals that the scan must have, at least 1 */
    uint32_t first_segment;    /* index into plan.segment */
    uint32_t segment_count;    /* 0 … interval_count */
    uint32_t fill;             /* length of the longest run of bytes 0xFF in its data */
    uint32_t reserved;
    uint64_t offset; /* offset of its SOS marker */
    struct jpeg_scan_geometry geometry;
};

struct jpeg_plan {
    const uint8_t *data; /* borrowed */
    size_t length;
    struct jpeg_frame frame;
    struct jpeg_huffman *huffman; /* every table that a scan uses, each once */
    uint32_t huffman_count;
    struct jpeg_scan *scan;
    uint32_t scan_count; /* at least 1 */
    struct jpeg_segment *segment;
    uint32_t segment_count;
    /*
     * For progressive streams: the bit position down to which each coefficient (zig-zag index) of each component is
     * known at the end, −1 if no scan held it; and the same before the last scan of the component.
     */
    int8_t known[JPEG_COMPONENTS][64];
    int8_t known_before[JPEG_COMPONENTS][64];
    bool single_scan; /* one sequential scan holds all components, so decoding need not store coefficients */
};

#endif
