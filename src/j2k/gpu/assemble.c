/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembles codestreams on the device from the blocks that a job has coded, so that the host copies none of their
 * bytes.
 */
#include <string.h>

#include "j2k/gpu/encode_job.h"

/* Buffers of an assembly. The first one is pinned. */
enum assembly_buffer { HOST_LIST, LIST, STREAM, ASSEMBLY_BUFFERS };

enum { BEFORE, AFTER /* events of the track */ };

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct j2k_work_body) == 20 && sizeof(struct j2k_stream_work) == 8, "as in the kernels");

struct assembly {
    const struct j2k_gpu_encode_job *job;
    const struct j2k_gpu_stream *stream;
    const struct j2k_gpu_fetched *fetched; /* all that the job had coded when the assembly began */
    struct gpu_track *track;
    struct gpu_queue *queue;
    struct gpu_buffer buffer[ASSEMBLY_BUFFERS];
    struct j2k_work_body *work; /* in HOST_LIST, in the order of launches */
    uint32_t written, launched; /* bodies in `work`, and those of them that were launched */
    size_t uploaded;            /* bytes of the list */
};

static bool holds(const struct j2k_gpu_fetched *fetched, const struct j2k_body *body)
{
    const uintptr_t from = (uintptr_t)fetched->buffer.host + fetched->to, at = (uintptr_t)body->data;
    return at >= from && at - from < fetched->length;
}

/* Describe the bodies that one list of blocks has, each with the run of the frame in front of it. */
static void describe(struct assembly *a, const struct j2k_gpu_fetched *fetched)
{
    uint64_t at = 0, bytes = 0; /* what precedes in the frame, and of bodies */
    for (const struct j2k_body *body = a->stream->body; body < a->stream->body + a->stream->count; body++) {
        if (holds(fetched, body)) {
            const size_t offset = (size_t)(body->data - (fetched->buffer.host + fetched->to));
            a->work[a->written++] = (struct j2k_work_body){.from = (uint32_t)offset,
                .length = body->length,
                .to = (uint32_t)(body->at + bytes),
                .frame = (uint32_t)at,
                .run = (uint32_t)(body->at - at)};
        }
        at = body->at;
        bytes += body->length;
    }
}

/* Describe the last run of the frame, which has no body behind it. */
static void describe_end(struct assembly *a)
{
    const struct j2k_gpu_stream *stream = a->stream;
    const uint64_t at = stream->count > 0 ? stream->body[stream->count - 1].at : 0;
    a->work[a->written++] = (struct j2k_work_body){
        .to = (uint32_t)stream->length, .frame = (uint32_t)at, .run = (uint32_t)(stream->frame_length - at)};
}

/* Launch the kernel for bodies of which `from` says where the bytes lie in `collected`: a multiple of 4. */
static void launch(struct assembly *a, const struct gpu_buffer *collected, size_t from, uint32_t first, uint32_t count)
{
    const struct gpu_argument arguments[] = {{.buffer = &a->buffer[LIST]},
        {.buffer = collected, .bytes = a->stream->length}, {.buffer = &a->buffer[STREAM], .bytes = a->stream->length},
        {.value = first}, {.value = (uint32_t)(from / sizeof(uint32_t))}};
    kst_gpu_launch(a->queue, a->job->built, J2K_ENCODE_ASSEMBLE, count, arguments, 5);
}

/* Upload what has been written of the list since the last time, and launch the kernel for its bodies. */
static void go_on(struct assembly *a, const struct gpu_buffer *collected, size_t from)
{
    const struct gpu_backend *backend = a->job->runtime->gpu->backend;
    const size_t end = (size_t)((const uint8_t *)(a->work + a->written) - a->buffer[HOST_LIST].host);
    backend->copy(a->queue, &a->buffer[LIST], a->uploaded, &a->buffer[HOST_LIST], a->uploaded, end - a->uploaded);
    launch(a, collected, from, a->launched, a->written - a->launched);
    a->uploaded = end;
    a->launched = a->written;
}

/* Describe all bodies, and queue what puts them in place, by the lists in which the blocks were coded. */
static bool assemble(struct assembly *a, struct gpu_error *error)
{
    const struct j2k_gpu_stream *stream = a->stream;
    uint32_t *words = (uint32_t *)(void *)a->buffer[HOST_LIST].host;
    struct j2k_stream_work head = {.frame = WORDS(struct j2k_stream_work)};
    head.body = head.frame + (uint32_t)((stream->frame_length + 3) / 4);
    memcpy(words, &head, sizeof head);
    memcpy(words + head.frame, stream->frame, stream->frame_length);
    a->work = (struct j2k_work_body *)(void *)(words + head.body);
    describe_end(a);
    if (stream->count == 0)
        go_on(a, &a->buffer[LIST], 0);
    for (const struct j2k_gpu_fetched *f = a->fetched; f && a->written <= stream->count; f = f->next) {
        describe(a, f);
        if (a->written > a->launched + (a->launched == 0 ? 1 : 0))
            go_on(a, &f->collected, f->from);
    }
    if (a->written <= stream->count)
        return kst_gpu_fail(error, a->job->runtime->gpu, "assembly of a codestream", "bytes that are not there");
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
    struct assembly a = {.job = job, .stream = stream, .fetched = atomic_load(&job->fetched)};
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
    return !error->status;
}
