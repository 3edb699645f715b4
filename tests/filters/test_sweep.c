/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sweep of a plane through a scene whose depths are known, by all measures, tiers and numbers of threads, and what
 * is refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/filters/scene.h"
#include "support/machines.h"
#include "support/test.h"

struct found {
    uint16_t depth[SCENE_MOST];
    uint8_t confidence[SCENE_MOST];
};

static struct scene scene;

static kst_sweep_options usual(void)
{
    kst_sweep_options options;
    kst_filter_sweep_options_init(&options);
    options.nearest = scene_nearest;
    options.farthest = scene_farthest;
    return options;
}

static kst_image grey(void *samples, uint32_t depth)
{
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, SCENE_WIDTH, SCENE_HEIGHT, samples, 0), KST_OK);
    image.plane[0].depth = (uint8_t)depth;
    image.plane[0].pitch = SCENE_WIDTH * (depth > 8 ? 2 : 1);
    return image;
}

static kst_status sweep(kst_context *context, const kst_camera *camera, uint32_t views, uint32_t reference,
    const kst_sweep_options *options, struct found *found, kst_report *report)
{
    const kst_image *view[SCENE_VIEWS];
    kst_image depth = grey(found->depth, 16), confidence = grey(found->confidence, 8);
    for (uint32_t i = 0; i < SCENE_VIEWS; i++)
        view[i] = &scene.image[i];
    return kst_filter_sweep(context, view, camera, views, reference, options, &depth, &confidence, report);
}

static void expect_depths(const struct found *found, double unit, uint32_t least_known, uint32_t least_right)
{
    uint32_t plain = 0, known = 0, right = 0;
    for (uint32_t i = 0; i < SCENE_MOST; i++) {
        const uint32_t x = i % SCENE_WIDTH, y = i / SCENE_WIDTH;
        const double depth = scene_depth(&scene, 0, x, y);
        assert_true((found->depth[i] == 0) == (found->confidence[i] == 0));
        if (!scene_is_plain(&scene, x, y))
            continue;
        plain++;
        known += found->depth[i] != 0;
        right += found->depth[i] != 0 && fabs(found->depth[i] * unit - depth) < depth * 0.05;
    }
    assert_true(plain > SCENE_MOST / 8);
    if (known * 100 < plain * least_known || right * 100 < known * least_right)
        fail_msg("of %u pixels %u are known, and %u right", (unsigned)plain, (unsigned)known, (unsigned)right);
}

static void known_depths(void **state)
{
    struct found found[2];
    kst_sweep_options options = usual();
    (void)state;
    assert_int_equal(sweep(contexts.context[0], scene.camera, SCENE_VIEWS, 0, &options, &found[0], NULL), KST_OK);
    expect_depths(&found[0], scene_farthest / 65535, 90, 93);
    for (uint32_t i = 1; i < contexts.cpu_count; i++) {
        assert_int_equal(sweep(contexts.context[i], scene.camera, SCENE_VIEWS, 0, &options, &found[1], NULL), KST_OK);
        assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    }
    options.radius = 4;
    options.unit = 0.001;
    options.planes = 100;
    assert_int_equal(sweep(contexts.context[0], scene.camera, 3, 0, &options, &found[0], NULL), KST_OK);
    expect_depths(&found[0], 0.001, 70, 85);
}

/* Differences find depths where views are of one brightness. */
static void known_by_differences(void **state)
{
    struct found found;
    kst_sweep_options options = usual();
    (void)state;
    options.measure = KST_SWEEP_SAD;
    assert_int_equal(sweep(contexts.context[0], scene.camera, 3, 0, &options, &found, NULL), KST_OK);
    expect_depths(&found, scene_farthest / 65535, 50, 85);
}

/* Another scale of the world changes nothing but the unit. */
static void scaled(void **state)
{
    struct found found[2];
    kst_camera camera[SCENE_VIEWS];
    kst_sweep_options options = usual();
    (void)state;
    assert_int_equal(sweep(contexts.context[0], scene.camera, 4, 1, &options, &found[0], NULL), KST_OK);
    for (uint32_t i = 0; i < SCENE_VIEWS; i++) {
        camera[i] = scene.camera[i];
        for (int k = 0; k < 3; k++)
            camera[i].t[k] *= 1024;
    }
    options.nearest *= 1024;
    options.farthest *= 1024;
    assert_int_equal(sweep(contexts.context[0], camera, 4, 1, &options, &found[1], NULL), KST_OK);
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
}

/* Cameras that look away see nothing; all that is known then is nothing. */
static void unseen(void **state)
{
    struct found found;
    kst_camera camera[SCENE_VIEWS];
    kst_sweep_options options = usual();
    (void)state;
    memcpy(camera, scene.camera, sizeof camera);
    for (uint32_t i = 1; i < SCENE_VIEWS; i++)
        for (int k = 0; k < 9; k++)
            camera[i].r[k] = k == 4 ? 1 : -camera[i].r[k];
    options.agreeing = 1;
    options.similar = 1;
    assert_int_equal(sweep(contexts.context[0], camera, SCENE_VIEWS, 0, &options, &found, NULL), KST_OK);
    for (uint32_t i = 0; i < SCENE_MOST; i++)
        assert_true(found.depth[i] == 0 && found.confidence[i] == 0);
    for (uint32_t i = 0; i < SCENE_VIEWS; i++) /* numbers at their limits overflow nothing */
        for (int k = 0; k < 9; k++)
            camera[i].k[k] = k % 4 == 0 ? 1e6 : k % 3 == 2 ? -1e6 : 0;
    options.farthest = 1e6;
    assert_int_equal(sweep(contexts.context[0], camera, SCENE_VIEWS, 0, &options, &found, NULL), KST_OK);
    for (uint32_t i = 1; i < SCENE_VIEWS; i++) /* nor do numbers next to 0, by which nothing is seen */
        for (int k = 0; k < 9; k++)
            camera[i].k[k] = 1e-310;
    options.farthest = scene_farthest;
    memcpy(camera, scene.camera, sizeof camera[0]);
    assert_int_equal(sweep(contexts.context[0], camera, SCENE_VIEWS, 0, &options, &found, NULL), KST_OK);
    for (uint32_t i = 0; i < SCENE_MOST; i++)
        assert_true(found.depth[i] == 0 && found.confidence[i] == 0);
}

static void refuse(const kst_sweep_options *options, const kst_camera *camera, uint32_t views, const char *why)
{
    struct found found;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(sweep(contexts.context[0], camera, views, 0, options, &found, &report), KST_ERROR_OPTIONS);
    if (!strstr(report.message, why))
        fail_msg("'%s' is not in '%s'", why, report.message);
}

static void hostile_options(void **state)
{
    static const struct {
        double nearest, farthest, unit;
        uint32_t planes, radius, similar, agreeing;
        const char *why;
    } cases[] = {{0, 1, 0, 64, 2, 100, 1, "depths go"}, {2, 2, 0, 64, 2, 100, 1, "depths go"},
        {-1, 1, 0, 64, 2, 100, 1, "depths go"}, {1, (double)NAN, 0, 64, 2, 100, 1, "depths go"},
        {1, (double)INFINITY, 0, 64, 2, 100, 1, "depths go"}, {1, 2, -1, 64, 2, 100, 1, "a unit"},
        {1, 2, (double)NAN, 64, 2, 100, 1, "a unit"}, {1, 2, 2e-5, 64, 2, 100, 1, "more than 65535 units"},
        {1, 2, 0, 1, 2, 100, 1, "planes are"}, {1, 2, 0, 257, 2, 100, 1, "planes are"},
        {1, 2, 0, 64, 0, 100, 1, "the radius"}, {1, 2, 0, 64, 5, 100, 1, "the radius"},
        {1, 2, 0, 64, 2, 0, 1, "similar is"}, {1, 2, 0, 64, 2, 256, 1, "similar is"},
        {1, 2, 0, 64, 2, 100, 0, "must agree"}, {1, 2, 0, 64, 2, 100, 3, "must agree"}};
    kst_camera camera[SCENE_VIEWS];
    kst_sweep_options options = usual();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kst_sweep_options wrong = {sizeof wrong, cases[i].nearest, cases[i].farthest, cases[i].unit,
            cases[i].planes, cases[i].radius, KST_SWEEP_NCC, cases[i].similar, cases[i].agreeing};
        refuse(&wrong, scene.camera, 3, cases[i].why);
    }
    memcpy(camera, scene.camera, sizeof camera);
    camera[2].t[1] = (double)NAN;
    refuse(&options, camera, 3, "camera 2 has a number beyond");
    memcpy(camera, scene.camera, sizeof camera);
    camera[0].k[4] = 0;
    refuse(&options, camera, 3, "has no inverse");
    options.measure = (kst_sweep_measure)2;
    refuse(&options, scene.camera, 3, "NCC or SAD");
}

static void hostile_arguments(void **state)
{
    struct found found;
    const kst_sweep_options options = usual();
    kst_context *context = contexts.context[0];
    (void)state;
    assert_int_equal(sweep(context, scene.camera, 1, 0, &options, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(sweep(context, scene.camera, 3, 3, &options, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(sweep(context, scene.camera, 33, 0, &options, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(sweep(context, NULL, 3, 0, &options, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(sweep(context, scene.camera, 3, 0, NULL, &found, NULL), KST_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_depths), cmocka_unit_test(known_by_differences),
        cmocka_unit_test(scaled), cmocka_unit_test(unseen), cmocka_unit_test(hostile_options),
        cmocka_unit_test(hostile_arguments)};
    scene_make(&scene);
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
