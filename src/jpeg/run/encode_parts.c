/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a batch of JPEG pictures on a GPU, in parts. A few parts are in flight at the same time, so that one is
 * downloaded while another is coded. One thread leads: it begins parts one after the other, and ends them in that
 * order. Parts of small pictures give the host as much to do as the device, so other threads take some of these and run
 * them from begin to end.
 */
#include <pthread.h>

#include "jpeg/run/encode.h"

enum { PARTS_AT_ONCE = 3, SMALL_PARTS_AT_ONCE = 4, THREADS = 6 };

struct jpeg_encode_part {
    struct jpeg_gpu_encode_job *job; /* null: ended, or never begun */
    uint32_t first, count;
};

struct jpeg_encode_parts {
    struct encode_owner owner;
    struct encoding **encoding;
    struct jpeg_gpu_encode_item *item;                 /* one for each picture, in an array */
    uint32_t count;                                    /* pictures that have been added */
    pthread_mutex_t lock;                              /* guards the two members below */
    uint32_t taken;                                    /* pictures that parts have taken */
    bool led;                                          /* a thread leads */
    struct jpeg_encode_part part[SMALL_PARTS_AT_ONCE]; /* the leader's parts in flight, by number modulo the size */
    uint32_t begun, ended;                             /* numbers of its parts */
};

/* Says which kind of part a thread takes next. */
enum jpeg_encode_taking {
    TAKE_ANY,
    TAKE_FULL, /* a part that no further picture may join; the first one need not be full */
    TAKE_SMALL /* a part of small pictures */
};

static void release(void *all)
{
    struct jpeg_encode_parts *parts = all;
    struct memory *memory = &parts->owner.context->memory;
    pthread_mutex_destroy(&parts->lock);
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
    pthread_mutex_init(&parts->lock, NULL);
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

/* Take the pictures of the next part. Returns false if there is no such part. */
static bool take_part(struct jpeg_encode_parts *parts, enum jpeg_encode_taking taking, struct jpeg_encode_part *part)
{
    pthread_mutex_lock(&parts->lock);
    uint32_t left = parts->count - parts->taken;
    uint32_t count = left > 0 ? kst_jpeg_gpu_encode_share(parts->item + parts->taken, left) : 0;
    bool refused = (taking == TAKE_FULL && count == left && parts->begun > 0) ||
                   (taking == TAKE_SMALL && !kst_jpeg_gpu_encode_is_gathered(count));
    *part = (struct jpeg_encode_part){.first = parts->taken, .count = refused ? 0 : count};
    parts->taken += part->count;
    pthread_mutex_unlock(&parts->lock);
    return part->count > 0;
}

static void begin_part(struct jpeg_encode_parts *parts, struct jpeg_encode_part *part)
{
    struct jpeg_encode_settling settling = {.parts = parts, .part = part};
    bool in_row = parts->owner.most > part->count;
    part->job = kst_jpeg_gpu_encode_begin(
        parts->encoding[0]->gpu, &parts->item[part->first], part->count, in_row, &settling.error);
    if (!part->job)
        settle_part(&settling);
}

static void end_part(struct jpeg_encode_parts *parts, struct jpeg_encode_part *part)
{
    struct jpeg_encode_settling settling = {.parts = parts, .part = part};
    if (!part->job)
        return;
    kst_jpeg_gpu_encode_wait(part->job, &settling.times, &settling.error);
    settle_part(&settling);
    kst_jpeg_gpu_encode_end(part->job);
    part->job = NULL;
}

static void begin_next(struct jpeg_encode_parts *parts, const struct jpeg_encode_part *part)
{
    struct jpeg_encode_part *next = &parts->part[parts->begun++ % SMALL_PARTS_AT_ONCE];
    *next = *part;
    begin_part(parts, next);
}

static void end_next(struct jpeg_encode_parts *parts)
{
    end_part(parts, &parts->part[parts->ended++ % SMALL_PARTS_AT_ONCE]);
}

/*
 * Return whether a part has to end before another one, of `count` pictures, can begin. Small parts take less memory,
 * and there must be more of them for the device to have work while the host ends one and begins another.
 */
static bool must_end(const struct jpeg_encode_parts *parts, uint32_t count)
{
    uint32_t most = kst_jpeg_gpu_encode_is_gathered(count) ? SMALL_PARTS_AT_ONCE : PARTS_AT_ONCE;
    return parts->begun - parts->ended >= most;
}

/* Begin full parts while pictures are still being planned. run() ends them when no more pictures will come. */
static void feed(void *all)
{
    struct jpeg_encode_parts *parts = all;
    struct jpeg_encode_part part;
    while (parts->begun < PARTS_AT_ONCE && take_part(parts, TAKE_FULL, &part))
        begin_next(parts, &part);
}

static void lead(struct jpeg_encode_parts *parts)
{
    struct jpeg_encode_part part;
    while (take_part(parts, TAKE_ANY, &part)) {
        while (must_end(parts, part.count))
            end_next(parts);
        begin_next(parts, &part);
    }
    while (parts->ended < parts->begun)
        end_next(parts);
}

static void run(void *all)
{
    struct jpeg_encode_parts *parts = all;
    struct jpeg_encode_part part;
    pthread_mutex_lock(&parts->lock);
    bool led = parts->led;
    parts->led = true;
    pthread_mutex_unlock(&parts->lock);
    if (!led)
        lead(parts);
    while (led && take_part(parts, TAKE_SMALL, &part)) {
        begin_part(parts, &part);
        end_part(parts, &part);
    }
}

/* Return the number of threads that run() can use. One is enough for the last part, and for large ones. */
static uint32_t threads(void *all)
{
    struct jpeg_encode_parts *parts = all;
    uint32_t left = parts->count - parts->taken;
    uint32_t count = left > 0 ? kst_jpeg_gpu_encode_share(parts->item + parts->taken, left) : 0;
    bool many = count < left && kst_jpeg_gpu_encode_is_gathered(count);
    return parts->count == 0 ? 0 : many ? THREADS : 1;
}

const struct encode_parts kst_jpeg_run_encode_parts = {
    .make = make, .release = release, .add = add, .feed = feed, .run = run, .threads = threads};
