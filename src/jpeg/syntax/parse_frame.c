/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the frame header SOF and the scan header SOS (T.81 B.2.2, B.2.3, G.1.1.1, H.1). */
#include <string.h>

#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/parser.h"

static kst_status refuse_process(struct jpeg_parser *parser, uint8_t marker, size_t offset)
{
    kst_status status = KST_ERROR_JPEG_HIERARCHICAL;
    if (marker == JPEG_SOF3)
        status = KST_ERROR_JPEG_LOSSLESS;
    else if (marker >= JPEG_SOF9 && marker <= JPEG_SOF11)
        status = KST_ERROR_JPEG_ARITHMETIC;
    return kst_report_error(parser->op->report, status, offset, "SOF%u", marker - JPEG_SOF0);
}

static kst_status parse_frame_components(struct jpeg_parser *parser, struct jpeg_segment_reader segment)
{
    struct jpeg_frame *frame = &parser->stream->plan.frame;
    for (uint32_t i = 0; i < frame->component_count; i++) {
        struct jpeg_component *c = &frame->component[i];
        const uint8_t *field = segment.data + 6 + 3 * i;
        c->id = field[0];
        c->h = field[1] >> 4;
        c->v = field[1] & 15;
        c->tq = field[2];
        if (c->h < 1 || c->h > 4 || c->v < 1 || c->v > 4)
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_SAMPLING, segment.offset + 7 + 3 * i,
                "component %u has %ux%u", i, c->h, c->v);
    }
    return KST_OK;
}

/* Return the process that a frame's marker stands for; KST_PROCESS_NONE if this parser does not accept it. */
static kst_process process_of(const struct jpeg_parser *parser, uint8_t marker)
{
    static const kst_process processes[] = {KST_PROCESS_BASELINE, KST_PROCESS_EXTENDED, KST_PROCESS_PROGRESSIVE};
    if (parser->lossless)
        return marker == JPEG_SOF3 ? KST_PROCESS_LOSSLESS : KST_PROCESS_NONE;
    return marker <= JPEG_SOF2 ? processes[marker - JPEG_SOF0] : KST_PROCESS_NONE;
}

static bool is_precision(const struct jpeg_parser *parser, uint8_t bits)
{
    if (parser->lossless)
        return bits >= 2 && bits <= 16;
    return bits == (parser->deep ? JPEG_DEEP : 8);
}

kst_status kst_jpeg_parse_frame(struct jpeg_parser *parser, uint8_t marker, struct jpeg_segment_reader segment)
{
    struct jpeg_frame *frame = &parser->stream->plan.frame;
    if (process_of(parser, marker) == KST_PROCESS_NONE)
        return refuse_process(parser, marker, segment.offset);
    if (parser->frame_seen)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_TWO_FRAMES, segment.offset, NULL);
    if (segment.length < 6)
        return kst_report_error(
            parser->op->report, KST_ERROR_JPEG_LENGTH, segment.offset, "the frame header is cut off");
    frame->precision = segment.data[0];
    if (!is_precision(parser, frame->precision))
        return kst_report_error(
            parser->op->report, KST_ERROR_JPEG_PRECISION, segment.offset, "%u bits", frame->precision);
    frame->process = process_of(parser, marker);
    frame->height = (uint32_t)segment.data[1] << 8 | segment.data[2];
    frame->width = (uint32_t)segment.data[3] << 8 | segment.data[4];
    frame->component_count = segment.data[5];
    if (frame->width == 0)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_DIMENSIONS, segment.offset + 3, "the width is 0");
    if (frame->component_count < 1 || frame->component_count > JPEG_COMPONENTS) {
        uint8_t count = frame->component_count;
        frame->component_count = 0;
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_COMPONENTS, segment.offset + 5,
            "%u, this library decodes 1 to 4", count);
    }
    if (segment.length != 6 + 3U * frame->component_count)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_LENGTH, segment.offset,
            "the frame header has %zu bytes for %u components", segment.length, frame->component_count);
    kst_status status = parse_frame_components(parser, segment);
    if (status)
        return status;
    memset(parser->stream->plan.known, -1, sizeof parser->stream->plan.known);
    memset(parser->stream->plan.known_before, -1, sizeof parser->stream->plan.known_before);
    parser->frame_seen = true;
    parser->frame_offset = segment.offset;
    return KST_OK;
}

/*
 * Return the number of lines from a DNL segment right behind the first scan, whose data start at `from` (B.2.5); 0 if
 * there is none.
 */
static uint32_t find_number_of_lines(const struct jpeg_parser *parser, size_t from)
{
    const kst_searched *searched = parser->op->searched;
    size_t at = kst_jpeg_find_far_marker(NULL, searched, parser->data, parser->length, from, NULL);
    while (parser->length - at > 2 && parser->data[at + 1] >= JPEG_RST0 && parser->data[at + 1] <= JPEG_RST7)
        at = kst_jpeg_find_far_marker(NULL, searched, parser->data, parser->length, at + 2, NULL);
    if (parser->length - at < 6 || parser->data[at + 1] != JPEG_DNL)
        return 0;
    return (uint32_t)parser->data[at + 4] << 8 | parser->data[at + 5];
}

/*
 * Complete the frame with what can only be settled when the first scan starts: the height and all that follows from it.
 */
static kst_status complete_frame(struct jpeg_parser *parser, size_t data_offset)
{
    struct jpeg_frame *frame = &parser->stream->plan.frame;
    if (frame->height == 0)
        frame->height = find_number_of_lines(parser, data_offset);
    if (frame->height == 0)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_DIMENSIONS, parser->frame_offset + 1,
            "the height is 0 and no DNL segment follows the first scan");
    if ((uint64_t)frame->width * frame->height > parser->op->limits->pixels)
        return kst_report_error(parser->op->report, KST_ERROR_LIMIT_PIXELS, parser->frame_offset + 1,
            "%u × %u; the limit is %llu pixels", frame->width, frame->height,
            (unsigned long long)parser->op->limits->pixels);
    kst_jpeg_frame_geometry(frame);
    return KST_OK;
}

static kst_status parse_scan_components(
    struct jpeg_parser *parser, struct jpeg_segment_reader segment, struct jpeg_scan *scan)
{
    const struct jpeg_frame *frame = &parser->stream->plan.frame;
    uint32_t used = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t id = segment.data[1 + 2 * i];
        uint32_t c = 0;
        while (c < frame->component_count && (frame->component[c].id != id || (used >> c & 1)))
            c++;
        if (c == frame->component_count)
            return kst_report_error(
                parser->op->report, KST_ERROR_JPEG_SCAN_COMPONENT, segment.offset + 1 + 2 * i, "component id %u", id);
        used |= 1U << c;
        scan->component[i] = (uint8_t)c;
    }
    return KST_OK;
}

/* Check spectral selection and successive approximation (G.1.1.1). */
static kst_status check_progression(struct jpeg_parser *parser, const struct jpeg_scan *scan, size_t offset)
{
    bool valid = scan->al <= 13 && (scan->ah == 0 || scan->al + 1 == scan->ah);
    if (scan->ss == 0)
        valid = valid && scan->se == 0;
    else
        valid = valid && scan->ss <= scan->se && scan->se < 64 && scan->component_count == 1;
    if (valid)
        return KST_OK;
    return kst_report_error(parser->op->report, KST_ERROR_JPEG_PROGRESSION, offset,
        "Ss %u, Se %u, Ah %u, Al %u with %u components", scan->ss, scan->se, scan->ah, scan->al, scan->component_count);
}

/*
 * Check the predictor and the point transform (H.1.1, table H.1), that restarts are at the starts of MCU rows, and that
 * each component has one scan.
 */
static kst_status check_prediction(struct jpeg_parser *parser, const struct jpeg_scan *scan, size_t offset)
{
    kst_report *report = parser->op->report;
    const uint32_t row = scan->geometry.mcus_w;
    if (scan->ss < 1 || scan->ss > 7 || scan->se != 0 || scan->ah != 0 ||
        scan->al >= parser->stream->plan.frame.precision)
        return kst_report_error(report, KST_ERROR_JPEG_PROGRESSION, offset,
            "predictor %u, Se %u, Ah %u, point transform %u", scan->ss, scan->se, scan->ah, scan->al);
    if (row == 0 || parser->restart_interval % row != 0)
        return kst_report_error(report, KST_ERROR_JPEG_RESTART_INTERVAL, offset,
            "%u MCUs are no whole number of rows of %u", parser->restart_interval, row);
    for (uint32_t i = 0; i < scan->component_count; i++) {
        if (parser->scanned[scan->component[i]])
            return kst_report_error(
                report, KST_ERROR_JPEG_SCAN_COMPONENT, offset, "component %u has a scan", scan->component[i]);
        parser->scanned[scan->component[i]] = true;
    }
    return KST_OK;
}

/*
 * Record down to which bit each coefficient is known after the scan, and warn if the scan does not continue where the
 * earlier ones ended.
 */
static void note_progression(struct jpeg_parser *parser, const struct jpeg_scan *scan, size_t offset)
{
    struct jpeg_plan *plan = &parser->stream->plan;
    uint32_t surprises = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        int8_t *known = plan->known[scan->component[i]];
        memcpy(plan->known_before[scan->component[i]], known, 64);
        surprises += scan->ss > 0 && known[0] < 0;
        for (uint32_t k = scan->ss; k <= scan->se; k++) {
            surprises += scan->ah != (known[k] < 0 ? 0 : known[k]);
            known[k] = (int8_t)scan->al;
        }
    }
    if (surprises)
        kst_report_warning(parser->op->report, KST_WARNING_JPEG_PROGRESSION, offset, surprises, false);
}

static kst_status latch_quant_tables(struct jpeg_parser *parser, const struct jpeg_scan *scan, size_t offset)
{
    for (uint32_t i = 0; i < scan->component_count; i++) {
        struct jpeg_component *c = &parser->stream->plan.frame.component[scan->component[i]];
        if (parser->latched[scan->component[i]])
            continue;
        if (c->tq >= JPEG_TABLES || !parser->quant_defined[c->tq])
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_QUANT_MISSING, offset,
                "component %u uses table %u", scan->component[i], c->tq);
        memcpy(c->quant, parser->quant[c->tq], sizeof c->quant);
        parser->latched[scan->component[i]] = true;
    }
    return KST_OK;
}

/* Put the table at a destination into the plan, unless it is there already, and return its index. */
static kst_status use_huffman(
    struct jpeg_parser *parser, enum jpeg_table_class table_class, uint8_t destination, size_t offset, uint16_t *index)
{
    struct jpeg_plan *plan = &parser->stream->plan;
    struct jpeg_huffman_slot *slot = destination < JPEG_TABLES ? &parser->huffman[table_class][destination] : NULL;
    bool sequential = plan->frame.process == KST_PROCESS_BASELINE || plan->frame.process == KST_PROCESS_EXTENDED;
    bool standard = slot && !slot->defined && destination < 2 && sequential;
    if (standard) { /* frames of Motion JPEG leave out the tables of Annex K */
        slot->table = *kst_jpeg_standard_huffman(table_class, destination);
        slot->defined = true;
        slot->index = NOT_IN_PLAN;
    }
    if (!slot || !slot->defined)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_HUFFMAN_MISSING, offset, "%s table %u",
            table_class == JPEG_DC ? "DC" : "AC", destination);
    if (slot->index == NOT_IN_PLAN) {
        if (!kst_jpeg_huffman_valid(&slot->table, parser->lossless ? JPEG_DIFFERENCES : table_class))
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_HUFFMAN_TABLE, offset, "%s table %u",
                table_class == JPEG_DC ? "DC" : "AC", destination);
        if (plan->huffman_count > UINT16_MAX)
            return kst_report_error(parser->op->report, KST_ERROR_LIMIT_SCANS, offset, "too many Huffman tables");
        kst_status status = kst_jpeg_parser_grow(
            parser, (void **)&plan->huffman, plan->huffman_count, &parser->huffman_capacity, sizeof *plan->huffman);
        if (status)
            return status;
        slot->index = (int)plan->huffman_count;
        plan->huffman[plan->huffman_count++] = slot->table;
    }
    *index = (uint16_t)slot->index;
    return KST_OK;
}

static kst_status use_huffman_tables(
    struct jpeg_parser *parser, struct jpeg_segment_reader segment, struct jpeg_scan *scan)
{
    bool progressive = parser->stream->plan.frame.process == KST_PROCESS_PROGRESSIVE;
    bool dc = parser->lossless || (scan->ss == 0 && (!progressive || scan->ah == 0));
    bool ac = !parser->lossless && scan->se > 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        size_t at = 2 + 2 * i;
        kst_status status = KST_OK;
        if (dc)
            status = use_huffman(parser, JPEG_DC, segment.data[at] >> 4, segment.offset + at, &scan->dc_table[i]);
        if (ac && !status)
            status = use_huffman(parser, JPEG_AC, segment.data[at] & 15, segment.offset + at, &scan->ac_table[i]);
        if (status)
            return status;
    }
    return KST_OK;
}

/* Check the parameters at `offset` by the rules of the process. In a sequential scan they have only one legal value. */
static kst_status check_process(struct jpeg_parser *parser, struct jpeg_scan *scan, size_t offset)
{
    if (parser->lossless)
        return check_prediction(parser, scan, offset);
    if (parser->stream->plan.frame.process == KST_PROCESS_PROGRESSIVE)
        return check_progression(parser, scan, offset);
    if (scan->ss != 0 || scan->se != 63 || scan->ah != 0 || scan->al != 0) {
        kst_report_warning(parser->op->report, KST_WARNING_JPEG_SPECTRAL, offset, 1, false);
        scan->ss = 0;
        scan->se = 63;
        scan->ah = 0;
        scan->al = 0;
    }
    return KST_OK;
}

static kst_status complete_scan(struct jpeg_parser *parser, struct jpeg_segment_reader segment, struct jpeg_scan *scan)
{
    const struct jpeg_frame *frame = &parser->stream->plan.frame;
    kst_jpeg_scan_geometry(frame, scan->component, scan->component_count, &scan->geometry);
    if (scan->geometry.mcu_blocks > JPEG_MCU_BLOCKS)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_SAMPLING, segment.offset, "%u data units in an MCU",
            scan->geometry.mcu_blocks);
    size_t parameters = segment.offset + 1 + 2U * scan->component_count;
    kst_status status = check_process(parser, scan, parameters);
    if (!status && !parser->lossless)
        status = latch_quant_tables(parser, scan, segment.offset);
    if (!status)
        status = use_huffman_tables(parser, segment, scan);
    if (!status && frame->process == KST_PROCESS_PROGRESSIVE)
        note_progression(parser, scan, parameters);
    uint64_t mcus = (uint64_t)scan->geometry.mcus_w * scan->geometry.mcus_h;
    scan->restart_interval = parser->restart_interval;
    scan->interval_count =
        scan->restart_interval ? (uint32_t)((mcus + scan->restart_interval - 1) / scan->restart_interval) : 1;
    return status;
}

kst_status kst_jpeg_parse_scan(struct jpeg_parser *parser, struct jpeg_segment_reader segment)
{
    struct jpeg_plan *plan = &parser->stream->plan;
    if (!parser->frame_seen)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_NO_FRAME, segment.offset, NULL);
    if (segment.length < 1 || segment.data[0] < 1 || segment.data[0] > JPEG_COMPONENTS ||
        segment.length != 4 + 2U * segment.data[0])
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_SCAN_LENGTH, segment.offset, NULL);
    if (plan->scan_count >= parser->op->limits->scans)
        return kst_report_error(
            parser->op->report, KST_ERROR_LIMIT_SCANS, segment.offset, "more than %u scans", parser->op->limits->scans);
    kst_status status = plan->scan_count == 0 ? complete_frame(parser, segment.offset + segment.length) : KST_OK;
    if (!status)
        status = kst_jpeg_parser_grow(
            parser, (void **)&plan->scan, plan->scan_count, &parser->scan_capacity, sizeof *plan->scan);
    if (status)
        return status;

    struct jpeg_scan scan = {.component_count = segment.data[0], .offset = segment.offset - 4};
    const uint8_t *parameter = segment.data + 1 + 2U * scan.component_count;
    scan.ss = parameter[0];
    scan.se = parameter[1];
    scan.ah = parameter[2] >> 4;
    scan.al = parameter[2] & 15;
    status = parse_scan_components(parser, segment, &scan);
    if (!status)
        status = complete_scan(parser, segment, &scan);
    if (status)
        return status;
    plan->scan[plan->scan_count++] = scan;
    if (plan->scan_count == 1)
        plan->single_scan =
            plan->frame.process != KST_PROCESS_PROGRESSIVE && scan.component_count == plan->frame.component_count;
    return KST_OK;
}
