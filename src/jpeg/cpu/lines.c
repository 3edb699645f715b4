/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a picture line by line while its bytes arrive. An MCU row is decoded on trial: if its data turn out to be
 * incomplete, the cursor goes back to the start of the row until more have arrived.
 */
#include "jpeg/cpu/lines.h"

#include <string.h>

#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/parser.h"

static kst_status begin_scan(const struct operation *op, struct jpeg_arriving *lines, size_t data_from)
{
    lines->plan.segment = NULL;
    lines->plan.segment_count = 0;
    lines->plan.scan->first_segment = 0;
    lines->plan.scan->segment_count = 0;
    lines->seen = lines->interval_from = data_from;
    lines->source.entropy = &lines->entropy;
    return kst_jpeg_cpu_entropy_init(op->memory, &lines->entropy, &lines->plan, lines->plan.scan, op->tier);
}

static kst_status begin_coefficients(const struct operation *op, struct jpeg_arriving *lines)
{
    kst_status status = kst_jpeg_cpu_blocks_decode(op, &lines->plan, true, &lines->blocks);
    if (status)
        return status;
    lines->source.coefficients = &lines->blocks.coefficients;
    if (lines->blocks.smoothed)
        lines->source.smoothing = &lines->blocks.smoothing;
    return KST_OK;
}

/* Create the band, with room for rows that another thread makes if one may. */
static kst_status create_band(const struct operation *op, struct jpeg_arriving *lines)
{
    if (kst_jpeg_cpu_lines_ahead_init(op->pool, lines)) {
        lines->making.kept = JPEG_LINES_KEPT;
        if (!kst_jpeg_cpu_band_create(op->memory, &lines->making, &lines->source, &lines->band))
            return KST_OK;
        lines->making.kept = 0;
        kst_jpeg_cpu_lines_ahead_release(lines);
    }
    return kst_jpeg_cpu_band_create(op->memory, &lines->making, &lines->source, &lines->band);
}

kst_status kst_jpeg_cpu_lines_begin(const struct operation *op, struct jpeg_arriving *lines,
    const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image, size_t data_from)
{
    *lines = (struct jpeg_arriving){.plan = *plan, .making = {.output = &lines->output, .dsp = &lines->dsp}};
    lines->source.plan = &lines->plan;
    kst_jpeg_cpu_dsp_init(&lines->dsp, op->tier);
    kst_jpeg_output_plan(&lines->output, &plan->frame, options, image);
    lines->output.image.plane[0].pitch = 0; /* each line is written to an address of its own */
    kst_status status = plan->single_scan ? begin_scan(op, lines, data_from) : begin_coefficients(op, lines);
    if (!status)
        status = create_band(op, lines);
    if (status)
        kst_jpeg_cpu_lines_release(op->memory, lines);
    return status;
}

void kst_jpeg_cpu_lines_release(struct memory *memory, struct jpeg_arriving *lines)
{
    kst_jpeg_cpu_lines_ahead_release(lines);
    kst_jpeg_cpu_band_release(memory, &lines->band);
    kst_jpeg_cpu_entropy_release(memory, &lines->entropy);
    kst_jpeg_cpu_blocks_release(memory, &lines->blocks);
    if (lines->plan.single_scan)
        kst_memory_release(memory, lines->plan.segment);
    memset(lines, 0, sizeof *lines);
}

static kst_status grow_segments(struct memory *memory, struct jpeg_arriving *lines)
{
    kst_status status = KST_OK;
    struct jpeg_plan *plan = &lines->plan;
    if (plan->segment_count < lines->segment_capacity)
        return KST_OK;
    uint32_t capacity = lines->segment_capacity ? 2 * lines->segment_capacity : 16;
    struct jpeg_segment *grown = kst_memory_array(memory, capacity, sizeof *grown, &status);
    if (!grown)
        return status;
    if (plan->segment_count)
        memcpy(grown, plan->segment, plan->segment_count * sizeof *grown);
    kst_memory_release(memory, plan->segment);
    plan->segment = grown;
    lines->segment_capacity = capacity;
    return KST_OK;
}

/* Extend the segment of the current interval up to `to`, which is the end of its data as far as is known. */
static kst_status extend_segment(struct memory *memory, struct jpeg_arriving *lines, size_t to)
{
    struct jpeg_plan *plan = &lines->plan;
    while (to > lines->interval_from && plan->data[to - 1] == 0xFF)
        to--; /* fill bytes, or the first half of a marker or of a stuffed pair */
    if (to == lines->interval_from)
        return KST_OK;
    if (plan->segment_count == 0 || plan->segment[plan->segment_count - 1].interval != lines->interval) {
        kst_status status = grow_segments(memory, lines);
        if (status)
            return status;
        plan->segment[plan->segment_count++] =
            (struct jpeg_segment){.offset = lines->interval_from, .interval = lines->interval};
        plan->scan->segment_count = plan->segment_count;
    }
    plan->segment[plan->segment_count - 1].length = to - lines->interval_from;
    return KST_OK;
}

static bool is_restart(uint8_t marker)
{
    return marker >= JPEG_RST0 && marker <= JPEG_RST7;
}

/* Pass a restart marker if it is the one that must follow; any other marker ends the scan. */
static bool pass_restart(struct jpeg_arriving *lines, size_t at)
{
    if (lines->plan.data[at + 1] != JPEG_RST0 + (lines->interval & 7) ||
        lines->interval + 1 >= lines->plan.scan->interval_count)
        return false;
    lines->interval++;
    lines->interval_from = lines->seen = at + 2;
    return true;
}

/* Point the cursor to the new address of the data, and to their new end. */
static void move_cursor(struct jpeg_arriving *lines, const uint8_t *before)
{
    const struct jpeg_plan *plan = &lines->plan;
    struct jpeg_cursor *cursor = &lines->band.cursor;
    if (!lines->started)
        return;
    const struct jpeg_segment *segment = &plan->segment[cursor->segment];
    cursor->bits.next = plan->data + (cursor->bits.next - before);
    cursor->bits.end = plan->data + segment->offset + segment->length;
}

kst_status kst_jpeg_cpu_lines_extend(
    struct memory *memory, struct jpeg_arriving *lines, const uint8_t *data, size_t length, bool whole)
{
    struct jpeg_plan *plan = &lines->plan;
    const uint8_t *before = plan->data;
    kst_status status = KST_OK;
    if (!plan->single_scan)
        return KST_OK;
    kst_jpeg_cpu_lines_ahead_end(lines);
    lines->made.dry = false;
    plan->data = data;
    plan->length = length;
    while (!status && !lines->ended) {
        size_t at = kst_jpeg_find_marker(data, length, lines->seen, &plan->scan->fill);
        status = extend_segment(memory, lines, at);
        if (at < length) {
            lines->ended = !pass_restart(lines, at);
            lines->end = at;
            continue;
        }
        for (lines->seen = length; lines->seen > lines->interval_from && data[lines->seen - 1] == 0xFF;)
            lines->seen--;
        lines->ended = whole;
        break;
    }
    move_cursor(lines, before);
    return status;
}

/* Return whether the cursor has read, or replaced by padding, bits that may still arrive. */
static bool read_too_far(const struct jpeg_arriving *lines)
{
    const struct jpeg_cursor *cursor = &lines->band.cursor;
    bool in_last = cursor->segment + 1 >= lines->plan.segment_count;
    return !lines->ended && (cursor->damage.ended > 0 || (in_last && cursor->bits.padding > 0));
}

void kst_jpeg_cpu_lines_make(struct jpeg_arriving *lines, struct jpeg_rows_made *made)
{
    struct jpeg_band *band = &lines->band;
    const bool arriving = lines->source.entropy != NULL;
    made->dry = arriving && !lines->started && !lines->ended && lines->plan.segment_count == 0;
    if (made->dry)
        return;
    if (arriving && !lines->started) {
        kst_jpeg_cpu_cursor_start(&lines->entropy, &band->cursor, 0);
        lines->started = !band->cursor.ended;
    }
    const struct jpeg_cursor before = band->cursor;
    const struct jpeg_output *output = &lines->output;
    kst_jpeg_cpu_band_fill(band);
    made->dry = arriving && read_too_far(lines);
    if (made->dry) {
        band->cursor = before;
        return;
    }
    made->status = arriving ? band->cursor.damage.first : KST_OK;
    if (made->status)
        return;
    lines->row_length = arriving ? (size_t)(band->cursor.bits.next - before.bits.next) : 0;
    band->row++;
    made->ready = band->row == output->row_count ? output->height : band->row * output->mcu_lines - output->lag;
}

/*
 * Return whether what has arrived seems to hold several more rows, by the bytes that the last one took. For fewer it is
 * not worth calling another thread.
 */
static bool has_several(const struct jpeg_arriving *lines)
{
    enum { SEVERAL = 3 };
    size_t left = (size_t)(lines->plan.data + lines->plan.length - lines->band.cursor.bits.next);
    return left > SEVERAL * lines->row_length;
}

/* Get at least one more MCU row: one that another thread makes, otherwise one that this thread makes. */
static void advance(struct jpeg_arriving *lines)
{
    if (lines->ahead.pool && !lines->ahead.begun && lines->row_length > 0 && has_several(lines))
        kst_jpeg_cpu_lines_ahead_begin(lines);
    if (!kst_jpeg_cpu_lines_ahead_wait(lines))
        kst_jpeg_cpu_lines_make(lines, &lines->made);
}

kst_status kst_jpeg_cpu_lines_read(struct jpeg_arriving *lines, void *const *rows, uint32_t count, uint32_t *done)
{
    for (*done = 0; *done < count && lines->next < lines->output.height; ++*done, ++lines->next) {
        while (lines->next >= lines->made.ready) {
            if (lines->made.dry || lines->made.status)
                return lines->made.status;
            advance(lines);
        }
        lines->output.image.plane[0].data = rows[*done];
        kst_jpeg_cpu_rows_emit(&lines->band.rows, lines->next, lines->next + 1);
    }
    return KST_OK;
}

uint64_t kst_jpeg_cpu_lines_left(const struct jpeg_arriving *lines)
{
    if (!lines->source.entropy)
        return lines->blocks.coefficients.left;
    if (!lines->started || lines->made.ready < lines->output.height)
        return 0;
    const struct jpeg_plan *plan = &lines->plan;
    uint64_t behind = 0;
    if (lines->ended && plan->length - lines->end >= 2 && is_restart(plan->data[lines->end + 1]))
        behind = plan->length - lines->end;
    return behind + kst_jpeg_cpu_cursor_left(&lines->entropy, &lines->band.cursor);
}
