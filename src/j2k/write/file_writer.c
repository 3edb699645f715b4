/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the boxes of JP2 files and checks that their contents are consistent. */
#include "j2k/write/file_writer.h"

#include "core/report.h"
#include "j2k/syntax/bytes.h"
#include "j2k/write/capabilities.h"

enum {
    HEADER = 8,
    WIDE_HEADER = 16, /* bytes of a header with a length of eight bytes (I.4) */
    DEPTHS_DIFFER = 255,
    WAVELET = 7, /* C of ihdr: the only type of compression that exists */
    ENTRIES_MAX = 1024,
    APPROXIMATION = 0, /* APPROX of colr (I.5.3.3) */
    FULL_RANGE = 0x80  /* VIDFRNG of code points */
};

size_t kst_j2k_box_begin(struct sink *sink, uint32_t type)
{
    kst_sink_u32(sink, 0);
    kst_sink_u32(sink, type);
    return sink->length;
}

void kst_j2k_box_end(struct sink *sink, size_t begin)
{
    if (!sink->status)
        j2k_put32(sink->data + begin - HEADER, (uint32_t)(sink->length - begin + HEADER));
}

static size_t wide_begin(struct sink *sink, uint32_t type)
{
    kst_sink_u32(sink, 1);
    kst_sink_u32(sink, type);
    kst_sink_u32(sink, 0);
    kst_sink_u32(sink, 0);
    return sink->length;
}

static void wide_end(struct sink *sink, size_t begin)
{
    uint64_t length = (uint64_t)sink->length - begin + WIDE_HEADER;
    if (sink->status)
        return;
    j2k_put32(sink->data + begin - 8, (uint32_t)(length >> 32));
    j2k_put32(sink->data + begin - 4, (uint32_t)length);
}

void kst_j2k_put_box(struct sink *sink, uint32_t type, const void *data, size_t length)
{
    bool wide = length > UINT32_MAX - HEADER;
    size_t begin = wide ? wide_begin(sink, type) : kst_j2k_box_begin(sink, type);
    kst_sink_bytes(sink, data, length);
    if (wide)
        wide_end(sink, begin);
    else
        kst_j2k_box_end(sink, begin);
}

void kst_j2k_put_signature(struct sink *sink, bool has_ht)
{
    const uint32_t brand = has_ht ? J2K_BOX('j', 'p', 'h', ' ') : J2K_BOX('j', 'p', '2', ' ');
    static const uint8_t signature[] = {0x0D, 0x0A, 0x87, 0x0A};
    kst_j2k_put_box(sink, J2K_BOX('j', 'P', ' ', ' '), signature, sizeof signature);
    size_t begin = kst_j2k_box_begin(sink, J2K_BOX('f', 't', 'y', 'p'));
    kst_sink_u32(sink, brand);
    kst_sink_u32(sink, 0);
    kst_sink_u32(sink, brand);
    kst_j2k_box_end(sink, begin);
}

static uint8_t depth_byte(const struct j2k_component_size *component)
{
    return (uint8_t)((component->depth - 1) | (component->is_signed ? 0x80 : 0));
}

static bool depths_differ(const struct j2k_stream *headers)
{
    for (uint32_t c = 1; c < headers->component_count; c++)
        if (depth_byte(&headers->component[c]) != depth_byte(&headers->component[0]))
            return true;
    return false;
}

void kst_j2k_put_image_header(struct sink *sink, const struct j2k_stream *headers, bool unknown_colour, bool rights)
{
    const struct j2k_rect *image = &headers->size.image;
    bool differ = depths_differ(headers);
    size_t begin = kst_j2k_box_begin(sink, J2K_BOX('i', 'h', 'd', 'r'));
    kst_sink_u32(sink, image->y1 - image->y0);
    kst_sink_u32(sink, image->x1 - image->x0);
    kst_sink_u16(sink, (uint16_t)headers->component_count);
    kst_sink_u8(sink, differ ? DEPTHS_DIFFER : depth_byte(&headers->component[0]));
    kst_sink_u8(sink, WAVELET);
    kst_sink_u8(sink, unknown_colour);
    kst_sink_u8(sink, rights);
    kst_j2k_box_end(sink, begin);
    if (!differ)
        return;
    begin = kst_j2k_box_begin(sink, J2K_BOX('b', 'p', 'c', 'c'));
    for (uint32_t c = 0; c < headers->component_count; c++)
        kst_sink_u8(sink, depth_byte(&headers->component[c]));
    kst_j2k_box_end(sink, begin);
}

static void put_points(struct sink *sink, const kst_code_points *points)
{
    kst_sink_u16(sink, points->primaries);
    kst_sink_u16(sink, points->transfer);
    kst_sink_u16(sink, points->matrix);
    kst_sink_u8(sink, points->full_range ? FULL_RANGE : 0);
}

static void put_colour(struct sink *sink, const struct j2k_file_writing *file)
{
    size_t begin = kst_j2k_box_begin(sink, J2K_BOX('c', 'o', 'l', 'r'));
    kst_sink_u8(sink, (uint8_t)file->colour);
    kst_sink_u8(sink, 0);
    kst_sink_u8(sink, APPROXIMATION);
    if (file->colour == J2K_COLOUR_ENUMERATED)
        kst_sink_u32(sink, file->colour_space);
    else if (file->colour == J2K_COLOUR_POINTS)
        put_points(sink, &file->points);
    else
        kst_sink_bytes(sink, file->icc, file->icc_length);
    kst_j2k_box_end(sink, begin);
}

static void put_palette(struct sink *sink, const struct j2k_file_writing *file)
{
    uint32_t columns = file->palette.columns;
    size_t begin = kst_j2k_box_begin(sink, J2K_BOX('p', 'c', 'l', 'r'));
    kst_sink_u16(sink, file->palette.entries);
    kst_sink_u8(sink, file->palette.columns);
    kst_sink_bytes(sink, file->palette.depth, columns);
    for (uint32_t i = 0; i < file->palette.entries * columns; i++)
        for (uint32_t k = ((file->palette.depth[i % columns] & 0x7FU) + 8) / 8; k-- > 0;)
            kst_sink_u8(sink, (uint8_t)((uint64_t)file->palette.value[i] >> 8 * k));
    kst_j2k_box_end(sink, begin);
    begin = kst_j2k_box_begin(sink, J2K_BOX('c', 'm', 'a', 'p'));
    for (uint32_t i = 0; i < file->mapping_count; i++) {
        kst_sink_u16(sink, file->mapping[i].component);
        kst_sink_u8(sink, file->mapping[i].type);
        kst_sink_u8(sink, file->mapping[i].column);
    }
    kst_j2k_box_end(sink, begin);
}

static void put_definitions(struct sink *sink, const struct j2k_file_writing *file)
{
    size_t begin = kst_j2k_box_begin(sink, J2K_BOX('c', 'd', 'e', 'f'));
    kst_sink_u16(sink, (uint16_t)file->definition_count);
    for (uint32_t i = 0; i < file->definition_count; i++) {
        kst_sink_u16(sink, file->definition[i].channel);
        kst_sink_u16(sink, file->definition[i].type);
        kst_sink_u16(sink, file->definition[i].association);
    }
    kst_j2k_box_end(sink, begin);
}

static void put_resolution(struct sink *sink, uint32_t type, const struct j2k_resolution_box *resolution)
{
    if (!resolution->present)
        return;
    size_t begin = kst_j2k_box_begin(sink, type);
    for (uint32_t i = 0; i < 2; i++) {
        kst_sink_u16(sink, resolution->numerator[i]);
        kst_sink_u16(sink, resolution->denominator[i]);
    }
    kst_sink_u8(sink, (uint8_t)resolution->exponent[0]);
    kst_sink_u8(sink, (uint8_t)resolution->exponent[1]);
    kst_j2k_box_end(sink, begin);
}

void kst_j2k_put_file_header(struct sink *sink, const struct j2k_stream *headers, const struct j2k_file_writing *file)
{
    size_t header = kst_j2k_box_begin(sink, J2K_BOX('j', 'p', '2', 'h'));
    kst_j2k_put_image_header(sink, headers, file->unknown_colour, false);
    put_colour(sink, file);
    if (file->palette.entries)
        put_palette(sink, file);
    if (file->definition_count)
        put_definitions(sink, file);
    if (file->capture.present || file->display.present) {
        size_t begin = kst_j2k_box_begin(sink, J2K_BOX('r', 'e', 's', ' '));
        put_resolution(sink, J2K_BOX('r', 'e', 's', 'c'), &file->capture);
        put_resolution(sink, J2K_BOX('r', 'e', 's', 'd'), &file->display);
        kst_j2k_box_end(sink, begin);
    }
    kst_j2k_box_end(sink, header);
}

/* Return the number of bytes of all code-blocks. Headers and markers add a fraction of that. */
static uint64_t coded_bytes(const struct j2k_coded *coded)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < coded->plan.block_count; i++)
        if (coded->block[i].passes > 0)
            sum += coded->pass_length[coded->block[i].first_pass + coded->block[i].passes - 1];
    return sum;
}

/* Make the header of jp2c, whose contents have `length` bytes. */
static size_t box_header(bool wide, uint64_t length, uint8_t header[WIDE_HEADER])
{
    length += wide ? WIDE_HEADER : HEADER;
    j2k_put32(header, wide ? 1 : (uint32_t)length);
    j2k_put32(header + 4, J2K_BOX('j', 'p', '2', 'c'));
    j2k_put32(header + 8, (uint32_t)(length >> 32));
    j2k_put32(header + 12, (uint32_t)length);
    return wide ? WIDE_HEADER : HEADER;
}

static kst_status put_codestream(const struct j2k_coded *coded, const struct j2k_codestream *stream,
    enum j2k_box_width width, struct sink *sink, kst_report *report)
{
    bool wide = width == J2K_WIDTH_BY_BLOCKS ? coded_bytes(coded) > UINT32_MAX / 2 : width == J2K_WIDTH_WIDE;
    uint8_t header[WIDE_HEADER];
    uint64_t length = kst_j2k_codestream_length(stream);
    if (!wide && length > UINT32_MAX - HEADER)
        return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "headers larger than code-blocks");
    kst_sink_bytes(sink, header, box_header(wide, length, header));
    return kst_j2k_codestream_put(stream, sink);
}

kst_status kst_j2k_put_codestream_box(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink)
{
    struct j2k_codestream *stream;
    kst_status status = kst_j2k_codestream_make(op, coded, writing, &stream);
    if (!status)
        status = put_codestream(coded, stream, J2K_WIDTH_BY_BLOCKS, sink, op->report);
    kst_j2k_codestream_release(stream);
    return status;
}

static kst_status refuse(kst_report *report, const char *what)
{
    return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "%s", what);
}

static kst_status check_palette(
    const struct j2k_stream *headers, const struct j2k_file_writing *file, kst_report *report)
{
    if ((file->palette.entries > 0) != (file->mapping_count > 0))
        return refuse(report, "a palette goes with a component mapping, and only with one");
    if (file->palette.entries > ENTRIES_MAX || (file->palette.entries > 0 && file->palette.columns == 0))
        return refuse(report, "a palette has 1 to 1,024 entries and at least a column");
    for (uint32_t i = 0; file->palette.entries > 0 && i < file->palette.columns; i++)
        if ((file->palette.depth[i] & 0x7F) >= J2K_DEPTH)
            return refuse(report, "a palette's column has at most 38 bits");
    for (uint32_t i = 0; i < file->mapping_count; i++)
        if (file->mapping[i].component >= headers->component_count || file->mapping[i].type > 1 ||
            (file->mapping[i].type == 1 && file->mapping[i].column >= file->palette.columns))
            return refuse(report, "a mapping of a component or column that is not there");
    return KST_OK;
}

static kst_status check(const struct j2k_stream *headers, const struct j2k_file_writing *file, kst_report *report)
{
    uint32_t channels = file->mapping_count ? file->mapping_count : headers->component_count;
    kst_status status = check_palette(headers, file, report);
    if (status)
        return status;
    const bool icc = file->colour == J2K_COLOUR_ICC || file->colour == J2K_COLOUR_FULL_ICC;
    if (!icc && file->colour != J2K_COLOUR_ENUMERATED && file->colour != J2K_COLOUR_POINTS)
        return refuse(report, "a JP2 file needs a colour specification");
    if (icc && (file->icc_length == 0 || file->icc_length > UINT32_MAX / 2))
        return refuse(report, "an ICC profile that is empty or too long");
    if (file->definition_count > UINT16_MAX)
        return refuse(report, "more than 65,535 channel definitions");
    for (uint32_t i = 0; i < file->definition_count; i++)
        if (file->definition[i].channel >= channels)
            return refuse(report, "a definition of a channel that is not there");
    for (uint32_t i = 0; i < 2; i++)
        if ((file->capture.present && (!file->capture.numerator[i] || !file->capture.denominator[i])) ||
            (file->display.present && (!file->display.numerator[i] || !file->display.denominator[i])))
            return refuse(report, "a resolution of 0");
    return KST_OK;
}

static void put_boxes(struct sink *sink, const struct j2k_file_writing *file, bool behind)
{
    for (uint32_t i = 0; i < file->box_count; i++)
        if (file->box[i].behind == behind)
            kst_j2k_put_box(sink, file->box[i].type, file->box[i].data, file->box[i].length);
}

static kst_status put_front(
    const struct j2k_coded *coded, const struct j2k_file_writing *file, struct sink *sink, kst_report *report)
{
    kst_status status = check(&coded->headers, file, report);
    if (status)
        return status;
    kst_j2k_put_signature(sink, kst_j2k_coded_has_ht(coded));
    kst_j2k_put_file_header(sink, &coded->headers, file);
    put_boxes(sink, file, false);
    return KST_OK;
}

static kst_status put_back(const struct j2k_file_writing *file, struct sink *sink, kst_report *report)
{
    put_boxes(sink, file, true);
    return sink->status ? kst_report_error(report, sink->status, KST_NO_OFFSET, "while writing") : KST_OK;
}

kst_status kst_j2k_put_file(const struct j2k_coded *coded, const struct j2k_codestream *stream,
    const struct j2k_file_writing *file, struct sink *sink, kst_report *report)
{
    kst_status status = put_front(coded, file, sink, report);
    if (!status)
        status = put_codestream(coded, stream, file->width, sink, report);
    return status ? status : put_back(file, sink, report);
}

kst_status kst_j2k_write_file(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, const struct j2k_file_writing *file, struct sink *sink)
{
    struct j2k_codestream *stream;
    kst_status status = check(&coded->headers, file, op->report);
    if (status)
        return status;
    status = kst_j2k_codestream_make(op, coded, writing, &stream);
    if (!status)
        status = kst_j2k_put_file(coded, stream, file, sink, op->report);
    kst_j2k_codestream_release(stream);
    return status;
}

kst_status kst_j2k_file_begin(const struct j2k_coded *coded, const struct j2k_file_writing *file, struct sink *sink,
    uint64_t *box, kst_report *report)
{
    uint8_t header[WIDE_HEADER];
    kst_status status = put_front(coded, file, sink, report);
    *box = kst_sink_position(sink);
    kst_sink_bytes(sink, header, box_header(file->width == J2K_WIDTH_WIDE, 0, header));
    return status;
}

kst_status kst_j2k_file_end(const struct j2k_file_writing *file, struct sink *sink, uint64_t box, kst_report *report)
{
    bool wide = file->width == J2K_WIDTH_WIDE;
    uint8_t header[WIDE_HEADER];
    uint64_t length = kst_sink_position(sink) - box - (wide ? WIDE_HEADER : HEADER);
    if (!wide && length > UINT32_MAX - HEADER)
        return kst_report_error(report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "headers larger than code-blocks");
    kst_sink_patch(sink, box, header, box_header(wide, length, header));
    return put_back(file, sink, report);
}
