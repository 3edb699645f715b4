/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures that are encoded to JPEG 2000 from files whose rows are read when they are needed. */
#ifndef KOSTKA_TOOL_ROWS_H
#define KOSTKA_TOOL_ROWS_H

#include <stdatomic.h>

#include "files/files.h"

/*
 * An open file of raw PNM or PAM, whose samples need no scaling, or of raw samples. Reading is thread-safe.
 */
struct row_file {
    kst_image image; /* its description, without pixels */
    int descriptor;  /* −1: not open */
    uint64_t first;  /* where the samples begin */
    size_t bytes;    /* of a sample */
    size_t samples;  /* of a pixel in the file, which the planes follow each other of */
    bool swap;       /* the samples' bytes */
    bool together;   /* planes in the file, channels of a pixel in the image */
    bool apart;      /* channels of a pixel in the file, planes in the image */
    atomic_int error;
};

/*
 * Whether a picture whose samples are so many bytes becomes JPEG 2000 from rows: on the CPU, or because it is too large
 * for all else. A GPU is faster with the whole.
 */
bool rows_are_better(const struct file_settings *settings, uint64_t bytes);

/* Whether the file is such a one, to become JPEG 2000 in that way. Then it is to be closed. */
bool row_file_open(struct row_file *file, const char *name, const struct file_settings *settings);
void row_file_close(struct row_file *file);

bool row_file_encode(
    struct row_file *file, const char *path, const struct file_settings *settings, struct problem *problem);

#endif
