/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes a part, the pictures that are encoded together: the host fills it in (jpeg/gpu/encode_part.c) and the
 * kernels read it. One buffer, the work, starts with an encode_work; all offsets in it count 32-bit words from its
 * start.
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
    ENCODE_BLOCKS = 128, /* most blocks in a tile; also the work-items of its work-group */
    /* Words of the longest block: a DC code with 11 bits and 63 AC codes with 10, the codes having 16 bits each. */
    ENCODE_BLOCK_WORDS = 53,
    ENCODE_MCU_BLOCKS = 10,
    ENCODE_DC_CODES = 16,                                   /* DC codes of a table */
    ENCODE_AC_CODES = 256,                                  /* AC codes of a table, behind the DC codes */
    ENCODE_CODES = 2 * (ENCODE_DC_CODES + ENCODE_AC_CODES), /* codes of a picture: by destination, DC before AC */
    /* For each coefficient in raster order 2^32 divided by the divisor, rounded up, and half the divisor. */
    ENCODE_QUANT = 128,
    ENCODE_PLACE_GROUP = 256, /* work-items that find the places of a picture's tiles */
    ENCODE_STREAM_GROUP = 128,
    ENCODE_SUMMED_TILES = 4096, /* most tiles in a picture for which each tile itself sums up what comes before */
    ENCODE_HEAD = 16            /* bytes in front of a picture's stream; the first four are its length */
};

/*
 * The lists with one word for each tile. If streams are gathered, two lists with one word for each picture follow: the
 * lengths of the streams in bytes, and their places, in units of 16 bytes.
 */
enum jpeg_encode_list {
    ENCODE_LENGTHS, /* number of bits of the tile's code */
    ENCODE_STARTS,  /* the position of its first bit, if intervals end in whole bytes */
    ENCODE_SIZES,   /* number of bytes of the stream that start in the tile, with stuffing and a marker behind them */
    ENCODE_OFFSETS, /* the position of its first byte in the stream */
    ENCODE_LISTS
};

struct jpeg_encode_work {
    u32 pictures; /* number of pictures */
    u32 picture;  /* offset of the first struct jpeg_encode_picture */
    u32 tiles;    /* offset of a list: the first tile of each picture, then the number of all tiles */
    u32 count;    /* number of all tiles */
    /*
     * 1: the buffer of streams begins with a word for each picture, the length of its stream; the streams follow in
     * order and without heads, each at the next multiple of 16 bytes. 0: each stream lies where its picture says.
     */
    u32 gathered;
    u32 room; /* gathered: units of 16 bytes in the buffer of streams */
};

/*
 * A sample of a component is the mean of a box of pixels' values. The value of a pixel is (Σ factor × channel + addend)
 * >> 16, of up to four channels.
 */
struct jpeg_encode_component {
    u32 h, v;               /* blocks in an MCU */
    u32 first_block;        /* index of its first block in an MCU */
    u32 blocks_w, blocks_h; /* blocks that hold samples, horizontally and vertically */
    u32 box_w, box_h;       /* width and height of a box in pixels */
    u32 rounding;           /* added to a box's sum, together with (if `alternate` is 1) the sample's column modulo 2 */
    u32 alternate;
    u32 part;          /* 2^16 divided by the number of pixels in a box, rounded up */
    u32 width, height; /* pixels that exist; beyond them the last one is repeated */
    u32 rows;          /* rows of samples; below them the last one is repeated */
    u32 table;         /* destination of its Huffman tables */
    i32 factor[4];
    i32 addend;
    u32 plain; /* 1 + the channel that holds its samples unchanged, one after the other; 0: there is no such channel */
};

/* Describes a channel of the pixels, which lie interleaved or in planes. */
struct jpeg_encode_channel {
    u32 address[2]; /* CUDA: low and high half of its first sample's address; 0: in the buffer of pixels */
    u32 offset[2];  /* low and high half of its first sample's place in the buffer of pixels */
    i32 pitch;      /* bytes from one row to the next */
    u32 step;       /* bytes from one pixel to the next */
};

/*
 * Says how samples are loaded. BY_RGB and BY_BGR load pixel by pixel: the pixels are interleaved and converted from RGB
 * to YCbCr; luma is not downsampled, and both chroma components alike by 1, 2 or 4 in width and by 1 or 2 in height.
 * The nibbles of these values are the bytes of a pixel that hold red, green, blue, and green again, from the lowest
 * nibble on.
 */
enum jpeg_encode_loading { ENCODE_BY_SAMPLE = 0, ENCODE_BY_RGB = 0x1210, ENCODE_BY_BGR = 0x1012 };

struct jpeg_encode_picture {
    u32 components;
    u32 mcus_w;
    u32 mcus;
    u32 mcu_blocks;
    u32 interval;       /* MCUs in a restart interval; all MCUs if there are no restart markers */
    u32 interval_tiles; /* tiles in a restart interval */
    u32 tile_mcus;      /* MCUs in a tile, except the last tile of an interval */
    u32 tiles;
    u32 bits; /* offset of its first word in the buffer of bits */
    /*
     * Offset of its Huffman codes: each has its code in the highest bits and its length in bits 0–4. Pictures with
     * equal codes and quantisers share them.
     */
    u32 codes;
    u32 stream;   /* place of its head in the buffer of streams, in units of 16 bytes; unused if streams are gathered */
    u32 capacity; /* bytes of room for the stream behind the head; unused if streams are gathered */
    u32 loading;  /* enum jpeg_encode_loading */
    u32 ragged;   /* 1: rows of pixels do not all start at multiples of 8 bytes; otherwise 0 */
    u32 summed;   /* 1: each tile sums up what comes before it; 0: place_bits and place_bytes do so */
    u32 padded;   /* 1: there are blocks without samples, which pad MCUs */
    u32 quant;    /* offset of ENCODE_QUANT words for each component, see ENCODE_QUANT */
    struct jpeg_encode_channel channel[4];
    struct jpeg_encode_component component[ENCODE_COMPONENTS];
};

enum { ENCODE_PICTURE_WORDS = sizeof(struct jpeg_encode_picture) / 4 };

#endif
