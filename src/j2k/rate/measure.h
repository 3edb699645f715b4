/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes how much a bit-plane lowers the squared error of a code-block. A quantiser index stands for all coefficients
 * between two multiples of the step. The true one is taken to be in the middle, half a step above the lower bound,
 * which is 2 q + 1 half steps; a decoder reconstructs the middle of the interval that is still possible.
 *
 * Gains are exact. A plane may move a coefficient farther from its value than the planes above it had, and a later
 * plane makes up for that; in a flat block all coefficients do so together. With rounded gains the picture would seem
 * to get worse with every plane, and rate allocation would leave the last planes out.
 */
#ifndef KOSTKA_J2K_RATE_MEASURE_H
#define KOSTKA_J2K_RATE_MEASURE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Holds the state after a pass. */
struct j2k_pass {
    uint32_t length; /* see j2k_coded.pass_length in j2k/write/coded.h */
    /*
     * The amount by which the pass lowers the squared error, summed over the block, in squares of half a quantiser
     * step. The value is exact: an integer of at most 48 bits times a power of two.
     */
    double gain;
};

struct j2k_measure {
    uint32_t plane; /* 0–30 */
    uint32_t one;   /* value of a 1 in the plane, in half steps */
    uint32_t odd;   /* added to 2 q: the half step of the unknown part */
    uint32_t extra; /* added to the gain of each coefficient coded in the plane if nothing is unknown below it */
    double unit;    /* squares of half steps per unit of gain */
};

static inline struct j2k_measure j2k_measure_plane(uint32_t plane, bool exact)
{
    return (struct j2k_measure){.plane = plane,
        .one = UINT32_C(2) << plane,
        .odd = !exact,
        .extra = exact && plane == 0 ? 2 : 0,
        .unit = ldexp(0.5, (int)plane)};
}

/*
 * Return the gain of a coefficient that becomes significant in the plane. If `one` is the value of the plane and m the
 * half steps below it, this is (one + m)² − (m − one ÷ 2)² = one × (3 one + 12 m) ÷ 4. The result is below 2^36.
 */
static inline int64_t j2k_significance_gain(const struct j2k_measure *measure, uint32_t sample)
{
    uint32_t below = (sample << 1 | measure->odd) & (measure->one - 1);
    return (int64_t)3 * measure->one + (int64_t)12 * below + measure->extra;
}

/* Holds the gains of a plane, the number of samples that become significant in it and of those that are refined. */
struct j2k_gains {
    int64_t significance, refinement; /* below 2^48 for a whole block */
    uint32_t significant, refined;
};

/*
 * Holds sums of the half steps below the plane: over the samples that become significant in it, and over those refined
 * to a 1 minus those refined to a 0; and the numbers of these samples. `more` of the refined samples are refined to a
 * 1.
 */
struct j2k_below {
    uint32_t fresh, refined; /* `refined` is modulo 2^32 */
    uint32_t fresh_count, refined_count, more;
};

/*
 * Sum the bits of half steps selected by `mask`, after moving them down by `shift`. These are at most 19 bits, so that
 * sums over the 4,096 samples of a block stay below 2^31. Masks instead of conditions let compilers process several
 * samples at once.
 */
static inline struct j2k_below j2k_sum_below(
    const struct j2k_measure *measure, const uint32_t *sample, uint32_t count, uint32_t shift, uint32_t mask)
{
    const uint32_t plane = measure->plane, odd = measure->odd, taken = mask & (measure->one - 1) >> shift;
    uint32_t fresh = 0, refined = 0, fresh_count = 0, refined_count = 0, more = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = (sample[i] & 0x7FFFFFFF) >> plane, below = (sample[i] << 1 | odd) >> shift & taken;
        uint32_t is_fresh = 0 - (uint32_t)(top == 1), is_refined = 0 - (uint32_t)(top > 1);
        uint32_t minus = (top & 1) - 1; /* all ones if the bit in the plane is 0 */
        fresh += below & is_fresh;
        refined += ((below ^ minus) - minus) & is_refined;
        fresh_count -= is_fresh;
        refined_count -= is_refined;
        more += top & 1 & is_refined;
    }
    return (struct j2k_below){fresh, refined, fresh_count, refined_count, more};
}

/*
 * Return the gains of all samples that are significant or become so. A sample refined to a 1 gains m² − (m − one ÷ 2)²,
 * which is one × (4 m − one) ÷ 4; one refined to a 0 gains (one − m)² − (m − one ÷ 2)², which is one × (3 one − 4 m) ÷
 * 4.
 */
static inline struct j2k_gains j2k_plane_gains(
    const struct j2k_measure *measure, const uint32_t *sample, uint32_t count)
{
    enum { WHOLE_PLANE = 18 /* planes whose samples have at most 19 bits below */, LOW_BITS = 16 };
    const bool whole = measure->plane <= WHOLE_PLANE;
    struct j2k_below below =
        j2k_sum_below(measure, sample, count, 0, whole ? UINT32_MAX : (UINT32_C(1) << LOW_BITS) - 1);
    int64_t fresh = below.fresh, refined = (int32_t)below.refined, one = measure->one;
    if (!whole) {
        struct j2k_below high = j2k_sum_below(measure, sample, count, LOW_BITS, UINT32_MAX);
        fresh += (int64_t)high.fresh << LOW_BITS;
        refined += (int64_t)(int32_t)high.refined * (1 << LOW_BITS);
    }
    const int64_t less = below.refined_count - below.more, extra = measure->extra;
    return (struct j2k_gains){.significance = (3 * one + extra) * below.fresh_count + 12 * fresh,
        .refinement = (3 * one + extra) * less + (extra - one) * below.more + 4 * refined,
        .significant = below.fresh_count,
        .refined = below.refined_count};
}

/*
 * Return a lower bound of what the samples that become significant in a plane cost, in quarters of a bit, including
 * signs and the zeros around them: the more samples do so, the less each costs. In photographs 19 of 20 planes take
 * more.
 */
static inline uint32_t j2k_significance_cost(const struct j2k_gains *gains, uint32_t count)
{
    uint32_t fresh = gains->significant, rest = count - gains->refined;
    uint32_t each = fresh * 5 >= rest * 2 ? 10
                    : fresh * 5 >= rest   ? 11
                    : fresh * 10 >= rest  ? 12
                    : fresh * 20 >= rest  ? 15
                                          : 18;
    return each * fresh;
}

/* Return what samples that are refined cost. In photographs most planes take nine tenths of it. */
static inline uint32_t j2k_refinement_cost(const struct j2k_gains *gains)
{
    return 4 * gains->refined;
}

/*
 * Passes of the lowest plane are left out of blocks that have at least so many columns: in narrower ones the runs of
 * GPUs have other shapes (NARROW_COLUMNS of j2k/kernels/runs.h).
 */
enum { J2K_CUT_WIDTH = 5 };

/*
 * Return what a run of eight columns and four rows costs in a cleanup pass that codes `rest` of its samples, of which
 * `fresh` become significant. The costs of runs are added up, because significant samples are often close together. In
 * photographs most passes take nine tenths of the sum, and 19 of 20 take seven tenths or more.
 */
static inline uint32_t j2k_cleanup_cost(uint32_t fresh, uint32_t rest)
{
    uint32_t halvings = (uint32_t)(2 * fresh < rest) + (uint32_t)(4 * fresh < rest) + (uint32_t)(8 * fresh < rest) +
                        (uint32_t)(16 * fresh < rest);
    return fresh * (12 + 5 * halvings);
}

/* Return whether the gain per byte is above `stop`. Both products are exact in double precision. */
static inline bool j2k_is_worth(int64_t gain, double unit, double stop, uint32_t cost)
{
    return (double)gain * unit * 32 > stop * cost;
}

/*
 * Return whether a plane may be worth its bytes, whatever its samples are. A sample that becomes significant gains less
 * than 15 × one + extra and costs 10 or more; one that is refined gains at most 3 × one + extra and costs 4.
 */
static inline bool j2k_may_be_worth(const struct j2k_measure *measure, double stop)
{
    const int64_t one = measure->one, extra = measure->extra;
    return j2k_is_worth(15 * one + extra, measure->unit, stop, 10) ||
           j2k_is_worth(3 * one + extra, measure->unit, stop, 4);
}

/* This many uppermost bits of an error are used, so that the sum of a block's squares stays below 2^60. */
enum { J2K_LEFT_BITS = 24 };

/*
 * Return what all planes below `plane` gain together, in squares of half steps. Integers are summed, so that their
 * order does not matter.
 */
static inline double j2k_left_out(const uint32_t *sample, uint32_t count, uint32_t plane, bool exact)
{
    const uint32_t shift = plane + 1 > J2K_LEFT_BITS ? plane + 1 - J2K_LEFT_BITS : 0;
    const double unit = (double)((uint64_t)1 << shift);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t magnitude = sample[i] & 0x7FFFFFFF, known = magnitude >> plane << plane;
        uint32_t half_steps = 2 * magnitude + !exact, middle = known > 0 ? 2 * known + ((uint32_t)1 << plane) : 0;
        uint64_t left = (half_steps > middle ? half_steps - middle : middle - half_steps) >> shift;
        sum += magnitude > 0 ? left * left : 0;
    }
    return (double)sum * (unit * unit);
}

#endif
