/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a codestream whose code-blocks the GPU has coded: the host writes its frame, the device puts the blocks' bytes
 * into it, and the whole is downloaded into the caller's buffer if that is pinned, and otherwise copied there.
 */
#include <string.h>

#include "core/report.h"
#include "device/pinned.h"
#include "j2k/run/encode.h"

enum { SLICE = 1 << 20 /* bytes that a thread copies at a time */ };

struct assembling {
    struct j2k_encoder *encoder;
    const struct j2k_gpu_encode_job *job;
    struct sink frame;
    struct j2k_bodies bodies;
    struct j2k_gpu_stream stream;
    const struct gpu_buffer *from; /* where the codestream was downloaded to, */
    uint8_t *to;                   /* and where it is copied to */
};

static kst_status download(struct assembling *a, const struct gpu_buffer *to)
{
    kst_report *report = &a->encoder->e->report;
    struct gpu_error error;
    double seconds;
    if (!kst_j2k_gpu_assemble(a->job, &a->stream, to, &seconds, &error))
        return kst_j2k_run_encode_gpu_fail(a->encoder, &error);
    report->stage_seconds[KST_STAGE_DOWNLOAD] += seconds;
    return KST_OK;
}

static void copy_slice(void *argument, uint32_t index)
{
    const struct assembling *a = argument;
    const size_t first = (size_t)index * SLICE, left = (size_t)a->stream.length - first;
    memcpy(a->to + first, a->from->host + first, left < SLICE ? left : SLICE);
}

/* Append what was downloaded, with all threads unless a writer takes it piece by piece. */
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
    kst_pool_run(a->encoder->e->context->pool, (uint32_t)((length + SLICE - 1) / SLICE), copy_slice, a);
    sink->length += length;
}

static kst_status download_and_append(struct assembling *a, struct sink *sink)
{
    struct encoding *e = a->encoder->e;
    struct gpu_buffer staged;
    struct gpu_error error = {.status = KST_OK};
    if (!kst_gpu_pool_take(&e->gpu->pool, GPU_PINNED, (size_t)a->stream.length, &staged, &error))
        return kst_j2k_run_encode_gpu_fail(a->encoder, &error);
    kst_status status = download(a, &staged);
    a->from = &staged;
    if (!status)
        append(a, sink);
    kst_gpu_pool_give(&e->gpu->pool, &staged);
    return status;
}

/* Download into the sink's own memory if the device can copy there. */
static kst_status deliver(struct assembling *a, struct sink *sink)
{
    struct encoding *e = a->encoder->e;
    const size_t length = (size_t)a->stream.length;
    kst_status status = KST_OK;
    if (sink->writer || sink->memory)
        status = download_and_append(a, sink);
    else {
        uint8_t *to = kst_sink_reserve(sink, length);
        if (to && kst_gpu_is_pinned(e->gpu, to, length)) {
            const struct gpu_buffer direct = kst_gpu_host(to, length);
            status = download(a, &direct);
            sink->length += length;
        } else if (to)
            status = download_and_append(a, sink);
    }
    return status || !sink->status ? status
                                   : kst_report_error(&e->report, sink->status, KST_NO_OFFSET, "while writing");
}

/* Let the host write all of the codestream, which is too large for the kernels. */
static kst_status write_here(struct assembling *a, const struct j2k_codestream *stream, struct sink *sink)
{
    kst_status status = kst_j2k_run_encode_gpu_arrive(a->encoder);
    return status ? status : kst_j2k_codestream_write(stream, sink);
}

static kst_status carry(void *user, const struct j2k_codestream *stream, struct sink *sink)
{
    struct j2k_encoder *encoder = user;
    struct memory *memory = &encoder->e->memory;
    struct assembling a = {.encoder = encoder,
        .job = kst_j2k_run_encode_gpu_job(encoder),
        .bodies.memory = memory,
        .stream.length = kst_j2k_codestream_length(stream)};
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

struct j2k_carrier kst_j2k_run_encode_carrier(struct j2k_encoder *encoder)
{
    return (struct j2k_carrier){.user = encoder, .carry = encoder->part ? carry : NULL};
}
