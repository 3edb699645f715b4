/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A code-block while it is encoded, one work-item a block. Work-items of a bundle walk over their blocks in step, so
 * that what they load and store lies side by side; a column costs each pass one word to load and at most one to store.
 *
 * A column's word: significance of its four rows in bits 0–3, their signs in 4–7, visited in this plane in 8–11,
 * refined before in 12–15; their bits of some planes in 16–31, four a plane. Signs count only where there is
 * significance, as far as neighbours are concerned. The struct coder comes first.
 */
#include "j2k_contexts.h"
#include "j2k_encode_work.h"
#include "j2k_style.h"

enum { COLUMN_SIGN = 4, COLUMN_VISITED = 8, COLUMN_REFINED = 12, COLUMN_PLANES = 16, ALL_ROWS = 15 };

/* Three columns of six bits, rows −1 to 4, from the west at bits 0, 9 and 18. */
#define WINDOW_EAST 18
#define WINDOW_CENTRE 9
#define WINDOW_NEAR (7u | 7u << 9 | 7u << 18)
#define WINDOW_SELF (1u << 10)
#define WINDOW_CROSS (1u << 1 | 1u << 9 | 1u << 11 | 1u << 19)

/* Tables in the work-group's memory, where random access is no slower than access in order. */
struct tables {
    LOCAL const u8 *zero; /* of the block's band */
    LOCAL const u8 *sign;
    LOCAL const u32 *rows;
};

/* All work-items of a group of `size`; a barrier has to follow. */
FUNCTION void copy_tables(LOCAL u8 *zero, LOCAL u8 *sign, LOCAL u32 *rows, u32 size)
{
    for (u32 i = local_index(); i < ZERO_TABLES * ZERO_TABLE; i += size)
        zero[i] = zero_contexts[i];
    for (u32 i = local_index(); i < SIGN_TABLE; i += size)
        sign[i] = sign_contexts[i];
    for (u32 i = local_index(); i < MQ_ROWS; i += size)
        rows[i] = mq_rows[i];
}

/* What a work-item knows of its block. */
struct block_state {
    struct coder coder;
    struct tables tables;
    LOCAL u32 *contexts; /* J2K_CODE_GROUP apart */
    GLOBAL u32 *columns; /* of the bundle, from the work-item's lane on */
    GLOBAL u32 *edges;
    GLOBAL u16 *history;
    u32 lanes, pitch, chunks, history_step;
    u32 width, height, stripes;
    u32 causal;
    u32 raw;
    u32 plane_at; /* COLUMN_PLANES and up: where this plane's bits go */
};

/* A column between its neighbours. */
struct window {
    u32 significant, negative; /* three columns */
    u32 above, above_negative; /* rows of bits: the next column's lowest, */
    u32 below, below_negative; /* of the stripes above and below */
    u32 live;                  /* rows that exist */
    u32 stripe, column;
};

FUNCTION LOCAL u32 *context_at(const struct block_state *b, u32 context)
{
    return b->contexts + context * J2K_CODE_GROUP;
}

FUNCTION GLOBAL u32 *edge_at(const struct block_state *b, u32 stripe, u32 chunk, u32 edge)
{
    return b->edges + ((stripe * b->chunks + chunk) * J2K_EDGES + edge) * b->lanes;
}

FUNCTION void reset_contexts(struct block_state *b)
{
    for (u32 i = 0; i < CONTEXTS; i++)
        *context_at(b, i) = b->tables.rows[0];
    *context_at(b, 0) = b->tables.rows[2 * 4];
    *context_at(b, CONTEXT_RUN) = b->tables.rows[2 * 3];
    *context_at(b, CONTEXT_UNIFORM) = b->tables.rows[2 * 46];
}

/* Rows of bits of the chunk that starts at a column. */
FUNCTION void enter_chunk(const struct block_state *b, struct window *w, u32 column)
{
    u32 chunk = column / J2K_CHUNK;
    w->above = w->above_negative = w->below = w->below_negative = 0;
    if (w->stripe > 0) {
        w->above = *edge_at(b, w->stripe - 1, chunk, 2);
        w->above_negative = *edge_at(b, w->stripe - 1, chunk, 3);
    }
    if (w->stripe + 1 < b->stripes && !b->causal) {
        w->below = *edge_at(b, w->stripe + 1, chunk, 0);
        w->below_negative = *edge_at(b, w->stripe + 1, chunk, 1);
    }
}

/* Move on by a column: `word` is the one that comes into view, number `column`. */
FUNCTION void slide(const struct block_state *b, struct window *w, u32 column, u32 word)
{
    if (column % J2K_CHUNK == 0 && column < b->width)
        enter_chunk(b, w, column);
    u32 bits = (w->above & 1) | (word & ALL_ROWS) << 1 | (w->below & 1) << 5;
    u32 signs = (w->above_negative & 1) | (word >> COLUMN_SIGN & ALL_ROWS) << 1 | (w->below_negative & 1) << 5;
    w->significant = w->significant >> 9 | bits << WINDOW_EAST;
    w->negative = w->negative >> 9 | signs << WINDOW_EAST;
    w->above >>= 1;
    w->above_negative >>= 1;
    w->below >>= 1;
    w->below_negative >>= 1;
}

FUNCTION u32 load_column(const struct block_state *b, u32 stripe, u32 column)
{
    return column < b->width ? b->columns[(stripe * b->pitch + column) * b->lanes] : 0;
}

FUNCTION void start_stripe(const struct block_state *b, struct window *w, u32 stripe)
{
    u32 rows = b->height - 4 * stripe;
    w->significant = w->negative = 0;
    w->above = w->above_negative = w->below = w->below_negative = 0;
    w->stripe = stripe;
    w->column = 0;
    w->live = rows < 4 ? (1u << rows) - 1 : ALL_ROWS;
}

/* The number of the lowest bit that is set. */
FUNCTION u32 lowest(u32 bits)
{
    return 31 - leading_zeros(bits & (0 - bits));
}

/* Rows that are significant or have a significant neighbour. */
FUNCTION u32 rows_near(u32 significant)
{
    u32 any = significant | significant >> 9 | significant >> 18;
    return (any | any >> 1 | any >> 2) & ALL_ROWS;
}

FUNCTION u32 zero_context(const struct block_state *b, const struct window *w, u32 row)
{
    u32 near = w->significant >> row & WINDOW_NEAR;
    return b->tables.zero[(near | near >> 6 | near >> 12) & (ZERO_TABLE - 1)];
}

/* D.3.2: the context in bits 1–7, the bit to invert with in bit 0. */
FUNCTION u32 sign_entry(const struct block_state *b, const struct window *w, u32 row)
{
    u32 cross = (w->significant >> row & WINDOW_CROSS) | (w->negative >> row & WINDOW_CROSS) << 1;
    return b->tables.sign[(cross >> 1 | cross >> 7 | cross >> 13) & (SIGN_TABLE - 1)];
}

/* A row has become significant: returns what its column's word is joined with, and lets those around know. */
FUNCTION u32 mark(const struct block_state *b, struct window *w, u32 row, u32 sign)
{
    w->significant |= WINDOW_SELF << row;
    w->negative |= sign * WINDOW_SELF << row;
    if (row == 0 || row == 3) {
        GLOBAL u32 *edge = edge_at(b, w->stripe, w->column / J2K_CHUNK, row == 0 ? 0 : 2);
        u32 bit = 1u << w->column % J2K_CHUNK;
        *edge |= bit;
        if (sign)
            edge[b->lanes] |= bit;
    }
    return (1u | sign << COLUMN_SIGN | 1u << b->plane_at) << row;
}

enum pass_kind { PASS_CLEANUP, PASS_SIGNIFICANCE, PASS_REFINEMENT };
