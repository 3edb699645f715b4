/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches in one tensor of integers or floating-point samples: every byte of its memory as the CPU leaves it. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/test.h"

enum { PICTURES = 3, BEHIND = 16, POISON = 0xA5 };

/* The gaps between rows, planes and pictures, in samples. */
struct layout {
    size_t front, row, plane, picture;
};

static size_t sample_bytes(kst_sample sample)
{
    return sample == KST_SAMPLE_INTEGER ? 1 : sample == KST_SAMPLE_FLOAT16 ? 2 : 4;
}

/* Fills in the steps; the bytes that it takes in all. */
static size_t lay_out(kst_tensor *tensor, const struct layout *gaps)
{
    size_t bytes = sample_bytes(tensor->sample);
    bool planar = tensor->format == KST_FORMAT_PLANAR;
    uint32_t channels = planar ? tensor->channels : kst_format_channels(tensor->format);
    tensor->pitch = (tensor->width * (planar ? 1 : channels) + gaps->row) * bytes;
    tensor->plane_step = planar ? tensor->pitch * tensor->height + gaps->plane * bytes : 0;
    tensor->picture_step =
        (planar ? tensor->plane_step * channels : tensor->pitch * tensor->height) + gaps->picture * bytes;
    return gaps->front * bytes + tensor->picture_step * PICTURES + BEHIND;
}

static void place(kst_tensor *tensor, kst_memory memory, uintptr_t data, size_t front)
{
    tensor->memory = memory;
    tensor->data = (void *)(memory == KST_MEMORY_OPENCL ? data : data + front);
    tensor->offset = memory == KST_MEMORY_OPENCL ? front : 0;
}

/* The status of each picture is as wanted, whatever became of the others. */
static void decode(kst_context *context, const kst_tensor *tensor, const kst_buffer *streams,
    const kst_decode_options *options, const kst_status *wanted)
{
    kst_image image[PICTURES];
    kst_decode_item item[PICTURES];
    for (uint32_t i = 0; i < PICTURES; i++) {
        assert_int_equal(kst_tensor_image(tensor, i, &image[i]), KST_OK);
        item[i] = (kst_decode_item){
            .data = streams[i].data, .length = streams[i].length, .options = options, .image = &image[i]};
    }
    kst_decode_batch(context, item, PICTURES);
    for (uint32_t i = 0; i < PICTURES; i++)
        if (item[i].report.status != wanted[i])
            fail_msg("picture %u: %s, %s", i, kst_status_name(item[i].report.status), item[i].report.message);
}

static void check(kst_context *context, const kst_tensor *wanted, const struct layout *gaps, const kst_buffer *streams,
    const kst_decode_options *options, const kst_status *status)
{
    const struct gpu_backend *backend = kst_context_gpu_if_open(context)->gpu->backend;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer memory;
    kst_tensor host = *wanted, device = *wanted;
    size_t length = lay_out(&host, gaps), front = gaps->front * sample_bytes(wanted->sample);
    uint8_t *expected = malloc(length), *found = malloc(length + 3);
    memset(expected, POISON, length);
    place(&host, KST_MEMORY_HOST, (uintptr_t)expected, front);
    decode(cpu_context, &host, streams, options, status);

    struct gpu_track *track = kst_gpu_track_take(kst_context_gpu_if_open(context), &error);
    assert_true(
        backend->allocate(kst_context_gpu_if_open(context)->gpu, GPU_DEVICE, (length + 3) / 4 * 4, &memory, &error));
    backend->fill(&track->queue, &memory, 0, memory.length, POISON * 0x01010101U);
    backend->finish(&track->queue);
    lay_out(&device, gaps);
    place(&device, device_memory(context), memory.handle, front);
    decode(context, &device, streams, options, status);
    struct gpu_buffer back = kst_gpu_host(found, memory.length);
    backend->copy(&track->queue, &back, 0, &memory, 0, memory.length);
    backend->finish(&track->queue);
    for (size_t i = 0; i < length; i++)
        if (found[i] != expected[i])
            fail_msg("format %d, sample %d, %ux%u, front %zu: byte %zu is %u, not %u", (int)wanted->format,
                (int)wanted->sample, wanted->width, wanted->height, gaps->front, i, found[i], expected[i]);

    memset(found, POISON, length); /* and through pinned memory */
    place(&device, KST_MEMORY_HOST, (uintptr_t)found, front);
    decode(context, &device, streams, options, status);
    assert_memory_equal(found, expected, length);
    free(found);
    free(expected);
    backend->release(kst_context_gpu_if_open(context)->gpu, &memory);
    kst_gpu_track_give(kst_context_gpu_if_open(context), track);
}

static const struct layout layouts[] = {{0, 0, 0, 0}, {8, 4, 8, 12}, {2, 1, 3, 5}};

/* JPEG 2000 has no grey of colours. */
static void check_tensors(
    kst_context *context, const kst_buffer *streams, kst_codec codec, uint32_t width, uint32_t height)
{
    static const kst_status fine[PICTURES] = {KST_OK, KST_OK, KST_OK};
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGRA, KST_FORMAT_PLANAR};
    for (size_t f = codec == KST_CODEC_JPEG2000; f < sizeof formats / sizeof formats[0]; f++)
        for (kst_sample sample = KST_SAMPLE_INTEGER; sample <= KST_SAMPLE_FLOAT32; sample++)
            for (size_t l = sample == KST_SAMPLE_INTEGER ? 2 : 0; l < sizeof layouts / sizeof layouts[0]; l++) {
                kst_format format = formats[f];
                kst_tensor tensor;
                kst_decode_options options;
                kst_tensor_init(&tensor);
                kst_decode_options_init(&options);
                tensor.format = options.format = format;
                tensor.sample = options.sample = sample;
                tensor.count = PICTURES;
                tensor.channels = format == KST_FORMAT_PLANAR ? 3 : 0;
                tensor.width = width;
                tensor.height = height;
                const float mean[4] = {123.675F, 116.28F, 103.53F, 0.1F}, scale[4] = {0.01712475F, -3.5F, 0, 1000};
                if (l > 0) {
                    memcpy(options.mean, mean, sizeof mean);
                    memcpy(options.scale, scale, sizeof scale);
                }
                check(context, &tensor, &layouts[l], streams, &options, fine);
            }
}

static void test_tensors(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{260, 18}, {77, 21}, {1, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        kst_encode_options encoding;
        kst_buffer streams[PICTURES];
        kst_encode_options_init(&encoding);
        for (uint32_t i = 0; i < PICTURES; i++) {
            static const kst_subsampling samplings[] = {KST_SUBSAMPLING_420, KST_SUBSAMPLING_411, KST_SUBSAMPLING_444};
            encoding.subsampling = samplings[i];
            encoding.coding = i == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            streams[i] = encode_noise(sizes[s][0], sizes[s][1], &encoding);
        }
        for (uint32_t g = 0; g < gpu_contexts; g++)
            check_tensors(gpu_context[g], streams, KST_CODEC_JPEG, sizes[s][0], sizes[s][1]);
        for (uint32_t i = 0; i < PICTURES; i++)
            kst_buffer_release(cpu_context, &streams[i]);
    }
}

static void test_tensors_of_jpeg2000(void **state)
{
    (void)state;
    kst_buffer streams[PICTURES];
    kst_encode_options encoding = j2k_coding(NULL);
    for (uint32_t i = 0; i < PICTURES; i++)
        streams[i] = encode_noise(77, 21, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_tensors(gpu_context[g], streams, KST_CODEC_JPEG2000, 77, 21);
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_buffer_release(cpu_context, &streams[i]);
}

/* A picture of another size and an invalid one are reported, and only their places are not written. */
static void test_misfits(void **state)
{
    (void)state;
    static const kst_status wanted[PICTURES] = {KST_ERROR_IMAGE_SIZE, KST_OK, KST_ERROR_JPEG_SOI};
    kst_encode_options encoding;
    kst_decode_options options;
    kst_tensor tensor;
    uint8_t text[] = "no picture";
    kst_encode_options_init(&encoding);
    kst_decode_options_init(&options);
    kst_tensor_init(&tensor);
    options.format = tensor.format = KST_FORMAT_PLANAR;
    options.sample = tensor.sample = KST_SAMPLE_FLOAT16;
    tensor.channels = 3;
    tensor.count = PICTURES;
    tensor.width = 40;
    tensor.height = 30;
    kst_buffer streams[PICTURES] = {
        encode_noise(41, 30, &encoding), encode_noise(40, 30, &encoding), {.data = text, .length = sizeof text}};
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check(gpu_context[g], &tensor, &layouts[0], streams, &options, wanted);
    kst_buffer_release(cpu_context, &streams[0]);
    kst_buffer_release(cpu_context, &streams[1]);
}

/* Regions, reduced and turned; images that the library makes. */
static void test_made(void **state)
{
    (void)state;
    static const uint8_t exif[] = {
        'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata = {.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = sizeof exif};
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    encoding.metadata = &metadata;
    encoding.metadata_count = 1;
    kst_buffer stream = encode_noise(150, 90, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t kind = 0; kind < 16; kind++) {
            kst_decode_options options;
            kst_image wanted, found, host;
            kst_decode_options_init(&options);
            options.format = kind % 2 ? KST_FORMAT_PLANAR : KST_FORMAT_RGBA;
            options.sample = kind & 2 ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_FLOAT16;
            options.orient = kind & 4;
            options.reduce = kind & 8 ? 1 : 0;
            options.region = kind & 8 ? (kst_region){3, 5, 37, 22} : (kst_region){0};
            kst_image_init(&wanted);
            kst_image_init(&found);
            found.memory = device_memory(gpu_context[g]);
            assert_int_equal(kst_decode(cpu_context, stream.data, stream.length, &options, &wanted, NULL), KST_OK);
            assert_int_equal(kst_decode(gpu_context[g], stream.data, stream.length, &options, &found, NULL), KST_OK);
            host = wanted;
            host.owned = NULL;
            assert_int_equal(kst_image_allocate(cpu_context, &host), KST_OK);
            assert_int_equal(kst_image_copy(gpu_context[g], &found, &host), KST_OK);
            size_t row = wanted.width * sample_bytes(options.sample) * (kind % 2 ? 1 : 4);
            for (uint32_t p = 0; p < wanted.plane_count; p++)
                for (uint32_t y = 0; y < wanted.height; y++)
                    assert_memory_equal((uint8_t *)wanted.plane[p].data + (ptrdiff_t)y * wanted.plane[p].pitch,
                        (uint8_t *)host.plane[p].data + (ptrdiff_t)y * host.plane[p].pitch, row);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(cpu_context, &host);
            kst_image_release(gpu_context[g], &found);
        }
    kst_buffer_release(cpu_context, &stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tensors), cmocka_unit_test(test_tensors_of_jpeg2000),
        cmocka_unit_test(test_misfits), cmocka_unit_test(test_made)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
