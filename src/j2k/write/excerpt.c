/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the plans of excerpts: chooses their code-blocks, and finds the samples on which these depend. */
#include "j2k/write/excerpt.h"

#include <string.h>

#include "j2k/syntax/geometry.h"

/* The distance of samples on which a coefficient depends from its position (F.4.8). */
enum { REACH_REVERSIBLE = 2, REACH_IRREVERSIBLE = 4 };

/* Describes a range of consecutive elements of one of a plan's arrays. */
struct array_range {
    uint32_t first, count;
};

struct extract {
    const struct j2k_plan *image;
    const struct j2k_excerpt_choice *choice;
    struct j2k_excerpt *excerpt;
    struct array_range component, resolution, band;
};

static struct array_range between(uint32_t first, uint32_t end)
{
    return (struct array_range){first, end - first};
}

/*
 * Find the ranges of the excerpt's tiles in each array. The elements of consecutive tiles are consecutive in all
 * arrays.
 */
static void find_ranges(struct extract *x)
{
    const struct j2k_plan *image = x->image;
    uint32_t first = x->choice->first_tile, end = first + x->choice->tile_count;
    uint32_t component = image->tile[first].first_component;
    uint32_t last = end < image->tile_count ? image->tile[end].first_component : image->tile_component_count;
    x->component = between(component, last);
    uint32_t resolution = image->tile_component[component].first_resolution;
    uint32_t behind =
        last < image->tile_component_count ? image->tile_component[last].first_resolution : image->resolution_count;
    x->resolution = between(resolution, behind);
    uint32_t band = resolution < image->resolution_count ? image->resolution[resolution].first_band : image->band_count;
    x->band =
        between(band, behind < image->resolution_count ? image->resolution[behind].first_band : image->band_count);
}

static void *copy_of(
    struct memory *memory, const void *from, struct array_range range, size_t size, uint32_t *count, kst_status *status)
{
    void *copy = kst_memory_array(memory, range.count, size, status);
    if (copy && range.count > 0)
        memcpy(copy, (const char *)from + range.first * size, range.count * size);
    *count = range.count;
    return copy;
}

static kst_status copy_arrays(struct memory *memory, const struct extract *x)
{
    const struct j2k_plan *image = x->image;
    struct j2k_plan *plan = &x->excerpt->plan;
    kst_status status = KST_OK;
    plan->component = copy_of(memory, image->component, (struct array_range){0, image->component_count},
        sizeof *plan->component, &plan->component_count, &status);
    plan->tile = copy_of(memory, image->tile, (struct array_range){x->choice->first_tile, x->choice->tile_count},
        sizeof *plan->tile, &plan->tile_count, &status);
    plan->tile_component = copy_of(memory, image->tile_component, x->component, sizeof *plan->tile_component,
        &plan->tile_component_count, &status);
    plan->resolution =
        copy_of(memory, image->resolution, x->resolution, sizeof *plan->resolution, &plan->resolution_count, &status);
    plan->band = copy_of(memory, image->band, x->band, sizeof *plan->band, &plan->band_count, &status);
    return status;
}

/* Convert indices into the image's arrays to indices into the excerpt's. */
static void count_anew(const struct extract *x)
{
    struct j2k_plan *plan = &x->excerpt->plan;
    for (uint32_t t = 0; t < plan->tile_count; t++)
        plan->tile[t].first_component -= x->component.first;
    for (uint32_t c = 0; c < plan->tile_component_count; c++)
        plan->tile_component[c].first_resolution -= x->resolution.first;
    for (uint32_t r = 0; r < plan->resolution_count; r++)
        plan->resolution[r].first_band -= x->band.first;
    for (uint32_t b = 0; b < plan->band_count; b++)
        plan->band[b].tile_component -= x->component.first;
}

static uint32_t clamped(uint64_t value, uint32_t first, uint32_t end)
{
    return value < first ? first : value < end ? (uint32_t)value : end - 1;
}

/* Return whether a block belongs to the excerpt. Its band is `shift` levels below the picture. */
static bool is_chosen(const struct extract *x, const struct j2k_tile *tile, const struct j2k_component *component,
    const struct j2k_block *block, uint32_t shift)
{
    const struct j2k_rect cell = x->choice->cell;
    uint32_t left = clamped(((uint64_t)block->x << shift) * component->dx, tile->rect.x0, tile->rect.x1);
    uint32_t top = clamped(((uint64_t)block->y << shift) * component->dy, tile->rect.y0, tile->rect.y1);
    return left >= cell.x0 && left < cell.x1 && top >= cell.y0 && top < cell.y1;
}

static struct j2k_rect join(struct j2k_rect a, struct j2k_rect b)
{
    if (j2k_is_empty(a) || j2k_is_empty(b))
        return j2k_is_empty(a) ? b : a;
    return (struct j2k_rect){.x0 = a.x0 < b.x0 ? a.x0 : b.x0,
        .y0 = a.y0 < b.y0 ? a.y0 : b.y0,
        .x1 = a.x1 > b.x1 ? a.x1 : b.x1,
        .y1 = a.y1 > b.y1 ? a.y1 : b.y1};
}

/* Return the samples of a resolution that the coefficients of one of its bands depend on. */
static struct j2k_rect source_of(struct j2k_rect band, uint32_t orientation, uint32_t reach, struct j2k_rect resolution)
{
    uint32_t high_x = orientation & 1U, high_y = orientation >> 1;
    if (j2k_is_empty(band))
        return (struct j2k_rect){0, 0, 0, 0};
    struct j2k_rect places = {.x0 = 2 * band.x0 + high_x,
        .y0 = 2 * band.y0 + high_y,
        .x1 = 2 * (band.x1 - 1) + high_x + 1,
        .y1 = 2 * (band.y1 - 1) + high_y + 1};
    return kst_j2k_enlarge(places, reach, resolution);
}

/* Choose the blocks of a band. Returns the rectangle that they cover in the band. */
static struct j2k_rect choose_blocks(const struct extract *x, const struct j2k_tile *tile,
    const struct j2k_component *component, uint32_t band, uint32_t shift)
{
    const struct j2k_band *from = &x->image->band[x->band.first + band];
    struct j2k_plan *plan = &x->excerpt->plan;
    struct j2k_band *to = &plan->band[band];
    struct j2k_rect held = {0, 0, 0, 0};
    to->first_block = plan->block_count;
    for (uint32_t b = from->first_block; b < from->first_block + from->block_count; b++) {
        const struct j2k_block *block = &x->image->block[b];
        if (!is_chosen(x, tile, component, block, shift))
            continue;
        held = join(held, (struct j2k_rect){block->x, block->y, block->x + block->width, block->y + block->height});
        if (x->excerpt->block) {
            x->excerpt->block[plan->block_count] = b;
            plan->block[plan->block_count] = *block;
            plan->block[plan->block_count].band = band;
        }
        plan->block_count++;
    }
    to->block_count = plan->block_count - to->first_block;
    return held;
}

/* Choose the blocks of a tile-component. Returns the samples on which they depend. */
static struct j2k_rect choose_component(
    const struct extract *x, const struct j2k_tile *tile, const struct j2k_tile_component *tc, uint32_t component)
{
    const struct j2k_plan *plan = &x->excerpt->plan;
    uint32_t reach = tc->reversible ? REACH_REVERSIBLE : REACH_IRREVERSIBLE;
    struct j2k_rect needed = {0, 0, 0, 0};
    for (uint32_t r = 0; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        uint32_t shift = tc->levels - r + (r > 0);
        if (r > 0)
            needed = source_of(needed, J2K_LL, reach, resolution->rect);
        for (uint32_t b = 0; b < resolution->band_count; b++) {
            uint32_t band = resolution->first_band + b;
            struct j2k_rect held = choose_blocks(x, tile, &plan->component[component], band, shift);
            needed =
                join(needed, r > 0 ? source_of(held, plan->band[band].orientation, reach, resolution->rect) : held);
        }
    }
    return needed;
}

/* Reduce the tile-component to the needed samples. */
static void cut_component(struct j2k_plan *plan, struct j2k_tile_component *tc, struct j2k_rect needed)
{
    tc->rect = tc->area = needed;
    for (uint32_t r = 0; r < tc->resolution_count; r++) {
        struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        struct j2k_rect rect = kst_j2k_reduce(needed, tc->resolution_count - 1 - r);
        resolution->rect = resolution->computed = resolution->valid = rect;
        for (uint32_t b = 0; b < resolution->band_count; b++) {
            struct j2k_band *band = &plan->band[resolution->first_band + b];
            band->rect = r > 0 ? kst_j2k_band_of(rect, band->orientation & 1U, band->orientation >> 1) : rect;
            band->window = band->rect;
        }
    }
}

/* Reduce all components of a tile. The first three get the same size if they are transformed. */
static void cut_tile(const struct extract *x, const struct j2k_tile *tile, struct j2k_rect *needed)
{
    struct j2k_plan *plan = &x->excerpt->plan;
    for (uint32_t c = 1; c < 3 && tile->transform != J2K_TRANSFORM_NONE; c++)
        needed[0] = join(needed[0], needed[c]);
    for (uint32_t c = 0; c < plan->component_count; c++) {
        if (c < 3 && tile->transform != J2K_TRANSFORM_NONE)
            needed[c] = needed[0];
        cut_component(plan, &plan->tile_component[tile->first_component + c], needed[c]);
        plan->component[c].area = join(plan->component[c].area, needed[c]);
    }
}

static void join_areas(struct j2k_plan *plan)
{
    struct j2k_rect area = {0, 0, 0, 0};
    for (uint32_t c = 0; c < plan->component_count; c++)
        area = join(area, plan->component[c].area);
    for (uint32_t c = 0; c < plan->component_count; c++)
        plan->component[c].area = area;
}

static void choose_all(const struct extract *x, struct j2k_rect *needed)
{
    struct j2k_plan *plan = &x->excerpt->plan;
    plan->block_count = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++) {
        uint32_t t = i / plan->component_count, c = i % plan->component_count;
        needed[i] = choose_component(x, &plan->tile[t], &plan->tile_component[i], c);
    }
}

kst_status kst_j2k_excerpt_build(struct memory *memory, const struct j2k_plan *image,
    const struct j2k_excerpt_choice *choice, struct j2k_excerpt *excerpt)
{
    struct extract x = {.image = image, .choice = choice, .excerpt = excerpt};
    struct j2k_plan *plan = &excerpt->plan;
    *excerpt = (struct j2k_excerpt){.plan = {.image = image->image}};
    find_ranges(&x);
    kst_status status = copy_arrays(memory, &x);
    struct j2k_rect *needed = kst_memory_array(memory, x.component.count, sizeof *needed, &status);
    if (!status) {
        count_anew(&x);
        choose_all(&x, needed);
        uint32_t *block = kst_memory_array(memory, plan->block_count, sizeof *block, &status);
        plan->block = kst_memory_array(memory, plan->block_count, sizeof *plan->block, &status);
        excerpt->block = block;
    }
    if (!status) {
        choose_all(&x, needed);
        for (uint32_t c = 0; c < plan->component_count; c++)
            plan->component[c].area = (struct j2k_rect){0, 0, 0, 0};
        for (uint32_t t = 0; t < plan->tile_count; t++)
            cut_tile(&x, &plan->tile[t], needed + (size_t)t * plan->component_count);
        if (choice->together)
            join_areas(plan);
    }
    kst_memory_release(memory, needed);
    return status;
}

void kst_j2k_excerpt_release(struct memory *memory, struct j2k_excerpt *excerpt)
{
    kst_memory_release(memory, excerpt->plan.component);
    kst_memory_release(memory, excerpt->plan.tile);
    kst_memory_release(memory, excerpt->plan.tile_component);
    kst_memory_release(memory, excerpt->plan.resolution);
    kst_memory_release(memory, excerpt->plan.band);
    kst_memory_release(memory, excerpt->plan.block);
    kst_memory_release(memory, excerpt->block);
    *excerpt = (struct j2k_excerpt){.block = NULL};
}

/* Return the extent on the reference grid, in one direction, of a code-block of the lowest resolution. */
static uint32_t extent_of(uint32_t log_block, uint32_t levels, uint32_t step)
{
    uint64_t extent = log_block + levels < 32 ? ((uint64_t)1 << (log_block + levels)) * step : UINT32_MAX;
    return extent < UINT32_MAX ? (uint32_t)extent : UINT32_MAX;
}

struct j2k_rect kst_j2k_excerpt_unit(const struct j2k_plan *image)
{
    struct j2k_rect unit = {0, 0, 1, 1};
    for (uint32_t i = 0; i < image->tile_component_count; i++) {
        const struct j2k_tile_component *tc = &image->tile_component[i];
        const struct j2k_component *component = &image->component[i % image->component_count];
        uint32_t width = extent_of(tc->block_width, tc->levels, component->dx),
                 height = extent_of(tc->block_height, tc->levels, component->dy);
        unit.x1 = width > unit.x1 ? width : unit.x1;
        unit.y1 = height > unit.y1 ? height : unit.y1;
    }
    return unit;
}
