/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the boxes of a JP2 file in one pass over the file, without recursion. */
#include "j2k/syntax/boxes.h"

#include "core/report.h"
#include "j2k/syntax/bytes.h"

enum { POINTS_LENGTH = 7 /* bytes of code points: three numbers of 16 bits, and the range */ };

struct box_walk {
    struct memory *memory;
    const kst_limits *limits;
    const uint8_t *data;
    struct j2k_file *file;
    kst_report *report;
};

static void complain(struct box_walk *walk, uint64_t offset)
{
    kst_report_warning(walk->report, KST_WARNING_J2K_BOX, offset, 1, false);
}

static void read_image_header(struct box_walk *walk, const struct j2k_box *box)
{
    const uint8_t *at = walk->data + box->offset;
    struct j2k_file *file = walk->file;
    if (box->length != 14 || file->has_header || at[11] != 7) {
        complain(walk, box->offset);
        return;
    }
    file->has_header = true;
    file->header = box->offset;
    file->height = j2k_get32(at);
    file->width = j2k_get32(at + 4);
    file->components = (uint16_t)j2k_get16(at + 8);
    file->bits = at[10];
    file->unknown_colour = at[12] != 0;
}

static void read_depths(struct box_walk *walk, const struct j2k_box *box)
{
    if (box->length == 0 || box->length > UINT16_MAX || walk->file->depth_count) {
        complain(walk, box->offset);
        return;
    }
    walk->file->depths = box->offset;
    walk->file->depth_count = (uint32_t)box->length;
}

static void read_points(struct box_walk *walk, const uint8_t *at)
{
    struct j2k_file *file = walk->file;
    if (!file->points.present)
        file->points = (kst_code_points){.present = true,
            .full_range = at[6] >> 7,
            .primaries = (uint16_t)j2k_get16(at),
            .transfer = (uint16_t)j2k_get16(at + 2),
            .matrix = (uint16_t)j2k_get16(at + 4)};
    if (file->colour_method == J2K_COLOUR_NONE)
        file->colour_method = J2K_COLOUR_POINTS;
}

/* Return whether colours have been found that can be used, so that no further colour specification counts. */
static bool has_colour(const struct j2k_file *file)
{
    return file->colour_method != J2K_COLOUR_NONE &&
           (file->colour_method != J2K_COLOUR_POINTS || kst_j2k_points_colour(&file->points) != KST_COLOUR_UNKNOWN);
}

kst_colour kst_j2k_points_colour(const kst_code_points *points)
{
    enum { IDENTITY = 0, BT_470_BG = 5, BT_601 = 6 };
    if (!points->full_range)
        return KST_COLOUR_UNKNOWN;
    return points->matrix == IDENTITY                                ? KST_COLOUR_RGB
           : points->matrix == BT_470_BG || points->matrix == BT_601 ? KST_COLOUR_YCBCR
                                                                     : KST_COLOUR_UNKNOWN;
}

/*
 * Read a colour specification. Only the first one that can be used counts (I.5.3.3); unknown methods are skipped
 * without a warning.
 */
static void read_colour(struct box_walk *walk, const struct j2k_box *box)
{
    const uint8_t *at = walk->data + box->offset;
    struct j2k_file *file = walk->file;
    if (box->length < 3) {
        complain(walk, box->offset);
        return;
    }
    if (at[0] == J2K_COLOUR_POINTS && box->length >= 3 + POINTS_LENGTH) {
        read_points(walk, at + 3);
    } else if (at[0] != J2K_COLOUR_POINTS && has_colour(file)) {
        return;
    } else if (at[0] == J2K_COLOUR_ENUMERATED && box->length >= 7) {
        file->colour_method = J2K_COLOUR_ENUMERATED;
        file->colour_space = j2k_get32(at + 3);
    } else if ((at[0] == J2K_COLOUR_ICC || at[0] == J2K_COLOUR_FULL_ICC) && box->length > 3) {
        file->colour_method = (enum j2k_colour_method)at[0];
        file->icc_offset = box->offset + 3;
        file->icc_length = box->length - 3;
    } else if (at[0] <= J2K_COLOUR_FULL_ICC || at[0] == J2K_COLOUR_POINTS) {
        complain(walk, box->offset);
    }
}

static uint32_t value_bytes(uint8_t depth)
{
    return ((depth & 0x7FU) + 8) / 8;
}

static void read_palette(struct box_walk *walk, const struct j2k_box *box)
{
    const uint8_t *at = walk->data + box->offset;
    struct j2k_palette palette = {0};
    uint64_t row = 0;
    if (box->length >= 4) {
        palette.entries = (uint16_t)j2k_get16(at);
        palette.columns = at[2];
        palette.depths = box->offset + 3;
        palette.values = palette.depths + palette.columns;
    }
    bool fine = palette.entries >= 1 && palette.entries <= 1024 && palette.columns >= 1 &&
                walk->file->palette.entries == 0 && box->length >= 3U + palette.columns;
    for (uint32_t i = 0; fine && i < palette.columns; i++) {
        fine = (at[3 + i] & 0x7F) < 38;
        row += value_bytes(at[3 + i]);
    }
    palette.row = (uint32_t)row;
    if (!fine || box->length - 3 - palette.columns < row * palette.entries) {
        complain(walk, box->offset);
        return;
    }
    walk->file->palette = palette;
}

static void read_mapping(struct box_walk *walk, const struct j2k_box *box)
{
    if (box->length == 0 || box->length % 4 != 0 || box->length > UINT64_C(4) * 65535 || walk->file->mapping_count) {
        complain(walk, box->offset);
        return;
    }
    walk->file->mappings = box->offset;
    walk->file->mapping_count = (uint32_t)(box->length / 4);
}

static void read_definition(struct box_walk *walk, const struct j2k_box *box)
{
    uint32_t count = box->length >= 2 ? j2k_get16(walk->data + box->offset) : 0;
    if (count == 0 || box->length != 2 + UINT64_C(6) * count || walk->file->definition_count) {
        complain(walk, box->offset);
        return;
    }
    walk->file->definitions = box->offset + 2;
    walk->file->definition_count = count;
}

static void read_resolution(struct box_walk *walk, const struct j2k_box *box, struct j2k_resolution_box *resolution)
{
    const uint8_t *at = walk->data + box->offset;
    if (box->length != 10 || !j2k_get16(at + 2) || !j2k_get16(at + 6)) {
        complain(walk, box->offset);
        return;
    }
    resolution->present = true;
    for (uint32_t i = 0; i < 2; i++) {
        resolution->numerator[i] = (uint16_t)j2k_get16(at + 4 * i);
        resolution->denominator[i] = (uint16_t)j2k_get16(at + 4 * i + 2);
        resolution->exponent[i] = (int8_t)at[8 + i];
    }
}

static void read_codestream(struct box_walk *walk, const struct j2k_box *box)
{
    if (walk->file->codestream_length)
        return;
    walk->file->codestream = box->offset;
    walk->file->codestream_length = box->length;
}

static void read_contents(struct box_walk *walk, const struct j2k_box *box)
{
    switch (box->type) {
    case J2K_BOX('f', 't', 'y', 'p'):
        if (box->length < 8)
            complain(walk, box->offset);
        else
            walk->file->brand = j2k_get32(walk->data + box->offset);
        break;
    case J2K_BOX('i', 'h', 'd', 'r'):
        read_image_header(walk, box);
        break;
    case J2K_BOX('b', 'p', 'c', 'c'):
        read_depths(walk, box);
        break;
    case J2K_BOX('c', 'o', 'l', 'r'):
        read_colour(walk, box);
        break;
    case J2K_BOX('p', 'c', 'l', 'r'):
        read_palette(walk, box);
        break;
    case J2K_BOX('c', 'm', 'a', 'p'):
        read_mapping(walk, box);
        break;
    case J2K_BOX('c', 'd', 'e', 'f'):
        read_definition(walk, box);
        break;
    case J2K_BOX('r', 'e', 's', 'c'):
        read_resolution(walk, box, &walk->file->capture);
        break;
    case J2K_BOX('r', 'e', 's', 'd'):
        read_resolution(walk, box, &walk->file->display);
        break;
    case J2K_BOX('j', 'p', '2', 'c'):
        read_codestream(walk, box);
        break;
    default:
        break;
    }
}

static kst_status remember(struct box_walk *walk, const struct j2k_box *box)
{
    struct j2k_file *file = walk->file;
    if (file->box_count >= walk->limits->boxes)
        return kst_report_error(
            walk->report, KST_ERROR_LIMIT_BOXES, box->offset, "more than %u", (unsigned)walk->limits->boxes);
    if (file->box_count == file->box_capacity) {
        kst_status status = KST_ERROR_LIMIT_MEMORY;
        uint32_t wanted = file->box_capacity ? 2 * file->box_capacity : 16;
        void *grown = wanted > file->box_capacity ? kst_memory_grow(walk->memory, file->box,
                                                        file->box_count * sizeof *box, wanted * sizeof *box, &status)
                                                  : NULL;
        if (!grown)
            return kst_report_error(walk->report, status, box->offset, "while reading boxes");
        file->box = grown;
        file->box_capacity = wanted;
    }
    file->box[file->box_count++] = *box;
    return KST_OK;
}

/*
 * Read the header of the box at `at`, inside a container that ends at `end`. A length field of 0 means the rest of the
 * container, and one of 1 means that the length is in eight bytes behind the type (I.4). Returns false if there is no
 * room for a header, or the length is less than that of the header.
 */
static bool read_header(struct box_walk *walk, uint64_t at, uint64_t end, struct j2k_box *box)
{
    if (end - at < 8)
        return false;
    uint64_t length = j2k_get32(walk->data + at), header = 8;
    box->type = j2k_get32(walk->data + at + 4);
    if (length == 1) {
        if (end - at < 16)
            return false;
        length = j2k_get64(walk->data + at + 8);
        header = 16;
    } else if (length == 0) {
        length = end - at;
    }
    if (length < header)
        return false;
    if (length > end - at) { /* the box is cut off; the bytes that there are count */
        bool codestream = box->type == J2K_BOX('j', 'p', '2', 'c');
        kst_report_warning(walk->report, codestream ? KST_WARNING_J2K_TRUNCATED : KST_WARNING_J2K_BOX, at, 1, false);
        length = end - at;
    }
    box->offset = at + header;
    box->length = length - header;
    return true;
}

static bool is_superbox(const struct j2k_box *box)
{
    return (box->depth == 0 && box->type == J2K_BOX('j', 'p', '2', 'h')) ||
           (box->depth == 1 && box->type == J2K_BOX('r', 'e', 's', ' '));
}

/*
 * Walk all boxes. They are nested at most twice, so that a stack of three ends is enough. A superbox does not contain
 * the codestream: one that extends beyond the codestream's start is cut off there.
 */
static kst_status walk_boxes(struct box_walk *walk, uint64_t length)
{
    uint64_t end[3] = {length}, at = 0;
    uint8_t depth = 0;
    for (;;) {
        while (at >= end[depth] && depth > 0)
            at = end[depth--];
        if (at >= end[depth])
            return KST_OK;
        struct j2k_box box = {.depth = depth};
        if (!read_header(walk, at, end[depth], &box)) {
            complain(walk, at);
            at = end[depth];
            continue;
        }
        if (depth > 0 && box.type == J2K_BOX('j', 'p', '2', 'c')) {
            complain(walk, at);
            depth = 0;
            continue;
        }
        kst_status status = remember(walk, &box);
        if (status)
            return status;
        if (is_superbox(&box)) {
            end[++depth] = box.offset + box.length;
            at = box.offset;
            continue;
        }
        read_contents(walk, &box);
        at = box.offset + box.length;
    }
}

kst_status kst_j2k_boxes_parse(const struct operation *op, const uint8_t *data, size_t length, struct j2k_file *file)
{
    struct box_walk walk = {
        .memory = op->memory, .limits = op->limits, .data = data, .file = file, .report = op->report};
    file->present = true;
    kst_status status = walk_boxes(&walk, length);
    if (!status && file->codestream_length == 0)
        status = kst_report_error(op->report, KST_ERROR_J2K_NO_CODESTREAM, length, NULL);
    return status;
}

struct j2k_channel_mapping kst_j2k_mapping(const uint8_t *data, const struct j2k_file *file, uint32_t index)
{
    const uint8_t *at = data + file->mappings + UINT64_C(4) * index;
    return (struct j2k_channel_mapping){.component = (uint16_t)j2k_get16(at), .type = at[2], .column = at[3]};
}

struct j2k_channel_definition kst_j2k_definition(const uint8_t *data, const struct j2k_file *file, uint32_t index)
{
    const uint8_t *at = data + file->definitions + UINT64_C(6) * index;
    return (struct j2k_channel_definition){.channel = (uint16_t)j2k_get16(at),
        .type = (uint16_t)j2k_get16(at + 2),
        .association = (uint16_t)j2k_get16(at + 4)};
}

uint8_t kst_j2k_palette_depth(const uint8_t *data, const struct j2k_palette *palette, uint32_t column, bool *is_signed)
{
    uint8_t depth = data[palette->depths + column];
    *is_signed = (depth & 0x80) != 0;
    return (uint8_t)((depth & 0x7F) + 1);
}

int64_t kst_j2k_palette_value(const uint8_t *data, const struct j2k_palette *palette, uint32_t entry, uint32_t column)
{
    uint64_t at = palette->values + (uint64_t)palette->row * entry, value = 0;
    for (uint32_t i = 0; i < column; i++)
        at += value_bytes(data[palette->depths + i]);
    bool is_signed;
    uint8_t depth = kst_j2k_palette_depth(data, palette, column, &is_signed);
    for (uint32_t i = value_bytes(data[palette->depths + column]); i > 0; i--)
        value = value << 8 | data[at++];
    value &= (UINT64_C(1) << depth) - 1;
    bool negative = is_signed && value >> (depth - 1);
    return negative ? (int64_t)value - ((int64_t)1 << depth) : (int64_t)value;
}
