/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "batch.h"

struct transcode_settings {
    kst_transcode_options options;
    kst_scan *script;
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
        return value_region(verb, value, &options->crop);
    case OPTION_STRIP:
        return set_strip(verb, options, value);
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
    static const struct option table[] = {{"restart", required_argument, NULL, OPTION_RESTART},
        {"optimize", no_argument, NULL, OPTION_OPTIMIZE}, {"optimise", no_argument, NULL, OPTION_OPTIMIZE},
        {"progressive", no_argument, NULL, OPTION_PROGRESSIVE}, {"baseline", no_argument, NULL, OPTION_BASELINE},
        {"scans", required_argument, NULL, OPTION_SCANS}, {"rotate", required_argument, NULL, OPTION_ROTATE},
        {"flip", required_argument, NULL, OPTION_FLIP}, {"transpose", no_argument, NULL, OPTION_TRANSPOSE},
        {"transverse", no_argument, NULL, OPTION_TRANSVERSE}, {"perfect", no_argument, NULL, OPTION_PERFECT},
        {"trim", no_argument, NULL, OPTION_TRIM}, {"crop", required_argument, NULL, OPTION_CROP},
        {"region", required_argument, NULL, OPTION_CROP}, {"strip", optional_argument, NULL, OPTION_STRIP},
        {"strict", no_argument, NULL, OPTION_STRICT}, {"grey", no_argument, NULL, OPTION_GREY},
        {"gray", no_argument, NULL, OPTION_GREY}, {NULL, 0, NULL, 0}};
    return (struct option_group){table, handle, settings};
}

/* Where nothing says whether there shall be boxes around the codestream, the output's name does. */
static void choose_container(const struct task *task, kst_transcode_options *options)
{
    static const char *const bare[] = {".j2k", ".j2c", ".jpc"};
    const char *dot = task->path == NULL ? NULL : strrchr(task->path, '.');

    if (dot == NULL || options->jpeg2000.container != KST_CONTAINER_KEEP)
        return;
    if (strcasecmp(dot, ".jp2") == 0)
        options->jpeg2000.container = KST_CONTAINER_JP2;
    for (size_t i = 0; i < 3; i++)
        if (strcasecmp(dot, bare[i]) == 0)
            options->jpeg2000.container = KST_CONTAINER_CODESTREAM;
}

/* What the output is, which may be another thing than its name says. */
static const char *extension_of(const struct source *source, const kst_transcode_options *options)
{
    if (file_format_of(source) != &file_j2k)
        return "jpg";
    if (options->jpeg2000.container == KST_CONTAINER_KEEP)
        return ((const uint8_t *)source->data)[0] == 0 ? "jp2" : "j2k";
    return options->jpeg2000.container == KST_CONTAINER_JP2 ? "jp2" : "j2k";
}

static kst_status transcode_to(struct output *output, const struct task *task, const kst_transcode_options *options,
    kst_report *report, struct problem *problem)
{
    struct destination to = {output, problem};
    const kst_writer writer = destination_writer(&to);
    uint64_t length = 0;
    kst_status status = kst_transcode_to(
        task->files.context, task->source->data, task->source->length, options, &writer, &length, report);

    return status == KST_OK && !output_end_at(output, length, problem) ? KST_ERROR_WRITE : status;
}

static bool report_on(const struct task *task, const kst_report *report, kst_status status, struct problem *problem)
{
    if (status == KST_ERROR_JPEG_NOT_PERFECT)
        return problem_set(problem, "%s; without --perfect the edge stays as it is, with --trim it is cut off",
            kst_status_text(status));
    if (status == KST_ERROR_WRITE)
        return false;
    if (status != KST_OK)
        return jpeg_report_problem(report, status, problem);
    jpeg_report_warnings(task->source->name, report);
    if (task->files.verbose)
        jpeg_report_details(task->source->name, report);
    return true;
}

static bool transcode_one(const void *settings_pointer, struct task *task, struct problem *problem)
{
    const struct transcode_settings *settings = settings_pointer;
    const struct source *source = task->source;
    const struct file_format *found = file_format_of(source);
    kst_transcode_options options = settings->options;
    struct output output;
    kst_report report;

    if (found != NULL && found != &file_jpeg && found != &file_j2k)
        return problem_set(problem, "a %s file, not JPEG or JPEG 2000; 'kostka encode' makes JPEG of it", found->name);
    if (found == &file_j2k)
        choose_container(task, &options);
    char *path = task_path(task, extension_of(source, &options));
    if (path == NULL)
        return problem_set(problem, "out of memory");
    bool good = output_open(&output, path, problem);
    free(path);
    if (!good)
        return false;
    kst_report_init(&report);
    kst_status status = transcode_to(&output, task, &options, &report, problem);
    if (report_on(task, &report, status, problem))
        return output_commit(&output, problem);
    output_discard(&output);
    return false;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {.compression = -1};
    struct transcode_settings settings = {.script = NULL};
    int code;

    kst_transcode_options_init(&settings.options);
    const struct option_group groups[] = {common_group(&common), output_group(&output), transcode_group(&settings),
        recode_group(&settings.options.jpeg2000)};
    if (options_read(&verb_transcode, argc, argv, groups, 4, &code)) {
        const struct batch batch = {&verb_transcode, &common, &output, &files, transcode_one, &settings, false};
        code = output.format != NULL && output.format != &file_jpeg && output.format != &file_j2k
                   ? complain_usage("transcode", "the output is of the input's format; 'convert' makes other formats")
                   : batch_run(&batch, argc, argv);
    }
    free(settings.script);
    return code;
}

const struct verb verb_transcode = {
    .name = "transcode",
    .summary = "change JPEG and JPEG 2000 files without loss",
    .run = run,
    .help = "Usage: kostka transcode [OPTIONS] IN OUT\n"
            "       kostka transcode [OPTIONS] --out-dir DIR IN...\n"
            "\n"
            "Writes a file anew without changing a coefficient; '-' is standard input or output.\n"
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
            "JPEG 2000, without touching a code-block (OUT.jp2 has boxes, OUT.j2k none; else as they are):\n"
            "  --progression ORDER LRCP, RLCP, RPCL, PCRL or CPRL\n"
            "  --layers N          keep the first N quality layers\n"
            "  --rate BPP          cut to so many bits a pixel, in --layers N (1 if not said) new layers\n"
            "  --reduce N          drop the N largest resolutions\n"
            "  --tile-parts WHERE  divide tiles at each resolution, layer, component (with commas in between)\n"
            "  --interleave        the first tile-parts of all tiles come first\n"
            "  --components LIST   keep only these: 0,3,5-7; of those that are coded together all\n"
            "  --packed ppm|ppt    packet headers in the main header, or in those of tile-parts; else with packets\n"
            "  --plt, --tlm, --sop, --eph  with these markers; =no: without\n"
            "  --container jp2|j2k with boxes around the codestream, or without\n"
            "Both:\n"
            "  --strip[=all]       drop all metadata; --strip=markers: keep comments only\n"
            "  --strict            damage is an error instead of a warning\n"
            "  --out-dir DIR       many inputs; each becomes NAME.jpg, .jp2 or .j2k there\n"
            "  --threads N, --device DEVICE, --max-pixels N, --max-memory BYTES, -v: as 'kostka decode'\n",
};
