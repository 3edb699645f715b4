/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads that work on one or more jobs at once, handing out the indices of a job one by one. */
#include "core/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

/* One call of kst_pool_run(). It lives on the stack of the caller. */
struct job {
    void (*task)(void *arg, uint32_t index);
    void *arg;
    uint32_t count;
    atomic_uint_fast64_t next; /* the next index to hand out; exceeds `count` by at most one per thread */
    uint32_t helpers;          /* pool threads working on it; the pool's lock guards this and the members below */
    pthread_cond_t left;       /* signalled when the last helper leaves */
    struct job *older;
    struct job *newer;
};

struct helper {
    struct pool *pool;
    pthread_t thread;
    bool started;
    bool placed; /* it begins on other processors than it may use: these are */
    cpu_set_t allowed;
};

struct pool {
    struct memory *memory;
    uint32_t helpers; /* the caller is not one of them */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job *newest; /* head of the list of jobs that may still have indices to hand out */
    uint32_t begun;     /* helpers that were started, or could not be */
    uint32_t idle;      /* helpers that wait and have not been called */
    uint32_t called;    /* calls that no helper has heard yet */
    bool stop;
    struct helper helper[];
};

static void work(struct job *job)
{
    for (;;) {
        uint_fast64_t index = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (index >= job->count)
            return;
        job->task(job->arg, (uint32_t)index);
    }
}

/* The newest job comes first, so that a job which a task waits for is done before more tasks of that kind are begun. */
static struct job *find_job(const struct pool *pool)
{
    for (struct job *job = pool->newest; job; job = job->older)
        if (atomic_load_explicit(&job->next, memory_order_relaxed) < job->count)
            return job;
    return NULL;
}

/* The caller holds the lock. */
static void wait_for_call(struct pool *pool)
{
    pool->idle++;
    while (!pool->stop && pool->called == 0)
        pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->called > 0)
        pool->called--;
}

static void *thread_main(void *arg)
{
    const struct helper *helper = arg;
    struct pool *pool = helper->pool;
    if (helper->placed)
        sched_setaffinity(0, sizeof helper->allowed, &helper->allowed);
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        struct job *job = find_job(pool);
        if (!job) {
            wait_for_call(pool);
            continue;
        }
        job->helpers++;
        pthread_mutex_unlock(&pool->lock);
        work(job);
        pthread_mutex_lock(&pool->lock);
        if (--job->helpers == 0)
            pthread_cond_signal(&job->left);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/*
 * Let a helper begin on another processor than the caller's. Linux as the guest of a virtual machine takes processors
 * that sleep for ones that the host has taken away, and so puts new threads where their maker runs; there they share
 * its time for milliseconds, while the other processors sleep.
 */
static void place_elsewhere(struct helper *helper, pthread_attr_t *attributes)
{
    int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof helper->allowed, &helper->allowed) != 0)
        return;
    cpu_set_t others = helper->allowed;
    CPU_CLR((size_t)here, &others);
    helper->placed = CPU_COUNT(&others) > 0 && pthread_attr_setaffinity_np(attributes, sizeof others, &others) == 0;
}

static void start_helper(struct helper *helper)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    place_elsewhere(helper, &attributes);
    helper->started = pthread_create(&helper->thread, &attributes, thread_main, helper) == 0;
    pthread_attr_destroy(&attributes);
}

/*
 * Start helpers, as many as the system lets there be. All signals are blocked in them, so that the program's own
 * threads receive them.
 */
static void start_helpers(struct pool *pool, uint32_t first, uint32_t end)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = first; i < end; i++)
        start_helper(&pool->helper[i]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    for (uint32_t i = 0; i < pool->helpers; i++)
        pool->helper[i].pool = pool;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
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
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->begun; i++)
        if (pool->helper[i].started)
            pthread_join(pool->helper[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    kst_memory_release(pool->memory, pool);
    *pool_in = NULL;
}

uint32_t kst_pool_threads(const struct pool *pool)
{
    return pool->helpers + 1;
}

/*
 * Show a job to helpers: idle ones are called, and those that are missing are started, without the lock, on which they
 * would sleep: one that has slept may be woken on the caller's processor.
 */
static void publish(struct pool *pool, struct job *job)
{
    uint32_t wanted = job->count - 1 < pool->helpers ? job->count - 1 : pool->helpers;
    pthread_mutex_lock(&pool->lock);
    job->older = pool->newest;
    if (job->older)
        job->older->newer = job;
    pool->newest = job;
    uint32_t calls = pool->idle < wanted ? pool->idle : wanted, first = pool->begun;
    uint32_t left = pool->helpers - first, missing = wanted - calls < left ? wanted - calls : left;
    pool->idle -= calls;
    pool->called += calls;
    pool->begun += missing;
    for (uint32_t i = 0; i < calls; i++)
        pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    if (missing > 0)
        start_helpers(pool, first, first + missing);
}

static void retire(struct pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    if (job->newer)
        job->newer->older = job->older;
    else
        pool->newest = job->older;
    if (job->older)
        job->older->newer = job->newer;
    /* Taking the lock that the last helper takes when it leaves also makes its work visible to this thread. */
    while (job->helpers > 0)
        pthread_cond_wait(&job->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void kst_pool_run(struct pool *pool, uint32_t count, void (*task)(void *arg, uint32_t index), void *arg)
{
    if (count <= 1 || !pool || pool->helpers == 0) {
        for (uint32_t i = 0; i < count; i++)
            task(arg, i);
        return;
    }
    struct job job = {.task = task, .arg = arg, .count = count};
    atomic_init(&job.next, 0);
    pthread_cond_init(&job.left, NULL);
    publish(pool, &job);
    work(&job);
    retire(pool, &job);
    pthread_cond_destroy(&job.left);
}
