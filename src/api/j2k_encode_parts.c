/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/j2k_encode_parts.h"

#include "api/j2k_encode.h"
#include "image/format.h"

enum {
    LEAST_PIXELS = 1 << 24, /* of a part: enough blocks to keep a device busy, */
    MOST_PIXELS = 1 << 26,  /* few enough to be written while others are coded */
    MOST_PICTURES = 64,
    SAMPLE_BYTES = 48 /* of device memory, about */
};

static uint64_t pixels_of(const struct encoding *e)
{
    return (uint64_t)e->image.width * e->image.height;
}

void kst_j2k_encode_parts_begin(struct j2k_encode_parts *parts)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        pixels += pixels_of(parts->encoding[i]);
    uint64_t share = pixels / J2K_ENCODE_PARTS_AT_ONCE;
    parts->pixels = share < LEAST_PIXELS ? LEAST_PIXELS : share > MOST_PIXELS ? MOST_PIXELS : share;
    parts->next = 0;
    pthread_mutex_init(&parts->lock, NULL);
}

void kst_j2k_encode_parts_end(struct j2k_encode_parts *parts)
{
    pthread_mutex_destroy(&parts->lock);
}

/* The next pictures, as many as make a part; at least one if there is one. */
static uint32_t take_part(struct j2k_encode_parts *parts, uint32_t *first)
{
    uint64_t pixels = 0, memory = 0;
    pthread_mutex_lock(&parts->lock);
    *first = parts->next;
    for (; parts->next < parts->count && parts->next - *first < MOST_PICTURES; parts->next++) {
        const struct encoding *e = parts->encoding[parts->next];
        uint64_t more = pixels_of(e), channels = kst_format_samples(e->image.format) * e->image.plane_count;
        pixels += more;
        memory += more * channels * SAMPLE_BYTES;
        if (parts->next > *first &&
            (pixels > parts->pixels || memory > e->gpu->gpu->info.memory / (2 * J2K_ENCODE_PARTS_AT_ONCE)))
            break;
    }
    uint32_t count = parts->next - *first;
    pthread_mutex_unlock(&parts->lock);
    return count;
}

struct part {
    struct j2k_encode_parts *parts;
    uint32_t first, count;
    struct j2k_encode_work *work;
    struct j2k_encode_work **member; /* those that the GPU encodes */
};

static void plan_picture(void *argument, uint32_t index)
{
    const struct part *part = argument;
    struct j2k_encode_work *work = &part->work[index];
    work->status = kst_j2k_encode_plan(work, part->parts->encoding[part->first + index]);
}

static void settle_picture(void *argument, uint32_t index)
{
    const struct part *part = argument;
    struct j2k_encode_work *work = &part->work[index];
    struct encoding *e = work->e;
    kst_status status = work->status ? work->status : kst_j2k_encode_settle(work);
    if (work->group)
        kst_j2k_gpu_report_encoding(work);
    kst_j2k_encode_release(work);
    kst_encoding_end(e, status);
    part->parts->close(part->parts->owner, e);
}

static void run_part(struct part *part)
{
    struct pool *pool = part->parts->context->pool;
    struct j2k_encode_group group;
    uint32_t members = 0;
    kst_pool_run(pool, part->count, plan_picture, part);
    for (uint32_t i = 0; i < part->count; i++)
        if (!part->work[i].status && part->work[i].on_gpu)
            part->member[members++] = &part->work[i];
    if (members > 0)
        kst_j2k_encode_group_code(&group, part->member, members);
    kst_pool_run(pool, part->count, settle_picture, part);
    if (members > 0)
        kst_j2k_encode_group_end(&group);
}

static void fail_part(const struct part *part, kst_status status)
{
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        kst_encoding_end(part->parts->encoding[i], status);
        part->parts->close(part->parts->owner, part->parts->encoding[i]);
    }
}

void kst_j2k_encode_parts_run(struct j2k_encode_parts *parts)
{
    struct memory *memory = &parts->context->memory;
    struct part part = {.parts = parts};
    while ((part.count = take_part(parts, &part.first)) > 0) {
        kst_status status = KST_OK;
        part.work = kst_memory_array(memory, part.count, sizeof *part.work, &status);
        part.member = kst_memory_array(memory, part.count, sizeof(struct j2k_encode_work *), &status);
        if (status)
            fail_part(&part, status);
        else
            run_part(&part);
        kst_memory_release(memory, part.work);
        kst_memory_release(memory, part.member);
    }
}
