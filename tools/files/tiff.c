/* SPDX-License-Identifier: BSD-2-Clause */
/* TIFF files, through libtiff: grey, RGB with or without alpha and CMYK of 8 and 16 bits; anything else that libtiff
 * can show becomes RGB of 8 bits. The first page is read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/tiff_bytes.h"

enum { STRIP_BYTES = 1 << 18 };

/* What offsets of 32 bits reach, but for what else there is beside the pixels. */
static const uint64_t SHORT_LIMIT = UINT32_MAX - (64 << 20);

/* The tags that say how the samples lie. */
struct layout {
    uint32_t width;
    uint32_t height;
    uint16_t bits;
    uint16_t channels; /* in the file, extra ones included */
    uint16_t photometric;
    uint16_t planar;
    uint16_t extra;
    kst_format format; /* AUTO: not one that is read sample by sample */
};

static kst_format direct_format(TIFF *tiff, const struct layout *layout)
{
    uint16_t sample = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if ((layout->bits != 8 && layout->bits != 16) || sample != SAMPLEFORMAT_UINT || TIFFIsTiled(tiff) ||
        compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG)
        return KST_FORMAT_AUTO;
    switch (layout->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
        return layout->channels == 1 ? KST_FORMAT_GREY : KST_FORMAT_AUTO;
    case PHOTOMETRIC_RGB:
        if (layout->channels == 4 && layout->extra == 1)
            return KST_FORMAT_RGBA;
        return layout->channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_AUTO;
    case PHOTOMETRIC_SEPARATED:
        return layout->channels == 4 ? KST_FORMAT_CMYK : KST_FORMAT_AUTO;
    default:
        return KST_FORMAT_AUTO;
    }
}

static bool get_layout(TIFF *tiff, struct layout *layout, struct problem *problem)
{
    uint16_t *kinds;

    *layout = (struct layout){.photometric = PHOTOMETRIC_MINISBLACK};
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width) ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height))
        return problem_set(problem, "TIFF: the picture has no size");
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &layout->extra, &kinds);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric);
    layout->format = direct_format(tiff, layout);
    return true;
}

static bool read_contiguous(TIFF *tiff, const struct layout *layout, struct picture *picture)
{
    for (uint32_t y = 0; y < layout->height; y++)
        if (TIFFReadScanline(tiff, picture_row(picture, 0, y), y, 0) < 0)
            return false;
    return true;
}

static bool read_separate(TIFF *tiff, const struct layout *layout, struct picture *picture, uint8_t *line)
{
    size_t sample = layout->bits / 8u, pixel = sample * layout->channels;

    for (uint16_t channel = 0; channel < layout->channels; channel++) {
        for (uint32_t y = 0; y < layout->height; y++) {
            uint8_t *row = picture_row(picture, 0, y) + channel * sample;
            if (TIFFReadScanline(tiff, line, y, channel) < 0)
                return false;
            for (uint32_t x = 0; x < layout->width; x++)
                memcpy(row + x * pixel, line + x * sample, sample);
        }
    }
    return true;
}

static bool read_direct(TIFF *tiff, const struct layout *layout, const struct file_settings *settings,
    struct picture *picture, struct problem *problem)
{
    size_t row = (size_t)layout->width * layout->channels * (layout->bits / 8u);
    tmsize_t line_bytes = TIFFScanlineSize(tiff);
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;

    if (line_bytes <= 0 || (size_t)line_bytes != (separate ? row / layout->channels : row))
        return problem_set(problem, "TIFF: rows of an unexpected length");
    if (!picture_allocate(
            picture, layout->format, layout->width, layout->height, layout->bits, settings->max_pixels, problem))
        return false;
    if (!separate)
        return read_contiguous(tiff, layout, picture);
    uint8_t *line = malloc((size_t)line_bytes);
    bool good = line != NULL ? read_separate(tiff, layout, picture, line) : problem_set(problem, "out of memory");
    free(line);
    return good;
}

/* By libtiff's own conversion to RGBA of 8 bits; the alpha it makes is kept only where the file has one. */
static bool read_converted(TIFF *tiff, const struct layout *layout, const struct file_settings *settings,
    struct picture *picture, struct problem *problem)
{
    bool alpha = layout->extra > 0;
    kst_format format = alpha ? KST_FORMAT_RGBA : KST_FORMAT_RGB;
    size_t channels = kst_format_channels(format);

    if (!picture_allocate(picture, format, layout->width, layout->height, 8, settings->max_pixels, problem))
        return false;
    uint32_t *raster = calloc((size_t)layout->width * layout->height, sizeof *raster);
    if (raster == NULL)
        return problem_set(problem, "out of memory");
    bool good = TIFFReadRGBAImageOriented(tiff, layout->width, layout->height, raster, ORIENTATION_TOPLEFT, 1) != 0;
    for (uint32_t y = 0; y < layout->height && good; y++) {
        uint8_t *row = picture_row(picture, 0, y);
        const uint32_t *from = raster + (size_t)y * layout->width;
        for (uint32_t x = 0; x < layout->width; x++) {
            uint8_t pixel[4] = {(uint8_t)TIFFGetR(from[x]), (uint8_t)TIFFGetG(from[x]), (uint8_t)TIFFGetB(from[x]),
                (uint8_t)TIFFGetA(from[x])};
            memcpy(row + x * channels, pixel, channels);
        }
    }
    free(raster);
    return good;
}

static bool keep_extras(TIFF *tiff, struct picture *picture)
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
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &length, &profile))
        return blob_set(&picture->icc, profile, length);
    return true;
}

static bool read_page(TIFF *tiff, const struct source *source, const struct file_settings *settings,
    struct picture *picture, struct problem *problem)
{
    struct layout layout;
    uint16_t orientation = ORIENTATION_TOPLEFT;

    if (!get_layout(tiff, &layout, problem))
        return false;
    bool direct = layout.format != KST_FORMAT_AUTO;
    if (!(direct ? read_direct : read_converted)(tiff, &layout, settings, picture, problem))
        return problem->text[0] == '\0' ? problem_set(problem, "TIFF: cannot be read") : false;
    if (direct && (layout.photometric == PHOTOMETRIC_MINISWHITE || layout.photometric == PHOTOMETRIC_SEPARATED))
        picture_invert(picture);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    if (direct && orientation != ORIENTATION_TOPLEFT)
        complain(source->name, "warning: its orientation (%u) is not applied", (unsigned)orientation);
    return keep_extras(tiff, picture) || problem_set(problem, "out of memory");
}

static bool tiff_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct tiff_bytes file = {.data = source->data, .length = source->length};
    TIFF *tiff = tiff_open(&file, "rm", problem);

    if (tiff == NULL)
        return false;
    bool good = read_page(tiff, source, settings, picture, problem);
    TIFFClose(tiff);
    return good;
}

static void set_compression(TIFF *tiff, int level)
{
    if (level <= 0)
        return;
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, level);
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
}

static void set_tags(TIFF *tiff, const struct picture *picture)
{
    const kst_image *image = &picture->image;
    uint32_t channels = kst_format_channels(image->format), depth = picture_depth(picture) > 8 ? 16 : 8;
    size_t row = (size_t)image->width * channels * (depth / 8);
    uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    uint16_t photometric = PHOTOMETRIC_RGB;

    if (image->format == KST_FORMAT_GREY)
        photometric = PHOTOMETRIC_MINISBLACK;
    if (image->format == KST_FORMAT_CMYK)
        photometric = PHOTOMETRIC_SEPARATED;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, depth);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)(row < STRIP_BYTES ? STRIP_BYTES / row : 1));
    if (image->format == KST_FORMAT_RGBA)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    if (image->format == KST_FORMAT_CMYK)
        TIFFSetField(tiff, TIFFTAG_INKSET, INKSET_CMYK);
    if (picture->density_x != 0 && picture->density_y != 0) {
        static const uint16_t units[] = {RESUNIT_NONE, RESUNIT_INCH, RESUNIT_CENTIMETER};
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, units[picture->density_unit]);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, (double)picture->density_x);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, (double)picture->density_y);
    }
    if (picture->icc.data != NULL && picture->icc.length <= UINT32_MAX)
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)picture->icc.length, picture->icc.data);
}

/* libtiff may change the rows it is given (byte order, predictor): they are copied. */
static bool write_rows(TIFF *tiff, uint32_t first, const struct picture *picture)
{
    size_t bytes = (size_t)TIFFScanlineSize(tiff);
    uint8_t *line = malloc(bytes);
    bool good = line != NULL;

    for (uint32_t y = 0; y < picture->image.height && good; y++) {
        memcpy(line, picture_row(picture, 0, y), bytes);
        good = TIFFWriteScanline(tiff, line, first + y, 0) >= 0;
    }
    free(line);
    return good;
}

/* Planes as they are, their samples by turns, in 8, 16 or 32 bits. */
static void set_plane_tags(TIFF *tiff, const struct picture *picture)
{
    const kst_image *image = &picture->image;
    const kst_plane *plane = &image->plane[0];
    size_t bytes = picture_sample_bytes(plane), row = (size_t)plane->width * image->plane_count * bytes;
    uint16_t *extra = calloc(image->plane_count, sizeof *extra); /* all EXTRASAMPLE_UNSPECIFIED */

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, plane->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, plane->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (unsigned)bytes * 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image->plane_count);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, plane->is_signed ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)(row < STRIP_BYTES ? STRIP_BYTES / row : 1));
    if (image->plane_count > 1 && extra != NULL)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, image->plane_count - 1, extra);
    free(extra);
}

static bool write_planes(TIFF *tiff, const struct picture *picture)
{
    const kst_image *image = &picture->image;
    size_t bytes = picture_sample_bytes(&image->plane[0]);
    uint8_t *line = malloc((size_t)TIFFScanlineSize(tiff));
    bool good = line != NULL;

    for (uint32_t y = 0; y < image->plane[0].height && good; y++) {
        for (uint32_t i = 0; i < image->plane_count; i++)
            samples_put(
                picture_row(picture, i, y), image->plane[0].width, bytes, false, line + i * bytes, image->plane_count);
        good = TIFFWriteScanline(tiff, line, y, 0) >= 0;
    }
    free(line);
    return good;
}

/* Brings the pixels to what TIFF holds. */
static bool prepare(struct picture *picture, struct problem *problem)
{
    kst_format format = picture->image.format;

    if (format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA)
        format = format == KST_FORMAT_BGR ? KST_FORMAT_RGB : KST_FORMAT_RGBA;
    if (!picture_to_depth(picture, picture_depth(picture) > 8 ? 16 : 8, problem) ||
        !picture_to_format(picture, format, problem))
        return false;
    if (format == KST_FORMAT_CMYK)
        picture_invert(picture);
    return true;
}

/* A file that rows are added to. */
struct tiff_file {
    struct output *output;
    struct tiff_bytes memory;
    TIFF *tiff;
    uint32_t rows; /* that it has */
};

static bool is_planar(const struct picture *picture)
{
    return kst_format_channels(picture->image.format) == 0;
}

/* What was good, and the problem where something was not. */
static bool tell(const struct tiff_file *file, bool good, struct problem *problem)
{
    const char *text = file->memory.problem.text;

    return good || problem_set(problem, "%s", text[0] != '\0' ? text : "TIFF: out of memory");
}

static uint64_t pixel_bytes(const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);

    return (channels > 0 ? channels : image->plane_count) * (uint64_t)image->width * image->height *
           picture_sample_bytes(&image->plane[0]);
}

static void *begin_rows(
    struct output *output, const struct picture *whole, const struct file_settings *settings, struct problem *problem)
{
    struct tiff_file *file = calloc(1, sizeof *file);

    if (file == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    file->output = output;
    file->memory.output = output_in_order(output) ? NULL : output;
    file->tiff = tiff_open(&file->memory, pixel_bytes(&whole->image) < SHORT_LIMIT ? "w" : "w8", &file->memory.problem);
    if (!tell(file, file->tiff != NULL, problem)) {
        free(file);
        return NULL;
    }
    if (is_planar(whole))
        set_plane_tags(file->tiff, whole);
    else
        set_tags(file->tiff, whole);
    set_compression(file->tiff, settings->compression);
    return file;
}

/* All of a picture's, where it has planes. */
static bool add_prepared(struct tiff_file *file, const struct picture *rows, struct problem *problem)
{
    bool good = is_planar(rows) ? write_planes(file->tiff, rows) : write_rows(file->tiff, file->rows, rows);

    file->rows += rows->image.height;
    return tell(file, good, problem);
}

static bool add_rows(void *file, struct picture *rows, struct problem *problem)
{
    return prepare(rows, problem) && add_prepared(file, rows, problem);
}

static bool end_rows(void *ended, bool good, struct problem *problem)
{
    struct tiff_file *file = ended;
    struct tiff_bytes *memory = &file->memory;

    good = good && tell(file, TIFFFlush(file->tiff) != 0, problem);
    TIFFClose(file->tiff);
    if (good && memory->output == NULL)
        good = output_write(file->output, memory->data, (size_t)memory->length, problem);
    else
        good = good && tell(file, memory->problem.text[0] == '\0', problem);
    free(memory->data);
    free(file);
    return good;
}

static bool tiff_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    if (is_planar(picture) && picture->image.plane_count > UINT16_MAX)
        return problem_set(problem, "TIFF holds up to 65,535 components");
    if (!is_planar(picture) && !prepare(picture, problem))
        return false;
    struct tiff_file *file = begin_rows(output, picture, settings, problem);
    return file != NULL && end_rows(file, add_prepared(file, picture, problem), problem);
}

const struct row_format tiff_rows = {begin_rows, add_rows, end_rows};

static bool tiff_detect(const uint8_t *data, size_t length)
{
    return length >= 4 && (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0 ||
                              memcmp(data, "II+\0", 4) == 0 || memcmp(data, "MM\0+", 4) == 0);
}

const struct file_format file_tiff = {"tiff", {"tif", "tiff"}, KST_FORMAT_AUTO, tiff_detect, tiff_read, tiff_write};
