/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_DECODE_H
#define KOSTKA_DECODE_H

/**
 * @file
 * Decoding, and looking at streams; kostka.h includes this.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_context.h>
#include <kostka/kostka_image.h>
#include <kostka/kostka_info.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KST_ALL_TILES UINT32_MAX

typedef struct kst_decode_options {
    size_t size;
    kst_format format; /**< default KST_FORMAT_AUTO */
    uint32_t reduce;   /**< decode at 1/2^reduce of the size, rounded up; JPEG: 0–3, JPEG 2000: 0–kst_info.levels */
    kst_region region; /**< in pixels of the reduced picture, before orientation; only what it needs is decoded */
    bool strict;       /**< the first warning ends the decoding with that warning as its status */
    bool orient;       /**< turn the picture as its Exif orientation says (not with KST_FORMAT_RAW) */
    uint8_t alpha;     /**< what RGBA and BGRA get from pictures without; default 255, which is full at any depth */
    uint32_t layers;   /**< JPEG 2000: no more than the first so many; 0: all */
    /**
     * JPEG 2000: only these components, by ascending index; null: all. The image is KST_FORMAT_RAW, and `format` that
     * or AUTO. The others are not decoded, but where a component transform needs the first three.
     */
    const uint32_t *components;
    uint32_t component_count; /**< of `components`; 0 where that is null, and only there */
    /**
     * JPEG 2000: this tile of the raster alone, as if it were the picture: the region is a part of it. Default
     * KST_ALL_TILES.
     */
    uint32_t tile;
    /**
     * Of the image; not with KST_FORMAT_RAW. Floating-point samples are (value − mean) × scale of their channel, in
     * this order, each step rounded to float32; float16 is that, rounded once more, to nearest even each time. So they
     * are the same bits on every device.
     */
    kst_sample sample;
    float mean[4];  /**< by channel, in units of the values (0–255); 0 or of a magnitude of 2^−60 to 2^60 */
    float scale[4]; /**< likewise; 0 stands for what makes 1 of the greatest value: 1 ÷ 255 */
    const kst_progress *progress; /**< null, or told of the decoding; must stay until that has ended */
} kst_decode_options;

KST_API void kst_decode_options_init(kst_decode_options *options);

typedef struct kst_decoder kst_decoder;

/** Make a decoder, for one thread at a time. @return KST_OK, KST_ERROR_ARGUMENT or KST_ERROR_MEMORY */
KST_API kst_status kst_decoder_create(kst_context *context, kst_decoder **decoder);

/** Destroy a decoder and set the pointer to null. Null is allowed. */
KST_API void kst_decoder_destroy(kst_decoder **decoder);

/**
 * Read the headers of a stream: all its markers, but no entropy-coded data; of JPEG 2000 those of tile-parts that TLM
 * tells the places of are left until they are needed.
 *
 * @param data borrowed: must stay as it is until the next open or the decoder's end
 * @return KST_OK or the error; then the decoder holds no stream
 */
KST_API kst_status kst_decoder_open(kst_decoder *decoder, const void *data, size_t length);

/** What the open stream holds; valid until the next open. Null where none is open. */
KST_API const kst_info *kst_decoder_info(const kst_decoder *decoder);

/** Metadata `index` of the open stream, in the order of the stream; null past the last. Valid until the next open. */
KST_API const kst_metadata *kst_decoder_metadata(const kst_decoder *decoder, size_t index);

/**
 * What follows the open picture in a JPEG file: part `index`, in the order of the file. All bytes behind the picture
 * belong to one part. Pictures are found by an MPF index (CIPA DC-007), by the directory in XMP that Ultra HDR uses,
 * and where they begin right behind another. A picture is decoded by itself: kst_decode() of `length` bytes at
 * `offset`. The first call for a stream reads all their headers: the first picture and these together must not exceed
 * the limits on pixels and markers. What an index says of parts that are not there is counted in the decoder's report
 * as KST_WARNING_JPEG_INDEX.
 *
 * @param other its size set; receives the description
 * @return false past the last part, where the stream is not JPEG, and where there was an error, which the report has
 */
KST_API bool kst_decoder_other(kst_decoder *decoder, size_t index, kst_other *other);

/** A marker segment of a JPEG 2000 codestream, or a box of a JP2 file. */
typedef struct kst_element {
    size_t size;
    uint64_t offset; /**< of the marker or box in the stream */
    uint64_t length; /**< with its header; of SOD with the packets behind it */
    uint32_t code;   /**< 0xFF51, or the four characters of a box, the first one highest */
    uint32_t depth;  /**< in how many boxes it lies */
    char name[8];    /**< "SIZ" or, where it is not known, "0xFF30"; "jp2h" */
    char text[1024]; /**< what its fields say, cut off where that is long; empty where there are none */
    uint64_t at;     /**< these four: where to go on */
    uint32_t box;
    uint32_t part;
    uint32_t state;
} kst_element;

/**
 * The next element of an open JPEG 2000 stream, in the order of the stream; the first where all is 0 but the size.
 * SOP and EPH, which lie between packets, are none. Elements are told as they stand, whatever is wrong with them. The
 * first call reads headers of tile-parts that opening has left for later; the decoder's report and info then have them.
 *
 * @return false where there is none, the stream is not JPEG 2000, or headers cannot be read (the report has the error)
 */
KST_API bool kst_decoder_next_element(kst_decoder *decoder, kst_element *element);

enum { KST_BREACH_LENGTH = 192 };

/**
 * Rule `index` of those of the profile it claims that the open JPEG 2000 stream breaks, and what it has instead.
 * All headers and the lengths of tile-parts are looked at, no packets; of cinema the limits at 24 frames a second hold,
 * of other profiles none that depend on frames.
 *
 * @param text KST_BREACH_LENGTH characters; receives one line
 * @return false past the last, and where no stream with a kst_j2k_profile is open
 */
KST_API bool kst_decoder_profile_breach(kst_decoder *decoder, size_t index, char *text);

/**
 * Describe the image that kst_decoder_decode() would give: format, size and planes, with tight pitches and no buffers.
 * Of more than four planes `more` belongs to the decoder, until the next call on it: kst_image_allocate() copies it,
 * and so must who brings buffers.
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_STATE, KST_ERROR_OPTIONS, KST_ERROR_REGION, KST_ERROR_JPEG_COLOUR;
 *         of JPEG 2000 KST_ERROR_J2K_COLOUR, KST_ERROR_IMAGE_DEPTH (more than 31 bits), KST_ERROR_IMAGE_SIZE (a
 *         component or tile without samples)
 */
KST_API kst_status kst_decoder_describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/**
 * Decode the open stream; may be called again with other options.
 *
 * @param options null for the defaults
 * @param image   where plane[0].data is null the library describes the image and allocates it (kst_image_release()), in
 *                memory of the kind that `memory` says; otherwise format, size and planes must be those that
 * kst_decoder_describe() gives, with any pitch that holds a row. Nothing outside the rows' pixels is written
 * @return KST_OK, perhaps with warnings counted in the report; or an error, and then what the caller's buffers hold is
 *         not defined, and an image that the library was to allocate is what it was before the call
 */
KST_API kst_status kst_decoder_decode(kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/** What the last call on this decoder did; valid until the next call on it. Never null for a decoder. */
KST_API const kst_report *kst_decoder_report(const kst_decoder *decoder);

/** Decode in one call: as create, open, decode and destroy. @param report null, or with its size set */
KST_API kst_status kst_decode(kst_context *context, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report);

typedef struct kst_decode_item {
    const void *data;
    size_t length;
    const kst_decode_options *options; /**< null for the defaults */
    kst_image *image;                  /**< as kst_decoder_decode() */
    kst_report report;                 /**< its status is that of this item; its size is set by the call */
} kst_decode_item;

/**
 * Decode many streams, on the context's GPU in few launches, those that it does not support, or all, spread over the
 * context's threads. One bad stream does not disturb the others; a device that fails does, and each item concerned says
 * so. kst_decode_submit() does not wait.
 * @return KST_OK where every item succeeded, otherwise the status of the first that did not
 */
KST_API kst_status kst_decode_batch(kst_context *context, kst_decode_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif
