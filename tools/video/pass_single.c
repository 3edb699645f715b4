/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes frames one by one: for the least latency, and for frames of two fields. */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_device.h>

#include "files/files.h"
#include "video/jpeg_frame.h"
#include "video/pass_run.h"

/* Resize and filter an image. The report gets what is wrong. */
static kst_status change_one(
    kst_context *context, const struct video_pass *pass, const kst_image *from, kst_image *to, kst_report *report)
{
    const kst_flow_stage *stage = video_change_stage(pass->change);
    kst_flow_image image = {.from = from, .to = to};

    stage->run(stage->user, context, &image, 1);
    if (image.report.status)
        *report = image.report;
    return image.report.status;
}

/* Get the image that is read: the frame's pixels, which stay where they are, or what its stream becomes. */
static kst_status open_read(kst_context *context, const struct video_pass *pass, const kst_flow_item *item,
    kst_image *image, kst_report *report)
{
    kst_decode_options decode;

    if (item->picture != NULL) {
        *image = *item->picture;
        image->owned = NULL;
        return KST_OK;
    }
    kst_image_init(image);
    image->memory = kst_context_memory(context); /* where pixels stay between decoding and encoding */
    pass_choose_decoding(pass, &decode);
    return kst_decode(context, item->data, item->length, &decode, image, report);
}

kst_status pass_open_image(kst_context *context, const struct video_pass *pass, const kst_flow_item *item,
    kst_image *image, kst_report *report)
{
    kst_image read;

    kst_status status = open_read(context, pass, item, &read, report);
    if (status || pass->change == NULL) {
        *image = read;
        return status;
    }
    kst_image_init(image);
    image->memory = kst_context_memory(context);
    status = change_one(context, pass, &read, image, report);
    kst_image_release(context, &read);
    return status;
}

/* Describe an image that has been opened. */
static kst_status lend_image(void *user, kst_image *image, kst_report *report)
{
    const kst_image *opened = user;

    (void)report;
    *image = *opened;
    image->owned = NULL;
    return KST_OK;
}

static kst_status encode_one(kst_context *context, struct video_pass *pass, kst_image *image, kst_flow_item *item)
{
    const struct video_source source = {context, pass->encode, lend_image, image};

    if (video_rate_searches(&pass->rate))
        return video_rate_encode(&pass->rate, &source, NULL, 0, &item->output, &item->report);
    return kst_encode(context, image, pass->encode, &item->output, &item->report);
}

/* Add the warnings about a stream to the report of what it has become. */
static void add_warnings(const kst_report *decoded, kst_report *report)
{
    if (decoded->warnings == 0 || report->status)
        return;
    report->warnings = decoded->warnings;
    report->first_warning = decoded->first_warning;
    report->first_warning_offset = decoded->first_warning_offset;
    memcpy(report->message, decoded->message, sizeof report->message);
}

/* Encode a frame's image. The item says how large that is, as in a flow. */
static void encode_image(kst_context *context, struct video_pass *pass, kst_flow_item *item)
{
    kst_image image;

    kst_status status = pass_open_image(context, pass, item, &image, &item->report);
    const kst_report decoded = item->report;
    if (!status) {
        item->image.width = image.width;
        item->image.height = image.height;
        encode_one(context, pass, &image, item);
        add_warnings(&decoded, &item->report);
    }
    kst_image_release(context, &image);
}

/* Decode a frame to the item's image. */
static void decode_one(kst_context *context, struct video_pass *pass, kst_flow_item *item)
{
    kst_decode_options decode;
    kst_image read;

    if (pass->change != NULL) {
        if (!open_read(context, pass, item, &read, &item->report))
            change_one(context, pass, &read, &item->image, &item->report);
        kst_image_release(context, &read);
        return;
    }
    pass_choose_decoding(pass, &decode);
    kst_decode(context, item->data, item->length, &decode, &item->image, &item->report);
}

/* Describe every second row of an image, from the first or the second one on. */
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

/* Decode the two streams of a frame, each into every second row of an image. */
static void decode_rows(struct run *run, kst_context *context, const kst_decode_options *decode, kst_flow_item *item,
    size_t second, const kst_image *image)
{
    bool top = run->pass->reader->info.interlace == 't';
    kst_image rows;

    take_rows(image, top ? 0 : 1, &rows);
    if (kst_decode(context, item->data, second, decode, &rows, &item->report))
        return;
    uint64_t warnings = item->report.warnings;
    take_rows(image, top ? 1 : 0, &rows);
    kst_decode(context, run->second.bytes, run->second.length, decode, &rows, &item->report);
    item->report.warnings += warnings;
}

/* Decode a frame of two fields to RGB, which becomes planes in the item's image. */
static void decode_and_change(
    struct run *run, kst_context *context, const kst_decode_options *decode, kst_flow_item *item, size_t second)
{
    kst_image image;

    shape_image(&run->pass->reader->info.shape, NULL, &image);
    item->report.status = kst_image_allocate(context, &image);
    if (!item->report.status)
        decode_rows(run, context, decode, item, second, &image);
    if (!item->report.status)
        change_one(context, run->pass, &image, &item->image, &item->report);
    kst_image_release(context, &image);
}

/* Decode a frame of two fields. */
static void decode_fields(struct run *run, kst_context *context, const kst_decode_options *decode, kst_flow_item *item,
    struct problem *problem)
{
    const uint8_t *bytes = item->data;
    size_t second = jpeg_frame_second(bytes, item->length);

    run->second.length = 0;
    if (second == 0 || !frame_append(&run->second, bytes + second, item->length - second, problem) ||
        !jpeg_frame_complete(&run->second, problem))
        item->report.status = KST_ERROR_TRUNCATED;
    else if (run->pass->change == NULL)
        decode_rows(run, context, decode, item, second, &item->image);
    else
        decode_and_change(run, context, decode, item, second);
}

void pass_make(kst_context *context, struct video_pass *pass, kst_flow_item *item)
{
    if (pass->work == KST_FLOW_DECODE)
        decode_one(context, pass, item);
    else if (pass->work == KST_FLOW_CHANGE)
        change_one(context, pass, item->picture, &item->image, &item->report);
    else if (pass->work == KST_FLOW_TRANSCODE)
        kst_transcode(context, item->data, item->length, pass->transcode, &item->output, &item->report);
    else
        encode_image(context, pass, item);
}

static enum video_step do_one(
    struct run *run, kst_context *context, const kst_decode_options *decode, struct problem *problem)
{
    struct slot *slot = &run->slot[0];
    kst_flow_item item = {.size = sizeof item};

    pass_pin(run, slot, true);
    enum video_step step = pass_read(run->pass, &slot->in, problem);
    if (step == STEP_PACKET) {
        packets_append(&slot->packets, run->pass->reader->packet);
        return pass_write_packets(run, &slot->packets, problem) ? STEP_PACKET : STEP_FAILED;
    }
    if (step != STEP_FRAME)
        return step;
    kst_image_init(&item.image);
    kst_report_init(&item.report);
    item.context = context;
    slot->number = run->pass->reader->count - 1;
    if (!pass_fill_item(run, slot, &item, problem))
        return STEP_FAILED;
    if (run->pass->reader->info.fields)
        decode_fields(run, context, decode, &item, problem);
    else
        pass_make(context, run->pass, &item);
    bool good = pass_write_result(run, slot, &item, problem);
    kst_buffer_release(context, &item.output);
    pass_show(run->pass, &slot->in, slot->number);
    return good ? STEP_FRAME : STEP_FAILED;
}

/*
 * Choose the device that processes frames one by one: the first one of a list, and then a note says so. Returns a
 * copy of its name, or null if the context chooses.
 */
static char *choose_device(const struct video_pass *pass)
{
    const struct common_options *common = pass->common;
    const char *names = common->device != NULL ? common->device : getenv("KOSTKA_DEVICE");

    if (!common_names_many(common))
        return common->device == NULL ? NULL : strdup(common->device);
    bool all = strcmp(names, "all") == 0;
    char *first = all ? strdup("auto") : strndup(names, strcspn(names, ","));
    if (first != NULL)
        complain(names, "note: frames that pass one by one (--latency, two fields) have one device: %s", first);
    return first;
}

bool pass_singly(struct run *run, struct problem *problem)
{
    const struct common_options *common = run->pass->common;
    kst_decode_options decode;
    kst_context_options options;
    kst_device_info info = {.size = sizeof info};
    enum video_step step = STEP_FRAME;
    char *device = choose_device(run->pass);

    pass_choose_decoding(run->pass, &decode);
    kst_context_options_init(&options);
    options.device = device;
    options.threads = common->threads;
    options.limits.pixels = common->max_pixels;
    options.limits.memory = common->max_memory;
    options.limits.work = (uint32_t)common->max_work;
    kst_status status = kst_context_create(&options, &run->context);
    free(device);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    run->made = 1;
    while (step == STEP_FRAME || step == STEP_PACKET)
        step = do_one(run, run->context, &decode, problem);
    run->leaves = !kst_context_device(run->context, &info) && info.kind == KST_DEVICE_CUDA; /* auto has chosen by now */
    return step == STEP_END;
}
