/* SPDX-License-Identifier: BSD-2-Clause */
/* The code-block encoder against the bit-by-bit model of Annexes C and D. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/blocks/block_encode.h"
#include "support/j2k/model.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

struct fixture {
    struct model model, decoded;
    struct j2k_block_encoder encoder;
};

static enum cpu_tier tier;

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state == NULL;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void place_samples(struct fixture *f)
{
    for (uint32_t i = 0; i < f->model.width * f->model.height; i++)
        f->encoder.sample[i] = (uint32_t)f->model.magnitude[i] | (uint32_t)f->model.negative[i] << 31;
}

/* Magnitudes of `planes` bits, small ones more often, in patches; at least one that has them all. */
static void fill(struct fixture *f, uint32_t planes, uint32_t seed)
{
    uint32_t random = seed, quiet = 0, count = f->model.width * f->model.height;
    for (uint32_t i = 0; i < count; i++) {
        if (i % 61 == 0)
            quiet = random_next(&random) % (planes + 1);
        uint32_t length = random_next(&random) % (planes - quiet + 1);
        f->model.magnitude[i] = (random_next(&random) << 12 ^ random_next(&random)) & (((uint64_t)1 << length) - 1);
        f->model.negative[i] = random_next(&random) & 1;
    }
    f->model.magnitude[random_next(&random) % count] |= (uint64_t)1 << (planes - 1);
    f->model.planes = planes;
    place_samples(f);
}

static struct j2k_block_settings source_of(const struct model *model)
{
    return (struct j2k_block_settings){.width = model->width,
        .height = model->height,
        .orientation = model->orientation,
        .style = model->style,
        .measure = true,
        .sum = true};
}

/* Every segment is the model's; one that may end anywhere may end earlier. */
static void compare_segments(const struct fixture *f)
{
    const struct j2k_block_encoder *encoder = &f->encoder;
    uint32_t at = 0, pass = 0;
    for (uint32_t i = 0; i < f->model.segment_count; i++) {
        const struct j2k_codeword *segment = &f->model.segment[i];
        pass += segment->passes;
        uint32_t length = encoder->pass[pass - 1].length - at;
        bool raw = (f->model.style & J2K_STYLE_BYPASS) != 0 && pass > 10 && (pass - 1) % 3 != 0;
        if (raw || (f->model.style & J2K_STYLE_PREDICTABLE) != 0)
            assert_int_equal(length, segment->length);
        else
            assert_in_range(length, segment->length > 2 ? segment->length - 2 : 0, segment->length);
        assert_memory_equal(encoder->data + at, segment->data, length);
        at += length;
    }
    assert_int_equal(pass, encoder->passes);
    assert_int_equal(at, encoder->length);
}

/* Check that the bytes stated for passes 0 … last are enough for them. */
static void compare_truncated(struct fixture *f, uint32_t last)
{
    struct j2k_codeword part[MODEL_SEGMENTS];
    uint32_t at = 0, pass = 0, count = 0;
    for (uint32_t i = 0; i < f->model.segment_count && pass <= last; i++, count++) {
        uint32_t passes = f->model.segment[i].passes, end = pass + passes <= last ? pass + passes - 1 : last;
        part[i] = (struct j2k_codeword){f->encoder.data + at, f->encoder.pass[end].length - at, end + 1 - pass};
        pass += passes;
        at = f->encoder.pass[end].length;
    }
    f->decoded = f->model;
    model_decode(&f->decoded, part, count);
    for (uint32_t i = 0; i < f->model.width * f->model.height; i++) {
        uint32_t plane = f->decoded.plane[i];
        if (f->decoded.magnitude[i] == 0)
            continue;
        assert_int_equal(f->decoded.magnitude[i], f->model.magnitude[i] >> plane << plane);
        assert_int_equal(f->decoded.negative[i], f->model.negative[i]);
    }
}

static void encode(
    struct fixture *f, uint32_t width, uint32_t height, uint32_t orientation, uint32_t style, uint32_t planes)
{
    f->model.width = width;
    f->model.height = height;
    f->model.orientation = orientation;
    f->model.style = style;
    fill(f, planes, width * 1000003 + height * 101 + orientation * 7 + style);
    model_encode(&f->model, 3 * planes - 2);
    struct j2k_block_settings source = source_of(&f->model);
    source.measure = (style / J2K_STYLE_TERMALL + orientation) % 2 == 0; /* passes have a form for each */
    f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
    kst_j2k_cpu_block_encode(&f->encoder, &source);
    assert_int_equal(f->encoder.planes, planes);
    compare_segments(f);
    for (uint32_t pass = 0; pass < f->encoder.passes; pass += 1 + pass / 8)
        compare_truncated(f, pass);
}

static void all_styles(void **state)
{
    static const uint16_t sizes[][2] = {{1, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 9}, {16, 7}, {13, 16}};
    for (uint32_t style = 0; style < 64; style += fewer_cases() ? 3 : 1)
        for (uint32_t orientation = 0; orientation < 4; orientation++)
            for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                encode(*state, sizes[s][0], sizes[s][1], orientation, style, 1 + (style + s + orientation) % 31);
}

static void all_shapes(void **state)
{
    static const uint16_t sizes[][2] = {{64, 64}, {32, 32}, {4, 1024}, {1024, 4}, {1, 1024}, {1024, 1}, {3, 1021},
        {1023, 3}, {128, 32}, {61, 63}, {64, 61}, {16, 256}};
    uint32_t style = 0;
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t i = 0; i < 4; i += fewer_cases() ? 3 : 1, style += 11)
            encode(*state, sizes[s][0], sizes[s][1], i, style % 64, 3 + (5 * s + i) % 14);
}

static void nothing(void **state)
{
    struct fixture *f = *state;
    struct j2k_block_settings source = {.width = 17, .height = 9, .style = J2K_STYLE_SYMBOLS, .measure = true};
    memset(f->encoder.sample, 0, sizeof f->encoder.sample);
    f->encoder.sample[5] = 0x80000000; /* a sign says nothing */
    f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
    kst_j2k_cpu_block_encode(&f->encoder, &source);
    assert_int_equal(f->encoder.planes, 0);
    assert_int_equal(f->encoder.passes, 0);
    assert_int_equal(f->encoder.length, 0);
}

/* Errors of a whole block: squares of up to 32 bits, 4,096 of them. */
__extension__ typedef __int128 wide;

/* Half steps: what a decoder that knows the planes from `plane` on makes of an index. */
static int64_t decoded_value(uint64_t magnitude, uint32_t plane, bool exact)
{
    uint64_t known = magnitude >> plane << plane;
    return known == 0 ? 0 : (int64_t)(2 * known + (exact && plane == 0 ? 0 : (uint64_t)1 << plane));
}

static wide error_of(const struct fixture *f, bool exact)
{
    wide sum = 0;
    for (uint32_t i = 0; i < f->model.width * f->model.height; i++) {
        int64_t true_value = (int64_t)(2 * f->model.magnitude[i] + (exact || f->model.magnitude[i] == 0 ? 0 : 1));
        int64_t error = true_value - decoded_value(f->decoded.magnitude[i], f->decoded.plane[i], exact);
        sum += (wide)error * error;
    }
    return sum;
}

static void check_gains(struct fixture *f, uint32_t planes, uint32_t style, bool exact)
{
    f->model.style = style | J2K_STYLE_TERMALL;
    model_encode(&f->model, 3 * planes - 2);
    struct j2k_block_settings source = source_of(&f->model);
    source.exact = exact;
    f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
    kst_j2k_cpu_block_encode(&f->encoder, &source);
    f->decoded = f->model;
    memset(f->decoded.magnitude, 0, sizeof f->decoded.magnitude);
    memset(f->decoded.plane, 0, sizeof f->decoded.plane);
    wide before = error_of(f, exact);
    for (uint32_t pass = 0; pass < f->encoder.passes; pass++) {
        model_decode(&f->decoded, f->model.segment, pass + 1);
        wide after = error_of(f, exact);
        if (f->encoder.pass[pass].gain != (double)(before - after) || (wide)(double)(before - after) != before - after)
            fail_msg("%u planes, style %u, pass %u: %f, not %f", planes, style, pass, f->encoder.pass[pass].gain,
                (double)(before - after));
        before = after;
    }
    assert_true(before == 0);
}

/* Gains are exact, however many planes there are. */
static void gains(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 62; i++) {
        uint32_t planes = 1 + i % 31;
        f->model.width = 31;
        f->model.height = 30;
        f->model.orientation = i % 4;
        fill(f, planes, i);
        check_gains(f, planes, i % 3 == 1 ? J2K_STYLE_BYPASS : i % 3 == 2 ? J2K_STYLE_CAUSAL : 0, i / 4 % 2);
    }
}

/* If all samples are nearly equal, every plane moves all of them in the same direction. */
static void gains_of_flat_blocks(void **state)
{
    struct fixture *f = *state;
    for (uint32_t planes = 8; planes <= 31; planes++) {
        f->model.width = f->model.height = 64;
        f->model.orientation = 0;
        fill(f, 3, planes);
        for (uint32_t i = 0; i < 64 * 64; i++)
            f->model.magnitude[i] += (UINT64_C(3) << (planes - 2)) - 9;
        f->model.planes = planes;
        place_samples(f);
        check_gains(f, planes, 0, planes % 2);
    }
}

/* Planes that are not worth it are left out whole, and those above them are what they were. */
static void stops(void **state)
{
    struct fixture *f = *state;
    struct j2k_block_encoder *all = calloc(1, sizeof *all);
    uint32_t fewer = 0;
    assert_non_null(all);
    for (uint32_t i = 0; i < 20; i++) {
        f->model.width = f->model.height = 64;
        f->model.style = i % 2 ? J2K_STYLE_BYPASS : 0;
        fill(f, 12, i);
        struct j2k_block_settings source = source_of(&f->model);
        f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
        kst_j2k_cpu_block_encode(&f->encoder, &source);
        *all = f->encoder;
        source.stop = 1u << 2 * (i % 10);
        f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
        kst_j2k_cpu_block_encode(&f->encoder, &source);
        assert_in_range(f->encoder.passes, 1, all->passes);
        assert_int_equal(f->encoder.passes % 3, 1);
        fewer += f->encoder.passes < all->passes;
        double left = 0;
        for (uint32_t pass = f->encoder.passes; pass < all->passes; pass++)
            left += all->pass[pass].gain;
        assert_true(fabs(f->encoder.left - left) <= left / 20);
        for (uint32_t pass = 0; pass + 1 < f->encoder.passes; pass++)
            assert_true(f->encoder.pass[pass].gain == all->pass[pass].gain);
        if (f->encoder.passes > 1)
            assert_memory_equal(f->encoder.data, all->room + 1, f->encoder.pass[f->encoder.passes - 2].length);
    }
    free(all);
    assert_true(fewer > 3);
}

/* Return how many planes are not worth their bytes if each is measured, from the lowest on. */
static uint32_t planes_not_worth_it(const struct fixture *f, const struct j2k_block_settings *settings)
{
    const uint32_t count = f->model.width * f->model.height;
    uint32_t plane = 0;
    for (; plane + 1 < f->encoder.planes; plane++) {
        const struct j2k_measure measure = j2k_measure_plane(plane, settings->exact);
        const struct j2k_gains all = j2k_plane_gains(&measure, f->encoder.sample, count);
        if (j2k_is_worth(all.significance, measure.unit, settings->stop, j2k_significance_cost(&all, count)) ||
            j2k_is_worth(all.refinement, measure.unit, settings->stop, j2k_refinement_cost(&all)))
            break;
    }
    return plane;
}

/*
 * Planes that cannot be worth it are not measured, which leaves out no other planes. In every other block all samples
 * have ones only, as many as possible, so that each gains as much as a sample can.
 */
static void planes_that_cannot_be_worth_it(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 400; i++) {
        f->model.width = f->model.height = 16;
        f->model.style = 0;
        fill(f, 1 + i % 12, i);
        for (uint32_t k = 0; i % 2 && k < 16 * 16; k++)
            f->model.magnitude[k] = (UINT64_C(1) << (k % (1 + i % 12) + 1)) - 1;
        place_samples(f);
        struct j2k_block_settings source = source_of(&f->model);
        source.exact = i / 2 % 2;
        source.stop = ldexpf(1 + (float)(i % 17) / 16, (int)(i * 7 % 29) - 2);
        f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
        kst_j2k_cpu_block_encode(&f->encoder, &source);
        const uint32_t left = f->encoder.planes - planes_not_worth_it(f, &source);
        assert_int_equal(f->encoder.passes, f->encoder.planes > 0 ? 3 * left - 2 : 0);
    }
}

/*
 * Return what the cleanup pass of the lowest plane costs, run by run: its coefficients are those that were neither
 * significant nor in the plane's significance pass.
 */
static uint32_t cost_of_cleanup(const struct fixture *f, uint32_t plane)
{
    uint32_t cost = 0;
    for (uint32_t top = 0; top < f->model.height; top += 4)
        for (uint32_t left = 0; left < f->model.width; left += 8) {
            uint32_t fresh = 0, rest = 0, halvings = 0;
            for (uint32_t y = top; y < top + 4 && y < f->model.height; y++)
                for (uint32_t x = left; x < left + 8 && x < f->model.width; x++) {
                    const size_t word = (size_t)(y / 4 + 1) * (f->encoder.words + 1) + x / 16 + 1;
                    const uint32_t there = (f->encoder.sample[y * f->model.width + x] & 0x7FFFFFFF) >> plane;
                    const bool open = there < 2 && !(f->encoder.visited[word] >> (x % 16 * 4 + y % 4) & 1);
                    rest += open;
                    fresh += open && there == 1;
                }
            while (halvings < 4 && fresh << (halvings + 1) < rest)
                halvings++;
            cost += fresh * (12 + 5 * halvings);
        }
    return cost;
}

/* Return how many passes are coded if all passes of the lowest plane were, and unworthy ones are left out. */
static uint32_t worthy_passes(const struct fixture *f, const struct j2k_block_settings *settings)
{
    const uint32_t all = f->encoder.passes, plane = f->encoder.planes - 1 - all / 3;
    const struct j2k_measure measure = j2k_measure_plane(plane, settings->exact);
    const struct j2k_gains gains = j2k_plane_gains(&measure, f->encoder.sample, f->model.width * f->model.height);
    if (all < 4 || f->model.width < 5 || (settings->exact && plane == 0) ||
        32 * f->encoder.pass[all - 1].gain > settings->stop * cost_of_cleanup(f, plane))
        return all;
    return 32 * f->encoder.pass[all - 2].gain > settings->stop * j2k_refinement_cost(&gains) ? all - 1 : all - 2;
}

/* Without a sum the last passes of the lowest plane are left out if they are not worth it; the others stay the same. */
static void last_passes(void **state)
{
    struct fixture *f = *state;
    uint32_t found[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 600; i++) {
        struct j2k_pass pass[J2K_CODED_PASSES];
        f->model.width = i % 50 == 0 ? 4 : i % 3 ? 64 : 19;
        f->model.height = i % 3 ? 64 : 30;
        f->model.style = i % 5 == 1 ? J2K_STYLE_CAUSAL : i % 5 == 2 ? J2K_STYLE_BYPASS : 0;
        fill(f, 2 + i % 9, i);
        struct j2k_block_settings source = source_of(&f->model);
        source.exact = i / 2 % 2;
        source.stop = ldexpf(1 + (float)(i % 17) / 16, (int)(i * 7 % 23) - 2);
        f->encoder.functions = kst_j2k_cpu_coding_passes(tier);
        kst_j2k_cpu_block_encode(&f->encoder, &source);
        const uint32_t all = f->encoder.passes, wanted = worthy_passes(f, &source);
        memcpy(pass, f->encoder.pass, all * sizeof *pass);
        source.sum = false;
        kst_j2k_cpu_block_encode(&f->encoder, &source);
        assert_int_equal(f->encoder.passes, wanted);
        for (uint32_t k = 0; k < wanted; k++)
            assert_true(f->encoder.pass[k].gain == pass[k].gain &&
                        (k + 1 == wanted || f->encoder.pass[k].length == pass[k].length));
        found[all - wanted]++;
    }
    assert_true(found[0] > 50 && found[1] > 2 && found[2] > 50);
}

/* A block goes through the table of a style's coder and back: lossless, with the lengths that it says. */
static void round_trip(void **state)
{
    struct fixture *f = *state;
    const uint32_t style = f->model.style = J2K_STYLE_TERMALL;
    const struct j2k_block_functions *coder = kst_j2k_cpu_block_functions(J2K_EBCOT);
    struct j2k_block_scratch *encoder = malloc(coder->encoder_length), *decoder = malloc(coder->decoder_length);
    struct j2k_block_outcome outcome;
    struct j2k_codeword codeword[J2K_CODED_PASSES];
    f->model.width = 37;
    f->model.height = 22;
    fill(f, 9, 5);
    for (uint32_t i = 0; i < 37 * 22; i++) /* no sample is −0 */
        f->encoder.sample[i] = f->encoder.sample[i] << 1 ? f->encoder.sample[i] : 0;
    const struct j2k_block_settings source = source_of(&f->model);
    memcpy(encoder->sample, f->encoder.sample, sizeof encoder->sample);
    coder->encode(encoder, tier, &source, &outcome);
    assert_int_equal(outcome.planes, 9);
    assert_int_equal(outcome.passes, 3 * 9 - 2);
    assert_int_equal(outcome.pass[outcome.passes - 1].length, outcome.length);
    for (uint32_t i = 0, at = 0; i < outcome.passes; at = outcome.pass[i++].length)
        codeword[i] = (struct j2k_codeword){outcome.data + at, outcome.pass[i].length - at, 1};
    const struct j2k_coded_block coded = {.width = 37,
        .height = 22,
        .style = style,
        .planes = 9,
        .codeword_count = outcome.passes,
        .codewords = codeword};
    assert_int_equal(coder->decode(decoder, tier, &coded), 0);
    assert_memory_equal(decoder->sample, f->encoder.sample, sizeof(uint32_t) * 37 * 22);
    struct j2k_tile_component component = {.style = (uint8_t)style};
    const struct j2k_plan plan = {.tile_component = &component, .tile_component_count = 1};
    assert_int_equal(kst_j2k_cpu_decoder_length(&plan), coder->decoder_length);
    assert_true(kst_j2k_cpu_encoder_length() >= coder->encoder_length);
    free(encoder);
    free(decoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_styles, setup, teardown),
        cmocka_unit_test_setup_teardown(all_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(gains, setup, teardown),
        cmocka_unit_test_setup_teardown(gains_of_flat_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(stops, setup, teardown),
        cmocka_unit_test_setup_teardown(last_passes, setup, teardown),
        cmocka_unit_test_setup_teardown(planes_that_cannot_be_worth_it, setup, teardown),
    };
    tier = CPU_C;
    int failed = cmocka_run_group_tests_name("plain C", tests, NULL, NULL);
    tier = kst_cpu_best();
    return failed + cmocka_run_group_tests_name("this processor's tier", tests, NULL, NULL);
}
