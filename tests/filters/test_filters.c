/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters with models that are written from their definitions, pixel by pixel, on all tiers and with several
 * numbers of threads, for images of odd sizes, formats, depths and pitches.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

enum { SENTINEL = 0xA5 };

/* Samples in the model, of any depth, without padding. */
struct model {
    uint32_t width, height, channels, depth;
    uint32_t *value;
};

static struct model model_make(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
    struct model model = {width, height, channels, depth, calloc((size_t)width * height * channels, sizeof(uint32_t))};
    assert_non_null(model.value);
    return model;
}

static uint32_t *at(const struct model *model, int64_t x, int64_t y, uint32_t channel)
{
    return &model->value[((size_t)y * model->width + (size_t)x) * model->channels + channel];
}

/* The nearest sample that there is. */
static uint32_t near(const struct model *model, int64_t x, int64_t y, uint32_t channel)
{
    x = x < 0 ? 0 : x >= model->width ? (int64_t)model->width - 1 : x;
    y = y < 0 ? 0 : y >= model->height ? (int64_t)model->height - 1 : y;
    return *at(model, x, y, channel);
}

static int64_t reflect(int64_t i, int64_t count)
{
    while (count > 1 && (i < 0 || i >= count))
        i = i < 0 ? -i : 2 * (count - 1) - i;
    return count > 1 ? i : 0;
}

/* Random samples, smooth in places, so that there are edges, plains and equal neighbours. */
static struct model model_random(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
    struct model model = model_make(width, height, channels, depth);
    uint32_t greatest = (1u << depth) - 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++) {
                uint32_t noise = next_random() % 3 ? 0 : next_random() % 40;
                *at(&model, x, y, c) = (((x / 5 + y / 7) * 77 + c * 31 + noise) << 8 >> (16 - depth)) & greatest;
            }
    return model;
}

/* A picture in memory whose rows have a pitch of their own, and bytes around them that must not change. */
struct buffer {
    kst_image image;
    uint8_t *memory;
    size_t length, row;
};

static kst_format format_of(uint32_t channels)
{
    return channels == 1 ? KST_FORMAT_GREY : channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_RGBA;
}

static struct buffer buffer_make(const struct model *like, ptrdiff_t padding, bool upside_down)
{
    struct buffer buffer = {.memory = NULL};
    size_t bytes = like->depth > 8 ? 2 : 1;
    buffer.row = (size_t)like->width * like->channels * bytes;
    size_t pitch = buffer.row + (size_t)padding * bytes;
    buffer.length = pitch * like->height + 2 * (size_t)padding * bytes;
    buffer.memory = malloc(buffer.length);
    assert_non_null(buffer.memory);
    memset(buffer.memory, SENTINEL, buffer.length);
    uint8_t *first = buffer.memory + (size_t)padding * bytes;
    if (upside_down)
        first += pitch * (like->height - 1);
    kst_image_init(&buffer.image);
    buffer.image.format = format_of(like->channels);
    buffer.image.width = like->width;
    buffer.image.height = like->height;
    buffer.image.plane_count = 1;
    buffer.image.plane[0] = (kst_plane){.data = first,
        .pitch = upside_down ? -(ptrdiff_t)pitch : (ptrdiff_t)pitch,
        .width = like->width,
        .height = like->height,
        .depth = (uint8_t)like->depth};
    return buffer;
}

static uint8_t *row_of(const struct buffer *buffer, uint32_t y)
{
    return (uint8_t *)buffer->image.plane[0].data + (ptrdiff_t)y * buffer->image.plane[0].pitch;
}

static void store(const struct model *model, const struct buffer *buffer)
{
    for (uint32_t y = 0; y < model->height; y++)
        for (uint32_t i = 0; i < model->width * model->channels; i++) {
            uint32_t value = model->value[(size_t)y * model->width * model->channels + i];
            if (model->depth > 8)
                ((uint16_t *)(void *)row_of(buffer, y))[i] = (uint16_t)value;
            else
                row_of(buffer, y)[i] = (uint8_t)value;
        }
}

/* Compare, and overwrite what was right, so that what was not to change can be found. */
static void compare(const struct model *model, const struct buffer *buffer, const char *chain, const char *machine)
{
    for (uint32_t y = 0; y < model->height; y++) {
        for (uint32_t i = 0; i < model->width * model->channels; i++) {
            uint32_t wanted = model->value[(size_t)y * model->width * model->channels + i];
            uint32_t found = model->depth > 8 ? ((uint16_t *)(void *)row_of(buffer, y))[i] : row_of(buffer, y)[i];
            if (wanted != found)
                fail_msg("%s on %s, %ux%u of %u channels and %u bits: sample %u of row %u is %u, not %u", chain,
                    machine, model->width, model->height, model->channels, model->depth, i, y, found, wanted);
        }
        memset(row_of(buffer, y), SENTINEL, buffer->row);
    }
    for (size_t i = 0; i < buffer->length; i++)
        assert_int_equal(buffer->memory[i], SENTINEL);
}

static void run(kst_context *context, const char *machine, const char *chain, const struct buffer *from,
    const struct buffer *to, const struct model *expected)
{
    kst_filter *filter;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_filter_open(context, chain, &filter, &report), KST_OK);
    kst_status status = kst_filter_run(filter, &from->image, (kst_image *)(uintptr_t)&to->image, &report);
    if (status)
        fail_msg("%s on %s: %s", chain, machine, report.message);
    compare(expected, to, chain, machine);
    kst_filter_close(&filter);
}

/* Apply the chain on all machines; the two models are released. */
static void check(const char *chain, struct model source, struct model expected)
{
    bool turned = source.width % 2 == 1;
    struct buffer from = buffer_make(&source, source.width % 3, turned);
    struct buffer to = buffer_make(&expected, 3, !turned);
    store(&source, &from);
    for (uint32_t i = 0; i < contexts.count; i++)
        run(contexts.context[i], contexts.name[i], chain, &from, &to, &expected);
    free(from.memory);
    free(to.memory);
    free(source.value);
    free(expected.value);
}

static const uint32_t sizes[][2] = {{1, 1}, {1, 6}, {9, 1}, {2, 3}, {5, 4}, {17, 35}, {70, 19}, {133, 66}};
enum { SIZES = sizeof sizes / sizeof *sizes };

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
            sum += horizontal[i] * vertical[j] * near(source, x + i - aperture / 2, y + j - aperture / 2, c);
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
            if (i >= 0 && j >= 0 && i < made->width && j < made->height && *at(made, i, j, 0) == 255)
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
            *at(&made, x, y, 0) = !is_ridge(own, pitch, edges) ? 0 : own->magnitude > edges->high ? 255 : 1;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t y = 0; y < source->height; y++)
            for (int64_t x = 0; x < source->width; x++)
                if (*at(&made, x, y, 0) == 1 && touches_edge(&made, x, y)) {
                    *at(&made, x, y, 0) = 255;
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
            check(cases[k].chain, source, model_canny(&source, &cases[k].edges));
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
                *at(&source, x, y, 0) = 40;
            x += dx;
            y += dy;
            if (i + 1 == side) {
                int64_t before = dx;
                dx = -dy;
                dy = before;
            }
        }
    for (int64_t i = 0; i < 4; i++)
        *at(&source, SIDE / 2 + i, SIDE / 2, 0) = 255;
    *at(&source, 0, 1, 0) = 255;
    check("canny=20:700", source, model_canny(&source, &edges));
}

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
                        value[count++] = near(source, x + i, y + j, c);
                qsort(value, count, sizeof *value, compare_values);
                *at(&made, x, y, c) = value[count / 2];
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
            check(chain, source, model_median(&source, radius));
        }
    }
}

/* Weights of 8 or 16 bits for a standard deviation of 1; sums are not rounded before the end. */
/* The luminance of a pixel, as one of 8 bits. */
static uint32_t luminance_8(const struct model *source, int64_t x, int64_t y)
{
    uint32_t greatest = (1u << source->depth) - 1, value = *at(source, x, y, 0);
    if (source->channels > 1)
        value = (value * 9798 + *at(source, x, y, 1) * 19235 + *at(source, x, y, 2) * 3735 + 16384) / 32768;
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
                sum[bin] += *at(source, i, j, channel);
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
                *at(&made, x, y, c) = c < 3 ? painted(source, x, y, radius, ratio, c) : *at(source, x, y, c);
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
        check(cases[i % 4].chain, source, model_oil(&source, cases[i % 4].radius, cases[i % 4].ratio));
    }
}

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
                               *at(source, reflect(x + i - radius, source->width),
                                   reflect(y + j - radius, source->height), c);
                *at(&made, x, y, c) = (uint32_t)(sum >> bits);
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
            check("gaussian", source, model_gaussian(&source));
            source = model_random(sizes[i][0], sizes[i][1], channels, depths[k]);
            check("sharpen=1.7:1:3", source, model_sharpen(&source, 1700, 3));
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
                    int64_t column = reflect(x + i, source->width), row = reflect(y + j, source->height), apart = 0;
                    for (uint32_t c = 0; c < colours; c++)
                        apart += llabs((int64_t)*at(source, column, row, c) - (int64_t)*at(source, x, y, c));
                    double power =
                        -(i * i + j * j) / (2 * space * space) - (double)(apart * apart) / (2 * colour * colour);
                    int64_t weight = i * i + j * j <= radius * radius ? (int64_t)rint(16384 * exp(power)) : 0;
                    total += weight;
                    for (uint32_t c = 0; c < colours; c++)
                        sum[c] += weight * *at(source, column, row, c);
                }
            for (uint32_t c = 0; c < source->channels; c++)
                *at(&made, x, y, c) =
                    c < colours ? (uint32_t)((2 * sum[c] + total) / (2 * total)) : *at(source, x, y, c);
        }
    return made;
}

static void bilateral(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint32_t channels = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 4;
        struct model source = model_random(sizes[i][0], sizes[i][1], channels, 8);
        check("bilateral", source, model_bilateral(&source, 30, 3, 4));
        source = model_random(sizes[i][0], sizes[i][1], channels, i % 2 ? 8 : 6);
        check("bilateral=70.5:1.5:2", source, model_bilateral(&source, 70.5, 1.5, 2));
    }
    struct model source = model_random(31, 19, 3, 8);
    check("bilateral=1000:100:12", source, model_bilateral(&source, 1000, 100, 12));
}

static struct model model_sobel(const struct model *source, int aperture)
{
    struct model made = model_make(source->width, source->height, source->channels, source->depth);
    for (int64_t y = 0; y < source->height; y++)
        for (int64_t x = 0; x < source->width; x++)
            for (uint32_t c = 0; c < source->channels; c++) {
                int64_t sum = llabs(gradient(source, x, y, c, aperture, true)) +
                              llabs(gradient(source, x, y, c, aperture, false));
                sum = c == 3 ? *at(source, x, y, c) : sum;
                int64_t greatest = (1 << source->depth) - 1;
                *at(&made, x, y, c) = (uint32_t)(sum < greatest ? sum : greatest);
            }
    return made;
}

static void sobel(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        struct model source = model_random(sizes[i][0], sizes[i][1], i % 2 ? 4 : 1, i % 3 ? 8 : 7);
        check("sobel", source, model_sobel(&source, 3));
        source = model_random(sizes[i][0], sizes[i][1], 3, 8);
        check("sobel=5", source, model_sobel(&source, 5));
    }
}

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
                *at(&made, x, y, c) = *at(source, i, j, c);
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
        check("rotate=90", source[0], model_moved(&source[0], height, width, find_90));
        check("rotate=180", source[1], model_moved(&source[1], width, height, find_180));
        check("rotate=270", source[2], model_moved(&source[2], height, width, find_270));
        check("flip", source[3], model_moved(&source[3], width, height, find_mirrored));
        check("flip=vertical", source[4], model_moved(&source[4], width, height, find_upside_down));
        uint32_t columns = width - width / 3, rows = height - height / 2;
        snprintf(chain, sizeof chain, "crop=%ux%u:%u:%u", columns, rows, width / 3, height / 2);
        check(chain, source[5], model_moved(&source[5], columns, rows, find_part));
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
        check("invert", source, model_tone(&source, 8, tone_invert));
        source = model_random(width, height, channels, 8);
        check("levels=50:190:10:240", source, model_tone(&source, 8, tone_levels));
        source = model_random(width, height, channels, 16);
        check("threshold=4000", source, model_tone(&source, 16, tone_threshold));
        source = model_random(width, height, channels, 16);
        check("depth=8", source, model_tone(&source, 8, tone_narrow));
        source = model_random(width, height, channels, 8);
        check("depth=16", source, model_tone(&source, 16, tone_wide));
        if ((size_t)width * height > 3000)
            continue;
        source = model_random(width, height, 1, 8);
        check("equalise", source, model_equalise(&source));
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
        check("grey", source, made);
    }
}

/* A filter of a chain gets what the one before has made. */
static void chains(void **state)
{
    (void)state;
    struct model source = model_random(70, 41, 1, 8);
    struct model turned = model_moved(&source, 41, 70, find_90);
    struct model blurred = model_gaussian(&turned), middle = model_median(&blurred, 1);
    free(turned.value);
    free(blurred.value);
    check("rotate=90,gaussian,median", source, middle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(canny), cmocka_unit_test(long_edges), cmocka_unit_test(median),
        cmocka_unit_test(gaussian), cmocka_unit_test(bilateral), cmocka_unit_test(sobel), cmocka_unit_test(geometry),
        cmocka_unit_test(tone), cmocka_unit_test(grey), cmocka_unit_test(oil), cmocka_unit_test(chains)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
