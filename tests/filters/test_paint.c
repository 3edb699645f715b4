/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters that are made of others with what these give and models of the rest, on all tiers and with several
 * numbers of threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

/* Make an image of slopes, edges and noise. The caller releases it. */
static kst_image make_image(kst_context *context, uint32_t width, uint32_t height, kst_format format, uint8_t depth)
{
    kst_image image;
    uint32_t channels = kst_format_channels(format), greatest = (1u << depth) - 1;
    kst_image_init(&image);
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = width, .height = height, .depth = depth};
    assert_int_equal(kst_image_allocate(context, &image), KST_OK);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t i = 0; i < width * channels; i++) {
            uint32_t value = (i / channels * 5 + y * 3) % 97 * 2 + next_random() % 20 + (i / channels / 9 % 2) * 40;
            ((uint8_t *)image.plane[0].data)[(ptrdiff_t)y * image.plane[0].pitch + i] = (uint8_t)(value & greatest);
        }
    return image;
}

static kst_image filtered(kst_context *context, const char *chain, const kst_image *from)
{
    kst_filter *filter;
    kst_report report;
    kst_image to;
    kst_report_init(&report);
    kst_image_init(&to);
    if (kst_filter_open(context, chain, &filter, &report) || kst_filter_run(filter, from, &to, &report))
        fail_msg("%s: %s", chain, report.message);
    kst_filter_close(&filter);
    return to;
}

static uint8_t *pixel_of(const kst_image *image, int64_t x, int64_t y)
{
    return (uint8_t *)image->plane[0].data + y * image->plane[0].pitch + x * kst_format_channels(image->format);
}

static uint32_t luminance(const kst_image *image, int64_t x, int64_t y)
{
    const uint8_t *pixel = pixel_of(image, x, y);
    return kst_format_channels(image->format) == 1
               ? pixel[0]
               : (pixel[0] * 9798u + pixel[1] * 19235u + pixel[2] * 3735u + 16384) / 32768;
}

struct cartoon {
    const char *chain, *smooth, *edges;
    int levels, line;
};

static bool is_dark(const kst_image *edges, int64_t x, int64_t y, int line)
{
    bool found = false;
    for (int64_t j = y - line / 2; j < y - line / 2 + line; j++)
        for (int64_t i = x - line / 2; i < x - line / 2 + line; i++)
            if (i >= 0 && j >= 0 && i < edges->width && j < edges->height)
                found |= *pixel_of(edges, i, j) > 0;
    return found;
}

/* Compare a pixel with the smooth one, whose luminance becomes that of its level. */
static void check_cartoon_pixel(
    const struct cartoon *c, const kst_image *smooth, bool dark, const kst_image *made, int64_t x, int64_t y)
{
    int greatest = (1 << smooth->plane[0].depth) - 1, own = (int)luminance(smooth, x, y);
    int level = own * c->levels / (greatest + 1);
    int rise = (2 * level * greatest + c->levels - 1) / (2 * (c->levels - 1)) - own;
    for (uint32_t i = 0; i < kst_format_channels(smooth->format); i++) {
        int value = pixel_of(smooth, x, y)[i], wanted = value + rise;
        wanted = dark || wanted < 0 ? 0 : wanted > greatest ? greatest : wanted;
        wanted = i == 3 ? value : wanted;
        if (pixel_of(made, x, y)[i] != wanted)
            fail_msg(
                "%s at %d, %d: sample %u is %d, not %d", c->chain, (int)x, (int)y, i, pixel_of(made, x, y)[i], wanted);
    }
}

static void check_cartoon(kst_context *context, const struct cartoon *c, const kst_image *from)
{
    kst_image smooth = filtered(context, c->smooth, from), edges = filtered(context, c->edges, &smooth);
    kst_image made = filtered(context, c->chain, from);
    for (int64_t y = 0; y < from->height; y++)
        for (int64_t x = 0; x < from->width; x++)
            check_cartoon_pixel(c, &smooth, c->line > 0 && is_dark(&edges, x, y, c->line), &made, x, y);
    kst_image_release(context, &smooth);
    kst_image_release(context, &edges);
    kst_image_release(context, &made);
}

static void cartoon(void **state)
{
    static const struct cartoon cases[] = {{"cartoon", "bilateral=25:2:3,bilateral=25:2:3", "grey,canny=40:100", 8, 2},
        {"cartoon=5:1:3:10:60:50:2", "bilateral=50:1.333:2", "grey,canny=10:60", 5, 3},
        {"cartoon=2:0:1", "crop=61x37", "grey,canny=40:100", 2, 1},
        {"cartoon=levels=64:line=0:passes=3:radius=1", "bilateral=25:0.666:1,bilateral=25:0.666:1,bilateral=25:0.666:1",
            "grey", 64, 0}};
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_GREY, KST_FORMAT_RGBA};
    (void)state;
    for (uint32_t i = 0; i < contexts.count; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            kst_image image = make_image(contexts.context[i], 61, 37, formats[(i + k) % 3], k == 1 ? 6 : 8);
            check_cartoon(contexts.context[i], &cases[k], &image);
            kst_image_release(contexts.context[i], &image);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cartoon)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
