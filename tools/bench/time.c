/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs work often enough to know how long it takes: one call after the other, or several at the same time. */
#include <pthread.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "tool.h"

enum { WARM_UPS = 3, RUNS_LEAST = 5, OVERTIME = 8 };

/* Return whether a measurement has run long enough. Slow work is run less often. */
static bool is_enough(const struct bench_settings *settings, double seconds, size_t runs)
{
    if (settings->seconds == 0 || seconds < settings->seconds)
        return false;
    return runs >= RUNS_LEAST || seconds > OVERTIME * settings->seconds;
}

bool bench_time(const struct bench_settings *settings, bench_work work, void *user, size_t turns,
    struct bench_times *times, struct problem *problem)
{
    size_t warm_ups = turns * (settings->seconds > 0 ? WARM_UPS : 1);
    double begin = seconds_now();
    bool good = true;

    times->count = 0;
    times->run = calloc((size_t)settings->repeat, sizeof *times->run);
    if (times->run == NULL)
        return problem_set(problem, "out of memory");
    for (size_t i = 0; i < warm_ups && good && (i < turns || !is_enough(settings, seconds_now() - begin, 0)); i++)
        good = work(user, i, problem);
    begin = seconds_now();
    while (times->count < settings->repeat && good &&
           (times->count < turns || !is_enough(settings, seconds_now() - begin, times->count))) {
        double start = seconds_now();
        good = work(user, times->count, problem);
        times->run[times->count++] = seconds_now() - start;
    }
    return good;
}

/* Holds what threads share that make calls at the same time, each one call after the other. */
struct lanes {
    const struct bench_settings *settings;
    bench_work work;
    size_t count;
    pthread_mutex_t lock; /* guards the members below */
    double begin;
    double *end; /* when each call ended; a run is as many calls as there are lanes, and the first run does not count */
    size_t ended;
    bool failed;
    struct problem *problem; /* that of the first failure */
};

struct lane {
    struct lanes *lanes;
    void *user;
    pthread_t thread;
};

/* Note that a call has ended; the caller holds the lock. Returns whether another call must be made. */
static bool note_end(struct lanes *lanes, bool good, const struct problem *problem)
{
    double now = seconds_now();
    size_t runs = lanes->ended / lanes->count;

    if (!good && !lanes->failed)
        *lanes->problem = *problem;
    lanes->failed = lanes->failed || !good;
    if (runs <= lanes->settings->repeat)
        lanes->end[lanes->ended++] = now;
    runs = lanes->ended / lanes->count;
    return !lanes->failed && runs <= lanes->settings->repeat &&
           (runs < 2 || !is_enough(lanes->settings, now - lanes->begin, runs - 1));
}

static void *run_lane(void *argument)
{
    struct lane *lane = argument;
    struct lanes *lanes = lane->lanes;
    struct problem problem = {.text = ""};

    for (size_t run = 0, more = 1; more; run++) {
        bool good = lanes->work(lane->user, run, &problem);
        pthread_mutex_lock(&lanes->lock);
        more = note_end(lanes, good, &problem);
        pthread_mutex_unlock(&lanes->lock);
    }
    return NULL;
}

/* Turn the ends of calls into times of runs: the time in which as many calls end as there are lanes. */
static void take_times(const struct lanes *lanes, struct bench_times *times)
{
    for (size_t at = 2 * lanes->count; at <= lanes->ended; at += lanes->count)
        times->run[times->count++] = lanes->end[at - 1] - lanes->end[at - 1 - lanes->count];
}

static void run_lanes(struct lanes *lanes, struct lane *lane)
{
    size_t started = 0;

    while (started < lanes->count && pthread_create(&lane[started].thread, NULL, run_lane, &lane[started]) == 0)
        started++;
    if (started < lanes->count) {
        pthread_mutex_lock(&lanes->lock);
        lanes->failed = !problem_set(lanes->problem, "no thread can be had");
        pthread_mutex_unlock(&lanes->lock);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(lane[i].thread, NULL);
}

bool bench_time_calls(const struct bench_settings *settings, bench_work work, void *const *users, size_t count,
    struct bench_times *times, struct problem *problem)
{
    struct lanes lanes = {
        .settings = settings, .work = work, .count = count, .begin = seconds_now(), .problem = problem};
    struct lane *lane = calloc(count, sizeof *lane);

    times->count = 0;
    times->run = calloc((size_t)settings->repeat, sizeof *times->run);
    lanes.end = calloc(count * (size_t)(settings->repeat + 1), sizeof *lanes.end);
    bool good = lane != NULL && times->run != NULL && lanes.end != NULL;
    if (!good)
        problem_set(problem, "out of memory");
    for (size_t i = 0; i < count && good; i++)
        lane[i] = (struct lane){.lanes = &lanes, .user = users[i]};
    if (good) {
        pthread_mutex_init(&lanes.lock, NULL);
        run_lanes(&lanes, lane);
        pthread_mutex_destroy(&lanes.lock);
        good = !lanes.failed;
    }
    if (good)
        take_times(&lanes, times);
    free(lanes.end);
    free(lane);
    return good;
}
