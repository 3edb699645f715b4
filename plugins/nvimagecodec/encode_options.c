/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes options of encoding from the framework's parameters. */
#include "encode_options.h"

#include <math.h>

#include "pixels.h"

/* Find a structure in a chain of extensions; null if it is not there. */
static const void *find_extension(const void *chain, nvimgcodecStructureType_t type)
{
    struct header {
        nvimgcodecStructureType_t type;
        size_t size;
        const struct header *next;
    };

    for (const struct header *at = chain; at != NULL; at = at->next)
        if (at->type == type)
            return at;
    return NULL;
}

/* Describes the coded picture that the framework wants. */
typedef struct Wanted {
    nvimgcodecImageInfo_t info;
    nvimgcodecJpegImageInfo_t jpeg;
} Wanted;

static bool read_wanted(const nvimgcodecCodeStreamDesc_t *stream, kst_codec codec, Wanted *wanted)
{
    wanted->jpeg = (nvimgcodecJpegImageInfo_t){
        .struct_type = NVIMGCODEC_STRUCTURE_TYPE_JPEG_IMAGE_INFO, .struct_size = sizeof wanted->jpeg};
    wanted->info = (nvimgcodecImageInfo_t){.struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO,
        .struct_size = sizeof wanted->info,
        .struct_next = codec == KST_CODEC_JPEG ? &wanted->jpeg : NULL};
    return stream->getImageInfo(stream->instance, &wanted->info) == NVIMGCODEC_STATUS_SUCCESS;
}

static bool find_subsampling(nvimgcodecChromaSubsampling_t chroma, kst_subsampling *subsampling)
{
    static const struct {
        nvimgcodecChromaSubsampling_t chroma;
        kst_subsampling subsampling;
    } known[] = {{NVIMGCODEC_SAMPLING_444, KST_SUBSAMPLING_444}, {NVIMGCODEC_SAMPLING_422, KST_SUBSAMPLING_422},
        {NVIMGCODEC_SAMPLING_420, KST_SUBSAMPLING_420}, {NVIMGCODEC_SAMPLING_440, KST_SUBSAMPLING_440},
        {NVIMGCODEC_SAMPLING_411, KST_SUBSAMPLING_411}, {NVIMGCODEC_SAMPLING_410, KST_SUBSAMPLING_410}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].chroma == chroma) {
            *subsampling = known[i].subsampling;
            return true;
        }
    }
    return false;
}

/* Choose a JPEG file's quality. The default is libjpeg's. */
static nvimgcodecProcessingStatus_t plan_jpeg_quality(
    const nvimgcodecEncodeParams_t *parameters, kst_encode_options *options)
{
    long quality = lroundf(parameters->quality_value);

    if (parameters->quality_type == NVIMGCODEC_QUALITY_TYPE_DEFAULT)
        return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    if (parameters->quality_type != NVIMGCODEC_QUALITY_TYPE_QUALITY)
        return NVIMGCODEC_PROCESSING_STATUS_QUALITY_TYPE_UNSUPPORTED;
    if (quality < 1 || quality > 100)
        return NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED;
    options->quality = (int)quality;
    return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

static nvimgcodecProcessingStatus_t plan_jpeg(
    Encoding *encoding, const Wanted *wanted, const nvimgcodecEncodeParams_t *parameters)
{
    kst_encode_options *options = &encoding->options;
    const nvimgcodecJpegEncodeParams_t *own =
        find_extension(parameters->struct_next, NVIMGCODEC_STRUCTURE_TYPE_JPEG_ENCODE_PARAMS);
    const nvimgcodecTileGeometryInfo_t *tiles =
        find_extension(parameters->struct_next, NVIMGCODEC_STRUCTURE_TYPE_TILE_GEOMETRY_INFO);
    bool grey = encoding->pixels.format == KST_FORMAT_GREY;

    if (tiles != NULL && (tiles->tile_width != 0 || tiles->tile_height != 0))
        return NVIMGCODEC_PROCESSING_STATUS_TILING_UNSUPPORTED;
    if (kst_format_channels(encoding->pixels.format) == 4)
        return NVIMGCODEC_PROCESSING_STATUS_NUM_CHANNELS_UNSUPPORTED; /* JPEG cannot hold alpha */
    if (wanted->jpeg.encoding == NVIMGCODEC_JPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN)
        options->coding = KST_CODING_PROGRESSIVE;
    else if (wanted->jpeg.encoding != NVIMGCODEC_JPEG_ENCODING_UNKNOWN &&
             wanted->jpeg.encoding != NVIMGCODEC_JPEG_ENCODING_BASELINE_DCT)
        return NVIMGCODEC_PROCESSING_STATUS_ENCODING_UNSUPPORTED;
    else if (own != NULL && own->optimized_huffman != 0)
        options->coding = KST_CODING_OPTIMIZED;
    if (wanted->info.chroma_subsampling == NVIMGCODEC_SAMPLING_GRAY && !grey)
        options->colour = KST_COLOUR_GREY;
    else if (!grey && !find_subsampling(wanted->info.chroma_subsampling, &options->subsampling))
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED;
    return plan_jpeg_quality(parameters, options);
}

/* Choose the target of a JPEG 2000 file. The default is lossless. */
static nvimgcodecProcessingStatus_t plan_target(const nvimgcodecEncodeParams_t *parameters, kst_j2k_options *options)
{
    double value = (double)parameters->quality_value;

    switch (parameters->quality_type) {
    case NVIMGCODEC_QUALITY_TYPE_DEFAULT:
    case NVIMGCODEC_QUALITY_TYPE_LOSSLESS:
        return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
    case NVIMGCODEC_QUALITY_TYPE_QUALITY:
        options->target = KST_J2K_QUALITY;
        options->value = value;
        return value >= 1 && value <= 100 ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                                          : NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED;
    case NVIMGCODEC_QUALITY_TYPE_PSNR:
        options->target = KST_J2K_PSNR;
        options->value = value;
        return value > 0 ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                         : NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED;
    case NVIMGCODEC_QUALITY_TYPE_QUANTIZATION_STEP:
        options->target = KST_J2K_STEP;
        options->value = value;
        return value > 0 ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                         : NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED;
    case NVIMGCODEC_QUALITY_TYPE_SIZE_RATIO:
        options->target = KST_J2K_RATIO;
        options->value = value > 0 ? 1 / value : 0;
        return value > 0 && value < 1 ? NVIMGCODEC_PROCESSING_STATUS_SUCCESS
                                      : NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED;
    default:
        return NVIMGCODEC_PROCESSING_STATUS_QUALITY_TYPE_UNSUPPORTED;
    }
}

static nvimgcodecProcessingStatus_t plan_jpeg2000(
    Encoding *encoding, const Wanted *wanted, const nvimgcodecEncodeParams_t *parameters)
{
    kst_j2k_options *options = &encoding->jpeg2000;
    const nvimgcodecJpeg2kEncodeParams_t *own =
        find_extension(parameters->struct_next, NVIMGCODEC_STRUCTURE_TYPE_JPEG2K_ENCODE_PARAMS);
    const nvimgcodecTileGeometryInfo_t *tiles =
        find_extension(parameters->struct_next, NVIMGCODEC_STRUCTURE_TYPE_TILE_GEOMETRY_INFO);
    const kst_image *pixels = &encoding->pixels;
    bool grey = pixels->format == KST_FORMAT_GREY || (pixels->format == KST_FORMAT_RAW && pixels->plane_count == 1);

    if (!grey && wanted->info.chroma_subsampling != NVIMGCODEC_SAMPLING_444)
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED;
    if (own != NULL) {
        if (own->num_resolutions < 1 || own->num_resolutions > NVIMGCODEC_JPEG2K_MAXRES ||
            (unsigned)own->prog_order > NVIMGCODEC_JPEG2K_PROG_ORDER_CPRL)
            return NVIMGCODEC_PROCESSING_STATUS_ENCODING_UNSUPPORTED;
        options->codestream = own->stream_type == NVIMGCODEC_JPEG2K_STREAM_J2K;
        options->progression = (kst_progression)own->prog_order;
        options->levels = own->num_resolutions - 1;
        options->block_width = own->code_block_w;
        options->block_height = own->code_block_h;
        options->keep_components = own->mct_mode == 0;
        options->style = own->ht != 0 ? KST_J2K_HT : 0;
    }
    if (tiles != NULL) {
        options->tile_width = tiles->tile_width;
        options->tile_height = tiles->tile_height;
    }
    encoding->options.jpeg2000 = options;
    return plan_target(parameters, options);
}

nvimgcodecProcessingStatus_t encoding_plan(Encoding *encoding, const Engine *engine, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecEncodeParams_t *parameters)
{
    kst_codec codec = engine->plugin->codec;
    nvimgcodecImageInfo_t in = {.struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO, .struct_size = sizeof in};
    Wanted wanted;
    kst_format format = KST_FORMAT_AUTO;

    if (image->getImageInfo(image->instance, &in) != NVIMGCODEC_STATUS_SUCCESS || !read_wanted(stream, codec, &wanted))
        return NVIMGCODEC_PROCESSING_STATUS_FAIL;
    nvimgcodecProcessingStatus_t status = pixels_format(&in, codec, &format);
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        return status;
    uint32_t bits = pixels_bits(&in), depth = in.plane_info[0].precision != 0 ? in.plane_info[0].precision : bits;
    if (bits == 0 || depth > bits || depth > 31 || (codec == KST_CODEC_JPEG && depth != 8) ||
        (pixels_signed(&in) && format != KST_FORMAT_RAW))
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
    if (bits != (depth <= 8 ? 8u : depth <= 16 ? 16u : 32u))
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
    pixels_image(&in, format, depth, &encoding->pixels);
    encoding->stream = in.cuda_stream;
    kst_encode_options_init(&encoding->options);
    kst_j2k_options_init(&encoding->jpeg2000);
    encoding->options.codec = codec;
    return codec == KST_CODEC_JPEG ? plan_jpeg(encoding, &wanted, parameters)
                                   : plan_jpeg2000(encoding, &wanted, parameters);
}
