/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conformance streams transcoded in every way decode to what the originals do, with the same reduction and layers;
 * what was asked for is in the headers; and damage ends in a status.
 */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "j2k/bytes.h"
#include "j2k/marker.h"
#include "j2k/stream.h"
#include "j2k_corpus.h"
#include "support.h"

static const char *const names[] = {"a1_mono.j2c", "a3_mono.j2c", "b1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c",
    "f1_mono.j2c", "file1.jp2", "file2.jp2", "file4.jp2", "file6.jp2", "g1_colr.j2c", "g2_colr.j2c", "p0_01.j2k",
    "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p0_09.j2k", "p0_10.j2k", "p0_12.j2k", "p0_14.j2k", "p0_15.j2k",
    "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k"};

static kst_context *context;

struct source {
    const char *name;
    uint8_t *data;
    size_t length;
    kst_info info;
};

static kst_info info_of(const void *data, size_t length)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, data, length), KST_OK);
    kst_info info = *kst_decoder_info(decoder);
    kst_decoder_destroy(&decoder);
    return info;
}

static void load(struct source *source, const char *name)
{
    source->name = name;
    source->data = j2k_corpus_read("streams", name, &source->length);
    assert_non_null(source->data);
    source->info = info_of(source->data, source->length);
}

static kst_status transcode(const struct source *source, const kst_transcode_options *options, kst_buffer *output)
{
    kst_report report;
    *output = (kst_buffer){0};
    kst_report_init(&report);
    kst_status status = kst_transcode(context, source->data, source->length, options, output, &report);
    assert_int_equal(status, report.status);
    if (status == KST_OK)
        assert_int_equal(report.warnings, 0);
    return status;
}

static void decode(const void *data, size_t length, uint32_t reduce, uint32_t layers, kst_image *image)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(image);
    kst_report_init(&report);
    options.format = KST_FORMAT_RAW;
    options.reduce = reduce;
    options.layers = layers;
    assert_int_equal(kst_decode(context, data, length, &options, image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
}

static void expect_same(const kst_image *a, const kst_image *b)
{
    assert_int_equal(a->plane_count, b->plane_count);
    for (uint32_t p = 0; p < a->plane_count; p++) {
        const kst_plane *x = &a->plane[p], *y = &b->plane[p];
        assert_int_equal(x->width, y->width);
        assert_int_equal(x->height, y->height);
        assert_int_equal(x->depth, y->depth);
        for (uint32_t row = 0; row < x->height; row++)
            assert_memory_equal((const uint8_t *)x->data + (ptrdiff_t)row * x->pitch,
                (const uint8_t *)y->data + (ptrdiff_t)row * y->pitch, x->width * (x->depth > 8 ? 2U : 1U));
    }
}

/* Large pictures take long; they go through the options that matter for what is odd about them. */
static bool is_large(const struct source *source)
{
    return (uint64_t)source->info.width * source->info.height > 300000;
}

/* Transcode and compare with the original, decoded the same way; the output is the caller's to release. */
static void check(const struct source *source, const kst_transcode_options *options, kst_buffer *output)
{
    kst_image before, after;
    assert_int_equal(transcode(source, options, output), KST_OK);
    decode(source->data, source->length, options->jpeg2000.reduce, options->jpeg2000.layers, &before);
    decode(output->data, output->length, 0, 0, &after);
    expect_same(&before, &after);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
}

static void check_and_release(const struct source *source, const kst_transcode_options *options)
{
    kst_buffer output;
    check(source, options, &output);
    kst_buffer_release(context, &output);
}

static void each_source(void (*test)(const struct source *source))
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct source source;
        load(&source, names[i]);
        test(&source);
        free(source.data);
    }
}

/* Transcoding what was transcoded changes nothing any more. */
static void test_source_unchanged(const struct source *source)
{
    kst_transcode_options options;
    kst_buffer first, second;
    kst_transcode_options_init(&options);
    check(source, &options, &first);
    const struct source again = {.name = source->name, .data = first.data, .length = first.length};
    assert_int_equal(transcode(&again, &options, &second), KST_OK);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    kst_info info = info_of(first.data, first.length);
    assert_int_equal(info.jp2, source->info.jp2);
    assert_int_equal(info.layers, source->info.layers);
    assert_int_equal(info.progression, source->info.progression);
    assert_int_equal(info.tiles, source->info.tiles);
    kst_buffer_release(context, &first);
    kst_buffer_release(context, &second);
}

static void test_unchanged(void **state)
{
    (void)state;
    each_source(test_source_unchanged);
}

static void test_source_progressions(const struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (int p = KST_PROGRESSION_LRCP; p <= KST_PROGRESSION_CPRL; p += is_large(source) ? 2 : 1) {
        kst_buffer output;
        options.jpeg2000.progression = p;
        check(source, &options, &output);
        assert_int_equal(info_of(output.data, output.length).progression, p);
        kst_buffer_release(context, &output);
    }
}

static void test_progressions(void **state)
{
    (void)state;
    each_source(test_source_progressions);
}

/* Marker segments of a kind in the main header or the first tile-part's, and SOP and EPH behind that. */
static uint32_t count_markers(const kst_buffer *output, uint8_t marker)
{
    const uint8_t *data = output->data;
    size_t at = 2, length = output->length;
    uint32_t count = 0;
    if (data[0] == 0)
        while (memcmp(data + at - 2, "\xFF\x4F\xFF\x51", 4) != 0)
            at++;
    while (data[at + 1] != J2K_SOD) {
        count += data[at + 1] == marker;
        at += 2 + j2k_get16(data + at + 2);
    }
    for (; (marker == J2K_SOP || marker == J2K_EPH) && at + 1 < length; at++)
        count += data[at] == 0xFF && data[at + 1] == marker;
    return count;
}

static void expect_marker(const kst_buffer *output, uint8_t marker, kst_choice choice)
{
    if (choice != KST_CHOICE_KEEP)
        assert_int_equal(count_markers(output, marker) > 0, choice == KST_CHOICE_YES);
}

static void test_source_markers(const struct source *source)
{
    for (uint32_t i = 0; i < 16; i++) {
        kst_transcode_options options;
        kst_buffer output;
        kst_transcode_options_init(&options);
        kst_transcode_jpeg2000 *j = &options.jpeg2000;
        j->plt = i & 1 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->tlm = i & 2 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->sop = i & 4 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->eph = i & 8 ? KST_CHOICE_YES : KST_CHOICE_NO;
        check(source, &options, &output);
        expect_marker(&output, J2K_PLT, j->plt);
        expect_marker(&output, J2K_TLM, j->tlm);
        expect_marker(&output, J2K_SOP, j->sop);
        expect_marker(&output, J2K_EPH, j->eph);
        kst_buffer_release(context, &output);
    }
}

static void test_markers(void **state)
{
    (void)state;
    static const char *const some[] = {"a3_mono.j2c", "file2.jp2", "p0_02.j2k", "p0_03.j2k", "p0_10.j2k", "p1_01.j2k"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct source source;
        load(&source, some[i]);
        test_source_markers(&source);
        free(source.data);
    }
}

static void test_source_parts(const struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.plt = options.jpeg2000.tlm = KST_CHOICE_YES;
    for (uint32_t parts = 0; parts <= 7; parts += is_large(source) ? 7 : 1) {
        kst_buffer output;
        options.jpeg2000.tile_parts = parts;
        options.jpeg2000.parts_interleaved = parts % 2;
        options.jpeg2000.progression = parts == KST_TILE_PARTS_LAYER       ? KST_PROGRESSION_LRCP
                                       : parts == KST_TILE_PARTS_COMPONENT ? KST_PROGRESSION_CPRL
                                                                           : KST_PROGRESSION_RLCP;
        kst_status status = transcode(source, &options, &output);
        if (status == KST_ERROR_OPTIONS && parts > KST_TILE_PARTS_LAYER) /* more than 255 */
            continue;
        assert_int_equal(status, KST_OK);
        kst_buffer_release(context, &output);
        check_and_release(source, &options);
    }
}

static void test_parts(void **state)
{
    (void)state;
    each_source(test_source_parts);
}

static void test_source_layers(const struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (uint32_t layers = 1; layers < source->info.layers + 2 && layers < 5; layers++) {
        kst_buffer output;
        options.jpeg2000.layers = layers;
        check(source, &options, &output);
        uint32_t expected = layers < source->info.layers ? layers : source->info.layers;
        assert_int_equal(info_of(output.data, output.length).layers, expected);
        kst_buffer_release(context, &output);
    }
}

static void test_layers(void **state)
{
    (void)state;
    each_source(test_source_layers);
}

static bool can_decode(const struct source *source, uint32_t reduce)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    options.format = KST_FORMAT_RAW;
    options.reduce = reduce;
    kst_status status = kst_decode(context, source->data, source->length, &options, &image, NULL);
    kst_image_release(context, &image);
    return status == KST_OK;
}

/* Tiles of odd sizes cannot be reduced; that is told, and not in any other case. */
static void test_source_reduced(const struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (uint32_t reduce = 1; reduce <= source->info.levels + 1 && reduce < 5; reduce++) {
        kst_buffer output;
        uint32_t mask = (1U << reduce) - 1;
        options.jpeg2000.reduce = reduce;
        options.jpeg2000.progression = reduce % 2 ? -1 : KST_PROGRESSION_RPCL;
        kst_status status = transcode(source, &options, &output);
        if (status == KST_ERROR_J2K_REDUCE) {
            bool odd = source->info.tile_width & mask || source->info.tile_height & mask;
            assert_true(!can_decode(source, reduce) || (source->info.tiles > 1 && odd));
            continue;
        }
        assert_int_equal(status, KST_OK);
        kst_info info = info_of(output.data, output.length);
        assert_int_equal(info.levels, source->info.levels - reduce);
        kst_buffer_release(context, &output);
        check_and_release(source, &options);
    }
}

static void test_reduced(void **state)
{
    (void)state;
    each_source(test_source_reduced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_progressions),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_reduced),
    };
    kst_context_options options;
    if (!j2k_corpus_present()) {
        printf("the corpus is not there\n");
        return 77;
    }
    kst_context_options_init(&options);
    options.device = "cpu";
    if (kst_context_create(&options, &context) != KST_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kst_context_destroy(&context);
    return failed;
}
