/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a set of components: in each lane the blocks of each step, and its rows one step later, so that
 * threads decode blocks instead of waiting for rows.
 */
#include "j2k/cpu/tasks.h"
#include "j2k/cpu/tile.h"

enum tile_task { CLEAR, BLOCK, LEVELS, STRIP };

/* Describes a task: a block's place in the order, a component of a lane, or a strip of it. */
struct tile_work {
    enum tile_task kind;
    uint32_t step, lane, index;
};

struct tile_run {
    struct j2k_decode_set *set;
    struct j2k_tasks tasks; /* a turn for each step of blocks, and `lag` more turns */
};

static uint32_t first_block(const struct j2k_decode_set *set, uint32_t place)
{
    return place > 0 ? set->order_end[place - 1] : 0;
}

static uint32_t count_blocks(const struct j2k_decode_set *set, uint32_t step, uint32_t lane)
{
    const uint32_t place = step * set->lanes.count + lane;
    return set->order_end[place] - first_block(set, place);
}

/* Find what a task of a lane does in turn k: it is for step k, or, if it makes rows, for step k − lag. */
static struct tile_work find_work(const struct j2k_decode_set *set, const struct j2k_task *task)
{
    struct tile_work work = {.kind = CLEAR, .step = task->turn, .lane = task->lane, .index = task->index};
    if (task->turn < set->step_count) {
        const uint32_t blocks = count_blocks(set, task->turn, task->lane);
        if (work.index == 0)
            return work;
        work.kind = BLOCK;
        work.index += first_block(set, task->turn * set->lanes.count + task->lane) - 1;
        if (task->index <= blocks)
            return work;
        work.index = task->index - blocks - 1;
    }
    work.kind = work.index < set->count ? LEVELS : STRIP;
    work.index -= work.kind == STRIP ? set->count : 0;
    work.step -= set->lag;
    return work;
}

/* Return whether the rows that the coefficients of a step take the place of are no longer used. */
static bool may_clear(const struct j2k_decode_set *set, uint32_t step)
{
    return (step == 0 || kst_countdown_is_done(&set->step[step - 1].clears)) &&
           (step <= set->lag || kst_countdown_is_done(&set->step[step - set->lag - 1].strips));
}

static bool is_ready(const void *owner, const struct j2k_task *task)
{
    const struct j2k_decode_set *set = owner;
    const struct tile_work work = find_work(set, task);
    const struct j2k_step *step = &set->step[work.step];
    switch (work.kind) {
    case CLEAR:
        return may_clear(set, work.step);
    case BLOCK:
        return kst_countdown_is_done(&step->clears);
    case LEVELS:
        return kst_countdown_is_done(&step->clears) && kst_countdown_is_done(&step->blocks) &&
               (work.step == 0 || kst_countdown_is_done(&set->step[work.step - 1].levels[work.lane]));
    default:
        return kst_countdown_is_done(&step->levels[work.lane]);
    }
}

static void run_task(struct j2k_decode_set *set, struct j2k_worker *worker, const struct tile_work *work)
{
    const bool goes_on = kst_j2k_cpu_goes_on(set->decoding);
    struct j2k_step *step = &set->step[work->step];
    if (work->kind == CLEAR) {
        if (goes_on)
            kst_j2k_cpu_clear(set, work->step, work->lane);
        kst_countdown_take(&set->countdowns, &step->clears);
    } else if (work->kind == BLOCK) {
        if (goes_on)
            kst_j2k_cpu_decode_one(set, worker, work->index);
        kst_countdown_take(&set->countdowns, &step->blocks);
    } else if (work->kind == LEVELS) {
        if (goes_on)
            kst_j2k_cpu_make_levels(set, worker, work->index, work->step, work->lane);
        kst_countdown_take(&set->countdowns, &step->levels[work->lane]);
    } else {
        if (goes_on)
            kst_j2k_cpu_put_out(set, worker, work->step, work->lane, work->index);
        if (set->decoding->rows)
            kst_j2k_cpu_pass_strip(set, work->step, work->index);
        kst_countdown_take(&set->countdowns, &step->strips);
    }
}

size_t kst_j2k_cpu_worker_room(const struct j2k_decode_set *set)
{
    size_t most = kst_j2k_cpu_strip_room(set);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct j2k_decoded_component *c = &set->component[i];
        size_t room =
            kst_j2k_cpu_synthesis_room((uint32_t)j2k_width(c->resolution[c->tc->resolution_count - 1].computed));
        most = room > most ? room : most;
    }
    return most;
}

/* A thread finishes every task that it has taken, even after a failure, because others may wait for it. */
static void run_worker(void *argument, uint32_t index)
{
    struct tile_run *run = argument;
    struct j2k_decode_set *set = run->set;
    struct j2k_worker *worker = kst_j2k_cpu_worker_take(set->decoding, kst_j2k_cpu_worker_room(set));
    struct j2k_task task;
    while (worker && kst_j2k_cpu_tasks_take(&run->tasks, index % set->lanes.count, &task)) {
        const struct tile_work work = find_work(set, &task);
        run_task(set, worker, &work);
    }
    if (worker)
        kst_j2k_cpu_worker_put(set->decoding, worker);
}

/* Return the number of tasks of turn k in a lane. */
static uint32_t count_turn(const struct j2k_decode_set *set, uint32_t k, uint32_t lane)
{
    uint32_t count = k < set->step_count ? 1 + count_blocks(set, k, lane) : 0;
    return k < set->lag ? count : count + set->count + kst_j2k_cpu_strips(set, k - set->lag);
}

/* Count the tasks of each turn and step. */
static void count_tasks(struct tile_run *run)
{
    struct j2k_decode_set *set = run->set;
    struct j2k_tasks *tasks = &run->tasks;
    const uint32_t lanes = set->lanes.count;
    for (uint32_t k = 0; k < set->step_count; k++) {
        struct j2k_step *step = &set->step[k];
        atomic_init(&step->clears, lanes);
        atomic_init(&step->blocks, set->order_end[(k + 1) * lanes - 1] - first_block(set, k * lanes));
        for (uint32_t lane = 0; lane < lanes; lane++)
            atomic_init(&step->levels[lane], set->count);
        atomic_init(&step->strips, lanes * kst_j2k_cpu_strips(set, k));
    }
    for (uint32_t i = 0; i < lanes * tasks->turns; i++)
        tasks->end[i] = count_turn(set, i % tasks->turns, i / tasks->turns);
    kst_j2k_cpu_tasks_begin(tasks);
}

static void run_steps(struct j2k_decode_set *set)
{
    struct tile_run run = {.set = set,
        .tasks = {.lanes = set->lanes.count,
            .turns = set->step_count + set->lag,
            .countdowns = &set->countdowns,
            .ready = is_ready,
            .owner = set}};
    uint32_t threads = kst_pool_threads(set->decoding->pool);
    run.tasks.end =
        kst_j2k_cpu_take(set->decoding, (size_t)run.tasks.turns * run.tasks.lanes, sizeof *run.tasks.end, false);
    if (run.tasks.end) {
        count_tasks(&run);
        kst_pool_run(set->decoding->pool, threads, run_worker, &run);
    }
    kst_memory_release(set->decoding->memory, run.tasks.end);
}

void kst_j2k_cpu_decode_set_run(struct j2k_decode_set *set)
{
    kst_countdowns_init(&set->countdowns);
    if (kst_j2k_cpu_decode_set_begin(set))
        run_steps(set);
    kst_countdowns_end(&set->countdowns);
    kst_j2k_cpu_decode_set_end(set);
}
