/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the search for straight segments along edges. */
#ifndef KOSTKA_FILTERS_CPU_SEGMENTS_H
#define KOSTKA_FILTERS_CPU_SEGMENTS_H

#include "filters/filter.h"

/* Holds segments that have been found. The caller releases the array. */
struct filter_segments {
    struct memory *memory;
    kst_segment *segment;
    size_t count, room;
};

/* Says how far chains may lie from their segments, in sixteenths of a pixel up to 256, and the least length of a
 * segment. */
struct filter_segments_fit {
    int32_t tolerance;
    int32_t least;
};

/* Names the parameters of `lines`. */
enum filter_lines_parameter { FILTER_LINES_LOW, FILTER_LINES_HIGH, FILTER_LINES_NEAR, FILTER_LINES_LENGTH };

struct filter_segments_fit kst_filter_segments_fit_of(const struct filter_value *value);

/* Return the room, in segments, of the list that a device makes for an image of `pixels` pixels, up to 2^30. */
uint32_t kst_filter_lines_room(uint64_t pixels);

/* Find the segments of edges (pixels that are not 0) on the work's threads. The caller has set found->memory. */
kst_status kst_filter_segments_find(const struct filter_work *work, const struct filter_pixels *edges,
    const struct filter_segments_fit *fit, struct filter_segments *found);

#endif
