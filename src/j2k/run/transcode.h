/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the transcoding of JPEG 2000. */
#ifndef KOSTKA_J2K_RUN_TRANSCODE_H
#define KOSTKA_J2K_RUN_TRANSCODE_H

#include "core/operation.h"
#include "core/sink.h"

/*
 * This does the work of kst_transcode() for a stream that kst_j2k_recognised() took, and writes to a sink. `options` is
 * not null. If a rate is asked for, no writer is called before the file is known to keep it.
 */
kst_status kst_j2k_run_transcode(const struct operation *op, const uint8_t *data, size_t length,
    const kst_transcode_options *options, struct sink *sink);

#endif
