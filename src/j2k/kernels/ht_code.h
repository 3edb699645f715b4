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

/* Append the prefix of u (Table 3), of up to three bits; the next function appends the suffix, of up to five. */
FUNCTION void append_prefix(struct code_bits *b, u32 u)
{
    append(b, u < 3 ? 1u << u >> 1 : u < 5 ? 4u : 0u, u < 3 ? u : 3);
}

FUNCTION void append_suffix(struct code_bits *b, u32 u)
{
    append(b, u < 3 ? 0u : u < 5 ? u - 3 : u - 5, u < 3 ? 0 : u < 5 ? 1 : 5);
}

/*
 * Append both u of a pair. In the first row of quads (7.3.6) an event says whether both are above 2; if not both, and
 * the first one is above 2, the second one takes a single bit.
 */
FUNCTION void append_excesses(struct code_bits *codes, struct code_bits *events, u32 a, u32 b, u32 first)
{
    u32 asks = first && a > 0 && b > 0, both = asks && a > 2 && b > 2, is_short = asks && a > 2 && b <= 2;
    append(events, both, asks);
    a -= both ? 2 : 0;
    b -= both ? 2 : 0;
    append_prefix(codes, a);
    if (is_short)
        append(codes, b - 1, 1);
    else
        append_prefix(codes, b);
    append_suffix(codes, a);
    append_suffix(codes, is_short ? 0 : b);
}

/* Collect the bits of VLC and the events of MEL of a pair. */
LARGE_FUNCTION void collect_codes(
    const struct coded_quad *quad, u32 first, struct code_bits *codes, struct code_bits *events)
{
    codes->value = codes->count = events->value = events->count = 0;
    UNROLL for (u32 i = 0; i < 2; i++)
    {
        append(events, quad[i].asks && quad[i].rho != 0 ? 1u : 0u, quad[i].asks);
        append(codes, J2K_HT_CODE_WORD(quad[i].entry), J2K_HT_CODE_LENGTH(quad[i].entry));
    }
    append_excesses(codes, events, quad[0].excess, quad[1].excess, first);
}

/* Return the number of bits of a sample in MagSgn. */
FUNCTION u32 sign_length(const struct coded_quad *q, u32 i)
{
    return (q->rho >> i & 1) != 0 ? q->most - (J2K_HT_CODE_KNOWN(q->entry) >> i & 1) : 0;
}

FUNCTION u32 signs_length(const struct coded_quad *q)
{
    return ones(q->rho) * q->most - ones(J2K_HT_CODE_KNOWN(q->entry));
}

/* Return the lowest `count` bits of a number, up to 32. */
FUNCTION u64 lowest_bits(u32 value, u32 count)
{
    return value & (((u64)1 << count) - 1);
}

/* Return the bits of MagSgn of two samples of a quad, from sample `i` on. *length receives their number. */
FUNCTION u64 two_signs(const u32 *value, const struct coded_quad *q, u32 i, u32 *length)
{
    u32 first = sign_length(q, i), second = sign_length(q, i + 1);
    *length = first + second;
    return lowest_bits(value[i], first) | lowest_bits(value[i + 1], second) << first;
}

/* Write MagSgn of a quad from bit `place` on. */
LARGE_FUNCTION void put_signs(LOCAL u32 *ring, u32 place, const u32 *value, const struct coded_quad *q)
{
    u32 left, right;
    u64 a = two_signs(value, q, 0, &left), b = two_signs(value, q, 2, &right);
    write_signs(ring, place, a);
    write_signs(ring, place + left, b);
}

/* Write MagSgn of a pair; its bits are written together if they are fewer than 64. */
LARGE_FUNCTION void put_pair(LOCAL u32 *ring, u32 place, const u32 *value, const struct coded_quad *quad)
{
    u32 left[2], right[2], length = signs_length(&quad[0]);
    if (length + signs_length(&quad[1]) >= 64) {
        put_signs(ring, place, value, &quad[0]);
        put_signs(ring, place + length, value + 4, &quad[1]);
        return;
    }
    u64 a = two_signs(value, &quad[0], 0, &left[0]), b = two_signs(value, &quad[0], 2, &right[0]);
    u64 c = two_signs(value + 4, &quad[1], 0, &left[1]), d = two_signs(value + 4, &quad[1], 2, &right[1]);
    write_signs(ring, place, a | b << left[0] | (c | d << left[1]) << length);
}

/* Holds the state of a block. The values are the same in all work-items. */
struct block_coding {
    struct sign_stream signs;
    LOCAL u32 *codes, *events, *edges;
    u32 code_count, event_count; /* numbers of bits in `codes` and `events` */
    u32 carry;                   /* see code_pair() */
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
    code_pair(block, p, s, c->edges, c->signs.scratch, &c->carry, quad);
    collect_codes(quad, p->row == 0, &codes, &events);
    u32 both = signs_length(&quad[0]) + signs_length(&quad[1]);
    u32 before = lane_scan(c->signs.scratch, both | codes.count << SUM_CODES | events.count << SUM_EVENTS, &sum);
    u32 place = c->signs.count + (before & ((1u << SUM_CODES) - 1)), signs = sum & ((1u << SUM_CODES) - 1);
    clear_ahead(&c->signs, signs, 0);
    barrier_local();
    put_pair(c->signs.ring, place, s->value, quad);
    write_bits(c->codes, c->code_count + (before >> SUM_CODES & 1023), codes.value);
    write_bits(c->events, c->event_count + (before >> SUM_EVENTS), events.value);
    barrier_local();
    c->signs.count += signs;
    c->code_count += sum >> SUM_CODES & 1023;
    c->event_count += sum >> SUM_EVENTS;
    while (c->signs.count - c->signs.place >= 8 * CHUNK_BYTES)
        stuff_signs(&c->signs, CHUNK_BYTES);
}

#if HAS_WARPS
/*
 * Pass over a step of pairs without significant samples; all steps before it must also have had none. MEL gets an event
 * for each quad, and the other streams get nothing. The whole work-group calls this.
 */
FUNCTION void pass_step(
    struct block_coding *c, GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p)
{
    u32 there = p->pair < p->count, both = there && PAIR_COLUMNS * p->column + 2 < block->width;
    if (there)
        c->edges[p->pair] = 0;
    c->event_count += ones(lane_ballot(c->signs.scratch, there)) + ones(lane_ballot(c->signs.scratch, both));
}
#endif

/* Return the bits of a pair's indices, including their signs, combined. */
LARGE_FUNCTION u32 bits_of_pair(const u32 *sample)
{
    u32 any = 0;
    UNROLL for (u32 k = 0; k < PAIR_SAMPLES; k++) any |= sample[k];
    return any;
}

/* Load and quantise the coefficients of a pair. Returns the bits of the indices, combined. */
FUNCTION u32 take_next(GLOBAL const struct j2k_work_coded_block *block, const struct pair_place *p,
    GLOBAL const u32 *RESTRICT samples, u32 factor, u32 *sample)
{
    load_pair(block, p, samples, sample);
    quantise_pair(block, p, float_of(factor), sample);
    return bits_of_pair(sample);
}

#if HAS_WARPS
/* Return whether the pairs of a step have no significant samples. The whole work-group calls this. */
FUNCTION u32 is_quiet(const struct block_coding *c, u32 any)
{
    return lane_ballot(c->signs.scratch, any & 0x7FFFFFFFu) == 0;
}
#endif

/*
 * Code all pairs of a block. Returns the bits of the magnitudes of this work-item's pairs, combined. The whole
 * work-group calls this.
 */
FUNCTION u32 code_pairs(struct block_coding *c, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *RESTRICT samples, u32 factor)
{
    u32 sample[PAIR_SAMPLES], steps, i = 0;
    struct pair_place p = first_pair(block);
    steps = (p.count + LANES - 1) / LANES;
    u32 any = take_next(block, &p, samples, factor, sample);
#if HAS_WARPS /* elsewhere compiling this takes longer than it saves */
    for (u32 quiet = is_quiet(c, any); quiet && i < steps; i++) {
        pass_step(c, block, &p);
        next_pair(&p);
        any = take_next(block, &p, samples, factor, sample);
        quiet = is_quiet(c, any);
    }
#endif
    for (; i < steps; i++) {
        struct pair_samples s;
        struct pair_place here = p;
        take_pair(sample, &s);
        next_pair(&p);
        load_pair(block, &p, samples, sample);
        code_step(c, block, &here, &s);
        quantise_pair(block, &p, float_of(factor), sample);
        any |= bits_of_pair(sample);
    }
    return any & 0x7FFFFFFFu;
}

/*
 * Append the other streams to MagSgn in the cleanup segment. Returns the segment's length, Lcup. The whole work-group
 * calls this.
 */
FUNCTION u32 join_streams(
    const struct sign_stream *signs, const struct event_stream *events, const struct code_stream *codes)
{
    u32 both = events->length + codes->length, suffix = both + 1; /* Scup */
    u32 length = signs->length + suffix, padded = (length + 3) / 4 * 4 - signs->length;
    for (u32 i = lane_index(); i < padded && signs->length + i < signs->capacity; i += LANES) {
        u32 byte = i < events->length ? events->to[i]
                   : i < both         ? codes->to[both - 1 - i]
                   : i == both        ? suffix >> 4
                                      : 0;
        signs->to[signs->length + i] = (u8)(i + 1 == both ? (byte & 0xF0) | (suffix & 15) : byte);
    }
    return length;
}

/*
 * End all streams. The streams of a block without significant samples are not used. `memory` holds the edges and the
 * ring until then. The whole work-group calls this.
 */
FUNCTION void end_block(
    struct block_coding *c, LOCAL u32 *memory, struct event_stream *events, struct code_stream *codes)
{
    codes->to = (LOCAL u8 *)memory;
    events->to = codes->to + CODES_STUFFED;
    end_signs(&c->signs);
    barrier_local();
    end_codes(codes, c->codes, c->code_count, c->signs.scratch);
    end_events(events, c->events, c->event_count);
    end_both(events, codes);
}

/*
 * Holds what is measured of a block: the gain of its pass, in squares of 2^n half steps with n = left_shift(planes);
 * and the error.
 */
struct ht_measures {
    u64 gain, error;
};

/*
 * Measure a work-item's share of a block, if the block is to be measured. The pass has all planes, so that the indices
 * have no further bits.
 */
LARGE_FUNCTION struct ht_measures measure_ht(
    GLOBAL const struct j2k_work_coded_block *block, GLOBAL const u32 *RESTRICT samples, u32 planes)
{
    struct ht_measures m;
    u32 count = block->measured ? block->width * block->height : 0, shift = left_shift(planes);
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
 * Start a block with the group's memory: `memory` is for the edges and the ring. The destination of MagSgn must have
 * been set. The whole work-group calls this.
 */
FUNCTION void start_block(
    struct block_coding *c, LOCAL u32 *memory, LOCAL u32 *codes, LOCAL u32 *events, LOCAL u32 *scratch, LOCAL u32 *any)
{
    c->signs.ring = memory + PAIRS_MOST;
    c->signs.scratch = scratch;
    c->codes = codes;
    c->events = events;
    c->edges = memory;
    for (u32 i = local_index(); i < CODE_WORDS; i += J2K_HT_CODE_GROUP)
        c->codes[i] = i == 0 ? 15 : 0; /* room for Scup's low bits */
    for (u32 i = local_index(); i < EVENT_WORDS; i += J2K_HT_CODE_GROUP)
        c->events[i] = 0;
    if (local_index() == 0)
        any[0] = 0;
    c->signs.count = c->signs.place = c->signs.length = c->signs.after = 0;
    c->code_count = 4;
    c->event_count = c->carry = 0;
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
    SHARED u32 memory[PAIRS_MOST + SIGN_WORDS];
    SHARED u32 codes[CODE_WORDS];
    SHARED u32 events[EVENT_WORDS];
    SHARED u32 scratch[J2K_HT_CODE_GROUP];
    SHARED u32 any[1];
    SHARED u32 wide[2 * WIDE_PIECES]; /* for struct ht_measures */
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct j2k_work_coded_block *block =
        (GLOBAL const struct j2k_work_coded_block *)(list + head->block) + group_index();
    struct block_coding c;
    struct event_stream ended_events;
    struct code_stream ended_codes;
    if (local_index() < 2 * WIDE_PIECES)
        wide[local_index()] = 0;
    c.signs.to = (GLOBAL u8 *)(data + (block->data + J2K_DATA_HEAD) / 4);
    c.signs.capacity = block->capacity;
    start_block(&c, memory, codes, events, scratch, any);
    join_local(&any[0], code_pairs(&c, block, samples, block->factor));
    barrier_local();
    u32 planes = bit_length(any[0]);
    c.event_count = planes > 0 ? c.event_count : 0;
    end_block(&c, memory, &ended_events, &ended_codes);
    barrier_all(); /* a final FF of MagSgn is left out, so that its place is written again */
    u32 length = join_streams(&c.signs, &ended_events, &ended_codes);
    struct ht_measures m = measure_ht(block, samples, planes);
    add_up_wide(wide, m.gain);
    add_up_wide(wide + WIDE_PIECES, m.error);
    barrier_local();
    if (local_index() == 0)
        put_result((GLOBAL struct j2k_work_coded_result *)(results + J2K_LIST_HEAD) + group_index(),
            passes + group_index() * J2K_PASS_WORDS, planes > 0 && block->refinements > 0 ? planes + 1 : planes,
            planes == 0                 ? 0
            : length <= block->capacity ? length
                                        : J2K_NO_ROOM,
            wide);
}
