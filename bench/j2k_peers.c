/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares Kostka's JPEG 2000 with OpenJPEG through its API, the two in turn in one process and on as many threads; and
 * with Grok's tool if it is installed, whole process against whole process. OpenJPEG makes the streams, in memory.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>
#include <kostka/kostka.h>

#include "openjpeg.h"
#include "peak.h"

enum { ROUNDS_MAX = 200, KINDS = 2, RATIOS_MAX = 64 };

struct settings {
    int rounds, threads;
    bool memory;
    const char *kostka; /* the program; null: no comparison of processes */
    json_t *results;
};

/* Holds the ratios of the rounds, in ascending order. */
struct spread {
    double low, quarter, median, three_quarters, high;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static struct spread spread_of(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, compare_doubles);
    return (struct spread){
        value[0], value[(count - 1) / 4], value[(count - 1) / 2], value[(count - 1) * 3 / 4], value[count - 1]};
}

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0 &&
        (data = malloc((size_t)size)) != NULL && fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        data = NULL;
    }
    if (file != NULL)
        fclose(file);
    *length = (size_t)size;
    return data;
}

/* Decode with Kostka to a buffer that it allocates each time, as OpenJPEG does. */
static bool kostka_decode(kst_context *context, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    bool good = !kst_decode(context, data, length, &options, &image, NULL);
    kst_image_release(context, &image);
    return good;
}

/* Return the samples as Kostka takes them, bytes or, for more than 8 bits, 16-bit words; from malloc. */
static void *pack_samples(const struct opj_picture *picture, kst_image *image)
{
    size_t count = (size_t)picture->width * picture->height * picture->components, bytes = picture->depth > 8 ? 2 : 1;
    uint8_t *packed = count > 0 ? malloc(count * bytes) : NULL;
    if (packed == NULL ||
        kst_image_wrap(image, picture->components == 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY, picture->width,
            picture->height, packed, (ptrdiff_t)(picture->width * picture->components * bytes))) {
        free(packed);
        return NULL;
    }
    for (size_t i = 0; i < count && bytes == 1; i++)
        packed[i] = (uint8_t)picture->sample[i];
    if (bytes == 2)
        memcpy(packed, picture->sample, 2 * count);
    image->plane[0].depth = (uint8_t)picture->depth;
    return packed;
}

/* Encode with Kostka to memory that it allocates: a bare codestream, as OpenJPEG makes it. */
static bool kostka_encode(kst_context *context, const kst_image *image, float ratio)
{
    kst_encode_options options;
    kst_j2k_options j2k;
    kst_buffer buffer = {.data = NULL};
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    j2k.target = ratio > 0 ? KST_J2K_RATIO : KST_J2K_LOSSLESS;
    j2k.value = (double)ratio;
    j2k.codestream = true;
    bool good = !kst_encode(context, image, &options, &buffer, NULL);
    kst_buffer_release(context, &buffer);
    return good;
}

static kst_context *make_context(int threads)
{
    kst_context_options options;
    kst_context *context = NULL;
    kst_context_options_init(&options);
    options.threads = (uint32_t)threads;
    options.device = "cpu"; /* this also avoids searching for GPUs, which would load their drivers */
    return kst_context_create(&options, &context) ? NULL : context;
}

/* Encode the photograph that the parent has written, whose shape is in argv. */
static bool child_encode(char **argv, int threads, const uint8_t *data)
{
    struct opj_picture picture = {.width = (uint32_t)strtoul(argv[6], NULL, 10),
        .height = (uint32_t)strtoul(argv[7], NULL, 10),
        .components = (uint32_t)strtoul(argv[8], NULL, 10),
        .depth = (uint32_t)strtoul(argv[9], NULL, 10)};
    float ratio = strtof(argv[5], NULL);
    kst_context *context = make_context(threads);
    kst_image image;
    uint8_t *coded = NULL;
    size_t length;
    bool good = context != NULL;
    if (strcmp(argv[2], "kostka") == 0) {
        size_t pitch = (size_t)picture.width * picture.components * (picture.depth > 8 ? 2 : 1);
        good = good && !kst_image_wrap(&image, picture.components == 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY,
                           picture.width, picture.height, (void *)(uintptr_t)data, (ptrdiff_t)pitch);
        image.plane[0].depth = (uint8_t)picture.depth;
        good = good && kostka_encode(context, &image, ratio);
    } else {
        picture.packed = data;
        coded = openjpeg_encode(&picture, ratio, threads, &length);
        good = good && coded != NULL;
        free(coded);
    }
    kst_context_destroy(&context);
    return good;
}

/*
 * Run as --child-memory ENGINE THREADS FILE [RATIO WIDTH HEIGHT COMPONENTS DEPTH]: decode the file, or encode its
 * samples, once, and print the peak memory of this process.
 */
static int child_memory(int argc, char **argv)
{
    size_t length;
    int threads = (int)strtol(argv[3], NULL, 10);
    uint8_t *data = read_file(argv[4], &length);
    bool good = data != NULL;
    if (good && argc > 5) {
        good = child_encode(argv, threads, data);
    } else if (good && strcmp(argv[2], "kostka") == 0) {
        kst_context *context = make_context(threads);
        good = context != NULL && kostka_decode(context, data, length);
        kst_context_destroy(&context);
    } else if (good) {
        good = openjpeg_decode(data, length, threads);
    }
    printf("%llu\n", (unsigned long long)peak_of_this_process());
    free(data);
    return good ? 0 : 1;
}

static double ask(const char *command)
{
    char line[64] = "";
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        return 0;
    bool good = fgets(line, sizeof line, pipe) != NULL;
    return pclose(pipe) == 0 && good ? strtod(line, NULL) : 0;
}

static double peak_of(const char *engine, int threads, const char *path)
{
    char command[1024];
    snprintf(command, sizeof command, "/proc/%ld/exe --child-memory %s %d %s", (long)getpid(), engine, threads, path);
    return ask(command);
}

/* Return the seconds of a whole process that writes a file; 0 if it fails. */
static double run_tool(const char *command)
{
    double start = seconds_now();
    return system(command) == 0 ? seconds_now() - start : 0; /* NOLINT(cert-env33-c): the project's own words */
}

static json_t *pack_spread(const struct spread *s)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "low", s->low, "quarter", s->quarter, "median", s->median,
        "three_quarters", s->three_quarters, "high", s->high);
}

/* Run two commands in turn, which both write to `out`. */
static bool alternate(int rounds, const char *grok, const char *kostka, const char *out, struct spread *spread)
{
    double ratio[ROUNDS_MAX];
    for (int round = 0; round < rounds; round++) {
        double theirs = run_tool(grok), ours = run_tool(kostka);
        if (theirs <= 0 || ours <= 0)
            return false;
        ratio[round] = theirs / ours;
    }
    unlink(out);
    *spread = spread_of(ratio, rounds);
    return true;
}

static bool compare_tools(
    const struct settings *settings, const char *path, bool grey, int threads, struct spread *spread)
{
    char grok[1024], kostka[1024], out[512];
    snprintf(out, sizeof out, "%s.%s", path, grey ? "pgm" : "ppm");
    snprintf(grok, sizeof grok, "grk_decompress -H %d -i %s -o %s >/dev/null 2>&1", threads, path, out);
    snprintf(kostka, sizeof kostka, "%s decode --device cpu %s %s --threads %d >/dev/null 2>&1", settings->kostka, path,
        out, threads);
    return alternate(settings->rounds, grok, kostka, out, spread);
}

static bool compare_libraries(const struct settings *settings, kst_context *context, const uint8_t *data, size_t length,
    int threads, json_t *result)
{
    static double ratio[ROUNDS_MAX], ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
    for (int round = 0; round < settings->rounds; round++) {
        double start = seconds_now();
        bool good = openjpeg_decode(data, length, threads);
        double middle = seconds_now();
        good = good && kostka_decode(context, data, length);
        ours[round] = seconds_now() - middle;
        theirs[round] = middle - start;
        ratio[round] = theirs[round] / ours[round];
        if (!good)
            return false;
    }
    struct spread s = spread_of(ratio, settings->rounds);
    struct spread a = spread_of(theirs, settings->rounds), b = spread_of(ours, settings->rounds);
    printf(" %8.1f %8.1f  %5.2fx (%.2f to %.2f)", 1e3 * a.median, 1e3 * b.median, s.median, s.low, s.high);
    json_object_set_new(result, "ratio", pack_spread(&s));
    json_object_set_new(result, "openjpeg_seconds", pack_spread(&a));
    json_object_set_new(result, "kostka_seconds", pack_spread(&b));
    return true;
}

static bool run_job(const struct settings *settings, const char *name, const char *work, const char *path, int threads)
{
    size_t length;
    uint8_t *data = read_file(path, &length);
    kst_context *context = make_context(threads);
    json_t *result =
        json_pack("{s:s, s:s, s:i, s:I}", "file", name, "work", work, "threads", threads, "bytes", (json_int_t)length);
    printf("%-26.26s %-18s %d", name, work, threads);
    bool good = data != NULL && context != NULL && compare_libraries(settings, context, data, length, threads, result);
    if (good && settings->memory) {
        double theirs = peak_of("openjpeg", threads, path), ours = peak_of("kostka", threads, path);
        printf("  memory %5.1f of %5.1f MB", ours * 1e-6, theirs * 1e-6);
        json_object_set_new(result, "openjpeg_peak", json_real(theirs));
        json_object_set_new(result, "kostka_peak", json_real(ours));
    }
    struct spread grok;
    if (good && settings->kostka != NULL &&
        compare_tools(settings, path, strstr(work, " 16") != NULL, threads, &grok)) {
        printf("  Grok %5.2fx (%.2f to %.2f)", grok.median, grok.low, grok.high);
        json_object_set_new(result, "grok", pack_spread(&grok));
    }
    putchar('\n');
    fflush(stdout);
    json_array_append_new(settings->results, result);
    kst_context_destroy(&context);
    free(data);
    return good;
}

static bool write_file(const char *path, const uint8_t *data, size_t length)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(data, 1, length, file) == length;
    return file != NULL && fclose(file) == 0 && good;
}

/* Describes one photograph that is encoded, and the files that tools take and make of it. */
struct encode_job {
    const struct settings *settings;
    const struct opj_picture *picture;
    const kst_image *image;
    const char *name, *work, *folder;
    float ratio;
    int threads;
};

static bool compare_encoders(const struct encode_job *job, kst_context *context, json_t *result)
{
    static double ratio[ROUNDS_MAX], ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
    const int rounds = job->settings->rounds;
    for (int round = 0; round < rounds; round++) {
        size_t length;
        double start = seconds_now();
        uint8_t *coded = openjpeg_encode(job->picture, job->ratio, job->threads, &length);
        double middle = seconds_now();
        bool good = coded != NULL && kostka_encode(context, job->image, job->ratio);
        ours[round] = seconds_now() - middle;
        theirs[round] = middle - start;
        ratio[round] = theirs[round] / ours[round];
        free(coded);
        if (!good)
            return false;
    }
    struct spread s = spread_of(ratio, rounds), a = spread_of(theirs, rounds), b = spread_of(ours, rounds);
    printf(" %8.1f %8.1f  %5.2fx (%.2f to %.2f)", 1e3 * a.median, 1e3 * b.median, s.median, s.low, s.high);
    json_object_set_new(result, "ratio", pack_spread(&s));
    json_object_set_new(result, "openjpeg_seconds", pack_spread(&a));
    json_object_set_new(result, "kostka_seconds", pack_spread(&b));
    return true;
}

static double encode_peak(const struct encode_job *job, const char *engine)
{
    const struct opj_picture *p = job->picture;
    char command[1024];
    snprintf(command, sizeof command, "/proc/%ld/exe --child-memory %s %d %s/picture.raw %g %u %u %u %u",
        (long)getpid(), engine, job->threads, job->folder, (double)job->ratio, p->width, p->height, p->components,
        p->depth);
    return ask(command);
}

static bool compare_encoding_tools(const struct encode_job *job, struct spread *spread)
{
    const bool lossy = job->ratio > 0;
    const char *end = job->picture->components == 3 ? "ppm" : "pgm";
    char grok[1024], kostka[1024], out[512];
    snprintf(out, sizeof out, "%s/out.j2k", job->folder);
    snprintf(grok, sizeof grok, "grk_compress -H %d -i %s/picture.%s -o %s %s >/dev/null 2>&1", job->threads,
        job->folder, end, out, lossy ? "-I -r 20" : "");
    snprintf(kostka, sizeof kostka, "%s encode --device cpu %s --threads %d %s/picture.%s %s >/dev/null 2>&1",
        job->settings->kostka, lossy ? "--ratio 20" : "--lossless", job->threads, job->folder, end, out);
    return alternate(job->settings->rounds, grok, kostka, out, spread);
}

static bool run_encode_job(const struct encode_job *job)
{
    kst_context *context = make_context(job->threads);
    json_t *result = json_pack("{s:s, s:s, s:i}", "file", job->name, "work", job->work, "threads", job->threads);
    struct spread grok;
    printf("%-26.26s %-18s %d", job->name, job->work, job->threads);
    bool good = context != NULL && compare_encoders(job, context, result);
    if (good && job->settings->memory) {
        double theirs = encode_peak(job, "openjpeg"), ours = encode_peak(job, "kostka");
        printf("  memory %5.1f of %5.1f MB", ours * 1e-6, theirs * 1e-6);
        json_object_set_new(result, "openjpeg_peak", json_real(theirs));
        json_object_set_new(result, "kostka_peak", json_real(ours));
    }
    if (good && job->settings->kostka != NULL && compare_encoding_tools(job, &grok)) {
        printf("  Grok %5.2fx (%.2f to %.2f)", grok.median, grok.low, grok.high);
        json_object_set_new(result, "grok", pack_spread(&grok));
    }
    putchar('\n');
    fflush(stdout);
    json_array_append_new(job->settings->results, result);
    kst_context_destroy(&context);
    return good;
}

/* Write the picture for the compared processes: as raw samples and as PNM. */
static bool write_picture(const struct opj_picture *picture, const kst_image *image, const char *folder)
{
    size_t bytes = (size_t)picture->width * picture->height * picture->components * (picture->depth > 8 ? 2 : 1);
    const uint8_t *data = image->plane[0].data;
    char path[4096];
    snprintf(path, sizeof path, "%s/picture.raw", folder);
    bool good = write_file(path, data, bytes);
    snprintf(path, sizeof path, "%s/picture.%s", folder, picture->components == 3 ? "ppm" : "pgm");
    FILE *file = fopen(path, "wb");
    good = good && file != NULL &&
           fprintf(file, "P%d\n%u %u\n%u\n", picture->components == 3 ? 6 : 5, picture->width, picture->height,
               (1U << picture->depth) - 1) > 0;
    if (good && picture->depth == 8)
        good = fwrite(data, 1, bytes, file) == bytes;
    for (size_t i = 0; i < bytes && good && picture->depth > 8; i += 2) { /* the more significant byte comes first */
        uint16_t sample = picture->sample[i / 2];
        good = putc(sample >> 8, file) != EOF && putc(sample & 0xFF, file) != EOF;
    }
    return file != NULL && fclose(file) == 0 && good;
}

static bool encode_picture(
    const struct settings *settings, const char *name, const char *folder, const struct opj_picture *picture)
{
    kst_image image;
    void *samples = pack_samples(picture, &image);
    bool good = samples != NULL && write_picture(picture, &image, folder);
    for (int lossy = 0; lossy < 2; lossy++)
        for (int several = 0; several < (settings->threads > 1 ? 2 : 1) && good; several++) {
            int threads = several ? settings->threads : 1;
            char work[64];
            snprintf(
                work, sizeof work, "%s%s", lossy ? "encode 20:1" : "encode lossless", picture->depth > 8 ? " 16" : "");
            const struct encode_job job = {settings, picture, &image, name, work, folder, lossy ? 20 : 0, threads};
            good = run_encode_job(&job);
        }
    static const char *const files[] = {"picture.raw", "picture.ppm", "picture.pgm"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    free(samples);
    return good;
}

/* Measure a picture, lossless and 20:1, on one thread and on several. */
static bool run_picture(
    const struct settings *settings, const char *name, const char *folder, const struct opj_picture *picture)
{
    static const float ratios[KINDS] = {0, 20};
    bool good = true;
    for (int kind = 0; kind < KINDS && good; kind++) {
        char path[4096], work[64];
        size_t length;
        uint8_t *data = openjpeg_encode(picture, ratios[kind], 1, &length);
        snprintf(path, sizeof path, "%s/%s", folder, "picture.j2k");
        snprintf(
            work, sizeof work, "%s%s", kind == 0 ? "decode lossless" : "decode 20:1", picture->depth > 8 ? " 16" : "");
        good = data != NULL && write_file(path, data, length) && run_job(settings, name, work, path, 1) &&
               (settings->threads == 1 || run_job(settings, name, work, path, settings->threads));
        free(data);
        unlink(path);
    }
    return good;
}

/* Measure a photograph, or with `grey` its luminance in 16 bits. */
static bool run_photograph(const struct settings *settings, const char *path, const char *folder, bool grey)
{
    kst_context *context = make_context(1);
    kst_decode_options options;
    kst_image image;
    size_t length;
    uint8_t *data = read_file(path, &length);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RGB;
    kst_image_init(&image);
    bool good = data != NULL && context != NULL && !kst_decode(context, data, length, &options, &image, NULL);
    size_t pixels = good ? (size_t)image.width * image.height : 0;
    struct opj_picture picture = {image.width, image.height, grey ? 1 : 3, grey ? 16 : 8, NULL, NULL};
    uint16_t *sample = malloc(pixels * picture.components * sizeof *sample + 1);
    for (size_t i = 0; i < pixels * picture.components && sample != NULL; i++) {
        const uint8_t *pixel = (const uint8_t *)image.plane[0].data + (grey ? 3 * i : i);
        sample[i] = grey ? (uint16_t)(77 * pixel[0] + 150 * pixel[1] + 30 * pixel[2]) : *pixel;
    }
    picture.sample = sample;
    kst_image_release(context, &image);
    kst_context_destroy(&context);
    free(data);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    good = good && sample != NULL && run_picture(settings, name, folder, &picture) &&
           encode_picture(settings, name, folder, &picture);
    free(sample);
    if (!good)
        fprintf(stderr, "kostka-j2k-peers: %s: failed\n", path);
    return good;
}

/* Summarise all jobs of one kind and number of threads. */
static void summarise(json_t *results, const char *key, const char *label, json_t *summary)
{
    static const char *const works[] = {"decode lossless", "decode 20:1", "decode lossless 16", "decode 20:1 16",
        "encode lossless", "encode 20:1", "encode lossless 16", "encode 20:1 16"};
    for (size_t w = 0; w < sizeof works / sizeof *works; w++)
        for (int threads = 1; threads <= 64; threads++) {
            double ratio[RATIOS_MAX];
            int count = 0;
            size_t index;
            json_t *result;
            json_array_foreach(results, index, result)
            {
                json_t *spread = json_object_get(result, key);
                if (spread != NULL && count < RATIOS_MAX &&
                    json_integer_value(json_object_get(result, "threads")) == threads &&
                    strcmp(json_string_value(json_object_get(result, "work")), works[w]) == 0)
                    ratio[count++] = json_real_value(json_object_get(spread, "median"));
            }
            if (count == 0)
                continue;
            struct spread s = spread_of(ratio, count);
            char name[96];
            snprintf(name, sizeof name, "%s%s", works[w], label);
            printf("  %-26s %2d thread%s  %.2fx (%.2f to %.2f)\n", name, threads, threads == 1 ? " " : "s", s.median,
                s.low, s.high);
            json_array_append_new(summary, json_pack("{s:s, s:i, s:f, s:f, s:f}", "work", name, "threads", threads,
                                               "median", s.median, "low", s.low, "high", s.high));
        }
}

static bool finish(const struct settings *settings, const char *json_path)
{
    kst_device_info info = {.size = sizeof info};
    json_t *summary = json_array();
    kst_device_get(0, &info);
    puts("\nMedians over pictures, lowest and highest (above 1: Kostka is faster)");
    summarise(settings->results, "ratio", "", summary);
    summarise(settings->results, "grok", ", Grok", summary);
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:i, s:O, s:o}", "version", kst_version_string(), "title",
        "Speed against OpenJPEG and Grok on as many threads (= 1)", "processor", info.model, "tier", info.tier,
        "rounds", settings->rounds, "results", settings->results, "summary", summary);
    bool good = json_path == NULL || json_dump_file(root, json_path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(root);
    return good;
}

static int usage(void)
{
    fputs("Usage: kostka-j2k-peers [--rounds N] [--threads N] [--no-memory] [--kostka PROGRAM] [--json FILE]\n"
          "                        PHOTOGRAPH.jpg...\n"
          "\n"
          "Measures JPEG 2000 against OpenJPEG, and with --kostka against grk_decompress and grk_compress. Photographs "
          "are\n"
          "coded anew, lossless and 20:1; the first one also as 16-bit grey.\n",
        stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option table[] = {{"rounds", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 't'}, {"no-memory", no_argument, NULL, 'm'},
        {"kostka", required_argument, NULL, 'k'}, {"json", required_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};
    struct settings settings = {.rounds = 5, .threads = 2, .memory = true};
    const char *json_path = NULL;
    char folder[] = "/tmp/kostka-j2k-peers-XXXXXX";
    int option;

    if ((argc == 5 || argc == 10) && strcmp(argv[1], "--child-memory") == 0)
        return child_memory(argc, argv);
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'r')
            settings.rounds = (int)strtol(optarg, NULL, 10);
        else if (option == 't')
            settings.threads = (int)strtol(optarg, NULL, 10);
        else if (option == 'm')
            settings.memory = false;
        else if (option == 'k')
            settings.kostka = optarg;
        else if (option == 'j')
            json_path = optarg;
        else
            return usage();
    }
    if (optind == argc || settings.rounds < 1 || settings.rounds > ROUNDS_MAX || settings.threads < 1)
        return usage();
    if (mkdtemp(folder) == NULL)
        return 1;
    settings.results = json_array();
    bool good = true;
    printf("%-26s %-18s t %8s %8s  ratio\n", "photograph", "work", "OpenJPEG", "Kostka");
    for (int i = optind; i < argc && good; i++)
        good = run_photograph(&settings, argv[i], folder, false);
    good = good && run_photograph(&settings, argv[optind], folder, true);
    if (good)
        good = finish(&settings, json_path);
    json_decref(settings.results);
    rmdir(folder);
    return good ? 0 : 1;
}
