/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_J2K_H
#define KOSTKA_J2K_H

/**
 * @file
 * What is said of JPEG 2000 (ITU-T T.800) alone when a picture is encoded or transcoded; kostka.h includes this.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The order of packets in a JPEG 2000 codestream (T.800 B.12): layer, resolution, component, position. */
typedef enum kst_progression {
    KST_PROGRESSION_LRCP = 0,
    KST_PROGRESSION_RLCP = 1,
    KST_PROGRESSION_RPCL = 2,
    KST_PROGRESSION_PCRL = 3,
    KST_PROGRESSION_CPRL = 4
} kst_progression;

/** What kst_j2k_options.value means. */
typedef enum kst_j2k_target {
    KST_J2K_LOSSLESS = 0, /**< every bit; no value */
    KST_J2K_RATE = 1,     /**< bits of the file for a pixel of the picture, at most */
    KST_J2K_RATIO = 2,    /**< bits of the samples for one of the file, at least */
    KST_J2K_PSNR = 3,     /**< decibels against the full range of the first component, over all samples: at least, where
                               the step allows it, and where passes are many within 0.1; layers of `layer_value` each.
                               What is coded is decoded for that, some times, and rows are asked for again */
    KST_J2K_STEP = 4      /**< all that a quantiser leaves whose error in the picture is that of this step */
} kst_j2k_target;

/** Styles of code-blocks, or-ed together (Table A.19). */
typedef enum kst_j2k_style {
    KST_J2K_BYPASS = 1,       /**< the lowest planes partly without arithmetic coding */
    KST_J2K_RESET = 2,        /**< contexts are reset after each pass */
    KST_J2K_TERMALL = 4,      /**< each pass ends its codeword */
    KST_J2K_CAUSAL = 8,       /**< vertically causal contexts */
    KST_J2K_PREDICTABLE = 16, /**< codewords end predictably: a decoder can tell errors */
    KST_J2K_SYMBOLS = 32      /**< a segmentation symbol in each plane */
} kst_j2k_style;

/** Where a tile-part ends, or-ed together: where the next packet is of another … */
typedef enum kst_j2k_division {
    KST_J2K_DIVIDE_RESOLUTION = 1,
    KST_J2K_DIVIDE_LAYER = 2,
    KST_J2K_DIVIDE_COMPONENT = 4
} kst_j2k_division;

/** Where the headers of packets stand. */
typedef enum kst_j2k_headers {
    KST_J2K_HEADERS_INLINE = 0, /**< in front of each packet's body */
    KST_J2K_HEADERS_PPT = 1,    /**< in the headers of tile-parts (A.7.5) */
    KST_J2K_HEADERS_PPM = 2     /**< in the main header (A.7.4) */
} kst_j2k_headers;

/** A change of progression (POC, A.6.6); half open, ends of 0 stand for all. Packets that came before do not come
 * again. */
typedef struct kst_j2k_change {
    kst_progression progression;
    uint32_t resolution0; /**< first and last + 1 */
    uint32_t resolution1;
    uint32_t component0;
    uint32_t component1;
    uint32_t layers; /**< the first so many */
} kst_j2k_change;

/**
 * Profiles of JPEG 2000 codestreams, as their headers claim them (Rsiz, Table A.10). To those of broadcast and IMF a
 * main level is added, to those of IMF a sublevel × 16 too; IMF allows 0, which is no level, for both.
 */
typedef enum kst_j2k_profile {
    KST_J2K_PROFILE_NONE = 0,
    KST_J2K_PROFILE_0 = 1, /**< Table A.45 */
    KST_J2K_PROFILE_1 = 2,
    KST_J2K_PROFILE_CINEMA_2K = 3, /**< digital cinema, Table A.46 */
    KST_J2K_PROFILE_CINEMA_4K = 4,
    KST_J2K_PROFILE_BROADCAST = 0x100,            /**< one tile; main levels 1–7; Table A.48 */
    KST_J2K_PROFILE_BROADCAST_TILED = 0x200,      /**< or four; 1–7 */
    KST_J2K_PROFILE_BROADCAST_REVERSIBLE = 0x300, /**< 6 and 7 */
    KST_J2K_PROFILE_IMF_2K = 0x400,               /**< one tile; main levels 0–11, sublevels 0–9; Table A.51 */
    KST_J2K_PROFILE_IMF_4K = 0x500,
    KST_J2K_PROFILE_IMF_8K = 0x600,
    KST_J2K_PROFILE_IMF_2K_REVERSIBLE = 0x700, /**< Table A.52 */
    KST_J2K_PROFILE_IMF_4K_REVERSIBLE = 0x800,
    KST_J2K_PROFILE_IMF_8K_REVERSIBLE = 0x900
} kst_j2k_profile;

/** "cinema2k", "imf4k-reversible" …, a static string; null: not one of the above with a level or without. */
KST_API const char *kst_j2k_profile_name(uint32_t profile);

/** What a kst_j2k_component says, or-ed together. */
typedef enum kst_j2k_field {
    KST_J2K_OWN_LEVELS = 1,
    KST_J2K_OWN_BLOCKS = 2,
    KST_J2K_OWN_STYLE = 4,
    KST_J2K_OWN_TRANSFORM = 8,
    KST_J2K_OWN_STEP = 16,
    KST_J2K_OWN_GUARD_BITS = 32,
    KST_J2K_OWN_TILE = 64 /**< it is of one tile alone, which comes before what is said of all */
} kst_j2k_field;

/**
 * What a component has of its own (COC and QCC, A.6.2 and A.6.5), in all tiles or in one; all else is as the options
 * say. Components 0 to 2 that are transformed (Annex G) share levels, sizes of blocks and the kind of transform.
 */
typedef struct kst_j2k_component {
    uint32_t component; /**< of an image of planes their number; red, green, blue, alpha else: the others' order too */
    uint32_t fields;    /**< kst_j2k_field: which of the following count */
    uint32_t levels;
    uint32_t block_width;
    uint32_t block_height;
    uint32_t style;  /**< kst_j2k_style */
    bool reversible; /**< where the target is not KST_J2K_LOSSLESS */
    double step;     /**< times the quantiser's steps, 1/256 – 256 */
    uint32_t guard_bits;
    uint32_t tile; /**< in the raster; not with a profile */
} kst_j2k_component;

/** How JPEG 2000 is coded (T.800). */
typedef struct kst_j2k_options {
    size_t size;
    kst_j2k_target target;     /**< default KST_J2K_LOSSLESS */
    double value;              /**< as the target says; of the last layer */
    uint32_t layers;           /**< 1–1,024; default 1 */
    const double *layer_value; /**< of each layer, from worst to best, instead of `value`; null: each holds about twice
                                    what the one before does */
    uint32_t levels;           /**< of decomposition, 0–32; default 5 */
    bool reversible;           /**< the reversible transforms also where the target is not KST_J2K_LOSSLESS */
    bool keep_components; /**< do not transform the first three components (Annex G) where they are red, green, blue;
                               those of more than 28 bits never are */
    bool codestream;      /**< bare, without a JP2 file around it */
    kst_progression progression; /**< default KST_PROGRESSION_LRCP */
    const kst_j2k_change *change;
    size_t change_count;
    uint32_t tile_width; /**< 0: one tile */
    uint32_t tile_height;
    uint32_t tile_x; /**< where tiles begin on the reference grid, at or before the picture */
    uint32_t tile_y;
    uint32_t image_x; /**< where the picture begins */
    uint32_t image_y;
    uint32_t block_width; /**< 4–1,024, powers of two whose product is at most 4,096; default 64 × 64 */
    uint32_t block_height;
    uint32_t precinct_count;      /**< 0: one precinct for each resolution */
    uint32_t precinct_width[33];  /**< powers of two up to 32,768 for each resolution from the largest down; the last */
    uint32_t precinct_height[33]; /**< counts for all that follow */
    uint32_t style;               /**< kst_j2k_style */
    uint32_t guard_bits;          /**< 1–7; default 2, and more where the picture needs them, fewer where samples of
                                       29 bits and more leave no room */
    bool derived_steps;           /**< one quantiser step is written, from which all follow (E.1.1) */
    kst_region interest;          /**< in pixels: coded before all else (maxshift, Annex H); empty: none */
    bool sop;                     /**< markers in front of packets, */
    bool eph;                     /**< and behind their headers */
    bool packet_lengths;          /**< PLT: lets a decoder skip */
    bool tile_part_lengths;       /**< TLM */
    kst_j2k_headers headers;      /**< default KST_J2K_HEADERS_INLINE */
    uint32_t division;            /**< kst_j2k_division */
    /**
     * A kst_j2k_profile with its levels: its rules are checked, and its limits of bytes kept. Best set by
     * kst_j2k_options_profile().
     */
    uint32_t profile;
    double frame_rate;                  /**< frames a second, for the profile's limits; 0: not known, of cinema 24 */
    const kst_j2k_component *component; /**< of components that differ; of several for one the last counts */
    size_t component_count;
} kst_j2k_options;

KST_API void kst_j2k_options_init(kst_j2k_options *options);

/**
 * Set all options as a profile wants them; what may still be chosen can be changed then. Where there is a limit of
 * bytes it becomes the target, else every bit. Precincts, a 4K picture's two sets of packets, and as many levels as
 * Profiles 0 and 1 need at least come from the profile where `precinct_count`, `change_count` are 0.
 *
 * @return KST_OK, KST_ERROR_ARGUMENT, or KST_ERROR_OPTIONS: not a kst_j2k_profile
 */
KST_API kst_status kst_j2k_options_profile(kst_j2k_options *options, uint32_t profile);

typedef enum kst_choice { KST_CHOICE_KEEP = 0, KST_CHOICE_YES = 1, KST_CHOICE_NO = 2 } kst_choice;

typedef enum kst_container {
    KST_CONTAINER_KEEP = 0,
    KST_CONTAINER_CODESTREAM = 1,
    KST_CONTAINER_JP2 = 2 /**< a codestream gets the boxes that it must have; its colours are a guess. JPX becomes JP2
                               where its file type says that it can be read as such, else KST_ERROR_OPTIONS */
} kst_container;

/** What transcoding changes of a JPEG 2000 stream, never the bytes of a code-block. */
typedef struct kst_transcode_jpeg2000 {
    int progression; /**< a kst_progression for all of the picture; −1, the default: as it is, changes included */
    uint32_t reduce; /**< drop the largest resolutions; then the picture is as decoding with this gives it */
    uint32_t layers; /**< keep the first so many; 0: all. With a rate: make so many, 1–1,024; 0: one */
    double rate;     /**< bits of the file for a pixel of the picture, at most: passes that gain least go; 0: none.
                          Each layer before the last then has about half of what the next one has */
    const uint32_t *components; /**< keep only these, ascending; null: all. Of those that a component transform mixes
                                     all three are kept */
    uint32_t component_count;
    uint32_t division;            /**< or-ed kst_j2k_division; 0: one tile-part a tile */
    bool part_by_part;            /**< the first tile-parts of all tiles, then the second ones, and so on */
    kst_j2k_headers headers;      /**< whatever they were; default KST_J2K_HEADERS_INLINE */
    kst_choice packet_lengths;    /**< PLT in each tile-part (A.7.3) */
    kst_choice tile_part_lengths; /**< TLM in the main header (A.7.1) */
    kst_choice sop;               /**< a marker in front of each packet (A.8.1) */
    kst_choice eph;               /**< a marker behind each packet's header (A.8.2) */
    kst_container container;
} kst_transcode_jpeg2000;

#ifdef __cplusplus
}
#endif

#endif
