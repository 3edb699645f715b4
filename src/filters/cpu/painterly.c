/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paints with strokes of brushes, from the thickest to the thinnest, after Hertzmann's method. A layer's reference is
 * the picture, blurred in proportion to the brush's radius. A grid has cells as wide as that radius. Where the canvas
 * differs from the reference, a stroke begins at the pixel that differs most, has its colour, and follows the contours
 * of the reference's luminance. All strokes of a layer are painted together, and where they overlap, the lightest one
 * wins, so that their order does not matter.
 */
#include "filters/cpu/painterly.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "filters/bands.h"
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"
#include "filters/cpu/narrow.h"

enum { BRUSH, LAYERS, LENGTH, THRESHOLD };
enum { PAINTED = 0x80, COLOURS_MOST = 3 };

/*
 * Describes a layer. Each pixel has a word; where the layer has been painted, its highest byte holds the bit PAINTED
 * and half the luminance, and its lower bytes hold the colours.
 */
struct filter_layer {
    const struct filter_pixels *reference, *canvas;
    atomic_uint *words;
    int32_t radius, length, threshold;
    bool is_first;
};

struct filter_spot {
    int32_t x, y;
};

struct filter_stroke {
    struct filter_spot point[FILTER_PAINTERLY_LENGTH + 1];
    int32_t count;
    const uint8_t *colour;
};

static const uint8_t *pixel_at(const struct filter_pixels *pixels, struct filter_spot at)
{
    return kst_filter_row(pixels, (uint32_t)at.y) + (size_t)at.x * pixels->channels;
}

/* Return the sum of the absolute differences of colours. */
static int32_t distance(const struct filter_layer *layer, const uint8_t *a, const uint8_t *b)
{
    int32_t sum = 0;
    for (uint32_t c = 0; c < layer->reference->colours; c++)
        sum += abs(a[c] - b[c]);
    return sum;
}

static bool is_inside(const struct filter_layer *layer, struct filter_spot at)
{
    return at.x >= 0 && at.y >= 0 && at.x < (int32_t)layer->reference->width &&
           at.y < (int32_t)layer->reference->height;
}

/* Return a pseudo-random pixel of a cell, which depends only on the cell. */
static struct filter_spot any_of(struct filter_spot cell, struct filter_spot end)
{
    uint32_t mixed = ((uint32_t)cell.x * 73856093u) ^ ((uint32_t)cell.y * 19349663u);
    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    return (struct filter_spot){cell.x + (int32_t)((mixed >> 8) % (uint32_t)(end.x - cell.x)),
        cell.y + (int32_t)((mixed >> 20) % (uint32_t)(end.y - cell.y))};
}

/*
 * Find where the stroke of a cell begins. The thickest brush paints in every cell; other brushes paint where the mean
 * difference is above the threshold, from the pixel with the greatest difference, the first one by rows if several are
 * equal.
 */
static bool find_start(const struct filter_layer *layer, struct filter_spot cell, struct filter_spot *start)
{
    const struct filter_pixels *reference = layer->reference;
    struct filter_spot end = {cell.x + layer->radius, cell.y + layer->radius}, at;
    int32_t sum = 0, most = -1;
    end.x = end.x < (int32_t)reference->width ? end.x : (int32_t)reference->width;
    end.y = end.y < (int32_t)reference->height ? end.y : (int32_t)reference->height;
    if (layer->is_first) {
        *start = any_of(cell, end);
        return true;
    }
    for (at.y = cell.y; at.y < end.y; at.y++)
        for (at.x = cell.x; at.x < end.x; at.x++) {
            int32_t differs = distance(layer, pixel_at(reference, at), pixel_at(layer->canvas, at));
            sum += differs;
            *start = differs > most ? at : *start;
            most = differs > most ? differs : most;
        }
    return sum > layer->threshold * (end.x - cell.x) * (end.y - cell.y);
}

static int32_t luminance_at(const struct filter_pixels *pixels, int32_t x, int32_t y)
{
    const int32_t right = (int32_t)pixels->width - 1, bottom = (int32_t)pixels->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return (int32_t)kst_filter_luminance(pixels, kst_filter_row(pixels, (uint32_t)y), (size_t)x);
}

/* Return the direction of the contour at a pixel: the gradient by Sobel's operator, turned by 90 degrees. */
static struct filter_spot contour_at(const struct filter_pixels *pixels, struct filter_spot at)
{
    int32_t dx = 0, dy = 0;
    for (int32_t i = -1; i <= 1; i++) {
        int32_t weight = 2 - i * i;
        dx += weight * (luminance_at(pixels, at.x + 1, at.y + i) - luminance_at(pixels, at.x - 1, at.y + i));
        dy += weight * (luminance_at(pixels, at.x + i, at.y + 1) - luminance_at(pixels, at.x + i, at.y - 1));
    }
    return (struct filter_spot){-dy, dx};
}

/* Return the square root of a number up to 2^22, rounded down. */
static int32_t root(int32_t square)
{
    int32_t made = 0;
    for (int32_t bit = 1024; bit > 0; bit >>= 1)
        made += (made + bit) * (made + bit) <= square ? bit : 0;
    return made;
}

/* Return part × radius ÷ whole, rounded to nearest, halves away from 0. */
static int32_t scaled(int32_t part, int32_t radius, int32_t whole)
{
    int32_t made = (2 * abs(part) * radius + whole) / (2 * whole);
    return part < 0 ? -made : made;
}

/* Follow the contour from the stroke's first point. */
static void trace(const struct filter_layer *layer, struct filter_stroke *stroke)
{
    struct filter_spot at = stroke->point[0], last = {0, 0};
    while (stroke->count <= layer->length) {
        const uint8_t *own = pixel_at(layer->reference, at);
        int32_t off = distance(layer, own, stroke->colour);
        if (off > layer->threshold && off > distance(layer, own, pixel_at(layer->canvas, at)))
            return;
        struct filter_spot way = contour_at(layer->reference, at);
        int32_t length = root(way.x * way.x + way.y * way.y);
        if (length == 0)
            return;
        if (way.x * last.x + way.y * last.y < 0)
            way = (struct filter_spot){-way.x, -way.y};
        at.x += scaled(way.x, layer->radius, length);
        at.y += scaled(way.y, layer->radius, length);
        if (!is_inside(layer, at))
            return;
        stroke->point[stroke->count++] = at;
        last = way;
    }
}

static uint32_t word_of(const struct filter_layer *layer, const uint8_t *colour)
{
    uint32_t word = kst_filter_luminance(layer->reference, colour, 0) / 2 | PAINTED;
    for (uint32_t c = 0; c < COLOURS_MOST; c++)
        word = word << 8 | (c < layer->reference->colours ? colour[c] : 0);
    return word;
}

static void raise(atomic_uint *to, uint32_t word)
{
    uint32_t now = atomic_load_explicit(to, memory_order_relaxed);
    while (now < word &&
           !atomic_compare_exchange_weak_explicit(to, &now, word, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* Paint the disc of the brush at a point. */
static void press(const struct filter_layer *layer, struct filter_spot at, uint32_t word)
{
    const int32_t radius = layer->radius, right = (int32_t)layer->reference->width - 1;
    const int32_t bottom = (int32_t)layer->reference->height - 1;
    for (int32_t dy = at.y < radius ? -at.y : -radius, half = 0; dy <= radius && at.y + dy <= bottom; dy++) {
        while ((half + 1) * (half + 1) + dy * dy <= radius * radius)
            half++;
        while (half * half + dy * dy > radius * radius)
            half--;
        atomic_uint *row = layer->words + (size_t)(at.y + dy) * layer->reference->width;
        int32_t end = at.x + half < right ? at.x + half : right;
        for (int32_t x = at.x > half ? at.x - half : 0; x <= end; x++)
            raise(row + x, word);
    }
}

/*
 * Paint the strokes of the cells in some rows of the grid. Strokes of a single point are painted by the thickest brush
 * only.
 */
static kst_status paint_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_layer *layer = arg;
    struct filter_spot cell;
    (void)work;
    for (cell.y = (int32_t)first * layer->radius; cell.y < (int32_t)end * layer->radius; cell.y += layer->radius)
        for (cell.x = 0; cell.x < (int32_t)layer->reference->width; cell.x += layer->radius) {
            struct filter_stroke stroke = {.count = 1};
            if (!find_start(layer, cell, &stroke.point[0]))
                continue;
            stroke.colour = pixel_at(layer->reference, stroke.point[0]);
            trace(layer, &stroke);
            for (int32_t i = 0; i < stroke.count && (stroke.count > 1 || layer->is_first); i++)
                press(layer, stroke.point[i], word_of(layer, stroke.colour));
        }
    return KST_OK;
}

/* Copy a painted layer to the canvas, and clear its words. Alpha is that of the picture. */
static kst_status dry_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_layer *layer = arg;
    const struct filter_pixels *canvas = layer->canvas;
    for (uint32_t y = first; y < end; y++)
        for (size_t x = 0; x < canvas->width; x++) {
            uint8_t *to = kst_filter_row(canvas, y) + x * canvas->channels;
            atomic_uint *place = &layer->words[(size_t)y * canvas->width + x];
            uint32_t word = atomic_load_explicit(place, memory_order_relaxed);
            for (uint32_t c = 0; c < canvas->colours && word > 0; c++)
                to[c] = (uint8_t)(word >> (16 - 8 * c));
            for (uint32_t c = canvas->colours; c < canvas->channels; c++)
                to[c] = kst_filter_row(work->from, y)[x * canvas->channels + c];
            atomic_store_explicit(place, 0, memory_order_relaxed);
        }
    return KST_OK;
}

/* Paint one layer. */
static kst_status paint(const struct filter_work *work, struct filter_layer *layer, const struct filter_pixels *sheet)
{
    const struct filter_value sigma[] = {{.number = layer->radius * FILTER_PAINTERLY_SIGMA}, {.number = 0}};
    struct filter_work blur = *work;
    uint32_t rows = (work->to->height + (uint32_t)layer->radius - 1) / (uint32_t)layer->radius;
    blur.value = sigma;
    blur.to = layer->is_first ? work->to : sheet;
    layer->reference = blur.to;
    kst_status status = kst_filter_gaussian.run(&blur);
    if (!status)
        status = kst_filter_bands(work, rows, paint_band, layer);
    return status ? status : kst_filter_bands(work, work->to->height, dry_band, layer);
}

static kst_status painterly_bytes(const struct filter_work *work)
{
    struct memory *memory = work->operation->memory;
    const struct filter_value *value = work->value;
    struct filter_pixels sheet = *work->to;
    struct filter_layer layer = {.canvas = work->to, .length = value[LENGTH].number, .is_first = true};
    kst_status status = KST_OK;
    layer.threshold = value[THRESHOLD].number * (int32_t)work->from->colours;
    sheet.pitch = (ptrdiff_t)kst_filter_row_samples(&sheet);
    layer.words = kst_memory_zeroed(memory, (size_t)sheet.width * sheet.height, sizeof *layer.words, &status);
    uint8_t *reference = status ? NULL : kst_memory_array(memory, sheet.height, (size_t)sheet.pitch, &status);
    sheet.data = reference;
    for (int32_t i = 0; i < value[LAYERS].number && value[BRUSH].number >> i > 0 && !status; i++) {
        layer.radius = value[BRUSH].number >> i;
        status = paint(work, &layer, &sheet);
        layer.is_first = false;
    }
    kst_memory_release(memory, reference);
    kst_memory_release(memory, layer.words);
    return status;
}

static kst_status painterly_run(const struct filter_work *work)
{
    return kst_filter_in_bytes(work, painterly_bytes);
}

static kst_status painterly_shape(
    const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    return kst_filter_check_sides("painterly", shape, reason);
}

const struct filter_kind kst_filter_painterly = {"painterly", "paint with strokes of thick and thin brushes",
    {{"brush", "the radius of the thickest", KST_FILTER_INTEGER, false, 2, FILTER_PAINTERLY_BRUSH, 8, NULL},
        {"layers", "of brushes, each half as thick", KST_FILTER_INTEGER, false, 1, FILTER_PAINTERLY_LAYERS, 3, NULL},
        {"length", "of a stroke, in radii", KST_FILTER_INTEGER, false, 1, FILTER_PAINTERLY_LENGTH, 8, NULL},
        {"threshold", "mean difference of samples that is painted over", KST_FILTER_INTEGER, false, 0, 255, 12, NULL}},
    NULL, painterly_shape, painterly_run};
