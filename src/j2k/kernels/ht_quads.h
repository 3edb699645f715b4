/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MEL and VLC of T.814 code-blocks (7.3): which samples of a quad are significant, and how many bits they have.
 * Each quad depends on the one before it, so that a work-item decodes a block.
 */
#include "j2k/kernels/gather.h"
#include "j2k/kernels/ht_bytes.h"
#include "j2k/kernels/work.h"
#include "j2k/tables/ht_vlc.h"

enum {
    QUADS_A_WORD = 16, /* quads of a row whose samples share a word of `above` */
    ABOVE_WORDS = J2K_BLOCK_SIDE / 2 / QUADS_A_WORD + 1,
    CODE_MASK = (1 << J2K_HT_VLC_BITS) - 1,
    MEL_RUN_BITS = 6,     /* most bits that tell the length of a run */
    MEL_EVENTS = 2,       /* most events of a pair */
    MEL_EVENTS_FIRST = 3, /* most events of a pair of the first row */
    MEL_BITS_AT_ONCE = 32,
    SHORT_U = 2, /* if MEL does not say that both exceed 2, and the first u exceeds this, the second one is a bit */
    /* The prefixes of both u of a pair take up to six bits. A table is indexed by these and both u_off. */
    PREFIXES_BITS = 6,
    PREFIXES = 4 << PREFIXES_BITS
};

SPREAD_TABLE u16 ht_first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
SPREAD_TABLE u16 ht_next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};

/*
 * Extends an entry of tables/ht.h by what the quads behind and below need: whether each of the quad's lower samples is
 * significant; and whether any of its right ones is, as a bit of the context of the quad behind.
 */
#define HT_ENTRY(entry, rho) ((entry) | ((rho) >> 1 & 1) << 16 | ((rho) >> 3) << 17 | ((rho) > 3 ? 1u : 0) << 19)
#define HT_ENTRY_BOTTOM(entry) ((entry) >> 16 & 3)
#define HT_ENTRY_RIGHT(entry) ((entry) >> 18 & 2)

/* Pack the prefixes of u into two words of four bytes each. */
#define HT_LOW_WORD(a, b, c, d, e, f, g, h) ((u32)(a) | (u32)(b) << 8 | (u32)(c) << 16 | (u32)(d) << 24)
#define HT_HIGH_WORD(a, b, c, d, e, f, g, h) HT_LOW_WORD(e, f, g, h, 0, 0, 0, 0)

/* Holds the bits of VLC, which is read backward. */
struct vlc_bits {
    GLOBAL const u32 *streams;
    u32 upper, lower; /* words that hold the next four bytes */
    u32 index;        /* index of the lower word */
    u32 shift;        /* bits from the first of the lower word to those four bytes */
    u32 left;         /* number of bytes that have not been taken yet */
    u32 last;         /* the byte that was taken last */
    u64 bits;         /* the next bit is the lowest */
    u32 count;
    u32 missing; /* number of bits that were taken behind the last byte, which are zeros */
};

/* Holds the bits of MEL, and the events that these stand for. */
struct mel_bits {
    GLOBAL const u32 *streams;
    u32 low, high; /* words that hold the next four bytes */
    u32 index;     /* index of the upper word */
    u32 end;       /* index of the word behind the one with the segment's last byte but one */
    u32 shift;     /* bits from the first of the lower word to those four bytes */
    u32 left;      /* number of bytes that have not been taken yet, up to the segment's last byte but one */
    u32 last;      /* the byte that was taken last */
    u64 bits;      /* the next bit is the highest */
    u32 count;
    u32 state;
    u64 events; /* the next event is the lowest bit */
    u32 ready;  /* number of events */
};

/* Holds what a work-item needs to read a block. */
struct quads_reading {
    struct vlc_bits vlc;
    struct mel_bits mel;
    local_place table, prefixes;
};

/* Take four bytes of VLC; behind the last one there are zeros. */
FUNCTION void refill_vlc(struct vlc_bits *v)
{
    u32 bytes = swap_bytes(shift_pair(v->lower, v->upper, v->shift)), lacking = v->left < 4 ? 4 - v->left : 0;
    bytes &= lacking > 3 ? 0 : 0xFFFFFFFFu >> 8 * lacking;
    u32 stuffed = stuffed_backward(bytes, bytes << 8 | v->last);
    v->missing += 8 * lacking;
    v->left -= 4 - lacking;
    v->last = bytes >> 24;
    v->upper = v->lower;
    v->index -= v->index > 0 ? 1 : 0;
    v->lower = v->streams[v->index];
    v->bits |= (u64)without_bits(bytes, stuffed) << v->count;
    v->count += 32 - ones(stuffed);
}

/* Make sure that there are more than 32 bits of VLC. */
FUNCTION void require_vlc(struct vlc_bits *v)
{
    if (v->count <= 32)
        refill_vlc(v);
}

FUNCTION u32 take_vlc(struct vlc_bits *v, u32 count)
{
    u32 value = (u32)v->bits & ((1u << count) - 1);
    v->bits >>= count;
    v->count -= count;
    return value;
}

/*
 * Begin VLC with the high nibble of `byte`, the segment's last byte but one, which is at `at`. `length` is the number
 * of bytes in front of it that belong to VLC or MEL.
 */
FUNCTION void start_vlc(struct vlc_bits *v, GLOBAL const u32 *streams, u32 at, u32 byte, u32 length)
{
    u32 nibble = byte >> 4;
    v->streams = streams;
    v->shift = at % 4 * 8;
    v->upper = streams[at / 4];
    v->index = at / 4 - (at >= 4 ? 1 : 0);
    v->lower = streams[v->index];
    v->left = length;
    v->last = byte | 15;
    v->count = (nibble & 7) == 7 ? 3 : 4;
    v->bits = nibble & ((1u << v->count) - 1);
    v->missing = 0;
}

/* Take four bytes of MEL. The segment's last 12 bits, which hold Scup, and all bits behind them count as ones. */
FUNCTION void refill_mel(struct mel_bits *m)
{
    u32 bytes = shift_pair(m->low, m->high, m->shift), left = m->left;
    if (left <= 4)
        bytes = left == 0 ? 0xFFFFFFFFu : bytes | 15u << 8 * (left - 1) | (left < 4 ? 0xFFFFFFFFu << 8 * left : 0);
    u32 stuffed = stuffed_forward(bytes << 8 | m->last);
    u64 bits = without_bits_upward(swap_bytes(bytes), swap_bytes(stuffed));
    m->left -= left < 4 ? left : 4;
    m->last = bytes >> 24;
    m->low = m->high;
    m->index += m->index < m->end ? 1 : 0;
    m->high = m->streams[m->index];
    m->bits |= bits << 32 >> m->count;
    m->count += MEL_BITS_AT_ONCE - ones(stuffed);
}

/*
 * Take the bits that tell the length of the next run (7.3.3): its zeros, and a one behind them unless the run is full.
 */
FUNCTION void take_run(struct mel_bits *m)
{
    if (m->count < MEL_RUN_BITS)
        refill_mel(m);
    u32 exponent = mel_exponent(m->state);
    u32 rest = (u32)(m->bits >> (64 - MEL_RUN_BITS)) & 31, is_long = (u32)(m->bits >> 63);
    u32 length = is_long ? 1 : 1 + exponent;
    u32 zeros = is_long ? 1u << exponent : rest >> (5 - exponent);
    m->events |= (u64)(1 - is_long) << (zeros + m->ready);
    m->ready += zeros + 1 - is_long;
    m->state = is_long ? m->state + (m->state < J2K_HT_MEL_STATES - 1 ? 1 : 0) : m->state - (m->state > 0 ? 1 : 0);
    m->bits <<= length;
    m->count -= length;
}

/* Make sure that there are `count` events, at most MEL_EVENTS_FIRST. A run adds up to 32. */
FUNCTION void require_mel(struct mel_bits *m, u32 count)
{
    while (m->ready < count)
        take_run(m);
}

/* Begin MEL at byte `at`. `end` is the segment's last byte but one. */
FUNCTION void start_mel(struct mel_bits *m, GLOBAL const u32 *streams, u32 at, u32 end)
{
    m->streams = streams;
    m->shift = at % 4 * 8;
    m->low = streams[at / 4];
    m->index = at / 4 + 1;
    m->high = streams[m->index];
    m->end = end / 4 + 1;
    m->left = end - at + 1;
    m->last = m->count = m->state = m->ready = 0;
    m->bits = m->events = 0;
}

/* Take an event if `taken` is 1, or none if it is 0. Returns the event, or 0. */
FUNCTION u32 mel_event(struct mel_bits *m, u32 taken)
{
    u32 event = (u32)m->events & taken;
    m->events >>= taken;
    m->ready -= taken;
    return event;
}

/* Return the entry of the quad whose code the next bits of VLC are; 0: none of its samples is significant. */
FUNCTION u32 find_quad(struct quads_reading *r, u32 context, u32 bits)
{
    u32 entry = local_word(r->table + 4 * (context << J2K_HT_VLC_BITS | (bits & CODE_MASK)));
    u32 is_asked = context == 0, event = mel_event(&r->mel, is_asked);
    return is_asked && !event ? 0 : entry;
}

/* Take the code of a quad, and return its entry. */
FUNCTION u32 read_quad(struct quads_reading *r, u32 context)
{
    u32 entry = find_quad(r, context, (u32)r->vlc.bits);
    take_vlc(&r->vlc, J2K_HT_VLC_LENGTH(entry));
    return entry;
}

/* Return the entry of the prefix of u with which the next bits of VLC begin. */
FUNCTION u32 prefix_of(u32 bits)
{
    return pick_bytes(J2K_HT_U_PREFIXES_IN(HT_LOW_WORD), J2K_HT_U_PREFIXES_IN(HT_HIGH_WORD), bits & 7) & 255;
}

/*
 * Return the entry for the prefixes of a pair outside of the first row: their length in bits 0–2, the lengths of both
 * suffixes from bits 3 and 6 on, and the values that these are added to from bits 9 and 12 on. The index has the next
 * bits of VLC, and above them both u_off.
 */
FUNCTION u32 prefixes_of(u32 index)
{
    u32 one = index >> PREFIXES_BITS & 1 ? prefix_of(index) : 0;
    u32 two = index >> (PREFIXES_BITS + 1) ? prefix_of(index >> (one & 3)) : 0;
    return (one & 3) + (two & 3) + (one >> 2 & 7) * 8 + (two >> 2 & 7) * 64 + (one >> 5) * 512 + (two >> 5) * 4096;
}

/* Take the extensions of two suffixes, if they have one. Returns what is added to each. */
FUNCTION u32x2 take_extensions(struct vlc_bits *v, u32 a, u32 b)
{
    require_vlc(v);
    u32 first = a >= J2K_HT_U_EXTENDED ? 4 * take_vlc(v, 4) : 0;
    return make_u32x2(first, b >= J2K_HT_U_EXTENDED ? 4 * take_vlc(v, 4) : 0);
}

/*
 * Read u of the quads of a pair of the first row; `first` and `second` are their u_off. There must be 16 bits. If both
 * are 1, MEL says whether both u exceed 2. If they do not, and the first one exceeds 2, the second one is a bit.
 */
FUNCTION u32x2 read_first_u(struct quads_reading *r, u32 first, u32 second)
{
    struct vlc_bits *v = &r->vlc;
    u32 both = first && second, large = mel_event(&r->mel, both);
    u32 one = first ? prefix_of((u32)v->bits) : 0;
    take_vlc(v, one & 3);
    u32 two = second ? prefix_of((u32)v->bits) : 0;
    if (both && !large && one >> 5 > SHORT_U)
        two = J2K_HT_U_PREFIX(1, 0, 1 + ((u32)v->bits & 1));
    take_vlc(v, two & 3);
    u32 a = take_vlc(v, one >> 2 & 7), b = take_vlc(v, two >> 2 & 7);
    u32x2 more = make_u32x2(0, 0);
    if (a >= J2K_HT_U_EXTENDED || b >= J2K_HT_U_EXTENDED)
        more = take_extensions(v, a, b);
    return make_u32x2((one >> 5) + a + more.x + 2 * large, (two >> 5) + b + more.y + 2 * large);
}

/* Return the context of a quad of the first row. `left`: rho of the quad on its left. */
FUNCTION u32 first_context_of(u32 left)
{
    return ((left | left >> 1) & 1) | (left >> 1 & 6);
}

/*
 * Return the context of a quad of another row. `left`: entry of the quad on its left; `near`: bits of the samples
 * above.
 */
FUNCTION u32 context_of(u32 left, u32 near)
{
    return (near & 5) | HT_ENTRY_RIGHT(left);
}

/* Holds the entries of a pair of quads, and their words. */
struct quad_pair {
    u32 first, second;
    u32x2 words;
};

FUNCTION struct quad_pair make_pair(u32 first, u32 second, u32 u, u32 v)
{
    struct quad_pair pair;
    pair.first = first;
    pair.second = second;
    pair.words = make_u32x2(J2K_QUAD(first & 0xFFFF, u), J2K_QUAD(second & 0xFFFF, v));
    return pair;
}

/*
 * Read a pair of the first row; its second quad may be missing. There must be more than 32 bits of VLC and
 * MEL_EVENTS_FIRST events of MEL.
 */
FUNCTION struct quad_pair read_first_pair(struct quads_reading *r, u32 left, u32 is_whole)
{
    u32 first = read_quad(r, first_context_of(J2K_HT_VLC_RHO(left))), second = 0;
    if (is_whole)
        second = read_quad(r, first_context_of(J2K_HT_VLC_RHO(first)));
    u32x2 u = read_first_u(r, J2K_HT_VLC_OFFSET(first), J2K_HT_VLC_OFFSET(second));
    return make_pair(first, second, u.x, u.y);
}

/*
 * Read a pair of another row. There must be MEL_EVENTS events. Without extensions the pair takes at most 30 bits, which
 * are in one word, so that the bits are shifted only once. Only rare cases have branches, because a work-item waits for
 * each step.
 */
FUNCTION struct quad_pair read_pair(struct quads_reading *r, u32 left, u32 near, u32 is_whole)
{
    struct vlc_bits *v = &r->vlc;
    u32 bits = (u32)v->bits, first = find_quad(r, context_of(left, near), bits);
    bits >>= J2K_HT_VLC_LENGTH(first);
    u32 context = context_of(first, near >> 2);
    u32 second = find_quad(r, is_whole ? context : 1, bits); /* with context 1 there is no event */
    second = is_whole ? second : 0;
    bits >>= J2K_HT_VLC_LENGTH(second);
    u32 offsets = J2K_HT_VLC_OFFSET(first) | J2K_HT_VLC_OFFSET(second) << 1;
    u32 code = local_word(r->prefixes + 4 * (offsets << PREFIXES_BITS | (bits & ((1 << PREFIXES_BITS) - 1))));
    u32 length = code & 7, one = code >> 3 & 7, two = code >> 6 & 7;
    u32 used = J2K_HT_VLC_LENGTH(first) + J2K_HT_VLC_LENGTH(second) + length + one + two;
    bits >>= length;
    u32 a = bits & ((1u << one) - 1), b = bits >> one & ((1u << two) - 1);
    u32x2 more = make_u32x2(0, 0);
    v->bits >>= used;
    v->count -= used;
    if (a >= J2K_HT_U_EXTENDED || b >= J2K_HT_U_EXTENDED)
        more = take_extensions(v, a, b);
    return make_pair(first, second, (code >> 9 & 7) + a + more.x, (code >> 12) + b + more.y);
}

/*
 * Read the pairs of a row, up to its end, that share a word of `above`. `wide` has four bits for each pair, the first
 * pair's lowest: of samples of the row above, each joined with the next one. Returns the bits of this row's lower
 * samples.
 */
FUNCTION u32 read_pairs(struct quads_reading *r, u32 is_first_row, u64 wide, u32 columns, u32 *left, GLOBAL u32x2 *to)
{
    u32 bottom = 0;
    for (u32 at = 0, q = 0; q < QUADS_A_WORD && q < columns; q += 2, at += 4) {
        struct quad_pair pair;
        require_vlc(&r->vlc);
        require_mel(&r->mel, is_first_row ? MEL_EVENTS_FIRST : MEL_EVENTS);
        if (is_first_row)
            pair = read_first_pair(r, *left, q + 1 < columns);
        else
            pair = read_pair(r, *left, (u32)wide, q + 1 < columns);
        wide >>= 4;
        to[q / 2] = pair.words;
        *left = pair.second;
        bottom |= (HT_ENTRY_BOTTOM(pair.first) | HT_ENTRY_BOTTOM(pair.second) << 2) << at;
    }
    return bottom;
}

/*
 * Read a row of quads. `above` has a bit for each lower sample of the row above, and on return of this row; its words
 * are J2K_QUAD_GROUP apart.
 */
FUNCTION void read_row(struct quads_reading *r, u32 is_first_row, u32 columns, LOCAL u32 *above, GLOBAL u32x2 *to)
{
    u32 word = above[0], before = 0, left = 0;
    for (u32 q = 0; q < columns; q += QUADS_A_WORD) {
        u32 next = above[(q / QUADS_A_WORD + 1) * J2K_QUAD_GROUP];
        u64 wide = ((u64)next << 32 | word) << 1 | before;
        before = word >> 31;
        word = next;
        above[q / QUADS_A_WORD * J2K_QUAD_GROUP] =
            read_pairs(r, is_first_row, wide | wide >> 1, columns - q, &left, to + q / 2);
    }
}

/* Read a block. Returns whether its lengths are impossible, or VLC has too few bits. */
FUNCTION u32 read_quads(struct quads_reading *r, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states, LOCAL u32 *tables, LOCAL u32 *above, u32 origin)
{
    u32 columns = (block->width + 1u) / 2, rows = (block->height + 1u) / 2, end = block->from + block->length;
    u32 byte = byte_at(streams, end - 2), suffix = 16 * byte_at(streams, end - 1) + (byte & 15);
    if (suffix < J2K_HT_SUFFIX_LEAST || suffix > J2K_HT_SUFFIX_MOST || suffix > block->length)
        return 1;
    GLOBAL u32x2 *to = (GLOBAL u32x2 *)(GLOBAL void *)states + block->state / 2;
    start_vlc(&r->vlc, streams, end - 2, byte, suffix - 2);
    start_mel(&r->mel, streams, end - suffix, end - 2);
    for (u32 i = 0; i * QUADS_A_WORD < columns + QUADS_A_WORD; i++)
        above[i * J2K_QUAD_GROUP] = 0;
    r->table = as_local_place(tables, origin);
    r->prefixes = as_local_place(tables + 2 * J2K_HT_VLC_ENTRIES, origin);
    read_row(r, 1, columns, above, to);
    r->table = as_local_place(tables + J2K_HT_VLC_ENTRIES, origin);
    for (u32 y = 1; y < rows; y++)
        read_row(r, 0, columns, above, to + y * (J2K_QUAD_PITCH(columns) / 2));
    return r->vlc.missing > r->vlc.count;
}

/*
 * Read all blocks. `damaged` receives for each of them whether it is damaged, behind the entries of other coders'
 * blocks.
 */
KERNEL(J2K_QUAD_GROUP)
decode_quads(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states,
    GLOBAL u32 *RESTRICT damaged)
{
    SHARED u32 tables[2 * J2K_HT_VLC_ENTRIES + PREFIXES];
    SHARED u32 above[ABOVE_WORDS * J2K_QUAD_GROUP];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    u32 lane = local_index() % J2K_BUNDLE;
    u32 bundle = group_index() * (J2K_QUAD_GROUP / J2K_BUNDLE) + local_index() / J2K_BUNDLE;
    u32 index = bundle * head->ht_lanes + lane;
    UNROLL for (u32 i = 0; i < J2K_HT_VLC_ENTRIES; i += J2K_QUAD_GROUP)
    {
        u32 first = ht_first_row[i + local_index()], next = ht_next_rows[i + local_index()];
        tables[i + local_index()] = HT_ENTRY(first, J2K_HT_VLC_RHO(first));
        tables[J2K_HT_VLC_ENTRIES + i + local_index()] = HT_ENTRY(next, J2K_HT_VLC_RHO(next));
    }
    for (u32 i = local_index(); i < PREFIXES; i += J2K_QUAD_GROUP)
        tables[2 * J2K_HT_VLC_ENTRIES + i] = prefixes_of(i);
    barrier_local();
    if (lane < head->ht_lanes && index < head->ht_blocks) {
        GLOBAL const struct j2k_work_ht_block *block =
            (GLOBAL const struct j2k_work_ht_block *)(work + head->ht_block) + index;
        struct quads_reading r;
        u32 wrong = block->broken;
        if (!wrong && block->passes > 0)
            wrong = read_quads(&r, block, streams, states, tables, above + local_index(), head->origin);
        damaged[head->blocks + index] = wrong;
    }
}
