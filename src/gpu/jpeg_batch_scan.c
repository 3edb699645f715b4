/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels are told of a scan: tables, segments, the bytes themselves. */

#include <string.h>

#include "gpu/jpeg_builder.h"
#include "gpu/jpeg_symbols.h"

enum {
    SEGMENT_WORDS = sizeof(struct work_segment) / 4,
    SHORT_WORDS = (1 << WORK_SHORT_BITS) / 2,
    LONG_WORDS = (1 << WORK_LONG_BITS) / 2,
    MOST_PADDING = 3 /* words before the tables, which begin at a multiple of 16 bytes, as all of them do */
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

/* The kinds of blocks of a scan: pairs of a DC and an AC table. */
struct kind_list {
    uint16_t dc[JPEG_COMPONENTS], ac[JPEG_COMPONENTS];
    uint32_t count;
};

static uint32_t find_kind(struct kind_list *list, uint16_t dc, uint16_t ac)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->dc[i] == dc && list->ac[i] == ac)
            return i;
    list->dc[list->count] = dc;
    list->ac[list->count] = ac;
    return list->count++;
}

static struct kind_list list_kinds(const struct jpeg_scan *scan)
{
    struct kind_list list = {.count = 0};
    for (uint32_t i = 0; i < scan->component_count; i++)
        find_kind(&list, scan->dc_table[i], scan->ac_table[i]);
    return list;
}

/* As many bits as there is room for. */
static uint32_t pair_bits(const struct kind_list *list)
{
    return list->count <= 2 ? WORK_SHORT_BITS : WORK_SHORT_BITS - 1;
}

static uint32_t pair_words(const struct kind_list *list)
{
    return 2 * list->count << pair_bits(list);
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

/* A picture's parts fill whole groups; one without any has a group still, which clears its coefficients. */
static uint32_t count_groups(uint64_t parts)
{
    return parts > 0 ? kst_divide_up(parts, WORK_PARTS) : 1;
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
    struct kind_list kinds = list_kinds(scan);
    uint64_t offset, length, parts = 0;
    stream_range(plan, &offset, &length);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        parts += count_parts(segment->offset - offset, segment->length);
    }
    uint64_t blocks = (uint64_t)scan->geometry.mcus_w * scan->geometry.mcus_h * scan->geometry.mcu_blocks;
    size->words += (uint64_t)scan->segment_count * SEGMENT_WORDS + (uint64_t)tables.count * SHORT_WORDS +
                   (uint64_t)count_long_tables(plan, &tables) * LONG_WORDS + pair_words(&kinds) + MOST_PADDING;
    size->stream += length / 16 + 2;
    size->blocks += blocks;
    size->groups[WORK_OF_PARTS] += count_groups(parts);
}

static void write_tables(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    struct table_list list = list_tables(plan->scan);
    uint32_t long_tables = 0;
    builder->words = (builder->words + 3) / 4 * 4;
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

static const uint16_t *short_table(const struct builder *builder, const struct work_picture *picture, uint32_t index)
{
    return (const uint16_t *)(builder->work + picture->short_table + index * SHORT_WORDS);
}

static void write_pairs(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    struct table_list tables = list_tables(plan->scan);
    struct kind_list kinds = list_kinds(plan->scan);
    uint32_t bits = pair_bits(&kinds), *out = builder->work + builder->words;
    picture->pair_table = builder->words;
    picture->pair_bits = bits;
    picture->pair_words = pair_words(&kinds);
    for (uint32_t i = 0; i < kinds.count; i++, out += 2U << bits) {
        const uint16_t *dc = short_table(builder, picture, find_table(&tables, kinds.dc[i], JPEG_DC));
        const uint16_t *ac = short_table(builder, picture, find_table(&tables, kinds.ac[i], JPEG_AC));
        kst_gpu_jpeg_pairs(dc, ac, bits, out);
        kst_gpu_jpeg_pairs(ac, ac, bits, out + (1U << bits));
    }
    builder->words += picture->pair_words;
}

void kst_gpu_tables_begin(struct jpeg_gpu_tables *tables)
{
    *tables = (struct jpeg_gpu_tables){.count = 0};
    pthread_mutex_init(&tables->lock, NULL);
}

void kst_gpu_tables_end(struct jpeg_gpu_tables *tables, struct memory *memory)
{
    kst_memory_release(memory, tables->words);
    pthread_mutex_destroy(&tables->lock);
}

static void make_key(const struct jpeg_plan *plan, struct jpeg_gpu_table_key *key)
{
    struct table_list tables = list_tables(plan->scan);
    struct kind_list kinds = list_kinds(plan->scan);
    memset(key, 0, sizeof *key);
    key->tables = tables.count;
    key->kinds = kinds.count;
    for (uint32_t i = 0; i < tables.count; i++) {
        key->table_class[i] = tables.table_class[i];
        key->table[i] = plan->huffman[tables.index[i]];
    }
    for (uint32_t i = 0; i < kinds.count; i++) {
        key->dc[i] = find_table(&tables, kinds.dc[i], JPEG_DC);
        key->ac[i] = find_table(&tables, kinds.ac[i], JPEG_AC);
    }
}

/* Where tables are that begin at a word of the work: as those of a picture do, whose first word is `from`. */
static void refer(struct work_picture *picture, const struct work_picture *like, uint32_t from, uint32_t to)
{
    picture->tables = like->tables;
    picture->short_table = like->short_table - from + to;
    picture->long_table = like->long_table - from + to;
    picture->pair_table = like->pair_table - from + to;
    picture->pair_words = like->pair_words;
    picture->pair_bits = like->pair_bits;
}

/* From those kept of an earlier batch. */
static bool copy_tables(struct builder *builder, struct jpeg_gpu_tables *kept, struct work_picture *picture)
{
    pthread_mutex_lock(&kept->lock);
    bool same = kept->count > 0 && memcmp(&kept->key, &builder->key, sizeof kept->key) == 0;
    if (same) {
        uint32_t to = (builder->words + 3) / 4 * 4;
        memcpy(builder->work + to, kept->words, kept->count * sizeof *kept->words);
        refer(picture, &kept->like, kept->like.short_table, to);
        builder->words = to + kept->count;
    }
    pthread_mutex_unlock(&kept->lock);
    return same;
}

/* For the next batch, unless there is no memory for them. */
static void keep_tables(const struct builder *builder, struct jpeg_gpu_tables *kept, const struct work_picture *picture)
{
    uint32_t count = builder->words - picture->short_table;
    pthread_mutex_lock(&kept->lock);
    if (kept->capacity < count) {
        kst_memory_release(builder->memory, kept->words);
        kept->words = kst_memory_array(builder->memory, count, sizeof *kept->words, NULL);
        kept->capacity = kept->words ? count : 0;
    }
    kept->count = kept->words ? count : 0;
    if (kept->words)
        memcpy(kept->words, builder->work + picture->short_table, count * sizeof *kept->words);
    kept->like = *picture;
    kept->key = builder->key;
    pthread_mutex_unlock(&kept->lock);
}

/* As the picture before has them, or the batch before, if those are the same. */
static void place_tables(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    struct jpeg_gpu_table_key key;
    make_key(plan, &key);
    if (builder->like && memcmp(&key, &builder->key, sizeof key) == 0) {
        refer(picture, builder->like, 0, 0);
        return;
    }
    builder->key = key;
    builder->like = picture;
    if (copy_tables(builder, builder->kept, picture))
        return;
    write_tables(builder, plan, picture);
    write_pairs(builder, plan, picture);
    keep_tables(builder, builder->kept, picture);
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
    builder->used.groups[WORK_OF_PARTS] += count_groups(parts);
}

static void write_stream(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    uint64_t offset, length;
    stream_range(plan, &offset, &length);
    picture->stream = (uint32_t)builder->used.stream;
    picture->stream_length = (uint32_t)length;
    builder->used.stream += length / 16 + 2;
}

static void write_mcu(const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    const struct jpeg_scan *scan = item->plan->scan;
    const uint32_t table_size = 1 << WORK_SHORT_BITS;
    struct table_list list = list_tables(scan);
    struct kind_list kinds = list_kinds(scan);
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint32_t index = scan->component[i];
        const struct jpeg_component *c = &item->output.frame.component[index];
        uint32_t dc = find_table(&list, scan->dc_table[i], JPEG_DC) * table_size;
        uint32_t ac = find_table(&list, scan->ac_table[i], JPEG_AC) * table_size;
        uint32_t kind = find_kind(&kinds, scan->dc_table[i], scan->ac_table[i]);
        for (uint32_t j = 0; j < (uint32_t)c->h * c->v; j++, block++) {
            picture->block_component[block] = index | j % c->h << 8 | j / c->h << 16;
            picture->block_table[block] = dc | ac << 16;
            picture->block_kinds |= kind << 2 * block;
        }
        if (picture->scan_components <= index)
            picture->scan_components = index + 1;
    }
    picture->blocks_in_mcu = scan->geometry.mcu_blocks;
    picture->mcus_w = scan->geometry.mcus_w;
    picture->mcus = scan->geometry.mcus_w * scan->geometry.mcus_h;
    picture->interval = scan->restart_interval ? scan->restart_interval : picture->mcus;
}

void kst_gpu_scan_write(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    place_tables(builder, item->plan, picture);
    write_segments(builder, item->plan, picture);
    write_stream(builder, item->plan, picture);
    write_mcu(item, picture);
    picture->block = (uint32_t)builder->used.blocks;
    picture->blocks = picture->mcus * picture->blocks_in_mcu;
    builder->used.blocks += picture->blocks;
}
