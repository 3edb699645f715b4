/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tasks of a set of components, which threads take in a fixed order. With several threads the tasks that make
 * the next step's rows stand among those that code a step's blocks, so that whatever a task waits for is nearly always
 * done. A task waits only for tasks before it.
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

static uint32_t first_block(const struct j2k_encode_set *set, uint32_t step)
{
    return step > 0 ? set->step[step - 1].order_end : 0;
}

/*
 * Make a strip of rows. They overwrite rows that the levels of the step before and the blocks of an earlier step
 * needed.
 */
static void run_strip(struct j2k_encode_set *set, uint32_t step, uint32_t strip)
{
    if (step > 0)
        kst_countdown_wait(&set->countdowns, &set->step[step - 1].levels);
    if (step > set->lag)
        kst_countdown_wait(&set->countdowns, &set->step[step - set->lag - 1].blocks);
    if (goes_on(set))
        kst_j2k_cpu_encode_strip(set, step, strip);
    kst_countdown_take(&set->countdowns, &set->step[step].strips);
}

static void run_levels(struct j2k_encode_set *set, uint32_t step, uint32_t component)
{
    kst_countdown_wait(&set->countdowns, &set->step[step].strips);
    if (goes_on(set))
        kst_j2k_cpu_encode_levels(set, step, component);
    kst_countdown_take(&set->countdowns, &set->step[step].levels);
}

static void run_block(struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t step, uint32_t index)
{
    kst_countdown_wait(&set->countdowns, &set->step[step].levels);
    if (goes_on(set))
        kst_j2k_cpu_encode_one(set, worker, first_block(set, step) + index);
    kst_countdown_take(&set->countdowns, &set->step[step].blocks);
}

/* Holds the numbers of tasks of turn k: the blocks of step k − 1, and among them the rows of step k. */
struct step_turn {
    uint32_t blocks, strips, levels;
    uint32_t blocks_first, blocks_second; /* blocks before the strips; blocks between them and the levels */
};

static struct step_turn turn_of(const struct j2k_encode_set *set, uint32_t k)
{
    struct step_turn turn = {.blocks = k > 0 ? set->step[k - 1].order_end - first_block(set, k - 1) : 0};
    if (k < set->step_count && !set->made) {
        turn.strips = set->strips;
        turn.levels = set->count;
    }
    turn.blocks_first = set->lag > 0 ? turn.blocks / 4 : turn.blocks;
    turn.blocks_second = set->lag > 0 ? turn.blocks / 4 : 0;
    return turn;
}

static void run_task(struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t k, uint32_t index)
{
    struct step_turn turn = turn_of(set, k);
    uint32_t strips = turn.blocks_first, more = strips + turn.strips, levels = more + turn.blocks_second;
    if (index < strips)
        run_block(set, worker, k - 1, index);
    else if (index < more)
        run_strip(set, k, index - strips);
    else if (index < levels)
        run_block(set, worker, k - 1, index - turn.strips);
    else if (index < levels + turn.levels)
        run_levels(set, k, index - levels);
    else
        run_block(set, worker, k - 1, index - turn.strips - turn.levels);
}

/* A thread finishes every task that it has taken, even after a failure, because others may wait for it. */
static void run_worker(void *argument, uint32_t index)
{
    (void)index;
    struct encode_run *run = argument;
    struct j2k_encode_set *set = run->set;
    struct j2k_encode_worker *worker = kst_j2k_cpu_encode_worker_take(set->tile->encoding);
    uint32_t k = 0, task;
    while (worker && j2k_tasks_take(&run->tasks, &k, &task))
        run_task(set, worker, k, task);
    if (worker)
        kst_j2k_cpu_encode_worker_put(set->tile->encoding, worker);
}

static void count_tasks(struct encode_run *run)
{
    struct j2k_encode_set *set = run->set;
    uint32_t total = 0;
    for (uint32_t k = 0; k < run->tasks.turns; k++) {
        struct step_turn turn = turn_of(set, k);
        if (k > 0)
            atomic_init(&set->step[k - 1].blocks, turn.blocks);
        if (k < set->step_count) {
            atomic_init(&set->step[k].strips, turn.strips);
            atomic_init(&set->step[k].levels, turn.levels);
        }
        run->tasks.end[k] = total += turn.blocks + turn.strips + turn.levels;
    }
}

static void run_steps(struct j2k_encode_set *set)
{
    struct encode_run run = {.set = set, .tasks.turns = set->step_count + 1U};
    struct j2k_encoding *encoding = set->tile->encoding;
    run.tasks.end = kst_j2k_encode_take(encoding, run.tasks.turns, sizeof *run.tasks.end);
    atomic_init(&run.tasks.next, 0);
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
