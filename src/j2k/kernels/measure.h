/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the samples of a code-block: quantiser indices (T.800 Annex E), regions of interest (Annex H), the gain of
 * each plane, which rate allocation needs, and the lowest plane that is worth coding.
 */
#include "kernels/group.h"

#include "j2k/kernels/encode_work.h"

enum {
    NARROW_PLANE = 14, /* up to this plane the gains of a block's samples sum up to less than 2^31 */
    LOW_PLANES = 16,   /* planes whose half steps are summed up separately from those of higher planes */
    LEFT_BITS = 24,    /* uppermost bits that are kept of an error that is left out */
    RUN_SAMPLES = 32   /* samples of a work-item */
};

/* Return the n for which the error below a plane is counted in squares of 2^n half steps; smaller parts are dropped. */
FUNCTION u32 left_shift(u32 plane)
{
    return plane + 1 > LEFT_BITS ? plane + 1 - LEFT_BITS : 0;
}

/* Turn an integer into an index: a magnitude with the sign in bit 31. */
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

/* Return the magnitudes of such indices. */
FUNCTION u32 magnitude_of_integer(u32 from)
{
    return from >> 31 != 0 ? 0 - from : from;
}

FUNCTION u32 magnitude_of_real(u32 from, float factor)
{
    return (u32)(i32)fabs(float_of(from) * factor);
}

/* Return the square of the quantiser's error, in squares of 2^-14 of its step. */
FUNCTION u64 error_of_real(u32 from, float factor)
{
    float value = float_of(from) * factor, size = value < 0.0f ? -value : value;
    u32 magnitude = (u32)(i32)size;
    float middle = magnitude > 0 ? (float)magnitude + 0.5f : 0.0f;
    i32 part = (i32)((size - middle) * 16384.0f);
    return (u64)((i64)part * part);
}

/* Raise an index by the shift of the region of interest, if it lies in the region. */
FUNCTION u32 raised(GLOBAL const struct j2k_work_coded_block *block, u32 index, u32 x, u32 y)
{
    u32 inside = x >= block->left && x < block->right && y >= block->top && y < block->bottom;
    return (index & 0x80000000u) | (index & 0x7FFFFFFFu) << (inside ? block->roi_shift : 0);
}

/* Transpose the matrix of bits whose rows are 32 words. */
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

/* Holds sums over sets of samples of what lies below a plane, in half steps. */
struct below {
    i64 fresh;   /* sum over samples that become significant in the plane */
    i64 refined; /* sum over samples that are refined to a 1, minus the sum over those refined to a 0 */
};

/*
 * Sum up what lies below a plane. `plane_words` are a work-item's words of the planes, which are J2K_MODEL_GROUP apart.
 * In each sum the half steps of a run stay below 2^23.
 */
FUNCTION struct below sum_below(LOCAL const u32 *plane_words, u32 fresh, u32 more, u32 less, u32 plane, u32 odd)
{
    u32 low_fresh = odd * ones(fresh), low_refined = odd * (ones(more) - ones(less)), high_fresh = 0, high_refined = 0;
    u32 middle = plane < LOW_PLANES ? plane : LOW_PLANES;
    struct below sum;
    for (u32 p = 0; p < middle; p++) {
        u32 word = plane_words[p * J2K_MODEL_GROUP], up = p + 1;
        low_fresh += ones(fresh & word) << up;
        low_refined += (ones(more & word) - ones(less & word)) << up;
    }
    for (u32 p = middle; p < plane; p++) {
        u32 word = plane_words[p * J2K_MODEL_GROUP], up = p + 1 - LOW_PLANES;
        high_fresh += ones(fresh & word) << up;
        high_refined += (ones(more & word) - ones(less & word)) << up;
    }
    sum.fresh = (i64)low_fresh + ((i64)high_fresh << LOW_PLANES);
    sum.refined = (i64)(i32)low_refined + (i64)(i32)high_refined * (1 << LOW_PLANES);
    return sum;
}

/*
 * Return the gains of samples, in quarters of the half steps that a 1 in the plane stands for, as in
 * src/j2k/rate/measure.h. They are exact, so that planes that move a flat block away from its value are fully
 * compensated by lower planes.
 */
FUNCTION i64 significance_gain(const struct below *below, u32 rows, u32 plane, u32 exact)
{
    i64 one = (i64)2 << plane, extra = exact && plane == 0 ? 2 : 0;
    return (3 * one + extra) * ones(rows) + 12 * below->fresh;
}

FUNCTION i64 refinement_gain(const struct below *below, u32 more, u32 less, u32 plane, u32 exact)
{
    i64 one = (i64)2 << plane, extra = exact && plane == 0 ? 2 : 0;
    return (3 * one + extra) * ones(less) + (extra - one) * ones(more) + 4 * below->refined;
}

/* Add a work-item's gain in a plane to the two words of the group's sum. */
FUNCTION void add_up_gain(LOCAL u32 *to, i64 gain, u32 plane)
{
    if (plane <= NARROW_PLANE) {
        add_up_local(to, (u32)gain);
        return;
    }
    add_up_local(to, (u32)gain & ((1u << J2K_GAIN_LOW) - 1));
    add_up_local(to + 1, (u32)(gain >> J2K_GAIN_LOW));
}

FUNCTION i64 gain_of(LOCAL const u32 *gain)
{
    return (i64)(i32)gain[0] + (i64)(i32)gain[1] * (1 << J2K_GAIN_LOW);
}

/* Return the gain of samples that become significant in a plane. */
FUNCTION i64 gain_of_rows(LOCAL const u32 *plane_words, u32 rows, u32 plane, u32 exact)
{
    struct below below = sum_below(plane_words, rows, 0, 0, plane, exact ? 0 : 1);
    return significance_gain(&below, rows, plane, exact);
}

/*
 * Add the gain of each plane to its J2K_GAIN_WORDS words, which must be 0 at first. The whole work-group must call
 * this.
 */
FUNCTION void measure_planes(LOCAL const u32 *plane_words, u32 planes, u32 exact, LOCAL u32 *gains)
{
    u32 significant = 0;
    for (u32 plane = planes; plane-- > 0;) {
        u32 bits = plane_words[plane * J2K_MODEL_GROUP];
        u32 fresh = bits & ~significant, more = bits & significant, less = significant & ~bits;
        struct below below = sum_below(plane_words, fresh, more, less, plane, exact ? 0 : 1);
        LOCAL u32 *gain = gains + plane * J2K_GAIN_WORDS;
        add_up_gain(&gain[0], significance_gain(&below, fresh, plane, exact), plane);
        add_up_gain(&gain[2], refinement_gain(&below, more, less, plane, exact), plane);
        add_up_local(&gain[4], ones(fresh));
        significant |= fresh;
    }
}

/* Return a work-item's share of what all planes below `plane` would gain. */
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

/* Compare a × 2^shift with b. Returns 1 if it is larger, 0 if equal, −1 if smaller. */
FUNCTION i32 compare_scaled(u64 a, i32 shift, u64 b)
{
    u64 larger = shift >= 0 ? b : a, smaller = shift >= 0 ? a : b;
    u32 by = (u32)(shift >= 0 ? shift : -shift);
    u64 whole = by < 64 ? larger >> by : 0;
    i32 order = smaller > whole ? 1 : smaller < whole ? -1 : (by < 64 ? whole << by : 0) != larger ? -1 : 0;
    return shift >= 0 ? order : -order;
}

/*
 * Return whether gain × 2^(plane − 1) × 32 > stop × cost, computed exactly. `stop` holds the bits of a positive, normal
 * single-precision number.
 */
FUNCTION u32 is_worth(i64 gain, u32 plane, u32 stop, u32 cost)
{
    u64 price = (u64)((stop & 0x7FFFFF) | 0x800000);
    i32 shift = (i32)plane - 1 + 5 - ((i32)(stop >> 23) - 150);
    return gain > 0 && compare_scaled((u64)gain, shift, price * cost) > 0;
}

/* Return the least cost of a plane's newly significant samples, in quarters of a bit, as in src/j2k/rate/measure.h. */
FUNCTION u32 significance_cost(u32 fresh, u32 rest)
{
    u32 each = fresh * 5 >= rest * 2 ? 10
               : fresh * 5 >= rest   ? 11
               : fresh * 10 >= rest  ? 12
               : fresh * 20 >= rest  ? 15
                                     : 18;
    return each * fresh;
}

/* Return the cost of samples that are refined, and below, of a run of samples in a cleanup pass. */
FUNCTION u32 refinement_cost(u32 refined)
{
    return 4 * refined;
}

FUNCTION u32 cleanup_cost(u32 fresh, u32 rest)
{
    u32 halvings =
        (u32)(2 * fresh < rest) + (u32)(4 * fresh < rest) + (u32)(8 * fresh < rest) + (u32)(16 * fresh < rest);
    return fresh * (12 + 5 * halvings);
}

/* Return the number of samples that are significant before a plane. */
FUNCTION u32 significant_before(LOCAL const u32 *gains, u32 plane, u32 planes)
{
    u32 before = 0;
    for (u32 p = plane + 1; p < planes; p++)
        before += gains[p * J2K_GAIN_WORDS + 4];
    return before;
}

/* Return whether a plane seems to be worth its bytes. */
FUNCTION u32 is_plane_worth(LOCAL const u32 *gains, u32 plane, u32 planes, u32 samples, u32 stop)
{
    LOCAL const u32 *gain = gains + plane * J2K_GAIN_WORDS;
    u32 before = significant_before(gains, plane, planes);
    return is_worth(gain_of(&gain[0]), plane, stop, significance_cost(gain[4], samples - before)) ||
           is_worth(gain_of(&gain[2]), plane, stop, refinement_cost(before));
}

enum { WIDE_PIECES = 4 };

/*
 * Add a 64-bit value to a sum over the work-group. The sum is kept in pieces of 16 bits, enough for up to 2^16
 * work-items. The whole work-group must call this.
 */
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
