/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the rows of a step from the last resolution: component transform and level shift (T.800 Annex G), into the
 * caller's memory.
 */
#include <string.h>

#include "j2k/cpu/dwt/dwt_rows.h"
#include "j2k/cpu/tile.h"
#include "j2k/syntax/geometry.h"

enum { STRIP_ROWS = 16 }; /* fewest rows of a strip; each strip computes some rows of its neighbours again */

/* Holds rows y0 ≤ y < y1 of a step, of a lane's columns x0 ≤ x < x1, made by one thread. */
struct output_strip {
    const struct j2k_decode_set *set;
    uint32_t x0, x1, y0, y1;
    struct j2k_level level[J2K_SET];
    struct j2k_synthesis synthesis[J2K_SET];
    void *finished[J2K_SET]; /* a row of finished samples */
    uint8_t *bytes[J2K_SET];
    uint8_t *band; /* if rows are handed out: those that were not yet, from row `held` on */
    uint32_t held;
};

static const struct j2k_component *picture_component(const struct j2k_decode_set *set, uint32_t i)
{
    return &set->decoding->plan->component[set->first + i];
}

static const struct j2k_target *target_of(const struct j2k_decode_set *set, uint32_t i)
{
    return &set->decoding->target[set->first + i];
}

static size_t strip_width(const struct output_strip *strip)
{
    return strip->x1 - strip->x0;
}

static struct j2k_rect computed_of(const struct j2k_decoded_component *component)
{
    return component->resolution[component->tc->resolution_count - 1].computed;
}

static uint8_t *target_row(const struct output_strip *strip, uint32_t i, uint32_t y)
{
    const struct j2k_decode_set *set = strip->set;
    const struct j2k_target *target = target_of(set, i);
    const struct j2k_rows *rows = set->decoding->rows;
    struct j2k_rect picture = picture_component(set, i)->area;
    uint8_t *first = target->data;
    if (rows)
        return strip->band + (first - rows->pixel) + (ptrdiff_t)(y - strip->held) * target->pitch;
    return first + (ptrdiff_t)(y - picture.y0) * target->pitch +
           (size_t)(strip->x0 - picture.x0) * target->stride * target->bytes;
}

static void pack_bytes(const struct output_strip *strip, const void *from, uint8_t *to, size_t stride)
{
    const struct j2k_inverse *steps = &strip->set->decoding->steps;
    if (strip->set->narrow)
        steps->pack_8_narrow(from, strip_width(strip), to, stride);
    else
        steps->pack_8(from, strip_width(strip), to, stride);
}

static void pack(const struct output_strip *strip, uint32_t i, const void *from, void *row)
{
    const struct j2k_decode_set *set = strip->set;
    const struct j2k_target *target = target_of(set, i);
    const struct j2k_inverse *steps = &set->decoding->steps;
    size_t count = strip_width(strip);
    if (target->bytes == 1)
        pack_bytes(strip, from, row, target->stride);
    else if (target->bytes == 2 && set->narrow)
        steps->pack_16_narrow(from, count, row, target->stride);
    else if (target->bytes == 2)
        steps->pack_16(from, count, row, target->stride);
    else if (set->narrow)
        steps->pack_32_narrow(from, count, row, target->stride);
    else
        steps->pack_32(from, count, row, target->stride);
}

/* Return whether the targets are RGB or BGR pixels of one byte per sample, as in most pictures. */
static bool is_pixels(const struct j2k_decode_set *set, bool *reversed)
{
    const struct j2k_target *target = target_of(set, 0);
    const uint8_t *first = target->data;
    if (set->count != 3 || !first)
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (target[i].stride != 3 || target[i].bytes != 1 || target[i].pitch != target->pitch)
            return false;
    *reversed = target[2].data == first - 2 && target[1].data == first - 1;
    return *reversed || (target[1].data == first + 1 && target[2].data == first + 2);
}

static void put_pixels(struct output_strip *strip, uint32_t y, bool reversed)
{
    const struct j2k_decode_set *set = strip->set;
    for (uint32_t i = 0; i < 3; i++)
        pack_bytes(strip, strip->finished[i], strip->bytes[i], 1);
    set->decoding->steps.interleave_8(strip->bytes[reversed ? 2 : 0], strip->bytes[1], strip->bytes[reversed ? 0 : 2],
        strip_width(strip), target_row(strip, reversed ? 2 : 0, y));
}

static void transform_row(const struct output_strip *strip, void *const row[J2K_SET])
{
    const struct j2k_decode_set *set = strip->set;
    const struct j2k_inverse *steps = &set->decoding->steps;
    size_t count = strip_width(strip);
    if (set->narrow)
        steps->rct_narrow(row[0], row[1], row[2], count);
    else if (set->tile->transform == J2K_TRANSFORM_RCT)
        steps->rct(row[0], row[1], row[2], count);
    else
        steps->ict(row[0], row[1], row[2], count);
}

static void finish_row(const struct output_strip *strip, uint32_t i, const void *row, void *finished)
{
    const struct j2k_decode_set *set = strip->set;
    const struct j2k_inverse *steps = &set->decoding->steps;
    const struct j2k_component *c = picture_component(set, i);
    size_t count = strip_width(strip);
    if (set->narrow)
        steps->finish_narrow(row, count, c->depth, c->is_signed, finished);
    else if (set->component[i].tc->reversible)
        steps->finish_integers(row, count, c->depth, c->is_signed, finished);
    else
        steps->finish_reals(row, count, c->depth, c->is_signed, finished);
}

/* Store a row as it is, in 32 bits. */
static void store_raw(const struct output_strip *strip, const void *from, void *row)
{
    const struct j2k_decode_set *set = strip->set;
    const size_t count = strip_width(strip);
    const int16_t *narrow = from;
    int32_t *to = row;
    if (!from)
        return; /* there is no such row */
    if (!set->narrow)
        memcpy(row, from, count * sizeof *to);
    for (size_t x = 0; x < count && set->narrow; x++)
        to[x] = narrow[x];
}

/* Finish and write row `y` of the strip, for all components of the set. */
static void put_row(struct output_strip *strip, uint32_t y, void *const row[J2K_SET])
{
    const struct j2k_decode_set *set = strip->set;
    bool reversed;
    if (set->count == J2K_SET)
        transform_row(strip, row);
    if (target_of(set, 0)->raw) {
        store_raw(strip, row[0], target_row(strip, 0, y));
        return;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (target_of(set, i)->data)
            finish_row(strip, i, row[i], strip->finished[i]);
    if (is_pixels(set, &reversed)) {
        put_pixels(strip, y, reversed);
        return;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (target_of(set, i)->data)
            pack(strip, i, strip->finished[i], target_row(strip, i, y));
}

/* Get the next rows of one component, starting at the strip's left edge. Without levels these are rows of its band. */
static bool next_rows(struct output_strip *strip, uint32_t i, uint32_t y, struct j2k_made_rows *rows)
{
    const struct j2k_decoded_component *c = &strip->set->component[i];
    const uint32_t left = c->tc->resolution_count > 1 ? strip->level[i].rect.x0 : computed_of(c).x0;
    bool some = y < strip->y1;
    if (c->tc->resolution_count > 1)
        some = kst_j2k_cpu_synthesis_next(&strip->synthesis[i], rows);
    else
        *rows = (struct j2k_made_rows){.y = y, .count = 1, .row = {some ? j2k_resident_row(&c->band[0], 0, y) : NULL}};
    for (uint32_t k = 0; k < rows->count && some; k++)
        rows->row[k] = (uint8_t *)rows->row[k] + (strip->x0 - left) * c->band[0].size;
    return some;
}

/* Hand out the rows that the band holds, which end before row `end`. */
static void hand_out(struct output_strip *strip, uint32_t end)
{
    struct j2k_decoding *decoding = strip->set->decoding;
    uint32_t top = picture_component(strip->set, 0)->area.y0;
    int none = KST_OK;
    kst_j2k_cpu_rows_wait(decoding->rows, strip->y0 - top);
    if (kst_j2k_cpu_goes_on(decoding) &&
        !kst_j2k_cpu_rows_write(decoding->rows, strip->held - top, end - strip->held, strip->band))
        atomic_compare_exchange_strong(&decoding->status, &none, KST_ERROR_WRITE);
    strip->held = end;
}

/*
 * Make the rows of a strip. The components of a set make the same rows, but one without levels makes one row at a time.
 */
static void make_strip(struct output_strip *strip)
{
    struct j2k_made_rows rows[J2K_SET] = {{0}};
    uint32_t used[J2K_SET] = {0};
    for (uint32_t y = strip->y0; y < strip->y1; y++) {
        void *row[J2K_SET] = {NULL};
        for (uint32_t i = 0; i < strip->set->count; i++) {
            if (used[i] == rows[i].count) {
                used[i] = 0;
                if (!next_rows(strip, i, y, &rows[i]))
                    return;
            }
            row[i] = rows[i].row[used[i]++];
        }
        put_row(strip, y, row);
        if (strip->band && (y + 1 - strip->held == strip->set->band_rows || y + 1 == strip->y1))
            hand_out(strip, y + 1);
    }
}

/* Return the number of columns of the widest lane. */
static uint32_t widest(const struct j2k_decode_set *set)
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < set->lanes.count; lane++)
        most = set->lanes.x[lane + 1] - set->lanes.x[lane] > most ? set->lanes.x[lane + 1] - set->lanes.x[lane] : most;
    return most;
}

/* Return the number of bytes of one row in a thread's buffer. */
static size_t row_room(const struct j2k_decode_set *set)
{
    return j2k_dwt_row(widest(set)) * sizeof(int32_t);
}

uint32_t kst_j2k_cpu_strips(const struct j2k_decode_set *set, uint32_t step)
{
    uint32_t threads = (kst_pool_threads(set->decoding->pool) + set->lanes.count - 1) / set->lanes.count;
    uint32_t most = (set->step[step].row_end - kst_j2k_cpu_first_row(set, step) + STRIP_ROWS - 1) / STRIP_ROWS;
    return most < threads ? most : threads;
}

/* Return the first row of a strip of a step, which is the end of the strip before it. */
static uint32_t strip_begin(const struct j2k_decode_set *set, uint32_t step, uint32_t strip)
{
    uint32_t first = kst_j2k_cpu_first_row(set, step);
    uint64_t rows = set->step[step].row_end - first;
    return first + (uint32_t)(rows * strip / kst_j2k_cpu_strips(set, step));
}

uint32_t kst_j2k_cpu_band_rows(const struct j2k_decode_set *set)
{
    if (!set->decoding->rows)
        return 0;
    uint32_t most = kst_j2k_cpu_rows_of_band(set->decoding->rows, set->decoding->pool), longest = 1;
    for (uint32_t step = 0; step < set->step_count; step++) {
        uint32_t strips = kst_j2k_cpu_strips(set, step);
        for (uint32_t i = 0; i < strips; i++) {
            uint32_t rows = strip_begin(set, step, i + 1) - strip_begin(set, step, i);
            longest = rows > longest ? rows : longest;
        }
    }
    return longest < most ? longest : most;
}

/* Return the number of bytes of a band, aligned so that other rows may follow; 0 if rows are not handed out. */
static size_t band_room(const struct j2k_decode_set *set)
{
    enum { ALIGNMENT = 64 };
    const struct j2k_rows *rows = set->decoding->rows;
    size_t bytes = rows ? (size_t)rows->shape.plane[0].pitch * set->band_rows : 0;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t kst_j2k_cpu_strip_room(const struct j2k_decode_set *set)
{
    size_t total = band_room(set) + 2 * set->count * row_room(set);
    for (uint32_t i = 0; i < set->count; i++)
        total += kst_j2k_cpu_synthesis_room((uint32_t)j2k_width(computed_of(&set->component[i])));
    return total;
}

static void lay_out(struct output_strip *strip, uint32_t lane, uint8_t *room)
{
    const struct j2k_decode_set *set = strip->set;
    if (set->decoding->rows) {
        strip->band = room;
        strip->held = strip->y0;
        room += band_room(set);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_decoded_component *c = &set->component[i];
        strip->finished[i] = room;
        room += row_room(set);
        strip->bytes[i] = room;
        room += row_room(set);
        if (c->tc->resolution_count == 1)
            continue;
        strip->level[i] = kst_j2k_cpu_describe_level(set, c, c->tc->resolution_count - 1U, lane);
        kst_j2k_cpu_synthesis_begin(
            &strip->synthesis[i], &set->decoding->steps, &strip->level[i], strip->y0, strip->y1, NULL, 0, room);
        room += kst_j2k_cpu_synthesis_room((uint32_t)j2k_width(computed_of(c)));
    }
}

void kst_j2k_cpu_put_out(
    const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t step, uint32_t lane, uint32_t strip)
{
    struct output_strip made = {.set = set,
        .x0 = set->lanes.x[lane],
        .x1 = set->lanes.x[lane + 1],
        .y0 = strip_begin(set, step, strip),
        .y1 = strip_begin(set, step, strip + 1)};
    lay_out(&made, lane, worker->room);
    make_strip(&made);
}

void kst_j2k_cpu_pass_strip(const struct j2k_decode_set *set, uint32_t step, uint32_t strip)
{
    kst_j2k_cpu_rows_pass(set->decoding->rows, strip_begin(set, step, strip + 1) - picture_component(set, 0)->area.y0);
}
