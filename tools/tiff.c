/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka tiff': reads its action and options. */
#include <string.h>

#include "files/output.h"
#include "pyramid/run.h"

/* Set the pixel format. Tiles are decoded into one picture, whose channels are interleaved. */
static bool set_format(const char *verb, const char *value, kst_decode_options *options)
{
    if (!decode_group(options).handle(verb, options, OPTION_FORMAT, value))
        return false;
    if (options->format == KST_FORMAT_AUTO ||
        (kst_format_channels(options->format) > 0 && options->format != KST_FORMAT_CMYK))
        return true;
    complain_usage(verb, "--format takes auto, grey, rgb, bgr, rgba or bgra here, not '%s'", value);
    return false;
}

static bool handle(const char *verb, void *to, int code, const char *value)
{
    struct pyramid_settings *settings = to;

    switch (code) {
    case OPTION_LEVEL:
        settings->level_given = true;
        return value_count(verb, "--level", value, 0, PYRAMID_LEVELS_MAX, &settings->level);
    case OPTION_CROP:
        return value_region(verb, "--region (--crop)", value, &settings->region);
    case OPTION_IMAGE:
        settings->image = value;
        return true;
    case OPTION_FORMAT:
        return set_format(verb, value, &settings->files.decode);
    case OPTION_OUT_DIR:
        settings->directory = value;
        return true;
    case OPTION_OUT_FORMAT:
        settings->format = file_format_by_name(value);
        if (settings->format == NULL)
            complain_usage(verb, "--out-format: '%s' is no format", value);
        return settings->format != NULL;
    case OPTION_STRICT:
        settings->files.decode.strict = true;
        return true;
    default:
        return resize_group(&(struct resize_settings){.draft = false}).handle(verb, &settings->resize, code, value);
    }
}

static struct option_group tiff_group(struct pyramid_settings *settings)
{
    static const struct option_entry table[] = {{"level", "N", OPTION_LEVEL, 0, 0},
        {"format", "auto|grey|rgb|bgr|rgba|bgra", OPTION_FORMAT, 0, 0}, {"region", "X,Y,WxH", OPTION_CROP, 0, 0},
        {"crop", "X,Y,WxH", OPTION_CROP, 0, 0}, {"image", "label|macro|thumbnail", OPTION_IMAGE, 0, 0},
        {"size", "WxH", OPTION_RESIZE, 0, 0}, {"resize", "WxH", OPTION_RESIZE, 0, 0},
        {"fit", "exact|inside|cover", OPTION_FIT, 0, 0},
        {"filter", "box|bilinear|hamming|bicubic|lanczos", OPTION_FILTER, 0, 0},
        {"out-dir", "DIR", OPTION_OUT_DIR, 0, 0},
        {"out-format", "png|tiff|bmp|pnm|pam|pgx|raw", OPTION_OUT_FORMAT, 0, 0}, {"strict", NULL, OPTION_STRICT, 0, 0},
        {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, settings};
}

/*
 * Describes an action: the number of files that it takes, and the options that only this action has (codes, ended by
 * 0).
 */
struct action {
    const char *name;
    int (*run)(struct pyramid_settings *settings, char **names);
    int files;
    int options[10];
};

static const struct action actions[] = {{"info", pyramid_info, 1, {OPTION_JSON, OPTION_STRICT}},
    {"decode", pyramid_decode_file, 2,
        {OPTION_LEVEL, OPTION_CROP, OPTION_IMAGE, OPTION_FORMAT, OPTION_RESIZE, OPTION_FIT, OPTION_FILTER,
            OPTION_OUT_FORMAT, OPTION_STRICT}},
    {"tiles", pyramid_tiles, 1,
        {OPTION_LEVEL, OPTION_CROP, OPTION_IMAGE, OPTION_FORMAT, OPTION_OUT_DIR, OPTION_OUT_FORMAT, OPTION_STRICT}}};

static const struct action *find_action(const char *name)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

/* Refuse options of other actions by name, and options that modify --size without it. */
static bool check_options(const struct action *action, const struct options_given *given)
{
    static const int common[] = {
        OPTION_THREADS, OPTION_DEVICE, OPTION_MAX_PIXELS, OPTION_MAX_MEMORY, OPTION_MAX_WORK, OPTION_VERBOSE};

    for (size_t i = 0; i < given->count; i++) {
        bool has = false;
        for (size_t k = 0; k < sizeof common / sizeof *common; k++)
            has = has || common[k] == given->entry[i]->code;
        for (size_t k = 0; k < sizeof action->options / sizeof *action->options; k++)
            has = has || action->options[k] == given->entry[i]->code;
        if (!has) {
            complain_usage("tiff", "--%s is not an option of 'tiff %s'", given->entry[i]->name, action->name);
            return false;
        }
    }
    static const char why[] = "it is for --size, which is missing";
    return options_have(given, OPTION_RESIZE) ||
           (options_refuse("tiff", given, OPTION_FIT, why) && options_refuse("tiff", given, OPTION_FILTER, why));
}

/* Check the outputs, and the choice of the picture. */
static bool check_settings(const struct action *action, struct pyramid_settings *settings, char **names)
{
    if (settings->image != NULL && settings->level_given) {
        complain_usage("tiff", "--image is another picture than a --level");
        return false;
    }
    if (action->run == pyramid_tiles && settings->directory == NULL) {
        complain_usage("tiff", "tiles needs --out-dir");
        return false;
    }
    if (action->run == pyramid_tiles && settings->format == NULL && settings->files.decode.format != KST_FORMAT_AUTO) {
        complain_usage("tiff", "--format is for tiles that are decoded, by --out-format");
        return false;
    }
    if (action->run == pyramid_decode_file && settings->format == NULL)
        settings->format = strcmp(names[1], "-") == 0 ? &file_pnm : file_format_by_path(names[1]);
    const bool pixels = settings->format != NULL && settings->format->write != NULL &&
                        (file_kind(settings->format) & KIND_CODED) == 0 && !file_holds_results(settings->format);
    if (!pixels && (settings->format != NULL || action->run == pyramid_decode_file)) {
        complain_usage("tiff", "the output holds pixels: .ppm, .pgm, .pam, .png, .tif, .bmp, .pgx or .raw");
        return false;
    }
    return true;
}

static int run_action(const struct action *action, struct pyramid_settings *settings, int argc, char **argv)
{
    if (argc != action->files)
        return complain_usage("tiff", "%s takes %d file%s", action->name, action->files, action->files > 1 ? "s" : "");
    if (!check_settings(action, settings, argv))
        return EXIT_USAGE;
    if (action->files == 2 && output_is_source(argv[1], argv[0]))
        return complain_usage("tiff", "'%s' is the input itself: name another file", argv[1]);
    settings->files.max_pixels = common_max_pixels(&settings->common);
    settings->files.max_memory = common_max_memory(&settings->common);
    settings->files.resize = &settings->resize;
    settings->files.target = settings->format;
    settings->files.compression = -1;
    settings->files.verbose = settings->common.verbose;
    if (action->run == pyramid_info)
        return action->run(settings, argv);
    int code = common_context(&settings->common, 0, &settings->files.context);
    if (code == EXIT_FINE) {
        code = action->run(settings, argv);
        kst_context_destroy(&settings->files.context);
    }
    return code;
}

static int run(int argc, char **argv)
{
    struct pyramid_settings settings = {.level = 0};
    struct options_given given;
    int code;

    kst_decode_options_init(&settings.files.decode);
    kst_resize_options_init(&settings.resize.options);
    const struct option_group groups[] = {
        common_group(&settings.common), json_group(&settings.json), tiff_group(&settings)};
    if (!options_read(&verb_tiff, argc, argv, groups, 3, &given, &code))
        return code;
    const struct action *action = optind < argc ? find_action(argv[optind]) : NULL;
    if (action == NULL)
        return complain_usage("tiff", "takes an action: info, decode or tiles");
    if (!check_options(action, &given))
        return EXIT_USAGE;
    return run_action(action, &settings, argc - optind - 1, argv + optind + 1);
}

const struct verb verb_tiff = {
    .name = "tiff",
    .summary = "decode pyramids of JPEG and JPEG 2000 tiles in TIFF: whole slides, by region and level",
    .actions = "info|decode|tiles",
    .run = run,
    .help =
        "Usage: kostka tiff info [--json] FILE\n"
        "       kostka tiff decode [--level N] [--region X,Y,WxH] [--size WxH] [OPTIONS] FILE OUT\n"
        "       kostka tiff tiles --out-dir DIR [--level N] [--out-format FORMAT] [OPTIONS] FILE\n"
        "\n"
        "Reads Aperio SVS, Hamamatsu NDPI, OME-TIFF, and other TIFF and BigTIFF files whose tiles or strips are JPEG "
        "or\n"
        "JPEG 2000.\n"
        "OUT's extension chooses the format, as for 'kostka decode'; '-' is standard output (PNM).\n"
        "\n"
        "  --level N           0 is the largest (default); see 'kostka tiff info'\n"
        "  --image NAME        label, macro or thumbnail instead of a level\n"
        "  --region X,Y,WxH    only this part, in pixels of the level; WxH+X+Y and X,Y,W,H do too\n"
        "  --format FORMAT     auto (default), grey, rgb, bgr, rgba, bgra\n"
        "  --size WxH|W|xH     another size; without --level the region is one of level 0, and the smallest level is\n"
        "                      taken that suffices (--resize)\n"
        "  --fit exact|inside|cover   that size (default), the largest inside it, or a centred part of its shape\n"
        "  --filter NAME       bicubic (default), box, bilinear, hamming, lanczos\n"
        "  --out-dir DIR       tiles: a file for each tile, COLUMN_ROW.jpg, .j2k or .jp2: the coded bytes, with the\n"
        "                      tables and the colours that the TIFF file says they have\n"
        "  --out-format NAME   png, tiff, bmp, pnm, pam, pgx or raw; tiles: decoded, instead of as they are coded\n"
        "  --strict            damage is an error instead of a warning\n"
        "  --json              info: print an object\n"
        "  -t, --threads N     default: KOSTKA_THREADS, else one for each processor\n"
        "  --device DEVICE     auto, cpu, cuda:N, opencl:N; see 'kostka devices'\n"
        "  --max-pixels N, --max-memory BYTES, --max-work N   limits\n"
        "  -v, --verbose       print what ran where, and for how long\n"
        "\n"
        "Tiles that the file has not are white, as are damaged ones that cannot be decoded, which are counted.\n",
};
