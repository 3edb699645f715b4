/* SPDX-License-Identifier: BSD-2-Clause */
/* The file formats: which there are, which a file is of, and reading and writing them. */
#ifndef KOSTKA_TOOL_FILES_H
#define KOSTKA_TOOL_FILES_H

#include <kostka/kostka_writer.h>

#include "files/picture.h"
#include "files/samples.h"
#include "output.h"

/* A whole file in memory, or mapped into it where it is large. */
struct source {
    const char *name; /* as given; "-" is standard input */
    uint8_t *data;    /* not to be changed */
    size_t length;
    bool mapped;
};

bool source_read(struct source *source, const char *name, struct problem *problem);
void source_release(struct source *source);

/* What is mapped need not stay in memory until it is looked at again. */
void source_rest(const struct source *source);

struct file_format;

/* What reading and writing need beside the file. */
struct file_settings {
    kst_context *context;
    kst_decode_options decode; /* for JPEG */
    const kst_encode_options
        *encode; /* for JPEG and JPEG 2000; its metadata are added to the picture's own. Null: none written */
    const struct file_format *target; /* what the picture is going to be written as; null: not known */
    uint64_t max_pixels;
    uint64_t max_memory;
    bool on_cpu;            /* asked for by name */
    int compression;        /* zlib level 0–9 of PNG and TIFF; −1: the format's default */
    bool verbose;           /* tell what the library did */
    enum byte_order order;  /* of PGX that is written, and of raw samples */
    bool interleave;        /* planes of one size take turns in one file; raw samples that are read do */
    struct plane_shape raw; /* of raw samples to read; no width: the file's format is found out */
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

extern const struct row_format png_rows, tiff_rows;

extern const struct file_format file_jpeg, file_j2k, file_j2c, file_pgx, file_png, file_tiff, file_pam, file_pnm,
    file_pgm, file_ppm, file_raw;

const struct file_format *file_format_by_name(const char *name);       /* or extension; null: unknown */
const struct file_format *file_format_by_path(const char *path);       /* by extension; null: unknown */
const struct file_format *file_format_of(const struct source *source); /* by signature; null: unknown */

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

/* Encode as the options say, with the picture's own metadata beside theirs. */
bool jpeg_encode(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem);

/* Where a file goes that is written while it is made. With KST_ERROR_WRITE the problem says why. */
struct destination {
    struct output *output;
    struct problem *problem;
};
kst_writer destination_writer(struct destination *to);

/*
 * Encode to JPEG 2000 as kst_encode_to() does, into an output that nothing was written to. With KST_ERROR_WRITE the
 * problem says why.
 */
kst_status j2k_encode_to(struct output *output, kst_context *context, const kst_image *image, const kst_rows *rows,
    const kst_encode_options *options, kst_report *report, struct problem *problem);

/* What of an open stream goes with its picture. */
bool jpeg_keep_metadata(
    const kst_decoder *decoder, const struct file_settings *settings, struct picture *picture, struct problem *problem);

/* What a JPEG or JPEG 2000 stream reported, as one line; warnings are told to `complain`. */
bool jpeg_report_problem(const kst_report *report, kst_status status, struct problem *problem);
void jpeg_report_warnings(const char *name, const kst_report *report);

/* Under --verbose: where each stage ran, and in what time. */
void jpeg_report_details(const char *name, const kst_report *report);

#endif
