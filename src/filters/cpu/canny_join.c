/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins weak pixels to the edges that they touch, at a side or a corner. Each band is filled separately; then pixels
 * that touch across the borders of bands are filled in the whole image. Which pixels are reached does not depend on the
 * order.
 */
#include "filters/cpu/canny_join.h"

#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/canny_sweep.h"
#include "filters/cpu/hot.h"

enum { FIRST_ROOM = 1024 };

struct filter_point {
    uint32_t x, y;
};

/* Holds a stack of edge pixels whose neighbours have to be examined, all in rows `first` … `end` − 1. */
struct filter_fill {
    const struct filter_pixels *map;
    struct memory *memory;
    const struct filter_hot *hot;
    uint8_t *touching; /* flags of the row that is being examined */
    struct filter_point *stack;
    size_t count, room;
    uint32_t first, end;
};

static kst_status push(struct filter_fill *fill, uint32_t x, uint32_t y)
{
    if (fill->count == fill->room) {
        kst_status status = KST_OK;
        size_t room = fill->room > 0 ? fill->room * 2 : FIRST_ROOM;
        struct filter_point *grown =
            kst_memory_grow(fill->memory, fill->stack, fill->count * sizeof *grown, room * sizeof *grown, &status);
        if (!grown)
            return status;
        fill->stack = grown;
        fill->room = room;
    }
    fill->stack[fill->count++] = (struct filter_point){x, y};
    return KST_OK;
}

/* Turn the weak pixels among three neighbours in a row into edges, and push them. */
static kst_status take_three(struct filter_fill *fill, uint32_t x, uint32_t y)
{
    uint8_t *row = kst_filter_row(fill->map, y);
    uint32_t left = x > 0 ? x - 1 : 0, right = x + 1 < fill->map->width ? x + 1 : x;
    kst_status status = KST_OK;
    for (uint32_t at = left; at <= right && !status; at++)
        if (row[at] == FILTER_WEAK) {
            row[at] = FILTER_EDGE;
            status = push(fill, at, y);
        }
    return status;
}

static kst_status take_neighbours(struct filter_fill *fill, uint32_t x, uint32_t y)
{
    kst_status status = take_three(fill, x, y);
    if (!status && y > fill->first)
        status = take_three(fill, x, y - 1);
    if (!status && y + 1 < fill->end)
        status = take_three(fill, x, y + 1);
    return status;
}

static kst_status empty(struct filter_fill *fill)
{
    kst_status status = KST_OK;
    while (fill->count > 0 && !status) {
        struct filter_point point = fill->stack[--fill->count];
        status = take_neighbours(fill, point.x, point.y);
    }
    return status;
}

/*
 * Fill from all edges of a row that may touch a weak pixel. Most pixels are no such edges, and are skipped eight at
 * once.
 */
static kst_status fill_row(struct filter_fill *fill, uint32_t y)
{
    const struct filter_pixels *map = fill->map;
    const uint8_t *const row[3] = {kst_filter_row(map, y > fill->first ? y - 1 : y), kst_filter_row(map, y),
        kst_filter_row(map, y + 1 < fill->end ? y + 1 : y)};
    kst_status status = KST_OK;
    fill->hot->touching(row, fill->touching, map->width);
    for (uint32_t x = 0; x < map->width && !status; x++) {
        uint64_t eight = 1;
        if (map->width - x >= sizeof eight)
            memcpy(&eight, fill->touching + x, sizeof eight);
        if (eight == 0) {
            x += sizeof eight - 1;
            continue;
        }
        if (fill->touching[x] && !(status = take_neighbours(fill, x, y)))
            status = empty(fill);
    }
    return status;
}

/* Begin to fill within rows. On failure there is nothing to release. */
static kst_status fill_make(const struct filter_work *work, uint32_t first, uint32_t end, struct filter_fill *fill)
{
    kst_status status = KST_OK;
    *fill = (struct filter_fill){.map = work->to,
        .memory = work->operation->memory,
        .hot = kst_filter_hot(work->operation->tier),
        .first = first,
        .end = end};
    fill->touching = kst_memory_array(fill->memory, work->to->width, 1, &status);
    return status;
}

static void fill_drop(struct filter_fill *fill)
{
    kst_memory_release(fill->memory, fill->stack);
    kst_memory_release(fill->memory, fill->touching);
}

static kst_status fill_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    struct filter_fill fill;
    bool done = false;
    kst_status status = kst_filter_canny_sweep(work->operation->memory, work->to, first, end, &done);
    (void)arg;
    if (status || done)
        return status;
    status = fill_make(work, first, end, &fill);
    for (uint32_t y = first; y < end && !status; y++)
        status = fill_row(&fill, y);
    fill_drop(&fill);
    return status;
}

/* Fill from the rows on both sides of each border of bands. */
static kst_status fill_across(const struct filter_work *work)
{
    uint32_t rows = work->to->height, bands = kst_filter_band_count(work->operation, rows);
    struct filter_fill fill;
    kst_status status = fill_make(work, 0, rows, &fill);
    for (uint32_t i = 1; i < bands && !status; i++) {
        uint32_t border = kst_filter_band_begin(rows, bands, i);
        status = fill_row(&fill, border - 1);
        if (!status)
            status = fill_row(&fill, border);
    }
    fill_drop(&fill);
    return status;
}

static kst_status clear_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    (void)arg;
    for (uint32_t y = first; y < end; y++)
        kst_filter_hot(work->operation->tier)->clear_weak(kst_filter_row(work->to, y), work->to->width);
    return KST_OK;
}

kst_status kst_filter_join(const struct filter_work *work)
{
    kst_status status = kst_filter_bands(work, work->to->height, fill_band, NULL);
    if (!status)
        status = fill_across(work);
    return status ? status : kst_filter_bands(work, work->to->height, clear_band, NULL);
}
