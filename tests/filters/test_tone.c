/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps, colours and counts, on all tiers and with several numbers of threads: against models in floating-point
 * numbers, and against other filters where they must agree.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/filters/modelled.h"
#include "support/machines.h"
#include "support/test.h"

/* ── warp ── */

/* The matrix of the case, and what lies outside. */
static struct {
    double k[8];
    bool cubic, edge;
} warp;

static double keys(double distance)
{
    double d = fabs(distance);
    return d < 1 ? 1.5 * d * d * d - 2.5 * d * d + 1 : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2 : 0;
}

static double held(const struct picture *from, double x, double y, uint32_t c)
{
    double right = from->image.width - 1.0, bottom = from->image.height - 1.0;
    bool inside = x >= 0 && y >= 0 && x <= right && y <= bottom;
    if (!inside && !warp.edge)
        return 0;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return picture_get(from, (uint32_t)x, (uint32_t)y, c);
}

static double model_warp(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    const double *k = warp.k;
    double under = k[6] * x + k[7] * y + 1, sum = 0, size = 0, greatest = (1u << from->image.plane[0].depth) - 1;
    double u = rint((k[0] * x + k[1] * y + k[2]) / under * 256) / 256;
    double v = rint((k[3] * x + k[4] * y + k[5]) / under * 256) / 256;
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            double column = floor(u) + i, row = floor(v) + j, du = fabs(u - column), dv = fabs(v - row);
            double weight = warp.cubic ? keys(du) * keys(dv) : du < 1 && dv < 1 ? (1 - du) * (1 - dv) : 0;
            sum += weight * held(from, column, row, c);
            size += fabs(weight);
        }
    /* A place that is half a 256th may be rounded to the other side; cubic weights have 12 bits. */
    *within = 0.6 + greatest * (warp.cubic ? 0.02 : 0.012) * size;
    return sum < 0 ? 0 : sum > greatest ? greatest : sum;
}

static void warp_models(void **state)
{
    static const struct {
        const char *matrix;
        double k[8];
    } cases[] = {
        {"0.866025404:0.5:-9.25:-0.5:0.866025404:14.125", {0.866025404, 0.5, -9.25, -0.5, 0.866025404, 14.125}},
        {"2.5:0:0:0:3.25:-7", {2.5, 0, 0, 0, 3.25, -7}}, {"0.3:0.01:20:-0.02:0.4:9", {0.3, 0.01, 20, -0.02, 0.4, 9}},
        {"1.1:0.2:-3:0.1:0.9:2:0.004:0.002", {1.1, 0.2, -3, 0.1, 0.9, 2, 0.004, 0.002}}};
    char chain[120];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 4; way++) {
            warp.cubic = way & 1;
            warp.edge = way & 2;
            memcpy(warp.k, cases[i].k, sizeof warp.k);
            snprintf(chain, sizeof chain, "warp=%s:weights=%s:outside=%s", cases[i].matrix,
                warp.cubic ? "bicubic" : "bilinear", warp.edge ? "edge" : "black");
            check_model(chain, formats[(i + (size_t)way) % FORMATS], depths[way], model_warp);
        }
}

/* Whole pixels stay what they are, to the last bit. */
static void warp_exactly(void **state)
{
    static const char *const weights[] = {"bilinear", "bicubic"};
    char chain[120];
    (void)state;
    for (int i = 0; i < 2 * FORMATS; i++) {
        kst_format format = formats[i / 2];
        uint32_t depth = depths[i % 5];
        snprintf(chain, sizeof chain, "warp=1:0:0:0:1:0:weights=%s", weights[i % 2]);
        check_chains(chain, "crop=61x37", format, depth);
        snprintf(chain, sizeof chain, "warp=1:0:7:0:1:3:size=50x30:weights=%s", weights[i % 2]);
        check_chains(chain, "crop=50x30:7:3", format, depth);
        snprintf(chain, sizeof chain, "warp=0:1:0:-1:0:36:size=37x61:weights=%s", weights[i % 2]);
        check_chains(chain, "rotate=90", format, depth);
        snprintf(chain, sizeof chain, "warp=-1:0:60:0:1:0:weights=%s", weights[i % 2]);
        check_chains(chain, "flip", format, depth);
    }
    check_chains("warp=1:0:500:0:1:0", "threshold=65535", KST_FORMAT_RGB, 8);
    check_chains("warp=1:0:0:0:1:0:0:-1", "warp=1:0:0:0:1:0:0:-1:outside=edge", KST_FORMAT_GREY, 8); /* behind: black */
}

/* ── colours ── */

static double clip(const struct picture *from, double value)
{
    double greatest = (1u << from->image.plane[0].depth) - 1;
    return value < 0 ? 0 : value > greatest ? greatest : value;
}

static double model_matrix(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    static const double m[3][4] = {{0.5, 1.25, -0.75, 0.1}, {-1, 2, 0, 0}, {0.2126, 0.7152, 0.0722, -0.2}};
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    uint32_t row = reversed ? 2 - c : c;
    double greatest = (1u << from->image.plane[0].depth) - 1, sum;
    *within = 0.51 + greatest / 20000;
    if (c == 3)
        return picture_get(from, x, y, 3);
    sum = m[row][3] * greatest;
    for (uint32_t k = 0; k < 3; k++)
        sum += m[row][k] * picture_colour(from, x, y, k);
    return clip(from, sum);
}

static double model_green(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return picture_get(from, x, y, 1);
}

static double model_blue(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return picture_colour(from, x, y, 2);
}

static double model_alpha(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return picture_get(from, x, y, 3);
}

static double model_rgb(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    *within = 0;
    return picture_get(from, x, y, from->image.format == KST_FORMAT_GREY ? 0 : c);
}

static void colours(void **state)
{
    static const char matrix[] = "matrix=0.5:1.25:-0.75:-1:2:0:0.2126:0.7152:0.0722:red=0.1:blue=-0.2";
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        check_model("rgb", formats[i], depths[i], model_rgb);
        if (i == 0)
            continue;
        check_model(matrix, formats[i], depths[i], model_matrix);
        check_model("channel=green", formats[i], depths[i], model_green);
        check_model("channel=blue", formats[i], depths[i], model_blue);
        if (i > 2)
            check_model("channel=alpha", formats[i], depths[i], model_alpha);
    }
    check_chains("grey,rgb,channel=red", "grey", KST_FORMAT_BGRA, 8);
    check_chains("matrix=0:1:0:0:0:1:1:0:0,channel=blue", "channel=red", KST_FORMAT_BGR, 16);
}

/* ── normalise ── */

static double model_normalise(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    static uint32_t count[65536];
    uint32_t greatest = (1u << from->image.plane[0].depth) - 1, low = 0, high = greatest;
    double below = 0, above = 0, all = WIDTH * HEIGHT;
    *within = 0.5001;
    if (x == 0 && y == 0 && c == 0) {
        memset(count, 0, sizeof count);
        for (uint32_t j = 0; j < HEIGHT; j++)
            for (uint32_t i = 0; i < WIDTH; i++)
                count[picture_get(from, i, j, 0)]++;
    }
    while ((below += count[low]) * 100 <= 5 * all)
        low++;
    while ((above += count[high]) * 100 <= 2.5 * all)
        high--;
    return clip(from, (picture_get(from, x, y, c) - (double)low) * greatest / ((double)high - low));
}

static void normalise(void **state)
{
    (void)state;
    check_model("normalise=5:2.5", KST_FORMAT_GREY, 8, model_normalise);
    check_model("normalise=5:2.5", KST_FORMAT_GREY, 12, model_normalise);
    check_model("normalise=5:2.5", KST_FORMAT_GREY, 16, model_normalise);
    check_chains("threshold=65535,normalise", "threshold=65535", KST_FORMAT_RGB, 8);
    check_chains("normalise=5:2.5,grey", "normalise=5:2.5,rgb,grey", KST_FORMAT_BGRA, 8);
}

/* ── What cannot be done ── */

static void refusals(void **state)
{
    static const struct {
        const char *chain;
        kst_format format;
        kst_status status;
    } cases[] = {{"matrix=1:0:0:0:1:0:0:0:1", KST_FORMAT_GREY, KST_ERROR_IMAGE_FORMAT},
        {"channel=red", KST_FORMAT_GREY, KST_ERROR_IMAGE_FORMAT},
        {"channel=alpha", KST_FORMAT_RGB, KST_ERROR_IMAGE_FORMAT},
        {"warp=1:0:0:0:1:0:size=70000x1", KST_FORMAT_GREY, KST_ERROR_IMAGE_SIZE},
        {"warp=1:0:0:0:1:0:size=60000x60000", KST_FORMAT_GREY, KST_ERROR_LIMIT_PIXELS}};
    static const char *const wrong[] = {"warp=1:0:0:0:1", "warp=64.1:0:0:0:1:0", "warp=1.0000000001:0:0:0:1:0",
        "warp=1e1:0:0:0:1:0", "warp=1:0:5000000:0:1:0", "matrix=1", "channel=cyan", "normalise=50", "normalise=-1",
        "histogram"};
    static struct picture from;
    kst_filter *filter;
    kst_image to;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        picture_make(&from, cases[i].format, 8);
        assert_int_equal(kst_filter_open(contexts.context[0], cases[i].chain, &filter, NULL), KST_OK);
        assert_int_equal(kst_filter_describe(filter, &from.image, &to, NULL), cases[i].status);
        kst_filter_close(&filter);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (kst_filter_open(contexts.context[0], wrong[i], &filter, NULL) != KST_ERROR_OPTIONS)
            fail_msg("%s is let pass", wrong[i]);
}

/* Pixels beyond the places that a warp knows are refused, and are not taken for others. */
static void long_sources(void **state)
{
    kst_filter *filter;
    kst_image from, to;
    (void)state;
    kst_image_init(&from);
    from.format = KST_FORMAT_GREY;
    from.height = from.plane[0].height = 1;
    from.plane_count = 1;
    assert_int_equal(kst_filter_open(contexts.context[0], "warp=1:0:1048570:0:1:0:size=4x1", &filter, NULL), KST_OK);
    for (uint32_t above = 0; above < 2; above++) {
        kst_report report;
        kst_report_init(&report);
        from.width = from.plane[0].width = 1048576 + above;
        assert_int_equal(kst_filter_describe(filter, &from, &to, &report), above ? KST_ERROR_IMAGE_SIZE : KST_OK);
        assert_true(!above || strstr(report.message, "warp takes sides of up to 1048576 pixels, not 1048577x1"));
    }
    kst_filter_close(&filter);
}

/* ── Counts ── */

static void histogram(void **state)
{
    static struct picture from;
    static uint32_t counts[4 * 65536], wanted[4 * 65536];
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        size_t bins = (size_t)1 << depths[i], channels = kst_format_channels(formats[i]);
        picture_make(&from, formats[i], depths[i]);
        memset(wanted, 0, sizeof wanted);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t c = 0; c < channels; c++)
                    wanted[c * bins + picture_get(&from, x, y, c)]++;
        for (uint32_t k = 0; k < contexts.count; k++) {
            memset(counts, 0xA5, sizeof counts);
            assert_int_equal(
                kst_filter_histogram(contexts.context[k], &from.image, counts, channels * bins, NULL), KST_OK);
            assert_memory_equal(counts, wanted, channels * bins * sizeof *counts);
            assert_true(channels * bins == 4 * 65536 || counts[channels * bins] == 0xA5A5A5A5u);
        }
        assert_int_equal(kst_filter_histogram(contexts.context[0], &from.image, counts, channels * bins - 1, NULL),
            KST_ERROR_ARGUMENT);
    }
    assert_int_equal(kst_filter_histogram(contexts.context[0], NULL, counts, 9, NULL), KST_ERROR_ARGUMENT);
}

/* The limit of pixels is one of pictures: it does not count the counts. */
static void histogram_of_few(void **state)
{
    static struct picture from;
    static uint32_t counts[65536];
    kst_context_options options;
    kst_context *context;
    uint64_t sum = 0;
    (void)state;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.limits.pixels = WIDTH * HEIGHT;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    picture_make(&from, KST_FORMAT_GREY, 16);
    assert_int_equal(kst_filter_histogram(context, &from.image, counts, 65536, NULL), KST_OK);
    for (uint32_t i = 0; i < 65536; i++)
        sum += counts[i];
    assert_int_equal(sum, WIDTH * HEIGHT);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(warp_models), cmocka_unit_test(warp_exactly),
        cmocka_unit_test(colours), cmocka_unit_test(normalise), cmocka_unit_test(refusals),
        cmocka_unit_test(long_sources), cmocka_unit_test(histogram), cmocka_unit_test(histogram_of_few)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
