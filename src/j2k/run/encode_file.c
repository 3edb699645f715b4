/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses what a JPEG 2000 file contains besides packets: marker segments that index them, comments, and the boxes of
 * JP2.
 */
#include <string.h>

#include "core/report.h"
#include "j2k/run/encode.h"

enum { UUID = 16 };

static const uint8_t uuid_exif[UUID] = "JpgTiffExif->JP2";
static const uint8_t uuid_xmp[UUID] = {
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC};

static kst_status fail(struct j2k_encoder *encoder, kst_status status, const char *detail)
{
    return kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static kst_status add_comment(struct j2k_encoder *encoder, const kst_metadata *metadata)
{
    uint32_t index = encoder->writing.comment_count;
    if (index == J2K_ENCODED_COMMENTS || metadata->length > 65531)
        return fail(encoder, KST_ERROR_OPTIONS, "too many or too long comments");
    encoder->comment[index] =
        (struct j2k_comment){.data = metadata->data, .length = (uint16_t)metadata->length, .text = true};
    encoder->writing.comment = encoder->comment;
    encoder->writing.comment_count++;
    return KST_OK;
}

/* Add a UUID box: the identifier, then the data. */
static kst_status add_uuid(struct j2k_encoder *encoder, const uint8_t *uuid, const kst_metadata *metadata)
{
    uint32_t index = encoder->file.box_count;
    kst_status status;
    if (index == J2K_ENCODED_BOXES || metadata->length > UINT32_MAX - UUID)
        return fail(encoder, KST_ERROR_OPTIONS, "too much metadata");
    uint8_t *data = kst_memory_array(&encoder->e->memory, metadata->length + UUID, 1, &status);
    if (!data)
        return fail(encoder, status, NULL);
    memcpy(data, uuid, UUID);
    memcpy(data + UUID, metadata->data, metadata->length);
    encoder->box_data[index] = data;
    encoder->box[index] =
        (struct j2k_raw_box){.type = J2K_BOX('u', 'u', 'i', 'd'), .data = data, .length = metadata->length + UUID};
    encoder->file.box = encoder->box;
    encoder->file.box_count++;
    return KST_OK;
}

/* Add metadata to the file. A bare codestream only has room for comments. */
static kst_status add_metadata(struct j2k_encoder *encoder, const kst_metadata *metadata)
{
    if (!metadata->data && metadata->length > 0)
        return fail(encoder, KST_ERROR_OPTIONS, "metadata without data");
    if (metadata->kind == KST_METADATA_COMMENT)
        return add_comment(encoder, metadata);
    if (encoder->options.codestream)
        return KST_OK;
    switch (metadata->kind) {
    case KST_METADATA_ICC:
        encoder->file.colour = J2K_COLOUR_ICC;
        encoder->file.icc = metadata->data;
        encoder->file.icc_length = metadata->length;
        return KST_OK;
    case KST_METADATA_EXIF:
        return add_uuid(encoder, uuid_exif, metadata);
    case KST_METADATA_XMP:
        return add_uuid(encoder, uuid_xmp, metadata);
    default:
        return fail(encoder, KST_ERROR_OPTIONS, "a segment that JPEG 2000 has no place for");
    }
}

static void describe_colour(struct j2k_encoder *encoder)
{
    struct j2k_file_writing *file = &encoder->file;
    file->colour = J2K_COLOUR_ENUMERATED;
    switch (encoder->colour) {
    case KST_COLOUR_GREY:
        file->colour_space = J2K_COLOUR_SPACE_GREY;
        break;
    case KST_COLOUR_RGB:
        file->colour_space = J2K_COLOUR_SPACE_SRGB;
        break;
    case KST_COLOUR_YCBCR:
        file->colour_space = J2K_COLOUR_SPACE_SYCC;
        break;
    case KST_COLOUR_CMYK:
        file->colour_space = J2K_COLOUR_SPACE_CMYK;
        break;
    default:
        file->colour_space = encoder->component_count < 3 ? J2K_COLOUR_SPACE_GREY : J2K_COLOUR_SPACE_SRGB;
        file->unknown_colour = true;
    }
}

/* Return whether a code point is one that H.273 has: not 0, which is reserved but for matrices, not 3, at most `last`.
 */
static bool is_point(uint32_t point, uint32_t last)
{
    return point != 0 && point != 3 && point <= last;
}

/* Return whether H.273 (2024) has all three numbers. */
static bool are_points(const kst_code_points *points)
{
    enum { PRIMARIES = 12, EBU_3213 = 22, TRANSFERS = 18, MATRICES = 17 };
    return (is_point(points->primaries, PRIMARIES) || points->primaries == EBU_3213) &&
           is_point(points->transfer, TRANSFERS) && (points->matrix == 0 || is_point(points->matrix, MATRICES));
}

/* Return whether an image of a colour can have a matrix; see kst_j2k_options.code_points. */
static bool suits_matrix(kst_colour colour, uint32_t matrix)
{
    enum { IDENTITY = 0 };
    if (colour == KST_COLOUR_RGB)
        return matrix == IDENTITY;
    return colour == KST_COLOUR_YCBCR ? matrix != IDENTITY : colour != KST_COLOUR_CMYK;
}

/* Name the colours by code points if the caller wants it. The image's metadata have been added. */
static kst_status describe_points(struct j2k_encoder *encoder)
{
    const kst_code_points *points = &encoder->options.code_points;
    if (!points->present)
        return KST_OK;
    if (encoder->options.codestream || !(encoder->options.style & KST_J2K_HT))
        return fail(encoder, KST_ERROR_OPTIONS, "code points: only a JPH file has a place for them");
    if (encoder->file.colour == J2K_COLOUR_ICC)
        return fail(encoder, KST_ERROR_OPTIONS, "code points beside an ICC profile: leave one of them out");
    if (!are_points(points))
        return fail(encoder, KST_ERROR_OPTIONS, "code points that H.273 reserves");
    if (!suits_matrix(encoder->colour, points->matrix))
        return fail(encoder, KST_ERROR_OPTIONS, "code points: RGB has matrix 0, YCbCr another one, and CMYK has none");
    encoder->file.colour = J2K_COLOUR_POINTS;
    encoder->file.points = *points;
    encoder->file.unknown_colour = false;
    return KST_OK;
}

/* Describe what each component is (I.5.3.6), unless this is clear from the order of the components. */
static void describe_channels(struct j2k_encoder *encoder)
{
    if (!encoder->has_alpha)
        return;
    for (uint32_t c = 0; c < encoder->component_count; c++) {
        bool alpha = c + 1 == encoder->component_count;
        encoder->definition[c] = (struct j2k_channel_definition){
            .channel = (uint16_t)c, .type = alpha, .association = (uint16_t)(alpha ? 0 : c + 1)};
    }
    encoder->file.definition = encoder->definition;
    encoder->file.definition_count = encoder->component_count;
}

/* Express the density in samples per metre, as a fraction and a power of ten (I.5.3.7.1). */
static void describe_density(struct j2k_encoder *encoder)
{
    const kst_encode_options *o = &encoder->e->options;
    if (o->density_unit == KST_DENSITY_RATIO || o->density_x == 0 || o->density_y == 0)
        return;
    bool inch = o->density_unit == KST_DENSITY_INCH;
    uint16_t denominator = inch ? 254 : 1;
    int8_t exponent = inch ? 4 : 2;
    encoder->file.capture = (struct j2k_resolution_box){.present = true,
        .numerator = {o->density_y, o->density_x},
        .denominator = {denominator, denominator},
        .exponent = {exponent, exponent}};
}

kst_status kst_j2k_run_encode_file(struct j2k_encoder *encoder)
{
    const kst_encode_options *o = &encoder->e->options;
    encoder->writing.division = (uint8_t)encoder->options.division;
    encoder->writing.packed = (uint8_t)encoder->options.headers;
    encoder->writing.packet_lengths = encoder->options.packet_lengths;
    encoder->writing.tile_part_lengths = encoder->options.tile_part_lengths;
    describe_colour(encoder);
    describe_channels(encoder);
    describe_density(encoder);
    kst_status status = KST_OK;
    for (size_t i = 0; i < o->metadata_count && !status; i++)
        status = add_metadata(encoder, &o->metadata[i]);
    return status ? status : describe_points(encoder);
}
