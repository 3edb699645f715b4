/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/jpeg_encode.h"

#include "api/device.h"
#include "core/report.h"
#include "gpu/jpeg_encode.h"

static void report_time(kst_report *report, kst_stage stage, kst_device_kind device, double seconds)
{
    report->stage_device[stage] = device;
    report->stage_seconds[stage] += seconds;
}

static kst_status encode_on_gpu(struct gpu_executor *gpu, const struct jpeg_encode_item *item, kst_report *report)
{
    struct jpeg_encode_times times;
    struct gpu_error error;
    kst_status status = kst_gpu_jpeg_encode(gpu, item, 1, false, &times, &error);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, "%s", error.text);
    kst_device_kind kind = gpu->gpu->info.kind;
    report_time(report, KST_STAGE_UPLOAD, kind, times.upload);
    report_time(report, KST_STAGE_PIXELS, kind, times.coding);
    report_time(report, KST_STAGE_DOWNLOAD, kind, times.download);
    return item->sink->status;
}

kst_status kst_jpeg_encode(struct kst_context *context, struct memory *memory, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink, kst_report *report)
{
    const struct jpeg_encode_item item = {.encoding = encoding, .image = sampler->image, .sink = sink};
    struct gpu_executor *gpu = kst_context_gpu(context);
    if (gpu && kst_gpu_jpeg_encodes(&item))
        return encode_on_gpu(gpu, &item, report);
    const struct jpeg_encode_context on_cpu = {
        .pool = context->pool, .memory = memory, .tier = context->tier, .report = report};
    return kst_jpeg_write_picture(&on_cpu, encoding, sampler, sink);
}
