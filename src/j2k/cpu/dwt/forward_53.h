/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the reversible forward steps for samples of one size; sums wrap in that size. This file is included once per
 * size, with SAMPLE and UNSIGNED defined as its types and NAMED() as the functions' names; it undefines all three.
 */

static void NAMED(rct)(SAMPLE *restrict red, SAMPLE *restrict green, SAMPLE *restrict blue, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        UNSIGNED r = (UNSIGNED)red[i], g = (UNSIGNED)green[i], b = (UNSIGNED)blue[i];
        red[i] = (SAMPLE)((SAMPLE)(r + 2 * g + b) >> 2);
        green[i] = (SAMPLE)(b - g);
        blue[i] = (SAMPLE)(r - g);
    }
}

/* Lifting steps: x − floor((a + b) / 2) and, below, x + floor((a + b + 2) / 4). */
static inline SAMPLE NAMED(predict)(SAMPLE x, SAMPLE a, SAMPLE b)
{
    SAMPLE sum = (SAMPLE)((UNSIGNED)a + (UNSIGNED)b);
    return (SAMPLE)((UNSIGNED)x - (UNSIGNED)(sum >> 1));
}

static inline SAMPLE NAMED(update)(SAMPLE x, SAMPLE a, SAMPLE b)
{
    SAMPLE sum = (SAMPLE)((UNSIGNED)a + (UNSIGNED)b + 2);
    return (SAMPLE)((UNSIGNED)x + (UNSIGNED)(sum >> 2));
}

static void NAMED(lift_53)(const SAMPLE *restrict even, const SAMPLE *restrict odd, const SAMPLE *restrict next,
    SAMPLE *restrict state, SAMPLE *restrict low, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        SAMPLE high = NAMED(predict)(odd[i], even[i], next[i]);
        low[i] = NAMED(update)(even[i], state[i], high);
        state[i] = high;
    }
}

DEINTERLEAVE(NAMED(pairs), SAMPLE)

static void NAMED(split_53)(
    const SAMPLE *row, const struct j2k_columns *columns, SAMPLE *restrict low, SAMPLE *restrict high, SAMPLE *room)
{
    if (columns->x1 - columns->x0 == 1) {
        if (columns->x0 % 2 == 0)
            *low = *row;
        else
            *high = (SAMPLE)((UNSIGNED)*row << 1);
        return;
    }
    const struct j2k_stored stored = find_stored(columns);
    int64_t x0 = columns->x0, x1 = columns->x1, first = x0 / 2 - 1, end = x1 / 2 + 2;
    size_t pairs = (size_t)(end - first);
    SAMPLE *restrict even = room, *restrict odd = room + pairs;
    NAMED(pairs)(row, x0, x1, first, end, even, odd);
    for (size_t i = 0; i + 1 < pairs; i++)
        odd[i] = NAMED(predict)(odd[i], even[i], even[i + 1]);
    const SAMPLE *restrict from = even + 1 + x0 % 2 + stored.low, *restrict around = odd + x0 % 2 + stored.low;
    for (size_t i = 0; i < stored.lows; i++)
        low[i] = NAMED(update)(from[i], around[i], around[i + 1]);
    memcpy(high, odd + 1 + stored.high, sizeof *high * stored.highs);
}

/* Write signs and magnitudes. The magnitude is below bit 31 also for the one number that has no negative. */
static void NAMED(sign)(const SAMPLE *restrict from, size_t count, uint32_t *restrict to)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = (uint32_t)from[i], sign = value >> 31;
        to[i] = (value ^ (0 - sign)) + sign + (sign << 31);
    }
}

#undef SAMPLE
#undef UNSIGNED
#undef NAMED
