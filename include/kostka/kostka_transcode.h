/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_TRANSCODE_H
#define KOSTKA_TRANSCODE_H

/**
 * @file
 * Declares lossless transcoding. kostka.h includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_encode.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Turns clockwise; flips mirror left and right (H) or top and bottom (V). Exif orientation n is undone by value n − 1.
 */
typedef enum kst_transform {
    KST_TRANSFORM_NONE = 0,
    KST_TRANSFORM_FLIP_H = 1,
    KST_TRANSFORM_ROTATE_180 = 2,
    KST_TRANSFORM_FLIP_V = 3,
    KST_TRANSFORM_TRANSPOSE = 4,
    KST_TRANSFORM_ROTATE_90 = 5,
    KST_TRANSFORM_TRANSVERSE = 6,
    KST_TRANSFORM_ROTATE_270 = 7
} kst_transform;

typedef enum kst_edge {
    KST_EDGE_KEEP = 0,   /**< partial MCUs at an edge that cannot be mirrored stay where they are */
    KST_EDGE_TRIM = 1,   /**< they are dropped */
    KST_EDGE_PERFECT = 2 /**< they are an error: KST_ERROR_JPEG_NOT_PERFECT */
} kst_edge;

typedef enum kst_strip {
    KST_STRIP_NOTHING = 0, /**< keep all APPn and COM segments, and all boxes */
    KST_STRIP_MARKERS = 1, /**< keep comments only */
    KST_STRIP_ALL = 2      /**< keep no metadata; JFIF and Adobe headers and the box jp2h, which decoding needs, stay */
} kst_strip;

/** Says what happens to the data behind the first picture of a JPEG file (kst_decoder_other()). */
typedef enum kst_others {
    KST_OTHERS_KEEP = 0, /**< they are kept; see kst_transcode() */
    KST_OTHERS_DROP = 1  /**< they are dropped, together with the first picture's segments that describe them: the MPF
                            index, the directory in XMP, the segment of ISO 21496-1 */
} kst_others;

typedef struct kst_transcode_options {
    size_t size;
    kst_coding coding;   /**< how the output is coded, however the input was; default KST_CODING_BASELINE */
    kst_restart restart; /**< default none */
    kst_transform transform;
    kst_edge edge;
    kst_region crop; /**< cut after the transform; x and y move to the MCU border above and to the left, and the size
                        grows by as much */
    kst_strip strip;
    bool grey;   /**< keep only the luminance */
    bool strict; /**< damaged input is an error */
    const kst_scan *script;
    size_t script_length;
    kst_transcode_jpeg2000
        jpeg2000;      /**< used for JPEG 2000 streams; of the members above, only strip and strict are, too */
    kst_others others; /**< for JPEG; if metadata are stripped, other pictures are always dropped, because nothing would
                          say what they are */
    const kst_progress *progress; /**< null, or called while transcoding; must stay valid until that has ended */
} kst_transcode_options;

KST_API void kst_transcode_options_init(kst_transcode_options *options);

/**
 * Rewrite a stream without changing a coefficient (T.81) or the bytes of a code-block (T.800). Thread-safe. A damaged
 * stream is transcoded as far as it can be decoded. If code-blocks are to be converted to the other block coder
 * (`jpeg2000.ht`), the context's GPU, if any, recodes them, provided that none is damaged and its memory suffices. The
 * CPU does everything else, and the report says which device did what. The bytes are the same on both. Segments and
 * boxes are copied unchanged, except for the picture's size in ihdr and in an Exif segment that comes first, and for
 * the picture's resolution.
 *
 * A JPEG file may hold more pictures behind the first one. If the first is only recoded, they stay byte for byte; if it
 * is turned, cut or made grey, so are they, cut in proportion to their sizes. If the MCUs of one allow that only with
 * loss, its samples are turned and cut, and encoded again with its own tables and sampling: that is counted as
 * KST_WARNING_JPEG_RECODED, and is an error with KST_EDGE_PERFECT. Bytes that belong to no picture are copied, except
 * zeros that pad the end of the file. Offsets and sizes in an MPF index (CIPA DC-007), and lengths in a directory in
 * XMP, are updated; those that do not fit the file are counted as KST_WARNING_JPEG_INDEX and left unchanged.
 *
 * @param options null for the defaults
 * @param output see kst_buffer; on failure an owned buffer is released
 * @param report null, or with its size set
 * @return KST_OK, perhaps with warnings counted in the report; or the error, among them KST_ERROR_REGION (of `crop`),
 *         KST_ERROR_JPEG_COLOUR (no luminance to keep), KST_ERROR_JPEG_NOT_PERFECT, KST_ERROR_JPEG_SCRIPT and
 *         KST_ERROR_JPEG_COEFFICIENT (damage made a coefficient that no coding can hold); KST_ERROR_J2K_REDUCE (fewer
 *         resolutions than are to be dropped); KST_ERROR_OPTIONS, also for options that only the other codec has, for
 *         tiles whose size cannot be halved so often and for more than 255 tile-parts of a tile
 */
KST_API kst_status kst_transcode(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, kst_buffer *output, kst_report *report);

typedef struct kst_transcode_item {
    const void *data;
    size_t length;
    const kst_transcode_options *options; /**< null for the defaults */
    kst_buffer output;
    kst_report report; /**< its size is set by the call */
} kst_transcode_item;

/**
 * Transcode many streams. The context's GPU codes the code-blocks of those that it supports, several in each launch
 * (see kst_transcode()); the context's threads share the rest. @return as for kst_decode_batch()
 */
KST_API kst_status kst_transcode_batch(kst_context *context, kst_transcode_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif
