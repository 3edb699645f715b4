/* SPDX-License-Identifier: BSD-2-Clause */
/* Preparing a picture to measure with. */
#include <string.h>

#include "bench.h"

enum { COPIES = 5 };

/* Where a sample comes from when a picture is continued by its mirror image, again and again. */
static uint32_t mirror(uint32_t at, uint32_t size)
{
    uint32_t place = at % (2 * size);
    return place < size ? place : 2 * size - 1 - place;
}

static bool resize(struct picture *picture, struct bench_size size, uint64_t limit, struct problem *problem)
{
    uint32_t channels = kst_format_channels(picture->image.format);
    struct picture made;

    picture_init(&made);
    if (channels == 0)
        return problem_set(problem, "--size takes no planes");
    if (!picture_allocate(&made, picture->image.format, size.width, size.height, 8, limit, problem))
        return false;
    for (uint32_t y = 0; y < size.height; y++) {
        const uint8_t *from = picture_row(picture, 0, mirror(y, picture->image.height));
        uint8_t *to = picture_row(&made, 0, y);
        for (uint32_t x = 0; x < size.width; x++)
            memcpy(to + (size_t)x * channels, from + (size_t)mirror(x, picture->image.width) * channels, channels);
    }
    picture_release(picture);
    *picture = made;
    return true;
}

static bool encode_on_cpu(const struct bench_settings *settings, const struct picture *picture,
    const kst_encode_options *options, kst_buffer *coded, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    kst_status status = kst_encode(settings->cpu, &picture->image, options, coded, &report);
    return status == KST_OK || jpeg_report_problem(&report, status, problem);
}

static bool read_picture(
    struct bench_case *bench, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    struct file_settings files = settings->files;

    files.context = settings->cpu;
    return picture_read(&bench->picture, &bench->source, &files, NULL, problem) &&
           picture_to_depth(&bench->picture, 8, problem) &&
           (size.width == 0 || resize(&bench->picture, size, files.max_pixels, problem));
}

bool bench_decode_on_cpu(const struct bench_settings *settings, const uint8_t *stream, size_t length,
    struct picture *picture, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    picture_init(picture);
    picture->context = settings->cpu;
    kst_status status = kst_decode(settings->cpu, stream, length, &settings->files.decode, &picture->image, &report);
    return status == KST_OK || jpeg_report_problem(&report, status, problem);
}

static bool read_info(struct bench_case *bench, const struct bench_settings *settings, struct problem *problem)
{
    kst_decoder *decoder;
    kst_status status = kst_decoder_create(settings->cpu, &decoder);

    if (status == KST_OK)
        status = kst_decoder_open(decoder, bench->stream, bench->length);
    if (status == KST_OK)
        bench->info = *kst_decoder_info(decoder);
    bool good = status == KST_OK || jpeg_report_problem(decoder ? kst_decoder_report(decoder) : NULL, status, problem);
    kst_decoder_destroy(&decoder);
    return good;
}

static bool prepare_decode(
    struct bench_case *bench, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    bench->stream = bench->source.data;
    bench->length = bench->source.length;
    if (settings->recode) {
        if (!read_picture(bench, settings, size, problem) ||
            !encode_on_cpu(settings, &bench->picture, &settings->encode.options, &bench->coded, problem))
            return false;
        picture_release(&bench->picture);
        bench->stream = bench->coded.data;
        bench->length = bench->coded.length;
    }
    return read_info(bench, settings, problem) &&
           bench_decode_on_cpu(settings, bench->stream, bench->length, &bench->picture, problem);
}

static bool prepare_encode(
    struct bench_case *bench, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    return read_picture(bench, settings, size, problem) &&
           encode_on_cpu(settings, &bench->picture, &settings->encode.options, &bench->wanted, problem);
}

/* How long the pixels would take over the bus as they are. */
static bool measure_copy(struct bench_case *bench, const struct bench_settings *settings, struct problem *problem)
{
    const kst_image *image = &bench->picture.image;
    uint32_t channels = kst_format_channels(image->format);
    size_t length = (size_t)image->width * image->height * (channels != 0 ? channels : image->plane_count);

    bench->copy = (kst_copy_times){.size = sizeof bench->copy};
    if (settings->up_rate == 0)
        return true;
    kst_status status = kst_measure_copies(settings->files.context, (length + 3) / 4 * 4, COPIES, &bench->copy);
    return status == KST_OK || problem_set(problem, "%s", kst_status_text(status));
}

bool bench_case_open(struct bench_case *bench, const struct bench_settings *settings, const char *name,
    struct bench_size size, struct problem *problem)
{
    *bench = (struct bench_case){.name = name};
    picture_init(&bench->picture);
    return source_read(&bench->source, name, problem) &&
           (settings->encoding ? prepare_encode : prepare_decode)(bench, settings, size, problem) &&
           measure_copy(bench, settings, problem);
}

void bench_case_close(struct bench_case *bench, const struct bench_settings *settings)
{
    kst_buffer_release(settings->cpu, &bench->coded);
    kst_buffer_release(settings->cpu, &bench->wanted);
    picture_release(&bench->picture);
    source_release(&bench->source);
}
