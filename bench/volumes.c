/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how soon a volume, coded in bricks, is in a device's memory, next to the time to copy its samples there.
 * Volumes are synthetic: seismic (layers, folds, two faults, a Ricker wavelet, noise) and like a CT (ellipsoids,
 * noise). Coded bytes lie in pinned memory; the clock runs from the call until the samples are in the array. Results
 * are compared with the CPU's, byte for byte. Prints a row of a table in Markdown for each case.
 *
 *     kostka-volumes [-d DEVICE] [-k RUNS] [-s SIDE] [-b BRICK] [-l LEVELS] [-c BLOCK] [-y STYLE]
 *                    [-g GROUPS[,GROUPS...]] [-n NAME] [-j FOLDER] [-e]
 *
 * With -e bricks are encoded on the device, too, from its array to pinned memory, in one call, and compared with the
 * CPU's; a second table has these rows. -l sets the levels across slices, -c the sides of code-blocks, from 4 to 64,
 * and -y the style of EBCOT's, as a number (kst_j2k_style). -n measures one volume: seismic-ebcot, seismic-ht, ct-ht or
 * ct-ebcot, or its number, from 0 on. -j records one more call of each row, and writes the device's steps, with the
 * start and duration of each, to FOLDER/WORK-NAME.json, like 'kostka profile --json'; the work is decode, slice or
 * encode. The device is not kept busy before that call, so that the record shows when it waits. With -g volumes and
 * slices are measured with each of these numbers of groups, into which the library divides the bricks; 0 is the number
 * that it chooses. The files of -j are then those of the last number.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_volume.h>

#include "call.h"
#include "print/statistics.h"
#include "run/device.h"
#include "run/volume.h"
#include "system/channels.h"
#include "volume_steps.h"

/* The step between neighbouring integers, for samples that are numbers of single precision. */
static const float SCALE = 1 / 160000.0F;

enum {
    APART = 64 /* bytes: coded bricks begin at multiples of this */,
    WARM_RUNS = 2,
    SIDES_MAX = 2048,
    GROUPS_MAX = 256,
    KINDS = 4
};

struct volume_kind {
    const char *name, *file; /* `file`: part of a file's name */
    bool seismic;            /* otherwise like a CT */
    uint8_t bits;
    double ratio; /* 0: without loss */
    uint32_t style, z_levels;
};

static const struct volume_kind kinds[KINDS] = {
    {"seismic, float32 of 20 bits, 9/7, 27:1, EBCOT", "seismic-ebcot", true, 20, 27, 0, 4},
    {"seismic, float32 of 20 bits, 9/7, 27:1, HT", "seismic-ht", true, 20, 27, KST_J2K_HT, 4},
    {"CT, int16, 5/3, lossless, HT", "ct-ht", false, 16, 0, KST_J2K_HT, 2},
    {"CT, int16, 5/3, lossless, EBCOT", "ct-ebcot", false, 16, 0, 0, 2},
};

struct volume_bench {
    kst_context *cpu, *gpu;
    kst_memory memory;
    uint32_t side, brick, runs;
    uint32_t groups;    /* into which bricks are divided; 0: the library chooses */
    uint32_t levels;    /* across slices */
    uint32_t block;     /* the sides of code-blocks; 0: the library's */
    uint32_t style;     /* of EBCOT's code-blocks */
    const char *tried;  /* numbers of groups to measure, separated by commas; null: none */
    bool encodes;       /* whether to measure encoding on the device, too */
    const char *folder; /* where the steps of each row are written as JSON; null: nowhere */
    const char *device; /* its name */
    FILE *encoded;      /* the rows of the table of encoding */
    const struct volume_kind *kind;
    kst_volume host, array; /* the volume, and the array on the device */
    uint32_t bricks;
    void *room; /* pinned memory with all coded bricks */
    kst_volume *part;
    kst_volume_decode_options *options;
    kst_volume_item *item;
    size_t coded;
};

static double next_noise(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (double)(int32_t)state / 2147483648.0;
}

static size_t bytes_of(const kst_volume *v)
{
    return v->sample == KST_SAMPLE_FLOAT32 || v->bits > 16 ? 4 : v->bits > 8 ? 2 : 1;
}

/* Fill a trace of random reflections, convolved with a Ricker wavelet of 25 Hz at 4 ms. */
static void make_trace(double *trace, uint32_t length)
{
    enum { REACH = 20, EVERY = 5 };
    const double peak = 25 * 3.14159265358979 * 0.004;
    memset(trace, 0, length * sizeof *trace);
    for (uint32_t i = 0; i < length; i += EVERY) {
        const double reflection = next_noise();
        for (int k = -REACH; k <= REACH; k++) {
            const double t = peak * k * peak * k;
            if ((int)i + k >= 0 && i + (uint32_t)(k + REACH) < length + REACH)
                trace[(int)i + k] += reflection * (1 - 2 * t) * exp(-t);
        }
    }
}

/* Fill a row along x at depth z of seismic data, where x and y are places on the ground. */
static void make_seismic(const double *trace, uint32_t side, uint32_t y, uint32_t z, int32_t *row)
{
    double noise[2] = {0, 0};
    for (uint32_t x = 0; x < side; x++) {
        const double fault = (x + y / 3 > side / 2 ? 9 : 0) + (x > side / 5 + y / 2 ? -14 : 0);
        const double at = side * 0.5 + z + 20 * sin(x * 0.012 + y * 0.007) + 12 * cos(y * 0.017) + fault;
        const uint32_t whole = (uint32_t)at;
        const double value = trace[whole] + (trace[whole + 1] - trace[whole]) * (at - whole), fresh = next_noise();
        const double band = 0.25 * (fresh + 2 * noise[0] + noise[1]);
        noise[1] = noise[0];
        noise[0] = fresh;
        row[x] = (int32_t)fmax(-524288, fmin(524287, 160000 * (value + 0.12 * band)));
    }
}

static void make_ct(uint32_t side, uint32_t y, uint32_t z, int32_t *row)
{
    for (uint32_t x = 0; x < side; x++) {
        const double u = 2.0 * x / side - 1, v = 2.0 * y / side - 1, w = 2.0 * z / side - 1;
        const double body = u * u * 1.4 + v * v * 2 + w * w, organ = (u - 0.2) * (u - 0.2) * 9 + v * v * 9 + w * w * 5;
        const double noise = next_noise() + next_noise() + next_noise();
        const double tissue = organ < 1 ? 60 + 20 * w : body < 0.8 ? 30 + 10 * u : 900 * (body < 1);
        row[x] = (int32_t)(body < 1 ? tissue + 9 * noise : -1000 + 5 * noise);
    }
}

static void fill(struct volume_bench *b)
{
    const uint32_t side = b->side;
    double *trace = calloc(3 * (size_t)side + 64, sizeof *trace);
    int32_t *row = calloc(side, sizeof *row);
    if (!trace || !row)
        exit(1);
    make_trace(trace, 3 * side + 64);
    for (uint32_t z = 0; z < side; z++)
        for (uint32_t y = 0; y < side; y++) {
            uint8_t *to = (uint8_t *)b->host.data + z * b->host.slice_pitch + y * b->host.pitch;
            if (b->kind->seismic)
                make_seismic(trace, side, y, z, row);
            else
                make_ct(side, y, z, row);
            for (uint32_t x = 0; x < side; x++)
                memcpy(to + x * bytes_of(&b->host), &row[x], bytes_of(&b->host)); /* little-endian */
        }
    free(trace);
    free(row);
}

static uint32_t bricks_along(const struct volume_bench *b)
{
    return (b->side + b->brick - 1) / b->brick;
}

/* Describe brick i of a volume as a part of it; x changes fastest. */
static kst_volume brick_of(const struct volume_bench *b, const kst_volume *whole, uint32_t i)
{
    const uint32_t n = bricks_along(b), x = i % n * b->brick, y = i / n % n * b->brick, z = i / n / n * b->brick;
    const size_t skipped = z * whole->slice_pitch + y * whole->pitch + x * bytes_of(whole);
    kst_volume part = *whole;
    part.owned = NULL;
    part.width = b->side - x < b->brick ? b->side - x : b->brick;
    part.height = b->side - y < b->brick ? b->side - y : b->brick;
    part.depth = b->side - z < b->brick ? b->side - z : b->brick;
    part.data = whole->memory == KST_MEMORY_OPENCL ? whole->data : (uint8_t *)whole->data + skipped;
    part.offset += skipped;
    return part;
}

static void describe(const struct volume_bench *b, kst_volume *v, kst_memory memory, uint32_t depth)
{
    kst_volume_init(v);
    v->memory = memory;
    v->width = v->height = b->side;
    v->depth = depth;
    v->bits = b->kind->bits;
    v->is_signed = true;
    v->sample = memory != KST_MEMORY_HOST && b->kind->seismic ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
}

/* Describe a whole volume as a picture whose rows are slices. */
static kst_image as_image(const kst_volume *v)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.memory = v->memory;
    image.plane_count = 1;
    image.width = v->width * v->height;
    image.height = v->depth;
    image.plane[0] = (kst_plane){.data = v->data,
        .pitch = (ptrdiff_t)v->slice_pitch,
        .width = image.width,
        .height = image.height,
        .depth = v->bits,
        .is_signed = v->is_signed,
        .sample = v->sample,
        .offset = v->offset};
    return image;
}

static void set_options(const struct volume_bench *b, kst_volume_options *options)
{
    kst_volume_options_init(options);
    options->z_levels = b->kind->z_levels;
    options->jpeg2000.style = b->kind->style & KST_J2K_HT ? b->kind->style : b->style;
    if (b->block > 0)
        options->jpeg2000.block_width = options->jpeg2000.block_height = b->block;
    options->jpeg2000.levels = b->levels;
    options->jpeg2000.target = b->kind->ratio > 0 ? KST_J2K_RATE : KST_J2K_LOSSLESS;
    options->jpeg2000.value = b->kind->ratio > 0 ? 8.0 * (double)bytes_of(&b->host) / b->kind->ratio : 0;
    options->scale = SCALE;
}

static void encode_items(kst_context *context, kst_volume_encode_item *items, uint32_t count)
{
    if (!kst_encode_volumes(context, items, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].report.status)
            fprintf(stderr, "encode: %s\n", items[i].report.message);
    exit(1);
}

/* Copy the volume to the device's array, as numbers if those are what is decoded. */
static void upload(const struct volume_bench *b)
{
    kst_volume from = b->host;
    from.owned = NULL;
    from.sample = b->array.sample;
    bench_check(kst_volume_allocate(b->cpu, &from), "host memory");
    memcpy(from.data, b->host.data, b->host.slice_pitch * b->host.depth);
    for (size_t i = 0; i < (size_t)b->side * b->side * b->side && from.sample == KST_SAMPLE_FLOAT32; i++)
        ((float *)from.data)[i] = (float)((const int32_t *)b->host.data)[i] * SCALE;
    const kst_image here = as_image(&from), there = as_image(&b->array);
    bench_check(kst_image_copy(b->gpu, &here, &there), "upload");
    kst_volume_release(b->cpu, &from);
}

/* Describe a measured call for its JSON. */
static struct volume_run run_of(const struct volume_bench *b, const char *work, uint32_t bricks, double seconds)
{
    return (struct volume_run){.folder = b->folder,
        .work = work,
        .name = b->kind->file,
        .device = b->device,
        .side = b->side,
        .bricks = bricks,
        .seconds = seconds};
}

static void decode(const struct volume_bench *b, kst_context *context, uint32_t count)
{
    const kst_status status = kst_volume_run_decode_all(context, b->item, count, b->groups);
    for (uint32_t i = 0; i < count && status; i++)
        if (b->item[i].report.status) {
            fprintf(stderr, "decode: %s\n", b->item[i].report.message);
            exit(1);
        }
}

/* Record the steps of a call that encodes items, or decodes if there are none. `at_once`: without a delay. */
static struct volume_steps record_call(
    const struct volume_bench *b, uint32_t bricks, kst_volume_encode_item *items, bool at_once)
{
    struct volume_steps steps = {.count = 0};
    bench_check(kst_profile_begin(b->gpu), "profile");
    if (at_once)
        kst_context_record_at_once(b->gpu);
    if (items)
        encode_items(b->gpu, items, bricks);
    else
        decode(b, b->gpu, bricks);
    bench_check(kst_profile_end(b->gpu, volume_steps_add, &steps), "profile");
    return steps;
}

/* Record a call, and print the last cells of a row. Record another one for the JSON, where it is wanted. */
static void record(const struct volume_bench *b, FILE *to, const struct volume_run *run, kst_volume_encode_item *items)
{
    struct volume_steps steps = record_call(b, run->bricks, items, false);
    volume_steps_print(to, &steps);
    volume_steps_release(&steps);
    if (!run->folder)
        return;
    steps = record_call(b, run->bricks, items, true);
    volume_steps_write(&steps, run);
    volume_steps_release(&steps);
}

/* Encode all bricks from the device's array to pinned memory, and compare them with the CPU's. Writes a row. */
static bool encode_there(const struct volume_bench *b, const kst_buffer *wanted, size_t all)
{
    kst_volume_encode_item *items = calloc(b->bricks, sizeof *items);
    kst_volume *part = calloc(b->bricks, sizeof *part);
    double *seconds = calloc(b->runs, sizeof *seconds);
    kst_volume_options options;
    size_t at = 0;
    void *room;
    bool same = true;
    if (!items || !part || !seconds)
        exit(1);
    upload(b);
    set_options(b, &options);
    bench_check(kst_pinned_allocate(b->gpu, all, &room), "pinned memory");
    for (uint32_t i = 0; i < b->bricks; i++) {
        part[i] = brick_of(b, &b->array, i);
        items[i] = (kst_volume_encode_item){.volume = &part[i],
            .options = &options,
            .output = {.data = (uint8_t *)room + at, .capacity = wanted[i].length}};
        at += (wanted[i].length + APART - 1) / APART * APART;
    }
    for (uint32_t i = 0; i < WARM_RUNS; i++)
        encode_items(b->gpu, items, b->bricks);
    for (uint32_t i = 0; i < b->runs; i++) {
        const double start = bench_now();
        encode_items(b->gpu, items, b->bricks);
        seconds[i] = bench_now() - start;
    }
    for (uint32_t i = 0; i < b->bricks; i++)
        same = same && items[i].output.length == wanted[i].length &&
               memcmp(items[i].output.data, wanted[i].data, wanted[i].length) == 0;
    const double median = statistics_median(seconds, b->runs), samples = (double)b->side * b->side * b->side;
    fprintf(b->encoded, "| %s | %u | %s | %.3f (%.3f) | %.1f |", b->kind->name, b->bricks, same ? "equal" : "DIFFERENT",
        median * 1e3, seconds[0] * 1e3, samples / median * 1e-9);
    struct volume_run run = run_of(b, "encode", b->bricks, median);
    run.bytes = b->coded;
    record(b, b->encoded, &run, items);
    kst_pinned_release(b->gpu, room);
    free(items);
    free(part);
    free(seconds);
    return same;
}

/*
 * Encode all bricks on the CPU, and put them into pinned memory, one behind the other. Returns whether all devices
 * agree.
 */
static bool encode(struct volume_bench *b)
{
    kst_volume_encode_item *items = calloc(b->bricks, sizeof *items);
    kst_buffer *coded = calloc(b->bricks, sizeof *coded);
    kst_volume *part = calloc(b->bricks, sizeof *part);
    kst_volume_options options;
    size_t all = 0;
    if (!items || !coded || !part)
        exit(1);
    set_options(b, &options);
    for (uint32_t i = 0; i < b->bricks; i++) {
        part[i] = brick_of(b, &b->host, i);
        items[i] = (kst_volume_encode_item){.volume = &part[i], .options = &options};
    }
    const double start = bench_now();
    encode_items(b->cpu, items, b->bricks);
    fprintf(stderr, "%s: encoded on the CPU in %.1f s\n", b->kind->name, bench_now() - start);
    for (uint32_t i = 0; i < b->bricks; i++) {
        coded[i] = items[i].output;
        b->coded += coded[i].length;
        all += (coded[i].length + APART - 1) / APART * APART;
    }
    const bool same = !b->encodes || encode_there(b, coded, all);
    bench_check(kst_pinned_allocate(b->gpu, all, &b->room), "pinned memory");
    uint8_t *at = b->room;
    for (uint32_t i = 0; i < b->bricks; i++) {
        memcpy(at, coded[i].data, coded[i].length);
        kst_volume_decode_options_init(&b->options[i]);
        b->options[i].sample = b->kind->seismic ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
        b->options[i].scale = SCALE;
        b->item[i] =
            (kst_volume_item){.data = at, .length = coded[i].length, .options = &b->options[i], .volume = &b->part[i]};
        at += (coded[i].length + APART - 1) / APART * APART;
        kst_buffer_release(b->cpu, &coded[i]);
    }
    free(items);
    free(coded);
    free(part);
    return same;
}

/* Compare an array with what the CPU decodes. Afterwards the parts hold what they held before. */
static bool is_same(struct volume_bench *b, kst_volume *array, const kst_volume *parts, uint32_t count)
{
    kst_volume wanted = *array, found = *array;
    wanted.owned = found.owned = NULL;
    wanted.memory = found.memory = KST_MEMORY_HOST;
    bench_check(kst_volume_allocate(b->cpu, &wanted), "host memory");
    bench_check(kst_volume_allocate(b->cpu, &found), "host memory");
    for (uint32_t i = 0; i < count; i++) {
        const size_t skipped = array->memory == KST_MEMORY_OPENCL
                                   ? parts[i].offset - array->offset
                                   : (size_t)((uint8_t *)parts[i].data - (uint8_t *)array->data);
        const size_t slices = skipped / array->slice_pitch, rest = skipped % array->slice_pitch;
        b->part[i].memory = KST_MEMORY_HOST;
        b->part[i].data = (uint8_t *)wanted.data + slices * wanted.slice_pitch + rest;
        b->part[i].pitch = wanted.pitch;
        b->part[i].slice_pitch = wanted.slice_pitch;
    }
    decode(b, b->cpu, count);
    const kst_image from = as_image(array), to = as_image(&found);
    bench_check(kst_image_copy(b->gpu, &from, &to), "download");
    const bool same = memcmp(wanted.data, found.data, wanted.slice_pitch * wanted.depth) == 0;
    memcpy(b->part, parts, count * sizeof *parts);
    kst_volume_release(b->cpu, &wanted);
    kst_volume_release(b->cpu, &found);
    return same;
}

/* Measure `count` bricks that go to an array, and print a row. Returns whether they equal the CPU's. */
static bool measure(struct volume_bench *b, const char *what, kst_volume *array, uint32_t count)
{
    double *seconds = calloc(b->runs, sizeof *seconds);
    kst_volume *parts = calloc(count + 1U, sizeof *parts);
    kst_copy_times copies = {.size = sizeof copies};
    const size_t raw = (size_t)array->width * array->height * array->depth * bytes_of(array);
    size_t coded = 0, samples = 0;
    if (!seconds || !parts)
        exit(1);
    memcpy(parts, b->part, count * sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        coded += b->item[i].length;
        samples += (size_t)b->part[i].width * b->part[i].height * b->part[i].depth;
    }
    for (uint32_t i = 0; i < WARM_RUNS; i++)
        decode(b, b->gpu, count);
    const bool same = is_same(b, array, parts, count);
    bench_check(kst_measure_copies(b->gpu, raw / 4 * 4, b->runs, &copies), "copies");
    for (uint32_t i = 0; i < b->runs; i++) {
        const double start = bench_now();
        decode(b, b->gpu, count);
        seconds[i] = bench_now() - start;
    }
    const double median = statistics_median(seconds, b->runs);
    printf("| %s%s | %u | %.2f | %s | %.3f (%.3f) | %.1f | %.3f | %.3f | %.2f |", b->kind->name, what, count,
        (double)raw / (double)coded, same ? "equal" : "DIFFERENT", median * 1e3, seconds[0] * 1e3,
        (double)samples / median * 1e-9, copies.up * 1e3, copies.up_pageable * 1e3, copies.up / median);
    struct volume_run run = run_of(b, array->depth > 1 ? "decode" : "slice", count, median);
    run.bytes = coded;
    record(b, stdout, &run, NULL);
    fflush(stdout);
    free(seconds);
    free(parts);
    return same;
}

static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
    const unsigned long value = strtoul(text, NULL, 10);
    return value < least ? least : value > most ? most : (uint32_t)value;
}

/* Measure with each number of groups in the list. */
static bool measure_groups(struct volume_bench *b, const char *what, kst_volume *array, uint32_t count)
{
    char name[64];
    bool same = true;
    if (!b->tried)
        return measure(b, what, array, count);
    for (const char *at = b->tried; at; at = strchr(at, ',')) {
        at += *at == ',';
        b->groups = number(at, 0, GROUPS_MAX);
        snprintf(name, sizeof name, "%s, %u groups", what, b->groups);
        same = measure(b, name, array, count) && same;
    }
    b->groups = 0;
    return same;
}

/* Measure decoding of the slice in the middle, which needs one slice of each brick of a layer. */
static bool measure_slice(struct volume_bench *b)
{
    const uint32_t n = bricks_along(b), layer = b->side / 2 / b->brick, z = b->side / 2 % b->brick;
    kst_volume slice;
    describe(b, &slice, b->memory, 1);
    bench_check(kst_volume_allocate(b->gpu, &slice), "device memory");
    for (uint32_t i = 0; i < n * n; i++) {
        const kst_volume part = brick_of(b, &slice, i);
        b->part[i] = part;
        b->part[i].depth = 1;
        b->options[i].region = (kst_box){.z = z, .width = part.width, .height = part.height, .depth = 1};
        b->item[i].data = b->item[layer * n * n + i].data;
        b->item[i].length = b->item[layer * n * n + i].length;
    }
    const bool same = measure_groups(b, ": one slice", &slice, n * n);
    kst_volume_release(b->gpu, &slice);
    return same;
}

static bool run_kind(struct volume_bench *b)
{
    b->coded = 0;
    b->bricks = bricks_along(b) * bricks_along(b) * bricks_along(b);
    b->part = calloc(b->bricks, sizeof *b->part);
    b->options = calloc(b->bricks, sizeof *b->options);
    b->item = calloc(b->bricks, sizeof *b->item);
    if (!b->part || !b->options || !b->item)
        exit(1);
    describe(b, &b->host, KST_MEMORY_HOST, b->side);
    describe(b, &b->array, b->memory, b->side);
    bench_check(kst_volume_allocate(b->cpu, &b->host), "host memory");
    bench_check(kst_volume_allocate(b->gpu, &b->array), "device memory");
    fill(b);
    bool same = encode(b);
    kst_volume_release(b->cpu, &b->host);
    for (uint32_t i = 0; i < b->bricks; i++)
        b->part[i] = brick_of(b, &b->array, i);
    same = measure_groups(b, "", &b->array, b->bricks) && same;
    same = measure_slice(b) && same;
    kst_volume_release(b->gpu, &b->array);
    kst_pinned_release(b->gpu, b->room);
    free(b->part);
    free(b->options);
    free(b->item);
    return same;
}

/* Return the index of a volume with this name or number. Ends the program if there is none. */
static uint32_t find_kind(const char *name)
{
    char text[24];
    for (uint32_t i = 0; i < KINDS; i++) {
        snprintf(text, sizeof text, "%u", i);
        if (strcmp(name, kinds[i].file) == 0 || strcmp(name, text) == 0)
            return i;
    }
    fprintf(stderr, "%s: no such volume\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    enum {
        SIDE = 512,
        BRICK = 128,
        RUNS = 21,
        RUNS_MAX = 1000,
        LEVELS_MAX = 32,
        BLOCK_LEAST = 4,
        BLOCK_MOST = 64,
        STYLES = KST_J2K_HT /* styles of EBCOT are the bits below */
    };
    const char *device = "cuda";
    struct volume_bench b = {.side = SIDE, .brick = BRICK, .runs = RUNS, .levels = KST_LEVELS_AUTO};
    uint32_t only = KINDS;
    bool same = true;
    ask_for_channels();
    for (int option; (option = getopt(argc, argv, "d:k:s:b:l:c:y:g:n:j:e")) != -1;) {
        if (option == 'd')
            device = optarg;
        else if (option == 'k')
            b.runs = number(optarg, 1, RUNS_MAX);
        else if (option == 's')
            b.side = number(optarg, 1, SIDES_MAX);
        else if (option == 'b')
            b.brick = number(optarg, 1, SIDES_MAX);
        else if (option == 'l')
            b.levels = number(optarg, 0, LEVELS_MAX);
        else if (option == 'c')
            b.block = number(optarg, BLOCK_LEAST, BLOCK_MOST);
        else if (option == 'y')
            b.style = number(optarg, 0, STYLES - 1);
        else if (option == 'g')
            b.tried = optarg;
        else if (option == 'n')
            only = find_kind(optarg);
        else if (option == 'j')
            b.folder = optarg;
        else if (option == 'e')
            b.encodes = true;
        else
            return 2;
    }
    kst_device_info info = {.size = sizeof info};
    char *rows = NULL;
    size_t rows_length;
    b.encoded = open_memstream(&rows, &rows_length);
    if (!b.encoded)
        return 1;
    b.cpu = bench_context("cpu");
    b.gpu = bench_context(device);
    bench_check(kst_context_device(b.gpu, &info), device);
    b.device = info.name;
    b.memory = info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
    printf("%s, %u³ samples in bricks of %u³\n\n", info.name, b.side, b.brick);
    puts("| volume | bricks | ratio | as the CPU | ms (least) | Gsamples/s | raw copy, pinned, ms | pageable, ms | "
         "times "
         "the pinned copy | kernels, uploads, downloads, others | ms of each in the profile |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|");
    for (uint32_t i = 0; i < KINDS; i++) {
        b.kind = &kinds[i];
        if (only == KINDS || only == i)
            same = run_kind(&b) && same;
    }
    fclose(b.encoded);
    if (b.encodes)
        printf(
            "\n| volume, encoded | bricks | as the CPU | ms (least) | Gsamples/s | kernels, uploads, downloads, others "
            "| ms of each in the profile |\n|---|---|---|---|---|---|---|\n%s",
            rows);
    free(rows);
    kst_context_destroy(&b.gpu);
    kst_context_destroy(&b.cpu);
    return same ? 0 : 1;
}
