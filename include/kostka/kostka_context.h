/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_CONTEXT_H
#define KOSTKA_CONTEXT_H

/**
 * @file
 * What all work needs and tells: contexts, devices, reports, progress; kostka.h includes this.
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

/** The caller's allocator. Both functions may be called from several threads at once. */
typedef struct kst_allocator {
    void *(*allocate)(void *user, size_t length); /**< as malloc; null where there is no memory */
    void (*release)(void *user, void *memory);    /**< as free; never called with null */
    void *user;
} kst_allocator;

typedef enum kst_log_level { KST_LOG_NONE = 0, KST_LOG_ERROR = 1, KST_LOG_WARNING = 2, KST_LOG_INFO = 3 } kst_log_level;

/** The caller's log. Called with one complete line without newline, possibly from several threads at once. */
typedef struct kst_log {
    void (*write)(void *user, kst_log_level level, const char *line); /**< null: no log */
    void *user;
    kst_log_level level; /**< lines above this level are not made */
} kst_log;

/** Limits on one operation. 0 stands for the default given; UINT64_MAX or UINT32_MAX means none. */
typedef struct kst_limits {
    uint64_t pixels;   /**< width × height of the coded picture; default 2^29 */
    uint64_t memory;   /**< bytes the library allocates for one operation; default 4 GiB */
    uint64_t metadata; /**< bytes of metadata kept from one stream; default 64 MiB */
    uint32_t scans;    /**< scans of one JPEG stream; default 500 */
    uint32_t markers;  /**< marker segments of one JPEG stream, restart markers not counted, or of one header in a JPEG
                            2000 codestream; default 10,000 */
    uint32_t components; /**< of a JPEG 2000 picture; default 16,384 */
    uint32_t tiles;      /**< of a JPEG 2000 picture; default 65,535 */
    uint32_t precincts;  /**< of all tiles of a JPEG 2000 picture, and as many resolutions of tiles; default 2^22 */
    uint32_t boxes;      /**< of a JP2 file; default 10,000 */
    uint32_t tile_parts; /**< of a JPEG 2000 codestream; default 2^20 */
    uint32_t layers;     /**< of any tile of a JPEG 2000 picture; default 65,535 */
    uint32_t blocks;     /**< code-blocks of a JPEG 2000 picture: those that are decoded, or all where it is encoded or
                              transcoded; default 2^24 */
    /**
     * What one byte of a JPEG 2000 codestream may ask for beyond what any codestream, or a picture of so many samples,
     * may; default 2^16. So many samples of the picture beyond 2^27, where a row counts as 64 in each tile at least;
     * and of other work the part of it that stands behind the sum:
     * - samples visited by coding passes: 2^26, and of each sample three passes for each bit of its depth and two
     *   planes more; a 2^8th;
     * - segments of code-blocks, as packets bring them: 2^18, and one of 64 samples; three 2^18ths;
     * - precincts, and as many resolutions of tiles: 2^16, and one of 256 samples; a 2^21st;
     * - turns of the order of packets that bring none, or a lost one: 2^24; a 2^10th;
     * - code-blocks to transcode: 2^19, and one of 64 samples; a 2^17th; and these times layers: 2^25; a 2^11th.
     *
     * With the default limits one core therefore takes for any codestream no more time than for a picture of as many
     * samples that are noise, coded without loss, and about a second for each megabyte; and no more memory than for
     * that picture and 64 MB for each megabyte. Streams with less in a megabyte than that are refused with
     * KST_ERROR_LIMIT_WORK, KST_ERROR_LIMIT_PRECINCTS or KST_ERROR_LIMIT_BLOCKS; a larger limit is the caller's choice.
     */
    uint32_t work;
} kst_limits;

#define KST_KEEP_NONE UINT64_MAX

typedef struct kst_context_options {
    size_t size;
    /**
     * "cpu", "cuda", "cuda:1", "opencl:0" …; "auto": CUDA, else a GPU with OpenCL, else the CPU. With "auto" the GPU is
     * opened when it is needed (images in its memory) or there is enough work for it, and small pictures stay on the
     * CPU. Null: KOSTKA_DEVICE, else "auto"; with `opencl_context` it is null or "opencl".
     */
    const char *device;
    const char *cpu; /**< the highest tier: "c", "sse2", "avx2", "avx512", "neon"; null: KOSTKA_CPU, else all */
    /**
     * Threads to work on, the caller's among them; 0: KOSTKA_THREADS, else one per processor. Two and more also decode
     * the longest code-blocks of few JPEG 2000 pictures while a GPU decodes the others.
     */
    uint32_t threads;
    kst_allocator allocator; /**< both functions null: malloc and free */
    kst_log log;
    kst_limits limits;
    void *opencl_context; /**< a cl_context to work in, so that its buffers can be shared; null: one of its own */
    void *opencl_device;  /**< the cl_device_id of it to work on; null where `opencl_context` is, and only there */
    /**
     * How many bytes of released buffers of 1 MiB and more, images' among them, the context keeps for the next
     * operations, whose pages then are there already. 0: 256 MiB, but no more than `limits.memory`; KST_KEEP_NONE:
     * none. An operation that takes one counts it in its own memory. With the caller's allocator nothing is kept.
     */
    uint64_t keep;
} kst_context_options;

/** Set every member to its default. */
KST_API void kst_context_options_init(kst_context_options *options);

/**
 * Make a context. Its threads are started when there is work for them (none where `threads` is 1), or as many of them
 * as the system lets there be.
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
    char model[128]; /**< the maker's name for it */
    char tier[16];   /**< CPU: the highest instruction tier in use; otherwise the driver's version */
    uint32_t units;  /**< CPU: processors available to this process; GPU: multiprocessors or compute units */
    uint64_t memory; /**< bytes of device memory; 0 for the CPU */
} kst_device_info;

/** How many devices there are; the CPU is number 0. Thread-safe. */
KST_API uint32_t kst_device_count(void);

/** Describe device `index`; `info->size` must be set. @return KST_OK, KST_ERROR_ARGUMENT or KST_ERROR_DEVICE_MISSING */
KST_API kst_status kst_device_get(uint32_t index, kst_device_info *info);

/** The device that a context works on; with "auto" the CPU until a GPU was opened. @return KST_OK, KST_ERROR_ARGUMENT
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
    KST_STAGE_COUNT = 6
} kst_stage;

/** What an operation did. Every member is set by the operation, whether it succeeds or fails, except `size`. */
typedef struct kst_report {
    size_t size;
    kst_status status;
    uint64_t offset;               /**< byte offset in the input that the status is about; UINT64_MAX: none */
    uint64_t warnings;             /**< how many warnings there were */
    kst_status first_warning;      /**< KST_OK where there was none */
    uint64_t first_warning_offset; /**< as `offset` */
    char message[192];             /**< one line for people: the error, else the first warning, else empty */
    char device[16];               /**< the device's name; with "auto" of the one that did the work */
    kst_device_kind stage_device[KST_STAGE_COUNT]; /**< where each stage ran; KST_DEVICE_NONE: it was not needed */
    double stage_seconds[KST_STAGE_COUNT]; /**< wall-clock time; of what a GPU did in a batch, a picture's share */
    uint32_t threads;                      /**< the largest number of threads that worked at once */
} kst_report;

/** Zero everything and set `size`. */
KST_API void kst_report_init(kst_report *report);

/** @} */
/** @name Progress
 * @{ */

/**
 * Is told how far work on a picture has come, and may end it. JPEG 2000 is told of by the code-block, on a GPU by the
 * strip or part of a picture that does not fit, else once all is coded there, and transcoded at the beginning and the
 * end alone. JPEG is told of on the CPU by the MCU row, of progressive coding by the scan, while it is encoded,
 * transcoded or its coefficients are decoded; else at the beginning and the end alone.
 */
typedef struct kst_progress {
    size_t size;
    /**
     * `done` is 0 at first, never less than before, and 1 at last if nothing fails. Called by any of the context's
     * threads, but of a picture by one at a time; it should return soon.
     * @return false to end the work soon with KST_ERROR_CANCELLED; of no effect when all is done
     */
    bool (*told)(void *user, double done);
    void *user;
} kst_progress;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
