/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the contents of the headers of a JPEG 2000 file or codestream: boxes, the main header, and where the
 * tile-parts are. Packets are not read at this stage; building a plan (build.h) reads those that a filter wants.
 */
#ifndef KOSTKA_J2K_SYNTAX_STREAM_H
#define KOSTKA_J2K_SYNTAX_STREAM_H

#include "core/operation.h"
#include "j2k/plan/multi.h"
#include "j2k/plan/plan.h"
#include "j2k/syntax/boxes.h"

enum { J2K_SUBBANDS = 3 * J2K_LEVELS + 1, J2K_VOLUMES_MAX = 1024 };

enum j2k_progression { J2K_LRCP = 0, J2K_RLCP = 1, J2K_RPCL = 2, J2K_PCRL = 3, J2K_CPRL = 4 };

/* Holds SIZ (A.5.1). */
struct j2k_size {
    uint16_t capabilities;   /* Rsiz */
    struct j2k_rect image;   /* not empty */
    uint32_t tile_x, tile_y; /* position of the first tile, not behind that of the image */
    uint32_t tile_width, tile_height;
    uint32_t columns, rows; /* numbers of tiles; columns × rows is at most 65,535 */
};

struct j2k_component_size {
    uint8_t depth;
    bool is_signed;
    uint8_t dx, dy;
};

/* Says how one component is coded: SPcod or SPcoc (Table A.15). */
struct j2k_coding {
    uint8_t levels;
    uint8_t block_width, block_height; /* log2 of width and height */
    uint8_t style;
    bool reversible;
    uint8_t precinct[J2K_RESOLUTIONS]; /* PPx in the low four bits, PPy in the high ones; 0 is allowed only for r = 0 */
};

/* Holds QCD or QCC (A.6.4). */
struct j2k_quantisation {
    uint8_t style;               /* 0: exponents only; 1: derived from the first; 2: one for each subband */
    uint8_t guard;               /* 0–7 */
    uint8_t count;               /* number of entries in `step` */
    uint16_t step[J2K_SUBBANDS]; /* exponent in the high five bits, mantissa in the low eleven */
};

/*
 * Describes one progression volume: an entry of POC (A.6.6), or all packets in the progression of COD. Ranges are half
 * open.
 */
struct j2k_volume {
    uint8_t progression;
    uint8_t r0, r1;  /* 0–33 */
    uint16_t layers; /* layers 0 to layers − 1 */
    uint32_t c0, c1;
};

/* Holds the parameters in force, either in the main header or in a tile after its own header. */
struct j2k_parameters {
    uint8_t progression;
    uint16_t layers;
    bool transform; /* a component transform is used (Table A.17) */
    uint8_t multi;  /* J2K_MULTI_… bits: kinds of multiple component transforms (T.801) that are used */
    bool sop, eph;
    bool has_coding, has_quantisation;
    struct j2k_coding *coding; /* one entry for each component, as in the three arrays below */
    struct j2k_quantisation *quantisation;
    uint8_t *roi_shift;
    /*
     * J2K_OWN_… bits: which parameters the component's own marker segments in the header that is being read have set.
     */
    uint8_t *own;
    struct j2k_volume *volume;
    uint32_t volume_count; /* 0: there is no POC */
    uint32_t volume_capacity;
};

enum { J2K_OWN_CODING = 1, J2K_OWN_QUANTISATION = 2 };

enum { J2K_MULTI_BY_ARRAYS = 1, J2K_MULTI_BY_WAVELETS = 2 }; /* bits 1 and 2 of SGcod's last byte */

/* Describes a marker segment of a tile-part header, or one of the main header that is kept for callers (COM, CRG). */
struct j2k_marker_segment {
    uint8_t marker;
    uint32_t length; /* length of the contents, without the marker and the length field */
    uint64_t offset; /* offset of the contents from the start of the data */
};

struct j2k_tile_part {
    uint32_t tile;
    uint8_t index, count; /* TPsot and TNsot */
    /* Its header was read. Otherwise only tile, index, offset, body and body_length are valid. */
    bool read;
    uint8_t lengths_length;                /* number of its bytes in stream.lengths (PLM), from `lengths` on */
    uint64_t offset;                       /* offset of SOT */
    uint32_t first_segment, segment_count; /* segments of its header in stream.segment */
    uint64_t body, body_length;            /* its packets; if the header has not been read, everything from SOT on */
    uint64_t packed, packed_length;        /* its share of stream.packed (PPM) */
    uint32_t lengths;
    uint32_t next; /* index of the part behind it in the codestream; part_count: none */
};

struct j2k_stream {
    const uint8_t *data; /* borrowed */
    size_t length;
    struct j2k_file file; /* boxes; empty for a bare codestream */
    uint64_t start, end;  /* where the codestream starts and ends in the data */
    struct j2k_size size;
    struct j2k_component_size *component;
    uint32_t component_count;
    uint64_t samples;      /* number of samples of all components */
    uint64_t usual_visits; /* visits of these samples by coding passes (allowance.h) */
    struct j2k_parameters main;
    struct j2k_multi multi; /* multiple component transform (T.801) of the main header */
    /* Lists the main header's segments of it (multi_reading.h); null: Rsiz does not allow such a transform. */
    struct j2k_multi_header *multi_header;
    /* Segments of the main header that are kept, followed by those of tile-part headers. */
    struct j2k_marker_segment *segment;
    uint32_t segment_count, main_segment_count, segment_capacity;
    uint64_t first_part; /* offset of the SOT of the first tile-part in the codestream */
    /* Tile-parts were located by TLM; their headers are read when tiles are needed (kst_j2k_read_parts()). */
    bool located;
    uint64_t end_of_parts;      /* if located: offset of EOC */
    struct j2k_tile_part *part; /* sorted by tile, then by TPsot */
    uint32_t part_count;        /* at least 1 */
    uint32_t first_in_order;    /* index of the part that comes first in the codestream */
    /*
     * The index of each tile's first part, and one more entry at the end, so that each tile's parts end where the next
     * one's start.
     */
    uint32_t *tile_part;
    bool transform_somewhere; /* the main header or the header of a tile that was read uses a component transform */
    bool has_packed;          /* there is PPM */
    uint8_t *packed;          /* packet headers of all tile-parts, in the order of the codestream */
    size_t packed_length;
    /* Packet lengths of all tile-parts, in the order of the codestream, if PLM contains them. */
    uint8_t *lengths;
    size_t lengths_length;
};

/*
 * Parse all headers, except for those of tile-parts if TLM says where these are. Borrows `data`. Counts warnings in the
 * report. On failure nothing is left allocated, and the report contains the error.
 */
kst_status kst_j2k_parse(const struct operation *op, const uint8_t *data, size_t length, struct j2k_stream *stream);

/*
 * Read those headers of tile-parts that have not been read yet, for the tiles in columns x0 to x1 − 1 and rows y0 to y1
 * − 1. If all tiles are wanted, or anything contradicts TLM, all tile-parts are read one after the other as if there
 * were no TLM. On failure the stream is unchanged, and the report contains the error.
 */
kst_status kst_j2k_read_parts(const struct operation *op, struct j2k_stream *stream, struct j2k_rect tiles);
kst_status kst_j2k_read_all_parts(const struct operation *op, struct j2k_stream *stream);

void kst_j2k_stream_release(struct memory *memory, struct j2k_stream *stream);

/*
 * Return whether the headers of a tile's tile-parts, which have been read, have any segment of T.801, or give the tile
 * another kind of transform, or none; and build the description of the tile's multiple component transform, which the
 * caller releases, even after an error. *work counts operations of all transforms of tiles, against the limit; it is 0
 * at first.
 */
bool kst_j2k_tile_has_multi(const struct j2k_stream *stream, uint32_t tile);
kst_status kst_j2k_parse_tile_multi(
    const struct operation *op, const struct j2k_stream *stream, uint32_t tile, double *work, struct j2k_multi *multi);
void kst_j2k_multi_release(struct memory *memory, struct j2k_multi *multi);

/* Return whether the data start like a JP2 file or a codestream. */
bool kst_j2k_recognised(const uint8_t *data, size_t length);

#endif
