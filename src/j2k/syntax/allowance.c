/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines how much work a codestream may ask for, and the limits that follow from that. */
#include "j2k/syntax/allowance.h"

/*
 * The terms of the allowance for each kind of work. Every codestream may ask for `any`. Each `samples` samples of the
 * picture allow one more; 0: samples do not count. Each byte of the codestream allows kst_limits.work ÷ `byte` more.
 * With the default work of 2^16, one core takes less than half a second, and less than 64 MB, for what a megabyte of
 * codestream allows of each kind.
 */
static const struct {
    uint64_t any;
    uint32_t samples, byte;
} shares[] = {
    [J2K_ASKED_SAMPLES] = {UINT64_C(1) << 27, 0, 1},
    [J2K_ASKED_VISITS] = {UINT64_C(1) << 26, 0, 1 << 8},
    [J2K_ASKED_TURNS] = {UINT64_C(1) << 24, 0, 1 << 10},
    [J2K_ASKED_PRECINCTS] = {UINT64_C(1) << 16, 1 << 8, 1 << 21},
    [J2K_ASKED_CONTRIBUTIONS] = {UINT64_C(1) << 18, 1 << 6, (1 << 18) / 3},
    [J2K_ASKED_BLOCKS] = {UINT64_C(1) << 19, 1 << 6, 1 << 17},
    [J2K_ASKED_LAYERS] = {UINT64_C(1) << 25, 0, 1 << 11},
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Compute bytes × work ÷ divisor without overflow; UINT64_MAX if the result does not fit. */
static uint64_t of_bytes(uint64_t bytes, uint32_t work, uint32_t divisor)
{
    uint64_t whole;
    if (__builtin_mul_overflow(bytes / divisor, (uint64_t)work, &whole))
        return UINT64_MAX;
    return add(whole, bytes % divisor * work / divisor);
}

uint64_t kst_j2k_allowance(const kst_limits *limits, enum j2k_asked what, const struct j2k_stream *stream)
{
    if (limits->work == UINT32_MAX)
        return UINT64_MAX;
    uint64_t usual = what == J2K_ASKED_VISITS   ? stream->usual_visits
                     : shares[what].samples > 0 ? stream->samples / shares[what].samples
                                                : 0;
    return add(add(shares[what].any, usual), of_bytes(stream->end - stream->start, limits->work, shares[what].byte));
}

static uint32_t narrower(uint32_t limit, uint64_t allowed)
{
    return limit < allowed ? limit : (uint32_t)allowed;
}

kst_limits kst_j2k_narrow(const kst_limits *limits, const struct j2k_stream *stream, bool transcoded)
{
    kst_limits narrow = *limits;
    narrow.precincts = narrower(limits->precincts, kst_j2k_allowance(limits, J2K_ASKED_PRECINCTS, stream));
    if (transcoded)
        narrow.blocks = narrower(limits->blocks, kst_j2k_allowance(limits, J2K_ASKED_BLOCKS, stream));
    return narrow;
}
