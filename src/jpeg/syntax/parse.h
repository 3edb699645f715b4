/* SPDX-License-Identifier: BSD-2-Clause */
/* From the bytes of a JPEG stream to a plan: every check of its markers happens behind this. */
#ifndef KOSTKA_JPEG_SYNTAX_PARSE_H
#define KOSTKA_JPEG_SYNTAX_PARSE_H

#include "core/memory.h"
#include "core/pool.h"
#include "jpeg/plan/plan.h"
#include "jpeg/syntax/metadata.h"

/* The headers that say how to read the samples. */
struct jpeg_headers {
    bool has_jfif;
    struct jpeg_jfif jfif;
    bool has_adobe;
    uint8_t adobe_transform;
};

struct jpeg_stream {
    struct jpeg_plan plan;
    struct jpeg_headers headers;
    struct jpeg_marker_segment *application; /* APPn and COM */
    uint32_t application_count;
    uint64_t start; /* offset of SOI */
    uint64_t end;   /* where reading ended: behind EOI, if there is one */
    bool whole;     /* it ended with EOI */
    uint32_t markers;
    bool presumed; /* where the data of the only scan end, see kst_jpeg_parse_presuming() */
};

/*
 * Where SOI stands: at the beginning, behind at most 16 fill bytes 0xFF (B.1.1.2). SIZE_MAX: the data are no JPEG
 * stream.
 */
size_t kst_jpeg_find_start(const uint8_t *data, size_t length);

/*
 * Parse a stream, all markers to EOI. Borrows `data`. Warnings are counted in `report`. On failure nothing is left
 * allocated and the report holds the error.
 */
kst_status kst_jpeg_parse(struct memory *memory, const kst_limits *limits, const uint8_t *data, size_t length,
    struct jpeg_stream *stream, kst_report *report);

/* The same with threads at hand (null: none). */
kst_status kst_jpeg_parse_on(struct pool *threads, struct memory *memory, const kst_limits *limits, const uint8_t *data,
    size_t length, struct jpeg_stream *stream, kst_report *report);

/*
 * The same without a look at the data of a sequential scan without restart markers, where the stream ends with EOI:
 * that this is the first marker behind them is presumed, as the stream then says, until kst_jpeg_confirm().
 */
kst_status kst_jpeg_parse_presuming(struct pool *threads, struct memory *memory, const kst_limits *limits,
    const uint8_t *data, size_t length, struct jpeg_stream *stream, kst_report *report);

/*
 * Look at the data that was left out. True: the plan and the report are what they would have been, and its scan's
 * `fill` is now, too. False: nothing in them may be believed.
 */
bool kst_jpeg_confirm(struct pool *threads, struct jpeg_stream *stream);

void kst_jpeg_stream_release(struct memory *memory, struct jpeg_stream *stream);

#endif
