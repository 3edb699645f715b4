/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion between RGB and planes of Y, Cb and Cr on the CPU: the samples are those of the formulas of H.273 in
 * floating point, all colours come back, chroma is enlarged, and what cannot be converted is refused.
 */
#include <math.h>
#include <stdlib.h>

#include <kostka/kostka_filter.h>

#include "support/random.h"
#include "support/test.h"

static kst_context *context;

static int start(void **state)
{
    (void)state;
    return kst_context_create(NULL, &context) ? 1 : 0;
}

static int stop(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

static void describe_rgb(uint32_t width, uint32_t height, uint32_t depth, kst_image *image)
{
    kst_image_init(image);
    image->format = KST_FORMAT_RGB;
    image->colour = KST_COLOUR_RGB;
    image->width = width;
    image->height = height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = width, .height = height, .depth = (uint8_t)depth};
}

static void describe_planes(uint32_t width, uint32_t height, uint32_t h, uint32_t v, uint32_t depth, kst_image *image)
{
    describe_rgb(width, height, depth, image);
    image->format = KST_FORMAT_RAW;
    image->colour = KST_COLOUR_YCBCR;
    image->plane_count = 3;
    for (uint32_t i = 1; i < 3; i++)
        image->plane[i] =
            (kst_plane){.width = (width + h - 1) / h, .height = (height + v - 1) / v, .depth = (uint8_t)depth};
}

static uint32_t sample_of(const kst_image *image, uint32_t plane, uint32_t x, uint32_t y, uint32_t channel)
{
    const kst_plane *p = &image->plane[plane];
    const uint8_t *row = (const uint8_t *)p->data + (ptrdiff_t)y * p->pitch;
    const size_t index = image->format == KST_FORMAT_RGB ? 3 * (size_t)x + channel : x;
    return p->depth > 8 ? ((const uint16_t *)(const void *)row)[index] : row[index];
}

static void set_sample(const kst_image *image, uint32_t plane, uint32_t x, uint32_t y, uint32_t channel, uint32_t value)
{
    const kst_plane *p = &image->plane[plane];
    uint8_t *row = (uint8_t *)p->data + (ptrdiff_t)y * p->pitch;
    const size_t index = image->format == KST_FORMAT_RGB ? 3 * (size_t)x + channel : x;
    if (p->depth > 8)
        ((uint16_t *)(void *)row)[index] = (uint16_t)value;
    else
        row[index] = (uint8_t)value;
}

/* Every sample by chance; some of the pixels are corners of the cube. */
static void fill(const kst_image *image)
{
    for (uint32_t i = 0; i < image->plane_count; i++)
        for (uint32_t y = 0; y < image->plane[i].height; y++)
            for (uint32_t x = 0; x < image->plane[i].width; x++)
                for (uint32_t c = 0; c < (image->format == KST_FORMAT_RGB ? 3 : 1); c++) {
                    const uint32_t greatest = (1u << image->plane[i].depth) - 1;
                    set_sample(image, i, x, y, c,
                        x % 4 == 0 ? (next_random() % 2) * greatest : next_random() % (greatest + 1));
                }
}

static void convert(const kst_image *from, kst_image *to, uint8_t matrix, bool limited)
{
    kst_ycbcr_options options;
    kst_filter_item item = {.from = from, .to = to};
    kst_filter_ycbcr_options_init(&options);
    options.matrix = matrix;
    options.limited = limited;
    if (kst_filter_ycbcr(context, &item, 1, &options))
        fail_msg("%s", item.report.message);
    assert_int_equal(item.report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
}

struct model {
    double red, blue, greatest, luma, chroma, black, middle;
};

static struct model model_of(uint8_t matrix, uint32_t depth, bool limited)
{
    const double greatest = (1 << depth) - 1, unit = 1 << (depth - 8);
    const bool bt709 = matrix == 1, bt2020 = matrix == 9;
    return (struct model){bt709    ? 0.2126
                          : bt2020 ? 0.2627
                                   : 0.299,
        bt709    ? 0.0722
        : bt2020 ? 0.0593
                 : 0.114,
        greatest, limited ? 219 * unit : greatest, limited ? 224 * unit : greatest, limited ? 16 * unit : 0,
        128 * unit};
}

/* The integers differ from the formula by the rounding of the weights, too: by 2^-17 of each sample. */
static void near(double wanted, uint32_t found, double greatest)
{
    wanted = wanted < 0 ? 0 : wanted > greatest ? greatest : wanted;
    if (fabs(wanted - found) > 0.501 + greatest / 30000)
        fail_msg("%u instead of %f", (unsigned)found, wanted);
}

static void check_pixel(const struct model *m, const double rgb[3], const kst_image *planes, uint32_t x, uint32_t y)
{
    const double e = (m->red * rgb[0] + (1 - m->red - m->blue) * rgb[1] + m->blue * rgb[2]) / m->greatest;
    near(m->black + m->luma * e, sample_of(planes, 0, x, y, 0), m->greatest);
    near(m->middle + m->chroma * (rgb[2] / m->greatest - e) / (2 - 2 * m->blue), sample_of(planes, 1, x, y, 0),
        m->greatest);
    near(m->middle + m->chroma * (rgb[0] / m->greatest - e) / (2 - 2 * m->red), sample_of(planes, 2, x, y, 0),
        m->greatest);
}

static void check_colour(const struct model *m, const kst_image *planes, const kst_image *rgb, uint32_t x, uint32_t y)
{
    const double e = (sample_of(planes, 0, x, y, 0) - m->black) / m->luma;
    const double b = (sample_of(planes, 1, x, y, 0) - m->middle) / m->chroma * (2 - 2 * m->blue) + e;
    const double r = (sample_of(planes, 2, x, y, 0) - m->middle) / m->chroma * (2 - 2 * m->red) + e;
    near(m->greatest * r, sample_of(rgb, 0, x, y, 0), m->greatest);
    near(
        m->greatest * (e - m->red * r - m->blue * b) / (1 - m->red - m->blue), sample_of(rgb, 0, x, y, 1), m->greatest);
    near(m->greatest * b, sample_of(rgb, 0, x, y, 2), m->greatest);
}

static void check(uint8_t matrix, uint32_t depth, bool limited)
{
    const struct model model = model_of(matrix, depth, limited);
    kst_image rgb, planes, back;
    describe_rgb(67, 41, depth, &rgb);
    assert_int_equal(kst_image_allocate(context, &rgb), KST_OK);
    fill(&rgb);
    kst_image_init(&planes);
    kst_image_init(&back);
    convert(&rgb, &planes, matrix, limited);
    assert_int_equal(planes.format, KST_FORMAT_RAW);
    assert_int_equal(planes.plane_count, 3);
    convert(&planes, &back, matrix, limited);
    assert_int_equal(back.format, KST_FORMAT_RGB);
    for (uint32_t y = 0; y < rgb.height; y++)
        for (uint32_t x = 0; x < rgb.width; x++) {
            double colour[3];
            for (uint32_t c = 0; c < 3; c++) {
                colour[c] = sample_of(&rgb, 0, x, y, c);
                assert_true(abs((int)colour[c] - (int)sample_of(&back, 0, x, y, c)) <= 3);
            }
            check_pixel(&model, colour, &planes, x, y);
        }
    fill(&planes);
    convert(&planes, &back, matrix, limited);
    for (uint32_t y = 0; y < rgb.height; y++)
        for (uint32_t x = 0; x < rgb.width; x++)
            check_colour(&model, &planes, &back, x, y);
    kst_image_release(context, &back);
    kst_image_release(context, &planes);
    kst_image_release(context, &rgb);
}

static void test_formulas(void **state)
{
    static const uint8_t matrices[] = {0, 1, 2, 5, 6, 9};
    static const uint32_t depths[] = {8, 10, 16};
    (void)state;
    for (size_t m = 0; m < sizeof matrices; m++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (uint32_t limited = 0; limited < 2; limited++)
                check(matrices[m], depths[d], limited);
}

/* Planes that are smaller become what they are once they have been enlarged. */
static void test_chroma(void **state)
{
    kst_image planes, whole, found, wanted;
    kst_resize_options options;
    (void)state;
    describe_planes(61, 37, 2, 2, 8, &planes);
    describe_planes(61, 37, 1, 1, 8, &whole);
    assert_int_equal(kst_image_allocate(context, &planes), KST_OK);
    assert_int_equal(kst_image_allocate(context, &whole), KST_OK);
    fill(&planes);
    kst_resize_options_init(&options);
    options.width = 61;
    options.height = 37;
    options.filter = KST_RESIZE_BILINEAR;
    for (uint32_t i = 0; i < 3; i++) {
        kst_image from, to;
        assert_int_equal(kst_image_wrap(&from, KST_FORMAT_GREY, planes.plane[i].width, planes.plane[i].height,
                             planes.plane[i].data, planes.plane[i].pitch),
            KST_OK);
        assert_int_equal(
            kst_image_wrap(&to, KST_FORMAT_GREY, 61, 37, whole.plane[i].data, whole.plane[i].pitch), KST_OK);
        assert_int_equal(kst_resize(context, &from, &options, &to), KST_OK);
    }
    kst_image_init(&found);
    kst_image_init(&wanted);
    convert(&planes, &found, 5, false);
    convert(&whole, &wanted, 5, false);
    for (uint32_t y = 0; y < 37; y++)
        for (uint32_t x = 0; x < 61; x++)
            for (uint32_t c = 0; c < 3; c++)
                assert_int_equal(sample_of(&found, 0, x, y, c), sample_of(&wanted, 0, x, y, c));
    kst_image_release(context, &wanted);
    kst_image_release(context, &found);
    kst_image_release(context, &whole);
    kst_image_release(context, &planes);
}

static kst_status status_of(const kst_image *from, kst_image *to, uint8_t matrix)
{
    kst_ycbcr_options options;
    kst_filter_item item = {.from = from, .to = to};
    kst_filter_ycbcr_options_init(&options);
    options.matrix = matrix;
    const kst_status status = kst_filter_ycbcr(context, &item, 1, &options);
    assert_int_equal(item.report.status, status);
    return status;
}

static void test_refused(void **state)
{
    kst_image planes, to, before, bad;
    (void)state;
    describe_planes(16, 8, 2, 1, 8, &planes);
    assert_int_equal(kst_image_allocate(context, &planes), KST_OK);
    fill(&planes);
    kst_image_init(&to);
    before = to;
    assert_int_equal(status_of(&planes, &to, 3), KST_ERROR_OPTIONS);
    bad = planes;
    bad.plane_count = 2;
    assert_int_equal(status_of(&bad, &to, 5), KST_ERROR_IMAGE_FORMAT);
    bad = planes;
    bad.plane[1].is_signed = true;
    assert_int_equal(status_of(&bad, &to, 5), KST_ERROR_IMAGE_DEPTH);
    bad = planes;
    bad.plane[0].depth = bad.plane[1].depth = bad.plane[2].depth = 7;
    assert_int_equal(status_of(&bad, &to, 5), KST_ERROR_IMAGE_DEPTH);
    bad = planes;
    bad.width = 8;
    assert_int_equal(status_of(&bad, &to, 5), KST_ERROR_IMAGE_SIZE);
    assert_memory_equal(&to, &before, sizeof to);
    /* One that fails disturbs no other. */
    kst_filter_item items[2] = {{.from = &bad, .to = &to}, {.from = &planes, .to = &to}};
    assert_int_equal(kst_filter_ycbcr(context, items, 2, NULL), KST_ERROR_IMAGE_SIZE);
    assert_int_equal(items[1].report.status, KST_OK);
    assert_int_equal(to.width, 16);
    /* A result of another size, and one that shares memory with the source. */
    bad = to;
    bad.width = bad.plane[0].width = 15;
    assert_int_equal(status_of(&planes, &bad, 5), KST_ERROR_IMAGE_SIZE);
    bad = to;
    bad.plane[0].data = planes.plane[0].data;
    assert_int_equal(status_of(&planes, &bad, 5), KST_ERROR_IMAGE_OVERLAP);
    assert_int_equal(kst_filter_ycbcr(NULL, items, 1, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_ycbcr(context, items, 0, NULL), KST_OK);
    kst_image_release(context, &to);
    kst_image_release(context, &planes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_chroma),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
