/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Of the samples of a code-block: quantiser indices (T.800 Annex E), regions of interest (Annex H); what each plane
 * gains, by which rates are allocated; and down to which plane coding is worth it.
 */
#include "group.h"

#include "j2k_encode_work.h"

enum {
    MEASURED_BITS = 8, /* below a plane, by which its gain is told */
    LEFT_BITS = 24,    /* of an error that is left out, the uppermost */
    RUN_SAMPLES = 32,  /* that a work-item has */
    GAIN_WORDS = 3     /* of a plane: significance, refinement, how many samples become significant in it */
};

/* Half steps that do not count, log2, of a plane's gains and of what is left behind it. */
FUNCTION u32 gain_shift(u32 plane)
{
    return plane + 1 > MEASURED_BITS ? plane + 1 - MEASURED_BITS : 0;
}

FUNCTION u32 left_shift(u32 plane)
{
    return plane + 1 > LEFT_BITS ? plane + 1 - LEFT_BITS : 0;
}

/* The error that is left of the part below and including a plane, which is 2^top; nothing below plane 0. */
FUNCTION i32 error_left(u32 plane, u32 top, i32 part)
{
    i32 one = 1 << top, left = (part & (one - 1)) - (one >> 1);
    return plane == 0 ? 0 : left * left;
}

/* An index with its sign in bit 31, and the quantiser's error in 2^-14 of its step, squared. */
FUNCTION u32 load_index(GLOBAL const struct coded_block *block, GLOBAL const u32 *samples, u32 x, u32 y, u64 *error)
{
    u32 from = samples[block->from + y * block->pitch + x], index;
    if (block->exact) {
        u32 sign = from >> 31;
        index = (from ^ (0 - sign)) + sign + (sign << 31);
    } else {
        float value = float_of(from) * float_of(block->factor), size = value < 0.0f ? -value : value;
        u32 magnitude = (u32)(i32)size;
        float middle = magnitude > 0 ? (float)magnitude + 0.5f : 0.0f;
        i32 part = (i32)((size - middle) * 16384.0f);
        *error += (u64)((i64)part * part);
        index = magnitude | (value < 0.0f ? 0x80000000u : 0);
    }
    if (x >= block->left && x < block->right && y >= block->top && y < block->bottom)
        index = (index & 0x80000000u) | (index & 0x7FFFFFFFu) << block->roi_shift;
    return index;
}

/* What a sample gains that becomes significant in a plane, its value being told in half steps. */
FUNCTION i32 fresh_gain(u32 plane, u32 top, u32 value)
{
    return (i32)(value * value) - error_left(plane, top, (i32)value);
}

/* A work-item's share of what a plane gains, added to the group's. */
FUNCTION void measure_plane(const u32 *index, u32 plane, u32 exact, LOCAL u32 *gains)
{
    u32 shift = gain_shift(plane), top = plane + 1 - shift, odd = exact ? 0 : 1, fresh = 0;
    i32 one = 1 << top, significance = 0, refinement = 0;
    UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++)
    {
        u32 value = (index[i] << 1 | odd) >> shift;
        if (value >> top == 1) {
            significance += fresh_gain(plane, top, value);
            fresh++;
        } else if (value >> top > 1) {
            i32 part = (i32)(value & (u32)(2 * one - 1));
            refinement += (part - one) * (part - one) - error_left(plane, top, part);
        }
    }
    if (fresh > 0) {
        count_up_local(&gains[plane * GAIN_WORDS], (u32)significance);
        count_up_local(&gains[plane * GAIN_WORDS + 2], fresh);
    }
    if (refinement != 0)
        count_up_local(&gains[plane * GAIN_WORDS + 1], (u32)refinement);
}

/* Of it, what those among `rows` gain that become significant. */
FUNCTION u32 measure_rows(const u32 *index, u32 rows, u32 plane, u32 exact)
{
    u32 shift = gain_shift(plane), top = plane + 1 - shift, odd = exact ? 0 : 1;
    i32 gain = 0;
    UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++)
    {
        if (rows >> i & 1)
            gain += fresh_gain(plane, top, (index[i] << 1 | odd) >> shift);
    }
    return (u32)gain;
}

/* A work-item's share of what all planes below one would gain. */
FUNCTION u64 measure_left(const u32 *index, u32 plane, u32 exact)
{
    u32 cut = left_shift(plane), odd = exact ? 0 : 1;
    u64 left = 0;
    UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++)
    {
        u32 magnitude = index[i] & 0x7FFFFFFFu, known = magnitude >> plane << plane, half_steps = 2 * magnitude + odd;
        u32 middle = known > 0 ? 2 * known + (1u << plane) : 0;
        u64 missing = (half_steps > middle ? half_steps - middle : middle - half_steps) >> cut;
        left += magnitude > 0 ? missing * missing : 0;
    }
    return left;
}

/* 1, 0 or −1: a × 2^shift is more than, as much as, or less than b. */
FUNCTION i32 compare_scaled(u64 a, i32 shift, u64 b)
{
    u64 larger = shift >= 0 ? b : a, smaller = shift >= 0 ? a : b;
    u32 by = (u32)(shift >= 0 ? shift : -shift);
    u64 whole = by < 64 ? larger >> by : 0;
    i32 order = smaller > whole ? 1 : smaller < whole ? -1 : (by < 64 ? whole << by : 0) != larger ? -1 : 0;
    return shift >= 0 ? order : -order;
}

/* gain × 4^scale × 32 > stop × cost, exactly; `stop`: the bits of a positive, normal single-precision number. */
FUNCTION u32 is_worth(i32 gain, u32 scale, u32 stop, u32 cost)
{
    u64 price = (u64)((stop & 0x7FFFFF) | 0x800000);
    i32 shift = (i32)(2 * scale) + 5 - ((i32)(stop >> 23) - 150);
    return gain > 0 && compare_scaled((u64)gain, shift, price * cost) > 0;
}

/* What a plane's samples cost at least, in quarters of a bit, as src/cpu/j2k_block_measure.h has it. */
FUNCTION u32 significance_cost(u32 fresh, u32 rest)
{
    u32 each = fresh * 5 >= rest * 2 ? 10
               : fresh * 5 >= rest   ? 11
               : fresh * 10 >= rest  ? 12
               : fresh * 20 >= rest  ? 15
                                     : 18;
    return each * fresh;
}

/* The lowest plane that seems to be worth its bytes. */
FUNCTION u32 last_plane(LOCAL const u32 *gains, u32 planes, u32 samples, u32 stop)
{
    u32 plane = 0, before = 0;
    for (u32 p = 1; p < planes; p++)
        before += gains[p * GAIN_WORDS + 2];
    for (; plane + 1 < planes; plane++, gains += GAIN_WORDS) {
        if (is_worth((i32)gains[0], gain_shift(plane), stop, significance_cost(gains[2], samples - before)) ||
            is_worth((i32)gains[1], gain_shift(plane), stop, 2 * before))
            break;
        before -= gains[GAIN_WORDS + 2];
    }
    return plane;
}
