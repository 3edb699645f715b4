/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes whole files for the examples. */
#ifndef KOSTKA_EXAMPLES_FILES_H
#define KOSTKA_EXAMPLES_FILES_H

#include <kostka/kostka.h>

/* Read a file, which the caller frees. On failure prints a message and returns null. */
uint8_t *file_read(const char *path, size_t *length);

/* Write a file. On failure prints a message and returns false. */
bool file_write(const char *path, const kst_buffer *buffer);

#endif
