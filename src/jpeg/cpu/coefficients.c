/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a reader for every scan of the plan, reads all of them into the coefficients and reports their damage. */
#include "jpeg/cpu/coefficients.h"

#include "core/report.h"
#include "jpeg/cpu/entropy/scans.h"

struct scans_reading {
    const struct jpeg_plan *plan;
    struct jpeg_scan_target target;
    struct jpeg_scan_reader *reader; /* one per scan */
    uint32_t opened;
};

static kst_status open_readers(struct scans_reading *reading, const struct operation *op)
{
    kst_status status = KST_OK;
    reading->reader = kst_memory_array(op->memory, reading->plan->scan_count, sizeof *reading->reader, &status);
    if (!reading->reader)
        return status;
    for (; reading->opened < reading->plan->scan_count; reading->opened++) {
        status =
            kst_jpeg_scan_open(op->memory, &reading->reader[reading->opened], reading->plan, reading->opened, op->tier);
        if (status)
            return status;
    }
    return KST_OK;
}

static bool is_refined(const struct jpeg_plan *plan, uint32_t component)
{
    for (uint32_t i = 0; i < plan->scan_count; i++) {
        const struct jpeg_scan *scan = &plan->scan[i];
        if (scan->component[0] == component && scan->ss > 0 && scan->ah > 0)
            return true;
    }
    return false;
}

static kst_status create_histories(struct scans_reading *reading, struct memory *memory)
{
    const struct jpeg_frame *frame = &reading->plan->frame;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < frame->component_count && !status; i++) {
        size_t blocks = (size_t)frame->component[i].padded_w * frame->component[i].padded_h;
        if (is_refined(reading->plan, i))
            reading->target.history[i] = kst_memory_zeroed(memory, blocks, sizeof(jpeg_history), &status);
    }
    return status;
}

static void close_reading(struct scans_reading *reading, struct memory *memory)
{
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        kst_memory_release(memory, reading->target.history[i]);
    for (uint32_t i = 0; i < reading->opened; i++)
        kst_jpeg_scan_close(memory, &reading->reader[i]);
    kst_memory_release(memory, reading->reader);
}

static kst_status conclude(
    const struct scans_reading *reading, struct jpeg_coefficients *coefficients, bool strict, kst_report *report)
{
    coefficients->good_rows = reading->reader[reading->plan->scan_count - 1].good_rows;
    struct jpeg_damage sum;
    kst_jpeg_damage_init(&sum);
    for (uint32_t i = 0; i < reading->plan->scan_count; i++)
        kst_jpeg_damage_add(&sum, &reading->reader[i].cursor.damage);
    return kst_jpeg_damage_report(&sum, strict, report);
}

kst_status kst_jpeg_decode_coefficients(
    const struct operation *op, const struct jpeg_plan *plan, bool strict, struct jpeg_coefficients *coefficients)
{
    static const double share = 0.5; /* of the time until what is made of them is there */
    struct memory *memory = op->memory;
    struct scans_reading reading = {.plan = plan, .target.coefficients = coefficients};
    kst_status status = kst_jpeg_coefficients_create(memory, &plan->frame, coefficients);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, "for the coefficients");
    status = open_readers(&reading, op);
    if (!status)
        status = create_histories(&reading, memory);
    if (!status)
        kst_progress_enter(op->progress, (uint64_t)plan->scan_count * plan->frame.mcus_h, share);
    if (!status)
        status = kst_jpeg_scans_read(op, plan, reading.reader, &reading.target);
    if (status == KST_ERROR_CANCELLED)
        status = kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    else if (status)
        status = kst_report_error(op->report, status, KST_NO_OFFSET, "for reading %u scans", plan->scan_count);
    else
        status = conclude(&reading, coefficients, strict, op->report);
    close_reading(&reading, memory);
    if (status)
        kst_jpeg_coefficients_release(memory, coefficients);
    return status;
}
