/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares filters that are made of others with what these give and models of the rest, on all tiers and with several
 * numbers of threads.
 */
#include <math.h>
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
            uint8_t *row = (uint8_t *)image.plane[0].data + (ptrdiff_t)y * image.plane[0].pitch;
            if (depth > 8)
                ((uint16_t *)(void *)row)[i] = (uint16_t)((value * 251 + i) & greatest);
            else
                row[i] = (uint8_t)(value & greatest);
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

/*
 * A picture of more than 8 bits gets the colours of the same picture with 8 bits, scaled to its depth; its alpha does
 * not change.
 */
static void check_wide(kst_context *context, const char *chain, const kst_image *from)
{
    char narrow[64];
    uint32_t channels = kst_format_channels(from->format), colours = channels == 4 ? 3 : channels;
    const uint32_t greatest = (1u << from->plane[0].depth) - 1;
    snprintf(narrow, sizeof narrow, "depth=8,%s", chain);
    kst_image wanted = filtered(context, narrow, from), made = filtered(context, chain, from);
    assert_int_equal(made.plane[0].depth, from->plane[0].depth);
    for (uint32_t y = 0; y < from->height; y++) {
        const uint8_t *eight = (const uint8_t *)wanted.plane[0].data + (ptrdiff_t)y * wanted.plane[0].pitch;
        const uint16_t *own = (const uint16_t *)(const void *)((const uint8_t *)from->plane[0].data +
                                                               (ptrdiff_t)y * from->plane[0].pitch);
        const uint16_t *found =
            (const uint16_t *)(const void *)((const uint8_t *)made.plane[0].data + (ptrdiff_t)y * made.plane[0].pitch);
        for (uint32_t i = 0; i < from->width * channels; i++)
            assert_int_equal(found[i], i % channels < colours ? (eight[i] * greatest + 127) / 255 : own[i]);
    }
    kst_image_release(context, &wanted);
    kst_image_release(context, &made);
}

static void wide(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_GREY, KST_FORMAT_RGBA};
    static const char *const chains[] = {"cartoon", "painterly=5:2"};
    (void)state;
    for (uint32_t i = 0; i < contexts.count; i++)
        for (size_t k = 0; k < 6; k++) {
            kst_image image = make_image(contexts.context[i], 61, 37, formats[k % 3], k < 3 ? 16 : 11);
            check_wide(contexts.context[i], chains[(i + k) % 2], &image);
            kst_image_release(contexts.context[i], &image);
        }
}

enum { POINTS = 17 };

/* A stroke of the model: its points, and the colour at the first. */
struct stroke {
    int64_t x[POINTS], y[POINTS];
    uint32_t count;
    const uint8_t *colour;
};

/* What a layer of the model knows. */
struct layer {
    const kst_image *reference, *canvas;
    int radius, length, threshold;
    bool is_first;
};

static int distance(const kst_image *image, const uint8_t *a, const uint8_t *b)
{
    int sum = 0;
    for (uint32_t c = 0; c < kst_format_channels(image->format) && c < 3; c++)
        sum += a[c] > b[c] ? a[c] - b[c] : b[c] - a[c];
    return sum;
}

static int nearest_luminance(const kst_image *image, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x < image->width ? x : image->width - 1;
    y = y < 0 ? 0 : y < image->height ? y : image->height - 1;
    return (int)luminance(image, x, y);
}

static bool start_stroke(const struct layer *l, int64_t left, int64_t top, struct stroke *stroke)
{
    int64_t right = left + l->radius, bottom = top + l->radius, sum = 0, most = -1;
    right = right < l->reference->width ? right : l->reference->width;
    bottom = bottom < l->reference->height ? bottom : l->reference->height;
    uint32_t mixed = (uint32_t)left * 73856093u ^ (uint32_t)top * 19349663u;
    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    stroke->count = 1;
    stroke->x[0] = left + (mixed >> 8) % (right - left);
    stroke->y[0] = top + (mixed >> 20) % (bottom - top);
    for (int64_t y = top; y < bottom && !l->is_first; y++)
        for (int64_t x = left; x < right; x++) {
            int differs = distance(l->reference, pixel_of(l->reference, x, y), pixel_of(l->canvas, x, y));
            sum += differs;
            if (differs <= most)
                continue;
            most = differs;
            stroke->x[0] = x;
            stroke->y[0] = y;
        }
    stroke->colour = pixel_of(l->reference, stroke->x[0], stroke->y[0]);
    return l->is_first || sum > l->threshold * (right - left) * (bottom - top);
}

/* Step along the contour; false where the stroke ends. */
static bool extend_stroke(const struct layer *l, struct stroke *stroke, double last[2])
{
    static const int sobel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int64_t x = stroke->x[stroke->count - 1], y = stroke->y[stroke->count - 1];
    const uint8_t *own = pixel_of(l->reference, x, y);
    int off = distance(l->reference, own, stroke->colour), way[2] = {0, 0};
    if (off > l->threshold && off > distance(l->reference, own, pixel_of(l->canvas, x, y)))
        return false;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            way[0] -= sobel[i][j] * nearest_luminance(l->reference, x + i - 1, y + j - 1);
            way[1] += sobel[j][i] * nearest_luminance(l->reference, x + i - 1, y + j - 1);
        }
    double length = floor(sqrt(way[0] * way[0] + way[1] * way[1]));
    if (length == 0)
        return false;
    double turn = way[0] * last[0] + way[1] * last[1] < 0 ? -1 : 1;
    last[0] = turn * way[0];
    last[1] = turn * way[1];
    x += (int64_t)round(last[0] * l->radius / length);
    y += (int64_t)round(last[1] * l->radius / length);
    stroke->x[stroke->count] = x;
    stroke->y[stroke->count] = y;
    return x >= 0 && y >= 0 && x < l->reference->width && y < l->reference->height;
}

/* Let a stroke's discs cover pixels that are less light. */
static void paint_stroke(const struct layer *l, const struct stroke *stroke, uint32_t *words)
{
    const uint8_t *colour = stroke->colour;
    bool is_grey = kst_format_channels(l->reference->format) == 1;
    uint32_t light = (uint32_t)luminance(l->reference, stroke->x[0], stroke->y[0]) / 2 + 128;
    uint32_t word = light << 24 | (uint32_t)colour[0] << 16 | (is_grey ? 0 : (uint32_t)colour[1] << 8 | colour[2]);
    for (int64_t y = 0; y < l->reference->height; y++)
        for (int64_t x = 0; x < l->reference->width; x++)
            for (uint32_t i = 0; i < stroke->count; i++) {
                int64_t dx = x - stroke->x[i], dy = y - stroke->y[i];
                uint32_t *to = &words[y * l->reference->width + x];
                if (dx * dx + dy * dy <= l->radius * l->radius && *to < word)
                    *to = word;
            }
}

static void paint_layer(const struct layer *l, uint32_t *words)
{
    for (int64_t top = 0; top < l->reference->height; top += l->radius)
        for (int64_t left = 0; left < l->reference->width; left += l->radius) {
            struct stroke stroke;
            double last[2] = {0, 0};
            if (!start_stroke(l, left, top, &stroke))
                continue;
            while (stroke.count <= (uint32_t)l->length && extend_stroke(l, &stroke, last))
                stroke.count++;
            if (stroke.count > 1 || l->is_first)
                paint_stroke(l, &stroke, words);
        }
}

static void bring_to_canvas(const kst_image *from, const kst_image *canvas, uint32_t *words)
{
    uint32_t channels = kst_format_channels(from->format);
    for (uint32_t i = 0; i < from->width * from->height; i++) {
        uint8_t *to = pixel_of(canvas, i % from->width, i / from->width);
        for (uint32_t c = 0; c < channels && c < 3 && words[i] > 0; c++)
            to[c] = (uint8_t)(words[i] >> (16 - 8 * c));
        if (channels == 4)
            to[3] = pixel_of(from, i % from->width, i / from->width)[3];
        words[i] = 0;
    }
}

static kst_image model_painterly(kst_context *context, const kst_image *from, struct layer l, int brush, int layers)
{
    kst_image canvas, reference;
    uint32_t *words = calloc((size_t)from->width * from->height, sizeof *words);
    assert_non_null(words);
    for (int i = 0; i < layers && brush >> i > 0; i++) {
        char blur[64];
        snprintf(blur, sizeof blur, "gaussian=%g", (brush >> i) * 0.5);
        reference = filtered(context, blur, from);
        if (i == 0)
            canvas = filtered(context, blur, from);
        l.reference = &reference;
        l.canvas = &canvas;
        l.is_first = i == 0;
        l.radius = brush >> i;
        paint_layer(&l, words);
        bring_to_canvas(from, &canvas, words);
        kst_image_release(context, &reference);
    }
    free(words);
    return canvas;
}

static void expect_same(const char *chain, const char *machine, const kst_image *wanted, const kst_image *made)
{
    for (uint32_t y = 0; y < wanted->height; y++)
        for (uint32_t i = 0; i < wanted->width * kst_format_channels(wanted->format); i++)
            if (pixel_of(wanted, 0, y)[i] != pixel_of(made, 0, y)[i])
                fail_msg("%s on %s: sample %u of row %u is %u, not %u", chain, machine, i, y, pixel_of(made, 0, y)[i],
                    pixel_of(wanted, 0, y)[i]);
}

static void painterly(void **state)
{
    static const struct {
        const char *chain;
        int brush, layers, length, threshold;
    } cases[] = {{"painterly", 8, 3, 8, 12}, {"painterly=5:4:3:2", 5, 4, 3, 2}, {"painterly=2:2:16:40", 2, 2, 16, 40}};
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_GREY, KST_FORMAT_RGBA};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        kst_context *first = contexts.context[0];
        kst_image image = make_image(first, 61 - (uint32_t)k * 7, 37, formats[k], 8);
        struct layer l = {.length = cases[k].length};
        l.threshold = cases[k].threshold * (k == 1 ? 1 : 3);
        kst_image wanted = model_painterly(first, &image, l, cases[k].brush, cases[k].layers);
        for (uint32_t i = 0; i < contexts.count; i++) {
            kst_image made = filtered(contexts.context[i], cases[k].chain, &image);
            expect_same(cases[k].chain, contexts.name[i], &wanted, &made);
            kst_image_release(contexts.context[i], &made);
        }
        kst_image_release(first, &wanted);
        kst_image_release(first, &image);
    }
}

static kst_segments segments_of(kst_context *context, const char *chain, const kst_image *image)
{
    kst_filter *filter;
    kst_segments found;
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, image, &found, NULL), KST_OK);
    kst_filter_close(&filter);
    return found;
}

static double distance_to(const kst_segment *segment, double x, double y)
{
    double dx = segment->x1 - segment->x0, dy = segment->y1 - segment->y0;
    double along = ((x - segment->x0) * dx + (y - segment->y0) * dy) / (dx * dx + dy * dy);
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    return hypot(x - segment->x0 - along * dx, y - segment->y0 - along * dy);
}

static double nearest_of(const kst_segments *found, double x, double y)
{
    double least = INFINITY;
    for (size_t i = 0; i < found->count; i++)
        least = fmin(least, distance_to(&found->segment[i], x, y));
    return least;
}

/* The outline of a rectangle gives four lines along its sides. */
static void rectangle(void **state)
{
    enum { SIDE = 100, LEFT = 20, RIGHT = 70, TOP = 15, BOTTOM = 60 };
    kst_context *context = contexts.context[0];
    kst_image image = make_image(context, SIDE, SIDE, KST_FORMAT_GREY, 8);
    (void)state;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            *pixel_of(&image, x, y) = x >= LEFT && x < RIGHT && y >= TOP && y < BOTTOM ? 200 : 50;
    kst_segments found = segments_of(context, "lines", &image);
    assert_int_equal(found.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const kst_segment *own = &found.segment[i];
        bool upright = abs(own->x1 - own->x0) < 4 && abs(own->y1 - own->y0) > BOTTOM - TOP - 8;
        bool level = abs(own->y1 - own->y0) < 4 && abs(own->x1 - own->x0) > RIGHT - LEFT - 8;
        assert_true(upright || level);
        int at = upright ? own->x0 : own->y0, first = upright ? LEFT : TOP, end = upright ? RIGHT : BOTTOM;
        assert_true(abs(at - first) < 4 || abs(at - end) < 4);
    }
    kst_filter_segments_release(context, &found);
    kst_image_release(context, &image);
}

/* All pixels of edges that touch others are near a line, and lines are near edges. */
static void check_lines(kst_context *context, const kst_image *image, const kst_segments *found, double tolerance)
{
    kst_image edges = filtered(context, "grey,canny=40:100", image);
    for (int64_t y = 1; y + 1 < image->height; y++)
        for (int64_t x = 1; x + 1 < image->width; x++) {
            uint32_t around = 0;
            for (int k = 0; k < 9; k++)
                around += *pixel_of(&edges, x + k % 3 - 1, y + k / 3 - 1) > 0;
            if (*pixel_of(&edges, x, y) && around == 3 && nearest_of(found, (double)x, (double)y) > tolerance)
                fail_msg("the edge at %d, %d is near no line", (int)x, (int)y);
        }
    for (size_t i = 0; i < found->count; i++) {
        assert_true(*pixel_of(&edges, found->segment[i].x0, found->segment[i].y0) > 0);
        assert_true(*pixel_of(&edges, found->segment[i].x1, found->segment[i].y1) > 0);
    }
    kst_image_release(context, &edges);
}

/* What is drawn are the lines that are listed. */
static void check_drawing(kst_context *context, const char *chain, const kst_image *image, const kst_segments *found)
{
    kst_image drawn = filtered(context, chain, image);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            double away = nearest_of(found, x, y);
            uint8_t value = *pixel_of(&drawn, x, y);
            if (value != 0 && value != 255)
                fail_msg("a drawing has the sample %u", value);
            if (value == 255 ? away > 0.75 : away == 0)
                fail_msg("%s at %u, %u: %u, and the nearest line is %g away", chain, x, y, value, away);
        }
    kst_image_release(context, &drawn);
}

/* Discs and rays have edges in all directions, closed ones, and junctions. */
static void draw_shapes(const kst_image *image)
{
    for (int y = 0; y < (int)image->height; y++)
        for (int x = 0; x < (int)image->width; x++) {
            int dx = x - 40, dy = y - 40;
            bool disc = dx * dx + dy * dy < 900 && dx * dx + dy * dy > 200;
            int value = disc ? 220 : (x * 3 + y * 7) % 160 < 60 && x > 75 ? 140 : 20;
            memset(pixel_of(image, x, y), value, kst_format_channels(image->format));
        }
}

static void lines(void **state)
{
    static const char chain[] = "lines=40:100:1:1";
    kst_context *first = contexts.context[0];
    kst_image image = make_image(first, 131, 90, KST_FORMAT_RGB, 8);
    (void)state;
    draw_shapes(&image);
    kst_segments wanted = segments_of(first, chain, &image);
    assert_true(wanted.count > 20);
    check_lines(first, &image, &wanted, 1.0);
    check_drawing(first, chain, &image, &wanted);
    for (uint32_t i = 1; i < contexts.count; i++) {
        kst_segments found = segments_of(contexts.context[i], chain, &image);
        assert_int_equal(found.count, wanted.count);
        assert_memory_equal(found.segment, wanted.segment, wanted.count * sizeof *wanted.segment);
        kst_filter_segments_release(contexts.context[i], &found);
    }
    kst_filter_segments_release(first, &wanted);
    kst_image_release(first, &image);
}

/* Edges of a picture of 16 bits are those of its luminance in 8 bits. */
static void deep_lines(void **state)
{
    kst_context *context = contexts.context[0];
    kst_image image = make_image(context, 131, 90, KST_FORMAT_GREY, 8);
    (void)state;
    draw_shapes(&image);
    kst_segments wanted = segments_of(context, "lines=40:100:1:1", &image);
    kst_segments found = segments_of(context, "depth=16,lines=40:100:1:1", &image);
    assert_true(wanted.count > 20);
    assert_int_equal(found.count, wanted.count);
    assert_memory_equal(found.segment, wanted.segment, wanted.count * sizeof *wanted.segment);
    kst_filter_segments_release(context, &found);
    kst_filter_segments_release(context, &wanted);
    kst_image_release(context, &image);
}

/* A spiral makes a chain that is longer than what is split at once, and no two lines are equal. */
static void long_chain(void **state)
{
    enum { SIDE = 400, STEP = 8 };
    kst_context *context = contexts.context[0];
    kst_image image = make_image(context, SIDE, SIDE, KST_FORMAT_GREY, 8);
    int64_t x = 0, y = 0, dx = 1, dy = 0;
    (void)state;
    memset(image.plane[0].data, 0, (size_t)image.plane[0].pitch * SIDE);
    for (int side = SIDE - 1; side > STEP; side -= dx == 0 ? 0 : STEP)
        for (int i = 0; i < side; i++) {
            for (int64_t j = -1; j <= 1; j++)
                if (y + j >= 0 && y + j < SIDE && x + 1 < SIDE && x >= 0)
                    *pixel_of(&image, x + 1, y + j) = *pixel_of(&image, x, y + j) = 200;
            x += dx;
            y += dy;
            if (i + 1 == side) {
                int64_t before = dx;
                dx = -dy;
                dy = before;
            }
        }
    kst_segments found = segments_of(context, "lines", &image);
    assert_true(found.count > 2 * SIDE / STEP);
    for (size_t i = 1; i < found.count; i++)
        assert_true(memcmp(&found.segment[i - 1], &found.segment[i], sizeof *found.segment) != 0);
    check_drawing(context, "lines", &image, &found);
    kst_filter_segments_release(context, &found);
    kst_image_release(context, &image);
}

static void long_sides(void **state)
{
    static const char *const chains[] = {"lines", "painterly"};
    kst_image image, to;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        kst_filter *filter;
        kst_report report;
        kst_report_init(&report);
        kst_image_init(&image);
        image.format = KST_FORMAT_GREY;
        image.plane_count = 1;
        image.width = i < 2 ? (1u << 30) + 1 : 1;
        image.height = i < 2 ? 1 : UINT32_MAX;
        image.plane[0] = (kst_plane){.width = image.width, .height = image.height, .depth = 8};
        assert_int_equal(kst_filter_open(contexts.context[0], chains[i % 2], &filter, NULL), KST_OK);
        assert_int_equal(kst_filter_describe(filter, &image, &to, &report), KST_ERROR_IMAGE_SIZE);
        assert_non_null(strstr(report.message, "takes sides of up to 1073741824 pixels"));
        kst_filter_close(&filter);
    }
}

static void refusals(void **state)
{
    kst_context *context = contexts.context[0];
    kst_image image = make_image(context, 9, 7, KST_FORMAT_RGB, 8);
    kst_filter *filter;
    kst_segments found = {.count = 3};
    kst_report report;
    (void)state;
    kst_report_init(&report);
    assert_int_equal(kst_filter_open(context, "lines,invert", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &image, &found, &report), KST_ERROR_ARGUMENT);
    assert_int_equal(found.count, 0);
    assert_int_equal(kst_filter_segments(NULL, &image, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_segments(filter, NULL, &found, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_filter_segments(filter, &image, NULL, NULL), KST_ERROR_ARGUMENT);
    kst_filter_close(&filter);
    assert_int_equal(kst_filter_open(context, "depth=16,canny=1:2,lines", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &image, &found, &report), KST_ERROR_IMAGE_DEPTH);
    assert_null(found.segment);
    kst_filter_segments_release(context, &found);
    kst_filter_segments_release(context, NULL);
    kst_filter_close(&filter);
    kst_image_release(context, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cartoon), cmocka_unit_test(wide), cmocka_unit_test(painterly),
        cmocka_unit_test(rectangle), cmocka_unit_test(lines), cmocka_unit_test(deep_lines),
        cmocka_unit_test(long_chain), cmocka_unit_test(long_sides), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, contexts_start_cpu, contexts_stop);
}
