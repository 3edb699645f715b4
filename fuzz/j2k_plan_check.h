/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a plan keeps what plan.h promises. */
#ifndef KOSTKA_FUZZ_J2K_PLAN_CHECK_H
#define KOSTKA_FUZZ_J2K_PLAN_CHECK_H

#include "j2k/plan/plan.h"

/* What is wrong with it; null: nothing. */
const char *j2k_plan_problem(const struct j2k_plan *plan);

#endif
