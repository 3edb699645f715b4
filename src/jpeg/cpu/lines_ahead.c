/* SPDX-License-Identifier: BSD-2-Clause */
/* Has another thread of the pool make MCU rows while the caller reads lines. */
#include "jpeg/cpu/lines_ahead.h"

#include "jpeg/cpu/lines.h"

bool kst_jpeg_cpu_lines_ahead_init(struct pool *pool, struct jpeg_arriving *lines)
{
    enum { WORTH_PIXELS = 1 << 18 };
    const struct jpeg_output *output = &lines->output;
    if (!lines->source.entropy || kst_pool_threads(pool) < 2 || (uint64_t)output->width * output->height < WORTH_PIXELS)
        return false;
    pthread_mutex_init(&lines->ahead.lock, NULL);
    pthread_cond_init(&lines->ahead.changed, NULL);
    lines->ahead.pool = pool;
    return true;
}

void kst_jpeg_cpu_lines_ahead_release(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->pool)
        return;
    kst_jpeg_cpu_lines_ahead_end(lines);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    ahead->pool = NULL;
}

static bool is_complete(const struct jpeg_arriving *lines, const struct jpeg_rows_made *made)
{
    return made->ready == lines->output.height;
}

static void make_rows(void *arg, uint32_t index)
{
    struct jpeg_arriving *lines = arg;
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    struct jpeg_rows_made made = ahead->made;
    (void)index;
    for (bool over = false; !over; index++) {
        kst_jpeg_cpu_lines_make(lines, &made);
        over = made.dry || made.status || is_complete(lines, &made) || index + 1 == JPEG_LINES_AHEAD;
        pthread_mutex_lock(&ahead->lock);
        ahead->made = made;
        ahead->over = over;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
}

void kst_jpeg_cpu_lines_ahead_begin(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->pool || lines->made.dry || lines->made.status || is_complete(lines, &lines->made))
        return;
    ahead->made = lines->made;
    ahead->over = false;
    ahead->run.task = make_rows;
    ahead->run.arg = lines;
    ahead->begun = true;
    kst_pool_begin(ahead->pool, &ahead->run);
}

/* End the task, and bring lines->made up to date. Returns whether a thread has done it. */
static bool finish(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    bool done = kst_pool_end(ahead->pool, &ahead->run);
    if (done)
        lines->made = ahead->made;
    ahead->begun = false;
    return done;
}

bool kst_jpeg_cpu_lines_ahead_wait(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->begun)
        return false;
    if (!kst_pool_is_taken(&ahead->run))
        return finish(lines);
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->over && ahead->made.ready == lines->made.ready)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    lines->made = ahead->made;
    bool over = ahead->over;
    pthread_mutex_unlock(&ahead->lock);
    return !over || finish(lines);
}

void kst_jpeg_cpu_lines_ahead_end(struct jpeg_arriving *lines)
{
    if (lines->ahead.begun)
        finish(lines);
}
