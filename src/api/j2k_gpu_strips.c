/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEG 2000 that take more memory than there is: strips of them, one after the other. */
#include "api/decoding.h"
#include "core/report.h"

/*
 * A strip less high than code-blocks as a rule are would have most of them decoded again and again. The blocks at its
 * edges are, and synthesis takes a few rows more, so that half of what fits is the first try.
 */
enum { LEAST_ROWS = 64 };

/* What is planned, on the device; and then nothing is planned. */
static kst_status run(struct decoding *d, bool *damaged)
{
    struct j2k_gpu_damage damage;
    struct j2k_gpu_times times;
    struct gpu_error error;
    kst_j2k_gpu_run(d, &damage, &times, &error);
    kst_j2k_gpu_drop(d);
    *damaged = damage.blocks > 0;
    if (error.status)
        return kst_report_error(&d->decoder->report, error.status, KST_NO_OFFSET, "%s", error.text);
    return *damaged ? KST_OK : kst_j2k_gpu_report(d, &damage, &times);
}

bool kst_j2k_gpu_strips(struct decoding *d, kst_status *status)
{
    kst_report *report = &d->decoder->report;
    const kst_report before = *report;
    struct j2k_rows rows = {.first = 0, .count = d->image->height / 2};
    bool good = true;
    *status = KST_OK;
    kst_progress_stage(&d->progress, d->image->height, 1);
    while (good && *status == KST_OK && rows.first < d->image->height) {
        enum j2k_fit fit;
        bool damaged = false;
        uint32_t left = d->image->height - rows.first;
        rows.count = rows.count < left ? rows.count : left;
        *status = kst_j2k_gpu_plan(d, rows, &fit);
        if (*status == KST_OK && fit == J2K_FITS_IN_STRIPS && rows.count >= 2 * LEAST_ROWS) {
            rows.count /= 2;
            continue;
        }
        good = fit == J2K_FITS;
        if (good && *status == KST_OK)
            *status = run(d, &damaged);
        good = good && !damaged && report->warnings == before.warnings;
        rows.first += rows.count;
        if (good && !*status && !kst_progress_add(&d->progress, rows.count))
            *status = kst_report_error(report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
    }
    if (!good && *status == KST_OK)
        *report = before;
    return good || *status != KST_OK;
}
