/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the formats for what filters find in a picture: counts of its samples, or straight lines. */
#include "files/results/counts.h"
#include "files/results/segments.h"

static bool write_json(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return (settings->counts ? counts_write_json : segments_write_json)(output, picture, settings, problem);
}

static bool write_csv(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return (settings->counts ? counts_write_csv : segments_write_csv)(output, picture, settings, problem);
}

const struct file_format file_json = {"json", {"json"}, KST_FORMAT_AUTO, NULL, NULL, write_json, NULL, NULL};
const struct file_format file_csv = {"csv", {"csv"}, KST_FORMAT_AUTO, NULL, NULL, write_csv, NULL, NULL};
const struct file_format file_svg = {"svg", {"svg"}, KST_FORMAT_AUTO, NULL, NULL, segments_write_svg, NULL, NULL};

bool file_holds_results(const struct file_format *format)
{
    return format == &file_json || format == &file_csv || format == &file_svg;
}
