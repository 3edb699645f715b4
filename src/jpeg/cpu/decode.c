/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses how the threads share a picture (see run()), decodes it and reports the damage that was found. */
#include "jpeg/cpu/decode.h"

#include "core/report.h"
#include "jpeg/cpu/bands.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/job.h"

/* The number of threads that pay for a picture of this size. */
static uint32_t useful_threads(const struct operation *op, const struct jpeg_output *output)
{
    enum { LEAST_SAMPLES = 1 << 15 }; /* coded samples per thread */
    uint64_t samples = (uint64_t)output->row_count * output->frame.mcus_w * 64;
    uint64_t useful = samples * output->frame.hmax * output->frame.vmax / LEAST_SAMPLES;
    uint32_t threads = kst_pool_threads(op->pool);
    if (threads > useful)
        threads = (uint32_t)useful;
    if (threads > output->row_count)
        threads = output->row_count;
    return threads > 1 ? threads : 1;
}

/* Whether restart markers are so frequent that a band always starts near one. */
static bool restarts_often(const struct jpeg_scan *scan, const struct jpeg_output *output)
{
    return scan->restart_interval > 0 && scan->restart_interval <= 4 * output->frame.mcus_w;
}

static kst_status run_alone(struct jpeg_job *job)
{
    kst_status status = kst_jpeg_job_create(job, 1, 0);
    if (!status)
        kst_jpeg_job_alone(job);
    return status;
}

/* When a picture goes out in bands and need not be in memory, tokens are kept for a scan of at most this many MCUs. */
enum { PAIR_MCUS = 1 << 20 };

/*
 * The share of the scan's data above the guess. The upper thread makes pixels too, the lower one only tokens: with this
 * share both take about the same time.
 */
static const double upper_share = 0.42;

static kst_status run_pair(struct jpeg_job *job)
{
    struct jpeg_ahead ahead;
    const struct jpeg_source *plain = job->source;
    struct jpeg_source source = *plain;
    kst_status status =
        kst_jpeg_ahead_create(job->op->memory, &ahead, source.entropy, upper_share, job->output->frame.mcus_w);
    if (status)
        return status;
    source.ahead = &ahead;
    job->source = &source;
    status = kst_jpeg_job_create(job, 2, kst_jpeg_pair_borders(job->output));
    if (!status)
        kst_jpeg_job_pair(job, &ahead);
    job->source = plain;
    kst_jpeg_ahead_release(job->op->memory, &ahead);
    return status;
}

static kst_status run_spread(struct jpeg_job *job, uint32_t threads)
{
    kst_status status = kst_jpeg_job_create(job, threads, kst_jpeg_job_bands(job->output, threads) - 1);
    if (!status)
        kst_jpeg_job_spread(job);
    return status;
}

static kst_status run_guessing(struct jpeg_job *job, uint32_t threads)
{
    struct jpeg_checkpoints checkpoints;
    kst_status status = kst_jpeg_checkpoints_find(
        job->op->memory, job->op->pool, job->source->entropy, job->output->frame.mcus_w, &checkpoints);
    if (status)
        return status;
    job->checkpoints = &checkpoints;
    status = run_spread(job, threads);
    job->checkpoints = NULL;
    kst_jpeg_checkpoints_release(job->op->memory, &checkpoints);
    return status;
}

/*
 * Threads can start anywhere in coefficients or near restart markers. Without either, the start of a row is known only
 * once the scan has been read up to it. For a whole picture, two threads keep what the second one decodes from a guess;
 * more threads, or two that decode a part of the picture, first skip through the scan from guesses without keeping
 * anything.
 */
static kst_status run(struct jpeg_job *job)
{
    const struct jpeg_entropy *entropy = job->source->entropy;
    uint32_t threads = useful_threads(job->op, job->output);
    if (threads == 1)
        return run_alone(job);
    if (!entropy || restarts_often(entropy->scan, job->output) || entropy->scan->interval_count > 1 ||
        entropy->scan->segment_count == 0)
        return run_spread(job, threads);
    bool lean = job->output->bands && entropy->mcus > PAIR_MCUS;
    if (threads == 2 && job->output->row_count == job->output->frame.mcus_h && !lean)
        return run_pair(job);
    return run_guessing(job, threads);
}

static kst_status run_and_report(struct jpeg_job *job, bool strict)
{
    kst_report *report = job->op->report;
    double start = kst_seconds();
    kst_status status = run(job);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    struct jpeg_damage damage;
    kst_jpeg_damage_init(&damage);
    for (uint32_t i = 0; i < job->threads; i++)
        kst_jpeg_damage_add(&damage, &job->damage[i]);
    if (job->threads > report->threads)
        report->threads = job->threads;
    kst_jpeg_job_release(job);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return kst_jpeg_damage_report(&damage, strict, report);
}

static kst_status decode_single_scan(struct jpeg_job *job, const struct jpeg_plan *plan, bool strict)
{
    struct jpeg_entropy entropy;
    struct jpeg_source source = {.plan = plan, .entropy = &entropy};
    kst_status status = kst_jpeg_entropy_init(job->op->memory, &entropy, plan, plan->scan, job->op->tier);
    if (status)
        return kst_report_error(job->op->report, status, KST_NO_OFFSET, NULL);
    job->source = &source;
    status = run_and_report(job, strict);
    kst_jpeg_entropy_release(job->op->memory, &entropy);
    return status;
}

static kst_status decode_scans(struct jpeg_job *job, const struct jpeg_plan *plan, bool strict)
{
    struct jpeg_blocks blocks;
    struct jpeg_source source = {.plan = plan, .coefficients = &blocks.coefficients};
    kst_status status = kst_jpeg_blocks_decode(job->op, plan, strict, &blocks);
    if (status)
        return status;
    if (blocks.smoothed)
        source.smoothing = &blocks.smoothing;
    job->source = &source;
    status = run_and_report(job, strict);
    kst_jpeg_blocks_release(job->op->memory, &blocks);
    return status;
}

static kst_status decode(const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options,
    const kst_image *image, struct jpeg_bands *bands)
{
    struct jpeg_output output;
    struct jpeg_job job = {.op = op, .output = &output};
    struct jpeg_dsp dsp;
    kst_jpeg_dsp_init(&dsp, op->tier);
    kst_jpeg_output_plan(&output, &plan->frame, options, image);
    output.dsp = &dsp;
    output.bands = bands;
    if (plan->single_scan)
        return decode_single_scan(&job, plan, options->strict);
    return decode_scans(&job, plan, options->strict);
}

kst_status kst_jpeg_cpu_decode(
    const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image)
{
    return decode(op, plan, options, image, NULL);
}

kst_status kst_jpeg_cpu_decode_rows(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image, const kst_row_writer *writer)
{
    struct jpeg_bands bands;
    struct jpeg_output output;
    kst_jpeg_output_plan(&output, &plan->frame, options, image);
    kst_jpeg_bands_begin(&bands, op->memory, writer, image, output.mcu_lines, kst_pool_threads(op->pool));
    kst_status status = decode(op, plan, options, image, &bands);
    kst_status written = kst_jpeg_bands_end(&bands);
    return written ? kst_report_error(op->report, written, KST_NO_OFFSET, NULL) : status;
}

/* Read an MCU row like a band does: coefficients are decoded only in the columns that the output needs. */
static void read_row(const struct jpeg_entropy *entropy, const struct jpeg_output *output, struct jpeg_cursor *cursor)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    kst_jpeg_skip_mcus(entropy, cursor, output->first_mcu);
    for (uint32_t mcu = 0; mcu < output->mcu_count; mcu++)
        kst_jpeg_decode_mcu(entropy, cursor, blocks, last);
    kst_jpeg_skip_mcus(entropy, cursor, output->frame.mcus_w - output->first_mcu - output->mcu_count);
}

static kst_status read_damage(
    struct memory *memory, const struct jpeg_plan *plan, uint32_t scan, enum cpu_tier tier, struct jpeg_damage *sum)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    struct jpeg_entropy entropy;
    struct jpeg_cursor cursor;
    kst_status status = kst_jpeg_entropy_init(memory, &entropy, plan, &plan->scan[scan], tier);
    if (status)
        return status;
    kst_jpeg_cursor_start(&entropy, &cursor, 0);
    while (cursor.mcu < entropy.mcus) {
        if (cursor.ended)
            kst_jpeg_cursor_pass(&entropy, &cursor, entropy.mcus);
        else
            kst_jpeg_decode_mcu(&entropy, &cursor, blocks, last);
    }
    kst_jpeg_entropy_release(memory, &entropy);
    kst_jpeg_damage_add(sum, &cursor.damage);
    return KST_OK;
}

/* Read every scan to its end, as kst_jpeg_decode_coefficients() does, whatever part of the picture the output needs. */
static kst_status find_damage_of_scans(const struct operation *op, const struct jpeg_plan *plan, bool strict)
{
    double start = kst_seconds();
    struct jpeg_damage damage;
    kst_jpeg_damage_init(&damage);
    for (uint32_t i = 0; i < plan->scan_count; i++) {
        kst_status status = read_damage(op->memory, plan, i, op->tier, &damage);
        if (status)
            return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    }
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return kst_jpeg_damage_report(&damage, strict, op->report);
}

kst_status kst_jpeg_cpu_damage(
    const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image)
{
    struct jpeg_output output;
    struct jpeg_entropy entropy;
    struct jpeg_cursor cursor;
    double start = kst_seconds();
    if (!plan->single_scan)
        return find_damage_of_scans(op, plan, options->strict);
    kst_jpeg_output_plan(&output, &plan->frame, options, image);
    kst_status status = kst_jpeg_entropy_init(op->memory, &entropy, plan, plan->scan, op->tier);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    uint32_t length = plan->scan->restart_interval, row = output.frame.mcus_w;
    kst_jpeg_cursor_start(&entropy, &cursor, length ? output.first_row * row / length : 0);
    kst_jpeg_skip_mcus(&entropy, &cursor, output.first_row * row - cursor.mcu);
    kst_jpeg_cursor_forget(&entropy, &cursor, true);
    for (uint32_t i = 0; i < output.row_count; i++)
        read_row(&entropy, &output, &cursor);
    kst_jpeg_entropy_release(op->memory, &entropy);
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return kst_jpeg_damage_report(&cursor.damage, options->strict, op->report);
}
