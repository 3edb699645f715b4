/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the straight lines that the filter `lines` finds, as SVG, CSV or JSON. */
#include "files/results/segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 512 /* bytes for the text of a line, or of what precedes the lines */ };

kst_status segments_find(struct picture *picture, kst_context *context, const kst_filter *filter, kst_report *report)
{
    kst_segments found = {.segment = NULL};
    kst_image described;
    kst_status status = kst_filter_describe(filter, &picture->image, &described, report);

    if (!status)
        status = kst_filter_segments(filter, &picture->image, &found, report);
    if (status)
        return status;
    size_t bytes = found.count * sizeof *found.segment;
    struct segments *made = malloc(sizeof *made + bytes);
    if (made != NULL) {
        made->extent = (struct extent){described.width, described.height};
        made->count = found.count;
        if (bytes > 0)
            memcpy(made->segment, found.segment, bytes);
    }
    kst_filter_segments_release(context, &found);
    free(picture->segments);
    picture->segments = made;
    return made != NULL ? KST_OK : KST_ERROR_MEMORY;
}

/* Says how a format is written. The functions format text, and return its length. */
struct segments_style {
    int (*begin)(char *text, size_t room, struct extent extent);
    int (*line)(char *text, size_t room, const kst_segment *segment);
    const char *between, *end;
};

static bool write_all(
    struct output *output, const struct picture *picture, const struct segments_style *style, struct problem *problem)
{
    const struct segments *segments = picture->segments;
    char text[ROOM];

    if (segments == NULL)
        return problem_set(problem, "no straight lines were asked for, which 'kostka filter lines' finds");
    int length = style->begin(text, sizeof text, segments->extent);
    bool good = output_write(output, text, (size_t)length, problem);
    for (size_t i = 0; i < segments->count && good; i++) {
        length = style->line(text, sizeof text, &segments->segment[i]);
        good = (i == 0 || output_write(output, style->between, strlen(style->between), problem)) &&
               output_write(output, text, (size_t)length, problem);
    }
    return good && output_write(output, style->end, strlen(style->end), problem);
}

/* Coordinates are those of pixels' centres; SVG counts from a corner of the pixel. */
static int svg_start(char *text, size_t room, struct extent extent)
{
    return snprintf(text, room,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %" PRIu32 " %" PRIu32 "'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n"
        "<path transform='translate(0.5 0.5)' fill='none' stroke='black' d='",
        extent.width, extent.height);
}

static int svg_segment(char *text, size_t room, const kst_segment *own)
{
    return snprintf(text, room, "M%" PRId32 " %" PRId32 "L%" PRId32 " %" PRId32, own->x0, own->y0, own->x1, own->y1);
}

static int csv_start(char *text, size_t room, struct extent extent)
{
    (void)extent;
    return snprintf(text, room, "x0,y0,x1,y1\n");
}

static int csv_segment(char *text, size_t room, const kst_segment *own)
{
    return snprintf(
        text, room, "%" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32 "\n", own->x0, own->y0, own->x1, own->y1);
}

static int json_start(char *text, size_t room, struct extent extent)
{
    return snprintf(
        text, room, "{\"width\": %" PRIu32 ", \"height\": %" PRIu32 ", \"segments\": [", extent.width, extent.height);
}

static int json_segment(char *text, size_t room, const kst_segment *own)
{
    return snprintf(
        text, room, "[%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 "]", own->x0, own->y0, own->x1, own->y1);
}

bool segments_write_svg(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    static const struct segments_style style = {svg_start, svg_segment, "\n", "'/>\n</svg>\n"};
    (void)settings;
    return write_all(output, picture, &style, problem);
}

bool segments_write_csv(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    static const struct segments_style style = {csv_start, csv_segment, "", ""};
    (void)settings;
    return write_all(output, picture, &style, problem);
}

bool segments_write_json(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    static const struct segments_style style = {json_start, json_segment, ",\n", "]}\n"};
    (void)settings;
    return write_all(output, picture, &style, problem);
}
