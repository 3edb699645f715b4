/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes code-blocks, from decisions to codeword segments, with one work-item for each block: runs the MQ coder, ends
 * segments, and finds out how many bytes passes need. Blocks that take about the same time are neighbours.
 */
#include "j2k/kernels/mq.h"

#include "j2k/kernels/model.h"

/* Describes a block that is being coded. */
struct segment_coding {
    struct mq_encoder coder;
    local_place contexts; /* states of the contexts, J2K_CODE_GROUP words apart */
    local_place next;     /* indexed by a state's place: the states that follow a more and a less probable symbol */
    GLOBAL u32 *passes;
    u32 style, count;       /* style, and number of passes */
    u32 pass, first, begin; /* current pass; first pass of its segment, and the place where the segment begins */
    u32 raw, dropped;
};

FUNCTION local_place context_at(const struct segment_coding *c, u32 context)
{
    return c->contexts + context * (4 * J2K_CODE_GROUP);
}

FUNCTION void reset_contexts(const struct segment_coding *c)
{
    for (u32 i = 0; i < J2K_CONTEXTS; i++)
        put_local_word(context_at(c, i), state_of(0));
    put_local_word(context_at(c, 0), state_of(J2K_START_ZERO));
    put_local_word(context_at(c, J2K_CONTEXT_RUN), state_of(J2K_START_RUN));
    put_local_word(context_at(c, J2K_CONTEXT_UNIFORM), state_of(J2K_START_UNIFORM));
}

/* Note the bound of a pass inside a segment, from which its length is computed once the segment is finished. */
FUNCTION void note_bound(const struct segment_coding *c)
{
    const struct mq_encoder *coder = &c->coder;
    GLOBAL u32 *pass = c->passes + c->pass * J2K_PASS_WORDS;
    if (c->raw) { /* whole bytes, and one more if it has a bit, or follows 0xFF */
        pass[3] = (u32)(coder->at + (coder->left < 8 ? 1 : 0));
        return;
    }
    struct bound bound = find_bound(coder);
    pass[3] = (u32)(bound.at + 1) | bound.last << 24;
    pass[4] = bound.bytes;
}

FUNCTION u32 end_segment(struct segment_coding *c)
{
    struct mq_encoder *coder = &c->coder;
    if (c->raw)
        return flush_raw(coder, c->begin);
    if ((c->style & J2K_STYLE_PREDICTABLE) != 0)
        return flush_predictably(coder);
    struct bound bound = find_bound(coder);
    u32 end = flush_coder(coder);
    return c->begin + needed_bytes(coder, &bound, c->begin, end);
}

/* Compute the lengths of the passes of a segment that ends with the current pass. */
FUNCTION void settle_lengths(const struct segment_coding *c, u32 end)
{
    u32 before = c->begin;
    for (u32 pass = c->first; pass < c->pass; pass++) {
        GLOBAL u32 *p = c->passes + pass * J2K_PASS_WORDS;
        u32 length = p[3];
        if (!c->raw) {
            struct bound bound;
            bound.at = (i32)(p[3] & 0xFFFFFF) - 1;
            bound.last = p[3] >> 24;
            bound.bytes = p[4];
            length = c->begin + needed_bytes(&c->coder, &bound, c->begin, end);
        }
        before = length > before ? length : before;
        p[0] = before;
    }
    c->passes[c->pass * J2K_PASS_WORDS] = end;
}

FUNCTION void begin_segment(struct segment_coding *c)
{
    c->first = c->pass;
    c->raw = j2k_pass_is_raw(c->style, c->pass);
    start_coder(&c->coder, c->begin, c->raw);
}

FUNCTION void end_pass(struct segment_coding *c)
{
    u32 ends = j2k_pass_ends_segment(c->style, c->pass) || c->pass + 1 == c->count;
    if ((c->style & J2K_STYLE_RESET) != 0 && !c->raw)
        reset_contexts(c);
    if (ends) {
        u32 end = end_segment(c);
        settle_lengths(c, end);
        c->dropped |= c->coder.at >= (i32)c->coder.capacity;
        c->begin = end;
    } else
        note_bound(c);
    c->pass++;
    if (ends && c->pass < c->count)
        begin_segment(c);
}

/* Code four decisions that are not all symbols of the MQ coder. */
FUNCTION void code_each(struct segment_coding *c, u32 decisions)
{
    catch_up(&c->coder);
    ROLL for (u32 i = 0; i < 4 && c->pass < c->count; i++)
    {
        u32 decision = decisions >> 8 * i & 0xFF;
        if (decision < J2K_DECISION_RAW)
            encode_symbol(&c->coder, context_at(c, decision >> 1), c->next, decision & 1);
        else if (decision == J2K_DECISION_END)
            end_pass(c);
        else
            write_raw(&c->coder, decision & 1);
    }
}

/* Code all decisions of the block. They are loaded sixteen at a time, two loads ahead. */
FUNCTION void code_decisions(struct segment_coding *c, GLOBAL const u32x4 *from)
{
    const u32 others = (0x80u - J2K_DECISION_RAW) * 0x01010101u, top = 0x80808080u;
    u32x4 own = from[0], next = from[1];
    for (u32 at = 2; c->pass < c->count; at++) {
        u32x4 ahead = from[at];
        ROLL for (u32 i = 0; i < J2K_DECISION_UNIT / 4 && c->pass < c->count; i++)
        {
            u32 four = own.x;
            own.x = own.y;
            own.y = own.z;
            own.z = own.w;
            if (((((four & ~top) + others) | four) & top) == 0)
                encode_four(&c->coder, c->contexts, c->next, four);
            else
                code_each(c, four);
        }
        own = next;
        next = ahead;
    }
}

/*
 * Code the blocks of a list. `order` is the order of the blocks; `passes` has J2K_CODED_PASSES passes for each block.
 */
DENSE_KERNEL(J2K_CODE_GROUP, 8)
code_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT order, GLOBAL const u32x4 *RESTRICT decisions,
    GLOBAL u32 *passes, GLOBAL u8 *data, GLOBAL u32 *results)
{
    SHARED u32 contexts[J2K_CONTEXTS * J2K_CODE_GROUP];
    SHARED u32x2 next[J2K_MQ_STATES];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    u32 lane = local_index() % J2K_CODE_LANES;
    u32 row = group_index() * (J2K_CODE_GROUP / J2K_CODE_LANES) + local_index() / J2K_CODE_LANES;
    u32 in_front = row < head->front_rows, lanes = in_front ? head->front_lanes : head->lanes;
    u32 at = row * lanes + lane + (in_front ? 0 : head->front_rows * head->front_lanes - head->front_rows * lanes);
    fill_next(next, J2K_CODE_GROUP);
    barrier_local();
    if (lane < lanes && at < head->blocks) {
        u32 number = order[at];
        GLOBAL const struct j2k_work_coded_block *block =
            (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + number;
        GLOBAL struct j2k_work_coded_result *result =
            (GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + number;
        if (result->passes > 0) {
            struct segment_coding c;
            c.contexts = as_local_place(contexts + local_index(), block->origin);
            c.next = as_local_place(next, block->origin);
            c.passes = passes + number * (J2K_CODED_PASSES * J2K_PASS_WORDS);
            c.style = block->style;
            c.count = result->passes;
            c.pass = c.begin = c.dropped = 0;
            c.coder.data = data + block->data + J2K_DATA_HEAD;
            c.coder.capacity = block->capacity;
            reset_contexts(&c);
            begin_segment(&c);
            code_decisions(&c, decisions + result->decision);
            for (u32 i = c.begin; i % 4 != 0; i++)
                store_byte(&c.coder, (i32)i, 0);
            result->length = c.dropped ? J2K_NO_ROOM : c.begin;
        }
    }
}
