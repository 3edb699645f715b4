/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes marker segments; components with the same parameters as component 0 need no COC and QCC. */
#include "j2k/write/marker_writer.h"

#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/capabilities.h"

enum {
    SCOD_PRECINCTS = 1,
    SCOD_SOP = 2,
    SCOD_EPH = 4,
    NARROW_COMPONENTS = 257, /* with fewer components than this, the index of a component takes one byte */
    WHOLE_PRECINCT = 0xFF
};

size_t kst_j2k_segment_begin(struct sink *sink, uint8_t marker)
{
    kst_sink_u16(sink, (uint16_t)(0xFF00U | marker));
    kst_sink_u16(sink, 0);
    return sink->length;
}

void kst_j2k_segment_end(struct sink *sink, size_t begin)
{
    if (!sink->status)
        j2k_put16(sink->data + begin - 2, (uint32_t)(sink->length - begin + 2));
}

static void put_size(struct sink *sink, const struct j2k_stream *headers, bool has_ht)
{
    const struct j2k_size *size = &headers->size;
    size_t begin = kst_j2k_segment_begin(sink, J2K_SIZ);
    kst_sink_u16(
        sink, (uint16_t)((has_ht ? J2K_RSIZ_CAP : size->capabilities) | (headers->multi.allowed ? J2K_RSIZ_MULTI : 0)));
    const uint32_t numbers[] = {size->image.x1, size->image.y1, size->image.x0, size->image.y0, size->tile_width,
        size->tile_height, size->tile_x, size->tile_y};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        kst_sink_u32(sink, numbers[i]);
    kst_sink_u16(sink, (uint16_t)headers->component_count);
    for (uint32_t c = 0; c < headers->component_count; c++) {
        const struct j2k_component_size *component = &headers->component[c];
        kst_sink_u8(sink, (uint8_t)((component->depth - 1) | (component->is_signed ? 0x80 : 0)));
        kst_sink_u8(sink, component->dx);
        kst_sink_u8(sink, component->dy);
    }
    kst_j2k_segment_end(sink, begin);
}

static void put_index(struct sink *sink, uint32_t components, uint32_t component)
{
    if (components < NARROW_COMPONENTS)
        kst_sink_u8(sink, (uint8_t)component);
    else
        kst_sink_u16(sink, (uint16_t)component);
}

static bool has_precincts(const struct j2k_coding *coding)
{
    for (uint32_t r = 0; r <= coding->levels; r++)
        if (coding->precinct[r] != WHOLE_PRECINCT)
            return true;
    return false;
}

/* Write SPcod or SPcoc (Table A.15). */
static void put_coding(struct sink *sink, const struct j2k_coding *coding)
{
    kst_sink_u8(sink, coding->levels);
    kst_sink_u8(sink, (uint8_t)(coding->block_width - 2));
    kst_sink_u8(sink, (uint8_t)(coding->block_height - 2));
    kst_sink_u8(sink, coding->style);
    kst_sink_u8(sink, coding->reversible);
    if (has_precincts(coding))
        kst_sink_bytes(sink, coding->precinct, coding->levels + 1U);
}

static bool same_coding(const struct j2k_coding *a, const struct j2k_coding *b)
{
    return a->levels == b->levels && a->block_width == b->block_width && a->block_height == b->block_height &&
           a->style == b->style && a->reversible == b->reversible &&
           memcmp(a->precinct, b->precinct, a->levels + 1U) == 0;
}

/* Write COD for component 0, and COC for each component that differs from it. */
static void put_codings(struct sink *sink, const struct j2k_parameters *parameters, uint32_t components)
{
    const struct j2k_coding *first = &parameters->coding[0];
    size_t begin = kst_j2k_segment_begin(sink, J2K_COD);
    kst_sink_u8(sink, (uint8_t)((has_precincts(first) ? SCOD_PRECINCTS : 0) | (parameters->sop ? SCOD_SOP : 0) |
                                (parameters->eph ? SCOD_EPH : 0)));
    kst_sink_u8(sink, parameters->progression);
    kst_sink_u16(sink, parameters->layers);
    kst_sink_u8(sink, (uint8_t)(parameters->transform | parameters->multi << 1));
    put_coding(sink, first);
    kst_j2k_segment_end(sink, begin);
    for (uint32_t c = 1; c < components; c++) {
        const struct j2k_coding *coding = &parameters->coding[c];
        if (same_coding(coding, first))
            continue;
        begin = kst_j2k_segment_begin(sink, J2K_COC);
        put_index(sink, components, c);
        kst_sink_u8(sink, has_precincts(coding) ? SCOD_PRECINCTS : 0);
        put_coding(sink, coding);
        kst_j2k_segment_end(sink, begin);
    }
}

/* Write Sqcd and SPqcd (Table A.28). */
static void put_steps(struct sink *sink, const struct j2k_quantisation *quantisation)
{
    kst_sink_u8(sink, (uint8_t)(quantisation->guard << 5 | quantisation->style));
    for (uint32_t i = 0; i < quantisation->count; i++) {
        if (quantisation->style == 0)
            kst_sink_u8(sink, (uint8_t)(quantisation->step[i] >> 11 << 3));
        else
            kst_sink_u16(sink, quantisation->step[i]);
    }
}

static bool same_steps(const struct j2k_quantisation *a, const struct j2k_quantisation *b)
{
    return a->style == b->style && a->guard == b->guard && a->count == b->count &&
           memcmp(a->step, b->step, a->count * sizeof a->step[0]) == 0;
}

static void put_quantisations(struct sink *sink, const struct j2k_parameters *parameters, uint32_t components)
{
    const struct j2k_quantisation *first = &parameters->quantisation[0];
    size_t begin = kst_j2k_segment_begin(sink, J2K_QCD);
    put_steps(sink, first);
    kst_j2k_segment_end(sink, begin);
    for (uint32_t c = 1; c < components; c++) {
        if (same_steps(&parameters->quantisation[c], first))
            continue;
        begin = kst_j2k_segment_begin(sink, J2K_QCC);
        put_index(sink, components, c);
        put_steps(sink, &parameters->quantisation[c]);
        kst_j2k_segment_end(sink, begin);
    }
}

/*
 * Write RGN for each component whose shift differs from the one in force. `before` null: no shift is in force, which
 * means 0.
 */
static void put_rois(struct sink *sink, const uint8_t *shift, const uint8_t *before, uint32_t components)
{
    for (uint32_t c = 0; c < components; c++) {
        if (shift[c] == (before ? before[c] : 0))
            continue;
        size_t begin = kst_j2k_segment_begin(sink, J2K_RGN);
        put_index(sink, components, c);
        kst_sink_u8(sink, 0);
        kst_sink_u8(sink, shift[c]);
        kst_j2k_segment_end(sink, begin);
    }
}

static void put_volumes(struct sink *sink, const struct j2k_volume *volume, uint32_t count, uint32_t components)
{
    size_t begin = kst_j2k_segment_begin(sink, J2K_POC);
    for (uint32_t i = 0; i < count; i++) {
        kst_sink_u8(sink, volume[i].r0);
        put_index(sink, components, volume[i].c0);
        kst_sink_u16(sink, volume[i].layers);
        kst_sink_u8(sink, volume[i].r1);
        put_index(sink, components,
            volume[i].c1 & (components < NARROW_COMPONENTS ? 0xFF : 0xFFFF)); /* 256 is written as 0 */
        kst_sink_u8(sink, volume[i].progression);
    }
    kst_j2k_segment_end(sink, begin);
}

static void put_comment(struct sink *sink, const struct j2k_comment *comment)
{
    size_t begin = kst_j2k_segment_begin(sink, J2K_COM);
    kst_sink_u16(sink, comment->text);
    kst_sink_bytes(sink, comment->data, comment->length);
    kst_j2k_segment_end(sink, begin);
}

static void put_copied(struct sink *sink, const struct j2k_copied_segment *segment)
{
    size_t begin = kst_j2k_segment_begin(sink, segment->marker);
    kst_sink_bytes(sink, segment->data, segment->length);
    kst_j2k_segment_end(sink, begin);
}

void kst_j2k_put_main_header(struct sink *sink, const struct j2k_coded *coded, const struct j2k_writing *writing)
{
    const struct j2k_stream *headers = &coded->headers;
    const struct j2k_parameters *parameters = &headers->main;
    uint32_t components = headers->component_count;
    kst_sink_u16(sink, 0xFF00U | J2K_SOC);
    put_size(sink, headers, kst_j2k_coded_has_ht(coded));
    if (kst_j2k_coded_has_ht(coded))
        kst_j2k_put_capabilities(sink, coded, writing->packed == KST_J2K_HEADERS_PPT);
    kst_j2k_put_multi(sink, &headers->multi);
    for (uint32_t i = 0; i < writing->copied_count; i++)
        put_copied(sink, &writing->copied[i]);
    put_codings(sink, parameters, components);
    put_quantisations(sink, parameters, components);
    put_rois(sink, parameters->roi_shift, NULL, components);
    if (parameters->volume_count)
        put_volumes(sink, parameters->volume, parameters->volume_count, components);
    if (writing->registration) {
        size_t begin = kst_j2k_segment_begin(sink, J2K_CRG);
        for (uint32_t i = 0; i < 2 * components; i++)
            kst_sink_u16(sink, writing->registration[i]);
        kst_j2k_segment_end(sink, begin);
    }
    for (uint32_t i = 0; i < writing->comment_count; i++)
        put_comment(sink, &writing->comment[i]);
}

static bool coding_differs(const struct j2k_parameters *a, const struct j2k_parameters *b, uint32_t components)
{
    if (a->progression != b->progression || a->layers != b->layers || a->transform != b->transform ||
        a->multi != b->multi || a->sop != b->sop || a->eph != b->eph)
        return true;
    for (uint32_t c = 0; c < components; c++)
        if (!same_coding(&a->coding[c], &b->coding[c]))
            return true;
    return false;
}

static bool steps_differ(const struct j2k_parameters *a, const struct j2k_parameters *b, uint32_t components)
{
    for (uint32_t c = 0; c < components; c++)
        if (!same_steps(&a->quantisation[c], &b->quantisation[c]))
            return true;
    return false;
}

static bool same_volume(const struct j2k_volume *a, const struct j2k_volume *b)
{
    return a->progression == b->progression && a->r0 == b->r0 && a->r1 == b->r1 && a->layers == b->layers &&
           a->c0 == b->c0 && a->c1 == b->c1;
}

static bool volumes_differ(const struct j2k_parameters *a, const struct j2k_parameters *b)
{
    bool differ = a->volume_count != b->volume_count;
    for (uint32_t i = 0; i < a->volume_count && !differ; i++)
        differ = !same_volume(&a->volume[i], &b->volume[i]);
    return differ;
}

void kst_j2k_put_tile_header(struct sink *sink, const struct j2k_coded *coded, uint32_t tile)
{
    const struct j2k_parameters *main = &coded->headers.main, *own = kst_j2k_coded_parameters(coded, tile);
    uint32_t components = coded->headers.component_count;
    if (own == main)
        return;
    if (coding_differs(own, main, components))
        put_codings(sink, own, components);
    if (steps_differ(own, main, components))
        put_quantisations(sink, own, components);
    put_rois(sink, own->roi_shift, main->roi_shift, components);
    if (!volumes_differ(own, main))
        return;
    const struct j2k_volume all = {
        .progression = own->progression, .r1 = J2K_RESOLUTIONS, .layers = own->layers, .c1 = components};
    put_volumes(sink, own->volume_count ? own->volume : &all, own->volume_count ? own->volume_count : 1, components);
}
