/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures flows: how many pictures a second come from files to pixels, to a device's memory or to new files. Prints a
 * row of a table in Markdown:
 *
 *     kostka-flow [-d DEVICES] [-t THREADS] [-r READERS] [-n MOST] [-u MICROSECONDS] [-w FOLDER] [-k RUNS] WORK ITEMS
 * FILE…
 *
 * WORK is decode, device (decode to the memory of the only device), jp2 (20:1), lossless, jpeg (quality 80) or
 * transcode (progressive). Items use the files in turn. With -w the new files are written to a folder, and removed
 * afterwards. A first run of at most 256 items warms up, and is not counted.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <kostka/kostka_flow.h>

#include "print/statistics.h"
#include "system/channels.h"

enum { RUNS_MAX = 100, WARMING = 256 /* items of the run that warms up */ };

/* Holds what a run counts. */
struct run {
    char **file;
    uint64_t files, items, brought;
    const char *folder; /* null: results are dropped */
    kst_memory memory;
    atomic_uint_fast64_t pixels, bytes, failed;
};

static const struct work {
    const char *name;
    kst_flow_work work;
    kst_codec codec;
    double ratio; /* of JPEG 2000; 0: without loss */
} works[] = {
    {"decode", KST_FLOW_DECODE, KST_CODEC_NONE, 0},
    {"device", KST_FLOW_DECODE, KST_CODEC_NONE, 0},
    {"jp2", KST_FLOW_CONVERT, KST_CODEC_JPEG2000, 20},
    {"lossless", KST_FLOW_CONVERT, KST_CODEC_JPEG2000, 0},
    {"jpeg", KST_FLOW_CONVERT, KST_CODEC_JPEG, 0},
    {"transcode", KST_FLOW_TRANSCODE, KST_CODEC_JPEG, 0},
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool next(void *user, kst_flow_item *item)
{
    struct run *run = user;
    if (run->brought == run->items)
        return false;
    item->path = run->file[run->brought++ % run->files];
    item->image.memory = run->memory;
    return true;
}

static void name_output(const struct run *run, uint64_t index, char *path, size_t room)
{
    snprintf(path, room, "%s/%llu", run->folder, (unsigned long long)index);
}

static bool write_output(const struct run *run, const kst_flow_item *item)
{
    char path[4096];
    name_output(run, item->index, path, sizeof path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const kst_plane *plane = &item->image.plane[0];
    bool coded = item->output.data != NULL;
    const void *data = coded ? item->output.data : plane->data;
    size_t length = coded ? item->output.length : (size_t)plane->pitch * plane->height;
    bool good = file >= 0 && write(file, data, length) == (ssize_t)length;
    if (file >= 0)
        close(file);
    return good;
}

static bool put(void *user, kst_flow_item *item)
{
    struct run *run = user;
    if (item->report.status && run->failed++ == 0)
        fprintf(stderr, "kostka-flow: %s: %s\n", item->path, item->report.message);
    run->pixels += (uint64_t)item->image.width * item->image.height;
    run->bytes += item->output.length;
    if (item->report.status || !run->folder || write_output(run, item))
        return true;
    perror(run->folder);
    return false;
}

static void remove_outputs(const struct run *run)
{
    char path[4096];
    for (uint64_t i = 0; run->folder && i < run->items; i++) {
        name_output(run, i, path, sizeof path);
        unlink(path);
    }
}

/* Run a flow to its end. Returns its seconds; 0 after a message. */
static double measure(kst_flow_options *options, struct run *run)
{
    kst_flow *flow;
    options->user = run;
    run->brought = 0;
    run->pixels = run->bytes = run->failed = 0;
    double began = seconds_now();
    kst_status status = kst_flow_start(options, &flow);
    if (!status)
        status = kst_flow_end(&flow);
    double taken = seconds_now() - began;
    remove_outputs(run);
    if (!status)
        return taken;
    fprintf(stderr, "kostka-flow: %s\n", kst_status_text(status));
    return 0;
}

static const struct work *find_work(const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(works[i].name, name) == 0)
            return &works[i];
    return NULL;
}

static void choose(const struct work *work, kst_flow_options *options, kst_encode_options *encode, kst_j2k_options *j2k,
    kst_transcode_options *transcode)
{
    kst_encode_options_init(encode);
    kst_j2k_options_init(j2k);
    kst_transcode_options_init(transcode);
    transcode->coding = KST_CODING_PROGRESSIVE;
    encode->codec = work->codec == KST_CODEC_NONE ? KST_CODEC_JPEG : work->codec;
    encode->quality = 80;
    if (work->ratio > 0) {
        j2k->target = KST_J2K_RATIO;
        j2k->value = work->ratio;
    }
    encode->jpeg2000 = j2k;
    options->work = work->work;
    options->encode = encode;
    options->transcode = transcode;
    options->next = next;
    options->put = put;
}

static kst_memory memory_of(const char *work, const char *devices)
{
    if (strcmp(work, "device") != 0)
        return KST_MEMORY_HOST;
    return devices && strncmp(devices, "opencl", 6) == 0 ? KST_MEMORY_OPENCL : KST_MEMORY_CUDA;
}

static void print_row(const char *work, const kst_flow_options *options, const struct run *run, double *taken, int runs)
{
    double median = statistics_median(taken, (size_t)runs);
    printf("| %s, %s | %.0f | %.0f | %.0f | %.1f |\n", work, options->devices ? options->devices : "auto",
        (double)run->items / median, (double)run->pixels / median * 1e-6, (double)run->bytes / median * 1e-6,
        median * 1e3);
}

static int usage(void)
{
    fputs("usage: kostka-flow [-d DEVICES] [-t THREADS] [-r READERS] [-n MOST] [-u MICROSECONDS] [-w FOLDER]\n"
          "                   [-k RUNS] decode|device|jp2|lossless|jpeg|transcode ITEMS FILE...\n",
        stderr);
    return 2;
}

int main(int argc, char **argv)
{
    kst_flow_options options;
    kst_encode_options encode;
    kst_j2k_options j2k;
    kst_transcode_options transcode;
    struct run run = {.folder = NULL};
    double taken[RUNS_MAX];
    int runs = 3, option;
    ask_for_channels();
    kst_flow_options_init(&options);
    while ((option = getopt(argc, argv, "d:t:r:n:u:w:k:")) != -1) {
        uint32_t number = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;
        if (option == 'd')
            options.devices = optarg;
        else if (option == 't')
            options.threads = number;
        else if (option == 'r')
            options.readers = number;
        else if (option == 'n')
            options.most = number;
        else if (option == 'u')
            options.wait_us = number;
        else if (option == 'w')
            run.folder = optarg;
        else if (option == 'k')
            runs = (int)number;
        else
            return usage();
    }
    if (argc - optind < 3 || !find_work(argv[optind]) || runs < 1 || runs > RUNS_MAX)
        return usage();
    choose(find_work(argv[optind]), &options, &encode, &j2k, &transcode);
    run.items = strtoull(argv[optind + 1], NULL, 10);
    run.file = argv + optind + 2;
    run.files = (uint64_t)(argc - optind - 2);
    run.memory = memory_of(argv[optind], options.devices);
    const uint64_t items = run.items;
    for (int i = -1; i < runs; i++) {
        run.items = i < 0 && items > WARMING ? WARMING : items;
        double seconds = measure(&options, &run);
        if (!(seconds > 0))
            return 1;
        if (i >= 0)
            taken[i] = seconds;
    }
    print_row(argv[optind], &options, &run, taken, runs);
    return 0;
}
