/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out a plan of resizing on threads. */
#ifndef KOSTKA_RESIZE_CPU_RESIZE_H
#define KOSTKA_RESIZE_CPU_RESIZE_H

#include "core/operation.h"
#include "resize/plan.h"

/*
 * Resize all planes. Weights of the plan are brought into another order, so that it serves once. KST_ERROR_MEMORY,
 * KST_ERROR_LIMIT_MEMORY.
 */
kst_status kst_resize_run(
    const struct operation *operation, struct resize_plan *plan, const kst_image *from, const kst_image *to);

#endif
