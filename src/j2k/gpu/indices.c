/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses bands of irreversible components whose coefficients the kernels keep as 16-bit quantiser indices with one
 * fraction bit (halves of steps) instead of as products with the step in single precision. Synthesis multiplies indices
 * when it loads them, so that the products are the same, but half as much memory is written and read. Packet headers
 * prove that the indices fit: a cleanup pass with larger magnitudes is damage.
 */
#include "j2k/gpu/part.h"
#include "j2k/plan/range.h"

enum {
    INDEX_BITS = 15, /* bits of a magnitude */
    FRACTION = 1     /* fraction bits of it: halves of steps */
};

/* Return whether the indices of all bands of a resolution fit in 16 bits. */
static bool fits(const struct j2k_plan *plan, const struct j2k_tile_component *tc, const struct j2k_resolution *r)
{
    bool fine = true;
    for (uint32_t b = 0; b < r->band_count; b++) {
        const struct j2k_block any = {.planes = plan->band[r->first_band + b].planes, .coder = J2K_HT};
        fine = fine && j2k_magnitude_bits(&any, tc->roi_shift) + FRACTION <= INDEX_BITS;
    }
    return fine;
}

/*
 * Return whether a resolution has several rows and several columns. For a single row or column, kernels load low and
 * high coefficients from the same band, which they would take for words in one case and for indices in the other.
 */
static bool has_pairs(const struct j2k_resolution *r)
{
    return j2k_gpu_width(r->computed) != 1 && j2k_gpu_height(r->computed) != 1;
}

/*
 * Return the resolution of a component that is `below` resolutions below the highest one; null: the component is
 * reversible, or that resolution is the lowest one or does not exist.
 */
static const struct j2k_resolution *resolution_of(
    const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint32_t below)
{
    if (tc->reversible || below + 1 >= tc->resolution_count)
        return NULL;
    return &plan->resolution[tc->first_resolution + tc->resolution_count - 1U - below];
}

/*
 * Choose the bands of a tile's resolutions that are `below` resolutions below the highest ones: those of all components
 * or of none, because the highest resolutions of three components are computed by one kernel. Returns false if there
 * are no such resolutions.
 */
static bool choose(const struct j2k_plan *plan, const struct j2k_tile *tile, uint32_t below, bool *indices)
{
    const struct j2k_tile_component *tc = &plan->tile_component[tile->first_component];
    bool any = false, fine = true;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_resolution *r = resolution_of(plan, &tc[c], below);
        any = any || r;
        fine = fine && (!r || (has_pairs(r) && fits(plan, &tc[c], r)));
    }
    for (uint32_t c = 0; c < plan->component_count && fine; c++) {
        const struct j2k_resolution *r = resolution_of(plan, &tc[c], below);
        for (uint32_t b = 0; r && b < r->band_count; b++)
            indices[r->first_band + b] = true;
    }
    return any;
}

static void choose_of_picture(void *arg, uint32_t index)
{
    struct j2k_gpu_part *part = arg;
    const struct j2k_plan *plan = part->items[index].plan;
    bool *indices = part->indices + part->place[index].band;
    for (uint32_t b = 0; b < plan->band_count; b++)
        indices[b] = false;
    for (uint32_t t = 0; t < plan->tile_count; t++)
        for (uint32_t below = 0; choose(plan, &plan->tile[t], below, indices);)
            below++;
}

bool kst_j2k_gpu_choose_indices(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish)
{
    if (part->segments > 0 || wish->host_bytes > 0 || part->items->indices)
        return true; /* some blocks are T.800 blocks, or host blocks, or all indices are wanted in 32 bits */
    part->indices = kst_memory_array(part->memory, part->bands, sizeof *part->indices, NULL);
    if (part->indices)
        kst_pool_run(threads, part->count, choose_of_picture, part);
    return part->indices;
}
