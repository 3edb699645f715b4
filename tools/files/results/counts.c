/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes how often each sample of a picture occurs, as JSON and as CSV. The picture may lie in a device's memory. */
#include "files/results/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "print/json.h"

enum { CHANNELS = 4, NUMBER = 12 /* the most characters of a number in CSV, with its separator */ };

struct counts {
    uint32_t *count; /* of each sample of a channel, channel after channel */
    size_t bins;
    uint32_t channels;
    const char *name[CHANNELS];
};

/* Set the names of the channels, in the order in which they are interleaved. */
static void name_channels(kst_format format, struct counts *counts)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    bool reversed = format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA;

    counts->channels = kst_format_channels(format);
    for (uint32_t c = 0; c < counts->channels && c < CHANNELS; c++)
        counts->name[c] = counts->channels == 1 ? "grey" : names[reversed && c < 3 ? 2 - c : c];
}

static bool take_counts(
    const struct picture *picture, const struct file_settings *settings, struct counts *counts, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    *counts = (struct counts){.bins = (size_t)1 << (picture_depth(picture) <= 16 ? picture_depth(picture) : 16)};
    name_channels(picture->image.format, counts);
    counts->count = malloc(CHANNELS * counts->bins * sizeof *counts->count);
    if (counts->count == NULL) {
        problem_set(problem, "out of memory");
        return false;
    }
    kst_status status =
        kst_filter_histogram(settings->context, &picture->image, counts->count, CHANNELS * counts->bins, &report);
    if (!status)
        return true;
    free(counts->count);
    problem_set(problem, "histogram: %s", report.message[0] ? report.message : kst_status_text(status));
    return false;
}

/* Return an object of arrays, one for each channel; null if out of memory. */
static json_t *counts_json(const struct picture *picture, const struct counts *counts)
{
    json_t *all = json_object(), *object = json_object();

    for (uint32_t c = 0; c < counts->channels; c++) {
        json_t *array = json_array();
        for (size_t i = 0; i < counts->bins; i++)
            json_array_append_new(array, json_integer((json_int_t)counts->count[c * counts->bins + i]));
        json_object_set_new(all, counts->name[c], array);
    }
    json_object_set_new(object, "width", json_integer((json_int_t)picture->image.width));
    json_object_set_new(object, "height", json_integer((json_int_t)picture->image.height));
    json_object_set_new(object, "depth", json_integer((json_int_t)picture_depth(picture)));
    json_object_set_new(object, "counts", all);
    return object;
}

bool counts_write_json(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    struct counts counts;

    if (!json_library_load(problem) || !take_counts(picture, settings, &counts, problem))
        return false;
    json_t *object = counts_json(picture, &counts);
    char *text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);
    json_decref(object);
    free(counts.count);
    bool good = text == NULL
                    ? problem_set(problem, "out of memory")
                    : output_write(output, text, strlen(text), problem) && output_write(output, "\n", 1, problem);
    free(text);
    return good;
}

/* Return a line for each sample: the sample, and the count of each channel. */
static char *counts_csv(const struct counts *counts, size_t *used)
{
    char *text = malloc((counts->bins + 1) * (CHANNELS + 1) * NUMBER);

    *used = 0;
    if (text == NULL)
        return NULL;
    *used += (size_t)sprintf(text, "sample");
    for (uint32_t c = 0; c < counts->channels; c++)
        *used += (size_t)sprintf(text + *used, ",%s", counts->name[c]);
    for (size_t i = 0; i < counts->bins; i++) {
        *used += (size_t)sprintf(text + *used, "\n%zu", i);
        for (uint32_t c = 0; c < counts->channels; c++)
            *used += (size_t)sprintf(text + *used, ",%lu", (unsigned long)counts->count[c * counts->bins + i]);
    }
    text[(*used)++] = '\n';
    return text;
}

bool counts_write_csv(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    struct counts counts;
    size_t length;

    if (!take_counts(picture, settings, &counts, problem))
        return false;
    char *text = counts_csv(&counts, &length);
    free(counts.count);
    bool good = text == NULL ? problem_set(problem, "out of memory") : output_write(output, text, length, problem);
    free(text);
    return good;
}
