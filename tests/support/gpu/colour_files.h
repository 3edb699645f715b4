/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares JPEG 2000 files whose channels are not simply their components. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_COLOUR_FILES_H
#define KOSTKA_TESTS_SUPPORT_GPU_COLOUR_FILES_H

#include <kostka/kostka.h>

enum { COMPONENTS = 5, PLANES = 4 /* of an image without further planes */ };
enum { RECIPES = 24, SMALL_RECIPES = 2 /* the last ones, for the simulator */, LARGE_RECIPES = 3 };

/* Describes a file: its components, and the contents of its boxes. */
struct recipe {
    const char *name;
    uint32_t width, height, x, y;           /* the picture */
    uint32_t tile, tile_x, tile_y;          /* 0: one tile */
    uint32_t components, depth;             /* samples are unsigned */
    uint8_t dx[COMPONENTS], dy[COMPONENTS]; /* 0 stands for 1 */
    uint8_t space;                          /* 0: a bare codestream */
    uint32_t entries, columns, bits;        /* of the palette: entries, columns, and bits of each entry */
    const char *mapping;                    /* for each channel its component and its column, or '-' for none */
    const char *order;                      /* for each channel its colour, 1 to 4, or 0 for alpha; null: in order */
    bool lossy;
    uint32_t orientation; /* 0: one of 2 to 8, in turn */
};

extern const struct recipe recipes[RECIPES], large_recipes[LARGE_RECIPES];

/*
 * Make a file of noise with the CPU's context. Files without an orientation of their own get them in turn. The caller
 * frees the file.
 */
kst_buffer make_file(const struct recipe *recipe);

/* Return a pseudo-random number below the bound; the sequence is the same on each run. */
uint32_t below(uint32_t bound);

static inline uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

#endif
