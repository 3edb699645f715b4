/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that pictures in device memory and pinned memory get the same samples as in host memory, and that nothing
 * beside them is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/pinned.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

/* Into an image that the library makes, all of it on the device but for the scans of a progressive picture. */
static void check_made(
    kst_context *context, const kst_buffer *stream, const kst_decode_options *options, kst_memory memory)
{
    kst_image wanted, found;
    kst_report report;
    kst_image_init(&wanted);
    kst_image_init(&found);
    kst_report_init(&report);
    found.memory = memory;
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, options, &wanted, NULL), KST_OK);
    kst_status status = kst_decode(context, stream->data, stream->length, options, &found, &report);
    if (status)
        fail_msg("format %d: %s", (int)options->format, report.message);
    assert_int_equal(found.memory, memory);
    assert_int_equal(report.stage_device[KST_STAGE_PIXELS] == KST_DEVICE_CPU, context == cpu_context);
    char name[40];
    snprintf(name, sizeof name, "format %d, memory %d", (int)options->format, (int)memory);
    expect_same_image(name, context, &wanted, &found);
    kst_image_release(context, &found);
    assert_null(found.plane[0].data);
    kst_image_release(cpu_context, &wanted);
}

static void test_made(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {65, 33}, {128, 64}, {203, 150}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t kind = 0; kind < 4; kind++) {
            kst_encode_options options;
            kst_encode_options_init(&options);
            options.subsampling = kind == 0 ? KST_SUBSAMPLING_420 : KST_SUBSAMPLING_444;
            options.coding = kind == 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            options.colour = kind == 3 ? KST_COLOUR_RGB : KST_COLOUR_UNKNOWN;
            kst_buffer stream = encode_noise(sizes[s][0], sizes[s][1], &options);
            for (uint32_t g = 0; g < gpu_contexts; g++)
                for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_RAW; format++) {
                    kst_decode_options decoding;
                    kst_decode_options_init(&decoding);
                    decoding.format = format;
                    if (format == KST_FORMAT_CMYK)
                        continue;
                    check_made(gpu_context[g], &stream, &decoding, device_memory(gpu_context[g]));
                    check_made(gpu_context[g], &stream, &decoding, KST_MEMORY_PINNED);
                }
            kst_buffer_release(cpu_context, &stream);
        }
}

static kst_image describe(const kst_buffer *stream, const kst_decode_options *options)
{
    kst_decoder *decoder;
    kst_image image;
    assert_int_equal(kst_decoder_create(cpu_context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    assert_int_equal(kst_decoder_describe(decoder, options, &image), KST_OK);
    kst_decoder_destroy(&decoder);
    return image;
}

/* Memory of the caller's with a picture somewhere in it. */
struct place {
    size_t first;   /* bytes in front of it */
    size_t padding; /* bytes behind each row */
};

/* Put the planes into a buffer. Returns its length, with some bytes behind the last row. */
static size_t arrange(kst_image *image, struct place place, kst_memory memory, void *data)
{
    size_t at = place.first;
    image->memory = memory;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        plane->pitch += (ptrdiff_t)place.padding;
        plane->data = memory == KST_MEMORY_OPENCL ? data : (uint8_t *)data + at;
        plane->offset = memory == KST_MEMORY_OPENCL ? at : 0;
        at += (size_t)plane->pitch * plane->height;
    }
    return at + 5;
}

/* Decode into poisoned memory of the caller's; every byte of it must be as on the CPU. */
static void check_place(
    kst_context *context, const kst_buffer *stream, const kst_decode_options *options, struct place place)
{
    struct gpu_runtime *runtime = kst_context_gpu_if_open(context);
    const struct gpu_backend *backend = runtime->gpu->backend;
    kst_image image = describe(stream, options), wanted = image;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer memory;
    uint8_t *host = malloc(arrange(&wanted, place, KST_MEMORY_HOST, NULL));
    wanted = image;
    size_t length = arrange(&wanted, place, KST_MEMORY_HOST, host);
    memset(host, 0xA5, length);
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, options, &wanted, NULL), KST_OK);

    kst_report report;
    kst_report_init(&report);
    struct gpu_track *track = kst_gpu_track_take(runtime, &error);
    assert_true(backend->allocate(runtime->gpu, GPU_DEVICE, (length + 3) / 4 * 4, &memory, &error));
    backend->fill(&track->queue, &memory, 0, memory.length, 0xA5A5A5A5);
    backend->finish(&track->queue);
    arrange(&image, place, device_memory(context), (void *)memory.handle);
    kst_status status = kst_decode(context, stream->data, stream->length, options, &image, &report);
    if (status)
        fail_msg("%s", report.message);
    uint8_t *found = malloc(memory.length);
    struct gpu_buffer back = kst_gpu_host(found, memory.length);
    backend->copy(&track->queue, &back, 0, &memory, 0, memory.length);
    backend->finish(&track->queue);
    for (size_t i = 0; i < length; i++)
        if (found[i] != host[i])
            fail_msg("format %d, %zu in front, %zu behind rows: byte %zu is %u, not %u", (int)options->format,
                place.first, place.padding, i, found[i], host[i]);
    free(found);
    free(host);
    backend->release(runtime->gpu, &memory);
    kst_gpu_track_give(runtime, track);
}

static void test_places(void **state)
{
    (void)state;
    static const struct place places[] = {{0, 0}, {64, 4}, {4, 12}, {1, 0}, {2, 3}, {0, 5}};
    static const uint32_t sizes[][2] = {{96, 40}, {77, 21}, {1, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        kst_encode_options encoding;
        kst_encode_options_init(&encoding);
        kst_buffer stream = encode_noise(sizes[s][0], sizes[s][1], &encoding);
        for (uint32_t g = 0; g < gpu_contexts; g++)
            for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_RAW; format++)
                for (size_t p = 0; p < sizeof places / sizeof places[0] && format != KST_FORMAT_CMYK; p++) {
                    kst_decode_options options;
                    kst_decode_options_init(&options);
                    options.format = format;
                    check_place(gpu_context[g], &stream, &options, places[p]);
                    if (s == 0) {
                        options.region = (kst_region){5, 3, 64, 20};
                        check_place(gpu_context[g], &stream, &options, places[p]);
                    }
                }
        kst_buffer_release(cpu_context, &stream);
    }
}

/* A picture that is stored with an Exif orientation. */
static kst_buffer encode_turned(uint32_t width, uint32_t height, int orientation, kst_encode_options *options)
{
    const uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0,
        (uint8_t)orientation, 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata = {.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = sizeof exif};
    options->metadata = &metadata;
    options->metadata_count = 1;
    return encode_noise(width, height, options);
}

/* All orientations, on the device: to every format, anywhere in its memory, and to the host's. */
static void test_turned(void **state)
{
    (void)state;
    static const struct place places[] = {{0, 0}, {4, 12}, {1, 3}};
    static const uint32_t sizes[][2] = {{96, 40}, {45, 67}, {1, 5}};
    for (int orientation = 1; orientation <= 8; orientation++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            kst_encode_options encoding;
            kst_decode_options options;
            kst_encode_options_init(&encoding);
            kst_decode_options_init(&options);
            encoding.coding = s == 1 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            options.orient = true;
            kst_buffer stream = encode_turned(sizes[s][0], sizes[s][1], orientation, &encoding);
            for (uint32_t g = 0; g < gpu_contexts; g++)
                for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_PLANAR; format++) {
                    options.format = format;
                    options.region = (kst_region){0};
                    if (format == KST_FORMAT_CMYK)
                        continue;
                    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
                        check_place(gpu_context[g], &stream, &options, places[p]);
                    check_made(gpu_context[g], &stream, &options, KST_MEMORY_HOST);
                    check_made(gpu_context[g], &stream, &options, KST_MEMORY_PINNED);
                    options.region = s == 0 ? (kst_region){5, 3, 64, 20} : (kst_region){0, 1, 1, 4};
                    check_made(gpu_context[g], &stream, &options, device_memory(gpu_context[g]));
                }
            kst_buffer_release(cpu_context, &stream);
        }
}

/* Pictures of all orientations at once, to host and device memory by turns. */
static void test_turned_batch(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_buffer stream[COUNT];
        kst_decode_options options[COUNT];
        kst_image image[COUNT];
        kst_decode_item item[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            kst_encode_options encoding;
            kst_encode_options_init(&encoding);
            kst_decode_options_init(&options[i]);
            kst_image_init(&image[i]);
            options[i].orient = i % 5 != 4;
            options[i].format = (kst_format)(KST_FORMAT_RGB + i % 4);
            image[i].memory = i % 3 ? device_memory(gpu_context[g]) : KST_MEMORY_HOST;
            stream[i] = encode_turned(30 + 7 * i, 150 - 5 * i, 1 + (int)i % 8, &encoding);
            item[i] = (kst_decode_item){
                .data = stream[i].data, .length = stream[i].length, .options = &options[i], .image = &image[i]};
        }
        assert_int_equal(kst_decode_batch(gpu_context[g], item, COUNT), KST_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            kst_image wanted;
            kst_image_init(&wanted);
            assert_int_equal(
                kst_decode(cpu_context, stream[i].data, stream[i].length, &options[i], &wanted, NULL), KST_OK);
            expect_same_image("turned, in a batch", gpu_context[g], &wanted, &image[i]);
            assert_int_not_equal(item[i].report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[g], &image[i]);
            kst_buffer_release(cpu_context, &stream[i]);
        }
    }
}

/* Turned, reduced, and both ways through the encoder. */
static void test_other_work(void **state)
{
    (void)state;
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    kst_buffer stream = encode_turned(90, 60, 6, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t reduce = 0; reduce < 4; reduce++) {
            kst_decode_options options;
            kst_image wanted, found;
            kst_decode_options_init(&options);
            options.orient = true;
            options.reduce = reduce;
            kst_image_init(&wanted);
            kst_image_init(&found);
            found.memory = device_memory(gpu_context[g]);
            assert_int_equal(kst_decode(cpu_context, stream.data, stream.length, &options, &wanted, NULL), KST_OK);
            assert_int_equal(kst_decode(gpu_context[g], stream.data, stream.length, &options, &found, NULL), KST_OK);
            assert_true(found.width < found.height);
            expect_same_image("turned", gpu_context[g], &wanted, &found);
            kst_buffer a = {.data = NULL}, b = {.data = NULL};
            assert_int_equal(kst_encode(cpu_context, &wanted, NULL, &a, NULL), KST_OK);
            assert_int_equal(kst_encode(gpu_context[g], &found, NULL, &b, NULL), KST_OK);
            assert_int_equal(a.length, b.length);
            assert_memory_equal(a.data, b.data, a.length);
            kst_buffer_release(cpu_context, &a);
            kst_buffer_release(gpu_context[g], &b);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[g], &found);
        }
    kst_buffer_release(cpu_context, &stream);
}

static void expect_refused(kst_context *context, const kst_buffer *stream, const kst_image *image, kst_status wanted)
{
    kst_report report;
    kst_image copy = *image;
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, stream->data, stream->length, NULL, &copy, &report), wanted);
    assert_int_equal(report.status, wanted);
    assert_int_equal(report.message[0] == 0, !wanted);
}

static void test_misuse(void **state)
{
    (void)state;
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    kst_buffer stream = encode_noise(64, 64, &encoding);
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = gpu_context[g];
        kst_memory own = device_memory(context);
        kst_image image, wrong;
        kst_image_init(&image);
        image.format = KST_FORMAT_RGB;
        image.width = image.height = 64;
        image.memory = own == KST_MEMORY_CUDA ? KST_MEMORY_OPENCL : KST_MEMORY_CUDA;
        assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_IMAGE_MEMORY);
        image.memory = (kst_memory)9;
        assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_IMAGE_MEMORY);
        image.memory = own;
        assert_int_equal(kst_image_allocate(cpu_context, &image), KST_ERROR_IMAGE_MEMORY);
        assert_int_equal(kst_image_allocate(context, &image), KST_OK);
        assert_int_equal(kst_image_allocate(context, &image), KST_ERROR_ARGUMENT);
        expect_refused(cpu_context, &stream, &image, KST_ERROR_IMAGE_MEMORY);
        wrong = image;
        wrong.memory = own == KST_MEMORY_CUDA ? KST_MEMORY_OPENCL : KST_MEMORY_CUDA;
        expect_refused(context, &stream, &wrong, KST_ERROR_IMAGE_MEMORY);
        wrong = image;
        wrong.plane[0].pitch = -wrong.plane[0].pitch;
        expect_refused(context, &stream, &wrong, KST_ERROR_IMAGE_PITCH);
        wrong = image;
        wrong.plane[0].pitch = (ptrdiff_t)1 << 31;
        expect_refused(context, &stream, &wrong, KST_ERROR_IMAGE_PITCH);
        wrong = image;
        wrong.plane[0].pitch = 100000;
        expect_refused(context, &stream, &wrong, KST_ERROR_IMAGE_BUFFER);
        wrong = image;
        wrong.width = wrong.plane[0].width = 63;
        expect_refused(context, &stream, &wrong, KST_ERROR_IMAGE_SIZE);
        uint8_t plain[64 * 64 * 3];
        assert_int_equal(kst_image_wrap(&wrong, KST_FORMAT_RGB, 64, 64, plain, 0), KST_OK);
        wrong.memory = KST_MEMORY_PINNED; /* which OpenCL cannot tell */
        expect_refused(context, &stream, &wrong, own == KST_MEMORY_CUDA ? KST_ERROR_IMAGE_MEMORY : KST_OK);
        kst_buffer none = {.data = NULL};
        assert_int_equal(kst_encode(cpu_context, &image, NULL, &none, NULL), KST_ERROR_IMAGE_MEMORY);
        kst_image_release(context, &image);
    }
    kst_buffer_release(cpu_context, &stream);
}

static void test_pinned(void **state)
{
    (void)state;
    kst_encode_options encoding;
    kst_encode_options_init(&encoding);
    kst_buffer stream = encode_noise(200, 120, &encoding);
    void *memory = &stream;
    assert_int_equal(kst_pinned_allocate(NULL, 1, &memory), KST_ERROR_ARGUMENT);
    assert_null(memory);
    assert_int_equal(kst_pinned_allocate(cpu_context, 0, &memory), KST_ERROR_ARGUMENT);
    for (uint32_t g = 0; g <= gpu_contexts; g++) {
        kst_context *context = g < gpu_contexts ? gpu_context[g] : cpu_context;
        assert_int_equal(kst_pinned_allocate(context, stream.length + 3, &memory), KST_OK);
        assert_true((uintptr_t)memory % 64 == 0);
        memcpy((uint8_t *)memory + 3, stream.data, stream.length);
        assert_true(g == gpu_contexts ||
                    kst_gpu_is_pinned(kst_context_gpu_if_open(context), (uint8_t *)memory + 3, stream.length));
        const kst_buffer pinned = {.data = (uint8_t *)memory + 3, .length = stream.length};
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RGB;
        check_made(context, &pinned, &options, KST_MEMORY_PINNED);
        options.format = KST_FORMAT_BGRA;
        if (g < gpu_contexts)
            check_made(context, &pinned, &options, device_memory(context));
        kst_pinned_release(context, memory);
        kst_pinned_release(context, NULL);
    }
    kst_buffer_release(cpu_context, &stream);
}

/* Damage in pinned data that are long enough to be on their way while they are read. */
static void spoil(uint8_t *data, size_t *length, uint32_t kind)
{
    size_t middle = *length / 2;
    if (kind == 1)
        memset(data + middle, 0x5A, 9);
    else if (kind == 2)
        memcpy(data + middle, "\xFF\xD3", 2);
    else if (kind == 3)
        *length = middle;
    else if (kind == 4)
        memcpy(data + middle, "\xFF\xD9", 2);
    else if (kind == 5)
        memcpy(data + 2, "\xFF\xE5\x7F\xFF", 4); /* headers whose references are invalid */
    else if (kind == 11)
        memcpy(data, "BM", 2); /* no SOI, and headers as if there were one */
    else if (kind == 12) {
        memmove(data + 16, data + 20, *length - 20); /* fill bytes and SOI in the place of SOI and APP0 */
        memset(data, 0xFF, 15);
        data[15] = 0xD8;
        *length -= 4;
    }
}

static void test_early(void **state)
{
    (void)state;
    static const kst_scan script[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    for (uint32_t kind = 0; kind < 13; kind++) {
        kst_encode_options encoding;
        kst_encode_options_init(&encoding);
        encoding.script = kind == 9 || kind == 10 ? script : NULL;
        encoding.script_length = encoding.script ? 3 : 0;
        encoding.quality = 95;
        encoding.coding = kind == 6 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        encoding.restart = (kst_restart){kind == 7 ? KST_RESTART_MCUS : KST_RESTART_NONE, 5};
        kst_buffer stream = encode_noise(400, 300, &encoding);
        assert_true(stream.length > 70000);
        for (uint32_t g = 0; g < gpu_contexts; g++) {
            kst_image wanted, found;
            kst_report report, wanted_report;
            void *memory;
            size_t length = stream.length;
            kst_image_init(&wanted);
            kst_image_init(&found);
            kst_report_init(&report);
            kst_report_init(&wanted_report);
            found.memory = device_memory(gpu_context[g]);
            assert_int_equal(kst_pinned_allocate(gpu_context[g], length + 1, &memory), KST_OK);
            uint8_t *data = (uint8_t *)memory + kind % 2;
            memcpy(data, stream.data, length);
            spoil(data, &length, kind);
            kst_status status = kst_decode(cpu_context, data, length, NULL, &wanted, &wanted_report);
            assert_int_equal(kst_decode(gpu_context[g], data, length, NULL, &found, &report), status);
            assert_string_equal(report.message, wanted_report.message);
            assert_int_equal(report.warnings, wanted_report.warnings);
            if (!status)
                expect_same_image("early", gpu_context[g], &wanted, &found);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[g], &found);
            kst_pinned_release(gpu_context[g], memory);
        }
        kst_buffer_release(cpu_context, &stream);
    }
}

/* A copy in the device's memory is the image; what lies there, or cannot be copied, is only described. */
static void check_upload(kst_context *context)
{
    kst_image image, there, again;
    kst_buffer stream = encode_noise(67, 45, NULL);
    kst_image_init(&image);
    assert_int_equal(kst_decode(cpu_context, stream.data, stream.length, NULL, &image, NULL), KST_OK);
    assert_int_equal(kst_context_memory(context), device_memory(context));
    assert_int_equal(kst_image_upload(context, &image, &there), KST_OK);
    assert_int_equal(there.memory, device_memory(context));
    expect_same_image("uploaded", context, &image, &there);
    assert_int_equal(kst_image_upload(context, &there, &again), KST_OK);
    assert_ptr_equal(again.plane[0].data, there.plane[0].data);
    assert_null(again.owned);
    kst_image_release(context, &again);
    kst_image_release(context, &there);
    kst_context *small = small_context_create(context, 1000);
    assert_int_equal(kst_image_upload(small, &image, &there), KST_ERROR_LIMIT_MEMORY);
    assert_null(there.owned);
    kst_context_destroy(&small);
    kst_image_release(cpu_context, &image);
    kst_buffer_release(cpu_context, &stream);
}

static void test_upload(void **state)
{
    uint8_t pixels[4 * 3 * 3];
    kst_image image, there;
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_upload(gpu_context[g]);
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 4, 3, pixels, 0), KST_OK);
    assert_int_equal(kst_context_memory(cpu_context), KST_MEMORY_HOST);
    assert_int_equal(kst_context_memory(NULL), KST_MEMORY_HOST);
    assert_int_equal(kst_image_upload(cpu_context, &image, &there), KST_OK);
    assert_ptr_equal(there.plane[0].data, pixels);
    assert_null(there.owned);
    assert_int_equal(kst_image_upload(NULL, &image, &there), KST_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_upload), cmocka_unit_test(test_made),
        cmocka_unit_test(test_places), cmocka_unit_test(test_turned), cmocka_unit_test(test_turned_batch),
        cmocka_unit_test(test_other_work), cmocka_unit_test(test_misuse), cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_early)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
