/* SPDX-License-Identifier: BSD-2-Clause */
/* Repeats the work of 'kostka profile' while the device's steps are recorded. */
#include "profile/run.h"

#include <stdlib.h>

#include "print/copies.h"
#include "print/statistics.h"

enum { WARM_UPS = 2, SMALL_COPY = 4 };

/* Holds the record of the steps of all runs. */
struct record {
    kst_step *step; /* of the first run */
    double *start;  /* of each step in each run: [step × runs + run] */
    double *seconds;
    size_t count, room;
    size_t run, runs;
    size_t index; /* the next step of the current run */
    bool differs; /* the steps of this run differ from those of the first one */
    bool no_memory;
};

static bool grow(struct record *record)
{
    size_t room = record->room ? 2 * record->room : 64;
    kst_step *step = realloc(record->step, room * sizeof *step);
    if (step != NULL)
        record->step = step;
    double *start = realloc(record->start, room * record->runs * sizeof *start);
    if (start != NULL)
        record->start = start;
    double *seconds = realloc(record->seconds, room * record->runs * sizeof *seconds);
    if (seconds != NULL)
        record->seconds = seconds;
    record->no_memory = step == NULL || start == NULL || seconds == NULL;
    if (!record->no_memory)
        record->room = room;
    return !record->no_memory;
}

static void note(void *user, const kst_step *step)
{
    struct record *record = user;
    size_t index = record->index++;

    if (record->no_memory || record->differs)
        return;
    if (record->run == 0) {
        if (index == record->room && !grow(record))
            return;
        record->step[index] = *step;
        record->count = index + 1;
    } else if (index >= record->count || record->step[index].name != step->name) {
        record->differs = true;
        return;
    }
    record->start[index * record->runs + record->run] = step->start;
    record->seconds[index * record->runs + record->run] = step->seconds;
}

static bool run_recorded(
    kst_context *context, profile_work work, void *user, struct record *record, struct problem *problem)
{
    kst_report report;

    kst_status status = kst_profile_begin(context);
    if (status)
        return problem_set(problem, "%s",
            status == KST_ERROR_STATE ? "there is nothing to record on the CPU; choose another --device"
                                      : kst_status_text(status));
    bool good = work(user, &report, problem);
    record->index = 0;
    status = kst_profile_end(context, note, record);
    if (!good || (!status && !record->no_memory))
        return good;
    return problem_set(problem, "%s", kst_status_text(status ? status : KST_ERROR_MEMORY));
}

static bool take_steps(struct record *record, struct profile *profile, struct problem *problem)
{
    profile->step = calloc(record->count + 1, sizeof *profile->step);
    if (profile->step == NULL)
        return problem_set(problem, "out of memory");
    for (size_t i = 0; i < record->count; i++)
        profile->step[i] = (struct profile_step){.step = record->step[i],
            .start = statistics_median(&record->start[i * record->runs], profile->runs),
            .seconds = statistics_median(&record->seconds[i * record->runs], profile->runs)};
    profile->step_count = record->count;
    return true;
}

/*
 * Measure the steps. If the steps of a run differ from those of the first run, for instance because it allocates
 * buffers, recording ends there, and only the runs before it count.
 */
static bool measure_steps(
    kst_context *context, profile_work work, void *user, struct profile *profile, struct problem *problem)
{
    struct record record = {.runs = profile->runs};
    bool good = true;

    for (; record.run < record.runs && good && !record.differs; record.run++)
        good = run_recorded(context, work, user, &record, problem);
    if (record.differs)
        profile->runs = record.run - 1;
    good = good && take_steps(&record, profile, problem);
    free(record.step);
    free(record.start);
    free(record.seconds);
    return good;
}

static bool measure_stages(profile_work work, void *user, struct profile *profile, struct problem *problem)
{
    size_t runs = profile->runs;
    double *values = calloc(runs * (KST_STAGE_COUNT + 1), sizeof *values);
    kst_report report;
    bool good = true;

    if (values == NULL)
        return problem_set(problem, "out of memory");
    kst_report_init(&report);
    for (size_t run = 0; run < runs + WARM_UPS && good; run++) {
        double start = seconds_now();
        good = work(user, &report, problem);
        if (run < WARM_UPS)
            continue;
        values[run - WARM_UPS] = seconds_now() - start;
        for (size_t stage = 0; stage < KST_STAGE_COUNT; stage++)
            values[(stage + 1) * runs + run - WARM_UPS] = report.stage_seconds[stage];
    }
    for (size_t stage = 0; stage < KST_STAGE_COUNT && good; stage++) {
        profile->stage[stage] = statistics_median(&values[(stage + 1) * runs], runs);
        profile->stage_device[stage] = report.stage_device[stage];
    }
    if (good)
        profile->wall = statistics_median(values, runs);
    free(values);
    return good;
}

static bool measure_copies(kst_context *context, struct profile *profile, struct problem *problem)
{
    kst_copy_times large = {.size = sizeof large}, small = {.size = sizeof small};
    size_t length;

    kst_status status = copies_measure(context, &length, &large);
    if (!status)
        status = kst_measure_copies(context, SMALL_COPY, COPIES_COUNT * 10, &small);
    if (status == KST_ERROR_STATE)
        return problem_set(problem, "there is nothing to record on the CPU; choose another --device");
    if (status)
        return problem_set(problem, "%s", kst_status_text(status));
    profile->copy_rate = 2 * (double)length / (large.across > 0 ? large.across : large.up);
    profile->least = small.across > 0 ? small.across : 1e-6;
    profile->up_rate = (double)length / large.up;
    profile->down_rate = (double)length / large.down;
    return true;
}

bool profile_measure(
    kst_context *context, profile_work work, void *user, struct profile *profile, struct problem *problem)
{
    profile->device.size = sizeof profile->device;
    kst_context_device(context, &profile->device);
    return measure_copies(context, profile, problem) && measure_stages(work, user, profile, problem) &&
           measure_steps(context, work, user, profile, problem);
}

double profile_ceiling(const struct profile *profile, const kst_step *step)
{
    if (step->kind == KST_STEP_UPLOAD)
        return profile->up_rate;
    return step->kind == KST_STEP_DOWNLOAD ? profile->down_rate : profile->copy_rate;
}

double profile_rate(const struct profile_step *step)
{
    double bytes = (double)step->step.bytes * (step->step.kind == KST_STEP_COPY ? 2 : 1);
    return step->seconds > 0 ? bytes / step->seconds : 0;
}
