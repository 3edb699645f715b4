/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a pool of threads for runs of tasks. The thread that begins a run works on it, too. */
#ifndef KOSTKA_CORE_POOL_H
#define KOSTKA_CORE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/memory.h"
#include "core/shared.h"

struct pool;

/*
 * Describes tasks that a pool does. The caller of kst_pool_begin() sets `task` and `arg`; all other members belong to
 * the pool.
 */
struct pool_run {
    void (*task)(void *arg, uint32_t index);
    void *arg;
    uint32_t count;
    bool first;                /* begun by kst_pool_run_first() */
    atomic_uint_fast64_t next; /* the next index to hand out; exceeds `count` by at most one per thread */
    uint32_t helpers;          /* pool threads working on it; the pool's lock guards this and the members below */
    uint32_t wanted;           /* idle helpers that are still to be called for it */
    pthread_cond_t left;       /* signalled when the last helper leaves */
    struct pool_run *older;
    struct pool_run *newer;
};

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

/*
 * Have one task, index 0, done by another thread of the pool, while the caller goes on. The pool must have more than
 * one thread. kst_pool_end() must follow in any case: it returns true once the task is done, which it waits for if a
 * thread has begun it, and false if none has, so that the task never runs.
 */
void kst_pool_begin(struct pool *pool, struct pool_run *run);
bool kst_pool_end(struct pool *pool, struct pool_run *run);

#endif
