/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conformance streams transcoded in every way decode to what the originals do, with the same reduction and layers;
 * what was asked for is in the headers.
 */
#include <kostka/kostka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "support/context.h"
#include "support/j2k/corpus.h"
#include "support/j2k/source.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

static const char *const names[] = {"a1_mono.j2c", "a3_mono.j2c", "b1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c",
    "f1_mono.j2c", "file1.jp2", "file2.jp2", "file4.jp2", "file6.jp2", "g1_colr.j2c", "g2_colr.j2c", "p0_01.j2k",
    "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p0_09.j2k", "p0_10.j2k", "p0_12.j2k", "p0_14.j2k", "p0_15.j2k",
    "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k"};

/*
 * Large pictures take long; they go through the options that matter for what is odd about them. With sanitizers all
 * take long: the first and the last of the options reach all code that those between them do.
 */
static bool takes_long(struct source *source)
{
    return SANITIZED || (uint64_t)source->info.width * source->info.height > 100000;
}

/* Compare what was transcoded with the original, decoded the same way. */
static void check_output(struct source *source, const kst_transcode_options *options, const kst_buffer *output)
{
    kst_image before, after;
    source_decode(context, output->data, output->length, 0, 0, &after);
    if (options->jpeg2000.reduce ||
        (options->jpeg2000.layers && options->jpeg2000.layers < source->info.layers)) { /* else it has them all */
        source_decode(
            context, source->data, source->length, options->jpeg2000.reduce, options->jpeg2000.layers, &before);
        expect_same_planes(&before, &after);
        kst_image_release(context, &before);
    } else {
        if (!source->decoded)
            source_decode(context, source->data, source->length, 0, 0, &source->whole);
        source->decoded = true;
        expect_same_planes(&source->whole, &after);
    }
    kst_image_release(context, &after);
}

/* Transcode and compare; the output is the caller's to release. */
static void check(struct source *source, const kst_transcode_options *options, kst_buffer *output)
{
    assert_int_equal(source_transcode(context, source, options, output), KST_OK);
    check_output(source, options, output);
}

/* With fewer cases every second one, and with the next call the others. */
static void each_source(void (*test)(struct source *source))
{
    static size_t calls;
    const size_t apart = !SANITIZED && fewer_cases() ? 2 : 1;
    for (size_t i = calls++ % apart; i < sizeof names / sizeof names[0]; i += apart) {
        struct source source;
        source_load(context, &source, names[i]);
        test(&source);
        source_unload(context, &source);
    }
}

/* Transcoding what was transcoded changes nothing any more. */
static void test_source_unchanged(struct source *source)
{
    kst_transcode_options options;
    kst_buffer first, second;
    kst_transcode_options_init(&options);
    check(source, &options, &first);
    struct source again = {.name = source->name, .data = first.data, .length = first.length};
    assert_int_equal(source_transcode(context, &again, &options, &second), KST_OK);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    kst_info info = source_info(context, first.data, first.length);
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

static void test_source_progressions(struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (int p = KST_PROGRESSION_LRCP; p <= KST_PROGRESSION_CPRL; p += takes_long(source) ? 2 : 1) {
        kst_buffer output;
        options.jpeg2000.progression = p;
        check(source, &options, &output);
        assert_int_equal(source_info(context, output.data, output.length).progression, p);
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

static void test_source_markers(struct source *source)
{
    for (uint32_t i = 0; i < 16; i += fewer_cases() ? 5 : 1) { /* none, two at a time, and all */
        kst_transcode_options options;
        kst_buffer output;
        kst_transcode_options_init(&options);
        kst_transcode_jpeg2000 *j = &options.jpeg2000;
        j->packet_lengths = i & 1 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->tile_part_lengths = i & 2 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->sop = i & 4 ? KST_CHOICE_YES : KST_CHOICE_NO;
        j->eph = i & 8 ? KST_CHOICE_YES : KST_CHOICE_NO;
        check(source, &options, &output);
        expect_marker(&output, J2K_PLT, j->packet_lengths);
        expect_marker(&output, J2K_TLM, j->tile_part_lengths);
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
        source_load(context, &source, some[i]);
        test_source_markers(&source);
        source_unload(context, &source);
    }
}

static void test_source_parts(struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.packet_lengths = options.jpeg2000.tile_part_lengths = KST_CHOICE_YES;
    for (uint32_t parts = 0; parts <= 7; parts += takes_long(source) ? 7 : 1) {
        kst_buffer output;
        options.jpeg2000.division = parts;
        options.jpeg2000.part_by_part = parts % 2;
        options.jpeg2000.progression = parts == KST_J2K_DIVIDE_LAYER       ? KST_PROGRESSION_LRCP
                                       : parts == KST_J2K_DIVIDE_COMPONENT ? KST_PROGRESSION_CPRL
                                                                           : KST_PROGRESSION_RLCP;
        kst_status status = source_transcode(context, source, &options, &output);
        if (status == KST_ERROR_OPTIONS && parts > KST_J2K_DIVIDE_LAYER) /* more than 255 */
            continue;
        assert_int_equal(status, KST_OK);
        check_output(source, &options, &output);
        kst_buffer_release(context, &output);
    }
}

static void test_parts(void **state)
{
    (void)state;
    each_source(test_source_parts);
}

static void test_source_layers(struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (uint32_t layers = 1; layers < source->info.layers + 2 && layers < 5; layers++) {
        kst_buffer output;
        options.jpeg2000.layers = layers;
        check(source, &options, &output);
        uint32_t expected = layers < source->info.layers ? layers : source->info.layers;
        assert_int_equal(source_info(context, output.data, output.length).layers, expected);
        kst_buffer_release(context, &output);
    }
}

static void test_layers(void **state)
{
    (void)state;
    each_source(test_source_layers);
}

static bool can_decode(struct source *source, uint32_t reduce)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    options.format = KST_FORMAT_RAW;
    options.reduce = reduce;
    kst_status status = kst_decode(context, source->data, source->length, &options, &image, NULL);
    kst_image_release(context, &image);
    return !status;
}

/* Tiles of odd sizes cannot be reduced, which is reported in no other case. */
static void test_source_reduced(struct source *source)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    for (uint32_t reduce = 1; reduce <= source->info.levels + 1 && reduce < 5; reduce++) {
        kst_buffer output;
        uint32_t mask = (1U << reduce) - 1;
        options.jpeg2000.reduce = reduce;
        options.jpeg2000.progression = reduce % 2 ? -1 : KST_PROGRESSION_RPCL;
        kst_status status = source_transcode(context, source, &options, &output);
        if (status) {
            bool odd = source->info.tile_width & mask || source->info.tile_height & mask;
            assert_true(status == KST_ERROR_J2K_REDUCE ? !can_decode(source, reduce)
                                                       : status == KST_ERROR_OPTIONS && source->info.tiles > 1 && odd);
            continue;
        }
        assert_int_equal(status, KST_OK);
        kst_info info = source_info(context, output.data, output.length);
        assert_int_equal(info.levels, source->info.levels - reduce);
        check_output(source, &options, &output);
        kst_buffer_release(context, &output);
    }
}

static void test_reduced(void **state)
{
    (void)state;
    each_source(test_source_reduced);
}

static uint64_t metadata_count(const void *data, size_t length, kst_metadata_kind kind)
{
    kst_decoder *decoder;
    uint64_t count = 0;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, data, length), KST_OK);
    const kst_metadata *item;
    for (size_t i = 0; (item = kst_decoder_metadata(decoder, i)) != NULL; i++)
        count += item->kind == kind;
    kst_decoder_destroy(&decoder);
    return count;
}

static bool has_box(const void *data, size_t length, const char *type)
{
    const uint8_t *bytes = data;
    for (size_t at = 0; at + 8 <= length && memcmp(bytes + at + 4, "jp2c", 4) != 0;) {
        if (memcmp(bytes + at + 4, type, 4) == 0)
            return true;
        at += memcmp(bytes + at + 4, "jp2h", 4) == 0 ? 8 : j2k_get32(bytes + at);
    }
    return false;
}

/* A file loses its boxes and gets others; the pixels, colours among them, are what they were. */
static void test_source_containers(struct source *source)
{
    kst_transcode_options options;
    kst_buffer bare, wrapped;
    kst_transcode_options_init(&options);
    options.jpeg2000.container = KST_CONTAINER_CODESTREAM;
    check(source, &options, &bare);
    assert_memory_equal(bare.data, "\xFF\x4F\xFF\x51", 4);
    struct source again = {.name = source->name, .data = bare.data, .length = bare.length, .decoded = false};
    options.jpeg2000.container = KST_CONTAINER_JP2;
    check(&again, &options, &wrapped);
    kst_info info = source_info(context, wrapped.data, wrapped.length),
             before = source_info(context, bare.data, bare.length);
    assert_true(info.jp2 && !before.jp2);
    if (before.colour != KST_COLOUR_UNKNOWN && info.colour != KST_COLOUR_YCBCR)
        assert_int_equal(info.colour, before.colour);
    kst_image_release(context, &again.whole);
    kst_buffer_release(context, &bare);
    kst_buffer_release(context, &wrapped);
}

static void test_containers(void **state)
{
    (void)state;
    each_source(test_source_containers);
}

/* Boxes and comments stay or go; a smaller picture's header says so. */
static void test_metadata(void **state)
{
    (void)state;
    static const char *const boxes[] = {"jp2h", "ihdr", "colr"};
    kst_transcode_options options;
    kst_buffer output;
    struct source source;
    source_load(context, &source, "file1.jp2");
    uint64_t comments = metadata_count(source.data, source.length, KST_METADATA_COMMENT);
    for (uint32_t strip = KST_STRIP_NOTHING; strip <= KST_STRIP_ALL; strip++) {
        kst_transcode_options_init(&options);
        options.strip = (kst_strip)strip;
        options.jpeg2000.reduce = 1;
        check(&source, &options, &output);
        kst_info info = source_info(context, output.data, output.length);
        assert_int_equal(info.colour, source.info.colour);
        assert_int_equal(info.width, (source.info.width + 1) / 2);
        for (size_t i = 0; i < 3; i++)
            assert_true(has_box(output.data, output.length, boxes[i]));
        assert_int_equal(has_box(output.data, output.length, "xml "),
            strip == KST_STRIP_NOTHING && has_box(source.data, source.length, "xml "));
        assert_int_equal(
            metadata_count(output.data, output.length, KST_METADATA_COMMENT), strip == KST_STRIP_ALL ? 0 : comments);
        kst_buffer_release(context, &output);
    }
    source_unload(context, &source);
}

/* Mean squared error, component by component, added up. */
static double error_of(struct source *source, const kst_buffer *output, uint32_t layers)
{
    kst_image after;
    double sum = 0;
    source_decode(context, output->data, output->length, 0, layers, &after);
    if (!source->decoded)
        source_decode(context, source->data, source->length, 0, 0, &source->whole);
    source->decoded = true;
    for (uint32_t p = 0; p < after.plane_count; p++)
        for (uint32_t y = 0; y < after.plane[p].height; y++)
            for (uint32_t x = 0; x < after.plane[p].width; x++) {
                const uint8_t *a = (const uint8_t *)after.plane[p].data + (ptrdiff_t)y * after.plane[p].pitch;
                const uint8_t *b =
                    (const uint8_t *)source->whole.plane[p].data + (ptrdiff_t)y * source->whole.plane[p].pitch;
                bool wide = after.plane[p].depth > 8;
                double difference =
                    wide ? (double)((const uint16_t *)(const void *)a)[x] - ((const uint16_t *)(const void *)b)[x]
                         : (double)a[x] - b[x];
                sum += difference * difference;
            }
    kst_image_release(context, &after);
    return sum;
}

/*
 * A stream of any code-block style is cut to rates: never longer, closer to the original the longer it is, and its
 * layers likewise; and with room for all it is the original.
 */
static void test_rates(void **state)
{
    (void)state;
    static const char *const some[] = {"file4.jp2", "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p1_01.j2k",
        "a3_mono.j2c", "d1_colr.j2c", "g2_colr.j2c"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct source source;
        source_load(context, &source, some[i]);
        double pixels = (double)source.info.width * source.info.height, whole = (double)source.length * 8 / pixels;
        double last = HUGE_VAL;
        for (uint32_t step = 1; step <= 4; step++) {
            kst_transcode_options options;
            kst_buffer output;
            kst_transcode_options_init(&options);
            options.jpeg2000.rate = whole * 0.22 * step;
            options.jpeg2000.layers = step;
            options.strip = KST_STRIP_ALL;
            assert_int_equal(source_transcode(context, &source, &options, &output), KST_OK);
            assert_true((double)output.length * 8 <= options.jpeg2000.rate * pixels);
            assert_true((double)output.length * 8 > options.jpeg2000.rate * pixels * 0.5);
            assert_int_equal(source_info(context, output.data, output.length).layers, step);
            double error = HUGE_VAL;
            for (uint32_t layer = 1; layer <= step; layer++) {
                double less = error_of(&source, &output, layer < step ? layer : 0);
                assert_true(less < error);
                error = less;
            }
            assert_true(error < last);
            last = error;
            kst_buffer_release(context, &output);
        }
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        kst_buffer output;
        options.jpeg2000.rate = 3 * whole + 4000 * 8 / pixels;
        assert_int_equal(source_transcode(context, &source, &options, &output), KST_OK);
        assert_true(error_of(&source, &output, 0) == 0);
        kst_buffer_release(context, &output);
        source_unload(context, &source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_progressions),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_reduced),
    };
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    return run_with_context(0, tests, NULL, NULL);
}
