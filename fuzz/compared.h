/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes one stream on several contexts, whole and in parts, and checks that the results are the same. */
#ifndef KOSTKA_FUZZ_COMPARED_H
#define KOSTKA_FUZZ_COMPARED_H

#include "fuzz.h"

/* Find the first OpenCL device, if there is one, and compile its kernels, which may take long. */
void compared_start(void);

/*
 * Decode with plain C on one thread, with the best tier on three and, if `on_device` is true and there is a device, on
 * it, and compare the results.
 */
void compared_decode(const uint8_t *data, size_t length, const kst_decode_options *options, bool on_device);

/*
 * Decode the picture in strips of `rows` rows, and then a part of it, with one decoder each, and compare with the
 * whole.
 */
void compared_strips(const uint8_t *data, size_t length, const kst_decode_options *options, uint32_t rows);

/*
 * Transcode on the device, if there is one and code-blocks are coded anew, and compare with the CPU's output and
 * report.
 */
void compared_transcode_on_device(const uint8_t *data, size_t length, const kst_transcode_options *options,
    const kst_buffer *wanted, const kst_report *report);

/*
 * Transcode on one thread, on three, and on the device as above, and compare the results. Returns the status of
 * decoding the output; KST_OK if there is no output.
 */
kst_status compared_transcode(const uint8_t *data, size_t length, const kst_transcode_options *options);

#endif
