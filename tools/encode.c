/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka encode', which encodes pictures as a whole, in bands or in rows. */
#include <stdlib.h>

#include "batch/batch.h"
#include "batch/target.h"
#include "files/resize.h"
#include "files/rows/bands.h"
#include "files/rows/in.h"
#include "files/rows/rows.h"
#include "progress/outcome.h"

static bool encode_whole(const struct task *task, struct source *source, const char *path, struct problem *problem)
{
    struct picture picture;

    picture_init(&picture);
    bool good = picture_read(&picture, source, &task->files, NULL, problem);
    if (picture.pending == NULL)
        source_release(source);
    good = good && picture_write(&picture, path, task->files.target, &task->files, problem);
    picture_release(&picture);
    return good;
}

static void note_pixels(const kst_image *image)
{
    outcome_note_pixels((uint64_t)image->width * image->height);
}

/* Encode a picture, row by row if possible. Otherwise the whole picture is read first. */
static bool encode_picture(const struct task *task, struct source *source, const char *path, struct problem *problem)
{
    const struct file_settings *files = &task->files;
    struct rows_in rows;

    if (!rows_in_expect(source, files) && !source_finish_picture(source, files, problem))
        return false;
    if (rows_in_open(&rows, source, files)) {
        note_pixels(&rows.whole.image);
        bool good = rows_in_encode(&rows, path, problem);
        rows_in_close(&rows);
        return good;
    }
    return (source->descriptor < 0 || source_finish_picture(source, files, problem)) &&
           encode_whole(task, source, path, problem);
}

/*
 * Return whether the picture goes through a relay as a whole: there is one, and the source is at most a quarter of the
 * memory limit, beyond which it is read in rows.
 */
static bool is_relayed(const struct source *source, const struct file_settings *files)
{
    return files->relay != NULL && source_size(source) <= files->max_memory / 4;
}

/* Encode an open source, whose first bytes have been read. */
static bool encode_open(const struct task *task, struct source *source, const char *path, struct problem *problem)
{
    const struct file_settings *files = &task->files;
    struct band_file bands;
    struct row_file rows;
    bool good;

    if (resize_wanted(files) || files->filters != NULL || is_relayed(source, files)) {
        good = source_finish_picture(source, files, problem) && encode_whole(task, source, path, problem);
    } else if (band_file_open(&bands, source, files)) {
        note_pixels(&bands.image);
        good = band_file_encode(&bands, path, files, problem);
        band_file_close(&bands);
    } else if (!source->borrowed && row_file_open(&rows, source->name, files)) {
        note_pixels(&rows.image);
        good = row_file_encode(&rows, path, files, problem);
        row_file_close(&rows);
    } else {
        good = encode_picture(task, source, path, problem);
    }
    return good;
}

/*
 * Open the file that a source names, or use its bytes if it has them, as for an archive's member or a file that was
 * read ahead. Such a source has no open file, so it cannot be read again at an offset.
 */
static bool open_source(struct source *source, const struct source *from, struct problem *problem)
{
    if (from->data == NULL)
        return source_open(source, from->name, problem);
    *source = *from;
    source->borrowed = true;
    source->regular = false;
    return true;
}

static bool encode_one(const void *settings, struct task *task, struct problem *problem)
{
    char *path = task_path(task, task->files.target->extensions[0], problem);
    struct source source;
    (void)settings;

    if (path == NULL)
        return false;
    bool good = open_source(&source, task->source, problem);
    if (good) {
        good = encode_open(task, &source, path, problem);
        source_release(&source);
    }
    free(path);
    return good;
}

/* Choose the output's format: JPEG unless a name or an option says otherwise. */
static int choose_target(const struct output_options *output, int argc, char **argv, const struct file_format **target)
{
    int code = target_choose("encode", output, argc, argv, ".jpg, .jp2 and .j2k", &file_jpeg, target);

    if (code == EXIT_FINE && (file_kind(*target) & KIND_CODED) == 0)
        return complain_usage(
            "encode", "the output is JPEG or JPEG 2000, not %s; 'convert' makes other formats", (*target)->name);
    return code;
}

/* Return the kinds of files that can be read. Raw samples count only with --raw. */
static unsigned readable(const struct file_settings *files)
{
    return files->raw.width > 0 ? KIND_RAW : KIND_ANY & ~(unsigned)KIND_RAW;
}

static bool check(const struct options_given *given, const struct file_settings *files,
    struct encode_settings *settings, struct j2k_settings *j2k)
{
    return options_check("encode", given, file_kind(files->target), readable(files),
               "; a name ending in .jp2 or .jpg, or --out-format, chooses what is made") &&
           encode_settings_finish("encode", settings) && j2k_settings_finish("encode", j2k);
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct output_options output = {.compression = -1};
    struct file_settings files = {.compression = -1};
    struct encode_settings settings;
    struct j2k_settings j2k;
    struct resize_settings resize = {.draft = false};
    struct options_given given;
    int code;

    encode_settings_init(&settings);
    j2k_settings_init(&j2k);
    kst_decode_options_init(&files.decode);
    const struct option_group groups[] = {common_group(&common), output_group(&output), many_group(&output.many),
        encode_group(&settings), j2k_group(&j2k, true), samples_group(&files, true), resize_group(&resize)};
    if (options_read(&verb_encode, argc, argv, groups, 7, &given, &code) &&
        (code = output_take_archives("encode", &output, &given, &argc, argv) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE &&
        (code = choose_target(&output, argc, argv, &files.target)) == EXIT_FINE &&
        (code = check(&given, &files, &settings, &j2k) ? EXIT_FINE : EXIT_USAGE) == EXIT_FINE) {
        settings.options.jpeg2000 = &j2k.options;
        files.encode = &settings.options;
        files.by_quality = settings.quality_given;
        files.subsampled = settings.subsampling_named;
        files.given = &given;
        files.resize = &resize;
        files.filters = resize.filters;
        files.max_pixels = common_max_pixels(&common);
        files.max_memory = common_max_memory(&common);
        files.on_cpu = common_on_cpu(&common);
        const struct batch batch = {&verb_encode, &common, &output, &files, encode_one, NULL, true, false, NULL};
        code = batch_run(&batch, argc, argv);
    }
    encode_settings_release(&settings);
    return code;
}

const struct verb verb_encode = {
    .name = "encode",
    .summary = "make JPEG or JPEG 2000 files of pixels: PNM, PAM, PNG, TIFF; or encode coded files again",
    .run = run,
    .help = "Usage: kostka encode [OPTIONS] IN OUT\n"
            "       kostka encode [OPTIONS] --out-dir DIR [--out-format jp2] IN...\n"
            "\n"
            "Encodes PBM, PGM, PPM, PAM, PGX, PNG, TIFF, BMP, WebP, GIF, JPEG or JPEG 2000 (again; see 'kostka help\n"
            "transcode') as JPEG, or as JPEG 2000 where OUT ends in .jp2 or, a bare codestream, in .j2k,\n"
            ".j2c or .jpc; or as HTJ2K where it ends in .jph or .jhc. '-' is standard input or output.\n"
            "\n"
            "JPEG:\n"
            "  -q, --quality N     1-100, default 75\n"
            "  --subsampling S     420 (default), 422, 444, 440, 411, 410, grey; or the factors of each\n"
            "                      component: 2x1,1x1,1x1\n"
            "  --optimize          Huffman tables made for the picture: smaller by a few per cent\n"
            "  --progressive       progressive; smaller still, and slower to decode; --baseline (default): it is not\n"
            "  --scans FILE        progressive by the scan script in FILE\n"
            "  --forward-dct int|fast    the exact transform (default) or libjpeg's fast one\n"
            "  --restart N|Nr|auto|none  restart markers every N MCUs or N rows of them; auto: an interval that\n"
            "                      lets many threads decode at once\n"
            "  --grey, --rgb       code the luminance alone; code RGB without conversion to YCbCr\n"
            "  --qtables FILE      up to four quantisation tables, scaled by --quality where that is given\n"
            "  --wide-quantisers   allow quantisers above 255 at low quality (no longer baseline)\n"
            "  --precision 8|12    bits of a sample: 12 are coded on the CPU, and what reads them is rare\n"
            "\n"
            "  --resize WxH|W|xH   another size, by the filters of Pillow; one side keeps the aspect ratio\n"
            "  --fit exact|inside|cover   that size (default), the largest inside it, or a centred part of its shape\n"
            "  --filter NAME       bicubic (default), box, bilinear, hamming, lanczos\n"
            "  --filters FILTER,...   then apply filters, from left to right; 'kostka help filter' lists them\n"
            "  --draft             let the decoder of a coded input reduce it to at least twice the sides: faster\n"
            "\n"
            "Samples of more bits are rounded to 8, or 12, and transparency is dropped: JPEG has neither.\n"
            "\n"
            "JPEG 2000:\n"
            "  --lossless          every bit; the default\n"
            "  --rate BPP, --ratio R, --psnr DB   at most so many bits a pixel; at least so many times smaller than\n"
            "                      the samples; at least so many decibels. Several, with commas: one for each layer\n"
            "  --step S            all that a quantiser of this step leaves, in samples\n"
            "  -q, --quality N     the steps that encoders of HTJ2K use for this quality, 1-100\n"
            "  --weights none|vision  what errors count; vision: less where they are hard to see\n"
            "  --ht                HTJ2K: several times as fast, a tenth more bytes; as with an OUT ending in\n"
            "                      .jph or, a bare codestream, in .jhc\n"
            "  --passes 1-3        of HTJ2K: 1 (default) is what every decoder reads; more are a little smaller\n"
            "  --cicp P/T/M[/limited]   name the colours of a .jph by H.273: primaries, transfer, matrix\n"
            "  --reversible        the reversible transforms for these, too\n"
            "  --layers N, --levels N   quality layers (1), levels of decomposition (5)\n"
            "  --tiles WxH, --precincts WxH,..., --codeblock WxH   sizes; precincts from the largest resolution down\n"
            "  --profile NAME      in front of the others, sets what the profile wants and checks all else: profile0,\n"
            "                      profile1, cinema2k, cinema4k, broadcast:M, broadcast-tiled:M,\n"
            "                      broadcast-reversible:M, imf2k, imf4k, imf8k, perhaps with -reversible and :M,S\n"
            "                      (main level, sublevel)\n"
            "  --frame-rate N      frames a second, for the profile's limits; of cinema 24\n"
            "  --progression LRCP|RLCP|RPCL|PCRL|CPRL\n"
            "  --poc ORDER[:R-R[:C-C[:LAYERS]]],...   changes of progression: half-open ranges of resolutions and\n"
            "                      components, the first so many layers\n"
            "  --tile-parts LIST   begin one with each resolution, layer, component\n"
            "  --style LIST        of code-blocks: bypass, reset, termall, causal, predictable, symbols; or ht\n"
            "  --guard-bits N      1-7, default 2\n"
            "  --component N[@TILE]:KEY=VALUE,...   what component N has of its own, in a tile or in all: levels=,\n"
            "                      codeblock=WxH, style=NAME+NAME, guard-bits=, step= (times the others'),\n"
            "                      reversible, irreversible\n"
            "  --interest WxH+X+Y  a region that comes before all else\n"
            "  --keep-components   do not transform colours\n"
            "  --plt, --tlm, --sop, --eph   markers\n"
            "  --packed ppm|ppt    packet headers in the main header, or in those of tile-parts\n"
            "  --codestream        no JP2 file around it, as with an OUT ending in .j2k\n"
            "\n"
            "Both:\n"
            "  --raw WxHxN:DEPTH[s] IN has no header: N samples of DEPTH bits (8) a pixel; s: signed\n"
            "  --raw-layout planes, --endian little|big   one component after the other; the samples' byte order\n"
            "  --icc FILE, --exif FILE, --comment TEXT  attach metadata; the input's own are kept\n"
            "                      where none is given\n"
            "  -i FILE, -o FILE    the input, the output: as the operands (--input, --output)\n"
            "  --out-dir DIR       many inputs, folders among them; each file becomes NAME.jpg there, or\n"
            "                      NAME.jp2 with --out-format jp2\n" BATCH_HELP
            "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
            "  --device DEVICE     auto, cpu, cuda:N, opencl:N; see 'kostka devices'; for many inputs also all, or\n"
            "                      several with commas\n"
            "  --max-pixels N, --max-memory BYTES   limits (512M pixels, 4G)\n"
            "  -v, --verbose       print what ran where, and for how long\n",
};
