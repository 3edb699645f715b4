/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a codestream may ask for, by its length (kst_limits.work): a few bytes of headers describe any picture, but a
 * picture that somebody coded takes some bytes for its packets, however little there is in it.
 */
#ifndef KOSTKA_J2K_ALLOWANCE_H
#define KOSTKA_J2K_ALLOWANCE_H

#include "j2k/stream.h"

/* These may be asked for by a stream of any length. */
#define J2K_FREE_SAMPLES (UINT64_C(1) << 27)   /* of all components */
#define J2K_FREE_VISITS (UINT64_C(1) << 32)    /* samples times coding passes */
#define J2K_FREE_TURNS (UINT64_C(1) << 28)     /* in the order of packets, that bring no packet */
#define J2K_FREE_PRECINCTS (UINT64_C(1) << 18) /* or resolutions of tiles */
#define J2K_FREE_BLOCKS (UINT64_C(1) << 20)    /* to be transcoded */
#define J2K_FREE_PASSES (UINT64_C(1) << 27)    /* layers times blocks to be transcoded */

/* Parts of `work` that a byte allows beyond that: 1 of samples and visits. */
enum { J2K_WORK_TURNS = 256, J2K_WORK_PRECINCTS = 65536, J2K_WORK_BLOCKS = 64 };

/* `allowed` and work ÷ divisor for each byte of the codestream; no limit where `work` is UINT32_MAX. */
uint64_t kst_j2k_allowance(
    const kst_limits *limits, uint64_t allowed, uint32_t divisor, const struct j2k_stream *stream);

/* The limits with fewer precincts and blocks, as far as the stream's length allows them. */
kst_limits kst_j2k_narrow(const kst_limits *limits, const struct j2k_stream *stream, bool transcoded);

#endif
