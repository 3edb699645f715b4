/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares progressive Huffman coding (T.81 G.1.2). */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_ENCODE_H
#define KOSTKA_JPEG_CPU_ENTROPY_PROGRESSIVE_ENCODE_H

#include "jpeg/cpu/encode.h"
#include "jpeg/cpu/result.h"

/*
 * Describes where the coefficients come from: memory, a result with a store, or a picture. The latter two are read
 * twice for each scan, in any order.
 */
struct jpeg_progressive_source {
    const struct jpeg_coefficients *coefficients; /* null: `result` */
    const struct jpeg_result *result;             /* null: `sampler` */
    const struct jpeg_sampler *sampler;
    struct spill *spill; /* unless coefficients are in memory: where coded scans wait for those before them */
};

/*
 * Write all scans of a checked script, several at a time, each with Huffman tables made for it. Returns KST_OK, a
 * memory status, the sink's status, KST_ERROR_JPEG_COEFFICIENT, or KST_ERROR_ROWS if rows of the picture cannot be
 * fetched, or differ when they are fetched again.
 */
kst_status kst_jpeg_cpu_progressive_encode(const struct operation *op, const struct jpeg_dsp *dsp,
    const struct jpeg_encoding *encoding, const kst_scan *script, size_t script_length,
    const struct jpeg_progressive_source *source, struct sink *sink);

#endif
