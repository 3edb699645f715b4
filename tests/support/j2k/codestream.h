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

/* SOC and SIZ: the components all of 8 bits and of separations dx, dy; tiles of the size given. */
struct made_size {
    struct j2k_rect image;
    uint32_t tile_x, tile_y, tile_width, tile_height;
    uint32_t components;
    uint8_t dx[4], dy[4];
};
void made_start(struct made *made, const struct made_size *size);
void made_cod(struct made *made, uint8_t progression, uint16_t layers, uint8_t levels);
void made_qcd(struct made *made, uint8_t levels); /* no quantisation, two guard bits, exponents 8 */
/* The header of a packet; bits are added as text of 0, 1 and spaces, and behind FF comes a stuffed 0 (B.10.1). */
struct made_bits {
    uint8_t byte[64];
    uint32_t length, left; /* bits of the last byte that are free */
};
void made_put_bits(struct made_bits *to, const char *text);
/* A tile-part with this body; `count` as TNsot. */
void made_part(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const void *body, size_t length);
/* The same with marker segments in its header, put together by made_segment(). */
void made_part_with(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const struct made *header,
    const void *body, size_t length);
void made_end(struct made *made); /* EOC */

/* One memory for all. */
extern struct memory made_memory;

/* Parse, with kst_default_limits or these, and return the status; the report is kept for made_report(). */
kst_status made_parse(const struct made *made, const kst_limits *limits, struct j2k_stream *stream);
const kst_report *made_report(void);

/* Parse and release. */
kst_status made_try(const struct made *made);

/* Parse, build, check the plan and release all. Returns the status of either; `totals` may be null. */
kst_status made_build(const struct made *made, const struct j2k_filter *filter, struct j2k_packet_totals *totals);

#endif
