/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a step's rows: last resolution, component transform, level shift (T.800 Annex G), into the caller's memory. */
#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/tile.h"

enum { STRIP_ROWS = 16 }; /* fewest rows of a strip; each strip computes some rows of its neighbours again */

/* Rows y0 ≤ y < y1 of a step, made by one thread. */
struct strip {
    const struct j2k_group *group;
    uint32_t y0, y1;
    struct j2k_level level[J2K_GROUP];
    struct j2k_synthesis synthesis[J2K_GROUP];
    void *finished[J2K_GROUP]; /* a row of finished samples */
    uint8_t *bytes[J2K_GROUP];
};

static const struct j2k_component *picture_component(const struct j2k_group *group, uint32_t i)
{
    return &group->decoding->plan->component[group->first + i];
}

static const struct j2k_target *target_of(const struct j2k_group *group, uint32_t i)
{
    return &group->decoding->target[group->first + i];
}

static size_t area_width(const struct j2k_group *group)
{
    return j2k_width(group->component[0].tc->area);
}

static uint32_t computed_width(const struct j2k_decoded_component *component)
{
    return (uint32_t)j2k_width(component->resolution[component->tc->resolution_count - 1].computed);
}

static uint8_t *target_row(const struct j2k_group *group, uint32_t i, uint32_t y)
{
    const struct j2k_target *target = target_of(group, i);
    struct j2k_rect picture = picture_component(group, i)->area, area = group->component[i].tc->area;
    uint8_t *row = (uint8_t *)target->data + (ptrdiff_t)(y - picture.y0) * target->pitch;
    return row + (size_t)(area.x0 - picture.x0) * target->step * target->bytes;
}

static void pack_bytes(const struct j2k_group *group, const void *from, uint8_t *to, size_t step)
{
    const struct j2k_inverse *steps = &group->decoding->steps;
    if (group->narrow)
        steps->pack_8_narrow(from, area_width(group), to, step);
    else
        steps->pack_8(from, area_width(group), to, step);
}

static void pack(const struct j2k_group *group, uint32_t i, const void *from, void *row)
{
    const struct j2k_target *target = target_of(group, i);
    const struct j2k_inverse *steps = &group->decoding->steps;
    size_t count = area_width(group);
    if (target->bytes == 1)
        pack_bytes(group, from, row, target->step);
    else if (target->bytes == 2 && group->narrow)
        steps->pack_16_narrow(from, count, row, target->step);
    else if (target->bytes == 2)
        steps->pack_16(from, count, row, target->step);
    else
        for (size_t x = 0; x < count; x++)
            ((int32_t *)row)[x * target->step] = ((const int32_t *)from)[x];
}

/* Whether the targets are RGB or BGR pixels of one byte per sample, as in most pictures. */
static bool is_pixels(const struct j2k_group *group, bool *reversed)
{
    const struct j2k_target *target = target_of(group, 0);
    const uint8_t *first = target->data;
    if (group->count != 3 || !first)
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (target[i].step != 3 || target[i].bytes != 1 || target[i].pitch != target->pitch)
            return false;
    *reversed = target[2].data == first - 2 && target[1].data == first - 1;
    return *reversed || (target[1].data == first + 1 && target[2].data == first + 2);
}

static void put_pixels(struct strip *strip, uint32_t y, bool reversed)
{
    const struct j2k_group *group = strip->group;
    for (uint32_t i = 0; i < 3; i++)
        pack_bytes(group, strip->finished[i], strip->bytes[i], 1);
    group->decoding->dsp.rgb_to_rgb[reversed ? JPEG_LAYOUT_BGR : JPEG_LAYOUT_RGB](strip->bytes[0], strip->bytes[1],
        strip->bytes[2], target_row(group, reversed ? 2 : 0, y), (uint32_t)area_width(group), 0);
}

static void transform_row(const struct j2k_group *group, void *const row[J2K_GROUP])
{
    const struct j2k_inverse *steps = &group->decoding->steps;
    size_t count = area_width(group);
    if (group->narrow)
        steps->rct_narrow(row[0], row[1], row[2], count);
    else if (group->tile->transform == J2K_TRANSFORM_RCT)
        steps->rct(row[0], row[1], row[2], count);
    else
        steps->ict(row[0], row[1], row[2], count);
}

static void finish_row(const struct j2k_group *group, uint32_t i, const void *row, void *finished)
{
    const struct j2k_inverse *steps = &group->decoding->steps;
    const struct j2k_component *c = picture_component(group, i);
    size_t count = area_width(group);
    if (group->narrow)
        steps->finish_narrow(row, count, c->depth, c->is_signed, finished);
    else if (group->component[i].tc->reversible)
        steps->finish_integers(row, count, c->depth, c->is_signed, finished);
    else
        steps->finish_reals(row, count, c->depth, c->is_signed, finished);
}

/* Finish and write row `y` of the area, for all components of the group. */
static void put_row(struct strip *strip, uint32_t y, void *const row[J2K_GROUP])
{
    const struct j2k_group *group = strip->group;
    bool reversed;
    if (group->count == J2K_GROUP)
        transform_row(group, row);
    for (uint32_t i = 0; i < group->count; i++)
        if (target_of(group, i)->data)
            finish_row(group, i, row[i], strip->finished[i]);
    if (is_pixels(group, &reversed)) {
        put_pixels(strip, y, reversed);
        return;
    }
    for (uint32_t i = 0; i < group->count; i++)
        if (target_of(group, i)->data)
            pack(group, i, strip->finished[i], target_row(group, i, y));
}

/* Get the next rows of one component, starting at the area's left edge. Without levels these are rows of its band. */
static bool next_rows(struct strip *strip, uint32_t i, uint32_t y, struct j2k_made_rows *rows)
{
    const struct j2k_decoded_component *c = &strip->group->component[i];
    const struct j2k_resolution *top = &c->resolution[c->tc->resolution_count - 1];
    bool some = y < strip->y1;
    if (c->tc->resolution_count > 1)
        some = kst_j2k_synthesis_next(&strip->synthesis[i], rows);
    else
        *rows = (struct j2k_made_rows){.y = y, .count = 1, .row = {some ? j2k_window_row(&c->band[0], y) : NULL}};
    for (uint32_t k = 0; k < rows->count && some; k++)
        rows->row[k] = (uint8_t *)rows->row[k] + (c->tc->area.x0 - top->computed.x0) * c->band[0].size;
    return some;
}

/* The components of a group make the same rows; but one without levels makes one row at a time. */
static void make_strip(struct strip *strip)
{
    struct j2k_made_rows rows[J2K_GROUP] = {{0}};
    uint32_t used[J2K_GROUP] = {0};
    for (uint32_t y = strip->y0; y < strip->y1; y++) {
        void *row[J2K_GROUP] = {NULL};
        for (uint32_t i = 0; i < strip->group->count; i++) {
            if (used[i] == rows[i].count) {
                used[i] = 0;
                if (!next_rows(strip, i, y, &rows[i]))
                    return;
            }
            row[i] = rows[i].row[used[i]++];
        }
        put_row(strip, y, row);
    }
}

/* The bytes of one row in a thread's buffer, and below, of all its parts. */
static size_t row_room(const struct j2k_group *group)
{
    return (j2k_dwt_row((uint32_t)area_width(group)) + JPEG_ROW_PADDING) * sizeof(int32_t);
}

size_t kst_j2k_strip_room(const struct j2k_group *group)
{
    size_t total = 2 * J2K_GROUP * row_room(group);
    for (uint32_t i = 0; i < group->count; i++)
        total += kst_j2k_synthesis_room(computed_width(&group->component[i]));
    return total;
}

static void lay_out(struct strip *strip, uint8_t *room)
{
    const struct j2k_group *group = strip->group;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct j2k_decoded_component *c = &group->component[i];
        strip->finished[i] = room;
        room += row_room(group);
        strip->bytes[i] = room;
        room += row_room(group);
        if (c->tc->resolution_count == 1)
            continue;
        strip->level[i] = kst_j2k_describe_level(group, c, c->tc->resolution_count - 1U);
        kst_j2k_synthesis_begin(
            &strip->synthesis[i], &group->decoding->steps, &strip->level[i], strip->y0, strip->y1, NULL, 0, room);
        room += kst_j2k_synthesis_room(computed_width(c));
    }
}

uint32_t kst_j2k_strips(const struct j2k_group *group, uint32_t step)
{
    uint32_t threads = kst_pool_threads(group->decoding->pool);
    uint32_t most = (group->step[step].row_end - kst_j2k_first_row(group, step) + STRIP_ROWS - 1) / STRIP_ROWS;
    return most < threads ? most : threads;
}

void kst_j2k_put_out(const struct j2k_group *group, struct j2k_worker *worker, uint32_t step, uint32_t strip)
{
    struct strip made = {.group = group};
    uint32_t count = kst_j2k_strips(group, step), first = kst_j2k_first_row(group, step);
    uint64_t rows = group->step[step].row_end - first;
    made.y0 = first + (uint32_t)(rows * strip / count);
    made.y1 = first + (uint32_t)(rows * (strip + 1) / count);
    lay_out(&made, worker->room);
    make_strip(&made);
}
