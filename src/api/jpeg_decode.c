/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/jpeg_decode.h"

#include "core/report.h"
#include "cpu/jpeg_decode.h"
#include "gpu/jpeg_decode.h"

static void report_times(kst_report *report, kst_device_kind device, const struct jpeg_gpu_times *times)
{
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = times->upload,
        [KST_STAGE_ENTROPY] = times->entropy,
        [KST_STAGE_PIXELS] = times->pixels,
        [KST_STAGE_DOWNLOAD] = times->download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_ENTROPY, KST_STAGE_PIXELS, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = device;
        report->stage_seconds[stages[i]] += seconds[stages[i]];
    }
}

static kst_status decode_on_gpu(
    struct kst_context *context, const struct jpeg_gpu_item *item, bool *damaged, kst_report *report)
{
    struct jpeg_gpu_damage damage;
    struct jpeg_gpu_times times;
    struct gpu_error error;
    kst_status status = kst_gpu_jpeg_decode(context->gpu, item, 1, false, &damage, &times, &error);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, "%s", error.text);
    report_times(report, context->gpu->gpu->info.kind, &times);
    const struct jpeg_scan *scan = item->plan->scan;
    *damaged =
        damage.ended > 0 || damage.invalid > 0 || damage.surplus > 0 || scan->segment_count < scan->interval_count;
    return KST_OK;
}

kst_status kst_jpeg_decode(struct kst_context *context, struct memory *memory, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image, kst_report *report)
{
    struct jpeg_gpu_item item = {.plan = plan};
    bool damaged = false;
    if (context->gpu)
        kst_jpeg_output_plan(&item.output, &plan->frame, options, image);
    if (!context->gpu || !kst_gpu_jpeg_supports(&item))
        return kst_jpeg_cpu_decode(context, memory, plan, options, image, report);
    kst_status status = decode_on_gpu(context, &item, &damaged, report);
    /* The device tells that there is damage; where the first of it is, reading once more does. */
    if (!status && damaged)
        status = kst_jpeg_cpu_damage(context, memory, plan, options, image, report);
    return status;
}
