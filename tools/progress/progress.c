/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws and erases the progress bar. */
#include "progress/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

enum { BAR = 40 };
static const double unfinished = 0.999; /* the most that a step has come before it is finished */

/* The state of the progress bar. A process has only one, because it has one terminal. */
static struct {
    pthread_mutex_t lock;
    size_t total;   /* 0: nothing is shown */
    bool unknown;   /* the total is unknown; `reached` says how far the work is */
    double reached; /* 0–1; below 0: not known either */
    size_t done;    /* finished steps */
    double frames;  /* if the steps are frames, how many are shown in a second; otherwise 0 */
    double running; /* the finished share of all unfinished steps, in steps */
    double began;
    double drawn;
    bool visible;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * Holds the state of the file that a thread works on. The lock guards it, because the library's threads report progress
 * of the file, too.
 */
struct file {
    double share[2]; /* the shares of the work that reading and writing take */
    double come[2];  /* the progress of reading and of writing, 0–1 */
    double done;     /* the progress of both together, below 1: the rest counts once the output has its final name */
};
static _Thread_local struct file own;
static _Thread_local bool has_file;

static void erase(void)
{
    if (state.visible)
        fputs("\r\033[K", stderr);
    state.visible = false;
}

static void fill_bar(char bar[BAR + 1], double share)
{
    for (size_t i = 0; i < BAR; i++)
        bar[i] = (double)i < floor(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
}

/* Draw a line for the finished share of the work; below 0: the share is not known. */
static void draw_share(double now, double share)
{
    char bar[BAR + 1], left[32] = "", rate[64] = "";
    double taken = now - state.began;

    fill_bar(bar, share);
    if (share > 0)
        snprintf(left, sizeof left, ", %.0f s left", ceil(taken * (1 - share) / share));
    if (state.done > 0)
        snprintf(
            rate, sizeof rate, ", %.*f a second", (double)state.done < 10 * taken ? 1 : 0, (double)state.done / taken);
    if (state.done > 0 && state.frames > 0)
        snprintf(rate + strlen(rate), sizeof rate - strlen(rate), ", %.1f times real time",
            (double)state.done / taken / state.frames);
    if (state.unknown && share < 0)
        fprintf(stderr, "\r%zu done%s\033[K", state.done, rate);
    else if (state.unknown)
        fprintf(stderr, "\r[%s] %zu done%s%s\033[K", bar, state.done, left, rate);
    else if (state.total > 1)
        fprintf(stderr, "\r[%s] %zu of %zu%s%s\033[K", bar, state.done, state.total, left, rate);
    else
        fprintf(stderr, "\r[%s] %.0f %%%s\033[K", bar, floor(100 * share), left);
    state.visible = true;
}

static void draw(double now)
{
    draw_share(now, state.unknown ? state.reached : ((double)state.done + state.running) / (double)state.total);
}

static void draw_in_time(void)
{
    double now = seconds_now();

    if (state.total == 0 || (!state.unknown && state.done >= state.total) || now - state.began < 1.0 ||
        now - state.drawn < 0.1)
        return;
    draw(now);
    state.drawn = now;
}

void progress_begin(size_t total)
{
    state.total = isatty(STDERR_FILENO) ? total : 0;
    state.unknown = false;
    state.reached = -1;
    state.done = 0;
    state.frames = 0;
    state.running = 0;
    state.began = seconds_now();
    state.drawn = 0.0;
}

void progress_begin_unknown(void)
{
    progress_begin(1);
    state.unknown = true;
}

void progress_real_time(double frames)
{
    state.frames = frames;
}

void progress_reached(double share)
{
    pthread_mutex_lock(&state.lock);
    state.reached = fmin(share, 1);
    draw_in_time();
    pthread_mutex_unlock(&state.lock);
}

void progress_step(void)
{
    pthread_mutex_lock(&state.lock);
    state.done++;
    draw_in_time();
    pthread_mutex_unlock(&state.lock);
}

void progress_file_begin(double reading)
{
    own = (struct file){.share = {reading, 1 - reading}};
    has_file = true;
}

void progress_file_end(void)
{
    pthread_mutex_lock(&state.lock);
    state.running = fmax(0, state.running - own.done);
    pthread_mutex_unlock(&state.lock);
    has_file = false;
    progress_step();
}

struct progress_part progress_reading(double from, double to)
{
    return (struct progress_part){has_file ? &own : NULL, 0, from, to - from};
}

struct progress_part progress_writing(double from, double to)
{
    return (struct progress_part){has_file ? &own : NULL, 1, from, to - from};
}

/* Let an unfinished step have come so far, unless it had come farther. The caller holds the lock. */
static void reach(double *done, double reached)
{
    reached = fmin(reached, unfinished);
    if (reached <= *done)
        return;
    state.running += reached - *done;
    *done = reached;
    draw_in_time();
}

bool progress_part_done(void *part, double done)
{
    const struct progress_part *p = part;
    struct file *file = p->file;

    if (file == NULL || state.total == 0)
        return true;
    pthread_mutex_lock(&state.lock);
    file->come[p->half] = fmin(fmax(file->come[p->half], p->from + p->share * done), 1);
    reach(&file->done, file->share[0] * file->come[0] + file->share[1] * file->come[1]);
    pthread_mutex_unlock(&state.lock);
    return true;
}

struct progress_whole progress_both(void)
{
    return (struct progress_whole){progress_reading(0, 1), progress_writing(0, 1)};
}

bool progress_whole_done(void *whole, double done)
{
    struct progress_whole *both = whole;

    return progress_part_done(&both->reading, done) && progress_part_done(&both->writing, done);
}

bool progress_unit_done(void *unit, double done)
{
    struct progress_unit *step = unit;

    pthread_mutex_lock(&state.lock);
    if (state.total != 0)
        reach(&step->done, done);
    pthread_mutex_unlock(&state.lock);
    return true;
}

void progress_unit_end(struct progress_unit *unit)
{
    pthread_mutex_lock(&state.lock);
    state.running = fmax(0, state.running - unit->done);
    pthread_mutex_unlock(&state.lock);
    progress_step();
}

void progress_end(void)
{
    pthread_mutex_lock(&state.lock);
    erase();
    state.total = 0;
    pthread_mutex_unlock(&state.lock);
}

void progress_pause(void)
{
    pthread_mutex_lock(&state.lock);
    erase();
}

void progress_resume(void)
{
    pthread_mutex_unlock(&state.lock);
}
