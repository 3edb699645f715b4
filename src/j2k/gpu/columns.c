/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the columns of volumes to the kernels: for each volume its levels along z and its slices, which refer to
 * rows of a column; and for each tile where the samples of these rows lie.
 */
#include "device/float_bits.h"
#include "image/location.h"
#include "j2k/gpu/part.h"
#include "j2k/syntax/geometry.h"

#include <math.h>
#include <string.h>

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

/* Holds the state while columns are written. */
struct columns_writer {
    struct j2k_gpu_part *part;
    uint32_t *work;
    uint32_t at;     /* index of the next word for data that records point to */
    uint32_t record; /* index of the next struct j2k_work_columns */
};

static uint32_t range_length(struct j2k_z_range range)
{
    return range.end - range.start;
}

static uint32_t levels_of(const struct j2k_gpu_volume *v)
{
    return v->wavelet ? v->need->levels - v->need->reduce : 0;
}

/* Return how many rows a column keeps: all except the high rows of the finest level, which come last. */
static uint32_t kept_rows(const struct j2k_gpu_volume *v)
{
    return levels_of(v) > 0 ? v->rows - range_length(kst_j2k_z_band(v->need->computed[v->need->reduce], 1)) : 0;
}

bool kst_j2k_gpu_is_deep(const struct j2k_gpu_item *item)
{
    return item->volume && (item->volume->stages || kept_rows(item->volume) > J2K_COLUMN_MORE);
}

uint64_t kst_j2k_gpu_volume_bytes(const struct j2k_gpu_item *item)
{
    const struct j2k_gpu_volume *v = item->volume;
    if (!v || item->in_place)
        return 0;
    return (uint64_t)v->output.width * v->output.height * v->output.depth * kst_volume_sample_bytes(&v->output);
}

/*
 * Describes a list of rows in the work: a word for each pair of positions. `first` is the first position that is used.
 */
struct row_list {
    uint32_t at, first;
};

/* Return the words of a list of `rows` rows, of which the first may be at an odd position, with its surroundings. */
static uint32_t list_words(uint32_t rows)
{
    return J2K_PAIRS_ABOVE + rows / 2 + 1 + J2K_PAIRS_BELOW;
}

/* Begin a list of `rows` rows, the first of which has position `first`, and advance w->at behind the list. */
static struct row_list begin_list(struct columns_writer *w, uint32_t rows, uint32_t first)
{
    const struct row_list list = {w->at, 2 * J2K_PAIRS_ABOVE + first};
    memset(w->work + w->at, 0, list_words(rows) * sizeof *w->work);
    w->at += list_words(rows);
    return list;
}

/* Set a row of a list; its half of the word must still be 0. */
static void put_row(const struct columns_writer *w, struct row_list list, uint32_t index, uint32_t row)
{
    const uint32_t place = list.first + index;
    w->work[list.at + place / 2] |= row << (place % 2 * 16);
}

static uint32_t get_row(const struct columns_writer *w, struct row_list list, uint32_t index)
{
    const uint32_t place = list.first + index, word = w->work[list.at + place / 2];
    return place % 2 == 0 ? word & 0xffff : word >> 16;
}

static uint64_t program_words(const struct j2k_gpu_stages *stages)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stages->count; i++)
        sum += stages->program[i].length;
    return sum;
}

/* Return the words of a volume's levels and slices, or of its stages. */
static uint64_t volume_words(const struct j2k_gpu_volume *v)
{
    if (v->stages)
        return program_words(v->stages);
    const uint32_t levels = levels_of(v), shown = range_length(v->shown);
    uint64_t sum = levels * WORDS(struct j2k_work_z_level) + (uint64_t)shown * WORDS(struct j2k_work_slice);
    sum += list_words(v->wavelet ? range_length(v->need->valid[v->need->levels]) : shown);
    for (uint32_t n = 0; n < levels; n++)
        sum += list_words(range_length(v->need->computed[v->need->reduce + n]));
    return sum;
}

static uint64_t tile_words(const struct j2k_gpu_volume *v)
{
    return WORDS(struct j2k_work_columns) + 1 + 2 * (uint64_t)v->rows;
}

uint64_t kst_j2k_gpu_item_column_words(const struct j2k_gpu_item *item)
{
    const struct j2k_gpu_volume *v = item->volume;
    return v ? volume_words(v) + tile_words(v) * item->plan->tile_count : 0;
}

/* Return the area of a tile, which all wanted components share; an empty one if no component is wanted. */
static struct j2k_rect area_of(const struct j2k_plan *plan, const struct j2k_tile *tile)
{
    for (uint32_t c = 0; c < plan->component_count; c++)
        if (plan->tile_component[tile->first_component + c].resolution_count > 0)
            return plan->tile_component[tile->first_component + c].area;
    return (struct j2k_rect){0, 0, 0, 0};
}

/* Return the words of a tile's rows behind those of the coded components. */
static uint64_t stage_words(const struct j2k_gpu_item *item, uint32_t tile)
{
    const struct j2k_gpu_stages *stages = item->volume->stages;
    return j2k_gpu_area(area_of(item->plan, &item->plan->tile[tile])) * stages->program[stages->of_tile[tile]].rows;
}

uint64_t kst_j2k_gpu_stage_words(const struct j2k_gpu_item *item)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < item->plan->tile_count && item->volume && item->volume->stages; t++)
        sum += stage_words(item, t);
    return sum;
}

void kst_j2k_gpu_count_columns(struct j2k_gpu_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_plan *plan = part->items[i].plan;
        for (uint32_t t = 0; t < plan->tile_count && part->items[i].volume; t++)
            part->columns += j2k_gpu_area(area_of(plan, &plan->tile[t])) > 0;
    }
}

uint32_t kst_j2k_gpu_column_words(const struct j2k_gpu_part *part)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < part->count; i++)
        sum += kst_j2k_gpu_item_column_words(&part->items[i]);
    return (uint32_t)sum;
}

static uint32_t slot_of(const struct j2k_gpu_volume *v, uint32_t n, uint32_t high, uint32_t position)
{
    return v->slot[kst_j2k_z_component(v->layout, n, high, position)];
}

/* List the rows of the lowest band, or of the slices if there is no transform along z. */
static struct row_list write_lowest(struct columns_writer *w, const struct j2k_gpu_volume *v)
{
    const struct j2k_z_range range = v->wavelet ? v->need->valid[v->need->levels] : v->shown;
    const struct row_list list = begin_list(w, range_length(range), 0);
    for (uint32_t i = range.start; i < range.end; i++)
        put_row(w, list, i - range.start, v->wavelet ? slot_of(v, v->need->levels, 0, i) : v->slot[i]);
    return list;
}

/* Mirror the rows of a level in front of the level and behind it; a level with a single row needs nothing there. */
static void surround(const struct columns_writer *w, struct row_list list, uint32_t rows)
{
    const struct row_list all = {list.at, 0};
    for (uint32_t i = 0; rows > 1 && i < 2 * list_words(rows); i++)
        if (i < list.first || i >= list.first + rows)
            put_row(w, all, i, get_row(w, list, (uint32_t)j2k_mirror((int64_t)i - list.first, 0, rows)));
}

/* Describe a level whose low rows are listed. Returns the list of its valid rows. */
static struct row_list write_level(struct columns_writer *w, const struct j2k_gpu_volume *v, uint32_t n,
    struct row_list low, struct j2k_work_z_level *level)
{
    const struct j2k_z_range range = v->need->computed[n];
    const uint32_t rows = range_length(range), odd = range.start % 2;
    struct row_list list = begin_list(w, rows, odd);
    uint32_t lows = 0;
    *level = (struct j2k_work_z_level){.rows = rows, .row = list.at, .odd = odd};
    for (uint32_t i = range.start; i < range.end; i++)
        put_row(w, list, i - range.start, i % 2 == 0 ? get_row(w, low, lows++) : slot_of(v, n + 1, 1, i / 2));
    surround(w, list, rows);
    list.first += v->need->valid[n].start - range.start;
    return list;
}

/* Return what is added to the samples of a slice before their level shift is undone, as the CPU computes it. */
static uint32_t offset_of(const struct j2k_gpu_volume *v, uint32_t slice)
{
    const double half = v->output.is_signed ? 0 : ldexp(1, v->output.bits - 1);
    if (!v->wavelet)
        return 0;
    const uint32_t index = v->need->reduce == 0 ? slice - v->layout->range[0].start : 0;
    const double offset = (v->offset ? v->offset[index] : 0) - half;
    return v->reversible ? (uint32_t)(int64_t)offset : gpu_float_bits((float)offset);
}

/* Describe the samples of a volume. */
static struct j2k_work_columns describe(const struct j2k_gpu_volume *v)
{
    return (struct j2k_work_columns){.rows = v->rows,
        .slices = range_length(v->shown),
        .depth = v->output.bits,
        .is_signed = v->output.is_signed,
        .numbers = v->output.sample != KST_SAMPLE_INTEGER,
        .scale = gpu_float_bits(v->scale),
        .add = gpu_float_bits(v->add),
        .bytes = kst_volume_sample_bytes(&v->output)};
}

/* Write the levels and slices of a volume. Returns what all its tiles have in common. */
static struct j2k_work_columns write_volume(struct columns_writer *w, const struct j2k_gpu_volume *v)
{
    struct j2k_work_columns columns = describe(v);
    columns.kept = kept_rows(v);
    columns.levels = levels_of(v);
    columns.level = w->at;
    struct j2k_work_z_level *level = (struct j2k_work_z_level *)(void *)(w->work + w->at);
    w->at += columns.levels * WORDS(struct j2k_work_z_level);
    struct row_list rows = write_lowest(w, v);
    for (uint32_t i = 0; i < columns.levels; i++)
        rows = write_level(w, v, v->need->levels - 1 - i, rows, level++);
    columns.skip = columns.levels > 0 ? rows.first - 2 * J2K_PAIRS_ABOVE - level[-1].odd : 0;
    columns.slice = w->at;
    for (uint32_t z = v->shown.start; z < v->shown.end; z++) {
        w->work[w->at++] = get_row(w, rows, z - v->shown.start);
        w->work[w->at++] = offset_of(v, z);
    }
    return columns;
}

/* Set where the samples of a tile go; the volume's samples begin at `area`. */
static void aim(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_rect *area, struct j2k_rect tile,
    struct j2k_work_columns *columns)
{
    const struct j2k_gpu_item *item = &part->items[index];
    const kst_volume *to = &item->volume->output;
    const uint64_t row = (uint64_t)to->width * columns->bytes;
    const uint64_t pitch = item->in_place ? to->pitch : row,
                   slice = item->in_place ? to->slice_pitch : row * to->height;
    uint64_t at = part->place[index].volume;
    columns->absolute = item->in_place && kst_memory_has_addresses(item->output.memory);
    if (item->in_place)
        at = item->image.offset[0] + (columns->absolute ? item->image.buffer[0].handle : 0);
    at += (tile.y0 - area->y0) * pitch + (tile.x0 - area->x0) * (uint64_t)columns->bytes;
    columns->to[0] = (uint32_t)at;
    columns->to[1] = (uint32_t)(at >> 32);
    columns->slice_pitch[0] = (uint32_t)slice;
    columns->slice_pitch[1] = (uint32_t)(slice >> 32);
    columns->pitch = (uint32_t)pitch;
}

/* Find out whether all rows of a tile have the same pitch and lie at equal distances, which may be negative. */
static void find_step(const struct columns_writer *w, struct j2k_work_columns *columns)
{
    const uint32_t *row = w->work + columns->from;
    columns->regular = 1;
    columns->step = columns->rows > 1 ? row[2] - row[0] : 0;
    for (uint32_t i = 1; i < columns->rows && columns->regular; i++)
        columns->regular = row[2 * i] == row[0] + i * columns->step && row[2 * i + 1] == row[1];
}

/* Write the columns of a tile. *levels_at is where the levels of its first component lie; the function advances it. */
static void write_tile(struct columns_writer *w, uint32_t index, const struct j2k_tile *tile,
    struct j2k_work_columns columns, uint32_t *levels_at)
{
    const struct j2k_gpu_item *item = &w->part->items[index];
    const struct j2k_plan *plan = item->plan;
    const struct j2k_rect area = area_of(plan, tile);
    uint32_t first = 0;
    columns.width = j2k_gpu_width(area);
    columns.height = j2k_gpu_height(area);
    columns.from = w->at;
    columns.narrow = j2k_gpu_is_narrow(w->part, index, tile);
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component + c];
        uint32_t *row = w->work + columns.from + (size_t)2 * item->volume->slot[c];
        if (tc->resolution_count == 0)
            continue;
        kst_j2k_gpu_find_samples(w->part, index, tile, tc, levels_at, &row[0], &row[1]);
        first = c;
    }
    if (j2k_gpu_area(area) == 0)
        return;
    w->at += 2 * columns.rows;
    find_step(w, &columns);
    aim(w->part, index, &plan->component[first].area, area, &columns);
    memcpy(w->work + w->record, &columns, sizeof columns);
    w->record += WORDS(struct j2k_work_columns);
}

/* Write the programs of a volume, and the columns of its tiles, which use these in their order. */
static void write_stages(struct columns_writer *w, uint32_t index)
{
    const struct j2k_gpu_item *item = &w->part->items[index];
    const struct j2k_gpu_stages *stages = item->volume->stages;
    struct j2k_work_columns columns = describe(item->volume);
    uint32_t levels_at = w->part->place[index].samples + w->part->place[index].levels, program = 0, at = w->at;
    uint64_t made = w->part->place[index].samples + w->part->sums[index].samples;
    for (uint32_t i = 0; i < stages->count; i++) {
        memcpy(w->work + w->at, stages->program[i].word, stages->program[i].length * sizeof *w->work);
        w->at += stages->program[i].length;
    }
    for (uint32_t t = 0; t < item->plan->tile_count; t++) {
        while (program < stages->of_tile[t])
            at += stages->program[program++].length;
        columns.kept = (uint32_t)made;
        columns.level = at;
        columns.slice = at + stages->program[program].slices;
        write_tile(w, index, &item->plan->tile[t], columns, &levels_at);
        made += stage_words(item, t);
    }
}

static void write_item(struct columns_writer *w, uint32_t index)
{
    const struct j2k_gpu_item *item = &w->part->items[index];
    if (item->volume->stages) {
        write_stages(w, index);
        return;
    }
    const struct j2k_work_columns columns = write_volume(w, item->volume);
    uint32_t levels_at = w->part->place[index].samples + w->part->place[index].levels;
    for (uint32_t t = 0; t < item->plan->tile_count; t++)
        write_tile(w, index, &item->plan->tile[t], columns, &levels_at);
}

/* Return which kernel undoes the transform of an item. */
static uint32_t kernel_of(const struct j2k_gpu_item *item)
{
    const struct j2k_gpu_volume *v = item->volume;
    if (v->stages)
        return J2K_KERNEL_STAGES;
    const uint32_t kernel = v->reversible ? J2K_KERNEL_COLUMNS_53 : J2K_KERNEL_COLUMNS_97, kept = kept_rows(v);
    return kernel + (kept > J2K_COLUMN_MORE ? 2 : kept > J2K_COLUMN_ROWS ? 1 : 0);
}

/*
 * Write the columns of all items that use a kernel, and its launch. *list is the index of the next entry of the list of
 * first work-groups.
 */
static void write_launch(struct columns_writer *w, uint32_t kernel, uint32_t *list)
{
    struct j2k_gpu_part *part = w->part;
    struct j2k_gpu_launch launch = {.kernel = kernel, .list = *list, .first = w->record};
    for (uint32_t i = 0; i < part->count; i++) {
        const uint32_t before = w->record;
        if (kernel_of(&part->items[i]) != kernel)
            continue;
        write_item(w, i);
        const struct j2k_work_columns *columns = (const struct j2k_work_columns *)(const void *)(w->work + before);
        for (; columns < (const struct j2k_work_columns *)(const void *)(w->work + w->record); columns++) {
            const uint32_t count = columns->width * columns->height;
            w->work[(*list)++] = launch.groups;
            launch.groups += (count - 1) / J2K_COLUMN_GROUP + 1;
            launch.bytes += (uint64_t)count * columns->rows * (columns->narrow ? 2 : 4);
            launch.count++;
        }
    }
    if (launch.count > 0)
        part->launch[part->launches++] = launch;
}

void kst_j2k_gpu_write_columns(struct j2k_gpu_part *part, uint32_t *work, uint32_t at)
{
    struct columns_writer w = {.part = part, .work = work, .record = at};
    uint32_t list = at + part->columns * WORDS(struct j2k_work_columns);
    w.at = list + part->columns;
    for (uint32_t k = J2K_KERNEL_COLUMNS_53; k <= J2K_KERNEL_STAGES && part->items->volume; k++)
        write_launch(&w, k, &list);
}
