/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and changes the index of a file with several pictures. */
#include "jpeg/syntax/mpf.h"

#include <string.h>

#include "jpeg/syntax/marker.h"

enum {
    IFD_ENTRY = 12, /* bytes of an entry of the IFD */
    MP_ENTRY = 16,  /* bytes of a picture's entry */
    MP_HEADER = 8,
    TAG_MP_ENTRY = 0xB002,
    TYPE_UNDEFINED = 7,
    SIZE_AT = 4, /* offsets of the fields of a picture's entry */
    OFFSET_AT = 8
};

static uint32_t get(const uint8_t *at, size_t bytes, bool big_endian)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[big_endian ? i : bytes - 1 - i];
    return value;
}

static void put(uint8_t *at, bool big_endian, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * (big_endian ? 3 - i : i));
}

bool kst_jpeg_segment_mpf(const uint8_t *data, const struct jpeg_marker_segment *segment)
{
    return segment->marker == JPEG_APP2 && segment->length >= JPEG_MPF_HEADER &&
           memcmp(data + segment->offset, "MPF", JPEG_MPF_HEADER) == 0;
}

bool kst_jpeg_segment_gain_map(const uint8_t *data, const struct jpeg_marker_segment *segment)
{
    static const char iso[] = "urn:iso:std:iso:ts:21496:-1";
    return segment->marker == JPEG_APP2 && segment->length >= sizeof iso &&
           memcmp(data + segment->offset, iso, sizeof iso) == 0;
}

bool kst_jpeg_segment_promises(const uint8_t *data, const struct jpeg_marker_segment *segment)
{
    return kst_jpeg_segment_mpf(data, segment) || kst_jpeg_segment_gain_map(data, segment);
}

/*
 * Find the list of pictures' entries, to which tag 0xB002 of the MP Index IFD at `ifd` points. `tiff` begins at the MP
 * header.
 */
static bool find_entries(const uint8_t *tiff, size_t length, uint32_t ifd, struct jpeg_mpf *mpf)
{
    if (ifd < MP_HEADER || ifd > length - 2)
        return false;
    uint32_t count = get(tiff + ifd, 2, mpf->big_endian);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)ifd + 2 + (size_t)i * IFD_ENTRY;
        if (at + IFD_ENTRY > length)
            return false;
        if (get(tiff + at, 2, mpf->big_endian) != TAG_MP_ENTRY)
            continue;
        uint32_t bytes = get(tiff + at + 4, 4, mpf->big_endian), from = get(tiff + at + 8, 4, mpf->big_endian);
        if (get(tiff + at + 2, 2, mpf->big_endian) != TYPE_UNDEFINED || bytes < MP_ENTRY || from > length ||
            bytes > length - from)
            return false;
        mpf->entries = JPEG_MPF_HEADER + (size_t)from;
        mpf->count = bytes / MP_ENTRY;
        return true;
    }
    return false;
}

bool kst_jpeg_mpf_open(const uint8_t *contents, size_t length, struct jpeg_mpf *mpf)
{
    *mpf = (struct jpeg_mpf){.count = 0};
    if (length < JPEG_MPF_HEADER + MP_HEADER + 2 || memcmp(contents, "MPF", JPEG_MPF_HEADER) != 0)
        return false;
    const uint8_t *tiff = contents + JPEG_MPF_HEADER;
    if (tiff[0] != tiff[1] || (tiff[0] != 'I' && tiff[0] != 'M'))
        return false;
    mpf->big_endian = tiff[0] == 'M';
    return get(tiff + 2, 2, mpf->big_endian) == 42 &&
           find_entries(tiff, length - JPEG_MPF_HEADER, get(tiff + 4, 4, mpf->big_endian), mpf);
}

struct jpeg_mpf_entry kst_jpeg_mpf_entry(const uint8_t *contents, const struct jpeg_mpf *mpf, uint32_t index)
{
    const uint8_t *at = contents + mpf->entries + (size_t)index * MP_ENTRY;
    return (struct jpeg_mpf_entry){
        .attribute = get(at, 4, mpf->big_endian),
        .size = get(at + SIZE_AT, 4, mpf->big_endian),
        .offset = get(at + OFFSET_AT, 4, mpf->big_endian),
    };
}

void kst_jpeg_mpf_set(uint8_t *contents, const struct jpeg_mpf *mpf, uint32_t index, const struct jpeg_mpf_entry *entry)
{
    uint8_t *at = contents + mpf->entries + (size_t)index * MP_ENTRY;
    put(at + SIZE_AT, mpf->big_endian, entry->size);
    put(at + OFFSET_AT, mpf->big_endian, entry->offset);
}
