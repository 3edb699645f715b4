/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes, describes, converts and releases pictures on their way from one file to another. */
#include "files/picture.h"

#include <stdlib.h>
#include <string.h>

void picture_init(struct picture *picture)
{
    memset(picture, 0, sizeof *picture);
    kst_image_init(&picture->image);
}

void picture_release_pixels(struct picture *picture)
{
    if (picture->context != NULL)
        kst_image_release(picture->context, &picture->image);
    free(picture->pixels);
    free(picture->more);
    picture->more = NULL;
    picture->context = NULL;
    picture->pixels = NULL;
}

void picture_release(struct picture *picture)
{
    picture_release_pixels(picture);
    blob_release(&picture->icc);
    blob_release(&picture->exif);
    free(picture->pending);
    free(picture->segments);
    for (size_t i = 0; i < picture->extra_count; i++)
        free((void *)(uintptr_t)picture->extra[i].data);
    free(picture->extra);
    picture_init(picture);
}

bool picture_allocate(struct picture *picture, kst_format format, uint64_t width, uint64_t height, uint32_t depth,
    uint64_t limit, struct problem *problem)
{
    uint64_t bytes = (uint64_t)kst_format_channels(format) * (depth > 8 ? 2 : 1);

    if (width == 0 || height == 0)
        return problem_set(
            problem, "the picture is empty (%llu x %llu)", (unsigned long long)width, (unsigned long long)height);
    if (width > UINT32_MAX / 16 || height > UINT32_MAX / 16 || width > limit / height)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%llu x %llu pixels are more than the limit of %llu; raise it with --max-pixels", (unsigned long long)width,
            (unsigned long long)height, (unsigned long long)limit);
    /* The memory is zeroed, so that pixels missing from a damaged file have a value. */
    void *pixels = calloc((size_t)(width * height), (size_t)bytes);
    if (pixels == NULL)
        return problem_set(problem, "out of memory");
    picture_release_pixels(picture);
    kst_image_wrap(&picture->image, format, (uint32_t)width, (uint32_t)height, pixels, (ptrdiff_t)(width * bytes));
    picture->image.plane[0].depth = (uint8_t)depth;
    picture->pixels = pixels;
    return true;
}

size_t picture_sample_bytes(const kst_plane *plane)
{
    return plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
}

static bool describe_planes(struct picture *picture, const struct plane_shape *shape)
{
    kst_image *image = &picture->image;

    picture->more = shape->count > 4 ? calloc(shape->count - 4, sizeof *picture->more) : NULL;
    if (shape->count > 4 && picture->more == NULL)
        return false;
    kst_image_init(image);
    image->format = KST_FORMAT_RAW;
    image->colour = shape->count == 1 ? KST_COLOUR_GREY : shape->count == 3 ? KST_COLOUR_RGB : KST_COLOUR_UNKNOWN;
    image->width = shape->width;
    image->height = shape->height;
    image->plane_count = shape->count;
    image->more = picture->more;
    for (uint32_t i = 0; i < shape->count; i++) {
        kst_plane *plane = i < 4 ? &image->plane[i] : &picture->more[i - 4];
        *plane = (kst_plane){.width = shape->width,
            .height = shape->height,
            .depth = (uint8_t)shape->depth,
            .is_signed = shape->is_signed};
        plane->pitch = (ptrdiff_t)(shape->width * picture_sample_bytes(plane));
        plane->data = (uint8_t *)picture->pixels + (size_t)i * (size_t)plane->pitch * shape->height;
    }
    return true;
}

bool picture_allocate_planes(
    struct picture *picture, const struct plane_shape *shape, uint64_t limit, struct problem *problem)
{
    bool plain = !shape->is_signed && shape->depth <= 16;

    if (plain && (shape->count == 1 || shape->count == 3))
        return picture_allocate(picture, shape->count == 1 ? KST_FORMAT_GREY : KST_FORMAT_RGB, shape->width,
            shape->height, shape->depth, limit, problem);
    /* This checks the size, and allocates one plane, which memory for all planes then replaces. */
    if (!picture_allocate(picture, KST_FORMAT_GREY, shape->width, shape->height, 8, limit, problem))
        return false;
    picture_release_pixels(picture);
    size_t pixels = (size_t)shape->width * shape->height;
    picture->pixels = calloc(pixels > 0 ? pixels : 1, (size_t)4 * (shape->count > 0 ? shape->count : 1));
    if (picture->pixels == NULL || !describe_planes(picture, shape))
        return problem_set(problem, "out of memory");
    return true;
}

uint32_t picture_depth(const struct picture *picture)
{
    uint32_t depth = picture->image.plane[0].depth;
    return depth == 0 ? 8 : depth;
}

uint8_t *picture_row(const struct picture *picture, uint32_t index, uint32_t y)
{
    const kst_plane *plane = kst_image_plane(&picture->image, index);
    return (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
}

/* Replace the pixels of `picture`, but no metadata, by those of `made`. */
static void replace_pixels(struct picture *picture, struct picture *made)
{
    picture_release_pixels(picture);
    picture->image = made->image;
    picture->pixels = made->pixels;
}

/* Write the signed samples of a row without signs: v of n bits becomes v + 2^(n−1). */
static void put_without_sign(const kst_plane *plane, uint32_t y, uint8_t *to, size_t step)
{
    const uint8_t *from = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    size_t bytes = picture_sample_bytes(plane);
    uint16_t half = plane->is_signed ? (uint16_t)(1u << (plane->depth - 1)) : 0;

    for (uint32_t x = 0; x < plane->width; x++, from += bytes, to += step * bytes) {
        uint16_t value = *from;
        if (bytes == 2)
            memcpy(&value, from, sizeof value);
        value = (uint16_t)((value + half) & ((1u << plane->depth) - 1));
        if (bytes == 2)
            memcpy(to, &value, sizeof value);
        else
            *to = (uint8_t)value;
    }
}

bool picture_without_sign(struct picture *picture, uint64_t limit, struct problem *problem)
{
    const kst_image *image = &picture->image;
    const kst_plane *first = kst_image_plane(image, 0);
    struct plane_shape shape = {
        .width = first->width, .height = first->height, .count = image->plane_count, .depth = first->depth};
    struct picture made;

    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        if (plane->width != first->width || plane->height != first->height || plane->depth != first->depth ||
            plane->depth > 16)
            return problem_set(problem, "its components have signs, and differ in size or depth or have more than 16 "
                                        "bits; JPEG 2000, PGX and raw hold those");
    }
    picture_init(&made);
    if (!picture_allocate_planes(&made, &shape, limit, problem)) {
        picture_release(&made);
        return false;
    }
    bool together = kst_format_channels(made.image.format) > 0;
    for (uint32_t i = 0; i < shape.count; i++)
        for (uint32_t y = 0; y < shape.height; y++)
            put_without_sign(kst_image_plane(image, i), y,
                picture_row(&made, together ? 0 : i, y) + (together ? i * picture_sample_bytes(first) : 0),
                together ? shape.count : 1);
    replace_pixels(picture, &made);
    picture->more = made.more;
    return true;
}

static uint32_t get_sample(const uint8_t *row, size_t index, uint32_t depth)
{
    uint16_t value;

    if (depth <= 8)
        return row[index];
    memcpy(&value, row + 2 * index, sizeof value);
    return value;
}

static void put_sample(uint8_t *row, size_t index, uint32_t depth, uint32_t value)
{
    uint16_t wide = (uint16_t)value;

    if (depth <= 8)
        row[index] = (uint8_t)value;
    else
        memcpy(row + 2 * index, &wide, sizeof wide);
}

void samples_to_depth(const uint8_t *from, uint32_t from_depth, size_t count, uint8_t *to, uint32_t to_depth)
{
    uint32_t from_max = (1u << from_depth) - 1, to_max = (1u << to_depth) - 1;

    for (size_t i = 0; i < count; i++) {
        uint32_t value = get_sample(from, i, from_depth);
        value = value < from_max ? value : from_max;
        put_sample(to, i, to_depth, (uint32_t)(((uint64_t)value * to_max + from_max / 2) / from_max));
    }
}

bool pixels_are_opaque(const uint8_t *pixels, size_t count, uint32_t depth)
{
    uint32_t max = (1u << depth) - 1;

    for (size_t x = 0; x < count; x++)
        if (get_sample(pixels, 4 * x + 3, depth) != max)
            return false;
    return true;
}

bool picture_is_opaque(const struct picture *picture)
{
    const kst_image *image = &picture->image;

    if (image->format != KST_FORMAT_RGBA && image->format != KST_FORMAT_BGRA)
        return true;
    for (uint32_t y = 0; y < image->height; y++)
        if (!pixels_are_opaque(picture_row(picture, 0, y), image->width, picture_depth(picture)))
            return false;
    return true;
}

bool picture_to_depth(struct picture *picture, uint32_t depth, struct problem *problem)
{
    const kst_image *image = &picture->image;
    uint32_t from = picture_depth(picture);
    size_t samples = (size_t)image->width * kst_format_channels(image->format);
    struct picture made;

    if (from == depth)
        return true;
    if (samples == 0)
        return problem_set(problem, "planes of %u bits do not fit the output's format", (unsigned)from);
    picture_init(&made);
    if (!picture_allocate(&made, image->format, image->width, image->height, depth, UINT64_MAX, problem))
        return false;
    for (uint32_t y = 0; y < image->height; y++)
        samples_to_depth(picture_row(picture, 0, y), from, samples, picture_row(&made, 0, y), depth);
    replace_pixels(picture, &made);
    return true;
}

/* Get red, green, blue and alpha of a pixel. */
static void get_pixel(const uint8_t *row, size_t x, kst_format format, uint32_t depth, uint32_t pixel[4])
{
    uint32_t max = (1u << depth) - 1, channels = kst_format_channels(format);
    uint32_t sample[4] = {0, 0, 0, max};

    for (uint32_t i = 0; i < channels; i++)
        sample[i] = get_sample(row, x * channels + i, depth);
    memcpy(pixel, sample, sizeof sample);
    switch (format) {
    case KST_FORMAT_GREY:
        pixel[1] = pixel[2] = sample[0];
        break;
    case KST_FORMAT_BGR:
    case KST_FORMAT_BGRA:
        pixel[0] = sample[2];
        pixel[2] = sample[0];
        break;
    case KST_FORMAT_CMYK:
        for (uint32_t i = 0; i < 3; i++)
            pixel[i] = (uint32_t)(((uint64_t)sample[i] * sample[3] + max / 2) / max);
        pixel[3] = max;
        break;
    default:
        break;
    }
}

bool picture_to_format(struct picture *picture, kst_format format, struct problem *problem)
{
    const kst_image *image = &picture->image;
    uint32_t channels = kst_format_channels(format), depth = picture_depth(picture);
    struct picture made;

    if (image->format == format)
        return true;
    if ((format != KST_FORMAT_RGB && format != KST_FORMAT_RGBA) || kst_format_channels(image->format) == 0)
        return problem_set(problem, "the picture's colours do not fit the output's format");
    picture_init(&made);
    if (!picture_allocate(&made, format, image->width, image->height, depth, UINT64_MAX, problem))
        return false;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *source = picture_row(picture, 0, y);
        uint8_t *target = picture_row(&made, 0, y);
        for (uint32_t x = 0; x < image->width; x++) {
            uint32_t pixel[4];
            get_pixel(source, x, image->format, depth, pixel);
            for (uint32_t i = 0; i < channels; i++)
                put_sample(target, (size_t)x * channels + i, depth, pixel[i]);
        }
    }
    replace_pixels(picture, &made);
    return true;
}

void samples_invert(uint8_t *samples, size_t count, uint32_t depth)
{
    uint32_t max = (1u << depth) - 1;

    for (size_t i = 0; i < count; i++)
        put_sample(samples, i, depth, max - get_sample(samples, i, depth));
}

void picture_invert(struct picture *picture)
{
    const kst_image *image = &picture->image;
    size_t samples = (size_t)image->width * kst_format_channels(image->format);

    for (uint32_t y = 0; y < image->height; y++)
        samples_invert(picture_row(picture, 0, y), samples, picture_depth(picture));
}

bool blob_set(struct blob *blob, const void *data, size_t length)
{
    uint8_t *copy = malloc(length > 0 ? length : 1);

    if (copy == NULL)
        return false;
    memcpy(copy, data, length);
    blob_release(blob);
    blob->data = copy;
    blob->length = length;
    return true;
}

void blob_release(struct blob *blob)
{
    free(blob->data);
    blob->data = NULL;
    blob->length = 0;
}

bool picture_keep(struct picture *picture, kst_metadata_kind kind, uint8_t marker, const void *data, size_t length)
{
    kst_metadata *grown = realloc(picture->extra, (picture->extra_count + 1) * sizeof *grown);
    struct blob copy = {NULL, 0};

    if (grown == NULL)
        return false;
    picture->extra = grown;
    if (!blob_set(&copy, data, length))
        return false;
    grown[picture->extra_count++] =
        (kst_metadata){.kind = kind, .marker = marker, .data = copy.data, .length = copy.length};
    return true;
}

const kst_metadata *picture_kept(const struct picture *picture, kst_metadata_kind kind)
{
    for (size_t i = 0; i < picture->extra_count; i++)
        if (picture->extra[i].kind == kind)
            return &picture->extra[i];
    return NULL;
}
