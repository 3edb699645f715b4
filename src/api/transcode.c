/* SPDX-License-Identifier: BSD-2-Clause */
/* kst_transcode(), kst_transcode_to(): a stream written anew from its coefficients. */
#include <string.h>

#include "api/j2k_transcode.h"
#include "core/context.h"
#include "core/report.h"
#include "core/sink.h"
#include "cpu/jpeg_coefficients.h"
#include "cpu/jpeg_encode.h"
#include "j2k/stream.h"
#include "jpeg/encoding.h"
#include "jpeg/exif.h"
#include "jpeg/marker.h"
#include "jpeg/parse.h"
#include "jpeg/restart.h"
#include "jpeg/script.h"
#include "jpeg/transform.h"

enum { SPLIT_MAX = JPEG_SCRIPT_MAX * JPEG_COMPONENTS };

/* One call; everything in it belongs to the call. */
struct transcoding {
    kst_context *context;
    const kst_transcode_options *options;
    kst_report *report;
    struct memory memory;
    struct sink sink;
    struct jpeg_stream stream;
    struct jpeg_transform transform;
    struct jpeg_encoding encoding;
    struct jpeg_coefficients coefficients;
    kst_metadata *metadata;
    uint8_t *exif; /* the first Exif segment with its picture's new size, which an item of `metadata` points to */
    kst_scan script[SPLIT_MAX];
};

void kst_transcode_options_init(kst_transcode_options *options)
{
    if (options)
        *options = (kst_transcode_options){.size = sizeof *options, .jpeg2000 = {.progression = -1}};
}

static kst_status fail(struct transcoding *t, kst_status status)
{
    return status == KST_OK ? KST_OK : kst_report_error(t->report, status, KST_NO_OFFSET, NULL);
}

static kst_status check_options(struct transcoding *t)
{
    const kst_transcode_options *o = t->options;
    if (o->size != sizeof *o || (unsigned)o->coding > KST_CODING_PROGRESSIVE ||
        (unsigned)o->restart.unit > KST_RESTART_KEEP ||
        (o->restart.unit == KST_RESTART_MCUS && o->restart.interval > 65535) || (unsigned)o->strip > KST_STRIP_ALL ||
        (o->script_length > 0 && !o->script))
        return fail(t, KST_ERROR_OPTIONS);
    return KST_OK;
}

static kst_status check_jpeg_options(struct transcoding *t)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    if (j->progression != -1 || j->reduce || j->layers || j->rate != 0 || j->division || j->part_by_part ||
        j->packet_lengths || j->tile_part_lengths || j->sop || j->eph || j->container)
        return kst_report_error(
            t->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "layers, resolutions, packets and boxes are of JPEG 2000");
    return KST_OK;
}

/* As jpegtran does it: the last JFIF header counts, its version only where it is one that T.871 knows. */
static void copy_jfif(struct transcoding *t)
{
    struct jpeg_header *header = &t->encoding.header;
    for (uint32_t i = 0; i < t->stream.application_count; i++) {
        struct jpeg_jfif jfif;
        if (!kst_jpeg_segment_jfif(t->stream.plan.data, &t->stream.application[i], &jfif))
            continue;
        header->jfif_version = 0x0101;
        if (jfif.major == 1)
            header->jfif_version = (uint16_t)(0x0100 | jfif.minor);
        header->density_unit = (kst_density_unit)jfif.unit;
        header->density_x = jfif.x;
        header->density_y = jfif.y;
    }
}

static bool is_kept(const struct transcoding *t, const struct jpeg_marker_segment *segment)
{
    if (t->options->strip != KST_STRIP_NOTHING)
        return t->options->strip == KST_STRIP_MARKERS && segment->marker == JPEG_COM;
    switch (kst_jpeg_segment_kind(t->stream.plan.data, segment)) {
    case JPEG_SEGMENT_JFIF:
        return !t->encoding.header.jfif;
    case JPEG_SEGMENT_ADOBE:
        return !t->encoding.header.adobe;
    default:
        return true;
    }
}

/* The picture's size in an Exif segment, item 0 of the metadata, where it is no longer what it was. */
static kst_status update_exif(struct transcoding *t)
{
    const struct jpeg_frame *from = &t->stream.plan.frame, *to = &t->encoding.frame;
    kst_metadata *item = t->metadata;
    kst_status status = KST_OK;
    if (from->width == to->width && from->height == to->height)
        return KST_OK;
    t->exif = kst_memory_array(&t->memory, item->length, 1, &status);
    if (!t->exif)
        return fail(t, status);
    memcpy(t->exif, item->data, item->length);
    kst_exif_set_size(t->exif + JPEG_EXIF_HEADER, item->length - JPEG_EXIF_HEADER, to->width, to->height);
    item->data = t->exif;
    return KST_OK;
}

/*
 * Segments are copied as they are, in their order, all to the front of the stream. Exif demands to be first there, so
 * where it is, no JFIF header is put before it.
 */
static kst_status copy_metadata(struct transcoding *t)
{
    const struct jpeg_stream *stream = &t->stream;
    const uint8_t *data = stream->plan.data;
    kst_status status = KST_OK;
    t->metadata = kst_memory_array(&t->memory, stream->application_count, sizeof *t->metadata, &status);
    if (!t->metadata)
        return fail(t, status);
    bool exif = t->options->strip == KST_STRIP_NOTHING && stream->application_count > 0 &&
                kst_jpeg_segment_kind(data, &stream->application[0]) == JPEG_SEGMENT_EXIF;
    if (exif)
        t->encoding.header.jfif = false;
    uint64_t left = t->context->limits.metadata;
    size_t count = 0;
    for (uint32_t i = 0; i < stream->application_count; i++) {
        const struct jpeg_marker_segment *segment = &stream->application[i];
        if (!is_kept(t, segment))
            continue;
        if (segment->length > left)
            return kst_report_error(t->report, KST_ERROR_LIMIT_METADATA, segment->offset, NULL);
        left -= segment->length;
        t->metadata[count++] = (kst_metadata){
            .kind = KST_METADATA_APP,
            .marker = segment->marker,
            .data = data + segment->offset,
            .length = segment->length,
        };
    }
    t->encoding.metadata = t->metadata;
    t->encoding.metadata_count = count;
    return exif ? update_exif(t) : KST_OK;
}

/* The standard script with a scan for each component where they do not fit one MCU (B.2.3). */
static void split_script(struct transcoding *t)
{
    const struct jpeg_frame *frame = &t->encoding.frame;
    struct jpeg_scan_geometry geometry;
    kst_scan standard[JPEG_SCRIPT_MAX];
    kst_jpeg_scan_geometry(frame, (const uint8_t[]){0, 1, 2, 3}, frame->component_count, &geometry);
    if (geometry.mcu_blocks <= JPEG_MCU_BLOCKS)
        return;
    size_t length = t->encoding.coding == KST_CODING_PROGRESSIVE
                        ? kst_jpeg_progressive_script(frame->colour, frame->component_count, standard)
                        : kst_jpeg_sequential_script(frame->component_count, standard);
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        for (uint32_t c = 0; c < standard[i].component_count; c++) {
            t->script[count] = standard[i];
            t->script[count].component_count = 1;
            t->script[count++].component[0] = standard[i].component[c];
        }
    t->encoding.script = t->script;
    t->encoding.script_length = count;
}

static kst_status plan_script(struct transcoding *t)
{
    size_t scan;
    if (t->options->script_length == 0) {
        split_script(t);
        return KST_OK;
    }
    t->encoding.script = t->options->script;
    t->encoding.script_length = t->options->script_length;
    kst_status status = kst_jpeg_script_check(&t->encoding.frame, t->encoding.coding == KST_CODING_PROGRESSIVE,
        t->encoding.script, t->encoding.script_length, &scan);
    return status == KST_OK ? KST_OK : kst_report_error(t->report, status, KST_NO_OFFSET, "scan %zu", scan + 1);
}

static bool ids_repeat(const struct jpeg_frame *frame)
{
    for (uint32_t i = 0; i < frame->component_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (frame->component[i].id == frame->component[j].id)
                return true;
    return false;
}

/*
 * Against B.2.2, some streams give several components one id. One scan of all components can still be read; others need
 * the ids to tell which components they hold.
 */
static void repair_ids(struct jpeg_encoding *encoding)
{
    struct jpeg_frame *frame = &encoding->frame;
    bool one_scan = encoding->coding != KST_CODING_PROGRESSIVE && encoding->script_length == 0;
    if (one_scan || !ids_repeat(frame))
        return;
    for (uint8_t i = 0; i < frame->component_count; i++)
        frame->component[i].id = (uint8_t)(i + 1);
}

static kst_restart plan_restart(const struct transcoding *t)
{
    const struct jpeg_scan *first = &t->stream.plan.scan[0];
    const struct jpeg_frame *frame = &t->encoding.frame;
    if (t->options->restart.unit != KST_RESTART_KEEP)
        return kst_jpeg_restart_choose(frame, t->options->restart, t->encoding.coding == KST_CODING_PROGRESSIVE);
    return (kst_restart){
        .unit = KST_RESTART_MCUS,
        .interval = kst_jpeg_restart_keep(
            &t->stream.plan.frame, first->component[0], first->component_count, first->restart_interval, frame),
    };
}

/* Everything that can be said before a coefficient is decoded. */
static kst_status plan(struct transcoding *t)
{
    const kst_transcode_options *o = t->options;
    const struct jpeg_transform_request request = {
        .transform = o->transform, .edge = o->edge, .crop = o->crop, .grey = o->grey};
    kst_status status = kst_jpeg_transform_plan(&t->stream.plan.frame, &request, &t->transform, t->report);
    if (status != KST_OK)
        return status;
    t->encoding.frame = t->transform.frame;
    t->encoding.coding = o->coding;
    kst_jpeg_encoding_colour(&t->encoding, t->encoding.frame.colour);
    copy_jfif(t);
    t->encoding.restart = plan_restart(t);
    status = plan_script(t);
    repair_ids(&t->encoding);
    return status == KST_OK ? copy_metadata(t) : status;
}

/* The picture's coefficients in their new places. The source's are gone before the stream is written. */
static kst_status transform_coefficients(struct transcoding *t, struct jpeg_coefficients *source)
{
    if (kst_jpeg_transform_is_identity(&t->transform)) {
        t->coefficients = *source;
        *source = (struct jpeg_coefficients){.stride = {0}};
        return KST_OK;
    }
    kst_status status = kst_jpeg_coefficients_reserve(&t->memory, &t->encoding.frame, &t->coefficients);
    if (status == KST_OK)
        kst_jpeg_transform_run(&t->transform, source, &t->coefficients, t->context->pool);
    return fail(t, status);
}

static kst_status make_coefficients(struct transcoding *t)
{
    struct jpeg_coefficients source;
    kst_status status =
        kst_jpeg_decode_coefficients(t->context, &t->memory, &t->stream.plan, t->options->strict, &source, t->report);
    if (status != KST_OK)
        return status;
    status = transform_coefficients(t, &source);
    kst_jpeg_coefficients_release(&t->memory, &source);
    return status;
}

static kst_status write(struct transcoding *t)
{
    const struct jpeg_encode_context encode = {
        .pool = t->context->pool, .memory = &t->memory, .tier = t->context->tier, .report = t->report};
    return fail(t, kst_jpeg_write_coefficients(&encode, &t->encoding, &t->coefficients, &t->sink));
}

/* In strict mode what the parser found is an error, as is what the decoder will find. */
static kst_status parse(struct transcoding *t, const void *data, size_t length)
{
    kst_report *report = t->report;
    kst_status status = kst_jpeg_parse(&t->memory, &t->context->limits, data, length, &t->stream, report);
    if (status == KST_OK && t->options->strict && report->warnings > 0)
        status = kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    return status;
}

static kst_status run(struct transcoding *t, const void *data, size_t length)
{
    double start = kst_seconds();
    kst_status status = check_jpeg_options(t);
    if (status == KST_OK)
        status = parse(t, data, length);
    if (status == KST_OK)
        status = plan(t);
    kst_report_stage(t->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    if (status != KST_OK)
        return status;
    start = kst_seconds();
    status = make_coefficients(t);
    kst_report_stage(t->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    if (status != KST_OK)
        return status;
    start = kst_seconds();
    status = write(t);
    kst_report_stage(t->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/* Where the file goes: one of these, and how long it is there. */
struct destination {
    kst_buffer *buffer;
    const kst_writer *writer;
    uint64_t length;
};

static void open_sink(struct transcoding *t, const struct destination *to)
{
    if (to->writer)
        kst_sink_init_writer(&t->sink, &t->memory, to->writer);
    else
        kst_sink_open(&t->sink, &t->memory, to->buffer);
}

static kst_status close_sink(struct transcoding *t, struct destination *to, kst_status status)
{
    if (status == KST_OK) {
        kst_sink_flush(&t->sink);
        status = fail(t, t->sink.status);
    }
    to->length = kst_sink_position(&t->sink);
    if (status == KST_OK && to->buffer)
        kst_sink_close(&t->sink, &t->context->memory, to->buffer);
    else
        kst_sink_release(&t->sink);
    return status;
}

static kst_status transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    struct destination *to, kst_report *report)
{
    kst_transcode_options defaults;
    kst_report own;
    kst_transcode_options_init(&defaults);
    kst_report_init(&own);
    if (!context || (!to->buffer && !to->writer) || (!data && length > 0)) {
        kst_status status = kst_report_error(&own, KST_ERROR_ARGUMENT, KST_NO_OFFSET, NULL);
        kst_report_copy(report, &own);
        return status;
    }
    struct transcoding t = {.context = context, .options = options ? options : &defaults, .report = &own};
    kst_memory_init(&t.memory, &context->memory.allocator, context->limits.memory);
    memcpy(own.device, context->device, sizeof own.device);
    own.threads = kst_pool_threads(context->pool);
    open_sink(&t, to);
    kst_status status = check_options(&t);
    if (status == KST_OK)
        status = kst_j2k_recognised(data, length)
                     ? kst_j2k_transcode(context, &t.memory, data, length, t.options, &t.sink, &own)
                     : run(&t, data, length);
    status = close_sink(&t, to, status);
    kst_jpeg_coefficients_release(&t.memory, &t.coefficients);
    kst_memory_release(&t.memory, t.exif);
    kst_memory_release(&t.memory, t.metadata);
    kst_jpeg_stream_release(&t.memory, &t.stream);
    kst_report_copy(report, &own);
    return status;
}

kst_status kst_transcode(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    kst_buffer *output, kst_report *report)
{
    struct destination to = {.buffer = output};
    return transcode(context, data, length, options, &to, report);
}

kst_status kst_transcode_to(kst_context *context, const void *data, size_t length, const kst_transcode_options *options,
    const kst_writer *writer, uint64_t *written, kst_report *report)
{
    bool whole = writer && writer->size == sizeof *writer && writer->write;
    struct destination to = {.writer = whole ? writer : NULL};
    kst_status status = transcode(context, data, length, options, &to, report);
    if (status == KST_OK && written)
        *written = to.length;
    return status;
}
