/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides the entropy-coded data of a scan at its restart markers (T.81 B.2.1, F.2.2). Data behind an unexpected marker
 * are assigned to a restart interval by a rule that decoders have in common: if the marker is one or two counts ahead,
 * intervals were lost; if it is one or two counts behind, it is stale; otherwise it is taken for the one expected.
 */
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/parser.h"

/*
 * Return the end of the entropy-coded data in front of the marker at `marker`: fill bytes (B.1.1.2) do not belong to
 * the data.
 */
static size_t without_fill(const struct jpeg_parser *parser, size_t from, size_t marker)
{
    while (marker > from && parser->data[marker - 1] == 0xFF)
        marker--;
    return marker;
}

static kst_status add_segment(
    struct jpeg_parser *parser, struct jpeg_scan *scan, size_t from, size_t to, uint32_t interval)
{
    struct jpeg_plan *plan = &parser->stream->plan;
    size_t end = without_fill(parser, from, to);
    if (end == from)
        return KST_OK;
    kst_status status = kst_jpeg_parser_grow(
        parser, (void **)&plan->segment, plan->segment_count, &parser->segment_capacity, sizeof *plan->segment);
    if (status)
        return status;
    plan->segment[plan->segment_count++] =
        (struct jpeg_segment){.offset = from, .length = end - from, .interval = interval};
    scan->segment_count++;
    return KST_OK;
}

static bool is_restart(uint8_t marker)
{
    return marker >= JPEG_RST0 && marker <= JPEG_RST7;
}

/*
 * Move from interval *interval, whose data end at the marker at *at, to the next one: *interval becomes the number of
 * that interval, past intervals that are lost, and *at the place where its data start. Returns false if the scan has no
 * more data; *at is then the marker behind the scan.
 */
static bool next_interval(struct jpeg_parser *parser, const struct jpeg_scan *scan, size_t *at, uint32_t *interval)
{
    if (*interval + 1 >= scan->interval_count)
        return false;
    for (bool expected = true; parser->length - *at >= 2; expected = false) {
        uint8_t marker = parser->data[*at + 1];
        uint32_t ahead = (marker - *interval) & 7;
        if (marker >= JPEG_SOF0 && !is_restart(marker))
            return false;
        if (ahead == 0 && is_restart(marker) && expected) {
            *interval += 1;
            *at += 2;
            return true;
        }
        if (expected)
            kst_report_warning(parser->op->report, KST_WARNING_JPEG_RESTART, *at, 1, false);
        if (!is_restart(marker) || ahead == 6 || ahead == 7) {
            *at = kst_jpeg_find_far_marker(NULL, parser->op->searched, parser->data, parser->length, *at + 2, NULL);
            continue;
        }
        *interval += ahead == 1 || ahead == 2 ? ahead + 1 : 1;
        if (*interval >= scan->interval_count)
            return false;
        *at += 2;
        return true;
    }
    return false;
}

/* Return whether it may be presumed that the data from `from` on end at an EOI that ends the stream. */
static bool is_presumable(const struct jpeg_parser *parser, size_t from)
{
    const struct jpeg_plan *plan = &parser->stream->plan;
    const uint8_t *end = parser->data + parser->length;
    return parser->presuming && plan->single_scan && plan->scan->interval_count == 1 && parser->length - from > 3 &&
           end[-3] != 0xFF && end[-2] == 0xFF && end[-1] == JPEG_EOI;
}

static kst_status presume_end(struct jpeg_parser *parser)
{
    struct jpeg_stream *stream = parser->stream;
    size_t from = parser->position;
    parser->position = parser->length - 2;
    stream->plan.scan->first_segment = stream->plan.segment_count;
    stream->presumed = true;
    return add_segment(parser, stream->plan.scan, from, parser->position, 0);
}

bool kst_jpeg_confirm(struct pool *threads, struct jpeg_stream *stream)
{
    const struct jpeg_plan *plan = &stream->plan;
    const struct jpeg_segment *segment = &plan->segment[plan->scan->first_segment];
    if (!stream->presumed)
        return true;
    stream->presumed = false;
    return kst_jpeg_find_last_marker(threads, NULL, plan->data, plan->length, segment->offset, &plan->scan->fill) ==
           plan->length - 2;
}

kst_status kst_jpeg_parse_segments(struct jpeg_parser *parser)
{
    struct jpeg_plan *plan = &parser->stream->plan;
    struct jpeg_scan *scan = &plan->scan[plan->scan_count - 1];
    size_t from = parser->position;
    size_t at = from;
    size_t reported = from;
    uint32_t interval = 0;
    size_t (*find)(struct pool *, const kst_searched *, const uint8_t *, size_t, size_t, uint32_t *) =
        plan->single_scan ? kst_jpeg_find_last_marker : kst_jpeg_find_far_marker;
    if (is_presumable(parser, from))
        return presume_end(parser);
    scan->first_segment = plan->segment_count;
    struct pool *threads = scan->interval_count == 1 ? parser->op->pool : NULL;
    do {
        from = at;
        at = find(threads, parser->op->searched, parser->data, parser->length, from, &scan->fill);
        kst_status status = add_segment(parser, scan, from, at, interval);
        if (status)
            return status;
        if (scan->interval_count > 1) /* a single one was reported while it was searched */
            kst_jpeg_report_searched(parser->op->searched, parser->data, &reported, at);
    } while (next_interval(parser, scan, &at, &interval));
    parser->position = at;
    return KST_OK;
}
