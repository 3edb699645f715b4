/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the rows that threads decode into bands and calls the caller's function with each complete band. */
#include "jpeg/cpu/bands.h"

enum {
    BAND_BYTES = 1 << 18,
    AHEAD_PER_THREAD = 16,
    MOST_LEFT = 8 /* complete bands that may wait for the thread that took over */
};

struct jpeg_band_rows {
    struct jpeg_band_rows *next;
    uint32_t index; /* index of the band in the picture */
    uint32_t left;  /* number of rows that are not written yet */
    uint8_t *data;
};

void kst_jpeg_bands_begin(struct jpeg_bands *bands, struct memory *memory, const kst_row_writer *writer,
    const kst_image *image, uint32_t lines, uint32_t threads)
{
    *bands = (struct jpeg_bands){.writer = writer, .memory = memory, .shape = *image};
    uint64_t bytes = (uint64_t)image->plane[0].pitch * lines;
    uint64_t rows = lines * ((BAND_BYTES + bytes - 1) / bytes);
    bands->rows = rows < image->height ? (uint32_t)rows : image->height;
    bands->ahead = threads * AHEAD_PER_THREAD;
    pthread_mutex_init(&bands->lock, NULL);
    pthread_cond_init(&bands->written, NULL);
    pthread_cond_init(&bands->changed, NULL);
}

static uint32_t first_row(const struct jpeg_bands *bands, uint32_t index)
{
    return index * bands->rows;
}

static uint32_t row_count(const struct jpeg_bands *bands, uint32_t index)
{
    uint32_t left = bands->shape.height - first_row(bands, index);
    return left < bands->rows ? left : bands->rows;
}

/* The caller holds the lock; so it does for all functions down to kst_jpeg_bands_rows(). */
static void fail(struct jpeg_bands *bands, kst_status status)
{
    if (bands->status == KST_OK)
        bands->status = status;
    pthread_cond_broadcast(&bands->written);
}

static struct jpeg_band_rows *find(const struct jpeg_bands *bands, uint32_t index)
{
    struct jpeg_band_rows *band = bands->open;
    while (band && band->index != index)
        band = band->next;
    return band;
}

static struct jpeg_band_rows *make(struct jpeg_bands *bands)
{
    kst_status status = KST_OK;
    size_t head = (sizeof(struct jpeg_band_rows) + 63) / 64 * 64;
    size_t length = (size_t)bands->shape.plane[0].pitch * bands->rows;
    struct jpeg_band_rows *band = kst_memory_array(bands->memory, head + length, 1, &status);
    if (band)
        band->data = (uint8_t *)band + head;
    else
        fail(bands, status);
    return band;
}

static struct jpeg_band_rows *open_band(struct jpeg_bands *bands, uint32_t index)
{
    struct jpeg_band_rows *band = bands->spare;
    if (band)
        bands->spare = band->next;
    else
        band = make(bands);
    if (!band)
        return NULL;
    band->index = index;
    band->left = row_count(bands, index);
    band->next = bands->open;
    bands->open = band;
    return band;
}

static void take_out(struct jpeg_bands *bands, struct jpeg_band_rows *band)
{
    struct jpeg_band_rows **link = &bands->open;
    while (*link != band)
        link = &(*link)->next;
    *link = band->next;
}

/* Hand a band to the caller's function, releasing the lock meanwhile, and keep its memory for reuse. */
static void write_band(struct jpeg_bands *bands, struct jpeg_band_rows *band)
{
    kst_image rows = bands->shape;
    bool dropped = bands->status != KST_OK;
    rows.height = rows.plane[0].height = row_count(bands, band->index);
    rows.plane[0].data = band->data;
    take_out(bands, band);
    pthread_mutex_unlock(&bands->lock);
    bool good = dropped || bands->writer->write(bands->writer->user, first_row(bands, band->index), &rows);
    pthread_mutex_lock(&bands->lock);
    band->next = bands->spare;
    bands->spare = band;
    if (!good)
        fail(bands, KST_ERROR_WRITE);
}

/* Hand out all complete bands whose turn it is. If another thread is already doing this, it will hand these out too. */
static void write_in_order(struct jpeg_bands *bands)
{
    struct jpeg_band_rows *band;
    if (bands->writing)
        return;
    bands->writing = true;
    while ((band = find(bands, bands->next)) != NULL && band->left == 0) {
        write_band(bands, band);
        bands->next++;
        pthread_cond_broadcast(&bands->written);
    }
    bands->writing = false;
}

/*
 * With in-order delivery, bands wait for those before them. Threads take up their parts of the picture from the top, so
 * the thread that the others wait for is never far ahead itself.
 */
static void wait_for_room(struct jpeg_bands *bands, uint32_t index)
{
    while (bands->writer->in_order && bands->status == KST_OK && index > bands->next + bands->ahead)
        pthread_cond_wait(&bands->written, &bands->lock);
}

uint8_t *kst_jpeg_bands_rows(struct jpeg_bands *bands, uint32_t y, uint32_t *count)
{
    uint32_t index = y / bands->rows, row = y - first_row(bands, index);
    pthread_mutex_lock(&bands->lock);
    struct jpeg_band_rows *band = find(bands, index);
    if (!band) {
        wait_for_room(bands, index);
        band = find(bands, index); /* another thread may have opened this band during the wait */
    }
    if (!band && bands->status == KST_OK)
        band = open_band(bands, index);
    pthread_mutex_unlock(&bands->lock);
    *count = band ? row_count(bands, index) - row : 1;
    return band ? band->data + (ptrdiff_t)row * bands->shape.plane[0].pitch : NULL;
}

/* Whether a band that was just completed is left to the thread that took over; the caller holds the lock. */
static bool leave_for_later(struct jpeg_bands *bands)
{
    if (!bands->taken_over || bands->left == MOST_LEFT)
        return false;
    bands->left++;
    pthread_cond_signal(&bands->changed);
    return true;
}

void kst_jpeg_bands_done(struct jpeg_bands *bands, uint32_t y, uint32_t count)
{
    pthread_mutex_lock(&bands->lock);
    struct jpeg_band_rows *band = find(bands, y / bands->rows);
    if (band)
        band->left -= count;
    if (band && band->left == 0 && !leave_for_later(bands)) {
        if (bands->writer->in_order)
            write_in_order(bands);
        else
            write_band(bands, band);
    }
    pthread_mutex_unlock(&bands->lock);
}

/* The caller holds the lock; so it does for write_left(). */
static struct jpeg_band_rows *find_complete(const struct jpeg_bands *bands)
{
    struct jpeg_band_rows *band = bands->open;
    while (band && band->left > 0)
        band = band->next;
    return band;
}

static void write_left(struct jpeg_bands *bands)
{
    while (bands->left > 0) {
        if (bands->writer->in_order) {
            bands->left = 0;
            write_in_order(bands);
        } else {
            bands->left--;
            write_band(bands, find_complete(bands));
        }
    }
}

void kst_jpeg_bands_take_over(struct jpeg_bands *bands)
{
    pthread_mutex_lock(&bands->lock);
    bands->taken_over = true;
    pthread_mutex_unlock(&bands->lock);
}

void kst_jpeg_bands_hand_out(struct jpeg_bands *bands)
{
    pthread_mutex_lock(&bands->lock);
    write_left(bands);
    pthread_mutex_unlock(&bands->lock);
}

void kst_jpeg_bands_hand_out_all(struct jpeg_bands *bands)
{
    pthread_mutex_lock(&bands->lock);
    write_left(bands);
    while (bands->taken_over) {
        pthread_cond_wait(&bands->changed, &bands->lock);
        write_left(bands);
    }
    pthread_mutex_unlock(&bands->lock);
}

void kst_jpeg_bands_take_back(struct jpeg_bands *bands)
{
    pthread_mutex_lock(&bands->lock);
    bands->taken_over = false;
    pthread_cond_signal(&bands->changed);
    pthread_mutex_unlock(&bands->lock);
}

static void release(struct jpeg_bands *bands, struct jpeg_band_rows *list)
{
    while (list) {
        struct jpeg_band_rows *next = list->next;
        kst_memory_release(bands->memory, list);
        list = next;
    }
}

kst_status kst_jpeg_bands_end(struct jpeg_bands *bands)
{
    release(bands, bands->open);
    release(bands, bands->spare);
    pthread_cond_destroy(&bands->changed);
    pthread_cond_destroy(&bands->written);
    pthread_mutex_destroy(&bands->lock);
    return bands->status;
}
