/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks marker segments: the extremes of their fields, their precedence, tile-parts and limits. */
#include <string.h>

#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/test.h"

static const struct made_size small = {.image = {0, 0, 8, 8}, .tile_width = 8, .tile_height = 8, .components = 1};
static struct made made;
static const uint8_t zeros[64];

/* A whole codestream of one resolution and a packet without contents, with this segment in the main header. */
static kst_status with_segment(const struct made_size *size, uint8_t marker, const void *data, size_t length)
{
    made_start(&made, size);
    if (marker != J2K_COD) /* of these there is one */
        made_cod(&made, J2K_LRCP, 1, 0);
    if (marker != J2K_QCD)
        made_qcd(&made, 0);
    if (marker)
        made_segment(&made, marker, data, length);
    made_part(&made, 0, 0, 1, zeros, size->components);
    made_end(&made);
    return made_try(&made);
}

static void test_plain(void **state)
{
    (void)state;
    assert_int_equal(with_segment(&small, 0, NULL, 0), KST_OK);
    assert_int_equal(made_report()->warnings, 0);
    struct j2k_packet_totals totals;
    struct j2k_filter filter = {.layers = 0};
    assert_int_equal(made_build(&made, &filter, &totals), KST_OK);
    assert_int_equal(totals.packets, 1);
    assert_int_equal(totals.left_bytes, 0);
    assert_int_equal(made_report()->warnings, 0);
}

static void expect_size(struct made_size size, kst_status expected)
{
    assert_int_equal(with_segment(&size, 0, NULL, 0), expected);
}

static void test_size(void **state)
{
    (void)state;
    struct made_size size = small;
    size.image = (struct j2k_rect){8, 0, 8, 8};
    expect_size(size, KST_ERROR_J2K_DIMENSIONS);
    size = small;
    size.image.y1 = 0;
    expect_size(size, KST_ERROR_J2K_DIMENSIONS);
    size = small;
    size.tile_width = 0;
    expect_size(size, KST_ERROR_J2K_DIMENSIONS);
    size = small;
    size.tile_x = 1; /* behind the image's start */
    expect_size(size, KST_ERROR_J2K_DIMENSIONS);
    size = small;
    size.image = (struct j2k_rect){8, 8, 16, 16}; /* the first tile ends where the image starts */
    expect_size(size, KST_ERROR_J2K_DIMENSIONS);
    size.tile_width = size.tile_height = 9;
    expect_size(size, KST_OK);
    size = small;
    size.image.x1 = size.image.y1 = 1 << 15;
    expect_size(size, KST_ERROR_LIMIT_PIXELS);
    size.image.x1 = 1 << 14;
    size.tile_width = 1;
    expect_size(size, KST_ERROR_J2K_TILES);
    size.image = (struct j2k_rect){UINT32_MAX - 8, UINT32_MAX - 8, UINT32_MAX, UINT32_MAX};
    size.tile_width = size.tile_height = UINT32_MAX;
    expect_size(size, KST_OK);
    size = small;
    size.components = 0;
    expect_size(size, KST_ERROR_J2K_COMPONENTS);
}

static void test_component_fields(void **state)
{
    (void)state;
    static const struct {
        size_t at; /* in the stream */
        uint8_t value;
        kst_status expected;
    } cases[] = {
        {42, 37, KST_OK},
        {42, 0x80 | 37, KST_OK},
        {42, 38, KST_ERROR_J2K_DEPTH},
        {42, 0x7F, KST_ERROR_J2K_DEPTH},
        {43, 0, KST_ERROR_J2K_SAMPLING},
        {44, 0, KST_ERROR_J2K_SAMPLING},
        {43, 255, KST_OK},
        {40, 0x40, KST_ERROR_J2K_COMPONENTS}, /* 16,385 */
        {41, 2, KST_ERROR_J2K_LENGTH},
        {6, 0x80, KST_ERROR_J2K_EXTENSION},
        {6, 0x40, KST_OK}, /* what a stream may hold says the code-block style */
        {3, 0x50, KST_ERROR_SIGNATURE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(with_segment(&small, 0, NULL, 0), KST_OK);
        made.data[cases[i].at] = cases[i].value;
        assert_int_equal(made_try(&made), cases[i].expected);
    }
}

static void test_cod(void **state)
{
    (void)state;
    static const struct {
        uint8_t at, value;
        kst_status expected;
    } cases[] = {
        {0, 6, KST_OK},
        {0, 8, KST_ERROR_J2K_CODING},
        {1, 4, KST_OK},
        {1, 5, KST_ERROR_J2K_CODING},
        {3, 0, KST_ERROR_J2K_CODING}, /* no layers */
        {2, 0xFF, KST_OK},
        {4, 2, KST_ERROR_J2K_CODING},
        {5, 33, KST_ERROR_J2K_CODING},
        {5, 32, KST_OK},
        {6, 8, KST_OK},
        {6, 9, KST_ERROR_J2K_CODING},
        {7, 5, KST_OK},
        {7, 8, KST_OK},
        {8, 0x3F, KST_OK},
        {8, 0x40, KST_OK},
        {8, 0x48, KST_OK},
        {8, 0x44, KST_ERROR_J2K_CODING},
        {8, 0x80, KST_ERROR_J2K_CODING},
        {8, 0xFF, KST_OK},
        {9, 0, KST_OK},
        {9, 2, KST_ERROR_J2K_CODING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t cod[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
        cod[cases[i].at] = cases[i].value;
        assert_int_equal(with_segment(&small, J2K_COD, cod, sizeof cod), cases[i].expected);
        assert_int_equal(with_segment(&small, J2K_COD, cod, 9), KST_ERROR_J2K_LENGTH);
    }
    static const uint8_t precincts[] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0x11};
    assert_int_equal(with_segment(&small, J2K_COD, precincts, sizeof precincts), KST_OK);
    static const uint8_t narrow[] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0x10};
    assert_int_equal(with_segment(&small, J2K_COD, narrow, sizeof narrow), KST_ERROR_J2K_CODING);
    assert_int_equal(with_segment(&small, J2K_COD, precincts, sizeof precincts - 1), KST_ERROR_J2K_LENGTH);
}

static void test_other_segments(void **state)
{
    (void)state;
    static const struct {
        uint8_t marker;
        uint8_t length;
        uint8_t data[8];
        kst_status expected;
    } cases[] = {
        {J2K_COC, 7, {0, 0, 0, 0, 0, 0, 1}, KST_OK}, {J2K_COC, 7, {1, 0, 0, 0, 0, 0, 1}, KST_ERROR_J2K_COMPONENT},
        {J2K_COC, 7, {0, 2, 0, 0, 0, 0, 1}, KST_ERROR_J2K_CODING}, {J2K_COC, 1, {0}, KST_ERROR_J2K_LENGTH},
        {J2K_COC, 0, {0}, KST_ERROR_J2K_LENGTH}, {J2K_QCD, 1, {0}, KST_ERROR_J2K_LENGTH},
        {J2K_QCD, 2, {3}, KST_ERROR_J2K_QUANTISATION}, {J2K_QCD, 2, {1, 0}, KST_ERROR_J2K_LENGTH},
        {J2K_QCD, 3, {1, 0, 0}, KST_OK}, {J2K_QCD, 5, {1, 0, 0, 0, 0}, KST_ERROR_J2K_LENGTH},
        {J2K_QCD, 5, {2, 0, 0, 0, 0}, KST_OK}, {J2K_QCC, 3, {0, 0, 8}, KST_OK},
        {J2K_QCC, 3, {9, 0, 8}, KST_ERROR_J2K_COMPONENT}, {J2K_RGN, 3, {0, 0, 37}, KST_OK},
        {J2K_RGN, 3, {0, 0, 38}, KST_ERROR_J2K_ROI}, {J2K_RGN, 3, {0, 1, 7}, KST_ERROR_J2K_ROI},
        {J2K_RGN, 2, {0, 0}, KST_ERROR_J2K_LENGTH}, {J2K_POC, 7, {0, 0, 0, 1, 1, 1, 0}, KST_OK},
        {J2K_POC, 7, {0, 0, 0, 1, 1, 0, 0}, KST_OK}, /* CEpoc 0: all */
        {J2K_POC, 7, {0, 0, 0, 1, 1, 1, 5}, KST_ERROR_J2K_PROGRESSION},
        {J2K_POC, 7, {1, 0, 0, 1, 1, 1, 0}, KST_ERROR_J2K_PROGRESSION},
        {J2K_POC, 7, {0, 3, 0, 1, 1, 3, 0}, KST_ERROR_J2K_PROGRESSION}, {J2K_POC, 6, {0}, KST_ERROR_J2K_LENGTH},
        {J2K_PPM, 0, {0}, KST_ERROR_J2K_LENGTH}, {J2K_COM, 4, {0, 1, 'a', 'b'}, KST_OK}, {J2K_CRG, 4, {0}, KST_OK},
        {J2K_TLM, 4, {0}, KST_OK}, {J2K_CAP, 6, {0, 2}, KST_OK}, {J2K_CAP, 6, {0}, KST_ERROR_J2K_LENGTH},
        {J2K_CAP, 3, {0}, KST_ERROR_J2K_LENGTH}, {J2K_CAP, 6, {0x40, 2}, KST_ERROR_J2K_LENGTH},
        {J2K_CAP, 8, {0x40, 2}, KST_OK}, {J2K_PPT, 2, {0}, KST_ERROR_J2K_MARKER},
        {J2K_PLT, 2, {0}, KST_ERROR_J2K_MARKER}, {J2K_SOC, 2, {0}, KST_ERROR_J2K_MARKER},
        {J2K_SIZ, 2, {0}, KST_ERROR_J2K_MARKER}, {0x4E, 2, {0}, KST_OK}, /* not known: skipped */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(with_segment(&small, cases[i].marker, cases[i].data, cases[i].length), cases[i].expected);
}

static void test_missing(void **state)
{
    (void)state;
    made_start(&made, &small);
    made_qcd(&made, 0);
    made_part(&made, 0, 0, 1, zeros, 1);
    assert_int_equal(made_try(&made), KST_ERROR_J2K_NO_CODING);
    made_start(&made, &small);
    made_cod(&made, J2K_LRCP, 1, 0);
    made_part(&made, 0, 0, 1, zeros, 1);
    assert_int_equal(made_try(&made), KST_ERROR_J2K_NO_CODING);
    made_start(&made, &small);
    made_cod(&made, J2K_LRCP, 1, 0);
    made_qcd(&made, 0);
    assert_int_equal(made_try(&made), KST_ERROR_TRUNCATED);
    made_part(&made, 1, 0, 1, zeros, 1); /* there is no tile 1 */
    assert_int_equal(made_try(&made), KST_ERROR_J2K_NO_TILE);
    made.length = 0;
    assert_int_equal(made_try(&made), KST_ERROR_EMPTY);
}

/* Tile COC, tile COD, main COC, main COD: the levels of two components in two tiles say which was believed. */
static void test_precedence(void **state)
{
    (void)state;
    static const struct made_size size = {.image = {0, 0, 16, 8}, .tile_width = 8, .tile_height = 8, .components = 2};
    static const uint8_t main_coc[] = {1, 0, 1, 4, 4, 0, 1}, tile_coc[] = {0, 0, 3, 4, 4, 0, 1};
    static struct made header;
    header.length = 0;
    made_segment(&header, J2K_COC, tile_coc, sizeof tile_coc);
    made_cod(&header, J2K_LRCP, 1, 2);
    made_start(&made, &size);
    made_segment(&made, J2K_COC, main_coc, sizeof main_coc);
    made_cod(&made, J2K_LRCP, 1, 0);
    made_qcd(&made, 5);
    made_part(&made, 0, 0, 1, zeros, 3);
    made_part_with(&made, 1, 0, 1, &header, zeros, 7);
    made_end(&made);
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    struct j2k_filter filter = {.layers = 0};
    assert_int_equal(made_parse(&made, NULL, &stream), KST_OK);
    kst_report_init(&report);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &filter, &plan), KST_OK);
    assert_int_equal(report.warnings, 0);
    static const uint8_t expected[] = {0, 1, 3, 2};
    assert_int_equal(plan.tile_component_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(plan.tile_component[i].levels, expected[i]);
    assert_int_equal(plan.totals.packets, 10);
    kst_j2k_plan_release(&made_memory, &plan);
    kst_j2k_stream_release(&made_memory, &stream);
}

static void expect_warning(kst_status warning)
{
    assert_int_equal(made_try(&made), KST_OK);
    assert_int_equal(made_report()->first_warning, warning);
}

static void start_two_parts(void)
{
    static const struct made_size size = {.image = {0, 0, 8, 8}, .tile_width = 8, .tile_height = 8, .components = 2};
    made_start(&made, &size);
    made_cod(&made, J2K_LRCP, 1, 0);
    made_qcd(&made, 0);
}

static void test_parts(void **state)
{
    (void)state;
    struct j2k_packet_totals totals;
    struct j2k_filter filter = {.layers = 0};
    start_two_parts();
    made_part(&made, 0, 0, 3, zeros, 1);
    made_part(&made, 0, 1, 0, zeros, 1);
    made_end(&made);
    expect_warning(KST_WARNING_J2K_TILE_PART); /* a third one is missing */
    start_two_parts();
    made_part(&made, 0, 1, 0, zeros, 1); /* out of order, which sorting puts right */
    made_part(&made, 0, 0, 2, zeros, 1);
    made_end(&made);
    assert_int_equal(made_build(&made, &filter, &totals), KST_OK);
    assert_int_equal(made_report()->warnings, 0);
    assert_int_equal(totals.packets, 2);
    start_two_parts();
    made_part(&made, 0, 0, 1, zeros, 2);
    expect_warning(KST_WARNING_J2K_NO_EOC);
    start_two_parts();
    made_part(&made, 0, 0, 1, zeros, 2);
    memset(made.data + made.length - 2 - 8, 0, 4); /* Psot 0: up to EOC */
    made_end(&made);
    assert_int_equal(made_build(&made, &filter, &totals), KST_OK);
    assert_int_equal(totals.packets, 2);
    assert_int_equal(made_report()->warnings, 0);
}

/* Wherever the stream ends there is a status or a warning, and what came before is read. */
static void test_truncation(void **state)
{
    (void)state;
    struct j2k_filter filter = {.layers = 0};
    start_two_parts();
    made_part(&made, 0, 0, 2, zeros, 1);
    made_part(&made, 0, 1, 2, zeros, 1);
    made_end(&made);
    size_t whole = made.length;
    for (size_t length = 0; length < whole; length++) {
        made.length = length;
        kst_status status = made_build(&made, &filter, NULL);
        assert_true(status || made_report()->warnings > 0);
        assert_true(!status || made_report()->message[0]);
    }
}

/* A Psot that is wrong: the next SOT is where the tile-part ends. */
static void test_wrong_lengths(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1, 13, 14, 16, 40, 0x7FFFFFFF};
    struct j2k_filter filter = {.layers = 0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct j2k_packet_totals totals;
        start_two_parts();
        size_t at = made.length + 6;
        made_part(&made, 0, 0, 2, zeros, 1);
        made_part(&made, 0, 1, 2, zeros, 1);
        made_end(&made);
        for (uint32_t k = 0; k < 4; k++)
            made.data[at + k] = (uint8_t)(lengths[i] >> (24 - 8 * k));
        assert_int_equal(made_build(&made, &filter, &totals), KST_OK);
        assert_int_equal(totals.packets, 2);
        assert_int_equal(made_try(&made), KST_OK);
        assert_int_equal(made_report()->first_warning, KST_WARNING_J2K_TILE_PART);
    }
}

static void expect_limit(const kst_limits *limits, kst_status expected)
{
    struct j2k_stream stream;
    kst_status status = made_parse(&made, limits, &stream);
    assert_int_equal(status, expected);
    if (!status)
        kst_j2k_stream_release(&made_memory, &stream);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct made_size size = {.image = {0, 0, 16, 8}, .tile_width = 8, .tile_height = 8, .components = 2};
    static const uint8_t comment[] = {0, 1, 'x'};
    assert_int_equal(with_segment(&size, J2K_COM, comment, sizeof comment), KST_OK);
    kst_limits limits = kst_default_limits;
    limits.components = 1;
    expect_limit(&limits, KST_ERROR_LIMIT_COMPONENTS);
    limits.components = 2;
    expect_limit(&limits, KST_OK);
    limits.tiles = 1;
    expect_limit(&limits, KST_ERROR_LIMIT_TILES);
    limits.tiles = 2;
    limits.pixels = 127;
    expect_limit(&limits, KST_ERROR_LIMIT_PIXELS);
    limits.pixels = 128;
    limits.markers = 2;
    expect_limit(&limits, KST_ERROR_LIMIT_MARKERS);
    limits.markers = 3;
    expect_limit(&limits, KST_OK);
    limits.layers = 0;
    expect_limit(&limits, KST_ERROR_LIMIT_LAYERS);
    assert_int_equal(made_report()->offset, 52); /* COD */
    limits.layers = 1;
    expect_limit(&limits, KST_OK);
    made_part(&made, 1, 0, 1, zeros, 2);
    limits.tile_parts = 1;
    expect_limit(&limits, KST_OK); /* what follows EOC does not count */
    limits.tile_parts = 0;
    expect_limit(&limits, KST_ERROR_LIMIT_TILE_PARTS);
}

/* COD and QCD may stand in a header once (A.6.1, A.6.4). */
static void test_twice(void **state)
{
    (void)state;
    made_start(&made, &small);
    made_cod(&made, J2K_LRCP, 1, 0);
    size_t second = made.length;
    made_cod(&made, J2K_LRCP, 1, 0);
    made_qcd(&made, 0);
    made_part(&made, 0, 0, 1, zeros, 1);
    assert_int_equal(made_try(&made), KST_ERROR_J2K_MARKER);
    assert_int_equal(made_report()->offset, second + 4);
    made_start(&made, &small);
    made_cod(&made, J2K_LRCP, 1, 0);
    made_qcd(&made, 0);
    made_qcd(&made, 0);
    made_part(&made, 0, 0, 1, zeros, 1);
    assert_int_equal(made_try(&made), KST_ERROR_J2K_MARKER);
}

/* A few bytes that ask for millions of precincts, resolutions of tiles or packets. */
static void test_small_and_greedy(void **state)
{
    (void)state;
    struct made_size size = {
        .image = {0, 0, 1 << 14, 1 << 15}, .tile_width = 1 << 14, .tile_height = 1 << 15, .components = 1};
    static const uint8_t ones[] = {1, J2K_RPCL, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1, 0};
    struct j2k_filter filter = {.layers = 0};
    made_start(&made, &size);
    made_segment(&made, J2K_COD, ones, sizeof ones);
    made_qcd(&made, 0);
    made_part(&made, 0, 0, 1, zeros, 4);
    made_end(&made);
    assert_int_equal(made_build(&made, &filter, NULL), KST_ERROR_LIMIT_WORK);
    static const struct {
        uint32_t side;
        kst_status expected;
    } cases[] = {{1 << 11, KST_ERROR_LIMIT_PRECINCTS}, {1 << 8, KST_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size.image = (struct j2k_rect){0, 0, cases[i].side, cases[i].side};
        made_start(&made, &size);
        made_segment(&made, J2K_COD, ones, sizeof ones);
        made_qcd(&made, 0);
        made_part(&made, 0, 0, 1, zeros, 4);
        made_end(&made);
        assert_int_equal(made_build(&made, &filter, NULL), cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_component_fields),
        cmocka_unit_test(test_cod),
        cmocka_unit_test(test_other_segments),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_wrong_lengths),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_small_and_greedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
