/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares streams of OpenJPEG whose file is in memory, for programs that test libraries in place of it. */
#ifndef KOSTKA_TESTS_SUPPORT_COMPAT_MEMORY_STREAM_H
#define KOSTKA_TESTS_SUPPORT_COMPAT_MEMORY_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <openjpeg.h>

/* Holds a file that is read, or that grows up to `room` bytes. */
struct bytes {
    uint8_t *data;
    size_t length, at, room;
};

/* Open a stream at the file's beginning. A file that outgrows its room ends the process with status 1. */
opj_stream_t *memory_stream_open(struct bytes *bytes, OPJ_BOOL reads);

#endif
