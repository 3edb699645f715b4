/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns pictures as Exif's orientation says. */
#include "image/orient.h"

#include <string.h>

#include "image/validate.h"

/*
 * The side in pixels of the squares that are turned one by one, so that their source and target rows stay in the cache.
 */
enum { TILE = 32 };

/* Says how to walk the source while writing the destination row by row. */
struct pixel_walk {
    const uint8_t *origin; /* the source pixel of destination pixel (0, 0) */
    ptrdiff_t x;           /* bytes from one destination pixel's source to the next one's in the row */
    ptrdiff_t y;           /* and to that of the pixel below */
};

bool kst_orientation_swaps(int orientation)
{
    return orientation >= 5 && orientation <= 8;
}

/*
 * Return the walk for an orientation, by the table of Exif 2.32, 4.6.4 A: where the 0th row and the 0th column of the
 * stored picture are seen.
 */
static struct pixel_walk walk_of(const kst_plane *from, ptrdiff_t pixel, int orientation)
{
    bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    ptrdiff_t across = from_right ? -pixel : pixel;
    ptrdiff_t down = from_bottom ? -from->pitch : from->pitch;
    struct pixel_walk walk = {from->data, across, down};

    if (from_right)
        walk.origin += (ptrdiff_t)(from->width - 1) * pixel;
    if (from_bottom && from->height > 1)
        walk.origin += (ptrdiff_t)(from->height - 1) * from->pitch;
    if (kst_orientation_swaps(orientation)) {
        walk.x = down;
        walk.y = across;
    }
    return walk;
}

/* Copy one row of a tile. The pixel sizes are written out so that each copy is a plain move. */
static void turn_row(uint8_t *to, const uint8_t *from, ptrdiff_t step, uint32_t count, size_t pixel)
{
    switch (pixel) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            to[i] = from[(ptrdiff_t)i * step];
        break;
    case 3:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + 3 * (size_t)i, from + (ptrdiff_t)i * step, 3);
        break;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + 4 * (size_t)i, from + (ptrdiff_t)i * step, 4);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + pixel * i, from + (ptrdiff_t)i * step, pixel);
        break;
    }
}

static void turn_plane(const kst_plane *to, struct pixel_walk walk, size_t pixel)
{
    for (uint32_t top = 0; top < to->height; top += TILE) {
        uint32_t rows = to->height - top < TILE ? to->height - top : TILE;
        for (uint32_t left = 0; left < to->width; left += TILE) {
            uint32_t columns = to->width - left < TILE ? to->width - left : TILE;
            for (uint32_t y = top; y < top + rows; y++) {
                const uint8_t *source = walk.origin + (ptrdiff_t)left * walk.x + (ptrdiff_t)y * walk.y;
                uint8_t *row = (uint8_t *)to->data + (ptrdiff_t)y * (to->height > 1 ? to->pitch : 0);
                turn_row(row + left * pixel, source, walk.x, columns, pixel);
            }
        }
    }
}

void kst_image_swap_sides(kst_image *image)
{
    uint32_t width = image->width;
    image->width = image->height;
    image->height = width;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        ptrdiff_t pixel = plane->pitch / (ptrdiff_t)plane->width;
        plane->width = image->width;
        plane->height = image->height;
        plane->pitch = pixel * (ptrdiff_t)plane->width;
    }
}

kst_status kst_image_orient(const kst_image *from, const kst_image *to, int orientation)
{
    kst_status status = kst_image_check(from);
    kst_image wanted;

    if (!status)
        status = kst_image_check(to);
    if (status)
        return status;
    if (orientation < 1 || orientation > 8)
        return KST_ERROR_ARGUMENT;
    if (from->format == KST_FORMAT_RAW)
        return KST_ERROR_IMAGE_FORMAT;
    wanted = *from;
    if (kst_orientation_swaps(orientation))
        kst_image_swap_sides(&wanted);
    if ((status = kst_image_match(to, &wanted)))
        return status;
    for (uint32_t i = 0; i < from->plane_count; i++) {
        size_t pixel = (size_t)kst_format_samples(from->format) * kst_plane_sample_bytes(&from->plane[i]);
        turn_plane(&to->plane[i], walk_of(&from->plane[i], (ptrdiff_t)pixel, orientation), pixel);
    }
    return KST_OK;
}
