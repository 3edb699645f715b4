/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes steps of resizing: the host fills it in (resize/gpu/steps.c) and the kernels read it. One buffer, the work,
 * holds lists, steps and weights; offsets in it count 32-bit words from its start. A launch runs one kernel over steps
 * of many planes. A step's groups follow those of the step before it; a list has the first group of each.
 *
 * Weights are kept by fours. A quad of them belongs to four neighbouring samples and is 0 for those outside the window.
 * With samples of up to 8 bits its words are the lowest bytes of the four weights, their second bytes, and their third
 * ones, which have a sign; with longer samples they are the weights themselves.
 */
#ifndef KOSTKA_RESIZE_KERNELS_WORK_H
#define KOSTKA_RESIZE_KERNELS_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint32_t u32;
#endif

enum {
    RESIZE_GROUP_ITEMS = 128,   /* work-items in a work-group */
    RESIZE_ACROSS_COLUMNS = 64, /* that a group makes across */
    RESIZE_ACROSS_STRIP = 4,    /* rows that a work-item makes across */
    RESIZE_ACROSS_ROWS = RESIZE_GROUP_ITEMS / RESIZE_ACROSS_COLUMNS * RESIZE_ACROSS_STRIP,
    RESIZE_ACROSS_TILE = 6144, /* words of samples that a group holds, of four samples each */
    RESIZE_DOWN_WORDS = 32,    /* words of a row that a group makes down */
    RESIZE_DOWN_ROWS = RESIZE_GROUP_ITEMS / RESIZE_DOWN_WORDS,
    RESIZE_QUAD_WORDS = 4,   /* words of a quad of weights */
    RESIZE_NARROW_BITS = 22, /* of weights behind the point */
    RESIZE_WIDE_BITS = 30,   /* of weights of samples of more than 8 bits */
    RESIZE_CHANNELS = 4      /* most of a pixel */
};

/* The type of samples that pixels are stored as. */
enum resize_work_sample { RESIZE_BYTES, RESIZE_WORDS, RESIZE_HALVES, RESIZE_FLOATS };

/* Says what is done to a pixel's colours: nothing, or they are multiplied or divided by alpha. */
enum resize_work_alpha { RESIZE_ALPHA_KEPT, RESIZE_ALPHA_WEIGHED, RESIZE_ALPHA_DIVIDED };

/*
 * Places are counted in bytes from the launch's buffer, low word first. Where rows of bytes are written, and where
 * rows are read to go down, they begin at multiples of 4 bytes.
 */
struct resize_work_step {
    u32 from[2], to[2];       /* the first sample */
    u32 from_pitch, to_pitch; /* bytes */
    u32 length;               /* bytes of a row that may be read; with pixels: of a sample */
    u32 width, height;        /* pixels and rows that are made */
    u32 channels, greatest;   /* value of a sample */
    u32 groups_of_row;
    u32 window; /* two words for each column or row: its first quad and their number; down, and with longer samples: its
                   first sample and their number */
    u32 weights; /* quads, a multiple of 4 words: across, all first quads of the columns, then all second ones; down,
                    those of the first row, then those of the second */
    u32 quads;   /* across: of a row of the tile; down: of weights for each row */
    /* These are for pixels. */
    u32 alpha, mirror, sample;
    u32 pixel;                                         /* bytes from one pixel to the next where they are written */
    u32 plane[RESIZE_CHANNELS][2];                     /* where each channel of the first pixel is written */
    u32 plane_pitch[RESIZE_CHANNELS];                  /* bytes from row to row there */
    u32 mean[RESIZE_CHANNELS], scale[RESIZE_CHANNELS]; /* bits of floating-point numbers */
};

#endif
