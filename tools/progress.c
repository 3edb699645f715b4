/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tool.h"

enum { BAR = 40, STEPS = 100 /* of a picture */ };

/* The terminal is one for the whole process, and so is this. */
static struct {
    pthread_mutex_t lock;
    size_t total;
    size_t done;
    bool many; /* files, which are counted instead of what there is to do for each */
    double began;
    double drawn;
    bool visible;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void erase(void)
{
    if (state.visible)
        fputs("\r\033[K", stderr);
    state.visible = false;
}

static void draw(void)
{
    char bar[BAR + 1];
    size_t filled = state.done * BAR / state.total;

    for (size_t i = 0; i < BAR; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    double elapsed = seconds_now() - state.began;
    double left = elapsed * (double)(state.total - state.done) / (double)state.done;
    if (state.many)
        fprintf(stderr, "\r[%s] %zu of %zu, %.0f s left\033[K", bar, state.done, state.total, left);
    else
        fprintf(stderr, "\r[%s] %zu %%, %.0f s left\033[K", bar, 100 * state.done / state.total, left);
    state.visible = true;
}

void progress_begin(size_t total)
{
    state.many = total > 1;
    state.total = state.many && isatty(STDERR_FILENO) ? total : 0;
    state.done = 0;
    state.began = seconds_now();
    state.drawn = 0.0;
}

static void grow(size_t steps)
{
    pthread_mutex_lock(&state.lock);
    state.total += !state.many && isatty(STDERR_FILENO) ? steps : 0;
    pthread_mutex_unlock(&state.lock);
}

static void advance(size_t steps)
{
    pthread_mutex_lock(&state.lock);
    double now = seconds_now();
    state.done += steps < state.total - state.done ? steps : state.total - state.done;
    if (state.total != 0 && now - state.began > 1.0 && now - state.drawn > 0.1) {
        draw();
        state.drawn = now;
    }
    pthread_mutex_unlock(&state.lock);
}

void progress_step(void)
{
    advance(1);
}

bool progress_picture(void *picture, double done)
{
    struct progress_picture *p = picture;
    size_t steps = (size_t)(done * STEPS);

    if (!(done > 0))
        grow(STEPS);
    else if (steps > p->steps)
        advance(steps - p->steps);
    p->steps = steps;
    return true;
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
