/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Begins and ends the decoding of a volume: checks arguments, checks or allocates the caller's buffer, and chooses the
 * device.
 */
#include "run/volume_decoding.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "run/volume_memory.h"

static kst_status fail(kst_decoder *decoder, kst_status status, const char *detail)
{
    return kst_report_error(&decoder->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

kst_status kst_volume_decoding_check(
    const kst_volume_decode_options *options, const kst_volume *volume, const char **detail)
{
    *detail = NULL;
    if (volume && volume->size < sizeof *volume)
        return KST_ERROR_ARGUMENT;
    if (!options || (options->size == sizeof *options && kst_progress_is_fine(options->progress)))
        return KST_OK;
    *detail = "not set up by kst_volume_decode_options_init()";
    return KST_ERROR_OPTIONS;
}

static bool are_fine(const kst_volume_decode_options *options)
{
    return (options->sample == KST_SAMPLE_INTEGER || options->sample == KST_SAMPLE_FLOAT32) &&
           isfinite(options->scale) && isfinite(options->offset);
}

kst_status kst_volume_decoding_describe(struct volume_decoding *v, kst_decoder *decoder,
    const kst_volume_decode_options *options, kst_volume *described, kst_volume_info *info)
{
    *v = (struct volume_decoding){.decoder = decoder};
    kst_volume_decode_options_init(&v->options);
    if (options)
        v->options = *options;
    if (!are_fine(&v->options))
        return fail(decoder, KST_ERROR_OPTIONS, "a type of samples, or a scale or offset that is not finite");
    if (!decoder->codec->decode_volume)
        return fail(decoder, KST_ERROR_SIGNATURE, "volumes are JPEG 2000");
    kst_decoder_begin(decoder, &decoder->parsed);
    kst_volume_init(described);
    kst_status status = decoder->codec->describe_volume(decoder, &v->options, described, info);
    described->sample = v->options.sample;
    return status ? fail(decoder, status, NULL) : KST_OK;
}

/* Allocate the volume that decoding makes, in the kind of memory that the caller's description names. */
static kst_status make_volume(struct volume_decoding *v, const kst_volume *described)
{
    kst_decoder *decoder = v->decoder;
    char message[VOLUME_MESSAGE] = "";
    *v->volume = *described;
    v->volume->memory = v->before.memory;
    kst_status status = kst_volume_make_in(decoder->context, &decoder->memory, v->volume, message);
    v->made = !status;
    if (!status)
        return KST_OK;
    *v->volume = v->before;
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
    if (volume->sample != described->sample)
        return fail(v->decoder, KST_ERROR_IMAGE_SAMPLE, "the volume's");
    return KST_OK;
}

/* Choose the device, and find out how it reaches the volume. */
static kst_status choose_device(struct volume_decoding *v)
{
    kst_decoder *decoder = v->decoder;
    const bool device = kst_memory_is_device(v->volume->memory);
    const double seconds = (double)decoder->info.entropy_bytes * decoder->codec->decode_seconds;
    const double all = fmax(seconds, (double)v->together * decoder->codec->decode_seconds);
    struct gpu_error error = {.status = KST_OK};
    v->gpu = device ? kst_context_gpu(decoder->context)
                    : kst_context_gpu_for_part(decoder->context, seconds, all, decoder->codec->decode_least);
    if (!v->gpu)
        return device ? fail(decoder, KST_ERROR_IMAGE_MEMORY, "the context works on the CPU") : KST_OK;
    return kst_volume_target(v->gpu, v->volume, &v->target, &error) ? KST_OK : fail(decoder, error.status, error.text);
}

/* Describes a volume in host memory whose integers are converted to floating-point numbers. */
struct volume_numbers {
    const kst_volume *volume;
    float scale, offset;
};

static void make_numbers_of_slice(void *argument, uint32_t z)
{
    const struct volume_numbers *n = argument;
    const kst_volume *v = n->volume;
    for (uint32_t y = 0; y < v->height; y++) {
        uint8_t *row = (uint8_t *)v->data + z * v->slice_pitch + y * v->pitch;
        const int32_t *from = (const int32_t *)(const void *)row;
        float *to = (float *)(void *)row;
        for (uint32_t x = 0; x < v->width; x++) {
            int32_t integer;
            memcpy(&integer, &from[x], sizeof integer);
            const float number = (float)integer * n->scale + n->offset;
            memcpy(&to[x], &number, sizeof number);
        }
    }
}

/* Decode on the CPU to host memory. Integers of four bytes are converted to floating-point numbers in place. */
static kst_status decode_on_host(struct volume_decoding *v, const kst_volume *host)
{
    kst_decoder *decoder = v->decoder;
    kst_status status = decoder->codec->decode_volume(decoder, &v->options, host, v->progress);
    struct volume_numbers numbers = {host, v->options.scale, v->options.offset};
    if (!status && host->sample == KST_SAMPLE_FLOAT32)
        kst_pool_run(decoder->context->pool, host->depth, make_numbers_of_slice, &numbers);
    return status;
}

/* Decode to host memory and copy the volume to the device. */
static kst_status decode_to_device(struct volume_decoding *v)
{
    kst_decoder *decoder = v->decoder;
    kst_volume host = *v->volume;
    host.memory = KST_MEMORY_HOST;
    host.pitch = host.slice_pitch = 0;
    kst_status status = kst_volume_make(&decoder->memory, &host);
    if (status)
        return fail(decoder, status, NULL);
    status = decode_on_host(v, &host);
    if (!status)
        status = kst_volume_transfer(v->gpu, v->volume, &v->target.image, &host, true, &decoder->report);
    kst_memory_release(&decoder->memory, host.owned);
    return status;
}

kst_status kst_volume_decoding_on_cpu(struct volume_decoding *v)
{
    if (kst_memory_is_device(v->volume->memory))
        return decode_to_device(v);
    return decode_on_host(v, v->volume);
}

kst_status kst_volume_decoding_begin(struct volume_decoding *v, const kst_volume *described, kst_volume *volume)
{
    v->volume = volume;
    v->before = *volume;
    kst_status status = settle_volume(v, described);
    if (!status)
        status = choose_device(v);
    return status || !v->gpu ? status : v->decoder->codec->place_volume(v);
}

kst_status kst_volume_decoding_end(struct volume_decoding *v, kst_status status)
{
    kst_decoder *decoder = v->decoder;
    if (v->planned)
        decoder->codec->release_volume(v);
    if (!status && v->made)
        kst_volume_keep(decoder->context, &decoder->memory, v->volume);
    if (!status || !v->made)
        return status;
    kst_volume_drop_in(decoder->context, &decoder->memory, v->volume);
    *v->volume = v->before;
    return status;
}
