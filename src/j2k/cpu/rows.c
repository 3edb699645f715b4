/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the rows of strips in bands, and hands these to the caller's function, in order if it asked for that. */
#include "j2k/cpu/rows.h"

#include "image/format.h"

enum {
    BAND_BYTES = 1 << 18,
    /*
     * Bytes of a band that may have to wait for its turn: usually enough for a whole strip, which its thread makes
     * before it waits.
     */
    WAITING_BYTES = 1 << 22
};

void kst_j2k_cpu_rows_begin(struct j2k_rows *rows, const kst_row_writer *writer, const kst_image *image)
{
    *rows = (struct j2k_rows){.writer = writer, .shape = *image};
    kst_plane *plane = &rows->shape.plane[0];
    plane->data = rows->pixel;
    plane->pitch =
        (ptrdiff_t)((size_t)image->width * kst_format_channels(image->format) * kst_plane_sample_bytes(plane));
    pthread_mutex_init(&rows->lock, NULL);
    pthread_cond_init(&rows->passed, NULL);
}

void kst_j2k_cpu_rows_end(struct j2k_rows *rows)
{
    pthread_cond_destroy(&rows->passed);
    pthread_mutex_destroy(&rows->lock);
}

/* Return the number of components of a tile that are decoded together with the first one, including this one. */
static uint32_t first_set(const struct j2k_tile *tile)
{
    return tile->transform != J2K_TRANSFORM_NONE ? 3 : 1;
}

/* Return whether all wanted components are decoded together in a tile; the first of them is `first`. */
static bool is_together(
    const struct j2k_plan *plan, const struct j2k_target *target, const struct j2k_tile *tile, uint32_t first)
{
    uint32_t end = first < first_set(tile) ? first_set(tile) : first + 1;
    for (uint32_t c = end; c < plan->component_count; c++)
        if (target[c].data)
            return false;
    return true;
}

bool kst_j2k_cpu_rows_suit(const struct j2k_plan *plan, const struct j2k_target *target)
{
    uint32_t first = 0;
    while (first < plan->component_count && !target[first].data)
        first++;
    if (first == plan->component_count || plan->missing_tiles > 0)
        return false;
    struct j2k_rect left = plan->component[first].area;
    for (uint32_t t = 0; t < plan->tile_count; t++) {
        const struct j2k_tile *tile = &plan->tile[t];
        struct j2k_rect area = plan->tile_component[tile->first_component + first].area;
        if (area.x0 != left.x0 || area.x1 != left.x1 || area.y0 != left.y0 || !is_together(plan, target, tile, first))
            return false;
        left.y0 = area.y1;
    }
    return left.y0 == left.y1;
}

uint32_t kst_j2k_cpu_rows_of_band(const struct j2k_rows *rows, const struct pool *pool)
{
    uint64_t bytes = rows->writer->in_order && kst_pool_threads(pool) > 1 ? WAITING_BYTES : BAND_BYTES;
    uint64_t pitch = (uint64_t)rows->shape.plane[0].pitch, count = (bytes + pitch - 1) / pitch;
    return count < rows->shape.height ? (uint32_t)count : rows->shape.height;
}

void kst_j2k_cpu_rows_wait(struct j2k_rows *rows, uint32_t y)
{
    if (!rows->writer->in_order)
        return;
    pthread_mutex_lock(&rows->lock);
    while (rows->next < y)
        pthread_cond_wait(&rows->passed, &rows->lock);
    pthread_mutex_unlock(&rows->lock);
}

bool kst_j2k_cpu_rows_write(const struct j2k_rows *rows, uint32_t y, uint32_t count, void *data)
{
    kst_image band = rows->shape;
    band.height = band.plane[0].height = count;
    band.plane[0].data = data;
    return rows->writer->write(rows->writer->user, y, &band);
}

void kst_j2k_cpu_rows_pass(struct j2k_rows *rows, uint32_t y)
{
    pthread_mutex_lock(&rows->lock);
    rows->next = y > rows->next ? y : rows->next;
    pthread_cond_broadcast(&rows->passed);
    pthread_mutex_unlock(&rows->lock);
}
