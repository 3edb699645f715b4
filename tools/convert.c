/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka convert', which decodes a picture and encodes it in another format. */
#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"
#include "batch/target.h"
#include "convert.h"
#include "files/filter.h"

static int choose_target(
    const char *verb, const struct output_options *output, int argc, char **argv, const struct file_format **target)
{
    int code = target_choose(verb, output, argc, argv,
        ".jpg, .jp2, .j2k, .png, .tif, .bmp, .ppm, .pgm, .pam, .pgx, .raw and .yuv", NULL, target);

    /* If operands are missing, batch_run() complains. */
    if (code == EXIT_FINE && *target == NULL && (output->directory != NULL || argc - optind == 2))
        return complain_usage(verb, "the output's format is not known; add --out-format");
    return code;
}

static bool check(const char *verb, const struct options_given *given, const struct file_settings *files,
    struct encode_settings *settings, struct j2k_settings *j2k)
{
    unsigned readable = files->raw.width > 0 ? KIND_RAW : KIND_ANY & ~(unsigned)KIND_RAW;
    unsigned target = files->target == NULL ? KIND_ANY : file_kind(files->target);

    return options_check(verb, given, target, readable, NULL) && decode_options_check(verb, files) &&
           encode_settings_finish(verb, settings) && j2k_settings_finish(verb, j2k);
}

/* Check that the verb for filters has a chain of them, and that no second chain comes from --filters. */
static int check_filters(const struct verb *verb, const char *filters, const struct resize_settings *resize)
{
    if (verb == &verb_filter && filters == NULL)
        return complain_usage(verb->name, "filters come first, such as 'kostka filter canny=50:150 IN OUT'");
    if (filters != NULL && resize->filters != NULL)
        return complain_usage(verb->name, "the filters come first: add those of --filters to them");
    return EXIT_FINE;
}

/*
 * Check that the target fits the chain: counts and lines can be written only in formats that hold such results, which
 * hold nothing else. `histogram`, which is no filter of the library, is cut off the chain.
 */
static int settle_filters(const char *verb, const char *chain, struct file_settings *files, char **cut)
{
    size_t length = 0;
    bool results = files->target != NULL && file_holds_results(files->target);

    files->filters = chain;
    files->counts = chain != NULL && filters_count(chain, &length);
    if (files->counts && files->target != NULL && (!results || files->target == &file_svg))
        return complain_usage(verb, "histogram makes JSON or CSV: a name in .json or .csv, or --out-format");
    if (results && !files->counts && (chain == NULL || !filters_find_lines(chain)))
        return complain_usage(verb,
            "%s holds what the filters 'histogram' and 'lines' find%s; one of these is to be the last",
            files->target->name, files->target == &file_svg ? ", of which it takes lines" : "");
    if (!files->counts)
        return EXIT_FINE;
    *cut = strndup(chain, length);
    files->filters = length > 0 ? *cut : NULL;
    return *cut != NULL ? EXIT_FINE : EXIT_FAILED;
}

int convert_run(const struct verb *verb, const char *filters, int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {0};
    struct encode_settings settings;
    struct j2k_settings j2k;
    struct resize_settings resize = {.draft = false};
    struct options_given given;
    char *cut = NULL;
    int code;

    encode_settings_init(&settings);
    j2k_settings_init(&j2k);
    kst_decode_options_init(&files.decode);
    const struct option_group groups[] = {common_group(&common), output_group(&output), many_group(&output.many),
        encode_group(&settings), j2k_group(&j2k, false), decode_group(&files.decode), samples_group(&files, true),
        resize_group(&resize)};
    if (options_read(verb, argc, argv, groups, 8, &given, &code) &&
        (code = check_filters(verb, filters, &resize)) == EXIT_FINE &&
        (code = output_take_archives(verb->name, &output, &given, &argc, argv) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE &&
        (code = choose_target(verb->name, &output, argc, argv, &files.target)) == EXIT_FINE &&
        (code = settle_filters(verb->name, filters != NULL ? filters : resize.filters, &files, &cut)) == EXIT_FINE &&
        (code = check(verb->name, &given, &files, &settings, &j2k) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE) {
        target_settle(&files);
        settings.options.jpeg2000 = &j2k.options;
        files.encode = &settings.options;
        files.by_quality = settings.quality_given;
        files.subsampled = settings.subsampling_named;
        files.given = &given;
        files.resize = &resize;
        files.keep_tables = !options_have(&given, OPTION_QUALITY) && !options_have(&given, OPTION_QTABLES);
        files.keep_sampling = !options_have(&given, OPTION_SUBSAMPLING);
        files.max_pixels = common_max_pixels(&common);
        files.max_memory = common_max_memory(&common);
        files.compression = output.compression;
        const struct batch batch = {verb, &common, &output, &files, task_convert, NULL, false, false, NULL};
        code = batch_run(&batch, argc, argv);
    }
    encode_settings_release(&settings);
    free(cut);
    return code;
}

static int run(int argc, char **argv)
{
    return convert_run(&verb_convert, NULL, argc, argv);
}

const struct verb verb_convert = {
    .name = "convert",
    .summary = "read any format and write any other, with new pixels",
    .run = run,
    .help =
        "Usage: kostka convert [OPTIONS] IN OUT\n"
        "       kostka convert [OPTIONS] --out-format FORMAT --out-dir DIR IN...\n"
        "\n"
        "Reads JPEG, JPEG 2000, PNG, TIFF, BMP, WebP, GIF, PAM, PPM, PGM, PBM or PGX, and writes JPEG, JPEG 2000,\n"
        "PNG, TIFF, BMP, PAM, PPM, PGM, PGX or raw samples, by OUT's extension or --out-format. '-' is standard input\n"
        "or output.\n"
        "From JPEG to JPEG this encodes again, with loss; 'kostka transcode' does not.\n"
        "\n"
        "Takes the options of 'kostka decode' for JPEG inputs (--scale, --region, --orient, --strict,\n"
        "--format) and those of 'kostka encode' for JPEG outputs (-q, --subsampling, --progressive ...) and\n"
        "JPEG 2000 (--lossless, --rate, --psnr, --tiles ...); --layers is that of decoding.\n"
        "--resize WxH, --fit, --filter and --draft give pictures another size, as with 'kostka decode', and --filters\n"
        "FILTER,... applies what 'kostka help filter' lists, behind that.\n"
        "--raw WxHxN:DEPTH reads samples without a header, s behind the depth means signed ones; --raw-layout,\n"
        "--interleave and --endian little|big say how they lie there, and how they are written.\n"
        "\n" BATCH_HELP "\n"
        "ICC profile, Exif, XMP, IPTC, comments and density go along where both formats hold them. A JPEG file made\n"
        "of JPEG, of the same size, keeps the quantisation tables and the sampling unless an option changes them.\n",
};
