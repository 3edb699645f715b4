/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and ends flows: checks the options, opens the devices and starts the threads. */
#include "flow/flow.h"

#include <time.h>

#include "core/context.h"
#include "core/signals.h"

enum { GPU_WORKERS = 3 /* calls that are in flight on a GPU at once: one uploads, one computes, one downloads */ };

static const kst_flow_options defaults = {
    .size = sizeof defaults, .readers = 4, .writers = 2, .memory = (uint64_t)1 << 30, .most = 256, .wait_us = 200};

void kst_flow_options_init(kst_flow_options *options)
{
    if (options)
        *options = defaults;
}

static bool is_fine(const kst_flow_options *options)
{
    return options->size == sizeof *options && (unsigned)options->work <= KST_FLOW_ENCODE_VOLUME && options->next &&
           options->readers > 0 && options->readers <= 1024 && options->writers > 0 && options->writers <= 1024 &&
           options->memory > 0 && options->most > 0 && options->most <= FLOW_MOST && options->wait_us < 1000000 &&
           !(options->keep && options->work != KST_FLOW_CONVERT) &&
           !((options->resize || options->stage) &&
               (options->work == KST_FLOW_TRANSCODE || kst_flow_is_volume(options->work))) &&
           kst_flow_stage_is_fine(options->stage);
}

/* Set default options for decoding and encoding where the caller has none. */
static void fill_in_options(struct kst_flow *flow)
{
    kst_decode_options_init(&flow->decode);
    kst_encode_options_init(&flow->encode);
    if (!flow->options.decode)
        flow->options.decode = &flow->decode;
    if (!flow->options.encode)
        flow->options.encode = &flow->encode;
}

static void make_locks(struct kst_flow *flow)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&flow->source, NULL);
    pthread_mutex_init(&flow->lock, NULL);
    pthread_cond_init(&flow->room, NULL);
    pthread_cond_init(&flow->work, NULL);
    pthread_cond_init(&flow->more, &monotonic);
    pthread_cond_init(&flow->results, NULL);
    pthread_condattr_destroy(&monotonic);
}

static void free_flow(struct kst_flow *flow)
{
    struct memory memory = flow->memory;
    kst_flow_close_devices(flow);
    pthread_cond_destroy(&flow->results);
    pthread_cond_destroy(&flow->more);
    pthread_cond_destroy(&flow->work);
    pthread_cond_destroy(&flow->room);
    pthread_mutex_destroy(&flow->lock);
    pthread_mutex_destroy(&flow->source);
    kst_memory_release(&memory, flow->thread);
    kst_memory_release(&memory, flow);
}

/* Count the threads of each kind before any is started. */
static uint32_t count_threads(struct kst_flow *flow)
{
    uint32_t count = flow->options.readers;
    bool beside = false;
    for (uint32_t i = 0; i < flow->lanes; i++)
        beside = beside || flow->lane[i].kind != KST_DEVICE_CPU;
    for (uint32_t i = 0; i < flow->lanes; i++) {
        struct flow_lane *lane = &flow->lane[i];
        bool cpu = lane->kind == KST_DEVICE_CPU;
        uint32_t threads = kst_pool_threads(lane->context->pool);
        lane->workers = !cpu ? GPU_WORKERS : beside && threads > GPU_WORKERS ? threads - GPU_WORKERS : threads;
        flow->gpus += !cpu;
        count += lane->workers;
    }
    flow->lanes_left = flow->lanes;
    if (flow->options.in_order)
        flow->options.writers = 1;
    return count + (flow->options.put ? flow->options.writers : 0);
}

static bool start_thread(struct kst_flow *flow, void *(*main)(void *arg), void *arg)
{
    bool started = pthread_create(&flow->thread[flow->threads], NULL, main, arg) == 0;
    flow->threads += started;
    return started;
}

void kst_flow_change_readers(struct kst_flow *flow, uint32_t change)
{
    pthread_mutex_lock(&flow->lock);
    flow->readers += change;
    pthread_cond_broadcast(&flow->work);
    pthread_cond_broadcast(&flow->more);
    pthread_cond_broadcast(&flow->results);
    pthread_mutex_unlock(&flow->lock);
}

/* Start readers, as many of them as the system allows, but at least one. */
static bool start_readers(struct kst_flow *flow)
{
    uint32_t count = 0;
    for (bool good = true; good && count < flow->options.readers; count += good) {
        kst_flow_change_readers(flow, 1);
        good = start_thread(flow, kst_flow_read, flow);
        if (!good)
            kst_flow_change_readers(flow, UINT32_MAX);
    }
    return count > 0;
}

/* Start the threads that use entries before the threads that bring them. */
static bool start_threads(struct kst_flow *flow)
{
    bool good = true;
    for (uint32_t i = 0; i < flow->lanes; i++)
        for (uint32_t k = 0; good && k < flow->lane[i].workers; k++)
            good = start_thread(flow, kst_flow_work_on, &flow->lane[i]);
    for (uint32_t k = 0; good && flow->options.put && k < flow->options.writers; k++)
        good = start_thread(flow, kst_flow_write, flow);
    return good && start_readers(flow);
}

static void join(struct kst_flow *flow)
{
    while (flow->threads > 0)
        pthread_join(flow->thread[--flow->threads], NULL);
}

/* Start all threads. Meanwhile this thread counts as a reader, so that no other thread ends too soon. */
static kst_status start(struct kst_flow *flow)
{
    sigset_t before;
    kst_status status = KST_OK;
    flow->thread = kst_memory_array(&flow->memory, count_threads(flow), sizeof *flow->thread, &status);
    if (!flow->thread)
        return status;
    kst_flow_change_readers(flow, 1);
    kst_signals_block(&before);
    bool good = start_threads(flow);
    kst_signals_restore(&before);
    kst_flow_change_readers(flow, UINT32_MAX);
    if (good)
        return KST_OK;
    join(flow);
    return KST_ERROR_THREAD;
}

kst_status kst_flow_start(const kst_flow_options *options, kst_flow **flow_out)
{
    kst_status status = KST_OK;
    struct memory memory;
    if (!options || !flow_out)
        return KST_ERROR_ARGUMENT;
    *flow_out = NULL;
    if (!is_fine(options))
        return KST_ERROR_OPTIONS;
    kst_memory_init(&memory, &options->allocator, UINT64_MAX);
    struct kst_flow *flow = kst_memory_zeroed(&memory, 1, sizeof *flow, &status);
    if (!flow)
        return status;
    flow->options = *options;
    kst_memory_init(&flow->memory, &options->allocator, UINT64_MAX);
    fill_in_options(flow);
    make_locks(flow);
    status = kst_flow_open_devices(flow);
    if (!status)
        status = start(flow);
    if (status)
        free_flow(flow);
    else
        *flow_out = flow;
    return status;
}

void kst_flow_cancel(kst_flow *flow)
{
    if (!flow)
        return;
    pthread_mutex_lock(&flow->lock);
    flow->cancelled = true;
    pthread_cond_broadcast(&flow->work);
    pthread_cond_broadcast(&flow->more);
    pthread_cond_broadcast(&flow->room);
    pthread_mutex_unlock(&flow->lock);
}

void kst_flow_release(kst_flow *flow, kst_flow_item *item)
{
    if (!flow || !item || !item->context)
        return;
    kst_image_release(item->context, &item->image);
    kst_volume_release(item->context, &item->volume);
    kst_buffer_release(item->context, &item->output);
    for (uint32_t i = 0; item->further && i < item->further_count; i++)
        kst_buffer_release(item->context, &item->further[i].output);
}

kst_context *kst_flow_context(kst_flow *flow, uint32_t index)
{
    return flow && index < flow->lanes ? flow->lane[index].context : NULL;
}

kst_status kst_flow_count(kst_flow *flow, kst_flow_counts *counts)
{
    if (!flow || !counts || counts->size != sizeof *counts)
        return KST_ERROR_ARGUMENT;
    pthread_mutex_lock(&flow->lock);
    counts->items = flow->items;
    counts->done = flow->taken;
    counts->failed = flow->failed;
    counts->moved = flow->moved;
    pthread_mutex_unlock(&flow->lock);
    return KST_OK;
}

kst_status kst_flow_wait(kst_flow *flow)
{
    if (!flow || !flow->options.put)
        return KST_ERROR_ARGUMENT;
    join(flow);
    return flow->first;
}

kst_status kst_flow_end(kst_flow **flow_in)
{
    kst_flow_item item;
    if (!flow_in || !*flow_in)
        return KST_OK;
    struct kst_flow *flow = *flow_in;
    if (!flow->options.put)
        kst_flow_cancel(flow);
    while (kst_flow_take(flow, &item))
        kst_flow_release(flow, &item);
    join(flow);
    kst_status status = flow->first;
    free_flow(flow);
    *flow_in = NULL;
    return status;
}
