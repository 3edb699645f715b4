/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a picture is decoded line by line while its bytes arrive. A sequential scan is decoded as far as its
 * bytes go; all other pictures are decoded from their coefficients once these are complete.
 */
#ifndef KOSTKA_JPEG_CPU_LINES_H
#define KOSTKA_JPEG_CPU_LINES_H

#include "core/operation.h"
#include "jpeg/cpu/band.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/lines_ahead.h"

struct jpeg_arriving {
    struct jpeg_plan plan; /* a single scan has the segments that have arrived; they are this structure's own */
    struct jpeg_output output;
    struct jpeg_dsp dsp;
    struct jpeg_making making;
    struct jpeg_source source;
    struct jpeg_entropy entropy; /* of a single scan */
    struct jpeg_blocks blocks;   /* of any other picture */
    struct jpeg_band band;
    size_t seen;               /* up to here the data were searched for markers */
    size_t interval_from;      /* offset at which the data of the last restart interval that has begun start */
    uint32_t interval;         /* its number */
    uint32_t segment_capacity; /* of plan.segment */
    bool ended;                /* all data of the scan have arrived */
    size_t end;                /* once `ended`: the offset at which they end */
    bool started;              /* the band's cursor is at the start of a row */
    size_t row_length;         /* bytes that the last row took; 0: there is none */
    uint32_t next;             /* the next line to be written */
    struct jpeg_rows_made made;
    struct jpeg_lines_ahead ahead;
};

/*
 * Begin a picture. The plan must outlive the lines; of a single scan its segments are ignored, and its data may move
 * (kst_jpeg_cpu_lines_extend()). `data_from`: offset of the scan's data. After an error nothing is held.
 */
kst_status kst_jpeg_cpu_lines_begin(const struct operation *op, struct jpeg_arriving *lines,
    const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image, size_t data_from);
void kst_jpeg_cpu_lines_release(struct memory *memory, struct jpeg_arriving *lines);

/*
 * Extend what has arrived to the first `length` bytes of the stream, which are now at `data`; with `whole` there will
 * be no more.
 */
kst_status kst_jpeg_cpu_lines_extend(
    struct memory *memory, struct jpeg_arriving *lines, const uint8_t *data, size_t length, bool whole);

/*
 * Write the next lines, at most `count`. *done receives how many these are. Fewer are written at the end and if bytes
 * are missing. Returns KST_OK or the first warning.
 */
kst_status kst_jpeg_cpu_lines_read(struct jpeg_arriving *lines, void *const *rows, uint32_t count, uint32_t *done);

/* Decode the next MCU row of what arrives if its data are there and sound, and say what has become known. */
void kst_jpeg_cpu_lines_make(struct jpeg_arriving *lines, struct jpeg_rows_made *made);

/*
 * Return the number of bytes that are left of a single scan whose MCUs have all been decoded: those of its last
 * interval, and all that have arrived behind a restart marker that is one too many. Of several scans: those behind the
 * last MCU of each.
 */
uint64_t kst_jpeg_cpu_lines_left(const struct jpeg_arriving *lines);

#endif
