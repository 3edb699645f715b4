/* SPDX-License-Identifier: BSD-2-Clause */
/* Code-blocks from columns of bits to codeword segments: where they end, what passes need and gain, when to stop. */
#include "j2k_code.h"

/* 1, 0 or −1: a × 2^shift is more than, as much as, or less than b. */
FUNCTION i32 compare_scaled(u64 a, i32 shift, u64 b)
{
    u64 larger = shift >= 0 ? b : a, smaller = shift >= 0 ? a : b;
    u32 by = (u32)(shift >= 0 ? shift : -shift);
    u64 whole = by < 64 ? larger >> by : 0;
    i32 order = smaller > whole ? 1 : smaller < whole ? -1 : (by < 64 ? whole << by : 0) != larger ? -1 : 0;
    return shift >= 0 ? order : -order;
}

/* gain × 4^scale × 32 > stop × cost, exactly; `stop`: the bits of a positive, normal single-precision number. */
FUNCTION u32 is_worth(i32 gain, u32 scale, u32 stop, u32 cost)
{
    u64 price = (u64)((stop & 0x7FFFFF) | 0x800000);
    i32 shift = (i32)(2 * scale) + 5 - ((i32)(stop >> 23) - 150);
    return gain > 0 && compare_scaled((u64)gain, shift, price * cost) > 0;
}

/* What a plane's samples cost at least, in quarters of a bit, as src/cpu/j2k_block_measure.h has it. */
FUNCTION u32 significance_cost(GLOBAL const u32 *gains, u32 samples)
{
    u32 fresh = gains[2], rest = samples - gains[3];
    u32 each = fresh * 5 >= rest * 2 ? 10
               : fresh * 5 >= rest   ? 11
               : fresh * 10 >= rest  ? 12
               : fresh * 20 >= rest  ? 15
                                     : 18;
    return each * fresh;
}

/* The lowest plane that seems to be worth its bytes. */
FUNCTION u32 last_plane(GLOBAL const u32 *gains, u32 planes, u32 samples, u32 stop)
{
    u32 plane = 0;
    for (; plane + 1 < planes; plane++, gains += J2K_GAIN_WORDS)
        if (is_worth((i32)gains[0], gain_shift(plane), stop, significance_cost(gains, samples)) ||
            is_worth((i32)gains[1], gain_shift(plane), stop, 2 * gains[3]))
            break;
    return plane;
}

/* What a pass inside a segment needs, for when its bytes are there. */
FUNCTION void note_bound(const struct coding *c, GLOBAL u32 *pass)
{
    const struct coder *coder = &c->b.coder;
    if (c->b.raw) { /* whole bytes up to here, one more where a bit is in it, or that keeps 0xFF from being last */
        pass[2] = (u32)(coder->at + (coder->left < 8 ? 1 : 0));
        return;
    }
    struct bound bound = find_bound(coder);
    pass[2] = (u32)(bound.at + 1) | bound.last << 24;
    pass[3] = bound.bytes;
}

FUNCTION u32 end_segment(struct coding *c, u32 style, u32 begin)
{
    struct coder *coder = &c->b.coder;
    if (c->b.raw)
        return flush_raw(coder, begin);
    if ((style & STYLE_PREDICTABLE) != 0)
        return flush_predictably(coder);
    struct bound bound = find_bound(coder);
    u32 end = flush_coder(coder);
    return begin + needed_bytes(coder, &bound, begin, end);
}

/* What passes `first` to `last` need, which share the segment from `begin` to `end`. */
FUNCTION void settle_lengths(const struct coding *c, GLOBAL u32 *passes, u32 first, u32 last, u32 begin, u32 end)
{
    u32 before = begin;
    for (u32 pass = first; pass < last; pass++) {
        GLOBAL u32 *p = passes + pass * J2K_PASS_WORDS;
        u32 length = p[2];
        if (!c->b.raw) {
            struct bound bound;
            bound.at = (i32)(p[2] & 0xFFFFFF) - 1;
            bound.last = p[2] >> 24;
            bound.bytes = p[3];
            length = begin + needed_bytes(&c->b.coder, &bound, begin, end);
        }
        before = length > before ? length : before;
        p[0] = before;
    }
    passes[last * J2K_PASS_WORDS] = end;
}

FUNCTION i32 pass_gain(const struct coding *c, GLOBAL const u32 *gains, u32 pass)
{
    GLOBAL const u32 *plane = gains + c->plane * J2K_GAIN_WORDS;
    if (!c->measured)
        return 0;
    return pass % 3 == 1 ? c->gain : pass % 3 == 2 ? (i32)plane[1] : (i32)plane[0] - c->gain;
}

/* All passes, as far as they are worth it. `gains`: of the block's planes. */
FUNCTION void code_block(struct coding *c, GLOBAL const struct coded_block *block, GLOBAL const u32 *gains,
    GLOBAL u32 *passes, GLOBAL struct coded_result *result)
{
    u32 style = block->style, planes = result->planes, count = planes > 0 ? 3 * planes - 2 : 0;
    u32 first = 0, begin = 0, begins = 1, left_low = 0, left_high = 0, dropped = 0;
    u32 last = block->stop && planes > 1 ? last_plane(gains, planes, block->width * block->height, block->stop) : 0;
    reset_contexts(&c->b);
    if (last > 0) {
        count -= 3 * last;
        left_low = gains[last * J2K_GAIN_WORDS + 4];
        left_high = gains[last * J2K_GAIN_WORDS + 5];
    }
    for (u32 pass = 0; pass < count; pass++) {
        c->plane = planes - 1 - (pass + 2) / 3;
        c->gain = pass % 3 == 1 ? 0 : c->gain;
        if (begins) {
            first = pass;
            c->b.raw = is_raw_pass(style, pass);
            start_coder(&c->b.coder, begin, c->b.raw);
        }
        code_pass(c, style, pass);
        i32 gain = pass_gain(c, gains, pass);
        passes[pass * J2K_PASS_WORDS + 1] = (u32)gain;
        begins = ends_segment(style, pass) || pass + 1 == count;
        if (begins) {
            u32 end = end_segment(c, style, begin);
            settle_lengths(c, passes, first, pass, begin, end);
            dropped |= c->b.coder.at >= (i32)c->b.coder.capacity;
            begin = end;
        } else
            note_bound(c, passes + pass * J2K_PASS_WORDS);
    }
    for (u32 at = begin; at % 4 != 0; at++)
        store_byte(&c->b.coder, (i32)at, 0);
    result->passes = count;
    result->length = dropped ? J2K_NO_ROOM : begin;
    result->left_low = left_low;
    result->left_high = left_high;
}

FUNCTION void find_block(struct coding *c, GLOBAL const struct work_bundle *bundle,
    GLOBAL const struct coded_block *block, GLOBAL u32 *states, GLOBAL u8 *data)
{
    struct lane_state s = find_lane(bundle, states, block->lane);
    struct block_state *b = &c->b;
    b->lanes = bundle->lanes;
    b->pitch = bundle->width;
    b->chunks = (bundle->width + J2K_CHUNK - 1) / J2K_CHUNK;
    b->history_step = s.step;
    b->columns = s.columns;
    b->edges = s.edges;
    b->history = s.history;
    b->width = block->width;
    b->height = block->height;
    b->stripes = (b->height + 3) / 4;
    b->causal = (block->style & STYLE_CAUSAL) != 0;
    b->coder.data = data + block->data + J2K_DATA_HEAD;
    b->coder.capacity = block->capacity;
    c->fractions = s.fractions;
    c->measured = block->measured;
    c->gain = 0;
}

/* `passes`: J2K_CODED_PASSES of each block. */
KERNEL(J2K_CODE_GROUP)
code_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL u32 *states, GLOBAL const u32 *RESTRICT gains, GLOBAL u32 *passes,
    GLOBAL u8 *data, GLOBAL u32 *results)
{
    SHARED u32 contexts[CONTEXTS * J2K_CODE_GROUP];
    SHARED u32 rows[MQ_ROWS];
    SHARED u8 zero[ZERO_TABLES * ZERO_TABLE];
    SHARED u8 sign[SIGN_TABLE];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    u32 lane = local_index() % J2K_BUNDLE;
    u32 index = group_index() * (J2K_CODE_GROUP / J2K_BUNDLE) + local_index() / J2K_BUNDLE;
    copy_tables(zero, sign, rows, J2K_CODE_GROUP);
    barrier_local();
    if (index < head->bundles) {
        GLOBAL const struct work_bundle *bundle = (GLOBAL const struct work_bundle *)(list + head->bundle) + index;
        if (lane < bundle->blocks) {
            u32 number = bundle->block + lane;
            GLOBAL const struct coded_block *block = (GLOBAL const struct coded_block *)(list + head->block) + number;
            GLOBAL struct coded_result *result = (GLOBAL struct coded_result *)(results + J2K_LIST_HEAD) + number;
            struct coding c;
            c.b.tables.zero = zero + block->contexts * ZERO_TABLE;
            c.b.tables.sign = sign;
            c.b.tables.rows = rows;
            c.b.contexts = contexts + local_index();
            find_block(&c, bundle, block, states, data);
            if (result->planes > bundle->history * J2K_HISTORY) {
                result->passes = result->left_low = result->left_high = 0;
                result->length = J2K_NO_ROOM;
            } else
                code_block(&c, block, gains + number * J2K_GAIN_PLANES * J2K_GAIN_WORDS,
                    passes + number * (J2K_CODED_PASSES * J2K_PASS_WORDS), result);
        }
    }
}
