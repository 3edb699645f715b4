/* SPDX-License-Identifier: BSD-2-Clause */
/* What kst_transcode() promises, without an oracle: the same pixels, sound failures, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka.h>

#include "transcode/peer.h"

enum { SKIPPED = 77 };

static kst_context *context;
static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * n >> 32);
}

struct recipe {
    uint32_t width, height;
    kst_format format; /* GREY, RGB or CMYK */
    kst_subsampling subsampling;
    kst_coding coding;
    kst_restart restart;
    bool exif;
};

static struct contents make(const struct recipe *recipe)
{
    static const uint8_t tiff[] = {
        'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata[] = {
        {.kind = KST_METADATA_EXIF, .data = tiff, .length = sizeof tiff},
        {.kind = KST_METADATA_COMMENT, .data = (const uint8_t *)"comment", .length = 7},
    };
    uint32_t channels = kst_format_channels(recipe->format);
    size_t count = (size_t)recipe->width * recipe->height * channels;
    uint8_t *pixels = malloc(count);
    assert_non_null(pixels);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(i / channels % recipe->width * (1 + i % channels) + i / recipe->width / 5 + rnd(30));
    kst_image image;
    kst_encode_options options;
    kst_buffer output = {.data = NULL};
    kst_encode_options_init(&options);
    options.subsampling = recipe->subsampling;
    options.coding = recipe->coding;
    options.restart = recipe->restart;
    options.metadata = metadata;
    options.metadata_count = recipe->exif ? 2 : 0;
    assert_int_equal(kst_image_wrap(&image, recipe->format, recipe->width, recipe->height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &options, &output, NULL), KST_OK);
    struct contents jpeg = {.data = malloc(output.length), .length = output.length};
    assert_non_null(jpeg.data);
    memcpy(jpeg.data, output.data, output.length);
    kst_buffer_release(context, &output);
    free(pixels);
    return jpeg;
}

static kst_image decode(const void *data, size_t length)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, data, length, NULL, &image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    return image;
}

static uint32_t restart_interval(const kst_buffer *buffer)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, buffer->data, buffer->length), KST_OK);
    uint32_t interval = kst_decoder_info(decoder)->restart_interval;
    kst_decoder_destroy(&decoder);
    return interval;
}

static kst_buffer transcode(const struct contents *jpeg, const kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_transcode(context, jpeg->data, jpeg->length, options, &output, &report);
    if (status != KST_OK)
        print_error("%s\n", report.message);
    assert_int_equal(status, KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_true(output.owned);
    return output;
}

static void assert_same_pixels(const struct contents *jpeg, const kst_buffer *output)
{
    kst_image before = decode(jpeg->data, jpeg->length), after = decode(output->data, output->length);
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(&before, &after, &comparison), KST_OK);
    assert_true(comparison.identical);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
}

/* Whatever the coding and the restart markers, the picture is the same, and so is a second transcoding. */
static void test_pixels(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_CMYK};
    static const kst_restart restarts[] = {{KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 3}, {KST_RESTART_ROWS, 2},
        {KST_RESTART_AUTO, 0}, {KST_RESTART_KEEP, 0}, {KST_RESTART_MCUS, 0}};
    (void)state;
    seed = 1;
    for (int n = 0; n < 3 * 3 * 3 * 6; n++) {
        struct recipe recipe = {
            .width = 1 + rnd(90),
            .height = 1 + rnd(90),
            .format = formats[n % 3],
            .subsampling = (kst_subsampling)rnd(6),
            .coding = (kst_coding)(n / 3 % 3),
            .restart = {rnd(2) ? KST_RESTART_MCUS : KST_RESTART_NONE, 1 + rnd(5)},
        };
        struct contents jpeg = make(&recipe);
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n / 9 % 3);
        options.restart = restarts[n / 27];
        kst_buffer first = transcode(&jpeg, &options);
        assert_same_pixels(&jpeg, &first);
        kst_buffer second = transcode(&(struct contents){first.data, first.length}, &options);
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.data, second.data, first.length);
        kst_buffer_release(context, &first);
        kst_buffer_release(context, &second);
        contents_free(&jpeg);
    }
}

/* Components that do not fit one MCU together stay in scans of their own, which jpegtran cannot write. */
static void test_many_blocks(void **state)
{
    static const kst_scan scans[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    static uint8_t pixels[70 * 50 * 3];
    (void)state;
    seed = 5;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i / 40 + rnd(30));
    kst_image image;
    kst_encode_options encode;
    kst_buffer coded = {.data = NULL};
    kst_encode_options_init(&encode);
    memset(encode.h, 2, 3);
    memset(encode.v, 2, 3);
    encode.script = scans;
    encode.script_length = 3;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, 70, 50, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &encode, &coded, NULL), KST_OK);
    struct contents jpeg = {coded.data, coded.length};
    for (int n = 0; n < 3; n++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)n;
        options.restart = (kst_restart){.unit = KST_RESTART_ROWS, .interval = 1};
        kst_buffer output = transcode(&jpeg, &options);
        assert_same_pixels(&jpeg, &output);
        kst_buffer_release(context, &output);
    }
    kst_buffer_release(context, &coded);
}

/* An id given twice would leave a scan of one component without a name. */
static void test_repeated_ids(void **state)
{
    (void)state;
    struct contents jpeg = make(&(struct recipe){.width = 50, .height = 40, .format = KST_FORMAT_RGB});
    for (size_t i = 0; i + 20 < jpeg.length; i++) {
        bool frame = jpeg.data[i] == 0xFF && jpeg.data[i + 1] == 0xC0,
             scan = jpeg.data[i] == 0xFF && jpeg.data[i + 1] == 0xDA;
        if (frame)
            jpeg.data[i + 16] = 2; /* the third component's id */
        if (scan)
            jpeg.data[i + 9] = 2;
    }
    for (int n = 0; n < 3; n++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)n;
        kst_buffer output = transcode(&jpeg, &options);
        assert_same_pixels(&jpeg, &output);
        kst_buffer_release(context, &output);
    }
    contents_free(&jpeg);
}

static void test_restart_intervals(void **state)
{
    (void)state;
    struct recipe recipe = {
        .width = 640, .height = 480, .format = KST_FORMAT_RGB, .restart = {.unit = KST_RESTART_MCUS, .interval = 10}};
    struct contents jpeg = make(&recipe);
    const struct {
        kst_restart restart;
        bool grey;
        uint32_t interval;
    } cases[] = {
        {{KST_RESTART_NONE, 0}, false, 0},
        {{KST_RESTART_KEEP, 0}, false, 10},
        {{KST_RESTART_KEEP, 0}, true, 40},
        {{KST_RESTART_AUTO, 0}, false, 8},
        {{KST_RESTART_MCUS, 7}, false, 7},
        {{KST_RESTART_ROWS, 3}, false, 120},
        {{KST_RESTART_ROWS, UINT32_MAX}, false, 65535},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.restart = cases[i].restart;
        options.grey = cases[i].grey;
        kst_buffer output = transcode(&jpeg, &options);
        assert_int_equal(restart_interval(&output), cases[i].interval);
        kst_buffer_release(context, &output);
    }
    contents_free(&jpeg);
}

/* Many threads and one give the same bytes. */
static void test_threads(void **state)
{
    (void)state;
    seed = 2;
    for (int n = 0; n < 8; n++) {
        struct recipe recipe = {.width = 100 + rnd(400),
            .height = 100 + rnd(400),
            .format = KST_FORMAT_RGB,
            .coding = (kst_coding)rnd(3),
            .subsampling = (kst_subsampling)rnd(3)};
        struct contents jpeg = make(&recipe);
        kst_transcode_options options;
        kst_context_options context_options;
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)n;
        options.coding = (kst_coding)(n % 3);
        options.restart.unit = n % 2 ? KST_RESTART_AUTO : KST_RESTART_NONE;
        kst_buffer first = {.data = NULL};
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            kst_context *other;
            kst_buffer output = {.data = NULL};
            kst_context_options_init(&context_options);
            context_options.threads = threads;
            assert_int_equal(kst_context_create(&context_options, &other), KST_OK);
            assert_int_equal(kst_transcode(other, jpeg.data, jpeg.length, &options, &output, NULL), KST_OK);
            if (threads == 1) {
                first.data = malloc(output.length);
                assert_non_null(first.data);
                memcpy(first.data, output.data, output.length);
                first.length = output.length;
            }
            assert_int_equal(output.length, first.length);
            assert_memory_equal(output.data, first.data, first.length);
            kst_buffer_release(other, &output);
            kst_context_destroy(&other);
        }
        free(first.data);
        contents_free(&jpeg);
    }
}

struct caller {
    const struct contents *jpeg;
    kst_buffer output;
    kst_transform transform;
    kst_status status;
};

static void *call(void *arg)
{
    struct caller *caller = arg;
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = caller->transform;
    options.coding = KST_CODING_PROGRESSIVE;
    caller->status = kst_transcode(context, caller->jpeg->data, caller->jpeg->length, &options, &caller->output, NULL);
    return NULL;
}

/* A context serves many callers at once. */
static void test_concurrent_calls(void **state)
{
    enum { CALLERS = 8 };
    (void)state;
    struct contents jpeg = make(&(struct recipe){.width = 300, .height = 200, .format = KST_FORMAT_RGB});
    pthread_t thread[CALLERS];
    struct caller caller[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        caller[i] = (struct caller){.jpeg = &jpeg, .transform = (kst_transform)(i % 4)};
        assert_int_equal(pthread_create(&thread[i], NULL, call, &caller[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(caller[i].status, KST_OK);
        assert_int_equal(caller[i].output.length, caller[i % 4].output.length);
        assert_memory_equal(caller[i].output.data, caller[i % 4].output.data, caller[i].output.length);
    }
    for (int i = 0; i < CALLERS; i++)
        kst_buffer_release(context, &caller[i].output);
    contents_free(&jpeg);
}

static void test_arguments(void **state)
{
    (void)state;
    struct contents jpeg = make(&(struct recipe){.width = 20, .height = 20, .format = KST_FORMAT_RGB});
    kst_buffer output = {.data = NULL};
    kst_transcode_options options;
    kst_transcode_options_init(NULL);
    assert_int_equal(kst_transcode(NULL, jpeg.data, jpeg.length, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, NULL, 5, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, jpeg.data, 0, NULL, &output, NULL), KST_ERROR_EMPTY);
    assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, NULL, &output, NULL), KST_OK);
    kst_buffer_release(context, &output);
    const kst_scan scan = {.component_count = 1, .se = 63};
    for (int n = 0; n < 8; n++) {
        kst_status wanted = KST_ERROR_OPTIONS;
        kst_transcode_options_init(&options);
        if (n == 0)
            options.size = 0;
        else if (n == 1)
            options.coding = (kst_coding)3;
        else if (n == 2)
            options.restart.unit = (kst_restart_unit)5;
        else if (n == 3)
            options.transform = (kst_transform)8;
        else if (n == 4)
            options.edge = (kst_edge)3;
        else if (n == 5)
            options.strip = (kst_strip)3;
        else if (n == 6)
            options.script_length = 1;
        else {
            options.script = &scan;
            options.script_length = 1;
            wanted = KST_ERROR_JPEG_SCRIPT;
        }
        assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, &options, &output, NULL), wanted);
        assert_null(output.data);
    }
    contents_free(&jpeg);
}

static void test_callers_buffer(void **state)
{
    (void)state;
    struct contents jpeg = make(&(struct recipe){.width = 90, .height = 50, .format = KST_FORMAT_RGB, .exif = true});
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_ROTATE_90;
    kst_buffer own = transcode(&jpeg, &options);
    uint8_t *room = malloc(own.length);
    assert_non_null(room);
    for (size_t less = 0; less <= own.length; less += less < 700 ? 1 : 97) {
        kst_buffer output = {.data = room, .capacity = own.length - less};
        kst_status status = kst_transcode(context, jpeg.data, jpeg.length, &options, &output, NULL);
        assert_int_equal(status, less ? KST_ERROR_BUFFER_FULL : KST_OK);
        assert_ptr_equal(output.data, room);
        assert_false(output.owned);
        if (!less) {
            assert_int_equal(output.length, own.length);
            assert_memory_equal(room, own.data, own.length);
        }
    }
    free(room);
    kst_buffer_release(context, &own);
    contents_free(&jpeg);
}

static atomic_int allocations_left, allocated;

static void *count_allocation(void *user, size_t length)
{
    (void)user;
    if (atomic_fetch_sub(&allocations_left, 1) <= 0)
        return NULL;
    atomic_fetch_add(&allocated, 1);
    return malloc(length);
}

static void count_release(void *user, void *block)
{
    (void)user;
    atomic_fetch_sub(&allocated, 1);
    free(block);
}

/* Wherever memory runs out, the call says so and gives everything back. */
static void test_allocation_failure(void **state)
{
    (void)state;
    seed = 3;
    for (int n = 0; n < 6; n++) {
        struct recipe recipe = {.width = 130,
            .height = 90,
            .format = n == 5 ? KST_FORMAT_CMYK : KST_FORMAT_RGB,
            .coding = (kst_coding)(n % 3),
            .exif = n % 2 == 0};
        struct contents jpeg = make(&recipe);
        kst_context_options context_options;
        kst_transcode_options options;
        kst_context *other;
        kst_context_options_init(&context_options);
        context_options.threads = n % 2 ? 1 : 3;
        context_options.allocator = (kst_allocator){count_allocation, count_release, NULL};
        allocations_left = 1000000;
        assert_int_equal(kst_context_create(&context_options, &other), KST_OK);
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)((n + 1) % 3);
        options.transform = n > 2 ? KST_TRANSFORM_ROTATE_270 : KST_TRANSFORM_NONE;
        int before = allocated;
        for (int count = 0;; count++) {
            kst_buffer output = {.data = NULL};
            kst_report report;
            kst_report_init(&report);
            allocations_left = count;
            kst_status status = kst_transcode(other, jpeg.data, jpeg.length, &options, &output, &report);
            assert_int_equal(report.status, status);
            if (status == KST_OK) {
                assert_true(count > 3);
                kst_buffer_release(other, &output);
                assert_int_equal(allocated, before);
                break;
            }
            assert_int_equal(status, KST_ERROR_MEMORY);
            assert_null(output.data);
            assert_int_equal(allocated, before);
        }
        kst_context_destroy(&other);
        assert_int_equal(allocated, 0);
        contents_free(&jpeg);
    }
}

static kst_status limited(const struct contents *jpeg, kst_limits limits, kst_strip strip)
{
    kst_context_options context_options;
    kst_transcode_options options;
    kst_context *other;
    kst_buffer output = {.data = NULL};
    kst_context_options_init(&context_options);
    context_options.limits = limits;
    assert_int_equal(kst_context_create(&context_options, &other), KST_OK);
    kst_transcode_options_init(&options);
    options.strip = strip;
    kst_status status = kst_transcode(other, jpeg->data, jpeg->length, &options, &output, NULL);
    assert_true((status == KST_OK) == (output.data != NULL));
    kst_buffer_release(other, &output);
    kst_context_destroy(&other);
    return status;
}

static void test_limits(void **state)
{
    (void)state;
    struct contents jpeg = make(&(struct recipe){
        .width = 300, .height = 200, .format = KST_FORMAT_RGB, .exif = true, .coding = KST_CODING_PROGRESSIVE});
    const kst_strip keep = KST_STRIP_NOTHING, strip = KST_STRIP_ALL;
    assert_int_equal(limited(&jpeg, (kst_limits){.pixels = 60000}, keep), KST_OK);
    assert_int_equal(limited(&jpeg, (kst_limits){.pixels = 59999}, keep), KST_ERROR_LIMIT_PIXELS);
    assert_int_equal(limited(&jpeg, (kst_limits){.memory = 100000}, keep), KST_ERROR_LIMIT_MEMORY);
    assert_int_equal(limited(&jpeg, (kst_limits){.scans = 10}, keep), KST_OK);
    assert_int_equal(limited(&jpeg, (kst_limits){.scans = 9}, keep), KST_ERROR_LIMIT_SCANS);
    assert_int_equal(limited(&jpeg, (kst_limits){.metadata = 39}, keep), KST_OK);
    assert_int_equal(limited(&jpeg, (kst_limits){.metadata = 38}, keep), KST_ERROR_LIMIT_METADATA);
    assert_int_equal(limited(&jpeg, (kst_limits){.metadata = 1}, strip), KST_OK);
    contents_free(&jpeg);
}

/* One damaged stream: an error, or a sound stream with warnings counted, which strictness turns into an error. */
static void transcode_damaged(const char *name, const struct contents *jpeg, kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    options->strict = false;
    kst_status status = kst_transcode(context, jpeg->data, jpeg->length, options, &output, &report);
    assert_int_equal(report.status, status);
    bool damaged = status != KST_OK || report.warnings > 0;
    if (status == KST_OK) {
        kst_image image;
        kst_report again;
        kst_image_init(&image);
        kst_report_init(&again);
        kst_status decoded = kst_decode(context, output.data, output.length, NULL, &image, &again);
        if (decoded != KST_OK || again.warnings) {
            print_error("%s: transcoded, but %s\n", name, again.message);
            fail();
        }
        kst_image_release(context, &image);
    } else {
        assert_null(output.data);
        assert_false(kst_status_is_warning(status));
        assert_true(report.message[0] != 0);
    }
    kst_buffer_release(context, &output);
    options->strict = true;
    kst_report_init(&report);
    status = kst_transcode(context, jpeg->data, jpeg->length, options, &output, &report);
    assert_true((status != KST_OK) == damaged);
    assert_int_equal(report.status, status);
    kst_buffer_release(context, &output);
}

static void test_damaged_corpus(void **state)
{
    char folder[1000], path[2000];
    int files = 0;
    (void)state;
    DIR *directory = opendir(corpus_folder("jpeg/damaged", folder, sizeof folder));
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct contents jpeg;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !contents_read(path, &jpeg))
            continue;
        for (int n = 0; n < 3; n++) {
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.coding = (kst_coding)n;
            options.transform = n ? KST_TRANSFORM_TRANSVERSE : KST_TRANSFORM_NONE;
            options.restart.unit = KST_RESTART_KEEP;
            transcode_damaged(entry->d_name, &jpeg, &options);
        }
        contents_free(&jpeg);
        files++;
    }
    closedir(directory);
    assert_true(files > 50);
}

/* Bytes changed, dropped and doubled at random. */
static void test_damaged_at_random(void **state)
{
    (void)state;
    seed = 4;
    for (int n = 0; n < 400; n++) {
        struct recipe recipe = {.width = 1 + rnd(100),
            .height = 1 + rnd(100),
            .format = KST_FORMAT_RGB,
            .coding = (kst_coding)rnd(3),
            .subsampling = (kst_subsampling)rnd(6),
            .exif = rnd(2) == 0,
            .restart = {rnd(2) ? KST_RESTART_MCUS : KST_RESTART_NONE, 2}};
        struct contents jpeg = make(&recipe);
        for (uint32_t i = 0, changes = 1 + rnd(4); i < changes; i++) {
            size_t at = rnd((uint32_t)jpeg.length);
            if (rnd(6) == 0)
                jpeg.length = at + 1;
            else if (rnd(6) == 0)
                memmove(jpeg.data + at, jpeg.data + at + 1, --jpeg.length - at);
            else
                jpeg.data[at] = (uint8_t)rnd(256);
        }
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)rnd(3);
        options.transform = (kst_transform)rnd(8);
        options.grey = rnd(4) == 0;
        transcode_damaged("random damage", &jpeg, &options);
        contents_free(&jpeg);
    }
}

static int set_up(void **state)
{
    (void)state;
    return kst_context_create(NULL, &context) == KST_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

/* With the argument "corpus": the damaged files of the corpus instead of everything else. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_repeated_ids),
        cmocka_unit_test(test_restart_intervals),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_concurrent_calls),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_callers_buffer),
        cmocka_unit_test(test_allocation_failure),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_damaged_at_random),
    };
    const struct CMUnitTest on_corpus[] = {cmocka_unit_test(test_damaged_corpus)};
    if (argc <= 1 || strcmp(argv[1], "corpus") != 0)
        return cmocka_run_group_tests(tests, set_up, tear_down);
    return corpus_exists("jpeg/damaged") ? cmocka_run_group_tests(on_corpus, set_up, tear_down) : SKIPPED;
}
