/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes BMP files: grey of 8 bits with a palette, or RGB of 24 bits, with density and ICC profile. The file begins
 * with the picture's last row, so rows are written from the end of the file backwards. If the output accepts bytes only
 * in sequence, as a pipe does, the file is made in memory.
 */
#include "files/bmp/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/metadata/losses.h"
#include "progress/progress.h"

enum { CHUNK = 1 << 18, GREYS = 256, INTENT_PERCEPTUAL = 4 };

/* Describes a file to which rows are added. */
struct bmp_file {
    struct output *output;
    uint8_t *whole;  /* the file in memory; null: rows go straight to the output */
    uint8_t *buffer; /* room for `most` rows of the file */
    uint32_t width, height, added, most;
    uint32_t first;  /* offset of the pixels in the file */
    uint32_t length; /* bytes of the whole file */
    uint32_t row;    /* bytes of a row, padded to a multiple of 4 */
    bool grey, transparent;
    struct progress_part written;
};

/* Holds the headers and the palette, which precede the pixels, while they are put together. */
struct header {
    uint8_t bytes[BMP_FILE_HEADER + BMP_PROFILE + 4 * GREYS];
    size_t length;
};

static void put(struct header *header, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        header->bytes[header->length++] = (uint8_t)(value >> 8 * i);
}

static void fill(struct header *header, size_t length)
{
    memset(header->bytes + header->length, 0, length - header->length);
    header->length = length;
}

/* Return the density in pixels per metre; 0 if not known. */
static uint32_t density(const struct picture *picture, uint16_t value)
{
    if (picture->density_unit == KST_DENSITY_RATIO)
        return 0;
    return picture->density_unit == KST_DENSITY_INCH ? (uint32_t)lround(value / BMP_INCH) : 100u * value;
}

/* Return the profile to write, or null. A CMYK profile is dropped, because the inks become RGB. */
static const struct blob *profile_of(const struct picture *picture)
{
    return picture->icc.data != NULL && picture->image.format != KST_FORMAT_CMYK ? &picture->icc : NULL;
}

/* Make the headers. The offset of the profile counts from the beginning of the DIB header. */
static void make_header(const struct bmp_file *file, const struct picture *whole, struct header *header)
{
    const struct blob *profile = profile_of(whole);
    const uint32_t pixels = file->row * file->height;

    header->length = 0;
    put(header, 'B' | 'M' << 8, 2);
    put(header, file->length, 4);
    put(header, 0, 4);
    put(header, file->first, 4);
    put(header, profile != NULL ? BMP_PROFILE : BMP_INFO, 4);
    put(header, file->width, 4);
    put(header, file->height, 4);
    put(header, 1, 2); /* planes */
    put(header, file->grey ? 8 : 24, 2);
    put(header, 0, 4); /* no compression */
    put(header, pixels, 4);
    put(header, density(whole, whole->density_x), 4);
    put(header, density(whole, whole->density_y), 4);
    put(header, file->grey ? GREYS : 0, 4);
    put(header, 0, 4); /* all colours are important */
    if (profile != NULL) {
        fill(header, BMP_FILE_HEADER + 56); /* no masks */
        put(header, BMP_EMBEDDED, 4);
        fill(header, BMP_FILE_HEADER + 108); /* no primaries and no gamma: the profile has them */
        put(header, INTENT_PERCEPTUAL, 4);
        put(header, file->first - BMP_FILE_HEADER + pixels, 4);
        put(header, (uint32_t)profile->length, 4);
        put(header, 0, 4);
    }
    for (uint32_t i = 0; i < GREYS && file->grey; i++)
        put(header, i << 16 | i << 8 | i, 4);
}

static bool write_at(
    const struct bmp_file *file, uint64_t offset, const void *data, size_t length, struct problem *problem)
{
    if (file->whole == NULL)
        return output_write_at(file->output, offset, data, length, problem);
    memcpy(file->whole + offset, data, length);
    return true;
}

/* Find the sizes of all parts of the file. Returns false if BMP cannot hold such a picture. */
static bool measure(struct bmp_file *file, const struct picture *whole, struct problem *problem)
{
    const kst_image *image = &whole->image;
    const struct blob *profile = profile_of(whole);
    uint64_t row = ((uint64_t)image->width * (image->format == KST_FORMAT_GREY ? 1 : 3) + 3) / 4 * 4;
    uint64_t extra = profile != NULL ? profile->length : 0;

    if (picture_depth(whole) > 8) {
        problem_set(problem,
            "its samples have %u bits, and those of BMP 8; names ending in .png or .tif make files that hold them",
            (unsigned)picture_depth(whole));
        return false;
    }
    file->width = image->width;
    file->height = image->height;
    file->grey = image->format == KST_FORMAT_GREY;
    file->first =
        BMP_FILE_HEADER + (uint32_t)(profile != NULL ? BMP_PROFILE : BMP_INFO) + (file->grey ? 4 * GREYS : 0u);
    if (row > UINT32_MAX || extra > UINT32_MAX || row * image->height + extra > UINT32_MAX - file->first) {
        problem_set(problem, "BMP holds less than 4 gigabytes; names ending in .png or .tif make files that hold more");
        return false;
    }
    file->row = (uint32_t)row;
    file->length = file->first + file->row * file->height + (uint32_t)extra;
    file->most = CHUNK / file->row + 1;
    return true;
}

static bool allocate(struct bmp_file *file, const struct file_settings *settings, struct problem *problem)
{
    bool in_order = output_in_order(file->output);

    if (in_order && !memory_permitted(settings, file->length, problem))
        return false;
    file->whole = in_order ? malloc(file->length) : NULL;
    file->buffer = calloc(file->most, file->row); /* the padding of rows stays 0 */
    return (file->buffer != NULL && (!in_order || file->whole != NULL)) || problem_set(problem, "out of memory");
}

static bool write_header(const struct bmp_file *file, const struct picture *whole, struct problem *problem)
{
    const struct blob *profile = profile_of(whole);
    struct header header;

    make_header(file, whole, &header);
    return write_at(file, 0, header.bytes, header.length, problem) &&
           (profile == NULL || write_at(file, file->length - profile->length, profile->data, profile->length, problem));
}

static void release(struct bmp_file *file)
{
    free(file->whole);
    free(file->buffer);
    free(file);
}

static void *begin_rows(
    struct output *output, const struct picture *whole, const struct file_settings *settings, struct problem *problem)
{
    struct bmp_file *file = calloc(1, sizeof *file);

    if (file == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    file->output = output;
    file->written = progress_writing(0, 1);
    losses_tell(whole, profile_of(whole) != NULL ? PART_ICC : 0, "BMP", output->given);
    if (measure(file, whole, problem) && allocate(file, settings, problem) && write_header(file, whole, problem))
        return file;
    release(file);
    return NULL;
}

/* Copy a row to the file's order, in which blue comes first. */
static void copy_row(const struct bmp_file *file, const struct picture *rows, uint32_t y, uint8_t *to)
{
    const kst_format format = rows->image.format;
    const size_t channels = kst_format_channels(format),
                 red = format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA ? 2 : 0;
    const uint8_t *from = picture_row(rows, 0, y);

    if (file->grey) {
        memcpy(to, from, file->width);
        return;
    }
    for (size_t x = 0; x < file->width; x++, from += channels, to += 3) {
        to[0] = from[2 - red];
        to[1] = from[1];
        to[2] = from[red];
    }
}

/* Write `count` of these rows, from row `y` on, as one contiguous piece of the file. */
static bool add_piece(
    struct bmp_file *file, const struct picture *rows, uint32_t y, uint32_t count, struct problem *problem)
{
    for (uint32_t i = 0; i < count; i++)
        copy_row(file, rows, y + i, file->buffer + (size_t)(count - 1 - i) * file->row);
    file->added += count;
    progress_part_done(&file->written, (double)file->added / file->height);
    return write_at(file, file->first + (uint64_t)(file->height - file->added) * file->row, file->buffer,
        (size_t)count * file->row, problem);
}

static bool add_rows(void *added, struct picture *rows, struct problem *problem)
{
    struct bmp_file *file = added;
    const uint32_t height = rows->image.height;
    bool good = picture_to_depth(rows, 8, problem);

    file->transparent = file->transparent || !picture_is_opaque(rows);
    for (uint32_t y = 0; y < height && good; y += file->most)
        good = add_piece(file, rows, y, height - y < file->most ? height - y : file->most, problem);
    return good;
}

static bool end_rows(void *ended, bool good, struct problem *problem)
{
    struct bmp_file *file = ended;

    if (good && file->whole != NULL)
        good = output_write(file->output, file->whole, file->length, problem);
    else
        good = good && output_end_at(file->output, file->length, problem);
    if (good && file->transparent)
        complain(file->output->given, "warning: its transparency is dropped, for BMP of 24 bits has none");
    release(file);
    return good;
}

bool bmp_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    void *file = begin_rows(output, picture, settings, problem);
    bool colours = picture->image.format != KST_FORMAT_CMYK || picture_to_format(picture, KST_FORMAT_RGB, problem);

    return file != NULL && end_rows(file, colours && add_rows(file, picture, problem), problem);
}

const struct row_format bmp_rows = {begin_rows, add_rows, end_rows};
