/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeats work, and records the device's steps. */
#ifndef KOSTKA_TOOL_PROFILE_RUN_H
#define KOSTKA_TOOL_PROFILE_RUN_H

#include "profile/profile.h"

/* Does the work of one run. `report` receives the first picture's report. */
typedef bool (*profile_work)(void *user, kst_report *report, struct problem *problem);

/* Measure everything in the profile except its description. The caller frees the list of steps, whatever the result. */
bool profile_measure(
    kst_context *context, profile_work work, void *user, struct profile *profile, struct problem *problem);

#endif
