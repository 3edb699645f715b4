/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of libkostka_filters. */
#include "core/context.h"
#include "core/report.h"
#include "filters/batch.h"
#include "filters/cpu/kinds.h"
#include "filters/lines.h"
#include "filters/planes.h"
#include "image/format.h"

uint32_t kst_filter_count(void)
{
    uint32_t count;
    kst_filter_kinds(&count);
    return count;
}

kst_status kst_filter_get(uint32_t index, kst_filter_info *info)
{
    uint32_t count;
    const struct filter_kind *const *kinds = kst_filter_kinds(&count);
    if (!info || info->size < sizeof *info || index >= count)
        return KST_ERROR_ARGUMENT;
    const struct filter_kind *kind = kinds[index];
    *info = (kst_filter_info){info->size, kind->name, kind->summary, kst_filter_parameter_count(kind), kind->parameter};
    return KST_OK;
}

static void close_steps(kst_filter *filter)
{
    for (uint32_t i = 0; i < filter->count; i++)
        if (filter->step[i].data)
            kst_filter_data_of(filter->step[i].kind)->close(&filter->context->memory, filter->step[i].data);
    kst_memory_release(&filter->context->memory, filter);
}

/*
 * Make the data that filters keep, some of which are read from files. If that fails, *offset receives the place of the
 * failing path in the chain.
 */
static kst_status open_data(kst_filter *filter, const char *chain, char reason[FILTER_REASON], size_t *offset)
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < filter->count && !status; i++) {
        struct filter_step *step = &filter->step[i];
        const struct filter_data *data = kst_filter_data_of(step->kind);
        if (data)
            status = data->open(&filter->context->memory, step->value, &step->data, reason);
        for (uint32_t k = 0; status && k < FILTER_PARAMETERS_MAX; k++)
            if (step->value[k].text)
                *offset = (size_t)(step->value[k].text - chain);
    }
    return status;
}

static kst_status open_chain(kst_context *context, const char *chain, kst_filter **filter, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    size_t offset = 0;
    kst_status status = KST_OK;
    kst_filter *made = kst_memory_zeroed(&context->memory, 1, sizeof *made, &status);
    if (!made)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    made->context = context;
    status = kst_filter_parse(chain, made->step, &made->count, reason, &offset);
    if (!status)
        status = open_data(made, chain, reason, &offset);
    if (status) {
        close_steps(made);
        return kst_report_error(report, status, offset, reason[0] ? "%s" : NULL, reason);
    }
    *filter = made;
    return KST_OK;
}

kst_status kst_filter_open(kst_context *context, const char *chain, kst_filter **filter, kst_report *report)
{
    kst_report own;
    if (filter)
        *filter = NULL;
    if (!context || !chain || !filter)
        return KST_ERROR_ARGUMENT;
    kst_report_init(&own);
    kst_status status = open_chain(context, chain, filter, &own);
    kst_report_copy(report, &own);
    return status;
}

void kst_filter_close(kst_filter **filter)
{
    if (!filter || !*filter)
        return;
    close_steps(*filter);
    *filter = NULL;
}

kst_status kst_filter_describe(const kst_filter *filter, const kst_image *from, kst_image *to, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    kst_report own;
    if (!filter || !from || !to)
        return KST_ERROR_ARGUMENT;
    kst_report_init(&own);
    kst_status status = kst_filter_shape_after(filter, filter->count, from, to, reason);
    if (!status && kst_pixel_layout(from->format)->planes)
        kst_filter_planes_describe(to);
    if (status)
        kst_report_error(&own, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason);
    kst_report_copy(report, &own);
    return status;
}

kst_status kst_filter_run(const kst_filter *filter, const kst_image *from, kst_image *to, kst_report *report)
{
    kst_filter_item item = {.from = from, .to = to};
    if (!filter)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_filter_apply_all(filter, &item, 1, NULL);
    kst_report_copy(report, &item.report);
    return status;
}

kst_status kst_filter_batch(const kst_filter *filter, kst_filter_item *items, size_t count)
{
    if (!filter || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_filter_apply_all(filter, items, count, NULL);
}

kst_status kst_filter_queue(const kst_filter *filter, kst_filter_item *items, size_t count, const kst_stream *stream)
{
    struct entered_stream entered;
    if (!filter || (!items && count > 0) || !stream)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_stream_enter(filter->context, stream, &entered);
    if (!status)
        status = kst_filter_apply_all(filter, items, count, &entered);
    kst_stream_leave(&entered);
    return status;
}

kst_status kst_filter_segments(
    const kst_filter *filter, const kst_image *from, kst_segments *segments, kst_report *report)
{
    kst_report own;
    if (segments)
        *segments = (kst_segments){.segment = NULL};
    if (!filter || !from || !segments || filter->step[filter->count - 1].kind != &kst_filter_lines)
        return KST_ERROR_ARGUMENT;
    kst_report_init(&own);
    kst_status status = kst_filter_lines_list(filter, from, segments, &own);
    if (status && !own.status)
        kst_report_error(&own, status, KST_NO_OFFSET, NULL);
    kst_report_copy(report, &own);
    return status;
}

void kst_filter_segments_release(kst_context *context, kst_segments *segments)
{
    if (!context || !segments)
        return;
    kst_memory_release(&context->memory, segments->segment);
    *segments = (kst_segments){.segment = NULL};
}
