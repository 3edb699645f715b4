/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes a code-block according to T.814, and measures what its passes gain. */
#include "j2k/cpu/blocks/ht_encode.h"

#include <math.h>
#include <string.h>

_Static_assert(offsetof(struct j2k_ht_encoder, sample) == 0, "scratch memory begins with the samples");

static uint32_t bit_count(uint32_t value)
{
    return value != 0 ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

/*
 * Says how errors are measured: in half steps, of which the lowest `shift` bits are left out so that sums fit 64 bits.
 */
struct errors {
    uint32_t shift;
    bool exact;
};

/* Holds a magnitude before and after rounding, and what the cleanup and the SigProp pass know of its sample. */
struct known_sample {
    uint32_t source, magnitude, known;
};

/*
 * Return the error of a magnitude that is known down to a plane, where it is decoded as the middle of its interval; 0
 * is decoded as 0. `plane` 31: nothing is known.
 */
static uint64_t square_of(const struct errors *errors, const struct known_sample *sample, uint32_t plane)
{
    const uint32_t magnitude = sample->magnitude;
    const uint64_t steps = 2 * (uint64_t)sample->source + !errors->exact;
    const uint64_t known = (uint64_t)(magnitude >> plane) << plane;
    const uint64_t middle = known == 0                    ? 0
                            : plane == 0 && errors->exact ? 2 * known
                                                          : 2 * known + (UINT64_C(1) << plane);
    const uint64_t left = (steps > middle ? steps - middle : middle - steps) >> errors->shift;
    return left * left;
}

/* Holds the sums of squares before the cleanup pass and after each pass. */
struct error_sums {
    uint64_t after[J2K_HT_SET + 1];
};

enum { SIGNIFICANT = 1, COARSE = 2 };

static void add_sample(const struct j2k_ht_encoder *encoder, const struct errors *errors,
    const struct known_sample *sample, struct error_sums *sums)
{
    const uint32_t plane = encoder->plane, known = sample->known;
    const uint64_t coarse = square_of(errors, sample, plane);
    sums->after[0] += square_of(errors, sample, 31);
    sums->after[1] += coarse;
    if (encoder->passes < 2 || plane == 0)
        return;
    const uint64_t fine = square_of(errors, sample, plane - 1);
    const bool spread = (known & (SIGNIFICANT | COARSE)) == SIGNIFICANT;
    sums->after[2] += spread ? fine : coarse;
    sums->after[3] += (known & SIGNIFICANT) != 0 ? fine : coarse;
}

static void measure(struct j2k_ht_encoder *encoder, const struct errors *errors, const uint32_t *source, double *left)
{
    const uint32_t *coded = encoder->sample;
    struct error_sums sums = {{0}};
    const double unit = (double)(UINT64_C(1) << errors->shift);
    for (uint32_t y = 0; y < encoder->height; y++) {
        const uint8_t *known = encoder->known + (y + 1) * (size_t)(encoder->width + 2) + 1;
        for (uint32_t x = 0; x < encoder->width; x++, source++, coded++) {
            const struct known_sample sample = {
                *source & 0x7FFFFFFF, *coded & 0x7FFFFFFF, encoder->passes > 1 ? known[x] : 0};
            if (sample.source != 0)
                add_sample(encoder, errors, &sample, &sums);
        }
    }
    for (uint32_t i = 0; i < encoder->passes; i++)
        encoder->pass[i].gain = (double)(int64_t)(sums.after[i] - sums.after[i + 1]) * (unit * unit);
    *left = (double)sums.after[encoder->passes] * (unit * unit);
}

static void code(struct j2k_ht_encoder *encoder, enum cpu_tier tier, const struct j2k_block_settings *settings)
{
    kst_j2k_cpu_ht_coding(tier)->cleanup(encoder);
    encoder->length = encoder->pass[0].length = kst_j2k_cpu_ht_join(encoder);
    encoder->passes = 1;
    if (settings->refinements == 0 || encoder->plane == 0)
        return;
    kst_j2k_cpu_ht_refine(encoder, settings->refinements);
    encoder->passes += settings->refinements;
}

/*
 * Return what a bit is worth in squares of 2^-J2K_HT_FRACTION of the plane's step. The result is at most 2^20, which
 * has the same effect as larger numbers.
 */
static uint32_t worth_of(const struct j2k_block_settings *settings)
{
    const double most = 1 << 20, plane = (double)settings->plane;
    return (uint32_t)fmin(settings->worth * exp2(2 * (J2K_HT_FRACTION - plane)), most);
}

static uint32_t count_planes(const struct j2k_ht_encoder *encoder, enum cpu_tier tier)
{
    const uint32_t any = kst_j2k_cpu_ht_coding(tier)->any(encoder->sample, encoder->width * encoder->height);
    return bit_count(any & 0x7FFFFFFF);
}

void kst_j2k_cpu_ht_encode(struct j2k_block_scratch *scratch, enum cpu_tier tier,
    const struct j2k_block_settings *settings, struct j2k_block_outcome *outcome)
{
    struct j2k_ht_encoder *encoder = (struct j2k_ht_encoder *)(void *)scratch;
    const size_t bytes = sizeof *encoder->sample * settings->width * settings->height;
    encoder->width = settings->width;
    encoder->height = settings->height;
    encoder->style = settings->style;
    encoder->plane = settings->plane;
    encoder->passes = encoder->length = 0;
    const uint32_t planes = settings->planes > 0 ? settings->planes : count_planes(encoder, tier);
    const bool rounds = settings->worth > 0 && planes >= encoder->plane;
    if (rounds)
        kst_j2k_cpu_ht_round(encoder, worth_of(settings));
    const uint32_t most = rounds ? count_planes(encoder, tier) : planes;
    const struct errors errors = {
        .shift = planes + 1 > J2K_LEFT_BITS ? planes + 1 - J2K_LEFT_BITS : 0, .exact = settings->exact};
    double left = 0;
    if (most > encoder->plane)
        code(encoder, tier, settings);
    if (settings->measure)
        measure(encoder, &errors, rounds ? encoder->source : encoder->sample, &left);
    if (settings->coded)
        memcpy(settings->coded, encoder->sample, bytes);
    if (rounds)
        memcpy(encoder->sample, encoder->source, bytes);
    *outcome = (struct j2k_block_outcome){.planes = most > planes ? most : planes,
        .top = encoder->passes > 0 ? encoder->plane + 1 : planes,
        .passes = encoder->passes,
        .pass = encoder->pass,
        .data = encoder->data,
        .length = encoder->length,
        .left = settings->sum ? left : 0};
}

uint32_t kst_j2k_cpu_ht_count(
    struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_block_settings *settings)
{
    struct j2k_ht_encoder *encoder = (struct j2k_ht_encoder *)(void *)scratch;
    encoder->width = settings->width;
    encoder->height = settings->height;
    encoder->plane = 0;
    if (settings->planes == 0 && count_planes(encoder, tier) == 0)
        return 0;
    return kst_j2k_cpu_ht_coding(tier)->count(encoder);
}

bool kst_j2k_cpu_ht_count_reals(struct j2k_block_scratch *scratch, enum cpu_tier tier, const struct j2k_ht_reals *reals,
    float *largest, uint32_t *bits)
{
    const float most = 1 << 24; /* below it quotients, also less 1, are exact but for the fraction */
    const struct j2k_ht_coding *coding = kst_j2k_cpu_ht_coding(tier);
    uint32_t counted;
    if (!coding->count_reals)
        return false;
    counted = coding->count_reals((struct j2k_ht_encoder *)(void *)scratch, reals, largest);
    if (!(*largest * reals->factor < most))
        return false;
    *bits = counted;
    return true;
}
