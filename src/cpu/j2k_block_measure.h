/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By how much a bit plane lowers the squared error of a code-block. What a coefficient is worth between two quantiser
 * indices is not known: it counts as half of the step above the lower one, in units of half steps 2 q + 1. What a
 * decoder makes of it is the middle of what is left of its uncertainty.
 */
#ifndef KOSTKA_CPU_J2K_BLOCK_MEASURE_H
#define KOSTKA_CPU_J2K_BLOCK_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum { J2K_MEASURED_BITS = 8 }; /* below the plane; so squares are below 2^18 and those of a block below 2^30 */

struct j2k_measure {
    uint32_t shift;    /* half steps that do not count, log2 */
    uint32_t plane;    /* of what is left */
    uint32_t odd;      /* what is added to 2 q */
    bool ends_exactly; /* nothing is unknown below this plane */
    double unit;       /* squares of half steps in one of what is left */
};

static inline struct j2k_measure j2k_measure_plane(uint32_t plane, bool exact)
{
    uint32_t shift = plane + 1 > J2K_MEASURED_BITS ? plane + 1 - J2K_MEASURED_BITS : 0;
    double unit = (double)((uint64_t)1 << shift);
    return (struct j2k_measure){
        .shift = shift, .plane = plane + 1 - shift, .odd = !exact, .ends_exactly = plane == 0, .unit = unit * unit};
}

/* The error that is left of the part below and including the plane. */
static inline int32_t j2k_error_left(const struct j2k_measure *measure, int32_t part)
{
    int32_t one = 1 << measure->plane, left = (part & (one - 1)) - (one >> 1);
    return measure->ends_exactly ? 0 : left * left;
}

/* Of a coefficient that becomes significant in the plane. */
static inline int32_t j2k_significance_gain(const struct j2k_measure *measure, uint32_t sample)
{
    int32_t part = (int32_t)((sample << 1 | measure->odd) >> measure->shift);
    return part * part - j2k_error_left(measure, part);
}

/* Of a plane: what it gains, and how many samples become significant in it or have been before. */
struct j2k_gains {
    int32_t significance, refinement;
    uint32_t significant, refined;
};

/* Of all samples that are or become significant. */
static inline struct j2k_gains j2k_plane_gains(
    const struct j2k_measure *measure, const uint32_t *sample, uint32_t count)
{
    struct j2k_gains gains = {0, 0, 0, 0};
    const int32_t one = 1 << measure->plane;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = (sample[i] << 1 | measure->odd) >> measure->shift, top = value >> measure->plane;
        int32_t part = (int32_t)(value & (uint32_t)(2 * one - 1)), left = j2k_error_left(measure, part);
        int32_t becomes = part * part - left, refined = (part - one) * (part - one) - left;
        gains.significance += top == 1 ? becomes : 0;
        gains.refinement += top > 1 ? refined : 0;
        gains.significant += top == 1;
        gains.refined += top > 1;
    }
    return gains;
}

/*
 * What a plane's samples cost at least, in quarters of a bit: when they become significant, with their signs and the
 * zeros around them, the less the more of them do; and when they are refined. Of photographs 19 planes of 20 take more.
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

static inline uint32_t j2k_refinement_cost(const struct j2k_gains *gains)
{
    return 2 * gains->refined;
}

/* Gain for a byte more than `stop`. Both products are exact in double precision. */
static inline bool j2k_is_worth(int32_t gain, double unit, double stop, uint32_t cost)
{
    return gain * unit * 32 > stop * cost;
}

enum { J2K_LEFT_BITS = 24 }; /* of an error that is left out, the uppermost: squares of a block stay below 2^60 */

/* What all planes below `plane` gain together, in squares of half steps; integers are summed up, in any order. */
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
