/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_H
#define KOSTKA_H

/**
 * @file
 * Kostka: decoding, encoding and lossless transcoding of JPEG (ITU-T T.81); decoding and encoding of JPEG 2000 (ITU-T
 * T.800).
 *
 * A context holds the device, the threads, the allocator and the limits; decoders are handles on one coded picture
 * each. Nothing here prints, aborts, installs signal handlers or keeps global state. Functions that can fail return a
 * kst_status and, where there is a kst_report, fill it with a message and the byte offset of the cause.
 *
 * Structures that may grow start with a member `size`; set them up with their initialiser (kst_…_init), then change
 * what is of interest. All lengths are in bytes, all widths and heights in samples, unless said otherwise.
 *
 * Images are described in kostka_image.h, what JPEG 2000 alone has in kostka_j2k.h; both come with this header.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kostka/kostka_image.h>
#include <kostka/kostka_j2k.h>
#include <kostka/kostka_status.h>
#include <kostka/kostka_version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Version and status
 * @{ */

/** KST_VERSION_NUMBER of the library that is running. Thread-safe. */
KST_API unsigned kst_version(void);

/** The same as text, "major.minor.patch"; a static string. Thread-safe. */
KST_API const char *kst_version_string(void);

/** The identifier of a status without its KST_ prefix, such as "ERROR_JPEG_SOI"; a static string, never null. */
KST_API const char *kst_status_name(kst_status status);

/** One sentence about a status; a static string, never null. */
KST_API const char *kst_status_text(kst_status status);

/** Whether a status is one of the warnings (200–299). */
KST_API bool kst_status_is_warning(kst_status status);

/** @} */
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
    uint32_t work; /**< what one byte of a JPEG 2000 codestream may ask for beyond what any codestream may: so many
                      samples of the picture beyond 2^27 (a row counts as 64 in each tile at least), as many samples
                      visited by coding passes beyond 2^32, and a 65536th of it in precincts, or resolutions of tiles,
                      beyond 2^18, a 64th in code-blocks to transcode beyond 2^20, a 256th in turns of the order of
                      packets that bring none beyond 2^28; default 2^16 */
} kst_limits;

typedef struct kst_context_options {
    size_t size;
    /**
     * "cpu", "cuda", "cuda:1", "opencl:0" …; "auto": CUDA, else a GPU with OpenCL, else the CPU. With "auto" the GPU is
     * opened when it is needed (images in its memory) or there is enough work for it, and small pictures stay on the
     * CPU. Null: KOSTKA_DEVICE, else "auto"; with `opencl_context` it is null or "opencl".
     */
    const char *device;
    const char *cpu;  /**< the highest tier: "c", "sse2", "avx2", "avx512", "neon"; null: KOSTKA_CPU, else all */
    uint32_t threads; /**< threads to work on, the caller's among them; 0: KOSTKA_THREADS, else one per processor */
    kst_allocator allocator; /**< both functions null: malloc and free */
    kst_log log;
    kst_limits limits;
    void *opencl_context; /**< a cl_context to work in, so that its buffers can be shared; null: one of its own */
    void *opencl_device;  /**< the cl_device_id of it to work on; null where `opencl_context` is, and only there */
} kst_context_options;

/** Set every member to its default. */
KST_API void kst_context_options_init(kst_context_options *options);

/**
 * Make a context. Starts its threads (none where `threads` is 1).
 *
 * @param options null for the defaults
 * @param context receives the context; the caller destroys it after everything made from it. Null on failure
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, KST_ERROR_MEMORY, KST_ERROR_THREAD, KST_ERROR_DEVICE_NAME,
 *         KST_ERROR_DEVICE_MISSING, KST_ERROR_DEVICE_FAILED (the log says why) or KST_ERROR_CPU_TIER
 *
 * A context may be used from any number of threads at once. After fork() the child must not use its parent's contexts.
 */
KST_API kst_status kst_context_create(const kst_context_options *options, kst_context **context);

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
/** @name What a stream holds
 * @{ */

typedef enum kst_codec {
    KST_CODEC_NONE = 0,
    KST_CODEC_JPEG = 1,
    KST_CODEC_JPEG2000 = 2 /**< T.800, as a codestream or in a JP2 file */
} kst_codec;

typedef enum kst_process {
    KST_PROCESS_NONE = 0,
    KST_PROCESS_BASELINE = 1,   /**< T.81 SOF0 */
    KST_PROCESS_EXTENDED = 2,   /**< SOF1, Huffman */
    KST_PROCESS_PROGRESSIVE = 3 /**< SOF2, Huffman */
} kst_process;

typedef struct kst_component_info {
    uint32_t width; /**< samples actually coded, without padding (A.1.1) */
    uint32_t height;
    uint8_t id;
    uint8_t h; /**< sampling factors (A.1.1); of JPEG 2000 the separations XRsiz and YRsiz instead */
    uint8_t v;
    uint8_t depth;
    bool is_signed;
    uint8_t quant_table; /**< destination of its quantisation table */
    uint16_t reserved;
} kst_component_info;

typedef enum kst_density_unit { KST_DENSITY_RATIO = 0, KST_DENSITY_INCH = 1, KST_DENSITY_CM = 2 } kst_density_unit;

typedef struct kst_info {
    size_t size;
    kst_codec codec;
    kst_process process;
    kst_colour colour; /**< as coded */
    uint32_t width;
    uint32_t height;
    uint32_t component_count;        /**< JPEG 2000: up to 16,384 */
    kst_component_info component[4]; /**< the first four */
    uint32_t scans;                  /**< scans found */
    uint32_t restart_interval;       /**< MCUs, of the first scan; 0: none */
    uint32_t mcu_width;              /**< pixels */
    uint32_t mcu_height;
    int quality;     /**< the IJG quality whose tables these are; 0: none fits */
    int orientation; /**< Exif orientation 1–8; 1 where there is none */
    bool jfif;
    bool adobe;
    uint8_t adobe_transform;
    uint16_t jfif_version;         /**< major × 256 + minor */
    kst_density_unit density_unit; /**< JPEG 2000: of capture, else of display; a ratio of 0: not known */
    uint16_t density_x;
    uint16_t density_y;
    /**
     * Entropy-coded data, all scans or packets together. Where TLM tells where the tile-parts of a JPEG 2000 picture
     * lie, their headers are read when they are needed; until all are, marker segments in them count, too.
     */
    uint64_t entropy_bytes;
    uint16_t quant_table[4][64]; /**< each component's, in raster order (not zig-zag) */
    uint32_t tile_width;         /**< JPEG 2000, as all that follow; nominal */
    uint32_t tile_height;
    uint32_t tiles;
    uint32_t layers;
    uint32_t levels; /**< of decomposition, of the first component: as often the picture can be halved */
    kst_progression progression;
    bool reversible;       /**< the 5/3 transform, of the first component */
    bool alpha;            /**< a channel of opacity is known */
    bool jp2;              /**< a JP2 file, not a bare codestream */
    uint32_t colour_space; /**< what a JP2 file calls its colours (EnumCS of its box colr: 14 CIELab, 24 e-sYCC …); 0:
                                nothing. Such that are not of kst_colour are passed on as components */
    uint32_t profile;      /**< that the codestream claims (Rsiz): a kst_j2k_profile with its levels, or another */
} kst_info;

typedef enum kst_metadata_kind {
    KST_METADATA_ICC = 1,     /**< a whole ICC profile, joined from its chunks */
    KST_METADATA_EXIF = 2,    /**< TIFF structure, without the "Exif\0\0" in front of it */
    KST_METADATA_XMP = 3,     /**< packet, without the namespace in front of it */
    KST_METADATA_COMMENT = 4, /**< COM */
    KST_METADATA_APP = 5      /**< any other APPn segment, whole */
} kst_metadata_kind;

typedef struct kst_metadata {
    kst_metadata_kind kind;
    uint8_t marker; /**< second byte of the marker: 0xE0–0xEF or 0xFE; for encoding only needed with KST_METADATA_APP */
    const uint8_t *data;
    size_t length;
    uint64_t offset; /**< of the first chunk's contents in the stream; ignored when encoding */
} kst_metadata;

/** @} */
/** @name Decoding
 * @{ */

#define KST_ALL_TILES UINT32_MAX

/**
 * Is told how far work on a picture has come, and may end it. JPEG 2000 is told of by the code-block, on a GPU by the
 * strip or part of a picture that does not fit, else once all is coded there; JPEG at the beginning and the end alone.
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
 * Read the headers of a stream: all its markers, but no entropy-coded data.
 *
 * @param data borrowed: must stay as it is until the next open or the decoder's end
 * @return KST_OK or the error; then the decoder holds no stream
 */
KST_API kst_status kst_decoder_open(kst_decoder *decoder, const void *data, size_t length);

/** What the open stream holds; valid until the next open. Null where none is open. */
KST_API const kst_info *kst_decoder_info(const kst_decoder *decoder);

/** Metadata `index` of the open stream, in the order of the stream; null past the last. Valid until the next open. */
KST_API const kst_metadata *kst_decoder_metadata(const kst_decoder *decoder, size_t index);

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
 *         not defined
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

/** @} */
/** @name Coded output
 * @{ */

/** Bytes that a call makes. With `data` null the library allocates; otherwise it fills at most `capacity` bytes. */
typedef struct kst_buffer {
    uint8_t *data;
    size_t length;   /**< bytes made; with KST_ERROR_BUFFER_FULL undefined */
    size_t capacity; /**< of the caller's buffer */
    bool owned;      /**< the library allocated it: kst_buffer_release() */
} kst_buffer;

/** Free what the library allocated, and clear the buffer. A cleared buffer is allowed. */
KST_API void kst_buffer_release(kst_context *context, kst_buffer *buffer);

/** One scan of a script (B.2.3, G.1.1.1). */
typedef struct kst_scan {
    uint8_t component_count; /**< 1–4 */
    uint8_t component[4];    /**< indices of components, ascending */
    uint8_t ss;              /**< first and last zig-zag index */
    uint8_t se;
    uint8_t ah; /**< successive approximation, high and low bit position */
    uint8_t al;
} kst_scan;

typedef enum kst_coding {
    KST_CODING_BASELINE = 0,   /**< sequential, the tables of Annex K */
    KST_CODING_OPTIMIZED = 1,  /**< sequential, tables made for the picture (Annex K.2) */
    KST_CODING_PROGRESSIVE = 2 /**< progressive, tables made for each scan */
} kst_coding;

typedef enum kst_restart_unit {
    KST_RESTART_NONE = 0,
    KST_RESTART_MCUS = 1, /**< `interval` MCUs */
    KST_RESTART_ROWS = 2, /**< `interval` MCU rows */
    KST_RESTART_AUTO = 3, /**< an interval that lets many threads decode at once for a small cost in bytes */
    KST_RESTART_KEEP = 4  /**< transcoding only: as many pixels between markers as before if they divide evenly */
} kst_restart_unit;

typedef struct kst_restart {
    kst_restart_unit unit;
    uint32_t interval; /**< at most 65,535 MCUs come to be between markers */
} kst_restart;

/** @} */
/** @name Encoding
 * @{ */

typedef enum kst_subsampling {
    KST_SUBSAMPLING_420 = 0, /**< luminance factors 2×2, the others 1×1; the default, as cjpeg's */
    KST_SUBSAMPLING_422 = 1, /**< 2×1 */
    KST_SUBSAMPLING_444 = 2, /**< 1×1 */
    KST_SUBSAMPLING_440 = 3, /**< 1×2 */
    KST_SUBSAMPLING_411 = 4, /**< 4×1 */
    KST_SUBSAMPLING_410 = 5  /**< 4×2 */
} kst_subsampling;

typedef struct kst_encode_options {
    size_t size;
    kst_codec codec;             /**< default KST_CODEC_JPEG; of KST_CODEC_JPEG2000 only the metadata, density and last
                                      two members count */
    int quality;                 /**< 1–100; default 75 */
    kst_subsampling subsampling; /**< of the second and third component; ignored where RGB, CMYK or grey is coded */
    uint8_t h[4];                /**< factors 1–4 of each component instead of `subsampling`; all 0: not given */
    uint8_t v[4];
    kst_colour colour; /**< as coded; KST_COLOUR_UNKNOWN: GREY, YCBCR or CMYK by the image's format */
    kst_coding coding;
    kst_restart restart;
    bool wide_quantisers;           /**< allow quantisers above 255 (at low quality), and SOF1 with them */
    const uint16_t *quant_table[4]; /**< 64 values in raster order by destination, instead of the scaled */
    uint8_t quant_index[4]; /**< table of each component; the default 0, 1, 1, 0 means 0 for all of RGB or CMYK */
    const kst_scan *script; /**< progressive or sequential scans, as `coding` says; null: the standard script */
    size_t script_length;
    const kst_metadata *metadata; /**< written in this order, an ICC profile cut into chunks */
    size_t metadata_count;
    kst_density_unit density_unit; /**< of the JFIF header; default ratio 1:1 */
    uint16_t density_x;
    uint16_t density_y;
    const kst_j2k_options *jpeg2000; /**< null for the defaults */
    const kst_progress *progress;    /**< null, or told of the encoding; must stay until that has ended */
} kst_encode_options;

KST_API void kst_encode_options_init(kst_encode_options *options);

/**
 * Encode an image. Thread-safe.
 *
 * @param image   8-bit integers; interleaved, PLANAR (grey, RGB, CMYK) or RAW. With RAW the planes are the components,
 * each of the picture's size times h/hmax and v/vmax, rounded up, by the factors that the options say. Of JPEG 2000
 * integers of any depth, and with RAW planes of any size that is the picture's divided by a whole number, rounded up,
 * and signed ones too
 * @param options null for the defaults
 * @param output  see kst_buffer; on failure an owned buffer is released
 * @param report  null, or with its size set
 * @return KST_OK or the error
 */
KST_API kst_status kst_encode(kst_context *context, const kst_image *image, const kst_encode_options *options,
    kst_buffer *output, kst_report *report);

/** The rows of a picture that need not be in memory, brought when they are needed. */
typedef struct kst_rows {
    size_t size;
    /**
     * Bring pixels x … x + count − 1 of row y of a plane, as they would lie in memory (an interleaved pixel is all its
     * channels). Called from any of the context's threads, several at once, and for a row more than once.
     * @return false where they cannot be had, which ends the encoding with KST_ERROR_ROWS
     */
    bool (*read)(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples);
    void *user;
} kst_rows;

/**
 * As kst_encode() to JPEG 2000, of a picture whose rows come from a function: what is held in memory is a few rows of
 * tiles, or of the picture, and what has been coded; on a GPU, half of the memory limit's worth of it. Thread-safe.
 *
 * @param image in host memory; its planes' `data` and `pitch` are ignored
 */
KST_API kst_status kst_encode_rows(kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report);

typedef struct kst_encode_item {
    const kst_image *image;
    const kst_encode_options *options;
    kst_buffer output;
    kst_report report; /**< its size is set by the call */
} kst_encode_item;

/** Encode many images, spread over the context's threads. Result as kst_decode_batch(). */
KST_API kst_status kst_encode_batch(kst_context *context, kst_encode_item *items, size_t count);

/** @} */
/** @name Lossless transcoding
 * @{ */

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
} kst_transcode_options;

KST_API void kst_transcode_options_init(kst_transcode_options *options);

/**
 * Write a stream anew without changing a coefficient (T.81) or the bytes of a code-block (T.800). Thread-safe. A
 * damaged stream is transcoded as far as it can be decoded. Segments and boxes are copied as they are, but for the
 * picture's size in an Exif segment that comes first, in ihdr, and for its resolution.
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

/** @} */

#ifdef __cplusplus
}
#endif

#endif
