/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses how the threads share a picture (see run()), decodes it and reports the damage that was found. */
#include "jpeg/cpu/decode.h"

#include "core/report.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/crew.h"
#include "jpeg/cpu/row_buffers.h"

uint32_t kst_jpeg_cpu_useful_threads(const struct operation *op, const struct jpeg_output *output)
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

/* Return whether restart markers are so frequent that a band always starts near one. */
static bool restarts_often(const struct jpeg_scan *scan, const struct jpeg_output *output)
{
    return scan->restart_interval > 0 && scan->restart_interval <= 4 * output->frame.mcus_w;
}

/* Prepare several threads. On failure nothing is held. */
static kst_status create_crew(struct jpeg_crew *crew, uint32_t threads, uint32_t borders)
{
    kst_status status = kst_jpeg_cpu_crew_create(crew, threads, borders);
    if (!status && crew->making.buffers && !kst_jpeg_cpu_row_buffers_fit(crew->making.buffers, threads)) {
        kst_jpeg_cpu_crew_release(crew);
        status = KST_ERROR_LIMIT_MEMORY;
    }
    return status;
}

static kst_status run_alone(struct jpeg_crew *crew)
{
    kst_status status = kst_jpeg_cpu_crew_create(crew, 1, 0);
    if (!status)
        kst_jpeg_cpu_crew_alone(crew);
    return status;
}

/*
 * When rows are delivered in buffers and the picture need not be in memory, tokens are kept for a scan of at most this
 * many MCUs.
 */
enum { PAIR_MCUS = 1 << 20 };

/*
 * Return the share of the scan's data that lies above the guess, such that both threads take about the same time. The
 * upper thread decodes to pixels, the lower one only to tokens. But the lower one also hands out the upper one's rows,
 * and if these are written to a file, that takes as long as making them. Rows of less than a byte for each coded pixel
 * count as none.
 */
static double upper_share(const struct jpeg_crew *crew)
{
    const struct jpeg_frame *frame = &crew->output->frame;
    const struct jpeg_row_buffers *buffers = crew->making.buffers;
    if (!buffers)
        return 0.42;
    const uint64_t bytes = (uint64_t)buffers->shape.plane[0].pitch * buffers->shape.height;
    return bytes < (uint64_t)frame->width * frame->height ? 0.42 : 0.6;
}

static kst_status run_pair(struct jpeg_crew *crew)
{
    struct jpeg_ahead ahead;
    const struct jpeg_source *plain = crew->source;
    struct jpeg_source source = *plain;
    kst_status status = kst_jpeg_cpu_ahead_create(
        crew->op->memory, &ahead, source.entropy, upper_share(crew), crew->output->frame.mcus_w);
    if (status)
        return status;
    source.ahead = &ahead;
    crew->source = &source;
    status = create_crew(crew, 2, kst_jpeg_cpu_pair_borders(crew->output));
    if (!status)
        kst_jpeg_cpu_crew_pair(crew, &ahead);
    crew->source = plain;
    kst_jpeg_cpu_ahead_release(crew->op->memory, &ahead);
    return status;
}

static kst_status run_spread(struct jpeg_crew *crew, uint32_t threads)
{
    kst_status status = create_crew(crew, threads, kst_jpeg_cpu_crew_bands(crew->output, threads) - 1);
    if (!status)
        kst_jpeg_cpu_crew_spread(crew);
    return status;
}

static kst_status run_guessing(struct jpeg_crew *crew, uint32_t threads)
{
    struct jpeg_checkpoints checkpoints;
    kst_status status =
        kst_jpeg_cpu_checkpoints_find(crew->op, crew->source->entropy, crew->output->frame.mcus_w, &checkpoints);
    if (status)
        return status;
    crew->checkpoints = &checkpoints;
    status = run_spread(crew, threads);
    crew->checkpoints = NULL;
    kst_jpeg_cpu_checkpoints_release(crew->op->memory, &checkpoints);
    return status;
}

/*
 * Decode with several threads. They can start anywhere in coefficients or near restart markers. Without either, the
 * start of a row is known only once the scan has been read up to it. For a whole picture, two threads keep what the
 * second one decodes from a guess; more threads, or two that decode a part of the picture, first skip through the scan
 * from guesses without keeping anything; so do two if the limit of memory has no room for what they would keep.
 */
static kst_status run_beside(struct jpeg_crew *crew, uint32_t threads)
{
    const struct jpeg_entropy *entropy = crew->source->entropy;
    if (!entropy || restarts_often(entropy->scan, crew->output) || entropy->scan->interval_count > 1 ||
        entropy->scan->segment_count == 0)
        return run_spread(crew, threads);
    bool lean = crew->making.buffers && entropy->mcus > PAIR_MCUS;
    kst_status status = KST_ERROR_LIMIT_MEMORY;
    if (threads == 2 && crew->output->row_count == crew->output->frame.mcus_h && !lean)
        status = run_pair(crew);
    return status == KST_ERROR_LIMIT_MEMORY ? run_guessing(crew, threads) : status;
}

/*
 * Decode with several threads, or with one if the limit of memory has no room for several: that is found out before any
 * of them begins.
 */
static kst_status run(struct jpeg_crew *crew)
{
    uint32_t threads = kst_jpeg_cpu_useful_threads(crew->op, crew->output);
    kst_status status = threads > 1 ? run_beside(crew, threads) : KST_ERROR_LIMIT_MEMORY;
    return status == KST_ERROR_LIMIT_MEMORY ? run_alone(crew) : status;
}

static kst_status run_and_report(struct jpeg_crew *crew, bool strict)
{
    kst_report *report = crew->op->report;
    double start = kst_seconds();
    kst_status status = run(crew);
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, NULL);
    struct jpeg_damage damage;
    kst_jpeg_cpu_damage_init(&damage);
    for (uint32_t i = 0; i < crew->threads; i++)
        kst_jpeg_cpu_damage_add(&damage, &crew->damage[i]);
    if (crew->threads > report->threads)
        report->threads = crew->threads;
    kst_jpeg_cpu_crew_release(crew);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return kst_jpeg_cpu_damage_report(&damage, strict, report);
}

static kst_status decode_single_scan(struct jpeg_crew *crew, const struct jpeg_plan *plan, bool strict)
{
    struct jpeg_entropy entropy;
    struct jpeg_source source = {.plan = plan, .entropy = &entropy};
    kst_status status = kst_jpeg_cpu_entropy_init(crew->op->memory, &entropy, plan, plan->scan, crew->op->tier);
    if (status)
        return kst_report_error(crew->op->report, status, KST_NO_OFFSET, NULL);
    crew->source = &source;
    status = run_and_report(crew, strict);
    kst_jpeg_cpu_entropy_release(crew->op->memory, &entropy);
    return status;
}

static kst_status decode_scans(struct jpeg_crew *crew, const struct jpeg_plan *plan, bool strict)
{
    struct jpeg_blocks blocks;
    struct jpeg_source source = {.plan = plan, .coefficients = &blocks.coefficients};
    kst_status status = kst_jpeg_cpu_blocks_decode(crew->op, plan, strict, &blocks);
    if (status)
        return status;
    if (blocks.smoothed)
        source.smoothing = &blocks.smoothing;
    crew->source = &source;
    status = run_and_report(crew, strict);
    kst_jpeg_cpu_blocks_release(crew->op->memory, &blocks);
    return status;
}

static kst_status decode(const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options,
    const kst_image *image, struct jpeg_row_buffers *buffers)
{
    struct jpeg_output output;
    struct jpeg_dsp dsp;
    struct jpeg_crew crew = {
        .op = op, .output = &output, .making = {.output = &output, .dsp = &dsp, .buffers = buffers}};
    kst_jpeg_cpu_dsp_init(&dsp, op->tier);
    kst_jpeg_output_plan(&output, &plan->frame, options, image);
    if (plan->single_scan)
        return decode_single_scan(&crew, plan, options->strict);
    return decode_scans(&crew, plan, options->strict);
}

kst_status kst_jpeg_cpu_decode(
    const struct operation *op, const struct jpeg_plan *plan, const kst_decode_options *options, const kst_image *image)
{
    return decode(op, plan, options, image, NULL);
}

kst_status kst_jpeg_cpu_decode_rows(const struct operation *op, const struct jpeg_plan *plan,
    const kst_decode_options *options, const kst_image *image, const kst_row_writer *writer)
{
    struct jpeg_row_buffers buffers;
    struct jpeg_output output;
    kst_jpeg_output_plan(&output, &plan->frame, options, image);
    kst_jpeg_cpu_row_buffers_begin(&buffers, op->memory, writer, image, output.mcu_lines, kst_pool_threads(op->pool));
    kst_status status = decode(op, plan, options, image, &buffers);
    kst_status written = kst_jpeg_cpu_row_buffers_end(&buffers);
    return written ? kst_report_error(op->report, written, KST_NO_OFFSET, NULL) : status;
}

/* Read an MCU row like a band does: coefficients are decoded only in the columns that the output needs. */
static void read_row(const struct jpeg_entropy *entropy, const struct jpeg_output *output, struct jpeg_cursor *cursor)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    kst_jpeg_cpu_skip_mcus(entropy, cursor, output->first_mcu);
    for (uint32_t mcu = 0; mcu < output->mcu_count; mcu++)
        kst_jpeg_cpu_decode_mcu(entropy, cursor, blocks, last);
    kst_jpeg_cpu_skip_mcus(entropy, cursor, output->frame.mcus_w - output->first_mcu - output->mcu_count);
}

static kst_status read_damage(
    struct memory *memory, const struct jpeg_plan *plan, uint32_t scan, enum cpu_tier tier, struct jpeg_damage *sum)
{
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    struct jpeg_entropy entropy;
    struct jpeg_cursor cursor;
    kst_status status = kst_jpeg_cpu_entropy_init(memory, &entropy, plan, &plan->scan[scan], tier);
    if (status)
        return status;
    kst_jpeg_cpu_cursor_start(&entropy, &cursor, 0);
    while (cursor.mcu < entropy.mcus) {
        if (cursor.ended)
            kst_jpeg_cpu_cursor_pass(&entropy, &cursor, entropy.mcus);
        else
            kst_jpeg_cpu_decode_mcu(&entropy, &cursor, blocks, last);
    }
    kst_jpeg_cpu_entropy_release(memory, &entropy);
    kst_jpeg_cpu_damage_add(sum, &cursor.damage);
    return KST_OK;
}

/* Read every scan to its end, as kst_jpeg_cpu_decode_coefficients() does, whatever part of the picture the output
 * needs. */
static kst_status find_damage_of_scans(const struct operation *op, const struct jpeg_plan *plan, bool strict)
{
    double start = kst_seconds();
    struct jpeg_damage damage;
    kst_jpeg_cpu_damage_init(&damage);
    for (uint32_t i = 0; i < plan->scan_count; i++) {
        kst_status status = read_damage(op->memory, plan, i, op->tier, &damage);
        if (status)
            return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    }
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return kst_jpeg_cpu_damage_report(&damage, strict, op->report);
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
    kst_status status = kst_jpeg_cpu_entropy_init(op->memory, &entropy, plan, plan->scan, op->tier);
    if (status)
        return kst_report_error(op->report, status, KST_NO_OFFSET, NULL);
    uint32_t length = plan->scan->restart_interval, row = output.frame.mcus_w;
    kst_jpeg_cpu_cursor_start(&entropy, &cursor, length ? output.first_row * row / length : 0);
    kst_jpeg_cpu_skip_mcus(&entropy, &cursor, output.first_row * row - cursor.mcu);
    kst_jpeg_cpu_cursor_forget(&entropy, &cursor, true);
    for (uint32_t i = 0; i < output.row_count; i++)
        read_row(&entropy, &output, &cursor);
    kst_jpeg_cpu_entropy_release(op->memory, &entropy);
    kst_report_stage(op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    return kst_jpeg_cpu_damage_report(&cursor.damage, options->strict, op->report);
}
