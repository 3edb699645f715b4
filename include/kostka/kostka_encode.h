/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_ENCODE_H
#define KOSTKA_ENCODE_H

/**
 * @file
 * Declares encoding, and what it shares with transcoding. kostka.h includes this header.
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

/**
 * The coded bytes that a call makes. If `data` is null the library allocates them; otherwise it fills at most
 * `capacity` bytes.
 */
typedef struct kst_buffer {
    uint8_t *data;
    size_t length;   /**< bytes made; undefined after KST_ERROR_BUFFER_FULL */
    size_t capacity; /**< of the caller's buffer */
    bool owned;      /**< the library allocated `data`; release it with kst_buffer_release() */
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
    uint32_t interval; /**< must come to at most 65,535 MCUs between markers */
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
    kst_codec codec; /**< default KST_CODEC_JPEG; KST_CODEC_JPEG2000 uses only the metadata, the density, `jpeg2000`
                        and `progress` */
    int quality;     /**< 1–100; default 75 */
    kst_subsampling subsampling; /**< of the second and third component; ignored where RGB, CMYK or grey is coded */
    uint8_t h[4]; /**< factors 1–4 of each component, which replace `subsampling`; all 0: `subsampling` holds */
    uint8_t v[4];
    kst_colour colour; /**< as coded; KST_COLOUR_UNKNOWN: GREY, YCBCR or CMYK by the image's format */
    kst_coding coding;
    kst_restart restart;
    bool wide_quantisers;           /**< allow quantisers above 255 (at low quality), and SOF1 with them */
    const uint16_t *quant_table[4]; /**< 64 values in raster order for each destination, which replace the scaled tables
                                       of `quality`; null: scaled */
    uint8_t quant_index[4]; /**< table of each component; the default 0, 1, 1, 0 means 0 for all of RGB or CMYK */
    const kst_scan *script; /**< progressive or sequential scans, as `coding` says; null: the standard script */
    size_t script_length;
    const kst_metadata *metadata; /**< written in this order; an ICC profile is cut into chunks */
    size_t metadata_count;
    kst_density_unit density_unit; /**< of the JFIF header; default ratio 1:1 */
    uint16_t density_x;
    uint16_t density_y;
    const kst_j2k_options *jpeg2000; /**< null for the defaults */
    const kst_progress *progress;    /**< null, or called while encoding; must stay valid until that has ended */
    kst_dct dct; /**< JPEG: the forward transform. The CPU alone has KST_DCT_FAST, as the report says; for
                    samples of 12 bits it is an error */
} kst_encode_options;

KST_API void kst_encode_options_init(kst_encode_options *options);

/**
 * Encode an image. Thread-safe.
 *
 * @param image integers of 8 bits, or of 12 with depth 12, which the CPU encodes with Huffman tables made for the
 *        picture (SOF1, SOF2); interleaved, PLANAR (grey, RGB, CMYK) or RAW. With RAW the planes are the components,
 *        each of the picture's size times h/hmax and v/vmax, rounded up, with the sampling factors of the options. JPEG
 *        2000 takes integers of any depth; with RAW they may be signed, too, and each plane's size may be the picture's
 *        divided by any whole numbers, rounded up
 * @param options null for the defaults
 * @param output see kst_buffer; on failure an owned buffer is released
 * @param report null, or with its size set
 * @return KST_OK or the error
 */
KST_API kst_status kst_encode(kst_context *context, const kst_image *image, const kst_encode_options *options,
    kst_buffer *output, kst_report *report);

/** A function that provides a picture's rows when they are needed, so that the picture need not be in memory. */
typedef struct kst_rows {
    size_t size;
    /**
     * Write pixels x … x + count − 1 of row y of a plane to `samples`, as they would lie in memory (an interleaved
     * pixel is all its channels). Any of the context's threads may call it, several at once, and more than once for a
     * row.
     * @return false if they cannot be read, which ends the encoding with KST_ERROR_ROWS
     */
    bool (*read)(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples);
    void *user;
    /**
     * Request the rows from the top, each of them once, in one thread at a time, as a pipe needs it. Each call of
     * `again` starts this anew. The image must have one plane: more fail with KST_ERROR_OPTIONS.
     */
    bool in_order;
    /**
     * Null, or called instead of `read` for whole rows: write `rows` rows of a plane, from row y on, to `samples`, with
     * `pitch` bytes from one row to the next. Only JPEG calls it, for the rows of one MCU row at a time.
     */
    bool (*read_band)(void *user, uint32_t plane, uint32_t y, uint32_t rows, void *samples, size_t pitch);
    /**
     * Start again from the first row, where rows come `in_order`. It must not be null for JPEG 2000. Pixels are read
     * more than once for a rate, ratio or PSNR, for components that are not transformed together, such as an opacity,
     * and if a row's coefficients take too much memory; otherwise they usually are not. For JPEG it may be null, and is
     * called if Huffman tables are made for one scan and all coefficients would take much memory. If the rows then
     * differ from those of the first pass, the encoding ends with KST_ERROR_ROWS.
     * @return false if that is impossible, which ends the encoding with KST_ERROR_ROWS
     */
    bool (*again)(void *user);
} kst_rows;

/**
 * Encode a picture whose rows come from a function, otherwise as kst_encode() does. Thread-safe. Memory holds only a
 * few rows of the picture, of MCUs or of tiles, and what has been coded, except for the following:
 * - JPEG 2000: a row of tiles, if the rows come in order and there are several tiles. On a GPU, as much of the picture
 *   as fits into half of the memory limit.
 * - JPEG on a GPU: all pixels.
 * - JPEG with Huffman tables made for the picture: up to 64 MiB of coefficients, or 256 MiB if the rows come in order
 *   or the JPEG is progressive. If there are more coefficients, the rows are read twice, or twice for each scan.
 * - JPEG with a script, and JPEG with Huffman tables made for it whose rows come in order, if it is progressive or
 *   there is no `again`: all coefficients. If they take more than 64 MiB they are packed and kept by the writer, if it
 *   can keep bytes (kst_writer.keep); otherwise they are packed in memory from 256 MiB on.
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
 * Encode many images. The context's GPU encodes those that it supports, several in each launch; the context's threads
 * share the others, or all if there is no GPU. @return as for kst_decode_batch()
 */
KST_API kst_status kst_encode_batch(kst_context *context, kst_encode_item *items, size_t count);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
