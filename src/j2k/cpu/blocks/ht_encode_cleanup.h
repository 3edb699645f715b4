/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes a cleanup pass of T.814 (7.3). A tier's source includes this header, after it has defined any_bits(), and
 * make_row(), which does all that depends on no earlier code: significance, exponents, contexts and U of a row of
 * quads, and returns false if neither the row nor the one above has significant samples; some_codes(), which returns a
 * bit for each of up to 32 quads whose code has any bits of a mask; row_events(), which returns the events of up to 32
 * quads; and put_row_signs(), which appends MagSgn of a row whose codewords are known. Behind the header it defines
 * put_codes().
 */
#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/tables/ht_encode.h"

static const uint16_t codes[2][J2K_HT_CODE_ENTRIES] = {{J2K_HT_CODE_FIRST}, {J2K_HT_CODE_LATER}};
static const uint8_t run_exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};

/*
 * These are the codes of u (Table 3): prefix, length of the prefix, suffix and length of the suffix. Exponents of at
 * most 32 bits need no extension.
 */
#define PREFIX(u) ((u) == 0 ? 0U : (u) <= 2 ? 1U << (((u) + 3) & 3) : (u) <= 4 ? 4U : 0U)
#define PREFIX_LENGTH(u) ((u) <= 2 ? (u) + 0U : 3U)
#define SUFFIX(u) ((u) <= 2 ? 0U : (u) <= 4 ? (u)-3U : (u)-5U)
#define SUFFIX_LENGTH(u) ((u) <= 2 ? 0U : (u) <= 4 ? 1U : 5U)

/* The parts of each code become constants, because macros in macros would make a megabyte of text of the table. */
#define CODE(u)                                                                                                        \
    PREFIX_##u = PREFIX(u), PREFIX_LENGTH_##u = PREFIX_LENGTH(u), SUFFIX_##u = SUFFIX(u),                              \
    SUFFIX_LENGTH_##u = SUFFIX_LENGTH(u)
#define CODES                                                                                                          \
    CODE(0), CODE(1), CODE(2), CODE(3), CODE(4), CODE(5), CODE(6), CODE(7), CODE(8), CODE(9), CODE(10), CODE(11),      \
        CODE(12), CODE(13), CODE(14), CODE(15), CODE(16), CODE(17), CODE(18), CODE(19), CODE(20), CODE(21), CODE(22),  \
        CODE(23), CODE(24), CODE(25), CODE(26), CODE(27), CODE(28), CODE(29), CODE(30), CODE(31)
enum { CODES };

/* Joins the codes of u of a pair of quads: up to 16 bits, and above these 16 their number. */
#define PAIR(a, b)                                                                                                     \
    (PREFIX_##a | PREFIX_##b << PREFIX_LENGTH_##a | SUFFIX_##a << (PREFIX_LENGTH_##a + PREFIX_LENGTH_##b) |            \
        SUFFIX_##b << (PREFIX_LENGTH_##a + PREFIX_LENGTH_##b + SUFFIX_LENGTH_##a) |                                    \
        (PREFIX_LENGTH_##a + PREFIX_LENGTH_##b + SUFFIX_LENGTH_##a + SUFFIX_LENGTH_##b) << 16)
#define PAIRS(a)                                                                                                       \
    PAIR(a, 0), PAIR(a, 1), PAIR(a, 2), PAIR(a, 3), PAIR(a, 4), PAIR(a, 5), PAIR(a, 6), PAIR(a, 7), PAIR(a, 8),        \
        PAIR(a, 9), PAIR(a, 10), PAIR(a, 11), PAIR(a, 12), PAIR(a, 13), PAIR(a, 14), PAIR(a, 15), PAIR(a, 16),         \
        PAIR(a, 17), PAIR(a, 18), PAIR(a, 19), PAIR(a, 20), PAIR(a, 21), PAIR(a, 22), PAIR(a, 23), PAIR(a, 24),        \
        PAIR(a, 25), PAIR(a, 26), PAIR(a, 27), PAIR(a, 28), PAIR(a, 29), PAIR(a, 30), PAIR(a, 31)

enum { EXCESSES = 32 };
static const uint32_t excess_pairs[EXCESSES * EXCESSES] = {PAIRS(0), PAIRS(1), PAIRS(2), PAIRS(3), PAIRS(4), PAIRS(5),
    PAIRS(6), PAIRS(7), PAIRS(8), PAIRS(9), PAIRS(10), PAIRS(11), PAIRS(12), PAIRS(13), PAIRS(14), PAIRS(15), PAIRS(16),
    PAIRS(17), PAIRS(18), PAIRS(19), PAIRS(20), PAIRS(21), PAIRS(22), PAIRS(23), PAIRS(24), PAIRS(25), PAIRS(26),
    PAIRS(27), PAIRS(28), PAIRS(29), PAIRS(30), PAIRS(31)};

/* Append up to 8 bits. */
static void put_run_bits(struct j2k_ht_runs *runs, uint32_t value, uint32_t count)
{
    while (count >= runs->room) {
        count -= runs->room;
        const uint32_t byte = runs->byte << runs->room | value >> count;
        *runs->at++ = (uint8_t)byte;
        runs->room = byte == 0xFF ? 7 : 8;
        runs->byte = 0;
        value &= (1U << count) - 1;
    }
    runs->byte = runs->byte << count | value;
    runs->room -= count;
}

static void set_run_state(struct j2k_ht_runs *runs, uint32_t state)
{
    runs->state = state;
    runs->length = UINT32_C(1) << run_exponents[state];
    runs->run = 0;
}

/* Code an event that ends a run before it is full: a 0, and behind it the number of zeros. */
static void end_run(struct j2k_ht_runs *runs)
{
    put_run_bits(runs, runs->run, 1U + run_exponents[runs->state]);
    set_run_state(runs, runs->state > 0 ? runs->state - 1 : 0);
}

static void end_full_run(struct j2k_ht_runs *runs)
{
    put_run_bits(runs, 1, 1);
    set_run_state(runs, runs->state < J2K_HT_MEL_STATES - 1 ? runs->state + 1 : runs->state);
}

ALWAYS_INLINE void put_event(struct j2k_ht_runs *runs, bool event)
{
    if (event)
        end_run(runs);
    else if (++runs->run == runs->length)
        end_full_run(runs);
}

/* Append events that do not happen. */
ALWAYS_INLINE void put_zeros(struct j2k_ht_runs *runs, uint32_t count)
{
    for (; count >= runs->length - runs->run; end_full_run(runs))
        count -= runs->length - runs->run;
    runs->run += count;
}

ALWAYS_INLINE void put_events(struct j2k_ht_runs *runs, struct j2k_ht_events events)
{
    for (uint64_t left = events.bits; left != 0;) {
        const uint32_t zeros = (uint32_t)__builtin_ctzll(left);
        put_zeros(runs, zeros);
        end_run(runs);
        left >>= zeros + 1;
        events.count -= zeros + 1;
    }
    put_zeros(runs, events.count);
}

/* Holds the bits of VLC of a pair of quads. */
struct j2k_ht_pair {
    uint64_t bits;
    uint32_t count;
};

ALWAYS_INLINE void add_bits(struct j2k_ht_pair *pair, uint32_t value, uint32_t count)
{
    pair->bits |= (uint64_t)value << pair->count;
    pair->count += count;
}

ALWAYS_INLINE void add_excesses(struct j2k_ht_pair *pair, uint32_t first, uint32_t second)
{
    const uint32_t both = excess_pairs[EXCESSES * first + second];
    add_bits(pair, both & 0xFFFF, both >> 16);
}

/* Add both u of a pair in the first row of quads (7.3.6). */
ALWAYS_INLINE void add_first_excesses(
    struct j2k_ht_runs *runs, struct j2k_ht_pair *pair, uint32_t first, uint32_t second)
{
    if (first == 0 || second == 0) {
        add_excesses(pair, first, second);
        return;
    }
    const bool both = first > 2 && second > 2;
    put_event(runs, both);
    if (both) {
        add_excesses(pair, first - 2, second - 2);
    } else if (first > 2) {
        add_bits(pair, PREFIX(first), PREFIX_LENGTH(first));
        add_bits(pair, second - 1, 1);
        add_bits(pair, SUFFIX(first), SUFFIX_LENGTH(first));
    } else
        add_excesses(pair, first, second);
}

/*
 * Code the codeword of a quad and, in the first row, its event of MEL: there the events of u stand among those of
 * quads.
 */
ALWAYS_INLINE void code_quad(struct j2k_ht_encoder *encoder, bool first, uint32_t quad, struct j2k_ht_pair *pair)
{
    struct j2k_ht_row *row = &encoder->row;
    const uint32_t code = row->code[quad], rho = code >> 4 & 15;
    if (first && code < 256)
        put_event(&encoder->runs, rho != 0);
    const uint32_t entry = codes[!first][code];
    add_bits(pair, J2K_HT_CODE_WORD(entry), J2K_HT_CODE_LENGTH(entry));
    row->known[quad] = (uint8_t)J2K_HT_CODE_KNOWN(entry);
}

ALWAYS_INLINE void code_pair(
    struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, bool first, uint32_t quad, uint32_t quads)
{
    const struct j2k_ht_row *row = &encoder->row;
    struct j2k_ht_pair pair = {0, 0};
    code_quad(encoder, first, quad, &pair);
    if (quad + 1 < quads)
        code_quad(encoder, first, quad + 1, &pair);
    const uint32_t a = row->excess[quad], b = quad + 1 < quads ? row->excess[quad + 1] : 0;
    if (first)
        add_first_excesses(&encoder->runs, &pair, a, b);
    else
        add_excesses(&pair, a, b);
    ht_flat_put(to, pair.bits, pair.count);
}

/* Appends VLC of up to 32 quads of a row below the first one, and sets which of their samples have one bit less. */
ALWAYS_INLINE void put_codes(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count);

/* Append VLC of up to 32 quads pair by pair, except pairs in which both codes are 0. */
ALWAYS_INLINE void put_pairs(struct j2k_ht_encoder *encoder, struct j2k_ht_flat *to, uint32_t quad, uint32_t count)
{
    enum { ALL = 0xFFF };
    for (uint32_t pairs = ht_pairs(some_codes(&encoder->row, quad, count, ALL)); pairs != 0; pairs &= pairs - 1)
        code_pair(encoder, to, false, quad + (uint32_t)__builtin_ctz(pairs), quad + count);
}

static void code_first_row(struct j2k_ht_encoder *encoder)
{
    const uint32_t quads = (encoder->width + 1) / 2;
    for (uint32_t quad = 0; quad < quads; quad += 2)
        code_pair(encoder, &encoder->codes, true, quad, quads);
    put_row_signs(encoder, quads);
}

/*
 * Code a row of quads below the first one. An element row->code[] of 0 stands for an empty quad with empty neighbours,
 * which has no codeword, only an event of MEL. The events of all quads are coded first, because MEL is a stream of its
 * own.
 */
static void code_row(struct j2k_ht_encoder *encoder)
{
    struct j2k_ht_flat to = encoder->codes;
    const struct j2k_ht_row *row = &encoder->row;
    const uint32_t quads = (encoder->width + 1) / 2;
    for (uint32_t quad = 0; quad < quads; quad += J2K_HT_QUADS_AT_ONCE) {
        const uint32_t left = quads - quad, count = left < J2K_HT_QUADS_AT_ONCE ? left : J2K_HT_QUADS_AT_ONCE;
        put_events(&encoder->runs, row_events(row, quad, count));
        put_codes(encoder, &to, quad, count);
    }
    encoder->codes = to;
    put_row_signs(encoder, quads);
}

static void start(struct j2k_ht_encoder *encoder)
{
    memset(&encoder->above, 0, sizeof encoder->above);
    ht_flat_start(&encoder->signs, encoder->flat_signs);
    ht_flat_start(&encoder->codes, encoder->flat_codes);
    ht_flat_put(&encoder->codes, 15, 4); /* the place of Scup's low bits */
    encoder->runs = (struct j2k_ht_runs){.at = encoder->run_bytes, .room = 8, .length = 1};
}

/* Each quad of an empty row has an event that does not happen, and nothing else. */
static void pass_row(struct j2k_ht_encoder *encoder)
{
    put_zeros(&encoder->runs, (encoder->width + 1) / 2);
}

static void cleanup(struct j2k_ht_encoder *encoder)
{
    start(encoder);
    if (make_row(encoder, 0))
        code_first_row(encoder);
    else
        pass_row(encoder);
    for (uint32_t y = 2; y < encoder->height; y += 2)
        if (make_row(encoder, y))
            code_row(encoder);
        else
            pass_row(encoder);
    if (encoder->runs.run > 0)
        put_run_bits(&encoder->runs, 1, 1); /* a longer run than there are events does no harm */
}
