/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding where the context's device is, as far as that can. */
#ifndef KOSTKA_API_JPEG_ENCODE_H
#define KOSTKA_API_JPEG_ENCODE_H

#include "core/context.h"
#include "cpu/jpeg_encode.h"

/*
 * As kst_jpeg_write_picture(), on the context's device. What that does not support is done on the CPU; the report says
 * which stages ran where. KST_ERROR_DEVICE_FAILED beside that function's errors.
 */
kst_status kst_jpeg_encode(struct kst_context *context, struct memory *memory, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink, kst_report *report);

#endif
