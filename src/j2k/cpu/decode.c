/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets a decoding up, decodes tiles side by side as far as threads and memory allow, and reports damaged code-blocks.
 */
#include "j2k/cpu/decode.h"

#include "core/report.h"
#include "j2k/cpu/tile.h"

void *kst_j2k_cpu_take(struct j2k_decoding *decoding, size_t count, size_t size, bool zeroed)
{
    kst_status status = KST_OK;
    void *taken = zeroed ? kst_memory_zeroed(decoding->memory, count, size, &status)
                         : kst_memory_array(decoding->memory, count, size, &status);
    int none = KST_OK;
    if (!taken)
        atomic_compare_exchange_strong(&decoding->status, &none, (int)status);
    return taken;
}

bool kst_j2k_cpu_goes_on(struct j2k_decoding *decoding)
{
    return !atomic_load_explicit(&decoding->status, memory_order_relaxed);
}

static void drop(struct j2k_decoding *decoding, struct j2k_worker *worker)
{
    kst_memory_release(decoding->memory, worker->joined);
    kst_memory_release(decoding->memory, worker->room);
    kst_memory_release(decoding->memory, worker);
}

/* Return the number of bytes of a worker. */
static size_t worker_length(const struct j2k_decoding *decoding)
{
    return offsetof(struct j2k_worker, scratch) + decoding->scratch_length;
}

struct j2k_worker *kst_j2k_cpu_worker_take(struct j2k_decoding *decoding, size_t room)
{
    pthread_mutex_lock(&decoding->lock);
    struct j2k_worker *worker = decoding->idle;
    if (worker)
        decoding->idle = worker->next;
    pthread_mutex_unlock(&decoding->lock);
    if (!worker && !(worker = kst_j2k_cpu_take(decoding, 1, worker_length(decoding), true)))
        return NULL;
    if (room > worker->room_length) {
        kst_memory_release(decoding->memory, worker->room);
        worker->room = kst_j2k_cpu_take(decoding, room, 1, false);
        worker->room_length = worker->room ? room : 0;
    }
    if (room <= worker->room_length)
        return worker;
    drop(decoding, worker);
    return NULL;
}

void kst_j2k_cpu_worker_put(struct j2k_decoding *decoding, struct j2k_worker *worker)
{
    pthread_mutex_lock(&decoding->lock);
    worker->next = decoding->idle;
    decoding->idle = worker;
    pthread_mutex_unlock(&decoding->lock);
}

void kst_j2k_cpu_decoding_begin(
    struct j2k_decoding *decoding, struct memory *memory, const struct j2k_plan *plan, enum cpu_tier tier)
{
    *decoding = (struct j2k_decoding){
        .memory = memory, .plan = plan, .tier = tier, .scratch_length = kst_j2k_cpu_decoder_length(plan)};
    atomic_init(&decoding->status, KST_OK);
    atomic_init(&decoding->damaged, 0);
    atomic_init(&decoding->damage_offset, UINT64_MAX);
    kst_j2k_cpu_inverse_init(&decoding->steps, tier);
    pthread_mutex_init(&decoding->lock, NULL);
}

void kst_j2k_cpu_decoding_end(struct j2k_decoding *decoding)
{
    while (decoding->idle) {
        struct j2k_worker *worker = decoding->idle;
        decoding->idle = worker->next;
        drop(decoding, worker);
    }
    pthread_mutex_destroy(&decoding->lock);
}

/* Find the next components of a tile that are decoded together. Returns false when there are no more. */
static bool next_set(struct j2k_decoding *decoding, const struct j2k_tile *tile, struct j2k_decode_set *set)
{
    const struct j2k_plan *plan = decoding->plan;
    uint32_t first = set->first + set->count;
    *set = (struct j2k_decode_set){.decoding = decoding, .tile = tile, .first = first};
    set->count = first == 0 && tile->transform != J2K_TRANSFORM_NONE ? J2K_SET : 1;
    return first < plan->component_count;
}

static bool is_empty(const struct j2k_decode_set *set)
{
    const struct j2k_plan *plan = set->decoding->plan;
    return plan->tile_component[set->tile->first_component + set->first].resolution_count == 0;
}

static void decode_tile(struct j2k_decoding *decoding, const struct j2k_tile *tile)
{
    struct j2k_decode_set *set = kst_j2k_cpu_take(decoding, 1, sizeof *set, true);
    while (set && kst_j2k_cpu_goes_on(decoding) && next_set(decoding, tile, set))
        if (!is_empty(set))
            kst_j2k_cpu_decode_set_run(set);
    kst_memory_release(decoding->memory, set);
}

/* A thread's task: decode one tile after the other while other threads do the same. */
static void decode_tiles(void *argument, uint32_t index)
{
    struct j2k_decoding *decoding = argument;
    (void)index;
    for (uint32_t tile; (tile = atomic_fetch_add(&decoding->next_tile, 1)) < decoding->plan->tile_count;)
        decode_tile(decoding, &decoding->plan->tile[tile]);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void measure_tile(
    struct j2k_decoding *decoding, const struct j2k_tile *tile, struct j2k_decode_set *set, struct j2k_cpu_need *need)
{
    enum { JOINED = 1 << 14 }; /* bytes of a code-block's segments that come in pieces; more are rare */
    uint64_t worker = worker_length(decoding) + JOINED + 3 * (uint64_t)KST_MEMORY_OVERHEAD;
    *set = (struct j2k_decode_set){.count = 0};
    while (next_set(decoding, tile, set)) {
        if (is_empty(set))
            continue;
        uint64_t bytes = kst_j2k_cpu_decode_set_measure(set) + sizeof *set + 4 * (uint64_t)KST_MEMORY_OVERHEAD;
        uint64_t room = worker + kst_j2k_cpu_worker_room(set);
        kst_j2k_cpu_decode_set_end(set);
        need->tile = larger(need->tile, bytes);
        need->threads = larger(need->threads, room * kst_pool_threads(decoding->pool));
    }
}

struct j2k_cpu_need kst_j2k_cpu_measure(struct memory *memory, struct pool *pool, const struct j2k_plan *plan,
    const struct j2k_target *target, struct j2k_rows *rows)
{
    struct j2k_decoding decoding = {.memory = memory,
        .pool = pool,
        .plan = plan,
        .target = target,
        .rows = rows,
        .scratch_length = kst_j2k_cpu_decoder_length(plan)};
    struct j2k_cpu_need need = {0, 0};
    atomic_init(&decoding.status, KST_OK);
    struct j2k_decode_set *set = kst_j2k_cpu_take(&decoding, 1, sizeof *set, true);
    for (uint32_t i = 0; set && i < plan->tile_count && kst_j2k_cpu_goes_on(&decoding); i++)
        measure_tile(&decoding, &plan->tile[i], set, &need);
    kst_memory_release(memory, set);
    if (!kst_j2k_cpu_goes_on(&decoding))
        need.tile = J2K_NEED_UNKNOWN;
    return need;
}

/*
 * Return the number of tiles decoded side by side: one per thread, unless memory has room for fewer, or the rows of a
 * tile would wait for those of the tile above.
 */
static uint32_t count_lanes(const struct j2k_decoding *decoding)
{
    uint32_t threads = kst_pool_threads(decoding->pool), tiles = decoding->plan->tile_count;
    uint32_t most = tiles < threads ? tiles : threads;
    if (most <= 1 || decoding->rows)
        return most < 1 ? most : 1;
    struct j2k_cpu_need need =
        kst_j2k_cpu_measure(decoding->memory, decoding->pool, decoding->plan, decoding->target, NULL);
    uint64_t left = kst_memory_left(decoding->memory);
    return kst_pool_fit(most, left > need.threads ? left - need.threads : 0, larger(need.tile, 1));
}

static void fill_row(const struct j2k_target *target, size_t width, uint32_t value, uint8_t *row)
{
    for (size_t x = 0; x < width; x++) {
        if (target->bytes == 1)
            row[x * target->stride] = (uint8_t)value;
        else if (target->bytes == 2)
            ((uint16_t *)(void *)row)[x * target->stride] = (uint16_t)value;
        else
            ((uint32_t *)(void *)row)[x * target->stride] = value;
    }
}

/* Fill the targets with the samples that coefficients of 0 give, for the places of missing tiles. */
static void fill(const struct j2k_decoding *decoding)
{
    for (uint32_t c = 0; c < decoding->plan->component_count; c++) {
        const struct j2k_component *component = &decoding->plan->component[c];
        const struct j2k_target *target = &decoding->target[c];
        if (!target->data) /* not wanted; it may have more bits than can be decoded */
            continue;
        uint32_t value = component->is_signed || target->raw ? 0 : (uint32_t)1 << (component->depth - 1);
        for (size_t y = 0; y < j2k_height(component->area); y++)
            fill_row(target, j2k_width(component->area), value, (uint8_t *)target->data + (ptrdiff_t)y * target->pitch);
    }
}

static kst_status check_depths(const struct j2k_plan *plan, kst_report *report)
{
    for (uint32_t c = 0; c < plan->component_count; c++)
        if (plan->component[c].wanted && plan->component[c].depth > J2K_DECODED_DEPTH)
            return kst_report_error(report, KST_ERROR_IMAGE_DEPTH, KST_NO_OFFSET,
                "component %u has %u bits, and at most %d are decoded", (unsigned)c, plan->component[c].depth,
                J2K_DECODED_DEPTH);
    return KST_OK;
}

static kst_status decode(const struct operation *op, const struct j2k_plan *plan, const struct j2k_target *target,
    struct j2k_rows *rows, bool strict)
{
    struct j2k_decoding decoding;
    kst_status status = check_depths(plan, op->report);
    if (status)
        return status;
    kst_j2k_cpu_decoding_begin(&decoding, op->memory, plan, op->tier);
    decoding.pool = op->pool;
    decoding.target = target;
    decoding.rows = rows;
    decoding.progress = op->progress;
    if (plan->missing_tiles > 0)
        fill(&decoding);
    atomic_init(&decoding.next_tile, 0);
    kst_pool_run(op->pool, count_lanes(&decoding), decode_tiles, &decoding);
    kst_j2k_cpu_decoding_end(&decoding);
    status = (kst_status)atomic_load(&decoding.status);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    uint64_t damaged = atomic_load(&decoding.damaged);
    if (damaged > 0)
        status =
            kst_report_warning(op->report, KST_WARNING_J2K_DATA, atomic_load(&decoding.damage_offset), damaged, strict);
    return status;
}

kst_status kst_j2k_cpu_decode(
    const struct operation *op, const struct j2k_plan *plan, const struct j2k_target *target, bool strict)
{
    return decode(op, plan, target, NULL, strict);
}

kst_status kst_j2k_cpu_decode_rows(const struct operation *op, const struct j2k_plan *plan,
    const struct j2k_target *target, struct j2k_rows *rows, bool strict)
{
    return decode(op, plan, target, rows, strict);
}
