/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes PNG files: libpng makes the chunks in front of the pixels, png_bands (bands.h) the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/metadata/losses.h"
#include "files/metadata/photoshop.h"
#include "files/png/bands.h"
#include "files/png/file.h"
#include "files/png/text.h"
#include "progress/progress.h"

enum { REPORTED = 64 /* rows between two reports of progress */ };

struct sink {
    struct output *output;
    struct problem problem;
    struct png_bands *bands;
    uint32_t width, height, added; /* size of the picture, and number of rows added so far */
    struct progress_part written;
};

static void PNGCBAPI write_bytes(png_structp png, png_bytep from, size_t length)
{
    struct sink *sink = png_get_io_ptr(png);

    if (!output_write(sink->output, from, length, &sink->problem))
        png_longjmp(png, 1);
}

static void PNGCBAPI flush_bytes(png_structp png)
{
    (void)png;
}

static int color_type(kst_format format)
{
    switch (format) {
    case KST_FORMAT_GREY:
        return PNG_COLOR_TYPE_GRAY;
    case KST_FORMAT_RGBA:
    case KST_FORMAT_BGRA:
        return PNG_COLOR_TYPE_RGB_ALPHA;
    default:
        return PNG_COLOR_TYPE_RGB;
    }
}

/* Write the profile. A CMYK profile does not apply to PNG's colours. libpng checks profiles, and drops invalid ones. */
static void write_profile(png_structp png, png_infop info, const struct picture *picture, const char *path)
{
    bool inks = picture->image.format == KST_FORMAT_CMYK;

    if (picture->icc.data == NULL)
        return;
    if (!inks)
        png_set_iCCP(png, info, "icc", PNG_COMPRESSION_TYPE_BASE, picture->icc.data, (png_uint_32)picture->icc.length);
    if (png_get_valid(png, info, PNG_INFO_iCCP) == 0)
        loss_tell(path, "ICC profile", inks ? "PNG has no inks, which it is of" : "it is not a valid one");
}

static void write_extras(png_structp png, png_infop info, const struct picture *picture, const char *path)
{
    write_profile(png, info, picture, path);
    if (picture->exif.data != NULL)
        png_set_eXIf_1(png, info, (png_uint_32)picture->exif.length, picture->exif.data);
    png_text_set(png, info, picture);
    if (picture->density_unit != KST_DENSITY_RATIO && picture->density_x != 0 && picture->density_y != 0) {
        double metre = picture->density_unit == KST_DENSITY_INCH ? 1.0 / PNG_INCH : 100.0;
        png_set_pHYs(png, info, (png_uint_32)lround(picture->density_x * metre),
            (png_uint_32)lround(picture->density_y * metre), PNG_RESOLUTION_METER);
    }
}

static int bit_depth(const struct picture *picture)
{
    return picture_depth(picture) > 8 ? 16 : 8;
}

/* Write everything in front of IDAT. */
static bool write_chunks(
    png_structp png, png_infop info, const struct picture *picture, const struct blob *blocks, const char *path)
{
    const kst_image *image = &picture->image;

    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_benign_errors(png, 1); /* a profile that libpng rejects is dropped */
    png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_IHDR(png, info, image->width, image->height, bit_depth(picture), color_type(image->format),
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    write_extras(png, info, picture, path);
    if (blocks->data != NULL)
        png_text_set_profile(png, info, "iptc", blocks->data, blocks->length);
    png_write_info(png, info);
    return true;
}

static bool write_header(struct sink *sink, const struct picture *picture)
{
    struct blob blocks = {NULL, 0};

    if (!png_library_load(&sink->problem))
        return false;
    losses_tell(picture, PART_ALL & ~(unsigned)PART_LATER_XMP, "PNG", sink->output->given);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink->problem, png_failed, png_warned);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;

    if (png != NULL)
        png_set_write_fn(png, sink, write_bytes, flush_bytes);
    bool good = info != NULL && photoshop_join(picture, &blocks)
                    ? write_chunks(png, info, picture, &blocks, sink->output->given)
                    : problem_set(&sink->problem, "out of memory");
    png_destroy_write_struct(&png, &info);
    blob_release(&blocks);
    return good;
}

static size_t channels_of(const struct picture *picture)
{
    size_t channels = kst_format_channels(picture->image.format);

    return picture->image.format == KST_FORMAT_CMYK ? 3 : channels;
}

static struct png_bands *make_bands(
    struct output *output, const struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    size_t pixel = channels_of(picture) * (size_t)bit_depth(picture) / 8;
    const struct png_bands_shape shape = {.row_bytes = pixel * picture->image.width,
        .rows = picture->image.height,
        .pixel_bytes = pixel,
        .level = settings->compression,
        .threads = settings->threads > 1 ? settings->threads : 1};

    return png_bands_create(&shape, output, problem);
}

static void sink_free(struct sink *sink)
{
    png_bands_destroy(sink->bands);
    free(sink);
}

static void *begin_rows(
    struct output *output, const struct picture *whole, const struct file_settings *settings, struct problem *problem)
{
    struct sink *sink = calloc(1, sizeof *sink);

    if (sink == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    *sink = (struct sink){.output = output,
        .width = whole->image.width,
        .height = whole->image.height,
        .written = progress_writing(0, 1)};
    if (write_header(sink, whole))
        sink->bands = make_bands(output, whole, settings, &sink->problem);
    if (sink->bands != NULL)
        return sink;
    *problem = sink->problem;
    sink_free(sink);
    return NULL;
}

/* Convert the pixels to what PNG can hold. */
static bool prepare(struct picture *picture, struct problem *problem)
{
    kst_format format = picture->image.format;

    if (format == KST_FORMAT_CMYK || format == KST_FORMAT_BGR)
        format = KST_FORMAT_RGB;
    if (format == KST_FORMAT_BGRA)
        format = KST_FORMAT_RGBA;
    return picture_to_depth(picture, (uint32_t)bit_depth(picture), problem) &&
           picture_to_format(picture, format, problem);
}

/* Copy a row. Samples of 16 bits are big-endian in the file. */
static void copy_row(const struct picture *picture, uint32_t y, size_t samples, uint8_t *to)
{
    const uint8_t *from = picture_row(picture, 0, y);

    if (bit_depth(picture) == 8) {
        memcpy(to, from, samples);
        return;
    }
    for (size_t i = 0; i < samples; i++) {
        uint16_t sample;
        memcpy(&sample, from + 2 * i, sizeof sample);
        to[2 * i] = (uint8_t)(sample >> 8);
        to[2 * i + 1] = (uint8_t)sample;
    }
}

static bool add_rows(void *file, struct picture *rows, struct problem *problem)
{
    struct sink *sink = file;

    if (!prepare(rows, problem))
        return false;
    size_t samples = (size_t)sink->width * kst_format_channels(rows->image.format);
    for (uint32_t y = 0; y < rows->image.height; y++) {
        uint8_t *to = png_bands_next(sink->bands, problem);
        if (to == NULL)
            return false;
        copy_row(rows, y, samples, to);
        if ((sink->added + y) % REPORTED == 0)
            progress_part_done(&sink->written, (double)(sink->added + y) / sink->height);
    }
    sink->added += rows->image.height;
    return true;
}

static bool end_rows(void *file, bool good, struct problem *problem)
{
    const struct png_part none[3] = {{"", 0}, {"", 0}, {"", 0}};
    struct sink *sink = file;

    if (good && sink->added != sink->height)
        good = problem_set(problem, "PNG: %u rows came of %u", (unsigned)sink->added, (unsigned)sink->height);
    good = good && png_bands_finish(sink->bands, problem) && png_write_parts(sink->output, "IEND", none, problem);
    sink_free(sink);
    return good;
}

bool png_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    void *file = begin_rows(output, picture, settings, problem);

    return file != NULL && end_rows(file, add_rows(file, picture, problem), problem);
}

const struct row_format png_rows = {begin_rows, add_rows, end_rows};
