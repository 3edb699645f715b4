/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets flows run for a long time, and checks that no item is lost or comes twice, that each result is the same as the
 * first one of its file and work, and that memory does not grow:
 *
 *     kostka-soak [-d DEVICES] [-t THREADS] [-s SECONDS] FILE…
 *
 * Flows of all works follow each other, in order and not. Files may be damaged: they fail each time.
 */
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <kostka/kostka_flow.h>

enum { WORKS = 4, ITEMS = 48, PARTS = 3 };

static const char *const names[WORKS] = {"decode", "jp2", "jpeg", "transcode"};

struct soak {
    char **file;
    uint64_t files;
    kst_flow_options flow;
    kst_decode_options decode;
    kst_encode_options encode[WORKS];
    kst_j2k_options j2k;
    kst_transcode_options transcode;
    /* These belong to the flow that runs: */
    int work;
    uint64_t shift, brought; /* the file of its first item, and the items so far */
    atomic_uchar came[ITEMS];
    atomic_uint_fast64_t wrong;
    /* These belong to all flows: */
    atomic_uint_fast64_t *expected; /* for each work and file the hash of its result; 0: none has come */
    uint64_t items;
    atomic_uint_fast64_t failed;
    uint64_t most[PARTS]; /* the most bytes that were resident after a flow, in each third of the time */
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Return the bytes of the process that are in memory. */
static uint64_t resident(void)
{
    char text[200] = "";
    FILE *from = fopen("/proc/self/statm", "re");
    if (from && !fgets(text, sizeof text, from))
        text[0] = '\0';
    if (from)
        fclose(from);
    const char *second = strchr(text, ' '); /* behind the pages that have addresses */
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* FNV-1a */
static uint64_t hash(uint64_t sum, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    return sum;
}

static uint64_t hash_item(const kst_flow_item *item)
{
    const kst_plane *plane = &item->image.plane[0];
    uint64_t sum = hash(UINT64_C(0xCBF29CE484222325), &item->report.status, sizeof item->report.status);
    if (item->report.status)
        return sum;
    sum = hash(sum, item->output.data, item->output.length);
    for (uint32_t y = 0; item->output.length == 0 && y < plane->height; y++)
        sum = hash(sum, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, 3 * (size_t)plane->width);
    return sum;
}

static bool next(void *user, kst_flow_item *item)
{
    struct soak *soak = user;
    if (soak->brought == ITEMS)
        return false;
    item->path = soak->file[(soak->shift + soak->brought++) % soak->files];
    return true;
}

static void complain(struct soak *soak, const kst_flow_item *item, const char *what)
{
    if (soak->wrong++ == 0)
        fprintf(stderr, "kostka-soak: %s, item %llu, %s: %s\n", names[soak->work], (unsigned long long)item->index,
            item->path, what);
}

static bool put(void *user, kst_flow_item *item)
{
    struct soak *soak = user;
    const uint64_t file = (soak->shift + item->index) % soak->files, found = hash_item(item);
    const uint64_t before = atomic_exchange(&soak->expected[(uint64_t)soak->work * soak->files + file], found);
    if (item->index >= ITEMS || soak->came[item->index]++ != 0)
        complain(soak, item, "it came twice, or nobody sent it");
    if (before != 0 && before != found)
        complain(soak, item, "the result is not that of the first time");
    soak->failed += item->report.status ? 1 : 0;
    return true;
}

static void choose(struct soak *soak)
{
    kst_flow_options *flow = &soak->flow;
    kst_decode_options_init(&soak->decode);
    kst_j2k_options_init(&soak->j2k);
    kst_transcode_options_init(&soak->transcode);
    soak->decode.format = KST_FORMAT_RGB;
    soak->j2k.target = KST_J2K_RATIO;
    soak->j2k.value = 20;
    soak->transcode.coding = KST_CODING_OPTIMIZED;
    flow->next = next;
    flow->put = put;
    flow->user = soak;
    for (int i = 0; i < WORKS; i++) {
        kst_encode_options_init(&soak->encode[i]);
        soak->encode[i].codec = i == 1 ? KST_CODEC_JPEG2000 : KST_CODEC_JPEG;
        soak->encode[i].jpeg2000 = i == 1 ? &soak->j2k : NULL;
    }
}

/* Run one flow to its end, whose status is that of an item that failed. Returns false after a message. */
static bool run(struct soak *soak, uint64_t number)
{
    static const kst_flow_work works[WORKS] = {KST_FLOW_DECODE, KST_FLOW_CONVERT, KST_FLOW_CONVERT, KST_FLOW_TRANSCODE};
    kst_flow *flow;
    const uint64_t failed = soak->failed;
    soak->work = (int)(number % WORKS);
    soak->shift = number;
    soak->brought = 0;
    for (int i = 0; i < ITEMS; i++)
        soak->came[i] = 0;
    soak->flow.work = works[soak->work];
    soak->flow.decode = &soak->decode;
    soak->flow.encode = &soak->encode[soak->work];
    soak->flow.transcode = &soak->transcode;
    soak->flow.in_order = number / WORKS % 2 == 0;
    kst_status status = kst_flow_start(&soak->flow, &flow);
    if (!status)
        status = kst_flow_end(&flow);
    if (status && soak->failed == failed) {
        fprintf(stderr, "kostka-soak: %s\n", kst_status_text(status));
        return false;
    }
    for (int i = 0; i < ITEMS; i++)
        if (soak->came[i] == 0) {
            fprintf(stderr, "kostka-soak: %s: item %d is lost\n", names[soak->work], i);
            return false;
        }
    soak->items += ITEMS;
    return soak->wrong == 0;
}

/* The last third of the time may take what the second took, and a little for chance; the first one warms up. */
static bool is_flat(const struct soak *soak)
{
    const uint64_t before = soak->most[1], after = soak->most[2];
    printf("resident, MB: %.1f, %.1f, %.1f in the thirds of the time\n", 1e-6 * (double)soak->most[0],
        1e-6 * (double)before, 1e-6 * (double)after);
    return before > 0 && after > 0 && after <= before + before / 20 + 4000000;
}

static bool run_for(struct soak *soak, double seconds)
{
    const double began = seconds_now();
    double passed = 0;
    for (uint64_t number = 0; passed < seconds; number++) {
        if (!run(soak, number))
            return false;
        passed = seconds_now() - began;
        const double part = passed / seconds * PARTS;
        const uint64_t now = resident();
        uint64_t *most = &soak->most[part < PARTS ? (int)part : PARTS - 1];
        *most = now > *most ? now : *most;
    }
    printf("%llu items in %.0f s, %llu of them failed as they did the first time\n", (unsigned long long)soak->items,
        passed, (unsigned long long)soak->failed);
    if (is_flat(soak))
        return true;
    fputs("kostka-soak: memory grows, or the time was too short to say\n", stderr);
    return false;
}

int main(int argc, char **argv)
{
    struct soak soak = {.files = 0};
    double seconds = 60;
    int option;
    kst_flow_options_init(&soak.flow);
    while ((option = getopt(argc, argv, "d:t:s:")) != -1) {
        if (option == 'd')
            soak.flow.devices = optarg;
        else if (option == 't')
            soak.flow.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 's')
            seconds = strtod(optarg, NULL);
        else
            optind = argc;
    }
    if (optind >= argc) {
        fputs("usage: kostka-soak [-d DEVICES] [-t THREADS] [-s SECONDS] FILE...\n", stderr);
        return 2;
    }
    soak.file = argv + optind;
    soak.files = (uint64_t)(argc - optind);
    soak.expected = calloc(WORKS * soak.files, sizeof *soak.expected);
    if (!soak.expected)
        return 1;
    choose(&soak);
    bool good = run_for(&soak, seconds);
    free(soak.expected);
    return good ? 0 : 1;
}
