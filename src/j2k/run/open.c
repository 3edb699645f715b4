/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a JPEG 2000 stream and describes it as the API shows it. */
#include <math.h>
#include <string.h>

#include "core/report.h"
#include "image/exif.h"
#include "j2k/packets/output.h"
#include "j2k/run/decode.h"
#include "j2k/syntax/channels.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/marker.h"

static void describe_components(const struct j2k_stream *stream, kst_info *info)
{
    for (uint32_t i = 0; i < kst_j2k_made_count(stream) && i < 4; i++) {
        const struct j2k_component_size size = kst_j2k_made_component(stream, i);
        struct j2k_rect area = kst_j2k_divide(stream->size.image, size.dx, size.dy);
        info->component[i] = (kst_component_info){.width = area.x1 - area.x0,
            .height = area.y1 - area.y0,
            .id = (uint8_t)i,
            .h = size.dx,
            .v = size.dy,
            .depth = size.depth,
            .is_signed = size.is_signed};
    }
}

static void describe(const struct j2k_stream *stream, kst_info *info)
{
    const struct j2k_size *size = &stream->size;
    struct j2k_channels channels;
    kst_j2k_channels(stream, &channels);
    *info = (kst_info){.size = sizeof *info,
        .codec = KST_CODEC_JPEG2000,
        .colour = channels.colour,
        .width = size->image.x1 - size->image.x0,
        .height = size->image.y1 - size->image.y0,
        .component_count = kst_j2k_made_count(stream),
        .tile_width = size->tile_width,
        .tile_height = size->tile_height,
        .tiles = size->columns * size->rows,
        .layers = stream->main.layers,
        .levels = stream->main.coding[0].levels,
        .progression = (kst_progression)stream->main.progression,
        .reversible = stream->main.coding[0].reversible,
        .alpha = channels.has_alpha,
        .jp2 = stream->file.present,
        .colour_space = stream->file.colour_method == J2K_COLOUR_ENUMERATED ? stream->file.colour_space : 0,
        .profile = size->capabilities,
        .block_style = stream->main.coding[0].style,
        .code_points = stream->file.points};
    describe_components(stream, info);
}

enum { PART_HEADER = 14 /* SOT and SOD */ };

static uint64_t packet_bytes(const struct j2k_stream *stream)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stream->part_count; i++)
        sum += stream->part[i].body_length - (stream->part[i].read ? 0 : PART_HEADER);
    return sum;
}

/* Return whether both densities are whole numbers, as precisely as a fraction of 16 bits can express that. */
static bool is_whole(double x, double y)
{
    return fabs(x - round(x)) <= 1e-4 * x && fabs(y - round(y)) <= 1e-4 * y;
}

/*
 * Convert the density, which is in samples per metre (I.5.3.7), to samples per inch, or per centimetre if only these
 * are whole numbers.
 */
static void describe_density(const struct j2k_file *file, kst_info *info)
{
    const struct j2k_resolution_box *box = file->capture.present ? &file->capture : &file->display;
    double metre[2];
    for (uint32_t i = 0; i < 2; i++) {
        if (!box->present || box->numerator[i] == 0 || box->denominator[i] == 0)
            return;
        metre[i] = (double)box->numerator[i] / box->denominator[i] * pow(10, box->exponent[i]);
    }
    double inch = 0.0254, x = metre[1] * inch, y = metre[0] * inch;
    bool centimetres = !is_whole(x, y) && is_whole(metre[1] / 100, metre[0] / 100);
    if (centimetres) {
        x = metre[1] / 100;
        y = metre[0] / 100;
    }
    if (!(x >= 0.5 && x < UINT16_MAX && y >= 0.5 && y < UINT16_MAX))
        return;
    info->density_unit = centimetres ? KST_DENSITY_CM : KST_DENSITY_INCH;
    info->density_x = (uint16_t)lround(x);
    info->density_y = (uint16_t)lround(y);
}

enum { COMMENT_HEADER = 2, COMMENT_LATIN = 1, UUID_LENGTH = 16 };

static const uint8_t exif_uuid[UUID_LENGTH] = "JpgTiffExif->JP2";
static const uint8_t xmp_uuid[UUID_LENGTH] = {
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};

static void add(kst_decoder *decoder, kst_metadata_kind kind, uint64_t offset, uint64_t length)
{
    decoder->metadata.item[decoder->metadata.count++] = (kst_metadata){
        .kind = kind, .data = j2k_state(decoder)->stream.data + offset, .length = (size_t)length, .offset = offset};
}

/*
 * Add Exif, with or without the identifier that JPEG puts in front of it. The first one gives the picture's
 * orientation.
 */
static void add_exif(kst_decoder *decoder, uint64_t offset, uint64_t length)
{
    static const uint8_t prefix[] = {'E', 'x', 'i', 'f', 0, 0};
    const uint8_t *data = j2k_state(decoder)->stream.data + offset;
    struct metadata_list *metadata = &decoder->metadata;
    bool first = true;
    if (length >= sizeof prefix && memcmp(data, prefix, sizeof prefix) == 0) {
        offset += sizeof prefix;
        length -= sizeof prefix;
    }
    for (size_t i = 0; i < metadata->count; i++)
        first = first && metadata->item[i].kind != KST_METADATA_EXIF;
    if (first)
        metadata->orientation = kst_exif_orientation(j2k_state(decoder)->stream.data + offset, (size_t)length);
    add(decoder, KST_METADATA_EXIF, offset, length);
}

static void add_uuid(kst_decoder *decoder, const struct j2k_box *box)
{
    const uint8_t *uuid = j2k_state(decoder)->stream.data + box->offset;
    if (box->length < UUID_LENGTH)
        return;
    if (memcmp(uuid, exif_uuid, UUID_LENGTH) == 0)
        add_exif(decoder, box->offset + UUID_LENGTH, box->length - UUID_LENGTH);
    else if (memcmp(uuid, xmp_uuid, UUID_LENGTH) == 0)
        add(decoder, KST_METADATA_XMP, box->offset + UUID_LENGTH, box->length - UUID_LENGTH);
}

/* Collect an ICC profile, Exif and XMP, and text comments, in this order. */
static kst_status collect_metadata(kst_decoder *decoder)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    size_t most = (size_t)1 + stream->file.box_count + stream->main_segment_count;
    kst_status status = KST_OK;
    decoder->metadata = (struct metadata_list){.orientation = 1};
    decoder->metadata.item = kst_memory_array(&decoder->memory, most, sizeof *decoder->metadata.item, &status);
    if (!decoder->metadata.item)
        return kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    if (stream->file.icc_length)
        add(decoder, KST_METADATA_ICC, stream->file.icc_offset, stream->file.icc_length);
    for (uint32_t i = 0; i < stream->file.box_count; i++) {
        const struct j2k_box *box = &stream->file.box[i];
        if (box->type == J2K_BOX('u', 'u', 'i', 'd'))
            add_uuid(decoder, box);
    }
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        if (segment->marker == J2K_COM && segment->length >= COMMENT_HEADER && stream->data[segment->offset] == 0 &&
            stream->data[segment->offset + 1] == COMMENT_LATIN)
            add(decoder, KST_METADATA_COMMENT, segment->offset + COMMENT_HEADER, segment->length - COMMENT_HEADER);
    }
    return KST_OK;
}

/* Allocate room for the planes after the first four, for which an image itself has no room. */
static kst_status make_room_for_planes(kst_decoder *decoder)
{
    uint32_t count = kst_j2k_made_count(&j2k_state(decoder)->stream);
    kst_status status = KST_OK;
    if (count <= J2K_OUTPUT_PLANES)
        return KST_OK;
    j2k_state(decoder)->more =
        kst_memory_zeroed(&decoder->memory, count - J2K_OUTPUT_PLANES, sizeof *j2k_state(decoder)->more, &status);
    return status ? kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

kst_status kst_j2k_run_open(kst_decoder *decoder, const uint8_t *data, size_t length)
{
    const struct operation op = kst_decoder_operation(decoder, NULL);
    kst_status status = kst_j2k_parse(&op, data, length, &j2k_state(decoder)->stream);
    if (status)
        return status;
    status = collect_metadata(decoder);
    if (!status)
        status = make_room_for_planes(decoder);
    if (status) {
        kst_metadata_list_release(&decoder->memory, &decoder->metadata);
        kst_j2k_stream_release(&decoder->memory, &j2k_state(decoder)->stream);
        return status;
    }
    describe(&j2k_state(decoder)->stream, &decoder->info);
    describe_density(&j2k_state(decoder)->stream.file, &decoder->info);
    decoder->info.orientation = decoder->metadata.orientation;
    decoder->info.entropy_bytes = packet_bytes(&j2k_state(decoder)->stream);
    return KST_OK;
}

kst_status kst_j2k_run_open_further(kst_decoder *decoder, const struct j2k_filter *filter)
{
    struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const struct operation op = kst_decoder_operation(decoder, NULL);
    kst_report *report = &decoder->report;
    if (!stream->located)
        return KST_OK;
    uint64_t warnings = report->warnings;
    kst_status status = filter ? kst_j2k_read_wanted(&op, stream, filter) : kst_j2k_read_all_parts(&op, stream);
    if (report->warnings > warnings)
        kst_report_warning(
            &decoder->parsed, report->first_warning, report->first_warning_offset, report->warnings - warnings, false);
    if (!stream->located)
        decoder->info.entropy_bytes = packet_bytes(stream);
    return status;
}
