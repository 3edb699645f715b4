/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says how much an error in one coefficient counts in the picture: L2 norms of the synthesis basis functions (T.800
 * E.1, J.14.4). Rate control weighs distortion by them.
 */
#ifndef KOSTKA_J2K_PLAN_NORMS_H
#define KOSTKA_J2K_PLAN_NORMS_H

#include "j2k/plan/plan.h"

/*
 * Holds norms along one axis: low[d] is that of a low-pass coefficient after d levels (1 for d = 0), high[d] that of a
 * high-pass coefficient of level d ≥ 1.
 */
struct j2k_norms {
    double low[J2K_RESOLUTIONS], high[J2K_RESOLUTIONS];
};

void kst_j2k_norms(bool reversible, struct j2k_norms *norms);

/*
 * Return the norm of a subband's coefficient in both directions. `level` counts from the picture: it is N_L + 1 − r, or
 * N_L for the LL band.
 */
double kst_j2k_band_norm(const struct j2k_norms *norms, uint32_t orientation, uint32_t level);

/*
 * Return the norm of component 0, 1 or 2 in the inverse component transform: how much an error in that component adds
 * to the errors of all three output components. 1 for others.
 */
double kst_j2k_component_norm(enum j2k_transform transform, uint32_t component);

/*
 * An error e of Cb or Cr is least in the picture if Y has an error of -s e: kst_j2k_fed_share() returns s of component
 * 1 or 2 of the irreversible component transform, and kst_j2k_unfed_error() the share of the squared error that is left
 * then; 1 for other components and transforms.
 */
double kst_j2k_fed_share(uint32_t component);
double kst_j2k_unfed_error(enum j2k_transform transform, uint32_t component);

/* Set for each band of a plan the squared error of the picture that an error of 1 in one of its coefficients causes. */
void kst_j2k_band_weights(const struct j2k_plan *plan, double *weight);

#endif
