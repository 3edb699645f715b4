/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a set of components, which threads take in a fixed order: the blocks of each step, and its rows one
 * step later, so that threads decode blocks instead of waiting for rows. A task waits only for tasks before it.
 */
#include "j2k/cpu/tasks.h"
#include "j2k/cpu/tile.h"

struct tile_run {
    struct j2k_decode_set *set;
    struct j2k_tasks tasks; /* a turn for each step of blocks, and `lag` more turns */
};

static uint32_t first_block(const struct j2k_decode_set *set, uint32_t step)
{
    return step > 0 ? set->step[step - 1].order_end : 0;
}

/* Clear the coefficients of a step, in place of rows that are no longer used. */
static void run_clear(struct j2k_decode_set *set, uint32_t step)
{
    if (step > 0)
        kst_countdown_wait(
            &set->countdowns, &set->step[step - 1].clears); /* it waited for the strips before step − lag − 1 */
    if (step > set->lag)
        kst_countdown_wait(&set->countdowns, &set->step[step - set->lag - 1].strips);
    if (kst_j2k_cpu_goes_on(set->decoding))
        kst_j2k_cpu_clear(set, step);
    kst_countdown_take(&set->countdowns, &set->step[step].clears);
}

static void run_block(struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t step, uint32_t index)
{
    kst_countdown_wait(&set->countdowns, &set->step[step].clears);
    if (kst_j2k_cpu_goes_on(set->decoding))
        kst_j2k_cpu_decode_one(set, worker, first_block(set, step) + index);
    kst_countdown_take(&set->countdowns, &set->step[step].blocks);
}

static void run_levels(struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t step, uint32_t component)
{
    kst_countdown_wait(&set->countdowns, &set->step[step].clears);
    kst_countdown_wait(&set->countdowns, &set->step[step].blocks);
    if (step > 0)
        kst_countdown_wait(&set->countdowns, &set->step[step - 1].levels);
    if (kst_j2k_cpu_goes_on(set->decoding))
        kst_j2k_cpu_make_levels(set, worker, component, step);
    kst_countdown_take(&set->countdowns, &set->step[step].levels);
}

static void run_strip(struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t step, uint32_t strip)
{
    kst_countdown_wait(&set->countdowns, &set->step[step].levels);
    if (kst_j2k_cpu_goes_on(set->decoding))
        kst_j2k_cpu_put_out(set, worker, step, strip);
    if (set->decoding->rows)
        kst_j2k_cpu_pass_strip(set, step, strip);
    kst_countdown_take(&set->countdowns, &set->step[step].strips);
}

/* Run task `index` of turn k: the blocks of step k, then the rows of step k − lag. */
static void run_task(struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t k, uint32_t index)
{
    if (k < set->step_count) {
        uint32_t blocks = set->step[k].order_end - first_block(set, k);
        if (index == 0) {
            run_clear(set, k);
            return;
        }
        if (index <= blocks) {
            run_block(set, worker, k, index - 1);
            return;
        }
        index -= blocks + 1;
    }
    if (index < set->count)
        run_levels(set, worker, k - set->lag, index);
    else
        run_strip(set, worker, k - set->lag, index - set->count);
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
    (void)index;
    struct tile_run *run = argument;
    struct j2k_decode_set *set = run->set;
    struct j2k_worker *worker = kst_j2k_cpu_worker_take(set->decoding, kst_j2k_cpu_worker_room(set));
    uint32_t k = 0, task;
    while (worker && j2k_tasks_take(&run->tasks, &k, &task))
        run_task(set, worker, k, task);
    if (worker)
        kst_j2k_cpu_worker_put(set->decoding, worker);
}

/* Count the tasks of each turn and step. */
static void count_tasks(struct tile_run *run)
{
    struct j2k_decode_set *set = run->set;
    uint32_t total = 0;
    for (uint32_t k = 0; k < run->tasks.turns; k++) {
        if (k < set->step_count) {
            struct j2k_step *step = &set->step[k];
            uint32_t blocks = step->order_end - first_block(set, k);
            atomic_init(&step->clears, 1);
            atomic_init(&step->blocks, blocks);
            atomic_init(&step->levels, set->count);
            atomic_init(&step->strips, kst_j2k_cpu_strips(set, k));
            total += 1 + blocks;
        }
        if (k >= set->lag)
            total += set->count + kst_j2k_cpu_strips(set, k - set->lag);
        run->tasks.end[k] = total;
    }
}

static void run_steps(struct j2k_decode_set *set)
{
    struct tile_run run = {.set = set, .tasks.turns = set->step_count + set->lag};
    uint32_t threads = kst_pool_threads(set->decoding->pool);
    run.tasks.end = kst_j2k_cpu_take(set->decoding, run.tasks.turns, sizeof *run.tasks.end, false);
    atomic_init(&run.tasks.next, 0);
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
