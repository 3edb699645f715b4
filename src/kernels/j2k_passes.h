/* SPDX-License-Identifier: BSD-2-Clause */
/* The coding passes of a code-block (T.800 Annex D), as the decoder has them. */
#include "j2k_coder.h"

#include "j2k_window.h"

FUNCTION u32 symbol(struct block_state *b, u32 context)
{
    return decode_symbol(&b->coder, context_at(b, context), b->tables.rows);
}

/* D.3.2: 1 if negative. */
FUNCTION u32 decode_sign(struct block_state *b, const struct window *w, u32 row)
{
    if (b->raw)
        return raw_bit(&b->coder);
    u32 entry = sign_entry(b, w, row);
    return symbol(b, entry >> 1) ^ (entry & 1);
}

/* D.3.1 */
FUNCTION u32 significance_column(struct block_state *b, struct window *w, u32 word)
{
    u32 rows = rows_near(w->significant) & ~word & w->live;
    while (rows) {
        u32 row = lowest(rows), found;
        rows &= rows - 1;
        word |= 1u << (COLUMN_VISITED + row);
        if (b->raw)
            found = raw_bit(&b->coder);
        else
            found = symbol(b, zero_context(b, w, row));
        if (found) {
            word |= mark(b, w, row, decode_sign(b, w, row));
            rows |= 2u << row & w->live & ~word;
        }
    }
    return word;
}

/* D.3.3 */
FUNCTION u32 refinement_column(struct block_state *b, const struct window *w, u32 word)
{
    u32 rows = word & ~(word >> COLUMN_VISITED) & ALL_ROWS, refined = rows;
    while (rows) {
        u32 row = lowest(rows), bit;
        rows &= rows - 1;
        if (b->raw)
            bit = raw_bit(&b->coder);
        else {
            u32 near = (w->significant >> row & WINDOW_NEAR & ~WINDOW_SELF) != 0;
            bit = symbol(b, CONTEXT_MAGNITUDE + (word >> (COLUMN_REFINED + row) & 1 ? 2 : near));
        }
        word |= bit << (b->plane_at + row);
    }
    return word | refined << COLUMN_REFINED;
}

/* D.3.4; what was visited is forgotten. */
FUNCTION u32 cleanup_column(struct block_state *b, struct window *w, u32 word)
{
    u32 rows = w->live & ~(word | word >> COLUMN_VISITED), found = 0;
    if (w->significant == 0 && rows == ALL_ROWS) {
        found = symbol(b, CONTEXT_RUN);
        rows = 0;
        if (found) {
            u32 high = symbol(b, CONTEXT_UNIFORM);
            rows = ALL_ROWS << (2 * high + symbol(b, CONTEXT_UNIFORM)) & ALL_ROWS;
        }
    }
    while (rows) {
        u32 row = lowest(rows);
        rows &= rows - 1;
        if (!found)
            found = symbol(b, zero_context(b, w, row));
        if (found)
            word |= mark(b, w, row, decode_sign(b, w, row));
        found = 0;
    }
    return word & ~((u32)ALL_ROWS << COLUMN_VISITED);
}

/* A pass over all columns in the order of D.1. `keep`: 1 + where the history of the planes that are complete goes. */
FUNCTION void walk(struct block_state *b, enum pass_kind kind, u32 keep)
{
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
            if (kind == PASS_SIGNIFICANCE)
                word = significance_column(b, &w, word);
            else if (kind == PASS_REFINEMENT)
                word = refinement_column(b, &w, word);
            else
                word = cleanup_column(b, &w, word);
            if (kind == PASS_CLEANUP && keep > 0) {
                b->history[(u64)((keep - 1) * b->history_step + at) * b->lanes] = (u16)(word >> COLUMN_PLANES);
                word &= 0xFFFF;
            }
            if (word != before)
                b->columns[at * b->lanes] = word;
        }
    }
}

/* D.5 */
FUNCTION u32 right_symbol(struct block_state *b)
{
    u32 bits = 0;
    for (u32 i = 0; i < 4; i++)
        bits = bits << 1 | symbol(b, CONTEXT_UNIFORM);
    return bits == 0xA;
}
