/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MEL and VLC pair by pair of quads: which samples of a quad are significant, and how many bits they have
 * (T.814 7.3). The functions are inline, so that they can be mixed with other work: each pair depends on all bits so
 * far, and the processor would only wait.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_QUADS_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_QUADS_H

#include "j2k/cpu/blocks/ht_bits.h"
#include "j2k/cpu/blocks/ht_mel.h"
#include "j2k/cpu/blocks/scan_words.h"
#include "j2k/tables/ht_vlc.h"

enum {
    J2K_HT_PAIR_INDEX = 63,
    J2K_HT_BELOW_3 = 3,                     /* of these bits one is set if a prefix says 1 or 2 */
    J2K_HT_LARGE_U = J2K_HT_U_EXTENDED + 5, /* u is at least this if its suffix has an extension */
    J2K_HT_BOTH = 3
};

/* The codes of quads in the first row, and in all others. */
extern const uint16_t kst_j2k_cpu_ht_first_row[J2K_HT_VLC_ENTRIES];
extern const uint16_t kst_j2k_cpu_ht_next_rows[J2K_HT_VLC_ENTRIES];
/*
 * Describes the codes of u of a pair. The index is which quads of the pair have such a code (bit 6: the first, bit 7:
 * the second) and the next six bits of VLC. An entry holds the bits of both prefixes in bits 0–2, of both suffixes in
 * bits 3–6, of the first suffix in bits 7–9, and the values that the suffixes are added to, in bits 10–12 and 13–15.
 */
extern const uint16_t kst_j2k_cpu_ht_pairs[256];

/* Holds the state of reading quads. It is passed by value where rows are read, so that all of it stays in registers. */
struct j2k_ht_reading {
    struct j2k_ht_mel *mel;
    uint32_t zeros; /* of MEL, before its next 1 */
    uint32_t bits;  /* bits of VLC in `word`, of which a pair takes up to 38; there may be more above them */
    uint64_t word;
    const uint8_t *next; /* what follows in VLC */
};

/*
 * Make sure that the word has at least 56 bits of VLC. The address depends only on what was read before the last pair.
 */
ALWAYS_INLINE void j2k_ht_refill(struct j2k_ht_reading *reading)
{
    reading->word |= j2k_load64(reading->next) << reading->bits;
    reading->next += (63 - reading->bits) >> 3;
    reading->bits |= 56;
}

/* Return the number of bits of VLC that were read. */
static inline uint32_t j2k_ht_bits_read(const struct j2k_ht_reading *reading, const uint8_t *vlc)
{
    return (uint32_t)(8 * (reading->next - vlc)) - reading->bits;
}

/* Take an event of MEL. */
ALWAYS_INLINE uint32_t j2k_ht_take_event(struct j2k_ht_reading *reading)
{
    if (reading->zeros > 0) {
        reading->zeros--;
        return 0;
    }
    reading->zeros = kst_j2k_cpu_ht_zeros(reading->mel);
    return 1;
}

static inline uint32_t j2k_ht_low_bits(uint64_t word, uint32_t bits)
{
    return (uint32_t)word & ((1U << bits) - 1);
}

/* Return the entry of a quad, 0 where none of its samples is significant. The context is an index into the table. */
ALWAYS_INLINE uint32_t j2k_ht_find_quad(
    struct j2k_ht_reading *reading, const uint16_t *table, uint32_t context, uint64_t word)
{
    uint32_t entry = table[context | j2k_ht_low_bits(word, J2K_HT_VLC_BITS)];
    if (context == 0 && !j2k_ht_take_event(reading))
        entry = 0;
    return entry;
}

/* Take u of both quads of a pair, whose bits alternate. Returns the number of bits. */
ALWAYS_INLINE uint32_t j2k_ht_take_u(uint64_t word, uint32_t offsets, uint8_t u[2])
{
    const uint32_t pair = kst_j2k_cpu_ht_pairs[offsets << 6 | (word & J2K_HT_PAIR_INDEX)];
    const uint32_t prefixes = pair & 7, suffixes = pair >> 3 & 15, first = pair >> 7 & 7;
    uint32_t bits = prefixes + suffixes, suffix = j2k_ht_low_bits(word >> prefixes, suffixes);
    uint32_t value[2] = {(pair >> 10 & 7) + j2k_ht_low_bits(suffix, first), (pair >> 13) + (suffix >> first)};
    for (uint32_t i = 0; i < 2; i++)
        if (value[i] >= J2K_HT_LARGE_U) {
            value[i] += 4 * j2k_ht_low_bits(word >> bits, 4);
            bits += 4;
        }
    u[0] = (uint8_t)value[0];
    u[1] = (uint8_t)value[1];
    return bits;
}

/*
 * Do the same in the first row. There MEL says whether both u exceed 2. If not both do, but the first does, the code of
 * the second is a single bit.
 */
ALWAYS_INLINE uint32_t j2k_ht_take_first_u(
    struct j2k_ht_reading *reading, uint64_t word, uint32_t offsets, uint8_t u[2])
{
    const bool both = offsets == J2K_HT_BOTH, large = both && j2k_ht_take_event(reading);
    if (!both || large || (word & J2K_HT_BELOW_3) != 0) {
        uint32_t bits = j2k_ht_take_u(word, offsets, u);
        u[0] = (uint8_t)(u[0] + 2 * large);
        u[1] = (uint8_t)(u[1] + 2 * large);
        return bits;
    }
    /* Without the bit between prefix and suffix, the first is as in a pair without a second one. */
    uint8_t alone[2];
    uint32_t bits = j2k_ht_take_u((word >> 1 & ~UINT64_C(7)) | (word & 7), 1, alone);
    u[0] = alone[0];
    u[1] = (uint8_t)(1 + (word >> 3 & 1));
    return bits + 1;
}

/* Return the part of a quad's context that the quad on its left gives: in the first row, and in the others. */
ALWAYS_INLINE uint32_t j2k_ht_first_context(uint32_t left)
{
    return ((left | left >> 1) << 3 & 128) | (left << 2 & 768);
}

ALWAYS_INLINE uint32_t j2k_ht_left_context(uint32_t left)
{
    return (left << 2 | left << 1) & 256;
}

/*
 * Take a pair of quads; a last one may be alone. `context` is what the quads above give to the contexts, and null in
 * the first row; `left` is what the quad on the left gives. Returns `left` for the next pair.
 */
ALWAYS_INLINE uint32_t j2k_ht_take_pair(
    struct j2k_ht_reading *reading, const uint16_t *context, uint32_t left, bool alone, uint16_t *quad, uint8_t *u)
{
    const uint16_t *table = context ? kst_j2k_cpu_ht_next_rows : kst_j2k_cpu_ht_first_row;
    if (context && !alone && (context[0] | context[1] | left) == 0 && reading->zeros > 1) {
        reading->zeros -= 2; /* nothing is near, and nothing is here */
        quad[0] = quad[1] = 0;
        u[0] = u[1] = 0;
        return 0;
    }
    j2k_ht_refill(reading);
    uint64_t word = reading->word;
    const uint32_t first = j2k_ht_find_quad(reading, table, context ? context[0] | left : left, word);
    const uint32_t length = J2K_HT_VLC_LENGTH(first);
    left = context ? j2k_ht_left_context(first) : j2k_ht_first_context(first);
    word >>= length;
    const uint32_t second = alone ? 0 : j2k_ht_find_quad(reading, table, context ? context[1] | left : left, word);
    const uint32_t offsets = J2K_HT_VLC_OFFSET(first) | J2K_HT_VLC_OFFSET(second) << 1;
    word >>= J2K_HT_VLC_LENGTH(second);
    const uint32_t more = context ? j2k_ht_take_u(word, offsets, u) : j2k_ht_take_first_u(reading, word, offsets, u);
    reading->word = word >> more;
    reading->bits -= length + J2K_HT_VLC_LENGTH(second) + more;
    quad[0] = (uint16_t)first;
    quad[1] = (uint16_t)second;
    return context ? j2k_ht_left_context(second) : j2k_ht_first_context(second);
}

/* ht_quads.c: begin, and take the first row of quads. Other functions take the rows below. */
struct j2k_ht_reading kst_j2k_cpu_ht_reading_open(const struct j2k_ht_decoder *decoder, struct j2k_ht_mel *mel);
struct j2k_ht_reading kst_j2k_cpu_ht_first_quads(struct j2k_ht_decoder *decoder, struct j2k_ht_reading reading);
/* Find what the quads above give to the contexts of a row, and set the quads on both sides of the row to 0. */
void kst_j2k_cpu_ht_contexts(struct j2k_ht_decoder *decoder, uint32_t row, uint16_t *restrict context);

#endif
