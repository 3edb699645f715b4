/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the sequence of markers of a JPEG stream (T.81 B.2) and builds its plan. */
#include "jpeg/syntax/parse.h"

#include <string.h>

#include "core/signature.h"
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/parser.h"

static bool is_frame(uint8_t marker)
{
    return marker >= JPEG_SOF0 && marker <= JPEG_SOF15 && marker != JPEG_DHT && marker != JPEG_JPG &&
           marker != JPEG_DAC;
}

static bool stands_alone(uint8_t marker)
{
    return (marker >= JPEG_RST0 && marker <= JPEG_RST7) || marker == JPEG_TEM;
}

size_t kst_jpeg_find_start(const uint8_t *data, size_t length)
{
    enum { FILL_MAX = 16 };
    size_t at = 0;
    while (at < FILL_MAX && length - at >= 2 && data[at] == 0xFF && data[at + 1] == 0xFF)
        at++;
    return length - at >= 2 && data[at] == 0xFF && data[at + 1] == JPEG_SOI ? at : SIZE_MAX;
}

struct jpeg_first_frame kst_jpeg_find_first_frame(const uint8_t *data, size_t length)
{
    enum { GARBAGE_MAX = 1 << 16 };
    const struct jpeg_first_frame none = {0};
    size_t at = kst_jpeg_find_start(data, length), garbage = 0;
    if (at == SIZE_MAX)
        return none;
    for (at += 2; garbage < GARBAGE_MAX;) {
        size_t most = length - at < GARBAGE_MAX ? length : at + GARBAGE_MAX;
        size_t marker = kst_jpeg_find_marker(data, most, at, NULL);
        if (length - marker < 4 || marker >= most)
            return none;
        garbage += marker - at;
        uint8_t code = data[marker + 1];
        if (is_frame(code))
            return (struct jpeg_first_frame){code, length - marker > 4 ? data[marker + 4] : 0};
        if (code == JPEG_SOS || code == JPEG_EOI)
            return none;
        at = marker + 2;
        if (!stands_alone(code))
            at += (size_t)data[marker + 2] << 8 | data[marker + 3];
        if (at > length)
            return none;
    }
    return none;
}

static kst_status find_start(struct jpeg_parser *parser)
{
    const uint8_t *data = parser->data;
    size_t length = parser->length;
    if (length == 0)
        return kst_report_error(parser->op->report, KST_ERROR_EMPTY, KST_NO_OFFSET, NULL);
    size_t at = kst_jpeg_find_start(data, length);
    if (at == SIZE_MAX) {
        const char *what = kst_signature_find(data, length);
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_SOI, 0, what ? "this is %s" : NULL, what);
    }
    parser->stream->start = at;
    parser->position = at + 2;
    return KST_OK;
}

/* Read the headers that say how samples are coded; only those in front of the first scan count. */
static void read_headers(struct jpeg_parser *parser, const struct jpeg_marker_segment *segment)
{
    struct jpeg_headers *headers = &parser->stream->headers;
    if (kst_jpeg_segment_adobe(parser->data, segment, &headers->adobe_transform))
        headers->has_adobe = true;
    if (!kst_jpeg_segment_jfif(parser->data, segment, &headers->jfif))
        return;
    headers->has_jfif = true;
    if (headers->jfif.major != 1)
        kst_report_warning(parser->op->report, KST_WARNING_JPEG_JFIF, segment->offset + 5, 1, false);
}

static kst_status read_application(struct jpeg_parser *parser, uint8_t marker, struct jpeg_segment_reader segment)
{
    struct jpeg_stream *stream = parser->stream;
    struct jpeg_marker_segment found = {.marker = marker, .offset = segment.offset, .length = (uint32_t)segment.length};
    if (stream->plan.scan_count == 0)
        read_headers(parser, &found);
    kst_status status = kst_jpeg_parser_grow(parser, (void **)&stream->application, stream->application_count,
        &parser->application_capacity, sizeof *stream->application);
    if (!status)
        stream->application[stream->application_count++] = found;
    return status;
}

static bool is_application(uint8_t marker)
{
    return (marker >= JPEG_APP0 && marker <= JPEG_APP15) || marker == JPEG_COM;
}

static kst_status read_segment(struct jpeg_parser *parser, uint8_t marker, struct jpeg_segment_reader segment)
{
    if (is_application(marker))
        return read_application(parser, marker, segment);
    switch (marker) {
    case JPEG_DQT:
        return kst_jpeg_parse_quant(parser, segment);
    case JPEG_DHT:
        return kst_jpeg_parse_huffman(parser, segment);
    case JPEG_DRI:
        return kst_jpeg_parse_restart_interval(parser, segment);
    case JPEG_DNL: /* the number of lines was read when the first scan began */
    case JPEG_DAC: /* DAC conditions arithmetic coding, which SOF would have announced */
        return KST_OK;
    case JPEG_SOS: {
        kst_status status = kst_jpeg_parse_scan(parser, segment);
        return status ? status : kst_jpeg_parse_segments(parser);
    }
    case JPEG_DHP:
    case JPEG_EXP:
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_HIERARCHICAL, segment.offset, NULL);
    default:
        if (is_frame(marker))
            return kst_jpeg_parse_frame(parser, marker, segment);
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_MARKER, segment.offset - 4, "0xFF%02X", marker);
    }
}

/* Read the marker segment whose marker stands at parser->position, and move the position behind it. */
static kst_status read_marker_segment(struct jpeg_parser *parser, uint8_t marker)
{
    size_t at = parser->position;
    if (marker == JPEG_SOI)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_TWO_SOI, at, NULL);
    if (++parser->markers > parser->op->limits->markers)
        return kst_report_error(
            parser->op->report, KST_ERROR_LIMIT_MARKERS, at, "more than %u", parser->op->limits->markers);
    if (parser->length - at < 4)
        return kst_report_error(parser->op->report, KST_ERROR_TRUNCATED, at, "inside a marker segment");
    size_t length = (size_t)parser->data[at + 2] << 8 | parser->data[at + 3];
    /* Such a segment does not matter: its contents are skipped as garbage. */
    if (length < 2 && is_application(marker)) {
        kst_report_warning(parser->op->report, KST_WARNING_JPEG_GARBAGE, at, 1, false);
        parser->position = at + 4;
        return KST_OK;
    }
    if (length < 2)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_LENGTH, at + 2, "a length of %zu", length);
    if (parser->length - at - 2 < length)
        return kst_report_error(parser->op->report, KST_ERROR_TRUNCATED, at, "inside a marker segment");
    struct jpeg_segment_reader segment = {.data = parser->data + at + 4, .length = length - 2, .offset = at + 4};
    parser->position = at + 2 + length;
    return read_segment(parser, marker, segment);
}

/* Return whether there are only fill bytes (B.1.1.2) between the position and the marker at `at`. */
static bool only_fill(const struct jpeg_parser *parser, size_t at)
{
    for (size_t i = parser->position; i < at; i++)
        if (parser->data[i] != 0xFF)
            return false;
    return true;
}

/* Read all markers up to EOI or the end of the data. */
static kst_status read_markers(struct jpeg_parser *parser)
{
    const struct jpeg_plan *plan = &parser->stream->plan;
    for (;;) {
        size_t at =
            kst_jpeg_find_far_marker(NULL, parser->op->searched, parser->data, parser->length, parser->position, NULL);
        if (at >= parser->length) {
            parser->position = parser->length;
            if (plan->scan_count)
                kst_report_warning(parser->op->report, KST_WARNING_JPEG_NO_EOI, parser->length, 1, false);
            return KST_OK;
        }
        if (!only_fill(parser, at))
            kst_report_warning(parser->op->report, KST_WARNING_JPEG_GARBAGE, parser->position, 1, false);
        uint8_t marker = parser->data[at + 1];
        parser->position = at;
        if (marker == JPEG_EOI) {
            parser->position = at + 2;
            parser->stream->whole = true;
            return KST_OK;
        }
        if (stands_alone(marker)) {
            parser->position = at + 2;
            continue;
        }
        if (marker == JPEG_SOS && plan->single_scan)
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_MARKER, at, "a scan too many");
        kst_status status = read_marker_segment(parser, marker);
        if (status)
            return status;
    }
}

static bool is_limit(kst_status status)
{
    return status == KST_ERROR_MEMORY || (status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_METADATA);
}

/* Once there is a scan, a damaged marker segment only ends the parsing: what came before it is decoded. */
static kst_status forgive(struct jpeg_parser *parser, kst_status status)
{
    kst_report *report = parser->op->report;
    if (!status || is_limit(status) || parser->stream->plan.scan_count == 0)
        return status;
    uint64_t offset = report->offset;
    kst_report_forgive(report);
    kst_report_warning(report, KST_WARNING_JPEG_TRUNCATED, offset, 1, false);
    return KST_OK;
}

static kst_colour adobe_colour(
    struct jpeg_parser *parser, kst_colour plain, uint8_t transformed_code, kst_colour transformed)
{
    uint8_t code = parser->stream->headers.adobe_transform;
    if (code == 0)
        return plain;
    if (code != transformed_code)
        kst_report_warning(parser->op->report, KST_WARNING_JPEG_ADOBE, KST_NO_OFFSET, 1, false);
    return transformed;
}

/*
 * T.81 leaves the colour space open. T.871 (JFIF), Adobe's marker and the component ids are believed, in that order.
 * Without any of them, three components of the lossless process are RGB, as libjpeg-turbo 3 takes them to be.
 */
static kst_colour decide_colour(struct jpeg_parser *parser)
{
    const struct jpeg_frame *frame = &parser->stream->plan.frame;
    const struct jpeg_headers *headers = &parser->stream->headers;
    const struct jpeg_component *c = frame->component;
    switch (frame->component_count) {
    case 1:
        return KST_COLOUR_GREY;
    case 3:
        if (headers->has_jfif)
            return KST_COLOUR_YCBCR;
        if (headers->has_adobe)
            return adobe_colour(parser, KST_COLOUR_RGB, 1, KST_COLOUR_YCBCR);
        if (parser->lossless || (c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B'))
            return KST_COLOUR_RGB;
        return KST_COLOUR_YCBCR;
    case 4:
        return headers->has_adobe ? adobe_colour(parser, KST_COLOUR_CMYK, 2, KST_COLOUR_YCCK) : KST_COLOUR_CMYK;
    default:
        return KST_COLOUR_UNKNOWN;
    }
}

/*
 * Give a component that no scan held the quantisation table that it would have had, for callers that write the frame
 * again. If that table was never defined, give it the table of a scanned component, which does no harm because all of
 * its own coefficients are 0.
 */
static void fill_quant_tables(struct jpeg_parser *parser)
{
    struct jpeg_frame *frame = &parser->stream->plan.frame;
    const struct jpeg_component *scanned = &frame->component[parser->stream->plan.scan[0].component[0]];
    for (uint32_t i = 0; i < frame->component_count; i++) {
        struct jpeg_component *c = &frame->component[i];
        if (parser->latched[i])
            continue;
        if (c->tq >= JPEG_TABLES || !parser->quant_defined[c->tq]) {
            c->tq = scanned->tq;
            memcpy(c->quant, scanned->quant, sizeof c->quant);
        } else {
            memcpy(c->quant, parser->quant[c->tq], sizeof c->quant);
        }
    }
}

static kst_status parse(struct jpeg_parser *parser)
{
    struct jpeg_stream *stream = parser->stream;
    kst_status status = find_start(parser);
    if (!status)
        status = forgive(parser, read_markers(parser));
    if (status)
        return status;
    if (!parser->frame_seen)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_NO_FRAME, parser->position, NULL);
    if (stream->plan.scan_count == 0)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_NO_SCAN, parser->position, NULL);
    stream->end = parser->position;
    stream->markers = parser->markers;
    stream->plan.frame.colour = decide_colour(parser);
    if (!parser->lossless)
        fill_quant_tables(parser);
    return KST_OK;
}

static kst_status parse_with(const struct jpeg_parser *settings, struct jpeg_stream *stream)
{
    kst_status status = KST_OK;
    memset(stream, 0, sizeof *stream);
    struct jpeg_parser *parser = kst_memory_zeroed(settings->op->memory, 1, sizeof *parser, &status);
    if (!parser)
        return kst_report_error(settings->op->report, status, KST_NO_OFFSET, NULL);
    *parser = *settings;
    parser->stream = stream;
    stream->plan.data = parser->data;
    stream->plan.length = parser->length;
    status = parse(parser);
    kst_memory_release(settings->op->memory, parser);
    if (status)
        kst_jpeg_stream_release(settings->op->memory, stream);
    return status;
}

kst_status kst_jpeg_parse(const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream)
{
    const struct jpeg_parser settings = {.op = op, .data = data, .length = length};
    return parse_with(&settings, stream);
}

kst_status kst_jpeg_parse_lossless(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream)
{
    const struct jpeg_parser settings = {.op = op, .lossless = true, .data = data, .length = length};
    return parse_with(&settings, stream);
}

kst_status kst_jpeg_parse_deep(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream)
{
    const struct jpeg_parser settings = {.op = op, .deep = true, .data = data, .length = length};
    return parse_with(&settings, stream);
}

kst_status kst_jpeg_parse_presuming(
    const struct operation *op, const uint8_t *data, size_t length, struct jpeg_stream *stream)
{
    const struct jpeg_parser settings = {.op = op, .presuming = true, .data = data, .length = length};
    return parse_with(&settings, stream);
}

void kst_jpeg_stream_release(struct memory *memory, struct jpeg_stream *stream)
{
    kst_memory_release(memory, stream->plan.huffman);
    kst_memory_release(memory, stream->plan.scan);
    kst_memory_release(memory, stream->plan.segment);
    kst_memory_release(memory, stream->application);
    memset(stream, 0, sizeof *stream);
}
