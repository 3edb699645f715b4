/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up the threads of a crew, and runs the two simple ways to share a picture: one thread for all of it, or bands at
 * whose start the state of the decoder is known.
 */
#include "jpeg/cpu/crew.h"

#include "core/report.h"

static kst_status create_bands(struct jpeg_crew *crew)
{
    kst_status status = KST_OK;
    crew->band = kst_memory_zeroed(crew->op->memory, crew->threads, sizeof *crew->band, &status);
    for (uint32_t i = 0; !status && i < crew->threads; i++)
        status = kst_jpeg_cpu_band_create(crew->op->memory, &crew->making, crew->source, &crew->band[i]);
    return status;
}

static kst_status create_borders(struct jpeg_crew *crew)
{
    kst_status status = KST_OK;
    crew->border = kst_memory_zeroed(crew->op->memory, crew->border_count, sizeof *crew->border, &status);
    for (uint32_t i = 0; !status && i < crew->border_count; i++)
        status = kst_jpeg_cpu_seam_create(crew->op->memory, crew->output, &crew->border[i].seam);
    return status;
}

kst_status kst_jpeg_cpu_crew_create(struct jpeg_crew *crew, uint32_t threads, uint32_t borders)
{
    kst_status status = KST_OK;
    crew->threads = threads;
    crew->border_count = borders;
    crew->damage = kst_memory_array(crew->op->memory, threads, sizeof *crew->damage, &status);
    if (!status)
        status = create_bands(crew);
    if (!status)
        status = create_borders(crew);
    if (status) {
        kst_jpeg_cpu_crew_release(crew);
        return status;
    }
    for (uint32_t i = 0; i < threads; i++)
        kst_jpeg_cpu_damage_init(&crew->damage[i]);
    return KST_OK;
}

void kst_jpeg_cpu_crew_release(struct jpeg_crew *crew)
{
    for (uint32_t i = 0; crew->border && i < crew->border_count; i++)
        kst_jpeg_cpu_seam_release(crew->op->memory, &crew->border[i].seam);
    for (uint32_t i = 0; crew->band && i < crew->threads; i++)
        kst_jpeg_cpu_band_release(crew->op->memory, &crew->band[i]);
    kst_memory_release(crew->op->memory, crew->border);
    kst_memory_release(crew->op->memory, crew->band);
    kst_memory_release(crew->op->memory, crew->damage);
    crew->border = NULL;
    crew->band = NULL;
    crew->damage = NULL;
}

uint32_t kst_jpeg_cpu_crew_end(const struct jpeg_crew *crew)
{
    return crew->output->first_row + crew->output->row_count;
}

void kst_jpeg_cpu_crew_meet(struct jpeg_band *band, struct jpeg_border *border, uint32_t row, bool above)
{
    if (band->output->lag == 0)
        return;
    kst_jpeg_cpu_seam_keep(&band->rows, &border->seam, above ? row - 1 : row, above);
    if (atomic_fetch_add(&border->halves, 1) == 1)
        kst_jpeg_cpu_seam_emit(&band->rows, &border->seam, row);
}

/* Put a cursor at the start of an MCU row, by the nearest restart marker or checkpoint before it. */
static void seek(const struct jpeg_crew *crew, uint32_t row, struct jpeg_cursor *cursor)
{
    const struct jpeg_entropy *entropy = crew->source->entropy;
    uint32_t mcu = row * crew->output->frame.mcus_w;
    uint32_t length = entropy->scan->restart_interval;
    if (crew->checkpoints) {
        kst_jpeg_cpu_checkpoints_seek(crew->checkpoints, entropy, mcu, cursor);
    } else {
        kst_jpeg_cpu_cursor_start(entropy, cursor, length ? mcu / length : 0);
        kst_jpeg_cpu_skip_mcus(entropy, cursor, mcu - cursor->mcu);
    }
    /* The thread that decodes the band before counts the damage before this row. */
    kst_jpeg_cpu_cursor_forget(entropy, cursor, row == crew->output->first_row);
}

void kst_jpeg_cpu_crew_decode(struct jpeg_crew *crew, uint32_t thread, const struct jpeg_stretch *stretch)
{
    struct jpeg_band *band = &crew->band[thread];
    kst_jpeg_cpu_band_start(band, stretch->from, stretch->cursor);
    if (stretch->shift)
        kst_jpeg_cpu_band_borrow(band, stretch->shift);
    for (uint32_t row = stretch->from; row < stretch->to; row++) {
        kst_jpeg_cpu_band_step(band, row == stretch->from);
        if (row == stretch->from && stretch->above)
            kst_jpeg_cpu_crew_meet(band, stretch->above, row, false);
    }
    if (stretch->below)
        kst_jpeg_cpu_crew_meet(band, stretch->below, stretch->to, true);
    if (stretch->cursor)
        kst_jpeg_cpu_damage_add(&crew->damage[thread], &band->cursor.damage);
}

void kst_jpeg_cpu_crew_alone(struct jpeg_crew *crew)
{
    struct jpeg_cursor cursor;
    bool entropy = crew->source->entropy != NULL;
    if (entropy)
        seek(crew, crew->output->first_row, &cursor);
    struct jpeg_stretch all = {
        .from = crew->output->first_row, .to = kst_jpeg_cpu_crew_end(crew), .cursor = entropy ? &cursor : NULL};
    kst_jpeg_cpu_crew_decode(crew, 0, &all);
}

struct spread {
    struct jpeg_crew *crew;
    atomic_uint next;
    uint32_t bands;
};

uint32_t kst_jpeg_cpu_crew_bands(const struct jpeg_output *output, uint32_t threads)
{
    enum { BANDS_PER_THREAD = 4 };
    uint32_t bands = threads * BANDS_PER_THREAD;
    return bands < output->row_count ? bands : output->row_count;
}

static uint32_t band_start(const struct spread *spread, uint32_t band)
{
    const struct jpeg_output *output = spread->crew->output;
    return output->first_row + (uint32_t)((uint64_t)output->row_count * band / spread->bands);
}

static void spread_task(void *arg, uint32_t thread)
{
    struct spread *spread = arg;
    struct jpeg_crew *crew = spread->crew;
    uint32_t i;
    while ((i = atomic_fetch_add(&spread->next, 1)) < spread->bands) {
        struct jpeg_stretch stretch = {.from = band_start(spread, i), .to = band_start(spread, i + 1)};
        struct jpeg_cursor cursor;
        if (i > 0)
            stretch.above = &crew->border[i - 1];
        if (i + 1 < spread->bands)
            stretch.below = &crew->border[i];
        if (crew->source->entropy) {
            seek(crew, stretch.from, &cursor);
            stretch.cursor = &cursor;
        }
        kst_jpeg_cpu_crew_decode(crew, thread, &stretch);
    }
}

void kst_jpeg_cpu_crew_spread(struct jpeg_crew *crew)
{
    struct spread spread = {.crew = crew, .bands = crew->border_count + 1};
    kst_pool_run(crew->op->pool, crew->threads, spread_task, &spread);
}
