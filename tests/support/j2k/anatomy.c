/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes small JPEG 2000 files that have every marker segment and box. */
#include "support/j2k/anatomy.h"

#include <string.h>

#include "support/test.h"

enum { PACKETS = 6, SOT_LENGTH = 12 };

static void note(struct anatomy *a, const char *name, size_t offset, size_t length)
{
    assert_true(a->count < ANATOMY_PARTS);
    a->part[a->count++] = (struct anatomy_part){name, offset, length};
}

static void alone(struct anatomy *a, const char *name, uint8_t marker)
{
    put_marker(&a->bytes, marker);
    note(a, name, a->bytes.length, 0);
}

static void segment(struct anatomy *a, const char *name, uint8_t marker, const void *data, size_t length)
{
    note(a, name, a->bytes.length + 4, length);
    put_segment(&a->bytes, marker, data, length);
}

#define SEGMENT(name, marker, ...)                                                                                     \
    segment(a, name, marker, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Write packet headers of empty packets, each with EPH. */
static void put_headers(struct bytes *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(bytes, (const uint8_t[]){0, 0xFF, 0x92}, 3);
}

static void packed(struct anatomy *a, enum anatomy_kind kind, const char *name, uint8_t marker)
{
    struct bytes b = {0};
    for (uint8_t i = 0; i < 2; i++) {
        b.length = 0;
        put(&b, &i, 1);
        if (kind == ANATOMY_PPM)
            put(&b, (const uint8_t[]){0, 0, 0, 3 * PACKETS}, 4);
        put_headers(&b, kind == ANATOMY_PPM ? PACKETS : PACKETS / 2);
        segment(a, name, marker, b.data, b.length);
    }
    bytes_free(&b);
}

static void main_header(struct anatomy *a, enum anatomy_kind kind)
{
    alone(a, "SOC", 0x4F);
    SEGMENT("SIZ", 0x51, 0, 0, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 8, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 3, 7, 1, 1, 7, 1, 1, 7, 1, 1);
    SEGMENT("COD", 0x52, 7, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0x33, 0x44);
    SEGMENT("COC", 0x53, 1, 1, 1, 0, 0, 0, 1, 0x33, 0x44);
    SEGMENT("QCD", 0x5C, 0x40, 64, 72, 72, 80);
    SEGMENT("QCC", 0x5D, 1, 0x40, 64, 72, 72, 80);
    SEGMENT("RGN", 0x5E, 1, 0, 7);
    SEGMENT("POC", 0x5F, 0, 0, 0, 1, 2, 3, 0);
    SEGMENT("TLM", 0x55, 0, 0x50, 0, 0, 0, 80, 1, 0, 0, 80);
    SEGMENT("PLM", 0x57, 0, 2, 9, 9);
    SEGMENT("CRG", 0x63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    SEGMENT("COM", 0x64, 0, 1, 'x');
    SEGMENT("unknown", 0x6F, 1, 2, 3, 4);
    if (kind == ANATOMY_PPM)
        packed(a, kind, "PPM", 0x60);
}

static void tile(struct anatomy *a, enum anatomy_kind kind, uint8_t index)
{
    size_t start = a->bytes.length;
    SEGMENT("SOT", 0x90, 0, index, 0, 0, 0, 0, 0, 1);
    SEGMENT("PLT", 0x58, 0, 9, 9, 9, 9, 9, 9);
    if (kind == ANATOMY_PPT)
        packed(a, kind, "PPT", 0x61);
    alone(a, "SOD", 0x93);
    for (uint32_t i = 0; i < PACKETS; i++) {
        SEGMENT("SOP", 0x91, 0, (uint8_t)i);
        if (kind == ANATOMY_PPM || kind == ANATOMY_PPT)
            continue;
        put_zeros(&a->bytes, 1);
        alone(a, "EPH", 0x92);
    }
    size_t length = a->bytes.length - start;
    a->bytes.data[start + 8] = (uint8_t)(length >> 8);
    a->bytes.data[start + 9] = (uint8_t)length;
}

static void codestream(struct anatomy *a, enum anatomy_kind kind)
{
    main_header(a, kind);
    tile(a, kind, 0);
    tile(a, kind, 1);
    alone(a, "EOC", 0xD9);
}

/* Begin a box. box_end() fills in the length of a box that holds other boxes. */
static size_t box_begin(struct anatomy *a, const char *type)
{
    put_zeros(&a->bytes, 4);
    put(&a->bytes, type, 4);
    note(a, type, a->bytes.length, 0);
    return a->count - 1;
}

static void box_end(struct anatomy *a, size_t index)
{
    struct anatomy_part *part = &a->part[index];
    part->length = a->bytes.length - part->offset;
    for (uint32_t i = 0; i < 4; i++)
        a->bytes.data[part->offset - 8 + i] = (uint8_t)((part->length + 8) >> (24 - 8 * i));
}

static void box(struct anatomy *a, const char *type, const void *data, size_t length)
{
    size_t index = box_begin(a, type);
    put(&a->bytes, data, length);
    box_end(a, index);
}

#define BOX(type, ...) box(a, type, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void file(struct anatomy *a)
{
    BOX("jP  ", 0x0D, 0x0A, 0x87, 0x0A);
    BOX("ftyp", 'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' ');
    size_t header = box_begin(a, "jp2h");
    BOX("ihdr", 0, 0, 0, 16, 0, 0, 0, 16, 0, 3, 255, 7, 0, 0);
    BOX("bpcc", 7, 7, 7);
    BOX("colr", 1, 0, 0, 0, 0, 0, 16);
    BOX("pclr", 0, 2, 1, 7, 0, 255);
    BOX("cmap", 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0);
    BOX("cdef", 0, 3, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3);
    size_t resolution = box_begin(a, "res ");
    BOX("resc", 0, 72, 0, 1, 0, 72, 0, 1, 0, 0);
    BOX("resd", 0, 72, 0, 1, 0, 72, 0, 1, 0, 0);
    box_end(a, resolution);
    box_end(a, header);
    BOX("xml ", '<', 'a', '/', '>');
    BOX("uuid", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    BOX("what", 1, 2, 3);
    size_t index = box_begin(a, "jp2c");
    codestream(a, ANATOMY_PLAIN);
    box_end(a, index);
}

void anatomy_make(struct anatomy *anatomy, enum anatomy_kind kind)
{
    memset(anatomy, 0, sizeof *anatomy);
    if (kind == ANATOMY_FILE)
        file(anatomy);
    else
        codestream(anatomy, kind);
}

const struct anatomy_part *anatomy_find(const struct anatomy *anatomy, const char *name, uint32_t number)
{
    for (size_t i = 0; i < anatomy->count; i++)
        if (strcmp(anatomy->part[i].name, name) == 0 && number-- == 0)
            return &anatomy->part[i];
    fail_msg("there is no %s", name);
    return NULL;
}
