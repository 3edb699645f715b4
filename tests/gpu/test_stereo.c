/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stereo matching on every device, which must give what the CPU does: sizes, numbers of disparities and paths, from the
 * device's memory and the host's, at odd places and with pitches that have room.
 */
#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka_filter.h>

#include "support/gpu/contexts.h"
#include "support/gpu/placed.h"
#include "support/random.h"
#include "support/test.h"

enum { LEFT, RIGHT, DISPARITY, CONFIDENCE, IMAGES };

struct test_case {
    uint32_t width, height, depth, least, disparities, paths;
    int32_t tolerance;
    kst_format format;
};

static kst_image describe(const struct test_case *c, uint32_t index)
{
    kst_image image;
    kst_image_init(&image);
    image.format = index < DISPARITY ? c->format : KST_FORMAT_GREY;
    image.colour = image.format == KST_FORMAT_GREY ? KST_COLOUR_GREY : KST_COLOUR_RGB;
    image.width = c->width;
    image.height = c->height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = c->width, .height = c->height};
    image.plane[0].depth = (uint8_t)(index < DISPARITY ? c->depth : index == DISPARITY ? 16 : 8);
    image.plane[0].pitch = (ptrdiff_t)placed_row_bytes(&image);
    return image;
}

/* Noise in both images, the right one's moved. */
static void fill(const struct test_case *c, struct placed pair[2])
{
    const size_t row = placed_row_bytes(&pair[0].image), moved = row > 8 ? 8 : 0;
    for (uint32_t y = 0; y < c->height; y++) {
        uint8_t *left = (uint8_t *)pair[LEFT].image.plane[0].data + (ptrdiff_t)y * pair[LEFT].image.plane[0].pitch;
        uint8_t *right = (uint8_t *)pair[RIGHT].image.plane[0].data + (ptrdiff_t)y * pair[RIGHT].image.plane[0].pitch;
        for (size_t i = 0; i < row; i++)
            left[i] = (uint8_t)(next_random() % 7 * 37);
        for (size_t i = 0; i < row; i++)
            right[i] = (uint8_t)(i + moved < row && next_random() % 6 ? left[i + moved] : next_random());
    }
}

static void match(kst_context *context, const kst_stereo_options *options, struct placed all[IMAGES])
{
    kst_report report;
    kst_report_init(&report);
    if (kst_filter_stereo(context, &all[LEFT].image, &all[RIGHT].image, options, &all[DISPARITY].image,
            &all[CONFIDENCE].image, &report))
        fail_msg("%s", report.message);
}

/* One image by chance lies in the host's memory, and another one, if any is there, in pinned memory. */
static void check_on(kst_context *context, const kst_stereo_options *options, struct placed wanted[IMAGES])
{
    const uint32_t host = next_random() % 8, pinned = next_random() % 8;
    struct placed all[IMAGES];
    for (uint32_t i = 0; i < IMAGES; i++) {
        kst_memory memory = device_memory(context);
        memory = i == host ? KST_MEMORY_HOST : i == pinned ? KST_MEMORY_PINNED : memory;
        placed_place(&all[i], context, &wanted[i].image, memory);
        if (i < DISPARITY)
            assert_int_equal(kst_image_copy(context, &wanted[i].image, &all[i].image), KST_OK);
    }
    match(context, options, all);
    for (uint32_t i = DISPARITY; i < IMAGES; i++) {
        char text[100];
        snprintf(text, sizeof text, "image %u of %ux%u, %u disparities", (unsigned)i, (unsigned)wanted[i].image.width,
            (unsigned)wanted[i].image.height, (unsigned)options->disparities);
        expect_same_image(text, context, &wanted[i].image, &all[i].image);
        placed_check(text, &all[i]);
    }
    for (uint32_t i = 0; i < IMAGES; i++)
        placed_drop(&all[i]);
}

static void check_case(const struct test_case *c)
{
    struct placed wanted[IMAGES];
    kst_stereo_options options;
    kst_filter_stereo_options_init(&options);
    options.least = c->least;
    options.disparities = c->disparities;
    options.paths = c->paths;
    options.tolerance = c->tolerance;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const kst_image image = describe(c, i);
        placed_place(&wanted[i], cpu_context, &image, KST_MEMORY_HOST);
    }
    fill(c, wanted);
    match(cpu_context, &options, wanted);
    for (uint32_t i = 0; i < gpu_contexts; i++)
        check_on(gpu_context[i], &options, wanted);
    for (uint32_t i = 0; i < IMAGES; i++)
        placed_drop(&wanted[i]);
}

static void same_as_cpu(void **state)
{
    static const struct test_case cases[] = {{9, 4, 8, 0, 16, 8, 1, KST_FORMAT_RGB},
        {1, 1, 8, 0, 2, 8, 1, KST_FORMAT_GREY}, {1, 37, 8, 0, 65, 8, 0, KST_FORMAT_GREY},
        {70, 1, 16, 0, 128, 8, -1, KST_FORMAT_GREY}, {67, 35, 8, 3, 127, 8, 1, KST_FORMAT_BGRA},
        {131, 20, 8, 0, 256, 8, 2, KST_FORMAT_GREY}, {33, 70, 12, 40, 64, 4, 0, KST_FORMAT_BGR},
        {9, 5, 16, 1, 3, 8, 1, KST_FORMAT_RGB}, {37, 3, 8, 0, 256, 8, 2, KST_FORMAT_GREY}};
    (void)state;
    const size_t count = getenv("KOSTKA_TEST_SIMULATED") ? 1 : sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}

/* What does not fit the limit of memory is refused, and leaves no image behind. */
static void too_little_memory(void **state)
{
    const struct test_case c = {64, 64, 8, 0, 256, 8, 1, KST_FORMAT_GREY};
    (void)state;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_context *small = small_context_create(gpu_context[i], 1 << 20);
        const kst_image image = describe(&c, LEFT);
        struct placed left;
        kst_image disparity;
        kst_report report;
        kst_report_init(&report);
        placed_place(&left, small, &image, device_memory(small));
        kst_image_init(&disparity);
        disparity.memory = device_memory(small);
        assert_int_equal(kst_filter_stereo(small, &left.image, &left.image, NULL, &disparity, NULL, &report),
            KST_ERROR_LIMIT_MEMORY);
        assert_null(disparity.plane[0].data);
        placed_drop(&left);
        kst_context_destroy(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_cpu), cmocka_unit_test(too_little_memory)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
