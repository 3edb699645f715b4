/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that transcoding to a writer gives the same bytes as to a buffer, in order and in less memory; and writers
 * that fail.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/memory_file.h"
#include "support/shared_context.h"
#include "support/test.h"

enum {
    SIDE = 900,
    PICTURE = SIDE * SIDE * 3,
    ROOM = 4 << 20,
    LATER = 5000 /* bytes behind where a writer starts to fail */
};

static uint8_t *pixels, *file;

static int setup(void **state)
{
    uint32_t random = 1;
    (void)state;
    pixels = malloc(PICTURE);
    file = malloc(ROOM);
    for (uint32_t i = 0; i < PICTURE; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 3 % SIDE / 4 + (random >> 26));
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(pixels);
    free(file);
    return 0;
}

static kst_buffer make_stream(bool codestream)
{
    kst_image image;
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.codestream = codestream;
    j2k.tile_width = j2k.tile_height = 400;
    j2k.levels = 3;
    j2k.layers = 2;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, SIDE, SIDE, pixels, 0), KST_OK);
    return j2k_coded(context, &image, &j2k);
}

static kst_status transcode_to(
    kst_context *on, const kst_buffer *source, const kst_transcode_options *options, struct memory_file *to)
{
    uint64_t length = 0;
    kst_report report;
    kst_report_init(&report);
    to->data = file;
    to->room = ROOM;
    const kst_writer writer = memory_file_writer(to);
    kst_status status = kst_transcode_to(on, source->data, source->length, options, &writer, &length, &report);
    assert_int_equal(status, report.status);
    assert_true(status ? length == 0 : length == to->end);
    return status;
}

/* It comes in pieces, but for a rate's, which are known to keep it then. */
static void check(const kst_buffer *source, const kst_transcode_options *options)
{
    kst_buffer whole = {.data = NULL};
    struct memory_file to = {.in_order = true};
    assert_int_equal(kst_transcode(context, source->data, source->length, options, &whole, NULL), KST_OK);
    assert_int_equal(transcode_to(context, source, options, &to), KST_OK);
    assert_int_equal(to.end, whole.length);
    assert_memory_equal(file, whole.data, whole.length);
    assert_true(options->jpeg2000.rate > 0 ? to.calls == 1 : to.calls > 2);
    kst_buffer_release(context, &whole);
}

static void test_same_bytes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        kst_buffer source = make_stream(i % 2);
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.jpeg2000.container = i / 2 % 2 ? KST_CONTAINER_JP2 : KST_CONTAINER_KEEP;
        options.jpeg2000.progression = (int)i % 5;
        options.jpeg2000.tile_part_lengths = options.jpeg2000.packet_lengths = KST_CHOICE_YES;
        options.jpeg2000.part_by_part = i == 3;
        options.jpeg2000.division = i == 3 ? KST_J2K_DIVIDE_RESOLUTION : 0;
        options.jpeg2000.headers = i == 4 ? KST_J2K_HEADERS_PPM : i == 5 ? KST_J2K_HEADERS_PPT : KST_J2K_HEADERS_INLINE;
        options.jpeg2000.rate = i > 5 ? 2 : 0;
        check(&source, &options);
        kst_buffer_release(context, &source);
    }
}

static void test_jpeg(void **state)
{
    (void)state;
    kst_image image;
    kst_transcode_options options;
    kst_buffer source = {.data = NULL}, whole = {.data = NULL};
    struct memory_file to = {.in_order = true}, little = {.most = 1000};
    kst_transcode_options_init(&options);
    options.coding = KST_CODING_PROGRESSIVE;
    options.transform = KST_TRANSFORM_ROTATE_90;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 300, 200, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, NULL, &source, NULL), KST_OK);
    assert_int_equal(kst_transcode(context, source.data, source.length, &options, &whole, NULL), KST_OK);
    assert_int_equal(transcode_to(context, &source, &options, &to), KST_OK);
    assert_int_equal(to.end, whole.length);
    assert_memory_equal(file, whole.data, whole.length);
    assert_int_equal(transcode_to(context, &source, &options, &little), KST_ERROR_WRITE);
    kst_buffer_release(context, &whole);
    kst_buffer_release(context, &source);
}

/* Room for what is known of packets and blocks, but not for a file that grows. */
static void test_memory(void **state)
{
    (void)state;
    kst_buffer source = make_stream(false), whole = {.data = NULL};
    struct memory_file to = {.in_order = false};
    kst_context *small = context_create("cpu", 1, &(kst_limits){.memory = 2 * source.length});
    assert_int_equal(kst_transcode(small, source.data, source.length, NULL, &whole, NULL), KST_ERROR_LIMIT_MEMORY);
    assert_int_equal(transcode_to(small, &source, NULL, &to), KST_OK);
    assert_int_equal(to.patches, 0);
    kst_context_destroy(&small);
    kst_buffer_release(context, &source);
}

/* Wherever it fails, that is said, and it is not called again; nor at all of what cannot be. */
static void test_failing(void **state)
{
    (void)state;
    kst_buffer source = make_stream(false);
    kst_transcode_options options;
    struct memory_file none = {.most = 0};
    for (uint64_t most = 1; most + LATER < source.length; most = 20 * most + LATER) {
        struct memory_file to = {.most = most};
        assert_int_equal(transcode_to(context, &source, NULL, &to), KST_ERROR_WRITE);
        assert_true(to.failed);
    }
    kst_transcode_options_init(&options);
    options.jpeg2000.rate = 1e-6F;
    assert_int_equal(transcode_to(context, &source, &options, &none), KST_ERROR_OPTIONS);
    assert_int_equal(none.calls, 0);
    source.data[60] ^= 0xFF;
    source.length = 90;
    assert_true(transcode_to(context, &source, NULL, &none));
    assert_int_equal(none.calls, 0);
    kst_buffer_release(context, &source);
}

static void test_misuse(void **state)
{
    (void)state;
    struct memory_file to = {.data = file};
    kst_writer writer = memory_file_writer(&to);
    uint64_t length = 7;
    assert_int_equal(kst_transcode_to(NULL, file, 9, NULL, &writer, &length, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode_to(context, NULL, 9, NULL, &writer, &length, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode_to(context, file, 9, NULL, NULL, &length, NULL), KST_ERROR_ARGUMENT);
    writer.size--;
    assert_int_equal(kst_transcode_to(context, file, 9, NULL, &writer, &length, NULL), KST_ERROR_ARGUMENT);
    writer.size++;
    writer.write = NULL;
    assert_int_equal(kst_transcode_to(context, file, 9, NULL, &writer, &length, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(length, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_jpeg),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_failing), cmocka_unit_test(test_misuse)};
    return run_with_context(2, tests, setup, teardown);
}
