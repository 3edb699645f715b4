/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code-blocks of JPEG 2000 become those of HTJ2K and the other way round: the samples stay what they were, and so do
 * the bytes of Kostka's own files that went there and back.
 */
#include <kostka/kostka.h>

#include <stdlib.h>
#include <string.h>

#include "run/device.h"
#include "support/context.h"
#include "support/corpus.h"
#include "support/failing_allocator.h"
#include "support/j2k/coded.h"
#include "support/j2k/corpus.h"
#include "support/j2k/pictures.h"
#include "support/j2k/source.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

static const char *const streams[] = {"a1_mono.j2c", "a3_mono.j2c", "b1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c",
    "f1_mono.j2c", "file1.jp2", "file2.jp2", "file4.jp2", "file6.jp2", "g1_colr.j2c", "g2_colr.j2c", "p0_01.j2k",
    "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p0_09.j2k", "p0_10.j2k", "p0_12.j2k", "p0_14.j2k", "p0_15.j2k",
    "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k"};

static kst_buffer change(const kst_buffer *from, kst_choice ht)
{
    struct source source = {.data = from->data, .length = from->length};
    kst_transcode_options options;
    kst_buffer to;
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = ht;
    assert_int_equal(source_transcode(context, &source, &options, &to), KST_OK);
    kst_info info = source_info(context, to.data, to.length);
    assert_int_equal((info.block_style & KST_J2K_HT) != 0, ht == KST_CHOICE_YES);
    if (info.jp2)
        assert_memory_equal((const uint8_t *)to.data + 20, ht == KST_CHOICE_YES ? "jph " : "jp2 ", 4);
    return to;
}

static void expect_same(const kst_buffer *a, const kst_buffer *b)
{
    kst_image before, after;
    source_decode(context, a->data, a->length, 0, 0, &before);
    source_decode(context, b->data, b->length, 0, 0, &after);
    expect_same_planes(&before, &after);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
}

/* Go there and back, from HTJ2K if the source is that. What lies in between has the same layers, order and tiles. */
static kst_buffer there_and_back(const kst_buffer *from)
{
    kst_info info = source_info(context, from->data, from->length);
    bool ht = (info.block_style & KST_J2K_HT) != 0;
    kst_buffer there = change(from, ht ? KST_CHOICE_NO : KST_CHOICE_YES);
    kst_info other = source_info(context, there.data, there.length);
    assert_int_equal(other.layers, info.layers);
    assert_int_equal(other.progression, info.progression);
    assert_int_equal(other.tiles, info.tiles);
    expect_same(from, &there);
    kst_buffer back = change(&there, ht ? KST_CHOICE_YES : KST_CHOICE_NO);
    expect_same(from, &back);
    kst_buffer_release(context, &there);
    return back;
}

static void check_stream(const char *folder, const char *name)
{
    kst_buffer from = {0}, back;
    from.data = j2k_corpus_read(folder, name, &from.length);
    assert_non_null(from.data);
    back = there_and_back(&from);
    kst_buffer_release(context, &back);
    free(from.data);
}

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        check_stream("streams", streams[i]);
}

/* Placeholders, refinement in layers of its own, regions of interest, several tiles, mixed code-blocks, causal ones. */
static void test_ht_streams(void **state)
{
    (void)state;
    static const char *const some[] = {"ds0_hm_06_b18.j2k", "ds0_hm_15_b8.j2k", "ds0_ht_01_b11.j2k",
        "ds0_ht_02_b11.j2k", "ds0_ht_02_b12.j2k", "ds0_ht_03_b14.j2k", "ds0_ht_04_b12.j2k", "ds0_ht_06_b15.j2k",
        "ds0_ht_09_b11.j2k", "ds0_ht_10_b11.j2k", "ds0_ht_12_b11.j2k", "ds0_ht_14_b11.j2k", "ds0_ht_15_b14.j2k",
        "ds1_ht_01_b12.j2k", "ds1_ht_05_b11.j2k", "ds1_ht_07_b11.j2k", "sigprop_refinement_overlap.j2k"};
    if (corpus_is_made()) /* no program that the tests install makes such streams */
        skip("there are no HTJ2K streams of the conformance suite");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        check_stream("ht/streams", some[i]);
}

static void check_own(const kst_image *image, const kst_j2k_options *j2k, bool same_bytes)
{
    kst_buffer from = j2k_coded(context, image, j2k), back = there_and_back(&from);
    if (same_bytes) {
        assert_int_equal(back.length, from.length);
        assert_memory_equal(back.data, from.data, from.length);
    }
    kst_buffer_release(context, &from);
    kst_buffer_release(context, &back);
}

/* Styles other than CAUSAL are dropped. */
static void test_styles(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RAW, 131, 77, 8);
    for (uint32_t style = 0; style < 64; style++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = style;
        check_own(&image, &j2k, (style & ~(uint32_t)KST_J2K_CAUSAL) == 0);
    }
    image_free(&image);
}

static void test_shapes(void **state)
{
    (void)state;
    static const uint32_t size[][2] = {{1, 1}, {3, 5}, {64, 64}, {65, 129}, {200, 7}};
    static const uint32_t depth[] = {1, 8, 12, 16}, block[][2] = {{64, 64}, {4, 1024}, {1024, 4}, {4, 4}, {32, 16}};
    for (uint32_t i = 0; i < 5 * 4; i++) {
        kst_image image = noise_image(KST_FORMAT_GREY, size[i / 4][0], size[i / 4][1], depth[i % 4]);
        for (uint32_t b = 0; b < 5; b++) {
            kst_j2k_options j2k;
            kst_j2k_options_init(&j2k);
            j2k.block_width = block[b][0];
            j2k.block_height = block[b][1];
            check_own(&image, &j2k, true);
        }
        image_free(&image);
    }
}

/* Layers end among the passes in front of a set, so that these are there without bytes, and come back with them. */
static void test_layers(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 150, 90, 8);
    for (uint32_t layers = 1; layers <= 20; layers += 3) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.layers = layers;
        check_own(&image, &j2k, true);
        j2k.target = KST_J2K_RATE;
        j2k.value = 5;
        check_own(&image, &j2k, false);
    }
    image_free(&image);
}

static void test_geometry(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 150, 90, 8);
    for (uint32_t i = 0; i < 16; i++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.progression = (kst_progression)(i % 5);
        j2k.layers = 1 + i % 3;
        j2k.tile_width = i & 1 ? 61 : 0;
        j2k.tile_height = i & 1 ? 47 : 0;
        j2k.image_x = i & 2 ? 5 : 0;
        j2k.precinct_count = i & 4 ? 1 : 0;
        j2k.precinct_width[0] = j2k.precinct_height[0] = 32;
        j2k.sop = j2k.eph = j2k.packet_lengths = j2k.tile_part_lengths = i & 8;
        j2k.headers = i & 8 ? KST_J2K_HEADERS_PPM : KST_J2K_HEADERS_INLINE;
        if (i & 8)
            j2k.interest = (kst_region){.x = 20, .y = 30, .width = 40, .height = 11};
        kst_buffer from = j2k_coded(context, &image, &j2k), back = there_and_back(&from);
        kst_buffer_release(context, &from);
        kst_buffer_release(context, &back);
    }
    image_free(&image);
}

/* The irreversible transform; all that a quantiser leaves is coded, so that the bytes come back. */
static void test_steps(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 150, 90, 8);
    static const double step[] = {0.001, 0.004, 0.02, 0.1, 0.5};
    for (uint32_t i = 0; i < sizeof step / sizeof step[0]; i++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.target = KST_J2K_STEP;
        j2k.value = step[i];
        check_own(&image, &j2k, true);
    }
    image_free(&image);
}

/* Sets of one to three passes whose lowest plane is not that of the indices: Kostka's own HTJ2K. */
static void test_own_sets(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 150, 90, 8);
    for (uint32_t passes = 1; passes <= 3; passes++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = KST_J2K_HT;
        j2k.passes = passes;
        j2k.target = KST_J2K_RATE;
        j2k.value = 3;
        check_own(&image, &j2k, true);
    }
    image_free(&image);
}

static void test_threads(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 333, 222, 8);
    kst_buffer from = j2k_coded(context, &image, NULL), first = change(&from, KST_CHOICE_YES);
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = KST_CHOICE_YES;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        kst_context *other = cpu_context_create(threads);
        kst_buffer to = {0};
        assert_int_equal(kst_transcode(other, from.data, from.length, &options, &to, NULL), KST_OK);
        assert_int_equal(to.length, first.length);
        assert_memory_equal(to.data, first.data, to.length);
        kst_buffer_release(other, &to);
        kst_context_destroy(&other);
    }
    kst_buffer_release(context, &from);
    kst_buffer_release(context, &first);
    image_free(&image);
}

static kst_status try_options(const kst_buffer *from, const kst_transcode_options *options)
{
    kst_buffer to = {0};
    kst_status status = kst_transcode(context, from->data, from->length, options, &to, NULL);
    kst_buffer_release(context, &to);
    return status;
}

static void test_refused(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_GREY, 40, 40, 16);
    kst_transcode_options options;
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    kst_buffer from = j2k_coded(context, &image, &j2k);
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = (kst_choice)3;
    assert_int_equal(try_options(&from, &options), KST_ERROR_OPTIONS);
    options.jpeg2000.ht = KST_CHOICE_YES;
    options.jpeg2000.rate = 1;
    assert_int_equal(try_options(&from, &options), KST_ERROR_OPTIONS);
    options.jpeg2000.ht = KST_CHOICE_NO; /* nothing changes but the rate */
    options.jpeg2000.rate = 8;
    assert_int_equal(try_options(&from, &options), KST_OK);
    kst_buffer_release(context, &from);
    image_free(&image);
}

/* A rate for code-blocks that were of HTJ2K, fewer layers, fewer resolutions. */
static void test_together(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 128, 96, 8);
    kst_transcode_options options;
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_HT;
    kst_buffer from = j2k_coded(context, &image, &j2k), to;
    struct source source = {.data = from.data, .length = from.length};
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = KST_CHOICE_NO;
    options.jpeg2000.rate = 2;
    options.jpeg2000.layers = 3;
    assert_int_equal(source_transcode(context, &source, &options, &to), KST_OK);
    assert_true(to.length <= 128 * 96 * 2 / 8 && to.length > 128 * 96 * 2 / 8 * 9 / 10);
    assert_int_equal(source_info(context, to.data, to.length).layers, 3);
    kst_buffer_release(context, &to);
    options.jpeg2000.rate = 0;
    options.jpeg2000.layers = 0;
    options.jpeg2000.reduce = 2;
    assert_int_equal(source_transcode(context, &source, &options, &to), KST_OK);
    kst_image before, after;
    source_decode(context, from.data, from.length, 2, 0, &before);
    source_decode(context, to.data, to.length, 0, 0, &after);
    expect_same_planes(&before, &after);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
    kst_buffer_release(context, &to);
    kst_buffer_release(context, &from);
    image_free(&image);
}

/* Decode what may be damaged. True if there are samples. */
static bool decode_anything(const void *data, size_t length, kst_image *image, uint64_t *warnings)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_report_init(&report);
    kst_image_init(image);
    options.format = KST_FORMAT_RAW;
    kst_status status = kst_decode(context, data, length, &options, image, &report);
    *warnings = report.warnings;
    return !status;
}

/* A damaged stream becomes a sound one with the samples that it had. */
static void check_damaged(const kst_buffer *from, kst_choice ht, uint32_t *warned)
{
    kst_image before, after;
    kst_buffer to = {0};
    kst_report report;
    kst_transcode_options options;
    uint64_t warnings, none;
    kst_report_init(&report);
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = ht;
    kst_status status = kst_transcode(context, from->data, from->length, &options, &to, &report);
    if (decode_anything(from->data, from->length, &before, &warnings) && !status) {
        assert_true(decode_anything(to.data, to.length, &after, &none));
        assert_int_equal(none, 0);
        expect_same_planes(&before, &after);
        *warned += report.warnings > 0 && warnings > 0;
        kst_image_release(context, &after);
    }
    options.strict = true;
    kst_buffer_release(context, &to);
    kst_report_init(&report);
    if (!kst_transcode(context, from->data, from->length, &options, &to, &report))
        assert_int_equal(report.warnings, 0);
    kst_buffer_release(context, &to);
    kst_image_release(context, &before);
}

static void test_damage(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_GREY, 150, 130, 8);
    static const uint32_t style[] = {0, KST_J2K_SYMBOLS, KST_J2K_TERMALL | KST_J2K_PREDICTABLE, KST_J2K_HT};
    for (uint32_t s = 0; s < 4; s++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = style[s];
        j2k.block_width = j2k.block_height = 16;
        kst_buffer from = j2k_coded(context, &image, &j2k);
        uint32_t warned = 0;
        for (uint32_t i = 0; i < 60; i++) {
            kst_buffer damaged = from;
            size_t place = 200 + random_below(&(uint32_t){i * 77 + s}, (uint32_t)from.length - 200);
            uint8_t *byte = (uint8_t *)from.data + place, kept = *byte;
            if (i % 4 == 0)
                damaged.length = place;
            *byte ^= (uint8_t)(1 + i);
            check_damaged(&damaged, style[s] == KST_J2K_HT ? KST_CHOICE_NO : KST_CHOICE_YES, &warned);
            *byte = kept;
        }
        assert_true(warned >= (style[s] == 0 ? 5 : 20));
        kst_buffer_release(context, &from);
    }
    image_free(&image);
}

static void test_memory(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_GREY, 100, 100, 8);
    for (uint32_t i = 0; i < 2; i++) {
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = i == 0 ? 0 : KST_J2K_HT;
        kst_buffer from = j2k_coded(context, &image, &j2k);
        struct failing_transcode work = {.data = from.data, .length = from.length};
        kst_transcode_options_init(&work.options);
        work.options.jpeg2000.ht = i == 0 ? KST_CHOICE_YES : KST_CHOICE_NO;
        assert_true(failing_check(failing_transcode, &work, 1) > 10);
        kst_buffer_release(context, &from);
    }
    image_free(&image);
}

static void test_cancelled(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 600, 400, 8);
    kst_buffer from = j2k_coded(context, &image, NULL);
    struct progress_calls calls = {.stop = 0.3};
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = KST_CHOICE_YES;
    options.progress = &progress;
    assert_int_equal(try_options(&from, &options), KST_ERROR_CANCELLED);
    calls = (struct progress_calls){.stop = 2};
    assert_int_equal(try_options(&from, &options), KST_OK);
    assert_true(calls.calls > 5 && calls.last == 1);
    kst_buffer_release(context, &from);
    image_free(&image);
}

/* Each stream is too short for a GPU to be worth opening, and so is one after the other; many at once are not. */
static void test_batch_decides(void **state)
{
    (void)state;
    enum { STREAMS = 25 };
    kst_image image = noise_image(KST_FORMAT_RGB, 200, 150, 8);
    kst_buffer from = j2k_coded(context, &image, NULL);
    kst_transcode_item item[STREAMS];
    kst_transcode_options options;
    kst_context_options of_context;
    kst_context *automatic;
    kst_context_options_init(&of_context);
    of_context.device = "auto";
    of_context.threads = 1;
    assert_int_equal(kst_context_create(&of_context, &automatic), KST_OK);
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = KST_CHOICE_YES;
    for (uint32_t i = 0; i < STREAMS; i++) {
        item[i] = (kst_transcode_item){.data = from.data, .length = from.length, .options = &options};
        kst_buffer to = {.data = NULL};
        assert_int_equal(kst_transcode(automatic, from.data, from.length, &options, &to, NULL), KST_OK);
        kst_buffer_release(automatic, &to);
    }
    assert_false(kst_context_is_cpu(automatic));
    assert_null(kst_context_gpu_if_open(automatic));
    kst_transcode_batch(automatic, item, STREAMS);
    for (uint32_t i = 0; i < STREAMS; i++) {
        assert_int_equal(item[i].report.status, KST_OK);
        kst_buffer_release(automatic, &item[i].output);
    }
    assert_true(kst_context_is_cpu(automatic) || kst_context_gpu_if_open(automatic) != NULL); /* it looked for one */
    kst_context_destroy(&automatic);
    kst_buffer_release(context, &from);
    image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams), cmocka_unit_test(test_ht_streams),
        cmocka_unit_test(test_styles), cmocka_unit_test(test_shapes), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_geometry), cmocka_unit_test(test_steps), cmocka_unit_test(test_own_sets),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_refused), cmocka_unit_test(test_together),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_memory), cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_batch_decides)};
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    return run_with_context(0, tests, NULL, NULL);
}
