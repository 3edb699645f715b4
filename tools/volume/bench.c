/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a volume for 'kostka volume bench': encodes and decodes it in memory, and compares the result with the
 * original.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "print/json.h"
#include "print/plain.h"
#include "print/statistics.h"
#include "volume/volume.h"

/* Holds the results. Times are medians of all runs, in nanoseconds per sample. */
struct volume_figures {
    double samples, bits, psnr, largest; /* psnr: relative to the range of the samples; infinite if nothing is lost */
    double encode[2], decode[2];         /* elapsed time, and processor time of all threads */
};

/* Holds the times of all runs. */
struct volume_times {
    double *clock, *processor;
    uint32_t count;
};

static double processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int32_t sample_at(const kst_volume *volume, size_t i)
{
    if (volume->bits > 16)
        return ((const int32_t *)volume->data)[i];
    if (volume->bits > 8)
        return volume->is_signed ? ((const int16_t *)volume->data)[i] : ((const uint16_t *)volume->data)[i];
    return volume->is_signed ? ((const int8_t *)volume->data)[i] : ((const uint8_t *)volume->data)[i];
}

/* Compare two volumes of one type without padding. */
static void compare(const kst_volume *wanted, const kst_volume *found, struct volume_figures *figures)
{
    double low = INFINITY, high = -INFINITY, squares = 0;
    for (size_t i = 0; i < (size_t)figures->samples; i++) {
        const double value = sample_at(wanted, i), error = fabs(sample_at(found, i) - value);
        low = fmin(low, value);
        high = fmax(high, value);
        squares += error * error;
        figures->largest = fmax(figures->largest, error);
    }
    figures->psnr = squares > 0 ? 10 * log10((high - low) * (high - low) * figures->samples / squares) : INFINITY;
}

static void add_time(const struct volume_times *times, uint32_t run, double clock, double processor)
{
    times->clock[run] = seconds_now() - clock;
    times->processor[run] = processor_now() - processor;
}

static void summarise(const struct volume_times *times, double samples, double figures[2])
{
    figures[0] = statistics_median(times->clock, times->count) * 1e9 / samples;
    figures[1] = statistics_median(times->processor, times->count) * 1e9 / samples;
}

/* Encode all runs, and keep the last one's bytes. */
static kst_status encode_runs(const struct volume_settings *settings, const kst_volume *volume, kst_buffer *coded,
    const struct volume_times *times, kst_report *report)
{
    kst_volume_options options;
    kst_status status = KST_OK;
    kst_volume_options_init(&options);
    options.jpeg2000 = settings->j2k.options;
    options.z_levels = settings->z_levels;
    for (uint32_t run = 0; run < times->count && !status; run++) {
        kst_buffer_release(settings->context, coded);
        const double clock = seconds_now(), processor = processor_now();
        status = kst_encode_volume(settings->context, volume, &options, coded, report);
        add_time(times, run, clock, processor);
    }
    return status;
}

static kst_status decode_runs(const struct volume_settings *settings, const kst_buffer *coded, kst_volume *volume,
    const struct volume_times *times, kst_report *report)
{
    kst_status status = KST_OK;
    for (uint32_t run = 0; run < times->count && !status; run++) {
        kst_volume_release(settings->context, volume);
        const double clock = seconds_now(), processor = processor_now();
        status = kst_decode_volume(settings->context, coded->data, coded->length, NULL, volume, report);
        add_time(times, run, clock, processor);
    }
    return status;
}

static kst_status measure(const struct volume_settings *settings, const kst_volume *volume,
    const struct volume_times *times, struct volume_figures *figures, kst_report *report)
{
    kst_buffer coded = {.data = NULL};
    kst_volume decoded;
    kst_volume_init(&decoded);
    figures->samples = (double)volume->width * volume->height * volume->depth;
    kst_status status = encode_runs(settings, volume, &coded, times, report);
    summarise(times, figures->samples, figures->encode);
    if (!status)
        status = decode_runs(settings, &coded, &decoded, times, report);
    summarise(times, figures->samples, figures->decode);
    if (!status) {
        figures->bits = 8 * (double)coded.length / figures->samples;
        compare(volume, &decoded, figures);
    }
    kst_volume_release(settings->context, &decoded);
    kst_buffer_release(settings->context, &coded);
    return status;
}

static int print_figures(const char *name, const kst_volume *volume, const struct volume_figures *figures, bool json)
{
    const double ratio = 8 * (double)volume_sample_bytes(volume) / figures->bits;
    const bool lossless = isinf(figures->psnr) != 0;
    if (json) {
        json_t *psnr = lossless ? json_null() : json_real(figures->psnr);
        return json_print(json_pack("{s:o, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f}", "file", json_text(name), "bits",
                              figures->bits, "ratio", ratio, "psnr", psnr, "largest_error", figures->largest,
                              "encode_ns", figures->encode[0], "encode_processor_ns", figures->encode[1], "decode_ns",
                              figures->decode[0], "decode_processor_ns", figures->decode[1]),
            EXIT_FINE);
    }
    plain_puts(stdout, name);
    printf(": %.3f bits for each sample, %.2f:1, ", figures->bits, ratio);
    if (lossless)
        printf("without loss\n");
    else
        printf("%.2f dB, largest error %g\n", figures->psnr, figures->largest);
    printf("encode: %.1f ns for each sample, %.1f of processor time\n", figures->encode[0], figures->encode[1]);
    printf("decode: %.1f ns for each sample, %.1f of processor time\n", figures->decode[0], figures->decode[1]);
    return finish_output(EXIT_FINE);
}

static int bench_volume(const struct volume_settings *settings, const char *name, const kst_volume *volume)
{
    struct volume_figures figures = {.samples = 0};
    kst_report report;
    struct problem problem = {.text = ""};
    double *room = calloc(2 * (size_t)settings->repeat, sizeof *room);
    const struct volume_times times = {room, room + settings->repeat, settings->repeat};
    kst_report_init(&report);
    kst_status status = room == NULL ? KST_ERROR_MEMORY : measure(settings, volume, &times, &figures, &report);
    free(room);
    if (!status)
        return print_figures(name, volume, &figures, settings->json);
    coded_report_problem(&report, status, &problem);
    complain(name, "%s", problem.text);
    return EXIT_FAILED;
}

int volume_bench(struct volume_settings *settings, char **names)
{
    struct problem problem = {.text = ""};
    struct volume_file file;
    if (!volume_read(names[0], settings, &file, &problem)) {
        complain(names[0], "%s", problem.text);
        return EXIT_FAILED;
    }
    int code = EXIT_FAILED;
    if (file.volume.sample == KST_SAMPLE_FLOAT32)
        complain(names[0], "bench measures integers; samples of single precision are coded in stores");
    else
        code = bench_volume(settings, names[0], &file.volume);
    volume_release(&file);
    return code;
}
