/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads on a scan without restart markers. */
#include <pthread.h>

#include "core/report.h"
#include "cpu/jpeg_job.h"

struct pair {
    struct jpeg_job *job;
    pthread_mutex_t lock;
    uint32_t progress; /* the row that the upper thread decodes */
    uint32_t split;    /* the row where it stops and the lower thread starts; the end: there is no lower one */
};

/* Take the next row for the upper thread; false where the lower thread has it. */
static bool take_row(struct pair *pair, uint32_t row)
{
    pthread_mutex_lock(&pair->lock);
    bool mine = row < pair->split;
    if (mine)
        pair->progress = row;
    pthread_mutex_unlock(&pair->lock);
    return mine;
}

static uint32_t upper_progress(struct pair *pair)
{
    pthread_mutex_lock(&pair->lock);
    uint32_t progress = pair->progress;
    pthread_mutex_unlock(&pair->lock);
    return progress;
}

static bool take_rest(struct pair *pair, uint32_t row)
{
    pthread_mutex_lock(&pair->lock);
    bool free = pair->progress < row;
    if (free)
        pair->split = row;
    pthread_mutex_unlock(&pair->lock);
    return free;
}

static void run_upper(struct pair *pair)
{
    struct jpeg_job *job = pair->job;
    struct jpeg_band *band = &job->band[0];
    struct jpeg_cursor cursor;
    uint32_t row = job->output->first_row;
    kst_jpeg_cursor_start(job->source->entropy, &cursor, 0);
    kst_jpeg_skip_mcus(job->source->entropy, &cursor, row * job->output->frame.mcus_w);
    kst_jpeg_cursor_forget(job->source->entropy, &cursor, true);
    kst_jpeg_band_start(band, row, &cursor);
    for (; take_row(pair, row); row++)
        kst_jpeg_band_step(band, row == job->output->first_row);
    if (row < kst_jpeg_job_end(job))
        kst_jpeg_job_meet(band, &job->border[0], row, true);
    kst_jpeg_damage_add(&job->damage[0], &band->cursor.damage);
}

/* What decoding costs, in units of about a nanosecond; only their ratio matters. */
static double cost(const struct jpeg_job *job, uint64_t bytes, uint32_t rows)
{
    static const double per_byte = 9.0, per_sample = 0.2;
    const struct jpeg_output *output = job->output;
    double samples = (double)output->mcu_lines * output->region.width * output->frame.component_count;
    return per_byte * (double)bytes + per_sample * samples * rows;
}

static uint64_t offset_of(const struct jpeg_job *job, const struct jpeg_cursor *cursor)
{
    return (uint64_t)(cursor->bits.next - job->source->plan->data);
}

/*
 * Skip rows until what is left below costs no more than what the upper thread has left above. Returns the row, or the
 * end where the upper thread got there first.
 */
static uint32_t skip_ahead(struct pair *pair, struct jpeg_cursor *cursor)
{
    const struct jpeg_job *job = pair->job;
    const struct jpeg_entropy *entropy = job->source->entropy;
    uint32_t end = kst_jpeg_job_end(job);
    uint64_t data_end = kst_jpeg_entropy_end(entropy);
    if (upper_progress(pair) + 1 >= end) /* both parts are one thread's, as where the others decode other pictures */
        return end;
    kst_jpeg_cursor_start(entropy, cursor, 0);
    kst_jpeg_skip_mcus(entropy, cursor, job->output->first_row * job->output->frame.mcus_w);
    uint64_t start = offset_of(job, cursor);
    for (uint32_t row = job->output->first_row + 1; row < end; row++) {
        kst_jpeg_skip_mcus(entropy, cursor, job->output->frame.mcus_w);
        uint64_t at = offset_of(job, cursor);
        double above = cost(job, at - start, row - job->output->first_row);
        double below = cost(job, data_end > at ? data_end - at : 0, end - row);
        uint32_t done = upper_progress(pair) - job->output->first_row;
        if (job->output->first_row + done + 1 >= end)
            return end;
        if (above < below / 4)
            continue;
        double left_above = above * (1.0 - (double)done / (row - job->output->first_row));
        if (left_above >= below)
            return take_rest(pair, row) ? row : end;
    }
    return end;
}

static void run_lower(struct pair *pair)
{
    struct jpeg_job *job = pair->job;
    struct jpeg_band *band = &job->band[1];
    struct jpeg_cursor cursor;
    uint32_t end = kst_jpeg_job_end(job);
    uint32_t split = skip_ahead(pair, &cursor);
    if (split == end)
        return;
    kst_jpeg_cursor_forget(job->source->entropy, &cursor, false);
    kst_jpeg_band_start(band, split, &cursor);
    for (uint32_t row = split; row < end; row++) {
        kst_jpeg_band_step(band, row == split);
        if (row == split)
            kst_jpeg_job_meet(band, &job->border[0], split, false);
    }
    kst_jpeg_damage_add(&job->damage[1], &band->cursor.damage);
}

static void pair_task(void *arg, uint32_t index)
{
    if (index == 0)
        run_upper(arg);
    else
        run_lower(arg);
}

void kst_jpeg_job_pair(struct jpeg_job *job)
{
    struct pair pair = {.job = job, .progress = job->output->first_row, .split = kst_jpeg_job_end(job)};
    pthread_mutex_init(&pair.lock, NULL);
    kst_pool_run(job->context->pool, 2, pair_task, &pair);
    pthread_mutex_destroy(&pair.lock);
}
