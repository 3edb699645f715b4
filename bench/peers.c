/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares Kostka with libjpeg-turbo, in one process, on the same pictures. Each round runs libjpeg-turbo, Kostka on
 * one thread and Kostka on several in turn; the medians of many rounds are compared. Times are from memory to memory,
 * to buffers that exist already (pixels), or that the library allocates (streams).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <turbojpeg.h>

#include "footprint.h"

enum { RUNNERS = 3, ROUNDS_MAX = 1000, THREADS_SHOWN = 2, RATIOS_MAX = 4096 };

struct settings {
    uint32_t threads;
    size_t rounds;
    bool memory;
    struct engine *runner[RUNNERS]; /* libjpeg-turbo, Kostka on one thread, Kostka on several */
    json_t *results;
    bool same; /* all outputs were equal so far */
};

/* Holds the times of one job's rounds, for each runner: the fastest, and the quartiles, in seconds. */
enum { FASTEST, QUARTER, MEDIAN, THREE_QUARTERS, QUARTILES };
struct timing {
    double quartile[RUNNERS][QUARTILES];
};

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool read_file(const char *path, struct stream *stream)
{
    FILE *file = fopen(path, "rb");
    long length = -1;

    *stream = (struct stream){NULL, 0};
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length > 0 && fseek(file, 0, SEEK_SET) == 0 && (stream->data = malloc((size_t)length)) != NULL)
        stream->length = fread(stream->data, 1, (size_t)length, file);
    if (file != NULL)
        fclose(file);
    return stream->length > 0 && stream->length == (size_t)length;
}

/* Load a photograph as RGB, decoded by libjpeg-turbo. */
static bool load(const char *path, struct picture *picture)
{
    tjhandle handle = tjInitDecompress();
    struct stream file;
    int width, height, subsampling, colourspace;
    bool good = false;

    picture->pixels = NULL;
    if (read_file(path, &file) && handle != NULL &&
        tjDecompressHeader3(
            handle, file.data, (unsigned long)file.length, &width, &height, &subsampling, &colourspace) == 0) {
        picture->width = (uint32_t)width;
        picture->height = (uint32_t)height;
        picture->pixels = malloc((size_t)width * (size_t)height * 3);
        good = picture->pixels != NULL && tjDecompress2(handle, file.data, (unsigned long)file.length, picture->pixels,
                                              width, 0, height, TJPF_RGB, 0) == 0;
    }
    if (handle != NULL)
        tjDestroy(handle);
    free(file.data);
    if (!good)
        fprintf(stderr, "kostka-peers: %s: cannot be decoded\n", path);
    return good;
}

/* Return whether all runners make the same bytes or pixels as the first one. */
static bool outputs_agree(const struct settings *settings, enum work work, const struct picture *picture,
    const struct stream *coded, const struct picture *scratch)
{
    size_t length = (size_t)picture->width * picture->height * 3;
    struct stream first, scaled;
    bool good = true;

    if (!work_decodes(work)) {
        if (!engine_encode(settings->runner[0], picture, work_is_progressive(work), &first))
            return false;
        for (int i = 1; i < RUNNERS && good; i++)
            good = engine_encode(settings->runner[i], picture, work_is_progressive(work), &scaled) &&
                   scaled.length == first.length && memcmp(scaled.data, first.data, first.length) == 0;
        return good;
    }
    uint8_t *expected = malloc(length);
    good = expected != NULL && engine_decode(settings->runner[0], coded, scratch);
    if (good)
        memcpy(expected, scratch->pixels, length);
    for (int i = 1; i < RUNNERS && good; i++)
        good = engine_decode(settings->runner[i], coded, scratch) && memcmp(expected, scratch->pixels, length) == 0;
    free(expected);
    return good;
}

static bool time_rounds(const struct settings *settings, enum work work, const struct picture *picture,
    const struct stream *coded, const struct picture *scratch, struct timing *timing)
{
    static double seconds[RUNNERS][ROUNDS_MAX];
    struct stream scaled;

    for (size_t round = 0; round < settings->rounds; round++) {
        for (int i = 0; i < RUNNERS; i++) {
            double start = seconds_now();
            bool good = work_decodes(work)
                            ? engine_decode(settings->runner[i], coded, scratch)
                            : engine_encode(settings->runner[i], picture, work_is_progressive(work), &scaled);
            seconds[i][round] = seconds_now() - start;
            if (!good)
                return false;
        }
    }
    for (int i = 0; i < RUNNERS; i++) {
        qsort(seconds[i], settings->rounds, sizeof seconds[i][0], compare_doubles);
        for (size_t q = 0; q < QUARTILES; q++)
            timing->quartile[i][q] = seconds[i][(settings->rounds - 1) * q / 4];
    }
    return true;
}

static json_t *measure_memory(
    const struct settings *settings, enum work work, const struct picture *picture, const struct stream *coded)
{
    uint64_t idle = footprint_measure(ENGINE_NONE, 1, work, picture, coded);
    uint64_t turbo = footprint_measure(ENGINE_TURBO, 1, work, picture, coded);
    uint64_t one = footprint_measure(ENGINE_KOSTKA, 1, work, picture, coded);
    uint64_t many = footprint_measure(ENGINE_KOSTKA, settings->threads, work, picture, coded);
    /* A job's memory is its input, its output and what the library needs to get from one to the other. */
    double buffers = (double)picture->width * picture->height * 3 + (double)coded->length;
    double job[3] = {buffers, buffers, buffers};
    const uint64_t peaks[3] = {turbo, one, many};

    if (idle == 0 || turbo == 0 || one == 0 || many == 0)
        return json_null();
    for (int i = 0; i < 3; i++)
        job[i] += peaks[i] > idle ? (double)(peaks[i] - idle) : 0.0;
    if (!work_decodes(work)) /* the library allocates the coded stream, so its peak includes it already */
        for (int i = 0; i < 3; i++)
            job[i] -= (double)coded->length;
    printf(" %5.2fx %5.2fx", job[1] / job[0], job[2] / job[0]);
    return json_pack(
        "{s:I, s:f, s:f, s:f}", "idle_peak", (json_int_t)idle, "turbo", job[0], "kostka_1", job[1], "kostka_n", job[2]);
}

static bool run_job(
    struct settings *settings, const char *name, enum work work, const struct picture *picture, struct picture *scratch)
{
    struct stream coded, scaled;
    struct timing timing;

    if (!engine_encode(settings->runner[0], picture, work_is_progressive(work), &scaled) ||
        (coded.data = malloc(scaled.length)) == NULL)
        return false;
    coded.length = scaled.length;
    memcpy(coded.data, scaled.data, scaled.length);
    bool agree = outputs_agree(settings, work, picture, &coded, scratch);
    bool good = time_rounds(settings, work, picture, &coded, scratch, &timing);
    if (good) {
        double(*q)[QUARTILES] = timing.quartile;
        double one = q[0][MEDIAN] / q[1][MEDIAN], many = q[0][MEDIAN] / q[2][MEDIAN];
        double megapixels = (double)picture->width * picture->height * 1e-6;
        printf("%-24.24s %5.1f q%d %s %-19s %8.2f %8.2f %8.2f  %5.2fx %5.2fx  %-9s", name, megapixels, picture->quality,
            picture->subsampled ? "420" : "444", work_name(work), 1e3 * q[0][MEDIAN], 1e3 * q[1][MEDIAN],
            1e3 * q[2][MEDIAN], one, many, agree ? "same" : "DIFFERENT");
        json_t *memory = settings->memory ? measure_memory(settings, work, picture, &coded) : json_null();
        putchar('\n');
        fflush(stdout);
        json_t *result = json_pack("{s:s, s:f, s:i, s:s, s:s, s:I, s:b, s:f, s:f, s:f, s:f, s:o}", "file", name,
            "megapixels", megapixels, "quality", picture->quality, "subsampling", picture->subsampled ? "420" : "444",
            "work", work_name(work), "bytes", (json_int_t)coded.length, "same", agree, "ratio_1", one, "ratio_n", many,
            "ratio_fastest_1", q[0][FASTEST] / q[1][FASTEST], "ratio_fastest_n", q[0][FASTEST] / q[2][FASTEST],
            "memory", memory);
        for (int i = 0; i < RUNNERS; i++) {
            static const char *const names[] = {"turbo_seconds", "kostka_1_seconds", "kostka_n_seconds"};
            json_object_set_new(result, names[i],
                json_pack("{s:f, s:f, s:f, s:f}", "fastest", q[i][FASTEST], "quarter", q[i][QUARTER], "median",
                    q[i][MEDIAN], "three_quarters", q[i][THREE_QUARTERS]));
        }
        json_array_append_new(settings->results, result);
    }
    settings->same = settings->same && agree;
    free(coded.data);
    return good;
}

static bool run_file(struct settings *settings, const char *path)
{
    static const int qualities[] = {75, 90};
    const char *slash = strrchr(path, '/');
    struct picture picture, scratch;
    bool good = load(path, &picture);

    scratch = picture;
    if (good)
        scratch.pixels = calloc((size_t)picture.width * picture.height, 3);
    good = good && scratch.pixels != NULL;
    for (int i = 0; i < 4 && good; i++) {
        picture.quality = qualities[i / 2];
        picture.subsampled = i % 2 == 0;
        for (int work = 0; work < WORK_COUNT && good; work++)
            good = run_job(settings, slash != NULL ? slash + 1 : path, (enum work)work, &picture, &scratch);
    }
    if (!good)
        fprintf(stderr, "kostka-peers: %s: failed\n", path);
    if (scratch.pixels != picture.pixels)
        free(scratch.pixels);
    free(picture.pixels);
    return good;
}

/* Collect the ratios of all jobs of one kind, and sort them in ascending order. */
static size_t collect_ratios(
    const struct settings *settings, enum work work, const char *key, double ratios[RATIOS_MAX])
{
    size_t count = 0, index;
    json_t *result;

    json_array_foreach(settings->results, index, result)
    {
        if (count < RATIOS_MAX && strcmp(json_string_value(json_object_get(result, "work")), work_name(work)) == 0)
            ratios[count++] = json_real_value(json_object_get(result, key));
    }
    qsort(ratios, count, sizeof *ratios, compare_doubles);
    return count;
}

static void print_summary(const struct settings *settings, json_t *root)
{
    static double ratios[RATIOS_MAX], fastest[RATIOS_MAX];
    json_t *summary = json_array();

    printf("\nMedian, lowest and highest of the ratios (above 1: Kostka is faster), and the median of those of the\n"
           "fastest rounds, which a busy machine disturbs less\n");
    for (int i = 0; i < WORK_COUNT * 2; i++) {
        enum work work = (enum work)(i / 2);
        unsigned threads = i % 2 != 0 ? (unsigned)settings->threads : 1;
        size_t count = collect_ratios(settings, work, i % 2 != 0 ? "ratio_n" : "ratio_1", ratios);
        collect_ratios(settings, work, i % 2 != 0 ? "ratio_fastest_n" : "ratio_fastest_1", fastest);
        if (count == 0)
            continue;
        double median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
        double best = (fastest[(count - 1) / 2] + fastest[count / 2]) / 2;
        printf("  %-19s %u thread%s  %.2fx  (%.2f to %.2f)  %.2fx\n", work_name(work), threads,
            threads == 1 ? " " : "s", median, ratios[0], ratios[count - 1], best);
        json_array_append_new(summary,
            json_pack("{s:s, s:I, s:f, s:f, s:f, s:f}", "work", work_name(work), "threads", (json_int_t)threads,
                "median", median, "low", ratios[0], "high", ratios[count - 1], "fastest", best));
    }
    json_object_set_new(root, "summary", summary);
}

static int finish(struct settings *settings, const char *json_path)
{
    kst_device_info info = {.size = sizeof info};
    int code = 0;

    kst_device_get(0, &info);
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:O}", "version", kst_version_string(), "peer",
        "libjpeg-turbo", "processor", info.model, "tier", info.tier, "threads", (json_int_t)settings->threads, "rounds",
        (json_int_t)settings->rounds, "results", settings->results);
    print_summary(settings, root);
    if (json_path != NULL && json_dump_file(root, json_path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0) {
        fprintf(stderr, "kostka-peers: %s: cannot be written\n", json_path);
        code = 1;
    }
    json_decref(root);
    if (!settings->same)
        puts("Some outputs were not the same as libjpeg-turbo's.");
    return code;
}

static int usage(void)
{
    fputs("Usage: kostka-peers [--rounds N] [--threads N] [--no-memory] [--json FILE] PHOTOGRAPH.jpg...\n"
          "\n"
          "Measures Kostka against libjpeg-turbo in one process, alternating. Every photograph is coded anew in\n"
          "memory at quality 75 and 90, 4:2:0 and 4:4:4, sequential and progressive, without restart markers.\n",
        stderr);
    return 2;
}

static bool make_runners(struct settings *settings)
{
    settings->runner[0] = engine_create(ENGINE_TURBO, 1);
    settings->runner[1] = engine_create(ENGINE_KOSTKA, 1);
    settings->runner[2] = engine_create(ENGINE_KOSTKA, settings->threads);
    return settings->runner[0] != NULL && settings->runner[1] != NULL && settings->runner[2] != NULL;
}

int main(int argc, char **argv)
{
    static const struct option table[] = {{"rounds", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 't'}, {"no-memory", no_argument, NULL, 'm'},
        {"json", required_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};
    struct settings settings = {.threads = THREADS_SHOWN, .rounds = 11, .memory = true, .same = true};
    const char *json_path = NULL;
    int code = 0, option;

    if (footprint_child(argc, argv, &code))
        return code;
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'r')
            settings.rounds = strtoul(optarg, NULL, 10);
        else if (option == 't')
            settings.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'm')
            settings.memory = false;
        else if (option == 'j')
            json_path = optarg;
        else
            return usage();
    }
    if (optind == argc || settings.rounds < 1 || settings.rounds > ROUNDS_MAX || !make_runners(&settings))
        return usage();
    settings.results = json_array();
    printf(
        "Kostka on 1 and on %u threads against libjpeg-turbo: median times, how many times as fast, how much memory\n",
        (unsigned)settings.threads);
    printf("%-24s %5s %-27s %8s %8s %8s  %6s %6s  %-9s %6s %6s\n", "photograph", "MPix", "work", "turbo ms", "1 thr ms",
        "n thr ms", "1 thr", "n thr", "output", "memory", "memory");
    for (int i = optind; i < argc && code == 0; i++)
        code = run_file(&settings, argv[i]) ? 0 : 1;
    if (code == 0)
        code = finish(&settings, json_path);
    json_decref(settings.results);
    for (int i = 0; i < RUNNERS; i++)
        engine_destroy(settings.runner[i]);
    return code;
}
