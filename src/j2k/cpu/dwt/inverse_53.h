/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the reversible inverse steps for samples of one size; sums wrap in that size. This file is included once per
 * size, with SAMPLE and UNSIGNED defined as its types and NAMED() as the functions' names; it undefines all three.
 */

static void NAMED(store)(const struct j2k_indices *indices, SAMPLE *to, size_t pitch)
{
    const size_t width = indices->width; /* a copy, because the compiler must assume that stores change the original */
    for (uint32_t y = 0; y < indices->height; y++) {
        const uint32_t *restrict from = indices->from + y * indices->pitch;
        SAMPLE *restrict row = to + y * pitch;
        for (size_t x = 0; x < width; x++)
            row[x] = (SAMPLE)index_value(from[x]);
    }
}

/* Lifting steps: x − floor((a + b + 2) / 4) and, below, x + floor((a + b) / 2). */
static inline SAMPLE NAMED(lift_even)(SAMPLE x, SAMPLE a, SAMPLE b)
{
    SAMPLE sum = (SAMPLE)((UNSIGNED)a + (UNSIGNED)b + 2);
    return (SAMPLE)((UNSIGNED)x - (UNSIGNED)(sum >> 2));
}

static inline SAMPLE NAMED(lift_odd)(SAMPLE x, SAMPLE a, SAMPLE b)
{
    SAMPLE sum = (SAMPLE)((UNSIGNED)a + (UNSIGNED)b);
    return (SAMPLE)((UNSIGNED)x + (UNSIGNED)(sum >> 1));
}

static void NAMED(join_53)(
    SAMPLE *restrict even, SAMPLE *restrict odd, size_t pairs, size_t skip, size_t width, SAMPLE *restrict to)
{
    for (size_t i = 1; i < pairs; i++)
        even[i] = NAMED(lift_even)(even[i], odd[i - 1], odd[i]);
    LAST_STEP(NAMED(lift_odd)(odd[i], even[i], even[i + 1]))
}

static void NAMED(lift_53)(const SAMPLE *restrict low, const SAMPLE *restrict above, const SAMPLE *restrict below,
    SAMPLE *restrict state, SAMPLE *restrict even, SAMPLE *restrict odd, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        SAMPLE value = NAMED(lift_even)(low[i], above[i], below[i]);
        odd[i] = NAMED(lift_odd)(above[i], state[i], value);
        even[i] = value;
        state[i] = value;
    }
}

static void NAMED(rct)(SAMPLE *restrict y, SAMPLE *restrict u, SAMPLE *restrict v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        UNSIGNED first = (UNSIGNED)u[i], second = (UNSIGNED)v[i];
        UNSIGNED green = (UNSIGNED)((UNSIGNED)y[i] - (UNSIGNED)((SAMPLE)(first + second) >> 2));
        y[i] = (SAMPLE)(second + green);
        u[i] = (SAMPLE)green;
        v[i] = (SAMPLE)(first + green);
    }
}

static void NAMED(finish)(
    const SAMPLE *restrict from, size_t count, uint32_t depth, bool is_signed, SAMPLE *restrict to)
{
    int32_t half = (int32_t)((uint32_t)1 << (depth - 1));
    SAMPLE low = (SAMPLE)(is_signed ? -half : 0), high = (SAMPLE)(is_signed ? half - 1 : half - 1 + half);
    UNSIGNED shift = (UNSIGNED)(is_signed ? 0 : half);
    for (size_t i = 0; i < count; i++) {
        SAMPLE value = (SAMPLE)((UNSIGNED)from[i] + shift);
        value = value < low ? low : value;
        to[i] = value > high ? high : value;
    }
}

#undef SAMPLE
#undef UNSIGNED
#undef NAMED
