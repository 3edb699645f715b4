/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a reader for every scan of the plan, reads all of them into the coefficients and reports their damage. */
#include "jpeg/cpu/coefficients.h"

#include "core/report.h"
#include "jpeg/cpu/entropy/scans.h"

static kst_status conclude(
    const struct jpeg_scans *scans, struct jpeg_coefficients *coefficients, bool strict, kst_report *report)
{
    coefficients->good_rows = scans->reader[scans->plan->scan_count - 1].good_rows;
    coefficients->left = kst_jpeg_cpu_scans_left(scans);
    struct jpeg_damage damage = kst_jpeg_cpu_scans_damage(scans);
    return kst_jpeg_cpu_damage_report(&damage, strict, report);
}

kst_status kst_jpeg_cpu_decode_coefficients(
    const struct operation *op, const struct jpeg_plan *plan, bool strict, struct jpeg_coefficients *coefficients)
{
    static const double share = 0.5; /* of the time of the operation, the rest of which is spent on the coefficients */
    struct memory *memory = op->memory;
    struct jpeg_scans scans;
    kst_status status = kst_jpeg_coefficients_create(memory, &plan->frame, coefficients);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, "for the coefficients");
    status = kst_jpeg_cpu_scans_open(op, plan, plan->frame.mcus_h, &scans);
    scans.target.coefficients = coefficients;
    if (!status)
        kst_progress_enter(op->progress, (uint64_t)plan->scan_count * plan->frame.mcus_h, share);
    if (!status)
        status = kst_jpeg_cpu_scans_read(op, &scans);
    if (status == KST_ERROR_CANCELLED)
        status = kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    else if (status)
        status = kst_report_error(op->report, status, KST_NO_OFFSET, "for reading %u scans", plan->scan_count);
    else
        status = conclude(&scans, coefficients, strict, op->report);
    kst_jpeg_cpu_scans_close(memory, &scans);
    if (status)
        kst_jpeg_coefficients_release(memory, coefficients);
    return status;
}
