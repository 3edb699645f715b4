/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the progress of an operation, which is reported to the caller's function; that function may end the
 * operation.
 */
#ifndef KOSTKA_CORE_PROGRESS_H
#define KOSTKA_CORE_PROGRESS_H

#include <stdatomic.h>

#include <kostka/kostka.h>

/*
 * An operation consists of stages, one after the other. Many threads may add steps to a stage at once; all other calls
 * are made by one thread.
 */
struct progress {
    const kst_progress *to; /* the caller's function; null: nothing is reported */
    uint64_t total;         /* number of steps in the stage */
    double from, end;       /* share of the whole operation at the start and at the end of the stage, 0 to 1 */
    atomic_uint_fast64_t done;
    double told, last; /* shares of the stage and of the whole that were reported last; guarded by `busy` */
    atomic_flag busy;  /* set while a thread calls the caller's function */
    atomic_bool cancelled;
};

/* Report the beginning. Returns false if the operation must end. */
bool kst_progress_begin(struct progress *progress, const kst_progress *to);

/*
 * Begin a stage of `total` steps, which covers the operation from the share reported last to `end`. An `end` of 1 is
 * lowered a little, because only kst_progress_end() reports the whole as done. If `end` is below the share reported
 * last, the share stays where it is.
 */
void kst_progress_stage(struct progress *progress, uint64_t total, double end);

/* Begin a stage for work that must be repeated: its `total` steps cover half of what is left of the operation. */
void kst_progress_again(struct progress *progress, uint64_t total);

/* Add steps that were done. Returns false if the operation must end. */
bool kst_progress_add(struct progress *progress, uint64_t steps);

/* Report that all is done. */
void kst_progress_end(struct progress *progress);

/* Begin a stage, and add steps, if `progress` is not null; null means that no progress is reported. */
static inline void kst_progress_enter(struct progress *progress, uint64_t total, double end)
{
    if (progress)
        kst_progress_stage(progress, total, end);
}

static inline bool kst_progress_step(struct progress *progress, uint64_t steps)
{
    return !progress || kst_progress_add(progress, steps);
}

/* Return whether the caller's structure is usable. Null is usable, too, and asks for no reports. */
static inline bool kst_progress_is_fine(const kst_progress *to)
{
    return !to || (to->size == sizeof *to && to->told);
}

#endif
