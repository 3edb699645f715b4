/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_batch.h"

#include <string.h>

#include "gpu/jpeg_symbols.h"

enum {
    PICTURE_WORDS = sizeof(struct work_picture) / 4,
    SEGMENT_WORDS = sizeof(struct work_segment) / 4,
    HEAD_WORDS = sizeof(struct jpeg_work) / 4,
    SHORT_WORDS = (1 << WORK_SHORT_BITS) / 2,
    LONG_WORDS = (1 << WORK_LONG_BITS) / 2
};

_Static_assert(sizeof(struct work_picture) % 4 == 0 && sizeof(struct work_component) == 176, "as in the kernels");

/* Bit positions and offsets in a picture have 32 bits. */
#define MOST_STREAM (UINT64_C(1) << 28)
#define MOST_SAMPLES (UINT64_C(1) << 31)

static uint32_t divide_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

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

static bool is_raw(const struct jpeg_output *output)
{
    return output->conversion == JPEG_CONVERT_RAW;
}

/* Bytes of a row of the output. Rows have room for whole fours of pixels. */
static uint32_t output_pitch(const struct jpeg_output *output, uint32_t channels)
{
    return divide_up((output->region.width + 3) / 4 * 4 * (uint64_t)channels, 16) * 16;
}

bool kst_gpu_jpeg_supports(const struct jpeg_gpu_item *item)
{
    const struct jpeg_output *output = &item->output;
    uint64_t offset, length;
    stream_range(item->plan, &offset, &length);
    uint64_t samples = (uint64_t)output->frame.mcus_w * output->frame.mcus_h * 64 * JPEG_MCU_BLOCKS;
    return item->plan->single_scan && output->width == output->frame.width && output->height == output->frame.height &&
           length <= MOST_STREAM && samples <= MOST_SAMPLES;
}

static void add_picture_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size)
{
    const struct jpeg_plan *plan = item->plan;
    const struct jpeg_scan *scan = plan->scan;
    const struct jpeg_output *output = &item->output;
    struct table_list tables = list_tables(scan);
    uint64_t offset, length, parts = 0;
    stream_range(plan, &offset, &length);
    for (uint32_t i = 0; i < scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[scan->first_segment + i];
        parts += count_parts(segment->offset - offset, segment->length);
    }
    uint64_t blocks = (uint64_t)scan->geometry.mcus_w * scan->geometry.mcus_h * scan->geometry.mcu_blocks;
    size->words += PICTURE_WORDS + WORK_KINDS + (uint64_t)scan->segment_count * SEGMENT_WORDS +
                   (uint64_t)tables.count * SHORT_WORDS + (uint64_t)count_long_tables(plan, &tables) * LONG_WORDS;
    size->stream += length / 16 + 2;
    size->blocks += blocks;
    size->planes += blocks * 8;
    size->groups[WORK_OF_CHUNKS] += length / WORK_CHUNK + 1;
    size->groups[WORK_OF_PARTS] += divide_up(parts, WORK_PARTS);
    size->groups[WORK_OF_BLOCKS] += divide_up(blocks, WORK_BLOCKS);
    if (is_raw(output))
        return;
    uint32_t channels = kst_format_channels(output->image.format);
    uint32_t planes = channels ? 1 : output->image.plane_count;
    size->pixels += (uint64_t)output_pitch(output, channels ? channels : 1) * output->region.height * planes / 16;
    size->groups[WORK_OF_PIXELS] += (uint64_t)divide_up(output->region.width, WORK_PIXELS) * output->region.height;
}

struct jpeg_gpu_size kst_gpu_jpeg_size(const struct jpeg_gpu_item *items, uint32_t count)
{
    struct jpeg_gpu_size size = {.words = HEAD_WORDS + WORK_KINDS};
    for (uint32_t i = 0; i < count; i++)
        add_picture_size(&items[i], &size);
    return size;
}

/* Where a batch is filled up to. */
struct builder {
    uint32_t *work;
    uint8_t *streams;
    uint32_t words;
    struct jpeg_gpu_size used;
};

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
    builder->used.groups[WORK_OF_PARTS] += divide_up(parts, WORK_PARTS);
}

static void write_stream(struct builder *builder, const struct jpeg_plan *plan, struct work_picture *picture)
{
    uint64_t offset, length;
    stream_range(plan, &offset, &length);
    picture->stream = (uint32_t)builder->used.stream;
    picture->stream_length = (uint32_t)length;
    uint8_t *out = builder->streams + builder->used.stream * 16;
    if (length > 0)
        memcpy(out, plan->data + offset, length);
    memset(out + length, 0, (length / 16 + 2) * 16 - length);
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

static uint32_t upsampling_of(enum jpeg_upsampling upsampling)
{
    static const uint32_t kinds[] = {[JPEG_UPSAMPLE_NONE] = WORK_NONE,
        [JPEG_UPSAMPLE_H2V1] = WORK_H2V1,
        [JPEG_UPSAMPLE_H1V2] = WORK_H1V2,
        [JPEG_UPSAMPLE_H2V2] = WORK_H2V2,
        [JPEG_REPLICATE] = WORK_REPLICATE};
    return kinds[upsampling];
}

static void write_components(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    const struct jpeg_output *output = &item->output;
    const struct jpeg_scan *scan = item->plan->scan;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_component *c = &output->frame.component[i];
        const struct jpeg_view *view = &output->view[i];
        struct work_component *out = &picture->component[i];
        *out = (struct work_component){.plane = (uint32_t)builder->used.planes,
            .pitch = scan->geometry.mcus_w * c->h,
            .width = view->width,
            .height = view->height,
            .h = c->h,
            .v = c->v,
            .upsampling = upsampling_of(view->upsampling),
            .h_in = view->h_in,
            .h_out = view->h_out,
            .v_in = view->v_in,
            .v_out = view->v_out};
        for (uint32_t j = 0; j < 64; j++)
            out->quant[j] = c->quant[j % 8 * 8 + j / 8];
        builder->used.planes += (uint64_t)out->pitch * scan->geometry.mcus_h * c->v * 8;
    }
}

static uint32_t conversion_of(enum jpeg_conversion conversion)
{
    static const uint32_t kinds[] = {[JPEG_CONVERT_RAW] = WORK_COPY,
        [JPEG_CONVERT_COPY] = WORK_COPY,
        [JPEG_CONVERT_GREY] = WORK_GREY,
        [JPEG_CONVERT_YCC] = WORK_YCC,
        [JPEG_CONVERT_RGB] = WORK_COPY,
        [JPEG_CONVERT_RGB_GREY] = WORK_RGB_TO_GREY,
        [JPEG_CONVERT_YCC_PLANAR] = WORK_YCC,
        [JPEG_CONVERT_CMYK] = WORK_COPY,
        [JPEG_CONVERT_YCCK] = WORK_YCCK,
        [JPEG_CONVERT_YCCK_PLANAR] = WORK_YCCK,
        [JPEG_CONVERT_CMYK_RGB] = WORK_CMYK_TO_RGB,
        [JPEG_CONVERT_YCCK_RGB] = WORK_YCCK_TO_RGB};
    return kinds[conversion];
}

static void write_output(struct builder *builder, const struct jpeg_output *output, struct work_picture *picture)
{
    uint32_t channels = kst_format_channels(output->image.format);
    bool planar = channels == 0;
    bool first_only = output->conversion == JPEG_CONVERT_GREY || output->image.format == KST_FORMAT_GREY;
    picture->x = output->region.x;
    picture->y = output->region.y;
    picture->width = output->region.width;
    picture->height = output->region.height;
    picture->components = output->frame.component_count;
    if (first_only && output->conversion != JPEG_CONVERT_RGB_GREY)
        picture->components = 1;
    picture->channels = planar ? output->image.plane_count : channels;
    picture->conversion = conversion_of(output->conversion);
    picture->red = output->layout == JPEG_LAYOUT_BGR || output->layout == JPEG_LAYOUT_BGRA ? 2 : 0;
    picture->alpha = output->alpha;
    picture->output = (uint32_t)builder->used.pixels;
    picture->output_pitch = output_pitch(output, planar ? 1 : channels);
    picture->output_plane = planar ? picture->output_pitch * picture->height : 0;
    if (is_raw(output))
        return;
    uint64_t length = (uint64_t)picture->output_pitch * picture->height * (planar ? picture->channels : 1);
    builder->used.pixels += length / 16;
    builder->used.groups[WORK_OF_PIXELS] += (uint64_t)divide_up(picture->width, WORK_PIXELS) * picture->height;
}

static void write_picture(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    memset(picture, 0, sizeof *picture);
    write_tables(builder, item->plan, picture);
    write_segments(builder, item->plan, picture);
    write_stream(builder, item->plan, picture);
    write_mcu(item, picture);
    write_components(builder, item, picture);
    write_output(builder, &item->output, picture);
    picture->block = (uint32_t)builder->used.blocks;
    picture->blocks = picture->mcus * picture->blocks_in_mcu;
    builder->used.blocks += picture->blocks;
    builder->used.groups[WORK_OF_BLOCKS] += divide_up(picture->blocks, WORK_BLOCKS);
}

void kst_gpu_jpeg_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    uint32_t *work, uint8_t *streams)
{
    struct builder builder = {.work = work, .streams = streams};
    struct jpeg_work *head = (struct jpeg_work *)work;
    *head = (struct jpeg_work){
        .pictures = count, .picture = HEAD_WORDS, .part_groups = (uint32_t)size->groups[WORK_OF_PARTS]};
    builder.words = HEAD_WORDS + count * PICTURE_WORDS;
    for (uint32_t kind = 0; kind < WORK_KINDS; kind++) {
        head->groups[kind] = builder.words;
        builder.words += count + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t kind = 0; kind < WORK_KINDS; kind++)
            work[head->groups[kind] + i] = (uint32_t)builder.used.groups[kind];
        write_picture(&builder, &items[i], (struct work_picture *)(work + HEAD_WORDS) + i);
    }
    for (uint32_t kind = 0; kind < WORK_KINDS; kind++)
        work[head->groups[kind] + count] = (uint32_t)builder.used.groups[kind];
}

const struct work_picture *kst_gpu_jpeg_picture(const uint32_t *work, uint32_t index)
{
    return (const struct work_picture *)(work + HEAD_WORDS) + index;
}

static void fetch_plane(const kst_plane *plane, size_t row, const uint8_t *from, size_t pitch)
{
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, from + y * pitch, row);
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void fetch_raw(const struct jpeg_output *output, const struct work_picture *picture, const uint8_t *from)
{
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_component *c = &output->frame.component[i];
        const struct work_component *w = &picture->component[i];
        uint32_t left = minimum(output->region.x * c->h / output->frame.hmax, w->width - 1);
        uint32_t top = minimum(output->region.y * c->v / output->frame.vmax, w->height - 1);
        size_t pitch = (size_t)w->pitch * 8;
        fetch_plane(&output->image.plane[i], output->image.plane[i].width,
            from + (size_t)w->plane * 8 + top * pitch + left, pitch);
    }
}

void kst_gpu_jpeg_fetch(
    const struct jpeg_gpu_item *item, const struct work_picture *picture, const uint8_t *pixels, const uint8_t *planes)
{
    const struct jpeg_output *output = &item->output;
    if (is_raw(output)) {
        fetch_raw(output, picture, planes);
        return;
    }
    const uint8_t *from = pixels + (size_t)picture->output * 16;
    size_t row = (size_t)picture->width * (picture->output_plane ? 1 : picture->channels);
    for (uint32_t i = 0; i < output->image.plane_count; i++)
        fetch_plane(&output->image.plane[i], row, from + (size_t)i * picture->output_plane, picture->output_pitch);
}
