/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads frames and writes what they become, and passes them on as they are where there is no work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "progress/progress.h"
#include "system/interrupt.h"
#include "video/pass_run.h"

static void swap_frames(struct video_frame *a, struct video_frame *b)
{
    struct video_frame kept = *a;

    *a = *b;
    *b = kept;
}

/* Copy the frame that was read first, because it is not in pinned memory. */
static bool take_first(struct video_pass *pass, struct video_frame *frame, struct problem *problem)
{
    frame->length = 0;
    frame->offset = pass->first.offset;
    bool good = frame_append(frame, pass->first.bytes, pass->first.length, problem);
    frame_release(&pass->first);
    pass->has_first = false;
    return good;
}

enum video_step pass_read(struct video_pass *pass, struct video_frame *frame, struct problem *problem)
{
    enum video_step step = STEP_FRAME;

    if (interrupt_came()) {
        pass->interrupted = true;
        return STEP_END;
    }
    pass->reader->packet = packets_take(&pass->packets);
    if (pass->reader->packet != NULL)
        return STEP_PACKET;
    if (pass->has_first)
        step = take_first(pass, frame, problem) ? STEP_FRAME : STEP_FAILED;
    else
        step = pass->reader->format->next(pass->reader, frame, problem);
    pass->interrupted |= pass->reader->input.interrupted;
    pass->reader->count += step == STEP_FRAME;
    return step;
}

kst_context *pass_open_pinning(const char *device)
{
    kst_context_options options;
    kst_context *context = NULL;

    kst_context_options_init(&options);
    options.device = device;
    options.threads = 1;
    return kst_context_create(&options, &context) ? NULL : context;
}

void pass_pin(const struct run *run, struct slot *slot, bool output)
{
    if (slot->in.block == NULL && !run->pass->reader->exchanges)
        slot->in.context = run->context;
    if (slot->out.block == NULL && output)
        slot->out.context = run->context;
}

/*
 * Return the room for a stream. A stream that is larger than its pixels, which is rare, is encoded again with more
 * room.
 */
static size_t coded_room(const struct video_pass *pass)
{
    enum { HEADERS = 1 << 12 };
    return shape_bytes(&pass->changed.shape) + HEADERS;
}

bool pass_fill_item(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem)
{
    const struct video_pass *pass = run->pass;
    bool pixels = pass_makes_pixels(pass);

    item->user = slot;
    item->data = slot->in.bytes;
    item->length = slot->in.length;
    slot->out.length = 0;
    if (!frame_reserve(&slot->out, pixels ? shape_bytes(&pass->decoded) : coded_room(pass), problem))
        return false;
    if (pass_takes_pixels(pass)) {
        shape_image(&pass->reader->info.shape, slot->in.bytes, &slot->image);
        item->data = NULL;
        item->length = 0;
        item->picture = &slot->image;
    }
    if (pixels) {
        slot->out.length = shape_bytes(&pass->decoded);
        shape_image(&pass->decoded, slot->out.bytes, &item->image);
    } else {
        item->output = (kst_buffer){.data = slot->out.bytes, .capacity = slot->out.capacity};
    }
    return run->ahead == 0 || pass_encode_ahead(run, slot, item, problem);
}

/* Write a frame. Into a pipe it is flushed at once. */
static bool add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    bool in_order = !writer->format->files && output_in_order(&writer->output);

    writer->count++;
    bool good = writer->format->add(writer, frame, problem) &&
                (!in_order || output_end_at(&writer->output, writer->output.written, problem));
    if (good && writer->records)
        output_keep(&writer->output);
    return good;
}

/* Write the last frame again, `times` times. */
static bool repeat(struct run *run, uint64_t times, struct problem *problem)
{
    struct video_writer *writer = run->pass->writer;

    for (uint64_t i = 0; i < times; i++)
        if (!add(writer, &run->last, problem))
            return false;
    return true;
}

/* Write a frame, and keep it as the last one; the frame gets the memory of the previous one. */
static bool write_frame(struct run *run, struct video_frame *frame, struct problem *problem)
{
    struct video_writer *writer = run->pass->writer;
    uint64_t owed = run->owed;

    if (!add(writer, frame, problem))
        return false;
    swap_frames(&run->last, frame);
    run->has_last = true;
    run->owed = 0;
    return repeat(run, owed, problem);
}

/* Write the last frame again; if there is none yet, the first one will be repeated. */
static bool write_again(struct run *run, struct problem *problem)
{
    if (run->has_last)
        return repeat(run, 1, problem);
    run->owed++;
    return true;
}

bool video_is_damage(kst_status status)
{
    if (status == KST_ERROR_J2K_PROFILE)
        return false;
    return status >= KST_ERROR_SIGNATURE || status == KST_ERROR_IMAGE_SIZE || status == KST_ERROR_IMAGE_DEPTH ||
           status == KST_ERROR_IMAGE_FORMAT;
}

/*
 * Return whether a frame may be replaced. Whatever keeps pixels from being encoded is not the frame's own; those that
 * have been changed have one shape.
 */
static bool is_damage(const struct video_pass *pass, const kst_flow_item *item)
{
    bool changed = pass->work == KST_FLOW_CONVERT && pass->change != NULL && item->image.width > 0;

    return !pass_takes_pixels(pass) && !changed && video_is_damage(item->report.status);
}

/* Describe a frame's failure or warning, with the frame's number and offset. */
static void describe(const struct slot *slot, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem text;

    jpeg_report_problem(report, status, &text);
    problem_set_kind(problem, text.kind, "frame %llu, byte %llu: %s", (unsigned long long)slot->number,
        (unsigned long long)slot->in.offset, text.text);
}

static bool take_damage(struct run *run, const struct slot *slot, const kst_flow_item *item, struct problem *problem)
{
    struct video_pass *pass = run->pass;

    if (slot->in.length == 0) /* an empty frame repeats the previous one */
        return write_again(run, problem);
    describe(slot, &item->report, item->report.status, problem);
    if (pass->strict || !is_damage(pass, item))
        return false;
    if (pass->damaged++ == 0)
        pass->first_damage = *problem;
    return write_again(run, problem);
}

static void note_warnings(struct run *run, const struct slot *slot, const kst_report *report)
{
    struct video_pass *pass = run->pass;

    if (report->warnings > 0 && pass->warned++ == 0 && pass->damaged == 0)
        describe(slot, report, report->first_warning, &pass->first_damage);
}

bool pass_write_packets(struct run *run, struct video_packets *packets, struct problem *problem)
{
    struct video_writer *writer = run->pass->writer;
    struct video_packet *packet;
    bool good = true;

    while (good && (packet = packets_take(packets)) != NULL) {
        good = !writer->track[packet->track].copied || writer->format->add_packet(writer, packet, problem);
        free(packet);
    }
    return good;
}

/* Write the stream of an item. It is in the slot's memory, unless it was too long for that. */
static bool write_stream(struct run *run, struct slot *slot, const kst_buffer *stream, struct problem *problem)
{
    slot->out.length = stream->data == slot->out.bytes ? stream->length : 0;
    return (slot->out.length > 0 || frame_append(&slot->out, stream->data, stream->length, problem)) &&
           write_frame(run, &slot->out, problem);
}

/* Note that a frame which was coded again has another size than the others. */
static void check_size(const struct video_pass *pass, kst_flow_item *item)
{
    const struct video_shape *wanted = &pass->changed.shape;
    const kst_image *image = &item->image;

    if (pass->work != KST_FLOW_CONVERT || (item->report.status && item->report.status != KST_ERROR_BUFFER_FULL) ||
        (image->width == wanted->width && image->height == wanted->height))
        return;
    item->report.status = KST_ERROR_IMAGE_SIZE;
    snprintf(item->report.message, sizeof item->report.message, "%u × %u pixels instead of %u × %u",
        (unsigned)image->width, (unsigned)image->height, (unsigned)wanted->width, (unsigned)wanted->height);
}

bool pass_write_result(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem)
{
    if (!pass_write_packets(run, &slot->packets, problem))
        return false;
    if (item->report.status == KST_ERROR_BUFFER_FULL && run->ahead == 0)
        pass_make_again(run, slot, run->pass->encode, item);
    check_size(run->pass, item);
    if (run->pass->rate.ceiling || run->ahead > 0)
        pass_keep_to_bits(run, slot, item);
    if (item->report.status)
        return take_damage(run, slot, item, problem);
    note_warnings(run, slot, &item->report);
    if (pass_makes_pixels(run->pass))
        return write_frame(run, &slot->out, problem);
    return write_stream(run, slot, &item->output, problem);
}

/* Progress is measured in bytes of a file, or in frames if a stream announces their number. */
void pass_show(const struct video_pass *pass, const struct video_frame *frame, uint64_t number)
{
    uint64_t size = pass->reader->input.size, frames = pass->reader->info.frames;

    progress_step();
    if (size > 0)
        progress_reached((double)frame->offset / (double)size);
    else if (frames > 0)
        progress_reached((double)(number + 1) / (double)frames);
}

void pass_choose_decoding(const struct video_pass *pass, kst_decode_options *options)
{
    const bool rgb = pass->change != NULL ? pass->reader->info.shape.rgb : pass->decoded.rgb;

    kst_decode_options_init(options);
    options->format = rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    options->strict = pass->strict;
}

/* Pass a frame on as it is. An empty one stands for the one before. */
static bool copy_frame(struct run *run, struct video_frame *frame, struct problem *problem)
{
    bool good = frame->length == 0 ? write_again(run, problem) : write_frame(run, frame, problem);

    pass_show(run->pass, frame, run->pass->reader->count - 1);
    return good;
}

static bool copy_all(struct run *run, struct problem *problem)
{
    struct slot *slot = &run->slot[0];
    enum video_step step = STEP_FRAME;
    bool good = true;

    run->made = 1;
    while (good && (step == STEP_FRAME || step == STEP_PACKET)) {
        step = pass_read(run->pass, &slot->in, problem);
        if (step == STEP_PACKET) {
            packets_append(&slot->packets, run->pass->reader->packet);
            good = pass_write_packets(run, &slot->packets, problem);
        } else if (step == STEP_FRAME) {
            good = copy_frame(run, &slot->in, problem);
        }
    }
    return good && step == STEP_END;
}

/* Holds what stays open at the end of the process, so that it stays reachable (for leak checkers). */
static struct run *volatile left;

static void release(struct run *run)
{
    for (uint32_t i = 0; i < run->made; i++) {
        frame_release(&run->slot[i].in);
        frame_release(&run->slot[i].out);
        packets_release(&run->slot[i].packets);
        free(run->slot[i].tries);
    }
    frame_release(&run->second);
    frame_release(&run->last);
    frame_release(&run->pass->first);
    packets_release(&run->pass->packets);
    kst_context_destroy(&run->context);
    pthread_cond_destroy(&run->freed);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

bool video_pass_run(struct video_pass *pass, struct problem *problem)
{
    struct run *run = calloc(1, sizeof *run);

    if (run == NULL)
        return problem_set(problem, "out of memory");
    run->pass = pass;
    run->problem = problem;
    run->owed = pass->leading;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->freed, NULL);
    progress_begin_unknown();
    progress_real_time((double)pass->reader->info.rate.over / pass->reader->info.rate.under);
    bool single = pass->latency || pass->reader->info.fields;
    bool good = pass->copy ? copy_all(run, problem) : single ? pass_singly(run, problem) : pass_flow(run, problem);
    if (good && run->owed > 0)
        good = problem_set(
            problem, "no frame could be decoded; %s", pass->damaged > 0 ? pass->first_damage.text : "all are empty");
    progress_end();
    pass->leaves = run->leaves;
    if (run->leaves)
        left = run;
    else
        release(run);
    return good;
}
