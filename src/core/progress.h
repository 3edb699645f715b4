/* SPDX-License-Identifier: BSD-2-Clause */
/* How far an operation has come, for the caller's function; and whether that wants it to end. */
#ifndef KOSTKA_CORE_PROGRESS_H
#define KOSTKA_CORE_PROGRESS_H

#include <stdatomic.h>

#include <kostka/kostka.h>

/* One stage after the other counts. Steps of a stage are added by many threads at once, all else is for one. */
struct progress {
    const kst_progress *to; /* null: nobody is told */
    uint64_t total;         /* steps of the stage */
    double from, end;       /* what it brings the whole from and to */
    atomic_uint_fast64_t done;
    double told, last; /* the stage's share and the whole's that were told last; guarded by `busy` */
    atomic_flag busy;  /* someone is telling */
    atomic_bool cancelled;
};

/* Tell of the beginning. False to end the operation. */
bool kst_progress_begin(struct progress *progress, const kst_progress *to);

/*
 * So many steps are what brings the whole from what was told last to `end`. With 1 that is a little less: the whole is
 * told at the end alone. An end before that is where it stays.
 */
void kst_progress_stage(struct progress *progress, uint64_t total, double end);

/* Something is done once more: half of what is left, in so many steps. */
void kst_progress_again(struct progress *progress, uint64_t total);

/* So many steps more. False to end the operation. */
bool kst_progress_add(struct progress *progress, uint64_t steps);

/* All is done. */
void kst_progress_end(struct progress *progress);

/* Null is. */
static inline bool kst_progress_is_fine(const kst_progress *to)
{
    return !to || (to->size == sizeof *to && to->told);
}

#endif
