/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the threads of a pool, which work on one or more runs at once, and hands out the indices of a run one by one.
 */
#include "core/pool.h"

#include <pthread.h>
#include <sched.h>

#include "core/signals.h"

enum { PLACED_HELPERS = 3, CALLED_AT_ONCE = 4 };

struct helper {
    struct pool *pool;
    pthread_t thread; /* for the thread that joins it */
    pthread_t self;   /* the same, written by the helper itself, for the threads that wake it */
    pthread_cond_t wake;
    struct helper *next_idle; /* the helper that became idle before this one did */
    bool started;
    bool called; /* it was taken off the idle list to find a run; guarded by the pool's lock, as is `placed` */
    bool placed; /* it is kept off the processor of the thread that wakes it; `allowed` are the processors that it may
                    use in general */
    cpu_set_t allowed;
};

struct pool {
    struct memory *memory;
    struct pool *other; /* the pool whose threads do this pool's runs; null: this pool's own do */
    uint32_t helpers;   /* the caller is not one of them */
    pthread_mutex_t lock;
    struct pool_run *newest; /* head of the list of runs that may still have indices to hand out */
    uint32_t begun;          /* helpers that were started or could not be started */
    struct helper *idle;     /* helpers that wait and have not been called, the last to become idle first */
    uint32_t idle_count;
    atomic_uint_fast32_t firsts; /* runs of kst_pool_run_first() that have indices to hand out */
    bool stop;
    struct helper helper[];
};

/* Run one task. Returns false if none is left. */
static bool work_once(struct pool *pool, struct pool_run *run)
{
    uint_fast64_t index = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
    if (index >= run->count)
        return false;
    if (run->first && index == run->count - 1)
        atomic_fetch_sub_explicit(&pool->firsts, 1, memory_order_relaxed);
    run->task(run->arg, (uint32_t)index);
    return true;
}

static bool has_firsts(const struct pool *pool)
{
    return atomic_load_explicit(&pool->firsts, memory_order_relaxed) > 0;
}

/* Work as a helper, which leaves between two tasks if another run comes first. */
static void help(struct pool *pool, struct pool_run *run)
{
    while (work_once(pool, run) && (run->first || !has_firsts(pool)))
        ;
}

/*
 * Find a run for a helper: one of kst_pool_run_first(), otherwise the newest one, so that a run for which a task waits
 * is finished before more tasks of that task's kind are begun.
 */
static struct pool_run *find_run(const struct pool *pool)
{
    const bool firsts = has_firsts(pool);
    struct pool_run *newest = NULL;
    for (struct pool_run *run = pool->newest; run; run = run->older) {
        if (atomic_load_explicit(&run->next, memory_order_relaxed) >= run->count)
            continue;
        if (run->first || !firsts)
            return run;
        newest = newest ? newest : run;
    }
    return newest;
}

/* Let a helper that has begun run on all processors that it may use. */
static void lift_placement(struct helper *helper)
{
    if (helper->placed)
        sched_setaffinity(0, sizeof helper->allowed, &helper->allowed);
    helper->placed = false;
}

/* The caller holds the lock. */
static void wait_for_call(struct pool *pool, struct helper *helper)
{
    helper->next_idle = pool->idle;
    pool->idle = helper;
    pool->idle_count++;
    while (!pool->stop && !helper->called)
        pthread_cond_wait(&helper->wake, &pool->lock);
    helper->called = false;
}

/*
 * Find the processors of *allowed other than the caller's, on which a helper is to begin. Linux as the guest of a
 * virtual machine mistakes sleeping processors for ones that the host has taken away, and so runs a new or woken thread
 * on the processor of the thread that made or woke it. The two then share a processor for milliseconds while the others
 * sleep. Returns false if there are no others.
 */
static bool find_others(const cpu_set_t *allowed, cpu_set_t *others)
{
    int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE)
        return false;
    *others = *allowed;
    CPU_CLR((size_t)here, others);
    return CPU_COUNT(others) > 0;
}

/*
 * Keep an idle helper off this thread's processor until it has a run. A helper that found no run is still kept off the
 * processor of an earlier caller.
 */
static void place_elsewhere(struct helper *helper)
{
    cpu_set_t others;
    if (!helper->placed && pthread_getaffinity_np(helper->self, sizeof helper->allowed, &helper->allowed) != 0)
        return;
    if (find_others(&helper->allowed, &others) && pthread_setaffinity_np(helper->self, sizeof others, &others) == 0)
        helper->placed = true;
}

/*
 * Wake an idle helper. In a small pool the helper is first kept off this thread's processor, which costs a microsecond
 * or two. In a large pool these would add up, and enough of the many helpers find other processors without it.
 */
static void call_helper(struct pool *pool)
{
    struct helper *helper = pool->idle;
    pool->idle = helper->next_idle;
    pool->idle_count--;
    helper->called = true;
    if (pool->helpers <= PLACED_HELPERS)
        place_elsewhere(helper);
    pthread_cond_signal(&helper->wake);
}

/*
 * Wake some idle helpers for a run; each of them wakes some more when it begins. Waking a helper takes a microsecond or
 * two, and all helpers would wait for the lock while one thread woke many. The caller holds the lock.
 */
static void call_some(struct pool *pool, struct pool_run *run)
{
    for (int i = 0; i < CALLED_AT_ONCE && run->wanted > 0 && pool->idle; i++, run->wanted--)
        call_helper(pool);
}

static void *thread_main(void *arg)
{
    struct helper *helper = arg;
    struct pool *pool = helper->pool;
    helper->self = pthread_self();
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        struct pool_run *run = find_run(pool);
        if (!run) {
            wait_for_call(pool, helper);
            continue;
        }
        run->helpers++;
        call_some(pool, run);
        pthread_mutex_unlock(&pool->lock);
        lift_placement(helper);
        help(pool, run);
        pthread_mutex_lock(&pool->lock);
        if (--run->helpers == 0)
            pthread_cond_signal(&run->left);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void start_helper(struct helper *helper)
{
    pthread_attr_t attributes;
    cpu_set_t others;
    pthread_attr_init(&attributes);
    helper->placed = sched_getaffinity(0, sizeof helper->allowed, &helper->allowed) == 0 &&
                     find_others(&helper->allowed, &others) &&
                     pthread_attr_setaffinity_np(&attributes, sizeof others, &others) == 0;
    helper->started = pthread_create(&helper->thread, &attributes, thread_main, helper) == 0;
    pthread_attr_destroy(&attributes);
}

/* Start helpers, as many as the system allows. */
static void start_helpers(struct pool *pool, uint32_t first, uint32_t end)
{
    sigset_t before;
    kst_signals_block(&before);
    for (uint32_t i = first; i < end; i++)
        start_helper(&pool->helper[i]);
    kst_signals_restore(&before);
}

kst_status kst_pool_create(struct memory *memory, uint32_t threads, struct pool **pool_out)
{
    kst_status status;
    *pool_out = NULL;
    if (threads == 0)
        return KST_ERROR_ARGUMENT;
    struct pool *pool = kst_memory_zeroed(memory, 1, sizeof *pool + (threads - 1) * sizeof pool->helper[0], &status);
    if (!pool)
        return status;
    pool->memory = memory;
    pool->helpers = threads - 1;
    for (uint32_t i = 0; i < pool->helpers; i++) {
        pool->helper[i].pool = pool;
        pthread_cond_init(&pool->helper[i].wake, NULL);
    }
    pthread_mutex_init(&pool->lock, NULL);
    *pool_out = pool;
    return KST_OK;
}

void kst_pool_destroy(struct pool **pool_in)
{
    struct pool *pool = *pool_in;
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    for (uint32_t i = 0; i < pool->begun; i++)
        pthread_cond_signal(&pool->helper[i].wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->begun; i++)
        if (pool->helper[i].started)
            pthread_join(pool->helper[i].thread, NULL);
    for (uint32_t i = 0; i < pool->helpers; i++)
        pthread_cond_destroy(&pool->helper[i].wake);
    pthread_mutex_destroy(&pool->lock);
    kst_memory_release(pool->memory, pool);
    *pool_in = NULL;
}

uint32_t kst_pool_threads(const struct pool *pool)
{
    return pool->helpers + 1;
}

void kst_pool_share(struct pool *pool, struct pool *other)
{
    pool->other = other;
}

uint32_t kst_pool_threads_within(const struct pool *pool, uint64_t room, uint64_t bytes)
{
    return kst_pool_fit(kst_pool_threads(pool), room, bytes);
}

/*
 * Offer a run to as many helpers as are wanted: wake idle ones, and start missing ones. These are started without
 * holding the lock, because they would sleep on it, and a thread that has slept may be woken on the caller's processor.
 */
static void publish(struct pool *pool, struct pool_run *run, uint32_t wanted)
{
    wanted = wanted < pool->helpers ? wanted : pool->helpers;
    pthread_mutex_lock(&pool->lock);
    run->older = pool->newest;
    if (run->older)
        run->older->newer = run;
    pool->newest = run;
    if (run->first)
        atomic_fetch_add_explicit(&pool->firsts, 1, memory_order_relaxed);
    run->wanted = wanted < pool->idle_count ? wanted : pool->idle_count;
    wanted -= run->wanted;
    call_some(pool, run);
    uint32_t first = pool->begun, left = pool->helpers - first, missing = wanted < left ? wanted : left;
    pool->begun += missing;
    pthread_mutex_unlock(&pool->lock);
    if (missing > 0)
        start_helpers(pool, first, first + missing);
}

static void retire(struct pool *pool, struct pool_run *run)
{
    pthread_mutex_lock(&pool->lock);
    if (run->newer)
        run->newer->older = run->older;
    else
        pool->newest = run->older;
    if (run->older)
        run->older->newer = run->newer;
    /* Taking the lock that the last helper takes when it leaves also makes its work visible to this thread. */
    while (run->helpers > 0)
        pthread_cond_wait(&run->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

/*
 * Set the members that threads need to share a run, and offer it. Returns the pool whose threads do it.
 */
static struct pool *offer(struct pool *pool, struct pool_run *run, uint32_t wanted)
{
    if (pool->other)
        pool = pool->other;
    atomic_init(&run->next, 0);
    pthread_cond_init(&run->left, NULL);
    publish(pool, run, wanted);
    return pool;
}

static void take_back(struct pool *pool, struct pool_run *run)
{
    retire(pool, run);
    pthread_cond_destroy(&run->left);
}

static void run_tasks(struct pool *pool, struct pool_run *run)
{
    if (run->count <= 1 || !pool || pool->helpers == 0) {
        for (uint32_t i = 0; i < run->count; i++)
            run->task(run->arg, i);
        return;
    }
    pool = offer(pool, run, run->count - 1);
    while (work_once(pool, run))
        ;
    take_back(pool, run);
}

void kst_pool_run(struct pool *pool, uint32_t count, void (*task)(void *arg, uint32_t index), void *arg)
{
    struct pool_run run = {.task = task, .arg = arg, .count = count};
    run_tasks(pool, &run);
}

void kst_pool_run_first(struct pool *pool, uint32_t count, void (*task)(void *arg, uint32_t index), void *arg)
{
    struct pool_run run = {.task = task, .arg = arg, .count = count, .first = true};
    run_tasks(pool, &run);
}

void kst_pool_begin(struct pool *pool, struct pool_run *run)
{
    *run = (struct pool_run){.task = run->task, .arg = run->arg, .count = 1};
    offer(pool, run, 1);
}

bool kst_pool_end(struct pool *pool, struct pool_run *run)
{
    bool taken = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed) > 0;
    take_back(pool->other ? pool->other : pool, run);
    return taken;
}
