/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines, for tiers that keep exponents by quads, how ht_count_reals.h clears them and prepares the first row. A
 * tier's source has keep_for_next() and make_codes() before.
 */

/* Return where the exponents of a quad are. */
ALWAYS_INLINE uint8_t *exponents_at(struct j2k_ht_counted_row *row, uint32_t quad)
{
    return row->exponent + (size_t)4 * (COUNTED_AROUND + quad);
}

ALWAYS_INLINE void clear_group(struct j2k_ht_counted_row *row, uint32_t x)
{
    memset(exponents_at(row, x / 2), 0, 2 * J2K_HT_GROUP_COLUMNS);
}

ALWAYS_INLINE void take_first_row(struct j2k_ht_encoder *encoder, const struct j2k_ht_counted_row *row)
{
    struct j2k_ht_above *own = &encoder->above[0];
    const uint32_t quads = (encoder->width + 1) / 2;
    memset(&encoder->above, 0, sizeof encoder->above);
    memcpy(encoder->row.exponent, row->exponent + 4 * COUNTED_AROUND, (size_t)4 * ((quads + 7) / 8 * 8));
    keep_for_next(encoder, own);
    for (uint32_t quad = 0; quad < quads; quad += 8)
        make_codes(encoder, quad, own, &encoder->above[1], true);
}
