/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_CONTEXT_H
#define KOSTKA_CONTEXT_H

/**
 * @file
 * Declares what every operation uses: contexts, devices, reports and progress. kostka.h includes this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_image.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Context
 * @{ */

/** The caller's allocator. The library may call both functions from several threads at once. */
typedef struct kst_allocator {
    void *(*allocate)(void *user, size_t length); /**< as malloc; null where there is no memory */
    void (*release)(void *user, void *memory);    /**< as free; never called with null */
    void *user;
} kst_allocator;

typedef enum kst_log_level { KST_LOG_NONE = 0, KST_LOG_ERROR = 1, KST_LOG_WARNING = 2, KST_LOG_INFO = 3 } kst_log_level;

/** The caller's log. It is called with one complete line without a newline, possibly from several threads at once. */
typedef struct kst_log {
    void (*write)(void *user, kst_log_level level, const char *line); /**< null: no log */
    void *user;
    kst_log_level level; /**< lines above this level are not composed */
} kst_log;

/** Limits on one operation. 0 stands for the default stated here; UINT64_MAX or UINT32_MAX means no limit. */
typedef struct kst_limits {
    uint64_t pixels; /**< width × height of the coded picture; default 2^29 */
    /**
     * Bytes the library allocates for one operation; default 4 GiB. Each thread takes memory of its own when it finds
     * work. An operation of several threads that comes within some 512 KB per thread of the limit may therefore succeed
     * in one call and fail with KST_ERROR_LIMIT_MEMORY in the next. Whenever it succeeds, its result is the same. With
     * one thread every call behaves alike.
     */
    uint64_t memory;
    uint64_t metadata; /**< bytes of metadata kept from one stream; default 64 MiB */
    uint32_t scans;    /**< scans of one JPEG stream; default 500 */
    uint32_t markers;  /**< marker segments of one JPEG stream, restart markers not counted, or of one header in a JPEG
                            2000 codestream; default 10,000 */
    uint32_t components; /**< of a JPEG 2000 picture; default 16,384 */
    uint32_t tiles;      /**< of a JPEG 2000 picture; default 65,535 */
    uint32_t precincts; /**< precincts of all tiles of a JPEG 2000 picture; also the limit on the resolutions of all its
                           tiles; default 2^22 */
    uint32_t boxes;     /**< of a JP2 file; default 10,000 */
    uint32_t tile_parts; /**< of a JPEG 2000 codestream; default 2^20 */
    uint32_t layers;     /**< of any tile of a JPEG 2000 picture; default 65,535 */
    uint32_t blocks;     /**< code-blocks of a JPEG 2000 picture: those that are decoded, or all where it is encoded or
                              transcoded; default 2^24 */
    /**
     * The work that a JPEG 2000 codestream may ask for with each of its bytes; default 2^16. A few bytes of headers can
     * describe a picture of any size, so the work is bounded by the length of the codestream. The picture may have 2^27
     * samples and `work` more for each byte, where a row of a tile counts as at least 64 samples. Every other kind of
     * work may come to a constant, plus a term for the picture's samples, plus a fraction of `work` for each byte:
     * - samples visited by coding passes: 2^26, plus for each sample three passes for each bit of its depth and for two
     *   more planes, plus `work` ÷ 2^8 a byte;
     * - contributions of packets to segments of code-blocks: 2^18, plus one for 64 samples, plus 3 × `work` ÷ 2^18 a
     *   byte;
     * - precincts, and separately resolutions of tiles: 2^16, plus one for 256 samples, plus `work` ÷ 2^21 a byte;
     * - steps through the progression order that yield no packet, or a lost one: 2^24, plus `work` ÷ 2^10 a byte;
     * - code-blocks to transcode: 2^19, plus one for 64 samples, plus `work` ÷ 2^17 a byte; and the product of the
     *   numbers of code-blocks and layers: 2^25, plus `work` ÷ 2^11 a byte.
     *
     * With the default limits one core therefore takes no longer for any codestream than for losslessly coded noise
     * with the same number of samples, plus about a second for each megabyte of the codestream; and it needs no more
     * memory than for that noise, plus 64 MB for each megabyte. Streams that ask for more are refused with
     * KST_ERROR_LIMIT_WORK, KST_ERROR_LIMIT_PRECINCTS or KST_ERROR_LIMIT_BLOCKS. The caller may choose a larger limit.
     */
    uint32_t work;
} kst_limits;

#define KST_KEEP_NONE UINT64_MAX

/**
 * A function to which the library reports the bytes of a JPEG stream that it has searched, some 4 MiB at a time. The
 * library does not read these bytes again before it has searched the same amount once more. A caller that has mapped a
 * file can drop the pages of these bytes (madvise() with MADV_DONTNEED), so that opening a long stream does not make
 * all of it resident. Only streams of several MiB are reported, from any thread that works on them.
 */
typedef struct kst_searched {
    void (*searched)(void *user, const void *data, size_t length); /**< null: nothing is reported */
    void *user;
} kst_searched;

typedef struct kst_context_options {
    size_t size;
    /**
     * The device to work on: "cpu", "cuda", "cuda:1", "opencl:0" …; or "auto", which takes CUDA, else a GPU with
     * OpenCL, else the CPU. With "auto" the GPU is opened when it is needed (images in its memory) or there is enough
     * work for it, and small pictures stay on the CPU. Null takes the environment variable KOSTKA_DEVICE, else "auto".
     * With `opencl_context` it must be null or "opencl".
     */
    const char *device;
    const char *cpu; /**< the highest tier: "c", "sse2", "avx2", "avx512", "neon"; null: KOSTKA_CPU, else all */
    /**
     * The number of threads that work, the caller's included; 0 takes the environment variable KOSTKA_THREADS, else one
     * per processor. With two or more, and few JPEG 2000 pictures, they also decode the longest code-blocks while a GPU
     * decodes the others.
     */
    uint32_t threads;
    kst_allocator allocator; /**< both functions null: malloc and free */
    kst_log log;
    kst_limits limits;
    void
        *opencl_context; /**< a cl_context to work in, so that its buffers can be shared; null: the library makes one */
    void *opencl_device; /**< the device of `opencl_context` to work on, a cl_device_id; null if and only if
                            `opencl_context` is null */
    /**
     * The bytes of released buffers that the context keeps for the next operations, which then need not wait for the
     * system to map fresh pages. Buffers of 64 KiB and more are kept, those of images included. 0: 256 MiB, but no more
     * than `limits.memory`; KST_KEEP_NONE: none. An operation that takes a kept buffer counts it as its own memory.
     * With the caller's allocator nothing is kept.
     */
    uint64_t keep;
    kst_searched searched; /**< receives the bytes of long JPEG streams that have been searched; by default nothing is
                              reported */
} kst_context_options;

/** Set every member to its default. */
KST_API void kst_context_options_init(kst_context_options *options);

/**
 * Make a context. Its threads are started when there is work for them (none if `threads` is 1), as many of them as the
 * system allows.
 *
 * @param options null for the defaults
 * @param context receives the context; the caller destroys it after everything made from it. Null on failure
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, KST_ERROR_MEMORY, KST_ERROR_DEVICE_NAME,
 *         KST_ERROR_DEVICE_MISSING, KST_ERROR_DEVICE_FAILED (the log says why) or KST_ERROR_CPU_TIER
 *
 * A context may be used from any number of threads at once. After fork() the child must not use its parent's contexts.
 */
KST_API kst_status kst_context_create(const kst_context_options *options, kst_context **context);

/** Free the buffers that the context keeps for later operations (kst_context_options.keep). Thread-safe. */
KST_API void kst_context_trim(kst_context *context);

/** Destroy a context and set the pointer to null. Null, and a pointer to null, are allowed. */
KST_API void kst_context_destroy(kst_context **context);

/** @} */
/** @name Devices
 * @{ */

typedef enum kst_device_kind {
    KST_DEVICE_NONE = 0,
    KST_DEVICE_CPU = 1,
    KST_DEVICE_CUDA = 2,
    KST_DEVICE_OPENCL = 3
} kst_device_kind;

typedef struct kst_device_info {
    size_t size;
    kst_device_kind kind;
    char name[16];   /**< what kst_context_options.device takes: "cpu", "cuda:0" … */
    char model[128]; /**< the manufacturer's name for it */
    char tier[16];   /**< CPU: the highest instruction tier in use; otherwise the driver's version */
    uint32_t units;  /**< CPU: processors available to this process; GPU: multiprocessors or compute units */
    uint64_t memory; /**< bytes of device memory; 0 for the CPU */
    bool gpu;        /**< true for a GPU; false for a processor, which OpenCL may drive, too */
} kst_device_info;

/** Return the number of devices; the CPU is number 0. Thread-safe. */
KST_API uint32_t kst_device_count(void);

/** Describe device `index`; `info->size` must be set. @return KST_OK, KST_ERROR_ARGUMENT or KST_ERROR_DEVICE_MISSING */
KST_API kst_status kst_device_get(uint32_t index, kst_device_info *info);

/**
 * Describe the device that a context works on; with "auto" that is the CPU until a GPU has been opened. @return KST_OK,
 * KST_ERROR_ARGUMENT
 */
KST_API kst_status kst_context_device(const kst_context *context, kst_device_info *info);

/** @} */
/** @name Reports
 * @{ */

typedef enum kst_stage {
    KST_STAGE_PARSE = 0,    /**< markers, tables, plan */
    KST_STAGE_ENTROPY = 1,  /**< entropy coding or decoding on its own */
    KST_STAGE_PIXELS = 2,   /**< transform, resampling, colour; and entropy coding where it runs in the same pass */
    KST_STAGE_WRITE = 3,    /**< assembling the coded stream */
    KST_STAGE_UPLOAD = 4,   /**< host to device */
    KST_STAGE_DOWNLOAD = 5, /**< device to host */
    KST_STAGE_RESIZE = 6,   /**< resizing of images */
    KST_STAGE_COUNT = 7
} kst_stage;

/** Describes what an operation did. The operation sets every member except `size`, whether it succeeds or fails. */
typedef struct kst_report {
    size_t size;
    kst_status status;
    uint64_t offset;               /**< byte offset in the input that the status is about; UINT64_MAX: none */
    uint64_t warnings;             /**< how many warnings there were */
    kst_status first_warning;      /**< KST_OK where there was none */
    uint64_t first_warning_offset; /**< as `offset` */
    char message[192];             /**< one line of plain text: the error, else the first warning, else empty */
    char device[16];               /**< the device's name; with "auto", the name of the device that did the work */
    kst_device_kind stage_device[KST_STAGE_COUNT]; /**< where each stage ran; KST_DEVICE_NONE: it was not needed */
    /**
     * Wall-clock time; for a batch on a GPU, one picture's share. If a GPU decodes a single JPEG of less than 128 KiB
     * of coded data, its stages are not timed one by one: KST_STAGE_PIXELS has the time of all of them.
     */
    double stage_seconds[KST_STAGE_COUNT];
    uint32_t threads; /**< the largest number of threads that worked at once */
} kst_report;

/** Zero everything and set `size`. */
KST_API void kst_report_init(kst_report *report);

/** @} */
/** @name Progress
 * @{ */

/**
 * A function to which the progress of the work on a picture is reported, and which may end the work. For JPEG 2000 it
 * is called after each code-block on the CPU. On a GPU it is called after each strip or part of a picture that does not
 * fit into memory at once, otherwise when everything has been coded. Transcoding calls it at the beginning and at the
 * end only. For JPEG on the CPU it is called after each MCU row, and after each scan of progressive coding, while a
 * picture is encoded or transcoded, or while its coefficients are decoded; otherwise at the beginning and at the end
 * only.
 */
typedef struct kst_progress {
    size_t size;
    /**
     * `done` starts at 0, never decreases, and ends at 1 if nothing fails. Any of the context's threads may call it,
     * but only one at a time for one picture; it should return soon.
     * @return false to end the work soon with KST_ERROR_CANCELLED; this has no effect when everything is done
     */
    bool (*told)(void *user, double done);
    void *user;
} kst_progress;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
