/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises the contents of APPn and COM segments and assembles the metadata of a stream. */
#include "jpeg/syntax/metadata.h"

#include <string.h>

#include "core/report.h"
#include "image/exif.h"

enum { MARKER_APP0 = 0xE0, MARKER_APP1 = 0xE1, MARKER_APP2 = 0xE2, MARKER_APP14 = 0xEE, MARKER_COM = 0xFE };

static bool starts(
    const uint8_t *data, const struct jpeg_marker_segment *segment, const void *identifier, size_t length)
{
    return segment->length >= length && memcmp(data + segment->offset, identifier, length) == 0;
}

enum jpeg_segment_kind kst_jpeg_segment_kind(const uint8_t *data, const struct jpeg_marker_segment *segment)
{
    switch (segment->marker) {
    case MARKER_COM:
        return JPEG_SEGMENT_COMMENT;
    case MARKER_APP0:
        return starts(data, segment, "JFIF", 5) ? JPEG_SEGMENT_JFIF : JPEG_SEGMENT_APP;
    case MARKER_APP1:
        if (starts(data, segment, "Exif\0", JPEG_EXIF_HEADER))
            return JPEG_SEGMENT_EXIF;
        return starts(data, segment, "http://ns.adobe.com/xap/1.0/", JPEG_XMP_HEADER) ? JPEG_SEGMENT_XMP
                                                                                      : JPEG_SEGMENT_APP;
    case MARKER_APP2:
        return starts(data, segment, "ICC_PROFILE", 12) && segment->length >= JPEG_ICC_HEADER ? JPEG_SEGMENT_ICC
                                                                                              : JPEG_SEGMENT_APP;
    case MARKER_APP14:
        return starts(data, segment, "Adobe", 5) ? JPEG_SEGMENT_ADOBE : JPEG_SEGMENT_APP;
    default:
        return JPEG_SEGMENT_APP;
    }
}

bool kst_jpeg_segment_jfif(const uint8_t *data, const struct jpeg_marker_segment *segment, struct jpeg_jfif *jfif)
{
    if (segment->length < 14 || kst_jpeg_segment_kind(data, segment) != JPEG_SEGMENT_JFIF)
        return false;
    const uint8_t *p = data + segment->offset;
    *jfif = (struct jpeg_jfif){
        .major = p[5],
        .minor = p[6],
        .unit = p[7],
        .x = (uint16_t)(p[8] << 8 | p[9]),
        .y = (uint16_t)(p[10] << 8 | p[11]),
    };
    return true;
}

bool kst_jpeg_segment_adobe(const uint8_t *data, const struct jpeg_marker_segment *segment, uint8_t *transform)
{
    if (segment->length < 12 || kst_jpeg_segment_kind(data, segment) != JPEG_SEGMENT_ADOBE)
        return false;
    *transform = data[segment->offset + 11];
    return true;
}

/* Holds the chunks of an ICC profile, by their numbers. */
struct icc {
    const struct jpeg_marker_segment *chunk[256];
    const struct jpeg_marker_segment *first; /* first chunk in the stream; null: no profile */
    uint32_t chunks;                         /* number of chunks that the first one announces */
    size_t length;
    bool bad;
    uint64_t bad_offset;
};

static void icc_bad(struct icc *icc, uint64_t offset)
{
    if (!icc->bad)
        icc->bad_offset = offset;
    icc->bad = true;
}

static void icc_add(struct icc *icc, const uint8_t *data, const struct jpeg_marker_segment *segment)
{
    uint8_t number = data[segment->offset + 12], chunks = data[segment->offset + 13];
    if (!icc->first) {
        icc->first = segment;
        icc->chunks = chunks;
    }
    if (chunks != icc->chunks || number == 0 || number > chunks || icc->chunk[number]) {
        icc_bad(icc, segment->offset);
        return;
    }
    icc->chunk[number] = segment;
    icc->length += segment->length - JPEG_ICC_HEADER;
}

/* If the profile is consistent, find its bytes or join them from its chunks. */
static kst_status icc_finish(
    struct icc *icc, struct memory *memory, const uint8_t *data, struct metadata_list *metadata)
{
    for (uint32_t i = 1; i <= icc->chunks && !icc->bad; i++)
        if (!icc->chunk[i])
            icc_bad(icc, icc->first->offset);
    if (icc->first && icc->length == 0)
        icc_bad(icc, icc->first->offset);
    if (!icc->first || icc->bad || icc->chunks == 1)
        return KST_OK;
    kst_status status;
    metadata->joined = kst_memory_array(memory, icc->length, 1, &status);
    if (!metadata->joined)
        return status;
    uint8_t *to = metadata->joined;
    for (uint32_t i = 1; i <= icc->chunks; i++) {
        size_t length = icc->chunk[i]->length - JPEG_ICC_HEADER;
        memcpy(to, data + icc->chunk[i]->offset + JPEG_ICC_HEADER, length);
        to += length;
    }
    return KST_OK;
}

static void add_item(struct metadata_list *metadata, const struct icc *icc, const uint8_t *data,
    const struct jpeg_marker_segment *segment)
{
    kst_metadata item = {
        .kind = KST_METADATA_APP,
        .marker = segment->marker,
        .data = data + segment->offset,
        .length = segment->length,
        .offset = segment->offset,
    };
    size_t header = 0;
    switch (kst_jpeg_segment_kind(data, segment)) {
    case JPEG_SEGMENT_JFIF:
    case JPEG_SEGMENT_ADOBE:
        return;
    case JPEG_SEGMENT_COMMENT:
        item.kind = KST_METADATA_COMMENT;
        break;
    case JPEG_SEGMENT_EXIF:
        item.kind = KST_METADATA_EXIF;
        header = JPEG_EXIF_HEADER;
        break;
    case JPEG_SEGMENT_XMP:
        item.kind = KST_METADATA_XMP;
        header = JPEG_XMP_HEADER;
        break;
    case JPEG_SEGMENT_ICC:
        if (icc->bad)
            break;
        if (segment != icc->first)
            return;
        item.kind = KST_METADATA_ICC;
        header = JPEG_ICC_HEADER;
        break;
    case JPEG_SEGMENT_APP:
        break;
    }
    item.data += header;
    item.length -= header;
    if (item.kind == KST_METADATA_ICC && metadata->joined) {
        item.data = metadata->joined;
        item.length = icc->length;
    }
    metadata->item[metadata->count++] = item;
}

static int orientation(const struct metadata_list *metadata)
{
    for (size_t i = 0; i < metadata->count; i++)
        if (metadata->item[i].kind == KST_METADATA_EXIF)
            return kst_exif_orientation(metadata->item[i].data, metadata->item[i].length);
    return 1;
}

kst_status kst_jpeg_metadata_assemble(const struct operation *op, const uint8_t *data,
    const struct jpeg_marker_segment *segment, size_t count, bool strict, struct metadata_list *metadata)
{
    struct icc icc = {.first = NULL};
    uint64_t total = 0;
    *metadata = (struct metadata_list){.orientation = 1};
    for (size_t i = 0; i < count; i++) {
        if (segment[i].length > op->limits->metadata - total)
            return kst_report_error(op->report, KST_ERROR_LIMIT_METADATA, segment[i].offset, NULL);
        total += segment[i].length;
        if (kst_jpeg_segment_kind(data, &segment[i]) == JPEG_SEGMENT_ICC)
            icc_add(&icc, data, &segment[i]);
    }
    kst_status status = KST_OK;
    metadata->item = kst_memory_array(op->memory, count, sizeof *metadata->item, &status);
    if (!metadata->item)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    status = icc_finish(&icc, op->memory, data, metadata);
    if (status)
        status = kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    else if (icc.bad)
        status = kst_report_warning(op->report, KST_WARNING_JPEG_ICC, icc.bad_offset, 1, strict);
    if (status) {
        kst_metadata_list_release(op->memory, metadata);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        add_item(metadata, &icc, data, &segment[i]);
    metadata->orientation = orientation(metadata);
    return KST_OK;
}
