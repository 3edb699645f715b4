/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes entropy-coded data, and computes what each chunk of them decodes to. */
#include "support/gpu/scan_model.h"

#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "jpeg/gpu/tables.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

struct bytes {
    uint8_t *data;
    size_t length;
};

static void put(struct bytes *bytes, uint32_t value)
{
    bytes->data[bytes->length++] = (uint8_t)value;
}

static void put_marker(struct bytes *bytes, uint32_t marker, uint32_t length)
{
    put(bytes, 0xFF);
    put(bytes, marker);
    put(bytes, length >> 8);
    put(bytes, length);
}

/*
 * Make a table with random lengths of codes: sometimes few codes, so that many patterns are no code, sometimes many
 * long ones.
 */
static void random_table(enum jpeg_table_class table_class, struct jpeg_huffman *table)
{
    uint32_t left = 1, count = 0, rare = 1 + next_random() % 6;
    memset(table, 0, sizeof *table);
    for (uint32_t length = 1; length <= 16; length++) {
        left = 2 * left;
        uint32_t most = left - 1 < 256 - count ? left - 1 : 256 - count;
        most = length < 16 ? most / rare : most;
        table->bits[length] = (uint8_t)(most > 0 ? next_random() % (most + 1) % 256 : 0);
        left -= table->bits[length];
        count += table->bits[length];
    }
    if (count == 0)
        table->bits[3] = 5;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = next_random();
        table->values[i] = (uint8_t)(table_class == JPEG_DC ? value % 16 : value % 8 ? value : 0);
    }
    assert_true(kst_jpeg_huffman_valid(table, table_class));
}

static void put_tables(struct bytes *bytes, bool standard)
{
    for (uint32_t i = 0; i < 4; i++) {
        enum jpeg_table_class table_class = i % 2 ? JPEG_AC : JPEG_DC;
        struct jpeg_huffman table = *kst_jpeg_standard_huffman(table_class, i >= 2);
        uint32_t count = 0;
        if (!standard)
            random_table(table_class, &table);
        for (uint32_t j = 1; j <= 16; j++)
            count += table.bits[j];
        put_marker(bytes, 0xC4, 19 + count);
        put(bytes, i % 2 << 4 | i / 2);
        for (uint32_t j = 1; j <= 16; j++)
            put(bytes, table.bits[j]);
        for (uint32_t j = 0; j < count; j++)
            put(bytes, table.values[j]);
    }
}

/* Samplings of components; the blocks of an MCU are at most 10. */
static const uint8_t samplings[][5] = {{1, 0x11}, {3, 0x11, 0x11, 0x11}, {3, 0x22, 0x11, 0x11}, {3, 0x21, 0x11, 0x11},
    {4, 0x22, 0x11, 0x11, 0x22}, {3, 0x42, 0x11, 0x11}, {2, 0x12, 0x21}, {3, 0x12, 0x11, 0x11}, {3, 0x32, 0x13, 0x11},
    {3, 0x12, 0x22, 0x21}, {3, 0x41, 0x11, 0x11}, {4, 0x11, 0x11, 0x11, 0x11}, {1, 0x23}};

static void put_headers(struct bytes *bytes, uint32_t blocks)
{
    const uint8_t *sampling = samplings[next_random() % (sizeof samplings / sizeof samplings[0])];
    uint32_t count = sampling[0], width = 1 + next_random() % 200, height = 1 + blocks * 64 / width % 2000;
    put(bytes, 0xFF);
    put(bytes, 0xD8);
    put_marker(bytes, 0xDB, 67);
    for (uint32_t i = 0; i < 65; i++)
        put(bytes, i > 0);
    put_marker(bytes, 0xC1, 8 + 3 * count);
    put(bytes, 8);
    put(bytes, height >> 8);
    put(bytes, height);
    put(bytes, width >> 8);
    put(bytes, width);
    put(bytes, count);
    for (uint32_t i = 0; i < count; i++) {
        put(bytes, i + 1);
        put(bytes, sampling[1 + i]);
        put(bytes, 0);
    }
    put_tables(bytes, next_random() % 2);
    put_marker(bytes, 0xDD, 4);
    uint32_t interval = next_random() % 3 ? 0 : 1 + next_random() % (next_random() % 2 ? 40 : 3);
    put(bytes, 0);
    put(bytes, interval);
    put_marker(bytes, 0xDA, 6 + 2 * count);
    put(bytes, count);
    for (uint32_t i = 0; i < count; i++) {
        put(bytes, i + 1);
        put(bytes, (next_random() % 2) << 4 | next_random() % 2);
    }
    put(bytes, 0);
    put(bytes, 63);
    put(bytes, 0);
}

/* Write entropy-coded data between two markers: noise, runs of zeros and of ones, fill bytes. */
static void put_data(struct bytes *bytes, uint32_t length)
{
    uint32_t kind = next_random() % 4;
    for (size_t end = bytes->length + length; bytes->length < end;) {
        uint32_t value = kind == 0 && next_random() % 4 ? 0 : next_random() & 0xFF;
        if (next_random() % 32 == 0)
            value = 0xFF;
        put(bytes, value);
        for (uint32_t fill = 0; value == 0xFF && kind == 1 && fill < next_random() % WORK_MOST_FILL; fill++)
            put(bytes, 0xFF);
        if (value == 0xFF)
            put(bytes, 0);
    }
}

/* Write segments with restart markers, some of which are missing. */
static void put_segments(struct bytes *bytes, uint32_t most)
{
    uint32_t left = 1 + next_random() % most;
    for (uint32_t i = 0; left > 0; i++) {
        uint32_t length = next_random() % 4 ? next_random() % (left + 1) : left;
        put_data(bytes, length);
        left -= length;
        if (left > 0 && next_random() % 8) {
            put(bytes, 0xFF);
            put(bytes, 0xD0 + i % 8);
        }
    }
    put(bytes, 0xFF);
    put(bytes, 0xD9);
}

/* Make a file. Some of these files cannot be decoded. */
static void make_file(struct model_picture *picture, uint32_t most)
{
    struct bytes bytes = {.data = stage_poisoned(4096 + 24 * (size_t)most)};
    put_headers(&bytes, 1 + next_random() % (most / 8 + 1));
    put_segments(&bytes, most);
    picture->file = bytes.data;
    picture->length = bytes.length;
}

/* Parse the file. Returns false if the kernels cannot decode it, after freeing it. */
static bool open_file(struct model_picture *picture, struct jpeg_gpu_item *item)
{
    kst_decode_options options;
    kst_report report;
    kst_image image;
    kst_report_init(&report);
    kst_decode_options_init(&options);
    const struct operation op = kst_context_operation(cpu, &memory, &report, NULL);
    if (!kst_jpeg_parse(&op, picture->file, picture->length, &picture->stream)) {
        *item = (struct jpeg_gpu_item){.plan = &picture->stream.plan, .shorter = picture->shorter};
        options.format = KST_FORMAT_RAW;
        assert_int_equal(kst_jpeg_output_describe(&item->plan->frame, &options, &image), KST_OK);
        kst_jpeg_output_plan(&item->output, &item->plan->frame, &options, &image);
        if (item->plan->single_scan && kst_jpeg_gpu_supports(item))
            return true;
        kst_jpeg_stream_release(&memory, &picture->stream);
    }
    free(picture->file);
    return false;
}

/* Find the tables of the blocks of an MCU. */
static void lay_out_mcu(struct model_picture *picture)
{
    const struct jpeg_plan *plan = &picture->stream.plan;
    bool single = plan->scan->component_count == 1;
    for (uint32_t i = 0; i < plan->scan->component_count; i++) {
        const struct jpeg_component *c = &plan->frame.component[plan->scan->component[i]];
        for (uint32_t j = 0; j < (single ? 1U : (uint32_t)c->h * c->v); j++) {
            picture->dc[picture->blocks_in_mcu] = &plan->huffman[plan->scan->dc_table[i]];
            picture->ac[picture->blocks_in_mcu] = &plan->huffman[plan->scan->ac_table[i]];
            picture->component[picture->blocks_in_mcu++] = plan->scan->component[i];
        }
    }
    picture->blocks = plan->scan->geometry.mcus_w * plan->scan->geometry.mcus_h * picture->blocks_in_mcu;
}

/* Holds bits, of which the first is the highest one of a byte; zeros follow them. */
struct bits {
    const uint8_t *data;
    uint32_t length; /* bits */
};

static uint32_t bits_at(const struct bits *bits, uint32_t at, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = at; i < at + count; i++)
        value = value << 1 | (i < bits->length ? (uint32_t)bits->data[i / 8] >> (7 - i % 8) & 1U : 0);
    return value;
}

/* Holds the result of DECODE (F.2.2.3), RECEIVE and EXTEND (F.2.2.1). */
struct symbol {
    uint32_t length; /* of code and value */
    uint32_t run;    /* number of zeros before the value */
    int32_t value;
    bool ends, valid;
};

static struct symbol next_symbol(
    const struct jpeg_huffman *table, enum jpeg_table_class table_class, const struct bits *bits, uint32_t at)
{
    uint32_t code = 0, first = 0, index = 0;
    for (uint32_t length = 1; length <= 16; length++) {
        code = code << 1 | bits_at(bits, at + length - 1, 1);
        if (code - first < table->bits[length]) {
            uint32_t symbol = table->values[index + code - first], size = symbol & 15;
            int32_t value = (int32_t)bits_at(bits, at + length, size);
            if (size > 0 && value < 1 << (size - 1))
                value -= (1 << size) - 1;
            bool ends = table_class == JPEG_AC && size == 0 && symbol >> 4 != 15;
            return (struct symbol){length + size, table_class == JPEG_AC ? symbol >> 4 : 0, value, ends, true};
        }
        index += table->bits[length];
        first = (first + table->bits[length]) << 1;
    }
    return (struct symbol){.length = 17, .ends = table_class == JPEG_AC};
}

/* Holds the position of decoding. */
struct stand {
    uint32_t at, block, index;
};

static struct symbol step(const struct model_picture *picture, const struct bits *bits, struct stand *stand)
{
    enum jpeg_table_class table_class = stand->index == 0 ? JPEG_DC : JPEG_AC;
    const struct jpeg_huffman *table = (stand->index == 0 ? picture->dc : picture->ac)[stand->block];
    struct symbol symbol = next_symbol(table, table_class, bits, stand->at);
    stand->at += symbol.length;
    stand->index += symbol.ends ? 64 : symbol.run + 1;
    return symbol;
}

static bool next_block(const struct model_picture *picture, struct stand *stand)
{
    if (stand->index < 64)
        return false;
    stand->index = 0;
    stand->block = (stand->block + 1) % picture->blocks_in_mcu;
    return true;
}

static uint32_t pack(const struct stand *stand, uint32_t start)
{
    return (stand->at - start) << STATE_START | stand->block << STATE_BLOCK | stand->index << STATE_INDEX;
}

uint32_t model_pass(
    const struct model_picture *picture, const struct model_chunk *chunk, uint32_t state, uint32_t *blocks)
{
    const struct bits bits = {chunk->bytes, sizeof chunk->bytes * 8};
    struct stand stand = {state & 31, state >> STATE_BLOCK & 15, state >> STATE_INDEX};
    *blocks = 0;
    while (stand.at < chunk->bits) {
        step(picture, &bits, &stand);
        *blocks += next_block(picture, &stand);
    }
    return pack(&stand, chunk->bits);
}

/*
 * Add the bytes from `from` to `to` as a chunk, without stuffing. All chunks have the item's number of bytes of the
 * scan's data, but the first of a segment begins, and the last ends, with the segment.
 */
static void add_chunk(
    struct model_picture *picture, uint32_t segment, uint64_t from, uint64_t to, bool first, bool last)
{
    const uint8_t *data = picture->stream.plan.data;
    struct model_chunk *chunk = &picture->chunk[picture->chunks++];
    *chunk = (struct model_chunk){.segment = segment, .first = first, .last = last};
    if (!first)
        chunk->start = chunk[-1].start + chunk[-1].bits;
    for (uint64_t i = from; i < to; i++)
        if (data[i - 1] != 0xFF || (first && i == from)) { /* the byte before the first one belongs to no data */
            chunk->bytes[chunk->bits / 8] = data[i];
            chunk->bits += 8;
        }
}

/* Append the next four bytes of its segment to each chunk, as the kernels read them. */
static void join_chunks(struct model_picture *picture)
{
    for (uint32_t i = 0; i + 1 < picture->chunks; i++)
        if (!picture->chunk[i].last)
            memcpy(picture->chunk[i].bytes + picture->chunk[i].bits / 8, picture->chunk[i + 1].bytes, 4);
}

static void cut(struct model_picture *picture)
{
    const struct jpeg_plan *plan = &picture->stream.plan;
    uint64_t all, base = (uint64_t)(kst_jpeg_gpu_scan_data(plan, &all) - plan->data);
    const uint64_t size = WORK_CHUNK >> picture->shorter;
    picture->chunk = calloc((size_t)(all / size) + 2 * plan->scan->segment_count + 1, sizeof *picture->chunk);
    assert_non_null(picture->chunk);
    for (uint32_t i = 0; i < plan->scan->segment_count; i++) {
        const struct jpeg_segment *segment = &plan->segment[plan->scan->first_segment + i];
        uint64_t from = segment->offset, end = segment->offset + segment->length;
        for (uint64_t to; from < end; from = to) {
            to = base + ((from - base) / size + 1) * size;
            to = to < end ? to : end;
            add_chunk(picture, i, from, to, from == segment->offset, to == end);
        }
    }
    join_chunks(picture);
}

/* Holds the chunks of a segment, and their bits in one array. */
struct piece {
    struct model_chunk *chunk;
    uint32_t count;
    struct bits bits;
    uint32_t first_block, limit; /* index of its first block in the picture; the most blocks that it may have */
};

/* Find the state at the start of each chunk. */
static void find_states(const struct model_picture *picture, const struct piece *piece)
{
    struct stand stand = {0, 0, 0};
    for (uint32_t i = 0, ended = 0; i < piece->count; i++) {
        struct model_chunk *chunk = &piece->chunk[i];
        chunk->state = pack(&stand, chunk->start);
        chunk->before = ended;
        while (stand.at < chunk->start + chunk->bits && !chunk->last) {
            step(picture, &piece->bits, &stand);
            ended += next_block(picture, &stand);
        }
    }
}

/*
 * Decode a block (F.2.2.1, F.2.2.2). Coefficients beyond the last one overwrite the last one. Counts patterns that are
 * no code.
 */
static void decode_block(const struct model_picture *picture, const struct piece *piece, struct stand *stand,
    struct model_block *block, uint32_t *invalid)
{
    static const uint8_t zigzag[64] = {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
        52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
    block->coded = true;
    while (stand->index < 64) {
        struct symbol symbol = step(picture, &piece->bits, stand);
        uint32_t natural = zigzag[stand->index - 1 < 63 ? stand->index - 1 : 63];
        *invalid += !symbol.valid;
        block->coefficient[natural % 8 * 8 + natural / 8] = (int16_t)symbol.value;
    }
}

/* Return the chunk of a bit; the last chunk has all that follow. */
static struct model_chunk *chunk_at(const struct piece *piece, uint32_t at)
{
    uint32_t i = 0;
    while (i + 1 < piece->count && at >= piece->chunk[i].start + piece->chunk[i].bits)
        i++;
    return &piece->chunk[i];
}

/* Decode the MCUs that begin within the data, or at their very end, to their ends; zeros stand for missing data. */
static void decode_blocks(struct model_picture *picture, const struct piece *piece)
{
    struct stand stand = {0, 0, 0};
    uint32_t i = 0, all = piece->bits.length;
    for (; i < piece->limit && (stand.block > 0 || stand.at <= all); i++) {
        struct model_block *block = &picture->block[piece->first_block + i];
        struct model_chunk *chunk = chunk_at(piece, stand.at);
        uint32_t component = picture->component[stand.block];
        if (chunk->blocks++ == 0)
            chunk->block = i;
        decode_block(picture, piece, &stand, block, &picture->damage[1]);
        chunk->dc[component] = (uint16_t)(chunk->dc[component] + block->coefficient[0]);
        block->dc = chunk->dc[component];
        next_block(picture, &stand);
    }
    picture->damage[0] += stand.at > all;
    bool at_end = piece->first_block + piece->limit == picture->blocks;
    picture->damage[2] += i == piece->limit && stand.at + (at_end ? 64 : 8) <= all;
    if (i == piece->limit && stand.at <= all && (picture->complete == 0 || next_random() % 2)) {
        picture->complete = stand.at;
        picture->complete_segment = piece->chunk->segment;
    }
}

static void decode(struct model_picture *picture)
{
    const struct jpeg_scan *scan = picture->stream.plan.scan;
    uint32_t mcus = scan->geometry.mcus_w * scan->geometry.mcus_h;
    uint32_t interval = scan->restart_interval ? scan->restart_interval : mcus;
    picture->block = calloc(picture->blocks, sizeof *picture->block);
    assert_non_null(picture->block);
    for (uint32_t i = 0, end; i < picture->chunks; i = end) {
        const struct jpeg_segment *segment =
            &picture->stream.plan.segment[scan->first_segment + picture->chunk[i].segment];
        uint8_t *data = calloc((size_t)segment->length + 1, 1);
        uint32_t mcu = segment->interval * interval, left = mcus - mcu;
        struct piece piece = {.chunk = &picture->chunk[i], .bits = {.data = data}};
        for (end = i; end < picture->chunks && picture->chunk[end].segment == picture->chunk[i].segment; end++) {
            memcpy(data + piece.bits.length / 8, picture->chunk[end].bytes, picture->chunk[end].bits / 8);
            piece.bits.length += picture->chunk[end].bits;
        }
        piece.count = end - i;
        piece.first_block = mcu * picture->blocks_in_mcu;
        piece.limit = (left < interval ? left : interval) * picture->blocks_in_mcu;
        find_states(picture, &piece);
        decode_blocks(picture, &piece);
        free(data);
    }
}

static void read_file(struct model_picture *picture)
{
    lay_out_mcu(picture);
    cut(picture);
    decode(picture);
}

static void forget(struct model_picture *picture)
{
    uint8_t *file = picture->file;
    size_t length = picture->length;
    kst_jpeg_stream_release(&memory, &picture->stream);
    free(picture->chunk);
    free(picture->block);
    *picture = (struct model_picture){.file = file, .length = length, .shorter = picture->shorter};
}

/* Remove all but a few of the bytes behind the last block of a complete segment. Returns false if there are too few. */
static bool trim(struct model_picture *picture)
{
    const struct jpeg_plan *plan = &picture->stream.plan;
    const struct jpeg_segment *segment = &plan->segment[plan->scan->first_segment + picture->complete_segment];
    uint32_t spare = next_random() % 11, wanted = (picture->complete + 7) / 8 + spare, kept = 0;
    size_t at = (size_t)segment->offset, end = at + (size_t)segment->length;
    for (; at < end && kept < wanted; at++)
        kept += at == segment->offset || picture->file[at - 1] != 0xFF;
    while (at < end && picture->file[at - 1] == 0xFF)
        at++; /* keep the stuffing */
    if (kept < wanted || (at == end && picture->file[at - 1] == 0xFF))
        return false;
    memmove(picture->file + at, picture->file + end, picture->length - end);
    picture->length -= end - at;
    return true;
}

void model_make_work(struct model *model)
{
    struct jpeg_gpu_tables kept;
    kst_jpeg_gpu_tables_begin(&kept);
    free(model->work);
    model->size = kst_jpeg_gpu_size(model->item, model->count);
    model->work = stage_poisoned((size_t)model->size.words * 4);
    model->size.words = kst_jpeg_gpu_work(model->item, model->count, &model->size, &memory, &kept, model->work);
    kst_jpeg_gpu_tables_end(&kept, &memory);
}

static void make_stream(struct model *model)
{
    model->stream = stage_poisoned((size_t)model->size.stream * 16); /* any bytes may follow those of a picture */
    for (uint32_t i = 0; i < model->count; i++) {
        uint64_t length;
        const uint8_t *data = kst_jpeg_gpu_scan_data(model->item[i].plan, &length);
        if (length > 0)
            memcpy(model->stream + kst_jpeg_gpu_picture(model->work, i)->stream * (size_t)16, data, (size_t)length);
    }
}

void model_make(struct model *model, uint32_t count, uint32_t most)
{
    memset(model, 0, sizeof *model);
    model->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct model_picture *picture = &model->picture[i];
        do {
            make_file(picture, i % 2 ? 1 + most / 30 : most);
            picture->shorter = next_random() % 2 ? 0 : 1 + next_random() % 2;
        } while (!open_file(picture, &model->item[i]));
        read_file(picture);
        if (picture->complete > 0 && next_random() % 2 && trim(picture)) {
            forget(picture);
            assert_true(open_file(picture, &model->item[i]));
            read_file(picture);
        }
    }
    model_make_work(model);
    make_stream(model);
}

void model_release(struct model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        kst_jpeg_stream_release(&memory, &model->picture[i].stream);
        free(model->picture[i].chunk);
        free(model->picture[i].block);
        free(model->picture[i].file);
    }
    free(model->work);
    free(model->stream);
}

size_t model_first_chunk(const struct model *model, uint32_t picture)
{
    const struct jpeg_work *head = (const struct jpeg_work *)(const void *)model->work;
    return (size_t)(model->work + head->groups[WORK_OF_CHUNKS])[picture] * WORK_CHUNKS;
}
