/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks in one order, by turns, that threads take them from. */
#ifndef KOSTKA_J2K_CPU_TASKS_H
#define KOSTKA_J2K_CPU_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct j2k_tasks {
    uint32_t *end; /* of each turn: tasks up to there */
    uint32_t turns;
    atomic_uint next;
};

/* Take the next task: which one of which turn. `*turn` is 0, or that of the thread's task before. */
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
