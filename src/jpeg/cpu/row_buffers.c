/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the rows that threads decode into buffers and calls the caller's function with each complete buffer. */
#include "jpeg/cpu/row_buffers.h"

enum {
    BAND_BYTES = 1 << 18,
    AHEAD_PER_THREAD = 16,
    MOST_LEFT = 8 /* complete buffers that may wait for the thread that took over */
};

struct jpeg_row_buffer {
    struct jpeg_row_buffer *next;
    uint32_t index; /* index of the buffer in the picture */
    uint32_t left;  /* number of rows that are not written yet */
    uint8_t *data;
};

void kst_jpeg_cpu_row_buffers_begin(struct jpeg_row_buffers *buffers, struct memory *memory,
    const kst_row_writer *writer, const kst_image *image, uint32_t lines, uint32_t threads)
{
    *buffers = (struct jpeg_row_buffers){.writer = writer, .memory = memory, .shape = *image};
    uint64_t bytes = (uint64_t)image->plane[0].pitch * lines;
    uint64_t rows = lines * ((BAND_BYTES + bytes - 1) / bytes);
    buffers->rows = rows < image->height ? (uint32_t)rows : image->height;
    buffers->ahead = threads * AHEAD_PER_THREAD;
    pthread_mutex_init(&buffers->lock, NULL);
    pthread_cond_init(&buffers->written, NULL);
    pthread_cond_init(&buffers->changed, NULL);
}

static size_t head_bytes(void)
{
    return (sizeof(struct jpeg_row_buffer) + 63) / 64 * 64;
}

bool kst_jpeg_cpu_row_buffers_fit(struct jpeg_row_buffers *buffers, uint32_t threads)
{
    /*
     * A writer in order needs, besides the buffers that are ahead, the one whose turn it is and one that is being
     * handed out. Another writer's thread may have two buffers at the borders of its band and one between them, besides
     * those that are left.
     */
    enum { NOT_AHEAD = 2, LEAST_AHEAD = 2, PER_THREAD = 3 };
    const bool in_order = buffers->writer->in_order;
    uint64_t length = head_bytes() + (uint64_t)buffers->shape.plane[0].pitch * buffers->rows;
    uint64_t most = kst_memory_left(buffers->memory) / 4 * 3 / length;
    if (most < (in_order ? NOT_AHEAD + LEAST_AHEAD : MOST_LEFT + (uint64_t)threads * PER_THREAD))
        return false;
    if (in_order && buffers->ahead > most - NOT_AHEAD)
        buffers->ahead = (uint32_t)(most - NOT_AHEAD);
    return true;
}

static uint32_t first_row(const struct jpeg_row_buffers *buffers, uint32_t index)
{
    return index * buffers->rows;
}

static uint32_t row_count(const struct jpeg_row_buffers *buffers, uint32_t index)
{
    uint32_t left = buffers->shape.height - first_row(buffers, index);
    return left < buffers->rows ? left : buffers->rows;
}

/* Record a failure. The caller holds the lock, as it does for all functions down to kst_jpeg_cpu_row_buffers_rows(). */
static void fail(struct jpeg_row_buffers *buffers, kst_status status)
{
    if (!buffers->status)
        buffers->status = status;
    pthread_cond_broadcast(&buffers->written);
}

static struct jpeg_row_buffer *find(const struct jpeg_row_buffers *buffers, uint32_t index)
{
    struct jpeg_row_buffer *buffer = buffers->open;
    while (buffer && buffer->index != index)
        buffer = buffer->next;
    return buffer;
}

static struct jpeg_row_buffer *make(struct jpeg_row_buffers *buffers)
{
    kst_status status = KST_OK;
    size_t head = head_bytes();
    size_t length = (size_t)buffers->shape.plane[0].pitch * buffers->rows;
    struct jpeg_row_buffer *buffer = kst_memory_array(buffers->memory, head + length, 1, &status);
    if (buffer)
        buffer->data = (uint8_t *)buffer + head;
    else
        fail(buffers, status);
    return buffer;
}

static struct jpeg_row_buffer *open_buffer(struct jpeg_row_buffers *buffers, uint32_t index)
{
    struct jpeg_row_buffer *buffer = buffers->spare;
    if (buffer)
        buffers->spare = buffer->next;
    else
        buffer = make(buffers);
    if (!buffer)
        return NULL;
    buffer->index = index;
    buffer->left = row_count(buffers, index);
    buffer->next = buffers->open;
    buffers->open = buffer;
    return buffer;
}

static void take_out(struct jpeg_row_buffers *buffers, struct jpeg_row_buffer *buffer)
{
    struct jpeg_row_buffer **link = &buffers->open;
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
}

/* Hand a buffer to the caller's function, releasing the lock meanwhile, and keep its memory for reuse. */
static void write_buffer(struct jpeg_row_buffers *buffers, struct jpeg_row_buffer *buffer)
{
    kst_image rows = buffers->shape;
    bool dropped = buffers->status;
    rows.height = rows.plane[0].height = row_count(buffers, buffer->index);
    rows.plane[0].data = buffer->data;
    take_out(buffers, buffer);
    pthread_mutex_unlock(&buffers->lock);
    bool good = dropped || buffers->writer->write(buffers->writer->user, first_row(buffers, buffer->index), &rows);
    pthread_mutex_lock(&buffers->lock);
    buffer->next = buffers->spare;
    buffers->spare = buffer;
    if (!good)
        fail(buffers, KST_ERROR_WRITE);
}

/*
 * Hand out all complete buffers whose turn it is. If another thread is already doing this, it will hand these out, too.
 */
static void write_in_order(struct jpeg_row_buffers *buffers)
{
    struct jpeg_row_buffer *buffer;
    if (buffers->writing)
        return;
    buffers->writing = true;
    while ((buffer = find(buffers, buffers->next)) != NULL && buffer->left == 0) {
        write_buffer(buffers, buffer);
        buffers->next++;
        pthread_cond_broadcast(&buffers->written);
    }
    buffers->writing = false;
}

/*
 * Wait until the buffer at `index` may be opened: with in-order delivery, buffers wait for those before them. Threads
 * take up their parts of the picture from the top, so the thread that the others wait for is never far ahead itself.
 */
static void wait_for_room(struct jpeg_row_buffers *buffers, uint32_t index)
{
    while (buffers->writer->in_order && !buffers->status && index > buffers->next + buffers->ahead)
        pthread_cond_wait(&buffers->written, &buffers->lock);
}

uint8_t *kst_jpeg_cpu_row_buffers_rows(struct jpeg_row_buffers *buffers, uint32_t y, uint32_t *count)
{
    uint32_t index = y / buffers->rows, row = y - first_row(buffers, index);
    pthread_mutex_lock(&buffers->lock);
    struct jpeg_row_buffer *buffer = find(buffers, index);
    if (!buffer) {
        wait_for_room(buffers, index);
        buffer = find(buffers, index); /* another thread may have opened this buffer during the wait */
    }
    if (!buffer && !buffers->status)
        buffer = open_buffer(buffers, index);
    pthread_mutex_unlock(&buffers->lock);
    *count = buffer ? row_count(buffers, index) - row : 1;
    return buffer ? buffer->data + (ptrdiff_t)row * buffers->shape.plane[0].pitch : NULL;
}

/* Return whether a buffer that was just completed is left to the thread that took over; the caller holds the lock. */
static bool leave_for_later(struct jpeg_row_buffers *buffers)
{
    if (!buffers->taken_over || buffers->left == MOST_LEFT)
        return false;
    buffers->left++;
    pthread_cond_signal(&buffers->changed);
    return true;
}

void kst_jpeg_cpu_row_buffers_done(struct jpeg_row_buffers *buffers, uint32_t y, uint32_t count)
{
    pthread_mutex_lock(&buffers->lock);
    struct jpeg_row_buffer *buffer = find(buffers, y / buffers->rows);
    if (buffer)
        buffer->left -= count;
    if (buffer && buffer->left == 0 && !leave_for_later(buffers)) {
        if (buffers->writer->in_order)
            write_in_order(buffers);
        else
            write_buffer(buffers, buffer);
    }
    pthread_mutex_unlock(&buffers->lock);
}

/* Return a complete buffer; null if there is none. The caller holds the lock, as it does for write_left(). */
static struct jpeg_row_buffer *find_complete(const struct jpeg_row_buffers *buffers)
{
    struct jpeg_row_buffer *buffer = buffers->open;
    while (buffer && buffer->left > 0)
        buffer = buffer->next;
    return buffer;
}

static void write_left(struct jpeg_row_buffers *buffers)
{
    while (buffers->left > 0) {
        if (buffers->writer->in_order) {
            buffers->left = 0;
            write_in_order(buffers);
        } else {
            buffers->left--;
            write_buffer(buffers, find_complete(buffers));
        }
    }
}

void kst_jpeg_cpu_row_buffers_take_over(struct jpeg_row_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    buffers->taken_over = true;
    pthread_mutex_unlock(&buffers->lock);
}

void kst_jpeg_cpu_row_buffers_hand_out(struct jpeg_row_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    write_left(buffers);
    pthread_mutex_unlock(&buffers->lock);
}

void kst_jpeg_cpu_row_buffers_hand_out_all(struct jpeg_row_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    write_left(buffers);
    while (buffers->taken_over) {
        pthread_cond_wait(&buffers->changed, &buffers->lock);
        write_left(buffers);
    }
    pthread_mutex_unlock(&buffers->lock);
}

void kst_jpeg_cpu_row_buffers_take_back(struct jpeg_row_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    buffers->taken_over = false;
    pthread_cond_signal(&buffers->changed);
    pthread_mutex_unlock(&buffers->lock);
}

static void release(struct jpeg_row_buffers *buffers, struct jpeg_row_buffer *list)
{
    while (list) {
        struct jpeg_row_buffer *next = list->next;
        kst_memory_release(buffers->memory, list);
        list = next;
    }
}

kst_status kst_jpeg_cpu_row_buffers_end(struct jpeg_row_buffers *buffers)
{
    release(buffers, buffers->open);
    release(buffers, buffers->spare);
    pthread_cond_destroy(&buffers->changed);
    pthread_cond_destroy(&buffers->written);
    pthread_mutex_destroy(&buffers->lock);
    return buffers->status;
}
