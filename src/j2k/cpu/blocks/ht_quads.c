/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes MEL and VLC: which samples of a quad are significant, and how many bits they have (T.814 7.3). */
#include "j2k/cpu/blocks/ht_bits.h"
#include "j2k/tables/ht_vlc.h"

static const uint16_t first_row[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_FIRST};
static const uint16_t next_rows[J2K_HT_VLC_ENTRIES] = {J2K_HT_VLC_NEXT};
static const uint8_t exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};
static const uint8_t prefixes[] = {J2K_HT_U_PREFIXES};

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

struct quads_reading {
    struct mel mel;
    uint32_t zeros; /* of MEL, before its next one */
    const uint8_t *vlc;
    uint32_t at;   /* bits of VLC that were read */
    uint64_t word; /* the bits from there on */
};

static uint32_t event(struct quads_reading *reading)
{
    if (reading->zeros > 0) {
        reading->zeros--;
        return 0;
    }
    reading->zeros = mel_zeros(&reading->mel);
    return 1;
}

static uint32_t take(struct quads_reading *reading, uint32_t bits)
{
    uint32_t value = (uint32_t)reading->word & ((1U << bits) - 1);
    reading->word >>= bits;
    reading->at += bits;
    return value;
}

/* Return the entry of a quad, 0 where none of its samples is significant. */
static uint32_t take_quad(struct quads_reading *reading, const uint16_t *table, uint32_t context)
{
    if (context == 0 && event(reading) == 0)
        return 0;
    uint32_t entry = table[context << J2K_HT_VLC_BITS | (reading->word & ((1U << J2K_HT_VLC_BITS) - 1))];
    take(reading, J2K_HT_VLC_LENGTH(entry));
    return entry;
}

static uint32_t take_prefix(struct quads_reading *reading, uint32_t offset)
{
    uint32_t prefix = offset ? prefixes[reading->word & 7] : 0;
    take(reading, prefix & 3);
    return prefix;
}

static uint32_t take_suffix(struct quads_reading *reading, uint32_t prefix)
{
    return take(reading, prefix >> 2 & 7);
}

static uint32_t take_extension(struct quads_reading *reading, uint32_t prefix, uint32_t suffix)
{
    uint32_t more = suffix >= J2K_HT_U_EXTENDED ? take(reading, 4) : 0;
    return (prefix >> 5) + suffix + 4 * more;
}

/* Take u of both quads of a pair, whose bits alternate. `more` is added where there is one. */
static void take_u(struct quads_reading *reading, uint32_t offsets, uint32_t more, uint8_t u[2])
{
    uint32_t prefix[2], suffix[2];
    for (uint32_t i = 0; i < 2; i++)
        prefix[i] = take_prefix(reading, offsets >> i & 1);
    for (uint32_t i = 0; i < 2; i++)
        suffix[i] = take_suffix(reading, prefix[i]);
    for (uint32_t i = 0; i < 2; i++)
        u[i] = (uint8_t)(take_extension(reading, prefix[i], suffix[i]) + more);
}

/* In the first row MEL says whether both exceed 2; if not, and the first does, the second one is a bit. */
static void take_first_u(struct quads_reading *reading, uint32_t offsets, uint8_t u[2])
{
    if (offsets != 3) {
        take_u(reading, offsets, 0, u);
    } else if (event(reading)) {
        take_u(reading, offsets, 2, u);
    } else if ((reading->word & 3) != 0) {
        take_u(reading, offsets, 0, u);
    } else {
        uint32_t prefix = take_prefix(reading, 1);
        u[1] = (uint8_t)(1 + take(reading, 1));
        u[0] = (uint8_t)take_extension(reading, prefix, take_suffix(reading, prefix));
    }
}

/* Return the part of a quad's context that the quad on its left gives: in the first row, and in the others. */
static uint32_t first_context(uint32_t left)
{
    uint32_t rho = J2K_HT_VLC_RHO(left);
    return ((rho | rho >> 1) & 1) | (rho >> 1 & 6);
}

static uint32_t left_context(uint32_t left)
{
    uint32_t rho = J2K_HT_VLC_RHO(left);
    return (rho >> 2 | rho >> 3) << 1 & 2;
}

/* The part that the quads above give. */
static uint32_t above_context(const uint16_t *above)
{
    uint32_t left = J2K_HT_VLC_RHO(above[-1]), here = J2K_HT_VLC_RHO(above[0]), right = J2K_HT_VLC_RHO(above[1]);
    return ((left >> 3 | here >> 1) & 1) | ((here >> 3 | right >> 1) << 2 & 4);
}

static uint32_t offsets_of(const uint16_t *quad)
{
    return J2K_HT_VLC_OFFSET(quad[0]) | J2K_HT_VLC_OFFSET(quad[1]) << 1;
}

static void look(struct quads_reading *reading)
{
    reading->word = j2k_ht_peek(reading->vlc, reading->at);
}

static void take_first_row(struct quads_reading *reading, uint32_t columns, uint16_t *quad, uint8_t *u)
{
    for (uint32_t q = 0; q < columns; q += 2) {
        look(reading);
        quad[q] = (uint16_t)take_quad(reading, first_row, first_context(quad[(int32_t)q - 1]));
        quad[q + 1] = 0;
        if (q + 1 < columns)
            quad[q + 1] = (uint16_t)take_quad(reading, first_row, first_context(quad[q]));
        take_first_u(reading, offsets_of(quad + q), u + q);
    }
}

static void take_row(struct quads_reading *reading, uint32_t columns, const uint16_t *above, uint16_t *quad, uint8_t *u)
{
    for (uint32_t q = 0; q < columns; q += 2) {
        look(reading);
        uint32_t context = above_context(above + q) | left_context(quad[(int32_t)q - 1]);
        quad[q] = (uint16_t)take_quad(reading, next_rows, context);
        quad[q + 1] = 0;
        if (q + 1 < columns) {
            context = above_context(above + q + 1) | left_context(quad[q]);
            quad[q + 1] = (uint16_t)take_quad(reading, next_rows, context);
        }
        take_u(reading, offsets_of(quad + q), 0, u + q);
    }
}

bool kst_j2k_ht_quads(struct j2k_ht_decoder *decoder)
{
    struct quads_reading reading = {.mel = {.next = decoder->mel, .end = decoder->end}, .vlc = decoder->vlc};
    const uint32_t columns = decoder->quad_columns, pitch = decoder->quad_pitch;
    reading.zeros = mel_zeros(&reading.mel);
    for (uint32_t r = 0; r < decoder->quad_rows; r++) {
        uint16_t *quad = decoder->quad + r * pitch + 1;
        quad[-1] = quad[pitch - 2] = 0;
        if (r == 0)
            take_first_row(&reading, columns, quad, decoder->u + 1);
        else
            take_row(&reading, columns, quad - pitch, quad, decoder->u + r * pitch + 1);
        if (reading.at > decoder->vlc_bits)
            return false;
    }
    return true;
}
