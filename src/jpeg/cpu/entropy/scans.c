/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens readers for the scans of a picture, and schedules them on threads so that each scan stays behind the scans it
 * builds on.
 */
#include "jpeg/cpu/entropy/scans.h"

#include <pthread.h>

enum { NO_SCAN = UINT32_MAX };

/* Holds the progress of a scan, guarded by the schedule's lock. */
struct stage {
    uint32_t after[JPEG_COMPONENTS]; /* scans that must have read a row before this one; NO_SCAN: none */
    uint32_t rows;                   /* number of MCU rows read */
    bool taken;                      /* a thread is reading it */
};

struct scan_schedule {
    struct jpeg_scan_reader *reader;
    const struct jpeg_scan_target *target;
    struct progress *progress;
    struct stage *stage;
    uint32_t count;
    uint32_t rows;  /* MCU rows of the frame */
    uint32_t chunk; /* most rows that a thread reads at once */
    uint32_t left;  /* number of scans that are not finished; also set to 0 to end the work */
    bool cancelled;
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

/* Return whether two scans of a component touch the same coefficients, or the same history of AC coefficients. */
static bool same_kind(const struct jpeg_plan *plan, const struct jpeg_scan *a, const struct jpeg_scan *b)
{
    return plan->frame.process != KST_PROCESS_PROGRESSIVE || (a->ss > 0) == (b->ss > 0);
}

/*
 * Return the last scan before `scan` that holds the component and is of its kind. That scan in turn follows its own
 * predecessor.
 */
static uint32_t find_predecessor(const struct jpeg_plan *plan, uint32_t scan, uint8_t component)
{
    for (uint32_t i = scan; i-- > 0;)
        for (uint32_t j = 0; j < plan->scan[i].component_count; j++)
            if (plan->scan[i].component[j] == component && same_kind(plan, &plan->scan[i], &plan->scan[scan]))
                return i;
    return NO_SCAN;
}

static void find_order(const struct jpeg_plan *plan, struct stage *stage)
{
    for (uint32_t i = 0; i < plan->scan_count; i++)
        for (uint32_t j = 0; j < JPEG_COMPONENTS; j++)
            stage[i].after[j] =
                j < plan->scan[i].component_count ? find_predecessor(plan, i, plan->scan[i].component[j]) : NO_SCAN;
}

/* Return the row up to which a scan may be read now. */
static uint32_t find_limit(const struct scan_schedule *schedule, const struct stage *stage)
{
    uint32_t limit = schedule->rows;
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        if (stage->after[i] != NO_SCAN && schedule->stage[stage->after[i]].rows < limit)
            limit = schedule->stage[stage->after[i]].rows;
    return limit < stage->rows + schedule->chunk ? limit : stage->rows + schedule->chunk;
}

/*
 * Return the scan that is furthest behind, so that all threads work on rows that are still in a cache. Null: all must
 * wait.
 */
static struct stage *choose(const struct scan_schedule *schedule)
{
    struct stage *best = NULL;
    for (uint32_t i = 0; i < schedule->count; i++) {
        struct stage *stage = &schedule->stage[i];
        if (!stage->taken && find_limit(schedule, stage) > stage->rows && (!best || stage->rows < best->rows))
            best = stage;
    }
    return best;
}

/*
 * Read scans until all are finished. A thread waits only while others are reading a scan, so any number of threads,
 * even one, finishes.
 */
static void work(void *arg, uint32_t index)
{
    struct scan_schedule *schedule = arg;
    (void)index;
    pthread_mutex_lock(&schedule->lock);
    while (schedule->left > 0) {
        struct stage *stage = choose(schedule);
        if (!stage) {
            pthread_cond_wait(&schedule->moved, &schedule->lock);
            continue;
        }
        uint32_t rows = find_limit(schedule, stage), before = stage->rows;
        stage->taken = true;
        pthread_mutex_unlock(&schedule->lock);
        kst_jpeg_cpu_scan_read(&schedule->reader[stage - schedule->stage], schedule->target, rows);
        bool goes_on = kst_progress_step(schedule->progress, rows - before);
        pthread_mutex_lock(&schedule->lock);
        stage->taken = false;
        stage->rows = rows;
        schedule->cancelled = schedule->cancelled || !goes_on;
        schedule->left = schedule->cancelled ? 0 : schedule->left - (rows == schedule->rows);
        pthread_cond_broadcast(&schedule->moved);
    }
    pthread_mutex_unlock(&schedule->lock);
}

static kst_status read_on_threads(const struct operation *op, uint32_t threads, struct jpeg_scans *scans)
{
    enum { CHUNKS = 64 };
    const struct jpeg_plan *plan = scans->plan;
    uint32_t rows = plan->frame.mcus_h;
    struct scan_schedule schedule = {.reader = scans->reader,
        .target = &scans->target,
        .progress = op->progress,
        .count = plan->scan_count,
        .rows = rows,
        .chunk = (rows + CHUNKS - 1) / CHUNKS,
        .left = plan->scan_count};
    kst_status status = KST_OK;
    schedule.stage = kst_memory_zeroed(op->memory, plan->scan_count, sizeof *schedule.stage, &status);
    if (status)
        return status;
    find_order(plan, schedule.stage);
    pthread_mutex_init(&schedule.lock, NULL);
    pthread_cond_init(&schedule.moved, NULL);
    kst_pool_run(op->pool, threads, work, &schedule);
    pthread_cond_destroy(&schedule.moved);
    pthread_mutex_destroy(&schedule.lock);
    kst_memory_release(op->memory, schedule.stage);
    return schedule.cancelled ? KST_ERROR_CANCELLED : KST_OK;
}

static uint32_t useful_threads(const struct pool *pool, const struct jpeg_plan *plan)
{
    enum { LEAST_BYTES = 1 << 14 }; /* entropy-coded bytes per thread */
    uint32_t threads = kst_pool_threads(pool);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan->segment_count; i++)
        bytes += plan->segment[i].length;
    if (threads > bytes / LEAST_BYTES)
        threads = (uint32_t)(bytes / LEAST_BYTES);
    if (threads > plan->scan_count)
        threads = plan->scan_count;
    return threads > 1 ? threads : 1;
}

void kst_jpeg_cpu_scans_read_row(struct jpeg_scans *scans, uint32_t row)
{
    for (uint32_t i = 0; i < scans->plan->scan_count; i++)
        kst_jpeg_cpu_scan_read(&scans->reader[i], &scans->target, row + 1);
}

kst_status kst_jpeg_cpu_scans_read(const struct operation *op, struct jpeg_scans *scans)
{
    const struct jpeg_plan *plan = scans->plan;
    uint32_t threads = useful_threads(op->pool, plan);
    if (threads > 1)
        return read_on_threads(op, threads, scans);
    for (uint32_t row = 0; row < plan->frame.mcus_h; row++) {
        kst_jpeg_cpu_scans_read_row(scans, row);
        if (!kst_progress_step(op->progress, plan->scan_count))
            return KST_ERROR_CANCELLED;
    }
    return KST_OK;
}

static kst_status open_readers(const struct operation *op, struct jpeg_scans *scans)
{
    const uint32_t count = scans->plan->scan_count;
    kst_status status = KST_OK;
    scans->reader = kst_memory_array(op->memory, count, sizeof *scans->reader, &status);
    for (; !status && scans->opened < count; scans->opened += !status)
        status =
            kst_jpeg_cpu_scan_open(op->memory, &scans->reader[scans->opened], scans->plan, scans->opened, op->tier);
    return status;
}

static bool is_refined(const struct jpeg_plan *plan, uint32_t component)
{
    for (uint32_t i = 0; i < plan->scan_count; i++) {
        const struct jpeg_scan *scan = &plan->scan[i];
        if (scan->component[0] == component && scan->ss > 0 && scan->ah > 0)
            return true;
    }
    return false;
}

kst_status kst_jpeg_cpu_scans_open(
    const struct operation *op, const struct jpeg_plan *plan, uint32_t mcu_rows, struct jpeg_scans *scans)
{
    *scans = (struct jpeg_scans){.plan = plan};
    kst_status status = open_readers(op, scans);
    for (uint32_t i = 0; i < plan->frame.component_count && !status; i++) {
        const struct jpeg_component *c = &plan->frame.component[i];
        if (is_refined(plan, i))
            scans->target.history[i] =
                kst_memory_zeroed(op->memory, (size_t)c->padded_w * mcu_rows * c->v, sizeof(jpeg_history), &status);
    }
    return status;
}

void kst_jpeg_cpu_scans_close(struct memory *memory, struct jpeg_scans *scans)
{
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        kst_memory_release(memory, scans->target.history[i]);
    for (uint32_t i = 0; i < scans->opened; i++)
        kst_jpeg_cpu_scan_close(memory, &scans->reader[i]);
    kst_memory_release(memory, scans->reader);
}

struct jpeg_damage kst_jpeg_cpu_scans_damage(const struct jpeg_scans *scans)
{
    struct jpeg_damage sum;
    kst_jpeg_cpu_damage_init(&sum);
    for (uint32_t i = 0; i < scans->plan->scan_count; i++)
        kst_jpeg_cpu_damage_add(&sum, &scans->reader[i].cursor.damage);
    return sum;
}

uint64_t kst_jpeg_cpu_scans_left(const struct jpeg_scans *scans)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < scans->plan->scan_count; i++) {
        const struct jpeg_scan_reader *reader = &scans->reader[i];
        sum += reader->cursor.ended ? 0 : kst_jpeg_cpu_cursor_left(&reader->entropy, &reader->cursor);
    }
    return sum;
}
