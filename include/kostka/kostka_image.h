/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_IMAGE_H
#define KOSTKA_IMAGE_H

/**
 * @file
 * Declares images, which describe pixels in memory. kostka.h includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** See kst_context_create(). */
typedef struct kst_context kst_context;

/**
 * Says how samples are arranged. Interleaved formats have one plane, whose rows hold the channels of each pixel in
 * turn.
 */
typedef enum kst_format {
    KST_FORMAT_AUTO =
        0, /**< decoding only: GREY, RGB or CMYK, whichever the stream holds; PLANAR for two components. JPEG 2000 gives
              RGBA for a picture with alpha, and RAW if the components differ in size or depth or have more than 16
              bits. All channels but the first may be smaller than it, as chroma often is: the pixel at (x, y) of the
              reduced reference grid takes sample ⌊x ÷ XRsiz⌋ of row ⌊y ÷ YRsiz⌋, or the nearest one that exists, so
              that it is the same in every region and tile */
    KST_FORMAT_GREY = 1,
    KST_FORMAT_RGB = 2,
    KST_FORMAT_BGR = 3,
    KST_FORMAT_RGBA = 4, /**< alpha is ignored by codecs without it, and set to `alpha` when decoding */
    KST_FORMAT_BGRA = 5,
    KST_FORMAT_CMYK = 6, /**< unchanged from the file: in Adobe's JPEG files 255 means no ink, in JP2 files (T.801 Table
                            M.25) 0 does */
    KST_FORMAT_PLANAR =
        7, /**< one full-size plane for each channel, after colour conversion: grey; R, G, B; or C, M, Y, K */
    KST_FORMAT_RAW = 8 /**< one plane for each component as coded, without colour conversion or resampling. JPEG 2000:
                          any number of planes, after the inverse component transform */
} kst_format;

typedef enum kst_colour {
    KST_COLOUR_UNKNOWN = 0,
    KST_COLOUR_GREY = 1,
    KST_COLOUR_RGB = 2,
    KST_COLOUR_YCBCR = 3, /**< BT.601, full range (T.871) */
    KST_COLOUR_CMYK = 4,
    KST_COLOUR_YCCK = 5
} kst_colour;

/**
 * Colours by the code points of ITU-T H.273, as a JPH file can name them (T.814 Annex D): the numbers of its tables of
 * colour primaries, transfer characteristics and matrix coefficients.
 */
typedef struct kst_code_points {
    bool present; /**< false: the other members are 0 */
    bool full_range;
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
} kst_code_points;

/** Says what kind of memory holds the samples; kostka_device.h describes all kinds but the first. */
typedef enum kst_memory {
    KST_MEMORY_HOST = 0,
    KST_MEMORY_PINNED =
        1, /**< host memory that the device copies from and to directly; the CPU treats it as host memory */
    KST_MEMORY_CUDA = 2,        /**< `data` is a CUDA device pointer */
    KST_MEMORY_OPENCL = 3,      /**< `data` is a cl_mem that is a buffer */
    KST_MEMORY_OPENCL_IMAGE = 4 /**< `data` is a cl_mem that is an image of two dimensions */
} kst_memory;

/** Says what kind of number a sample is. */
typedef enum kst_sample {
    KST_SAMPLE_INTEGER = 0,
    KST_SAMPLE_FLOAT16 = 1, /**< IEEE 754 binary16, in two bytes; decoding only */
    KST_SAMPLE_FLOAT32 = 2, /**< binary32, in four bytes; decoding only */
    KST_SAMPLE_INT32 = 3    /**< an integer of any depth in four bytes, with its sign; only to decode JPEG 2000 to
                               KST_FORMAT_RAW */
} kst_sample;

/**
 * One plane of samples. An integer of up to 8 bits takes one byte, of up to 16 bits two, and of up to 31 bits, which
 * only JPEG 2000 has, four. All numbers are in the machine's byte order; addresses, pitches and offsets are multiples
 * of a number's length.
 */
typedef struct kst_plane {
    void *data;      /**< the first sample of the first row; with a negative pitch that row is the highest in memory */
    ptrdiff_t pitch; /**< bytes from one row to the next */
    uint32_t width;  /**< samples in a row, not counting channels */
    uint32_t height;
    uint8_t depth; /**< significant bits of an integer, 1–31 (0 stands for 8); otherwise ignored */
    bool is_signed;
    uint8_t sample; /**< a kst_sample, the same for all planes */
    uint8_t reserved;
    size_t offset; /**< KST_MEMORY_OPENCL: bytes from the start of `data` to the first sample; otherwise ignored */
} kst_plane;

/** Describes pixels. It owns nothing unless kst_image_allocate() made the buffers. */
typedef struct kst_image {
    size_t size;
    kst_format format;
    kst_colour colour; /**< of the samples in memory; to encode KST_FORMAT_RAW it says what the components
                            are; of a bare JPEG 2000 codestream, the first three of them */
    kst_memory memory;
    uint32_t width; /**< width of the picture in pixels */
    uint32_t height;
    uint32_t plane_count;
    kst_plane plane[4];    /**< the first four planes */
    const kst_plane *more; /**< planes 4 and up, the caller's or the decoder's; in host memory and of JPEG 2000 only */
    void *owned;           /**< set by kst_image_allocate(); the caller leaves it alone */
} kst_image;

/** Zero everything and set `size`. */
KST_API void kst_image_init(kst_image *image);

/** Return plane `index`, from `plane` or `more`; null if there is none. */
KST_API const kst_plane *kst_image_plane(const kst_image *image, uint32_t index);

/** Return the number of channels of an interleaved format (1, 3 or 4); 0 for other formats. */
KST_API uint32_t kst_format_channels(kst_format format);

/**
 * Describe the caller's 8-bit interleaved pixels. @param pitch bytes from row to row; 0: no padding
 * @return KST_OK, KST_ERROR_ARGUMENT or KST_ERROR_IMAGE_FORMAT (PLANAR, RAW or AUTO)
 */
KST_API kst_status kst_image_wrap(
    kst_image *image, kst_format format, uint32_t width, uint32_t height, void *data, ptrdiff_t pitch);

/**
 * Allocate buffers for an image in memory of the kind `memory`. The caller has set its format, width, height and (for
 * PLANAR and RAW) planes. Rows are 64-byte aligned. With more than four planes, the image gets its own copy of `more`.
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_MEMORY (not of the
 *         context's device), KST_ERROR_LIMIT_MEMORY, KST_ERROR_MEMORY or KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_image_allocate(kst_context *context, kst_image *image);

/**
 * Free what kst_image_allocate(), or decoding to an image without buffers, allocated, and clear the planes' pointers
 * and `more`. No work on the device memory may be in flight, not even the caller's.
 */
KST_API void kst_image_release(kst_context *context, kst_image *image);

/**
 * Describes pictures of one size that lie next to each other, as machine-learning models take them: (count, height,
 * width, channels) with an interleaved format, (count, channels, height, width) with KST_FORMAT_PLANAR. It owns
 * nothing. Steps are in bytes; a step of 0 leaves no gap.
 */
typedef struct kst_tensor {
    size_t size;
    void *data;    /**< the first sample, as kst_plane.data */
    size_t offset; /**< KST_MEMORY_OPENCL: as kst_plane.offset */
    kst_memory memory;
    kst_format format;
    kst_sample sample; /**< integers have 8 bits */
    uint32_t count;    /**< number of pictures */
    uint32_t channels; /**< 1–4 with KST_FORMAT_PLANAR; otherwise 0, or as the format has */
    uint32_t height;
    uint32_t width;
    size_t pitch;        /**< from row to row */
    size_t plane_step;   /**< from channel to channel, with KST_FORMAT_PLANAR */
    size_t picture_step; /**< from picture to picture: the batch's stride */
} kst_tensor;

/** Zero everything and set `size`. */
KST_API void kst_tensor_init(kst_tensor *tensor);

/**
 * Describe one of the pictures as an image, to decode to or to encode from. Decoding a stream of another size or with
 * other channels to it fails with KST_ERROR_IMAGE_SIZE or KST_ERROR_IMAGE_FORMAT.
 * @return KST_OK, KST_ERROR_ARGUMENT (no tensor, data or image, or no picture of this index), KST_ERROR_OPTIONS (size),
 *         KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SIZE (no pixels, or channels that do not fit the format),
 *         KST_ERROR_IMAGE_SAMPLE or KST_ERROR_IMAGE_PITCH (rows, planes or pictures that overlap or leave the address
 *         space)
 */
KST_API kst_status kst_tensor_image(const kst_tensor *tensor, uint32_t index, kst_image *image);

typedef struct kst_comparison {
    size_t size;
    bool identical;
    uint64_t samples;   /**< number of samples compared */
    uint64_t differing; /**< number of samples that are not equal */
    uint32_t max_error;
    double mean_error; /**< mean absolute error */
    double mean_square_error;
    double psnr; /**< decibels, relative to the full range of the depth; HUGE_VAL where identical */
} kst_comparison;

/**
 * Compare two host images of integers, of the same format, size and depth. @return KST_OK, KST_ERROR_ARGUMENT,
 * KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_DEPTH, KST_ERROR_IMAGE_SAMPLE or KST_ERROR_IMAGE_MEMORY
 */
KST_API kst_status kst_compare(const kst_image *a, const kst_image *b, kst_comparison *comparison);

/** Names a rectangle of a picture, in pixels. */
typedef struct kst_region {
    uint32_t x;
    uint32_t y;
    uint32_t width; /**< 0, together with a height of 0, means the whole picture */
    uint32_t height;
} kst_region;

#ifdef __cplusplus
}
#endif

#endif
