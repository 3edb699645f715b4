/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up costs along paths, after H. Hirschmüller, Stereo processing by semiglobal matching and mutual information
 * (PAMI 30(2), 2008). A path runs along a line: a row, or one pixel of each row; where such a line leaves the image it
 * continues at the other side, and the path begins anew there. So all lines of a direction have the same length, and do
 * not touch each other.
 */
#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/hot.h"
#include "filters/cpu/stereo.h"

const int32_t kst_filter_stereo_steps[FILTER_STEREO_DIRECTIONS][2] = {
    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};

enum { LINES = 16 /* lines followed together, so that neighbours in memory are, too */, SIDES = 16 };

static kst_status cost_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_stereo *stereo = arg;
    const struct filter_hot *hot = kst_filter_hot(work->operation->tier);
    const uint32_t disparities = stereo->options->disparities, least = stereo->options->least;
    for (uint32_t y = first; y < end; y++)
        for (uint32_t x = 0; x < stereo->width; x++) {
            const size_t row = (size_t)y * stereo->width;
            uint8_t *cost = stereo->cost + (row + x) * disparities;
            uint32_t visible = kst_filter_stereo_visible(stereo->options, x);
            if (visible > 0)
                hot->stereo_costs(
                    stereo->left[row + x], stereo->right + row + (stereo->width - 1 - x) + least, cost, visible);
            memset(cost + visible, FILTER_STEREO_WORST, disparities - visible);
        }
    return KST_OK;
}

/*
 * Holds the costs along a path at one pixel and at the next one, with values before and behind them that are never
 * chosen.
 */
struct filter_match_path {
    int16_t *cost[2];
    int32_t least;
};

struct filter_match_direction {
    const struct filter_stereo *stereo;
    int32_t dx, dy;
};

/* Begin a path: no pixel comes before its first one. */
static void restart(struct filter_match_path *path, uint32_t turn, uint32_t disparities)
{
    memset(path->cost[turn], 0, disparities * sizeof *path->cost[turn]);
    path->least = 0;
}

static bool begins(const struct filter_match_direction *direction, uint32_t step, uint32_t x)
{
    bool left = direction->dx > 0 && x == 0, right = direction->dx < 0 && x == direction->stereo->width - 1;
    return step == 0 || (direction->dy != 0 && (left || right));
}

/* Return the column of a line's pixel. */
static uint32_t column_of(const struct filter_match_direction *direction, uint32_t line, uint32_t step)
{
    const uint32_t width = direction->stereo->width;
    if (direction->dy == 0)
        return direction->dx > 0 ? step : width - 1 - step;
    uint32_t shift = step % width;
    return (line + (direction->dx > 0 ? shift : direction->dx < 0 ? width - shift : 0)) % width;
}

static uint32_t row_of(const struct filter_match_direction *direction, uint32_t line, uint32_t step)
{
    return direction->dy == 0 ? line : direction->dy > 0 ? step : direction->stereo->height - 1 - step;
}

static void follow(const struct filter_match_direction *direction, const struct filter_hot *hot,
    struct filter_match_path *path, uint32_t first, uint32_t count)
{
    const struct filter_stereo *stereo = direction->stereo;
    const uint32_t steps = direction->dy == 0 ? stereo->width : stereo->height;
    const uint32_t disparities = stereo->options->disparities;
    const struct filter_stereo_penalties penalties = {(int16_t)stereo->options->p1, (int16_t)stereo->options->p2};
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t x = column_of(direction, first + i, step), y = row_of(direction, first + i, step);
            const size_t at = ((size_t)y * stereo->width + x) * disparities;
            if (begins(direction, step, x))
                restart(&path[i], step % 2, disparities);
            path[i].least = hot->stereo_step(stereo->cost + at, path[i].cost[step % 2], path[i].cost[(step + 1) % 2],
                stereo->sum + at, disparities, penalties, path[i].least);
        }
}

static kst_status follow_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_match_direction *direction = arg;
    const size_t pitch = direction->stereo->options->disparities + (size_t)2 * SIDES;
    struct filter_match_path path[LINES];
    kst_status status = KST_OK;
    int16_t *costs = kst_memory_array(work->operation->memory, 2 * LINES * pitch, sizeof *costs, &status);
    if (!costs)
        return status;
    for (size_t i = 0; i < 2 * LINES * pitch; i++)
        costs[i] = FILTER_STEREO_FAR;
    for (size_t i = 0; i < LINES; i++)
        path[i] = (struct filter_match_path){{costs + 2 * i * pitch + SIDES, costs + (2 * i + 1) * pitch + SIDES}, 0};
    for (uint32_t line = first; line < end; line += LINES)
        follow(direction, kst_filter_hot(work->operation->tier), path, line, end - line < LINES ? end - line : LINES);
    kst_memory_release(work->operation->memory, costs);
    return KST_OK;
}

kst_status kst_filter_stereo_aggregate(const struct filter_work *work, const struct filter_stereo *stereo)
{
    kst_status status = kst_filter_bands(work, stereo->height, cost_band, (void *)(uintptr_t)stereo);
    for (uint32_t i = 0; i < stereo->options->paths && !status; i++) {
        struct filter_match_direction direction = {
            stereo, kst_filter_stereo_steps[i][0], kst_filter_stereo_steps[i][1]};
        status = kst_filter_bands(work, direction.dy == 0 ? stereo->height : stereo->width, follow_band, &direction);
    }
    return status;
}
