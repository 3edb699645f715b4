/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the arguments of operations on volumes, and lets the codec of JPEG 2000 carry them out. */
#include "run/volume.h"

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "run/encoding.h"
#include "run/volume_decoding.h"
#include "run/volume_memory.h"

static kst_status refuse(kst_report *to, kst_status status, const char *detail)
{
    kst_report own;
    kst_report_init(&own);
    kst_report_error(&own, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
    kst_report_copy(to, &own);
    return status;
}

static kst_status fail(kst_decoder *decoder, kst_status status, const char *detail)
{
    return kst_report_error(&decoder->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static void write_info(const kst_volume_info *from, kst_volume_info *to)
{
    const size_t size = to->size;
    *to = *from;
    to->size = size;
}

/* Allocate the volume that decoding makes, in the kind of memory that the caller's description names. */
static kst_status make_volume(struct volume_decoding *v, const kst_volume *described)
{
    kst_decoder *decoder = v->decoder;
    const kst_volume before = *v->volume;
    char message[VOLUME_MESSAGE] = "";
    *v->volume = *described;
    v->volume->memory = before.memory;
    kst_status status = kst_volume_make_in(decoder->context, &decoder->memory, v->volume, message);
    v->made = !status;
    if (!status)
        return KST_OK;
    *v->volume = before;
    return fail(decoder, status, message[0] ? message : NULL);
}

/* Check a caller's volume against the one that decoding makes, or allocate it. */
static kst_status settle_volume(struct volume_decoding *v, const kst_volume *described)
{
    kst_volume *volume = v->volume;
    uint64_t bytes;
    if (!volume->data)
        return make_volume(v, described);
    kst_status status = kst_volume_check(volume, &bytes);
    if (status)
        return fail(v->decoder, status, NULL);
    if (volume->width != described->width || volume->height != described->height || volume->depth != described->depth)
        return fail(v->decoder, KST_ERROR_IMAGE_SIZE, "the volume's");
    if (volume->bits != described->bits || volume->is_signed != described->is_signed)
        return fail(v->decoder, KST_ERROR_IMAGE_DEPTH, "the volume's");
    return KST_OK;
}

/* Choose the device, and find out where the volume lies as seen from it. */
static kst_status choose_device(struct volume_decoding *v)
{
    kst_decoder *decoder = v->decoder;
    const bool device = kst_memory_is_device(v->volume->memory);
    const double seconds = (double)decoder->info.entropy_bytes * decoder->codec->decode_seconds;
    struct gpu_error error = {.status = KST_OK};
    v->gpu = device ? kst_context_gpu(decoder->context)
                    : kst_context_gpu_for(decoder->context, seconds, decoder->codec->decode_least);
    if (!v->gpu)
        return device ? fail(decoder, KST_ERROR_IMAGE_MEMORY, "the context works on the CPU") : KST_OK;
    return kst_volume_target(v->gpu, v->volume, &v->target, &error) ? KST_OK : fail(decoder, error.status, error.text);
}

/* Decode to host memory and copy that to the device. */
static kst_status decode_to_device(struct volume_decoding *v)
{
    kst_decoder *decoder = v->decoder;
    kst_volume host = *v->volume;
    host.memory = KST_MEMORY_HOST;
    host.pitch = host.slice_pitch = 0;
    kst_status status = kst_volume_make(&decoder->memory, &host);
    if (status)
        return fail(decoder, status, NULL);
    status = decoder->codec->decode_volume(decoder, &v->options, &host, v->progress);
    if (!status)
        status = kst_volume_transfer(v->gpu, v->volume, &v->target.image, &host, true, &decoder->report);
    kst_memory_release(&decoder->memory, host.owned);
    return status;
}

static kst_status decode_on_cpu(struct volume_decoding *v)
{
    if (kst_memory_is_device(v->volume->memory))
        return decode_to_device(v);
    return v->decoder->codec->decode_volume(v->decoder, &v->options, v->volume, v->progress);
}

static kst_status decode(struct volume_decoding *v)
{
    const struct codec *codec = v->decoder->codec;
    kst_status status = choose_device(v);
    if (!status && v->gpu)
        status = codec->place_volume(v);
    if (status || !v->planned)
        return status ? status : decode_on_cpu(v);
    codec->end_volumes(codec->begin_volumes(v, 1));
    codec->release_volume(v);
    return v->status;
}

/* Keep the volume's buffer, or undo what was made. */
static void end_volume(struct volume_decoding *v, const kst_volume *before, kst_status status)
{
    kst_decoder *decoder = v->decoder;
    if (!status && v->made)
        kst_volume_keep(decoder->context, &decoder->memory, v->volume);
    if (!status || !v->made)
        return;
    kst_volume_drop_in(decoder->context, &decoder->memory, v->volume);
    *v->volume = *before;
}

static kst_status decode_to(struct volume_decoding *v, const kst_volume *described)
{
    struct progress progress;
    const kst_volume before = *v->volume;
    if (!kst_progress_begin(&progress, v->options.progress))
        return fail(v->decoder, KST_ERROR_CANCELLED, NULL);
    v->progress = &progress;
    kst_status status = settle_volume(v, described);
    if (!status)
        status = decode(v);
    if (!status)
        kst_progress_end(&progress);
    end_volume(v, &before, status);
    return status;
}

static kst_status run(kst_decoder *decoder, const struct volume_request *request)
{
    struct volume_decoding v = {.decoder = decoder, .volume = request->volume};
    kst_volume described;
    kst_volume_info info = {.size = sizeof info};
    kst_volume_decode_options_init(&v.options);
    if (request->options)
        v.options = *request->options;
    if (!decoder->codec->decode_volume)
        return fail(decoder, KST_ERROR_SIGNATURE, "volumes are JPEG 2000");
    kst_decoder_begin(decoder, &decoder->parsed);
    kst_volume_init(&described);
    kst_status status = decoder->codec->describe_volume(decoder, &v.options, &described, &info);
    if (status)
        return fail(decoder, status, NULL);
    if (request->info)
        write_info(&info, request->info);
    if (request->samples)
        return decode_to(&v, &described);
    if (request->volume)
        *request->volume = described;
    return KST_OK;
}

kst_status kst_volume_run_decode(
    kst_context *context, const void *data, size_t length, const struct volume_request *request, kst_report *report)
{
    const kst_volume_decode_options *o = request->options;
    kst_decoder decoder;
    if (!context || !data || (request->volume && request->volume->size < sizeof *request->volume) ||
        (request->samples && !request->volume) || (request->info && request->info->size < sizeof *request->info))
        return refuse(report, KST_ERROR_ARGUMENT, NULL);
    if (o && (o->size != sizeof *o || !kst_progress_is_fine(o->progress)))
        return refuse(report, KST_ERROR_OPTIONS, "not set up by kst_volume_decode_options_init()");
    kst_decoder_start(&decoder, context);
    kst_status status = kst_decoder_open(&decoder, data, length);
    if (!status)
        status = run(&decoder, request);
    kst_report_copy(report, &decoder.report);
    kst_decoder_close(&decoder);
    return status;
}

kst_status kst_volume_run_encode(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report)
{
    kst_volume_options own;
    kst_report made;
    uint64_t bytes;
    if (!context || !volume || volume->size < sizeof *volume || !volume->data || !output)
        return refuse(report, KST_ERROR_ARGUMENT, NULL);
    kst_volume_options_init(&own);
    if (options && options->size != sizeof *options)
        return refuse(report, KST_ERROR_OPTIONS, "not set up by kst_volume_options_init()");
    if (options)
        own = *options;
    kst_volume copy = *volume;
    kst_status status = kst_volume_check(&copy, &bytes);
    if (status)
        return refuse(report, status, NULL);
    if (kst_memory_is_device(copy.memory))
        return refuse(report, KST_ERROR_IMAGE_MEMORY, "volumes are encoded from host memory");
    kst_report_init(&made);
    status = kst_codec_named(KST_CODEC_JPEG2000)->encode_volume(context, &copy, &own, output, &made);
    kst_report_copy(report, &made);
    return status;
}
