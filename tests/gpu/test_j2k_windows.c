/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 pictures that do not fit, part by part on every device: to a writer, with progress, and given up midway. */
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/memory_file.h"
#include "support/progress.h"
#include "support/test.h"

enum { WIDTH = 700, HEIGHT = 1500, MEMORY = 11 << 19, ROOM = 2 << 20 };

static kst_image make_picture(void)
{
    kst_image image;
    uint8_t *pixels = malloc((size_t)WIDTH * HEIGHT);
    uint32_t random = 1;
    assert_non_null(pixels);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i % WIDTH / 4 + i / WIDTH / 30 + (random >> 28));
    }
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, WIDTH, HEIGHT, pixels, 0), KST_OK);
    return image;
}

static bool is_on_device(const kst_report *report)
{
    return report->stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU;
}

static void check_encoding(kst_context *context, const kst_image *image, const kst_j2k_options *j2k, bool apart)
{
    static uint8_t bytes[ROOM];
    struct memory_file file = {.data = bytes, .room = ROOM};
    struct progress_calls whole = {.stop = 2}, half = {.stop = 0.4};
    kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &whole};
    const kst_writer writer = memory_file_writer(&file);
    kst_buffer wanted = {.data = NULL};
    kst_report report;
    uint64_t length = 0;
    kst_report_init(&report);
    kst_encode_options options = j2k_coding(j2k);
    assert_int_equal(kst_encode(cpu_context, image, &options, &wanted, NULL), KST_OK);
    options.progress = &progress;
    assert_int_equal(kst_encode_to(context, image, NULL, &options, &writer, &length, &report), KST_OK);
    assert_true(is_on_device(&report));
    assert_int_equal(length, wanted.length);
    assert_memory_equal(file.data, wanted.data, wanted.length);
    assert_int_equal(file.patches > 0, apart);
    assert_true(whole.last == 1 && whole.calls > 3);
    progress.user = &half;
    file.end = 0;
    assert_int_equal(kst_encode_to(context, image, NULL, &options, &writer, &length, &report), KST_ERROR_CANCELLED);
    assert_true(half.last >= 0.4 && half.last < 1);
    options.progress = NULL;
    file.end = 0;
    file.most = 10000;
    assert_int_equal(kst_encode_to(context, image, NULL, &options, &writer, &length, &report), KST_ERROR_WRITE);
    kst_buffer_release(cpu_context, &wanted);
}

static void check_decoding(kst_context *context, const kst_image *image, const kst_j2k_options *j2k)
{
    struct progress_calls whole = {.stop = 2}, half = {.stop = 0.4};
    kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &whole};
    kst_decode_options way;
    kst_report report;
    kst_image found, none;
    kst_report_init(&report);
    kst_decode_options_init(&way);
    way.progress = &progress;
    kst_buffer coded = j2k_coded(cpu_context, image, j2k);
    kst_image_init(&found);
    kst_image_init(&none);
    assert_int_equal(kst_decode(context, coded.data, coded.length, &way, &found, &report), KST_OK);
    assert_true(is_on_device(&report));
    assert_true(whole.last == 1 && whole.calls > 3);
    expect_same_image("windows", context, image, &found);
    progress.user = &half;
    assert_int_equal(kst_decode(context, coded.data, coded.length, &way, &none, &report), KST_ERROR_CANCELLED);
    assert_true(half.last >= 0.4 && half.last < 1 && !none.plane[0].data);
    kst_image_release(context, &found);
    kst_buffer_release(cpu_context, &coded);
}

static void parts(void **state)
{
    (void)state;
    kst_image image = make_picture();
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_context *context = small_context_create(gpu_context[d], MEMORY);
        for (uint32_t tiles = 0; tiles < 2; tiles++) {
            kst_j2k_options j2k;
            kst_j2k_options_init(&j2k);
            j2k.levels = 2;
            j2k.block_width = j2k.block_height = 32;
            j2k.tile_width = j2k.tile_height = tiles ? 180 : 0;
            j2k.tile_part_lengths = true;
            check_encoding(context, &image, &j2k, tiles);
            check_decoding(context, &image, &j2k);
        }
        kst_context_destroy(&context);
    }
    free(image.plane[0].data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
