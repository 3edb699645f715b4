/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides rows into bands for threads, and keeps rows with a border around them. */
#include "filters/bands.h"

#include <string.h>

enum { BAND_ROWS = 16, BANDS_OF_THREAD = 4, SLACK = 64, ALIGNMENT = 64 };

struct filter_run {
    const struct filter_work *work;
    filter_band band;
    void *arg;
    uint32_t rows, bands;
    atomic_int status;
};

uint32_t kst_filter_band_count(const struct operation *operation, uint32_t rows)
{
    uint32_t most = operation->pool ? kst_pool_threads(operation->pool) * BANDS_OF_THREAD : 1;
    uint32_t bands = rows / BAND_ROWS;
    if (bands > most)
        bands = most;
    return bands > 0 ? bands : 1;
}

uint32_t kst_filter_band_begin(uint32_t rows, uint32_t bands, uint32_t index)
{
    return (uint32_t)((uint64_t)rows * index / bands);
}

static void run_band(void *arg, uint32_t index)
{
    struct filter_run *run = arg;
    kst_status status = run->band(run->work, run->arg, kst_filter_band_begin(run->rows, run->bands, index),
        kst_filter_band_begin(run->rows, run->bands, index + 1));
    if (status)
        atomic_store(&run->status, (int)status);
}

kst_status kst_filter_bands(const struct filter_work *work, uint32_t rows, filter_band band, void *arg)
{
    struct filter_run run = {work, band, arg, rows, kst_filter_band_count(work->operation, rows), 0};
    kst_pool_run(work->operation->pool, run.bands, run_band, &run);
    return (kst_status)atomic_load(&run.status);
}

kst_status kst_filter_window_make(struct memory *memory, const struct filter_pixels *from, uint32_t radius,
    enum filter_border border, struct filter_window *window)
{
    kst_status status = KST_OK;
    size_t pixel = (size_t)from->channels * from->bytes, before = (radius * pixel + ALIGNMENT - 1) / ALIGNMENT;
    *window = (struct filter_window){.from = from, .radius = radius, .count = 2 * radius + 1, .border = border};
    window->before = before * ALIGNMENT;
    window->pitch = window->before + (from->width + (size_t)radius) * pixel + SLACK;
    window->pitch = (window->pitch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    window->memory = kst_memory_zeroed(memory, window->count, window->pitch, &status);
    return status;
}

void kst_filter_window_drop(struct memory *memory, struct filter_window *window)
{
    kst_memory_release(memory, window->memory);
}

/* Return the index, from 0 to count − 1, that replaces an index outside that range. */
static uint32_t inside(int64_t index, uint32_t count, enum filter_border border)
{
    int64_t last = (int64_t)count - 1;
    if (border == FILTER_REPLICATE || last == 0)
        return (uint32_t)(index < 0 ? 0 : index > last ? last : index);
    index = index < 0 ? -index : index;
    index %= 2 * last;
    return (uint32_t)(index > last ? 2 * last - index : index);
}

void kst_filter_window_load(const struct filter_window *window, int64_t y)
{
    const struct filter_pixels *from = window->from;
    size_t pixel = (size_t)from->channels * from->bytes, width = from->width;
    uint8_t *to = window->memory + (size_t)((y + window->count) % window->count) * window->pitch + window->before;
    memcpy(to, kst_filter_row(from, inside(y, from->height, window->border)), width * pixel);
    for (uint32_t i = 1; i <= window->radius; i++) {
        memcpy(to - i * pixel, to + inside(-(int64_t)i, from->width, window->border) * pixel, pixel);
        int64_t right = (int64_t)width - 1 + i;
        memcpy(to + (size_t)right * pixel, to + inside(right, from->width, window->border) * pixel, pixel);
    }
}
