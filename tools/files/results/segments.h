/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares files of straight lines, which the filter `lines` finds: SVG, CSV and JSON. */
#ifndef KOSTKA_TOOL_FILES_SEGMENTS_H
#define KOSTKA_TOOL_FILES_SEGMENTS_H

#include <kostka/kostka_filter.h>

#include "files/files.h"

/* Holds lines, and the size of the picture that they lie in. */
struct segments {
    struct extent extent;
    size_t count;
    kst_segment segment[];
};

/* Set picture->segments to the lines that a chain finds. The picture's pixels do not change. */
kst_status segments_find(struct picture *picture, kst_context *context, const kst_filter *filter, kst_report *report);

/* Write the lines that were found. */
bool segments_write_svg(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);
bool segments_write_csv(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);
bool segments_write_json(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
