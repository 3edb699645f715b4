/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stereo matching on all tiers and with several numbers of threads: against a model that follows each path pixel by
 * pixel, against scenes whose disparities are known, and with options and images that are refused.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

enum { UNIT = 256, WORST = 31, FAR = 100000 };

/* Two images of noise on which the same shapes have moved, and what is made of them. */
struct scene {
    uint32_t width, height;
    kst_format format;
    uint32_t depth;
    uint8_t *image[2];
    uint16_t *disparity;
    uint8_t *confidence;
};

static void *make(size_t count, size_t size)
{
    void *made = calloc(count, size);
    assert_non_null(made);
    return made;
}

static size_t sample_count(const struct scene *scene)
{
    return (size_t)scene->width * scene->height * kst_format_channels(scene->format);
}

static void scene_begin(struct scene *scene, uint32_t width, uint32_t height, kst_format format, uint32_t depth)
{
    *scene = (struct scene){.width = width, .height = height, .format = format, .depth = depth};
    for (int i = 0; i < 2; i++)
        scene->image[i] = make(sample_count(scene), depth > 8 ? 2 : 1);
    scene->disparity = make((size_t)width * height, sizeof *scene->disparity);
    scene->confidence = make((size_t)width * height, 1);
}

static void scene_end(struct scene *scene)
{
    free(scene->image[0]);
    free(scene->image[1]);
    free(scene->disparity);
    free(scene->confidence);
}

static void put(struct scene *scene, int which, size_t at, uint32_t value)
{
    if (scene->depth > 8)
        ((uint16_t *)(void *)scene->image[which])[at] = (uint16_t)value;
    else
        scene->image[which][at] = (uint8_t)value;
}

static uint32_t get(const struct scene *scene, int which, size_t at)
{
    return scene->depth > 8 ? ((uint16_t *)(void *)scene->image[which])[at] : scene->image[which][at];
}

/* Noise of a few tones, so that sums are often equal, the right one moved by some pixels. */
static void fill_noise(struct scene *scene)
{
    const uint32_t greatest = (1u << scene->depth) - 1, channels = kst_format_channels(scene->format);
    for (size_t i = 0; i < sample_count(scene); i++)
        put(scene, 0, i, next_random() % 6 * greatest / 5);
    for (size_t i = 0; i < sample_count(scene); i++) {
        size_t from = i + (size_t)(3 + i / channels % scene->width / 9) * channels;
        bool kept = next_random() % 8 > 0 && from < sample_count(scene);
        put(scene, 1, i, kept ? get(scene, 0, from) : next_random() % (greatest + 1));
    }
}

static kst_image image_of(const struct scene *scene, int which)
{
    kst_image image;
    assert_int_equal(
        kst_image_wrap(&image, scene->format, scene->width, scene->height, scene->image[which], 0), KST_OK);
    if (scene->depth > 8)
        image.plane[0].pitch *= 2;
    image.plane[0].depth = (uint8_t)scene->depth;
    return image;
}

static kst_image grey_of(const struct scene *scene, void *samples, uint32_t depth)
{
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, scene->width, scene->height, samples, 0), KST_OK);
    image.plane[0].depth = (uint8_t)depth;
    image.plane[0].pitch = (ptrdiff_t)scene->width * (depth > 8 ? 2 : 1);
    return image;
}

static void match(kst_context *context, struct scene *scene, const kst_stereo_options *options)
{
    const kst_image left = image_of(scene, 0), right = image_of(scene, 1);
    kst_image disparity = grey_of(scene, scene->disparity, 16), confidence = grey_of(scene, scene->confidence, 8);
    kst_report report;
    kst_report_init(&report);
    if (kst_filter_stereo(context, &left, &right, options, &disparity, &confidence, &report))
        fail_msg("%s", report.message);
}

/* ── A model ── */

struct model {
    const struct scene *scene;
    const kst_stereo_options *options;
    int *light[2], *cost, *sum, *path;
};

static int light_at(const struct model *model, int which, int x, int y)
{
    const int width = (int)model->scene->width, height = (int)model->scene->height;
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return model->light[which][y * width + x];
}

static void find_light(struct model *model, int which)
{
    const struct scene *scene = model->scene;
    const uint32_t channels = kst_format_channels(scene->format);
    const bool reversed = scene->format == KST_FORMAT_BGR;
    for (size_t i = 0; i < (size_t)scene->width * scene->height; i++) {
        uint32_t first = get(scene, which, i * channels);
        if (channels >= 3) {
            uint32_t red = get(scene, which, i * channels + (reversed ? 2 : 0));
            uint32_t blue = get(scene, which, i * channels + (reversed ? 0 : 2));
            first = (9798 * red + 19235 * get(scene, which, i * channels + 1) + 3735 * blue + 16384) / 32768;
        }
        model->light[which][i] = (int)first;
    }
}

static int cost_of(const struct model *model, int x, int y, int disparity)
{
    int other = x - disparity, cost = 0;
    if (other < 0)
        return WORST;
    for (int dy = -3; dy <= 0; dy++)
        for (int dx = -4; dx <= (dy < 0 ? 4 : -1); dx++)
            cost += (light_at(model, 0, x + dx, y + dy) > light_at(model, 0, x - dx, y - dy)) !=
                    (light_at(model, 1, other + dx, y + dy) > light_at(model, 1, other - dx, y - dy));
    return cost;
}

static int least_of(const int *value, int count)
{
    int least = FAR;
    for (int i = 0; i < count; i++)
        least = value[i] < least ? value[i] : least;
    return least;
}

/* A pixel's costs along a path, from those at the pixel before; null: it is the first one. */
static void path_at(const struct model *model, const int *cost, const int *before, int *path)
{
    const int count = (int)model->options->disparities, p1 = (int)model->options->p1, p2 = (int)model->options->p2;
    int least = before ? least_of(before, count) : 0;
    for (int i = 0; i < count; i++) {
        path[i] = cost[i];
        if (!before)
            continue;
        int best = before[i] < least + p2 ? before[i] : least + p2;
        if (i > 0 && before[i - 1] + p1 < best)
            best = before[i - 1] + p1;
        if (i + 1 < count && before[i + 1] + p1 < best)
            best = before[i + 1] + p1;
        path[i] += best - least;
    }
}

static void follow(struct model *model, int dx, int dy)
{
    const int width = (int)model->scene->width, height = (int)model->scene->height;
    const int count = (int)model->options->disparities;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            int x = dx >= 0 ? i : width - 1 - i, y = dy >= 0 ? j : height - 1 - j;
            bool inside = x - dx >= 0 && x - dx < width && y - dy >= 0 && y - dy < height;
            int *path = model->path + (y * width + x) * count;
            path_at(model, model->cost + (y * width + x) * count,
                inside ? model->path + ((y - dy) * width + x - dx) * count : NULL, path);
            for (int k = 0; k < count; k++)
                model->sum[(y * width + x) * count + k] += path[k];
        }
}

/* The least sum that pixel x of the right image has, and the first disparity that has it. */
static int right_choice(const struct model *model, int x, int y)
{
    const int width = (int)model->scene->width, count = (int)model->options->disparities;
    int best = 0, least = FAR;
    for (int i = 0; i < count && x + (int)model->options->least + i < width; i++) {
        int sum = model->sum[(y * width + x + (int)model->options->least + i) * count + i];
        best = sum < least ? i : best;
        least = sum < least ? sum : least;
    }
    return best;
}

static void expect_at(const struct model *model, int x, int y)
{
    const kst_stereo_options *options = model->options;
    const int width = (int)model->scene->width, first = (int)options->least;
    const int *sum = model->sum + (y * width + x) * (int)options->disparities;
    int visible = x - first + 1, best = 0, second = FAR, value = 0, sure = 0;
    visible = visible > (int)options->disparities ? (int)options->disparities : visible;
    for (int i = 0; i < visible; i++)
        best = sum[i] < sum[best] ? i : best;
    for (int i = 0; i < visible; i++)
        if (abs(i - best) > 1 && sum[i] < second)
            second = sum[i];
    bool known = visible > 0 && (second == FAR || second * (100 - (int)options->uniqueness) >= sum[best] * 100);
    if (known && options->tolerance >= 0)
        known = abs(right_choice(model, x - first - best, y) - best) <= options->tolerance;
    if (known) {
        value = (first + best) * UNIT;
        if (best > 0 && best + 1 < visible) {
            int curve = sum[best - 1] + sum[best + 1] - 2 * sum[best], lean = sum[best - 1] - sum[best + 1];
            int halves = lean * UNIT + (curve > 0 ? curve : 1), whole = 2 * (curve > 0 ? curve : 1);
            value += halves >= 0 ? halves / whole : -((-halves + whole - 1) / whole);
        }
        value = value > 0 ? value : 1;
        sure = second == FAR ? 255 : second > 0 ? 255 * (second - sum[best]) / second : 0;
    }
    size_t at = (size_t)y * (size_t)width + (size_t)x;
    if (model->scene->disparity[at] != value || model->scene->confidence[at] != sure)
        fail_msg("%d, %d of %ux%u: %u and %u instead of %d and %d", x, y, (unsigned)model->scene->width,
            (unsigned)model->scene->height, model->scene->disparity[at], model->scene->confidence[at], value, sure);
}

static void expect_model(const struct scene *scene, const kst_stereo_options *options)
{
    static const int steps[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};
    const size_t pixels = (size_t)scene->width * scene->height, all = pixels * options->disparities;
    struct model model = {.scene = scene, .options = options};
    model.cost = make(all, sizeof *model.cost);
    model.sum = make(all, sizeof *model.sum);
    model.path = make(all, sizeof *model.path);
    for (int i = 0; i < 2; i++) {
        model.light[i] = make(pixels, sizeof *model.light[i]);
        find_light(&model, i);
    }
    for (size_t i = 0; i < all; i++) {
        size_t pixel = i / options->disparities;
        model.cost[i] = cost_of(&model, (int)(pixel % scene->width), (int)(pixel / scene->width),
            (int)(options->least + i % options->disparities));
    }
    for (uint32_t i = 0; i < options->paths; i++)
        follow(&model, steps[i][0], steps[i][1]);
    for (uint32_t y = 0; y < scene->height; y++)
        for (uint32_t x = 0; x < scene->width; x++)
            expect_at(&model, (int)x, (int)y);
    free(model.light[0]);
    free(model.light[1]);
    free(model.path);
    free(model.sum);
    free(model.cost);
}

static kst_stereo_options options_of(uint32_t least, uint32_t disparities, uint32_t paths, int32_t tolerance)
{
    kst_stereo_options options;
    kst_filter_stereo_options_init(&options);
    options.least = least;
    options.disparities = disparities;
    options.paths = paths;
    options.tolerance = tolerance;
    return options;
}

static void models(void **state)
{
    static const struct {
        uint32_t width, height, depth, least, disparities, paths, p1, p2, uniqueness;
        int32_t tolerance;
        kst_format format;
    } cases[] = {{1, 1, 8, 0, 2, 8, 8, 48, 5, 1, KST_FORMAT_GREY}, {1, 30, 8, 0, 16, 8, 8, 48, 0, 0, KST_FORMAT_GREY},
        {40, 1, 8, 0, 31, 8, 0, 0, 0, -1, KST_FORMAT_RGB}, {2, 19, 16, 1, 3, 8, 3, 224, 5, 0, KST_FORMAT_GREY},
        {57, 21, 8, 0, 33, 8, 8, 48, 5, 1, KST_FORMAT_RGB}, {33, 40, 12, 2, 64, 4, 224, 224, 20, 2, KST_FORMAT_BGR},
        {23, 35, 8, 5, 7, 8, 1, 9, 99, 255, KST_FORMAT_RGBA}, {30, 9, 1, 40, 20, 8, 8, 48, 0, 1, KST_FORMAT_GREY}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        kst_stereo_options options =
            options_of(cases[i].least, cases[i].disparities, cases[i].paths, cases[i].tolerance);
        options.p1 = cases[i].p1;
        options.p2 = cases[i].p2;
        options.uniqueness = cases[i].uniqueness;
        scene_begin(&scene, cases[i].width, cases[i].height, cases[i].format, cases[i].depth);
        fill_noise(&scene);
        for (uint32_t k = 0; k < contexts.cpu_count; k++) {
            match(contexts.context[k], &scene, &options);
            expect_model(&scene, &options);
        }
        scene_end(&scene);
    }
}

/* ── Scenes whose disparities are known ── */

enum { SCENE_WIDTH = 200, SCENE_HEIGHT = 120, BEHIND = 6, BEFORE = 21 };

static bool is_before(uint32_t x, uint32_t y)
{
    return x >= 70 && x < 140 && y >= 30 && y < 90;
}

/* A square that floats before a wall, both of noise. What the square hides in the right image has no match. */
static void fill_square(struct scene *scene)
{
    for (size_t i = 0; i < sample_count(scene); i++) {
        put(scene, 0, i, next_random() % 256);
        put(scene, 1, i, next_random() % 256);
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t y = 0; y < SCENE_HEIGHT; y++)
            for (uint32_t x = 0; x < SCENE_WIDTH; x++) {
                uint32_t disparity = is_before(x, y) ? BEFORE : BEHIND;
                if (is_before(x, y) == (pass == 1) && x >= disparity)
                    put(scene, 1, (size_t)y * SCENE_WIDTH + x - disparity, get(scene, 0, (size_t)y * SCENE_WIDTH + x));
            }
}

static void known_scene(void **state)
{
    struct scene scene;
    const kst_stereo_options options = options_of(0, 64, 8, 1);
    uint32_t seen = 0, right = 0, hidden = 0, refused = 0;
    (void)state;
    scene_begin(&scene, SCENE_WIDTH, SCENE_HEIGHT, KST_FORMAT_GREY, 8);
    fill_square(&scene);
    match(contexts.context[0], &scene, &options);
    for (uint32_t y = 0; y < SCENE_HEIGHT; y++)
        for (uint32_t x = BEFORE; x < SCENE_WIDTH; x++) {
            uint32_t found = scene.disparity[(size_t)y * SCENE_WIDTH + x], wanted = is_before(x, y) ? BEFORE : BEHIND;
            if (!is_before(x, y) && is_before(x + BEFORE - BEHIND, y)) {
                hidden++;
                refused += found == 0;
            } else {
                seen++;
                right += abs((int)found - (int)(wanted * UNIT)) <= UNIT / 4;
            }
        }
    assert_true(right * 100 >= seen * 97);
    assert_true(refused * 100 >= hidden * 80);
    scene_end(&scene);
}

/* Half a pixel is found between pixels: the left image is the mean of neighbours of the right one. */
static void half_pixels(void **state)
{
    struct scene scene;
    const kst_stereo_options options = options_of(0, 32, 8, 1);
    uint64_t sum = 0, count = 0;
    (void)state;
    scene_begin(&scene, SCENE_WIDTH, SCENE_HEIGHT, KST_FORMAT_GREY, 8);
    for (size_t i = 0; i < sample_count(&scene); i++)
        put(&scene, 1, i, (i % 2 ? get(&scene, 1, i - (i > 0)) + next_random() % 64 : next_random() % 192) & 255);
    for (size_t i = 9; i < sample_count(&scene); i++)
        put(&scene, 0, i, (get(&scene, 1, i - 9) + get(&scene, 1, i - 8)) / 2);
    match(contexts.context[0], &scene, &options);
    for (size_t i = 0; i < sample_count(&scene); i++)
        if (i % SCENE_WIDTH > 16 && scene.disparity[i] != 0) {
            sum += scene.disparity[i];
            count++;
        }
    assert_true(count > SCENE_WIDTH * SCENE_HEIGHT / 2);
    assert_true(sum / count >= 8 * UNIT + UNIT / 4 && sum / count <= 8 * UNIT + 3 * UNIT / 4);
    scene_end(&scene);
}

/* ── What is refused ── */

static void refuse(const kst_stereo_options *options, const char *why)
{
    struct scene scene;
    kst_report report;
    kst_report_init(&report);
    kst_image disparity;
    kst_image_init(&disparity);
    scene_begin(&scene, 4, 4, KST_FORMAT_GREY, 8);
    const kst_image left = image_of(&scene, 0), right = image_of(&scene, 1);
    assert_int_equal(
        kst_filter_stereo(contexts.context[0], &left, &right, options, &disparity, NULL, &report), KST_ERROR_OPTIONS);
    if (!strstr(report.message, why))
        fail_msg("'%s' is not in '%s'", why, report.message);
    assert_null(disparity.plane[0].data);
    scene_end(&scene);
}

static void hostile_options(void **state)
{
    kst_stereo_options options = options_of(0, 1, 8, 1);
    (void)state;
    refuse(&options, "disparities are 2 to 256");
    options.disparities = 257;
    refuse(&options, "disparities are 2 to 256");
    options = options_of(UINT32_MAX, 2, 8, 1);
    refuse(&options, "come to more than 256");
    options = options_of(129, 128, 8, 1);
    refuse(&options, "come to more than 256");
    options = options_of(0, 16, 5, 1);
    refuse(&options, "paths are 4 or 8");
    options = options_of(0, 16, 4, -2);
    refuse(&options, "the tolerance is");
    options.tolerance = 256;
    refuse(&options, "the tolerance is");
    options = options_of(0, 16, 4, 0);
    options.p2 = 225;
    refuse(&options, "p2 is 0 to 224");
    options.p2 = 7;
    refuse(&options, "p1 is not above it");
    options = options_of(0, 16, 4, 0);
    options.uniqueness = 100;
    refuse(&options, "uniqueness is 0 to 99");
}

static kst_status try_images(const kst_image *left, const kst_image *right, kst_image *disparity, kst_image *confidence)
{
    return kst_filter_stereo(contexts.context[0], left, right, NULL, disparity, confidence, NULL);
}

static void hostile_images(void **state)
{
    struct scene scene;
    kst_image made, narrow;
    (void)state;
    scene_begin(&scene, 9, 5, KST_FORMAT_GREY, 8);
    const kst_image left = image_of(&scene, 0), right = image_of(&scene, 1);
    kst_image_init(&made);
    assert_int_equal(try_images(NULL, &right, &made, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(try_images(&left, &right, NULL, NULL), KST_ERROR_ARGUMENT);
    narrow = right;
    narrow.width = narrow.plane[0].width = 8;
    assert_int_equal(try_images(&left, &narrow, &made, NULL), KST_ERROR_IMAGE_SIZE);
    narrow = right;
    narrow.plane[0].depth = 7;
    assert_int_equal(try_images(&left, &narrow, &made, NULL), KST_ERROR_IMAGE_DEPTH);
    narrow = right;
    narrow.format = KST_FORMAT_PLANAR;
    assert_int_equal(try_images(&left, &narrow, &made, NULL), KST_ERROR_IMAGE_FORMAT);
    kst_image disparity = grey_of(&scene, scene.disparity, 8);
    assert_int_equal(try_images(&left, &right, &disparity, NULL), KST_ERROR_IMAGE_DEPTH);
    disparity = grey_of(&scene, scene.disparity, 16);
    kst_image confidence = grey_of(&scene, scene.disparity, 8);
    assert_int_equal(try_images(&left, &right, &disparity, &confidence), KST_ERROR_IMAGE_OVERLAP);
    confidence = grey_of(&scene, scene.image[1], 8);
    assert_int_equal(try_images(&left, &right, &made, &confidence), KST_ERROR_IMAGE_OVERLAP);
    assert_null(made.plane[0].data);
    /* An image may be both the left and the right one. */
    assert_int_equal(try_images(&left, &left, &made, NULL), KST_OK);
    assert_int_equal(made.plane[0].depth, 16);
    kst_image_release(contexts.context[0], &made);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(known_scene),
        cmocka_unit_test(half_pixels), cmocka_unit_test(hostile_options), cmocka_unit_test(hostile_images)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
