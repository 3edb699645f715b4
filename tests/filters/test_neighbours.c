/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters that combine the pixels around each one (median, oil, Gaussian, sharpening, bilateral) with models
 * that are written from their definitions, on all tiers and with several numbers of threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/filters/exact.h"
#include "support/machines.h"
#include "support/test.h"

static int compare_values(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static struct model model_median(const struct model *source, int radius)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            for (uint32_t c = 0; c < source->channels; c++) {
                uint32_t value[31 * 31], count = 0;
                for (int j = -radius; j <= radius; j++)
                    for (int i = -radius; i <= radius; i++)
                        value[count++] = model_near(source, x + i, y + j, c);
                qsort(value, count, sizeof *value, compare_values);
                *model_at(&made, x, y, c) = value[count / 2];
            }
    return made;
}

static void median(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint32_t channels = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4;
        for (int k = 0; k < 4; k++) {
            struct model source = model_random(sizes[i][0], sizes[i][1], channels, k < 2 ? 8 : 16);
            int radius = k % 2 == 0 ? 1 : 2 + (int)(i % 3);
            char chain[32];
            snprintf(chain, sizeof chain, "median=%d", radius);
            model_check(chain, source, model_median(&source, radius));
        }
    }
}

/* The luminance of a pixel, as one of 8 bits. */
static uint32_t luminance_8(const struct model *source, int64_t x, int64_t y)
{
    uint32_t greatest = (1u << source->depth) - 1, value = *model_at(source, x, y, 0);
    if (source->channels > 1)
        value = (value * 9798 + *model_at(source, x, y, 1) * 19235 + *model_at(source, x, y, 2) * 3735 + 16384) / 32768;
    return (value * 255 + greatest / 2) / greatest;
}

/* Round a quotient to the nearest integer, to the even one of two. */
static uint32_t nearest(uint32_t value, uint32_t divisor)
{
    uint32_t made = (2 * value + divisor) / (2 * divisor);
    return (2 * value + divisor) % (2 * divisor) == 0 && made % 2 == 1 ? made - 1 : made;
}

static uint32_t painted(const struct model *source, int64_t x, int64_t y, int radius, uint32_t ratio, uint32_t channel)
{
    uint32_t count[256] = {0}, sum[256] = {0}, most = 0;
    for (int64_t j = y - radius; j <= y + radius; j++)
        for (int64_t i = x - radius; i <= x + radius; i++)
            if (i >= 0 && j >= 0 && i < source->width && j < source->height) {
                uint32_t bin = nearest(luminance_8(source, i, j), ratio);
                count[bin]++;
                sum[bin] += *model_at(source, i, j, channel);
            }
    for (uint32_t bin = 0; bin < 256; bin++)
        most = count[bin] > count[most] ? bin : most;
    return source->channels == 1 ? sum[most] / count[most] : nearest(sum[most], count[most]);
}

static struct model model_oil(const struct model *source, int radius, uint32_t ratio)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            for (uint32_t c = 0; c < source->channels; c++)
                *model_at(&made, x, y, c) =
                    c < 3 ? painted(source, x, y, radius, ratio, c) : *model_at(source, x, y, c);
    return made;
}

static void oil(void **state)
{
    static const struct {
        const char *chain;
        int radius;
        uint32_t ratio;
    } cases[] = {{"oil=1:1", 1, 1}, {"oil", 4, 8}, {"oil=3:10", 3, 10}, {"oil=ratio=127:radius=15", 15, 127}};
    (void)state;
    for (uint32_t i = 0; i < SIZES * 4; i++) {
        static const uint32_t depths[] = {8, 8, 16, 11, 8, 4};
        uint32_t size = i / 4, channels = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4;
        if (i % 4 == 3 && sizes[size][0] > 50)
            continue;
        struct model source = model_random(sizes[size][0], sizes[size][1], channels, depths[i % 6]);
        model_check(cases[i % 4].chain, source, model_oil(&source, cases[i % 4].radius, cases[i % 4].ratio));
    }
}

/* Weights have 8 or 16 bits, for a standard deviation of 1; sums are not rounded before the end. */
static struct model model_gaussian(const struct model *source)
{
    static const uint32_t narrow[] = {1, 14, 62, 102, 62, 14, 1};
    static const uint32_t wide[] = {9, 290, 3539, 15857, 26146, 15857, 3539, 290, 9};
    const uint32_t *tap = source->depth > 8 ? wide : narrow;
    int radius = source->depth > 8 ? 4 : 3, bits = source->depth > 8 ? 32 : 16;
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            for (uint32_t c = 0; c < source->channels; c++) {
                uint64_t sum = (uint64_t)1 << (bits - 1);
                for (int j = 0; j <= 2 * radius; j++)
                    for (int i = 0; i <= 2 * radius; i++)
                        sum += (uint64_t)tap[i] * tap[j] *
                               *model_at(source, model_reflect(x + i - radius, source->width),
                                   model_reflect(y + j - radius, source->height), c);
                *model_at(&made, x, y, c) = (uint32_t)(sum >> bits);
            }
    return made;
}

static struct model model_sharpen(const struct model *source, int64_t thousandths, int64_t threshold)
{
    struct model made = model_gaussian(source);
    int64_t greatest = (1 << source->depth) - 1;
    for (size_t i = 0; i < (size_t)made.width * made.height * made.channels; i++) {
        int64_t own = source->value[i], difference = own - made.value[i];
        int64_t sum = own + (2 * llabs(difference) * thousandths + 1000) / 2000 * (difference < 0 ? -1 : 1);
        bool kept = llabs(difference) <= threshold || (made.channels == 4 && i % 4 == 3);
        made.value[i] = (uint32_t)(kept ? own : sum < 0 ? 0 : sum > greatest ? greatest : sum);
    }
    return made;
}

static void gaussian(void **state)
{
    static const uint32_t depths[] = {8, 16, 12, 5};
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 4; k++) {
            uint32_t channels = (i + k) % 3 == 0 ? 1 : (i + k) % 3 == 1 ? 3 : 4;
            struct model source = model_random(sizes[i][0], sizes[i][1], channels, depths[k]);
            model_check("gaussian", source, model_gaussian(&source));
            source = model_random(sizes[i][0], sizes[i][1], channels, depths[k]);
            model_check("sharpen=1.7:1:3", source, model_sharpen(&source, 1700, 3));
        }
}

/* Weights of 14 bits by the distance in a disc and the sum of the differences of colours, and a rounded mean. */
static struct model model_bilateral(const struct model *source, double colour, double space, int radius)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    uint32_t colours = source->channels == 4 ? 3 : source->channels;
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++) {
            int64_t total = 0, sum[4] = {0, 0, 0, 0};
            for (int j = -radius; j <= radius; j++)
                for (int i = -radius; i <= radius; i++) {
                    int64_t column = model_reflect(x + i, source->width), row = model_reflect(y + j, source->height),
                            apart = 0;
                    for (uint32_t c = 0; c < colours; c++)
                        apart +=
                            llabs((int64_t)*model_at(source, column, row, c) - (int64_t)*model_at(source, x, y, c));
                    double power =
                        -(i * i + j * j) / (2 * space * space) - (double)(apart * apart) / (2 * colour * colour);
                    int64_t weight = i * i + j * j <= radius * radius ? (int64_t)rint(16384 * exp(power)) : 0;
                    total += weight;
                    for (uint32_t c = 0; c < colours; c++)
                        sum[c] += weight * *model_at(source, column, row, c);
                }
            for (uint32_t c = 0; c < source->channels; c++)
                *model_at(&made, x, y, c) =
                    c < colours ? (uint32_t)((2 * sum[c] + total) / (2 * total)) : *model_at(source, x, y, c);
        }
    return made;
}

/* Return the least power of two whose 4095-fold has a weight of 0, or is the greatest distance of colours. */
static int wide_shift(double deviation, double greatest)
{
    int shift = 0;
    while (4095.0 * (1 << shift) < greatest &&
           32767 * exp(-pow(4095.0 * (1 << shift), 2) / (2 * deviation * deviation)) >= 0.5)
        shift++;
    return shift;
}

/* Return the weight of a neighbour with more than 8 bits: the product of two Gaussians of 15 bits. */
static int64_t wide_weight(const struct model *source, int64_t own[2], int64_t other[2], double deviation, double space)
{
    uint32_t colours = source->channels == 4 ? 3 : source->channels;
    int shift = wide_shift(deviation, (double)colours * ((1 << source->depth) - 1));
    int64_t steps = 0;
    double square = pow((double)(own[0] - other[0]), 2) + pow((double)(own[1] - other[1]), 2);
    for (uint32_t c = 0; c < colours; c++) {
        int64_t apart = llabs((int64_t)*model_at(source, model_reflect(other[0], source->width),
                                  model_reflect(other[1], source->height), c) -
                              (int64_t)*model_at(source, own[0], own[1], c));
        steps += (apart + (1 << shift) / 2 < 65535 ? apart + (1 << shift) / 2 : 65535) >> shift;
    }
    double distance = (double)(steps < 4095 ? steps : 4095) * (1 << shift);
    int64_t by_colour = (int64_t)rint(32767 * exp(-distance * distance / (2 * deviation * deviation)));
    return (by_colour * (int64_t)rint(32767 * exp(-square / (2 * space * space))) + 16384) >> 15;
}

static struct model model_wide_bilateral(const struct model *source, double colour, double space, int radius)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    double deviation = colour * ((1 << source->depth) - 1) / 255;
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++) {
            int64_t total = 0, sum[3] = {0, 0, 0}, own[2] = {x, y};
            for (int64_t j = y - radius; j <= y + radius; j++)
                for (int64_t i = x - radius; i <= x + radius; i++) {
                    int64_t other[2] = {i, j}, square = (i - x) * (i - x) + (j - y) * (j - y);
                    int64_t weight = square <= radius * radius ? wide_weight(source, own, other, deviation, space) : 0;
                    total += weight;
                    for (uint32_t c = 0; c < source->channels && c < 3; c++)
                        sum[c] += weight * *model_at(source, model_reflect(i, source->width),
                                               model_reflect(j, source->height), c);
                }
            for (uint32_t c = 0; c < source->channels; c++)
                *model_at(&made, x, y, c) =
                    c < 3 ? (uint32_t)((sum[c] + total / 2) / total) : *model_at(source, x, y, c);
        }
    return made;
}

/* Compare a result with means that are computed in binary64. It must be within 1/255 of the greatest sample. */
static void check_reference(
    const struct model *source, const struct model *made, double colour, double space, int radius)
{
    const uint32_t greatest = (1u << source->depth) - 1, colours = source->channels < 3 ? 1 : 3;
    const double deviation = colour * greatest / 255;
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++) {
            double total = 0, sum[3] = {0, 0, 0};
            for (int64_t j = -radius; j <= radius; j++)
                for (int64_t i = -radius; i <= radius; i++) {
                    int64_t column = model_reflect(x + i, source->width), row = model_reflect(y + j, source->height);
                    double apart = 0;
                    for (uint32_t c = 0; c < colours; c++)
                        apart += fabs((double)*model_at(source, column, row, c) - (double)*model_at(source, x, y, c));
                    double weight = exp(
                        -(double)(i * i + j * j) / (2 * space * space) - apart * apart / (2 * deviation * deviation));
                    weight = i * i + j * j <= radius * radius ? weight : 0;
                    total += weight;
                    for (uint32_t c = 0; c < colours; c++)
                        sum[c] += weight * *model_at(source, column, row, c);
                }
            for (uint32_t c = 0; c < colours; c++)
                if (fabs(sum[c] / total - *model_at(made, x, y, c)) > greatest / 255.0)
                    fail_msg("%u is not near %.1f", *model_at(made, x, y, c), sum[c] / total);
        }
}

static void wide_bilateral(void **state)
{
    static const struct {
        const char *chain;
        double colour, space;
        int radius;
    } cases[] = {{"bilateral", 30, 3, 4}, {"bilateral=1:1.5:2", 1, 1.5, 2}, {"bilateral=150:4:3", 150, 4, 3},
        {"bilateral=1000:100:2", 1000, 100, 2}};
    static const uint32_t depths[] = {16, 12, 10, 9};
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 4; k++) {
            uint32_t channels = (i + k) % 3 == 0 ? 1 : (i + k) % 3 == 1 ? 3 : 4;
            struct model source = model_random_fine(sizes[i][0], sizes[i][1], channels, depths[(i + k) % 4]);
            struct model made = model_wide_bilateral(&source, cases[k].colour, cases[k].space, cases[k].radius);
            check_reference(&source, &made, cases[k].colour, cases[k].space, cases[k].radius);
            model_check(cases[k].chain, source, made);
        }
    struct model source = model_random_fine(31, 19, 3, 16);
    struct model made = model_wide_bilateral(&source, 200, 100, 12);
    check_reference(&source, &made, 200, 100, 12);
    model_check("bilateral=200:100:12", source, made);
}

static void bilateral(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint32_t channels = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4;
        struct model source = model_random(sizes[i][0], sizes[i][1], channels, 8);
        model_check("bilateral", source, model_bilateral(&source, 30, 3, 4));
        source = model_random(sizes[i][0], sizes[i][1], channels, i % 2 ? 8 : 6);
        model_check("bilateral=70.5:1.5:2", source, model_bilateral(&source, 70.5, 1.5, 2));
    }
    struct model source = model_random(31, 19, 3, 8);
    model_check("bilateral=1000:100:12", source, model_bilateral(&source, 1000, 100, 12));
}

/* A filter of a chain gets what the one before has made. */
static void chains(void **state)
{
    (void)state;
    struct model source = model_random(70, 41, 1, 8);
    struct model turned = model_make(41, 70, 1, 8);
    for (int64_t y = 0; y < 70; y++)
        for (int64_t x = 0; x < 41; x++)
            *model_at(&turned, x, y, 0) = *model_at(&source, y, 40 - x, 0);
    struct model blurred = model_gaussian(&turned), middle = model_median(&blurred, 1);
    free(turned.value);
    free(blurred.value);
    model_check("rotate=90,gaussian,median", source, middle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(median), cmocka_unit_test(oil), cmocka_unit_test(gaussian),
        cmocka_unit_test(bilateral), cmocka_unit_test(wide_bilateral), cmocka_unit_test(chains)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
