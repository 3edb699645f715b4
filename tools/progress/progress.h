/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows a bar on the terminal for work that takes more than a second. The number is that of finished files; the bar and
 * the remaining time also take into account the progress of unfinished ones. Nothing is shown if standard error is not
 * a terminal.
 */
#ifndef KOSTKA_TOOL_PROGRESS_H
#define KOSTKA_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Begin work of `total` steps, which usually are files. */
void progress_begin(size_t total);

/*
 * Begin work of an unknown number of steps. How far it has come is what progress_reached() says, 0–1; until then there
 * is no bar, and the line has the number of steps and their rate alone.
 */
void progress_begin_unknown(void);
void progress_reached(double share);

/* Say after the beginning that the steps are frames, of which so many are shown in a second: the line then says how
 * many times faster than that they come. */
void progress_real_time(double frames);

/* Count a finished step. Thread-safe. */
void progress_step(void);

/* Remove the bar. */
void progress_end(void);

/*
 * Begin a file that the calling thread works on; the file is a step. `reading` is about the share of the work that
 * reading takes, 0–1; the rest is making the output.
 */
void progress_file_begin(double reading);
void progress_file_end(void);

/* Describes a part of the work on a file, on which any thread may report. */
struct progress_part {
    void *file; /* null: none, so nothing is counted */
    int half;   /* 0: reading, 1: writing */
    double from, share;
};

/* Return the part between two points, each 0–1, of reading the calling thread's file; or of making its output. */
struct progress_part progress_reading(double from, double to);
struct progress_part progress_writing(double from, double to);

/*
 * Report how far a part has come, 0–1. This is a function for kst_progress, whose user is the part. Always returns
 * true, so that the work goes on.
 */
bool progress_part_done(void *part, double done);

/*
 * The same for all work on a file, reading it and making its output at the same time; the user is a struct
 * progress_whole.
 */
struct progress_whole {
    struct progress_part reading, writing;
};
struct progress_whole progress_both(void);
bool progress_whole_done(void *whole, double done);

/* Call these around other output on standard error: they remove the bar, and keep other threads from writing there. */
void progress_pause(void);
void progress_resume(void);

#endif
