/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the picture, the segment and the output of a work-group in the work. */
#include "jpeg/kernels/work.h"
#include "kernels/search.h"

FUNCTION GLOBAL const struct jpeg_work_picture *picture_at(GLOBAL const u32 *work, u32 index)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    return (GLOBAL const struct jpeg_work_picture *)(work + head->picture) + index;
}

/* Return the picture that a group belongs to; *first receives the picture's first group. */
FUNCTION u32 find_picture(GLOBAL const u32 *work, enum jpeg_work_kind kind, u32 group, u32 *first)
{
    GLOBAL const struct jpeg_work *head = (GLOBAL const struct jpeg_work *)work;
    GLOBAL const u32 *list = work + head->groups[kind];
    u32 low = find_owner(list, head->pictures, group);
    *first = list[low];
    return low;
}

/*
 * Return the first pixel of an output: it lies at an address or, if that is 0, behind `first` words of the launch's
 * buffer.
 */
FUNCTION GLOBAL u32 *first_pixel(GLOBAL const u32 *address, GLOBAL u32 *pixels, u32 first)
{
#if defined(__CUDACC__)
    u64 place = (u64)address[1] << 32 | address[0];
    if (place != 0)
        return (u32 *)place;
#else
    (void)address;
#endif
    return pixels + first;
}

/*
 * Return the first pixel of the output. `pixels` is the buffer that the launch passes: that of the part or the
 * caller's.
 */
FUNCTION GLOBAL u32 *picture_output(GLOBAL const struct jpeg_work_picture *picture, GLOBAL u32 *pixels)
{
    return first_pixel(picture->output_address, pixels, picture->output);
}

FUNCTION GLOBAL const struct jpeg_work_segment *segment_at(
    GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, u32 index)
{
    return (GLOBAL const struct jpeg_work_segment *)(work + picture->segment) + index;
}

/* Return the segment that a chunk belongs to. */
FUNCTION u32 find_segment(GLOBAL const u32 *work, GLOBAL const struct jpeg_work_picture *picture, u32 chunk)
{
    u32 low = 0, high = picture->segments;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (segment_at(work, picture, middle)->first_chunk <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}
