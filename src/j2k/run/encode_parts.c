/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a batch of JPEG 2000 pictures on a GPU, in parts. A part consists of pictures whose blocks are coded
 * together; several parts are in flight at the same time.
 */
#include "image/format.h"
#include "j2k/run/encode.h"

enum {
    LEAST_PIXELS = 1 << 24, /* least and most pixels of a part: enough blocks to keep a device busy, */
    MOST_PIXELS = 1 << 26,  /* but few enough to be written while others are coded */
    MOST_PICTURES = 64,
    SAMPLE_BYTES = 48, /* bytes of device memory for a sample, approximately */
    PARTS_AT_ONCE = 4
};

struct j2k_encode_parts {
    struct encode_owner owner;
    struct encoding **encoding;
    uint32_t count;
    uint64_t pixels;      /* sum over all pictures */
    pthread_mutex_t lock; /* guards the members below */
    uint32_t next;        /* first picture that is not in a part yet */
};

static uint64_t pixels_of(const struct encoding *e)
{
    return (uint64_t)e->image.width * e->image.height;
}

static void release(void *all)
{
    struct j2k_encode_parts *parts = all;
    struct memory *memory = &parts->owner.context->memory;
    pthread_mutex_destroy(&parts->lock);
    kst_memory_release(memory, parts->encoding);
    kst_memory_release(memory, parts);
}

static void *make(const struct encode_owner *owner)
{
    struct memory *memory = &owner->context->memory;
    kst_status status = KST_OK;
    struct j2k_encode_parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, &status);
    if (!parts)
        return NULL;
    parts->owner = *owner;
    pthread_mutex_init(&parts->lock, NULL);
    parts->encoding = kst_memory_array(memory, owner->most, sizeof(struct encoding *), &status);
    if (!status)
        return parts;
    release(parts);
    return NULL;
}

static void add(void *all, struct encoding *e)
{
    struct j2k_encode_parts *parts = all;
    parts->encoding[parts->count++] = e;
    parts->pixels += pixels_of(e);
}

/* Return approximately how many pixels a part should have. */
static uint64_t pixels_of_part(const struct j2k_encode_parts *parts)
{
    uint64_t share = parts->pixels / PARTS_AT_ONCE;
    return share < LEAST_PIXELS ? LEAST_PIXELS : share > MOST_PIXELS ? MOST_PIXELS : share;
}

/* Take the next pictures, as many as make a part, but at least one if any are left. */
static uint32_t take_part(struct j2k_encode_parts *parts, uint32_t *first)
{
    const uint64_t wanted = pixels_of_part(parts);
    uint64_t pixels = 0, memory = 0;
    pthread_mutex_lock(&parts->lock);
    *first = parts->next;
    for (; parts->next < parts->count && parts->next - *first < MOST_PICTURES; parts->next++) {
        const struct encoding *e = parts->encoding[parts->next];
        uint64_t more = pixels_of(e), channels = kst_format_samples(e->image.format) * e->image.plane_count;
        pixels += more;
        memory += more * channels * SAMPLE_BYTES;
        if (parts->next > *first && (pixels > wanted || memory > e->gpu->gpu->info.memory / (2 * PARTS_AT_ONCE)))
            break;
    }
    uint32_t count = parts->next - *first;
    pthread_mutex_unlock(&parts->lock);
    return count;
}

struct j2k_encode_part {
    struct j2k_encode_parts *parts;
    uint32_t first, count;
    struct j2k_encoder *encoder;
    struct j2k_encoder **member; /* pictures that the GPU encodes */
};

static void plan_picture(void *argument, uint32_t index)
{
    const struct j2k_encode_part *part = argument;
    struct j2k_encoder *encoder = &part->encoder[index];
    encoder->status = kst_j2k_run_encode_plan(encoder, part->parts->encoding[part->first + index]);
}

static void settle_picture(void *argument, uint32_t index)
{
    const struct j2k_encode_part *part = argument;
    struct j2k_encoder *encoder = &part->encoder[index];
    struct encoding *e = encoder->e;
    kst_status status = encoder->status ? encoder->status : kst_j2k_run_encode_settle(encoder);
    if (encoder->part)
        kst_j2k_run_encode_gpu_report(encoder);
    kst_j2k_run_encode_release(encoder);
    kst_encoding_end(e, status);
    part->parts->owner.close(e);
}

static void run_part(struct j2k_encode_part *part)
{
    struct pool *pool = part->parts->owner.context->pool;
    struct j2k_encode_gpu_part on_gpu;
    uint32_t members = 0;
    kst_pool_run(pool, part->count, plan_picture, part);
    for (uint32_t i = 0; i < part->count; i++)
        if (!part->encoder[i].status && part->encoder[i].on_gpu)
            part->member[members++] = &part->encoder[i];
    if (members > 0)
        kst_j2k_run_encode_gpu_code(&on_gpu, part->member, members);
    kst_pool_run(pool, part->count, settle_picture, part);
    if (members > 0)
        kst_j2k_run_encode_gpu_end(&on_gpu);
}

static void fail_part(const struct j2k_encode_part *part, kst_status status)
{
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        kst_encoding_end(part->parts->encoding[i], status);
        part->parts->owner.close(part->parts->encoding[i]);
    }
}

/* Encode parts until no picture is left. */
static void run(void *all)
{
    struct j2k_encode_parts *parts = all;
    struct memory *memory = &parts->owner.context->memory;
    struct j2k_encode_part part = {.parts = parts};
    while ((part.count = take_part(parts, &part.first)) > 0) {
        kst_status status = KST_OK;
        part.encoder = kst_memory_array(memory, part.count, sizeof *part.encoder, &status);
        part.member = kst_memory_array(memory, part.count, sizeof(struct j2k_encoder *), &status);
        if (status)
            fail_part(&part, status);
        else
            run_part(&part);
        kst_memory_release(memory, part.encoder);
        kst_memory_release(memory, part.member);
    }
}

static uint32_t threads(void *all)
{
    const struct j2k_encode_parts *parts = all;
    return parts->count < PARTS_AT_ONCE ? parts->count : PARTS_AT_ONCE;
}

const struct encode_parts kst_j2k_run_encode_parts = {
    .make = make, .release = release, .add = add, .run = run, .threads = threads};
