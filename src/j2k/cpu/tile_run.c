/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a group of components, which threads take in a fixed order: the blocks of each step, and its rows
 * one step later, so that threads that come early for rows had blocks to decode. A task waits only for tasks before it.
 */
#include "j2k/cpu/tasks.h"
#include "j2k/cpu/tile.h"

struct run {
    struct j2k_group *group;
    struct j2k_tasks tasks; /* a turn for each step of blocks, and `lag` more turns */
};

static uint32_t first_block(const struct j2k_group *group, uint32_t step)
{
    return step > 0 ? group->step[step - 1].order_end : 0;
}

/* Clear the coefficients of a step, in place of rows that are no longer used. */
static void run_clear(struct j2k_group *group, uint32_t step)
{
    if (step > 0)
        kst_countdown_wait(
            &group->countdowns, &group->step[step - 1].clears); /* it waited for the strips before step − lag − 1 */
    if (step > group->lag)
        kst_countdown_wait(&group->countdowns, &group->step[step - group->lag - 1].strips);
    if (kst_j2k_goes_on(group->decoding))
        kst_j2k_clear(group, step);
    kst_countdown_take(&group->countdowns, &group->step[step].clears);
}

static void run_block(struct j2k_group *group, struct j2k_worker *worker, uint32_t step, uint32_t index)
{
    kst_countdown_wait(&group->countdowns, &group->step[step].clears);
    if (kst_j2k_goes_on(group->decoding))
        kst_j2k_decode_one(group, worker, first_block(group, step) + index);
    kst_countdown_take(&group->countdowns, &group->step[step].blocks);
}

static void run_levels(struct j2k_group *group, struct j2k_worker *worker, uint32_t step, uint32_t component)
{
    kst_countdown_wait(&group->countdowns, &group->step[step].clears);
    kst_countdown_wait(&group->countdowns, &group->step[step].blocks);
    if (step > 0)
        kst_countdown_wait(&group->countdowns, &group->step[step - 1].levels);
    if (kst_j2k_goes_on(group->decoding))
        kst_j2k_make_levels(group, worker, component, step);
    kst_countdown_take(&group->countdowns, &group->step[step].levels);
}

static void run_strip(struct j2k_group *group, struct j2k_worker *worker, uint32_t step, uint32_t strip)
{
    kst_countdown_wait(&group->countdowns, &group->step[step].levels);
    if (kst_j2k_goes_on(group->decoding))
        kst_j2k_put_out(group, worker, step, strip);
    kst_countdown_take(&group->countdowns, &group->step[step].strips);
}

/* Run task `index` of turn k: the blocks of step k, then the rows of step k − lag. */
static void run_task(struct j2k_group *group, struct j2k_worker *worker, uint32_t k, uint32_t index)
{
    if (k < group->step_count) {
        uint32_t blocks = group->step[k].order_end - first_block(group, k);
        if (index == 0) {
            run_clear(group, k);
            return;
        }
        if (index <= blocks) {
            run_block(group, worker, k, index - 1);
            return;
        }
        index -= blocks + 1;
    }
    if (index < group->count)
        run_levels(group, worker, k - group->lag, index);
    else
        run_strip(group, worker, k - group->lag, index - group->count);
}

size_t kst_j2k_worker_room(const struct j2k_group *group)
{
    size_t most = kst_j2k_strip_room(group);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct j2k_decoded_component *c = &group->component[i];
        size_t room = kst_j2k_synthesis_room((uint32_t)j2k_width(c->resolution[c->tc->resolution_count - 1].computed));
        most = room > most ? room : most;
    }
    return most;
}

/* A thread finishes every task that it has taken, even after a failure, because others may wait for it. */
static void run_worker(void *argument, uint32_t index)
{
    (void)index;
    struct run *run = argument;
    struct j2k_group *group = run->group;
    struct j2k_worker *worker = kst_j2k_worker_take(group->decoding, kst_j2k_worker_room(group));
    uint32_t k = 0, task;
    while (worker && j2k_tasks_take(&run->tasks, &k, &task))
        run_task(group, worker, k, task);
    if (worker)
        kst_j2k_worker_put(group->decoding, worker);
}

/* Count the tasks of each turn and step. */
static void count_tasks(struct run *run)
{
    struct j2k_group *group = run->group;
    uint32_t total = 0;
    for (uint32_t k = 0; k < run->tasks.turns; k++) {
        if (k < group->step_count) {
            struct j2k_step *step = &group->step[k];
            uint32_t blocks = step->order_end - first_block(group, k);
            atomic_init(&step->clears, 1);
            atomic_init(&step->blocks, blocks);
            atomic_init(&step->levels, group->count);
            atomic_init(&step->strips, kst_j2k_strips(group, k));
            total += 1 + blocks;
        }
        if (k >= group->lag)
            total += group->count + kst_j2k_strips(group, k - group->lag);
        run->tasks.end[k] = total;
    }
}

static void run_steps(struct j2k_group *group)
{
    struct run run = {.group = group, .tasks.turns = group->step_count + group->lag};
    uint32_t threads = kst_pool_threads(group->decoding->pool);
    run.tasks.end = kst_j2k_take(group->decoding, run.tasks.turns, sizeof *run.tasks.end, false);
    atomic_init(&run.tasks.next, 0);
    if (run.tasks.end) {
        count_tasks(&run);
        kst_pool_run(group->decoding->pool, threads, run_worker, &run);
    }
    kst_memory_release(group->decoding->memory, run.tasks.end);
}

void kst_j2k_run_group(struct j2k_group *group)
{
    kst_countdowns_init(&group->countdowns);
    if (kst_j2k_group_begin(group))
        run_steps(group);
    kst_countdowns_end(&group->countdowns);
    kst_j2k_group_end(group);
}
