/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tells the kernels about a batch of JPEG 2000 pictures. One buffer, the work, starts with a
 * j2k_batch_work; all offsets in it count 32-bit words from its start. Tiles of a picture and pictures of a batch are
 * the same to the kernels: they see lists of segments, code-blocks, levels and outputs. Every index is valid; a kernel
 * checks only what depends on coded bits.
 */
#ifndef KOSTKA_J2K_KERNELS_WORK_H
#define KOSTKA_J2K_KERNELS_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
#endif

enum {
    J2K_GATHER_GROUP = 64,  /* work-items, which share a segment */
    J2K_DECODE_GROUP = 128, /* work-items; J2K_BUNDLE of them share a bundle of blocks */
    J2K_BUNDLE = 32,
    J2K_WAVE_GROUP = 96,   /* work-items: J2K_BUNDLE for each kind of pass */
    J2K_STORE_GROUP = 256, /* work-items, each of which stores a word of a bundle */
    J2K_GIVEN_GROUP = 256, /* work-items, which share a block that the host decoded */
    J2K_WORD_COLUMNS = 8,  /* of a stripe, of which a word holds a bit for each coefficient */
    J2K_LEVEL_GROUP = 256,
    J2K_LEVEL_WIDTH = 56, /* samples of a level that a group makes */
    J2K_LEVEL_HEIGHT = 32,
    J2K_OUTPUT_GROUP = 256,
    J2K_OUTPUT_WIDTH = 64, /* pixels that a group puts out */
    J2K_OUTPUT_HEIGHT = 16,
    J2K_OUTPUT_PIXELS = 4, /* of a row, by a work-item */
    J2K_WORK_CHANNELS = 4,
    J2K_PLANES_MOST = 74,
    J2K_SEGMENT_HEAD = 2, /* words in front of a segment's bits: their number, with J2K_ENDED; the last two bytes */
    J2K_WORK_DAMAGE = 2   /* of a picture: damaged blocks, least offset of one */
};

#define J2K_ENDED 0x80000000u  /* all bytes are among the bits: none was a marker */
#define J2K_MARKED 0x40000000u /* the last byte was, no other is missing */

/* Consecutive bytes in the buffer of streams. */
struct work_piece {
    u32 offset, length;
};

/* Coding passes that share one codeword. */
struct work_codeword {
    u32 piece; /* offset of its first struct work_piece */
    u32 pieces;
    u32 bits; /* where its head and bits are put: words in the buffer of bits */
    u16 passes;
    u16 raw;
};

/* A code-block. Blocks are sorted: those of a bundle take about as long, and the longest are first. */
struct work_block {
    u32 segment; /* offset of its first struct work_codeword */
    u16 segments;
    u16 planes; /* bit planes that are coded, 1 to J2K_PLANES_MOST */
    u16 width, height;
    u8 style;    /* of Table A.19 */
    u8 contexts; /* which table of zero coding: 0 LL and LH, 1 HL, 2 HH */
    u8 roi_shift;
    u8 too_deep;  /* nothing of it can be decoded */
    i32 fraction; /* bits below the lowest plane; negative: planes left out */
    u32 factor;   /* bits of the single-precision number that makes coefficients of indices; 0: integers */
    u32 to;       /* of its sample at (left, top), in the buffer of samples */
    u32 pitch;
    u32 narrow;                   /* samples have 16 bits; see below */
    u16 left, top, right, bottom; /* the part of it that is wanted */
    u32 picture;
    u32 offset; /* of its first byte in the picture's stream, which damage is told by */
};

/* Coefficients of a block that the host decoded, row by row without gaps: where they are, and where they go. */
struct work_given {
    u32 from; /* in the buffer of given coefficients: words */
    u32 to;   /* in the buffer of samples, as of a block, and so are these: */
    u32 pitch;
    u32 narrow;
    u32 width, height;
};

/* Of blocks that wide, from a stripe's words to the next one's: there is one in front that holds nothing. */
#define J2K_PITCH(width) (((width) + J2K_WORD_COLUMNS - 1) / J2K_WORD_COLUMNS + 1)

/* Blocks side by side, one a lane: word i of lane l is at i × lanes + l. */
struct work_bundle {
    u32 block; /* the first of the sorted blocks */
    u32 blocks;
    u32 lanes;   /* a power of two up to J2K_BUNDLE */
    u32 width;   /* of the widest */
    u32 stripes; /* of the highest */
    u32 history; /* decoding: bit planes; encoding: half-words a column, for planes that its word has no room for */
    u32 state;   /* offset in the buffer of states, a multiple of 4: see passes.h */
    u32 flights; /* planes of a block that are decoded at once, a power of two, `lanes` × that ≤ J2K_BUNDLE; 0: passes
                    follow each other */
};

/* Of a block, instead of the number of its passes: decoding them at once met damage. */
#define J2K_AGAIN 0xFFFFFFFFu

/*
 * Samples of a tile, its coefficients included, have 32 bits, or 16 where that is enough for all of them whatever the
 * coded bits are (j2k/plan/range.h). Then places in the buffer of samples count half-words, not words.
 */

/* A resolution of a tile-component, made from the one below and three bands (T.800 F.3). */
struct work_level {
    u32 x0, y0, x1, y1; /* its rectangle, less an even number: x0 and y0 are 0 or 1 */
    u32 band[4];        /* in the buffer of samples, by orientation */
    u32 pitch[4];
    u32 to;
    u32 to_pitch;
};

/* Samples of one to three components that are put out together. */
struct work_output {
    u32 width, height;
    u32 from[3]; /* in the buffer of samples; not with the last level made at once */
    u32 pitch[3];
    u32 transform; /* 0 none, 1 RCT, 2 ICT */
    u32 reversible;
    u32 first; /* component */
    u32 count; /* 1 or 3 */
    u32 x, y;  /* in the component's area */
    u32 depth[3];
    u32 is_signed[3];
    u32 filled;    /* nothing is read: all coefficients are 0 */
    u32 view;      /* which one has its channels */
    u32 level;     /* with the last level made at once, that of the first of three components; the others follow */
    u32 left, top; /* with that, where in the level it starts */
    u32 plain;     /* likewise: the pixels are just these, 8 bits each and unsigned */
    u32 narrow;    /* samples have 16 bits */
};

/* A channel of the picture. */
struct work_channel {
    u32 component; /* J2K_CONSTANT: `value` */
    u32 value;
    u32 offset[2]; /* of the first byte, in the buffer of pixels; CUDA: or its address; low and high half */
    u32 pitch;     /* bytes */
    u32 step;      /* samples from one to the next */
    u32 bytes;     /* of a sample: 1, 2 or 4 */
    u32 absolute;  /* it is an address */
};

#define J2K_CONSTANT 0xFFFFFFFFu

/* Channels of a picture, all of them or, where there are more, those of some neighbouring components. */
struct work_view {
    u32 channels;
    u32 packed; /* 3 or 4: channels of a byte next to each other, in order, each there */
    u32 reserved[2];
    struct work_channel channel[J2K_WORK_CHANNELS];
};

/* Samples of a component that channels of a picture are made of, put out whole: see convert.h. */
struct work_source {
    u32 offset[2];      /* of the first byte, in the buffer of pixels; low and high half */
    u32 pitch;          /* bytes */
    u32 bytes;          /* of a sample: 1 or 2 */
    u32 step;           /* samples from one to the next: 1 or 3 */
    u32 x0, y0, x1, y1; /* its area: never empty */
    u32 dx, dy;         /* from a sample to the next one on the reference grid: 1 to 255 */
    u32 palette;        /* offset of what samples stand for, two in a word; 0: themselves */
    u32 last;           /* the highest index there is; larger ones count as it */
};

/* A picture whose channels are not components as they are. */
struct work_composite {
    u32 width, height; /* pixels, as stored */
    u32 x, y;          /* where the first lies on the reduced reference grid */
    u32 sources;
    u32 ycc;               /* the first three are sYCC: bits of their samples; 0: they are not */
    u32 orientation;       /* Exif's, 1 to 8: how the image is seen */
    u32 numbers;           /* samples of the image are floating-point: (value − mean) × scale */
    u32 mean[4], scale[4]; /* of each channel: bits of single-precision numbers */
    struct work_source source[J2K_WORK_CHANNELS]; /* by colour, and then alpha */
    struct work_view view;                        /* of the image, whose channels name sources, not components */
};

struct j2k_batch_work {
    u32 segments, segment; /* how many; offset of the first */
    u32 blocks, block;
    u32 bundles, bundle;
    u32 view;  /* offset of the first struct work_view */
    u32 level; /* offset of the first struct work_level */
    u32 output;
    u32 store_groups; /* offset of a list: the first group of each bundle */
    u32 origin;       /* 0: addresses that it is added to are worked out once, not for each symbol */
    u32 wave;         /* the first bundle with flights; there are only such behind it */
    u32 given;        /* offset of the first struct work_given */
};

#endif
