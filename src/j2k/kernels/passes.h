/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the coding passes of a code-block (T.800 Annex D), with one work-item for a block.
 * |
 * A word holds a bit for each coefficient of eight columns of a stripe in scanning order: row r of column c is bit 4 ×
 * c + r. Passes go from word to word, and in each word from one bit that has to be decoded to the next, so that columns
 * without any cost nothing.
 * |
 * For each eight columns of a stripe there is a record of four words: significance, signs of the significant
 * coefficients, and then both of these for the adjacent row of the stripe above and of the stripe below. In these last
 * two words, significance is at the bit of the row next to the adjacent row, and the sign is one bit further away from
 * the border; only the stripe that such a word describes writes it. Behind all records there are arrays of words with
 * the same numbering: what was visited in this plane, what was refined before, and the bits of each plane. The records
 * and words of the work-items of a bundle lie side by side.
 * |
 * Passes do not wait for memory while something can be decoded: the data of the next word are loaded in advance, and
 * atomic operations add bits to planes in memory.
 */
#include "j2k/kernels/coder.h"

#include "j2k/tables/blocks.h"

#define TOP_ROWS 0x11111111u
#define BOTTOM_ROWS 0x88888888u
#define ALL_ROWS 15u

/* Holds the state of a work-item's block. */
struct block_state {
    struct mq_decoder coder;
    struct lookup_tables tables;
    local_place contexts; /* states of the contexts, J2K_DECODE_GROUP words apart */
    GLOBAL u32 *states;
    u32 first; /* index of its first record; the next one is `lanes` further */
    /* Offsets from a record's index to the indices of its words; `plane` is for the plane of the current pass. */
    u32 visited, refined, plane;
    u32 lanes, pitch, span; /* pitch: from one stripe to the next; span: the block's records in a stripe */
    u32 room;               /* words of an array, for the whole bundle */
    u32 height, stripes;
    u32 last_columns; /* mask of the columns that exist in the last word of a stripe */
    u32 causal, raw;
};

FUNCTION local_place context_at(const struct block_state *b, u32 context)
{
    return b->contexts + context * (4 * J2K_DECODE_GROUP);
}

FUNCTION void reset_contexts(struct block_state *b)
{
    for (u32 i = 0; i < J2K_CONTEXTS; i++)
        put_local_word(context_at(b, i), state_of(0));
    put_local_word(context_at(b, 0), state_of(J2K_START_ZERO));
    put_local_word(context_at(b, J2K_CONTEXT_RUN), state_of(J2K_START_RUN));
    put_local_word(context_at(b, J2K_CONTEXT_UNIFORM), state_of(J2K_START_UNIFORM));
}

FUNCTION u32 symbol(struct block_state *b, u32 context)
{
    return decode_symbol(&b->coder, context_at(b, context), b->tables.next);
}

FUNCTION GLOBAL u32x4 *record_at(const struct block_state *b, u32 at)
{
    return (GLOBAL u32x4 *)(GLOBAL void *)b->states + at;
}

/* Return the index of a stripe's first record. An empty record precedes it, so that one also follows each stripe. */
FUNCTION u32 first_of(const struct block_state *b, u32 stripe)
{
    return b->first + stripe * b->pitch;
}

FUNCTION u32 live_rows(const struct block_state *b, u32 stripe)
{
    u32 rows = b->height - 4 * stripe;
    return rows < 4 ? ((1u << rows) - 1) * TOP_ROWS : 0xFFFFFFFFu;
}

/*
 * Copy significance and signs to the adjacent stripes: to the one above if coefficients of the first row have become
 * significant, and to the one below if coefficients of the last row have.
 */
FUNCTION void tell_neighbours(const struct block_state *b, u32 at, u32 stripe, u32 fresh, u32 found, u32 sign)
{
    if ((fresh & TOP_ROWS) != 0 && stripe > 0 && !b->causal)
        b->states[4 * (at - b->pitch) + 3] = (found & TOP_ROWS) << 3 | (sign & TOP_ROWS) << 2;
    if ((fresh & BOTTOM_ROWS) != 0 && stripe + 1 < b->stripes)
        b->states[4 * (at + b->pitch) + 2] = (found & BOTTOM_ROWS) >> 3 | (sign & BOTTOM_ROWS) >> 2;
}

/* Return a record's rows of the stripe above and the stripe below, combined. */
FUNCTION u32 edges_of(u32x4 record)
{
    return record.z | record.w;
}

/* Return the coefficients that have a significant neighbour above or below them. */
FUNCTION u32 beside_in_column(u32x4 record)
{
    return (record.x << 1 & ~TOP_ROWS) | (record.x >> 1 & ~BOTTOM_ROWS) | (edges_of(record) & (TOP_ROWS | BOTTOM_ROWS));
}

/* Holds the record of a word and the two beside it. */
struct near {
    u32x4 west, here, east;
};

FUNCTION void look_around_word(const struct block_state *b, struct near *n, u32 at)
{
    n->west = *record_at(b, at - b->lanes);
    n->here = *record_at(b, at);
    n->east = *record_at(b, at + b->lanes);
}

/* Move on to the next word of a stripe; `behind` is the record behind that word. */
FUNCTION void move_on(struct near *n, u32x4 behind)
{
    n->west = n->here;
    n->here = n->east;
    n->east = behind;
}

/* Return the coefficients that have a significant neighbour. */
FUNCTION u32 find_near(const struct near *n)
{
    u32 beside = beside_in_column(n->here), column = beside | n->here.x;
    u32 before = beside_in_column(n->west) | n->west.x;
    u32 behind = beside_in_column(n->east) | n->east.x;
    return beside | column << 4 | before >> 28 | column >> 4 | behind << 28;
}

/*
 * Holds a word's coefficients with all neighbours: row r of column c is bit 4 × c + r + 5 of two words. The edge words
 * replace bits of these where a neighbour is in the stripe above or below.
 */
struct neighbourhood {
    u32 low, high, edge_low, edge_high;
};

FUNCTION void open_neighbourhoods(const struct near *n, struct neighbourhood *found, struct neighbourhood *negative)
{
    u32 west = edges_of(n->west), here = edges_of(n->here), east = edges_of(n->east);
    found->low = funnel(n->here.x, n->west.x, 5);
    found->high = funnel(n->east.x, n->here.x, 5);
    found->edge_low = (funnel(here, west, 4) & TOP_ROWS) | (funnel(here, west, 6) & ~TOP_ROWS);
    found->edge_high = (funnel(east, here, 4) & TOP_ROWS) | (funnel(east, here, 6) & ~TOP_ROWS);
    negative->low = funnel(n->here.y, n->west.y, 5);
    negative->high = funnel(n->east.y, n->here.y, 5);
    negative->edge_low = (funnel(here, west, 3) & TOP_ROWS) | (funnel(here, west, 7) & ~TOP_ROWS);
    negative->edge_high = (funnel(east, here, 3) & TOP_ROWS) | (funnel(east, here, 7) & ~TOP_ROWS);
}

/*
 * Return the neighbourhood of the coefficient at bit `at`. `edge` is the mask of those of its bits that are in the
 * stripe above or below.
 */
FUNCTION u32 look_around(const struct neighbourhood *w, u32 at, u32 edge)
{
    return (shift_pair(w->low, w->high, at) & ~edge) | (shift_pair(w->edge_low, w->edge_high, at) & edge);
}

FUNCTION void mark(struct neighbourhood *w, u32 bit)
{
    w->low |= bit << 5;
    w->high |= bit >> 27;
}

/* Return the index of the only bit that is set. */
FUNCTION u32 number_of(u32 bit)
{
    return 31 - leading_zeros(bit);
}

/* Decode a sign (D.3.2). Returns 1 if it is negative. */
FUNCTION u32 decode_sign(
    struct block_state *b, const struct neighbourhood *negative, u32 around, u32 at, u32 edge, u32 raw)
{
    if (raw)
        return raw_bit(&b->coder);
    u32 signs = look_around(negative, at, edge) & AROUND_CROSS;
    u32 entry = local_byte(b->tables.sign + ((around & AROUND_CROSS) | signs << 1));
    return symbol(b, entry & 127) ^ entry >> 7;
}

/* Return the neighbours that come later in scanning order and are in the same word. */
FUNCTION u32 later_neighbours(u32 bit)
{
    return (bit & ~BOTTOM_ROWS) * 0x22 + bit * 0x10 + (bit & ~TOP_ROWS) * 8;
}

enum pass_kind { PASS_CLEANUP, PASS_SIGNIFICANCE, PASS_REFINEMENT };

/*
 * Decode the coefficients `todo` of a word in a significance pass (D.3.1) or a cleanup pass (D.3.4). A significance
 * pass also decodes those of `more` that get a significant neighbour. In a cleanup pass, the columns whose first rows
 * are in `quiet` begin with run-length coding; `todo` does not have their other rows. Returns the rest of `more`.
 */
FUNCTION u32 decode_word(
    struct block_state *b, struct near *n, enum pass_kind kind, u32 raw, u32 todo, u32 more, u32 quiet)
{
    struct neighbourhood w, negative;
    open_neighbourhoods(n, &w, &negative);
    while (todo) {
        u32 bit = todo & (0 - todo), at = number_of(bit), run = kind == PASS_CLEANUP ? quiet & bit : 0, found;
        u32 edge = bit & TOP_ROWS ? AROUND_NORTH : bit & BOTTOM_ROWS ? AROUND_SOUTH : 0, around = 0;
        todo ^= bit;
        if (raw)
            found = raw_bit(&b->coder);
        else {
            around = look_around(&w, at, edge);
            u32 context = local_byte(b->tables.zero + (around & AROUND));
            found = symbol(b, run ? J2K_CONTEXT_RUN : context);
        }
        if (found) {
            if (run) {
                u32 row = symbol(b, J2K_CONTEXT_UNIFORM) << 1;
                row |= symbol(b, J2K_CONTEXT_UNIFORM);
                todo |= (14u << row & ALL_ROWS) << at;
                at += row;
                bit <<= row;
                edge = row == 0 ? AROUND_NORTH : row == 3 ? AROUND_SOUTH : 0;
                around = look_around(&w, at, edge);
            }
            u32 sign = decode_sign(b, &negative, around, at, edge, raw);
            mark(&w, bit);
            mark(&negative, sign ? bit : 0);
            if (kind == PASS_SIGNIFICANCE) {
                u32 later = later_neighbours(bit) & more;
                todo |= later;
                more ^= later;
            } else {
                u32 next = quiet & 16u << (at & 28);
                todo |= next * ALL_ROWS;
                quiet ^= next;
            }
        }
    }
    n->here.x = shift_pair(w.low, w.high, 5);
    n->here.y = shift_pair(negative.low, negative.high, 5);
    return more;
}

/*
 * Return the columns that are run-length coded in a cleanup pass, as the bits of their first rows: those without known
 * coefficients.
 */
FUNCTION u32 find_quiet(u32 known)
{
    known |= known >> 2;
    known |= known >> 1;
    return ~known & TOP_ROWS;
}

/*
 * Decode a word of a significance pass (D.3.1). `todo`: coefficients that are not significant yet. Returns the
 * coefficients that were visited.
 */
FUNCTION u32 find_new(struct block_state *b, struct near *n, u32 raw, u32 todo)
{
    u32 near = find_near(n), left = todo & ~near;
    if (todo & near)
        left = decode_word(b, n, PASS_SIGNIFICANCE, raw, todo & near, left, 0);
    return todo & ~left;
}

/*
 * Decode a word of a cleanup pass (D.3.4). `known` are coefficients that do not exist, were visited, or are
 * significant.
 */
FUNCTION void find_rest(struct block_state *b, struct near *n, u32 known)
{
    u32 quiet = find_quiet(find_near(n) | known);
    decode_word(b, n, PASS_CLEANUP, 0, ~known & ~(quiet * 14), 0, quiet);
}

/* Add bits to a word of the plane. */
FUNCTION void add_bits(const struct block_state *b, u32 at, u32 bits)
{
    if (bits)
        join(b->states + (at + b->plane), bits);
}

/*
 * Decode a word of a stripe in a significance or cleanup pass. `missing`: coefficients that are outside of the block;
 * `first`: this is the block's first pass; `visited`: coefficients that the plane's significance pass visited.
 */
FUNCTION void walk_word(struct block_state *b, struct near *n, enum pass_kind kind, u32 raw, u32 first, u32 stripe,
    u32 at, u32 missing, u32 visited)
{
    u32 before = n->here.x, fresh;
    if (kind == PASS_SIGNIFICANCE) {
        u32 todo = ~(before | missing);
        visited = todo ? find_new(b, n, raw, todo) : 0;
        b->states[at + b->visited] = visited;
    } else if (~(before | missing | visited))
        find_rest(b, n, before | missing | visited);
    fresh = n->here.x ^ before;
    if (kind == PASS_SIGNIFICANCE || first)
        b->states[at + b->plane] = fresh;
    else
        add_bits(b, at, fresh);
    if (fresh) {
        *(GLOBAL u32x2 *)(GLOBAL void *)record_at(b, at) = make_u32x2(n->here.x, n->here.y);
        tell_neighbours(b, at, stripe, fresh, n->here.x, n->here.y);
    }
}

/* Decode a significance or cleanup pass over all words in the order of D.1. `first`: it is the block's first pass. */
FUNCTION void walk_new(struct block_state *b, enum pass_kind kind, u32 raw, u32 first)
{
    u32 lanes = b->lanes, asks = kind == PASS_CLEANUP && !first;
    for (u32 stripe = 0; stripe < b->stripes; stripe++) {
        u32 missing = ~live_rows(b, stripe), at = first_of(b, stripe), end = at + b->span;
        u32 visited = 0, next_visited = asks ? b->states[at + b->visited] : 0;
        struct near n;
        u32x4 ahead = *record_at(b, at + lanes);
        n.here = make_u32x4(0, 0, 0, 0);
        n.east = *record_at(b, at);
        for (; at != end; at += lanes) {
            move_on(&n, ahead);
            visited = next_visited;
            if (at + lanes == end)
                missing |= ~b->last_columns;
            else {
                ahead = *record_at(b, at + 2 * lanes);
                next_visited = asks ? b->states[at + lanes + b->visited] : 0;
            }
            walk_word(b, &n, kind, raw, first, stripe, at, missing, visited);
        }
    }
}

/* Decode the coefficients `todo` of a word in a refinement pass (D.3.3). Returns those whose bits are 1. */
FUNCTION u32 refine_word(struct block_state *b, u32 raw, u32 todo, u32 refined, u32 near)
{
    u32 set = 0;
    while (todo) {
        u32 bit = todo & (0 - todo), found;
        todo ^= bit;
        if (raw)
            found = raw_bit(&b->coder);
        else
            found = symbol(b, J2K_CONTEXT_MAGNITUDE + (refined & bit ? 2 : near & bit ? 1 : 0));
        set |= found ? bit : 0;
    }
    return set;
}

/*
 * Decode a word of a refinement pass. The contexts of coefficients that are refined for the first time depend on
 * whether they have significant neighbours.
 */
FUNCTION void walk_refined(struct block_state *b, const struct near *n, u32 raw, u32 at, u32 visited, u32 refined)
{
    u32 todo = n->here.x & ~visited, near = 0;
    if (todo) {
        if (todo & ~refined) {
            near = find_near(n);
            b->states[at + b->refined] = refined | todo;
        }
        add_bits(b, at, refine_word(b, raw, todo, refined, near));
    }
}

FUNCTION void walk_refinement(struct block_state *b, u32 raw)
{
    u32 lanes = b->lanes;
    for (u32 stripe = 0; stripe < b->stripes; stripe++) {
        u32 at = first_of(b, stripe), end = at + b->span;
        u32 next_visited = b->states[at + b->visited], next_refined = b->states[at + b->refined];
        struct near n;
        u32x4 ahead = *record_at(b, at + lanes);
        n.here = make_u32x4(0, 0, 0, 0);
        n.east = *record_at(b, at);
        for (; at != end; at += lanes) {
            u32 visited = next_visited, refined = next_refined;
            move_on(&n, ahead);
            if (at + lanes != end) {
                ahead = *record_at(b, at + 2 * lanes);
                next_visited = b->states[at + lanes + b->visited];
                next_refined = b->states[at + lanes + b->refined];
            }
            walk_refined(b, &n, raw, at, visited, refined);
        }
    }
}

/* Decode a segmentation symbol (D.5). Returns whether it is correct. */
FUNCTION u32 right_symbol(struct block_state *b)
{
    u32 bits = 0;
    ROLL for (u32 i = 0; i < 4; i++) bits = bits << 1 | symbol(b, J2K_CONTEXT_UNIFORM);
    return bits == 0xA;
}
