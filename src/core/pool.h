/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a pool of threads for runs of tasks. The thread that begins a run works on it, too. */
#ifndef KOSTKA_CORE_POOL_H
#define KOSTKA_CORE_POOL_H

#include "core/memory.h"
#include "core/shared.h"

struct pool;

/*
 * Create a pool of `threads` threads, the caller included. Up to threads − 1 are started when there is work for them,
 * or fewer if the system allows no more.
 */
kst_status kst_pool_create(struct memory *memory, uint32_t threads, struct pool **pool);
void kst_pool_destroy(struct pool **pool);

/*
 * Let another pool's threads do the runs of this one from now on, so that none of its own are started. The other pool
 * must have the same number of threads, must not itself use a third pool's, and must be destroyed later. No run may
 * have been begun.
 */
void kst_pool_share(struct pool *pool, struct pool *other);
KST_SHARED uint32_t kst_pool_threads(const struct pool *pool);

/* Return how many of `most` threads find room if each takes `bytes` bytes, which is not 0: at least one. */
static inline uint32_t kst_pool_fit(uint32_t most, uint64_t room, uint64_t bytes)
{
    const uint64_t fit = room / bytes, number = fit < most ? fit : most;
    return number > 1 ? (uint32_t)number : 1;
}

/* Return how many of the pool's threads may work if each takes `bytes` of `room` bytes: at least one. */
uint32_t kst_pool_threads_within(const struct pool *pool, uint64_t room, uint64_t bytes);

/*
 * Call task(arg, i) once for each i in [0, count), on any of the pool's threads and on the caller's, and return when
 * all calls are done. Indices are handed out in ascending order, so task i may wait for a lower index but not for a
 * higher one. The function may be called from several threads at once and from inside a task. If `pool` is null, the
 * caller does all the work.
 */
KST_SHARED void kst_pool_run(struct pool *pool, uint32_t count, void (*task)(void *arg, uint32_t index), void *arg);

/*
 * Do the same before all other runs, for tasks that other threads wait for: threads that help with other runs leave
 * these for this one between two tasks.
 */
void kst_pool_run_first(struct pool *pool, uint32_t count, void (*task)(void *arg, uint32_t index), void *arg);

#endif
