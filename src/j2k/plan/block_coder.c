/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders, and chooses one by the style of code-blocks. */
#include "j2k/plan/block_coder.h"

#include <stddef.h>

/* Return how many passes of EBCOT, from `pass` on, share a segment (D.4, D.6). */
static uint32_t ebcot_room(uint32_t style, uint32_t pass)
{
    enum { MORE_THAN_ANY = 1000 };
    uint32_t room = 1;
    if ((style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS)) == 0)
        return MORE_THAN_ANY;
    while (!j2k_pass_ends_segment(style, pass + room - 1))
        room++;
    return room;
}

static bool ebcot_starts(uint32_t style, uint32_t pass)
{
    return pass == 0 || j2k_pass_ends_segment(style, pass - 1);
}

static bool ebcot_is_raw(uint32_t style, uint32_t pass)
{
    return j2k_pass_is_raw(style, pass);
}

/*
 * Holds what a plane costs on average, in quarters of a bit: signs, the zeros around them, and the coder's adaptation.
 * The fewer of the remaining samples become significant, the more each of them costs. The numbers were fitted to planes
 * of twelve photographs and explain 99% of the variance of their lengths (by squared errors).
 */
enum { SIGNIFICANCE_COST = 32, REFINEMENT_COST = 16, REFINED_COST = 4 };

static uint32_t significance_cost(uint32_t samples, uint32_t significant, uint32_t refined)
{
    static const struct {
        uint32_t share; /* fewer than this many 400ths of the remaining samples become significant */
        uint32_t cost;
    } step[] = {{1, 39}, {2, 34}, {4, 30}, {8, 27}, {14, 25}, {20, 23}, {30, 21}, {40, 20}, {60, 19}, {80, 18},
        {120, 16}, {160, 14}, {200, 13}};
    enum { STEPS_OF_COST = sizeof step / sizeof step[0], LEAST_COST = 10, WHOLE = 400 };
    uint32_t rest = samples - refined;
    for (uint32_t i = 0; i < STEPS_OF_COST; i++)
        if (significant * WHOLE < rest * step[i].share)
            return SIGNIFICANCE_COST + significant * step[i].cost;
    return SIGNIFICANCE_COST + significant * LEAST_COST;
}

static void ebcot_estimate(
    uint32_t samples, uint32_t significant, uint32_t refined, uint32_t *significance, uint32_t *refinement)
{
    *significance = significance_cost(samples, significant, refined);
    *refinement = refined > 0 ? REFINEMENT_COST + REFINED_COST * refined : 0;
}

/*
 * Return the same for T.814 (B.1 to B.3), from the first set on: a cleanup pass has a segment of its own, and the two
 * refinement passes behind it share one. Passes in front of the first set, which only count planes, are in the segment
 * of that set's cleanup pass.
 */
static uint32_t ht_room(uint32_t style, uint32_t pass)
{
    (void)style;
    return pass % 3 == 1 ? 2 : 1;
}

static bool ht_starts(uint32_t style, uint32_t pass)
{
    (void)style;
    return pass % 3 != 2;
}

static bool ht_is_raw(uint32_t style, uint32_t pass)
{
    (void)style;
    (void)pass;
    return false;
}

static const struct j2k_block_coder coders[J2K_BLOCK_CODERS] = {
    [J2K_EBCOT] = {J2K_EBCOT, ebcot_room, ebcot_starts, ebcot_is_raw, ebcot_estimate},
    [J2K_HT] = {J2K_HT, ht_room, ht_starts, ht_is_raw, NULL}};

bool kst_j2k_has_style(uint32_t style)
{
    const uint32_t mixed = J2K_STYLE_HT | J2K_STYLE_MIXED;
    if ((style & mixed) == mixed)
        return (style & ~(mixed | J2K_STYLES)) == 0;
    return (style & ~(uint32_t)((style & J2K_STYLE_HT) != 0 ? J2K_STYLES_HT : J2K_STYLES)) == 0;
}

bool kst_j2k_writes_style(uint32_t style)
{
    return (style & ~(uint32_t)((style & J2K_STYLE_HT) != 0 ? J2K_STYLES_HT : J2K_STYLES)) == 0;
}

const struct j2k_block_coder *kst_j2k_block_coder_of(enum j2k_block_coder_kind kind)
{
    return &coders[kind];
}

const struct j2k_block_coder *kst_j2k_block_coder(uint32_t style)
{
    return &coders[(style & J2K_STYLE_HT) != 0 ? J2K_HT : J2K_EBCOT];
}

uint32_t kst_j2k_segment_room(uint32_t style, uint32_t pass)
{
    return kst_j2k_block_coder(style)->room(style, pass);
}

bool kst_j2k_segment_starts(uint32_t style, uint32_t pass)
{
    return kst_j2k_block_coder(style)->starts(style, pass);
}
