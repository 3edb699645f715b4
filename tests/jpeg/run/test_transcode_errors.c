/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcoding of JPEG that cannot be, has no room or no memory, or of damaged streams: sound failures, and limits. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

static uint32_t random_state;

static void test_arguments(void **state)
{
    (void)state;
    struct contents jpeg =
        recipe_make(context, &(struct recipe){.width = 20, .height = 20, .format = KST_FORMAT_RGB}, &random_state);
    kst_buffer output = {.data = NULL};
    kst_transcode_options options;
    kst_transcode_options_init(NULL);
    assert_int_equal(kst_transcode(NULL, jpeg.data, jpeg.length, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, NULL, 5, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode(context, jpeg.data, 0, NULL, &output, NULL), KST_ERROR_EMPTY);
    kst_transcode_item item[3] = {{.data = jpeg.data, .length = jpeg.length}, {.length = 5}, {.data = jpeg.data}};
    assert_int_equal(kst_transcode_batch(NULL, item, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode_batch(context, NULL, 1), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_transcode_batch(context, NULL, 0), KST_OK);
    assert_int_equal(kst_transcode_batch(context, item, 3), KST_ERROR_ARGUMENT);
    assert_int_equal(item[0].report.status, KST_OK);
    assert_int_equal(item[1].report.status, KST_ERROR_ARGUMENT);
    assert_int_equal(item[2].report.status, KST_ERROR_EMPTY);
    assert_int_equal(kst_transcode(context, jpeg.data, jpeg.length, NULL, &output, NULL), KST_OK);
    assert_int_equal(item[0].output.length, output.length);
    assert_memory_equal(item[0].output.data, output.data, output.length);
    kst_buffer_release(context, &item[0].output);
    kst_buffer_release(context, &output);
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
    struct contents jpeg = recipe_make(
        context, &(struct recipe){.width = 90, .height = 50, .format = KST_FORMAT_RGB, .exif = true}, &random_state);
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_ROTATE_90;
    kst_buffer own = recipe_transcode(context, &jpeg, &options);
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

/* Wherever memory runs out, the call says so and gives everything back. */
static void test_allocation_failure(void **state)
{
    (void)state;
    for (int n = 0; n < 6; n++) {
        struct recipe recipe = {.width = 130,
            .height = 90,
            .format = n == 5 ? KST_FORMAT_CMYK : KST_FORMAT_RGB,
            .coding = (kst_coding)(n % 3),
            .exif = n % 2 == 0};
        struct contents jpeg = recipe_make(context, &recipe, &random_state);
        struct failing_transcode work = {.data = jpeg.data, .length = jpeg.length};
        kst_transcode_options_init(&work.options);
        work.options.coding = (kst_coding)((n + 1) % 3);
        work.options.transform = n > 2 ? KST_TRANSFORM_ROTATE_270 : KST_TRANSFORM_NONE;
        assert_true(failing_check(failing_transcode, &work, n % 2 ? 1 : 3) > 3);
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
    assert_int_equal(!status, output.data != NULL);
    kst_buffer_release(other, &output);
    kst_context_destroy(&other);
    return status;
}

static void test_limits(void **state)
{
    (void)state;
    struct contents jpeg = recipe_make(context,
        &(struct recipe){
            .width = 300, .height = 200, .format = KST_FORMAT_RGB, .exif = true, .coding = KST_CODING_PROGRESSIVE},
        &random_state);
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
    bool damaged = status || report.warnings > 0;
    if (!status) {
        kst_image image;
        kst_report again;
        kst_image_init(&image);
        kst_report_init(&again);
        kst_status decoded = kst_decode(context, output.data, output.length, NULL, &image, &again);
        if (decoded || again.warnings) {
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
    assert_int_equal(!status, !damaged);
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
    random_state = 4;
    for (int n = 0; n < 400; n++) {
        struct recipe recipe = {.width = 1 + random_below(&random_state, 100),
            .height = 1 + random_below(&random_state, 100),
            .format = KST_FORMAT_RGB,
            .coding = (kst_coding)random_below(&random_state, 3),
            .subsampling = (kst_subsampling)random_below(&random_state, 6),
            .exif = random_below(&random_state, 2) == 0,
            .restart = {random_below(&random_state, 2) ? KST_RESTART_MCUS : KST_RESTART_NONE, 2}};
        struct contents jpeg = recipe_make(context, &recipe, &random_state);
        for (uint32_t i = 0, changes = 1 + random_below(&random_state, 4); i < changes; i++) {
            size_t at = random_below(&random_state, (uint32_t)jpeg.length);
            if (random_below(&random_state, 6) == 0)
                jpeg.length = at + 1;
            else if (random_below(&random_state, 6) == 0)
                memmove(jpeg.data + at, jpeg.data + at + 1, --jpeg.length - at);
            else
                jpeg.data[at] = (uint8_t)random_below(&random_state, 256);
        }
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)random_below(&random_state, 3);
        options.transform = (kst_transform)random_below(&random_state, 8);
        options.grey = random_below(&random_state, 4) == 0;
        transcode_damaged("random damage", &jpeg, &options);
        contents_free(&jpeg);
    }
}

/* With the argument "corpus": the damaged files of the corpus instead of everything else. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_callers_buffer),
        cmocka_unit_test(test_allocation_failure),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_damaged_at_random),
    };
    const struct CMUnitTest on_corpus[] = {cmocka_unit_test(test_damaged_corpus)};
    bool corpus = argc > 1 && strcmp(argv[1], "corpus") == 0;
    if (corpus && !corpus_exists("jpeg/damaged"))
        return skip_all("there is no corpus");
    return corpus ? run_with_context(0, on_corpus, NULL, NULL) : run_with_context(0, tests, NULL, NULL);
}
