/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a JPEG stream whose bytes arrive little by little, and has its lines decoded. */
#include "jpeg/run/lines.h"

#include "core/context.h"
#include "core/report.h"
#include "jpeg/cpu/lines.h"
#include "jpeg/syntax/parse.h"

struct jpeg_line_state {
    struct jpeg_stream stream;
    struct jpeg_arriving lines;
    const uint8_t *data; /* all bytes that have arrived */
    bool whole;          /* all bytes of the stream have arrived */
    bool begun;          /* `lines` has begun: at once with a single scan, otherwise when all has arrived */
    kst_status failed;   /* what went wrong when bytes arrived */
};

static struct operation operation_of(struct kst_lines *lines)
{
    return kst_context_operation(lines->context, &lines->memory, &lines->report, NULL);
}

/* Return the offset behind the header of the first scan. */
static size_t headers_end(const struct jpeg_stream *stream)
{
    const uint8_t *at = stream->plan.data + stream->plan.scan[0].offset;
    return stream->plan.scan[0].offset + 2 + ((size_t)at[2] << 8 | at[3]);
}

/*
 * Read the headers without the data behind them, which may not have arrived completely. The only warning accepted is
 * the one that EOI is missing.
 */
static kst_status read_headers(struct kst_lines *lines, struct jpeg_line_state *state, size_t *end)
{
    struct operation op = operation_of(lines);
    kst_status status = kst_jpeg_parse(&op, state->data, lines->length, &state->stream);
    if (status)
        return status;
    *end = headers_end(&state->stream);
    kst_jpeg_stream_release(&lines->memory, &state->stream);
    kst_report_init(&lines->report);
    status = kst_jpeg_parse(&op, state->data, *end, &state->stream);
    if (!status && (lines->report.warnings != 1 || lines->report.first_warning != KST_WARNING_JPEG_NO_EOI)) {
        status = lines->report.first_warning;
        kst_jpeg_stream_release(&lines->memory, &state->stream);
    }
    kst_report_init(&lines->report);
    return status;
}

static kst_status begin(struct kst_lines *lines, struct jpeg_line_state *state, size_t data_from)
{
    struct operation op = operation_of(lines);
    kst_status status =
        kst_jpeg_cpu_lines_begin(&op, &state->lines, &state->stream.plan, &lines->options, &lines->image, data_from);
    state->begun = !status;
    return status;
}

static kst_status open_lines(struct kst_lines *lines, const uint8_t *data)
{
    struct jpeg_line_state *state = lines->state;
    size_t end;
    state->data = data;
    kst_status status = read_headers(lines, state, &end);
    if (status)
        return status;
    status = kst_jpeg_output_describe(&state->stream.plan.frame, &lines->options, &lines->image);
    if (!status && kst_format_channels(lines->image.format) == 0)
        status = KST_ERROR_OPTIONS;
    if (!status && state->stream.plan.single_scan)
        status = begin(lines, state, end);
    if (status)
        kst_jpeg_stream_release(&lines->memory, &state->stream);
    return status;
}

static void extend(struct kst_lines *lines, const uint8_t *data, bool whole)
{
    struct jpeg_line_state *state = lines->state;
    state->data = data;
    state->whole = state->whole || whole;
    if (state->begun && !state->failed)
        state->failed = kst_jpeg_cpu_lines_extend(&lines->memory, &state->lines, data, lines->length, state->whole);
}

/* Read a picture of several scans, all of whose bytes are there, and its coefficients. */
static kst_status begin_late(struct kst_lines *lines, struct jpeg_line_state *state)
{
    struct operation op = operation_of(lines);
    kst_jpeg_stream_release(&lines->memory, &state->stream);
    kst_status status = kst_jpeg_parse(&op, state->data, lines->length, &state->stream);
    if (status)
        return status;
    if (lines->report.warnings)
        return lines->report.first_warning;
    return begin(lines, state, 0);
}

static kst_status read_lines(struct kst_lines *lines, void *const *rows, uint32_t count, uint32_t *done)
{
    struct jpeg_line_state *state = lines->state;
    if (!state->begun && !state->whole)
        return KST_OK;
    kst_status status = state->begun ? state->failed : begin_late(lines, state);
    return status ? status : kst_jpeg_cpu_lines_read(&state->lines, rows, count, done);
}

static uint64_t left(const struct kst_lines *lines)
{
    const struct jpeg_line_state *state = lines->state;
    return state->begun ? kst_jpeg_cpu_lines_left(&state->lines) : 0;
}

static void close_lines(struct kst_lines *lines)
{
    struct jpeg_line_state *state = lines->state;
    if (state->begun)
        kst_jpeg_cpu_lines_release(&lines->memory, &state->lines);
    kst_jpeg_stream_release(&lines->memory, &state->stream);
}

const struct line_decoding kst_jpeg_run_lines = {.state_size = sizeof(struct jpeg_line_state),
    .open = open_lines,
    .extend = extend,
    .read = read_lines,
    .left = left,
    .close = close_lines};
