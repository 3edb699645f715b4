/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the CPU encodes what a struct jpeg_encoding describes, from a picture or from coefficients. */
#ifndef KOSTKA_JPEG_CPU_ENCODE_H
#define KOSTKA_JPEG_CPU_ENCODE_H

#include "core/operation.h"
#include "core/sink.h"
#include "jpeg/cpu/samples.h"
#include "jpeg/plan/coefficients.h"
#include "jpeg/plan/encoding.h"

/*
 * Write a whole file that holds the given coefficients. Those of padding blocks (beyond blocks_w and blocks_h) are not
 * read: such blocks are coded as libjpeg does, with no AC coefficients and the DC coefficient of the block before.
 * Returns KST_OK, a memory status, the sink's status or KST_ERROR_JPEG_COEFFICIENT.
 */
kst_status kst_jpeg_cpu_write_coefficients(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_coefficients *coefficients, struct sink *sink);

/*
 * Write a whole file that holds a picture, and report the stages unless there is no report. `sampler` was set up for
 * the encoding's frame.
 */
kst_status kst_jpeg_cpu_write_picture(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink);

struct jpeg_result;

/*
 * Write a whole file from a result whose MCU rows are made when they are needed. A decoder instead of a store suffices
 * for a sequential file of one scan; its damage is not reported. Returns as kst_jpeg_cpu_write_coefficients(), or
 * KST_ERROR_ROWS if the data of a decoder differ when they are decoded again, or KST_ERROR_WRITE if a store fails.
 */
kst_status kst_jpeg_cpu_write_result(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_result *result, struct sink *sink);

/* Return the most bytes of coefficients that are kept in memory as they are, rather than packed and set aside. */
uint64_t kst_jpeg_cpu_stored_most(const struct jpeg_encoding *encoding, const struct sink *sink);

#endif
