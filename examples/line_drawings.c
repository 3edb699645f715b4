/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes line drawings of JPEG files, dark edges on white, on all devices at once. Shows a flow with a stage of filters:
 * a device decodes a file, finds its edges and encodes them, and pixels stay in its memory.
 *
 *     line_drawings OUTPUT-FOLDER FILE.jpg…
 *
 * Each file becomes one of the same name in the folder. KOSTKA_DEVICE names the devices; KOSTKA_FILTERS, if it is set,
 * is another chain of filters.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "files.h"

static const char usual[] = "grey,gaussian=1.4,canny=30:80,invert";

struct work {
    const char *folder;
    char **path;
    int count, next;
    pthread_mutex_t lock; /* guards `failed`, which several writers may count */
    int failed;
};

/* The source: one file after the other, which a thread of the flow reads. */
static bool next(void *user, kst_flow_item *item)
{
    struct work *work = user;
    if (work->next == work->count)
        return false;
    item->path = item->user = work->path[work->next++];
    return true;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Write a result. Returns false after a message. */
static bool save(const struct work *work, const kst_flow_item *item)
{
    char path[4096];
    const char *source = item->user;
    int length = snprintf(path, sizeof path, "%s/%s", work->folder, name_of(source));
    if (item->report.status)
        return fprintf(stderr, "line_drawings: %s: %s\n", source, item->report.message), false;
    if (length < 0 || (size_t)length >= sizeof path)
        return fprintf(stderr, "line_drawings: %s: its name is too long\n", source), false;
    return file_write(path, &item->output);
}

/* The sink, which several threads call. */
static bool put(void *user, kst_flow_item *item)
{
    struct work *work = user;
    if (!save(work, item)) {
        pthread_mutex_lock(&work->lock);
        work->failed++;
        pthread_mutex_unlock(&work->lock);
    }
    return true;
}

static bool run(struct work *work, const kst_filter *filter)
{
    kst_flow_stage stage = {.size = sizeof stage};
    kst_flow_options options;
    kst_encode_options encode;
    kst_flow *flow;
    kst_encode_options_init(&encode);
    encode.quality = 90;
    kst_flow_options_init(&options);
    options.work = KST_FLOW_CONVERT;
    options.stage = &stage;
    options.encode = &encode;
    options.next = next;
    options.put = put;
    options.user = work;
    kst_status status = kst_filter_stage(filter, &stage);
    if (!status)
        status = kst_flow_start(&options, &flow);
    if (status)
        return fprintf(stderr, "line_drawings: %s\n", kst_status_text(status)), false;
    status = kst_flow_end(&flow); /* waits for all results, each of which has its own status and message */
    if (status && work->failed == 0)
        fprintf(stderr, "line_drawings: %s\n", kst_status_text(status));
    return !status && work->failed == 0;
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("KOSTKA_FILTERS");
    kst_context *context = NULL; /* to read the chain in */
    kst_context_options options;
    kst_filter *filter = NULL;
    kst_report report;
    if (argc < 3)
        return fprintf(stderr, "usage: line_drawings OUTPUT-FOLDER FILE.jpg…\n"), 2;
    struct work work = {.folder = argv[1], .path = argv + 2, .count = argc - 2, .lock = PTHREAD_MUTEX_INITIALIZER};
    kst_context_options_init(&options);
    kst_report_init(&report);
    options.device = "cpu";
    options.threads = 1;
    kst_status status = kst_context_create(&options, &context);
    if (!status)
        status = kst_filter_open(context, wanted ? wanted : usual, &filter, &report);
    if (status)
        fprintf(stderr, "line_drawings: %s\n", report.message[0] ? report.message : kst_status_text(status));
    bool fine = !status && run(&work, filter);
    kst_filter_close(&filter);
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
