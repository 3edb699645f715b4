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

/* Return whether no row can be made after the last one, until more data have arrived or for good. */
static bool is_over(const struct jpeg_arriving *lines, const struct jpeg_rows_made *made)
{
    return made->dry || made->status || made->ready == lines->output.height;
}

static void make_rows(void *arg, uint32_t index)
{
    struct jpeg_arriving *lines = arg;
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    pthread_mutex_lock(&ahead->lock);
    ahead->started = true;
    struct jpeg_rows_made made = ahead->made;
    for (bool over = ahead->over; !over; index++) {
        pthread_mutex_unlock(&ahead->lock);
        kst_jpeg_cpu_lines_make(lines, &made);
        over = is_over(lines, &made) || index + 1 == JPEG_LINES_AHEAD;
        pthread_mutex_lock(&ahead->lock);
        ahead->made = made;
        ahead->over = over;
        pthread_cond_signal(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
}

void kst_jpeg_cpu_lines_ahead_begin(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->pool || ahead->begun || is_over(lines, &lines->made))
        return;
    ahead->made = lines->made;
    ahead->started = ahead->over = false;
    ahead->run.task = make_rows;
    ahead->run.arg = lines;
    ahead->begun = true;
    kst_pool_begin(ahead->pool, &ahead->run);
}

bool kst_jpeg_cpu_lines_ahead_wait(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->begun)
        return false;
    pthread_mutex_lock(&ahead->lock);
    if (!ahead->started) { /* the other thread is on its way; it goes on behind this row */
        kst_jpeg_cpu_lines_make(lines, &ahead->made);
        ahead->over = is_over(lines, &ahead->made);
    }
    while (!ahead->over && ahead->made.ready == lines->made.ready)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    lines->made = ahead->made;
    bool over = ahead->over;
    pthread_mutex_unlock(&ahead->lock);
    if (over)
        kst_jpeg_cpu_lines_ahead_end(lines);
    return true;
}

void kst_jpeg_cpu_lines_ahead_end(struct jpeg_arriving *lines)
{
    struct jpeg_lines_ahead *ahead = &lines->ahead;
    if (!ahead->begun)
        return;
    kst_pool_end(ahead->pool, &ahead->run);
    lines->made = ahead->made;
    ahead->begun = false;
}
