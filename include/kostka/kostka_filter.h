/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_FILTER_H
#define KOSTKA_FILTER_H

/**
 * @file
 * Declares the filters of libkostka_filters, a library of its own beside libkostka. kostka.h does not include this
 * header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_context.h>
#include <kostka/kostka_device.h>
#include <kostka/kostka_flow.h>
#include <kostka/kostka_image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Says how the value of a parameter is written. */
typedef enum kst_filter_type {
    KST_FILTER_INTEGER = 0,
    KST_FILTER_DECIMAL = 1, /**< a number with up to three digits behind the point */
    KST_FILTER_WORD = 2,    /**< one of a few words */
    KST_FILTER_SIZE = 3,    /**< WIDTHxHEIGHT, WIDTH, WIDTHx or xHEIGHT, in pixels */
    KST_FILTER_REAL = 4,    /**< a number with up to nine digits behind the point */
    KST_FILTER_FILE = 5     /**< the path of a file, which has no comma, colon or equals sign in it */
} kst_filter_type;

/** Describes a parameter of a filter. All pointers are to constants of the library. */
typedef struct kst_filter_parameter {
    const char *name;
    const char *summary; /**< half a line */
    kst_filter_type type;
    bool required;
    double least;      /**< the least value of a number, and of each side of a size */
    double greatest;   /**< the greatest value of a number, and of each side of a size */
    double usual;      /**< the default: the value of a number, or the index of a word */
    const char *words; /**< KST_FILTER_WORD: the words, with | between them; otherwise null */
} kst_filter_parameter;

/** Describes a filter. All pointers are to constants of the library. */
typedef struct kst_filter_info {
    size_t size; /**< set by the caller */
    const char *name;
    const char *summary; /**< one line */
    uint32_t parameter_count;
    const kst_filter_parameter *parameter;
} kst_filter_info;

/** Return the number of filters. Thread-safe. */
KST_API uint32_t kst_filter_count(void);

/** Describe filter `index`; `info->size` must be set. Thread-safe. @return KST_OK or KST_ERROR_ARGUMENT */
KST_API kst_status kst_filter_get(uint32_t index, kst_filter_info *info);

/** A chain of filters with their parameters. It does not change once it is open. */
typedef struct kst_filter kst_filter;

/**
 * Read a chain of filters, which are applied from left to right: `NAME[=VALUE[:VALUE…]][,NAME…]`, such as
 * `"resize=1920x,canny=50:150"`. Values follow the order of the filter's parameters until one is named, as in
 * `"canny=50:150:norm=l2"`. A chain has up to 32 filters. docs/filters.md describes all of them. Thread-safe.
 *
 * Opening a chain reads the files that it names, and nothing else does: a program that takes chains from strangers
 * looks for parameters of the type KST_FILTER_FILE first.
 *
 * @param context outlives the filter
 * @param chain ends with a zero byte; it is not needed afterwards
 * @param filter receives the chain; the caller closes it. Null on failure
 * @param report null, or receives the status, what is wrong in words, and at which byte of the chain
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS (an unknown filter, parameter or word, a missing value, a
 *         number out of its range, or values that contradict each other), KST_ERROR_READ (a file that cannot be read,
 *         or that is not what the filter takes, with the line that is wrong) or KST_ERROR_MEMORY
 */
KST_API kst_status kst_filter_open(kst_context *context, const char *chain, kst_filter **filter, kst_report *report);

/** Close a chain and set the pointer to null. Null, and a pointer to null, are allowed. */
KST_API void kst_filter_close(kst_filter **filter);

/**
 * Describe the image that kst_filter_run() would make of `from`: format, size and depth, with a tight pitch and no
 * buffer. It is PLANAR if `from` has planes. `from` needs no buffer either. Thread-safe.
 *
 * @param report null, or receives the status and the reason
 * @return KST_OK or one of the first group of errors of kst_filter_run()
 */
KST_API kst_status kst_filter_describe(
    const kst_filter *filter, const kst_image *from, kst_image *to, kst_report *report);

/**
 * Apply a chain of filters to an image: GREY, RGB, BGR, RGBA or BGRA of 1–16 bits without a sign, or such channels in
 * planes of the image's size: PLANAR or RAW, of one plane, or of three or four whose colour is KST_COLOUR_RGB (or with
 * PLANAR KST_COLOUR_UNKNOWN). If `from` or `to` lies in device memory, the context's GPU does all filters, and pixels
 * stay there between them; otherwise the context's threads share the work. All arithmetic on samples is in integers, so
 * that the result is the same on every device and tier and for any number of threads. The call returns when all is
 * done. Thread-safe, also for one filter.
 *
 * @param from borrowed; in host or pinned memory, or in the memory of the context's GPU (not an OpenCL image object)
 * @param to if plane[0].data is null, the library describes the image and allocates it in memory of the kind
 *        `to->memory`; the caller releases it with kst_image_release(). Otherwise format, size and depth must be those
 *        of kst_filter_describe(), with any pitch that holds a row; the same channels may be in planes (PLANAR) or
 *        interleaved (GREY, RGB, RGBA), whichever `from` is
 * @param report null, or receives the status, the reason, the threads, and the time as that of KST_STAGE_PIXELS, with
 *        the device; if one of the images is in host memory, also KST_STAGE_UPLOAD or KST_STAGE_DOWNLOAD
 * @return KST_OK; KST_ERROR_ARGUMENT, KST_ERROR_IMAGE_FORMAT (inks, planes of YCbCr), KST_ERROR_IMAGE_SIZE,
 *         KST_ERROR_IMAGE_DEPTH (signed, more than 16 bits, or more than a filter of the chain takes),
 *         KST_ERROR_IMAGE_SAMPLE (no integers), KST_ERROR_REGION (a part outside the image), KST_ERROR_LIMIT_PIXELS (of
 *         any image of the chain); KST_ERROR_IMAGE_MEMORY (in memory that the context's device does not reach),
 *         KST_ERROR_IMAGE_PITCH, KST_ERROR_IMAGE_BUFFER, KST_ERROR_IMAGE_OVERLAP (`to` shares memory with `from`),
 *         KST_ERROR_LIMIT_MEMORY, KST_ERROR_MEMORY, KST_ERROR_DEVICE_FAILED. After an error an image that the library
 *         was to allocate is as it was before the call
 */
KST_API kst_status kst_filter_run(const kst_filter *filter, const kst_image *from, kst_image *to, kst_report *report);

/** An image of a batch. */
typedef struct kst_filter_item {
    const kst_image *from; /**< as for kst_filter_run() */
    kst_image *to;         /**< as for kst_filter_run() */
    kst_report report;     /**< result */
} kst_filter_item;

/**
 * Apply a chain of filters to images of any sizes, as kst_filter_run() does to one. A GPU works on those that fit its
 * memory at once. An image that fails disturbs no other. Thread-safe.
 *
 * @return KST_OK, KST_ERROR_ARGUMENT, or the status of the first image that failed
 */
KST_API kst_status kst_filter_batch(const kst_filter *filter, kst_filter_item *items, size_t count);

/**
 * Do the same on the caller's stream: the work runs after what the stream holds when the call begins, and the call
 * returns without waiting for the work. All images must lie in the memory of the context's GPU, results must have their
 * buffers already, and the caller keeps all of them until the stream has passed the work. A chain with `resize` waits
 * for the stream. Memory for intermediate images goes back to the context when later calls find that the work is done.
 * Thread-safe, but for calls with the same stream.
 *
 * @param stream the stream or queue, of the context's GPU
 * @return as kst_filter_batch(); KST_ERROR_IMAGE_MEMORY for images that are not as said above; KST_ERROR_DEVICE_STREAM
 */
KST_API kst_status kst_filter_queue(
    const kst_filter *filter, kst_filter_item *items, size_t count, const kst_stream *stream);

/**
 * Count how often each value occurs in each channel of an image. The context's GPU counts if the image lies in its
 * memory. Takes the images that kst_filter_run() takes. Thread-safe.
 *
 * @param counts receives 2^depth numbers for each channel (alpha too), in the channels' order in memory: how often each
 *        value occurs. Samples above 2^depth − 1 count as 2^depth − 1
 * @param room how many numbers `counts` has room for; channels × 2^depth or more
 * @param report null, or receives the status and the times, as from kst_filter_run()
 * @return KST_OK, KST_ERROR_ARGUMENT (too little room, too), KST_ERROR_LIMIT_PIXELS (2^32 pixels), or one of the errors
 *         of kst_filter_run()
 */
KST_API kst_status kst_filter_histogram(
    kst_context *context, const kst_image *image, uint32_t *counts, size_t room, kst_report *report);

/**
 * Turn a chain into a stage of a flow (kst_flow_options.stage): each device of the flow filters what it has decoded,
 * where the pixels are. The chain may be of any context, which need not be the flow's.
 *
 * @param filter must stay open until kst_flow_end()
 * @param stage receives the functions; its `size` must be set
 * @return KST_OK or KST_ERROR_ARGUMENT
 */
KST_API kst_status kst_filter_stage(const kst_filter *filter, kst_flow_stage *stage);

/** A straight segment between the centres of two pixels; pixel (0, 0) is the upper left one. */
typedef struct kst_segment {
    int32_t x0, y0, x1, y1;
} kst_segment;

/** An array of segments. */
typedef struct kst_segments {
    kst_segment *segment; /**< null if there are none */
    size_t count;
} kst_segments;

/**
 * List the segments that a chain draws whose last filter is `lines`. The filters before it are applied first, by the
 * context's GPU if the image lies in its memory. Segments are in the order of docs/filters.md, the same on every
 * device. The call returns when all is done. Thread-safe.
 *
 * @param from as for kst_filter_run()
 * @param segments receives an array, which the caller releases with kst_filter_segments_release(); none on failure
 * @param report null, or receives the status and the reason
 * @return as kst_filter_run(); KST_ERROR_ARGUMENT also if the chain does not end with `lines`
 */
KST_API kst_status kst_filter_segments(
    const kst_filter *filter, const kst_image *from, kst_segments *segments, kst_report *report);

/** Release an array of segments and clear the description. Null, and what has no array, are allowed. */
KST_API void kst_filter_segments_release(kst_context *context, kst_segments *segments);

/** Says how kst_filter_stereo() matches two images. kst_filter_stereo_options_init() sets the usual values. */
typedef struct kst_stereo_options {
    size_t size;
    uint32_t least;       /**< the least disparity, in pixels (0) */
    uint32_t disparities; /**< number of disparities tried, from `least` on, 2–256 (128); least + disparities are 256 at
                             most */
    uint32_t paths;       /**< 4, along rows and columns, or 8, along diagonals too (8) */
    uint32_t p1;          /**< the penalty if the disparities of neighbours differ by 1, 0–224 (8) */
    uint32_t p2;          /**< the penalty if they differ by more, p1–224 (48); costs of pixels are 0–31 */
    uint32_t uniqueness; /**< per cent, 0–99, by which any other sum of costs must exceed the least one (5) */
    int32_t tolerance; /**< pixels, 0–255, by which the right image's match may differ (1); −1: it is not checked */
} kst_stereo_options;

/** Set every member to its usual value. */
KST_API void kst_filter_stereo_options_init(kst_stereo_options *options);

/**
 * Find the disparity of each pixel of the left one of two rectified images, by semi-global matching: pixel (x, y) is
 * that at (x − disparity, y) of the right one. docs/filters.md describes the arithmetic, in integers, which gives the
 * same result on every device and tier and for any number of threads. If any image lies in device memory, the context's
 * GPU does the work, otherwise its threads. The call returns when all is done. Thread-safe.
 *
 * For each pixel and disparity the work takes 3 bytes of the limit on memory. On a GPU it takes 2 bytes of the device's
 * memory, for 64, 128 or 256 disparities.
 *
 * @param left borrowed; as `from` of kst_filter_run(), but interleaved
 * @param right borrowed; as `left`, and of the same size, depth and number of colours
 * @param options null: the usual values
 * @param disparity GREY of 16 bits and the size of `left`: the disparity in 1/256 pixels, at least 1, or 0 where none
 *        is known. Made, or checked, as `to` of kst_filter_run()
 * @param confidence null, or an image as `disparity`, but of 8 bits: 255 × (*b* − *a*) ÷ *b*, where *a* is the least
 *        sum of costs and *b* the least one that does not lie beside it; 255 if there is no other; 0 where no disparity
 *        is known
 * @param report null, or receives the status, the reason, the threads, and the time as that of KST_STAGE_PIXELS
 * @return KST_OK, KST_ERROR_OPTIONS (a value out of its range), KST_ERROR_IMAGE_SIZE (images of two sizes, too), or one
 *         of the errors of kst_filter_run(). After an error an image that the library was to allocate is as before
 */
KST_API kst_status kst_filter_stereo(kst_context *context, const kst_image *left, const kst_image *right,
    const kst_stereo_options *options, kst_image *disparity, kst_image *confidence, kst_report *report);

/**
 * A pinhole camera: a point X of the world is seen at the pixel (u ÷ w, v ÷ w), where (u, v, w) = K (R X + t), and w is
 * its depth if the last row of K is (0, 0, 1). Matrices lie row by row; numbers are finite and up to 10^6.
 */
typedef struct kst_camera {
    double k[9];
    double r[9];
    double t[3];
} kst_camera;

typedef enum kst_sweep_measure {
    KST_SWEEP_NCC = 0, /**< normalised cross-correlation: brightness and contrast of views may differ */
    KST_SWEEP_SAD = 1  /**< sums of absolute differences */
} kst_sweep_measure;

/** Says how kst_filter_sweep() looks for depths. kst_filter_sweep_options_init() sets the usual values. */
typedef struct kst_sweep_options {
    size_t size;
    double nearest;  /**< the least depth in units of t; must be set, 10^−6 or more */
    double farthest; /**< the greatest depth; must be set, above `nearest`, up to 10^6 and up to 10^6 × nearest */
    double unit;     /**< the depth that a sample of 1 stands for, farthest ÷ 65535 or more; 0: farthest ÷ 65535 */
    uint32_t planes; /**< depths that are tried, 2–256 (64), whose inverses are equally spaced */
    uint32_t radius; /**< radius of the windows, 1–4 (2), which have (2 radius + 1)² pixels */
    kst_sweep_measure measure;
    uint32_t similar;  /**< how similar a view must be to agree, 1–255 (100) */
    uint32_t agreeing; /**< number of views that must agree, 1–31 (2); views − 1 at most */
} kst_sweep_options;

/** Set every member to its usual value; the range of depths is still to be set. */
KST_API void kst_filter_sweep_options_init(kst_sweep_options *options);

/**
 * Find the depth of each pixel of a view by sweeping a plane through a scene that calibrated cameras see:
 * docs/filters.md describes the arithmetic, in integers, which gives the same result on every device and tier and for
 * any number of threads. If any image lies in device memory, the context's GPU does the work, otherwise its threads.
 * The call returns when all is done. Thread-safe.
 *
 * For each pixel and plane the work takes 2 bytes of the limit on memory, or on a GPU 2 bytes of the device's memory.
 *
 * @param view borrowed images, as `from` of kst_filter_run(), but interleaved, of any sizes up to 65,535 pixels on a
 * side
 * @param camera one for each view
 * @param count of views, 2–32
 * @param reference the view that gets depths
 * @param options borrowed
 * @param depth GREY of 16 bits and the size of the reference view: depths in units, or 0 where none is known. Made, or
 *        checked, as `to` of kst_filter_run()
 * @param confidence null, or an image as `depth`, but of 8 bits: how similar the views are on average, 0 where no depth
 *        is known
 * @param report null, or receives the status, the reason, the threads, and the time as that of KST_STAGE_PIXELS
 * @return KST_OK, KST_ERROR_OPTIONS (a value out of its range, a camera that cannot be), or one of the errors of
 *         kst_filter_run(). After an error an image that the library was to allocate is as before
 */
KST_API kst_status kst_filter_sweep(kst_context *context, const kst_image *const *view, const kst_camera *camera,
    uint32_t count, uint32_t reference, const kst_sweep_options *options, kst_image *depth, kst_image *confidence,
    kst_report *report);

/** Says what Y, Cb and Cr mean. kst_filter_ycbcr_options_init() sets the usual values. */
typedef struct kst_ycbcr_options {
    size_t size;
    uint8_t matrix; /**< the matrix, by its number in Rec. ITU-T H.273: 1 (BT.709), 5 or 6 (BT.601) or 9 (BT.2020); 0
                         and 2, by which it is not known, count as BT.601 (5) */
    bool limited;   /**< planes have the limited range: with 8 bits 16–235 in luma and 16–240 in chroma (false) */
} kst_ycbcr_options;

/** Set every member to its usual value. */
KST_API void kst_filter_ycbcr_options_init(kst_ycbcr_options *options);

/**
 * Convert images from planes of Y, Cb and Cr (KST_FORMAT_RAW with three planes) to KST_FORMAT_RGB, or from RGB to such
 * planes, all of 8–16 bits without a sign. Planes of chroma may be smaller than luma: they are enlarged bilinearly, and
 * a sample lies in the middle of the pixels that it stands for. Made of RGB, all planes have the size of the picture.
 * Samples are sums of integers in units of 2^−16, rounded to nearest, which are the same on every device and tier and
 * for any number of threads. If `from` or `to` of an image lies in device memory, the context's GPU converts it,
 * together with others; otherwise the context's threads do. The call returns when all is done. An image that fails
 * disturbs no other. Thread-safe.
 *
 * @param items `from` borrowed; `to` as for kst_filter_run()
 * @param options null: the usual values
 * @return KST_OK, KST_ERROR_ARGUMENT, or the status of the first image that failed: KST_ERROR_OPTIONS (another matrix),
 *         KST_ERROR_IMAGE_FORMAT (neither RGB nor three planes), KST_ERROR_IMAGE_DEPTH, KST_ERROR_IMAGE_SIZE (chroma
 *         that is larger than luma), or one of the other errors of kst_filter_run()
 */
KST_API kst_status kst_filter_ycbcr(
    kst_context *context, kst_filter_item *items, size_t count, const kst_ycbcr_options *options);

#ifdef __cplusplus
}
#endif

#endif
