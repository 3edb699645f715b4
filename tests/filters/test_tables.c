/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of colours, and those of digital cinema, on all tiers and with several numbers of threads, against models in
 * floating-point numbers. Files that are wrong in some way are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/counting_allocator.h"
#include "support/filters/modelled.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

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
        return picture_get(from, x, y, 3);
    }
    curve_of(picture_colour(from, x, y, 0) / greatest, picture_colour(from, x, y, 1) / greatest,
        picture_colour(from, x, y, 2) / greatest, made);
    return made[reversed ? 2 - c : c] * greatest;
}

static double model_curves(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    double greatest = (1u << from->image.plane[0].depth) - 1, own = picture_get(from, x, y, c) / greatest;
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
            check_model(chain[k], formats[i], depths[i], model_solid);
        }
    write_file("LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
    check_chains(chain[0], "crop=61x37", KST_FORMAT_RGBA, 8);
    check_chains(chain[1], "crop=61x37", KST_FORMAT_BGR, 16);
    write_file(
        "LUT_1D_SIZE 4\nLUT_1D_INPUT_RANGE -0.5 1.5\n1 0 0\n.66666667 0 0.3333333\n3.33333333e-1 1. +6.6666667E-01\n"
        "-7 400 1e0"); /* clipped; no end of the line */
    for (size_t i = 1; i < FORMATS; i++)
        check_model(chain[0], formats[i], depths[i], model_curves);
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
    picture_make(&from, KST_FORMAT_RGB, 8);
    picture_apply(contexts.context[0], chain, &from, &to);
    for (uint32_t x = 0; x < WIDTH; x++)
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(picture_get(&to, x, 0, c), c == 1 ? 0 : picture_get(&from, x, 0, c));
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

/* X', Y' and Z' of P3 with the white of D65 and a gamma of 2.2, from the definition and coordinates of the primaries.
 */
static double model_xyz(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within)
{
    static const double weight[3][3] = {
        {0.4865709, 0.2656677, 0.1982173}, {0.2289746, 0.6917385, 0.0792869}, {0, 0.0451134, 1.0439444}};
    const double greatest = (1u << from->image.plane[0].depth) - 1;
    bool reversed = from->image.format == KST_FORMAT_BGR || from->image.format == KST_FORMAT_BGRA;
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++)
        sum += weight[reversed ? 2 - c : c][k] * pow(picture_colour(from, x, y, k) / greatest, 2.2);
    *within = sum > 1e-6 ? 0.51 : 1.5;
    return 4095 * pow(sum * 48 / 52.37, 1 / 2.6);
}

static void cinema(void **state)
{
    kst_filter *filter;
    kst_image grey, to;
    kst_report report;
    (void)state;
    for (size_t i = 1; i < FORMATS; i++)
        check_model("xyz=p3:2.2", formats[i], depths[i], model_xyz);
    check_chains("xyz=gamma=2.4", "xyz=bt709:2.4:12", KST_FORMAT_RGBA, 8);
    kst_report_init(&report);
    kst_image_init(&grey);
    grey.format = KST_FORMAT_GREY;
    grey.width = grey.height = grey.plane[0].width = grey.plane[0].height = grey.plane_count = 1;
    assert_int_equal(kst_filter_open(contexts.context[0], "xyz", &filter, &report), KST_OK);
    assert_int_equal(kst_filter_describe(filter, &grey, &to, &report), KST_ERROR_IMAGE_FORMAT);
    assert_non_null(strstr(report.message, "xyz takes colours"));
    kst_filter_close(&filter);
}

/* The tables of a chain are made for the first picture of each depth, and stay with the chain. */
static void kept_tables(void **state)
{
    static uint16_t pixels[12], made[12];
    struct counter counter = {0, 0};
    kst_context_options options;
    kst_context *context;
    kst_filter *filter;
    kst_image from, to;
    (void)state;
    kst_context_options_init(&options);
    options.threads = 1;
    options.allocator = (kst_allocator){counting_allocate, counting_release, &counter};
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(kst_image_wrap(&from, KST_FORMAT_RGB, 2, 2, pixels, 12), KST_OK);
    to = from;
    to.plane[0].data = made;
    to.plane[0].depth = 16;
    const size_t before = counter.now;
    assert_int_equal(kst_filter_open(context, "xyz=bits=16", &filter, NULL), KST_OK);
    const size_t opened = counter.now;
    for (uint8_t depth = 15; depth <= 16; depth++) {
        from.plane[0].depth = depth;
        assert_int_equal(kst_filter_run(filter, &from, &to, NULL), KST_OK);
        const size_t kept = counter.now;
        assert_true(kept >= opened + (65536u + (depth == 15 ? 32768u : 98304u)) * 4);
        counter.most = counter.now;
        assert_int_equal(kst_filter_run(filter, &from, &to, NULL), KST_OK);
        assert_int_equal(counter.now, kept);
        assert_true(counter.most < kept + 65536);
    }
    kst_filter_close(&filter);
    assert_int_equal(counter.now, before);
    kst_context_destroy(&context);
    assert_int_equal(counter.now, 0);
}

static int start(void **state)
{
    snprintf(path, sizeof path, "/tmp/kostka-tables-%ld.cube", (long)getpid());
    return contexts_start_cpu(state);
}

static int stop(void **state)
{
    unlink(path);
    return contexts_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables), cmocka_unit_test(cinema),
        cmocka_unit_test(hostile_tables), cmocka_unit_test(long_numbers), cmocka_unit_test(damaged_tables),
        cmocka_unit_test(no_tables), cmocka_unit_test(kept_tables)};
    return cmocka_run_group_tests(tests, start, stop);
}
