/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the results of 'kostka bench', as text and as JSON. */
#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "print/plain.h"
#include "print/statistics.h"

/* Holds the numbers that text and JSON show in addition to the times of runs. */
struct told {
    double median, least, most, quarter, three_quarters;
    double pixel_rate, byte_rate, picture_rate;
    double bus, pinned, pageable; /* seconds; 0: there is no bus */
};

static struct told work_out(
    const struct bench_settings *settings, const struct bench_case *bench, struct bench_result *result)
{
    double *run = result->times.run, count = (double)result->batch * result->calls;
    size_t runs = result->times.count;
    double rate = settings->encoding ? settings->down_rate : settings->up_rate;
    struct told told = {.median = statistics_median(run, runs),
        .least = run[0],
        .most = run[runs - 1],
        .quarter = statistics_quantile(run, runs, 0.25),
        .three_quarters = statistics_quantile(run, runs, 0.75)};

    told.pixel_rate = bench_case_pixels(bench, settings) * count / told.median;
    told.byte_rate = result->length * count / told.median;
    told.picture_rate = count / told.median;
    told.bus = rate > 0 ? result->length * count / rate : 0;
    told.pinned = count * (settings->encoding ? bench->copy.down : bench->copy.up);
    told.pageable = count * (settings->encoding ? bench->copy.down_pageable : bench->copy.up_pageable);
    return told;
}

void bench_tell_head(const struct bench_settings *settings)
{
    if (settings->json)
        return;
    if (settings->up_rate > 0)
        printf("pinned memory: %.1f GB/s to the device, %.1f GB/s from it\n", settings->up_rate * 1e-9,
            settings->down_rate * 1e-9);
    printf("median ms    min ms  spread    MPix/s      MB/s  images/s batch       size  same  thr  what\n");
}

static const char *memory_name(kst_memory memory)
{
    static const char *const names[] = {"host", "pinned", "cuda", "opencl"};
    return names[memory];
}

static json_t *json_of(const struct bench_settings *settings, const struct bench_case *bench,
    const struct bench_result *result, const struct told *told)
{
    const kst_image *image = &bench->each[0].picture.image;
    json_t *json = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "engine",
        result->engine, "file", json_text(bench->name), "width", (json_int_t)image->width, "height",
        (json_int_t)image->height, "batch", (json_int_t)result->batch, "calls", (json_int_t)result->calls, "pixels",
        (json_int_t)bench_case_pixels(bench, settings), "memory", memory_name(settings->memory), "bytes",
        (json_int_t)result->length, "threads", (json_int_t)result->threads, "runs", (json_int_t)result->times.count,
        "median_seconds", told->median, "min_seconds", told->least, "max_seconds", told->most, "quarter_seconds",
        told->quarter, "three_quarters_seconds", told->three_quarters, "megapixels_per_second", told->pixel_rate * 1e-6,
        "megabytes_per_second", told->byte_rate * 1e-6, "images_per_second", told->picture_rate);
    int quality = settings->encoding ? settings->encode.options.quality : bench->each[0].info.quality;

    json_object_set_new(json, "quality", json_integer(quality));
    json_object_set_new(json, "pictures", json_integer(bench->count));
    if (result->callers > 0)
        json_object_update_new(json,
            json_pack("{s:I, s:I}", "callers", (json_int_t)result->callers, "states", (json_int_t)result->states));
    if (result->identical >= 0)
        json_object_set_new(json, "identical", json_boolean(result->identical));
    if (result->psnr >= 0 && isfinite(result->psnr))
        json_object_set_new(json, "psnr", json_real(result->psnr));
    if (told->bus > 0)
        json_object_update_new(json, json_pack("{s:f, s:f, s:f}", "bus_seconds", told->bus, "copy_pinned_seconds",
                                         told->pinned, "copy_pageable_seconds", told->pageable));
    return json;
}

static void print_line(const struct bench_case *bench, const struct bench_result *result, const struct told *told)
{
    char size[32], same[16] = "-", calls[32] = "";

    const kst_image *image = &bench->each[0].picture.image;

    if (bench_case_is_even(bench))
        snprintf(size, sizeof size, "%ux%u", (unsigned)image->width, (unsigned)image->height);
    else
        snprintf(size, sizeof size, "mixed");
    if (result->identical > 0)
        snprintf(same, sizeof same, "yes");
    else if (result->psnr >= 0 && isfinite(result->psnr))
        snprintf(same, sizeof same, "%.0fdB", result->psnr);
    else if (result->identical == 0)
        snprintf(same, sizeof same, "no");
    if (result->callers > 0)
        snprintf(calls, sizeof calls, ", %u thread%s of %u", (unsigned)result->callers, result->callers > 1 ? "s" : "",
            (unsigned)result->states);
    if (result->calls > 1)
        snprintf(calls, sizeof calls, ", %u calls at once", (unsigned)result->calls);
    printf("%9.4f %9.4f %6.0f%% %9.1f %9.1f %9.1f %5u %10s %5s %4u  %s%s, ", 1e3 * told->median, 1e3 * told->least,
        100 * (told->three_quarters - told->quarter) / told->median, told->pixel_rate * 1e-6, told->byte_rate * 1e-6,
        told->picture_rate, (unsigned)result->batch, size, same, (unsigned)result->threads, result->engine, calls);
    plain_puts(stdout, bench->name);
    putchar('\n');
}

void bench_tell(const struct bench_settings *settings, const struct bench_case *bench, struct bench_result *result)
{
    struct told told = work_out(settings, bench, result);

    if (settings->json) {
        json_array_append_new(settings->list, json_of(settings, bench, result, &told));
        return;
    }
    print_line(bench, result, &told);
    if (result->own && told.bus > 0)
        printf("%9.4f ms is the bus' for the coded bytes; the pixels take %.4f ms pinned, %.4f ms pageable\n",
            1e3 * told.bus, 1e3 * told.pinned, 1e3 * told.pageable);
}

void bench_tell_missing(
    const struct bench_settings *settings, const struct bench_case *bench, const char *engine, const char *why)
{
    if (settings->json)
        json_array_append_new(settings->list,
            json_pack("{s:s, s:o, s:o}", "engine", engine, "file", json_text(bench->name), "missing", json_text(why)));
    else
        printf("%9s  %s: %s\n", "-", engine, why);
}

void bench_result_check(struct bench_result *result, bool identical, double psnr)
{
    result->identical = result->identical != 0 && identical;
    if (result->psnr < 0 || psnr < result->psnr)
        result->psnr = psnr;
}

int bench_tell_end(const struct bench_settings *settings, int code)
{
    kst_device_info info = {.size = sizeof info};

    if (!settings->json) {
        json_decref(settings->list);
        return finish_output(code);
    }
    kst_context_device(settings->files.context, &info);
    return json_print(json_pack("{s:s, s:s, s:o, s:s, s:I, s:f, s:f, s:o}", "work",
                          settings->transcoding ? "transcode"
                          : settings->encoding  ? "encode"
                                                : "decode",
                          "device", info.name, "model", json_text(info.model), "tier", info.tier, "repeat",
                          (json_int_t)settings->repeat, "up_bytes_per_second", settings->up_rate,
                          "down_bytes_per_second", settings->down_rate, "files", settings->list),
        code);
}
