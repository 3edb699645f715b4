/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what bench/gpu.sh measured, and prints it as tables in Markdown: kostka-gpu-plot RESULTS.json FOLDER
 */
#include <stdio.h>
#include <string.h>

#include "gpu_chart.h"
#include "gpu_results.h"

struct series {
    const char *name, *device, *engine, *colour, *style;
    const char *key; /* the key of the time; null: that of the median */
};

static const char *const works[] = {"decode", "encode"};

static const struct series all[] = {
    {"kostka, CUDA", "cuda", "kostka", "#c03028", "none", NULL},
    {"kostka, OpenCL", "opencl", "kostka", "#e08828", "none", NULL},
    {"nvJPEG, its best", "cuda", "nvJPEG", "#3a7d44", "none", NULL},
    {"libjpeg-turbo, 1 thread", "cuda", "libjpeg-turbo, 1 thread", "#777", "none", NULL},
    {"libjpeg-turbo, all threads", "cuda", "libjpeg-turbo, all threads", "#777", "5 3", NULL},
    {"the coded bytes on the bus", "cuda", "kostka", "#222", "2 3", "bus_seconds"},
    {"the pixels on the bus, pinned", "cuda", "kostka", "#999", "2 3", "copy_pinned_seconds"},
};

enum { SERIES = sizeof all / sizeof all[0] };

static double seconds_of(const json_t *file, const struct series *series)
{
    return gpu_number(file, series->key != NULL ? series->key : "median_seconds");
}

/* Add a point, unless its time is below a microsecond, which would mean nothing. */
static void add_point(struct chart_line *line, double x, double seconds)
{
    if (seconds < 1e-6 || line->points == CHART_POINTS)
        return;
    line->x[line->points] = x;
    line->y[line->points++] = seconds * 1e3;
}

static void begin_line(struct chart *chart, const struct series *series)
{
    struct chart_line *line = &chart->line[chart->lines++];
    *line = (struct chart_line){.name = series->name, .colour = series->colour, .style = series->style};
}

static void add_sizes(struct chart *chart, const json_t *root, const char *kind, const struct series *series)
{
    struct gpu_query query = {.kind = kind, .device = series->device, .engine = series->engine, .batch = 1};

    begin_line(chart, series);
    for (int side = 16; side <= 16384; side *= 2) {
        query.width = query.height = side;
        add_point(&chart->line[chart->lines - 1], side, seconds_of(gpu_measurement(root, &query), series));
    }
}

static bool plot_sizes(const json_t *root, const char *work, const char *folder)
{
    const struct series processor[] = {{"kostka, CPU, 1 thread", "cpu", "kostka", "#a080c0", "none", NULL},
        {"kostka, CPU, all threads", "cpu", "kostka", "#a080c0", "5 3", NULL}};
    char title[80], kind[32], name[32];
    struct chart chart = {.title = title,
        .subtitle = "q90, 4:2:0, no restart markers; one picture; medians; pixels on the GPU, streams in pinned memory",
        .x_title = "side of a square picture, pixels",
        .base = 2};

    snprintf(title, sizeof title, "Time to %s a picture, by its size: %s", work, gpu_text(root, "driver"));
    snprintf(kind, sizeof kind, "%s size", work);
    for (int i = 0; i < SERIES; i++)
        add_sizes(&chart, root, kind, &all[i]);
    for (int i = 0; i < 2; i++) {
        snprintf(kind, sizeof kind, "%s size %s", work, i == 0 ? "1" : "all");
        add_sizes(&chart, root, kind, &processor[i]);
    }
    snprintf(name, sizeof name, "gpu-%s-size.svg", work);
    return chart_write(&chart, folder, name);
}

/* Plot the time for each picture of a batch. */
static bool plot_batches(const json_t *root, const char *work, int width, int height, const char *folder)
{
    char title[128], kind[32], name[48];
    struct chart chart = {.title = title,
        .subtitle = "q90, 4:2:0, no restart markers; medians of a batch's time, divided by its pictures",
        .x_title = "pictures at once",
        .base = 2};

    snprintf(title, sizeof title, "Time to %s, for each %d × %d picture of a batch: %s", work, width, height,
        gpu_text(root, "driver"));
    snprintf(kind, sizeof kind, "%s batch", work);
    for (int i = 0; i < SERIES; i++) {
        struct gpu_query query = {.kind = kind,
            .device = all[i].device,
            .engine = all[i].engine,
            .coding = "90 420",
            .width = width,
            .height = height};
        begin_line(&chart, &all[i]);
        for (int batch = 1; batch <= 64; batch *= 4) {
            query.batch = batch;
            add_point(&chart.line[chart.lines - 1], batch, seconds_of(gpu_measurement(root, &query), &all[i]) / batch);
        }
    }
    snprintf(name, sizeof name, "gpu-%s-batch-%d.svg", work, height);
    return chart_write(&chart, folder, name);
}

/* Plot times by the bytes that codings take for each pixel. */
static bool plot_qualities(const json_t *root, const char *work, const char *folder)
{
    static const char *const codings[] = {"75 420", "75 444", "90 420", "90 444"};
    char title[128], kind[32], name[32];
    struct chart chart = {.title = title,
        .subtitle = "q75 4:2:0, q75 4:4:4, q90 4:2:0, q90 4:4:4 in turn of their bytes; one picture; medians",
        .x_title = "bits of the stream for each pixel",
        .base = 2};

    snprintf(
        title, sizeof title, "Time to %s a 3840 × 2160 picture, by its coding: %s", work, gpu_text(root, "driver"));
    snprintf(kind, sizeof kind, "%s batch", work);
    for (int i = 0; i < SERIES; i++) {
        begin_line(&chart, &all[i]);
        for (int j = 0; j < 4; j++) {
            const struct gpu_query query = {.kind = kind,
                .device = all[i].device,
                .engine = all[i].engine,
                .coding = codings[j],
                .width = 3840,
                .height = 2160,
                .batch = 1};
            const struct gpu_query own = {
                .kind = kind, .engine = "kostka", .coding = codings[j], .width = 3840, .height = 2160, .batch = 1};
            double bits = 8 * gpu_number(gpu_measurement(root, &own), "bytes") / (3840.0 * 2160.0);
            if (bits > 0)
                add_point(&chart.line[chart.lines - 1], bits, seconds_of(gpu_measurement(root, &query), &all[i]));
        }
    }
    snprintf(name, sizeof name, "gpu-%s-quality.svg", work);
    return chart_write(&chart, folder, name);
}

static void print_time(double seconds)
{
    if (seconds > 0)
        printf(seconds < 0.1 ? " %.3f |" : " %.0f |", seconds * 1e3);
    else
        printf(" – |");
}

/*
 * Print the details of a time: the PSNR of a peer whose result differs, and how the peer was driven. A file that
 * differs but decodes to the same pixels has no PSNR.
 */
static void print_details(const json_t *file)
{
    if (json_is_false(json_object_get(file, "identical")) && json_is_number(json_object_get(file, "psnr")))
        printf(" (%.1f dB)", gpu_number(file, "psnr"));
    if (gpu_number(file, "callers") * gpu_number(file, "states") > 1)
        printf(" (%.0f threads of %.0f)", gpu_number(file, "callers"), gpu_number(file, "states"));
    if (json_object_get(file, "threads") != NULL && gpu_number(file, "threads") > 1)
        printf(" (with %.0f CPU threads)", gpu_number(file, "threads"));
    printf(" |");
}

static void print_cell(const json_t *file, double seconds)
{
    if (seconds <= 0) {
        printf(" – |");
        return;
    }
    printf(seconds < 0.1 ? " %.3f" : " %.0f", seconds * 1e3);
    print_details(file);
}

static void print_head(const char *first)
{
    printf("\n| %s |", first);
    for (int i = 0; i < SERIES; i++)
        printf(" %s |", all[i].name);
    printf("\n|---|");
    for (int i = 0; i < SERIES; i++)
        printf("---|");
    printf("\n");
}

static void print_row(const json_t *root, struct gpu_query query)
{
    for (int i = 0; i < SERIES; i++) {
        query.device = all[i].device;
        query.engine = all[i].engine;
        const json_t *file = gpu_measurement(root, &query);
        if (all[i].key != NULL)
            print_time(seconds_of(file, &all[i]));
        else
            print_cell(file, seconds_of(file, &all[i]));
    }
}

static void print_batches(const json_t *root, const char *work, const char *coding)
{
    static const int sizes[][2] = {{3840, 2160}, {1920, 1080}};
    char kind[32];

    snprintf(kind, sizeof kind, "%s batch", work);
    printf("\n%s, %s, milliseconds\n", work, coding);
    print_head("pictures");
    for (int i = 0; i < 2; i++)
        for (int batch = 1; batch <= 64; batch *= 4) {
            printf("| %d × %d×%d |", batch, sizes[i][0], sizes[i][1]);
            print_row(
                root, (struct gpu_query){
                          .kind = kind, .coding = coding, .width = sizes[i][0], .height = sizes[i][1], .batch = batch});
            printf("\n");
        }
}

/* Print JPEG 2000: Kostka on both devices, and nvJPEG2000 with its PSNR. */
static void print_j2k(const json_t *root, const char *work)
{
    static const char *const codings[] = {"j2k lossless", "j2k lossless alone", "j2k lossless 32x32", "j2k 20:1",
        "j2k 20:1 alone", "j2k 20:1 32x32", "ht lossless", "ht step", "ht 20:1"};
    char kind[32];

    snprintf(kind, sizeof kind, "%s batch", work);
    printf("\n%s of JPEG 2000, 3840×2160, milliseconds\n\n| coding | pictures | kostka, CUDA | kostka, OpenCL | "
           "nvJPEG2000 |\n|---|---|---|---|---|\n",
        work);
    for (size_t i = 0; i < sizeof codings / sizeof codings[0]; i++)
        for (int batch = 1; batch <= 32; batch *= 32) {
            struct gpu_query query = {.kind = kind, .coding = codings[i], .batch = batch};
            printf("| %s | %d |", codings[i], batch);
            for (int j = 0; j < 3; j++) {
                query.device = j == 1 ? "opencl" : "cuda";
                query.engine = j == 2 ? "nvJPEG2000" : "kostka";
                const json_t *file = gpu_measurement(root, &query);
                print_cell(file, gpu_number(file, "median_seconds"));
            }
            printf("\n");
        }
}

static void print_sizes(const json_t *root, const char *work)
{
    char kind[32];

    snprintf(kind, sizeof kind, "%s size", work);
    printf("\n%s by size, 90 420, milliseconds; then Kostka on the CPU, one thread and all\n", work);
    print_head("side");
    for (int side = 64; side <= 8192; side *= 2) {
        printf("| %d |", side);
        print_row(root, (struct gpu_query){.kind = kind, .width = side, .height = side, .batch = 1});
        for (int threads = 0; threads < 2; threads++) {
            snprintf(kind, sizeof kind, "%s size %s", work, threads == 0 ? "1" : "all");
            print_time(
                gpu_number(gpu_measurement(root, &(struct gpu_query){.kind = kind, .width = side, .height = side}),
                    "median_seconds"));
            snprintf(kind, sizeof kind, "%s size", work);
        }
        printf("\n");
    }
}

/* Print the remaining measurements of Kostka itself. */
static void print_others(const json_t *root)
{
    static const char *const kinds[] = {"decode host", "encode host", "decode restart", "decode progressive",
        "encode optimized", "encode optimized 64"};

    printf("\n| work | device | size | ms | as the CPU |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int device = 0; device < 2; device++)
            for (int height = 2160; height >= 1080; height /= 2) {
                const struct gpu_query query = {
                    .kind = kinds[i], .device = device == 0 ? "cuda" : "opencl", .height = height};
                const json_t *file = gpu_measurement(root, &query);
                if (file != NULL)
                    printf("| %s | %s | %d×%d | %.3f | %s |\n", kinds[i], query.device, (int)gpu_number(file, "width"),
                        height, gpu_number(file, "median_seconds") * 1e3,
                        json_is_true(json_object_get(file, "identical")) ? "yes" : "no");
            }
}

static void print_step(const json_t *step)
{
    printf("| %s | %.4f | %.2f | %.0f | %.0f%% |", gpu_text(step, "name"), gpu_number(step, "seconds") * 1e3,
        gpu_number(step, "bytes") * 1e-6, gpu_number(step, "bytes_per_second") * 1e-9,
        gpu_number(step, "share_of_copy") * 100);
    if (json_is_number(json_object_get(step, "registers")))
        printf(" %.0f | %.0f | %.0f | %.0f × %.0f | %.0f%% |\n", gpu_number(step, "registers"),
            gpu_number(step, "local_bytes"), gpu_number(step, "private_bytes"), gpu_number(step, "groups"),
            gpu_number(step, "group_size"), gpu_number(step, "occupancy") * 100);
    else if (strcmp(gpu_text(step, "kind"), "kernel") == 0)
        printf(" – | %.0f | – | %.0f × %.0f | – |\n", gpu_number(step, "local_bytes"), gpu_number(step, "groups"),
            gpu_number(step, "group_size"));
    else
        printf(" | | | | |\n");
}

static void print_profiles(const json_t *root)
{
    size_t i, j;
    const json_t *run, *step;

    json_array_foreach(json_object_get(root, "runs"), i, run)
    {
        const json_t *profile = json_object_get(run, "result");
        if (strstr(gpu_text(run, "kind"), "profile") == NULL)
            continue;
        printf("\n%s on %s, %s; a whole call %.3f ms; copies %.0f GB/s on the device, %.1f up, %.1f down\n\n",
            gpu_text(profile, "work"), gpu_text(run, "device"), gpu_text(run, "coding"),
            gpu_number(profile, "seconds") * 1e3, gpu_number(profile, "copy_bytes_per_second") * 1e-9,
            gpu_number(profile, "up_bytes_per_second") * 1e-9, gpu_number(profile, "down_bytes_per_second") * 1e-9);
        printf("| step | ms | MB | GB/s | of a copy | registers | local bytes | private bytes | groups | occupancy |\n"
               "|---|---|---|---|---|---|---|---|---|---|\n");
        json_array_foreach(json_object_get(profile, "steps"), j, step) print_step(step);
    }
}

static void print_tables(const json_t *root)
{
    static const char *const codings[] = {"90 420", "75 420", "90 444", "75 444"};

    for (int work = 0; work < 2; work++) {
        for (int i = 0; i < 4; i++)
            print_batches(root, works[work], codings[i]);
        print_j2k(root, works[work]);
        print_sizes(root, works[work]);
    }
    print_others(root);
    print_profiles(root);
}

int main(int argc, char **argv)
{
    json_error_t error;
    bool good = true;

    if (argc != 3) {
        fputs("Usage: kostka-gpu-plot RESULTS.json FOLDER\n", stderr);
        return 2;
    }
    json_t *root = json_load_file(argv[1], 0, &error);
    if (root == NULL) {
        fprintf(stderr, "kostka-gpu-plot: %s\n", error.text);
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        good = plot_sizes(root, works[i], argv[2]) && good;
        good = plot_batches(root, works[i], 3840, 2160, argv[2]) && good;
        good = plot_batches(root, works[i], 1920, 1080, argv[2]) && good;
        good = plot_qualities(root, works[i], argv[2]) && good;
    }
    print_tables(root);
    json_decref(root);
    return good ? 0 : 1;
}
