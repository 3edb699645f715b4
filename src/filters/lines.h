/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the listing of the segments that a chain which ends with the filter `lines` finds. */
#ifndef KOSTKA_FILTERS_LINES_H
#define KOSTKA_FILTERS_LINES_H

#include "filters/run.h"

/*
 * Apply all filters before `lines`, which is the last one, to an image in any memory, and list the segments that it
 * would draw. The caller releases them with the context's memory. Returns the errors of kst_filter_run().
 */
kst_status kst_filter_lines_list(
    const kst_filter *filter, const kst_image *from, kst_segments *segments, kst_report *report);

#endif
