/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what is special in NDPI, the files of Hamamatsu's scanners. A level is one JPEG stream, whose sides may exceed
 * what JPEG can state. Its restart intervals divide rows of MCUs evenly, and a tag lists where they begin.
 */
#include <math.h>
#include <string.h>

#include "pyramid/pyramid.h"
#include "pyramid/segments.h"

enum {
    TAG_NDPI = 65420,
    TAG_LENS = 65421,        /* SourceLens: the magnification; −1: a macro picture; −2: a map of what was scanned */
    TAG_FOCAL_PLANE = 65424, /* ZOffset: of several focal planes the one at 0 is used */
    TAG_STARTS = 65426,      /* McuStarts */
    TAG_STARTS_HIGH = 65432,
    WIDTH_LEAST = 128, /* of an interval: usual ones have some thousand pixels, and narrow ones make much work */
    SIDE_MAX = 65500   /* of a tile, because it becomes a JPEG stream */
};

bool pyramid_is_ndpi(const struct ifd_bytes *bytes, uint64_t at)
{
    const struct ifd_bytes as_ndpi = {
        .data = bytes->data, .length = bytes->length, .big_endian = bytes->big_endian, .ndpi = true};
    struct ifd_entry entry;
    struct ifd ifd;

    return !bytes->wide && ifd_at(&as_ndpi, at, &ifd) && ifd_find(&as_ndpi, &ifd, TAG_NDPI, &entry);
}

/* Return the 32 bits of a tag that has a single number of the expected type; 0 otherwise. */
static uint32_t read_bits(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag, unsigned type)
{
    struct ifd_entry entry;
    uint64_t bits = 0;

    if (!ifd_find(bytes, ifd, tag, &entry) || entry.type != type || entry.count != 1)
        return 0;
    const struct ifd_entry as_long = {.type = IFD_LONG, .count = 1, .value = entry.value, .length = 4};
    return ifd_element(bytes, &as_long, 0, &bits) ? (uint32_t)bits : 0;
}

/* Holds what the headers of a level's JPEG stream say. */
struct headers {
    size_t end; /* offset behind the first scan's header; 0: the headers are damaged */
    uint32_t interval, mcu_width, mcu_height, components;
};

static void read_frame(const uint8_t *segment, size_t length, struct headers *headers)
{
    headers->components = segment[9];
    for (size_t i = 0; i < headers->components && 10 + 3 * i + 3 <= length; i++) {
        const uint32_t width = 8 * (uint32_t)(segment[11 + 3 * i] >> 4), height = 8 * (segment[11 + 3 * i] & 15u);
        if (width > headers->mcu_width)
            headers->mcu_width = width;
        if (height > headers->mcu_height)
            headers->mcu_height = height;
    }
    if (headers->components == 1) /* not interleaved: its MCUs are blocks (A.2.2) */
        headers->mcu_width = headers->mcu_height = 8;
}

static struct headers read_headers(const uint8_t *data, size_t length)
{
    struct headers headers = {.end = 0};
    struct pyramid_segment segment;

    if (length < 4 || pyramid_word(data) != (0xFF00 | M_SOI))
        return headers;
    for (size_t at = 2; pyramid_segment(data, length, at, &segment); at = segment.at + segment.length) {
        if (pyramid_is_frame(&segment))
            read_frame(data + segment.at, segment.length, &headers);
        if (segment.marker == M_DRI && segment.length >= 6)
            headers.interval = pyramid_word(data + segment.at + 4);
        if (segment.marker == M_SOS) {
            headers.end = segment.at + segment.length;
            break;
        }
    }
    return headers;
}

/* Make tiles of the restart intervals, if these divide rows of MCUs evenly and the file lists where each one begins. */
static void divide(
    const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image, struct pyramid_strip *strip)
{
    const size_t length =
        strip->end - strip->at < PYRAMID_HEADERS_MAX ? (size_t)(strip->end - strip->at) : PYRAMID_HEADERS_MAX;
    const struct headers headers = read_headers(bytes->data + strip->at, length);

    if (headers.end == 0 || headers.interval == 0 || headers.mcu_width == 0 || headers.mcu_height == 0 ||
        headers.components != image->samples || !ifd_find(bytes, ifd, TAG_STARTS, &strip->starts))
        return;
    const uint32_t row = (image->width - 1) / headers.mcu_width + 1;
    const uint32_t down = (image->height - 1) / headers.mcu_height + 1;
    const bool narrow = headers.interval < row && headers.interval * headers.mcu_width < WIDTH_LEAST;
    if (narrow || row % headers.interval != 0 || headers.interval > SIDE_MAX / headers.mcu_width ||
        strip->starts.count < (uint64_t)(row / headers.interval) * down)
        return;
    ifd_find(bytes, ifd, TAG_STARTS_HIGH, &strip->high);
    strip->header = headers.end;
    strip->data = bytes->data + strip->at;
    image->tile_width = headers.interval * headers.mcu_width;
    image->tile_height = headers.mcu_height;
    image->tiled = true;
    image->across = row / headers.interval;
    image->down = down;
    image->strip = *strip;
}

void pyramid_read_ndpi(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image)
{
    enum { TYPE_SIGNED = 9, TYPE_FLOAT = 11 };
    const uint32_t bits = read_bits(bytes, ifd, TAG_LENS, TYPE_FLOAT);
    struct pyramid_strip strip = {.data = NULL};
    uint64_t at, length;
    float lens;

    memcpy(&lens, &bits, sizeof lens);
    image->role = lens == -1 ? ROLE_MACRO : ROLE_OTHER;
    if (lens > 0 && isfinite(lens) && read_bits(bytes, ifd, TAG_FOCAL_PLANE, TYPE_SIGNED) == 0)
        image->lens = lens;
    if (image->fault[0] != '\0' || image->compression != COMPRESSED_JPEG || image->down != 1 ||
        !ifd_element(bytes, &image->offsets, 0, &at) || !ifd_element(bytes, &image->lengths, 0, &length))
        return;
    strip.at = ifd_latest(at, image->at);
    strip.end = ifd_latest((strip.at & UINT32_MAX) + (length & UINT32_MAX), image->at + 1);
    if (strip.at < strip.end && strip.end <= bytes->length)
        divide(bytes, ifd, image, &strip);
}

static bool find_start(const struct pyramid *pyramid, const struct pyramid_strip *strip, uint64_t index, uint64_t *at)
{
    uint64_t low, high = 0;

    if (!ifd_element(&pyramid->bytes, &strip->starts, index, &low) ||
        (strip->high.count > 0 && !ifd_element(&pyramid->bytes, &strip->high, index, &high)))
        return false;
    const uint64_t behind = (high & UINT32_MAX) << 32 | (low & UINT32_MAX);
    *at = behind < strip->end - strip->at ? strip->at + behind : strip->end;
    return *at < strip->end;
}

/* An interval ends in front of the marker (two bytes) that precedes the next one, or in front of EOI. */
bool pyramid_interval(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length)
{
    const struct pyramid_strip *strip = &image->strip;
    const uint64_t last = (uint64_t)image->across * image->down - 1;
    uint64_t next = strip->end;

    if (!find_start(pyramid, strip, index, at) || (index < last && !find_start(pyramid, strip, index + 1, &next)) ||
        next < *at + 2)
        return false;
    *length = next - 2 - *at;
    return *length > 0;
}
