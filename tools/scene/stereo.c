/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka filter stereo', which finds the disparities of two rectified pictures. */
#include "scene/stereo.h"

#include <kostka/kostka_device.h>
#include <kostka/kostka_filter.h>
#include <string.h>

#include "options/options.h"
#include "scene/maps.h"

enum { UNIT = 256 /* disparities are in units of 1/256 pixel */, MOST = 256, NO_TOLERANCE = -1 };

struct stereo_settings {
    kst_stereo_options options;
    const char *confidence; /* the path of another output; null: none */
    struct file_settings files;
};

static bool set_tolerance(const char *value, int32_t *tolerance)
{
    uint32_t number;

    if (strcmp(value, "none") == 0) {
        *tolerance = NO_TOLERANCE;
        return true;
    }
    if (!value_count("filter", "--tolerance", value, 0, MOST - 1, &number))
        return false;
    *tolerance = (int32_t)number;
    return true;
}

static bool handle(const char *verb, void *to, int code, const char *value)
{
    struct stereo_settings *settings = to;
    kst_stereo_options *options = &settings->options;

    switch (code) {
    case OPTION_LEAST:
        return value_count(verb, "--least", value, 0, MOST - 1, &options->least);
    case OPTION_DISPARITIES:
        return value_count(verb, "--disparities", value, 2, MOST, &options->disparities);
    case OPTION_PATHS:
        return value_count(verb, "--paths", value, 4, 8, &options->paths);
    case OPTION_P1:
        return value_count(verb, "--p1", value, 0, MOST - 1, &options->p1);
    case OPTION_P2:
        return value_count(verb, "--p2", value, 0, MOST - 1, &options->p2);
    case OPTION_UNIQUENESS:
        return value_count(verb, "--uniqueness", value, 0, 99, &options->uniqueness);
    case OPTION_TOLERANCE:
        return set_tolerance(value, &options->tolerance);
    default:
        settings->confidence = value;
        return true;
    }
}

static struct option_group stereo_group(struct stereo_settings *settings)
{
    static const struct option_entry table[] = {{"least", "PIXELS", OPTION_LEAST, 0, 0},
        {"disparities", "N", OPTION_DISPARITIES, 0, 0}, {"paths", "4|8", OPTION_PATHS, 0, 0},
        {"p1", "N", OPTION_P1, 0, 0}, {"p2", "N", OPTION_P2, 0, 0}, {"uniqueness", "N", OPTION_UNIQUENESS, 0, 0},
        {"tolerance", "PIXELS", OPTION_TOLERANCE, 0, 0}, {"confidence", "FILE", OPTION_CONFIDENCE, 0, 0},
        {NULL, NULL, 0, 0, 0}};

    kst_filter_stereo_options_init(&settings->options);
    return (struct option_group){table, handle, settings};
}

static bool match(struct stereo_settings *settings, struct picture from[2], struct picture to[2])
{
    kst_context *context = settings->files.context;
    kst_report report;

    kst_report_init(&report);
    to[0].context = to[1].context = context;
    to[0].image.memory = to[1].image.memory = kst_context_memory(context);
    kst_status status = kst_filter_stereo(context, &from[0].image, &from[1].image, &settings->options, &to[0].image,
        settings->confidence != NULL ? &to[1].image : NULL, &report);
    if (!status)
        status = maps_bring(context, &to[0].image);
    if (!status && settings->confidence != NULL)
        status = maps_bring(context, &to[1].image);
    if (status)
        maps_complain("filter stereo", status, &report);
    else if (settings->files.verbose)
        complain(NULL, "matched: %ux%u, %u disparities, %.3f ms", (unsigned)to[0].image.width,
            (unsigned)to[0].image.height, (unsigned)settings->options.disparities,
            1000 * report.stage_seconds[KST_STAGE_PIXELS]);
    return !status;
}

static int run_files(struct stereo_settings *settings, char **names)
{
    struct picture from[2], to[2];

    for (int i = 0; i < 2; i++) {
        picture_init(&from[i]);
        picture_init(&to[i]);
    }
    bool good = picture_read_named(&from[0], names[0], &settings->files, NULL) &&
                picture_read_named(&from[1], names[1], &settings->files, NULL) && match(settings, from, to) &&
                maps_write(&to[0], names[2], 1.0 / UNIT, &settings->files) &&
                (settings->confidence == NULL || maps_write(&to[1], settings->confidence, 0, &settings->files));
    for (int i = 0; i < 2; i++) {
        picture_release(&from[i]);
        picture_release(&to[i]);
    }
    return good ? EXIT_FINE : EXIT_FAILED;
}

static const struct verb verb_stereo = {
    .name = "filter",
    .summary = "find the disparities of two rectified pictures",
    .run = stereo_run,
    .help =
        "Usage: kostka filter stereo [OPTIONS] LEFT RIGHT OUT\n"
        "\n"
        "Finds by semi-global matching how far each pixel of LEFT has moved to the left in RIGHT, a picture of the "
        "same\n"
        "size whose rows see the same as those of LEFT. OUT has 16 bits, in which pixels are counted by 1/256 and 0 "
        "is\n"
        "unknown (PNG, TIFF, PGM, PAM), or floating-point numbers (PFM). All is done in integers: the result does not\n"
        "depend on the device.\n"
        "\n"
        "  --disparities N     how many are tried, 2-256 (128)\n"
        "  --least PIXELS      the least of them (0)\n"
        "  --paths 4|8         along which costs are added up (8)\n"
        "  --p1 N, --p2 N      penalties of disparities that differ by 1, and by more, from a neighbour's (8, 48)\n"
        "  --uniqueness N      per cent by which other matches must cost more (5)\n"
        "  --tolerance PIXELS  by which a match from RIGHT to LEFT may differ (1), or none: it may be any\n"
        "  --confidence FILE   also write how sure each disparity is, from 0 to 255\n"
        "  --threads N, --device DEVICE, --max-pixels N, --max-memory BYTES, -v\n"
        "\n"
        "  kostka filter stereo left.png right.png disparity.png --disparities 128\n",
};

int stereo_run(int argc, char **argv)
{
    struct common_options common = {0};
    struct stereo_settings settings = {.confidence = NULL};
    struct options_given given;
    int code;

    kst_decode_options_init(&settings.files.decode);
    const struct option_group groups[] = {common_group(&common), stereo_group(&settings)};
    if (!options_read(&verb_stereo, argc, argv, groups, 2, &given, &code))
        return code;
    if (argc - optind != 3)
        return complain_usage("filter", "stereo takes LEFT, RIGHT and OUT, not %d names", argc - optind);
    if (!maps_check_paths(argv[optind + 2], settings.confidence) ||
        !maps_spare(argv[optind], argv[optind + 2], settings.confidence, NULL) ||
        !maps_spare(argv[optind + 1], argv[optind + 2], settings.confidence, NULL))
        return EXIT_USAGE;
    if ((code = common_context(&common, common.threads, &settings.files.context)) != EXIT_FINE)
        return code;
    settings.files.max_pixels = common_max_pixels(&common);
    settings.files.max_memory = common_max_memory(&common);
    settings.files.verbose = common.verbose;
    settings.files.compression = -1;
    code = run_files(&settings, argv + optind);
    kst_context_destroy(&settings.files.context);
    return code;
}
