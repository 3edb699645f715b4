/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes MEL and VLC of a block (T.814 7.3), and holds the tables for that. */
#include "j2k/cpu/blocks/ht_quads.h"

#include "j2k/tables/contexts.h"

const uint16_t kst_j2k_cpu_ht_first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
const uint16_t kst_j2k_cpu_ht_next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};

#define LENGTH(bits) ((bits)&1 ? 1 : (bits)&2 ? 2 : 3)
#define SUFFIX(bits) ((bits)&3 ? 0 : (bits)&4 ? 1 : 5)
#define VALUE(bits) ((bits)&1 ? 1 : (bits)&2 ? 2 : (bits)&4 ? 3 : 5)
#define FIRST(f, i) ((i)&64 ? f(i) : 0)
#define SECOND(f, i) ((i)&128 ? f((i) >> FIRST(LENGTH, i)) : 0)
#define PAIR(i)                                                                                                        \
    (FIRST(LENGTH, i) + SECOND(LENGTH, i)) | (FIRST(SUFFIX, i) + SECOND(SUFFIX, i)) << 3 | FIRST(SUFFIX, i) << 7 |     \
        FIRST(VALUE, i) << 10 | SECOND(VALUE, i) << 13

const uint16_t kst_j2k_cpu_ht_pairs[256] = {J2K_ENTRIES(PAIR)};

struct j2k_ht_reading kst_j2k_cpu_ht_reading_open(const struct j2k_ht_decoder *decoder, struct j2k_ht_mel *mel)
{
    *mel = (struct j2k_ht_mel){.next = decoder->mel, .end = decoder->end};
    return (struct j2k_ht_reading){.mel = mel, .zeros = kst_j2k_cpu_ht_zeros(mel), .next = decoder->vlc};
}

/* Quads on both sides of a row have no significant samples. */
static uint16_t *row_of(struct j2k_ht_decoder *decoder, uint32_t row)
{
    uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    quad[-1] = quad[decoder->quad_pitch - 2] = 0;
    return quad;
}

struct j2k_ht_reading kst_j2k_cpu_ht_first_quads(struct j2k_ht_decoder *decoder, struct j2k_ht_reading reading)
{
    uint16_t *quad = row_of(decoder, 0);
    for (uint32_t q = 0, left = 0; q < decoder->quad_columns; q += 2)
        left = j2k_ht_take_pair(&reading, NULL, left, q + 1 == decoder->quad_columns, quad + q, decoder->u + q + 1);
    return reading;
}

void kst_j2k_cpu_ht_contexts(struct j2k_ht_decoder *decoder, uint32_t row, uint16_t *restrict context)
{
    const uint16_t *left = row_of(decoder, row) - decoder->quad_pitch - 1, *here = left + 1, *right = here + 1;
    const size_t count = decoder->quad_columns;
    for (size_t q = 0; q < count; q++)
        context[q] = (uint16_t)(((left[q] | here[q] << 2) & 128) | ((here[q] << 2 | right[q] << 4) & 512));
}

static struct j2k_ht_reading take_row(struct j2k_ht_decoder *decoder, struct j2k_ht_reading reading, uint32_t row)
{
    const uint32_t columns = decoder->quad_columns;
    uint16_t context[J2K_HT_QUAD_COLUMNS], *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    kst_j2k_cpu_ht_contexts(decoder, row, context);
    uint32_t left = 0, q = 0;
    for (; q + 1 < columns; q += 2)
        left = j2k_ht_take_pair(&reading, context + q, left, false, quad + q, u + q);
    if (q < columns)
        j2k_ht_take_pair(&reading, context + q, left, true, quad + q, u + q);
    return reading;
}

bool kst_j2k_cpu_ht_quads(struct j2k_ht_decoder *decoder)
{
    struct j2k_ht_mel mel;
    struct j2k_ht_reading reading = kst_j2k_cpu_ht_reading_open(decoder, &mel);
    for (uint32_t r = 0; r < decoder->quad_rows; r++) {
        reading = r == 0 ? kst_j2k_cpu_ht_first_quads(decoder, reading) : take_row(decoder, reading, r);
        if (j2k_ht_bits_read(&reading, decoder->vlc) > decoder->vlc_bits)
            return false;
    }
    return true;
}
