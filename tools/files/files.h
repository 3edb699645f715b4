/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the file formats: which ones exist, how to recognise a file's format, and how to read and write it. */
#ifndef KOSTKA_TOOL_FILES_H
#define KOSTKA_TOOL_FILES_H

#include <kostka/kostka_writer.h>

#include "files/output.h"
#include "files/picture.h"
#include "files/samples.h"

/* Holds a file that is in memory, or mapped if it is large. After source_open() only its first bytes are there. */
struct source {
    const char *name; /* as the user wrote it; "-" is standard input */
    uint8_t *data;    /* must not be changed */
    size_t length;
    bool mapped;
    bool borrowed;  /* the bytes belong to another object, which releases them */
    bool once;      /* set by callers who read the file once, in sequence: smaller files are then mapped, too */
    bool regular;   /* the file can be read at any offset */
    uint64_t size;  /* size of a regular file */
    int descriptor; /* open until the whole file has been read; −1: not open */
};

enum { OPTION_BYTES_MAX = 1 << 28 /* the largest size of a file that an option names */ };
enum { SOURCE_HEAD = 4096 /* bytes that source_open() reads, or all if there are fewer */ };

/* Open a source, and read its first bytes, by which its format is recognised. */
bool source_open(struct source *source, const char *name, struct problem *problem);

/*
 * Read or map the rest of an open source. If it would have to be read into memory, more than `limit` bytes are refused.
 */
bool source_finish(struct source *source, uint64_t limit, struct problem *problem);

/*
 * Map an open source, of which only the first bytes have been read, if it is a regular file that is large enough.
 * Returns whether it is mapped; otherwise it can be read as before.
 */
bool source_map(struct source *source);

/* Open a source and read all of it. */
bool source_read(struct source *source, const char *name, uint64_t limit, struct problem *problem);

void source_release(struct source *source);

/* Return the size of a regular file, or of a file that has been read; for others, the bytes read so far. */
uint64_t source_size(const struct source *source);

/*
 * Read `length` bytes from `offset` on, from a regular file or one that is in memory. Thread-safe. Returns false, with
 * the problem, if there are fewer bytes or they cannot be read.
 */
bool source_at(const struct source *source, uint64_t offset, size_t length, void *to, struct problem *problem);

/*
 * The number of bytes of rows, or of the file, after which a reader of rows releases the pages of a mapped file. These
 * pages count as memory of the process, in addition to what --max-memory limits.
 */
enum { SOURCE_REST = 1 << 22 };

/* Let the system drop the pages of a mapped file until they are needed again. */
void source_rest(const struct source *source);

/*
 * Let the system drop the pages of bytes that the library has searched (kst_searched), if they are a mapped file's.
 * Thread-safe.
 */
void source_searched(void *user, const void *data, size_t length);

/* Return whether all pages of the files that this thread has mapped could be read; otherwise set the problem. */
bool source_check(struct problem *problem);

struct file_format;
struct relay;

/* Says what a file is, as far as options depend on that. */
enum file_kind {
    KIND_JPEG = 1,
    KIND_JP2 = 2,
    KIND_J2C = 4, /* a JPEG 2000 codestream without boxes */
    KIND_PNM = 8, /* including PAM */
    KIND_PGX = 16,
    KIND_PNG = 32,
    KIND_TIFF = 64,
    KIND_RAW = 128,
    KIND_BMP = 256,
    KIND_OTHER = 512, /* formats that are only read */
    KIND_JPH = 1024,  /* a JP2 file whose code-blocks are those of T.814 */
    KIND_JPEG2000 = KIND_JP2 | KIND_J2C | KIND_JPH,
    KIND_CODED = KIND_JPEG | KIND_JPEG2000,
    KIND_ANY = 2047
};
unsigned file_kind(const struct file_format *format);
unsigned readable_kinds(const struct file_format
        *format); /* the kinds that an input of this format counts as: a codestream and a JP2 file count as both */

struct options_given;

/*
 * Return whether the options of a call (null: none) apply to a picture that is read from `source` and written as
 * `target`, an enum file_kind or 0. `source` is not null.
 */
bool options_suit(
    const struct options_given *given, unsigned target, const struct file_format *source, struct problem *problem);

/* Holds the size that pictures are resized to. */
struct resize_settings {
    kst_resize_options options; /* no width and height: pictures keep their size */
    bool draft;                 /* the decoder may reduce pictures first */
    const char *filters;        /* a chain applied after resizing, perhaps with `histogram` at its end; null: none */
};

/* Holds the settings of reading and writing files. */
struct file_settings {
    kst_context *context;
    struct relay *relay;       /* decodes and encodes whole pictures (relay.h); null: the context does that */
    kst_decode_options decode; /* for JPEG */
    const kst_encode_options
        *encode; /* for JPEG and JPEG 2000; its metadata are added to the picture's own. Null: neither is written */
    const struct resize_settings *resize; /* null: pictures keep their size */
    const char *filters;                  /* a chain for pictures that have been read (kostka_filter.h); null: none */
    bool counts;                          /* `histogram` follows these filters */
    const struct file_format *target;     /* the format that the picture will be written in; null: not known */
    const struct options_given *given;    /* options that are checked against each input when it is read; null: none */
    bool by_quality;                      /* --quality determines `encode` */
    bool keep_tables;   /* from JPEG to JPEG: keep the picture's quantisation tables if its size does not change */
    bool keep_sampling; /* from JPEG to JPEG: keep the picture's sampling likewise */
    bool subsampled;    /* an option asks for chroma subsampling, which CMYK supports only as YCCK */
    uint64_t max_pixels;
    uint64_t max_memory;
    bool deep;              /* write JPEG with samples of 12 bits instead of 8 */
    bool on_cpu;            /* the user chose the CPU by name */
    uint32_t threads;       /* threads for work outside of the context; 0: one */
    int compression;        /* zlib level 0–9 of PNG and TIFF; −1: the format's default */
    bool verbose;           /* print what the library did */
    enum byte_order order;  /* byte order of PGX that is written, and of raw samples */
    bool interleave;        /* interleave planes of one size in one TIFF or raw file */
    enum raw_layout layout; /* layout of raw samples that are read or written */
    struct plane_shape raw; /* shape of raw samples to read; a width of 0: the file's format is detected */
};

/*
 * Do what source_finish() and source_read() do, within the settings' limits. A pipe, a device or a large file is
 * rejected after its first bytes if these fit no format, unless the settings say that it holds raw samples.
 */
bool source_finish_picture(struct source *source, const struct file_settings *settings, struct problem *problem);
bool source_read_picture(
    struct source *source, const char *name, const struct file_settings *settings, struct problem *problem);

/* Return whether the limits permit the number of raw samples in the settings. */
bool raw_permitted(const struct file_settings *settings, struct problem *problem);

/*
 * Reads a format row by row, from the top. The pixels are the same as when the file is read as a whole. end() must
 * always be called; `good` says whether everything before it succeeded.
 */
struct row_reader {
    /*
     * Begin to read. The source is a regular file or in memory; with `complete`, it is in memory. `whole` receives
     * the shape of the rows, interleaved and without padding, and the picture's metadata, but no pixels. Returns
     * null if rows cannot be read in this way, or on any error, which the caller gets by reading the file as a
     * whole.
     */
    void *(*begin)(const struct source *source, const struct file_settings *settings, struct picture *whole);
    bool (*next)(void *file, uint8_t *row, struct problem *problem);
    bool (*end)(void *file, bool good, struct problem *problem); /* returns false if what follows the rows is damaged */
    bool complete;
};

struct file_format {
    const char *name;          /* for messages and for --out-format */
    const char *extensions[5]; /* the first one is that of new files; the list ends with null */
    kst_format wanted;         /* what the format can hold: only GREY or only RGB, planes (RAW), or AUTO */
    bool (*detect)(const uint8_t *data, size_t length); /* null: the format cannot be read */
    bool (*read)(const struct source *source, const struct file_settings *settings, struct picture *picture,
        struct problem *problem);
    /* Writes the picture, and may rearrange its pixels. Null: the format cannot be written. */
    bool (*write)(
        struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);
    /*
     * Sets the image's size, format and depth from the headers alone. Null: they are known only after reading the
     * whole file.
     */
    bool (*describe)(const struct source *source, const struct file_settings *settings, struct picture *picture,
        struct problem *problem);
    const struct row_reader *rows; /* null: the format is not read row by row */
};

/*
 * Writes a format some rows at a time, from the top: grey, RGB or RGBA. end() must always be called; `good` says
 * whether everything before it succeeded.
 */
struct row_format {
    /*
     * Begin to write. `whole` has the shape of the rows and the picture's metadata, but no pixels. Returns null on
     * failure.
     */
    void *(*begin)(struct output *output, const struct picture *whole, const struct file_settings *settings,
        struct problem *problem);
    bool (*add)(
        void *file, struct picture *rows, struct problem *problem); /* may rearrange their pixels, as writing does */
    bool (*end)(void *file, bool good, struct problem *problem);
};

extern const struct row_format bmp_rows, png_rows, tiff_rows;

/* Return how a format is written row by row; null if it is not, or if its files consist of rows alone. */
const struct row_format *file_row_format(const struct file_format *format);

extern const struct file_format file_bmp, file_gif, file_webp, file_jpeg, file_j2k, file_j2c, file_jph, file_jhc,
    file_pgx, file_png, file_tiff, file_pam, file_pnm, file_pgm, file_ppm, file_raw, file_yuv;

/* Formats that hold what filters find in pictures, instead of pictures. */
extern const struct file_format file_json, file_csv, file_svg;
bool file_holds_results(const struct file_format *format);

const struct file_format *file_format_by_name(const char *name);       /* by name or extension; null: unknown */
const struct file_format *file_format_by_path(const char *path);       /* by extension; null: unknown */
const char *file_path_extension(const char *path);                     /* without its dot; null: none */
bool file_has_extension(const char *path, const char *wanted);         /* upper case or lower case */
const struct file_format *file_format_of(const struct source *source); /* by signature; null: unknown */

/*
 * Return whether the limits permit a picture of this size, whose pixels take `pixel_bytes` bytes each, including
 * everything that reading it needs. Call this before anything is allocated.
 */
bool picture_permitted(const struct file_settings *settings, uint64_t width, uint64_t height, uint64_t pixel_bytes,
    struct problem *problem);

bool memory_permitted(const struct file_settings *settings, uint64_t bytes, struct problem *problem);

/* Return the list of readable formats for messages: "JPEG, PNG, …". */
const char *file_formats_readable(void);

/* Read a picture of any format. `format`, which may be null, receives its format. */
bool picture_read(struct picture *picture, const struct source *source, const struct file_settings *settings,
    const struct file_format **format, struct problem *problem);

/* Read a file, or standard input for "-", as a picture. Returns false after a message. */
bool picture_read_named(
    struct picture *picture, const char *name, const struct file_settings *settings, const struct file_format **format);

/*
 * Write a picture. If the format cannot hold planes, each becomes a file: NAME-0.EXT, NAME-1.EXT …; on standard output
 * one follows the other.
 */
bool picture_write(struct picture *picture, const char *path, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem);

/* Return the extension for the picture: pgm, ppm or pam for the format "pnm", otherwise the format's first. */
const char *file_extension(const struct file_format *format, const struct picture *picture);

/*
 * Encode as the options say, with the picture's own metadata in addition to the options'. If `rows` is not null, it
 * provides the pixels; its function does not report its errors in `problem`.
 */
bool jpeg_encode(struct output *output, const struct picture *picture, const kst_rows *rows,
    const kst_encode_options *options, const struct file_settings *settings, struct problem *problem);

/*
 * Describes the destination of a file that is written while it is encoded. After KST_ERROR_WRITE the problem says why.
 */
struct destination {
    struct output *output;
    struct problem *problem;
    int kept;   /* the descriptor of a file for bytes that are needed later; −1: not open */
    int reason; /* errno of the failure to write that file; 0: none */
};
void destination_begin(struct destination *to, struct output *output, struct problem *problem);
kst_writer destination_writer(struct destination *to);
/* Close the file for bytes that were needed later. If writing it failed, that becomes the problem. */
void destination_end(struct destination *to);

/* Say why encoding failed: like jpeg_report_problem(), but messages name options of encoding. Returns false. */
bool coded_report_problem(const kst_report *report, kst_status status, struct problem *problem);

/*
 * Encode as kst_encode_to() does, to an output that is still empty. After KST_ERROR_WRITE the problem says why. If the
 * options have no progress, that of the calling thread's file is used.
 */
kst_status coded_encode_to(struct output *output, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_report *report, struct problem *problem);

/*
 * Choose the options for JPEG 2000: those of the settings, or the defaults. `j2k` receives their JPEG 2000 part, to
 * which the options then point.
 */
void j2k_choose_options(const struct file_settings *settings, const struct file_format *format,
    kst_encode_options *options, kst_j2k_options *j2k);

/*
 * If the settings ask for chroma subsampling, let CMYK be coded as YCCK, which has chroma, unless a colour space is
 * chosen.
 */
void jpeg_choose_inks(const kst_image *image, const struct file_settings *settings, kst_encode_options *options);

/* Return whether raw samples are written plane after plane. */
bool raw_writes_planes(const struct file_settings *settings);

/*
 * Keep the metadata of an open stream with its picture, whose size is known. Metadata are updated if the picture is
 * turned or cropped.
 */
bool jpeg_keep_metadata(
    const kst_decoder *decoder, const struct file_settings *settings, struct picture *picture, struct problem *problem);

/* Print which data follow the open picture in its file and will not be written. */
void jpeg_tell_others(kst_decoder *decoder, const char *name);

/*
 * Join the picture's own metadata with those of the options. Of the picture's, kinds that the options provide are left
 * out, and so are kinds that the target cannot hold, with a warning that names the output (`path` null: standard
 * output). The caller frees the result; null if out of memory.
 */
kst_metadata *metadata_join(
    const struct picture *picture, const kst_encode_options *options, const char *path, size_t *count);

/*
 * Set the problem to the message of KST_ERROR_OPTIONS, with the command line's option that it is about. Returns false.
 */
bool explain_options(const char *message, struct problem *problem);

/* Turn the report on a JPEG or JPEG 2000 stream into a problem of one line. Warnings are printed. */
bool jpeg_report_problem(const kst_report *report, kst_status status, struct problem *problem);
void jpeg_report_warnings(const char *name, const kst_report *report);

/* Record the device; with --verbose, print where each stage ran, and how long it took. */
void jpeg_report_details(const char *name, const kst_report *report, bool verbose);

#endif
