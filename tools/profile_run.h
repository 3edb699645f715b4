/* SPDX-License-Identifier: BSD-2-Clause */
/* Running work again and again with a record of the device's steps. */
#ifndef KOSTKA_TOOL_PROFILE_RUN_H
#define KOSTKA_TOOL_PROFILE_RUN_H

#include "profile.h"

/* The work of one run. `report` receives the first picture's. */
typedef bool (*profile_work)(void *user, kst_report *report, struct problem *problem);

/* Fill in all but what the profile is of. The step list is the caller's to free, whatever the result. */
bool profile_measure(
    kst_context *context, profile_work work, void *user, struct profile *profile, struct problem *problem);

#endif
