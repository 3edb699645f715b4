/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep of a plane through a scene on every device, which must give what the CPU does. */
#include <stdlib.h>

#include "support/filters/scene.h"
#include "support/gpu/contexts.h"
#include "support/gpu/placed.h"
#include "support/random.h"
#include "support/test.h"

enum { RESULTS = 2, IMAGES = SCENE_VIEWS + RESULTS };

struct test_case {
    uint32_t width, height, views, planes, radius, agreeing;
    kst_sweep_measure measure;
};

static struct scene scene;

static kst_image describe(const struct test_case *c, uint32_t depth)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_GREY;
    image.colour = KST_COLOUR_GREY;
    image.width = c->width;
    image.height = c->height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = c->width, .height = c->height, .depth = (uint8_t)depth};
    image.plane[0].pitch = (ptrdiff_t)placed_row_bytes(&image);
    return image;
}

static void run(kst_context *context, const struct test_case *c, struct placed all[IMAGES])
{
    const kst_image *view[SCENE_VIEWS];
    kst_report report;
    kst_report_init(&report);
    kst_sweep_options options;
    kst_filter_sweep_options_init(&options);
    options.nearest = scene_nearest;
    options.farthest = scene_farthest;
    options.planes = c->planes;
    options.radius = c->radius;
    options.agreeing = c->agreeing;
    options.measure = c->measure;
    options.similar = 60;
    for (uint32_t i = 0; i < c->views; i++)
        view[i] = &all[i].image;
    if (kst_filter_sweep(context, view, scene.camera, c->views, 0, &options, &all[SCENE_VIEWS].image,
            &all[SCENE_VIEWS + 1].image, &report))
        fail_msg("%s", report.message);
}

/* Place the views, the reference being a part of its image, and both results, some of them in the host's memory. */
static void place_all(kst_context *context, const struct test_case *c, kst_memory memory, struct placed all[IMAGES])
{
    const uint32_t host = next_random() % 16;
    for (uint32_t i = 0; i < IMAGES; i++) {
        kst_image image = i < SCENE_VIEWS ? scene.image[i] : describe(c, i == SCENE_VIEWS ? 16 : 8);
        if (i == 0) {
            image.width = image.plane[0].width = c->width;
            image.height = image.plane[0].height = c->height;
        }
        placed_place(&all[i], context, &image, i == host ? KST_MEMORY_HOST : memory);
        if (i < SCENE_VIEWS)
            assert_int_equal(kst_image_copy(context, &image, &all[i].image), KST_OK);
    }
}

static void check_case(const struct test_case *c)
{
    struct placed wanted[IMAGES], all[IMAGES];
    place_all(cpu_context, c, KST_MEMORY_HOST, wanted);
    run(cpu_context, c, wanted);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        place_all(gpu_context[i], c, device_memory(gpu_context[i]), all);
        run(gpu_context[i], c, all);
        for (uint32_t k = SCENE_VIEWS; k < IMAGES; k++) {
            expect_same_image("sweep", gpu_context[i], &wanted[k].image, &all[k].image);
            placed_check("sweep", &all[k]);
        }
        for (uint32_t k = 0; k < IMAGES; k++)
            placed_drop(&all[k]);
    }
    for (uint32_t k = 0; k < IMAGES; k++)
        placed_drop(&wanted[k]);
}

static void same_as_cpu(void **state)
{
    static const struct test_case cases[] = {{20, 9, 3, 3, 1, 1, KST_SWEEP_NCC}, {1, 1, 2, 2, 4, 1, KST_SWEEP_NCC},
        {SCENE_WIDTH, SCENE_HEIGHT, SCENE_VIEWS, 7, 2, 2, KST_SWEEP_NCC}, {33, 50, 4, 3, 4, 1, KST_SWEEP_SAD},
        {40, 1, 2, 256, 3, 1, KST_SWEEP_NCC}};
    (void)state;
    const size_t count = getenv("KOSTKA_TEST_SIMULATED") ? 1 : sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_cpu)};
    scene_make(&scene);
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
