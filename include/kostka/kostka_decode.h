/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_DECODE_H
#define KOSTKA_DECODE_H

/**
 * @file
 * Declares decoding, and the inspection of streams. kostka.h includes this header.
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

/** Says how subsampled components are enlarged to the picture's size. */
typedef enum kst_upsampling {
    KST_UPSAMPLING_FANCY = 0,  /**< a triangle filter where the ratio is 2:1, as libjpeg does by default */
    KST_UPSAMPLING_NEAREST = 1 /**< samples are repeated: libjpeg without `do_fancy_upsampling`, merged or not */
} kst_upsampling;

typedef struct kst_decode_options {
    size_t size;
    kst_format format; /**< default KST_FORMAT_AUTO */
    uint32_t reduce;   /**< decode at 1/2^reduce of the size, rounded up; JPEG: 0–3, JPEG 2000: 0–kst_info.levels */
    kst_region region; /**< in pixels of the reduced picture, before orientation; only what it needs is decoded */
    bool strict;       /**< the first warning ends the decoding with that warning as its status */
    bool orient;       /**< turn the picture as its Exif orientation says (not with KST_FORMAT_RAW) */
    uint8_t
        alpha; /**< the alpha of RGBA and BGRA where the picture has none; default 255, which is opaque at any depth */
    uint32_t layers; /**< JPEG 2000: decode at most this many layers, the first ones; 0: all */
    /**
     * JPEG 2000: decode only these components, in ascending order of index; null: all. The image then is
     * KST_FORMAT_RAW, and `format` must be that or AUTO. Other components are not decoded, except where a component
     * transform needs the first three.
     */
    const uint32_t *components;
    uint32_t component_count; /**< number of `components`; 0 if and only if that is null */
    /**
     * JPEG 2000: decode this tile alone, numbered in raster order, as if it were the picture: the region then is a part
     * of the tile. Default KST_ALL_TILES.
     */
    uint32_t tile;
    /**
     * The type of the image's samples; with KST_FORMAT_RAW it must be an integer type. KST_SAMPLE_INT32 stores every
     * integer in four bytes; it is allowed only for KST_FORMAT_RAW of JPEG 2000. Floating-point samples are (value −
     * mean) × scale, with the mean and scale of their channel. Both operations are rounded to float32; a float16 is
     * that result rounded once more. All of this rounds to nearest even, so that every device gives the same bits.
     */
    kst_sample sample;
    float mean[4]; /**< for each channel, in the units of the values (0–255); 0 or of a magnitude from 2^−60 to 2^60 */
    float scale[4]; /**< for each channel, with the range of `mean`; 0 stands for 1 ÷ 255, which makes the greatest
                       value 1 */
    const kst_progress *progress; /**< null, or called while decoding; must stay valid until that has ended */
    /**
     * JPEG: decode at eighths/8 of the size, 1–16, rounded up, as libjpeg does; above 8 the picture is enlarged. 0:
     * `reduce` sets the size; with any other value `reduce` must be 0. A GPU decodes 1, 2, 4 and 8; the CPU decodes the
     * others, as the report says.
     */
    uint32_t eighths;
    kst_dct dct; /**< JPEG: the inverse transform at full size. The CPU alone has KST_DCT_FAST, as the report says; for
                    samples of 12 bits it is an error */
    kst_upsampling upsampling; /**< JPEG: how subsampled components are enlarged. Other codecs accept only the default,
                                  and so does KST_FORMAT_RAW, which enlarges no component */
} kst_decode_options;

KST_API void kst_decode_options_init(kst_decode_options *options);

typedef struct kst_decoder kst_decoder;

/** Make a decoder, for one thread at a time. @return KST_OK, KST_ERROR_ARGUMENT or KST_ERROR_MEMORY */
KST_API kst_status kst_decoder_create(kst_context *context, kst_decoder **decoder);

/** Destroy a decoder and set the pointer to null. Null is allowed. */
KST_API void kst_decoder_destroy(kst_decoder **decoder);

/**
 * Read the headers of a stream: all its markers, but no entropy-coded data. If a JPEG 2000 stream has TLM marker
 * segments, which say where its tile-parts begin, the headers of the tile-parts are read only when they are needed.
 *
 * @param data borrowed: must stay as it is until the next open or the decoder's end
 * @return KST_OK, or the error, after which the decoder holds no stream
 */
KST_API kst_status kst_decoder_open(kst_decoder *decoder, const void *data, size_t length);

/** Return what the open stream holds; valid until the next open. Null if none is open. */
KST_API const kst_info *kst_decoder_info(const kst_decoder *decoder);

/**
 * Return metadata number `index` of the open stream, in the order of the stream; null past the last. It is valid until
 * the next open.
 */
KST_API const kst_metadata *kst_decoder_metadata(const kst_decoder *decoder, size_t index);

/**
 * Describe part number `index` of what follows the open picture in a JPEG file, in the order of the file. Every byte
 * behind the picture belongs to exactly one part. Pictures are found by an MPF index (CIPA DC-007), by the directory in
 * XMP that Ultra HDR uses, and where one begins right behind another. To decode such a picture, call kst_decode() with
 * the `length` bytes at `offset`. The first call for a stream reads the headers of all these pictures: together with
 * the first picture they must not exceed the limits on pixels and markers. An index that names parts which do not exist
 * is counted in the decoder's report as KST_WARNING_JPEG_INDEX.
 *
 * @param other receives the description; its `size` must be set
 * @return false past the last part, if the stream is not JPEG, and after an error, which is in the report
 */
KST_API bool kst_decoder_other(kst_decoder *decoder, size_t index, kst_other *other);

/** A marker segment of a JPEG 2000 codestream, or a box of a JP2 file. */
typedef struct kst_element {
    size_t size;
    uint64_t offset; /**< of the marker or box in the stream */
    uint64_t length; /**< including its header; for SOD including the packets behind it */
    uint32_t code;   /**< 0xFF51, or the four characters of a box, the first one highest */
    uint32_t depth;  /**< the number of boxes that contain it */
    char name[8];    /**< "SIZ", or "0xFF30" if the marker is unknown; "jp2h" */
    char text[1024]; /**< its fields as text, cut off if too long; empty if it has none */
    uint64_t at;     /**< this and the next three members say where to continue */
    uint32_t box;
    uint32_t part;
    uint32_t state;
} kst_element;

/**
 * Advance to the next element of an open JPEG 2000 stream, in the order of the stream. If all members except `size` are
 * 0, the call returns the first element. SOP and EPH, which lie between packets, are not reported. Elements are
 * described as they stand, even if they are wrong. The first call reads the headers of tile-parts that opening has left
 * for later; the decoder's report and info include them from then on.
 *
 * @return false if there is no further element, the stream is not JPEG 2000, or headers cannot be read (the report has
 *         the error)
 */
KST_API bool kst_decoder_next_element(kst_decoder *decoder, kst_element *element);

enum { KST_BREACH_LENGTH = 192 };

/**
 * Describe breach number `index`: a rule of the claimed profile that the open JPEG 2000 stream breaks, and what the
 * stream has instead. All headers and the lengths of tile-parts are checked, but no packets. For the cinema profiles
 * the limits at 24 frames a second apply; for other profiles no limit that depends on the frame rate is checked. If
 * there are more than 100 breaches, number 99 stands for all that remain, and says how many.
 *
 * @param text KST_BREACH_LENGTH characters; receives one line
 * @return false past the last breach, and if no stream that claims a kst_j2k_profile is open
 */
KST_API bool kst_decoder_profile_breach(kst_decoder *decoder, size_t index, char *text);

/** Says what a JPEG 2000 codestream claims and does not keep. */
typedef struct kst_breach {
    size_t size;
    uint64_t offset;              /**< in the stream, of what contradicts the claim */
    char text[KST_BREACH_LENGTH]; /**< the claim, and what the stream has instead */
} kst_breach;

/**
 * Describe claim number `index` of the open JPEG 2000 stream that does not hold. Claims are what decoders rely on
 * before they read on: that there is CAP (bit 14 of Rsiz); of T.814, in CAP, which code-blocks are coded with it,
 * whether one has several sets, whether there are regions of interest, parameters in headers of tile-parts and
 * irreversible transforms, and the magnitude bound; the profile that CPF names; and PRF. kst_decoder_profile_breach()
 * is about the profile in Rsiz. Of a claim that is broken several times one place is described; for a code-block that
 * is where those of its bytes begin that contradict the claim. The first call reads the headers of all packets if T.814
 * is claimed, but decodes no code-block. If that is impossible within the limits, or takes more memory than 8 MiB and
 * 10 bytes for each byte of the stream, the report has the error, and the claims are compared with marker segments
 * alone.
 *
 * @param breach receives the description; its `size` must be set
 * @return false past the last breach, and if no JPEG 2000 stream is open
 */
KST_API bool kst_decoder_claim_breach(kst_decoder *decoder, size_t index, kst_breach *breach);

/**
 * Describe the image that kst_decoder_decode() would make: format, size and planes, with tight pitches and no buffers.
 * With more than four planes, `more` points to memory of the decoder, which is valid until the next call on it:
 * kst_image_allocate() copies it, and a caller who provides the buffers must copy it, too.
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_STATE, KST_ERROR_OPTIONS, KST_ERROR_REGION, KST_ERROR_JPEG_COLOUR; of
 *         JPEG 2000 KST_ERROR_J2K_COLOUR, KST_ERROR_IMAGE_DEPTH (more than 31 bits), KST_ERROR_IMAGE_SIZE (a component
 *         or tile without samples)
 */
KST_API kst_status kst_decoder_describe(kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/**
 * Decode the open stream; may be called again with other options.
 *
 * @param options null for the defaults
 * @param image if plane[0].data is null, the library describes the image and allocates it in memory of the kind
 *        `memory`; the caller releases it with kst_image_release(). Otherwise format, size and planes must be those of
 *        kst_decoder_describe(), with any pitch that holds a row; nothing outside the rows' pixels is written
 * @return KST_OK, perhaps with warnings counted in the report; or an error, after which the contents of the caller's
 *         buffers are undefined, and an image that the library was to allocate is as it was before the call
 */
KST_API kst_status kst_decoder_decode(kst_decoder *decoder, const kst_decode_options *options, kst_image *image);

/** Return what the last call on this decoder did; valid until the next call on it. Null only for a null decoder. */
KST_API const kst_report *kst_decoder_report(const kst_decoder *decoder);

/**
 * Decode in one call, which does the same as create, open, decode and destroy. @param report null, or with its size set
 */
KST_API kst_status kst_decode(kst_context *context, const void *data, size_t length, const kst_decode_options *options,
    kst_image *image, kst_report *report);

typedef struct kst_decode_item {
    const void *data;
    size_t length;
    const kst_decode_options *options; /**< null for the defaults */
    kst_image *image;                  /**< as for kst_decoder_decode() */
    kst_report report;                 /**< its status is that of this item; its size is set by the call */
} kst_decode_item;

/**
 * Decode many streams. The context's GPU decodes those that it supports, many in each launch; the context's threads
 * share the others, or all if there is no GPU. One bad stream does not affect the others. A failing device may affect
 * several items; the report of each of them says so. This call waits for the end; kst_decode_submit() does not.
 * @return KST_OK if every item succeeded, otherwise the status of the first that did not
 */
KST_API kst_status kst_decode_batch(kst_context *context, kst_decode_item *items, size_t count);

/**
 * Describe the images that kst_decode_batch() would make, as kst_decoder_describe() does for one, on the context's
 * threads. If the context has a GPU, the headers of JPEG streams are read, but not the entropy-coded data, whose damage
 * a description does not show.
 * @param items each `image` receives a description without buffers, unless the report of the item says that it failed;
 *        KST_ERROR_IMAGE_SIZE if there are more planes than KST_IMAGE_PLANES_MAX, for which it has no room
 * @return as for kst_decode_batch()
 */
KST_API kst_status kst_decode_describe_batch(kst_context *context, kst_decode_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif
