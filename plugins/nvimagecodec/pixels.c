/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the framework's pixels as images. */
#include "pixels.h"

/* Return the number of channels, whether they are planes or interleaved. */
static uint32_t channels_of(const nvimgcodecImageInfo_t *info)
{
    return info->num_planes == 1 ? info->plane_info[0].num_channels : info->num_planes;
}

/* Find the format for channels whose colours the caller does not state. */
static nvimgcodecProcessingStatus_t unchanged_format(
    const nvimgcodecImageInfo_t *info, kst_codec codec, bool planar, kst_format *format)
{
    uint32_t channels = channels_of(info);
    bool colours = channels == 1 || channels == 3;
    bool planes = planar ? channels <= 4 : channels == 1;

    if (codec == KST_CODEC_JPEG2000 && planes && (pixels_signed(info) || !colours)) /* no other format has signs */
        *format = KST_FORMAT_RAW;
    else if (colours)
        *format = channels == 1 ? KST_FORMAT_GREY : planar ? KST_FORMAT_PLANAR : KST_FORMAT_RGB;
    else if (codec == KST_CODEC_JPEG2000 && channels == 4 && !planar)
        *format = KST_FORMAT_RGBA;
    else
        return NVIMGCODEC_PROCESSING_STATUS_NUM_CHANNELS_UNSUPPORTED;
    return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

static kst_format named_format(const nvimgcodecImageInfo_t *info, kst_codec codec)
{
    switch (info->sample_format) {
    case NVIMGCODEC_SAMPLEFORMAT_P_Y:
    case NVIMGCODEC_SAMPLEFORMAT_I_Y:
        return codec == KST_CODEC_JPEG2000 && pixels_signed(info) ? KST_FORMAT_RAW : KST_FORMAT_GREY;
    case NVIMGCODEC_SAMPLEFORMAT_P_RGB:
    case NVIMGCODEC_SAMPLEFORMAT_P_BGR:
        return KST_FORMAT_PLANAR;
    case NVIMGCODEC_SAMPLEFORMAT_I_RGB:
        return KST_FORMAT_RGB;
    case NVIMGCODEC_SAMPLEFORMAT_I_BGR:
        return KST_FORMAT_BGR;
    case NVIMGCODEC_SAMPLEFORMAT_I_RGBA:
        return KST_FORMAT_RGBA;
    case NVIMGCODEC_SAMPLEFORMAT_P_YUV:
        return codec == KST_CODEC_JPEG ? KST_FORMAT_RAW : KST_FORMAT_AUTO;
    default:
        return KST_FORMAT_AUTO;
    }
}

/* Return whether the description has the number of planes, and of channels in each, that a format has. */
static bool fits(const nvimgcodecImageInfo_t *info, kst_format format)
{
    uint32_t channels = kst_format_channels(format);

    if (channels == 0)
        return format == KST_FORMAT_RAW ? info->num_planes <= 4 : info->num_planes == 3;
    return info->num_planes == 1 && info->plane_info[0].num_channels == channels;
}

nvimgcodecProcessingStatus_t pixels_format(const nvimgcodecImageInfo_t *info, kst_codec codec, kst_format *format)
{
    nvimgcodecProcessingStatus_t status = NVIMGCODEC_PROCESSING_STATUS_SUCCESS;

    if (info->num_planes == 0 || info->num_planes > 4)
        return NVIMGCODEC_PROCESSING_STATUS_NUM_PLANES_UNSUPPORTED;
    if (info->sample_format == NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED)
        status = unchanged_format(info, codec, true, format);
    else if (info->sample_format == NVIMGCODEC_SAMPLEFORMAT_I_UNCHANGED)
        status = unchanged_format(info, codec, false, format);
    else
        *format = named_format(info, codec);
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        return status;
    if (*format == KST_FORMAT_AUTO)
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_FORMAT_UNSUPPORTED;
    return fits(info, *format) ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                               : NVIMGCODEC_PROCESSING_STATUS_NUM_CHANNELS_UNSUPPORTED;
}

uint32_t pixels_bits(const nvimgcodecImageInfo_t *info)
{
    for (uint32_t i = 1; i < info->num_planes; i++)
        if (info->plane_info[i].sample_type != info->plane_info[0].sample_type)
            return 0;
    switch (info->plane_info[0].sample_type) {
    case NVIMGCODEC_SAMPLE_DATA_TYPE_UINT8:
    case NVIMGCODEC_SAMPLE_DATA_TYPE_INT8:
        return 8;
    case NVIMGCODEC_SAMPLE_DATA_TYPE_UINT16:
    case NVIMGCODEC_SAMPLE_DATA_TYPE_INT16:
        return 16;
    case NVIMGCODEC_SAMPLE_DATA_TYPE_UINT32:
    case NVIMGCODEC_SAMPLE_DATA_TYPE_INT32:
        return 32;
    default:
        return 0;
    }
}

bool pixels_signed(const nvimgcodecImageInfo_t *info)
{
    nvimgcodecSampleDataType_t type = info->plane_info[0].sample_type;

    return type == NVIMGCODEC_SAMPLE_DATA_TYPE_INT8 || type == NVIMGCODEC_SAMPLE_DATA_TYPE_INT16 ||
           type == NVIMGCODEC_SAMPLE_DATA_TYPE_INT32;
}

void pixels_image(const nvimgcodecImageInfo_t *info, kst_format format, uint32_t depth, kst_image *image)
{
    bool reversed = info->sample_format == NVIMGCODEC_SAMPLEFORMAT_P_BGR;
    unsigned char *rows = info->buffer;

    kst_image_init(image);
    image->format = format;
    image->memory =
        info->buffer_kind == NVIMGCODEC_IMAGE_BUFFER_KIND_STRIDED_DEVICE ? KST_MEMORY_CUDA : KST_MEMORY_HOST;
    image->width = info->plane_info[0].width;
    image->height = info->plane_info[0].height;
    image->plane_count = info->num_planes;
    for (uint32_t i = 0; i < info->num_planes; i++) {
        const nvimgcodecImagePlaneInfo_t *plane = &info->plane_info[i];
        image->plane[reversed ? info->num_planes - 1 - i : i] = (kst_plane){.data = rows,
            .pitch = (ptrdiff_t)plane->row_stride,
            .width = plane->width,
            .height = plane->height,
            .depth = (uint8_t)depth,
            .is_signed = pixels_signed(info)};
        rows += plane->row_stride * plane->height;
    }
}

static void narrow_row(const uint16_t *from, uint8_t *to, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)(from[i] >> shift);
}

void pixels_narrow(const kst_image *from, const kst_image *to)
{
    uint32_t channels = kst_format_channels(from->format);

    for (uint32_t i = 0; i < from->plane_count; i++) {
        const kst_plane *wide = &from->plane[i], *narrow = &to->plane[i];
        size_t count = (size_t)wide->width * (channels == 0 ? 1 : channels);
        for (uint32_t y = 0; y < wide->height; y++)
            narrow_row((const void *)((const char *)wide->data + (ptrdiff_t)y * wide->pitch),
                (uint8_t *)narrow->data + (ptrdiff_t)y * narrow->pitch, count, wide->depth - 8u);
    }
}
