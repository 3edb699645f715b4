/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads PNG files through libpng: 8 and 16 bits, with ICC profile, Exif, XMP, IPTC, comments and density. Other chunks
 * are skipped unread, because they could expand to many times the size of the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/png/chunks.h"
#include "files/png/file.h"
#include "files/png/text.h"

enum { CHUNK_LIMIT = 64 << 20 };

struct png_reader {
    struct png_chunks chunks;
    png_structp png;
    png_infop info;
    struct picture *picture; /* the picture with which texts are kept; null: none are kept */
    uint32_t rows;           /* rows read so far, in all passes */
    struct problem problem;
};

PNG_NORETURN void PNGCBAPI png_failed(png_structp png, png_const_charp text)
{
    struct problem *problem = png_get_error_ptr(png);
    problem_set(problem, "PNG: %s", text);
    png_longjmp(png, 1);
}

void PNGCBAPI png_warned(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void PNGCBAPI read_bytes(png_structp png, png_bytep to, size_t length)
{
    struct png_reader *reader = png_get_io_ptr(png);
    struct problem problem;

    if (!png_chunks_read(&reader->chunks, length, to, &problem))
        png_error(png, problem.text);
}

static bool machine_is_little_endian(void)
{
    const uint16_t probe = 1;
    uint8_t first;

    memcpy(&first, &probe, 1);
    return first == 1;
}

/* Return the format that the file's pixels become: grey, RGB or RGBA. */
static kst_format format_of(png_structp png, png_infop info)
{
    int type = png_get_color_type(png, info);

    if ((type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0)
        return KST_FORMAT_RGBA;
    return (type & PNG_COLOR_MASK_COLOR) != 0 ? KST_FORMAT_RGB : KST_FORMAT_GREY;
}

static uint32_t depth_of(png_structp png, png_infop info)
{
    return png_get_bit_depth(png, info) == 16 ? 16 : 8;
}

/* Set libpng's transformations to these formats, whatever the file holds. */
static void set_transforms(png_structp png, png_infop info)
{
    png_set_expand(png);
    if (format_of(png, info) == KST_FORMAT_RGBA)
        png_set_gray_to_rgb(png);
    if (depth_of(png, info) == 16 && machine_is_little_endian())
        png_set_swap(png);
}

/* Take a chunk from libpng. Texts are unpacked here, within bounds. */
static int PNGCBAPI take_chunk(png_structp png, png_unknown_chunkp chunk)
{
    struct png_reader *reader = png_get_user_chunk_ptr(png);

    if (!png_text_keep(reader->picture, chunk->name, chunk->data, chunk->size))
        png_error(png, "out of memory");
    return 1;
}

/* Choose the chunks that are read in addition to those that the pixels need. */
static void choose_chunks(struct png_reader *reader, uint64_t memory)
{
    static const png_byte kept[] = "iCCP\0eXIf\0pHYs", texts[] = "tEXt\0zTXt\0iTXt";
    uint64_t limit = memory != 0 && memory < CHUNK_LIMIT ? memory : CHUNK_LIMIT;

    png_set_user_limits(reader->png, 0x7FFFFFFF, 0x7FFFFFFF); /* picture_permitted() applies the limit */
    png_set_chunk_malloc_max(reader->png, (png_alloc_size_t)limit);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    if (reader->picture == NULL)
        return;
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_AS_DEFAULT, kept, 3);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_ALWAYS, texts, 3);
    png_set_read_user_chunk_fn(reader->png, reader, take_chunk);
}

/* Read everything in front of the pixels. */
static bool read_header(struct png_reader *reader)
{
    if (setjmp(png_jmpbuf(reader->png)) != 0)
        return false;
    png_read_info(reader->png, reader->info);
    return true;
}

static void reader_close(struct png_reader *reader)
{
    if (reader != NULL && reader->png != NULL)
        png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

static bool reader_start(
    struct png_reader *reader, const struct source *source, bool texts_first, const struct file_settings *settings)
{
    if (!png_library_load(&reader->problem))
        return false;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->problem, png_failed, png_warned);
    reader->info = reader->png != NULL ? png_create_info_struct(reader->png) : NULL;
    if (reader->info == NULL)
        return problem_set(&reader->problem, "out of memory");
    png_set_read_fn(reader->png, reader, read_bytes);
    choose_chunks(reader, settings->max_memory);
    return png_chunks_begin(&reader->chunks, source, texts_first)
               ? read_header(reader)
               : problem_set(&reader->problem, "PNG: its pixels are in parts");
}

/* Open a reader, and read the headers. Returns null, with the problem, on failure. */
static struct png_reader *reader_open(const struct source *source, bool texts_first, struct picture *picture,
    const struct file_settings *settings, struct problem *problem)
{
    struct png_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    reader->picture = picture;
    if (reader_start(reader, source, texts_first, settings))
        return reader;
    *problem = reader->problem;
    reader_close(reader);
    return NULL;
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
    if (png_get_pHYs(png, info, &x, &y, &unit) != 0 && unit == PNG_RESOLUTION_METER && x * PNG_INCH < UINT16_MAX &&
        y * PNG_INCH < UINT16_MAX) {
        picture->density_unit = KST_DENSITY_INCH;
        picture->density_x = (uint16_t)lround(x * PNG_INCH);
        picture->density_y = (uint16_t)lround(y * PNG_INCH);
    }
    return good;
}

static void describe(const struct png_reader *reader, kst_image *image)
{
    image->format = format_of(reader->png, reader->info);
    image->width = png_get_image_width(reader->png, reader->info);
    image->height = png_get_image_height(reader->png, reader->info);
    image->plane[0].depth = (uint8_t)depth_of(reader->png, reader->info);
}

/* Begin to read rows. Returns the number of passes over all rows, several for an interlaced picture; 0 on failure. */
static int begin_rows(struct png_reader *reader)
{
    if (setjmp(png_jmpbuf(reader->png)) != 0)
        return 0;
    set_transforms(reader->png, reader->info);
    int passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    return passes;
}

static bool tell_row(struct png_reader *reader)
{
    const struct problem problem = reader->problem;
    uint32_t height = png_get_image_height(reader->png, reader->info);

    return problem_set(
        &reader->problem, "%s, in row %u of %u", problem.text, (unsigned)(reader->rows % height + 1), (unsigned)height);
}

static bool next_row(struct png_reader *reader, uint8_t *row)
{
    if (setjmp(png_jmpbuf(reader->png)) != 0)
        return tell_row(reader);
    png_read_row(reader->png, row, NULL);
    reader->rows++;
    return true;
}

/* Read the chunks behind the rows. */
static bool end_rows(struct png_reader *reader)
{
    if (setjmp(png_jmpbuf(reader->png)) != 0)
        return false;
    png_read_end(reader->png, reader->info);
    return true;
}

static bool read_rows(struct png_reader *reader, const struct picture *picture)
{
    int passes = begin_rows(reader);
    bool good = passes > 0;

    for (int pass = 0; pass < passes && good; pass++)
        for (uint32_t y = 0; y < picture->image.height && good; y++)
            good = next_row(reader, picture_row(picture, 0, y));
    return good && end_rows(reader);
}

static bool read_picture(
    struct png_reader *reader, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    kst_image image;

    kst_image_init(&image);
    describe(reader, &image);
    uint32_t depth = image.plane[0].depth;
    if (!picture_permitted(
            settings, image.width, image.height, kst_format_channels(image.format) * depth / 8, problem) ||
        !picture_allocate(picture, image.format, image.width, image.height, depth, settings->max_pixels, problem))
        return false;
    if (!read_rows(reader, picture)) {
        *problem = reader->problem;
        return false;
    }
    return keep_extras(reader->png, reader->info, picture) || problem_set(problem, "out of memory");
}

static bool png_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct png_reader *reader = reader_open(source, false, picture, settings, problem);
    bool good = reader != NULL && read_picture(reader, settings, picture, problem);

    reader_close(reader);
    return good;
}

static bool png_describe(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct png_reader *reader = reader_open(source, false, NULL, settings, problem);

    if (reader != NULL)
        describe(reader, &picture->image);
    reader_close(reader);
    return reader != NULL;
}

/* Return whether rows come once, from top to bottom. Those of interlaced pictures do not. */
static bool has_rows(struct png_reader *reader)
{
    return png_get_interlace_type(reader->png, reader->info) == PNG_INTERLACE_NONE && begin_rows(reader) == 1;
}

static void *begin_reading(const struct source *source, const struct file_settings *settings, struct picture *whole)
{
    struct problem told_later;
    struct png_reader *reader = reader_open(source, true, whole, settings, &told_later);

    if (reader == NULL)
        return NULL;
    describe(reader, &whole->image);
    if (has_rows(reader) && keep_extras(reader->png, reader->info, whole))
        return reader;
    reader_close(reader);
    return NULL;
}

static bool read_next(void *file, uint8_t *row, struct problem *problem)
{
    struct png_reader *reader = file;
    bool good = next_row(reader, row);

    if (!good)
        *problem = reader->problem;
    return good;
}

static bool end_reading(void *file, bool good, struct problem *problem)
{
    struct png_reader *reader = file;

    if (good && !end_rows(reader)) {
        *problem = reader->problem;
        good = false;
    }
    reader_close(reader);
    return good;
}

static const struct row_reader png_reading = {begin_reading, read_next, end_reading, false};

static bool png_detect(const uint8_t *data, size_t length)
{
    return length >= 8 && memcmp(data, "\x89PNG\r\n\x1A\n", 8) == 0;
}

const struct file_format file_png = {
    "png", {"png"}, KST_FORMAT_AUTO, png_detect, png_read, png_write, png_describe, &png_reading};
