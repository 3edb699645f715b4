/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models code-blocks: turns coefficients into the decisions of all coding passes (T.800 Annex D), with a work-group for
 * each code-block. Which samples are significant when a sample is coded follows from their magnitudes, except for those
 * that become significant in the same significance pass. These are found by spreading significance from run to run
 * until nothing changes. Then all runs write their decisions at the same time.
 */
#include "j2k/kernels/runs.h"
#include "j2k/tables/blocks.h"

enum {
    MODEL_GROUPS = 6, /* groups of a multiprocessor: they leave 80 registers, as set in CMakeLists.txt */
    STAGE_ENDS = 16,  /* bytes left over from the plane before, ends of passes, and segmentation symbols */
    EARLY_WORDS = 3,  /* of a plane */
    STAGE_WORDS = (2 * J2K_BLOCK_SAMPLES + 2 * J2K_BLOCK_COLUMNS + STAGE_ENDS) / 4
};

/* Return the index of the lowest set bit. */
FUNCTION u32 lowest(u32 bits)
{
    return 31 - top_zeros(bits & (0 - bits));
}

/* Describes a work-item's run in a plane, and what it needs to write its decisions. */
struct modelling {
    struct run r;
    /* Samples significant before this plane; bits of this plane; samples significant before the plane above. */
    u32 significant, bits, refined;
    u32 negative;
    u64 board, signs;     /* boards (runs.h) of significance, which follows the coding, and of signs */
    LOCAL const u8 *zero; /* contexts of the block's band, times two: decisions without the symbol */
    LOCAL const u8 *sign;
    LOCAL u8 *stage;
};

FUNCTION void put(struct modelling *m, u32 *at, u32 decision)
{
    m->stage[*at] = (u8)decision;
    *at += 1;
}

/* Write the decision of a sign (D.3.2). */
FUNCTION void put_sign(struct modelling *m, u32 *at, u32 i, u32 raw)
{
    u32 place = board_place(&m->r, i), negative = m->negative >> i & 1;
    put(m, at, raw ? J2K_DECISION_RAW | negative : m->sign[board_cross(m->board, m->signs, place)] ^ negative);
    m->board |= (u64)1 << (place + 7);
}

/* Write the decisions of a significance pass (D.3.1). */
FUNCTION void put_significance(struct modelling *m, u32 rows, u32 raw, u32 at)
{
    for (; rows; rows &= rows - 1) {
        u32 i = lowest(rows), bit = m->bits >> i & 1;
        put(m, &at, raw ? J2K_DECISION_RAW | bit : m->zero[board_near(m->board, board_place(&m->r, i))] | bit);
        if (bit)
            put_sign(m, &at, i, raw);
    }
}

/* Write the decisions of a refinement pass (D.3.3). `near` are the samples that have a significant neighbour. */
FUNCTION void put_refinement(struct modelling *m, u32 near, u32 raw, u32 at)
{
    for (u32 rows = m->significant; rows; rows &= rows - 1) {
        u32 i = lowest(rows), bit = m->bits >> i & 1;
        u32 context = J2K_CONTEXT_MAGNITUDE + (m->refined >> i & 1 ? 2 : near >> i & 1);
        put(m, &at, raw ? J2K_DECISION_RAW | bit : 2 * context | bit);
    }
}

/* Says what the cleanup pass (D.3.4) codes of a run. */
struct cleanup {
    u32 rows; /* samples that are coded, or that stand for a column of zeros */
    /*
     * In each column that begins with run-length coding, the sample that this codes: the first row if all are 0, or
     * else the first row with a 1.
     */
    u32 skipped;
    u32 found; /* those of these samples that are 1 */
};

/*
 * Find what the cleanup pass codes. `rows` are the samples that were not coded before in this plane; `before` and
 * `after` say which samples around the run are significant: `before` for those that are coded before a sample, `after`
 * for those that are coded behind it.
 */
FUNCTION struct cleanup find_cleanup(
    const struct modelling *m, u32 rows, const struct around *before, const struct around *after)
{
    struct cleanup c;
    u32 bits = m->bits;
    u32 near = to_west(&m->r, before->own, before->west) | to_east(&m->r, after->own, after->east) |
               any_above(&m->r, before) | any_below(&m->r, after);
    near |= near >> 1;
    near |= near >> 2;
    u32 quiet = rows & rows >> 1 & rows >> 2 & rows >> 3 & FIRST_ROWS & ~near;
    u32 any = bits | bits >> 1;
    any |= any >> 2;
    u32 zeros = quiet & ~any, hit = bits & (quiet & any) * 15;
    u32 more = (hit << 1 & 0xEEEEEEEEu) | (hit << 2 & 0xCCCCCCCCu) | (hit << 3 & 0x88888888u);
    c.found = hit & ~more;
    c.skipped = zeros | c.found;
    c.rows = (rows & ~(quiet * 15)) | zeros | hit | more;
    return c;
}

FUNCTION u32 count_cleanup(const struct cleanup *c, u32 bits)
{
    return ones(c->rows) + ones(c->rows & bits) + 2 * ones(c->found);
}

FUNCTION void put_cleanup(struct modelling *m, const struct cleanup *c, u32 at)
{
    for (u32 rows = c->rows; rows; rows &= rows - 1) {
        u32 i = lowest(rows), bit = m->bits >> i & 1;
        if (c->skipped >> i & 1) {
            put(m, &at, 2 * J2K_CONTEXT_RUN | bit);
            if (bit) {
                put(m, &at, 2 * J2K_CONTEXT_UNIFORM | (i >> 1 & 1));
                put(m, &at, 2 * J2K_CONTEXT_UNIFORM | (i & 1));
            }
        } else
            put(m, &at, m->zero[board_near(m->board, board_place(&m->r, i))] | bit);
        if (bit)
            put_sign(m, &at, i, 0);
    }
}

/*
 * Find the samples that become significant in the significance pass, in which significance spreads from run to run.
 * `words` has two words for each run, which are read and written in turns. *fresh receives the words around the run
 * after the last turn. The whole work-group must call this.
 */
FUNCTION u32 find_spread(
    const struct run *r, u32 seeds, u32 candidates, LOCAL u32 *words, LOCAL u32 *scratch, struct around *fresh)
{
    u32 own = seeds, changed = 1, turn = 0;
    words[r->self] = own;
    barrier_local();
    while (changed) {
        struct around a = look_around(r, words + turn);
        u32 start = own, before;
        do {
            before = own;
            a.own = own;
            own |= candidates & any_before(r, &a);
        } while (own != before);
        *fresh = a;
        turn ^= J2K_MODEL_GROUP;
        words[turn + r->self] = own;
        changed = group_any(scratch, J2K_MODEL_GROUP, own != start);
    }
    return own;
}

/* Says where the decisions of the three passes of a plane, with their ends, go in the stage. */
struct plane_places {
    u32 first;                             /* first pass of the plane: 2 in the highest plane */
    u32 significance, refinement, cleanup; /* where the work-item's decisions of each pass go */
    u32 ends[3], total;
};

/*
 * Compute the places of a plane's decisions. The stage already holds `fill` bytes. The whole work-group must call this,
 * because of group_scan_two().
 */
FUNCTION struct plane_places find_places(
    u32 significance, u32 refinement, u32 cleanup, u32 first, u32 symbols, u32 fill, LOCAL u32 *scratch)
{
    struct plane_places p;
    u32x2 all, before = group_scan_two(scratch, J2K_MODEL_GROUP, significance | refinement << 16, cleanup, &all);
    p.first = first;
    p.significance = fill + (before.x & 0xFFFF);
    p.ends[0] = fill + (all.x & 0xFFFF);
    fill = p.ends[0] + (first == 0);
    p.refinement = fill + (before.x >> 16);
    p.ends[1] = fill + (all.x >> 16);
    fill = p.ends[1] + (first == 0);
    p.cleanup = fill + before.y;
    p.ends[2] = fill + all.y + symbols;
    p.total = p.ends[2] + 1;
    return p;
}

/* Write what does not belong to a run: ends of passes, and segmentation symbols (D.5). */
FUNCTION void put_ends(LOCAL u8 *stage, const struct plane_places *p, u32 symbols)
{
    UNROLL for (u32 pass = 0; pass < 3; pass++)
    {
        if (pass >= p->first)
            stage[p->ends[pass]] = J2K_DECISION_END;
    }
    for (u32 i = 0; i < symbols; i++)
        stage[p->ends[2] - symbols + i] = (u8)(2 * J2K_CONTEXT_UNIFORM | (0xAu >> (3 - i) & 1));
}

/*
 * Write the whole words of the stage to memory, and move the remaining bytes to its start. Returns the number of these.
 * The whole work-group must call this, and may write to the stage only behind another barrier.
 */
FUNCTION u32 empty_stage(LOCAL u32 *stage, u32 fill, GLOBAL u32 *to)
{
    barrier_local();
    for (u32 i = local_index(); i < fill / 4; i += J2K_MODEL_GROUP)
        to[i] = stage[i];
    if (local_index() == 0)
        stage[0] = stage[fill / 4];
    return fill % 4;
}

/* Holds buffers in the group's memory. */
struct model_memory {
    LOCAL u32 *stage, *words, *spread, *ones, *scratch;
    LOCAL u32 *early;        /* for each plane the gain of its significance pass, two words, and its cleanup's cost */
    LOCAL const u32 *planes; /* the work-item's words of planes, J2K_MODEL_GROUP apart */
    LOCAL u8 *zero, *sign;
};

/*
 * Return the most bytes that the decisions of some planes take: each sample has one in each plane and one for its sign,
 * and each column has two once.
 */
FUNCTION u32 most_decisions(u32 planes, u32 samples, u32 columns, u32 style)
{
    u32 ends = (style & J2K_STYLE_SYMBOLS) != 0 ? 7 : 3;
    return planes * (samples + ends) + samples + 2 * columns;
}

/*
 * Model the three passes of a plane, behind the first `fill` bytes of the stage. Returns the number of bytes that the
 * stage then holds. The whole work-group must call this, and must pass a barrier before it reads the stage.
 */
FUNCTION u32 model_plane(struct modelling *m, const struct model_memory *memory, u32 style, u32 pass, u32 fill,
    u32 plane, GLOBAL const struct j2k_work_coded_block *block)
{
    const struct run *r = &m->r;
    u32 symbols = (style & J2K_STYLE_SYMBOLS) != 0 ? 4 : 0, first = pass == 0 ? 2 : 0;
    m->bits = memory->planes[plane * J2K_MODEL_GROUP];
    memory->words[r->self] = m->significant;
    memory->ones[r->self] = m->bits;
    barrier_local();
    struct around known = look_around(r, memory->words), one = look_around(r, memory->ones), fresh;
    u32 near = any_near(r, &known), open = r->live & ~m->significant;
    u32 spread = find_spread(r, open & m->bits & near, open & m->bits, memory->spread, memory->scratch, &fresh);
    struct around after = join_around(&known, &fresh), before = join_around(&known, &one);
    u32 coded = open & (near | any_before(r, &fresh));
    u32 rest = open & ~coded;
    struct cleanup cleanup = find_cleanup(m, rest, &before, &after);
    struct plane_places p = find_places(ones(coded) + ones(spread), ones(m->significant),
        count_cleanup(&cleanup, m->bits), first, symbols, fill, memory->scratch);
    u64 own = board_rows(r, m->significant);
    m->board = own | board_frame(r, &after, &known);
    put_significance(m, coded, j2k_pass_is_raw(style, pass), p.significance);
    put_refinement(m, any_near(r, &after), j2k_pass_is_raw(style, pass + 1), p.refinement);
    m->board = board_rows(r, m->significant | spread) | board_frame(r, &before, &after);
    put_cleanup(m, &cleanup, p.cleanup);
    if (r->self == 0)
        put_ends(m->stage, &p, symbols);
    if (block->measured) {
        LOCAL u32 *early = memory->early + EARLY_WORDS * plane;
        add_up_gain(early, gain_of_rows(memory->planes, spread, plane, block->exact), plane);
        add_up_local(early + 2, cleanup_cost(ones(rest & m->bits), ones(rest)));
    }
    m->refined = m->significant;
    m->significant |= m->bits;
    return p.total;
}

/*
 * Model all planes down to `last`. The whole work-group must call this. A plane's decisions are written when the next
 * one begins: PoCL 5 does not compile a loop that ends with writes behind its last barrier.
 */
FUNCTION void model_planes(const struct run *r, const struct model_memory *memory, u32 negative, u32 planes, u32 last,
    GLOBAL const struct j2k_work_coded_block *block, GLOBAL u32 *decisions, u32 *count)
{
    struct modelling m;
    GLOBAL u32 *to = decisions;
    u32 fill = 0, pass = 0;
    m.r = *r;
    m.significant = m.refined = 0;
    m.negative = negative;
    m.zero = memory->zero;
    m.sign = memory->sign;
    m.stage = (LOCAL u8 *)memory->stage;
    memory->words[r->self] = m.negative;
    barrier_local();
    struct around signs = look_around(r, memory->words);
    m.signs = board_rows(r, m.negative) | board_frame(r, &signs, &signs);
    barrier_local();
    for (u32 plane = planes; plane-- > last;) {
        u32 rest = empty_stage(memory->stage, fill, to);
        to += fill / 4;
        fill = model_plane(&m, memory, block->style, pass, rest, plane, block);
        pass += pass == 0 ? 1 : 3;
    }
    barrier_local();
    for (u32 i = r->self; i < (fill + 3) / 4; i += J2K_MODEL_GROUP)
        to[i] = memory->stage[i];
    *count = (u32)(to - decisions) * 4 + fill;
}

/* Write the gains of the passes of planes from `last` upward. Each work-item writes those of a plane. */
FUNCTION void tell_gains(LOCAL const u32 *gains, LOCAL const u32 *early, u32 planes, u32 last, GLOBAL u32 *passes)
{
    u32 plane = local_index();
    if (plane < last || plane >= planes)
        return;
    u32 cleanup = 3 * (planes - 1 - plane);
    LOCAL const u32 *gain = gains + plane * J2K_GAIN_WORDS;
    for (u32 i = 0; i < 2; i++) {
        u32 before = early[EARLY_WORDS * plane + i];
        if (cleanup > 0) {
            passes[(cleanup - 2) * J2K_PASS_WORDS + 1 + i] = before;
            passes[(cleanup - 1) * J2K_PASS_WORDS + 1 + i] = gain[2 + i];
        }
        passes[cleanup * J2K_PASS_WORDS + 1 + i] = gain[i] - before;
    }
}

/*
 * Return how many passes of the lowest plane are left out if only its first ones, one or two, are wanted; 0: all are.
 * These presume a significant sample in a higher plane.
 */
FUNCTION u32 left_out_passes(u32 wanted)
{
    return wanted > 0 ? 3 - wanted : 0;
}

/*
 * Return how many passes behind the significance pass of the lowest plane are left out, as in
 * src/j2k/cpu/blocks/block_encode.c.
 */
FUNCTION u32 unworthy_passes(LOCAL const u32 *gains, LOCAL const u32 *early, u32 plane, u32 planes,
    GLOBAL const struct j2k_work_coded_block *block)
{
    LOCAL const u32 *gain = gains + plane * J2K_GAIN_WORDS, *own = early + plane * EARLY_WORDS;
    u32 refined = refinement_cost(significant_before(gains, plane, planes));
    if (!block->stop || block->measured != J2K_MEASURED_GAINS || block->width <= NARROW_COLUMNS || plane + 1 >= planes)
        return 0;
    if ((block->exact && plane == 0) || is_worth(gain_of(gain) - gain_of(own), plane, block->stop, own[2]))
        return 0;
    return is_worth(gain_of(gain + 2), plane, block->stop, refined) ? 1 : 2;
}

/*
 * Model the blocks of a list. `passes` has J2K_CODED_PASSES passes for each block, which receive their gains; `results`
 * receives everything except lengths, and its head must be 0 at first. No barrier depends on a condition, not even on
 * one that is the same for all work-items, because some compilers would then take minutes.
 */
SLIM_KERNEL(J2K_MODEL_GROUP, MODEL_GROUPS)
model_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT decisions,
    GLOBAL u32 *RESTRICT passes, GLOBAL u32 *RESTRICT results)
{
    SHARED u32 stage[STAGE_WORDS];
    SHARED u32 words[J2K_MODEL_GROUP];
    SHARED u32 spread[2 * J2K_MODEL_GROUP];
    SHARED u32 bits[J2K_MODEL_GROUP];
    SHARED u32 scratch[J2K_MODEL_GROUP];
    SHARED u32 gains[J2K_CODED_PLANES * J2K_GAIN_WORDS];
    SHARED u32 plane_words[J2K_CODED_PLANES * J2K_MODEL_GROUP];
    SHARED u32 early[EARLY_WORDS * J2K_CODED_PLANES];
    SHARED u32 wide[2 * WIDE_PIECES]; /* the quantiser's error, and the error that is left out */
    SHARED u8 zero[ZERO_TABLE];
    SHARED u8 sign[SIGN_TABLE];
    SHARED u32 shared[3]; /* bits of all magnitudes, where the decisions are, and planes that are worth coding */
    struct model_memory memory;
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    GLOBAL struct j2k_work_coded_result *result =
        (GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + group_index();
    u32 self = local_index(), count = block->width * block->height, word[RUN_SAMPLES], last = 0;
    u64 error;
    struct run r = find_run(block);
    r.causal = (block->style & J2K_STYLE_CAUSAL) != 0;
    passes += group_index() * (J2K_CODED_PASSES * J2K_PASS_WORDS);
    memory.stage = stage;
    memory.words = words;
    memory.spread = spread;
    memory.ones = bits;
    memory.scratch = scratch;
    memory.early = early;
    memory.planes = plane_words + self;
    memory.zero = zero;
    memory.sign = sign;
    for (u32 i = self; i < ZERO_TABLE; i += J2K_MODEL_GROUP)
        zero[i] = (u8)(2 * zero_contexts[block->contexts * ZERO_TABLE + i]);
    for (u32 i = self; i < SIGN_TABLE; i += J2K_MODEL_GROUP)
        sign[i] = sign_contexts[i];
    for (u32 i = self; i < J2K_CODED_PLANES * J2K_GAIN_WORDS; i += J2K_MODEL_GROUP)
        gains[i] = 0;
    if (self < EARLY_WORDS * J2K_CODED_PLANES)
        early[self] = 0;
    if (self < 2 * WIDE_PIECES)
        wide[self] = 0;
    for (u32 i = self; i < STAGE_WORDS; i += J2K_MODEL_GROUP)
        stage[i] = 0;
    if (self < 3)
        shared[self] = 0;
    barrier_local();
    error = load_planes(&r, block, samples, word, &shared[0]);
    UNROLL for (u32 plane = 0; plane < J2K_CODED_PLANES; plane++) plane_words[plane * J2K_MODEL_GROUP + self] =
        word[plane];
    if (block->measured & J2K_MEASURED_ERRORS)
        add_up_wide(wide, error);
    barrier_local();
    u32 planes = 32 - leading_zeros(shared[0]), stops = block->measured && block->stop;
    if (block->measured)
        measure_planes(memory.planes, planes, block->exact, gains);
    barrier_local();
    if (stops && self + 1 < planes && is_plane_worth(gains, self, planes, count, block->stop))
        join_local(&shared[2], 1u << self);
    barrier_local();
    if (stops && planes > 1)
        last = shared[2] ? lowest(shared[2]) : planes - 1;
    if (last > 0 && (block->measured & J2K_MEASURED_ERRORS) != 0)
        add_up_wide(wide + WIDE_PIECES, measure_left(memory.planes, planes, last, block->exact));
    u32 columns = block->width * ((block->height + 3) / 4), most = 0, told = 0;
    if (planes > 0)
        most = most_decisions(planes - last, count, columns, block->style) / J2K_DECISION_UNIT + 1;
    if (self == 0)
        shared[1] = count_up(results + 1, most);
    barrier_local();
    u32 at = shared[1], fits = most == 0 || at + most <= head->room;
    model_planes(&r, &memory, word[31], planes, fits ? last : planes, block,
        decisions + (u64)at * (J2K_DECISION_UNIT / 4), &told);
    barrier_local();
    tell_gains(gains, early, planes, fits ? last : planes, passes);
    if (self == 0) {
        u64 left = wide_sum(wide + WIDE_PIECES);
        error = wide_sum(wide);
        result->planes = planes;
        result->passes = 0;
        if (planes > 0 && fits)
            result->passes = 3 * (planes - last) - 2 - left_out_passes(block->refinements) -
                             unworthy_passes(gains, early, last, planes, block);
        result->length = fits ? 0 : J2K_NO_ROOM;
        result->error_low = (u32)error;
        result->error_high = (u32)(error >> 32);
        result->left_low = (u32)left;
        result->left_high = (u32)(left >> 32);
        result->decision = at;
        result->decisions = told;
    }
}
