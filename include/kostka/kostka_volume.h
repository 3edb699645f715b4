/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_VOLUME_H
#define KOSTKA_VOLUME_H

/**
 * @file
 * Declares volumes: arrays of three dimensions, coded as one JPEG 2000 codestream with a wavelet along z (the multiple
 * component transform of ITU-T T.801). Programs that use them include this header themselves.
 */

#include <kostka/kostka_context.h>
#include <kostka/kostka_encode.h>
#include <kostka/kostka_image.h>
#include <kostka/kostka_j2k.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Samples in three dimensions, slice after slice from z = 0 on, rows of a slice from the top. It owns nothing unless
 * kst_volume_allocate(), or decoding, made the buffer.
 */
typedef struct kst_volume {
    size_t size;
    void *data;         /**< the first sample of the first row of slice 0; KST_MEMORY_OPENCL: a cl_mem, see `offset` */
    size_t pitch;       /**< bytes from row to row; 0: no padding */
    size_t slice_pitch; /**< bytes from slice to slice; 0: no padding behind the last row */
    uint32_t width;     /**< samples along x */
    uint32_t height;    /**< along y */
    uint32_t depth;     /**< along z: the number of slices */
    uint8_t bits;       /**< significant bits of a sample, 1–31; up to 8 take one byte, up to 16 two, others four */
    bool is_signed;
    uint8_t
        sample; /**< KST_SAMPLE_INTEGER, or KST_SAMPLE_FLOAT32 for numbers that are coded as integers of that type */
    kst_memory memory; /**< any but KST_MEMORY_OPENCL_IMAGE; a device's must be that of the context's device */
    void *owned;       /**< set by kst_volume_allocate(); the caller leaves it alone */
    size_t offset;     /**< KST_MEMORY_OPENCL: bytes from the start of `data` to the first sample; otherwise ignored */
} kst_volume;

/** Zero everything and set `size`. */
KST_API void kst_volume_init(kst_volume *volume);

/**
 * Allocate the buffer of a volume whose width, height, depth, bits and is_signed are set, in memory of the kind
 * `memory`. Rows are without padding; in pinned and in device memory a slice begins at a multiple of 64 bytes.
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_IMAGE_SIZE (an empty one), KST_ERROR_IMAGE_DEPTH,
 *         KST_ERROR_IMAGE_SAMPLE, KST_ERROR_IMAGE_MEMORY (not of the context's device), KST_ERROR_LIMIT_MEMORY,
 *         KST_ERROR_MEMORY or KST_ERROR_DEVICE_FAILED
 */
KST_API kst_status kst_volume_allocate(kst_context *context, kst_volume *volume);

/**
 * Free what was allocated for the volume, and clear `data`. A volume that owns nothing is allowed. No work on device
 * memory may be in flight, not even the caller's.
 */
KST_API void kst_volume_release(kst_context *context, kst_volume *volume);

/** A box of a volume; all sizes 0 mean the whole. */
typedef struct kst_box {
    uint32_t x;
    uint32_t y;
    uint32_t z;
    uint32_t width;
    uint32_t height;
    uint32_t depth;
} kst_box;

/**
 * Stands for a number of levels along z that suits the content: 2 if coding is lossless, 3 if it is lossy, fewer for
 * few slices.
 */
#define KST_Z_LEVELS_AUTO UINT32_MAX

/**
 * Stands for a number of levels across a slice that suits its size, for kst_volume_options.jpeg2000.levels alone: 2 to
 * 5, the fewest with which neither side of the lowest band is longer than 32 samples, or 5 if none suffices. With more
 * levels, the packets of many small slices take more bytes than the levels save.
 */
#define KST_LEVELS_AUTO UINT32_MAX

typedef struct kst_volume_options {
    size_t size;
    uint32_t z_levels; /**< levels of the wavelet along z, 0–32; default KST_Z_LEVELS_AUTO */
    /**
     * How the transformed slices are coded. Targets are those of the whole volume: KST_J2K_RATE counts bits for each
     * sample. Default: lossless, KST_LEVELS_AUTO, CPRL with PLT, so that a decoder can read the packets of some slices
     * only. Always a bare codestream. Profiles, components of their own, regions of interest, weights and
     * KST_J2K_QUALITY do not go with it.
     */
    kst_j2k_options jpeg2000;
    const kst_progress *progress; /**< null, or called while encoding */
    /**
     * These two turn samples of KST_SAMPLE_FLOAT32 into the integers of kst_volume.bits bits that are coded. Such an
     * integer is the whole number nearest to (sample − offset) × (1 ÷ scale), ties to even, clamped to the integers'
     * range; each operation is rounded to single precision. Decoding with the same scale and offset undoes this. A
     * sample that is not finite ends the encoding with KST_ERROR_IMAGE_SAMPLE, and the report names its place. Both
     * members must be finite, and scale from 2^−126 to 2^126; its default is 1.
     */
    float scale;
    float offset;
    /**
     * This is the most by which a decoded sample may differ from its sample of KST_SAMPLE_FLOAT32, in single precision.
     * The default, 0, allows any difference. A value above 0 goes with KST_J2K_LOSSLESS alone, because each sample is
     * compared with the value that its integer stands for. A sample that is farther away, because there are too few
     * bits or the scale is too large, ends the encoding like one that is not finite.
     */
    float error;
} kst_volume_options;

KST_API void kst_volume_options_init(kst_volume_options *options);

/**
 * Encode a volume as one codestream. The context's GPU, if any, encodes to the same bytes as the CPU. Takes memory for
 * one more copy of the volume in 32 bits. Thread-safe.
 *
 * @param volume in any memory; at most 16,000 slices; integers of up to 28 bits, or numbers that are coded as such
 * @param options null for the defaults
 * @param output see kst_buffer
 * @param report null, or with its size set
 * @return KST_OK or the error
 */
KST_API kst_status kst_encode_volume(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report);

/** A volume of a batch, such as a brick of a larger array: its part of that array, with the array's pitches. */
typedef struct kst_volume_encode_item {
    const kst_volume *volume;          /**< as for kst_encode_volume() */
    const kst_volume_options *options; /**< null for the defaults */
    kst_buffer output;                 /**< see kst_buffer */
    kst_report report;                 /**< its status is that of this item; its size is set by the call */
} kst_volume_encode_item;

/**
 * Encode many volumes, each to the bytes of kst_encode_volume(). The context's GPU encodes those that it supports, many
 * in each launch, while the context's threads write others; threads share the rest. A volume that cannot be encoded, or
 * whose progress function ends it, does not affect the others. The call waits for the end. Thread-safe.
 *
 * @return KST_OK if every item succeeded, otherwise the status of the first that did not
 */
KST_API kst_status kst_encode_volumes(kst_context *context, kst_volume_encode_item *items, size_t count);

typedef struct kst_volume_decode_options {
    size_t size;
    uint32_t reduce;   /**< decode at 1/2^reduce of the width and height, rounded up */
    uint32_t reduce_z; /**< decode at 1/2^reduce_z of the depth, rounded up; at most kst_volume_info.z_levels */
    kst_box region;    /**< in samples of the reduced volume; only what it needs is decoded */
    uint32_t layers;   /**< decode at most this many layers; 0: all */
    bool strict;       /**< the first warning ends the decoding with that warning as its status */
    uint8_t sample;    /**< KST_SAMPLE_INTEGER, or KST_SAMPLE_FLOAT32: (integer × scale) + offset */
    float scale;       /**< finite; 1 by default. The integer is converted to single precision first */
    float offset;      /**< finite; 0 by default. Each operation is rounded to single precision */
    const kst_progress *progress; /**< null, or called while decoding */
} kst_volume_decode_options;

KST_API void kst_volume_decode_options_init(kst_volume_decode_options *options);

/** Holds what a codestream says about its volume. */
typedef struct kst_volume_info {
    size_t size;
    uint32_t width;
    uint32_t height;
    uint32_t depth; /**< number of slices */
    uint8_t bits;
    bool is_signed;
    bool has_wavelet;  /**< one over all slices; false: each is coded separately, or there are other transforms */
    bool reversible;   /**< 5/3, otherwise 9/7 */
    uint32_t levels;   /**< across a slice */
    uint32_t z_levels; /**< along z; 0 without a wavelet */
    uint32_t z_origin; /**< the coordinate of slice 0 along z, whose parity the wavelet needs */
    uint32_t layers;
    uint32_t tiles;
    uint32_t block_style; /**< kst_j2k_style */
} kst_volume_info;

/**
 * Describe the volume that kst_decode_volume() would make, without a buffer, and the codestream.
 *
 * @param options null for the defaults
 * @param volume null, or receives size and sample type
 * @param info null, or with its size set
 * @param report null, or with its size set
 * @return as for kst_decode_volume()
 */
KST_API kst_status kst_describe_volume(kst_context *context, const void *data, size_t length,
    const kst_volume_decode_options *options, kst_volume *volume, kst_volume_info *info, kst_report *report);

/**
 * Decode a volume: a codestream of T.801 with a wavelet along z over all components, or with other stages of wavelets
 * and arrays, of which tiles may have their own, or any codestream whose components are separately coded slices of one
 * size. If slices differ in depth or sign, the volume has the least type that holds the samples of all, up to 31 bits,
 * and values stay as they are. A GPU decodes a volume if it has the memory, no tile is missing or has RCT or ICT, and
 * slices that differ come from a transform; otherwise the CPU does, as the report says. kst_decode() gives the slices
 * as components of a picture, each with its own type. Thread-safe.
 *
 * @param volume if `data` is null, the library describes the volume and allocates it in memory of the kind `memory`;
 *        otherwise width, height, depth, bits and is_signed must be those of kst_describe_volume(), with any pitches.
 *        In device memory it holds its samples when the function returns
 * @return KST_OK, perhaps with warnings in the report; KST_ERROR_SIGNATURE (not JPEG 2000), KST_ERROR_IMAGE_SIZE or
 *         KST_ERROR_IMAGE_DEPTH (slices that are subsampled or too deep, or a volume that is not as described),
 *         KST_ERROR_REGION, KST_ERROR_J2K_REDUCE, KST_ERROR_J2K_EXTENSION (a transform that is not supported, which the
 *         report names), KST_ERROR_J2K_MULTI or another error of kst_decode(), after which the contents of a caller's
 *         buffer are undefined
 */
KST_API kst_status kst_decode_volume(kst_context *context, const void *data, size_t length,
    const kst_volume_decode_options *options, kst_volume *volume, kst_report *report);

/** A volume of a batch, such as a brick of a larger array: its part of that array, with the array's pitches. */
typedef struct kst_volume_item {
    const void *data;
    size_t length;
    const kst_volume_decode_options *options; /**< null for the defaults; each may have its own progress */
    kst_volume *volume;                       /**< as for kst_decode_volume() */
    kst_report report;                        /**< its status is that of this item; its size is set by the call */
} kst_volume_item;

/**
 * Decode many volumes. The context's GPU decodes those that it supports, many in each launch, while the context's
 * threads read the packets of others; the CPU decodes the rest, as many at a time as the context has threads and the
 * limit on memory has room for. A bad stream does not affect the others, nor does a volume whose progress function ends
 * it; a device that fails may. Several threads may call the progress functions of several volumes at the same time.
 * That of a volume that a GPU decodes is called at the beginning and at the end only. Volumes that overlap are not
 * allowed. The call waits for the end. Thread-safe.
 *
 * @return KST_OK if every item succeeded, otherwise the status of the first that did not
 */
KST_API kst_status kst_decode_volumes(kst_context *context, kst_volume_item *items, size_t count);

#ifdef __cplusplus
}
#endif

#endif
