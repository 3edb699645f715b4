/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes and encodes pictures through a relay. */
#include "files/relayed.h"

#include <stdlib.h>

#include "files/filter.h"
#include "files/relay.h"
#include "files/resize.h"
#include "progress/outcome.h"

static uint64_t bytes_of(const kst_image *image)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        uint64_t channels = kst_format_channels(image->format);
        sum += (uint64_t)plane->width * plane->height * picture_sample_bytes(plane) * (channels > 0 ? channels : 1);
    }
    return sum;
}

/*
 * Return whether a device can encode what it has decoded. That is not so if inks may have to be inverted, alpha
 * dropped, or depth or sign of samples changed, or if the target is no stream: other formats are written from host
 * memory.
 */
static bool may_wait(const kst_image *image, const struct file_settings *settings)
{
    const kst_plane *plane = &image->plane[0];
    bool jpeg = settings->target == &file_jpeg;
    bool coded = settings->target != NULL && (file_kind(settings->target) & KIND_CODED) != 0;
    bool simple = image->format == KST_FORMAT_GREY || image->format == KST_FORMAT_RGB;

    return coded && simple && !plane->is_signed && !settings->deep &&
           (plane->depth == 8 || (!jpeg && plane->depth < 16));
}

/* Make the picture pending: its pixels are decoded only when it is encoded. */
static bool defer(const struct source *source, const kst_decode_options *options, const kst_resize_options *resize,
    const kst_image *image, struct picture *picture, struct problem *problem)
{
    struct pending *pending = malloc(sizeof *pending);

    if (pending == NULL)
        return problem_set(problem, "out of memory");
    *pending = (struct pending){.source = source, .decode = *options, .resizes = resize != NULL};
    if (resize != NULL)
        pending->resize = *resize;
    pending->decode.progress = NULL;
    picture->pending = pending;
    picture->image = *image;
    picture->context = NULL;
    return true;
}

static bool decode_now(const struct source *source, const kst_decode_options *options, const kst_resize_options *resize,
    const struct file_settings *settings, struct picture *picture, kst_report *report, struct problem *problem)
{
    kst_flow_item item = {.size = sizeof item,
        .work = KST_FLOW_DECODE,
        .data = source->data,
        .length = source->length,
        .decode = options,
        .resize = resize,
        .stage = picture->filtered ? relay_stage(settings->relay) : NULL};

    kst_image_init(&item.image);
    item.image.memory = KST_MEMORY_PINNED;
    relay_do(settings->relay, &item);
    picture->image = item.image;
    picture->context = item.context;
    *report = item.report;
    return !report->status || jpeg_report_problem(report, report->status, problem);
}

bool relayed_decode(const kst_decoder *decoder, const struct source *source, const struct file_settings *settings,
    const kst_decode_options *options, struct picture *picture, kst_report *report, struct problem *problem)
{
    const kst_image decoded = picture->image;
    kst_image resized = decoded, made;
    kst_decode_options now = *options;
    kst_resize_options resize;
    bool resizes = resize_wanted(settings);

    if (!jpeg_keep_metadata(decoder, settings, picture, problem) ||
        (resizes && !resize_expect(picture, &decoded, source->name, settings, &resize, &resized, problem)))
        return false;
    outcome_note_pixels((uint64_t)decoded.width * decoded.height);
    picture->sized = true;
    made = resized;
    bool finds = settings->target != NULL && file_holds_results(settings->target) && !settings->counts;
    if (settings->filters != NULL && !finds &&
        !filters_expect(picture, &resized, source->name, settings, &made, problem))
        return false;
    uint64_t between = (resizes ? bytes_of(&decoded) : 0) + (picture->filtered ? bytes_of(&resized) : 0);
    now.progress = NULL;
    kst_report_init(report);
    if (may_wait(&made, settings)) {
        relay_reserve(settings->relay, source->length + between);
        return defer(source, &now, resizes ? &resize : NULL, &made, picture, problem);
    }
    relay_reserve_pinned(settings->relay, source->length + bytes_of(&made) + between);
    return decode_now(source, &now, resizes ? &resize : NULL, settings, picture, report, problem);
}

void relayed_reserve(const struct source *source, const struct file_settings *settings)
{
    enum { EXPANSION = 4 };

    relay_reserve(settings->relay, EXPANSION * (uint64_t)source->length);
}

static kst_flow_item item_of(
    const struct picture *picture, const kst_encode_options *options, const struct file_settings *settings)
{
    const struct pending *pending = picture->pending;
    kst_flow_item item = {.size = sizeof item, .work = KST_FLOW_ENCODE, .picture = &picture->image, .encode = options};

    kst_image_init(&item.image);
    if (pending == NULL)
        return item;
    item.work = KST_FLOW_CONVERT;
    item.picture = NULL;
    item.data = pending->source->data;
    item.length = pending->source->length;
    item.decode = &pending->decode;
    item.resize = pending->resizes ? &pending->resize : NULL;
    item.stage = relay_stage(settings->relay);
    return item;
}

bool relayed_encode(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem)
{
    kst_flow_item item = item_of(picture, options, settings);
    const char *name = picture->pending != NULL ? picture->pending->source->name : "encoding";

    relay_do(settings->relay, &item);
    jpeg_report_details(name, &item.report, settings->verbose);
    if (picture->pending != NULL && !item.report.status)
        jpeg_report_warnings(name, &item.report);
    bool good = item.report.status ? coded_report_problem(&item.report, item.report.status, problem)
                                   : output_write(output, item.output.data, item.output.length, problem);
    if (item.context != NULL)
        kst_buffer_release(item.context, &item.output);
    return good;
}
