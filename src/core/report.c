/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the first error and the warnings of an operation, whichever thread meets them, and composes the report. */
#include "core/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void kst_report_init(kst_report *report)
{
    if (!report)
        return;
    *report = (kst_report){.size = sizeof *report, .offset = KST_NO_OFFSET, .first_warning_offset = KST_NO_OFFSET};
}

/* Write the message. One that is too long loses its end, but never the offset. */
static void write_message(kst_report *report, kst_status status, uint64_t offset, const char *detail, va_list arguments)
{
    char place[40] = "";
    if (offset != KST_NO_OFFSET)
        snprintf(place, sizeof place, " (at byte %" PRIu64 ")", offset);
    size_t room = sizeof report->message - strlen(place);
    size_t used = 0;
    int written = snprintf(report->message, room, "%s%s", kst_status_text(status), detail ? ": " : "");
    used = written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
    if (detail) {
        written = vsnprintf(report->message + used, room - used, detail, arguments);
        used += written < 0 ? 0 : (size_t)written < room - used ? (size_t)written : room - used - 1;
    }
    memcpy(report->message + used, place, strlen(place) + 1);
}

static void write_plain_message(kst_report *report, kst_status status, uint64_t offset, ...)
{
    va_list none;
    va_start(none, offset);
    write_message(report, status, offset, NULL, none);
    va_end(none);
}

static bool has_error(const kst_report *report)
{
    return report->status;
}

kst_status kst_report_error(kst_report *report, kst_status status, uint64_t offset, const char *detail, ...)
{
    if (!report)
        return status;
    if (has_error(report))
        return report->status;
    report->status = status;
    report->offset = offset;
    va_list arguments;
    va_start(arguments, detail);
    write_message(report, status, offset, detail, arguments);
    va_end(arguments);
    return status;
}

/*
 * Note a warning if it is the first in the stream, in whatever order the stages found them. A warning without an offset
 * counts as if it lay behind the end of the stream.
 */
static void note_first_warning(kst_report *report, kst_status warning, uint64_t offset)
{
    if (report->first_warning && offset >= report->first_warning_offset)
        return;
    report->first_warning = warning;
    report->first_warning_offset = offset;
    if (!has_error(report))
        write_plain_message(report, warning, offset);
}

void kst_report_forgive(kst_report *report)
{
    report->status = KST_OK;
    report->offset = KST_NO_OFFSET;
    report->message[0] = 0;
    if (report->first_warning)
        write_plain_message(report, report->first_warning, report->first_warning_offset);
}

kst_status kst_report_warning(kst_report *report, kst_status warning, uint64_t offset, uint64_t count, bool strict)
{
    if (count == 0)
        return KST_OK;
    if (report) {
        report->warnings += count;
        note_first_warning(report, warning, offset);
    }
    return strict ? kst_report_error(report, warning, offset, NULL) : KST_OK;
}

double kst_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void kst_report_stage(kst_report *report, kst_stage stage, kst_device_kind device, double start)
{
    if (!report)
        return;
    report->stage_device[stage] = device;
    report->stage_seconds[stage] += kst_seconds() - start;
}

void kst_report_resizing(kst_report *report, const kst_report *resizing)
{
    if (resizing->status) {
        report->status = resizing->status;
        memcpy(report->message, resizing->message, sizeof report->message);
    }
    report->stage_device[KST_STAGE_RESIZE] = resizing->stage_device[KST_STAGE_RESIZE];
    report->stage_seconds[KST_STAGE_RESIZE] = resizing->stage_seconds[KST_STAGE_RESIZE];
}

void kst_report_copy(kst_report *to, const kst_report *from)
{
    if (!to || to == from || to->size <= sizeof to->size)
        return;
    size_t size = to->size;
    memcpy(to, from, size < sizeof *from ? size : sizeof *from);
    to->size = size;
}
