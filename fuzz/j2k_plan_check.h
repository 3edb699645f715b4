/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a plan obeys what plan.h promises. */
#ifndef KOSTKA_FUZZ_J2K_PLAN_CHECK_H
#define KOSTKA_FUZZ_J2K_PLAN_CHECK_H

#include "j2k/plan/plan.h"

/* Return what is wrong with a plan; null if nothing is. */
const char *j2k_plan_problem(const struct j2k_plan *plan);

#endif
