/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host tells the kernels about a batch of JPEG pictures. One buffer, the work, starts with a jpeg_work; all
 * offsets in it count 32-bit words from its start. Every index is valid; a kernel checks only what depends on coded
 * bits.
 *
 * The kernels run over groups of things, and a picture's things fill whole groups, so that a group belongs to one
 * picture.
 */
#ifndef KOSTKA_JPEG_KERNELS_WORK_H
#define KOSTKA_JPEG_KERNELS_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
#endif

enum {
    WORK_COMPONENTS = 4,
    WORK_TABLES = 8, /* Huffman tables of a picture */
    WORK_MCU_BLOCKS = 10,
    WORK_SHORT_BITS = 10,   /* of a code looked up at once, */
    WORK_LONG_BITS = 6,     /* and of the rest */
    WORK_PAIR_WORDS = 4096, /* likewise, of all tables that tell two codes at once */
    WORK_TRANSFORM_GROUP = 128,
    WORK_CONVERT_GROUP = 256,
    WORK_PART = 128,     /* bytes of a part, stuffing included; a multiple of 16 that divides 4096 */
    WORK_MOST_FILL = 16, /* bytes 0xFF in a row; of a whole part four or more bytes are then left */
    WORK_PARTS = 128,    /* parts of a group */
    WORK_MAP_PARTS = 32, /* of those, parts that a work-group of WORK_MAP_GROUP maps */
    WORK_MAP_GROUP = 256,
    WORK_WRITE_PARTS = 64,                  /* and that a work-group decodes, one a work-item; or half as many */
    WORK_BLOCKS = WORK_TRANSFORM_GROUP / 4, /* blocks that a group transforms */
    WORK_PIXELS = 1024,                     /* pixels of a row that a group converts, */
    WORK_TILE_WIDTH = 256,                  /* and of a tile where pictures are converted in tiles */
    WORK_TILE_HEIGHT = 16,
    WORK_TURN_SIDE = 32,       /* pixels of a square that a group turns */
    WORK_OUTPUT_ALIGNMENT = 4, /* bytes, of what pixels are written to in place */
    WORK_OUTPUT_PIXELS = 4,    /* that are written at once */
    WORK_SPARE_BITS = 64,      /* fewer behind a scan's last block are no surplus; elsewhere fewer than 8 */
    WORK_DAMAGE = 4, /* counters of a picture: intervals that ended early, invalid codes, intervals with a surplus; and
                        parts whose maps one work-item completed, with WORK_LEFT */
    WORK_COMPLETED = 3
};

/* More maps had to be completed than may be. The picture has no coefficients, and the CPU is to decode it. */
#define WORK_LEFT 0x80000000u

/* The things that groups are made of; jpeg_work.groups has a list of each. */
enum work_kind { WORK_OF_PARTS, WORK_OF_BLOCKS, WORK_OF_TILES, WORK_OF_PIXELS, WORK_OF_TURNS, WORK_KINDS };

enum work_upsampling { WORK_NONE, WORK_H2V1, WORK_H1V2, WORK_H2V2, WORK_REPLICATE };

/* What a sample of the output is. */
enum work_sample { WORK_BYTES, WORK_HALVES, WORK_FLOATS };

enum work_conversion {
    WORK_COPY, /* each component to its channel */
    WORK_GREY, /* the first component to red, green and blue */
    WORK_YCC,
    WORK_RGB_TO_GREY,
    WORK_YCCK,
    WORK_CMYK_TO_RGB,
    WORK_YCCK_TO_RGB
};

/* A part without stuffing: its bytes, and the next four of its segment. Words are read ahead behind the last one. */
enum { PART_WORDS = WORK_PART / 4 + 1, PART_READ_AHEAD = 4 };

/* What is known of a part: how many bits it has without stuffing, and whether it is its segment's first, and last. */
enum { PART_FIRST = 1 << 30, PART_LAST = 1 << 29, PART_BITS = (1 << 16) - 1 };

/*
 * Lists of one word a part in the buffer `parts`: the above; segment; the entry of its map that decoding comes to, and
 * that entry's half-way; the segment's blocks before it. Then lists of one word for each stretch that a work-item
 * decodes, a part or half of one, which have room for two words a part: the segment's block that the first DC
 * difference of the stretch belongs to, how many there are, and sums of them by component.
 */
enum {
    PART_INFO,
    PART_SEGMENT,
    PART_ENTRY,
    PART_HALF,
    PART_BEFORE,
    PART_STRETCHES,
    STRETCH_BLOCK = 0,
    STRETCH_BLOCKS,
    STRETCH_DC,
    STRETCH_LISTS = STRETCH_DC + WORK_COMPONENTS,
    PART_LISTS = PART_STRETCHES + 2 * STRETCH_LISTS
};

/*
 * Where decoding stands at the start of a part, in 15 bits: 0–4 how many bits the last code of the part before reaches
 * into it, 5–8 block in the MCU, 9–14 zig-zag index of the next coefficient, 0 where a block starts.
 */
enum { STATE_START = 0, STATE_BLOCK = 5, STATE_INDEX = 9 };

/*
 * A part's map has at most MAP_LISTS entries in lists of one word a part: for each of the blocks in an MCU at most a
 * candidate; then states that candidates led to without being one. An entry: bits 0–3 the next part's entry that it
 * leads to, 4–15 blocks that end in the part, 16–30 the state, 31 whether the part is its segment's first, whose one
 * state is known. Where parts are decoded in halves, as many lists follow that say of each entry where it stands at the
 * first bit of the second half that a code starts at: bits 0–14 the state, as at the start of a part, 15–26 the blocks
 * that end before, 31 whether that is known.
 */
enum {
    MAP_LISTS = 15,
    MAP_UNKNOWN = 15,
    MAP_NEXT = 15,
    MAP_BLOCKS = 4,
    MAP_MOST_BLOCKS = (1 << 12) - 1,
    MAP_STATE = 16,
    MAP_STATES = (1 << 15) - 1
};

#define MAP_FIRST 0x80000000u
#define HALF_KNOWN 0x80000000u

enum { HALF_BLOCKS = 15, HALF_MOST_BLOCKS = MAP_MOST_BLOCKS };

/* Of each block in the buffer `dc`: its DC coefficient in 16 bits, and whether it has any. 0: a block of zeros. */
enum { DC_CODED = 1 << 16 };

/*
 * A group's map in MAP_LISTS of one word a group in the buffer `groups`: bits 0–3 as those of a part, 4–30 blocks, of
 * the segment that it ends in, 31 whether that starts in the group. Then lists of what comes before the group: its
 * first part's entry, and blocks; and by component, up to 2 WRITE_RATIO words a group, sums of DC differences of the
 * stretches that a work-group decodes, of the segment that they end in.
 */
enum {
    WRITE_RATIO = WORK_PARTS / WORK_WRITE_PARTS,
    GROUP_BLOCKS_MASK = (1 << 27) - 1,
    GROUP_ENTRY = MAP_LISTS,
    GROUP_BLOCKS,
    GROUP_DC,
    GROUP_LISTS = GROUP_DC + WORK_COMPONENTS * WRITE_RATIO * 2
};

struct jpeg_work {
    u32 pictures;           /* how many; scans of a picture but its first are pictures that no pixels are made of */
    u32 picture;            /* offset of the first struct work_picture */
    u32 groups[WORK_KINDS]; /* offsets of lists: the first group of each picture, then the number of all groups */
    u32 part_groups;        /* number of all groups of parts */
    u32 halves;             /* 1: parts are decoded in halves; otherwise 0 */
};

/* A stretch of entropy-coded data without markers, stuffing included: the data of one restart interval. */
struct work_segment {
    u32 offset; /* bytes from the picture's stream */
    u32 length; /* at least 1 */
    u32 interval;
    u32 first_part; /* counted in the picture */
};

/* A component of the picture's MCUs that are wanted. */
struct work_component {
    u32 plane; /* offset in the buffer of planes, in units of 16 samples */
    u32 pitch; /* from row to row, in the same units */
    u32 width; /* samples that exist */
    u32 height;
    u32 block; /* its first in the buffer of coefficients, where the scan that holds it left it; further there lies */
    u32 below; /* in the row of blocks below */
    u32 next_mcu;                  /* in the MCU to the right, beside the block's place; modulo 2^32 */
    u32 next_row;                  /* in the row of MCUs below, beside that */
    u32 width_share, height_share; /* 65536 by blocks in an MCU each way, rounded up */
    u32 blocks_w;                  /* blocks in a row of the plane */
    u32 blocks;                    /* in the plane */
    u32 scale;                     /* a block gives (8 >> scale)² samples */
    u32 upsampling;
    u32 h_in, h_out, v_in, v_out; /* h_out samples come from h_in */
    u32 quant[32];                /* in columns, two in a word, the first in the low half */
};

struct work_picture {
    u32 stream;        /* its first byte in the buffer of streams, and of bytes: in units of 16 */
    u32 stream_length; /* bytes */
    u32 segment;       /* offset of its first struct work_segment */
    u32 segments;
    u32 parts;
    u32 tables;      /* how many Huffman tables */
    u32 short_table; /* offset of the first, a multiple of 4, as those below: 1 << WORK_SHORT_BITS half-words each */
    u32 long_table;  /* offset of groups of 1 << WORK_LONG_BITS half-words */
    u32 pair_table;  /* offset of tables of pairs, two (DC, AC) for each of the kinds of blocks */
    u32 pair_words;  /* in all of them */
    u32 pair_bits;   /* 1 << pair_bits words each */
    u32 block_kinds; /* of each block of an MCU: two bits, the lowest the first's */
    u32 scan_components; /* that its blocks are of */
    u32 blocks_in_mcu;
    u32 mcus_w;
    u32 mcus;
    u32 interval;                         /* MCUs in a restart interval; all of them where there is none */
    u32 block;                            /* its first in the buffer of coefficients */
    u32 blocks;                           /* MCUs times blocks in an MCU */
    u32 raster;                           /* whether its blocks are stored in rows; otherwise in columns */
    u32 component_group[WORK_COMPONENTS]; /* the first group of blocks of each component, of the picture's */
    u32 components;                       /* that make pixels */
    u32 output;                           /* its first byte in the buffer of pixels, in units of 4 */
    u32 output_pitch;                     /* bytes from row to row; of bytes a multiple of 4 */
    u32 output_plane;                     /* planar: bytes from plane to plane, likewise; 0: interleaved */
    u32 channels;                         /* of the output */
    u32 red;                              /* channel of red; that of blue is 2 less it */
    u32 alpha;                            /* value of a fourth channel next to red, green and blue */
    u32 conversion;
    u32 x, y, width, height;              /* the pixels wanted, in those MCUs */
    u32 block_component[WORK_MCU_BLOCKS]; /* of the scan | place in the MCU: x << 8 | y << 16 */
    u32 block_table[WORK_MCU_BLOCKS];     /* short tables: of DC | of AC << 16, in entries */
    u32 sample, turned_sample;            /* enum work_sample: of the output, and of what is turned */
    u32 ragged;            /* not WORK_BYTES: whether samples are stored one by one, otherwise four at once */
    u32 mean[4];           /* not WORK_BYTES: what is taken from each channel, as the bits of a float, */
    u32 scale[4];          /* and what the rest is multiplied by */
    u32 most_completed;    /* maps that one work-item may complete */
    u32 output_address[2]; /* CUDA: low and high half of its first byte's address; 0: in the buffer of pixels */
    u32 orientation;       /* 2–8: turned from there as Exif says; otherwise that is the output */
    u32 turned, turned_pitch, turned_plane, turned_address[2]; /* as the output's, of what is turned */
    struct work_component component[WORK_COMPONENTS];
};

#endif
