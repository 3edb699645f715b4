/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a sequence, and learns from its container and its first frame what the frames are. */
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "video/jpeg_frame.h"
#include "video/numbered.h"
#include "video/setup.h"

enum {
    RATE_USUAL = 25,
    LEADING_MOST = 100, /* the most frames in front of the first good one */
    UNSPECIFIED = 2     /* number for unknown primaries and an unknown transfer in Rec. ITU-T H.273 */
};

/*
 * The relative difference up to which two rates count as the same: frames and sound then drift apart by 36 ms in an
 * hour.
 */
static const double same_rate = 1e-5;

/* Find the container of the input. */
static const struct video_format *find_format(
    const struct video_settings *settings, const char *path, struct video_reader *reader, struct problem *problem)
{
    size_t length;
    const uint8_t *head = input_peek(&reader->input, 16, &length);
    const struct video_format *format =
        settings->in_format != NULL ? settings->in_format : video_format_of(head, length);

    if (format == NULL && settings->in_format == NULL)
        format = video_format_by_path(path);
    if (format == NULL && input_good(&reader->input, problem))
        problem_set(problem, "%s: no sequence that is read here: Y4M, AVI, MKV, MOV, MP4, MXF, MJPEG, multipart",
            length == 0                                ? "an empty file"
            : kst_signature_text(head, length) != NULL ? kst_signature_text(head, length)
                                                       : "an unknown format");
    return format;
}

/*
 * Return whether a stream holds RGB. A bare JPEG 2000 codestream does not say so: three components of one size are
 * taken for RGB if the container says so, or if a component transform is used, which would be of no use for Y, Cb and
 * Cr.
 */
static bool is_rgb(kst_decoder *decoder, const kst_info *info, uint8_t matrix)
{
    kst_element element = {.size = sizeof element};

    if (info->component_count != 3 || info->colour != KST_COLOUR_RGB)
        return false;
    if (info->codec == KST_CODEC_JPEG || info->jp2 || matrix == MATRIX_RGB)
        return true;
    while (kst_decoder_next_element(decoder, &element))
        if (strcmp(element.name, "COD") == 0)
            return strstr(element.text, "component transform") != NULL;
    return false;
}

/* Learn the shape of the frames from the headers of a coded frame. */
static bool learn_shape(
    kst_context *context, const struct video_frame *frame, struct video_info *info, struct problem *problem)
{
    kst_decode_options options;
    kst_decoder *decoder;
    kst_image image;

    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    kst_image_init(&image);
    kst_status status = kst_decoder_create(context, &decoder);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    status = kst_decoder_open(decoder, frame->bytes, frame->length);
    if (!status)
        status = kst_decoder_describe(decoder, &options, &image);
    bool good = !status || jpeg_report_problem(kst_decoder_report(decoder), status, problem);
    const kst_info *found = kst_decoder_info(decoder);
    if (good && is_rgb(decoder, found, info->matrix))
        info->shape = (struct video_shape){found->width, found->height, 3, found->component[0].depth, 1, 1, true};
    else
        good = good && shape_of_image(&image, &info->shape, problem);
    if (good && found->density_unit == KST_DENSITY_RATIO && found->density_x > 0 && found->density_y > 0 &&
        info->aspect.over == 0)
        info->aspect = ratio_reduce((struct video_ratio){found->density_y, found->density_x});
    kst_decoder_destroy(&decoder);
    return good;
}

/* Learn the remaining properties from the first frame of a JPEG sequence. */
static bool learn_tags(const struct video_frame *frame, struct video_info *info, struct problem *problem)
{
    struct jpeg_frame found = jpeg_frame_examine(frame->bytes, frame->length);

    if (info->payload != PAYLOAD_JPEG)
        return true;
    if (found.fields && info->shape.height % info->shape.v != 0)
        return problem_set(problem, "byte %llu: two fields (AVI1) of %u rows, which do not share rows of chroma",
            (unsigned long long)frame->offset, (unsigned)info->shape.height);
    if (found.fields) {
        info->fields = true;
        info->interlace = found.top ? 't' : 'b';
        info->shape.height *= 2;
    }
    info->range = found.limited ? RANGE_LIMITED : RANGE_FULL;
    if (info->matrix == MATRIX_UNKNOWN && info->shape.planes == 3 && !info->shape.rgb) /* T.871 */
        info->matrix = MATRIX_BT601;
    if (info->shape.h == 2 && info->shape.v == 2)
        strcpy(info->siting, "jpeg");
    return true;
}

/* Count a frame in front of the first one that can be examined. An empty frame is not damaged. */
static void note_bad_first(struct video_reader *reader, struct video_pass *pass, const struct problem *problem)
{
    if (pass->first.length > 0 && pass->damaged++ == 0)
        problem_set(&pass->first_damage, "frame %llu, byte %llu: %.1000s", (unsigned long long)reader->count,
            (unsigned long long)pass->first.offset, problem->text);
    reader->count++;
    pass->leading++;
}

/* Read the next frame, and keep the packets in front of it. */
static enum video_step read_leading(struct video_reader *reader, struct video_pass *pass, struct problem *problem)
{
    enum video_step step;

    while ((step = reader->format->next(reader, &pass->first, problem)) == STEP_PACKET) {
        packets_append(&pass->packets, reader->packet);
        if (pass->packets.bytes <= reader->frame_limit)
            continue;
        problem_set_kind(problem, PROBLEM_LIMIT,
            "more than %llu bytes of sound stand in front of the first frame; raise the limit with --max-memory",
            (unsigned long long)reader->frame_limit);
        return STEP_FAILED;
    }
    return step;
}

/* Read the first frame that can be examined. Frames in front of it count as damaged. */
static bool read_first(const struct video_settings *settings, struct video_reader *reader, struct video_pass *pass,
    struct problem *problem)
{
    kst_context *context;
    kst_context_options options;
    bool good = false;
    enum video_step step;

    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.limits.pixels = settings->common.max_pixels;
    kst_status status = kst_context_create(&options, &context);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    do {
        step = read_leading(reader, pass, problem);
        if (step == STEP_END)
            problem_set(problem, "no frames");
        good = step == STEP_FRAME && learn_shape(context, &pass->first, &reader->info, problem);
        if (step == STEP_FRAME && !good)
            note_bad_first(reader, pass, problem);
    } while (step == STEP_FRAME && !good && !settings->strict && pass->leading < LEADING_MOST);
    kst_context_destroy(&context);
    pass->has_first = good;
    return good && learn_tags(&pass->first, &reader->info, problem) &&
           shape_permitted(&reader->info.shape, &settings->wishes, problem);
}

/*
 * Set the rate of --fps. If the container's rate is the same within same_rate, such as 30000/1001 and 29.97, the
 * sequence does not count as retimed.
 */
static void set_rate(struct video_reader *reader, struct video_ratio wanted)
{
    const struct video_ratio said = reader->info.rate;
    const double share = (double)wanted.over * said.under / ((double)wanted.under * (said.over == 0 ? 1 : said.over));

    reader->retimed = said.over != 0 && (share < 1 - same_rate || share > 1 + same_rate);
    reader->info.rate = wanted;
}

bool video_open_input(const struct video_settings *settings, const char *path, struct video_reader *reader,
    struct video_pass *pass, struct problem *problem)
{
    struct video_info *info = &reader->info;

    *reader = (struct video_reader){
        .info = {.interlace = 'p', .primaries = UNSPECIFIED, .transfer = UNSPECIFIED, .matrix = MATRIX_UNKNOWN},
        .input.descriptor = -1,
        .frame_limit = settings->wishes.max_memory / 4,
        .losses = &pass->losses};
    reader->path = path;
    if (settings->in_format == NULL && numbered_is(path) && access(path, F_OK) != 0)
        reader->format = &video_numbered;
    else if (input_open(&reader->input, path, problem)) {
        if (settings->common.threads == 1)
            reader->input.helpers = 0;
        reader->format = find_format(settings, path, reader, problem);
    }
    if (reader->format == NULL)
        return false;
    if (reader->format->open == NULL)
        return problem_set(problem, "%s is written, and not read", reader->format->name);
    if (!reader->format->open(reader, &settings->wishes, problem))
        return false;
    if (settings->wishes.rate.over != 0)
        set_rate(reader, settings->wishes.rate);
    bool good = info->payload == PAYLOAD_PIXELS || read_first(settings, reader, pass, problem);
    if (settings->wishes.matrix != 0)
        info->matrix = settings->wishes.matrix;
    if (info->rate.over == 0)
        info->rate = (struct video_ratio){RATE_USUAL, 1};
    return good;
}

void video_close_input(struct video_reader *reader)
{
    if (reader->format != NULL && reader->format->close != NULL)
        reader->format->close(reader);
    input_close(&reader->input);
}
