/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of a cleanup pass from real coefficients, without their indices: a count needs only the exponent of
 * each sample, which is that of magnitude ÷ step − 1. Exponents are bytes, four to a quad.
 */

enum { COUNTED_AROUND = 8 /* quads of zeros beside a row */ };

/* Holds the exponents of two rows of quads in turn. */
struct j2k_ht_counted_rows {
    uint8_t exponent[2][4 * (J2K_HT_ROW_QUADS + 2 * COUNTED_AROUND)];
    bool some[2]; /* there is a sample that is not 0 */
};

/* Load the magnitudes of eight coefficients; those from `count` on are 0. */
ALWAYS_INLINE __m256i load_magnitudes(const float *from, uint32_t count)
{
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), sizes = _mm256_set1_epi32(0x7FFFFFFF);
    if (count >= 8)
        return _mm256_and_si256(_mm256_castps_si256(_mm256_loadu_ps(from)), sizes);
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), order);
    return _mm256_and_si256(_mm256_castps_si256(_mm256_maskload_ps(from, there)), sizes);
}

/*
 * Return the sign and the exponent of magnitudes ÷ step − 1: exact below 2^24, and less than 0 where that is negative.
 */
ALWAYS_INLINE __m256i tops_of(__m256i magnitudes, __m256 factor)
{
    const __m256 less = _mm256_sub_ps(_mm256_mul_ps(_mm256_castsi256_ps(magnitudes), factor), _mm256_set1_ps(1));
    return _mm256_srai_epi32(_mm256_castps_si256(less), 23);
}

/* Holds sixteen coefficients of a row. */
struct j2k_ht_real_vectors {
    __m256i first, second;
};

ALWAYS_INLINE struct j2k_ht_real_vectors load_reals(const float *from, uint32_t count)
{
    return (struct j2k_ht_real_vectors){
        load_magnitudes(from, count), load_magnitudes(from + 8, count > 8 ? count - 8 : 0)};
}

/* Make the exponents of eight quads from sixteen columns of two rows. */
ALWAYS_INLINE __m256i quad_exponents(struct j2k_ht_real_vectors upper, struct j2k_ht_real_vectors lower, __m256 factor)
{
    const __m256i places = _mm256_setr_epi8(
        0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const __m256i bias = _mm256_set1_epi16(125);
    __m256i up = _mm256_packs_epi32(tops_of(upper.first, factor), tops_of(upper.second, factor));
    __m256i low = _mm256_packs_epi32(tops_of(lower.first, factor), tops_of(lower.second, factor));
    __m256i bytes = _mm256_packs_epi16(_mm256_sub_epi16(up, bias), _mm256_sub_epi16(low, bias));
    bytes = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, places), 0xD8);
    const __m256i some = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(-126)); /* −125 stands for a quotient of 1 */
    return _mm256_and_si256(_mm256_max_epi8(bytes, _mm256_set1_epi8(1)), some);
}

/* Prefetch two rows of the next block while this one is counted: rows are too far apart for processors to foresee. */
ALWAYS_INLINE void ask_for_next(const struct j2k_ht_reals *reals, uint32_t y, uint32_t group)
{
    if (!reals->next)
        return;
    const float *from = reals->next + y * reals->next_pitch;
    for (uint32_t x = 0; x < reals->width; x += J2K_HT_GROUP_COLUMNS, group++)
        if (!reals->next_bound || reals->next_bound[group] >= reals->next_least) {
            _mm_prefetch((const char *)(from + x), _MM_HINT_T0);
            _mm_prefetch((const char *)(from + reals->next_pitch + x), _MM_HINT_T0);
        }
}

ALWAYS_INLINE int32_t largest_of(__m256i numbers)
{
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    most = _mm_max_epi32(most, _mm_srli_si128(most, 8));
    return _mm_cvtsi128_si32(_mm_max_epi32(most, _mm_srli_si128(most, 4)));
}

/* Make the exponents of a group and, unless they are known, its bound and the largest magnitude. */
ALWAYS_INLINE __m256i group_exponents(
    const struct j2k_ht_reals *reals, uint32_t x, uint32_t y, uint16_t *bound, int32_t *largest)
{
    const float *from = reals->first + y * reals->pitch + x;
    const struct j2k_ht_real_vectors upper = load_reals(from, reals->width - x);
    struct j2k_ht_real_vectors lower = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    if (y + 1 < reals->height)
        lower = load_reals(from + reals->pitch, reals->width - x);
    if (!reals->known) {
        const int32_t most = largest_of(
            _mm256_max_epi32(_mm256_max_epi32(upper.first, upper.second), _mm256_max_epi32(lower.first, lower.second)));
        *largest = most > *largest ? most : *largest;
        if (bound)
            *bound = (uint16_t)((most >> 16) + 1);
    }
    return quad_exponents(upper, lower, _mm256_set1_ps(reals->factor));
}

/* Make the exponents of a row of quads. Returns whether any of them is not 0. */
ALWAYS_INLINE bool make_exponents(const struct j2k_ht_reals *reals, uint32_t y, uint8_t *to, int32_t *largest)
{
    const uint32_t groups = (reals->width + J2K_HT_GROUP_COLUMNS - 1) / J2K_HT_GROUP_COLUMNS;
    const uint16_t least = j2k_ht_least_bound(reals->factor);
    uint16_t *bound = reals->bound ? reals->bound + y / J2K_HT_GROUP_ROWS * groups : NULL;
    __m256i any = _mm256_setzero_si256();
    ask_for_next(reals, y, y / J2K_HT_GROUP_ROWS * groups);
    for (uint32_t group = 0; group < groups; group++, to += 32) {
        __m256i exponents = _mm256_setzero_si256();
        if (!reals->known || !bound || bound[group] >= least)
            exponents = group_exponents(reals, J2K_HT_GROUP_COLUMNS * group, y, bound ? bound + group : NULL, largest);
        any = _mm256_or_si256(any, exponents);
        _mm256_storeu_si256((__m256i *)(void *)to, exponents);
    }
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_setzero_si256());
    return _mm256_testz_si256(any, any) == 0;
}

ALWAYS_INLINE __m256i load_quads(const uint8_t *exponents)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)exponents);
}

/* Add up the four bytes of each of eight quads. */
ALWAYS_INLINE __m256i add_bytes(__m256i bytes)
{
    return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

/* Holds the exponents of eight quads, of those on their left, and of those above them from left to right. */
struct j2k_ht_quad_vectors {
    __m256i own, left, above[3];
};

/* Return the contexts of quads below the first row, times 256. */
ALWAYS_INLINE __m256i contexts_of(const struct j2k_ht_quad_vectors *q, __m256i north, __m256i far)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i west = _mm256_or_si256(_mm256_srli_epi32(q->above[0], 24), north);
    const __m256i east = _mm256_or_si256(_mm256_srli_epi32(q->above[1], 24), far);
    __m256i context = _mm256_and_si256(_mm256_cmpgt_epi32(west, zero), _mm256_set1_epi32(0x100));
    context = _mm256_or_si256(
        context, _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_srli_epi32(q->left, 16), zero), _mm256_set1_epi32(0x200)));
    return _mm256_or_si256(context, _mm256_and_si256(_mm256_cmpgt_epi32(east, zero), _mm256_set1_epi32(0x400)));
}

/* Return the bits of VLC and MagSgn of eight quads below the first row; only quads in `there` count. */
ALWAYS_INLINE __m256i count_quads(const struct j2k_ht_quad_vectors *q, __m256i there, struct j2k_ht_events *events)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), byte = _mm256_set1_epi32(255);
    const __m256i repeat = _mm256_setr_epi8(
        0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    const __m256i north = _mm256_and_si256(_mm256_srli_epi32(q->above[1], 8), byte);
    const __m256i far = _mm256_and_si256(_mm256_srli_epi32(q->above[2], 8), byte);
    const __m256i context = contexts_of(q, north, far);
    __m256i around = _mm256_max_epi32(_mm256_max_epi32(_mm256_srli_epi32(q->above[0], 24), north),
        _mm256_max_epi32(_mm256_srli_epi32(q->above[1], 24), far));
    __m256i most = _mm256_max_epu8(q->own, _mm256_srli_epi32(q->own, 16));
    most = _mm256_and_si256(_mm256_max_epu8(most, _mm256_srli_epi32(most, 8)), byte);
    const __m256i some = _mm256_cmpgt_epi8(q->own, zero);
    const __m256i rho = add_bytes(_mm256_and_si256(some, _mm256_set1_epi32(0x08040201)));
    const __m256i samples = count_bits(rho);
    around = _mm256_and_si256(_mm256_sub_epi32(around, one), _mm256_cmpgt_epi32(samples, one));
    const __m256i kappa = _mm256_max_epi32(around, one), bound = _mm256_max_epi32(most, kappa);
    const __m256i excess = _mm256_sub_epi32(bound, kappa);
    __m256i equal = _mm256_cmpeq_epi8(q->own, _mm256_shuffle_epi8(most, repeat));
    equal = _mm256_and_si256(_mm256_and_si256(equal, some), _mm256_set1_epi32(0x08040201));
    const __m256i eps = _mm256_and_si256(add_bytes(equal), _mm256_cmpgt_epi32(excess, zero));
    const __m256i code = _mm256_or_si256(_mm256_or_si256(context, eps), _mm256_slli_epi32(rho, 4));
    const __m256i entry = look_up(_mm256_and_si256(code, there));
    const uint32_t asks =
        (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(_mm256_cmpeq_epi32(context, zero), there)));
    const uint32_t happen = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(rho, zero)));
    events->bits |= _pext_u32(happen, asks) << events->count;
    events->count += (uint32_t)__builtin_popcount(asks);
    const __m256i length = _mm256_and_si256(_mm256_srli_epi32(entry, 8), _mm256_set1_epi32(7));
    const __m256i known = count_bits(_mm256_srli_epi32(entry, 12));
    const __m256i signs = _mm256_sub_epi32(_mm256_mullo_epi16(samples, bound), known);
    return _mm256_add_epi32(_mm256_add_epi32(length, signs), excess_lengths(excess));
}

/* Count a row of quads below the first one. */
ALWAYS_INLINE __m256i count_real_row(
    const uint8_t *own, const uint8_t *above, uint32_t quads, struct j2k_ht_counted_runs *runs)
{
    const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    struct j2k_ht_events events = {0, 0};
    __m256i sum = _mm256_setzero_si256();
    for (uint32_t quad = 0; quad < quads; quad += 8, own += 32, above += 32) {
        const struct j2k_ht_quad_vectors q = {
            load_quads(own), load_quads(own - 4), {load_quads(above - 4), load_quads(above), load_quads(above + 4)}};
        const uint32_t count = quads - quad < 8 ? quads - quad : 8;
        __m256i any = _mm256_or_si256(_mm256_or_si256(q.own, q.left), _mm256_or_si256(q.above[0], q.above[2]));
        if (_mm256_testz_si256(any, any)) { /* also of above[1], which lies between */
            events.count += count;
        } else {
            const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)count), order);
            sum = _mm256_add_epi32(sum, count_quads(&q, there, &events));
        }
        if (events.count > J2K_HT_QUADS_AT_ONCE - 8) {
            count_events(runs, events);
            events = (struct j2k_ht_events){0, 0};
        }
    }
    count_events(runs, events);
    return sum;
}

/* Count the first row of quads, of which only exponents are known. */
static uint32_t count_real_first(
    struct j2k_ht_encoder *encoder, const uint8_t *exponents, struct j2k_ht_counted_runs *runs)
{
    struct j2k_ht_above *own = &encoder->above[0];
    const uint32_t quads = (encoder->width + 1) / 2;
    memset(&encoder->above, 0, sizeof encoder->above);
    memcpy(encoder->row.exponent, exponents, (size_t)4 * ((quads + 7) / 8 * 8));
    keep_for_next(encoder, own);
    for (uint32_t quad = 0; quad < quads; quad += 8)
        make_codes(encoder, quad, own, &encoder->above[1], true);
    return count_first_row(encoder, runs);
}

static uint32_t count_reals(struct j2k_ht_encoder *encoder, const struct j2k_ht_reals *reals, float *largest)
{
    enum { MARGIN = 4 * COUNTED_AROUND };
    struct j2k_ht_counted_rows rows;
    struct j2k_ht_counted_runs runs = {0};
    const uint32_t quads = (reals->width + 1) / 2;
    uint32_t bits = 0;
    int32_t most = 0;
    __m256i sum = _mm256_setzero_si256();
    encoder->width = reals->width;
    for (uint32_t i = 0; i < 2; i++)
        _mm256_storeu_si256((__m256i *)(void *)rows.exponent[i], _mm256_setzero_si256());
    for (uint32_t y = 0; y < reals->height; y += 2) {
        uint8_t *own = rows.exponent[y / 2 % 2] + MARGIN;
        rows.some[y / 2 % 2] = make_exponents(reals, y, own, &most);
        if (!rows.some[y / 2 % 2] && (y == 0 || !rows.some[(y / 2 + 1) % 2]))
            count_zeros(&runs, quads); /* each quad has an event that does not happen */
        else if (y == 0)
            bits = count_real_first(encoder, own, &runs);
        else
            sum = _mm256_add_epi32(sum, count_real_row(own, rows.exponent[(y / 2 + 1) % 2] + MARGIN, quads, &runs));
    }
    if (!reals->known)
        memcpy(largest, &most, sizeof *largest);
    bits += add_lanes(sum) + runs.bits + (runs.run > 0);
    return *largest * reals->factor < 1 ? 0 : bits;
}
