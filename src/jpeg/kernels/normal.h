/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts samples to floating-point numbers on their way to the output, with the same bits that image/normalise.c
 * makes of them.
 */
#include "kernels/halves.h"

#include "jpeg/kernels/picture.h"

FUNCTION u32 sample_of(u32 word, u32 index)
{
    return word >> (8 * index) & 0xFF;
}

/*
 * Return (value − mean) × scale, each step rounded once. In this order a compiler has nothing to contract to a fused
 * operation.
 */
FUNCTION u32 normalise(GLOBAL const struct jpeg_work_picture *picture, u32 value, u32 channel)
{
    float difference = (float)value - float_of(picture->mean[channel]);
    return bits_of(difference * float_of(picture->scale[channel]));
}

/* Store `count` samples from number `at` on one by one, and none behind the end of the row. */
FUNCTION void store_singly(GLOBAL void *row, u32 sample, u32 at, u32 count, u32x4 value)
{
    u32 values[4] = {value.x, value.y, value.z, value.w};
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        if (i < count && sample == WORK_HALVES)
            ((GLOBAL u16 *)row)[at + i] = (u16)values[i];
        else if (i < count)
            ((GLOBAL u32 *)row)[at + i] = values[i];
    }
}

/*
 * Holds the kind of samples in a picture's rows, the width of a row, and the bytes from one plane to the next; 0:
 * interleaved.
 */
struct number_rows {
    u32 sample, width, plane;
};

/*
 * Store four samples, which come as a word of bytes, as numbers 4 · `at` to 4 · `at` + 3 of a row. `first` is the
 * channel of the first sample, and `together` the number of channels that alternate in the row.
 */
FUNCTION void store_numbers(GLOBAL const struct jpeg_work_picture *picture, struct number_rows rows, GLOBAL void *row,
    u32 at, u32 word, u32 first, u32 together)
{
    u32 half_wide = rows.sample == WORK_HALVES, value[4], length = rows.width * together;
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        u32 channel = together > 1 ? (first + i) % together : first;
        u32 bits = normalise(picture, sample_of(word, i), channel);
        value[i] = half_wide ? half_of(bits) : bits;
    }
    u32x4 values = make_u32x4(value[0], value[1], value[2], value[3]);
    if (picture->ragged)
        store_singly(row, rows.sample, 4 * at, 4 * at < length ? length - 4 * at : 0, values);
    else if (half_wide)
        ((GLOBAL u32x2 *)row)[at] = make_u32x2(value[0] | value[1] << 16, value[2] | value[3] << 16);
    else
        ((GLOBAL u32x4 *)row)[at] = values;
}

/* Store a line of a tile as floating-point numbers, where store_line() of tiles.h stores bytes. */
OUTLINED void store_line_of_numbers(
    GLOBAL const struct jpeg_work_picture *picture, LOCAL const u32 *line, u32 lane, u32 x, GLOBAL u8 *row)
{
    struct number_rows rows = {picture->sample, picture->width, picture->output_plane};
    u32 planar = rows.plane > 0, together = planar ? 1 : picture->channels;
    u32 fours = (rows.width + 3) / 4 - x / 4, words = (fours < 64 ? fours : 64) * together;
    for (u32 i = 0; i < (planar ? picture->channels : 1); i++, line += 64, row += rows.plane)
        for (u32 j = lane; j < words; j += 32)
            store_numbers(picture, rows, row, x / 4 * together + j, line[j], planar ? i : 4 * j % together, together);
}
