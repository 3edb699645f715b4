/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks rows of UltraGrid's pixels to planes, and packs them again. */
#include "kostka_pixels.h"

#include <string.h>

enum { V210_PIXELS = 6, V210_PIECE = 48, V210_PIECE_BYTES = 128, V210_MASK = 0x3FF };

static const struct {
    uint8_t depth;
    bool rgb;
    uint8_t pixels, bytes; /* number of pixels in a group, and its bytes; rows have whole groups */
} packings[] = {
    [PACKING_NONE] = {8, false, 1, 1},
    [PACKING_UYVY] = {8, false, 2, 4},
    [PACKING_YUYV] = {8, false, 2, 4},
    [PACKING_V210] = {10, false, V210_PIECE, V210_PIECE_BYTES},
    [PACKING_I420] = {8, false, 1, 1},
    [PACKING_RGB] = {8, true, 1, 3},
    [PACKING_RGBA] = {8, true, 1, 4},
    [PACKING_RG48] = {16, true, 1, 6},
    [PACKING_R10K] = {10, true, 1, 4},
};

size_t packing_row(enum packing packing, uint32_t width)
{
    return ((size_t)width + packings[packing].pixels - 1) / packings[packing].pixels * packings[packing].bytes;
}

size_t packing_frame(enum packing packing, uint32_t width, uint32_t height)
{
    size_t chroma = packing == PACKING_I420 ? 2 * (((size_t)width + 1) / 2) * (((size_t)height + 1) / 2) : 0;

    return packing_row(packing, width) * height + chroma;
}

uint32_t packing_depth(enum packing packing)
{
    return packings[packing].depth;
}

bool packing_is_rgb(enum packing packing)
{
    return packings[packing].rgb;
}

/*
 * Unpack pairs of pixels; `luma` and `chroma` are the offsets of the first luma and chroma bytes in a pair. An odd last
 * pixel has a whole pair, too.
 */
static void unpack_pairs(const uint8_t *row, uint32_t width, size_t luma, size_t chroma, void *const planes[3])
{
    uint8_t *y = planes[0], *u = planes[1], *v = planes[2];

    for (uint32_t i = 0; i < width / 2; i++) {
        y[2 * i] = row[4 * i + luma];
        y[2 * i + 1] = row[4 * i + luma + 2];
        u[i] = row[4 * i + chroma];
        v[i] = row[4 * i + chroma + 2];
    }
    if (width % 2 != 0) {
        y[width - 1] = row[2 * (width - 1) + luma];
        u[width / 2] = row[2 * (width - 1) + chroma];
        v[width / 2] = row[2 * (width - 1) + chroma + 2];
    }
}

static uint32_t word_of(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Unpack the twelve samples of a group in their order: U Y V Y, three times. */
static void unpack_group(const uint8_t *group, uint16_t samples[12])
{
    for (uint32_t i = 0; i < 12; i++)
        samples[i] = (uint16_t)(word_of(group + 4 * (i / 3)) >> 10 * (i % 3) & V210_MASK);
}

static void unpack_v210(const uint8_t *row, uint32_t width, void *const planes[3])
{
    uint16_t *y = planes[0], *u = planes[1], *v = planes[2], samples[12];

    for (uint32_t x = 0; x < width; x += V210_PIXELS, row += 16) {
        unpack_group(row, samples);
        for (uint32_t i = 0; i < V210_PIXELS && x + i < width; i++) {
            y[x + i] = samples[2 * i + 1];
            if (i % 2 == 0) {
                u[(x + i) / 2] = samples[2 * i];
                v[(x + i) / 2] = samples[2 * i + 2];
            }
        }
    }
}

static void unpack_rgba(const uint8_t *row, uint32_t width, uint8_t *to)
{
    for (uint32_t x = 0; x < width; x++)
        for (uint32_t i = 0; i < 3; i++)
            to[3 * x + i] = row[4 * x + i];
}

static void unpack_r10k(const uint8_t *row, uint32_t width, uint16_t *to)
{
    for (uint32_t x = 0; x < width; x++, row += 4) {
        to[3 * x] = (uint16_t)(row[0] << 2 | row[1] >> 6);
        to[3 * x + 1] = (uint16_t)((row[1] & 0x3F) << 4 | row[2] >> 4);
        to[3 * x + 2] = (uint16_t)((row[2] & 0xF) << 6 | row[3] >> 2);
    }
}

static void unpack_rg48(const uint8_t *row, uint32_t width, uint16_t *to)
{
    for (size_t i = 0; i < (size_t)3 * width; i++)
        to[i] = (uint16_t)(row[2 * i] | row[2 * i + 1] << 8);
}

void packing_unpack(enum packing packing, const uint8_t *row, uint32_t width, void *const planes[3])
{
    switch (packing) {
    case PACKING_UYVY:
        unpack_pairs(row, width, 1, 0, planes);
        break;
    case PACKING_YUYV:
        unpack_pairs(row, width, 0, 1, planes);
        break;
    case PACKING_V210:
        unpack_v210(row, width, planes);
        break;
    case PACKING_RGB:
        memcpy(planes[0], row, (size_t)3 * width);
        break;
    case PACKING_RGBA:
        unpack_rgba(row, width, planes[0]);
        break;
    case PACKING_RG48:
        unpack_rg48(row, width, planes[0]);
        break;
    case PACKING_R10K:
        unpack_r10k(row, width, planes[0]);
        break;
    default:
        break;
    }
}

static void pack_pairs(const void *const planes[3], uint32_t width, size_t luma, size_t chroma, uint8_t *row)
{
    const uint8_t *y = planes[0], *u = planes[1], *v = planes[2];

    for (uint32_t i = 0; i < (width + 1) / 2; i++) {
        row[4 * i + luma] = y[2 * i];
        row[4 * i + luma + 2] = y[2 * i + 1 < width ? 2 * i + 1 : 2 * i];
        row[4 * i + chroma] = u[i];
        row[4 * i + chroma + 2] = v[i];
    }
}

/* Pack the pixels of a group from `x` on. Pixels behind the row's end repeat its last one. */
static void pack_group(const void *const planes[3], uint32_t width, uint32_t x, uint8_t *group)
{
    const uint16_t *y = planes[0], *u = planes[1], *v = planes[2];
    uint32_t samples[12], last = width - 1;

    for (uint32_t i = 0; i < V210_PIXELS; i++) {
        uint32_t at = x + i < last ? x + i : last, pair = x / 2 + i / 2 < last / 2 ? x / 2 + i / 2 : last / 2;
        samples[2 * i + 1] = y[at] & V210_MASK;
        samples[2 * i] = (i % 2 == 0 ? u[pair] : v[pair]) & V210_MASK;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t word = samples[3 * i] | samples[3 * i + 1] << 10 | samples[3 * i + 2] << 20;
        for (uint32_t k = 0; k < 4; k++)
            group[4 * i + k] = (uint8_t)(word >> 8 * k);
    }
}

static void pack_v210(const void *const planes[3], uint32_t width, uint8_t *row)
{
    size_t used = 0;

    for (uint32_t x = 0; x < width; x += V210_PIXELS, used += 16)
        pack_group(planes, width, x, row + used);
    memset(row + used, 0, packing_row(PACKING_V210, width) - used);
}

static void pack_rg48(const void *const planes[3], uint32_t width, uint8_t *row)
{
    for (uint32_t i = 0; i < 3; i++) {
        const uint16_t *plane = planes[i];
        for (uint32_t x = 0; x < width; x++) {
            row[6 * x + 2 * i] = (uint8_t)plane[x];
            row[6 * x + 2 * i + 1] = (uint8_t)(plane[x] >> 8);
        }
    }
}

void packing_pack(enum packing packing, const void *const planes[3], uint32_t width, uint8_t *row)
{
    switch (packing) {
    case PACKING_UYVY:
        pack_pairs(planes, width, 1, 0, row);
        break;
    case PACKING_YUYV:
        pack_pairs(planes, width, 0, 1, row);
        break;
    case PACKING_V210:
        pack_v210(planes, width, row);
        break;
    case PACKING_RG48:
        pack_rg48(planes, width, row);
        break;
    default:
        break;
    }
}

/* Change a sample's depth: zero bits are appended, or the lowest bits are dropped. */
static uint32_t at_depth(uint32_t sample, uint32_t from, uint32_t to)
{
    return from < to ? sample << (to - from) : sample >> (from - to);
}

void packing_fit(
    const void *from, uint32_t from_width, uint32_t from_depth, void *to, uint32_t to_width, uint32_t to_depth)
{
    const uint8_t *narrow = from;
    const uint16_t *wide = from;
    uint8_t *narrow_to = to;
    uint16_t *wide_to = to;

    for (uint32_t x = 0; x < to_width; x++) {
        uint32_t at = from_width < to_width ? x / 2 : from_width > to_width ? 2 * x : x;
        at = at < from_width ? at : from_width - 1;
        uint32_t sample = at_depth(from_depth > 8 ? wide[at] : narrow[at], from_depth, to_depth);
        if (to_depth > 8)
            wide_to[x] = (uint16_t)sample;
        else
            narrow_to[x] = (uint8_t)sample;
    }
}
