/* SPDX-License-Identifier: BSD-2-Clause */
/* The file formats: which there are, which a file is of, and reading and writing them. */
#ifndef KOSTKA_TOOL_FILES_H
#define KOSTKA_TOOL_FILES_H

#include <kostka/kostka_writer.h>

#include "files/picture.h"
#include "files/samples.h"
#include "output.h"

/* A whole file in memory, or mapped into it where it is large; or, once it is open, its first bytes. */
struct source {
    const char *name; /* as given; "-" is standard input */
    uint8_t *data;    /* not to be changed */
    size_t length;
    bool mapped;
    bool once;      /* set by who goes through it once: a smaller file than otherwise is mapped, too */
    bool regular;   /* a file that may be read at any place */
    uint64_t size;  /* of such a file */
    int descriptor; /* as long as not all has been read; −1: not open */
};

enum { OPTION_BYTES_MAX = 1 << 28 /* of a file that an option names */ };
enum { SOURCE_HEAD = 4096 /* bytes that are read at first, or all where there are fewer */ };

/* Read the first bytes, to see what it is. */
bool source_open(struct source *source, const char *name, struct problem *problem);

/*
 * Read, or map, the rest of an open source. More than `limit` bytes are refused where they would have to be in memory.
 */
bool source_finish(struct source *source, uint64_t limit, struct problem *problem);

/* Both. */
bool source_read(struct source *source, const char *name, uint64_t limit, struct problem *problem);

void source_release(struct source *source);

/* Bytes of a file that may be read at any place, or of one that has been read; all that are known of another. */
uint64_t source_size(const struct source *source);

/*
 * `length` bytes from `offset` on, of such a file, whether it is in memory or not. Thread-safe. False, with the
 * problem, where it has fewer or cannot be read.
 */
bool source_at(const struct source *source, uint64_t offset, size_t length, void *to, struct problem *problem);

/* What is mapped need not stay in memory until it is looked at again. */
void source_rest(const struct source *source);

struct file_format;

/* What a file is, as far as options depend on it. */
enum file_kind {
    KIND_JPEG = 1,
    KIND_JP2 = 2,
    KIND_J2C = 4, /* a JPEG 2000 codestream without boxes */
    KIND_PNM = 8, /* PAM is one of these */
    KIND_PGX = 16,
    KIND_PNG = 32,
    KIND_TIFF = 64,
    KIND_RAW = 128,
    KIND_BMP = 256,
    KIND_OTHER = 512, /* formats that are only read */
    KIND_JPEG2000 = KIND_JP2 | KIND_J2C,
    KIND_CODED = KIND_JPEG | KIND_JPEG2000,
    KIND_ANY = 1023
};
unsigned file_kind(const struct file_format *format);
unsigned readable_kinds(const struct file_format *format); /* of an input: boxes around a codestream do not matter */

struct options_given;

/*
 * Whether the options of a call (null: none) suit a picture that is read from `source` and written as `target`, an enum
 * file_kind or 0. `source` is not null.
 */
bool options_suit(
    const struct options_given *given, unsigned target, const struct file_format *source, struct problem *problem);

/* What reading and writing need beside the file. */
struct file_settings {
    kst_context *context;
    kst_decode_options decode; /* for JPEG */
    const kst_encode_options
        *encode; /* for JPEG and JPEG 2000; its metadata are added to the picture's own. Null: none written */
    const struct file_format *target;  /* what the picture is going to be written as; null: not known */
    const struct options_given *given; /* checked against each input when it is read; null: nothing to check */
    bool keep_tables;   /* JPEG of JPEG: the quantisation tables that the picture had, where its size is the same */
    bool keep_sampling; /* likewise its sampling */
    bool subsampled;    /* an option asks for smaller chrominance; CMYK has some only as YCCK */
    uint64_t max_pixels;
    uint64_t max_memory;
    bool on_cpu;            /* asked for by name */
    uint32_t threads;       /* to work on beside the context's; 0: one */
    int compression;        /* zlib level 0–9 of PNG and TIFF; −1: the format's default */
    bool verbose;           /* tell what the library did */
    enum byte_order order;  /* of PGX that is written, and of raw samples */
    bool interleave;        /* planes of one size take turns in one TIFF or raw file */
    enum raw_layout layout; /* of raw samples that are read or written */
    struct plane_shape raw; /* of raw samples to read; no width: the file's format is found out */
};

/*
 * As source_finish() and source_read(), within the settings' limits. A pipe, a device or a large file that starts like
 * none of the formats, where the settings do not say that it is raw samples, is not read on: its first bytes are enough
 * to say so.
 */
bool source_finish_picture(struct source *source, const struct file_settings *settings, struct problem *problem);
bool source_read_picture(
    struct source *source, const char *name, const struct file_settings *settings, struct problem *problem);

/* Whether the limits permit as many raw samples as the settings say there are. */
bool raw_permitted(const struct file_settings *settings, struct problem *problem);

/*
 * How a format is read row by row, from the top, to the pixels that reading it as a whole gives. To be ended in any
 * case, with whether all went well until then.
 */
struct row_reader {
    /*
     * The source may be read at any place, or has been read, as it must have been where it is `complete`. `whole`
     * receives the rows' shape, interleaved and without padding, and what goes with the picture, but no pixels. Null
     * where rows cannot be had so, or nothing can: reading as a whole tells what is wrong.
     */
    void *(*begin)(const struct source *source, const struct file_settings *settings, struct picture *whole);
    bool (*next)(void *file, uint8_t *row, struct problem *problem);
    bool (*end)(void *file, bool good, struct problem *problem); /* false: what is behind the rows is not good */
    bool complete;
};

struct file_format {
    const char *name;          /* for people and for --out-format */
    const char *extensions[5]; /* the first one is for new files; ended by null */
    kst_format wanted;         /* what the format can hold: GREY or RGB alone, planes (RAW), or AUTO */
    bool (*detect)(const uint8_t *data, size_t length); /* null: cannot be read */
    bool (*read)(const struct source *source, const struct file_settings *settings, struct picture *picture,
        struct problem *problem);
    /* May change the picture's arrangement of pixels on the way. Null: cannot be written. */
    bool (*write)(
        struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);
    /* Sets the image's size, format and depth from the headers alone. Null: they are known from reading. */
    bool (*describe)(const struct source *source, const struct file_settings *settings, struct picture *picture,
        struct problem *problem);
    const struct row_reader *rows; /* null: the format is not read so */
};

/*
 * How a format is written some rows at a time, from the top: grey, RGB or RGBA. To be ended in any case, with whether
 * all went well until then.
 */
struct row_format {
    /* `whole` has the rows' shape, and what goes with the picture, but no pixels. Null where that cannot be. */
    void *(*begin)(struct output *output, const struct picture *whole, const struct file_settings *settings,
        struct problem *problem);
    bool (*add)(void *file, struct picture *rows, struct problem *problem); /* may change them as writing does */
    bool (*end)(void *file, bool good, struct problem *problem);
};

extern const struct row_format bmp_rows, png_rows, tiff_rows;

/* Null: the format is not written by rows, or its rows have nothing around them. */
const struct row_format *file_row_format(const struct file_format *format);

extern const struct file_format file_bmp, file_gif, file_webp, file_jpeg, file_j2k, file_j2c, file_pgx, file_png,
    file_tiff, file_pam, file_pnm, file_pgm, file_ppm, file_raw, file_yuv;

const struct file_format *file_format_by_name(const char *name);       /* or extension; null: unknown */
const struct file_format *file_format_by_path(const char *path);       /* by extension; null: unknown */
const char *file_path_extension(const char *path);                     /* without its dot; null: none */
const struct file_format *file_format_of(const struct source *source); /* by signature; null: unknown */

/*
 * Whether the limits permit a picture whose pixels take so many bytes each, with all that is needed to read it. To be
 * asked before anything is allocated.
 */
bool picture_permitted(const struct file_settings *settings, uint64_t width, uint64_t height, uint64_t pixel_bytes,
    struct problem *problem);

bool memory_permitted(const struct file_settings *settings, uint64_t bytes, struct problem *problem);

/* "JPEG, PNG, …", for messages. */
const char *file_formats_readable(void);

/* Read a picture of whatever format it is. `format` (may be null) receives it. */
bool picture_read(struct picture *picture, const struct source *source, const struct file_settings *settings,
    const struct file_format **format, struct problem *problem);

/*
 * Write a picture. Planes become one file each where the format holds no planes: NAME-0.EXT, NAME-1.EXT …; on standard
 * output one follows the other.
 */
bool picture_write(struct picture *picture, const char *path, const struct file_format *format,
    const struct file_settings *settings, struct problem *problem);

/* The extension that suits the picture: pgm, ppm or pam for the format "pnm", otherwise the format's first. */
const char *file_extension(const struct file_format *format, const struct picture *picture);

/*
 * Encode as the options say, with the picture's own metadata beside theirs. Its pixels are the rows where these are not
 * null; what is wrong with them their function tells to others than `problem`.
 */
bool jpeg_encode(struct output *output, const struct picture *picture, const kst_rows *rows,
    const kst_encode_options *options, const struct file_settings *settings, struct problem *problem);

/* Where a file goes that is written while it is made. With KST_ERROR_WRITE the problem says why. */
struct destination {
    struct output *output;
    struct problem *problem;
};
kst_writer destination_writer(struct destination *to);

/*
 * Encode as kst_encode_to() does, into an output that nothing was written to. With KST_ERROR_WRITE the
 * problem says why.
 */
kst_status coded_encode_to(struct output *output, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_report *report, struct problem *problem);

/* The settings' options, or the usual ones, for JPEG 2000; what they say of it goes to `j2k`, which they point to. */
void j2k_choose_options(
    const struct file_settings *settings, bool codestream, kst_encode_options *options, kst_j2k_options *j2k);

/* If the settings ask for smaller chrominance, have CMYK coded as YCCK, which has some, unless a colour is chosen. */
void jpeg_choose_inks(const kst_image *image, const struct file_settings *settings, kst_encode_options *options);

/* Whether raw samples are written plane after plane. */
bool raw_writes_planes(const struct file_settings *settings);

/* What of an open stream goes with its picture, whose size is known; metadata follow where it is turned or cut. */
bool jpeg_keep_metadata(
    const kst_decoder *decoder, const struct file_settings *settings, struct picture *picture, struct problem *problem);

/* Say what follows the picture that is open, and is not written. */
void jpeg_tell_others(kst_decoder *decoder, const char *name);

/*
 * The picture's own metadata, but for kinds that the options bring along and what the target cannot hold, then the
 * options'. Of what it cannot hold a warning tells, which names the output (`path` null: standard output). To be freed;
 * null: out of memory.
 */
kst_metadata *metadata_join(
    const struct picture *picture, const kst_encode_options *options, const char *path, size_t *count);

/* Set the text to the message of KST_ERROR_OPTIONS, with the command line's option that it is about. False. */
bool explain_options(const char *message, struct problem *problem);

/* What a JPEG or JPEG 2000 stream reported, as one line; warnings are told to `complain`. */
bool jpeg_report_problem(const kst_report *report, kst_status status, struct problem *problem);
void jpeg_report_warnings(const char *name, const kst_report *report);

/* Under --verbose: where each stage ran, and in what time. */
void jpeg_report_details(const char *name, const kst_report *report);

#endif
