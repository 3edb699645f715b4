/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures chains of filters on a decoded picture: prints the median of the time, and of the processor time of all
 * threads, in milliseconds. bench/filters_opencv.py measures what OpenCV takes for the same. On a GPU the picture lies
 * in device memory, and so does the result; the second time is that of the device alone, and the third is from the
 * bytes of the file to the bytes of a JPEG file of the result, with -q 90.
 *
 *     kostka-filters [-d DEVICE] [-t THREADS] [-k RUNS] FILE CHAIN...
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <kostka/kostka.h>
#include <kostka/kostka_filter.h>

#include "print/statistics.h"
#include "system/channels.h"

enum { MOST_RUNS = 1000 };

static void check(kst_status status, const char *what, const kst_report *report)
{
    if (!status)
        return;
    fprintf(stderr, "%s: %s\n", what, report && report->message[0] ? report->message : kst_status_text(status));
    exit(1);
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && (data = malloc((size_t)size)) != NULL) {
        rewind(file);
        *length = fread(data, 1, (size_t)size, file);
    }
    if (file)
        fclose(file);
    if (!data || *length != (size_t)size) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    return data;
}

/* Return the kind of memory that the context's device has. */
static kst_memory memory_of(const kst_context *context)
{
    kst_device_info info = {.size = sizeof info};
    check(kst_context_device(context, &info), "device", NULL);
    return info.kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
           : info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                            : KST_MEMORY_HOST;
}

/* Describes what is measured, and on which device. */
struct filters_bench {
    kst_context *context;
    kst_memory memory;
    const uint8_t *data; /* the file */
    size_t length;
    kst_image image; /* the decoded picture */
    int runs;
};

/*
 * Measure the time from the bytes of a file to those of a JPEG file of the result. Returns 0 if the result has more
 * than 8 bits, which JPEG files do not hold.
 */
static double whole_way(const struct filters_bench *bench, const kst_filter *filter)
{
    kst_image image, to;
    kst_encode_options options;
    kst_buffer coded = {.data = NULL};
    kst_report report;
    double start = seconds(CLOCK_MONOTONIC);
    kst_report_init(&report);
    kst_image_init(&image);
    kst_image_init(&to);
    kst_encode_options_init(&options);
    options.quality = 90;
    image.memory = to.memory = bench->memory;
    check(kst_decode(bench->context, bench->data, bench->length, NULL, &image, &report), "decode", &report);
    check(kst_filter_run(filter, &image, &to, &report), "filter", &report);
    if (to.plane[0].depth == 8)
        check(kst_encode(bench->context, &to, &options, &coded, &report), "encode", &report);
    double taken = to.plane[0].depth == 8 ? (seconds(CLOCK_MONOTONIC) - start) * 1e3 : 0;
    kst_buffer_release(bench->context, &coded);
    kst_image_release(bench->context, &image);
    kst_image_release(bench->context, &to);
    return taken;
}

static void measure(const struct filters_bench *bench, const char *chain)
{
    static double wall[MOST_RUNS], processor[MOST_RUNS], device[MOST_RUNS], way[MOST_RUNS];
    kst_filter *filter;
    kst_report report;
    kst_image to;
    size_t runs = (size_t)bench->runs;
    kst_report_init(&report);
    kst_image_init(&to);
    to.memory = bench->memory;
    check(kst_filter_open(bench->context, chain, &filter, &report), chain, &report);
    check(kst_filter_run(filter, &bench->image, &to, &report), chain, &report);
    for (size_t i = 0; i < runs; i++) {
        double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
        check(kst_filter_run(filter, &bench->image, &to, &report), chain, &report);
        wall[i] = (seconds(CLOCK_MONOTONIC) - start) * 1e3;
        processor[i] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e3;
        device[i] = report.stage_seconds[KST_STAGE_PIXELS] * 1e3;
        way[i] = bench->memory == KST_MEMORY_HOST ? 0 : whole_way(bench, filter);
    }
    if (bench->memory == KST_MEMORY_HOST)
        printf("%-32s %9.2f ms %9.2f ms of processors\n", chain, statistics_median(wall, runs),
            statistics_median(processor, runs));
    else
        printf("%-32s %9.3f ms %9.3f ms of the device %9.3f ms from file to file\n", chain,
            statistics_median(wall, runs), statistics_median(device, runs), statistics_median(way, runs));
    kst_image_release(bench->context, &to);
    kst_filter_close(&filter);
}

int main(int argc, char **argv)
{
    kst_context_options options;
    struct filters_bench bench = {.runs = 11};
    kst_report report;
    int code;
    ask_for_channels();
    kst_context_options_init(&options);
    options.device = "cpu";
    while ((code = getopt(argc, argv, "d:t:k:")) != -1)
        if (code == 'd')
            options.device = optarg;
        else if (code == 't')
            options.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (code == 'k')
            bench.runs = (int)strtol(optarg, NULL, 10);
        else
            return 2;
    if (argc - optind < 2 || bench.runs < 1 || bench.runs > MOST_RUNS) {
        fprintf(stderr, "kostka-filters [-d DEVICE] [-t THREADS] [-k RUNS] FILE CHAIN...\n");
        return 2;
    }
    kst_report_init(&report);
    kst_image_init(&bench.image);
    check(kst_context_create(&options, &bench.context), "context", NULL);
    uint8_t *data = read_file(argv[optind], &bench.length);
    bench.data = data;
    bench.image.memory = bench.memory = memory_of(bench.context);
    check(kst_decode(bench.context, data, bench.length, NULL, &bench.image, &report), argv[optind], &report);
    printf("%ux%u, %u channels\n", bench.image.width, bench.image.height, kst_format_channels(bench.image.format));
    for (int i = optind + 1; i < argc; i++)
        measure(&bench, argv[i]);
    kst_image_release(bench.context, &bench.image);
    kst_context_destroy(&bench.context);
    free(data);
    return 0;
}
