/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the plan of a JPEG 2000 codestream (T.800), from which executors (CPU or GPU) decode: geometry, coding
 * parameters and flat arrays of code-blocks, as the packet headers and the caller's filter determine them. A plan is
 * immutable once it is built. Every index in a plan is valid, every piece lies in the data, and all numbers are within
 * the ranges below, so that an executor checks only what depends on the coded bits themselves.
 *
 * To an executor, several tiles are like several pictures. A tile without any data is not in the plan: its samples are
 * what coefficients of 0 give, which is half of the range for unsigned samples and 0 for signed ones.
 */
#ifndef KOSTKA_J2K_PLAN_PLAN_H
#define KOSTKA_J2K_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/tables/blocks.h"

enum {
    J2K_COMPONENTS = 16384, /* A.5.1 */
    J2K_LEVELS = 32,        /* decomposition levels (Table A.15) */
    J2K_RESOLUTIONS = J2K_LEVELS + 1,
    J2K_DEPTH = 38 /* most bits of a sample (A.5.1) */
};

/* Describes a half-open rectangle: x0 ≤ x < x1, y0 ≤ y < y1. It is empty where x0 ≥ x1 or y0 ≥ y1. */
struct j2k_rect {
    uint32_t x0, y0, x1, y1;
};

struct j2k_component {
    uint8_t depth; /* 1–38 */
    bool is_signed;
    uint8_t dx, dy; /* XRsiz and YRsiz, 1–255 */
    bool wanted;    /* the filter asks for it, or a component transform needs it */
    /* The part that the filter's region covers, in samples of the component at the plan's reduction. */
    struct j2k_rect area;
};

/* Describes a run of consecutive bytes of the data. */
struct j2k_piece {
    uint64_t offset; /* in plan.data */
    uint32_t length; /* at least 1 */
    uint32_t reserved;
};

/*
 * Describes a codeword segment: coding passes that share one codeword, which is terminated at its end. Its bytes are
 * those of its pieces, one piece after the other.
 */
struct j2k_segment {
    uint64_t length;      /* sum over all pieces; they lie in the data, so it is at most plan.length */
    uint32_t first_piece; /* index into plan.piece */
    uint32_t piece_count; /* 0: the segment has no bytes, and the decoder reads ones */
    /* 1–219. The last segment of a block may hold fewer passes than its codeword has room for. */
    uint8_t passes;
    bool raw; /* bypass mode: raw bits, not MQ-coded ones */
    uint16_t reserved[3];
};

/*
 * Describes a code-block with at least one coding pass. The plan leaves out code-blocks without any pass and those
 * outside their band's window.
 */
struct j2k_block {
    uint32_t x, y;          /* in its band's coordinates; the whole block lies inside the band's rect */
    uint16_t width, height; /* 1–1,024 each; at most 4,096 samples together */
    uint32_t band;          /* index into plan.band */
    uint32_t first_segment; /* index into plan.segment */
    uint16_t segment_count; /* 1 to `passes` */
    /*
     * Number of bit-planes above the plane of the first pass. EBCOT leaves out planes that are all 0; a code-block of
     * T.814 may have bits in them.
     */
    uint8_t missing;
    uint8_t planes;  /* number of the remaining planes: band.planes − missing, 1–74 */
    uint16_t passes; /* 1 to 3·planes − 2: the sum over its segments */
    /*
     * Set if its last segment may lack passes that the encoder made, because not all packets of its precinct were read.
     * The segment then does not end where the encoder ended it, and its end does not show damage.
     */
    bool cut;
    uint8_t coder; /* enum j2k_block_coder_kind */
    /*
     * The number of lowest bit-planes that no pass reaches. Decoding to quantiser indices, as transcoding does, leaves
     * them out of the indices. It is 0 in plans of other decodings.
     */
    uint8_t below;
    uint8_t reserved[3];
    uint64_t length; /* sum of the bytes of all segments */
};

struct j2k_band {
    struct j2k_rect rect;   /* in the subband's coordinates (B-15) */
    struct j2k_rect window; /* the part of it from which the resolution's `computed` is made */
    uint8_t orientation;    /* enum j2k_orientation */
    uint8_t exponent;       /* ε_b, 0–31 */
    uint8_t magnitude;      /* M_b = G + ε_b − 1, 0–37 (E-2) */
    /* Number of bit-planes that blocks can have: M_b plus the shift of the region of interest, 0–74. */
    uint8_t planes;
    uint16_t mantissa;       /* μ_b, 0–2,047; 0 where the transform is reversible */
    float step;              /* Δ_b (E-3), exact; 1 where the transform is reversible */
    uint32_t tile_component; /* into plan.tile_component */
    /*
     * Index into plan.block, where the blocks of a band follow each other: precinct by precinct, in raster order within
     * each.
     */
    uint32_t first_block;
    uint32_t block_count;
};

/*
 * Resolution r is synthesised from resolution r − 1 and three bands; resolution 0 is its band LL.
 *
 * With a region, an executor treats `computed` as if it were the whole resolution: it interleaves the windows of the
 * bands with `valid` of resolution r − 1, which together are exactly as large as `computed`, and applies the inverse
 * filter with symmetric extension at the borders of `computed`. Inside `valid` the outcome equals that of decoding the
 * whole. Without a region, `rect`, `computed` and `valid` are the same.
 */
struct j2k_resolution {
    struct j2k_rect rect; /* rect of the tile-component at this resolution (B-14) */
    struct j2k_rect computed;
    struct j2k_rect valid;
    uint32_t first_band; /* into plan.band: LL; or HL, LH, HH */
    uint8_t band_count;  /* 1 for r = 0, else 3 */
};

struct j2k_tile_component {
    struct j2k_rect rect;      /* at the plan's reduction: equal to the rect of its last resolution */
    struct j2k_rect area;      /* the part inside the component's area; empty: nothing is to be decoded */
    uint32_t first_resolution; /* into plan.resolution */
    uint8_t resolution_count;  /* levels + 1 − reduce; 0: nothing is to be decoded */
    uint8_t levels;            /* N_L as coded, 0–32 */
    bool reversible;           /* true: 5/3 filter; false: 9/7 */
    uint8_t style;             /* enum j2k_style */
    uint8_t roi_shift;         /* s of Annex H, 0–37; 0: no region of interest */
    /* Log2 of the nominal size of code-blocks: each 2–10, the sum at most 12. */
    uint8_t block_width;
    uint8_t block_height;
};

struct j2k_tile {
    uint32_t index;           /* in raster order of the tiles */
    uint32_t first_component; /* into plan.tile_component, which has one for each component of the picture */
    struct j2k_rect rect;     /* on the reference grid, not reduced */
    uint16_t layers;          /* as coded */
    uint8_t transform; /* enum j2k_transform; if not NONE, components 0–2 have equal rects, areas and reversibility */
    uint8_t multi;     /* J2K_MULTI_BY_… bits: kinds of multiple component transforms (T.801) in its COD */
};

/* Sums over the packets that were read, for all tiles of the plan. */
struct j2k_packet_totals {
    uint64_t packets;      /* packets that were read, empty ones included */
    uint64_t header_bytes; /* SOP and EPH markers included */
    uint64_t body_bytes;
    /* Bytes of packets that the filter does not want and that were skipped, because PLT gives their lengths. */
    uint64_t skipped_bytes;
    /*
     * Bytes of tile-parts behind the last packet. They are a sign of damage, unless the filter let reading end early.
     */
    uint64_t left_bytes;
};

struct j2k_plan {
    const uint8_t *data; /* borrowed */
    size_t length;
    struct j2k_component *component;
    struct j2k_tile *tile; /* tiles that have data and intersect the region */
    struct j2k_tile_component *tile_component;
    struct j2k_resolution *resolution;
    struct j2k_band *band;
    struct j2k_block *block;
    struct j2k_segment *segment;
    struct j2k_piece *piece;
    uint32_t component_count, tile_count, tile_component_count, resolution_count, band_count;
    uint32_t block_count, segment_count, piece_count;
    uint32_t missing_tiles; /* tiles that intersect the region and have no data */
    struct j2k_rect image;  /* the image on the reference grid: XOsiz, YOsiz, Xsiz, Ysiz */
    struct j2k_packet_totals totals;
    uint8_t reduce; /* number of highest resolutions that are left out */
    /*
     * Regions, at the plan's reduction, that other decodes have shown: damage of the blocks that these needed is
     * already counted.
     */
    struct j2k_rect shown[2];
};

#endif
