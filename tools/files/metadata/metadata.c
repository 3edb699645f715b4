/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes metadata from one coded file to another: ICC profile, Exif, XMP, IPTC, comments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/metadata/losses.h"
#include "files/metadata/photoshop.h"

enum { J2K_COMMENTS = 16, MARKER_APP1 = 0xE1, SEGMENT_MAX = 65533, COMMENT_MAX = 65531 };

static bool starts(const kst_metadata *metadata, const char *identifier, size_t length)
{
    return metadata->length >= length && memcmp(metadata->data, identifier, length) == 0;
}

/*
 * Return whether a segment of JPEG describes the picture independently of its pixels: IPTC in Photoshop's blocks, and
 * XMP that did not fit into one segment. Other segments are indices of the file, previews, signatures.
 */
static bool is_of_picture(const kst_metadata *metadata)
{
    return photoshop_is(metadata) ||
           (metadata->marker == MARKER_APP1 && starts(metadata, "http://ns.adobe.com/xmp/extension/", 35));
}

static bool keep(const kst_metadata *metadata, const kst_metadata_change *change, struct picture *picture)
{
    switch (metadata->kind) {
    case KST_METADATA_ICC:
        return picture->icc.data != NULL || blob_set(&picture->icc, metadata->data, metadata->length);
    case KST_METADATA_EXIF:
        if (picture->exif.data != NULL)
            return true;
        if (!blob_set(&picture->exif, metadata->data, metadata->length))
            return false;
        picture->exif.length = kst_metadata_update(metadata->kind, picture->exif.data, metadata->length, change);
        return true;
    case KST_METADATA_XMP:
        if (picture_kept(picture, KST_METADATA_XMP) != NULL)
            return true;
        break;
    case KST_METADATA_COMMENT:
        break;
    default:
        if (!is_of_picture(metadata))
            return true;
    }
    if (!picture_keep(picture, metadata->kind, metadata->marker, metadata->data, metadata->length))
        return false;
    kst_metadata *kept = &picture->extra[picture->extra_count - 1];
    kept->length = kst_metadata_update(kept->kind, (void *)(uintptr_t)kept->data, kept->length, change);
    return true;
}

static void keep_coded(const kst_info *info, bool transposed, struct coded *coded)
{
    *coded = (struct coded){.known = info->codec == KST_CODEC_JPEG && info->process != KST_PROCESS_LOSSLESS &&
                                     info->component[0].depth == 8,
        .colour = info->colour,
        .count = info->component_count,
        .width = transposed ? info->height : info->width,
        .height = transposed ? info->width : info->height};
    for (uint32_t i = 0; i < coded->count && i < 4; i++) {
        const kst_component_info *c = &info->component[i];
        coded->h[i] = transposed ? c->v : c->h;
        coded->v[i] = transposed ? c->h : c->v;
        for (size_t k = 0; k < 64; k++)
            coded->quant_table[i][k] = info->quant_table[i][transposed ? k % 8 * 8 + k / 8 : k];
    }
}

bool jpeg_keep_metadata(
    const kst_decoder *decoder, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    const kst_info *info = kst_decoder_info(decoder);
    const kst_region *region = &settings->decode.region;
    const bool turned = settings->decode.orient && info->orientation != 1;
    const bool cut = region->width != 0 || settings->decode.tile != KST_ALL_TILES;
    const bool resized = cut || turned || settings->decode.reduce != 0 || settings->decode.eighths != 0;
    kst_metadata_change change = {.size = sizeof change,
        .width = resized ? picture->image.width : 0,
        .height = resized ? picture->image.height : 0,
        .orientation = turned ? 1 : 0,
        .drop_thumbnail = turned || cut,
        .drop_others = true};
    const kst_metadata *metadata;
    bool good = true;

    picture->density_unit = info->density_unit;
    picture->density_x = info->density_x;
    picture->density_y = info->density_y;
    keep_coded(info, turned && info->orientation >= 5, &picture->coded);
    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL && good; i++)
        good = keep(metadata, &change, picture);
    return good || problem_set(problem, "out of memory");
}

void jpeg_tell_others(kst_decoder *decoder, const char *name)
{
    kst_other other = {.size = sizeof other};
    size_t pictures = 0;
    unsigned long long bytes = 0;

    for (size_t i = 0; kst_decoder_other(decoder, i, &other); i++) {
        pictures += other.picture;
        bytes += other.picture ? 0 : other.length;
    }
    if (pictures > 0 && bytes > 0)
        complain(name, "note: %zu other %s and %llu more bytes of the file are dropped", pictures,
            pictures == 1 ? "picture" : "pictures", bytes);
    else if (pictures > 0)
        complain(name, "note: %zu other %s of the file %s dropped", pictures, pictures == 1 ? "picture" : "pictures",
            pictures == 1 ? "is" : "are");
    else if (bytes > 0)
        complain(name, "note: %llu bytes behind the picture are dropped", bytes);
}

static bool brings(const kst_encode_options *options, kst_metadata_kind kind)
{
    for (size_t i = 0; i < options->metadata_count; i++)
        if (options->metadata[i].kind == kind)
            return true;
    return false;
}

/* Holds the metadata that go into one file while they are collected. */
struct joining {
    const kst_encode_options *options;
    const char *path; /* of the output, for warnings; null: standard output */
    kst_metadata *list;
    size_t count;
    size_t comments;
};

/* Return the parts that the codec's files can hold; a bare codestream holds only comments. */
static unsigned parts_held(const kst_encode_options *options)
{
    if (options->codec == KST_CODEC_JPEG)
        return PART_ALL;
    return options->jpeg2000->codestream ? PART_COMMENT : PART_ICC | PART_EXIF | PART_XMP | PART_COMMENT;
}

static const char *name_of(const kst_metadata *metadata)
{
    return metadata->kind == KST_METADATA_XMP       ? "XMP"
           : metadata->kind == KST_METADATA_EXIF    ? "Exif"
           : metadata->kind == KST_METADATA_COMMENT ? "a comment"
           : photoshop_is(metadata)                 ? "IPTC"
                                                    : "more XMP";
}

/* Return whether metadata are short enough for the codec's segments. A profile may be cut into several segments. */
static bool fits(const struct joining *joining, const kst_metadata *metadata)
{
    const bool jpeg = joining->options->codec == KST_CODEC_JPEG, comment = metadata->kind == KST_METADATA_COMMENT;
    const size_t header = metadata->kind == KST_METADATA_XMP ? 29 : metadata->kind == KST_METADATA_EXIF ? 6 : 0;
    const size_t most = jpeg ? SEGMENT_MAX - header : COMMENT_MAX;
    char text[64];

    if (metadata->kind == KST_METADATA_ICC || (!jpeg && !comment) || metadata->length <= most)
        return true;
    snprintf(text, sizeof text, "%s holds %zu of its %zu bytes", jpeg ? "a JPEG segment" : "JPEG 2000", most,
        metadata->length);
    loss_tell(joining->path, name_of(metadata), text);
    return false;
}

static void add(struct joining *joining, const kst_metadata *metadata)
{
    const bool jpeg = joining->options->codec == KST_CODEC_JPEG, comment = metadata->kind == KST_METADATA_COMMENT;

    if (metadata->data == NULL || brings(joining->options, metadata->kind) ||
        (!jpeg && metadata->kind == KST_METADATA_APP) || !fits(joining, metadata))
        return;
    joining->comments += comment;
    if (jpeg || !comment || joining->comments <= J2K_COMMENTS)
        joining->list[joining->count++] = *metadata;
    else if (joining->comments == J2K_COMMENTS + 1)
        loss_tell(joining->path, "comments", "JPEG 2000 holds 16 of them");
}

static void add_extra(struct joining *joining, const struct picture *picture, bool comments)
{
    for (size_t i = 0; i < picture->extra_count; i++)
        if ((picture->extra[i].kind == KST_METADATA_COMMENT) == comments)
            add(joining, &picture->extra[i]);
}

/* Return the parts that the options provide, which replace those of the picture. */
static unsigned parts_brought(const kst_encode_options *options)
{
    return (brings(options, KST_METADATA_ICC) ? PART_ICC : 0u) | (brings(options, KST_METADATA_EXIF) ? PART_EXIF : 0u) |
           (brings(options, KST_METADATA_XMP) ? PART_XMP : 0u) |
           (brings(options, KST_METADATA_COMMENT) ? PART_COMMENT : 0u);
}

/* Exif comes first, where readers look for it; comments come last. */
kst_metadata *metadata_join(
    const struct picture *picture, const kst_encode_options *options, const char *path, size_t *count)
{
    kst_metadata *joined = calloc(options->metadata_count + picture->extra_count + 2, sizeof *joined);
    const kst_metadata exif = {.kind = KST_METADATA_EXIF, .data = picture->exif.data, .length = picture->exif.length};
    const kst_metadata icc = {.kind = KST_METADATA_ICC, .data = picture->icc.data, .length = picture->icc.length};
    struct joining joining = {.options = options, .path = path, .list = joined};
    size_t i = 0;

    if (joined == NULL)
        return NULL;
    losses_tell(picture, parts_held(options) | parts_brought(options),
        options->jpeg2000 != NULL && options->jpeg2000->codestream ? "a codestream" : "JPEG 2000", path);
    add(&joining, &exif);
    for (; i < options->metadata_count && options->metadata[i].kind == KST_METADATA_EXIF; i++)
        joined[joining.count++] = options->metadata[i];
    add_extra(&joining, picture, false);
    add(&joining, &icc);
    for (; i < options->metadata_count; i++)
        joined[joining.count++] = options->metadata[i];
    add_extra(&joining, picture, true);
    *count = joining.count;
    return joined;
}
