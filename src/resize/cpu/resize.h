/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out a plan of resizing on threads. */
#ifndef KOSTKA_RESIZE_CPU_RESIZE_H
#define KOSTKA_RESIZE_CPU_RESIZE_H

#include "core/operation.h"
#include "resize/plan.h"

/*
 * Resize all planes. The weights of the plan are reordered, so that it can be used only once. KST_ERROR_MEMORY,
 * KST_ERROR_LIMIT_MEMORY.
 */
kst_status kst_resize_run(
    const struct operation *operation, struct resize_plan *plan, const kst_image *from, const kst_image *to);

#endif
