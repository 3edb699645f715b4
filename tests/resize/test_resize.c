/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes images, and compares them with a model that is written from the definition of the arithmetic. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

enum { SENTINEL = 0xA5, PADDING = 24 };

/* Samples of an image in the model: `channels` values for each pixel, one after the other. */
struct model {
    uint32_t width, height, channels;
    uint32_t *value;
};

static struct model model_make(uint32_t width, uint32_t height, uint32_t channels)
{
    struct model model = {width, height, channels, calloc((size_t)width * height * channels, sizeof(uint32_t))};
    assert_non_null(model.value);
    return model;
}

static uint32_t *model_at(const struct model *model, uint32_t x, uint32_t y, uint32_t channel)
{
    return &model->value[((size_t)y * model->width + x) * model->channels + channel];
}

static double model_sinc(double x)
{
    const double pi = acos(-1);
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

static double model_support(kst_resize_filter filter)
{
    static const double supports[] = {2, 0.5, 1, 1, 3};
    return supports[filter];
}

static double model_filter(kst_resize_filter filter, double x)
{
    double d = fabs(x);
    switch (filter) {
    case KST_RESIZE_BOX:
        return x > -0.5 && x <= 0.5;
    case KST_RESIZE_BILINEAR:
        return d < 1 ? 1 - d : 0;
    case KST_RESIZE_HAMMING:
        if (d == 0)
            return 1;
        return d < 1 ? model_sinc(d) * ((double)0.54F + (double)0.46F * cos(acos(-1) * d)) : 0;
    case KST_RESIZE_BICUBIC:
        if (d < 1)
            return 1.5 * d * d * d - 2.5 * d * d + 1;
        return d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
    default:
        return d < 3 ? model_sinc(d) * model_sinc(d / 3) : 0;
    }
}

/* Sample number `index` of `count` that the samples from `begin` to `end` of a line become. */
static uint32_t model_sample(const uint32_t *line, size_t stride, uint32_t size, double begin, double end,
    uint32_t count, uint32_t index, kst_resize_filter filter, int bits, uint32_t greatest)
{
    double step = (end - begin) / count, stretch = step > 1 ? step : 1, support = model_support(filter) * stretch;
    double middle = begin + (index + 0.5) * step, sum = 0;
    int64_t total = INT64_C(1) << (bits - 1);
    uint32_t first = (uint32_t)fmax(floor(middle - support + 0.5), 0);
    uint32_t last = (uint32_t)fmin(floor(middle + support + 0.5), size);
    for (uint32_t i = first; i < last; i++)
        sum += model_filter(filter, (i + 0.5 - middle) / stretch);
    for (uint32_t i = first; i < last; i++) {
        double weight = model_filter(filter, (i + 0.5 - middle) / stretch) / sum;
        total += llround(ldexp(weight, bits)) * line[(size_t)i * stride];
    }
    total = total < 0 ? 0 : total >> bits;
    return total > greatest ? greatest : (uint32_t)total;
}

static struct model model_across(const struct model *from, uint32_t width, const kst_resize_box *box,
    kst_resize_filter filter, int bits, uint32_t greatest)
{
    struct model to = model_make(width, from->height, from->channels);
    for (uint32_t y = 0; y < to.height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < to.channels; c++)
                *model_at(&to, x, y, c) = model_sample(model_at(from, 0, y, c), from->channels, from->width, box->left,
                    box->right, width, x, filter, bits, greatest);
    return to;
}

static struct model model_down(const struct model *from, uint32_t height, const kst_resize_box *box,
    kst_resize_filter filter, int bits, uint32_t greatest)
{
    struct model to = model_make(from->width, height, from->channels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < to.width; x++)
            for (uint32_t c = 0; c < to.channels; c++)
                *model_at(&to, x, y, c) = model_sample(model_at(from, x, 0, c), (size_t)from->width * from->channels,
                    from->height, box->top, box->bottom, height, y, filter, bits, greatest);
    return to;
}

static void model_weigh(struct model *model, uint32_t greatest)
{
    for (uint32_t *p = model->value; p < model->value + (size_t)model->width * model->height * 4; p += 4)
        for (int c = 0; c < 3; c++)
            p[c] = (uint32_t)floor((double)p[c] * p[3] / greatest + 0.5);
}

static void model_divide(struct model *model, uint32_t greatest)
{
    for (uint32_t *p = model->value; p < model->value + (size_t)model->width * model->height * 4; p += 4)
        for (int c = 0; c < 3 && p[3] > 0 && p[3] < greatest; c++) {
            uint32_t value = (uint32_t)((uint64_t)p[c] * greatest / p[3]);
            p[c] = value > greatest ? greatest : value;
        }
}

static void replace(struct model *model, struct model by)
{
    free(model->value);
    *model = by;
}

static void model_mirror(struct model *model)
{
    struct model to = model_make(model->width, model->height, model->channels);
    for (uint32_t y = 0; y < to.height; y++)
        for (uint32_t x = 0; x < to.width; x++)
            for (uint32_t c = 0; c < to.channels; c++)
                *model_at(&to, to.width - 1 - x, y, c) = *model_at(model, x, y, c);
    replace(model, to);
}

/* One way to resize. The box is always given. */
struct test_case {
    kst_format format;
    uint32_t depth, width, height;
    kst_resize_options options;
};

/* Resize all samples that interleave. */
static void model_resize(struct model *model, const struct test_case *c, bool alpha)
{
    const kst_resize_options *o = &c->options;
    int bits = c->depth > 8 ? 30 : 22;
    uint32_t greatest = (1U << c->depth) - 1, width = model->width, height = model->height;
    bool across = o->width != width || o->box.left > 0 || o->box.right < width;
    bool down = o->height != height || o->box.top > 0 || o->box.bottom < height;
    bool first = o->order == KST_RESIZE_ORDER_AUTO && height > o->height &&
                 (int64_t)height - o->height > 2 * ((int64_t)width - o->width);
    if (alpha && (across || down))
        model_weigh(model, greatest);
    if (down && first)
        replace(model, model_down(model, o->height, &o->box, o->filter, bits, greatest));
    if (across)
        replace(model, model_across(model, o->width, &o->box, o->filter, bits, greatest));
    if (down && !first)
        replace(model, model_down(model, o->height, &o->box, o->filter, bits, greatest));
    if (alpha && (across || down))
        model_divide(model, greatest);
    if (o->mirror)
        model_mirror(model);
}

/* The image of a case, with poison between its rows. */
static void make_image(kst_image *image, const struct test_case *c, uint32_t width, uint32_t height)
{
    kst_image_init(image);
    image->format = c->format;
    image->width = width;
    image->height = height;
    image->plane_count = c->format == KST_FORMAT_PLANAR ? 3 : 1;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        *plane = (kst_plane){.width = width, .height = height, .depth = (uint8_t)c->depth};
        size_t channels = kst_format_channels(c->format) ? kst_format_channels(c->format) : 1;
        plane->pitch = (ptrdiff_t)(width * channels * (c->depth > 8 ? 2 : 1) + PADDING);
        plane->data = malloc((size_t)plane->pitch * height);
        assert_non_null(plane->data);
        memset(plane->data, SENTINEL, (size_t)plane->pitch * height);
    }
}

static void free_image(kst_image *image)
{
    for (uint32_t i = 0; i < image->plane_count; i++)
        free(image->plane[i].data);
}

static uint32_t sample_of(const kst_plane *plane, uint32_t depth, size_t index, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)plane->data + y * plane->pitch;
    return depth > 8 ? ((const uint16_t *)(const void *)row)[index] : row[index];
}

static void set_sample(const kst_plane *plane, uint32_t depth, size_t index, uint32_t y, uint32_t value)
{
    uint8_t *row = (uint8_t *)plane->data + y * plane->pitch;
    if (depth > 8)
        ((uint16_t *)(void *)row)[index] = (uint16_t)value;
    else
        row[index] = (uint8_t)value;
}

/* Noise, of which much is as small or as great as can be. */
static void fill(const kst_image *image, uint32_t depth)
{
    uint32_t greatest = (1U << depth) - 1;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t samples = ((size_t)plane->pitch - PADDING) / (depth > 8 ? 2 : 1);
        for (uint32_t y = 0; y < plane->height; y++)
            for (size_t x = 0; x < samples; x++) {
                uint32_t kind = next_random() >> 28;
                set_sample(plane, depth, x, y, kind < 4 ? 0 : kind < 8 ? greatest : next_random() & greatest);
            }
    }
}

static void check_plane(
    const struct model *model, const struct test_case *c, const kst_plane *plane, const char *machine)
{
    size_t samples = (size_t)model->width * model->channels;
    for (uint32_t y = 0; y < model->height; y++) {
        const uint8_t *row = (const uint8_t *)plane->data + y * plane->pitch;
        for (size_t x = 0; x < samples; x++)
            if (sample_of(plane, c->depth, x, y) != model->value[y * samples + x])
                fail_msg("%s: format %d, depth %u, %ux%u to %ux%u, filter %d, sample %zu of row %u is %u, not %u",
                    machine, (int)c->format, c->depth, c->width, c->height, c->options.width, c->options.height,
                    (int)c->options.filter, x, y, sample_of(plane, c->depth, x, y), model->value[y * samples + x]);
        for (ptrdiff_t i = plane->pitch - PADDING; i < plane->pitch; i++)
            assert_int_equal(row[i], SENTINEL);
    }
}

static struct model expected_of(const kst_image *from, const kst_plane *plane, const struct test_case *c)
{
    uint32_t channels = kst_format_channels(c->format) ? kst_format_channels(c->format) : 1;
    struct model model = model_make(from->width, from->height, channels);
    for (uint32_t y = 0; y < from->height; y++)
        for (size_t x = 0; x < (size_t)from->width * channels; x++)
            model.value[(size_t)y * from->width * channels + x] = sample_of(plane, c->depth, x, y);
    model_resize(&model, c, c->format == KST_FORMAT_RGBA || c->format == KST_FORMAT_BGRA);
    return model;
}

/* Every processor tier, and every number of threads. */
static void check_case(const struct test_case *c)
{
    static uint32_t turn;
    kst_image from, to;
    struct model expected[4];
    make_image(&from, c, c->width, c->height);
    fill(&from, c->depth);
    for (uint32_t i = 0; i < from.plane_count; i++)
        expected[i] = expected_of(&from, &from.plane[i], c);
    /* One in five goes to GPUs, which gpu_resize compares with the CPU. */
    const uint32_t machines = ++turn % 5 == 0 ? contexts.count : contexts.cpu_count;
    for (uint32_t m = 0; m < machines; m++) {
        make_image(&to, c, c->options.width, c->options.height);
        kst_status status = kst_resize(contexts.context[m], &from, &c->options, &to);
        if (status)
            fail_msg("%s: %s", contexts.name[m], kst_status_name(status));
        for (uint32_t i = 0; i < to.plane_count; i++)
            check_plane(&expected[i], c, &to.plane[i], contexts.name[m]);
        free_image(&to);
    }
    for (uint32_t i = 0; i < from.plane_count; i++)
        free(expected[i].value);
    free_image(&from);
}

static struct test_case case_of(kst_format format, uint32_t depth, uint32_t width, uint32_t height, uint32_t to_width,
    uint32_t to_height, kst_resize_filter filter)
{
    struct test_case c = {.format = format, .depth = depth, .width = width, .height = height};
    kst_resize_options_init(&c.options);
    c.options.width = to_width;
    c.options.height = to_height;
    c.options.filter = filter;
    c.options.box = (kst_resize_box){0, 0, width, height};
    return c;
}

static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA,
    KST_FORMAT_CMYK, KST_FORMAT_PLANAR};

static void test_odd_sizes(void **state)
{
    static const uint32_t sizes[][4] = {{1, 1, 1, 1}, {1, 1, 40, 3}, {300, 1, 3, 1}, {1, 300, 1, 3}, {900, 2, 1, 5},
        {2, 900, 5, 1}, {5, 5, 5, 5}, {5, 5, 5, 9}, {5, 5, 9, 5}, {31, 17, 8, 8}, {17, 40, 33, 7}, {64, 48, 20, 15},
        {9, 9, 64, 64}, {40, 90, 30, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (int filter = 0; filter <= KST_RESIZE_LANCZOS; filter++) {
                struct test_case c = case_of(
                    formats[f], 8, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], (kst_resize_filter)filter);
                check_case(&c);
                c.options.mirror = true;
                c.options.order = KST_RESIZE_ORDER_HORIZONTAL;
                check_case(&c);
            }
}

/* A length from 1 to `most`; small ones are frequent. */
static uint32_t random_side(uint32_t most)
{
    uint32_t bound = next_random() % 2 ? most : 9;
    return 1 + next_random() % bound;
}

/* An edge that binary32 holds, with a fraction or without. */
static double random_edge(double low, double high)
{
    double edge = low + (high - low) * (double)(next_random() >> 16) / 65536;
    return next_random() % 3 == 0 ? floor(edge) : (double)(float)edge;
}

/* A box whose length is a number of binary32, too: the model knows no other. */
static void random_range(uint32_t size, double *begin, double *end)
{
    *begin = random_edge(0, size * 0.9);
    *end = random_edge(*begin, size);
    if (*end <= *begin)
        *end = size;
    *begin = floor(*begin * 64) / 64;
    *end = ceil(*end * 64) / 64;
}

static void test_at_random(void **state)
{
    static const uint32_t depths[] = {8, 8, 8, 1, 5, 9, 12, 16, 16};
    (void)state;
    for (int i = 0; i < (THREADS_WATCHED ? 60 : 700); i++) {
        struct test_case c = case_of(formats[next_random() % 7], depths[next_random() % 9], random_side(120),
            random_side(120), random_side(120), random_side(120), (kst_resize_filter)(next_random() % 5));
        random_range(c.width, &c.options.box.left, &c.options.box.right);
        random_range(c.height, &c.options.box.top, &c.options.box.bottom);
        c.options.mirror = next_random() % 4 == 0;
        c.options.order = (kst_resize_order)(next_random() % 2);
        check_case(&c);
    }
}

struct fit_case {
    kst_resize_fit fit;
    uint32_t width, height, wanted_width, wanted_height;
};

static void test_sizes(void **state)
{
    static const struct fit_case cases[] = {{KST_RESIZE_EXACT, 50, 0, 50, 25}, {KST_RESIZE_EXACT, 0, 50, 100, 50},
        {KST_RESIZE_INSIDE, 50, 50, 50, 25}, {KST_RESIZE_INSIDE, 500, 10, 20, 10}, {KST_RESIZE_INSIDE, 1, 40, 1, 1},
        {KST_RESIZE_COVER, 33, 44, 33, 44}, {KST_RESIZE_COVER, 0, 44, 88, 44}, {KST_RESIZE_EXACT, 7, 9, 7, 9},
        {KST_RESIZE_INSIDE, 5, 0, 5, 2}, {KST_RESIZE_INSIDE, 7, 0, 7, 4}};
    kst_image from, to;
    kst_resize_options options;
    uint8_t pixels[200];
    (void)state;
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 20, 10, pixels, 0), KST_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kst_resize_options_init(&options);
        options.fit = cases[i].fit;
        options.width = cases[i].width;
        options.height = cases[i].height;
        assert_int_equal(kst_resize_describe(&from, &options, &to), KST_OK);
        assert_int_equal(to.width, cases[i].wanted_width);
        assert_int_equal(to.height, cases[i].wanted_height);
    }
}

/* The middle of a wide image: what an exact box gives. */
static void test_cover(void **state)
{
    kst_image from, covered, boxed;
    kst_resize_options options;
    kst_comparison comparison = {.size = sizeof comparison};
    static uint8_t pixels[60 * 20 * 3];
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)next_random();
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_RGB, 60, 20, pixels, 0), KST_OK);
    kst_resize_options_init(&options);
    kst_image_init(&covered);
    kst_image_init(&boxed);
    options.width = options.height = 12;
    options.fit = KST_RESIZE_COVER;
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &covered), KST_OK);
    options.fit = KST_RESIZE_EXACT;
    options.box = (kst_resize_box){20, 0, 40, 20};
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &boxed), KST_OK);
    assert_int_equal(kst_compare(&covered, &boxed, &comparison), KST_OK);
    assert_true(comparison.identical);
    kst_image_release(contexts.context[0], &covered);
    kst_image_release(contexts.context[0], &boxed);
}

static kst_resize_options to_four(void)
{
    kst_resize_options options;
    kst_resize_options_init(&options);
    options.width = options.height = 4;
    return options;
}

static void check_refused(const kst_image *from, const kst_resize_options *options, kst_status expected)
{
    kst_image to;
    kst_image_init(&to);
    kst_status status = kst_resize(contexts.context[0], from, options, &to);
    if (status != expected)
        fail_msg("%s, not %s", kst_status_name(status), kst_status_name(expected));
    assert_null(to.owned);
    assert_null(to.plane[0].data);
}

static void test_boxes_refused(void **state)
{
    static const kst_resize_box boxes[] = {{-0.5, 0, 8, 8}, {0, -1, 8, 8}, {0, 0, 8.5, 8}, {0, 0, 8, 9}, {4, 0, 4, 8},
        {5, 0, 4, 8}, {0, 3, 8, 3}, {0, 0, 0, 8}, {NAN, 0, 8, 8}, {0, NAN, 8, 8}, {0, 0, NAN, 8}, {0, 0, 8, NAN},
        {0, 0, INFINITY, 8}, {-INFINITY, 0, 8, 8}, {DBL_MAX, 0, 8, 8}, {3, 0, 3 + 1e-9, 8.0 - 1e-9}};
    uint8_t pixels[64] = {0};
    kst_image from;
    (void)state;
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 8, 8, pixels, 0), KST_OK);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        kst_resize_options options = to_four();
        options.box = boxes[i];
        options.box.right += 0;
        check_refused(&from, &options, KST_ERROR_REGION);
    }
}

static void test_options_refused(void **state)
{
    uint8_t pixels[64] = {0};
    kst_image from, to;
    kst_resize_options options = to_four();
    (void)state;
    kst_image_init(&to);
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 8, 8, pixels, 0), KST_OK);
    assert_int_equal(kst_resize(NULL, &from, &options, &to), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_resize(contexts.context[0], NULL, &options, &to), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_resize(contexts.context[0], &from, NULL, &to), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_resize_describe(&from, &options, NULL), KST_ERROR_ARGUMENT);
    kst_resize_options_init(NULL);
    options.size--;
    check_refused(&from, &options, KST_ERROR_OPTIONS);
    options = to_four();
    options.width = options.height = 0;
    check_refused(&from, &options, KST_ERROR_OPTIONS);
    options = to_four();
    options.fit = (kst_resize_fit)3;
    check_refused(&from, &options, KST_ERROR_OPTIONS);
    options = to_four();
    options.filter = (kst_resize_filter)5;
    check_refused(&from, &options, KST_ERROR_OPTIONS);
    options = to_four();
    options.order = (kst_resize_order)-1;
    check_refused(&from, &options, KST_ERROR_OPTIONS);
    options = to_four();
    options.width = UINT32_MAX;
    check_refused(&from, &options, KST_ERROR_IMAGE_SIZE);
    options.width = INT32_MAX;
    options.height = INT32_MAX;
    check_refused(&from, &options, KST_ERROR_LIMIT_PIXELS);
}

static void test_images_refused(void **state)
{
    uint16_t pixels[128] = {0};
    kst_image from, to;
    kst_resize_options options = to_four();
    (void)state;
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 8, 8, pixels, 0), KST_OK);
    from.plane[0].is_signed = true;
    check_refused(&from, &options, KST_ERROR_IMAGE_DEPTH);
    from.plane[0].is_signed = false;
    from.plane[0].depth = 17;
    check_refused(&from, &options, KST_ERROR_IMAGE_DEPTH);
    from.plane[0].depth = 8;
    from.plane[0].sample = KST_SAMPLE_FLOAT16;
    check_refused(&from, &options, KST_ERROR_IMAGE_SAMPLE);
    from.plane[0].sample = KST_SAMPLE_INTEGER;
    from.memory = KST_MEMORY_CUDA;
    check_refused(&from, &options, KST_ERROR_IMAGE_MEMORY);
    from.memory = KST_MEMORY_HOST;
    from.plane[0].data = NULL;
    check_refused(&from, &options, KST_ERROR_ARGUMENT);
    from.plane[0].data = pixels;
    kst_image_init(&to);
    to.memory = KST_MEMORY_OPENCL;
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_ERROR_IMAGE_MEMORY);
    from.format = KST_FORMAT_RAW;
    from.plane_count = 2;
    from.plane[1] = from.plane[0];
    from.plane[1].width = 4;
    check_refused(&from, &options, KST_ERROR_IMAGE_SIZE);
    from.plane[1].width = 8;
    from.plane[1].depth = 16;
    check_refused(&from, &options, KST_ERROR_IMAGE_DEPTH);
}

static void test_targets_refused(void **state)
{
    uint8_t pixels[64] = {0}, result[16];
    kst_image from, to;
    kst_resize_options options = to_four();
    (void)state;
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 8, 8, pixels, 0), KST_OK);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_GREY, 4, 4, pixels + 32, 0), KST_OK);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_ERROR_IMAGE_OVERLAP);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_GREY, 4, 3, result, 0), KST_OK);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_ERROR_IMAGE_SIZE);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_RGB, 4, 1, result, 0), KST_OK);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_ERROR_IMAGE_FORMAT);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_GREY, 4, 4, result, 0), KST_OK);
    to.plane[0].pitch = 3;
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_ERROR_IMAGE_PITCH);
    to.plane[0].pitch = 4;
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_OK);
}

/* A column between two others of one buffer shares no row with them, but lies among them. */
static void test_upside_down(void **state)
{
    uint8_t pixels[64], flipped[16], straight[16];
    kst_image from, to;
    kst_resize_options options = to_four();
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)next_random();
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 8, 8, pixels, 0), KST_OK);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_GREY, 4, 4, straight, 0), KST_OK);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_OK);
    assert_int_equal(kst_image_wrap(&to, KST_FORMAT_GREY, 4, 4, flipped + 12, -4), KST_OK);
    assert_int_equal(kst_resize(contexts.context[0], &from, &options, &to), KST_OK);
    for (size_t row = 0; row < 4; row++)
        assert_memory_equal(flipped + 4 * (3 - row), straight + 4 * row, 4);
}

static void test_memory_limit(void **state)
{
    static uint8_t pixels[1000 * 1000];
    kst_limits limits = {.memory = 20000};
    kst_image from, to;
    kst_resize_options options = to_four();
    kst_context_options made;
    kst_context *context;
    (void)state;
    kst_context_options_init(&made);
    made.device = "cpu";
    made.limits = limits;
    assert_int_equal(kst_context_create(&made, &context), KST_OK);
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, 1000, 1000, pixels, 0), KST_OK);
    kst_image_init(&to);
    assert_int_equal(kst_resize(context, &from, &options, &to), KST_ERROR_LIMIT_MEMORY);
    assert_null(to.owned);
    kst_context_destroy(&context);
}

/* Alpha, both passes, the vertical one first: all buffers that there are. */
static kst_status resize_tall(kst_context *context, const void *argument)
{
    kst_image from, to;
    kst_resize_options options = to_four();
    kst_image_init(&to);
    kst_status status = kst_image_wrap(&from, KST_FORMAT_RGBA, 8, 40, (void *)(uintptr_t)argument, 0);
    if (!status)
        status = kst_resize(context, &from, &options, &to);
    kst_image_release(context, &to);
    return status;
}

static void test_failing_allocations(void **state)
{
    static const uint8_t pixels[8 * 40 * 4];
    (void)state;
    assert_true(failing_check(resize_tall, pixels, 1) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd_sizes), cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_cover), cmocka_unit_test(test_boxes_refused),
        cmocka_unit_test(test_options_refused), cmocka_unit_test(test_images_refused),
        cmocka_unit_test(test_targets_refused), cmocka_unit_test(test_upside_down), cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
