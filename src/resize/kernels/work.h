/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes steps of resizing: the host writes them (resize/gpu/steps.c) and the kernels read them. One buffer, the
 * work, holds steps, lists and weights; offsets in it count 32-bit words from its start. A launch runs one kernel for
 * steps of many planes. The work-groups of a step follow those of the step before it; a list has the first work-group
 * of each.
 *
 * Weights are stored in quads. A quad belongs to four neighbouring samples, and its weights are 0 for samples outside
 * the window. For samples of up to 8 bits, its words hold the lowest bytes of the four weights, their second bytes, and
 * their third bytes, which have a sign; for longer samples the words are the weights themselves.
 */
#ifndef KOSTKA_RESIZE_KERNELS_WORK_H
#define KOSTKA_RESIZE_KERNELS_WORK_H

#if !defined(KERNEL)
#include <stdint.h>
typedef uint32_t u32;
#endif

enum {
    RESIZE_GROUP_ITEMS = 128,   /* work-items in a work-group */
    RESIZE_ACROSS_COLUMNS = 64, /* columns that a work-group makes horizontally */
    RESIZE_ACROSS_STRIP = 4,    /* rows that a work-item makes horizontally */
    RESIZE_ACROSS_ROWS = RESIZE_GROUP_ITEMS / RESIZE_ACROSS_COLUMNS * RESIZE_ACROSS_STRIP,
    RESIZE_ACROSS_TILE = 6144, /* words of four samples that a work-group holds in local memory */
    RESIZE_DOWN_LANES = 32,    /* work-items that make neighbouring words of a row vertically, two each */
    RESIZE_DOWN_WORDS = 2 * RESIZE_DOWN_LANES,
    RESIZE_DOWN_ROWS = RESIZE_GROUP_ITEMS / RESIZE_DOWN_LANES,
    RESIZE_QUAD_WORDS = 4,   /* words of a quad of weights */
    RESIZE_NARROW_BITS = 22, /* fractional bits of weights */
    RESIZE_WIDE_BITS = 30,   /* the same for samples of more than 8 bits */
    RESIZE_CHANNELS = 4      /* the most channels of a pixel */
};

/* Names the type of the stored samples. */
enum resize_work_sample { RESIZE_BYTES, RESIZE_WORDS, RESIZE_HALVES, RESIZE_FLOATS };

/* Says whether a pixel's colours are kept, multiplied by alpha, or divided by alpha. */
enum resize_work_alpha { RESIZE_ALPHA_KEPT, RESIZE_ALPHA_WEIGHED, RESIZE_ALPHA_DIVIDED };

/*
 * Describes a step of one plane. Places are counted in bytes from the launch's buffer, low word first. Rows of bytes
 * that are written, and rows that are read to be resized vertically, begin at multiples of 4 bytes.
 */
struct resize_work_step {
    u32 from[2], to[2];       /* the first sample */
    u32 from_pitch, to_pitch; /* bytes */
    u32 length;               /* bytes of a row that may be read; RESIZE_PIXELS: bytes of a sample */
    u32 width, height;        /* pixels and rows that are made */
    u32 channels, greatest;   /* value of a sample */
    u32 groups_of_row;
    u32 window; /* two words for each column or row: its first quad and the number of quads; vertically, and with longer
                   samples: its first sample and the number of samples */
    u32 weights; /* quads, at a multiple of 4 words: horizontally, the first quads of all columns, then all second ones;
                    vertically, all quads of the first row, then those of the second */
    u32 quads;   /* horizontally: quads in a row of the tile; vertically: quads of weights for each row */
    /* The remaining members are for RESIZE_PIXELS. */
    u32 alpha, mirror, sample;
    u32 pixel;                                         /* bytes from one pixel to the next where they are written */
    u32 plane[RESIZE_CHANNELS][2];                     /* where each channel of the first pixel is written */
    u32 plane_pitch[RESIZE_CHANNELS];                  /* bytes from row to row there */
    u32 mean[RESIZE_CHANNELS], scale[RESIZE_CHANNELS]; /* bits of floating-point numbers */
};

#endif
