/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka profile', which shows where the time goes on a device. */
#include "profile/profile.h"

#include <kostka/kostka_device.h>
#include <kostka/kostka_filter.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/filter.h"
#include "options/options.h"
#include "print/json.h"
#include "profile/run.h"
#include "system/channels.h"

struct profile_settings {
    struct file_settings files;
    struct encode_settings encode;
    struct j2k_settings j2k;
    uint64_t repeat, batch;
    const char *svg;
    const char *filters; /* null: none */
    bool encoding, json;
};

/* Holds the pictures and streams that all runs use, `batch` of each, in pinned memory. */
struct load {
    const struct profile_settings *settings;
    struct source source;
    struct picture picture; /* the picture to encode */
    kst_image *image;
    void **stream;
    kst_decode_item *decode;
    kst_encode_item *encode;
    kst_filter *chain;
    kst_image *filtered; /* the results, in device memory like the images */
    kst_filter_item *filter;
};

enum { ROOM = 65536 }; /* bytes for headers, and for small pictures whose streams are longer than their pixels */

static bool decode_all(void *user, kst_report *report, struct problem *problem)
{
    struct load *load = user;
    kst_status status = kst_decode_batch(load->settings->files.context, load->decode, (size_t)load->settings->batch);

    *report = load->decode[0].report;
    return !status || jpeg_report_problem(report, status, problem);
}

static bool encode_all(void *user, kst_report *report, struct problem *problem)
{
    struct load *load = user;
    kst_status status = kst_encode_batch(load->settings->files.context, load->encode, (size_t)load->settings->batch);

    *report = load->encode[0].report;
    return !status || jpeg_report_problem(report, status, problem);
}

static bool filter_all(void *user, kst_report *report, struct problem *problem)
{
    struct load *load = user;
    kst_status status = kst_filter_batch(load->chain, load->filter, (size_t)load->settings->batch);

    *report = load->filter[0].report;
    return !status || jpeg_report_problem(report, status, problem);
}

static bool check(kst_status status, struct problem *problem)
{
    return !status || problem_set(problem, "%s", kst_status_text(status));
}

static bool make_decode_item(struct load *load, size_t index, struct problem *problem)
{
    size_t length = load->source.length;

    if (!check(kst_pinned_allocate(load->settings->files.context, length + 1, &load->stream[index]), problem))
        return false;
    load->image[index].memory = KST_MEMORY_PINNED;
    load->decode[index] = (kst_decode_item){.data = memcpy(load->stream[index], load->source.data, length),
        .length = length,
        .options = &load->settings->files.decode,
        .image = &load->image[index]};
    return true;
}

static bool make_encode_item(struct load *load, size_t index, struct problem *problem)
{
    kst_context *context = load->settings->files.context;
    const kst_image *from = &load->picture.image;
    kst_image *image = &load->image[index];
    size_t room = ROOM + (size_t)from->width * from->height * 4;

    *image = *from;
    image->memory = KST_MEMORY_PINNED;
    image->owned = NULL;
    for (int i = 0; i < 4; i++)
        image->plane[i].data = NULL;
    if (!check(kst_image_allocate(context, image), problem) || !check(kst_image_copy(context, from, image), problem) ||
        !check(kst_pinned_allocate(context, room, &load->stream[index]), problem))
        return false;
    load->encode[index] = (kst_encode_item){.image = image,
        .options = &load->settings->encode.options,
        .output = {.data = load->stream[index], .capacity = room}};
    return true;
}

/* Make an image like another, in device memory. */
static bool make_on_device(kst_context *context, const kst_image *like, kst_image *image, struct problem *problem)
{
    kst_device_info info = {.size = sizeof info};

    *image = *like;
    image->owned = NULL;
    image->plane[0].data = NULL;
    kst_status status = kst_context_device(context, &info);
    image->memory = info.kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
                    : info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                                     : KST_MEMORY_HOST;
    return check(status ? status : kst_image_allocate(context, image), problem);
}

static bool make_filter_item(struct load *load, size_t index, struct problem *problem)
{
    kst_context *context = load->settings->files.context;
    kst_image described;
    kst_report report;

    kst_report_init(&report);
    kst_status status =
        load->chain != NULL ? KST_OK : kst_filter_open(context, load->settings->filters, &load->chain, &report);
    if (!status)
        status = kst_filter_describe(load->chain, &load->picture.image, &described, &report);
    if (status)
        return jpeg_report_problem(&report, status, problem);
    load->filter[index] = (kst_filter_item){.from = &load->image[index], .to = &load->filtered[index]};
    return make_on_device(context, &load->picture.image, &load->image[index], problem) &&
           check(kst_image_copy(context, &load->picture.image, &load->image[index]), problem) &&
           make_on_device(context, &described, &load->filtered[index], problem);
}

static bool make_item(struct load *load, size_t index, struct problem *problem)
{
    return load->settings->filters != NULL ? make_filter_item(load, index, problem)
           : load->settings->encoding      ? make_encode_item(load, index, problem)
                                           : make_decode_item(load, index, problem);
}

static bool load_open(
    struct load *load, const struct profile_settings *settings, const char *name, struct problem *problem)
{
    size_t count = (size_t)settings->batch;
    bool good = true;

    *load = (struct load){.settings = settings};
    picture_init(&load->picture);
    if (!source_read_picture(&load->source, name, &settings->files, problem))
        return false;
    load->image = calloc(count, sizeof *load->image);
    load->stream = calloc(count, sizeof *load->stream);
    load->decode = calloc(count, sizeof *load->decode);
    load->encode = calloc(count, sizeof *load->encode);
    load->filtered = calloc(count, sizeof *load->filtered);
    load->filter = calloc(count, sizeof *load->filter);
    if (load->image == NULL || load->stream == NULL || load->decode == NULL || load->encode == NULL ||
        load->filtered == NULL || load->filter == NULL)
        return problem_set(problem, "out of memory");
    for (size_t i = 0; i < count; i++) {
        kst_image_init(&load->image[i]);
        kst_image_init(&load->filtered[i]);
    }
    if (settings->encoding || settings->filters != NULL)
        good = picture_read(&load->picture, &load->source, &settings->files, NULL, problem);
    if (settings->encoding && good)
        good = picture_to_depth(&load->picture, 8, problem);
    for (size_t i = 0; i < count && good; i++)
        good = make_item(load, i, problem);
    return good;
}

static void load_close(struct load *load)
{
    kst_context *context = load->settings->files.context;

    for (size_t i = 0; i < load->settings->batch && load->filter != NULL && load->stream != NULL; i++) {
        kst_pinned_release(context, load->stream[i]);
        kst_image_release(context, &load->image[i]);
        kst_image_release(context, &load->filtered[i]);
    }
    kst_filter_close(&load->chain);
    free(load->filtered);
    free(load->filter);
    free(load->image);
    free(load->stream);
    free(load->decode);
    free(load->encode);
    picture_release(&load->picture);
    source_release(&load->source);
}

static bool measure(
    const struct profile_settings *settings, const char *name, struct profile *profile, struct problem *problem)
{
    struct load load;

    *profile = (struct profile){.file = name,
        .work = settings->filters != NULL ? settings->filters
                : settings->encoding      ? "encode"
                                          : "decode",
        .runs = (size_t)settings->repeat,
        .batch = (uint32_t)settings->batch};
    profile_work work = settings->filters != NULL ? filter_all : settings->encoding ? encode_all : decode_all;
    bool good = load_open(&load, settings, name, problem) &&
                profile_measure(settings->files.context, work, &load, profile, problem);
    if (good) {
        const kst_image *image = settings->encoding ? &load.picture.image : &load.image[0];
        profile->width = image->width;
        profile->height = image->height;
        for (size_t i = 0; i < settings->batch; i++)
            profile->bytes += settings->encoding ? load.encode[i].output.length : load.source.length;
    }
    load_close(&load);
    return good;
}

static const char *const stages[KST_STAGE_COUNT] = {
    "parse", "entropy", "pixels", "write", "upload", "download", "resize"};
static const char *const kinds[] = {"", "cpu", "cuda", "opencl"};

/* Write a number as text, or a dash if the driver does not report it. */
static const char *number_text(char text[24], double value)
{
    snprintf(text, 24, value < 0 ? "-" : "%.0f", value);
    return text;
}

static void tell_step(const struct profile *profile, const struct profile_step *step)
{
    const kst_step *s = &step->step;
    double rate = profile_rate(step);
    char registers[24], local[24], private[24], groups[48] = "-";

    if (s->kind == KST_STEP_KERNEL)
        snprintf(groups, sizeof groups, "%u x %u", (unsigned)s->groups, (unsigned)s->group_size);
    printf("%9.4f %9.2f %8.1f %6.1f %5s %7s %8s %13s ", 1e3 * step->seconds, (double)s->bytes * 1e-6, rate * 1e-9,
        100 * rate / profile_ceiling(profile, s), number_text(registers, s->kernel.registers),
        number_text(local, s->kernel.local_bytes), number_text(private, s->kernel.private_bytes), groups);
    if (s->kernel.occupancy >= 0)
        printf("%5.0f%%", 100 * s->kernel.occupancy);
    else
        printf("%6s", "-");
    printf("  %s\n", s->name);
}

/* Print how long copying the bytes would take, at the rates of copies. */
static void tell_floors(const struct profile *profile)
{
    double floor[3] = {0}; /* on the device, to it, from it */

    for (size_t i = 0; i < profile->step_count; i++) {
        const struct profile_step *step = &profile->step[i];
        size_t way = step->step.kind == KST_STEP_UPLOAD ? 1 : step->step.kind == KST_STEP_DOWNLOAD ? 2 : 0;
        floor[way] += step->seconds * profile_rate(step) / profile_ceiling(profile, &step->step);
    }
    printf("\nfloors, all bytes at the copies' rates: %.4f ms on the device, %.4f to it, %.4f from it\n",
        1e3 * floor[0], 1e3 * floor[1], 1e3 * floor[2]);
}

static void tell_text(const struct profile *profile)
{
    printf("%s, %s: %s, %u x %u, %u at once, medians of %zu runs\n", profile->device.name, profile->device.model,
        profile->work, (unsigned)profile->width, (unsigned)profile->height, (unsigned)profile->batch, profile->runs);
    printf("copies: %.1f GB/s on the device (read and written), %.1f to it, %.1f from it; the smallest %.2f us\n",
        profile->copy_rate * 1e-9, profile->up_rate * 1e-9, profile->down_rate * 1e-9, profile->least * 1e6);
    printf("whole call %.4f ms", 1e3 * profile->wall);
    for (size_t i = 0; i < KST_STAGE_COUNT; i++)
        if (profile->stage_device[i] != KST_DEVICE_NONE)
            printf(", %s %.4f on %s", stages[i], 1e3 * profile->stage[i], kinds[profile->stage_device[i]]);
    printf("\n\n       ms        MB     GB/s  %%copy  regs   local  private        groups  occup  step\n");
    for (size_t i = 0; i < profile->step_count; i++)
        tell_step(profile, &profile->step[i]);
    tell_floors(profile);
}

static json_t *known(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *json_of_step(const struct profile *profile, const struct profile_step *step)
{
    static const char *const names[] = {"kernel", "upload", "download", "copy", "fill"};
    const kst_step *s = &step->step;
    double rate = profile_rate(step);
    json_t *json = json_pack("{s:s, s:s, s:f, s:f, s:I, s:f, s:f}", "name", s->name, "kind", names[s->kind],
        "start_seconds", step->start, "seconds", step->seconds, "bytes", (json_int_t)s->bytes, "bytes_per_second", rate,
        "share_of_copy", rate / profile_ceiling(profile, s));

    if (s->kind == KST_STEP_KERNEL)
        json_object_update_new(
            json, json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "groups", (json_int_t)s->groups, "group_size",
                      (json_int_t)s->group_size, "registers", known(s->kernel.registers), "local_bytes",
                      known(s->kernel.local_bytes), "private_bytes", known(s->kernel.private_bytes), "resident_groups",
                      known(s->kernel.resident), "occupancy", known(s->kernel.occupancy)));
    return json;
}

static json_t *json_of(const struct profile *profile)
{
    json_t *steps = json_array(), *stage_list = json_object();

    for (size_t i = 0; i < profile->step_count; i++)
        json_array_append_new(steps, json_of_step(profile, &profile->step[i]));
    for (size_t i = 0; i < KST_STAGE_COUNT; i++)
        if (profile->stage_device[i] != KST_DEVICE_NONE)
            json_object_set_new(stage_list, stages[i],
                json_pack("{s:f, s:s}", "seconds", profile->stage[i], "device", kinds[profile->stage_device[i]]));
    return json_pack("{s:o, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "file",
        json_text(profile->file), "work", profile->work, "device", profile->device.name, "model",
        json_text(profile->device.model), "width", (json_int_t)profile->width, "height", (json_int_t)profile->height,
        "batch", (json_int_t)profile->batch, "bytes", (json_int_t)profile->bytes, "runs", (json_int_t)profile->runs,
        "seconds", profile->wall, "copy_bytes_per_second", profile->copy_rate, "up_bytes_per_second", profile->up_rate,
        "down_bytes_per_second", profile->down_rate, "smallest_copy_seconds", profile->least, "stages", stage_list,
        "steps", steps);
}

static bool write_svg(const struct profile *profile, const char *path, struct problem *problem)
{
    struct output output;
    size_t length;
    char *text = profile_draw(profile, &length);

    if (text == NULL)
        return problem_set(problem, "out of memory");
    bool good = output_open(&output, path, problem);
    if (good) {
        good = output_write(&output, text, length, problem) && output_commit(&output, problem);
        output_discard(&output);
    }
    free(text);
    return good;
}

static int profile_file(const struct profile_settings *settings, const char *name)
{
    struct profile profile;
    struct problem problem = {.text = "out of memory"};
    int code = EXIT_FINE;

    if (!measure(settings, name, &profile, &problem) ||
        (settings->svg != NULL && !write_svg(&profile, settings->svg, &problem))) {
        complain(name, "%s", problem.text);
        code = EXIT_FAILED;
    } else if (settings->json) {
        code = json_print(json_of(&profile), EXIT_FINE);
    } else {
        tell_text(&profile);
        code = finish_output(EXIT_FINE);
    }
    free(profile.step);
    return code;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct profile_settings *settings = settings_pointer;

    switch (code) {
    case OPTION_REPEAT:
        return value_number(verb, "--repeat", value, 1, 100000, &settings->repeat);
    case OPTION_BATCH:
        return value_number(verb, "--batch", value, 1, 4096, &settings->batch);
    case OPTION_ENCODE:
        settings->encoding = true;
        return true;
    case OPTION_FILTERS:
        settings->filters = value;
        return filters_check(verb, value, false);
    default:
        settings->svg = value;
        return true;
    }
}

static bool check_given(struct profile_settings *settings, const struct options_given *given)
{
    bool pixels = settings->encoding || settings->filters != NULL;
    unsigned target = !settings->encoding ? 0 : settings->j2k.given ? KIND_JPEG2000 : KIND_JPEG;

    return options_refuse("profile", given, OPTION_VERBOSE, "the results say where the work was done") &&
           options_check("profile", given, target, pixels ? KIND_ANY : KIND_CODED, pixels ? NULL : "; add --encode") &&
           decode_options_check("profile", &settings->files) && encode_settings_finish("profile", &settings->encode) &&
           j2k_settings_choose("profile", &settings->j2k, &settings->encode.options);
}

static int run_checked(
    struct profile_settings *settings, const struct common_options *common, const struct options_given *given, int argc)
{
    int code;

    if (argc - optind != 1)
        return complain_usage("profile", "takes one file");
    if (settings->encoding && settings->filters != NULL)
        return complain_usage("profile", "--filters are measured alone, without --encode");
    if (!check_given(settings, given))
        return EXIT_USAGE;
    settings->files.given = given;
    if ((code = common_context(common, common->threads, &settings->files.context)) != EXIT_FINE)
        return code;
    settings->files.max_pixels = common_max_pixels(common);
    settings->files.max_memory = common_max_memory(common);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    static const struct option_entry own[] = {{"repeat", "N", OPTION_REPEAT, 0, 0}, {"batch", "N", OPTION_BATCH, 0, 0},
        {"encode", NULL, OPTION_ENCODE, 0, 0}, {"filters", "FILTER,...", OPTION_FILTERS, 0, 0},
        {"svg", "FILE", OPTION_SVG, 0, 0}, {NULL, NULL, 0, 0, 0}};
    struct profile_settings settings = {.repeat = 50, .batch = 1};
    struct common_options common = {0};
    struct options_given given;
    int code;

    ask_for_channels();
    encode_settings_init(&settings.encode);
    j2k_settings_init(&settings.j2k);
    kst_decode_options_init(&settings.files.decode);
    const struct option_group groups[] = {common_group(&common), json_group(&settings.json), {own, handle, &settings},
        decode_group(&settings.files.decode), encode_group(&settings.encode), j2k_group(&settings.j2k, false)};
    if (options_read(&verb_profile, argc, argv, groups, 6, &given, &code) &&
        (code = run_checked(&settings, &common, &given, argc)) == EXIT_FINE)
        code = profile_file(&settings, argv[optind]);
    kst_context_destroy(&settings.files.context);
    encode_settings_release(&settings.encode);
    return code;
}

const struct verb verb_profile = {
    .name = "profile",
    .summary = "tell where the time goes on a device, kernel by kernel",
    .run = run,
    .help =
        "Usage: kostka profile --device DEVICE [OPTIONS] FILE\n"
        "\n"
        "Decodes the file, or encodes or filters it, many times on a GPU with a record of all that the device does.\n"
        "For each kernel and copy: the median time, the bytes it has to move at least, gigabytes per second and\n"
        "their share of what the device's own copies reach, registers, memory of a work-group and of a work-item,\n"
        "work-groups and their size, and the theoretical occupancy. What the driver does not tell is a dash.\n"
        "\n"
        "  --device DEVICE     such as cuda, cuda:1, opencl:0\n"
        "  --encode            encode the file's picture\n"
        "  --filters FILTER,...   apply these to the file's picture in the device's memory; 'kostka help filter'\n"
        "                      lists them\n"
        "  --batch N           so many at once, default 1\n"
        "  --repeat N          runs, default 50\n"
        "  --json              as a JSON object\n"
        "  --svg OUT.svg       a picture: the steps on a line of time, and against the roof of the copies\n"
        "  and the options of 'kostka decode' (--scale, --region, --format ...) and of 'kostka encode'\n"
        "  (-q, --subsampling, --optimize, --restart ...); any of those for JPEG 2000 (--lossless, --ratio ...)\n"
        "  has it encoded instead of JPEG\n",
};
