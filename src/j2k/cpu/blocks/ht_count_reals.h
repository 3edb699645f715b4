/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of a cleanup pass from real coefficients, without their indices: a count needs only the exponent of
 * each sample, which is that of magnitude ÷ step − 1. A tier's source includes this header behind ht_encode_count.h.
 * Before, it defines struct j2k_ht_counted_row, which holds the exponents of a row of quads as bytes, with those of
 * quads without significant samples around them, and COUNTED_AT_ONCE, the quads that are counted together. Behind it
 * come the functions that are declared here.
 */

/*
 * Makes the exponents of the group of coefficients at x and y and, unless they are known, its bound and the largest
 * magnitude, as the bits of a float. `bound` may be null. Returns whether any exponent is not 0.
 */
ALWAYS_INLINE bool make_group(const struct j2k_ht_reals *reals, uint32_t x, uint32_t y, struct j2k_ht_counted_row *row,
    uint16_t *bound, int32_t *largest);

/* Sets the exponents of such a group to 0. */
ALWAYS_INLINE void clear_group(struct j2k_ht_counted_row *row, uint32_t x);

/* Prepares the first row of quads in encoder->row. */
ALWAYS_INLINE void take_first_row(struct j2k_ht_encoder *encoder, const struct j2k_ht_counted_row *row);

/*
 * Returns the bits of VLC and MagSgn of `count` quads below the first row, at most COUNTED_AT_ONCE, and appends their
 * events.
 */
ALWAYS_INLINE uint32_t count_some(const struct j2k_ht_counted_row *own, const struct j2k_ht_counted_row *above,
    uint32_t quad, uint32_t count, struct j2k_ht_events *events);

/* Prefetch two rows of the next block while this one is counted: rows are too far apart for processors to foresee. */
ALWAYS_INLINE void ask_for_next(const struct j2k_ht_reals *reals, uint32_t y, uint32_t group)
{
    if (!reals->next)
        return;
    const float *from = reals->next + y * reals->next_pitch;
    for (uint32_t x = 0; x < reals->width; x += J2K_HT_GROUP_COLUMNS, group++)
        if (!reals->next_bound || reals->next_bound[group] >= reals->next_least) {
            __builtin_prefetch(from + x);
            __builtin_prefetch(from + reals->next_pitch + x);
        }
}

/* Make the exponents of a row of quads. Returns whether any of them is not 0. */
ALWAYS_INLINE bool make_exponents(
    const struct j2k_ht_reals *reals, uint32_t y, struct j2k_ht_counted_row *row, int32_t *largest)
{
    const uint32_t groups = (reals->width + J2K_HT_GROUP_COLUMNS - 1) / J2K_HT_GROUP_COLUMNS;
    const uint16_t least = j2k_ht_least_bound(reals->factor);
    uint16_t *bound = reals->bound ? reals->bound + y / J2K_HT_GROUP_ROWS * groups : NULL;
    bool any = false;
    ask_for_next(reals, y, y / J2K_HT_GROUP_ROWS * groups);
    for (uint32_t group = 0; group < groups; group++) {
        const uint32_t x = J2K_HT_GROUP_COLUMNS * group;
        if (!reals->known || !bound || bound[group] >= least)
            any |= make_group(reals, x, y, row, bound ? bound + group : NULL, largest);
        else
            clear_group(row, x);
    }
    return any;
}

/* Count a row of quads below the first one. */
ALWAYS_INLINE uint32_t count_real_row(const struct j2k_ht_counted_row *own, const struct j2k_ht_counted_row *above,
    uint32_t quads, struct j2k_ht_counted_runs *runs)
{
    struct j2k_ht_events events = {0, 0};
    uint32_t bits = 0;
    for (uint32_t quad = 0; quad < quads; quad += COUNTED_AT_ONCE) {
        const uint32_t left = quads - quad;
        bits += count_some(own, above, quad, left < COUNTED_AT_ONCE ? left : COUNTED_AT_ONCE, &events);
        if (events.count > J2K_HT_QUADS_AT_ONCE - COUNTED_AT_ONCE) {
            count_events(runs, events);
            events = (struct j2k_ht_events){0, 0};
        }
    }
    count_events(runs, events);
    return bits;
}

static uint32_t count_reals(struct j2k_ht_encoder *encoder, const struct j2k_ht_reals *reals, float *largest)
{
    struct j2k_ht_counted_row row[2];
    struct j2k_ht_counted_runs runs = {0};
    const uint32_t quads = (reals->width + 1) / 2;
    bool some = false;
    uint32_t bits = 0;
    int32_t most = 0;
    encoder->width = reals->width;
    memset(row, 0, sizeof row);
    for (uint32_t y = 0; y < reals->height; y += 2) {
        struct j2k_ht_counted_row *own = &row[y / 2 % 2];
        const bool above = some;
        some = make_exponents(reals, y, own, &most);
        if (!some && !above) {
            count_zeros(&runs, quads); /* each quad has an event that does not happen */
        } else if (y == 0) {
            take_first_row(encoder, own);
            bits = count_first_row(encoder, &runs);
        } else
            bits += count_real_row(own, &row[(y / 2 + 1) % 2], quads, &runs);
    }
    if (!reals->known)
        memcpy(largest, &most, sizeof *largest);
    bits += runs.bits + (runs.run > 0);
    return *largest * reals->factor < 1 ? 0 : bits;
}
