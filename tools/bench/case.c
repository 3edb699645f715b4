/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a picture to measure with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { COPIES = 5 };

/* Return the position of a sample in a picture that is extended by repeated mirroring. */
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
    return !status || jpeg_report_problem(&report, status, problem);
}

static bool read_picture(
    struct bench_picture *one, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    struct file_settings files = settings->files;

    files.context = settings->cpu;
    if (!settings->encoding) { /* the decoding options apply to the pictures that are encoded here */
        kst_decode_options_init(&files.decode);
        files.given = NULL;
    }
    return picture_read(&one->picture, &one->source, &files, NULL, problem) &&
           picture_to_depth(&one->picture, 8, problem) &&
           (size.width == 0 || resize(&one->picture, size, files.max_pixels, problem));
}

bool bench_decode_on_cpu(const struct bench_settings *settings, const uint8_t *stream, size_t length,
    struct picture *picture, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    picture_init(picture);
    picture->context = settings->cpu;
    kst_status status = kst_decode(settings->cpu, stream, length, &settings->files.decode, &picture->image, &report);
    return !status || jpeg_report_problem(&report, status, problem);
}

bool bench_psnr(const struct bench_settings *settings, const struct bench_picture *one, const uint8_t *stream,
    size_t length, double *psnr, struct problem *problem)
{
    kst_comparison comparison = {.size = sizeof comparison};
    struct picture picture;
    bool good = bench_decode_on_cpu(settings, stream, length, &picture, problem);

    if (good) {
        kst_status status = kst_compare(&picture.image, &one->picture.image, &comparison);
        good = !status || problem_set(problem, "%s", kst_status_text(status));
    }
    if (good)
        *psnr = comparison.psnr;
    picture_release(&picture);
    return good;
}

static bool read_info(struct bench_picture *one, const struct bench_settings *settings, struct problem *problem)
{
    kst_decoder *decoder;
    kst_status status = kst_decoder_create(settings->cpu, &decoder);

    if (!status)
        status = kst_decoder_open(decoder, one->stream, one->length);
    if (!status)
        one->info = *kst_decoder_info(decoder);
    bool good = !status || jpeg_report_problem(decoder ? kst_decoder_report(decoder) : NULL, status, problem);
    kst_decoder_destroy(&decoder);
    return good;
}

static bool prepare_decode(
    struct bench_picture *one, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    one->stream = one->source.data;
    one->length = one->source.length;
    const struct file_format *found = file_format_of(&one->source);
    if (!settings->recode && found != NULL && !options_suit(settings->files.given, 0, found, problem))
        return false;
    if (settings->recode) {
        if (!read_picture(one, settings, size, problem) ||
            !encode_on_cpu(settings, &one->picture, &settings->encode.options, &one->coded, problem))
            return false;
        picture_release(&one->picture);
        one->stream = one->coded.data;
        one->length = one->coded.length;
    }
    if (!read_info(one, settings, problem) ||
        !bench_decode_on_cpu(settings, one->stream, one->length, &one->picture, problem))
        return false;
    return !settings->transcoding || bench_transcode_on_cpu(one, settings, problem);
}

/*
 * Find the PSNR to compare with the peers' PSNR. It stays unknown if the decoded pixels cannot be compared with those
 * that were encoded, as with alpha, which JPEG drops.
 */
static void find_psnr(struct bench_picture *one, const struct bench_settings *settings)
{
    struct problem ignored;

    one->psnr = -1;
    if (settings->peers)
        (void)bench_psnr(settings, one, one->wanted.data, one->wanted.length, &one->psnr, &ignored);
}

static bool prepare_encode(
    struct bench_picture *one, const struct bench_settings *settings, struct bench_size size, struct problem *problem)
{
    if (!read_picture(one, settings, size, problem) ||
        !encode_on_cpu(settings, &one->picture, &settings->encode.options, &one->wanted, problem))
        return false;
    find_psnr(one, settings);
    return true;
}

double bench_case_pixels(const struct bench_case *bench, const struct bench_settings *settings)
{
    const kst_decode_options *decode = &settings->files.decode;
    double scale = decode->eighths != 0 ? 8.0 / decode->eighths : 1U << decode->reduce, sum = 0;

    for (uint32_t i = 0; i < bench->count; i++) {
        const kst_image *image = &bench->each[i].picture.image;
        sum += image->width * scale * image->height * scale;
    }
    return sum / bench->count;
}

double bench_case_length(const struct bench_case *bench)
{
    double sum = 0;

    for (uint32_t i = 0; i < bench->count; i++)
        sum += (double)bench->each[i].length;
    return sum / bench->count;
}

bool bench_case_is_even(const struct bench_case *bench)
{
    const kst_image *first = &bench->each[0].picture.image;
    bool even = true;

    for (uint32_t i = 1; i < bench->count; i++)
        even = even && bench->each[i].picture.image.width == first->width &&
               bench->each[i].picture.image.height == first->height;
    return even;
}

static size_t pixel_bytes(const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    return (size_t)image->width * image->height * (channels != 0 ? channels : image->plane_count);
}

/* Measure how long copying the pixels over the bus takes. */
static bool measure_copy(struct bench_case *bench, const struct bench_settings *settings, struct problem *problem)
{
    size_t length = 0;

    bench->copy = (kst_copy_times){.size = sizeof bench->copy};
    if (settings->up_rate == 0)
        return true;
    for (uint32_t i = 0; i < bench->count; i++)
        length += pixel_bytes(&bench->each[i].picture.image);
    length /= bench->count > 0 ? bench->count : 1;
    kst_status status = kst_measure_copies(settings->files.context, (length + 3) / 4 * 4, COPIES, &bench->copy);
    return !status || problem_set(problem, "%s", kst_status_text(status));
}

static bool prepare(struct bench_picture *one, const struct bench_settings *settings, const char *name,
    struct bench_size size, struct problem *problem)
{
    return source_read_picture(&one->source, name, &settings->files, problem) &&
           (settings->encoding ? prepare_encode : prepare_decode)(one, settings, size, problem);
}

bool bench_case_open(struct bench_case *bench, const struct bench_settings *settings, char *const *names,
    uint32_t count, struct bench_size size, struct problem *problem)
{
    bool good = true;

    *bench = (struct bench_case){.name = names[0], .each = calloc(count, sizeof *bench->each)};
    if (bench->each == NULL || count == 0)
        return problem_set(problem, "out of memory");
    for (; bench->count < count && good; bench->count++) {
        bench->name = names[bench->count];
        picture_init(&bench->each[bench->count].picture);
        good = prepare(&bench->each[bench->count], settings, bench->name, size, problem);
    }
    if (good && count > 1) {
        snprintf(bench->label, sizeof bench->label, "%s and %u more", names[0], (unsigned)(count - 1));
        bench->name = bench->label;
    }
    return good && measure_copy(bench, settings, problem);
}

void bench_case_close(struct bench_case *bench, const struct bench_settings *settings)
{
    for (uint32_t i = 0; i < bench->count; i++) {
        struct bench_picture *one = &bench->each[i];
        kst_buffer_release(settings->cpu, &one->coded);
        kst_buffer_release(settings->cpu, &one->wanted);
        picture_release(&one->picture);
        source_release(&one->source);
    }
    free(bench->each);
}
