/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembles codestreams on the device from the blocks that a job has coded, so that the host copies none of their
 * bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "j2k/gpu/encode_job.h"

/* The buffers of an assembly. The first one is pinned. */
enum assembly_buffer { HOST_LIST, LIST, STREAM, ASSEMBLY_BUFFERS };

enum { BEFORE, AFTER /* events of the track */ };

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct j2k_work_body) == 20 && sizeof(struct j2k_stream_work) == 8, "as in the kernels");

/* Holds one of the lists in which blocks were coded, and the bodies that it contains. */
struct assembled_list {
    const struct j2k_gpu_fetched *fetched;
    uint32_t first, count; /* index of its first body in `work` of the assembly, and their number */
};

struct assembly {
    const struct j2k_gpu_encode_job *job;
    const struct j2k_gpu_stream *stream;
    struct gpu_track *track;
    struct gpu_queue *queue;
    struct gpu_buffer buffer[ASSEMBLY_BUFFERS];
    struct assembled_list *list; /* all lists when the assembly began, sorted by the address of their bytes */
    uint32_t lists;
    struct j2k_work_body *work; /* in HOST_LIST: the frame's end, and the bodies of one list after the other */
};

static uintptr_t first_byte(const struct j2k_gpu_fetched *fetched)
{
    return (uintptr_t)fetched->buffer.host + fetched->to;
}

static bool holds(const struct j2k_gpu_fetched *fetched, const struct j2k_body *body)
{
    const uintptr_t from = first_byte(fetched), at = (uintptr_t)body->data;
    return at >= from && at - from < fetched->length;
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t first = first_byte(((const struct assembled_list *)a)->fetched);
    const uintptr_t second = first_byte(((const struct assembled_list *)b)->fetched);
    return (first > second) - (first < second);
}

static bool take_lists(struct assembly *a, struct gpu_error *error)
{
    const struct j2k_gpu_fetched *fetched = atomic_load(&a->job->fetched);
    for (const struct j2k_gpu_fetched *f = fetched; f; f = f->next)
        a->lists++;
    if (a->lists == 0)
        return true;
    a->list = kst_memory_zeroed(a->job->runtime->gpu->memory, a->lists, sizeof *a->list, &error->status);
    if (!a->list)
        return false;
    for (struct assembled_list *list = a->list; fetched; fetched = fetched->next)
        (list++)->fetched = fetched;
    qsort(a->list, a->lists, sizeof *a->list, by_address);
    return true;
}

/* Return the list that contains a body; null: there is none. `near`: the list of the preceding body, or null. */
static struct assembled_list *find_list(
    const struct assembly *a, const struct j2k_body *body, struct assembled_list *near)
{
    uint32_t low = 0, high = a->lists;
    if (near && holds(near->fetched, body))
        return near;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(first_byte(a->list[middle].fetched) <= (uintptr_t)body->data ? &low : &high) = middle;
    }
    return a->lists > 0 && holds(a->list[low].fetched, body) ? &a->list[low] : NULL;
}

/*
 * Give each list its place in `work`, behind the record of the frame's end. Returns false if a body is in none of the
 * lists.
 */
static bool place_lists(struct assembly *a)
{
    const struct j2k_body *body = a->stream->body;
    struct assembled_list *list = NULL;
    for (uint32_t i = 0; i < a->stream->count; i++) {
        list = find_list(a, &body[i], list);
        if (!list)
            return false;
        list->count++;
    }
    for (uint32_t i = 0, first = 1; i < a->lists; first += a->list[i++].count)
        a->list[i].first = first;
    return true;
}

/* Describe all bodies, each with the run of the frame in front of it. */
static void describe(struct assembly *a)
{
    struct assembled_list *list = NULL;
    uint64_t at = 0, bytes = 0; /* bytes of the frame, and of bodies, in front of the next body */
    for (uint32_t i = 0; i < a->lists; i++)
        a->list[i].count = 0;
    for (uint32_t i = 0; i < a->stream->count; i++) {
        const struct j2k_body *body = &a->stream->body[i];
        list = find_list(a, body, list);
        a->work[list->first + list->count++] =
            (struct j2k_work_body){.from = (uint32_t)((uintptr_t)body->data - first_byte(list->fetched)),
                .length = body->length,
                .to = (uint32_t)(body->at + bytes),
                .frame = (uint32_t)at,
                .run = (uint32_t)(body->at - at)};
        at = body->at;
        bytes += body->length;
    }
    /* The last run has no body behind it. */
    a->work[0] = (struct j2k_work_body){
        .to = (uint32_t)a->stream->length, .frame = (uint32_t)at, .run = (uint32_t)(a->stream->frame_length - at)};
}

/* Launch the kernel for bodies of a list. `from` is where the list's bytes begin in `collected`, a multiple of 4. */
static void launch(struct assembly *a, const struct gpu_buffer *collected, size_t from, uint32_t first, uint32_t count)
{
    const struct gpu_argument arguments[] = {{.buffer = &a->buffer[LIST]},
        {.buffer = collected, .bytes = a->stream->length}, {.buffer = &a->buffer[STREAM], .bytes = a->stream->length},
        {.value = first}, {.value = (uint32_t)(from / sizeof(uint32_t))}};
    kst_gpu_launch(a->queue, a->job->built, J2K_ENCODE_ASSEMBLE, count, arguments, 5);
}

/* Launch the kernel for each list that has bodies. The frame's end goes with the first one. */
static void launch_lists(struct assembly *a)
{
    uint32_t launched = 0;
    for (uint32_t i = 0; i < a->lists; i++) {
        const struct assembled_list *list = &a->list[i];
        if (list->count == 0)
            continue;
        launch(a, &list->fetched->collected, list->fetched->from, launched, list->first + list->count - launched);
        launched = list->first + list->count;
    }
    if (launched == 0)
        launch(a, &a->buffer[LIST], 0, 0, 1);
}

/* Describe all bodies, and queue the kernels that put them in place, list by list. */
static bool assemble(struct assembly *a, struct gpu_error *error)
{
    const struct j2k_gpu_stream *stream = a->stream;
    const struct gpu_backend *backend = a->job->runtime->gpu->backend;
    uint32_t *words = (uint32_t *)(void *)a->buffer[HOST_LIST].host;
    struct j2k_stream_work head = {.frame = WORDS(struct j2k_stream_work)};
    if (!take_lists(a, error))
        return false;
    if (!place_lists(a))
        return kst_gpu_fail(error, a->job->runtime->gpu, "assembly of a codestream", "bytes that are not there");
    head.body = head.frame + (uint32_t)((stream->frame_length + 3) / 4);
    memcpy(words, &head, sizeof head);
    memcpy(words + head.frame, stream->frame, stream->frame_length);
    a->work = (struct j2k_work_body *)(void *)(words + head.body);
    describe(a);
    backend->copy(a->queue, &a->buffer[LIST], 0, &a->buffer[HOST_LIST], 0,
        head.body * sizeof *words + (stream->count + 1ULL) * sizeof *a->work);
    launch_lists(a);
    return true;
}

static bool prepare(struct assembly *a, struct gpu_error *error)
{
    const struct j2k_gpu_stream *stream = a->stream;
    struct gpu_runtime *runtime = a->job->runtime;
    const uint64_t list = sizeof(struct j2k_stream_work) + (stream->frame_length + 3) / 4 * 4 +
                          (stream->count + 1ULL) * sizeof(struct j2k_work_body);
    const uint64_t length[ASSEMBLY_BUFFERS] = {
        [HOST_LIST] = list, [LIST] = list, [STREAM] = (stream->length + 3) / 4 * 4};
    a->track = kst_gpu_track_take(runtime, error);
    if (!a->track)
        return false;
    a->queue = a->track->urgent.handle ? &a->track->urgent : &a->track->queue;
    for (uint32_t i = 0; i < ASSEMBLY_BUFFERS; i++)
        if (!kst_gpu_pool_take(
                &runtime->pool, i == HOST_LIST ? GPU_PINNED : GPU_DEVICE, (size_t)length[i], &a->buffer[i], error))
            return false;
    return true;
}

static void download(struct assembly *a, const struct gpu_buffer *to, double *seconds, struct gpu_error *error)
{
    struct gpu *gpu = a->job->runtime->gpu;
    const struct gpu_backend *backend = gpu->backend;
    backend->record(a->queue, &a->track->event[BEFORE]);
    backend->copy(a->queue, to, 0, &a->buffer[STREAM], 0, (size_t)a->stream->length);
    backend->record(a->queue, &a->track->event[AFTER]);
    backend->finish(a->queue);
    *error = a->queue->error;
    if (!error->status)
        *seconds = backend->elapsed(gpu, &a->track->event[BEFORE], &a->track->event[AFTER]);
}

bool kst_j2k_gpu_assembles(const struct j2k_gpu_stream *stream)
{
    return stream->length <= INT32_MAX && stream->count < J2K_ASSEMBLED_BODIES;
}

bool kst_j2k_gpu_assemble(const struct j2k_gpu_encode_job *job, const struct j2k_gpu_stream *stream,
    const struct gpu_buffer *to, double *seconds, struct gpu_error *error)
{
    struct gpu_runtime *runtime = job->runtime;
    struct assembly a = {.job = job, .stream = stream};
    *error = (struct gpu_error){.status = KST_OK};
    *seconds = 0;
    bool done = prepare(&a, error) && assemble(&a, error);
    if (done)
        download(&a, to, seconds, error);
    else if (a.queue)
        runtime->gpu->backend->finish(a.queue);
    for (uint32_t i = 0; i < ASSEMBLY_BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &a.buffer[i]);
    kst_gpu_track_give(runtime, a.track);
    kst_memory_release(runtime->gpu->memory, a.list);
    return !error->status;
}
