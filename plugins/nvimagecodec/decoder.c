/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes pictures for the framework. On the CPU each of the framework's threads decodes one picture; on a GPU a whole
 * batch is decoded at once, in the order of the stream that the framework names.
 */
#include "coders.h"

#include <kostka/kostka_device.h>

#include "picture.h"

enum { BATCH = 64 }; /* The number of pictures for which a GPU decodes a batch well. */

static Engine *engine_of(nvimgcodecDecoder_t decoder)
{
    return (Engine *)decoder; /* made by create() */
}

static nvimgcodecStatus_t create(
    void *instance, nvimgcodecDecoder_t *decoder, const nvimgcodecExecutionParams_t *parameters, const char *options)
{
    (void)options; /* each names the decoder that it applies to; none applies to this one */
    Engine *engine = NULL;
    nvimgcodecStatus_t status = engine_create(instance, parameters, &engine);
    *decoder = (nvimgcodecDecoder_t)engine;
    return status;
}

static nvimgcodecStatus_t destroy(nvimgcodecDecoder_t decoder)
{
    engine_destroy(engine_of(decoder));
    return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecProcessingStatus_t can_decode(nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters, int thread)
{
    Picture picture;

    (void)thread;
    return picture_plan(&picture, engine_of(decoder), image, stream, parameters);
}

/* Decode one picture on the calling thread. */
static nvimgcodecProcessingStatus_t decode_picture(nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters)
{
    const Engine *engine = engine_of(decoder);
    Picture picture;
    kst_decode_item item;
    kst_report report;

    nvimgcodecProcessingStatus_t status = picture_plan(&picture, engine, image, stream, parameters);
    if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        status = picture_begin(&picture, engine, stream, &item);
    if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
        return status;
    kst_report_init(&report);
    kst_decode(engine->context, item.data, item.length, item.options, item.image, &report);
    return picture_end(&picture, engine, &report);
}

static nvimgcodecStatus_t decode(nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, const nvimgcodecDecodeParams_t *parameters, int thread)
{
    (void)thread;
    nvimgcodecProcessingStatus_t status = decode_picture(decoder, image, stream, parameters);
    image->imageReady(image->instance, status);
    return status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS ? NVIMGCODEC_STATUS_SUCCESS
                                                          : NVIMGCODEC_STATUS_EXECUTION_FAILED;
}

/* Holds the pictures of a batch that are being decoded. */
typedef struct Batch {
    Picture *picture;
    kst_decode_item *item;
    cudaStream_t *stream;
    size_t count;
} Batch;

/* Plan the pictures of a batch. Pictures that cannot be decoded are reported at once. */
static void plan_batch(nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t **images,
    const nvimgcodecCodeStreamDesc_t **streams, size_t count, const nvimgcodecDecodeParams_t *parameters, Batch *batch)
{
    const Engine *engine = engine_of(decoder);

    for (size_t i = 0; i < count; i++) {
        Picture *picture = &batch->picture[batch->count];
        nvimgcodecImageInfo_t info = {.struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO, .struct_size = sizeof info};
        nvimgcodecProcessingStatus_t status = picture_plan(picture, engine, images[i], streams[i], parameters);
        if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
            status = picture_begin(picture, engine, streams[i], &batch->item[batch->count]);
        if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS) {
            images[i]->imageReady(images[i]->instance, status);
            continue;
        }
        images[i]->getImageInfo(images[i]->instance, &info);
        batch->stream[batch->count++] = info.cuda_stream;
    }
}

/* Decode pictures in the order of one CUDA stream, and report their results. */
static void decode_in_order(const Engine *engine, const Batch *batch, size_t first, size_t count)
{
    kst_stream stream = {KST_DEVICE_CUDA, batch->stream[first]};
    kst_job *job = NULL;
    kst_status status = kst_decode_submit(engine->context, &batch->item[first], count, &stream, &job);

    if (!status)
        kst_job_wait(&job); /* each picture's report has its result */
    for (size_t i = first; i < first + count; i++) {
        if (status)
            batch->item[i].report.status = status;
        Picture *picture = &batch->picture[i];
        picture->image->imageReady(picture->image->instance, picture_end(picture, engine, &batch->item[i].report));
    }
}

static nvimgcodecStatus_t decode_batch(nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t **images,
    const nvimgcodecCodeStreamDesc_t **streams, int count, const nvimgcodecDecodeParams_t *parameters, int thread)
{
    size_t size = count > 0 ? (size_t)count : 1, end;
    Batch batch = {
        calloc(size, sizeof *batch.picture), calloc(size, sizeof *batch.item), calloc(size, sizeof(cudaStream_t)), 0};
    bool memory = batch.picture != NULL && batch.item != NULL && batch.stream != NULL;

    (void)thread;
    if (memory && count > 0)
        plan_batch(decoder, images, streams, (size_t)count, parameters, &batch);
    for (int i = 0; !memory && i < count; i++) /* the framework waits for each picture */
        images[i]->imageReady(images[i]->instance, NVIMGCODEC_PROCESSING_STATUS_FAIL);
    for (size_t first = 0; first < batch.count; first = end) {
        for (end = first + 1; end < batch.count && batch.stream[end] == batch.stream[first];)
            end++;
        decode_in_order(engine_of(decoder), &batch, first, end - first);
    }
    free(batch.picture);
    free(batch.item);
    free(batch.stream);
    return memory ? NVIMGCODEC_STATUS_SUCCESS : NVIMGCODEC_STATUS_ALLOCATOR_FAILURE;
}

/* Metadata are left to the framework's own decoders. */
static nvimgcodecStatus_t get_metadata(
    nvimgcodecDecoder_t decoder, const nvimgcodecCodeStreamDesc_t *stream, nvimgcodecMetadata_t **metadata, int *count)
{
    (void)decoder;
    (void)stream;
    (void)metadata;
    (void)count;
    return NVIMGCODEC_STATUS_IMPLEMENTATION_UNSUPPORTED;
}

static nvimgcodecStatus_t mini_batch_size(nvimgcodecDecoder_t decoder, int *size)
{
    *size = engine_of(decoder)->plugin->cuda ? BATCH : 1;
    return NVIMGCODEC_STATUS_SUCCESS;
}

nvimgcodecDecoderDesc_t decoder_describe(Plugin *plugin)
{
    return (nvimgcodecDecoderDesc_t){.struct_type = NVIMGCODEC_STRUCTURE_TYPE_DECODER_DESC,
        .struct_size = sizeof(nvimgcodecDecoderDesc_t),
        .instance = plugin,
        .id = plugin->id,
        .codec = plugin->codec == KST_CODEC_JPEG ? "jpeg" : "jpeg2k",
        .backend_kind = plugin->cuda ? NVIMGCODEC_BACKEND_KIND_GPU_ONLY : NVIMGCODEC_BACKEND_KIND_CPU_ONLY,
        .create = create,
        .destroy = destroy,
        .getMetadata = get_metadata,
        .canDecode = can_decode,
        .decode = plugin->cuda ? NULL : decode,
        .decodeBatch = plugin->cuda ? decode_batch : NULL,
        .getMiniBatchSize = mini_batch_size};
}
