/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes PBM, PGM, PPM and PAM, plain and raw. If a stream holds several pictures, the first one is read. */
#include "files/pnm/pnm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scales samples from the file's maximum to the maximum of the picture's depth. */
struct scale {
    uint32_t max;
    uint32_t depth;
    bool same;
};

static struct scale scale_for(uint32_t max)
{
    struct scale scale = {max, 8, max == 255};

    if (max > 255) {
        scale.depth = 16;
        for (uint32_t depth = 9; depth <= 16; depth++) {
            if (max == (1u << depth) - 1) {
                scale.depth = depth;
                scale.same = true;
            }
        }
    }
    return scale;
}

static uint32_t scaled(const struct scale *scale, uint32_t value)
{
    uint32_t to = (1u << scale->depth) - 1;

    value = value < scale->max ? value : scale->max;
    return scale->same ? value : (uint32_t)(((uint64_t)value * to + scale->max / 2) / scale->max);
}

static void put(uint8_t *row, size_t index, const struct scale *scale, uint32_t value)
{
    uint16_t wide = (uint16_t)scaled(scale, value);

    if (scale->depth == 8)
        row[index] = (uint8_t)wide;
    else
        memcpy(row + 2 * index, &wide, sizeof wide);
}

static bool read_plain_row(
    const struct source *source, size_t *at, const struct pnm_header *header, const struct scale *scale, uint8_t *row)
{
    for (size_t i = 0; i < (size_t)header->width * header->channels; i++) {
        uint32_t value;
        if (header->kind == '1') {
            /* The digits of PBM need no space between them; 1 is black. */
            while (*at < source->length && source->data[*at] != '0' && source->data[*at] != '1')
                ++*at;
            if (*at >= source->length)
                return false;
            value = source->data[(*at)++] == '0';
        } else if (!pnm_number(source, at, &value)) {
            return false;
        }
        put(row, i, scale, value);
    }
    return true;
}

static bool read_raw_row(
    const struct source *source, size_t *at, const struct pnm_header *header, const struct scale *scale, uint8_t *row)
{
    size_t samples = (size_t)header->width * header->channels;
    size_t bytes = header->kind == '4' ? (samples + 7) / 8 : samples * (header->max > 255 ? 2 : 1);
    const uint8_t *from = source->data + *at;

    if (bytes > source->length - *at)
        return false;
    *at += bytes;
    if (header->kind == '4') {
        for (size_t i = 0; i < samples; i++)
            put(row, i, scale, !(from[i / 8] >> (7 - i % 8) & 1));
    } else if (header->max > 255) {
        for (size_t i = 0; i < samples; i++)
            put(row, i, scale, (uint32_t)from[2 * i] << 8 | from[2 * i + 1]);
    } else if (scale->same) {
        memcpy(row, from, samples);
    } else {
        for (size_t i = 0; i < samples; i++)
            put(row, i, scale, from[i]);
    }
    return true;
}

/* Expand grey and alpha to red, green, blue and alpha, in place from the end. */
static void widen_grey_alpha(uint8_t *row, uint32_t width, size_t sample)
{
    for (size_t x = width; x-- > 0;) {
        uint8_t pixel[4];
        memcpy(pixel, row + 2 * x * sample, 2 * sample);
        for (size_t i = 0; i < 4; i++)
            memcpy(row + (4 * x + i) * sample, pixel + (i == 3 ? sample : 0), sample);
    }
}

/* Holds the state of reading a file row by row. */
struct reading {
    const struct source *source;
    struct pnm_header header; /* `data` is where the next row begins */
    struct scale scale;
    uint32_t y;
    size_t rested; /* offset up to which the file's pages have been released */
};

static bool begin(struct reading *reading, const struct source *source, struct problem *problem)
{
    *reading = (struct reading){.source = source};
    if (!pnm_header_read(source, &reading->header, problem))
        return false;
    reading->scale = scale_for(reading->header.max);
    return true;
}

/* Read the next row. Inks are inverted, because in a struct picture the largest sample means no ink. */
static bool next_row(void *file, uint8_t *row, struct problem *problem)
{
    struct reading *reading = file;
    struct pnm_header *header = &reading->header;
    const struct scale *scale = &reading->scale;

    if (!(header->kind <= '3' ? read_plain_row : read_raw_row)(reading->source, &header->data, header, scale, row))
        return problem_set(problem, "the file ends, or is damaged, in row %u of %u", (unsigned)reading->y + 1,
            (unsigned)header->height);
    if (header->channels == 2)
        widen_grey_alpha(row, header->width, scale->depth > 8 ? 2 : 1);
    if (header->format == KST_FORMAT_CMYK)
        samples_invert(row, (size_t)header->width * header->channels, scale->depth);
    reading->y++;
    if (header->data - reading->rested >= SOURCE_REST) {
        source_rest(reading->source);
        reading->rested = header->data;
    }
    return true;
}

static void *begin_reading(const struct source *source, const struct file_settings *settings, struct picture *whole)
{
    struct reading *reading = malloc(sizeof *reading);
    struct problem told_later;
    (void)settings;

    if (reading == NULL || !begin(reading, source, &told_later)) {
        free(reading);
        return NULL;
    }
    whole->image.format = reading->header.format;
    whole->image.width = reading->header.width;
    whole->image.height = reading->header.height;
    whole->image.plane_count = 1;
    whole->image.plane[0].depth = (uint8_t)reading->scale.depth;
    return reading;
}

static bool end_reading(void *file, bool good, struct problem *problem)
{
    (void)problem;
    free(file);
    return good;
}

static const struct row_reader pnm_reading = {begin_reading, next_row, end_reading, true};

static bool pnm_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct reading reading;
    const struct pnm_header *header = &reading.header;

    if (!begin(&reading, source, problem) || !picture_allocate(picture, header->format, header->width, header->height,
                                                 reading.scale.depth, settings->max_pixels, problem))
        return false;
    for (uint32_t y = 0; y < header->height; y++)
        if (!next_row(&reading, picture_row(picture, 0, y), problem))
            return false;
    return true;
}

/* Write rows of 16-bit samples, high byte first. */
static bool write_wide_rows(
    struct output *output, const struct picture *picture, size_t samples, struct problem *problem)
{
    uint8_t *buffer = malloc(samples * 2);
    bool good = true;

    if (buffer == NULL)
        return problem_set(problem, "out of memory");
    for (uint32_t y = 0; good && y < picture->image.height; y++) {
        const uint8_t *row = picture_row(picture, 0, y);
        for (size_t i = 0; i < samples; i++) {
            uint16_t value;
            memcpy(&value, row + 2 * i, sizeof value);
            buffer[2 * i] = (uint8_t)(value >> 8);
            buffer[2 * i + 1] = (uint8_t)value;
        }
        good = output_write(output, buffer, samples * 2, problem);
    }
    free(buffer);
    return good;
}

bool pnm_write_rows(struct output *output, const struct picture *picture, struct problem *problem)
{
    const kst_image *image = &picture->image;
    size_t samples = (size_t)image->width * kst_format_channels(image->format);

    if (picture_depth(picture) > 8)
        return write_wide_rows(output, picture, samples, problem);
    return rows_write(output, picture_row(picture, 0, 0), image->plane[0].pitch, samples, image->height, problem);
}

static uint32_t maximum(const kst_image *image)
{
    uint32_t depth = image->plane[0].depth;
    return (1u << (depth == 0 ? 8 : depth)) - 1;
}

static bool write_pam_header(struct output *output, const kst_image *image, struct problem *problem)
{
    const char *type = image->format == KST_FORMAT_RGB    ? "RGB"
                       : image->format == KST_FORMAT_RGBA ? "RGB_ALPHA"
                       : image->format == KST_FORMAT_CMYK ? "CMYK"
                                                          : "GRAYSCALE";
    char header[160];
    int length = snprintf(header, sizeof header, "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
        (unsigned)image->width, (unsigned)image->height, (unsigned)kst_format_channels(image->format),
        (unsigned)maximum(image), type);
    return output_write(output, header, (size_t)length, problem);
}

bool pnm_write_header(struct output *output, const kst_image *image, bool pam, struct problem *problem)
{
    char header[64];
    if (pam || (image->format != KST_FORMAT_GREY && image->format != KST_FORMAT_RGB))
        return write_pam_header(output, image, problem);
    int length = snprintf(header, sizeof header, "P%c\n%u %u\n%u\n", image->format == KST_FORMAT_GREY ? '5' : '6',
        (unsigned)image->width, (unsigned)image->height, (unsigned)maximum(image));
    return output_write(output, header, (size_t)length, problem);
}

static bool pam_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    const kst_image *image = &picture->image;
    (void)settings;

    if (image->format == KST_FORMAT_BGR && !picture_to_format(picture, KST_FORMAT_RGB, problem))
        return false;
    if (image->format == KST_FORMAT_BGRA && !picture_to_format(picture, KST_FORMAT_RGBA, problem))
        return false;
    if (image->format == KST_FORMAT_CMYK)
        picture_invert(picture);
    return write_pam_header(output, image, problem) && pnm_write_rows(output, picture, problem);
}

static bool write_grey_or_rgb(struct output *output, const struct picture *picture, struct problem *problem)
{
    return pnm_write_header(output, &picture->image, false, problem) && pnm_write_rows(output, picture, problem);
}

static bool pgm_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    (void)settings;
    if (picture->image.format != KST_FORMAT_GREY)
        return problem_set(problem, "PGM holds grey only, and the picture is in colour; write .ppm, or ask for grey");
    return write_grey_or_rgb(output, picture, problem);
}

static bool ppm_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    (void)settings;
    return picture_to_format(picture, KST_FORMAT_RGB, problem) && write_grey_or_rgb(output, picture, problem);
}

static bool pnm_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    switch (picture->image.format) {
    case KST_FORMAT_GREY:
        return pgm_write(output, picture, settings, problem);
    case KST_FORMAT_RGB:
    case KST_FORMAT_BGR:
        return ppm_write(output, picture, settings, problem);
    default:
        return pam_write(output, picture, settings, problem);
    }
}

static bool has_magic(const uint8_t *data, size_t length, char from, char to)
{
    return length >= 3 && data[0] == 'P' && data[1] >= from && data[1] <= to &&
           (data[2] == '#' || data[2] == ' ' || (data[2] >= '\t' && data[2] <= '\r'));
}

static bool pnm_detect(const uint8_t *data, size_t length)
{
    return has_magic(data, length, '1', '6');
}

static bool pam_detect(const uint8_t *data, size_t length)
{
    return has_magic(data, length, '7', '7');
}

const struct file_format file_pam = {
    "pam", {"pam"}, KST_FORMAT_AUTO, pam_detect, pnm_read, pam_write, NULL, &pnm_reading};
const struct file_format file_pnm = {
    "pnm", {"pnm"}, KST_FORMAT_AUTO, pnm_detect, pnm_read, pnm_write, NULL, &pnm_reading};
const struct file_format file_pgm = {"pgm", {"pgm"}, KST_FORMAT_GREY, NULL, NULL, pgm_write, NULL, NULL};
const struct file_format file_ppm = {"ppm", {"ppm"}, KST_FORMAT_RGB, NULL, NULL, ppm_write, NULL, NULL};
