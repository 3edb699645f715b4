/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transcodes a file of several pictures: makes the others first, and corrects what the first picture's segments say
 * about them.
 */
#include "jpeg/run/transcode_others.h"

#include <string.h>

#include "core/report.h"
#include "image/xmp.h"
#include "jpeg/syntax/others.h"

/* Describes a piece of the output: bytes of the source, or a picture that was made here. */
struct piece {
    const uint8_t *data;
    uint64_t length;
    uint8_t *made; /* null: none */
};

struct pictures_file {
    struct jpeg_transcoding *first;
    const uint8_t *data;
    struct jpeg_others others;
    struct piece *piece; /* one for each of the others */
    uint64_t *item;      /* new lengths of the directory's items, UINT64_MAX where they stay */
    uint32_t items;
    bool knows_first; /* the index or the directory says how long the first picture is */
    uint8_t *index;   /* the corrected contents of the segment; null: there is none */
    uint8_t *directory;
};

static kst_status fail(const struct pictures_file *f, kst_status status)
{
    return status ? kst_report_error(f->first->op.report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

/* Return whether the options change more than the coding. */
static bool reshapes(const kst_transcode_options *o)
{
    return o->transform != KST_TRANSFORM_NONE || o->grey ||
           (o->crop.x | o->crop.y | o->crop.width | o->crop.height) != 0;
}

/* Convert a number of the first picture's pixels to pixels of another picture, rounded. */
static uint32_t in_proportion(uint32_t pixels, uint32_t full, uint32_t own_full)
{
    return (uint32_t)(((uint64_t)pixels * own_full * 2 + full) / (2ULL * full));
}

static void plan_side(struct jpeg_turned_side *side)
{
    uint32_t from = in_proportion(side->offset, side->full, side->own_full);
    uint32_t to = in_proportion(side->offset + side->size, side->full, side->own_full);
    from = from < side->own_full ? from : side->own_full - 1;
    to = to < side->own_full ? to : side->own_full;
    side->own_offset = from;
    side->own_size = to > from ? to - from : 1;
}

/* Plan how another picture is turned and cut like the first one. `own` is its frame when it is turned but not cut. */
static void plan_turned(const struct jpeg_transcoding *first, const struct jpeg_frame *own, struct jpeg_turned *turned)
{
    const struct jpeg_transform *t = &first->transform;
    const struct jpeg_frame *from = &first->stream.plan.frame;
    turned->transposed = t->transposed;
    turned->x = (struct jpeg_turned_side){.full = t->transposed ? from->height : from->width,
        .mirror = 8U * t->frame.hmax * t->mirror_w,
        .offset = 8U * t->frame.hmax * t->offset_x,
        .size = t->frame.width,
        .own_full = own->width};
    turned->y = (struct jpeg_turned_side){.full = t->transposed ? from->width : from->height,
        .mirror = 8U * t->frame.vmax * t->mirror_h,
        .offset = 8U * t->frame.vmax * t->offset_y,
        .size = t->frame.height,
        .own_full = own->height};
    plan_side(&turned->x);
    plan_side(&turned->y);
}

/* Return whether moving whole MCUs turns and cuts one side of another picture like the first one. */
static bool follows(const struct jpeg_turned_side *side, uint32_t mcu, bool mirrored)
{
    return side->own_offset % mcu == 0 && (!mirrored || (side->mirror == side->full && side->own_full % mcu == 0));
}

static bool is_like_first(
    const struct jpeg_frame *first, const struct jpeg_turned *turned, const struct jpeg_frame *own)
{
    return turned->x.full == turned->x.own_full && turned->y.full == turned->y.own_full && first->hmax == own->hmax &&
           first->vmax == own->vmax;
}

/*
 * Choose options with which another picture is turned and cut like the first one without loss. Returns false if there
 * are none.
 */
static bool plan_lossless(const struct jpeg_transcoding *first, const struct jpeg_turned *turned,
    const struct jpeg_frame *own, kst_transcode_options *options)
{
    bool columns, rows;
    if (is_like_first(&first->transform.frame, turned, own)) {
        options->crop = first->options->crop;
        return true;
    }
    kst_jpeg_transform_mirrors(options->transform, &columns, &rows);
    if (!follows(&turned->x, 8U * own->hmax, columns) || !follows(&turned->y, 8U * own->vmax, rows))
        return false;
    options->edge = KST_EDGE_PERFECT;
    options->crop = (kst_region){.x = turned->x.own_offset,
        .y = turned->y.own_offset,
        .width = turned->x.own_size,
        .height = turned->y.own_size};
    return true;
}

static bool has_luminance(const struct jpeg_frame *frame)
{
    const struct jpeg_component *c = &frame->component[0];
    return (frame->colour == KST_COLOUR_GREY && frame->component_count == 1) ||
           (frame->colour == KST_COLOUR_YCBCR && frame->component_count == 3 && c->h == frame->hmax &&
               c->v == frame->vmax);
}

static kst_status turn_other(
    const struct jpeg_transcoding *first, struct jpeg_transcoding *t, kst_transcode_options *options, struct sink *sink)
{
    struct jpeg_transform whole;
    struct jpeg_turned turned;
    options->grey = options->grey && has_luminance(&t->stream.plan.frame);
    const struct jpeg_transform_request request = {.transform = options->transform, .grey = options->grey};
    kst_status status = kst_jpeg_transform_plan(&t->stream.plan.frame, &request, &whole, t->op.report);
    if (status)
        return status;
    plan_turned(first, &whole.frame, &turned);
    if (plan_lossless(first, &turned, &whole.frame, options)) {
        status = kst_jpeg_run_transcoding_plan(t);
        return status ? status : kst_jpeg_run_transcoding_write(t, sink);
    }
    if (options->edge == KST_EDGE_PERFECT)
        return kst_report_error(t->op.report, KST_ERROR_JPEG_NOT_PERFECT, 0,
            "another picture, %u×%u pixels, MCUs of %u×%u", whole.frame.width, whole.frame.height,
            8U * whole.frame.hmax, 8U * whole.frame.vmax);
    status = kst_jpeg_run_transcoding_recode(t, &turned, sink);
    return status ? status : kst_report_warning(t->op.report, KST_WARNING_JPEG_RECODED, 0, 1, options->strict);
}

static uint64_t in_file(uint64_t base, uint64_t offset)
{
    return offset == KST_NO_OFFSET ? base : base + offset;
}

/* Add the report of another picture to that of the file, with offsets in the file. */
static kst_status merge_report(
    const struct pictures_file *f, uint64_t base, kst_status status, const kst_report *report)
{
    kst_report *to = f->first->op.report;
    for (int i = 0; i < KST_STAGE_COUNT; i++)
        to->stage_seconds[i] += report->stage_seconds[i];
    if (report->warnings > 0)
        kst_report_warning(
            to, report->first_warning, in_file(base, report->first_warning_offset), report->warnings, false);
    return status ? kst_report_error(to, status, in_file(base, report->offset), "in another picture of the file")
                  : KST_OK;
}

static kst_status make_picture(const struct pictures_file *f, const kst_other *other, struct piece *piece)
{
    kst_transcode_options options = *f->first->options;
    kst_report report;
    struct sink sink;
    struct jpeg_transcoding t = {.context = f->first->context, .op = f->first->op, .options = &options};
    t.op.report = &report;
    options.crop = (kst_region){.x = 0};
    options.script = NULL;
    options.script_length = 0;
    kst_report_init(&report);
    kst_sink_init(&sink, t.op.memory);
    kst_status status = kst_jpeg_run_transcoding_open(&t, f->data + other->offset, (size_t)other->length);
    if (!status)
        status = turn_other(f->first, &t, &options, &sink);
    kst_jpeg_run_transcoding_close(&t);
    if (!status)
        status = sink.status;
    status = merge_report(f, other->offset, status, &report);
    if (status) {
        kst_sink_release(&sink);
        return status;
    }
    *piece = (struct piece){.data = sink.data, .length = sink.length, .made = sink.data};
    return KST_OK;
}

static kst_status make_pieces(struct pictures_file *f)
{
    kst_status status = KST_OK;
    f->piece = kst_memory_zeroed(f->first->op.memory, f->others.count, sizeof *f->piece, &status);
    if (!f->piece)
        return fail(f, status);
    for (uint32_t i = 0; i < f->others.count && !status; i++) {
        const kst_other *other = &f->others.other[i];
        f->piece[i] = (struct piece){.data = f->data + other->offset, .length = other->length};
        if (other->picture && reshapes(f->first->options))
            status = make_picture(f, other, &f->piece[i]);
    }
    return status;
}

/* Correct a length in an index after the length of what it describes has changed. The index may count padding, too. */
static uint64_t mended(uint64_t given, uint64_t before, uint64_t now)
{
    return given >= before ? given - before + now : now;
}

static uint64_t first_length(const struct pictures_file *f)
{
    return f->first->stream.end - f->first->stream.start;
}

static const struct jpeg_marker_segment *segment_of(const struct pictures_file *f, int64_t segment)
{
    return &f->first->stream.application[segment];
}

/* Return the item of the first picture's metadata that is this segment; null if the segment is not kept. */
static kst_metadata *item_of(const struct pictures_file *f, int64_t segment, size_t *index)
{
    for (*index = 0; *index < f->first->encoding.metadata_count; ++*index)
        if (segment >= 0 && f->first->segment[*index] == (uint32_t)segment)
            return &f->first->metadata[*index];
    return NULL;
}

/* Find the new lengths of the directory's items; `now` is the first picture's length. */
static void measure_items(struct pictures_file *f, uint64_t now)
{
    const struct jpeg_marker_segment *segment = segment_of(f, f->others.directory);
    struct xmp_reader reader;
    struct xmp_item item;
    uint64_t offset = f->first->stream.end;
    kst_xmp_begin(&reader, f->data + segment->offset + JPEG_XMP_HEADER, segment->length - JPEG_XMP_HEADER);
    for (uint32_t i = 0; i < f->items && kst_xmp_next(&reader, &item); i++) {
        const kst_other *other = i > 0 && item.length > 0 ? kst_jpeg_others_at(&f->others, offset) : NULL;
        f->item[i] = UINT64_MAX;
        if (i == 0 && item.length > 0 && item.length == first_length(f))
            f->item[i] = now;
        if (other && other->picture)
            f->item[i] = mended(item.length, other->length, f->piece[other - f->others.other].length);
        f->knows_first |= i == 0 && f->item[i] != UINT64_MAX;
        offset += (i > 0 ? item.length : 0) + item.padding;
    }
}

/* Write the corrected directory in XMP, which replaces the segment that was read. */
static kst_status mend_directory(struct pictures_file *f, uint64_t now)
{
    size_t index;
    kst_metadata *item = item_of(f, f->others.directory, &index);
    if (!item)
        return KST_OK;
    const struct jpeg_marker_segment *segment = segment_of(f, f->others.directory);
    const uint8_t *text = f->data + segment->offset + JPEG_XMP_HEADER;
    const size_t length = segment->length - JPEG_XMP_HEADER;
    measure_items(f, now);
    const size_t needed = JPEG_XMP_HEADER + kst_xmp_mend(text, length, f->item, f->items, NULL);
    kst_status status = KST_OK;
    if (needed > JPEG_SEGMENT_MAX)
        return kst_report_error(
            f->first->op.report, KST_ERROR_JPEG_METADATA_SIZE, segment->offset, "XMP, once its directory is mended");
    if (!f->directory)
        f->directory = kst_memory_array(f->first->op.memory, needed, 1, &status);
    if (!f->directory)
        return fail(f, status);
    memcpy(f->directory, f->data + segment->offset, JPEG_XMP_HEADER);
    kst_xmp_mend(text, length, f->item, f->items, f->directory + JPEG_XMP_HEADER);
    item->data = f->directory;
    item->length = needed;
    return KST_OK;
}

/* Return the piece that contains an offset of the source. */
static const kst_other *other_around(const struct pictures_file *f, uint64_t offset)
{
    uint32_t low = 0, high = f->others.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->others.other[middle].offset + f->others.other[middle].length <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->others.count && f->others.other[low].offset <= offset ? &f->others.other[low] : NULL;
}

/* Return where a piece begins in the output. */
static uint64_t new_offset(const struct pictures_file *f, const kst_other *other, uint64_t first)
{
    for (const struct piece *piece = f->piece; piece < f->piece + (other - f->others.other); piece++)
        first += piece->length;
    return first;
}

/*
 * Correct an entry of the MPF index. `header` is the offset of the MP header in the output, `now` the first picture's
 * new length. Returns false if a value does not fit in 32 bits.
 */
static bool mend_entry(const struct pictures_file *f, uint64_t header, uint64_t now, struct jpeg_mpf_entry *entry)
{
    const uint64_t old_header = segment_of(f, f->others.index)->offset + JPEG_MPF_HEADER;
    uint64_t offset = 0, size;
    if (entry->offset == 0) {
        size = mended(entry->size, first_length(f), now);
    } else {
        const uint64_t at = old_header + entry->offset;
        const kst_other *other = other_around(f, at);
        if (!other || (other->picture && other->offset != at))
            return true; /* the entry was wrong before, which a warning has counted */
        offset = new_offset(f, other, now) + (at - other->offset) - header;
        size =
            other->picture ? mended(entry->size, other->length, f->piece[other - f->others.other].length) : entry->size;
    }
    entry->size = (uint32_t)size;
    entry->offset = (uint32_t)offset;
    return size <= UINT32_MAX && offset <= UINT32_MAX;
}

static kst_status mend_index(struct pictures_file *f, uint64_t now)
{
    size_t item;
    if (!item_of(f, f->others.index, &item))
        return KST_OK;
    const uint64_t header = kst_jpeg_run_transcoding_place(f->first, item) + JPEG_MPF_HEADER;
    for (uint32_t i = 0; i < f->others.mpf.count; i++) {
        struct jpeg_mpf_entry entry = kst_jpeg_mpf_entry(f->index, &f->others.mpf, i);
        if (!mend_entry(f, header, now, &entry))
            return kst_report_error(f->first->op.report, KST_ERROR_JPEG_METADATA_SIZE, KST_NO_OFFSET,
                "an MPF index holds offsets and sizes below 4 GiB");
        kst_jpeg_mpf_set(f->index, &f->others.mpf, i, &entry);
    }
    return KST_OK;
}

/* Copy the index, so that it can be corrected once the first picture's length is known. */
static kst_status copy_index(struct pictures_file *f)
{
    size_t index;
    kst_metadata *item = item_of(f, f->others.index, &index);
    kst_status status = KST_OK;
    if (!item)
        return KST_OK;
    f->index = kst_memory_array(f->first->op.memory, item->length, 1, &status);
    if (!f->index)
        return fail(f, status);
    memcpy(f->index, item->data, item->length);
    item->data = f->index;
    f->knows_first = true;
    return KST_OK;
}

static kst_status count_items(struct pictures_file *f)
{
    struct xmp_reader reader;
    struct xmp_item item;
    kst_status status = KST_OK;
    if (f->others.directory == JPEG_NO_SEGMENT)
        return KST_OK;
    const struct jpeg_marker_segment *segment = segment_of(f, f->others.directory);
    kst_xmp_begin(&reader, f->data + segment->offset + JPEG_XMP_HEADER, segment->length - JPEG_XMP_HEADER);
    while (kst_xmp_next(&reader, &item))
        f->items++;
    f->item = kst_memory_array(f->first->op.memory, f->items, sizeof *f->item, &status);
    return fail(f, status);
}

/* Replace a segment of the picture in `made` by its corrected contents. */
static void replace_segment(const struct pictures_file *f, int64_t segment, struct sink *made)
{
    size_t index;
    const kst_metadata *item = item_of(f, segment, &index);
    if (item)
        memcpy(made->data + kst_jpeg_run_transcoding_place(f->first, index), item->data, item->length);
}

/*
 * Write a first picture whose own segments state its length: make it, measure it, correct the segments, and write it.
 */
static kst_status write_known(struct pictures_file *f, struct sink *sink)
{
    struct sink made;
    kst_sink_init(&made, f->first->op.memory);
    kst_status status = kst_jpeg_run_transcoding_write(f->first, &made);
    if (!status)
        status = fail(f, made.status);
    if (!status)
        status = mend_directory(f, made.length);
    if (!status)
        status = mend_index(f, made.length);
    if (!status) {
        replace_segment(f, f->others.directory, &made);
        replace_segment(f, f->others.index, &made);
        kst_sink_bytes(sink, made.data, made.length);
    }
    kst_sink_release(&made);
    return status;
}

static kst_status write_file(struct pictures_file *f, struct sink *sink)
{
    kst_status status = make_pieces(f);
    if (!status)
        status = count_items(f);
    if (!status)
        status = mend_directory(f, first_length(f));
    if (!status)
        status = copy_index(f);
    if (!status)
        status = f->knows_first ? write_known(f, sink) : kst_jpeg_run_transcoding_write(f->first, sink);
    for (uint32_t i = 0; i < f->others.count && !status; i++) {
        kst_sink_bytes(sink, f->piece[i].data, (size_t)f->piece[i].length);
        kst_sink_settle(sink);
        status = fail(f, sink->status);
    }
    return status;
}

static void close_file(struct pictures_file *f)
{
    struct memory *memory = f->first->op.memory;
    for (uint32_t i = 0; f->piece && i < f->others.count; i++)
        kst_memory_release(memory, f->piece[i].made);
    kst_memory_release(memory, f->piece);
    kst_memory_release(memory, f->item);
    kst_memory_release(memory, f->index);
    kst_memory_release(memory, f->directory);
    kst_jpeg_others_release(memory, &f->others);
}

/* Remove the directory from the first XMP packet, if what it lists is dropped. */
static kst_status drop_directory(struct pictures_file *f)
{
    struct jpeg_transcoding *first = f->first;
    for (size_t i = 0; i < first->encoding.metadata_count && !f->directory; i++) {
        const struct jpeg_marker_segment *segment = segment_of(f, first->segment[i]);
        const uint8_t *contents = f->data + segment->offset;
        size_t from, to;
        kst_status status = KST_OK;
        if (kst_jpeg_segment_kind(f->data, segment) != JPEG_SEGMENT_XMP ||
            !kst_xmp_directory(contents + JPEG_XMP_HEADER, segment->length - JPEG_XMP_HEADER, &from, &to))
            continue;
        f->directory = kst_memory_array(first->op.memory, segment->length, 1, &status);
        if (!f->directory)
            return fail(f, status);
        from += JPEG_XMP_HEADER;
        to += JPEG_XMP_HEADER;
        memcpy(f->directory, contents, from);
        memcpy(f->directory + from, contents + to, segment->length - to);
        first->metadata[i].data = f->directory;
        first->metadata[i].length = from + (segment->length - to);
    }
    return KST_OK;
}

/* Find what follows the first picture, if that is kept. */
static kst_status find_others(struct pictures_file *f, size_t length)
{
    struct jpeg_transcoding *first = f->first;
    const kst_transcode_options *o = first->options;
    if (o->strip != KST_STRIP_NOTHING)
        return KST_OK;
    if (o->others == KST_OTHERS_DROP)
        return drop_directory(f);
    if (first->stream.end == length)
        return KST_OK;
    return kst_jpeg_others_find(&first->op, &first->stream, o->strict, &f->others);
}

kst_status kst_jpeg_run_transcode_file(
    struct jpeg_transcoding *first, const void *data, size_t length, struct sink *sink)
{
    struct pictures_file f = {
        .first = first, .data = data, .others = {.index = JPEG_NO_SEGMENT, .directory = JPEG_NO_SEGMENT}};
    double start = kst_seconds();
    kst_status status = kst_jpeg_run_transcoding_open(first, data, length);
    if (!status)
        status = kst_jpeg_run_transcoding_plan(first);
    if (!status)
        status = find_others(&f, length);
    kst_report_stage(first->op.report, KST_STAGE_PARSE, KST_DEVICE_CPU, start);
    if (!status)
        status = f.others.count > 0 ? write_file(&f, sink) : kst_jpeg_run_transcoding_write(first, sink);
    close_file(&f);
    return status;
}
