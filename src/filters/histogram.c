/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kst_filter_histogram(), by a chain of one filter that chains given as text cannot contain. */
#include "core/context.h"
#include "core/report.h"
#include "filters/batch.h"
#include "filters/cpu/kinds.h"
#include "image/format.h"

kst_status kst_filter_histogram(
    kst_context *context, const kst_image *image, uint32_t *counts, size_t room, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    kst_image to;
    kst_report own;
    if (!context || !image || !counts)
        return KST_ERROR_ARGUMENT;
    kst_report_init(&own);
    const kst_filter filter = {.context = context, .count = 1, .step = {{.kind = &kst_filter_histogram_kind}}};
    kst_status status = kst_filter_shape_after(&filter, 1, image, &to, reason);
    if (!status && room < (size_t)to.width / sizeof *counts * to.height)
        status = KST_ERROR_ARGUMENT;
    if (status) {
        kst_report_error(&own, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason);
        kst_report_copy(report, &own);
        return status;
    }
    to.plane[0].data = counts;
    kst_filter_item item = {.from = image, .to = &to};
    status = kst_filter_apply_all(&filter, &item, 1, NULL);
    kst_report_copy(report, &item.report);
    return status;
}
