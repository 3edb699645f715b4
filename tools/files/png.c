/* SPDX-License-Identifier: BSD-2-Clause */
/* PNG files, through libpng: 8 and 16 bits, with ICC profile, Exif and density. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "files/files.h"

enum { DEFAULT_LEVEL = 4, CHUNK_LIMIT = 64 << 20 };

static const double INCH = 0.0254; /* metres */

struct input {
    const struct source *source;
    size_t at;
};

/* A file that is written. */
struct sink {
    struct output *output;
    struct problem problem;
    png_structp png;
    png_infop info;
};

/* libpng's way out: the text is kept, and control goes back to where setjmp was called. */
static PNG_CALLBACK(_Noreturn void, failed, (png_structp png, png_const_charp text))
{
    struct problem *problem = png_get_error_ptr(png);
    problem_set(problem, "PNG: %s", text);
    png_longjmp(png, 1);
}

static void PNGCBAPI warned(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void PNGCBAPI read_bytes(png_structp png, png_bytep to, size_t length)
{
    struct input *input = png_get_io_ptr(png);

    if (length > input->source->length - input->at)
        png_error(png, "the file ends too early");
    memcpy(to, input->source->data + input->at, length);
    input->at += length;
}

static bool machine_is_little_endian(void)
{
    const uint16_t probe = 1;
    uint8_t first;

    memcpy(&first, &probe, 1);
    return first == 1;
}

/* Asks libpng for 8 or 16-bit grey, RGB or RGBA, whatever the file holds. */
static kst_format set_transforms(png_structp png, png_infop info)
{
    int type = png_get_color_type(png, info);
    bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;

    png_set_expand(png);
    if (alpha)
        png_set_gray_to_rgb(png);
    if (png_get_bit_depth(png, info) == 16 && machine_is_little_endian())
        png_set_swap(png);
    png_set_interlace_handling(png);
    if (alpha)
        return KST_FORMAT_RGBA;
    return (type & PNG_COLOR_MASK_COLOR) != 0 ? KST_FORMAT_RGB : KST_FORMAT_GREY;
}

static bool keep_extras(png_structp png, png_infop info, struct picture *picture)
{
    png_charp name;
    png_bytep profile, exif;
    png_uint_32 length, x, y;
    int method, unit;
    bool good = true;

    if (png_get_iCCP(png, info, &name, &method, &profile, &length) != 0)
        good = blob_set(&picture->icc, profile, length);
    if (good && png_get_eXIf_1(png, info, &length, &exif) != 0)
        good = blob_set(&picture->exif, exif, length);
    if (png_get_pHYs(png, info, &x, &y, &unit) != 0 && unit == PNG_RESOLUTION_METER && x * INCH < UINT16_MAX &&
        y * INCH < UINT16_MAX) {
        picture->density_unit = KST_DENSITY_INCH;
        picture->density_x = (uint16_t)lround(x * INCH);
        picture->density_y = (uint16_t)lround(y * INCH);
    }
    return good;
}

/* `rows` is the caller's to free, also when libpng jumps out of here. */
static bool read_picture(png_structp png, png_infop info, const struct file_settings *settings, struct picture *picture,
    png_bytepp *rows, struct problem *problem)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_read_info(png, info);
    uint32_t height = png_get_image_height(png, info);
    kst_format format = set_transforms(png, info);
    if (!picture_allocate(picture, format, png_get_image_width(png, info), height,
            png_get_bit_depth(png, info) == 16 ? 16 : 8, settings->max_pixels, problem))
        return false;
    *rows = malloc(height * sizeof **rows);
    if (*rows == NULL)
        return problem_set(problem, "out of memory");
    for (uint32_t y = 0; y < height; y++)
        (*rows)[y] = picture_row(picture, 0, y);
    png_read_update_info(png, info);
    png_read_image(png, *rows);
    png_read_end(png, info);
    return keep_extras(png, info, picture) || problem_set(problem, "out of memory");
}

static bool png_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct input input = {source, 0};
    png_bytepp rows = NULL;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, problem, failed, warned);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool good = info != NULL || problem_set(problem, "out of memory");

    if (good) {
        png_set_read_fn(png, &input, read_bytes);
        png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF); /* picture_allocate() has the limit */
        png_set_chunk_malloc_max(png, CHUNK_LIMIT);
        good = read_picture(png, info, settings, picture, &rows, problem);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    return good;
}

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
        return PNG_COLOR_TYPE_RGB_ALPHA;
    default:
        return PNG_COLOR_TYPE_RGB;
    }
}

static void write_extras(png_structp png, png_infop info, const struct picture *picture)
{
    if (picture->icc.data != NULL)
        png_set_iCCP(png, info, "icc", PNG_COMPRESSION_TYPE_BASE, picture->icc.data, (png_uint_32)picture->icc.length);
    if (picture->exif.data != NULL)
        png_set_eXIf_1(png, info, (png_uint_32)picture->exif.length, picture->exif.data);
    if (picture->density_unit != KST_DENSITY_RATIO && picture->density_x != 0 && picture->density_y != 0) {
        double metre = picture->density_unit == KST_DENSITY_INCH ? 1.0 / INCH : 100.0;
        png_set_pHYs(png, info, (png_uint_32)lround(picture->density_x * metre),
            (png_uint_32)lround(picture->density_y * metre), PNG_RESOLUTION_METER);
    }
}

static bool write_header(struct sink *sink, const struct picture *picture, int level)
{
    const kst_image *image = &picture->image;
    png_structp png = sink->png;
    int depth = picture_depth(picture) > 8 ? 16 : 8;

    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_write_fn(png, sink, write_bytes, flush_bytes);
    png_set_benign_errors(png, 1); /* a profile that libpng does not like is left out */
    png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_IHDR(png, sink->info, image->width, image->height, depth, color_type(image->format), PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_set_compression_level(png, level < 0 ? DEFAULT_LEVEL : level);
    write_extras(png, sink->info, picture);
    png_write_info(png, sink->info);
    if (depth == 16 && machine_is_little_endian())
        png_set_swap(png);
    return true;
}

static bool write_rows(struct sink *sink, const struct picture *picture)
{
    if (setjmp(png_jmpbuf(sink->png)) != 0)
        return false;
    for (uint32_t y = 0; y < picture->image.height; y++)
        png_write_row(sink->png, picture_row(picture, 0, y));
    return true;
}

static bool write_end(struct sink *sink)
{
    if (setjmp(png_jmpbuf(sink->png)) != 0)
        return false;
    png_write_end(sink->png, sink->info);
    return true;
}

/* What was good, and the problem where something was not. */
static bool tell(const struct sink *sink, bool good, struct problem *problem)
{
    if (!good)
        *problem = sink->problem;
    return good;
}

static bool end_rows(void *file, bool good, struct problem *problem)
{
    struct sink *sink = file;

    good = good && tell(sink, write_end(sink), problem);
    png_destroy_write_struct(&sink->png, &sink->info);
    free(sink);
    return good;
}

static void *begin_rows(
    struct output *output, const struct picture *whole, const struct file_settings *settings, struct problem *problem)
{
    struct sink *sink = calloc(1, sizeof *sink);

    if (sink != NULL) {
        sink->output = output;
        sink->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink->problem, failed, warned);
        sink->info = sink->png != NULL ? png_create_info_struct(sink->png) : NULL;
    }
    if (sink != NULL && sink->info != NULL && tell(sink, write_header(sink, whole, settings->compression), problem))
        return sink;
    if (sink == NULL || sink->info == NULL)
        problem_set(problem, "out of memory");
    if (sink != NULL)
        end_rows(sink, false, problem);
    return NULL;
}

/* Brings the pixels to what PNG holds. */
static bool prepare(struct picture *picture, struct problem *problem)
{
    kst_format format = picture->image.format;

    if (format == KST_FORMAT_CMYK) {
        blob_release(&picture->icc); /* it describes inks */
        format = KST_FORMAT_RGB;
    }
    if (format == KST_FORMAT_BGR)
        format = KST_FORMAT_RGB;
    if (format == KST_FORMAT_BGRA)
        format = KST_FORMAT_RGBA;
    return picture_to_depth(picture, picture_depth(picture) > 8 ? 16 : 8, problem) &&
           picture_to_format(picture, format, problem);
}

static bool add_rows(void *file, struct picture *rows, struct problem *problem)
{
    struct sink *sink = file;

    return prepare(rows, problem) && tell(sink, write_rows(sink, rows), problem);
}

static bool png_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    struct sink *sink = prepare(picture, problem) ? begin_rows(output, picture, settings, problem) : NULL;

    return sink != NULL && end_rows(sink, add_rows(sink, picture, problem), problem);
}

const struct row_format png_rows = {begin_rows, add_rows, end_rows};

static bool png_detect(const uint8_t *data, size_t length)
{
    return length >= 8 && memcmp(data, "\x89PNG\r\n\x1A\n", 8) == 0;
}

const struct file_format file_png = {"png", {"png"}, KST_FORMAT_AUTO, png_detect, png_read, png_write};
