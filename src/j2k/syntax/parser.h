/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of the parser share: the parser's state, and the functions that they call in each other. */
#ifndef KOSTKA_J2K_SYNTAX_PARSER_H
#define KOSTKA_J2K_SYNTAX_PARSER_H

#include "core/report.h"
#include "j2k/syntax/stream.h"

/* Describes a PPM, PLM or TLM marker segment of the main header. */
struct j2k_packed_segment {
    uint64_t offset; /* offset behind Zppm, Zplm or Ztlm */
    uint32_t length;
    uint8_t index; /* Zppm, Zplm or Ztlm */
};

/* Holds all segments of one kind. */
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
    uint64_t end;                                             /* offset of the codestream's end */
    uint64_t position;                                        /* offset of the next byte to read */
    struct j2k_packed_segments packed, lengths, part_lengths; /* PPM, PLM and TLM */
    uint32_t part_capacity;
};

/* Holds the contents of one marker segment. */
struct j2k_segment_reader {
    const uint8_t *data;
    size_t length;
    uint64_t offset; /* of data[0], counted from the start of the stream's data */
};

/* Make room for one more element in an array, whose capacity doubles as it grows. Reports a failure. */
kst_status kst_j2k_grow(
    struct memory *memory, kst_report *report, void **array, uint32_t count, uint32_t *capacity, size_t size);

/* boxes_check.c: warn if the boxes contradict SIZ or each other. */
void kst_j2k_boxes_check(const struct j2k_stream *stream, kst_report *report);

/* parse_size.c: parse SIZ. */
kst_status kst_j2k_parse_size(struct j2k_parser *parser, struct j2k_segment_reader segment);

/*
 * parse_coding.c: apply a marker segment of the main header or of a tile's header to the parameters in force. Markers
 * other than COD, COC, QCD, QCC, RGN and POC leave these unchanged. Errors are reported.
 */
struct j2k_parameter_context {
    struct memory *memory;
    kst_report *report;
    uint32_t component_count;
    /* True for the main header and for the header of a tile's first tile-part; other tile-parts may only have POC. */
    bool first;
    const kst_limits *limits;
    bool multi;      /* Rsiz allows multiple component transforms (T.801) */
    bool tile_multi; /* those of tile-part headers are read elsewhere; otherwise they are refused */
};
kst_status kst_j2k_parse_parameters(const struct j2k_parameter_context *context, struct j2k_parameters *parameters,
    uint8_t marker, struct j2k_segment_reader segment);
kst_status kst_j2k_parameters_allocate(struct memory *memory, uint32_t components, struct j2k_parameters *parameters);
void kst_j2k_parameters_release(struct memory *memory, struct j2k_parameters *parameters);

/*
 * parse_multi.c: return whether a marker is one of those that describe a multiple component transform (T.801); and
 * build the description from the segments of the main header, once all of them have been read.
 */
bool kst_j2k_is_multi_marker(uint8_t marker);
kst_status kst_j2k_parse_multi(struct j2k_parser *parser);

/* Return the name of a marker of T.801 that is not supported; null for other markers. */
const char *kst_j2k_extension_name(uint8_t marker);

/* parse_packed.c: PPM and PLM. Impossible contents of PLM are a warning, and packet lengths are then unknown. */
enum { J2K_PACKED_INDICES = 256 };
kst_status kst_j2k_remember_packed(
    struct j2k_parser *parser, struct j2k_packed_segments *to, struct j2k_segment_reader segment);
/*
 * Sort segments by their index, each of which may occur only once, so that there are at most 256. Returns the sum of
 * their lengths. If two have the same index, *twice is the second one; otherwise it is null.
 */
size_t kst_j2k_sort_packed(const struct j2k_packed_segments *from,
    const struct j2k_packed_segment *by_index[J2K_PACKED_INDICES], const struct j2k_packed_segment **twice);
kst_status kst_j2k_distribute_packed(struct j2k_parser *parser);
kst_status kst_j2k_distribute_lengths(struct j2k_parser *parser);

/* parse_parts.c: read all tile-parts, from the first SOT, which is at the position, to the end. */
kst_status kst_j2k_walk_parts(struct j2k_parser *parser);
/*
 * Return whether a tile-part of this length has its SOT at `at`. It must be followed by another SOT or, if it is the
 * last, by the end.
 */
bool kst_j2k_part_is(const struct j2k_parser *parser, uint64_t at, uint64_t length, bool last);
/*
 * Read the header behind the SOT of a part that ends at `end`. A damaged header is not an error, but *fine is then
 * false.
 */
kst_status kst_j2k_read_part_header(struct j2k_parser *parser, struct j2k_tile_part *part, uint64_t end, bool *fine);
/*
 * Sort tile-parts by tile, then by TPsot, then by position: if a damaged stream repeats a TPsot, the order of the
 * stream is kept.
 */
kst_status kst_j2k_sort_parts(struct j2k_parser *parser);

/*
 * locate_parts.c: find the tile-parts from the position on, by TLM or, if that is not possible, by reading all of them.
 */
kst_status kst_j2k_find_parts(struct j2k_parser *parser);

/* parse.c: the second byte of the marker at `at`, which lies in front of `end`; 0 if there is no marker. */
uint8_t kst_j2k_marker_at(const struct j2k_parser *parser, uint64_t at, uint64_t end);

/*
 * Take the segment of the marker at parser->position, whose contents must not go beyond `end`, and move the position
 * behind it. kst_j2k_keep_segment() adds a segment to the stream's list.
 */
kst_status kst_j2k_take_segment(struct j2k_parser *parser, uint64_t end, struct j2k_segment_reader *segment);
kst_status kst_j2k_keep_segment(struct j2k_parser *parser, uint8_t marker, struct j2k_segment_reader segment);

#endif
