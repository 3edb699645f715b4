/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

static bool encode_one(const void *settings, struct task *task, struct problem *problem)
{
    struct picture picture;
    (void)settings;

    picture_init(&picture);
    bool good = picture_read(&picture, task->source, &task->files, NULL, problem);
    if (good) {
        char *path = task_path(task, "jpg");
        good = path != NULL ? picture_write(&picture, path, &file_jpeg, &task->files, problem)
                            : problem_set(problem, "out of memory");
        free(path);
    }
    picture_release(&picture);
    return good;
}

static int check_target(const struct output_options *output, int argc, char **argv)
{
    const struct file_format *target = output->format;

    if (target == NULL && output->directory == NULL && argc - optind == 2)
        target = file_format_by_path(argv[argc - 1]);
    if (target != NULL && target != &file_jpeg)
        return complain_usage("encode", "the output is JPEG, not %s; 'convert' makes other formats", target->name);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {.compression = -1};
    struct encode_settings settings;
    int code;

    encode_settings_init(&settings);
    kst_decode_options_init(&files.decode);
    const struct option_group groups[] = {common_group(&common), output_group(&output), encode_group(&settings)};
    if (options_read(&verb_encode, argc, argv, groups, 3, &code) &&
        (code = check_target(&output, argc, argv)) == EXIT_FINE) {
        encode_settings_finish(&settings);
        files.encode = &settings.options;
        files.target = &file_jpeg;
        files.max_pixels = common_max_pixels(&common);
        const struct batch batch = {&verb_encode, &common, &output, &files, encode_one, NULL};
        code = batch_run(&batch, argc, argv);
    }
    encode_settings_release(&settings);
    return code;
}

const struct verb verb_encode = {
    .name = "encode",
    .summary = "make JPEG files of pixels: PNM, PAM, PNG, TIFF; or of JPEG anew",
    .run = run,
    .help = "Usage: kostka encode [OPTIONS] IN OUT\n"
            "       kostka encode [OPTIONS] --out-dir DIR IN...\n"
            "\n"
            "Encodes PBM, PGM, PPM, PAM, PNG, TIFF or JPEG (anew, with loss; see 'kostka help transcode') as JPEG.\n"
            "'-' is standard input or output.\n"
            "\n"
            "  -q, --quality N     1-100, default 75\n"
            "  --subsampling S     420 (default), 422, 444, 440, 411, 410, grey; or the factors of each\n"
            "                      component: 2x1,1x1,1x1\n"
            "  --optimize          Huffman tables made for the picture: smaller by a few per cent\n"
            "  --progressive       progressive; smaller still, and slower to decode\n"
            "  --scans FILE        progressive by the scan script in FILE\n"
            "  --restart N|Nr|auto|none  restart markers every N MCUs or N rows of them; auto: an interval that\n"
            "                      lets many threads decode at once\n"
            "  --grey, --rgb       code the luminance alone; code RGB without conversion to YCbCr\n"
            "  --qtables FILE      up to four quantisation tables, scaled by --quality where that is given\n"
            "  --wide-quantisers   allow quantisers above 255 at low quality (no longer baseline)\n"
            "  --icc FILE, --exif FILE, --comment TEXT  attach metadata; the input's ICC profile and\n"
            "                      Exif are kept\n"
            "  --out-dir DIR       many inputs; each becomes NAME.jpg there\n"
            "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
            "  --device DEVICE     auto, cpu, cuda:N, opencl:N; see 'kostka devices'\n"
            "  --max-pixels N, --max-memory BYTES   limits (512M pixels, 4G)\n"
            "  -v, --verbose       tell what ran where, and for how long\n"
            "\n"
            "16-bit samples are rounded to 8 bits, and transparency is dropped: JPEG has neither.\n",
};
