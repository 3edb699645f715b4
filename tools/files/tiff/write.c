/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes TIFF files through libtiff: grey, RGB, RGBA and CMYK of 8 and 16 bits, and planes unchanged. */
#include <stdlib.h>
#include <string.h>

#include "files/metadata/losses.h"
#include "files/metadata/photoshop.h"
#include "files/tiff/exif.h"
#include "files/tiff/file.h"
#include "progress/progress.h"

enum {
    STRIP_BYTES = 1 << 18 /* at least, because each strip is written separately */,
    REPORTED = 64 /* rows between two reports of progress */
};

/* The most bytes of pixels that 32-bit offsets can address, with some room for everything else in the file. */
static const uint64_t SHORT_LIMIT = UINT32_MAX - (64 << 20);

static void set_compression(TIFF *tiff, int level)
{
    if (level <= 0)
        return;
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, level);
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
}

static uint32_t rows_of_strip(size_t row)
{
    return (uint32_t)(row < STRIP_BYTES ? (STRIP_BYTES + row - 1) / row : 1);
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
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_of_strip(row));
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
}

/* Describes a file to which rows are added. */
struct tiff_file {
    struct output *output;
    struct tiff_bytes memory;
    TIFF *tiff;
    uint32_t rows, height; /* rows added so far, and rows of the picture */
    struct progress_part written;
};

/* Write the next row. libtiff may change its bytes (byte order, predictor). */
static bool write_line(struct tiff_file *file, uint8_t *line)
{
    bool good = TIFFWriteScanline(file->tiff, line, file->rows++, 0) >= 0;

    if (file->rows % REPORTED == 0)
        progress_part_done(&file->written, (double)file->rows / file->height);
    return good;
}

/* Write rows. libtiff gets copies, because it may change them. */
static bool write_rows(struct tiff_file *file, const struct picture *picture)
{
    size_t bytes = (size_t)TIFFScanlineSize(file->tiff);
    uint8_t *line = malloc(bytes);
    bool good = line != NULL;

    for (uint32_t y = 0; y < picture->image.height && good; y++) {
        memcpy(line, picture_row(picture, 0, y), bytes);
        good = write_line(file, line);
    }
    free(line);
    return good;
}

/* Set the tags of planes, whose samples are interleaved in 8, 16 or 32 bits. */
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
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_of_strip(row));
    if (image->plane_count > 1 && extra != NULL)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, image->plane_count - 1, extra);
    free(extra);
}

static bool write_planes(struct tiff_file *file, const struct picture *picture)
{
    const kst_image *image = &picture->image;
    size_t bytes = picture_sample_bytes(&image->plane[0]);
    uint8_t *line = malloc((size_t)TIFFScanlineSize(file->tiff));
    bool good = line != NULL;

    for (uint32_t y = 0; y < image->plane[0].height && good; y++) {
        for (uint32_t i = 0; i < image->plane_count; i++)
            samples_put(
                picture_row(picture, i, y), image->plane[0].width, bytes, false, line + i * bytes, image->plane_count);
        good = write_line(file, line);
    }
    free(line);
    return good;
}

/* Convert the pixels to what TIFF can hold. */
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

static bool is_planar(const struct picture *picture)
{
    return kst_format_channels(picture->image.format) == 0;
}

/* Set a tag to bytes, which libtiff copies. */
static bool set_blob(TIFF *tiff, uint32_t tag, const void *data, size_t length)
{
    return data == NULL || (length <= UINT32_MAX && TIFFSetField(tiff, tag, (uint32_t)length, data) != 0);
}

/* Set the tags of the metadata. A profile does not apply to planes. */
static bool set_extra_tags(struct tiff_file *file, const struct picture *picture)
{
    const kst_metadata *xmp = picture_kept(picture, KST_METADATA_XMP);
    const bool profile = !is_planar(picture);
    struct blob blocks;

    losses_tell(picture, PART_EXIF | PART_XMP | PART_IPTC | PART_COMMENT | (profile ? PART_ICC : 0u),
        profile ? "TIFF" : "TIFF of planes", file->output->given);
    if (!photoshop_join(picture, &blocks))
        return false;
    bool good = (!profile || set_blob(file->tiff, TIFFTAG_ICCPROFILE, picture->icc.data, picture->icc.length)) &&
                (xmp == NULL || set_blob(file->tiff, TIFFTAG_XMLPACKET, xmp->data, xmp->length)) &&
                set_blob(file->tiff, TIFFTAG_PHOTOSHOP, blocks.data, blocks.length) &&
                tiff_exif_set(file->tiff, &file->memory, picture, file->output->given);
    blob_release(&blocks);
    return good;
}

/* Choose the mode for libtiff: large files are BigTIFF; the byte order is the machine's unless Exif has its own. */
static void choose_mode(const struct picture *picture, uint64_t bytes, char mode[4])
{
    const char chosen[4] = {'w', tiff_exif_order(picture), '\0', '\0'};
    size_t length = 0;

    memcpy(mode, chosen, sizeof chosen);
    while (mode[length] != '\0')
        length++;
    if (bytes >= SHORT_LIMIT)
        mode[length] = '8';
}

/* Return `good`. If it is false, set the problem: to libtiff's error, or to a lack of memory. */
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

static void *begin_rows(
    struct output *output, const struct picture *whole, const struct file_settings *settings, struct problem *problem)
{
    struct tiff_file *file = calloc(1, sizeof *file);
    char mode[4];

    if (file == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    file->output = output;
    file->height = whole->image.height;
    file->written = progress_writing(0, 1);
    file->memory.output = output_in_order(output) ? NULL : output;
    choose_mode(whole, pixel_bytes(&whole->image), mode);
    file->tiff = tiff_open(&file->memory, mode, &file->memory.problem);
    if (!tell(file, file->tiff != NULL, problem)) {
        free(file);
        return NULL;
    }
    if (is_planar(whole))
        set_plane_tags(file->tiff, whole);
    else
        set_tags(file->tiff, whole);
    set_compression(file->tiff, settings->compression);
    if (tell(file, set_extra_tags(file, whole), problem))
        return file;
    end_rows(file, false, problem);
    return NULL;
}

/* Add rows that prepare() has converted. If the picture has planes, these must be all of its rows. */
static bool add_prepared(struct tiff_file *file, const struct picture *rows, struct problem *problem)
{
    bool good = is_planar(rows) ? write_planes(file, rows) : write_rows(file, rows);

    return tell(file, good, problem);
}

static bool add_rows(void *file, struct picture *rows, struct problem *problem)
{
    return prepare(rows, problem) && add_prepared(file, rows, problem);
}

bool tiff_write(
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
