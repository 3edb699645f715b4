/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoding of all scans of a picture, sequential or progressive, to coefficients. */
#ifndef KOSTKA_JPEG_CPU_COEFFICIENTS_H
#define KOSTKA_JPEG_CPU_COEFFICIENTS_H

#include "core/operation.h"
#include "jpeg/plan/coefficients.h"
#include "jpeg/plan/plan.h"

/*
 * Create the coefficients and fill them from every scan of the plan, on the operation's threads. Damage is counted in
 * the report; with `strict` the first warning is an error. On failure nothing is left allocated.
 */
kst_status kst_jpeg_cpu_decode_coefficients(
    const struct operation *op, const struct jpeg_plan *plan, bool strict, struct jpeg_coefficients *coefficients);

#endif
