/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/jpeg_scan.h"

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

kst_status kst_jpeg_scan_open(struct memory *memory, struct jpeg_scan_reader *reader, const struct jpeg_plan *plan,
    uint32_t scan, enum cpu_tier tier)
{
    *reader = (struct jpeg_scan_reader){.overlay = decoded_before(plan, scan)};
    kst_status status = kst_jpeg_entropy_init(memory, &reader->entropy, plan, &plan->scan[scan], tier);
    if (!status)
        kst_jpeg_cursor_start(&reader->entropy, &reader->cursor, 0);
    return status;
}

void kst_jpeg_scan_close(struct memory *memory, struct jpeg_scan_reader *reader)
{
    kst_jpeg_entropy_release(memory, &reader->entropy);
}

/* Where a component is decoded twice its DC coefficients are replaced, of the others those that the later scan has. */
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

/* The blocks of an MCU lie component by component, in rows (A.2.3). */
static void store_mcu(const struct jpeg_scan_reader *reader, const struct jpeg_coefficients *coefficients,
    const int16_t *blocks, uint32_t mcu)
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
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++, blocks += 64)
                store_block(
                    kst_jpeg_block(coefficients, component, mcu_x * w + x, mcu_y * h + y), blocks, reader->overlay);
    }
}

static void read_sequential(
    struct jpeg_scan_reader *reader, const struct jpeg_coefficients *coefficients, uint32_t mcu_end)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    struct jpeg_cursor *cursor = &reader->cursor;
    while (cursor->mcu < mcu_end) {
        uint32_t mcu = cursor->mcu;
        if (cursor->ended) {
            uint32_t left = mcu_end - mcu;
            kst_jpeg_cursor_advance(&reader->entropy, cursor, left < cursor->to_go ? left : cursor->to_go);
            continue;
        }
        memset(blocks, 0, reader->entropy.mcu_blocks * 64 * sizeof blocks[0]);
        kst_jpeg_decode_mcu(&reader->entropy, cursor, blocks, last);
        store_mcu(reader, coefficients, blocks, mcu);
    }
}

/* The scan's MCUs in the first `rows` rows of the frame's. */
static uint32_t mcus_in_rows(const struct jpeg_entropy *entropy, uint32_t rows)
{
    const struct jpeg_scan *scan = entropy->scan;
    if (scan->component_count == 1)
        rows *= entropy->plan->frame.component[scan->component[0]].v;
    return scan->geometry.mcus_w * (rows < scan->geometry.mcus_h ? rows : scan->geometry.mcus_h);
}

void kst_jpeg_scan_read(struct jpeg_scan_reader *reader, const struct jpeg_coefficients *coefficients, uint32_t rows)
{
    read_sequential(reader, coefficients, mcus_in_rows(&reader->entropy, rows));
    reader->rows = rows;
}
