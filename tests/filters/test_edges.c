/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares Canny's and Sobel's operators with models that are written from their definitions, pixel by pixel, on all
 * tiers and with several numbers of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/filters/exact.h"
#include "support/machines.h"
#include "support/test.h"

/* Kernels of Sobel's operators, from their definition: n times (1 1), of which the last is (−1 1) for a derivative. */
static void sobel_row(int n, bool derive, int64_t taps[7])
{
    memset(taps, 0, 7 * sizeof *taps);
    taps[0] = 1;
    for (int step = 0; step < n - 1; step++) {
        int64_t before = 0;
        for (int i = 0; i < 7; i++) {
            int64_t own = taps[i];
            taps[i] = derive && step == 0 ? before - own : before + own;
            before = own;
        }
    }
}

static int64_t gradient(const struct model *source, int64_t x, int64_t y, uint32_t c, int aperture, bool across)
{
    int64_t horizontal[7], vertical[7], sum = 0;
    sobel_row(aperture, across, horizontal);
    sobel_row(aperture, !across, vertical);
    for (int j = 0; j < aperture; j++)
        for (int i = 0; i < aperture; i++)
            sum += horizontal[i] * vertical[j] * model_near(source, x + i - aperture / 2, y + j - aperture / 2, c);
    if (aperture < 7)
        return sum;
    int64_t down = sum >= 0 ? sum / 16 : -((-sum + 15) / 16), rest = sum - down * 16;
    return rest > 8 || (rest == 8 && down % 2 != 0) ? down + 1 : down;
}

struct edges {
    int64_t low, high;
    int aperture;
    bool squared;
};

struct vector {
    int64_t x, y, magnitude;
};

static struct vector vector_at(const struct model *source, int64_t x, int64_t y, const struct edges *edges)
{
    struct vector best = {0, 0, -1};
    if (x < 0 || y < 0 || x >= source->width || y >= source->height)
        return (struct vector){0, 0, 0};
    for (uint32_t c = 0; c < source->channels && c < 3; c++) {
        int64_t dx = gradient(source, x, y, c, edges->aperture, true);
        int64_t dy = gradient(source, x, y, c, edges->aperture, false);
        int64_t magnitude = edges->squared ? dx * dx + dy * dy : llabs(dx) + llabs(dy);
        if (magnitude > best.magnitude)
            best = (struct vector){dx, dy, magnitude};
    }
    return best;
}

static bool is_ridge(const struct vector *map, size_t pitch, const struct edges *edges)
{
    const struct vector *own = map;
    int64_t x = llabs(own->x), y = llabs(own->y), m = own->magnitude;
    ptrdiff_t step = (ptrdiff_t)pitch;
    if (m <= edges->low)
        return false;
    if (y * 32768 < x * 13573)
        return m > map[-1].magnitude && m >= map[1].magnitude;
    if (y * 32768 > x * (13573 + 65536))
        return m > map[-step].magnitude && m >= map[step].magnitude;
    ptrdiff_t side = (own->x < 0) != (own->y < 0) ? -1 : 1;
    return m > map[-step - side].magnitude && m > map[step + side].magnitude;
}

static bool touches_edge(const struct model *made, int64_t x, int64_t y)
{
    for (int64_t j = y - 1; j <= y + 1; j++)
        for (int64_t i = x - 1; i <= x + 1; i++)
            if (i >= 0 && j >= 0 && i < made->width && j < made->height && *model_at(made, i, j, 0) == 255)
                return true;
    return false;
}

static struct model model_canny(const struct model *source, const struct edges *edges)
{
    struct model made = model_make(source->width, source->height, 1, 8);
    size_t pitch = source->width + 2;
    struct vector *map = calloc(pitch * (source->height + 2), sizeof *map);
    assert_non_null(map);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            map[((size_t)y + 1) * pitch + (size_t)x + 1] = vector_at(source, x, y, edges);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++) {
            const struct vector *own = &map[((size_t)y + 1) * pitch + (size_t)x + 1];
            *model_at(&made, x, y, 0) = !is_ridge(own, pitch, edges) ? 0 : own->magnitude > edges->high ? 255 : 1;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t y = 0; y < source->height; y++)
            for (int64_t x = 0; x < source->width; x++)
                if (*model_at(&made, x, y, 0) == 1 && touches_edge(&made, x, y)) {
                    *model_at(&made, x, y, 0) = 255;
                    changed = true;
                }
    }
    for (size_t i = 0; i < (size_t)made.width * made.height; i++)
        made.value[i] = made.value[i] == 255 ? 255 : 0;
    free(map);
    return made;
}

static void canny(void **state)
{
    static const struct {
        const char *chain;
        struct edges edges;
    } cases[] = {{"canny=40:120", {40, 120, 3, false}}, {"canny=120:40", {40, 120, 3, false}},
        {"canny=30.5:90.25:l2", {930, 8145, 3, true}}, {"canny=0:0", {0, 0, 3, false}},
        {"canny=900:2000:aperture=5", {900, 2000, 5, false}}, {"canny=900:2000:l2:7", {3164, 15625, 7, true}}};
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = i % 2; k < sizeof cases / sizeof *cases; k += 2) {
            struct model source = model_random(sizes[i][0], sizes[i][1], k % 3 == 0 ? 1 : k % 3 == 1 ? 3 : 4, 8);
            model_check(cases[k].chain, source, model_canny(&source, &cases[k].edges));
        }
}

/* A spiral of weak pixels, one end of which is strong, goes through all bands many times. */
static void long_edges(void **state)
{
    enum { SIDE = 150 };
    struct model source = model_make(SIDE, SIDE, 1, 8);
    const struct edges edges = {20, 700, 3, false};
    int64_t x = 0, y = 0, dx = 1, dy = 0;
    (void)state;
    for (int side = SIDE; side > 12; side -= dx == 0 ? 0 : 6)
        for (int i = 0; i < side; i++) {
            if (x >= 0 && y >= 0 && x < SIDE && y < SIDE)
                *model_at(&source, x, y, 0) = 40;
            x += dx;
            y += dy;
            if (i + 1 == side) {
                int64_t before = dx;
                dx = -dy;
                dy = before;
            }
        }
    for (int64_t i = 0; i < 4; i++)
        *model_at(&source, SIDE / 2 + i, SIDE / 2, 0) = 255;
    *model_at(&source, 0, 1, 0) = 255;
    model_check("canny=20:700", source, model_canny(&source, &edges));
}

enum shown { SUM, LENGTH, ACROSS, DOWN };

/* Return ⌊√(dx² + dy²)⌋, or another measure of a gradient. */
static int64_t measure(int64_t dx, int64_t dy, enum shown shown)
{
    int64_t root = (int64_t)sqrt((double)(dx * dx + dy * dy));
    root -= root * root > dx * dx + dy * dy;
    return shown == SUM ? llabs(dx) + llabs(dy) : shown == LENGTH ? root : shown == ACROSS ? llabs(dx) : llabs(dy);
}

static struct model model_sobel(const struct model *source, int aperture, enum shown shown)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            for (uint32_t c = 0; c < source->channels; c++) {
                int64_t dx = gradient(source, x, y, c, aperture, true), dy = gradient(source, x, y, c, aperture, false);
                int64_t sum = measure(dx, dy, shown);
                sum = c == 3 ? *model_at(source, x, y, c) : sum;
                int64_t greatest = (1 << source->depth) - 1;
                *model_at(&made, x, y, c) = (uint32_t)(sum < greatest ? sum : greatest);
            }
    return made;
}

static void sobel(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct model source = model_random(sizes[i][0], sizes[i][1], i % 2 ? 4 : 1, i % 3 ? 8 : 7);
        model_check("sobel", source, model_sobel(&source, 3, SUM));
        source = model_random(sizes[i][0], sizes[i][1], 3, 8);
        model_check("sobel=5", source, model_sobel(&source, 5, SUM));
    }
}

static void sobel_of_more_bits(void **state)
{
    static const char *const chains[] = {
        "sobel", "sobel=3:length", "sobel=5:x", "sobel=5:y", "sobel=5", "sobel=5:length"};
    static const enum shown shown[] = {SUM, LENGTH, ACROSS, DOWN, SUM, LENGTH};
    static const uint32_t depths[] = {16, 12, 9, 8};
    (void)state;
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 6; k++) {
            uint32_t channels = (i + k) % 3 == 0 ? 1 : (i + k) % 3 == 1 ? 3 : 4;
            struct model source = model_random_fine(sizes[i][0], sizes[i][1], channels, depths[(i + k / 2) % 4]);
            model_check(chains[k], source, model_sobel(&source, k < 2 ? 3 : 5, shown[k]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(canny), cmocka_unit_test(long_edges), cmocka_unit_test(sobel),
        cmocka_unit_test(sobel_of_more_bits)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
