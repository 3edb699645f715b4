/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the pictures and other data behind the first picture of a file. */
#include "jpeg/syntax/others.h"

#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "image/xmp.h"
#include "jpeg/syntax/marker.h"

enum { FIRST_CAPACITY = 8 };

/* Describes a place at which an index says that something begins. */
struct claim {
    uint64_t offset;
    bool picture;       /* the index says that it is a JPEG picture */
    bool indexed;       /* the claim is from the MPF index */
    uint32_t attribute; /* the attribute of its MPF entry */
    kst_role role;
};

struct finder {
    const struct operation *op;
    const struct jpeg_stream *first;
    const uint8_t *data;
    uint64_t length;
    kst_limits left; /* what remains of the limits for the pictures that follow */
    bool strict;
    struct jpeg_others *others;
    uint32_t capacity;
    struct claim *claim;
    size_t claims;
    size_t labels; /* index of the first claim that may concern the bytes that come next */
};

static bool contains(const uint8_t *data, const struct jpeg_marker_segment *segment, const char *text)
{
    const size_t size = strlen(text);
    const uint8_t *from = data + segment->offset, *end = from + segment->length;
    while ((size_t)(end - from) >= size) {
        from = memchr(from, text[0], (size_t)(end - from) - size + 1);
        if (!from)
            return false;
        if (memcmp(from, text, size) == 0)
            return true;
        from++;
    }
    return false;
}

/* Return the role of a picture if its own segments state one. */
static kst_role role_of_stream(const uint8_t *data, const struct jpeg_stream *stream)
{
    for (uint32_t i = 0; i < stream->application_count; i++) {
        const struct jpeg_marker_segment *s = &stream->application[i];
        bool is_xmp = kst_jpeg_segment_kind(data, s) == JPEG_SEGMENT_XMP;
        if (kst_jpeg_segment_gain_map(data, s) ||
            (is_xmp && (contains(data, s, "http://ns.adobe.com/hdr-gain-map/") ||
                           contains(data, s, "urn:com:apple:photo:2020:aux:hdrgainmap"))))
            return KST_ROLE_GAIN_MAP;
    }
    return KST_ROLE_UNKNOWN;
}

static kst_role role_of_type(uint32_t attribute)
{
    switch (attribute & 0xFFFFFF) {
    case JPEG_MPF_LARGE_THUMBNAIL_VGA:
    case JPEG_MPF_LARGE_THUMBNAIL_FULL_HD:
        return KST_ROLE_PREVIEW;
    case JPEG_MPF_PANORAMA:
        return KST_ROLE_PANORAMA;
    case JPEG_MPF_DISPARITY:
        return KST_ROLE_DISPARITY;
    case JPEG_MPF_MULTI_ANGLE:
        return KST_ROLE_ANGLE;
    case JPEG_MPF_ORIGINAL:
        return KST_ROLE_ORIGINAL;
    case JPEG_MPF_GAIN_MAP:
        return KST_ROLE_GAIN_MAP;
    default:
        return KST_ROLE_UNKNOWN;
    }
}

static kst_role role_of_semantic(const char *semantic)
{
    if (strcmp(semantic, "GainMap") == 0)
        return KST_ROLE_GAIN_MAP;
    if (strcmp(semantic, "MotionPhoto") == 0)
        return KST_ROLE_VIDEO;
    return strcmp(semantic, "Depth") == 0 ? KST_ROLE_DEPTH : KST_ROLE_UNKNOWN;
}

static bool starts_picture(const struct finder *f, uint64_t offset)
{
    const uint8_t *data = f->data + offset;
    return f->length - offset >= 4 && data[0] == 0xFF && data[1] == JPEG_SOI && data[2] == 0xFF;
}

static kst_status warn(struct finder *f, uint64_t offset)
{
    return kst_report_warning(f->op->report, KST_WARNING_JPEG_INDEX, offset, 1, f->strict);
}

/* Find the first MPF segment with an index and the first XMP packet with a directory; further ones do not count. */
static void find_indices(struct finder *f)
{
    const struct jpeg_stream *s = f->first;
    f->others->index = f->others->directory = JPEG_NO_SEGMENT;
    for (uint32_t i = 0; i < s->application_count; i++) {
        const struct jpeg_marker_segment *segment = &s->application[i];
        struct xmp_reader reader;
        struct xmp_item item;
        if (f->others->index == JPEG_NO_SEGMENT && kst_jpeg_segment_mpf(f->data, segment) &&
            kst_jpeg_mpf_open(f->data + segment->offset, segment->length, &f->others->mpf))
            f->others->index = i;
        if (f->others->directory != JPEG_NO_SEGMENT || kst_jpeg_segment_kind(f->data, segment) != JPEG_SEGMENT_XMP)
            continue;
        kst_xmp_begin(&reader, f->data + segment->offset + JPEG_XMP_HEADER, segment->length - JPEG_XMP_HEADER);
        if (kst_xmp_next(&reader, &item))
            f->others->directory = i;
    }
}

static uint32_t count_items(struct xmp_reader reader)
{
    struct xmp_item item;
    uint32_t count = 0;
    while (kst_xmp_next(&reader, &item))
        count++;
    return count;
}

static kst_status claim_indexed(struct finder *f)
{
    const struct jpeg_marker_segment *segment = &f->first->application[f->others->index];
    const uint8_t *contents = f->data + segment->offset;
    const uint64_t header = segment->offset + JPEG_MPF_HEADER;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < f->others->mpf.count && !status; i++) {
        const struct jpeg_mpf_entry entry = kst_jpeg_mpf_entry(contents, &f->others->mpf, i);
        if (entry.offset == 0) /* the first picture itself */
            continue;
        const uint64_t offset = header + entry.offset;
        const bool jpeg = (entry.attribute >> 24 & 7) == 0; /* the format of the picture's data */
        if (offset < f->first->end || offset >= f->length || (jpeg && !starts_picture(f, offset))) {
            status = warn(f, header);
            continue;
        }
        f->claim[f->claims++] = (struct claim){.offset = offset,
            .picture = jpeg,
            .indexed = true,
            .attribute = entry.attribute,
            .role = role_of_type(entry.attribute)};
    }
    return status;
}

/*
 * Claim the places of the directory's items, which lie one behind the other in its order. An item without a length
 * shares the bytes of another one.
 */
static kst_status claim_items(struct finder *f, struct xmp_reader reader)
{
    struct xmp_item item;
    uint64_t offset = f->first->end;
    for (bool first = true; kst_xmp_next(&reader, &item); first = false) {
        if (!first && item.length > 0) {
            if (offset >= f->length || item.length > f->length - offset || (item.jpeg && !starts_picture(f, offset)))
                return warn(f, f->first->application[f->others->directory].offset);
            f->claim[f->claims++] =
                (struct claim){.offset = offset, .picture = item.jpeg, .role = role_of_semantic(item.semantic)};
            offset += item.length;
        }
        if (item.padding > f->length - offset)
            return warn(f, f->first->application[f->others->directory].offset);
        offset += item.padding;
    }
    return KST_OK;
}

/* Sort by place; of two claims of the same place that of MPF comes first. */
static int compare_claims(const void *left, const void *right)
{
    const struct claim *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (int)b->indexed - (int)a->indexed;
}

/* Join claims of the same place, so that one is left for each place. */
static void join_claims(struct finder *f)
{
    size_t kept = 0;
    qsort(f->claim, f->claims, sizeof *f->claim, compare_claims);
    for (size_t i = 0; i < f->claims; i++) {
        struct claim *last = kept > 0 ? &f->claim[kept - 1] : NULL;
        if (!last || last->offset != f->claim[i].offset) {
            f->claim[kept++] = f->claim[i];
            continue;
        }
        last->picture |= f->claim[i].picture;
        if (last->role == KST_ROLE_UNKNOWN)
            last->role = f->claim[i].role;
    }
    f->claims = kept;
}

static kst_status make_claims(struct finder *f)
{
    struct xmp_reader reader = {.text = NULL};
    kst_status status = KST_OK;
    find_indices(f);
    if (f->others->directory != JPEG_NO_SEGMENT) {
        const struct jpeg_marker_segment *segment = &f->first->application[f->others->directory];
        kst_xmp_begin(&reader, f->data + segment->offset + JPEG_XMP_HEADER, segment->length - JPEG_XMP_HEADER);
    }
    size_t room = (size_t)f->others->mpf.count + (reader.text ? count_items(reader) : 0);
    f->claim = kst_memory_array(f->op->memory, room, sizeof *f->claim, &status);
    if (!f->claim)
        return kst_report_error(f->op->report, status, KST_NO_OFFSET, NULL);
    if (f->others->index != JPEG_NO_SEGMENT)
        status = claim_indexed(f);
    if (!status && reader.text)
        status = claim_items(f, reader);
    if (f->claims > 0)
        join_claims(f);
    return status;
}

static kst_status add(struct finder *f, const kst_other *other)
{
    struct jpeg_others *others = f->others;
    if (others->count == f->capacity) {
        kst_status status = KST_OK;
        uint32_t capacity = f->capacity ? 2 * f->capacity : FIRST_CAPACITY;
        kst_other *grown = kst_memory_grow(
            f->op->memory, others->other, others->count * sizeof *grown, capacity * sizeof *grown, &status);
        if (!grown)
            return kst_report_error(f->op->report, status, KST_NO_OFFSET, NULL);
        others->other = grown;
        f->capacity = capacity;
    }
    others->other[others->count++] = *other;
    return KST_OK;
}

/*
 * Return whether bytes are zeros at the end of the file: these come from storage or transport that filled it up, and do
 * not count as a piece. They are compared in parts, each of which is reported, since they may be gigabytes of a mapped
 * file.
 */
static bool is_padding(const struct finder *f, uint64_t from, uint64_t to)
{
    enum { PART = 1 << 22 };
    size_t reported = (size_t)from;
    bool zero = to == f->length && f->data[from] == 0;
    for (uint64_t at = from; at + 1 < to && zero; at += PART) {
        const size_t length = to - 1 - at < PART ? (size_t)(to - 1 - at) : PART;
        zero = memcmp(f->data + at, f->data + at + 1, length) == 0;
        kst_jpeg_report_searched(f->op->searched, f->data, &reported, (size_t)at + length);
    }
    return zero;
}

/*
 * Add the bytes from `from` to `to`, which are not a picture. If a directory says that something begins among them,
 * they become several pieces.
 */
static kst_status add_bytes(struct finder *f, uint64_t from, uint64_t to)
{
    kst_status status = KST_OK;
    kst_role role = KST_ROLE_UNKNOWN;
    while (f->labels < f->claims && f->claim[f->labels].offset < from)
        f->labels++;
    for (; f->labels < f->claims && f->claim[f->labels].offset < to && !status; f->labels++) {
        const struct claim *claim = &f->claim[f->labels];
        if (claim->picture)
            continue;
        if (claim->offset > from)
            status = add(f,
                &(kst_other){.size = sizeof(kst_other), .offset = from, .length = claim->offset - from, .role = role});
        from = claim->offset;
        role = claim->role;
    }
    if (!status && role == KST_ROLE_UNKNOWN && is_padding(f, from, to))
        return KST_OK;
    return status ? status
                  : add(f, &(kst_other){.size = sizeof(kst_other), .offset = from, .length = to - from, .role = role});
}

static bool is_limit(kst_status status)
{
    return status == KST_ERROR_MEMORY || (status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_METADATA);
}

static void describe(const struct jpeg_stream *stream, const uint8_t *data, kst_other *other)
{
    const struct jpeg_frame *frame = &stream->plan.frame;
    const kst_role role = role_of_stream(data, stream);
    if (other->role == KST_ROLE_UNKNOWN)
        other->role = role;
    other->picture = true;
    other->length = stream->end;
    other->process = frame->process;
    other->width = frame->width;
    other->height = frame->height;
    other->components = frame->component_count;
}

/*
 * Read the picture at other->offset, which must end with EOI before `end`. If there is none, other->picture stays
 * false.
 */
static kst_status read_picture(struct finder *f, uint64_t end, kst_other *other)
{
    const uint8_t *data = f->data + other->offset;
    const size_t length = (size_t)(end - other->offset);
    struct jpeg_stream stream;
    kst_report report;
    if (!starts_picture(f, other->offset))
        return KST_OK;
    kst_report_init(&report);
    struct operation op = *f->op;
    op.limits = &f->left;
    op.report = &report;
    kst_status status = kst_jpeg_parse(&op, data, length, &stream);
    if (status)
        return is_limit(status)
                   ? kst_report_error(f->op->report, status, other->offset, "with the other pictures in the file")
                   : KST_OK;
    if (stream.whole) {
        const uint64_t pixels = (uint64_t)stream.plan.frame.width * stream.plan.frame.height;
        describe(&stream, data, other);
        f->left.pixels -= pixels;
        f->left.markers -= stream.markers;
    }
    kst_jpeg_stream_release(f->op->memory, &stream);
    return KST_OK;
}

/*
 * Add everything from *at to `end`, where the next picture is said to begin: pictures without gaps between them, then
 * other bytes.
 */
static kst_status read_until(struct finder *f, uint64_t *at, uint64_t end, const struct claim *claim)
{
    while (*at < end) {
        kst_other other = {.size = sizeof other, .offset = *at};
        if (claim) {
            other.indexed = claim->indexed;
            other.mp_attribute = claim->attribute;
            other.role = claim->role;
        }
        kst_status status = read_picture(f, end, &other);
        if (!status && claim && !other.picture)
            status = warn(f, other.offset);
        if (!status)
            status = other.picture ? add(f, &other) : add_bytes(f, *at, end);
        if (status)
            return status;
        *at = other.picture ? other.offset + other.length : end;
        claim = NULL;
    }
    return KST_OK;
}

/*
 * Return where the search for further pieces begins: behind the first picture's EOI. If that picture ended before EOI,
 * the bytes that follow are its rest, up to the next place at which an index says that a picture begins.
 */
static uint64_t find_start(const struct finder *f)
{
    size_t i = 0;
    if (f->first->whole)
        return f->first->end;
    while (i < f->claims && !f->claim[i].picture)
        i++;
    return i < f->claims ? f->claim[i].offset : f->length;
}

static kst_status find(struct finder *f)
{
    kst_status status = make_claims(f);
    uint64_t at = find_start(f);
    const struct claim *claim = NULL;
    for (size_t i = 0; i < f->claims && !status; i++) {
        if (!f->claim[i].picture)
            continue;
        status = read_until(f, &at, f->claim[i].offset, claim);
        claim = &f->claim[i];
    }
    return status ? status : read_until(f, &at, f->length, claim);
}

kst_status kst_jpeg_others_find(
    const struct operation *op, const struct jpeg_stream *first, bool strict, struct jpeg_others *others)
{
    struct finder f = {.op = op,
        .first = first,
        .data = first->plan.data,
        .length = first->plan.length,
        .left = *op->limits,
        .strict = strict,
        .others = others};
    *others = (struct jpeg_others){.index = JPEG_NO_SEGMENT, .directory = JPEG_NO_SEGMENT};
    f.left.pixels -= (uint64_t)first->plan.frame.width * first->plan.frame.height;
    f.left.markers -= first->markers;
    kst_status status = find(&f);
    kst_memory_release(op->memory, f.claim);
    if (status)
        kst_jpeg_others_release(op->memory, others);
    return status;
}

void kst_jpeg_others_release(struct memory *memory, struct jpeg_others *others)
{
    kst_memory_release(memory, others->other);
    *others = (struct jpeg_others){.index = JPEG_NO_SEGMENT, .directory = JPEG_NO_SEGMENT};
}

const kst_other *kst_jpeg_others_at(const struct jpeg_others *others, uint64_t offset)
{
    uint32_t low = 0, high = others->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (others->other[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < others->count && others->other[low].offset == offset ? &others->other[low] : NULL;
}
