/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through the marker segments in front of a JPEG stream's first scan (T.81 B.1.1). */
#ifndef KOSTKA_TOOL_PYRAMID_SEGMENTS_H
#define KOSTKA_TOOL_PYRAMID_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    M_TEM = 0x01,
    M_SOF0 = 0xC0,
    M_DHT = 0xC4,
    M_JPG = 0xC8,
    M_DAC = 0xCC,
    M_SOF15 = 0xCF,
    M_RST0 = 0xD0,
    M_SOI = 0xD8,
    M_EOI = 0xD9,
    M_SOS = 0xDA,
    M_DRI = 0xDD,
    M_APP0 = 0xE0,
    M_APP14 = 0xEE
};

struct pyramid_segment {
    unsigned marker;
    size_t at, length; /* offset of the marker, and length with its two bytes */
};

static inline unsigned pyramid_word(const uint8_t *data)
{
    return (unsigned)data[0] << 8 | data[1];
}

/* Find the segment at an offset of at most `length`. Returns false if there is none, or if it is incomplete. */
static inline bool pyramid_segment(const uint8_t *data, size_t length, size_t at, struct pyramid_segment *segment)
{
    while (length - at >= 4 && data[at] == 0xFF && data[at + 1] == 0xFF)
        at++; /* fill bytes (B.1.1.2) */
    if (length - at < 4 || data[at] != 0xFF)
        return false;
    *segment = (struct pyramid_segment){data[at + 1], at, pyramid_word(data + at + 2) + (size_t)2};
    const unsigned marker = segment->marker;
    return (marker < M_RST0 || marker > M_EOI) && marker > M_TEM && segment->length >= 4 &&
           segment->length <= length - at;
}

/* Return whether a segment is a frame header with at least one component. */
static inline bool pyramid_is_frame(const struct pyramid_segment *segment)
{
    const unsigned marker = segment->marker;
    return marker >= M_SOF0 && marker <= M_SOF15 && marker != M_DHT && marker != M_JPG && marker != M_DAC &&
           segment->length >= 13;
}

#endif
