/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion between RGB and planes of Y, Cb and Cr on every device, which must give what the CPU does: many images of
 * several sizes, samplings and depths in one call, from the device's memory and the host's, and to both.
 */
#include <stdio.h>

#include <kostka/kostka_filter.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

enum { IMAGES = 11, IMAGES_SIMULATED = 4, SIDE = 70 };

static const struct test_case {
    uint32_t h, v, depth;
    uint8_t matrix;
    bool limited;
} cases[] = {{2, 2, 8, 5, false}, {2, 1, 10, 1, true}, {1, 1, 16, 9, true}, {4, 1, 8, 1, true}, {1, 1, 8, 6, false}};

/* Return the number of images in a call. */
static uint32_t image_count(void)
{
    return simulated() ? IMAGES_SIMULATED : IMAGES;
}

static kst_image describe(const struct test_case *c, bool rgb)
{
    const uint32_t width = 1 + next_random() % SIDE, height = 1 + next_random() % SIDE;
    kst_image image;
    kst_image_init(&image);
    image.format = rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    image.colour = rgb ? KST_COLOUR_RGB : KST_COLOUR_YCBCR;
    image.width = width;
    image.height = height;
    image.plane_count = rgb ? 1 : 3;
    for (uint32_t i = 0; i < image.plane_count; i++)
        image.plane[i] = (kst_plane){.width = i ? (width + c->h - 1) / c->h : width,
            .height = i ? (height + c->v - 1) / c->v : height,
            .depth = (uint8_t)c->depth};
    return image;
}

/* Bytes by chance, so that samples of 10 bits may be greater than they should be. */
static void fill(const kst_image *image)
{
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        const size_t row =
            (size_t)plane->width * (image->format == KST_FORMAT_RGB ? 3 : 1) * (plane->depth > 8 ? 2 : 1);
        for (uint32_t y = 0; y < plane->height; y++)
            for (size_t x = 0; x < row; x++)
                ((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch)[x] = (uint8_t)next_random();
    }
}

/* Place the result in one memory by chance; it has a buffer already or gets one. */
static void place(kst_context *context, const kst_image *like, kst_image *to)
{
    const kst_memory memory = next_random() % 4 ? device_memory(context) : KST_MEMORY_HOST;
    kst_image_init(to);
    to->memory = memory;
    if (next_random() % 2)
        return;
    *to = *like;
    to->memory = memory;
    to->owned = NULL;
    for (uint32_t i = 0; i < to->plane_count; i++)
        to->plane[i].data = NULL;
    assert_int_equal(kst_image_allocate(context, to), KST_OK);
}

static void check_on(kst_context *context, const kst_ycbcr_options *options, const kst_filter_item *wanted)
{
    kst_filter_item items[IMAGES];
    kst_image from[IMAGES], to[IMAGES];
    const uint32_t count = image_count();
    for (uint32_t i = 0; i < count; i++) {
        place(context, wanted[i].to, &to[i]);
        from[i] = *wanted[i].from;
        from[i].owned = NULL;
        if (next_random() % 4)
            assert_int_equal(kst_image_upload(context, wanted[i].from, &from[i]), KST_OK);
        items[i] = (kst_filter_item){.from = &from[i], .to = &to[i]};
    }
    assert_int_equal(kst_filter_ycbcr(context, items, count, options), KST_OK);
    for (uint32_t i = 0; i < count; i++) {
        char text[80];
        snprintf(text, sizeof text, "image %u of %ux%u, matrix %u", (unsigned)i, (unsigned)from[i].width,
            (unsigned)from[i].height, (unsigned)options->matrix);
        bool device = from[i].memory != KST_MEMORY_HOST || to[i].memory != KST_MEMORY_HOST;
        assert_int_equal(items[i].report.stage_device[KST_STAGE_PIXELS] != KST_DEVICE_CPU, device);
        expect_same_image(text, context, wanted[i].to, &to[i]);
        kst_image_release(context, &to[i]);
        kst_image_release(context, &from[i]);
    }
}

static void check_case(const struct test_case *c)
{
    kst_ycbcr_options options;
    kst_filter_item items[IMAGES];
    kst_image from[IMAGES], to[IMAGES];
    const uint32_t count = image_count();
    kst_filter_ycbcr_options_init(&options);
    options.matrix = c->matrix;
    options.limited = c->limited;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = describe(c, i % 3 == 2);
        kst_image_init(&to[i]);
        assert_int_equal(kst_image_allocate(cpu_context, &from[i]), KST_OK);
        fill(&from[i]);
        items[i] = (kst_filter_item){.from = &from[i], .to = &to[i]};
    }
    assert_int_equal(kst_filter_ycbcr(cpu_context, items, count, &options), KST_OK);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_on(gpu_context[g], &options, items);
    for (uint32_t i = 0; i < count; i++) {
        kst_image_release(cpu_context, &to[i]);
        kst_image_release(cpu_context, &from[i]);
    }
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* Images in a device's memory cannot be converted on the CPU. */
static void test_other_device(void **state)
{
    kst_image from = describe(&cases[4], true), there, to;
    kst_filter_item item = {.from = &there, .to = &to};
    (void)state;
    assert_int_equal(kst_image_allocate(cpu_context, &from), KST_OK);
    assert_int_equal(kst_image_upload(gpu_context[0], &from, &there), KST_OK);
    assert_int_equal(there.memory, device_memory(gpu_context[0]));
    kst_image_init(&to);
    assert_int_equal(kst_filter_ycbcr(cpu_context, &item, 1, NULL), KST_ERROR_IMAGE_MEMORY);
    kst_image_release(gpu_context[0], &there);
    kst_image_release(cpu_context, &from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_other_device),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
