/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters whose result depends on one pixel each (turning, cropping, tone, grey) with models that are written
 * from their definitions, on all tiers and with several numbers of threads.
 */
#include <stdio.h>

#include "support/filters/exact.h"
#include "support/machines.h"
#include "support/test.h"

/* Let pixel (x, y) of the result be the one that the function finds. */
static struct model model_moved(const struct model *source, uint32_t width, uint32_t height,
    void (*find)(const struct model *, int64_t *, int64_t *))
{
    struct model made = model_make(width, height, source->channels, source->depth);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < source->channels; c++) {
                int64_t i = x, j = y;
                find(source, &i, &j);
                *model_at(&made, x, y, c) = *model_at(source, i, j, c);
            }
    return made;
}

static void find_90(const struct model *source, int64_t *x, int64_t *y)
{
    int64_t column = *y;
    *y = (int64_t)source->height - 1 - *x;
    *x = column;
}

static void find_180(const struct model *source, int64_t *x, int64_t *y)
{
    *x = (int64_t)source->width - 1 - *x;
    *y = (int64_t)source->height - 1 - *y;
}

static void find_270(const struct model *source, int64_t *x, int64_t *y)
{
    int64_t column = (int64_t)source->width - 1 - *y;
    *y = *x;
    *x = column;
}

static void find_mirrored(const struct model *source, int64_t *x, int64_t *y)
{
    (void)y;
    *x = (int64_t)source->width - 1 - *x;
}

static void find_upside_down(const struct model *source, int64_t *x, int64_t *y)
{
    (void)x;
    *y = (int64_t)source->height - 1 - *y;
}

static void find_part(const struct model *source, int64_t *x, int64_t *y)
{
    *x += source->width / 3;
    *y += source->height / 2;
}

static void geometry(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES * 6; i++) {
        uint32_t width = sizes[i / 6][0], height = sizes[i / 6][1];
        char chain[64];
        struct model source[6];
        for (int k = 0; k < 6; k++)
            source[k] = model_random(width, height, i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4, i % 6 < 3 ? 8 : 16);
        model_check("rotate=90", source[0], model_moved(&source[0], height, width, find_90));
        model_check("rotate=180", source[1], model_moved(&source[1], width, height, find_180));
        model_check("rotate=270", source[2], model_moved(&source[2], height, width, find_270));
        model_check("flip", source[3], model_moved(&source[3], width, height, find_mirrored));
        model_check("flip=vertical", source[4], model_moved(&source[4], width, height, find_upside_down));
        uint32_t columns = width - width / 3, rows = height - height / 2;
        snprintf(chain, sizeof chain, "crop=%ux%u:%u:%u", columns, rows, width / 3, height / 2);
        model_check(chain, source[5], model_moved(&source[5], columns, rows, find_part));
    }
}

static struct model model_tone(const struct model *source, uint32_t depth, uint32_t (*tone)(uint32_t value))
{
    struct model made = model_make(source->width, source->height, source->channels, depth);
    for (size_t i = 0; i < (size_t)made.width * made.height * made.channels; i++)
        made.value[i] =
            made.channels == 4 && i % 4 == 3 && depth == source->depth ? source->value[i] : tone(source->value[i]);
    return made;
}

static uint32_t tone_invert(uint32_t value)
{
    return 255 - value;
}

static uint32_t tone_levels(uint32_t value)
{
    double wanted = value <= 50 ? 10 : value >= 190 ? 240 : 10 + (value - 50) * 230.0 / 140;
    return (uint32_t)(wanted + 0.5);
}

static uint32_t tone_threshold(uint32_t value)
{
    return value > 4000 ? 65535 : 0;
}

static uint32_t tone_narrow(uint32_t value)
{
    return (value + 128) / 257;
}

static uint32_t tone_wide(uint32_t value)
{
    return value * 257;
}

static uint32_t tone_cinema(uint32_t value)
{
    return (uint32_t)((double)value * 4095 / 1023 + 0.5);
}

static uint32_t tone_ten(uint32_t value)
{
    return (uint32_t)((double)value * 1023 / 65535 + 0.5);
}

static uint32_t tone_bit(uint32_t value)
{
    return value > 127;
}

/* Up to 1 from rounding to nearest is left, so that the model has the definition's own formula. */
static struct model model_equalise(const struct model *source)
{
    struct model made = model_make(source->width, source->height, 1, 8);
    size_t total = (size_t)source->width * source->height;
    for (size_t i = 0; i < total; i++) {
        size_t lowest = 0, not_above = 0;
        uint32_t least = 255;
        for (size_t k = 0; k < total; k++)
            least = source->value[k] < least ? source->value[k] : least;
        for (size_t k = 0; k < total; k++) {
            lowest += source->value[k] == least;
            not_above += source->value[k] <= source->value[i];
        }
        made.value[i] = total == lowest
                            ? source->value[i]
                            : (uint32_t)((double)(not_above - lowest) * 255 / (double)(total - lowest) + 0.5);
    }
    return made;
}

static void tone(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint32_t width = sizes[i][0], height = sizes[i][1], channels = i % 2 ? 4 : 3;
        struct model source = model_random(width, height, channels, 8);
        model_check("invert", source, model_tone(&source, 8, tone_invert));
        source = model_random(width, height, channels, 8);
        model_check("levels=50:190:10:240", source, model_tone(&source, 8, tone_levels));
        source = model_random(width, height, channels, 16);
        model_check("threshold=4000", source, model_tone(&source, 16, tone_threshold));
        source = model_random(width, height, channels, 16);
        model_check("depth=8", source, model_tone(&source, 8, tone_narrow));
        source = model_random(width, height, channels, 8);
        model_check("depth=16", source, model_tone(&source, 16, tone_wide));
        source = model_random(width, height, channels, 10);
        model_check("depth=12", source, model_tone(&source, 12, tone_cinema));
        source = model_random(width, height, channels, 16);
        model_check("depth=10", source, model_tone(&source, 10, tone_ten));
        source = model_random(width, height, channels, 8);
        model_check("depth=1", source, model_tone(&source, 1, tone_bit));
        if ((size_t)width * height > 3000)
            continue;
        source = model_random(width, height, 1, 8);
        model_check("equalise", source, model_equalise(&source));
    }
}

static void grey(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct model source = model_random(sizes[i][0], sizes[i][1], i % 2 ? 3 : 4, i % 3 ? 8 : 16);
        struct model made = model_make(source.width, source.height, 1, source.depth);
        for (size_t k = 0; k < (size_t)made.width * made.height; k++) {
            const uint32_t *pixel = &source.value[k * source.channels];
            made.value[k] = (pixel[0] * 9798 + pixel[1] * 19235 + pixel[2] * 3735 + 16384) / 32768;
        }
        model_check("grey", source, made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(geometry), cmocka_unit_test(tone), cmocka_unit_test(grey)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
