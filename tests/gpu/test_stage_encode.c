/* SPDX-License-Identifier: BSD-2-Clause */
/* Each kernel that encodes by itself: the codes and symbols of tiles, and the streams that are made of any bits. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/gpu/modules.h"
#include "support/gpu/encode_model.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

/* Return where the pictures' rows lie in the buffer of pixels. */
static uint8_t *make_pixels(const struct encode_model *model)
{
    uint8_t *pixels = stage_poisoned((size_t)model->size.pixels + 4);
    for (uint32_t i = 0; i < model->count; i++) {
        const kst_image *image = &model->picture[i].e.image;
        uint32_t channels = kst_format_channels(image->format);
        for (uint32_t p = 0; p < image->plane_count; p++) {
            const kst_plane *plane = &image->plane[p];
            const struct jpeg_encode_channel *channel = &encode_model_picture(model, i)->channel[p];
            for (uint32_t y = 0; y < plane->height; y++)
                memcpy(pixels + channel->offset[0] + (size_t)y * (size_t)channel->pitch,
                    (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch,
                    (size_t)plane->width * (channels ? channels : 1));
        }
    }
    return pixels;
}

static uint32_t first_tile(const struct encode_model *model, uint32_t picture)
{
    const struct jpeg_encode_work *head = (const struct jpeg_encode_work *)(const void *)model->work;
    return (model->work + head->tiles)[picture];
}

/* The parameters of coding a picture's blocks. */
struct coding {
    const struct jpeg_gpu_encode_tables *tables;
    uint32_t destination;
    struct model_bits bits;
    uint32_t *histogram;
};

static void put_symbol(void *arg, enum jpeg_table_class table_class, uint32_t symbol, uint32_t extra)
{
    struct coding *coding = arg;
    struct jpeg_huffman_codes codes;
    kst_jpeg_huffman_derive_codes(&coding->tables->table[table_class][coding->destination], &codes);
    assert_true(codes.length[symbol] > 0);
    encode_model_put(&coding->bits, codes.code[symbol], codes.length[symbol]);
    encode_model_put(&coding->bits, extra, symbol & 15);
}

static void count_symbol(void *arg, enum jpeg_table_class table_class, uint32_t symbol, uint32_t extra)
{
    struct coding *coding = arg;
    uint32_t first = coding->destination * (ENCODE_DC_CODES + ENCODE_AC_CODES);
    (void)extra;
    coding->histogram[first + (table_class == JPEG_AC ? ENCODE_DC_CODES : 0) + symbol]++;
}

static void code_tile(const struct model_encoding *picture, const struct jpeg_encode_picture *shape,
    const struct model_tile *tile, uint32_t *word, uint32_t *length)
{
    struct coding coding = {.tables = &picture->tables, .bits = {word, 0}};
    for (uint32_t i = 0; i < tile->mcus * shape->mcu_blocks; i++) {
        const struct model_coded *block = &picture->block[(size_t)tile->mcu * shape->mcu_blocks + i];
        coding.destination = jpeg_encoding_of(&picture->e)->huffman[block->component];
        encode_model_symbols(block, put_symbol, &coding);
    }
    *length = coding.bits.length;
}

static size_t bits_length(const struct encode_model *model)
{
    return (size_t)model->size.blocks * ENCODE_BLOCK_WORDS * 4;
}

static size_t lists_length(const struct encode_model *model)
{
    return (model->size.tiles * (size_t)ENCODE_LISTS + 2 * (size_t)model->count) * 4;
}

/* Pixels to bits. Behind those a tile's words may hold anything, as far as they are its own. */
static void test_tiles(struct gpu_runtime *runtime, const struct encode_model *model)
{
    size_t length = bits_length(model), list = lists_length(model);
    uint8_t *pixels = make_pixels(model);
    uint32_t *bits = stage_poisoned(length), *wanted = stage_poisoned(length), *found = stage_poisoned(length);
    uint32_t *lists = stage_poisoned(list), *wanted_lists = stage_poisoned(list);
    uint32_t start = next_random() % model->count, skip = first_tile(model, start);
    for (uint32_t i = start; i < model->count && model->head->gathered; i++)
        wanted_lists[ENCODE_LISTS * model->size.tiles + i] = 0;
    for (uint32_t i = start; i < model->count; i++)
        for (uint32_t t = 0; t < encode_model_picture(model, i)->tiles; t++) {
            struct model_tile tile = encode_model_tile(model, i, t);
            code_tile(&model->picture[i], encode_model_picture(model, i), &tile, wanted + tile.word,
                &wanted_lists[ENCODE_LENGTHS * model->size.tiles + tile.list]);
        }
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, model->size.words * 4ULL),
        STAGE_IN("pixels", pixels, (size_t)(model->size.pixels + 3) / 4 * 4), STAGE_FOUND("bits", bits, found, length),
        STAGE_OUT("lists", lists, wanted_lists, list), {.value = skip}};
    stage_run(runtime, &kst_jpeg_gpu_encoding, ENCODE_TILES, model->size.tiles - skip, arguments, 5);
    for (uint32_t i = start; i < model->count; i++)
        for (uint32_t t = 0; t < encode_model_picture(model, i)->tiles; t++) {
            struct model_tile tile = encode_model_tile(model, i, t);
            uint32_t used = (wanted_lists[ENCODE_LENGTHS * model->size.tiles + tile.list] + 31) / 32;
            memcpy(wanted + tile.word + used, found + tile.word + used, (tile.room - used) * 4);
        }
    assert_memory_equal(found, wanted, length);
    free(pixels);
    free(bits);
    free(wanted);
    free(found);
    free(lists);
    free(wanted_lists);
}

static void test_symbols(struct gpu_runtime *runtime, const struct encode_model *model)
{
    size_t length = model->count * (size_t)ENCODE_CODES * 4;
    uint8_t *pixels = make_pixels(model);
    uint32_t *histograms = stage_poisoned(length), *wanted = stage_poisoned(length);
    memset(histograms, 0, length);
    memset(wanted, 0, length);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct jpeg_encode_picture *shape = encode_model_picture(model, i);
        struct coding coding = {.histogram = wanted + i * ENCODE_CODES};
        for (size_t b = 0; b < (size_t)shape->mcus * shape->mcu_blocks; b++) {
            coding.destination = jpeg_encoding_of(&model->picture[i].e)->huffman[model->picture[i].block[b].component];
            encode_model_symbols(&model->picture[i].block[b], count_symbol, &coding);
        }
    }
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, model->size.words * 4ULL),
        STAGE_IN("pixels", pixels, (size_t)(model->size.pixels + 3) / 4 * 4),
        STAGE_OUT("histograms", histograms, wanted, length), {.value = 0}};
    stage_run(runtime, &kst_jpeg_gpu_encoding, ENCODE_COUNT_SYMBOLS, model->size.tiles, arguments, 4);
    free(pixels);
    free(histograms);
    free(wanted);
}

/* Lists as they are before and after each kernel that makes streams of bits. */
struct streams {
    const struct encode_model *model;
    uint32_t *bits, *lists;
    uint32_t *length; /* of each picture's stream */
    uint8_t *bytes;   /* the pictures' streams, the buffer's `size` bytes with their heads */
    size_t size;
};

static uint32_t *in_list(const struct streams *streams, enum jpeg_encode_list list, size_t tile)
{
    return &streams->lists[list * streams->model->size.tiles + tile];
}

/* Any bits, more ones than zeros, so that bytes are stuffed; tiles as long as can be and of a bit. */
static void random_bits(struct streams *streams)
{
    const struct encode_model *model = streams->model;
    size_t length = bits_length(model);
    streams->bits = stage_poisoned(length);
    for (size_t i = 0; i < length / 4; i++) {
        uint32_t some = next_random(), more = next_random();
        streams->bits[i] = some | more;
    }
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t t = 0; t < encode_model_picture(model, i)->tiles; t++) {
            struct model_tile tile = encode_model_tile(model, i, t);
            uint32_t most = (uint32_t)(tile.mcus * tile.room / encode_model_picture(model, i)->tile_mcus) * 32 - 64;
            uint32_t bits = 1 + next_random() % (next_random() % 3 ? most : 40);
            *in_list(streams, ENCODE_LENGTHS, tile.list) = bits;
            if (bits % 32 > 0) /* the rest of a tile's last word is 0 */
                streams->bits[tile.word + bits / 32] &= ~(0xFFFFFFFFU >> bits % 32);
        }
}

static uint32_t bit_at(const uint32_t *word, uint32_t at)
{
    return word[at / 32] >> (31 - at % 32) & 1;
}

/* Bytes that are put together bit by bit, with what belongs to the tile in which they started. */
struct joining {
    uint8_t *out;
    uint32_t count, bits, value; /* bytes that are out; bits of the next one */
    uint32_t *size;              /* of the tile that it started in */
};

static void join_bit(struct joining *joining, uint32_t bit, uint32_t *size)
{
    if (joining->bits == 0)
        joining->size = size;
    joining->value = joining->value << 1 | bit;
    if (++joining->bits < 8)
        return;
    joining->out[joining->count++] = (uint8_t)joining->value;
    *joining->size += 1;
    if (joining->value == 0xFF) { /* B.1.1.5 */
        joining->out[joining->count++] = 0;
        *joining->size += 1;
    }
    joining->bits = joining->value = 0;
}

/* The stream of a picture: intervals filled up with ones (F.1.2.3), and markers between them (E.1.4). */
static uint32_t join_tiles(struct streams *streams, uint32_t picture, uint8_t *out)
{
    const struct encode_model *model = streams->model;
    struct joining joining = {.out = out};
    uint32_t start = 0, tiles = encode_model_picture(model, picture)->tiles;
    for (uint32_t t = 0; t < tiles; t++) {
        struct model_tile tile = encode_model_tile(model, picture, t);
        uint32_t length = *in_list(streams, ENCODE_LENGTHS, tile.list),
                 *size = in_list(streams, ENCODE_SIZES, tile.list);
        *in_list(streams, ENCODE_STARTS, tile.list) = start;
        *size = 0;
        for (uint32_t i = 0; i < length; i++)
            join_bit(&joining, bit_at(streams->bits + tile.word, i), size);
        start += length;
        for (; tile.ends && joining.bits > 0; start++)
            join_bit(&joining, 1, size);
        if (tile.ends && !tile.last) {
            out[joining.count++] = 0xFF;
            out[joining.count++] = (uint8_t)(0xD0 + tile.interval % 8);
            *size += 2;
        }
    }
    for (uint32_t t = 0, before = 0; t < tiles; t++) {
        struct model_tile tile = encode_model_tile(model, picture, t);
        *in_list(streams, ENCODE_OFFSETS, tile.list) = before;
        before += *in_list(streams, ENCODE_SIZES, tile.list);
    }
    return joining.count;
}

static uint32_t *of_picture(const struct streams *streams, uint32_t list, uint32_t picture)
{
    const struct encode_model *model = streams->model;
    return &streams->lists[ENCODE_LISTS * model->size.tiles + list * model->count + picture];
}

/* The lists by picture. */
enum { LENGTHS, PLACES };

static void place_gathered(const struct streams *streams)
{
    uint64_t place[ENCODE_MODEL_PICTURES];
    kst_jpeg_gpu_encode_places(streams->length, streams->model->count, place);
    for (uint32_t i = 0; i < streams->model->count; i++) {
        *of_picture(streams, LENGTHS, i) = streams->length[i];
        *of_picture(streams, PLACES, i) = (uint32_t)(place[i] / 16);
    }
}

/* Place the streams with room for what they have; now and then for a little less, or more. */
static void make_room(struct streams *streams)
{
    const struct encode_model *model = streams->model;
    uint32_t room[ENCODE_MODEL_PICTURES];
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t kind = next_random() % 4;
        room[i] = streams->length[i] + (kind == 0 ? next_random() % 50 : 0);
        room[i] -= kind == 1 ? 1 + next_random() % room[i] : 0;
    }
    streams->size = (size_t)kst_jpeg_gpu_encode_room(model->work, model->count, room);
    place_gathered(streams);
}

static void check_list(const struct streams *streams, struct gpu_runtime *runtime, enum jpeg_gpu_encode_kernel kernel,
    uint32_t groups, bool with_bits, const enum jpeg_encode_list *given, uint32_t given_count,
    const enum jpeg_encode_list *made, uint32_t made_count)
{
    const struct encode_model *model = streams->model;
    size_t length = lists_length(model), one = model->size.tiles * (size_t)4;
    uint8_t *lists = stage_poisoned(length);
    uint32_t *sums = (uint32_t *)(void *)(lists + one * ENCODE_LISTS);
    for (uint32_t i = 0; i < given_count; i++)
        memcpy(lists + given[i] * one, in_list(streams, given[i], 0), one);
    bool sums_up = kernel == ENCODE_MEASURE_TILES && model->head->gathered;
    for (uint32_t i = 0; i < model->count && sums_up; i++)
        sums[i] = 0;
    uint8_t *wanted = stage_copy(lists, length);
    for (uint32_t i = 0; i < made_count; i++)
        memcpy(wanted + made[i] * one, in_list(streams, made[i], 0), one);
    if (sums_up)
        memcpy(wanted + one * ENCODE_LISTS, streams->length, model->count * sizeof *streams->length);
    struct stage_argument arguments[3] = {STAGE_IN("work", model->work, model->size.words * 4ULL)};
    arguments[1] = (struct stage_argument)STAGE_IN("bits", streams->bits, bits_length(model));
    arguments[1 + with_bits] = (struct stage_argument)STAGE_OUT("lists", lists, wanted, length);
    stage_run(runtime, &kst_jpeg_gpu_encoding, kernel, groups, arguments, 2 + with_bits);
    free(lists);
    free(wanted);
}

/* Return whether tiles themselves sum what precedes them. */
static bool all_summed(const struct encode_model *model)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (!encode_model_picture(model, i)->summed)
            return false;
    return true;
}

static void check_lists(const struct streams *streams, struct gpu_runtime *runtime)
{
    const struct encode_model *model = streams->model;
    static const enum jpeg_encode_list lengths[] = {ENCODE_LENGTHS, ENCODE_STARTS}, sizes[] = {ENCODE_SIZES},
                                       starts[] = {ENCODE_STARTS}, both[] = {ENCODE_STARTS, ENCODE_SIZES},
                                       offsets[] = {ENCODE_OFFSETS};
    check_list(streams, runtime, ENCODE_PLACE_BITS, model->count, false, lengths, 1, starts, 1);
    check_list(
        streams, runtime, ENCODE_MEASURE_TILES, model->size.tiles, true, lengths, all_summed(model) ? 1 : 2, both, 2);
    check_list(streams, runtime, ENCODE_PLACE_BYTES, model->count, false, sizes, 1, offsets, 1);
}

static void check_places(const struct streams *streams, struct gpu_runtime *runtime)
{
    const struct encode_model *model = streams->model;
    size_t length = lists_length(model), places = length - model->count * (size_t)4;
    uint8_t *wanted = stage_copy(streams->lists, length), *lists = stage_copy(wanted, length);
    uint8_t *list = stage_poisoned(streams->size), *wanted_list = stage_copy(list, streams->size);
    memcpy(wanted_list, streams->length, model->count * sizeof *streams->length);
    memset(lists + places, STAGE_POISON, length - places);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, model->size.words * 4ULL),
        STAGE_OUT("lists", lists, wanted, length), STAGE_OUT("streams", list, wanted_list, streams->size)};
    stage_run(runtime, &kst_jpeg_gpu_encoding, ENCODE_PLACE_STREAMS, 1, arguments, 3);
    free(wanted);
    free(lists);
    free(list);
    free(wanted_list);
}

/* What must lie in the buffer of streams if they are gathered; a stream that there is no room for may be anything. */
static void want_gathered(const struct streams *streams, const uint8_t *found, uint8_t *wanted)
{
    const uint8_t *stream = streams->bytes;
    for (uint32_t i = 0; i < streams->model->count; stream += streams->length[i++]) {
        size_t place = *of_picture(streams, PLACES, i) * (size_t)16, length = streams->length[i];
        if (place >= streams->size)
            continue;
        if (place + length <= streams->size)
            memcpy(wanted + place, stream, length);
        else
            memcpy(wanted + place, found + place, streams->size - place);
    }
}

/* The same if they are not. A stream that there is no room for says how long it is. */
static void want_spread(const struct streams *streams, const uint8_t *found, uint8_t *wanted)
{
    const uint8_t *stream = streams->bytes;
    for (uint32_t i = 0; i < streams->model->count; stream += streams->length[i++]) {
        const struct jpeg_encode_picture *picture = encode_model_picture(streams->model, i);
        size_t head = (size_t)picture->stream * 16, capacity = picture->capacity;
        memset(wanted + head, 0, ENCODE_HEAD);
        memcpy(wanted + head, &streams->length[i], 4);
        if (streams->length[i] <= capacity)
            memcpy(wanted + head + ENCODE_HEAD, stream, streams->length[i]);
        else
            memcpy(wanted + head + ENCODE_HEAD, found + head + ENCODE_HEAD, capacity);
    }
}

static void check_streams(const struct streams *streams, struct gpu_runtime *runtime)
{
    const struct encode_model *model = streams->model;
    size_t length = lists_length(model);
    uint32_t *lists = stage_copy(streams->lists, length);
    uint8_t *before = stage_poisoned(streams->size), *wanted = stage_poisoned(streams->size);
    uint8_t *found = stage_poisoned(streams->size);
    if (all_summed(model))
        memset(lists + (size_t)ENCODE_OFFSETS * model->size.tiles, STAGE_POISON, model->size.tiles * (size_t)4);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, model->size.words * 4ULL),
        STAGE_IN("bits", streams->bits, bits_length(model)), STAGE_IN("lists", lists, length),
        STAGE_FOUND("streams", before, found, streams->size)};
    stage_run(runtime, &kst_jpeg_gpu_encoding, ENCODE_WRITE_STREAMS, model->size.tiles, arguments, 4);
    (model->head->gathered ? want_gathered : want_spread)(streams, found, wanted);
    assert_memory_equal(found, wanted, streams->size);
    free(lists);
    free(before);
    free(wanted);
    free(found);
}

static void test_streams(struct gpu_runtime *runtime, const struct encode_model *model)
{
    uint32_t length[ENCODE_MODEL_PICTURES];
    struct streams streams = {.model = model, .length = length};
    size_t used = 0;
    streams.lists = stage_poisoned(lists_length(model));
    streams.bytes = stage_poisoned(2 * bits_length(model) + model->size.tiles * (size_t)4);
    random_bits(&streams);
    for (uint32_t i = 0; i < model->count; i++) {
        length[i] = join_tiles(&streams, i, streams.bytes + used);
        used += length[i];
    }
    make_room(&streams);
    check_lists(&streams, runtime);
    check_places(&streams, runtime);
    check_streams(&streams, runtime);
    free(streams.bits);
    free(streams.lists);
    free(streams.bytes);
}

static void each_model(void (*test)(struct gpu_runtime *runtime, const struct encode_model *model))
{
    for (uint32_t i = 0; i < (simulated() ? 2 : 60); i++) {
        struct encode_model model;
        encode_model_make(&model, simulated() ? 2 : 1 + i % ENCODE_MODEL_PICTURES,
            simulated() ? 30
            : i % 10    ? 90
                        : 300);
        for (uint32_t g = 0; g < gpu_count; g++)
            test(runtimes[g], &model);
        encode_model_release(&model);
        renew_runtimes();
    }
}

static void check_tiles(void **state)
{
    (void)state;
    each_model(test_tiles);
}

static void check_symbols(void **state)
{
    (void)state;
    each_model(test_symbols);
}

static void check_joining(void **state)
{
    (void)state;
    each_model(test_streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_tiles), cmocka_unit_test(check_symbols), cmocka_unit_test(check_joining)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
