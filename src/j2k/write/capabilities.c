/* SPDX-License-Identifier: BSD-2-Clause */
/* Determines the contents of CAP for a coded image, which depend on all of its other marker segments. */
#include "j2k/write/capabilities.h"

#include "j2k/syntax/ccap.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"

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

void kst_j2k_put_capabilities(struct sink *sink, const struct j2k_coded *coded, bool packed)
{
    const struct j2k_plan *plan = &coded->plan;
    const uint16_t profile = coded->headers.size.capabilities & (J2K_RSIZ_CAP - 1);
    struct findings findings = {0};
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        add_component(&findings, plan, &plan->tile_component[i]);
    size_t begin = kst_j2k_segment_begin(sink, J2K_CAP);
    kst_sink_u32(sink, J2K_PCAP_HT);
    kst_sink_u16(
        sink, (uint16_t)((findings.other ? J2K_CCAP_DECLARED << J2K_CCAP_KIND : 0) |
                         (findings.regions ? J2K_CCAP_REGIONS : 0) | (coded->tile || packed ? J2K_CCAP_PARTS : 0) |
                         (findings.irreversible ? J2K_CCAP_IRREVERSIBLE : 0) | j2k_ccap_parameter(findings.bound)));
    kst_j2k_segment_end(sink, begin);
    if (profile == 0)
        return;
    begin = kst_j2k_segment_begin(sink, J2K_CPF);
    kst_sink_u16(sink, (uint16_t)(profile + 1));
    kst_j2k_segment_end(sink, begin);
}
