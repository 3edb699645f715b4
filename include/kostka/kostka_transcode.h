/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_TRANSCODE_H
#define KOSTKA_TRANSCODE_H

/**
 * @file
 * Lossless transcoding; kostka.h includes this.
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

/** What becomes of what follows the first picture of a JPEG file (kst_decoder_other()). */
typedef enum kst_others {
    KST_OTHERS_KEEP = 0, /**< it is kept; see kst_transcode() */
    KST_OTHERS_DROP = 1  /**< it is dropped, and what the first picture's segments say of it: the MPF index, the
                              directory in XMP, the segment of ISO 21496-1 */
} kst_others;

typedef struct kst_transcode_options {
    size_t size;
    kst_coding coding;   /**< of the output, whatever the input was; default KST_CODING_BASELINE */
    kst_restart restart; /**< default none */
    kst_transform transform;
    kst_edge edge;
    kst_region crop; /**< after the transform; x and y move to the MCU border above and left, the size grows by it */
    kst_strip strip;
    bool grey;   /**< keep the luminance alone */
    bool strict; /**< damaged input is an error */
    const kst_scan *script;
    size_t script_length;
    kst_transcode_jpeg2000 jpeg2000; /**< with a JPEG 2000 stream; all above but strip and strict is with JPEG */
    kst_others others; /**< of JPEG; where metadata are stripped they are dropped in any case, for nothing would say
                            what they are */
    const kst_progress *progress; /**< null, or told of the transcoding; must stay until that has ended */
} kst_transcode_options;

KST_API void kst_transcode_options_init(kst_transcode_options *options);

/**
 * Write a stream anew without changing a coefficient (T.81) or the bytes of a code-block (T.800). Thread-safe. A
 * damaged stream is transcoded as far as it can be decoded. Segments and boxes are copied as they are, but for the
 * picture's size in an Exif segment that comes first, in ihdr, and for its resolution.
 *
 * A JPEG file may hold more pictures behind the first one. Where that is only recoded they stay byte for byte; where it
 * is turned, cut or made grey, so are they, cut in proportion to their sizes. If the MCUs of one allow that only with
 * loss, its samples are turned and cut, and coded anew with its own tables and sampling: that is counted as
 * KST_WARNING_JPEG_RECODED, and an error with KST_EDGE_PERFECT. Bytes that belong to no picture are copied, but for
 * zeros that fill up the end of the file. Offsets and sizes in an MPF index (CIPA DC-007), and lengths in a directory
 * in XMP, follow; what does not fit the file is counted as KST_WARNING_JPEG_INDEX and left as it is.
 *
 * @param options null for the defaults
 * @param output  see kst_buffer; on failure an owned buffer is released
 * @param report  null, or with its size set
 * @return KST_OK, perhaps with warnings counted in the report; or the error, among them KST_ERROR_REGION (the cut),
 *         KST_ERROR_JPEG_COLOUR (no luminance to keep), KST_ERROR_JPEG_NOT_PERFECT, KST_ERROR_JPEG_SCRIPT and
 *         KST_ERROR_JPEG_COEFFICIENT (damage made one that no coding can hold); KST_ERROR_J2K_REDUCE (fewer
 *         resolutions than are to be dropped); KST_ERROR_OPTIONS, too, for what the other codec alone has, for tiles
 * whose size cannot be halved so often and for more than 255 tile-parts of a tile
 */
KST_API kst_status kst_transcode(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, kst_buffer *output, kst_report *report);

#ifdef __cplusplus
}
#endif

#endif
