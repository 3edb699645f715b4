/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the error of a picture as a decoder would show it: decodes the coded layers strip by strip, and compares the
 * samples.
 */
#include <string.h>

#include "core/report.h"
#include "image/format.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"
#include "run/decoding.h"
#include "run/image.h"

/*
 * Strips are so high that few blocks lie at their edges, where they are decoded twice, and at least so high that even
 * the widest separation of samples leaves a row.
 */
enum { STRIP_ROWS = 1024, STRIP_PIXELS = 1 << 22, STRIP_ROWS_MIN = 256, TASK_ROWS = 64 };

/* Describes a strip of the picture, and the result of decoding it. */
struct measured_strip {
    const struct j2k_encoder *encoder;
    const kst_image *image; /* the picture, in host memory or provided row by row */
    const kst_image *decoded;
    uint32_t first;    /* the strip's first row in the picture */
    uint8_t *room;     /* room for a row for each task, if a function provides the rows */
    size_t row_length; /* the bytes of a row in `room` */
    /* Sums of the lower 32 bits of the squares, and of the upper ones, which do not depend on order. */
    atomic_uint_fast64_t low, high;
    atomic_bool failed;
};

/*
 * Holds samples of 1, 2 or 4 bytes that are `stride` samples apart, and samples without gaps to be compared with them.
 */
struct sample_span {
    const uint8_t *from, *to;
    size_t stride, bytes, count;
    bool is_signed;
};

static int64_t sample_at(const uint8_t *from, size_t bytes, bool is_signed)
{
    uint32_t value = *from;
    uint16_t half;
    if (bytes == 1)
        return is_signed ? (int8_t)value : (int64_t)value;
    memcpy(&half, from, sizeof half);
    if (bytes == 2)
        return is_signed ? (int16_t)half : (int64_t)half;
    memcpy(&value, from, sizeof value);
    return is_signed ? (int32_t)value : (int64_t)value;
}

/* Return the sum of squared differences for unsigned bytes, which most pictures have. */
static uint64_t byte_squares(const struct sample_span *span)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < span->count; i++) {
        int32_t d = (int32_t)span->from[i * span->stride] - span->to[i];
        sum += (uint32_t)(d * d);
    }
    return sum;
}

static void add_span(struct measured_strip *strip, const struct sample_span *span)
{
    uint64_t low = 0, high = 0;
    if (span->bytes == 1 && !span->is_signed) {
        atomic_fetch_add(&strip->low, byte_squares(span));
        return;
    }
    for (size_t i = 0; i < span->count; i++) {
        int64_t a = sample_at(span->from + i * span->stride * span->bytes, span->bytes, span->is_signed);
        int64_t d = a - sample_at(span->to + i * span->bytes, span->bytes, span->is_signed);
        uint64_t square = (uint64_t)(d * d);
        low += square & UINT32_MAX;
        high += square >> 32;
    }
    atomic_fetch_add(&strip->low, low);
    atomic_fetch_add(&strip->high, high);
}

/* Return a row of one of the picture's planes; null if the caller's function fails. */
static const uint8_t *find_row(struct measured_strip *strip, uint32_t task, uint32_t index, uint32_t y)
{
    const kst_rows *rows = strip->encoder->e->rows;
    const kst_plane *plane = kst_image_plane(strip->image, index);
    if (!rows)
        return (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    uint8_t *row = strip->room + task * strip->row_length;
    if (rows->read(rows->user, index, 0, y, plane->width, row))
        return row;
    atomic_store(&strip->failed, true);
    return NULL;
}

/*
 * Holds the rows of a component in the strip that a task compares, and the row of the picture's plane at which the
 * strip begins.
 */
struct measured_stretch {
    uint32_t from, end, first;
};

static struct measured_stretch stretch_of(const struct measured_strip *strip, uint32_t component, uint32_t task)
{
    const struct j2k_component_size *size = &strip->encoder->coded.headers.component[component];
    uint32_t height = kst_image_plane(strip->decoded, component)->height, y = strip->encoder->options.image_y;
    uint32_t from = task * TASK_ROWS, end = from + TASK_ROWS;
    return (struct measured_stretch){.from = from,
        .end = end < height ? end : height,
        .first = j2k_ceil_divide(y + strip->first, size->dy) - j2k_ceil_divide(y, size->dy)};
}

/* Compare rows of a plane, with all components that are interleaved in it. */
static void compare_plane(struct measured_strip *strip, uint32_t task, uint32_t component)
{
    const struct j2k_encoder *encoder = strip->encoder;
    const struct j2k_origin *origin = &encoder->origin[component];
    struct measured_stretch stretch = stretch_of(strip, component, task);
    for (uint32_t y = stretch.from; y < stretch.end; y++) {
        const uint8_t *row = find_row(strip, task, origin->plane, stretch.first + y);
        if (!row)
            return;
        for (uint32_t c = component; c < encoder->component_count && encoder->origin[c].plane == origin->plane; c++) {
            const kst_plane *plane = kst_image_plane(strip->decoded, c);
            add_span(strip, &(struct sample_span){.from = row + (size_t)encoder->origin[c].place * origin->bytes,
                                .to = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch,
                                .stride = origin->stride,
                                .bytes = origin->bytes,
                                .count = plane->width,
                                .is_signed = origin->is_signed});
        }
    }
}

static void compare_rows(void *argument, uint32_t task)
{
    struct measured_strip *strip = argument;
    const struct j2k_origin *origin = strip->encoder->origin;
    for (uint32_t c = 0; c < strip->encoder->component_count; c++)
        if (c == 0 || origin[c].plane != origin[c - 1].plane)
            compare_plane(strip, task, c);
}

/* Return the number of bytes in the longest row of any plane. */
static size_t row_length(const struct j2k_encoder *encoder)
{
    size_t most = 0;
    for (uint32_t c = 0; c < encoder->component_count; c++) {
        const struct j2k_origin *origin = &encoder->origin[c];
        size_t length = (size_t)kst_image_plane(encoder->image, origin->plane)->width * origin->stride * origin->bytes;
        most = length > most ? length : most;
    }
    return most;
}

static kst_status fail(const struct j2k_encoder *encoder, kst_status status)
{
    return kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL);
}

static kst_status compare(struct measured_strip *strip, uint32_t rows, double *error)
{
    struct encoding *e = strip->encoder->e;
    uint32_t tasks = (rows + TASK_ROWS - 1) / TASK_ROWS;
    kst_status status = KST_OK;
    atomic_init(&strip->low, 0);
    atomic_init(&strip->high, 0);
    atomic_init(&strip->failed, false);
    strip->row_length = e->rows ? row_length(strip->encoder) : 0;
    strip->room = kst_memory_array(&e->memory, tasks, strip->row_length, &status);
    if (status)
        return fail(strip->encoder, status);
    if (e->rows && e->rows->in_order)
        for (uint32_t i = 0; i < tasks; i++)
            compare_rows(strip, i);
    else
        kst_pool_run(e->context->pool, tasks, compare_rows, strip);
    kst_memory_release(&e->memory, strip->room);
    *error += (double)atomic_load(&strip->high) * 4294967296.0 + (double)atomic_load(&strip->low);
    return atomic_load(&strip->failed) ? fail(strip->encoder, KST_ERROR_ROWS) : KST_OK;
}

/* Return the number of the picture's rows in front of strip number `strip` of `strips`. */
static uint32_t rows_before(const struct j2k_encoder *encoder, uint32_t strip, uint32_t strips)
{
    return (uint32_t)((uint64_t)encoder->image->height * strip / strips);
}

static kst_status measure_strip(struct j2k_encoder *encoder, kst_decoder *decoder, const kst_image *image,
    const kst_decode_options *options, double *error)
{
    kst_image decoded;
    kst_image_init(&decoded);
    kst_status status = kst_decoder_decode(decoder, options, &decoded);
    if (status == KST_ERROR_LIMIT_MEMORY)
        return status; /* not in the report yet */
    if (status)
        return kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, "%s", decoder->report.message);
    struct measured_strip strip = {.encoder = encoder, .image = image, .decoded = &decoded, .first = options->region.y};
    status = compare(&strip, options->region.height, error);
    kst_image_release(encoder->e->context, &decoded);
    return status;
}

/* Measure the error of the first layers, in strips that are made smaller until memory suffices. */
static kst_status measure_layer(
    struct j2k_encoder *encoder, kst_decoder *decoder, const kst_image *image, uint32_t layers, double *error)
{
    uint32_t rows = STRIP_PIXELS / image->width, strips;
    rows = rows > STRIP_ROWS ? rows : STRIP_ROWS;
    strips = (image->height - 1) / rows + 1;
    kst_status status = KST_OK;
    *error = 0;
    kst_progress_again(&encoder->e->progress, image->height);
    for (uint32_t i = 0; i < strips && !status; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        options.layers = layers;
        options.region.width = image->width;
        options.region.y = rows_before(encoder, i, strips);
        options.region.height = rows_before(encoder, i + 1, strips) - options.region.y;
        status = measure_strip(encoder, decoder, image, &options, error);
        if (!status && !kst_progress_add(&encoder->e->progress, options.region.height))
            status = KST_ERROR_CANCELLED;
        if (status != KST_ERROR_LIMIT_MEMORY || image->height / strips < 2 * STRIP_ROWS_MIN)
            continue;
        status = KST_OK;
        *error = 0;
        strips *= 2;
        kst_progress_again(&encoder->e->progress, image->height);
        i = UINT32_MAX; /* start again with the first strip */
    }
    return status ? fail(encoder, status) : KST_OK;
}

static kst_status measure(struct j2k_encoder *encoder, kst_decoder *decoder, const bool *wanted, double *error)
{
    struct encoding *e = encoder->e;
    kst_image host = {.owned = NULL};
    const kst_image *image = encoder->image;
    kst_status status = KST_OK;
    if (!e->volume && !e->rows && kst_memory_is_device(image->memory)) {
        status = kst_image_bring(e->context, image, &host, &e->report);
        image = &host;
    }
    for (uint32_t l = 0; l < encoder->options.layers && !status; l++)
        if (wanted[l] && e->volume)
            status = kst_j2k_run_encode_measure_volume(encoder, decoder, l + 1, &error[l]);
        else if (wanted[l])
            status = measure_layer(encoder, decoder, image, l + 1, &error[l]);
    kst_image_release(e->context, &host);
    return status;
}

kst_status kst_j2k_run_encode_measure(struct j2k_encoder *encoder, const bool *wanted, double *error)
{
    struct encoding *e = encoder->e;
    const struct operation op = kst_encoding_operation(e);
    kst_decoder decoder;
    struct sink sink;
    double start = kst_seconds();
    kst_sink_init(&sink, &e->memory);
    kst_status status = kst_j2k_run_encode_gpu_arrive(encoder);
    if (!status)
        status = kst_j2k_write(&op, &encoder->coded, &encoder->writing, &sink);
    if (!status) {
        uint64_t used = atomic_load(&e->memory.used), limit = e->memory.limit;
        kst_decoder_start(&decoder, e->context);
        kst_memory_init_beside(&decoder.memory, &e->memory, used < limit ? limit - used : 0);
        status = kst_decoder_open(&decoder, sink.data, sink.length);
        if (status)
            kst_report_error(&e->report, status, KST_NO_OFFSET, "%s", decoder.report.message);
        else
            status = measure(encoder, &decoder, wanted, error);
        kst_decoder_close(&decoder);
    }
    kst_sink_release(&sink);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}
