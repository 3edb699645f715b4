/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka filter sweep', which finds the depths of a scene that calibrated cameras see. */
#include "scene/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "scene/cameras.h"
#include "scene/maps.h"
#include "scene/ply.h"

enum { VIEWS_MOST = 32, VIEWS_USUAL = 16, SAMPLES = 65535, SIDE = 3 };

struct sweep_settings {
    kst_sweep_options options;
    const char *reference, *confidence, *cloud; /* reference null: the first picture; the others null: not written */
    uint32_t views;                             /* 0: VIEWS_USUAL, or all of a shorter list */
    struct file_settings files;
};

static bool set_depths(const char *verb, const char *value, kst_sweep_options *options)
{
    char *colon, *end;

    options->nearest = strtod(value, &colon);
    if (colon > value && *colon == ':') {
        options->farthest = strtod(colon + 1, &end);
        if (end > colon + 1 && *end == '\0' && options->nearest > 0 && options->farthest > options->nearest)
            return true;
    }
    complain_usage(
        verb, "--depths takes NEAREST:FARTHEST in the units of the cameras' t, such as 0.5:4, not '%s'", value);
    return false;
}

static bool set_measure(const char *verb, const char *value, kst_sweep_measure *measure)
{
    if (strcmp(value, "ncc") != 0 && strcmp(value, "sad") != 0) {
        complain_usage(verb, "--measure is ncc or sad, not '%s'", value);
        return false;
    }
    *measure = value[0] == 'n' ? KST_SWEEP_NCC : KST_SWEEP_SAD;
    return true;
}

static bool handle_name(struct sweep_settings *settings, int code, const char *value)
{
    const char **name = code == OPTION_REFERENCE    ? &settings->reference
                        : code == OPTION_CONFIDENCE ? &settings->confidence
                                                    : &settings->cloud;

    *name = value;
    return true;
}

static bool handle(const char *verb, void *to, int code, const char *value)
{
    struct sweep_settings *settings = to;
    kst_sweep_options *options = &settings->options;

    switch (code) {
    case OPTION_DEPTHS:
        return set_depths(verb, value, options);
    case OPTION_UNIT:
        return value_positive(verb, "--unit", value, &options->unit);
    case OPTION_PLANES:
        return value_count(verb, "--planes", value, 2, 256, &options->planes);
    case OPTION_RADIUS:
        return value_count(verb, "--radius", value, 1, 4, &options->radius);
    case OPTION_MEASURE:
        return set_measure(verb, value, &options->measure);
    case OPTION_SIMILAR:
        return value_count(verb, "--similar", value, 1, 255, &options->similar);
    case OPTION_AGREEING:
        return value_count(verb, "--agreeing", value, 1, VIEWS_MOST - 1, &options->agreeing);
    case OPTION_VIEWS:
        return value_count(verb, "--views", value, 2, VIEWS_MOST, &settings->views);
    default:
        return handle_name(settings, code, value);
    }
}

static struct option_group sweep_group(struct sweep_settings *settings)
{
    static const struct option_entry table[] = {{"depths", "NEAREST:FARTHEST", OPTION_DEPTHS, 0, 0},
        {"reference", "NAME", OPTION_REFERENCE, 0, 0}, {"views", "N", OPTION_VIEWS, 0, 0},
        {"planes", "N", OPTION_PLANES, 0, 0}, {"radius", "PIXELS", OPTION_RADIUS, 0, 0},
        {"measure", "ncc|sad", OPTION_MEASURE, 0, 0}, {"similar", "N", OPTION_SIMILAR, 0, 0},
        {"agreeing", "N", OPTION_AGREEING, 0, 0}, {"unit", "LENGTH", OPTION_UNIT, 0, 0},
        {"confidence", "FILE", OPTION_CONFIDENCE, 0, 0}, {"cloud", "FILE", OPTION_CLOUD, 0, 0}, {NULL, NULL, 0, 0, 0}};

    kst_filter_sweep_options_init(&settings->options);
    return (struct option_group){table, handle, settings};
}

static bool find_reference(const struct cameras *cameras, const char *list, const char *name, size_t *index)
{
    *index = 0;
    while (name != NULL && *index < cameras->count && strcmp(cameras->view[*index].name, name) != 0)
        ++*index;
    if (*index < cameras->count)
        return true;
    complain(list, "no camera has the picture '%s'", name);
    return false;
}

static bool check_count(const struct cameras *cameras, const char *list, uint32_t views)
{
    if (cameras->count < 2)
        complain(list, "the list has one camera, and depths need two or more");
    else if (views > cameras->count)
        complain(list, "the list has %zu cameras, and --views asks for %u", cameras->count, (unsigned)views);
    else
        return true;
    return false;
}

/* Return the square of the distance between two cameras, whose positions are −Rᵀ t. */
static double distance_of(const kst_camera *a, const kst_camera *b)
{
    double sum = 0;

    for (int i = 0; i < SIDE; i++) {
        double apart = 0;
        for (int k = 0; k < SIDE; k++)
            apart += b->r[k * SIDE + i] * b->t[k] - a->r[k * SIDE + i] * a->t[k];
        sum += apart * apart;
    }
    return sum;
}

/*
 * Holds the pictures of a sweep: the reference first, then those of the nearest cameras, in the order of distance. Of
 * equally near ones, the first in the list are taken.
 */
struct chosen {
    const struct camera_view *view[VIEWS_MOST];
    kst_camera camera[VIEWS_MOST];
    struct picture picture[VIEWS_MOST];
    const kst_image *image[VIEWS_MOST];
    uint32_t count;
};

static void choose(const struct cameras *cameras, size_t reference, uint32_t views, struct chosen *chosen)
{
    double distance[VIEWS_MOST] = {0};

    chosen->view[0] = &cameras->view[reference];
    chosen->count = 1;
    for (size_t i = 0; i < cameras->count; i++) {
        const double own = distance_of(&cameras->view[reference].camera, &cameras->view[i].camera);
        uint32_t at = chosen->count;
        if (i == reference)
            continue;
        while (at > 1 && own < distance[at - 1])
            at--;
        if (at == views)
            continue;
        chosen->count += chosen->count < views;
        for (uint32_t k = chosen->count - 1; k > at; k--) {
            chosen->view[k] = chosen->view[k - 1];
            distance[k] = distance[k - 1];
        }
        chosen->view[at] = &cameras->view[i];
        distance[at] = own;
    }
}

static bool read_pictures(struct chosen *chosen, const struct file_settings *settings)
{
    for (uint32_t i = 0; i < chosen->count; i++) {
        if (!picture_read_named(&chosen->picture[i], chosen->view[i]->path, settings, NULL))
            return false;
        chosen->camera[i] = chosen->view[i]->camera;
        chosen->image[i] = &chosen->picture[i].image;
    }
    return true;
}

static bool sweep(struct sweep_settings *settings, const struct chosen *chosen, struct picture to[2])
{
    kst_context *context = settings->files.context;
    kst_report report;

    kst_report_init(&report);
    to[0].context = to[1].context = context;
    to[0].image.memory = to[1].image.memory = kst_context_memory(context);
    kst_status status = kst_filter_sweep(context, chosen->image, chosen->camera, chosen->count, 0, &settings->options,
        &to[0].image, settings->confidence != NULL ? &to[1].image : NULL, &report);
    if (!status)
        status = maps_bring(context, &to[0].image);
    if (!status && settings->confidence != NULL)
        status = maps_bring(context, &to[1].image);
    if (status)
        maps_complain("filter sweep", status, &report);
    else if (settings->files.verbose)
        complain(NULL, "swept: %ux%u, %u views, %u planes, %.3f ms", (unsigned)to[0].image.width,
            (unsigned)to[0].image.height, (unsigned)chosen->count, (unsigned)settings->options.planes,
            1000 * report.stage_seconds[KST_STAGE_PIXELS]);
    return !status;
}

static bool write_cloud(
    const struct sweep_settings *settings, const struct chosen *chosen, const kst_image *depth, double unit)
{
    struct problem problem = {.text = ""};

    if (settings->cloud == NULL ||
        ply_write(settings->cloud, depth, unit, chosen->image[0], &chosen->camera[0], &problem))
        return true;
    complain(settings->cloud, "%s", problem.text);
    return false;
}

static bool run_chosen(struct sweep_settings *settings, struct chosen *chosen, const char *path)
{
    const kst_sweep_options *options = &settings->options;
    const double unit = options->unit > 0 ? options->unit : options->farthest / SAMPLES;
    struct picture to[2];

    for (uint32_t i = 0; i < chosen->count; i++)
        picture_init(&chosen->picture[i]);
    picture_init(&to[0]);
    picture_init(&to[1]);
    bool good = read_pictures(chosen, &settings->files) && sweep(settings, chosen, to) &&
                write_cloud(settings, chosen, &to[0].image, unit) && maps_write(&to[0], path, unit, &settings->files) &&
                (settings->confidence == NULL || maps_write(&to[1], settings->confidence, 0, &settings->files));
    picture_release(&to[0]);
    picture_release(&to[1]);
    for (uint32_t i = 0; i < chosen->count; i++)
        picture_release(&chosen->picture[i]);
    return good;
}

static int run_files(struct sweep_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct cameras cameras;
    struct chosen *chosen = calloc(1, sizeof *chosen);
    size_t reference, spared = 0;
    bool good = chosen != NULL && cameras_read(&cameras, names[0], &problem);

    if (!good) {
        complain(names[0], "%s", chosen != NULL ? problem.text : kst_status_text(KST_ERROR_MEMORY));
    } else {
        while (spared < cameras.count &&
               maps_spare(cameras.view[spared].path, names[1], settings->confidence, settings->cloud))
            spared++;
        good = spared == cameras.count && check_count(&cameras, names[0], settings->views) &&
               find_reference(&cameras, names[0], settings->reference, &reference);
        if (good) {
            choose(&cameras, reference, settings->views > 0 ? settings->views : VIEWS_USUAL, chosen);
            good = run_chosen(settings, chosen, names[1]);
        }
    }
    if (chosen != NULL)
        cameras_release(&cameras);
    free(chosen);
    return good ? EXIT_FINE : EXIT_FAILED;
}

static const struct verb verb_sweep = {
    .name = "filter",
    .summary = "find the depths of a scene that calibrated cameras see",
    .run = sweep_run,
    .help =
        "Usage: kostka filter sweep --depths NEAREST:FARTHEST [OPTIONS] CAMERAS OUT\n"
        "\n"
        "Finds for each pixel of a picture how far away it is, from pictures of other cameras that see the same, by\n"
        "moving a plane through the scene. CAMERAS lists pictures, which lie beside it, with K, R and t, as text\n"
        "(NAME_par.txt of Middlebury's multi-view data) or JSON ({\"cameras\": [{\"file\", \"k\", \"r\", \"t\"}, "
        "...]}). OUT has\n"
        "16 bits that count units, 0 being unknown (PNG, TIFF, PGM, PAM), or floating-point numbers (PFM). All is "
        "done\n"
        "in integers: the result does not depend on the device.\n"
        "\n"
        "  --depths NEAREST:FARTHEST   where planes lie, in the units of t\n"
        "  --reference NAME    the picture that gets depths (the first one)\n"
        "  --views N           how many pictures are compared with it and itself, 2-32 (16): those of the nearest "
        "cameras\n"
        "  --planes N          2-256 (64)\n"
        "  --radius PIXELS     of the windows that are compared, 1-4 (2)\n"
        "  --measure ncc|sad   correlation, or differences (ncc)\n"
        "  --similar N         how similar windows must be to agree, 1-255 (100)\n"
        "  --agreeing N        how many pictures must agree with the reference (2)\n"
        "  --unit LENGTH       what a sample of 1 stands for, FARTHEST / 65535 or more (that)\n"
        "  --confidence FILE   also write how similar the pictures are, from 0 to 255\n"
        "  --cloud FILE        also write the points in space, with their colours, as PLY\n"
        "  --threads N, --device DEVICE, --max-pixels N, --max-memory BYTES, -v\n"
        "\n"
        "  kostka filter sweep --depths 0.5:0.7 temple_par.txt depth.png --cloud temple.ply\n",
};

static bool check_paths(const struct sweep_settings *settings, const char *out)
{
    if (settings->cloud != NULL && !file_has_extension(settings->cloud, "ply")) {
        complain_usage("filter", "'%s' is written as PLY: choose the extension .ply", settings->cloud);
        return false;
    }
    return maps_check_paths(out, settings->confidence);
}

int sweep_run(int argc, char **argv)
{
    struct common_options common = {0};
    struct sweep_settings settings = {.confidence = NULL};
    struct options_given given;
    int code;

    kst_decode_options_init(&settings.files.decode);
    const struct option_group groups[] = {common_group(&common), sweep_group(&settings)};
    if (!options_read(&verb_sweep, argc, argv, groups, 2, &given, &code))
        return code;
    if (argc - optind != 2)
        return complain_usage("filter", "sweep takes CAMERAS and OUT, not %d names", argc - optind);
    if (!options_have(&given, OPTION_DEPTHS))
        return complain_usage("filter", "sweep needs --depths NEAREST:FARTHEST");
    if (!check_paths(&settings, argv[optind + 1]) ||
        !maps_spare(argv[optind], argv[optind + 1], settings.confidence, settings.cloud))
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
