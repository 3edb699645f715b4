/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a batch of JPEG pictures on a GPU, in parts. A few parts are in flight at the same time, so that one is
 * uploaded while another is decoded.
 */
#include "jpeg/run/decode_parts.h"

#include "jpeg/run/decode.h"

enum {
    PART_PICTURES = 256,
    PART_BYTES = 8 << 20, /* bytes of streams: enough to keep the device busy, few enough to be uploaded soon */
    /* Bytes of the first part: few, so that the device begins soon. They double from part to part, up to PART_BYTES. */
    FIRST_BYTES = 2 << 20,
    PARTS_AT_ONCE = 6, /* parts with buffers of their own; later parts reuse the buffers */
    PARTS_IN_FLIGHT = 24
};

#define PART_MEMORY (UINT64_C(640) << 20)

struct jpeg_part {
    struct jpeg_gpu_job *job; /* null: ended, or never begun */
    uint32_t first, count;
    uint64_t bytes, memory; /* bytes of its streams, and bytes that it takes on the device */
    bool staged;            /* its images or streams need pinned memory */
};

struct jpeg_parts {
    const struct decode_owner *owner;
    struct gpu_runtime *gpu;
    struct decoding **decoding; /* in the order in which they were added */
    struct jpeg_gpu_item *item; /* one for each decoding */
    uint32_t count;
    struct jpeg_part *part;
    uint32_t part_count, begun, ended; /* parts that were added to, begun and ended, always in this order */
};

void kst_jpeg_run_parts_release(void *made)
{
    struct jpeg_parts *parts = made;
    struct memory *memory = &parts->owner->context->memory;
    kst_memory_release(memory, parts->decoding);
    kst_memory_release(memory, parts->item);
    kst_memory_release(memory, parts->part);
    kst_memory_release(memory, parts);
}

void *kst_jpeg_run_parts_make(const struct decode_owner *owner)
{
    struct memory *memory = &owner->context->memory;
    struct jpeg_parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, NULL);
    if (!parts)
        return NULL;
    parts->owner = owner;
    parts->decoding = kst_memory_array(memory, owner->most, sizeof *parts->decoding, NULL);
    parts->item = kst_memory_array(memory, owner->most, sizeof *parts->item, NULL);
    parts->part = kst_memory_array(memory, owner->most, sizeof *parts->part, NULL);
    if (parts->decoding && parts->item && parts->part)
        return parts;
    kst_jpeg_run_parts_release(parts);
    return NULL;
}

/* Return how much device memory a part may take. */
static uint64_t part_memory(const struct jpeg_parts *parts)
{
    uint64_t limit = parts->owner->context->limits.memory / PARTS_AT_ONCE, card = parts->gpu->gpu->info.memory / 16;
    limit = limit < PART_MEMORY ? limit : PART_MEMORY;
    return card < limit ? card : limit;
}

/* Return how many bytes of streams fill a part; the last of its streams may exceed them. */
static uint64_t part_bytes(const struct jpeg_parts *parts, const struct jpeg_part *part)
{
    size_t number = (size_t)(part - parts->part);
    uint64_t grown = (uint64_t)FIRST_BYTES << (number < 8 ? number : 8);
    return grown < PART_BYTES ? grown : PART_BYTES;
}

static bool fits(const struct jpeg_parts *parts, const struct jpeg_part *part, uint64_t memory)
{
    return part->count < PART_PICTURES && part->bytes < part_bytes(parts, part) &&
           part->memory + memory <= part_memory(parts);
}

void kst_jpeg_run_parts_add(void *made, struct decoding *decoding)
{
    struct jpeg_parts *parts = made;
    uint32_t index = parts->count++;
    struct jpeg_gpu_item *item = &parts->item[index];
    parts->gpu = decoding->gpu;
    parts->decoding[index] = decoding;
    struct jpeg_decoder *state = jpeg_state(decoding->decoder);
    if (parts->owner->most > 1) /* many pictures keep a device busy */
        state->item.shorter = 0;
    *item = state->item;
    item->ordered = decoding->after && item->delivery != GPU_DELIVERY_HOST;
    if (parts->part_count == 0 || !fits(parts, &parts->part[parts->part_count - 1], state->memory))
        parts->part[parts->part_count++] = (struct jpeg_part){.first = index};
    struct jpeg_part *part = &parts->part[parts->part_count - 1];
    uint64_t length;
    kst_jpeg_gpu_scan_data(item->plan, &length);
    part->bytes += length;
    part->memory += state->memory;
    part->count++;
    part->staged = part->staged || !item->pinned || item->delivery == GPU_DELIVERY_HOST;
}

struct jpeg_settling {
    const struct jpeg_parts *parts;
    const struct jpeg_part *part;
    const struct jpeg_gpu_damage *damage;
    const struct jpeg_gpu_times *times;
    const struct gpu_error *error;
};

static void settle_picture(void *arg, uint32_t index)
{
    const struct jpeg_settling *s = arg;
    struct decoding *decoding = s->parts->decoding[s->part->first + index];
    s->parts->owner->enter(decoding);
    kst_jpeg_run_decoding_settle(decoding, &s->damage[index], s->times, s->error);
    s->parts->owner->leave(decoding);
}

/* End a part's decodings. Pictures that went through the stages together share the times. */
static void settle_part(const struct jpeg_parts *parts, const struct jpeg_part *part,
    const struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, const struct gpu_error *error)
{
    struct jpeg_settling settling = {parts, part, damage, times, error};
    times->upload /= part->count;
    times->entropy /= part->count;
    times->pixels /= part->count;
    times->download /= part->count;
    kst_pool_run_first(parts->owner->context->pool, part->count, settle_picture, &settling);
}

static void begin_part(struct jpeg_parts *parts)
{
    static const struct jpeg_gpu_damage none[PART_PICTURES];
    struct jpeg_part *part = &parts->part[parts->begun];
    struct jpeg_gpu_order order = {.after = parts->decoding[part->first]->after};
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    if (parts->begun >= PARTS_AT_ONCE)
        order.heir_of = parts->part[parts->begun - PARTS_AT_ONCE].job;
    part->job = kst_jpeg_gpu_begin(parts->gpu, &parts->item[part->first], part->count, &order, &error);
    parts->begun++;
    if (!part->job)
        settle_part(parts, part, none, &times, &error);
}

static void end_part(struct jpeg_parts *parts)
{
    struct jpeg_gpu_damage damage[PART_PICTURES];
    struct jpeg_gpu_times times = {0};
    struct gpu_error error;
    struct jpeg_part *part = &parts->part[parts->ended++];
    if (!part->job)
        return;
    kst_jpeg_gpu_end(part->job, damage, &times, &error);
    part->job = NULL;
    settle_part(parts, part, damage, &times, &error);
}

/* Return whether a part has to end before the next can begin. */
static bool must_end(const struct jpeg_parts *parts)
{
    uint32_t in_flight = parts->begun - parts->ended;
    return in_flight >= PARTS_IN_FLIGHT || (in_flight >= PARTS_AT_ONCE && parts->part[parts->ended].staged);
}

void kst_jpeg_run_parts_run(void *made, bool more)
{
    struct jpeg_parts *parts = made;
    uint32_t ready = parts->part_count - (parts->part_count > 0 && more);
    while (parts->begun < ready) {
        if (must_end(parts))
            end_part(parts);
        begin_part(parts);
    }
}

void kst_jpeg_run_parts_follow(const void *made, struct gpu_queue *queue)
{
    const struct jpeg_parts *parts = made;
    for (uint32_t i = parts->ended; i < parts->begun; i++)
        if (parts->part[i].job)
            kst_jpeg_gpu_follow(parts->part[i].job, queue);
}

bool kst_jpeg_run_parts_done(const void *made)
{
    const struct jpeg_parts *parts = made;
    for (uint32_t i = parts->ended; i < parts->begun; i++)
        if (parts->part[i].job && !kst_jpeg_gpu_done(parts->part[i].job))
            return false;
    return true;
}

void kst_jpeg_run_parts_end(void *made)
{
    struct jpeg_parts *parts = made;
    while (parts->ended < parts->begun)
        end_part(parts);
}
