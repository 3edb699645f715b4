/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the coders of code-blocks look up, in the work-group's memory. Surroundings of a coefficient are eleven bits:
 * its own column in bits 4–6 from the north, that to the west in 0–2, to the east in 8–10, as they come out of words of
 * bits in scanning order.
 */
#include "j2k/kernels/contexts.h"

enum {
    AROUND = 0x777,
    AROUND_NORTH = 0x111,
    AROUND_SOUTH = 0x444,
    AROUND_CROSS = 0x252, /* the four neighbours that signs depend on */
    AROUND_TABLE = 2048,
    STATE_PLACE = 0x3F8, /* bits of a state: 8 × (2 × row + the more probable symbol); that also in bit 31 */
    STATE_SYMBOL = 8     /* of them that symbol's */
};

#define STATE_ESTIMATE 0x7FFF0000u /* Qe */

struct tables {
    local_place zero; /* contexts of zero coding in the block's band, by what is significant around */
    local_place sign; /* context in bits 0–6, the bit to invert with in 7; by the cross, | signs << 1 */
    local_place next; /* at a state's place, those that follow a more and a less probable symbol */
};

FUNCTION u32 state_of(u32 index)
{
    return (mq_rows[index] & STATE_ESTIMATE) | index << 31 | index << 3;
}

/* All work-items of a group of `size`; a barrier has to follow. */
FUNCTION void fill_next(LOCAL u32x2 *next, u32 size)
{
    for (u32 i = local_index(); i < MQ_ROWS; i += size)
        next[i] = make_u32x2(state_of(mq_rows[i] >> 1 & 127), state_of(mq_rows[i] >> 8 & 127));
}

/* Likewise. */
FUNCTION void fill_tables(LOCAL u8 *zero, LOCAL u8 *sign, LOCAL u32x2 *next, u32 size)
{
    for (u32 i = local_index(); i < AROUND_TABLE; i += size) {
        u32 near = (i & 7) | (i >> 1 & 0x38) | (i >> 2 & 0x1C0);
        for (u32 t = 0; t < ZERO_TABLES; t++)
            zero[t * AROUND_TABLE + i] = zero_contexts[t * ZERO_TABLE + near];
        u32 entry = sign_contexts[(i >> 1 & 3) | (i >> 2 & 0x3C) | (i >> 3 & 0xC0)];
        sign[i] = (u8)(entry >> 1 | entry << 7);
    }
    fill_next(next, size);
}
