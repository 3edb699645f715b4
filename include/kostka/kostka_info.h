/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_INFO_H
#define KOSTKA_INFO_H

/**
 * @file
 * Declares what a stream holds: the picture as it is coded, and metadata. kostka.h includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_image.h>
#include <kostka/kostka_j2k.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kst_codec {
    KST_CODEC_NONE = 0,
    KST_CODEC_JPEG = 1,
    KST_CODEC_JPEG2000 = 2 /**< T.800, as a codestream or in a JP2 file */
} kst_codec;

typedef enum kst_process {
    KST_PROCESS_NONE = 0,
    KST_PROCESS_BASELINE = 1,    /**< T.81 SOF0 */
    KST_PROCESS_EXTENDED = 2,    /**< SOF1, Huffman */
    KST_PROCESS_PROGRESSIVE = 3, /**< SOF2, Huffman */
    KST_PROCESS_LOSSLESS = 4     /**< SOF3, Huffman: samples are predicted, not transformed (T.81 H) */
} kst_process;

/** The transforms of JPEG's blocks of 8×8 samples (T.81 A.3.3). */
typedef enum kst_dct {
    KST_DCT_ACCURATE = 0, /**< libjpeg's JDCT_ISLOW */
    KST_DCT_FAST = 1      /**< libjpeg's JDCT_IFAST: less exact, above all for low quantisers, and a little faster */
} kst_dct;

typedef struct kst_component_info {
    uint32_t width; /**< samples actually coded, without padding (A.1.1) */
    uint32_t height;
    uint8_t id;
    uint8_t h; /**< sampling factors (A.1.1); for JPEG 2000 the separations XRsiz and YRsiz */
    uint8_t v;
    uint8_t depth;
    bool is_signed;
    uint8_t quant_table; /**< destination of its quantisation table */
    uint16_t reserved;
} kst_component_info;

typedef enum kst_density_unit { KST_DENSITY_RATIO = 0, KST_DENSITY_INCH = 1, KST_DENSITY_CM = 2 } kst_density_unit;

typedef struct kst_info {
    size_t size;
    kst_codec codec;
    kst_process process;
    kst_colour colour; /**< as coded */
    uint32_t width;
    uint32_t height;
    uint32_t component_count;        /**< JPEG 2000: up to 16,384; those of CBD if that declares any */
    kst_component_info component[4]; /**< the first four */
    uint32_t scans;                  /**< scans found */
    uint32_t restart_interval;       /**< MCUs, of the first scan; 0: none */
    uint32_t mcu_width;              /**< pixels */
    uint32_t mcu_height;
    int quality;     /**< the IJG quality that has these quantisation tables; 0: none has */
    int orientation; /**< Exif orientation 1–8; 1 where there is none */
    bool jfif;
    bool adobe;
    uint8_t adobe_transform;
    uint16_t jfif_version;         /**< major × 256 + minor */
    kst_density_unit density_unit; /**< JPEG 2000: the capture resolution, else the display resolution; a ratio with
                                      densities of 0: not known */
    uint16_t density_x;
    uint16_t density_y;
    /**
     * The length of the entropy-coded data, all scans or packets together. If a JPEG 2000 picture has TLM marker
     * segments, the headers of its tile-parts are read when they are needed; until all have been read, marker segments
     * in them count, too.
     */
    uint64_t entropy_bytes;
    uint16_t quant_table[4][64]; /**< each component's, in raster order (not zig-zag) */
    uint32_t tile_width;         /**< this and all following members: JPEG 2000 only; the nominal size */
    uint32_t tile_height;
    uint32_t tiles;
    uint32_t layers;
    uint32_t levels; /**< decomposition levels of the first component, which is how often the picture can be halved */
    kst_progression progression;
    bool reversible;       /**< the first component uses the 5/3 transform */
    bool alpha;            /**< the picture has a known opacity channel */
    bool jp2;              /**< a JP2 file, not a bare codestream */
    uint32_t colour_space; /**< how a JP2 file names its colour space (EnumCS of its box colr: 14 CIELab, 24 e-sYCC …);
                              0: not at all. Colours that kst_colour lacks are passed on as components */
    uint32_t profile; /**< the profile that the codestream claims (Rsiz): a kst_j2k_profile with its levels, or another
                         value */
    uint32_t block_style; /**< of the first component's code-blocks (SPcod): KST_J2K_… bits; 64: those of T.814 (high
                             throughput); 192: they are mixed with others */
    /**
     * The code points by which a file names its colours, if it does. RGB, grey and the matrices 5 and 6 of BT.601 are
     * decoded as colours if the range is full; components of others are passed on as they are, with KST_COLOUR_UNKNOWN,
     * unless the file also names its colours in another way.
     */
    kst_code_points code_points;
} kst_info;

typedef enum kst_metadata_kind {
    KST_METADATA_ICC = 1,     /**< a whole ICC profile, joined from its chunks */
    KST_METADATA_EXIF = 2,    /**< TIFF structure, without the "Exif\0\0" in front of it */
    KST_METADATA_XMP = 3,     /**< packet, without the namespace in front of it */
    KST_METADATA_COMMENT = 4, /**< COM */
    KST_METADATA_APP = 5      /**< any other APPn segment, whole */
} kst_metadata_kind;

typedef struct kst_metadata {
    kst_metadata_kind kind;
    uint8_t marker; /**< second byte of the marker: 0xE0–0xEF or 0xFE; for encoding only needed with KST_METADATA_APP */
    const uint8_t *data;
    size_t length;
    uint64_t offset; /**< offset of the first chunk's contents in the stream; ignored when encoding */
} kst_metadata;

/** Describes how a picture was changed, so that its metadata can follow. */
typedef struct kst_metadata_change {
    size_t size;
    uint32_t width; /**< its new size in pixels, for PixelXDimension and PixelYDimension of Exif; 0: unchanged */
    uint32_t height;
    int orientation;     /**< the new orientation in Exif and XMP (tiff:Orientation), 1–8; 0: unchanged */
    bool drop_thumbnail; /**< Exif: the thumbnail no longer shows the picture */
    bool drop_others;    /**< XMP: the files that a directory lists behind the picture no longer exist */
} kst_metadata_change;

/**
 * Update metadata in place after their picture was changed. No entries are added, and damaged ones stay as they are.
 *
 * @param kind KST_METADATA_EXIF or KST_METADATA_XMP; other kinds are not changed
 * @param data the contents, as in kst_metadata.data, in memory of the caller's
 * @return the new length in bytes, at most `length`
 */
KST_API size_t kst_metadata_update(
    kst_metadata_kind kind, void *data, size_t length, const kst_metadata_change *change);

/** Says what a part of a file is for, according to the file's index (MPF, CIPA DC-007), its XMP or the part itself. */
typedef enum kst_role {
    KST_ROLE_UNKNOWN = 0,
    KST_ROLE_PREVIEW = 1,  /**< MPF: a large thumbnail */
    KST_ROLE_GAIN_MAP = 2, /**< of Ultra HDR, ISO 21496-1 and similar formats */
    KST_ROLE_DEPTH = 3,
    KST_ROLE_PANORAMA = 4,  /**< MPF: a frame of a panorama */
    KST_ROLE_DISPARITY = 5, /**< MPF: a view of a stereoscopic picture */
    KST_ROLE_ANGLE = 6,     /**< MPF: one of several viewpoints */
    KST_ROLE_ORIGINAL = 7,  /**< MPF: kept from before a change */
    KST_ROLE_VIDEO = 8      /**< of a motion photo; no picture */
} kst_role;

/** Describes a part of what follows the first picture of a JPEG file: another picture, or other bytes. */
typedef struct kst_other {
    size_t size;
    uint64_t offset; /**< in the data */
    uint64_t length; /**< in bytes; for a picture, from SOI to EOI */
    kst_role role;
    bool picture;          /**< a JPEG picture that can be decoded by itself; if false, all following members are 0 */
    bool indexed;          /**< an MPF index has an entry for it */
    kst_process process;   /**< as in kst_info */
    uint32_t width;        /**< pixels */
    uint32_t height;       /**< pixels */
    uint32_t components;   /**< 1–4 */
    uint32_t mp_attribute; /**< its entry's individual image attribute (DC-007 5.2.3.3) */
} kst_other;

/**
 * Name the kind of a file by its first bytes, for messages: "a WebP file", "a JPEG file", "a tar archive". It knows
 * many formats that the library does not read. Only the first few hundred bytes are examined. Thread-safe. @return a
 * static string; null if the signature is unknown or `data` is null
 */
KST_API const char *kst_signature_text(const void *data, size_t length);

#ifdef __cplusplus
}
#endif

#endif
