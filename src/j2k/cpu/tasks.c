/* SPDX-License-Identifier: BSD-2-Clause */
/* Hands out the tasks of lanes to threads. */
#include "j2k/cpu/tasks.h"

enum taken { TAKEN, NONE_READY, NONE_LEFT };

void kst_j2k_cpu_tasks_begin(struct j2k_tasks *tasks)
{
    for (uint32_t lane = 0; lane < tasks->lanes; lane++) {
        uint32_t *end = tasks->end + (size_t)lane * tasks->turns;
        for (uint32_t turn = 1; turn < tasks->turns; turn++)
            end[turn] += end[turn - 1];
        atomic_init(&tasks->next[lane].task, 0);
    }
}

/* Return the task of a number in its lane. */
static struct j2k_task find(const struct j2k_tasks *tasks, uint32_t lane, uint32_t number)
{
    const uint32_t *end = tasks->end + (size_t)lane * tasks->turns;
    uint32_t low = 0, high = tasks->turns - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (end[middle] > number)
            high = middle;
        else
            low = middle + 1;
    }
    return (struct j2k_task){lane, low, low > 0 ? number - end[low - 1] : number};
}

/* Take the next task of a lane, if there is one. */
static enum taken take_of(struct j2k_tasks *tasks, uint32_t lane, struct j2k_task *task)
{
    const uint32_t total = tasks->end[(size_t)(lane + 1) * tasks->turns - 1];
    uint32_t number = atomic_load(&tasks->next[lane].task);
    while (number < total) {
        *task = find(tasks, lane, number);
        if (!tasks->ready(tasks->owner, task))
            return NONE_READY;
        if (atomic_compare_exchange_weak(&tasks->next[lane].task, &number, number + 1))
            return TAKEN;
    }
    return NONE_LEFT;
}

static enum taken take(struct j2k_tasks *tasks, uint32_t home, struct j2k_task *task)
{
    enum taken found = NONE_LEFT;
    for (uint32_t i = 0; i < tasks->lanes && found != TAKEN; i++) {
        const enum taken here = take_of(tasks, (home + i) % tasks->lanes, task);
        found = here == NONE_LEFT ? found : here;
    }
    return found;
}

bool kst_j2k_cpu_tasks_take(struct j2k_tasks *tasks, uint32_t home, struct j2k_task *task)
{
    enum taken found = take(tasks, home, task);
    if (found != NONE_READY)
        return found == TAKEN;
    pthread_mutex_lock(&tasks->countdowns->lock);
    while ((found = take(tasks, home, task)) == NONE_READY)
        pthread_cond_wait(&tasks->countdowns->zero, &tasks->countdowns->lock);
    pthread_mutex_unlock(&tasks->countdowns->lock);
    return found == TAKEN;
}
