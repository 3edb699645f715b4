/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the differences of a lossless scan. */
#include "jpeg/cpu/entropy/differences.h"

#include "core/report.h"

kst_status kst_jpeg_cpu_differences_init(struct memory *memory, struct jpeg_differences *differences,
    const struct jpeg_plan *plan, const struct jpeg_scan *scan)
{
    kst_status status = KST_OK;
    *differences = (struct jpeg_differences){.plan = plan, .scan = scan, .segment = scan->first_segment};
    differences->lookup = kst_memory_array(memory, scan->component_count, sizeof *differences->lookup, &status);
    kst_jpeg_cpu_damage_init(&differences->damage);
    for (uint32_t i = 0; !status && i < scan->component_count; i++)
        kst_jpeg_cpu_lookup_init(&differences->lookup[i], &plan->huffman[scan->dc_table[i]], JPEG_LOOKUP_DIFFERENCES);
    return status;
}

void kst_jpeg_cpu_differences_release(struct memory *memory, struct jpeg_differences *differences)
{
    kst_memory_release(memory, differences->lookup);
    differences->lookup = NULL;
}

static void note_invalid(struct jpeg_differences *d)
{
    const uint8_t *data = d->plan->data;
    uint64_t offset = (uint64_t)(kst_jpeg_cpu_bits_place(d->bits, data, NULL) - data);
    kst_jpeg_cpu_damage_note(&d->damage, KST_WARNING_JPEG_CODE, offset);
    d->damage.invalid++;
}

static void note_end(struct jpeg_differences *d, uint64_t offset)
{
    kst_jpeg_cpu_damage_note(&d->damage, KST_WARNING_JPEG_DATA_END, offset);
    d->damage.ended++;
    d->ended = true;
}

/* Return the offset of the data behind a lost interval, or of the end of the scan's data. */
static uint64_t offset_behind(const struct jpeg_differences *d)
{
    const struct jpeg_segment *segment = d->plan->segment;
    uint32_t end = d->scan->first_segment + d->scan->segment_count;
    if (d->segment < end)
        return segment[d->segment].offset;
    return d->scan->segment_count ? segment[end - 1].offset + segment[end - 1].length : d->scan->offset;
}

static void begin_interval(struct jpeg_differences *d, uint32_t interval)
{
    const struct jpeg_segment *segment = d->plan->segment;
    uint32_t end = d->scan->first_segment + d->scan->segment_count;
    while (d->segment < end && segment[d->segment].interval < interval)
        d->segment++;
    d->ended = false;
    if (d->segment < end && segment[d->segment].interval == interval)
        jpeg_bits_start(&d->bits, d->plan->data + segment[d->segment].offset, segment[d->segment].length);
    else
        note_end(d, offset_behind(d));
}

/* Count what is left behind an interval, as in the other processes (kst_jpeg_cpu_cursor_advance()). */
static void end_interval(struct jpeg_differences *d)
{
    const uint8_t *data = d->plan->data;
    uint32_t spare = d->row < d->scan->geometry.mcus_h ? 0 : JPEG_READ_AHEAD;
    if (d->ended || kst_jpeg_cpu_bits_unread(&d->bits, data, spare + 1) <= spare)
        return;
    kst_jpeg_cpu_damage_note(
        &d->damage, KST_WARNING_JPEG_GARBAGE, (uint64_t)(kst_jpeg_cpu_bits_place(d->bits, data, NULL) - data));
    d->damage.surplus++;
}

/* Read a difference. That of category 16 is 32,768, which no bits follow (H.1.2.2). */
static inline __attribute__((always_inline)) uint16_t read_one(
    struct jpeg_differences *d, struct jpeg_bits *bits, const struct jpeg_lookup *lookup)
{
    enum { LONGEST = 31 };
    if (bits->count < LONGEST)
        jpeg_bits_refill(bits);
    jpeg_symbol symbol = jpeg_lookup_symbol(lookup, bits->loaded);
    uint32_t value = (uint32_t)jpeg_symbol_value(symbol, bits->loaded) + (jpeg_symbol_advance(symbol) << 15);
    bits->loaded <<= jpeg_symbol_total(symbol);
    bits->count -= (int32_t)jpeg_symbol_total(symbol);
    if (__builtin_expect(jpeg_symbol_invalid(symbol), 0)) {
        d->bits = *bits;
        note_invalid(d);
    }
    return (uint16_t)value;
}

static void read_line(struct jpeg_differences *d, uint16_t *line)
{
    struct jpeg_bits bits = d->bits;
    for (uint32_t x = 0; x < d->scan->geometry.mcus_w; x++)
        line[x] = read_one(d, &bits, d->lookup);
    d->bits = bits;
}

/* Read an MCU row of several components that have one sample each in an MCU. */
static inline __attribute__((always_inline)) void read_equal(
    struct jpeg_differences *d, const struct jpeg_difference_lines *lines, uint32_t count)
{
    struct jpeg_bits bits = d->bits;
    for (uint32_t x = 0; x < d->scan->geometry.mcus_w; x++)
        for (uint32_t i = 0; i < count; i++)
            lines[i].line[0][x] = read_one(d, &bits, &d->lookup[i]);
    d->bits = bits;
}

static void read_mixed(struct jpeg_differences *d, const struct jpeg_difference_lines *lines)
{
    const struct jpeg_scan *scan = d->scan;
    struct jpeg_bits bits = d->bits;
    for (uint32_t mcu = 0; mcu < scan->geometry.mcus_w; mcu++)
        for (uint32_t i = 0; i < scan->component_count; i++) {
            const struct jpeg_component *c = &d->plan->frame.component[scan->component[i]];
            for (uint32_t y = 0; y < c->v; y++)
                for (uint32_t x = 0; x < c->h; x++)
                    lines[i].line[y][mcu * c->h + x] = read_one(d, &bits, &d->lookup[i]);
        }
    d->bits = bits;
}

static void read_row(struct jpeg_differences *d, const struct jpeg_difference_lines *lines)
{
    uint32_t count = d->scan->component_count;
    if (count == 1)
        read_line(d, lines[0].line[0]);
    else if (d->scan->geometry.mcu_blocks > count)
        read_mixed(d, lines);
    else if (count == 3)
        read_equal(d, lines, 3);
    else
        read_equal(d, lines, count);
    if (jpeg_bits_overrun(&d->bits))
        note_end(d, (uint64_t)(d->bits.end - d->plan->data));
}

static void clear_row(const struct jpeg_differences *d, const struct jpeg_difference_lines *lines)
{
    const struct jpeg_scan *scan = d->scan;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        const struct jpeg_component *c = &d->plan->frame.component[scan->component[i]];
        uint32_t height = scan->component_count == 1 ? 1 : c->v, across = scan->component_count == 1 ? 1 : c->h;
        for (uint32_t y = 0; y < height; y++)
            memset(lines[i].line[y], 0, (size_t)scan->geometry.mcus_w * across * sizeof *lines[i].line[y]);
    }
}

bool kst_jpeg_cpu_differences_read(
    struct jpeg_differences *d, const struct jpeg_difference_lines lines[JPEG_COMPONENTS])
{
    const struct jpeg_scan *scan = d->scan;
    uint32_t rows = scan->restart_interval ? scan->restart_interval / scan->geometry.mcus_w : scan->geometry.mcus_h;
    bool first = d->row % rows == 0;
    if (first)
        begin_interval(d, d->row / rows);
    if (d->ended)
        clear_row(d, lines);
    else
        read_row(d, lines);
    d->row++;
    if (d->row % rows == 0 || d->row == scan->geometry.mcus_h)
        end_interval(d);
    return first;
}
