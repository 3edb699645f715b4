/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the work of the kernels of filters: the host writes it (filters/gpu/launches.c) and the kernels read it.
 * One buffer, the work, holds tables, records and lists; offsets in it count 32-bit words from its start. A launch runs
 * one kernel for records of many images. The work-groups of a record follow those of the record before it; a list has
 * the first work-group of each.
 */
#ifndef KOSTKA_FILTERS_KERNELS_WORK_H
#define KOSTKA_FILTERS_KERNELS_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint32_t u32;
typedef int32_t i32;
#endif

enum {
    FILTER_GROUP_ITEMS = 256,                            /* work-items in a work-group */
    FILTER_TILE = 32,                                    /* columns and rows that a work-group makes */
    FILTER_TILE_ROWS = FILTER_GROUP_ITEMS / FILTER_TILE, /* rows that a work-group makes at once */
    FILTER_VALUES = 8,
    FILTER_BINS = 65536,       /* bins of a histogram, with two words each */
    FILTER_MEDIAN_ROWS = 64,   /* rows of a work-group that finds medians of small windows */
    FILTER_WARP_ROWS = 128,    /* rows of a work-group that warps bytes */
    FILTER_BLUR_RADIUS = 127,  /* the greatest radius */
    FILTER_BLUR_COLUMNS = 128, /* columns and rows of a work-group that blurs bytes horizontally */
    FILTER_BLUR_ROWS = FILTER_GROUP_ITEMS * 4 / FILTER_BLUR_COLUMNS,
    FILTER_BLUR_SAMPLES = 256, /* samples of a row, and rows, of one that blurs them vertically */
    FILTER_BLUR_DOWN_ROWS = FILTER_GROUP_ITEMS * 16 / FILTER_BLUR_SAMPLES,
    FILTER_BILATERAL_RADIUS = 12,              /* the greatest radius */
    FILTER_BILATERAL_WEIGHTS = 8192,           /* weights that a work-group keeps in local memory */
    FILTER_BILATERAL_TABLE = 4096,             /* the same with samples of more than 8 bits */
    FILTER_OIL_RADIUS = 15,                    /* the greatest radius */
    FILTER_STROKE_LENGTH = 16,                 /* the most points of a stroke behind the first */
    FILTER_CANNY_TILES = FILTER_TILE_ROWS / 2, /* tiles whose sides a work-group joins */
    FILTER_LINES_CHUNK = 1024,                 /* pixels, by rows; a work-group follows the chains that begin at them */
    FILTER_LINES_LANES = 32,                   /* work-items that share a part of a chain */
    FILTER_LINES_RULER = 64,   /* spacing of the rows and columns in which positions in long chains are kept */
    FILTER_LINES_SUPER = 1024, /* the same of a wider grid, a multiple of that */
    FILTER_LINES_RULER_WORDS = 9,
    FILTER_LINES_ROW = 1024,   /* words in a row of a list of lines */
    FILTER_MATCH_LINES = 8,    /* paths that a work-group follows, 32 lanes each */
    FILTER_MATCH_COLUMNS = 64, /* columns of a row for which a work-group chooses disparities */
    FILTER_MATCH_ARRAYS = 4    /* words for each pixel: two censuses, choices, and the right image's choices */
};

/* Says what filter_curve does to a colour. */
enum filter_curve_kind { FILTER_INVERTED, FILTER_ABOVE, FILTER_ON_LINE, FILTER_RESCALED, FILTER_LOOKED_UP };

/* Names the values of the records for matching two images; those of a census begin with the weights of luminance. */
enum filter_match_value {
    FILTER_MATCH_RIGHT = 3, /* whether it is the right image */
    FILTER_MATCH_DISPARITIES = 0,
    FILTER_MATCH_LEAST,
    FILTER_MATCH_P1,
    FILTER_MATCH_P2,
    FILTER_MATCH_DX,
    FILTER_MATCH_DY,
    FILTER_MATCH_FIRST,                    /* whether no path was followed before */
    FILTER_MATCH_UNIQUE = FILTER_MATCH_P1, /* 100 − the percentage */
    FILTER_MATCH_TOLERANCE,
    FILTER_MATCH_SURE /* whether the result is the confidence of a disparity */
};

/* Names the values of the records of lines. */
enum filter_lines_value {
    FILTER_LINES_TOLERANCE, /* sixteenths of a pixel */
    FILTER_LINES_LEAST,     /* length of a segment */
    FILTER_LINES_GROUPS,    /* work-groups of a launch over points, whose number the host does not know */
    FILTER_LINES_RULERS,    /* number of rulers */
    FILTER_LINES_ROOM       /* room of a list, in segments */
};

/* Names the values of the records of a sweep; offsets of tables count words from the beginning of the work. */
enum filter_sweep_value {
    FILTER_SWEEP_MAPS,       /* a matrix of nine numbers of 64 bits, low word first, for each view and plane */
    FILTER_SWEEP_PLACES,     /* for each view, the reference first: its offset in bytes (two words), width and height */
    FILTER_SWEEP_OTHERS,     /* number of views without the reference */
    FILTER_SWEEP_OF_PLANES,  /* number of planes */
    FILTER_SWEEP_REACH,      /* the windows' radius */
    FILTER_SWEEP_DIFFERENCE, /* whether differences are summed up */
    FILTER_SWEEP_SIMILAR,
    FILTER_SWEEP_AGREEING,
    FILTER_SWEEP_DEPTHS = FILTER_SWEEP_MAPS, /* of the choice: the table of depths */
    FILTER_SWEEP_SURE = FILTER_SWEEP_PLACES  /* whether the result is the confidence: how similar the views are */
};

/*
 * Describes the work on one image. Places are counted in bytes from the launch's buffer, low word first. `extra` is the
 * intermediate memory that the filter's kernels share, at a multiple of 4 bytes.
 */
struct filter_record {
    u32 from[2], to[2], extra[2];
    u32 from_pitch, to_pitch, extra_pitch; /* bytes */
    u32 from_width, from_height;
    u32 width, height;     /* of the result */
    u32 channels, colours; /* of the source: samples of a pixel, and those that are not alpha */
    u32 bytes, greatest;   /* of the source's samples */
    u32 to_channels, to_bytes, to_greatest;
    u32 groups_of_row;
    i32 value[FILTER_VALUES]; /* their meaning depends on the kernel */
};

#endif
