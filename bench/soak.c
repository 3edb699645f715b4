/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets flows run for a long time, and checks that no item is lost or comes twice, that each result is the same as the
 * first one of its file and work, and that memory does not grow:
 *
 *     kostka-soak [-d DEVICES] [-t THREADS] [-w WRITERS] [-n ITEMS] [-W WORKS] [-s SECONDS] FILE…
 *
 * Flows of all works, or of those in a list with commas, follow each other, in order and not, each with ITEMS items
 * (48). Streams of JPEG are transcoded on the CPU, whatever the devices. Files may be damaged: these must always fail.
 */
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <kostka/kostka_flow.h>

#include "system/channels.h"

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HAS_MALLINFO2
#endif
#endif

enum { WORKS = 5, ITEMS = 48, PARTS = 3, SUMS = 4, LOOK = 256 /* items between two measurements of the memory */ };

static const struct work {
    const char *name;
    kst_flow_work work;
    kst_codec codec;
    bool ht;
} works[WORKS] = {
    {"decode", KST_FLOW_DECODE, KST_CODEC_NONE, false},
    {"jp2", KST_FLOW_CONVERT, KST_CODEC_JPEG2000, false},
    {"jph", KST_FLOW_CONVERT, KST_CODEC_JPEG2000, true},
    {"jpeg", KST_FLOW_CONVERT, KST_CODEC_JPEG, false},
    {"transcode", KST_FLOW_TRANSCODE, KST_CODEC_JPEG, false},
};

struct soak {
    char **file;
    const char *devices;
    uint64_t files, length; /* `length` is the number of items of a flow */
    kst_flow_options flow;
    kst_decode_options decode;
    kst_encode_options encode[WORKS];
    kst_j2k_options j2k[WORKS];
    kst_transcode_options transcode;
    double began, seconds;           /* the seconds that all flows together may take */
    int chosen[WORKS], chosen_count; /* the works */
    /* The next members belong to the flow in progress. */
    int work;
    uint64_t shift, brought; /* the index of its first item's file; the items that it has handed out so far */
    atomic_uchar *came;      /* for each item the number of its results */
    atomic_uint_fast64_t wrong;
    /* The next members belong to all flows. */
    atomic_uint_fast64_t *expected; /* for each work and file the hash of its first result; 0: no result yet */
    uint64_t items;
    atomic_uint_fast64_t failed;
    /* For each third of the time, the most bytes that were resident, and that malloc() had allocated after a flow. */
    atomic_uint_fast64_t most[PARTS], rest[PARTS];
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Return the resident bytes of the process. */
static uint64_t resident(void)
{
    char text[200] = "";
    FILE *from = fopen("/proc/self/statm", "re");
    if (from && !fgets(text, sizeof text, from))
        text[0] = '\0';
    if (from)
        fclose(from);
    const char *second = strchr(text, ' '); /* the first number counts the pages that have addresses */
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Sanitizers replace malloc(), and count its bytes with this function. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak)); /* NOLINT: their name */

/* Return the bytes that malloc() has allocated; 0 if the C library does not report them. */
static uint64_t given_out(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
#ifdef HAS_MALLINFO2
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Raise the maximum of the current third of the time to `now` bytes. */
static void look(const struct soak *soak, atomic_uint_fast64_t *most, uint64_t now)
{
    const double part = (seconds_now() - soak->began) / soak->seconds * PARTS;
    atomic_uint_fast64_t *at = &most[part < PARTS ? (int)part : PARTS - 1];
    uint_fast64_t before = *at;
    while (before < now && !atomic_compare_exchange_weak(at, &before, now))
        ;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/* Hash eight bytes at a time, with several independent sums, so that the flow does not wait for the hash. */
static uint64_t hash(uint64_t sum, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    uint64_t word[SUMS], sums[SUMS] = {sum, 1, 2, 3};
    size_t i = 0;
    for (; length - i >= sizeof word; i += sizeof word) {
        memcpy(word, bytes + i, sizeof word);
        for (int k = 0; k < SUMS; k++)
            sums[k] = mix(sums[k], word[k]);
    }
    for (; i < length; i++)
        sums[0] = mix(sums[0], bytes[i]);
    for (int k = 1; k < SUMS; k++)
        sums[0] = mix(sums[0], sums[k]);
    return sums[0];
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
    if (soak->brought == soak->length)
        return false;
    item->path = soak->file[(soak->shift + soak->brought++) % soak->files];
    return true;
}

static void complain(struct soak *soak, const kst_flow_item *item, const char *what)
{
    if (soak->wrong++ == 0)
        fprintf(stderr, "kostka-soak: %s, item %llu, %s: %s\n", works[soak->work].name, (unsigned long long)item->index,
            item->path, what);
}

static bool put(void *user, kst_flow_item *item)
{
    struct soak *soak = user;
    const uint64_t file = (soak->shift + item->index) % soak->files, found = hash_item(item);
    const uint64_t before = atomic_exchange(&soak->expected[(uint64_t)soak->work * soak->files + file], found);
    if (item->index >= soak->length || soak->came[item->index]++ != 0)
        complain(soak, item, "it came twice, or nobody sent it");
    if (before != 0 && before != found)
        complain(soak, item, "the result is not that of the first time");
    soak->failed += item->report.status ? 1 : 0;
    if (item->index % LOOK == 0)
        look(soak, soak->most, resident());
    return true;
}

static void choose(struct soak *soak)
{
    kst_flow_options *flow = &soak->flow;
    kst_decode_options_init(&soak->decode);
    kst_transcode_options_init(&soak->transcode);
    soak->decode.format = KST_FORMAT_RGB;
    soak->transcode.coding = KST_CODING_OPTIMIZED;
    flow->next = next;
    flow->put = put;
    flow->user = soak;
    for (int i = 0; i < WORKS; i++) {
        kst_j2k_options_init(&soak->j2k[i]);
        soak->j2k[i].target = KST_J2K_RATIO;
        soak->j2k[i].value = 20;
        soak->j2k[i].style = works[i].ht ? KST_J2K_HT : 0;
        kst_encode_options_init(&soak->encode[i]);
        soak->encode[i].codec = works[i].codec;
        soak->encode[i].jpeg2000 = works[i].codec == KST_CODEC_JPEG2000 ? &soak->j2k[i] : NULL;
    }
}

/* Run one flow to its end, whose status is that of an item that failed, if any did. Returns false after a message. */
static bool run(struct soak *soak, uint64_t number)
{
    kst_flow *flow;
    const uint64_t failed = soak->failed;
    soak->work = soak->chosen[number % (uint64_t)soak->chosen_count];
    soak->shift = number;
    soak->brought = 0;
    for (uint64_t i = 0; i < soak->length; i++)
        soak->came[i] = 0;
    soak->flow.work = works[soak->work].work;
    soak->flow.devices = soak->flow.work == KST_FLOW_TRANSCODE ? "cpu" : soak->devices;
    soak->flow.decode = &soak->decode;
    soak->flow.encode = &soak->encode[soak->work];
    soak->flow.transcode = &soak->transcode;
    soak->flow.in_order = number / (uint64_t)soak->chosen_count % 2 == 0;
    kst_status status = kst_flow_start(&soak->flow, &flow);
    if (!status)
        status = kst_flow_end(&flow);
    if (status && soak->failed == failed) {
        fprintf(stderr, "kostka-soak: %s\n", kst_status_text(status));
        return false;
    }
    for (uint64_t i = 0; i < soak->length; i++)
        if (soak->came[i] == 0) {
            fprintf(stderr, "kostka-soak: %s: item %llu is lost\n", works[soak->work].name, (unsigned long long)i);
            return false;
        }
    soak->items += soak->length;
    look(soak, soak->most, resident());
    look(soak, soak->rest, given_out());
    return soak->wrong == 0;
}

/*
 * Print the maximum of each third. Returns whether that of the last third exceeds that of the second by at most 5 % and
 * `chance` bytes.
 */
static bool is_flat(const char *what, const atomic_uint_fast64_t *most, double chance)
{
    const double first = (double)most[0], before = (double)most[1], after = (double)most[2];
    printf("%s, MB: %.3f, %.3f, %.3f in the thirds of the time\n", what, 1e-6 * first, 1e-6 * before, 1e-6 * after);
    return after <= before + before / 20 + chance;
}

static bool run_for(struct soak *soak)
{
    double passed = 0;
    soak->began = seconds_now();
    for (uint64_t number = 0; passed < soak->seconds; number++) {
        if (!run(soak, number))
            return false;
        passed = seconds_now() - soak->began;
    }
    printf("%llu items in %.0f s, %llu of them failed as they did the first time\n", (unsigned long long)soak->items,
        passed, (unsigned long long)soak->failed);
    /* glibc keeps freed memory in the arenas of several threads, so that the resident bytes vary. */
    const bool flat = is_flat("allocated after flows", soak->rest, 1e5);
    if (is_flat("resident", soak->most, 64e6) && flat && soak->most[1] > 0 && soak->most[2] > 0)
        return true;
    fputs("kostka-soak: memory grows, or the time was too short to say\n", stderr);
    return false;
}

/* Choose the works of a list with commas; null: all. Returns false if a name is unknown, or if there are too many. */
static bool choose_works(struct soak *soak, const char *list)
{
    for (int i = 0; i < WORKS && !list; i++)
        soak->chosen[soak->chosen_count++] = i;
    while (list) {
        const size_t length = strcspn(list, ",");
        int i = 0;
        while (i < WORKS && (strlen(works[i].name) != length || strncmp(works[i].name, list, length) != 0))
            i++;
        if (i == WORKS || soak->chosen_count == WORKS)
            return false;
        soak->chosen[soak->chosen_count++] = i;
        list = list[length] ? list + length + 1 : NULL;
    }
    return true;
}

static int usage(void)
{
    fputs("usage: kostka-soak [-d DEVICES] [-t THREADS] [-w WRITERS] [-n ITEMS] [-W decode,jp2,jph,jpeg,transcode]\n"
          "                   [-s SECONDS] FILE...\n",
        stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct soak soak = {.length = ITEMS, .seconds = 60};
    const char *list = NULL;
    int option;
    ask_for_channels();
    kst_flow_options_init(&soak.flow);
    while ((option = getopt(argc, argv, "d:t:w:n:W:s:")) != -1) {
        const uint32_t number = optarg ? (uint32_t)strtoul(optarg, NULL, 10) : 0;
        if (option == 'd')
            soak.devices = optarg;
        else if (option == 't')
            soak.flow.threads = number;
        else if (option == 'w')
            soak.flow.writers = number;
        else if (option == 'n')
            soak.length = number;
        else if (option == 'W')
            list = optarg;
        else if (option == 's')
            soak.seconds = strtod(optarg, NULL);
        else
            return usage();
    }
    if (optind >= argc || soak.length == 0 || !(soak.seconds > 0) || !choose_works(&soak, list))
        return usage();
    soak.file = argv + optind;
    soak.files = (uint64_t)(argc - optind);
    soak.expected = calloc(WORKS * soak.files, sizeof *soak.expected);
    soak.came = calloc(soak.length, sizeof *soak.came);
    choose(&soak);
    bool good = soak.expected && soak.came && run_for(&soak);
    free(soak.came);
    free(soak.expected);
    return good ? 0 : 1;
}
