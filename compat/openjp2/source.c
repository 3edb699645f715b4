/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the codestream for Kostka from the caller's stream. Tile-parts are found by the lengths in their headers,
 * and only those of needed tiles are read. A stream that cannot seek is read once, and all tile-parts that were passed
 * are kept.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"
#include "markers.h"

enum { SOT_LENGTH = 12, LEAST_PART = 14, STEP = 1 << 20, MOST_HEADER = 1 << 28 };

/* Make room for `more` bytes behind the last one. */
static bool reserve(struct openjp2_source *source, size_t more)
{
    if (more <= source->capacity - source->length)
        return true;
    if (more > SIZE_MAX / 2 - source->length)
        return false;
    size_t capacity = source->length + more;
    if (capacity < source->capacity + source->capacity / 2)
        capacity = source->capacity + source->capacity / 2;
    uint8_t *data = realloc(source->data, capacity);
    if (!data)
        return false;
    source->data = data;
    source->capacity = capacity;
    return true;
}

/*
 * Append up to `length` bytes of the stream, as many as there are. If the caller has not said that the stream is so
 * long, memory is allocated step by step while bytes are read.
 */
static bool append(struct openjp2_source *source, struct openjp2_stream *stream, uint64_t length, uint64_t *got)
{
    *got = 0;
    bool is_known = stream->length > stream->at && length <= stream->length - stream->at;
    while (*got < length) {
        uint64_t left = length - *got, step = is_known && left < SIZE_MAX ? left : STEP + source->length;
        size_t count = (size_t)(step < left ? step : left);
        if (!reserve(source, count)) {
            if (!is_known)
                return false;
            is_known = false; /* the length may be wrong, and the bytes may be fewer */
            continue;
        }
        size_t read = openjp2_stream_read(stream, source->data + source->length, count);
        source->length += read;
        *got += read;
        if (read < count)
            break;
    }
    source->changed = true;
    return true;
}

static bool append_marker(struct openjp2_source *source, const uint8_t *marker, size_t length)
{
    if (source->length > MOST_HEADER || !reserve(source, length))
        return false;
    memcpy(source->data + source->length, marker, length);
    source->length += length;
    return true;
}

/* Append marker segments up to the first SOT. */
static bool read_header(struct openjp2_codec *codec, struct openjp2_stream *stream)
{
    struct openjp2_source *source = &codec->source;
    uint64_t got;
    uint8_t marker[4];
    for (;;) {
        source->next = stream->at;
        if (openjp2_stream_read(stream, marker, 2) != 2)
            return openjp2_fail(codec, "the stream ends inside the main header");
        uint32_t code = openjp2_get16(marker);
        if (code == MARKER_SOT)
            break;
        if (code < 0xFF00 || code == MARKER_SOD || code == MARKER_EOC)
            return openjp2_fail(codec, "the main header has %04X where a marker segment should begin", code);
        if (openjp2_marker_is_alone(code)) {
            if (!append_marker(source, marker, 2))
                return openjp2_fail(codec, "there is no memory for the main header");
            continue;
        }
        if (openjp2_stream_read(stream, marker + 2, 2) != 2)
            return openjp2_fail(codec, "the stream ends inside the main header");
        uint32_t length = openjp2_get16(marker + 2);
        if (length < 2 || !append_marker(source, marker, 4))
            return openjp2_fail(codec, "the main header is damaged at marker %04X", code);
        if (!append(source, stream, length - 2, &got) || got != length - 2)
            return openjp2_fail(codec, "the stream ends inside the main header");
    }
    source->header = source->length;
    return true;
}

/*
 * Turn TLM and PLM into comments, because some of the tile-parts and packets that they list will be missing; and find
 * the component transform.
 */
static bool prepare_header(struct openjp2_source *source)
{
    struct openjp2_segment s;
    source->main = malloc(source->header);
    if (!source->main)
        return false;
    memcpy(source->main, source->data, source->header);
    for (size_t at = 2; openjp2_segment_next(source->data, source->header, at, &s); at += s.length) {
        if (s.marker == MARKER_TLM || s.marker == MARKER_PLM)
            source->data[at + 1] = MARKER_COM & 0xFF;
        if (s.marker == MARKER_COD && s.length > 8) {
            source->transform = at + 8;
            source->transform_was = source->data[at + 8];
        }
    }
    return true;
}

bool openjp2_source_begin(struct openjp2_codec *codec, struct openjp2_stream *stream)
{
    struct openjp2_source *source = &codec->source;
    uint8_t marker[2];
    source->start = stream->at;
    if (openjp2_stream_read(stream, marker, 2) != 2 || openjp2_get16(marker) != MARKER_SOC)
        return openjp2_fail(codec, "the codestream does not begin with SOC");
    if (!reserve(source, STEP))
        return openjp2_fail(codec, "there is no memory for the main header");
    memcpy(source->data, marker, 2);
    source->length = 2;
    if (!read_header(codec, stream) || !openjp2_headers_read(codec, source->data, source->header, &codec->headers))
        return false;
    size_t tiles = (size_t)codec->headers.columns * codec->headers.rows;
    source->seen = calloc(tiles, 1);
    source->expected = calloc(tiles, 1);
    if (!source->seen || !source->expected || !prepare_header(source))
        return openjp2_fail(codec, "there is no memory for %zu tiles", tiles);
    return true;
}

bool openjp2_source_wants(const struct openjp2_codec *codec, uint32_t tile, uint32_t wanted)
{
    uint32_t column = tile % codec->headers.columns, row = tile / codec->headers.columns;
    if (codec->headers.has_packed || tile == wanted)
        return true;
    return wanted == KST_ALL_TILES && column >= codec->tile_x0 && column < codec->tile_x1 && row >= codec->tile_y0 &&
           row < codec->tile_y1;
}

/* Find the end of a tile-part's header, and COD in it. */
static void scan_head(const struct openjp2_source *source, struct openjp2_part *part)
{
    struct openjp2_segment s;
    const uint8_t *data = source->data + part->at;
    size_t length = source->length - part->at, at = 0;
    part->transform = 0;
    for (; openjp2_segment_next(data, length, at, &s) && s.marker != MARKER_SOD; at += s.length)
        if (s.marker == MARKER_COD && s.length > 8) {
            part->transform = at + 8;
            part->transform_was = data[at + 8];
        }
    part->head = (uint32_t)at + 2;
}

/* Append a tile-part. The stream is positioned behind its first `known` bytes. */
static bool read_part(struct openjp2_codec *codec, struct openjp2_stream *stream, struct openjp2_part *part,
    const uint8_t *sot, size_t known)
{
    struct openjp2_source *source = &codec->source;
    uint64_t got, rest = part->length - known;
    if (!reserve(source, known))
        return openjp2_fail(codec, "there is no memory for tile-parts");
    part->at = source->length;
    if (known > 0)
        memcpy(source->data + source->length, sot, known);
    source->length += known;
    if (!append(source, stream, rest, &got))
        return openjp2_fail(codec, "there is no memory for a tile-part of %llu bytes", (unsigned long long)rest);
    if (part->length == UINT64_MAX) {
        part->length = known + got;
        source->ended = true;
    } else if (got < rest)
        source->ended = source->cut = true;
    scan_head(source, part);
    return true;
}

/* Add a tile-part to the list, and count it. */
static struct openjp2_part *add_part(struct openjp2_source *source, const uint8_t *sot)
{
    if (source->parts == source->part_capacity) {
        size_t capacity = source->part_capacity > 0 ? 2 * source->part_capacity : 16;
        struct openjp2_part *part = realloc(source->part, capacity * sizeof *part);
        if (!part)
            return NULL;
        source->part = part;
        source->part_capacity = capacity;
    }
    struct openjp2_part *part = &source->part[source->parts++];
    uint32_t length = openjp2_get32(sot + 6);
    *part = (struct openjp2_part){.tile = openjp2_get16(sot + 4),
        .index = sot[10],
        .count = sot[11],
        .offset = source->next,
        .length = length == 0 ? UINT64_MAX : length};
    if (source->seen[part->tile] < UINT8_MAX)
        source->seen[part->tile]++;
    if (part->count > 0)
        source->expected[part->tile] = part->count;
    return part;
}

static bool is_complete(const struct openjp2_source *source, uint32_t tile)
{
    return source->expected[tile] > 0 && source->seen[tile] >= source->expected[tile];
}

/*
 * Read the marker of the next tile-part. The first SOT has been read together with the main header, and not every
 * stream can seek back.
 */
static size_t read_marker(struct openjp2_source *source, struct openjp2_stream *stream, uint8_t *marker)
{
    bool was_read = source->parts == 0 && stream->at == source->next + 2;
    if (!was_read && !openjp2_stream_go(stream, source->next)) {
        source->cut = true;
        return 0;
    }
    if (!was_read)
        return openjp2_stream_read(stream, marker, 2);
    marker[0] = MARKER_SOT >> 8;
    marker[1] = MARKER_SOT & 0xFF;
    return 2;
}

/* Read the SOT of the next tile-part. Returns false, with `ended` set, at the end of the codestream. */
static bool read_sot(struct openjp2_codec *codec, struct openjp2_stream *stream, uint8_t *sot)
{
    struct openjp2_source *source = &codec->source;
    source->ended = true;
    size_t got = read_marker(source, stream, sot);
    if (got == 2 && openjp2_get16(sot) == MARKER_EOC)
        return false;
    source->no_end = got < 2;
    source->cut = source->cut || got == 2;
    if (got < 2 || openjp2_get16(sot) != MARKER_SOT ||
        openjp2_stream_read(stream, sot + 2, SOT_LENGTH - 2) != SOT_LENGTH - 2)
        return false;
    source->ended = source->cut = false;
    return true;
}

static bool check_sot(const struct openjp2_codec *codec, const uint8_t *sot)
{
    uint32_t tile = openjp2_get16(sot + 4), length = openjp2_get32(sot + 6);
    if (openjp2_get16(sot + 2) != SOT_LENGTH - 2 || (length > 0 && length < SOT_LENGTH) || length == LEAST_PART - 1)
        return openjp2_fail(
            codec, "a tile-part at byte %llu has a length of %u bytes", (unsigned long long)codec->source.next, length);
    if (tile >= codec->headers.columns * codec->headers.rows)
        return openjp2_fail(codec, "a tile-part at byte %llu is of tile %u, which does not exist",
            (unsigned long long)codec->source.next, tile);
    return true;
}

/* Find the next tile-part, and read it if it is needed, or if the stream cannot seek back to it. */
static bool find_part(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t wanted)
{
    struct openjp2_source *source = &codec->source;
    uint8_t sot[SOT_LENGTH];
    if (!read_sot(codec, stream, sot))
        return true;
    if (!check_sot(codec, sot))
        return false;
    struct openjp2_part *part = add_part(source, sot);
    if (!part)
        return openjp2_fail(codec, "there is no memory for tile-parts");
    bool is_wanted = openjp2_source_wants(codec, part->tile, wanted);
    if (is_wanted && is_complete(source, part->tile) && source->missing > 0)
        source->missing--;
    if (part->length == SOT_LENGTH)
        openjp2_warn(codec, "a tile-part at byte %llu is empty", (unsigned long long)source->next);
    else if ((is_wanted || !stream->seek) && !read_part(codec, stream, part, sot, sizeof sot))
        return false;
    if (part->length == UINT64_MAX)
        source->ended = true;
    else
        source->next += part->length;
    return true;
}

/* Read needed tile-parts that were found before, but are not in memory. */
static bool read_known(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t wanted)
{
    struct openjp2_source *source = &codec->source;
    for (size_t i = 0; i < source->parts; i++) {
        struct openjp2_part *part = &source->part[i];
        bool ended = source->ended;
        if (part->at > 0 || part->length == SOT_LENGTH || !openjp2_source_wants(codec, part->tile, wanted))
            continue;
        if (!openjp2_stream_go(stream, part->offset))
            return openjp2_fail(codec, "the stream cannot go back to byte %llu", (unsigned long long)part->offset);
        if (!read_part(codec, stream, part, NULL, 0))
            return false;
        source->ended = ended || source->cut || part->offset + part->length > source->next;
    }
    return true;
}

/* Return whether a needed tile-part that was found is not in memory. Counts needed tiles that are incomplete. */
static bool lacks_some(struct openjp2_codec *codec, uint32_t wanted)
{
    struct openjp2_source *source = &codec->source;
    uint32_t tiles = codec->headers.columns * codec->headers.rows;
    bool lacks = false;
    source->missing = 0;
    for (uint32_t tile = 0; tile < tiles; tile++)
        source->missing += openjp2_source_wants(codec, tile, wanted) && !is_complete(source, tile);
    for (size_t i = 0; i < source->parts && !lacks; i++)
        lacks = source->part[i].at == 0 && source->part[i].length != SOT_LENGTH &&
                openjp2_source_wants(codec, source->part[i].tile, wanted);
    return lacks;
}

static void drop_parts(struct openjp2_source *source)
{
    source->length = source->header;
    source->changed = true;
    for (size_t i = 0; i < source->parts; i++)
        source->part[i].at = 0;
}

/*
 * Return whether the codestream must be read up to its end, because the area has all tiles or packet headers are in the
 * main header.
 */
static bool wants_all(const struct openjp2_codec *codec, uint32_t wanted)
{
    return codec->headers.has_packed ||
           (wanted == KST_ALL_TILES && codec->tile_x0 == 0 && codec->tile_y0 == 0 &&
               codec->tile_x1 == codec->headers.columns && codec->tile_y1 == codec->headers.rows);
}

bool openjp2_source_gather(struct openjp2_codec *codec, struct openjp2_stream *stream, uint32_t wanted)
{
    struct openjp2_source *source = &codec->source;
    bool lacks = lacks_some(codec, wanted), all = wants_all(codec, wanted);
    bool goes_on = !source->ended && (all || source->missing > 0);
    if ((lacks || goes_on) && stream->seek)
        drop_parts(source);
    if ((lacks || goes_on) && !read_known(codec, stream, wanted))
        return false;
    while (!source->ended && (all || source->missing > 0))
        if (!find_part(codec, stream, wanted))
            return false;
    return true;
}

void openjp2_source_transform(struct openjp2_source *source, bool transformed)
{
    if (source->transform > 0)
        source->data[source->transform] = transformed ? source->transform_was : 0;
    for (size_t i = 0; i < source->parts; i++) {
        const struct openjp2_part *part = &source->part[i];
        if (part->at > 0 && part->transform > 0)
            source->data[part->at + part->transform] = transformed ? part->transform_was : 0;
    }
    source->changed = true;
}

bool openjp2_source_finish(struct openjp2_source *source, size_t *length)
{
    static const uint8_t end[] = {MARKER_EOC >> 8, MARKER_EOC & 0xFF};
    *length = source->length;
    if (source->cut || memcmp(source->data + source->length - 2, end, 2) == 0)
        return true;
    if (!reserve(source, sizeof end))
        return false;
    memcpy(source->data + source->length, end, sizeof end);
    *length += sizeof end;
    return true;
}

void openjp2_source_release(struct openjp2_source *source)
{
    free(source->data);
    free(source->main);
    free(source->part);
    free(source->seen);
    free(source->expected);
    *source = (struct openjp2_source){0};
}
