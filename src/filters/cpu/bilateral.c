/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Smooths but keeps edges: each pixel becomes the weighted mean of the pixels around it in a disc; the weights depend
 * on the distance in space and in colour. Weights have 14 fractional bits; sums are those of integers, and each mean is
 * rounded once. OpenCV's bilateralFilter(), which computes in binary32, differs by 1 at most. Samples of more than 8
 * bits are left to bilateral_wide.c.
 */
#include <math.h>
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/bilateral.h"
#include "filters/cpu/exponential.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/kinds.h"

enum { COLOUR, SPACE, RADIUS };
enum { RADIUS_MAX = FILTER_BILATERAL_MOST, SIDE_MAX = 2 * RADIUS_MAX + 1, THOUSAND = 1000, ALIGNMENT = 64 };
enum { WEIGHT_ONE = 1 << 14, KEPT_MOST = 16 << 20 /* bytes of weights that a thread keeps */ };

/* Describes a neighbour, and the weights of its squared distance in space. */
struct filter_place {
    int32_t x, y;
    const uint16_t *weight;
};

struct filter_bilateral {
    int32_t radius;
    uint32_t count;
    uint16_t *weights;
    struct filter_place place[SIDE_MAX * SIDE_MAX];
};

/* Holds the last rows loaded, with each colour in a row of its own. */
struct filter_planes {
    uint8_t *memory;
    size_t pitch, before;
    uint32_t colours, count;
};

static uint8_t *plane_row(const struct filter_planes *planes, int64_t y, uint32_t colour)
{
    size_t row = (size_t)((y + planes->count) % planes->count) * planes->colours + colour;
    return planes->memory + row * planes->pitch + planes->before;
}

/* Copy every `channels`-th sample. Callers pass a constant. */
static inline void copy_each(const uint8_t *restrict from, uint8_t *restrict to, size_t count, const size_t channels)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * channels];
}

static void separate(const struct filter_window *window, const struct filter_planes *planes, int64_t y)
{
    ptrdiff_t radius = (ptrdiff_t)window->radius, channels = (ptrdiff_t)window->from->channels;
    size_t count = window->from->width + 2 * (size_t)radius;
    for (uint32_t c = 0; c < planes->colours; c++) {
        const uint8_t *from = kst_filter_window_row(window, y) - radius * channels + c;
        uint8_t *to = plane_row(planes, y, c) - radius;
        if (channels == 1)
            memcpy(to, from, count);
        else if (channels == 3)
            copy_each(from, to, count, 3);
        else
            copy_each(from, to, count, 4);
    }
}

static inline void put_colours(uint8_t *const made[3], uint8_t *restrict to, size_t count, const size_t channels)
{
    const uint8_t *first = made[0], *second = made[1], *third = made[2];
    for (size_t i = 0; i < count; i++) {
        to[i * channels] = first[i];
        to[i * channels + 1] = second[i];
        to[i * channels + 2] = third[i];
    }
}

/* Interleave the colours of a row, which lie in `made`. Alpha is copied from the source. */
static void join(const struct filter_work *work, uint8_t *const made[3], uint32_t y)
{
    const struct filter_pixels *to = work->to;
    uint8_t *row = kst_filter_row(to, y);
    if (to->channels > to->colours)
        memcpy(row, kst_filter_row(work->from, y), kst_filter_row_samples(to));
    if (to->channels == 1)
        memcpy(row, made[0], to->width);
    else if (to->channels == 3)
        put_colours(made, row, to->width, 3);
    else
        put_colours(made, row, to->width, 4);
}

static void make_row(const struct filter_work *work, const struct filter_bilateral *bilateral,
    const struct filter_planes *planes, uint8_t *const made[3], uint32_t y)
{
    struct filter_neighbour neighbour[SIDE_MAX * SIDE_MAX];
    const uint8_t *own[3] = {NULL, NULL, NULL};
    for (uint32_t c = 0; c < planes->colours; c++) {
        own[c] = plane_row(planes, y, c);
        for (uint32_t k = 0; k < bilateral->count; k++)
            neighbour[k].sample[c] = plane_row(planes, (int64_t)y + bilateral->place[k].y, c) + bilateral->place[k].x;
    }
    for (uint32_t k = 0; k < bilateral->count; k++)
        neighbour[k].weight = bilateral->place[k].weight;
    kst_filter_hot(work->operation->tier)
        ->bilateral(neighbour, bilateral->count, own, planes->colours, made, work->to->width);
    join(work, made, y);
}

/*
 * Holds the weights of pairs of neighbours: for each pair as many rows as are needed until the weights have been read.
 */
struct filter_kept {
    uint16_t *memory;
    size_t pitch;
    uint32_t rows, pairs;
    uint32_t first[SIDE_MAX * SIDE_MAX]; /* index of the first row of each place that is ahead of a pixel */
};

static bool is_ahead(const struct filter_place *place)
{
    return place->y > 0 || (place->y == 0 && place->x > 0);
}

/* Allocate the rows of weights, unless the tier has no use for them or they take more memory than a thread should. */
static kst_status make_kept(
    const struct filter_work *work, const struct filter_bilateral *bilateral, size_t pitch, struct filter_kept *kept)
{
    kst_status status = KST_OK;
    *kept = (struct filter_kept){.pitch = pitch};
    if (!kst_filter_hot(work->operation->tier)->bilateral_pairs)
        return KST_OK;
    for (uint32_t k = 0; k < bilateral->count; k++)
        if (is_ahead(&bilateral->place[k])) {
            kept->first[k] = kept->rows;
            kept->rows += (uint32_t)bilateral->place[k].y + 1;
            kept->pairs++;
        }
    if (kept->rows * pitch * sizeof *kept->memory <= KEPT_MOST)
        kept->memory = kst_memory_zeroed(work->operation->memory, kept->rows, pitch * sizeof *kept->memory, &status);
    return status;
}

static uint16_t *kept_row(const struct filter_kept *kept, uint32_t k, int64_t rows, int64_t y)
{
    return kept->memory + ((size_t)kept->first[k] + (size_t)((y % rows + rows) % rows)) * kept->pitch + ALIGNMENT;
}

/* Make a row by pairs of neighbours. For rows above the band, keep only the weights that rows from `first` on read. */
static void make_row_by_pairs(const struct filter_work *work, const struct filter_bilateral *bilateral,
    const struct filter_planes *planes, const struct filter_kept *kept, uint8_t *const made[3], int64_t y,
    int64_t first)
{
    struct filter_pair list[SIDE_MAX * SIDE_MAX / 2];
    struct filter_pairs pairs = {.pair = list, .colours = planes->colours, .width = work->to->width};
    for (uint32_t c = 0; c < planes->colours; c++) {
        pairs.own[c] = plane_row(planes, y, c);
        pairs.to[c] = y < first ? NULL : made[c];
    }
    for (uint32_t k = 0; k < bilateral->count; k++) {
        const struct filter_place *place = &bilateral->place[k];
        if (place->x == 0 && place->y == 0)
            pairs.centre = place->weight[0];
        if (!is_ahead(place) || y + place->y < first)
            continue;
        struct filter_pair *pair = &list[pairs.count++];
        *pair = (struct filter_pair){.weight = place->weight,
            .kept = kept_row(kept, k, place->y + 1, y),
            .before = kept_row(kept, k, place->y + 1, y - place->y) - place->x};
        for (uint32_t c = 0; c < planes->colours; c++) {
            pair->ahead[c] = plane_row(planes, y + place->y, c) + place->x;
            pair->behind[c] = y < first ? NULL : plane_row(planes, y - place->y, c) - place->x;
        }
    }
    kst_filter_hot(work->operation->tier)->bilateral_pairs(&pairs);
    if (y >= first)
        join(work, made, (uint32_t)y);
}

static kst_status bilateral_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_bilateral *bilateral = arg;
    const int64_t radius = bilateral->radius;
    struct memory *memory = work->operation->memory;
    struct filter_window window;
    struct filter_planes planes = {
        .before = ALIGNMENT, .colours = work->from->colours, .count = 2 * (uint32_t)radius + 1};
    kst_status status = kst_filter_window_make(memory, work->from, (uint32_t)radius, FILTER_REFLECT, &window);
    if (status)
        return status;
    planes.pitch = ((size_t)work->from->width / ALIGNMENT + 3) * ALIGNMENT;
    struct filter_kept kept;
    status = make_kept(work, bilateral, planes.pitch, &kept);
    if (!status)
        planes.memory = kst_memory_zeroed(memory, ((size_t)planes.count + 1) * planes.colours, planes.pitch, &status);
    for (int64_t y = first - radius; y < end + radius && !status; y++) {
        uint8_t *made[3];
        for (uint32_t c = 0; c < 3; c++) /* grey has a single row */
            made[c] = planes.memory + ((size_t)planes.count * planes.colours + c % planes.colours) * planes.pitch;
        kst_filter_window_load(&window, y);
        separate(&window, &planes, y);
        if (kept.memory && y >= first)
            make_row_by_pairs(work, bilateral, &planes, &kept, made, y - radius, first);
        else if (!kept.memory && y >= first + radius)
            make_row(work, bilateral, &planes, made, (uint32_t)(y - radius));
    }
    kst_memory_release(memory, planes.memory);
    kst_memory_release(memory, kept.memory);
    kst_filter_window_drop(memory, &window);
    return status;
}

void kst_filter_bilateral_weigh(const struct filter_value *value, int32_t square, uint16_t *weight)
{
    double space = (double)value[SPACE].number / THOUSAND, colour = (double)value[COLOUR].number / THOUSAND;
    memset(weight, 0, FILTER_BILATERAL_DISTANCES * sizeof *weight);
    for (int32_t i = 0; i < FILTER_BILATERAL_DISTANCES && (i == 0 || weight[i - 1] > 0); i++)
        weight[i] = (uint16_t)rint(
            WEIGHT_ONE * kst_filter_exp(-square / (2 * space * space) - (double)i * i / (2 * colour * colour)));
}

/* List the neighbours in the disc, with a row of weights for each squared distance. */
static void list_places(const struct filter_value *value, struct filter_bilateral *bilateral)
{
    int32_t radius = bilateral->radius;
    for (int32_t square = 0; square <= radius * radius; square++)
        kst_filter_bilateral_weigh(value, square, bilateral->weights + (size_t)square * FILTER_BILATERAL_DISTANCES);
    for (int32_t y = -radius; y <= radius; y++)
        for (int32_t x = -radius; x <= radius; x++)
            if (x * x + y * y <= radius * radius)
                bilateral->place[bilateral->count++] = (struct filter_place){
                    x, y, bilateral->weights + (size_t)(x * x + y * y) * FILTER_BILATERAL_DISTANCES};
}

int32_t kst_filter_bilateral_radius(const struct filter_value *value)
{
    int32_t radius = value[RADIUS].number;
    if (radius == 0)
        radius = (int32_t)rint(value[SPACE].number * 1.5 / THOUSAND);
    return radius < 1 ? 1 : radius > RADIUS_MAX ? RADIUS_MAX : radius;
}

static kst_status bilateral_run(const struct filter_work *work)
{
    struct memory *memory = work->operation->memory;
    kst_status status = KST_OK;
    if (work->from->bytes > 1)
        return kst_filter_bilateral_run_wide(work);
    struct filter_bilateral bilateral = {.radius = kst_filter_bilateral_radius(work->value)};
    bilateral.weights = kst_memory_zeroed(memory, (size_t)(bilateral.radius * bilateral.radius) + 1,
        FILTER_BILATERAL_DISTANCES * sizeof *bilateral.weights, &status);
    if (!bilateral.weights)
        return status;
    list_places(work->value, &bilateral);
    status = kst_filter_bands(work, work->to->height, bilateral_band, &bilateral);
    kst_memory_release(memory, bilateral.weights);
    return status;
}

const struct filter_kind kst_filter_bilateral = {"bilateral", "smooth, but keep edges",
    {{"colour", "the standard deviation of differences of colour", KST_FILTER_DECIMAL, false, 1, 1000, 30, NULL},
        {"space", "the standard deviation of distances in pixels", KST_FILTER_DECIMAL, false, 0.5, 100, 3, NULL},
        {"radius", "of the disc; 0: 1.5 times that, up to 12", KST_FILTER_INTEGER, false, 0, RADIUS_MAX, 0, NULL}},
    NULL, NULL, bilateral_run};
