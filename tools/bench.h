/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of 'kostka bench' share: settings, the picture worked on, times, and telling them. */
#ifndef KOSTKA_TOOL_BENCH_H
#define KOSTKA_TOOL_BENCH_H

#include <kostka/kostka_profile.h>

#include "json.h"
#include "options.h"

enum { BENCH_LIST_MAX = 32, BENCH_CALLS_MAX = 64 };

struct bench_size {
    uint32_t width, height; /* 0: the file's */
};

struct bench_settings {
    struct file_settings files; /* its context is what is measured */
    kst_context *cpu;           /* what prepares and checks; may be the same */
    struct encode_settings encode;
    struct j2k_settings j2k;
    uint64_t repeat;
    uint64_t calls; /* beside each other */
    double seconds; /* that a measurement may take, once there are a few runs; 0: all runs are made */
    uint32_t threads;
    struct bench_size size[BENCH_LIST_MAX];
    uint32_t batch[BENCH_LIST_MAX];
    size_t sizes, batches; /* at least 1 each */
    kst_memory memory;     /* of the pixels */
    bool memory_given, encoding, recode, mix, peers, json;
    double up_rate, down_rate; /* bytes a second of pinned memory; 0: there is no bus */
    json_t *list;
};

/* A picture, as pixels and coded. */
struct bench_picture {
    struct source source;
    struct picture picture; /* what there is to encode; and to decode, what it is in host memory */
    kst_buffer coded;       /* anew, on the CPU */
    const uint8_t *stream;  /* to decode: of the source, or `coded` */
    size_t length;
    kst_info info;
    kst_buffer wanted; /* encoding: what it must give, by the CPU */
};

/* What is measured at a time: one picture, or with --mix all of them, which take turns in batches and from run to run.
 */
struct bench_case {
    const char *name; /* of the file, or `label` */
    char label[160];
    struct bench_picture *each;
    uint32_t count;
    kst_copy_times copy; /* of the pixels of a picture, on average; 0: there is no bus */
};

/* Times of runs, in seconds. */
struct bench_times {
    double *run; /* to be freed */
    size_t count;
};

/* What one engine did, for telling. */
struct bench_result {
    const char *engine;
    bool own;              /* it is this library */
    uint32_t batch, calls; /* pictures a call, calls beside each other; of `times` each is that of them all */
    struct bench_times times;
    double length; /* of a coded stream, on average */
    uint32_t threads;
    uint32_t callers,
        states;    /* threads that drive a peer, and pictures that each has on its way; 0: it has no choice */
    int identical; /* all of them to what the CPU gives; −1: not known */
    double psnr; /* of the worst: decoding against the CPU's pixels, encoding against the picture; below 0: not known */
};

/* Prepare files at a size. Where that fails the case has the name of the file that it failed with. */
bool bench_case_open(struct bench_case *bench, const struct bench_settings *settings, char *const *names,
    uint32_t count, struct bench_size size, struct problem *problem);
void bench_case_close(struct bench_case *bench, const struct bench_settings *settings);

/* Pixels of a picture, and bytes of its stream to decode, on average; whether all are of one size. */
double bench_case_pixels(const struct bench_case *bench, const struct bench_settings *settings);
double bench_case_length(const struct bench_case *bench);
bool bench_case_is_even(const struct bench_case *bench);

/* The picture that goes to a place of batches. */
static inline const struct bench_picture *bench_picture(const struct bench_case *bench, uint32_t slot)
{
    return &bench->each[slot % bench->count];
}

/* A result that has not been checked yet, and one check more. */
void bench_result_check(struct bench_result *result, bool identical, double psnr);

/* Pixels decoded from a stream on the CPU, as the settings say; picture_release(). */
bool bench_decode_on_cpu(const struct bench_settings *settings, const uint8_t *stream, size_t length,
    struct picture *picture, struct problem *problem);

/*
 * bench_time.c: run work as often as the settings say, and fill in the times. The runs take turns: run i does what run
 * i + turns does, with the same state. Each turn is run before the clock starts, because a state allocates its buffers
 * in its first run, and each is timed at least once, unless the settings ask for fewer runs.
 */
typedef bool (*bench_work)(void *user, size_t run, struct problem *problem);
bool bench_time(const struct bench_settings *settings, bench_work work, void *user, size_t turns,
    struct bench_times *times, struct problem *problem);

/*
 * Likewise for several users at once, on a thread each, and all the time: a run is the time in which as many calls end
 * as there are users.
 */
bool bench_time_calls(const struct bench_settings *settings, bench_work work, void *const *users, size_t count,
    struct bench_times *times, struct problem *problem);

/* Measure the library on its device. */
bool bench_device(const struct bench_settings *settings, struct bench_case *bench, struct bench_result *result,
    struct problem *problem);

/* Measure the other libraries there are, and tell about each. */
void bench_peers(const struct bench_settings *settings, const struct bench_case *bench, uint32_t batch);

void bench_tell_head(const struct bench_settings *settings);
void bench_tell(const struct bench_settings *settings, const struct bench_case *bench, struct bench_result *result);
/* That an engine did not do it, and why. */
void bench_tell_missing(
    const struct bench_settings *settings, const struct bench_case *bench, const char *engine, const char *why);
int bench_tell_end(const struct bench_settings *settings, int code);

#endif
