/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrites a stream from its code-blocks: with other headers, fewer layers, or fewer passes of each block. */
#include "j2k/run/transcode.h"

#include "core/report.h"
#include "j2k/cpu/recode_blocks.h"
#include "j2k/cpu/remeasure.h"
#include "j2k/plan/norms.h"
#include "j2k/rate/rate.h"
#include "j2k/run/assemble.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/profile.h"
#include "j2k/write/recode.h"
#include "j2k/write/rewrap.h"

enum {
    PROGRESSIONS = 5,
    DIVISIONS_ALL = KST_J2K_DIVIDE_RESOLUTION | KST_J2K_DIVIDE_LAYER | KST_J2K_DIVIDE_COMPONENT,
    COMMENT_HEADER = 2,
    LAYERS_MADE_MAX = 1024,
    BOXES = 128,         /* bytes of the boxes around a codestream, and */
    COMPONENT_BOXES = 7, /* additional bytes for each component */
    HEADER_BYTES = 8     /* half of the bytes of SOP, EPH, a length and an empty header */
};

static kst_status refuse(struct j2k_transcoding *t, const char *what)
{
    return kst_report_error(t->op->report, KST_ERROR_OPTIONS, KST_NO_OFFSET, "%s", what);
}

static kst_status check_options(struct j2k_transcoding *t)
{
    const kst_transcode_options *o = t->options;
    const kst_transcode_jpeg2000 *j = &o->jpeg2000;
    if (o->coding != KST_CODING_BASELINE || o->restart.unit != KST_RESTART_NONE || o->script_length > 0)
        return refuse(t, "scans and restart markers are of JPEG");
    if (o->transform != KST_TRANSFORM_NONE || o->crop.width || o->crop.height || o->grey)
        return refuse(t, "JPEG 2000 is not turned, cut or made grey");
    if (o->others != KST_OTHERS_KEEP)
        return refuse(t, "other pictures are in files of JPEG");
    if (j->progression < -1 || j->progression >= PROGRESSIONS)
        return refuse(t, "the progression");
    if (j->layers > UINT16_MAX || j->reduce > J2K_LEVELS || j->division > DIVISIONS_ALL)
        return refuse(t, "layers, resolutions or tile-parts");
    if (!(j->rate >= 0) || (j->rate > 0 && j->layers > LAYERS_MADE_MAX))
        return refuse(t, "a rate is a positive number, with at most 1,024 layers");
    if (j->rate > 0 && j->ht == KST_CHOICE_YES)
        return refuse(t, "a rate (rate) does not go with code-blocks that become those of T.814 (ht): encode anew");
    if (!j->components && j->component_count > 0)
        return refuse(t, "components to keep");
    if ((unsigned)j->packet_lengths > KST_CHOICE_NO || (unsigned)j->tile_part_lengths > KST_CHOICE_NO ||
        (unsigned)j->sop > KST_CHOICE_NO || (unsigned)j->eph > KST_CHOICE_NO || (unsigned)j->ht > KST_CHOICE_NO ||
        (unsigned)j->container > KST_CONTAINER_JP2 || (unsigned)j->headers > KST_J2K_HEADERS_PPM)
        return refuse(t, "a choice that there is not");
    return KST_OK;
}

/* Return the status; in strict mode the first warning so far is an error. */
static kst_status judge(struct j2k_transcoding *t, kst_status status)
{
    if (status || !t->options->strict || t->op->report->warnings == 0)
        return status;
    return kst_report_error(t->op->report, t->op->report->first_warning, t->op->report->first_warning_offset, NULL);
}

static int choice(kst_choice choice)
{
    return choice == KST_CHOICE_KEEP ? -1 : choice == KST_CHOICE_YES;
}

static kst_status copy_comments(struct j2k_transcoding *t)
{
    const struct j2k_stream *stream = &t->stream;
    kst_status status = KST_OK;
    t->comment = kst_memory_array(t->op->memory, stream->main_segment_count, sizeof *t->comment, &status);
    if (!t->comment)
        return kst_report_error(t->op->report, status, KST_NO_OFFSET, NULL);
    t->writing.comment = t->comment;
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        if (segment->marker != J2K_COM || segment->length < COMMENT_HEADER || t->options->strip == KST_STRIP_ALL)
            continue;
        const uint8_t *data = stream->data + segment->offset;
        t->comment[t->writing.comment_count++] = (struct j2k_comment){.data = data + COMMENT_HEADER,
            .length = (uint16_t)(segment->length - COMMENT_HEADER),
            .text = j2k_get16(data) == 1};
    }
    return KST_OK;
}

/* Refuse tiles with transforms of their own, whose marker segments are not copied. */
static kst_status check_tiles(struct j2k_transcoding *t)
{
    struct j2k_stream *stream = &t->stream;
    const uint32_t tiles = stream->size.columns * stream->size.rows;
    kst_status status = stream->located ? kst_j2k_read_all_parts(t->op, stream) : KST_OK;
    for (uint32_t tile = 0; tile < tiles && !status; tile++)
        if (kst_j2k_tile_has_multi(stream, tile))
            status =
                kst_report_error(t->op->report, KST_ERROR_J2K_EXTENSION, stream->part[stream->tile_part[tile]].offset,
                    "a tile has a multiple component transform of its own: decode and encode anew");
    return status;
}

/* Copy the marker segments of a multiple component transform, which code-blocks have no part in. */
static kst_status copy_multi(struct j2k_transcoding *t)
{
    const struct j2k_stream *stream = &t->stream;
    kst_status status = stream->multi.allowed ? check_tiles(t) : KST_OK;
    if (!stream->multi.allowed || status || t->options->jpeg2000.components)
        return status;
    t->copied = kst_memory_array(t->op->memory, stream->main_segment_count, sizeof *t->copied, &status);
    if (!t->copied)
        return kst_report_error(t->op->report, status, KST_NO_OFFSET, NULL);
    t->writing.copied = t->copied;
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        if (kst_j2k_is_multi_marker(segment->marker))
            t->copied[t->writing.copied_count++] = (struct j2k_copied_segment){
                .data = stream->data + segment->offset, .length = segment->length, .marker = segment->marker};
    }
    return KST_OK;
}

/* Copy CRG, which gives the components' positions in units of their separation. The separation does not change. */
static kst_status copy_registration(struct j2k_transcoding *t)
{
    const struct j2k_stream *stream = &t->stream;
    const uint32_t *kept = t->options->jpeg2000.components;
    uint32_t numbers = 2 * stream->component_count, left = 2 * t->recoded.coded.headers.component_count;
    for (uint32_t i = 0; i < stream->main_segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[i];
        if (segment->marker != J2K_CRG || segment->length != 2 * (uint64_t)numbers || t->registration)
            continue;
        kst_status status = KST_OK;
        t->registration = kst_memory_array(t->op->memory, left, sizeof *t->registration, &status);
        if (!t->registration)
            return kst_report_error(t->op->report, status, KST_NO_OFFSET, NULL);
        for (uint32_t k = 0; k < left; k++) {
            uint32_t source = kept ? 2 * kept[k / 2] + k % 2 : k;
            t->registration[k] = (uint16_t)j2k_get16(stream->data + segment->offset + 2 * (uint64_t)source);
        }
    }
    t->writing.registration = t->registration;
    return KST_OK;
}

static kst_status read(struct j2k_transcoding *t, const uint8_t *data, size_t length)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    const struct j2k_recoding recoding = {.reduce = (uint8_t)j->reduce,
        .layers = (uint16_t)(j->rate > 0 ? 0 : j->layers),
        .make = (uint16_t)(j->rate > 0 ? (j->layers ? j->layers : 1) : 0),
        .progression = j->progression,
        .component = j->components,
        .component_count = j->component_count,
        .sop = choice(j->sop),
        .eph = choice(j->eph),
        .ht = choice(j->ht)};
    kst_status status = judge(t, kst_j2k_parse(t->op, data, length, &t->stream));
    if (!status && t->stream.multi.stage_count > 0 && j->container == KST_CONTAINER_JP2 && !t->stream.file.present)
        status = refuse(t, "a JP2 file has no multiple component transforms: write a codestream");
    if (!status)
        status = judge(t, kst_j2k_read_all_parts(t->op, &t->stream));
    if (!status)
        status = judge(t, kst_j2k_recode(t->op, &t->stream, &recoding, &t->recoded));
    if (!status)
        status = copy_comments(t);
    if (!status)
        status = copy_multi(t);
    return status ? status : copy_registration(t);
}

/* Return the most bytes in front of and behind the codestream. */
static uint64_t bytes_around(const struct j2k_transcoding *t)
{
    const struct j2k_stream *stream = &t->stream;
    if (!t->file)
        return 0;
    return stream->file.present ? stream->length - (stream->end - stream->start)
                                : BOXES + (uint64_t)COMPONENT_BOXES * stream->component_count;
}

/*
 * Return whether all passes fit the rate. Then none is dropped, not even one without gain, and the picture does not
 * change.
 */
static bool fits_whole(const struct j2k_transcoding *t, uint64_t bytes)
{
    const struct j2k_coded *coded = &t->recoded.coded;
    uint64_t packets = (uint64_t)coded->precinct_count * coded->layers, length = t->stream.end - t->stream.start;
    return bytes / 2 > length / 2 + length / 64 + HEADER_BYTES * packets + bytes_around(t);
}

/* Return the number of bytes that the rate allows the whole file. */
static double rate_bytes(const struct j2k_transcoding *t)
{
    const struct j2k_rect *image = &t->recoded.coded.headers.size.image;
    return t->options->jpeg2000.rate * (image->x1 - image->x0) * (image->y1 - image->y0) / 8;
}

/* Drop passes that are in no layer, so that packet headers treat blocks without any remaining passes as such. */
static void forget_left_out(struct j2k_coded *coded)
{
    for (uint32_t b = 0; b < coded->plan.block_count; b++)
        coded->block[b].passes = coded->layer_passes[((size_t)b + 1) * coded->layers - 1];
}

/*
 * Let errors in the components of a volume count as much as they add to its slices. Other multiple component transforms
 * are taken to keep errors as they are.
 */
static kst_status weigh_slices(const struct j2k_transcoding *t, double *weight)
{
    const struct j2k_plan *plan = &t->recoded.coded.plan;
    const struct j2k_multi_collection *wavelet = kst_j2k_multi_brick(&t->stream.multi);
    kst_status status = KST_OK;
    if (!wavelet)
        return KST_OK;
    double *norm = kst_memory_array(t->op->memory, plan->component_count, sizeof *norm, &status);
    if (!norm)
        return kst_report_error(t->op->report, status, KST_NO_OFFSET, NULL);
    kst_j2k_z_norms(wavelet, norm);
    for (uint32_t b = 0; b < plan->band_count; b++) {
        const double slice = norm[plan->band[b].tile_component % plan->component_count];
        weight[b] *= slice * slice;
    }
    kst_memory_release(t->op->memory, norm);
    return KST_OK;
}

/* Form layers from the stream's passes by PCRD. */
static kst_status allocate(struct j2k_transcoding *t, double *weight, double *gain, struct j2k_layer_target *target)
{
    struct j2k_coded *coded = &t->recoded.coded;
    double bytes = rate_bytes(t);
    const struct j2k_remeasuring remeasuring = {coded, weight, t->recoded.pass_length, gain};
    const struct j2k_rate rate = {
        .coded = coded, .gain = gain, .writing = &t->writing, .around = bytes_around(t), .target = target};
    double threshold;
    for (uint32_t l = coded->layers; l-- > 0;) {
        target[l].bytes = bytes < (double)(UINT64_MAX / 2) ? (uint64_t)bytes : UINT64_MAX;
        bytes /= 2;
    }
    target[coded->layers - 1U].all = fits_whole(t, target[coded->layers - 1U].bytes);
    kst_j2k_band_weights(&coded->plan, weight);
    kst_status status = weigh_slices(t, weight);
    if (!status)
        status = kst_j2k_cpu_remeasure(t->op, &remeasuring);
    if (!status)
        status = kst_j2k_allocate_rate(t->op, &rate, t->recoded.layer_passes, &threshold);
    if (!status)
        forget_left_out(coded);
    return status;
}

static kst_status make_layers(struct j2k_transcoding *t)
{
    const struct j2k_coded *coded = &t->recoded.coded;
    double start = kst_seconds();
    kst_status status = KST_OK;
    if (t->options->jpeg2000.rate <= 0 || t->recoded.pass_count == 0)
        return KST_OK;
    double *weight = kst_memory_array(t->op->memory, coded->plan.band_count, sizeof *weight, &status);
    double *gain = kst_memory_array(t->op->memory, t->recoded.pass_count, sizeof *gain, &status);
    struct j2k_layer_target *target = kst_memory_zeroed(t->op->memory, coded->layers, sizeof *target, &status);
    status = status ? kst_report_error(t->op->report, status, KST_NO_OFFSET, NULL) : allocate(t, weight, gain, target);
    kst_memory_release(t->op->memory, weight);
    kst_memory_release(t->op->memory, gain);
    kst_memory_release(t->op->memory, target);
    /* If a GPU has coded the blocks, the stage of entropy coding is its own, and this belongs to the next one. */
    kst_report_stage(t->op->report, t->gpu ? KST_STAGE_WRITE : KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return status;
}

/* Code the blocks with the other coder if the options ask for it and the GPU did not. */
static kst_status recode_blocks(struct j2k_transcoding *t)
{
    bool taken = false;
    if (!t->recoded.origin)
        return KST_OK;
    kst_status status = t->part ? kst_j2k_run_transcode_gpu_take(t, &taken) : KST_OK;
    if (status || taken)
        return status;
    kst_j2k_run_transcode_gpu_drop(t);
    double start = kst_seconds();
    status = judge(t, kst_j2k_cpu_recode_blocks(t->op, &t->stream, &t->recoded));
    kst_report_stage(t->op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return status;
}

static void choose_writing(struct j2k_transcoding *t)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    const struct j2k_stream *stream = &t->stream;
    t->file = j->container == KST_CONTAINER_JP2 || (j->container == KST_CONTAINER_KEEP && stream->file.present);
    t->writing.division = (uint8_t)j->division;
    t->writing.packed = (uint8_t)j->headers;
    t->writing.part_by_part = j->part_by_part;
    t->writing.packet_lengths =
        j->packet_lengths == KST_CHOICE_KEEP ? kst_j2k_has_packet_lengths(stream) : j->packet_lengths == KST_CHOICE_YES;
    t->writing.tile_part_lengths = j->tile_part_lengths == KST_CHOICE_KEEP ? kst_j2k_has_part_lengths(stream)
                                                                           : j->tile_part_lengths == KST_CHOICE_YES;
}

/* Describe how the codestream is assembled if the GPU has coded its blocks. */
static struct j2k_assembler assembler_of(struct j2k_transcoding *t)
{
    return (struct j2k_assembler){.memory = t->op->memory,
        .pool = t->op->pool,
        .report = t->op->report,
        .gpu = t->gpu,
        .job = t->gpu ? t->part->job : NULL,
        .arrive = kst_j2k_run_transcode_gpu_arrive,
        .user = t};
}

/* Write the stream. If it turns out too large, nothing is written, not even to a writer. */
static kst_status write(struct j2k_transcoding *t)
{
    const kst_transcode_jpeg2000 *j = &t->options->jpeg2000;
    struct sink *sink = &t->all->sink;
    const kst_writer *writer = sink->writer;
    const struct j2k_assembler assembler = assembler_of(t);
    const struct j2k_carrier carrier = {&assembler, kst_j2k_run_assemble};
    struct j2k_rewrapping rewrapping = {.stream = &t->stream,
        .reduce = (uint8_t)j->reduce,
        .strip = t->options->strip != KST_STRIP_NOTHING,
        .jp2 = j->container == KST_CONTAINER_JP2,
        .component = j->components};
    if (j->rate > 0)
        sink->writer = NULL;
    t->writing.carrier = t->gpu && !t->blocks.here ? &carrier : NULL;
    kst_status status = t->file ? kst_j2k_rewrap(t->op, &rewrapping, &t->recoded.coded, &t->writing, sink)
                                : kst_j2k_write(t->op, &t->recoded.coded, &t->writing, sink);
    t->writing.carrier = NULL;
    sink->writer = writer;
    if (!status && j->rate > 0 && (double)sink->length > rate_bytes(t))
        status = kst_report_error(t->op->report, KST_ERROR_OPTIONS, KST_NO_OFFSET,
            "the rate cannot be reached: %zu bytes are left without a single pass", sink->length);
    return status;
}

static void note_breach(void *broken, const char *breach, const char *remedy)
{
    (void)breach;
    (void)remedy;
    *(bool *)broken = true;
}

/* Drop the profile's name if the result breaks its rules. */
static kst_status keep_profile(struct j2k_transcoding *t)
{
    struct j2k_stream *headers = &t->recoded.coded.headers;
    struct j2k_profile_facts facts;
    bool broken = false;
    if (!kst_j2k_profile_name(headers->size.capabilities))
        return KST_OK;
    kst_status status = kst_j2k_profile_plan(t->op, &t->recoded.coded, &t->writing, &facts);
    if (!status)
        kst_j2k_profile_check(headers, &facts, note_breach, &broken);
    if (broken)
        headers->size.capabilities = 0;
    return status;
}

kst_status kst_j2k_run_transcode_read(struct j2k_transcoding *t, struct transcoding *all)
{
    double start = kst_seconds();
    *t = (struct j2k_transcoding){.all = all, .op = &all->op, .options = all->options};
    kst_status status = check_options(t);
    if (!status)
        status = read(t, all->data, all->length);
    if (!status)
        choose_writing(t);
    kst_report_stage(t->op->report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    return status;
}

kst_status kst_j2k_run_transcode_write(struct j2k_transcoding *t)
{
    kst_status status = recode_blocks(t);
    if (!status)
        status = make_layers(t);
    if (!status)
        status = keep_profile(t);
    if (status)
        return status;
    double start = kst_seconds();
    status = write(t);
    kst_report_stage(t->op->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

void kst_j2k_run_transcode_release(struct j2k_transcoding *t)
{
    struct memory *memory = t->op->memory;
    kst_j2k_run_transcode_gpu_drop(t);
    kst_memory_release(memory, t->comment);
    kst_memory_release(memory, t->copied);
    kst_memory_release(memory, t->registration);
    kst_j2k_recoded_release(memory, &t->recoded);
    kst_j2k_stream_release(memory, &t->stream);
}
