/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes codestreams whose code-blocks the GPU has coded. */
#include <string.h>

#include "core/report.h"
#include "device/pinned.h"
#include "j2k/run/assemble.h"

enum { SLICE = 1 << 20 /* bytes that a thread copies at a time */ };

struct assembling {
    const struct j2k_assembler *by;
    struct sink frame;
    struct j2k_bodies bodies;
    struct j2k_gpu_stream stream;
    size_t front;                  /* bytes of the frame in front of the packets, if these are on the device */
    const struct gpu_buffer *from; /* where the codestream was downloaded to, */
    uint8_t *to;                   /* and where it is copied to */
};

static kst_status fail(const struct assembling *a, const struct gpu_error *error)
{
    return kst_report_error(a->by->report, error->status, KST_NO_OFFSET, error->text[0] ? "%s" : NULL, error->text);
}

/* Download the device's packets to between the two parts of the frame. */
static bool download_packets(
    struct assembling *a, const struct gpu_buffer *to, double *seconds, struct gpu_error *error)
{
    const size_t behind = a->front + a->by->placed;
    memcpy(to->host, a->frame.data, a->front);
    memcpy(to->host + behind, a->frame.data + a->front, a->frame.length - a->front);
    return kst_j2k_gpu_assemble_packets(a->by->job, a->by->item, a->by->placed, to, a->front, seconds, error);
}

static kst_status download(struct assembling *a, const struct gpu_buffer *to)
{
    kst_report *report = a->by->report;
    struct gpu_error error;
    double seconds;
    if (!(a->front > 0 ? download_packets(a, to, &seconds, &error)
                       : kst_j2k_gpu_assemble(a->by->job, &a->stream, to, &seconds, &error)))
        return fail(a, &error);
    report->stage_seconds[KST_STAGE_DOWNLOAD] += seconds;
    return KST_OK;
}

static void copy_slice(void *argument, uint32_t index)
{
    const struct assembling *a = argument;
    const size_t first = (size_t)index * SLICE, left = (size_t)a->stream.length - first;
    memcpy(a->to + first, a->from->host + first, left < SLICE ? left : SLICE);
}

/* Append what was downloaded; all threads copy, unless a writer takes it piece by piece. */
static void append(struct assembling *a, struct sink *sink)
{
    const size_t length = (size_t)a->stream.length;
    if (sink->writer) {
        for (size_t done = 0; done < length && !sink->status; done += SINK_PIECE) {
            kst_sink_bytes(sink, a->from->host + done, length - done < SINK_PIECE ? length - done : SINK_PIECE);
            kst_sink_settle(sink);
        }
        return;
    }
    a->to = kst_sink_reserve(sink, length);
    if (!a->to)
        return;
    kst_pool_run(a->by->pool, (uint32_t)((length + SLICE - 1) / SLICE), copy_slice, a);
    sink->length += length;
}

static kst_status download_and_append(struct assembling *a, struct sink *sink)
{
    struct gpu_pool *buffers = &a->by->gpu->pool;
    struct gpu_buffer staged;
    struct gpu_error error = {.status = KST_OK};
    if (!kst_gpu_pool_take(buffers, GPU_PINNED, (size_t)a->stream.length, &staged, &error))
        return fail(a, &error);
    kst_status status = download(a, &staged);
    a->from = &staged;
    if (!status)
        append(a, sink);
    kst_gpu_pool_give(buffers, &staged);
    return status;
}

/* Download directly to the sink's own memory if the device can copy there. */
static kst_status deliver(struct assembling *a, struct sink *sink)
{
    const size_t length = (size_t)a->stream.length;
    kst_status status = KST_OK;
    if (sink->writer || sink->memory)
        status = download_and_append(a, sink);
    else {
        uint8_t *to = kst_sink_reserve(sink, length);
        if (to && kst_gpu_is_pinned(a->by->gpu, to, length)) {
            const struct gpu_buffer direct = kst_gpu_host(to, length);
            status = download(a, &direct);
            sink->length += length;
        } else if (to)
            status = download_and_append(a, sink);
    }
    return status || !sink->status ? status
                                   : kst_report_error(a->by->report, sink->status, KST_NO_OFFSET, "while writing");
}

/* Let the host write all of a codestream that is too large for the kernels. */
static kst_status write_here(struct assembling *a, const struct j2k_codestream *stream, struct sink *sink)
{
    kst_status status = a->by->arrive(a->by->user);
    return status ? status : kst_j2k_codestream_write(stream, sink);
}

/* Write the codestream around packets that are on the device. */
static kst_status write_around(struct assembling *a, const struct j2k_codestream *stream, struct sink *sink)
{
    kst_sink_init(&a->frame, a->by->memory);
    kst_status status = kst_j2k_codestream_edges(stream, &a->frame, &a->front);
    if (!status)
        status = deliver(a, sink);
    kst_sink_release(&a->frame);
    return status;
}

kst_status kst_j2k_run_assemble(const void *assembler, const struct j2k_codestream *stream, struct sink *sink)
{
    const struct j2k_assembler *by = assembler;
    struct memory *memory = by->memory;
    struct assembling a = {.by = by, .bodies.memory = memory, .stream.length = kst_j2k_codestream_length(stream)};
    if (kst_j2k_codestream_is_around(stream))
        return write_around(&a, stream, sink);
    if (!kst_j2k_gpu_assembles(&a.stream)) /* its length alone is too large, so that no bodies need be listed */
        return write_here(&a, stream, sink);
    kst_sink_init(&a.frame, memory);
    kst_status status = kst_j2k_codestream_frame(stream, &a.frame, &a.bodies);
    a.stream.frame = a.frame.data;
    a.stream.body = a.bodies.body;
    a.stream.frame_length = a.frame.length;
    a.stream.count = a.bodies.count;
    if (!status)
        status = kst_j2k_gpu_assembles(&a.stream) ? deliver(&a, sink) : write_here(&a, stream, sink);
    kst_memory_release(memory, a.bodies.body);
    kst_sink_release(&a.frame);
    return status;
}
