/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multiple component transforms of any stages, against a model: arrays of all kinds and element types, wavelets with
 * all levels and origins, other numbers of components, several collections and stages, and tiles with their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/j2k/multi_model.h"
#include "support/j2k/volumes.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 9, HEIGHT = 6, DEPTH = 20 /* bits of samples that a model makes */ };
enum { BOTH_BITS = 6 /* arrays and wavelets, in COD */ };

static struct made headers, own;

/* Make slices of noise, coded without a transform along z; the caller releases both. */
static kst_buffer code(kst_volume *v, uint32_t depth, uint32_t tile)
{
    static uint32_t random = 7;
    kst_volume_options options;
    *v = volume_make(WIDTH, HEIGHT, depth, 9, true);
    for (uint32_t i = 0; i < v->slice_pitch / 2 * depth; i++)
        ((int16_t *)v->data)[i] = (int16_t)((int32_t)random_below(&random, 512) - 256);
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.levels = 1;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = tile;
    return volume_encode(context, v, &options);
}

/* Compute the slices at a place from the coded ones; *real says which are real. Returns the largest number met. */
static double run_place(
    const struct model *model, const kst_volume *coded, uint32_t x, uint32_t y, double *value, bool *real)
{
    for (uint32_t z = 0; z < coded->depth; z++)
        value[z] = (double)volume_sample(coded, x, y, z);
    return model_run(model, value, real);
}

/* Check the samples at one place against those that the model makes of the coded ones. */
static void expect_place(
    const struct model *model, const kst_volume *coded, const kst_volume *back, uint32_t x, uint32_t y)
{
    const double high = ldexp(1, back->bits - 1) - 1;
    double value[MODEL_COMPONENTS];
    bool real[MODEL_COMPONENTS] = {false};
    const double largest = run_place(model, coded, x, y, value, real);
    for (uint32_t z = 0; z < back->depth && largest < 1e9; z++) {
        const double expected = fmax(-high - 1, fmin(high, value[z])), found = (double)volume_sample(back, x, y, z);
        const double most = real[z] ? 0.57 + 1e-6 * largest : 0; /* the range is added before rounding */
        if (fabs(found - expected) > most)
            fail_msg("component %u at %u, %u: %f instead of %f", z, x, y, found, expected);
    }
}

static void expect_model(const struct model *model, const kst_volume *coded, const kst_volume *back)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            expect_place(model, coded, back, x, y);
}

/* Code slices, decode them with the transform of a model, and compare. */
static void check_model(const struct model *model, uint32_t coded, uint32_t made)
{
    kst_volume v;
    kst_buffer stream = code(&v, coded, 0);
    headers.length = 0;
    model_put(&headers, model, made, DEPTH);
    kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
    kst_volume back = volume_decode(context, &wrapped, NULL);
    assert_int_equal(back.depth, made);
    assert_int_equal(back.bits, DEPTH);
    expect_model(model, &v, &back);
    free(wrapped.data);
    kst_volume_release(context, &back);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
}

/* Make a stage with one collection over `taken` components in order, which makes `made`, and an array for it. */
static void one_stage(struct model *model, uint8_t kind, uint32_t taken, uint32_t made)
{
    *model = (struct model){.stages = 1};
    struct model_collection *c = &model->stage->collection[0];
    model->stage->index = 5;
    model->stage->count = 1;
    c->kind = kind;
    c->taken = taken;
    c->made = made;
    for (uint32_t i = 0; i < MODEL_COMPONENTS; i++)
        c->in[i] = c->out[i] = i;
}

/* Matrices and offsets of all types of elements, in one marker segment or in several; also with fewer or more outputs.
 */
static void test_matrices(void **state)
{
    (void)state;
    static struct model model;
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t taken = 3 + i % 2, made = i < 4 ? taken : 1 + i % 7;
        const uint8_t type = (uint8_t)(i % 4);
        one_stage(&model, MODEL_DECORRELATION, taken, made);
        struct model_array *array = model_add_array(&model, MODEL_DECORRELATION, type, taken * made);
        struct model_array *offsets = model_add_array(&model, MODEL_OFFSETS, 3 - type, made);
        for (uint32_t k = 0; k < taken * made; k++)
            array->value[k] = type < MODEL_FLOAT32 ? (double)(k * 5 % 7) - 3 : (double)(k * 37 % 61) / 64 - 0.375;
        for (uint32_t k = 0; k < made; k++)
            offsets->value[k] = (double)(k * 100) - 50;
        array->parts = i % 5;
        model.stage->parts = i % 3;
        model.stage->collection[0].array = array->index;
        model.stage->collection[0].offsets = offsets->index;
        check_model(&model, taken, made);
    }
}

/* A dependency array, and the same with divisors. */
static void test_dependencies(void **state)
{
    (void)state;
    static struct model model;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t n = 2 + i % 5, reversible = i % 2;
        uint32_t k = 0;
        one_stage(&model, MODEL_DEPENDENCY, n, n);
        struct model_array *array =
            model_add_array(&model, MODEL_DEPENDENCY, MODEL_FLOAT32, n * (n - 1) / 2 + (reversible ? n - 1 : 0));
        struct model_array *offsets = model_add_array(&model, MODEL_OFFSETS, MODEL_INT32, n);
        for (uint32_t row = 1; row < n; row++) {
            for (uint32_t column = 0; column < row; column++)
                array->value[k++] = reversible ? (double)((row * 5 + column) % 7) - 3 : (row + 2 * column) / 8.0 - 0.5;
            if (reversible)
                array->value[k++] = ldexp(1, (int)row % 3);
        }
        for (uint32_t row = 0; row < n; row++)
            offsets->value[row] = 10.0 * row - 7;
        model.stage->collection[0].array = array->index;
        model.stage->collection[0].offsets = i < 4 ? offsets->index : 0;
        model.stage->collection[0].reversible = reversible;
        check_model(&model, n, n);
    }
}

/* The steps of a reversible decorrelation undo what their opposites, in reverse order, make of samples. */
static void test_reversible(void **state)
{
    (void)state;
    static const double rows[5][4] = {{1, -2, 3, 8}, {2, 5, 4, -1}, {-3, 1, 1, 0}, {2, 1, -3, 5}, {0, 1, -1, 2}};
    static struct model model;
    kst_volume v;
    kst_buffer stream = code(&v, 4, 0), again;
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    one_stage(&model, MODEL_DECORRELATION, 4, 4);
    struct model_array *array = model_add_array(&model, MODEL_DECORRELATION, MODEL_INT32, 20);
    for (uint32_t i = 0; i < 20; i++)
        array->value[i] = rows[i / 4][i % 4];
    array->value[1 * 4 + 2] = 4; /* the divisors of the second, third and fourth step */
    array->value[2 * 4 + 1] = 1;
    array->value[3 * 4 + 0] = 2;
    kst_volume coded = volume_make(WIDTH, HEIGHT, 4, 16, true);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        int32_t x[4];
        for (uint32_t z = 0; z < 4; z++)
            x[z] = (int32_t)volume_sample(&v, i % WIDTH, i / WIDTH, z);
        for (uint32_t step = 5; step-- > 0;) {
            const uint32_t target = step == 4 ? 3 : 3 - step;
            double sum = 0;
            for (uint32_t k = 0; k < 4; k++)
                sum += k == target ? 0 : array->value[step * 4 + k] * x[k];
            const double divisor = array->value[step * 4 + target];
            x[target] += (int32_t)floor(sum / divisor + (divisor > 1 ? 0.5 : 0));
        }
        for (uint32_t z = 0; z < 4; z++)
            *(int16_t *)(void *)((uint8_t *)coded.data + z * coded.slice_pitch + i / WIDTH * coded.pitch +
                                 i % WIDTH * sizeof(int16_t)) = (int16_t)x[z];
    }
    again = volume_encode(context, &coded, &options);
    model.stage->collection[0].array = array->index;
    model.stage->collection[0].reversible = true;
    headers.length = 0;
    model_put(&headers, &model, 4, v.bits);
    kst_buffer wrapped = model_wrap(&again, &headers, 2, 0, NULL);
    kst_volume back = volume_decode(context, &wrapped, NULL);
    volume_expect_same(&back, &v);
    free(wrapped.data);
    kst_volume_release(context, &back);
    kst_volume_release(context, &coded);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
    kst_buffer_release(context, &again);
}

/* Both wavelets with all numbers of levels, odd counts, and origins up to the end of 32 bits. */
static void test_wavelets(void **state)
{
    (void)state;
    static const uint32_t origins[] = {0, 1, 2, 3, 5, 1000003, 0x7FFFFFFF, 0xFFFFFF00};
    static struct model model;
    for (uint32_t i = 0; i < 66; i++) {
        const uint32_t n = i == 8 ? 77 : 1 + i * 7 % 12;
        one_stage(&model, MODEL_WAVELET, n, n);
        model.stage->collection[0].levels = (uint8_t)(i / 2);
        model.stage->collection[0].reversible = i % 2;
        model.stage->collection[0].origin = origins[i * 3 % 8];
        check_model(&model, n, n);
    }
}

/*
 * A wavelet over all components in their order, which is decoded by itself, gives the same samples with a stage behind
 * it that changes nothing, also if components are coded with 9/7.
 */
static void test_bricks(void **state)
{
    (void)state;
    static struct model model;
    for (uint32_t i = 0; i < 24; i++) {
        const uint32_t n = 1 + i * 5 % 14;
        kst_volume v = volume_make(WIDTH, HEIGHT, n, 12, true);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = 0;
        options.jpeg2000.target = i % 2 ? KST_J2K_RATE : KST_J2K_LOSSLESS;
        options.jpeg2000.value = 6;
        kst_buffer stream = volume_encode(context, &v, &options);
        kst_volume back[2];
        one_stage(&model, MODEL_WAVELET, n, n);
        model.stage[1] = model.stage[0];
        model.stage[1].index = 6;
        model.stage[1].collection[0].kind = MODEL_DECORRELATION;
        model.stage[0].collection[0].levels = (uint8_t)(1 + i % 7);
        model.stage[0].collection[0].reversible = i % 2 == 0;
        model.stage[0].collection[0].origin = i * 3 % 11;
        for (uint32_t further = 0; further < 2; further++) {
            model.stages = 1 + further;
            headers.length = 0;
            model_put(&headers, &model, n, DEPTH);
            kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
            kst_volume_info info = {.size = sizeof info};
            assert_int_equal(
                kst_describe_volume(context, wrapped.data, wrapped.length, NULL, NULL, &info, NULL), KST_OK);
            assert_int_equal(info.has_wavelet, !further);
            back[further] = volume_decode(context, &wrapped, NULL);
            free(wrapped.data);
        }
        volume_expect_same(&back[0], &back[1]);
        for (uint32_t further = 0; further < 2; further++)
            kst_volume_release(context, &back[further]);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &stream);
    }
}

/* Any transforms: several collections and stages, components that are taken several times, or never. */
static void test_any(void **state)
{
    (void)state;
    static struct model model;
    uint32_t random = 99;
    for (uint32_t i = 0; i < 150; i++) {
        bool real[MODEL_COMPONENTS] = {false};
        const uint32_t coded = 1 + random_below(&random, 6), stages = 1 + random_below(&random, 3);
        uint32_t count = coded;
        model = (struct model){.stages = 0};
        for (uint32_t s = 0; s < stages; s++) {
            const uint32_t made = 1 + random_below(&random, 6);
            model_add_stage(&model, count, made, real, &random);
            count = made;
        }
        check_model(&model, coded, count);
    }
}

/*
 * All tiers and numbers of threads make the same bytes, also where memory is short, and boxes are parts of the whole.
 */
static void test_machines(void **state)
{
    (void)state;
    static struct model model;
    kst_volume v;
    bool real[MODEL_COMPONENTS] = {false};
    uint32_t random = 4;
    kst_buffer stream = code(&v, 5, 4);
    model = (struct model){.stages = 0};
    model_add_stage(&model, 5, 6, real, &random);
    model_add_stage(&model, 6, 4, real, &random);
    headers.length = 0;
    model_put(&headers, &model, 4, DEPTH);
    kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
    kst_volume whole = volume_decode(contexts.context[0], &wrapped, NULL);
    expect_model(&model, &v, &whole);
    kst_volume_decode_options options;
    kst_volume_decode_options_init(&options);
    options.region = (kst_box){.x = 3, .y = 1, .z = 1, .width = 5, .height = 4, .depth = 2};
    for (uint32_t i = 0; i < contexts.count; i++) {
        kst_volume back = volume_decode(contexts.context[i], &wrapped, NULL),
                   part = volume_decode(contexts.context[i], &wrapped, &options);
        volume_expect_same(&back, &whole);
        assert_true(volume_difference(&part, &whole, 3, 1, 1) < 0.5);
        kst_volume_release(contexts.context[i], &back);
        kst_volume_release(contexts.context[i], &part);
    }
    kst_volume_release(contexts.context[0], &whole);
    free(wrapped.data);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
}

/* A tile's MCT, MCC and MCO come before those of the main header, whichever of them there are. */
static void test_tiles(void **state)
{
    (void)state;
    enum { TILE = 5, OWN_MCT = 1, OWN_MCC = 2, OWN_MCO = 4, NO_STAGES = 8 };
    static struct model model, changed;
    kst_volume v;
    kst_buffer stream = code(&v, 3, TILE);
    one_stage(&model, MODEL_DECORRELATION, 3, 3);
    struct model_array *array = model_add_array(&model, MODEL_DECORRELATION, MODEL_FLOAT32, 9);
    for (uint32_t i = 0; i < 9; i++)
        array->value[i] = (double)(i * 4 % 9) / 4 - 1;
    model.stage->collection[0].array = array->index;
    for (uint32_t what = 0; what <= NO_STAGES; what++) {
        changed = model;
        headers.length = own.length = 0;
        model_put(&headers, &model, 3, DEPTH);
        if (what & OWN_MCT)
            changed.array->value[4] = 3;
        if (what & OWN_MCC)
            changed.stage->collection[0].out[0] = 2, changed.stage->collection[0].out[2] = 0;
        if (what & OWN_MCO)
            changed.stage[1] = changed.stage[0], changed.stages = 2;
        if (what & NO_STAGES)
            changed.stages = 0;
        const uint8_t order[] = {changed.stage->index, changed.stage->index};
        if (what & OWN_MCC)
            model_put_stage(&own, changed.stage);
        if (what & (OWN_MCO | NO_STAGES))
            model_put_order(&own, order, changed.stages);
        if (what & OWN_MCT)
            model_put_array(&own, changed.array);
        kst_buffer wrapped = model_wrap(&stream, &headers, 2, 1, &own);
        kst_volume back = volume_decode(context, &wrapped, NULL);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                expect_place(x >= TILE && y < TILE ? &changed : &model, &v, &back, x, y);
        free(wrapped.data);
        kst_volume_release(context, &back);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
}

/* A tile with a transform of its own beside a wavelet whose positions do not begin with 0. */
static void test_tile_and_origin(void **state)
{
    (void)state;
    enum { TILE = 5, COUNT = 6, ORIGIN = 7 };
    static struct model model, changed;
    kst_volume v;
    kst_buffer stream = code(&v, COUNT, TILE);
    one_stage(&model, MODEL_WAVELET, COUNT, COUNT);
    model.stage->collection[0].levels = 2;
    model.stage->collection[0].reversible = true;
    model.stage->collection[0].origin = ORIGIN;
    changed = model;
    changed.stage->collection[0].levels = 1;
    headers.length = own.length = 0;
    model_put(&headers, &model, COUNT, DEPTH);
    model_put_stage(&own, changed.stage);
    kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 1, &own);
    kst_volume_decode_options options;
    kst_volume_decode_options_init(&options);
    for (uint32_t i = 0; i < contexts.count; i++) {
        options.region = (kst_box){.z = 2, .width = WIDTH, .height = HEIGHT, .depth = 3};
        kst_volume back = volume_decode(contexts.context[i], &wrapped, NULL),
                   part = volume_decode(contexts.context[i], &wrapped, &options);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                expect_place(x >= TILE && y < TILE ? &changed : &model, &v, &back, x, y);
        assert_true(volume_difference(&part, &back, 0, 0, 2) < 0.5);
        kst_volume_release(contexts.context[i], &back);
        kst_volume_release(contexts.context[i], &part);
    }
    free(wrapped.data);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
}

/* Check a volume of slices that have these samples: what the model makes, clamped to the slice's own range. */
static void expect_mixed(
    const struct model *model, const uint8_t *entry, const kst_volume *coded, const kst_volume *back)
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t x = i % WIDTH, y = i / WIDTH;
        double value[MODEL_COMPONENTS];
        bool real[MODEL_COMPONENTS] = {false};
        const double largest = run_place(model, coded, x, y, value, real);
        for (uint32_t z = 0; z < back->depth && largest < 1e9; z++) {
            const double range = ldexp(1, (entry[z] & 0x7F) + 1), low = entry[z] & 0x80 ? -range / 2 : 0;
            const double expected = fmax(low, fmin(low + range - 1, value[z]));
            const double found = (double)volume_sample(back, x, y, z);
            if (fabs(found - expected) > (real[z] ? 0.57 + 1e-6 * largest : 0))
                fail_msg("slice %u at %u, %u: %f instead of %f", z, x, y, found, expected);
        }
    }
}

/*
 * CBD may give each slice another depth, with signs or without: the volume's type holds all, and values stay as they
 * are. A wavelet over all components is no exception; volumes reduced along z have slices that none of these depths
 * belongs to.
 */
static void test_depths(void **state)
{
    (void)state;
    static struct model model;
    uint32_t random = 6;
    for (uint32_t i = 0; i < 20; i++) {
        uint8_t entry[MODEL_COMPONENTS], bits = 0;
        bool real[MODEL_COMPONENTS] = {false}, has_signs = false;
        const uint32_t coded = 2 + random_below(&random, 5), made = i % 2 ? coded : 1 + random_below(&random, 6);
        kst_volume v;
        kst_volume_info info = {.size = sizeof info};
        kst_volume_decode_options reduced;
        kst_buffer stream = code(&v, coded, 4);
        one_stage(&model, MODEL_WAVELET, coded, coded);
        model.stage->collection[0].levels = 1;
        model.stage->collection[0].reversible = true;
        model.stage->collection[0].origin = i % 4;
        if (i % 2 == 0) {
            model.stages = 0;
            model_add_stage(&model, coded, made, real, &random);
        }
        for (uint32_t z = 0; z < made; z++) {
            entry[z] = (uint8_t)(random_below(&random, 12) | (i % 5 && random_below(&random, 2) ? 0x80 : 0));
            has_signs = has_signs || entry[z] & 0x80;
        }
        for (uint32_t z = 0; z < made; z++) {
            const uint8_t least = (uint8_t)((entry[z] & 0x7F) + 1 + (has_signs && !(entry[z] & 0x80)));
            bits = least > bits ? least : bits;
        }
        headers.length = 0;
        model_put_each_depth(&headers, made, entry);
        model_put_stages(&headers, &model);
        kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
        assert_int_equal(kst_describe_volume(context, wrapped.data, wrapped.length, NULL, NULL, &info, NULL), KST_OK);
        assert_int_equal(info.bits, bits);
        assert_int_equal(info.is_signed, has_signs);
        assert_int_equal(info.has_wavelet, i % 2);
        for (uint32_t m = machines_first(i); m < contexts.count; m += MACHINES_APART) {
            kst_volume back = volume_decode(contexts.context[m], &wrapped, NULL);
            assert_int_equal(back.bits, bits);
            assert_int_equal(back.is_signed, has_signs);
            expect_mixed(&model, entry, &v, &back);
            kst_volume_release(contexts.context[m], &back);
        }
        kst_volume_decode_options_init(&reduced);
        reduced.reduce_z = i % 2;
        kst_volume back = volume_decode(context, &wrapped, &reduced);
        assert_int_equal(back.depth, i % 2 ? (i % 4 + coded + 1) / 2 - (i % 4 + 1) / 2 : made);
        kst_volume_release(context, &back);
        free(wrapped.data);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &stream);
    }
}

/* Components that are coded with different depths are slices, too; and 31 bits hold the samples of all, or none. */
static void test_coded_depths(void **state)
{
    (void)state;
    static const uint8_t depth[] = {8, 12, 5, 3};
    static uint16_t sample[4][WIDTH * HEIGHT];
    kst_image image;
    kst_encode_options options;
    kst_j2k_options jpeg2000;
    kst_buffer stream = {.data = NULL};
    kst_image_init(&image);
    kst_encode_options_init(&options);
    kst_j2k_options_init(&jpeg2000);
    jpeg2000.codestream = true;
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &jpeg2000;
    image.format = KST_FORMAT_RAW;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.plane_count = 4;
    for (uint32_t z = 0; z < 4; z++) {
        uint8_t *bytes = (uint8_t *)sample[z];
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            const int32_t value = (int32_t)((i * 37 + z) % (1U << depth[z])) - (z == 1 ? 1 << (depth[z] - 1) : 0);
            if (depth[z] > 8)
                sample[z][i] = (uint16_t)value;
            else
                bytes[i] = (uint8_t)value;
        }
        image.plane[z] = (kst_plane){.data = sample[z],
            .width = WIDTH,
            .height = HEIGHT,
            .pitch = WIDTH * (depth[z] > 8 ? 2 : 1),
            .depth = depth[z],
            .is_signed = z == 1};
    }
    assert_int_equal(kst_encode(context, &image, &options, &stream, NULL), KST_OK);
    for (uint32_t i = 0; i < contexts.count; i++) {
        kst_volume back = volume_decode(contexts.context[i], &stream, NULL);
        assert_int_equal(back.bits, 12);
        assert_true(back.is_signed);
        for (uint32_t z = 0; z < 4; z++)
            for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
                assert_int_equal(volume_sample(&back, k % WIDTH, k / WIDTH, z),
                    (int32_t)((k * 37 + z) % (1U << depth[z])) - (z == 1 ? 2048 : 0));
        kst_volume_release(contexts.context[i], &back);
    }
    static const uint8_t entry[] = {30, 0x80 | 7, 7, 7};
    kst_volume none;
    kst_report report;
    kst_report_init(&report);
    kst_volume_init(&none);
    headers.length = 0;
    model_put_each_depth(&headers, 4, entry);
    kst_buffer wrapped = model_wrap(&stream, &headers, 0, 0, NULL);
    wrapped.data[6] = 0x81; /* Rsiz: extensions, among them a multiple component transform */
    assert_int_equal(
        kst_decode_volume(context, wrapped.data, wrapped.length, NULL, &none, &report), KST_ERROR_IMAGE_DEPTH);
    assert_non_null(strstr(report.message, "need more than 31 bits together"));
    free(wrapped.data);
    kst_buffer_release(context, &stream);
}

/*
 * SIZ says whether coded components have signs. Without stages unsigned ones get the level shift of T.800; stages take
 * them as they are coded.
 */
static void test_level_shift(void **state)
{
    (void)state;
    enum { FIRST_SIGN = 42 /* Ssiz of the first component, from SOC on */, EACH = 3, SIGNED = 0x80 };
    static struct model model;
    kst_volume v;
    kst_buffer stream = code(&v, 3, 0);
    one_stage(&model, MODEL_DECORRELATION, 3, 3);
    for (uint32_t stages = 0; stages < 2; stages++) {
        model.stages = stages;
        headers.length = 0;
        model_put(&headers, &model, 3, DEPTH);
        kst_buffer wrapped = model_wrap(&stream, &headers, BOTH_BITS, 0, NULL);
        const uint8_t depth = (uint8_t)((wrapped.data[FIRST_SIGN] & 0x7F) + 1);
        for (uint32_t c = 0; c < 3; c++)
            wrapped.data[FIRST_SIGN + EACH * c] &= (uint8_t)~SIGNED;
        kst_volume back = volume_decode(context, &wrapped, NULL);
        for (uint32_t i = 0; i < 3 * WIDTH * HEIGHT; i++) {
            const uint32_t x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
            const int64_t shift = stages ? 0 : (int64_t)1 << (depth - 1);
            assert_int_equal(volume_sample(&back, x, y, z), volume_sample(&v, x, y, z) + shift);
        }
        free(wrapped.data);
        kst_volume_release(context, &back);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &stream);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrices), cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_reversible), cmocka_unit_test(test_wavelets), cmocka_unit_test(test_bricks),
        cmocka_unit_test(test_any), cmocka_unit_test(test_machines), cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_tile_and_origin), cmocka_unit_test(test_depths), cmocka_unit_test(test_coded_depths),
        cmocka_unit_test(test_level_shift)};
    return run_with_context(2, tests, start, stop);
}
