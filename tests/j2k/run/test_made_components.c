/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kst_decode() of pictures whose components a multiple component transform makes, in the main header or in a tile's:
 * against a model, by regions and tiles, reduced, in all formats, and on all machines, GPUs among them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "support/j2k/multi_model.h"
#include "support/j2k/volumes.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum {
    WIDTH = 21,
    HEIGHT = 13,
    TILE = 8,
    COLUMNS = 3,
    ROWS = 2,
    OWN_TILE = 1,
    COUNT = 4,
    MOST = 6,
    BOTH_BITS = 6,
    DEPTH = 20
};

/* Holds a picture's codestream, the components that it codes, and the transforms of its tiles. */
static struct {
    kst_buffer plain, wrapped;
    struct model main, own;
    uint32_t made;
    uint8_t entry[MODEL_COMPONENTS]; /* CBD */
    double value[MODEL_COMPONENTS][HEIGHT][WIDTH], tolerance[MODEL_COMPONENTS][HEIGHT][WIDTH];
} set;

static struct made headers, own;

/* Code components of noise; no transform makes them yet. */
static void code(void)
{
    static uint32_t random = 5;
    kst_volume v = volume_make(WIDTH, HEIGHT, COUNT, 9, true);
    kst_volume_options options;
    for (uint32_t i = 0; i < v.slice_pitch / 2 * COUNT; i++)
        ((int16_t *)v.data)[i] = (int16_t)((int32_t)random_below(&random, 512) - 256);
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.levels = 2;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = TILE;
    set.plain = volume_encode(context, &v, &options);
    kst_volume_release(context, &v);
}

static void drop(void)
{
    free(set.wrapped.data);
    kst_buffer_release(context, &set.plain);
}

/* Choose stages that make `made` components. */
static void add_stages(struct model *model, uint32_t coded, uint32_t made, uint32_t *random)
{
    bool real[MODEL_COMPONENTS] = {false};
    const uint32_t between = 1 + random_below(random, MOST);
    *model = (struct model){.stages = 0};
    model_add_stage(model, coded, between, real, random);
    model_add_stage(model, between, made, real, random);
}

/* Wrap the codestream with the transforms. With `main_order` the main header has stages, not just descriptions. */
static void wrap(bool main_order)
{
    uint8_t order[MODEL_STAGES];
    headers.length = own.length = 0;
    model_put_each_depth(&headers, set.made, set.entry);
    if (main_order)
        model_put_stages(&headers, &set.main);
    for (uint32_t i = 0; i < set.own.arrays; i++)
        model_put_array(&own, &set.own.array[i]);
    for (uint32_t i = 0; i < set.own.stages; i++) {
        order[i] = set.own.stage[i].index;
        model_put_stage(&own, &set.own.stage[i]);
    }
    model_put_order(&own, order, set.own.stages);
    if (!main_order)
        set.main.stages = 0;
    set.wrapped = model_wrap(&set.plain, &headers, BOTH_BITS, OWN_TILE, &own);
}

static uint32_t smaller_by(uint32_t value, uint32_t reduce)
{
    return (value + (1U << reduce) - 1) >> reduce;
}

/* Compute all samples of the reduced picture from the coded components. */
static void compute(uint32_t reduce)
{
    kst_volume_decode_options options;
    kst_volume_decode_options_init(&options);
    options.reduce = reduce;
    const uint32_t first = smaller_by(TILE, reduce), end = smaller_by(2 * TILE, reduce);
    headers.length = 0;
    model_put_depths(&headers, COUNT, DEPTH, true); /* so that reduced components are not clamped */
    kst_buffer plain = model_wrap(&set.plain, &headers, BOTH_BITS, 0, NULL);
    kst_volume coded = volume_decode(context, &plain, &options);
    for (uint32_t y = 0; y < coded.height; y++)
        for (uint32_t x = 0; x < coded.width; x++) {
            double value[MODEL_COMPONENTS];
            bool real[MODEL_COMPONENTS] = {false};
            const bool here = y < first && x >= first && x < end;
            for (uint32_t c = 0; c < coded.depth; c++)
                value[c] = (double)volume_sample(&coded, x, y, c);
            const double largest = model_run(here ? &set.own : &set.main, value, real);
            for (uint32_t c = 0; c < set.made; c++) {
                const int depth = (set.entry[c] & 0x7F) + 1;
                const double low = set.entry[c] & 0x80 ? -ldexp(1, depth - 1) : 0;
                set.value[c][y][x] = fmax(low, fmin(low + ldexp(1, depth) - 1, value[c]));
                set.tolerance[c][y][x] = largest > 1e9 ? INFINITY : real[c] ? 0.57 + 1e-6 * largest : 0;
            }
        }
    free(plain.data);
    kst_volume_release(context, &coded);
}

static int64_t sample_of(const kst_plane *plane, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    const bool wide = plane->depth > 16 || plane->sample == KST_SAMPLE_INT32;
    const int32_t *words = (const int32_t *)(const void *)row;
    const uint16_t *halves = (const uint16_t *)(const void *)row;
    if (wide)
        return words[x];
    if (plane->depth > 8)
        return plane->is_signed ? (int16_t)halves[x] : halves[x];
    return plane->is_signed ? (int8_t)row[x] : row[x];
}

static kst_image decode(kst_context *in, const kst_decode_options *options)
{
    kst_image image;
    kst_report report;
    kst_report_init(&report);
    kst_image_init(&image);
    if (kst_decode(in, set.wrapped.data, set.wrapped.length, options, &image, &report))
        fail_msg("%s", report.message);
    assert_int_equal(report.warnings, 0);
    return image;
}

/* Check the planes of a RAW image, which begins at x, y of the reduced picture. */
static void expect_model(const kst_image *image, const uint32_t *components, uint32_t x0, uint32_t y0)
{
    for (uint32_t p = 0; p < image->plane_count; p++) {
        const kst_plane *plane = kst_image_plane(image, p);
        const uint32_t c = components ? components[p] : p;
        assert_int_equal(plane->depth, (set.entry[c] & 0x7F) + 1);
        assert_int_equal(plane->is_signed, set.entry[c] >> 7);
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                const double found = (double)sample_of(plane, x, y), wanted = set.value[c][y0 + y][x0 + x];
                if (fabs(found - wanted) > set.tolerance[c][y0 + y][x0 + x])
                    fail_msg("component %u at %u, %u: %f instead of %f", c, x0 + x, y0 + y, found, wanted);
            }
    }
}

/* Choose depths from 1 to 20 bits, with signs and without. */
static void choose_depths(uint32_t *random)
{
    for (uint32_t c = 0; c < MODEL_COMPONENTS; c++)
        set.entry[c] = (uint8_t)(random_below(random, DEPTH) | (random_below(random, 2) ? 0x80 : 0));
}

/*
 * Pictures of any depths, with stages in the main header and others in a tile's, or in the tile's alone: then the other
 * tiles are as they are coded, but for the depths.
 */
static void test_tiles(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (uint32_t i = 0; i < 24; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        options.reduce = i % 3;
        options.sample = i % 4 == 3 ? KST_SAMPLE_INT32 : KST_SAMPLE_INTEGER;
        code();
        choose_depths(&random);
        set.made = i % 2 ? COUNT : 1 + random_below(&random, MOST);
        add_stages(&set.main, COUNT, set.made, &random);
        add_stages(&set.own, COUNT, set.made, &random);
        wrap(i % 4 != 3);
        compute(options.reduce);
        for (uint32_t m = machines_first(i); m < contexts.count; m += MACHINES_APART) {
            kst_image image = decode(contexts.context[m], &options);
            assert_int_equal(image.plane_count, set.made);
            expect_model(&image, NULL, 0, 0);
            kst_image_release(contexts.context[m], &image);
        }
        drop();
    }
}

/* Regions, tiles by themselves, and some of the components are parts of the picture. */
static void test_parts(void **state)
{
    (void)state;
    static const uint32_t some[] = {1, 2, 4};
    uint32_t random = 8;
    code();
    choose_depths(&random);
    set.made = 5;
    add_stages(&set.main, COUNT, set.made, &random);
    add_stages(&set.own, COUNT, set.made, &random);
    wrap(true);
    for (uint32_t reduce = 0; reduce < 2; reduce++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        options.reduce = reduce;
        compute(reduce);
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t width = smaller_by(WIDTH, reduce), height = smaller_by(HEIGHT, reduce);
            const uint32_t x = random_below(&random, width), y = random_below(&random, height);
            options.region =
                (kst_region){x, y, 1 + random_below(&random, width - x), 1 + random_below(&random, height - y)};
            options.components = i % 2 ? some : NULL;
            options.component_count = i % 2 ? 3 : 0;
            for (uint32_t m = machines_first(i); m < contexts.count; m += MACHINES_APART) {
                kst_image image = decode(contexts.context[m], &options);
                expect_model(&image, options.components, x, y);
                kst_image_release(contexts.context[m], &image);
            }
        }
        options.region = (kst_region){0};
        options.components = NULL;
        options.component_count = 0;
        for (options.tile = 0; options.tile < COLUMNS * ROWS; options.tile++) {
            kst_image image = decode(contexts.context[options.tile % contexts.count], &options);
            expect_model(&image, NULL, smaller_by(options.tile % COLUMNS * TILE, reduce),
                smaller_by(options.tile / COLUMNS * TILE, reduce));
            kst_image_release(contexts.context[options.tile % contexts.count], &image);
        }
    }
    kst_transcode_options change;
    kst_buffer none = {.data = NULL};
    kst_transcode_options_init(&change); /* which would lose the tile's transform */
    assert_int_equal(
        kst_transcode(context, set.wrapped.data, set.wrapped.length, &change, &none, NULL), KST_ERROR_J2K_EXTENSION);
    drop();
}

/* Make a picture of three components of 8 bits without signs, in which each tile mixes the coded ones in its way. */
static void make_colours(void)
{
    struct model *models[] = {&set.main, &set.own};
    code();
    set.made = 3;
    memset(set.entry, 7, sizeof set.entry);
    for (uint32_t m = 0; m < 2; m++) {
        struct model *model = models[m];
        *model = (struct model){.stages = 1};
        struct model_array *array = model_add_array(model, MODEL_DECORRELATION, MODEL_FLOAT32, 9);
        struct model_array *offsets = model_add_array(model, MODEL_OFFSETS, MODEL_INT16, 3);
        for (uint32_t i = 0; i < 9; i++)
            array->value[i] = (double)((i * (m + 2) + 1) % 5) / 8 - 0.25;
        for (uint32_t i = 0; i < 3; i++)
            offsets->value[i] = 128 + 10.0 * m;
        model->stage->index = 1;
        model->stage->count = 1;
        model->stage->collection[0] = (struct model_collection){.kind = MODEL_DECORRELATION,
            .taken = 3,
            .made = 3,
            .in = {0, 1, 2},
            .out = {0, 1, 2},
            .array = array->index,
            .offsets = offsets->index};
    }
    wrap(true);
}

static bool take_rows(void *user, uint32_t y, const kst_image *rows)
{
    const kst_image *whole = user;
    for (uint32_t i = 0; i < rows->height; i++)
        memcpy((uint8_t *)whole->plane[0].data + (ptrdiff_t)(y + i) * whole->plane[0].pitch,
            (const uint8_t *)rows->plane[0].data + (ptrdiff_t)i * rows->plane[0].pitch, (size_t)3 * WIDTH);
    return true;
}

/* All formats have the samples of the components. */
static void test_formats(void **state)
{
    (void)state;
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_BGRA, KST_FORMAT_PLANAR, KST_FORMAT_RGB};
    kst_decode_options options;
    make_colours();
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    compute(0);
    kst_image raw = decode(context, &options);
    expect_model(&raw, NULL, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        options.format = formats[i];
        options.sample = i == 3 ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
        kst_image image = decode(contexts.context[i % contexts.count], &options);
        for (uint32_t at = 0; at < WIDTH * HEIGHT * 3; at++) {
            const uint32_t x = at / 3 % WIDTH, y = at / 3 / WIDTH, c = at % 3;
            const uint8_t *row =
                (const uint8_t *)image.plane[i == 2 ? c : 0].data + (ptrdiff_t)y * image.plane[i == 2 ? c : 0].pitch;
            const float *numbers = (const float *)(const void *)row;
            const uint32_t place = i == 0 ? 3 * x + c : i == 1 ? 4 * x + 2 - c : x;
            const double found = i == 3 ? (double)numbers[3 * x + c] * 255 : row[place];
            assert_true(fabs(found - (double)sample_of(&raw.plane[c], x, y)) < 1e-3);
        }
        kst_image_release(contexts.context[i % contexts.count], &image);
    }
    kst_image_release(context, &raw);
    drop();
}

/* Rows that a function takes are those of the picture. */
static void test_rows(void **state)
{
    (void)state;
    static uint8_t taken[HEIGHT][3 * WIDTH];
    kst_decode_options options;
    kst_decoder *decoder;
    kst_image rows;
    make_colours();
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    assert_int_equal(kst_image_wrap(&rows, KST_FORMAT_RGB, WIDTH, HEIGHT, taken, 0), KST_OK);
    const kst_row_writer writer = {.size = sizeof writer, .write = take_rows, .user = &rows};
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, set.wrapped.data, set.wrapped.length), KST_OK);
    assert_int_equal(kst_decoder_info(decoder)->component_count, 3);
    assert_int_equal(kst_decoder_info(decoder)->component[2].depth, 8);
    assert_int_equal(kst_decoder_decode_rows(decoder, &options, &writer), KST_OK);
    kst_decoder_destroy(&decoder);
    kst_image image = decode(context, &options);
    for (uint32_t y = 0; y < HEIGHT; y++)
        assert_memory_equal(
            (const uint8_t *)image.plane[0].data + (ptrdiff_t)y * image.plane[0].pitch, taken[y], sizeof taken[y]);
    kst_image_release(context, &image);
    drop();
}

static void expect_error(kst_status status, const char *says, const kst_limits *limits)
{
    kst_image image;
    kst_report report;
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.strict = true;
    kst_context *in = context_create("cpu", 1, limits);
    kst_report_init(&report);
    kst_image_init(&image);
    const kst_status found = kst_decode(in, set.wrapped.data, set.wrapped.length, &options, &image, &report);
    if (found != status || !strstr(report.message, says))
        fail_msg("%d, %s", (int)found, report.message);
    assert_null(image.plane[0].data);
    kst_context_destroy(&in);
    drop();
}

/*
 * Without CBD nothing says what a tile makes. CBD must not ask for more samples than the stream may; and neither coded
 * components nor those that are made may have more than 31 bits.
 */
static void test_refused(void **state)
{
    (void)state;
    enum { NO_CBD, ANOTHER_NUMBER, MANY, DEEP, DEEP_CODED, CASES };
    enum { WIDTH_AT = 4 + 4 + 2, HEIGHT_AT = 4 + 8 + 2, DEPTH_AT = 42, LARGER = 4 };
    static const struct {
        kst_status status;
        const char *says;
    } cases[CASES] = {{KST_WARNING_J2K_TILE_HEADER, "a tile whose header is damaged"},
        {KST_ERROR_J2K_MULTI, "components that no stage transforms"},
        {KST_ERROR_LIMIT_WORK, "samples of all components"}, {KST_ERROR_IMAGE_DEPTH, "component 0 has 32 bits"},
        {KST_ERROR_IMAGE_DEPTH, "coded components of more than 31 bits"}};
    const kst_limits strict = {.work = 1};
    uint32_t random = 2;
    for (uint32_t i = 0; i < CASES; i++) {
        code();
        headers.length = own.length = 0;
        add_stages(&set.own, COUNT, COUNT, &random);
        model_put_stages(&own, &set.own);
        memset(set.entry, 0x80 | (i == DEEP ? 31 : 7), sizeof set.entry);
        if (i == ANOTHER_NUMBER || i == MANY)
            model_put_depths(&headers, i == MANY ? 16384 : COUNT + 1, 8, false);
        else if (i != NO_CBD)
            model_put_each_depth(&headers, COUNT, set.entry);
        set.wrapped = model_wrap(&set.plain, &headers, BOTH_BITS, OWN_TILE, i == NO_CBD ? &own : NULL);
        if (i == MANY) /* 2^20 samples a component */
            set.wrapped.data[WIDTH_AT] = set.wrapped.data[HEIGHT_AT] = LARGER;
        if (i == DEEP_CODED)
            set.wrapped.data[DEPTH_AT] = 0x80 | 37;
        expect_error(cases[i].status, cases[i].says, i == MANY ? &strict : NULL);
    }
}

/* Pictures of a batch, beside others without a transform. */
static void test_batch(void **state)
{
    (void)state;
    enum { PICTURES = 6 };
    uint32_t random = 11;
    code();
    choose_depths(&random);
    set.made = 3;
    add_stages(&set.main, COUNT, set.made, &random);
    add_stages(&set.own, COUNT, set.made, &random);
    wrap(true);
    compute(0);
    for (uint32_t m = 0; m < contexts.count; m++) {
        kst_decode_item item[PICTURES];
        kst_image image[PICTURES];
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        for (uint32_t i = 0; i < PICTURES; i++) {
            const kst_buffer *stream = i % 2 ? &set.plain : &set.wrapped;
            kst_image_init(&image[i]);
            item[i] = (kst_decode_item){
                .data = stream->data, .length = stream->length, .options = &options, .image = &image[i]};
        }
        assert_int_equal(kst_decode_batch(contexts.context[m], item, PICTURES), KST_OK);
        for (uint32_t i = 0; i < PICTURES; i++) {
            assert_int_equal(image[i].plane_count, i % 2 ? COUNT : set.made);
            if (i % 2 == 0)
                expect_model(&image[i], NULL, 0, 0);
            kst_image_release(contexts.context[m], &image[i]);
        }
    }
    drop();
}

static int start(void **state)
{
    return contexts_start(state);
}

static int stop(void **state)
{
    return contexts_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_formats), cmocka_unit_test(test_rows), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_batch)};
    return run_with_context(2, tests, start, stop);
}
