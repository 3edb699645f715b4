/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the main header of a codestream (T.800 A.3) and finds the codestream in a JP2 file. */
#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

enum { CODESTREAM_SIGNATURE = 4, FILE_SIGNATURE = 12, SEGMENTS_FIRST = 16 };

static const uint8_t file_signature[FILE_SIGNATURE] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A};
static const uint8_t codestream_signature[CODESTREAM_SIGNATURE] = {0xFF, J2K_SOC, 0xFF, J2K_SIZ};

static bool is_file(const uint8_t *data, size_t length)
{
    return length >= FILE_SIGNATURE && memcmp(data, file_signature, FILE_SIGNATURE) == 0;
}

bool kst_j2k_recognised(const uint8_t *data, size_t length)
{
    return is_file(data, length) ||
           (length >= CODESTREAM_SIGNATURE && memcmp(data, codestream_signature, CODESTREAM_SIGNATURE) == 0);
}

kst_status kst_j2k_grow(
    struct memory *memory, kst_report *report, void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return KST_OK;
    kst_status status = KST_ERROR_LIMIT_MEMORY;
    uint32_t wanted = *capacity ? *capacity * 2 : SEGMENTS_FIRST;
    void *grown = wanted > *capacity
                      ? kst_memory_grow(memory, *array, (size_t)count * size, (size_t)wanted * size, &status)
                      : NULL;
    if (!grown)
        return kst_report_error(report, status, KST_NO_OFFSET, "while reading JPEG 2000");
    *array = grown;
    *capacity = wanted;
    return KST_OK;
}

uint8_t kst_j2k_marker_at(const struct j2k_parser *parser, uint64_t at, uint64_t end)
{
    if (at >= end || end - at < 2 || parser->data[at] != 0xFF)
        return 0;
    return parser->data[at + 1];
}

static bool stands_alone(uint8_t marker)
{
    return marker >= J2K_ALONE_FIRST && marker <= J2K_ALONE_LAST;
}

kst_status kst_j2k_take_segment(struct j2k_parser *parser, uint64_t end, struct j2k_segment_reader *segment)
{
    uint64_t at = parser->position;
    if (stands_alone(parser->data[at + 1])) {
        *segment = (struct j2k_segment_reader){.data = parser->data + at + 2, .offset = at + 2};
        parser->position = at + 2;
        return KST_OK;
    }
    if (end - at < 4)
        return kst_report_error(parser->report, KST_ERROR_TRUNCATED, at, "inside a marker segment");
    uint32_t length = j2k_get16(parser->data + at + 2);
    if (length < 2)
        return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, at + 2, "a length of %u", (unsigned)length);
    if (end - at - 2 < length)
        return kst_report_error(parser->report, KST_ERROR_TRUNCATED, at, "inside a marker segment");
    *segment = (struct j2k_segment_reader){.data = parser->data + at + 4, .length = length - 2, .offset = at + 4};
    parser->position = at + 2 + length;
    return KST_OK;
}

kst_status kst_j2k_keep_segment(struct j2k_parser *parser, uint8_t marker, struct j2k_segment_reader segment)
{
    struct j2k_stream *stream = parser->stream;
    kst_status status = kst_j2k_grow(parser->memory, parser->report, (void **)&stream->segment, stream->segment_count,
        &stream->segment_capacity, sizeof *stream->segment);
    if (!status)
        stream->segment[stream->segment_count++] =
            (struct j2k_marker_segment){.marker = marker, .offset = segment.offset, .length = (uint32_t)segment.length};
    return status;
}

/*
 * Return whether a marker must not be in the main header (Table A.2). Of these, SOC, EPH, SOD and EOC have no length.
 */
static bool is_misplaced(uint8_t marker)
{
    return marker == J2K_SOC || marker == J2K_SIZ || marker == J2K_SOP || marker == J2K_EPH || marker == J2K_SOD ||
           marker == J2K_EOC || marker == J2K_PLT || marker == J2K_PPT;
}

/*
 * Check CAP, which has a word for each part of the standard that it names (A.5.2). Its information is also in other
 * marker segments, on which decoding relies.
 */
static kst_status check_capabilities(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    uint32_t parts = segment.length < 4 ? 0 : (uint32_t)__builtin_popcount(j2k_get32(segment.data));
    if (segment.length == 4 + 2 * (size_t)parts)
        return KST_OK;
    return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, segment.offset, "CAP of %zu", segment.length);
}

/*
 * Take a marker segment of T.801, which only counts if Rsiz says so. Decoders skip unknown segments (A.2), but these
 * change the meaning of samples.
 */
static kst_status read_extension(struct j2k_parser *parser, uint8_t marker, struct j2k_segment_reader segment)
{
    const char *name = kst_j2k_extension_name(marker);
    if (!parser->stream->multi.allowed)
        return KST_OK;
    if (name)
        return kst_report_error(parser->report, KST_ERROR_J2K_EXTENSION, segment.offset, "%s", name);
    return kst_j2k_is_multi_marker(marker) ? kst_j2k_keep_segment(parser, marker, segment) : KST_OK;
}

/* Take one marker segment of the main header. */
static kst_status read_main(struct j2k_parser *parser, uint8_t marker, struct j2k_segment_reader segment)
{
    struct j2k_stream *stream = parser->stream;
    switch (marker) {
    case J2K_COD:
    case J2K_COC:
    case J2K_QCD:
    case J2K_QCC:
    case J2K_RGN:
    case J2K_POC: {
        struct j2k_parameter_context context = {parser->memory, parser->report, stream->component_count, true,
            parser->limits, stream->multi.allowed, false};
        return kst_j2k_parse_parameters(&context, &stream->main, marker, segment);
    }
    case J2K_PPM:
        return kst_j2k_remember_packed(parser, &parser->packed, segment);
    case J2K_PLM:
        if (segment.length > 0)
            return kst_j2k_remember_packed(parser, &parser->lengths, segment);
        kst_report_warning(parser->report, KST_WARNING_J2K_LENGTHS, segment.offset, 1, false);
        return KST_OK;
    case J2K_CAP:
        return check_capabilities(parser, segment);
    case J2K_COM:
    case J2K_CPF:
    case J2K_CRG:
        return kst_j2k_keep_segment(parser, marker, segment);
    case J2K_TLM:
        if (segment.length > 0)
            return kst_j2k_remember_packed(parser, &parser->part_lengths, segment);
        kst_report_warning(parser->report, KST_WARNING_J2K_LENGTHS, segment.offset, 1, false);
        return KST_OK;
    default:
        return read_extension(parser, marker, segment);
    }
}

/* Read the main header behind SIZ. Afterwards the position is at the first SOT. */
static kst_status read_main_header(struct j2k_parser *parser)
{
    for (uint32_t markers = 0;; markers++) {
        uint64_t at = parser->position;
        if (parser->end - at < 2)
            return kst_report_error(parser->report, KST_ERROR_TRUNCATED, at, "inside the main header");
        uint8_t marker = kst_j2k_marker_at(parser, at, parser->end);
        if (marker == J2K_SOT)
            return KST_OK;
        if (marker < J2K_ALONE_FIRST)
            return kst_report_error(parser->report, KST_ERROR_J2K_MARKER, at, "no marker in the main header");
        if (is_misplaced(marker))
            return kst_report_error(parser->report, KST_ERROR_J2K_MARKER, at, "0xFF%02X", marker);
        if (markers >= parser->limits->markers)
            return kst_report_error(
                parser->report, KST_ERROR_LIMIT_MARKERS, at, "more than %u", (unsigned)parser->limits->markers);
        struct j2k_segment_reader segment = {0};
        kst_status status = kst_j2k_take_segment(parser, parser->end, &segment);
        if (!status)
            status = read_main(parser, marker, segment);
        if (status)
            return status;
    }
}

static kst_status read_size(struct j2k_parser *parser)
{
    struct j2k_segment_reader segment = {0};
    uint64_t at = parser->position;
    if (parser->end - at < CODESTREAM_SIGNATURE ||
        memcmp(parser->data + at, codestream_signature, CODESTREAM_SIGNATURE) != 0)
        return kst_report_error(parser->report, KST_ERROR_J2K_SIZ, at, NULL);
    parser->position += 2;
    kst_status status = kst_j2k_take_segment(parser, parser->end, &segment);
    return status ? status : kst_j2k_parse_size(parser, segment);
}

static kst_status check_main(struct j2k_parser *parser)
{
    const struct j2k_parameters *main = &parser->stream->main;
    if (main->has_coding && main->has_quantisation)
        return KST_OK;
    return kst_report_error(
        parser->report, KST_ERROR_J2K_NO_CODING, parser->position, "%s is missing", main->has_coding ? "QCD" : "COD");
}

static kst_status find_codestream(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    kst_status status = KST_OK;
    stream->end = stream->length;
    if (stream->length == 0)
        return kst_report_error(parser->report, KST_ERROR_EMPTY, KST_NO_OFFSET, NULL);
    if (!kst_j2k_recognised(stream->data, stream->length))
        return kst_report_error(parser->report, KST_ERROR_SIGNATURE, 0, NULL);
    if (is_file(stream->data, stream->length)) {
        const struct operation op = {.memory = parser->memory, .limits = parser->limits, .report = parser->report};
        status = kst_j2k_boxes_parse(&op, stream->data, stream->length, &stream->file);
        stream->start = stream->file.codestream;
        stream->end = stream->start + stream->file.codestream_length;
    }
    parser->position = stream->start;
    parser->end = stream->end;
    return status;
}

static kst_status parse(struct j2k_parser *parser)
{
    struct j2k_stream *stream = parser->stream;
    kst_status status = find_codestream(parser);
    if (!status)
        status = read_size(parser);
    if (status)
        return status;
    kst_j2k_boxes_check(stream, parser->report);
    status = kst_j2k_parameters_allocate(parser->memory, stream->component_count, &stream->main);
    if (status)
        return kst_report_error(parser->report, status, KST_NO_OFFSET, NULL);
    status = read_main_header(parser);
    if (!status)
        status = check_main(parser);
    stream->main_segment_count = stream->segment_count;
    stream->transform_somewhere = stream->main.transform;
    if (!status && stream->multi.allowed)
        status = kst_j2k_parse_multi(parser);
    return status ? status : kst_j2k_find_parts(parser);
}

kst_status kst_j2k_parse(const struct operation *op, const uint8_t *data, size_t length, struct j2k_stream *stream)
{
    memset(stream, 0, sizeof *stream);
    stream->data = data;
    stream->length = length;
    struct j2k_parser parser = {.memory = op->memory,
        .limits = op->limits,
        .report = op->report,
        .stream = stream,
        .data = data,
        .end = length};
    kst_status status = parse(&parser);
    kst_memory_release(op->memory, parser.packed.segment);
    kst_memory_release(op->memory, parser.lengths.segment);
    kst_memory_release(op->memory, parser.part_lengths.segment);
    if (status)
        kst_j2k_stream_release(op->memory, stream);
    return status;
}

void kst_j2k_stream_release(struct memory *memory, struct j2k_stream *stream)
{
    kst_j2k_parameters_release(memory, &stream->main);
    kst_j2k_multi_release(memory, &stream->multi);
    kst_memory_release(memory, stream->multi_header);
    kst_memory_release(memory, stream->file.box);
    kst_memory_release(memory, stream->component);
    kst_memory_release(memory, stream->segment);
    kst_memory_release(memory, stream->part);
    kst_memory_release(memory, stream->tile_part);
    kst_memory_release(memory, stream->packed);
    kst_memory_release(memory, stream->lengths);
    memset(stream, 0, sizeof *stream);
}
