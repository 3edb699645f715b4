/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes streams to images of another size in one call, on every device and on the CPU: the samples must be those of
 * decoding and resizing one after the other, although only what a box needs is decoded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/random.h"
#include "support/test.h"

enum { STREAMS = 20, SIDE = 48, BAD = 7 };

static kst_buffer stream[STREAMS];
static kst_resize_options options[STREAMS];
static kst_decode_options decode;

/* JPEG of both kinds, and JPEG 2000; sizes that are odd and large enough for boxes to leave most out. */
static kst_buffer make_stream(uint32_t index)
{
    kst_encode_options encode;
    kst_encode_options_init(&encode);
    if (index % 4 == 1)
        encode.coding = KST_CODING_PROGRESSIVE;
    if (index % 4 == 2)
        encode.codec = KST_CODEC_JPEG2000;
    return encode_noise(60 + next_random() % 200, 50 + next_random() % 200, &encode);
}

static void choose_options(uint32_t index, const kst_buffer *file, kst_resize_options *o)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(cpu_context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, file->data, file->length), KST_OK);
    uint32_t width = kst_decoder_info(decoder)->width, height = kst_decoder_info(decoder)->height;
    kst_decoder_destroy(&decoder);
    kst_resize_options_init(o);
    o->width = o->height = SIDE;
    o->filter = (kst_resize_filter)(next_random() % 5);
    o->fit = index % 5 == 0 ? KST_RESIZE_COVER : KST_RESIZE_EXACT;
    o->mirror = next_random() % 2;
    if (index % 3 == 0)
        return;
    o->box.left = next_random() % (width / 2) + 0.25;
    o->box.top = next_random() % (height / 2);
    o->box.right = o->box.left + width * 0.25;
    o->box.bottom = o->box.top + height * 0.375;
}

static int start(void **state)
{
    start_contexts(state);
    kst_decode_options_init(&decode);
    decode.format = KST_FORMAT_RGB;
    for (uint32_t i = 0; i < STREAMS; i++) {
        stream[i] = make_stream(i);
        choose_options(i, &stream[i], &options[i]);
    }
    memset((uint8_t *)stream[BAD].data, 0, 4);
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < STREAMS; i++)
        kst_buffer_release(cpu_context, &stream[i]);
    return stop_contexts(state);
}

/* What one call after the other makes. */
static void make_wanted(uint32_t index, kst_image *wanted)
{
    kst_image whole;
    kst_image_init(&whole);
    kst_image_init(wanted);
    assert_int_equal(kst_decode(cpu_context, stream[index].data, stream[index].length, &decode, &whole, NULL), KST_OK);
    assert_int_equal(kst_resize(cpu_context, &whole, &options[index], wanted), KST_OK);
    kst_image_release(cpu_context, &whole);
}

static void fill_items(kst_decode_item *item, kst_image *image)
{
    for (uint32_t i = 0; i < STREAMS; i++)
        item[i] = (kst_decode_item){
            .data = stream[i].data, .length = stream[i].length, .options = &decode, .image = &image[i]};
}

static void check_items(kst_context *context, const kst_decode_item *item, const char *what)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_image wanted;
        char text[64];
        snprintf(text, sizeof text, "%s, stream %u", what, (unsigned)i);
        assert_int_equal(!item[i].report.status, i != BAD);
        if (i == BAD)
            continue;
        make_wanted(i, &wanted);
        expect_same_image(text, context, &wanted, item[i].image);
        assert_int_not_equal(item[i].report.stage_device[KST_STAGE_RESIZE], KST_DEVICE_NONE);
        kst_image_release(cpu_context, &wanted);
    }
}

/* Images are made in the memory that is asked for. */
static void run_made(kst_context *context, kst_memory memory, const char *what)
{
    kst_decode_item item[STREAMS];
    kst_image image[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++) {
        kst_image_init(&image[i]);
        image[i].memory = memory;
    }
    fill_items(item, image);
    assert_int_not_equal(kst_decode_resized(context, item, options, STREAMS, NULL), KST_OK);
    check_items(context, item, what);
    assert_null(image[BAD].plane[0].data);
    for (uint32_t i = 0; i < STREAMS; i++)
        kst_image_release(context, &image[i]);
}

static void set_numbers(kst_sample sample)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        options[i].sample = sample;
        options[i].format = KST_FORMAT_PLANAR;
        for (int c = 0; c < 3; c++) {
            options[i].mean[c] = 120.0F + (float)c;
            options[i].scale[c] = 0.017F;
        }
    }
}

/* A batch of planes of one memory. */
static void run_tensor(kst_context *context, kst_memory memory, kst_sample sample, const char *what)
{
    kst_tensor tensor;
    kst_decode_item item[STREAMS];
    kst_image image[STREAMS], block;
    uint32_t bytes = sample == KST_SAMPLE_FLOAT32 ? 4 : sample == KST_SAMPLE_FLOAT16 ? 2 : 1;
    set_numbers(sample);
    kst_image_init(&block);
    block.format = KST_FORMAT_GREY;
    block.memory = memory;
    block.width = SIDE * SIDE * 3 * bytes;
    block.height = STREAMS;
    block.plane_count = 1;
    block.plane[0] = (kst_plane){.width = block.width, .height = STREAMS, .depth = 8};
    assert_int_equal(kst_image_allocate(context, &block), KST_OK);
    kst_tensor_init(&tensor);
    tensor.data = block.plane[0].data;
    tensor.offset = block.plane[0].offset;
    tensor.memory = memory;
    tensor.format = KST_FORMAT_PLANAR;
    tensor.sample = sample;
    tensor.count = STREAMS;
    tensor.channels = 3;
    tensor.width = tensor.height = SIDE;
    tensor.picture_step = (size_t)block.plane[0].pitch;
    for (uint32_t i = 0; i < STREAMS; i++)
        assert_int_equal(kst_tensor_image(&tensor, i, &image[i]), KST_OK);
    fill_items(item, image);
    assert_int_not_equal(kst_decode_resized(context, item, options, STREAMS, NULL), KST_OK);
    check_items(context, item, what);
    kst_image_release(context, &block);
}

static void test_cpu(void **state)
{
    (void)state;
    run_made(cpu_context, KST_MEMORY_HOST, "CPU");
    run_tensor(cpu_context, KST_MEMORY_HOST, KST_SAMPLE_INTEGER, "CPU, bytes");
    run_tensor(cpu_context, KST_MEMORY_HOST, KST_SAMPLE_FLOAT16, "CPU, float16");
}

static void test_devices(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_memory device = device_memory(gpu_context[k]);
        for (uint32_t i = 0; i < STREAMS; i++) {
            options[i].sample = KST_SAMPLE_INTEGER;
            options[i].format = KST_FORMAT_AUTO;
        }
        run_made(gpu_context[k], device, "device");
        run_made(gpu_context[k], KST_MEMORY_HOST, "device to the host");
        run_tensor(gpu_context[k], device, KST_SAMPLE_INTEGER, "bytes");
        run_tensor(gpu_context[k], device, KST_SAMPLE_FLOAT16, "float16");
        run_tensor(gpu_context[k], device, KST_SAMPLE_FLOAT32, "float32");
    }
}

static void test_refusals(void **state)
{
    kst_decode_item item[STREAMS];
    kst_image image[STREAMS];
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++)
        kst_image_init(&image[i]);
    fill_items(item, image);
    assert_int_equal(kst_decode_resized(NULL, item, options, STREAMS, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_resized(cpu_context, item, NULL, STREAMS, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_decode_resized(cpu_context, NULL, NULL, 0, NULL), KST_OK);
    kst_stream none = {.kind = KST_DEVICE_CPU};
    assert_int_equal(kst_decode_resized(cpu_context, item, options, 1, &none), KST_ERROR_DEVICE_STREAM);
    item[0].image = NULL;
    assert_int_equal(kst_decode_resized(cpu_context, item, options, 1, NULL), KST_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu), cmocka_unit_test(test_devices), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, start, stop);
}
