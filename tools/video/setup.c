/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses what is done with the frames of a sequence. */
#include "video/setup.h"

#include <string.h>

#include "files/files.h"
#include "video/change.h"
#include "video/numbered.h"
#include "video/pattern.h"

enum { QUALITY_MOST = 95 /* at higher qualities a JPEG grows without looking better */ };

/* Return whether an option affects the coding in a way that rewriting without loss cannot provide. */
static bool recodes(const struct options_given *given)
{
    static const int others[] = {OPTION_HELP, OPTION_INPUT, OPTION_OUTPUT, OPTION_VERBOSE, OPTION_THREADS,
        OPTION_DEVICE, OPTION_MAX_PIXELS, OPTION_MAX_MEMORY, OPTION_MAX_WORK, OPTION_STRICT, OPTION_FIRST_NUMBER,
        OPTION_FIRST_OUT, OPTION_MATRIX, OPTION_FPS, OPTION_SIZE, OPTION_FORMAT, OPTION_LATENCY, OPTION_IN_PLACE,
        OPTION_CODEC, OPTION_IN_FORMAT, OPTION_OUT_FORMAT, OPTION_OPTIMIZE, OPTION_PROGRESSIVE, OPTION_SCANS,
        OPTION_RESTART, OPTION_BASELINE, OPTION_HT};
    size_t known = 0;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        known += options_have(given, others[i]);
    return known < given->count;
}

static bool has_any(const struct options_given *given, const int *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (options_have(given, codes[i]))
            return true;
    return false;
}

/* Choose between copying, lossless rewriting and encoding again if input and output have the same codec. */
static void choose_rewriting(struct video_settings *settings, struct video_pass *pass)
{
    static const int rewriting[] = {OPTION_OPTIMIZE, OPTION_PROGRESSIVE, OPTION_SCANS, OPTION_RESTART, OPTION_BASELINE};
    kst_transcode_options *options = &settings->transcode;

    pass->work = KST_FLOW_CONVERT;
    if (recodes(&settings->given))
        return;
    pass->work = KST_FLOW_TRANSCODE;
    pass->transcode = options;
    options->strict = settings->strict;
    options->coding = settings->encode.options.coding;
    options->restart = settings->encode.options.restart;
    options->script = settings->encode.options.script;
    options->script_length = settings->encode.options.script_length;
    if (settings->ht || settings->codec == KST_CODEC_JPEG2000)
        options->jpeg2000.ht = settings->ht ? KST_CHOICE_YES : KST_CHOICE_NO;
    bool jpeg = pass->reader->info.payload == PAYLOAD_JPEG;
    pass->copy = jpeg ? !has_any(&settings->given, rewriting, sizeof rewriting / sizeof *rewriting)
                      : settings->codec == KST_CODEC_NONE && !settings->ht;
}

/* Choose the payload of the output's frames. */
static bool choose_payload(const struct video_settings *settings, struct video_pass *pass)
{
    struct video_writer *writer = pass->writer;
    enum video_payload in = pass->reader->info.payload;
    unsigned payloads = writer->format->files ? numbered_payloads(writer->path) : writer->format->payloads;
    kst_codec codec = settings->codec;

    if (codec == KST_CODEC_NONE && settings->ht)
        codec = KST_CODEC_JPEG2000;
    if (codec == KST_CODEC_NONE)
        codec = settings->j2k.given                                    ? KST_CODEC_JPEG2000
                : in == PAYLOAD_JPEG2000 && (payloads & 1u << in) != 0 ? KST_CODEC_JPEG2000
                                                                       : KST_CODEC_JPEG;
    writer->info.payload = payloads == 1u << PAYLOAD_PIXELS ? PAYLOAD_PIXELS
                           : codec == KST_CODEC_JPEG2000    ? PAYLOAD_JPEG2000
                                                            : PAYLOAD_JPEG;
    if (writer->format->files && settings->codec == KST_CODEC_NONE && payloads != 0) /* the name decides */
        writer->info.payload = payloads == 1u << PAYLOAD_JPEG       ? PAYLOAD_JPEG
                               : payloads == 1u << PAYLOAD_JPEG2000 ? PAYLOAD_JPEG2000
                                                                    : PAYLOAD_PIXELS;
    if ((payloads & 1u << writer->info.payload) == 0) {
        complain_usage("video", "%s has no frames of %s", writer->format->name,
            writer->info.payload == PAYLOAD_JPEG ? "JPEG" : "JPEG 2000");
        return false;
    }
    if (writer->info.payload == PAYLOAD_PIXELS && settings->codec != KST_CODEC_NONE) {
        complain_usage("video", "--codec is for coded frames, and %s has none", writer->format->name);
        return false;
    }
    return true;
}

/* Choose the number of the first file that is written. Files that replace those that are read keep their numbers. */
static bool choose_first(const struct video_settings *settings, struct video_pass *pass)
{
    const struct video_reader *reader = pass->reader;
    struct video_writer *writer = pass->writer;
    bool itself = reader->format->files && writer->format->files && pattern_is_same(reader->path, writer->path);

    writer->first = itself ? reader->first : settings->first_out;
    return !itself || options_refuse("video", &settings->given, OPTION_FIRST_OUT,
                          "files that replace those that are read keep their numbers");
}

static bool check_options(struct video_settings *settings, const struct video_pass *pass)
{
    static const char why[] = "it is for frames without a header, and these have one";
    static const char single[] = "it is for files with numbers in their names, such as frame%05d.png";
    bool raw = pass->reader->format == &video_raw;

    if ((!pass->reader->format->files && !options_refuse("video", &settings->given, OPTION_FIRST_NUMBER, single)) ||
        (!pass->writer->format->files && !options_refuse("video", &settings->given, OPTION_FIRST_OUT, single)))
        return false;
    if (!raw && !(options_refuse("video", &settings->given, OPTION_SIZE, why) &&
                    options_refuse("video", &settings->given, OPTION_FORMAT, why)))
        return false;
    if (!options_refuse("video", &settings->given, OPTION_DRAFT, "frames are resized from all of their samples"))
        return false;
    enum video_payload payload = pass->writer->info.payload;
    unsigned target = payload == PAYLOAD_JPEG ? KIND_JPEG : payload == PAYLOAD_JPEG2000 ? KIND_J2C : KIND_RAW;

    return options_check("video", &settings->given, target, 0, NULL) &&
           encode_settings_finish("video", &settings->encode) && j2k_settings_finish("video", &settings->j2k);
}

/* Encode planes as they are: with their own sampling, and without converting colours. */
static bool fit_jpeg(struct video_settings *settings, const struct video_shape *shape, struct video_writer *writer)
{
    kst_encode_options *options = &settings->encode.options;
    char text[64];

    if (shape->rgb && (shape->depth == 8 || shape->depth == 12)) {
        if (!options_have(&settings->given, OPTION_RGB))
            writer->info.matrix = MATRIX_BT601;
        return true;
    }
    if (shape->depth > 8) {
        complain_usage("video", "frames of %s: JPEG has 8 bits, --codec jpeg2000 keeps all", shape_text(shape, text));
        return false;
    }
    if (!options_refuse("video", &settings->given, OPTION_SUBSAMPLING, "frames keep their sampling") ||
        !options_refuse("video", &settings->given, OPTION_RGB, "frames keep their colours") ||
        !options_refuse("video", &settings->given, OPTION_GREY, "frames keep their colours"))
        return false;
    memset(options->h, 1, 4);
    memset(options->v, 1, 4);
    options->h[0] = (uint8_t)shape->h;
    options->v[0] = (uint8_t)shape->v;
    return true;
}

static void fit_j2k(struct video_settings *settings, const struct video_writer *writer)
{
    const struct file_format *format = writer->format->files ? file_format_by_path(writer->path) : NULL;
    kst_encode_options *options = &settings->encode.options;
    kst_j2k_options *j2k = &settings->j2k.options;

    options->codec = KST_CODEC_JPEG2000;
    options->jpeg2000 = j2k;
    if (settings->encode.quality_given) {
        j2k->target = KST_J2K_QUALITY;
        j2k->value = options->quality;
    }
    if (options_have(&settings->given, OPTION_PROFILE) && j2k->frame_rate == 0)
        j2k->frame_rate = (double)writer->info.rate.over / writer->info.rate.under;
    j2k->codestream |= !writer->format->files || format == &file_j2c || format == &file_jhc;
    if (settings->ht || format == &file_jph || format == &file_jhc)
        j2k->style |= KST_J2K_HT;
}

/*
 * Store in each JPEG frame what the container has no place for: the aspect ratio of pixels, and a limited range of
 * samples.
 */
static void add_tags(struct video_settings *settings, const struct video_info *info)
{
    static const char limited[] = "CS=ITU601";
    kst_encode_options *options = &settings->encode.options;

    if (options->codec != KST_CODEC_JPEG)
        return;
    if (info->aspect.over > 0 && info->aspect.over <= UINT16_MAX && info->aspect.under <= UINT16_MAX) {
        options->density_unit = KST_DENSITY_RATIO;
        options->density_x = (uint16_t)info->aspect.under;
        options->density_y = (uint16_t)info->aspect.over;
    }
    if (info->range == RANGE_LIMITED)
        settings->encode.metadata[options->metadata_count++] = (kst_metadata){.kind = KST_METADATA_COMMENT,
            .marker = 0xFE,
            .data = (const uint8_t *)limited,
            .length = sizeof limited - 1};
}

/*
 * Convert --bitrate or --bits-per-frame to the most bits of each frame, or to a bucket that frames share. JPEG 2000
 * needs a bucket if a quality is asked for; otherwise each frame gets its share.
 */
static void fit_rate(struct video_settings *settings, struct video_pass *pass)
{
    static const int aims[] = {OPTION_LOSSLESS, OPTION_PSNR, OPTION_STEP, OPTION_QUALITY};
    const struct video_info *info = &pass->writer->info;
    double rate = (double)info->rate.over / info->rate.under;
    double bits = settings->bitrate > 0 ? settings->bitrate / rate : settings->frame_bits;

    if (bits <= 0)
        return;
    pass->rate = (struct video_rate){.frame_bits = bits, .capacity = settings->bitrate, .most = QUALITY_MOST};
    if (info->payload == PAYLOAD_JPEG) {
        if (settings->encode.quality_given)
            pass->rate.most = settings->encode.options.quality;
        return;
    }
    pass->rate.ceiling = has_any(&settings->given, aims, sizeof aims / sizeof *aims);
    if (pass->rate.ceiling)
        return;
    pass->rate = (struct video_rate){.frame_bits = 0};
    settings->j2k.options.target = KST_J2K_RATE;
    settings->j2k.options.value = bits / ((double)info->shape.width * info->shape.height);
}

static bool fit_encoder(struct video_settings *settings, struct video_pass *pass)
{
    const struct video_info *info = &pass->changed;

    pass->encode = &settings->encode.options;
    if (pass->writer->info.payload == PAYLOAD_JPEG && !fit_jpeg(settings, &info->shape, pass->writer))
        return false;
    if (pass->writer->info.payload == PAYLOAD_JPEG2000)
        fit_j2k(settings, pass->writer);
    if (pass->writer->info.payload == PAYLOAD_JPEG2000 && info->shape.rgb) /* no Y, Cb and Cr are in the container */
        pass->writer->info.matrix = MATRIX_RGB;
    fit_rate(settings, pass);
    add_tags(settings, info);
    return true;
}

/* Choose the pixels of the output: pictures are grey or RGB. */
static void fit_pixels(struct video_pass *pass)
{
    struct video_writer *writer = pass->writer;
    struct video_shape *shape = &writer->info.shape;

    if (writer->format->files && shape->planes != 1 && !shape->rgb)
        *shape = pass->decoded = (struct video_shape){shape->width, shape->height, 3, shape->depth, 1, 1, true};
}

/* Return whether a matrix is BT.601, or unknown, which counts as BT.601. */
static bool is_usual_matrix(uint8_t matrix)
{
    return matrix == 0 || matrix == MATRIX_UNKNOWN || matrix == MATRIX_BT601 || matrix == MATRIX_BT601_525;
}

/* Return whether the decoder converts coded frames to the right RGB: it assumes BT.601 and the full range. */
static bool decoder_converts(const struct video_info *in)
{
    return in->payload != PAYLOAD_PIXELS && (in->fields || (is_usual_matrix(in->matrix) && in->range != RANGE_LIMITED));
}

/*
 * Return whether planes must be converted to RGB, because the output is pictures. Coded frames are decoded to RGB
 * directly, unless they are resized or filtered, or the decoder would take them for other colours.
 */
static bool needs_rgb(const struct video_settings *settings, const struct video_pass *pass)
{
    const struct video_info *in = &pass->reader->info;
    bool changed = !decoder_converts(in) || settings->resize.filters != NULL || settings->resize.options.width > 0 ||
                   settings->resize.options.height > 0;

    return changed && pass->writer->format->files && pass->writer->info.payload == PAYLOAD_PIXELS &&
           in->shape.planes == 3 && !in->shape.rgb;
}

/*
 * Check that colours can be converted if the output needs that, and that --matrix has an effect: on the conversion, or
 * on a tag of the output's container.
 */
static bool check_matrix(const struct video_settings *settings, const struct video_pass *pass, bool to_rgb)
{
    const struct video_info *in = &pass->reader->info;
    const struct video_format *to = pass->writer->format;
    bool planes = in->shape.planes == 3 && !in->shape.rgb;
    bool pictures = to->files && pass->writer->info.payload == PAYLOAD_PIXELS;
    bool converts = ((to_rgb || pictures) && planes) || (in->shape.rgb && to == &video_y4m);

    if (converts && in->fields && !is_usual_matrix(in->matrix))
        return complain_usage("video",
                   "colours of frames of two fields (AVI1) are converted by BT.601 alone: decode them to .y4m first") ==
               EXIT_FINE;
    if (converts && !matrix_is_known(in->matrix))
        return complain_usage("video",
                   "the matrix of colours is number %u of H.273, and only BT.601, BT.709 and BT.2020 are converted; "
                   "--matrix names the right one if the number is wrong",
                   (unsigned)in->matrix) == EXIT_FINE;
    return converts || (to->has_timecode && planes) ||
           options_refuse("video", &settings->given, OPTION_MATRIX,
               "nothing converts the colours of these frames, and the output has no place for it");
}

/* Resize and filter frames if an option asks for it. */
static bool choose_change(struct video_settings *settings, struct video_pass *pass)
{
    const struct video_wanted wanted = {&settings->common, settings->resize.options, settings->resize.filters,
        needs_rgb(settings, pass), pass->writer->format == &video_y4m};
    const bool parts = wanted.planes && pass->reader->info.shape.rgb;
    enum video_payload payload = pass->writer->info.payload;
    struct problem problem;

    if (!check_matrix(settings, pass, wanted.rgb || wanted.filters != NULL))
        return false;
    if (!parts && !wanted.rgb && wanted.filters == NULL && wanted.resize.width == 0 && wanted.resize.height == 0)
        return true;
    if (!video_change_open(&wanted, &pass->changed, &pass->change, &problem)) {
        complain_usage("video", "%s", problem.text);
        return false;
    }
    pass->writer->info = pass->changed;
    pass->writer->info.payload = payload;
    return true;
}

/* Refuse a GPU that is asked for by name, where JPEG is rewritten: that is the CPU's work. */
static bool check_device(const struct video_settings *settings, const struct video_pass *pass)
{
    const struct common_options *common = &settings->common;

    if (pass->work != KST_FLOW_TRANSCODE || pass->copy || pass->reader->info.payload != PAYLOAD_JPEG ||
        common->device == NULL || common_on_cpu(common) || common_names_many(common) ||
        strcmp(common->device, "auto") == 0)
        return true;
    return complain_usage("video",
               "--device %s: JPEG is rewritten without loss by the CPU alone; leave it out, or add --quality, so "
               "that frames are coded again",
               common->device) == EXIT_FINE;
}

int video_choose_work(struct video_settings *settings, const char *path, struct video_pass *pass)
{
    static const char unused[] = "nothing is encoded";
    struct video_writer *writer = pass->writer;
    const struct video_info *in = &pass->reader->info;

    *writer = (struct video_writer){.info = *in, .output.descriptor = -1, .output.temporary.descriptor = -1};
    pass->changed = *in;
    writer->format = settings->out_format != NULL ? settings->out_format : video_format_by_path(path);
    writer->path = path;
    if (settings->out_format == NULL && numbered_is(path))
        writer->format = &video_numbered;
    if (writer->format == NULL)
        return complain_usage("video", "'%s' names no sequence that is written; add --out-format", path);
    writer->track = pass->reader->track;
    writer->tracks = pass->reader->tracks;
    writer->metadata = pass->reader->metadata;
    writer->retimed = pass->reader->retimed;
    settings->ht |= (settings->j2k.options.style & KST_J2K_HT) != 0;
    if (!choose_payload(settings, pass) || !choose_first(settings, pass) || !check_options(settings, pass) ||
        !choose_change(settings, pass))
        return EXIT_USAGE;
    pass->strict = settings->strict;
    pass->latency = settings->latency;
    pass->decoded = pass->changed.shape;
    if (writer->info.payload == PAYLOAD_PIXELS) {
        pass->work = in->payload == PAYLOAD_PIXELS ? KST_FLOW_CHANGE : KST_FLOW_DECODE;
        fit_pixels(pass);
    } else if (in->payload == PAYLOAD_PIXELS)
        pass->work = KST_FLOW_ENCODE;
    else if (in->payload == writer->info.payload)
        choose_rewriting(settings, pass);
    else
        pass->work = KST_FLOW_CONVERT;
    pass->copy |= pass->work == KST_FLOW_CHANGE && pass->change == NULL;
    if (in->fields && pass->work != KST_FLOW_DECODE && !pass->copy)
        return complain_usage(
            "video", "frames of two fields (AVI1) are decoded or passed on, and not coded again: decode them to .y4m");
    bool encodes = pass->work == KST_FLOW_ENCODE || pass->work == KST_FLOW_CONVERT;
    if (!encodes && !(options_refuse("video", &settings->given, OPTION_BITRATE, unused) &&
                        options_refuse("video", &settings->given, OPTION_BITS_PER_FRAME, unused)))
        return EXIT_USAGE;
    return check_device(settings, pass) && (!encodes || fit_encoder(settings, pass)) ? EXIT_FINE : EXIT_USAGE;
}
