/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka info', which describes files without decoding them. */
#include <stdio.h>

#include "describe.h"
#include "options/options.h"
#include "print/plain.h"

struct info_settings {
    struct file_settings files;
    bool json;
    struct json_list *list; /* with --json */
};

static json_t *json_error(const char *name, kst_status status, uint64_t offset, const char *text)
{
    json_t *error = json_pack("{s:o}", "message", json_text(text));

    if (status)
        json_object_set_new(error, "code", json_string(kst_status_name(status)));
    if (status && offset != UINT64_MAX)
        json_object_set_new(error, "offset", json_integer((json_int_t)offset));
    return json_pack("{s:o, s:o}", "file", json_text(name), "error", error);
}

static bool tell_failure(
    const struct info_settings *settings, const char *name, kst_status status, uint64_t offset, const char *text)
{
    complain(name, "%s", text);
    if (settings->json)
        json_list_add(settings->list, json_error(name, status, offset, text));
    return false;
}

static bool tell_jpeg(const struct info_settings *settings, const struct source *source, kst_decoder *decoder)
{
    kst_status status = kst_decoder_open(decoder, source->data, source->length);
    const kst_report *report = kst_decoder_report(decoder);
    struct problem problem;

    if (status) {
        jpeg_report_problem(report, status, &problem);
        return tell_failure(settings, source->name, status, report->offset, problem.text);
    }
    /* This reads all headers, so that the report includes their errors. */
    kst_decoder_next_element(decoder, &(kst_element){.size = sizeof(kst_element)});
    if (!kst_decoder_other(decoder, 0, &(kst_other){.size = sizeof(kst_other)}) && report->status)
        complain(source->name, "warning: %s", report->message);
    else
        jpeg_report_warnings(source->name, report);
    jpeg_report_details(source->name, report, settings->files.verbose);
    if (settings->json)
        describe_json(settings->list, source, decoder);
    else
        describe_print(source, decoder);
    return true;
}

static uint32_t components_of(const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    return channels > 0 ? channels : image->plane_count;
}

/*
 * Describe a picture of another format: from its headers if the format's reader can read them alone, otherwise by
 * reading all of it.
 */
static bool describe_other(const struct info_settings *settings, const struct source *source, struct picture *picture,
    const struct file_format **format, struct problem *problem)
{
    *format = file_format_of(source);
    if (*format != NULL && (*format)->describe != NULL)
        return (*format)->describe(source, &settings->files, picture, problem) &&
               picture_permitted(&settings->files, picture->image.width, picture->image.height, 0, problem);
    return picture_read(picture, source, &settings->files, format, problem);
}

/*
 * Print the few properties of a file of another format that reading it reveals: describing these formats is not the
 * task of this program.
 */
static bool tell_other(const struct info_settings *settings, const struct source *source)
{
    const struct file_format *format;
    struct problem problem = {.text = ""};
    struct picture picture;

    picture_init(&picture);
    bool good = describe_other(settings, source, &picture, &format, &problem) ||
                tell_failure(settings, source->name, KST_OK, UINT64_MAX, problem.text);
    if (good && settings->json)
        json_list_add(settings->list,
            json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:s, s:I}", "file", json_text(source->name), "format",
                format->name, "bytes", (json_int_t)source->length, "width", (json_int_t)picture.image.width, "height",
                (json_int_t)picture.image.height, "components", (json_int_t)components_of(&picture.image), "colour",
                describe_format(picture.image.format), "depth", (json_int_t)picture_depth(&picture)));
    else if (good) {
        plain_puts(stdout, source->name);
        printf(": %s, %ux%u, %s, %u bits, %zu bytes\n", format->name, (unsigned)picture.image.width,
            (unsigned)picture.image.height, describe_format(picture.image.format), (unsigned)picture_depth(&picture),
            source->length);
    }
    picture_release(&picture);
    return good;
}

static bool tell_one(const struct info_settings *settings, const char *name)
{
    struct problem problem = {.text = ""};
    struct source source;
    kst_decoder *decoder;

    if (!source_read_picture(&source, name, &settings->files, &problem))
        return tell_failure(settings, name, KST_OK, UINT64_MAX, problem.text);
    const struct file_format *format = file_format_of(&source);
    bool good = false;
    if (format != NULL && format != &file_jpeg && format != &file_j2k)
        good = tell_other(settings, &source);
    else if (!kst_decoder_create(settings->files.context, &decoder)) {
        good = tell_jpeg(settings, &source, decoder);
        kst_decoder_destroy(&decoder);
    }
    source_release(&source);
    return good;
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct json_list list = {.begun = false};
    struct info_settings settings = {.list = &list};
    struct options_given given;
    int code;

    const struct option_group groups[] = {common_group(&common), json_group(&settings.json)};
    if (!options_read(&verb_info, argc, argv, groups, 2, &given, &code))
        return code;
    if (optind == argc)
        return complain_usage("info", "no file named");
    /* Only headers are read, so no threads are started. */
    if ((code = common_context(&common, 1, &settings.files.context)) != EXIT_FINE)
        return code;
    settings.files.max_pixels = common_max_pixels(&common);
    settings.files.max_memory = common_max_memory(&common);
    settings.files.verbose = common.verbose;
    for (int i = optind; i < argc; i++)
        if (!tell_one(&settings, argv[i]))
            code = EXIT_FAILED;
    kst_context_destroy(&settings.files.context);
    return settings.json ? json_list_end(&list, code) : finish_output(code);
}

const struct verb verb_info = {
    .name = "info",
    .summary = "tell what files hold: size, coding, quality, metadata",
    .run = run,
    .help = "Usage: kostka info [--json] FILE...\n"
            "\n"
            "Reads the headers of JPEG and JPEG 2000 files, and tells size, colour, sampling, coding, the quality that "
            "the\n"
            "quantisation tables stand for, density, orientation and metadata. Of other formats the size.\n"
            "\n"
            "  --json              an array with an object for each file, quantisation tables included\n"
            "  --max-pixels N      limit, 512M\n",
};
