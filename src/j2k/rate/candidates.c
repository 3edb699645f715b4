/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the convex hull of each block's sets, and makes the choice that a threshold of gain per byte gives. */
#include "j2k/rate/candidates.h"

#include <stdlib.h>

enum { POINTS = J2K_SET_PASSES * J2K_CODED_PLANES };

/*
 * Describes a set of passes that is cut behind one of them; `slope` is its gain per byte over the previous point of the
 * hull.
 */
struct set_point {
    double length, gain, slope;
    uint32_t set, passes;
};

struct j2k_choosing {
    struct j2k_coded *coded;
    struct j2k_encoded *encoded;
    const double *weight;
    uint32_t *first; /* the first of each block's points, and one more entry at the end */
    struct set_point *point;
    double *slope; /* the different slopes of all points, greatest first */
    size_t slopes;
};

static int by_length(const void *a, const void *b)
{
    const struct set_point *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->gain < y->gain) - (x->gain > y->gain);
}

static int by_slope(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* List all sets that a block may have, cut behind each of their passes, by length. Returns their number. */
static uint32_t list_points(const struct j2k_candidates *candidates, double unit, struct set_point *point)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < candidates->count; s++) {
        double gain = 0;
        for (uint32_t p = 0; p < candidates->set[s].passes; p++) {
            gain += candidates->set[s].gain[p] * unit;
            point[count++] =
                (struct set_point){.length = candidates->set[s].length[p], .gain = gain, .set = s, .passes = p + 1};
        }
    }
    qsort(point, count, sizeof *point, by_length);
    return count;
}

/* Keep the points on the hull, which begins at no bytes and no gain. Returns their number. */
static uint32_t keep_hull(struct set_point *point, uint32_t count)
{
    static const struct set_point none = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct set_point next = point[i];
        for (;;) {
            const struct set_point *before = kept > 0 ? &point[kept - 1] : &none;
            next.slope = next.length > before->length ? (next.gain - before->gain) / (next.length - before->length) : 0;
            if (next.slope <= 0 || kept == 0 || next.slope < before->slope)
                break;
            kept--;
        }
        if (next.slope > 0)
            point[kept++] = next;
    }
    return kept;
}

static double unit_of(const struct j2k_choosing *choosing, uint32_t block)
{
    const uint32_t band = choosing->coded->plan.block[block].band;
    const double half = choosing->coded->plan.band[band].step / 2;
    return choosing->weight[band] * half * half;
}

static uint32_t most_points(const struct j2k_candidates *candidates)
{
    return J2K_SET_PASSES * candidates->count;
}

/* List the different slopes of all points. */
static void list_slopes(struct j2k_choosing *choosing, uint32_t points)
{
    for (uint32_t i = 0; i < points; i++)
        choosing->slope[i] = choosing->point[i].slope;
    qsort(choosing->slope, points, sizeof *choosing->slope, by_slope);
    for (uint32_t i = 0; i < points; i++)
        if (i == 0 || choosing->slope[i] != choosing->slope[i - 1])
            choosing->slope[choosing->slopes++] = choosing->slope[i];
}

static void find_points(struct j2k_choosing *choosing)
{
    const uint32_t blocks = choosing->coded->plan.block_count;
    uint32_t points = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        struct set_point point[POINTS];
        uint32_t count = list_points(&choosing->encoded->candidates[b], unit_of(choosing, b), point);
        choosing->first[b] = points;
        count = keep_hull(point, count);
        for (uint32_t i = 0; i < count; i++)
            choosing->point[points++] = point[i];
    }
    choosing->first[blocks] = points;
    list_slopes(choosing, points);
}

kst_status kst_j2k_choosing_create(struct memory *memory, struct j2k_coded *coded, struct j2k_encoded *encoded,
    const double *weight, struct j2k_choosing **choosing)
{
    const uint32_t blocks = coded->plan.block_count;
    kst_status status = KST_OK;
    size_t most = 0;
    struct j2k_choosing *made = kst_memory_zeroed(memory, 1, sizeof *made, &status);
    *choosing = made;
    if (!made)
        return status;
    *made = (struct j2k_choosing){.coded = coded, .encoded = encoded, .weight = weight};
    for (uint32_t b = 0; b < blocks; b++)
        most += most_points(&encoded->candidates[b]);
    made->first = kst_memory_array(memory, (size_t)blocks + 1, sizeof *made->first, &status);
    made->point = kst_memory_array(memory, most, sizeof *made->point, &status);
    made->slope = kst_memory_array(memory, most, sizeof *made->slope, &status);
    if (!status)
        find_points(made);
    return status;
}

void kst_j2k_choosing_release(struct memory *memory, struct j2k_choosing *choosing)
{
    if (!choosing)
        return;
    kst_memory_release(memory, choosing->first);
    kst_memory_release(memory, choosing->point);
    kst_memory_release(memory, choosing->slope);
    kst_memory_release(memory, choosing);
}

size_t kst_j2k_choosing_count(const struct j2k_choosing *choosing)
{
    return choosing->slopes;
}

/* Give a block the passes of a point. */
static void take_point(struct j2k_choosing *choosing, uint32_t index, const struct set_point *point)
{
    const struct j2k_candidate *set = &choosing->encoded->candidates[index].set[point->set];
    struct j2k_block_code *block = &choosing->coded->block[index];
    const double unit = unit_of(choosing, index);
    block->data = set->data;
    block->passes = (uint8_t)point->passes;
    block->missing =
        (uint8_t)(choosing->coded->plan.band[choosing->coded->plan.block[index].band].planes - 1 - set->plane);
    for (uint32_t p = 0; p < point->passes; p++) {
        choosing->encoded->pass_length[block->first_pass + p] = set->length[p];
        choosing->encoded->pass_gain[block->first_pass + p] = set->gain[p] * unit;
    }
}

void kst_j2k_choose(struct j2k_choosing *choosing, size_t choice)
{
    const double least = choice > 0 ? choosing->slope[choice - 1] : INFINITY;
    for (uint32_t b = 0; b < choosing->coded->plan.block_count; b++) {
        const struct set_point *point = NULL;
        for (uint32_t i = choosing->first[b]; i < choosing->first[b + 1] && choosing->point[i].slope >= least; i++)
            point = &choosing->point[i];
        choosing->coded->block[b].passes = 0;
        if (point)
            take_point(choosing, b, point);
    }
}
