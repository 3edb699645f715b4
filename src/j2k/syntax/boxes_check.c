/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a file's boxes against its codestream and against each other. A contradiction is a warning; decoding then
 * follows the codestream.
 */
#include "core/report.h"
#include "j2k/syntax/parser.h"

static bool has_depth(const struct j2k_component_size *size, uint8_t bits)
{
    return ((uint32_t)size->is_signed << 7 | (size->depth - 1U)) == bits;
}

/* Check ihdr (I.5.3.1): its BPC is the depth of all components, or 255 if they differ. */
static bool header_fits(const struct j2k_stream *stream)
{
    const struct j2k_file *file = &stream->file;
    const struct j2k_rect *image = &stream->size.image;
    bool fits = file->width == image->x1 - image->x0 && file->height == image->y1 - image->y0 &&
                file->components == stream->component_count;
    for (uint32_t c = 0; c < stream->component_count && file->bits != 255; c++)
        fits = fits && has_depth(&stream->component[c], file->bits);
    return fits;
}

/* Check bpcc (I.5.3.2): it has a depth for each component. */
static bool depths_fit(const struct j2k_stream *stream)
{
    const struct j2k_file *file = &stream->file;
    bool fits = file->depth_count == stream->component_count;
    for (uint32_t c = 0; c < stream->component_count && fits; c++)
        fits = has_depth(&stream->component[c], stream->data[file->depths + c]);
    return fits;
}

/* Check cmap (I.5.3.5): it may only refer to existing components and palette columns. */
static bool mappings_fit(const struct j2k_stream *stream)
{
    const struct j2k_file *file = &stream->file;
    for (uint32_t i = 0; i < file->mapping_count; i++) {
        struct j2k_channel_mapping mapping = kst_j2k_mapping(stream->data, file, i);
        if (mapping.component >= stream->component_count || mapping.type > 1 ||
            (mapping.type == 1 && mapping.column >= file->palette.columns))
            return false;
    }
    return true;
}

/* Check cdef (I.5.3.6): it may only refer to existing channels. */
static bool definitions_fit(const struct j2k_stream *stream)
{
    const struct j2k_file *file = &stream->file;
    bool mapped = file->palette.entries && file->mapping_count;
    uint32_t channels = mapped ? file->mapping_count : stream->component_count;
    for (uint32_t i = 0; i < file->definition_count; i++)
        if (kst_j2k_definition(stream->data, file, i).channel >= channels)
            return false;
    return true;
}

void kst_j2k_boxes_check(const struct j2k_stream *stream, kst_report *report)
{
    const struct j2k_file *file = &stream->file;
    const struct {
        bool fits;
        uint64_t offset;
    } boxes[] = {
        {!file->has_header || header_fits(stream), file->header},
        {!file->depth_count || depths_fit(stream), file->depths},
        {mappings_fit(stream), file->mappings},
        {definitions_fit(stream), file->definitions},
    };
    for (uint32_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
        if (!boxes[i].fits)
            kst_report_warning(report, KST_WARNING_J2K_BOX, boxes[i].offset, 1, false);
}
