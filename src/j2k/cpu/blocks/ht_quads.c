/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes MEL and VLC: which samples of a quad are significant, and how many bits they have (T.814 7.3). */
#include "j2k/cpu/blocks/ht_bits.h"
#include "j2k/cpu/blocks/scan_words.h"
#include "j2k/tables/contexts.h"
#include "j2k/tables/ht_vlc.h"

static const uint16_t first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
static const uint16_t next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};
static const uint8_t exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};

/* MEL gives how many zeros come before the next one (7.3.3). */
struct mel {
    const uint8_t *next, *end;
    uint64_t word; /* the next bits, from bit 63 down */
    uint32_t bits; /* number of bits in `word` */
    uint32_t state;
    bool stuffed; /* the byte before `next` is FF */
};

/* The segment's last two bytes also hold Scup, in place of ones. */
static uint32_t mel_byte(struct mel *mel)
{
    if (mel->next > mel->end)
        return 0xFF;
    uint32_t byte = *mel->next;
    return mel->next++ == mel->end ? byte | 15 : byte;
}

static void mel_refill(struct mel *mel)
{
    while (mel->bits <= 56) {
        uint32_t byte = mel_byte(mel), bits = mel->stuffed ? 7 : 8;
        mel->word |= (uint64_t)(byte & ((1U << bits) - 1)) << (64 - bits - mel->bits);
        mel->bits += bits;
        mel->stuffed = byte == 0xFF;
    }
}

static uint32_t mel_take(struct mel *mel, uint32_t bits)
{
    uint32_t value = bits > 0 ? (uint32_t)(mel->word >> (64 - bits)) : 0;
    mel->word <<= bits;
    mel->bits -= bits;
    return value;
}

/* Return the number of zeros before the next one, or a number that is larger than that of all quads. */
static uint32_t mel_zeros(struct mel *mel)
{
    uint32_t zeros = 0;
    while (zeros < J2K_BLOCK_SAMPLES) {
        mel_refill(mel);
        uint32_t exponent = exponents[mel->state];
        if (mel_take(mel, 1) == 0) {
            mel->state -= mel->state > 0;
            return zeros + mel_take(mel, exponent);
        }
        zeros += 1U << exponent;
        mel->state += mel->state < J2K_HT_MEL_STATES - 1;
    }
    return zeros;
}

/*
 * For the codes of u of a pair, by which of its quads have one (bit 6 the first, bit 7 the second) and the next six
 * bits of VLC: bits of both prefixes in bits 0–2, of both suffixes in bits 3–6, of the first suffix in bits 7–9, and
 * the values that the suffixes are added to, in bits 10–12 and 13–15.
 */
#define LENGTH(bits) ((bits)&1 ? 1 : (bits)&2 ? 2 : 3)
#define SUFFIX(bits) ((bits)&3 ? 0 : (bits)&4 ? 1 : 5)
#define VALUE(bits) ((bits)&1 ? 1 : (bits)&2 ? 2 : (bits)&4 ? 3 : 5)
#define FIRST(f, i) ((i)&64 ? f(i) : 0)
#define SECOND(f, i) ((i)&128 ? f((i) >> FIRST(LENGTH, i)) : 0)
#define PAIR(i)                                                                                                        \
    (FIRST(LENGTH, i) + SECOND(LENGTH, i)) | (FIRST(SUFFIX, i) + SECOND(SUFFIX, i)) << 3 | FIRST(SUFFIX, i) << 7 |     \
        FIRST(VALUE, i) << 10 | SECOND(VALUE, i) << 13

static const uint16_t pairs[256] = {J2K_ENTRIES(PAIR, 0)};

enum {
    PAIR_INDEX = 63,
    NONE_BELOW_3 = 3,                 /* of these bits one is set if a prefix says 1 or 2 */
    EXTENDED = J2K_HT_U_EXTENDED + 5, /* u is at least this if its suffix has an extension */
    BOTH = 3
};

struct quads_reading {
    struct mel mel;
    uint32_t zeros; /* of MEL, before its next one */
    const uint8_t *vlc;
    uint32_t at; /* bits of VLC that were read */
};

/* Take an event of MEL. */
static inline uint32_t take_event(struct quads_reading *reading)
{
    if (reading->zeros > 0) {
        reading->zeros--;
        return 0;
    }
    reading->zeros = mel_zeros(&reading->mel);
    return 1;
}

static inline uint32_t low_bits(uint64_t word, uint32_t bits)
{
    return (uint32_t)word & ((1U << bits) - 1);
}

/* Return the entry of a quad, 0 where none of its samples is significant. The context is an index into the table. */
ALWAYS_INLINE uint32_t find_quad(struct quads_reading *reading, const uint16_t *table, uint32_t context, uint64_t word)
{
    uint32_t entry = table[context | low_bits(word, J2K_HT_VLC_BITS)];
    if (context == 0 && !take_event(reading))
        entry = 0;
    return entry;
}

/* Take u of both quads of a pair, whose bits alternate. Returns the number of bits. */
ALWAYS_INLINE uint32_t take_u(uint64_t word, uint32_t offsets, uint8_t u[2])
{
    const uint32_t pair = pairs[offsets << 6 | (word & PAIR_INDEX)];
    const uint32_t prefixes = pair & 7, suffixes = pair >> 3 & 15, first = pair >> 7 & 7;
    uint32_t bits = prefixes + suffixes, suffix = low_bits(word >> prefixes, suffixes);
    uint32_t value[2] = {(pair >> 10 & 7) + low_bits(suffix, first), (pair >> 13) + (suffix >> first)};
    for (uint32_t i = 0; i < 2; i++)
        if (value[i] >= EXTENDED) {
            value[i] += 4 * low_bits(word >> bits, 4);
            bits += 4;
        }
    u[0] = (uint8_t)value[0];
    u[1] = (uint8_t)value[1];
    return bits;
}

/* In the first row MEL says whether both exceed 2; if not, and the first does, the second one is a bit. */
static uint32_t take_first_u(struct quads_reading *reading, uint64_t word, uint32_t offsets, uint8_t u[2])
{
    const bool both = offsets == BOTH, large = both && take_event(reading);
    if (!both || large || (word & NONE_BELOW_3) != 0) {
        uint32_t bits = take_u(word, offsets, u);
        u[0] = (uint8_t)(u[0] + 2 * large);
        u[1] = (uint8_t)(u[1] + 2 * large);
        return bits;
    }
    /* Without the bit between prefix and suffix, the first is as in a pair without a second one. */
    uint8_t alone[2];
    uint32_t bits = take_u((word >> 1 & ~UINT64_C(7)) | (word & 7), 1, alone);
    u[0] = alone[0];
    u[1] = (uint8_t)(1 + (word >> 3 & 1));
    return bits + 1;
}

/* Return the part of a quad's context that the quad on its left gives: in the first row, and in the others. */
ALWAYS_INLINE uint32_t first_context(uint32_t left)
{
    return ((left | left >> 1) << 3 & 128) | (left << 2 & 768);
}

ALWAYS_INLINE uint32_t left_context(uint32_t left)
{
    return (left << 2 | left << 1) & 256;
}

/* Find the part that the quads above give, for all quads of a row. */
static void find_contexts(const uint16_t *above, uint32_t count, uint16_t *context)
{
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t left = above[(int32_t)q - 1], here = above[q], right = above[q + 1];
        context[q] = (uint16_t)(((left | here << 2) & 128) | ((here << 2 | right << 4) & 512));
    }
}

/* Take a pair of quads; a last one may be alone. `context` is null in the first row. Returns the context to the right.
 */
ALWAYS_INLINE uint32_t take_pair(
    struct quads_reading *reading, const uint16_t *context, uint32_t left, bool alone, uint16_t *quad, uint8_t *u)
{
    const uint16_t *table = context ? next_rows : first_row;
    uint64_t word = j2k_ht_peek(reading->vlc, reading->at);
    const uint32_t first = find_quad(reading, table, context ? context[0] | left : left, word);
    const uint32_t length = J2K_HT_VLC_LENGTH(first);
    left = context ? left_context(first) : first_context(first);
    word >>= length;
    const uint32_t second = alone ? 0 : find_quad(reading, table, context ? context[1] | left : left, word);
    const uint32_t offsets = J2K_HT_VLC_OFFSET(first) | J2K_HT_VLC_OFFSET(second) << 1;
    word >>= J2K_HT_VLC_LENGTH(second);
    reading->at += length + J2K_HT_VLC_LENGTH(second) +
                   (context ? take_u(word, offsets, u) : take_first_u(reading, word, offsets, u));
    quad[0] = (uint16_t)first;
    quad[1] = (uint16_t)second;
    return context ? left_context(second) : first_context(second);
}

static void take_first_row(struct quads_reading *reading, uint32_t columns, uint16_t *quad, uint8_t *u)
{
    uint32_t left = 0;
    for (uint32_t q = 0; q < columns; q += 2)
        left = take_pair(reading, NULL, left, q + 1 == columns, quad + q, u + q);
}

static void take_row(
    struct quads_reading *reading, uint32_t columns, const uint16_t *context, uint16_t *quad, uint8_t *u)
{
    uint32_t left = 0, q = 0;
    for (; q + 1 < columns; q += 2)
        left = take_pair(reading, context + q, left, false, quad + q, u + q);
    if (q < columns)
        take_pair(reading, context + q, left, true, quad + q, u + q);
}

bool kst_j2k_ht_quads(struct j2k_ht_decoder *decoder)
{
    struct quads_reading reading = {.mel = {.next = decoder->mel, .end = decoder->end}, .vlc = decoder->vlc};
    const uint32_t columns = decoder->quad_columns, pitch = decoder->quad_pitch;
    reading.zeros = mel_zeros(&reading.mel);
    for (uint32_t r = 0; r < decoder->quad_rows; r++) {
        uint16_t *quad = decoder->quad + (size_t)r * pitch + 1, context[J2K_HT_QUAD_COLUMNS];
        uint8_t *u = decoder->u + (size_t)r * pitch + 1;
        quad[-1] = quad[pitch - 2] = 0;
        if (r == 0) {
            take_first_row(&reading, columns, quad, u);
        } else {
            find_contexts(quad - pitch, columns, context);
            take_row(&reading, columns, context, quad, u);
        }
        if (reading.at > decoder->vlc_bits)
            return false;
    }
    return true;
}
