/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what a codestream claims that decoders must support (T.800 A.5 and A.10, T.814 A.2 to A.6): whether its marker
 * segments and its code-blocks keep to Rsiz, CAP, CPF and PRF. profile.h checks the profile that Rsiz names.
 */
#ifndef KOSTKA_J2K_WRITE_CLAIMS_H
#define KOSTKA_J2K_WRITE_CLAIMS_H

#include "core/operation.h"
#include "j2k/syntax/stream.h"

/*
 * A function that is called for each claim that does not hold. `breach` describes the claim and what the stream has
 * instead, which is at `offset`.
 */
typedef void (*j2k_claim_teller)(void *argument, uint64_t offset, const char *breach);

/*
 * Check all claims of a stream whose tile-part headers have been read. For a claim that is broken several times, the
 * first place counts. Packet headers are read only if T.814 is claimed or used, and no code-block is decoded: the
 * magnitude bound is compared with the number of bits that a cleanup pass has room for. For the irreversible transform,
 * whose coefficients grow with the level, a bit for each level is allowed in addition. Tiles that are damaged are left
 * out. Fails if packet headers ask for more memory or work than the limits allow, which is reported.
 */
kst_status kst_j2k_claims_check(
    const struct operation *op, const struct j2k_stream *stream, j2k_claim_teller tell, void *argument);

#endif
