/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the marker segments of a multiple component transform (T.801) in a header, and reads series of them. */
#include "j2k/syntax/multi_reading.h"

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"

enum {
    INDEX = 0xFF,
    MCT_SHARED = 4 /* Zmct and Imct */,
    MCC_SHARED = 3 /* Zmcc and Imcc */,
    LAST = 2 /* Ymct, Ymcc */
};

kst_status kst_j2k_multi_refuse(const struct j2k_multi_reading *reading, kst_status status, const char *what)
{
    const struct j2k_multi_cursor *cursor = &reading->cursor;
    return kst_report_error(reading->op->report, status, cursor->offset + cursor->at, "%s: %s", cursor->name, what);
}

void kst_j2k_multi_open(struct j2k_multi_reading *reading, uint32_t segment, uint32_t end, const char *name)
{
    const struct j2k_marker_segment *s = &reading->stream->segment[segment];
    reading->cursor = (struct j2k_multi_cursor){.name = name,
        .segment = segment,
        .end = end,
        .data = reading->stream->data + s->offset,
        .length = s->length,
        .offset = s->offset};
}

/* Return the length of what all segments of a series have in front of their data. */
static uint32_t shared_length(const struct j2k_marker_segment *segment)
{
    return segment->marker == J2K_MCT ? MCT_SHARED : MCC_SHARED;
}

/* Return whether two segments belong to the same series: marker, and Imct or Imcc. Both are long enough. */
static bool is_same(
    const struct j2k_stream *stream, const struct j2k_marker_segment *a, const struct j2k_marker_segment *b)
{
    const uint8_t *from = stream->data + a->offset, *to = stream->data + b->offset;
    if (a->marker != b->marker || from[2] != to[2])
        return false;
    return a->marker == J2K_MCC || from[3] == to[3];
}

/* Return the number of the next segment of the series, or `end`. */
static uint32_t next_of(const struct j2k_stream *stream, uint32_t segment, uint32_t end)
{
    for (uint32_t i = segment + 1; i < end; i++)
        if (is_same(stream, &stream->segment[segment], &stream->segment[i]))
            return i;
    return end;
}

void kst_j2k_multi_open_series(
    struct j2k_multi_reading *reading, const struct j2k_multi_series *series, const struct j2k_multi_header *header)
{
    const struct j2k_stream *stream = reading->stream;
    const uint32_t first = series->segment - 1, shared = shared_length(&stream->segment[first]);
    kst_j2k_multi_open(reading, first, header->end, stream->segment[first].marker == J2K_MCT ? "MCT" : "MCC");
    reading->cursor.at = shared + LAST;
    for (uint32_t i = 0, at = first; i < series->last; i++) {
        at = next_of(stream, at, header->end);
        reading->cursor.rest += stream->segment[at].length - shared;
    }
}

size_t kst_j2k_multi_left(const struct j2k_multi_reading *reading)
{
    return reading->cursor.length - reading->cursor.at + reading->cursor.rest;
}

static void go_on(struct j2k_multi_reading *reading)
{
    struct j2k_multi_cursor *cursor = &reading->cursor;
    const size_t rest = cursor->rest;
    kst_j2k_multi_open(reading, next_of(reading->stream, cursor->segment, cursor->end), cursor->end, cursor->name);
    cursor->at = shared_length(&reading->stream->segment[cursor->segment]);
    cursor->rest = rest - (cursor->length - cursor->at);
}

uint64_t kst_j2k_multi_take(struct j2k_multi_reading *reading, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        while (reading->cursor.at == reading->cursor.length)
            go_on(reading);
        value = value << 8 | reading->cursor.data[reading->cursor.at++];
    }
    return value;
}

/* Note a segment of MCT or MCC, which may be one of a series. */
static kst_status note_part(struct j2k_multi_reading *reading, uint32_t segment, struct j2k_multi_series *series)
{
    const uint8_t *data = reading->cursor.data;
    const uint32_t part = j2k_get16(data), shared = shared_length(&reading->stream->segment[segment]);
    const uint16_t name = (uint16_t)(shared == MCT_SHARED ? j2k_get16(data + 2) : data[2]);
    if (part == 0 && series->segment > 0)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_MULTI, "a second one of this kind and index");
    if (part == 0 && reading->cursor.length < shared + LAST)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    if (part == 0)
        *series = (struct j2k_multi_series){segment + 1, 0, j2k_get16(data + shared), name};
    if (part != series->parts || part > series->last || name != series->name)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_MULTI, "a segment of a series that is not its next one");
    series->parts++;
    return KST_OK;
}

static kst_status note_array(struct j2k_multi_reading *reading, uint32_t segment, struct j2k_multi_header *header)
{
    if (reading->cursor.length < MCT_SHARED)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    const uint32_t name = j2k_get16(reading->cursor.data + 2), kind = name >> 8 & 3;
    if ((name & INDEX) == 0 || kind >= J2K_MULTI_ARRAYS)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_MULTI, "an unknown kind, or the index 0");
    return note_part(reading, segment, &header->array[kind][name & INDEX]);
}

static kst_status note_stage(struct j2k_multi_reading *reading, uint32_t segment, struct j2k_multi_header *header)
{
    if (reading->cursor.length < MCC_SHARED)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_LENGTH, "it is too short");
    return note_part(reading, segment, &header->stage[reading->cursor.data[2]]);
}

/* Note a segment of which a header has at most one. */
static kst_status note_only(struct j2k_multi_reading *reading, uint32_t segment, uint32_t *only)
{
    if (*only > 0)
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_MARKER, "a second one");
    *only = segment + 1;
    return KST_OK;
}

static kst_status note(struct j2k_multi_reading *reading, uint32_t segment, struct j2k_multi_header *header)
{
    const uint8_t marker = reading->stream->segment[segment].marker;
    const char *name = marker == J2K_MCT ? "MCT" : marker == J2K_MCC ? "MCC" : marker == J2K_MCO ? "MCO" : "CBD";
    kst_j2k_multi_open(reading, segment, header->end, name);
    switch (marker) {
    case J2K_MCT:
        return note_array(reading, segment, header);
    case J2K_MCC:
        return note_stage(reading, segment, header);
    case J2K_MCO:
        return note_only(reading, segment, &header->order);
    case J2K_CBD:
        return note_only(reading, segment, &header->depths);
    default:
        return KST_OK;
    }
}

/* Check that series are complete. */
static kst_status check_series(
    struct j2k_multi_reading *reading, const struct j2k_multi_series series[J2K_MULTI_INDICES], uint32_t end)
{
    for (uint32_t i = 0; i < J2K_MULTI_INDICES; i++) {
        if (series[i].segment == 0 || series[i].parts == series[i].last + 1)
            continue;
        const uint8_t marker = reading->stream->segment[series[i].segment - 1].marker;
        kst_j2k_multi_open(reading, series[i].segment - 1, end, marker == J2K_MCT ? "MCT" : "MCC");
        return kst_j2k_multi_refuse(reading, KST_ERROR_J2K_MULTI, "a series that lacks its last segments");
    }
    return KST_OK;
}

kst_status kst_j2k_multi_index(
    struct j2k_multi_reading *reading, uint32_t first, uint32_t count, struct j2k_multi_header *header)
{
    kst_status status = KST_OK;
    *header = (struct j2k_multi_header){.end = first + count};
    for (uint32_t i = first; i < header->end && !status; i++)
        status = note(reading, i, header);
    for (uint32_t kind = 0; kind < J2K_MULTI_ARRAYS && !status; kind++)
        status = check_series(reading, header->array[kind], header->end);
    return status ? status : check_series(reading, header->stage, header->end);
}
