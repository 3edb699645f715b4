/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares counts of work that is left, on which threads can wait until they reach 0. */
#ifndef KOSTKA_CORE_COUNTDOWN_H
#define KOSTKA_CORE_COUNTDOWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Holds the lock and the condition that any number of counts share. */
struct countdowns {
    pthread_mutex_t lock;
    pthread_cond_t zero; /* broadcast when one of the counts has reached 0 */
};

void kst_countdowns_init(struct countdowns *countdowns);
void kst_countdowns_end(struct countdowns *countdowns);

/* Take 1 from a count, which wakes the threads that wait for the condition if the count thereby reaches 0. */
void kst_countdown_take(struct countdowns *countdowns, atomic_uint *left);

static inline bool kst_countdown_is_done(const atomic_uint *left)
{
    return atomic_load(left) == 0;
}

#endif
