/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_J2K_H
#define KOSTKA_J2K_H

/**
 * @file
 * Declares the options of encoding and transcoding that only JPEG 2000 (ITU-T T.800) has. kostka.h includes this
 * header.
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

/** Says what kst_j2k_options.value means. */
typedef enum kst_j2k_target {
    KST_J2K_LOSSLESS = 0, /**< every bit; no value */
    KST_J2K_RATE = 1,     /**< the file has at most this many bits for each pixel of the picture */
    KST_J2K_RATIO = 2,    /**< the samples have at least this many bits for each bit of the file */
    KST_J2K_PSNR = 3, /**< the PSNR over all samples, in decibels relative to the full range of the first component, is
                         at least this if the quantiser's step allows it, and exceeds it by at most 0.1 if there are
                         many coding passes; each layer reaches its `layer_value`. To measure the PSNR the encoder
                         decodes several times, and requests rows again */
    KST_J2K_STEP = 4, /**< no further loss than quantisation: each subband's quantiser is such that its error in the
                         picture is that of a quantiser of samples with this step */
    KST_J2K_QUALITY = 5 /**< like KST_J2K_STEP, with the steps that encoders of HTJ2K use for this "Qfactor", 1 to 100:
                           up to 65 errors are weighted by their visibility, from 97 on they count as measured */
} kst_j2k_target;

/** Says how much an error in a subband counts. */
typedef enum kst_j2k_weights {
    KST_J2K_WEIGHTS_NONE = 0,  /**< as much as it adds to the picture's squared error */
    KST_J2K_WEIGHTS_VISION = 1 /**< less where it is hard to see: in fine detail and in colour differences (Zeng, Daly
                                  and Lei, 2002) */
} kst_j2k_weights;

/** Code-block styles, or-ed together (Table A.19). */
typedef enum kst_j2k_style {
    KST_J2K_BYPASS = 1,       /**< the lowest planes partly without arithmetic coding */
    KST_J2K_RESET = 2,        /**< contexts are reset after each pass */
    KST_J2K_TERMALL = 4,      /**< each pass ends its codeword */
    KST_J2K_CAUSAL = 8,       /**< vertically causal contexts */
    KST_J2K_PREDICTABLE = 16, /**< codewords end predictably, so that a decoder can detect errors */
    KST_J2K_SYMBOLS = 32,     /**< a segmentation symbol in each plane */
    KST_J2K_HT = 64           /**< code-blocks of T.814 (HTJ2K), which go with KST_J2K_CAUSAL alone */
} kst_j2k_style;

/** Says where a tile-part ends, or-ed together: before a packet of another resolution, layer or component. */
typedef enum kst_j2k_division {
    KST_J2K_DIVIDE_RESOLUTION = 1,
    KST_J2K_DIVIDE_LAYER = 2,
    KST_J2K_DIVIDE_COMPONENT = 4
} kst_j2k_division;

/** Says where the packet headers are. */
typedef enum kst_j2k_headers {
    KST_J2K_HEADERS_INLINE = 0, /**< in front of each packet's body */
    KST_J2K_HEADERS_PPT = 1,    /**< in the headers of tile-parts (A.7.5) */
    KST_J2K_HEADERS_PPM = 2     /**< in the main header (A.7.4) */
} kst_j2k_headers;

/**
 * A change of progression (POC, A.6.6). Ranges are half open, and an end of 0 means up to the last. Packets that an
 * earlier change has covered are not repeated.
 */
typedef struct kst_j2k_change {
    kst_progression progression;
    uint32_t resolution0; /**< first and last + 1 */
    uint32_t resolution1;
    uint32_t component0;
    uint32_t component1;
    uint32_t layers; /**< this many layers, the first ones */
} kst_j2k_change;

/**
 * Profiles of JPEG 2000 codestreams, as their headers claim them (Rsiz, Table A.10). Add a main level to those of
 * broadcast and IMF, and to those of IMF a sublevel × 16, too; with IMF both may be 0, which means no level.
 */
typedef enum kst_j2k_profile {
    KST_J2K_PROFILE_NONE = 0,
    KST_J2K_PROFILE_0 = 1, /**< Table A.45 */
    KST_J2K_PROFILE_1 = 2,
    KST_J2K_PROFILE_CINEMA_2K = 3, /**< digital cinema, Table A.46 */
    KST_J2K_PROFILE_CINEMA_4K = 4,
    KST_J2K_PROFILE_BROADCAST = 0x100,            /**< one tile; main levels 1–7; Table A.48 */
    KST_J2K_PROFILE_BROADCAST_TILED = 0x200,      /**< one or four tiles; main levels 1–7 */
    KST_J2K_PROFILE_BROADCAST_REVERSIBLE = 0x300, /**< main levels 6 and 7 */
    KST_J2K_PROFILE_IMF_2K = 0x400,               /**< one tile; main levels 0–11, sublevels 0–9; Table A.51 */
    KST_J2K_PROFILE_IMF_4K = 0x500,
    KST_J2K_PROFILE_IMF_8K = 0x600,
    KST_J2K_PROFILE_IMF_2K_REVERSIBLE = 0x700, /**< Table A.52 */
    KST_J2K_PROFILE_IMF_4K_REVERSIBLE = 0x800,
    KST_J2K_PROFILE_IMF_8K_REVERSIBLE = 0x900
} kst_j2k_profile;

/**
 * Name a profile with or without its levels: "cinema2k", "imf4k-reversible" …
 * @return a static string; null if the value is not a kst_j2k_profile
 */
KST_API const char *kst_j2k_profile_name(uint32_t profile);

/** Says which members of a kst_j2k_component count, or-ed together. */
typedef enum kst_j2k_field {
    KST_J2K_OWN_LEVELS = 1,
    KST_J2K_OWN_BLOCKS = 2,
    KST_J2K_OWN_STYLE = 4,
    KST_J2K_OWN_TRANSFORM = 8,
    KST_J2K_OWN_STEP = 16,
    KST_J2K_OWN_GUARD_BITS = 32,
    KST_J2K_OWN_TILE = 64 /**< it holds for one tile only, and takes precedence over what holds for all tiles */
} kst_j2k_field;

/**
 * Options of one component that differ from those of the picture (COC and QCC, A.6.2 and A.6.5), in all tiles or in
 * one. Components 0 to 2 must share levels, block sizes and the kind of transform if they are transformed together
 * (Annex G).
 */
typedef struct kst_j2k_component {
    uint32_t component; /**< the number of the plane; for interleaved pixels the channel in the order red, green, blue,
                           alpha, whatever their order in memory */
    uint32_t fields;    /**< kst_j2k_field: which of the following count */
    uint32_t levels;
    uint32_t block_width;
    uint32_t block_height;
    uint32_t style;  /**< kst_j2k_style */
    bool reversible; /**< use the 5/3 transform even if the target is not KST_J2K_LOSSLESS */
    double step;     /**< a factor for the quantiser's steps, 1/256 – 256 */
    uint32_t guard_bits;
    uint32_t tile; /**< its number in raster order; not allowed with a profile */
} kst_j2k_component;

/** Says how JPEG 2000 is coded (T.800). */
typedef struct kst_j2k_options {
    size_t size;
    kst_j2k_target target;     /**< default KST_J2K_LOSSLESS */
    double value;              /**< the target's value, for the last layer */
    kst_j2k_weights weights;   /**< default KST_J2K_WEIGHTS_NONE; not with KST_J2K_PSNR or KST_J2K_QUALITY */
    uint32_t layers;           /**< 1–1,024; default 1 */
    const double *layer_value; /**< the target's value for each layer, from worst to best, which replaces `value`; null:
                                  each layer holds about twice as much as the one before */
    uint32_t levels;           /**< decomposition levels, 0–32; default 5 */
    bool reversible;           /**< use the reversible transforms even if the target is not KST_J2K_LOSSLESS */
    bool keep_components; /**< do not apply the component transform (Annex G) to red, green and blue; it never applies
                             to more than 28 bits */
    bool codestream;      /**< write a bare codestream, without a JP2 file around it */
    kst_progression progression; /**< default KST_PROGRESSION_LRCP */
    const kst_j2k_change *change;
    size_t change_count;
    uint32_t tile_width; /**< 0: one tile */
    uint32_t tile_height;
    uint32_t tile_x; /**< where the first tile begins on the reference grid, at or before the picture's corner */
    uint32_t tile_y;
    uint32_t image_x; /**< where the picture begins on the reference grid */
    uint32_t image_y;
    uint32_t block_width; /**< 4–1,024, powers of two whose product is at most 4,096; default 64 × 64 */
    uint32_t block_height;
    uint32_t precinct_count;      /**< 0: one precinct for each resolution */
    uint32_t precinct_width[33];  /**< powers of two up to 32,768 for each resolution from the largest down; the last */
    uint32_t precinct_height[33]; /**< one counts for all further resolutions */
    uint32_t style;               /**< kst_j2k_style */
    uint32_t passes; /**< with KST_J2K_HT, the most coding passes of a code-block: 1, the default, a cleanup pass of all
                        bit-planes, which every decoder reads; 2 and 3, the first one or both of the refinement passes,
                        which code the lowest plane behind a cleanup pass of those above it. Not for KST_J2K_LOSSLESS */
    uint32_t guard_bits; /**< 1–7; default 2, or more if the picture needs them, or fewer if samples of 29 bits and more
                            leave no room */
    bool derived_steps;      /**< write one quantiser step, from which all others are derived (E.1.1) */
    kst_region interest;     /**< a region, in pixels, that is coded before all else (maxshift, Annex H); empty: none */
    bool sop;                /**< write an SOP marker in front of each packet (A.8.1) */
    bool eph;                /**< write an EPH marker behind each packet header (A.8.2) */
    bool packet_lengths;     /**< write PLT, which lets a decoder skip packets */
    bool tile_part_lengths;  /**< TLM */
    kst_j2k_headers headers; /**< default KST_J2K_HEADERS_INLINE */
    uint32_t division;       /**< kst_j2k_division */
    /**
     * A kst_j2k_profile with its levels. Its rules are checked, and its limits on bytes are kept.
     * kst_j2k_options_profile() sets it together with suitable options.
     */
    uint32_t profile;
    double frame_rate; /**< frames a second, for the profile's limits; 0: not known, which for cinema means 24 */
    const kst_j2k_component
        *component; /**< options of single components; of several for the same component the last counts */
    size_t component_count;
    /**
     * How a JPH file names its colours, in place of the colour space that follows from the image: KST_J2K_HT without
     * `codestream`, and no ICC profile. Samples are not converted, so that RGB has matrix 0, and YCbCr another one;
     * CMYK has no code points. Numbers that H.273 (2024) reserves are refused.
     */
    kst_code_points code_points;
} kst_j2k_options;

KST_API void kst_j2k_options_init(kst_j2k_options *options);

/**
 * Set all options as a profile demands; options that it leaves open can be changed afterwards. If the profile limits
 * the bytes, that limit becomes the target, otherwise KST_J2K_LOSSLESS does. While `precinct_count` and `change_count`
 * are 0, the profile provides the precincts, the two sets of packets of a 4K picture, and the levels that Profiles 0
 * and 1 need at least.
 *
 * @return KST_OK, KST_ERROR_ARGUMENT, or KST_ERROR_OPTIONS: not a kst_j2k_profile
 */
KST_API kst_status kst_j2k_options_profile(kst_j2k_options *options, uint32_t profile);

typedef enum kst_choice { KST_CHOICE_KEEP = 0, KST_CHOICE_YES = 1, KST_CHOICE_NO = 2 } kst_choice;

typedef enum kst_container {
    KST_CONTAINER_KEEP = 0,
    KST_CONTAINER_CODESTREAM = 1,
    KST_CONTAINER_JP2 =
        2 /**< a codestream gets the required boxes, with a guess at its colour space. JPX becomes JP2 if its file type
             box says that it can be read as such, otherwise the call fails with KST_ERROR_OPTIONS */
} kst_container;

/**
 * Says what transcoding changes in a JPEG 2000 stream. The bytes of a code-block change only if `ht` asks for another
 * coder, and the coefficients never do.
 */
typedef struct kst_transcode_jpeg2000 {
    int progression; /**< a kst_progression for the whole picture; −1, the default, keeps the order, with its changes */
    uint32_t reduce; /**< drop this many of the largest resolutions, as kst_decode_options.reduce does when decoding */
    uint32_t layers; /**< keep this many layers, the first ones; 0: all. With a rate, make this many, 1–1,024; 0: one */
    double rate; /**< at most this many bits of the file for each pixel: the coding passes that gain least are dropped;
                    0: no limit. Each layer but the last then holds about half as much as the next */
    const uint32_t *components; /**< keep only these, in ascending order; null: all. The three components of a component
                                   transform are kept together, and all of T.801's transforms of more */
    uint32_t component_count;
    uint32_t division; /**< or-ed kst_j2k_division; 0: one tile-part for each tile */
    bool part_by_part; /**< write the first tile-parts of all tiles, then the second ones, and so on */
    kst_j2k_headers
        headers; /**< where the output has them, wherever the input had them; default KST_J2K_HEADERS_INLINE */
    kst_choice packet_lengths;    /**< PLT in each tile-part (A.7.3) */
    kst_choice tile_part_lengths; /**< TLM in the main header (A.7.1) */
    kst_choice sop;               /**< a marker in front of each packet (A.8.1) */
    kst_choice eph;               /**< a marker behind each packet's header (A.8.2) */
    kst_container container;
    /**
     * YES makes all code-blocks those of T.814 (HTJ2K), NO those of T.800; a file becomes JPH or JP2. Styles that T.814
     * does not have are dropped: all but KST_J2K_CAUSAL. Coefficients, steps, regions of interest, precincts, packets
     * and the passes of each layer stay; of code-blocks of T.814 all bytes are in the layers of their only set.
     * Code-blocks of more than 31 bit-planes are KST_ERROR_OPTIONS. YES does not go with a rate
     */
    kst_choice ht;
} kst_transcode_jpeg2000;

#ifdef __cplusplus
}
#endif

#endif
