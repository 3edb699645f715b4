/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts JPEG 2000 streams that ask for much together marker by marker, and measures what the library's work on them
 * takes. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_HOSTILE_H
#define KOSTKA_TESTS_SUPPORT_J2K_HOSTILE_H

#include "support/bytes.h"

struct hostile_picture {
    uint32_t width, height, tile_width, tile_height, components;
    uint8_t levels, block, precinct; /* block: xcb = ycb; precinct: 0 for none, else 1 and PPx = PPy of r = 0 twice */
    uint16_t layers;
    uint8_t progression, roi_shift;
    uint8_t separation; /* XRsiz = YRsiz of the components behind the first; 0: 1 */
    uint8_t style;      /* of code-blocks (Table A.19) */
    uint8_t exponent;   /* of all bands, with two guard bits; 0: 31 with seven, the most */
    bool sop;           /* SOP may stand in front of packets */
};

void hostile_put16(struct bytes *bytes, uint32_t value);
void hostile_put32(struct bytes *bytes, uint32_t value);

/* SOC and the main header. */
void hostile_put_header(struct bytes *bytes, const struct hostile_picture *picture);
/* The tile-part with this body that is the only one of its tile. */
void hostile_put_part(struct bytes *bytes, uint32_t tile, const void *body, size_t length);
/* SOT with Psot, TPsot and TNsot, and SOD. */
void hostile_start_part(struct bytes *bytes, uint32_t tile, uint32_t length, uint8_t index, uint8_t count);

/* Bits of a packet header (B.10.1); `room` is 8 at first. */
struct hostile_bits {
    struct bytes *bytes;
    uint32_t value, count, room;
};
void hostile_put_bits(struct hostile_bits *w, uint32_t value, uint32_t count);
/* Whole bytes, and one more where the last is 0xFF. */
void hostile_end_bits(struct hostile_bits *bits);
/* Nodes of a tag tree of side × side leaves that are met first at the leaf (x, y): a bit each if all values are 0. */
uint32_t hostile_new_nodes(uint32_t x, uint32_t y, uint32_t side);

/* Decoding is to raw components. */
enum hostile_verb { HOSTILE_OPEN, HOSTILE_DECODE, HOSTILE_TRANSCODE };

kst_status hostile_run(kst_context *context, enum hostile_verb verb, const struct bytes *bytes);

struct hostile_use {
    kst_status status;
    double seconds; /* of this thread's processor time */
    size_t most;    /* bytes at once */
};

/* On the CPU by one thread, in a context of its own; fails where memory leaks. */
struct hostile_use hostile_measure(enum hostile_verb verb, const struct bytes *bytes);

/* Processor time of this thread: other programs on the machine do not count. */
double hostile_seconds(void);

#endif
