/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes pictures, and chooses how far a decoder reduces them first. */
#include "files/resize.h"

#include <kostka/kostka_device.h>
#include <stdlib.h>

enum { DRAFT_FACTOR = 2, JPEG_REDUCE_MAX = 3 };

bool resize_wanted(const struct file_settings *settings)
{
    return settings->resize != NULL && (settings->resize->options.width > 0 || settings->resize->options.height > 0);
}

static bool explain(kst_status status, struct problem *problem)
{
    switch (status) {
    case KST_ERROR_IMAGE_SIZE:
        return problem_set(problem, "--resize takes up to four planes of one size; --format planar makes such planes");
    case KST_ERROR_IMAGE_DEPTH:
        return problem_set(problem, "--resize takes samples of up to 16 bits, without a sign");
    case KST_ERROR_LIMIT_PIXELS:
        return problem_set(problem, "--resize: %s; raise the limit with --max-pixels", kst_status_text(status));
    case KST_ERROR_LIMIT_MEMORY:
        return problem_set(problem, "--resize: %s; raise the limit with --max-memory", kst_status_text(status));
    default:
        return problem_set(problem, "--resize: %s", kst_status_text(status));
    }
}

/*
 * If a draft of a picture of the size `of` was decoded, set the options to the size that the whole picture would get.
 */
static kst_status settle(const kst_image *image, const struct extent *of, kst_resize_options *options)
{
    kst_image whole = *image, wanted;

    if (of->width == 0)
        return KST_OK;
    whole.width = of->width;
    whole.height = of->height;
    for (uint32_t i = 0; i < whole.plane_count && i < 4; i++) {
        whole.plane[i].width = whole.width;
        whole.plane[i].height = whole.height;
    }
    kst_status status = kst_resize_describe(&whole, options, &wanted);
    options->width = wanted.width;
    options->height = wanted.height;
    if (options->fit == KST_RESIZE_INSIDE)
        options->fit = KST_RESIZE_EXACT;
    return status;
}

void resize_place(kst_decoder *decoder, const struct file_settings *settings, const kst_decode_options *options,
    struct picture *picture)
{
    kst_image image;

    kst_image_init(&image);
    /* The host may have to invert inks after decoding; and a device has four planes at most. */
    if ((resize_wanted(settings) || settings->filters != NULL || settings->counts) &&
        !kst_decoder_describe(decoder, options, &image) && image.format != KST_FORMAT_CMYK && image.plane_count <= 4)
        picture->image.memory = kst_context_memory(settings->context);
}

static const char *place_of(const kst_report *report)
{
    switch (report->stage_device[KST_STAGE_RESIZE]) {
    case KST_DEVICE_CUDA:
        return " by CUDA";
    case KST_DEVICE_OPENCL:
        return " by OpenCL";
    default:
        return "";
    }
}

static void report_size(const char *name, const struct file_settings *settings, const kst_image *from,
    const kst_image *to, const char *place)
{
    if (settings->verbose)
        complain(name, "resized from %ux%u to %ux%u%s", (unsigned)from->width, (unsigned)from->height,
            (unsigned)to->width, (unsigned)to->height, place);
}

bool resize_expect(const struct picture *picture, const kst_image *image, const char *name,
    const struct file_settings *settings, kst_resize_options *options, kst_image *to, struct problem *problem)
{
    *options = settings->resize->options;
    kst_image_init(to);
    kst_status status = settle(image, &picture->draft_of, options);
    if (!status)
        status = kst_resize_describe(image, options, to);
    if (status)
        return explain(status, problem);
    report_size(name, settings, image, to, "");
    return true;
}

bool picture_resize(
    struct picture *picture, const char *name, const struct file_settings *settings, struct problem *problem)
{
    kst_image to;

    if (!resize_wanted(settings) || picture->sized)
        return true;
    kst_resize_options options = settings->resize->options;
    kst_image_init(&to);
    if (settings->filters != NULL || settings->counts) /* where the decoder has left its pixels */
        to.memory = picture->image.memory;
    kst_resize_item item = {.from = &picture->image, .options = &options, .to = &to};
    kst_status status = settle(&picture->image, &picture->draft_of, &options);
    if (!status)
        status = kst_resize_batch(settings->context, &item, 1);
    if (status)
        return explain(status, problem);
    report_size(name, settings, &picture->image, &to, place_of(&item.report));
    picture_release_pixels(picture);
    picture->image = to;
    picture->context = settings->context;
    return true;
}

/* Return whether decoding with these options gives a picture that is large enough. */
static bool suffices(kst_decoder *decoder, const kst_decode_options *options, const kst_image *wanted)
{
    kst_image image;

    kst_image_init(&image);
    return !kst_decoder_describe(decoder, options, &image) && image.width / DRAFT_FACTOR >= wanted->width &&
           image.height / DRAFT_FACTOR >= wanted->height;
}

void draft_choose(
    kst_decoder *decoder, const struct file_settings *settings, kst_decode_options *options, struct picture *picture)
{
    const kst_info *info = kst_decoder_info(decoder);
    uint32_t most = info->codec == KST_CODEC_JPEG ? JPEG_REDUCE_MAX : info->levels;
    kst_image whole, wanted;

    kst_image_init(&whole);
    if (!resize_wanted(settings) || !settings->resize->draft || kst_decoder_describe(decoder, options, &whole) ||
        kst_resize_describe(&whole, &settings->resize->options, &wanted))
        return;
    picture->draft_of = (struct extent){whole.width, whole.height};
    kst_decode_options tried = *options;
    for (tried.reduce = 1; tried.reduce <= most && suffices(decoder, &tried, &wanted); tried.reduce++)
        options->reduce = tried.reduce;
}
