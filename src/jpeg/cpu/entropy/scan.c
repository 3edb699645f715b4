/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads one scan row by row into the coefficients, with the sequential or the progressive inner loop. */
#include "jpeg/cpu/entropy/scan.h"

static bool holds_component(const struct jpeg_scan *scan, uint8_t component)
{
    for (uint32_t i = 0; i < scan->component_count; i++)
        if (scan->component[i] == component)
            return true;
    return false;
}

static bool decoded_before(const struct jpeg_plan *plan, uint32_t scan)
{
    for (uint32_t i = 0; i < scan; i++)
        for (uint32_t j = 0; j < plan->scan[scan].component_count; j++)
            if (holds_component(&plan->scan[i], plan->scan[scan].component[j]))
                return true;
    return false;
}

kst_status kst_jpeg_cpu_scan_open(struct memory *memory, struct jpeg_scan_reader *reader, const struct jpeg_plan *plan,
    uint32_t scan, enum cpu_tier tier)
{
    const struct jpeg_scan *s = &plan->scan[scan];
    bool progressive = plan->frame.process == KST_PROCESS_PROGRESSIVE;
    *reader = (struct jpeg_scan_reader){.overlay = !progressive && decoded_before(plan, scan), .good_rows = 1};
    kst_status status =
        progressive ? kst_jpeg_cpu_progressive_init(memory, &reader->progressive, &reader->entropy, plan, s, tier)
                    : kst_jpeg_cpu_entropy_init(memory, &reader->entropy, plan, s, tier);
    if (!status)
        kst_jpeg_cpu_cursor_start(&reader->entropy, &reader->cursor, 0);
    return status;
}

void kst_jpeg_cpu_scan_close(struct memory *memory, struct jpeg_scan_reader *reader)
{
    kst_jpeg_cpu_entropy_release(memory, &reader->entropy);
}

/*
 * Store a block. If a component is decoded twice, the later scan replaces its DC coefficients and, of the others, only
 * those for which it has a nonzero value.
 */
static void store_block(int16_t *to, const int16_t *from, bool overlay)
{
    if (!overlay) {
        memcpy(to, from, 64 * sizeof *to);
        return;
    }
    to[0] = from[0];
    for (uint32_t i = 1; i < 64; i++)
        if (from[i] != 0)
            to[i] = from[i];
}

/* Return the row of a component's blocks with which the target begins. */
static uint32_t first_block_row(
    const struct jpeg_scan_target *target, const struct jpeg_frame *frame, uint8_t component)
{
    return target->first_row * frame->component[component].v;
}

/* Store the blocks of an MCU, which are ordered by component and then by row (A.2.3). */
static void store_mcu(
    const struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, const int16_t *blocks, uint32_t mcu)
{
    const struct jpeg_plan *plan = reader->entropy.plan;
    const struct jpeg_scan *scan = reader->entropy.scan;
    uint32_t mcu_x = mcu % scan->geometry.mcus_w;
    uint32_t mcu_y = mcu / scan->geometry.mcus_w;
    bool interleaved = scan->component_count > 1;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t component = scan->component[i];
        uint32_t w = interleaved ? plan->frame.component[component].h : 1;
        uint32_t h = interleaved ? plan->frame.component[component].v : 1;
        uint32_t top = mcu_y * h - first_block_row(target, &plan->frame, component);
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++, blocks += 64)
                store_block(
                    kst_jpeg_block(target->coefficients, component, mcu_x * w + x, top + y), blocks, reader->overlay);
    }
}

/* Find the places of the MCUs from `mcu` on, which lie in one row. */
static void place_run(const struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t mcu,
    struct jpeg_mcu_run *run)
{
    const struct jpeg_frame *frame = &reader->entropy.plan->frame;
    const struct jpeg_scan *scan = reader->entropy.scan;
    uint32_t mcu_x = mcu % scan->geometry.mcus_w;
    uint32_t mcu_y = mcu / scan->geometry.mcus_w;
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t component = scan->component[i];
        uint32_t w = scan->component_count > 1 ? frame->component[component].h : 1;
        uint32_t h = scan->component_count > 1 ? frame->component[component].v : 1;
        uint32_t top = mcu_y * h - first_block_row(target, frame, component);
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++, block++) {
                run->block[block] = kst_jpeg_block(target->coefficients, component, mcu_x * w + x, top + y);
                run->step[block] = 64 * w;
            }
        }
    }
    run->history = scan->ss > 0 ? target->history[scan->component[0]] : NULL;
    uint32_t row = mcu_y - first_block_row(target, frame, scan->component[0]);
    if (run->history)
        run->history += (size_t)row * target->coefficients->stride[scan->component[0]] + mcu_x;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Read at most `count` MCUs, all in one row and one interval. */
static void read_progressive(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t count)
{
    struct jpeg_mcu_run run;
    struct jpeg_cursor *cursor = &reader->cursor;
    uint32_t mcus_w = reader->entropy.scan->geometry.mcus_w;
    run.count = smaller(count, mcus_w - cursor->mcu % mcus_w);
    place_run(reader, target, cursor->mcu, &run);
    uint32_t done = reader->progressive.read(&reader->progressive, cursor, &run);
    kst_jpeg_cpu_cursor_advance(&reader->entropy, cursor, done);
}

/* Return the number of the scan's MCUs in the first `rows` MCU rows of the frame. */
static uint32_t mcus_in_rows(const struct jpeg_entropy *entropy, uint32_t rows)
{
    const struct jpeg_scan *scan = entropy->scan;
    if (scan->component_count == 1)
        rows *= entropy->plan->frame.component[scan->component[0]].v;
    return scan->geometry.mcus_w * (rows < scan->geometry.mcus_h ? rows : scan->geometry.mcus_h);
}

static uint32_t frame_row(const struct jpeg_entropy *entropy, uint32_t mcu)
{
    const struct jpeg_scan *scan = entropy->scan;
    uint32_t row = mcu / scan->geometry.mcus_w;
    return scan->component_count > 1 ? row : row / entropy->plan->frame.component[scan->component[0]].v;
}

/* Decode `count` MCUs at once into their places. Returns false if they must be decoded one by one. */
static bool read_run(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t count)
{
    _Alignas(64) int16_t blocks[JPEG_RUN_BLOCKS * 64];
    uint8_t last[JPEG_RUN_BLOCKS];
    const struct jpeg_entropy *entropy = &reader->entropy;
    uint32_t first = reader->cursor.mcu;
    if (!kst_jpeg_cpu_decode_run(entropy, &reader->cursor, count, blocks, last))
        return false;
    for (uint32_t i = 0; i < count; i++)
        store_mcu(reader, target, blocks + (size_t)i * entropy->mcu_blocks * 64, first + i);
    reader->good_rows = frame_row(entropy, first + count - 1) + 1;
    return true;
}

/* Decode up to `count` MCUs of one interval into their places. */
static void read_sequential(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t count)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    struct jpeg_cursor *cursor = &reader->cursor;
    count = smaller(count, JPEG_RUN_BLOCKS / reader->entropy.mcu_blocks);
    if (read_run(reader, target, count))
        return;
    for (uint32_t i = 0; i < count && !cursor->ended; i++) {
        uint32_t mcu = cursor->mcu;
        reader->good_rows = frame_row(&reader->entropy, mcu) + 1;
        kst_jpeg_cpu_decode_mcu(&reader->entropy, cursor, blocks, last);
        store_mcu(reader, target, blocks, mcu);
    }
}

void kst_jpeg_cpu_scan_read(struct jpeg_scan_reader *reader, const struct jpeg_scan_target *target, uint32_t rows)
{
    struct jpeg_cursor *cursor = &reader->cursor;
    uint32_t end = mcus_in_rows(&reader->entropy, rows);
    while (cursor->mcu < end) {
        if (cursor->ended) {
            kst_jpeg_cpu_cursor_pass(&reader->entropy, cursor, end);
            continue;
        }
        uint32_t count = smaller(end - cursor->mcu, cursor->to_go);
        reader->good_rows = frame_row(&reader->entropy, cursor->mcu) + 1;
        if (reader->progressive.read)
            read_progressive(reader, target, count);
        else
            read_sequential(reader, target, count);
    }
    reader->rows = rows;
}
