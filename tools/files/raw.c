/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes samples without any header: rows without padding, pixel by pixel or plane after plane. */
#include <stdlib.h>

#include "files/files.h"

/* Write planes of one size with their samples interleaved. */
static bool write_interleaved(struct output *output, const struct picture *picture, bool swap, struct problem *problem)
{
    const kst_image *image = &picture->image;
    size_t bytes = picture_sample_bytes(&image->plane[0]), count = (size_t)image->plane[0].width * image->plane_count;
    uint8_t *row = malloc(count * bytes);
    bool good = row != NULL || problem_set(problem, "out of memory");

    for (uint32_t y = 0; y < image->plane[0].height && good; y++) {
        for (uint32_t i = 0; i < image->plane_count; i++)
            samples_put(
                picture_row(picture, i, y), image->plane[0].width, bytes, swap, row + i * bytes, image->plane_count);
        good = output_write(output, row, count * bytes, problem);
    }
    free(row);
    return good;
}

/* Return whether planes are written one after the other: only if the user asks for that. */
bool raw_writes_planes(const struct file_settings *settings)
{
    kst_format format = settings->decode.format;
    bool asked = settings->target == &file_yuv || format == KST_FORMAT_PLANAR || format == KST_FORMAT_RAW;
    return settings->layout == LAYOUT_PLANES || (settings->layout == LAYOUT_USUAL && !settings->interleave && asked);
}

/* Write the channels of the pixels one after the other. */
static bool write_channels(struct output *output, const struct picture *picture, bool swap, struct problem *problem)
{
    const kst_plane *plane = &picture->image.plane[0];
    size_t bytes = picture_sample_bytes(plane), channels = kst_format_channels(picture->image.format);
    uint8_t *row = malloc(plane->width * bytes);
    bool good = row != NULL || problem_set(problem, "out of memory");

    for (size_t c = 0; c < channels && good; c++) {
        for (uint32_t y = 0; y < plane->height && good; y++) {
            samples_take(picture_row(picture, 0, y) + c * bytes, channels, plane->width, bytes, swap, row);
            good = output_write(output, row, plane->width * bytes, problem);
        }
    }
    free(row);
    return good;
}

static bool raw_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    const kst_image *image = &picture->image;
    uint32_t channels = kst_format_channels(image->format);
    bool good = true, swap = samples_swap(settings->order), planes = raw_writes_planes(settings);

    if (channels == 0 && !planes)
        return write_interleaved(output, picture, swap, problem);
    if (channels > 1 && planes)
        return write_channels(output, picture, swap, problem);
    for (uint32_t i = 0; i < image->plane_count && good; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        size_t count = (size_t)plane->width * (channels == 0 ? 1 : channels);
        size_t bytes = picture_sample_bytes(plane);
        if (!swap || bytes == 1) {
            good = rows_write(output, plane->data, plane->pitch, count * bytes, plane->height, problem);
            continue;
        }
        for (uint32_t y = 0; y < plane->height && good; y++)
            good = samples_write(output, picture_row(picture, i, y), count, bytes, swap, problem);
    }
    return good;
}

bool raw_permitted(const struct file_settings *settings, struct problem *problem)
{
    uint64_t area = (uint64_t)settings->raw.width * settings->raw.height;

    return area <= settings->max_pixels ||
           problem_set(problem, "%llu pixels are more than the limit of %llu; raise it with --max-pixels",
               (unsigned long long)area, (unsigned long long)settings->max_pixels);
}

/* Read samples of the shape that --raw states. The file must have exactly their length. */
static bool raw_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    const struct plane_shape *shape = &settings->raw;
    size_t bytes = shape->depth > 16 ? 4 : shape->depth > 8 ? 2 : 1;
    uint64_t area = (uint64_t)shape->width * shape->height;

    if (!raw_permitted(settings, problem))
        return false;
    if (source->length / bytes / shape->count != area || source->length % (bytes * shape->count) != 0)
        return problem_set(problem, "%zu bytes are not %u samples of %zu for each of %llu pixels", source->length,
            (unsigned)shape->count, bytes, (unsigned long long)area);
    if (!picture_allocate_planes(picture, shape, settings->max_pixels, problem))
        return false;
    bool swap = samples_swap(settings->order);
    size_t channels = kst_format_channels(picture->image.format), step = channels > 1 ? channels : 1;
    bool planes = settings->layout == LAYOUT_PLANES;
    size_t from_step = planes ? 1 : shape->count;
    for (uint32_t c = 0; c < shape->count; c++) {
        size_t first = planes ? (size_t)area * c : c;
        for (uint32_t y = 0; y < shape->height; y++) {
            uint8_t *row = channels > 1 ? picture_row(picture, 0, y) + c * bytes : picture_row(picture, c, y);
            for (size_t x = 0; x < shape->width; x++)
                samples_put(source->data + (first + ((size_t)y * shape->width + x) * from_step) * bytes, 1, bytes, swap,
                    row + x * step * bytes, 1);
        }
    }
    return true;
}

/*
 * Write the components as a JPEG has them: YCbCr or grey. If options ask for other samples, target_settle() has already
 * replaced the target by raw samples, so that this function is not called.
 */
static bool yuv_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    const kst_image *image = &picture->image;
    bool grey = image->format == KST_FORMAT_GREY || image->colour == KST_COLOUR_GREY;
    bool good = grey || (image->format == KST_FORMAT_RAW && image->colour == KST_COLOUR_YCBCR);

    if (!good)
        return problem_set(
            problem, "its colours are not YCbCr, which .yuv is for; a name ending in .raw takes all of them");
    return raw_write(output, picture, settings, problem);
}

const struct file_format file_raw = {
    "raw", {"raw", "rgb", "bin"}, KST_FORMAT_AUTO, NULL, raw_read, raw_write, NULL, NULL};
const struct file_format file_yuv = {"yuv", {"yuv"}, KST_FORMAT_RAW, NULL, raw_read, yuv_write, NULL, NULL};
