/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the arguments of decoding a single volume, and lets the codec of JPEG 2000 decode it. */
#include "run/volume.h"

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "run/volume_decoding.h"

static kst_status refuse(kst_report *to, kst_status status, const char *detail)
{
    kst_report own;
    kst_report_init(&own);
    kst_report_error(&own, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
    kst_report_copy(to, &own);
    return status;
}

static void write_info(const kst_volume_info *from, kst_volume_info *to)
{
    const size_t size = to->size;
    *to = *from;
    to->size = size;
}

/* Decode a volume separately, on the device that was chosen. */
static kst_status decode(struct volume_decoding *v)
{
    const struct codec *codec = v->decoder->codec;
    struct volume_decoding *only = v;
    if (!v->planned)
        return kst_volume_decoding_on_cpu(v);
    codec->end_volumes(codec->begin_volumes(&only, 1));
    return v->status;
}

static kst_status decode_to(struct volume_decoding *v, const kst_volume *described, kst_volume *volume)
{
    struct progress progress;
    if (!kst_progress_begin(&progress, v->options.progress))
        return kst_report_error(&v->decoder->report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
    v->progress = &progress;
    kst_status status = kst_volume_decoding_begin(v, described, volume);
    if (!status)
        status = decode(v);
    if (!status)
        kst_progress_end(&progress);
    return kst_volume_decoding_end(v, status);
}

static kst_status run(kst_decoder *decoder, const struct volume_request *request)
{
    struct volume_decoding v;
    kst_volume described;
    kst_volume_info info = {.size = sizeof info};
    kst_status status = kst_volume_decoding_describe(&v, decoder, request->options, &described, &info);
    if (status)
        return status;
    if (request->info)
        write_info(&info, request->info);
    if (request->samples)
        return decode_to(&v, &described, request->volume);
    if (request->volume)
        *request->volume = described;
    return KST_OK;
}

kst_status kst_volume_run_decode(
    kst_context *context, const void *data, size_t length, const struct volume_request *request, kst_report *report)
{
    kst_decoder decoder;
    const char *detail = NULL;
    if (!context || !data || (request->samples && !request->volume) ||
        (request->info && request->info->size < sizeof *request->info))
        return refuse(report, KST_ERROR_ARGUMENT, NULL);
    kst_status status = kst_volume_decoding_check(request->options, request->volume, &detail);
    if (status)
        return refuse(report, status, detail);
    kst_decoder_start(&decoder, context);
    status = kst_decoder_open(&decoder, data, length);
    if (!status)
        status = run(&decoder, request);
    kst_report_copy(report, &decoder.report);
    kst_decoder_close(&decoder);
    return status;
}
