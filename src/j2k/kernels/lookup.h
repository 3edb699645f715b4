/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables that coders of code-blocks look up, in the work-group's memory. The neighbourhood of a coefficient
 * is eleven bits, laid out as words of bits in scanning order: the column to the west in bits 0–2, the coefficient's
 * own column in bits 4–6, and the column to the east in bits 8–10, each from north to south.
 */
#include "j2k/kernels/contexts.h"

enum {
    AROUND = 0x777,
    AROUND_NORTH = 0x111,
    AROUND_SOUTH = 0x444,
    AROUND_CROSS = 0x252, /* the four neighbours that sign contexts depend on */
    AROUND_TABLE = 2048,
    /* The bits of a state that hold 8 × (2 × row + the more probable symbol); the symbol is also in bit 31. */
    STATE_PLACE = 0x3F8,
    STATE_SYMBOL = 8 /* the one of these bits that holds the symbol */
};

#define STATE_ESTIMATE 0x7FFF0000u /* the bits of a state that hold Qe */

struct lookup_tables {
    local_place zero; /* contexts of zero coding in the block's band, indexed by significance in the neighbourhood */
    /*
     * The context in bits 0–6, and in bit 7 the bit by which the symbol is inverted; indexed by the significance of the
     * cross | its signs << 1.
     */
    local_place sign;
    local_place next; /* indexed by a state's place: the states that follow a more and a less probable symbol */
};

FUNCTION u32 state_of(u32 index)
{
    return (mq_rows[index] & STATE_ESTIMATE) | index << 31 | index << 3;
}

/* Fill the table of following states. All work-items of a group of `size` must call this, and a barrier must follow. */
FUNCTION void fill_next(LOCAL u32x2 *next, u32 size)
{
    for (u32 i = local_index(); i < J2K_MQ_STATES; i += size)
        next[i] = make_u32x2(state_of(mq_rows[i] >> 1 & 127), state_of(mq_rows[i] >> 8 & 127));
}

/* Fill all tables. All work-items of a group of `size` must call this, and a barrier must follow. */
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
