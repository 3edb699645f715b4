/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_ENCODE_H
#define KOSTKA_ENCODE_H

/**
 * @file
 * Encoding, and what it shares with transcoding; kostka.h includes this.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_context.h>
#include <kostka/kostka_image.h>
#include <kostka/kostka_info.h>
#include <kostka/kostka_j2k.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Coded output
 * @{ */

/** Bytes that a call makes. With `data` null the library allocates; otherwise it fills at most `capacity` bytes. */
typedef struct kst_buffer {
    uint8_t *data;
    size_t length;   /**< bytes made; with KST_ERROR_BUFFER_FULL undefined */
    size_t capacity; /**< of the caller's buffer */
    bool owned;      /**< the library allocated it: kst_buffer_release() */
} kst_buffer;

/** Free what the library allocated, and clear the buffer. A cleared buffer is allowed. */
KST_API void kst_buffer_release(kst_context *context, kst_buffer *buffer);

/** One scan of a script (B.2.3, G.1.1.1). */
typedef struct kst_scan {
    uint8_t component_count; /**< 1–4 */
    uint8_t component[4];    /**< indices of components, ascending */
    uint8_t ss;              /**< first and last zig-zag index */
    uint8_t se;
    uint8_t ah; /**< successive approximation, high and low bit position */
    uint8_t al;
} kst_scan;

typedef enum kst_coding {
    KST_CODING_BASELINE = 0,   /**< sequential, the tables of Annex K */
    KST_CODING_OPTIMIZED = 1,  /**< sequential, tables made for the picture (Annex K.2) */
    KST_CODING_PROGRESSIVE = 2 /**< progressive, tables made for each scan */
} kst_coding;

typedef enum kst_restart_unit {
    KST_RESTART_NONE = 0,
    KST_RESTART_MCUS = 1, /**< `interval` MCUs */
    KST_RESTART_ROWS = 2, /**< `interval` MCU rows */
    KST_RESTART_AUTO = 3, /**< an interval that lets many threads decode at once for a small cost in bytes */
    KST_RESTART_KEEP = 4  /**< transcoding only: as many pixels between markers as before if they divide evenly */
} kst_restart_unit;

typedef struct kst_restart {
    kst_restart_unit unit;
    uint32_t interval; /**< at most 65,535 MCUs come to be between markers */
} kst_restart;

/** @} */
/** @name Encoding
 * @{ */

typedef enum kst_subsampling {
    KST_SUBSAMPLING_420 = 0, /**< luminance factors 2×2, the others 1×1; the default, as cjpeg's */
    KST_SUBSAMPLING_422 = 1, /**< 2×1 */
    KST_SUBSAMPLING_444 = 2, /**< 1×1 */
    KST_SUBSAMPLING_440 = 3, /**< 1×2 */
    KST_SUBSAMPLING_411 = 4, /**< 4×1 */
    KST_SUBSAMPLING_410 = 5  /**< 4×2 */
} kst_subsampling;

typedef struct kst_encode_options {
    size_t size;
    kst_codec codec;             /**< default KST_CODEC_JPEG; of KST_CODEC_JPEG2000 only the metadata, density and last
                                      two members count */
    int quality;                 /**< 1–100; default 75 */
    kst_subsampling subsampling; /**< of the second and third component; ignored where RGB, CMYK or grey is coded */
    uint8_t h[4];                /**< factors 1–4 of each component instead of `subsampling`; all 0: not given */
    uint8_t v[4];
    kst_colour colour; /**< as coded; KST_COLOUR_UNKNOWN: GREY, YCBCR or CMYK by the image's format */
    kst_coding coding;
    kst_restart restart;
    bool wide_quantisers;           /**< allow quantisers above 255 (at low quality), and SOF1 with them */
    const uint16_t *quant_table[4]; /**< 64 values in raster order by destination, instead of the scaled */
    uint8_t quant_index[4]; /**< table of each component; the default 0, 1, 1, 0 means 0 for all of RGB or CMYK */
    const kst_scan *script; /**< progressive or sequential scans, as `coding` says; null: the standard script */
    size_t script_length;
    const kst_metadata *metadata; /**< written in this order, an ICC profile cut into chunks */
    size_t metadata_count;
    kst_density_unit density_unit; /**< of the JFIF header; default ratio 1:1 */
    uint16_t density_x;
    uint16_t density_y;
    const kst_j2k_options *jpeg2000; /**< null for the defaults */
    const kst_progress *progress;    /**< null, or told of the encoding; must stay until that has ended */
} kst_encode_options;

KST_API void kst_encode_options_init(kst_encode_options *options);

/**
 * Encode an image. Thread-safe.
 *
 * @param image   8-bit integers; interleaved, PLANAR (grey, RGB, CMYK) or RAW. With RAW the planes are the components,
 * each of the picture's size times h/hmax and v/vmax, rounded up, by the factors that the options say. Of JPEG 2000
 * integers of any depth, and with RAW planes of any size that is the picture's divided by a whole number, rounded up,
 * and signed ones too
 * @param options null for the defaults
 * @param output  see kst_buffer; on failure an owned buffer is released
 * @param report  null, or with its size set
 * @return KST_OK or the error
 */
KST_API kst_status kst_encode(kst_context *context, const kst_image *image, const kst_encode_options *options,
    kst_buffer *output, kst_report *report);

/** The rows of a picture that need not be in memory, brought when they are needed. */
typedef struct kst_rows {
    size_t size;
    /**
     * Bring pixels x … x + count − 1 of row y of a plane, as they would lie in memory (an interleaved pixel is all its
     * channels). Called from any of the context's threads, several at once, and for a row more than once.
     * @return false where they cannot be had, which ends the encoding with KST_ERROR_ROWS
     */
    bool (*read)(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples);
    void *user;
    /**
     * From an image of one plane: each row is asked for once, from the top, by one thread at a time, as from a pipe; of
     * JPEG 2000 until `again` is called. With more planes KST_ERROR_OPTIONS.
     */
    bool in_order;
    /**
     * Null, or what is called instead of `read` where whole rows are wanted: bring `rows` of them from row y of a plane
     * on, `pitch` bytes from one to the next. Only JPEG asks for rows in this way, for an MCU row's at a time.
     */
    bool (*read_band)(void *user, uint32_t plane, uint32_t y, uint32_t rows, void *samples, size_t pitch);
    /**
     * JPEG 2000 with `in_order`, where it must not be null: begin with the first row again. Pixels are gone through
     * more than once for a rate, ratio or PSNR, for components that are not transformed together, such as an opacity,
     * and where a row's coefficients take too much memory; else they are not as a rule.
     * @return false where that cannot be, which ends the encoding with KST_ERROR_ROWS
     */
    bool (*again)(void *user);
} kst_rows;

/**
 * Encode as kst_encode() does a picture whose rows come from a function. What is held in memory is a few rows of tiles,
 * or of MCUs, or of the picture, and what has been coded; of rows in order that of several tiles is a row of tiles; on
 * a GPU, half of the memory limit's worth of it. Of a JPEG with more than one scan, or with tables made for it, all
 * coefficients are held, and on a GPU all pixels. Thread-safe.
 *
 * @param image in host memory; its planes' `data` and `pitch` are ignored
 */
KST_API kst_status kst_encode_rows(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

typedef struct kst_encode_item {
    const kst_image *image;
    const kst_encode_options *options;
    kst_buffer output;
    kst_report report; /**< its size is set by the call */
} kst_encode_item;

/**
 * Encode many images, on the context's GPU some at a time in the same launches, those that it does not support, or all,
 * spread over the context's threads. Result as kst_decode_batch().
 */
KST_API kst_status kst_encode_batch(kst_context *context, kst_encode_item *items, size_t count);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
