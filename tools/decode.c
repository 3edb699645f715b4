/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka decode', which writes a stream's pixels. */
#include <string.h>

#include "batch/batch.h"
#include "batch/target.h"
#include "files/filter.h"
#include "files/resize.h"

static bool decode_one(const void *settings, struct task *task, struct problem *problem)
{
    struct picture picture;
    bool good;
    (void)settings;

    const struct file_format *found = file_format_of(task->source);
    if (found != NULL && !options_suit(task->files.given, file_kind(task->files.target), found, problem))
        return false;
    if (found != NULL && found != &file_jpeg && found != &file_j2k)
        return problem_set(problem,
            "a %s file, neither JPEG nor JPEG 2000; 'kostka convert' changes it to another format", found->name);
    if (task_by_rows(task, &good, problem))
        return good;
    picture_init(&picture);
    good = file_jpeg.read(task->source, &task->files, &picture, problem) &&
           picture_resize(&picture, task->source->name, &task->files, problem) &&
           picture_filter(&picture, task->source->name, &task->files, problem) && task_write(task, &picture, problem);
    picture_release(&picture);
    return good;
}

/* Choose the output's format: a Netpbm format unless a name or an option says otherwise. */
static int choose_target(const struct output_options *output, int argc, char **argv, const struct file_format **target)
{
    bool named = output->directory == NULL && argc - optind == 2 && strcmp(argv[argc - 1], "-") != 0;
    int code = target_choose("decode", output, argc, argv, ".ppm, .pgm, .pam, .png, .tif, .bmp, .pgx, .raw and .yuv",
        named ? NULL : &file_pnm, target);

    if (code == EXIT_FINE && file_holds_results(*target))
        return complain_usage("decode", "%s holds no pixels; 'kostka filter %s' makes it", (*target)->name,
            *target == &file_svg ? "lines" : "histogram");
    if (code == EXIT_FINE && (file_kind(*target) & KIND_CODED) != 0)
        return complain_usage("decode", "the output must hold pixels, not %s; 'convert' encodes again",
            *target == &file_jpeg ? "JPEG" : "JPEG 2000");
    return code;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {0};
    struct resize_settings resize = {.draft = false};
    struct options_given given;
    int code;

    kst_decode_options_init(&files.decode);
    const struct option_group groups[] = {common_group(&common), output_group(&output), many_group(&output.many),
        decode_group(&files.decode), samples_group(&files, false), resize_group(&resize)};
    if (!options_read(&verb_decode, argc, argv, groups, 6, &given, &code))
        return code;
    if (!output_take_archives("decode", &output, &given, &argc, argv))
        return EXIT_USAGE;
    code = choose_target(&output, argc, argv, &files.target);
    if (code != EXIT_FINE)
        return code;
    target_settle(&files);
    if (!options_check("decode", &given, file_kind(files.target), KIND_CODED, NULL) ||
        !decode_options_check("decode", &files))
        return EXIT_USAGE;
    files.given = &given;
    files.resize = &resize;
    files.filters = resize.filters;
    files.max_pixels = common_max_pixels(&common);
    files.max_memory = common_max_memory(&common);
    files.compression = output.compression;
    const struct batch batch = {&verb_decode, &common, &output, &files, decode_one, NULL, false, true, NULL};
    return batch_run(&batch, argc, argv);
}

const struct verb verb_decode = {
    .name = "decode",
    .summary = "turn JPEG and JPEG 2000 files into pixels: PNM, PAM, PNG, TIFF, BMP, PGX",
    .run = run,
    .help =
        "Usage: kostka decode [OPTIONS] IN OUT\n"
        "       kostka decode [OPTIONS] --out-dir DIR IN...\n"
        "\n"
        "Decodes JPEG and JPEG 2000. OUT's extension chooses the format: .ppm .pgm .pnm .pam .png .tif .bmp\n"
        ".pgx .raw .yuv;\n"
        "'-' is standard input or output (there PNM, unless --out-format says otherwise).\n"
        "\n"
        "  --format FORMAT     auto (default), grey, rgb, bgr, rgba, bgra, cmyk; planar: one plane for each\n"
        "                      colour; raw: the components as coded, neither converted nor enlarged\n"
        "  --scale N/8         decode at N/8 of the size, N from 1 to 16; also 1/1, 1/2, 1/4\n"
        "  --reduce 1|2|3      at 1/2, 1/4 or 1/8 of the size (JPEG 2000: any N), as --scale 1/2, 1/4 and 1/8\n"
        "  --inverse-dct int|fast     JPEG: the exact transform (default) or libjpeg's fast one\n"
        "  --upsampling fancy|nearest JPEG: a triangle filter for chrominance (default), or none\n"
        "  --layers N          JPEG 2000: no more than the first N quality layers\n"
        "  --tile N            JPEG 2000: this tile alone, counted from 0; the region is a part of it\n"
        "  --components LIST   JPEG 2000: only these, as coded: 0,3,5-7\n"
        "  --region WxH+X+Y    only this part, of the scaled picture; X,Y,W,H and --crop do too\n"
        "  --orient            turn the picture as its Exif orientation says\n"
        "  --resize WxH|W|xH   another size, by the filters of Pillow; one side keeps the aspect ratio\n"
        "  --fit exact|inside|cover   that size (default), the largest inside it, or a centred part of its shape\n"
        "  --filter NAME       bicubic (default), box, bilinear, hamming, lanczos\n"
        "  --draft             first reduce as --reduce does, to at least twice the sides that are wanted: faster\n"
        "  --filters FILTER,...   then apply filters, from left to right; 'kostka help filter' lists them\n"
        "  --strict            damage is an error instead of a warning\n"
        "  -i FILE, -o FILE    the input, the output: as the operands (--input, --output)\n"
        "  --out-dir DIR       many inputs, folders among them; each file becomes one of the same name "
        "there\n" BATCH_HELP
        "  --out-format NAME   png, tiff, bmp, pnm, pgm, ppm, pam, pgx, raw or yuv, whatever the output's name\n"
        "  --interleave        planes of one size take turns in one file: TIFF, raw\n"
        "  --raw-layout pixels|planes  of raw samples; default pixel by pixel, or planes with --format planar, raw\n"
        "  --endian little|big byte order of PGX (default big) and raw samples (default the machine's)\n"
        "  --compression 0-9   of PNG (default 4) and TIFF (default none)\n"
        "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
        "  --device DEVICE     auto, cpu, cuda:N, opencl:N; see 'kostka devices'; for many inputs also all, or\n"
        "                      several with commas\n"
        "  --max-pixels N, --max-memory BYTES   limits (512M pixels, 4G)\n"
        "  --max-work N        samples for each byte of JPEG 2000, beyond 128M for all (65536)\n"
        "  -v, --verbose       print what ran where, and for how long\n"
        "\n"
        "Planes (planar, raw, and all of PGX) become NAME-0.pgm, NAME-1.pgm ...; with .raw or .yuv one file of\n"
        "all planes. For .yuv JPEG is not converted from YCbCr, as with --format raw.\n",
};
