/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcodes one picture: plans where its coefficients go and which segments are kept, and writes it. */
#include "jpeg/run/transcode.h"

#include <string.h>

#include "core/report.h"
#include "image/exif.h"
#include "jpeg/cpu/coefficients.h"
#include "jpeg/cpu/encode.h"
#include "jpeg/plan/restart.h"
#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/mpf.h"

static kst_status fail(struct jpeg_transcoding *t, kst_status status)
{
    return status ? kst_report_error(t->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

/* Copy the JFIF header as jpegtran does: the last one counts, and its version only if T.871 defines it. */
static void copy_jfif(struct jpeg_transcoding *t)
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

static bool is_kept(const struct jpeg_transcoding *t, const struct jpeg_marker_segment *segment)
{
    if (t->options->strip != KST_STRIP_NOTHING)
        return t->options->strip == KST_STRIP_MARKERS && segment->marker == JPEG_COM;
    switch (kst_jpeg_segment_kind(t->stream.plan.data, segment)) {
    case JPEG_SEGMENT_JFIF:
        return !t->encoding.header.jfif;
    case JPEG_SEGMENT_ADOBE:
        return !t->encoding.header.adobe;
    default:
        return t->options->others == KST_OTHERS_KEEP || !kst_jpeg_segment_promises(t->stream.plan.data, segment);
    }
}

/* Update the picture's size in an Exif segment, item 0 of the metadata, if the size has changed. */
static kst_status update_exif(struct jpeg_transcoding *t, uint32_t width, uint32_t height)
{
    const struct jpeg_frame *from = &t->stream.plan.frame;
    kst_metadata *item = t->metadata;
    kst_status status = KST_OK;
    if (from->width == width && from->height == height)
        return KST_OK;
    t->exif = kst_memory_array(t->op.memory, item->length, 1, &status);
    if (!t->exif)
        return fail(t, status);
    memcpy(t->exif, item->data, item->length);
    kst_exif_set_size(t->exif + JPEG_EXIF_HEADER, item->length - JPEG_EXIF_HEADER, width, height);
    item->data = t->exif;
    return KST_OK;
}

/*
 * Copy segments unchanged, in their order, all to the front of the stream. Exif must come first, so if it did, no JFIF
 * header is put in front of it.
 */
kst_status kst_jpeg_run_transcoding_metadata(struct jpeg_transcoding *t, uint32_t width, uint32_t height)
{
    const struct jpeg_stream *stream = &t->stream;
    const uint8_t *data = stream->plan.data;
    kst_status status = KST_OK;
    t->metadata = kst_memory_array(t->op.memory, stream->application_count, sizeof *t->metadata, &status);
    t->segment =
        t->metadata ? kst_memory_array(t->op.memory, stream->application_count, sizeof *t->segment, &status) : NULL;
    if (!t->segment)
        return fail(t, status);
    bool exif = t->options->strip == KST_STRIP_NOTHING && stream->application_count > 0 &&
                kst_jpeg_segment_kind(data, &stream->application[0]) == JPEG_SEGMENT_EXIF;
    if (exif)
        t->encoding.header.jfif = false;
    uint64_t left = t->op.limits->metadata;
    size_t count = 0;
    for (uint32_t i = 0; i < stream->application_count; i++) {
        const struct jpeg_marker_segment *segment = &stream->application[i];
        if (!is_kept(t, segment))
            continue;
        if (segment->length > left)
            return kst_report_error(t->op.report, KST_ERROR_LIMIT_METADATA, segment->offset, NULL);
        left -= segment->length;
        t->segment[count] = i;
        t->metadata[count++] = (kst_metadata){
            .kind = KST_METADATA_APP,
            .marker = segment->marker,
            .data = data + segment->offset,
            .length = segment->length,
        };
    }
    t->encoding.metadata = t->metadata;
    t->encoding.metadata_count = count;
    return exif ? update_exif(t, width, height) : KST_OK;
}

/* Split the standard script into a scan for each component, if all components do not fit in one MCU (B.2.3). */
static void split_script(struct jpeg_transcoding *t)
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

static kst_status plan_script(struct jpeg_transcoding *t)
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
    return status ? kst_report_error(t->op.report, status, KST_NO_OFFSET, "scan %zu", scan + 1) : KST_OK;
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
 * Give every component an id of its own. Against B.2.2, some streams give several components the same id. A single scan
 * of all components can still be decoded; in other scans the ids must say which components they hold.
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

static kst_restart plan_restart(const struct jpeg_transcoding *t)
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

kst_status kst_jpeg_run_transcoding_plan(struct jpeg_transcoding *t)
{
    const kst_transcode_options *o = t->options;
    const struct jpeg_transform_request request = {
        .transform = o->transform, .edge = o->edge, .crop = o->crop, .grey = o->grey};
    kst_status status = kst_jpeg_transform_plan(&t->stream.plan.frame, &request, &t->transform, t->op.report);
    if (status)
        return status;
    t->encoding.frame = t->transform.frame;
    t->encoding.coding = kst_jpeg_encoding_coding(&t->encoding.frame, o->coding);
    t->encoding.stored_most = JPEG_STORED_MOST;
    kst_jpeg_encoding_colour(&t->encoding, t->encoding.frame.colour);
    copy_jfif(t);
    t->encoding.restart = plan_restart(t);
    status = plan_script(t);
    repair_ids(&t->encoding);
    return status ? status : kst_jpeg_run_transcoding_metadata(t, t->encoding.frame.width, t->encoding.frame.height);
}

/*
 * Move the picture's coefficients to their new places. The source's coefficients are released before the stream is
 * written.
 */
static kst_status transform_coefficients(
    struct jpeg_transcoding *t, struct jpeg_coefficients *source, struct jpeg_coefficients *result)
{
    if (kst_jpeg_transform_is_identity(&t->transform)) {
        *result = *source;
        *source = (struct jpeg_coefficients){.stride = {0}};
        return KST_OK;
    }
    kst_status status = kst_jpeg_coefficients_reserve(t->op.memory, &t->encoding.frame, result);
    if (!status)
        kst_jpeg_transform_run(&t->transform, source, result, t->op.pool);
    return fail(t, status);
}

static kst_status make_coefficients(struct jpeg_transcoding *t, struct jpeg_coefficients *result)
{
    struct jpeg_coefficients source;
    kst_status status = kst_jpeg_cpu_decode_coefficients(&t->op, &t->stream.plan, t->options->strict, &source);
    if (status)
        return status;
    status = transform_coefficients(t, &source, result);
    kst_jpeg_coefficients_release(t->op.memory, &source);
    return status;
}

static kst_status write(struct jpeg_transcoding *t, const struct jpeg_coefficients *coefficients, struct sink *sink)
{
    return fail(t, kst_jpeg_cpu_write_coefficients(&t->op, &t->encoding, coefficients, sink));
}

static kst_status write_kept(struct jpeg_transcoding *t, struct sink *sink)
{
    struct jpeg_coefficients coefficients = {.stride = {0}};
    double start = kst_seconds();
    kst_status status = make_coefficients(t, &coefficients);
    kst_report_stage(t->op.report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    start = kst_seconds();
    if (!status) {
        status = write(t, &coefficients, sink);
        kst_report_stage(t->op.report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    }
    kst_jpeg_coefficients_release(t->op.memory, &coefficients);
    return status;
}

kst_status kst_jpeg_run_transcoding_write(struct jpeg_transcoding *t, struct sink *sink)
{
    if (kst_jpeg_run_transcoding_streams(t, sink))
        return fail(t, kst_jpeg_run_transcoding_stream(t, sink));
    return write_kept(t, sink);
}

kst_status kst_jpeg_run_transcoding_open(struct jpeg_transcoding *t, const void *data, size_t length)
{
    kst_report *report = t->op.report;
    const uint64_t before = report->warnings;
    kst_status status = (t->deep ? kst_jpeg_parse_deep : kst_jpeg_parse)(&t->op, data, length, &t->stream);
    if (!status && t->options->strict && report->warnings > before)
        status = kst_report_error(report, report->first_warning, report->first_warning_offset, NULL);
    return status;
}

uint64_t kst_jpeg_run_transcoding_place(const struct jpeg_transcoding *t, size_t index)
{
    const uint64_t soi = 2, jfif = 18, adobe = 16, segment = 4; /* bytes */
    const struct jpeg_header *header = &t->encoding.header;
    uint64_t place = soi + (header->jfif ? jfif : 0) + (header->adobe ? adobe : 0) + segment;
    for (size_t i = 0; i < index; i++)
        place += segment + t->encoding.metadata[i].length;
    return place;
}

void kst_jpeg_run_transcoding_close(struct jpeg_transcoding *t)
{
    kst_memory_release(t->op.memory, t->exif);
    kst_memory_release(t->op.memory, t->segment);
    kst_memory_release(t->op.memory, t->metadata);
    kst_jpeg_stream_release(t->op.memory, &t->stream);
}
