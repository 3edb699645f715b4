/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns, mirrors and crops a picture by moving its blocks of coefficients; every coefficient keeps its magnitude. */
#ifndef KOSTKA_JPEG_PLAN_TRANSFORM_H
#define KOSTKA_JPEG_PLAN_TRANSFORM_H

#include "core/pool.h"
#include "jpeg/plan/coefficients.h"

struct jpeg_transform_request {
    kst_transform transform;
    kst_edge edge;
    kst_region crop; /* in pixels of the turned picture */
    bool grey;
};

/*
 * Describes a planned transform of one frame: a transposition, then mirrorings, then a cut. MCUs are those of the
 * result.
 */
struct jpeg_transform {
    struct jpeg_frame frame; /* frame of the result */
    bool transposed;
    uint32_t mirror_w; /* number of whole MCUs from the left that are mirrored left to right; 0: none */
    uint32_t mirror_h; /* number of whole MCUs from the top that are mirrored top to bottom; 0: none */
    uint32_t offset_x; /* number of MCUs that the cut takes off the left */
    uint32_t offset_y; /* number of MCUs that the cut takes off the top */
};

/* Return whether a transform mirrors the columns of the result, and whether it mirrors its rows. */
void kst_jpeg_transform_mirrors(kst_transform transform, bool *columns, bool *rows);

/*
 * Plan a transform of a picture with this frame. Errors are KST_ERROR_OPTIONS (values that no enumeration has),
 * KST_ERROR_REGION, KST_ERROR_JPEG_COLOUR (no luminance of full size to keep) and KST_ERROR_JPEG_NOT_PERFECT.
 */
kst_status kst_jpeg_transform_plan(const struct jpeg_frame *source, const struct jpeg_transform_request *request,
    struct jpeg_transform *transform, kst_report *report);

/* Return whether every block of the result is the block at the same place in the source. */
bool kst_jpeg_transform_is_identity(const struct jpeg_transform *transform);

/*
 * Make the blocks of the result on the threads of the pool. `result` was created for its frame. Blocks that pad the
 * result to whole MCUs are not written.
 */
void kst_jpeg_transform_run(const struct jpeg_transform *transform, const struct jpeg_coefficients *source,
    const struct jpeg_coefficients *result, struct pool *pool);

/*
 * Return the MCU row of the source that has all blocks of MCU row `row` of the result, or with a transposition the
 * column of MCUs that has them. `source` is the source's frame.
 */
uint32_t kst_jpeg_transform_origin(const struct jpeg_transform *t, const struct jpeg_frame *source, uint32_t row);

/*
 * Make one MCU row of the result from a strip that has all of its blocks. Only the components whose bits are set in
 * `components` are made. `result` has room for one MCU row, and holds no other.
 */
void kst_jpeg_transform_row(const struct jpeg_transform *transform, const struct jpeg_frame *source,
    const struct jpeg_strip *strip, uint32_t row, uint32_t components, const struct jpeg_coefficients *result);

#endif
