/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the parser share. */
#ifndef KOSTKA_J2K_SYNTAX_PARSER_H
#define KOSTKA_J2K_SYNTAX_PARSER_H

#include "core/report.h"
#include "j2k/syntax/stream.h"

/* A PPM, PLM or TLM marker segment of the main header. */
struct j2k_packed_segment {
    uint64_t offset; /* behind Zppm, Zplm or Ztlm */
    uint32_t length;
    uint8_t index; /* that byte */
};

/* All of one kind. */
struct j2k_packed_segments {
    struct j2k_packed_segment *segment;
    uint32_t count, capacity;
};

struct j2k_parser {
    struct memory *memory;
    const kst_limits *limits;
    kst_report *report;
    struct j2k_stream *stream;
    const uint8_t *data;
    uint64_t end;                                             /* of the codestream */
    uint64_t position;                                        /* of the next byte to read */
    struct j2k_packed_segments packed, lengths, part_lengths; /* PPM, PLM and TLM */
    uint32_t part_capacity;
};

/* The contents of a marker segment. */
struct j2k_segment_reader {
    const uint8_t *data;
    size_t length;
    uint64_t offset; /* in the data, of data[0] */
};

/* Room for one more element in an array that grows in doublings. On failure the error is reported. */
kst_status kst_j2k_grow(
    struct memory *memory, kst_report *report, void **array, uint32_t count, uint32_t *capacity, size_t size);

/* boxes_check.c: warnings where the boxes contradict SIZ or each other. */
void kst_j2k_boxes_check(const struct j2k_stream *stream, kst_report *report);

/* parse_size.c: SIZ. */
kst_status kst_j2k_parse_size(struct j2k_parser *parser, struct j2k_segment_reader segment);

/*
 * parse_coding.c: what a marker segment of the main or a tile's header adds to the parameters in force. Markers other
 * than COD, COC, QCD, QCC, RGN and POC leave them as they are. Errors are reported.
 */
struct j2k_parameter_context {
    struct memory *memory;
    kst_report *report;
    uint32_t component_count;
    bool first; /* the main header or the first tile-part's: only POC may stand elsewhere */
    const kst_limits *limits;
};
kst_status kst_j2k_parse_parameters(const struct j2k_parameter_context *context, struct j2k_parameters *parameters,
    uint8_t marker, struct j2k_segment_reader segment);
kst_status kst_j2k_parameters_allocate(struct memory *memory, uint32_t components, struct j2k_parameters *parameters);
void kst_j2k_parameters_release(struct memory *memory, struct j2k_parameters *parameters);

/* parse_packed.c: PPM and PLM. What PLM says that cannot be is a warning, and then there are no lengths. */
enum { J2K_PACKED_INDICES = 256 };
kst_status kst_j2k_remember_packed(
    struct j2k_parser *parser, struct j2k_packed_segments *to, struct j2k_segment_reader segment);
/* By their index, which occurs once each, so that there are at most 256; the bytes of all. Of two of the same index the
 * second is `twice`. */
size_t kst_j2k_sort_packed(const struct j2k_packed_segments *from,
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES], const struct j2k_packed_segment **twice);
kst_status kst_j2k_distribute_packed(struct j2k_parser *parser);
kst_status kst_j2k_distribute_lengths(struct j2k_parser *parser);

/* parse_parts.c: all tile-parts from the first SOT, at the position, to the end. */
kst_status kst_j2k_walk_parts(struct j2k_parser *parser);
/* Whether a tile-part of this length that ends where another one starts, or is the last, has its SOT at `at`. */
bool kst_j2k_part_is(const struct j2k_parser *parser, uint64_t at, uint64_t length, bool last);
/* The header behind the SOT of a part that ends at `end`. Not `fine`, with no error, where it is damaged. */
kst_status kst_j2k_read_part_header(struct j2k_parser *parser, struct j2k_tile_part *part, uint64_t end, bool *fine);
/* By tile, then by TPsot, then by place: what a damaged stream has twice stays in the order of the stream. */
kst_status kst_j2k_sort_parts(struct j2k_parser *parser);

/* locate_parts.c: tile-parts by TLM, from the position on, or where that cannot be, by walking. */
kst_status kst_j2k_find_parts(struct j2k_parser *parser);

/* parse.c: the marker at parser->position, which stands in front of `end`; 0 where there is none. */
uint8_t kst_j2k_marker_at(const struct j2k_parser *parser, uint64_t at, uint64_t end);

/* The segment of the marker at parser->position, contents inside `end`; moves the position behind it. */
kst_status kst_j2k_take_segment(struct j2k_parser *parser, uint64_t end, struct j2k_segment_reader *segment);
kst_status kst_j2k_keep_segment(struct j2k_parser *parser, uint8_t marker, struct j2k_segment_reader segment);

#endif
