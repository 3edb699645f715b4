/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a JPEG 2000 codestream (T.800): geometry, coding parameters and flat arrays of code-blocks, as packet
 * headers and a filter give them. Immutable once built; every index in it is valid, every piece lies in the data, and
 * all that follows from the numbers' bounds holds, so that an executor checks only what depends on the coded bits.
 *
 * Several tiles are to an executor what several pictures are. A tile without any data is not in the plan: its samples
 * are what coefficients of 0 give, that is half of the range of unsigned ones and 0 of signed ones.
 */
#ifndef KOSTKA_J2K_PLAN_PLAN_H
#define KOSTKA_J2K_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    J2K_COMPONENTS = 16384, /* A.5.1 */
    J2K_LEVELS = 32,        /* of decomposition (Table A.15) */
    J2K_RESOLUTIONS = J2K_LEVELS + 1,
    J2K_DEPTH = 38,          /* bits of a sample (A.5.1) */
    J2K_BLOCK_SIDE = 1024,   /* Table A.18 */
    J2K_BLOCK_SAMPLES = 4096 /* Table A.18 */
};

/* Half open: x0 ≤ x < x1, y0 ≤ y < y1; empty where x0 ≥ x1 or y0 ≥ y1. */
struct j2k_rect {
    uint32_t x0, y0, x1, y1;
};

/* Code-block style, the bits of Table A.19. */
enum j2k_style {
    J2K_STYLE_BYPASS = 1,       /* selective arithmetic coding bypass */
    J2K_STYLE_RESET = 2,        /* contexts are reset after each pass */
    J2K_STYLE_TERMALL = 4,      /* each pass ends its segment */
    J2K_STYLE_CAUSAL = 8,       /* vertically causal contexts */
    J2K_STYLE_PREDICTABLE = 16, /* predictable termination: an error can be told */
    J2K_STYLE_SYMBOLS = 32      /* a segmentation symbol ends each cleanup pass */
};

enum j2k_orientation { J2K_LL = 0, J2K_HL = 1, J2K_LH = 2, J2K_HH = 3 };

/* What the first three components went through (Annex G). */
enum j2k_transform { J2K_TRANSFORM_NONE = 0, J2K_TRANSFORM_RCT = 1, J2K_TRANSFORM_ICT = 2 };

struct j2k_component {
    uint8_t depth; /* 1–38 */
    bool is_signed;
    uint8_t dx, dy;       /* XRsiz and YRsiz, 1–255 */
    bool wanted;          /* by the filter, or because a component transform needs it */
    struct j2k_rect area; /* in the component's samples at the plan's reduction: what the filter's region holds */
};

/* Consecutive bytes of the data. */
struct j2k_piece {
    uint64_t offset; /* in plan.data */
    uint32_t length; /* at least 1 */
    uint32_t reserved;
};

/* Coding passes that share one codeword, terminated at its end. Its bytes are its pieces, one after the other. */
struct j2k_segment {
    uint64_t length;      /* of all pieces, which the data hold, and so no more than plan.length */
    uint32_t first_piece; /* into plan.piece */
    uint32_t piece_count; /* 0 where there are no bytes: the decoder reads ones */
    uint8_t passes;       /* 1 … 219; the last segment may hold fewer than its codeword would have room for */
    bool raw;             /* bypass: bits as they are, not the MQ coder's */
    uint16_t reserved[3];
};

/* A code-block with at least one pass. Those without any, and those outside their band's window, are not in the plan.
 */
struct j2k_block {
    uint32_t x, y;          /* in its band's coordinates, inside the band's rect with all of its samples */
    uint16_t width, height; /* 1–1,024; at most 4,096 samples */
    uint32_t band;          /* into plan.band */
    uint32_t first_segment; /* into plan.segment */
    uint16_t segment_count; /* 1 … passes */
    uint8_t missing;        /* most significant bit planes that are all 0 */
    uint8_t planes;         /* those below: band.planes − missing, 1–74 */
    uint16_t passes;        /* 1 … 3·planes − 2, the sum of its segments' */
    uint16_t reserved[3];
    uint64_t length; /* bytes of all segments */
};

struct j2k_band {
    struct j2k_rect rect;    /* in the subband's coordinates (B-15) */
    struct j2k_rect window;  /* the part of it that the resolution's `computed` needs */
    uint8_t orientation;     /* enum j2k_orientation */
    uint8_t gain;            /* log2 of the subband gain: 0 for LL, 1 for HL and LH, 2 for HH */
    uint8_t exponent;        /* ε_b, 0–31 */
    uint8_t magnitude;       /* M_b = G + ε_b − 1, 0–37 (E-2) */
    uint8_t planes;          /* M_b and the shift of the region of interest: bit planes that blocks can have, 0–74 */
    uint16_t mantissa;       /* μ_b, 0–2,047; 0 where the transform is reversible */
    float step;              /* Δ_b (E-3), exact; 1 where the transform is reversible */
    uint32_t tile_component; /* into plan.tile_component */
    uint32_t first_block;    /* into plan.block; precinct by precinct, each in raster order */
    uint32_t block_count;
};

/*
 * Resolution r is made from r − 1 and three bands, r = 0 is its band LL. With a region an executor treats `computed` as
 * if it were the whole: it interleaves the windows of the bands and `valid` of r − 1, which together are just as large
 * as `computed`, and inverts the filter with symmetric extension at the borders of `computed`. Inside `valid` the
 * outcome is what the whole would have given. Without a region all three are the same.
 */
struct j2k_resolution {
    struct j2k_rect rect; /* of the tile-component at this resolution (B-14) */
    struct j2k_rect computed;
    struct j2k_rect valid;
    uint32_t first_band; /* into plan.band: LL; or HL, LH, HH */
    uint8_t band_count;  /* 1 for r = 0, else 3 */
};

struct j2k_tile_component {
    struct j2k_rect rect;      /* at the plan's reduction: that of the last resolution */
    struct j2k_rect area;      /* the part of it inside the component's area; empty: nothing is to be done */
    uint32_t first_resolution; /* into plan.resolution */
    uint8_t resolution_count;  /* levels + 1 − reduce; 0 where nothing is to be done */
    uint8_t levels;            /* N_L as coded, 0–32 */
    bool reversible;           /* 5/3, else 9/7 */
    uint8_t style;             /* enum j2k_style */
    uint8_t roi_shift;         /* s of Annex H, 0–37; 0: no region of interest */
    uint8_t block_width;       /* log2 of the nominal size, 2–10, sum at most 12 */
    uint8_t block_height;
};

struct j2k_tile {
    uint32_t index;           /* in the raster of tiles */
    uint32_t first_component; /* into plan.tile_component: one for each component of the picture */
    struct j2k_rect rect;     /* on the reference grid, not reduced */
    uint16_t layers;          /* as coded */
    uint8_t transform;        /* enum j2k_transform; components 0–2 then have equal rects, areas and reversibility */
};

/* What reading the packets came to; of all tiles in the plan. */
struct j2k_packet_totals {
    uint64_t packets;      /* read, empty ones included */
    uint64_t header_bytes; /* SOP and EPH markers included */
    uint64_t body_bytes;
    uint64_t skipped_bytes; /* of packets that the filter does not want, where PLT told their lengths */
    uint64_t left_bytes;    /* of tile-parts, behind the last packet: damage unless the filter let reading end early */
};

struct j2k_plan {
    const uint8_t *data; /* borrowed */
    size_t length;
    struct j2k_component *component;
    struct j2k_tile *tile; /* those with data that touch the region */
    struct j2k_tile_component *tile_component;
    struct j2k_resolution *resolution;
    struct j2k_band *band;
    struct j2k_block *block;
    struct j2k_segment *segment;
    struct j2k_piece *piece;
    uint32_t component_count, tile_count, tile_component_count, resolution_count, band_count;
    uint32_t block_count, segment_count, piece_count;
    uint32_t missing_tiles; /* that touch the region and have no data */
    struct j2k_rect image;  /* on the reference grid: XOsiz, YOsiz, Xsiz, Ysiz */
    struct j2k_packet_totals totals;
    uint8_t reduce;           /* resolutions left out */
    struct j2k_rect shown[2]; /* regions, reduced, that others have decoded: damage of what they needed is known */
};

#endif
