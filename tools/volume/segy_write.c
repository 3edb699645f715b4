/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes volumes as SEG-Y files of revision 1. Inlines and crosslines are numbered from 1. */
#include <stdlib.h>
#include <string.h>

#include "volume/segy.h"

enum {
    SAMPLES = 3220,
    FORMAT = 3224,
    REVISION = 3500,
    FIXED = 3502,
    TRACE_SAMPLES = 114,
    TRACE_KIND = 28,
    LINES = 188
};

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value);
}

static uint32_t format_of(const kst_volume *volume)
{
    if (volume->sample == KST_SAMPLE_FLOAT32)
        return 5;
    return volume->bits > 16 ? 2 : volume->bits > 8 ? 3 : 8;
}

uint64_t segy_length(const kst_volume *volume)
{
    const uint64_t trace = SEGY_TRACE_HEADER + (uint64_t)volume->width * volume_sample_bytes(volume);
    return SEGY_HEADERS + trace * volume->height * volume->depth;
}

bool segy_put_headers(struct output *output, const kst_volume *volume, struct problem *problem)
{
    enum { BLANK = 0x40 /* a space in EBCDIC */, TEXT = 3200 };
    uint8_t header[SEGY_HEADERS] = {0};
    if (!volume->is_signed)
        return problem_set(problem, "SEG-Y has no samples without signs");
    if (volume->width > INT16_MAX)
        return problem_set(problem, "SEG-Y has traces of at most 32,767 samples");
    memset(header, BLANK, TEXT);
    put16(header + SAMPLES, volume->width);
    put16(header + FORMAT, format_of(volume));
    put16(header + REVISION, 0x0100);
    put16(header + FIXED, 1);
    return volume_put(output, 0, header, sizeof header, problem);
}

/* Make a trace: its header, and its samples in big-endian order. */
static void make_trace(const kst_volume *volume, uint32_t z, uint32_t y, const uint8_t *row, uint8_t *trace)
{
    const size_t bytes = volume_sample_bytes(volume);
    memset(trace, 0, SEGY_TRACE_HEADER);
    put32(trace, z * volume->height + y + 1);
    put16(trace + TRACE_KIND, 1);
    put16(trace + TRACE_SAMPLES, volume->width);
    put32(trace + LINES, z + 1);
    put32(trace + LINES + 4, y + 1);
    for (uint32_t x = 0; x < volume->width; x++) {
        uint8_t *to = trace + SEGY_TRACE_HEADER + x * bytes;
        uint32_t word;
        uint16_t half;
        memcpy(&word, row + x * bytes, bytes == 4 ? 4 : 0);
        memcpy(&half, row + x * bytes, bytes == 2 ? 2 : 0);
        if (bytes == 4)
            put32(to, word);
        else if (bytes == 2)
            put16(to, half);
        else
            *to = row[x];
    }
}

bool segy_put_rows(struct output *output, const kst_volume *volume, uint32_t z, uint32_t y, const uint8_t *rows,
    uint32_t count, struct problem *problem)
{
    const size_t row = (size_t)volume->width * volume_sample_bytes(volume), length = SEGY_TRACE_HEADER + row;
    uint8_t *trace = malloc(length);
    bool good = trace != NULL || problem_set(problem, "out of memory");
    for (uint32_t i = 0; good && i < count; i++) {
        const uint64_t number = (uint64_t)z * volume->height + y + i;
        make_trace(volume, z, y + i, rows + i * row, trace);
        good = volume_put(output, SEGY_HEADERS + number * length, trace, length, problem);
    }
    free(trace);
    return good;
}
