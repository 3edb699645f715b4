/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the parts of 'kostka bench' share: settings, the pictures, times, and printing them. */
#ifndef KOSTKA_TOOL_BENCH_H
#define KOSTKA_TOOL_BENCH_H

#include <kostka/kostka_profile.h>

#include "options/options.h"
#include "print/json.h"

enum { BENCH_LIST_MAX = 32, BENCH_CALLS_MAX = 64 };

struct bench_size {
    uint32_t width, height; /* 0: the size of the file */
};

struct bench_settings {
    struct file_settings files; /* the context in it is the one that is measured */
    kst_context *cpu;           /* the context that prepares and checks; may be the same */
    struct encode_settings encode;
    struct j2k_settings j2k;
    uint64_t repeat;
    uint64_t calls; /* calls at the same time */
    double seconds; /* the time limit of a measurement, after a few runs at the least; 0: all runs are made */
    uint32_t threads;
    struct bench_size size[BENCH_LIST_MAX];
    uint32_t batch[BENCH_LIST_MAX];
    size_t sizes, batches; /* at least 1 each */
    kst_memory memory;     /* where the pixels are */
    bool memory_given, encoding, transcoding, recode, mix, peers, json;
    double up_rate, down_rate; /* bytes a second to and from pinned memory; 0: there is no bus */
    json_t *list;
};

/* Describes a picture, both as pixels and encoded. */
struct bench_picture {
    struct source source;
    struct picture picture; /* the pixels to encode; when decoding, the expected pixels, in host memory */
    kst_buffer coded;       /* the picture as encoded on the CPU */
    const uint8_t *stream;  /* the stream to decode: that of the source, or `coded` */
    size_t length;
    kst_info info;
    kst_buffer wanted;               /* encoding and transcoding: the expected stream, which the CPU makes */
    double psnr;                     /* PSNR of `wanted`, for comparison with encoding peers; below 0: not known */
    kst_transcode_options transcode; /* to the other block coder */
};

/*
 * Holds what one measurement covers: one picture, or with --mix all of them, which take turns in batches and from run
 * to run.
 */
struct bench_case {
    const char *name; /* the file's name, or `label` */
    char label[160];
    struct bench_picture *each;
    uint32_t count;
    kst_copy_times copy; /* the time to copy the pixels of a picture, on average; 0: there is no bus */
};

/* Holds times of runs, in seconds. */
struct bench_times {
    double *run; /* the owner frees it */
    size_t count;
};

/* Holds the result of one engine, to be printed. */
struct bench_result {
    const char *engine;
    bool own;              /* it is this library */
    uint32_t batch, calls; /* pictures in a call, and calls at the same time; each of `times` covers all these calls */
    struct bench_times times;
    double length; /* the length of a coded stream, on average */
    uint32_t threads;
    uint32_t callers, states; /* threads that drive a peer, and pictures that each has in flight; 0: not applicable */
    int identical;            /* all results equal the CPU's; −1: not known */
    double psnr; /* PSNR of the worst result, against the CPU's pixels when decoding, against the picture when
                  * encoding; below 0: not known */
};

/* Prepare files at a size. On failure the case has the name of the file that failed. */
bool bench_case_open(struct bench_case *bench, const struct bench_settings *settings, char *const *names,
    uint32_t count, struct bench_size size, struct problem *problem);
void bench_case_close(struct bench_case *bench, const struct bench_settings *settings);

/*
 * Return the average number of pixels of a picture; the average number of bytes of a stream to decode; and whether all
 * pictures have the same size.
 */
double bench_case_pixels(const struct bench_case *bench, const struct bench_settings *settings);
double bench_case_length(const struct bench_case *bench);
bool bench_case_is_even(const struct bench_case *bench);

/* Return the picture in a slot of the batches. */
static inline const struct bench_picture *bench_picture(const struct bench_case *bench, uint32_t slot)
{
    return &bench->each[slot % bench->count];
}

/*
 * Add the outcome of one check to a result, which may be the first one: `identical` stays true only if all outcomes
 * are, and `psnr` becomes the lowest.
 */
void bench_result_check(struct bench_result *result, bool identical, double psnr);

/* Decode a stream on the CPU, as the settings say. The caller releases the picture with picture_release(). */
bool bench_decode_on_cpu(const struct bench_settings *settings, const uint8_t *stream, size_t length,
    struct picture *picture, struct problem *problem);

/* Find the PSNR of an encoded picture: decode it on the CPU, and compare it with the pixels that were encoded. */
bool bench_psnr(const struct bench_settings *settings, const struct bench_picture *one, const uint8_t *stream,
    size_t length, double *psnr, struct problem *problem);

/*
 * time.c: repeat work as often as the settings say, and fill in the times. There are `turns` kinds of work, each with a
 * state of its own: run i and run i + turns do the same work with the same state. Each kind is first run without the
 * clock, because a state allocates its buffers in its first run, and then timed at least once, unless the settings ask
 * for fewer runs.
 */
typedef bool (*bench_work)(void *user, size_t run, struct problem *problem);
bool bench_time(const struct bench_settings *settings, bench_work work, void *user, size_t turns,
    struct bench_times *times, struct problem *problem);

/*
 * Time several users that work at the same time, each on its own thread without pauses. A run is the time in which as
 * many calls end as there are users.
 */
bool bench_time_calls(const struct bench_settings *settings, bench_work work, void *const *users, size_t count,
    struct bench_times *times, struct problem *problem);

/* transcode.c: choose how a stream is transcoded, and transcode it on the CPU. */
bool bench_transcode_on_cpu(struct bench_picture *one, const struct bench_settings *settings, struct problem *problem);

/* Measure the library on its device. */
bool bench_device(const struct bench_settings *settings, struct bench_case *bench, struct bench_result *result,
    struct problem *problem);

/* Measure the other libraries that are installed, and print the result of each. */
void bench_peers(const struct bench_settings *settings, const struct bench_case *bench, uint32_t batch);

void bench_tell_head(const struct bench_settings *settings);
void bench_tell(const struct bench_settings *settings, const struct bench_case *bench, struct bench_result *result);
/* Print that an engine has no result, and the reason. */
void bench_tell_missing(
    const struct bench_settings *settings, const struct bench_case *bench, const char *engine, const char *why);
int bench_tell_end(const struct bench_settings *settings, int code);

#endif
