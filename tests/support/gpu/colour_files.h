/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of JPEG 2000 whose channels are not components as they are. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_COLOUR_FILES_H
#define KOSTKA_TESTS_SUPPORT_GPU_COLOUR_FILES_H

#include <kostka/kostka.h>

enum { COMPONENTS = 5, PLANES = 4 /* in an image itself */ };
enum { RECIPES = 24, SMALL_RECIPES = 2 /* the last ones: for the simulator */, LARGE_RECIPES = 3 };

/* A file: its components, and what its boxes say of them. */
struct recipe {
    const char *name;
    uint32_t width, height, x, y;           /* the picture */
    uint32_t tile, tile_x, tile_y;          /* 0: one tile */
    uint32_t components, depth;             /* unsigned */
    uint8_t dx[COMPONENTS], dy[COMPONENTS]; /* 0 stands for 1 */
    uint8_t space;                          /* 0: a bare codestream */
    uint32_t entries, columns, bits;        /* of a palette; of its columns */
    const char *mapping;                    /* of each channel component and column, or '-' for none */
    const char *order;                      /* what channels are: of each colour 1 to 4 or 0, alpha; null: in turn */
    bool lossy;
    uint32_t orientation; /* 0: one of them by turns */
};

extern const struct recipe recipes[RECIPES], large_recipes[LARGE_RECIPES];

/* Make files of noise, each turned in another way, with the CPU's context. The caller frees them. */
kst_buffer make_file(const struct recipe *recipe);

/* A number below the bound; always the same ones in turn. */
uint32_t below(uint32_t bound);

static inline uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

#endif
