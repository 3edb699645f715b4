/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the pictures of a batch on a GPU in parts, a few of which are in flight at the same time. */
#include "j2k/run/decode_parts.h"

enum {
    PART_PICTURES = 16, /* enough blocks to keep a device busy, few enough to be planned while others are decoded */
    HALF_PART = PART_PICTURES / 2,
    LONG_STREAM = 4 << 20, /* bytes: the first two parts are half as large, so that the device begins sooner */
    PARTS_AT_ONCE = 3,
    LIMITS_AT_ONCE = 6 /* all parts in flight take at most this many times the memory limit */
};

/*
 * A device decodes T.814 blocks so fast that it waits for the host. Parts with these are small and many, and threads
 * list the blocks of several parts at the same time, one thread for each part. The first parts of a batch are smaller
 * still, so that the device begins sooner.
 */
enum {
    HT_PART_PICTURES = 4,
    HT_SINGLE_PARTS = 2, /* parts of one picture; the next part has two pictures */
    HT_PARTS_AT_ONCE = 8,
    HT_BESIDE = 3 /* other parts whose blocks a device decodes at the same time */
};

struct j2k_part {
    struct j2k_gpu_job *job; /* null: ended, or never begun */
    uint32_t first, count;
    struct j2k_gpu_need need; /* for all pictures of the part */
    uint64_t stream;          /* bytes that are uploaded */
    bool ht;                  /* the first block of each picture is a T.814 block; usually all are */
    bool by_itself;           /* the thread that begins the part does all of the host's work for it */
};

struct j2k_parts {
    const struct decode_owner *owner;
    uint32_t most; /* most pictures that may be added */
    struct gpu_runtime *gpu;
    struct decoding **decoding; /* the pictures in order, each with a plan for the GPU */
    struct j2k_gpu_item *item;  /* the item of each picture */
    struct j2k_part *part;
    uint32_t count, part_count, begun, ended;
};

static uint32_t most_ht_pictures(const struct j2k_parts *parts, uint32_t index)
{
    if (parts->most <= HT_PART_PICTURES || index > HT_SINGLE_PARTS)
        return HT_PART_PICTURES;
    return index < HT_SINGLE_PARTS ? 1 : 2;
}

/* Return how many pictures a part may have, based on those that it already has. */
static uint32_t most_pictures(const struct j2k_parts *parts, const struct j2k_part *part)
{
    if (part->ht)
        return most_ht_pictures(parts, (uint32_t)(part - parts->part));
    bool is_long = part->stream >= (uint64_t)part->count * LONG_STREAM;
    return parts->most > PART_PICTURES && part - parts->part < 2 && is_long ? HALF_PART : PART_PICTURES;
}

void kst_j2k_run_parts_release(void *made)
{
    struct j2k_parts *parts = made;
    struct memory *memory = &parts->owner->context->memory;
    kst_memory_release(memory, parts->decoding);
    kst_memory_release(memory, parts->item);
    kst_memory_release(memory, parts->part);
    kst_memory_release(memory, parts);
}

void *kst_j2k_run_parts_make(const struct decode_owner *owner)
{
    struct memory *memory = &owner->context->memory;
    struct j2k_parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, NULL);
    if (!parts)
        return NULL;
    parts->owner = owner;
    parts->most = owner->most;
    parts->decoding = kst_memory_array(memory, owner->most, sizeof *parts->decoding, NULL);
    parts->item = kst_memory_array(memory, owner->most, sizeof *parts->item, NULL);
    parts->part = kst_memory_array(memory, owner->most, sizeof *parts->part, NULL);
    if (parts->decoding && parts->item && parts->part)
        return parts;
    kst_j2k_run_parts_release(parts);
    return NULL;
}

/* Return how many parts like this one are in flight at the same time. */
static uint32_t at_once(const struct j2k_part *part)
{
    return part->ht ? HT_PARTS_AT_ONCE : PARTS_AT_ONCE;
}

static bool is_ht(const struct j2k_plan *plan)
{
    return plan->block_count > 0 && plan->block[0].coder == J2K_HT;
}

/*
 * Return how much device memory a part of several pictures may take. Each picture is an operation for which the
 * context's limit holds, so that a part may exceed the limit; but all parts share the device.
 */
static uint64_t part_memory(const struct j2k_parts *parts, const struct j2k_part *part)
{
    uint64_t limit = parts->owner->context->limits.memory, share = parts->gpu->gpu->info.memory / (2 * at_once(part));
    uint64_t most = share < J2K_GPU_MEMORY_MAX ? share : J2K_GPU_MEMORY_MAX;
    return limit < most / 2 ? 2 * limit : most;
}

static bool fits(const struct j2k_parts *parts, const struct j2k_part *part, const struct j2k_planned *planned)
{
    return part->count < most_pictures(parts, part) && part->ht == is_ht(&planned->plan) &&
           part->need.memory + planned->need.memory <= part_memory(parts, part) &&
           part->need.largest + planned->need.largest <= parts->gpu->gpu->largest &&
           part->stream + planned->item.stream <= J2K_GPU_STREAM_MAX;
}

void kst_j2k_run_parts_add(void *made, struct decoding *decoding)
{
    struct j2k_parts *parts = made;
    const struct j2k_planned *planned = j2k_state(decoding->decoder)->planned;
    parts->gpu = decoding->gpu;
    if (parts->part_count == 0 || !fits(parts, &parts->part[parts->part_count - 1], planned))
        parts->part[parts->part_count++] = (struct j2k_part){.first = parts->count, .ht = is_ht(&planned->plan)};
    struct j2k_part *part = &parts->part[parts->part_count - 1];
    part->count++;
    part->need.memory += planned->need.memory;
    part->need.largest += planned->need.largest;
    part->stream += planned->item.stream;
    parts->item[parts->count] = planned->item;
    parts->decoding[parts->count++] = decoding;
}

struct j2k_settling {
    struct j2k_parts *parts;
    const struct j2k_part *part;
    const struct j2k_gpu_damage *damage;
    const struct j2k_gpu_times *times;
    const struct gpu_error *error;
};

static void settle_picture(void *arg, uint32_t index)
{
    const struct j2k_settling *s = arg;
    struct decoding *decoding = s->parts->decoding[s->part->first + index];
    s->parts->owner->enter(decoding);
    kst_j2k_run_decoding_settle(decoding, &s->damage[index], s->times, s->error);
    s->parts->owner->leave(decoding);
}

/*
 * End the decodings of a part. Pictures that were decoded together share the times. A part with T.814 blocks has few
 * pictures, for which this takes less time than calling threads.
 */
static void settle(struct j2k_parts *parts, const struct j2k_part *part, const struct j2k_gpu_damage *damage,
    struct j2k_gpu_times *times, const struct gpu_error *error)
{
    struct j2k_settling settling = {parts, part, damage, times, error};
    for (int i = 0; i < J2K_STAGES; i++)
        times->stage[i] /= part->count;
    kst_pool_run(part->ht ? NULL : parts->owner->context->pool, part->count, settle_picture, &settling);
}

static void end_part(struct j2k_parts *parts)
{
    struct j2k_gpu_damage damage[PART_PICTURES];
    struct j2k_gpu_times times = {.host_threads = 0};
    struct gpu_error error;
    struct j2k_part *part = &parts->part[parts->ended++];
    if (!part->job)
        return;
    kst_j2k_gpu_end(part->job, damage, &times, &error);
    part->job = NULL;
    settle(parts, part, damage, &times, &error);
}

/* Begin part `index` of those that have not begun. */
static void begin_part(void *arg, uint32_t index)
{
    struct j2k_parts *parts = arg;
    struct j2k_part *part = &parts->part[parts->begun + index];
    struct j2k_gpu_order order = kst_j2k_run_decode_gpu_order(parts->decoding[part->first]);
    struct gpu_error error;
    order.beside = part->ht ? (part->by_itself ? HT_BESIDE : 0) : most_pictures(parts, part) == HALF_PART;
    order.followed = parts->most > PART_PICTURES;
    order.by_itself = part->by_itself;
    if (part->count < parts->most)
        order.decode_host_blocks = NULL; /* the threads have other parts to plan */
    part->job = kst_j2k_gpu_begin(parts->gpu, &parts->item[part->first], part->count, &order, &error);
    if (!part->job)
        settle(parts, part, (const struct j2k_gpu_damage[PART_PICTURES]){{0}},
            &(struct j2k_gpu_times){.host_threads = 0}, &error);
}

/* Return whether a part gets no more pictures; this then also holds for the parts before it. */
static bool is_ready(const struct j2k_parts *parts, uint32_t index, bool more)
{
    const struct j2k_part *part = &parts->part[index];
    return !more || index + 1 < parts->part_count || part->count >= most_pictures(parts, part);
}

/*
 * Return whether there is device memory for the parts in flight and `more` others. A part of one large picture may take
 * much more than part_memory() allows, and a part for which the device has too little memory fails.
 */
static bool has_memory(const struct j2k_parts *parts, uint32_t more)
{
    const uint64_t limit = parts->owner->context->limits.memory, memory = parts->gpu->gpu->info.memory,
                   half = memory > 0 ? memory / 2 : UINT64_MAX;
    const uint64_t most = limit < half / LIMITS_AT_ONCE ? limit * LIMITS_AT_ONCE : half;
    uint64_t sum = 0;
    for (uint32_t i = parts->ended; i < parts->begun + more; i++)
        sum += parts->part[i].need.memory;
    return sum <= most;
}

/* Return whether the oldest part in flight would end without waiting. */
static bool is_over(const struct j2k_parts *parts)
{
    const struct j2k_part *oldest = &parts->part[parts->ended];
    return parts->ended < parts->begun && (!oldest->job || kst_j2k_gpu_done(oldest->job));
}

/*
 * End parts until the next one can begin: until few enough are in flight and there is memory for it, or none is left.
 * End those that are over, too, so that several can begin at a time if the device is faster than one thread.
 */
static void make_room(struct j2k_parts *parts)
{
    const uint32_t most = at_once(&parts->part[parts->begun]);
    while (parts->begun - parts->ended >= most || (parts->begun > parts->ended && !has_memory(parts, 1)))
        end_part(parts);
    while (is_over(parts))
        end_part(parts);
}

/* Return how many parts can begin at the same time: one, or several with T.814 blocks. */
static uint32_t count_ready(const struct j2k_parts *parts, bool more)
{
    const uint32_t first = parts->begun;
    uint32_t count = 0;
    while (first + count < parts->part_count && is_ready(parts, first + count, more) &&
           (count == 0 || (parts->part[first].ht && parts->part[first + count].ht)))
        count++;
    return count;
}

/* Threads begin parts before they open more streams, because the device waits for parts. */
void kst_j2k_run_parts_run(void *made, bool more)
{
    struct j2k_parts *parts = made;
    for (uint32_t ready; (ready = count_ready(parts, more)) > 0; parts->begun += ready) {
        struct j2k_part *first = &parts->part[parts->begun];
        make_room(parts);
        const uint32_t room = at_once(first) - (parts->begun - parts->ended);
        ready = ready < room ? ready : room;
        while (ready > 1 && !has_memory(parts, ready))
            ready--;
        for (uint32_t i = 0; i < ready; i++)
            first[i].by_itself = first->ht && parts->most > HT_PART_PICTURES;
        kst_pool_run_first(parts->owner->context->pool, ready, begin_part, parts);
    }
}

void kst_j2k_run_parts_follow(const void *made, struct gpu_queue *queue)
{
    const struct j2k_parts *parts = made;
    for (uint32_t i = parts->ended; i < parts->begun; i++)
        if (parts->part[i].job)
            kst_j2k_gpu_follow(parts->part[i].job, queue);
}

bool kst_j2k_run_parts_done(const void *made)
{
    const struct j2k_parts *parts = made;
    for (uint32_t i = parts->ended; i < parts->begun; i++)
        if (parts->part[i].job && !kst_j2k_gpu_done(parts->part[i].job))
            return false;
    return true;
}

void kst_j2k_run_parts_end(void *made)
{
    struct j2k_parts *parts = made;
    while (parts->ended < parts->begun)
        end_part(parts);
}
