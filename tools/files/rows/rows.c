/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes to JPEG 2000 from rows that are read from a file when the encoder asks for them. */
#include "files/rows/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kostka/kostka_writer.h>

#include "files/pnm/pnm.h"

enum { HEADER = 4096, CHUNK = 1 << 16, MANY = 1 << 26 /* in bytes; from MANY on it is worth looking for a GPU */ };

static bool read_at(struct row_file *file, uint64_t offset, size_t length, uint8_t *to)
{
    while (length > 0) {
        ssize_t got = pread(file->descriptor, to, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            atomic_store(&file->error, got < 0 ? errno : EIO);
            return false;
        }
        to += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

static void swap_samples(uint8_t *samples, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++, samples += bytes)
        for (size_t k = 0; k < bytes / 2; k++) {
            uint8_t byte = samples[k];
            samples[k] = samples[bytes - 1 - k];
            samples[bytes - 1 - k] = byte;
        }
}

/* Read samples of one plane of the file into one channel of interleaved pixels. */
static bool read_channel(struct row_file *file, uint64_t offset, size_t count, uint8_t *to, size_t step)
{
    uint8_t chunk[CHUNK];
    for (size_t part; count > 0; count -= part) {
        part = count < CHUNK / file->bytes ? count : CHUNK / file->bytes;
        if (!read_at(file, offset, part * file->bytes, chunk))
            return false;
        samples_put(chunk, part, file->bytes, file->swap, to, step);
        offset += part * file->bytes;
        to += part * step * file->bytes;
    }
    return true;
}

/* Read samples of one channel of interleaved pixels of the file into a plane. */
static bool read_plane(struct row_file *file, uint64_t offset, size_t count, uint8_t *to)
{
    uint8_t chunk[CHUNK];
    size_t pixel = file->samples * file->bytes;
    for (size_t part; count > 0; count -= part) {
        part = count < CHUNK / pixel ? count : CHUNK / pixel;
        if (!read_at(file, offset, (part - 1) * pixel + file->bytes, chunk))
            return false;
        samples_take(chunk, file->samples, part, file->bytes, file->swap, to);
        offset += part * pixel;
        to += part * file->bytes;
    }
    return true;
}

static bool read_row(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct row_file *file = user;
    uint64_t width = file->image.width, area = width * file->image.height, at = width * y + x;
    uint32_t channels = kst_format_channels(file->image.format);
    for (uint32_t c = 0; c < channels && file->together; c++)
        if (!read_channel(file, file->first + (c * area + at) * file->bytes, count,
                (uint8_t *)samples + c * file->bytes, channels))
            return false;
    if (file->together)
        return true;
    if (file->apart)
        return read_plane(file, file->first + (at * file->samples + plane) * file->bytes, count, samples);
    size_t length = count * file->samples * file->bytes;
    if (!read_at(file, file->first + (plane * area + at) * file->samples * file->bytes, length, samples))
        return false;
    if (file->swap && file->bytes > 1)
        swap_samples(samples, count * file->samples, file->bytes);
    return true;
}

static void describe_plane(kst_image *image, uint32_t index, const struct plane_shape *shape)
{
    image->plane[index] = (kst_plane){
        .width = shape->width, .height = shape->height, .depth = (uint8_t)shape->depth, .is_signed = shape->is_signed};
}

static void describe(struct row_file *file, kst_format format, uint32_t planes, const struct plane_shape *shape)
{
    kst_image_init(&file->image);
    file->image.format = format;
    file->image.width = shape->width;
    file->image.height = shape->height;
    file->image.plane_count = planes;
    for (uint32_t i = 0; i < planes; i++)
        describe_plane(&file->image, i, shape);
}

/* Return whether the maximum is 2^n − 1 with n of at least 8, so that samples in memory equal those in the file. */
static bool is_plain_maximum(uint32_t max)
{
    return max >= 255 && (max & (max + 1)) == 0;
}

static bool take_pnm(struct row_file *file, uint64_t length)
{
    uint8_t head[HEADER];
    struct problem ignored;
    struct pnm_header header;
    size_t known = length < HEADER ? (size_t)length : HEADER;
    const struct source source = {.data = head, .length = known};
    if (!read_at(file, 0, known, head) || (!file_pnm.detect(head, known) && !file_pam.detect(head, known)) ||
        !pnm_header_read(&source, &header, &ignored))
        return false;
    bool raw = header.kind >= '5' && is_plain_maximum(header.max) && header.channels != 2 && header.data < known;
    if (!raw || header.width == 0 || header.height == 0 || header.channels == 0 || header.format == KST_FORMAT_CMYK)
        return false;
    struct plane_shape shape = {
        .width = header.width, .height = header.height, .depth = 32 - (unsigned)__builtin_clz(header.max)};
    describe(file, header.format, 1, &shape);
    file->first = header.data;
    file->samples = header.channels;
    file->bytes = shape.depth > 8 ? 2 : 1;
    file->swap = samples_swap(ORDER_BIG);
    return (length - file->first) / file->bytes / file->samples / shape.width >= shape.height;
}

static bool take_samples(struct row_file *file, uint64_t length, const struct file_settings *settings)
{
    const struct plane_shape *shape = &settings->raw;
    bool plain = !shape->is_signed && shape->depth <= 16, channels = plain && (shape->count == 1 || shape->count == 3);
    file->bytes = shape->depth > 16 ? 4 : shape->depth > 8 ? 2 : 1;
    file->swap = samples_swap(settings->order);
    bool planes = settings->layout == LAYOUT_PLANES;
    file->samples = planes ? 1 : shape->count;
    file->together = channels && shape->count == 3 && planes;
    file->apart = !channels && !planes;
    if (!channels && (shape->count == 0 || shape->count > 4))
        return false;
    if (channels)
        describe(file, shape->count == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB, 1, shape);
    else
        describe(file, KST_FORMAT_RAW, shape->count, shape);
    if (!channels)
        file->image.colour = shape->count == 1   ? KST_COLOUR_GREY
                             : shape->count == 3 ? KST_COLOUR_RGB
                                                 : KST_COLOUR_UNKNOWN;
    uint64_t area = (uint64_t)shape->width * shape->height, pixel = (uint64_t)file->bytes * shape->count;
    return length / pixel == area && length % pixel == 0;
}

bool rows_are_better(const struct file_settings *settings, uint64_t bytes)
{
    if (settings->relay != NULL)
        return bytes > settings->max_memory / 4;
    return settings->on_cpu || bytes > settings->max_memory / 4 || (bytes >= MANY && kst_device_count() == 1);
}

static bool is_wanted(struct row_file *file, const struct file_settings *settings)
{
    struct stat state;
    if (fstat(file->descriptor, &state) != 0 || !S_ISREG(state.st_mode) || state.st_size <= 0)
        return false;
    uint64_t length = (uint64_t)state.st_size;
    if (!rows_are_better(settings, length))
        return false;
    bool taken = settings->raw.width != 0 ? take_samples(file, length, settings) : take_pnm(file, length);
    return taken && (uint64_t)file->image.width * file->image.height <= settings->max_pixels;
}

bool row_file_open(struct row_file *file, const char *name, const struct file_settings *settings)
{
    *file = (struct row_file){.descriptor = -1};
    bool coded = settings->target != NULL && (file_kind(settings->target) & KIND_JPEG2000) != 0;
    if (!coded || strcmp(name, "-") == 0)
        return false;
    file->descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (file->descriptor >= 0 && is_wanted(file, settings))
        return true;
    row_file_close(file);
    return false;
}

void row_file_close(struct row_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

static bool encode(struct row_file *file, struct output *output, const struct file_settings *settings,
    const kst_encode_options *options, struct problem *problem)
{
    const kst_rows rows = {.size = sizeof rows, .read = read_row, .user = file};
    kst_report report;

    kst_report_init(&report);
    kst_status status = coded_encode_to(output, settings->context, &file->image, &rows, options, &report, problem);
    jpeg_report_details("encoding", &report, settings->verbose);
    if (status == KST_ERROR_ROWS)
        return problem_set(problem, "cannot read: %s", strerror(atomic_load(&file->error)));
    return !status || (status != KST_ERROR_WRITE && coded_report_problem(&report, status, problem));
}

bool row_file_encode(
    struct row_file *file, const char *path, const struct file_settings *settings, struct problem *problem)
{
    kst_encode_options options;
    kst_j2k_options j2k;
    struct output output;

    j2k_choose_options(settings, settings->target, &options, &j2k);
    bool good = output_open(&output, path, problem) && encode(file, &output, settings, &options, problem) &&
                output_commit(&output, problem);
    output_discard(&output);
    return good;
}
