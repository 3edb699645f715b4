/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a batch of JPEG pictures on a GPU, in parts. A few parts are under way at the same time, so that one is
 * downloaded while another is coded.
 */
#include "jpeg/run/encode.h"

enum { PARTS_AT_ONCE = 3, SMALL_PARTS_AT_ONCE = 4 };

struct jpeg_encode_part {
    struct jpeg_gpu_encode_job *job; /* null: ended, or never begun */
    uint32_t first, count;
};

struct jpeg_encode_parts {
    struct encode_owner owner;
    struct encoding **encoding;
    struct jpeg_gpu_encode_item *item; /* one for each picture, in an array */
    uint32_t count, taken;             /* pictures that have been added, and those of them that parts have taken */
    struct jpeg_encode_part part[SMALL_PARTS_AT_ONCE]; /* those under way, at their number modulo the size */
    uint32_t begun, ended;                             /* numbers of parts */
};

static void release(void *all)
{
    struct jpeg_encode_parts *parts = all;
    struct memory *memory = &parts->owner.context->memory;
    kst_memory_release(memory, parts->encoding);
    kst_memory_release(memory, parts->item);
    kst_memory_release(memory, parts);
}

static void *make(const struct encode_owner *owner)
{
    struct memory *memory = &owner->context->memory;
    kst_status status = KST_OK;
    struct jpeg_encode_parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, &status);
    if (!parts)
        return NULL;
    parts->owner = *owner;
    parts->encoding = kst_memory_array(memory, owner->most, sizeof(struct encoding *), &status);
    parts->item = kst_memory_array(memory, owner->most, sizeof *parts->item, &status);
    if (!status)
        return parts;
    release(parts);
    return NULL;
}

static void add(void *all, struct encoding *e)
{
    struct jpeg_encode_parts *parts = all;
    parts->item[parts->count] = jpeg_encoder_of(e)->item;
    parts->item[parts->count].after = e->after;
    parts->encoding[parts->count++] = e;
}

struct jpeg_encode_settling {
    struct jpeg_encode_parts *parts;
    const struct jpeg_encode_part *part;
    struct jpeg_gpu_encode_times times;
    struct gpu_error error;
};

static void settle_item(void *arg, uint32_t index)
{
    struct jpeg_encode_settling *settling = arg;
    struct jpeg_encode_parts *parts = settling->parts;
    struct encoding *e = parts->encoding[settling->part->first + index];
    if (!settling->error.status)
        kst_jpeg_gpu_encode_write(settling->part->job, index);
    kst_encoding_end(e, kst_jpeg_run_encoding_settle(e, &settling->times, &settling->error));
    parts->owner.close(e);
}

/* End a part's encodings. Pictures that were coded together share the times. */
static void settle_part(struct jpeg_encode_settling *settling)
{
    uint32_t count = settling->part->count;
    settling->times.upload /= count;
    settling->times.coding /= count;
    settling->times.download /= count;
    kst_pool_run(settling->parts->owner.context->pool, count, settle_item, settling);
}

static void begin_part(struct jpeg_encode_parts *parts, uint32_t count)
{
    struct jpeg_encode_part *part = &parts->part[parts->begun++ % SMALL_PARTS_AT_ONCE];
    struct jpeg_encode_settling settling = {.parts = parts, .part = part};
    bool in_row = parts->owner.most > count;
    *part = (struct jpeg_encode_part){.first = parts->taken, .count = count};
    parts->taken += count;
    part->job = kst_jpeg_gpu_encode_begin(
        parts->encoding[0]->gpu, &parts->item[part->first], part->count, in_row, &settling.error);
    if (!part->job)
        settle_part(&settling);
}

static void end_part(struct jpeg_encode_parts *parts)
{
    struct jpeg_encode_part *part = &parts->part[parts->ended++ % SMALL_PARTS_AT_ONCE];
    struct jpeg_encode_settling settling = {.parts = parts, .part = part};
    if (!part->job)
        return;
    kst_jpeg_gpu_encode_wait(part->job, &settling.times, &settling.error);
    settle_part(&settling);
    kst_jpeg_gpu_encode_end(part->job);
    part->job = NULL;
}

/*
 * Return whether a part has to end before one of `count` pictures can begin. Small parts take less memory, and there
 * must be more of them for the device to have work while the host ends one and begins another.
 */
static bool must_end(const struct jpeg_encode_parts *parts, uint32_t count)
{
    uint32_t most = kst_jpeg_gpu_encode_is_gathered(count) ? SMALL_PARTS_AT_ONCE : PARTS_AT_ONCE;
    return parts->begun - parts->ended >= most;
}

/* If more pictures will come, only the first part does not wait until it is full. */
static void begin_parts(struct jpeg_encode_parts *parts, bool more)
{
    while (parts->taken < parts->count) {
        uint32_t left = parts->count - parts->taken;
        uint32_t count = kst_jpeg_gpu_encode_share(parts->item + parts->taken, left);
        if (more && count == left && parts->begun > 0)
            return;
        while (must_end(parts, count))
            end_part(parts);
        begin_part(parts, count);
    }
}

static void feed(void *all)
{
    begin_parts(all, true);
}

static void run(void *all)
{
    struct jpeg_encode_parts *parts = all;
    begin_parts(parts, false);
    while (parts->ended < parts->begun)
        end_part(parts);
}

const struct encode_parts kst_jpeg_run_encode_parts = {
    .make = make, .release = release, .add = add, .feed = feed, .run = run, .threads = 1};
