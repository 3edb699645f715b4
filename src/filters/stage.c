/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a stage of a flow from a chain, which then runs in the contexts of all devices. */
#include "core/report.h"
#include "filters/batch.h"

static kst_status describe(void *user, const kst_image *from, kst_image *to)
{
    return kst_filter_describe(user, from, to, NULL);
}

static void fail_all(kst_flow_image *images, size_t count, kst_status status)
{
    for (size_t i = 0; i < count; i++) {
        kst_report_init(&images[i].report);
        kst_report_error(&images[i].report, status, KST_NO_OFFSET, NULL);
    }
}

static kst_status run(void *user, kst_context *context, kst_flow_image *images, size_t count)
{
    kst_filter filter = *(const kst_filter *)user;
    kst_status status = KST_OK;
    kst_filter_item *items = kst_memory_array(&context->memory, count, sizeof *items, &status);
    if (!items) {
        fail_all(images, count, status);
        return status;
    }
    filter.context = context;
    for (size_t i = 0; i < count; i++)
        items[i] = (kst_filter_item){.from = images[i].from, .to = images[i].to};
    status = kst_filter_apply_all(&filter, items, count, NULL);
    for (size_t i = 0; i < count; i++)
        images[i].report = items[i].report;
    kst_memory_release(&context->memory, items);
    return status;
}

kst_status kst_filter_stage(const kst_filter *filter, kst_flow_stage *stage)
{
    if (!filter || !stage || stage->size < sizeof *stage)
        return KST_ERROR_ARGUMENT;
    *stage = (kst_flow_stage){stage->size, describe, run, (void *)(uintptr_t)filter};
    return KST_OK;
}
