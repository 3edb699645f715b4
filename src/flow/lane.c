/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives a device work. A GPU takes many entries in one call, so that they share its cost, and several calls are in
 * flight so that one uploads while another computes. Each thread of the CPU takes one entry at a time.
 */
#include <errno.h>
#include <time.h>

#include "core/context.h"
#include "core/report.h"
#include "flow/flow.h"

enum {
    BACKLOG = 8, /* entries for each GPU that must wait before the CPU takes one, too */
    DEVICES = 2  /* number of devices that fail with an item before the item counts as the cause */
};

/* The most bytes of pictures that a GPU takes at once; a single larger picture is allowed. */
static const uint64_t most_pixels = (uint64_t)1 << 30;

static bool is_cpu(const struct flow_lane *lane)
{
    return lane->kind == KST_DEVICE_CPU;
}

/* Return whether the lane's device reaches the memory: device memory belongs to devices of one kind. */
static bool reaches(const struct flow_lane *lane, kst_memory memory)
{
    switch (memory) {
    case KST_MEMORY_CUDA:
        return lane->kind == KST_DEVICE_CUDA;
    case KST_MEMORY_OPENCL:
    case KST_MEMORY_OPENCL_IMAGE:
        return lane->kind == KST_DEVICE_OPENCL;
    default:
        return true;
    }
}

/* Return whether the lane reaches the entry's image, and the picture of which it is made. */
static bool suits(const struct flow_lane *lane, const struct flow_entry *entry)
{
    const kst_flow_item *item = &entry->item;
    bool from_picture = (item->work == KST_FLOW_ENCODE || item->work == KST_FLOW_CHANGE) && item->picture;
    if (kst_flow_is_volume(item->work))
        return reaches(lane, item->volume.memory);
    return reaches(lane, item->image.memory) && (!from_picture || reaches(lane, item->picture->memory));
}

/*
 * Return whether the lane has memory for an entry beside the volumes that it codes now. A call for volumes may take
 * half of a GPU's memory, and keeps the GPU busy by itself. Those of the CPU share the limit on memory; one may exceed
 * it.
 */
static bool has_memory(const struct flow_lane *lane, const struct flow_entry *entry)
{
    if (!kst_flow_is_volume(entry->item.work) || lane->volumes == 0)
        return true;
    const uint64_t limit = lane->context->limits.memory;
    return is_cpu(lane) && lane->work <= limit && entry->work <= limit - lane->work;
}

/* Return whether any device can make the entry's image. */
static bool has_lane(const struct kst_flow *flow, const struct flow_entry *entry)
{
    for (uint32_t i = 0; i < flow->lanes; i++)
        if (!flow->lane[i].failed && suits(&flow->lane[i], entry))
            return true;
    return false;
}

void kst_flow_offer(struct kst_flow *flow, struct flow_entry *entry)
{
    if (has_lane(flow, entry)) {
        kst_flow_insert(&flow->ready, entry);
        pthread_cond_broadcast(&flow->work);
        if (flow->ready.count >= flow->options.most)
            pthread_cond_broadcast(&flow->more);
        return;
    }
    if (!entry->item.report.status)
        kst_report_error(&entry->item.report, flow->lanes_left > 0 ? KST_ERROR_IMAGE_MEMORY : KST_ERROR_DEVICE_FAILED,
            KST_NO_OFFSET, NULL);
    entry->result = 0;
    kst_flow_finish(flow, entry);
    kst_flow_announce(flow);
}

/* Finish the entries that no device is left for. The caller holds the lock. */
static void sweep(struct kst_flow *flow)
{
    struct flow_queue waiting = flow->ready;
    flow->ready = (struct flow_queue){.count = 0};
    while (waiting.first) {
        struct flow_entry *entry = waiting.first;
        kst_flow_remove(&waiting, entry);
        kst_flow_offer(flow, entry);
    }
}

/* Return whether there is room for the entry's result among the results that wait for the sink. */
static bool fits(const struct kst_flow *flow, const struct flow_entry *entry)
{
    uint64_t most = flow->options.memory - flow->options.memory / 4;
    return flow->result == 0 || (flow->result <= most && entry->result <= most - flow->result) ||
           kst_flow_is_due(flow, entry);
}

/*
 * Find the first entry for the lane; a device that has failed gets none. The CPU leaves entries to the GPUs if few of
 * them wait.
 */
static struct flow_entry *find(const struct flow_lane *lane)
{
    const struct kst_flow *flow = lane->flow;
    bool leaves = is_cpu(lane) && flow->gpus > 0 && !flow->cancelled && flow->ready.count <= flow->gpus * BACKLOG;
    struct flow_entry *entry = flow->ready.first;
    while (entry && !(suits(lane, entry) && has_memory(lane, entry)))
        entry = entry->next;
    return entry && !lane->failed && !leaves && (flow->cancelled || fits(flow, entry)) ? entry : NULL;
}

static struct timespec after_us(uint32_t us)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += (long)us * 1000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* Wait a little for more entries than the first one. */
static void wait_for_more(struct kst_flow *flow)
{
    const struct timespec end = after_us(flow->options.wait_us);
    while (flow->readers > 0 && flow->ready.count < flow->options.most && !flow->cancelled)
        if (pthread_cond_timedwait(&flow->more, &flow->lock, &end) == ETIMEDOUT)
            return;
}

/* Wait for an entry that the lane may begin with. Returns null if none will come. The caller holds the lock. */
static struct flow_entry *wait_for_entry(struct flow_lane *lane)
{
    struct kst_flow *flow = lane->flow;
    struct flow_entry *entry = NULL;
    flow->idle += !is_cpu(lane);
    while (!lane->failed && !(entry = find(lane)) && !(kst_flow_is_dry(flow) && flow->busy == 0))
        pthread_cond_wait(&flow->work, &flow->lock);
    flow->idle -= !is_cpu(lane);
    return entry;
}

/* Return whether an entry may go to a device together with the entries taken, of which `first` is the first. */
static bool joins(const struct flow_entry *entry, const struct flow_entry *first, uint64_t pixels)
{
    return entry->item.work == first->item.work && pixels + entry->pixels <= most_pixels;
}

/* Return how many other threads of GPUs could take entries of the kind of work of the first one now. */
static uint32_t count_others(const struct flow_lane *lane, const struct flow_entry *first)
{
    const struct kst_flow *flow = lane->flow;
    uint32_t others = 0;
    if (!first || !kst_flow_is_volume(first->item.work))
        return flow->idle;
    for (uint32_t i = 0; i < flow->lanes; i++) {
        const struct flow_lane *other = &flow->lane[i];
        others += other != lane && !is_cpu(other) && !other->failed && other->volumes == 0;
    }
    return others;
}

/* Take the lane's share of the waiting entries. The caller holds the lock. */
static uint32_t take_share(struct flow_lane *lane, struct flow_entry **taken)
{
    struct kst_flow *flow = lane->flow;
    uint32_t share = flow->ready.count / (count_others(lane, find(lane)) + 1) + 1, count = 0;
    uint32_t most = is_cpu(lane) ? 1 : share < flow->options.most ? share : flow->options.most;
    uint64_t pixels = 0;
    struct flow_entry *entry;
    while (count < most && (entry = find(lane)) && (count == 0 || joins(entry, taken[0], pixels))) {
        kst_flow_remove(&flow->ready, entry);
        entry->result = flow->cancelled ? 0 : entry->result;
        flow->result += entry->result;
        pixels += entry->pixels;
        taken[count++] = entry;
    }
    pthread_cond_broadcast(&flow->room);
    return count;
}

/* Wait for entries and take some. Returns 0 if none will come. The caller holds the lock. */
static uint32_t take(struct flow_lane *lane, struct flow_entry **taken)
{
    uint32_t count = 0;
    while (count == 0 && wait_for_entry(lane)) {
        if (!is_cpu(lane))
            wait_for_more(lane->flow);
        count = take_share(lane, taken);
    }
    return count;
}

/* Note that the lane's device has failed. The caller holds the lock. */
static void retire(struct flow_lane *lane)
{
    struct kst_flow *flow = lane->flow;
    if (lane->failed)
        return;
    lane->failed = true;
    flow->lanes_left--;
    flow->gpus -= !is_cpu(lane);
    sweep(flow);
}

/* Return whether the device has failed with the item, or with one of its further encodings. */
static bool has_failed(const kst_flow_item *item)
{
    bool failed = item->report.status == KST_ERROR_DEVICE_FAILED;
    for (uint32_t i = 0; i < item->further_count && !item->report.status; i++)
        failed = failed || item->further[i].report.status == KST_ERROR_DEVICE_FAILED;
    return failed;
}

/* Drop the streams that were made before the device failed. Buffers of the source's stay. */
static void drop_outputs(kst_flow_item *item)
{
    if (item->output.owned)
        kst_buffer_release(item->context, &item->output);
    for (uint32_t i = 0; i < item->further_count; i++) {
        if (item->further[i].output.owned)
            kst_buffer_release(item->context, &item->further[i].output);
        kst_report_init(&item->further[i].report);
    }
}

/*
 * Give an entry with which the device failed to another device, if there is one and the entry is not suspected of being
 * the cause. The caller holds the lock.
 */
static bool hand_over(struct flow_lane *lane, struct flow_entry *entry)
{
    struct kst_flow *flow = lane->flow;
    if (!has_failed(&entry->item))
        return false;
    retire(lane);
    if (++entry->failures == DEVICES || !has_lane(flow, entry))
        return false;
    flow->moved++;
    flow->result -= entry->result;
    drop_outputs(&entry->item);
    kst_report_init(&entry->item.report);
    kst_flow_offer(flow, entry);
    return true;
}

/* Return the bytes of an item's streams. */
static uint64_t output_bytes(const kst_flow_item *item)
{
    uint64_t sum = item->output.length;
    for (uint32_t i = 0; i < item->further_count && !item->report.status; i++)
        sum += item->further[i].output.length;
    return sum;
}

/* Count the volumes among entries that the lane begins or ends with. The caller holds the lock. */
static void count_volumes(struct flow_lane *lane, struct flow_entry *const *entry, uint32_t count, bool begin)
{
    if (!kst_flow_is_volume(entry[0]->item.work))
        return;
    uint64_t work = 0;
    for (uint32_t i = 0; i < count; i++)
        work += entry[i]->work;
    lane->volumes = begin ? lane->volumes + count : lane->volumes - count;
    lane->work = begin ? lane->work + work : lane->work - work;
    if (!begin)
        pthread_cond_broadcast(&lane->flow->work);
}

/* Pass entries on to the sink, or to another device if this one has failed. The caller holds the lock. */
static void end(struct flow_lane *lane, struct flow_entry *const *entry, uint32_t count)
{
    struct kst_flow *flow = lane->flow;
    count_volumes(lane, entry, count, false);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = output_bytes(&entry[i]->item);
        entry[i]->result += bytes;
        flow->result += bytes;
        if (!hand_over(lane, entry[i]))
            kst_flow_finish(flow, entry[i]);
    }
    kst_flow_announce(flow);
    flow->busy--;
    lane->busy--;
    if (kst_flow_is_dry(flow) && flow->busy == 0)
        pthread_cond_broadcast(&flow->work);
}

/*
 * Choose the context to work in: the CPU's threads work together on one picture when there are no other pictures for
 * most of them.
 */
static kst_context *choose_context(const struct flow_lane *lane)
{
    bool few = kst_flow_is_dry(lane->flow) && 2 * lane->busy <= lane->workers;
    return lane->alone && !few ? lane->alone : lane->context;
}

static void cancel_entries(struct flow_entry *const *entry, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kst_report_error(&entry[i]->item.report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
}

void *kst_flow_work_on(void *arg)
{
    struct flow_lane *lane = arg;
    struct kst_flow *flow = lane->flow;
    struct flow_entry *entry[FLOW_MOST];
    uint32_t count;
    pthread_mutex_lock(&flow->lock);
    while ((count = take(lane, entry)) > 0) {
        bool cancelled = flow->cancelled;
        flow->busy++;
        lane->busy++;
        count_volumes(lane, entry, count, true);
        kst_context *context = choose_context(lane);
        pthread_mutex_unlock(&flow->lock);
        if (cancelled)
            cancel_entries(entry, count);
        else
            kst_flow_make(lane, context, entry, count);
        pthread_mutex_lock(&flow->lock);
        end(lane, entry, count);
    }
    pthread_mutex_unlock(&flow->lock);
    return NULL;
}
