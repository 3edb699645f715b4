/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes scans for the kernels: their tables, their segments and the bytes themselves. */

#include <stddef.h>
#include <string.h>

#include "jpeg/gpu/builder.h"
#include "jpeg/gpu/symbols.h"

enum {
    SEGMENT_WORDS = sizeof(struct jpeg_work_segment) / 4,
    SHORT_WORDS = WORK_SHORT_SIZE / 2,
    LONG_WORDS = WORK_LONG_SIZE / 2,
    MOST_PADDING = 3 /* words of padding in front of the tables, each of which begins at a multiple of 16 bytes */
};

static bool is_scanned(const struct jpeg_plan *plan, uint8_t component)
{
    for (uint32_t i = 0; i < plan->scan_count; i++)
        for (uint32_t j = 0; j < plan->scan[i].component_count; j++)
            if (plan->scan[i].component[j] == component)
                return true;
    return false;
}

uint32_t kst_jpeg_gpu_scan_count(const struct jpeg_plan *plan)
{
    uint32_t count = plan->scan_count;
    for (uint8_t i = 0; i < plan->frame.component_count; i++)
        count += !is_scanned(plan, i);
    return count;
}

/* Return a scan for a component that no scan holds: it has no data, so all coefficients are zero. */
static struct jpeg_scan missing_scan(const struct jpeg_plan *plan, uint8_t component)
{
    struct jpeg_scan scan = {.component_count = 1, .component = {component}, .se = 63, .interval_count = 1};
    scan.dc_table[0] = plan->scan->dc_table[0];
    scan.ac_table[0] = plan->scan->ac_table[0];
    kst_jpeg_scan_geometry(&plan->frame, scan.component, 1, &scan.geometry);
    return scan;
}

const struct jpeg_scan *kst_jpeg_gpu_scan(const struct jpeg_plan *plan, uint32_t index, struct jpeg_scan *room)
{
    if (index < plan->scan_count)
        return &plan->scan[index];
    uint8_t component = 0;
    for (uint32_t left = index - plan->scan_count; is_scanned(plan, component) || left-- > 0;)
        component++;
    *room = missing_scan(plan, component);
    return room;
}

/* Holds the Huffman tables that a scan uses, each once. */
struct table_list {
    uint16_t index[WORK_TABLES]; /* index in the plan */
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

/* Holds the kinds of blocks of a scan: pairs of a DC and an AC table. */
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

/* Return the number of bits looked up at once in the tables of pairs: as many as there is room for. */
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
        count += kst_jpeg_gpu_long_tables(&plan->huffman[list->index[i]]);
    return count;
}

/*
 * Find the range of the stream from the first segment to the end of the last one, including what lies between the
 * scans.
 */
static void stream_range(const struct jpeg_plan *plan, uint64_t *offset, uint64_t *length)
{
    *offset = *length = 0;
    if (plan->segment_count == 0)
        return;
    const struct jpeg_segment *last = &plan->segment[plan->segment_count - 1];
    *offset = plan->segment->offset;
    *length = last->offset + last->length - *offset;
}

/* Return the number of chunks of a segment. They begin and end where the chunks of the whole stream would. */
static uint32_t count_chunks(uint64_t offset, uint64_t length, uint32_t chunk_bits)
{
    return (uint32_t)(((offset + length - 1) >> chunk_bits) - (offset >> chunk_bits) + 1);
}

/*
 * Return the number of groups of chunks of a picture, the last of which may be partly empty. A picture without chunks
 * still has one group, which clears its coefficients.
 */
static uint32_t count_groups(uint64_t chunks)
{
    return chunks > 0 ? jpeg_gpu_divide_up(chunks, WORK_CHUNKS) : 1;
}

const uint8_t *kst_jpeg_gpu_scan_data(const struct jpeg_plan *plan, uint64_t *length)
{
    uint64_t offset;
    stream_range(plan, &offset, length);
    return plan->data + offset;
}

static void add_scan(const struct jpeg_gpu_item *item, const struct jpeg_scan *scan, struct jpeg_gpu_size *size)
{
    const struct jpeg_plan *plan = item->plan;
    struct table_list tables = list_tables(scan);
    struct kind_list kinds = list_kinds(scan);
    uint64_t offset, length, chunks = 0;
    stream_range(plan, &offset, &length);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        chunks += count_chunks(segment->offset - offset, segment->length, jpeg_gpu_chunk_bits(item));
    }
    uint64_t blocks = (uint64_t)scan->geometry.mcus_w * scan->geometry.mcus_h * scan->geometry.mcu_blocks;
    size->words += (uint64_t)scan->segment_count * SEGMENT_WORDS + (uint64_t)tables.count * SHORT_WORDS +
                   (uint64_t)count_long_tables(plan, &tables) * LONG_WORDS + pair_words(&kinds) + MOST_PADDING;
    size->blocks += blocks;
    uint64_t groups = count_groups(chunks);
    size->groups[WORK_OF_CHUNKS] += groups;
    size->most_groups = groups > size->most_groups ? groups : size->most_groups;
}

void kst_jpeg_gpu_scan_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size)
{
    const struct jpeg_plan *plan = item->plan;
    uint64_t offset, length;
    stream_range(plan, &offset, &length);
    size->stream += length / 16 + 2;
    for (uint32_t i = 0; i < kst_jpeg_gpu_scan_count(plan); i++) {
        struct jpeg_scan room;
        add_scan(item, kst_jpeg_gpu_scan(plan, i, &room), size);
    }
}

static void write_tables(struct jpeg_gpu_builder *builder, const struct jpeg_plan *plan, const struct jpeg_scan *scan,
    struct jpeg_work_picture *picture)
{
    struct table_list list = list_tables(scan);
    uint32_t long_tables = 0;
    builder->words = (builder->words + 3) / 4 * 4;
    picture->tables = list.count;
    picture->short_table = builder->words;
    picture->long_table = builder->words + list.count * SHORT_WORDS;
    uint16_t *rest = (uint16_t *)(builder->work + picture->long_table);
    for (uint32_t i = 0; i < list.count; i++) {
        uint16_t *table = (uint16_t *)(builder->work + picture->short_table + i * SHORT_WORDS);
        long_tables =
            kst_jpeg_gpu_symbols(&plan->huffman[list.index[i]], list.table_class[i], table, rest, long_tables);
    }
    builder->words = picture->long_table + long_tables * LONG_WORDS;
}

static const uint16_t *short_table(
    const struct jpeg_gpu_builder *builder, const struct jpeg_work_picture *picture, uint32_t index)
{
    return (const uint16_t *)(builder->work + picture->short_table + index * SHORT_WORDS);
}

static void write_pairs(
    struct jpeg_gpu_builder *builder, const struct jpeg_scan *scan, struct jpeg_work_picture *picture)
{
    struct table_list tables = list_tables(scan);
    struct kind_list kinds = list_kinds(scan);
    uint32_t bits = pair_bits(&kinds), *out = builder->work + builder->words;
    picture->pair_table = builder->words;
    picture->pair_bits = bits;
    picture->pair_words = pair_words(&kinds);
    for (uint32_t i = 0; i < kinds.count; i++, out += 2U << bits) {
        const uint16_t *dc = short_table(builder, picture, find_table(&tables, kinds.dc[i], JPEG_DC));
        const uint16_t *ac = short_table(builder, picture, find_table(&tables, kinds.ac[i], JPEG_AC));
        kst_jpeg_gpu_pairs(dc, ac, bits, out);
        kst_jpeg_gpu_pairs(ac, ac, bits, out + (1U << bits));
    }
    builder->words += picture->pair_words;
}

void kst_jpeg_gpu_tables_begin(struct jpeg_gpu_tables *tables)
{
    *tables = (struct jpeg_gpu_tables){.next = 0};
    pthread_mutex_init(&tables->lock, NULL);
}

void kst_jpeg_gpu_tables_end(struct jpeg_gpu_tables *tables, struct memory *memory)
{
    for (uint32_t i = 0; i < KEPT_SETS; i++)
        kst_memory_release(memory, tables->set[i].words);
    pthread_mutex_destroy(&tables->lock);
}

static struct jpeg_gpu_table_use use_of(const struct jpeg_plan *plan, const struct jpeg_scan *scan)
{
    struct table_list tables = list_tables(scan);
    struct kind_list kinds = list_kinds(scan);
    struct jpeg_gpu_table_use use = {.tables = tables.count, .kinds = kinds.count};
    for (uint32_t i = 0; i < tables.count; i++) {
        use.table_class[i] = tables.table_class[i];
        use.table[i] = &plan->huffman[tables.index[i]];
    }
    for (uint32_t i = 0; i < kinds.count; i++) {
        use.dc[i] = find_table(&tables, kinds.dc[i], JPEG_DC);
        use.ac[i] = find_table(&tables, kinds.ac[i], JPEG_AC);
    }
    return use;
}

_Static_assert(offsetof(struct jpeg_gpu_table_use, table) == 4 * (2 + WORK_TABLES + 2 * JPEG_COMPONENTS),
    "members without gaps, which are compared byte by byte");

/* Return whether two scans use tables of the same contents in the same way. */
static bool is_same_use(const struct jpeg_gpu_table_use *a, const struct jpeg_gpu_table_use *b)
{
    bool same = memcmp(a, b, offsetof(struct jpeg_gpu_table_use, table)) == 0;
    for (uint32_t i = 0; same && i < a->tables; i++)
        same = memcmp(a->table[i], b->table[i], sizeof *a->table[i]) == 0;
    return same;
}

/*
 * Point a picture to tables that begin at word `to` of the work and are laid out like those of the picture `like`,
 * whose first word is `from`.
 */
static void refer(struct jpeg_work_picture *picture, const struct jpeg_work_picture *like, uint32_t from, uint32_t to)
{
    picture->tables = like->tables;
    picture->short_table = like->short_table - from + to;
    picture->long_table = like->long_table - from + to;
    picture->pair_table = like->pair_table - from + to;
    picture->pair_words = like->pair_words;
    picture->pair_bits = like->pair_bits;
}

static const struct jpeg_gpu_table_set *find_kept(
    const struct jpeg_gpu_tables *kept, const struct jpeg_gpu_table_use *use)
{
    for (uint32_t i = 0; i < KEPT_SETS; i++)
        if (kept->set[i].count > 0 && is_same_use(&kept->set[i].use, use))
            return &kept->set[i];
    return NULL;
}

/* Copy the tables from those kept of an earlier part. Returns false if there are none. */
static bool copy_tables(
    struct jpeg_gpu_builder *builder, const struct jpeg_gpu_table_use *use, struct jpeg_work_picture *picture)
{
    struct jpeg_gpu_tables *kept = builder->kept;
    pthread_mutex_lock(&kept->lock);
    const struct jpeg_gpu_table_set *set = find_kept(kept, use);
    if (set) {
        uint32_t to = (builder->words + 3) / 4 * 4;
        memcpy(builder->work + to, set->words, set->count * sizeof *set->words);
        refer(picture, &set->like, set->like.short_table, to);
        builder->words = to + set->count;
    }
    pthread_mutex_unlock(&kept->lock);
    return set != NULL;
}

/* Keep the tables for later parts in place of the oldest ones, unless there is no memory for them. */
static void keep_tables(const struct jpeg_gpu_builder *builder, const struct jpeg_gpu_table_use *use,
    const struct jpeg_work_picture *picture)
{
    struct jpeg_gpu_tables *kept = builder->kept;
    uint32_t count = builder->words - picture->short_table;
    pthread_mutex_lock(&kept->lock);
    struct jpeg_gpu_table_set *set = &kept->set[kept->next++ % KEPT_SETS];
    if (set->capacity < count) {
        kst_memory_release(builder->memory, set->words);
        set->words = kst_memory_array(builder->memory, count, sizeof *set->words, NULL);
        set->capacity = set->words ? count : 0;
    }
    set->count = set->words ? count : 0;
    if (set->words)
        memcpy(set->words, builder->work + picture->short_table, count * sizeof *set->words);
    set->like = *picture;
    set->use = *use;
    for (uint32_t i = 0; i < use->tables; i++) {
        set->table[i] = *use->table[i];
        set->use.table[i] = &set->table[i];
    }
    pthread_mutex_unlock(&kept->lock);
}

/* Return a picture of the part that has the same tables; null if none of those looked at, the last few, does. */
static const struct jpeg_work_picture *find_alike(
    const struct jpeg_gpu_builder *builder, const struct jpeg_gpu_table_use *use)
{
    for (uint32_t i = 1; i <= BUILDER_SETS; i++) {
        uint32_t set = (builder->sets - i) % BUILDER_SETS;
        if (builder->like[set] && is_same_use(use, &builder->use[set]))
            return builder->like[set];
    }
    return NULL;
}

/*
 * Place the tables of a scan: share those of an earlier picture, or copy those of an earlier part, if these are the
 * same; otherwise make them.
 */
static void place_tables(struct jpeg_gpu_builder *builder, const struct jpeg_plan *plan, const struct jpeg_scan *scan,
    struct jpeg_work_picture *picture)
{
    const struct jpeg_gpu_table_use use = use_of(plan, scan);
    const struct jpeg_work_picture *like = find_alike(builder, &use);
    if (like) {
        refer(picture, like, 0, 0);
        return;
    }
    builder->use[builder->sets % BUILDER_SETS] = use;
    builder->like[builder->sets++ % BUILDER_SETS] = picture;
    if (copy_tables(builder, &use, picture))
        return;
    write_tables(builder, plan, scan, picture);
    write_pairs(builder, scan, picture);
    keep_tables(builder, &use, picture);
}

static void write_segments(struct jpeg_gpu_builder *builder, const struct jpeg_plan *plan, const struct jpeg_scan *scan,
    struct jpeg_work_picture *picture)
{
    uint64_t offset, length;
    uint32_t chunks = 0;
    stream_range(plan, &offset, &length);
    picture->segment = builder->words;
    picture->segments = scan->segment_count;
    struct jpeg_work_segment *out = (struct jpeg_work_segment *)(builder->work + builder->words);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        uint64_t from = segment->offset - offset;
        out[i] = (struct jpeg_work_segment){.offset = (uint32_t)from,
            .length = (uint32_t)segment->length,
            .interval = segment->interval,
            .first_chunk = chunks};
        chunks += count_chunks(from, segment->length, picture->chunk_bits);
    }
    picture->chunks = chunks;
    builder->words += scan->segment_count * SEGMENT_WORDS;
    builder->used.groups[WORK_OF_CHUNKS] += count_groups(chunks);
}

/*
 * Return the number of maps that one work-item may complete. Completing one takes up to a tenth of a millisecond, in
 * which a CPU decodes more than a hundred chunks; and drivers end kernels that take seconds. A photograph needs one or
 * none. If pixels from the CPU would come too late, the limit is higher. Shorter chunks take less time each.
 */
static uint32_t most_completed(uint32_t chunks, uint32_t shorter, bool ordered)
{
    enum { SHARE = 128, LEAST = 64, MOST = 2048, MOST_ORDERED = 8192 };
    if (ordered)
        return MOST_ORDERED;
    uint32_t share = chunks / SHARE < MOST ? chunks / SHARE : MOST;
    return share > (uint32_t)LEAST << shorter ? share : (uint32_t)LEAST << shorter;
}

/*
 * Describe the bytes of a scan. All scans of a picture share them, and the offsets of their segments count from their
 * start.
 */
static void write_stream(struct jpeg_gpu_builder *builder, const struct jpeg_plan *plan,
    const struct jpeg_work_picture *first, struct jpeg_work_picture *picture)
{
    uint64_t offset, length;
    stream_range(plan, &offset, &length);
    picture->stream = picture == first ? (uint32_t)builder->used.stream : first->stream;
    picture->stream_length = (uint32_t)length;
    builder->used.stream += picture == first ? length / 16 + 2 : 0;
}

/* Describe the MCUs of a scan. In a scan of one component an MCU is one block (T.81 A.2.2). */
static void write_mcu(const struct jpeg_frame *frame, const struct jpeg_scan *scan, struct jpeg_work_picture *picture)
{
    struct table_list list = list_tables(scan);
    struct kind_list kinds = list_kinds(scan);
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        const struct jpeg_component *c = &frame->component[scan->component[i]];
        uint32_t dc = find_table(&list, scan->dc_table[i], JPEG_DC) * WORK_SHORT_SIZE;
        uint32_t ac = find_table(&list, scan->ac_table[i], JPEG_AC) * WORK_SHORT_SIZE;
        uint32_t kind = find_kind(&kinds, scan->dc_table[i], scan->ac_table[i]);
        uint32_t h = scan->component_count > 1 ? c->h : 1, v = scan->component_count > 1 ? c->v : 1;
        for (uint32_t j = 0; j < h * v; j++, block++) {
            picture->block_component[block] = i | j % h << 8 | j / h << 16;
            picture->block_table[block] = dc | ac << 16;
            picture->block_kinds |= kind << 2 * block;
        }
    }
    picture->scan_components = scan->component_count;
    picture->blocks_in_mcu = scan->geometry.mcu_blocks;
    picture->mcus_w = scan->geometry.mcus_w;
    picture->mcus = scan->geometry.mcus_w * scan->geometry.mcus_h;
    picture->interval = scan->restart_interval ? scan->restart_interval : picture->mcus;
}

void kst_jpeg_gpu_scan_write(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item, uint32_t index,
    const struct jpeg_work_picture *first, struct jpeg_work_picture *picture)
{
    struct jpeg_scan room;
    const struct jpeg_scan *scan = kst_jpeg_gpu_scan(item->plan, index, &room);
    place_tables(builder, item->plan, scan, picture);
    picture->chunk_bits = jpeg_gpu_chunk_bits(item);
    write_segments(builder, item->plan, scan, picture);
    picture->most_completed = most_completed(picture->chunks, item->shorter, item->ordered);
    write_stream(builder, item->plan, first, picture);
    write_mcu(&item->output.frame, scan, picture);
    picture->block = (uint32_t)builder->used.blocks;
    picture->blocks = picture->mcus * picture->blocks_in_mcu;
    builder->used.blocks += picture->blocks;
}
