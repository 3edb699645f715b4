/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a coded image that is ready to be written: the contents of its headers, its code-blocks in flat arrays, and
 * how many passes of each block belong to which layer. An encoder fills it in, on any device; transcoding fills it from
 * a stream.
 * |
 * How to make one:
 * 1. set `headers.size` (including columns and rows), `headers.component`, `headers.component_count` and `headers.main`
 *    (kst_j2k_parameters_allocate(), parser.h), and `tile` if tiles differ;
 * 2. call kst_j2k_coded_layout(), which makes `plan` with all tiles, tile-components, resolutions, subbands with their
 *    steps, and the position of every code-block, and a `block` for each code-block, all empty;
 * 3. code the blocks: fill in `block` and `pass_length`;
 * 4. set `layer_passes`, directly or by rate allocation, which uses write.h to find out how long packets would be;
 * 5. call kst_j2k_write() (write.h).
 */
#ifndef KOSTKA_J2K_WRITE_CODED_H
#define KOSTKA_J2K_WRITE_CODED_H

#include <kostka/kostka_writer.h>

#include "j2k/syntax/stream.h"

enum { J2K_PACKET_PASSES = 164 }; /* most passes that one packet can add to a code-block (Table B.4) */

/* Holds the coded data of a code-block. It has the same index as the block's geometry in plan.block. */
struct j2k_block_code {
    union {
        const uint8_t *data; /* bytes of all passes, segment after segment; borrowed; null if there are no bytes */
        uint64_t kept;       /* with coded->keeper: where the same bytes are kept, if there are passes */
    };
    uint32_t first_pass; /* index of its first pass in pass_length */
    /* 0 to 3·(planes − missing) − 2, where `planes` is that of the block's band; 0: no packet includes the block. */
    uint8_t passes;
    /* Number of most significant bit-planes that are all 0, less than planes; any value if there are no passes. */
    uint8_t missing;
    uint16_t reserved;
};

/*
 * Describes a precinct and its code-blocks: those of its first band, then those of the next ones, each in raster order.
 */
struct j2k_coded_precinct {
    uint32_t grid;           /* index into coded.grid */
    uint32_t tile;           /* index into plan.tile */
    uint32_t first_block[3]; /* index into coded.block, for each band of the resolution */
    uint16_t columns[3];     /* numbers of blocks; columns and rows are both 0 if the band has none */
    uint16_t rows[3];
};

/* Holds a tile's share of the flat arrays. */
struct j2k_coded_tile {
    uint32_t first_grid, grid_count;
    /*
     * Into component_grid, which has an entry for each component and one more; its values are relative to first_grid.
     */
    uint32_t first_component_grid;
    uint32_t first_precinct, precinct_count;
};

struct j2k_grid;

struct j2k_coded {
    /*
     * Only size, component, component_count and main are used. In `main`, coding, quantisation and roi_shift have an
     * entry for each component; the writer finds out which of these COD and QCD can express, and which need COC, QCC
     * and RGN. `volume` becomes POC; without volumes, `progression` is used.
     */
    struct j2k_stream headers;
    /* Parameters of each tile in raster order; null: all tiles use main. Owned by the caller who set it. */
    const struct j2k_parameters *tile;

    /*
     * The members from here on are set by kst_j2k_coded_layout(). In plan.block, it sets x, y, width, height and band;
     * there are no segments and no data.
     */
    struct j2k_plan plan;
    struct j2k_grid *grid; /* see builder.h */
    uint32_t *component_grid;
    struct j2k_coded_tile *tiles; /* for each of plan.tile, which contains all tiles in raster order */
    struct j2k_coded_precinct *precinct;
    uint32_t grid_count, precinct_count;
    uint16_t layers; /* the largest number of layers of any tile */

    /* The members from here on are filled in by the encoder. */
    const kst_writer *keeper;     /* keeps the bytes of all blocks; null: they are in memory */
    struct j2k_block_code *block; /* plan.block_count entries, allocated and zeroed by kst_j2k_coded_layout() */
    /*
     * For each pass, the number of bytes from the start of a block's data that are needed to decode the block up to the
     * end of that pass, ascending. If the pass ends a segment (kst_j2k_segment_starts(), plan/block_coder.h: with
     * TERMALL each pass does, with BYPASS as in Table D.9), this is exactly the end of the segment; so it is for the
     * block's last pass. Elsewhere it is a truncation point: the bytes behind it may be dropped together with the later
     * passes. A pass whose own length is unknown has the next length that is known. Borrowed.
     */
    const uint32_t *pass_length;
    /*
     * For block b, layer_passes[b × layers + l] is the number of passes in layers 0 to l together. It ascends with l,
     * is at most block[b].passes, and grows by at most J2K_PACKET_PASSES per layer. Entries behind a tile's own layers
     * are not used. Borrowed.
     */
    const uint8_t *layer_passes;
};

/*
 * Check that the contents of `headers` and `tile` are allowed, as far as that does not depend on geometry. The error is
 * the same as when such headers are parsed.
 */
kst_status kst_j2k_coded_check(const struct j2k_coded *coded, kst_report *report);

/*
 * Check `headers` and `tile`, and lay out all tiles. Fails if the parameters contradict each other or exceed a limit,
 * which the report then describes. In either case kst_j2k_coded_release() releases what was allocated.
 */
kst_status kst_j2k_coded_layout(const struct operation *op, struct j2k_coded *coded);

/* Set the steps and planes of all bands again, after those in `headers` and `tile` have changed. */
void kst_j2k_coded_quantise(struct j2k_coded *coded);

/*
 * Release all that kst_j2k_coded_layout() allocated, but neither `headers` (kst_j2k_stream_release()) nor anything
 * borrowed.
 */
void kst_j2k_coded_release(struct memory *memory, struct j2k_coded *coded);

/* Describes a run of consecutive tiles in raster order. */
struct j2k_tiles {
    uint32_t first, count;
};

/* Describes the elements of such tiles in a flat array, which are consecutive. */
struct j2k_span {
    uint32_t first, count;
};

struct j2k_span kst_j2k_coded_precincts(const struct j2k_coded *coded, struct j2k_tiles tiles);
struct j2k_span kst_j2k_coded_blocks(const struct j2k_coded *coded, struct j2k_tiles tiles);

/* Return the parameters in force for a tile, counted in raster order. */
const struct j2k_parameters *kst_j2k_coded_parameters(const struct j2k_coded *coded, uint32_t tile);

#endif
