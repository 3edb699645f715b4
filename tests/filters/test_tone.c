/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warps, colours, tables and counts, on all tiers and with several numbers of threads: against models in floating-point
 * numbers, and against other filters where they must agree. Files of tables that are wrong in some way are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

enum { WIDTH = 61, HEIGHT = 37, PADDING = 5, MOST = 4 * (WIDTH + PADDING) * (HEIGHT + PADDING) };

/* An image with a pitch of its own. */
struct picture {
    kst_image image;
    uint16_t samples[MOST];
};

static uint32_t get(const struct picture *picture, uint32_t x, uint32_t y, uint32_t c)
{
    const kst_plane *plane = &picture->image.plane[0];
    const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    size_t at = (size_t)x * kst_format_channels(picture->image.format) + c;
    return plane->depth > 8 ? ((const uint16_t *)(const void *)row)[at] : row[at];
}

static void set(struct picture *picture, uint32_t x, uint32_t y, uint32_t c, uint32_t value)
{
    const kst_plane *plane = &picture->image.plane[0];
    uint8_t *row = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    size_t at = (size_t)x * kst_format_channels(picture->image.format) + c;
    if (plane->depth > 8)
        ((uint16_t *)(void *)row)[at] = (uint16_t)value;
    else
        row[at] = (uint8_t)value;
}

static void describe(struct picture *picture, kst_format format, uint32_t width, uint32_t height, uint32_t depth)
{
    uint32_t channels = kst_format_channels(format), bytes = depth > 8 ? 2 : 1;
    kst_image_init(&picture->image);
    picture->image.format = format;
    picture->image.width = width;
    picture->image.height = height;
    picture->image.plane_count = 1;
    picture->image.plane[0] = (kst_plane){.data = picture->samples,
        .pitch = (ptrdiff_t)((width + PADDING) * channels * bytes),
        .width = width,
        .height = height,
        .depth = (uint8_t)depth};
    assert_true((width + PADDING) * channels * height <= MOST);
}

/* Slopes, edges and noise. */
static void make(struct picture *picture, kst_format format, uint32_t depth)
{
    uint32_t greatest = (1u << depth) - 1;
    describe(picture, format, WIDTH, HEIGHT, depth);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < kst_format_channels(format); c++)
                set(picture, x, y, c,
                    (x * greatest / WIDTH + (y / 9 + c) % 3 * greatest / 4 + next_random() % (greatest / 9 + 1)) &
                        greatest);
}

/* Apply a chain in a context, to a picture that describes the result. */
static void apply(kst_context *context, const char *chain, const struct picture *from, struct picture *to)
{
    kst_filter *filter;
    kst_report report;
    kst_image described;
    kst_report_init(&report);
    if (kst_filter_open(context, chain, &filter, &report))
        fail_msg("%s: %s", chain, report.message);
    if (kst_filter_describe(filter, &from->image, &described, &report))
        fail_msg("%s: %s", chain, report.message);
    describe(to, described.format, described.width, described.height, described.plane[0].depth);
    if (kst_filter_run(filter, &from->image, &to->image, &report))
        fail_msg("%s: %s", chain, report.message);
    kst_filter_close(&filter);
}

/* What a sample of the result should be, before it is rounded; *within receives how far it may be off. */
typedef double (*model)(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within);

static void compare(const char *chain, const struct picture *from, const struct picture *to, model wanted)
{
    for (uint32_t y = 0; y < to->image.height; y++)
        for (uint32_t x = 0; x < to->image.width; x++)
            for (uint32_t c = 0; c < kst_format_channels(to->image.format); c++) {
                double within = 0.5001, value = wanted(from, x, y, c, &within);
                if (fabs(value - get(to, x, y, c)) > within)
                    fail_msg("%s, format %d of %u bits: sample %u of (%u, %u) is %u, not %.3f", chain,
                        (int)from->image.format, from->image.plane[0].depth, c, x, y, get(to, x, y, c), value);
            }
}

/* Compare results on all machines with a model. */
static void check(const char *chain, kst_format format, uint32_t depth, model wanted)
{
    static struct picture from, to;
    make(&from, format, depth);
    for (uint32_t i = 0; i < contexts.count; i++) {
        apply(contexts.context[i], chain, &from, &to);
        compare(chain, &from, &to, wanted);
    }
}

/* Two chains make the same. */
static void check_same(const char *chain, const char *other, kst_format format, uint32_t depth)
{
    static struct picture from, to, wanted;
    make(&from, format, depth);
    for (uint32_t i = 0; i < contexts.count; i++) {
        apply(contexts.context[i], chain, &from, &to);
        apply(contexts.context[i], other, &from, &wanted);
        assert_int_equal(to.image.width, wanted.image.width);
        assert_int_equal(to.image.height, wanted.image.height);
        assert_int_equal(to.image.format, wanted.image.format);
        for (uint32_t y = 0; y < to.image.height; y++)
            for (uint32_t x = 0; x < to.image.width; x++)
                for (uint32_t c = 0; c < kst_format_channels(to.image.format); c++)
                    if (get(&to, x, y, c) != get(&wanted, x, y, c))
                        fail_msg("%s and %s, %u bits: sample %u of (%u, %u) is %u and %u", chain, other, depth, c, x, y,
                            get(&to, x, y, c), get(&wanted, x, y, c));
    }
}

static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA};
enum { FORMATS = sizeof formats / sizeof *formats };
static const uint32_t depths[] = {8, 16, 12, 5, 1};

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
    return get(from, (uint32_t)x, (uint32_t)y, c);
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
            check(chain, formats[(i + (size_t)way) % FORMATS], depths[way], model_warp);
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
        check_same(chain, "crop=61x37", format, depth);
        snprintf(chain, sizeof chain, "warp=1:0:7:0:1:3:size=50x30:weights=%s", weights[i % 2]);
        check_same(chain, "crop=50x30:7:3", format, depth);
        snprintf(chain, sizeof chain, "warp=0:1:0:-1:0:36:size=37x61:weights=%s", weights[i % 2]);
        check_same(chain, "rotate=90", format, depth);
        snprintf(chain, sizeof chain, "warp=-1:0:60:0:1:0:weights=%s", weights[i % 2]);
        check_same(chain, "flip", format, depth);
    }
    check_same("warp=1:0:500:0:1:0", "threshold=65535", KST_FORMAT_RGB, 8);
    check_same("warp=1:0:0:0:1:0:0:-1", "warp=1:0:0:0:1:0:0:-1:outside=edge", KST_FORMAT_GREY, 8); /* behind: black */
}

/* ── colours ── */

static uint32_t colour(const struct picture *from, uint32_t x, uint32_t y, uint32_t which)
{
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    return get(from, x, y, reversed ? 2 - which : which);
}

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
        return get(from, x, y, 3);
    sum = m[row][3] * greatest;
    for (uint32_t k = 0; k < 3; k++)
        sum += m[row][k] * colour(from, x, y, k);
    return clip(from, sum);
}

static double model_green(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return get(from, x, y, 1);
}

static double model_blue(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return colour(from, x, y, 2);
}

static double model_alpha(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    (void)c;
    *within = 0;
    return get(from, x, y, 3);
}

static double model_rgb(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    *within = 0;
    return get(from, x, y, from->image.format == KST_FORMAT_GREY ? 0 : c);
}

static void colours(void **state)
{
    static const char matrix[] = "matrix=0.5:1.25:-0.75:-1:2:0:0.2126:0.7152:0.0722:red=0.1:blue=-0.2";
    (void)state;
    for (size_t i = 0; i < FORMATS; i++) {
        check("rgb", formats[i], depths[i], model_rgb);
        if (i == 0)
            continue;
        check(matrix, formats[i], depths[i], model_matrix);
        check("channel=green", formats[i], depths[i], model_green);
        check("channel=blue", formats[i], depths[i], model_blue);
        if (i > 2)
            check("channel=alpha", formats[i], depths[i], model_alpha);
    }
    check_same("grey,rgb,channel=red", "grey", KST_FORMAT_BGRA, 8);
    check_same("matrix=0:1:0:0:0:1:1:0:0,channel=blue", "channel=red", KST_FORMAT_BGR, 16);
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
                count[get(from, i, j, 0)]++;
    }
    while ((below += count[low]) * 100 <= 5 * all)
        low++;
    while ((above += count[high]) * 100 <= 2.5 * all)
        high--;
    return clip(from, (get(from, x, y, c) - (double)low) * greatest / ((double)high - low));
}

static void normalise(void **state)
{
    (void)state;
    check("normalise=5:2.5", KST_FORMAT_GREY, 8, model_normalise);
    check("normalise=5:2.5", KST_FORMAT_GREY, 12, model_normalise);
    check("normalise=5:2.5", KST_FORMAT_GREY, 16, model_normalise);
    check_same("threshold=65535,normalise", "threshold=65535", KST_FORMAT_RGB, 8);
    check_same("normalise=5:2.5,grey", "normalise=5:2.5,rgb,grey", KST_FORMAT_BGRA, 8);
}

/* ── tables ── */

static char path[64];

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A table of three dimensions with points of the function that the model has, too. */
static void curve_of(double r, double g, double b, double made[3])
{
    made[0] = 0.1 + 0.8 * r * (0.5 + 0.5 * b);
    made[1] = g * g;
    made[2] = 0.7 * b + 0.3 * (1 - r);
}

static void write_solid(int size)
{
    FILE *file = fopen(path, "wb");
    double made[3], steps = size - 1;
    assert_non_null(file);
    fprintf(file, "# a comment\r\nTITLE \"some table\"\r\n\r\nLUT_3D_SIZE %d\r\nDOMAIN_MIN 0 0 0\r\n", size);
    for (int b = 0; b < size; b++)
        for (int g = 0; g < size; g++)
            for (int r = 0; r < size; r++) {
                curve_of(r / steps, g / steps, b / steps, made);
                fprintf(file, "%.7f %.3e\t%.9f\r\n", made[0], made[1], made[2]);
            }
    assert_int_equal(fclose(file), 0);
}

static double model_solid(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    double greatest = (1u << from->image.plane[0].depth) - 1, made[3];
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    *within = 0.6 + greatest * 0.004; /* what is curved between points 1/16 apart, and four digits */
    if (c == 3) {
        *within = 0;
        return get(from, x, y, 3);
    }
    curve_of(
        colour(from, x, y, 0) / greatest, colour(from, x, y, 1) / greatest, colour(from, x, y, 2) / greatest, made);
    return made[reversed ? 2 - c : c] * greatest;
}

static double model_curves(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    double greatest = (1u << from->image.plane[0].depth) - 1, own = get(from, x, y, c) / greatest;
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    uint32_t which = c == 3 ? 3 : reversed ? 2 - c : c;
    double at = (own + 0.5) / 2; /* of the domain from −0.5 to 1.5, which four points divide */
    *within = 0.6 + greatest * 0.0001;
    if (which == 0)
        return greatest * (1 - at);
    if (which == 1)
        return greatest * (at < 1 / 3. ? 0 : at < 2 / 3. ? (at - 1 / 3.) * 3 : 1);
    return greatest * (which == 2 ? at : own);
}

static void tables(void **state)
{
    char chain[2][96];
    (void)state;
    snprintf(chain[0], sizeof chain[0], "lut=%s", path);
    snprintf(chain[1], sizeof chain[1], "lut=%s:trilinear", path);
    for (size_t i = 1; i < FORMATS; i++)
        for (size_t k = 0; k < 2; k++) {
            write_solid(17);
            check(chain[k], formats[i], depths[i], model_solid);
        }
    write_file("LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
    check_same(chain[0], "crop=61x37", KST_FORMAT_RGBA, 8);
    check_same(chain[1], "crop=61x37", KST_FORMAT_BGR, 16);
    write_file(
        "LUT_1D_SIZE 4\nLUT_1D_INPUT_RANGE -0.5 1.5\n1 0 0\n.66666667 0 0.3333333\n3.33333333e-1 1. +6.6666667E-01\n"
        "-7 400 1e0"); /* clipped; no end of the line */
    for (size_t i = 1; i < FORMATS; i++)
        check(chain[0], formats[i], depths[i], model_curves);
}

static void refuse(const char *text, const char *why)
{
    char chain[96];
    kst_filter *filter;
    kst_report report;
    kst_report_init(&report);
    write_file(text);
    snprintf(chain, sizeof chain, "invert,lut=%s", path);
    assert_int_equal(kst_filter_open(contexts.context[0], chain, &filter, &report), KST_ERROR_READ);
    assert_null(filter);
    if (!strstr(report.message, why))
        fail_msg("'%s' is not in '%s'", why, report.message);
    assert_int_equal(report.offset, 11);
}

static void hostile_tables(void **state)
{
    (void)state;
    refuse("", "line 0 of the table: it ends without");
    refuse("\n#\n  0 0 0\n", "line 3 of the table: neither a known word");
    refuse("LUT_1D_SIZE 1\n", "a size is 2 to 65536: '1'");
    refuse("LUT_1D_SIZE 65537\n", "a size is 2 to 65536");
    refuse("LUT_3D_SIZE 130\n", "a size is 2 to 129: '130'");
    refuse("LUT_3D_SIZE -2\n", "a size is");
    refuse("LUT_3D_SIZE 99999999999999999999999999\n", "a size is");
    refuse("LUT_3D_SIZE 2 2\n", "a size is");
    refuse("LUT_3D_SIZE\n", "a size is");
    refuse("LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n", "line 2 of the table: a second table");
    refuse("LUT_1D_SIZE 2\n0 0 0\n1 1", "line 3 of the table: no number");
    refuse("LUT_1D_SIZE 2\n0 0 0\n1 1 1 1", "more than is expected");
    refuse("LUT_1D_SIZE 2\n0 0 0\n", "ends before the last point");
    refuse("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n", "line 4 of the table: more lines than");
    refuse("LUT_1D_SIZE 2\n0 0 0\n1 1 nan\n", "no number: 'nan'");
    refuse("LUT_1D_SIZE 2\n0 0 .\n", "no number: '.'");
    refuse("LUT_1D_SIZE 2\n0 0 1e\n", "no number: '1e'");
    refuse("LUT_1D_SIZE 2\n0 0 1,5\n", "no number: '1,5'");
    refuse("LUT_1D_SIZE 2\n0 0 \033[2J\n", "no number: '?[2J'");
    refuse("LUT_1D_SIZE 2\nDOMAIN_MIN 0 0 1\nDOMAIN_MAX 1 1 1\n0 0 0\n1 1 1\n", "the end of its domain");
    refuse("LUT_1D_SIZE 2\nDOMAIN_MIN 0 0\n", "no number");
    refuse("LUT_1D_SIZED 2\n", "neither a known word");
    refuse("LUT_1D_SIZE 2\nDOMAIN_MAX 1023 1023 1023\n0 0 0\n1 1 1\n", "line 2 of the table: a domain lies between");
    refuse("LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -1e3 1\n0 0 0\n1 1 1\n", "a domain lies between -100 and 100: ' -1e3 1'");
}

/* Numbers of any length end soon, and are what they stand for. */
static void long_numbers(void **state)
{
    enum { ZEROS = 200000 };
    char *text = malloc(2 * ZEROS + 200), chain[96];
    static struct picture from, to;
    (void)state;
    assert_non_null(text);
    int used = sprintf(text, "LUT_1D_SIZE 2\n0e99999999 0e-99999999 1e-99999999\n1e99999999 0.");
    memset(text + used, '0', ZEROS);
    used += ZEROS;
    used += sprintf(text + used, "9 1");
    memset(text + used, '0', ZEROS);
    sprintf(text + used + ZEROS, "e-%d\n", ZEROS);
    write_file(text);
    free(text);
    snprintf(chain, sizeof chain, "lut=%s", path);
    make(&from, KST_FORMAT_RGB, 8);
    apply(contexts.context[0], chain, &from, &to);
    for (uint32_t x = 0; x < WIDTH; x++)
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(get(&to, x, 0, c), c == 1 ? 0 : get(&from, x, 0, c));
}

/* Tables with bytes that are changed, left out or repeated are read or refused, and nothing else. */
static void damaged_tables(void **state)
{
    static const char whole[] =
        "TITLE \"x\"\nLUT_3D_SIZE 2\nDOMAIN_MIN -1e-1 0 .5\nDOMAIN_MAX 1 1.5E0 1\n0 0 0\n1 0 0\n"
        "0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";
    static const char letters[] = "0123456789.-+eE \t\r\n#LUT_13DSIZE\377\001";
    char text[2 * sizeof whole], chain[96];
    uint32_t read = 0;
    (void)state;
    snprintf(chain, sizeof chain, "lut=%s", path);
    for (uint32_t i = 0; i < 2000; i++) {
        kst_filter *filter;
        uint32_t length = sizeof whole - 1, from = next_random() % length, to = next_random() % length;
        memcpy(text, whole, sizeof whole);
        for (uint32_t k = next_random() % 3; k > 0; k--)
            text[next_random() % length] = letters[next_random() % (sizeof letters - 1)];
        if (i % 4 == 0)
            memmove(text + to, text + from, length - from + 1); /* left out, or repeated */
        text[sizeof text - 1] = '\0';
        write_file(text);
        kst_status status = kst_filter_open(contexts.context[0], chain, &filter, NULL);
        assert_true(!status || status == KST_ERROR_READ);
        read += !status;
        kst_filter_close(&filter);
    }
    assert_true(read > 300 && read < 1900);
}

static void no_tables(void **state)
{
    kst_filter *filter;
    kst_report report;
    char chain[96];
    (void)state;
    kst_report_init(&report);
    assert_int_equal(kst_filter_open(contexts.context[0], "lut=/nonexistent", &filter, &report), KST_ERROR_READ);
    assert_non_null(strstr(report.message, "/nonexistent: No such file"));
    assert_int_equal(kst_filter_open(contexts.context[0], "lut=/dev/zero", &filter, &report), KST_ERROR_READ);
    assert_non_null(strstr(report.message, "no plain file"));
    assert_int_equal(kst_filter_open(contexts.context[0], "lut=", &filter, &report), KST_ERROR_OPTIONS);
    assert_int_equal(kst_filter_open(contexts.context[0], "lut", &filter, &report), KST_ERROR_OPTIONS);
    write_file("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n");
    snprintf(chain, sizeof chain, "lut=%s:tetrahedral", path);
    assert_int_equal(kst_filter_open(contexts.context[0], chain, &filter, &report), KST_ERROR_OPTIONS);
    assert_non_null(strstr(report.message, "curve for each colour"));
    char *longest = malloc(6000);
    assert_non_null(longest);
    memset(longest, 'x', 5999);
    memcpy(longest, "lut=", 4);
    longest[5999] = '\0';
    assert_int_equal(kst_filter_open(contexts.context[0], longest, &filter, &report), KST_ERROR_OPTIONS);
    free(longest);
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
        make(&from, cases[i].format, 8);
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
        make(&from, formats[i], depths[i]);
        memset(wanted, 0, sizeof wanted);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t c = 0; c < channels; c++)
                    wanted[c * bins + get(&from, x, y, c)]++;
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
    make(&from, KST_FORMAT_GREY, 16);
    assert_int_equal(kst_filter_histogram(context, &from.image, counts, 65536, NULL), KST_OK);
    for (uint32_t i = 0; i < 65536; i++)
        sum += counts[i];
    assert_int_equal(sum, WIDTH * HEIGHT);
    kst_context_destroy(&context);
}

static int start(void **state)
{
    snprintf(path, sizeof path, "/tmp/kostka-tone-%ld.cube", (long)getpid());
    return contexts_start_cpu(state);
}

static int stop(void **state)
{
    unlink(path);
    return contexts_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(warp_models), cmocka_unit_test(warp_exactly),
        cmocka_unit_test(colours), cmocka_unit_test(normalise), cmocka_unit_test(tables),
        cmocka_unit_test(hostile_tables), cmocka_unit_test(long_numbers), cmocka_unit_test(damaged_tables),
        cmocka_unit_test(no_tables), cmocka_unit_test(refusals), cmocka_unit_test(long_sources),
        cmocka_unit_test(histogram), cmocka_unit_test(histogram_of_few)};
    return cmocka_run_group_tests(tests, start, stop);
}
