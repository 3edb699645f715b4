/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes the cleanup passes of T.814 code-blocks, which contain all planes, or all but the lowest one if refinement
 * passes follow (ht_code_refine.h).
 */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"
#include "j2k/kernels/ht_pairs.h"
#include "j2k/kernels/ht_streams.h"

enum { HT_CODE_GROUPS = 32 /* most groups of a multiprocessor; with so many, registers are not spilled */ };

/* Holds bits in the order in which they are written; the first one is the lowest. */
struct code_bits {
    u32 value, count;
};

FUNCTION void append(struct code_bits *b, u32 value, u32 count)
{
    b->value |= value << b->count;
    b->count += count;
}

/* These are the codes of u (Table 3): prefix, length of the prefix, suffix and length of the suffix. */
#define U_CODE(u)                                                                                                      \
    U_PREFIX_##u = (u) < 3   ? 1 << (u) >> 1                                                                           \
                   : (u) < 5 ? 4                                                                                       \
                             : 0,                                                                                      \
    U_PREFIX_LENGTH_##u = (u) < 3 ? (u) : 3,                                                                           \
    U_SUFFIX_##u = (u) < 3   ? 0                                                                                       \
                   : (u) < 5 ? (u)-3                                                                                   \
                             : (u)-5,                                                                                  \
    U_SUFFIX_LENGTH_##u = (u) < 3   ? 0                                                                                \
                          : (u) < 5 ? 1                                                                                \
                                    : 5
enum { U_CODE(0), U_CODE(1), U_CODE(2), U_CODE(3), U_CODE(4), U_CODE(5), U_CODE(6), U_CODE(7) };

/*
 * An entry joins the codes of both u of a pair: up to 16 bits; their number, in 5 bits; and in 5 bits each, the number
 * of bits in front of the first and of the second suffix. The last entries are also for larger u, whose suffixes are
 * larger by as much.
 */
enum { U_MOST = 7, U_ENTRIES = 8, U_LENGTH = 16, U_FIRST = 21, U_SECOND = 26 };

#define U_PAIR(a, b)                                                                                                   \
    U_PREFIX_##a | U_PREFIX_##b << U_PREFIX_LENGTH_##a | U_SUFFIX_##a << (U_PREFIX_LENGTH_##a + U_PREFIX_LENGTH_##b) | \
        U_SUFFIX_##b << (U_PREFIX_LENGTH_##a + U_PREFIX_LENGTH_##b + U_SUFFIX_LENGTH_##a) |                            \
        (U_PREFIX_LENGTH_##a + U_PREFIX_LENGTH_##b + U_SUFFIX_LENGTH_##a + U_SUFFIX_LENGTH_##b) << U_LENGTH |          \
        (U_PREFIX_LENGTH_##a + U_PREFIX_LENGTH_##b) << U_FIRST |                                                       \
        (U_PREFIX_LENGTH_##a + U_PREFIX_LENGTH_##b + U_SUFFIX_LENGTH_##a) << U_SECOND
#define U_PAIRS(a)                                                                                                     \
    U_PAIR(a, 0), U_PAIR(a, 1), U_PAIR(a, 2), U_PAIR(a, 3), U_PAIR(a, 4), U_PAIR(a, 5), U_PAIR(a, 6), U_PAIR(a, 7)

/*
 * In the first row of quads (7.3.6) an event says whether both u are above 2, and then both are coded less 2; if only
 * the first one is, and the second one is not 0, this takes a single bit.
 */
#define U_SHORT(a, b)                                                                                                  \
    U_PREFIX_##a | ((b)-1) << U_PREFIX_LENGTH_##a | U_SUFFIX_##a << (U_PREFIX_LENGTH_##a + 1) |                        \
        (U_PREFIX_LENGTH_##a + 1 + U_SUFFIX_LENGTH_##a) << U_LENGTH | (U_PREFIX_LENGTH_##a + 1) << U_FIRST
#define U_FIRST_PAIRS(a, less)                                                                                         \
    U_PAIR(a, 0), U_SHORT(a, 1), U_SHORT(a, 2), U_PAIR(less, 1), U_PAIR(less, 2), U_PAIR(less, 3), U_PAIR(less, 4),    \
        U_PAIR(less, 5)

SPREAD_TABLE u32 u_codes[2 * U_ENTRIES * U_ENTRIES] = {U_PAIRS(0), U_PAIRS(1), U_PAIRS(2), U_PAIRS(3), U_PAIRS(4),
    U_PAIRS(5), U_PAIRS(6), U_PAIRS(7), U_PAIRS(0), U_PAIRS(1), U_PAIRS(2), U_FIRST_PAIRS(3, 1), U_FIRST_PAIRS(4, 2),
    U_FIRST_PAIRS(5, 3), U_FIRST_PAIRS(6, 4), U_FIRST_PAIRS(7, 5)};

FUNCTION u32 smaller(u32 a, u32 b)
{
    return a < b ? a : b;
}

/* Append the codes of both u of a pair. */
FUNCTION void append_excesses(struct code_bits *codes, u32 a, u32 b, u32 first)
{
    u32 low_a = smaller(a, U_MOST), low_b = smaller(b, U_MOST);
    u32 entry = u_codes[(first ? U_ENTRIES * U_ENTRIES : 0) + low_a * U_ENTRIES + low_b];
    u32 more = shift_up(a - low_a, entry >> U_FIRST) + shift_up(b - low_b, entry >> U_SECOND);
    append(codes, (entry & 0xFFFF) + more, entry >> U_LENGTH & 31);
}

/* Collect the bits of VLC and the events of MEL of a pair. */
LARGE_FUNCTION void collect_codes(
    const struct coded_quad *quad, u32 first, struct code_bits *codes, struct code_bits *events)
{
    codes->value = J2K_HT_CODE_WORD(quad[0].entry);
    codes->count = J2K_HT_CODE_LENGTH(quad[0].entry);
    append(codes, J2K_HT_CODE_WORD(quad[1].entry), J2K_HT_CODE_LENGTH(quad[1].entry));
    append_excesses(codes, quad[0].excess, quad[1].excess, first);
    events->value = quad[0].asks & is_some(quad[0].rho);
    events->count = quad[0].asks;
    append(events, quad[1].asks & is_some(quad[1].rho), quad[1].asks);
    if (first) {
        u32 least = smaller(quad[0].excess, quad[1].excess);
        append(events, least > 2, is_some(least));
    }
}

/* Return the number of bits of a quad in MagSgn: the sum of the bytes of `lengths`, below 256. */
FUNCTION u32 signs_length(const struct coded_quad *q)
{
    return q->lengths * HT_ONES >> 24;
}

/* Holds up to 64 bits of MagSgn. They end at the highest bit of `high`; the bits in front of them are 0. */
struct last_signs {
    u32 low, high;
};

/* Append MagSgn of a quad whose numbers have up to 31 bits. */
FUNCTION void append_signs(struct last_signs *s, const u32 *value, u32 lengths)
{
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        s->low = shift_pair(s->low, s->high, lengths >> 8 * i);
        s->high = shift_pair(s->high, value[i], lengths >> 8 * i);
    }
}

/* Return the lowest `count` bits of a number, up to 32. */
FUNCTION u32 lowest_bits(u32 value, u32 count)
{
    return value & (u32)(((u64)1 << count) - 1);
}

/* Write MagSgn of a quad with any number of bits from bit `place` on. Returns the place behind it. */
FUNCTION u32 put_long_signs(LOCAL u32 *ring, u32 place, const u32 *value, u32 lengths)
{
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 length = lengths >> 8 * i & 255;
        write_signs(ring, place, lowest_bits(value[i], length));
        place += length;
    }
    return place;
}

/* Write MagSgn of a pair; its bits are written together if they are not more than 64. */
LARGE_FUNCTION void put_pair(LOCAL u32 *ring, u32 place, u32 length, const u32 *value, const struct coded_quad *quad)
{
    struct last_signs s;
    if (length > 64 || larger(quad[0].most, quad[1].most) > 31) {
        place = put_long_signs(ring, place, value, quad[0].lengths);
        put_long_signs(ring, place, value + 4, quad[1].lengths);
        return;
    }
    s.low = s.high = 0;
    append_signs(&s, value, quad[0].lengths);
    append_signs(&s, value + 4, quad[1].lengths);
    write_last_signs(ring, place + length, s.low, s.high);
}

/* Holds the state of a block. The values are the same in all work-items. */
struct block_coding {
    struct sign_stream signs;
    LOCAL u32 *codes, *events, *edges;
    u32 code_count, event_count; /* numbers of bits in `codes` and `events` */
};

/*
 * A word holds the lengths of all three streams, so that one scan adds them up: MagSgn in the lowest bits, and the
 * others from these bits on.
 */
enum { SUM_CODES = 14, SUM_EVENTS = 24 };

/* Code a step of 32 pairs. The whole work-group calls it. */
FUNCTION void code_step(struct block_coding *c, GLOBAL const struct j2k_work_coded_block *block,
    const struct pair_place *p, const struct pair_samples *s)
{
    struct coded_quad quad[2];
    struct code_bits codes, events;
    u32 sum;
    code_pair(block, p, s, c->edges, quad);
    collect_codes(quad, p->pair < p->across, &codes, &events);
    u32 both = signs_length(&quad[0]) + signs_length(&quad[1]);
    u32 before = lane_scan(c->signs.scratch, both | codes.count << SUM_CODES | events.count << SUM_EVENTS, &sum);
    put_pair(c->signs.ring, c->signs.count + (before & ((1u << SUM_CODES) - 1)), both, s->value, quad);
    write_bits(c->codes, c->code_count + (before >> SUM_CODES & 1023), codes.value);
    if (events.value != 0)
        write_bits(c->events, c->event_count + (before >> SUM_EVENTS), events.value);
    c->signs.count += sum & ((1u << SUM_CODES) - 1);
    c->code_count += sum >> SUM_CODES & 1023;
    c->event_count += sum >> SUM_EVENTS;
    if (c->signs.count - c->signs.place < 8 * CHUNK_BYTES)
        return;
    barrier_local();
    do
        stuff_signs(&c->signs, CHUNK_BYTES);
    while (c->signs.count - c->signs.place >= 8 * CHUNK_BYTES);
}

/* Holds what is needed to go through the pairs of a block in steps of 32. */
struct pair_steps {
    struct pair_place next; /* this work-item's pair of the next step */
    u32 sample[PAIR_SAMPLES];
    u32 empty; /* steps without significant samples in front of the next one, as if some were in front of the block */
    i32 most;  /* the largest magnitude so far, less 1 */
};

FUNCTION void start_steps(
    struct pair_steps *steps, GLOBAL const struct j2k_work_coded_block *block, GLOBAL const u32 *RESTRICT samples)
{
    steps->next = first_pair(block);
    steps->empty = PAIRS_MOST;
    steps->most = -1;
    load_pair(block, &steps->next, samples, steps->sample);
}

/* Take the pairs of a step, and load those of the next one, so that they are there when they are needed. */
FUNCTION void take_step(struct pair_steps *steps, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *RESTRICT samples, u32 factor, struct pair_samples *s)
{
    take_pair(block, &steps->next, float_of(factor), steps->sample, s);
    next_pair(&steps->next);
    load_pair(block, &steps->next, samples, steps->sample);
    steps->most = greatest(steps->most, greatest(s->most[0], s->most[1]));
}

#if HAS_WARPS /* elsewhere compiling this takes longer than it saves */
/*
 * Pass over a step of pairs without significant samples, if at least as many steps in front of it had none as the row
 * of pairs above takes. MEL gets an event for each quad, and the other streams get nothing. `rho`: of this work-item's
 * pair. Returns the number of events, or 0 if the step must be coded. The whole work-group calls this.
 */
FUNCTION u32 pass_step(struct pair_steps *steps, GLOBAL const struct j2k_work_coded_block *block,
    const struct pair_place *p, u32 rho, LOCAL u32 *edges, LOCAL u32 *scratch)
{
    u32 there = p->pair < p->count, both = there && PAIR_COLUMNS * p->column + 2 < block->width;
    u32 passed = steps->empty > p->across / LANES;
    if (lane_ballot(scratch, rho) != 0) {
        steps->empty = 0;
        return 0;
    }
    steps->empty++;
    if (!passed)
        return 0;
    if (there)
        edges[p->pair] = 0;
    return ones(lane_ballot(scratch, there)) + ones(lane_ballot(scratch, both));
}
#endif

/*
 * Code all pairs of a block. Returns the largest magnitude of this work-item's pairs, less 1. The whole work-group
 * calls this.
 */
FUNCTION i32 code_pairs(struct block_coding *c, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *RESTRICT samples, u32 factor)
{
    struct pair_steps steps;
    start_steps(&steps, block, samples);
    for (u32 i = 0; i < steps.next.count; i += LANES) {
        struct pair_samples s;
        struct pair_place here = steps.next;
        take_step(&steps, block, samples, factor, &s);
#if HAS_WARPS
        u32 passed = pass_step(&steps, block, &here, s.rho, c->edges, c->signs.scratch);
        c->event_count += passed;
        if (passed > 0)
            continue;
#endif
        code_step(c, block, &here, &s);
    }
    return steps.most;
}

/*
 * The byte at which VLC begins after stuffing. It is kept backward, so that Scup's high bits are in front of it, and
 * bytes of 0 that fill up a word are in front of these. MEL is put behind it.
 */
enum { CODES_AT = 5 };

/* Put Scup, MEL and the last bytes of MagSgn, backward, to VLC. The whole work-group calls this. */
FUNCTION void join_backward(LOCAL u8 *memory, const struct sign_stream *signs, const struct event_stream *events,
    const struct code_stream *codes)
{
    u32 lane = lane_index(), both = events->length + codes->length, suffix = both + 1;
    for (u32 i = lane; i < events->length; i += LANES)
        codes->to[both - 1 - i] = events->to[i];
    if (lane < 8) /* the word behind the last bytes of MagSgn is read, too */
        codes->to[both + lane] = (u8)(lane < 4 ? signs->last >> (24 - 8 * lane) : 0);
    if (lane < CODES_AT)
        memory[lane] = (u8)(lane == CODES_AT - 1 ? suffix >> 4 : 0);
    if (lane == 0)
        codes->to[0] = (u8)((codes->to[0] & 0xF0) | (suffix & 15));
    barrier_local();
}

/*
 * Append the other streams to MagSgn in the cleanup segment, and fill up its last word with 0. `memory` has all of
 * them, backward, with VLC at CODES_AT. Returns the segment's length, Lcup. The whole work-group calls this.
 */
FUNCTION u32 join_streams(const struct sign_stream *signs, LOCAL const u32 *memory, const struct event_stream *events,
    const struct code_stream *codes)
{
    u32 length = signs->length + events->length + codes->length + 1, left = length - 4 * signs->written;
    for (u32 i = lane_index(); 4 * i < left; i += LANES) {
        u32 from = left - 4 * i, at = signs->written + i;
        if (at < signs->capacity / 4)
            signs->to[at] = swap_bytes(shift_pair(memory[from / 4], memory[from / 4 + 1], from % 4 * 8));
    }
    return length;
}

/*
 * End all streams. The streams of a block without significant samples are not used. They are kept where the edges and
 * the ring were. The whole work-group calls this.
 */
FUNCTION void end_block(struct block_coding *c, struct event_stream *events, struct code_stream *codes)
{
    end_signs(&c->signs);
    barrier_local();
    end_events(events, c->events, c->event_count, c->edges, c->signs.scratch);
    barrier_local();
    codes->to = (LOCAL u8 *)c->edges + CODES_AT;
    end_codes(codes, c->codes, c->code_count, c->signs.scratch);
    end_both(events, codes);
    barrier_local();
    join_backward((LOCAL u8 *)c->edges, &c->signs, events, codes);
}

/*
 * Holds what is measured of a block: the gain of its pass, in squares of 2^n half steps with n = left_shift(planes);
 * and the error.
 */
struct ht_measures {
    u64 gain, error;
};

/* Measure a work-item's share of a block. The pass has all planes, so that the indices have no further bits. */
LARGE_FUNCTION struct ht_measures measure_ht(
    GLOBAL const struct j2k_work_coded_block *block, GLOBAL const u32 *RESTRICT samples, u32 planes)
{
    struct ht_measures m;
    u32 count = block->width * block->height, shift = left_shift(planes);
    float factor = float_of(block->factor);
    m.gain = m.error = 0;
    for (u32 i = lane_index(); i < count; i += LANES) {
        u32 y = i / block->width, x = i - y * block->width, from = samples[block->from + y * block->pitch + x];
        u32 index = block->exact ? index_of_integer(from) : index_of_real(from, factor);
        u32 magnitude = raised(block, index, x, y) & 0x7FFFFFFFu;
        u64 half_steps = (2 * (u64)magnitude + (block->exact ? 0 : 1)) >> shift;
        m.gain += magnitude > 0 ? half_steps * half_steps : 0;
        m.error += !block->exact && (block->measured & J2K_MEASURED_ERRORS) != 0 ? error_of_real(from, factor) : 0;
    }
    return m;
}

/*
 * The memory of a block, in words: edges and the ring, instead of which ended streams are kept; bits of VLC; and
 * events, some of which are read as if they were behind VLC. All but the edges is 0 at first.
 */
enum {
    MEMORY_RING = PAIRS_MOST,
    MEMORY_CODES = MEMORY_RING + SIGN_WORDS,
    MEMORY_EVENTS = MEMORY_CODES + CODE_WORDS,
    MEMORY_WORDS = (MEMORY_EVENTS + EVENT_WORDS + 3) / 4 * 4
};

/* Start a block. The destination of MagSgn must have been set. The whole work-group calls this. */
FUNCTION void start_block(struct block_coding *c, LOCAL u32x4 *memory, LOCAL u32 *scratch)
{
    c->edges = (LOCAL u32 *)(LOCAL void *)memory;
    c->signs.ring = c->edges + MEMORY_RING;
    c->signs.scratch = scratch;
    c->codes = c->edges + MEMORY_CODES;
    c->events = c->edges + MEMORY_EVENTS;
    UNROLL for (u32 i = 0; i < (MEMORY_WORDS - MEMORY_RING) / 4; i += LANES)
    {
        u32 at = MEMORY_RING / 4 + i + lane_index();
        if (at < MEMORY_WORDS / 4)
            memory[at] = make_u32x4(0, 0, 0, 0);
    }
    if (lane_index() == MEMORY_CODES / 4 % LANES) /* it has cleared this word */
        c->codes[0] = 15;                         /* room for Scup's low bits */
    c->signs.count = c->signs.place = c->signs.length = c->signs.after = c->signs.last = 0;
    c->code_count = 4;
    c->event_count = 0;
    barrier_local();
}

/* Write the result of a block. */
FUNCTION void put_result(
    GLOBAL struct j2k_work_coded_result *to, GLOBAL u32 *RESTRICT pass, u32 planes, u32 length, LOCAL const u32 *wide)
{
    u64 gain = wide_sum(wide), error = wide_sum(wide + WIDE_PIECES);
    to->planes = planes;
    to->passes = planes > 0 ? 1 : 0;
    to->length = length;
    to->error_low = (u32)error;
    to->error_high = (u32)(error >> 32);
    to->left_low = to->left_high = to->decision = to->decisions = 0;
    pass[0] = length;
    pass[1] = (u32)gain;
    pass[2] = (u32)(gain >> 32);
}

/*
 * Code the blocks of a list. `passes` has one pass for each block, laid out as for code_blocks(), but with a gain of 64
 * bits.
 */
DENSE_KERNEL(J2K_HT_CODE_GROUP, HT_CODE_GROUPS)
code_ht_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT data,
    GLOBAL u32 *RESTRICT passes, GLOBAL u32 *RESTRICT results)
{
    SHARED u32x4 memory[MEMORY_WORDS / 4];
    SHARED u32 scratch[J2K_HT_CODE_GROUP];
    SHARED u32 wide[2 * WIDE_PIECES]; /* for struct ht_measures */
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    struct block_coding c;
    struct event_stream ended_events;
    struct code_stream ended_codes;
    if (local_index() < 2 * WIDE_PIECES)
        wide[local_index()] = 0;
    c.signs.to = data + (block->data + J2K_DATA_HEAD) / 4;
    c.signs.capacity = block->capacity;
    start_block(&c, memory, scratch);
    u32 most = (u32)code_pairs(&c, block, samples, block->factor) + 1;
    u32 planes = bit_length(~lane_least(scratch, ~most));
    c.event_count = planes > 0 ? c.event_count : 0;
    end_block(&c, &ended_events, &ended_codes);
    u32 length = join_streams(&c.signs, c.edges, &ended_events, &ended_codes);
    if (block->measured) {
        struct ht_measures m = measure_ht(block, samples, planes);
        add_up_wide(wide, m.gain);
        add_up_wide(wide + WIDE_PIECES, m.error);
    }
    barrier_local();
    if (local_index() == 0)
        put_result((GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + group_index(),
            passes + group_index() * J2K_PASS_WORDS, planes > 0 && block->refinements > 0 ? planes + 1 : planes,
            planes == 0                 ? 0
            : length <= block->capacity ? length
                                        : J2K_NO_ROOM,
            wide);
}
