/* SPDX-License-Identifier: BSD-2-Clause */
/* The coding passes of a code-block (T.800 Annex D) as the encoder has them, one work-item a block. */
#include "j2k_mq.h"

#include "j2k_window.h"

#include "j2k_prepare.h"

/* A block that is being coded. */
struct coding {
    struct block_state b;
    GLOBAL const u32 *fractions; /* of its lane, as its columns */
    u32 measured;
    u32 plane; /* at hand, from the lowest */
    i32 gain;  /* of its significance pass */
};

FUNCTION void code_bit(struct block_state *b, u32 context, u32 bit)
{
    encode_symbol(&b->coder, context_at(b, context), b->tables.rows, bit);
}

/* D.3.2 */
FUNCTION void code_sign(struct block_state *b, const struct window *w, u32 row, u32 negative)
{
    if (b->raw)
        write_raw(&b->coder, negative);
    else {
        u32 entry = sign_entry(b, w, row);
        code_bit(b, entry >> 1, negative ^ (entry & 1));
    }
}

/* A row that is 1 in this plane for the first time. */
FUNCTION u32 code_first(struct block_state *b, struct window *w, u32 row, u32 word)
{
    u32 negative = word >> (COLUMN_SIGN + row) & 1;
    code_sign(b, w, row, negative);
    return word | mark(b, w, row, negative);
}

/* By how much the rows that became significant lower the squared error. */
FUNCTION i32 column_gain(const struct coding *c, u32 rows, u32 at)
{
    u32 top = c->plane + 1 - gain_shift(c->plane), fractions = c->fractions[at * c->b.lanes];
    i32 gain = 0;
    for (; rows; rows &= rows - 1) {
        i32 part = (i32)(fractions >> (8 * lowest(rows)) & 0xFF) + (1 << top);
        gain += part * part - error_left(c->plane, top, part);
    }
    return gain;
}

/* D.3.1 */
FUNCTION u32 code_significance(struct coding *c, struct window *w, u32 word, u32 at)
{
    struct block_state *b = &c->b;
    u32 rows = rows_near(w->significant) & ~word & w->live, before = word;
    while (rows) {
        u32 row = lowest(rows), bit = word >> (b->plane_at + row) & 1;
        rows &= rows - 1;
        word |= 1u << (COLUMN_VISITED + row);
        if (b->raw)
            write_raw(&b->coder, bit);
        else
            code_bit(b, zero_context(b, w, row), bit);
        if (bit) {
            word = code_first(b, w, row, word);
            rows |= 2u << row & w->live & ~word;
        }
    }
    u32 fresh = word & ~before & ALL_ROWS;
    if (c->measured && fresh)
        c->gain += column_gain(c, fresh, at);
    return word;
}

/* D.3.3 */
FUNCTION u32 code_refinement(struct block_state *b, const struct window *w, u32 word)
{
    u32 rows = word & ~(word >> COLUMN_VISITED) & ALL_ROWS, refined = rows;
    while (rows) {
        u32 row = lowest(rows), bit = word >> (b->plane_at + row) & 1;
        rows &= rows - 1;
        if (b->raw)
            write_raw(&b->coder, bit);
        else {
            u32 near = (w->significant >> row & WINDOW_NEAR & ~WINDOW_SELF) != 0;
            code_bit(b, CONTEXT_MAGNITUDE + (word >> (COLUMN_REFINED + row) & 1 ? 2 : near), bit);
        }
    }
    return word | refined << COLUMN_REFINED;
}

/* D.3.4; what was visited is forgotten. */
FUNCTION u32 code_cleanup(struct block_state *b, struct window *w, u32 word)
{
    u32 rows = w->live & ~(word | word >> COLUMN_VISITED), known = 0;
    if (w->significant == 0 && rows == ALL_ROWS) {
        u32 plane = word >> b->plane_at & ALL_ROWS;
        known = plane != 0;
        code_bit(b, CONTEXT_RUN, known);
        rows = 0;
        if (known) {
            u32 row = lowest(plane);
            code_bit(b, CONTEXT_UNIFORM, row >> 1);
            code_bit(b, CONTEXT_UNIFORM, row & 1);
            rows = ALL_ROWS << row & ALL_ROWS;
        }
    }
    while (rows) {
        u32 row = lowest(rows), bit = word >> (b->plane_at + row) & 1;
        rows &= rows - 1;
        if (!known)
            code_bit(b, zero_context(b, w, row), bit);
        if (bit)
            word = code_first(b, w, row, word);
        known = 0;
    }
    return word & ~((u32)ALL_ROWS << COLUMN_VISITED);
}

/* A pass over all columns in the order of D.1. `fetch`: 1 + which of the history's bits it takes to its words. */
FUNCTION void code_columns(struct coding *c, enum pass_kind kind, u32 fetch)
{
    struct block_state *b = &c->b;
    struct window w;
    for (u32 stripe = 0; stripe < b->stripes; stripe++) {
        u32 word, east = load_column(b, stripe, 0), next = load_column(b, stripe, 1);
        start_stripe(b, &w, stripe);
        slide(b, &w, 0, east);
        for (u32 column = 0; column < b->width; column++) {
            word = east;
            east = next;
            next = load_column(b, stripe, column + 2);
            slide(b, &w, column + 1, east);
            w.column = column;
            u32 at = stripe * b->pitch + column, before = word;
            if (fetch > 0) {
                u32 bits = b->history[(u64)((fetch - 1) * b->history_step + at) * b->lanes];
                word = (word & 0xFFFF) | bits << COLUMN_PLANES;
            }
            if (kind == PASS_SIGNIFICANCE)
                word = code_significance(c, &w, word, at);
            else if (kind == PASS_REFINEMENT)
                word = code_refinement(b, &w, word);
            else
                word = code_cleanup(b, &w, word);
            if (word != before)
                b->columns[at * b->lanes] = word;
        }
    }
}

/* The first pass of every fourth plane takes bits from the history. */
FUNCTION void code_pass(struct coding *c, u32 style, u32 pass)
{
    u32 index = (pass + 2) / 3, first = pass == 0 || (pass % 3 == 1 && index % J2K_HISTORY == 0);
    u32 fetch = first ? 1 + index / J2K_HISTORY : 0;
    c->b.plane_at = COLUMN_PLANES + 4 * (index % J2K_HISTORY);
    if (pass % 3 == 1)
        code_columns(c, PASS_SIGNIFICANCE, fetch);
    else if (pass % 3 == 2)
        code_columns(c, PASS_REFINEMENT, 0);
    else {
        code_columns(c, PASS_CLEANUP, fetch);
        for (u32 i = 0; i < 4 && (style & STYLE_SYMBOLS) != 0; i++) /* D.5 */
            code_bit(&c->b, CONTEXT_UNIFORM, 0xAu >> (3 - i) & 1);
    }
    if ((style & STYLE_RESET) != 0 && !c->b.raw)
        reset_contexts(&c->b);
}

/* Table D.9 */
FUNCTION u32 ends_segment(u32 style, u32 pass)
{
    return (style & STYLE_TERMALL) != 0 || ((style & STYLE_BYPASS) != 0 && pass >= 9 && pass % 3 != 1);
}
