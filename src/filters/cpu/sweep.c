/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeps a plane through a scene, after R. T. Collins, A space-sweep approach to true multi-image matching (CVPR 1996):
 * where the plane meets a surface, the views look alike when they are projected over the plane onto the reference.
 */
#include "filters/cpu/sweep.h"

#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/luminance.h"

enum { ONE = 256 /* of positions and weights */, MOST = 255, SUMS = 3, DIFFERENCE_WEIGHT = 8 };

struct filter_sweep_lit {
    const struct filter_pixels *image;
    uint8_t *light;
};

static kst_status light_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_sweep_lit *lit = arg;
    const uint32_t greatest =
        lit->image->greatest > 0 ? lit->image->greatest : 1; /* never 0, but analysers cannot know that */
    (void)work;
    for (uint32_t y = first; y < end; y++)
        for (uint32_t x = 0; x < lit->image->width; x++) {
            uint32_t own = kst_filter_luminance(lit->image, kst_filter_row(lit->image, y), x);
            own = own < greatest ? own : greatest;
            lit->light[(size_t)y * lit->image->width + x] = (uint8_t)((own * MOST + greatest / 2) / greatest);
        }
    return KST_OK;
}

kst_status kst_filter_sweep_light(const struct filter_work *work, const struct filter_pixels *image, uint8_t *light)
{
    struct filter_sweep_lit lit = {image, light};
    return kst_filter_bands(work, image->height, light_band, &lit);
}

/* Compute a position in 1/256 pixels, rounded to nearest, halves up, and whether it is at least 0. */
static bool divide(int64_t above, int64_t below, int64_t *quotient)
{
    int64_t doubled = above * ONE + below / 2;
    *quotient = doubled < 0 ? 0 : doubled / below;
    return doubled >= 0;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t part)
{
    return a * (ONE - part) + b * part;
}

/*
 * Find the sample of a view at a pixel of the reference on a plane, or the nearest one of the view. Returns whether the
 * view sees the pixel.
 */
static bool look(const struct filter_sweep_view *view, const int64_t *map, int64_t x, int64_t y, uint8_t *sample)
{
    const int64_t below = map[6] * x + map[7] * y + map[8];
    const int64_t right = (int64_t)(view->width - 1) * ONE, bottom = (int64_t)(view->height - 1) * ONE;
    int64_t u, v;
    *sample = 0;
    if (below <= 0)
        return false;
    bool seen = divide(map[0] * x + map[1] * y + map[2], below, &u);
    seen = divide(map[3] * x + map[4] * y + map[5], below, &v) && seen && u <= right && v <= bottom;
    u = u < right ? u : right;
    v = v < bottom ? v : bottom;
    const uint8_t *at = view->light + (size_t)(v / ONE) * view->width + (size_t)(u / ONE);
    const size_t next = u < right ? 1 : 0, down = v < bottom ? view->width : 0;
    uint32_t above = mix(at[0], at[next], (uint32_t)(u % ONE));
    uint32_t under = mix(at[down], at[down + next], (uint32_t)(u % ONE));
    *sample = (uint8_t)((mix(above, under, (uint32_t)(v % ONE)) + ONE * ONE / 2) / (ONE * ONE));
    return seen;
}

/*
 * Holds sums over a window: of both views' samples, of their squares and products, and of their absolute differences.
 */
struct filter_sweep_sums {
    uint32_t a, b, aa, bb, ab, difference;
};

static uint32_t by_correlation(const struct filter_sweep_sums *sums, uint32_t count)
{
    const int64_t both = (int64_t)((uint64_t)count * sums->ab) - (int64_t)((uint64_t)sums->a * sums->b);
    const uint64_t own = (uint64_t)count * sums->aa - (uint64_t)sums->a * sums->a;
    const uint64_t other = (uint64_t)count * sums->bb - (uint64_t)sums->b * sums->b;
    if (both <= 0)
        return 0;
    uint64_t square = (uint64_t)both * (uint64_t)both / (own * other / ONE + (uint64_t)count * count);
    return square < MOST ? (uint32_t)square : MOST;
}

static uint32_t by_difference(const struct filter_sweep_sums *sums, uint32_t count)
{
    uint32_t mean = DIFFERENCE_WEIGHT * sums->difference / count;
    return mean < MOST ? MOST - mean : 0;
}

/* Holds a band of rows with a border as wide as the windows' radius, and whether a view sees its pixels. */
struct filter_sweep_band {
    const struct filter_sweep *sweep;
    uint32_t first, end;  /* rows of the band */
    size_t pitch;         /* bytes from one row to the next, the border included */
    uint8_t *own, *other; /* samples of the reference and of the other view, from the border's first one on */
    uint8_t *seen;        /* for each pixel, without a border */
    uint16_t *sum;        /* sums of all views' similarities */
    uint8_t *views, *agreeing;
};

/* Load a view as the reference sees it on a plane; null: the reference itself. */
static void load(const struct filter_sweep_band *band, const struct filter_sweep_view *view, const int64_t *map)
{
    const struct filter_sweep_view *reference = &band->sweep->view[0];
    const int64_t radius = band->sweep->options->radius, width = reference->width;
    for (int64_t y = (int64_t)band->first - radius; y < (int64_t)band->end + radius; y++) {
        const int64_t row = kst_filter_nearest(y, reference->height);
        uint8_t *to = (view ? band->other : band->own) + (size_t)(y - band->first + radius) * band->pitch + radius;
        for (int64_t x = 0; x < width; x++) {
            bool seen = true;
            if (view)
                seen = look(view, map, x, row, &to[x]);
            else
                to[x] = reference->light[row * width + x];
            if (view && y >= (int64_t)band->first && y < (int64_t)band->end)
                band->seen[(y - band->first) * width + x] = seen;
        }
        memset(to - radius, to[0], (size_t)radius);
        memset(to + width, to[width - 1], (size_t)radius);
    }
}

static struct filter_sweep_sums sum_window(const struct filter_sweep_band *band, size_t x, size_t y)
{
    const size_t side = 2 * (size_t)band->sweep->options->radius + 1;
    struct filter_sweep_sums sums = {.a = 0};
    for (size_t i = 0; i < side; i++) {
        const uint8_t *own = band->own + (y + i) * band->pitch + x, *other = band->other + (y + i) * band->pitch + x;
        for (size_t k = 0; k < side; k++) {
            const uint32_t a = own[k], b = other[k];
            sums.a += a;
            sums.b += b;
            sums.aa += a * a;
            sums.bb += b * b;
            sums.ab += a * b;
            sums.difference += a > b ? a - b : b - a;
        }
    }
    return sums;
}

/* Add the similarity of a view at all pixels that it sees. */
static void add_view(const struct filter_sweep_band *band)
{
    const kst_sweep_options *options = band->sweep->options;
    const uint32_t width = band->sweep->view[0].width, side = 2 * options->radius + 1, count = side * side;
    for (uint32_t y = 0; y < band->end - band->first; y++)
        for (uint32_t x = 0; x < width; x++) {
            const size_t at = (size_t)y * width + x;
            if (!band->seen[at])
                continue;
            const struct filter_sweep_sums sums = sum_window(band, x, y);
            uint32_t similar =
                options->measure == KST_SWEEP_NCC ? by_correlation(&sums, count) : by_difference(&sums, count);
            band->sum[at] = (uint16_t)(band->sum[at] + similar);
            band->views[at]++;
            band->agreeing[at] = (uint8_t)(band->agreeing[at] + (similar >= options->similar));
        }
}

/* Score a plane: the mean similarity, in 1/256, where enough views agree; otherwise 0. */
static void sweep_plane(const struct filter_sweep_band *band, uint32_t plane)
{
    const struct filter_sweep *sweep = band->sweep;
    const size_t width = sweep->view[0].width, pixels = width * (band->end - band->first);
    uint16_t *score = sweep->score + (size_t)plane * width * sweep->view[0].height + band->first * width;
    memset(band->sum, 0, pixels * sizeof *band->sum);
    memset(band->views, 0, pixels);
    memset(band->agreeing, 0, pixels);
    for (uint32_t i = 1; i < sweep->views; i++) {
        const size_t map = ((size_t)(i - 1) * sweep->options->planes + plane) * FILTER_SWEEP_MATRIX;
        load(band, &sweep->view[i], sweep->map + map);
        add_view(band);
    }
    for (size_t i = 0; i < pixels; i++)
        score[i] = (uint16_t)(band->agreeing[i] >= sweep->options->agreeing ? band->sum[i] * ONE / band->views[i] : 0);
}

static kst_status sweep_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_sweep *sweep = arg;
    const size_t width = sweep->view[0].width, radius = sweep->options->radius, pixels = width * (end - first);
    struct filter_sweep_band band = {sweep, first, end, width + 2 * radius, NULL, NULL, NULL, NULL, NULL, NULL};
    const size_t bordered = band.pitch * (end - first + 2 * radius);
    kst_status status = KST_OK;
    uint8_t *room = kst_memory_array(work->operation->memory, 2 * bordered + 5 * pixels, 1, &status);
    if (!room)
        return status;
    band.sum = (uint16_t *)(void *)room;
    band.seen = room + 2 * pixels;
    band.views = band.seen + pixels;
    band.agreeing = band.views + pixels;
    band.own = band.agreeing + pixels;
    band.other = band.own + bordered;
    load(&band, NULL, NULL);
    for (uint32_t i = 0; i < sweep->options->planes; i++)
        sweep_plane(&band, i);
    kst_memory_release(work->operation->memory, room);
    return KST_OK;
}

struct filter_sweep_choice {
    const struct filter_sweep *sweep;
    const struct filter_pixels *depth, *confidence;
};

/* Return the highest point of the parabola through three scores, in parts of the distance of planes, halves up. */
static int32_t between(int32_t before, int32_t own, int32_t after)
{
    int32_t curve = 2 * own - before - after, lean = after - before;
    curve = curve > 0 ? curve : 1;
    return (lean * FILTER_SWEEP_BETWEEN + curve + 2 * FILTER_SWEEP_BETWEEN * curve) / (2 * curve) -
           FILTER_SWEEP_BETWEEN;
}

static kst_status choose_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_sweep_choice *choice = arg;
    const struct filter_sweep *sweep = choice->sweep;
    const uint32_t width = sweep->view[0].width, planes = sweep->options->planes;
    const size_t step = (size_t)width * sweep->view[0].height;
    (void)work;
    for (uint32_t y = first; y < end; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint16_t *score = sweep->score + (size_t)y * width + x;
            uint32_t best = 0, place;
            for (uint32_t i = 1; i < planes; i++)
                best = score[i * step] > score[best * step] ? i : best;
            const uint32_t own = score[best * step];
            place = best * FILTER_SWEEP_BETWEEN;
            if (best > 0 && best + 1 < planes && score[(best - 1) * step] > 0 && score[(best + 1) * step] > 0)
                place += (uint32_t)between(score[(best - 1) * step], (int32_t)own, score[(best + 1) * step]);
            ((uint16_t *)(void *)kst_filter_row(choice->depth, y))[x] = own > 0 ? sweep->depth[place] : 0;
            if (choice->confidence)
                kst_filter_row(choice->confidence, y)[x] = (uint8_t)(own / ONE);
        }
    return KST_OK;
}

kst_status kst_filter_sweep_all(const struct filter_work *work, const struct filter_sweep *sweep,
    const struct filter_pixels *depth, const struct filter_pixels *confidence)
{
    struct filter_sweep_choice choice = {sweep, depth, confidence};
    kst_status status = kst_filter_bands(work, sweep->view[0].height, sweep_band, (void *)(uintptr_t)sweep);
    return status ? status : kst_filter_bands(work, sweep->view[0].height, choose_band, &choice);
}
