/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends frames through a flow, in the order of the sequence. A fixed number of slots holds the frames that are under
 * way, which bounds memory: the source waits until the sink has freed one.
 */
#include "video/pass.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "interrupt.h"
#include "progress.h"
#include "video/jpeg_frame.h"

enum { SLOTS_MOST = 256, SLOTS_LEAST = 4, SLOTS_BYTES = 1 << 29 };

/* A frame under way. */
struct slot {
    struct video_frame in;
    struct video_frame out; /* pixels that are decoded */
    kst_image image;        /* pixels that are encoded, which are in `in` */
    uint64_t number;
    struct slot *next;
};

struct run {
    struct video_pass *pass;
    struct problem *problem; /* guarded by the lock, as are the following members */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct slot *free;
    uint32_t used, most; /* slots that are under way, and the most that may be */
    bool failed;         /* the problem says why */
    struct slot slot[SLOTS_MOST];
    uint32_t made;
    uint64_t owed;             /* frames that stand in front of the first good one */
    struct video_frame second; /* the second field of a frame */
    struct video_frame planes; /* pixels that were RGB */
    struct video_frame last;   /* the last frame that was written */
    bool has_last;
};

/* Note a problem, of which the first one counts, and let the source and the sink end. Returns false. */
static bool fail(struct run *run, const struct problem *problem)
{
    pthread_mutex_lock(&run->lock);
    if (!run->failed)
        *run->problem = *problem;
    run->failed = true;
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->lock);
    return false;
}

static bool has_failed(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    bool failed = run->failed;
    pthread_mutex_unlock(&run->lock);
    return failed;
}

/* Wait for a slot. Null if the run has failed. */
static struct slot *take_slot(struct run *run)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&run->lock);
    while (run->used >= run->most && !run->failed)
        pthread_cond_wait(&run->freed, &run->lock);
    if (!run->failed) {
        slot = run->free;
        if (slot != NULL)
            run->free = slot->next;
        else
            slot = &run->slot[run->made++];
        run->used++;
    }
    pthread_mutex_unlock(&run->lock);
    return slot;
}

static void give_slot(struct run *run, struct slot *slot)
{
    pthread_mutex_lock(&run->lock);
    slot->next = run->free;
    run->free = slot;
    run->used--;
    pthread_cond_signal(&run->freed);
    pthread_mutex_unlock(&run->lock);
}

static void swap_frames(struct video_frame *a, struct video_frame *b)
{
    struct video_frame kept = *a;

    *a = *b;
    *b = kept;
}

/* Read the next frame, of which the first may have been read before. */
static enum video_step read_next(struct video_pass *pass, struct video_frame *frame, struct problem *problem)
{
    enum video_step step = STEP_FRAME;

    if (interrupt_came()) {
        pass->interrupted = true;
        return STEP_END;
    }
    if (pass->has_first)
        swap_frames(&pass->first, frame);
    else
        step = pass->reader->format->next(pass->reader, frame, problem);
    pass->has_first = false;
    pass->interrupted |= pass->reader->input.interrupted;
    pass->reader->count += step == STEP_FRAME;
    return step;
}

/* Make an item of the frame in a slot. */
static bool fill_item(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem)
{
    const struct video_pass *pass = run->pass;

    item->user = slot;
    item->data = slot->in.bytes;
    item->length = slot->in.length;
    if (pass->work == KST_FLOW_ENCODE) {
        shape_image(&pass->reader->info.shape, slot->in.bytes, &slot->image);
        item->data = NULL;
        item->length = 0;
        item->picture = &slot->image;
    } else if (pass->work == KST_FLOW_DECODE) {
        slot->out.length = 0;
        if (!frame_reserve(&slot->out, shape_bytes(&pass->decoded), problem))
            return false;
        slot->out.length = shape_bytes(&pass->decoded);
        shape_image(&pass->decoded, slot->out.bytes, &item->image);
    }
    return true;
}

static bool next(void *user, kst_flow_item *item)
{
    struct run *run = user;
    struct slot *slot = take_slot(run);
    struct problem problem;

    if (slot == NULL)
        return false;
    enum video_step step = read_next(run->pass, &slot->in, &problem);
    slot->number = run->pass->reader->count - 1;
    if (step == STEP_FRAME && !fill_item(run, slot, item, &problem))
        step = STEP_FAILED;
    if (step == STEP_FAILED)
        fail(run, &problem);
    if (step != STEP_FRAME)
        give_slot(run, slot);
    return step == STEP_FRAME;
}

/* Write a frame. Who reads a pipe gets it at once. */
static bool add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    writer->count++;
    return writer->format->add(writer, frame, problem) &&
           (writer->format->files || !output_in_order(&writer->output) ||
               output_end_at(&writer->output, writer->output.written, problem));
}

/* Write the last frame so many times. */
static bool repeat(struct run *run, uint64_t times, struct problem *problem)
{
    struct video_writer *writer = run->pass->writer;

    for (uint64_t i = 0; i < times; i++)
        if (!add(writer, &run->last, problem))
            return false;
    return true;
}

/* Write a frame, and keep it as the last one: the frame gets the memory of the one before. */
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

/* Write the last frame again, or the first one that comes. */
static bool write_again(struct run *run, struct problem *problem)
{
    if (run->has_last)
        return repeat(run, 1, problem);
    run->owed++;
    return true;
}

/* Write pixels of a shape, of which a container without RGB gets planes. */
static bool write_pixels(
    struct run *run, const struct video_shape *shape, struct video_frame *frame, struct problem *problem)
{
    if (!shape->rgb || run->pass->writer->info.shape.rgb)
        return write_frame(run, frame, problem);
    return frame_to_planes(shape, frame, &run->planes, problem) && write_frame(run, &run->planes, problem);
}

bool video_is_damage(kst_status status)
{
    if (status == KST_ERROR_J2K_PROFILE)
        return false;
    return status >= KST_ERROR_SIGNATURE || status == KST_ERROR_IMAGE_SIZE || status == KST_ERROR_IMAGE_DEPTH ||
           status == KST_ERROR_IMAGE_FORMAT;
}

/* Return whether a frame may be replaced. Whatever keeps pixels from being encoded is not the frame's own. */
static bool is_damage(const struct video_pass *pass, kst_status status)
{
    return pass->work != KST_FLOW_ENCODE && video_is_damage(status);
}

/* Describe a frame's failure or warning: where it is, and what is wrong. */
static void describe(const struct slot *slot, const kst_report *report, kst_status status, struct problem *problem)
{
    struct problem text;

    jpeg_report_problem(report, status, &text);
    problem_set_kind(problem, text.kind, "frame %llu, byte %llu: %s", (unsigned long long)slot->number,
        (unsigned long long)slot->in.offset, text.text);
}

static bool take_damage(struct run *run, const struct slot *slot, const kst_report *report, struct problem *problem)
{
    struct video_pass *pass = run->pass;

    if (slot->in.length == 0) /* an empty frame stands for the one before */
        return write_again(run, problem);
    describe(slot, report, report->status, problem);
    if (pass->strict || !is_damage(pass, report->status))
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

static bool write_result(struct run *run, struct slot *slot, kst_flow_item *item, struct problem *problem)
{
    if (item->report.status)
        return take_damage(run, slot, &item->report, problem);
    note_warnings(run, slot, &item->report);
    if (run->pass->work == KST_FLOW_DECODE)
        return write_pixels(run, &run->pass->decoded, &slot->out, problem);
    slot->out.length = 0;
    return frame_append(&slot->out, item->output.data, item->output.length, problem) &&
           write_frame(run, &slot->out, problem);
}

/* Show how far the work has come: by the bytes of a file, or by the frames that a stream has announced. */
static void show(const struct video_pass *pass, const struct video_frame *frame, uint64_t number)
{
    uint64_t size = pass->reader->input.size, frames = pass->reader->info.frames;

    progress_step();
    if (size > 0)
        progress_reached((double)frame->offset / (double)size);
    else if (frames > 0)
        progress_reached((double)(number + 1) / (double)frames);
}

static bool put(void *user, kst_flow_item *item)
{
    struct run *run = user;
    struct slot *slot = item->user;
    struct problem problem;
    bool good = item->report.status != KST_ERROR_CANCELLED && !has_failed(run);

    if (good && !write_result(run, slot, item, &problem))
        good = fail(run, &problem);
    show(run->pass, &slot->in, slot->number);
    give_slot(run, slot);
    return good;
}

/* Choose how many frames may be under way: some for each thread of the CPU, or many where a GPU takes them together. */
static uint32_t choose_slots(const struct video_pass *pass, kst_flow *flow)
{
    size_t bytes = shape_bytes(&pass->reader->info.shape) * 2;
    uint32_t fitting = bytes == 0 ? SLOTS_MOST : (uint32_t)(SLOTS_BYTES / bytes);
    kst_device_info info = {.size = sizeof info};
    bool gpu = kst_flow_context(flow, 1) != NULL ||
               (!kst_context_device(kst_flow_context(flow, 0), &info) && info.kind != KST_DEVICE_CPU);
    uint32_t wanted = gpu ? SLOTS_MOST : 2 * info.units + SLOTS_LEAST;

    wanted = wanted < fitting ? wanted : fitting;
    return wanted < SLOTS_LEAST ? SLOTS_LEAST : wanted > SLOTS_MOST ? SLOTS_MOST : wanted;
}

static void choose_decoding(const struct video_pass *pass, kst_decode_options *options)
{
    kst_decode_options_init(options);
    options->format = pass->decoded.rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    options->strict = pass->strict;
}

static void choose_options(const struct run *run, const kst_decode_options *decode, kst_flow_options *options)
{
    const struct video_pass *pass = run->pass;

    kst_flow_options_init(options);
    options->work = pass->work;
    options->devices = pass->common->device;
    options->threads = pass->common->threads;
    options->readers = 1;
    options->writers = 1;
    options->in_order = true;
    options->limits.pixels = pass->common->max_pixels;
    options->limits.memory = pass->common->max_memory;
    options->limits.work = (uint32_t)pass->common->max_work;
    options->decode = decode;
    options->encode = pass->encode;
    options->transcode = pass->transcode;
    options->next = next;
    options->put = put;
}

static bool flow_frames(struct run *run, struct problem *problem)
{
    kst_decode_options decode;
    kst_flow_options options;
    kst_flow *flow;

    choose_decoding(run->pass, &decode);
    choose_options(run, &decode, &options);
    options.user = run;
    kst_status status = kst_flow_start(&options, &flow);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    pthread_mutex_lock(&run->lock);
    run->most = choose_slots(run->pass, flow);
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->lock);
    kst_flow_end(&flow); /* what failed is known already */
    return !run->failed;
}

static kst_status encode_one(kst_context *context, struct video_pass *pass, const kst_image *image, kst_flow_item *item)
{
    if (pass->rate.frame_bits > 0)
        return video_rate_encode(&pass->rate, context, image, pass->encode, &item->output, &item->report);
    return kst_encode(context, image, pass->encode, &item->output, &item->report);
}

static kst_status convert_one(
    kst_context *context, struct video_pass *pass, const kst_decode_options *decode, kst_flow_item *item)
{
    kst_image image;

    kst_image_init(&image);
    kst_status status = kst_decode(context, item->data, item->length, decode, &image, &item->report);
    if (!status)
        status = encode_one(context, pass, &image, item);
    kst_image_release(context, &image);
    return status;
}

/* Describe every other row of an image, from the first or the second one on. */
static void take_rows(const kst_image *whole, uint32_t first, kst_image *rows)
{
    *rows = *whole;
    rows->height = whole->height / 2;
    for (uint32_t i = 0; i < whole->plane_count; i++) {
        kst_plane *plane = &rows->plane[i];
        plane->data = (uint8_t *)plane->data + (ptrdiff_t)first * plane->pitch;
        plane->pitch *= 2;
        plane->height /= 2;
    }
}

/* Decode the two streams of a frame, each to every other row. */
static void decode_fields(struct run *run, kst_context *context, const kst_decode_options *decode, kst_flow_item *item,
    struct problem *problem)
{
    const uint8_t *bytes = item->data;
    size_t second = jpeg_frame_second(bytes, item->length);
    bool top = run->pass->reader->info.interlace == 't';
    kst_image rows;

    run->second.length = 0;
    if (second == 0 || !frame_append(&run->second, bytes + second, item->length - second, problem) ||
        !jpeg_frame_complete(&run->second, problem)) {
        item->report.status = KST_ERROR_TRUNCATED;
        return;
    }
    take_rows(&item->image, top ? 0 : 1, &rows);
    if (kst_decode(context, bytes, second, decode, &rows, &item->report))
        return;
    uint64_t warnings = item->report.warnings;
    take_rows(&item->image, top ? 1 : 0, &rows);
    kst_decode(context, run->second.bytes, run->second.length, decode, &rows, &item->report);
    item->report.warnings += warnings;
}

/* Do a frame's work in a context, all of whose threads share it. */
static void make_one(
    kst_context *context, struct video_pass *pass, const kst_decode_options *decode, kst_flow_item *item)
{
    if (pass->work == KST_FLOW_DECODE)
        kst_decode(context, item->data, item->length, decode, &item->image, &item->report);
    else if (pass->work == KST_FLOW_ENCODE)
        encode_one(context, pass, item->picture, item);
    else if (pass->work == KST_FLOW_TRANSCODE)
        kst_transcode(context, item->data, item->length, pass->transcode, &item->output, &item->report);
    else
        convert_one(context, pass, decode, item);
}

static enum video_step do_one(
    struct run *run, kst_context *context, const kst_decode_options *decode, struct problem *problem)
{
    struct slot *slot = &run->slot[0];
    enum video_step step = read_next(run->pass, &slot->in, problem);
    kst_flow_item item = {.size = sizeof item};

    if (step != STEP_FRAME)
        return step;
    kst_image_init(&item.image);
    kst_report_init(&item.report);
    slot->number = run->pass->reader->count - 1;
    if (!fill_item(run, slot, &item, problem))
        return STEP_FAILED;
    if (run->pass->reader->info.fields)
        decode_fields(run, context, decode, &item, problem);
    else
        make_one(context, run->pass, decode, &item);
    bool good = write_result(run, slot, &item, problem);
    kst_buffer_release(context, &item.output);
    show(run->pass, &slot->in, slot->number);
    return good ? STEP_FRAME : STEP_FAILED;
}

/* Let each frame go out before the next one is read. */
static bool single_frames(struct run *run, struct problem *problem)
{
    const struct common_options *common = run->pass->common;
    kst_decode_options decode;
    kst_context_options options;
    kst_context *context;
    enum video_step step = STEP_FRAME;

    choose_decoding(run->pass, &decode);
    kst_context_options_init(&options);
    options.device = common->device;
    options.threads = common->threads;
    options.limits.pixels = common->max_pixels;
    options.limits.memory = common->max_memory;
    options.limits.work = (uint32_t)common->max_work;
    kst_status status = kst_context_create(&options, &context);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    run->made = 1;
    while (step == STEP_FRAME)
        step = do_one(run, context, &decode, problem);
    kst_context_destroy(&context);
    return step == STEP_END;
}

/* Pass frames on as they are. An empty one stands for the one before. */
static bool copy_frames(struct run *run, struct problem *problem)
{
    struct video_frame *frame = &run->slot[0].in;
    bool pixels = run->pass->reader->info.payload == PAYLOAD_PIXELS, good = true;
    enum video_step step;

    run->made = 1;
    while (good && (step = read_next(run->pass, frame, problem)) == STEP_FRAME) {
        good = frame->length == 0 ? write_again(run, problem)
               : pixels           ? write_pixels(run, &run->pass->reader->info.shape, frame, problem)
                                  : write_frame(run, frame, problem);
        show(run->pass, frame, run->pass->reader->count - 1);
    }
    return good && step == STEP_END;
}

static void release(struct run *run)
{
    for (uint32_t i = 0; i < run->made; i++) {
        frame_release(&run->slot[i].in);
        frame_release(&run->slot[i].out);
    }
    frame_release(&run->second);
    frame_release(&run->planes);
    frame_release(&run->last);
    frame_release(&run->pass->first);
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
    bool single = pass->latency || pass->reader->info.fields || pass->rate.frame_bits > 0;
    bool good = pass->copy ? copy_frames(run, problem)
                : single   ? single_frames(run, problem)
                           : flow_frames(run, problem);
    if (good && run->owed > 0)
        good = problem_set(problem, "no frame could be decoded; %s", pass->first_damage.text);
    progress_end();
    release(run);
    return good;
}
