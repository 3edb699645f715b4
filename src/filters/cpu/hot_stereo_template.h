/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the loops over disparities that hot.h declares, in a form that compilers turn into vector instructions; see
 * hot_template.h.
 */
#include <stddef.h>
#include <stdint.h>

/* Count the differing bits of each word, by adding up ever wider fields. */
static void TIER(stereo_costs)(uint32_t own, const uint32_t *restrict other, uint8_t *restrict cost, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = own ^ other[i];
        bits = bits - (bits >> 1 & 0x55555555u);
        bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
        bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
        bits = bits + (bits >> 8);
        cost[i] = (uint8_t)((bits + (bits >> 16)) & 0x3F);
    }
}

static int32_t TIER(stereo_step)(const uint8_t *restrict cost, const int16_t *restrict before, int16_t *restrict after,
    uint16_t *restrict sum, size_t count, struct filter_stereo_penalties penalties, int32_t least)
{
    const int16_t jump = (int16_t)(least + penalties.far), all = (int16_t)least, near = penalties.near;
    const int16_t *under = before - 1;
    int16_t lowest = INT16_MAX;
    for (size_t i = 0; i < count; i++) {
        int16_t down = under[i], up = before[i + 1], best = before[i];
        int16_t beside = (int16_t)((down < up ? down : up) + near);
        best = best < beside ? best : beside;
        best = best < jump ? best : jump;
        best = (int16_t)(best - all + cost[i]);
        after[i] = best;
        sum[i] = (uint16_t)(sum[i] + best);
        lowest = lowest < best ? lowest : best;
    }
    return lowest;
}

static uint32_t TIER(stereo_least)(const uint16_t *sum, size_t count)
{
    int16_t least = INT16_MAX;
    for (size_t i = 0; i < count; i++) {
        int16_t own = (int16_t)sum[i];
        least = least < own ? least : own;
    }
    return (uint32_t)least;
}

static void TIER(stereo_right)(const uint16_t *restrict sum, int32_t *restrict best, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t own = (int32_t)(sum[i] * 256u + i);
        best[i] = best[i] < own ? best[i] : own;
    }
}
