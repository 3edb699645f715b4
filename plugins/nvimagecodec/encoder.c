/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures for the framework, whose threads share a batch. */
#include "coders.h"

#include <kostka/kostka_device.h>

#include "encode_options.h"
#include "stream.h"

static Engine *engine_of(nvimgcodecEncoder_t encoder)
{
    return (Engine *)encoder; /* made by create() */
}

static nvimgcodecStatus_t create(
    void *instance, nvimgcodecEncoder_t *encoder, const nvimgcodecExecutionParams_t *parameters, const char *options)
{
    (void)options; /* each names the encoder that it applies to; none applies to this one */
    Engine *engine = NULL;
    nvimgcodecStatus_t status = engine_create(instance, parameters, &engine);
    *encoder = (nvimgcodecEncoder_t)engine;
    return status;
}

static nvimgcodecStatus_t destroy(nvimgcodecEncoder_t encoder)
{
    engine_destroy(engine_of(encoder));
    return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecProcessingStatus_t can_encode(nvimgcodecEncoder_t encoder, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image, const nvimgcodecEncodeParams_t *parameters, int thread)
{
    Encoding encoding;

    (void)thread;
    return encoding_plan(&encoding, engine_of(encoder), image, stream, parameters);
}

/*
 * Encode one picture. If its pixels are in device memory, it is encoded behind the work of the stream that produces
 * them.
 */
static nvimgcodecProcessingStatus_t encode_picture(nvimgcodecEncoder_t encoder,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters)
{
    const Engine *engine = engine_of(encoder);
    Encoding encoding;
    kst_encode_item item = {.image = &encoding.pixels, .options = &encoding.options};

    nvimgcodecProcessingStatus_t status = encoding_plan(&encoding, engine, image, stream, parameters);
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        return status;
    kst_stream after = {KST_DEVICE_CUDA, encoding.stream};
    kst_status failed = engine->plugin->cuda ? kst_encode_batch_after(engine->context, &item, 1, &after)
                                             : kst_encode_batch(engine->context, &item, 1);
    if (failed && !item.report.status)
        item.report.status = failed;
    status = engine_judge(&item.report);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS && !stream_write(stream, item.output.data, item.output.length))
        status = NVIMGCODEC_PROCESSING_STATUS_FAIL;
    kst_buffer_release(engine->context, &item.output);
    return status;
}

static nvimgcodecStatus_t encode(nvimgcodecEncoder_t encoder, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image, const nvimgcodecEncodeParams_t *parameters, int thread)
{
    (void)thread;
    nvimgcodecProcessingStatus_t status = encode_picture(encoder, stream, image, parameters);
    image->imageReady(image->instance, status);
    return status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS ? NVIMGCODEC_STATUS_SUCCESS
                                                          : NVIMGCODEC_STATUS_EXECUTION_FAILED;
}

nvimgcodecEncoderDesc_t encoder_describe(Plugin *plugin)
{
    return (nvimgcodecEncoderDesc_t){.struct_type = NVIMGCODEC_STRUCTURE_TYPE_ENCODER_DESC,
        .struct_size = sizeof(nvimgcodecEncoderDesc_t),
        .instance = plugin,
        .id = plugin->id,
        .codec = plugin->codec == KST_CODEC_JPEG ? "jpeg" : "jpeg2k",
        .backend_kind = plugin->cuda ? NVIMGCODEC_BACKEND_KIND_GPU_ONLY : NVIMGCODEC_BACKEND_KIND_CPU_ONLY,
        .create = create,
        .destroy = destroy,
        .canEncode = can_encode,
        .encode = encode};
}
