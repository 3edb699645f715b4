/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the functions through which all other code decodes, encodes and transcodes JPEG 2000. */
#include "core/report.h"
#include "j2k/packets/output.h"
#include "j2k/run/decode.h"
#include "j2k/run/decode_parts.h"
#include "j2k/run/decode_volume_gpu.h"
#include "j2k/run/encode.h"
#include "j2k/run/transcode.h"
#include "j2k/syntax/elements.h"

static kst_status open_stream(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose)
{
    (void)purpose; /* the headers tell where packets end */
    return kst_j2k_run_open(decoder, data, length);
}

static void close_stream(kst_decoder *decoder)
{
    kst_j2k_run_kept_drop(decoder);
    kst_j2k_stream_release(&decoder->memory, &j2k_state(decoder)->stream);
    kst_memory_release(&decoder->memory, j2k_state(decoder)->more);
    kst_memory_release(&decoder->memory, j2k_state(decoder)->breaches);
    kst_memory_release(&decoder->memory, j2k_state(decoder)->claims);
}

static kst_status describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored)
{
    struct j2k_output output;
    kst_status status =
        kst_j2k_output_describe(&j2k_state(decoder)->stream, options, stored, j2k_state(decoder)->more, &output);
    if (status == KST_ERROR_IMAGE_DEPTH)
        return kst_j2k_run_refuse_depth(decoder, options);
    return status ? status : kst_j2k_run_check_enlarged(decoder, stored);
}

/* Parse the headers of the tile-parts that this decoding needs. Invalid options are left for describe() to report. */
static kst_status read_further(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    struct j2k_output output;
    kst_image described;
    if (kst_j2k_output_describe(
            &j2k_state(decoder)->stream, &d->options, &described, j2k_state(decoder)->more, &output))
        return KST_OK;
    return kst_j2k_run_open_further(decoder, &output.filter);
}

/*
 * Plan a picture for the GPU. If a multiple component transform makes its components, these are decoded there one step
 * later (kst_j2k_run_decode_made()), and the CPU makes pixels of them.
 */
static kst_status place(struct decoding *d)
{
    const bool made = j2k_state(d->decoder)->stream.multi.sample;
    const bool turned = d->orientation != 1 && d->image->format == KST_FORMAT_RAW; /* the CPU refuses it */
    enum j2k_fit fit = J2K_FITS_NOT;
    const kst_region all = {0, 0, d->image->width, d->image->height};
    kst_status status = made || turned ? KST_OK : kst_j2k_run_decode_gpu_plan(d, all, &fit);
    d->alone = fit == J2K_FITS_IN_SLABS;
    d->on_gpu = fit != J2K_FITS_NOT;
    return status;
}

static kst_status decode_on_cpu(struct decoding *d, const kst_image *image)
{
    return kst_j2k_run_decode(d->decoder, &d->options, image, &d->progress);
}

kst_status kst_j2k_run_decoding_settle(struct decoding *d, const struct j2k_gpu_damage *damage,
    const struct j2k_gpu_times *times, const struct gpu_error *error)
{
    if (error->status == KST_ERROR_DEVICE_FAILED)
        return kst_decoding_end(
            d, kst_report_error(&d->decoder->report, error->status, KST_NO_OFFSET, "%s", error->text));
    return kst_decoding_end(d, error->status ? error->status : kst_j2k_run_decode_gpu_report(d, damage, times));
}

static kst_status run_in_slabs(struct decoding *d)
{
    kst_status status;
    return kst_j2k_run_decode_gpu_slabs(d, &status) ? kst_decoding_end(d, status) : kst_decoding_run_on_cpu(d);
}

static kst_status run_on_gpu(struct decoding *d)
{
    struct j2k_gpu_damage damage;
    struct j2k_gpu_times times;
    struct gpu_error error;
    if (d->alone)
        return run_in_slabs(d);
    kst_j2k_run_decode_gpu_run(d, &damage, &times, &error);
    return kst_j2k_run_decoding_settle(d, &damage, &times, &error);
}

/* Accept every picture for a GPU. Planning finds out whether the GPU can code its blocks; if not, the CPU does. */
static bool takes_picture(struct encoding *e)
{
    (void)e;
    return true;
}

/* Choose the GPU for rows that a function provides. They are copied to pinned memory when they are needed. */
static kst_status place_rows(struct encoding *e, double seconds)
{
    e->gpu = kst_context_gpu_for(e->context, seconds, e->codec->encode_least);
    return KST_OK;
}

static bool next_element(kst_decoder *decoder, kst_element *element)
{
    return !kst_j2k_run_open_further(decoder, NULL) && kst_j2k_next_element(&j2k_state(decoder)->stream, element);
}

static bool profile_breach(kst_decoder *decoder, size_t index, char *text)
{
    return !kst_j2k_run_open_further(decoder, NULL) && kst_j2k_run_profile_breach(decoder, index, text);
}

static bool claim_breach(kst_decoder *decoder, size_t index, kst_breach *breach)
{
    return !kst_j2k_run_open_further(decoder, NULL) && kst_j2k_run_claim_breach(decoder, index, breach);
}

static const struct decode_parts parts = {.make = kst_j2k_run_parts_make,
    .release = kst_j2k_run_parts_release,
    .add = kst_j2k_run_parts_add,
    .run = kst_j2k_run_parts_run,
    .follow = kst_j2k_run_parts_follow,
    .done = kst_j2k_run_parts_done,
    .end = kst_j2k_run_parts_end};

const struct codec kst_j2k_run_codec = {.kind = KST_CODEC_JPEG2000,
    .decode_seconds = 8e-8,
    .decode_least = 10e-3, /* a GPU waits for the longest code-block */
    .recognises = kst_j2k_recognised,
    .state_size = sizeof(struct j2k_decoder),
    .open = open_stream,
    .close = close_stream,
    .describe = describe,
    .read_further = read_further,
    .place = place,
    .decode_on_cpu = decode_on_cpu,
    .decode_rows = kst_j2k_run_decode_rows,
    .run_on_gpu = run_on_gpu,
    .release = kst_j2k_run_decode_gpu_drop,
    .parts = &parts,
    .next_element = next_element,
    .profile_breach = profile_breach,
    .claim_breach = claim_breach,
    .describe_volume = kst_j2k_run_describe_volume,
    .find_blocks = kst_j2k_run_find_blocks,
    .decode_volume = kst_j2k_run_decode_volume,
    .place_volume = kst_j2k_run_volume_place,
    .begin_volumes = kst_j2k_run_volumes_begin,
    .end_volumes = kst_j2k_run_volumes_end,
    .release_volume = kst_j2k_run_volume_release,
    .encode_volumes = kst_j2k_run_encode_volumes,
    .encode_seconds = 2e-7, /* measured on an H200, which also waits for a picture's longest code-block */
    .encode_least = 14e-3,
    .plan_encoding = kst_j2k_run_encode_check,
    .takes_picture = takes_picture,
    .place_rows = place_rows,
    .encode = kst_j2k_run_encode,
    .encode_parts = &kst_j2k_run_encode_parts,
    .transcode = kst_j2k_run_transcode,
    .transcode_all = kst_j2k_run_transcode_all};
