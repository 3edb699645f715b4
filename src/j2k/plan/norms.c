/* SPDX-License-Identifier: BSD-2-Clause */
/* The norms are computed by putting one coefficient of 1 through the inverse wavelet transform and summing squares. */
#include "j2k/plan/norms.h"

#include <math.h>
#include <string.h>

#include "j2k/tables/transforms.h"

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

void kst_j2k_norms(bool reversible, struct j2k_norms *norms)
{
    norms->low[0] = norms->high[0] = 1;
    follow(reversible, 0, norms->low);
    follow(reversible, 1, norms->high);
}

double kst_j2k_band_norm(const struct j2k_norms *norms, uint32_t orientation, uint32_t level)
{
    double across = orientation & J2K_HL ? norms->high[level] : norms->low[level];
    double down = orientation & J2K_LH ? norms->high[level] : norms->low[level];
    return across * down;
}

double kst_j2k_component_norm(enum j2k_transform transform, uint32_t component)
{
    /* The columns of the inverse matrices of G.2.2 and G.3.2, without rounding. */
    static const double rct[3][3] = {{1, 1, 1}, {-0.25, -0.25, 0.75}, {0.75, -0.25, -0.25}};
    static const double ict[3][3] = {
        {1, 1, 1}, {0, -J2K_ICT_GREEN_CB, J2K_ICT_BLUE_CB}, {J2K_ICT_RED_CR, -J2K_ICT_GREEN_CR, 0}};
    if (transform == J2K_TRANSFORM_NONE || component > 2)
        return 1;
    const double *column = transform == J2K_TRANSFORM_RCT ? rct[component] : ict[component];
    return sqrt(column[0] * column[0] + column[1] * column[1] + column[2] * column[2]);
}

void kst_j2k_band_weights(const struct j2k_plan *plan, double *weight)
{
    struct j2k_norms norms[2];
    kst_j2k_norms(false, &norms[0]);
    kst_j2k_norms(true, &norms[1]);
    for (uint32_t t = 0; t < plan->tile_component_count; t++) {
        const struct j2k_tile_component *tc = &plan->tile_component[t];
        const struct j2k_tile *tile = &plan->tile[t / plan->component_count];
        double component = kst_j2k_component_norm((enum j2k_transform)tile->transform, t % plan->component_count);
        for (uint32_t r = 0; r < tc->resolution_count; r++) {
            const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
            for (uint32_t b = resolution->first_band; b < resolution->first_band + resolution->band_count; b++) {
                uint32_t level = r == 0 ? tc->levels : tc->levels + 1U - r;
                double norm = component * kst_j2k_band_norm(&norms[tc->reversible], plan->band[b].orientation, level);
                weight[b] = norm * norm;
            }
        }
    }
}
