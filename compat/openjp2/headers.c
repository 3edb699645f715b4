/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the main header of a codestream, as far as OpenJPEG's interface shows it (T.800 Annex A). Kostka validates the
 * header as a whole; this file checks only what it needs itself.
 */
#include "headers.h"

#include <stdlib.h>

#include "bytes.h"
#include "codec.h"
#include "markers.h"

enum { SIZ_FIXED = 40, SIZ_COMPONENT = 3, DEPTH_MAX = 31, COMPONENTS_MAX = 16384, TILES_MAX = 65535 };

bool openjp2_segment_next(const uint8_t *data, size_t length, size_t at, struct openjp2_segment *segment)
{
    if (length < 4 || at > length - 4)
        return false;
    *segment = (struct openjp2_segment){.marker = openjp2_get16(data + at), .at = at, .length = 2};
    if (openjp2_marker_is_alone(segment->marker))
        return true;
    segment->length += openjp2_get16(data + at + 2);
    return segment->length >= 4 && segment->length <= length - at;
}

static bool read_grid(const struct openjp2_codec *codec, const uint8_t *siz, struct openjp2_headers *h)
{
    h->x1 = openjp2_get32(siz + 6);
    h->y1 = openjp2_get32(siz + 10);
    h->x0 = openjp2_get32(siz + 14);
    h->y0 = openjp2_get32(siz + 18);
    h->tile_width = openjp2_get32(siz + 22);
    h->tile_height = openjp2_get32(siz + 26);
    h->tile_x = openjp2_get32(siz + 30);
    h->tile_y = openjp2_get32(siz + 34);
    if (h->x0 >= h->x1 || h->y0 >= h->y1 || h->tile_width == 0 || h->tile_height == 0 || h->tile_x > h->x0 ||
        h->tile_y > h->y0 || (uint64_t)h->tile_x + h->tile_width <= h->x0 ||
        (uint64_t)h->tile_y + h->tile_height <= h->y0)
        return openjp2_fail(codec, "SIZ describes an empty picture or tile, or one that lies outside");
    if (h->x1 > INT32_MAX || h->y1 > INT32_MAX)
        return openjp2_fail(codec, "the reference grid of %u x %u is larger than this interface can say", h->x1, h->y1);
    h->columns = openjp2_ceil_div(h->x1 - h->tile_x, h->tile_width);
    h->rows = openjp2_ceil_div(h->y1 - h->tile_y, h->tile_height);
    if ((uint64_t)h->columns * h->rows > TILES_MAX)
        return openjp2_fail(codec, "SIZ describes %u x %u tiles", h->columns, h->rows);
    return true;
}

static bool read_components(const struct openjp2_codec *codec, const uint8_t *siz, struct openjp2_headers *h)
{
    h->component = calloc(h->count, sizeof *h->component);
    if (!h->component)
        return openjp2_fail(codec, "there is no memory for %u components", h->count);
    for (uint32_t i = 0; i < h->count; i++) {
        const uint8_t *at = siz + SIZ_FIXED + SIZ_COMPONENT * (size_t)i;
        struct openjp2_component *c = &h->component[i];
        *c = (struct openjp2_component){
            .depth = (at[0] & 0x7FU) + 1, .is_signed = at[0] & 0x80, .dx = at[1], .dy = at[2]};
        c->coding.compno = i;
        if (c->dx == 0 || c->dy == 0)
            return openjp2_fail(codec, "component %u has a separation of 0", i);
        if (c->depth > DEPTH_MAX)
            return openjp2_fail(codec, "component %u has %u bits, and at most %d are decoded", i, c->depth, DEPTH_MAX);
    }
    return true;
}

static bool read_size(const struct openjp2_codec *codec, const uint8_t *siz, size_t length, struct openjp2_headers *h)
{
    if (h->component)
        return openjp2_fail(codec, "there are two SIZ marker segments");
    if (length < SIZ_FIXED + SIZ_COMPONENT)
        return openjp2_fail(codec, "SIZ has %zu bytes", length);
    h->count = openjp2_get16(siz + 38);
    if (h->count == 0 || h->count > COMPONENTS_MAX || length != SIZ_FIXED + SIZ_COMPONENT * (size_t)h->count)
        return openjp2_fail(codec, "SIZ has %zu bytes for %u components", length, h->count);
    return read_grid(codec, siz, h) && read_components(codec, siz, h);
}

/* Read SPcod or SPcoc: `length` bytes from the number of levels on (Table A.15). */
static bool read_coding(const uint8_t *at, size_t length, uint32_t style, opj_tccp_info_t *coding)
{
    if (length < 5 || at[0] > 32)
        return false;
    coding->csty = style & 1;
    coding->numresolutions = at[0] + 1U;
    coding->cblkw = (at[1] & 15U) + 2;
    coding->cblkh = (at[2] & 15U) + 2;
    coding->cblksty = at[3];
    coding->qmfbid = at[4] == 1;
    if (coding->csty && length < 5 + (size_t)coding->numresolutions)
        return false;
    for (uint32_t i = 0; i < coding->numresolutions; i++) {
        coding->prcw[i] = coding->csty ? at[5 + i] & 15U : 15;
        coding->prch[i] = coding->csty ? at[5 + i] >> 4U : 15;
    }
    return true;
}

/* Read Sqcd and SPqcd (Table A.27). Steps of a style that derives them follow from the first one (E-5). */
static bool read_quantisation(const uint8_t *at, size_t length, opj_tccp_info_t *coding)
{
    enum { NONE = 0, DERIVED = 1 };
    if (length < 1)
        return false;
    coding->qntsty = at[0] & 31U;
    coding->numgbits = at[0] >> 5U;
    size_t each = coding->qntsty == NONE ? 1 : 2, count = (length - 1) / each;
    for (uint32_t i = 0; i < OPJ_J2K_MAXBANDS; i++) {
        bool is_there = i < count;
        uint32_t value = !is_there ? 0 : each == 1 ? (uint32_t)at[1 + i] << 8 : openjp2_get16(at + 1 + 2 * (size_t)i);
        coding->stepsizes_expn[i] = value >> 11;
        coding->stepsizes_mant[i] = each == 1 ? 0 : value & 0x7FF;
    }
    for (uint32_t i = 1; coding->qntsty == DERIVED && i < OPJ_J2K_MAXBANDS; i++) {
        uint32_t first = coding->stepsizes_expn[0], less = (i - 1) / 3;
        coding->stepsizes_expn[i] = first > less ? first - less : 0;
        coding->stepsizes_mant[i] = coding->stepsizes_mant[0];
    }
    return count > 0;
}

static bool read_default_coding(const uint8_t *data, size_t length, struct openjp2_headers *h)
{
    if (length < 14)
        return false;
    h->style = data[4];
    h->progression = data[5] <= OPJ_CPRL ? (OPJ_PROG_ORDER)data[5] : OPJ_PROG_UNKNOWN;
    h->layers = openjp2_get16(data + 6);
    h->transform = data[8];
    for (uint32_t i = 0; i < h->count; i++)
        if (!read_coding(data + 9, length - 9, data[4], &h->component[i].coding))
            return false;
    return true;
}

static bool read_default_quantisation(const uint8_t *data, size_t length, struct openjp2_headers *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        if (!read_quantisation(data + 4, length - 4, &h->component[i].coding))
            return false;
    return true;
}

/* Read COC, QCC or RGN, which are about one component. */
static bool read_component(const uint8_t *data, size_t length, uint32_t marker, struct openjp2_headers *h)
{
    size_t wide = h->count > 256 ? 2 : 1, at = 4 + wide;
    if (length < at + 1)
        return false;
    uint32_t index = wide == 2 ? openjp2_get16(data + 4) : data[4];
    if (index >= h->count)
        return false;
    opj_tccp_info_t *coding = &h->component[index].coding;
    if (marker == MARKER_COC)
        return read_coding(data + at + 1, length - at - 1, data[at], coding);
    if (marker == MARKER_QCC)
        return read_quantisation(data + at, length - at, coding);
    if (length < at + 2)
        return false;
    coding->roishift = data[at + 1];
    return true;
}

static bool is_single(uint32_t marker)
{
    return marker == MARKER_COC || marker == MARKER_QCC || marker == MARKER_RGN;
}

/*
 * Read a segment that applies to all components; or, with `single`, one that applies to one component and takes
 * precedence.
 */
static bool read_segment(const uint8_t *data, const struct openjp2_segment *s, bool single, struct openjp2_headers *h)
{
    if (is_single(s->marker))
        return !single || read_component(data, s->length, s->marker, h);
    if (single)
        return true;
    if (s->marker == MARKER_COD)
        return read_default_coding(data, s->length, h);
    if (s->marker == MARKER_QCD)
        return read_default_quantisation(data, s->length, h);
    h->has_packed = h->has_packed || s->marker == MARKER_PPM;
    return true;
}

static bool read_segments(
    const struct openjp2_codec *codec, const uint8_t *data, size_t length, bool single, struct openjp2_headers *h)
{
    struct openjp2_segment s;
    for (size_t at = 2; openjp2_segment_next(data, length, at, &s); at += s.length)
        if (!read_segment(data + at, &s, single, h))
            return openjp2_fail(codec, "marker segment %04X at byte %zu is damaged", s.marker, at);
    return true;
}

bool openjp2_headers_read(
    const struct openjp2_codec *codec, const uint8_t *data, size_t length, struct openjp2_headers *headers)
{
    struct openjp2_segment first;
    if (!openjp2_segment_next(data, length, 2, &first) || first.marker != MARKER_SIZ)
        return openjp2_fail(codec, "the codestream has no SIZ behind SOC");
    if (!read_size(codec, data + first.at, first.length, headers))
        return false;
    if (!read_segments(codec, data, length, false, headers) || !read_segments(codec, data, length, true, headers))
        return false;
    for (uint32_t i = 0; i < headers->count; i++)
        if (headers->component[i].coding.numresolutions == 0)
            return openjp2_fail(codec, "the main header has no COD");
    return true;
}

void openjp2_headers_release(struct openjp2_headers *headers)
{
    free(headers->component);
    *headers = (struct openjp2_headers){0};
}
