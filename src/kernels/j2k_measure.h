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
    RUN_SAMPLES = 32   /* that a work-item has */
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

/* An integer as an index: with its sign in bit 31. */
FUNCTION u32 index_of_integer(u32 from)
{
    u32 sign = from >> 31;
    return (from ^ (0 - sign)) + sign + (sign << 31);
}

FUNCTION u32 index_of_real(u32 from, float factor)
{
    float value = float_of(from) * factor, size = value < 0.0f ? -value : value;
    return (u32)(i32)size | (value < 0.0f ? 0x80000000u : 0);
}

/* The quantiser's error in 2^-14 of its step, squared. */
FUNCTION u64 error_of_real(u32 from, float factor)
{
    float value = float_of(from) * factor, size = value < 0.0f ? -value : value;
    u32 magnitude = (u32)(i32)size;
    float middle = magnitude > 0 ? (float)magnitude + 0.5f : 0.0f;
    i32 part = (i32)((size - middle) * 16384.0f);
    return (u64)((i64)part * part);
}

/* An index raised by what regions of interest are, if it is in one. */
FUNCTION u32 raised(GLOBAL const struct coded_block *block, u32 index, u32 x, u32 y)
{
    u32 inside = x >= block->left && x < block->right && y >= block->top && y < block->bottom;
    return (index & 0x80000000u) | (index & 0x7FFFFFFFu) << (inside ? block->roi_shift : 0);
}

/* 32 words as rows of bits: makes columns of rows. */
FUNCTION void transpose(u32 *word)
{
    UNROLL for (u32 step = 0; step < 5; step++)
    {
        u32 j = 16u >> step, mask = 0xFFFFFFFFu / ((1u << j) + 1);
        UNROLL for (u32 i = 0; i < RUN_SAMPLES / 2; i++)
        {
            u32 k = i / j * (2 * j) + i % j, swap = (word[k] >> j ^ word[k + j]) & mask;
            word[k + j] ^= swap;
            word[k] ^= swap << j;
        }
    }
}

/* Of sets of samples, those bits below a plane that count, as numbers in half steps, summed up. */
struct below {
    u32 fresh;   /* of those that become significant in the plane */
    u32 refined; /* of those refined to a 1 less those refined to a 0, modulo 2^32 */
};

/* `plane_words`: a work-item's words of planes, J2K_MODEL_GROUP apart. */
FUNCTION struct below sum_below(LOCAL const u32 *plane_words, u32 fresh, u32 more, u32 less, u32 plane, u32 odd)
{
    u32 shift = gain_shift(plane), first = plane > MEASURED_BITS ? plane - MEASURED_BITS : 0;
    struct below sum;
    sum.fresh = shift == 0 ? odd * ones(fresh) : 0;
    sum.refined = shift == 0 ? odd * (ones(more) - ones(less)) : 0;
    for (u32 p = first; p < plane; p++) {
        u32 word = plane_words[p * J2K_MODEL_GROUP], up = p + 1 - shift;
        sum.fresh += ones(fresh & word) << up;
        sum.refined += (ones(more & word) - ones(less & word)) << up;
    }
    return sum;
}

/*
 * What samples gain that become significant in a plane: (1 + m)² − (m − 1/2)² = 3/4 + 3 m, where 1 is what the plane
 * stands for and m the part below. Plane 0 leaves nothing.
 */
FUNCTION u32 significance_gain(const struct below *below, u32 rows, u32 plane, u32 exact)
{
    u32 one = 1u << (plane + 1 - gain_shift(plane));
    return plane == 0 ? ones(rows) * (exact ? 4 : 9) : ones(rows) * (one * one / 4 * 3) + 3 * one * below->fresh;
}

/* What those gain that are refined: m² − (m − 1/2)² = m − 1/4 for a 1, (m − 1)² − (m − 1/2)² = 3/4 − m for a 0. */
FUNCTION u32 refinement_gain(const struct below *below, u32 more, u32 less, u32 plane, u32 exact)
{
    u32 one = 1u << (plane + 1 - gain_shift(plane));
    if (plane == 0)
        return ones(more) * (exact ? 0 : 1) + ones(less) * (exact ? 4 : 1);
    return one * below->refined + ones(less) * (one * one / 4 * 3) - ones(more) * (one * one / 4);
}

/* Of samples of which nothing else is asked. */
FUNCTION u32 gain_of_rows(LOCAL const u32 *plane_words, u32 rows, u32 plane, u32 exact)
{
    struct below below = sum_below(plane_words, rows, 0, 0, plane, exact ? 0 : 1);
    return significance_gain(&below, rows, plane, exact);
}

/* What all planes gain, J2K_GAIN_WORDS each, added to zeros. Whole work-group. */
FUNCTION void measure_planes(LOCAL const u32 *plane_words, u32 planes, u32 exact, LOCAL u32 *gains)
{
    u32 significant = 0;
    for (u32 plane = planes; plane-- > 0;) {
        u32 bits = plane_words[plane * J2K_MODEL_GROUP];
        u32 fresh = bits & ~significant, more = bits & significant, less = significant & ~bits;
        struct below below = sum_below(plane_words, fresh, more, less, plane, exact ? 0 : 1);
        LOCAL u32 *gain = gains + plane * J2K_GAIN_WORDS;
        add_up_local(&gain[0], significance_gain(&below, fresh, plane, exact));
        add_up_local(&gain[1], refinement_gain(&below, more, less, plane, exact));
        add_up_local(&gain[2], ones(fresh));
        significant |= fresh;
    }
}

/* A work-item's share of what all planes below one would gain. */
FUNCTION u64 measure_left(LOCAL const u32 *plane_words, u32 planes, u32 plane, u32 exact)
{
    u32 cut = left_shift(plane), odd = exact ? 0 : 1;
    u64 left = 0;
    for (u32 i = 0; i < RUN_SAMPLES; i++) {
        u32 magnitude = 0;
        for (u32 p = 0; p < planes; p++)
            magnitude |= (plane_words[p * J2K_MODEL_GROUP] >> i & 1) << p;
        u32 known = magnitude >> plane << plane, half_steps = 2 * magnitude + odd;
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

/* Whether a plane seems to be worth its bytes. */
FUNCTION u32 is_plane_worth(LOCAL const u32 *gains, u32 plane, u32 planes, u32 samples, u32 stop)
{
    LOCAL const u32 *gain = gains + plane * J2K_GAIN_WORDS;
    u32 before = 0, scale = gain_shift(plane);
    for (u32 p = plane + 1; p < planes; p++)
        before += gains[p * J2K_GAIN_WORDS + 2];
    return is_worth((i32)gain[0], scale, stop, significance_cost(gain[2], samples - before)) ||
           is_worth((i32)gain[1], scale, stop, 2 * before);
}

enum { WIDE_PIECES = 4 };

/* Add 64 bits to a sum over the work-group, in pieces of 16; those of up to 2^16 work-items fit. Whole work-group. */
FUNCTION void add_up_wide(LOCAL u32 *pieces, u64 value)
{
    for (u32 i = 0; i < WIDE_PIECES; i++)
        add_up_local(pieces + i, (u32)(value >> 16 * i) & 0xFFFF);
}

FUNCTION u64 wide_sum(LOCAL const u32 *pieces)
{
    u64 sum = 0;
    for (u32 i = 0; i < WIDE_PIECES; i++)
        sum += (u64)pieces[i] << 16 * i;
    return sum;
}
