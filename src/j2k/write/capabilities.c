/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines the contents of CAP for a coded image, which depend on all of its other marker segments. */
#include "j2k/write/capabilities.h"

#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"

enum {
    PART_15 = 0x00020000,   /* the bit of Pcap for T.814 */
    DECLARED = 0x8000,      /* in Ccap15: some tile-components have T.800 code-blocks */
    REGIONS = 0x1000,       /* there is RGN */
    HETEROGENEOUS = 0x0800, /* tile-parts change parameters */
    IRREVERSIBLE = 0x0020
};

/* Holds what is found out about the tile-components of an image. */
struct findings {
    bool ht, other, irreversible, regions;
    uint32_t bound; /* most bits of a magnitude that a cleanup pass may code */
};

static bool style_is_ht(const struct j2k_coding *coding)
{
    return (coding->style & J2K_STYLE_HT) != 0;
}

static bool has_ht(const struct j2k_parameters *parameters, uint32_t components)
{
    for (uint32_t c = 0; c < components; c++)
        if (style_is_ht(&parameters->coding[c]))
            return true;
    return false;
}

bool kst_j2k_coded_has_ht(const struct j2k_coded *coded)
{
    const uint32_t components = coded->headers.component_count;
    bool found = has_ht(&coded->headers.main, components);
    for (uint32_t t = 0; coded->tile && t < coded->headers.size.columns * coded->headers.size.rows && !found; t++)
        found = has_ht(&coded->tile[t], components);
    return found;
}

/*
 * Return the bound of a band. A coefficient of a reversible transform has at most M_b bits. Coefficients of the
 * irreversible transform are bounded by the range of their band without the band's gain, for which steps are finer in
 * deeper levels.
 */
static uint32_t band_bound(const struct j2k_tile_component *tc, const struct j2k_band *band, uint32_t resolution)
{
    const uint32_t level = resolution == 0 ? tc->levels : tc->levels + 1u - resolution;
    const uint32_t less = tc->reversible || level == 0 ? 0 : level - 1;
    return band->planes > less ? band->planes - less : 0;
}

static void add_component(struct findings *findings, const struct j2k_plan *plan, const struct j2k_tile_component *tc)
{
    findings->other |= (tc->style & J2K_STYLE_HT) == 0;
    findings->regions |= tc->roi_shift > 0;
    findings->irreversible |= !tc->reversible;
    if ((tc->style & J2K_STYLE_HT) == 0)
        return;
    findings->ht = true;
    for (uint32_t r = 0; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        for (uint32_t b = 0; b < resolution->band_count; b++) {
            uint32_t bound = band_bound(tc, &plan->band[resolution->first_band + b], r);
            findings->bound = bound > findings->bound ? bound : findings->bound;
        }
    }
}

/* Return the parameter P of Ccap15 for a bound, or for the next greater one (T.814 Table A.3). */
static uint32_t code_bound(uint32_t bound)
{
    if (bound <= 8)
        return 0;
    if (bound <= 27)
        return bound - 8;
    return bound <= 71 ? 19 + (bound - 27 + 3) / 4 : 31;
}

void kst_j2k_put_capabilities(struct sink *sink, const struct j2k_coded *coded)
{
    const struct j2k_plan *plan = &coded->plan;
    const uint16_t profile = coded->headers.size.capabilities & (J2K_RSIZ_CAP - 1);
    struct findings findings = {0};
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        add_component(&findings, plan, &plan->tile_component[i]);
    size_t begin = kst_j2k_segment_begin(sink, J2K_CAP);
    kst_sink_u32(sink, PART_15);
    kst_sink_u16(sink, (uint16_t)((findings.other ? DECLARED : 0) | (findings.regions ? REGIONS : 0) |
                                  (coded->tile ? HETEROGENEOUS : 0) | (findings.irreversible ? IRREVERSIBLE : 0) |
                                  code_bound(findings.bound)));
    kst_j2k_segment_end(sink, begin);
    if (profile == 0)
        return;
    begin = kst_j2k_segment_begin(sink, J2K_CPF);
    kst_sink_u16(sink, (uint16_t)(profile + 1));
    kst_j2k_segment_end(sink, begin);
}
