/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how much work a codestream may ask for (kst_limits.work). A few bytes of headers can describe a picture of
 * any size, but a real picture takes some bytes for its packets, however little it shows. So each kind of the decoder's
 * work is bounded by a constant that any codestream may ask for, by the number of the picture's samples, and by the
 * length of the codestream.
 */
#ifndef KOSTKA_J2K_SYNTAX_ALLOWANCE_H
#define KOSTKA_J2K_SYNTAX_ALLOWANCE_H

#include "j2k/syntax/stream.h"

enum j2k_asked {
    J2K_ASKED_SAMPLES,       /* samples of all components */
    J2K_ASKED_VISITS,        /* visits of samples by coding passes */
    J2K_ASKED_TURNS,         /* steps through the progression order that yield no packet */
    J2K_ASKED_PRECINCTS,     /* precincts; and likewise resolutions of tiles */
    J2K_ASKED_CONTRIBUTIONS, /* contributions of packets to segments of code-blocks */
    J2K_ASKED_BLOCKS,        /* code-blocks to be transcoded */
    J2K_ASKED_LAYERS         /* layers times code-blocks to be transcoded */
};

/* Return how much work of kind `what` the stream may ask for. UINT64_MAX if kst_limits.work is UINT32_MAX. */
uint64_t kst_j2k_allowance(const kst_limits *limits, enum j2k_asked what, const struct j2k_stream *stream);

/* Return the limits, with those on precincts and, for transcoding, on blocks reduced to what the stream may ask for. */
kst_limits kst_j2k_narrow(const kst_limits *limits, const struct j2k_stream *stream, bool transcoded);

/*
 * Return how many visits by coding passes the samples of a component usually take: three passes for each bit-plane,
 * with two planes in addition to the depth, which the gains of subbands and a component transform add on average.
 */
static inline uint64_t j2k_usual_visits(uint64_t samples, uint32_t depth)
{
    return samples * 3 * (depth + 2);
}

#endif
