/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that find the members of tar archives by their headers. They do not need the GIL. */
#ifndef KOSTKA_PYTHON_TAR_H
#define KOSTKA_PYTHON_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tar_member {
    char *name; /* from malloc(), without a zero behind it */
    size_t name_length;
    uint64_t offset, size;
};

struct tar_reading {
    int file;
    uint64_t length;   /* of the file */
    uint64_t at;       /* the offset of the next header */
    const char *wrong; /* the error at `wrong_at`; null: none */
    uint64_t wrong_at;
};

/* Begin to read the archive that is open as `file`. Returns false if it is no regular file. */
bool kst_py_tar_begin(struct tar_reading *reading, int file);

/* Find the next regular file; the caller frees its name. Returns false at the end and after an error. */
bool kst_py_tar_next(struct tar_reading *reading, struct tar_member *member);

#endif
