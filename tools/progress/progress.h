/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows a progress bar on the terminal for work that takes more than a second. The number is that of finished files;
 * the bar and the remaining time also take the progress of unfinished files into account. Nothing is shown if standard
 * error is not a terminal.
 */
#ifndef KOSTKA_TOOL_PROGRESS_H
#define KOSTKA_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Begin work of `total` steps, which usually are files. */
void progress_begin(size_t total);

/*
 * Begin work of an unknown number of steps. progress_reached() says which share is done, 0–1; before its first call
 * there is no bar, and the line shows only the number of steps and their rate.
 */
void progress_begin_unknown(void);
void progress_reached(double share);

/*
 * Called after the beginning: the steps are frames, `frames` of which are shown in a second. The line then says how
 * many times faster than real time the work is.
 */
void progress_real_time(double frames);

/* Count a finished step. Thread-safe. */
void progress_step(void);

/* Remove the bar. */
void progress_end(void);

/*
 * Begin a file that the calling thread works on; the file is a step. `reading` is roughly the share of the work that
 * reading takes, 0–1; the rest is making the output.
 */
void progress_file_begin(double reading);
void progress_file_end(void);

/* Describes a part of the work on a file, whose progress any thread may report. */
struct progress_part {
    void *file; /* null: progress is not counted */
    int half;   /* 0: reading, 1: writing */
    double from, share;
};

/* Return the part of reading the calling thread's file between two points, each 0–1; or of making its output. */
struct progress_part progress_reading(double from, double to);
struct progress_part progress_writing(double from, double to);

/*
 * Report the progress of a part, 0–1. This is a function for kst_progress, whose user is the part. Always returns true,
 * so that the work continues.
 */
bool progress_part_done(void *part, double done);

/*
 * Report the progress of all work on a file likewise, when reading it and making its output advance together. The user
 * is a struct progress_whole.
 */
struct progress_whole {
    struct progress_part reading, writing;
};
struct progress_whole progress_both(void);
bool progress_whole_done(void *whole, double done);

/*
 * Holds a step of several that are in flight at the same time. It begins as zeros, and any thread may report on it. The
 * first function is one for kst_progress, whose user is the unit; the second one counts the finished step.
 */
struct progress_unit {
    double done; /* below 1; the rest counts once the step is finished */
};
bool progress_unit_done(void *unit, double done);
void progress_unit_end(struct progress_unit *unit);

/* Call these around other output on standard error: they remove the bar, and keep other threads from writing there. */
void progress_pause(void);
void progress_resume(void);

#endif
