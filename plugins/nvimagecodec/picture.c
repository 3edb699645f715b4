/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the decoding of one picture, and completes it. */
#include "picture.h"

#include "pixels.h"

/* Return whether a JPEG stream is of a process that Kostka decodes (T.81 Table B.1). */
static bool is_known_process(nvimgcodecJpegEncoding_t encoding)
{
    return encoding == NVIMGCODEC_JPEG_ENCODING_UNKNOWN || encoding == NVIMGCODEC_JPEG_ENCODING_BASELINE_DCT ||
           encoding == NVIMGCODEC_JPEG_ENCODING_EXTENDED_SEQUENTIAL_DCT_HUFFMAN ||
           encoding == NVIMGCODEC_JPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN;
}

/* Choose the depth to decode: the coded one. If only 8 bits are wanted, the samples are narrowed in host memory. */
static nvimgcodecProcessingStatus_t plan_depth(
    Picture *picture, const nvimgcodecImageInfo_t *out, const nvimgcodecImageInfo_t *coded, uint32_t *depth)
{
    uint32_t bits = pixels_bits(out), wanted = out->plane_info[0].precision;

    *depth = coded->plane_info[0].precision != 0 ? coded->plane_info[0].precision : pixels_bits(coded);
    if (bits == 0 || *depth == 0 || *depth > 31)
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
    picture->narrow = bits == 8 && *depth > 8 && *depth <= 16 && !pixels_signed(coded) && !pixels_signed(out);
    if (picture->narrow)
        return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    bool container = bits == (*depth <= 8 ? 8u : *depth <= 16 ? 16u : 32u);
    return container && (wanted == 0 || wanted == *depth) ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                                                          : NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
}

/* Copy the region of the code stream's view, whose sides must be those of the output. */
static nvimgcodecProcessingStatus_t plan_region(
    Picture *picture, const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecImageInfo_t *out)
{
    nvimgcodecCodeStreamInfo_t info = {
        .struct_type = NVIMGCODEC_STRUCTURE_TYPE_CODE_STREAM_INFO, .struct_size = sizeof info};

    if (stream->getCodeStreamInfo(stream->instance, &info) != NVIMGCODEC_STATUS_SUCCESS)
        return NVIMGCODEC_PROCESSING_STATUS_FAIL;
    if (info.code_stream_view == NULL)
        return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    const nvimgcodecRegion_t *region = &info.code_stream_view->region;
    if (info.code_stream_view->image_idx != 0)
        return NVIMGCODEC_PROCESSING_STATUS_NUM_IMAGES_UNSUPPORTED;
    if (region->ndim == 0)
        return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    if (region->ndim != 2 || region->start[0] < 0 || region->start[1] < 0 || region->end[0] <= region->start[0] ||
        region->end[1] <= region->start[1])
        return NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED;
    picture->options.region = (kst_region){(uint32_t)region->start[1], (uint32_t)region->start[0],
        (uint32_t)(region->end[1] - region->start[1]), (uint32_t)(region->end[0] - region->start[0])};
    bool same = picture->options.region.width == out->plane_info[0].width &&
                picture->options.region.height == out->plane_info[0].height;
    picture->turned_region = picture->options.orient;
    return same ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS : NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED;
}

/* Get what the framework knows of the coded picture. */
static nvimgcodecProcessingStatus_t read_coded(
    const Engine *engine, const nvimgcodecCodeStreamDesc_t *stream, nvimgcodecImageInfo_t *coded)
{
    nvimgcodecJpegImageInfo_t jpeg = {
        .struct_type = NVIMGCODEC_STRUCTURE_TYPE_JPEG_IMAGE_INFO, .struct_size = sizeof jpeg};

    *coded = (nvimgcodecImageInfo_t){.struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO,
        .struct_size = sizeof *coded,
        .struct_next = engine->plugin->codec == KST_CODEC_JPEG ? &jpeg : NULL};
    if (stream->getImageInfo(stream->instance, coded) != NVIMGCODEC_STATUS_SUCCESS)
        return NVIMGCODEC_PROCESSING_STATUS_FAIL;
    coded->struct_next = NULL;
    return is_known_process(jpeg.encoding) ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                                           : NVIMGCODEC_PROCESSING_STATUS_ENCODING_UNSUPPORTED;
}

/* Refuse conversions that the framework has other decoders for. */
static nvimgcodecProcessingStatus_t check_colours(
    kst_codec codec, kst_format format, const nvimgcodecImageInfo_t *out, const nvimgcodecImageInfo_t *coded)
{
    bool one_size = out->plane_info[out->num_planes - 1].width == out->plane_info[0].width &&
                    out->plane_info[out->num_planes - 1].height == out->plane_info[0].height;

    if (codec == KST_CODEC_JPEG2000 && format == KST_FORMAT_GREY && coded->num_planes > 1)
        return NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED;
    if (codec == KST_CODEC_JPEG2000 && format == KST_FORMAT_RAW && coded->num_planes != out->num_planes)
        return NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED;
    if (codec == KST_CODEC_JPEG && coded->num_planes > 3) /* inks */
        return NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED;
    if (codec == KST_CODEC_JPEG && format == KST_FORMAT_RAW && one_size &&
        coded->chroma_subsampling != NVIMGCODEC_SAMPLING_444)
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED;
    return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

/* Plan whether the picture is turned. Components that are output as coded cannot be turned. */
static nvimgcodecProcessingStatus_t plan_orientation(
    Picture *picture, const nvimgcodecDecodeParams_t *parameters, const nvimgcodecOrientation_t *coded)
{
    bool turned = coded->rotated != 0 || coded->flip_x != 0 || coded->flip_y != 0;
    bool raw = picture->options.format == KST_FORMAT_RAW;

    picture->options.orient = parameters->apply_exif_orientation != 0 && !raw;
    return parameters->apply_exif_orientation != 0 && raw && turned
               ? NVIMGCODEC_PROCESSING_STATUS_ORIENTATION_UNSUPPORTED
               : NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

/* Plan a picture once the framework's descriptions of it have been read. */
static nvimgcodecProcessingStatus_t plan_described(Picture *picture, const Engine *engine,
    const nvimgcodecImageInfo_t *out, const nvimgcodecImageInfo_t *coded, const nvimgcodecDecodeParams_t *parameters)
{
    const Plugin *plugin = engine->plugin;
    uint32_t depth = 0;
    kst_format format = KST_FORMAT_AUTO;

    nvimgcodecProcessingStatus_t status = pixels_format(out, plugin->codec, &format);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        status = check_colours(plugin->codec, format, out, coded);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        status = plan_depth(picture, out, coded, &depth);
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        return status;
    if (plugin->cuda && picture->narrow)
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
    pixels_image(out, format, picture->narrow ? 8 : depth, &picture->pixels);
    picture->wide = picture->pixels;
    for (uint32_t i = 0; i < picture->wide.plane_count; i++)
        picture->wide.plane[i].depth = (uint8_t)depth;
    picture->options.format = format;
    return plan_orientation(picture, parameters, &coded->orientation);
}

nvimgcodecProcessingStatus_t picture_plan(Picture *picture, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters)
{
    nvimgcodecImageInfo_t out = {.struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO, .struct_size = sizeof out}, coded;

    *picture = (Picture){.image = image};
    kst_decode_options_init(&picture->options);
    if (image->getImageInfo(image->instance, &out) != NVIMGCODEC_STATUS_SUCCESS)
        return NVIMGCODEC_PROCESSING_STATUS_FAIL;
    nvimgcodecProcessingStatus_t status = read_coded(engine, stream, &coded);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        status = plan_described(picture, engine, &out, &coded, parameters);
    return status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS ? plan_region(picture, stream, &out) : status;
}

/* Convert a region of the picture as displayed to a region of the picture as coded. */
static nvimgcodecProcessingStatus_t turn_region(Picture *picture, const Engine *engine)
{
    kst_region *region = &picture->options.region;
    kst_decoder *decoder = NULL;
    kst_status status = kst_decoder_create(engine->context, &decoder);

    if (!status)
        status = kst_decoder_open(decoder, picture->bytes.data, picture->bytes.length);
    if (status) {
        nvimgcodecProcessingStatus_t verdict =
            decoder == NULL ? NVIMGCODEC_PROCESSING_STATUS_FAIL : engine_judge(kst_decoder_report(decoder));
        kst_decoder_destroy(&decoder);
        return verdict;
    }
    const kst_info *info = kst_decoder_info(decoder);
    unsigned turn = info->orientation >= 1 && info->orientation <= 8 ? (unsigned)info->orientation : 1;
    if (turn >= 5) /* rows are displayed as columns */
        *region = (kst_region){region->y, region->x, region->height, region->width};
    bool inside =
        (uint64_t)region->x + region->width <= info->width && (uint64_t)region->y + region->height <= info->height;
    if (turn == 2 || turn == 3 || turn == 7 || turn == 8)
        region->x = info->width - region->x - region->width;
    if (turn == 3 || turn == 4 || turn == 6 || turn == 7)
        region->y = info->height - region->y - region->height;
    kst_decoder_destroy(&decoder);
    return inside ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS : NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED;
}

nvimgcodecProcessingStatus_t picture_begin(
    Picture *picture, const Engine *engine, const nvimgcodecCodeStreamDesc_t *stream, kst_decode_item *item)
{
    if (!stream_read(stream, &picture->bytes))
        return NVIMGCODEC_PROCESSING_STATUS_FAIL;
    nvimgcodecProcessingStatus_t status = NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    if (picture->turned_region)
        status = turn_region(picture, engine);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS && picture->narrow &&
        kst_image_allocate(engine->context, &picture->wide))
        status = NVIMGCODEC_PROCESSING_STATUS_FAIL;
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS) {
        stream_release(&picture->bytes);
        return status;
    }
    *item = (kst_decode_item){.data = picture->bytes.data,
        .length = picture->bytes.length,
        .options = &picture->options,
        .image = picture->narrow ? &picture->wide : &picture->pixels};
    return status;
}

nvimgcodecProcessingStatus_t picture_end(Picture *picture, const Engine *engine, const kst_report *report)
{
    nvimgcodecProcessingStatus_t status = engine_judge(report);

    if (picture->narrow && !report->status)
        pixels_narrow(&picture->wide, &picture->pixels);
    if (picture->narrow)
        kst_image_release(engine->context, &picture->wide);
    stream_release(&picture->bytes);
    return status;
}
