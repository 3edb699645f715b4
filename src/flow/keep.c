/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a stream's metadata and resolution to the stream that is made of its picture. */
#include <string.h>

#include "flow/flow.h"

/* Return whether metadata of a kind is carried over. A colour profile does not fit a picture that has become grey. */
static bool is_carried(kst_metadata_kind kind, bool greyed)
{
    return (kind == KST_METADATA_ICC && !greyed) || kind == KST_METADATA_EXIF || kind == KST_METADATA_XMP ||
           kind == KST_METADATA_COMMENT;
}

static size_t count_carried(const kst_decoder *decoder, bool greyed)
{
    const kst_metadata *metadata;
    size_t count = 0;
    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++)
        count += is_carried(metadata->kind, greyed);
    return count;
}

/* Make a copy that describes the picture as it was decoded: turned, smaller, and alone in its file. */
static kst_status copy(
    struct kst_flow *flow, const kst_metadata *from, const kst_metadata_change *change, kst_metadata *to)
{
    kst_status status = KST_OK;
    uint8_t *data = kst_memory_array(&flow->memory, from->length, 1, &status);
    if (!data)
        return status;
    memcpy(data, from->data, from->length);
    *to = *from;
    to->length = kst_metadata_update(from->kind, data, from->length, change);
    to->data = data;
    return KST_OK;
}

static kst_metadata_change describe_change(
    const kst_info *info, const kst_decode_options *options, const kst_image *image)
{
    bool turned = options->orient && info->orientation > 4;
    uint32_t width = turned ? info->height : info->width, height = turned ? info->width : info->height;
    bool same = image->width == width && image->height == height;
    return (kst_metadata_change){.size = sizeof(kst_metadata_change),
        .width = same && !turned ? 0 : image->width,
        .height = same && !turned ? 0 : image->height,
        .orientation = options->orient ? 1 : 0,
        .drop_thumbnail = !same || (options->orient && info->orientation > 1),
        .drop_others = true};
}

static kst_status carry(struct kst_flow *flow, const kst_metadata_change *change, bool greyed, struct flow_kept *kept)
{
    const kst_metadata *metadata;
    kst_status status = KST_OK;
    kept->metadata =
        kst_memory_zeroed(&flow->memory, count_carried(kept->decoder, greyed), sizeof *kept->metadata, &status);
    for (size_t i = 0; !status && (metadata = kst_decoder_metadata(kept->decoder, i)) != NULL; i++)
        if (is_carried(metadata->kind, greyed))
            status = copy(flow, metadata, change, &kept->metadata[kept->count++]);
    if (status || kept->options.metadata_count > 0)
        return status;
    kept->options.metadata = kept->metadata;
    kept->options.metadata_count = kept->count;
    return KST_OK;
}

static void carry_density(const kst_info *info, kst_encode_options *options)
{
    if (options->density_unit != KST_DENSITY_RATIO || info->density_unit == KST_DENSITY_RATIO)
        return;
    options->density_unit = info->density_unit;
    options->density_x = info->density_x;
    options->density_y = info->density_y;
}

kst_status kst_flow_keep(struct kst_flow *flow, kst_context *context, const kst_flow_item *item, const kst_image *image,
    struct flow_kept *kept)
{
    const kst_decode_options *decode = item->decode ? item->decode : flow->options.decode;
    kept->options = *(item->encode ? item->encode : flow->options.encode);
    if (item->work != KST_FLOW_CONVERT || !flow->options.keep)
        return KST_OK;
    kst_status status = kst_decoder_create(context, &kept->decoder);
    if (!status)
        status = kst_decoder_open(kept->decoder, item->data, item->length);
    if (status)
        return status;
    const kst_info *info = kst_decoder_info(kept->decoder);
    const kst_metadata_change change = describe_change(info, decode, image);
    carry_density(info, &kept->options);
    bool greyed = image->format == KST_FORMAT_GREY && info->colour != KST_COLOUR_GREY;
    bool has_own = kept->options.metadata_count > 0 && item->further_count == 0;
    return has_own ? KST_OK : carry(flow, &change, greyed, kept);
}

void kst_flow_keep_for(const struct flow_kept *kept, kst_encode_options *options)
{
    if (!kept->decoder)
        return;
    carry_density(kst_decoder_info(kept->decoder), options);
    if (options->metadata_count > 0)
        return;
    options->metadata = kept->metadata;
    options->metadata_count = kept->count;
}

void kst_flow_forget(struct kst_flow *flow, struct flow_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        kst_memory_release(&flow->memory, (void *)(uintptr_t)kept->metadata[i].data);
    kst_memory_release(&flow->memory, kept->metadata);
    kst_decoder_destroy(&kept->decoder);
}
