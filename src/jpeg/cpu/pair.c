/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a scan without restart markers with two threads. The upper thread decodes from the top to pixels; the lower
 * one decodes from a guess in the middle to tokens. Once the upper thread has synchronised with the lower one, it is
 * known which MCUs the tokens belong to, and whichever thread is free turns them into pixels. If they never
 * synchronise, the upper thread decodes everything. Until the upper thread has decoded its part, the lower one hands
 * out the rows that the upper one makes, which takes precedence over decoding ahead: where writing takes long, one
 * thread decodes and the other one writes.
 */
#include <pthread.h>

#include "core/report.h"
#include "jpeg/cpu/crew.h"
#include "jpeg/cpu/row_buffers.h"

enum { BAND_ROWS = 8 };

enum state {
    OPEN,   /* the upper thread is above the guess, or not yet in step */
    JOINED, /* rows from `first` on are shared */
    ALONE   /* the upper thread decodes everything to the end */
};

struct pair {
    struct jpeg_crew *crew;
    struct jpeg_ahead *ahead;
    pthread_mutex_t lock; /* guards all members below */
    pthread_cond_t changed;
    enum state state;
    uint32_t known; /* number of MCUs decoded ahead that other threads may read */
    bool closed;    /* no more MCUs will be decoded ahead */
    struct jpeg_shift shift;
    uint32_t first; /* the first shared MCU row */
    uint32_t next;  /* the next MCU row to be taken */
};

uint32_t kst_jpeg_cpu_pair_borders(const struct jpeg_output *output)
{
    return output->row_count / BAND_ROWS + 2; /* the last border is for the rows after the tokens */
}

/* Return the border above a row that starts a band or the rows after the tokens. */
static struct jpeg_border *border_at(const struct pair *pair, uint32_t row)
{
    const struct jpeg_crew *crew = pair->crew;
    uint32_t rows = row - pair->first;
    return &crew->border[rows % BAND_ROWS == 0 ? rows / BAND_ROWS : crew->border_count - 1];
}

/*
 * Return the row after those that the tokens hold completely. The last row never counts as complete: it must be decoded
 * from the scan, because only its end shows whether the data end with it.
 */
static uint32_t token_rows(const struct pair *pair)
{
    uint32_t rows = (pair->known + pair->shift.mcu) / pair->crew->output->frame.mcus_w;
    uint32_t last = kst_jpeg_cpu_crew_end(pair->crew) - 1;
    return rows < last ? rows : last;
}

/*
 * Take the next rows to decode: first bands of tokens as they become available, then all rows after the tokens in one
 * piece. Waits while there are none yet. Returns false at the end.
 */
static bool take_rows(struct pair *pair, struct jpeg_stretch *stretch)
{
    uint32_t end = kst_jpeg_cpu_crew_end(pair->crew);
    bool taken = false;
    pthread_mutex_lock(&pair->lock);
    while (!pair->closed && pair->next < end && token_rows(pair) < pair->next + BAND_ROWS)
        pthread_cond_wait(&pair->changed, &pair->lock);
    if (pair->next < end) {
        uint32_t rows = token_rows(pair);
        taken = true;
        stretch->from = pair->next;
        stretch->to = pair->next + BAND_ROWS < rows ? pair->next + BAND_ROWS : rows;
        stretch->shift = &pair->shift;
        if (stretch->from >= rows) {
            stretch->to = end;
            stretch->shift = NULL;
        }
        pair->next = stretch->to;
    }
    pthread_mutex_unlock(&pair->lock);
    return taken;
}

/* Put a cursor at the first row after the tokens. */
static void seek_behind(const struct pair *pair, uint32_t row, struct jpeg_cursor *cursor)
{
    const struct jpeg_entropy *entropy = pair->crew->source->entropy;
    uint32_t mcu = row * pair->crew->output->frame.mcus_w;
    *cursor = pair->ahead->checkpoint[(mcu - pair->shift.mcu) / pair->ahead->step];
    kst_jpeg_cpu_shift_cursor(&pair->shift, cursor);
    cursor->to_go = entropy->mcus - cursor->mcu;
    kst_jpeg_cpu_skip_mcus(entropy, cursor, mcu - cursor->mcu);
    kst_jpeg_cpu_cursor_forget(entropy, cursor, false);
}

static void share_rows(struct pair *pair, uint32_t thread)
{
    struct jpeg_stretch stretch = {0};
    struct jpeg_cursor cursor;
    while (take_rows(pair, &stretch)) {
        stretch.above = border_at(pair, stretch.from);
        stretch.below = stretch.to < kst_jpeg_cpu_crew_end(pair->crew) ? border_at(pair, stretch.to) : NULL;
        stretch.cursor = NULL;
        if (!stretch.shift) {
            seek_behind(pair, stretch.from, &cursor);
            stretch.cursor = &cursor;
        }
        kst_jpeg_cpu_crew_decode(pair->crew, thread, &stretch);
    }
}

/*
 * Return whether the upper thread has passed all that was decoded ahead, so that the lower one will never again be
 * ahead of it.
 */
static bool is_overtaken(const struct pair *pair, uint32_t known, const struct jpeg_cursor *cursor)
{
    return cursor->bits.next > pair->ahead->checkpoint[known / pair->ahead->step].bits.next;
}

static enum state stay_alone(struct pair *pair)
{
    pthread_mutex_lock(&pair->lock);
    pair->state = ALONE;
    pthread_cond_broadcast(&pair->changed);
    pthread_mutex_unlock(&pair->lock);
    return ALONE;
}

/*
 * Try to synchronise with the tokens; the upper thread is past the guess. The rows after the tokens are reached from a
 * checkpoint that must be in step too, so at least two steps of tokens must follow the border, and at least two rows.
 */
static enum state try_join(struct pair *pair, const struct jpeg_cursor *cursor)
{
    const struct jpeg_ahead *ahead = pair->ahead;
    uint32_t width = pair->crew->output->frame.mcus_w;
    struct jpeg_shift shift;
    uint32_t border = 0;
    pthread_mutex_lock(&pair->lock);
    uint32_t known = pair->known;
    bool closed = pair->closed;
    pthread_mutex_unlock(&pair->lock);
    uint32_t count = known < JPEG_BORDERS ? known : JPEG_BORDERS;
    bool met = kst_jpeg_cpu_borders_meet(&ahead->borders, count, ahead->entropy, cursor, &border, &shift);
    if (!met || border + 2 * ahead->step > known) {
        bool never = closed || (!met && count == JPEG_BORDERS) || is_overtaken(pair, known, cursor);
        return never ? stay_alone(pair) : OPEN;
    }
    uint32_t first = (border + shift.mcu + width - 1) / width;
    if (first + 2 > kst_jpeg_cpu_crew_end(pair->crew))
        return stay_alone(pair);
    pthread_mutex_lock(&pair->lock);
    pair->shift = shift;
    pair->first = first;
    pair->next = first;
    pair->state = JOINED;
    pthread_cond_broadcast(&pair->changed);
    pthread_mutex_unlock(&pair->lock);
    return JOINED;
}

static void run_upper(struct pair *pair)
{
    struct jpeg_crew *crew = pair->crew;
    struct jpeg_band *band = &crew->band[0];
    struct jpeg_cursor cursor;
    uint32_t row = crew->output->first_row;
    uint32_t end = kst_jpeg_cpu_crew_end(crew);
    enum state state = OPEN;
    kst_jpeg_cpu_cursor_start(crew->source->entropy, &cursor, 0);
    kst_jpeg_cpu_band_start(band, row, &cursor);
    while (row < (state == JOINED ? pair->first : end)) {
        kst_jpeg_cpu_band_step(band, row == crew->output->first_row);
        row++;
        if (state == OPEN && band->cursor.bits.next >= pair->ahead->start)
            state = try_join(pair, &band->cursor);
    }
    if (state == OPEN)
        stay_alone(pair);
    /* The lower thread takes over only in the state OPEN, so that it has done so by now or never does. */
    if (crew->making.buffers)
        kst_jpeg_cpu_row_buffers_take_back(crew->making.buffers);
    kst_jpeg_cpu_damage_add(&crew->damage[0], &band->cursor.damage);
    if (state != JOINED)
        return;
    kst_jpeg_cpu_crew_meet(band, border_at(pair, row), row, true);
    share_rows(pair, 0);
}

/* Let other threads see what was decoded ahead so far. Returns false when no thread will need more. */
static bool publish(struct pair *pair, bool closed)
{
    pthread_mutex_lock(&pair->lock);
    pair->known = pair->ahead->count;
    pair->closed = closed;
    bool wanted = pair->state != ALONE;
    pthread_cond_broadcast(&pair->changed);
    pthread_mutex_unlock(&pair->lock);
    return wanted;
}

/* Hand out the upper thread's rows, as long as it makes any. */
static void take_over(struct pair *pair)
{
    pthread_mutex_lock(&pair->lock);
    if (pair->crew->making.buffers && pair->state == OPEN)
        kst_jpeg_cpu_row_buffers_take_over(pair->crew->making.buffers);
    pthread_mutex_unlock(&pair->lock);
}

static void run_lower(struct pair *pair)
{
    struct jpeg_row_buffers *buffers = pair->crew->making.buffers;
    bool wanted = publish(pair, false);
    take_over(pair);
    while (wanted && kst_jpeg_cpu_ahead_read(pair->ahead)) {
        wanted = publish(pair, false);
        if (buffers)
            kst_jpeg_cpu_row_buffers_hand_out(buffers);
    }
    publish(pair, true);
    if (buffers)
        kst_jpeg_cpu_row_buffers_hand_out_all(buffers);
    pthread_mutex_lock(&pair->lock);
    while (pair->state == OPEN)
        pthread_cond_wait(&pair->changed, &pair->lock);
    bool joined = pair->state == JOINED;
    pthread_mutex_unlock(&pair->lock);
    if (joined)
        share_rows(pair, 1);
}

static void pair_task(void *arg, uint32_t index)
{
    if (index == 0)
        run_upper(arg);
    else
        run_lower(arg);
}

void kst_jpeg_cpu_crew_pair(struct jpeg_crew *crew, struct jpeg_ahead *ahead)
{
    struct pair pair = {.crew = crew, .ahead = ahead};
    pthread_mutex_init(&pair.lock, NULL);
    pthread_cond_init(&pair.changed, NULL);
    kst_pool_run(crew->op->pool, 2, pair_task, &pair);
    pthread_cond_destroy(&pair.changed);
    pthread_mutex_destroy(&pair.lock);
}
