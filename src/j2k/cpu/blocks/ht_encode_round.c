/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds the samples of a code-block away from the quantiser's intervals where the bits that this saves are worth more
 * than the error. A single sample decides on its quad's codeword and U, on which the length of all its samples depends,
 * and on the contexts of the quads around it, so that one just above a threshold may cost many bits for hardly any
 * error. All ways to round the samples of a quad that lie near a threshold are compared by their lengths, which are
 * exact but for MEL's runs, together with the lengths of the quads whose contexts or kappa they change.
 */
#include <string.h>

#include "j2k/cpu/blocks/ht_encode_quad.h"
#include "j2k/tables/ht_encode.h"

static const uint16_t codes[2][J2K_HT_CODE_ENTRIES] = {{J2K_HT_CODE_FIRST}, {J2K_HT_CODE_LATER}};
static const uint8_t run_exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};

/*
 * ONE is 1 in errors and lengths; the others say how far from a threshold samples may be so that rounding is worth
 * trying.
 */
enum { ONE = 1 << J2K_HT_FRACTION, ABOVE = ONE * 3 / 8, ABOVE_FIRST = ONE / 2, BELOW_FIRST = ONE / 4 };

/* Holds a sample's magnitude, another one that it may have, and by how much this makes the error larger. */
struct other_sample {
    uint32_t index, own, magnitude;
    int32_t error;
};

/* Holds the rows above, of and below the quad that is rounded, and the state of MEL. */
struct rounding {
    struct j2k_ht_encoder *encoder;
    struct j2k_ht_rounded *above, *own, *below;
    uint32_t worth, state, run;
    uint32_t end;     /* the quad behind the last one */
    bool first, last; /* the row is the first, or the last, of the block */
};

static uint32_t exponent_of(uint32_t magnitude)
{
    return magnitude > 0 ? 32 - (uint32_t)__builtin_clz(2 * (magnitude - 1) | 1) : 0;
}

/* Quads are counted from the first one of zeros. */
static void set_sample(struct j2k_ht_rounded *row, uint32_t quad, uint32_t i, uint32_t magnitude)
{
    row->exponent[4 * quad + i] = (uint8_t)exponent_of(magnitude);
    row->rho[quad] = (uint8_t)((row->rho[quad] & ~(1u << i)) | (uint32_t)(magnitude > 0) << i);
}

static uint32_t context_of(
    const struct j2k_ht_rounded *above, const struct j2k_ht_rounded *own, uint32_t quad, bool first)
{
    return ht_context(own->rho[quad - 1], above->rho + quad - 1, first);
}

/* Return the length of a code of u (T.814, Table 3). */
static uint32_t excess_length(uint32_t u)
{
    return u <= 2 ? u : u <= 4 ? 4 : 8;
}

static uint32_t kappa_of(const struct j2k_ht_rounded *above, const struct j2k_ht_rounded *own, uint32_t quad)
{
    const uint8_t *exponent = above->exponent + (size_t)4 * quad;
    const uint8_t around[4] = {exponent[-1], exponent[1], exponent[3], exponent[5]};
    const uint32_t rho = own->rho[quad], largest = ht_largest(around);
    return (rho & (rho - 1)) != 0 && largest > 2 ? largest - 1 : 1;
}

/* Return the bits of VLC and MagSgn of a quad with significant samples. */
static uint32_t code_length(
    const struct j2k_ht_rounded *above, const struct j2k_ht_rounded *own, uint32_t quad, bool first)
{
    const uint8_t *exponent = own->exponent + (size_t)4 * quad;
    const uint32_t kappa = first ? 1 : kappa_of(above, own, quad), largest = ht_largest(exponent), rho = own->rho[quad];
    const uint32_t bound = largest > kappa ? largest : kappa;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 4 && bound > kappa; i++)
        equal |= (uint32_t)(exponent[i] == bound) << i;
    const uint32_t code = codes[!first][context_of(above, own, quad, first) << 8 | rho << 4 | equal];
    return J2K_HT_CODE_LENGTH(code) + excess_length(bound - kappa) + (uint32_t)__builtin_popcount(rho) * bound -
           (uint32_t)__builtin_popcount(J2K_HT_CODE_KNOWN(code));
}

/* Return the length of a quad, in 2^-J2K_HT_FRACTION bits. An event of MEL counts as its share of a run. */
static uint32_t length_of(const struct rounding *rounding, const struct j2k_ht_rounded *above,
    const struct j2k_ht_rounded *own, uint32_t quad, bool first)
{
    const uint32_t context = context_of(above, own, quad, first), exponent = run_exponents[rounding->state];
    if (own->rho[quad] != 0)
        return ONE * ((context == 0 ? 1 + exponent : 0) + code_length(above, own, quad, first));
    return context == 0 ? (uint32_t)ONE >> exponent : ONE * J2K_HT_CODE_LENGTH(codes[!first][context << 8]);
}

/* Return the length of a quad and of all quads that depend on it. */
static uint32_t length_around(const struct rounding *rounding, uint32_t quad)
{
    const struct j2k_ht_rounded *above = rounding->above, *own = rounding->own, *below = rounding->below;
    const uint32_t from = quad > J2K_HT_AROUND ? quad - 1 : quad, to = quad + 1 < rounding->end ? quad + 2 : quad + 1;
    uint32_t length = 0;
    for (uint32_t i = quad; i < to; i++)
        length += length_of(rounding, above, own, i, rounding->first);
    for (uint32_t i = from; i < to && !rounding->last; i++)
        length += length_of(rounding, own, below, i, false);
    return length;
}

/*
 * List the samples that lie near a threshold. Magnitudes are in steps, squared errors in squares of steps, and 0 ≤ f
 * < 1. Index q ≥ 1 is decoded as q + 1/2, and index 0 as 0. If the magnitude q + f gets index q − 1 instead of q, its
 * squared error grows by 2 f, and by 3 f + 3/4 where q is 1. If the magnitude f gets index 1 instead of 0, it grows by
 * 9/4 − 3 f.
 */
static uint32_t list_others(const struct j2k_ht_encoder *encoder, const uint32_t sample[4], struct other_sample *other)
{
    const uint32_t plane = encoder->plane;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t magnitude = sample[i] & 0x7FFFFFFF, q = magnitude >> plane;
        const uint64_t half_steps = 2 * (uint64_t)(magnitude - (q << plane)) + 1;
        const int32_t fraction = (int32_t)((half_steps << J2K_HT_FRACTION) >> (plane + 1));
        if (q == 0 && fraction >= ONE - BELOW_FIRST)
            other[count++] = (struct other_sample){i, q, 1, (ONE * 9 / 4 - 3 * fraction) * ONE};
        else if (q == 1 && fraction < ABOVE_FIRST)
            other[count++] = (struct other_sample){i, q, 0, (3 * fraction + ONE * 3 / 4) * ONE};
        else if (q > 1 && fraction < ABOVE)
            other[count++] = (struct other_sample){i, q, q - 1, 2 * fraction * ONE};
    }
    return count;
}

/* Give a sample its own magnitude, or the nearest value that has its other one. */
static void settle_sample(
    struct j2k_ht_encoder *encoder, uint32_t x, uint32_t y, const struct other_sample *other, bool moved)
{
    const size_t at = (size_t)(y + other->index % 2) * encoder->width + x + other->index / 2;
    const uint32_t plane = encoder->plane, up = other->magnitude > other->own;
    const uint32_t magnitude = up ? other->magnitude << plane : (other->own << plane) - 1;
    encoder->sample[at] = moved ? (encoder->source[at] & 0x80000000) | magnitude : encoder->source[at];
}

/* Give some samples of a quad their other magnitudes. Returns the cost of the quad then. */
static int64_t try_quad(
    struct rounding *rounding, uint32_t quad, const struct other_sample *other, uint32_t count, uint32_t taken)
{
    int64_t error = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool moved = (taken >> i & 1) != 0;
        error += moved ? other[i].error : 0;
        set_sample(rounding->own, quad, other[i].index, moved ? other[i].magnitude : other[i].own);
    }
    return error * ONE + (int64_t)rounding->worth * length_around(rounding, quad);
}

/* Round the quad at x and y of the block. */
static void round_quad(struct rounding *rounding, uint32_t x, uint32_t y)
{
    struct j2k_ht_encoder *encoder = rounding->encoder;
    const uint32_t quad = J2K_HT_AROUND + x / 2;
    struct other_sample other[4];
    uint32_t sample[4], best = 0;
    ht_load_quad(encoder, encoder->source, x, y, sample);
    const uint32_t count = list_others(encoder, sample, other);
    if (count == 0)
        return;
    int64_t least = try_quad(rounding, quad, other, count, 0);
    for (uint32_t taken = 1; taken < 1u << count; taken++) {
        const int64_t cost = try_quad(rounding, quad, other, count, taken);
        best = cost < least ? taken : best;
        least = cost < least ? cost : least;
    }
    try_quad(rounding, quad, other, count, best);
    for (uint32_t i = 0; i < count; i++)
        settle_sample(encoder, x, y, &other[i], (best >> i & 1) != 0);
}

/* Update MEL's state behind a quad. */
static void count_event(struct rounding *rounding, uint32_t quad)
{
    uint32_t *state = &rounding->state;
    if (context_of(rounding->above, rounding->own, quad, rounding->first) != 0)
        return;
    const bool event = rounding->own->rho[quad] != 0;
    if (!event && ++rounding->run < UINT32_C(1) << run_exponents[*state])
        return;
    rounding->run = 0;
    *state = event ? *state - (*state > 0) : *state + (*state < J2K_HT_MEL_STATES - 1);
}

static void take_row(const struct j2k_ht_encoder *encoder, uint32_t y, struct j2k_ht_rounded *row)
{
    for (uint32_t x = 0; x < encoder->width; x += 2) {
        uint32_t sample[4];
        ht_load_quad(encoder, encoder->sample, x, y, sample);
        for (uint32_t i = 0; i < 4; i++)
            set_sample(row, J2K_HT_AROUND + x / 2, i, (sample[i] & 0x7FFFFFFF) >> encoder->plane);
    }
}

static void round_row(struct rounding *rounding, uint32_t y)
{
    rounding->first = y == 0;
    rounding->last = y + 2 >= rounding->encoder->height;
    if (!rounding->last)
        take_row(rounding->encoder, y + 2, rounding->below);
    for (uint32_t x = 0; x < rounding->encoder->width; x += 2) {
        round_quad(rounding, x, y);
        count_event(rounding, J2K_HT_AROUND + x / 2);
    }
}

/* Round all quads in order. Those behind a quad are not rounded yet. */
static void round_block(struct j2k_ht_encoder *encoder, uint32_t worth)
{
    struct j2k_ht_rounded *row = encoder->rounded;
    struct rounding rounding = {.encoder = encoder,
        .above = &row[0],
        .own = &row[1],
        .below = &row[2],
        .worth = worth,
        .end = J2K_HT_AROUND + (encoder->width + 1) / 2};
    memset(row, 0, sizeof encoder->rounded);
    take_row(encoder, 0, rounding.own);
    for (uint32_t y = 0; y < encoder->height; y += 2) {
        struct j2k_ht_rounded *above = rounding.above;
        round_row(&rounding, y);
        rounding.above = rounding.own;
        rounding.own = rounding.below;
        rounding.below = above;
    }
}

void kst_j2k_cpu_ht_round(struct j2k_ht_encoder *encoder, uint32_t worth)
{
    memcpy(encoder->source, encoder->sample, sizeof *encoder->source * encoder->width * encoder->height);
    round_block(encoder, worth);
}
