/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks descriptions of images before anything is read or written by them. */
#include "image/validate.h"

#include "image/format.h"
#include "image/location.h"

bool kst_plane_extent(const kst_plane *plane, kst_format format, size_t *row, size_t *extent)
{
    const uint64_t limit = PTRDIFF_MAX;
    uint64_t bytes = (uint64_t)plane->width * kst_format_samples(format) * kst_plane_sample_bytes(plane);
    /* Negate in unsigned arithmetic, because PTRDIFF_MIN has no positive counterpart. */
    uint64_t step = plane->pitch < 0 ? 0 - (uint64_t)plane->pitch : (uint64_t)plane->pitch;
    uint64_t steps = plane->height > 0 ? plane->height - 1 : 0;

    if (bytes > limit)
        return false;
    *row = (size_t)bytes;
    *extent = (size_t)bytes;
    if (steps == 0)
        return true;
    if (step < bytes || step > (limit - bytes) / steps)
        return false;
    *extent = (size_t)(steps * step + bytes);
    return true;
}

static bool count_fits(const kst_image *image)
{
    if (image->format == KST_FORMAT_RAW && image->more)
        return image->plane_count >= 1;
    if (kst_pixel_layout(image->format)->planes)
        return image->plane_count >= 1 && image->plane_count <= KST_IMAGE_PLANES_MAX;
    return image->plane_count == 1;
}

kst_status kst_image_check_shape(const kst_image *image)
{
    if (image == NULL || image->size < sizeof *image)
        return KST_ERROR_ARGUMENT;
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    if (layout->channels == 0 && !layout->planes)
        return KST_ERROR_IMAGE_FORMAT;
    if (image->width == 0 || image->height == 0 || !count_fits(image))
        return KST_ERROR_IMAGE_SIZE;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        if (plane->width == 0 || plane->height == 0)
            return KST_ERROR_IMAGE_SIZE;
        if (image->format != KST_FORMAT_RAW && (plane->width != image->width || plane->height != image->height))
            return KST_ERROR_IMAGE_SIZE;
        if (plane->sample > KST_SAMPLE_INT32 || plane->sample != image->plane[0].sample)
            return KST_ERROR_IMAGE_SAMPLE;
        if (kst_sample_is_integer(plane->sample) && kst_plane_depth(plane) > KST_IMAGE_DEPTH_MAX)
            return KST_ERROR_IMAGE_DEPTH;
    }
    return KST_OK;
}

bool kst_plane_is_aligned(const kst_plane *plane, uint64_t first)
{
    ptrdiff_t bytes = (ptrdiff_t)kst_plane_sample_bytes(plane);
    return first % (uint64_t)bytes == 0 && (plane->height <= 1 || plane->pitch % bytes == 0);
}

static kst_status check_buffer(const kst_plane *plane, kst_format format)
{
    size_t row, extent;
    uintptr_t first = (uintptr_t)plane->data;

    if (plane->data == NULL)
        return KST_ERROR_ARGUMENT;
    if (!kst_plane_extent(plane, format, &row, &extent))
        return KST_ERROR_IMAGE_PITCH;
    if (!kst_plane_is_aligned(plane, first))
        return KST_ERROR_IMAGE_PITCH;
    if (plane->pitch >= 0 || plane->height == 1)
        return extent - 1 > UINTPTR_MAX - first ? KST_ERROR_IMAGE_PITCH : KST_OK;
    return extent - row > first || row - 1 > UINTPTR_MAX - first ? KST_ERROR_IMAGE_PITCH : KST_OK;
}

kst_status kst_image_check(const kst_image *image)
{
    kst_status status = kst_image_check_shape(image);

    if (status)
        return status;
    if (image->memory != KST_MEMORY_HOST && image->memory != KST_MEMORY_PINNED)
        return KST_ERROR_IMAGE_MEMORY;
    for (uint32_t i = 0; i < image->plane_count && !status; i++)
        status = check_buffer(kst_image_plane(image, i), image->format);
    return status;
}

kst_status kst_image_match(const kst_image *image, const kst_image *wanted)
{
    if (image->format != wanted->format)
        return KST_ERROR_IMAGE_FORMAT;
    if (image->width != wanted->width || image->height != wanted->height || image->plane_count != wanted->plane_count)
        return KST_ERROR_IMAGE_SIZE;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *a = kst_image_plane(image, i), *b = kst_image_plane(wanted, i);
        if (a->width != b->width || a->height != b->height)
            return KST_ERROR_IMAGE_SIZE;
        if (a->sample != b->sample)
            return KST_ERROR_IMAGE_SAMPLE;
        if (kst_sample_is_integer(a->sample) &&
            (kst_plane_depth(a) != kst_plane_depth(b) || a->is_signed != b->is_signed))
            return KST_ERROR_IMAGE_DEPTH;
    }
    return KST_OK;
}

/* Holds the range of bytes of a checked plane, as offsets in a buffer, or as addresses if `buffer` is 0. */
struct plane_bytes {
    uintptr_t buffer, first, end;
};

static struct plane_bytes bytes_of(const kst_image *image, uint32_t index)
{
    const kst_plane *plane = kst_image_plane(image, index);
    bool is_handle = kst_memory_is_device(image->memory) && !kst_memory_has_addresses(image->memory);
    bool has_offsets = kst_memory_has_offsets(image->memory);
    size_t row, extent = 1; /* what a device's image lacks is found when it is imported */
    struct plane_bytes bytes = {0, (uintptr_t)plane->data, 0};
    if (is_handle)
        bytes = (struct plane_bytes){(uintptr_t)plane->data, has_offsets ? plane->offset : 0, 0};
    if (!kst_plane_extent(plane, image->format, &row, &extent))
        row = extent;
    if (plane->pitch < 0 && plane->height > 1)
        bytes.first -= extent - row;
    bytes.end = bytes.first + extent;
    return bytes;
}

kst_status kst_image_check_apart(const kst_image *a, const kst_image *b)
{
    for (uint32_t i = 0; i < a->plane_count; i++) {
        for (uint32_t k = 0; k < b->plane_count; k++) {
            struct plane_bytes one = bytes_of(a, i), other = bytes_of(b, k);
            if (one.buffer == other.buffer && one.first < other.end && other.first < one.end)
                return KST_ERROR_IMAGE_OVERLAP;
        }
    }
    return KST_OK;
}
