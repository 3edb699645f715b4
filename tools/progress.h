/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bar on the terminal for work that takes more than a second. What is counted are files whose output is written;
 * the bar and the time that is left also take into account how far those have come that are being worked on.
 * Nothing is ever shown where standard error is no terminal.
 */
#ifndef KOSTKA_TOOL_PROGRESS_H
#define KOSTKA_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Begin work of `total` steps, each a file as a rule. */
void progress_begin(size_t total);

/* One more step is done. Thread-safe. */
void progress_step(void);

/* Take the bar away. */
void progress_end(void);

/* The calling thread works on a file from here to its end, which is a step. `reading` is about which share of the work
 * reading it is, 0–1; the rest is making the output. */
void progress_file_begin(double reading);
void progress_file_end(void);

/* A stretch of the calling thread's file, which any thread may report on. */
struct progress_part {
    void *file; /* null: none, so nothing is counted */
    int half;   /* 0: reading, 1: writing */
    double from, share;
};

/* From where to where, each 0–1, of reading the file that the calling thread works on; and of making its output. */
struct progress_part progress_reading(double from, double to);
struct progress_part progress_writing(double from, double to);

/* How far the part has come, 0–1: for a kst_progress, whose user is the part. Gives true: the work is to go on. */
bool progress_part_done(void *part, double done);

/* The same of all that is done to the file, reading and making its output at once; the user is a struct progress_whole.
 */
struct progress_whole {
    struct progress_part reading, writing;
};
struct progress_whole progress_both(void);
bool progress_whole_done(void *whole, double done);

/* Around other output on standard error: takes the bar away and keeps other threads from writing there. */
void progress_pause(void);
void progress_resume(void);

#endif
