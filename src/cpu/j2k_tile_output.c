/* SPDX-License-Identifier: BSD-2-Clause */
/* From a tile's transformed components to the caller's samples (T.800 Annex G), in strips for the threads. */
#include <string.h>

#include "cpu/j2k_samples.h"
#include "cpu/j2k_tile.h"

enum { STRIP_ROWS = 64 };

struct output_work {
    struct j2k_tile_work *tile;
    uint32_t component; /* the first of those that are put out together */
    uint32_t count;     /* 1, or 3 with a component transform */
};

static const struct j2k_tile_component *tile_component(const struct j2k_tile_work *work, uint32_t component)
{
    return &work->decoding->plan->tile_component[work->tile->first_component + component];
}

static uint32_t *row_at(const struct j2k_samples *samples, uint32_t x, uint32_t y)
{
    return samples->data + (size_t)(y - samples->rect.y0) * j2k_width(samples->rect) + (x - samples->rect.x0);
}

static void pack(const struct j2k_target *target, const int32_t *from, size_t count, size_t x, size_t y)
{
    uint8_t *row = (uint8_t *)target->data + (ptrdiff_t)y * target->pitch;
    if (target->bytes == 1) {
        kst_j2k_pack_8(from, count, row + x * target->step, target->step);
        return;
    }
    if (target->bytes == 2) {
        kst_j2k_pack_16(from, count, (uint16_t *)(void *)row + x * target->step, target->step);
        return;
    }
    int32_t *to = (int32_t *)(void *)row + x * target->step;
    for (size_t i = 0; i < count; i++)
        to[i * target->step] = from[i];
}

/* Row `y` of the area of one component; `row` has been through the component transform. */
static void put_row(
    const struct j2k_tile_work *work, uint32_t component, uint32_t y, const uint32_t *row, int32_t *room)
{
    const struct j2k_component *c = &work->decoding->plan->component[component];
    const struct j2k_tile_component *tc = tile_component(work, component);
    const struct j2k_target *target = &work->decoding->target[component];
    size_t count = j2k_width(tc->area);
    if (!target->data)
        return;
    if (tc->reversible)
        kst_j2k_finish_integers((const int32_t *)row, count, c->depth, c->is_signed, room);
    else
        kst_j2k_finish_reals((const float *)row, count, c->depth, c->is_signed, room);
    pack(target, room, count, tc->area.x0 - c->area.x0, y - c->area.y0);
}

static void invert_transform(uint32_t *const row[3], size_t count, uint8_t transform)
{
    if (transform == J2K_TRANSFORM_RCT)
        kst_j2k_inverse_rct((int32_t *)row[0], (int32_t *)row[1], (int32_t *)row[2], count);
    else
        kst_j2k_inverse_ict((float *)row[0], (float *)row[1], (float *)row[2], count);
}

static void run_strip(void *argument, uint32_t index)
{
    const struct output_work *output = argument;
    struct j2k_tile_work *work = output->tile;
    struct j2k_rect area = tile_component(work, output->component)->area;
    uint32_t y0 = area.y0 + index * STRIP_ROWS, y1 = area.y1 - y0 < STRIP_ROWS ? area.y1 : y0 + STRIP_ROWS;
    int32_t *room = kst_j2k_take(work->decoding, j2k_width(area), sizeof *room, false);
    for (uint32_t y = y0; room && y < y1; y++) {
        uint32_t *row[3] = {NULL};
        for (uint32_t i = 0; i < output->count; i++)
            row[i] = row_at(&work->component[output->component + i], area.x0, y);
        if (output->count == 3)
            invert_transform(row, j2k_width(area), work->tile->transform);
        for (uint32_t i = 0; i < output->count; i++)
            put_row(work, output->component + i, y, row[i], room);
    }
    kst_memory_release(work->decoding->memory, room);
}

void kst_j2k_put_out(struct j2k_tile_work *work)
{
    uint32_t components = work->decoding->plan->component_count;
    for (uint32_t c = 0; c < components;) {
        bool together = c == 0 && work->tile->transform != J2K_TRANSFORM_NONE;
        struct output_work output = {.tile = work, .component = c, .count = together ? 3 : 1};
        struct j2k_rect area = tile_component(work, c)->area;
        if (work->component[c].data && j2k_area(area) > 0 && kst_j2k_goes_on(work->decoding))
            kst_pool_run(
                work->decoding->pool, (uint32_t)((j2k_height(area) + STRIP_ROWS - 1) / STRIP_ROWS), run_strip, &output);
        c += output.count;
    }
}
