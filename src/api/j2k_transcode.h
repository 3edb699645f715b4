/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcoding of JPEG 2000. */
#ifndef KOSTKA_API_J2K_TRANSCODE_H
#define KOSTKA_API_J2K_TRANSCODE_H

#include "core/context.h"

/* As kst_transcode() with a stream that kst_j2k_recognised(); `options` and `report` are there. */
kst_status kst_j2k_transcode(kst_context *context, struct memory *memory, const uint8_t *data, size_t length,
    const kst_transcode_options *options, kst_buffer *output, kst_report *report);

#endif
