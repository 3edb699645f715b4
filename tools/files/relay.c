/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes items from many threads to one flow, and its results back to them. */
#include "files/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64 /* threads for each device, enough for three calls of many pictures each in flight */ };

/* The most bytes of pictures and streams in host memory that all threads together may use. */
static const uint64_t most_bytes = (uint64_t)2 << 30;

/*
 * The most bytes for each device that may be in use when a thread begins with a picture in pinned memory. The driver
 * allocates only a few gigabytes of pinned memory a second, so a buffer for each thread would take longer to allocate
 * than to fill with all pictures of a small folder.
 */
static const uint64_t most_pinned = (uint64_t)512 << 20;

/* Describes an item that a thread waits for. */
struct asked {
    kst_flow_item *item;
    struct asked *next;
    pthread_cond_t answered;
    bool done;
};

struct relay {
    kst_flow *flow;
    uint32_t devices;
    kst_filter *filter; /* null: none */
    kst_flow_stage stage;
    pthread_mutex_t lock;
    pthread_cond_t asking; /* signals that there is an item for the flow, or that none will follow */
    pthread_cond_t rested; /* signals that memory has been released */
    struct asked *first, **last;
    uint64_t used; /* bytes that all threads have reserved */
    bool ended;
};

static _Thread_local uint64_t own; /* the bytes that this thread has reserved */

static const char *names_of(const struct common_options *common)
{
    const char *names = common->device != NULL ? common->device : getenv("KOSTKA_DEVICE");
    return names != NULL && *names != '\0' ? names : "auto";
}

/* Copy the members of an item that a flow's source fills in. */
static void ask(kst_flow_item *to, const kst_flow_item *from)
{
    to->work = from->work;
    to->data = from->data;
    to->length = from->length;
    to->picture = from->picture;
    to->decode = from->decode;
    to->resize = from->resize;
    to->stage = from->stage;
    to->encode = from->encode;
    to->transcode = from->transcode;
    to->image = from->image;
    to->volume = from->volume;
    to->decode_volume = from->decode_volume;
    to->encode_volume = from->encode_volume;
}

static bool next(void *user, kst_flow_item *item)
{
    struct relay *relay = user;

    pthread_mutex_lock(&relay->lock);
    while (relay->first == NULL && !relay->ended)
        pthread_cond_wait(&relay->asking, &relay->lock);
    struct asked *asked = relay->first;
    if (asked != NULL) {
        relay->first = asked->next;
        if (relay->first == NULL)
            relay->last = &relay->first;
    }
    pthread_mutex_unlock(&relay->lock);
    if (asked == NULL)
        return false;
    ask(item, asked->item);
    item->user = asked;
    return true;
}

/*
 * Pass a result to the thread that waits for it, and take it out of the flow's item, so that the flow does not free it.
 */
static bool put(void *user, kst_flow_item *item)
{
    struct relay *relay = user;
    struct asked *asked = item->user;

    *asked->item = *item;
    kst_image_init(&item->image);
    kst_volume_init(&item->volume);
    item->output = (kst_buffer){.data = NULL};
    pthread_mutex_lock(&relay->lock);
    asked->done = true;
    pthread_cond_signal(&asked->answered);
    pthread_mutex_unlock(&relay->lock);
    return true;
}

/* Put an item in line for the flow. The caller holds the lock. */
static void put_in_line(struct relay *relay, struct asked *asked, kst_flow_item *item)
{
    *asked = (struct asked){.item = item};
    pthread_cond_init(&asked->answered, NULL);
    *relay->last = asked;
    relay->last = &asked->next;
    pthread_cond_signal(&relay->asking);
}

/* Wait until an item's work is done. The caller holds the lock. */
static void wait_for_answer(struct relay *relay, struct asked *asked)
{
    while (!asked->done)
        pthread_cond_wait(&asked->answered, &relay->lock);
    pthread_cond_destroy(&asked->answered);
}

void relay_do(struct relay *relay, kst_flow_item *item)
{
    struct asked asked;

    pthread_mutex_lock(&relay->lock);
    put_in_line(relay, &asked, item);
    wait_for_answer(relay, &asked);
    pthread_mutex_unlock(&relay->lock);
}

void relay_do_all(struct relay *relay, kst_flow_item *items, size_t count)
{
    struct asked *asked = count > 0 ? calloc(count, sizeof *asked) : NULL;

    for (size_t i = 0; i < count && asked == NULL; i++) /* without memory for all, one by one */
        relay_do(relay, &items[i]);
    if (asked == NULL)
        return;
    pthread_mutex_lock(&relay->lock);
    for (size_t i = 0; i < count; i++)
        put_in_line(relay, &asked[i], &items[i]);
    for (size_t i = 0; i < count; i++)
        wait_for_answer(relay, &asked[i]);
    pthread_mutex_unlock(&relay->lock);
    free(asked);
}

/* Only threads that have reserved nothing wait, so threads never wait for each other. */
static void reserve(struct relay *relay, uint64_t bytes, uint64_t most)
{
    pthread_mutex_lock(&relay->lock);
    while (own == 0 && relay->used > 0 && (relay->used >= most || bytes > most - relay->used))
        pthread_cond_wait(&relay->rested, &relay->lock);
    relay->used += bytes;
    own += bytes;
    pthread_mutex_unlock(&relay->lock);
}

void relay_reserve(struct relay *relay, uint64_t bytes)
{
    reserve(relay, bytes, most_bytes);
}

void relay_reserve_pinned(struct relay *relay, uint64_t bytes)
{
    uint64_t most = most_pinned * relay->devices;

    reserve(relay, bytes, most < most_bytes ? most : most_bytes);
}

void relay_rest(struct relay *relay)
{
    if (own == 0)
        return;
    pthread_mutex_lock(&relay->lock);
    relay->used -= own;
    own = 0;
    pthread_cond_broadcast(&relay->rested);
    pthread_mutex_unlock(&relay->lock);
}

static void release(struct relay *relay)
{
    pthread_cond_destroy(&relay->rested);
    pthread_cond_destroy(&relay->asking);
    pthread_mutex_destroy(&relay->lock);
    free(relay);
}

static struct relay *make(void)
{
    struct relay *relay = calloc(1, sizeof *relay);

    if (relay == NULL)
        return NULL;
    pthread_mutex_init(&relay->lock, NULL);
    pthread_cond_init(&relay->asking, NULL);
    pthread_cond_init(&relay->rested, NULL);
    relay->last = &relay->first;
    return relay;
}

static kst_status open_filters(struct relay *relay, const char *filters)
{
    if (filters == NULL)
        return KST_OK;
    relay->stage.size = sizeof relay->stage;
    kst_status status = kst_filter_open(relay_context(relay), filters, &relay->filter, NULL);
    return status ? status : kst_filter_stage(relay->filter, &relay->stage);
}

static kst_status start(
    struct relay *relay, const struct common_options *common, uint32_t threads, const struct relay_work *work)
{
    kst_flow_options options;

    kst_flow_options_init(&options);
    options.devices = names_of(common);
    options.threads = threads;
    options.memory = most_bytes;
    options.limits.pixels = common->max_pixels;
    options.limits.memory = common->max_memory;
    options.limits.work = (uint32_t)common->max_work;
    options.work = work->transcode != NULL ? KST_FLOW_TRANSCODE : options.work;
    options.transcode = work->transcode;
    options.next = next;
    options.put = put;
    options.user = relay;
    kst_status status = kst_flow_start(&options, &relay->flow);
    while (!status && kst_flow_context(relay->flow, relay->devices) != NULL)
        relay->devices++;
    return status;
}

static bool has_gpu(const struct relay *relay)
{
    kst_device_info info = {.size = sizeof info};
    return relay->devices > 1 || (!kst_context_device(relay_context(relay), &info) && info.kind != KST_DEVICE_CPU);
}

int relay_open(
    const struct common_options *common, uint32_t threads, const struct relay_work *work, struct relay **relay)
{
    *relay = NULL;
    if (common_on_cpu(common))
        return EXIT_FINE;
    struct relay *made = make();
    kst_status status = made == NULL ? KST_ERROR_MEMORY : start(made, common, threads, work);
    if (status && made != NULL) {
        release(made);
        return common_complain(common, status);
    }
    if (!status && has_gpu(made) && !(status = open_filters(made, work->filters))) {
        *relay = made;
        return EXIT_FINE;
    }
    relay_close(&made);
    return status ? common_complain(common, status) : EXIT_FINE;
}

void relay_close(struct relay **relay)
{
    struct relay *closed = *relay;

    if (closed == NULL)
        return;
    pthread_mutex_lock(&closed->lock);
    closed->ended = true;
    pthread_cond_broadcast(&closed->asking);
    pthread_mutex_unlock(&closed->lock);
    kst_filter_close(&closed->filter); /* nothing is in flight any more, and the filter's context belongs to the flow */
    kst_flow_end(&closed->flow);
    release(closed);
    *relay = NULL;
}

kst_context *relay_context(const struct relay *relay)
{
    return kst_flow_context(relay->flow, 0);
}

bool relay_has(const struct relay *relay, kst_device_kind kind)
{
    kst_device_info info = {.size = sizeof info};

    for (uint32_t i = 0; i < relay->devices; i++)
        if (!kst_context_device(kst_flow_context(relay->flow, i), &info) && info.kind == kind)
            return true;
    return false;
}

const kst_filter *relay_filter(const struct relay *relay)
{
    return relay->filter;
}

const kst_flow_stage *relay_stage(const struct relay *relay)
{
    return relay->filter != NULL ? &relay->stage : NULL;
}

uint32_t relay_devices(const struct relay *relay)
{
    return relay->devices;
}

uint64_t relay_moved(const struct relay *relay)
{
    kst_flow_counts counts = {.size = sizeof counts};

    return kst_flow_count(relay->flow, &counts) ? 0 : counts.moved;
}

uint32_t relay_width(const struct relay *relay)
{
    return WIDTH * relay->devices;
}
