/* SPDX-License-Identifier: BSD-2-Clause */
/* One stream on several contexts, whole and in parts: the result must be the same. */
#ifndef KOSTKA_FUZZ_COMPARED_H
#define KOSTKA_FUZZ_COMPARED_H

#include "fuzz.h"

/* Find the first OpenCL device, if there is one, and have its kernels compiled, which may take long. */
void compared_start(void);

/* Plain C on one thread, the best tier on three, and on the device where that is asked for and there is one. */
void compared_decode(const uint8_t *data, size_t length, const kst_decode_options *options, bool on_device);

/* The picture in strips of so many rows, and a part of it, by one decoder each, against the whole. */
void compared_strips(const uint8_t *data, size_t length, const kst_decode_options *options, uint32_t rows);

/* Transcoded on one thread and on three. Returns what a decoder makes of the output; KST_OK where there is none. */
kst_status compared_transcode(const uint8_t *data, size_t length, const kst_transcode_options *options);

#endif
