/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures to JPEG 2000 from files whose rows are read when the encoder asks for them. */
#ifndef KOSTKA_TOOL_ROWS_H
#define KOSTKA_TOOL_ROWS_H

#include <stdatomic.h>

#include "files/files.h"

/* Describes an open file of raw PNM or PAM whose samples need no scaling, or of raw samples. Reading is thread-safe. */
struct row_file {
    kst_image image; /* a description of the picture, without pixels */
    int descriptor;  /* −1: not open */
    uint64_t first;  /* offset of the samples */
    size_t bytes;    /* bytes of a sample */
    size_t samples;  /* samples of a pixel in the file; 1 if the file has plane after plane */
    bool swap;       /* swap the bytes of samples */
    bool together;   /* the file has planes, and the image interleaved channels */
    bool apart;      /* the file has interleaved channels, and the image planes */
    atomic_int error;
};

/*
 * Return whether to encode a picture of this many bytes to JPEG 2000 from rows: if the CPU encodes it, or if it is too
 * large for memory. A GPU is faster with the whole picture.
 */
bool rows_are_better(const struct file_settings *settings, uint64_t bytes);

/* Open the file if it can be encoded to JPEG 2000 in this way. Returns whether it did; the file must then be closed. */
bool row_file_open(struct row_file *file, const char *name, const struct file_settings *settings);
void row_file_close(struct row_file *file);

bool row_file_encode(
    struct row_file *file, const char *path, const struct file_settings *settings, struct problem *problem);

#endif
