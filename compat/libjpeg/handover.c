/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands a decompression over to the system's library, which then reads the bytes that were kept, and behind them those
 * of the caller's source. The source for that is in cinfo only while the system's library works: callers find their own
 * source there.
 */
#include <jerror.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "taken.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct libjpeg_taken *handed; /* list of all decompressions that were handed over */
static atomic_uint handed_count;

/* Hold the lock during a fork, because another thread might be changing the list otherwise. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

struct libjpeg_taken *libjpeg_handed(j_decompress_ptr cinfo)
{
    if (atomic_load(&handed_count) == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    struct libjpeg_taken *found = handed;
    while (found && found->cinfo != cinfo)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(struct libjpeg_taken *taken)
{
    pthread_mutex_lock(&lock);
    taken->next = handed;
    handed = taken;
    atomic_fetch_add(&handed_count, 1);
    pthread_mutex_unlock(&lock);
}

void libjpeg_forget_handed(struct libjpeg_taken *taken)
{
    if (!taken->cinfo)
        return;
    pthread_mutex_lock(&lock);
    struct libjpeg_taken **at = &handed;
    while (*at != taken)
        at = &(*at)->next;
    *at = taken->next;
    atomic_fetch_sub(&handed_count, 1);
    pthread_mutex_unlock(&lock);
}

/* Append the bytes that the caller's source has. What the system's library has not read yet stays in front of them. */
static bool take_chunk(struct libjpeg_taken *taken)
{
    struct jpeg_source_mgr *source = taken->source, *proxy = &taken->proxy;
    size_t unread = proxy->bytes_in_buffer, length = source->bytes_in_buffer;
    if (!libjpeg_take_bytes(taken, source, length))
        return false;
    proxy->next_input_byte = taken->bytes + taken->length - length - unread;
    proxy->bytes_in_buffer = unread + length;
    return true;
}

/* Present to the system's library the buffer that begins at an offset, with the extent that it had in the source. */
static void show_buffer(struct libjpeg_taken *taken, size_t from)
{
    size_t next = taken->borders_passed;
    size_t to = next < taken->border_count ? taken->border[next] : taken->length;
    taken->proxy.next_input_byte = taken->bytes + from;
    taken->proxy.bytes_in_buffer = to - from;
}

/* Let the caller's source get more bytes, during which it is in cinfo. */
static bool refill(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    struct jpeg_source_mgr *source = taken->source;
    if (source->bytes_in_buffer > 0)
        return true;
    cinfo->src = source;
    bool filled = (*source->fill_input_buffer)(cinfo);
    cinfo->src = &taken->proxy;
    taken->suspends = taken->suspends || !filled;
    return filled;
}

static boolean fill_proxy(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_handed(cinfo);
    if (taken->borders_passed < taken->border_count) {
        size_t from = taken->border[taken->borders_passed++];
        show_buffer(taken, from);
        return TRUE;
    }
    if (!refill(taken, cinfo))
        return FALSE;
    /* All kept bytes have been read, so their memory is used again. */
    taken->proxy.bytes_in_buffer = taken->length = taken->border_count = 0;
    taken->borders_passed = 1;
    if (!libjpeg_add_border(taken) || !take_chunk(taken))
        ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    return TRUE;
}

static void skip_in_proxy(j_decompress_ptr cinfo, long count)
{
    struct libjpeg_taken *taken = libjpeg_handed(cinfo);
    struct jpeg_source_mgr *proxy = &taken->proxy;
    while (count > 0 && (proxy->bytes_in_buffer > 0 || taken->borders_passed < taken->border_count)) {
        if (proxy->bytes_in_buffer == 0)
            fill_proxy(cinfo);
        size_t here = (size_t)count < proxy->bytes_in_buffer ? (size_t)count : proxy->bytes_in_buffer;
        proxy->next_input_byte += here;
        proxy->bytes_in_buffer -= here;
        count -= (long)here;
    }
    if (count <= 0)
        return;
    cinfo->src = taken->source;
    (*taken->source->skip_input_data)(cinfo, count);
    cinfo->src = proxy;
}

static void start_proxy(j_decompress_ptr cinfo)
{
    (void)cinfo; /* the caller's source was started when the header was read */
}

/* Return bytes that were taken but not read to the caller's source, if its buffer still has all of them. */
static void give_back(struct libjpeg_taken *taken)
{
    size_t unread = taken->proxy.bytes_in_buffer;
    bool there = taken->source->next_input_byte == taken->run_end && unread <= taken->run;
    if (taken->borders_passed < taken->border_count || !there)
        return;
    libjpeg_give_back(taken, taken->source, unread);
    taken->proxy.bytes_in_buffer = 0;
}

static void end_proxy(j_decompress_ptr cinfo)
{
    struct libjpeg_taken *taken = libjpeg_handed(cinfo);
    give_back(taken);
    cinfo->src = taken->source;
    (*taken->source->term_source)(cinfo);
}

static void start_source(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    taken->source = cinfo->src;
    struct jpeg_source_mgr *source = cinfo->src;
    libjpeg_take_bytes(taken, source, source->bytes_in_buffer); /* if that fails, they are taken when they are read */
    taken->proxy = (struct jpeg_source_mgr){.init_source = start_proxy,
        .fill_input_buffer = fill_proxy,
        .skip_input_data = skip_in_proxy,
        .resync_to_restart = cinfo->src->resync_to_restart,
        .term_source = end_proxy};
    show_buffer(taken, taken->header);
    taken->cinfo = cinfo;
    remember(taken);
}

/*
 * Exchange the sources and line counts. The caller's count includes lines that the system's library has still to skip.
 */
static void enter_source(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    cinfo->output_scanline -= taken->lines_to_skip;
    if (cinfo->src != &taken->proxy)
        taken->source = cinfo->src;
    if (taken->suspends && taken->source->bytes_in_buffer > 0)
        take_chunk(taken);
    cinfo->src = &taken->proxy;
}

void libjpeg_silence(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    if (cinfo->progress)
        taken->progress = cinfo->progress;
    cinfo->progress = NULL;
}

static void end_silence(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    if (taken->progress)
        cinfo->progress = taken->progress;
    taken->progress = NULL;
}

void libjpeg_leave(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    end_silence(taken, cinfo);
    cinfo->src = taken->source;
    cinfo->output_scanline += taken->lines_to_skip;
}

bool libjpeg_hand_over(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    if (!taken->cinfo) {
        /* Until lines can be read, cinfo still counts those of the object's last picture. */
        taken->lines_to_skip = cinfo->global_state == LIBJPEG_STATE_SCANNING ? cinfo->output_scanline : 0;
        cinfo->main = NULL;
        cinfo->global_state = LIBJPEG_STATE_READY;
        libjpeg_close_lines(taken);
        start_source(taken, cinfo);
    }
    enter_source(taken, cinfo);
    bool started = libjpeg_original.jpeg_start_decompress(cinfo);
    libjpeg_leave(taken, cinfo);
    return started;
}

JSAMPROW libjpeg_scratch(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    size_t length = cinfo->output_width * (size_t)cinfo->output_components;
    if (!taken->scratch)
        taken->scratch = (*cinfo->mem->alloc_large)((j_common_ptr)cinfo, JPOOL_IMAGE, length);
    return taken->scratch;
}

bool libjpeg_enter(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    enter_source(taken, cinfo);
    if (taken->lines_to_skip == 0)
        return true;
    libjpeg_silence(taken, cinfo);
    while (taken->lines_to_skip > 0) {
        JSAMPROW row = libjpeg_scratch(taken, cinfo);
        if (libjpeg_original.jpeg_read_scanlines(cinfo, &row, 1) == 0)
            return false;
        taken->lines_to_skip--;
    }
    end_silence(taken, cinfo);
    return true;
}
