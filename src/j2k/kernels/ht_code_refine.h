/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes the refinement passes of T.814 code-blocks (7.4, 7.5) behind cleanup passes that have been encoded. The
 * lowest bit of each index is what the passes code. A work-group encodes a block, with one work-item for each pass; the
 * passes share no byte.
 */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/ht_groups.h"
#include "j2k/kernels/measure.h"

enum {
    /* Most bytes of SigProp, two bits a sample, and of MagRef, one bit a sample, with all stuffed bits. */
    SPREAD_MOST = J2K_BLOCK_SAMPLES / 4 + J2K_BLOCK_SAMPLES / 32,
    REFINED_MOST = J2K_BLOCK_SAMPLES / 8 + J2K_BLOCK_SAMPLES / 64,
    SECOND_WORKER = J2K_HT_REFINE_GROUP / 2 /* in another warp than the first, so that both passes are coded at once */
};

/* Holds a pass that is being written. */
struct written_pass {
    LOCAL u8 *to;
    u32 length, byte, count; /* complete bytes; and the next one, with its number of bits */
    u32 before;              /* the last byte */
};

FUNCTION void start_written(struct written_pass *p, LOCAL u8 *to, u32 before)
{
    p->to = to;
    p->length = p->byte = p->count = 0;
    p->before = before;
}

FUNCTION void put_written_byte(struct written_pass *p)
{
    p->to[p->length++] = (u8)p->byte;
    p->before = p->byte;
    p->byte = p->count = 0;
}

/* Write a bit of SigProp: a byte behind FF has seven. */
FUNCTION void put_forward(struct written_pass *p, u32 bit)
{
    p->byte |= bit << p->count++;
    if (p->count == (p->before == 0xFF ? 7u : 8u))
        put_written_byte(p);
}

/* Write a bit of MagRef, whose bytes are in reverse: behind a byte above 8F, seven ones take a whole byte. */
FUNCTION void put_backward(struct written_pass *p, u32 bit)
{
    p->byte |= bit << p->count++;
    if (p->count == 8 || (p->count == 7 && p->byte == 0x7F && p->before > 0x8F))
        put_written_byte(p);
}

/* Describes the groups of a block's indices: those with a sign, and those whose lowest bit is set. */
struct coded_groups {
    struct ht_groups significant;
    LOCAL u16 *ones, *negative;
};

FUNCTION void fill_coded_group(const struct coded_groups *g, u32 at, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *RESTRICT samples, u32 stripe, u32 group)
{
    u32 now = 0, ones_there = 0, negative = 0;
    u32 left = stripe < g->significant.stripes && group < g->significant.columns
                   ? inside_group(block->width, block->height, stripe, group)
                   : 0;
    for (; left != 0; left &= left - 1) {
        u32 bit = left & (0u - left), k = lowest_bit(bit), x = 4 * group + k / 4, y = 4 * stripe + k % 4;
        u32 index = index_of_integer(samples[block->from + y * block->pitch + x]);
        now |= (index & 0x7FFFFFFEu) != 0 ? bit : 0;
        ones_there |= (index & 1) != 0 ? bit : 0;
        negative |= index >> 31 != 0 ? bit : 0;
    }
    g->significant.now[at] = (u16)now;
    g->significant.fresh[at] = 0;
    g->ones[at] = (u16)ones_there;
    g->negative[at] = (u16)negative;
}

FUNCTION void fill_coded_groups(
    const struct coded_groups *g, GLOBAL const struct j2k_work_coded_block *block, GLOBAL const u32 *RESTRICT samples)
{
    u32 pitch = g->significant.pitch;
    for (u32 i = local_index(); i < (g->significant.stripes + 2) * pitch; i += J2K_HT_REFINE_GROUP)
        fill_coded_group(g, i, block, samples, i / pitch - 1, i % pitch - 1);
}

/* Code a group of SigProp: a bit for each sample that is visited, then the signs of those that become significant. */
FUNCTION void code_spread_group(const struct coded_groups *g, struct written_pass *p, u32 at, u32 inside, u32 causal)
{
    u32 open = inside & ~(u32)g->significant.now[at], next = open & near_significant(&g->significant, at, causal);
    u32 seen = next, fresh = 0;
    while (next != 0) {
        u32 bit = next & (0u - next), one = (g->ones[at] & bit) != 0 ? 1 : 0;
        next ^= bit;
        put_forward(p, one);
        if (one) {
            u32 more = open & ~seen & grown(bit) & (0u - bit);
            fresh |= bit;
            seen |= more;
            next |= more;
        }
    }
    g->significant.fresh[at] = (u16)fresh;
    for (; fresh != 0; fresh &= fresh - 1)
        put_forward(p, (g->negative[at] & fresh & (0u - fresh)) != 0 ? 1 : 0);
}

/* Code SigProp. Returns its bytes, the last of which is not FF. */
FUNCTION u32 code_spread(const struct coded_groups *g, GLOBAL const struct j2k_work_coded_block *block, LOCAL u8 *to)
{
    struct written_pass p;
    u32 causal = (block->style & J2K_STYLE_CAUSAL) != 0;
    start_written(&p, to, 0);
    for (u32 stripe = 0; stripe < g->significant.stripes; stripe++)
        for (u32 group = 0; group < g->significant.columns; group++)
            code_spread_group(g, &p, (stripe + 1) * g->significant.pitch + group + 1,
                inside_group(block->width, block->height, stripe, group), causal);
    if (p.count > 0)
        put_written_byte(&p);
    if (p.before == 0xFF)
        put_written_byte(&p);
    return p.length;
}

/* Code MagRef. Returns its bytes. */
FUNCTION u32 code_refined(const struct coded_groups *g, LOCAL u8 *to)
{
    struct written_pass p;
    start_written(&p, to, 0xFF);
    for (u32 stripe = 0; stripe < g->significant.stripes; stripe++)
        for (u32 group = 0; group < g->significant.columns; group++) {
            u32 at = (stripe + 1) * g->significant.pitch + group + 1;
            for (u32 left = g->significant.now[at]; left != 0; left &= left - 1)
                put_backward(&p, (g->ones[at] & left & (0u - left)) != 0 ? 1 : 0);
        }
    if (p.count > 0)
        put_written_byte(&p);
    return p.length;
}

/* Return the bytes of SigProp without zeros at its end, which a decoder assumes; FF is not the last byte. */
FUNCTION u32 without_zeros(LOCAL const u8 *spread, u32 length)
{
    while (length > 0 && spread[length - 1] == 0)
        length--;
    return length > 0 && spread[length - 1] == 0xFF ? length + 1 : length;
}

/* Holds the bytes of both passes; `cut`: those of SigProp if it is the last pass. */
struct refined_lengths {
    u32 spread, cut, refined;
};

/*
 * Append both passes to the cleanup pass, which has `before` bytes, and note where passes end. The whole work-group
 * calls this.
 */
FUNCTION void append_refinement(GLOBAL const struct j2k_work_coded_block *block, const struct refined_lengths *length,
    LOCAL const u8 *spread, LOCAL const u8 *refined, GLOBAL u32 *RESTRICT data, u32 before,
    GLOBAL struct j2k_work_coded_result *result)
{
    u32 first = block->refinements > 1 ? length->spread : length->cut;
    u32 total = before + first + length->refined, padded = (total + 3) / 4 * 4;
    GLOBAL u8 *to = (GLOBAL u8 *)(data + (block->data + J2K_DATA_HEAD) / 4);
    if (total > block->capacity) {
        if (local_index() == 0)
            result->length = J2K_NO_ROOM;
        return;
    }
    for (u32 i = local_index(); before + i < padded; i += J2K_HT_REFINE_GROUP)
        to[before + i] = i < first                     ? spread[i]
                         : i < first + length->refined ? refined[first + length->refined - 1 - i]
                                                       : 0;
    if (local_index() == 0) {
        result->first = before;
        result->second = before + length->cut;
        result->length = total;
    }
}

/* Code the refinement passes of all blocks of a list that have any. */
KERNEL(J2K_HT_REFINE_GROUP)
refine_ht_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT data,
    GLOBAL u32 *RESTRICT results)
{
    SHARED u16 now[GROUPS_MOST];
    SHARED u16 fresh[GROUPS_MOST];
    SHARED u16 ones_there[GROUPS_MOST];
    SHARED u16 negative[GROUPS_MOST];
    SHARED u8 spread[SPREAD_MOST];
    SHARED u8 refined[REFINED_MOST];
    SHARED u32 lengths[3];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    GLOBAL struct j2k_work_coded_result *result =
        (GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + group_index();
    struct coded_groups g;
    struct refined_lengths length;
    u32 before = result->length, active = block->refinements > 0 && result->passes > 0 && before != J2K_NO_ROOM;
    g.significant.now = now;
    g.significant.fresh = fresh;
    g.significant.columns = (block->width + 3u) / 4;
    g.significant.stripes = (block->height + 3u) / 4;
    g.significant.pitch = g.significant.columns + 2;
    g.ones = ones_there;
    g.negative = negative;
    if (active)
        fill_coded_groups(&g, block, samples);
    barrier_local();
    if (active && local_index() == 0) {
        lengths[0] = code_spread(&g, block, spread);
        lengths[1] = without_zeros(spread, lengths[0]);
    } else if (active && local_index() == SECOND_WORKER) {
        lengths[2] = block->refinements > 1 ? code_refined(&g, refined) : 0;
    }
    barrier_all();
    length.spread = lengths[0];
    length.cut = lengths[1];
    length.refined = lengths[2];
    if (active)
        append_refinement(block, &length, spread, refined, data, before, result);
}
