/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the norms of the first levels as a table, which tests/j2k/plan/test_norms.c computes anew. */
#include "j2k/plan/norms.h"

#include <math.h>

#include "j2k/tables/transforms.h"

/*
 * A basis function is the outcome of one coefficient of 1 after some levels of the inverse transform without rounding.
 * Its shape hardly changes after a few levels; from then on its norm grows by √2 per level.
 */
enum { EXACT_LEVELS = 6 };

/*
 * Norms of the 9/7 filter, then of the 5/3 filter, for each number of levels. The coefficient is a low-pass one of its
 * first level or, in the second line, a high-pass one; it passes all further levels as a low-pass coefficient.
 */
static const double exact[2][2][EXACT_LEVELS + 1] = {
    {{0x1p+0, 0x1.66f08f96b6753p+0, 0x1.03e339984b8a2p+1, 0x1.73594b6dcc51ep+1, 0x1.0760d51246024p+2,
         0x1.74c4c936c67b6p+2, 0x1.07a3ebdfd2b59p+3},
        {0x1p+0, 0x1.71492c037ad87p-1, 0x1.f7898cff86114p-1, 0x1.712472b7d72adp+0, 0x1.0970fb3f1d51fp+1,
            0x1.7941f109b342bp+1, 0x1.0b1c16f6421d8p+2}},
    {{0x1p+0, 0x1.3988e1409212ep+0, 0x1.a887293fd6f34p+0, 0x1.28c17b9337834p+1, 0x1.a2744ce9674f5p+1,
         0x1.27aced6c84c3ep+2, 0x1.a2125f230e9c7p+2},
        {0x1p+0, 0x1.b211b1c70d023p-1, 0x1.eb97e455b9edbp-1, 0x1.42641cf569572p+0, 0x1.be91b364d187ap+0,
            0x1.3a187472f04c1p+1, 0x1.bb9a7a28aebd4p+1}},
};

static void fill(const double from[EXACT_LEVELS + 1], double norm[J2K_RESOLUTIONS])
{
    for (uint32_t level = 0; level < J2K_RESOLUTIONS; level++)
        norm[level] = level > EXACT_LEVELS ? norm[level - 1] * sqrt(2) : from[level];
}

void kst_j2k_norms(bool reversible, struct j2k_norms *norms)
{
    fill(exact[reversible][0], norms->low);
    fill(exact[reversible][1], norms->high);
}

double kst_j2k_band_norm(const struct j2k_norms *norms, uint32_t orientation, uint32_t level)
{
    double across = orientation & J2K_HL ? norms->high[level] : norms->low[level];
    double down = orientation & J2K_LH ? norms->high[level] : norms->low[level];
    return across * down;
}

/* The columns of the inverse matrices of G.2.2 and G.3.2, without rounding. */
static const double rct[3][3] = {{1, 1, 1}, {-0.25, -0.25, 0.75}, {0.75, -0.25, -0.25}};
static const double ict[3][3] = {
    {1, 1, 1}, {0, -J2K_ICT_GREEN_CB, J2K_ICT_BLUE_CB}, {J2K_ICT_RED_CR, -J2K_ICT_GREEN_CR, 0}};

double kst_j2k_component_norm(enum j2k_transform transform, uint32_t component)
{
    if (transform == J2K_TRANSFORM_NONE || component > 2)
        return 1;
    const double *column = transform == J2K_TRANSFORM_RCT ? rct[component] : ict[component];
    return sqrt(column[0] * column[0] + column[1] * column[1] + column[2] * column[2]);
}

double kst_j2k_fed_share(uint32_t component)
{
    const double *column = ict[component];
    return (column[0] + column[1] + column[2]) / 3;
}

double kst_j2k_unfed_error(enum j2k_transform transform, uint32_t component)
{
    if (transform != J2K_TRANSFORM_ICT || component == 0 || component > 2)
        return 1;
    const double norm = kst_j2k_component_norm(transform, component), share = kst_j2k_fed_share(component);
    return 1 - 3 * share * share / (norm * norm);
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
