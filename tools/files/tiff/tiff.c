/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads TIFF files, as a whole or row by row: the first page and its metadata. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/metadata/photoshop.h"
#include "files/tiff/exif.h"
#include "files/tiff/file.h"
#include "files/tiff/pixels.h"

enum { MARKER_APP1 = 0xE1 };

/*
 * Return the orientation that must still be applied to the pixels after reading: libtiff's conversion mirrors rows and
 * columns, but does not exchange them.
 */
static unsigned orientation_left(const struct tiff_layout *layout)
{
    static const uint8_t converted[] = {1, 1, 1, 1, 1, 5, 7, 5, 7};
    unsigned orientation = layout->orientation >= 1 && layout->orientation <= 8 ? layout->orientation : 1;

    return layout->format == KST_FORMAT_AUTO ? converted[orientation] : orientation;
}

static bool keep_extras(
    TIFF *tiff, const struct tiff_layout *layout, const struct source *source, struct picture *picture)
{
    uint16_t unit = RESUNIT_INCH;
    uint32_t length;
    float x = 0, y = 0;
    void *profile;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit != RESUNIT_NONE && TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) &&
        TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) && x >= 1 && y >= 1 && x < UINT16_MAX && y < UINT16_MAX) {
        picture->density_unit = unit == RESUNIT_CENTIMETER ? KST_DENSITY_CM : KST_DENSITY_INCH;
        picture->density_x = (uint16_t)lroundf(x);
        picture->density_y = (uint16_t)lroundf(y);
    }
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &length, &profile) && !blob_set(&picture->icc, profile, length))
        return false;
    if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &length, &profile) &&
        !picture_keep(picture, KST_METADATA_XMP, MARKER_APP1, profile, length))
        return false;
    if (TIFFGetField(tiff, TIFFTAG_PHOTOSHOP, &length, &profile) && !photoshop_keep(picture, profile, length))
        return false;
    return tiff_exif_keep(source, orientation_left(layout), picture);
}

/* Warn of the orientation of a picture that was read, unless its Exif carries the orientation on. */
static void tell_orientation(
    const struct tiff_layout *layout, const struct file_settings *settings, const struct source *source)
{
    const unsigned with_exif = KIND_JPEG | KIND_JP2 | KIND_PNG | KIND_TIFF, left = orientation_left(layout);

    if (left != ORIENTATION_TOPLEFT && (settings->target == NULL || (file_kind(settings->target) & with_exif) == 0))
        complain(source->name, "warning: its orientation (%u) is not applied", left);
}

static bool read_page(struct tiff_reader *reader, const struct source *source)
{
    struct problem *problem = reader->problem;

    if (!tiff_layout_get(reader->tiff, &reader->layout, problem))
        return false;
    if (!tiff_read_pixels(reader))
        return problem->text[0] == '\0' ? problem_set(problem, "TIFF: cannot be read") : false;
    tell_orientation(&reader->layout, reader->settings, source);
    return keep_extras(reader->tiff, &reader->layout, source, reader->picture) || problem_set(problem, "out of memory");
}

static bool tiff_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct tiff_bytes file = {.data = source->data, .length = source->length, .limit = settings->max_memory};
    struct tiff_reader reader = {
        .tiff = tiff_open(&file, "r", problem), .settings = settings, .picture = picture, .problem = problem};

    if (reader.tiff == NULL)
        return false;
    bool good = read_page(&reader, source);
    TIFFClose(reader.tiff);
    return good;
}

static void describe(const struct tiff_layout *layout, kst_image *image)
{
    image->format = layout->format != KST_FORMAT_AUTO ? layout->format : tiff_converted_format(layout);
    image->width = layout->width;
    image->height = layout->height;
    image->plane_count = layout->format == KST_FORMAT_RAW ? layout->channels : 1;
    image->plane[0].depth = (uint8_t)tiff_depth(layout);
}

/* Describe the first page. In the mode "D" libtiff does not read the offsets of strips. */
static bool tiff_describe(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct tiff_bytes file = {.data = source->data, .length = source->length, .limit = settings->max_memory};
    TIFF *tiff = tiff_open(&file, "rD", problem);
    struct tiff_layout layout;

    if (tiff == NULL)
        return false;
    bool good = tiff_layout_get(tiff, &layout, problem);
    if (good)
        describe(&layout, &picture->image);
    TIFFClose(tiff);
    return good;
}

/* Holds the state of reading a file row by row. */
struct reading {
    const struct source *source;
    uint64_t since; /* bytes of rows read since the source's pages were released */
    struct tiff_bytes bytes;
    struct tiff_reader reader; /* reads bands */
    struct picture band;       /* the rows of the current band */
    uint8_t *unit;             /* the buffer through which a band is read */
    uint32_t y;                /* the next row */
    struct problem problem;
};

/* Allocate a band, if the limits permit it. */
static bool make_room(struct reading *reading, const kst_image *whole)
{
    const struct tiff_reader *reader = &reading->reader;
    uint32_t rows = tiff_band_rows(&reader->layout), depth = whole->plane[0].depth;
    uint64_t unit = tiff_band_unit(reader), row = (uint64_t)whole->width * kst_format_channels(whole->format);
    struct problem told_later;

    if (unit == 0 || !memory_permitted(reader->settings, unit, &told_later) ||
        !memory_permitted(reader->settings, row * (depth > 8 ? 2 : 1) * rows, &told_later) ||
        !picture_allocate(
            &reading->band, whole->format, whole->width, rows, depth, reader->settings->max_pixels, &told_later))
        return false;
    reading->unit = malloc((size_t)unit);
    return reading->unit != NULL;
}

static bool end_reading(void *file, bool good, struct problem *problem)
{
    struct reading *reading = file;
    (void)problem;

    if (reading->reader.tiff != NULL)
        TIFFClose(reading->reader.tiff);
    if (good)
        tell_orientation(&reading->reader.layout, reading->reader.settings, reading->source);
    picture_release(&reading->band);
    free(reading->unit);
    free(reading);
    return good;
}

static bool begin_bands(struct reading *reading, struct picture *whole)
{
    struct tiff_reader *reader = &reading->reader;

    reader->tiff = tiff_open(&reading->bytes, "r", &reading->problem);
    if (reader->tiff == NULL || !tiff_layout_get(reader->tiff, &reader->layout, &reading->problem))
        return false;
    describe(&reader->layout, &whole->image);
    return make_room(reading, &whole->image) && keep_extras(reader->tiff, &reader->layout, reading->source, whole);
}

static void *begin_reading(const struct source *source, const struct file_settings *settings, struct picture *whole)
{
    struct reading *reading = calloc(1, sizeof *reading);

    if (reading == NULL)
        return NULL;
    reading->source = source;
    reading->bytes = (struct tiff_bytes){.data = source->data, .length = source->length, .limit = settings->max_memory};
    reading->reader =
        (struct tiff_reader){.settings = settings, .picture = &reading->band, .problem = &reading->problem};
    picture_init(&reading->band);
    if (begin_bands(reading, whole))
        return reading;
    end_reading(reading, false, &reading->problem);
    return NULL;
}

static bool tell_row(const struct reading *reading, struct problem *problem)
{
    const char *text = reading->problem.text;

    return problem_set(problem, "%s, in row %u of %u", text[0] != '\0' ? text : "TIFF: cannot be read",
        (unsigned)reading->y + 1, (unsigned)reading->reader.layout.height);
}

/* Read the band that begins with the next row. */
static bool next_band(struct reading *reading)
{
    const kst_plane *plane = &reading->band.image.plane[0];

    reading->since += (uint64_t)plane->pitch * plane->height;
    if (reading->since >= SOURCE_REST) {
        reading->since = 0;
        source_rest(reading->source);
    }
    reading->reader.top = reading->y;
    return tiff_read_band(&reading->reader, reading->unit);
}

static bool next_row(void *file, uint8_t *row, struct problem *problem)
{
    struct reading *reading = file;
    const struct tiff_reader *reader = &reading->reader;
    const kst_image *band = &reading->band.image;

    if ((reading->y == 0 || reading->y - reader->top == band->height) && !next_band(reading))
        return tell_row(reading, problem);
    memcpy(row, picture_row(&reading->band, 0, reading->y - reader->top), (size_t)band->plane[0].pitch);
    reading->y++;
    return true;
}

static const struct row_reader tiff_reading = {begin_reading, next_row, end_reading, true};

static bool tiff_detect(const uint8_t *data, size_t length)
{
    return length >= 4 && (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0 ||
                              memcmp(data, "II+\0", 4) == 0 || memcmp(data, "MM\0+", 4) == 0);
}

const struct file_format file_tiff = {
    "tiff", {"tif", "tiff"}, KST_FORMAT_AUTO, tiff_detect, tiff_read, tiff_write, tiff_describe, &tiff_reading};
