/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the traces of SEG-Y files by the inlines and crosslines in their headers, and reads the traces. */
#include "volume/segy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 3220, /* offsets in the file's headers */
    FORMAT = 3224,
    ORDER = 3296, /* of revision 2: a number that says in which order bytes are */
    REVISION = 3500,
    EXTENDED = 3504,
    MORE_HEADERS = 3506, /* of revision 2: most further headers of a trace */
    TEXT = 3200,
    TRACE_SAMPLES = 114, /* offset in a trace's header of its number of samples; 0 if it is that of the file's header */
    LINES = 188,         /* likewise of the inline and the crossline */
    SPARSE = 16,         /* a survey has at least one of SPARSE traces of its grid */
    BITS_MOST = 28
};

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) << 16 | get16(at + 2);
}

bool volume_is_segy(const char *name)
{
    return file_has_extension(name, "sgy") || file_has_extension(name, "segy");
}

/* Describes the numbers of lines along one axis: from `low` to `high` in steps. */
struct axis {
    int64_t low, high, step;
};

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void widen(struct axis *axis, int64_t origin, int64_t line)
{
    axis->low = line < axis->low ? line : axis->low;
    axis->high = line > axis->high ? line : axis->high;
    axis->step = greatest_divisor(axis->step, line > origin ? line - origin : origin - line);
}

static uint64_t count_of(const struct axis *axis)
{
    return axis->step == 0 ? 1 : (uint64_t)((axis->high - axis->low) / axis->step) + 1;
}

static uint64_t place_of(const struct axis *axis, int64_t line)
{
    return axis->step == 0 ? 0 : (uint64_t)((line - axis->low) / axis->step);
}

/* Read the lines of a trace, which must be as long as all others. */
static bool read_lines(
    const struct volume_file *file, uint64_t trace, int64_t *in, int64_t *cross, struct problem *problem)
{
    uint8_t header[LINES + 8 - TRACE_SAMPLES];
    const uint64_t at = file->segy->first + trace * file->segy->length + TRACE_SAMPLES;
    if (!source_at(&file->source, at, sizeof header, header, problem))
        return false;
    const uint32_t samples = get16(header);
    if (samples != 0 && samples != file->volume.width)
        return problem_set(problem, "SEG-Y: trace %llu has %u samples instead of %u, at byte %llu",
            (unsigned long long)trace, (unsigned)samples, (unsigned)file->volume.width, (unsigned long long)at);
    *in = (int32_t)get32(header + (LINES - TRACE_SAMPLES));
    *cross = (int32_t)get32(header + (LINES + 4 - TRACE_SAMPLES));
    return true;
}

static bool read_axes(
    const struct volume_file *file, uint64_t traces, struct axis *in, struct axis *cross, struct problem *problem)
{
    int64_t first_in = 0, first_cross = 0, i = 0, c = 0;
    for (uint64_t trace = 0; trace < traces; trace++) {
        if (!read_lines(file, trace, &i, &c, problem))
            return false;
        if (trace == 0) {
            *in = (struct axis){first_in = i, i, 0};
            *cross = (struct axis){first_cross = c, c, 0};
        }
        widen(in, first_in, i);
        widen(cross, first_cross, c);
    }
    return true;
}

/* Record which trace is at each place of the grid. */
static bool place_traces(const struct volume_file *file, uint64_t traces, const struct axis *in,
    const struct axis *cross, struct problem *problem)
{
    struct segy *segy = file->segy;
    int64_t i = 0, c = 0;
    for (uint64_t trace = 0; trace < traces; trace++) {
        if (!read_lines(file, trace, &i, &c, problem))
            return false;
        uint32_t *place = segy->trace + place_of(in, i) * count_of(cross) + place_of(cross, c);
        if (*place != SEGY_MISSING)
            return problem_set(problem, "SEG-Y: traces %u and %llu are both of inline %lld and crossline %lld",
                (unsigned)*place, (unsigned long long)trace, (long long)i, (long long)c);
        *place = (uint32_t)trace;
        segy->missing--;
    }
    return true;
}

/* Treat a file whose traces do not state their places as one line, trace after trace. */
static void place_in_order(struct segy *segy, uint64_t traces)
{
    for (uint64_t trace = 0; trace < traces; trace++)
        segy->trace[trace] = (uint32_t)trace;
    segy->missing = 0;
}

static bool find_traces(struct volume_file *file, uint64_t traces, uint64_t max_memory, struct problem *problem)
{
    struct axis in = {0}, cross = {0};
    if (!read_axes(file, traces, &in, &cross, problem))
        return false;
    const bool unknown = in.step == 0 && cross.step == 0;
    const uint64_t deep = count_of(&in), high = unknown ? traces : count_of(&cross);
    uint64_t places;
    if (__builtin_mul_overflow(deep, high, &places) || places == 0 || places > traces * SPARSE)
        return problem_set(problem,
            "SEG-Y: %llu inlines and %llu crosslines of %llu traces are too sparse for a volume",
            (unsigned long long)deep, (unsigned long long)high, (unsigned long long)traces);
    if (places > max_memory / sizeof *file->segy->trace)
        return problem_set_kind(problem, PROBLEM_LIMIT, "SEG-Y: places of %llu traces exceed the limit of memory",
            (unsigned long long)places);
    file->volume.depth = (uint32_t)deep;
    file->volume.height = (uint32_t)high;
    file->segy->trace = malloc((size_t)places * sizeof *file->segy->trace);
    if (file->segy->trace == NULL)
        return problem_set(problem, "out of memory");
    memset(file->segy->trace, 0xFF, (size_t)places * sizeof *file->segy->trace);
    file->segy->missing = places;
    if (!unknown)
        return place_traces(file, traces, &in, &cross, problem);
    place_in_order(file->segy, traces);
    return true;
}

static uint32_t bytes_of(uint32_t format)
{
    return format == 8 ? 1 : format == 3 ? 2 : 4;
}

static bool read_format(struct volume_file *file, uint32_t format, struct problem *problem)
{
    if (format != 1 && format != 2 && format != 3 && format != 5 && format != 8)
        return problem_set(
            problem, "SEG-Y: samples of format %u at byte %d; 1, 2, 3, 5 and 8 are read", (unsigned)format, FORMAT);
    const bool is_float = format == 1 || format == 5;
    file->segy->format = format;
    file->volume.is_signed = true;
    file->volume.bits = (uint8_t)(is_float ? 32 : format == 2 ? BITS_MOST : 8 * bytes_of(format));
    file->volume.sample = is_float ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
    return true;
}

/*
 * Set how many extended textual headers there are. Before revision 1 no field says so. What revision 2 adds, and is not
 * read, is refused.
 */
static bool read_revision(const uint8_t *header, uint32_t *extended, struct problem *problem)
{
    enum { VARIABLE = 0xFFFF, SWAPPED = 0x04030201, PAIRS_SWAPPED = 0x02010403 };
    const uint32_t revision = header[REVISION], order = get32(header + ORDER);
    *extended = revision > 0 ? get16(header + EXTENDED) : 0;
    if (*extended == VARIABLE)
        return problem_set(
            problem, "SEG-Y: a number of extended textual headers that is not told, at byte %d", EXTENDED);
    if (revision > 1 && (order == SWAPPED || order == PAIRS_SWAPPED))
        return problem_set(problem, "SEG-Y: bytes in another order than big-endian, at byte %d", ORDER);
    return revision < 2 || get32(header + MORE_HEADERS) == 0 ||
           problem_set(problem, "SEG-Y: further headers of traces, at byte %d", MORE_HEADERS);
}

bool segy_open(struct volume_file *file, uint64_t max_memory, struct problem *problem)
{
    uint8_t header[SEGY_HEADERS];
    const uint64_t size = source_size(&file->source);
    kst_volume_init(&file->volume);
    file->segy = calloc(1, sizeof *file->segy);
    if (file->segy == NULL)
        return problem_set(problem, "out of memory");
    if (size < SEGY_HEADERS || !source_at(&file->source, 0, sizeof header, header, problem))
        return problem_set(problem, "SEG-Y: the file ends in its headers");
    const uint32_t samples = get16(header + SAMPLES);
    uint32_t extended;
    if (!read_format(file, get16(header + FORMAT), problem) || !read_revision(header, &extended, problem))
        return false;
    if (samples == 0)
        return problem_set(problem, "SEG-Y: traces of no samples, at byte %d", SAMPLES);
    file->volume.width = samples;
    file->segy->first = SEGY_HEADERS + (uint64_t)extended * TEXT;
    file->segy->length = SEGY_TRACE_HEADER + (uint64_t)samples * bytes_of(file->segy->format);
    if (extended > INT16_MAX || file->segy->first + file->segy->length > size)
        return problem_set(problem, "SEG-Y: the file ends before its first trace does");
    const uint64_t left = size - file->segy->first, traces = left / file->segy->length;
    if (traces >= SEGY_MISSING / SPARSE)
        return problem_set_kind(
            problem, PROBLEM_LIMIT, "SEG-Y: %llu traces are more than a volume has", (unsigned long long)traces);
    if (left % file->segy->length != 0)
        return problem_set(problem, "SEG-Y: %llu bytes behind byte %llu are no whole traces of %u samples",
            (unsigned long long)left, (unsigned long long)file->segy->first, (unsigned)samples);
    return find_traces(file, traces, max_memory, problem);
}

void segy_release(struct segy *segy)
{
    if (segy != NULL)
        free(segy->trace);
    free(segy);
}

/* Return the value of a number in IBM's single precision: a sign, an exponent of 16, and a fraction of 24 bits. */
static float ibm_value(uint32_t word)
{
    const double fraction = ldexp((double)(word & 0xFFFFFF), -24);
    const double value = ldexp(fraction, 4 * ((int)(word >> 24 & 0x7F) - 64));
    return (float)(word >> 31 ? -value : value);
}

/* Convert a sample of four bytes to the machine's format. Returns false if it has more bits than can be encoded. */
static bool turn_word(uint32_t format, const uint8_t *from, uint8_t *to)
{
    uint32_t word = get32(from);
    const int32_t number = (int32_t)word, most = 1 << (BITS_MOST - 1);
    if (format == 2 && (number < -most || number >= most))
        return false;
    const float value = format == 1 ? ibm_value(word) : 0;
    if (format == 1)
        memcpy(&word, &value, sizeof word);
    memcpy(to, &word, sizeof word);
    return true;
}

/* Convert the samples of a trace in place. */
static bool turn(const struct volume_file *file, uint32_t trace, uint8_t *samples, struct problem *problem)
{
    const uint32_t format = file->segy->format;
    for (uint32_t x = 0; x < file->volume.width; x++) {
        if (format == 3) {
            const uint16_t half = (uint16_t)get16(samples + 2 * x);
            memcpy(samples + 2 * x, &half, sizeof half);
        } else if (format != 8 && !turn_word(format, samples + 4 * x, samples + 4 * x)) {
            return problem_set(
                problem, "SEG-Y: sample %u of trace %u has more than %d bits", (unsigned)x, (unsigned)trace, BITS_MOST);
        }
    }
    return true;
}

bool segy_read_rows(const struct volume_file *file, const kst_box *rows, uint8_t *to, struct problem *problem)
{
    const struct segy *segy = file->segy;
    const size_t row = (size_t)(segy->length - SEGY_TRACE_HEADER);
    for (uint32_t z = rows->z; z < rows->z + rows->depth; z++)
        for (uint32_t y = rows->y; y < rows->y + rows->height; y++, to += row) {
            const uint32_t trace = segy->trace[(uint64_t)z * file->volume.height + y];
            if (trace == SEGY_MISSING)
                memset(to, 0, row);
            else if (!source_at(
                         &file->source, segy->first + trace * segy->length + SEGY_TRACE_HEADER, row, to, problem) ||
                     !turn(file, trace, to, problem))
                return false;
        }
    return true;
}
