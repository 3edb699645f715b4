/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the headers of a JPEG 2000 file or codestream say: boxes, the main header, and where the tile-parts lie. Packets
 * are not read yet; a plan (build.h) does that for what a filter wants.
 */
#ifndef KOSTKA_J2K_SYNTAX_STREAM_H
#define KOSTKA_J2K_SYNTAX_STREAM_H

#include "core/memory.h"
#include "j2k/plan/plan.h"
#include "j2k/syntax/boxes.h"

enum { J2K_SUBBANDS = 3 * J2K_LEVELS + 1, J2K_VOLUMES_MAX = 1024 };

enum j2k_progression { J2K_LRCP = 0, J2K_RLCP = 1, J2K_RPCL = 2, J2K_PCRL = 3, J2K_CPRL = 4 };

/* SIZ (A.5.1). */
struct j2k_size {
    uint16_t capabilities;   /* Rsiz */
    struct j2k_rect image;   /* not empty */
    uint32_t tile_x, tile_y; /* where the first tile starts, at or before the image */
    uint32_t tile_width, tile_height;
    uint32_t columns, rows; /* of tiles; columns × rows is at most 65,535 */
};

struct j2k_component_size {
    uint8_t depth;
    bool is_signed;
    uint8_t dx, dy;
};

/* How one component is coded: SPcod or SPcoc (Table A.20). */
struct j2k_coding {
    uint8_t levels;
    uint8_t block_width, block_height; /* log2 */
    uint8_t style;
    bool reversible;
    uint8_t precinct[J2K_RESOLUTIONS]; /* PPx in the low four bits, PPy in the high ones; not 0 but for r = 0 */
};

/* QCD or QCC (A.6.4). */
struct j2k_quantisation {
    uint8_t style;               /* 0: exponents only; 1: derived from the first; 2: one for each subband */
    uint8_t guard;               /* 0–7 */
    uint8_t count;               /* subbands that have one */
    uint16_t step[J2K_SUBBANDS]; /* exponent in the high five bits, mantissa in the others */
};

/* One entry of POC (A.6.6), or the whole as COD says it. Half open. */
struct j2k_volume {
    uint8_t progression;
    uint8_t r0, r1;  /* 0–33 */
    uint16_t layers; /* 0 … layers − 1 */
    uint32_t c0, c1;
};

/* Parameters in force: of the main header, or of a tile after its own header. */
struct j2k_parameters {
    uint8_t progression;
    uint16_t layers;
    bool transform; /* Table A.17 */
    bool sop, eph;
    bool has_coding, has_quantisation;
    struct j2k_coding *coding; /* of each component, as the following */
    struct j2k_quantisation *quantisation;
    uint8_t *roi_shift;
    uint8_t *own; /* bits of what the component's own marker segments said in the header at hand: J2K_OWN_… */
    struct j2k_volume *volume;
    uint32_t volume_count; /* 0: no POC */
    uint32_t volume_capacity;
};

enum { J2K_OWN_CODING = 1, J2K_OWN_QUANTISATION = 2 };

/* A marker segment of a tile-part header or one that is kept for whoever asks (COM, CRG). */
struct j2k_marker_segment {
    uint8_t marker;
    uint32_t length; /* of the contents, without marker and length */
    uint64_t offset; /* of the contents, in the data */
};

struct j2k_tile_part {
    uint32_t tile;
    uint8_t index, count;                  /* TPsot and TNsot */
    bool read;                             /* its header; else only tile, index, offset, body and its length count */
    uint8_t lengths_length;                /* bytes of stream.lengths (PLM), from `lengths` on */
    uint64_t offset;                       /* of SOT */
    uint32_t first_segment, segment_count; /* of its header, into stream.segment */
    uint64_t body, body_length;            /* packets; of what is not read all from SOT on */
    uint64_t packed, packed_length;        /* its part of stream.packed (PPM) */
    uint32_t lengths;
    uint32_t next; /* the one behind it in the codestream; part_count: none */
};

struct j2k_stream {
    const uint8_t *data; /* borrowed */
    size_t length;
    struct j2k_file file; /* boxes; nothing in it for a bare codestream */
    uint64_t start, end;  /* of the codestream in the data */
    struct j2k_size size;
    struct j2k_component_size *component;
    uint32_t component_count;
    uint64_t samples;      /* of all components */
    uint64_t usual_visits; /* of them by coding passes (allowance.h) */
    struct j2k_parameters main;
    struct j2k_marker_segment *segment; /* of the main header those that are kept, then those of tile-part headers */
    uint32_t segment_count, main_segment_count, segment_capacity;
    uint64_t first_part;   /* SOT of the first one in the codestream */
    bool located;          /* tile-parts are where TLM says; they are read as tiles are wanted (kst_j2k_read_parts()) */
    uint64_t end_of_parts; /* located: EOC */
    struct j2k_tile_part *part; /* by tile, then by TPsot */
    uint32_t part_count;        /* at least 1 */
    uint32_t first_in_order;    /* the part that is the first in the codestream */
    uint32_t *tile_part;        /* of each tile: its first part; one more at the end, so that ends are starts */
    bool transform_somewhere;   /* a tile that is read or the main header asks for a component transform */
    bool has_packed;            /* PPM */
    uint8_t *packed;            /* packet headers of all tile-parts, in the order of the codestream */
    size_t packed_length;
    uint8_t *lengths; /* lengths of packets of all tile-parts, in the order of the codestream, where PLM says them */
    size_t lengths_length;
};

/*
 * Parse all headers, but for those of tile-parts where TLM says where these are. Borrows `data`. Warnings are counted
 * in `report`. On failure nothing is left allocated and the report holds the error.
 */
kst_status kst_j2k_parse(struct memory *memory, const kst_limits *limits, const uint8_t *data, size_t length,
    struct j2k_stream *stream, kst_report *report);

/*
 * Read what is not read yet of the tiles in columns x0 … x1 − 1 and rows y0 … y1 − 1. Where all tiles are wanted, or
 * anything is not as TLM says, all tile-parts are read one after the other as if there were no TLM. On failure the
 * stream is as it was and the report holds the error.
 */
kst_status kst_j2k_read_parts(struct memory *memory, const kst_limits *limits, struct j2k_stream *stream,
    struct j2k_rect tiles, kst_report *report);
kst_status kst_j2k_read_all_parts(
    struct memory *memory, const kst_limits *limits, struct j2k_stream *stream, kst_report *report);

void kst_j2k_stream_release(struct memory *memory, struct j2k_stream *stream);

/* Whether data start as a JP2 file or a codestream does. */
bool kst_j2k_recognised(const uint8_t *data, size_t length);

#endif
