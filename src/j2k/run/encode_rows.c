/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provides rows that the caller can only read in order, from the top. The encoder's threads read several rows at the
 * same time, so that as many of the latest rows are kept. If a row above these is needed, reading begins again with the
 * first row.
 */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/run/encode.h"

struct j2k_kept_rows {
    const kst_rows *from; /* functions of the caller */
    kst_rows rows;        /* functions that the encoder calls instead */
    pthread_mutex_t lock; /* guards the members below */
    uint8_t *data;        /* a ring of rows */
    size_t row, pixel;    /* bytes of a row and of a pixel */
    uint32_t width, count;
    uint32_t next; /* row that the caller's function reads next */
    bool failed;
};

static uint8_t *row_at(const struct j2k_kept_rows *kept, uint32_t y)
{
    return kept->data + (size_t)(y % kept->count) * kept->row;
}

/* Call the caller's function until the wanted row has been read. */
static bool bring(struct j2k_kept_rows *kept, uint32_t y)
{
    const kst_rows *from = kept->from;
    if (y < kept->next && kept->next - y > kept->count) {
        kept->failed = kept->failed || !from->again(from->user);
        kept->next = 0;
    }
    for (; kept->next <= y && !kept->failed; kept->next++)
        kept->failed = !from->read(from->user, 0, 0, kept->next, kept->width, row_at(kept, kept->next));
    return !kept->failed;
}

static bool read_row(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct j2k_kept_rows *kept = user;
    (void)plane; /* there is only one */
    pthread_mutex_lock(&kept->lock);
    bool good = bring(kept, y);
    if (good)
        memcpy(samples, row_at(kept, y) + x * kept->pixel, count * kept->pixel);
    pthread_mutex_unlock(&kept->lock);
    return good;
}

/*
 * Return the number of rows that are read at the same time: those of an excerpt on a GPU, of a row of tiles, or of a
 * step in a single tile.
 */
static uint32_t rows_at_once(const struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    uint32_t most = encoder->in_excerpts ? encoder->cut.rows : 0;
    if (plan->tile_count == 1 && !encoder->in_excerpts)
        return kst_j2k_cpu_encode_rows_at_once(plan, kst_pool_threads(encoder->e->context->pool));
    for (uint32_t t = 0; t < plan->tile_count && plan->tile_count > 1; t++) {
        uint32_t rows = plan->tile[t].rect.y1 - plan->tile[t].rect.y0;
        most = rows > most ? rows : most;
    }
    return most;
}

static kst_status make(struct j2k_encoder *encoder, struct j2k_kept_rows *kept)
{
    const kst_image *image = encoder->image;
    uint32_t most = rows_at_once(encoder);
    kst_status status = KST_OK;
    kept->from = encoder->e->rows;
    kept->rows = (kst_rows){.size = sizeof kept->rows, .read = read_row, .user = kept, .in_order = true};
    kept->width = image->width;
    kept->count = most < image->height ? most : image->height;
    kept->pixel = (size_t)kst_format_samples(image->format) * kst_plane_sample_bytes(&image->plane[0]);
    kept->row = kept->pixel * image->width;
    kept->data = kst_memory_array(&encoder->e->memory, kept->count, kept->row, &status);
    return status;
}

kst_status kst_j2k_run_encode_keep_rows(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    kst_status status = KST_OK;
    if (!e->rows || !e->rows->in_order)
        return KST_OK;
    struct j2k_kept_rows *kept = kst_memory_zeroed(&e->memory, 1, sizeof *kept, &status);
    if (!kept)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, NULL);
    if (pthread_mutex_init(&kept->lock, NULL) != 0) {
        kst_memory_release(&e->memory, kept);
        return kst_report_error(&e->report, KST_ERROR_THREAD, KST_NO_OFFSET, NULL);
    }
    encoder->kept = kept;
    status = make(encoder, kept);
    if (status)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, NULL);
    e->rows = encoder->request.rows = &kept->rows;
    return KST_OK;
}

void kst_j2k_run_encode_drop_rows(struct j2k_encoder *encoder)
{
    struct j2k_kept_rows *kept = encoder->kept;
    if (!kept)
        return;
    encoder->e->rows = kept->from;
    pthread_mutex_destroy(&kept->lock);
    kst_memory_release(&encoder->e->memory, kept->data);
    kst_memory_release(&encoder->e->memory, kept);
    encoder->kept = NULL;
}
