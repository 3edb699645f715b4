/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MEL and VLC of code-blocks of T.814 (7.3): which samples of a quad are significant, and how many bits they
 * have. Each of these depends on the one before, so that a work-item takes a block.
 */
#include "j2k/kernels/gather.h"
#include "j2k/kernels/ht_bytes.h"
#include "j2k/kernels/work.h"
#include "j2k/tables/ht_vlc.h"

enum {
    QUADS_A_WORD = 16, /* quads of a row in a word of `above` */
    ABOVE_WORDS = J2K_BLOCK_SIDE / 2 / QUADS_A_WORD + 1,
    CODE_MASK = (1 << J2K_HT_VLC_BITS) - 1,
    MEL_RUN_BITS = 6, /* most bits that say how long a run is */
    MEL_BITS_AT_ONCE = 32,
    SHORT_U = 2 /* if MEL says nothing of it, the second u is a bit where the first one is above this */
};

SPREAD_TABLE u16 ht_first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
SPREAD_TABLE u16 ht_next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};

/* Pack the prefixes of u into two words of four bytes each. */
#define HT_LOW_WORD(a, b, c, d, e, f, g, h) ((u32)(a) | (u32)(b) << 8 | (u32)(c) << 16 | (u32)(d) << 24)
#define HT_HIGH_WORD(a, b, c, d, e, f, g, h) HT_LOW_WORD(e, f, g, h, 0, 0, 0, 0)

/* The bits of VLC, which are read backward. */
struct vlc_bits {
    GLOBAL const u32 *streams;
    u32 upper, lower; /* words that hold the next four bytes */
    u32 index;        /* of the lower one */
    u32 shift;        /* bits from the first of the lower word to those four bytes */
    u32 left;         /* bytes that were not taken yet */
    u32 last;         /* the byte that was taken last */
    u64 bits;         /* the next bit is the lowest */
    u32 count;
    u32 missing; /* zeros among the bits that were taken, because no byte was left */
};

/* Holds the bits of MEL, and what the last of them said. */
struct mel_bits {
    GLOBAL const u32 *streams;
    u32 at, end; /* places of the next byte, and of the segment's last byte but one */
    u32 last;    /* the byte that was taken last */
    u64 bits;    /* the next bit is the highest */
    u32 count;
    u32 state;
    /* Twice the number of zeros that follow; plus 1 if there is a one behind them, less 2 if not. */
    i32 run;
};

/* Holds what a work-item needs to read a block. */
struct quads_reading {
    struct vlc_bits vlc;
    struct mel_bits mel;
    local_place table;
};

/* Take four bytes of VLC, and zeros behind the last one. */
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

/* Have more than 32 bits of VLC. */
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
 * Begin VLC with the high nibble of `byte`, the last but one, which is at `at`. `length` is the number of bytes in
 * front of it that belong to VLC or MEL.
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

/* Take four bytes of MEL. The segment's last 12 bits, which hold Scup, count as ones, and so does what is behind it. */
FUNCTION void refill_mel(struct mel_bits *m)
{
    u32 left = m->at <= m->end ? m->end - m->at + 1 : 0, bytes = 0xFFFFFFFFu;
    if (left > 0)
        bytes = bytes_at(m->streams, m->at);
    if (left > 0 && left <= 4)
        bytes |= 15u << 8 * (left - 1) | (left < 4 ? 0xFFFFFFFFu << 8 * left : 0);
    u32 stuffed = stuffed_forward(bytes << 8 | m->last);
    u64 bits = without_bits_upward(swap_bytes(bytes), swap_bytes(stuffed));
    m->at += left < 4 ? left : 4;
    m->last = bytes >> 24;
    m->bits |= bits << 32 >> m->count;
    m->count += MEL_BITS_AT_ONCE - ones(stuffed);
}

/* Take the bits that say how long the next run is (7.3.3). */
FUNCTION void take_run(struct mel_bits *m)
{
    if (m->count < MEL_RUN_BITS)
        refill_mel(m);
    u32 exponent = mel_exponent(m->state);
    u32 rest = (u32)(m->bits >> (64 - MEL_RUN_BITS)) & 31, is_long = (u32)(m->bits >> 63);
    u32 length = is_long ? 1 : 1 + exponent;
    m->run = is_long ? (i32)(2u << exponent) - 2 : (i32)(2 * (rest >> (5 - exponent)) + 1);
    m->state = is_long ? m->state + (m->state < J2K_HT_MEL_STATES - 1 ? 1 : 0) : m->state - (m->state > 0 ? 1 : 0);
    m->bits <<= length;
    m->count -= length;
}

FUNCTION void start_mel(struct mel_bits *m, GLOBAL const u32 *streams, u32 at, u32 end)
{
    m->streams = streams;
    m->at = at;
    m->end = end;
    m->last = m->count = m->state = 0;
    m->bits = 0;
    take_run(m);
}

FUNCTION u32 mel_event(struct mel_bits *m)
{
    m->run -= 2;
    u32 event = m->run == -1;
    if (m->run < 0)
        take_run(m);
    return event;
}

/* Return the entry of a quad; 0: none of its samples is significant. */
FUNCTION u32 read_quad(struct quads_reading *r, u32 context)
{
    u32 entry = local_half(r->table + 2 * (context << J2K_HT_VLC_BITS | ((u32)r->vlc.bits & CODE_MASK)));
    if (context == 0 && mel_event(&r->mel) == 0)
        return 0;
    take_vlc(&r->vlc, J2K_HT_VLC_LENGTH(entry));
    return entry;
}

FUNCTION u32 peek_prefix(const struct vlc_bits *v)
{
    return pick_bytes(J2K_HT_U_PREFIXES_IN(HT_LOW_WORD), J2K_HT_U_PREFIXES_IN(HT_HIGH_WORD), (u32)v->bits & 7) & 255;
}

/*
 * Read u of a pair whose entries have u_off, or not; there must be 16 bits. In the first row MEL says of two whether
 * both exceed 2. If it does not, and the first exceeds 2, the second is a bit.
 */
FUNCTION u32x2 read_u(struct quads_reading *r, u32 first, u32 second, u32 is_first_row)
{
    struct vlc_bits *v = &r->vlc;
    u32 both = is_first_row && first && second, large = both ? mel_event(&r->mel) : 0;
    u32 one = first ? peek_prefix(v) : 0;
    take_vlc(v, one & 3);
    u32 two = second ? peek_prefix(v) : 0;
    if (both && !large && one >> 5 > SHORT_U)
        two = J2K_HT_U_PREFIX(1, 0, 1 + ((u32)v->bits & 1));
    take_vlc(v, two & 3);
    u32 a = take_vlc(v, one >> 2 & 7), b = take_vlc(v, two >> 2 & 7), more = 0, others = 0;
    if (a >= J2K_HT_U_EXTENDED || b >= J2K_HT_U_EXTENDED) {
        require_vlc(v);
        more = a >= J2K_HT_U_EXTENDED ? 4 * take_vlc(v, 4) : 0;
        others = b >= J2K_HT_U_EXTENDED ? 4 * take_vlc(v, 4) : 0;
    }
    return make_u32x2((one >> 5) + a + more + 2 * large, (two >> 5) + b + others + 2 * large);
}

/*
 * Return the part of a context that the quad on the left gives. `near`: that of the quads above, where there are some.
 */
FUNCTION u32 context_of(u32 left, u32 near, u32 is_first_row)
{
    if (is_first_row)
        return ((left | left >> 1) & 1) | (left >> 1 & 6);
    return (near & 5) | ((left & 12) != 0 ? 2 : 0);
}

/* Return the two samples of a quad that are next to the row below. */
FUNCTION u32 bottom_of(u32 rho)
{
    return (rho >> 1 & 1) | (rho >> 2 & 2);
}

/*
 * Read a row of quads. `above` has a bit for each sample of the row above, and then of this one; its words are
 * J2K_QUAD_GROUP apart.
 */
FUNCTION void read_row(struct quads_reading *r, u32 is_first_row, u32 columns, LOCAL u32 *above, GLOBAL u32x2 *to)
{
    u32 word = above[0], next = 0, before = 0, left = 0, bottom = 0;
    for (u32 q = 0; q < columns; q += 2) {
        u32 at = 2 * (q % QUADS_A_WORD), near = 0;
        if (!is_first_row) {
            word = at == 0 && q > 0 ? next : word;
            if (at == 0)
                next = above[(q / QUADS_A_WORD + 1) * J2K_QUAD_GROUP];
            near = shift_pair(word, next, at) << 1 | before;
            before = near >> 4 & 1;
            near |= near >> 1;
        }
        require_vlc(&r->vlc);
        u32 first = read_quad(r, context_of(left, near, is_first_row)), second = 0;
        if (q + 1 < columns)
            second = read_quad(r, context_of(J2K_HT_VLC_RHO(first), near >> 2, is_first_row));
        left = J2K_HT_VLC_RHO(second);
        u32x2 u = read_u(r, J2K_HT_VLC_OFFSET(first), J2K_HT_VLC_OFFSET(second), is_first_row);
        to[q / 2] = make_u32x2(J2K_QUAD(first, u.x), J2K_QUAD(second, u.y));
        bottom |= (bottom_of(J2K_HT_VLC_RHO(first)) | bottom_of(left) << 2) << at;
        if (at == 2 * QUADS_A_WORD - 4 || q + 2 >= columns) {
            above[q / QUADS_A_WORD * J2K_QUAD_GROUP] = bottom;
            bottom = 0;
        }
    }
}

/* Read a block. Returns whether its lengths are impossible, or VLC lacks bits. */
FUNCTION u32 read_quads(struct quads_reading *r, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states, LOCAL u16 *tables, LOCAL u32 *above, u32 origin)
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
    read_row(r, 1, columns, above, to);
    r->table = as_local_place(tables + J2K_HT_VLC_ENTRIES, origin);
    for (u32 y = 1; y < rows; y++)
        read_row(r, 0, columns, above, to + y * (J2K_QUAD_PITCH(columns) / 2));
    return r->vlc.missing > r->vlc.count;
}

/* Read all blocks. `damaged` gets for each of them, behind those of other coders, whether it is damaged. */
KERNEL(J2K_QUAD_GROUP)
decode_quads(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states,
    GLOBAL u32 *RESTRICT damaged)
{
    SHARED u16 tables[2 * J2K_HT_VLC_ENTRIES];
    SHARED u32 above[ABOVE_WORDS * J2K_QUAD_GROUP];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    u32 lane = local_index() % J2K_BUNDLE;
    u32 bundle = group_index() * (J2K_QUAD_GROUP / J2K_BUNDLE) + local_index() / J2K_BUNDLE;
    u32 index = bundle * head->ht_lanes + lane;
    for (u32 i = local_index(); i < J2K_HT_VLC_ENTRIES; i += J2K_QUAD_GROUP) {
        tables[i] = ht_first_row[i];
        tables[J2K_HT_VLC_ENTRIES + i] = ht_next_rows[i];
    }
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
