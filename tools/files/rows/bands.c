/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes PNM, PAM and PGX files and raw samples to JPEG while bands of rows are read. */
#include "files/rows/bands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files/pnm/pgx.h"
#include "files/pnm/pnm.h"
#include "progress/progress.h"

enum {
    CHUNK = 1 << 14,
    ROWS_AT_ONCE = 32,
    MAPPED_MOST = 1 << 25 /* largest file that is mapped; the pages of a larger one take as long as copying them */
};

static bool failed(struct band_file *file, ssize_t got)
{
    atomic_store(&file->error, got < 0 ? errno : 0);
    atomic_store(&file->failed, true);
    return false;
}

/* Copy bytes of a pipe that were read when its format was detected. Returns how many were copied. */
static size_t take_head(struct band_file *file, uint8_t *to, size_t length)
{
    uint64_t left = file->position < file->source->length ? file->source->length - file->position : 0;
    size_t taken = left < length ? (size_t)left : length;
    memcpy(to, file->source->data + file->position, taken);
    file->position += taken;
    return taken;
}

static bool read_bytes(struct band_file *file, uint64_t offset, size_t length, uint8_t *to)
{
    size_t done = file->in_order ? take_head(file, to, length) : 0;
    while (done < length) {
        ssize_t got = file->in_order
                          ? read(file->source->descriptor, to + done, length - done)
                          : pread(file->source->descriptor, to + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return failed(file, got);
        done += (size_t)got;
    }
    return true;
}

/*
 * Read rows that need no conversion, with as few calls as possible. Rows that these calls do not read are read one by
 * one.
 */
static bool read_rows(struct band_file *file, uint32_t y, uint32_t rows, uint8_t *to, size_t pitch)
{
    uint64_t at = file->first + (uint64_t)y * file->row;
    uint32_t done = 0;
    while (!file->in_order && done < rows) {
        struct iovec part[ROWS_AT_ONCE];
        uint32_t count = rows - done < ROWS_AT_ONCE ? rows - done : ROWS_AT_ONCE;
        for (uint32_t i = 0; i < count; i++)
            part[i] = (struct iovec){to + (done + i) * pitch, file->row};
        ssize_t got = preadv(file->source->descriptor, part, (int)count, (off_t)(at + (uint64_t)done * file->row));
        if (got != (ssize_t)(count * file->row))
            break;
        done += count;
    }
    for (; done < rows; done++) {
        if (!read_bytes(file, at + (uint64_t)done * file->row, file->row, to + done * pitch)) {
            atomic_store(&file->y, y + done);
            return false;
        }
    }
    return true;
}

static uint32_t sample_at(const struct band_file *file, const uint8_t *from, size_t index)
{
    uint16_t value;
    if (file->bytes == 1)
        return from[index];
    memcpy(&value, from + 2 * index, sizeof value);
    return file->swap ? (uint16_t)(value << 8 | value >> 8) : value;
}

static void put_bits(const uint8_t *from, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i / 8] >> (7 - i % 8) & 1 ? 0 : 255;
}

/* Put consecutive samples at every step-th place. */
static void put_samples(const struct band_file *file, const uint8_t *from, size_t count, uint8_t *to, size_t step)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = sample_at(file, from, i);
        to[i * step] = file->to_eight != NULL ? file->to_eight[value] : (uint8_t)value;
    }
}

/* Expand grey and alpha to red, green, blue and alpha. */
static void put_grey_alpha(const struct band_file *file, const uint8_t *from, size_t count, uint8_t *to)
{
    uint8_t pixel[2];
    for (size_t i = 0; i < count; i += 2, to += 4) {
        put_samples(file, from + i * file->bytes, 2, pixel, 1);
        memset(to, pixel[0], 3);
        to[3] = pixel[1];
    }
}

static void look_at_alpha(struct band_file *file, const uint8_t *from, size_t count)
{
    bool opaque = true;
    for (size_t i = file->channels - 1; i < count; i += file->channels)
        opaque &= sample_at(file, from, i) >= file->max;
    if (!opaque)
        atomic_store(&file->transparent, true);
}

/* Read `count` samples of the file, a whole number of pixels, from `offset` on, and convert them. */
static bool read_changed(struct band_file *file, uint64_t offset, size_t count, uint8_t *to, size_t step)
{
    uint8_t chunk[CHUNK];
    size_t bits = file->bytes == 0 ? 1 : 8 * file->bytes, most = CHUNK * 8 / bits / 12 * 12;
    for (size_t part; count > 0; count -= part) {
        part = count < most ? count : most;
        size_t length = (part * bits + 7) / 8;
        if (!read_bytes(file, offset, length, chunk))
            return false;
        if (file->image.format == KST_FORMAT_RGBA)
            look_at_alpha(file, chunk, part);
        if (file->bytes == 0)
            put_bits(chunk, part, to);
        else if (file->channels == 2)
            put_grey_alpha(file, chunk, part, to);
        else
            put_samples(file, chunk, part, to, step);
        offset += length;
        to += part * step * (file->channels == 2 ? 2 : 1);
    }
    return true;
}

static bool read_changed_row(struct band_file *file, uint32_t y, uint8_t *to)
{
    uint32_t width = file->image.width;
    uint64_t area = (uint64_t)width * file->image.height, row = (uint64_t)width * y;
    if (!file->apart)
        return read_changed(file, file->first + (uint64_t)y * file->row, (size_t)width * file->channels, to, 1);
    for (uint32_t c = 0; c < file->channels; c++)
        if (!read_changed(file, file->first + (c * area + row) * file->bytes, width, to + c, file->channels))
            return false;
    return true;
}

static bool is_plain(const struct band_file *file)
{
    return file->bytes == 1 && file->to_eight == NULL && !file->apart && file->channels != 2;
}

static bool read_band(void *user, uint32_t plane, uint32_t y, uint32_t rows, void *samples, size_t pitch)
{
    struct band_file *file = user;
    uint8_t *to = samples;
    (void)plane;
    if (is_plain(file)) {
        if (!read_rows(file, y, rows, to, pitch))
            return false;
        for (uint32_t i = 0; i < rows && file->image.format == KST_FORMAT_RGBA; i++)
            look_at_alpha(file, to + i * pitch, file->row);
        return true;
    }
    for (uint32_t i = 0; i < rows; i++) {
        if (!read_changed_row(file, y + i, to + i * pitch)) {
            atomic_store(&file->y, y + i);
            return false;
        }
    }
    return true;
}

static bool read_row(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    (void)x;
    (void)count; /* JPEG asks for whole rows */
    return read_band(user, plane, y, 1, samples, 0);
}

/* Return v × to ÷ from, rounded, for values up to `from`. */
static uint32_t scale(uint32_t value, uint32_t from, uint32_t to)
{
    value = value < from ? value : from;
    return from > 0 ? (uint32_t)(((uint64_t)value * to + from / 2) / from) : 0;
}

/*
 * Make the table that converts samples up to `max` to 8 bits. Samples of a PNM with an unusual maximum are first scaled
 * to the depth that reading it would give them. Inks are inverted. Returns false if out of memory.
 */
static bool make_table(struct band_file *file, uint32_t max, uint32_t depth_max, bool ink)
{
    file->max = max;
    if (max == 255 && !ink)
        return true;
    file->to_eight = malloc(1 << 16);
    for (uint32_t i = 0; file->to_eight != NULL && i < 1 << 16; i++) {
        uint32_t value = scale(i, max, depth_max);
        file->to_eight[i] = (uint8_t)scale(ink ? depth_max - value : value, depth_max, 255);
    }
    return file->to_eight != NULL;
}

static bool describe(struct band_file *file, kst_format format, uint32_t width, uint32_t height)
{
    kst_image_init(&file->image);
    file->image.format = format;
    file->image.width = width;
    file->image.height = height;
    file->image.plane_count = 1;
    file->image.plane[0] = (kst_plane){.width = width, .height = height};
    size_t samples = (size_t)width * (file->apart ? 1 : file->channels);
    file->row = file->bytes == 0 ? (samples + 7) / 8 : samples * file->bytes;
    return width > 0 && height > 0 && width <= UINT32_MAX / 16 && height <= UINT32_MAX / 16;
}

/*
 * Return the maximum of the depth at which samples are read: 8 bits, or the depth whose maximum this is, or else 16
 * bits.
 */
static uint32_t depth_maximum(uint32_t max)
{
    return max <= 255 ? 255 : (max & (max + 1)) == 0 ? max : 65535;
}

static bool take_pnm(struct band_file *file)
{
    struct pnm_header header;
    struct problem ignored;
    if (!pnm_header_read(file->source, &header, &ignored) || header.kind < '4' || header.data >= file->source->length)
        return false;
    bool bits = header.kind == '4';
    file->channels = header.channels;
    file->bytes = bits ? 0 : header.max > 255 ? 2 : 1;
    file->swap = samples_swap(ORDER_BIG);
    file->first = header.data;
    return describe(file, header.format, header.width, header.height) &&
           (bits || make_table(file, header.max, depth_maximum(header.max), header.format == KST_FORMAT_CMYK));
}

static bool take_pgx(struct band_file *file)
{
    struct pgx_header header;
    if (!pgx_header_read(file->source, &header) || header.depth < 1 || header.depth > 16 || header.is_signed)
        return false;
    uint32_t max = (1u << header.depth) - 1;
    file->channels = 1;
    file->bytes = header.depth > 8 ? 2 : 1;
    file->swap = samples_swap(header.little ? ORDER_LITTLE : ORDER_BIG);
    file->first = header.data;
    return describe(file, KST_FORMAT_GREY, header.width, header.height) && make_table(file, max, max, false);
}

static bool take_raw(struct band_file *file, const struct file_settings *settings)
{
    const struct plane_shape *shape = &settings->raw;
    if (shape->is_signed || shape->depth > 16 || (shape->count != 1 && shape->count != 3))
        return false;
    uint32_t max = (1u << shape->depth) - 1;
    file->channels = shape->count;
    file->apart = shape->count == 3 && settings->layout == LAYOUT_PLANES;
    file->bytes = shape->depth > 8 ? 2 : 1;
    file->swap = samples_swap(settings->order);
    return describe(file, shape->count == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB, shape->width, shape->height) &&
           make_table(file, max, max, false);
}

/* Return the number of bytes of all samples. */
static uint64_t sample_bytes(const struct band_file *file)
{
    return (uint64_t)file->row * file->image.height * (file->apart ? file->channels : 1);
}

/*
 * Return whether a regular file is long enough. A file of raw samples must have exactly their length. The length of a
 * pipe is not known.
 */
static bool has_all(const struct band_file *file, bool raw)
{
    uint64_t wanted = file->first + sample_bytes(file);
    return file->in_order || (raw ? file->source->size == wanted : file->source->size >= wanted);
}

bool band_file_open(struct band_file *file, struct source *source, const struct file_settings *settings)
{
    *file = (struct band_file){.source = source, .in_order = !source->regular};
    if (settings->target != &file_jpeg || settings->deep)
        return false;
    const struct file_format *found = settings->raw.width > 0 ? &file_raw : file_format_of(source);
    bool raw = found == &file_raw;
    bool taken = (raw && take_raw(file, settings)) || ((found == &file_pnm || found == &file_pam) && take_pnm(file)) ||
                 (found == &file_pgx && take_pgx(file));
    if (taken && has_all(file, raw) && !(file->apart && file->in_order) &&
        (uint64_t)file->image.width * file->image.height <= settings->max_pixels) {
        file->position = file->first;
        return true;
    }
    band_file_close(file);
    return false;
}

void band_file_close(struct band_file *file)
{
    free(file->to_eight);
    file->to_eight = NULL;
}

/* Check that a pipe of raw samples ends with the picture. */
static bool ends_here(struct band_file *file, const struct file_settings *settings, struct problem *problem)
{
    uint8_t byte;
    if (!file->in_order || settings->raw.width == 0 || !read_bytes(file, 0, 1, &byte))
        return true;
    return problem_set(problem, "there are more bytes than %u samples for each of %llu pixels",
        (unsigned)settings->raw.count, (unsigned long long)file->image.width * file->image.height);
}

static bool explain(struct band_file *file, struct problem *problem)
{
    int error = atomic_load(&file->error);
    if (error != 0)
        return problem_set(problem, "cannot read: %s", strerror(error));
    return problem_set(problem, "the file ends, or is damaged, in row %u of %u", (unsigned)atomic_load(&file->y) + 1,
        (unsigned)file->image.height);
}

/*
 * Map the file, which saves copying the pixels, if the encoder can use them as they are and reads each of them once: if
 * another program changes the file meanwhile, only pixels change. If it becomes shorter, the missing pages are zeros
 * and the output fails (system/mapping.h).
 */
static bool map_pixels(struct band_file *file, const kst_encode_options *options)
{
    bool once = options->coding == KST_CODING_BASELINE && options->script == NULL;
    bool plain = is_plain(file) && file->image.format != KST_FORMAT_RGBA;
    if (!once || !plain || file->source->size > MAPPED_MOST || !source_map(file->source))
        return false;
    file->image.plane[0].data = file->source->data + file->first;
    file->image.plane[0].pitch = (ptrdiff_t)file->row;
    return true;
}

/* Follows the encoder's progress through a mapped file, to release pages. */
struct walk {
    const struct source *source;
    struct progress_part part;
    double rested; /* bytes of the file that had been encoded when its pages were last released */
};

static bool walk_on(void *user, double done)
{
    struct walk *walk = user;
    double bytes = done * (double)walk->source->length;
    if (bytes - walk->rested >= SOURCE_REST) {
        walk->rested = bytes;
        source_rest(walk->source);
    }
    return progress_part_done(&walk->part, done);
}

static bool encode(
    struct band_file *file, struct output *output, const struct file_settings *settings, struct problem *problem)
{
    const kst_rows rows = {
        .size = sizeof rows, .read = read_row, .user = file, .in_order = file->in_order, .read_band = read_band};
    kst_encode_options options = *settings->encode;
    struct walk walk = {.source = file->source, .part = progress_writing(0, 1)};
    const kst_progress progress = {.size = sizeof progress, .told = walk_on, .user = &walk};
    kst_report report;

    jpeg_choose_inks(&file->image, settings, &options);
    kst_report_init(&report);
    bool mapped = map_pixels(file, &options);
    if (mapped)
        options.progress = &progress;
    kst_status status =
        coded_encode_to(output, settings->context, &file->image, mapped ? NULL : &rows, &options, &report, problem);
    jpeg_report_details("encoding", &report, settings->verbose);
    if (status == KST_ERROR_ROWS && atomic_load(&file->failed))
        return explain(file, problem);
    return status ? status != KST_ERROR_WRITE && jpeg_report_problem(&report, status, problem)
                  : ends_here(file, settings, problem);
}

bool band_file_encode(
    struct band_file *file, const char *path, const struct file_settings *settings, struct problem *problem)
{
    struct output output;
    const struct file_format *found = settings->raw.width > 0 ? &file_raw : file_format_of(file->source);

    if (!options_suit(settings->given, KIND_JPEG, found, problem) || !output_open(&output, path, problem))
        return false;
    bool good = encode(file, &output, settings, problem) && output_commit(&output, problem);
    if (!good)
        output_discard(&output);
    else if (atomic_load(&file->transparent))
        complain(file->source->name, "warning: its transparency is dropped, for JPEG has none");
    return good;
}
