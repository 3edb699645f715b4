/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the steps of an operation and reports its progress to the caller's function. */
#include "core/progress.h"

static const double grain = 1.0 / 1024; /* share of a stage; smaller advances are not worth a call */

bool kst_progress_begin(struct progress *progress, const kst_progress *to)
{
    progress->to = to;
    progress->last = 0;
    atomic_init(&progress->cancelled, false);
    atomic_flag_clear(&progress->busy);
    kst_progress_stage(progress, 1, 1);
    return !to || to->told(to->user, 0);
}

void kst_progress_stage(struct progress *progress, uint64_t total, double end)
{
    progress->total = total > 0 ? total : 1;
    progress->from = progress->last;
    progress->end = end < 1 - grain ? end : 1 - grain;
    if (progress->end < progress->from)
        progress->end = progress->from;
    progress->told = 0;
    atomic_store(&progress->done, 0);
}

void kst_progress_again(struct progress *progress, uint64_t total)
{
    kst_progress_stage(progress, total, (progress->last + 1) / 2);
}

static void tell(struct progress *progress, uint64_t done)
{
    double share = (double)done / (double)progress->total;
    if (share < progress->told + grain)
        return;
    progress->told = share;
    progress->last = progress->from + (progress->end - progress->from) * (share < 1 ? share : 1);
    if (!progress->to->told(progress->to->user, progress->last))
        atomic_store(&progress->cancelled, true);
}

/*
 * If another thread is calling the caller's function, leave the steps to that thread, which reports again if steps were
 * added meanwhile. Otherwise the end of a stage might never be reported, and a function that wants to end the operation
 * there would not be called.
 */
bool kst_progress_add(struct progress *progress, uint64_t steps)
{
    uint64_t told;
    if (!progress->to)
        return true;
    atomic_fetch_add(&progress->done, steps);
    do {
        if (atomic_flag_test_and_set(&progress->busy))
            break;
        told = atomic_load(&progress->done);
        if (!atomic_load(&progress->cancelled))
            tell(progress, told);
        atomic_flag_clear(&progress->busy);
    } while (atomic_load(&progress->done) != told);
    return !atomic_load(&progress->cancelled);
}

void kst_progress_end(struct progress *progress)
{
    if (progress->to)
        progress->to->told(progress->to->user, 1);
}
