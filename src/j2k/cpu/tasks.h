/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a queue of tasks in a fixed order, grouped into turns, from which threads take the next one. */
#ifndef KOSTKA_J2K_CPU_TASKS_H
#define KOSTKA_J2K_CPU_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct j2k_tasks {
    uint32_t *end; /* for each turn: the number of tasks up to its end */
    uint32_t turns;
    atomic_uint next;
};

/*
 * Take the next task; `*index` is its place in turn `*turn`. `*turn` must be 0 or the turn of the thread's previous
 * task. Returns false when no task is left.
 */
static inline bool j2k_tasks_take(struct j2k_tasks *tasks, uint32_t *turn, uint32_t *index)
{
    uint32_t task = atomic_fetch_add(&tasks->next, 1);
    if (task >= tasks->end[tasks->turns - 1])
        return false;
    while (task >= tasks->end[*turn])
        ++*turn;
    *index = *turn > 0 ? task - tasks->end[*turn - 1] : task;
    return true;
}

#endif
