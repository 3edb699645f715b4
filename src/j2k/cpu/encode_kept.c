/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the coefficients of a picture between encodings, while a step is sought that meets a target: samples are read
 * and transformed once, and each encoding only quantises and codes.
 */
#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/cpu/encode.h"

struct j2k_kept_coefficients {
    uint32_t count;
    /* Holds, for each component of each tile, the set that begins with it. Null: there is none yet, or the component is
     * in the set of the one before. */
    struct j2k_encode_set **set;
};

/* Return about how many bytes all coefficients take. */
static uint64_t need_of(const struct j2k_plan *plan)
{
    uint64_t samples = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        samples +=
            (uint64_t)j2k_rect_width(plan->tile_component[i].rect) * j2k_rect_height(plan->tile_component[i].rect);
    return samples * sizeof(float);
}

struct j2k_kept_coefficients *kst_j2k_cpu_keep_coefficients(struct memory *memory, const struct j2k_plan *plan)
{
    enum { SHARE = 4 };
    kst_status status = KST_OK;
    if (need_of(plan) > kst_memory_left(memory) / SHARE)
        return NULL;
    struct j2k_kept_coefficients *kept = kst_memory_zeroed(memory, 1, sizeof *kept, &status);
    if (!kept)
        return NULL;
    kept->count = plan->tile_component_count;
    kept->set = kst_memory_zeroed(memory, kept->count, sizeof(struct j2k_encode_set *), &status);
    if (kept->set)
        return kept;
    kst_memory_release(memory, kept);
    return NULL;
}

void kst_j2k_cpu_drop_coefficients(struct memory *memory, struct j2k_kept_coefficients *kept)
{
    if (!kept)
        return;
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->set[i]) {
            kst_j2k_cpu_encode_set_end(kept->set[i], memory);
            kst_memory_release(memory, kept->set[i]);
        }
    kst_memory_release(memory, kept->set);
    kst_memory_release(memory, kept);
}

/*
 * Return null for a cell of a tile (tile->block is set): its coefficients are not kept, because memory is short where
 * tiles are encoded in cells.
 */
struct j2k_encode_set **kst_j2k_cpu_kept_set(const struct j2k_encode_tile *tile, uint32_t first)
{
    struct j2k_kept_coefficients *kept = tile->encoding->request->kept;
    return kept && !tile->block ? &kept->set[tile->tile->first_component + first] : NULL;
}
