/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of threads that work on one or more jobs at once, handing out the indices of a job one by one. */
#include "core/pool.h"

#include <pthread.h>
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

struct pool {
    struct memory *memory;
    uint32_t threads; /* includes the caller */
    uint32_t started;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job *newest; /* head of the list of jobs that may still have indices to hand out */
    bool stop;
    pthread_t thread[];
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

static void *thread_main(void *arg)
{
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        struct job *job = find_job(pool);
        if (!job) {
            pthread_cond_wait(&pool->wake, &pool->lock);
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

/* All signals are blocked in the new threads, so that the program's own threads receive them. */
static bool start_threads(struct pool *pool)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (
        pool->started + 1 < pool->threads && pthread_create(&pool->thread[pool->started], NULL, thread_main, pool) == 0)
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->started + 1 == pool->threads;
}

kst_status kst_pool_create(struct memory *memory, uint32_t threads, struct pool **pool_out)
{
    kst_status status;
    *pool_out = NULL;
    if (threads == 0)
        return KST_ERROR_ARGUMENT;
    struct pool *pool = kst_memory_zeroed(memory, 1, sizeof *pool + (threads - 1) * sizeof pool->thread[0], &status);
    if (!pool)
        return status;
    pool->memory = memory;
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    *pool_out = pool;
    if (!start_threads(pool)) {
        kst_pool_destroy(pool_out);
        return KST_ERROR_THREAD;
    }
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
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    kst_memory_release(pool->memory, pool);
    *pool_in = NULL;
}

uint32_t kst_pool_threads(const struct pool *pool)
{
    return pool->threads;
}

static void publish(struct pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    job->older = pool->newest;
    if (job->older)
        job->older->newer = job;
    pool->newest = job;
    if (job->count > pool->started)
        pthread_cond_broadcast(&pool->wake);
    else
        for (uint32_t i = 1; i < job->count; i++)
            pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
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
    if (count <= 1 || !pool || pool->started == 0) {
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
