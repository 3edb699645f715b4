/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks profiles of codestreams (T.800 A.10 and Tables A.10, A.45–A.54): whether headers obey the rules of the profile
 * that their Rsiz claims. The same check is used before writing and after reading.
 */
#ifndef KOSTKA_J2K_WRITE_PROFILE_H
#define KOSTKA_J2K_WRITE_PROFILE_H

#include "j2k/write/sequence.h"

enum {
    J2K_RSIZ_FAMILY = 0xFF00, /* bits of Rsiz that name broadcast or IMF; the lower bits are levels */
    J2K_CINEMA_RATE = 24      /* frames per second if the frame rate is unknown */
};

/* Holds the limits that depend on the frame rate; UINT64_MAX: no limit. */
struct j2k_profile_limits {
    uint64_t bytes;           /* bytes of a codestream */
    uint64_t component_bytes; /* bytes of the tile-parts of one component */
};

/* Holds the facts that a check needs besides the headers. */
struct j2k_profile_facts {
    bool part_lengths;    /* there is TLM */
    bool packed_headers;  /* there is PPM or PPT */
    bool regions;         /* there is RGN */
    bool tile_parameters; /* there is COD, COC, QCD, QCC or POC in tile-part headers */
    bool parts_sorted;    /* the first tile-parts of all tiles come first, in the order of tiles */
    uint32_t most_parts;  /* number of tile-parts of the tile that has most; and of the one that has least */
    uint32_t least_parts;
    uint64_t bytes;                /* bytes of the codestream; 0: unknown */
    uint64_t most_component_bytes; /* bytes of the component that has most; 0: unknown */
    double frame_rate;             /* frames per second; 0: unknown, which means J2K_CINEMA_RATE for cinema */
};

/*
 * A function that is called for each broken rule. `breach` describes the rule and what the stream has instead; `remedy`
 * tells what the user of an encoder can do about it.
 */
typedef void (*j2k_profile_teller)(void *argument, const char *breach, const char *remedy);

/* Holds the coding parameters of a video profile. */
struct j2k_profile_coding {
    uint8_t levels; /* the most levels that any picture may have */
    bool reversible;
    bool two_sets; /* two sets of progressions: for all but the largest resolution, and for that one */
};

/*
 * Set the coding parameters of a video profile. Returns false if `rsiz` is not a profile whose rules are known.
 * kst_j2k_profile_name() gives the names of profiles.
 */
bool kst_j2k_profile_coding(uint32_t rsiz, struct j2k_profile_coding *coding);

/* Return the precincts of a resolution in video profiles: PPx and PPy as in struct j2k_coding. */
uint8_t kst_j2k_profile_precinct(uint32_t resolution);

void kst_j2k_profile_limits(uint32_t rsiz, double frame_rate, struct j2k_profile_limits *limits);

/* Check the headers of a stream against its Rsiz. Only size, components and main parameters are used. */
void kst_j2k_profile_check(
    const struct j2k_stream *headers, const struct j2k_profile_facts *facts, j2k_profile_teller tell, void *argument);

/* Collect the facts of a stream that was parsed. */
void kst_j2k_profile_facts(const struct j2k_stream *stream, struct j2k_profile_facts *facts);

/* Collect the facts that will hold for a coded image once it is written; the number of its bytes is unknown. */
kst_status kst_j2k_profile_plan(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct j2k_profile_facts *facts);

/*
 * Return the offset of the next marker segment of a kind in the headers between two positions of a stream that was
 * parsed; `end` if there is none.
 */
uint64_t kst_j2k_find_marker(const struct j2k_stream *stream, uint64_t at, uint64_t end, uint8_t marker);

/* Return whether a stream that was parsed has TLM, and whether it has PLT. */
bool kst_j2k_has_part_lengths(const struct j2k_stream *stream);
bool kst_j2k_has_packet_lengths(const struct j2k_stream *stream);

#endif
