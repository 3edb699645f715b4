/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks volumes that are to be encoded, chooses the device, and lets the codec of JPEG 2000 encode them. */
#include "run/volume_encoding.h"

#include <math.h>

#include "core/report.h"
#include "image/location.h"
#include "image/volume.h"
#include "run/codec.h"
#include "run/volume.h"
#include "run/volume_memory.h"

enum { MOST_AT_ONCE = 4096 /* volumes that are checked at once; each takes a few kilobytes while it is encoded */ };

static void refuse(struct volume_encoding *v, kst_status status, const char *detail)
{
    kst_report_error(&v->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

/*
 * Return whether scale, offset and error are usable. The scale and 1 ÷ scale must be normal numbers: where a processor
 * or device takes subnormal numbers for 0, the product of 0 and a difference that overflows would be NaN, from which no
 * integer could be made.
 */
static bool is_fine(const kst_volume_options *options)
{
    static const float least = 0x1p-126F;
    return options->scale >= least && options->scale <= 1 / least && isfinite(options->offset) &&
           isfinite(options->error) && options->error >= 0;
}

/* Check an item to encode. An error is set in the report. */
static void check(struct volume_encoding *v, kst_volume_encode_item *item)
{
    uint64_t bytes;
    v->output = &item->output;
    kst_report_init(&v->report);
    kst_volume_options_init(&v->options);
    if (!item->volume || item->volume->size < sizeof *item->volume || !item->volume->data) {
        refuse(v, KST_ERROR_ARGUMENT, NULL);
        return;
    }
    if (item->options && item->options->size != sizeof *item->options) {
        refuse(v, KST_ERROR_OPTIONS, "not set up by kst_volume_options_init()");
        return;
    }
    if (item->options)
        v->options = *item->options;
    v->volume = *item->volume;
    const kst_status status = kst_volume_check(&v->volume, &bytes);
    if (status)
        refuse(v, status, NULL);
    else if (!is_fine(&v->options))
        refuse(v, KST_ERROR_OPTIONS, "a scale, offset or error of samples");
}

/* Find the place of a volume in device memory, which must be that of the context's GPU. */
static void find(struct volume_encoding *v)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_target target;
    v->gpu = kst_context_gpu(v->context);
    if (!v->gpu)
        refuse(v, KST_ERROR_IMAGE_MEMORY, "the context works on the CPU");
    else if (kst_volume_target(v->gpu, &v->volume, &target, &error))
        v->image = target.image;
    else
        refuse(v, error.status, error.text);
}

/*
 * Encode the volumes that passed the checks. Those in host memory go to a GPU together or not at all: the time that all
 * volumes would take one thread of the CPU decides.
 */
static void encode(kst_context *context, struct volume_encoding *list, uint32_t count)
{
    const struct codec *codec = kst_codec_named(KST_CODEC_JPEG2000);
    struct gpu_runtime *gpu = NULL;
    double samples = 0;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].report.status)
            continue;
        samples += (double)list[i].volume.width * list[i].volume.height * list[i].volume.depth;
        any = any || !kst_memory_is_device(list[i].volume.memory);
    }
    if (any)
        gpu = kst_context_gpu_for(context, samples * codec->encode_seconds, codec->encode_least);
    for (uint32_t i = 0; i < count; i++) {
        list[i].gpu = gpu;
        if (!list[i].report.status && kst_memory_is_device(list[i].volume.memory))
            find(&list[i]);
    }
    codec->encode_volumes(list, count);
}

/* Encode some volumes at once. Returns the first status that is an error. */
static kst_status encode_some(
    kst_context *context, struct volume_encoding *list, kst_volume_encode_item *items, uint32_t count)
{
    kst_status first = KST_OK;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct volume_encoding){.context = context};
        check(&list[i], &items[i]);
    }
    encode(context, list, count);
    for (uint32_t i = 0; i < count; i++) {
        items[i].report = list[i].report;
        first = first ? first : list[i].report.status;
    }
    return first;
}

kst_status kst_volume_run_encode_all(kst_context *context, kst_volume_encode_item *items, size_t count)
{
    const size_t most = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
    kst_status first = KST_OK;
    if (count == 0)
        return KST_OK;
    struct volume_encoding *list = kst_memory_array(&context->memory, most, sizeof *list, &first);
    for (size_t done = 0; done < count && list; done += most) {
        const uint32_t some = (uint32_t)(count - done < most ? count - done : most);
        const kst_status status = encode_some(context, list, items + done, some);
        first = first ? first : status;
    }
    for (size_t i = 0; i < count && !list; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, first, KST_NO_OFFSET, NULL);
    }
    kst_memory_release(&context->memory, list);
    return first;
}

kst_status kst_volume_run_encode(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report)
{
    kst_volume_encode_item item = {.volume = volume, .options = options};
    if (!context || !volume || !output) {
        kst_report_init(&item.report);
        kst_report_error(&item.report, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
    } else {
        item.output = *output;
        kst_volume_run_encode_all(context, &item, 1);
        *output = item.output;
    }
    kst_report_copy(report, &item.report);
    return item.report.status;
}
