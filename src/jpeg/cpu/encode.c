/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JPEG files: headers, scans and their Huffman tables, in one pass over the picture where that is possible. */
#include "jpeg/cpu/encode.h"

#include <string.h>

#include "core/report.h"
#include "jpeg/cpu/encode_source.h"
#include "jpeg/cpu/entropy/progressive_encode.h"
#include "jpeg/cpu/entropy/scan_encode.h"
#include "jpeg/cpu/result.h"
#include "jpeg/plan/script.h"
#include "jpeg/syntax/writer.h"

/* Factor by which the limit for unpacked coefficients is higher if they would be packed in memory, not in a file. */
enum { IN_MEMORY = 4 };

/* Holds Huffman tables of a scan, indexed by destination. */
struct file_tables {
    struct jpeg_huffman made[2][2]; /* [class][destination] */
    struct jpeg_table_set set;
    struct jpeg_coder coder[2];
};

/* Holds the state of a file that is being written. */
struct coded_file {
    const struct operation *op;
    const struct jpeg_encoding *encoding;
    struct jpeg_dsp dsp;
    struct jpeg_huffman_encode functions;
    kst_scan standard[JPEG_SCRIPT_MAX];
    const kst_scan *script;
    size_t script_length;
    struct jpeg_scan_state state;
    struct file_tables *tables;
    struct sink *sink;
};

static kst_status file_create(
    struct coded_file *file, const struct operation *op, const struct jpeg_encoding *encoding, struct sink *sink)
{
    kst_status status = KST_OK;
    *file = (struct coded_file){.op = op, .encoding = encoding, .sink = sink};
    kst_jpeg_cpu_dsp_init(&file->dsp, op->tier);
    kst_jpeg_cpu_huffman_encode_init(&file->functions, op->tier);
    const struct jpeg_frame *frame = &encoding->frame;
    file->script = encoding->script ? encoding->script : file->standard;
    if (encoding->script)
        file->script_length = encoding->script_length;
    else if (encoding->coding == KST_CODING_PROGRESSIVE)
        file->script_length = kst_jpeg_progressive_script(frame->colour, frame->component_count, file->standard);
    else
        file->script_length = kst_jpeg_sequential_script(frame->component_count, file->standard);
    file->tables = kst_memory_array(op->memory, 1, sizeof *file->tables, &status);
    return status;
}

static void file_destroy(struct coded_file *file)
{
    kst_memory_release(file->op->memory, file->tables);
}

static void write_headers(struct coded_file *file)
{
    const struct jpeg_encoding *encoding = file->encoding;
    kst_jpeg_write_start(file->sink, &encoding->header);
    kst_jpeg_write_metadata(file->sink, encoding->metadata, encoding->metadata_count);
    kst_jpeg_write_frame(file->sink, &encoding->frame, encoding->coding == KST_CODING_PROGRESSIVE);
}

static void use_tables(
    struct file_tables *tables, const struct jpeg_huffman *dc, const struct jpeg_huffman *ac, uint32_t i)
{
    tables->set.table[JPEG_DC][i] = dc;
    tables->set.table[JPEG_AC][i] = ac;
    kst_jpeg_cpu_coder_init(&tables->coder[i], dc, ac);
}

static void standard_tables(struct file_tables *tables)
{
    for (int i = 0; i < 2; i++)
        use_tables(tables, kst_jpeg_standard_huffman(JPEG_DC, i), kst_jpeg_standard_huffman(JPEG_AC, i), (uint32_t)i);
}

static void optimal_tables(struct coded_file *file, struct jpeg_histogram histogram[2])
{
    struct file_tables *tables = file->tables;
    for (uint32_t i = 0; i < 2; i++) {
        kst_jpeg_huffman_optimal(histogram[i].dc, &tables->made[JPEG_DC][i]);
        kst_jpeg_huffman_optimal(histogram[i].ac, &tables->made[JPEG_AC][i]);
        use_tables(tables, &tables->made[JPEG_DC][i], &tables->made[JPEG_AC][i], i);
    }
    memset(&file->state.written, 0, sizeof file->state.written);
}

static void crew_init(const struct coded_file *file, const kst_scan *scan, struct jpeg_scan_crew *crew)
{
    const struct jpeg_encoding *encoding = file->encoding;
    *crew = (struct jpeg_scan_crew){.pool = file->op->pool,
        .memory = file->op->memory,
        .progress = file->op->progress,
        .functions = &file->functions};
    kst_jpeg_cpu_scan_crew_layout(crew, &encoding->frame, scan->component, scan->component_count, encoding->huffman);
    crew->restart_interval = kst_jpeg_restart_interval(&encoding->restart, &crew->geometry);
    crew->workers = kst_jpeg_cpu_scan_workers(crew->pool, &crew->geometry);
    for (uint32_t i = 0; i < crew->component_count; i++)
        crew->coder[i] = &file->tables->coder[crew->destination[i]];
}

static kst_status count_scan(struct coded_file *file, const struct jpeg_scan_crew *crew)
{
    kst_status status = KST_OK;
    struct jpeg_histogram *histogram = kst_memory_array(crew->memory, 2, sizeof *histogram, &status);
    if (!histogram)
        return status;
    status = kst_jpeg_cpu_scan_count(crew, histogram);
    if (!status)
        optimal_tables(file, histogram);
    kst_memory_release(crew->memory, histogram);
    return status;
}

/* Write the header and the data of a scan whose tables are chosen. */
static kst_status write_scan(struct coded_file *file, const kst_scan *scan, const struct jpeg_scan_crew *crew)
{
    kst_jpeg_write_scan(file->sink, &file->state, file->encoding, scan, &file->tables->set, crew->restart_interval);
    return kst_jpeg_cpu_scan_encode(crew, file->sink);
}

/*
 * Return the number of MCU rows of all scans; with `counts` twice that, because symbols are counted before they are
 * coded.
 */
static uint64_t rows_of_scans(const struct coded_file *file, bool counts)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < file->script_length; i++) {
        struct jpeg_scan_geometry geometry;
        kst_jpeg_scan_geometry(
            &file->encoding->frame, file->script[i].component, file->script[i].component_count, &geometry);
        rows += (uint64_t)geometry.mcus_h << counts;
    }
    return rows;
}

/*
 * Write the scans of a sequential file. `own`: the coefficients were made from a picture here, so their range is known.
 * `counted`: the tables are already made.
 */
static kst_status write_sequential_scans(
    struct coded_file *file, const struct jpeg_coefficients *coefficients, bool own, bool counted)
{
    const bool optimise = file->encoding->coding == KST_CODING_OPTIMIZED;
    kst_status status = KST_OK;
    kst_progress_enter(file->op->progress, rows_of_scans(file, optimise && !counted), 1);
    if (!optimise)
        standard_tables(file->tables);
    for (size_t i = 0; !status && i < file->script_length; i++) {
        struct jpeg_scan_crew crew;
        struct jpeg_coefficient_source source = {.dsp = &file->dsp,
            .frame = &file->encoding->frame,
            .coefficients = coefficients,
            .scan = &file->script[i],
            .trusted = own};
        crew_init(file, &file->script[i], &crew);
        crew.source = kst_jpeg_cpu_coefficient_source(&source);
        if (optimise && !counted)
            status = count_scan(file, &crew);
        if (!status)
            status = write_scan(file, &file->script[i], &crew);
    }
    return status;
}

static kst_status write_progressive_scans(struct coded_file *file, const struct jpeg_progressive_source *source)
{
    return kst_jpeg_cpu_progressive_encode(
        file->op, &file->dsp, file->encoding, file->script, file->script_length, source, file->sink);
}

static kst_status write_scans(
    struct coded_file *file, const struct jpeg_coefficients *coefficients, bool own, bool counted)
{
    const struct jpeg_progressive_source source = {.coefficients = coefficients};
    kst_status status;
    write_headers(file);
    if (file->encoding->coding == KST_CODING_PROGRESSIVE)
        status = write_progressive_scans(file, &source);
    else
        status = write_sequential_scans(file, coefficients, own, counted);
    if (status)
        return status;
    kst_jpeg_write_end(file->sink);
    return file->sink->status;
}

uint64_t kst_jpeg_cpu_stored_most(const struct jpeg_encoding *encoding, const struct sink *sink)
{
    const uint64_t most = encoding->stored_most;
    return kst_spill_keeper(sink) || most > UINT64_MAX / IN_MEMORY ? most : IN_MEMORY * most;
}

kst_status kst_jpeg_cpu_write_coefficients(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_coefficients *coefficients, struct sink *sink)
{
    struct coded_file file;
    kst_status status = file_create(&file, op, encoding, sink);
    if (!status)
        status = write_scans(&file, coefficients, false, false);
    file_destroy(&file);
    return status;
}

/* Check that the decoder's data were the same in both passes. */
static kst_status check_same(const struct coded_file *file, const struct jpeg_row_decoder *decoder, uint64_t counted)
{
    return decoder->sum == counted ? KST_OK
                                   : kst_report_error(file->op->report, KST_ERROR_ROWS, KST_NO_OFFSET,
                                         "the stream changed while it was read");
}

/* Write a scan from its source's blocks, which are counted first if tables are made for them. */
static kst_status write_result_scan(
    struct coded_file *file, const kst_scan *scan, const struct jpeg_scan_crew *crew, struct jpeg_row_decoder *decoder)
{
    const bool optimise = file->encoding->coding == KST_CODING_OPTIMIZED;
    uint64_t counted = 0;
    kst_status status = optimise ? count_scan(file, crew) : KST_OK;
    if (!status && optimise && decoder) {
        counted = decoder->sum;
        kst_jpeg_cpu_row_decoder_again(decoder);
    }
    if (!status)
        status = write_scan(file, scan, crew);
    return !status && optimise && decoder ? check_same(file, decoder, counted) : status;
}

/* Write a sequential scan of a result. */
static kst_status stream_scan(struct coded_file *file, const struct jpeg_result *result, const kst_scan *scan)
{
    struct jpeg_scan_crew crew;
    struct jpeg_result_source source;
    crew_init(file, scan, &crew);
    kst_status status = kst_jpeg_cpu_result_source_create(crew.memory, &file->dsp, result, scan, crew.workers, &source);
    crew.source = kst_jpeg_cpu_result_source(&source);
    if (!status)
        status = write_result_scan(file, scan, &crew, result->decoder);
    if (source.reader.status)
        status = source.reader.status;
    kst_jpeg_cpu_result_source_release(&source);
    return status;
}

static kst_status stream_sequential_scans(struct coded_file *file, const struct jpeg_result *result)
{
    const bool optimise = file->encoding->coding == KST_CODING_OPTIMIZED;
    kst_status status = KST_OK;
    kst_progress_enter(file->op->progress, rows_of_scans(file, optimise), 1);
    if (!optimise)
        standard_tables(file->tables);
    if (result->decoder)
        result->decoder->summed = optimise;
    for (size_t i = 0; !status && i < file->script_length; i++)
        status = stream_scan(file, result, &file->script[i]);
    return status;
}

/* Write the scans of a result whose rows are made when they are needed. */
static kst_status write_result(struct coded_file *file, const struct jpeg_result *result)
{
    const struct jpeg_progressive_source source = {
        .result = result, .spill = result->store ? result->store->spill : NULL};
    write_headers(file);
    kst_status status = file->encoding->coding == KST_CODING_PROGRESSIVE ? write_progressive_scans(file, &source)
                                                                         : stream_sequential_scans(file, result);
    if (status)
        return status;
    kst_jpeg_write_end(file->sink);
    return file->sink->status;
}

kst_status kst_jpeg_cpu_write_result(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_result *result, struct sink *sink)
{
    struct coded_file file;
    kst_status status = file_create(&file, op, encoding, sink);
    if (!status)
        status = write_result(&file, result);
    file_destroy(&file);
    return status;
}

/*
 * Encode the picture in one pass with tables that are already made, keeping no coefficients. `sum` is null, or receives
 * the sum of the rows that were fetched.
 */
static kst_status stream_picture(struct coded_file *file, const struct jpeg_sampler *sampler, uint64_t *sum)
{
    struct jpeg_scan_crew crew;
    struct jpeg_picture_source source;
    crew_init(file, &file->script[0], &crew);
    kst_progress_enter(crew.progress, crew.geometry.mcus_h, 1);
    kst_status status = kst_jpeg_cpu_picture_source_create(crew.memory, sampler, crew.workers, NULL, &source);
    if (status)
        return status;
    source.summed = sum;
    crew.source = kst_jpeg_cpu_picture_source(&source);
    write_headers(file);
    status = write_scan(file, &file->script[0], &crew);
    if (!status) {
        kst_jpeg_write_end(file->sink);
        status = file->sink->status;
    }
    if (sum)
        *sum = atomic_load(&source.sum);
    kst_jpeg_cpu_picture_source_release(&source);
    return status;
}

enum { PASSES = 2 }; /* over a picture, with about the same time for each */

/* Transform the picture to coefficients. */
static kst_status transform_picture(
    struct coded_file *file, const struct jpeg_sampler *sampler, const struct jpeg_coefficients *coefficients)
{
    struct jpeg_scan_crew crew;
    struct jpeg_picture_source source;
    kst_scan all;
    kst_jpeg_sequential_script(file->encoding->frame.component_count, &all);
    crew_init(file, &all, &crew);
    kst_progress_enter(crew.progress, kst_jpeg_cpu_sampler_rows(sampler), 1.0 / PASSES);
    kst_status status = kst_jpeg_cpu_picture_source_create(crew.memory, sampler, crew.workers, coefficients, &source);
    if (status)
        return status;
    status = kst_jpeg_cpu_picture_transform(&source, crew.pool, crew.progress);
    kst_jpeg_cpu_picture_source_release(&source);
    return status;
}

/*
 * Count the symbols of the picture and make the tables, for a single scan. The coefficients are kept, unless
 * `coefficients` is null. `sum` is null, or receives the sum of the rows that were fetched.
 */
static kst_status count_picture(struct coded_file *file, const struct jpeg_sampler *sampler,
    const struct jpeg_coefficients *coefficients, uint64_t *sum)
{
    struct jpeg_scan_crew crew;
    struct jpeg_picture_source source;
    crew_init(file, &file->script[0], &crew);
    kst_progress_enter(crew.progress, kst_jpeg_cpu_sampler_rows(sampler), 1.0 / PASSES);
    kst_status status = kst_jpeg_cpu_picture_source_create(crew.memory, sampler, crew.workers, coefficients, &source);
    if (status)
        return status;
    source.summed = sum;
    crew.source = kst_jpeg_cpu_picture_source(&source);
    status = count_scan(file, &crew);
    if (sum)
        *sum = atomic_load(&source.sum);
    kst_jpeg_cpu_picture_source_release(&source);
    return status;
}

/*
 * Return whether the picture is read again instead of keeping its coefficients: each scan is read once for its tables
 * and once for its code.
 */
static bool is_read_again(const struct coded_file *file)
{
    const struct jpeg_encoding *encoding = file->encoding;
    uint64_t length = kst_jpeg_coefficients_length(&encoding->frame);
    if (encoding->coding == KST_CODING_BASELINE || encoding->script || encoding->kept_most == UINT64_MAX)
        return false;
    return length > encoding->kept_most || length > kst_memory_left(file->op->memory);
}

/* Encode the picture in two passes, keeping no coefficients. */
static kst_status stream_twice(struct coded_file *file, const struct jpeg_sampler *sampler)
{
    const kst_rows *rows = sampler->rows;
    uint64_t counted, coded;
    kst_status status = count_picture(file, sampler, NULL, &counted);
    if (!status && rows && rows->in_order && !rows->again(rows->user))
        status = KST_ERROR_ROWS;
    if (!status)
        status = stream_picture(file, sampler, &coded);
    if (!status && counted != coded)
        status = kst_report_error(
            file->op->report, KST_ERROR_ROWS, KST_NO_OFFSET, "they differ when they are read a second time");
    return status;
}

/* Encode the picture in scans that are all read from it. */
static kst_status stream_progressive(struct coded_file *file, const struct jpeg_sampler *sampler)
{
    struct spill spill;
    const struct jpeg_progressive_source source = {.sampler = sampler, .spill = &spill};
    kst_spill_create(&spill, file->op->memory, kst_spill_keeper(file->sink));
    write_headers(file);
    kst_status status = write_progressive_scans(file, &source);
    kst_spill_release(&spill);
    if (status)
        return status;
    kst_jpeg_write_end(file->sink);
    return file->sink->status;
}

/* Encode the picture, keeping no coefficients, in one pass over it or several. */
static kst_status stream(struct coded_file *file, const struct jpeg_sampler *sampler)
{
    if (file->encoding->coding == KST_CODING_PROGRESSIVE)
        return stream_progressive(file, sampler);
    standard_tables(file->tables);
    if (file->encoding->coding == KST_CODING_OPTIMIZED)
        return stream_twice(file, sampler);
    return stream_picture(file, sampler, NULL);
}

/* Put the coefficients of the picture into a store, a row at a time. */
static kst_status store_picture(struct coded_file *file, const struct jpeg_sampler *sampler, struct jpeg_store *store)
{
    struct jpeg_coefficients row;
    struct jpeg_picture_source source;
    struct memory *memory = file->op->memory;
    const uint32_t rows = kst_jpeg_cpu_sampler_rows(sampler);
    kst_status status = kst_jpeg_coefficients_create_part(memory, store->frame, store->frame->mcus_w, 1, &row);
    if (!status)
        status = kst_jpeg_cpu_picture_source_create(memory, sampler, 1, &row, &source);
    if (status) {
        kst_jpeg_coefficients_release(memory, &row);
        return status;
    }
    kst_progress_enter(file->op->progress, rows, 1.0 / PASSES);
    for (uint32_t i = 0; !status && i < rows; i++) {
        status = kst_jpeg_cpu_picture_transform_row(&source, i) ? kst_jpeg_cpu_store_add(store, &row) : KST_ERROR_ROWS;
        if (!kst_progress_step(file->op->progress, 1) && !status)
            status = KST_ERROR_CANCELLED;
    }
    kst_jpeg_cpu_picture_source_release(&source);
    kst_jpeg_coefficients_release(memory, &row);
    return status;
}

/* Encode the picture from a store of its coefficients. */
static kst_status stream_stored(struct coded_file *file, const struct jpeg_sampler *sampler)
{
    struct spill spill;
    struct jpeg_store store;
    struct jpeg_transform none = {.frame = file->encoding->frame};
    if (none.frame.component_count == 1) { /* factors have no effect (A.2.2): the sampler's rows are of blocks */
        none.frame.component[0].h = none.frame.component[0].v = 1;
        kst_jpeg_frame_geometry(&none.frame);
    }
    const struct jpeg_result result = {.transform = &none, .source = &none.frame, .store = &store};
    kst_spill_create(&spill, file->op->memory, kst_spill_keeper(file->sink));
    kst_status status = kst_jpeg_cpu_store_create(file->op, &none.frame, false, &spill, &store);
    if (!status) {
        status = store_picture(file, sampler, &store);
        if (!status)
            status = write_result(file, &result);
        kst_jpeg_cpu_store_release(&store);
    }
    kst_spill_release(&spill);
    return status;
}

/*
 * Return whether the coefficients of the picture are too many to be kept as they are. Without a keeper they would be
 * packed in memory, which takes some time as well, so that the limit is higher.
 */
static bool is_stored(const struct coded_file *file)
{
    const struct jpeg_encoding *encoding = file->encoding;
    const uint64_t length = kst_jpeg_coefficients_length(&encoding->frame);
    return length > kst_jpeg_cpu_stored_most(encoding, file->sink) || length > kst_memory_left(file->op->memory);
}

static kst_status write_in_passes(struct coded_file *file, const struct jpeg_sampler *sampler)
{
    struct jpeg_coefficients coefficients;
    const bool count = file->encoding->coding == KST_CODING_OPTIMIZED && file->script == file->standard;
    double start = kst_seconds();
    kst_status status = kst_jpeg_coefficients_create(file->op->memory, &file->encoding->frame, &coefficients);
    if (status)
        return status;
    status =
        count ? count_picture(file, sampler, &coefficients, NULL) : transform_picture(file, sampler, &coefficients);
    kst_report_stage(file->op->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    if (!status) {
        start = kst_seconds();
        status = write_scans(file, &coefficients, true, count);
        kst_report_stage(file->op->report, KST_STAGE_ENTROPY, KST_DEVICE_CPU, start);
    }
    kst_jpeg_coefficients_release(file->op->memory, &coefficients);
    return status;
}

kst_status kst_jpeg_cpu_write_picture(const struct operation *op, const struct jpeg_encoding *encoding,
    const struct jpeg_sampler *sampler, struct sink *sink)
{
    struct coded_file file;
    kst_status status = file_create(&file, op, encoding, sink);
    bool once = encoding->coding == KST_CODING_BASELINE && !encoding->script;
    if (!status && (once || is_read_again(&file))) {
        double start = kst_seconds();
        status = stream(&file, sampler);
        kst_report_stage(op->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    } else if (!status) {
        status = is_stored(&file) ? stream_stored(&file, sampler) : write_in_passes(&file, sampler);
    }
    file_destroy(&file);
    return status;
}
