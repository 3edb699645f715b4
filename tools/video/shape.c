/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes with the shapes of frames, and manages the memory of frames. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_device.h>

#include "video/video.h"

static uint32_t divided(uint32_t size, uint32_t by)
{
    return size / by + (size % by != 0);
}

static size_t sample_bytes(const struct video_shape *shape)
{
    return shape->depth > 8 ? 2 : 1;
}

/*
 * Return the bytes of a frame, which fit in 64 bits: sides have up to 32 bits, samples up to 2 bytes, pixels up to 3
 * samples.
 */
static uint64_t bytes_of(const struct video_shape *shape)
{
    uint64_t luma = (uint64_t)shape->width * shape->height;
    uint64_t chroma = (uint64_t)divided(shape->width, shape->h) * divided(shape->height, shape->v);
    uint64_t samples = shape->rgb ? 3 * luma : shape->planes == 1 ? luma : luma + 2 * chroma;
    return samples * sample_bytes(shape);
}

size_t shape_bytes(const struct video_shape *shape)
{
    return (size_t)bytes_of(shape);
}

bool shape_permitted(const struct video_shape *shape, const struct video_wishes *wishes, struct problem *problem)
{
    uint64_t pixels = (uint64_t)shape->width * shape->height;

    if (pixels == 0)
        return problem_set(problem, "frames of %ux%u have no pixels", (unsigned)shape->width, (unsigned)shape->height);
    if (pixels > wishes->max_pixels)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%llu pixels are more than the limit of %llu; raise it with --max-pixels", (unsigned long long)pixels,
            (unsigned long long)wishes->max_pixels);
    if (pixels > SIZE_MAX / 16 || bytes_of(shape) > wishes->max_memory / 4)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "frames of %llu bytes are more than a quarter of the memory limit of %llu; raise it with --max-memory",
            (unsigned long long)bytes_of(shape), (unsigned long long)wishes->max_memory);
    return true;
}

void shape_image(const struct video_shape *shape, uint8_t *bytes, kst_image *image)
{
    size_t size = sample_bytes(shape);

    kst_image_init(image);
    image->format = shape->rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    image->colour = shape->rgb ? KST_COLOUR_RGB : shape->planes == 1 ? KST_COLOUR_GREY : KST_COLOUR_YCBCR;
    image->width = shape->width;
    image->height = shape->height;
    image->plane_count = shape->rgb ? 1 : shape->planes;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        plane->width = i == 0 ? shape->width : divided(shape->width, shape->h);
        plane->height = i == 0 ? shape->height : divided(shape->height, shape->v);
        plane->depth = (uint8_t)shape->depth;
        plane->pitch = (ptrdiff_t)(plane->width * size * (shape->rgb ? 3 : 1));
        plane->data = bytes;
        bytes = bytes == NULL ? NULL : bytes + (size_t)plane->pitch * plane->height;
    }
}

void plane_image(const kst_image *whole, uint32_t index, kst_image *image)
{
    const kst_plane *plane = &whole->plane[index];

    kst_image_init(image);
    image->format = KST_FORMAT_GREY;
    image->colour = KST_COLOUR_GREY;
    image->memory = whole->memory;
    image->width = plane->width;
    image->height = plane->height;
    image->plane_count = 1;
    image->plane[0] = *plane;
}

/* Return the factor by which a plane is smaller than the picture: 1, 2 or 4; 0 if it is none of these. */
static uint32_t factor_of(uint32_t picture, uint32_t plane)
{
    for (uint32_t by = 1; by <= 4; by *= 2)
        if (divided(picture, by) == plane)
            return by;
    return 0;
}

static bool planes_fit(const kst_image *image, uint32_t h, uint32_t v)
{
    const kst_plane *first = &image->plane[0];

    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        uint32_t width = i == 0 ? image->width : divided(image->width, h);
        uint32_t height = i == 0 ? image->height : divided(image->height, v);
        if (plane->width != width || plane->height != height || plane->depth != first->depth || plane->is_signed)
            return false;
    }
    return h != 0 && v != 0;
}

bool shape_of_image(const kst_image *image, struct video_shape *shape, struct problem *problem)
{
    const kst_plane *chroma = &image->plane[image->plane_count > 1];
    uint32_t depth = image->plane[0].depth == 0 ? 8 : image->plane[0].depth;
    bool counts = image->plane_count == 1 || image->plane_count == 3;

    *shape = (struct video_shape){image->width, image->height, image->plane_count, depth, 1, 1, false};
    if (!counts)
        return problem_set(
            problem, "%u components; frames are grey or YCbCr, with 1 or 3", (unsigned)image->plane_count);
    if (depth < 8 || depth > 16)
        return problem_set(problem, "samples of %u bits; frames have 8 to 16", (unsigned)depth);
    shape->h = factor_of(image->width, chroma->width);
    shape->v = factor_of(image->height, chroma->height);
    if (shape->h == 0 || shape->v == 0 || !planes_fit(image, shape->h, shape->v))
        return problem_set(problem, "components of %ux%u and %ux%u do not make frames", (unsigned)image->plane[0].width,
            (unsigned)image->plane[0].height, (unsigned)chroma->width, (unsigned)chroma->height);
    return true;
}

bool shape_equal(const struct video_shape *a, const struct video_shape *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes && a->depth == b->depth &&
           a->h == b->h && a->v == b->v && a->rgb == b->rgb;
}

/* Return the usual name of a sampling. */
static const char *sampling_text(const struct video_shape *shape)
{
    static const char *const names[5][5] = {[1] = {[1] = "4:4:4", [2] = "4:4:0"},
        [2] = {[1] = "4:2:2", [2] = "4:2:0"},
        [4] = {[1] = "4:1:1", [2] = "4:1:0"}};
    const char *name = names[shape->h][shape->v];

    if (shape->rgb)
        return "RGB";
    return shape->planes == 1 ? "grey" : name == NULL ? "YCbCr" : name;
}

const char *shape_text(const struct video_shape *shape, char text[64])
{
    snprintf(text, 64, "%ux%u %s %u bits", (unsigned)shape->width, (unsigned)shape->height, sampling_text(shape),
        (unsigned)shape->depth);
    return text;
}

struct video_ratio ratio_reduce(struct video_ratio ratio)
{
    uint32_t a = ratio.over, b = ratio.under;

    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 0 ? ratio : (struct video_ratio){ratio.over / a, ratio.under / a};
}

/* Allocate memory, which is pinned if possible. */
static uint8_t *allocate(kst_context *context, size_t length, bool *pinned)
{
    void *block = NULL;

    *pinned = *pinned && !kst_pinned_allocate(context, length, &block);
    return *pinned ? block : aligned_alloc(FRAME_ROOM, length);
}

static void release_block(struct video_frame *frame)
{
    if (frame->pinned)
        kst_pinned_release(frame->context, frame->block);
    else
        free(frame->block);
}

bool frame_reserve(struct video_frame *frame, size_t capacity, struct problem *problem)
{
    if (capacity <= frame->capacity)
        return true;
    if (capacity > SIZE_MAX - 2 * FRAME_ROOM)
        return problem_set(problem, "out of memory");
    size_t rounded = (capacity + FRAME_ROOM - 1) / FRAME_ROOM * FRAME_ROOM;
    bool pinned = frame->context != NULL;
    uint8_t *block = allocate(frame->context, FRAME_ROOM + rounded, &pinned);
    if (block == NULL)
        return problem_set(problem, "out of memory");
    if (frame->length > 0)
        memcpy(block + FRAME_ROOM, frame->bytes, frame->length);
    release_block(frame);
    frame->pinned = pinned;
    frame->block = block;
    frame->bytes = block + FRAME_ROOM;
    frame->capacity = rounded;
    return true;
}

bool frame_extend(struct video_frame *frame, size_t length, struct problem *problem)
{
    size_t wanted = frame->length + length;

    return wanted <= frame->capacity || frame_reserve(frame, wanted + wanted / 2, problem);
}

bool frame_append(struct video_frame *frame, const void *data, size_t length, struct problem *problem)
{
    if (!frame_extend(frame, length, problem))
        return false;
    if (length > 0)
        memcpy(frame->bytes + frame->length, data, length);
    frame->length += length;
    return true;
}

void frame_release(struct video_frame *frame)
{
    release_block(frame);
    *frame = (struct video_frame){.block = NULL};
}

void frame_order(const struct video_shape *shape, struct video_frame *frame)
{
    uint8_t *bytes = frame->bytes;

    if (shape->depth <= 8 || !samples_swap(ORDER_LITTLE))
        return;
    for (size_t i = 0; i + 1 < frame->length; i += 2) {
        uint8_t low = bytes[i];
        bytes[i] = bytes[i + 1];
        bytes[i + 1] = low;
    }
}
