/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of the conformance streams: what their headers say, every byte of every tile-part used, no warnings; what
 * filters leave out; and no promise broken by damaged ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../fuzz/j2k_plan_check.h"
#include "core/context.h"
#include "core/report.h"
#include "j2k/packets/build.h"
#include "j2k/syntax/geometry.h"
#include "support/corpus.h"
#include "support/j2k/corpus.h"
#include "support/random.h"
#include "support/test.h"

enum { MUTATIONS = 60 };

/* By opj_dump, of the main header and the first component. */
struct stream_case {
    const char *name;
    struct j2k_rect image;
    uint32_t tiles, components;
    uint8_t progression;
    uint16_t layers;
    bool transform;
    uint8_t levels;
    bool reversible;
    uint8_t style, roi_shift, depth;
};

static const struct stream_case cases[] = {
    {"a1_mono.j2c", {0, 0, 303, 179}, 1, 1, 0, 1, 0, 5, 1, 0, 0, 8},
    {"a3_mono.j2c", {0, 0, 303, 179}, 6, 1, 0, 1, 0, 5, 1, 0, 0, 8},
    {"b1_mono.j2c", {3097, 41, 3400, 220}, 15, 1, 0, 1, 0, 5, 1, 0, 0, 8},
    {"d1_colr.j2c", {0, 0, 256, 149}, 1, 3, 3, 4, 1, 5, 1, 0, 0, 8},
    {"e1_colr.j2c", {1, 1, 257, 150}, 8, 3, 0, 4, 1, 5, 1, 0, 0, 8},
    {"f1_mono.j2c", {0, 0, 303, 179}, 9, 1, 0, 4, 0, 5, 1, 0, 0, 8},
    {"file1.jp2", {0, 0, 768, 512}, 1, 3, 0, 1, 1, 5, 1, 0, 0, 8},
    {"file2.jp2", {0, 0, 480, 640}, 1, 3, 0, 1, 0, 5, 1, 0, 0, 8},
    {"file4.jp2", {0, 0, 768, 512}, 1, 1, 0, 1, 0, 5, 1, 0, 0, 8},
    {"file6.jp2", {0, 0, 768, 512}, 1, 1, 0, 1, 0, 5, 1, 0, 0, 12},
    {"g1_colr.j2c", {0, 0, 256, 149}, 2, 3, 0, 3, 1, 5, 1, 0, 0, 8},
    {"g2_colr.j2c", {0, 0, 256, 149}, 2, 3, 0, 3, 1, 5, 1, 0, 0, 8},
    {"p0_01.j2k", {0, 0, 128, 128}, 1, 1, 1, 1, 0, 3, 1, 0, 0, 8},
    {"p0_02.j2k", {0, 0, 127, 126}, 1, 1, 0, 6, 0, 3, 1, 52, 0, 8},
    {"p0_03.j2k", {0, 0, 256, 256}, 4, 1, 3, 8, 0, 1, 1, 0, 0, 4},
    {"p0_04.j2k", {0, 0, 640, 480}, 1, 3, 1, 20, 1, 6, 0, 4, 0, 8},
    {"p0_06.j2k", {0, 0, 513, 129}, 1, 4, 2, 4, 0, 6, 0, 0, 11, 12},
    {"p0_09.j2k", {0, 0, 17, 37}, 1, 1, 0, 1, 0, 5, 0, 0, 0, 8},
    {"p0_10.j2k", {0, 0, 256, 256}, 4, 3, 0, 2, 1, 3, 1, 0, 0, 8},
    {"p0_12.j2k", {0, 0, 3, 5}, 1, 1, 0, 1, 0, 3, 1, 4, 0, 8},
    {"p0_14.j2k", {0, 0, 49, 49}, 1, 3, 0, 1, 1, 5, 1, 0, 0, 8},
    {"p0_15.j2k", {0, 0, 256, 256}, 4, 1, 3, 8, 0, 1, 1, 0, 0, 4},
    {"p1_01.j2k", {5, 128, 127, 227}, 1, 1, 0, 5, 0, 3, 1, 52, 0, 8},
    {"p1_03.j2k", {0, 0, 1024, 1024}, 1, 4, 3, 10, 0, 6, 0, 5, 0, 8},
    {"p1_05.j2k", {17, 12, 529, 524}, 225, 3, 3, 2, 1, 7, 0, 25, 0, 8},
    {"p1_07.j2k", {4, 0, 12, 12}, 1, 2, 2, 1, 0, 1, 1, 0, 0, 8},
};

static struct memory memory;

static uint64_t body_bytes(const struct j2k_stream *stream)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stream->part_count; i++)
        sum += stream->part[i].body_length;
    return sum;
}

/* OpenJPEG, whose stream stands in for this one where there is no corpus, halves no tile more often than that. */
static uint8_t levels_of(const struct stream_case *expected)
{
    return corpus_is_made() && strcmp(expected->name, "p1_05.j2k") == 0 ? 5 : expected->levels;
}

static void check_headers(const struct j2k_stream *stream, const struct stream_case *expected)
{
    assert_memory_equal(&stream->size.image, &expected->image, sizeof expected->image);
    assert_int_equal(stream->size.columns * stream->size.rows, expected->tiles);
    assert_int_equal(stream->component_count, expected->components);
    assert_int_equal(stream->component[0].depth, expected->depth);
    assert_int_equal(stream->main.progression, expected->progression);
    assert_int_equal(stream->main.layers, expected->layers);
    assert_int_equal(stream->main.transform, expected->transform);
    assert_int_equal(stream->main.coding[0].levels, levels_of(expected));
    assert_int_equal(stream->main.coding[0].reversible, expected->reversible);
    assert_int_equal(stream->main.coding[0].style, expected->style);
    assert_int_equal(stream->main.roi_shift[0], expected->roi_shift);
}

static kst_status build(
    struct j2k_stream *stream, const struct j2k_filter *filter, struct j2k_plan *plan, kst_report *report)
{
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = report};
    kst_status status = kst_j2k_plan_build(&op, stream, filter, plan);
    assert_int_equal(status, report->status);
    if (!status)
        assert_null(j2k_plan_problem(plan));
    return status;
}

/* Samples of all tiles and components of the plan, and bytes of all its blocks. */
static void add_up(const struct j2k_plan *plan, uint64_t *samples, uint64_t *bytes)
{
    *samples = *bytes = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++) {
        const struct j2k_rect *area = &plan->tile_component[i].area;
        if (!j2k_is_empty(*area))
            *samples += (uint64_t)(area->x1 - area->x0) * (area->y1 - area->y0);
    }
    for (uint32_t i = 0; i < plan->block_count; i++)
        *bytes += plan->block[i].length;
}

static uint64_t image_samples(const struct j2k_plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_rect *area = &plan->component[c].area;
        sum += (uint64_t)(area->x1 - area->x0) * (area->y1 - area->y0);
    }
    return sum;
}

static void check_whole(struct j2k_stream *stream)
{
    struct j2k_plan plan;
    kst_report report;
    struct j2k_filter filter = {.layers = 0};
    uint64_t samples, bytes;
    kst_report_init(&report);
    assert_int_equal(build(stream, &filter, &plan, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(plan.missing_tiles, 0);
    assert_int_equal(plan.totals.left_bytes, 0);
    add_up(&plan, &samples, &bytes);
    assert_int_equal(samples, image_samples(&plan));
    assert_int_equal(bytes, plan.totals.body_bytes);
    bool packed = plan.totals.header_bytes + plan.totals.body_bytes != body_bytes(stream);
    assert_true(!packed || stream->has_packed || stream->segment_count > stream->main_segment_count);
    kst_j2k_plan_release(&memory, &plan);
}

/* Fewer resolutions or layers, or a part of the picture: fewer bytes, and still all of what is asked for. */
static void check_filters(struct j2k_stream *stream)
{
    struct j2k_rect image = kst_j2k_reduced_image(stream, 1);
    const struct j2k_filter filters[] = {{.reduce = 1}, {.layers = 1},
        {.reduce = 1, .region = {image.x0 + 1, image.y0, image.x0 + 2 + (image.x1 - image.x0) / 4, image.y0 + 1}}};
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        struct j2k_plan plan;
        kst_report report;
        uint64_t samples, bytes;
        kst_report_init(&report);
        assert_int_equal(build(stream, &filters[i], &plan, &report), KST_OK);
        assert_int_equal(report.warnings, 0);
        add_up(&plan, &samples, &bytes);
        assert_int_equal(samples, image_samples(&plan));
        assert_true(bytes <= plan.totals.body_bytes);
        kst_j2k_plan_release(&memory, &plan);
    }
}

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length;
        uint8_t *data = j2k_corpus_read("streams", cases[i].name, &length);
        struct j2k_stream stream;
        kst_report report;
        assert_non_null(data);
        kst_report_init(&report);
        const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
        assert_int_equal(kst_j2k_parse(&op, data, length, &stream), KST_OK);
        assert_int_equal(report.warnings, 0);
        check_headers(&stream, &cases[i]);
        check_whole(&stream);
        check_filters(&stream);
        kst_j2k_stream_release(&memory, &stream);
        assert_int_equal(memory.used, 0);
        free(data);
    }
}

static uint32_t random_state = 3;

static void try_damaged(const uint8_t *data, size_t length)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    struct j2k_filter filter = {
        .reduce = (uint8_t)random_below(&random_state, 3), .layers = random_below(&random_state, 3)};
    kst_report_init(&report);
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
    if (!kst_j2k_parse(&op, data, length, &stream)) {
        if (!build(&stream, &filter, &plan, &report))
            kst_j2k_plan_release(&memory, &plan);
        kst_j2k_stream_release(&memory, &stream);
    }
    assert_int_equal(memory.used, 0);
}

/* Most damage goes to the first bytes, where the headers are. */
static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length;
        uint8_t *data = j2k_corpus_read("streams", cases[i].name, &length);
        for (uint32_t m = 0; m < MUTATIONS; m++) {
            size_t cut = m % 3 == 0 ? 1 + random_below(&random_state, (uint32_t)length) : length;
            uint8_t *damaged = malloc(cut); /* its own size, for a sanitizer to see its end */
            memcpy(damaged, data, cut);
            for (uint32_t k = random_below(&random_state, 4); k > 0; k--)
                damaged[random_below(&random_state, (uint32_t)(m % 2 && cut > 300 ? 300 : cut))] =
                    (uint8_t)random_below(&random_state, 256);
            try_damaged(damaged, cut);
            free(damaged);
        }
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_damaged),
    };
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
