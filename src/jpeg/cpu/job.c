/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up the threads of a job and runs the simple ways to share a picture: one thread, or bands that start anywhere.
 */
#include "jpeg/cpu/job.h"

#include "core/report.h"

static kst_status create_bands(struct jpeg_job *job)
{
    kst_status status = KST_OK;
    job->band = kst_memory_zeroed(job->op->memory, job->threads, sizeof *job->band, &status);
    for (uint32_t i = 0; !status && i < job->threads; i++)
        status = kst_jpeg_band_create(job->op->memory, job->output, job->source, &job->band[i]);
    return status;
}

static kst_status create_borders(struct jpeg_job *job)
{
    kst_status status = KST_OK;
    job->border = kst_memory_zeroed(job->op->memory, job->border_count, sizeof *job->border, &status);
    for (uint32_t i = 0; !status && i < job->border_count; i++)
        status = kst_jpeg_seam_create(job->op->memory, job->output, &job->border[i].seam);
    return status;
}

kst_status kst_jpeg_job_create(struct jpeg_job *job, uint32_t threads, uint32_t borders)
{
    kst_status status = KST_OK;
    job->threads = threads;
    job->border_count = borders;
    job->damage = kst_memory_array(job->op->memory, threads, sizeof *job->damage, &status);
    if (!status)
        status = create_bands(job);
    if (!status)
        status = create_borders(job);
    if (status) {
        kst_jpeg_job_release(job);
        return status;
    }
    for (uint32_t i = 0; i < threads; i++)
        kst_jpeg_damage_init(&job->damage[i]);
    return KST_OK;
}

void kst_jpeg_job_release(struct jpeg_job *job)
{
    for (uint32_t i = 0; job->border && i < job->border_count; i++)
        kst_jpeg_seam_release(job->op->memory, &job->border[i].seam);
    for (uint32_t i = 0; job->band && i < job->threads; i++)
        kst_jpeg_band_release(job->op->memory, &job->band[i]);
    kst_memory_release(job->op->memory, job->border);
    kst_memory_release(job->op->memory, job->band);
    kst_memory_release(job->op->memory, job->damage);
}

uint32_t kst_jpeg_job_end(const struct jpeg_job *job)
{
    return job->output->first_row + job->output->row_count;
}

void kst_jpeg_job_meet(struct jpeg_band *band, struct jpeg_border *border, uint32_t row, bool above)
{
    if (band->output->lag == 0)
        return;
    kst_jpeg_seam_keep(&band->rows, &border->seam, above ? row - 1 : row, above);
    if (atomic_fetch_add(&border->halves, 1) == 1)
        kst_jpeg_seam_emit(&band->rows, &border->seam, row);
}

/* Put a cursor at the start of an MCU row, by the nearest restart marker or checkpoint before it. */
static void seek(const struct jpeg_job *job, uint32_t row, struct jpeg_cursor *cursor)
{
    const struct jpeg_entropy *entropy = job->source->entropy;
    uint32_t mcu = row * job->output->frame.mcus_w;
    uint32_t length = entropy->scan->restart_interval;
    if (job->checkpoints) {
        kst_jpeg_checkpoints_seek(job->checkpoints, entropy, mcu, cursor);
    } else {
        kst_jpeg_cursor_start(entropy, cursor, length ? mcu / length : 0);
        kst_jpeg_skip_mcus(entropy, cursor, mcu - cursor->mcu);
    }
    /* The thread that decodes the band before counts the damage before this row. */
    kst_jpeg_cursor_forget(entropy, cursor, row == job->output->first_row);
}

void kst_jpeg_job_decode(struct jpeg_job *job, uint32_t thread, const struct jpeg_stretch *stretch)
{
    struct jpeg_band *band = &job->band[thread];
    kst_jpeg_band_start(band, stretch->from, stretch->cursor);
    if (stretch->shift)
        kst_jpeg_band_borrow(band, stretch->shift);
    for (uint32_t row = stretch->from; row < stretch->to; row++) {
        kst_jpeg_band_step(band, row == stretch->from);
        if (row == stretch->from && stretch->above)
            kst_jpeg_job_meet(band, stretch->above, row, false);
    }
    if (stretch->below)
        kst_jpeg_job_meet(band, stretch->below, stretch->to, true);
    if (stretch->cursor)
        kst_jpeg_damage_add(&job->damage[thread], &band->cursor.damage);
}

void kst_jpeg_job_alone(struct jpeg_job *job)
{
    struct jpeg_cursor cursor;
    bool entropy = job->source->entropy != NULL;
    if (entropy)
        seek(job, job->output->first_row, &cursor);
    struct jpeg_stretch all = {
        .from = job->output->first_row, .to = kst_jpeg_job_end(job), .cursor = entropy ? &cursor : NULL};
    kst_jpeg_job_decode(job, 0, &all);
}

struct spread {
    struct jpeg_job *job;
    atomic_uint next;
    uint32_t bands;
};

uint32_t kst_jpeg_job_bands(const struct jpeg_output *output, uint32_t threads)
{
    enum { BANDS_PER_THREAD = 4 };
    uint32_t bands = threads * BANDS_PER_THREAD;
    return bands < output->row_count ? bands : output->row_count;
}

static uint32_t band_start(const struct spread *spread, uint32_t band)
{
    const struct jpeg_output *output = spread->job->output;
    return output->first_row + (uint32_t)((uint64_t)output->row_count * band / spread->bands);
}

static void spread_task(void *arg, uint32_t thread)
{
    struct spread *spread = arg;
    struct jpeg_job *job = spread->job;
    uint32_t i;
    while ((i = atomic_fetch_add(&spread->next, 1)) < spread->bands) {
        struct jpeg_stretch stretch = {.from = band_start(spread, i), .to = band_start(spread, i + 1)};
        struct jpeg_cursor cursor;
        if (i > 0)
            stretch.above = &job->border[i - 1];
        if (i + 1 < spread->bands)
            stretch.below = &job->border[i];
        if (job->source->entropy) {
            seek(job, stretch.from, &cursor);
            stretch.cursor = &cursor;
        }
        kst_jpeg_job_decode(job, thread, &stretch);
    }
}

void kst_jpeg_job_spread(struct jpeg_job *job)
{
    struct spread spread = {.job = job, .bands = job->border_count + 1};
    kst_pool_run(job->op->pool, job->threads, spread_task, &spread);
}
