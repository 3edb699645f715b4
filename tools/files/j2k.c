/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes JPEG 2000 files, which the library decodes through the same calls as JPEG. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "files/capture.h"
#include "files/files.h"
#include "progress/progress.h"

static bool write_part(void *user, uint64_t offset, const void *data, size_t length)
{
    const struct destination *to = user;
    return output_write_at(to->output, offset, data, length, to->problem);
}

/*
 * Record that bytes could not be kept. The problem is set at the end, because other threads may write at the same time.
 */
static bool fail_to_keep(struct destination *to, int reason)
{
    to->reason = reason;
    return false;
}

static bool keep_part(void *user, uint64_t offset, const void *data, size_t length)
{
    struct destination *to = user;
    const uint8_t *next = data;

    if (to->kept < 0)
        to->kept = to->output->captured ? capture_open() : temporary_open_unnamed(to->output->path);
    if (to->kept < 0)
        return fail_to_keep(to, errno);
    while (length > 0) {
        ssize_t put = pwrite(to->kept, next, length, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return fail_to_keep(to, put < 0 ? errno : ENOSPC);
        next += put;
        offset += (uint64_t)put;
        length -= (size_t)put;
    }
    return true;
}

static bool fetch_part(void *user, uint64_t offset, void *data, size_t length)
{
    struct destination *to = user;
    uint8_t *next = data;

    while (length > 0) {
        ssize_t got = pread(to->kept, next, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_to_keep(to, got < 0 ? errno : EIO);
        next += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

void destination_begin(struct destination *to, struct output *output, struct problem *problem)
{
    *to = (struct destination){output, problem, -1, 0};
}

kst_writer destination_writer(struct destination *to)
{
    bool in_order = output_in_order(to->output);
    return (kst_writer){.size = sizeof(kst_writer),
        .write = write_part,
        .user = to,
        .in_order = in_order,
        .keep = in_order ? NULL : keep_part,
        .fetch = in_order ? NULL : fetch_part};
}

void destination_end(struct destination *to)
{
    if (to->kept >= 0)
        close(to->kept);
    to->kept = -1;
    if (to->reason != 0)
        problem_set_kind(to->problem, PROBLEM_WRITE, "cannot use a temporary file beside %s: %s", to->output->path,
            strerror(to->reason));
}

bool coded_report_problem(const kst_report *report, kst_status status, struct problem *problem)
{
    if (status == KST_ERROR_LIMIT_TILES)
        return problem_set(problem, "%s; choose larger ones with --tiles", kst_status_text(status));
    return jpeg_report_problem(report, status, problem);
}

kst_status coded_encode_to(struct output *output, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_report *report, struct problem *problem)
{
    struct destination to;
    struct progress_part writing = progress_writing(0, 1);
    const kst_progress progress = {.size = sizeof progress, .told = progress_part_done, .user = &writing};
    kst_encode_options told = *options;
    uint64_t length = 0;

    destination_begin(&to, output, problem);
    if (told.progress == NULL)
        told.progress = &progress;
    const kst_writer writer = destination_writer(&to);
    kst_status status = kst_encode_to(context, image, rows, &told, &writer, &length, report);
    destination_end(&to);

    return !status && !output_end_at(output, length, problem) ? KST_ERROR_WRITE : status;
}

/* Detect the signature box of a JP2 file, or the SOC and SIZ markers of a codestream. */
static bool j2k_detect(const uint8_t *data, size_t length)
{
    static const uint8_t file[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '}, codestream[] = {0xFF, 0x4F, 0xFF, 0x51};

    return (length >= sizeof file && memcmp(data, file, sizeof file) == 0) ||
           (length >= sizeof codestream && memcmp(data, codestream, sizeof codestream) == 0);
}

static bool j2k_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    return file_jpeg.read(source, settings, picture, problem);
}

void j2k_choose_options(const struct file_settings *settings, const struct file_format *format,
    kst_encode_options *options, kst_j2k_options *j2k)
{
    if (settings->encode != NULL)
        *options = *settings->encode;
    else
        kst_encode_options_init(options);
    if (options->jpeg2000 != NULL)
        *j2k = *options->jpeg2000;
    else
        kst_j2k_options_init(j2k);
    if (settings->by_quality) {
        j2k->target = KST_J2K_QUALITY;
        j2k->value = options->quality;
    }
    j2k->codestream |= (file_kind(format) & KIND_J2C) != 0;
    j2k->style |= format == &file_jph || format == &file_jhc ? KST_J2K_HT : 0;
    options->codec = KST_CODEC_JPEG2000;
    options->jpeg2000 = j2k;
}

/*
 * Write a picture of any depth and with any planes. Inks are encoded as the enumerated colour space CMYK requires
 * (T.801 M.11.7.3.1): 0 stands for no ink, which is the largest sample in a struct picture.
 */
static bool write_as(struct output *output, struct picture *picture, const struct file_settings *settings,
    const struct file_format *format, struct problem *problem)
{
    kst_encode_options options;
    kst_j2k_options j2k;

    j2k_choose_options(settings, format, &options, &j2k);
    if (picture->image.format == KST_FORMAT_CMYK)
        picture_invert(picture);
    return jpeg_encode(output, picture, NULL, &options, settings, problem);
}

static bool j2k_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return write_as(output, picture, settings, &file_j2k, problem);
}

static bool j2c_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return write_as(output, picture, settings, &file_j2c, problem);
}

static bool jph_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return write_as(output, picture, settings, &file_jph, problem);
}

static bool jhc_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    return write_as(output, picture, settings, &file_jhc, problem);
}

const struct file_format file_j2k = {"jpeg2000", {"jp2"}, KST_FORMAT_AUTO, j2k_detect, j2k_read, j2k_write, NULL, NULL};
const struct file_format file_j2c = {"j2k", {"j2k", "j2c", "jpc"}, KST_FORMAT_AUTO, NULL, NULL, j2c_write, NULL, NULL};
const struct file_format file_jph = {"jph", {"jph"}, KST_FORMAT_AUTO, NULL, NULL, jph_write, NULL, NULL};
const struct file_format file_jhc = {"jhc", {"jhc"}, KST_FORMAT_AUTO, NULL, NULL, jhc_write, NULL, NULL};
