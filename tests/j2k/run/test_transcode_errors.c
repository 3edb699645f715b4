/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcoding of JPEG 2000 that cannot be, or of damaged streams, ends in a status; and so does it without memory. */
#include <kostka/kostka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/j2k/corpus.h"
#include "support/j2k/source.h"
#include "support/shared_context.h"
#include "support/test.h"

/* A header box that reaches over the codestream does not take the old one along. */
static void test_swallowed_codestream(void **state)
{
    (void)state;
    kst_transcode_options options;
    kst_buffer output, mended;
    kst_report report;
    struct source source;
    source_load(context, &source, "file4.jp2");
    kst_transcode_options_init(&options);
    options.jpeg2000.reduce = 1;
    assert_int_equal(source_transcode(context, &source, &options, &output), KST_OK);
    size_t header = 4;
    while (memcmp(source.data + header, "jp2h", 4) != 0)
        header++;
    size_t reach = source.length - (header - 4);
    for (uint32_t i = 0; i < 4; i++)
        source.data[header - 4 + i] = (uint8_t)(reach >> (24 - 8 * i));
    kst_report_init(&report);
    mended = (kst_buffer){0};
    assert_int_equal(kst_transcode(context, source.data, source.length, &options, &mended, &report), KST_OK);
    assert_int_equal(report.warnings, 1);
    assert_int_equal(report.first_warning, KST_WARNING_J2K_BOX);
    assert_int_equal(mended.length, output.length);
    assert_memory_equal(mended.data, output.data, output.length);
    kst_buffer_release(context, &mended);
    kst_buffer_release(context, &output);
    source_unload(context, &source);
}

/* Options that only JPEG has, and values that do not exist, are refused. */
static void test_options(void **state)
{
    (void)state;
    kst_transcode_options options[16];
    kst_buffer output;
    struct source source;
    source_load(context, &source, "p0_12.j2k");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        kst_transcode_options_init(&options[i]);
    options[0].grey = true;
    options[1].transform = KST_TRANSFORM_ROTATE_90;
    options[2].crop.width = 1;
    options[3].coding = KST_CODING_PROGRESSIVE;
    options[4].restart.unit = KST_RESTART_ROWS;
    options[5].jpeg2000.progression = 5;
    options[6].jpeg2000.layers = 65536;
    options[7].jpeg2000.reduce = 33;
    options[8].jpeg2000.division = 8;
    options[9].jpeg2000.packet_lengths = (kst_choice)3;
    options[10].jpeg2000.container = (kst_container)3;
    options[11].strip = (kst_strip)3;
    options[12].jpeg2000.rate = -1;
    options[13].jpeg2000.rate = NAN;
    options[14].jpeg2000.rate = 0.01; /* empty packets are longer */
    options[15].others = KST_OTHERS_DROP;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_int_equal(source_transcode(context, &source, &options[i], &output), KST_ERROR_OPTIONS);
    source_unload(context, &source);
}

/* Whatever the cut or the changed byte: a status, and pixels that are those of decoding the damaged stream. */
static void test_damage(void **state)
{
    (void)state;
    static const char *const some[] = {"p0_03.j2k", "p1_01.j2k", "p0_10.j2k", "p0_14.j2k"};
    uint32_t random = 5;
    for (size_t i = 0; i < 4 * 40; i++) {
        struct source source;
        kst_transcode_options options;
        kst_decode_options raw;
        kst_image before, after;
        kst_buffer output = {0};
        source_load(context, &source, some[i / 40]);
        random = random * 1664525 + 1013904223;
        size_t place = (random >> 8) % source.length;
        if (i % 2)
            source.length = place;
        else
            source.data[place] ^= (uint8_t)(1 + (random >> 4) % 255);
        kst_transcode_options_init(&options);
        kst_decode_options_init(&raw);
        raw.format = KST_FORMAT_RAW;
        kst_image_init(&before);
        kst_image_init(&after);
        kst_status status = kst_transcode(context, source.data, source.length, &options, &output, NULL);
        kst_status decoded = kst_decode(context, source.data, source.length, &raw, &before, NULL);
        if (!status && !decoded) {
            assert_int_equal(kst_decode(context, output.data, output.length, &raw, &after, NULL), KST_OK);
            expect_same_planes(&before, &after);
        }
        options.strict = true;
        kst_buffer_release(context, &output);
        kst_report report;
        kst_report_init(&report);
        if (!kst_transcode(context, source.data, source.length, &options, &output, &report))
            assert_int_equal(report.warnings, 0);
        kst_buffer_release(context, &output);
        kst_image_release(context, &before);
        kst_image_release(context, &after);
        source_unload(context, &source);
    }
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const some[] = {"p0_03.j2k", "p1_07.j2k"};
    for (uint32_t i = 0; i < 4; i++) {
        struct source source;
        source_load(context, &source, some[i / 2]);
        struct failing_transcode work = {.data = source.data, .length = source.length};
        kst_transcode_options_init(&work.options);
        work.options.jpeg2000.container = KST_CONTAINER_JP2;
        work.options.jpeg2000.tile_part_lengths = work.options.jpeg2000.packet_lengths = KST_CHOICE_YES;
        work.options.jpeg2000.part_by_part = true;
        work.options.jpeg2000.rate = i % 2 == 0 ? 0 : i == 1 ? 1 : 200;
        assert_true(failing_check(failing_transcode, &work, 1) > 10);
        source_unload(context, &source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_swallowed_codestream),
        cmocka_unit_test(test_options), cmocka_unit_test(test_damage)};
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    return run_with_context(0, tests, NULL, NULL);
}
