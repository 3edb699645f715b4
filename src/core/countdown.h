/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of what is still to be done, for which threads wait until they are 0. */
#ifndef KOSTKA_CORE_COUNTDOWN_H
#define KOSTKA_CORE_COUNTDOWN_H

#include <pthread.h>
#include <stdatomic.h>

/* What any number of counts share. */
struct countdowns {
    pthread_mutex_t lock;
    pthread_cond_t zero; /* some count is */
};

void kst_countdowns_init(struct countdowns *countdowns);
void kst_countdowns_end(struct countdowns *countdowns);

/* Wait until a count is 0; and take one from it, which lets those go on that wait for its 0. */
void kst_countdown_wait(struct countdowns *countdowns, atomic_uint *left);
void kst_countdown_take(struct countdowns *countdowns, atomic_uint *left);

#endif
