/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads chains of filters, right and wrong ones, and calls the library as it must not be called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/shared_context.h"

/* A chain that is refused, where, and a part of the reason. */
struct refusal {
    const char *chain;
    uint64_t offset;
    const char *reason;
};

static void refused(void **state)
{
    static const struct refusal refusals[] = {{"", 0, "there is no filter ''"},
        {"blur", 0, "there is no filter 'blur'"}, {"invert,", 7, "there is no filter ''"},
        {"invert,,flip", 7, "there is no filter ''"}, {"Invert", 0, "no filter"}, {"invert flip", 0, "no filter"},
        {"invert=1", 7, "more values than parameters"}, {"invert=", 7, "more values than parameters"},
        {"canny", 0, "canny needs low"}, {"canny=5", 0, "needs high"}, {"canny=", 6, "low is a number"},
        {"canny=a:5", 6, "not 'a'"}, {"canny=-1:5", 6, "from 0 to"}, {"canny=1:2000001", 8, "from 0 to"},
        {"canny=1.2345:5", 6, "three digits"}, {"canny=1..2:5", 6, "number"}, {"canny=.5:1", 6, "number"},
        {"canny=1:2:l3", 10, "norm is l1|l2, not 'l3'"}, {"canny=1:2:l", 10, "norm is"},
        {"canny=1:2:l1|l2", 10, "norm is"}, {"canny=1:2:", 10, "norm is"},
        {"canny=1:2:l1:3:4", 15, "more values than parameters"}, {"canny=1:2:depth=3", 10, "no such parameter"},
        {"canny=1:high=2:l2", 15, "behind a parameter that is named"}, {"canny=1:2:low=3", 10, "there twice"},
        {"invert,canny=50", 7, "needs high"}, {"gaussian=0", 9, "sigma is a number from 0.1 to 40"},
        {"gaussian=40.001", 9, "sigma"}, {"gaussian=1:128", 11, "radius is a number from 0 to 127, not '128'"},
        {"gaussian=1:-1", 11, "radius"}, {"gaussian=99999999999999999999999999", 9, "sigma"}, {"median=0", 7, "radius"},
        {"median=1.5", 7, "radius"}, {"median=16", 7, "radius"}, {"rotate=45", 7, "90|180|270"},
        {"crop=5", 0, "both sides"}, {"crop=x5", 0, "both sides"}, {"crop=5x0", 5, "size is"}, {"crop=x", 5, "size is"},
        {"crop=5x5x5", 5, "size is"}, {"crop=99999999999x5", 5, "size is"}, {"crop=5x5:-1", 9, "left"},
        {"resize=0x5", 7, "size is"}, {"resize=", 7, "size is"}, {"resize=5:wide", 9, "fit is exact|inside|cover"},
        {"levels=5:5", 0, "black must be below white"}, {"threshold", 0, "needs level"},
        {"depth=17", 6, "bits is a number from 1 to 16"}, {"depth=0", 6, "bits"}, {"sharpen=17", 8, "amount"},
        {"sobel=7", 6, "3|5"}, {"flip=both", 5, "horizontal|vertical"}};
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        kst_filter *filter = (kst_filter *)(uintptr_t)1;
        kst_report report;
        kst_report_init(&report);
        kst_status status = kst_filter_open(context, refusals[i].chain, &filter, &report);
        if (status != KST_ERROR_OPTIONS || report.offset != refusals[i].offset ||
            !strstr(report.message, refusals[i].reason))
            fail_msg("'%s': %s", refusals[i].chain, report.message);
        assert_null(filter);
    }
}

static void taken(void **state)
{
    static const char *const chains[] = {"invert", "crop=5x6", "crop=5x6:1", "crop=size=5x6:top=2", "resize=5",
        "resize=5x", "resize=x5", "resize=5x5:inside:lanczos", "canny=50:150", "canny=high=5:low=2", "canny=0.5:1:l2",
        "canny=50:150.125:aperture=7", "gaussian", "gaussian=0.1", "gaussian=40:127",
        "grey,depth=16,equalise,invert,flip,rotate=180,median=15,sharpen"};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        kst_filter *filter;
        kst_report report;
        kst_report_init(&report);
        kst_status status = kst_filter_open(context, chains[i], &filter, &report);
        if (status)
            fail_msg("'%s': %s", chains[i], report.message);
        kst_filter_close(&filter);
        assert_null(filter);
    }
}

static void many(void **state)
{
    char chain[33 * 5 + 1] = "";
    kst_filter *filter;
    kst_report report;
    (void)state;
    for (int i = 0; i < 32; i++)
        strcat(chain, i ? ",flip" : "flip");
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    kst_filter_close(&filter);
    strcat(chain, ",flip");
    kst_report_init(&report);
    assert_int_equal(kst_filter_open(context, chain, &filter, &report), KST_ERROR_OPTIONS);
    assert_non_null(strstr(report.message, "more than 32 filters"));
}

/* Whatever bytes a chain has, reading it ends with a status. */
static void random_chains(void **state)
{
    static const char letters[] = "canyresizgus=:,x0123456789.-|l\xff";
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char chain[40] = "";
        kst_filter *filter;
        kst_filter_info info = {.size = sizeof info};
        uint32_t length = next_random() % 30;
        assert_int_equal(kst_filter_get(next_random() % kst_filter_count(), &info), KST_OK);
        int named = snprintf(chain, sizeof chain, "%s=", info.name);
        for (uint32_t k = (uint32_t)named; k < length; k++)
            chain[k] = letters[next_random() % (sizeof letters - 1)];
        if (next_random() % 4 == 0)
            chain[next_random() % (sizeof chain - 1)] = letters[next_random() % (sizeof letters - 1)];
        kst_status status = kst_filter_open(context, chain, &filter, NULL);
        assert_true(!status || status == KST_ERROR_OPTIONS || status == KST_ERROR_READ);
        kst_filter_close(&filter);
    }
}

static void table(void **state)
{
    kst_filter_info info = {.size = sizeof info};
    (void)state;
    assert_int_equal(kst_filter_get(kst_filter_count(), &info), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_get(0, NULL), KST_ERROR_ARGUMENT);
    for (uint32_t i = 0; i < kst_filter_count(); i++) {
        assert_int_equal(kst_filter_get(i, &info), KST_OK);
        assert_true(strlen(info.name) > 0 && strlen(info.summary) > 0);
        for (uint32_t k = 0; k < info.parameter_count; k++) {
            const kst_filter_parameter *parameter = &info.parameter[k];
            assert_true(strlen(parameter->name) > 0 && strlen(parameter->summary) > 0);
            assert_int_equal(parameter->type == KST_FILTER_WORD, parameter->words != NULL);
        }
    }
    info.size = 0;
    assert_int_equal(kst_filter_get(0, &info), KST_ERROR_ARGUMENT);
}

enum { SIDE = 8 };

static kst_status try(const char *chain, const kst_image *from, kst_image *to, kst_report *report)
{
    kst_filter *filter;
    kst_report_init(report);
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    kst_status status = kst_filter_run(filter, from, to, report);
    assert_int_equal(report->status, status);
    kst_filter_close(&filter);
    return status;
}

static void misuse(void **state)
{
    static uint16_t pixels[SIDE * SIDE * 4], other[SIDE * SIDE * 4];
    kst_image from, to, none;
    kst_filter *filter;
    kst_report report;
    (void)state;
    assert_int_equal(kst_filter_open(NULL, "flip", &filter, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_open(context, NULL, &filter, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_open(context, "flip", NULL, NULL), KST_ERROR_ARGUMENT);
    kst_filter_close(NULL);
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_RGB, SIDE, SIDE, pixels, 0), KST_OK);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_RGB, SIDE, SIDE, other, 0), KST_OK);
    kst_image_init(&none);
    assert_int_equal(kst_filter_open(context, "flip", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_run(NULL, &from, &to, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_run(filter, NULL, &to, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_run(filter, &from, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_run(filter, &none, &to, NULL), KST_ERROR_IMAGE_FORMAT);
    assert_int_equal(kst_filter_run(filter, &from, &from, NULL), KST_ERROR_IMAGE_OVERLAP);
    assert_int_equal(kst_filter_describe(filter, &from, NULL, NULL), KST_ERROR_ARGUMENT);
    kst_filter_close(&filter);

    assert_int_equal(try("crop=9x1", &from, &to, &report), KST_ERROR_REGION);
    assert_non_null(strstr(report.message, "crop of 9x1 at 0, 0 reaches outside the image of 8x8"));
    assert_int_equal(try("crop=1x1:0:8", &from, &to, &report), KST_ERROR_REGION);
    assert_int_equal(try("crop=4x4", &from, &to, &report), KST_ERROR_IMAGE_SIZE);
    assert_int_equal(try("grey", &from, &to, &report), KST_ERROR_IMAGE_FORMAT);
    assert_int_equal(try("depth=16", &from, &to, &report), KST_ERROR_IMAGE_DEPTH);
    assert_int_equal(try("depth=16,canny=1:2", &from, &to, &report), KST_ERROR_IMAGE_DEPTH);
    assert_non_null(strstr(report.message, "canny takes samples of up to 8 bits"));
    assert_int_equal(try("resize=999999999x999999999", &from, &to, &report), KST_ERROR_LIMIT_PIXELS);

    to.memory = KST_MEMORY_CUDA;
    assert_int_equal(try("flip", &from, &to, &report), KST_ERROR_IMAGE_MEMORY);
    none.memory = KST_MEMORY_OPENCL;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_MEMORY);
    assert_null(none.plane[0].data);
    from.memory = KST_MEMORY_CUDA;
    none.memory = KST_MEMORY_HOST;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_MEMORY);
    from.memory = KST_MEMORY_HOST;

    from.format = KST_FORMAT_CMYK;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_FORMAT);
    from.format = KST_FORMAT_RGB;
    from.plane[0].is_signed = true;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_DEPTH);
    from.plane[0].is_signed = false;
    from.plane[0].depth = 17;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_DEPTH);
    from.plane[0].depth = 8;
    from.plane[0].sample = KST_SAMPLE_FLOAT32;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_SAMPLE);
    from.plane[0].sample = KST_SAMPLE_INTEGER;
    from.plane[0].pitch = 3;
    assert_int_equal(try("flip", &from, &none, &report), KST_ERROR_IMAGE_PITCH);
}

/* Samples above the greatest one of their depth are hostile, too; they lead to no access outside. */
static void out_of_range(void **state)
{
    static const char *const chains[] = {"invert", "equalise", "levels=1:5", "threshold=3", "depth=8", "gaussian=2",
        "median", "median=3", "sharpen=16", "grey", "rotate=90", "resize=3x3", "bilateral", "sobel=5:length"};
    static uint16_t pixels[SIDE * SIDE];
    kst_report report;
    (void)state;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (uint16_t)next_random();
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        kst_image from, to;
        assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, SIDE, SIDE, pixels, SIDE * 2), KST_OK);
        kst_image_init(&to);
        from.plane[0].depth = 10;
        assert_int_equal(try(chains[i], &from, &to, &report), KST_OK);
        assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
        kst_image_release(context, &to);
    }
}

/* Open a chain and apply it to a small picture. */
static kst_status filter_picture(kst_context *own, const void *argument)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    kst_filter *filter;
    kst_image from, to;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i * 7);
    kst_image_init(&to);
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_RGB, SIDE, SIDE, pixels, 0), KST_OK);
    kst_status status = kst_filter_open(own, argument, &filter, NULL);
    if (!status)
        status = kst_filter_run(filter, &from, &to, NULL);
    assert_int_equal(!status, to.plane[0].data != NULL);
    kst_image_release(own, &to);
    kst_filter_close(&filter);
    return status;
}

/* Whichever allocation fails, the call ends with an error, and nothing leaks. */
static void failing(void **state)
{
    static const char *const chains[] = {"gaussian,rotate=90", "canny=1:5:aperture=5", "median=2,sobel",
        "equalise,grey", "sharpen,resize=5x5", "invert,flip"};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        assert_true(failing_check(filter_picture, chains[i], 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(taken), cmocka_unit_test(many),
        cmocka_unit_test(random_chains), cmocka_unit_test(table), cmocka_unit_test(misuse),
        cmocka_unit_test(out_of_range), cmocka_unit_test(failing)};
    return run_with_context(2, tests, NULL, NULL);
}
