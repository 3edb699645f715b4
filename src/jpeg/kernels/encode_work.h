/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tells the kernels about a batch of pictures to encode. One buffer, the work, starts with an
 * encode_work; all offsets in it count 32-bit words from its start.
 *
 * A tile is a run of MCUs in coding order within one restart interval, of at most ENCODE_BLOCKS blocks. A work-group
 * codes a tile, and each of its work-items a block.
 */
#ifndef KOSTKA_JPEG_KERNELS_ENCODE_WORK_H
#define KOSTKA_JPEG_KERNELS_ENCODE_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
#endif

enum {
    ENCODE_COMPONENTS = 4,
    ENCODE_BLOCKS = 128, /* of a tile, at most; also the work-items of its group */
    ENCODE_BLOCK_WORDS =
        53, /* for the longest block: a DC code with 11 bits and 63 AC codes with 10, of 16 bits each */
    ENCODE_MCU_BLOCKS = 10,
    ENCODE_DC_CODES = 16,                                   /* of a table */
    ENCODE_AC_CODES = 256,                                  /* behind them */
    ENCODE_CODES = 2 * (ENCODE_DC_CODES + ENCODE_AC_CODES), /* of a picture: by destination, DC before AC */
    ENCODE_QUANT = 128,       /* raster order: 2^32 divided by the divisor, rounded up, and half the divisor */
    ENCODE_PLACE_GROUP = 256, /* work-items that put a picture's tiles in a row */
    ENCODE_STREAM_GROUP = 128,
    ENCODE_SUMMED_TILES = 4096, /* of a picture, at most, that tiles sum up by themselves */
    ENCODE_HEAD = 16            /* bytes before a picture's stream; the first four are its length */
};

/* Lists of one word a tile. */
enum encode_list {
    ENCODE_LENGTHS, /* bits of the tile's code */
    ENCODE_STARTS,  /* the bit at which they start where intervals end in whole bytes */
    ENCODE_SIZES,   /* bytes of the stream that start in the tile, with stuffing and a marker behind them */
    ENCODE_OFFSETS, /* the byte of the stream at which they start */
    ENCODE_LISTS
};

struct encode_work {
    u32 pictures; /* how many */
    u32 picture;  /* offset of the first struct encode_picture */
    u32 tiles;    /* offset of a list: the first tile of each picture, then the number of all tiles */
    u32 count;    /* of all tiles */
};

/*
 * A component's sample is the mean of a box of pixels' values, each (Σ factor × channel + addend) >> 16 of up to four
 * channels.
 */
struct encode_component {
    u32 h, v;               /* blocks in an MCU */
    u32 first_block;        /* in an MCU */
    u32 blocks_w, blocks_h; /* that hold samples */
    u32 box_w, box_h;       /* pixels of a box */
    u32 rounding;           /* added to a box's sum, as is, where this is 1, the sample's place modulo 2 */
    u32 alternate;
    u32 part;          /* 2^16 divided by the box's pixels, rounded up */
    u32 width, height; /* pixels that exist; beyond them the last is repeated */
    u32 rows;          /* of samples; below them the last is repeated */
    u32 table;         /* destination of its Huffman tables */
    i32 factor[4];
    i32 addend;
    u32 plain; /* 1 + the channel that holds its samples as they are, one after the other; 0: none does */
};

/* Channels of the pixels, which lie interleaved or in planes. */
struct encode_channel {
    u32 address[2]; /* CUDA: low and high half of its first sample's address; 0: in the buffer of pixels */
    u32 offset[2];  /* low and high half of its first sample's place in the buffer of pixels */
    i32 pitch;      /* bytes from row to row */
    u32 step;       /* and from pixel to pixel */
};

/*
 * By pixel: interleaved, from RGB to YCbCr; luma is not downsampled, chroma is alike by 1, 2 or 4 in width and by 1 or
 * 2 in height. The nibbles are the bytes of a pixel that hold red, green, blue, and green again, from the lowest on.
 */
enum encode_loading { ENCODE_BY_SAMPLE = 0, ENCODE_BY_RGB = 0x1210, ENCODE_BY_BGR = 0x1012 };

struct encode_picture {
    u32 components;
    u32 mcus_w;
    u32 mcus;
    u32 mcu_blocks;
    u32 interval;       /* MCUs in a restart interval; all of them where there is none */
    u32 interval_tiles; /* tiles in it */
    u32 tile_mcus;      /* MCUs in a tile but the last of an interval */
    u32 tiles;
    u32 bits;     /* its first in the buffer of bits, in words */
    u32 codes;    /* offset of its Huffman codes: a code in the highest bits, its length in bits 0–4 */
    u32 stream;   /* its head in the buffer of streams, in units of 16 bytes */
    u32 capacity; /* bytes behind the head */
    u32 loading;  /* enum encode_loading */
    u32 ragged;   /* 1 where rows of pixels do not all start at multiples of 8 bytes, else 0 */
    u32 summed;   /* 1: what comes before a tile is summed up where it is needed; 0: place_bits, place_bytes do it */
    u32 padded;   /* 1: there are blocks without samples, which fill MCUs up */
    u32 quant;    /* offset of ENCODE_QUANT words for each component, see there */
    struct encode_channel channel[4];
    struct encode_component component[ENCODE_COMPONENTS];
};

enum { ENCODE_PICTURE_WORDS = sizeof(struct encode_picture) / 4 };

#endif
