/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces samples by those of a table: levels, invert, threshold, equalise, normalise. Alpha stays as it is. */
#include <stdio.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"
#include "filters/cpu/tone.h"
#include "image/sample.h"

/* Holds values for all samples up to the greatest one. */
struct filter_table {
    uint16_t *value;
};

static kst_status table_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    const uint16_t *value = ((const struct filter_table *)arg)->value;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *source = kst_filter_row(from, y);
        uint8_t *target = kst_filter_row(work->to, y);
        for (size_t x = 0; x < from->width; x++)
            for (uint32_t c = 0; c < from->channels; c++) {
                uint32_t sample = sample_get(source, x * from->channels + c, from->bytes);
                sample = sample < from->greatest ? sample : from->greatest;
                sample_put(target, x * from->channels + c, from->bytes, c < from->colours ? value[sample] : sample);
            }
    }
    return KST_OK;
}

/* Fill the table with a function of each sample, and replace all samples. */
static kst_status replace(
    const struct filter_work *work, uint32_t (*function)(const void *arg, uint32_t sample), const void *arg)
{
    kst_status status = KST_OK;
    struct memory *memory = work->operation->memory;
    struct filter_table table = {
        kst_memory_array(memory, (size_t)work->from->greatest + 1, sizeof *table.value, &status)};
    if (!table.value)
        return status;
    for (uint32_t sample = 0; sample <= work->from->greatest; sample++)
        table.value[sample] = (uint16_t)function(arg, sample);
    status = kst_filter_bands(work, work->from->height, table_band, &table);
    kst_memory_release(memory, table.value);
    return status;
}

static uint32_t invert(const void *arg, uint32_t sample)
{
    return ((const struct filter_pixels *)arg)->greatest - sample;
}

static kst_status invert_run(const struct filter_work *work)
{
    return replace(work, invert, work->from);
}

const struct filter_kind kst_filter_invert = {
    "invert", "the negative of the colours", {{.name = NULL}}, NULL, NULL, invert_run};

enum { LEVELS_BLACK, LEVELS_WHITE, LEVELS_LOWEST, LEVELS_HIGHEST };

static uint32_t on_line(const void *arg, uint32_t sample)
{
    const struct filter_line *line = arg;
    uint32_t run = line->white - line->black, rise;
    if (sample <= line->black)
        return line->lowest;
    if (sample >= line->white)
        return line->highest;
    rise = line->highest > line->lowest ? line->highest - line->lowest : line->lowest - line->highest;
    rise = (uint32_t)(((uint64_t)rise * (sample - line->black) + run / 2) / run);
    return line->highest > line->lowest ? line->lowest + rise : line->lowest - rise;
}

static bool levels_check(const struct filter_value *value, char reason[FILTER_REASON])
{
    if (value[LEVELS_BLACK].number < value[LEVELS_WHITE].number)
        return true;
    snprintf(reason, FILTER_REASON, "black must be below white");
    return false;
}

static uint32_t at_most(int32_t value, uint32_t greatest)
{
    return (uint32_t)value < greatest ? (uint32_t)value : greatest;
}

struct filter_line kst_filter_levels_line(const struct filter_value *value, uint32_t greatest)
{
    uint32_t white = (uint32_t)value[LEVELS_WHITE].number;
    return (struct filter_line){(uint32_t)value[LEVELS_BLACK].number, white == UINT16_MAX ? greatest : white,
        at_most(value[LEVELS_LOWEST].number, greatest), at_most(value[LEVELS_HIGHEST].number, greatest)};
}

static kst_status levels_run(const struct filter_work *work)
{
    const struct filter_line line = kst_filter_levels_line(work->value, work->from->greatest);
    return replace(work, on_line, &line);
}

const struct filter_kind kst_filter_levels = {"levels", "stretch the range from black to white",
    {{"black", "the sample that becomes the lowest", KST_FILTER_INTEGER, false, 0, UINT16_MAX, 0, NULL},
        {"white", "the one that becomes the highest; 65535: the greatest that there is", KST_FILTER_INTEGER, false, 0,
            UINT16_MAX, UINT16_MAX, NULL},
        {"lowest", "sample of the result", KST_FILTER_INTEGER, false, 0, UINT16_MAX, 0, NULL},
        {"highest", "sample of the result; 65535: the greatest that there is", KST_FILTER_INTEGER, false, 0, UINT16_MAX,
            UINT16_MAX, NULL}},
    levels_check, NULL, levels_run};

struct filter_step_at {
    uint32_t level, greatest;
};

static uint32_t above(const void *arg, uint32_t sample)
{
    const struct filter_step_at *at = arg;
    return sample > at->level ? at->greatest : 0;
}

static kst_status threshold_run(const struct filter_work *work)
{
    const struct filter_step_at at = {(uint32_t)work->value[0].number, work->from->greatest};
    return replace(work, above, &at);
}

const struct filter_kind kst_filter_threshold = {"threshold", "the greatest sample above a level, otherwise 0",
    {{"level", "the highest sample that becomes 0", KST_FILTER_INTEGER, true, 0, UINT16_MAX, 0, NULL}}, NULL, NULL,
    threshold_run};

/* Holds, for each value, how many samples are at most that value. */
struct filter_counts {
    uint64_t *count;
    uint64_t least, total; /* the number of samples with the lowest value that occurs, and of all samples */
};

static void count_rows(const struct filter_pixels *from, uint64_t *count)
{
    for (uint32_t y = 0; y < from->height; y++)
        for (uint32_t x = 0; x < from->width; x++) {
            uint32_t value = kst_filter_luminance(from, kst_filter_row(from, y), x);
            count[value < from->greatest ? value : from->greatest]++;
        }
}

struct filter_equaliser {
    const struct filter_counts *counts;
    uint32_t greatest;
};

/* Return (samples up to this one − those of the lowest) × greatest ÷ (all − those of the lowest), rounded. */
static uint32_t equalised(const void *arg, uint32_t sample)
{
    const struct filter_equaliser *equaliser = arg;
    const struct filter_counts *counts = equaliser->counts;
    uint64_t rest = counts->total - counts->least, below = counts->count[sample];
    if (rest == 0)
        return sample;
    below = below > counts->least ? below - counts->least : 0;
    return (uint32_t)((below * equaliser->greatest * 2 + rest) / (rest * 2));
}

/* Count the pixels up to each luminance. */
static kst_status count_up_to(const struct filter_work *work, struct filter_counts *counts)
{
    kst_status status = KST_OK;
    counts->total = (uint64_t)work->from->width * work->from->height;
    counts->count =
        kst_memory_zeroed(work->operation->memory, (size_t)work->from->greatest + 1, sizeof *counts->count, &status);
    if (!counts->count)
        return status;
    count_rows(work->from, counts->count);
    for (uint32_t i = 0; i <= work->from->greatest && counts->least == 0; i++)
        counts->least = counts->count[i];
    for (uint32_t i = 1; i <= work->from->greatest; i++)
        counts->count[i] += counts->count[i - 1];
    return KST_OK;
}

static kst_status equalise_run(const struct filter_work *work)
{
    struct filter_counts counts = {.count = NULL};
    kst_status status = count_up_to(work, &counts);
    if (status)
        return status;
    const struct filter_equaliser equaliser = {&counts, work->from->greatest};
    status = replace(work, equalised, &equaliser);
    kst_memory_release(work->operation->memory, counts.count);
    return status;
}

const struct filter_kind kst_filter_equalise = {"equalise",
    "spread luminance evenly; all colours go through the same curve", {{.name = NULL}}, NULL, NULL, equalise_run};

enum { NORMALISE_DARK, NORMALISE_BRIGHT, ALL = 100000 /* thousandths of a per cent */ };

/*
 * Return the line from the lowest luminance up to which more than the share of dark pixels lie, to the highest one from
 * which on more than the share of bright pixels lie. If the two meet, the line changes nothing.
 */
static struct filter_line stretched(
    const struct filter_counts *counts, const struct filter_value *value, uint32_t greatest)
{
    const uint64_t dark = counts->total * (uint64_t)value[NORMALISE_DARK].number;
    const uint64_t bright = counts->total * (uint64_t)value[NORMALISE_BRIGHT].number;
    struct filter_line line = {0, greatest, 0, greatest};
    while (line.black < greatest && counts->count[line.black] * ALL <= dark)
        line.black++;
    while (line.white > 0 && (counts->total - counts->count[line.white - 1]) * ALL <= bright)
        line.white--;
    return line.black < line.white ? line : (struct filter_line){0, greatest, 0, greatest};
}

static kst_status normalise_run(const struct filter_work *work)
{
    struct filter_counts counts = {.count = NULL};
    kst_status status = count_up_to(work, &counts);
    if (status)
        return status;
    const struct filter_line line = stretched(&counts, work->value, work->from->greatest);
    status = replace(work, on_line, &line);
    kst_memory_release(work->operation->memory, counts.count);
    return status;
}

const struct filter_kind kst_filter_normalise = {"normalise",
    "stretch luminance to the whole range; all colours go through the same line",
    {{"dark", "per cent of the pixels that may become black", KST_FILTER_DECIMAL, false, 0, 49.999, 1, NULL},
        {"bright", "per cent of those that may become white", KST_FILTER_DECIMAL, false, 0, 49.999, 1, NULL}},
    NULL, NULL, normalise_run};
