/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_RESIZE_H
#define KOSTKA_RESIZE_H

/**
 * @file
 * Declares the resizing of images. kostka.h includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_context.h>
#include <kostka/kostka_image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Says how pixels are weighed. The support is stretched by the factor by which an image is reduced. */
typedef enum kst_resize_filter {
    KST_RESIZE_BICUBIC = 0,  /**< Keys' cubic with a = −0.5; support 2 */
    KST_RESIZE_BOX = 1,      /**< the mean of the pixels; support 0.5 */
    KST_RESIZE_BILINEAR = 2, /**< a triangle; support 1 */
    KST_RESIZE_HAMMING = 3,  /**< sinc in Hamming's window; support 1 */
    KST_RESIZE_LANCZOS = 4   /**< sinc in the window of its own main lobe; support 3 */
} kst_resize_filter;

/** Says what becomes of the aspect ratio. */
typedef enum kst_resize_fit {
    KST_RESIZE_EXACT = 0,  /**< exactly the requested size, whatever the aspect ratio */
    KST_RESIZE_INSIDE = 1, /**< the largest size inside the requested one that keeps the aspect ratio, rounded */
    KST_RESIZE_COVER = 2   /**< exactly the requested size, from the largest centred part of the box that has its aspect
                              ratio */
} kst_resize_fit;

/**
 * Says in which order the two passes are made. Between them samples are rounded, so that the result may differ by 1 or
 * a little more.
 */
typedef enum kst_resize_order {
    KST_RESIZE_ORDER_AUTO = 0,      /**< as Pillow 13: the vertical pass first where the height shrinks, and by more
                                       than twice as many pixels as the width does; otherwise the horizontal one */
    KST_RESIZE_ORDER_HORIZONTAL = 1 /**< always the horizontal pass first, as Pillow up to 12 */
} kst_resize_order;

/** Names a rectangle of an image in pixels, with fractions; (0, 0) is the upper left corner of the first pixel. */
typedef struct kst_resize_box {
    double left;
    double top;
    double right;
    double bottom;
} kst_resize_box;

typedef struct kst_resize_options {
    size_t size;
    uint32_t width;  /**< width of the result; 0: it follows from the height, and the aspect ratio is kept */
    uint32_t height; /**< height of the result; 0: it follows from the width. One of the two must be set */
    kst_resize_fit fit;
    kst_resize_filter filter; /**< default KST_RESIZE_BICUBIC */
    kst_resize_box box; /**< the part to resize; all 0: the whole image. Edges with a fraction are rounded to binary32,
                           as Pillow does. The filter takes no pixel outside the image, but does outside the box */
    kst_resize_order order;
    bool mirror;       /**< exchange left and right in the result */
    kst_format format; /**< of the result: KST_FORMAT_AUTO or that of the image; or KST_FORMAT_PLANAR, which makes
                          planes of R, G, B and alpha of interleaved pixels */
    /**
     * The type of the result's samples. Floating-point samples are (value − mean) × scale, as kst_decode_options has
     * them, of the integers that the passes make. Channels are those of the result, in its order.
     */
    kst_sample sample;
    float mean[4];  /**< for each channel, in the units of the values; 0, or of a magnitude from 2^−60 to 2^60 */
    float scale[4]; /**< for each channel, with the range of `mean`; 0 stands for 1 ÷ the greatest value */
} kst_resize_options;

/** Set every member to its default. */
KST_API void kst_resize_options_init(kst_resize_options *options);

/**
 * Describe the image that kst_resize() would make of `from`: format, size and planes, with tight pitches and no
 * buffers. `from` needs no buffers either. @return KST_OK or one of the first group of errors of kst_resize()
 */
KST_API kst_status kst_resize_describe(const kst_image *from, const kst_resize_options *options, kst_image *to);

/**
 * Resize an image of unsigned integers with up to 16 bits. Planes must all have the size of the image. The context's
 * threads share the work; the result is the same for any number of them and on every tier.
 *
 * With samples of 8 bits it equals that of `Image.resize((width, height), filter, box)` of Pillow, byte for byte: for
 * RGBA and BGRA the colours are weighed by their alpha. KST_RESIZE_INSIDE gives the size of its `ImageOps.contain()`
 * and KST_RESIZE_COVER the result of its `ImageOps.fit()`. With more than 8 bits the weights have 30 bits behind the
 * point and sums have 64. src/resize/README.md has the arithmetic.
 *
 * Each image may be in host memory or in memory of the context's device. If one of them is in the device's, the device
 * resizes, otherwise the CPU; the samples are the same. The call returns when all is done. Thread-safe.
 *
 * @param from borrowed
 * @param to if plane[0].data is null, the library describes the image and allocates it in memory of the kind `memory`;
 *        the caller releases it with kst_image_release(). Otherwise format, size and planes must be those of
 *        kst_resize_describe(), with any pitch that holds a row
 * @return KST_OK; KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS (size, no width and height, an unknown fit, filter, order or
 *         sample, or numbers beyond their range), KST_ERROR_REGION (a box that is empty, reaches outside the image or
 *         is no number), KST_ERROR_IMAGE_FORMAT (also of the options), KST_ERROR_IMAGE_SIZE (planes of several sizes,
 *         more than four of them, or a result with a side of more than 2^31 − 1), KST_ERROR_IMAGE_DEPTH (signed, or
 *         more than 16 bits), KST_ERROR_IMAGE_SAMPLE (no integers); KST_ERROR_LIMIT_PIXELS (of the result),
 *         KST_ERROR_LIMIT_MEMORY, KST_ERROR_MEMORY, KST_ERROR_IMAGE_PITCH (also a row of more than 2^31 − 1 bytes on a
 *         device), KST_ERROR_IMAGE_MEMORY (of another device), KST_ERROR_IMAGE_BUFFER, KST_ERROR_IMAGE_OVERLAP (`to`
 *         shares memory with `from`) or KST_ERROR_DEVICE_FAILED. After an error an image that the library was to
 *         allocate is as it was before the call
 */
KST_API kst_status kst_resize(
    kst_context *context, const kst_image *from, const kst_resize_options *options, kst_image *to);

/** One of many images to resize. */
typedef struct kst_resize_item {
    const kst_image *from;             /**< the members up to `to` are as for kst_resize() */
    const kst_resize_options *options; /**< each item may have a box, a size, means and scales of its own */
    kst_image *to;                     /**< for instance a picture of a tensor; see kst_tensor_image() */
    kst_report report; /**< its status is that of this item, and KST_STAGE_RESIZE says what did the work; its size is
                          set by the call */
} kst_resize_item;

/**
 * Resize many images. A device takes them all at once, in a few launches; the context's threads share those in host
 * memory. One bad item does not disturb the others. No two items may write to the same memory. Thread-safe.
 *
 * @return KST_OK if every item succeeded, otherwise the status of the first that did not
 */
KST_API kst_status kst_resize_batch(kst_context *context, kst_resize_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif
