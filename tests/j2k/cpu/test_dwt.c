/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse wavelet transforms against forward ones that follow Annex F of T.800 sample by sample. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/dwt/dwt.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST = 2600 };

static struct j2k_inverse steps; /* plain C */

/* A line of samples at positions i0 … i1 − 1, mirrored beyond. */
struct line {
    double value[MOST];
    int64_t i0, i1;
};

static double *at(struct line *line, int64_t i)
{
    while (i < line->i0 || i >= line->i1)
        i = i < line->i0 ? 2 * line->i0 - i : 2 * (line->i1 - 1) - i;
    return &line->value[i - line->i0];
}

/* x(i) += f × (x(i − 1) + x(i + 1)) for all i of a parity. */
static void step(struct line *line, int64_t parity, double f)
{
    for (int64_t i = line->i0; i < line->i1; i++)
        if (i % 2 == parity)
            *at(line, i) += f * (*at(line, i - 1) + *at(line, i + 1));
}

/* F.4.8.2 */
static void forward_97(struct line *line)
{
    if (line->i1 - line->i0 == 1) {
        *at(line, line->i0) *= line->i0 % 2 == 0 ? 1 : 2;
        return;
    }
    step(line, 1, -1.586134342059924);
    step(line, 0, -0.052980118572961);
    step(line, 1, 0.882911075530934);
    step(line, 0, 0.443506852043971);
    for (int64_t i = line->i0; i < line->i1; i++)
        *at(line, i) *= i % 2 == 0 ? 1 / 1.230174104914001 : 1.230174104914001;
}

/* F.4.8.1 */
static void forward_53(struct line *line)
{
    if (line->i1 - line->i0 == 1) {
        *at(line, line->i0) *= line->i0 % 2 == 0 ? 1 : 2;
        return;
    }
    for (int64_t i = line->i0; i < line->i1; i++)
        if (i % 2 == 1)
            *at(line, i) -= floor((*at(line, i - 1) + *at(line, i + 1)) / 2);
    for (int64_t i = line->i0; i < line->i1; i++)
        if (i % 2 == 0)
            *at(line, i) += floor((*at(line, i - 1) + *at(line, i + 1) + 2) / 4);
}

/* F.4.2: columns, then rows, of a picture in place, still interleaved. */
static void forward(double *picture, struct j2k_rect rect, void (*transform)(struct line *))
{
    static struct line line;
    size_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0;
    for (size_t x = 0; x < width; x++) {
        line.i0 = rect.y0;
        line.i1 = rect.y1;
        for (size_t y = 0; y < height; y++)
            line.value[y] = picture[y * width + x];
        transform(&line);
        for (size_t y = 0; y < height; y++)
            picture[y * width + x] = line.value[y];
    }
    for (size_t y = 0; y < height; y++) {
        line.i0 = rect.x0;
        line.i1 = rect.x1;
        memcpy(line.value, picture + y * width, width * sizeof(double));
        transform(&line);
        memcpy(picture + y * width, line.value, width * sizeof(double));
    }
}

union sample {
    int32_t integer;
    float real;
};

/* A level with its own memory: bands exactly as large as they have to be, so that sanitizers see what is read. */
struct bands {
    struct j2k_level level;
    union sample *band[4];
};

static void split(struct bands *bands, const double *picture, struct j2k_rect rect, bool reversible)
{
    size_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0;
    bands->level = (struct j2k_level){.rect = rect, .reversible = reversible};
    for (uint32_t b = 0; b < 4; b++) {
        uint64_t x0 = rect.x0, x1 = rect.x1;
        size_t columns = b % 2 ? x1 / 2 - x0 / 2 : (x1 + 1) / 2 - (x0 + 1) / 2, count = 0;
        bands->band[b] = malloc((width + 1) * (height + 1) * sizeof(union sample));
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                if (((rect.x0 + x) & 1) == (b & 1) && ((rect.y0 + y) & 1) == b >> 1) {
                    union sample *sample = &bands->band[b][count++];
                    if (reversible)
                        sample->integer = (int32_t)picture[y * width + x];
                    else
                        sample->real = (float)picture[y * width + x];
                }
        bands->band[b] = realloc(bands->band[b], count * sizeof(union sample) + (count == 0));
        bands->level.band[b] = bands->band[b];
        bands->level.pitch[b] = columns;
    }
}

/* In strips of some rows; every value of `limit` that is exceeded is an error. */
static void check(const double *picture, struct j2k_rect rect, bool reversible, uint32_t strip, double limit)
{
    size_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0, count = width * height;
    double *changed = malloc(count * sizeof(double));
    union sample *out = malloc(count * sizeof(union sample));
    void *room = aligned_alloc(64, (kst_j2k_cpu_synthesis_room((uint32_t)width) + 63) / 64 * 64);
    struct bands bands;
    memcpy(changed, picture, count * sizeof(double));
    forward(changed, rect, reversible ? forward_53 : forward_97);
    split(&bands, changed, rect, reversible);
    for (uint32_t done = 0; done < height; done += strip) {
        uint32_t y = rect.y0 + done, end = strip < height - done ? y + strip : rect.y1;
        union sample *to = out + (y - rect.y0) * width;
        kst_j2k_cpu_synthesise(&steps, &bands.level, y, end, to, width, room);
    }
    for (size_t i = 0; i < count; i++) {
        double value = reversible ? out[i].integer : (double)out[i].real;
        if (!(fabs(value - picture[i]) <= limit))
            fail_msg("%s, x %u-%u, y %u-%u, strips of %u: sample %zu is %g, not %g", reversible ? "5/3" : "9/7",
                rect.x0, rect.x1, rect.y0, rect.y1, strip, i, value, picture[i]);
    }
    for (uint32_t b = 0; b < 4; b++)
        free(bands.band[b]);
    free(room);
    free(out);
    free(changed);
}

static void check_size(struct j2k_rect rect, bool reversible, uint32_t strip, uint32_t seed)
{
    size_t count = (size_t)(rect.x1 - rect.x0) * (rect.y1 - rect.y0);
    double *picture = malloc(count * sizeof(double));
    uint32_t random = seed;
    for (size_t i = 0; i < count; i++)
        picture[i] = (int32_t)(random_next(&random) % 65536) - 32768;
    check(picture, rect, reversible, strip, reversible ? 0 : 0.1);
    free(picture);
}

static void small_sizes(bool reversible)
{
    for (uint32_t width = 1; width <= 11; width++)
        for (uint32_t height = 1; height <= 11; height++)
            for (uint32_t offset = 0; offset < 4; offset++)
                for (uint32_t strip = 1; strip <= 12; strip += strip < 3 ? 1 : 9) {
                    uint32_t x = offset % 2 + 4 * (width % 3), y = offset / 2 + 2 * (height % 2);
                    struct j2k_rect rect = {x, y, x + width, y + height};
                    check_size(rect, reversible, strip, width * 1000 + height);
                }
}

static void small_53(void **state)
{
    (void)state;
    small_sizes(true);
}

static void small_97(void **state)
{
    (void)state;
    small_sizes(false);
}

static void large(void **state)
{
    (void)state;
    static const struct j2k_rect rects[] = {{0, 0, 257, 130}, {1, 1, 130, 258}, {3, 2, 2503, 9}, {0, 1, 5, 2501},
        {0xFFFFFF00, 0xFFFFFF01, 0xFFFFFFFF, 0xFFFFFFFF}};
    for (uint32_t i = 0; i < sizeof rects / sizeof *rects; i++)
        for (uint32_t reversible = 0; reversible < 2; reversible++) {
            check_size(rects[i], reversible, 17, i);
            check_size(rects[i], reversible, 100000, i);
        }
}

/* Whatever the coefficients are, nothing overflows in a way that C does not define. */
static void extremes(void **state)
{
    (void)state;
    int32_t band[64], out[256];
    char *room = aligned_alloc(64, (kst_j2k_cpu_synthesis_room(16) + 63) / 64 * 64);
    struct j2k_level level = {
        .rect = {0, 0, 16, 16}, .reversible = true, .band = {band, band, band, band}, .pitch = {8, 8, 8, 8}};
    for (uint32_t i = 0; i < 64; i++)
        band[i] = i * i % 3 == 0 ? INT32_MAX : INT32_MIN;
    kst_j2k_cpu_synthesise(&steps, &level, 0, 16, out, 16, room);
    free(room);
}

/*
 * Coefficients as large as bounds allow that together are just within 16 bits, at random, all with the largest
 * magnitude, or with signs by turns: the same as with 32 bits, and within the bound.
 */
static void check_narrow(struct j2k_rect rect, uint32_t kind, uint32_t *random)
{
    enum { SIDE = 12, BOUND = INT16_MAX / 2 };
    int32_t band[4][SIDE * SIDE], wide[4 * SIDE * SIDE];
    int16_t small[4][SIDE * SIDE], narrow[4 * SIDE * SIDE];
    size_t width = rect.x1 - rect.x0, count = width * (rect.y1 - rect.y0);
    _Alignas(64) static uint8_t room[1 << 12];
    struct j2k_level level = {.rect = rect, .reversible = true}, narrow_level;
    int32_t left = BOUND - 3;
    assert_true(kst_j2k_cpu_synthesis_room((uint32_t)width) <= sizeof room);
    for (uint32_t b = 0; b < 4; b++) {
        int32_t bound = b == 3 ? left : (int32_t)(random_next(random) % (uint32_t)(left + 1));
        left -= bound;
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            bool negative = (kind == 1 ? i % SIDE + i / SIDE : random_next(random) >> 4) & 1;
            int32_t value = kind == 2 ? (int32_t)(random_next(random) % (uint32_t)(bound + 1)) : bound;
            band[b][i] = negative ? -value : value;
            small[b][i] = (int16_t)band[b][i];
        }
        level.band[b] = band[b];
        level.pitch[b] = SIDE;
    }
    narrow_level = level;
    narrow_level.narrow = true;
    for (uint32_t b = 0; b < 4; b++)
        narrow_level.band[b] = small[b];
    kst_j2k_cpu_synthesise(&steps, &level, rect.y0, rect.y1, wide, width, room);
    kst_j2k_cpu_synthesise(&steps, &narrow_level, rect.y0, rect.y1, narrow, width, room);
    for (size_t i = 0; i < count; i++)
        if (wide[i] != narrow[i] || abs(wide[i]) > BOUND)
            fail_msg("sample %zu is %d, not %d", i, narrow[i], (int)wide[i]);
}

static void narrow_is_the_same(void **state)
{
    (void)state;
    uint32_t random = 4;
    for (uint32_t i = 0; i < 30000; i++) {
        struct j2k_rect rect = {random_next(&random) % 4, random_next(&random) % 4, 0, 0};
        rect.x1 = rect.x0 + 1 + random_next(&random) % 20;
        rect.y1 = rect.y0 + 1 + random_next(&random) % 20;
        check_narrow(rect, i % 3, &random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_53),
        cmocka_unit_test(small_97),
        cmocka_unit_test(large),
        cmocka_unit_test(extremes),
        cmocka_unit_test(narrow_is_the_same),
    };
    kst_j2k_cpu_inverse_init(&steps, CPU_C);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
