/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures that are alone in a call, whose streams threads copy to pinned memory in slices of 256 KiB while earlier
 * slices are being uploaded: the device gets all bytes of each, whatever lay in its buffers before.
 */
#include <kostka/kostka_decode.h>

#include "support/gpu/contexts.h"
#include "support/test.h"

enum { ROUNDS = 3, WAYS = 2 };

/* Decode the stream into host memory, codes and pixels on the context's device. */
static kst_image decode(kst_context *context, const kst_buffer *stream)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    kst_image image;
    kst_image_init(&image);
    kst_decode_item item = {.data = stream->data, .length = stream->length, .options = &options, .image = &image};
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_decode_batch(context, &item, 1), KST_OK);
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    assert_int_equal(item.report.stage_device[KST_STAGE_PIXELS], info.kind);
    if (info.kind != KST_DEVICE_CPU) /* it does both in one pass */
        assert_int_equal(item.report.stage_device[KST_STAGE_ENTROPY], info.kind);
    return image;
}

/* Decode pictures of one size by turns, so that buffers hold one when the other is decoded. */
static void check_size(uint32_t width, uint32_t height, size_t least)
{
    kst_buffer stream[WAYS];
    kst_image wanted[WAYS];
    for (uint32_t i = 0; i < WAYS; i++) {
        kst_encode_options options;
        kst_encode_options_init(&options);
        options.quality = (int)(96 + i);
        options.subsampling = KST_SUBSAMPLING_444;
        options.restart = (kst_restart){KST_RESTART_MCUS, 4}; /* else the CPU would have to help with such noise */
        stream[i] = encode_noise(width, height, &options);
        assert_true(stream[i].length >= least);
        wanted[i] = decode(cpu_context, &stream[i]);
    }
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t i = 0; i < ROUNDS * WAYS; i++) {
            kst_image found = decode(gpu_context[g], &stream[i % WAYS]);
            expect_same_image("picture", gpu_context[g], &wanted[i % WAYS], &found);
            kst_image_release(gpu_context[g], &found);
        }
    for (uint32_t i = 0; i < WAYS; i++) {
        kst_image_release(cpu_context, &wanted[i]);
        kst_buffer_release(cpu_context, &stream[i]);
    }
}

static void test_one_slice(void **state)
{
    (void)state;
    check_size(200, 160, 40000);
}

static void test_some_slices(void **state)
{
    (void)state;
    check_size(540, 500, 2 << 18);
}

/* Sixteen slices are a piece; the next one begins when they are all on their way. */
static void test_two_pieces(void **state)
{
    (void)state;
    check_size(1700, 1400, 1 << 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_slice), cmocka_unit_test(test_some_slices), cmocka_unit_test(test_two_pieces)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
