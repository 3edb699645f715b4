/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of a cleanup pass of T.814 instead of writing them: sums of lengths, of which only MEL's depend on
 * the order. Stuffing is left out, because it depends on the bits themselves. A tier's source includes this header
 * behind ht_encode_cleanup.h, and defines row_bits().
 */

/* Returns the number of bits of VLC and MagSgn of a row of quads below the first one. */
static uint32_t row_bits(const struct j2k_ht_row *row, uint32_t quads);

/* Holds the state of the MEL coder while its bits are counted. */
struct j2k_ht_counted_runs {
    uint32_t state, run, bits;
};

ALWAYS_INLINE void count_zeros(struct j2k_ht_counted_runs *runs, uint32_t count)
{
    runs->run += count;
    while (runs->run >= UINT32_C(1) << run_exponents[runs->state]) {
        runs->run -= UINT32_C(1) << run_exponents[runs->state];
        runs->state += runs->state < J2K_HT_MEL_STATES - 1;
        runs->bits++;
    }
}

ALWAYS_INLINE void count_one(struct j2k_ht_counted_runs *runs)
{
    runs->bits += 1U + run_exponents[runs->state];
    runs->run = 0;
    runs->state -= runs->state > 0;
}

ALWAYS_INLINE void count_event(struct j2k_ht_counted_runs *runs, bool event)
{
    if (event)
        count_one(runs);
    else
        count_zeros(runs, 1);
}

ALWAYS_INLINE void count_events(struct j2k_ht_counted_runs *runs, struct j2k_ht_events events)
{
    for (uint64_t left = events.bits; left != 0;) {
        const uint32_t zeros = (uint32_t)__builtin_ctzll(left);
        count_zeros(runs, zeros);
        count_one(runs);
        left >>= zeros + 1;
        events.count -= zeros + 1;
    }
    count_zeros(runs, events.count);
}

/* Return the bits of a quad's codeword and of its MagSgn. */
ALWAYS_INLINE uint32_t quad_bits(const struct j2k_ht_row *row, bool first, uint32_t quad)
{
    const uint32_t code = row->code[quad], rho = code >> 4 & 15, entry = codes[!first][code];
    return J2K_HT_CODE_LENGTH(entry) + (uint32_t)__builtin_popcount(rho) * row->bound[quad] -
           (uint32_t)__builtin_popcount(J2K_HT_CODE_KNOWN(entry));
}

ALWAYS_INLINE uint32_t excess_bits(uint32_t excess)
{
    return PREFIX_LENGTH(excess) + SUFFIX_LENGTH(excess);
}

/*
 * Return the bits of both u of a pair in the first row of quads, and count their event, as add_first_excesses() codes
 * them.
 */
static uint32_t first_excess_bits(struct j2k_ht_counted_runs *runs, uint32_t first, uint32_t second)
{
    if (first == 0 || second == 0)
        return excess_bits(first) + excess_bits(second);
    const bool both = first > 2 && second > 2;
    count_event(runs, both);
    if (both)
        return excess_bits(first - 2) + excess_bits(second - 2);
    return excess_bits(first) + (first > 2 ? 1 : excess_bits(second));
}

static uint32_t count_first_row(struct j2k_ht_encoder *encoder, struct j2k_ht_counted_runs *runs)
{
    const struct j2k_ht_row *row = &encoder->row;
    const uint32_t quads = (encoder->width + 1) / 2;
    uint32_t bits = 0;
    for (uint32_t quad = 0; quad < quads; quad += 2) {
        const uint32_t end = quads - quad < 2 ? quad + 1 : quad + 2;
        for (uint32_t q = quad; q < end; q++) {
            if (row->code[q] < 256)
                count_event(runs, row->code[q] != 0);
            bits += quad_bits(row, true, q);
        }
        bits += first_excess_bits(runs, row->excess[quad], end - quad < 2 ? 0 : row->excess[quad + 1]);
    }
    return bits;
}

static uint32_t count_row(struct j2k_ht_encoder *encoder, struct j2k_ht_counted_runs *runs)
{
    const struct j2k_ht_row *row = &encoder->row;
    const uint32_t quads = (encoder->width + 1) / 2;
    for (uint32_t quad = 0; quad < quads; quad += J2K_HT_QUADS_AT_ONCE) {
        const uint32_t left = quads - quad;
        count_events(runs, row_events(row, quad, left < J2K_HT_QUADS_AT_ONCE ? left : J2K_HT_QUADS_AT_ONCE));
    }
    return row_bits(row, quads);
}

static uint32_t count(struct j2k_ht_encoder *encoder)
{
    struct j2k_ht_counted_runs runs = {0};
    const uint32_t quads = (encoder->width + 1) / 2;
    uint32_t bits = 0;
    memset(&encoder->above, 0, sizeof encoder->above);
    for (uint32_t y = 0; y < encoder->height; y += 2) {
        if (!make_row(encoder, y))
            count_zeros(&runs, quads); /* each quad has an event that does not happen */
        else
            bits += y == 0 ? count_first_row(encoder, &runs) : count_row(encoder, &runs);
    }
    return bits + runs.bits + (runs.run > 0);
}
