/* SPDX-License-Identifier: BSD-2-Clause */
/* The code-block decoder against a bit-by-bit model of Annex D, which also makes the blocks. */
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/blocks/block.h"
#include "support/j2k/model.h"
#include "support/random.h"
#include "support/test.h"

struct fixture {
    struct model source, model;
    struct j2k_block_decoder decoder;
};

static enum cpu_tier tier;

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f)
        f->decoder.passes = kst_j2k_cpu_block_passes(tier);
    *state = f;
    return f == NULL;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

/* Magnitudes of up to `planes` bits, small ones more often, in patches. */
static void fill(struct model *model, uint32_t seed)
{
    uint32_t random = seed, quiet = 0;
    for (uint32_t i = 0; i < model->width * model->height; i++) {
        if (i % 61 == 0)
            quiet = random_next(&random) % 3 == 0 ? model->planes : random_next(&random) % (model->planes + 1);
        uint64_t bits = (uint64_t)random_next(&random) << 24 ^ random_next(&random);
        uint32_t length = quiet == model->planes ? 0 : model->planes - quiet;
        length = length == 0 ? 0 : random_next(&random) % (length + 1);
        model->magnitude[i] = bits & (((uint64_t)1 << length) - 1);
        model->negative[i] = random_next(&random) & 1;
    }
}

static void describe(
    struct model *model, uint32_t width, uint32_t height, uint32_t orientation, uint32_t style, uint32_t planes)
{
    model->width = width;
    model->height = height;
    model->orientation = orientation;
    model->style = style;
    model->planes = planes;
}

static struct j2k_coded_block block_of(const struct model *model, uint32_t fraction)
{
    return (struct j2k_coded_block){.width = model->width,
        .height = model->height,
        .orientation = model->orientation,
        .style = model->style,
        .planes = model->planes,
        .fraction = (int32_t)fraction,
        .codeword_count = model->segment_count,
        .codewords = model->segment};
}

/* Return what the decoder must make of the model's coefficient. */
static uint32_t expected(const struct model *model, uint32_t i, uint32_t fraction)
{
    uint32_t value = (uint32_t)model->magnitude[i] << fraction;
    if (value == 0)
        return 0;
    return value | ((uint32_t)1 << (model->plane[i] + fraction)) >> 1 | (uint32_t)model->negative[i] << 31;
}

static void compare(const struct fixture *f, uint32_t fraction)
{
    for (uint32_t i = 0; i < f->model.width * f->model.height; i++)
        if (f->decoder.samples[i] != expected(&f->model, i, fraction))
            fail_msg("%u x %u, style %#x, orientation %u: sample %u is %#x, not %#x", f->model.width, f->model.height,
                f->model.style, f->model.orientation, i, f->decoder.samples[i], expected(&f->model, i, fraction));
}

static void round_trip(
    struct fixture *f, uint32_t width, uint32_t height, uint32_t orientation, uint32_t style, uint32_t seed)
{
    uint32_t random = seed, fraction = random_next(&random) % 2, planes = 1 + random_next(&random) % (31 - fraction);
    uint32_t all = 3 * planes - 2, passes = random_next(&random) % 3 == 0 ? 1 + random_next(&random) % all : all;
    describe(&f->source, width, height, orientation, style, planes);
    f->model = f->source;
    fill(&f->source, seed);
    model_encode(&f->source, passes);
    model_decode(&f->model, f->source.segment, f->source.segment_count);
    struct j2k_coded_block block = block_of(&f->source, fraction);
    assert_int_equal(kst_j2k_cpu_block_decode(&f->decoder, &block), 0);
    compare(f, fraction);
    for (uint32_t i = 0; passes == all && i < width * height; i++) {
        assert_int_equal(f->model.magnitude[i], f->source.magnitude[i]);
        assert_true(f->source.magnitude[i] == 0 || f->model.negative[i] == f->source.negative[i]);
    }
}

static void all_styles(void **state)
{
    static const uint16_t sizes[][2] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 9}, {16, 7}, {13, 16}};
    for (uint32_t style = 0; style < 64; style++)
        for (uint32_t orientation = 0; orientation < 4; orientation++)
            for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                round_trip(*state, sizes[s][0], sizes[s][1], orientation, style, style * 31 + orientation * 7 + s);
}

static void all_shapes(void **state)
{
    static const uint16_t sizes[][2] = {{64, 64}, {32, 32}, {4, 1024}, {1024, 4}, {1, 1024}, {1024, 1}, {3, 1021},
        {1023, 3}, {128, 32}, {61, 63}, {64, 61}, {16, 256}};
    uint32_t style = 0;
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t i = 0; i < 4; i++, style += 11)
            round_trip(*state, sizes[s][0], sizes[s][1], i, style % 64, s * 131 + i);
}

/* A carry behind 0xFF is added when that byte is read, which the flow charts do later than the decoder; what sound data
 * give does not depend on it. */
static void avoid_carries(uint8_t *data, uint32_t length)
{
    for (uint32_t i = 1; i < length; i++)
        if (data[i - 1] == 0xFF && data[i] >= 0x80 && data[i] <= 0x8F)
            data[i] ^= 0x80;
}

static void any_bytes(void **state)
{
    struct fixture *f = *state;
    uint32_t random = 99;
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t style = i % 16, width = 1 + random_next(&random) % 20, height = 1 + random_next(&random) % 20;
        uint32_t ones = random_next(&random) % 3;
        describe(&f->source, width, height, i / 16 % 4, style, 1 + random_next(&random) % 30);
        fill(&f->source, i);
        model_encode(&f->source, 3 * f->source.planes - 2);
        for (uint32_t s = 0; s < f->source.segment_count; s++) {
            struct j2k_codeword *segment = &f->source.segment[s];
            segment->length = random_next(&random) % (segment->length + 1);
            for (uint32_t b = 0; b < segment->length; b++)
                if (random_next(&random) % 8 == 0)
                    f->source.room[segment->data + b - f->source.room] = (uint8_t)(ones ? 0xFF : random_next(&random));
            avoid_carries((uint8_t *)segment->data, segment->length);
        }
        describe(&f->model, width, height, i / 16 % 4, style, f->source.planes);
        model_decode(&f->model, f->source.segment, f->source.segment_count);
        struct j2k_coded_block block = block_of(&f->source, 1);
        kst_j2k_cpu_block_decode(&f->decoder, &block);
        compare(f, 1);
    }
}

/* Nothing but chance: what comes of it is of no interest. */
static void noise(void **state)
{
    struct fixture *f = *state;
    uint32_t random = 7;
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t left = sizeof f->source.room, count = 1 + random_next(&random) % 20,
                 most = 1 + random_next(&random) % 300;
        describe(&f->source, 1 + random_next(&random) % 24, 1 + random_next(&random) % 24, i % 4, i / 4 % 64,
            1 + random_next(&random) % 30);
        for (uint32_t s = 0; s < count; s++) {
            uint32_t length = random_next(&random) % most;
            left -= length;
            f->source.segment[s] = (struct j2k_codeword){f->source.room + left, length, random_next(&random) % 12};
            for (uint32_t b = 0; b < length; b++)
                f->source.room[left + b] = (uint8_t)(random_next(&random) % 3 == 0 ? 0xFF : random_next(&random) >> 5);
        }
        f->source.segment_count = count;
        struct j2k_coded_block block = block_of(&f->source, 1);
        kst_j2k_cpu_block_decode(&f->decoder, &block);
    }
}

/* From the plane with a wrong symbol on nothing is used. */
static void wrong_symbols_conceal(void **state)
{
    struct fixture *f = *state;
    uint32_t found = 0;
    for (uint32_t i = 0; i < 60; i++) {
        describe(&f->source, 24, 24, i % 4, J2K_STYLE_SYMBOLS | J2K_STYLE_TERMALL, 9);
        f->model = f->source;
        fill(&f->source, i);
        model_encode(&f->source, 25);
        uint32_t hit = 3 * (1 + i % 7);
        struct j2k_codeword *segment = &f->source.segment[hit];
        for (uint32_t b = 0; b < segment->length; b++)
            f->source.room[segment->data + b - f->source.room] ^= 0x5A;
        model_decode(&f->model, f->source.segment, hit - 2);
        struct j2k_coded_block block = block_of(&f->source, 1);
        if (kst_j2k_cpu_block_decode(&f->decoder, &block) != J2K_BLOCK_SEGMENTATION)
            continue; /* one symbol in 16 is right by chance, and a later one is not */
        found++;
        uint32_t differences = 0;
        for (uint32_t k = 0; k < 24 * 24; k++)
            differences += f->decoder.samples[k] != expected(&f->model, k, 1);
        found -= differences > 0;
    }
    assert_true(found >= 48);
}

/* One of two goes unnoticed where all but one of the 16 bits had to be written. */
static void wrong_ends_conceal(void **state)
{
    struct fixture *f = *state;
    uint32_t found = 0, noticed = 0, changed = 0;
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t hit = i % 22;
        describe(&f->source, 24, 24, i % 4, J2K_STYLE_PREDICTABLE | J2K_STYLE_TERMALL | (i & J2K_STYLE_BYPASS), 9);
        f->model = f->source;
        fill(&f->source, i);
        model_encode(&f->source, 25);
        struct j2k_codeword *segment = &f->source.segment[hit];
        for (uint32_t b = 0; b < segment->length; b++)
            f->source.room[segment->data + b - f->source.room] ^= 0x25;
        changed += segment->length > 0;
        model_decode(&f->model, f->source.segment, hit);
        struct j2k_coded_block block = block_of(&f->source, 1);
        if (kst_j2k_cpu_block_decode(&f->decoder, &block) != J2K_BLOCK_TERMINATION)
            continue;
        noticed++;
        uint32_t differences = 0;
        for (uint32_t k = 0; k < 24 * 24; k++)
            differences += f->decoder.samples[k] != expected(&f->model, k, 1);
        found += differences == 0;
    }
    assert_true(noticed * 2 > changed && found * 10 > noticed * 8);
}

static void too_many_passes(void **state)
{
    struct fixture *f = *state;
    describe(&f->source, 8, 8, 0, 0, 3);
    f->model = f->source;
    fill(&f->source, 5);
    model_encode(&f->source, 7);
    model_decode(&f->model, f->source.segment, 1);
    f->source.segment[0].passes = 8;
    struct j2k_coded_block block = block_of(&f->source, 0);
    assert_int_equal(kst_j2k_cpu_block_decode(&f->decoder, &block), J2K_BLOCK_PASSES);
    compare(f, 0);
}

/* Use as many planes as possible: those of a region of interest above all others. */
static void regions_of_interest(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t random = i, planes = 1 + random_next(&random) % 26,
                 shift = planes + random_next(&random) % (38 - planes);
        uint32_t all = 3 * (planes + shift) - 2, passes = i % 2 ? all : 1 + random_next(&random) % all,
                 fraction = i / 2 % 2;
        describe(&f->source, 16, 16, i % 4, 0, planes);
        fill(&f->source, i);
        for (uint32_t k = 0; k < 256; k++)
            if (k % 16 + k / 16 < 16)
                f->source.magnitude[k] <<= shift;
        f->source.planes = planes + shift;
        model_encode(&f->source, passes);
        f->model = f->source;
        model_decode(&f->model, f->source.segment, f->source.segment_count);
        for (uint32_t k = 0; k < 256; k++) {
            if (f->model.magnitude[k] >> shift == 0)
                continue;
            f->model.magnitude[k] >>= shift;
            f->model.plane[k] = f->model.plane[k] > shift ? (uint8_t)(f->model.plane[k] - shift) : 0;
        }
        struct j2k_coded_block block = block_of(&f->source, fraction);
        block.roi_shift = shift;
        bool deep = shift + fraction > 31;
        assert_int_equal(kst_j2k_cpu_block_decode(&f->decoder, &block), deep ? J2K_BLOCK_DEPTH : 0);
        if (!deep)
            compare(f, fraction);
    }
}

/* A magnitude whose lowest planes are left out, with half of the last one that was decoded. */
static uint32_t without_planes(uint64_t magnitude, uint32_t last, uint32_t cut)
{
    uint32_t bias = last >= cut ? (uint32_t)1 << (last - cut) >> 1 : 0;
    return magnitude == 0 ? 0 : (uint32_t)(magnitude >> cut) | bias;
}

/* There are so many planes outside of the region that some are left out, also inside it, where nothing may be left. */
static void regions_without_planes(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t random = i, shift = i % 7 == 6 ? 28 : 32 + i % 6, planes = 1 + random_next(&random) % (64 - shift);
        planes = shift < 32 ? 36 : planes;
        uint32_t cut = (planes > shift ? planes : shift) - 31;
        uint32_t all = 3 * (planes + shift) - 2, passes = i % 2 ? all : 1 + random_next(&random) % all;
        describe(&f->source, 16, 16, i % 4, 0, shift);
        fill(&f->source, i);
        for (uint32_t k = 0; k < 256; k++)
            if (k % 16 + k / 16 < 16)
                f->source.magnitude[k] = (f->source.magnitude[k] & (((uint64_t)1 << planes) - 1)) << shift;
        f->source.planes = planes + shift;
        model_encode(&f->source, passes);
        f->model = f->source;
        model_decode(&f->model, f->source.segment, f->source.segment_count);
        struct j2k_coded_block block = block_of(&f->source, 0);
        block.roi_shift = shift;
        block.fraction = -(int32_t)cut;
        assert_int_equal(kst_j2k_cpu_block_decode(&f->decoder, &block), 0);
        for (uint32_t k = 0; k < 256; k++) {
            uint64_t magnitude = f->model.magnitude[k], region = magnitude >> shift;
            uint32_t last = f->model.plane[k], down = last > shift ? last - shift : 0;
            uint32_t wanted = region ? without_planes(region, down, cut) : without_planes(magnitude, last, cut);
            assert_int_equal(f->decoder.samples[k] & 0x7FFFFFFF, wanted);
            assert_true(wanted == 0 || f->decoder.samples[k] >> 31 == f->model.negative[k]);
        }
    }
}

/* Planes below those that fit are left out. */
static void deep_blocks(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 40; i++) {
        describe(&f->source, 20, 20, i % 4, i, 37);
        f->model = f->source;
        fill(&f->source, i);
        model_encode(&f->source, 109);
        model_decode(&f->model, f->source.segment, f->source.segment_count);
        struct j2k_coded_block block = block_of(&f->source, 0);
        block.fraction = -6;
        assert_int_equal(kst_j2k_cpu_block_decode(&f->decoder, &block), 0);
        for (uint32_t k = 0; k < 400; k++)
            assert_int_equal(f->decoder.samples[k] & 0x7FFFFFFF, f->source.magnitude[k] >> 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_styles, setup, teardown),
        cmocka_unit_test_setup_teardown(all_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(any_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(noise, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_symbols_conceal, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_ends_conceal, setup, teardown),
        cmocka_unit_test_setup_teardown(regions_of_interest, setup, teardown),
        cmocka_unit_test_setup_teardown(regions_without_planes, setup, teardown),
        cmocka_unit_test_setup_teardown(deep_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_passes, setup, teardown),
    };
    tier = CPU_C;
    int failed = cmocka_run_group_tests_name("plain C", tests, NULL, NULL);
    tier = kst_cpu_best();
    return failed + cmocka_run_group_tests_name("this processor's tier", tests, NULL, NULL);
}
