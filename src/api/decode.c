/* SPDX-License-Identifier: BSD-2-Clause */
/* kst_decoder: one coded picture and what it decodes to. */
#include <string.h>

#include "api/info.h"
#include "api/jpeg_decode.h"
#include "core/context.h"
#include "core/report.h"
#include "image/allocate.h"
#include "image/orient.h"
#include "image/validate.h"
#include "jpeg/output.h"
#include "jpeg/parse.h"

struct kst_decoder {
    kst_context *context;
    struct memory memory; /* of the open stream and of the operation */
    bool open;
    struct jpeg_stream stream;
    struct jpeg_metadata metadata;
    kst_info info;
    kst_report parsed; /* what opening reported: every decoding starts from it */
    kst_report report;
};

void kst_decode_options_init(kst_decode_options *options)
{
    if (options)
        *options = (kst_decode_options){.size = sizeof *options, .alpha = 255};
}

static kst_status choose_options(const kst_decode_options *options, kst_decode_options *chosen)
{
    kst_decode_options_init(chosen);
    if (!options)
        return KST_OK;
    if (options->size != sizeof *options)
        return KST_ERROR_OPTIONS;
    *chosen = *options;
    return options->orient && options->format == KST_FORMAT_RAW ? KST_ERROR_OPTIONS : KST_OK;
}

kst_status kst_decoder_create(kst_context *context, kst_decoder **decoder)
{
    kst_status status = KST_OK;
    if (!context || !decoder)
        return KST_ERROR_ARGUMENT;
    *decoder = kst_memory_zeroed(&context->memory, 1, sizeof **decoder, &status);
    if (!*decoder)
        return status;
    (*decoder)->context = context;
    kst_memory_init(&(*decoder)->memory, &context->memory.allocator, context->limits.memory);
    kst_report_init(&(*decoder)->report);
    return KST_OK;
}

static void close_stream(kst_decoder *decoder)
{
    if (!decoder->open)
        return;
    kst_jpeg_metadata_release(&decoder->memory, &decoder->metadata);
    kst_jpeg_stream_release(&decoder->memory, &decoder->stream);
    decoder->open = false;
}

void kst_decoder_destroy(kst_decoder **decoder)
{
    if (!decoder || !*decoder)
        return;
    close_stream(*decoder);
    kst_memory_release(&(*decoder)->context->memory, *decoder);
    *decoder = NULL;
}

static void begin(kst_decoder *decoder, const kst_report *from)
{
    kst_report_init(&decoder->report);
    if (from)
        decoder->report = *from;
    memcpy(decoder->report.device, decoder->context->device, sizeof decoder->report.device);
    decoder->report.threads = 1;
}

static kst_status fail(kst_decoder *decoder, kst_status status)
{
    kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    kst_context_log(decoder->context, KST_LOG_ERROR, "decode: %s", decoder->report.message);
    return status;
}

kst_status kst_decoder_open(kst_decoder *decoder, const void *data, size_t length)
{
    if (!decoder)
        return KST_ERROR_ARGUMENT;
    close_stream(decoder);
    begin(decoder, NULL);
    if (!data && length > 0)
        return fail(decoder, KST_ERROR_ARGUMENT);
    double start = kst_seconds();
    const kst_limits *limits = &decoder->context->limits;
    kst_status status = kst_jpeg_parse(&decoder->memory, limits, data, length, &decoder->stream, &decoder->report);
    if (status)
        return fail(decoder, status);
    status = kst_jpeg_metadata_assemble(&decoder->memory, data, decoder->stream.application,
        decoder->stream.application_count, limits->metadata, false, &decoder->report, &decoder->metadata);
    if (status) {
        kst_jpeg_stream_release(&decoder->memory, &decoder->stream);
        return fail(decoder, status);
    }
    decoder->open = true;
    kst_jpeg_info(&decoder->stream, decoder->metadata.orientation, &decoder->info);
    kst_report_stage(&decoder->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    decoder->parsed = decoder->report;
    return KST_OK;
}

const kst_info *kst_decoder_info(const kst_decoder *decoder)
{
    return decoder && decoder->open ? &decoder->info : NULL;
}

const kst_metadata *kst_decoder_metadata(const kst_decoder *decoder, size_t index)
{
    return decoder && decoder->open && index < decoder->metadata.count ? &decoder->metadata.item[index] : NULL;
}

const kst_report *kst_decoder_report(const kst_decoder *decoder)
{
    return decoder ? &decoder->report : NULL;
}

static int orientation_of(const kst_decoder *decoder, const kst_decode_options *options)
{
    return options->orient ? decoder->metadata.orientation : 1;
}

static void swap_sides(kst_image *image)
{
    uint32_t width = image->width;
    image->width = image->height;
    image->height = width;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        ptrdiff_t pixel = plane->pitch / (ptrdiff_t)plane->width;
        plane->width = image->width;
        plane->height = image->height;
        plane->pitch = pixel * (ptrdiff_t)plane->width;
    }
}

/* The picture as it is stored, and as the caller gets it. */
static kst_status describe(
    const kst_decoder *decoder, const kst_decode_options *options, kst_image *stored, kst_image *image)
{
    kst_status status = kst_jpeg_output_describe(&decoder->stream.plan.frame, options, stored);
    if (status)
        return status;
    *image = *stored;
    if (kst_orientation_swaps(orientation_of(decoder, options)))
        swap_sides(image);
    return KST_OK;
}

kst_status kst_decoder_describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_decode_options chosen;
    kst_image stored;
    if (!decoder || !image)
        return KST_ERROR_ARGUMENT;
    begin(decoder, decoder->open ? &decoder->parsed : NULL);
    if (!decoder->open)
        return fail(decoder, KST_ERROR_STATE);
    kst_status status = choose_options(options, &chosen);
    if (!status)
        status = describe(decoder, &chosen, &stored, image);
    return status ? fail(decoder, status) : KST_OK;
}

/* Make or check the caller's image. */
static kst_status prepare(kst_decoder *decoder, const kst_image *wanted, kst_image *image, bool *made)
{
    *made = image->plane[0].data == NULL;
    if (*made) {
        *image = *wanted;
        return kst_image_make(&decoder->memory, image);
    }
    kst_status status = kst_image_check(image);
    return status ? status : kst_image_match(image, wanted);
}

static kst_status decode_upright(
    kst_decoder *decoder, const kst_decode_options *options, const kst_image *stored, const kst_image *image)
{
    int orientation = orientation_of(decoder, options);
    const struct jpeg_plan *plan = &decoder->stream.plan;
    if (orientation == 1)
        return kst_jpeg_decode(decoder->context, &decoder->memory, plan, options, image, &decoder->report);
    kst_image turned = *stored;
    kst_status status = kst_image_make(&decoder->memory, &turned);
    if (status)
        return status;
    status = kst_jpeg_decode(decoder->context, &decoder->memory, plan, options, &turned, &decoder->report);
    if (!status)
        status = kst_image_orient(&turned, image, orientation);
    kst_image_drop(&decoder->memory, &turned);
    return status;
}

static kst_status decode(kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_image stored, wanted;
    bool made = false;
    if (options->strict && decoder->report.warnings > 0)
        return kst_report_error(
            &decoder->report, decoder->report.first_warning, decoder->report.first_warning_offset, NULL);
    kst_status status = describe(decoder, options, &stored, &wanted);
    if (!status)
        status = prepare(decoder, &wanted, image, &made);
    if (status)
        return status;
    status = decode_upright(decoder, options, &stored, image);
    if (status && made)
        kst_image_drop(&decoder->memory, image);
    else if (made)
        kst_memory_hand_over(&decoder->memory, &decoder->context->memory, image->owned);
    return status;
}

kst_status kst_decoder_decode(kst_decoder *decoder, const kst_decode_options *options, kst_image *image)
{
    kst_decode_options chosen;
    if (!decoder || !image)
        return KST_ERROR_ARGUMENT;
    begin(decoder, decoder->open ? &decoder->parsed : NULL);
    if (!decoder->open)
        return fail(decoder, KST_ERROR_STATE);
    if (image->size != sizeof *image)
        return fail(decoder, KST_ERROR_OPTIONS);
    kst_status status = choose_options(options, &chosen);
    if (!status)
        status = decode(decoder, &chosen, image);
    if (status)
        return fail(decoder, status);
    if (decoder->report.warnings > 0)
        kst_context_log(decoder->context, KST_LOG_WARNING, "decode: %s", decoder->report.message);
    return KST_OK;
}

kst_status kst_decode(kst_context *context, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report)
{
    kst_decoder *decoder;
    kst_status status = context && image ? kst_decoder_create(context, &decoder) : KST_ERROR_ARGUMENT;
    if (status) {
        kst_report failed;
        kst_report_init(&failed);
        kst_report_error(&failed, status, KST_NO_OFFSET, NULL);
        kst_report_copy(report, &failed);
        return status;
    }
    status = kst_decoder_open(decoder, data, length);
    if (!status)
        status = kst_decoder_decode(decoder, options, image);
    kst_report_copy(report, &decoder->report);
    kst_decoder_destroy(&decoder);
    return status;
}

struct batch {
    kst_context *context;
    kst_decode_item *item;
};

static void decode_item(void *arg, uint32_t index)
{
    struct batch *batch = arg;
    kst_decode_item *item = &batch->item[index];
    kst_report_init(&item->report);
    kst_status status = kst_decode(batch->context, item->data, item->length, item->options, item->image, &item->report);
    if (status && item->report.status == KST_OK)
        kst_report_error(&item->report, status, KST_NO_OFFSET, NULL);
}

kst_status kst_decode_batch(kst_context *context, kst_decode_item *items, size_t count)
{
    struct batch batch = {.context = context, .item = items};
    if (!context || (!items && count > 0) || count > UINT32_MAX)
        return KST_ERROR_ARGUMENT;
    kst_pool_run(context->pool, (uint32_t)count, decode_item, &batch);
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
