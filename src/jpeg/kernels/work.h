/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes a part, the JPEG pictures that are decoded together: the host fills it in (jpeg/gpu/part.c) and the kernels
 * read it. One buffer, the work, starts with a jpeg_work; all offsets in it count 32-bit words from its start. Every
 * index is valid, so a kernel checks only what depends on coded bits.
 *
 * The kernels run over groups of chunks, blocks, tiles, pixels or turned squares (enum jpeg_work_kind). Those of a
 * picture fill whole groups, so that a group belongs to one picture.
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
    WORK_TABLES = 8, /* most Huffman tables of a picture */
    WORK_MCU_BLOCKS = 10,
    WORK_SHORT_BITS = 10, /* bits of a code that are looked up at once */
    WORK_LONG_BITS = 6,   /* bits of the rest of a long code */
    WORK_SHORT_SIZE = 1 << WORK_SHORT_BITS,
    WORK_LONG_SIZE = 1 << WORK_LONG_BITS,
    WORK_INVALID_LENGTH = 17, /* length of a bit pattern that is not a code; its size is 0 */
    WORK_PAIR_WORDS = 4096,   /* most words of all tables in which two codes are looked up at once */
    WORK_TRANSFORM_GROUP = 128,
    WORK_CONVERT_GROUP = 256,
    WORK_CHUNK = 128, /* most bytes of a chunk, including stuffing */
    WORK_CHUNK_BITS = 7,
    WORK_SHORTEST_BITS = 5, /* a picture's chunks have 1 << 5 to 1 << WORK_CHUNK_BITS bytes */
    /*
     * Most bytes 0xFF in a row where chunks have WORK_CHUNK bytes, and fewer in the same ratio where they are shorter;
     * a whole chunk then has at least four bytes without stuffing.
     */
    WORK_MOST_FILL = 16,
    WORK_CHUNKS = 128,    /* chunks in a group */
    WORK_MAP_CHUNKS = 32, /* those of them that a work-group of WORK_MAP_GROUP work-items maps */
    WORK_MAP_GROUP = 256,
    /*
     * Work-items of a group that decodes coefficients. Those that are not idle decode a stretch each, which is a chunk
     * or, if chunks are halved, half of one.
     */
    WORK_WRITE_CHUNKS = 64,
    WORK_SPREAD = 5,
    WORK_BLOCKS = WORK_TRANSFORM_GROUP / 4, /* blocks that a group transforms */
    WORK_PIXELS = 1024,                     /* pixels of a row that a group converts */
    WORK_TILE_WIDTH = 256,                  /* width of a tile in pixels, if pictures are converted in tiles */
    WORK_TILE_HEIGHT = 16,
    WORK_TURN_SIDE = 32,       /* side in pixels of a square that a group turns */
    WORK_OUTPUT_ALIGNMENT = 4, /* alignment in bytes of the memory to which pixels are written in place */
    WORK_OUTPUT_PIXELS = 4,    /* pixels that are written at once */
    /* Fewer bits than this behind a scan's last block are not a surplus; elsewhere fewer than 8. */
    WORK_SPARE_BITS = 64,
    /*
     * Counters of a picture: intervals that ended early, invalid codes, intervals with a surplus, and (at
     * WORK_COMPLETED) chunks whose maps one work-item completed, with WORK_LEFT.
     */
    WORK_DAMAGE = 4,
    WORK_COMPLETED = 3
};

/*
 * Flag in the word WORK_COMPLETED: more maps had to be completed than allowed. The picture has no coefficients, and the
 * CPU must decode it.
 */
#define WORK_LEFT 0x80000000u

/* The kinds of groups, by what they consist of; jpeg_work.groups has a list for each. */
enum jpeg_work_kind { WORK_OF_CHUNKS, WORK_OF_BLOCKS, WORK_OF_TILES, WORK_OF_PIXELS, WORK_OF_TURNS, WORK_KINDS };

/* The type of an output sample. */
enum jpeg_work_sample { WORK_BYTES, WORK_HALVES, WORK_FLOATS };

enum jpeg_work_conversion {
    WORK_COPY, /* each component is copied to its channel */
    WORK_GREY, /* the first component is copied to red, green and blue */
    WORK_YCC,
    WORK_RGB_TO_GREY,
    WORK_YCCK,
    WORK_CMYK_TO_RGB,
    WORK_YCCK_TO_RGB
};

/*
 * A chunk without stuffing consists of its bytes and the next four of its segment. Words behind the last one may be
 * read ahead.
 */
enum { CHUNK_WORDS = WORK_CHUNK / 4 + 1, CHUNK_READ_AHEAD = 4 };

/*
 * The info word of a chunk: its number of bits without stuffing, and whether it is the first, and the last, of its
 * segment.
 */
enum { CHUNK_FIRST = 1 << 30, CHUNK_LAST = 1 << 29, CHUNK_BITS = (1 << 16) - 1 };

/*
 * The buffer `chunks` has lists with one word for each chunk: the info word above; its segment; the entry of its map at
 * which decoding reaches it; the half-way place of that entry; and the number of the segment's blocks in front of it.
 * Lists with one word for each stretch that a work-item decodes (a chunk or half of one) follow; they have room for two
 * words for each chunk: the block of the segment to which the first DC difference of the stretch belongs,
 * the number of these differences, and their sums by component.
 */
enum {
    CHUNK_INFO,
    CHUNK_SEGMENT,
    CHUNK_ENTRY,
    CHUNK_HALF,
    CHUNK_BEFORE,
    CHUNK_STRETCHES,
    STRETCH_BLOCK = 0,
    STRETCH_BLOCKS,
    STRETCH_DC,
    STRETCH_LISTS = STRETCH_DC + WORK_COMPONENTS,
    CHUNK_LISTS = CHUNK_STRETCHES + 2 * STRETCH_LISTS
};

/*
 * The state of decoding at the start of a chunk, in 15 bits: bits 0–4 are the number of bits by which the last code of
 * the previous chunk reaches into it, bits 5–8 the block in the MCU, and bits 9–14 the zig-zag index of the next
 * coefficient, 0 if a block starts.
 */
enum { STATE_START = 0, STATE_BLOCK = 5, STATE_INDEX = 9 };

/*
 * A chunk's map has at most MAP_LISTS entries, in lists with one word for each chunk: at most one candidate for each
 * block of an MCU, and then states to which candidates led although they are not candidates. In an entry bits 0–3 are
 * the entry of the next chunk that it leads to, bits 4–15 the number of blocks that end in the chunk, bits 16–30 the
 * state, and bit 31 tells whether the chunk is the first of its segment, whose only state is known. If chunks are
 * decoded in halves, the same number of lists follows, which give for each entry the state at the first code that
 * starts in the second half: bits 0–14 are the state, as at the start of a chunk, bits 15–26 the number of blocks that
 * end before, and bit 31 tells whether this is known.
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

/*
 * The buffer `dc` has a word for each block: its DC coefficient in 16 bits, and DC_CODED if it has coefficients. The
 * word 0 means a block of zeros.
 */
enum { DC_CODED = 1 << 16 };

/*
 * The buffer `groups` has MAP_LISTS lists with one word for each group, which are the group's map: bits 0–3 are as in
 * the map of a chunk, bits 4–30 the number of blocks, counted in the segment in which the group ends, and bit 31 tells
 * whether that segment starts in the group. Behind them are lists of what comes before the group: the entry of its
 * first chunk, and the number of blocks. Last, by component and with up to 2 WRITE_RATIO << WORK_SPREAD words for each
 * group, come the sums of the DC differences of the stretches that a work-group decodes, in the segment in which they
 * end.
 */
enum {
    WRITE_RATIO = WORK_CHUNKS / WORK_WRITE_CHUNKS,
    GROUP_BLOCKS_MASK = (1 << 27) - 1,
    GROUP_ENTRY = MAP_LISTS,
    GROUP_BLOCKS,
    GROUP_DC,
    GROUP_LISTS = GROUP_DC + (WORK_COMPONENTS * WRITE_RATIO * 2 << WORK_SPREAD)
};

struct jpeg_work {
    /* Number of pictures; further scans of a picture count as pictures from which no pixels are made. */
    u32 pictures;
    u32 picture;            /* offset of the first struct jpeg_work_picture */
    u32 groups[WORK_KINDS]; /* offsets of lists: the first group of each picture, then the number of all groups */
    u32 chunk_groups;       /* number of all groups of chunks */
    u32 halves;             /* 1: chunks are decoded in halves; otherwise 0 */
    u32 spread;             /* one of 1 << spread work-items decodes coefficients; at most WORK_SPREAD */
    u32 reports;            /* 1: write_dc copies the counters of damage to where the host reads them; otherwise 0 */
};

/* Describes a piece of entropy-coded data without markers, including stuffing: the data of one restart interval. */
struct jpeg_work_segment {
    u32 offset; /* offset in bytes in the picture's stream */
    u32 length; /* at least 1 */
    u32 interval;
    u32 first_chunk; /* its first chunk, counted in the picture */
};

/* Describes a component, as far as it lies in the wanted MCUs of the picture. */
struct jpeg_work_component {
    u32 plane; /* offset in the buffer of planes, in units of 16 samples */
    u32 pitch; /* distance of rows, in the same units */
    u32 width; /* number of samples in a row that exist */
    u32 height;
    /* Place of its first block in the buffer of coefficients, where the scan that holds it left it. */
    u32 block;
    u32 below;                     /* added to that place for each row of blocks further down */
    u32 next_mcu;                  /* added for each MCU further right, besides 1 for each block; modulo 2^32 */
    u32 next_row;                  /* added for each row of MCUs further down, besides `below` for each row of blocks */
    u32 width_share, height_share; /* 65536 divided by the blocks in an MCU, horizontally and vertically, rounded up */
    u32 blocks_w;                  /* blocks in a row of the plane */
    u32 blocks;                    /* number of blocks in the plane */
    u32 scale;                     /* a block gives (8 >> scale)² samples */
    u32 upsampling;
    u32 h_in, h_out, v_in, v_out; /* ratios: h_out samples come from h_in, v_out rows from v_in */
    u32 quant[32];                /* quantisers by columns, two in a word, the first in the low half */
};

struct jpeg_work_picture {
    u32 stream;        /* place of its first byte in the buffer of streams, in units of 16 bytes */
    u32 stream_length; /* number of bytes */
    u32 segment;       /* offset of its first struct jpeg_work_segment */
    u32 segments;
    u32 chunks;
    u32 chunk_bits; /* a chunk has 1 << chunk_bits bytes, including stuffing */
    u32 tables;     /* number of Huffman tables */
    /* Offset of its short tables, of WORK_SHORT_SIZE half-words each; like the offsets below a multiple of 4. */
    u32 short_table;
    u32 long_table;      /* offset of its long tables, of WORK_LONG_SIZE half-words each */
    u32 pair_table;      /* offset of its tables of pairs, two (DC, AC) for each kind of blocks */
    u32 pair_words;      /* number of words in all tables of pairs */
    u32 pair_bits;       /* each table of pairs has 1 << pair_bits words */
    u32 block_kinds;     /* kind of each block of an MCU, in two bits, the lowest being those of the first block */
    u32 scan_components; /* number of components in the scan */
    u32 blocks_in_mcu;
    u32 mcus_w;
    u32 mcus;
    u32 interval;                         /* MCUs in a restart interval; all MCUs if there are no restart markers */
    u32 block;                            /* place of its first block in the buffer of coefficients */
    u32 blocks;                           /* number of MCUs times blocks in an MCU */
    u32 raster;                           /* 1: its blocks are stored in rows; 0: in columns */
    u32 component_group[WORK_COMPONENTS]; /* first group of blocks of each component, counted among the picture's */
    u32 components;                       /* number of components that make pixels */
    u32 output;                           /* place of its first byte in the buffer of pixels, in units of 4 bytes */
    u32 output_pitch;                     /* bytes from one row to the next; for bytes a multiple of 4 */
    u32 output_plane;                     /* planar: bytes from one plane to the next, as for rows; 0: interleaved */
    u32 channels;                         /* number of channels of the output */
    u32 red;                              /* channel of red; blue is channel 2 − red */
    u32 alpha;                            /* value of a fourth channel behind red, green and blue */
    u32 conversion;
    u32 x, y, width, height;              /* the wanted pixels, counted in the wanted MCUs */
    u32 block_component[WORK_MCU_BLOCKS]; /* component of the scan | place in the MCU: x << 8 | y << 16 */
    u32 block_table[WORK_MCU_BLOCKS];     /* short tables: that of DC | that of AC << 16, counted in entries */
    /* These are enum jpeg_work_sample: the type of the samples of the output, and of those after turning. */
    u32 sample, turned_sample;
    u32 ragged;            /* unless WORK_BYTES: 1 if samples are stored one by one, 0 if four at once */
    u32 mean[4];           /* unless WORK_BYTES: subtracted from each channel, as the bits of a float */
    u32 scale[4];          /* unless WORK_BYTES: factor of what is left, as the bits of a float */
    u32 most_completed;    /* most maps that one work-item may complete */
    u32 output_address[2]; /* CUDA: low and high half of the address of its first byte; 0: in the buffer of pixels */
    /* 2–8: the picture is turned from `output` as Exif says; otherwise `output` is the final place. */
    u32 orientation;
    /* Like the members of the output, for the turned picture. */
    u32 turned, turned_pitch, turned_plane, turned_address[2];
    struct jpeg_work_component component[WORK_COMPONENTS];
};

#endif
