/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the formats of what filters find out about a picture. */
#include "files/segments.h"

const struct file_format file_svg = {"svg", {"svg"}, KST_FORMAT_AUTO, NULL, NULL, segments_write_svg, NULL, NULL};
const struct file_format file_csv = {"csv", {"csv"}, KST_FORMAT_AUTO, NULL, NULL, segments_write_csv, NULL, NULL};
const struct file_format file_json = {"json", {"json"}, KST_FORMAT_AUTO, NULL, NULL, segments_write_json, NULL, NULL};

bool file_holds_results(const struct file_format *format)
{
    return format == &file_svg || format == &file_csv || format == &file_json;
}
