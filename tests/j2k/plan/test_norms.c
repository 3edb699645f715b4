/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of norms against norms that are computed by putting one coefficient of 1 through the inverse wavelet
 * transform and summing squares.
 */
#include <math.h>
#include <string.h>

#include "j2k/plan/norms.h"
#include "j2k/tables/transforms.h"
#include "support/test.h"

/*
 * A basis function is the outcome of one coefficient of 1 after some levels of the inverse transform without rounding.
 * It doubles in length with each level, and its shape hardly changes after a few levels; from then on its norm grows by
 * √2 per level. So only EXACT_LEVELS levels are computed. The coefficient is at MARGIN, and five positions more differ
 * from 0 at either end after a level, so that the function ends in front of REACH << level, and all from there on is 0.
 */
enum { EXACT_LEVELS = 6, MARGIN = 8, REACH = 16, LENGTH = REACH << EXACT_LEVELS };

/*
 * One lifting step: value[i] += factor × (value[i − 1] + value[i + 1]) at every other position from `first` on, of
 * `length` positions.
 */
static void lift(double *value, uint32_t length, uint32_t first, double factor)
{
    for (uint32_t i = first; i + 1 < length; i += 2)
        value[i] += factor * (value[i - 1] + value[i + 1]);
}

/*
 * One level of the inverse transform (F.3.8) without rounding, to `length` positions: spread the coefficients of
 * `value` over the even positions, as low-pass ones (`odd` 0), or over the odd positions, as high-pass ones (`odd` 1),
 * then undo the lifting steps.
 */
static void synthesise(double *value, uint32_t length, bool reversible, uint32_t odd)
{
    double half[LENGTH / 2];
    memcpy(half, value, length / 2 * sizeof *half);
    memset(value, 0, length * sizeof *value);
    for (uint32_t i = 0; i < length / 2; i++)
        value[2 * i + odd] = half[i];
    if (reversible) {
        lift(value, length, 2, -0.25);
        lift(value, length, 1, 0.5);
        return;
    }
    for (uint32_t i = 0; i < length; i++)
        value[i] *= i % 2 == 0 ? J2K_K : 1 / J2K_K;
    lift(value, length, 2, -J2K_DELTA);
    lift(value, length, 1, -J2K_GAMMA);
    lift(value, length, 2, J2K_BETA);
    lift(value, length, 1, J2K_ALPHA);
}

static double norm_of(const double *value, uint32_t length)
{
    double sum = 0;
    for (uint32_t i = 0; i < length; i++)
        sum += value[i] * value[i];
    return sqrt(sum);
}

/*
 * Compute the norms, for each number of levels, of a coefficient that passes its first level as a low-pass (`odd` 0) or
 * high-pass (`odd` 1) coefficient and all further levels as a low-pass one.
 */
static void follow(bool reversible, uint32_t odd, double norm[J2K_RESOLUTIONS])
{
    double value[LENGTH] = {0};
    value[MARGIN] = 1;
    for (uint32_t level = 1; level < J2K_RESOLUTIONS; level++) {
        if (level > EXACT_LEVELS) {
            norm[level] = norm[level - 1] * sqrt(2);
            continue;
        }
        const uint32_t length = (uint32_t)REACH << level;
        synthesise(value, length, reversible, level == 1 ? odd : 0);
        norm[level] = norm_of(value, length);
    }
}

static void test_norms(void **state)
{
    (void)state;
    for (uint32_t reversible = 0; reversible < 2; reversible++) {
        struct j2k_norms found;
        double low[J2K_RESOLUTIONS] = {1}, high[J2K_RESOLUTIONS] = {1};
        kst_j2k_norms(reversible, &found);
        follow(reversible, 0, low);
        follow(reversible, 1, high);
        for (uint32_t level = 0; level < J2K_RESOLUTIONS; level++) {
            assert_true(fabs(found.low[level] - low[level]) <= 1e-14 * low[level]);
            assert_true(fabs(found.high[level] - high[level]) <= 1e-14 * high[level]);
        }
    }
}

/* What is left of an error of Cb or Cr in red, green and blue grows with any other error of Y. */
static void test_feeding(void **state)
{
    static const double column[3][3] = {{1, 1, 1}, {0, -0.34413, 1.772}, {1.402, -0.71414, 0}};
    (void)state;
    for (uint32_t c = 1; c < 3; c++) {
        const double norm = kst_j2k_component_norm(J2K_TRANSFORM_ICT, c);
        const double least = kst_j2k_unfed_error(J2K_TRANSFORM_ICT, c) * norm * norm;
        for (int32_t i = -20; i <= 20; i++) {
            const double luminance = 0.01 * i - kst_j2k_fed_share(c);
            double error = 0;
            for (uint32_t k = 0; k < 3; k++)
                error += (column[c][k] + luminance) * (column[c][k] + luminance);
            assert_true(i == 0 ? fabs(error - least) < 1e-12 : error > least);
        }
    }
    assert_true(kst_j2k_unfed_error(J2K_TRANSFORM_ICT, 0) == 1 && kst_j2k_unfed_error(J2K_TRANSFORM_ICT, 3) == 1);
    assert_true(kst_j2k_unfed_error(J2K_TRANSFORM_RCT, 1) == 1 && kst_j2k_unfed_error(J2K_TRANSFORM_NONE, 2) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_norms), cmocka_unit_test(test_feeding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
