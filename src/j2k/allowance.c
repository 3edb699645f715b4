/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k/allowance.h"

uint64_t kst_j2k_allowance(
    const kst_limits *limits, uint64_t allowed, uint32_t divisor, const struct j2k_stream *stream)
{
    uint64_t more;
    if (limits->work == UINT32_MAX ||
        __builtin_mul_overflow(limits->work / divisor, stream->end - stream->start, &more) ||
        __builtin_add_overflow(allowed, more, &allowed))
        return UINT64_MAX;
    return allowed;
}

static uint32_t narrower(uint32_t limit, uint64_t allowed)
{
    return limit < allowed ? limit : (uint32_t)allowed;
}

kst_limits kst_j2k_narrow(const kst_limits *limits, const struct j2k_stream *stream, bool transcoded)
{
    kst_limits narrow = *limits;
    narrow.precincts =
        narrower(limits->precincts, kst_j2k_allowance(limits, J2K_FREE_PRECINCTS, J2K_WORK_PRECINCTS, stream));
    if (transcoded)
        narrow.blocks = narrower(limits->blocks, kst_j2k_allowance(limits, J2K_FREE_BLOCKS, J2K_WORK_BLOCKS, stream));
    return narrow;
}
