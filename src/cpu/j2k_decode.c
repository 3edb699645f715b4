/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/j2k_decode.h"

#include "core/report.h"
#include "cpu/j2k_tile.h"

void *kst_j2k_take(struct j2k_decoding *decoding, size_t count, size_t size, bool zeroed)
{
    kst_status status = KST_OK;
    void *taken = zeroed ? kst_memory_zeroed(decoding->memory, count, size, &status)
                         : kst_memory_array(decoding->memory, count, size, &status);
    int none = KST_OK;
    if (!taken)
        atomic_compare_exchange_strong(&decoding->status, &none, (int)status);
    return taken;
}

bool kst_j2k_goes_on(struct j2k_decoding *decoding)
{
    return atomic_load_explicit(&decoding->status, memory_order_relaxed) == KST_OK;
}

static const struct j2k_tile_component *components_of(const struct j2k_tile_work *work)
{
    return &work->decoding->plan->tile_component[work->tile->first_component];
}

/* The tile's bands and blocks follow one another in the plan. */
static void find_ranges(struct j2k_tile_work *work)
{
    const struct j2k_plan *plan = work->decoding->plan;
    bool first = true;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const struct j2k_tile_component *tc = &components_of(work)[c];
        if (tc->resolution_count == 0)
            continue;
        const struct j2k_resolution *top = &plan->resolution[tc->first_resolution + tc->resolution_count - 1U];
        const struct j2k_band *last = &plan->band[top->first_band + top->band_count - 1U];
        if (first) {
            work->first_band = plan->resolution[tc->first_resolution].first_band;
            work->first_block = plan->band[work->first_band].first_block;
        }
        first = false;
        work->band_count = top->first_band + top->band_count - work->first_band;
        work->block_count = last->first_block + last->block_count - work->first_block;
    }
}

static bool allocate(struct j2k_tile_work *work)
{
    struct j2k_decoding *decoding = work->decoding;
    size_t total = 0;
    work->component = kst_j2k_take(decoding, decoding->plan->component_count, sizeof *work->component, true);
    work->band_offset = kst_j2k_take(decoding, work->band_count, sizeof *work->band_offset, false);
    if (!work->component || !work->band_offset)
        return false;
    for (uint32_t b = 0; b < work->band_count; b++) {
        work->band_offset[b] = total;
        total += j2k_area(decoding->plan->band[work->first_band + b].window);
    }
    work->coefficients = kst_j2k_take(decoding, total, sizeof *work->coefficients, true);
    return work->coefficients;
}

static void release(struct j2k_tile_work *work)
{
    struct memory *memory = work->decoding->memory;
    for (uint32_t c = 0; work->component && c < work->decoding->plan->component_count; c++)
        if (components_of(work)[c].resolution_count > 1)
            kst_memory_release(memory, work->component[c].data);
    kst_memory_release(memory, work->component);
    kst_memory_release(memory, work->band_offset);
    kst_memory_release(memory, work->coefficients);
}

static void decode_tile(void *argument, uint32_t index)
{
    struct j2k_decoding *decoding = argument;
    struct j2k_tile_work work = {.decoding = decoding, .tile = &decoding->plan->tile[index]};
    if (!kst_j2k_goes_on(decoding))
        return;
    find_ranges(&work);
    if (allocate(&work)) {
        kst_j2k_decode_blocks(&work);
        for (uint32_t c = 0; c < decoding->plan->component_count && kst_j2k_goes_on(decoding); c++)
            if (components_of(&work)[c].resolution_count > 0)
                kst_j2k_synthesise(&work, c);
        if (kst_j2k_goes_on(decoding))
            kst_j2k_put_out(&work);
    }
    release(&work);
}

static void fill_row(const struct j2k_target *target, size_t width, uint32_t value, uint8_t *row)
{
    for (size_t x = 0; x < width; x++) {
        if (target->bytes == 1)
            row[x * target->step] = (uint8_t)value;
        else if (target->bytes == 2)
            ((uint16_t *)(void *)row)[x * target->step] = (uint16_t)value;
        else
            ((uint32_t *)(void *)row)[x * target->step] = value;
    }
}

/* What coefficients of 0 give, for where tiles are missing. */
static void fill(const struct j2k_decoding *decoding)
{
    for (uint32_t c = 0; c < decoding->plan->component_count; c++) {
        const struct j2k_component *component = &decoding->plan->component[c];
        const struct j2k_target *target = &decoding->target[c];
        uint32_t value = component->is_signed ? 0 : (uint32_t)1 << (component->depth - 1);
        for (size_t y = 0; target->data && y < j2k_height(component->area); y++)
            fill_row(target, j2k_width(component->area), value, (uint8_t *)target->data + (ptrdiff_t)y * target->pitch);
    }
}

static kst_status check_depths(const struct j2k_plan *plan, kst_report *report)
{
    for (uint32_t c = 0; c < plan->component_count; c++)
        if (plan->component[c].wanted && plan->component[c].depth > J2K_DECODED_DEPTH)
            return kst_report_error(report, KST_ERROR_IMAGE_DEPTH, KST_NO_OFFSET, "component %u has %u bits",
                (unsigned)c, plan->component[c].depth);
    return KST_OK;
}

kst_status kst_j2k_cpu_decode(struct memory *memory, struct pool *pool, const struct j2k_plan *plan,
    const struct j2k_target *target, bool strict, kst_report *report)
{
    struct j2k_decoding decoding = {.memory = memory, .pool = pool, .plan = plan, .target = target};
    atomic_init(&decoding.status, KST_OK);
    atomic_init(&decoding.damaged, 0);
    atomic_init(&decoding.damage_offset, UINT64_MAX);
    kst_status status = check_depths(plan, report);
    if (status)
        return status;
    if (plan->missing_tiles > 0)
        fill(&decoding);
    kst_pool_run(pool, plan->tile_count, decode_tile, &decoding);
    status = (kst_status)atomic_load(&decoding.status);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    uint64_t damaged = atomic_load(&decoding.damaged);
    if (damaged > 0)
        status =
            kst_report_warning(report, KST_WARNING_J2K_DATA, atomic_load(&decoding.damage_offset), damaged, strict);
    return status;
}
