/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives the headers of a transcoded image: the reduced grid, the kept components and the changed parameters. */
#include "j2k/write/recode_headers.h"

#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/capabilities.h"

struct heading {
    struct memory *memory;
    const kst_limits *limits;
    const struct j2k_stream *stream;
    const struct j2k_recoding *wanted;
    struct j2k_recoded *recoded;
    kst_report *report;
};

static kst_status out_of(const struct heading *heading, kst_status status)
{
    return kst_report_error(heading->report, status, KST_NO_OFFSET, NULL);
}

/*
 * Holds one direction of a grid of tiles that is to be reduced. Its borders are halved and rounded up, like all
 * positions between them.
 */
struct reduced_span {
    uint32_t start, end, tile_start, tile;
};

static bool reduce_span(struct reduced_span *span, uint32_t reduce)
{
    uint32_t count = j2k_ceil_divide(span->end - span->tile_start, span->tile), start = span->start;
    uint64_t tile_end = (uint64_t)span->tile_start + span->tile;
    bool halves = (span->tile & ((1U << reduce) - 1)) == 0;
    span->start = j2k_ceil_shift(start, reduce);
    span->end = j2k_ceil_shift(span->end, reduce);
    span->tile_start = j2k_ceil_shift(span->tile_start, reduce);
    tile_end = (tile_end + (UINT64_C(1) << reduce) - 1) >> reduce;
    span->tile = (uint32_t)(tile_end - span->tile_start);
    return (halves || count == 1) && tile_end > span->start && span->start < span->end &&
           j2k_ceil_divide(span->end - span->tile_start, span->tile) == count;
}

static kst_status reduce_size(const struct heading *heading, struct j2k_size *size)
{
    uint32_t reduce = heading->wanted->reduce;
    if (reduce == 0)
        return KST_OK;
    if (reduce > J2K_LEVELS - 1)
        return kst_report_error(heading->report, KST_ERROR_J2K_REDUCE, KST_NO_OFFSET, NULL);
    struct reduced_span x = {size->image.x0, size->image.x1, size->tile_x, size->tile_width};
    struct reduced_span y = {size->image.y0, size->image.y1, size->tile_y, size->tile_height};
    if (!reduce_span(&x, reduce) || !reduce_span(&y, reduce))
        return kst_report_error(heading->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "tiles of %u×%u cannot be halved %u times: they would no longer be of one size", (unsigned)size->tile_width,
            (unsigned)size->tile_height, (unsigned)reduce);
    size->image = (struct j2k_rect){x.start, y.start, x.end, y.end};
    size->tile_x = x.tile_start;
    size->tile_y = y.tile_start;
    size->tile_width = x.tile;
    size->tile_height = y.tile;
    return KST_OK;
}

/* Return how many kept components come before component `limit` of the source. */
static uint32_t kept_before(const struct heading *heading, uint32_t limit)
{
    uint32_t count = 0;
    if (!heading->wanted->component)
        return limit;
    while (count < heading->wanted->component_count && heading->wanted->component[count] < limit)
        count++;
    return count;
}

/* Adapt the ranges of components in POC to the kept components. Volumes without any of these are dropped. */
static void drop_components(const struct heading *heading, struct j2k_parameters *parameters)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < parameters->volume_count; i++) {
        struct j2k_volume volume = parameters->volume[i];
        volume.c0 = kept_before(heading, volume.c0);
        volume.c1 = kept_before(heading, volume.c1);
        if (volume.c0 < volume.c1)
            parameters->volume[left++] = volume;
    }
    parameters->volume_count = left;
}

/* Check that the first three components are kept if a component transform mixes them. */
static kst_status check_transform(const struct heading *heading, const struct j2k_parameters *parameters)
{
    const struct j2k_recoding *wanted = heading->wanted;
    if (!wanted->component || !parameters->transform || kept_before(heading, 3) == 3)
        return KST_OK;
    return kst_report_error(heading->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
        "components 0 to 2 are coded together: keep them all, or decode and encode anew");
}

static kst_status check_components(const struct heading *heading)
{
    const struct j2k_recoding *wanted = heading->wanted;
    if (wanted->component && wanted->component_count == 0)
        return kst_report_error(heading->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "no component is kept");
    if (wanted->component && heading->stream->multi.stage_count > 0)
        return kst_report_error(heading->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "a multiple component transform takes all components: keep them all, or decode and encode anew");
    for (uint32_t i = 0; wanted->component && i < wanted->component_count; i++)
        if (wanted->component[i] >= heading->stream->component_count ||
            (i > 0 && wanted->component[i] <= wanted->component[i - 1]))
            return kst_report_error(heading->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
                "components to keep: %u is not one of %u, or does not ascend", (unsigned)wanted->component[i],
                (unsigned)heading->stream->component_count);
    return KST_OK;
}

static kst_status copy_parameters(
    const struct heading *heading, const struct j2k_parameters *from, struct j2k_parameters *to)
{
    uint32_t count = heading->recoded->coded.headers.component_count;
    *to = (struct j2k_parameters){.progression = from->progression,
        .layers = from->layers,
        .transform = from->transform,
        .multi = from->multi,
        .sop = from->sop,
        .eph = from->eph};
    kst_status status = check_transform(heading, from);
    if (status)
        return status;
    status = kst_j2k_parameters_allocate(heading->memory, count, to);
    if (status)
        return out_of(heading, status);
    for (uint32_t c = 0; c < count; c++) {
        uint32_t source = j2k_recoded_component(heading->wanted, c);
        to->coding[c] = from->coding[source];
        to->quantisation[c] = from->quantisation[source];
        to->roi_shift[c] = from->roi_shift[source];
    }
    if (from->volume_count == 0 || heading->wanted->progression >= 0)
        return KST_OK;
    to->volume = kst_memory_array(heading->memory, from->volume_count, sizeof *to->volume, &status);
    if (!to->volume)
        return out_of(heading, status);
    memcpy(to->volume, from->volume, from->volume_count * sizeof *to->volume);
    to->volume_count = from->volume_count;
    drop_components(heading, to);
    return KST_OK;
}

/* Remove the steps of subbands that are left out. The layout checks whether steps of other subbands are missing. */
static void trim_steps(struct j2k_quantisation *quantisation, uint32_t levels)
{
    uint32_t count = quantisation->style == 1 ? 1 : 3 * levels + 1;
    for (uint32_t i = count; i < quantisation->count; i++)
        quantisation->step[i] = 0;
    if (quantisation->count > count)
        quantisation->count = (uint8_t)count;
}

/*
 * Clear the style of predictable termination (T.800 D.4.2). Transcoding that leaves out coding passes may cut a
 * code-block's last segment short. That segment then no longer ends predictably, and a decoder that checks its end
 * would report damage. Where each pass is terminated, no segment is cut, and the style stays.
 */
static void forget_ends(const struct heading *heading, struct j2k_parameters *parameters)
{
    for (uint32_t c = 0; c < heading->recoded->coded.headers.component_count; c++) {
        struct j2k_coding *coding = &parameters->coding[c];
        if ((coding->style & J2K_STYLE_TERMALL) == 0)
            coding->style = (uint8_t)(coding->style & ~J2K_STYLE_PREDICTABLE);
    }
}

/* Change the style to that of the wanted code-blocks. T.814 blocks have only one of T.800's styles, CAUSAL. */
static void change_styles(const struct heading *heading, struct j2k_parameters *parameters)
{
    for (uint32_t c = 0; c < heading->recoded->coded.headers.component_count; c++) {
        uint8_t *style = &parameters->coding[c].style;
        if (heading->wanted->ht == 1)
            *style = (uint8_t)(J2K_STYLE_HT | (*style & J2K_STYLE_CAUSAL));
        else if (heading->wanted->ht == 0)
            *style &= J2K_STYLES;
    }
}

static kst_status change_parameters(const struct heading *heading, struct j2k_parameters *parameters, uint32_t tile)
{
    const struct j2k_recoding *wanted = heading->wanted;
    uint16_t before = parameters->layers;
    if (wanted->progression >= 0)
        parameters->progression = (uint8_t)wanted->progression;
    if (wanted->layers && wanted->layers < parameters->layers)
        parameters->layers = wanted->layers;
    if (wanted->sop >= 0)
        parameters->sop = wanted->sop;
    if (wanted->eph >= 0)
        parameters->eph = wanted->eph;
    if (wanted->make > 0)
        parameters->layers = wanted->make;
    if (parameters->layers < before || wanted->make > 0)
        forget_ends(heading, parameters);
    change_styles(heading, parameters);
    for (uint32_t i = 0; i < parameters->volume_count; i++) {
        struct j2k_volume *volume = &parameters->volume[i];
        if (volume->layers > parameters->layers || volume->layers >= before)
            volume->layers = parameters->layers;
    }
    for (uint32_t c = 0; wanted->reduce > 0 && c < heading->recoded->coded.headers.component_count; c++) {
        struct j2k_coding *coding = &parameters->coding[c];
        if (coding->levels < wanted->reduce)
            return kst_report_error(heading->report, KST_ERROR_J2K_REDUCE, KST_NO_OFFSET,
                "component %u of tile %u has %u", (unsigned)c, (unsigned)tile, (unsigned)coding->levels);
        coding->levels = (uint8_t)(coding->levels - wanted->reduce);
        trim_steps(&parameters->quantisation[c], coding->levels);
    }
    return KST_OK;
}

/*
 * Set the parameters of a tile that has its own. If these cannot be read, they are ignored: reading the tile's packets
 * then fails, too, so that the tile becomes empty.
 */
static kst_status set_tile(const struct heading *heading, struct j2k_builder *builder)
{
    struct j2k_parameters *to = &heading->recoded->tile[builder->tile];
    kst_status status = kst_j2k_tile_parameters(builder);
    if (kst_j2k_is_tile_error(status)) {
        kst_report_forgive(heading->report);
        return KST_OK;
    }
    if (status)
        return status;
    status = copy_parameters(heading, &builder->in_force, to);
    return status ? status : change_parameters(heading, to, builder->tile);
}

static kst_status set_tiles(const struct heading *heading)
{
    const struct j2k_stream *stream = heading->stream;
    uint32_t tiles = stream->size.columns * stream->size.rows;
    uint64_t own = 0;
    for (uint32_t t = 0; t < tiles; t++)
        own += kst_j2k_tile_has_own(stream, t);
    if (own == 0)
        return KST_OK;
    if (own * stream->component_count > heading->limits->precincts) /* the tiles have at least that many resolutions */
        return kst_report_error(heading->report, KST_ERROR_LIMIT_PRECINCTS, KST_NO_OFFSET, "more than %u resolutions",
            (unsigned)heading->limits->precincts);
    kst_status status = KST_OK;
    heading->recoded->tile = kst_memory_array(heading->memory, tiles, sizeof *heading->recoded->tile, &status);
    if (!heading->recoded->tile)
        return out_of(heading, status);
    heading->recoded->coded.tile = heading->recoded->tile;
    for (uint32_t t = 0; t < tiles; t++)
        heading->recoded->tile[t] = heading->recoded->coded.headers.main;
    struct j2k_builder builder = {
        .memory = heading->memory, .limits = heading->limits, .stream = stream, .report = heading->report};
    for (; builder.tile < tiles && !status; builder.tile++)
        if (kst_j2k_tile_has_own(stream, builder.tile))
            status = set_tile(heading, &builder);
    kst_j2k_builder_release(&builder);
    return status;
}

/*
 * Return the value that Rsiz would have without T.814 code-blocks: with these, CPF contains it (T.814 A.6), in words of
 * 16 bits of which only the first one can be written here. In profiles of Part 1 the two highest bits of Rsiz are 0.
 * With a multiple component transform there is no profile; the bits that say so are written with its marker segments.
 */
static uint16_t profile_of(const struct j2k_stream *stream)
{
    if (stream->multi.allowed)
        return 0;
    if ((stream->size.capabilities & J2K_RSIZ_CAP) == 0)
        return stream->size.capabilities;
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        const uint32_t number =
            segment->marker == J2K_CPF && segment->length == 2 ? j2k_get16(stream->data + segment->offset) : 0;
        if (number > 0 && number <= J2K_RSIZ_CAP)
            return (uint16_t)(number - 1);
    }
    return 0;
}

kst_status kst_j2k_recode_headers(const struct operation *op, const struct j2k_stream *stream,
    const struct j2k_recoding *recoding, struct j2k_recoded *recoded)
{
    struct heading heading = {op->memory, op->limits, stream, recoding, recoded, op->report};
    struct j2k_stream *headers = &recoded->coded.headers;
    uint32_t count = recoding->component ? recoding->component_count : stream->component_count;
    kst_status status = check_components(&heading);
    if (status)
        return status;
    recoded->component = kst_memory_array(op->memory, count, sizeof *recoded->component, &status);
    if (!recoded->component)
        return out_of(&heading, status);
    for (uint32_t c = 0; c < count; c++)
        recoded->component[c] = stream->component[j2k_recoded_component(recoding, c)];
    headers->component = recoded->component;
    headers->component_count = count;
    headers->size = stream->size;
    headers->size.capabilities = profile_of(stream);
    headers->multi.allowed = stream->multi.allowed;
    status = reduce_size(&heading, &headers->size);
    if (!status)
        status = copy_parameters(&heading, &stream->main, &headers->main);
    if (!status)
        status = change_parameters(&heading, &headers->main, 0);
    return status ? status : set_tiles(&heading);
}
