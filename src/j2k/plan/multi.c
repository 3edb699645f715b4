/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what a transform does to components: how many there are, and of which numbers; which of them hold the bands
 * of a wavelet along z, and how much errors in these count.
 */
#include "j2k/plan/multi.h"

#include "j2k/plan/norms.h"

uint32_t kst_j2k_multi_most(const struct j2k_multi *multi, uint32_t coded)
{
    uint32_t most = coded;
    for (uint32_t s = 0; s < multi->stage_count; s++)
        most = multi->stage[s].made > most ? multi->stage[s].made : most;
    for (uint32_t c = 0; c < multi->collection_count; c++)
        most = multi->collection[c].count > most ? multi->collection[c].count : most;
    return most;
}

bool kst_j2k_multi_makes_reals(const struct j2k_multi_collection *collection, bool real)
{
    if (collection->kind == J2K_MULTI_WAVELET || collection->array >= 0)
        return !collection->reversible;
    return real;
}

struct j2k_multi_sample kst_j2k_multi_common(struct j2k_multi_sample a, struct j2k_multi_sample b)
{
    const bool is_signed = a.is_signed || b.is_signed;
    const uint8_t of_a = (uint8_t)(a.depth + (is_signed && !a.is_signed)),
                  of_b = (uint8_t)(b.depth + (is_signed && !b.is_signed));
    return (struct j2k_multi_sample){.depth = of_a > of_b ? of_a : of_b, .is_signed = is_signed};
}

const struct j2k_multi_collection *kst_j2k_multi_brick(const struct j2k_multi *multi)
{
    const struct j2k_multi_collection *only = multi->collection;
    if (multi->stage_count != 1 || multi->stage[0].collection_count != 1)
        return NULL;
    only += multi->stage[0].first_collection;
    if (only->kind != J2K_MULTI_WAVELET || only->count != multi->sample_count)
        return NULL;
    for (uint32_t i = 0; i < only->count; i++)
        if (multi->index[only->input + i] != i || multi->index[only->output + i] != i)
            return NULL;
    return only;
}

struct j2k_z_range kst_j2k_z_band(struct j2k_z_range range, uint32_t high)
{
    const uint64_t add = 1 - high;
    return (struct j2k_z_range){(uint32_t)((range.start + add) / 2), (uint32_t)((range.end + add) / 2)};
}

void kst_j2k_z_layout(const struct j2k_multi_collection *wavelet, struct j2k_z_layout *layout)
{
    uint32_t behind = wavelet->count;
    layout->range[0] = (struct j2k_z_range){wavelet->origin, wavelet->origin + wavelet->count};
    for (uint32_t n = 1; n <= wavelet->levels; n++) {
        const struct j2k_z_range high = kst_j2k_z_band(layout->range[n - 1], 1);
        layout->range[n] = kst_j2k_z_band(layout->range[n - 1], 0);
        behind -= high.end - high.start;
        layout->high[n] = behind;
    }
}

uint32_t kst_j2k_z_component(const struct j2k_z_layout *layout, uint32_t n, uint32_t high, uint32_t position)
{
    if (!high)
        return position - layout->range[n].start;
    return layout->high[n] + position - kst_j2k_z_band(layout->range[n - 1], 1).start;
}

static struct j2k_z_range enlarge(struct j2k_z_range range, uint32_t margin, struct j2k_z_range all)
{
    return (struct j2k_z_range){.start = range.start - all.start > margin ? range.start - margin : all.start,
        .end = all.end - range.end > margin ? range.end + margin : all.end};
}

void kst_j2k_z_need(const struct j2k_z_layout *layout, uint32_t levels, uint32_t reduce, struct j2k_z_range wanted,
    uint32_t margin, struct j2k_z_need *need)
{
    need->reduce = reduce;
    need->levels = levels;
    for (uint32_t n = reduce; n <= levels; n++) {
        need->valid[n] = wanted;
        need->computed[n] = n < levels ? enlarge(wanted, margin, layout->range[n]) : wanted;
        wanted = kst_j2k_z_band(need->computed[n], 0);
    }
}

uint32_t kst_j2k_z_level_of(const struct j2k_multi_collection *wavelet, uint32_t index, bool *low)
{
    struct j2k_z_layout layout;
    kst_j2k_z_layout(wavelet, &layout);
    *low = false;
    for (uint32_t n = 1; n <= wavelet->levels; n++)
        if (index >= layout.high[n])
            return n;
    *low = true;
    return wavelet->levels;
}

void kst_j2k_z_norms(const struct j2k_multi_collection *wavelet, double *norm)
{
    struct j2k_norms norms;
    kst_j2k_norms(wavelet->reversible, &norms);
    for (uint32_t c = 0; c < wavelet->count; c++) {
        bool low;
        const uint32_t level = kst_j2k_z_level_of(wavelet, c, &low);
        norm[c] = low ? norms.low[level] : norms.high[level];
    }
}
