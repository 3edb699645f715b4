/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves cursors through the entropy-coded data of a sequential scan: tables, restart intervals, and damage in the data.
 */
#include "jpeg/cpu/entropy/entropy.h"

#include "core/report.h"

void kst_jpeg_cpu_damage_init(struct jpeg_damage *damage)
{
    *damage = (struct jpeg_damage){.first_offset = KST_NO_OFFSET};
}

void kst_jpeg_cpu_damage_add(struct jpeg_damage *sum, const struct jpeg_damage *more)
{
    sum->ended += more->ended;
    sum->invalid += more->invalid;
    sum->surplus += more->surplus;
    if (more->first)
        kst_jpeg_cpu_damage_note(sum, more->first, more->first_offset);
}

void kst_jpeg_cpu_damage_note(struct jpeg_damage *damage, kst_status warning, uint64_t offset)
{
    bool later = offset > damage->first_offset || (offset == damage->first_offset && warning >= damage->first);
    if (damage->first && later)
        return;
    damage->first = warning;
    damage->first_offset = offset;
}

kst_status kst_jpeg_cpu_damage_report(const struct jpeg_damage *damage, bool strict, kst_report *report)
{
    uint64_t total = damage->ended + damage->invalid + damage->surplus;
    return total ? kst_report_warning(report, damage->first, damage->first_offset, total, strict) : KST_OK;
}

static void note_end(struct jpeg_cursor *cursor, uint64_t offset)
{
    kst_jpeg_cpu_damage_note(&cursor->damage, KST_WARNING_JPEG_DATA_END, offset);
    cursor->damage.ended++;
}

/* Holds the derived tables of a component. Tables that equal those of an earlier component are not made again. */
struct table_pair {
    struct jpeg_lookup dc;
    struct jpeg_lookup ac;
    struct jpeg_pairs pairs; /* made from `ac` */
    struct jpeg_pairs start; /* made from `dc` and `ac`, for runs */
};

/* Return the first component with the same table: sharing tables leaves more of the cache for each. */
static uint32_t first_with(const uint16_t *table, uint32_t component)
{
    uint32_t i = 0;
    while (table[i] != table[component])
        i++;
    return i;
}

/* Return the first component with the same DC and AC tables. */
static uint32_t first_like(const struct jpeg_scan *scan, uint32_t component)
{
    uint32_t i = 0;
    while (scan->dc_table[i] != scan->dc_table[component] || scan->ac_table[i] != scan->ac_table[component])
        i++;
    return i;
}

static kst_status derive_tables(struct memory *memory, struct jpeg_entropy *entropy)
{
    const struct jpeg_plan *plan = entropy->plan;
    const struct jpeg_scan *scan = entropy->scan;
    kst_status status = KST_OK;
    struct table_pair *tables = kst_memory_array(memory, scan->component_count, sizeof *tables, &status);
    if (!tables)
        return status;
    entropy->tables = tables;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        if (first_with(scan->dc_table, i) == i)
            kst_jpeg_cpu_lookup_init(&tables[i].dc, &plan->huffman[scan->dc_table[i]], JPEG_LOOKUP_DC);
        if (first_with(scan->ac_table, i) == i) {
            kst_jpeg_cpu_lookup_init(&tables[i].ac, &plan->huffman[scan->ac_table[i]], JPEG_LOOKUP_AC);
            kst_jpeg_cpu_pairs_init(&tables[i].pairs, &tables[i].ac, &tables[i].ac);
        }
        if (entropy->read_run && first_like(scan, i) == i)
            kst_jpeg_cpu_pairs_init(
                &tables[i].start, &tables[first_with(scan->dc_table, i)].dc, &tables[first_with(scan->ac_table, i)].ac);
    }
    return KST_OK;
}

/* Return the pairs that begin with the DC symbol of a block of the MCU. */
static const struct jpeg_pairs *start_of(const struct jpeg_entropy *entropy, uint32_t block)
{
    const struct table_pair *tables = entropy->tables;
    return &tables[first_like(entropy->scan, entropy->block_component[block])].start;
}

static void derive_run(struct jpeg_entropy *entropy)
{
    entropy->run_mcus = JPEG_RUN_BLOCKS / entropy->mcu_blocks;
    entropy->run_start = start_of(entropy, 0);
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        const struct jpeg_pairs *next = start_of(entropy, (i + 1) % entropy->mcu_blocks);
        ptrdiff_t ac = (const uint8_t *)entropy->pairs[i] - (const uint8_t *)next;
        entropy->run[i] = (struct jpeg_run_block){next, ac, entropy->dc[i], entropy->ac[i]};
    }
    for (uint32_t i = entropy->mcu_blocks; i < entropy->run_mcus * entropy->mcu_blocks; i++)
        entropy->run[i] = entropy->run[i - entropy->mcu_blocks];
}

kst_status kst_jpeg_cpu_entropy_init(struct memory *memory, struct jpeg_entropy *entropy, const struct jpeg_plan *plan,
    const struct jpeg_scan *scan, enum cpu_tier tier)
{
    *entropy = (struct jpeg_entropy){.plan = plan,
        .scan = scan,
        .mcu_blocks = scan->geometry.mcu_blocks,
        .mcus = scan->geometry.mcus_w * scan->geometry.mcus_h};
    kst_jpeg_cpu_entropy_tier(entropy, tier);
    kst_status status = derive_tables(memory, entropy);
    if (status)
        return status;
    const struct table_pair *tables = entropy->tables;
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        const struct jpeg_component *c = &plan->frame.component[scan->component[i]];
        uint32_t count = scan->component_count == 1 ? 1 : (uint32_t)c->h * c->v;
        for (uint32_t j = 0; j < count; j++, block++) {
            entropy->block_component[block] = (uint8_t)i;
            entropy->dc[block] = &tables[first_with(scan->dc_table, i)].dc;
            entropy->ac[block] = &tables[first_with(scan->ac_table, i)].ac;
            entropy->pairs[block] = &tables[first_with(scan->ac_table, i)].pairs;
        }
    }
    if (entropy->read_run)
        derive_run(entropy);
    return KST_OK;
}

void kst_jpeg_cpu_entropy_release(struct memory *memory, struct jpeg_entropy *entropy)
{
    kst_memory_release(memory, entropy->tables);
    entropy->tables = NULL;
}

/* Return the offset of the end of the scan's data. */
static uint64_t data_end(const struct jpeg_entropy *entropy)
{
    const struct jpeg_scan *scan = entropy->scan;
    if (scan->segment_count == 0)
        return scan->offset;
    const struct jpeg_segment *last = &entropy->plan->segment[scan->first_segment + scan->segment_count - 1];
    return last->offset + last->length;
}

/* Begin an interval. cursor->segment must be at or before the interval's segment. */
static void begin_interval(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t interval)
{
    const struct jpeg_scan *scan = entropy->scan;
    const struct jpeg_segment *segment = entropy->plan->segment;
    uint32_t end = scan->first_segment + scan->segment_count;
    while (cursor->segment < end && segment[cursor->segment].interval < interval)
        cursor->segment++;
    cursor->mcu = scan->restart_interval ? interval * scan->restart_interval : 0;
    cursor->to_go = entropy->mcus - cursor->mcu;
    if (scan->restart_interval && cursor->to_go > scan->restart_interval)
        cursor->to_go = scan->restart_interval;
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        cursor->dc[i] = 0;
    cursor->eob_run = 0;
    cursor->ended = cursor->segment == end || segment[cursor->segment].interval != interval;
    if (!cursor->ended) {
        const struct jpeg_segment *found = &segment[cursor->segment];
        jpeg_bits_start(&cursor->bits, entropy->plan->data + found->offset, found->length);
        return;
    }
    uint64_t offset = cursor->segment < end ? segment[cursor->segment].offset : data_end(entropy);
    jpeg_bits_start(&cursor->bits, entropy->plan->data + offset, 0);
    note_end(cursor, offset);
}

void kst_jpeg_cpu_cursor_start(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t interval)
{
    const struct jpeg_segment *segment = entropy->plan->segment;
    uint32_t low = entropy->scan->first_segment;
    uint32_t high = low + entropy->scan->segment_count;
    while (low < high) { /* find the first segment of this interval or a later one */
        uint32_t middle = low + (high - low) / 2;
        if (segment[middle].interval < interval)
            low = middle + 1;
        else
            high = middle;
    }
    kst_jpeg_cpu_damage_init(&cursor->damage);
    cursor->segment = low;
    begin_interval(entropy, cursor, interval);
}

void kst_jpeg_cpu_cursor_forget(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, bool lost)
{
    kst_jpeg_cpu_damage_init(&cursor->damage);
    if (lost && cursor->ended)
        note_end(cursor, (uint64_t)(cursor->bits.end - entropy->plan->data));
}

/*
 * Return whether an interval has more data left than is allowed. At the end of a scan libjpeg silently drops up to
 * seven bytes that it has read ahead, the whole bytes in its buffer of 64 bits. How many these are depends on where it
 * last filled the buffer, and so on the lengths of all codes before, which no decoder here keeps: it is always seven.
 * The library in the place of libjpeg lets the system's library decode such a picture (kst_lines_left()).
 */
static bool has_surplus(const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor)
{
    uint32_t spare = cursor->mcu < entropy->mcus ? 0 : JPEG_READ_AHEAD;
    return kst_jpeg_cpu_bits_unread(&cursor->bits, entropy->plan->data, spare + 1) > spare;
}

uint32_t kst_jpeg_cpu_cursor_left(const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor)
{
    return kst_jpeg_cpu_bits_unread(&cursor->bits, entropy->plan->data, UINT32_MAX);
}

void kst_jpeg_cpu_cursor_advance(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count)
{
    cursor->mcu += count;
    cursor->to_go -= count;
    if (!cursor->ended && jpeg_bits_overrun(&cursor->bits)) {
        note_end(cursor, (uint64_t)(cursor->bits.end - entropy->plan->data));
        cursor->ended = true;
    }
    if (cursor->to_go > 0)
        return;
    if (!cursor->ended && has_surplus(entropy, cursor)) {
        const uint8_t *data = entropy->plan->data;
        uint64_t offset = (uint64_t)(kst_jpeg_cpu_bits_place(cursor->bits, data, NULL) - data);
        kst_jpeg_cpu_damage_note(&cursor->damage, KST_WARNING_JPEG_GARBAGE, offset);
        cursor->damage.surplus++;
    }
    if (cursor->mcu < entropy->mcus)
        begin_interval(entropy, cursor, cursor->mcu / entropy->scan->restart_interval);
}

/* Move an ended cursor into the last of the lost intervals that follow its own and lie before MCU `end`. */
static void pass_lost(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t end)
{
    const struct jpeg_scan *scan = entropy->scan;
    const struct jpeg_segment *segment = entropy->plan->segment;
    uint32_t length = scan->restart_interval;
    uint32_t segments = scan->first_segment + scan->segment_count;
    uint32_t first = (cursor->mcu + cursor->to_go) / length;
    while (cursor->segment < segments && segment[cursor->segment].interval < first)
        cursor->segment++;
    bool more = cursor->segment < segments;
    uint32_t behind = more ? segment[cursor->segment].interval : scan->interval_count;
    if (behind > end / length)
        behind = end / length;
    if (behind <= first)
        return;
    note_end(cursor, more ? segment[cursor->segment].offset : data_end(entropy));
    cursor->damage.ended += behind - first - 1;
    cursor->mcu = (behind - 1) * length;
    cursor->to_go = length;
}

void kst_jpeg_cpu_cursor_pass(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t end)
{
    while (cursor->ended && cursor->mcu < end) {
        if (cursor->to_go < end - cursor->mcu)
            pass_lost(entropy, cursor, end);
        uint32_t count = end - cursor->mcu;
        kst_jpeg_cpu_cursor_advance(entropy, cursor, count < cursor->to_go ? count : cursor->to_go);
    }
}

void kst_jpeg_cpu_decode_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    if (cursor->ended) {
        memset(blocks, 0, (size_t)entropy->mcu_blocks * 64 * sizeof *blocks);
        memset(last, 0, entropy->mcu_blocks);
    } else {
        entropy->read_mcu(entropy, cursor, blocks, last);
    }
    kst_jpeg_cpu_cursor_advance(entropy, cursor, 1);
}

bool kst_jpeg_cpu_decode_run(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count, int16_t *blocks, uint8_t *last)
{
    if (!entropy->read_run || cursor->ended || count > cursor->to_go)
        return false;
    const struct jpeg_cursor before = *cursor;
    bool good = entropy->read_run(entropy, cursor, count, blocks, last);
    if (good)
        kst_jpeg_cpu_cursor_advance(entropy, cursor, count);
    else
        *cursor = before;
    return good;
}

uint32_t kst_jpeg_cpu_decode_mcus(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count, int16_t *blocks, uint8_t *last)
{
    uint32_t size = entropy->mcu_blocks;
    if (count > JPEG_RUN_BLOCKS / size)
        count = JPEG_RUN_BLOCKS / size;
    if (!cursor->ended && count > cursor->to_go)
        count = cursor->to_go;
    if (kst_jpeg_cpu_decode_run(entropy, cursor, count, blocks, last))
        return count;
    for (uint32_t i = 0; i < count; i++)
        kst_jpeg_cpu_decode_mcu(entropy, cursor, blocks + (size_t)i * size * 64, last + (size_t)i * size);
    return count;
}

void kst_jpeg_cpu_skip_mcus(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t count)
{
    while (count > 0) {
        uint32_t run = 1;
        if (cursor->ended)
            run = count < cursor->to_go ? count : cursor->to_go;
        else
            entropy->skip_mcu(entropy, cursor);
        kst_jpeg_cpu_cursor_advance(entropy, cursor, run);
        count -= run;
    }
}
