/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns code-blocks of T.800 into those of T.814, and back, for transcoding. */
#ifndef KOSTKA_J2K_CPU_RECODE_BLOCKS_H
#define KOSTKA_J2K_CPU_RECODE_BLOCKS_H

#include "core/operation.h"
#include "j2k/write/recode.h"

/*
 * Decode each code-block that has another coder than its new style to quantiser indices, and code these with the new
 * coder, down to the last pass that could be decoded. Passes of both coders with the same number code the same samples
 * of the same plane, so that all indices stay. A block of T.814 has one set. Passes without bytes precede the set only
 * if a layer ends among them, because few decoders read such passes. A block of T.800 begins with the plane of its
 * largest magnitude. A layer has the passes that it had; in blocks of T.814 their bytes are all in the layers that the
 * set belongs to.
 *
 * `recoded` must have origins; its blocks, pass_length, layer_passes and `bytes` change. A damaged block is counted as
 * KST_WARNING_J2K_BLOCK and keeps what could be decoded. Fails with KST_ERROR_LIMIT_WORK if passes visit more samples
 * than the stream may ask for, and with KST_ERROR_OPTIONS if a block has more than 31 bit-planes, including those by
 * which a region of interest is moved up.
 */
kst_status kst_j2k_cpu_recode_blocks(
    const struct operation *op, const struct j2k_stream *stream, struct j2k_recoded *recoded);

#endif
