/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A coded image that is ready to be written: what the headers shall say, its code-blocks in flat arrays, and how many
 * passes of each belong to which layer. An encoder fills it in, on whatever device; transcoding fills it from a stream.
 *
 * How to make one:
 * 1. set `headers.size` (columns and rows too), `headers.component`, `headers.component_count` and `headers.main`
 *    (kst_j2k_parameters_allocate(), parser.h), and `tile` where tiles differ;
 * 2. kst_j2k_coded_layout() gives `plan`: all tiles, tile-components, resolutions, subbands with their steps, and every
 *    code-block, where it lies; and as many `block`s, all empty;
 * 3. code the blocks: fill `block` and `pass_length`;
 * 4. set `layer_passes`: by hand, or by rate allocation, which asks write.h how long packets would be;
 * 5. kst_j2k_write() (write.h).
 */
#ifndef KOSTKA_J2K_WRITE_CODED_H
#define KOSTKA_J2K_WRITE_CODED_H

#include "j2k/syntax/stream.h"

enum { J2K_PACKET_PASSES = 164 }; /* that one packet can add to a code-block (Table B.4) */

/* A code-block, at the same index as its geometry in plan.block. */
struct j2k_block_code {
    const uint8_t *data; /* of all passes, segment after segment; borrowed; null where there are none */
    uint32_t first_pass; /* into pass_length */
    uint8_t passes; /* 0 … 3·(planes − missing) − 2, planes being its band's; 0: the block is nowhere included */
    uint8_t missing; /* most significant bit planes that are all 0, less than planes; any value without passes */
    uint16_t reserved;
};

/* Where the code-blocks of one precinct stand: those of its first band, then of the next, each in raster order. */
struct j2k_coded_precinct {
    uint32_t grid;           /* into coded.grid */
    uint32_t tile;           /* into plan.tile */
    uint32_t first_block[3]; /* of each band of the resolution, into block */
    uint16_t columns[3];     /* of blocks; columns and rows are both 0 where the band has none */
    uint16_t rows[3];
};

/* One tile's share of the flat arrays. */
struct j2k_coded_tile {
    uint32_t first_grid, grid_count;
    uint32_t first_component_grid; /* into component_grid: one for each component and one more; counted in the tile */
    uint32_t first_precinct, precinct_count;
};

struct j2k_grid;

struct j2k_coded {
    /*
     * Of this only size, component, component_count and main count. In `main`, coding, quantisation and roi_shift are
     * of each component; the writer itself finds what COD and QCD can say and what needs COC, QCC and RGN. `volume` is
     * POC; without it `progression` counts.
     */
    struct j2k_stream headers;
    const struct j2k_parameters *tile; /* of each tile of the raster; null: all as main. Owned by who set it */

    /* By kst_j2k_coded_layout(); plan.block has x, y, width, height and band, no segments, and no data. */
    struct j2k_plan plan;
    struct j2k_grid *grid; /* see builder.h */
    uint32_t *component_grid;
    struct j2k_coded_tile *tiles; /* of each of plan.tile, that is of each tile of the raster */
    struct j2k_coded_precinct *precinct;
    uint32_t grid_count, precinct_count;
    uint16_t layers; /* most of any tile */

    /* By the encoder. */
    struct j2k_block_code *block; /* plan.block_count of them, allocated and zeroed by kst_j2k_coded_layout() */
    /*
     * Bytes from the start of a block's data that are needed to decode it up to the end of a pass, ascending. Where a
     * pass ends a segment (kst_j2k_segment_starts(), builder.h: TERMALL each pass; BYPASS as in Table D.9) that is
     * exactly where the segment ends, and so it is for the block's last pass. Elsewhere the length is a truncation
     * point: what follows it may be dropped together with the passes behind. A pass whose own need is not known has the
     * next length that is. Borrowed.
     */
    const uint32_t *pass_length;
    /*
     * Passes of block b that are in the layers 0 … l together: layer_passes[b × layers + l], ascending, at most
     * block[b].passes, and at most J2K_PACKET_PASSES more in each. What
     * stands behind a tile's own layers does not count. Borrowed.
     */
    const uint8_t *layer_passes;
};

/*
 * Whether what `headers` and `tile` say is allowed, as far as that does not depend on geometry. The error is that which
 * parsing it would give.
 */
kst_status kst_j2k_coded_check(const struct j2k_coded *coded, kst_report *report);

/*
 * Check, and lay out all tiles for what `headers` and `tile` say. Fails where the parameters do not fit each other or
 * reach a limit; the report says what. In either case kst_j2k_coded_release() gives back what was allocated.
 */
kst_status kst_j2k_coded_layout(
    struct memory *memory, const kst_limits *limits, struct j2k_coded *coded, kst_report *report);

/* All that kst_j2k_coded_layout() allocated, not `headers` (kst_j2k_stream_release()), nor what is borrowed. */
void kst_j2k_coded_release(struct memory *memory, struct j2k_coded *coded);

/* Tiles of the raster, one after the other. */
struct j2k_tiles {
    uint32_t first, count;
};

/* Their elements of a flat array, which follow one another. */
struct j2k_span {
    uint32_t first, count;
};

struct j2k_span kst_j2k_coded_precincts(const struct j2k_coded *coded, struct j2k_tiles tiles);
struct j2k_span kst_j2k_coded_blocks(const struct j2k_coded *coded, struct j2k_tiles tiles);

/* The parameters in force for a tile of the raster. */
const struct j2k_parameters *kst_j2k_coded_parameters(const struct j2k_coded *coded, uint32_t tile);

#endif
