/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG files, through the library. */
#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka_writer.h>

#include "files/files.h"
#include "progress.h"

bool jpeg_report_problem(const kst_report *report, kst_status status, struct problem *problem)
{
    const char *text = report != NULL && report->message[0] != '\0' ? report->message : kst_status_text(status);

    switch (status) {
    case KST_ERROR_LIMIT_PIXELS:
        return problem_set(problem, "%s; raise the limit with --max-pixels", text);
    case KST_ERROR_LIMIT_MEMORY:
        return problem_set(problem, "%s; raise the limit with --max-memory", text);
    case KST_ERROR_LIMIT_PRECINCTS:
    case KST_ERROR_LIMIT_BLOCKS:
    case KST_ERROR_LIMIT_WORK:
        return problem_set(problem, "%s; raise the limit with --max-work", text);
    case KST_ERROR_JPEG_COLOUR:
    case KST_ERROR_J2K_COLOUR:
        return problem_set(problem, "%s; leave --format out for the colours that the file has", text);
    default:
        return problem_set(problem, "%s", text);
    }
}

void jpeg_report_warnings(const char *name, const kst_report *report)
{
    if (report->warnings == 1)
        complain(name, "warning: %s", report->message);
    else if (report->warnings > 1)
        complain(name, "warning: %s, and %llu more like it", report->message, (unsigned long long)report->warnings - 1);
}

void jpeg_report_details(const char *name, const kst_report *report)
{
    static const char *const stages[KST_STAGE_COUNT] = {"parse", "entropy", "pixels", "write", "upload", "download"};
    static const char *const kinds[] = {"", "cpu", "cuda", "opencl"};
    char line[256] = "";
    size_t used = 0;

    for (int i = 0; i < KST_STAGE_COUNT && used < sizeof line; i++) {
        if (report->stage_device[i] == KST_DEVICE_NONE)
            continue;
        int length = snprintf(line + used, sizeof line - used, ", %s %.2f ms on %s", stages[i],
            1e3 * report->stage_seconds[i], kinds[report->stage_device[i]]);
        used += length > 0 ? (size_t)length : 0;
    }
    complain(name, "device %s, threads %u%s", report->device, (unsigned)report->threads, line);
}

/* The pixel format to ask for, so that the picture suits the file it goes to. */
static kst_format choose_format(const kst_info *info, const struct file_settings *settings)
{
    bool inks = info->colour == KST_COLOUR_CMYK || info->colour == KST_COLOUR_YCCK;

    if (settings->decode.format != KST_FORMAT_AUTO || settings->decode.components != NULL || settings->target == NULL ||
        inks)
        return settings->decode.format;
    return settings->target->wanted;
}

bool jpeg_keep_metadata(
    const kst_decoder *decoder, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    const kst_info *info = kst_decoder_info(decoder);
    const kst_metadata *metadata;
    bool good = true;

    picture->density_unit = info->density_unit;
    picture->density_x = info->density_x;
    picture->density_y = info->density_y;
    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL && good; i++) {
        if (metadata->kind == KST_METADATA_ICC && picture->icc.data == NULL)
            good = blob_set(&picture->icc, metadata->data, metadata->length);
        /* A picture that has been turned upright must not say that it wants turning. */
        if (metadata->kind == KST_METADATA_EXIF && picture->exif.data == NULL && !settings->decode.orient)
            good = blob_set(&picture->exif, metadata->data, metadata->length);
    }
    return good || problem_set(problem, "out of memory");
}

static bool decode_open(kst_decoder *decoder, const struct source *source, const struct file_settings *settings,
    struct picture *picture, struct problem *problem)
{
    struct progress_picture told = {0};
    const kst_progress progress = {.size = sizeof progress, .told = progress_picture, .user = &told};
    kst_decode_options options = settings->decode;
    kst_status status = kst_decoder_open(decoder, source->data, source->length);

    if (status == KST_OK) {
        const kst_info *info = kst_decoder_info(decoder);
        if (info->codec == KST_CODEC_JPEG && options.reduce > 3)
            return problem_set(problem, "JPEG is reduced to 1/8 at most, with --reduce 3");
        if (info->codec == KST_CODEC_JPEG && options.components != NULL)
            return problem_set(problem, "--components is for JPEG 2000");
        if (options.components != NULL && options.components[options.component_count - 1] >= info->component_count)
            return problem_set(problem, "there is no component %u; it has %u, counted from 0",
                (unsigned)options.components[options.component_count - 1], (unsigned)info->component_count);
        if (info->codec == KST_CODEC_JPEG && options.tile != KST_ALL_TILES)
            return problem_set(problem, "--tile is for JPEG 2000");
        if (options.tile != KST_ALL_TILES && options.tile >= info->tiles)
            return problem_set(problem, "there is no tile %u; it has %u, counted from 0", (unsigned)options.tile,
                (unsigned)info->tiles);
        options.format = choose_format(info, settings);
        if (!jpeg_keep_metadata(decoder, settings, picture, problem))
            return false;
        picture->context = settings->context;
        options.progress = &progress;
        status = kst_decoder_decode(decoder, &options, &picture->image);
    }
    const kst_report *report = kst_decoder_report(decoder);
    if (status != KST_OK)
        return jpeg_report_problem(report, status, problem);
    jpeg_report_warnings(source->name, report);
    if (settings->verbose)
        jpeg_report_details(source->name, report);
    if (picture->image.format == KST_FORMAT_CMYK && !kst_decoder_info(decoder)->adobe)
        picture_invert(picture);
    return true;
}

static bool jpeg_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    kst_decoder *decoder;
    kst_status status = kst_decoder_create(settings->context, &decoder);

    if (status != KST_OK)
        return problem_set(problem, "%s", kst_status_text(status));
    bool good = decode_open(decoder, source, settings, picture, problem);
    kst_decoder_destroy(&decoder);
    return good;
}

/* The picture's own profile and Exif, but for those that the options bring along, then the options'. */
static kst_metadata *join_metadata(const struct picture *picture, const kst_encode_options *options, size_t *count)
{
    kst_metadata *joined = calloc(options->metadata_count + 2, sizeof *joined);
    bool icc = picture->icc.data != NULL, exif = picture->exif.data != NULL;

    *count = 0;
    if (joined == NULL)
        return NULL;
    for (size_t i = 0; i < options->metadata_count; i++) {
        icc = icc && options->metadata[i].kind != KST_METADATA_ICC;
        exif = exif && options->metadata[i].kind != KST_METADATA_EXIF;
    }
    if (exif)
        joined[(*count)++] = (kst_metadata){
            .kind = KST_METADATA_EXIF, .marker = 0xE1, .data = picture->exif.data, .length = picture->exif.length};
    if (icc)
        joined[(*count)++] = (kst_metadata){
            .kind = KST_METADATA_ICC, .marker = 0xE2, .data = picture->icc.data, .length = picture->icc.length};
    for (size_t i = 0; i < options->metadata_count; i++)
        joined[(*count)++] = options->metadata[i];
    return joined;
}

static bool encode_to(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    kst_status status = j2k_encode_to(output, settings->context, &picture->image, NULL, options, &report, problem);
    if (settings->verbose)
        jpeg_report_details("encoding", &report);
    return status == KST_OK || (status != KST_ERROR_WRITE && jpeg_report_problem(&report, status, problem));
}

static bool encode(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem)
{
    kst_context *context = settings->context;
    kst_buffer buffer = {0};
    kst_report report;

    kst_report_init(&report);
    kst_status status = kst_encode(context, &picture->image, options, &buffer, &report);
    if (settings->verbose)
        jpeg_report_details("encoding", &report);
    bool good = status == KST_OK ? output_write(output, buffer.data, buffer.length, problem)
                                 : jpeg_report_problem(&report, status, problem);
    kst_buffer_release(context, &buffer);
    return good;
}

bool jpeg_encode(struct output *output, const struct picture *picture, const kst_encode_options *given,
    const struct file_settings *settings, struct problem *problem)
{
    kst_encode_options options = *given;
    size_t count;
    kst_metadata *metadata = join_metadata(picture, &options, &count);

    if (metadata == NULL)
        return problem_set(problem, "out of memory");
    if (picture->density_x != 0 && picture->density_y != 0) {
        options.density_unit = picture->density_unit;
        options.density_x = picture->density_x;
        options.density_y = picture->density_y;
    }
    options.metadata = metadata;
    options.metadata_count = count;
    bool good =
        (options.codec == KST_CODEC_JPEG2000 ? encode_to : encode)(output, picture, &options, settings, problem);
    free(metadata);
    return good;
}

static bool jpeg_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    kst_encode_options options;

    if (settings->encode != NULL)
        options = *settings->encode;
    else
        kst_encode_options_init(&options);
    if (!picture_to_depth(picture, 8, problem))
        return false;
    return jpeg_encode(output, picture, &options, settings, problem);
}

/* Start of image and the start of any marker. */
static bool jpeg_detect(const uint8_t *data, size_t length)
{
    return length >= 3 && data[0] == 0xFF && data[1] == 0xD8 && data[2] == 0xFF;
}

const struct file_format file_jpeg = {
    "jpeg", {"jpg", "jpeg", "jpe", "jfif"}, KST_FORMAT_AUTO, jpeg_detect, jpeg_read, jpeg_write};
