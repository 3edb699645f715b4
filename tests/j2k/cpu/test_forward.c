/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of encoding before the block coder: against those of decoding, and every tier against the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "j2k/cpu/blocks/narrow.h"
#include "j2k/cpu/dwt/analysis.h"
#include "j2k/cpu/dwt/dwt.h"
#include "j2k/syntax/geometry.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST = 300 * 300, ROOM = 1 << 18 };

static struct j2k_inverse inverse; /* plain C */

struct fixture {
    int32_t picture[MOST], again[MOST], band[4][MOST], other[4][MOST];
    float reals[MOST], real_again[MOST], real_band[4][MOST];
    int16_t narrow[MOST], narrow_band[4][MOST];
    _Alignas(64) uint8_t room[ROOM];
};

static int setup(void **state)
{
    *state = aligned_alloc(64, (sizeof(struct fixture) + 63) / 64 * 64);
    return *state == NULL;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

struct picture {
    const void *data;
    struct j2k_rect rect;
    bool copy;
    bool narrow;
};

static void fetch(const void *source, uint32_t y, void *const room[], const void *row[])
{
    const struct picture *picture = source;
    size_t width = (picture->rect.x1 - picture->rect.x0) * (picture->narrow ? sizeof(int16_t) : sizeof(int32_t));
    row[0] = (const uint8_t *)picture->data + (y - picture->rect.y0) * width;
    if (picture->copy)
        row[0] = memcpy(room[0], row[0], width);
}

/* In strips of random heights. */
static void analyse(struct fixture *f, const struct j2k_forward *forward, const struct picture *picture,
    bool reversible, void *const band[4], uint32_t *random)
{
    struct j2k_analysis analysis = {.forward = forward,
        .reversible = reversible,
        .narrow = picture->narrow,
        .rect = picture->rect,
        .component_count = 1,
        .fetch = fetch,
        .source = picture};
    for (uint32_t b = 0; b < 4; b++) {
        struct j2k_rect rect = kst_j2k_band_of(picture->rect, b & 1, b >> 1);
        analysis.split[0].band[b] = band[b];
        analysis.split[0].pitch[b] = rect.x1 - rect.x0;
    }
    assert_true(kst_j2k_cpu_analysis_room(&analysis) <= ROOM);
    uint32_t rows = picture->rect.y1 - picture->rect.y0;
    for (uint32_t y = 0, strip; y < rows; y += strip) {
        strip = 1 + random_next(random) % (rows - y);
        uint32_t y0 = picture->rect.y0 + y;
        bool goes_on = y > 0 && y0 % 2 == 0 && random_next(random) % 2 == 0;
        (goes_on ? kst_j2k_cpu_analyse_further : kst_j2k_cpu_analyse)(&analysis, y0, y0 + strip, f->room);
    }
}

static struct j2k_level level_of(struct j2k_rect rect, bool reversible, void *const band[4])
{
    struct j2k_level level = {.rect = rect, .reversible = reversible};
    for (uint32_t b = 0; b < 4; b++) {
        struct j2k_rect part = kst_j2k_band_of(rect, b & 1, b >> 1);
        level.band[b] = band[b];
        level.pitch[b] = part.x1 - part.x0;
    }
    return level;
}

static struct j2k_rect some_rect(uint32_t i, uint32_t *random)
{
    struct j2k_rect rect = {.x0 = random_next(random) % 9, .y0 = random_next(random) % 9};
    uint32_t most = i < 60 ? 12 : 150;
    rect.x1 = rect.x0 + 1 + random_next(random) % most;
    rect.y1 = rect.y0 + 1 + random_next(random) % most;
    return rect;
}

static void transforms_are_undone(void **state)
{
    struct fixture *f = *state;
    struct j2k_forward forward;
    uint32_t random = 5;
    kst_j2k_cpu_forward_init(&forward, kst_cpu_best());
    for (uint32_t i = 0; i < 150; i++) {
        struct j2k_rect rect = some_rect(i, &random);
        size_t width = rect.x1 - rect.x0, count = width * (rect.y1 - rect.y0);
        for (size_t k = 0; k < count; k++) {
            f->picture[k] = (int32_t)random_next(&random) % 4096 - 2048;
            f->reals[k] = (float)f->picture[k];
        }
        struct picture picture = {f->picture, rect, i % 2, false};
        void *const bands[4] = {f->band[0], f->band[1], f->band[2], f->band[3]};
        analyse(f, &forward, &picture, true, bands, &random);
        struct j2k_level level = level_of(rect, true, bands);
        kst_j2k_cpu_synthesise(&inverse, &level, rect.y0, rect.y1, f->again, width, f->room);
        assert_memory_equal(f->again, f->picture, count * sizeof *f->picture);

        void *const reals[4] = {f->real_band[0], f->real_band[1], f->real_band[2], f->real_band[3]};
        picture.data = f->reals;
        analyse(f, &forward, &picture, false, reals, &random);
        level = level_of(rect, false, reals);
        kst_j2k_cpu_synthesise(&inverse, &level, rect.y0, rect.y1, f->real_again, width, f->room);
        for (size_t k = 0; k < count; k++)
            assert_true(fabsf(f->real_again[k] - f->reals[k]) < 0.01F);
    }
}

/* The bytes of both agree, whatever they stand for. */
static void check_same(const void *a, const void *b, size_t words, const char *what, enum cpu_tier tier)
{
    if (memcmp(a, b, words * 4) != 0)
        fail_msg("%s of %s differs", what, kst_cpu_tier_name(tier));
}

static void compare_tier(struct fixture *f, enum cpu_tier tier)
{
    struct j2k_forward plain, tested;
    uint32_t random = 77;
    kst_j2k_cpu_forward_init(&plain, CPU_C);
    kst_j2k_cpu_forward_init(&tested, tier);
    for (uint32_t i = 0; i < 60; i++) {
        struct j2k_rect rect = some_rect(70, &random);
        size_t count = (size_t)(rect.x1 - rect.x0) * (rect.y1 - rect.y0);
        bool reversible = i % 2;
        for (size_t k = 0; k < count; k++) {
            f->picture[k] = (int32_t)(random_next(&random) << 8 ^ random_next(&random));
            f->reals[k] = (float)f->picture[k] / 65536;
        }
        struct picture picture = {reversible ? (void *)f->picture : f->reals, rect, false, false};
        void *const bands[4] = {reversible ? (void *)f->band[0] : f->real_band[0],
            reversible ? (void *)f->band[1] : f->real_band[1], reversible ? (void *)f->band[2] : f->real_band[2],
            reversible ? (void *)f->band[3] : f->real_band[3]};
        uint32_t strips = random;
        analyse(f, &plain, &picture, reversible, bands, &random);
        for (uint32_t b = 0; b < 4; b++)
            memcpy(f->other[b], bands[b], count * 4);
        analyse(f, &tested, &picture, reversible, bands, &strips);
        for (uint32_t b = 0; b < 4; b++) {
            struct j2k_rect part = kst_j2k_band_of(rect, b & 1, b >> 1);
            check_same(f->other[b], bands[b], (size_t)(part.x1 - part.x0) * (part.y1 - part.y0), "a transform", tier);
        }
        const float largest = plain.quantise(f->reals, count, 3.3F, (uint32_t *)f->other[0]);
        assert_true(tested.quantise(f->reals, count, 3.3F, (uint32_t *)f->other[1]) == largest);
        check_same(f->other[0], f->other[1], count, "quantise", tier);
        plain.sign_integers(f->picture, count, (uint32_t *)f->other[0]);
        tested.sign_integers(f->picture, count, (uint32_t *)f->other[1]);
        check_same(f->other[0], f->other[1], count, "sign_integers", tier);
        size_t third = count / 3;
        memcpy(f->again, f->picture, third * 12);
        plain.rct(f->again, f->again + third, f->again + 2 * third, third);
        tested.rct(f->picture, f->picture + third, f->picture + 2 * third, third);
        check_same(f->again, f->picture, 3 * third, "rct", tier);
        memcpy(f->real_again, f->reals, third * 12);
        plain.ict(f->real_again, f->real_again + third, f->real_again + 2 * third, third);
        tested.ict(f->reals, f->reals + third, f->reals + 2 * third, third);
        check_same(f->real_again, f->reals, 3 * third, "ict", tier);
    }
}

static void narrow_down(const int32_t *from, size_t count, int16_t *to)
{
    for (size_t k = 0; k < count; k++)
        to[k] = (int16_t)from[k];
}

static void check_narrow(const int32_t *wide, const int16_t *narrow, size_t count, const char *what, enum cpu_tier tier)
{
    for (size_t k = 0; k < count; k++)
        if (wide[k] != narrow[k])
            fail_msg("%s of %s: sample %zu is %d, not %d", what, kst_cpu_tier_name(tier), k, narrow[k], (int)wide[k]);
}

/* All levels of f->picture with 32 bits and with 16. */
static void compare_narrow(struct fixture *f, enum cpu_tier tier, struct j2k_rect rect, uint32_t levels)
{
    struct j2k_forward plain, tested;
    uint32_t random = rect.x1;
    void *const wide[4] = {f->band[0], f->band[1], f->band[2], f->band[3]};
    void *const narrow[4] = {f->narrow_band[0], f->narrow_band[1], f->narrow_band[2], f->narrow_band[3]};
    kst_j2k_cpu_forward_init(&plain, CPU_C);
    kst_j2k_cpu_forward_init(&tested, tier);
    for (uint32_t level = 0; level < levels && rect.x0 < rect.x1 && rect.y0 < rect.y1; level++) {
        size_t count = (size_t)(rect.x1 - rect.x0) * (rect.y1 - rect.y0);
        struct picture picture = {f->picture, rect, level % 2, false}, small = {f->narrow, rect, level % 2, true};
        uint32_t strips = random;
        narrow_down(f->picture, count, f->narrow);
        analyse(f, &plain, &picture, true, wide, &random);
        analyse(f, &tested, &small, true, narrow, &strips);
        for (uint32_t b = 0; b < 4; b++) {
            struct j2k_rect part = kst_j2k_band_of(rect, b & 1, b >> 1);
            size_t samples_in = (size_t)(part.x1 - part.x0) * (part.y1 - part.y0);
            check_narrow(wide[b], narrow[b], samples_in, "a narrow transform", tier);
            plain.sign_integers(wide[b], samples_in, (uint32_t *)f->other[0]);
            tested.sign_narrow(narrow[b], samples_in, (uint32_t *)f->other[1]);
            check_same(f->other[0], f->other[1], samples_in, "sign_narrow", tier);
        }
        rect = kst_j2k_band_of(rect, 0, 0);
        memcpy(f->picture, wide[0], (size_t)(rect.x1 - rect.x0) * (rect.y1 - rect.y0) * sizeof *f->picture);
    }
}

enum { MOST_NARROW = 1 << 10, TAPS = 4 << 16 };

/*
 * The filter from samples to low ones after `levels`, or to high ones of the last of them: its signs are the samples
 * that lead to the largest outcome. Returns how long it is; *sum is that of its magnitudes.
 */
static size_t iterate_filter(double *filter, double *scratch, uint32_t levels, bool high, double *sum)
{
    static const double low_pass[] = {-0.125, 0.25, 0.75, 0.25, -0.125}, high_pass[] = {-0.5, 1, -0.5};
    size_t length = 1;
    filter[0] = 1;
    for (uint32_t level = 0; level < levels; level++) {
        bool last = high && level + 1 == levels;
        size_t taps = last ? 3 : 5, step = (size_t)1 << level, longer = length + (taps - 1) * step;
        memcpy(scratch, filter, length * sizeof *filter);
        memset(filter, 0, longer * sizeof *filter);
        for (size_t t = 0; t < taps; t++)
            for (size_t k = 0; k < length; k++)
                filter[k + t * step] += scratch[k] * (last ? high_pass : low_pass)[t];
        length = longer;
    }
    *sum = 0;
    for (size_t k = 0; k < length; k++)
        *sum += fabs(filter[k]);
    return length;
}

static void filters_are_bounded(void **state)
{
    (void)state;
    double *filter = malloc(2 * TAPS * sizeof *filter), sum;
    for (uint32_t levels = 1; levels <= 16; levels++) {
        assert_true(iterate_filter(filter, filter + TAPS, levels, false, &sum) <= TAPS);
        assert_true(sum < 1.7156 && sum * sum < 2.95);
    }
    assert_true(sum > 1.7155);
    free(filter);
    assert_true(kst_j2k_cpu_analysis_is_narrow(11, false, 16) && kst_j2k_cpu_analysis_is_narrow(10, true, 16));
    assert_false(kst_j2k_cpu_analysis_is_narrow(12, false, 1) || kst_j2k_cpu_analysis_is_narrow(11, true, 1));
    assert_false(kst_j2k_cpu_analysis_is_narrow(1, false, 17));
}

/* Samples as large as 16 bits are used for: at random, by turns, and as they add up to the most. */
static void fill(struct fixture *f, struct j2k_rect rect, uint32_t kind, uint32_t *random)
{
    double filter[2][512], scratch[512], sum;
    size_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0, length[2] = {0};
    for (uint32_t i = 0; i < 2 && kind >= 4; i++) /* across and down */
        length[i] = iterate_filter(filter[i], scratch, 1 + kind / 4 % 6, (kind >> i & 1) != 0, &sum);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            int32_t value = MOST_NARROW;
            if (kind == 0)
                value = (int32_t)(random_next(random) % (2 * MOST_NARROW + 1)) - MOST_NARROW;
            else if (kind == 1)
                value = random_next(random) & 64 ? MOST_NARROW : -MOST_NARROW;
            else if (kind < 4)
                value = (x / (kind - 1) + y / (kind - 1)) & 1 ? MOST_NARROW : -MOST_NARROW;
            else if ((filter[0][x % length[0]] < 0) != (filter[1][y % length[1]] < 0))
                value = -MOST_NARROW;
            f->picture[y * width + x] = value;
        }
}

static void compare_narrow_tier(struct fixture *f, enum cpu_tier tier)
{
    uint32_t random = 21;
    for (uint32_t k = 0; k < 90; k++) {
        struct j2k_rect rect = some_rect(k, &random);
        if (k >= 60)
            rect = (struct j2k_rect){k % 3, k % 2, k % 3 + 260, k % 2 + 270};
        fill(f, rect, k < 60 ? k % 4 : 4 + k % 28, &random);
        compare_narrow(f, tier, rect, 6);
    }
}

static void tiers_agree(void **state)
{
    static const char *const names[] = {"sse2", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum cpu_tier tier;
        if (!kst_cpu_tier_by_name(names[i], &tier))
            compare_tier(*state, tier);
    }
}

static void narrow_is_the_same(void **state)
{
    static const char *const names[] = {"c", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum cpu_tier tier;
        if (!kst_cpu_tier_by_name(names[i], &tier))
            compare_narrow_tier(*state, tier);
    }
}

/* f->again, from samples in f->band[0]. */
static void check_narrow_samples(struct fixture *f, const struct j2k_forward *forward, const struct j2k_origin *origin)
{
    int16_t *narrow = f->narrow;
    if (origin->depth > 11)
        return;
    forward->load_narrow(origin, f->band[0], 99, narrow);
    check_narrow(f->again, narrow, 99, "load_narrow", CPU_C);
    if (origin->depth > 10)
        return;
    memcpy(f->other[0], f->again, 99 * sizeof *f->again);
    forward->rct(f->other[0], f->other[0] + 33, f->other[0] + 66, 33);
    forward->rct_narrow(narrow, narrow + 33, narrow + 66, 33);
    check_narrow(f->other[0], narrow, 99, "rct_narrow", CPU_C);
}

/* Each kind of sample, moved and transformed, and back by the decoder's steps. */
static void samples_come_back(void **state)
{
    struct fixture *f = *state;
    uint32_t random = 3;
    for (uint32_t i = 0; i < 200; i++) {
        static const uint8_t sizes[] = {1, 2, 4};
        struct j2k_forward forward;
        struct j2k_origin origin = {.stride = 1 + i % 4, .bytes = sizes[i / 4 % 3], .is_signed = i / 12 % 2};
        uint32_t most = origin.bytes == 4 ? 31 : 8U * origin.bytes;
        origin.depth = (uint8_t)(1 + random_next(&random) % most);
        uint32_t half = (uint32_t)1 << (origin.depth - 1);
        kst_j2k_cpu_forward_init(&forward, i % 2 ? kst_cpu_best() : CPU_C);
        for (uint32_t k = 0; k < 100; k++) {
            int32_t value = (int32_t)((random_next(&random) << 12 ^ random_next(&random)) & (2 * half - 1));
            if (origin.is_signed)
                value -= (int32_t)half;
            f->picture[k] = value;
            if (origin.bytes == 4)
                f->band[0][k * origin.stride] = value;
            else if (origin.bytes == 2)
                ((uint16_t *)(void *)f->band[0])[k * origin.stride] = (uint16_t)value;
            else
                ((uint8_t *)f->band[0])[k * origin.stride] = (uint8_t)value;
        }
        forward.load_integers(&origin, f->band[0], 100, f->again);
        forward.load_reals(&origin, f->band[0], 100, f->reals);
        inverse.finish_integers(f->again, 100, origin.depth, origin.is_signed, f->band[1]);
        assert_memory_equal(f->band[1], f->picture, 100 * sizeof *f->picture);
        for (uint32_t k = 0; k < 100; k++)
            assert_true(f->reals[k] == (float)f->again[k]);
        check_narrow_samples(f, &forward, &origin);
        if (origin.depth > 29)
            continue;
        forward.rct(f->again, f->again + 33, f->again + 66, 33);
        inverse.rct(f->again, f->again + 33, f->again + 66, 33);
        inverse.finish_integers(f->again, 99, origin.depth, origin.is_signed, f->band[1]);
        assert_memory_equal(f->band[1], f->picture, 99 * sizeof *f->picture);
    }
}

/* G.3: no more than the rounding of the coefficients apart. */
static void colours_come_back(void **state)
{
    struct fixture *f = *state;
    struct j2k_forward forward;
    uint32_t random = 9;
    kst_j2k_cpu_forward_init(&forward, kst_cpu_best());
    for (uint32_t k = 0; k < 300; k++)
        f->reals[k] = f->real_again[k] = (float)(random_next(&random) % 256) - 128;
    forward.ict(f->reals, f->reals + 100, f->reals + 200, 100);
    inverse.ict(f->reals, f->reals + 100, f->reals + 200, 100);
    for (uint32_t k = 0; k < 300; k++)
        assert_true(fabsf(f->reals[k] - f->real_again[k]) < 0.01F);
}

static void quantisers_have_a_dead_zone(void **state)
{
    (void)state;
    static const float from[] = {0, 0.9F, -0.9F, 1, -1, 2.7F, -2.7F, 1e6F};
    static const uint32_t expected[] = {0, 1, 0x80000001, 2, 0x80000002, 5, 0x80000005, 2000000};
    uint32_t to[8];
    struct j2k_forward forward;
    kst_j2k_cpu_forward_init(&forward, CPU_C);
    assert_true(forward.quantise(from, 8, 2, to) == 1e6F);
    assert_memory_equal(to, expected, sizeof to);
    assert_true(forward.quantise(from, 7, 2, to) == 2.7F); /* the largest is negative, too */
    assert_true(forward.quantise(from + 2, 1, 2, to) == 0.9F);
    assert_true(forward.quantise(from, 0, 2, to) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(transforms_are_undone, setup, teardown),
        cmocka_unit_test_setup_teardown(tiers_agree, setup, teardown),
        cmocka_unit_test(filters_are_bounded),
        cmocka_unit_test_setup_teardown(narrow_is_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(samples_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(colours_come_back, setup, teardown),
        cmocka_unit_test(quantisers_have_a_dead_zone),
    };
    kst_j2k_cpu_inverse_init(&inverse, CPU_C);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
