/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures to JPEG while they are read, a band of rows at a time. */
#ifndef KOSTKA_TOOL_BANDS_H
#define KOSTKA_TOOL_BANDS_H

#include <stdatomic.h>

#include "files/files.h"

/*
 * Describes an open file of PNM or PAM other than plain text, of PGX, or of raw samples. Its samples are converted to 8
 * bits as picture_to_depth() would do it. Bands of a regular file may be read by several threads at once; those of a
 * pipe are read in order.
 */
struct band_file {
    struct source *source;
    kst_image image;   /* a description of the picture, without pixels unless the file is mapped */
    bool in_order;     /* the file is a pipe, so that reads must be in order */
    uint64_t first;    /* offset of the samples */
    uint64_t position; /* with in_order: offset of the next byte */
    uint32_t channels; /* samples of a pixel in the file */
    size_t bytes;      /* bytes of a sample; 0: a byte has eight pixels, in which 1 is black */
    size_t row;        /* bytes of a row */
    bool swap;         /* swap the bytes of 16-bit samples */
    bool apart;        /* the channels are planes in the file */
    uint32_t max;      /* alpha from this value on is opaque */
    uint8_t *to_eight; /* the 8-bit value of each sample; null: samples stay unchanged */
    atomic_bool transparent;
    atomic_bool failed;     /* a row could not be read */
    atomic_int error;       /* errno; 0 if the file ended */
    atomic_uint_fast32_t y; /* the row that could not be read */
};

/*
 * Open the source, of which only the head has been read, if it is such a file and the target is JPEG. Returns whether
 * it did; the file must then be closed.
 */
bool band_file_open(struct band_file *file, struct source *source, const struct file_settings *settings);
void band_file_close(struct band_file *file);

bool band_file_encode(
    struct band_file *file, const char *path, const struct file_settings *settings, struct problem *problem);

#endif
