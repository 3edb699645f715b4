/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "batch.h"

static int choose_target(const struct output_options *output, int argc, char **argv, const struct file_format **target)
{
    const char *path = argv[argc - 1];

    *target = output->format;
    /* Operands that are missing are for batch_run() to complain of. */
    if (*target == NULL && output->directory == NULL && argc - optind != 2)
        return EXIT_FINE;
    if (*target == NULL && (output->directory != NULL || strcmp(path, "-") == 0))
        return complain_usage("convert", "the output's format is not known; add --out-format");
    if (*target == NULL)
        *target = file_format_by_path(path);
    if (*target == NULL)
        return complain_usage("convert", "'%s' names no known format; add --out-format", path);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {0};
    struct encode_settings settings;
    struct j2k_settings j2k;
    int code;

    encode_settings_init(&settings);
    j2k_settings_init(&j2k);
    kst_decode_options_init(&files.decode);
    const struct option_group groups[] = {common_group(&common), output_group(&output), encode_group(&settings),
        j2k_group(&j2k, false), decode_group(&files.decode), samples_group(&files, true)};
    if (options_read(&verb_convert, argc, argv, groups, 6, &code) &&
        (code = choose_target(&output, argc, argv, &files.target)) == EXIT_FINE &&
        (code = j2k_settings_finish("convert", &j2k) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE) {
        encode_settings_finish(&settings);
        settings.options.jpeg2000 = &j2k.options;
        files.encode = &settings.options;
        files.max_pixels = common_max_pixels(&common);
        files.compression = output.compression;
        const struct batch batch = {&verb_convert, &common, &output, &files, task_convert, NULL, false};
        code = batch_run(&batch, argc, argv);
    }
    encode_settings_release(&settings);
    return code;
}

const struct verb verb_convert = {
    .name = "convert",
    .summary = "read any format and write any other, with new pixels",
    .run = run,
    .help = "Usage: kostka convert [OPTIONS] IN OUT\n"
            "       kostka convert [OPTIONS] --out-format FORMAT --out-dir DIR IN...\n"
            "\n"
            "Reads JPEG, JPEG 2000, PNG, TIFF, PAM, PPM, PGM, PBM or PGX, and writes JPEG, JPEG 2000, PNG, TIFF, PAM,\n"
            "PPM, PGM, PGX or raw samples, by OUT's extension or --out-format. '-' is standard input or output.\n"
            "From JPEG to JPEG this compresses anew, with loss; 'kostka transcode' does not.\n"
            "\n"
            "Takes the options of 'kostka decode' for JPEG inputs (--scale, --region, --orient, --strict,\n"
            "--format) and those of 'kostka encode' for JPEG outputs (-q, --subsampling, --progressive ...) and\n"
            "JPEG 2000 (--lossless, --rate, --psnr, --tiles ...); --layers is that of decoding.\n"
            "--raw WxHxN:DEPTH reads samples without a header, s behind the depth means signed ones; --interleave and\n"
            "--endian little|big say how they lie there, and how they are written.\n"
            "ICC profile, Exif and density go along where both formats hold them.\n",
};
