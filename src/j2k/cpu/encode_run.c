/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a set of components. With several threads the tasks that make the next step's rows stand among
 * those that code a step's blocks, so that whatever a task waits for is nearly always done.
 */
#include <string.h>

#include "j2k/cpu/blocks/encode_set.h"
#include "j2k/cpu/tasks.h"
#include "j2k/syntax/geometry.h"

struct encode_run {
    struct j2k_encode_set *set;
    struct j2k_tasks tasks; /* turn k: the blocks of step k − 1 and the rows of step k */
};

static bool goes_on(const struct j2k_encode_set *set)
{
    return kst_j2k_encode_goes_on(set->tile->encoding);
}

static uint32_t first_block(const struct j2k_encode_set *set, uint32_t place)
{
    return place > 0 ? set->order_end[place - 1] : 0;
}

enum encode_task { BLOCK, STRIP, LEVELS };

/* Describes a task: a block's place in the order, a strip of a lane, or a component. */
struct encode_work {
    enum encode_task kind;
    uint32_t step, lane, index;
};

/* Holds the numbers of a lane's tasks of turn k: the blocks of step k − 1, and among them the rows of step k. */
struct step_turn {
    uint32_t blocks, strips, levels;
    uint32_t blocks_first, blocks_second; /* blocks before the strips; blocks between them and the levels */
};

static bool has_levels(const struct j2k_encode_set *set, uint32_t component, uint32_t step, uint32_t lane)
{
    return j2k_lane_of_component(&set->lanes, component, set->count, step) == lane;
}

static uint32_t count_blocks(const struct j2k_encode_set *set, uint32_t step, uint32_t lane)
{
    const uint32_t place = step * set->lanes.count + lane;
    return set->order_end[place] - first_block(set, place);
}

static struct step_turn turn_of(const struct j2k_encode_set *set, uint32_t k, uint32_t lane)
{
    struct step_turn turn = {.blocks = k > 0 ? count_blocks(set, k - 1, lane) : 0};
    if (k < set->step_count && !set->made) {
        turn.strips = set->strips;
        for (uint32_t i = 0; i < set->count; i++)
            turn.levels += has_levels(set, i, k, lane);
    }
    turn.blocks_first = set->lag > 0 ? turn.blocks / 4 : turn.blocks;
    turn.blocks_second = set->lag > 0 ? turn.blocks / 2 : 0;
    return turn;
}

static struct encode_work block_work(const struct j2k_encode_set *set, const struct j2k_task *task, uint32_t index)
{
    const uint32_t step = task->turn - 1;
    return (struct encode_work){
        BLOCK, step, task->lane, first_block(set, step * set->lanes.count + task->lane) + index};
}

/* Return the component of a lane's task of a step's levels. */
static uint32_t find_component(const struct j2k_encode_set *set, const struct j2k_task *task, uint32_t index)
{
    uint32_t i = 0;
    while (!has_levels(set, i, task->turn, task->lane) || index-- > 0)
        i++;
    return i;
}

static struct encode_work find_work(const struct j2k_encode_set *set, const struct j2k_task *task)
{
    const struct step_turn turn = turn_of(set, task->turn, task->lane);
    const uint32_t index = task->index, strips = turn.blocks_first, more = strips + turn.strips;
    const uint32_t levels = more + turn.blocks_second;
    if (index < strips)
        return block_work(set, task, index);
    if (index < more)
        return (struct encode_work){STRIP, task->turn, task->lane, index - strips};
    if (index < levels)
        return block_work(set, task, index - turn.strips);
    if (index < levels + turn.levels)
        return (struct encode_work){LEVELS, task->turn, task->lane, find_component(set, task, index - levels)};
    return block_work(set, task, index - turn.strips - turn.levels);
}

/*
 * Return whether a task's dependencies are done. A strip overwrites rows that the levels of the step before and the
 * blocks of an earlier step needed.
 */
static bool is_ready(const void *owner, const struct j2k_task *task)
{
    const struct j2k_encode_set *set = owner;
    const struct encode_work work = find_work(set, task);
    const uint32_t step = work.step;
    if (work.kind == BLOCK)
        return kst_countdown_is_done(&set->step[step].levels);
    if (work.kind == LEVELS)
        return kst_countdown_is_done(&set->step[step].strips);
    return (step == 0 || kst_countdown_is_done(&set->step[step - 1].levels)) &&
           (step <= set->lag || kst_countdown_is_done(&set->step[step - set->lag - 1].blocks));
}

static void run_task(struct j2k_encode_set *set, struct j2k_encode_worker *worker, const struct encode_work *work)
{
    struct j2k_encode_step *step = &set->step[work->step];
    if (work->kind == STRIP) {
        if (goes_on(set))
            kst_j2k_cpu_encode_strip(set, work->step, work->lane, work->index);
        kst_countdown_take(&set->countdowns, &step->strips);
    } else if (work->kind == LEVELS) {
        if (goes_on(set))
            kst_j2k_cpu_encode_levels(set, work->step, work->index);
        kst_countdown_take(&set->countdowns, &step->levels);
    } else {
        if (goes_on(set))
            kst_j2k_cpu_encode_one(set, worker, work->index);
        kst_countdown_take(&set->countdowns, &step->blocks);
    }
}

/* A thread finishes every task that it has taken, even after a failure, because others may wait for it. */
static void run_worker(void *argument, uint32_t index)
{
    struct encode_run *run = argument;
    struct j2k_encode_set *set = run->set;
    struct j2k_encode_worker *worker = kst_j2k_cpu_encode_worker_take(set->tile->encoding);
    struct j2k_task task;
    while (worker && kst_j2k_cpu_tasks_take(&run->tasks, index % set->lanes.count, &task)) {
        const struct encode_work work = find_work(set, &task);
        run_task(set, worker, &work);
    }
    if (worker)
        kst_j2k_cpu_encode_worker_put(set->tile->encoding, worker);
}

static void count_tasks(struct encode_run *run)
{
    struct j2k_encode_set *set = run->set;
    const uint32_t lanes = set->lanes.count;
    for (uint32_t k = 0; k < set->step_count; k++) {
        atomic_init(&set->step[k].blocks, set->order_end[(k + 1) * lanes - 1] - first_block(set, k * lanes));
        atomic_init(&set->step[k].strips, set->made ? 0 : lanes * set->strips);
        atomic_init(&set->step[k].levels, set->made ? 0 : set->count);
    }
    for (uint32_t i = 0; i < lanes * run->tasks.turns; i++) {
        const struct step_turn turn = turn_of(set, i % run->tasks.turns, i / run->tasks.turns);
        run->tasks.end[i] = turn.blocks + turn.strips + turn.levels;
    }
    kst_j2k_cpu_tasks_begin(&run->tasks);
}

static void run_steps(struct j2k_encode_set *set)
{
    struct encode_run run = {.set = set,
        .tasks = {.lanes = set->lanes.count,
            .turns = set->step_count + 1U,
            .countdowns = &set->countdowns,
            .ready = is_ready,
            .owner = set}};
    struct j2k_encoding *encoding = set->tile->encoding;
    run.tasks.end = kst_j2k_encode_take(encoding, (size_t)run.tasks.turns * run.tasks.lanes, sizeof *run.tasks.end);
    if (run.tasks.end) {
        count_tasks(&run);
        kst_pool_run(encoding->pool, encoding->workers, run_worker, &run);
    }
    kst_memory_release(encoding->memory, run.tasks.end);
}

/* Return a set, or null if there is nothing to do or memory is missing. */
static struct j2k_encode_set *make_set(
    struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice)
{
    const struct j2k_tile_component *tc = &tile->plan->tile_component[tile->part->first_component + first];
    if (tc->resolution_count == 0 || j2k_is_empty(tc->rect))
        return NULL;
    struct j2k_encode_set *set = kst_j2k_encode_take(tile->encoding, 1, sizeof *set);
    if (!set)
        return NULL;
    memset(set, 0, sizeof *set);
    set->tile = tile;
    set->choice = choice;
    set->first = first;
    set->count = count;
    return set;
}

static void drop_set(struct j2k_encode_set *set)
{
    struct memory *memory = set->tile->encoding->memory;
    kst_j2k_cpu_encode_set_end(set, memory);
    kst_memory_release(memory, set);
}

uint64_t kst_j2k_cpu_encode_set_need(struct j2k_encode_tile *tile, uint32_t first, uint32_t count)
{
    struct j2k_encode_set *set = make_set(tile, first, count, J2K_ALL_BLOCKS);
    uint64_t bytes = set ? kst_j2k_cpu_encode_set_measure(set) : 0;
    if (set)
        drop_set(set);
    return bytes;
}

void kst_j2k_cpu_encode_set_run(struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice)
{
    struct j2k_encode_set **kept = choice == J2K_ALL_BLOCKS ? kst_j2k_cpu_kept_set(tile, first) : NULL;
    struct j2k_encode_set *set = kept && *kept ? *kept : make_set(tile, first, count, choice);
    if (!set)
        return;
    set->tile = tile;
    set->keeps = kept;
    kst_countdowns_init(&set->countdowns);
    if (set->made || kst_j2k_cpu_encode_set_begin(set))
        run_steps(set);
    kst_countdowns_end(&set->countdowns);
    set->made = kept && goes_on(set);
    if (kept)
        *kept = set->made ? set : NULL;
    if (!set->made)
        drop_set(set);
}
