/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the boxes of a JP2 file up to its codestream (T.800 Annex I). */
#include "boxes.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "codec.h"

#define NAME(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum {
    BOX_HEADER = 8,
    SIGNATURE = 0x0D0A870A,
    MOST_HEADER = 1 << 26, /* the most bytes of a jp2h box, the same as Kostka's limit on metadata */
    ENTRIES_MAX = 1024,    /* I.5.3.4 */
    CIELAB = 14,           /* EnumCS (T.801 Table M.25) */
    CIELAB_NUMBERS = 9,
    CIELAB_DEFAULT = 0x44454600,    /* "DEF": no parameters follow */
    CIELAB_ILLUMINANT = 0x00443530, /* "D50" */
};

struct box {
    uint32_t name;
    uint64_t length; /* of the contents; UINT64_MAX: to the end of the file */
};

static bool read_box(struct openjp2_stream *stream, struct box *box)
{
    uint8_t head[BOX_HEADER];
    if (openjp2_stream_read(stream, head, sizeof head) != sizeof head)
        return false;
    uint64_t length = openjp2_get32(head);
    box->name = openjp2_get32(head + 4);
    box->length = UINT64_MAX;
    if (length == 0)
        return true;
    uint32_t header = BOX_HEADER;
    if (length == 1) {
        if (openjp2_stream_read(stream, head, sizeof head) != sizeof head)
            return false;
        length = (uint64_t)openjp2_get32(head) << 32 | openjp2_get32(head + 4);
        header += BOX_HEADER;
    }
    if (length < header)
        return false;
    box->length = length - header;
    return true;
}

static bool read_colour_number(struct openjp2_file *file, const uint8_t *data, size_t length)
{
    file->colour = openjp2_get32(data + 3);
    if (file->colour != CIELAB)
        return true;
    uint32_t *number = calloc(CIELAB_NUMBERS, sizeof *number);
    if (!number)
        return false;
    bool whole = length == 3 + 4 + 7 * 4;
    number[0] = CIELAB;
    number[1] = whole ? 0 : CIELAB_DEFAULT;
    for (size_t i = 0; i < 7 && whole; i++)
        number[2 + i] = openjp2_get32(data + 7 + 4 * i);
    if (!whole)
        number[8] = CIELAB_ILLUMINANT;
    free(file->profile);
    file->profile = (uint8_t *)number;
    file->profile_length = 0;
    return true;
}

/* Read a colour specification. The first one counts (I.5.3.3). */
static bool read_colour(
    const struct openjp2_codec *codec, struct openjp2_file *file, const uint8_t *data, size_t length)
{
    if (length < 3)
        return openjp2_fail(codec, "a colr box of %zu bytes is too short", length);
    if (file->has_colour || data[0] > 2)
        return true;
    if (data[0] == 1) {
        if (length < 7)
            return openjp2_fail(codec, "a colr box of %zu bytes is too short", length);
        file->has_colour = true;
        return read_colour_number(file, data, length);
    }
    if (data[0] != 2 || length == 3)
        return true;
    file->profile = malloc(length - 3);
    if (!file->profile)
        return false;
    memcpy(file->profile, data + 3, length - 3);
    file->profile_length = (uint32_t)(length - 3);
    file->has_colour = true;
    return true;
}

/* Return a palette entry of `bytes` bytes, sign-extended if it is signed. */
static int32_t entry_of(const uint8_t *at, uint32_t bytes, uint8_t depth)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    uint32_t bits = (depth & 0x7FU) + 1;
    bool is_negative = (depth & 0x80) && (value >> (bits - 1) & 1);
    return (int32_t)(uint32_t)(is_negative ? value - ((uint64_t)1 << bits) : value);
}

static bool read_palette(
    const struct openjp2_codec *codec, struct openjp2_file *file, const uint8_t *data, size_t length)
{
    if (file->palette)
        return true;
    if (length < 3)
        return openjp2_fail(codec, "a pclr box of %zu bytes is too short", length);
    uint32_t entries = openjp2_get16(data), columns = data[2];
    size_t row = 0, at = 3 + (size_t)columns;
    for (size_t i = 3; i < at && i < length; i++) {
        if ((data[i] & 0x7FU) > 31)
            return openjp2_fail(codec, "a palette has entries of %u bits", (data[i] & 0x7FU) + 1);
        row += (data[i] & 0x7FU) / 8 + 1;
    }
    if (entries == 0 || entries > ENTRIES_MAX || columns == 0 || length < at || (length - at) / row < entries)
        return openjp2_fail(codec, "a pclr box of %zu bytes with %u entries is damaged", length, entries);
    file->column_depth = malloc(columns);
    file->palette = calloc((size_t)entries * columns, sizeof *file->palette);
    if (!file->column_depth || !file->palette)
        return openjp2_fail(codec, "there is no memory for the palette");
    memcpy(file->column_depth, data + 3, columns);
    for (size_t i = 0; i < (size_t)entries * columns; i++) {
        uint8_t depth = file->column_depth[i % columns];
        uint32_t bytes = (depth & 0x7FU) / 8 + 1;
        file->palette[i] = entry_of(data + at, bytes, depth);
        at += bytes;
    }
    file->entries = entries;
    file->columns = columns;
    return true;
}

/* Read a component mapping, which must follow a palette. */
static bool read_mapping(
    const struct openjp2_codec *codec, struct openjp2_file *file, const uint8_t *data, size_t length)
{
    if (file->mapping)
        return true;
    if (!file->palette || length < 4 * (size_t)file->columns)
        return openjp2_fail(codec, "a cmap box does not fit the palette");
    file->mapping = calloc(file->columns, sizeof *file->mapping);
    for (uint32_t i = 0; file->mapping && i < file->columns; i++)
        file->mapping[i] = (struct openjp2_mapping){
            .component = openjp2_get16(data + 4 * i), .kind = data[4 * i + 2], .column = data[4 * i + 3]};
    return file->mapping != NULL;
}

static bool read_definitions(
    const struct openjp2_codec *codec, struct openjp2_file *file, const uint8_t *data, size_t length)
{
    if (file->definition)
        return true;
    uint32_t count = length < 2 ? 0 : openjp2_get16(data);
    if (count == 0 || (length - 2) / 6 < count)
        return openjp2_fail(codec, "a cdef box of %zu bytes with %u channels is damaged", length, count);
    file->definition = calloc(count, sizeof *file->definition);
    for (uint32_t i = 0; file->definition && i < count; i++) {
        const uint8_t *at = data + 2 + 6 * (size_t)i;
        file->definition[i] = (struct openjp2_definition){.channel = (uint16_t)openjp2_get16(at),
            .kind = (uint16_t)openjp2_get16(at + 2),
            .association = (uint16_t)openjp2_get16(at + 4)};
    }
    file->definitions = count;
    return file->definition != NULL;
}

static bool read_sub_box(
    const struct openjp2_codec *codec, struct openjp2_file *file, uint32_t name, const uint8_t *data, size_t length)
{
    switch (name) {
    case NAME('i', 'h', 'd', 'r'):
        file->has_image = length == 14;
        return file->has_image || openjp2_fail(codec, "an ihdr box has %zu bytes", length);
    case NAME('c', 'o', 'l', 'r'):
        return read_colour(codec, file, data, length);
    case NAME('p', 'c', 'l', 'r'):
        return read_palette(codec, file, data, length);
    case NAME('c', 'm', 'a', 'p'):
        return read_mapping(codec, file, data, length);
    case NAME('c', 'd', 'e', 'f'):
        return read_definitions(codec, file, data, length);
    default:
        return true;
    }
}

static bool read_header(
    const struct openjp2_codec *codec, struct openjp2_file *file, const uint8_t *data, size_t length)
{
    size_t at = 0;
    while (length - at >= BOX_HEADER) {
        uint32_t box = openjp2_get32(data + at);
        if (box < BOX_HEADER || box > length - at)
            return openjp2_fail(codec, "a box in jp2h has a length of %u bytes", box);
        if (!read_sub_box(codec, file, openjp2_get32(data + at + 4), data + at + BOX_HEADER, box - BOX_HEADER))
            return false;
        at += box;
    }
    file->has_header = true;
    return file->has_image || openjp2_fail(codec, "the JP2 file has no ihdr box");
}

static bool read_super_box(struct openjp2_codec *codec, struct openjp2_stream *stream, uint64_t length)
{
    if (length > MOST_HEADER)
        return openjp2_fail(codec, "the jp2h box has a length of %llu bytes", (unsigned long long)length);
    uint8_t *data = malloc(length > 0 ? (size_t)length : 1);
    bool fine = data && openjp2_stream_read(stream, data, (size_t)length) == length;
    if (!fine)
        openjp2_fail(codec, "the file ends inside the jp2h box");
    fine = fine && read_header(codec, &codec->file, data, (size_t)length);
    free(data);
    return fine;
}

static bool read_signature(const struct openjp2_codec *codec, struct openjp2_stream *stream)
{
    struct box box;
    uint8_t contents[4];
    if (!read_box(stream, &box) || box.name != NAME('j', 'P', ' ', ' ') || box.length != sizeof contents ||
        openjp2_stream_read(stream, contents, sizeof contents) != sizeof contents ||
        openjp2_get32(contents) != SIGNATURE)
        return openjp2_fail(codec, "the file does not begin as a JP2 file");
    return true;
}

bool openjp2_file_read(struct openjp2_codec *codec, struct openjp2_stream *stream)
{
    struct box box;
    bool has_type = false;
    if (!read_signature(codec, stream))
        return false;
    for (;;) {
        if (!read_box(stream, &box))
            return openjp2_fail(codec, "the JP2 file has no codestream");
        if (box.name == NAME('j', 'p', '2', 'c'))
            break;
        if (box.length == UINT64_MAX)
            return openjp2_fail(codec, "the JP2 file has no codestream");
        has_type = has_type || box.name == NAME('f', 't', 'y', 'p');
        if (box.name == NAME('j', 'p', '2', 'h') && !codec->file.has_header) {
            if (!has_type)
                return openjp2_fail(codec, "the JP2 file has no ftyp box in front of jp2h");
            if (!read_super_box(codec, stream, box.length))
                return false;
        } else if (box.length > INT64_MAX - stream->at || !openjp2_stream_go(stream, stream->at + box.length))
            return openjp2_fail(codec, "the file ends inside a box");
    }
    return codec->file.has_header || openjp2_fail(codec, "the JP2 file has no jp2h box");
}

void openjp2_file_release(struct openjp2_file *file)
{
    free(file->profile);
    free(file->column_depth);
    free(file->palette);
    free(file->mapping);
    free(file->definition);
    *file = (struct openjp2_file){0};
}
