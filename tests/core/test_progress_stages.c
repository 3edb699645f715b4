/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that progress through several stages only rises. */
#include "core/progress.h"

#include "support/progress.h"
#include "support/test.h"

enum { STEPS = 4000 };

static void run(struct progress *progress, double end)
{
    kst_progress_stage(progress, STEPS, end);
    for (uint32_t i = 0; i < STEPS; i++)
        assert_true(kst_progress_add(progress, 1));
}

/* Stages that end as near to the whole as can be still leave the others something to tell. */
static void test_late_stages(void **state)
{
    (void)state;
    static const double ends[] = {0.25, 0.9995, 0.99999};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct progress_calls calls = {.stop = 2};
        const kst_progress to = {.size = sizeof to, .told = take_progress, .user = &calls};
        struct progress progress;
        assert_true(kst_progress_begin(&progress, &to));
        run(&progress, ends[i]);
        run(&progress, 1);
        assert_true(calls.last < 1);
        kst_progress_again(&progress, STEPS);
        run(&progress, 1);
        kst_progress_end(&progress);
        assert_true(calls.last == 1);
    }
}

/* A stage that ends below the progress already reported does not move it back. */
static void test_back(void **state)
{
    (void)state;
    struct progress_calls calls = {.stop = 2};
    const kst_progress to = {.size = sizeof to, .told = take_progress, .user = &calls};
    struct progress progress;
    assert_true(kst_progress_begin(&progress, &to));
    run(&progress, 0.5);
    run(&progress, 0.25);
    assert_true(calls.last == 0.5);
    run(&progress, 0.75);
    assert_true(calls.last == 0.75);
}

/* Adds most steps of a stage while it is called, as other threads do, and ends the operation from `stop` on. */
struct crowd {
    struct progress *progress;
    double last, stop;
    bool added;
};

static bool add_meanwhile(void *user, double done)
{
    struct crowd *crowd = user;
    crowd->last = done;
    if (done > 0 && !crowd->added) {
        crowd->added = true;
        kst_progress_add(crowd->progress, STEPS - STEPS / 10);
    }
    return done < crowd->stop;
}

/* Steps that are added while the function is called are told by the thread that calls it, and so may be cancelled. */
static void test_meanwhile(void **state)
{
    (void)state;
    static const double stops[] = {0.8, 2}; /* the second one is never reached */
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        const double stop = stops[i];
        struct progress progress;
        struct crowd crowd = {.progress = &progress, .stop = stop};
        const kst_progress to = {.size = sizeof to, .told = add_meanwhile, .user = &crowd};
        assert_true(kst_progress_begin(&progress, &to));
        kst_progress_stage(&progress, STEPS, 0.9);
        assert_int_equal(kst_progress_add(&progress, STEPS / 10), stop > 1);
        assert_true(crowd.added && crowd.last == 0.9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_stages), cmocka_unit_test(test_back), cmocka_unit_test(test_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
