/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes cleanup passes with vectors. While the quads of a row are read, one after the other, the samples of the row
 * above are taken, which do not depend on each other: that fills the time in which the processor waits for VLC. For a
 * row of quads it is first found how many bits each quad's numbers have and where they begin. Then the samples of a
 * group of quads are taken at once, each at its own place.
 *
 * A tier's source defines struct row_vectors and the constants below, includes this header, and then defines the
 * functions that are declared here.
 */
#include "j2k/cpu/blocks/ht_quads.h"

/*
 * The constants are AT_ONCE, the quads of which the bits are found together; GROUP, the quads whose samples are taken
 * together, which is even; and SHORT_BITS, up to which U the numbers of a group can be taken in a faster way.
 */
enum { GROUP_COLUMNS = 2 * GROUP, SIGNIFICANT = 0xF0 };

/*
 * Holds what is known of the quads of a row: the entry, above it the number U of bits, and where in MagSgn each quad
 * begins.
 */
struct j2k_ht_known_quads {
    uint32_t quad[J2K_HT_QUAD_COLUMNS + AT_ONCE];
    uint32_t at[J2K_HT_QUAD_COLUMNS + AT_ONCE];
};

/* Holds the state of reading MagSgn. */
struct j2k_ht_row_reading {
    struct j2k_ht_decoder *decoder;
    uint32_t at;   /* bits of MagSgn in front of the row */
    uint32_t end;  /* bits of MagSgn up to the end of the row */
    uint32_t most; /* largest U of the row; 0: it has no significant samples */
    bool passed;   /* this was known before its quads were read */
    struct row_vectors vectors;
};

/* Holds the places that the samples of a row of quads go to, and those of the quads of the next row. */
struct j2k_ht_row_places {
    uint32_t *upper, *lower, *above;
    const uint16_t *context;
    uint16_t *quad;
    uint8_t *u;
};

/* Begin a block: samples are 2 µ + 1, shifted to the left by `shift`, or to the right if that is negative. */
ALWAYS_INLINE struct row_vectors open_vectors(int32_t shift);

/* Find how many bits the quads of a row have. What is computed for quads behind the last one has no effect. */
ALWAYS_INLINE void know_quads(struct j2k_ht_row_reading *reading, uint32_t row, struct j2k_ht_known_quads *known);

/*
 * Take the samples of a group of quads: GROUP_COLUMNS of either row, and of `above` µ − 1 of the lower row. `data` is
 * MagSgn; if `is_short`, no U exceeds SHORT_BITS.
 */
ALWAYS_INLINE void take_group(struct row_vectors *vectors, const uint8_t *data, const struct j2k_ht_known_quads *known,
    uint32_t q, bool is_short, uint32_t *upper, uint32_t *lower, uint32_t *above);

/* Return the largest µ − 1 of all groups. */
ALWAYS_INLINE uint32_t largest_of(const struct row_vectors *vectors);

/* Take the samples of a row of quads, and with `more` the next row of quads, which may have an odd number of them. */
ALWAYS_INLINE struct j2k_ht_reading take_groups(struct j2k_ht_row_reading *reading,
    const struct j2k_ht_known_quads *known, const struct j2k_ht_row_places *to, struct j2k_ht_reading quads,
    bool is_short, bool more)
{
    const uint32_t width = reading->decoder->width, columns = reading->decoder->quad_columns;
    const uint8_t *data = reading->decoder->magsgn;
    struct row_vectors vectors = reading->vectors;
    uint32_t left = 0, x = 0;
    for (; x + GROUP_COLUMNS <= width; x += GROUP_COLUMNS) {
        for (uint32_t q = x / 2; more && q < x / 2 + GROUP; q += 2)
            left = j2k_ht_take_pair(&quads, to->context + q, left, false, to->quad + q, to->u + q);
        take_group(&vectors, data, known, x / 2, is_short, to->upper + x, to->lower + x, to->above + x);
    }
    if (x < width) {
        for (uint32_t q = x / 2; more && q < columns; q += 2)
            left = j2k_ht_take_pair(&quads, to->context + q, left, q + 1 == columns, to->quad + q, to->u + q);
        uint32_t upper[GROUP_COLUMNS], lower[GROUP_COLUMNS];
        take_group(&vectors, data, known, x / 2, is_short, upper, lower, to->above + x);
        memcpy(to->upper + x, upper, sizeof *upper * (width - x));
        memcpy(to->lower + x, lower, sizeof *lower * (width - x));
    }
    reading->vectors = vectors;
    return quads;
}

/*
 * Pass over a row of quads below a row without significant samples: if MEL says that its quads have none either, there
 * is nothing to be read. Returns whether that is so.
 */
static bool pass_row(struct j2k_ht_decoder *decoder, struct j2k_ht_reading *quads, uint32_t row)
{
    if (quads->zeros < decoder->quad_columns)
        return false;
    quads->zeros -= decoder->quad_columns;
    memset(decoder->quad + (size_t)row * decoder->quad_pitch, 0, decoder->quad_pitch * sizeof *decoder->quad);
    return true;
}

/* Set the samples of a row of quads to 0. */
static void clear_row(struct j2k_ht_decoder *decoder, uint32_t row)
{
    const uint32_t rows = 2 * row + 1 < decoder->height ? 2 : 1;
    memset(decoder->sample + (size_t)2 * row * decoder->width, 0, (size_t)rows * decoder->width * sizeof(uint32_t));
    memset(decoder->above + 2, 0, (size_t)2 * decoder->quad_columns * sizeof *decoder->above);
}

/* Take the samples of a row whose numbers are known to be there, and the quads of the next one if there is one. */
static void take_samples(struct j2k_ht_row_reading *reading, const struct j2k_ht_known_quads *known,
    struct j2k_ht_reading *quads, uint32_t row)
{
    struct j2k_ht_decoder *decoder = reading->decoder;
    uint32_t unused[J2K_BLOCK_SIDE], *upper = decoder->sample + (size_t)2 * row * decoder->width;
    uint16_t context[J2K_HT_QUAD_COLUMNS];
    const size_t next = (size_t)(row + 1) * decoder->quad_pitch + 1;
    const struct j2k_ht_row_places to = {.upper = upper,
        .lower = 2 * row + 1 < decoder->height ? upper + decoder->width : unused,
        .above = decoder->above + 2,
        .context = context,
        .quad = decoder->quad + next,
        .u = decoder->u + next};
    const bool is_short = reading->most <= SHORT_BITS, more = row + 1 < decoder->quad_rows;
    if (more)
        kst_j2k_cpu_ht_contexts(decoder, row + 1, context);
    if (is_short && more)
        *quads = take_groups(reading, known, &to, *quads, true, true);
    else if (more)
        *quads = take_groups(reading, known, &to, *quads, false, true);
    else
        take_groups(reading, known, &to, *quads, false, false);
}

/* Take a row. Returns false if MagSgn lacks bits or a U is too large. */
static bool take_row(struct j2k_ht_row_reading *reading, struct j2k_ht_reading *quads, uint32_t row)
{
    struct j2k_ht_decoder *decoder = reading->decoder;
    struct j2k_ht_known_quads known;
    if (reading->passed)
        memset(known.quad, 0, (decoder->quad_columns + GROUP) * sizeof *known.quad);
    else
        know_quads(reading, row, &known);
    if (reading->most > decoder->bits + 1 || reading->end > decoder->magsgn_bits)
        return false;
    reading->at = reading->end;
    reading->passed = reading->most == 0 && row + 1 < decoder->quad_rows && pass_row(decoder, quads, row + 1);
    if (reading->passed || (reading->most == 0 && row + 1 == decoder->quad_rows))
        clear_row(decoder, row);
    else
        take_samples(reading, &known, quads, row);
    return true;
}

/* Decode the cleanup pass of a block, as kst_j2k_cpu_ht_samples() does. */
static bool take_block(struct j2k_ht_decoder *decoder)
{
    struct j2k_ht_row_reading reading = {.decoder = decoder};
    struct j2k_ht_mel mel;
    struct j2k_ht_reading quads = kst_j2k_cpu_ht_first_quads(decoder, kst_j2k_cpu_ht_reading_open(decoder, &mel));
    reading.vectors = open_vectors((int32_t)decoder->plane + decoder->fraction - 1);
    memset(decoder->above, 0, (2 * (size_t)decoder->quad_columns + J2K_HT_ABOVE_AROUND) * sizeof *decoder->above);
    for (uint32_t r = 0; r < decoder->quad_rows; r++)
        if (j2k_ht_bits_read(&quads, decoder->vlc) > decoder->vlc_bits || !take_row(&reading, &quads, r))
            return false;
    return largest_of(&reading.vectors) < (1U << decoder->bits) - 1;
}
