/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes the rows and then the columns of an image, or the reverse, on threads. */
#include "resize/cpu/resize.h"

#include <string.h>

#include "image/format.h"
#include "resize/cpu/finish.h"
#include "resize/cpu/rows.h"

enum {
    STRIP = 4,           /* rows that are resized horizontally together */
    BANDS_OF_THREAD = 2, /* several, so that a thread which begins late gets less to do */
    ALIGNMENT = 64
};

/* Holds rows in memory. */
struct resize_lines {
    uint8_t *data;
    ptrdiff_t pitch;
};

/* Holds the work on one plane, and the current pass. */
struct resize_job {
    const struct resize_plan *plan;
    struct resize_dsp dsp;
    uint32_t pixel; /* bytes */
    uint32_t channels;
    uint32_t sample; /* bytes */
    uint32_t greatest;
    uint32_t safe;               /* pixels of a row whose making reads nothing behind the end of the source row */
    uint32_t bands;              /* bands of each pass */
    struct resize_lines scratch; /* STRIP rows for each band; null data: none are needed */
    struct resize_lines weighed; /* rows multiplied by alpha; null data: strips are, when resized horizontally */
    struct resize_lines between; /* rows between the passes; null data: there is one pass */
    struct resize_lines from, to;
    uint32_t rows; /* rows that the pass makes */
    bool last;     /* the pass makes rows of the result */
};

static uint8_t *line_of(const struct resize_lines *lines, uint32_t index)
{
    return lines->data + (ptrdiff_t)index * lines->pitch;
}

/* Return the first row of band `index`, a multiple of STRIP; of `rows` rows in all. */
static uint32_t border_of(uint32_t rows, uint32_t bands, uint32_t index)
{
    uint64_t strips = ((uint64_t)rows + STRIP - 1) / STRIP, border = strips * index / bands * STRIP;
    return border < rows ? (uint32_t)border : rows;
}

static void finish(const struct resize_job *job, uint8_t *row)
{
    if (job->plan->passes.weighed)
        kst_resize_divide_by_alpha(row, job->plan->width, job->sample, job->greatest);
    if (job->plan->passes.mirror)
        kst_resize_mirror(row, job->plan->width, job->pixel);
}

static struct resize_rows rows_of(const struct resize_job *job, uint32_t from, uint32_t to, uint32_t count)
{
    return (struct resize_rows){.from = line_of(&job->from, from),
        .from_pitch = job->from.pitch,
        .to = line_of(&job->to, to),
        .to_pitch = job->to.pitch,
        .count = count,
        .channels = job->channels,
        .greatest = job->greatest};
}

static void weigh(const struct resize_job *job, const struct resize_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++)
        kst_resize_weigh_by_alpha(rows->from + i * rows->from_pitch, rows->to + i * rows->to_pitch,
            job->plan->columns.count, job->sample, job->greatest);
}

/* Copy columns from `first` on. */
static void copy(const struct resize_job *job, const struct resize_rows *rows, uint32_t first)
{
    size_t begin = (size_t)first * job->pixel, end = (size_t)job->plan->columns.count * job->pixel;
    for (uint32_t i = 0; i < rows->count; i++)
        memcpy(rows->to + i * rows->to_pitch + begin, rows->from + i * rows->from_pitch + begin, end - begin);
}

static struct resize_rows redirect(struct resize_rows rows, const struct resize_lines *to)
{
    rows.to = to->data;
    rows.to_pitch = to->pitch;
    return rows;
}

static struct resize_rows take_from(struct resize_rows rows, const struct resize_lines *from)
{
    rows.from = from->data;
    rows.from_pitch = from->pitch;
    return rows;
}

/*
 * Resize rows horizontally. Pixels whose windows reach too close to the end of the row are made from a padded copy in
 * `scratch`.
 */
static void make_across(const struct resize_job *job, struct resize_rows rows, const struct resize_lines *scratch)
{
    const struct resize_weights *weights = &job->plan->across;
    const struct resize_rows padded = take_from(rows, scratch), scratched = redirect(rows, scratch);
    uint32_t safe = job->safe;
    if (job->plan->passes.weighed && !job->weighed.data) {
        weigh(job, &scratched);
        rows = padded;
        safe = weights->count;
    }
    if (!weights->weight) {
        copy(job, &rows, 0);
        return;
    }
    job->dsp.across(weights, &rows, 0, safe);
    if (safe == weights->count)
        return;
    copy(job, &scratched, weights->window[safe].first);
    job->dsp.across(weights, &padded, safe, weights->count);
}

static void band_across(void *arg, uint32_t index)
{
    const struct resize_job *job = arg;
    struct resize_lines scratch = job->scratch;
    if (scratch.data)
        scratch.data = line_of(&job->scratch, index * STRIP);
    uint32_t end = border_of(job->rows, job->bands, index + 1);
    for (uint32_t row = border_of(job->rows, job->bands, index); row < end; row += STRIP) {
        uint32_t count = end - row < STRIP ? end - row : STRIP;
        make_across(job, rows_of(job, row, row, count), &scratch);
        for (uint32_t i = 0; i < count && job->last; i++)
            finish(job, line_of(&job->to, row + i));
    }
}

static void band_down(void *arg, uint32_t index)
{
    const struct resize_job *job = arg;
    const struct resize_weights *weights = &job->plan->down;
    size_t pixels = job->plan->passes.down_first ? job->plan->columns.count : job->plan->width;
    uint32_t end = border_of(job->rows, job->bands, index + 1);
    for (uint32_t row = border_of(job->rows, job->bands, index); row < end; row++) {
        const struct resize_rows rows = rows_of(job, weights->window[row].first, row, 1);
        job->dsp.down(weights, row, &rows, pixels * job->channels);
        if (job->last)
            finish(job, rows.to);
    }
}

static void band_weigh(void *arg, uint32_t index)
{
    const struct resize_job *job = arg;
    uint32_t begin = border_of(job->rows, job->bands, index), end = border_of(job->rows, job->bands, index + 1);
    const struct resize_rows rows = rows_of(job, begin, begin, end - begin);
    weigh(job, &rows);
}

/* Return the number of leading pixels whose windows, and the `reach` pixels read behind them, lie within the row. */
static uint32_t count_safe(const struct resize_weights *weights, uint32_t width, uint32_t reach)
{
    uint32_t safe = weights->count;
    while (safe > 0 && (uint64_t)weights->window[safe - 1].first + weights->window[safe - 1].length + reach > width)
        safe--;
    return safe;
}

static kst_status allocate(struct memory *memory, size_t rows, size_t length, struct resize_lines *lines)
{
    kst_status status = KST_OK;
    size_t pitch = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    lines->pitch = (ptrdiff_t)pitch;
    lines->data = kst_memory_array(memory, rows, pitch, &status);
    return status;
}

static bool goes_across(const struct resize_plan *plan)
{
    return plan->across.weight || plan->passes.weighed || !plan->down.weight;
}

/* Allocate the buffers that all planes use in turn. */
static kst_status make_buffers(struct memory *memory, struct resize_job *job)
{
    const struct resize_plan *plan = job->plan;
    size_t source = (size_t)plan->columns.count * job->pixel, result = (size_t)plan->width * job->pixel;
    bool ends = plan->across.weight && job->safe < plan->width;
    kst_status status = KST_OK;
    if (ends || (plan->passes.weighed && !plan->passes.down_first))
        status =
            allocate(memory, (size_t)job->bands * STRIP, source + (size_t)job->dsp.reach * job->pixel, &job->scratch);
    if (!status && plan->passes.down_first && plan->passes.weighed)
        status = allocate(memory, plan->rows.count, source, &job->weighed);
    if (!status && plan->passes.down_first)
        status = allocate(memory, plan->down.count, source, &job->between);
    else if (!status && goes_across(plan) && plan->down.weight)
        status = allocate(memory, plan->rows.count, result, &job->between);
    return status;
}

static void set_up(
    struct resize_job *job, const struct operation *operation, struct resize_plan *plan, const kst_image *from)
{
    struct resize_weights *across = &plan->across;
    *job = (struct resize_job){.plan = plan, .channels = kst_format_samples(from->format)};
    job->sample = kst_plane_sample_bytes(&from->plane[0]);
    job->pixel = job->sample * job->channels;
    job->bands = operation->pool ? kst_pool_threads(operation->pool) * BANDS_OF_THREAD : 1;
    kst_resize_dsp_init(&job->dsp, operation->tier, job->sample > 1);
    if (plan->down.weight && job->dsp.pack_down)
        job->dsp.pack_down(&plan->down);
    if (!across->weight)
        return;
    job->safe = count_safe(across, plan->columns.count, job->dsp.reach);
    if (job->dsp.pack_across)
        job->dsp.pack_across(across);
}

/* Run a pass, which makes rows from those of the pass before it, or from the image. */
static void pass(struct resize_job *job, struct pool *pool, void (*band)(void *arg, uint32_t index), uint32_t rows,
    const struct resize_lines *to)
{
    job->to = *to;
    job->rows = rows;
    kst_pool_run(pool, job->bands, band, job);
    job->from = *to;
}

static void run_plane(struct resize_job *job, struct pool *pool, const kst_plane *from, const kst_plane *to)
{
    const struct resize_plan *plan = job->plan;
    const struct resize_lines result = {to->data, to->pitch}, source = {from->data, from->pitch};
    job->greatest = (1U << kst_plane_depth(from)) - 1;
    job->from = source;
    job->from.data = line_of(&source, plan->rows.first) + (size_t)plan->columns.first * job->pixel;
    job->last = false;
    if (job->weighed.data)
        pass(job, pool, band_weigh, plan->rows.count, &job->weighed);
    if (plan->passes.down_first)
        pass(job, pool, band_down, plan->down.count, &job->between);
    else if (job->between.data)
        pass(job, pool, band_across, plan->rows.count, &job->between);
    job->last = true;
    if (plan->down.weight && !plan->passes.down_first)
        pass(job, pool, band_down, plan->down.count, &result);
    else
        pass(job, pool, band_across, plan->passes.down_first ? plan->down.count : plan->rows.count, &result);
}

kst_status kst_resize_run(
    const struct operation *operation, struct resize_plan *plan, const kst_image *from, const kst_image *to)
{
    struct resize_job job;
    set_up(&job, operation, plan, from);
    kst_status status = make_buffers(operation->memory, &job);
    for (uint32_t i = 0; i < from->plane_count && !status; i++)
        run_plane(&job, operation->pool, &from->plane[i], &to->plane[i]);
    kst_memory_release(operation->memory, job.scratch.data);
    kst_memory_release(operation->memory, job.weighed.data);
    kst_memory_release(operation->memory, job.between.data);
    return status;
}
