/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a codestream may ask for (kst_limits.work): a few bytes of headers describe any picture, but a picture that
 * somebody coded takes some bytes for its packets, however little there is in it. So whatever is asked for is bounded
 * by what any codestream may ask for, by what a picture of so many samples may, and by the codestream's length.
 */
#ifndef KOSTKA_J2K_SYNTAX_ALLOWANCE_H
#define KOSTKA_J2K_SYNTAX_ALLOWANCE_H

#include "j2k/syntax/stream.h"

enum j2k_asked {
    J2K_ASKED_SAMPLES,       /* of all components */
    J2K_ASKED_VISITS,        /* of samples by coding passes */
    J2K_ASKED_TURNS,         /* in the order of packets, that bring no packet */
    J2K_ASKED_PRECINCTS,     /* and as many resolutions of tiles */
    J2K_ASKED_CONTRIBUTIONS, /* of packets to segments of code-blocks */
    J2K_ASKED_BLOCKS,        /* to be transcoded */
    J2K_ASKED_LAYERS         /* times blocks to be transcoded */
};

/* How much of it the stream may ask for; UINT64_MAX where `work` is UINT32_MAX. */
uint64_t kst_j2k_allowance(const kst_limits *limits, enum j2k_asked what, const struct j2k_stream *stream);

/* The limits with fewer precincts and blocks, as far as the stream allows them. */
kst_limits kst_j2k_narrow(const kst_limits *limits, const struct j2k_stream *stream, bool transcoded);

/*
 * Visits that the samples of a component stand for: three passes of each bit plane, and two planes more, by which the
 * subbands' gains and a component transform exceed the depth on average.
 */
static inline uint64_t j2k_usual_visits(uint64_t samples, uint32_t depth)
{
    return samples * 3 * (depth + 2);
}

#endif
