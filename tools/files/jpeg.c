/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes JPEG files through the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "files/relayed.h"
#include "files/resize.h"
#include "progress/outcome.h"
#include "progress/progress.h"

bool jpeg_report_problem(const kst_report *report, kst_status status, struct problem *problem)
{
    const char *text = report != NULL && report->message[0] != '\0' ? report->message : kst_status_text(status);

    switch (status) {
    case KST_ERROR_LIMIT_PIXELS:
        return problem_set_kind(problem, PROBLEM_LIMIT, "%s; raise the limit with --max-pixels", text);
    case KST_ERROR_LIMIT_MEMORY:
        return problem_set_kind(problem, PROBLEM_LIMIT, "%s; raise the limit with --max-memory", text);
    case KST_ERROR_LIMIT_PRECINCTS:
    case KST_ERROR_LIMIT_BLOCKS:
    case KST_ERROR_LIMIT_WORK:
        return problem_set_kind(problem, PROBLEM_LIMIT, "%s; raise the limit with --max-work", text);
    case KST_ERROR_REGION:
        return problem_set(problem, "%s%s", strstr(text, ": of interest") != NULL ? "--interest: " : "", text);
    case KST_ERROR_OPTIONS:
        return explain_options(text, problem);
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

void jpeg_report_details(const char *name, const kst_report *report, bool verbose)
{
    static const char *const stages[KST_STAGE_COUNT] = {
        "parse", "entropy", "pixels", "write", "upload", "download", "resize"};
    static const char *const kinds[] = {"", "cpu", "cuda", "opencl"};
    char line[256] = "";
    size_t used = 0;

    outcome_note_device(report->device);
    for (int i = 0; i < KST_STAGE_COUNT && verbose && used < sizeof line; i++) {
        if (report->stage_device[i] == KST_DEVICE_NONE)
            continue;
        int length = snprintf(line + used, sizeof line - used, ", %s %.2f ms on %s", stages[i],
            1e3 * report->stage_seconds[i], kinds[report->stage_device[i]]);
        used += length > 0 ? (size_t)length : 0;
    }
    if (verbose)
        complain(name, "device %s, threads %u%s", report->device, (unsigned)report->threads, line);
}

/* Return the pixel format to decode to, chosen so that the target can hold the picture. */
static kst_format choose_format(const kst_info *info, const struct file_settings *settings)
{
    bool inks = info->colour == KST_COLOUR_CMYK || info->colour == KST_COLOUR_YCCK;

    /* Signed samples have no colour space; the writers report formats that cannot hold them. */
    if (settings->decode.format != KST_FORMAT_AUTO || settings->decode.components != NULL || settings->target == NULL ||
        inks || info->component[0].is_signed)
        return settings->decode.format;
    if (settings->filters != NULL && settings->target == &file_pgx) /* PGX holds planes, which filters do not accept */
        return KST_FORMAT_AUTO;
    return settings->target->wanted;
}

/* Refuse options that the stream's codec does not have, or that ask for what the stream does not contain. */
static bool check_options(const kst_info *info, const kst_decode_options *options, struct problem *problem)
{
    bool jpeg = info->codec == KST_CODEC_JPEG;

    if (info->process == KST_PROCESS_LOSSLESS &&
        (options->reduce != 0 || (options->eighths != 0 && options->eighths != 8)))
        return problem_set(problem, "lossless JPEG is decoded in its own size only; --resize makes another");
    if (info->process == KST_PROCESS_LOSSLESS &&
        (options->dct != KST_DCT_ACCURATE || options->upsampling != KST_UPSAMPLING_FANCY))
        return problem_set(problem, "lossless JPEG has no transform and no upsampling");
    if (jpeg && info->component[0].depth > 8 && options->dct != KST_DCT_ACCURATE)
        return problem_set(
            problem, "--inverse-dct fast is for samples of 8 bits; there are %u", (unsigned)info->component[0].depth);
    if (jpeg && options->reduce > 3)
        return problem_set(problem, "JPEG is reduced to 1/8 at most, with --reduce 3");
    if (!jpeg && options->eighths != 0)
        return problem_set(problem, "a --scale other than 1/1, 1/2, 1/4 and 1/8 is for JPEG");
    if (!jpeg && (options->dct != KST_DCT_ACCURATE || options->upsampling != KST_UPSAMPLING_FANCY))
        return problem_set(problem, "--inverse-dct and --upsampling are for JPEG");
    if (jpeg && options->components != NULL)
        return problem_set(problem, "--components is for JPEG 2000");
    if (options->components != NULL && options->components[options->component_count - 1] >= info->component_count)
        return problem_set(problem, "there is no component %u; it has %u, counted from 0",
            (unsigned)options->components[options->component_count - 1], (unsigned)info->component_count);
    if (jpeg && options->tile != KST_ALL_TILES)
        return problem_set(problem, "--tile is for JPEG 2000");
    if (options->tile != KST_ALL_TILES && options->tile >= info->tiles)
        return problem_set(
            problem, "there is no tile %u; it has %u, counted from 0", (unsigned)options->tile, (unsigned)info->tiles);
    return true;
}

/* Decode with the settings' context instead of a relay. */
static bool decode_here(kst_decoder *decoder, const struct file_settings *settings, kst_decode_options *options,
    struct picture *picture, kst_report *report, struct problem *problem)
{
    struct progress_part reading = progress_reading(0, 1);
    const kst_progress progress = {.size = sizeof progress, .told = progress_part_done, .user = &reading};

    options->progress = &progress;
    picture->context = settings->context;
    resize_place(decoder, settings, options, picture);
    kst_status status = kst_decoder_decode(decoder, options, &picture->image);
    *report = *kst_decoder_report(decoder);
    if (status)
        return jpeg_report_problem(report, status, problem);
    outcome_note_pixels((uint64_t)picture->image.width * picture->image.height);
    return jpeg_keep_metadata(decoder, settings, picture, problem);
}

/* Warn of colours that are passed on as they were coded, although the file says what they are. */
static void tell_colours(const char *name, const kst_info *info)
{
    const kst_code_points *points = &info->code_points;

    if (points->present && info->colour == KST_COLOUR_UNKNOWN)
        complain(name, "warning: colours of code points %u/%u/%u, %s range, are not converted",
            (unsigned)points->primaries, (unsigned)points->transfer, (unsigned)points->matrix,
            points->full_range ? "full" : "limited");
}

static bool decode_open(kst_decoder *decoder, const struct source *source, const struct file_settings *settings,
    struct picture *picture, struct problem *problem)
{
    kst_decode_options options = settings->decode;
    kst_report report;
    kst_status status = kst_decoder_open(decoder, source->data, source->length);

    if (status)
        return jpeg_report_problem(kst_decoder_report(decoder), status, problem);
    const kst_info *info = kst_decoder_info(decoder);
    if (!check_options(info, &options, problem))
        return false;
    options.format = choose_format(info, settings);
    if (options.format == KST_FORMAT_RAW && options.upsampling != KST_UPSAMPLING_FANCY)
        return problem_set(problem, "--upsampling has nothing to enlarge where components are written as coded");
    draft_choose(decoder, settings, &options, picture);
    bool relayed = settings->relay != NULL && !kst_decoder_describe(decoder, &options, &picture->image);
    bool good = relayed ? relayed_decode(decoder, source, settings, &options, picture, &report, problem)
                        : decode_here(decoder, settings, &options, picture, &report, problem);
    if (!good)
        return false;
    jpeg_report_warnings(source->name, &report);
    tell_colours(source->name, info);
    if (picture->pending == NULL)
        jpeg_report_details(source->name, &report, settings->verbose);
    if (settings->encode != NULL)
        jpeg_tell_others(decoder, source->name);
    if (picture->image.format == KST_FORMAT_CMYK && !info->adobe)
        picture_invert(picture);
    return true;
}

static bool jpeg_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    kst_decoder *decoder;
    kst_status status = kst_decoder_create(settings->context, &decoder);

    if (status)
        return problem_set(problem, "%s", kst_status_text(status));
    bool good = decode_open(decoder, source, settings, picture, problem);
    kst_decoder_destroy(&decoder);
    return good;
}

static bool encode_to(struct output *output, const struct picture *picture, const kst_rows *rows,
    const kst_encode_options *options, const struct file_settings *settings, struct problem *problem)
{
    kst_report report;

    if (settings->relay != NULL && rows == NULL)
        return relayed_encode(output, picture, options, settings, problem);
    kst_report_init(&report);
    kst_status status = coded_encode_to(output, settings->context, &picture->image, rows, options, &report, problem);
    jpeg_report_details("encoding", &report, settings->verbose);
    return !status || (status != KST_ERROR_WRITE && coded_report_problem(&report, status, problem));
}

void jpeg_choose_inks(const kst_image *image, const struct file_settings *settings, kst_encode_options *options)
{
    if (settings->subsampled && options->codec == KST_CODEC_JPEG && options->colour == KST_COLOUR_UNKNOWN &&
        image->format == KST_FORMAT_CMYK)
        options->colour = KST_COLOUR_YCCK;
}

bool jpeg_encode(struct output *output, const struct picture *picture, const kst_rows *rows,
    const kst_encode_options *given, const struct file_settings *settings, struct problem *problem)
{
    kst_encode_options options = *given;
    size_t count;
    kst_metadata *metadata = metadata_join(picture, &options, output->path, &count);

    jpeg_choose_inks(&picture->image, settings, &options);
    if (metadata == NULL)
        return problem_set(problem, "out of memory");
    if (picture->density_x != 0 && picture->density_y != 0) {
        options.density_unit = picture->density_unit;
        options.density_x = picture->density_x;
        options.density_y = picture->density_y;
    }
    options.metadata = metadata;
    options.metadata_count = count;
    bool good = encode_to(output, picture, rows, &options, settings, problem);
    free(metadata);
    return good;
}

/* Return the colour space to encode with: the wanted one, or else that of the source as far as it suits the pixels. */
static kst_colour choose_colour(const struct picture *picture, const struct file_settings *settings, kst_colour wanted)
{
    const struct coded *coded = &picture->coded;

    if (wanted != KST_COLOUR_UNKNOWN)
        return wanted;
    if (picture->image.format == KST_FORMAT_GREY)
        return KST_COLOUR_GREY;
    if (coded->colour == KST_COLOUR_CMYK && settings->subsampled)
        return KST_COLOUR_YCCK;
    return coded->colour == KST_COLOUR_RGB && !settings->keep_sampling ? KST_COLOUR_YCBCR : coded->colour;
}

/* Keep the quantisation tables of the source; components with equal tables share one. */
static void keep_tables(const struct coded *coded, uint32_t count, kst_encode_options *options)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t same = 0;
        while (memcmp(coded->quant_table[same], coded->quant_table[i], sizeof coded->quant_table[i]) != 0)
            same++;
        options->quant_index[i] = same;
        options->quant_table[same] = coded->quant_table[same];
        for (size_t k = 0; k < 64; k++)
            options->wide_quantisers |= coded->quant_table[i][k] > 255;
    }
}

/* Keep the tables and the sampling of the source: encoding a picture again with these loses least. */
static void keep_coding(
    const struct picture *picture, const struct file_settings *settings, kst_encode_options *options)
{
    const struct coded *coded = &picture->coded;
    kst_colour colour = choose_colour(picture, settings, options->colour);
    bool grey = colour == KST_COLOUR_GREY && coded->colour == KST_COLOUR_YCBCR;
    uint32_t blocks = 0, channels = kst_format_channels(picture->image.format);

    if (!coded->known || picture->image.width != coded->width || picture->image.height != coded->height ||
        (colour != coded->colour && !grey) || (!grey && colour != KST_COLOUR_GREY && channels != coded->count))
        return;
    if (settings->keep_tables)
        keep_tables(coded, grey ? 1 : coded->count, options);
    for (uint32_t i = 0; i < coded->count; i++)
        blocks += (uint32_t)coded->h[i] * coded->v[i];
    if ((settings->keep_tables || settings->keep_sampling) && options->colour == KST_COLOUR_UNKNOWN)
        options->colour = colour;
    if (!settings->keep_sampling || grey || coded->count == 1 || blocks > 10) /* B.2.3: at most 10 blocks in an MCU */
        return;
    memcpy(options->h, coded->h, sizeof options->h);
    memcpy(options->v, coded->v, sizeof options->v);
}

static bool jpeg_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    kst_encode_options options;

    if (settings->encode != NULL)
        options = *settings->encode;
    else
        kst_encode_options_init(&options);
    keep_coding(picture, settings, &options);
    if (!picture_to_depth(picture, settings->deep ? 12 : 8, problem))
        return false;
    return jpeg_encode(output, picture, NULL, &options, settings, problem);
}

/* Detect SOI, behind as many fill bytes as the library accepts. */
static bool jpeg_detect(const uint8_t *data, size_t length)
{
    enum { FILL_MAX = 16 };
    size_t at = 0;

    while (at < FILL_MAX && at + 1 < length && data[at] == 0xFF && data[at + 1] == 0xFF)
        at++;
    return at + 1 < length && data[at] == 0xFF && data[at + 1] == 0xD8;
}

const struct file_format file_jpeg = {
    "jpeg", {"jpg", "jpeg", "jpe", "jfif"}, KST_FORMAT_AUTO, jpeg_detect, jpeg_read, jpeg_write, NULL, NULL};
