/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MagSgn (T.814 7.3) to samples of type WORD, which has WORD_BITS bits, the highest being the sign. SAMPLES
 * and ABOVE are the arrays of the decoder that this uses.
 */
#include "j2k/cpu/blocks/ht_bits.h"

struct samples_reading {
    struct j2k_ht_decoder *decoder;
    uint32_t at; /* bits of MagSgn that were read */
    bool fine;   /* no magnitude has too many bits */
};

static uint32_t bit_length(WORD value)
{
    return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value);
}

/* Return up to 63 bits from a position on. */
static WORD bits_at(const struct j2k_ht_decoder *decoder, uint32_t at, uint32_t bits)
{
    uint64_t word = j2k_ht_peek(decoder->magsgn, at);
    if (WORD_BITS > 32 && at % 8 != 0)
        word |= (uint64_t)decoder->magsgn[at / 8 + 8] << (64 - at % 8);
    return (WORD)(word & ((UINT64_C(1) << bits) - 1));
}

/*
 * Make a sample of a number of MagSgn, 2 (µ − 1) + sign. To the magnitude, µ steps of the plane, half a step is added
 * if there is a bit for it, as there always is with a fraction of 1.
 */
static WORD make_sample(const struct j2k_ht_decoder *decoder, WORD number)
{
    const int32_t shift = (int32_t)decoder->plane + decoder->fraction - 1;
    const WORD twice = (number | 1) + 2;
    return number << (WORD_BITS - 1) | (shift >= 0 ? twice << shift : twice >> -shift);
}

/*
 * Take the samples of a quad, of which a number has up to `most` bits. `less` receives µ − 1, or 0 for samples that are
 * not significant.
 */
static void take_quad(struct samples_reading *reading, uint32_t quad, uint32_t most, WORD sample[4], WORD less[4])
{
    const struct j2k_ht_decoder *decoder = reading->decoder;
    for (uint32_t i = 0; i < 4; i++) {
        sample[i] = less[i] = 0;
        if ((J2K_HT_VLC_RHO(quad) >> i & 1) == 0)
            continue;
        const uint32_t bits = most - (J2K_HT_VLC_KNOWN(quad) >> i & 1);
        const uint64_t top = (uint64_t)(J2K_HT_VLC_ONE(quad) >> i & 1) << bits; /* bits may be 32 if it is 0 */
        const WORD number = bits_at(decoder, reading->at, bits) | (WORD)top;
        reading->at += bits;
        reading->fine = reading->fine && number >> 1 < ((WORD)1 << decoder->bits) - 1;
        sample[i] = make_sample(decoder, number);
        less[i] = number >> 1;
    }
}

/* Return the most bits that the numbers of a quad can have, U. `above` is in the quad's first column of samples. */
static uint32_t most_bits(uint32_t quad, uint32_t u, WORD before, const WORD *above)
{
    const uint32_t rho = J2K_HT_VLC_RHO(quad), length = bit_length(before | above[0] | above[1] | above[2]);
    const bool several = (rho & (rho - 1)) != 0;
    return (several && length > 1 ? length : 1) + u;
}

/* Store those samples of a quad that are inside the block. */
static void store_quad(struct j2k_ht_decoder *decoder, uint32_t x, uint32_t y, const WORD sample[4])
{
    WORD *to = decoder->SAMPLES + (size_t)y * decoder->width + x;
    const bool right = x + 1 < decoder->width, bottom = y + 1 < decoder->height;
    to[0] = sample[0];
    if (bottom)
        to[decoder->width] = sample[1];
    if (right)
        to[1] = sample[2];
    if (right && bottom)
        to[decoder->width + 1] = sample[3];
}

static bool take_row(struct samples_reading *reading, uint32_t row)
{
    struct j2k_ht_decoder *decoder = reading->decoder;
    const uint16_t *quad = decoder->quad + (size_t)row * decoder->quad_pitch + 1;
    const uint8_t *u = decoder->u + (size_t)row * decoder->quad_pitch + 1;
    WORD *above = decoder->ABOVE, before = 0;
    for (uint32_t q = 0; q < decoder->quad_columns; q++, above += 2) {
        WORD sample[4], less[4];
        const uint32_t most = most_bits(quad[q], u[q], before, above);
        if (J2K_HT_VLC_RHO(quad[q]) != 0 && most > decoder->bits + 1)
            return false;
        take_quad(reading, quad[q], most, sample, less);
        store_quad(decoder, 2 * q, 2 * row, sample);
        before = above[1];
        above[0] = less[1];
        above[1] = less[3];
    }
    return reading->fine && reading->at <= decoder->magsgn_bits;
}

static bool take_samples(struct j2k_ht_decoder *decoder)
{
    struct samples_reading reading = {.decoder = decoder, .fine = true};
    memset(decoder->ABOVE, 0, (2 * (size_t)decoder->quad_columns + 1) * sizeof *decoder->ABOVE);
    for (uint32_t r = 0; r < decoder->quad_rows; r++)
        if (!take_row(&reading, r))
            return false;
    return true;
}
