/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records by which the host describes work to the kernels that encode JPEG 2000. Pictures, levels and samples of
 * components are described as for decoding (work.h), and the outputs of decoding are the inputs here. Code-blocks come
 * in lists of their own, one for each set of launches: a list is a buffer that starts with a j2k_list_work, and offsets
 * in it count 32-bit words from its start.
 */
#ifndef KOSTKA_J2K_KERNELS_ENCODE_WORK_H
#define KOSTKA_J2K_KERNELS_ENCODE_WORK_H

#include "j2k/kernels/work.h"
#include "j2k/tables/blocks.h"

enum {
    J2K_MODEL_GROUP = 128, /* work-items of a group; each has a run of up to 32 samples */
    J2K_ORDER_GROUP = 256,
    J2K_CODE_GROUP = 64, /* work-items of a group; the first ones of each J2K_CODE_LANES have a code-block each */
    J2K_CODE_LANES = 32,
    J2K_COLLECT_GROUP = 64,
    J2K_ASSEMBLE_GROUP = 64,
    J2K_PACKET_GROUP = 256, /* work-items of a group, which writes a packet header or places the packets of a picture */
    J2K_PACKET_BANDS = 3,
    J2K_PACKET_LENGTH_MOST = 65535, /* most bytes of a block in a packet that kernels write */
    J2K_HT_CODE_GROUP = 32,         /* work-items of a group, which codes a T.814 block */
    J2K_HT_REFINE_GROUP = 64, /* work-items of a group, two of which code the refinement passes of a T.814 block */
    J2K_SLICES_GROUP = 64,    /* work-items of a group; each has a column of a volume */
    J2K_DATA_HEAD = 4,        /* unused bytes in front of a block's data */
    /*
     * Words of a pass while its block is coded: one for its length, two for its gain, and two for a bound: where the
     * coder was, and the bytes of the bound.
     */
    J2K_PASS_WORDS = 5,
    J2K_PASS_RESULT = 3, /* words of a pass that are results: its length and its gain */
    /*
     * Words of a plane: two for the gain of significance, two for that of refinement, and one for the number of samples
     * that become significant in it.
     */
    J2K_GAIN_WORDS = 5,
    J2K_GAIN_LOW = 24, /* a gain has two words, both signed: low + 2^24 × high */
    J2K_MEASURED_GAINS = 1,
    J2K_MEASURED_ERRORS = 2,
    J2K_DECISION_UNIT = 16, /* bytes of a unit of room for decisions */
    /* A decision is a byte: 2 × context + symbol, or this value plus a raw bit, or J2K_DECISION_END. */
    J2K_DECISION_RAW = 38,
    J2K_DECISION_END = 0xFF, /* the end of a pass */
    /*
     * Words in front of the results: one that is 0, the units of decisions, and two counts of collected words, at the
     * indices that follow.
     */
    J2K_LIST_HEAD = 4,
    J2K_COLLECTED_PASSES = 2,
    J2K_COLLECTED_DATA = 3
};

#define J2K_NO_ROOM 0xFFFFFFFFu /* as a length: there is no room for all of the block's decisions or bytes */

/*
 * Describes the slices of a volume and the components that they are transformed to. Offsets in the work count words. A
 * list of slots says for each slice in the place of which component its rows are transformed.
 */
struct j2k_work_slices {
    u32 width, height, slices;
    u32 levels;
    u32 depth, is_signed;
    u32 bytes;    /* bytes of a sample of a slice */
    u32 absolute; /* `from` is an address */
    u32 from[2];  /* place of the first sample: bytes, the low word first; this and the next are multiples of `bytes` */
    u32 slice[2]; /* bytes from one slice to the next: low and high word */
    u32 row;      /* bytes from one row to the next */
    u32 to;       /* place of the first component in the buffer of components, in words */
    u32 pitch;    /* words from one row of a component to the next */
    u32 step;     /* words from one component to the next */
    u32 slot;     /* offset of the list of slots */
    u32 found;    /* place of the volume's struct j2k_work_found_slices, in words */
    u32 numbers;  /* samples are in single precision; the next four members are the bits of single-precision numbers */
    u32 add, inverse;
    u32 scale, error; /* integer × scale + add must be within `error` of the sample; 0: there is no such limit */
    u32 reserved;
};

/* Holds what the kernels find out about a volume. All members are 0 at first. */
struct j2k_work_found_slices {
    u32 most;              /* the largest magnitude of all coefficients, in whole numbers */
    u32 infinite, too_far; /* ~index of the first sample that is not finite, and too far from its integer; 0: none */
    u32 reserved;
};

/* Describes a code-block to be coded. */
struct j2k_work_coded_block {
    u32 from; /* place of its first sample in the buffer of samples */
    u32 pitch;
    u32 width, height;
    u32 style;    /* bits of Table A.19 */
    u32 contexts; /* as in struct j2k_work_block */
    u32 exact;    /* coefficients are integers, which all planes together represent exactly */
    u32 factor;   /* factor from coefficients to quantiser indices, as the bits of a single-precision number */
    u32 measured; /* J2K_MEASURED_GAINS, perhaps with J2K_MEASURED_ERRORS; or 0 */
    /*
     * Planes, and the last passes of the lowest one, that gain less than this per byte are left out: bits of a
     * single-precision number; 0: none are.
     */
    u32 stop;
    u32 roi_shift;
    u32 left, top, right, bottom; /* the part of the block whose indices are raised by roi_shift */
    u32 data;                     /* place of its first byte in the buffer of data; a multiple of 4 */
    u32 capacity;                 /* bytes of room for its data, a multiple of 4 */
    u32 origin;                   /* always 0, as in struct j2k_part_work, so that addresses are computed once */
    u32 band;                     /* index of its band in the part; selects the factor where bits are only counted */
    /*
     * 0–2 passes that code the lowest bit of the indices instead of all passes that would: with T.814, the refinement
     * passes behind a cleanup pass, which has the indices without that bit; with T.800, the first passes of the lowest
     * plane.
     */
    u32 refinements;
};

/* Holds the result of counting the bits of a block. */
struct j2k_work_counted_block {
    u32 bits;    /* bits of its cleanup pass without stuffed bits and Scup; 0 if all samples are 0 */
    u32 largest; /* largest magnitude of real coefficients, as bits of a single-precision number; all ones: unknown */
};

/*
 * Heads a list of blocks whose bits are counted. It is followed by the factors of all bands of the part and by the
 * blocks. A factor of 0 means that the band's blocks are not to be counted this time.
 */
struct j2k_count_work {
    u32 factor, block; /* offsets of the first factor and of the first j2k_work_coded_block */
};

/* Holds the result of coding a block. */
struct j2k_work_coded_result {
    u32 planes, passes, length;
    u32 at, data;              /* where its passes and its bytes are collected, in words from the first of all blocks */
    u32 error_low, error_high; /* error of the quantiser, in squares of 2^-14 of its step */
    u32 left_low, left_high;   /* error of the planes that are left out; for its unit see left_shift() */
    u32 decision, decisions;   /* where its decisions are, in units, and how many there are */
    u32 first, second;         /* with refinement passes: bytes up to the end of the first pass, and of the second */
};

/* Holds what is measured of a block without coding it. */
struct j2k_work_measured_block {
    u32 planes, reserved;
    u32 error_low, error_high; /* as in struct j2k_work_coded_result */
    u32 gains[J2K_GAIN_WORDS * J2K_CODED_PLANES];
};

/*
 * Describes a packet of the only layer, whose blocks are T.814 blocks with one pass. A band without blocks has no
 * columns or rows.
 */
struct j2k_work_packet {
    u32 block[J2K_PACKET_BANDS]; /* index in the list of each band's first block; the others follow in raster order */
    u32 columns[J2K_PACKET_BANDS], rows[J2K_PACKET_BANDS];
    u32 planes[J2K_PACKET_BANDS]; /* bit-planes of each band, at least 1 */
    u32 node;                     /* index of the first node of its tag trees among those of all packets */
    u32 header;                   /* where its header goes, in words among those of all packets */
};

/* Says which packets belong to a picture, in the order of its codestream. */
struct j2k_work_picture_packets {
    u32 first, count;
};

/* Holds the length of a picture's packets in bytes, and whether the host must code its blocks instead. */
struct j2k_work_found_packets {
    u32 length, problem;
};

struct j2k_work_placed_packet {
    u32 header, body; /* bytes */
    u32 at;           /* place of its first byte in the picture's packets */
    u32 problem;      /* a block found no room, or has more planes than its band */
};

/* Says in which packet an included block is, and at which byte of that packet's body it begins. */
struct j2k_work_placed_block {
    u32 packet, at;
};

/*
 * Heads the description of packets in a list. `picture` and `packet` are offsets in the list, of the first struct
 * j2k_work_picture_packets and struct j2k_work_packet. `result`, `stride` and `length` say, in words, where the results
 * of blocks begin, how many words each has, and which of these is the length; word 0 of a result is the number of
 * planes. `placed`, `place`, `node` and `header` are offsets of placed packets, of placed blocks, of nodes and of
 * headers in the buffer of work, which begins with a struct j2k_work_found_packets for each picture.
 */
struct j2k_packets_work {
    u32 picture, packet;
    u32 result, stride, length;
    u32 placed, place, node, header;
};

struct j2k_list_work {
    u32 blocks, block;           /* number of blocks, and offset of the first */
    u32 room;                    /* units of room for decisions */
    u32 lanes;                   /* blocks side by side in a row: a power of two up to J2K_CODE_LANES */
    u32 front_lanes, front_rows; /* lanes of the first rows, and the number of these */
    u32 passes;                  /* passes that each block has room for */
};

/* Describes a run of a codestream's frame, and the bytes of the code-block that follows it. Either may be empty. */
struct j2k_work_body {
    u32 from, length; /* the code-block's bytes among those that were collected */
    u32 to;           /* place of the code-block's bytes in the codestream, behind the run */
    u32 frame, run;   /* the run's first byte in the frame, and its length */
};

struct j2k_stream_work {
    u32 body;  /* offset of the first j2k_work_body */
    u32 frame; /* offset of the frame */
};

#endif
