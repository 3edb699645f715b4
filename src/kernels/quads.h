/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads four neighbouring pixels of bytes in words, and separates their channels; stores words of a row. */
#include "kernels/place.h"

/* Return how many bytes a place lies behind a multiple of 4. OpenCL's buffers begin at such a multiple. */
FUNCTION u32 oddness_of(GLOBAL const u8 *buffer, u64 place)
{
#if defined(__CUDACC__)
    return (u32)((u64)buffer + place) & 3;
#else
    (void)buffer;
    return (u32)place & 3;
#endif
}

FUNCTION GLOBAL const u32 *source_words_at(GLOBAL const u8 *buffer, u64 place)
{
    return (GLOBAL const u32 *)(GLOBAL const void *)source_at(buffer, place);
}

FUNCTION GLOBAL const u32x4 *quads_at(GLOBAL const u32 *work, u32 at)
{
    return (GLOBAL const u32x4 *)(GLOBAL const void *)(work + at);
}

/*
 * Load four pixels from byte `at` of a row on, of which `length` bytes may be read; bytes beyond that are 0. If the
 * pixels are not aligned, the words around them are read only if they lie within the row.
 */
FUNCTION void load_quad(GLOBAL const u8 *from, u64 row, u32 at, u32 length, const u32 channels, u32 *word)
{
    u64 place = row + at;
    u32 odd = oddness_of(from, place);
    if (odd == 0 && at + 4 * channels <= length) {
        GLOBAL const u32 *words = source_words_at(from, place);
        UNROLL for (u32 i = 0; i < channels; i++) word[i] = words[i];
    } else if (at >= odd && at - odd + 4 * channels + 4 <= length) {
        GLOBAL const u32 *words = source_words_at(from, place - odd);
        u32 low = words[0];
        UNROLL for (u32 i = 0; i < channels; i++)
        {
            u32 high = words[i + 1];
            word[i] = shift_pair(low, high, 8 * odd);
            low = high;
        }
    } else {
        GLOBAL const u8 *bytes = source_at(from, row);
        UNROLL for (u32 i = 0; i < channels; i++)
        {
            word[i] = 0;
            for (u32 j = 0; j < 4; j++)
                word[i] |= (at + 4 * i + j < length ? (u32)bytes[at + 4 * i + j] : 0) << (8 * j);
        }
    }
}

/* Transpose the words of four pixels from pixel after pixel to channel after channel. */
FUNCTION void separate(const u32 channels, u32 *word)
{
    u32 a = word[0], b = channels > 1 ? word[1] : 0, c = channels > 1 ? word[2] : 0, d = channels > 3 ? word[3] : 0;
    if (channels == 3) {
        word[0] = pick_bytes(pick_bytes(a, b, 0x0630), c, 0x5210);
        word[1] = pick_bytes(pick_bytes(a, b, 0x0741), c, 0x6210);
        word[2] = pick_bytes(pick_bytes(a, b, 0x0052), c, 0x7410);
    } else if (channels == 4) {
        u32 low = pick_bytes(a, b, 0x5140), high = pick_bytes(c, d, 0x5140);
        word[0] = pick_bytes(low, high, 0x5410);
        word[1] = pick_bytes(low, high, 0x7632);
        low = pick_bytes(a, b, 0x7362);
        high = pick_bytes(c, d, 0x7362);
        word[2] = pick_bytes(low, high, 0x5410);
        word[3] = pick_bytes(low, high, 0x7632);
    }
}

/* Return the aligned word that a byte lies in. */
FUNCTION GLOBAL const u32 *word_around(GLOBAL const u8 *at)
{
#if defined(__CUDACC__)
    return (const u32 *)((u64)at & ~(u64)3);
#else
    return (GLOBAL const u32 *)(GLOBAL const void *)(at - ((uintptr_t)at & 3));
#endif
}

/* Store a word at byte `at` of a row: only the bytes within the row's `length`. */
FUNCTION void store_word(GLOBAL u8 *row, u32 at, u32 length, u32 word)
{
    if (at + 4 <= length && is_aligned(row + at)) {
        *(GLOBAL u32 *)(GLOBAL void *)(row + at) = word;
        return;
    }
    for (u32 i = 0; i < 4 && at + i < length; i++)
        row[at + i] = (u8)(word >> 8 * i);
}
