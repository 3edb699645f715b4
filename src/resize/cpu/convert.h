/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes an image and converts the result of the passes to planes or to floating-point numbers. */
#ifndef KOSTKA_RESIZE_CPU_CONVERT_H
#define KOSTKA_RESIZE_CPU_CONVERT_H

#include "core/operation.h"
#include "image/normalise.h"
#include "resize/plan.h"

/*
 * Carry out a plan as kst_resize_run() does, for any image that kst_resize_target() describes. `normal` is null where
 * the result has integers.
 */
kst_status kst_resize_run_to(const struct operation *operation, struct resize_plan *plan, const kst_image *from,
    const struct normal *normal, const kst_image *to);

#endif
