/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the kernel of tier-1 decoding that decodes several passes of a block at the same time. Each pass has a
 * work-item of its own, which stays a stripe and two words behind the previous pass, as far as codewords and contexts
 * allow that (T.800 D.4, Table A.19). All work-items process one word in each step; those without work wait for the end
 * of the step. A pass reads and writes only its word and the adjacent ones, which the previous pass has finished and
 * the next one has not reached. In a work-group, 32 neighbouring work-items each have the cleanup, significance and
 * refinement passes; among these 32, as many as the bundle has lanes work on the same plane of all its blocks. If a
 * block is damaged, its results are dropped, and decode_blocks decodes it again.
 */
#include "j2k/kernels/blocks.h"

enum { WAVE_AHEAD = 2, CODER_WORDS = 8 };

/*
 * Holds the schedule of a block's passes: a pass, and the step in which it begins. All work-items of the block compute
 * the same schedule.
 */
struct schedule {
    GLOBAL const struct j2k_work_codeword *codewords;
    u32 style, count, segments;
    u32 across;     /* words of a stripe */
    u32 words, lag; /* steps that a pass takes, and steps between the beginnings of two passes */
    u32 in_turn;    /* one work-item decodes all passes of a kind */
    u32 pass, start;
    u32 segment, left;       /* segment of the pass, and how many passes of it are left, including this one */
    u32 coded;               /* step in which the last pass with contexts ends */
    u32 last_end, other_end; /* ends of the previous pass, and of the one before that */
};

FUNCTION u32 latest(u32 a, u32 b)
{
    return a > b ? a : b;
}

FUNCTION void begin_schedule(struct schedule *s)
{
    s->pass = s->start = s->segment = s->coded = s->last_end = s->other_end = 0;
    s->left = s->segments > 0 ? s->codewords->passes : 0;
}

FUNCTION void next_pass(struct schedule *s)
{
    u32 end = s->start + s->words, start = s->start + s->lag;
    s->coded = j2k_pass_is_raw(s->style, s->pass) ? s->coded : end;
    s->left--;
    if (s->left > 0)
        start = latest(start, end);
    else {
        s->segment++;
        s->left = s->segment < s->segments ? s->codewords[s->segment].passes : 0;
    }
    s->pass++;
    if ((s->style & J2K_STYLE_RESET) == 0 && !j2k_pass_is_raw(s->style, s->pass))
        start = latest(start, s->coded);
    start = s->in_turn ? latest(start, s->other_end) : start;
    if (start - s->start == 2 * s->across) /* otherwise both passes would write edges of the stripe in between */
        start++;
    s->start = start;
    s->other_end = s->last_end;
    s->last_end = end;
}

/*
 * Return whether all passes belong to coded planes, and segments have the passes that the style demands. *count
 * receives the number of passes.
 */
FUNCTION u32 is_regular(GLOBAL const struct j2k_work_block *block, GLOBAL const struct j2k_work_codeword *s, u32 *count)
{
    u32 style = block->style, most = 3 * block->planes - 2, pass = 0, good = !block->too_deep;
    for (u32 i = 0; i < block->segments && good; i++) {
        u32 passes = s[i].passes, raw = j2k_pass_is_raw(style, pass);
        good = passes > 0 && passes <= most - pass;
        for (u32 k = 1; k < passes && good; k++)
            good = j2k_pass_is_raw(style, pass + k) == raw;
        pass += passes;
    }
    *count = good ? pass : 0;
    return good;
}

/* Describes a work-item's passes: passes of one kind, `stride` apart. */
struct wave {
    struct block_state b;
    struct schedule s;
    GLOBAL const u32 *bits;
    LOCAL u32 *coder;     /* state of the MQ decoder, which the block's passes hand on to each other */
    local_place contexts; /* contexts of the block; those of the work-item are in `b` */
    LOCAL u32 *wrong;     /* whether anything was wrong in the block */
    u32 kind, stride;
    u32 stripe, at, end;
};

FUNCTION void keep_coder(const struct mq_decoder *c, LOCAL u32 *to)
{
    to[0] = c->range;
    to[1] = c->high;
    to[2] = c->low;
    to[3] = (u32)c->available;
    to[4] = c->ahead;
    to[5] = c->next;
}

FUNCTION void take_coder(struct mq_decoder *c, LOCAL const u32 *from)
{
    c->range = from[0];
    c->high = from[1];
    c->low = from[2];
    c->available = (i32)from[3];
    c->ahead = from[4];
    c->next = from[5];
}

FUNCTION void begin_pass(struct wave *w)
{
    struct block_state *b = &w->b;
    GLOBAL const struct j2k_work_codeword *s = w->s.codewords + w->s.segment;
    b->raw = j2k_pass_is_raw(w->s.style, w->s.pass);
    b->plane = b->refined + (1 + (w->s.pass + 2) / 3) * b->room;
    start_coder(&b->coder, w->bits + s->bits);
    if (w->s.left < s->passes)
        take_coder(&b->coder, w->coder);
    if (w->s.pass == 0 || ((w->s.style & J2K_STYLE_RESET) != 0 && !b->raw))
        reset_contexts(b);
    w->stripe = 0;
    w->at = first_of(b, 0);
    w->end = w->at + b->span;
}

FUNCTION void end_pass(struct wave *w)
{
    struct block_state *b = &w->b;
    u32 style = w->s.style, good = 1;
    if (w->kind == PASS_CLEANUP && (style & J2K_STYLE_SYMBOLS) != 0)
        good = right_symbol(b);
    if (w->s.left > 1)
        keep_coder(&b->coder, w->coder);
    else if (good && (style & J2K_STYLE_PREDICTABLE) != 0)
        good = ended_well(b, style, w->bits + w->s.codewords[w->s.segment].bits);
    if (!good)
        join_local(w->wrong, 1);
    for (u32 i = 0; i < w->stride && w->s.pass < w->s.count; i++)
        next_pass(&w->s);
}

FUNCTION void wave_word(struct wave *w)
{
    struct block_state *b = &w->b;
    u32 missing = ~live_rows(b, w->stripe) | (w->at + b->lanes == w->end ? ~b->last_columns : 0);
    u32 visited = w->kind != PASS_SIGNIFICANCE && w->s.pass > 0 ? b->states[w->at + b->visited] : 0;
    struct near n;
    look_around_word(b, &n, w->at);
    if (w->kind == PASS_CLEANUP)
        walk_word(b, &n, PASS_CLEANUP, 0, w->s.pass == 0, w->stripe, w->at, missing, visited);
    else if (w->kind == PASS_SIGNIFICANCE) {
        if (b->raw)
            walk_word(b, &n, PASS_SIGNIFICANCE, 1, 0, w->stripe, w->at, missing, 0);
        else
            walk_word(b, &n, PASS_SIGNIFICANCE, 0, 0, w->stripe, w->at, missing, 0);
    } else if (b->raw)
        walk_refined(b, &n, 1, w->at, visited, b->states[w->at + b->refined]);
    else
        walk_refined(b, &n, 0, w->at, visited, b->states[w->at + b->refined]);
}

FUNCTION void wave_step(struct wave *w, u32 step)
{
    if (w->s.pass >= w->s.count || step < w->s.start)
        return;
    if (step == w->s.start)
        begin_pass(w);
    wave_word(w);
    w->at += w->b.lanes;
    if (w->at == w->end) {
        w->stripe++;
        if (w->stripe == w->b.stripes)
            end_pass(w);
        else {
            w->at = first_of(&w->b, w->stripe);
            w->end = w->at + w->b.span;
        }
    }
}

/* Clear a work-item's share of the block's state; clear_state() clears all of it. */
FUNCTION void clear_share(const struct block_state *b, u32 self, u32 count)
{
    u32 words = b->stripes * b->pitch / b->lanes;
    for (u32 i = self; i <= words; i += count) {
        u32 at = b->first + (i - 1) * b->lanes;
        *record_at(b, at) = make_u32x4(0, 0, 0, 0);
        if (i < words)
            b->states[at + b->refined] = 0;
    }
}

/* Return the step behind the last one, by going through the schedule of all passes. */
FUNCTION u32 find_end(struct schedule s)
{
    u32 end = 0;
    while (s.pass < s.count) {
        end = s.start + s.words;
        next_pass(&s);
    }
    return end;
}

/*
 * Set up a work-item's passes. `flight` is the index of its flight in the bundle. Its first pass is the pass of its
 * kind in the plane with that index; but plane 0 has only a cleanup pass, so that other kinds begin `flights` planes
 * later.
 */
FUNCTION void find_wave(struct wave *w, GLOBAL const struct j2k_work_bundle *bundle, GLOBAL const u32 *RESTRICT work,
    GLOBAL const struct j2k_work_block *block, GLOBAL u32 *states, u32 lane, u32 flight)
{
    struct block_state *b = &w->b;
    struct schedule *s = &w->s;
    find_state(b, bundle, block, states, lane);
    s->codewords = (GLOBAL const struct j2k_work_codeword *)(work + block->segment);
    s->style = block->style;
    s->segments = block->segments;
    s->words = b->span / b->lanes * b->stripes;
    s->across = b->span / b->lanes;
    s->lag = s->across + WAVE_AHEAD;
    s->in_turn = bundle->flights == 1;
    w->stride = 3 * bundle->flights;
    if (bundle->flights > 1)
        s->lag = latest(s->lag, (s->words + w->stride - 1) / w->stride);
    begin_schedule(s);
    if ((s->style & J2K_STYLE_RESET) == 0)
        b->contexts = w->contexts;
    clear_share(b, w->kind * bundle->flights + flight, w->stride);
}

FUNCTION void find_first_pass(struct wave *w, u32 flights, u32 flight)
{
    u32 plane = w->kind != PASS_CLEANUP && flight == 0 ? flights : flight;
    u32 first = 3 * plane - (w->kind == PASS_SIGNIFICANCE ? 2 : w->kind == PASS_REFINEMENT ? 1 : 0);
    while (w->s.pass < w->s.count && w->s.pass < first)
        next_pass(&w->s);
}

/*
 * Decode a bundle with each work-group. `passes` gets the number of decoded passes of each sorted block, or J2K_AGAIN.
 */
DENSE_KERNEL(J2K_WAVE_GROUP, 8)
decode_waves(
    GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT bits, GLOBAL u32 *states, GLOBAL u32 *RESTRICT passes)
{
    SHARED u32 contexts[J2K_CONTEXTS * J2K_DECODE_GROUP];
    SHARED u32x2 next[J2K_MQ_STATES];
    SHARED u8 zero[ZERO_TABLES * AROUND_TABLE];
    SHARED u8 sign[AROUND_TABLE];
    SHARED u32 coders[CODER_WORDS * J2K_BUNDLE];
    SHARED u32 wrong[J2K_BUNDLE];
    SHARED u32 ends[J2K_BUNDLE];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const struct j2k_work_bundle *bundle =
        (GLOBAL const struct j2k_work_bundle *)(work + head->bundle) + head->wave + group_index();
    u32 place = local_index() % J2K_BUNDLE, lanes = bundle->lanes, lane = place & (lanes - 1), flight = place / lanes;
    u32 first = local_index() < lanes, number = bundle->block + lane, origin = head->origin, steps = 0;
    struct wave w;
    w.kind = local_index() / J2K_BUNDLE;
    w.s.pass = w.s.count = 0;
    fill_tables(zero, sign, next, J2K_WAVE_GROUP);
    if (first)
        wrong[lane] = ends[lane] = 0;
    barrier_local();
    if (lane < bundle->blocks && flight < bundle->flights) {
        GLOBAL const struct j2k_work_block *block = (GLOBAL const struct j2k_work_block *)(work + head->block) + number;
        w.b.tables.zero = as_local_place(zero + block->contexts * AROUND_TABLE, origin);
        w.b.tables.sign = as_local_place(sign, origin);
        w.b.tables.next = as_local_place(next, origin);
        w.b.contexts = as_local_place(contexts + local_index(), origin);
        w.contexts = as_local_place(contexts + lane, origin);
        w.coder = coders + CODER_WORDS * lane;
        w.wrong = wrong + lane;
        w.bits = bits;
        find_wave(&w, bundle, work, block, states, lane, flight);
        u32 regular = is_regular(block, w.s.codewords, &w.s.count);
        if (first) {
            wrong[lane] = !regular;
            ends[lane] = find_end(w.s);
        }
        find_first_pass(&w, bundle->flights, flight);
    }
    barrier_all();
    for (u32 i = 0; i < lanes; i++)
        steps = latest(steps, ends[i]);
    for (u32 step = 0; step < steps; step++) {
        wave_step(&w, step);
        barrier_all();
    }
    if (first && lane < bundle->blocks)
        passes[number] = wrong[lane] ? J2K_AGAIN : w.s.count;
}
