/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka transcode', which changes how a file is coded, but not its coefficients. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "batch/target.h"
#include "files/metadata/losses.h"
#include "files/relay.h"
#include "progress/outcome.h"
#include "progress/progress.h"

struct transcode_settings {
    kst_transcode_options options;
    kst_scan *script;
    const struct file_format
        *target; /* the format that the output's name or --out-format states; null: that of the input */
    struct options_given given;
};

static bool set_transform(const char *verb, struct transcode_settings *settings, kst_transform transform)
{
    if (settings->options.transform != KST_TRANSFORM_NONE && settings->options.transform != transform) {
        complain_usage(verb, "only one of --rotate, --flip, --transpose and --transverse at a time");
        return false;
    }
    settings->options.transform = transform;
    return true;
}

static bool set_rotation(const char *verb, struct transcode_settings *settings, const char *value)
{
    if (strcmp(value, "90") == 0)
        return set_transform(verb, settings, KST_TRANSFORM_ROTATE_90);
    if (strcmp(value, "180") == 0)
        return set_transform(verb, settings, KST_TRANSFORM_ROTATE_180);
    if (strcmp(value, "270") == 0)
        return set_transform(verb, settings, KST_TRANSFORM_ROTATE_270);
    complain_usage(verb, "--rotate takes 90, 180 or 270 (clockwise), not '%s'", value);
    return false;
}

static bool set_flip(const char *verb, struct transcode_settings *settings, const char *value)
{
    if (strcmp(value, "h") == 0 || strcmp(value, "horizontal") == 0)
        return set_transform(verb, settings, KST_TRANSFORM_FLIP_H);
    if (strcmp(value, "v") == 0 || strcmp(value, "vertical") == 0)
        return set_transform(verb, settings, KST_TRANSFORM_FLIP_V);
    complain_usage(verb, "--flip takes h (left and right change places) or v (top and bottom), not '%s'", value);
    return false;
}

static bool set_strip(const char *verb, kst_transcode_options *options, const char *value)
{
    if (value == NULL || strcmp(value, "all") == 0)
        options->strip = KST_STRIP_ALL;
    else if (strcmp(value, "markers") == 0)
        options->strip = KST_STRIP_MARKERS;
    else
        complain_usage(verb, "--strip=%s: write --strip, --strip=all or --strip=markers (which keeps comments)", value);
    return options->strip != KST_STRIP_NOTHING;
}

static bool set_others(const char *verb, kst_transcode_options *options, const char *value)
{
    if (strcmp(value, "keep") == 0)
        options->others = KST_OTHERS_KEEP;
    else if (strcmp(value, "drop") == 0)
        options->others = KST_OTHERS_DROP;
    else
        return complain_usage(verb, "--others takes keep or drop, not '%s'", value) == EXIT_FINE;
    return true;
}

static bool set_edge(const char *verb, kst_transcode_options *options, kst_edge edge)
{
    if (options->edge != KST_EDGE_KEEP && options->edge != edge) {
        complain_usage(verb, "--perfect and --trim contradict each other");
        return false;
    }
    options->edge = edge;
    return true;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct transcode_settings *settings = settings_pointer;
    kst_transcode_options *options = &settings->options;

    switch (code) {
    case OPTION_RESTART:
        return value_restart(verb, value, &options->restart);
    case OPTION_OPTIMIZE:
        if (options->coding != KST_CODING_PROGRESSIVE)
            options->coding = KST_CODING_OPTIMIZED;
        return true;
    case OPTION_PROGRESSIVE:
        options->coding = KST_CODING_PROGRESSIVE;
        return true;
    case OPTION_BASELINE:
        if (options->coding == KST_CODING_PROGRESSIVE)
            options->coding = KST_CODING_BASELINE;
        return true;
    case OPTION_SCANS:
        if (!value_script(verb, value, &settings->script, &options->script_length))
            return false;
        options->script = settings->script;
        options->coding = KST_CODING_PROGRESSIVE;
        return true;
    case OPTION_ROTATE:
        return set_rotation(verb, settings, value);
    case OPTION_FLIP:
        return set_flip(verb, settings, value);
    case OPTION_TRANSPOSE:
        return set_transform(verb, settings, KST_TRANSFORM_TRANSPOSE);
    case OPTION_TRANSVERSE:
        return set_transform(verb, settings, KST_TRANSFORM_TRANSVERSE);
    case OPTION_PERFECT:
        return set_edge(verb, options, KST_EDGE_PERFECT);
    case OPTION_TRIM:
        return set_edge(verb, options, KST_EDGE_TRIM);
    case OPTION_CROP:
        return value_region(verb, "--crop", value, &options->crop);
    case OPTION_STRIP:
        return set_strip(verb, options, value);
    case OPTION_OTHERS:
        return set_others(verb, options, value);
    case OPTION_STRICT:
        options->strict = true;
        return true;
    default:
        options->grey = true;
        return true;
    }
}

static struct option_group transcode_group(struct transcode_settings *settings)
{
    static const struct option_entry table[] = {{"restart", "auto|keep|none|N|Nr", OPTION_RESTART, 0, KIND_JPEG},
        {"optimize", NULL, OPTION_OPTIMIZE, 0, KIND_JPEG}, {"optimise", NULL, OPTION_OPTIMIZE, 0, KIND_JPEG},
        {"progressive", NULL, OPTION_PROGRESSIVE, 0, KIND_JPEG}, {"baseline", NULL, OPTION_BASELINE, 0, KIND_JPEG},
        {"scans", "FILE", OPTION_SCANS, 0, KIND_JPEG}, {"rotate", "90|180|270", OPTION_ROTATE, 0, KIND_JPEG},
        {"flip", "h|v", OPTION_FLIP, 0, KIND_JPEG}, {"transpose", NULL, OPTION_TRANSPOSE, 0, KIND_JPEG},
        {"transverse", NULL, OPTION_TRANSVERSE, 0, KIND_JPEG}, {"perfect", NULL, OPTION_PERFECT, 0, KIND_JPEG},
        {"trim", NULL, OPTION_TRIM, 0, KIND_JPEG}, {"crop", "WxH+X+Y", OPTION_CROP, 0, KIND_JPEG},
        {"region", "WxH+X+Y", OPTION_CROP, 0, KIND_JPEG}, {"strip", "[all|markers]", OPTION_STRIP, 0, 0},
        {"others", "keep|drop", OPTION_OTHERS, 0, KIND_JPEG}, {"strict", NULL, OPTION_STRICT, 0, 0},
        {"grey", NULL, OPTION_GREY, 0, KIND_JPEG}, {"gray", NULL, OPTION_GREY, 0, KIND_JPEG}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, settings};
}

/* Return the container that the output's name states. */
static kst_container named_container(const struct file_format *target)
{
    return target == &file_j2k || target == &file_jph   ? KST_CONTAINER_JP2
           : target == &file_j2c || target == &file_jhc ? KST_CONTAINER_CODESTREAM
                                                        : KST_CONTAINER_KEEP;
}

/* Choose whether to write JP2 boxes: if no option does, the output's name decides. */
static bool choose_container(const char *verb, struct transcode_settings *settings)
{
    kst_container *container = &settings->options.jpeg2000.container;
    kst_container named = named_container(settings->target);

    if (*container != KST_CONTAINER_KEEP && named != KST_CONTAINER_KEEP && *container != named) {
        complain_usage(verb, "--container %s does not go with an output that is to be %s",
            *container == KST_CONTAINER_JP2 ? "jp2" : "j2k",
            named != KST_CONTAINER_JP2      ? "a bare codestream"
            : settings->target == &file_jph ? "JPH"
                                            : "JP2");
        return false;
    }
    if (*container == KST_CONTAINER_KEEP)
        *container = named;
    return true;
}

/*
 * Choose the block coder: if no option does, the output's name decides. JP2 has code-blocks of T.800, JPH and .jhc
 * those of T.814, and other codestreams may have either.
 */
static bool choose_coder(const char *verb, struct transcode_settings *settings)
{
    kst_transcode_jpeg2000 *options = &settings->options.jpeg2000;
    const bool ht = settings->target == &file_jph || settings->target == &file_jhc;
    const kst_choice named = ht                                                          ? KST_CHOICE_YES
                             : settings->target == NULL || settings->target == &file_j2c ? KST_CHOICE_KEEP
                                                                                         : KST_CHOICE_NO;

    if (options->ht == KST_CHOICE_YES && named == KST_CHOICE_NO)
        return complain_usage(verb, "--ht does not go with an output that is to be %s; name it .jph",
                   settings->target == &file_jpeg ? "JPEG" : "JP2") == EXIT_FINE;
    if (options->ht == KST_CHOICE_NO && named == KST_CHOICE_YES)
        return complain_usage(verb, "--ht=no does not go with an output that is to be HTJ2K") == EXIT_FINE;
    if (options->ht == KST_CHOICE_KEEP)
        options->ht = named;
    if (options->ht == KST_CHOICE_KEEP && options->container == KST_CONTAINER_JP2)
        options->ht = KST_CHOICE_NO;
    if (options->ht == KST_CHOICE_YES && options->rate > 0)
        return complain_usage(verb,
                   "--rate does not go with HTJ2K: such code-blocks are not cut; 'convert --ht --rate' "
                   "codes them again") == EXIT_FINE;
    return true;
}

static int choose_target(
    struct transcode_settings *settings, const struct output_options *output, int argc, char **argv)
{
    bool named = file_path_extension(argv[argc - 1]) != NULL || output->format != NULL;
    int code =
        named ? target_choose("transcode", output, argc, argv, ".jpg, .jp2, .jph and .j2k", NULL, &settings->target)
              : EXIT_FINE;

    if (code != EXIT_FINE)
        return code;
    unsigned kind = settings->target == NULL ? KIND_CODED : file_kind(settings->target);
    if ((kind & KIND_CODED) == 0)
        return complain_usage("transcode", "the output is of the input's format, not %s; 'convert' makes other formats",
            settings->target->name);
    if (!options_check("transcode", &settings->given, kind, KIND_CODED, NULL) ||
        !choose_container("transcode", settings) || !choose_coder("transcode", settings))
        return EXIT_USAGE;
    return EXIT_FINE;
}

/* Check that the input has the codec that the output's name states. */
static bool check_codec(
    const struct transcode_settings *settings, const struct file_format *found, struct problem *problem)
{
    bool jpeg = settings->target == &file_jpeg;

    if (settings->target == NULL || jpeg == (found == &file_jpeg))
        return true;
    return problem_set(problem, "a JPEG%s file cannot become JPEG%s without loss; 'kostka convert' encodes it again",
        jpeg ? " 2000" : "", jpeg ? "" : " 2000");
}

/*
 * Return whether the file is JPX. Its brand is in the second box, which is at the same offset in all files (T.800
 * I.5.1, I.5.2).
 */
static bool is_jpx(const struct source *source)
{
    return source->length >= 24 && memcmp(source->data + 16, "ftypjpx ", 8) == 0;
}

/* Return whether the file's brand is JPH. */
static bool is_jph(const struct source *source)
{
    return source->length >= 24 && memcmp(source->data + 16, "ftypjph ", 8) == 0;
}

/* Return the extension for the output's actual format; the output's name may differ. */
static const char *extension_of(const struct source *source, const kst_transcode_options *options)
{
    if (file_format_of(source) != &file_j2k)
        return "jpg";
    const kst_container container = options->jpeg2000.container;
    const kst_choice ht = options->jpeg2000.ht;
    if (container == KST_CONTAINER_CODESTREAM || (container == KST_CONTAINER_KEEP && source->data[0] != 0))
        return ht == KST_CHOICE_YES ? "jhc" : "j2k";
    if (container == KST_CONTAINER_KEEP && is_jpx(source))
        return "jpx";
    return ht == KST_CHOICE_YES || (ht == KST_CHOICE_KEEP && is_jph(source)) ? "jph" : "jp2";
}

/*
 * Holds the progress of transcoding a mapped file, whose pages are released after each share of the work, unless
 * several devices may read them.
 */
struct transcode_progress {
    struct progress_whole whole;
    const struct source *source; /* null: pages are not released */
    double rested;               /* the share of the work at which pages were last released */
};

static bool tell_progress(void *user, double done)
{
    static const double share = 1.0 / 256;
    struct transcode_progress *progress = user;

    if (progress->source != NULL && done >= progress->rested + share) {
        source_rest(progress->source);
        progress->rested = done;
    }
    return progress_whole_done(&progress->whole, done);
}

static kst_status transcode_to(struct output *output, const struct task *task, const kst_transcode_options *options,
    kst_report *report, struct problem *problem)
{
    struct destination to;
    destination_begin(&to, output, problem);
    const kst_writer writer = destination_writer(&to);
    uint64_t length = 0;
    kst_status status = kst_transcode_to(
        task->files.context, task->source->data, task->source->length, options, &writer, &length, report);
    destination_end(&to);

    return !status && !output_end_at(output, length, problem) ? KST_ERROR_WRITE : status;
}

/* Transcode on the devices of a relay, and write the result. */
static kst_status transcode_by_relay(struct output *output, const struct task *task,
    const kst_transcode_options *options, kst_report *report, struct problem *problem)
{
    const struct source *source = task->source;
    kst_flow_item item = {.size = sizeof item,
        .work = KST_FLOW_TRANSCODE,
        .data = source->data,
        .length = source->length,
        .transcode = options};

    kst_image_init(&item.image);
    relay_reserve(task->files.relay, 2 * (uint64_t)source->length);
    relay_do(task->files.relay, &item);
    *report = item.report;
    kst_status status = report->status;
    if (!status && !output_write(output, item.output.data, item.output.length, problem))
        status = KST_ERROR_WRITE;
    if (item.context != NULL)
        kst_buffer_release(item.context, &item.output);
    return status;
}

/* Return whether a relay transcodes the file: there is one, and the block coder is to change, which devices can do. */
static bool goes_by_relay(const struct task *task, const kst_transcode_options *options)
{
    return task->files.relay != NULL && options->jpeg2000.ht != KST_CHOICE_KEEP;
}

static bool report_on(const struct task *task, const kst_report *report, kst_status status, struct problem *problem)
{
    if (status == KST_ERROR_JPEG_NOT_PERFECT)
        return problem_set(problem, "%s; without --perfect the edge stays as it is, with --trim it is cut off",
            kst_status_text(status));
    if (status == KST_ERROR_WRITE)
        return false;
    if (status)
        return jpeg_report_problem(report, status, problem);
    jpeg_report_warnings(task->source->name, report);
    jpeg_report_details(task->source->name, report, task->files.verbose);
    return true;
}

/*
 * Warn of what is dropped: what follows the first picture, unless the user asked for exactly that, and metadata in
 * boxes if the output is a bare codestream.
 */
static void tell_dropped(const struct task *task, const kst_transcode_options *options, const char *path)
{
    const char *extension = extension_of(task->source, options);
    const bool bare = task->source->data[0] == 0 && (strcmp(extension, "j2k") == 0 || strcmp(extension, "jhc") == 0);
    const bool others = options->strip != KST_STRIP_NOTHING || options->others != KST_OTHERS_KEEP;
    kst_decoder *decoder;

    if ((!others && !bare) || kst_decoder_create(task->files.context, &decoder))
        return;
    if (!kst_decoder_open(decoder, task->source->data, task->source->length)) {
        if (others)
            jpeg_tell_others(decoder, task->source->name);
        if (bare)
            losses_tell_stream(decoder, PART_COMMENT, "a codestream", path);
    }
    kst_decoder_destroy(&decoder);
}

/* Print, if verbose, that a code-block of T.814 has all its bytes in the layers of its single HT set. */
static void tell_layers(const struct task *task, const kst_transcode_options *options)
{
    kst_decoder *decoder;

    if (!task->files.verbose || options->jpeg2000.ht != KST_CHOICE_YES ||
        kst_decoder_create(task->files.context, &decoder))
        return;
    if (!kst_decoder_open(decoder, task->source->data, task->source->length) && kst_decoder_info(decoder)->layers > 1)
        fprintf(stderr, "%s: %u layers keep their passes, but a code-block of HTJ2K has its bytes in the last ones\n",
            task->source->name, (unsigned)kst_decoder_info(decoder)->layers);
    kst_decoder_destroy(&decoder);
}

/* Record the picture's size, for the table at the end of a batch. */
static void note_pixels(const struct task *task)
{
    kst_decoder *decoder;

    if (task->path != NULL || kst_decoder_create(task->files.context, &decoder))
        return;
    if (!kst_decoder_open(decoder, task->source->data, task->source->length)) {
        const kst_info *info = kst_decoder_info(decoder);
        outcome_note_pixels((uint64_t)info->width * info->height);
    }
    kst_decoder_destroy(&decoder);
}

static bool transcode_one(const void *settings_pointer, struct task *task, struct problem *problem)
{
    const struct transcode_settings *settings = settings_pointer;
    const struct source *source = task->source;
    const struct file_format *found = file_format_of(source);
    kst_transcode_options options = settings->options;
    const bool relayed = goes_by_relay(task, &options);
    struct transcode_progress whole = {.whole = progress_both(), .source = relayed ? NULL : source};
    const kst_progress progress = {.size = sizeof progress, .told = tell_progress, .user = &whole};
    struct output output;
    kst_report report;

    if (found != NULL && found != &file_jpeg && found != &file_j2k)
        return problem_set(problem, "a %s file, not JPEG or JPEG 2000; 'kostka encode' makes JPEG of it", found->name);
    if (found != NULL &&
        (!check_codec(settings, found, problem) || !options_suit(&settings->given, file_kind(found), found, problem)))
        return false;
    char *path = task_path(task, extension_of(source, &options), problem);
    if (path == NULL)
        return false;
    bool good = output_open(&output, path, problem);
    free(path);
    if (!good)
        return false;
    kst_report_init(&report);
    options.progress = &progress;
    kst_status status = (relayed ? transcode_by_relay : transcode_to)(&output, task, &options, &report, problem);
    if (report_on(task, &report, status, problem)) {
        tell_dropped(task, &options, output.given);
        tell_layers(task, &options);
        note_pixels(task);
        return output_commit(&output, problem);
    }
    output_discard(&output);
    return false;
}

/* Refuse a GPU that is chosen by name but would have nothing to do. */
static bool check_device(const struct common_options *common, const kst_transcode_options *options)
{
    const char *device = common->device;

    if (device == NULL || options->jpeg2000.ht != KST_CHOICE_KEEP || common_on_cpu(common) ||
        common_names_many(common) || strcmp(device, "auto") == 0)
        return true;
    return complain_usage("transcode",
               "--device %s: only code-blocks of JPEG 2000 that become others (--ht, --ht=no, OUT.jph, OUT.jp2) are a "
               "GPU's work; leave it out",
               device) == EXIT_FINE;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {.compression = -1};
    struct transcode_settings settings = {.script = NULL};
    int code;

    kst_transcode_options_init(&settings.options);
    const struct option_group groups[] = {common_group(&common), output_group(&output), many_group(&output.many),
        transcode_group(&settings), recode_group(&settings.options.jpeg2000)};
    if (options_read(&verb_transcode, argc, argv, groups, 5, &settings.given, &code) &&
        (code = output_take_archives("transcode", &output, &settings.given, &argc, argv) ? EXIT_FINE : EXIT_USAGE) ==
            EXIT_FINE &&
        (code = choose_target(&settings, &output, argc, argv)) == EXIT_FINE &&
        (code = check_device(&common, &settings.options) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE) {
        files.max_memory = common_max_memory(&common);
        const struct batch batch = {
            &verb_transcode, &common, &output, &files, transcode_one, &settings, false, true, &settings.options};
        code = batch_run(&batch, argc, argv);
    }
    free(settings.script);
    return code;
}

const struct verb verb_transcode = {
    .name = "transcode",
    .summary = "change JPEG and JPEG 2000 files without loss",
    .run = run,
    .help =
        "Usage: kostka transcode [OPTIONS] IN OUT\n"
        "       kostka transcode [OPTIONS] --out-dir DIR IN...\n"
        "\n"
        "Rewrites a file without changing a coefficient; '-' is standard input or output.\n"
        "\n"
        "JPEG:\n"
        "  --restart N|Nr|auto|keep|none  restart markers every N MCUs or N rows of them; auto: an interval\n"
        "                      that lets many threads decode at once; keep: as they were; default none\n"
        "  --baseline          sequential with the usual Huffman tables (default)\n"
        "  --optimize          Huffman tables made for the picture\n"
        "  --progressive       progressive; --scans FILE: by the scan script in FILE\n"
        "  --rotate 90|180|270 clockwise; --flip h|v, --transpose, --transverse\n"
        "  --perfect           fail where an edge has partial MCUs that cannot be turned; --trim: cut them off;\n"
        "                      otherwise they stay where they are\n"
        "  --crop WxH+X+Y      cut out, after turning; X and Y move up and left to the border of an MCU\n"
        "  --grey              keep the luminance alone\n"
        "  --others keep|drop  other pictures in the file (previews, gain maps) and bytes behind them: kept, and\n"
        "                      turned and cut alike, or dropped\n"
        "JPEG 2000 (OUT.jp2 and OUT.jph have boxes, OUT.j2k and OUT.jhc none; else as they are):\n"
        "  --ht                code-blocks become those of HTJ2K, as with OUT.jph and OUT.jhc; --ht=no: those of\n"
        "                      JPEG 2000 Part 1, as with OUT.jp2; else they stay, byte for byte\n"
        "  --progression ORDER LRCP, RLCP, RPCL, PCRL or CPRL\n"
        "  --layers N          keep the first N quality layers\n"
        "  --rate BPP          cut to so many bits a pixel, in --layers N (1 if not said) new layers\n"
        "  --reduce N          drop the N largest resolutions\n"
        "  --tile-parts WHERE  divide tiles at each resolution, layer, component (with commas in between)\n"
        "  --interleave        the first tile-parts of all tiles come first\n"
        "  --components LIST   keep only these: 0,3,5-7; of those that are coded together all\n"
        "  --packed ppm|ppt    packet headers in the main header, or in those of tile-parts; else with packets\n"
        "  --plt, --tlm, --sop, --eph  with these markers; =no: without\n"
        "  --container jp2|j2k with boxes around the codestream, or without, where OUT does not say which\n"
        "Both:\n"
        "  --strip[=all]       drop all metadata; --strip=markers: keep comments only\n"
        "  --strict            damage is an error instead of a warning\n"
        "  -i FILE, -o FILE    the input, the output: as the operands (--input, --output)\n"
        "  --out-dir DIR       many inputs, folders among them; each becomes NAME.jpg, .jp2, .jph, .jpx,\n"
        "                      .j2k or .jhc there\n" BATCH_HELP
        "  --threads N, --device DEVICE, --max-pixels N, --max-memory BYTES, -v: as 'kostka decode'; of GPUs' work is\n"
        "                      that code-blocks become others; -v says what was done where\n",
};
