/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transcodes a picture without keeping its coefficients in memory: row by row while it is decoded, or from a store of
 * packed coefficients.
 */
#include "core/report.h"
#include "jpeg/cpu/encode.h"
#include "jpeg/cpu/result.h"
#include "jpeg/run/transcode.h"

static const double storing = 0.3; /* share of the time that filling a store takes */

/* Return whether the result has a single scan, which takes rows in the order in which they are decoded. */
static bool goes_by_rows(const struct jpeg_transcoding *t)
{
    return kst_jpeg_cpu_result_in_order(&t->transform) && t->encoding.coding != KST_CODING_PROGRESSIVE &&
           t->encoding.script_length == 0;
}

/* Return whether one pass over the source suffices, which takes one thread in any case. */
static bool goes_once(const struct jpeg_transcoding *t)
{
    return goes_by_rows(t) && t->encoding.coding == KST_CODING_BASELINE && t->stream.plan.scan_count == 1;
}

bool kst_jpeg_run_transcoding_streams(const struct jpeg_transcoding *t, const struct sink *sink)
{
    const uint64_t source = kst_jpeg_coefficients_length(&t->stream.plan.frame);
    const uint64_t made =
        kst_jpeg_transform_is_identity(&t->transform) ? 0 : kst_jpeg_coefficients_length(&t->encoding.frame);
    const uint64_t most = goes_by_rows(t) ? t->encoding.stored_most : kst_jpeg_cpu_stored_most(&t->encoding, sink);
    if (most == UINT64_MAX)
        return false;
    return goes_once(t) || source > most || source + made > kst_memory_left(t->op.memory);
}

/* Report the damage that the decoder has met in the whole picture. */
static kst_status report_damage(struct jpeg_transcoding *t, struct jpeg_row_decoder *decoder)
{
    kst_jpeg_cpu_row_decoder_finish(decoder);
    return kst_jpeg_cpu_damage_report(&decoder->damage, t->options->strict, t->op.report);
}

static kst_status write_by_rows(struct jpeg_transcoding *t, struct jpeg_row_decoder *decoder, struct sink *sink)
{
    const struct jpeg_result result = {.transform = &t->transform, .source = &t->stream.plan.frame, .decoder = decoder};
    double start = kst_seconds();
    kst_status status = kst_jpeg_cpu_write_result(&t->op, &t->encoding, &result, sink);
    if (!status || status == KST_ERROR_JPEG_COEFFICIENT) { /* which damage may have made */
        kst_status damage = report_damage(t, decoder);
        status = damage ? damage : status;
    }
    kst_report_stage(t->op.report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return status;
}

/* Put the rows of a result into a store of its frame, while the operation's progress advances to `end`. */
static kst_status store_result(
    struct jpeg_transcoding *t, const struct jpeg_result *result, double end, struct jpeg_store *store)
{
    const struct jpeg_frame *frame = &result->transform->frame;
    struct jpeg_result_reader reader;
    struct jpeg_coefficients row;
    kst_scan all;
    kst_jpeg_sequential_script(frame->component_count, &all);
    kst_status status = kst_jpeg_coefficients_create_part(t->op.memory, frame, frame->mcus_w, 1, &row);
    if (status)
        return status;
    status = kst_jpeg_cpu_result_reader_open(result, &all, &reader);
    kst_progress_enter(t->op.progress, frame->mcus_h, end);
    for (uint32_t i = 0; !status && i < frame->mcus_h; i++) {
        status = kst_jpeg_cpu_result_read(&reader, i, &row) ? kst_jpeg_cpu_store_add(store, &row) : reader.status;
        if (!kst_progress_step(t->op.progress, 1) && !status)
            status = KST_ERROR_CANCELLED;
    }
    kst_jpeg_cpu_result_reader_close(&reader);
    kst_jpeg_coefficients_release(t->op.memory, &row);
    return status;
}

/* Decode the picture, and put the rows of its result into a store. The transform must leave the rows in order. */
static kst_status store_source(
    struct jpeg_transcoding *t, const struct jpeg_transform *transform, double end, struct jpeg_store *store)
{
    const struct jpeg_plan *plan = &t->stream.plan;
    struct jpeg_row_decoder decoder;
    const struct jpeg_result result = {.transform = transform, .source = &plan->frame, .decoder = &decoder};
    double start = kst_seconds();
    kst_status status = kst_jpeg_cpu_row_decoder_open(&t->op, plan, &decoder);
    if (status)
        return status;
    status = store_result(t, &result, end, store);
    if (!status)
        status = report_damage(t, &decoder);
    kst_jpeg_cpu_row_decoder_close(&decoder);
    kst_report_stage(t->op.report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return status;
}

static kst_status write_scans(struct jpeg_transcoding *t, const struct jpeg_transform *transform,
    const struct jpeg_store *store, struct sink *sink)
{
    const struct jpeg_result result = {.transform = transform, .source = store->frame, .store = store};
    double start = kst_seconds();
    kst_status status = kst_jpeg_cpu_write_result(&t->op, &t->encoding, &result, sink);
    kst_report_stage(t->op.report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/* Turn the stored source once, into another store, instead of for each scan, and write the scans from that store. */
static kst_status write_turned(struct jpeg_transcoding *t, const struct jpeg_store *source, struct sink *sink)
{
    const struct jpeg_transform none = {.frame = t->transform.frame};
    const struct jpeg_result turned = {.transform = &t->transform, .source = source->frame, .store = source};
    struct jpeg_store store;
    kst_status status = kst_jpeg_cpu_store_create(&t->op, &none.frame, false, source->spill, &store);
    if (status)
        return status;
    status = store_result(t, &turned, 2 * storing, &store);
    if (!status)
        status = write_scans(t, &none, &store, sink);
    kst_jpeg_cpu_store_release(&store);
    return status;
}

/* Write a result whose rows are not in the order of the source's, from a store of the source. */
static kst_status write_from_source(struct jpeg_transcoding *t, struct spill *spill, struct sink *sink)
{
    const bool columns = t->transform.transposed;
    const bool once = t->encoding.coding == KST_CODING_BASELINE && t->encoding.script_length == 0;
    const struct jpeg_transform none = {.frame = t->stream.plan.frame};
    struct jpeg_store store;
    kst_status status = kst_jpeg_cpu_store_create(&t->op, &none.frame, columns, spill, &store);
    if (status)
        return status;
    status = store_source(t, &none, storing, &store);
    if (!status)
        status = columns && !once ? write_turned(t, &store, sink) : write_scans(t, &t->transform, &store, sink);
    kst_jpeg_cpu_store_release(&store);
    return status;
}

/* Write a result whose rows are in the order of the source's, from a store of the result. */
static kst_status write_from_result(struct jpeg_transcoding *t, struct spill *spill, struct sink *sink)
{
    const struct jpeg_transform none = {.frame = t->transform.frame};
    struct jpeg_store store;
    kst_status status = kst_jpeg_cpu_store_create(&t->op, &none.frame, false, spill, &store);
    if (status)
        return status;
    status = store_source(t, &t->transform, storing, &store);
    if (!status)
        status = write_scans(t, &none, &store, sink);
    kst_jpeg_cpu_store_release(&store);
    return status;
}

static kst_status write_from_store(struct jpeg_transcoding *t, struct sink *sink)
{
    struct spill spill;
    kst_spill_create(&spill, t->op.memory, kst_spill_keeper(sink));
    kst_status status = kst_jpeg_cpu_result_in_order(&t->transform) ? write_from_result(t, &spill, sink)
                                                                    : write_from_source(t, &spill, sink);
    kst_spill_release(&spill);
    return status;
}

kst_status kst_jpeg_run_transcoding_stream(struct jpeg_transcoding *t, struct sink *sink)
{
    struct jpeg_row_decoder decoder;
    if (!goes_by_rows(t))
        return write_from_store(t, sink);
    kst_status status = kst_jpeg_cpu_row_decoder_open(&t->op, &t->stream.plan, &decoder);
    if (status)
        return status;
    status = write_by_rows(t, &decoder, sink);
    kst_jpeg_cpu_row_decoder_close(&decoder);
    return status;
}
