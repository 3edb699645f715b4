/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes a cleanup pass of T.814 (7.3). A tier's source includes this header, after it has defined any_bits(), and
 * make_row(), which does all that depends on no earlier code: significance, exponents, contexts and U of a row of
 * quads.
 */
#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/tables/ht_encode.h"

static const uint16_t codes[2][J2K_HT_CODE_ENTRIES] = {{J2K_HT_CODE_FIRST}, {J2K_HT_CODE_LATER}};
static const uint8_t run_exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};

/*
 * Holds the codes of u (Table 3): prefix, length of the prefix, suffix and length of the suffix. Exponents of at most
 * 32 bits need no extension.
 */
struct j2k_ht_excess {
    uint8_t prefix, prefix_length, suffix, suffix_length;
};

#define SHORT(u)                                                                                                       \
    {                                                                                                                  \
        1u << ((u)-1), (u), 0, 0                                                                                       \
    }
#define MIDDLE(u)                                                                                                      \
    {                                                                                                                  \
        4, 3, (u)-3, 1                                                                                                 \
    }
#define LONG(u)                                                                                                        \
    {                                                                                                                  \
        0, 3, (u)-5, 5                                                                                                 \
    }
#define LONG4(u) LONG(u), LONG((u) + 1), LONG((u) + 2), LONG((u) + 3)

static const struct j2k_ht_excess excess_codes[] = {{0, 0, 0, 0}, SHORT(1), SHORT(2), MIDDLE(3), MIDDLE(4), LONG4(5),
    LONG4(9), LONG4(13), LONG4(17), LONG4(21), LONG4(25), LONG4(29)};

static void put_run_bit(struct j2k_ht_runs *runs, uint32_t bit)
{
    runs->byte = runs->byte << 1 | bit;
    if (--runs->room > 0)
        return;
    *runs->at++ = (uint8_t)runs->byte;
    runs->room = runs->byte == 0xFF ? 7 : 8;
    runs->byte = 0;
}

static void set_run_state(struct j2k_ht_runs *runs, uint32_t state)
{
    runs->state = state;
    runs->length = UINT32_C(1) << run_exponents[state];
    runs->run = 0;
}

static void end_run(struct j2k_ht_runs *runs)
{
    put_run_bit(runs, 0);
    for (uint32_t i = run_exponents[runs->state]; i-- > 0;)
        put_run_bit(runs, runs->run >> i & 1);
    set_run_state(runs, runs->state > 0 ? runs->state - 1 : 0);
}

ALWAYS_INLINE void put_event(struct j2k_ht_runs *runs, bool event)
{
    if (event) {
        end_run(runs);
        return;
    }
    if (++runs->run < runs->length)
        return;
    put_run_bit(runs, 1);
    set_run_state(runs, runs->state < J2K_HT_MEL_STATES - 1 ? runs->state + 1 : runs->state);
}

/* Append MagSgn of a quad. With U of at most 14 its bits fit into one word. */
ALWAYS_INLINE void put_signs(
    struct j2k_ht_flat *flat, const uint32_t value[4], uint32_t rho, uint32_t known, uint32_t u)
{
    uint32_t length[4];
    for (uint32_t i = 0; i < 4; i++)
        length[i] = (u - (known >> i & 1)) & (0 - (rho >> i & 1));
    if (u <= 14) {
        uint64_t bits = 0;
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 4; i++) {
            bits |= (uint64_t)(value[i] & ((UINT32_C(1) << length[i]) - 1)) << sum;
            sum += length[i];
        }
        ht_flat_put(flat, bits, sum);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        ht_flat_put(flat, value[i] & ((UINT64_C(1) << length[i]) - 1), length[i]);
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
    const struct j2k_ht_excess *a = &excess_codes[first], *b = &excess_codes[second];
    add_bits(pair, a->prefix, a->prefix_length);
    add_bits(pair, b->prefix, b->prefix_length);
    add_bits(pair, a->suffix, a->suffix_length);
    add_bits(pair, b->suffix, b->suffix_length);
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
        const struct j2k_ht_excess *a = &excess_codes[first];
        add_bits(pair, a->prefix, a->prefix_length);
        add_bits(pair, second - 1, 1);
        add_bits(pair, a->suffix, a->suffix_length);
    } else
        add_excesses(pair, first, second);
}

/* Code the event and the codeword of a quad, and its MagSgn. */
ALWAYS_INLINE void code_quad(
    struct j2k_ht_encoder *encoder, const uint16_t *table, uint32_t quad, struct j2k_ht_pair *pair)
{
    const struct j2k_ht_row *row = &encoder->row;
    const uint32_t code = row->code[quad], rho = code >> 4 & 15;
    if (code < 256)
        put_event(&encoder->runs, rho != 0);
    const uint32_t entry = table[code];
    add_bits(pair, J2K_HT_CODE_WORD(entry), J2K_HT_CODE_LENGTH(entry));
    if (rho != 0)
        put_signs(&encoder->signs, row->value + (size_t)4 * quad, rho, J2K_HT_CODE_KNOWN(entry), row->bound[quad]);
}

ALWAYS_INLINE void code_row(struct j2k_ht_encoder *encoder, bool first)
{
    const struct j2k_ht_row *row = &encoder->row;
    const uint32_t quads = (encoder->width + 1) / 2;
    for (uint32_t quad = 0; quad < quads; quad += 2) {
        struct j2k_ht_pair pair = {0, 0};
        code_quad(encoder, codes[!first], quad, &pair);
        if (quad + 1 < quads)
            code_quad(encoder, codes[!first], quad + 1, &pair);
        const uint32_t a = row->excess[quad], b = quad + 1 < quads ? row->excess[quad + 1] : 0;
        if (first)
            add_first_excesses(&encoder->runs, &pair, a, b);
        else
            add_excesses(&pair, a, b);
        ht_flat_put(&encoder->codes, pair.bits, pair.count);
    }
}

static void start(struct j2k_ht_encoder *encoder)
{
    memset(&encoder->above, 0, sizeof encoder->above);
    ht_flat_start(&encoder->signs, encoder->flat_signs);
    ht_flat_start(&encoder->codes, encoder->flat_codes);
    ht_flat_put(&encoder->codes, 15, 4); /* the place of Scup's low bits */
    encoder->runs = (struct j2k_ht_runs){.at = encoder->run_bytes, .room = 8, .length = 1};
}

static void cleanup(struct j2k_ht_encoder *encoder)
{
    start(encoder);
    make_row(encoder, 0);
    code_row(encoder, true);
    for (uint32_t y = 2; y < encoder->height; y += 2) {
        make_row(encoder, y);
        code_row(encoder, false);
    }
    if (encoder->runs.run > 0)
        put_run_bit(&encoder->runs, 1); /* a longer run than there are events does no harm */
}

static const struct j2k_ht_coding coding = {.any = any_bits, .cleanup = cleanup};
