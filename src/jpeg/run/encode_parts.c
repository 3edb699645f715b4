/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG pictures of a batch that a GPU encodes. They go there in parts, of which a few are on their way at the same
 * time, so that one is downloaded while another is coded.
 */
#include "jpeg/run/encode.h"

enum { PART_PICTURES = 4, PARTS_AT_ONCE = 3 };

struct parts {
    struct encode_owner owner;
    struct encoding **encoding;
    struct jpeg_encode_item *item; /* one a picture, side by side */
    uint32_t count;
};

struct part {
    struct encode_batch *batch; /* null: ended, or never begun */
    uint32_t first, count;
};

static void release(void *all)
{
    struct parts *parts = all;
    struct memory *memory = &parts->owner.context->memory;
    kst_memory_release(memory, parts->encoding);
    kst_memory_release(memory, parts->item);
    kst_memory_release(memory, parts);
}

static void *make(const struct encode_owner *owner)
{
    struct memory *memory = &owner->context->memory;
    kst_status status = KST_OK;
    struct parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, &status);
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
    struct parts *parts = all;
    parts->item[parts->count] = jpeg_encoder_of(e)->item;
    parts->item[parts->count].after = e->after;
    parts->encoding[parts->count++] = e;
}

struct settling {
    struct parts *parts;
    const struct part *part;
    struct jpeg_encode_times times;
    struct gpu_error error;
};

static void settle_item(void *arg, uint32_t index)
{
    struct settling *settling = arg;
    struct parts *parts = settling->parts;
    struct encoding *e = parts->encoding[settling->part->first + index];
    if (!settling->error.status)
        kst_gpu_jpeg_encode_write(settling->part->batch, index);
    kst_encoding_end(e, kst_jpeg_encoding_settle(e, &settling->times, &settling->error));
    parts->owner.close(e);
}

/* Pictures that were coded together share their times. */
static void settle_part(struct settling *settling)
{
    uint32_t count = settling->part->count;
    settling->times.upload /= count;
    settling->times.coding /= count;
    settling->times.download /= count;
    kst_pool_run(settling->parts->owner.context->pool, count, settle_item, settling);
}

static void begin_part(struct parts *parts, struct part *part)
{
    struct settling settling = {.parts = parts, .part = part};
    bool in_row = parts->count > part->count;
    part->batch = kst_gpu_jpeg_encode_begin(
        parts->encoding[0]->gpu, &parts->item[part->first], part->count, in_row, &settling.error);
    if (!part->batch)
        settle_part(&settling);
}

static void end_part(struct parts *parts, struct part *part)
{
    struct settling settling = {.parts = parts, .part = part};
    if (!part->batch)
        return;
    kst_gpu_jpeg_encode_wait(part->batch, &settling.times, &settling.error);
    settle_part(&settling);
    kst_gpu_jpeg_encode_end(part->batch);
    part->batch = NULL;
}

static void run(void *all)
{
    struct parts *parts = all;
    struct part part[PARTS_AT_ONCE] = {{.batch = NULL}};
    uint32_t turn = 0;
    for (uint32_t done = 0, some; done < parts->count; done += some, turn++) {
        struct part *next = &part[turn % PARTS_AT_ONCE];
        end_part(parts, next);
        some = kst_gpu_jpeg_encode_share(parts->item + done, parts->count - done, PART_PICTURES);
        *next = (struct part){.first = done, .count = some};
        begin_part(parts, next);
    }
    for (uint32_t i = 0; i < PARTS_AT_ONCE; i++)
        end_part(parts, &part[(turn + i) % PARTS_AT_ONCE]);
}

const struct encode_parts kst_jpeg_encode_parts = {
    .make = make, .release = release, .add = add, .run = run, .threads = 1};
