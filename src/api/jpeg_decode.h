/* SPDX-License-Identifier: BSD-2-Clause */
/* Carrying out a plan where the context's device is, as far as that can. */
#ifndef KOSTKA_API_JPEG_DECODE_H
#define KOSTKA_API_JPEG_DECODE_H

#include "core/context.h"
#include "jpeg/plan.h"

/*
 * As kst_jpeg_cpu_decode(), on the context's device. What that does not support is done on the CPU; the report says
 * which stages ran where. KST_ERROR_DEVICE_FAILED beside that function's errors.
 */
kst_status kst_jpeg_decode(struct kst_context *context, struct memory *memory, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image, kst_report *report);

#endif
