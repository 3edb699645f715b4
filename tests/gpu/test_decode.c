/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever a stream holds, a context on a GPU gives what one on the CPU gives: status, warnings, pixels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/corpus.h"
#include "support/outcome.h"
#include "support/test.h"

enum { MOST = 8 };

static kst_context *cpu, *gpu[MOST];
static uint32_t gpu_count;
static uint64_t on_gpu, on_cpu;

static int start(void **state)
{
    const kst_limits limits = {.pixels = 1 << 21}; /* files of the corpus announce more and hold next to nothing */
    (void)state;
    cpu = context_create("cpu", 1, &limits);
    for (uint32_t i = 1; i < kst_device_count() && gpu_count < MOST; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_device_get(i, &info), KST_OK);
        gpu[gpu_count++] = context_create(info.name, 1, &limits);
    }
    if (gpu_count > 0)
        return 0;
    puts("no OpenCL or CUDA device");
    exit(77);
}

static int stop(void **state)
{
    (void)state;
    while (gpu_count > 0)
        kst_context_destroy(&gpu[--gpu_count]);
    kst_context_destroy(&cpu);
    return 0;
}

static void expect_same(const char *name, const struct outcome *wanted, const struct outcome *found)
{
    if (wanted->status != found->status || wanted->first_warning != found->first_warning ||
        wanted->offset != found->offset || wanted->first_warning_offset != found->first_warning_offset ||
        wanted->warnings != found->warnings || wanted->pixels != found->pixels ||
        strcmp(wanted->message, found->message) != 0)
        fail_msg("%s: '%s' with %u warnings, not '%s' with %u%s", name, found->message, (unsigned)found->warnings,
            wanted->message, (unsigned)wanted->warnings, wanted->pixels == found->pixels ? "" : ", and other pixels");
}

static void compare(const char *name, const uint8_t *data, size_t length, const kst_decode_options *options)
{
    struct outcome wanted = decode_outcome(cpu, data, length, options);
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct outcome found = decode_outcome(gpu[i], data, length, options);
        expect_same(name, &wanted, &found);
    }
}

/* Return whether the CPU alone decodes a stream: one of the lossless process, or with samples of 12 bits. */
static bool is_for_cpu(const uint8_t *data, size_t length)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(cpu, &decoder), KST_OK);
    bool alone = false;
    if (!kst_decoder_open(decoder, data, length)) {
        const kst_info *found = kst_decoder_info(decoder);
        alone = found->process == KST_PROCESS_LOSSLESS || found->component[0].depth > 8;
    }
    kst_decoder_destroy(&decoder);
    return alone;
}

/* Count where entropy decoding ran; the pixels of all other streams are always made on the GPU. */
static void count_device(const uint8_t *data, size_t length)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    if (kst_decode(gpu[0], data, length, NULL, &image, &report))
        return;
    kst_device_info info = {.size = sizeof info};
    kst_context_device(gpu[0], &info);
    const bool alone = is_for_cpu(data, length);
    const kst_device_kind copies = alone ? KST_DEVICE_NONE : info.kind;
    assert_string_equal(report.device, info.name);
    assert_int_equal(report.stage_device[KST_STAGE_UPLOAD], copies);
    assert_true((report.stage_device[KST_STAGE_PIXELS] == info.kind) == !alone);
    assert_int_equal(report.stage_device[KST_STAGE_DOWNLOAD], copies);
    if (report.stage_device[KST_STAGE_ENTROPY] == info.kind)
        on_gpu++;
    else
        on_cpu++;
    kst_image_release(gpu[0], &image);
}

static void check_file(const char *name, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    compare(name, data, length, &options);
    count_device(data, length);
    options.format = KST_FORMAT_BGRA;
    options.region = (kst_region){3, 2, 21, 17};
    compare(name, data, length, &options);
    options.region = (kst_region){0};
    options.orient = true;
    compare(name, data, length, &options);
    options.format = KST_FORMAT_RAW;
    options.orient = false;
    options.strict = true;
    compare(name, data, length, &options);
    options.format = KST_FORMAT_AUTO;
    options.reduce = 1;
    compare(name, data, length, &options);
}

static void test_corpus(void **state)
{
    (void)state;
    if (!corpus_present())
        skip("there is no corpus");
    for_each_corpus_file("jpeg/valid", check_file);
    for_each_corpus_file("jpeg/damaged", check_file);
    assert_true(on_gpu >= 15 && on_cpu > 0);
}

/* A picture of noise, coded in full detail. */
static kst_buffer encode_noise(uint32_t side, uint32_t restart)
{
    uint8_t *pixels = malloc((size_t)side * side * 3);
    kst_encode_options options;
    kst_buffer coded = {.data = NULL};
    kst_image image;
    assert_non_null(pixels);
    for (uint32_t i = 0, random = side; i < side * side * 3; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(random >> 24);
    }
    kst_encode_options_init(&options);
    options.quality = 98;
    options.restart = (kst_restart){restart ? KST_RESTART_MCUS : KST_RESTART_NONE, restart};
    kst_image_wrap(&image, KST_FORMAT_RGB, side, side, pixels, 0);
    assert_int_equal(kst_encode(cpu, &image, &options, &coded, NULL), KST_OK);
    free(pixels);
    return coded;
}

/* With more bytes at a place. */
static uint8_t *insert(const kst_buffer *coded, size_t at, const uint8_t *more, size_t count)
{
    uint8_t *data = malloc(coded->length + count);
    assert_non_null(data);
    memcpy(data, coded->data, at);
    memcpy(data + at, more, count);
    memcpy(data + at + count, (const uint8_t *)coded->data + at, coded->length - at);
    return data;
}

/* Return whether the result says that everything was done on the CPU. */
static bool says_cpu(kst_context *context, const uint8_t *data, size_t length)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, data, length, NULL, &image, &report), KST_OK);
    kst_image_release(context, &image);
    return report.stage_device[KST_STAGE_PIXELS] == KST_DEVICE_CPU &&
           report.stage_device[KST_STAGE_UPLOAD] == KST_DEVICE_NONE;
}

/* Bytes behind the last block: up to seven are no damage. Every picture gets seven, eight, and one number in turn. */
static void test_surplus(void **state)
{
    (void)state;
    static const uint8_t more[] = {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x11, 0x22};
    for (uint32_t i = 0; i < 40; i++) {
        kst_buffer coded = encode_noise(16 + 7 * i, i % 3 * 4);
        for (size_t count = 0; count <= sizeof more; count++) {
            if (count != 7 && count != 8 && count != i % (sizeof more + 1))
                continue;
            uint8_t *data = insert(&coded, coded.length - 2, more, count);
            kst_decode_options options;
            kst_decode_options_init(&options);
            compare("surplus", data, coded.length + count, &options);
            assert_int_equal(decode_outcome(cpu, data, coded.length + count, &options).warnings, count > 7);
            options.strict = true;
            compare("surplus, strictly", data, coded.length + count, &options);
            assert_int_equal(!decode_outcome(cpu, data, coded.length + count, &options).status, count <= 7);
            free(data);
        }
        kst_buffer_release(cpu, &coded);
    }
}

/*
 * Fill bytes (T.81 B.1.1.2) in front of a marker, or of stuffing; very many are taken out before the device has them,
 * and shorter streams are read in shorter chunks only if they have fewer.
 */
static void check_fill(uint32_t side)
{
    static const size_t counts[] = {1, 2, 3, 4, 6, 7, 8, 14, 15, 16, 17, 40, 127, 128, 129, 700};
    kst_buffer coded = encode_noise(side, 0);
    uint8_t fill[700];
    memset(fill, 0xFF, sizeof fill);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (size_t at = coded.length / 3, done = 0; done < 4 && at + 2 < coded.length; at++) {
            const uint8_t *bytes = coded.data;
            kst_decode_options options;
            if (bytes[at] != 0xFF)
                continue;
            uint8_t *data = insert(&coded, at, fill, counts[c]);
            kst_decode_options_init(&options);
            compare("fill bytes", data, coded.length + counts[c], &options);
            assert_int_equal(decode_outcome(cpu, data, coded.length + counts[c], &options).warnings, 0);
            for (uint32_t i = 0; i < gpu_count; i++)
                assert_false(says_cpu(gpu[i], data, coded.length + counts[c]));
            free(data);
            done++;
        }
    kst_buffer_release(cpu, &coded);
}

static void test_fill(void **state)
{
    (void)state;
    check_fill(200);
    check_fill(100);
    check_fill(48);
}

/* A scan header, and no data behind it. */
static void test_no_data(void **state)
{
    (void)state;
    kst_buffer coded = encode_noise(40, 0);
    size_t end = 2;
    while (coded.data[end + 1] != 0xDA)
        end += 2 + ((size_t)coded.data[end + 2] << 8 | coded.data[end + 3]);
    end += 2 + ((size_t)coded.data[end + 2] << 8 | coded.data[end + 3]);
    uint8_t *data = malloc(end + 2);
    assert_non_null(data);
    memcpy(data, coded.data, end);
    for (size_t length = end; length <= end + 2; length += 2) { /* with EOI and without */
        kst_decode_options options;
        memcpy(data + end, (const uint8_t[]){0xFF, 0xD9}, length - end);
        kst_decode_options_init(&options);
        compare("no data", data, length, &options);
        options.format = KST_FORMAT_RAW;
        compare("no data, raw", data, length, &options);
    }
    free(data);
    kst_buffer_release(cpu, &coded);
}

/* Many threads on one context. */
static void test_batch(void **state)
{
    (void)state;
    enum { COUNT = 24, SIDE = 96 };
    uint8_t pixels[SIDE * SIDE * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 5);
    for (uint32_t g = 0; g < gpu_count; g++) {
        kst_device_info info = {.size = sizeof info};
        kst_decode_item items[COUNT];
        kst_image images[COUNT], source;
        kst_buffer coded[COUNT];
        kst_context_device(gpu[g], &info);
        kst_context *context = context_create(info.name, 4, NULL);
        for (uint32_t i = 0; i < COUNT; i++) {
            kst_encode_options options;
            kst_encode_options_init(&options);
            options.quality = (int)(20 + 3 * i);
            options.coding = i % 6 == 5 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
            coded[i] = (kst_buffer){.data = NULL};
            kst_image_wrap(&source, KST_FORMAT_RGB, SIDE - i, SIDE - 2 * i, pixels, SIDE * 3);
            assert_int_equal(kst_encode(context, &source, &options, &coded[i], NULL), KST_OK);
            kst_image_init(&images[i]);
            items[i] = (kst_decode_item){.data = coded[i].data, .length = coded[i].length, .image = &images[i]};
        }
        assert_int_equal(kst_decode_batch(context, items, COUNT), KST_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            kst_image wanted;
            kst_comparison comparison = {.size = sizeof comparison};
            kst_image_init(&wanted);
            assert_int_equal(items[i].report.stage_device[KST_STAGE_PIXELS], info.kind);
            assert_int_equal(items[i].report.stage_device[KST_STAGE_ENTROPY], i % 6 == 5 ? KST_DEVICE_CPU : info.kind);
            assert_int_equal(kst_decode(cpu, coded[i].data, coded[i].length, NULL, &wanted, NULL), KST_OK);
            assert_int_equal(kst_compare(&images[i], &wanted, &comparison), KST_OK);
            assert_true(comparison.identical);
            kst_image_release(cpu, &wanted);
            kst_image_release(context, &images[i]);
            kst_buffer_release(context, &coded[i]);
        }
        kst_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus), cmocka_unit_test(test_surplus),
        cmocka_unit_test(test_fill), cmocka_unit_test(test_no_data), cmocka_unit_test(test_batch)};
    return cmocka_run_group_tests(tests, start, stop);
}
