/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares files of straight lines, which the filter `lines` finds: SVG, CSV and JSON. */
#ifndef KOSTKA_TOOL_FILES_SEGMENTS_H
#define KOSTKA_TOOL_FILES_SEGMENTS_H

#include <kostka/kostka_filter.h>

#include "files/files.h"

/* Lines, and the size of the picture that they lie in. */
struct segments {
    struct extent extent;
    size_t count;
    kst_segment segment[];
};

/* Return whether files of the format hold lines instead of pixels. */
bool segments_wanted(const struct file_format *format);

/* Let picture->segments be those that a chain finds. The picture's pixels stay as they are. */
kst_status segments_find(struct picture *picture, kst_context *context, const kst_filter *filter, kst_report *report);

#endif
