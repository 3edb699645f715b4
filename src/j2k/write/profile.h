/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of codestreams (T.800 A.10 and Tables A.10, A.45–A.54): whether headers keep the rules of what their Rsiz
 * claims. The same rules hold for what is to be written and for what has been read.
 */
#ifndef KOSTKA_J2K_WRITE_PROFILE_H
#define KOSTKA_J2K_WRITE_PROFILE_H

#include "j2k/write/sequence.h"

enum {
    J2K_RSIZ_FAMILY = 0xFF00, /* of broadcast and IMF; below it levels */
    J2K_CINEMA_RATE = 24      /* frames a second where nobody says */
};

/* What depends on how many frames there are a second; UINT64_MAX: no limit. */
struct j2k_profile_limits {
    uint64_t bytes;           /* of a codestream */
    uint64_t component_bytes; /* of the tile-parts of one component */
};

/* What headers do not tell. */
struct j2k_profile_facts {
    bool part_lengths;    /* TLM */
    bool packed_headers;  /* PPM or PPT */
    bool regions;         /* RGN */
    bool tile_parameters; /* COD, COC, QCD, QCC or POC in tile-part headers */
    bool parts_sorted;    /* the first tile-parts of all tiles come first, tile by tile */
    uint32_t most_parts;  /* tile-parts of the tile that has most, and least */
    uint32_t least_parts;
    uint64_t bytes;                /* of the codestream; 0: not known */
    uint64_t most_component_bytes; /* likewise */
    double frame_rate;             /* frames a second; 0: not known, J2K_CINEMA_RATE for cinema */
};

/* Told of each rule that is broken: the rule and what is instead, and what an encoder's user can do. */
typedef void (*j2k_profile_teller)(void *argument, const char *breach, const char *remedy);

/* How a profile of video is coded. */
struct j2k_profile_coding {
    uint8_t levels; /* as many as there may be in any picture */
    bool reversible;
    bool two_sets; /* of progressions: all but the largest resolution, and that */
};

/* False: not a profile of video whose rules are known. The names are kst_j2k_profile_name()'s. */
bool kst_j2k_profile_coding(uint32_t rsiz, struct j2k_profile_coding *coding);

/* Precincts of a resolution in profiles of video: PPx and PPy as in j2k_coding. */
uint8_t kst_j2k_profile_precinct(uint32_t resolution);

void kst_j2k_profile_limits(uint32_t rsiz, double frame_rate, struct j2k_profile_limits *limits);

/* Check the headers of a stream, of which size, components and main parameters count, against its Rsiz. */
void kst_j2k_profile_check(
    const struct j2k_stream *headers, const struct j2k_profile_facts *facts, j2k_profile_teller tell, void *argument);

/* What a stream that has been parsed says beside its headers. */
void kst_j2k_profile_facts(const struct j2k_stream *stream, struct j2k_profile_facts *facts);

/* What will be so in a coded image that is written; its bytes are not known. */
kst_status kst_j2k_profile_plan(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    struct j2k_profile_facts *facts, kst_report *report);

/* Whether TLM, or PLT, is in a stream that has been parsed. */
bool kst_j2k_has_part_lengths(const struct j2k_stream *stream);
bool kst_j2k_has_packet_lengths(const struct j2k_stream *stream);

#endif
