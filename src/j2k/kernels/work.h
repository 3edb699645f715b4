/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the records by which the host describes a part of JPEG 2000 pictures to the decoding kernels; host code and
 * kernels include this file. A buffer that is called the work starts with a j2k_part_work; all offsets in it count
 * 32-bit words from its start. Kernels do not tell tiles of a picture from pictures of a part: they see lists
 * of segments, code-blocks, levels and outputs. Every index is valid; a kernel checks only what depends on coded bits.
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
    J2K_GATHER_GROUP = 64,  /* work-items of a group, which gathers a segment */
    J2K_DECODE_GROUP = 128, /* work-items of a group; each J2K_BUNDLE of these decode a bundle of blocks */
    J2K_BUNDLE = 32,
    J2K_WAVE_GROUP = 96,        /* work-items of a group: J2K_BUNDLE for each of the three kinds of pass */
    J2K_STORE_GROUP = 256,      /* work-items of a group; each stores a word of a bundle */
    J2K_QUAD_GROUP = 64,        /* work-items of a group; each may have a T.814 block */
    J2K_SAMPLE_GROUP = 32,      /* work-items of a group, which decodes a T.814 block */
    J2K_REFINE_GROUP = 32,      /* likewise */
    J2K_HOST_BLOCK_GROUP = 256, /* work-items of a group, which share a block that the host decoded */
    J2K_WORD_COLUMNS = 8,       /* columns of a stripe that a word of bits covers, one bit for each coefficient */
    J2K_STRIP_GROUP = 32,
    J2K_STRIP_WIDTH = 128, /* columns of a strip that a group transforms, including margins, which are not its own */
    J2K_STRIP_MARGIN = 4,
    J2K_STRIP_STEP = J2K_STRIP_WIDTH - 2 * J2K_STRIP_MARGIN,
    J2K_STRIP_ROWS = 64, /* most rows of a strip, and of one that writes pixels; see levels.c for both numbers */
    J2K_FINISHED_ROWS = 256,
    J2K_OUTPUT_GROUP = 256,
    J2K_OUTPUT_WIDTH = 64, /* width and height of the pixels that a group writes */
    J2K_OUTPUT_HEIGHT = 16,
    J2K_OUTPUT_PIXELS = 4, /* pixels of a row that a work-item writes */
    J2K_COLUMN_GROUP = 64, /* work-items of a group; each has a column of a volume */
    J2K_COLUMN_ROWS = 32,  /* most rows of a column that are kept in the group's memory; with other kernels, the next */
    J2K_COLUMN_MORE = 64,
    J2K_PAIRS_ABOVE = 2, /* pairs of rows in front of a level along z that it depends on; see struct j2k_work_z_level */
    J2K_PAIRS_BELOW = 5, /* pairs of rows behind the level, which are loaded, but not used */
    J2K_WORK_CHANNELS = 4,
    /*
     * Words in front of a segment's bits: their number, with J2K_ENDED or J2K_MARKED; and the segment's last two bytes.
     */
    J2K_SEGMENT_HEAD = 2,
    J2K_WORK_DAMAGE = 2 /* words of a picture's damage: number of damaged blocks, and least offset of a damaged block */
};

#define J2K_ENDED 0x80000000u  /* the bits hold all bytes of the segment, because none was a marker */
#define J2K_MARKED 0x40000000u /* the last byte of the segment was a marker; no other byte is missing */

/* Describes a piece: consecutive bytes in the buffer of streams. */
struct j2k_work_piece {
    u32 offset, length;
};

/* Describes a codeword segment: coding passes that share one codeword. */
struct j2k_work_codeword {
    u32 piece; /* offset of its first struct j2k_work_piece */
    u32 pieces;
    u32 bits; /* where its head and bits are put, in words of the buffer of bits */
    u16 passes;
    u16 raw;
};

/*
 * Describes a code-block. Blocks are sorted so that the blocks of a bundle take about the same time, and the longest
 * come first.
 */
struct j2k_work_block {
    u32 segment; /* offset of its first struct j2k_work_codeword */
    u16 segments;
    u16 planes; /* coded bit-planes, 1 to J2K_BLOCK_PLANES */
    u16 width, height;
    u8 style;    /* enum j2k_style */
    u8 contexts; /* table of zero coding: 0 for LL and LH, 1 for HL, 2 for HH */
    u8 roi_shift;
    u8 too_deep;  /* its magnitudes have too many bits, so that nothing of it can be decoded */
    i32 fraction; /* fraction bits below the lowest plane; negative: planes that are left out */
    /*
     * Factor from quantiser indices to coefficients, as the bits of a single-precision number; 0: coefficients are
     * integers.
     */
    u32 factor;
    u32 to; /* place of its sample at (left, top) in the buffer of samples */
    u32 pitch;
    u16 narrow; /* samples have 16 bits; see below */
    /*
     * The last codeword is cut short, so that its end does not indicate damage; never set where each pass is
     * terminated.
     */
    u16 cut;
    u16 left, top, right, bottom; /* the wanted part of the block */
    u32 picture;
    u32 offset; /* offset of its first byte in the picture's stream, which is reported if it is damaged */
};

/* Describes a T.814 code-block, with the last of its HT sets that has bytes. */
struct j2k_work_ht_block {
    u32 from, length;  /* the cleanup pass: place in the buffer of streams, and bytes */
    u32 piece, pieces; /* the refinement passes: offset of their first struct j2k_work_piece, and number */
    u32 refinement;    /* bytes of the refinement passes */
    /*
     * Place in the buffer of states, a multiple of 2. The state has a word for each quad, and with three passes a word
     * for each sample behind them.
     */
    u32 state;
    u16 passes; /* 1–3; 0: the block has no set, or the record is for a gap between blocks: all samples are 0 */
    u16 broken; /* its lengths are impossible, or its magnitudes have too many bits: the block is damaged */
    u16 bits;   /* most bits of a magnitude in the cleanup pass, 1–31 */
    u16 plane;  /* bit-plane of the cleanup pass */
    u16 width, height;
    u16 left, top, right, bottom; /* this and the members from `fraction` on are as in struct j2k_work_block */
    u16 roi_shift;
    u16 causal; /* significance propagation does not look at the stripe below */
    i32 fraction;
    u32 factor;
    u32 to;
    u32 pitch;
    u32 narrow;
    u32 picture;
    u32 offset;
};

/*
 * A word describes a quad; see tables/ht.h. Bits 11–14 say which of its samples are significant, bits 19–22 for which
 * of them the first bit of the number is known, and bits 15–18 are the values of those bits. u is in the seven bits
 * from J2K_QUAD_U_AT on. The other fields are those that the next quads' codes depend on: the length of the quad's
 * code, u_off in two places, whether any of its right samples is significant, and whether each of its lower ones is.
 * Each field is where decode_quads needs it. A row has a multiple of four words.
 */
#define J2K_QUAD_U_AT 23
#define J2K_QUAD(entry, u)                                                                                             \
    (J2K_HT_VLC_LENGTH(entry) | J2K_HT_VLC_OFFSET(entry) * (J2K_QUAD_OFFSET_FIRST | J2K_QUAD_OFFSET_SECOND) |          \
        (J2K_HT_VLC_RHO(entry) > 3 ? J2K_QUAD_RIGHT : 0) | (entry) >> 4 << 11 | (u) << J2K_QUAD_U_AT |                 \
        (J2K_HT_VLC_RHO(entry) >> 1 & 1) << 31 | J2K_HT_VLC_RHO(entry) >> 3 << 30)
#define J2K_QUAD_OFFSET_FIRST 0x100u
#define J2K_QUAD_OFFSET_SECOND 0x200u
#define J2K_QUAD_RIGHT 0x400u
#define J2K_QUAD_LENGTH(quad) ((quad)&31)
#define J2K_QUAD_OFFSET(quad) ((quad) >> 8 & 1)
#define J2K_QUAD_RHO(quad) ((quad) >> 11 & 15)
#define J2K_QUAD_ONE(quad) ((quad) >> 15 & 15)
#define J2K_QUAD_KNOWN(quad) ((quad) >> 19 & 15)
#define J2K_QUAD_U(quad) ((quad) >> J2K_QUAD_U_AT & 127)
#define J2K_QUAD_LOWER(quad) ((quad) >> 30)
#define J2K_QUAD_PITCH(columns) (((columns) + 3) / 4 * 4)

/*
 * Describes the coefficients of a block that the host decoded, which lie row after row without gaps, and where they go.
 */
struct j2k_work_host_block {
    u32 from; /* place in the buffer of host blocks' coefficients, in words */
    u32 to;   /* this and the next two members are as in struct j2k_work_block */
    u32 pitch;
    u32 narrow;
    u32 width, height;
};

/*
 * The number of words from one stripe to the next, for blocks of a width. An empty word precedes those of each stripe.
 */
#define J2K_PITCH(width) (((width) + J2K_WORD_COLUMNS - 1) / J2K_WORD_COLUMNS + 1)

/*
 * Describes a bundle of blocks that are decoded side by side, one in each lane. Word i of lane l is stored at i × lanes
 * + l.
 */
struct j2k_work_bundle {
    u32 block; /* index of its first block among the sorted blocks */
    u32 blocks;
    u32 lanes;   /* a power of two up to J2K_BUNDLE */
    u32 width;   /* width of the widest block */
    u32 stripes; /* number of stripes of the highest block */
    u32 history; /* most bit-planes in which a block has passes */
    u32 state;   /* offset in the buffer of states, a multiple of 4: see passes.h */
    /*
     * Number of bit-planes of a block that are decoded at once: a power of two, at most J2K_BUNDLE / lanes; 0: passes
     * follow each other.
     */
    u32 flights;
};

/* A value that replaces the number of a block's decoded passes if decode_waves met damage. */
#define J2K_AGAIN 0xFFFFFFFFu

/*
 * The samples of a tile, including its coefficients, have 32 bits; or they have 16 bits, if these suffice for all of
 * them whatever the coded bits are (j2k/plan/range.h). Then places in the buffer of samples count half-words instead of
 * words. Bands of an irreversible resolution may hold quantiser indices of 16 bits, if the host finds that these
 * suffice (j2k/gpu/indices.c); their places count half-words, too.
 */

/*
 * The number of strips side by side in a level from column x0, 0 or 1, to x1. A strip that begins at an even column
 * needs no margin there, and neither does the last one if it ends exactly at the end of the level, at an even column.
 */
#define J2K_STRIP_EXTENT(x0, x1) ((x1) + ((x0) > 0 ? J2K_STRIP_MARGIN : 0))
#define J2K_STRIP_SPARE(extent)                                                                                        \
    ((extent) % J2K_STRIP_STEP == 2 * J2K_STRIP_MARGIN ? 2 * J2K_STRIP_MARGIN : J2K_STRIP_MARGIN)
#define J2K_STRIPS_OF(extent)                                                                                          \
    ((extent) <= J2K_STRIP_STEP ? 1 : ((extent)-J2K_STRIP_SPARE(extent) + J2K_STRIP_STEP - 1) / J2K_STRIP_STEP)
#define J2K_STRIPS(x0, x1) J2K_STRIPS_OF(J2K_STRIP_EXTENT(x0, x1))

/*
 * Describes a level: a resolution of a tile-component that is synthesised from the one below and three bands (T.800
 * F.3).
 */
struct j2k_work_level {
    u32 x0, y0, x1, y1; /* its rectangle, moved by an even number so that x0 and y0 are 0 or 1 */
    u32 band[4];        /* places in the buffer of samples, by orientation */
    u32 pitch[4];
    u32 factor[4]; /* factors from quantiser indices to coefficients, as bits of single-precision numbers */
    u32 to;
    u32 to_pitch;
    u32 rows; /* most rows of a strip of the level, an even number */
};

/* Describes an output: the samples of one component, or of three that are written together. */
struct j2k_work_output {
    u32 width, height;
    u32 from[3]; /* places in the buffer of samples; not used if the last level is computed with the output */
    u32 pitch[3];
    u32 transform; /* 0: none; 1: RCT; 2: ICT */
    u32 reversible;
    u32 first; /* index of the first component */
    u32 count; /* number of components, 1 or 3 */
    u32 x, y;  /* position in the component's area */
    u32 depth[3];
    u32 is_signed[3];
    u32 filled; /* nothing is read, because all coefficients are 0 */
    u32 view;   /* index of the view that has its channels */
    /*
     * If the last level is computed with the output: index of the level's record for the first of three components;
     * those of the other two follow.
     */
    u32 level;
    u32 left, top; /* in that case, position of the output in the level */
    u32 plain;     /* in that case: pixels are exactly these components, 8 bits each and unsigned */
    u32 narrow;    /* samples have 16 bits */
    u32 real;      /* when encoding: samples are in single precision, and are read without conversion */
};

/* Describes a channel of the image. */
struct j2k_work_channel {
    u32 component; /* component, or J2K_CONSTANT: every pixel has `value` */
    u32 value;
    /* Offset of the first byte in the buffer of pixels, or with CUDA its address: low and high word. */
    u32 offset[2];
    u32 pitch;    /* bytes from one row to the next */
    u32 stride;   /* distance from one pixel to the next, in samples */
    u32 bytes;    /* bytes of a sample: 1, 2 or 4 */
    u32 absolute; /* `offset` is an address */
};

#define J2K_CONSTANT 0xFFFFFFFFu

/* Describes a view: all channels of an image or, if there are many, those of some consecutive components. */
struct j2k_work_view {
    u32 channels;
    /*
     * 3 or 4: the number of channels, which have a byte each, are all present, and are interleaved in order; otherwise
     * 0.
     */
    u32 packed;
    u32 reserved[2];
    struct j2k_work_channel channel[J2K_WORK_CHANNELS];
};

/*
 * Describes a source of a conversion: the samples of a component from which channels of an image are made, written as a
 * plane; see convert.h.
 */
struct j2k_work_source {
    u32 offset[2];      /* offset of the first byte in the buffer of pixels: low and high word */
    u32 pitch;          /* bytes from one row to the next */
    u32 bytes;          /* bytes of a sample: 1 or 2 */
    u32 stride;         /* distance from one sample to the next: 1 or 3 */
    u32 x0, y0, x1, y1; /* its area, which is never empty */
    u32 dx, dy;         /* distance of samples on the reference grid: 1 to 255 */
    /*
     * Offset of the table in which samples are looked up, which has two entries in a word; 0: samples are not looked
     * up.
     */
    u32 palette;
    u32 last; /* highest index of that table, to which larger samples are clamped */
};

/* Describes a conversion: an image whose channels are not simply components. */
struct j2k_work_composite {
    u32 width, height; /* size in pixels, as stored */
    u32 x, y;          /* position of the first pixel on the reduced reference grid */
    u32 sources;
    u32 ycc;               /* bits of a sample if the first three sources are sYCC; 0: another colour space */
    u32 orientation;       /* Exif orientation, 1 to 8: how the image is to be turned */
    u32 numbers;           /* samples of the image are floating-point numbers: (value − mean) × scale */
    u32 mean[4], scale[4]; /* for each channel, the bits of single-precision numbers */
    struct j2k_work_source source[J2K_WORK_CHANNELS]; /* the colours in order, and then alpha */
    struct j2k_work_view view; /* the view of the image; its channels name sources instead of components */
};

/* Describes a level of the transform along z of a volume's columns. */
struct j2k_work_z_level {
    /*
     * Number of rows, and offset of a list of them. The list has a word for each pair of positions: the row at the even
     * one in the lower half, and the row at the odd one in the upper half. In front of the level are J2K_PAIRS_ABOVE
     * pairs with the rows that mirror it, and behind it J2K_PAIRS_BELOW pairs that are loaded, but not used.
     */
    u32 rows, row;
    u32 odd; /* 1: the first one is at an odd position, otherwise 0 */
};

/*
 * Describes a slice of a volume: the row of its samples, and the number that is added to them, an integer or the bits
 * of a single-precision number.
 */
struct j2k_work_slice {
    u32 row, offset;
};

/*
 * Rows of slices that stages make are below J2K_SLICE_ROWS. Above that number are the bits of the slice's samples,
 * shifted by J2K_SLICE_DEPTH, and whether they have signs; the highest bit is J2K_STEP_FLAG.
 */
#define J2K_SLICE_DEPTH 24
#define J2K_SLICE_ROWS (1u << J2K_SLICE_DEPTH)
#define J2K_SLICE_SIGNED 0x40000000u

/*
 * Steps of a multiple component transform: their kind, followed by the words that are listed here. A row is a number:
 * the coded components, and behind them those of two sets. Rows of inputs with J2K_STEP_FLAG are integers that become
 * numbers, and so are rows of slices with it in single precision. In arrays of integers divisors are log2 of them.
 */
enum j2k_work_step {
    J2K_STEP_END,
    J2K_STEP_COPY,             /* count; from and to of each */
    J2K_STEP_CONVERT,          /* the same, from integers to numbers */
    J2K_STEP_MULTIPLY,         /* number of inputs, of outputs; inputs; outputs; matrix */
    J2K_STEP_PREDICT_REALS,    /* count; rows; offsets; array */
    J2K_STEP_PREDICT_INTEGERS, /* the same */
    J2K_STEP_UNDO,             /* count; rows; array of a reversible decorrelation */
    J2K_STEP_ADD_REALS,        /* count; row and offset of each */
    J2K_STEP_ADD_INTEGERS,     /* the same */
    J2K_STEP_LEVEL_53,         /* count; whether the first position is odd; rows by positions */
    J2K_STEP_LEVEL_97          /* the same */
};

#define J2K_STEP_FLAG 0x80000000u

/*
 * Describes the columns of a tile of a volume. A column consists of the samples at one place in all slices; they are
 * computed from the samples at that place in all components that are needed, which are the rows of the column.
 */
struct j2k_work_columns {
    u32 width, height;
    u32 rows;
    /*
     * Rows at the start: all but the high rows of the finest level; without levels 0. With stages, the place of the
     * first row behind the coded ones in the buffer of samples.
     */
    u32 kept;
    u32 skip; /* rows of the finest level before the first slice */
    u32 from; /* offset of two words for each row: place in the buffer of samples, and pitch */
    /* Number of levels, coarsest first, and offset of the first struct j2k_work_z_level; or of the first step. */
    u32 levels, level;
    u32 slices, slice; /* likewise of struct j2k_work_slice */
    u32 depth, is_signed;
    u32 bytes;          /* bytes of a sample of the volume: 1, 2 or 4 */
    u32 narrow;         /* samples in the buffer have 16 bits */
    u32 to[2];          /* offset of the tile's first sample in the buffer of pixels, or its address: low, high word */
    u32 slice_pitch[2]; /* bytes from one slice to the next: low and high word */
    u32 pitch;
    u32 absolute;      /* `to` is an address */
    u32 regular, step; /* all rows have the same pitch, and are `step` apart */
    u32 numbers;       /* samples are floating-point: integer × scale + add; the next two are the bits of these */
    u32 scale, add;
};

struct j2k_part_work {
    u32 segments, segment; /* number, and offset of the first; likewise in the next three lines */
    u32 blocks, block;
    u32 ht_blocks, ht_block;
    u32 bundles, bundle;
    u32 view;  /* offset of the first struct j2k_work_view */
    u32 level; /* offset of the first struct j2k_work_level */
    u32 output;
    u32 store_groups; /* offset of a list: for each bundle, the first work-group of store_blocks */
    /*
     * Always 0, which the compiler does not know. Adding it to an address makes the compiler compute the address once
     * instead of for each symbol.
     */
    u32 origin;
    u32 wave;        /* index of the first bundle with flights; all bundles behind it have flights, too */
    u32 host_blocks; /* offset of the first struct j2k_work_host_block */
    u32 ht_lanes;    /* most T.814 blocks that each J2K_BUNDLE work-items decode side by side */
};

#endif
