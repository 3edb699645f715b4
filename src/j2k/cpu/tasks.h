/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares queues of tasks, one for each lane and grouped into turns, from which threads take the next one. */
#ifndef KOSTKA_J2K_CPU_TASKS_H
#define KOSTKA_J2K_CPU_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/countdown.h"
#include "j2k/cpu/lanes.h"

/* Describes a task by its place in a turn of a lane. */
struct j2k_task {
    uint32_t lane, turn, index;
};

/* Holds the next task of a lane. It has a cache line of its own, because other lanes' threads must not wait for it. */
struct j2k_lane_next {
    _Alignas(64) atomic_uint task;
};

struct j2k_tasks {
    uint32_t lanes, turns;
    uint32_t *end;                 /* for each lane and turn: the number of the lane's tasks up to the turn's end */
    struct countdowns *countdowns; /* on which everything depends that a task may wait for */
    /* Returns whether everything is done that a task depends on. What is done stays done. */
    bool (*ready)(const void *owner, const struct j2k_task *task);
    const void *owner;
    struct j2k_lane_next next[J2K_LANES_MAX];
};

/* Set the numbers of tasks of a lane's turns. `tasks->end` holds the number of each turn, and receives the sums. */
void kst_j2k_cpu_tasks_begin(struct j2k_tasks *tasks);

/*
 * Take the next task of lane `home` if nothing that it depends on is left to do; otherwise one of another lane. Waits
 * if there is none either. Returns false when no task is left in any lane. Every task must depend only on tasks that
 * come before it in a fixed order of all tasks, of which each lane's order is a part.
 */
bool kst_j2k_cpu_tasks_take(struct j2k_tasks *tasks, uint32_t home, struct j2k_task *task);

#endif
