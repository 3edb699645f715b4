/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses SIZ (T.800 A.5.1) and derives the grid of tiles (B.3). */
#include "j2k/syntax/allowance.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/parser.h"

enum { FIXED = 36, EXTENSIONS = 0x8000, MULTI = 0x0100, HIGH_THROUGHPUT = 0x4000, TILES_MAX = 65535, SIDE = 64 };

static kst_status read_components(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    struct j2k_stream *stream = parser->stream;
    kst_status status = KST_OK;
    stream->component = kst_memory_array(parser->memory, stream->component_count, sizeof *stream->component, &status);
    if (!stream->component)
        return kst_report_error(parser->report, status, segment.offset, NULL);
    for (uint32_t i = 0; i < stream->component_count; i++) {
        const uint8_t *at = segment.data + FIXED + UINT64_C(3) * i;
        uint64_t offset = segment.offset + FIXED + UINT64_C(3) * i;
        struct j2k_component_size c = {.is_signed = at[0] >> 7, .dx = at[1], .dy = at[2]};
        c.depth = (uint8_t)((at[0] & 0x7F) + 1);
        if (c.depth > J2K_DEPTH)
            return kst_report_error(
                parser->report, KST_ERROR_J2K_DEPTH, offset, "component %u has %u", (unsigned)i, c.depth);
        if (c.dx == 0 || c.dy == 0)
            return kst_report_error(parser->report, KST_ERROR_J2K_SAMPLING, offset, "component %u", (unsigned)i);
        stream->component[i] = c;
    }
    return KST_OK;
}

/*
 * Check the number of samples against the allowance. In each column of tiles, a row counts as at least 64 samples,
 * because shorter rows take as long. A picture of fewer than 64 rows counts as one of 64, because some rows of each
 * resolution are held at the same time.
 */
static kst_status check_work(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    struct j2k_stream *stream = parser->stream;
    uint64_t allowed = kst_j2k_allowance(parser->limits, J2K_ASKED_SAMPLES, stream);
    uint64_t least = (uint64_t)SIDE * stream->size.columns;
    for (uint32_t i = 0; i < stream->component_count; i++) {
        const struct j2k_component_size *c = &stream->component[i];
        struct j2k_rect area = kst_j2k_divide(stream->size.image, c->dx, c->dy);
        uint64_t width = area.x1 - area.x0, height = area.y1 - area.y0;
        stream->samples += width * height;
        stream->usual_visits += j2k_usual_visits(width * height, c->depth);
        uint64_t by_rows = (width < least ? least : width) * height, samples = width * (height < SIDE ? SIDE : height);
        samples = samples < by_rows ? by_rows : samples;
        if (samples > allowed)
            return kst_report_error(parser->report, KST_ERROR_LIMIT_WORK, segment.offset + 2,
                "samples of %u components", (unsigned)stream->component_count);
        allowed -= samples;
    }
    return KST_OK;
}

static bool grid_fits(const struct j2k_size *size)
{
    const struct j2k_rect *image = &size->image;
    return image->x0 < image->x1 && image->y0 < image->y1 && size->tile_width && size->tile_height &&
           size->tile_x <= image->x0 && size->tile_y <= image->y0 &&
           (uint64_t)size->tile_x + size->tile_width > image->x0 &&
           (uint64_t)size->tile_y + size->tile_height > image->y0;
}

static uint32_t tiles_along(uint32_t end, uint32_t start, uint32_t step)
{
    return (uint32_t)(((uint64_t)end - start + step - 1) / step);
}

/* Refuse extensions of T.801 (Rsiz, Table A.2 there), except for the multiple component transform. */
static kst_status check_extensions(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    static const char *const names[] = {"DC offsets", "variable quantisation", "trellis-coded quantisation",
        "visual masking", "single-sample overlap", "other decompositions", "other wavelets", "symmetric wavelets", NULL,
        "nonlinear transforms", "shapes of regions of interest", "quantisation by precincts"};
    const uint32_t rsiz = parser->stream->size.capabilities;
    const uint32_t others = rsiz & ~(uint32_t)(EXTENSIONS | MULTI | HIGH_THROUGHPUT);
    parser->stream->multi.allowed = (rsiz & EXTENSIONS) && (rsiz & MULTI) && others == 0;
    if (!(rsiz & EXTENSIONS) || parser->stream->multi.allowed)
        return KST_OK;
    const uint32_t bit = others > 0 ? (uint32_t)__builtin_ctz(others) : UINT32_MAX;
    const char *name = bit < sizeof names / sizeof names[0] && names[bit] ? names[bit] : "an unknown one";
    return kst_report_error(
        parser->report, KST_ERROR_J2K_EXTENSION, segment.offset, "Rsiz is 0x%04X: %s", (unsigned)rsiz, name);
}

static kst_status read_grid(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    struct j2k_size *size = &parser->stream->size;
    const uint8_t *at = segment.data;
    size->capabilities = (uint16_t)j2k_get16(at);
    size->image = (struct j2k_rect){
        .x0 = j2k_get32(at + 10), .y0 = j2k_get32(at + 14), .x1 = j2k_get32(at + 2), .y1 = j2k_get32(at + 6)};
    size->tile_width = j2k_get32(at + 18);
    size->tile_height = j2k_get32(at + 22);
    size->tile_x = j2k_get32(at + 26);
    size->tile_y = j2k_get32(at + 30);
    kst_status status = check_extensions(parser, segment);
    if (status)
        return status;
    if (!grid_fits(size))
        return kst_report_error(parser->report, KST_ERROR_J2K_DIMENSIONS, segment.offset + 2, NULL);
    uint64_t width = size->image.x1 - size->image.x0, height = size->image.y1 - size->image.y0;
    if (width > parser->limits->pixels / height)
        return kst_report_error(
            parser->report, KST_ERROR_LIMIT_PIXELS, segment.offset + 2, "%u×%u", (unsigned)width, (unsigned)height);
    size->columns = tiles_along(size->image.x1, size->tile_x, size->tile_width);
    size->rows = tiles_along(size->image.y1, size->tile_y, size->tile_height);
    uint64_t tiles = (uint64_t)size->columns * size->rows;
    if (tiles > TILES_MAX)
        return kst_report_error(parser->report, KST_ERROR_J2K_TILES, segment.offset + 18, NULL);
    if (tiles > parser->limits->tiles)
        return kst_report_error(parser->report, KST_ERROR_LIMIT_TILES, segment.offset + 18, "%u", (unsigned)tiles);
    return KST_OK;
}

kst_status kst_j2k_parse_size(struct j2k_parser *parser, struct j2k_segment_reader segment)
{
    struct j2k_stream *stream = parser->stream;
    if (segment.length < FIXED)
        return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, segment.offset, "SIZ of %zu", segment.length);
    uint32_t count = j2k_get16(segment.data + 34);
    if (count == 0 || count > J2K_COMPONENTS)
        return kst_report_error(
            parser->report, KST_ERROR_J2K_COMPONENTS, segment.offset + 34, "there are %u", (unsigned)count);
    if (segment.length != FIXED + 3 * (size_t)count)
        return kst_report_error(parser->report, KST_ERROR_J2K_LENGTH, segment.offset, "SIZ of %zu for %u components",
            segment.length, (unsigned)count);
    if (count > parser->limits->components)
        return kst_report_error(
            parser->report, KST_ERROR_LIMIT_COMPONENTS, segment.offset + 34, "there are %u", (unsigned)count);
    stream->component_count = count;
    kst_status status = read_grid(parser, segment);
    if (!status)
        status = read_components(parser, segment);
    return status ? status : check_work(parser, segment);
}
