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
    PAIRS_A_WORD = QUADS_A_WORD / 2,
    MEL_RUN_BITS = 6, /* most bits that tell the length of a run */
    MEL_BITS_AT_ONCE = 32,
    SHORT_U = 2, /* if MEL does not say that both exceed 2, and the first u exceeds this, the second one is a bit */
    /* The prefixes of both u of a pair take up to six bits. A table is indexed by these and both u_off. */
    PREFIXES_BITS = 6,
    PREFIXES = 4 << PREFIXES_BITS,
    /*
     * Bits of VLC are read through a window whose lowest two bits are not part of the code, so that masked bits of a
     * window are places in tables of words.
     */
    WINDOW_SHIFT = 2,
    CODE_MASK = ((1 << J2K_HT_VLC_BITS) - 1) << WINDOW_SHIFT,
    PREFIXES_MASK = ((1 << PREFIXES_BITS) - 1) << WINDOW_SHIFT,
    CONTEXT = 4 << J2K_HT_VLC_BITS,  /* bytes of the entries of a context */
    CONTEXT_ROW_ABOVE = 5 * CONTEXT, /* the contexts' bits that say whether samples of the row above are significant */
    CODES_OF_PAIR = 2 * J2K_HT_VLC_BITS + 2 * (3 + 5 + 4), /* most bits of VLC of a pair */
    /*
     * A work-item has a ring of words of VLC, which lie J2K_QUAD_GROUP words apart. The first ones follow once more
     * behind the last one, so that a window, which comes from three words, need not be read across the end.
     */
    CODE_WORDS_RING = 16,
    CODE_WORDS_AGAIN = 2,
    CODE_WORD_BYTES = 4 * J2K_QUAD_GROUP, /* distance of words of the ring */
    /*
     * Events of MEL are read for so many words of `above` at a time: a pair takes up to two, and one of the first row
     * up to three. A warp then takes fewer steps than if its work-items read events as they need them, because one of
     * these or another needs some nearly always. Reading more at a time takes more steps, because MEL does not say
     * where it ends, and what follows it would be read, too.
     */
    WORDS_A_READ = 2,
    EVENTS_A_READ = WORDS_A_READ * PAIRS_A_WORD * 2,
    EVENTS_A_READ_FIRST = WORDS_A_READ * PAIRS_A_WORD * 3,
    MEL_WORDS = 8 /* words of a ring that has a bit for each event; they also lie J2K_QUAD_GROUP words apart */
};

SPREAD_TABLE u16 ht_first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
SPREAD_TABLE u16 ht_next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};

/* Pack the prefixes of u into two words of four bytes each. */
#define HT_LOW_WORD(a, b, c, d, e, f, g, h) ((u32)(a) | (u32)(b) << 8 | (u32)(c) << 16 | (u32)(d) << 24)
#define HT_HIGH_WORD(a, b, c, d, e, f, g, h) HT_LOW_WORD(e, f, g, h, 0, 0, 0, 0)

/* Holds VLC, which is read backward. A ring receives its bits without stuffed ones. */
struct vlc_bits {
    GLOBAL const u32 *at; /* the lower one of two words that hold the next four bytes */
    u32 upper, lower;
    u32 shift;  /* bits from the first of the lower word to those four bytes */
    i32 left;   /* number of bytes that have not been taken yet; negative: so many zeros were taken behind them */
    u32 before; /* the bytes that were taken last, the last one in the highest bits */
    local_place ring;
    u32 filled; /* number of bits that were put into the ring */
    u32 word;   /* its last word, which is incomplete */
};

/* Holds the bits of MEL, which are inverted: behind the last one, which are ones, there is nothing but zeros. */
struct mel_bits {
    GLOBAL const u32 *streams;
    u32 low, high; /* words that hold the next four bytes */
    u32 index;     /* index of the upper word */
    u32 end;       /* index of the word behind the one with the segment's last byte but one */
    u32 shift;     /* bits from the first of the lower word to those four bytes */
    u32 left;      /* number of bytes that have not been taken yet, up to the segment's last byte but one */
    u32 last;      /* the byte that was taken last */
    u32 bits;      /* the next bits, the first of which is the highest one */
    u32 more;      /* those behind them */
    u32 count;     /* number of bits; meaningless once no bytes are left */
    u32 state;
    u32 ready; /* number of events that are known */
};

/* Holds what a work-item needs to read a block. */
struct quads_reading {
    struct vlc_bits vlc;
    struct mel_bits mel;
    local_place table, prefixes;
    LOCAL u32 *events; /* see MEL_WORDS */
    u32 place;         /* of the window on VLC, in bits of the ring */
    u32 event;         /* number of events that were taken */
    u32 words;         /* number of words of `above` that were read */
};

/* Return the place of the ring's word that has a bit. */
FUNCTION local_place code_word_place(const struct vlc_bits *v, u32 bit)
{
    return v->ring + (bit * (CODE_WORD_BYTES / 32) & ((CODE_WORDS_RING - 1) * CODE_WORD_BYTES));
}

/* Put the last word into the ring. */
FUNCTION void put_code_word(const struct vlc_bits *v)
{
    local_place at = code_word_place(v, v->filled);
    put_local_word(at, v->word);
    if (v->filled / 32 % CODE_WORDS_RING < CODE_WORDS_AGAIN)
        put_local_word(at + CODE_WORDS_RING * CODE_WORD_BYTES, v->word);
}

/* Make the lower word the upper one, and load the one in front of it, if it has bytes of VLC. */
FUNCTION void load_codes(struct vlc_bits *v)
{
    v->upper = v->lower;
    if (v->left > (i32)(v->shift / 8)) {
        v->at--;
        v->lower = *v->at;
    }
}

/* Put the next four bytes of VLC into the ring; behind the last byte there are zeros. */
FUNCTION void add_codes(struct vlc_bits *v)
{
    u32 bytes = swap_bytes(shift_pair(v->lower, v->upper, v->shift)), count = 32;
    if (v->left < 4)
        bytes &= v->left > 0 ? (1u << 8 * v->left) - 1 : 0;
    u32 stuffed = stuffed_backward(bytes, shift_pair(v->before, bytes, 24));
    v->before = bytes;
    v->left -= 4;
    load_codes(v);
    if (stuffed != 0) {
        bytes = without_bits(bytes, stuffed);
        count -= ones(stuffed);
    }
    v->word |= bytes << v->filled % 32;
    put_code_word(v);
    v->word = v->filled % 32 + count >= 32 ? funnel(0, bytes, v->filled) : v->word;
    v->filled += count;
}

/* Make sure that the ring has the bits from bit `place` on that PAIRS_A_WORD pairs take. */
FUNCTION void fill_codes(struct vlc_bits *v, u32 place)
{
    while (v->filled - place < PAIRS_A_WORD * CODES_OF_PAIR + WINDOW_SHIFT)
        add_codes(v);
    put_code_word(v);
}

/*
 * Begin VLC with the high nibble of `byte`, the segment's last byte but one, which is at `at`. `length` is the number
 * of bytes in front of it that belong to VLC or MEL.
 */
FUNCTION void start_vlc(struct vlc_bits *v, GLOBAL const u32 *streams, u32 at, u32 byte, u32 length, local_place ring)
{
    u32 nibble = byte >> 4, count = (nibble & 7) == 7 ? 3 : 4;
    v->at = streams + at / 4;
    v->shift = at % 4 * 8;
    v->left = (i32)length;
    v->lower = *v->at;
    load_codes(v);
    v->before = (byte | 15) << 24;
    v->ring = ring;
    v->filled = WINDOW_SHIFT + count;
    v->word = (nibble & ((1u << count) - 1)) << WINDOW_SHIFT;
}

/* Return whether more bits were taken than VLC has, if the window is at `place`. */
FUNCTION u32 is_vlc_short(const struct vlc_bits *v, u32 place)
{
    u32 missing = v->left < 0 ? 8u * (u32)-v->left : 0;
    return place + WINDOW_SHIFT + missing > v->filled;
}

/* Take four bytes of MEL if there are few bits. The segment's last 12 bits, which hold Scup, count as ones. */
FUNCTION void refill_mel(struct mel_bits *m)
{
    u32 bytes = shift_pair(m->low, m->high, m->shift), left = m->left;
    if (left <= 4)
        bytes |= 15u << 8 * (left - 1) | (left < 4 ? 0xFFFFFFFFu << 8 * left : 0);
    u32 stuffed = stuffed_forward(bytes << 8 | m->last);
    u32 bits = without_bits_upward(~swap_bytes(bytes), swap_bytes(stuffed));
    m->left -= left < 4 ? left : 4;
    m->last = bytes >> 24;
    m->low = m->high;
    m->index += m->index < m->end ? 1 : 0;
    m->high = m->streams[m->index];
    m->bits |= bits >> m->count;
    m->more = shift_pair(0, bits, m->count);
    m->count += MEL_BITS_AT_ONCE - ones(stuffed);
}

/* Return the place of a word of events. */
FUNCTION LOCAL u32 *event_word(LOCAL u32 *events, u32 index)
{
    return events + index % MEL_WORDS * J2K_QUAD_GROUP;
}

/*
 * Take the bits that tell the length of the next run (7.3.3), which are inverted: its zeros, and a one behind them
 * unless the run is full. The word of that event gets its bit. There are no branches, because both kinds of run are
 * about equally frequent.
 */
FUNCTION void take_run(struct mel_bits *m, LOCAL u32 *events)
{
    u32 exponent = mel_exponent(m->state), ends = m->bits >> 31, length = ends ? 1 + exponent : 1;
    u32 missing = funnel(0, m->bits << 1, exponent) + 1;
    m->ready += (1u << exponent) - (ends ? missing : 0);
    join_local(event_word(events, m->ready / 32), ends << m->ready % 32); /* for which it does not wait */
    m->ready += ends;
    u32 lower = m->state - (m->state > 0 ? 1 : 0), higher = m->state + (m->state < J2K_HT_MEL_STATES - 1 ? 1 : 0);
    m->state = ends ? lower : higher;
    m->bits = funnel(m->bits, m->more, length);
    m->more <<= length;
    m->count -= length;
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
    m->last = m->bits = m->more = m->count = m->state = m->ready = 0;
}

/* Read the events in front of event `end`, of which EVENTS_A_READ_FIRST may be missing, and perhaps 32 more. */
FUNCTION void read_events(struct mel_bits *m, u32 end, LOCAL u32 *events)
{
    UNROLL for (u32 i = 1; i <= EVENTS_A_READ_FIRST / 32 + 2; i++) * event_word(events, m->ready / 32 + i) = 0;
    while (m->ready < end) {
        if (m->left > 0 && m->count < MEL_RUN_BITS)
            refill_mel(m);
        take_run(m, events);
    }
}

/* Holds the state while pairs that share a word of `above` are read. */
struct pairs_reading {
    u32 low, high; /* the window: the next 64 bits of VLC, the first of which is bit WINDOW_SHIFT */
    u32 place;     /* its place in the ring */
    u32 events;    /* of MEL, the next one in the lowest bit; the highest bit that is set is not an event */
    u32 left;      /* word of the quad on the left */
    u32 bottom;    /* bits of the lower samples of the quads that were read, those of the last one in the lowest bits */
};

/* Move the window to its place. */
FUNCTION void move_window(const struct vlc_bits *v, struct pairs_reading *p)
{
    local_place at = code_word_place(v, p->place);
    u32 low = local_word(at), middle = local_word(at + CODE_WORD_BYTES), high = local_word(at + 2 * CODE_WORD_BYTES);
    p->low = shift_pair(low, middle, p->place % 32);
    p->high = shift_pair(middle, high, p->place % 32);
}

/*
 * Pass over bits of VLC, up to 31. The window's lower word then has the next ones, and its upper word is of no more
 * use.
 */
FUNCTION void pass_codes(struct pairs_reading *p, u32 count)
{
    p->place += count;
    p->low = shift_pair(p->low, p->high, count);
}

/*
 * Return the word of the quad whose code the window `bits` has, without u; 0: none of its samples is significant.
 * `context` is a multiple of CONTEXT.
 */
FUNCTION u32 find_quad(const struct quads_reading *r, struct pairs_reading *p, u32 context, u32 bits)
{
    u32 word = local_word(r->table + context + (bits & CODE_MASK));
    u32 is_asked = context == 0, is_empty = is_asked && (p->events & 1) == 0;
    p->events = is_asked ? p->events >> 1 : p->events;
    return is_empty ? 0 : word;
}

/* Shift a window by the length of a code; the word that describes it has it in its lowest five bits. */
FUNCTION u32 behind_code(u32 bits, u32 word)
{
    return shift_down(bits, word);
}

/* Return the entry of the prefix of u with which the next bits of VLC begin. */
FUNCTION u32 prefix_of(u32 bits)
{
    return pick_bytes(J2K_HT_U_PREFIXES_IN(HT_LOW_WORD), J2K_HT_U_PREFIXES_IN(HT_HIGH_WORD), bits & 7) & 255;
}

/*
 * Return the entry for the prefixes of a pair outside of the first row; the index has the next bits of VLC, and above
 * them both u_off. Fields of the entry that are shift counts take five bits each: from bit 0 on the length of prefixes
 * and suffixes together; from bit 5 on that of both prefixes, and of the bits of a window that precede them; from bit
 * 10 on that of the first suffix. The values that suffixes are added to are from bits 15 and 18 on. A mask of the first
 * suffix is where words have u, and one of the second suffix five bits higher, without its highest bit; an arithmetic
 * shift by five bits restores it.
 */
FUNCTION u32 prefixes_of(u32 index)
{
    u32 one = index >> PREFIXES_BITS & 1 ? prefix_of(index) : 0;
    u32 two = index >> (PREFIXES_BITS + 1) ? prefix_of(index >> (one & 3)) : 0;
    u32 length = (one & 3) + (two & 3), first = one >> 2 & 7, second = two >> 2 & 7;
    return (length + first + second) | (length + WINDOW_SHIFT) << 5 | first << 10 | (one >> 5) << 15 |
           (two >> 5) << 18 | ((1u << first) - 1) << J2K_QUAD_U_AT | ((1u << second) - 1) << (J2K_QUAD_U_AT + 5);
}

/* Holds the words of a pair of quads, and the suffixes of u in them, which are where words have u. */
struct quad_pair {
    u32x2 words;
    u32 a, b;
};

/* Return whether a suffix, or one of several that were combined by `or`, may have an extension. */
FUNCTION u32 is_extended(u32 suffix)
{
    return suffix >= (u32)J2K_HT_U_EXTENDED << J2K_QUAD_U_AT;
}

/* Take the extensions of the suffixes of a pair, if they have any, and add them to its words. */
FUNCTION void extend_pair(const struct vlc_bits *v, struct pairs_reading *p, struct quad_pair *pair)
{
    u32 first = is_extended(pair->a), second = is_extended(pair->b);
    if (!first && !second)
        return;
    move_window(v, p);
    u32 bits = p->low >> WINDOW_SHIFT;
    pair->words.x += first ? 4 * (bits & 15) << J2K_QUAD_U_AT : 0;
    bits >>= first ? 4 : 0;
    pair->words.y += second ? 4 * (bits & 15) << J2K_QUAD_U_AT : 0;
    p->place += 4 * (first + second);
    move_window(v, p);
}

/* Return the context of a quad of the first row, in multiples of CONTEXT. `left`: word of the quad on its left. */
FUNCTION u32 first_context_of(u32 left)
{
    u32 rho = J2K_QUAD_RHO(left);
    return (((rho | rho >> 1) & 1) | (rho >> 1 & 6)) * CONTEXT;
}

/*
 * Read a pair of the first row; its second quad may be missing. If both u_off are 1, MEL says whether both u exceed 2.
 * If they do not, and the first one exceeds 2, the second one is a bit.
 */
FUNCTION struct quad_pair read_first_pair(const struct quads_reading *r, struct pairs_reading *p, u32 is_whole)
{
    struct quad_pair pair;
    u32 bits = p->low, first = find_quad(r, p, first_context_of(p->left), bits), second = 0;
    bits = behind_code(bits, first);
    if (is_whole)
        second = find_quad(r, p, first_context_of(first), bits);
    bits = behind_code(bits, second) >> WINDOW_SHIFT;
    u32 both = J2K_QUAD_OFFSET(first) & J2K_QUAD_OFFSET(second), large = p->events & both;
    p->events >>= both;
    u32 one = J2K_QUAD_OFFSET(first) ? prefix_of(bits) : 0;
    bits >>= one & 3;
    u32 two = J2K_QUAD_OFFSET(second) ? prefix_of(bits) : 0;
    if (both && !large && one >> 5 > SHORT_U)
        two = J2K_HT_U_PREFIX(1, 0, 1 + (bits & 1));
    bits >>= two & 3;
    u32 a_length = one >> 2 & 7, b_length = two >> 2 & 7, a = bits & ((1u << a_length) - 1);
    u32 b = bits >> a_length & ((1u << b_length) - 1);
    p->bottom = p->bottom << 4 | J2K_QUAD_LOWER(first) << 2 | J2K_QUAD_LOWER(second);
    pass_codes(p, J2K_QUAD_LENGTH(first) + J2K_QUAD_LENGTH(second) + (one & 3) + (two & 3) + a_length + b_length);
    p->left = second;
    pair.a = a << J2K_QUAD_U_AT;
    pair.b = b << J2K_QUAD_U_AT;
    pair.words = make_u32x2(first + pair.a + (((one >> 5) + 2 * large) << J2K_QUAD_U_AT),
        second + pair.b + (((two >> 5) + 2 * large) << J2K_QUAD_U_AT));
    return pair;
}

/*
 * Read a pair of another row. `near` has bits of samples of the row above, each joined with the one before it: its bit
 * 31 − `at`, and each second bit below it, belong to a quad's upper left corner. Without extensions the pair takes at
 * most 30 bits, which are in the window's lower word. There are no branches but for rare cases, because a work-item
 * waits for each step.
 */
FUNCTION struct quad_pair read_pair(
    const struct quads_reading *r, struct pairs_reading *p, u32 near, u32 at, u32 is_whole)
{
    struct quad_pair pair;
    const u32 mask = 7u << J2K_QUAD_U_AT, suffix = 31u << J2K_QUAD_U_AT;
    u32 bits = p->low, context = (near >> (20 - at) & CONTEXT_ROW_ABOVE) | (p->left & J2K_QUAD_RIGHT);
    u32 first = find_quad(r, p, context, bits);
    bits = behind_code(bits, first);
    context = (near >> (18 - at) & CONTEXT_ROW_ABOVE) | (first & J2K_QUAD_RIGHT);
    u32 second = find_quad(r, p, is_whole ? context : CONTEXT, bits); /* with this context there is no event */
    second = is_whole ? second : 0;
    bits = behind_code(bits, second);
    u32 offsets = (first & J2K_QUAD_OFFSET_FIRST) | (second & J2K_QUAD_OFFSET_SECOND);
    u32 code = local_word(r->prefixes + (offsets | (bits & PREFIXES_MASK)));
    p->bottom = funnel(funnel(p->bottom, first, 2), second, 2);
    u32 rest = (u32)((i32)code >> 5), one = behind_code(bits, rest), two = behind_code(one, code >> 10);
    pass_codes(p, (first + second + code) & 31);
    p->left = second;
    pair.a = one << J2K_QUAD_U_AT & code & suffix;
    pair.b = two << J2K_QUAD_U_AT & rest & suffix;
    pair.words = make_u32x2(first + pair.a + (code << 8 & mask), second + pair.b + (code << 5 & mask));
    return pair;
}

FUNCTION struct quad_pair read_any_pair(
    const struct quads_reading *r, struct pairs_reading *p, u32 is_first_row, u32 near, u32 at, u32 is_whole)
{
    return is_first_row ? read_first_pair(r, p, is_whole) : read_pair(r, p, near, at, is_whole);
}

/*
 * Read four quads, which are the next ones of a row, and move the window behind them. Returns their words. The second
 * pair is read as if the first one had no extensions, and again in the rare case that it has some; a branch between
 * them would make a work-item wait. The window moves before it is needed for the same reason.
 */
FUNCTION u32x4 read_four(const struct quads_reading *r, struct pairs_reading *p, u32 is_first_row, u32 near)
{
    struct pairs_reading behind;
    struct quad_pair one, two;
    one = read_any_pair(r, p, is_first_row, near, 0, 1);
    behind = *p;
    two = read_any_pair(r, p, is_first_row, near, 4, 1);
    move_window(&r->vlc, p);
    if (is_extended(one.a | one.b | two.a | two.b)) {
        if (is_extended(one.a) || is_extended(one.b)) {
            *p = behind;
            extend_pair(&r->vlc, p, &one);
            two = read_any_pair(r, p, is_first_row, near, 4, 1);
            move_window(&r->vlc, p);
        }
        extend_pair(&r->vlc, p, &two);
    }
    return make_u32x4(one.words.x, one.words.y, two.words.x, two.words.y);
}

/* Read the last quads of a row, up to three. Returns their words, and zeros. */
FUNCTION u32x4 read_rest(
    const struct quads_reading *r, struct pairs_reading *p, u32 is_first_row, u32 near, u32 columns)
{
    struct quad_pair one, two;
    one = read_any_pair(r, p, is_first_row, near, 0, columns > 1);
    extend_pair(&r->vlc, p, &one);
    if (columns < 3) {
        p->bottom <<= 4;
        return make_u32x4(one.words.x, one.words.y, 0, 0);
    }
    two = read_any_pair(r, p, is_first_row, near, 4, 0);
    extend_pair(&r->vlc, p, &two);
    return make_u32x4(one.words.x, one.words.y, two.words.x, two.words.y);
}

/*
 * Read the quads of a row, up to its end, that share a word of `above`. `near` and `next` have bits of samples of the
 * row above, each joined with the one before it, from the upper left corner of the first quad on; of `next` only the
 * highest bit counts. *left is the word of the quad on the left. Returns the bits of this row's lower samples.
 */
FUNCTION u32 read_pairs(
    struct quads_reading *r, u32 is_first_row, u32 near, u32 next, u32 columns, u32 *left, GLOBAL u32x4 *to)
{
    struct pairs_reading p;
    u32 q = 0, end = columns < QUADS_A_WORD ? columns : QUADS_A_WORD;
    if (r->words++ % WORDS_A_READ == 0)
        read_events(&r->mel, r->event + (is_first_row ? EVENTS_A_READ_FIRST : EVENTS_A_READ), r->events);
    fill_codes(&r->vlc, r->place);
    u32 events = *event_word(r->events, r->event / 32), more = *event_word(r->events, r->event / 32 + 1);
    p.place = r->place;
    p.events = shift_pair(events, more, r->event % 32) | 0x80000000u;
    p.left = *left;
    p.bottom = 0;
    move_window(&r->vlc, &p);
    for (; q + 4 <= end; q += 4, near = funnel(near, next, 8))
        *to++ = read_four(r, &p, is_first_row, near);
    if (q < end) {
        *to = read_rest(r, &p, is_first_row, near, end - q);
        q += 4;
    }
    p.bottom = q < QUADS_A_WORD ? p.bottom << (2 * QUADS_A_WORD - 2 * q) : p.bottom;
    r->event += leading_zeros(p.events);
    r->place = p.place;
    *left = p.left;
    return p.bottom;
}

/*
 * Read a row of quads. `above` has a bit for each lower sample of the row above, and on return of this row; the first
 * one is the highest bit. Its words are J2K_QUAD_GROUP apart.
 */
FUNCTION void read_row(struct quads_reading *r, u32 is_first_row, u32 columns, LOCAL u32 *above, GLOBAL u32x4 *to)
{
    u32 word = above[0], before = 0, left = 0;
    for (u32 q = 0; q < columns; q += QUADS_A_WORD) {
        u32 next = above[(q / QUADS_A_WORD + 1) * J2K_QUAD_GROUP];
        u32 near = word | shift_pair(word, before, 1), beyond = next | shift_pair(next, word, 1);
        above[q / QUADS_A_WORD * J2K_QUAD_GROUP] =
            read_pairs(r, is_first_row, near, beyond, columns - q, &left, to + q / 4);
        before = word;
        word = next;
    }
}

/* Describes a work-item's memory, and the tables that all share. */
struct quads_memory {
    LOCAL u32 *above, *events;
    local_place ring, first_table, next_table, prefixes;
};

/* Read a block. Returns whether its lengths are impossible, or VLC has too few bits. */
FUNCTION u32 read_quads(const struct quads_memory *m, GLOBAL const struct j2k_work_ht_block *block,
    GLOBAL const u32 *RESTRICT streams, GLOBAL u32 *RESTRICT states)
{
    u32 columns = (block->width + 1u) / 2, rows = (block->height + 1u) / 2, end = block->from + block->length;
    u32 byte = byte_at(streams, end - 2), suffix = 16 * byte_at(streams, end - 1) + (byte & 15);
    if (suffix < J2K_HT_SUFFIX_LEAST || suffix > J2K_HT_SUFFIX_MOST || suffix > block->length)
        return 1;
    GLOBAL u32x4 *to = (GLOBAL u32x4 *)(GLOBAL void *)states + block->state / 4;
    struct quads_reading r;
    start_mel(&r.mel, streams, end - suffix, end - 2);
    start_vlc(&r.vlc, streams, end - 2, byte, suffix - 2, m->ring);
    for (u32 i = 0; i * QUADS_A_WORD < columns + QUADS_A_WORD; i++)
        m->above[i * J2K_QUAD_GROUP] = 0;
    r.events = m->events;
    r.events[0] = 0;
    r.place = r.event = r.words = 0;
    r.prefixes = m->prefixes;
    r.table = m->first_table;
    read_row(&r, 1, columns, m->above, to);
    r.table = m->next_table;
    for (u32 y = 1; y < rows; y++)
        read_row(&r, 0, columns, m->above, to + y * (J2K_QUAD_PITCH(columns) / 4));
    return is_vlc_short(&r.vlc, r.place);
}

/*
 * Return the index of an entry of the table for later rows, in which the lowest and the highest bit of contexts are
 * exchanged, because bits of samples of the row above are read from the highest one on.
 */
FUNCTION u32 exchanged(u32 index)
{
    u32 context = index >> J2K_HT_VLC_BITS;
    return (index & (J2K_HT_VLC_ENTRIES / 8 - 1)) | ((context & 2) | (context & 1) << 2 | context >> 2)
                                                        << J2K_HT_VLC_BITS;
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
    SHARED u32 events[MEL_WORDS * J2K_QUAD_GROUP];
    SHARED u32 ring[(CODE_WORDS_RING + CODE_WORDS_AGAIN) * J2K_QUAD_GROUP];
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    u32 lane = local_index() % J2K_BUNDLE;
    u32 bundle = group_index() * (J2K_QUAD_GROUP / J2K_BUNDLE) + local_index() / J2K_BUNDLE;
    u32 index = bundle * head->ht_lanes + lane;
    UNROLL for (u32 i = 0; i < J2K_HT_VLC_ENTRIES; i += J2K_QUAD_GROUP)
    {
        u32 first = ht_first_row[i + local_index()], next = ht_next_rows[i + local_index()];
        tables[i + local_index()] = J2K_QUAD(first, 0);
        tables[J2K_HT_VLC_ENTRIES + exchanged(i + local_index())] = J2K_QUAD(next, 0);
    }
    for (u32 i = local_index(); i < PREFIXES; i += J2K_QUAD_GROUP)
        tables[2 * J2K_HT_VLC_ENTRIES + i] = prefixes_of(i);
    for (u32 i = 0; i < CODE_WORDS_RING + CODE_WORDS_AGAIN; i++)
        ring[i * J2K_QUAD_GROUP + local_index()] = 0;
    barrier_local();
    if (lane < head->ht_lanes && index < head->ht_blocks) {
        GLOBAL const struct j2k_work_ht_block *block =
            (GLOBAL const struct j2k_work_ht_block *)(work + head->ht_block) + index;
        struct quads_memory m;
        u32 wrong = block->broken;
        m.above = above + local_index();
        m.events = events + local_index();
        m.ring = as_local_place(ring + local_index(), head->origin);
        m.first_table = as_local_place(tables, head->origin);
        m.next_table = as_local_place(tables + J2K_HT_VLC_ENTRIES, head->origin);
        m.prefixes = as_local_place(tables + 2 * J2K_HT_VLC_ENTRIES, head->origin);
        if (!wrong && block->passes > 0)
            wrong = read_quads(&m, block, streams, states);
        damaged[head->blocks + index] = wrong;
    }
}
