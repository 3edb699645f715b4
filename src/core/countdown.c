/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets threads wait until counts reach 0. All counts of a group share one lock and one condition. */
#include "core/countdown.h"

void kst_countdowns_init(struct countdowns *countdowns)
{
    pthread_mutex_init(&countdowns->lock, NULL);
    pthread_cond_init(&countdowns->zero, NULL);
}

void kst_countdowns_end(struct countdowns *countdowns)
{
    pthread_cond_destroy(&countdowns->zero);
    pthread_mutex_destroy(&countdowns->lock);
}

void kst_countdown_take(struct countdowns *countdowns, atomic_uint *left)
{
    if (atomic_fetch_sub(left, 1) != 1)
        return;
    pthread_mutex_lock(&countdowns->lock);
    pthread_cond_broadcast(&countdowns->zero);
    pthread_mutex_unlock(&countdowns->lock);
}
