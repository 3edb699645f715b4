/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uploads the streams of groups of volumes before their headers are read. Copies go over the bus in the order in which
 * they are queued, and a group needs lists of code-blocks, too. Therefore only some bytes are in flight at a time, so
 * that lists wait for little else.
 */
#include "run/volume_ahead.h"

#include "device/pinned.h"
#include "image/location.h"
#include "run/volume_decoding.h"

enum {
    IN_ALL = 256 << 20,  /* bytes of all groups, which keep their memory until the end */
    AT_FIRST = 16 << 20, /* bytes that a bus copies while the host reads and plans the first volumes */
    IN_FLIGHT = 8 << 20, /* bytes in front of the lists of a group, as long as other groups follow */
    GAP = 4096,          /* most bytes between two streams of a group */
    ALIGNMENT = 16,      /* of the distances between them */
    BEHIND = 8           /* least bytes behind the last one that are uploaded, too, as the codec does it */
};

void kst_volume_ahead_begin(struct volume_ahead *ahead, struct gpu_runtime *gpu, uint64_t most)
{
    *ahead = (struct volume_ahead){.gpu = gpu, .room = most < IN_ALL ? most : IN_ALL};
    if (gpu && pthread_mutex_init(&ahead->lock, NULL) != 0)
        ahead->gpu = NULL;
}

/* Return whether a volume will be decoded as a whole on the GPU, unless it turns out to be damaged. */
static bool is_whole(const kst_volume_item *item)
{
    const kst_volume_decode_options *o = item->options;
    const char *detail;
    return item->data && item->length > 0 && item->volume && !kst_volume_decoding_check(o, item->volume, &detail) &&
           item->volume->data && kst_memory_is_device(item->volume->memory) &&
           (!o || (o->reduce == 0 && o->reduce_z == 0 && o->region.width == 0 && o->layers == 0));
}

/* Return whether the next stream begins just behind this one. */
static bool is_followed(const kst_volume_item *item)
{
    const uintptr_t at = (uintptr_t)item->data, then = (uintptr_t)item[1].data;
    return then > at && then - at >= item->length && then - at - item->length <= GAP && (then - at) % ALIGNMENT == 0;
}

/*
 * Return the bytes from the first stream to those that are uploaded behind the last one; 0 if the streams are not to be
 * uploaded ahead.
 */
static size_t length_of(struct gpu_runtime *gpu, const kst_volume_item *items, uint32_t count)
{
    const kst_volume_item *last = items + count - 1;
    for (uint32_t i = 0; i < count; i++)
        if (!is_whole(&items[i]) || (&items[i] < last && !is_followed(&items[i])))
            return 0;
    const size_t end = (last->length + BEHIND + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t length = (size_t)((uintptr_t)last->data - (uintptr_t)items->data) + end;
    return kst_gpu_is_pinned(gpu, items->data, length) ? length : 0;
}

void kst_volume_ahead_add(struct volume_ahead *ahead, const kst_volume_item *items, uint32_t count)
{
    if (!ahead->gpu || ahead->count == VOLUME_AHEAD_GROUPS)
        return;
    const size_t length = length_of(ahead->gpu, items, count);
    struct gpu_ahead *group = &ahead->group[ahead->count++];
    *group = (struct gpu_ahead){.data = items->data, .length = length <= ahead->room ? length : 0};
    ahead->room -= group->length;
}

/* Queue the streams of a group. If there is no memory, the group is left out. */
static void queue_group(struct volume_ahead *ahead, uint32_t index)
{
    struct gpu_ahead *group = &ahead->group[index];
    const struct gpu_backend *backend = ahead->gpu->gpu->backend;
    struct gpu_error ignored = {.status = KST_OK};
    if (!ahead->track)
        ahead->track = kst_gpu_track_take(ahead->gpu, &ignored);
    if (!ahead->track || !kst_gpu_pool_take(&ahead->gpu->pool, GPU_DEVICE, group->length, &group->buffer, &ignored))
        return;
    struct gpu_queue *queue = &ahead->track->queue;
    const struct gpu_buffer memory = kst_gpu_host((void *)(uintptr_t)group->data, group->length);
    backend->copy(queue, &group->buffer, 0, &memory, 0, group->length);
    backend->record(queue, &ahead->track->event[index]);
    backend->flush(queue);
    if (queue->error.status)
        return;
    group->event = &ahead->track->event[index];
    ahead->in_flight += group->length;
}

static void queue_groups(struct volume_ahead *ahead, uint64_t most)
{
    for (; ahead->next < ahead->count && ahead->in_flight < most; ahead->next++)
        if (ahead->group[ahead->next].length > 0)
            queue_group(ahead, ahead->next);
}

void kst_volume_ahead_queue(struct volume_ahead *ahead)
{
    if (!ahead->gpu)
        return;
    pthread_mutex_lock(&ahead->lock);
    queue_groups(ahead, AT_FIRST);
    pthread_mutex_unlock(&ahead->lock);
}

const struct gpu_ahead *kst_volume_ahead_take(struct volume_ahead *ahead, uint32_t group)
{
    const struct gpu_ahead *taken = NULL;
    if (!ahead->gpu || group >= ahead->count)
        return NULL;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->group[group].event)
        taken = &ahead->group[group];
    else
        ahead->group[group].length = 0;
    pthread_mutex_unlock(&ahead->lock);
    return taken;
}

void kst_volume_ahead_begun(struct volume_ahead *ahead, uint32_t group)
{
    if (!ahead->gpu || group >= ahead->count)
        return;
    pthread_mutex_lock(&ahead->lock);
    if (ahead->group[group].event)
        ahead->in_flight -= ahead->group[group].length;
    queue_groups(ahead, IN_FLIGHT);
    pthread_mutex_unlock(&ahead->lock);
}

void kst_volume_ahead_end(struct volume_ahead *ahead)
{
    if (!ahead->gpu)
        return;
    if (ahead->track)
        ahead->gpu->gpu->backend->finish(&ahead->track->queue);
    for (uint32_t i = 0; i < ahead->count; i++)
        kst_gpu_pool_give(&ahead->gpu->pool, &ahead->group[i].buffer);
    kst_gpu_track_give(ahead->gpu, ahead->track);
    pthread_mutex_destroy(&ahead->lock);
    ahead->gpu = NULL;
}
