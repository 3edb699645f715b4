/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a group of components, which threads take in a fixed order. With several threads the next step's
 * rows are placed in the midst of the blocks of a step, so that whatever a task waits for is nearly always done. A task
 * waits only for tasks before it.
 */
#include <string.h>

#include "j2k/cpu/blocks/coding_group.h"
#include "j2k/cpu/tasks.h"
#include "j2k/syntax/geometry.h"

struct run {
    struct j2k_coding_group *group;
    struct j2k_tasks tasks; /* turn k: the blocks of step k − 1 and the rows of step k */
};

static bool goes_on(const struct j2k_coding_group *group)
{
    return kst_j2k_encode_goes_on(group->tile->job);
}

static uint32_t first_block(const struct j2k_coding_group *group, uint32_t step)
{
    return step > 0 ? group->step[step - 1].order_end : 0;
}

/*
 * Make a strip of rows. They overwrite rows that the levels of the step before and the blocks of an earlier step
 * needed.
 */
static void run_strip(struct j2k_coding_group *group, uint32_t step, uint32_t strip)
{
    if (step > 0)
        kst_countdown_wait(&group->countdowns, &group->step[step - 1].levels);
    if (step > group->lag)
        kst_countdown_wait(&group->countdowns, &group->step[step - group->lag - 1].blocks);
    if (goes_on(group))
        kst_j2k_encode_strip(group, step, strip);
    kst_countdown_take(&group->countdowns, &group->step[step].strips);
}

static void run_levels(struct j2k_coding_group *group, uint32_t step, uint32_t component)
{
    kst_countdown_wait(&group->countdowns, &group->step[step].strips);
    if (goes_on(group))
        kst_j2k_encode_levels(group, step, component);
    kst_countdown_take(&group->countdowns, &group->step[step].levels);
}

static void run_block(struct j2k_coding_group *group, struct j2k_encode_worker *worker, uint32_t step, uint32_t index)
{
    kst_countdown_wait(&group->countdowns, &group->step[step].levels);
    if (goes_on(group))
        kst_j2k_encode_one(group, worker, group->order[first_block(group, step) + index]);
    kst_countdown_take(&group->countdowns, &group->step[step].blocks);
}

/* The tasks of turn k: the blocks of step k − 1, and among them the rows of step k. */
struct turn {
    uint32_t blocks, strips, levels;
    uint32_t blocks_first, blocks_second; /* blocks before the strips; blocks between them and the levels */
};

static struct turn turn_of(const struct j2k_coding_group *group, uint32_t k)
{
    struct turn turn = {.blocks = k > 0 ? group->step[k - 1].order_end - first_block(group, k - 1) : 0};
    if (k < group->step_count) {
        turn.strips = group->strips;
        turn.levels = group->count;
    }
    turn.blocks_first = group->lag > 0 ? turn.blocks / 4 : turn.blocks;
    turn.blocks_second = group->lag > 0 ? turn.blocks / 4 : 0;
    return turn;
}

static void run_task(struct j2k_coding_group *group, struct j2k_encode_worker *worker, uint32_t k, uint32_t index)
{
    struct turn turn = turn_of(group, k);
    uint32_t strips = turn.blocks_first, more = strips + turn.strips, levels = more + turn.blocks_second;
    if (index < strips)
        run_block(group, worker, k - 1, index);
    else if (index < more)
        run_strip(group, k, index - strips);
    else if (index < levels)
        run_block(group, worker, k - 1, index - turn.strips);
    else if (index < levels + turn.levels)
        run_levels(group, k, index - levels);
    else
        run_block(group, worker, k - 1, index - turn.strips - turn.levels);
}

/* A thread finishes every task that it has taken, even after a failure, because others may wait for it. */
static void run_worker(void *argument, uint32_t index)
{
    (void)index;
    struct run *run = argument;
    struct j2k_coding_group *group = run->group;
    struct j2k_encode_worker *worker = kst_j2k_encode_worker_take(group->tile->job);
    uint32_t k = 0, task;
    while (worker && j2k_tasks_take(&run->tasks, &k, &task))
        run_task(group, worker, k, task);
    if (worker)
        kst_j2k_encode_worker_put(group->tile->job, worker);
}

static void count_tasks(struct run *run)
{
    struct j2k_coding_group *group = run->group;
    uint32_t total = 0;
    for (uint32_t k = 0; k < run->tasks.turns; k++) {
        struct turn turn = turn_of(group, k);
        if (k > 0)
            atomic_init(&group->step[k - 1].blocks, turn.blocks);
        if (k < group->step_count) {
            atomic_init(&group->step[k].strips, turn.strips);
            atomic_init(&group->step[k].levels, turn.levels);
        }
        run->tasks.end[k] = total += turn.blocks + turn.strips + turn.levels;
    }
}

static void run_steps(struct j2k_coding_group *group)
{
    struct run run = {.group = group, .tasks.turns = group->step_count + 1U};
    struct j2k_encode_job *job = group->tile->job;
    run.tasks.end = kst_j2k_encode_take(job, run.tasks.turns, sizeof *run.tasks.end);
    atomic_init(&run.tasks.next, 0);
    if (run.tasks.end) {
        count_tasks(&run);
        kst_pool_run(job->pool, kst_pool_threads(job->pool), run_worker, &run);
    }
    kst_memory_release(job->memory, run.tasks.end);
}

/* Returns null if there is nothing to do or memory is missing. */
static struct j2k_coding_group *make_group(
    struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice)
{
    const struct j2k_tile_component *tc = &tile->plan->tile_component[tile->part->first_component + first];
    if (tc->resolution_count == 0 || j2k_is_empty(tc->rect))
        return NULL;
    struct j2k_coding_group *group = kst_j2k_encode_take(tile->job, 1, sizeof *group);
    if (!group)
        return NULL;
    memset(group, 0, sizeof *group);
    group->tile = tile;
    group->choice = choice;
    group->first = first;
    group->count = count;
    return group;
}

static void drop_group(struct j2k_coding_group *group)
{
    struct memory *memory = group->tile->job->memory;
    kst_j2k_coding_group_end(group);
    kst_memory_release(memory, group);
}

uint64_t kst_j2k_coding_group_need(struct j2k_encode_tile *tile, uint32_t first, uint32_t count)
{
    struct j2k_coding_group *group = make_group(tile, first, count, J2K_ALL_BLOCKS);
    uint64_t bytes = group ? kst_j2k_coding_group_measure(group) : 0;
    if (group)
        drop_group(group);
    return bytes;
}

void kst_j2k_coding_group_run(struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice)
{
    struct j2k_coding_group *group = make_group(tile, first, count, choice);
    if (!group)
        return;
    kst_countdowns_init(&group->countdowns);
    if (kst_j2k_coding_group_begin(group))
        run_steps(group);
    kst_countdowns_end(&group->countdowns);
    drop_group(group);
}
