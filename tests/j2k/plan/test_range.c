/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of the reversible transform against what it makes of the worst coefficients. */
#include <string.h>

#include "j2k/plan/block_coder.h"
#include "j2k/plan/range.h"
#include "support/test.h"

enum { LINE = 9, SIDE = 6, TILE_LEVELS = 3, BANDS = 3 * TILE_LEVELS + 1 };

static int32_t floor_shift(int32_t value, int32_t shift)
{
    return value >= 0 ? value >> shift : -((-value + (1 << shift) - 1) >> shift);
}

static int32_t magnitude(int32_t value)
{
    return value < 0 ? -value : value;
}

static uint32_t mirrored(int32_t i, uint32_t length)
{
    int32_t last = (int32_t)length - 1;
    return (uint32_t)(i < 0 ? -i : i > last ? 2 * last - i : i);
}

/* Inverse 5/3 in place, `parity` being that of the first position. Returns the largest magnitude, sums being halved. */
static int32_t invert_line(int32_t *line, uint32_t length, uint32_t parity, uint32_t step)
{
    int32_t most = 0;
    if (length == 1) {
        line[0] = parity ? floor_shift(line[0], 1) : line[0];
        return magnitude(line[0]);
    }
    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t i = 0; i < length; i++) {
            if ((i + parity) % 2 != odd)
                continue;
            int32_t sum = line[step * mirrored((int32_t)i - 1, length)] + line[step * mirrored((int32_t)i + 1, length)];
            sum += odd ? 0 : 2;
            line[step * i] += odd ? floor_shift(sum, 1) : -floor_shift(sum, 2);
            most = magnitude(line[step * i]) > most ? magnitude(line[step * i]) : most;
            most = magnitude(sum) / 2 > most ? magnitude(sum) / 2 : most;
        }
    return most;
}

/* All signs of coefficients, the low up to `low` and the high up to `high`, in lines of every length. */
static int32_t worst_of_lines(int32_t low, int32_t high)
{
    int32_t most = 0;
    for (uint32_t length = 1; length <= LINE; length++)
        for (uint32_t signs = 0; signs < 2U << length; signs++) {
            int32_t line[LINE];
            uint32_t parity = signs >> length;
            for (uint32_t i = 0; i < length; i++)
                line[i] = ((i + parity) % 2 ? high : low) * (signs >> i & 1 ? -1 : 1);
            int32_t own = invert_line(line, length, parity, 1);
            most = own > most ? own : most;
        }
    return most;
}

static void bounds_lines(void **state)
{
    static const int32_t largest[][2] = {{127, 255}, {255, 127}, {1, 1}, {0, 1023}, {1023, 0}, {7, 8191}};
    (void)state;
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        int32_t worst = worst_of_lines(largest[i][0], largest[i][1]);
        assert_true(worst <= largest[i][0] + largest[i][1] + 1);
        assert_true(worst >= largest[i][0] + largest[i][1]);
    }
}

/* A tile-component whose bands have a block each, of as many planes. */
struct component {
    struct j2k_plan plan;
    struct j2k_resolution resolution[TILE_LEVELS + 1];
    struct j2k_band band[BANDS];
    struct j2k_block block[BANDS];
    struct j2k_tile_component tc;
};

static void make_component(struct component *c, const uint8_t *planes, uint8_t roi_shift)
{
    memset(c, 0, sizeof *c);
    c->plan.resolution = c->resolution;
    c->plan.band = c->band;
    c->plan.block = c->block;
    c->tc =
        (struct j2k_tile_component){.resolution_count = TILE_LEVELS + 1, .reversible = true, .roi_shift = roi_shift};
    for (uint32_t r = 0; r <= TILE_LEVELS; r++) {
        c->resolution[r].first_band = r == 0 ? 0 : 3 * r - 2;
        c->resolution[r].band_count = r == 0 ? 1 : 3;
    }
    for (uint32_t b = 0; b < BANDS; b++) {
        c->band[b].first_block = b;
        c->band[b].block_count = planes[b] > 0;
        c->block[b].planes = planes[b];
    }
}

static void adds_bands_up(void **state)
{
    static const uint8_t planes[BANDS] = {8, 7, 7, 6, 3, 0, 1, 9, 9, 10};
    struct component c;
    (void)state;
    make_component(&c, planes, 0);
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 255 + 127 + 127 + 63 + 3 + 7 + 0 + 1 + 3 + 511 + 511 + 1023 + 3);
    c.tc.resolution_count = 2;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 255 + 127 + 127 + 63 + 3);
    c.tc.resolution_count = 0;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 0);
}

static void takes_the_block_with_most_planes(void **state)
{
    static const uint8_t planes[BANDS] = {3, 5, 4, 0, 0, 0, 0, 0, 0, 0};
    struct component c;
    (void)state;
    make_component(&c, planes, 0);
    c.band[0].block_count = 3;
    c.tc.resolution_count = 1;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 31);
}

static void looks_at_regions_of_interest(void **state)
{
    static const uint8_t planes[BANDS] = {20, 7, 0, 0, 0, 0, 0, 0, 0, 0};
    struct component c;
    (void)state;
    make_component(&c, planes, 11);
    c.tc.resolution_count = 1;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 2047);
    c.tc.roi_shift = 8;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 4095);
    c.tc.roi_shift = 37;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), (1 << 20) - 1);
}

/* Blocks of T.814 may have bits in the planes above their first pass's. */
static void counts_all_planes_of_ht(void **state)
{
    static const uint8_t planes[BANDS] = {3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct component c;
    (void)state;
    make_component(&c, planes, 0);
    c.tc.resolution_count = 1;
    c.block[0].missing = 4;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 7);
    c.block[0].coder = J2K_HT;
    assert_int_equal(kst_j2k_range(&c.plan, &c.tc), 127);
}

static void stays_at_the_most(void **state)
{
    static const uint8_t planes[BANDS] = {31, 31, 31, 31, 31, 31, 31, 31, 31, 31};
    static const uint8_t deep[BANDS] = {74, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct component c;
    (void)state;
    make_component(&c, planes, 0);
    assert_true(kst_j2k_range(&c.plan, &c.tc) == UINT32_MAX);
    make_component(&c, deep, 0);
    assert_true(kst_j2k_range(&c.plan, &c.tc) == UINT32_MAX);
}

/* A square of samples through both directions, the bands' coefficients as large as can be and of random signs. */
static void bounds_squares(void **state)
{
    static const uint8_t planes[BANDS] = {5, 6, 4, 7, 0, 0, 0, 0, 0, 0};
    uint32_t random = 1;
    struct component c;
    (void)state;
    make_component(&c, planes, 0);
    c.tc.resolution_count = 2;
    int32_t bound = (int32_t)kst_j2k_range(&c.plan, &c.tc), most = 0;
    for (uint32_t turn = 0; turn < 20000; turn++) {
        int32_t square[SIDE * SIDE];
        uint32_t parity = turn % 2;
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            uint32_t band = (i % SIDE + parity) % 2 + 2 * ((i / SIDE + parity) % 2);
            random = random * 1664525 + 1013904223;
            square[i] = ((1 << planes[band]) - 1) * (random >> 31 ? -1 : 1);
        }
        for (uint32_t y = 0; y < SIDE; y++)
            invert_line(square + y * SIDE, SIDE, parity, 1);
        for (uint32_t x = 0; x < SIDE; x++) {
            int32_t own = invert_line(square + x, SIDE, parity, SIDE);
            most = own > most ? own : most;
        }
    }
    assert_true(most <= bound);
    assert_true(most > bound / 2);
}

static void bounds_colours(void **state)
{
    static const uint32_t range[3] = {255, 511, 300}, large[3] = {1, UINT32_MAX, 5};
    int32_t most = 0;
    (void)state;
    for (uint32_t signs = 0; signs < 8; signs++) {
        int32_t y = 255 * (signs & 1 ? -1 : 1), u = 511 * (signs & 2 ? -1 : 1), v = 300 * (signs & 4 ? -1 : 1);
        int32_t green = y - floor_shift(u + v, 2), all[4] = {green, v + green, u + green, u + v};
        for (uint32_t i = 0; i < 4; i++)
            most = magnitude(all[i]) > most ? magnitude(all[i]) : most;
    }
    assert_true((uint32_t)most <= kst_j2k_range_rct(range));
    assert_true(kst_j2k_range_rct(large) == UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_lines),
        cmocka_unit_test(adds_bands_up),
        cmocka_unit_test(takes_the_block_with_most_planes),
        cmocka_unit_test(looks_at_regions_of_interest),
        cmocka_unit_test(counts_all_planes_of_ht),
        cmocka_unit_test(stays_at_the_most),
        cmocka_unit_test(bounds_squares),
        cmocka_unit_test(bounds_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
