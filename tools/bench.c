/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "options.h"
#include "progress.h"

struct bench_settings {
    struct file_settings files;
    struct encode_settings encode;
    uint64_t repeat;
    bool encoding;
    bool json;
    json_t *list;
};

/* What one file's runs gave. */
struct result {
    double *seconds; /* ascending after they have all been taken */
    size_t count;
    uint64_t pixels;  /* of the coded picture */
    uint64_t bytes;   /* of the JPEG stream */
    uint32_t threads; /* that worked at once */
};

static int compare_seconds(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const struct result *result)
{
    size_t middle = result->count / 2;
    return result->count % 2 != 0 ? result->seconds[middle]
                                  : (result->seconds[middle - 1] + result->seconds[middle]) / 2;
}

/* In the clock: from the stream in memory to the pixels in memory that was written to before. */
static bool time_decode(
    const struct bench_settings *settings, const struct source *source, struct result *result, struct problem *problem)
{
    kst_context *context = settings->files.context;
    kst_image image;
    kst_report report;
    kst_status status = KST_OK;

    kst_image_init(&image);
    kst_report_init(&report);
    for (size_t i = 0; i <= result->count && status == KST_OK; i++) {
        double start = seconds_now();
        status = kst_decode(context, source->data, source->length, &settings->files.decode, &image, &report);
        if (i > 0)
            result->seconds[i - 1] = seconds_now() - start;
    }
    uint32_t reduce = settings->files.decode.reduce;
    result->pixels = ((uint64_t)image.width << reduce) * ((uint64_t)image.height << reduce);
    result->bytes = source->length;
    result->threads = report.threads;
    kst_image_release(context, &image);
    return status == KST_OK || jpeg_report_problem(&report, status, problem);
}

/* In the clock: from the pixels to the stream in memory that the library allocates. */
static bool time_encode(
    const struct bench_settings *settings, const struct source *source, struct result *result, struct problem *problem)
{
    kst_context *context = settings->files.context;
    kst_status status = KST_OK;
    struct picture picture;
    kst_report report;

    picture_init(&picture);
    kst_report_init(&report);
    bool good =
        picture_read(&picture, source, &settings->files, NULL, problem) && picture_to_depth(&picture, 8, problem);
    for (size_t i = 0; i <= result->count && good; i++) {
        kst_buffer buffer = {0};
        double start = seconds_now();
        status = kst_encode(context, &picture.image, &settings->encode.options, &buffer, &report);
        if (i > 0)
            result->seconds[i - 1] = seconds_now() - start;
        result->bytes = buffer.length;
        kst_buffer_release(context, &buffer);
        good = status == KST_OK || jpeg_report_problem(&report, status, problem);
    }
    result->pixels = (uint64_t)picture.image.width * picture.image.height;
    result->threads = report.threads;
    picture_release(&picture);
    return good;
}

static void tell(const struct bench_settings *settings, const char *name, const struct result *result)
{
    double middle = median(result), fastest = result->seconds[0], slowest = result->seconds[result->count - 1];
    double rate = (double)result->pixels / middle * 1e-6, bytes = (double)result->bytes / middle * 1e-6;

    if (settings->json)
        json_array_append_new(
            settings->list, json_pack("{s:o, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "file", json_text(name),
                                "pixels", (json_int_t)result->pixels, "bytes", (json_int_t)result->bytes, "threads",
                                (json_int_t)result->threads, "median_seconds", middle, "min_seconds", fastest,
                                "max_seconds", slowest, "megapixels_per_second", rate, "megabytes_per_second", bytes));
    else
        printf("%9.3f %9.3f %9.1f %9.1f %9.2f %4u  %s\n", 1e3 * middle, 1e3 * fastest, rate, bytes,
            (double)result->pixels * 1e-6, (unsigned)result->threads, name);
}

static bool time_file(
    const struct bench_settings *settings, const char *name, struct result *result, struct problem *problem)
{
    struct source source;

    if (!source_read(&source, name, problem))
        return false;
    bool good = (settings->encoding ? time_encode : time_decode)(settings, &source, result, problem);
    source_release(&source);
    return good;
}

static bool bench_one(const struct bench_settings *settings, const char *name)
{
    struct result result = {.count = (size_t)settings->repeat};
    struct problem problem = {"out of memory"};

    result.seconds = calloc(result.count, sizeof *result.seconds);
    bool good = result.seconds != NULL && time_file(settings, name, &result, &problem);
    progress_step();
    if (good) {
        qsort(result.seconds, result.count, sizeof *result.seconds, compare_seconds);
        tell(settings, name, &result);
    } else {
        complain(name, "%s", problem.text);
    }
    free(result.seconds);
    return good;
}

static bool handle_repeat(const char *verb, void *settings, int code, const char *value)
{
    (void)code;
    return value_number(verb, "--repeat", value, 1, 1000000, settings);
}

static int bench_all(struct bench_settings *settings, char **names, size_t count)
{
    kst_device_info info = {.size = sizeof info};
    int code = EXIT_FINE;

    if (!settings->json)
        printf("median ms    min ms    MPix/s      MB/s      MPix  thr  file\n");
    settings->list = json_array();
    progress_begin(count);
    for (size_t i = 0; i < count; i++)
        if (!bench_one(settings, names[i]))
            code = EXIT_FAILED;
    progress_end();
    if (!settings->json) {
        json_decref(settings->list);
        return finish_output(code);
    }
    kst_context_device(settings->files.context, &info);
    return json_print(json_pack("{s:s, s:s, s:o, s:s, s:I, s:o}", "work", settings->encoding ? "encode" : "decode",
                          "device", info.name, "model", json_text(info.model), "tier", info.tier, "repeat",
                          (json_int_t)settings->repeat, "files", settings->list),
        code);
}

static int run_checked(struct bench_settings *settings, const struct common_options *common, int argc, char **argv)
{
    const char *work = optind < argc ? argv[optind] : "";
    int code;

    settings->encoding = strcmp(work, "encode") == 0;
    if (!settings->encoding && strcmp(work, "decode") != 0)
        return complain_usage("bench", "say what to measure: 'bench decode FILE...' or 'bench encode FILE...'");
    if (optind + 1 >= argc)
        return complain_usage("bench", "no file named");
    if ((code = common_context(common, common->threads, &settings->files.context)) != EXIT_FINE)
        return code;
    settings->files.max_pixels = common_max_pixels(common);
    encode_settings_finish(&settings->encode);
    code = bench_all(settings, argv + optind + 1, (size_t)(argc - optind - 1));
    kst_context_destroy(&settings->files.context);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option repeat_table[] = {
        {"repeat", required_argument, NULL, OPTION_REPEAT}, {NULL, 0, NULL, 0}};
    struct bench_settings settings = {.repeat = 10};
    struct common_options common = {0};
    int code;

    encode_settings_init(&settings.encode);
    kst_decode_options_init(&settings.files.decode);
    const struct option_group groups[] = {common_group(&common), json_group(&settings.json),
        {repeat_table, handle_repeat, &settings.repeat}, decode_group(&settings.files.decode),
        encode_group(&settings.encode)};
    if (options_read(&verb_bench, argc, argv, groups, 5, &code))
        code = run_checked(&settings, &common, argc, argv);
    encode_settings_release(&settings.encode);
    return code;
}

const struct verb verb_bench = {
    .name = "bench",
    .summary = "measure how fast the library decodes or encodes files",
    .run = run,
    .help = "Usage: kostka bench decode [OPTIONS] FILE...\n"
            "       kostka bench encode [OPTIONS] FILE...\n"
            "\n"
            "Times the library in this process, from memory to memory: for each file the median and the fastest\n"
            "of several runs after one that does not count, megapixels and megabytes of JPEG per second (by the\n"
            "median), and how many threads worked. Files to encode may be of any format, JPEG included.\n"
            "\n"
            "  --repeat N          runs for each file, default 10\n"
            "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
            "  --json              the results as a JSON object\n"
            "  and the options of 'kostka decode' (--scale, --region, --format ...) and of 'kostka encode'\n"
            "  (-q, --subsampling, --optimize, --progressive, --restart ...)\n",
};
