/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures chains of filters on a decoded picture: prints the median of the time, and of the processor time of all
 * threads, in milliseconds. bench/filters_opencv.py measures what OpenCV takes for the same.
 *
 *     kostka-filters [-t THREADS] [-k RUNS] FILE CHAIN...
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <kostka/kostka.h>
#include <kostka/kostka_filter.h>

#include "statistics.h"

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

static void measure(kst_context *context, const kst_image *image, const char *chain, int runs)
{
    double wall[MOST_RUNS], processor[MOST_RUNS];
    kst_filter *filter;
    kst_report report;
    kst_image to;
    kst_report_init(&report);
    kst_image_init(&to);
    check(kst_filter_open(context, chain, &filter, &report), chain, &report);
    check(kst_filter_run(filter, image, &to, &report), chain, &report);
    for (int i = 0; i < runs; i++) {
        double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
        check(kst_filter_run(filter, image, &to, &report), chain, &report);
        wall[i] = (seconds(CLOCK_MONOTONIC) - start) * 1e3;
        processor[i] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e3;
    }
    printf("%-32s %9.2f ms %9.2f ms of processors\n", chain, statistics_median(wall, (size_t)runs),
        statistics_median(processor, (size_t)runs));
    kst_image_release(context, &to);
    kst_filter_close(&filter);
}

int main(int argc, char **argv)
{
    kst_context_options options;
    kst_context *context;
    kst_image image;
    kst_report report;
    size_t length;
    int runs = 11, code;
    kst_context_options_init(&options);
    options.device = "cpu";
    while ((code = getopt(argc, argv, "t:k:")) != -1)
        if (code == 't')
            options.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (code == 'k')
            runs = (int)strtol(optarg, NULL, 10);
        else
            return 2;
    if (argc - optind < 2 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "kostka-filters [-t THREADS] [-k RUNS] FILE CHAIN...\n");
        return 2;
    }
    kst_report_init(&report);
    kst_image_init(&image);
    check(kst_context_create(&options, &context), "context", NULL);
    uint8_t *data = read_file(argv[optind], &length);
    check(kst_decode(context, data, length, NULL, &image, &report), argv[optind], &report);
    printf("%ux%u, %u channels\n", image.width, image.height, kst_format_channels(image.format));
    for (int i = optind + 1; i < argc; i++)
        measure(context, &image, argv[i], runs);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
    free(data);
    return 0;
}
