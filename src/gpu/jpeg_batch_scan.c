/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels are told of a scan: tables, segments, the bytes themselves. */

#include "gpu/jpeg_builder.h"
#include "gpu/jpeg_symbols.h"

enum {
    SEGMENT_WORDS = sizeof(struct work_segment) / 4,
    SHORT_WORDS = (1 << WORK_SHORT_BITS) / 2,
    LONG_WORDS = (1 << WORK_LONG_BITS) / 2
};

/* The Huffman tables that a scan uses, each once. */
struct table_list {
    uint16_t index[WORK_TABLES]; /* in the plan */
    enum jpeg_table_class table_class[WORK_TABLES];
    uint32_t count;
};

static uint32_t find_table(struct table_list *list, uint16_t index, enum jpeg_table_class table_class)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->index[i] == index && list->table_class[i] == table_class)
            return i;
    list->index[list->count] = index;
    list->table_class[list->count] = table_class;
    return list->count++;
}

static struct table_list list_tables(const struct jpeg_scan *scan)
{
    struct table_list list = {.count = 0};
    for (uint32_t i = 0; i < scan->component_count; i++) {
        find_table(&list, scan->dc_table[i], JPEG_DC);
        find_table(&list, scan->ac_table[i], JPEG_AC);
    }
    return list;
}

static uint32_t count_long_tables(const struct jpeg_plan *plan, const struct table_list *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += kst_gpu_jpeg_long_tables(&plan->huffman[list->index[i]]);
    return count;
}

/* The bytes of the stream from the first segment's to the last one's. */
static void stream_range(const struct jpeg_plan *plan, uint64_t *offset, uint64_t *length)
{
    const struct jpeg_scan *scan = plan->scan;
    *offset = *length = 0;
    if (scan->segment_count == 0)
        return;
    const struct jpeg_segment *first = &plan->segment[scan->first_segment];
    const struct jpeg_segment *last = first + scan->segment_count - 1;
    *offset = first->offset;
    *length = last->offset + last->length - first->offset;
}

/* A segment's parts begin and end where those of the whole stream would. */
static uint32_t count_parts(uint64_t offset, uint64_t length)
{
    return (uint32_t)((offset + length - 1) / WORK_PART - offset / WORK_PART + 1);
}

const uint8_t *kst_gpu_scan_data(const struct jpeg_plan *plan, uint64_t *length)
{
    uint64_t offset;
    stream_range(plan, &offset, length);
    return plan->data + offset;
}

void kst_gpu_scan_size(const struct jpeg_plan *plan, struct jpeg_gpu_size *size)
{
    const struct jpeg_scan *scan = plan->scan;
    struct table_list tables = list_tables(scan);
    uint64_t offset, length, parts = 0;
    stream_range(plan, &offset, &length);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        parts += count_parts(segment->offset - offset, segment->length);
    }
    uint64_t blocks = (uint64_t)scan->geometry.mcus_w * scan->geometry.mcus_h * scan->geometry.mcu_blocks;
    size->words += (uint64_t)scan->segment_count * SEGMENT_WORDS + (uint64_t)tables.count * SHORT_WORDS +
                   (uint64_t)count_long_tables(plan, &tables) * LONG_WORDS;
    size->stream += length / 16 + 2;
    size->blocks += blocks;
    size->groups[WORK_OF_CHUNKS] += length / WORK_CHUNK + 1;
    size->groups[WORK_OF_PARTS] += kst_divide_up(parts, WORK_PARTS);
}

static void write_tables(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    struct table_list list = list_tables(plan->scan);
    uint32_t long_tables = 0;
    picture->tables = list.count;
    picture->short_table = builder->words;
    picture->long_table = builder->words + list.count * SHORT_WORDS;
    uint16_t *rest = (uint16_t *)(builder->work + picture->long_table);
    for (uint32_t i = 0; i < list.count; i++) {
        uint16_t *table = (uint16_t *)(builder->work + picture->short_table + i * SHORT_WORDS);
        long_tables =
            kst_gpu_jpeg_symbols(&plan->huffman[list.index[i]], list.table_class[i], table, rest, long_tables);
    }
    builder->words = picture->long_table + long_tables * LONG_WORDS;
}

static void write_segments(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    const struct jpeg_scan *scan = plan->scan;
    uint64_t offset, length;
    uint32_t parts = 0;
    stream_range(plan, &offset, &length);
    picture->segment = builder->words;
    picture->segments = scan->segment_count;
    struct work_segment *out = (struct work_segment *)(builder->work + builder->words);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        uint64_t from = segment->offset - offset;
        out[i] = (struct work_segment){.offset = (uint32_t)from,
            .length = (uint32_t)segment->length,
            .interval = segment->interval,
            .first_part = parts};
        parts += count_parts(from, segment->length);
    }
    picture->parts = parts;
    builder->words += scan->segment_count * SEGMENT_WORDS;
    builder->used.groups[WORK_OF_PARTS] += kst_divide_up(parts, WORK_PARTS);
}

static void write_stream(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    uint64_t offset, length;
    stream_range(plan, &offset, &length);
    picture->stream = (uint32_t)builder->used.stream;
    picture->stream_length = (uint32_t)length;
    builder->used.stream += length / 16 + 2;
    builder->used.groups[WORK_OF_CHUNKS] += length / WORK_CHUNK + 1;
}

static void write_mcu(const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    const struct jpeg_scan *scan = item->plan->scan;
    const uint32_t table_size = 1 << WORK_SHORT_BITS;
    struct table_list list = list_tables(scan);
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint32_t index = scan->component[i];
        const struct jpeg_component *c = &item->output.frame.component[index];
        uint32_t dc = find_table(&list, scan->dc_table[i], JPEG_DC) * table_size;
        uint32_t ac = find_table(&list, scan->ac_table[i], JPEG_AC) * table_size;
        for (uint32_t j = 0; j < (uint32_t)c->h * c->v; j++, block++) {
            picture->block_component[block] = index | j % c->h << 8 | j / c->h << 16;
            picture->block_table[block] = dc | ac << 16;
        }
    }
    picture->blocks_in_mcu = scan->geometry.mcu_blocks;
    picture->mcus_w = scan->geometry.mcus_w;
    picture->mcus = scan->geometry.mcus_w * scan->geometry.mcus_h;
    picture->interval = scan->restart_interval ? scan->restart_interval : picture->mcus;
}

void kst_gpu_scan_write(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    write_tables(builder, item->plan, picture);
    write_segments(builder, item->plan, picture);
    write_stream(builder, item->plan, picture);
    write_mcu(item, picture);
    picture->block = (uint32_t)builder->used.blocks;
    picture->blocks = picture->mcus * picture->blocks_in_mcu;
    builder->used.blocks += picture->blocks;
}
