/* SPDX-License-Identifier: BSD-2-Clause */
/* A region of a picture is that part of the whole, whatever the format, sampling, scale and coding. */
#include <stdlib.h>

#include "support/machines.h"
#include "support/pixels.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Return where the region's planes must start and how large they must be. */
static void place(const struct recipe *recipe, const kst_image *whole, const kst_region *region, uint32_t x[4],
    uint32_t y[4], uint32_t width[4], uint32_t height[4])
{
    uint32_t hmax = 1, vmax = 1;
    for (uint32_t i = 0; i < whole->plane_count && whole->format == KST_FORMAT_RAW; i++) {
        hmax = recipe->h[i] > hmax ? recipe->h[i] : hmax;
        vmax = recipe->v[i] > vmax ? recipe->v[i] : vmax;
    }
    for (uint32_t i = 0; i < whole->plane_count; i++) {
        bool raw = whole->format == KST_FORMAT_RAW && whole->plane_count > 1 && recipe->h[i] > 0;
        uint32_t h = raw ? recipe->h[i] : 1, v = raw ? recipe->v[i] : 1;
        uint32_t hm = raw ? hmax : 1, vm = raw ? vmax : 1;
        const kst_plane *plane = &whole->plane[i];
        x[i] = smaller(region->x * h / hm, plane->width - 1);
        y[i] = smaller(region->y * v / vm, plane->height - 1);
        width[i] = smaller(((region->x + region->width) * h + hm - 1) / hm, plane->width) - x[i];
        height[i] = smaller(((region->y + region->height) * v + vm - 1) / vm, plane->height) - y[i];
    }
}

static void check_region(uint32_t machine, const struct recipe *recipe, const struct stream *stream,
    const kst_decode_options *options, const kst_image *whole)
{
    uint32_t x[4], y[4], width[4], height[4];
    place(recipe, whole, &options->region, x, y, width, height);
    kst_image part = decode_image(contexts.context[machine], stream, options);
    bool fine = is_part(&part, whole, x, y);
    for (uint32_t i = 0; i < part.plane_count; i++)
        fine = fine && part.plane[i].width == width[i] && part.plane[i].height == height[i];
    if (!fine) {
        show_recipe(recipe);
        fail_msg("%s: format %d, 1/%u, region %u, %u, %u×%u", contexts.name[machine], (int)options->format,
            1U << options->reduce, options->region.x, options->region.y, options->region.width, options->region.height);
    }
    kst_image_release(contexts.context[machine], &part);
}

#define YCC .colour = KST_COLOUR_YCBCR
static const struct recipe small[] = {
    {.width = 21, .height = 19, YCC, .h = {2, 1, 1}, .v = {2, 1, 1}},
    {.width = 19, .height = 12, YCC, .h = {2, 1, 1}, .v = {1, 1, 1}},
    {.width = 12, .height = 19, YCC, .h = {1, 1, 1}, .v = {2, 1, 1}},
    {.width = 37, .height = 10, YCC, .h = {4, 1, 1}, .v = {1, 1, 1}},
    {.width = 11, .height = 12, YCC, .h = {1, 1, 1}, .v = {1, 1, 1}},
    {.width = 19, .height = 18, YCC, .h = {1, 2, 2}, .v = {1, 2, 1}},
    {.width = 27, .height = 11, YCC, .h = {3, 2, 1}, .v = {1, 1, 1}},
    {.width = 10, .height = 27, YCC, .h = {1, 1, 2}, .v = {3, 2, 1}},
    {.width = 20, .height = 18, .colour = KST_COLOUR_YCCK, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}},
    {.width = 11, .height = 9, .colour = KST_COLOUR_GREY, .h = {3}, .v = {2}},
};

/* Regions of every position and size, one in three; of planes one in seven, and fewer with sanitizers. */
static void check_all_regions(const struct recipe *recipe, kst_format format, uint32_t reduce)
{
    struct stream stream = make_stream(recipe);
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = format;
    options.reduce = reduce;
    kst_context *context = contexts.context[0];
    kst_image whole = decode_image(context, &stream, &options);
    uint32_t machine = contexts.count > 2 ? 2 : 0, count = 0;
    for (uint32_t x = 0; x < whole.width; x++) {
        for (uint32_t y = 0; y < whole.height; y++) {
            for (uint32_t w = 1; w <= whole.width - x; w++) {
                for (uint32_t h = 1; h <= whole.height - y; h++) {
                    if (spread_below(count++, SANITIZED                  ? 61
                                              : fewer_cases()            ? 13
                                              : format == KST_FORMAT_RAW ? 7
                                                                         : 3) != 0)
                        continue;
                    options.region = (kst_region){x, y, w, h};
                    check_region(machine, recipe, &stream, &options, &whole);
                }
            }
        }
    }
    kst_image_release(context, &whole);
    free(stream.data);
}

static void every_region(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(small); i++) {
        check_all_regions(&small[i], KST_FORMAT_AUTO, 0);
        check_all_regions(&small[i], KST_FORMAT_RAW, 0);
    }
}

static void every_reduced_region(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(small); i++) {
        struct recipe recipe = small[i];
        for (uint32_t reduce = 1; reduce <= 3; reduce++) {
            check_all_regions(&recipe, KST_FORMAT_AUTO, reduce);
            check_all_regions(&recipe, KST_FORMAT_RAW, reduce);
            recipe.width += recipe.width / 2 * reduce;
            recipe.height += recipe.height / 2 * reduce;
        }
    }
}

static bool convertible(kst_colour colour, kst_format format)
{
    bool ink = colour == KST_COLOUR_CMYK || colour == KST_COLOUR_YCCK;
    return format == KST_FORMAT_GREY ? !ink : format == KST_FORMAT_CMYK ? ink : true;
}

static kst_region random_region(uint32_t width, uint32_t height, uint32_t *random)
{
    kst_region region;
    region.x = random_next(random) % width;
    region.y = random_next(random) % height;
    region.width = 1 + random_next(random) % (width - region.x);
    region.height = 1 + random_next(random) % (height - region.y);
    return region;
}

static void check_random_regions(const struct recipe *recipe, uint32_t count, uint32_t *random)
{
    struct stream stream = make_stream(recipe);
    for (kst_format format = KST_FORMAT_GREY; format <= KST_FORMAT_RAW; format++) {
        for (uint32_t reduce = 0; reduce <= 3; reduce++) {
            kst_decode_options options;
            if (!convertible(recipe->colour, format))
                continue;
            kst_decode_options_init(&options);
            options.format = format;
            options.reduce = reduce;
            kst_image whole = decode_image(contexts.context[0], &stream, &options);
            for (uint32_t i = 0; i < count; i++) {
                options.region = random_region(whole.width, whole.height, random);
                check_region(random_next(random) % contexts.count, recipe, &stream, &options, &whole);
            }
            kst_image_release(contexts.context[0], &whole);
        }
    }
    free(stream.data);
}

static void random_regions(void **state)
{
    static const struct recipe larger[] = {
        {.width = 541, .height = 377, YCC, .h = {2, 1, 1}, .v = {2, 1, 1}},
        {.width = 541, .height = 377, YCC, .h = {2, 1, 1}, .v = {1, 1, 1}, .restart = {KST_RESTART_MCUS, 9}},
        {.width = 377, .height = 541, YCC, .h = {1, 1, 1}, .v = {2, 1, 1}, .coding = KST_CODING_PROGRESSIVE},
        {.width = 377, .height = 541, YCC, .h = {4, 2, 1}, .v = {1, 1, 1}},
        {.width = 499, .height = 349, YCC, .h = {3, 2, 1}, .v = {1, 2, 1}, .restart = {KST_RESTART_ROWS, 2}},
        {.width = 499, .height = 349, .colour = KST_COLOUR_RGB},
        {.width = 350, .height = 401, .colour = KST_COLOUR_GREY},
        {.width = 350, .height = 401, .colour = KST_COLOUR_CMYK},
        {.width = 350, .height = 401, .colour = KST_COLOUR_YCCK, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}},
    };
    uint32_t random = 11;
    (void)state;
    for (uint32_t i = 0; i < COUNT(larger); i++)
        check_random_regions(&larger[i], SANITIZED ? 1 : fewer_cases() ? 2 : 5, &random);
    for (uint32_t i = 0; i < COUNT(small); i++)
        check_random_regions(&small[i], SANITIZED ? 2 : fewer_cases() ? 5 : 15, &random);
}

static void regions_outside(void **state)
{
    static const kst_region bad[] = {{0, 0, 22, 1}, {0, 0, 1, 20}, {21, 0, 1, 1}, {0, 19, 1, 1}, {0, 0, 0, 1},
        {0, 0, 1, 0}, {20, 18, 2, 1}, {UINT32_MAX, 0, 1, 1}, {1, 0, UINT32_MAX, 1}, {0, UINT32_MAX, 1, 1},
        {0, 1, 1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    struct stream stream = make_stream(&small[0]);
    (void)state;
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kst_decode_options options;
        kst_image image;
        kst_decode_options_init(&options);
        kst_image_init(&image);
        options.region = bad[i];
        assert_int_equal(
            kst_decode(contexts.context[0], stream.data, stream.length, &options, &image, NULL), KST_ERROR_REGION);
        assert_null(image.plane[0].data);
    }
    free(stream.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_region),
        cmocka_unit_test(every_reduced_region),
        cmocka_unit_test(random_regions),
        cmocka_unit_test(regions_outside),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
