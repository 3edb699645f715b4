/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that the thread pool runs each index once, nested, chained and called from several threads. */
#include "core/pool.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "support/test.h"

enum { MOST = 5000 };

struct tally {
    atomic_uint visits[MOST];
    uint32_t plain[MOST]; /* written without atomics: kst_pool_run() must make it visible */
};

static void visit(void *arg, uint32_t index)
{
    struct tally *tally = arg;
    atomic_fetch_add(&tally->visits[index], 1);
    tally->plain[index] = index + 1;
}

static void check_run(struct pool *pool, struct tally *tally, uint32_t count)
{
    for (uint32_t i = 0; i < MOST; i++) {
        atomic_store(&tally->visits[i], 0);
        tally->plain[i] = 0;
    }
    kst_pool_run(pool, count, visit, tally);
    for (uint32_t i = 0; i < MOST; i++) {
        assert_int_equal(atomic_load(&tally->visits[i]), i < count ? 1 : 0);
        assert_int_equal(tally->plain[i], i < count ? i + 1 : 0);
    }
}

static void with_pools(void (*check)(struct pool *pool))
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct memory memory;
        kst_memory_init(&memory, NULL, UINT64_MAX);
        struct pool *pool;
        assert_int_equal(kst_pool_create(&memory, threads[i], &pool), KST_OK);
        assert_int_equal(kst_pool_threads(pool), threads[i]);
        check(pool);
        kst_pool_destroy(&pool);
        assert_null(pool);
        assert_int_equal(memory.used, 0);
    }
}

static void check_counts(struct pool *pool)
{
    static struct tally tally;
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, MOST};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_run(pool, &tally, counts[i]);
}

static void test_every_index_once(void **state)
{
    (void)state;
    with_pools(check_counts);
}

static void check_many(struct pool *pool)
{
    static struct tally tally;
    for (uint32_t i = 0; i < 2000; i++)
        kst_pool_run(pool, 1 + i % 5, visit, &tally);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(atomic_load(&tally.visits[i]), 2000 - 400 * i);
    for (uint32_t i = 0; i < MOST; i++)
        atomic_store(&tally.visits[i], 0);
}

static void test_many_jobs(void **state)
{
    (void)state;
    with_pools(check_many);
}

struct nested {
    struct pool *pool;
    atomic_uint sum;
};

static void add(void *arg, uint32_t index)
{
    struct nested *nested = arg;
    atomic_fetch_add(&nested->sum, index);
}

static void nest_once(void *arg, uint32_t index)
{
    struct nested *nested = arg;
    kst_pool_run(nested->pool, 10 + index % 3, add, nested);
}

static void nest_twice(void *arg, uint32_t index)
{
    struct nested *nested = arg;
    (void)index;
    kst_pool_run(nested->pool, 6, nest_once, nested);
}

static void check_nested(struct pool *pool)
{
    struct nested nested = {.pool = pool};
    atomic_init(&nested.sum, 0);
    kst_pool_run(pool, 20, nest_twice, &nested);
    /* indices 0–5 give 10, 11, 12, 10, 11, 12 inner tasks */
    assert_int_equal(atomic_load(&nested.sum), 20 * 2 * (45 + 55 + 66));
}

static void test_nested(void **state)
{
    (void)state;
    with_pools(check_nested);
}

/* Each task waits for the one before it, as entropy decoding does. */
struct chain {
    atomic_uint done;
};

static void follow(void *arg, uint32_t index)
{
    struct chain *chain = arg;
    while (atomic_load(&chain->done) != index)
        sched_yield();
    atomic_store(&chain->done, index + 1);
}

static void check_chain(struct pool *pool)
{
    struct chain chain;
    atomic_init(&chain.done, 0);
    kst_pool_run(pool, 300, follow, &chain);
    assert_int_equal(atomic_load(&chain.done), 300);
}

static void test_waiting_for_lower_index(void **state)
{
    (void)state;
    with_pools(check_chain);
}

struct caller {
    pthread_t thread;
    struct pool *pool;
    struct tally tally;
};

static void *call_repeatedly(void *arg)
{
    struct caller *caller = arg;
    for (int i = 0; i < 100; i++)
        kst_pool_run(caller->pool, 50, visit, &caller->tally);
    return NULL;
}

static void check_callers(struct pool *pool)
{
    static struct caller callers[4];
    for (int i = 0; i < 4; i++) {
        callers[i].pool = pool;
        for (int k = 0; k < 50; k++)
            atomic_store(&callers[i].tally.visits[k], 0);
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_repeatedly, &callers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(callers[i].thread, NULL);
        for (int k = 0; k < 50; k++)
            assert_int_equal(atomic_load(&callers[i].tally.visits[k]), 100);
    }
}

static void test_from_several_threads(void **state)
{
    (void)state;
    with_pools(check_callers);
}

/* A barrier: passes only if as many threads as it counts are inside tasks at once. */
struct meeting {
    pthread_barrier_t barrier;
};

static void meet(void *arg, uint32_t index)
{
    struct meeting *meeting = arg;
    (void)index;
    pthread_barrier_wait(&meeting->barrier);
}

static void check_parallel(struct pool *pool)
{
    struct meeting meeting;
    pthread_barrier_init(&meeting.barrier, NULL, kst_pool_threads(pool));
    for (int i = 0; i < 20; i++)
        kst_pool_run(pool, kst_pool_threads(pool), meet, &meeting);
    pthread_barrier_destroy(&meeting.barrier);
}

static void test_all_threads_work_at_once(void **state)
{
    (void)state;
    with_pools(check_parallel);
}

enum { SHARING = 3, SHARED_THREADS = 4 };

/* The threads of a run in which each has one index. */
struct roll {
    pthread_barrier_t barrier;
    pthread_t thread[SHARED_THREADS];
};

static void sign(void *arg, uint32_t index)
{
    struct roll *roll = arg;
    roll->thread[index] = pthread_self();
    pthread_barrier_wait(&roll->barrier);
}

static bool has_signed(const struct roll *roll, pthread_t thread)
{
    for (int i = 0; i < SHARED_THREADS; i++)
        if (pthread_equal(roll->thread[i], thread))
            return true;
    return false;
}

static void test_shared(void **state)
{
    static struct tally tally;
    struct roll roll[SHARING];
    struct memory memory;
    struct pool *pool[SHARING];
    (void)state;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    for (int i = 0; i < SHARING; i++) {
        assert_int_equal(kst_pool_create(&memory, SHARED_THREADS, &pool[i]), KST_OK);
        if (i > 0)
            kst_pool_share(pool[i], pool[0]);
        pthread_barrier_init(&roll[i].barrier, NULL, SHARED_THREADS);
    }
    for (int i = SHARING; i-- > 0;) {
        kst_pool_run(pool[i], SHARED_THREADS, sign, &roll[i]);
        for (int k = 0; k < SHARED_THREADS; k++)
            assert_true(has_signed(&roll[SHARING - 1], roll[i].thread[k])); /* the same four each time */
        check_run(pool[i], &tally, 100);
    }
    for (int i = SHARING; i-- > 0;) {
        kst_pool_destroy(&pool[i]);
        pthread_barrier_destroy(&roll[i].barrier);
    }
    assert_int_equal(memory.used, 0);
}

/* Describes a long run, whose first task begins another one that comes first. */
struct interruption {
    struct pool *pool;
    atomic_uint done;           /* tasks of the long run */
    atomic_uint inside, helped; /* threads in the other run, and whether there were two before the long one ended */
};

enum { LONG_RUN = 5000, LONG_ENOUGH = LONG_RUN - 50, SHORT_RUN = 3 };

static void wait_inside(void *arg, uint32_t index)
{
    struct interruption *interruption = arg;
    const struct timespec pause = {.tv_nsec = 100000};
    (void)index;
    atomic_fetch_add(&interruption->inside, 1);
    /* Help that comes once the long run has no tasks left, or only some that threads are at, does not count. */
    while (!atomic_load(&interruption->helped) && atomic_load(&interruption->done) < LONG_ENOUGH) {
        if (atomic_load(&interruption->inside) > 1)
            atomic_store(&interruption->helped, 1);
        nanosleep(&pause, NULL);
    }
    atomic_fetch_sub(&interruption->inside, 1);
}

static void interrupt(void *arg, uint32_t index)
{
    struct interruption *interruption = arg;
    const struct timespec pause = {.tv_nsec = 200000};
    if (index == 0) {
        while (atomic_load(&interruption->done) < LONG_RUN / 20) /* until all others are at work */
            sched_yield();
        kst_pool_run_first(interruption->pool, SHORT_RUN, wait_inside, interruption);
    } else if (!atomic_load(&interruption->helped)) {
        nanosleep(&pause, NULL);
    }
    atomic_fetch_add(&interruption->done, 1);
}

/*
 * Helpers that work on the long run leave it for the one that comes first. The thread that began the long run does not,
 * so that there must be a helper beside the one that may have its first task.
 */
static void check_first(struct pool *pool)
{
    struct interruption interruption = {.pool = pool};
    if (kst_pool_threads(pool) < 3)
        return;
    kst_pool_run(pool, LONG_RUN, interrupt, &interruption);
    assert_int_equal(atomic_load(&interruption.done), LONG_RUN);
    assert_true(atomic_load(&interruption.helped));
}

static void test_first(void **state)
{
    (void)state;
    with_pools(check_first);
}

static void nest_first(void *arg, uint32_t index)
{
    struct nested *nested = arg;
    kst_pool_run_first(nested->pool, 10 + index % 3, add, nested);
}

/* Runs that come first, begun by many tasks at once, hand out each index once, too. */
static void check_many_first(struct pool *pool)
{
    struct nested nested = {.pool = pool};
    atomic_init(&nested.sum, 0);
    kst_pool_run(pool, 300, nest_first, &nested);
    assert_int_equal(atomic_load(&nested.sum), 100 * (45 + 55 + 66));
}

static void test_many_first(void **state)
{
    (void)state;
    with_pools(check_many_first);
}

static void test_creation_errors(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, 64);
    struct pool *pool;
    assert_int_equal(kst_pool_create(&memory, 0, &pool), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_pool_create(&memory, 4, &pool), KST_ERROR_LIMIT_MEMORY);
    assert_null(pool);
    kst_pool_destroy(&pool);
}

/* A task beside its caller is done once or never, and what it wrote can be seen when it has ended. */
static void test_beside(void **state)
{
    struct memory memory;
    struct pool *pool, *other;
    static struct tally tally, between;
    (void)state;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    assert_int_equal(kst_pool_create(&memory, 2, &other), KST_OK);
    assert_int_equal(kst_pool_create(&memory, 2, &pool), KST_OK);
    kst_pool_share(pool, other);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 300; i++) {
        struct pool_run run = {.task = visit, .arg = &tally};
        struct pool *owner = i % 2 ? pool : other;
        tally.plain[0] = 0;
        atomic_store(&tally.visits[0], 0);
        kst_pool_begin(owner, &run);
        while (i % 3 == 0 && atomic_load(&tally.visits[0]) == 0)
            sched_yield();
        check_run(owner, &between, 5);
        bool done = kst_pool_end(owner, &run);
        assert_true(done || i % 3 != 0);
        assert_int_equal(atomic_load(&tally.visits[0]), done ? 1 : 0);
        assert_int_equal(tally.plain[0], done ? 1 : 0);
        taken += done;
    }
    assert_true(taken > 0);
    kst_pool_destroy(&pool);
    kst_pool_destroy(&other);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once),
        cmocka_unit_test(test_many_jobs),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_waiting_for_lower_index),
        cmocka_unit_test(test_from_several_threads),
        cmocka_unit_test(test_all_threads_work_at_once),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_many_first),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_creation_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
