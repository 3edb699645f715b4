/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts JPEG 2000 codestreams together marker by marker, and holds the outcome of parsing them. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_CODESTREAM_H
#define KOSTKA_TESTS_SUPPORT_J2K_CODESTREAM_H

#include "core/context.h"
#include "core/report.h"
#include "j2k/packets/build.h"

struct made {
    uint8_t data[1 << 17];
    size_t length;
};

void made_bytes(struct made *made, const void *data, size_t length);
void made_zeros(struct made *made, size_t length);
void made_number(struct made *made, uint64_t value, uint32_t bytes); /* big-endian */
void made_segment(struct made *made, uint8_t marker, const void *data, size_t length);

/* Write SOC and SIZ. All components have 8 bits and the separations dx, dy; tiles have the given size. */
struct made_size {
    struct j2k_rect image;
    uint32_t tile_x, tile_y, tile_width, tile_height;
    uint32_t components;
    uint8_t dx[4], dy[4];
};
void made_start(struct made *made, const struct made_size *size);
void made_cod(struct made *made, uint8_t progression, uint16_t layers, uint8_t levels);
void made_qcd(struct made *made, uint8_t levels); /* no quantisation, two guard bits, exponents 8 */
/*
 * Holds the header of a packet. Bits are appended as text of 0, 1 and spaces; a stuffed 0 follows a byte FF (B.10.1).
 */
struct made_bits {
    uint8_t byte[64];
    uint32_t length, left; /* unused bits of the last byte */
};
void made_put_bits(struct made_bits *to, const char *text);
/* Write a tile-part with this body; `count` is TNsot. */
void made_part(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const void *body, size_t length);
/* Do the same with marker segments in the header, which made_segment() has written. */
void made_part_with(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const struct made *header,
    const void *body, size_t length);
void made_end(struct made *made); /* EOC */

/* The memory that all of these functions use. */
extern struct memory made_memory;

/* Parse with these limits, or with kst_default_limits if null. Returns the status; made_report() returns the report. */
kst_status made_parse(const struct made *made, const kst_limits *limits, struct j2k_stream *stream);
const kst_report *made_report(void);

/* Parse and release. Returns the status. */
kst_status made_try(const struct made *made);

/* Parse, build a plan, check it, and release all. Returns the first status that is an error; `totals` may be null. */
kst_status made_build(const struct made *made, const struct j2k_filter *filter, struct j2k_packet_totals *totals);

#endif
