/* SPDX-License-Identifier: BSD-2-Clause */
/* How much an error in a coefficient counts in the picture: L2 norms of the synthesis (T.800 E.1, J.14.4). */
#ifndef KOSTKA_J2K_PLAN_NORMS_H
#define KOSTKA_J2K_PLAN_NORMS_H

#include "j2k/plan/plan.h"

/* Along one axis: of a low-pass coefficient after d levels (1 for d = 0), and of a high-pass one of level d ≥ 1. */
struct j2k_norms {
    double low[J2K_RESOLUTIONS], high[J2K_RESOLUTIONS];
};

void kst_j2k_norms(bool reversible, struct j2k_norms *norms);

/* Of a subband's coefficient; `level` counts from the picture: N_L + 1 − r, or N_L for the LL band. */
double kst_j2k_band_norm(const struct j2k_norms *norms, uint32_t orientation, uint32_t level);

/* Of each band of a plan: the squared error of the picture for one of its coefficients. */
void kst_j2k_band_weights(const struct j2k_plan *plan, double *weight);

#endif
