/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the boxes of a JP2 file around a transcoded codestream, and adapts those that describe the picture. */
#include "j2k/write/rewrap.h"

#include "core/report.h"
#include "j2k/syntax/bytes.h"
#include "j2k/write/capabilities.h"

struct rewrap {
    const struct operation *op;
    const struct j2k_rewrapping *wanted;
    const struct j2k_coded *coded;
    const struct j2k_writing *writing;
    struct sink *sink;
    bool lost_colour; /* a component that was one of the colours has been dropped */
};

static const uint8_t *contents(const struct rewrap *rewrap, const struct j2k_box *box)
{
    return rewrap->wanted->stream->data + box->offset;
}

static void copy(struct rewrap *rewrap, const struct j2k_box *box)
{
    kst_j2k_put_box(rewrap->sink, box->type, contents(rewrap, box), (size_t)box->length);
}

/*
 * Write a resolution box for a reduced picture. For each reduction the number of samples per metre is halved: the
 * denominator is doubled if that is possible, otherwise the numerator is halved.
 */
static void put_smaller_resolution(struct rewrap *rewrap, const struct j2k_box *box)
{
    const uint8_t *at = contents(rewrap, box);
    size_t begin = kst_j2k_box_begin(rewrap->sink, box->type);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t numerator = j2k_get16(at + 4 * i), denominator = j2k_get16(at + 4 * i + 2);
        for (uint32_t k = 0; k < rewrap->wanted->reduce; k++) {
            if (denominator <= UINT16_MAX / 2)
                denominator *= 2;
            else
                numerator = (numerator + 1) / 2;
        }
        kst_sink_u16(rewrap->sink, (uint16_t)numerator);
        kst_sink_u16(rewrap->sink, (uint16_t)denominator);
    }
    kst_sink_bytes(rewrap->sink, at + 8, 2);
    kst_j2k_box_end(rewrap->sink, begin);
}

static bool is_resolution(const struct j2k_box *box)
{
    return box->length == 10 && (box->type == J2K_BOX('r', 'e', 's', 'c') || box->type == J2K_BOX('r', 'e', 's', 'd'));
}

/* Return the new index of a component of the source; UINT32_MAX: it was dropped. The kept components ascend. */
static uint32_t place_of(const struct rewrap *rewrap, uint32_t component)
{
    const uint32_t *kept = rewrap->wanted->component;
    uint32_t first = 0, end = rewrap->coded->headers.component_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (kept[middle] == component)
            return middle;
        if (kept[middle] < component)
            first = middle + 1;
        else
            end = middle;
    }
    return UINT32_MAX;
}

static struct j2k_channel_definition definition_of(const struct rewrap *rewrap, uint32_t index)
{
    const struct j2k_stream *stream = rewrap->wanted->stream;
    if (stream->file.definition_count > 0)
        return kst_j2k_definition(stream->data, &stream->file, index);
    return (struct j2k_channel_definition){.channel = (uint16_t)index, .association = (uint16_t)(index + 1)};
}

static uint32_t definition_total(const struct rewrap *rewrap)
{
    const struct j2k_stream *stream = rewrap->wanted->stream;
    return stream->file.definition_count > 0 ? stream->file.definition_count : stream->component_count;
}

static bool find_lost_colour(const struct rewrap *rewrap)
{
    for (uint32_t i = 0; rewrap->wanted->component && i < definition_total(rewrap); i++) {
        struct j2k_channel_definition definition = definition_of(rewrap, i);
        if (definition.type == 0 && place_of(rewrap, definition.channel) == UINT32_MAX)
            return true;
    }
    return false;
}

static void put_kept_definitions(struct rewrap *rewrap)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < definition_total(rewrap); i++)
        kept += place_of(rewrap, definition_of(rewrap, i).channel) != UINT32_MAX;
    if (kept == 0)
        return;
    size_t begin = kst_j2k_box_begin(rewrap->sink, J2K_BOX('c', 'd', 'e', 'f'));
    kst_sink_u16(rewrap->sink, (uint16_t)kept);
    for (uint32_t i = 0; i < definition_total(rewrap); i++) {
        struct j2k_channel_definition definition = definition_of(rewrap, i);
        uint32_t place = place_of(rewrap, definition.channel);
        if (place == UINT32_MAX)
            continue;
        kst_sink_u16(rewrap->sink, (uint16_t)place);
        kst_sink_u16(rewrap->sink, definition.type);
        kst_sink_u16(rewrap->sink, definition.association);
    }
    kst_j2k_box_end(rewrap->sink, begin);
}

/* Write a guess of the colour space of the kept components. */
static void put_guessed_colour(struct rewrap *rewrap)
{
    enum { ENUMERATED = 1 };
    size_t begin = kst_j2k_box_begin(rewrap->sink, J2K_BOX('c', 'o', 'l', 'r'));
    kst_sink_u8(rewrap->sink, ENUMERATED);
    kst_sink_u16(rewrap->sink, 0);
    kst_sink_u32(
        rewrap->sink, rewrap->coded->headers.component_count < 3 ? J2K_COLOUR_SPACE_GREY : J2K_COLOUR_SPACE_SRGB);
    kst_j2k_box_end(rewrap->sink, begin);
}

/* Write a box that lies inside jp2h or, one level deeper, inside its resolution superbox. */
static void put_inner(struct rewrap *rewrap, const struct j2k_box *box)
{
    switch (box->type) {
    case J2K_BOX('i', 'h', 'd', 'r'):
        kst_j2k_put_image_header(rewrap->sink, &rewrap->coded->headers,
            rewrap->wanted->stream->file.unknown_colour || rewrap->lost_colour,
            box->length == 14 && contents(rewrap, box)[13]);
        if (rewrap->lost_colour)
            put_guessed_colour(rewrap);
        break;
    case J2K_BOX('c', 'o', 'l', 'r'):
        if (!rewrap->lost_colour)
            copy(rewrap, box);
        break;
    case J2K_BOX('c', 'd', 'e', 'f'):
        if (!rewrap->wanted->component)
            copy(rewrap, box);
        else if (!rewrap->lost_colour)
            put_kept_definitions(rewrap);
        break;
    case J2K_BOX('b', 'p', 'c', 'c'): /* written together with ihdr */
        break;
    default:
        if (is_resolution(box))
            put_smaller_resolution(rewrap, box);
        else
            copy(rewrap, box);
    }
}

/* Write header box `first` and the boxes in it. Returns the index of the box behind it. */
static uint32_t put_header(struct rewrap *rewrap, uint32_t first)
{
    const struct j2k_file *file = &rewrap->wanted->stream->file;
    struct sink *sink = rewrap->sink;
    size_t header = kst_j2k_box_begin(sink, file->box[first].type);
    uint32_t i = first + 1;
    while (i < file->box_count && file->box[i].depth > 0) {
        if (file->box[i].type != J2K_BOX('r', 'e', 's', ' ')) {
            put_inner(rewrap, &file->box[i++]);
            continue;
        }
        size_t resolutions = kst_j2k_box_begin(sink, file->box[i++].type);
        while (i < file->box_count && file->box[i].depth == 2)
            put_inner(rewrap, &file->box[i++]);
        kst_j2k_box_end(sink, resolutions);
    }
    kst_j2k_box_end(sink, header);
    return i;
}

/* Find the file type box: brand, version and the list of compatible brands (I.5.2). Returns null if there is none. */
static const struct j2k_box *find_file_type(const struct rewrap *rewrap)
{
    const struct j2k_file *file = &rewrap->wanted->stream->file;
    for (uint32_t i = 0; i < file->box_count; i++)
        if (file->box[i].type == J2K_BOX('f', 't', 'y', 'p') && file->box[i].depth == 0 && file->box[i].length >= 8)
            return &file->box[i];
    return NULL;
}

enum { BRAND_JP2 = J2K_BOX('j', 'p', '2', ' '), BRAND_JPH = J2K_BOX('j', 'p', 'h', ' ') };

/* Return whether a brand is that of the file, or one of the compatible brands. */
static bool has_brand(const struct rewrap *rewrap, const struct j2k_box *box, uint32_t brand)
{
    bool found = j2k_get32(contents(rewrap, box)) == brand;
    for (uint64_t at = 8; at + 4 <= box->length; at += 4)
        found |= j2k_get32(contents(rewrap, box) + at) == brand;
    return found;
}

static bool is_readable_as_jp2(const struct rewrap *rewrap)
{
    const struct j2k_box *box = find_file_type(rewrap);
    return !box || has_brand(rewrap, box, BRAND_JP2) || has_brand(rewrap, box, BRAND_JPH);
}

/* Return the brand of a file with code-blocks like these (T.800 I.5.2, T.814 D.2). */
static uint32_t brand_of(const struct rewrap *rewrap)
{
    return kst_j2k_coded_has_ht(rewrap->coded) ? BRAND_JPH : BRAND_JP2;
}

static bool is_jp2_or_jph(uint32_t brand)
{
    return brand == BRAND_JP2 || brand == BRAND_JPH;
}

/* Return whether the file type box must be changed for the result. */
static bool changes_brand(const struct rewrap *rewrap, const struct j2k_box *box)
{
    return rewrap->wanted->jp2 || has_brand(rewrap, box, brand_of(rewrap) == BRAND_JPH ? BRAND_JP2 : BRAND_JPH);
}

/*
 * Write the file type box. The brands JP2 and JPH are replaced by the one that fits the result; other compatible brands
 * stay.
 */
static void put_file_type(struct rewrap *rewrap, const struct j2k_box *box)
{
    const uint8_t *from = contents(rewrap, box);
    const uint32_t brand = j2k_get32(from);
    size_t begin = kst_j2k_box_begin(rewrap->sink, box->type);
    kst_sink_u32(rewrap->sink, rewrap->wanted->jp2 || is_jp2_or_jph(brand) ? brand_of(rewrap) : brand);
    kst_sink_u32(rewrap->sink, 0);
    for (uint64_t at = 8; at + 4 <= box->length; at += 4)
        kst_sink_u32(rewrap->sink, is_jp2_or_jph(j2k_get32(from + at)) ? brand_of(rewrap) : j2k_get32(from + at));
    kst_j2k_box_end(rewrap->sink, begin);
}

static bool is_needed(uint32_t type)
{
    return type == J2K_BOX('j', 'P', ' ', ' ') || type == J2K_BOX('f', 't', 'y', 'p');
}

static kst_status put_file(struct rewrap *rewrap)
{
    const struct j2k_file *file = &rewrap->wanted->stream->file;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < file->box_count && !status;) {
        const struct j2k_box *box = &file->box[i];
        if (box->type == J2K_BOX('j', 'p', '2', 'h') && box->depth == 0) {
            i = put_header(rewrap, i);
            continue;
        }
        i++;
        if (box->offset == file->codestream && box->type == J2K_BOX('j', 'p', '2', 'c'))
            status = kst_j2k_put_codestream_box(rewrap->op, rewrap->coded, rewrap->writing, rewrap->sink);
        else if (box == find_file_type(rewrap) && changes_brand(rewrap, box))
            put_file_type(rewrap, box);
        else if (!rewrap->wanted->strip || is_needed(box->type))
            copy(rewrap, box);
        kst_sink_settle(rewrap->sink);
    }
    if (!status && rewrap->sink->status)
        status = kst_report_error(rewrap->op->report, rewrap->sink->status, KST_NO_OFFSET, "while writing");
    return status;
}

static bool is_subsampled(const struct j2k_stream *stream, uint32_t components)
{
    for (uint32_t c = 1; c < components; c++)
        if (stream->component[c].dx != stream->component[0].dx || stream->component[c].dy != stream->component[0].dy)
            return true;
    return false;
}

/*
 * Wrap a bare codestream in a file. One or two components are assumed to be grey; three or more are assumed to be RGB,
 * or sYCC if they differ in size. Further components get an unknown meaning.
 */
static kst_status wrap(struct rewrap *rewrap)
{
    uint32_t count = rewrap->coded->headers.component_count, colours = count < 3 ? 1 : 3;
    bool subsampled = is_subsampled(&rewrap->coded->headers, colours);
    kst_status status = KST_OK;
    struct j2k_file_writing file = {.colour = J2K_COLOUR_ENUMERATED,
        .colour_space = colours == 1 ? J2K_COLOUR_SPACE_GREY
                        : subsampled ? J2K_COLOUR_SPACE_SYCC
                                     : J2K_COLOUR_SPACE_SRGB,
        .unknown_colour = count != colours || subsampled};
    struct j2k_channel_definition *definition =
        kst_memory_array(rewrap->op->memory, count, sizeof *definition, &status);
    if (!definition)
        return kst_report_error(rewrap->op->report, status, KST_NO_OFFSET, NULL);
    for (uint32_t c = 0; c < count; c++)
        definition[c] = (struct j2k_channel_definition){.channel = (uint16_t)c,
            .type = c < colours ? 0 : UINT16_MAX,
            .association = c < colours ? (uint16_t)(c + 1) : UINT16_MAX};
    file.definition = definition;
    file.definition_count = count == colours ? 0 : count;
    status = kst_j2k_write_file(rewrap->op, rewrap->coded, rewrap->writing, &file, rewrap->sink);
    kst_memory_release(rewrap->op->memory, definition);
    return status;
}

kst_status kst_j2k_rewrap(const struct operation *op, const struct j2k_rewrapping *rewrapping,
    const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink)
{
    struct rewrap rewrap = {op, rewrapping, coded, writing, sink, false};
    if (!rewrapping->stream->file.present)
        return wrap(&rewrap);
    if (rewrapping->component && rewrapping->stream->file.palette.entries > 0)
        return kst_report_error(op->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "components that a palette uses are not dropped; write a codestream");
    if (rewrapping->jp2 && !is_readable_as_jp2(&rewrap))
        return kst_report_error(op->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "the file is JPX (T.801), and does not say that it can be read as JP2; write a codestream");
    rewrap.lost_colour = find_lost_colour(&rewrap);
    return put_file(&rewrap);
}
