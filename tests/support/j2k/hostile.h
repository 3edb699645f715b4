/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts together JPEG 2000 streams that are expensive to process, marker by marker, and measures the time and memory
 * that the library spends on them.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_HOSTILE_H
#define KOSTKA_TESTS_SUPPORT_J2K_HOSTILE_H

#include "support/bytes.h"

struct hostile_picture {
    uint32_t width, height, tile_width, tile_height, components;
    uint8_t levels, block, precinct; /* xcb − 2 = ycb − 2; precinct 1: PPx = PPy = 0 at r = 0, then 1; 0: none */
    uint16_t layers;
    uint8_t progression, roi_shift;
    uint8_t separation; /* XRsiz = YRsiz of all components but the first; 0: 1 */
    uint8_t style;      /* of the code-blocks (Table A.19) */
    uint8_t exponent;   /* of all bands, with two guard bits; 0: 31 with seven, the maximum */
    bool sop;           /* SOP may stand in front of packets */
};

void hostile_put16(struct bytes *bytes, uint32_t value);
void hostile_put32(struct bytes *bytes, uint32_t value);

/* Write SOC and the main header. */
void hostile_put_header(struct bytes *bytes, const struct hostile_picture *picture);
/* Write a tile-part with this body, the only one of its tile. */
void hostile_put_part(struct bytes *bytes, uint32_t tile, const void *body, size_t length);
/* Write SOT with Psot, TPsot and TNsot, and SOD. */
void hostile_start_part(struct bytes *bytes, uint32_t tile, uint32_t length, uint8_t index, uint8_t count);

/* Writes bits of a packet header (B.10.1); `room` is 8 at first. */
struct hostile_bits {
    struct bytes *bytes;
    uint32_t value, count, room;
};
void hostile_put_bits(struct hostile_bits *w, uint32_t value, uint32_t count);
/* Fill the last byte, and append a byte if it is 0xFF. */
void hostile_end_bits(struct hostile_bits *bits);
/*
 * Count the nodes of a tag tree of side × side leaves that are first visited at the leaf (x, y). Each takes one bit if
 * all values are 0.
 */
uint32_t hostile_new_nodes(uint32_t x, uint32_t y, uint32_t side);

/* HOSTILE_DECODE decodes to raw components. */
enum hostile_verb { HOSTILE_OPEN, HOSTILE_DECODE, HOSTILE_TRANSCODE };

kst_status hostile_run(kst_context *context, enum hostile_verb verb, const struct bytes *bytes);

struct hostile_use {
    kst_status status;
    double seconds; /* processor time of this thread */
    size_t most;    /* most bytes allocated at once */
};

/* Run the verb on the CPU with one thread, in a context of its own. The test fails if memory leaks. */
struct hostile_use hostile_measure(enum hostile_verb verb, const struct bytes *bytes);

/* Return the processor time of this thread, to which other programs on the machine do not add. */
double hostile_seconds(void);

#endif
