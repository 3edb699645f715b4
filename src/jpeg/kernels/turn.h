/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns pictures as their Exif orientation says (Exif 2.32, 4.6.4 A). */
#include "kernels/turn.h"

#include "jpeg/kernels/pixels.h"

enum { TURN_GROUP = WORK_CONVERT_GROUP, TURN_LANES = WORK_TURN_SIDE / 4 };

/* Return the channels of a pixel of the stored picture, the first in the lowest byte. */
FUNCTION u32 stored_pixel(GLOBAL const struct jpeg_work_picture *picture, GLOBAL const u32 *pixels, u32 x, u32 y)
{
    GLOBAL const u32 *row = pixels + picture->output + (u64)y * (picture->output_pitch / 4);
    GLOBAL const u8 *bytes = (GLOBAL const u8 *)row;
    u32 pixel = 0, step = picture->output_plane > 0 ? picture->output_plane : 1;
    if (picture->output_plane == 0 && picture->channels == 4)
        return row[x];
    x = picture->output_plane > 0 ? x : x * picture->channels;
    for (u32 i = 0; i < picture->channels; i++)
        pixel |= (u32)bytes[x + (u64)i * step] << (8 * i);
    return pixel;
}

/*
 * Turn pixels, four of a row of the turned picture by each work-item. `stored` is the buffer of pixels; the other
 * arguments are as for convert_pixels.
 */
KERNEL(TURN_GROUP) turn_pixels(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *stored, GLOBAL u32 *pixels, u32 skip)
{
    u32 first, index = find_picture(work, WORK_OF_TURNS, group_index() + skip, &first);
    GLOBAL const struct jpeg_work_picture *picture = picture_at(work, index);
    struct turn turn = find_turn(picture->orientation);
    u32 width = turn.swaps ? picture->height : picture->width, height = turn.swaps ? picture->width : picture->height;
    u32 group = group_index() + skip - first, groups_of_row = (width + WORK_TURN_SIDE - 1) / WORK_TURN_SIDE;
    u32 x = group % groups_of_row * WORK_TURN_SIDE + local_index() % TURN_LANES * 4;
    u32 y = group / groups_of_row * WORK_TURN_SIDE + local_index() / TURN_LANES, pixel[4];
    if (x >= width || y >= height)
        return;
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 at = x + i < width ? x + i : width - 1, across = turn.swaps ? y : at, down = turn.swaps ? at : y;
        across = turn.from_right ? picture->width - 1 - across : across;
        down = turn.from_bottom ? picture->height - 1 - down : down;
        pixel[i] = stored_pixel(picture, stored, across, down);
    }
    GLOBAL u32 *out = first_pixel(picture->turned_address, pixels, picture->turned);
    GLOBAL u32 *row = out + (u64)y * (picture->turned_pitch / 4);
    struct number_rows rows = {picture->turned_sample, width, picture->turned_plane};
    if (rows.sample != WORK_BYTES)
        store_pixels_of_numbers(picture, rows, (GLOBAL u8 *)out + (u64)y * picture->turned_pitch, x / 4,
            make_u32x4(pixel[0], pixel[1], pixel[2], pixel[3]));
    else
        store_pixels(row, picture->channels, picture->turned_plane / 4, x / 4, pixel);
}
