/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts samples of single precision to integers and back: q = round((x - offset) * scale), and x = q / scale +
 * offset in double precision, rounded to single precision, as numcodecs' FixedScaleOffset computes them.
 */
#include <math.h>
#include <string.h>

#include "volume/store.h"

enum { BITS_LEAST = 17 /* so that samples take four bytes */, BITS_MOST = 28, BITS_LOSSY = 20 };

float float_of(const struct store *store, int32_t value)
{
    return (float)((double)value / store->scale + store->offset);
}

bool floats_look(struct float_range *range, const uint8_t *samples, size_t count, size_t *wrong)
{
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, samples + 4 * i, sizeof value);
        if (!isfinite(value)) {
            *wrong = i;
            return false;
        }
        range->low = (double)value < range->low ? (double)value : range->low;
        range->high = (double)value > range->high ? (double)value : range->high;
    }
    return true;
}

/* Choose an offset: none, so that 0 stays 0, unless the middle of the range needs fewer bits. */
static void choose_offset(struct store *store, const struct float_range *range)
{
    const double most = fmax(fabs(range->low), fabs(range->high)), span = range->high - range->low;
    store->offset = most <= span ? 0 : (double)(float)(range->low + span / 2);
}

bool floats_plan(
    struct store *store, const struct float_range *range, double error, uint8_t *bits, struct problem *problem)
{
    choose_offset(store, range);
    const double most = fmax(fabs(range->low - store->offset), fabs(range->high - store->offset));
    /* The distance of values is a little less than 2E, which leaves room for rounding to single precision. */
    const double half = error > 0 ? error * (1 - 0x1p-10) : ldexp(most > 0 ? most : 1, -BITS_LOSSY);
    store->scale = 0.5 / half;
    const double greatest = most * store->scale + 1;
    store->scaled = true;
    if (!(greatest < ldexp(1, BITS_MOST - 1)) || !isfinite(store->scale) || store->scale <= 0)
        return problem_set(problem, "--error %g: samples from %g to %g then have more than %d bits", error, range->low,
            range->high, BITS_MOST);
    *bits = BITS_LEAST;
    while (greatest >= ldexp(1, *bits - 1))
        ++*bits;
    const float fill = float_of(store, 0);
    uint32_t word;
    memcpy(&word, &fill, sizeof word);
    store->fill = word;
    return true;
}

bool floats_quantise(const struct store *store, uint8_t *samples, size_t count, double error, size_t *wrong)
{
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, samples + 4 * i, sizeof value);
        const int32_t number = (int32_t)nearbyint(((double)value - store->offset) * store->scale);
        if (error > 0 && !(fabs((double)value - (double)float_of(store, number)) <= error)) {
            *wrong = i;
            return false;
        }
        memcpy(samples + 4 * i, &number, sizeof number);
    }
    return true;
}

void floats_show(uint8_t *samples, size_t count)
{
    struct float_range range = {INFINITY, -INFINITY};
    float value;
    for (size_t i = 0; i < count; i++) {
        memcpy(&value, samples + 4 * i, sizeof value);
        if (isfinite(value)) {
            range.low = fmin(range.low, (double)value);
            range.high = fmax(range.high, (double)value);
        }
    }
    const double span = range.high > range.low ? range.high - range.low : 1;
    for (size_t i = 0; i < count; i++) {
        memcpy(&value, samples + 4 * i, sizeof value);
        const double share = isfinite(value) ? ((double)value - range.low) / span : 0;
        const uint16_t grey = (uint16_t)(share * UINT16_MAX + 0.5);
        memcpy(samples + 2 * i, &grey, sizeof grey);
    }
}
